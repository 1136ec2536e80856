/*
 * What is not read: endings, how it is told, the list and its bound, and strict input.
 */
#include "files/unread.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "files/files.h"
#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct rt_unread unread;

static void setup(void)
{
	unread = (struct rt_unread){0};
}

static void teardown(void)
{
	rt_unread_release(&unread);
}

static void add(const char *name, enum rt_unread_reason reason)
{
	struct rt_error err;

	ck_assert_int_eq(rt_unread_add(&unread, "dir", name, NULL, reason, &err), RT_OK);
}

static void add_many(uint64_t count, const char *name, enum rt_unread_reason reason)
{
	while (count--)
		add(name, reason);
}

static void keep_notice(void *ctx, const char *text)
{
	(void)snprintf(ctx, 1024, "%s", text);
}

/* What is told; "" for nothing. */
static void expect_notice(const char *of, const char *text)
{
	char kept[1024] = "";
	struct rt_options options = {.notice = keep_notice, .notice_ctx = kept};
	struct rt_error err;

	ck_assert_int_eq(rt_unread_tell(&unread, &options, of, &err), RT_OK);
	ck_assert_str_eq(kept, text);
	/* Where nobody wants to know, that is no fault. */
	options.notice = NULL;
	ck_assert_int_eq(rt_unread_tell(&unread, &options, of, &err), RT_OK);
}

START_TEST(ending)
{
	static const struct {
		const char *name, *ending;
	} rows[] = {
	    {"a.txt", ".txt"},
	    {"a/b.c/d", NULL},
	    {"a", NULL},
	    {"", NULL},
	    {"a.", NULL},
	    {".gitignore", ".gitignore"},
	    {"a.b.txt", ".txt"},
	    {"a.txt.gz", ".txt.gz"},
	    {"a.gz", ".gz"},
	    {"v1.2.gz", ".2.gz"},
	    {".gz", ".gz"},
	    {"a.json.txt", ".json.txt"},
	    {"a.YAML.bak", ".YAML.bak"},
	    {"a.json~", ".json~"},
	    {"d.json/a.txt", ".txt"},
	    {"a.json.", NULL},
	    {"a.xjson.txt", ".txt"},
	    {"Report 1. for all", NULL},
	    {"a.b\n", NULL},
	    {"a.12345678901234", ".12345678901234"},
	    {"a.123456789012345", NULL},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *found = rt_name_ending(rows[i].name, RT_UNREAD_ENDING);

		ck_assert_msg((found == NULL) == (rows[i].ending == NULL) &&
				  (!found || strcmp(found, rows[i].ending) == 0),
			      "\"%s\": %s", rows[i].name, found ? found : "none");
	}
}
END_TEST

START_TEST(archive_name)
{
	static const char *const yes[] = {"a.tar", "a.ZIP",  "b/a.7z", "a.cpio",  "a.tar.gz",
					  "a.tgz", "a.tzst", "a.txz",  "a.tbz2",  "a.zip.gz",
					  ".tar",  "a.tbz",  "a.tlz4", "a.TAR.XZ"};
	static const char *const no[] = {"tar", "a.tar.txt", "a.gz", "a.json.gz", "a.tgz.gz", ""};

	for (size_t i = 0; i < COUNT(yes); i++)
		ck_assert_msg(rt_name_is_archive(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < COUNT(no); i++)
		ck_assert_msg(!rt_name_is_archive(no[i]), "%s", no[i]);
}
END_TEST

START_TEST(nothing)
{
	struct rt_unread_entry entry;
	size_t at = 0;

	expect_notice("", "");
	ck_assert(!rt_unread_next(&unread, &at, &entry));
}
END_TEST

START_TEST(some)
{
	add_many(4, "a.txt", RT_UNREAD_NAME);
	add("l.json", RT_UNREAD_SYMLINK);
	add_many(2, "a.zip", RT_UNREAD_ARCHIVE);
	expect_notice("", "not read: 4 *.txt, 1 symbolic link, 2 archives");
	expect_notice(" of the requests",
		      "not read of the requests: 4 *.txt, 1 symbolic link, 2 archives");
}
END_TEST

START_TEST(each_reason)
{
	for (int reason = 0; reason < RT_UNREAD_REASONS; reason++)
		add("a", (enum rt_unread_reason)reason);
	expect_notice("", "not read: 1 without an ending, 1 symbolic link, 1 hard link, 1 special "
			  "file, 1 empty directory, 1 archive, 1 file of macOS metadata");
	for (int reason = 0; reason < RT_UNREAD_REASONS; reason++)
		add("a", (enum rt_unread_reason)reason);
	expect_notice("", "not read: 2 without an ending, 2 symbolic links, 2 hard links, 2 "
			  "special files, 2 empty directories, 2 archives, 2 files of macOS "
			  "metadata");
}
END_TEST

/* The most frequent endings by name, those of one count in byte order, the rest together. */
START_TEST(frequent)
{
	add_many(2, "a.md", RT_UNREAD_NAME);
	add("a.zz", RT_UNREAD_NAME);
	add("a.c", RT_UNREAD_NAME);
	add("a.h", RT_UNREAD_NAME);
	add_many(3, "a.TXT", RT_UNREAD_NAME);
	add_many(2, "a.txt", RT_UNREAD_NAME);
	expect_notice("", "not read: 5 *.txt, 2 *.md, 1 *.c, 1 *.h, 1 *.zz");
	add_many(2, "a.b", RT_UNREAD_NAME);
	add_many(7, "LICENSE", RT_UNREAD_NAME);
	expect_notice("", "not read: 5 *.txt, 2 *.b, 2 *.md, 1 *.c, 1 *.h, 1 with other endings, "
			  "7 without an ending");
}
END_TEST

/* More endings than are told apart: all are counted. */
START_TEST(many)
{
	for (unsigned i = 0; i < RT_UNREAD_ENDINGS + 10; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "a.%u", i);
		add(name, RT_UNREAD_NAME);
	}
	add_many(2, "a.3", RT_UNREAD_NAME);
	add_many(2, "a.261", RT_UNREAD_NAME);
	expect_notice("", "not read: 3 *.3, 1 *.0, 1 *.1, 1 *.10, 1 *.100, 263 with other endings");
}
END_TEST

