/*
 * What the files of the repacker share: the state of one run, where bytes go, and how a part is
 * poured from the container that is read into the one that is written.
 * Included by repack*.c only.
 */
#ifndef RT_REWRITE_REPACK_STATE_H
#define RT_REWRITE_REPACK_STATE_H

#include "base/io.h"
#include "base/patch.h"
#include "source/container.h"

struct rt_encoder;

/* One file that is written again. */
struct rt_repack_state {
	/* Its say tells the parent of each part. Its progress moves with every write too, so that
	 * nobody takes us for hung. */
	struct rt_decode decode;
	const struct rt_patches *patches;
	uint32_t part;              /* number of the next part */
	struct rt_outfile out;      /* the new file */
	struct rt_encoder *encoder; /* of the whole file: compresses it, writes a tar; NULL: none */
	struct rt_sink to;          /* for a document, a member of a tar, a zip: encoder, or out */
	struct rt_outfile spool;    /* members of which the size is not known before; fd -1: none */
};

/*
 * Write the file of state->decode again: what runs in the child, and what the fuzz target calls
 * without one. state: decode, patches, part and the descriptors are set; the rest is zero.
 * Nothing has to be released after.
 * Returns as rt_repack().
 */
enum rt_status rt_repack_run(struct rt_repack_state *state, struct rt_error *err);

/* --- Bytes and parts (repack_part.c) ------------------------------------------------------ */

/* A sink of the new file's bytes. */
struct rt_sink rt_repack_sink(struct rt_repack_state *state);

/* Empty the spool. Returns RT_OK or RT_FATAL (RT_E_IO). */
enum rt_status rt_repack_spool_begin(struct rt_repack_state *state, struct rt_error *err);

/* rt_repack_pour_member() into the spool. */
enum rt_status rt_repack_spool_member(struct rt_repack_state *state,
				      const struct rt_archived *member, struct rt_error *err);

/* Pass len bytes of a file from offset `at` on to a sink. A file that is too short is RT_E_IO. */
enum rt_status rt_repack_copy(int fd, uint64_t at, uint64_t len, const struct rt_sink *to,
			      struct rt_error *err);

/*
 * Read a candidate to its end, apply the next part's patches, and pass all to a sink, compressed
 * again where it was. The part does not end with this.
 */
enum rt_status rt_repack_pour_member(struct rt_repack_state *state,
				     const struct rt_archived *member, const struct rt_sink *to,
				     struct rt_error *err);

/*
 * Count the next part: the parent is told. Every candidate is one, patched or not; name: NULL
 * where the file is the part.
 */
void rt_repack_count(struct rt_repack_state *state, const char *name);

/* --- Compression (repack_encode.c) ------------------------------------------------------- */

/*
 * A compressor, the writer of a tar, or both, in front of a sink. The same bytes give the same
 * bytes.
 *
 * packed: one of the five compressions, or none. to: copied; its ctx is borrowed.
 * ret_encoder: on RT_OK owned by the caller.
 */
enum rt_status rt_encoder_open(enum rt_magic packed, bool is_tar, const struct rt_sink *to,
			       struct rt_encoder **ret_encoder, struct rt_error *err);

/* Begin a member of a tar; its bytes go to the sink. */
enum rt_status rt_encoder_header(struct rt_encoder *encoder, struct archive_entry *entry,
				 struct rt_error *err);

struct rt_sink rt_encoder_sink(struct rt_encoder *encoder);

/* Everything has been passed in: write the end. */
enum rt_status rt_encoder_finish(struct rt_encoder *encoder, struct rt_error *err);

/* NULL is allowed. */
void rt_encoder_free(struct rt_encoder *encoder);

/* --- Containers -------------------------------------------------------------------------- */

/* Placed; repack_tar.c and repack_zip.c. */
enum rt_status rt_repack_tar(struct rt_repack_state *state, const struct rt_layers *layers,
			     struct rt_error *err);
enum rt_status rt_repack_zip(struct rt_repack_state *state, const struct rt_layers *layers,
			     struct rt_error *err);

#endif
