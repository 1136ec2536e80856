/*
 * The second thread. Input: a function, and word that there is work for it. Output: the calls of
 * the function, one after another.
 */
#include "base/helper.h"

#include <assert.h>

static void *helper_main(void *ctx)
{
	struct rt_helper *helper = ctx;

	(void)pthread_mutex_lock(&helper->lock);
	for (;;) {
		while (!helper->busy && !helper->stop)
			(void)pthread_cond_wait(&helper->changed, &helper->lock);
		if (!helper->busy)
			break;
		(void)pthread_mutex_unlock(&helper->lock);
		helper->work(helper->ctx);
		(void)pthread_mutex_lock(&helper->lock);
		helper->busy = false;
		(void)pthread_cond_signal(&helper->changed);
	}
	(void)pthread_mutex_unlock(&helper->lock);
	return NULL;
}

int rt_helper_start(struct rt_helper *helper, void (*work)(void *ctx), void *ctx)
{
	int sys;

	*helper = (struct rt_helper){.work = work, .ctx = ctx};
	sys = pthread_mutex_init(&helper->lock, NULL);
	if (sys != 0)
		return sys;
	sys = pthread_cond_init(&helper->changed, NULL);
	if (sys != 0)
		goto no_cond;
	sys = pthread_create(&helper->thread, NULL, helper_main, helper);
	helper->running = sys == 0;
	if (sys == 0)
		return 0;
	(void)pthread_cond_destroy(&helper->changed);
no_cond:
	(void)pthread_mutex_destroy(&helper->lock);
	return sys;
}

bool rt_helper_is_free(struct rt_helper *helper)
{
	bool is_free;

	assert(helper->running);
	(void)pthread_mutex_lock(&helper->lock);
	is_free = !helper->busy;
	(void)pthread_mutex_unlock(&helper->lock);
	return is_free;
}

void rt_helper_wait(struct rt_helper *helper)
{
	assert(helper->running);
	(void)pthread_mutex_lock(&helper->lock);
	while (helper->busy)
		(void)pthread_cond_wait(&helper->changed, &helper->lock);
	(void)pthread_mutex_unlock(&helper->lock);
}

void rt_helper_go(struct rt_helper *helper)
{
	assert(helper->running);
	(void)pthread_mutex_lock(&helper->lock);
	assert(!helper->busy);
	helper->busy = true;
	(void)pthread_cond_signal(&helper->changed);
	(void)pthread_mutex_unlock(&helper->lock);
}

void rt_helper_end(struct rt_helper *helper)
{
	if (!helper->running)
		return;
	(void)pthread_mutex_lock(&helper->lock);
	helper->stop = true;
	(void)pthread_cond_signal(&helper->changed);
	(void)pthread_mutex_unlock(&helper->lock);
	(void)pthread_join(helper->thread, NULL);
	(void)pthread_cond_destroy(&helper->changed);
	(void)pthread_mutex_destroy(&helper->lock);
	helper->running = false;
}
