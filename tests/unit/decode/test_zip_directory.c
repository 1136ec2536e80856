/*
 * A zip's end records and directory: what they say of each other, of the file and of its members,
 * changed in one place or a few, in a zip of two stored members.
 */
#include "decode/zip_directory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

/* Where things are: of a member, its header and its entry; the records at the end. */
#define LOCAL_A 0u
#define LOCAL_B 41u
#define ENTRY_A 82u
#define ENTRY_B 134u
#define LONG_END 186u
#define LOCATOR 242u
#define LONG_RECORD 262u
#define SHORT_RECORD LONG_END
#define RECORD_BYTES 22u
#define ONES 0xFFFFFFFFu
#define PATCHES 6u

static struct rt_error err;

static void put(uint8_t *at, unsigned bytes, uint64_t value)
{
	for (; bytes--; value >>= 8)
		*at++ = (uint8_t)value;
}

/* What the local header and the entry have in common. */
static void common_put(uint8_t *at)
{
	put(at + 10, 4, 9); /* CRC */
	put(at + 14, 4, 5);
	put(at + 18, 4, 5);
	put(at + 22, 2, 6);
}

static void member_put(uint8_t *zip, unsigned local, unsigned entry, const char *name)
{
	memcpy(zip + local, "PK\3\4\24", 5);
	common_put(zip + local + 4);
	memcpy(zip + local + 30, name, 6);
	memcpy(zip + entry, "PK\1\2\24\3\24", 7);
	common_put(zip + entry + 6);
	put(zip + entry + 38, 4, 0100644u << 16);
	put(zip + entry + 42, 4, local);
	memcpy(zip + entry + 46, name, 6);
}

/* Returns its length. */
static size_t zip_make(uint8_t *zip, bool is_long)
{
	size_t record = is_long ? LONG_RECORD : SHORT_RECORD;

	memset(zip, 0, LONG_RECORD + RECORD_BYTES);
	member_put(zip, LOCAL_A, ENTRY_A, "a.json");
	member_put(zip, LOCAL_B, ENTRY_B, "b.json");
	if (is_long) {
		memcpy(zip + LONG_END, "PK\6\6\54", 5);
		put(zip + LONG_END + 24, 8, 2);
		put(zip + LONG_END + 32, 8, 2);
		put(zip + LONG_END + 40, 8, LONG_END - ENTRY_A);
		put(zip + LONG_END + 48, 8, ENTRY_A);
		memcpy(zip + LOCATOR, "PK\6\7", 4);
		put(zip + LOCATOR + 8, 8, LONG_END);
		put(zip + LOCATOR + 16, 4, 1);
	}
	memcpy(zip + record, "PK\5\6", 4);
	put(zip + record + 8, 2, 2);
	put(zip + record + 10, 2, 2);
	put(zip + record + 12, 4, LONG_END - ENTRY_A);
	put(zip + record + 16, 4, ENTRY_A);
	return record + RECORD_BYTES;
}

