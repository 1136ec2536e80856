/*
 * The state of a running shim, and what its files have of one another.
 */
#ifndef RT_HTTP_SERVER_H
#define RT_HTTP_SERVER_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/limits.h"
#include "http/address.h"
#include "http/keys.h"
#include "ops/service.h"

/* Threads that answer, each with an event loop of libmicrohttpd's. */
#define RT_HTTP_THREADS 4u

/* The calls of libmicrohttpd. It is loaded when a service starts and not linked, because it brings
 * GnuTLS along, which would slow down the start of every other command. */
/* clang-format off */
#define RT_MHD_CALLS(CALL)             \
	CALL(start_daemon)                  \
	CALL(stop_daemon)                   \
	CALL(add_connection)                \
	CALL(get_connection_info)           \
	CALL(get_connection_values_n)       \
	CALL(get_reason_phrase_for)         \
	CALL(queue_response)                \
	CALL(create_response_from_buffer)   \
	CALL(add_response_header)           \
	CALL(destroy_response)
/* clang-format on */

struct rt_mhd {
#define RT_MHD_FIELD(name) __typeof__(&MHD_##name) name; /* NOLINT: a declaration */
	RT_MHD_CALLS(RT_MHD_FIELD)
};

/* A connection, or room for one. */
struct rt_connection {
	bool is_open;
	int fd;
	char address[RT_ADDRESS_MAX]; /* of the client */
	unsigned port;
	uint64_t deadline; /* of rt_clock_ms(): when it is shut down; 0: it does not wait */
};

struct rt_server {
	const struct rt_serve *serve;
	struct rt_options options; /* which the service borrows */
	struct rt_keys keys;
	struct rt_listen listening;
	struct rt_mhd mhd;
	struct MHD_Daemon *daemons[RT_HTTP_THREADS];
	atomic_uint requests;      /* with a key, whose head has come, and that are not over */
	atomic_uint_fast64_t held; /* bytes of answers that wait to be taken */
	atomic_bool stopping;
	pthread_mutex_t log_lock;
	pthread_mutex_t lock; /* of the service and the two fields after it */
	struct rt_service *service;
	atomic_bool has_failed; /* the service is not used any more */
	struct rt_error failure;
	pthread_mutex_t connections_lock; /* of the array */
	struct rt_connection connections[RT_HTTP_CONNECTIONS];
	/* Of the main thread alone. */
	unsigned connections_limit; /* how many may be open */
	unsigned next_daemon;       /* which gets the next one */
	uint64_t pause_until;       /* of rt_clock_ms(): when connections are accepted again */
};

/* --- server.c ----------------------------------------------------------------------------- */

/* Log a note, formatted as by printf. */
void rt_server_note(struct rt_server *server, const char *fmt, ...) RT_PRINTF(2, 3);

/* Log a line that is masked already. */
void rt_server_log(struct rt_server *server, const char *line);

/* End the service, and say why. Has the lock. */
void rt_server_fail(struct rt_server *server, const struct rt_error *err);

/* --- connections.c ------------------------------------------------------------------------ */

/* Set the limit, when all else of the service has its descriptors. */
void rt_connections_init(struct rt_server *server);

/* Accept connections that wait at a listening socket, as long as there is room for them. */
void rt_connections_accept(struct rt_server *server, int listening_fd);

/* Shut down connections whose clients have taken too long. Returns how many are open. */
unsigned rt_connections_check(struct rt_server *server);

/* A connection waits for its client from now on, at most so many seconds; 0: it does not. */
void rt_connection_waits(struct rt_server *server, struct rt_connection *connection,
			 unsigned seconds);

/* MHD_NotifyConnectionCallback; *context becomes the struct rt_connection. */
void rt_connections_notify(void *server, struct MHD_Connection *mhd, void **context,
			   enum MHD_ConnectionNotificationCode what);

/* --- handler.c: libmicrohttpd's callbacks for requests -------------------------------------- */

/* MHD_OPTION_URI_LOG_CALLBACK: the first line has come. */
void *rt_handler_begin(void *server, const char *target, struct MHD_Connection *connection);

/* MHD_AccessHandlerCallback. */
enum MHD_Result rt_handler_run(void *server, struct MHD_Connection *connection, const char *url,
			       const char *method, const char *version, const char *data,
			       size_t *len, void **context);

/* MHD_RequestCompletedCallback. */
void rt_handler_end(void *server, struct MHD_Connection *connection, void **context,
		    enum MHD_RequestTerminationCode how);

#endif
