/*
 * What a tar and a zip have in common when they are written again: where bytes go, and how a part
 * is poured from the old container, with its patches applied.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "rewrite/repack_state.h"
#include "source/archive.h"
#include "source/decode.h"

/* --- Where bytes go ----------------------------------------------------------------------- */

/* That something is written is progress, too. */
static enum rt_status out_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_repack_state *state = ctx;

	rt_progress_add(state->decode.meter.progress, len, 0);
	return rt_outfile_write(&state->out, data, len, err);
}

struct rt_sink rt_repack_sink(struct rt_repack_state *state)
{
	return (struct rt_sink){out_write, state};
}

enum rt_status rt_repack_spool_begin(struct rt_repack_state *state, struct rt_error *err)
{
	struct rt_outfile *spool = &state->spool;

	if (spool->fd < 0)
		return rt_error_set(err, RT_E_IO,
				    "there is no folder for a temporary file; TMPDIR names one");
	if (ftruncate(spool->fd, 0) != 0 || lseek(spool->fd, 0, SEEK_SET) != 0)
		return rt_error_sys(err, errno, "cannot empty a temporary file");
	spool->written = 0;
	return RT_OK;
}

enum rt_status rt_repack_copy(int fd, uint64_t at, uint64_t len, const struct rt_sink *to,
			      struct rt_error *err)
{
	struct rt_range range = {fd, at, at + len, "cannot read the file"};

	return rt_pull_copy(rt_range_pull(&range), to, err);
}

/* --- Parts ------------------------------------------------------------------------------- */

enum rt_status rt_repack_pour_member(struct rt_repack_state *state,
				     const struct rt_archived *member, const struct rt_sink *to,
				     struct rt_error *err)
{
	enum rt_magic packed = RT_MAGIC_NONE;
	struct rt_encoder *encoder = NULL;
	struct rt_stream *stream = NULL;
	struct rt_sink sink = *to;
	enum rt_status status = rt_member_unpack(&state->decode, member, &packed, &stream, err);

	if (status == RT_OK && packed != RT_MAGIC_NONE) {
		status = rt_encoder_open(packed, false, to, &encoder, err);
		sink = rt_encoder_sink(encoder);
	}
	if (status == RT_OK)
		status = rt_patches_apply(state->patches, state->part, rt_stream_pull(stream),
					  &sink, err);
	if (status == RT_OK && encoder)
		status = rt_encoder_finish(encoder, err);
	rt_encoder_free(encoder);
	rt_stream_free(stream);
	return status;
}

enum rt_status rt_repack_spool_member(struct rt_repack_state *state,
				      const struct rt_archived *member, struct rt_error *err)
{
	enum rt_status status = rt_repack_pour_member(
	    state, member, &(struct rt_sink){rt_outfile_write, &state->spool}, err);

	return status == RT_OK ? rt_outfile_flush(&state->spool, err) : status;
}

void rt_repack_count(struct rt_repack_state *state, const char *name)
{
	rt_say_begin(&state->decode.say, name);
	rt_say_end(&state->decode.say);
	state->part++;
}
