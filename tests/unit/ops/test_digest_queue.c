/*
 * rt_digest_queue: each digest is the one of its text, whatever batches the texts come to lie in.
 */
#include <stdio.h>
#include <string.h>

#include "ops/results.h"
#include "unit.h"

#define KIB ((size_t)1024)

static struct rt_error err;

/* The text of a number: of that length, unlike every other. */
static char *make_text(uint32_t number, size_t len)
{
	char *text = malloc(len + 1);

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < len; i++)
		text[i] = (char)('a' + (number * 31 + i * 7) % 26);
	(void)snprintf(text, len + 1, "%u", number);
	return text;
}

START_TEST(test_digests)
{
	static const struct {
		const char *what;
		uint32_t count;
		size_t least, more; /* lengths */
	} rows[] = {
	    {"none", 0, 1, 1},
	    {"one", 1, 10, 1},
	    {"few, in no batch of their own", 100, 1, 100},
	    {"as many as one batch", 512, KIB, 1},
	    {"many batches", 20000, 1, KIB},
	    {"long ones", 300, 30 * KIB, 90 * KIB},
	    {"each a batch, and small ones between", 40, 1, 1000 * KIB},
	};
	struct rt_digest_queue *queue = NULL;
	struct rt_sha256 *sha256 = NULL;
	size_t *lengths = calloc(rows[_i].count + 1, sizeof(*lengths));
	unsigned seed = 3;

	ck_assert_ptr_nonnull(lengths);
	ck_assert_int_eq(rt_sha256_new(&sha256, &err), RT_OK);
	ck_assert_int_eq(rt_digest_queue_new(rows[_i].count, &queue, &err), RT_OK);
	for (uint32_t i = 0; i < rows[_i].count; i++) {
		char *text;

		lengths[i] = rows[_i].least + (size_t)rand_r(&seed) % rows[_i].more;
		text = make_text(i, lengths[i]);
		ck_assert_int_eq(rt_digest_queue_add(queue, rt_slice_make(text, lengths[i]), &err),
				 RT_OK);
		free(text);
	}
	rt_digest_queue_finish(queue);
	for (uint32_t i = 0; i < rows[_i].count; i++) {
		char *text = make_text(i, lengths[i]);
		uint8_t want[RT_SHA256_BYTES];

		rt_sha256_of(sha256, rt_slice_make(text, lengths[i]), want);
		ck_assert_msg(memcmp(rt_digest_queue_get(queue, i), want, sizeof(want)) == 0,
			      "%s: text %u", rows[_i].what, i);
		free(text);
	}
	rt_digest_queue_free(queue);
	rt_sha256_free(sha256);
	free(lengths);
}
END_TEST
#define DIGEST_ROWS 7

/* Given up in the middle, with a batch on its way. */
START_TEST(test_abandoned)
{
	struct rt_digest_queue *queue = NULL;
	char *text = make_text(1, 100 * KIB);

	ck_assert_int_eq(rt_digest_queue_new(100, &queue, &err), RT_OK);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(rt_digest_queue_add(queue, rt_slice_make(text, 100 * KIB), &err),
				 RT_OK);
	rt_digest_queue_free(queue);
	rt_digest_queue_free(NULL);
	free(text);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("digest_queue");
	TCase *tcase = tcase_create("digest_queue");

	tcase_add_loop_test(tcase, test_digests, 0, DIGEST_ROWS);
	tcase_add_test(tcase, test_abandoned);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
