/*
 * The one thread that changes the state: it takes all updates that wait, executes them in order,
 * flushes the journal once for all of them, and only then lets them be answered.
 */
#ifndef RT_HTTP_COMMITTER_H
#define RT_HTTP_COMMITTER_H

#include <pthread.h>
#include <semaphore.h>

#include "http/keys.h"
#include "http/log.h"
#include "http/reply.h"
#include "ops/service.h"

/* An update on its way. The fields up to `name` are set before it is given away. */
struct rt_job {
	struct rt_job *next;
	struct rt_request request; /* borrows from body and scratch */
	struct rt_buf body, scratch;
	char name[RT_KEY_NAME_MAX + 1];
	sem_t done;
	unsigned status;              /* of the answer: 200, 422 or 503 */
	const char *fault;            /* with 503: why */
	struct rt_buf result;         /* with 422: the errors */
	struct rt_document *document; /* with 200: the result */
};

struct rt_committer {
	struct rt_service *service;
	struct rt_http_log *log;
	rt_held *held; /* bytes of answers that wait */
	int wake_fd;   /* an eventfd, told when the service failed */
	pthread_t thread;
	bool stale;           /* the thread's own: the summary has to be made again */
	pthread_mutex_t lock; /* of the fields down to `failed` */
	pthread_cond_t wake;
	struct rt_job *first, **last;
	bool open;   /* takes updates */
	bool stop;   /* ends when none waits */
	bool failed; /* what is in err */
	struct rt_error err;
	pthread_mutex_t summary_lock;
	/* For all who ask; NULL once the service failed, and while there is no memory. */
	struct rt_document *summary;
};

/*
 * Make the first summary and start the thread. committer: {0} but service, log, held and wake_fd.
 * Returns RT_OK; RT_FATAL with err set, nothing to be stopped then.
 */
enum rt_status rt_committer_start(struct rt_committer *committer, struct rt_error *err);

/*
 * Have an update executed, and wait until it is on disk or refused: job->status says which.
 * Returns false, with nothing done, where no update is taken any more.
 */
bool rt_committer_run(struct rt_committer *committer, struct rt_job *job);

/* The summary as it is now, to be released; NULL where there is none. */
struct rt_document *rt_committer_summary(struct rt_committer *committer);

/*
 * End the service: no more updates, no more summaries, and the reason is said. Any thread may call
 * it; what comes after the first call changes nothing.
 */
void rt_committer_fail(struct rt_committer *committer, const struct rt_error *err);

/* Whether the service failed; ret_err: set then. */
bool rt_committer_failed(struct rt_committer *committer, struct rt_error *ret_err);

/* Take no more updates, wait for the thread to end with those there are, free what it holds. */
void rt_committer_stop(struct rt_committer *committer);

struct rt_job *rt_job_new(void);

/* NULL is allowed. */
void rt_job_free(struct rt_job *job);

#endif
