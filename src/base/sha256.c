/*
 * SHA-256 by libcrypto. Input: bytes in pieces. Output: digests, and their form in hex.
 * One context serves all texts: making one costs more than hashing a line of a journal.
 * Refuses capital letters in hex: a journal has one spelling of a digest only.
 */
#include "base/sha256.h"

#include <assert.h>
#include <openssl/evp.h>
#include <stdlib.h>

#include "base/error.h"

struct rt_sha256 {
	EVP_MD *md;
	EVP_MD_CTX *ctx;
};

/* A context that has been set up has all its memory: from there on libcrypto fails only where it
 * is used wrongly, and to go on with a digest of something else would be worse than to stop. */
static void must(int done)
{
	assert(done == 1);
	(void)done;
}

void rt_sha256_free(struct rt_sha256 *hash)
{
	if (!hash)
		return;
	EVP_MD_CTX_free(hash->ctx);
	EVP_MD_free(hash->md);
	free(hash);
}

enum rt_status rt_sha256_new(struct rt_sha256 **ret_hash, struct rt_error *err)
{
	struct rt_sha256 *hash = calloc(1, sizeof(*hash));

	if (!hash)
		return rt_error_nomem(err);
	hash->md = EVP_MD_fetch(NULL, "SHA2-256", NULL);
	hash->ctx = EVP_MD_CTX_new();
	if (!hash->md || !hash->ctx || EVP_DigestInit_ex2(hash->ctx, hash->md, NULL) != 1) {
		rt_sha256_free(hash);
		return rt_error_nomem(err);
	}
	*ret_hash = hash;
	return RT_OK;
}

void rt_sha256_reset(struct rt_sha256 *hash)
{
	must(EVP_DigestInit_ex2(hash->ctx, NULL, NULL));
}

void rt_sha256_add(struct rt_sha256 *hash, const void *data, size_t len)
{
	must(EVP_DigestUpdate(hash->ctx, data, len));
}

void rt_sha256_end(struct rt_sha256 *hash, uint8_t digest[RT_SHA256_BYTES])
{
	must(EVP_DigestFinal_ex(hash->ctx, digest, NULL));
}

void rt_sha256_of(struct rt_sha256 *hash, struct rt_slice text, uint8_t digest[RT_SHA256_BYTES])
{
	rt_sha256_reset(hash);
	rt_sha256_add(hash, text.ptr, text.len);
	rt_sha256_end(hash, digest);
}

void rt_sha256_hex(const uint8_t digest[RT_SHA256_BYTES], char hex[RT_SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < RT_SHA256_BYTES; i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 0xF];
	}
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
