/*
 * SHA-256: published digests, any cut of the text, use after use; and its form in hex.
 */
#include "base/sha256.h"

#include <openssl/sha.h>

#include "unit.h"

static void assert_hex(const uint8_t *digest, const char *want, const char *what)
{
	char hex[RT_SHA256_HEX + 1] = "";

	rt_sha256_hex(digest, hex);
	ck_assert_msg(strcmp(hex, want) == 0, "%s: want %s, have %s", what, want, hex);
}

/* From the examples that NIST publishes for FIPS 180. */
static const struct {
	const char *what;
	const char *text;
	unsigned times;
	const char *digest;
} known[] = {
    {"no text", "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"one block", "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"a million bytes", "aaaaaaaaaa", 100000,
     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

START_TEST(table)
{
	struct rt_sha256 hash;
	uint8_t digest[RT_SHA256_BYTES];

	/* The second time shows that a digest leaves nothing behind. */
	for (int round = 0; round < 2; round++) {
		rt_sha256_reset(&hash);
		for (unsigned i = 0; i < known[_i].times; i++)
			rt_sha256_add(&hash, known[_i].text, strlen(known[_i].text));
		rt_sha256_end(&hash, digest);
		assert_hex(digest, known[_i].digest, known[_i].what);
	}
}
END_TEST

START_TEST(lengths)
{
	struct rt_sha256 hash;
	uint8_t text[300], whole[RT_SHA256_BYTES], cut[RT_SHA256_BYTES], theirs[RT_SHA256_BYTES];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 7 + 3);
	for (size_t len = 0; len <= sizeof(text); len++) {
		size_t at = len / 3;

		rt_sha256_of(rt_slice_make((const char *)text, len), whole);
		rt_sha256_reset(&hash);
		rt_sha256_add(&hash, text, at);
		rt_sha256_add(&hash, text + at, len - at);
		rt_sha256_end(&hash, cut);
		SHA256(text, len, theirs);
		ck_assert_mem_eq(whole, theirs, sizeof(theirs));
		ck_assert_mem_eq(cut, theirs, sizeof(theirs));
	}
}
END_TEST

START_TEST(hex_again)
{
	uint8_t digest[RT_SHA256_BYTES], again[RT_SHA256_BYTES];
	char hex[RT_SHA256_HEX];

	for (unsigned first = 0; first < 256; first++) {
		for (unsigned i = 0; i < sizeof(digest); i++)
			digest[i] = (uint8_t)(first + i * 5);
		rt_sha256_hex(digest, hex);
		ck_assert(rt_sha256_parse(hex, again));
		ck_assert_mem_eq(digest, again, sizeof(digest));
	}
}
END_TEST

/* Every byte that is no lower-case hex digit, at both ends and in the middle. */
/* Twelve digits and an ellipsis. */
START_TEST(cut)
{
	uint8_t digest[RT_SHA256_BYTES] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD};
	char text[RT_SHA256_SHORT];

	rt_sha256_short(digest, text);
	ck_assert_str_eq(text, "0123456789ab\xE2\x80\xA6");
}
END_TEST

START_TEST(hex_refused)
{
	static const size_t places[] = {0, 1, 31, 62, 63};
	uint8_t digest[RT_SHA256_BYTES] = {9}, before[RT_SHA256_BYTES] = {9};
	char hex[RT_SHA256_HEX];

	for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
		for (int byte = 0; byte < 256; byte++) {
			bool is_digit =
			    (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');

			memset(hex, 'a', sizeof(hex));
			hex[places[p]] = (char)byte;
			memcpy(digest, before, sizeof(digest));
			ck_assert_msg(rt_sha256_parse(hex, digest) == is_digit, "byte %d", byte);
			if (!is_digit)
				ck_assert_mem_eq(digest, before, sizeof(digest));
		}
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sha256");
	TCase *tcase = tcase_create("sha256");

	tcase_add_loop_test(tcase, table, 0, sizeof(known) / sizeof(known[0]));
	tcase_add_test(tcase, lengths);
	tcase_add_test(tcase, hex_again);
	tcase_add_test(tcase, cut);
	tcase_add_test(tcase, hex_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
