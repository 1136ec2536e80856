/*
 * Text that is put together piece by piece in a buffer. The first failure sticks: nothing is added
 * after it, so that the writer looks at the status once, at the end.
 */
#ifndef RT_BASE_PUT_H
#define RT_BASE_PUT_H

#include "base/buf.h"
#include "base/sha256.h"

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
	if (!out->data || text.len > out->cap - out->len) {
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
