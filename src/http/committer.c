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
#include "base/limits.h"

/* Seconds until a summary that there was no memory for is tried again. */
#define RETRY_SECONDS 1

#define NOT_WRITTEN "the update could not be written down"

struct rt_job *rt_job_new(void)
{
	struct rt_job *job = calloc(1, sizeof(*job));

	if (job)
		(void)sem_init(&job->done, 0, 0);
	return job;
}

void rt_job_free(struct rt_job *job)
{
	if (!job)
		return;
	rt_buf_release(&job->body);
	rt_buf_release(&job->scratch);
	rt_buf_release(&job->result);
	rt_document_release(job->document);
	(void)sem_destroy(&job->done);
	free(job);
}

/* Put a summary, or NULL, in the place of the one there is. */
static void replace_summary(struct rt_committer *committer, struct rt_document *fresh)
{
	struct rt_document *old;

	(void)pthread_mutex_lock(&committer->summary_lock);
	old = committer->summary;
	committer->summary = fresh;
	(void)pthread_mutex_unlock(&committer->summary_lock);
	if (!old)
		return;
	/* Those who are being sent it keep it, and it counts for as long as they do. Nobody else
	 * writes `held`, and it is read only once our own use is over. */
	old->held = committer->held;
	(void)atomic_fetch_add(old->held, old->text.len);
	rt_document_release(old);
}

static enum rt_status publish_summary(struct rt_committer *committer, struct rt_error *err)
{
	struct rt_document *fresh = NULL;
	struct rt_buf body = {0};
	enum rt_status status = rt_service_summary(committer->service, &body, err);

	if (status == RT_OK) {
		fresh = rt_document_new(&body, NULL);
		if (!fresh)
			status = rt_error_nomem(err);
	}
	rt_buf_release(&body);
	if (status == RT_OK)
		replace_summary(committer, fresh);
	return status;
}

struct rt_document *rt_committer_summary(struct rt_committer *committer)
{
	struct rt_document *summary;

	(void)pthread_mutex_lock(&committer->summary_lock);
	summary = committer->summary ? rt_document_share(committer->summary) : NULL;
	(void)pthread_mutex_unlock(&committer->summary_lock);
	return summary;
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
	replace_summary(committer, NULL);
	(void)eventfd_write(committer->wake_fd, 1);
}

/* An issue's record cannot take the update, most likely its note: a rule broken, found late. */
static void refuse(struct rt_job *job, struct rt_error *fault)
{
	struct rt_error err;

	(void)snprintf(fault->field, sizeof(fault->field), "%s",
		       job->request.notes.len ? "/notes" : "");
	job->status = rt_problem_fault(fault, &job->result, &err) == RT_OK ? 422 : 503;
}

/* How many bytes the next answer may have. */
static uint64_t room(const struct rt_committer *committer)
{
	uint64_t held = atomic_load(committer->held);

	return held < RT_HTTP_HELD_BYTES ? RT_HTTP_HELD_BYTES - held : 0;
}

/* Execute one. Returns RT_OK, or RT_FATAL where the service is not to be used any more; an update
 * that cannot be made has its status already. */
static enum rt_status execute(struct rt_committer *committer, struct rt_job *job,
			      struct rt_slice at, struct rt_error *err)
{
	struct rt_slice actor = {job->name, strlen(job->name)};
	enum rt_status status = rt_service_update(committer->service, &job->request, actor, at,
						  room(committer), &job->result, err);

	if (status == RT_OK) {
		job->document = rt_document_new(&job->result, committer->held);
		if (!job->document) {
			job->status = 503;
			job->fault = "the update is made, but memory for its answer ran out";
		}
	} else if (status == RT_REJECT) {
		refuse(job, err);
	} else if (err->code == RT_E_NOMEM) {
		job->status = 503;
	} else if (err->code == RT_E_LIMIT) {
		job->status = 503;
		job->fault = "too many answers wait to be taken, or this one is too long: ask for "
			     "fewer issues at once";
	} else {
		return RT_FATAL;
	}
	return RT_OK;
}

/* Execute one after the other, and flush the journal. Returns as above. */
static enum rt_status execute_all(struct rt_committer *committer, struct rt_job *jobs,
				  struct rt_error *err)
{
	char text[RT_INSTANT_CHARS];
	struct rt_slice at = {text, sizeof(text)};

	if (!rt_instant_format((int64_t)time(NULL), text))
		return rt_error_set(err, RT_E_IO, "want a clock between the years 0 and 9999");
	for (struct rt_job *job = jobs; job; job = job->next) {
		if (execute(committer, job, at, err) != RT_OK)
			return RT_FATAL;
	}
	return rt_service_commit(committer->service, err);
}

/* Set the status of all, and let those who wait for them go on. */
static void release(struct rt_job *jobs, unsigned status)
{
	while (jobs) {
		struct rt_job *next = jobs->next;

		/* Once it is told, the job belongs to whoever waited for it. */
		if (status != 200) {
			jobs->status = status;
			jobs->fault = NOT_WRITTEN;
		} else if (jobs->status == 0) {
			jobs->status = status;
		}
		(void)sem_post(&jobs->done);
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
	replace_summary(committer, NULL);
	rt_http_log_error(committer->log, "the summary", &err);
}

static void commit(struct rt_committer *committer, struct rt_job *jobs)
{
	unsigned status = 200;
	struct rt_error err;

	if (rt_committer_failed(committer, &err))
		status = 503;
	else if (execute_all(committer, jobs, &err) != RT_OK) {
		rt_committer_fail(committer, &err);
		status = 503;
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
	replace_summary(committer, NULL);
	return rt_error_sys(err, sys, "thread");
}

bool rt_committer_run(struct rt_committer *committer, struct rt_job *job)
{
	bool open;

	job->fault = NOT_WRITTEN;
	(void)pthread_mutex_lock(&committer->lock);
	open = committer->open;
	if (open) {
		*committer->last = job;
		committer->last = &job->next;
		(void)pthread_cond_signal(&committer->wake);
	}
	(void)pthread_mutex_unlock(&committer->lock);
	while (open && sem_wait(&job->done) != 0)
		; /* a signal came */
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
	replace_summary(committer, NULL);
}
