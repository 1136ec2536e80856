/*
 * The forms of a zip: descriptors, 64-bit fields, comments, an order of the directory that is not
 * the data's. All but the patched member must stay, byte for byte, and readers that stream must
 * still find their way.
 */
#include "repack_make.h"
#include "unit.h"

#define DOC "[{\"id\":\"a\"}]\n"
#define NEW "[{\"id\":\"LONGER\"}]\n"

/* How a member is written. */
enum {
	Z_DEFLATE = 1,    /* else stored */
	Z_AFTER = 2,      /* sizes in a descriptor, with its magic */
	Z_BARE = 4,       /* and without */
	Z_LONG = 8,       /* the descriptor's sizes are of 8 bytes */
	Z_LOCAL64 = 16,   /* 64-bit extra field in the local header */
	Z_CENTRAL64 = 32, /* and in the directory, for sizes and offset */
	Z_REVERSED = 64,  /* the directory is in reverse order */
	Z_END64 = 128,    /* 64-bit end records */
	Z_COMMENT = 256,  /* of each member and of the whole */
	Z_GAP = 512,      /* bytes between members that belong to none */
	Z_NEW = 1024,     /* as the repacker writes a patched member: no descriptor */
};

static struct rt_buf archive, want;
static struct rt_patches patches;
static struct repacked result;

static void setup(void)
{
	memset(&archive, 0, sizeof(archive));
	memset(&want, 0, sizeof(want));
	memset(&patches, 0, sizeof(patches));
	memset(&result, 0, sizeof(result));
}

static void teardown(void)
{
	rt_buf_release(&archive);
	rt_buf_release(&want);
	rt_patches_release(&patches);
	rt_buf_release(&result.bytes);
}

static void put(struct rt_buf *out, const void *data, size_t len)
{
	ck_assert_int_eq(rt_buf_append(out, data, len, &(struct rt_error){0}), RT_OK);
}

static void put_number(struct rt_buf *out, unsigned bytes, uint64_t value)
{
	for (; bytes--; value >>= 8)
		put(out, (uint8_t[]){(uint8_t)value}, 1);
}

struct entry {
	const char *name;
	struct rt_buf packed;
	uint64_t size;
	uint32_t crc;
	uint64_t offset;
	unsigned how;
};

static void entry_pack(struct entry *entry, const char *data)
{
	static uint8_t room[8192];
	z_stream z = {.next_in = (Bytef *)(uintptr_t)data,
		      .avail_in = (uInt)strlen(data),
		      .next_out = room,
		      .avail_out = sizeof(room)};

	entry->size = strlen(data);
	entry->crc = (uint32_t)crc32(crc32(0, NULL, 0), z.next_in, z.avail_in);
	if (!(entry->how & Z_DEFLATE)) {
		put(&entry->packed, data, strlen(data));
		return;
	}
	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	put(&entry->packed, room, sizeof(room) - z.avail_out);
	(void)deflateEnd(&z);
}

static void put_flags(struct rt_buf *out, const struct entry *entry, unsigned version)
{
	bool after = entry->how & (Z_AFTER | Z_BARE) && !(entry->how & Z_NEW);

	put_number(out, 2, version);
	put_number(out, 2, after ? 0x0808 : 0x0800);
	put_number(out, 2, entry->how & Z_DEFLATE ? 8 : 0);
	put_number(out, 4, 0x5a215a21);
}

