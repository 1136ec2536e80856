/*
 * What the shim tells whoever runs it: a line a request, and notes. Every line is masked; no line
 * ever holds a key.
 */
#ifndef RT_HTTP_LOG_H
#define RT_HTTP_LOG_H

#include <pthread.h>

#include "base/buf.h"
#include "base/error.h"

struct rt_http_log {
	pthread_mutex_t lock; /* one line at a time */
	bool json;
	void (*put)(void *ctx, const char *line); /* may be NULL */
	void *ctx;
};

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
