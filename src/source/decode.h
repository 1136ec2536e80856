/*
 * Decoding one file: what runs inside the decoder process, and what the fuzz target calls without
 * one. It needs nothing but the descriptors it is given, memory and its output.
 */
#ifndef RT_SOURCE_DECODE_H
#define RT_SOURCE_DECODE_H

#include "source/container.h"

/*
 * Decode the whole file: at most one compression, in it at most one container, in that members
 * that are compressed at most once (SPEC D1).
 *
 * Returns RT_OK when every part was delivered and all checks passed; RT_REJECT when the file is
 * bad; RT_FATAL when the system failed or a limit of the whole run was passed. err has the
 * member but not the path.
 */
enum rt_status rt_decode_run(struct rt_decode *decode, struct rt_error *err);

/* Look at a file's layers. decode: borrowed. layers: {0} before; closed whatever is returned.
 * Returns as rt_decode_run(). */
enum rt_status rt_layers_open(struct rt_layers *layers, struct rt_decode *decode,
			      struct rt_error *err);

/* Copy a container that must be sought in to the spool, where it is not a file of its own. */
enum rt_status rt_layers_place(struct rt_layers *layers, struct rt_decode *decode,
			       struct rt_error *err);

void rt_layers_close(struct rt_layers *layers);

/*
 * The document in a candidate: its stream, or a decompressor over that.
 *
 * *ret_packed: the compression, RT_MAGIC_NONE for none. *ret_stream: to be freed by
 * rt_stream_free(). Returns RT_OK; RT_REJECT for nested compression or a container; RT_FATAL.
 */
enum rt_status rt_member_unpack(struct rt_decode *decode, const struct rt_archived *member,
				enum rt_magic *ret_packed, struct rt_stream **ret_stream,
				struct rt_error *err);

#endif
