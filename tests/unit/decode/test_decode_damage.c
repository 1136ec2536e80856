/*
 * rt_decode_run() over damaged files: cut at every byte, with every bit flipped, with bytes after
 * their end, and tars and zips put together by hand to be wrong. None may end well with other
 * bytes than the whole file gives.
 */
#include <locale.h>
#include <stdio.h>

#include "archive_make.h"
#include "base/limits.h"
#include "decode/stream.h"
#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char doc_a[] = MAKE_DOC_A;
static const char doc_b[] = MAKE_DOC_B;

static const char *const filters[] = {"", "gzip", "zstd", "xz", "bzip2", "lz4"};
static const char *const formats[] = {"ustar", "pax",  "gnutar", "v7tar", "zip",
				      "7zip",  "newc", "odc",    "bin"};

static struct rt_limits limits;

static void setup(void)
{
	ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
	rt_limits_init(&limits);
}

/*
 * A prefix of a file: an error; or, when its first bytes no longer show what it was, the bytes
 * themselves as a document, which no document of SPEC D2 is.
 */
static void expect_no_clean_end(const struct rt_buf *bytes, size_t len, bool seekable,
				const char *what)
{
	struct made_result result;
	size_t head = len < RT_MAGIC_BYTES ? len : RT_MAGIC_BYTES;
	bool is_document = rt_magic_find((const uint8_t *)bytes->data, head) == RT_MAGIC_NONE;

	make_decode(&result, bytes->data, len, seekable, &limits);
	if (is_document)
		ck_assert_msg(result.status == RT_OK && result.parts == 1 &&
				  result.text.len == len + 4,
			      "%s cut to %zu", what, len);
	else
		ck_assert_msg(result.status == RT_REJECT && result.err.code == RT_E_INPUT,
			      "%s cut to %zu of %zu: status %d %s", what, len, bytes->len,
			      (int)result.status, result.err.message);
	rt_buf_release(&result.text);
}

START_TEST(test_truncated_container)
{
	struct rt_buf archive = {0};

	make_standard(&archive, formats[_i]);
	/* Only the two zero blocks of a tar count, not what pads it to a record: write just them.
	 */
	if (rt_magic_find((const uint8_t *)archive.data, RT_MAGIC_BYTES) == RT_MAGIC_TAR) {
		while (archive.len > 1024 && archive.data[archive.len - 1025] == '\0')
			archive.len--;
		archive.len += (512 - archive.len % 512) % 512;
	}
	/* The bytes that pad a cpio after its trailer's name are not missed. */
	if (rt_magic_find((const uint8_t *)archive.data, RT_MAGIC_BYTES) == RT_MAGIC_CPIO) {
		while (archive.len && archive.data[archive.len - 1] == '\0')
			archive.len--;
	}
	for (size_t len = 1; len < archive.len; len++)
		expect_no_clean_end(&archive, len, len % 2 != 0, formats[_i]);
	rt_buf_release(&archive);
}
END_TEST

START_TEST(test_truncated_packed)
{
	const char *filter = filters[_i];
	struct rt_buf file = {0};
	struct made_result result;
	char text[256];

	(void)snprintf(text, sizeof(text), "<>\n%s\n", doc_b);
	make_packed(&file, filter, "", doc_b, strlen(doc_b));
	make_decode(&result, file.data, file.len, true, &limits);
	make_expect_text(&result, text, filter);
	rt_buf_release(&result.text);
	for (size_t len = 1; len < file.len; len++)
		expect_no_clean_end(&file, len, len % 2 != 0, filter);
	rt_buf_release(&file);
}
END_TEST

/* Two frames, and a cut anywhere in the second one. */
START_TEST(test_concatenated)
{
	const char *filter = filters[_i];
	struct rt_buf file = {0};
	struct made_result result;
	size_t first;
	char text[256];

	(void)snprintf(text, sizeof(text), "<>\n%s%s\n", doc_a, doc_b);
	make_packed(&file, filter, "", doc_a, strlen(doc_a));
	first = file.len;
	make_packed(&file, filter, "", doc_b, strlen(doc_b));
	make_decode(&result, file.data, file.len, true, &limits);
	make_expect_text(&result, text, filter);
	rt_buf_release(&result.text);
	for (size_t len = first + 1; len < file.len; len++)
		expect_no_clean_end(&file, len, true, filter);
	rt_buf_release(&file);
}
END_TEST

