/*
 * The state of a running shim, shared by its files.
 */
#ifndef RT_HTTP_SERVER_H
#define RT_HTTP_SERVER_H

#include <stdatomic.h>

#include "http/committer.h"
#include "http/connections.h"
#include "http/hosts.h"
#include "http/keys.h"
#include "http/listen.h"
#include "http/log.h"

/* The list of all rulesets, made once for everybody. */
struct rt_rulesets {
	pthread_mutex_t lock;    /* one list is made at a time */
	struct rt_document *all; /* NULL until somebody has asked */
};

struct rt_server {
	const struct rt_serve *serve;
	struct rt_options options; /* what the service borrows */
	struct rt_http_log log;
	pthread_rwlock_t keys_lock;
	struct rt_keys keys;
	struct rt_hosts hosts;
	struct rt_listen listening;
	struct rt_service *service;
	struct rt_committer committer;
	struct rt_connections connections;
	struct rt_rulesets rulesets;
	int wake_fd;          /* an eventfd: the committer failed */
	bool control_over;    /* the end of control_fd was read */
	bool hurry;           /* told again to end */
	atomic_uint requests; /* that have begun and are not over */
	rt_held held;         /* bytes of answers that wait to be taken */
	atomic_bool stopping;
};

#endif
