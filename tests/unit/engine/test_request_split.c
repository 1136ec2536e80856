/*
 * The split test of requests: every request fixture is read whole, through windows of many sizes
 * on every code path, and from pipes that give a byte at a time or pieces of random sizes: the
 * same requests and faults each time.
 */
#include "request_all.h"
#include "split.h"

static struct split_names fixtures;

static struct rt_buf read_pieces(struct rt_slice data, const char *simd, size_t window)
{
	struct request_how how = request_how_default();

	how.offsets = true;
	how.simd = simd;
	how.window = window;
	return request_text(data, &how);
}

static struct rt_buf read_pipe(const char *path, size_t window)
{
	struct request_how how = request_how_default();

	how.offsets = true;
	how.window = window;
	return request_paths(&path, 1, &how);
}

/* good-* are accepted whole, bad-* have a fault. */
static void judge(const char *name, const struct rt_buf *whole)
{
	bool faults = strstr(whole->data, "reject ") || strstr(whole->data, "limit ");

	ck_assert_msg(strstr(whole->data, "\nend ") != NULL, "%s: %s", name, whole->data);
	if (strncmp(name, "good-", 5) == 0)
		ck_assert_msg(!faults, "%s: %s", name, whole->data);
	else if (strncmp(name, "bad-", 4) == 0)
		ck_assert_msg(faults, "%s: %s", name, whole->data);
	else
		ck_assert_msg(faults == (strstr(name, "01-") != NULL), "%s: %s", name, whole->data);
}

START_TEST(split)
{
	static const struct split_reader reader = {read_pieces, read_pipe};
	const char *name = fixtures.names[_i];
	struct rt_buf data = split_load(&fixtures, _i);
	struct rt_buf whole = read_pieces(rt_buf_slice(&data), request_how_default().simd, 0);

	judge(name, &whole);
	split_all(&reader, name, &data, &whole);
	rt_buf_release(&whole);
	rt_buf_release(&data);
}
END_TEST

START_TEST(found)
{
	ck_assert_msg(fixtures.count > 40, "%d files in %s", fixtures.count, fixtures.folder);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("request_split");
	TCase *cases = tcase_create("all");

	split_list(&fixtures, "fixtures/requests");
	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, found);
	tcase_add_loop_test(cases, split, 0, fixtures.count);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
