/*
 * The state of a running shim, and what its files have of one another.
 */
#ifndef RT_HTTP_SERVER_H
#define RT_HTTP_SERVER_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/late.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "state/service.h"

/* Room for an address as a URL has it, and a NUL. */
#define RT_ADDRESS_MAX 64u

struct rt_listen {
	int fds[2];                /* two for localhost; -1: none */
	char host[RT_ADDRESS_MAX]; /* as in a URL */
	unsigned port;             /* the one it got */
	bool loopback;             /* only this machine can reach it */
};

/*
 * Bind and listen; the sockets do not block. text: as struct rt_serve has it, or NULL.
 * ret_listen: closed by rt_listen_close(), whatever is returned.
 * Returns RT_OK; RT_FATAL with err set: RT_E_USAGE where text has no such form, RT_E_IO.
 */
enum rt_status rt_listen_open(const char *text, struct rt_listen *ret_listen, struct rt_error *err);

void rt_listen_close(struct rt_listen *listening);

/*
 * Whether the value of a Host field is served: our own address, or one of those that are allowed;
 * either as it is or with our port after it. is_origin: the text is what an Origin (RFC 6454 §7)
 * has after its scheme: our address without its port is another server of this machine then.
 */
bool rt_host_is_served(const struct rt_listen *listening, const struct rt_serve *serve,
		       const char *text, bool is_origin);

#define RT_KEY_NAME_MAX 64u

struct rt_key {
	char name[RT_KEY_NAME_MAX + 1]; /* for the journal's actor and the log */
	uint8_t digest[RT_SHA256_BYTES];
};

struct rt_keys {
	struct rt_key items[RT_HTTP_KEYS_MAX];
	size_t count;
};

/* The name of a key; NULL: there is none, as where key is NULL. Takes the same time for every key.
 */
const char *rt_keys_find(const struct rt_keys *keys, const char *key);

/* Threads that answer, each with an event loop of libmicrohttpd's. */
#define RT_HTTP_THREADS 4u

/* A function of libmicrohttpd by its name behind MHD_. The library is loaded when a service starts
 * (rt_serve_load()) and not linked, because it brings GnuTLS along, which would slow down the start
 * of every other command. */
#define RT_MHD(name) ((__typeof__(&MHD_##name))rt_late_find("MHD_" #name))

/* A connection, or room for one: the main thread opens and shuts it down, and the thread that has
 * it says since when it waits for its client, and for what, and when it is closed. */
struct rt_connection {
	atomic_bool is_open;
	atomic_bool is_whole;         /* its request has come, and its answer is to be taken */
	atomic_bool has_key;          /* it has shown one */
	char address[RT_ADDRESS_MAX]; /* of the client */
	unsigned port;
	atomic_uint_fast64_t since; /* of rt_clock_ms(); UINT64_MAX: it is shut down */
};

/* Descriptors that connections may have. Those that were shut down are closed by other threads,
 * some time later. */
#define RT_CONNECTION_PLACES ((size_t)4 * RT_HTTP_CONNECTIONS)

struct rt_server {
	const struct rt_serve *serve;
	struct rt_options options; /* which the service borrows */
	struct rt_keys keys;
	struct rt_listen listening;
	struct MHD_Daemon *daemons[RT_HTTP_THREADS];
	bool trims; /* libmicrohttpd cuts blanks behind a value off, and refuses a NUL by itself */
	atomic_uint requests;      /* with a key, whose head has come, and that are not over */
	atomic_uint_fast64_t held; /* bytes of answers that wait to be taken */
	atomic_bool stopping;
	pthread_mutex_t log_lock;
	pthread_mutex_t lock; /* of the service and the two fields after it */
	struct rt_service *service;
	atomic_bool has_failed; /* the service is not used any more */
	struct rt_error *err;   /* why */
	struct rt_connection connections[RT_CONNECTION_PLACES]; /* by their descriptors */
	unsigned most;                                          /* connections at once */
};

/* --- server.c ----------------------------------------------------------------------------- */

/* Log a note, formatted as by printf. */
void rt_server_note(struct rt_server *server, const char *fmt, ...) RT_PRINTF(2, 3);

/* Log a line that is masked already. */
void rt_server_log(struct rt_server *server, const char *line);

/* End the service, and say why. Has the lock. */
void rt_server_fail(struct rt_server *server, const struct rt_error *err);

/* --- connections.c ------------------------------------------------------------------------ */

/* How many connections there may be at once: fewer where there are not enough descriptors. */
unsigned rt_connections_most(const struct rt_server *server);

/* Whether one more connection may be accepted: there is a place, or one whose request is not whole
 * yields its own. */
bool rt_connections_room(struct rt_server *server);

/* Accept connections that wait at a listening socket, as long as there is room. One too many of an
 * address is closed. */
void rt_connections_accept(struct rt_server *server, int listening_fd);

/* Shut down connections whose clients have taken too long. Returns how many are open. */
unsigned rt_connections_check(struct rt_server *server);

/* A connection waits for its client from now on: for a request, or to have its answer taken. */
void rt_connection_waits(struct rt_connection *connection, bool is_whole);

/* The place of a connection of libmicrohttpd's. */
struct rt_connection *rt_connection_of(struct rt_server *server, struct MHD_Connection *mhd);

/* MHD_NotifyConnectionCallback. */
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
