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

#endif
