/*
 * The keyed hash, held to OpenSSL's SipHash with 16 bytes of result.
 */
#include "base/siphash.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "unit.h"

#define LEN_MAX 300u
#define KEYS 6

/* Keys by row: the one of the authors' test vectors, extremes, and bits that only one half has. */
static const unsigned char keys[KEYS][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0},
    {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
    {1},
    {0, 0, 0, 0, 0, 0, 0, 0, 1},
    {0x80, 0x7F, 0x9C, 0x12, 0xFE, 0, 0x33, 0xA5, 0x5A, 0xC3, 0x01, 0xE0, 0x44, 0xB7, 0x68, 0x80},
};

/* Eight bytes, the lowest first, on any machine. */
static uint64_t word_get(const unsigned char *bytes)
{
	uint64_t word = 0;

	for (int i = 7; i >= 0; i--)
		word = word << 8 | bytes[i];
	return word;
}

static void theirs(EVP_MAC_CTX *ctx, const unsigned char *key, const char *text, size_t len,
		   unsigned char *out)
{
	size_t size = 16, written = 0;
	unsigned rounds = 1, last = 3;
	OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
			       OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_C_ROUNDS, &rounds),
			       OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_D_ROUNDS, &last),
			       OSSL_PARAM_construct_end()};

	ck_assert_int_eq(EVP_MAC_init(ctx, key, 16, params), 1);
	if (len)
		ck_assert_int_eq(EVP_MAC_update(ctx, (const unsigned char *)text, len), 1);
	ck_assert_int_eq(EVP_MAC_final(ctx, out, &written, 16), 1);
	ck_assert_uint_eq(written, 16);
}

/* One key, every length, from a block that ends where the text does. */
START_TEST(as_openssl)
{
	struct rt_siphash_key key = {word_get(keys[_i]), word_get(keys[_i] + 8)};
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);
	EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);

	ck_assert_ptr_nonnull(ctx);
	for (size_t len = 0; len <= LEN_MAX; len++) {
		char *text = malloc(len ? len : 1);
		unsigned char expected[16];
		struct rt_hash128 hash;

		ck_assert_ptr_nonnull(text);
		for (size_t i = 0; i < len; i++)
			text[i] = (char)(i * 151 + len * 31 + (size_t)_i);
		theirs(ctx, keys[_i], text, len, expected);
		hash = rt_siphash(&key, rt_slice_make(text, len));
		free(text);
		ck_assert_msg(hash.low == word_get(expected), "length %zu: first half", len);
		ck_assert_msg(hash.high == word_get(expected + 8), "length %zu: second half", len);
	}
	EVP_MAC_CTX_free(ctx);
	EVP_MAC_free(mac);
}
END_TEST

/* Bytes that do not start on a word's border. */
START_TEST(unaligned)
{
	static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	struct rt_siphash_key key = {1, 2};
	char block[64];
	struct rt_hash128 first =
	    rt_siphash(&key, RT_SLICE("0123456789abcdefghijklmnopqrstuvwxyz"));

	for (size_t shift = 0; shift < 16; shift++) {
		struct rt_hash128 hash;

		memset(block, (int)shift, sizeof(block));
		memcpy(block + shift, text, sizeof(text) - 1);
		hash = rt_siphash(&key, rt_slice_make(block + shift, sizeof(text) - 1));
		ck_assert_msg(hash.low == first.low && hash.high == first.high, "shift %zu", shift);
	}
}
END_TEST

/* Every prefix, in steps of every size, is hashed as a text of its own. */
START_TEST(prefixes)
{
	static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	struct rt_siphash_key key = {3, 4};

	for (size_t step = 1; step < 20; step++) {
		struct rt_siphash_prefixes all;

		rt_siphash_prefixes_init(&all, &key, rt_slice_make(text, sizeof(text) - 1));
		for (size_t len = 0; len < sizeof(text); len += step) {
			struct rt_hash128 want = rt_siphash(&key, rt_slice_make(text, len));

			/* Twice: the second costs nothing of the first. */
			for (unsigned i = 0; i < 2; i++) {
				struct rt_hash128 have = rt_siphash_prefix(&all, len);

				ck_assert_msg(have.low == want.low && have.high == want.high,
					      "step %zu, length %zu", step, len);
			}
		}
	}
}
END_TEST

START_TEST(fresh_keys)
{
	struct rt_siphash_key a = {0}, b = {0};
	struct rt_error err;

	ck_assert_int_eq(rt_siphash_key_init(&a, &err), RT_OK);
	ck_assert_int_eq(rt_siphash_key_init(&b, &err), RT_OK);
	ck_assert(a.k0 != 0 && a.k1 != 0);
	ck_assert(a.k0 != b.k0 && a.k1 != b.k1);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("siphash");
	TCase *tcase = tcase_create("siphash");

	tcase_add_loop_test(tcase, as_openssl, 0, KEYS);
	tcase_add_test(tcase, unaligned);
	tcase_add_test(tcase, prefixes);
	tcase_add_test(tcase, fresh_keys);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
