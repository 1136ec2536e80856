/*
 * Group commit. Input: updates from many connections. Output: journal entries on disk, a summary
 * for all to read, results for those who wait.
 * Refuses to answer 200 for what is not on disk: when an update or a flush fails, all that wait
 * get 503, no more are taken, and the service ends.
 */
#include "http/committer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/instant.h"
#include "http/exchange.h"
#include "http/problem.h"

/* Seconds until a summary that there was no memory for is tried again. */
#define RETRY_SECONDS 1

struct rt_job *rt_job_new(void)
{
	return calloc(1, sizeof(struct rt_job));
}

void rt_job_free(struct rt_job *job)
{
	if (!job)
		return;
	rt_buf_release(&job->body);
	rt_buf_release(&job->scratch);
	rt_buf_release(&job->result);
	free(job);
}

/* Put a summary, or NULL, in the place of the one there is. */
static void replace_summary(struct rt_committer *committer, struct MHD_Response *fresh,
			    uint64_t bytes)
{
	struct MHD_Response *old;

	(void)pthread_mutex_lock(&committer->summary_lock);
	old = committer->summary;
	committer->summary = fresh;
	committer->summary_bytes = bytes;
	(void)pthread_mutex_unlock(&committer->summary_lock);
	/* Those who are being sent it hold it as well. */
	if (old)
		MHD_destroy_response(old);
}

static enum rt_status publish_summary(struct rt_committer *committer, struct rt_error *err)
{
	struct MHD_Response *fresh = NULL;
	struct rt_buf body = {0};
	enum rt_status status = rt_service_summary(committer->service, &body, err);
	size_t bytes = body.len;

	if (status == RT_OK) {
		fresh = rt_answer_json(&body);
		if (!fresh)
			status = rt_error_nomem(err);
	}
	rt_buf_release(&body);
	if (status == RT_OK)
		replace_summary(committer, fresh, bytes);
	return status;
}

bool rt_committer_answer_summary(struct rt_committer *committer, struct rt_exchange *exchange,
				 enum MHD_Result *ret_queued)
{
	bool there;

	(void)pthread_mutex_lock(&committer->summary_lock);
	there = committer->summary != NULL;
	if (there)
		*ret_queued =
		    rt_exchange_share(exchange, committer->summary, committer->summary_bytes);
	(void)pthread_mutex_unlock(&committer->summary_lock);
	return there;
}

void rt_committer_fail(struct rt_committer *committer, const struct rt_error *err)
{
	bool failed;

	(void)pthread_mutex_lock(&committer->lock);
	failed = committer->failed;
	committer->open = false;
	committer->failed = true;
	if (!failed)
		committer->err = *err;
	(void)pthread_mutex_unlock(&committer->lock);
	if (failed)
		return;
	rt_http_log_error(committer->log, "the service ends", err);
	replace_summary(committer, NULL, 0);
	(void)eventfd_write(committer->wake_fd, 1);
}

/* An issue's record cannot take the update, most likely its note: a rule broken, found late. */
static void refuse(struct rt_job *job, struct rt_error *fault)
{
	struct rt_error err;

	(void)snprintf(fault->field, sizeof(fault->field), "%s",
		       job->request.notes.len ? "/notes" : "");
	job->status = rt_problem_fault(fault, &job->result, &err) == RT_OK
			  ? MHD_HTTP_UNPROCESSABLE_CONTENT
			  : MHD_HTTP_SERVICE_UNAVAILABLE;
}

/* Execute one after the other. Returns RT_OK, or RT_FATAL where the service is not to be used any
 * more; an update that there was no memory for has its status already. */
static enum rt_status execute(struct rt_committer *committer, struct rt_job *jobs,
			      struct rt_error *err)
{
	char text[RT_INSTANT_CHARS];
	struct rt_slice at = {text, sizeof(text)};

	if (!rt_instant_format((int64_t)time(NULL), text))
		return rt_error_set(err, RT_E_IO, "want a clock between the years 0 and 9999");
	for (struct rt_job *job = jobs; job; job = job->next) {
		struct rt_slice actor = {job->name, strlen(job->name)};

		enum rt_status status = rt_service_update(committer->service, &job->request, actor,
							  at, &job->result, err);

		if (status == RT_OK)
			continue;
		if (status == RT_REJECT)
			refuse(job, err);
		else if (err->code == RT_E_NOMEM)
			job->status = MHD_HTTP_SERVICE_UNAVAILABLE;
		else
			return RT_FATAL;
	}
	return rt_service_commit(committer->service, err);
}

