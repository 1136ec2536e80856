/*
 * Pieces of text, in a buffer.
 */
#include "base/put.h"

#include <stdarg.h>

#include "base/json_string.h"

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
