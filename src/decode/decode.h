/*
 * Decoding one file: what runs inside the decoder process, and what the fuzz target calls without
 * one. It needs nothing but the descriptors it is given, memory and its output.
 */
#ifndef RT_DECODE_DECODE_H
#define RT_DECODE_DECODE_H

#include "decode/input.h"

/*
 * Decode the whole file: at most one compression, in it at most one container, in that members
 * that are compressed at most once (SPEC D1).
 *
 * Returns RT_OK when every part was delivered and all checks passed; RT_REJECT when the file is
 * bad; RT_FATAL when the system failed or a limit of the whole run was passed. err has the
 * member but not the path.
 */
enum rt_status rt_decode_run(struct rt_decode *decode, struct rt_error *err);

/*
 * What to do with each layer that a file turns out to have, for those who do more than read.
 * Every function returns as rt_decode_run().
 */
struct rt_layers {
	/* The file is compressed: magic, with `inner` in it. NULL is allowed. */
	enum rt_status (*outer)(void *ctx, enum rt_magic magic, enum rt_magic inner,
				struct rt_error *err);
	/* What is left is one document. */
	enum rt_status (*document)(void *ctx, struct rt_stream *stream, struct rt_error *err);
	/* What is left is a container; arguments as rt_container_walk() takes them. */
	enum rt_status (*container)(void *ctx, enum rt_magic magic, struct rt_stream *stream,
				    int fd, uint64_t size, struct rt_error *err);
	void *ctx;
};

/* rt_decode_run() with other hands: decode->emit is not used. Returns as rt_decode_run(). */
enum rt_status rt_decode_layers(struct rt_decode *decode, const struct rt_layers *layers,
				struct rt_error *err);

/*
 * Whether a file with these first bytes needs a decoder at all.
 */
static inline bool rt_decode_is_needed(const uint8_t *head, size_t len)
{
	return rt_magic_find(head, len) != RT_MAGIC_NONE;
}

#endif
