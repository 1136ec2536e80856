/*
 * Fresh API keys. Input: a name. Output: a key of 256 bits from the system's random source, and
 * the line for the key file, which has only its digest.
 * Refuses names that a key file cannot hold.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

#include "http/keys.h"

#define KEY_BYTES 32u

/* base64url without padding (RFC 4648 §5). key: RT_KEY_CHARS and a NUL. */
static void key_spell(const uint8_t bytes[KEY_BYTES], char *key)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned bits = 0, held = 0;

	for (size_t i = 0; i < KEY_BYTES; i++) {
		bits = bits << 8 | bytes[i];
		for (held += 8; held >= 6; held -= 6)
			*key++ = digits[bits >> (held - 6) & 0x3F];
	}
	*key++ = digits[bits << (6 - held) & 0x3F];
	*key = '\0';
}

static enum rt_status random_bytes(uint8_t bytes[KEY_BYTES], struct rt_error *err)
{
	ssize_t got;

	do
		got = getrandom(bytes, KEY_BYTES, 0);
	while (got < 0 && errno == EINTR);
	/* Requests of up to 256 bytes are never answered in part. */
	if (got != KEY_BYTES)
		return rt_error_sys(err, got < 0 ? errno : EIO, "getrandom");
	return RT_OK;
}

enum rt_status rt_serve_new_key(const char *name, char key[44], char line[160],
				struct rt_error *err)
{
	uint8_t bytes[KEY_BYTES], digest[RT_SHA256_BYTES];
	char hex[RT_SHA256_HEX];
	struct rt_sha256 *hash;
	enum rt_status status;

	if (!rt_key_name_is_good(rt_slice_make(name, strlen(name))))
		return rt_error_set(err, RT_E_USAGE,
				    "want a name of 1 to %u letters, digits and ._@-, have \"%s\"",
				    RT_KEY_NAME_MAX, name);
	status = random_bytes(bytes, err);
	if (status == RT_OK)
		status = rt_sha256_new(&hash, err);
	if (status != RT_OK)
		return status;
	key_spell(bytes, key);
	rt_sha256_of(hash, rt_slice_make(key, RT_KEY_CHARS), digest);
	rt_sha256_free(hash);
	rt_sha256_hex(digest, hex);
	(void)snprintf(line, 160, "%s sha256:%.*s", name, (int)RT_SHA256_HEX, hex);
	return RT_OK;
}
