/*
 * Pieces of text, in a buffer.
 */
#include "base/put.h"

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
