/*
 * Does a job. Input: the job, with its file open. Output: parts into the ring, and a new file where
 * one is asked for. What can fail is told through the ring.
 */
#include "decoder/run.h"

#include <stdlib.h>

#include "base/error.h"
#include "decode/decode.h"
#include "rewrite/repack_state.h"

static enum rt_status run_repack(const struct rt_job *job, const struct rt_patches *patches,
				 struct rt_error *err)
{
	struct rt_repack_state *state = calloc(1, sizeof(*state));
	enum rt_status status;

	if (!state)
		return rt_error_nomem(err);
	state->decode = job->decode;
	state->patches = patches;
	state->part = job->first_part;
	state->out.fd = job->fds[RT_JOB_OUT];
	state->spool.fd = job->fds[RT_JOB_OUT_SPOOL];
	status = rt_repack_run(state, err);
	free(state);
	return status;
}

void rt_job_run(struct rt_job *job, const struct rt_patches *patches, struct rt_ring *ring,
		int sock)
{
	struct rt_ring_writer writer;
	struct rt_error err = {0};
	enum rt_status status;

	rt_ring_writer_init(&writer, ring, sock);
	job->decode.emit = rt_ring_emit(&writer);
	job->decode.meter.progress = &ring->progress;
	if (job->kind == RT_JOB_REPACK)
		status = run_repack(job, patches, &err);
	else if (job->kind == RT_JOB_YAML)
		status = rt_job_run_yaml(job, &writer, &err);
	else
		status = rt_decode_run(&job->decode, &err);
	rt_ring_finish(&writer, status, &err);
}