/* Bytes after the last frame. */
START_TEST(test_trailing)
{
	static const struct {
		const char *what;
		const char *bytes;
		size_t len;
	} rows[] = {
	    {"a word", "garbage", 7},
	    {"one byte", "x", 1},
	    {"a newline", "\n", 1},
	};
	/* After the last compression: a 7z, which libarchive reads with anything after it. */
	const char *filter = (size_t)_i < COUNT(filters) ? filters[_i] : NULL;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct rt_buf file = {0};
		struct rt_error err;
		struct made_result result;

		if (filter)
			make_packed(&file, filter, "", doc_b, strlen(doc_b));
		else
			make_standard(&file, "7zip");
		ck_assert_int_eq(rt_buf_append(&file, rows[i].bytes, rows[i].len, &err), RT_OK);
		make_decode(&result, file.data, file.len, true, &limits);
		make_expect_error(&result, RT_E_INPUT, filter ? filter : "7z", rows[i].what);
		rt_buf_release(&result.text);
		rt_buf_release(&file);
	}
}
END_TEST

/* "zstd --check" of "hello hello hello hello\n"; libarchive's writer makes no checksums. */
static const uint8_t zstd_checked[] = {
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x68, 0x6d, 0x00, 0x00, 0x38, 0x68, 0x65, 0x6c,
    0x6c, 0x6f, 0x20, 0x0a, 0x01, 0x00, 0x99, 0x4b, 0x11, 0xa8, 0x7c, 0x2e, 0xa8,
};

/* Every bit of a file flipped, one at a time: an error, the same bytes, or no format at all. */
static void flip_all(const struct rt_buf *file, size_t from, size_t to, const char *what)
{
	struct made_result good;

	make_decode(&good, file->data, file->len, true, &limits);
	ck_assert_msg(good.status == RT_OK, "%s: %s", what, good.err.message);
	for (size_t bit = from * 8; bit < to * 8; bit++) {
		struct made_result result;
		char *byte = &file->data[bit / 8];
		char before = *byte;
		bool same;

		*byte = (char)(before ^ (1 << bit % 8));
		make_decode(&result, file->data, file->len, true, &limits);
		same = result.text.len == good.text.len &&
		       memcmp(result.text.data, good.text.data, good.text.len) == 0;
		if (result.status == RT_OK && !same)
			ck_assert_msg(rt_magic_find((const uint8_t *)file->data,
						    file->len < RT_MAGIC_BYTES
							? file->len
							: RT_MAGIC_BYTES) == RT_MAGIC_NONE,
				      "%s: bit %zu gives other bytes", what, bit);
		*byte = before;
		rt_buf_release(&result.text);
	}
	rt_buf_release(&good.text);
}

START_TEST(test_flipped_packed)
{
	const char *filter = filters[_i];
	struct rt_buf file = {0};
	struct rt_error err;

	if (strcmp(filter, "zstd") == 0)
		ck_assert_int_eq(rt_buf_append(&file, zstd_checked, sizeof(zstd_checked), &err),
				 RT_OK);
	else
		make_packed(&file, filter, "", doc_b, strlen(doc_b));
	flip_all(&file, 0, file.len, filter);
	rt_buf_release(&file);
}
END_TEST

/* Data of zip members, stored and deflated, and all of a 7z. */
START_TEST(test_flipped_container)
{
	const char *format = _i ? "7zip" : "zip";
	const struct make_member members[] = {
	    {.name = "a.json", .data = doc_a, .len = strlen(doc_a)},
	    {.name = "b.json", .data = doc_b, .len = strlen(doc_b)},
	};
	struct rt_buf file = {0};
	size_t to;

	make_archive(&file, format, members, COUNT(members));
	to = file.len;
	if (!_i) {
		const char *directory = memmem(file.data, file.len, "PK\1\2", 4);

		ck_assert_ptr_nonnull(directory);
		to = (size_t)(directory - file.data);
	}
	flip_all(&file, 0, to, format);
	rt_buf_release(&file);
}
END_TEST

/* --- Tars by hand -------------------------------------------------------------------------- */

static void tar_of_two(struct rt_buf *tar)
{
	const struct make_member members[] = {
	    {.name = "a.json", .data = doc_a, .len = strlen(doc_a)},
	    {.name = "b.json", .data = doc_b, .len = strlen(doc_b)},
	};

	make_archive(tar, "ustar", members, COUNT(members));
	/* Four blocks of members, two zero blocks. */
	ck_assert_uint_ge(tar->len, 6 * 512);
	tar->len = 6 * 512;
}

