/*
 * rt_decode_run() over whole files of every kind: formats, members, nesting and limits. Damaged
 * ones are in test_decode_damage.c, and the same code in a child process in test_parts.c.
 */
#include <archive_entry.h>
#include <locale.h>
#include <stdio.h>

#include "archive_make.h"
#include "base/limits.h"
#include "decode/magic.h"
#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char doc_a[] = MAKE_DOC_A;

static const char *const filters[] = {"", "gzip", "zstd", "xz", "bzip2", "lz4"};
static const char *const formats[] = {"ustar", "pax",  "gnutar", "v7tar", "zip",
				      "7zip",  "newc", "odc",    "bin"};

static struct rt_limits limits;

static void setup(void)
{
	ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
	rt_limits_init(&limits);
}

/* Every container in every compression, from a file and from a pipe. */
START_TEST(test_matrix)
{
	const char *filter = filters[(size_t)_i / COUNT(formats)];
	const char *format = formats[(size_t)_i % COUNT(formats)];
	struct rt_buf archive = {0};
	struct rt_buf file = {0};
	struct made_result result;
	char what[64];
	char text[512];

	(void)snprintf(what, sizeof(what), "%s in %s", format, filter);
	make_standard_text(text, sizeof(text));
	make_standard(&archive, format);
	if (filter[0])
		make_packed(&file, filter, "", archive.data, archive.len);
	for (int seekable = 0; seekable <= 1; seekable++) {
		const struct rt_buf *bytes = filter[0] ? &file : &archive;

		make_decode(&result, bytes->data, bytes->len, seekable != 0, &limits);
		make_expect_text(&result, text, what);
		rt_buf_release(&result.text);
	}
	rt_buf_release(&archive);
	rt_buf_release(&file);
}
END_TEST

/* --- Members, nesting, limits --------------------------------------------------------------- */

static const struct {
	const char *what;
	struct make_member members[3];
	size_t count;
	const char *text; /* NULL: an error */
	const char *message;
	const char *unread; /* NULL: nothing */
} member_rows[] = {
    {"names that lead out",
     {{.name = "../x.json", .data = "1", .len = 1}, {.name = "/y.yml", .data = "2", .len = 1}},
     2,
     "<../x.json>\n1\n</y.yml>\n2\n",
     NULL,
     NULL},
    {"links are not followed",
     {{.name = "a.json", .data = "1", .len = 1},
      {.name = "h.json", .link = "a.json"},
      {.name = "s.json", .type = AE_IFLNK, .link = "/etc/passwd"}},
     3,
     "<a.json>\n1\n",
     NULL,
     "2 h.json;1 s.json;"},
    {"directories and FIFOs",
     {{.name = "d.json", .type = AE_IFDIR},
      {.name = "f.json", .type = AE_IFIFO},
      {.name = "A.JSON", .data = "1", .len = 1}},
     3,
     "<A.JSON>\n1\n",
     NULL,
     "4 d.json;3 f.json;"},
    {"directories that have something in them",
     {{.name = "d.json", .type = AE_IFDIR},
      {.name = "d.json/a.json", .data = "1", .len = 1},
      {.name = "e", .type = AE_IFDIR}},
     3,
     "<d.json/a.json>\n1\n",
     NULL,
     NULL},
    {"a directory at the end",
     {{.name = "a.json", .data = "1", .len = 1},
      {.name = "d.json", .type = AE_IFDIR},
      {.name = "d.jsonx", .type = AE_IFDIR}},
     3,
     "<a.json>\n1\n",
     NULL,
     "4 d.json;"},
    {"other names",
     {{.name = "in/b.tar.gz", .data = "1", .len = 1},
      {.name = "a.json", .data = "1", .len = 1},
      {.name = "a.json.txt", .data = "1", .len = 1}},
     3,
     "<a.json>\n1\n",
     NULL,
     "5 in/b.tar.gz;0 a.json.txt;"},
    {"no candidate", {{.name = "a.txt", .data = "1", .len = 1}}, 1, NULL, "have none", "0 a.txt;"},
    {"a name in UTF-8",
     {{.name = "\xc3\xa9.json", .data = "1", .len = 1}},
     1,
     "<\xc3\xa9.json>\n1\n",
     NULL,
     NULL},
    {"one name twice",
     {{.name = "a.json", .data = "1", .len = 1}, {.name = "a.json", .data = "2", .len = 1}},
     2,
     NULL,
     "have two of this",
     NULL},
    {"an empty member", {{.name = "a.json"}}, 1, "<a.json>\n\n", NULL, NULL},
};