static void put_local(struct rt_buf *out, struct entry *entry)
{
	bool after = entry->how & (Z_AFTER | Z_BARE) && !(entry->how & Z_NEW);
	bool is_long = entry->how & Z_LOCAL64;
	/* What is unknown before the data is 0. */
	uint64_t size = after ? 0 : entry->size;
	uint64_t packed = after ? 0 : entry->packed.len;

	if (entry->how & Z_GAP && out->len)
		put(out, "between members", 15);
	entry->offset = out->len;
	put(out, "PK\3\4", 4);
	put_flags(out, entry, is_long ? 45 : 20);
	put_number(out, 4, after ? 0 : entry->crc);
	put_number(out, 4, is_long ? UINT32_MAX : packed);
	put_number(out, 4, is_long ? UINT32_MAX : size);
	put_number(out, 2, strlen(entry->name));
	put_number(out, 2, is_long ? 9 + 20 : 9);
	put(out, entry->name, strlen(entry->name));
	if (is_long) {
		put(out, "\1\0\x10\0", 4);
		put_number(out, 8, size);
		put_number(out, 8, packed);
	}
	put(out, "UT\5\0\1\0\0\0\x5f", 9);
	put(out, entry->packed.data, entry->packed.len);
	if (!after)
		return;
	if (entry->how & Z_AFTER)
		put(out, "PK\7\10", 4);
	put_number(out, 4, entry->crc);
	put_number(out, entry->how & Z_LONG ? 8 : 4, entry->packed.len);
	put_number(out, entry->how & Z_LONG ? 8 : 4, entry->size);
}

static void put_central(struct rt_buf *out, const struct entry *entry)
{
	bool is_long = entry->how & Z_CENTRAL64;

	put(out, "PK\1\2", 4);
	put_number(out, 2, 0x0314);
	put_flags(out, entry, is_long ? 45 : 20);
	put_number(out, 4, entry->crc);
	put_number(out, 4, is_long ? UINT32_MAX : entry->packed.len);
	put_number(out, 4, is_long ? UINT32_MAX : entry->size);
	put_number(out, 2, strlen(entry->name));
	put_number(out, 2, is_long ? 9 + 28 : 9);
	put_number(out, 2, entry->how & Z_COMMENT ? 6 : 0);
	put_number(out, 2, 0);
	put_number(out, 2, 1);
	put_number(out, 4, (uint64_t)0100640 << 16);
	put_number(out, 4, is_long ? UINT32_MAX : entry->offset);
	put(out, entry->name, strlen(entry->name));
	if (is_long) {
		put(out, "\1\0\x18\0", 4);
		put_number(out, 8, entry->size);
		put_number(out, 8, entry->packed.len);
		put_number(out, 8, entry->offset);
	}
	put(out, "UT\5\0\1\0\0\0\x5f", 9);
	if (entry->how & Z_COMMENT)
		put(out, "member", 6);
}

static void put_end(struct rt_buf *out, unsigned how, size_t count, size_t start)
{
	size_t end = out->len;

	if (how & Z_END64) {
		put(out, "PK\6\6", 4);
		put_number(out, 8, 44);
		put_number(out, 4, 45 << 16 | 45);
		put_number(out, 8, 0);
		put_number(out, 8, count);
		put_number(out, 8, count);
		put_number(out, 8, end - start);
		put_number(out, 8, start);
		put(out, "PK\6\7", 4);
		put_number(out, 4, 0);
		put_number(out, 8, end);
		put_number(out, 4, 1);
	}
	put(out, "PK\5\6", 4);
	put_number(out, 4, 0);
	put_number(out, 2, how & Z_END64 ? UINT16_MAX : count);
	put_number(out, 2, how & Z_END64 ? UINT16_MAX : count);
	put_number(out, 4, how & Z_END64 ? UINT32_MAX : end - start);
	put_number(out, 4, how & Z_END64 ? UINT32_MAX : start);
	put_number(out, 2, how & Z_COMMENT ? 9 : 0);
	if (how & Z_COMMENT)
		put(out, "the whole", 9);
}

static void put_zip(struct rt_buf *out, unsigned how, const char *document, bool is_new)
{
	struct entry entries[] = {{.name = "first.txt", .how = how},
				  {.name = "a.json", .how = how | (is_new ? Z_NEW : 0)},
				  {.name = "b.yaml", .how = how ^ Z_DEFLATE},
				  {.name = "last.txt", .how = how}};
	const char *const data[] = {"the first", document, "id: b\n", "the last"};
	size_t start;

	for (size_t i = 0; i < COUNT(entries); i++) {
		entry_pack(&entries[i], data[i]);
		put_local(out, &entries[i]);
	}
	if (how & Z_GAP)
		put(out, "before the directory", 20);
	start = out->len;
	for (size_t i = 0; i < COUNT(entries); i++)
		put_central(out, &entries[how & Z_REVERSED ? COUNT(entries) - 1 - i : i]);
	put_end(out, how, COUNT(entries), start);
	for (size_t i = 0; i < COUNT(entries); i++)
		rt_buf_release(&entries[i].packed);
}

