/*
 * The window: what is kept, how it grows, its padding, its limit, and a failed read that waits for
 * its turn.
 */
#include "scan/window.h"

#include <stdio.h>

#include "base/limits.h"
#include "unit.h"

/* Text of which byte i is a letter made from i. */
struct source {
	size_t left, at;
	size_t step;         /* bytes a read; 0: as many as are asked for */
	enum rt_status last; /* what comes after the text */
};

static char letter(uint64_t at)
{
	return (char)('a' + at * 7 % 26);
}

static enum rt_status source_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct source *source = ctx;
	size_t len = source->left < cap ? source->left : cap;

	if (source->step && len > source->step)
		len = source->step;
	if (len == 0) {
		if (source->last != RT_END)
			(void)rt_error_set(err, RT_E_INPUT, "want more, have a fault");
		return source->last;
	}
	for (size_t i = 0; i < len; i++)
		((char *)buf)[i] = letter(source->at++);
	source->left -= len;
	*ret_len = len;
	return RT_OK;
}

/* What holds of every window. */
static void look(const struct rt_window *w)
{
	static const char zeros[RT_PADDING];

	ck_assert_uint_le(w->end, w->cap);
	for (size_t i = 0; i < w->end; i++)
		ck_assert_int_eq(w->data[i], letter(w->offset + i));
	ck_assert_mem_eq(w->data + w->end, zeros, RT_PADDING);
}

/* Any keeps, any reads, any first size: the text in order, and as much again as was kept. */
START_TEST(read_all)
{
	unsigned short seed[3] = {9, 8, (unsigned short)_i};

	for (unsigned round = 0; round < 300; round++) {
		size_t size = 2 + (size_t)nrand48(seed) % 3000;
		struct source source = {size, 0, (size_t)nrand48(seed) % 5, RT_END};
		struct rt_pull text = {source_read, &source};
		struct rt_window w;
		struct rt_error err;
		size_t first = 1 + (size_t)nrand48(seed) % 100;

		ck_assert_int_eq(rt_window_init(&w, first, &err), RT_OK);
		look(&w);
		while (!w.final) {
			size_t keep = nrand48(seed) % 3 ? w.end - w.end / 4 : 0;
			uint64_t before = w.offset + w.end, from = w.offset + keep;
			size_t kept = w.end - keep;

			ck_assert_int_eq(rt_window_fill(&w, text, keep, 1u << 20, &err), RT_OK);
			look(&w);
			ck_assert_uint_eq(w.offset, from);
			if (!w.final)
				ck_assert_uint_gt(w.offset + w.end, before);
			if (!w.final)
				ck_assert(w.end == w.cap || w.end >= 2 * kept);
		}
		ck_assert_uint_eq(w.offset + w.end, size);
		rt_window_release(&w);
	}
}
END_TEST

/* No bytes are moved about when nothing is kept, and the window stays as small as it was. */
START_TEST(stays_small)
{
	struct source source = {100000, 0, 0, RT_END};
	struct rt_pull text = {source_read, &source};
	struct rt_window w;
	struct rt_error err;

	ck_assert_int_eq(rt_window_init(&w, 64, &err), RT_OK);
	while (!w.final) {
		ck_assert_int_eq(rt_window_fill(&w, text, w.end, 1000, &err), RT_OK);
		ck_assert_uint_eq(w.cap, 64);
	}
	rt_window_release(&w);
}
END_TEST

/* Bytes that may be kept: the limit, and one more is refused whatever the first size. */
START_TEST(limit)
{
	static const size_t firsts[] = {1, 2, 7, 50, 99, 100};
	struct source source = {1000, 0, (size_t)_i % 3, RT_END};
	struct rt_pull text = {source_read, &source};
	struct rt_window w;
	struct rt_error err;
	enum rt_status status;

	ck_assert_int_eq(rt_window_init(&w, firsts[_i], &err), RT_OK);
	do
		status = rt_window_fill(&w, text, 0, 100, &err);
	while (status == RT_OK);
	ck_assert_int_eq(status, RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_str_eq(err.message, "want at most 100 bytes (limit \"record\"), have more");
	ck_assert_uint_eq(w.end, 100);
	rt_window_release(&w);
}
END_TEST

/* All bytes before a failed read are shown first; then it is told, as often as asked. */
START_TEST(held)
{
	enum rt_status last = _i % 2 ? RT_REJECT : RT_FATAL;
	struct source source = {10, 0, (size_t)_i / 2 * 3, last};
	struct rt_pull text = {source_read, &source};
	struct rt_window w;
	struct rt_error err;
	enum rt_status status;
	size_t kept = 0;

	ck_assert_int_eq(rt_window_init(&w, 4, &err), RT_OK);
	while ((status = rt_window_fill(&w, text, 0, 1000, &err)) == RT_OK) {
		look(&w);
		ck_assert(!w.final);
		ck_assert_uint_gt(w.end, kept);
		kept = w.end;
	}
	ck_assert_uint_eq(kept, 10);
	ck_assert_int_eq(status, last);
	ck_assert_str_eq(err.message, "want more, have a fault");
	memset(&err, 0, sizeof(err));
	ck_assert_int_eq(rt_window_fill(&w, text, 2, 1000, &err), last);
	ck_assert_str_eq(err.message, "want more, have a fault");
	/* The bytes to be kept are at the front, as after any other fill. */
	ck_assert_uint_eq(w.offset, 2);
	look(&w);

	/* A new part starts anew. */
	source = (struct source){3, 0, 0, RT_END};
	rt_window_reset(&w);
	look(&w);
	ck_assert_int_eq(rt_window_fill(&w, text, 0, 1000, &err), RT_OK);
	ck_assert_uint_eq(w.end, 3);
	look(&w);
	rt_window_release(&w);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("window");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, read_all, 0, 4);
	tcase_add_test(cases, stays_small);
	tcase_add_loop_test(cases, limit, 0, 6);
	tcase_add_loop_test(cases, held, 0, 4);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