START_TEST(test_members)
{
	static const char *const tars[] = {"pax", "gnutar", "newc"};

	for (size_t i = 0; i < COUNT(tars); i++) {
		struct rt_buf tar = {0};
		struct made_result result;

		/* A cpio knows hard links by inode only. */
		if (member_rows[_i].members[1].link && strcmp(tars[i], "newc") == 0)
			continue;
		make_archive(&tar, tars[i], member_rows[_i].members, member_rows[_i].count);
		make_decode(&result, tar.data, tar.len, true, &limits);
		if (member_rows[_i].text)
			make_expect_text(&result, member_rows[_i].text, member_rows[_i].what);
		else
			make_expect_error(&result, RT_E_INPUT, member_rows[_i].message,
					  member_rows[_i].what);
		ck_assert_msg(strcmp(result.unread,
				     member_rows[_i].unread ? member_rows[_i].unread : "") == 0,
			      "%s: not read: %s", member_rows[_i].what, result.unread);
		rt_buf_release(&result.text);
		rt_buf_release(&tar);
	}
}
END_TEST

/* Make the members of a newc one file with several names. */
static void link_members(struct rt_buf *cpio)
{
	char *at = cpio->data;

	while ((at = memmem(at, cpio->len - (size_t)(at - cpio->data), "070701", 6)) != NULL) {
		if (strcmp(at + 110, "TRAILER!!!") != 0) {
			memcpy(at + 6, "00000007", 8);  /* its number */
			memcpy(at + 38, "00000002", 8); /* how many names it has */
		}
		at += 6;
	}
}

/* The data of hard links lie after the last name. */
START_TEST(test_cpio_links)
{
	static const struct {
		const char *what;
		struct make_member members[2];
		const char *text;
	} rows[] = {
	    {"the last name is read",
	     {{.name = "a.txt"}, {.name = "b.json", .data = "1", .len = 1}},
	     "<b.json>\n1\n"},
	    {"both are, and the first has nothing",
	     {{.name = "a.json"}, {.name = "b.json", .data = "1", .len = 1}},
	     "<a.json>\n\n<b.json>\n1\n"},
	    {"the first name is read",
	     {{.name = "a.json"}, {.name = "b.txt", .data = "1", .len = 1}},
	     "<a.json>\n\n"},
	};
	struct made_result result;
	struct rt_buf cpio = {0};

	make_archive(&cpio, "newc", rows[_i].members, COUNT(rows[_i].members));
	link_members(&cpio);
	make_decode(&result, cpio.data, cpio.len, true, &limits);
	make_expect_text(&result, rows[_i].text, rows[_i].what);
	rt_buf_release(&result.text);
	rt_buf_release(&cpio);
}
END_TEST

/* A layer too many, each built from the inside out; "tar" puts its inside into x.json. */
/* Some writers leave the type out of a mode; what has none is a regular file. */
START_TEST(test_cpio_no_type)
{
	static const struct {
		const char *format;
		size_t at; /* of the mode in the header */
		const char *mode;
	} rows[] = {{"newc", 14, "000001A4"}, {"odc", 18, "000644"}, {"bin", 6, "\xA4\1"}};
	const struct make_member member = {.name = "a.json", .data = "[1]", .len = 3};
	struct made_result result;
	struct rt_buf cpio = {0};

	make_archive(&cpio, rows[_i].format, &member, 1);
	memcpy(cpio.data + rows[_i].at, rows[_i].mode, strlen(rows[_i].mode));
	make_decode(&result, cpio.data, cpio.len, true, &limits);
	make_expect_text(&result, "<a.json>\n[1]\n", rows[_i].format);
	rt_buf_release(&result.text);
	rt_buf_release(&cpio);
}
END_TEST

START_TEST(test_nested)
{
	static const struct {
		const char *layers[4];
		const char *message; /* NULL: allowed */
	} rows[] = {
	    {{"gzip", "ustar", "xz"}, NULL},
	    {{"zstd", "zip"}, NULL},
	    {{"gzip", "gzip"}, "nested compression (gzip in gzip)"},
	    {{"lz4", "xz"}, "nested compression (lz4 in xz)"},
	    {{"gzip", "gzip", "ustar"}, "have gzip data in it"},
	    {{"ustar", "zip"}, "have tar data in it"},
	    {{"zip", "gzip", "ustar"}, "have zip data in it"},
	    {{"7zip", "newc"}, "have 7z data in it"},
	    {{"gzip", "ustar", "gzip", "gzip"}, "nested compression (gzip in gzip)"},
	};
	struct rt_buf file = {0};
	struct rt_error err;
	struct made_result result;

	ck_assert_int_eq(rt_buf_append(&file, doc_a, strlen(doc_a), &err), RT_OK);
	for (size_t i = 0; i < COUNT(rows[_i].layers) && rows[_i].layers[i]; i++) {
		const struct make_member member = {
		    .name = "x.json", .data = file.data, .len = file.len};
		struct rt_buf outer = {0};
		bool is_filter = false;

		for (size_t f = 1; f < COUNT(filters); f++)
			is_filter |= strcmp(rows[_i].layers[i], filters[f]) == 0;
		if (is_filter)
			make_packed(&outer, rows[_i].layers[i], "", file.data, file.len);
		else
			make_archive(&outer, rows[_i].layers[i], &member, 1);
		rt_buf_release(&file);
		file = outer;
	}
	make_decode(&result, file.data, file.len, true, &limits);
	if (rows[_i].message)
		make_expect_error(&result, RT_E_INPUT, rows[_i].message, rows[_i].message);
	else
		ck_assert_msg(result.status == RT_OK && result.parts == 1, "%s",
			      result.err.message);
	rt_buf_release(&result.text);
	rt_buf_release(&file);
}
END_TEST