static const struct {
	const char *what;
	unsigned how;
} rows[] = {
    {"stored", 0},
    {"deflated", Z_DEFLATE},
    {"stored, sizes after", Z_AFTER},
    {"deflated, sizes after", Z_DEFLATE | Z_AFTER},
    {"sizes after without magic", Z_DEFLATE | Z_BARE},
    {"sizes of 8 bytes after", Z_DEFLATE | Z_AFTER | Z_LONG | Z_LOCAL64},
    {"64-bit local field", Z_DEFLATE | Z_LOCAL64},
    {"64-bit directory", Z_CENTRAL64 | Z_LOCAL64},
    {"64-bit directory and end", Z_DEFLATE | Z_CENTRAL64 | Z_END64},
    {"64-bit end only", Z_DEFLATE | Z_END64},
    {"directory in reverse order", Z_REVERSED | Z_DEFLATE},
    {"comments", Z_COMMENT},
    {"gaps", Z_GAP | Z_DEFLATE},
    {"everything", Z_DEFLATE | Z_AFTER | Z_LONG | Z_LOCAL64 | Z_CENTRAL64 | Z_REVERSED | Z_END64 |
		       Z_COMMENT | Z_GAP},
};

/* A reader that has no directory finds every member. */
static void check_stream(struct rt_slice bytes, const char *what)
{
	struct archive *reader = archive_read_new();
	struct archive_entry *entry;
	unsigned members = 0;

	archive_read_support_format_zip_streamable(reader);
	ck_assert_int_eq(archive_read_open_memory(reader, bytes.ptr, bytes.len), ARCHIVE_OK);
	while (archive_read_next_header(reader, &entry) == ARCHIVE_OK) {
		uint64_t len;

		(void)repack_crc(reader, &len, what);
		ck_assert_uint_gt(len, 0);
		members++;
	}
	ck_assert_msg(members == 4, "%s: %u members", what, members);
	archive_read_free(reader);
}

START_TEST(test_forms)
{
	const char *what = rows[_i].what;
	struct made_result read;

	put_zip(&archive, rows[_i].how, DOC, false);
	put_zip(&want, rows[_i].how, NEW, true);
	repack_patch(&patches, 0, 8, 1, "LONGER");
	repack_run(&result, rt_buf_slice(&archive), &patches, 0, NULL);
	repack_ok(&result, what);
	ck_assert_uint_eq(result.parts, 2);
	repack_same_bytes(rt_buf_slice(&result.bytes), rt_buf_slice(&want), what);
	repack_parts(&read, rt_buf_slice(&result.bytes));
	make_expect_text(&read, "<a.json>\n" NEW "\n<b.yaml>\nid: b\n\n", what);
	repack_same_members(rt_buf_slice(&archive), rt_buf_slice(&result.bytes), what);
	/* Stored members with their sizes after cannot be streamed by anybody. */
	if (!(rows[_i].how & (Z_AFTER | Z_BARE | Z_GAP)))
		check_stream(rt_buf_slice(&result.bytes), what);
	rt_buf_release(&read.text);
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		const char *what;
		unsigned how;
		const char *find; /* where to change a byte, from the archive's end */
		size_t at;
		char byte;
		const char *message;
	} bad[] = {
	    {"another method, twice", 0, NULL, 0, 12,
	     "want a zip member that is stored or deflated to change it, have it packed with "
	     "bzip2 (method 12): pack the zip anew with deflate, or keep the updates in a journal "
	     "(--journal)"},
	    {"another method that is not told", 0, NULL, 0, 14, "packed with LZMA (method 14)"},
	    {"a descriptor with another size", Z_DEFLATE | Z_AFTER, "PK\7\10", 8, 77, "want a zip"},
	};
	char *at;

	put_zip(&archive, bad[_i].how, DOC, false);
	if (bad[_i].find) {
		at = memmem(archive.data, archive.len, "a.json", 6);
		at = memmem(at, archive.len - (size_t)(at - archive.data), bad[_i].find, 4);
		ck_assert_ptr_nonnull(at);
		at[bad[_i].at] = bad[_i].byte;
	} else {
		/* In the local header and in the directory; libarchive reads method 12. */
		at = memmem(archive.data, archive.len, "a.json", 6);
		at[-22] = bad[_i].byte;
		at = memmem(at + 6, archive.len - (size_t)(at + 6 - archive.data), "a.json", 6);
		at[-36] = bad[_i].byte;
	}
	repack_patch(&patches, 0, 8, 1, "LONGER");
	repack_run(&result, rt_buf_slice(&archive), &patches, 0, NULL);
	ck_assert_msg(result.status == RT_REJECT && result.err.code == RT_E_INPUT,
		      "%s: status %d: %s", bad[_i].what, (int)result.status, result.err.message);
	ck_assert_msg(strstr(result.err.message, bad[_i].message), "%s: %s", bad[_i].what,
		      result.err.message);
}
END_TEST