START_TEST(test_tar_end)
{
	static const struct {
		const char *what;
		size_t keep;        /* bytes of the tar that stay */
		size_t zero_at;     /* 0: none */
		size_t zero_len;    /* bytes there that become zero */
		size_t append_zero; /* zero bytes after */
		const char *append; /* then these */
		const char *message;
	} rows[] = {
	    {"whole", 3072, 0, 0, 0, "", NULL},
	    {"padded to a record", 3072, 0, 0, 7168, "", NULL},
	    {"cut at a member", 1024, 0, 0, 0, "", "two zero blocks, have an end after block 2"},
	    {"without its end", 2048, 0, 0, 0, "", "two zero blocks, have an end after block 4"},
	    {"one zero block", 2560, 0, 0, 0, "", "two zero blocks, have an end after block 5"},
	    {"half a block more", 3072, 0, 0, 256, "", "whole blocks of 512 bytes"},
	    {"zeroed middle", 3072, 1024, 512, 0, "", "have block 2 zero and data after it"},
	    {"zeroed middle, two blocks", 3072, 512, 1024, 0, "", "tar"},
	    {"data after the end", 3072, 0, 0, 512, "x", "data after it"},
	    {"a second tar's worth of zeros", 3072, 0, 0, 512, "", NULL},
	};
	struct rt_buf tar = {0};
	struct rt_error err;
	struct made_result result;
	static const char zeros[8192];
	char text[256];

	tar_of_two(&tar);
	tar.len = rows[_i].keep;
	memset(tar.data + rows[_i].zero_at, 0, rows[_i].zero_len);
	ck_assert_int_eq(rt_buf_append(&tar, zeros, rows[_i].append_zero, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&tar, rows[_i].append, strlen(rows[_i].append), &err),
			 RT_OK);
	make_decode(&result, tar.data, tar.len, true, &limits);
	(void)snprintf(text, sizeof(text), "<a.json>\n%s\n<b.json>\n%s\n", doc_a, doc_b);
	if (rows[_i].message)
		make_expect_error(&result, RT_E_INPUT, rows[_i].message, rows[_i].what);
	else
		make_expect_text(&result, text, rows[_i].what);
	rt_buf_release(&result.text);
	rt_buf_release(&tar);
}
END_TEST

/* A cut tar is refused in a compression too: the last thing its stream says is "clean end". */
START_TEST(test_tar_cut_in_gzip)
{
	struct rt_buf tar = {0};
	struct rt_buf file = {0};
	struct made_result result;

	tar_of_two(&tar);
	make_packed(&file, "gzip", "", tar.data, 1024);
	make_decode(&result, file.data, file.len, true, &limits);
	make_expect_error(&result, RT_E_INPUT, "have an end after block 2", "cut tar in gzip");
	rt_buf_release(&result.text);
	rt_buf_release(&file);
	rt_buf_release(&tar);
}
END_TEST

/* --- Zips by hand -------------------------------------------------------------------------- */

static void zip_of_two(struct rt_buf *zip)
{
	const struct make_member members[] = {
	    {.name = "a.json", .data = doc_a, .len = strlen(doc_a)},
	    {.name = "b.json", .data = doc_b, .len = strlen(doc_b)},
	};

	make_archive(zip, "zip", members, COUNT(members));
}

/* The last place of a short text in a buffer. */
static char *find_last(const struct rt_buf *buf, const char *text, size_t len)
{
	char *found = NULL;

	for (size_t at = 0; at + len <= buf->len; at++) {
		if (memcmp(buf->data + at, text, len) == 0)
			found = buf->data + at;
	}
	ck_assert_ptr_nonnull(found);
	return found;
}

static void zip_drop_directory(struct rt_buf *zip)
{
	char *directory = memmem(zip->data, zip->len, "PK\1\2", 4);

	ck_assert_ptr_nonnull(directory);
	zip->len = (size_t)(directory - zip->data);
}

static void zip_rename_local(struct rt_buf *zip)
{
	char *name = memmem(zip->data, zip->len, "b.json", 6);

	ck_assert_ptr_nonnull(name);
	name[0] = 'c';
}

static void zip_rename_central(struct rt_buf *zip)
{
	find_last(zip, "b.json", 6)[0] = 'c';
}

static void zip_count_one(struct rt_buf *zip)
{
	char *end = find_last(zip, "PK\5\6", 4);

	end[8] = 1;
	end[10] = 1;
}

static void zip_comment(struct rt_buf *zip)
{
	struct rt_error err;

	find_last(zip, "PK\5\6", 4)[20] = 5;
	ck_assert_int_eq(rt_buf_append(zip, "hello", 5, &err), RT_OK);
}

