/*
 * Ordinals among equals, in tables that grow; and UUIDs, of texts and of names (RFC 9562 A.4).
 */
#include "engine/ordinals.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/uuid.h"
#include "unit.h"

/* 50,000 texts, each three times over in rounds: the number is the round's. */
START_TEST(rounds)
{
	struct rt_ordinals ordinals;
	struct rt_error err;

	ck_assert_int_eq(rt_ordinals_init(&ordinals, &err), RT_OK);
	for (uint32_t round = 1; round <= 3; round++) {
		for (unsigned i = 0; i < 50000; i++) {
			uint32_t ordinal = 0;
			char text[16];

			(void)snprintf(text, sizeof(text), "t%u", i);
			ck_assert_int_eq(rt_ordinals_next(&ordinals,
							  rt_slice_make(text, strlen(text)),
							  &ordinal, &err),
					 RT_OK);
			ck_assert_uint_eq(ordinal, round);
		}
	}
	ck_assert_uint_eq(ordinals.used, 50000);
	ck_assert_uint_le(ordinals.cap * 12, 50000 * 32);
	rt_ordinals_release(&ordinals);
}
END_TEST

START_TEST(empty_text)
{
	struct rt_ordinals ordinals;
	struct rt_error err;
	uint32_t ordinal;

	ck_assert_int_eq(rt_ordinals_init(&ordinals, &err), RT_OK);
	for (uint32_t i = 1; i < 4; i++) {
		ck_assert_int_eq(rt_ordinals_next(&ordinals, RT_SLICE(""), &ordinal, &err), RT_OK);
		ck_assert_uint_eq(ordinal, i);
	}
	rt_ordinals_release(&ordinals);
}
END_TEST

static const struct {
	const char *text;
	bool is;
} texts[] = {
    {"2ed6657d-e927-568b-95e1-2665a8aea6a2", true},
    {"2ED6657D-E927-568B-95E1-2665A8AEA6A2", true},
    {"2ed6657d-e927-568b-95e1-2665a8aea6a", false},
    {"2ed6657d-e927-568b-95e1-2665a8aea6a22", false},
    {"2ed6657de-927-568b-95e1-2665a8aea6a2", false},
    {"2ed6657d-e927-568b-95e1-2665a8aea6ag", false},
    {"2ed6657d-e927-568b-95e1-2665a8aea6@2", false},
    {"2ed6657d e927 568b 95e1 2665a8aea6a2", false},
    {"", false},
};

START_TEST(is_uuid)
{
	const char *text = texts[_i].text;

	ck_assert_int_eq(rt_uuid_is(rt_slice_make(text, strlen(text))), texts[_i].is);
}
END_TEST

/* The example of the RFC: www.example.com in the namespace of DNS. */
START_TEST(named)
{
	static const uint8_t dns[RT_UUID_BYTES] = {0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1,
						   0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};
	char text[RT_UUID_CHARS];

	rt_uuid_of_name(dns, RT_SLICE("www.example.com"), text);
	ck_assert_mem_eq(text, texts[0].text, sizeof(text));
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("ordinals");
	TCase *tc = tcase_create("ordinals"), *uuid = tcase_create("uuid");

	tcase_add_test(tc, rounds);
	tcase_add_test(tc, empty_text);
	tcase_add_loop_test(uuid, is_uuid, 0, sizeof(texts) / sizeof(texts[0]));
	tcase_add_test(uuid, named);
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, uuid);
	return suite;
}

RT_UNIT_MAIN(make_suite)
