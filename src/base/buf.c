/*
 * A byte buffer that grows. A length that does not fit size_t is out of memory, not a small
 * allocation: every sum is checked.
 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_string.h"

#define BUF_FIRST 256u

void rt_buf_release(struct rt_buf *buf)
{
	free(buf->data);
	*buf = (struct rt_buf){0};
}

enum rt_status rt_buf_reserve(struct rt_buf *buf, size_t more, struct rt_error *err)
{
	size_t need, cap;
	char *data;

	if (more <= buf->cap - buf->len)
		return RT_OK;
	if (__builtin_add_overflow(buf->len, more, &need) || need > SIZE_MAX / 2)
		return rt_error_nomem(err);
	cap = buf->cap ? buf->cap * 2 : BUF_FIRST;
	if (cap < need)
		cap = need;
	data = realloc(buf->data, cap);
	if (!data)
		return rt_error_nomem(err);
	buf->data = data;
	buf->cap = cap;
	return RT_OK;
}

enum rt_status rt_buf_append(struct rt_buf *buf, const void *data, size_t len, struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(buf, len, err);

	if (status == RT_OK && len) {
		memcpy(buf->data + buf->len, data, len);
		buf->len += len;
	}
	return status;
}

enum rt_status rt_buf_append_all(struct rt_buf *buf, const struct rt_slice *pieces, size_t count,
				 struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < count; i++)
		status = rt_buf_append(buf, pieces[i].ptr, pieces[i].len, err);
	return status;
}

static enum rt_status buf_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	return rt_buf_append(ctx, data, len, err);
}

struct rt_sink rt_buf_sink(struct rt_buf *buf)
{
	return (struct rt_sink){buf_write, buf};
}

/* --- Text put together piece by piece ------------------------------------------------------- */

void rt_put_string(struct rt_put *put, struct rt_slice text)
{
	if (!text.ptr)
		RT_PUT(put, "null");
	else if (put->status == RT_OK)
		put->status = rt_json_string_encode(text, put->out, put->err);
}

void rt_put_number(struct rt_put *put, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	rt_put(put, rt_slice_make(digits + at, sizeof(digits) - at));
}

void rt_put_digest(struct rt_put *put, const uint8_t digest[RT_SHA256_BYTES])
{
	char hex[RT_SHA256_HEX];

	rt_sha256_hex(digest, hex);
	rt_put(put, rt_slice_make(hex, sizeof(hex)));
}

void rt_put_format(struct rt_put *put, const char *format, ...)
{
	size_t len = strcspn(format, "%");
	va_list args;

	va_start(args, format);
	for (; format[len]; format += len + 2, len = strcspn(format, "%")) {
		rt_put(put, rt_slice_make(format, len));
		if (format[len + 1] == 'u')
			rt_put_number(put, va_arg(args, uint64_t));
		else if (format[len + 1] == 't')
			rt_put(put, va_arg(args, struct rt_slice));
		else if (format[len + 1] == 's')
			rt_put_string(put, va_arg(args, struct rt_slice));
		else
			rt_put_digest(put, va_arg(args, const uint8_t *));
	}
	va_end(args);
	rt_put(put, rt_slice_make(format, len));
}
