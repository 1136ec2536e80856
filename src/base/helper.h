/*
 * A second thread that takes one piece of work after another from the caller's hand.
 *
 * The piece lies where the user of this keeps it. It is the thread's from rt_helper_go() until
 * rt_helper_is_free() or rt_helper_wait() says that it is done, and the caller's else.
 */
#ifndef RT_BASE_HELPER_H
#define RT_BASE_HELPER_H

#include <pthread.h>
#include <stdbool.h>

/* {0} is one without a thread. Only `running` is for others to read. */
struct rt_helper {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool running;
	bool busy, stop; /* under the lock */
	void (*work)(void *ctx);
	void *ctx;
};

/*
 * Start the thread. helper: stays where it is until rt_helper_end(). work: does a piece, in the
 * thread; it keeps what goes wrong for the caller to find.
 * Returns 0, or an errno: there is no thread.
 */
int rt_helper_start(struct rt_helper *helper, void (*work)(void *ctx), void *ctx);

/* Whether the last piece is done. With a thread only, as the next two. */
bool rt_helper_is_free(struct rt_helper *helper);

/* Wait until the last piece is done. */
void rt_helper_wait(struct rt_helper *helper);

/* There is a new piece. The one before is done. */
void rt_helper_go(struct rt_helper *helper);

/* Wait until the last piece is done, and end the thread if there is one. */
void rt_helper_end(struct rt_helper *helper);

#endif