START_TEST(list_bound)
{
	struct rt_unread_entry entry;
	uint64_t listed = 0;
	size_t at = 0;

	for (unsigned i = 0; i < RT_UNREAD_LISTED_MAX + 5; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "%u.txt", i);
		add(name, RT_UNREAD_NAME);
	}
	while (rt_unread_next(&unread, &at, &entry)) {
		ck_assert_uint_eq((uint64_t)atoi(entry.path + strlen("dir/")), listed);
		listed++;
	}
	ck_assert_uint_eq(listed, RT_UNREAD_LISTED_MAX);
	ck_assert_uint_eq(unread.count, RT_UNREAD_LISTED_MAX + 5);
}
END_TEST

/* Places of each kind and any length, cut at a character. */
START_TEST(places)
{
	static char path[3000], member[3000];
	const struct {
		const char *path, *below, *member;
	} rows[] = {
	    {"dir", "a/b.txt", NULL},     {"dir/", "b.txt", NULL}, {"-", NULL, "b.txt"},
	    {"dir", "a.tar", "in/b.txt"}, {path, NULL, member},
	};
	static const char *const shown[][2] = {
	    {"dir/a/b.txt", ""}, {"dir/b.txt", ""}, {"-", "b.txt"}, {"dir/a.tar", "in/b.txt"}};
	struct rt_unread_entry entry;
	struct rt_error err;
	size_t at = 0;

	memset(path, 'p', sizeof(path) - 1);
	for (size_t i = 1; i + 2 < sizeof(member); i += 2)
		memcpy(member + i, "\xC3\xA4", 2);
	member[0] = 'm';
	for (size_t i = 0; i < COUNT(rows); i++)
		ck_assert_int_eq(rt_unread_add(&unread, rows[i].path, rows[i].below, rows[i].member,
					       RT_UNREAD_NAME, &err),
				 RT_OK);
	for (size_t i = 0; i < COUNT(shown); i++) {
		ck_assert(rt_unread_next(&unread, &at, &entry));
		ck_assert_str_eq(entry.path, shown[i][0]);
		ck_assert_str_eq(entry.member, shown[i][1]);
	}
	ck_assert(rt_unread_next(&unread, &at, &entry));
	ck_assert_uint_eq(strlen(entry.path), 1023);
	ck_assert_uint_eq(strlen(entry.member), 1023);
	ck_assert(!rt_unread_next(&unread, &at, &entry));
	expect_notice("", "not read: 4 *.txt, 1 without an ending");
}
END_TEST

START_TEST(strict)
{
	static const char *const messages[RT_UNREAD_REASONS] = {
	    "a name that is no document's", "a symbolic link", "a hard link",      "a special file",
	    "an empty directory",           "an archive",      "metadata of macOS"};
	struct rt_options options = {.strict_input = true};
	struct rt_error err;
	char message[200];

	ck_assert_int_eq(rt_unread_tell(&unread, &options, "", &err), RT_OK);
	add("a.txt", (enum rt_unread_reason)_i);
	ck_assert_int_eq(rt_unread_tell(&unread, &options, "", &err), RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	ck_assert_str_eq(err.path, "dir/a.txt");
	ck_assert_str_eq(err.member, "");
	(void)snprintf(message, sizeof(message), "want all of the input to be read, have %s",
		       messages[_i]);
	ck_assert_str_eq(err.message, message);
	add("b.txt", RT_UNREAD_NAME);
	ck_assert_int_eq(rt_unread_tell(&unread, &options, "", &err), RT_REJECT);
	ck_assert_ptr_nonnull(strstr(err.message, ", and 1 more that is not read"));
	add("b.txt", RT_UNREAD_NAME);
	ck_assert_int_eq(rt_unread_tell(&unread, &options, "", &err), RT_REJECT);
	ck_assert_ptr_nonnull(strstr(err.message, ", and 2 more that are not read"));
	ck_assert_str_eq(err.path, "dir/a.txt");
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("unread");
	TCase *tcase = tcase_create("unread");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, ending);
	tcase_add_test(tcase, archive_name);
	tcase_add_test(tcase, nothing);
	tcase_add_test(tcase, some);
	tcase_add_test(tcase, each_reason);
	tcase_add_test(tcase, frequent);
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, list_bound);
	tcase_add_test(tcase, places);
	tcase_add_loop_test(tcase, strict, 0, RT_UNREAD_REASONS);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