/* Members that are only copied: their CRC is checked too, where it can be. */
START_TEST(test_copied)
{
	static const struct {
		const char *what;
		unsigned how;
		bool is_encrypted;
		const char *message;
	} copied[] = {
	    {"stored", 0, false, "want a zip member with CRC"},
	    {"deflated", Z_DEFLATE, false, "CRC"},
	    {"encrypted", 0, true, NULL},
	};
	char *central;

	put_zip(&archive, copied[_i].how, DOC, false);
	central = memmem(archive.data, archive.len, "PK\1\2", 4);
	ck_assert_ptr_nonnull(central);
	/* The first member, in its local header and in the directory. */
	archive.data[14] ^= 1;
	central[16] ^= 1;
	archive.data[6] |= copied[_i].is_encrypted;
	central[8] |= copied[_i].is_encrypted;
	repack_patch(&patches, 0, 8, 1, "LONGER");
	repack_run(&result, rt_buf_slice(&archive), &patches, 0, NULL);
	if (!copied[_i].message) {
		repack_ok(&result, copied[_i].what);
		return;
	}
	ck_assert_msg(result.status == RT_REJECT && result.err.code == RT_E_INPUT &&
			  strcmp(result.err.member, "first.txt") == 0 &&
			  strstr(result.err.message, copied[_i].message),
		      "%s: status %d: [%s] %s", copied[_i].what, (int)result.status,
		      result.err.member, result.err.message);
}
END_TEST

/* A member whose data are another member. */
START_TEST(test_overlap)
{
	struct entry inner = {.name = "in.txt"}, outer = {.name = "a.json"};
	struct rt_buf nested = {0};
	size_t start;

	entry_pack(&inner, "inside");
	put_local(&nested, &inner);
	/* In front, so that the outer data are not taken for a zip. */
	put(&outer.packed, "[1]", 3);
	put(&outer.packed, nested.data, nested.len);
	outer.size = outer.packed.len;
	outer.crc = (uint32_t)crc32(0, (const Bytef *)outer.packed.data, (uInt)outer.packed.len);
	put_local(&archive, &outer);
	inner.offset = archive.len - nested.len;
	start = archive.len;
	put_central(&archive, &outer);
	put_central(&archive, &inner);
	put_end(&archive, 0, 2, start);
	for (int i = 0; i < 2; i++) {
		repack_run(&result, rt_buf_slice(&archive), &patches, 0, NULL);
		ck_assert_int_eq(result.status, RT_REJECT);
		ck_assert_ptr_nonnull(strstr(result.err.message, "members that do not overlap"));
		ck_assert_str_eq(result.err.member, "in.txt");
		repack_patch(&patches, 0, 5, 1, "XX");
	}
	rt_buf_release(&nested);
	rt_buf_release(&inner.packed);
	rt_buf_release(&outer.packed);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("repack_zip");
	TCase *tcase = tcase_create("repack_zip");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_forms, 0, (int)COUNT(rows));
	tcase_add_loop_test(tcase, test_refused, 0, 3);
	tcase_add_loop_test(tcase, test_copied, 0, 3);
	tcase_add_test(tcase, test_overlap);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
