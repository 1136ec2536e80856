/*
 * UUIDs, and those that a name has by SHA-1.
 *
 * The functions of SHA-1 itself are used, for the reasons that base/sha256.c gives.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/uuid.h"

#include <openssl/sha.h>

static bool is_dash(size_t at)
{
	return at == 8 || at == 13 || at == 18 || at == 23;
}

bool rt_uuid_is(struct rt_slice text)
{
	if (text.len != RT_UUID_CHARS)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i], lower = (char)(c | 0x20);

		if (is_dash(i) ? c != '-'
			       : !((c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'f')))
			return false;
	}
	return true;
}

void rt_uuid_of_name(const uint8_t space[RT_UUID_BYTES], struct rt_slice name,
		     char text[RT_UUID_CHARS])
{
	uint8_t digest[SHA_DIGEST_LENGTH];
	SHA_CTX ctx;

	(void)SHA1_Init(&ctx);
	(void)SHA1_Update(&ctx, space, RT_UUID_BYTES);
	(void)SHA1_Update(&ctx, name.ptr, name.len);
	(void)SHA1_Final(digest, &ctx);
	rt_uuid_format(digest, 5, text);
}

void rt_uuid_format(uint8_t bytes[RT_UUID_BYTES], unsigned version, char text[RT_UUID_CHARS])
{
	static const char digits[] = "0123456789abcdef";

	bytes[6] = (uint8_t)((bytes[6] & 0x0F) | version << 4);
	bytes[8] = (uint8_t)((bytes[8] & 0x3F) | 0x80); /* the variant of the RFC */
	for (size_t i = 0, at = 0; i < RT_UUID_BYTES; i++) {
		if (is_dash(at))
			text[at++] = '-';
		text[at++] = digits[bytes[i] >> 4];
		text[at++] = digits[bytes[i] & 0xF];
	}
}
