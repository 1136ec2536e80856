/*
 * Heads of requests: what is let through, what is not and at which byte, whole and byte by byte.
 */
#include "http/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "unit.h"

#define HOST "Host: a\r\n"
#define TEXT(text) (text), sizeof(text) - 1

static const struct {
	const char *text;
	size_t text_len;
	unsigned status; /* 0: it is good */
	size_t len;      /* bytes looked at where it is bad; 0: all */
} heads[] = {
    {TEXT("GET / HTTP/1.1\r\n" HOST "\r\n"), 0, 0},
    {TEXT("\r\nGET / HTTP/1.1\r\n" HOST "\r\n"), 0, 0},
    {TEXT("GET / HTTP/1.0\r\n\r\n"), 0, 0},
    {TEXT("BREW * HTTP/1.1\r\nhOST:a\r\nX:\r\nY: \t b\tc \t\r\n\r\n"), 0, 0},
    {TEXT("PATCH / HTTP/1.1\r\n" HOST "Content-Length: 18446744073709551615\r\n\r\n"), 0, 0},
    {TEXT("PATCH / HTTP/1.1\r\n" HOST "Content-Length: 99999999999999999999\r\n\r\n"), 0, 0},
    {TEXT("PATCH / HTTP/1.1\r\n" HOST "transfer-encoding: CHUNKED\r\n\r\n"), 0, 0},
    {TEXT("\r\n\r\n"), 400, 4},
    {TEXT("GET / HTTP/1.1\n"), 400, 15},
    {TEXT("GET / HTTP/1.1\r "), 400, 16},
    {TEXT("GET / HTTP/1.1\r\r\n"), 400, 16},
    {TEXT("GE\tT / HTTP/1.1\r\n"), 400, 17},
    {TEXT("GET\0/ HTTP/1.1\r\n"), 400, 4},
    {TEXT("G\x1b"), 400, 2},
    {TEXT("G\x7f"), 400, 2},
    {TEXT("GET  / HTTP/1.1\r\n"), 400, 0},
    {TEXT("GET /  HTTP/1.1\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.1 \r\n"), 400, 0},
    {TEXT("GET / http/1.1\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.10\r\n"), 400, 0},
    {TEXT("GET /\r\n"), 400, 0},
    {TEXT("GET\r\n"), 400, 0},
    {TEXT(" / HTTP/1.1\r\n"), 400, 0},
    {TEXT("GET / HTTP/x.1\r\n"), 400, 0},
    {TEXT("GET / HTTP/1,1\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.x\r\n"), 400, 0},
    {TEXT("GET / HTTP/1./\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.2\r\n"), 505, 0},
    {TEXT("GET / HTTP/2.0\r\n"), 505, 0},
    {TEXT("GET / HTTP/0.9\r\n"), 505, 0},
    {TEXT("GET / HTTP/1.1\r\n A: b\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.1\r\nA: b\r\n\tc\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.1\r\nA\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.1\r\n: b\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.1\r\nA : b\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.1\r\nA(: b\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.1\r\n\xe4: b\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.1\r\n" HOST "HOST: a\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.1\r\nX-API-Key: a\r\nx-api-key: a\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.1\r\n\r\n"), 400, 0},
    {TEXT("GET / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\n"), 400, 0},
    {TEXT("PATCH / HTTP/1.1\r\n" HOST "Content-Length: 1, 1\r\n\r\n"), 400, 0},
    {TEXT("PATCH / HTTP/1.1\r\n" HOST "Content-Length:\r\n\r\n"), 400, 0},
    {TEXT("PATCH / HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n"), 400, 0},
    {TEXT("PATCH / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
     400, 0},
    {TEXT("GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"), 400, 0},
    {TEXT("PATCH / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"), 400, 0},
    {TEXT("PATCH / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip\r\n\r\n"), 501, 0},
};

/* Read a text, `step` bytes more at a time. */
static enum rt_head_state read_head(struct rt_head *head, const char *text, size_t len, size_t step)
{
	enum rt_head_state state = RT_HEAD_MORE;

	*head = (struct rt_head){.status = 0};
	for (size_t seen = 0; state == RT_HEAD_MORE && seen < len;) {
		seen = len - seen < step ? len : seen + step;
		state = rt_head_read(head, text, seen);
	}
	return state;
}

START_TEST(test_heads)
{
	const char *text = heads[_i].text;
	size_t len = heads[_i].text_len;
	const size_t steps[] = {1, 2, 3, 7, len};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct rt_head head;
		enum rt_head_state state = read_head(&head, text, len, steps[i]);

		ck_assert_msg(state == (heads[_i].status ? RT_HEAD_BAD : RT_HEAD_DONE), "%s: %d",
			      text, (int)state);
		ck_assert_uint_eq(head.status, heads[_i].status);
		ck_assert(!head.fault == !heads[_i].status);
		ck_assert_msg(head.seen == (heads[_i].len ? heads[_i].len : len), "%s: %zu", text,
			      head.seen);
		if (!heads[_i].status)
			ck_assert_uint_eq(head.len, len);
	}
	/* Nothing is decided before the last byte is there. */
	for (size_t cut = 0; !heads[_i].status && cut < len; cut++) {
		struct rt_head head;

		ck_assert_int_eq(read_head(&head, text, cut, cut ? cut : 1), RT_HEAD_MORE);
	}
}
END_TEST

