/*
 * What a tar and a zip have in common when they are written again: where bytes go, and how a part
 * is poured from the old container, with its patches applied.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "decode/archive.h"
#include "rewrite/patch_stream.h"
#include "rewrite/repack_state.h"

/* --- Where bytes go ----------------------------------------------------------------------- */

/* Write all bytes at the descriptor's offset, and show that there is progress. */
static enum rt_status write_all(struct rt_repack_state *state, int fd, const void *data, size_t len,
				struct rt_error *err)
{
	const char *what =
	    fd == state->out.fd ? "cannot write the file" : "cannot write a temporary file";
	enum rt_status status = rt_write_all(fd, data, len, what, err);

	rt_progress_add(state->decode.meter.progress, len, 0);
	return status;
}

enum rt_status rt_repack_flush(struct rt_repack_state *state, struct rt_error *err)
{
	size_t len = state->out.len;

	state->out.len = 0;
	return write_all(state, state->out.fd, state->out.block, len, err);
}

static enum rt_status out_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_repack_state *state = ctx;
	enum rt_status status = RT_OK;

	if (len > sizeof(state->out.block) - state->out.len)
		status = rt_repack_flush(state, err);
	if (status == RT_OK && len >= sizeof(state->out.block))
		return write_all(state, state->out.fd, data, len, err);
	if (status == RT_OK && len) {
		memcpy(state->out.block + state->out.len, data, len);
		state->out.len += len;
	}
	return status;
}

struct rt_sink rt_repack_sink(struct rt_repack_state *state)
{
	return (struct rt_sink){out_write, state};
}

static enum rt_status spool_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_repack_state *state = ctx;

	state->spool.len += len;
	return write_all(state, state->spool.fd, data, len, err);
}

enum rt_status rt_repack_spool_begin(struct rt_repack_state *state, struct rt_sink *ret_sink,
				     struct rt_error *err)
{
	int fd = state->spool.fd;

	if (fd < 0)
		return rt_error_set(err, RT_E_IO,
				    "there is no folder for a temporary file; TMPDIR names one");
	if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		return rt_error_sys(err, errno, "cannot empty a temporary file");
	state->spool.len = 0;
	*ret_sink = (struct rt_sink){spool_write, state};
	return RT_OK;
}

enum rt_status rt_repack_copy(int fd, uint64_t at, uint64_t len, const struct rt_sink *to,
			      struct rt_error *err)
{
	uint8_t block[REPACK_BLOCK];
	enum rt_status status = RT_OK;

	while (status == RT_OK && len) {
		size_t cap = len < sizeof(block) ? (size_t)len : sizeof(block);
		ssize_t got = rt_read_at(fd, block, cap, (off_t)at);

		if (got < 0)
			return rt_error_sys(err, errno, "cannot read the file");
		if (got == 0)
			return rt_error_set(err, RT_E_IO,
					    "the file was changed: it is shorter now");
		at += (uint64_t)got;
		len -= (uint64_t)got;
		status = to->write(to->ctx, block, (size_t)got, err);
	}
	return status;
}

/* --- Parts ------------------------------------------------------------------------------- */

bool rt_repack_is_patched(const struct rt_repack_state *state)
{
	return rt_patches_has_part(state->patches, state->part);
}

enum rt_status rt_repack_pour(struct rt_repack_state *state, struct rt_stream *stream,
			      const struct rt_sink *to, struct rt_error *err)
{
	struct rt_stream *patched = rt_patch_stream_open(stream, state->patches, state->part, err);
	enum rt_status status = patched ? RT_OK : RT_FATAL;

	while (status == RT_OK) {
		size_t len = 0;

		status = rt_stream_read(patched, state->block, sizeof(state->block), &len, err);
		if (status == RT_OK)
			status = to->write(to->ctx, state->block, len, err);
	}
	rt_stream_free(patched);
	return status == RT_END ? RT_OK : status;
}

/* The same into a compressor of the member's own. */
static enum rt_status pour_packed(struct rt_repack_state *state, enum rt_magic packed,
				  struct rt_stream *stream, const struct rt_sink *to,
				  struct rt_error *err)
{
	struct rt_encoder *encoder = NULL;
	enum rt_status status = rt_encoder_open(packed, to, &encoder, err);

	if (status == RT_OK) {
		struct rt_sink sink = rt_encoder_sink(encoder);

		status = rt_repack_pour(state, stream, &sink, err);
	}
	if (status == RT_OK)
		status = rt_encoder_finish(encoder, err);
	rt_encoder_free(encoder);
	return status;
}

enum rt_status rt_repack_pour_member(struct rt_repack_state *state,
				     const struct rt_archived *member, const struct rt_sink *to,
				     struct rt_error *err)
{
	enum rt_magic packed = RT_MAGIC_NONE;
	struct rt_stream *stream = NULL;
	enum rt_status status = rt_member_unpack(&state->decode, member, &packed, &stream, err);

	if (status == RT_OK && packed != RT_MAGIC_NONE)
		status = pour_packed(state, packed, stream, to, err);
	else if (status == RT_OK)
		status = rt_repack_pour(state, stream, to, err);
	if (stream != member->stream)
		rt_stream_free(stream);
	return status;
}

enum rt_status rt_repack_count(struct rt_repack_state *state, const char *name,
			       struct rt_error *err)
{
	const struct rt_emit *emit = &state->decode.emit;
	enum rt_status status = emit->begin(emit->ctx, name, err);

	if (status == RT_OK)
		status = emit->end(emit->ctx, err);
	state->part++;
	return status;
}