START_TEST(test_limits)
{
	static const char *const containers[] = {"ustar", "zip", "7zip", "newc"};
	struct make_member members[8];
	char names[8][16];
	struct rt_buf file = {0};
	struct made_result result;
	const char *format = containers[_i];

	memset(members, 0, sizeof(members));
	for (size_t i = 0; i < COUNT(members); i++) {
		(void)snprintf(names[i], sizeof(names[i]), "n%zu.%s", i, i ? "txt" : "json");
		members[i] = (struct make_member){.name = names[i], .data = "12345678", .len = 8};
	}
	make_archive(&file, format, members, COUNT(members));
	limits.archive_members = 7;
	make_decode(&result, file.data, file.len, true, &limits);
	make_expect_error(&result, RT_E_LIMIT, "members", format);
	ck_assert_int_eq(result.status, RT_REJECT);
	rt_buf_release(&result.text);
	limits.archive_members = 8;
	/* A 7z is decompressed for members that are not read too; a tar and a cpio do not grow. */
	limits.expanded_bytes = strcmp(format, "7zip") == 0 ? 63 : 7;
	make_decode(&result, file.data, file.len, true, &limits);
	if (strcmp(format, "zip") == 0 || strcmp(format, "7zip") == 0)
		make_expect_error(&result, RT_E_LIMIT, "limit \"expanded\"", format);
	else
		ck_assert_int_eq(result.status, RT_OK);
	rt_buf_release(&result.text);
	limits.expanded_bytes = 64;
	make_decode(&result, file.data, file.len, true, &limits);
	ck_assert_msg(result.status == RT_OK, "%s: %s", format, result.err.message);
	rt_buf_release(&result.text);
	rt_buf_release(&file);
}
END_TEST

START_TEST(test_magic)
{
	static const struct {
		const char *what;
		const char *bytes;
		size_t len;
		enum rt_magic magic;
	} rows[] = {
	    {"empty", "", 0, RT_MAGIC_NONE},
	    {"JSON", "[{}]", 4, RT_MAGIC_NONE},
	    {"half a gzip magic", "\x1f", 1, RT_MAGIC_NONE},
	    {"gzip", "\x1f\x8b", 2, RT_MAGIC_GZIP},
	    {"zstd", "\x28\xb5\x2f\xfd", 4, RT_MAGIC_ZSTD},
	    {"skippable, then zstd", "\x50\x2a\x4d\x18\1\0\0\0x\x28\xb5\x2f\xfd", 13,
	     RT_MAGIC_ZSTD},
	    {"skippable, then lz4", "\x5f\x2a\x4d\x18\1\0\0\0x\x04\x22\x4d\x18", 13, RT_MAGIC_LZ4},
	    {"skippable out of sight", "\x50\x2a\x4d\x18\0\0\1\0x", 9, RT_MAGIC_ZSTD},
	    {"bzip2 without a level", "BZh0", 4, RT_MAGIC_NONE},
	    {"bzip2", "BZh1", 4, RT_MAGIC_BZIP2},
	    {"xz",
	     "\xfd"
	     "7zXZ\0",
	     6, RT_MAGIC_XZ},
	    {"xz, one byte short",
	     "\xfd"
	     "7zXZ",
	     5, RT_MAGIC_NONE},
	    {"empty zip", "PK\5\6", 4, RT_MAGIC_ZIP},
	    {"7z", "7z\xbc\xaf\x27\x1c", 6, RT_MAGIC_7ZIP},
	    {"newc", "070701", 6, RT_MAGIC_CPIO},
	    {"text q and a letter", "q\xc7\x80: 1\nabcdefghijklmnopqrstuvwxyz", 34, RT_MAGIC_NONE},
	};

	ck_assert_msg(rt_magic_find((const uint8_t *)rows[_i].bytes, rows[_i].len) ==
			  rows[_i].magic,
		      "%s", rows[_i].what);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("decode");
	TCase *tcase = tcase_create("decode");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_magic, 0, 16);
	tcase_add_loop_test(tcase, test_matrix, 0, COUNT(filters) * COUNT(formats));
	tcase_add_loop_test(tcase, test_members, 0, 10);
	tcase_add_loop_test(tcase, test_cpio_links, 0, 3);
	tcase_add_loop_test(tcase, test_cpio_no_type, 0, 3);
	tcase_add_loop_test(tcase, test_nested, 0, 9);
	tcase_add_loop_test(tcase, test_limits, 0, 4);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