/* Set the status of all, and let their connections go on. */
static void release(struct rt_job *jobs, unsigned status)
{
	while (jobs) {
		struct rt_job *next = jobs->next;

		/* Once it goes on, the job belongs to the connection's thread. */
		if (jobs->status == 0 || status != MHD_HTTP_OK)
			jobs->status = status;
		MHD_resume_connection(jobs->connection);
		jobs = next;
	}
}

/* Bring the summary up to date. The updates are on disk, and are answered; a summary that lacks
 * them is not. Without memory there is none for a while. */
static void refresh_summary(struct rt_committer *committer)
{
	struct rt_error err;

	committer->stale = publish_summary(committer, &err) != RT_OK;
	if (!committer->stale)
		return;
	if (err.code != RT_E_NOMEM) {
		rt_committer_fail(committer, &err);
		return;
	}
	replace_summary(committer, NULL, 0);
	rt_http_log_error(committer->log, "the summary", &err);
}

static void commit(struct rt_committer *committer, struct rt_job *jobs)
{
	unsigned status = MHD_HTTP_OK;
	struct rt_error err;

	if (rt_committer_failed(committer, &err))
		status = MHD_HTTP_SERVICE_UNAVAILABLE;
	else if (execute(committer, jobs, &err) != RT_OK) {
		rt_committer_fail(committer, &err);
		status = MHD_HTTP_SERVICE_UNAVAILABLE;
	} else {
		refresh_summary(committer);
	}
	release(jobs, status);
}

/* Wait for something to do. Returns false when it is time to end. ret_jobs: all that wait. */
static bool wait_for_work(struct rt_committer *committer, struct rt_job **ret_jobs)
{
	struct timespec until;
	int waited = 0;
	bool more;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += RETRY_SECONDS;
	(void)pthread_mutex_lock(&committer->lock);
	while (!committer->first && !committer->stop && waited == 0)
		waited = committer->stale && !committer->failed
			     ? pthread_cond_timedwait(&committer->wake, &committer->lock, &until)
			     : pthread_cond_wait(&committer->wake, &committer->lock);
	*ret_jobs = committer->first;
	more = committer->first || !committer->stop;
	committer->first = NULL;
	committer->last = &committer->first;
	(void)pthread_mutex_unlock(&committer->lock);
	return more;
}

static void *run(void *ctx)
{
	struct rt_committer *committer = ctx;
	struct rt_job *jobs;

	while (wait_for_work(committer, &jobs)) {
		if (jobs)
			commit(committer, jobs);
		else
			refresh_summary(committer);
	}
	return NULL;
}

enum rt_status rt_committer_start(struct rt_committer *committer, struct rt_error *err)
{
	int sys;

	committer->last = &committer->first;
	(void)pthread_mutex_init(&committer->lock, NULL);
	(void)pthread_mutex_init(&committer->summary_lock, NULL);
	(void)pthread_cond_init(&committer->wake, NULL);
	if (publish_summary(committer, err) != RT_OK)
		return RT_FATAL;
	committer->open = true;
	sys = pthread_create(&committer->thread, NULL, run, committer);
	if (sys == 0)
		return RT_OK;
	replace_summary(committer, NULL, 0);
	return rt_error_sys(err, sys, "thread");
}

bool rt_committer_submit(struct rt_committer *committer, struct rt_job *job)
{
	bool open;

	(void)pthread_mutex_lock(&committer->lock);
	open = committer->open;
	if (open) {
		/* Suspended before the thread can see it, which will resume it. */
		MHD_suspend_connection(job->connection);
		*committer->last = job;
		committer->last = &job->next;
		(void)pthread_cond_signal(&committer->wake);
	}
	(void)pthread_mutex_unlock(&committer->lock);
	return open;
}

bool rt_committer_failed(struct rt_committer *committer, struct rt_error *ret_err)
{
	bool failed;

	(void)pthread_mutex_lock(&committer->lock);
	failed = committer->failed;
	if (failed)
		*ret_err = committer->err;
	(void)pthread_mutex_unlock(&committer->lock);
	return failed;
}

void rt_committer_stop(struct rt_committer *committer)
{
	(void)pthread_mutex_lock(&committer->lock);
	committer->open = false;
	committer->stop = true;
	(void)pthread_cond_signal(&committer->wake);
	(void)pthread_mutex_unlock(&committer->lock);
	(void)pthread_join(committer->thread, NULL);
	replace_summary(committer, NULL, 0);
}
