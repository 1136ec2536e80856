/*
 * The functions of SHA-256 itself are used, which OpenSSL 3 calls deprecated: its EVP interface
 * makes some fifty allocations before the first digest and crashes when one of them fails
 * (HOSTILE 10), and takes a quarter longer for a text as short as a line of a journal. These need
 * no memory and cannot fail. Hex has small letters only: a journal has one spelling of a digest.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/sha256.h"

void rt_sha256_reset(struct rt_sha256 *hash)
{
	(void)SHA256_Init(&hash->ctx);
}

void rt_sha256_add(struct rt_sha256 *hash, const void *data, size_t len)
{
	(void)SHA256_Update(&hash->ctx, data, len);
}

void rt_sha256_end(struct rt_sha256 *hash, uint8_t digest[RT_SHA256_BYTES])
{
	(void)SHA256_Final(digest, &hash->ctx);
}

void rt_sha256_of(struct rt_slice text, uint8_t digest[RT_SHA256_BYTES])
{
	struct rt_sha256 hash;

	rt_sha256_reset(&hash);
	rt_sha256_add(&hash, text.ptr, text.len);
	rt_sha256_end(&hash, digest);
}

void rt_sha256_hex(const uint8_t digest[RT_SHA256_BYTES], char hex[RT_SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < RT_SHA256_BYTES; i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 0xF];
	}
}

void rt_sha256_short(const uint8_t digest[RT_SHA256_BYTES], char text[RT_SHA256_SHORT])
{
	static const char ellipsis[] = "\xE2\x80\xA6";
	char hex[RT_SHA256_HEX];
	size_t digits = RT_SHA256_SHORT - sizeof(ellipsis);

	rt_sha256_hex(digest, hex);
	memcpy(text, hex, digits);
	memcpy(text + digits, ellipsis, sizeof(ellipsis));
}

/* Value of a lower-case hex digit by its byte, one more than it is; 0: it is none. */
static const uint8_t digit_value[256] = {
    ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

bool rt_sha256_parse(const char *hex, uint8_t digest[RT_SHA256_BYTES])
{
	uint8_t made[RT_SHA256_BYTES];

	for (size_t i = 0; i < RT_SHA256_BYTES; i++) {
		unsigned high = digit_value[(unsigned char)hex[2 * i]];
		unsigned low = digit_value[(unsigned char)hex[2 * i + 1]];

		if (!high || !low)
			return false;
		made[i] = (uint8_t)((high - 1) << 4 | (low - 1));
	}
	memcpy(digest, made, sizeof(made));
	return true;
}
