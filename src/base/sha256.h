/*
 * SHA-256 (FIPS 180-4) by libcrypto.
 */
#ifndef RT_BASE_SHA256_H
#define RT_BASE_SHA256_H

#include <openssl/sha.h>
#include <stdint.h>

#include "base/slice.h"
#include "retriage.h"

#define RT_SHA256_BYTES 32u
#define RT_SHA256_HEX 64u

/* Begun by rt_sha256_reset(). */
struct rt_sha256 {
	SHA256_CTX ctx;
};

/* Start on a new text. */
void rt_sha256_reset(struct rt_sha256 *hash);

void rt_sha256_add(struct rt_sha256 *hash, const void *data, size_t len);

/* The digest of what was added; reset before more is. */
void rt_sha256_end(struct rt_sha256 *hash, uint8_t digest[RT_SHA256_BYTES]);

/* The digest of one text. */
void rt_sha256_of(struct rt_slice text, uint8_t digest[RT_SHA256_BYTES]);

/* Lower-case hex, no NUL. */
void rt_sha256_hex(const uint8_t digest[RT_SHA256_BYTES], char hex[RT_SHA256_HEX]);

/*
 * The digest as messages and tables show it, with a NUL: its first 12 hex digits, enough to find it
 * and short enough to read, and an ellipsis (U+2026).
 */
#define RT_SHA256_SHORT 16u
void rt_sha256_short(const uint8_t digest[RT_SHA256_BYTES], char text[RT_SHA256_SHORT]);

/* Read RT_SHA256_HEX lower-case hex digits. Returns whether they are that. */
bool rt_sha256_parse(const char *hex, uint8_t digest[RT_SHA256_BYTES]);

#endif
