/*
 * Bodies of requests in their framing: what comes out, where they end, and what is refused, whole
 * and byte by byte.
 */
#include "http/message.h"

#include <string.h>

#include "base/buf.h"
#include "unit.h"

#define CHUNKED UINT64_MAX

static const struct {
	uint64_t length; /* Content-Length, or CHUNKED */
	const char *text, *body;
	size_t rest;     /* bytes after its end */
	unsigned status; /* 0: it is good */
} bodies[] = {
    {0, "", "", 0, 0},
    {0, "GET", "", 3, 0},
    {3, "abcGET", "abc", 3, 0},
    {CHUNKED, "0\r\n\r\n", "", 0, 0},
    {CHUNKED, "3\r\nabc\r\n0\r\n\r\nGET", "abc", 3, 0},
    {CHUNKED, "1\r\na\r\n0000000000000002\r\nbc\r\n00\r\n\r\n", "abc", 0, 0},
    {CHUNKED, "a\r\n0123456789\r\nB\r\n0123456789A\r\n0\r\n\r\n", "01234567890123456789A", 0, 0},
    {CHUNKED, "2;a=\"b\";c\r\n\r\n\r\n0;d\r\n\r\n", "\r\n", 0, 0},
    {CHUNKED, "0\r\nA: b\r\nC: d\r\n\r\nX", "", 1, 0},
    {CHUNKED, "\r\n", "", 0, 400},
    {CHUNKED, ";a\r\n", "", 0, 400},
    {CHUNKED, "zz\r\n", "", 0, 400},
    {CHUNKED, "-1\r\n", "", 0, 400},
    {CHUNKED, "0x1\r\n", "", 0, 400},
    {CHUNKED, "1 \r\n", "", 0, 400},
    {CHUNKED, "1\na", "", 0, 400},
    {CHUNKED, "1\rXa", "", 0, 400},
    {CHUNKED, "1;a\nb", "", 0, 400},
    {CHUNKED, "1;\x1b", "", 0, 400},
    {CHUNKED, "1;\x7f", "", 0, 400},
    {CHUNKED, "1;\t\xff\r\na\r\n0\r\n\r\n", "a", 0, 0},
    {CHUNKED, "1\r\nab\r\n", "a", 0, 400},
    {CHUNKED, "1\r\na\rX", "a", 0, 400},
    {CHUNKED, "1\r\na\n", "a", 0, 400},
    {CHUNKED, "0\r\nA: b\n", "", 0, 400},
    {CHUNKED, "0\r\n\rX", "", 0, 400},
    {CHUNKED, "00000000000000000003\r\nabc\r\n000\r\n\r\n", "abc", 0, 0},
    {CHUNKED, "10000000000000000\r\n", "", 0, 413},
    {CHUNKED, "fffffffffffffffff\r\n", "", 0, 413},
};

/* Read a body, at most `step` bytes at a time. ret_used: bytes that were taken. */
static enum rt_body_state read_body(size_t row, size_t step, struct rt_body_reader *reader,
				    struct rt_buf *out, size_t *ret_used)
{
	bool chunked = bodies[row].length == CHUNKED;
	struct rt_head head = {.chunked = chunked, .body_bytes = chunked ? 0 : bodies[row].length};
	const char *text = bodies[row].text;
	size_t len = strlen(text), at = 0;
	enum rt_body_state state;

	rt_body_begin(reader, &head);
	do {
		size_t part = len - at < step ? len - at : step, used;
		struct rt_slice piece;
		struct rt_error err;

		state = rt_body_read(reader, text + at, part, &used, &piece);
		ck_assert_uint_le(used, part);
		at += used;
		if (state == RT_BODY_PIECE) {
			ck_assert_uint_gt(piece.len, 0);
			ck_assert_int_eq(rt_buf_append(out, piece.ptr, piece.len, &err), RT_OK);
		}
	} while (state < RT_BODY_END && at < len);
	*ret_used = at;
	return state;
}

START_TEST(test_bodies)
{
	for (size_t step = 1; step <= strlen(bodies[_i].text) + 1; step++) {
		struct rt_body_reader reader;
		struct rt_buf out = {0};
		size_t used;
		enum rt_body_state state = read_body((size_t)_i, step, &reader, &out, &used);
		/* A length's end is seen with the next call. */
		bool at_end = state == RT_BODY_PIECE && reader.left == 0;

		ck_assert_msg(bodies[_i].status ? state == RT_BODY_BAD
						: state == RT_BODY_END || at_end,
			      "%s: %d", bodies[_i].text, (int)state);
		ck_assert_uint_eq(reader.status, bodies[_i].status);
		ck_assert(!reader.fault == !bodies[_i].status);
		ck_assert_uint_eq(out.len, strlen(bodies[_i].body));
		ck_assert(out.len == 0 || memcmp(out.data, bodies[_i].body, out.len) == 0);
		if (!bodies[_i].status)
			ck_assert_uint_eq(used, strlen(bodies[_i].text) - bodies[_i].rest);
		rt_buf_release(&out);
	}
}
END_TEST

START_TEST(test_extra_is_bounded)
{
	struct rt_head head = {.chunked = true};
	struct rt_body_reader reader;
	struct rt_slice piece;
	enum rt_body_state state = RT_BODY_MORE;
	size_t used, calls = 0;

	rt_body_begin(&reader, &head);
	ck_assert_int_eq(rt_body_read(&reader, "0\r\n", 3, &used, &piece), RT_BODY_MORE);
	for (; state == RT_BODY_MORE && calls < 10000; calls++)
		state = rt_body_read(&reader, "A: b\r\n", 6, &used, &piece);
	ck_assert_int_eq(state, RT_BODY_BAD);
	ck_assert_uint_eq(reader.status, 431);
	rt_body_begin(&reader, &head);
	for (state = RT_BODY_MORE, calls = 0; state == RT_BODY_MORE && calls < 100000; calls++)
		state = rt_body_read(&reader, "0", 1, &used, &piece);
	ck_assert_int_eq(state, RT_BODY_BAD);
	ck_assert_uint_eq(reader.status, 431);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("body");
	TCase *tcase = tcase_create("body");

	tcase_add_loop_test(tcase, test_bodies, 0, sizeof(bodies) / sizeof(bodies[0]));
	tcase_add_test(tcase, test_extra_is_bounded);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
