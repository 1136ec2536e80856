/*
 * What the shim tells whoever runs it: a line a request, and notes. Every line is masked; no line
 * ever holds a key.
 */
#ifndef RT_HTTP_LOG_H
#define RT_HTTP_LOG_H

#include <pthread.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"

/* Zeroed, with the first three members set, it puts each line at once; between start and stop a
 * thread does, many at a time. */
struct rt_http_log {
	bool json;
	void (*put)(void *ctx, const char *lines, size_t len); /* may be NULL */
	void *ctx;
	pthread_mutex_t lock; /* of what follows; while there is no thread, of put, too */
	pthread_cond_t come;  /* a first line waits, or many do, or it is time to stop */
	pthread_cond_t taken; /* the half that lines wait in is empty again */
	bool running, stop;
	bool idle;     /* the thread waits for a first line */
	size_t len;    /* of the lines that wait */
	unsigned half; /* where they do; the other half is being put */
	char text[2][RT_HTTP_LOG_BYTES];
	pthread_t thread;
};

/* Make what a log needs besides its first three members. */
void rt_http_log_init(struct rt_http_log *log);

/* Start the thread. Returns RT_OK, or RT_FATAL with err set. */
enum rt_status rt_http_log_start(struct rt_http_log *log, struct rt_error *err);

/* Put what waits and end the thread, where there is one. */
void rt_http_log_stop(struct rt_http_log *log);

/* A request that is over. Texts may hold raw bytes; what is no method, or no target, is not
 * shown. */
struct rt_http_access {
	int64_t at; /* when it began: seconds since 1970 */
	struct rt_slice method, target;
	unsigned status; /* 0: the connection ended without an answer */
	uint64_t bytes;  /* of the answer's body */
	uint64_t microseconds;
	const char *name; /* of the key; "": none */
	const char *peer; /* address and port */
};

/* Write a request's line: time, method, path, status, bytes, milliseconds, name, peer. */
void rt_http_log_access(struct rt_http_log *log, const struct rt_http_access *access);

/* Write a note, formatted as by printf. */
void rt_http_log_note(struct rt_http_log *log, const char *fmt, ...) RT_PRINTF(2, 3);

/* Write what went wrong, in the form of SPEC D20, after a few words and ": ". */
void rt_http_log_error(struct rt_http_log *log, const char *what, const struct rt_error *err);

/*
 * Append text as a JSON string; bytes that are not UTF-8 become U+FFFD.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_http_json_text(struct rt_slice text, struct rt_buf *out, struct rt_error *err);

#endif
