/*
 * Reading many files in lanes: what is said of a data set must be what one reader says, whatever
 * its files are, which of them is bad, and what is not read; and only of files that stay as they
 * are.
 */
#include <archive_entry.h>

#include "archive_make.h"
#include "base/limits.h"
#include "engine/lanes.h"
#include "question.h"
#include "scratch.h"
#include "split.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const unsigned lane_counts[] = {2, 3, 8};

static struct split_names fixtures;

/* What is asked of a data set. */
static struct rt_options options;
static struct question asked;

/* One thread is one reader. */
static void same(const char *what)
{
	question_same(&asked, options, 1, lane_counts, COUNT(lane_counts), what);
}

/* How many lanes have read; 0: one reader has to do it. */
static size_t used(unsigned count)
{
	struct rt_lanes *lanes;
	size_t number;

	options.threads = count;
	lanes = rt_lanes_summarize(&options, RT_RECENT_DEFAULT, 0);
	number = lanes ? rt_lanes_used(lanes) : 0;
	rt_lanes_free(lanes);
	return number;
}

/* Have all options be about these inputs, which end with a NULL. */
static void ask(const char *const *inputs)
{
	options = (struct rt_options){.paths = inputs};
	while (inputs[options.path_count])
		options.path_count++;
	rt_limits_init(&options.limits);
}

static void make_folder(const char *name)
{
	ck_assert_int_eq(mkdir(at(name), 0700), 0);
}

/* A file of `count` issues, whose ids begin with a letter. */
static void put_issues(const char *name, char letter, unsigned count)
{
	FILE *file = fopen(at(name), "wb");

	ck_assert_ptr_nonnull(file);
	for (unsigned i = 0; i < count; i++)
		fprintf(file,
			"%s{\"id\":\"%c%u\",\"severity\":\"%s\",\"category\":\"c%u\","
			"\"created_at\":\"2025-01-01T00:00:%02uZ\"}",
			i ? ",\n" : "[", letter, i, i % 3 ? "high" : "Low", i % 5, (i * 7) % 60);
	fprintf(file, "]\n");
	ck_assert_int_eq(fclose(file), 0);
}

/* --- Fixtures among others ---------------------------------------------------------------------
 */

START_TEST(each_fixture)
{
	const char *path[] = {scratch, NULL};
	const char *places[] = {"0-", "b-", "z-"};
	struct rt_buf data = split_load(&fixtures, _i);

	put_issues("a.json", 'a', 40);
	put_issues("m.json", 'm', 3);
	put_issues("q.json", 'q', 90);
	ask(path);
	for (size_t i = 0; i < COUNT(places); i++) {
		char name[256];

		snprintf(name, sizeof(name), "%s%s", places[i], fixtures.names[_i]);
		put_bytes(name, data.len ? data.data : "", data.len);
		same(name);
		ck_assert_int_eq(remove(at(name)), 0);
	}
	rt_buf_release(&data);
}
END_TEST

/* --- Data sets that are made -------------------------------------------------------------------
 */

/* Four files of two folders, things that are not read, and an archive with some more. */
static void put_tree(void)
{
	static const struct make_member members[] = {
	    {.name = "x.json", .data = "[{\"id\":\"x\",\"severity\":\"low\"}]", .len = 29},
	    {.name = "notes.txt", .data = "x", .len = 1},
	    {.name = "y.json", .data = "{\"id\":\"y\",\"severity\":\"low\"}", .len = 27},
	    {.name = "to", .type = AE_IFLNK, .link = "x.json"},
	};
	struct rt_buf archive = {0};

	make_folder("one");
	make_folder("two");
	make_folder("two/sub");
	put_issues("one/a.json", 'a', 50);
	put_issues("one/b.json", 'b', 5);
	put_issues("two/c.json", 'c', 70);
	put_issues("two/sub/d.json", 'd', 1);
	put("one/README.md", "x");
	put("two/sub/x.html", "x");
	put("two/z.txt", "x");
	ck_assert_int_eq(symlink("a.json", at("one/link.json")), 0);
	make_archive(&archive, "ustar", members, COUNT(members));
	put_bytes("one/m.tar", archive.data, archive.len);
	rt_buf_release(&archive);
}

