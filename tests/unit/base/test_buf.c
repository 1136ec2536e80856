/*
 * The growable buffer: contents against a plain array, growth by doubling, and lengths that do
 * not fit.
 */
#include "base/buf.h"

#include "unit.h"

#define BYTES 5000u

/* Appends of every length up to 99 add up to the bytes that went in. */
START_TEST(append)
{
	struct rt_buf buf = {0};
	struct rt_error err;
	char bytes[BYTES];

	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = (char)(i * 7 + i / 256);
	for (size_t at = 0, len = 0; at < BYTES; at += len, len = (len + 1) % 100) {
		if (len > BYTES - at)
			len = BYTES - at;
		ck_assert_int_eq(rt_buf_append(&buf, bytes + at, len, &err), RT_OK);
		ck_assert_uint_eq(buf.len, at + len);
		ck_assert_uint_ge(buf.cap, buf.len);
	}
	ck_assert_uint_eq(buf.len, BYTES);
	ck_assert_mem_eq(buf.data, bytes, BYTES);
	ck_assert(rt_slice_equal(rt_buf_slice(&buf), rt_slice_make(bytes, BYTES)));
	rt_buf_release(&buf);
	ck_assert(!buf.data && !buf.len && !buf.cap);
	rt_buf_release(&buf);
}
END_TEST

START_TEST(append_nothing)
{
	struct rt_buf buf = {0};
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&buf, NULL, 0, &err), RT_OK);
	ck_assert_uint_eq(buf.len, 0);
	ck_assert_uint_eq(buf.cap, 0);
	rt_buf_release(&buf);
}
END_TEST

/* A byte at a time moves the bytes no oftener than doubling does. */
START_TEST(growth)
{
	struct rt_buf buf = {0};
	struct rt_error err;
	size_t grown = 0;

	for (size_t i = 0; i < 100000; i++) {
		size_t cap = buf.cap;

		ck_assert_int_eq(rt_buf_append(&buf, "x", 1, &err), RT_OK);
		if (buf.cap == cap)
			continue;
		ck_assert_uint_ge(buf.cap, 2 * cap);
		grown++;
	}
	ck_assert_uint_le(grown, 17);
	rt_buf_release(&buf);
}
END_TEST

START_TEST(reserve)
{
	struct rt_buf buf = {0};
	struct rt_error err;
	size_t cap;

	ck_assert_int_eq(rt_buf_append(&buf, "abc", 3, &err), RT_OK);
	ck_assert_int_eq(rt_buf_reserve(&buf, 100000, &err), RT_OK);
	ck_assert_uint_ge(buf.cap, 100003);
	ck_assert_uint_eq(buf.len, 3);
	ck_assert_mem_eq(buf.data, "abc", 3);
	/* What is there already is not asked for again. */
	cap = buf.cap;
	ck_assert_int_eq(rt_buf_reserve(&buf, cap - 3, &err), RT_OK);
	ck_assert_uint_eq(buf.cap, cap);
	rt_buf_release(&buf);
}
END_TEST

static const struct {
	const char *what;
	size_t more;
} overflows[] = {
    {"all of size_t", SIZE_MAX},
    {"the sum wraps to 0", SIZE_MAX - 2},
    {"the sum wraps not quite", SIZE_MAX - 3},
    {"more than an object can be", SIZE_MAX / 2 + 1},
};

START_TEST(overflow)
{
	struct rt_buf buf = {0}, before;
	struct rt_error err = {0};
	enum rt_status status;

	ck_assert_int_eq(rt_buf_append(&buf, "abc", 3, &err), RT_OK);
	before = buf;
	status = rt_buf_reserve(&buf, overflows[_i].more, &err);
	ck_assert_msg(status == RT_FATAL, "%s: status %d", overflows[_i].what, status);
	ck_assert_msg(err.code == RT_E_NOMEM, "%s: code %d", overflows[_i].what, err.code);
	ck_assert_ptr_eq(buf.data, before.data);
	ck_assert_uint_eq(buf.len, 3);
	ck_assert_uint_eq(buf.cap, before.cap);
	ck_assert_mem_eq(buf.data, "abc", 3);
	rt_buf_release(&buf);
}
END_TEST

/* What is written to a buffer's sink stands after what the buffer had. */
START_TEST(sink)
{
	struct rt_buf buf = {0};
	struct rt_sink into = rt_buf_sink(&buf);
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&buf, "a", 1, &err), RT_OK);
	ck_assert_int_eq(into.write(into.ctx, "bc", 2, &err), RT_OK);
	ck_assert_int_eq(into.write(into.ctx, "", 0, &err), RT_OK);
	ck_assert(rt_slice_equal(rt_buf_slice(&buf), RT_SLICE("abc")));
	ck_assert_int_eq(into.write(into.ctx, "", SIZE_MAX, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_NOMEM);
	ck_assert_uint_eq(buf.len, 3);
	rt_buf_release(&buf);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("buf");
	TCase *tcase = tcase_create("buf");

	tcase_add_test(tcase, append);
	tcase_add_test(tcase, append_nothing);
	tcase_add_test(tcase, growth);
	tcase_add_test(tcase, reserve);
	tcase_add_test(tcase, sink);
	tcase_add_loop_test(tcase, overflow, 0, sizeof(overflows) / sizeof(overflows[0]));
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
