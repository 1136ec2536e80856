/*
 * A growable byte buffer with checked arithmetic. {0} is an empty one.
 */
#ifndef RT_BASE_BUF_H
#define RT_BASE_BUF_H

#include "base/slice.h"
#include "retriage.h"

struct rt_buf {
	char *data; /* NULL while cap is 0 */
	size_t len; /* bytes in use */
	size_t cap; /* bytes allocated */
};

/* Free the bytes; buf is an empty buffer again. */
void rt_buf_release(struct rt_buf *buf);

/*
 * Make room for more bytes after the ones in use; capacity at least doubles when it grows.
 * Returns RT_OK, or RT_FATAL with err set (RT_E_NOMEM); the bytes in use are kept either way.
 */
enum rt_status rt_buf_reserve(struct rt_buf *buf, size_t more, struct rt_error *err);

/* Append len bytes. Returns as rt_buf_reserve(). */
enum rt_status rt_buf_append(struct rt_buf *buf, const void *data, size_t len,
			     struct rt_error *err);

/* Append pieces, one after another. Returns as rt_buf_reserve(). */
enum rt_status rt_buf_append_all(struct rt_buf *buf, const struct rt_slice *pieces, size_t count,
				 struct rt_error *err);

/* The same of slices that are written out. */
#define RT_BUF_PUT(buf, err, ...)                                                                  \
	rt_buf_append_all(                                                                         \
	    buf, (const struct rt_slice[]){__VA_ARGS__},                                           \
	    sizeof((const struct rt_slice[]){__VA_ARGS__}) / sizeof(struct rt_slice), err)

/* A sink that appends to buf, for as long as buf stays where it is. */
struct rt_sink rt_buf_sink(struct rt_buf *buf);

static inline struct rt_slice rt_buf_slice(const struct rt_buf *buf)
{
	return rt_slice_make(buf->data, buf->len);
}

#endif
