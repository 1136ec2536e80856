/*
 * Bytes that are put away in order and taken back in order, once: in memory at first, beyond
 * RT_SPOOL_MEMORY in a temporary file without a name. Only a saving: whoever cannot put away more
 * makes them again.
 */
#ifndef RT_SARIF_STORE_H
#define RT_SARIF_STORE_H

#include "base/buf.h"

/* {.fd = -1} is an empty one. */
struct rt_sarif_store {
	struct rt_buf buf; /* bytes after those in the file; while reading: a piece of all */
	uint64_t in_file;
	int fd;       /* -1: all is in buf */
	bool reading; /* nothing is added any more */
	uint64_t at;  /* bytes of the file that were read */
	size_t buf_at;
};

/* Bytes that were added. */
uint64_t rt_sarif_store_bytes(const struct rt_sarif_store *store);

/* Add bytes. Returns false where there is no room. */
bool rt_sarif_store_add(struct rt_sarif_store *store, struct rt_slice bytes);

/* Drop what was added after there were so many bytes; 0: also after some were taken. */
void rt_sarif_store_cut(struct rt_sarif_store *store, uint64_t bytes);

/*
 * The next len bytes, from the first on; no more are added after that.
 * ret_bytes: borrowed until the next call. Returns RT_OK; RT_FATAL with err set (RT_E_NOMEM,
 * RT_E_IO), also where there are not so many.
 */
enum rt_status rt_sarif_store_take(struct rt_sarif_store *store, size_t len, const char **ret_bytes,
				   struct rt_error *err);

/* Whether all bytes were taken. */
bool rt_sarif_store_is_done(const struct rt_sarif_store *store);

void rt_sarif_store_release(struct rt_sarif_store *store);

#endif
