/*
 * The one thread that changes the state: it takes all updates that wait, executes them in order,
 * flushes the journal once for all of them, and only then lets them be answered.
 */
#ifndef RT_HTTP_COMMITTER_H
#define RT_HTTP_COMMITTER_H

#include "http/mhd.h"
#include <pthread.h>

#include "http/keys.h"
#include "http/log.h"
#include "output/service.h"

struct rt_exchange;

/* An update on its way. The fields up to `name` are set before it is given away. */
struct rt_job {
	struct rt_job *next;
	struct MHD_Connection *connection;
	struct rt_request request; /* borrows from body and scratch */
	struct rt_buf body, scratch;
	char name[RT_KEY_NAME_MAX + 1];
	unsigned status;      /* of the answer, once the connection goes on: 200, 422 or 503 */
	struct rt_buf result; /* with 200: the result document; with 422: the errors */
};

struct rt_committer {
	struct rt_service *service;
	struct rt_http_log *log;
	int wake_fd; /* an eventfd, told when the service failed */
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
	/* The answer to all who ask; NULL once the service failed, and while there is no memory. */
	struct MHD_Response *summary;
	uint64_t summary_bytes;
};

/*
 * Make the first summary and start the thread. committer: {0} but service, log and wake_fd.
 * Returns RT_OK; RT_FATAL with err set, nothing to be stopped then.
 */
enum rt_status rt_committer_start(struct rt_committer *committer, struct rt_error *err);

/*
 * Give away an update: its connection is suspended, and resumed when job->status is set.
 * Returns false, with nothing done, where no update is taken any more.
 */
bool rt_committer_submit(struct rt_committer *committer, struct rt_job *job);

/*
 * Send the summary as the answer to a request. ret_queued: what rt_exchange_share() returned.
 * Returns false, with nothing done, where there is no summary.
 */
bool rt_committer_answer_summary(struct rt_committer *committer, struct rt_exchange *exchange,
				 enum MHD_Result *ret_queued);

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
