/*
 * A compressed file or an archive, written again with patches applied. All that touches the file's
 * bytes happens in a child under limits; the program counts the parts that it tells of. A
 * compression is kept in kind, a tar or zip with all its members; 7z and cpio are only read.
 */
#include "rewrite/repack.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/forker.h"
#include "base/io.h"
#include "base/limits.h"
#include "rewrite/repack_state.h"
#include "source/decode.h"
#include "source/worker.h"

enum rt_status rt_repack_check_form(enum rt_magic magic, struct rt_error *err)
{
	if (magic != RT_MAGIC_7ZIP && magic != RT_MAGIC_CPIO)
		return RT_OK;
	return rt_error_reject(
	    err, RT_E_USAGE,
	    "a %s archive is only read, not written: pack it anew as a tar or zip, "
	    "or keep the updates in a journal alone (--journal without -o)",
	    rt_magic_name(magic));
}

/* --- In the child ------------------------------------------------------------------------- */

static enum rt_status write_layers(struct rt_repack_state *state, struct rt_layers *layers,
				   struct rt_error *err)
{
	bool is_tar = layers->inner == RT_MAGIC_TAR;
	enum rt_status status = RT_OK;

	if (layers->outer != RT_MAGIC_NONE || is_tar) {
		status = rt_encoder_open(layers->outer, is_tar, &state->to, &state->encoder, err);
		if (status == RT_OK)
			state->to = rt_encoder_sink(state->encoder);
	}
	if (status == RT_OK && layers->inner == RT_MAGIC_NONE) {
		status =
		    rt_patches_apply(state->patches, state->part,
				     rt_stream_pull(rt_layers_stream(layers)), &state->to, err);
		if (status == RT_OK)
			rt_repack_count(state, NULL);
	} else if (status == RT_OK) {
		status = rt_layers_place(layers, &state->decode, err);
		if (status == RT_OK)
			status = is_tar ? rt_repack_tar(state, layers, err)
					: rt_repack_zip(state, layers, err);
	}
	if (status == RT_OK && state->encoder)
		status = rt_encoder_finish(state->encoder, err);
	return status == RT_OK ? rt_outfile_flush(&state->out, err) : status;
}

enum rt_status rt_repack_run(struct rt_repack_state *state, struct rt_error *err)
{
	struct rt_layers layers = {.file = NULL};
	enum rt_status status = rt_layers_open(&layers, &state->decode, err);

	state->out.what = "cannot write the file";
	state->spool.what = "cannot write a temporary file";
	state->to = rt_repack_sink(state);
	if (status == RT_OK)
		status = rt_repack_check_form(layers.inner, err);
	if (status == RT_OK)
		status = write_layers(state, &layers, err);
	rt_encoder_free(state->encoder);
	rt_layers_close(&layers);
	return status;
}

/* What the child does. */
static enum rt_status run_repack(struct rt_job *job, struct rt_frames *frames, struct rt_error *err)
{
	struct rt_repack_state *state = calloc(1, sizeof(*state));
	enum rt_status status;

	(void)frames;
	if (!state)
		return rt_error_nomem(err);
	state->decode = job->decode;
	state->patches = job->patches;
	state->part = job->first_part;
	state->out.fd = job->fds[RT_JOB_OUT];
	state->spool.fd = job->fds[RT_JOB_OUT_SPOOL];
	status = rt_repack_run(state, err);
	free(state);
	return status;
}

/* --- In the program ----------------------------------------------------------------------- */

enum rt_status rt_repack(const struct rt_options *options, const struct rt_patches *patches,
			 const struct rt_file *file, enum rt_magic magic, uint32_t first_part,
			 uint32_t *ret_parts, int out_fd, struct rt_error *err)
{
	const struct rt_limits *limits = &options->limits;
	struct rt_job job = {
	    .run = run_repack,
	    .needs_late = true,
	    .decode = {.limits = limits,
		       .choice = &options->choice,
		       .below = file->name,
		       .meter = {.expanded_max = limits->expanded_bytes,
				 .limit = limits->expanded_bytes},
		       .size = file->size},
	    .memory_bytes = limits->decoder_bytes + RT_ENCODER_BYTES,
	    /* The caller's own bound stays. */
	    .file_bytes = RLIM_INFINITY,
	    .first_part = first_part,
	    .patches = patches,
	    .fds = RT_JOB_NO_FDS,
	};
	struct rt_worker worker;
	enum rt_status status;

	rt_worker_init(&worker, NULL);
	job.fds[RT_JOB_FILE] = file->fd;
	job.fds[RT_JOB_OUT] = out_fd;
	/* What a compressed file holds shows only in the child. */
	if (rt_magic_is_compression(magic))
		job.fds[RT_JOB_SPOOL] = rt_unnamed_open();
	job.fds[RT_JOB_OUT_SPOOL] = rt_unnamed_open();
	status = rt_worker_start_job(&worker, &job, file, magic, (struct rt_pull){NULL, NULL}, err);
	if (status == RT_OK)
		status = rt_worker_count(&worker, ret_parts, err);
	rt_worker_stop(&worker);
	if (job.fds[RT_JOB_SPOOL] >= 0)
		close(job.fds[RT_JOB_SPOOL]);
	if (job.fds[RT_JOB_OUT_SPOOL] >= 0)
		close(job.fds[RT_JOB_OUT_SPOOL]);
	return status;
}