static const struct rt_list rows = {.form = RT_LIST_CSV};
static const struct rt_list documents = {.form = RT_LIST_JSON};
static const struct rt_list counts = {.form = RT_LIST_COUNT, .count_by = "category,severity"};

/* Each list, and what is told beside it. */
START_TEST(each_answer)
{
	static const struct rt_list *const answers[] = {NULL, &rows, &documents, &counts, NULL};
	static struct rt_gate_options gate;
	const char *both[] = {at("two"), at("one/"), NULL};
	const char *mixed[] = {at("one/b.json"), at("two"), at("one/a.json"), at("one/m.tar"),
			       NULL};

	put_tree();
	asked.list = answers[_i];
	rt_gate_options_init(&gate);
	gate.fail_on = 1;
	gate.at_least = 200;
	asked.conditions = _i == 4 ? &gate : NULL;
	ask(both);
	ck_assert_uint_eq(used(3), 3);
	ck_assert_uint_ge(used(8), 4);
	same("two folders");
	options.strict_input = true;
	same("strict");
	ask(mixed);
	ck_assert_uint_ge(used(8), 4);
	same("files and folders");
	put_issues("two/sub/e.json", 'a', 60);
	same("ids of another file");
	options.duplicates = RT_DUPLICATES_FIRST;
	ck_assert_uint_eq(used(2), 0);
	same("ids of another file, left out");
}
END_TEST

/* A folder of one file is read as that file is. */
START_TEST(one_file)
{
	const char *inputs[] = {scratch, NULL};

	make_folder("in");
	put_issues("in/a.json", 'a', 300);
	put("in/b.txt", "x");
	put("c.txt", "x");
	ask(inputs);
	ck_assert_uint_eq(used(3), 3);
	ck_assert_uint_eq(used(1), 1);
	same("a folder of one file");
	options.strict_input = true;
	same("a folder of one file, strict");
	options.strict_input = false;
	put("in/a.json", "{\"version\":\"2.1.0\",\"runs\":[]}");
	ck_assert_uint_eq(used(3), 0);
	same("a folder of one log");
	put("in/a.json", "");
	ck_assert_uint_eq(used(3), 0);
	same("a folder of an empty file");
}
END_TEST

/* The first fault in the order of the files is told, whichever lane comes to one first. */
START_TEST(first_fault)
{
	const char *inputs[] = {at("one"), at("two"), NULL};

	put_tree();
	ask(inputs);
	put("two/c.json", "[");
	same("a fault in the last folder");
	put("two/sub/d.json", "{}");
	same("and after it");
	put("one/b.json", "[{\"id\":\"b\",\"severity\":\"low\"},\n{\"id\":\"b\"}]");
	same("and in the first");
	make_folder("empty");
	ask((const char *const[]){at("two"), at("empty"), NULL});
	ck_assert_uint_eq(used(2), 0);
	same("a folder without documents");
	ask((const char *const[]){at("one"), at("nothing"), NULL});
	ck_assert_uint_eq(used(2), 0);
	same("a path to nothing");
}
END_TEST

/* What archives expand to is bounded for all of them together. */
START_TEST(expanded_in_all)
{
	const char *path[] = {scratch, NULL};
	struct rt_buf packed = {0};
	char name[16];

	for (int letter = 'a'; letter < 'e'; letter++) {
		struct rt_buf text;

		put_issues("text", (char)letter, 100);
		text = bytes_of(at("text"));
		packed.len = 0;
		make_packed(&packed, "gzip", "", text.data, text.len);
		snprintf(name, sizeof(name), "%c.json.gz", (char)letter);
		put_bytes(name, packed.data, packed.len);
		rt_buf_release(&text);
	}
	ck_assert_int_eq(remove(at("text")), 0);
	rt_buf_release(&packed);
	ask(path);
	ck_assert_uint_eq(used(4), 4);
	for (options.limits.expanded_bytes = 4096; options.limits.expanded_bytes < 60000;
	     options.limits.expanded_bytes += 4096)
		same("bytes that decompression gives");
	/* Each has room for one of them, and all together have not. */
	options.limits.expanded_bytes = 15000;
	ck_assert_uint_eq(used(4), 0);
}
END_TEST

