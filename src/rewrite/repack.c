/*
 * A compressed file or an archive, written again with patches applied. Input: an open file and
 * the patches of its parts. Output: the new file, and how many parts it has. Everything that
 * touches the file's bytes happens in a child process under limits; the parent only counts.
 *
 * What is kept: of a tar or zip every byte but those of the members that have patches, and their
 * sizes and checksums (repack_tar.c, repack_zip.c). A compression is kept in kind, at its tools'
 * usual level, with one thread: the same input gives the same bytes everywhere.
 * Refuses 7z and cpio, which are only read.
 */
#include "rewrite/repack.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "base/unnamed.h"
#include "rewrite/repack_state.h"
#include "source/plain.h"
#include "source/worker.h"

/* --- Forms ------------------------------------------------------------------------------- */

/* Whether a file that holds this is written again. */
static enum rt_status check_form(enum rt_magic magic, struct rt_error *err)
{
	if (magic != RT_MAGIC_7ZIP && magic != RT_MAGIC_CPIO)
		return RT_OK;
	(void)rt_error_set(err, RT_E_USAGE,
			   "want a tar, zip or plain file to write again, have a %s archive, which "
			   "is only read: pack it anew as a tar or zip, or keep the updates in a "
			   "journal alone (--journal without -o)",
			   rt_magic_name(magic));
	return RT_REJECT;
}

/* --- In the child ------------------------------------------------------------------------ */

static enum rt_status layer_outer(void *ctx, enum rt_magic magic, enum rt_magic inner,
				  const uint8_t *head, size_t head_len, struct rt_error *err)
{
	struct rt_repack_state *state = ctx;
	enum rt_status status = check_form(inner, err);

	/* Nothing else was asked. */
	if (status == RT_OK && state->out.fd < 0)
		return RT_END;
	if (status == RT_OK)
		status = rt_encoder_open(magic, head, head_len, &state->to, &state->encoder, err);
	if (status == RT_OK)
		state->to = rt_encoder_sink(state->encoder);
	return status;
}

static enum rt_status layer_document(void *ctx, struct rt_stream *stream, struct rt_error *err)
{
	struct rt_repack_state *state = ctx;
	enum rt_status status = rt_repack_pour(state, stream, &state->to, err);

	return status == RT_OK ? rt_repack_count(state, NULL, err) : status;
}

static enum rt_status layer_container(void *ctx, enum rt_magic magic, struct rt_stream *stream,
				      int fd, uint64_t size, struct rt_error *err)
{
	enum rt_status status = check_form(magic, err);

	if (status != RT_OK)
		return status;
	return magic == RT_MAGIC_ZIP ? rt_repack_zip(ctx, fd, size, err)
				     : rt_repack_tar(ctx, stream, err);
}

enum rt_status rt_repack_run(struct rt_repack_state *state, struct rt_error *err)
{
	const struct rt_layers layers = {.outer = layer_outer,
					 .document = layer_document,
					 .container = layer_container,
					 .ctx = state};
	enum rt_status status;

	state->to = rt_repack_sink(state);
	status = rt_decode_layers(&state->decode, &layers, err);
	if (status == RT_OK && state->encoder)
		status = rt_encoder_finish(state->encoder, err);
	if (status == RT_OK)
		status = rt_repack_flush(state, err);
	rt_encoder_free(state->encoder);
	tdestroy(state->patched, free);
	return status == RT_END ? RT_OK : status;
}

static void child_run(void *ctx, struct rt_ring *ring, int sock)
{
	struct rt_repack_state *state = ctx;
	struct rt_ring_writer writer;
	struct rt_error err = {0};
	enum rt_status status;

	rt_ring_writer_init(&writer, ring, sock);
	state->decode.emit = rt_ring_emit(&writer);
	state->decode.meter.progress = &ring->progress;
	status = rt_repack_run(state, &err);
	rt_ring_finish(&writer, status, &err);
}

/* --- In the parent ----------------------------------------------------------------------- */

