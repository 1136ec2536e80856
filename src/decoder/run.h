/*
 * A job, done.
 */
#ifndef RT_DECODER_RUN_H
#define RT_DECODER_RUN_H

#include "base/patch.h"
#include "source/job.h"
#include "source/ring.h"

/*
 * Do a job, in this process, and tell the ring how it ended.
 * job: all that is told, and decode's descriptors. patches: sorted; of RT_JOB_REPACK.
 */
void rt_job_run(struct rt_job *job, const struct rt_patches *patches, struct rt_ring *ring,
		int sock);

/* The same of RT_JOB_YAML, but for how it ended. */
enum rt_status rt_job_run_yaml(const struct rt_job *job, struct rt_ring_writer *writer,
			       struct rt_error *err);

#endif