static void zip_garbage(struct rt_buf *zip)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(zip, "hello", 5, &err), RT_OK);
}

static void zip_same_member_twice(struct rt_buf *zip)
{
	char *second = find_last(zip, "PK\1\2", 4);
	char *first = memmem(zip->data, zip->len, "PK\1\2", 4);

	memcpy(second, first, 46 + 6);
}

/* The directory forgets the first member. */
static void zip_hide_first(struct rt_buf *zip)
{
	char *second = find_last(zip, "PK\1\2", 4);
	char *first = memmem(zip->data, zip->len, "PK\1\2", 4);
	char *end = find_last(zip, "PK\5\6", 4);
	size_t gone = (size_t)(second - first);

	end[8] = 1;
	end[10] = 1;
	end[12] = (char)(end[12] - (char)gone);
	memmove(first, second, (size_t)(zip->data + zip->len - second));
	zip->len -= gone;
}

static void zip_folder(struct rt_buf *zip)
{
	char *second = find_last(zip, "PK\1\2", 4);

	second[40] = 0;
	second[41] = 0x41;
}

/* A locator that leads to no 64-bit end record, in the place of the last entry's end. */
static void zip_locator(struct rt_buf *zip)
{
	memcpy(find_last(zip, "PK\5\6", 4) - 20, "PK\6\7", 4);
}

static void zip_bad_crc(struct rt_buf *zip)
{
	char *end = memmem(zip->data, zip->len, "PK\7\10", 4);
	char *first = memmem(zip->data, zip->len, "PK\1\2", 4);

	/* Local, descriptor and directory agree on a wrong sum. */
	zip->data[14] = (char)(zip->data[14] ^ 1);
	if (end)
		end[4] = (char)(end[4] ^ 1);
	first[16] = (char)(first[16] ^ 1);
}

static void zip_encrypted(struct rt_buf *zip)
{
	char *first = memmem(zip->data, zip->len, "PK\1\2", 4);

	zip->data[6] |= 1;
	first[8] |= 1;
}

START_TEST(test_zip)
{
	static const struct {
		const char *what;
		void (*change)(struct rt_buf *zip);
		const char *message; /* NULL: still good */
	} rows[] = {
	    {"no central directory", zip_drop_directory, "ends with its central directory"},
	    {"local name differs", zip_rename_local, "agrees with its members"},
	    {"central name differs", zip_rename_central, "agrees with its members"},
	    {"count too small", zip_count_one, "as many entries as it says"},
	    {"a comment", zip_comment, NULL},
	    {"garbage after", zip_garbage, "ends with its central directory"},
	    {"one member twice", zip_same_member_twice, "do not overlap, have it at offset 0"},
	    {"not in the directory", zip_hide_first, "in its directory, have one at offset 0"},
	    {"a folder", zip_folder, "by its attributes alone"},
	    {"a locator that misleads", zip_locator, "64-bit end record before its locator"},
	    {"wrong CRC", zip_bad_crc, "CRC"},
	    {"encrypted", zip_encrypted, "in clear"},
	};
	struct rt_buf zip = {0};
	struct made_result result;
	char text[256];

	zip_of_two(&zip);
	rows[_i].change(&zip);
	make_decode(&result, zip.data, zip.len, true, &limits);
	(void)snprintf(text, sizeof(text), "<a.json>\n%s\n<b.json>\n%s\n", doc_a, doc_b);
	if (rows[_i].message)
		make_expect_error(&result, RT_E_INPUT, rows[_i].message, rows[_i].what);
	else
		make_expect_text(&result, text, rows[_i].what);
	rt_buf_release(&result.text);
	rt_buf_release(&zip);
}
END_TEST

/* --- Cpios with sums ------------------------------------------------------------------------- */

/* A newc archive made into the "crc" form: another magic, and the sum of each member's bytes. */
static void cpio_with_sums(struct rt_buf *cpio, const struct make_member *members, size_t count)
{
	char *at;
	size_t i = 0;

	make_archive(cpio, "newc", members, count);
	while ((at = memmem(cpio->data, cpio->len, "070701", 6)) != NULL) {
		uint32_t sum = 0;
		char digits[9];

		for (size_t n = 0; i < count && n < members[i].len; n++)
			sum += ((const unsigned char *)members[i].data)[n];
		(void)snprintf(digits, sizeof(digits), "%08X", sum);
		at[5] = '2';
		memcpy(at + 102, digits, 8);
		i++;
	}
	/* And the trailer. */
	ck_assert_uint_eq(i, count + 1);
}

