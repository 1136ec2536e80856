/*
 * A growable byte buffer with checked arithmetic, and text that is put together in one.
 */
#ifndef RT_BASE_BUF_H
#define RT_BASE_BUF_H

#include "base/sha256.h"
#include "base/slice.h"
#include "retriage.h"

/* {0} is an empty one. */
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

/* --- Text put together piece by piece ---------------------------------------------------------
 *
 * The first failure sticks: nothing is added after it, so that the writer looks at the status once,
 * at the end. */

/* {buffer, where errors go} is one that begins after what the buffer has. */
struct rt_put {
	struct rt_buf *out;
	struct rt_error *err;
	enum rt_status status; /* RT_OK, or of the first failure */
};

static inline void rt_put(struct rt_put *put, struct rt_slice text)
{
	struct rt_buf *out = put->out;

	if (put->status != RT_OK || !text.ptr)
		return;
	/* Mostly there is room; literals become a few moves. */
	if (text.len >= out->cap - out->len) {
		put->status = rt_buf_append(out, text.ptr, text.len, put->err);
		return;
	}
	memcpy(out->data + out->len, text.ptr, text.len);
	out->len += text.len;
}

/* A text as a JSON string; ptr NULL: null. */
void rt_put_string(struct rt_put *put, struct rt_slice text);

void rt_put_number(struct rt_put *put, uint64_t number);

/* 64 hex digits. */
void rt_put_digest(struct rt_put *put, const uint8_t digest[RT_SHA256_BYTES]);

/*
 * A format with values: %u a uint64_t; %t a slice as it is; %s a slice as rt_put_string(); %x a
 * digest of RT_SHA256_BYTES as rt_put_digest().
 */
void rt_put_format(struct rt_put *put, const char *format, ...);

/* A literal. */
#define RT_PUT(put, literal) rt_put(put, RT_SLICE(literal))

#endif
