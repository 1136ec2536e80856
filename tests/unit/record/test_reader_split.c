/*
 * The split test: every fixture is read whole, through windows of many sizes, and from pipes that
 * give a byte at a time or pieces of random sizes, on every code path: the same records and faults
 * each time.
 */
#include "read_all.h"
#include "source/parts.h"
#include "split.h"

static struct split_names fixtures;

/* YAML is converted in this process: where only what follows differs, no child has to be started.
 */
static bool inside;

struct rt_text_converter __real_rt_parts_converter(struct rt_parts *parts);
struct rt_text_converter __wrap_rt_parts_converter(struct rt_parts *parts);

struct rt_text_converter __wrap_rt_parts_converter(struct rt_parts *parts)
{
	return inside ? (struct rt_text_converter){.open = NULL} : __real_rt_parts_converter(parts);
}

/* With values. What aliases repeat again and again is as good as bounded early. */
static struct read_how how_in(size_t window)
{
	struct read_how how = read_how_default();

	how.limits.alias_bytes = 256 * RT_KIB;
	how.values = true;
	how.window = window;
	return how;
}

static struct rt_buf read_pieces(struct rt_slice data, const char *simd, size_t window)
{
	struct read_how how = how_in(window);
	struct rt_buf said;

	how.simd = simd;
	inside = window != 0;
	said = read_text(data, &how);
	inside = false;
	return said;
}

static struct rt_buf read_pipe(const char *path, size_t window)
{
	struct read_how how = how_in(window);

	return read_paths(&path, 1, &how);
}

START_TEST(split)
{
	static const struct split_reader reader = {read_pieces, read_pipe};
	const char *name = fixtures.names[_i];
	struct rt_buf data = split_load(&fixtures, _i);
	struct rt_buf whole = read_pieces(rt_buf_slice(&data), read_how_default().simd, 0);

	ck_assert_msg(strstr(whole.data, "end\n") != NULL, "%s: %s", name, whole.data);
	if (strncmp(name, "good-", 5) == 0)
		ck_assert_msg(!strstr(whole.data, "reject") && !strstr(whole.data, "limit"),
			      "%s: %s", name, whole.data);
	if (strncmp(name, "limit-", 6) == 0)
		ck_assert_msg(strstr(whole.data, "limit") != NULL, "%s: %s", name, whole.data);
	split_all(&reader, name, &data, &whole);
	rt_buf_release(&whole);
	rt_buf_release(&data);
}
END_TEST

START_TEST(found)
{
	ck_assert_msg(fixtures.count > 50, "%d files in %s", fixtures.count, fixtures.folder);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("reader_split");
	TCase *cases = tcase_create("all");

	split_list(&fixtures, "fixtures");
	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, found);
	tcase_add_loop_test(cases, split, 0, fixtures.count);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
