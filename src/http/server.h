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
#include "http/rulesets.h"

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
	struct MHD_Daemon *daemon;
	uint64_t accept_again;  /* of rt_clock(): when connections are taken again */
	uint64_t refused_again; /* likewise: when it is said again that one was turned away */
	int wake_fd;            /* an eventfd: the committer failed */
	bool control_over;      /* the end of control_fd was read */
	bool hurry;             /* told again to end */
	atomic_uint requests;   /* that have begun and are not over */
	atomic_bool stopping;
};

/* The handler of requests and its company, for libmicrohttpd; cls: the struct rt_server. */
enum MHD_Result rt_exchange_handle(void *cls, struct MHD_Connection *connection, const char *url,
				   const char *method, const char *version, const char *data,
				   size_t *size, void **context);
void *rt_exchange_begin(void *cls, const char *target, struct MHD_Connection *connection);
void rt_exchange_end(void *cls, struct MHD_Connection *connection, void **context,
		     enum MHD_RequestTerminationCode how);

/* Read the key sources of `serve` into keys, empty before. Returns RT_OK, or RT_FATAL. */
enum rt_status rt_server_read_keys(struct rt_server *server, struct rt_keys *keys,
				   struct rt_error *err);

#endif