START_TEST(test_cpio_sum)
{
	static const struct {
		const char *what;
		const char *find; /* "" for no change */
		const char *message;
	} rows[] = {
	    {"as it is", "", NULL},
	    {"other data in the first", "high", "want a member with checksum"},
	    {"other data in the last", "xxxx", "want a member with checksum"},
	    {"other data in one that is not read", "plain", "want a member with checksum"},
	};
	const struct make_member members[] = {
	    {.name = "a.json", .data = doc_a, .len = strlen(doc_a)},
	    {.name = "c.txt", .data = "plain text", .len = 10},
	    {.name = "b.json", .data = doc_b, .len = strlen(doc_b)},
	};
	struct rt_buf cpio = {0};
	struct made_result result;
	char text[256];
	char *found;

	cpio_with_sums(&cpio, members, COUNT(members));
	found = memmem(cpio.data, cpio.len, rows[_i].find, strlen(rows[_i].find));
	ck_assert_ptr_nonnull(found);
	if (rows[_i].find[0])
		found[0] ^= 1;
	make_decode(&result, cpio.data, cpio.len, true, &limits);
	(void)snprintf(text, sizeof(text), "<a.json>\n%s\n<b.json>\n%s\n", doc_a, doc_b);
	if (rows[_i].message)
		make_expect_error(&result, RT_E_INPUT, rows[_i].message, rows[_i].what);
	else
		make_expect_text(&result, text, rows[_i].what);
	rt_buf_release(&result.text);
	rt_buf_release(&cpio);
}
END_TEST

/* A header that lies across the bytes handed to libarchive at a time is found all the same. */
START_TEST(test_cpio_sum_across)
{
	static char data[263000];
	/* The bytes that were looked at come first, then whole blocks. */
	const size_t across = RT_MAGIC_BYTES + RT_FEED_BYTES;
	struct rt_buf cpio = {0};
	struct made_result result;

	memset(data, 'x', sizeof(data));
	for (size_t shift = 0; shift < 480; shift += 8) {
		const struct make_member members[] = {
		    {.name = "a.json", .data = data, .len = across - 480 + shift},
		    {.name = "b.json", .data = doc_a, .len = strlen(doc_a)},
		};

		cpio.len = 0;
		cpio_with_sums(&cpio, members, COUNT(members));
		make_decode(&result, cpio.data, cpio.len, true, &limits);
		ck_assert_msg(result.status == RT_OK && result.parts == 2, "%zu: %s", shift,
			      result.err.message);
		rt_buf_release(&result.text);
	}
	rt_buf_release(&cpio);
}
END_TEST

/* Blocks of zeros after gzip data are what tapes leave; between members nothing may be. */
START_TEST(test_gzip_padding)
{
	struct rt_buf file = {0};
	struct rt_error err;
	struct made_result result;
	static const char zeros[100000];
	char text[256];

	(void)snprintf(text, sizeof(text), "<>\n%s\n", doc_a);
	make_packed(&file, "gzip", "", doc_a, strlen(doc_a));
	ck_assert_int_eq(rt_buf_append(&file, zeros, sizeof(zeros), &err), RT_OK);
	make_decode(&result, file.data, file.len, true, &limits);
	make_expect_text(&result, text, "zeros after");
	rt_buf_release(&result.text);
	make_packed(&file, "gzip", "", doc_a, strlen(doc_a));
	make_decode(&result, file.data, file.len, true, &limits);
	make_expect_error(&result, RT_E_INPUT, "nothing after", "a member after zeros");
	rt_buf_release(&result.text);
	rt_buf_release(&file);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("decode_damage");
	TCase *tcase = tcase_create("decode_damage");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_truncated_container, 0, COUNT(formats));
	tcase_add_loop_test(tcase, test_truncated_packed, 1, COUNT(filters));
	tcase_add_loop_test(tcase, test_concatenated, 1, COUNT(filters));
	tcase_add_loop_test(tcase, test_trailing, 1, COUNT(filters) + 1);
	tcase_add_loop_test(tcase, test_flipped_packed, 1, COUNT(filters));
	tcase_add_loop_test(tcase, test_flipped_container, 0, 2);
	tcase_add_loop_test(tcase, test_tar_end, 0, 10);
	tcase_add_test(tcase, test_tar_cut_in_gzip);
	tcase_add_loop_test(tcase, test_zip, 0, 12);
	tcase_add_loop_test(tcase, test_cpio_sum, 0, 4);
	tcase_add_test(tcase, test_cpio_sum_across);
	tcase_add_test(tcase, test_gzip_padding);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