static int file_make(const uint8_t *bytes, size_t len)
{
	int fd = memfd_create("zip", MFD_CLOEXEC);

	ck_assert(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
	return fd;
}

#define ALL "want a zip archive with all its bytes, have other bytes at offset"
#define BEFORE "want a zip with its 64-bit end record before its locator,"
#define LONG "want a zip with its 64-bit end record, have other bytes at offset 186"
#define LIES "want a zip whose directory lies before its end record,"
#define VOLUME "want a zip in one volume, have other bytes at offset"
#define AS_MANY "want a zip directory with as many entries as it says, have other bytes at offset"
#define TEXT "want a zip with member names that are text, have other bytes at offset 82"

static const struct {
	const char *what;
	const char *message; /* NULL: good */
	const char *member;  /* that it is told of */
	bool is_short;       /* without the 64-bit record */
	struct {
		unsigned at, bytes;
		uint64_t value;
	} patch[PATCHES];
} rows[] = {
    {"as it is", NULL, "", false, {{0}}},
    {"as it is, short", NULL, "", true, {{0}}},
    {"a locator that leads before", BEFORE, "", false, {{LOCATOR + 8, 8, LONG_END - 1}}},
    {"a locator that leads behind", BEFORE, "", false, {{LOCATOR + 8, 8, LONG_END + 1}}},
    {"no long record", LONG, "", false, {{LONG_END + 2, 1, 0}}},
    {"a long record of volume 1", LONG, "", false, {{LONG_END + 16, 4, 1}}},
    {"a directory in volume 1", LONG, "", false, {{LONG_END + 20, 4, 1}}},
    {"entries in other volumes", LIES, "", false, {{LONG_END + 24, 8, 3}}},
    {"behind its record", LIES, "", false, {{LONG_END + 48, 8, LONG_END + 1}}},
    {"another length", LIES, "", false, {{LONG_END + 40, 8, LONG_END - ENTRY_A - 1}}},
    {"records that give way",
     NULL,
     "",
     false,
     {{LONG_RECORD + 4, 4, ONES},
      {LONG_RECORD + 8, 4, ONES},
      {LONG_RECORD + 12, 4, ONES},
      {LONG_RECORD + 16, 4, ONES}}},
    {"records that disagree: length", LIES, "", false, {{LONG_RECORD + 12, 4, 103}}},
    {"records that disagree: offset", LIES, "", false, {{LONG_RECORD + 16, 4, 83}}},
    {"records that disagree: entries here", LIES, "", false, {{LONG_RECORD + 8, 2, 1}}},
    {"records that disagree: entries", LIES, "", false, {{LONG_RECORD + 10, 2, 1}}},
    {"volume 1", VOLUME, "", true, {{SHORT_RECORD + 4, 2, 1}}},
    {"volume 1 of a directory", VOLUME, "", true, {{SHORT_RECORD + 6, 2, 1}}},
    {"nothing to give way to: length", LIES, "", true, {{SHORT_RECORD + 12, 4, ONES}}},
    {"nothing to give way to: offset", LIES, "", true, {{SHORT_RECORD + 16, 4, ONES}}},
    {"nothing to give way to: entries", LIES, "", true, {{SHORT_RECORD + 8, 2, 0xFFFF}}},
    {"a comment that is not there",
     "want a zip that ends with its central directory,",
     "",
     true,
     {{SHORT_RECORD + 20, 2, 1}}},
    {"fewer entries",
     AS_MANY " 134",
     "",
     true,
     {{SHORT_RECORD + 8, 2, 1}, {SHORT_RECORD + 10, 2, 1}}},
    {"more entries than there is room",
     AS_MANY " 82",
     "",
     true,
     {{SHORT_RECORD + 8, 2, 3}, {SHORT_RECORD + 10, 2, 3}}},
    {"a comment in the directory's end", AS_MANY " 191", "", true, {{ENTRY_B + 32, 2, 5}}},
    {"no entry", "want a zip with a whole central directory,", "", true, {{ENTRY_A, 1, 0}}},
    {"an entry of volume 1", VOLUME " 82", "a.json", true, {{ENTRY_A + 34, 2, 1}}},
    {"an entry with a longer extra field", ALL, "", true, {{ENTRY_B + 30, 2, 0xFFFF}}},
    {"a NUL in a name", TEXT, "a\1json", true, {{ENTRY_A + 47, 1, 0}}},
    {"no name", TEXT, "", true, {{ENTRY_A + 28, 2, 0}}},
    {"no local header",
     "want a zip whose directory leads to its members,",
     "a.json",
     true,
     {{ENTRY_A + 42, 4, 7}}},
    {"a local header behind the end", ALL, "a.json", true, {{ENTRY_A + 42, 4, 1000}}},
    {"data that reach into the directory",
     "want zip members that end before the directory, have an end at offset 83",
     "b.json",
     true,
     {{LOCAL_B + 18, 4, 6}, {LOCAL_B + 22, 4, 6}, {ENTRY_B + 20, 4, 6}, {ENTRY_B + 24, 4, 6}}},
    {"members that overlap",
     "want zip members that do not overlap, have it at offset 0",
     "a.json",
     true,
     {{ENTRY_B + 42, 4, 0}, {ENTRY_B + 46, 1, 'a'}}},
    {"data that overlap",
     "want zip members that do not overlap, have it at offset 41 and the one before it up to 42",
     "b.json",
     true,
     {{LOCAL_A + 18, 4, 6}, {LOCAL_A + 22, 4, 6}, {ENTRY_A + 20, 4, 6}, {ENTRY_A + 24, 4, 6}}},
    {"a member without an entry",
     "want every member of a zip in its directory, have one at offset 0 that is not",
     "a.json",
     true,
     {{SHORT_RECORD + 8, 2, 1},
      {SHORT_RECORD + 10, 2, 1},
      {SHORT_RECORD + 12, 4, LONG_END - ENTRY_B},
      {SHORT_RECORD + 16, 4, ENTRY_B}}},
    {"a member without an entry, whose name is longer than it",
     "want every member of a zip in its directory, have one at offset 0 that is not",
     "",
     true,
     {{LOCAL_A + 26, 2, 12},
      {SHORT_RECORD + 8, 2, 1},
      {SHORT_RECORD + 10, 2, 1},
      {SHORT_RECORD + 12, 4, LONG_END - ENTRY_B},
      {SHORT_RECORD + 16, 4, ENTRY_B}}},
};

static void expect(enum rt_status status, const char *message, const char *what)
{
	if (!message)
		ck_assert_msg(status == RT_OK, "%s: %s", what, err.message);
	else
		ck_assert_msg(status == RT_REJECT &&
				  strncmp(err.message, message, strlen(message)) == 0,
			      "%s: %d: %s", what, (int)status, err.message);
}

START_TEST(test_rows)
{
	uint8_t zip[LONG_RECORD + RECORD_BYTES];
	size_t len = zip_make(zip, !rows[_i].is_short);
	struct rt_zip_member *members = NULL;
	uint64_t entries = 0;
	int fd;

	err = (struct rt_error){.line = 0};
	for (size_t i = 0; i < PATCHES && rows[_i].patch[i].bytes; i++)
		put(zip + rows[_i].patch[i].at, rows[_i].patch[i].bytes, rows[_i].patch[i].value);
	fd = file_make(zip, len);
	expect(rt_zip_directory_check(fd, len, 3, &members, &entries, &err), rows[_i].message,
	       rows[_i].what);
	ck_assert_uint_eq(entries, rows[_i].message ? 0 : 2);
	ck_assert(!members == !entries);
	free(members);
	ck_assert_str_eq(err.member, rows[_i].member);
	close(fd);
}
END_TEST

START_TEST(test_limit)
{
	uint8_t zip[LONG_RECORD + RECORD_BYTES];
	size_t len = zip_make(zip, true);
	struct rt_zip_member *members = NULL;
	uint64_t entries = 0;
	int fd = file_make(zip, len);

	expect(rt_zip_directory_check(fd, len, 1, &members, &entries, &err),
	       "want at most 1 member (limit \"members\"), have 2", "limit");
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_ptr_null(members);
	close(fd);
}
END_TEST

/* Members come in the order in which they stand, whatever that of the directory. */
START_TEST(test_members)
{
	uint8_t zip[LONG_RECORD + RECORD_BYTES], entry[ENTRY_B - ENTRY_A];
	size_t len = zip_make(zip, true);
	struct rt_zip_member *members = NULL;
	uint64_t entries = 0;
	int fd;

	if (_i) {
		memcpy(entry, zip + ENTRY_A, sizeof(entry));
		memcpy(zip + ENTRY_A, zip + ENTRY_B, sizeof(entry));
		memcpy(zip + ENTRY_B, entry, sizeof(entry));
	}
	fd = file_make(zip, len);
	ck_assert_int_eq(rt_zip_directory_check(fd, len, 2, &members, &entries, &err), RT_OK);
	ck_assert_uint_eq(entries, 2);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(members[i].at, (i ? LOCAL_B : LOCAL_A) + 36);
		ck_assert_uint_eq(members[i].packed, 5);
		ck_assert_uint_eq(members[i].size, 5);
		ck_assert_uint_eq(members[i].crc, 9);
		ck_assert_uint_eq(members[i].method, 0);
	}
	free(members);
	close(fd);
}
END_TEST

