/*
 * Answers with rulesets: a list of all, made once for everybody, and lists for one repository.
 */
#ifndef RT_HTTP_RULESETS_H
#define RT_HTTP_RULESETS_H

#include <pthread.h>

struct rt_exchange;

struct rt_rulesets {
	pthread_mutex_t lock;    /* one list is made at a time */
	struct rt_document *all; /* NULL until somebody has asked */
};

/* Decide the answer to a request that has been checked. */
void rt_rulesets_answer(struct rt_exchange *exchange);

/* Nobody asks any more. */
void rt_rulesets_release(struct rt_rulesets *rulesets);

#endif
