/*
 * Answers to GET /api/rulesets (contract 4.3). Rulesets do not change while they are served: the
 * list of all is made once and shared; those of one repository are made for each request.
 */
#ifndef RT_HTTP_RULESETS_H
#define RT_HTTP_RULESETS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "http/mhd.h"

struct rt_exchange;

struct rt_rulesets {
	pthread_mutex_t lock;      /* of the two below */
	struct MHD_Response *all;  /* NULL until somebody has asked */
	uint64_t all_bytes;        /* of its body */
	atomic_uint_fast64_t held; /* bytes of answers made for one request, until they are sent */
};

/* Answer a request that has been checked. Returns what MHD_queue_response() does. */
enum MHD_Result rt_rulesets_answer(struct rt_exchange *exchange);

/* Behind the daemon's end. */
void rt_rulesets_release(struct rt_rulesets *rulesets);

#endif