START_TEST(test_fields)
{
	static const char text[] = "PATCH /a?b HTTP/1.1\r\nhost: \t a:1 \r\nX-API-Key:k\r\n"
				   "Content-Length: 0123\r\nExpect: x\r\n\r\n{}";
	struct rt_head head = {.status = 0};

	ck_assert_int_eq(rt_head_read(&head, text, sizeof(text) - 1), RT_HEAD_DONE);
	ck_assert_uint_eq(head.len, sizeof(text) - 3);
	ck_assert(rt_slice_equal(head.method, RT_SLICE("PATCH")));
	ck_assert(rt_slice_equal(head.target, RT_SLICE("/a?b")));
	ck_assert(rt_slice_equal(head.fields[RT_FIELD_HOST], RT_SLICE("a:1")));
	ck_assert(rt_slice_equal(head.fields[RT_FIELD_API_KEY], RT_SLICE("k")));
	ck_assert(rt_slice_equal(head.fields[RT_FIELD_EXPECT], RT_SLICE("x")));
	ck_assert_ptr_null(head.fields[RT_FIELD_ORIGIN].ptr);
	ck_assert(head.has_body && !head.chunked && head.body_bytes == 123 && !head.is_old);
}
END_TEST

static const struct {
	const char *line, *fields;
	bool stays;
} stays[] = {
    {"HTTP/1.1", "", true},
    {"HTTP/1.1", "Connection: close\r\n", false},
    {"HTTP/1.1", "Connection: CLOSE\r\n", false},
    {"HTTP/1.1", "Connection: a, close , b\r\n", false},
    {"HTTP/1.1", "Connection: a\r\nConnection: close\r\n", false},
    {"HTTP/1.1", "Connection: closed\r\n", true},
    {"HTTP/1.1", "Connection: keep-alive, close\r\n", false},
    {"HTTP/1.0", "", false},
    {"HTTP/1.0", "Connection: Keep-Alive\r\n", true},
    {"HTTP/1.0", "Connection: keep-alive,close\r\n", false},
    {"HTTP/1.1", "Connection:\r\n", true},
    {"HTTP/1.1", "Connection: ,,\r\n", true},
};

START_TEST(test_stays)
{
	char text[200];
	struct rt_head head = {.status = 0};
	int len = snprintf(text, sizeof(text), "GET / %s\r\n" HOST "%s\r\n", stays[_i].line,
			   stays[_i].fields);

	ck_assert_int_eq(rt_head_read(&head, text, (size_t)len), RT_HEAD_DONE);
	ck_assert_msg(head.stays == stays[_i].stays, "%s", text);
}
END_TEST

static const struct {
	const char *start;
	unsigned status;
} longs[] = {{"GET /", 414}, {"GET / HTTP/1.1\r\nA: ", 431}, {"GET / HTTP/1.1\r\n", 431}};

START_TEST(test_too_long)
{
	size_t len = RT_HTTP_HEAD_BYTES + 10, start = strlen(longs[_i].start);
	char *text = malloc(len);
	struct rt_head head = {.status = 0};

	ck_assert_ptr_nonnull(text);
	memset(text, 'a', len);
	memcpy(text, longs[_i].start, start);
	ck_assert_int_eq(rt_head_read(&head, text, RT_HTTP_HEAD_BYTES - 1), RT_HEAD_MORE);
	ck_assert_int_eq(rt_head_read(&head, text, len), RT_HEAD_BAD);
	ck_assert_uint_eq(head.status, longs[_i].status);
	free(text);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("head");
	TCase *tcase = tcase_create("head");

	tcase_add_loop_test(tcase, test_heads, 0, sizeof(heads) / sizeof(heads[0]));
	tcase_add_test(tcase, test_fields);
	tcase_add_loop_test(tcase, test_stays, 0, sizeof(stays) / sizeof(stays[0]));
	tcase_add_loop_test(tcase, test_too_long, 0, sizeof(longs) / sizeof(longs[0]));
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