/* --- Files that change -------------------------------------------------------------------------
 */

static enum rt_status take_nothing(void *share, const struct rt_record *record,
				   struct rt_error *err)
{
	(void)share;
	(void)record;
	(void)err;
	return RT_OK;
}

static bool join_nothing(void *ctx, const struct rt_lanes *lanes)
{
	(void)ctx;
	(void)lanes;
	return true;
}

static void free_nothing(void *share)
{
	(void)share;
}

/* After the files have been looked at, and before one is read. */
static enum rt_status change_first(void *ctx, const struct rt_siphash_key *key, bool first,
				   void **ret_share, struct rt_error *err)
{
	void (*change)(void) = NULL;

	(void)key;
	(void)err;
	*(void **)&change = ctx;
	if (first && change)
		change();
	*ret_share = ctx ? ctx : err;
	return RT_OK;
}

static void add_file(void)
{
	put_issues("one/aa.json", 'n', 1);
}

static void take_file(void)
{
	ck_assert_int_eq(remove(at("two/c.json")), 0);
}

static void write_file(void)
{
	put_issues("two/sub/d.json", 'd', 2);
}

static void same_file(void)
{
	put("one/README.md", "y");
}

START_TEST(changed)
{
	static void (*const changes[])(void) = {NULL, same_file, add_file, take_file, write_file};
	static const bool fine[] = {true, true, false, false, false};
	const char *inputs[] = {at("one"), at("two"), NULL};
	struct rt_lane_work work = {change_first, take_nothing, join_nothing, free_nothing, NULL};
	struct rt_lanes *lanes;

	put_tree();
	ask(inputs);
	options.threads = 2;
	work.ctx = *(void *const *)&changes[_i];
	lanes = rt_lanes_read(&options, &work, 0);
	ck_assert_int_eq(lanes != NULL, fine[_i]);
	rt_lanes_free(lanes);
}
END_TEST

/* What leads to no regular file is read by one reader, which alone may open it. */
START_TEST(not_in_lanes)
{
	const char *inputs[] = {at("one"), "-", NULL};

	put_tree();
	ask(inputs);
	options.input_fd = -1;
	ck_assert_uint_eq(used(2), 0);
	ck_assert_int_eq(mkfifo(at("fifo"), 0600), 0);
	ask((const char *const[]){at("fifo"), at("one"), NULL});
	ck_assert_uint_eq(used(2), 0);
	ask((const char *const[]){at("one"), NULL});
	ck_assert_uint_eq(used(1), 0);
	/* Four small files are not worth threads, unless they are asked for. */
	ck_assert_uint_eq(used(0), 0);
	ck_assert_uint_eq(used(2), 2);
	options.journal = at("journal");
	ck_assert_uint_eq(used(2), 0);
}
END_TEST

static void setup(void)
{
	asked = (struct question){.style.pretty = true, .recent = RT_RECENT_DEFAULT};
	scratch_setup();
}

static Suite *suite_make(void)
{
	Suite *suite = suite_create("lanes of files");
	TCase *tcase = tcase_create("lanes of files");

	split_list(&fixtures, "fixtures");
	tcase_add_checked_fixture(tcase, setup, scratch_teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, each_fixture, 0, fixtures.count);
	tcase_add_loop_test(tcase, each_answer, 0, 5);
	tcase_add_test(tcase, one_file);
	tcase_add_test(tcase, first_fault);
	tcase_add_test(tcase, expanded_in_all);
	tcase_add_loop_test(tcase, changed, 0, 5);
	tcase_add_test(tcase, not_in_lanes);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