/* The parts as the child tells of them; what it says is checked by the worker. */
static enum rt_status repack_count(struct rt_worker *worker, uint32_t *ret_parts,
				   struct rt_error *err)
{
	char name[sizeof(err->member)];
	enum rt_status status;
	uint32_t parts = 0;
	bool has_name;

	while ((status = rt_worker_next(worker, name, sizeof(name), &has_name, err)) == RT_OK) {
		/* More than any limit lets through, from a child that lies. */
		if (parts == UINT32_MAX)
			return rt_error_set(err, RT_E_LIMIT, "want fewer parts, have 2^32");
		parts++;
	}
	if (status != RT_END)
		return status;
	*ret_parts = parts;
	return RT_OK;
}

/* RT_END: there is nothing that a child could say. */
static enum rt_status repack_start(struct rt_worker *worker, struct rt_repack_state *state,
				   const struct rt_file *file, struct rt_error *err)
{
	const struct rt_limits *limits = state->decode.limits;
	struct rt_child_spec spec = {
	    .run = child_run,
	    .ctx = state,
	    .keep = {file->fd, state->out.fd, -1, -1},
	    .keep_count = 4,
	    .memory_bytes = limits->decoder_bytes + RT_ENCODER_BYTES,
	    /* The caller's own bound stays. */
	    .file_bytes = RLIM_INFINITY,
	};
	struct rt_plain plain;
	enum rt_magic magic;
	enum rt_status status = rt_plain_open(&plain, file, err);

	if (status != RT_OK)
		return status;
	magic = rt_magic_find(plain.head, plain.head_len);
	status = check_form(magic, err);
	if (status != RT_OK)
		return status;
	if (state->out.fd < 0 && !rt_magic_is_compression(magic))
		return RT_END;
	/* What a compressed file holds shows only in the child. */
	if (state->out.fd >= 0 && rt_magic_is_compression(magic))
		state->decode.spool_fd = spec.keep[2] = rt_unnamed_open();
	if (state->out.fd >= 0)
		state->spool.fd = spec.keep[3] = rt_unnamed_open();
	return rt_worker_start_child(worker, &spec, file, magic, limits, limits->expanded_bytes,
				     err);
}

enum rt_status rt_repack(const struct rt_file *file, const struct rt_options *options,
			 const struct rt_patches *patches, uint32_t first_part, uint32_t *ret_parts,
			 int out_fd, struct rt_error *err)
{
	const struct rt_limits *limits = &options->limits;
	struct rt_repack_state *state = calloc(1, sizeof(*state));
	struct rt_worker worker;
	enum rt_status status;

	if (!state)
		return rt_error_nomem(err);
	state->decode = (struct rt_decode){
	    .limits = limits,
	    .choice = &options->choice,
	    .below = file->name,
	    .meter = {.expanded_max = limits->expanded_bytes, .limit = limits->expanded_bytes},
	    .fd = file->fd,
	    .seekable = true,
	    .size = file->size,
	    .spool_fd = -1};
	state->patches = patches;
	state->part = first_part;
	state->out.fd = out_fd;
	state->spool.fd = -1;
	rt_worker_init(&worker, NULL);
	status = repack_start(&worker, state, file, err);
	if (status == RT_OK)
		status = repack_count(&worker, ret_parts, err);
	rt_worker_release(&worker);
	if (state->decode.spool_fd >= 0)
		close(state->decode.spool_fd);
	if (state->spool.fd >= 0)
		close(state->spool.fd);
	free(state);
	return status;
}

enum rt_status rt_repack_check(const struct rt_file *file, const struct rt_options *options,
			       struct rt_error *err)
{
	static const struct rt_patches none;
	struct rt_error found;
	uint32_t parts;

	if (rt_repack(file, options, &none, 0, &parts, -1, &found) != RT_REJECT ||
	    found.code != RT_E_USAGE)
		return RT_OK;
	*err = found;
	return RT_REJECT;
}
