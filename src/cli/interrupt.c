/*
 * A thread that waits for signals. Input: SIGINT, SIGTERM, SIGHUP. Output: the end of the process
 * by that signal, after the end of its temporary files.
 * Refuses to touch signals that whoever started the process wants to be ignored.
 */
#include "cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "retriage.h"

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static sigset_t waited_for(void)
{
	struct sigaction action;
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < NUMBERS; i++) {
		if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
			(void)sigaddset(&set, numbers[i]);
	}
	return set;
}

static void *wait_for_one(void *unused)
{
	sigset_t set = waited_for();
	int number;

	(void)unused;
	if (sigwait(&set, &number) != 0)
		return NULL;
	rt_abandon();
	/* Its action is the default one: once it is let through, it ends the process. */
	(void)raise(number);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return NULL;
}

void cli_interrupt_begin(void)
{
	sigset_t set = waited_for();
	pthread_t thread;

	/* Blocked in all threads, so that they reach the one that waits. */
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pthread_create(&thread, NULL, wait_for_one, NULL) == 0)
		(void)pthread_detach(thread);
	else
		(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