/* Whether what is at the end of a zip, from an offset on, is found in a file of its own. */
static void expect_end(unsigned from, uint64_t more, const char *message)
{
	uint8_t zip[LONG_RECORD + RECORD_BYTES];
	size_t len = zip_make(zip, true) - from;
	struct rt_zip_place place;
	int fd = file_make(zip + from, len);

	expect(rt_zip_directory_find(fd, len + more, &place, &err), message, "find");
	close(fd);
}

START_TEST(test_find)
{
	struct rt_zip_place place = {.offset = 0};
	uint8_t zip[LONG_RECORD + RECORD_BYTES];
	size_t len = zip_make(zip, true);
	int fd = file_make(zip, len);

	ck_assert_int_eq(rt_zip_directory_find(fd, len, &place, &err), RT_OK);
	ck_assert_uint_eq(place.offset, ENTRY_A);
	ck_assert_uint_eq(place.end, LONG_END);
	ck_assert_uint_eq(place.record, LONG_RECORD);
	ck_assert_uint_eq(place.entries, 2);
	close(fd);
	ck_assert_int_eq(rt_zip_directory_find(fd, len, &place, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	expect_end(LOCATOR, 0, BEFORE);
	expect_end(LONG_RECORD, 0, LIES);
	expect_end(LONG_RECORD + 1, 0, "want a zip that ends with its central directory,");
	expect_end(0, 1, ALL);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("zip_directory");
	TCase *tcase = tcase_create("zip_directory");

	tcase_add_loop_test(tcase, test_rows, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(tcase, test_limit);
	tcase_add_loop_test(tcase, test_members, 0, 2);
	tcase_add_test(tcase, test_find);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
