/*
 * One zip member's headers: what the directory, the local header and the extra fields may say
 * beside each other, and what makes readers differ.
 */
#include "decode/zip_headers.h"

#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define NONE RT_SLICE("")

static struct rt_error err;

static void put(uint8_t *at, unsigned bytes, uint64_t value)
{
	for (; bytes--; value >>= 8)
		*at++ = (uint8_t)value;
}

/* An entry of 5 stored bytes at offset 7 with CRC 9. */
static void entry_make(uint8_t *entry, unsigned system, uint32_t attributes, unsigned flags)
{
	memset(entry, 0, RT_ZIP_CENTRAL_BYTES);
	put(entry, 4, 0x02014b50);
	put(entry + 4, 2, system << 8 | 20);
	put(entry + 8, 2, flags);
	put(entry + 16, 4, 9);
	put(entry + 20, 4, 5);
	put(entry + 24, 4, 5);
	put(entry + 38, 4, attributes);
	put(entry + 42, 4, 7);
}

/* Its local header. */
static void local_make(uint8_t *local, unsigned flags)
{
	memset(local, 0, RT_ZIP_LOCAL_BYTES);
	put(local, 4, 0x04034b50);
	put(local + 6, 2, flags);
	put(local + 14, 4, 9);
	put(local + 18, 4, 5);
	put(local + 22, 4, 5);
}

static void expect(enum rt_status status, const char *message, const char *what)
{
	if (!message)
		ck_assert_msg(status == RT_OK, "%s: %s", what, err.message);
	else
		ck_assert_msg(status == RT_REJECT && strstr(err.message, message), "%s: %d: %s",
			      what, (int)status, err.message);
}

static const struct {
	const char *what;
	struct rt_slice name;
	unsigned flags;
	struct rt_slice extra;
	const char *directory; /* NULL: good there */
	const char *local;
} extras[] = {
    {"none", RT_SLICE("b.json"), 0, NONE, NULL, NULL},
    {"padding", RT_SLICE("b.json"), 0, RT_SLICE("\0\0\0"), NULL, NULL},
    {"no field", RT_SLICE("b.json"), 0, RT_SLICE("\0\0\0\1"), "whole extra fields",
     "whole extra fields"},
    {"cut", RT_SLICE("b.json"), 0, RT_SLICE("UT\5\0\1abc"), "whole extra fields",
     "whole extra fields"},
    {"same name", RT_SLICE("b.json"), 0, RT_SLICE("up\13\0\1CRC.b.json"), NULL, NULL},
    {"another name", RT_SLICE("b.json"), 0, RT_SLICE("up\12\0\1CRC.b.txt"),
     "\"b.txt\" in field 0x7075 of its directory", "\"b.txt\" in field 0x7075 of its local header"},
    {"a longer name", RT_SLICE("b.json"), 0, RT_SLICE("up\14\0\1CRC.b.json/"), "one name",
     "one name"},
    {"a NUL in the name", RT_SLICE("b.json"), 0, RT_SLICE("up\14\0\1CRC.b.json\0"), "one name",
     "one name"},
    {"the second name", RT_SLICE("b"), 0, RT_SLICE("up\6\0\1CRC.bup\6\0\1CRC.c"), "one name",
     "one name"},
    {"no name", RT_SLICE("b"), 0, RT_SLICE("up\1\0\1"), "one name", "one name"},
    {"an old encoding", RT_SLICE("\x84h.json"), 0, RT_SLICE("up\15\0\1CRC.\xC3\xA4h.json"), NULL,
     NULL},
    {"an old encoding, other ASCII", RT_SLICE("\x84h.json"), 0,
     RT_SLICE("up\15\0\1CRC.\xC3\xA4h.jsom"), "one name", "one name"},
    {"an old encoding, none here", RT_SLICE("\x84h"), 0, RT_SLICE("up\6\0\1CRC.h"), "one name",
     "one name"},
    {"UTF-8, spelled another way", RT_SLICE("\xC3\xA4h"), RT_ZIP_UTF8,
     RT_SLICE("up\10\0\1CRC.\xC3\xB6h"), "one name", "one name"},
    {"same attributes", RT_SLICE("b"), 0, RT_SLICE("xl\7\0\5\24\3\0\0\xA4\x81"), NULL, NULL},
    {"same attributes, long map", RT_SLICE("b"), 0, RT_SLICE("xl\11\0\x85\x80\1\24\3\0\0\xA4\x81"),
     NULL, NULL},
    {"same attributes, inner ones too", RT_SLICE("b"), 0, RT_SLICE("xl\11\0\7\24\3zz\0\0\xA4\x81"),
     NULL, NULL},
    {"a folder's attributes", RT_SLICE("b"), 0, RT_SLICE("xl\7\0\5\24\3\0\0\xED\x41"), "one type",
     "one type"},
    {"attributes of another system", RT_SLICE("b"), 0, RT_SLICE("xl\7\0\5\24\0\0\0\xA4\x81"),
     "one type", "one type"},
    {"attributes without a system", RT_SLICE("b"), 0, RT_SLICE("xl\5\0\4\0\0\xA4\x81"), NULL,
     "one type in all headers of a zip member, have another in field 0x6c78 of its "
     "local header"},
    {"cut attributes", RT_SLICE("b"), 0, RT_SLICE("xl\5\0\5\24\3\0\0"), "one type", "one type"},
    {"no map", RT_SLICE("b"), 0, RT_SLICE("xl\0\0"), NULL, NULL},
    {"a map without end", RT_SLICE("b"), 0, RT_SLICE("xl\2\0\x81\x80"), "one type", "one type"},
    {"a file's mode", RT_SLICE("b"), 0, RT_SLICE("nu\6\0CRC.\xA4\x81"), NULL, NULL},
    {"a link's mode", RT_SLICE("b"), 0, RT_SLICE("nu\6\0CRC.\xFF\xA1"), "one type", "one type"},
    {"same sizes of 8 bytes", RT_SLICE("b"), 0,
     RT_SLICE("\1\0\20\0\5\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0"), NULL, NULL},
    {"other sizes of 8 bytes", RT_SLICE("b"), 0,
     RT_SLICE("\1\0\20\0\5\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0"), "one size", "one size"},
};

START_TEST(test_extra)
{
	uint8_t entry[RT_ZIP_CENTRAL_BYTES];
	uint8_t local[RT_ZIP_LOCAL_BYTES];
	struct rt_zip_central central;

	entry_make(entry, 3, UINT32_C(0100644) << 16, extras[_i].flags);
	local_make(local, extras[_i].flags);
	expect(rt_zip_central_read(entry, extras[_i].name, extras[_i].extra, &central, &err),
	       extras[_i].directory, extras[_i].what);
	ck_assert_int_eq(rt_zip_central_read(entry, extras[_i].name, NONE, &central, &err), RT_OK);
	expect(rt_zip_local_check(&central, local, extras[_i].name, extras[_i].extra, &err),
	       extras[_i].local, extras[_i].what);
}
END_TEST

START_TEST(test_kind)
{
	static const struct {
		struct rt_slice name;
		unsigned system;
		uint32_t attributes;
		bool has_data;
		const char *message;
	} rows[] = {
	    {RT_SLICE("b"), 3, UINT32_C(0100644) << 16, true, NULL},
	    {RT_SLICE("b"), 3, UINT32_C(0000644) << 16, true, NULL},
	    {RT_SLICE("b"), 3, UINT32_C(0010644) << 16, true, NULL},
	    {RT_SLICE("b"), 3, UINT32_C(0120777) << 16, true, NULL},
	    {RT_SLICE("b"), 0, 0x20, true, NULL},
	    {RT_SLICE("b"), 0, UINT32_C(0100644) << 16, true, NULL},
	    {RT_SLICE("b/"), 3, UINT32_C(0040755) << 16 | 0x10, false, NULL},
	    {RT_SLICE("b/"), 0, 0x10, false, NULL},
	    {RT_SLICE("b/"), 0, 0, false, NULL},
	    {RT_SLICE("b\\"), 0, 0x10, false, NULL},
	    {RT_SLICE("b"), 3, UINT32_C(0040755) << 16, false, "by its attributes alone"},
	    {RT_SLICE("b"), 0, 0x10, true, "by its attributes alone"},
	    {RT_SLICE("b"), 10, 0x10, true, "by its attributes alone"},
	    {RT_SLICE("b"), 0, UINT32_C(0040755) << 16, true, "by its attributes alone"},
	    {RT_SLICE("b"), 0, UINT32_C(0120777) << 16, true, "a link in some of its attributes"},
	    {RT_SLICE("b/"), 3, UINT32_C(0120777) << 16, false, "a link in some"},
	    {RT_SLICE("b"), 3, UINT32_C(0060644) << 16, true, "have type 060000"},
	    {RT_SLICE("b/"), 3, UINT32_C(0040755) << 16, true, "without data, have 5 bytes"},
	};
	uint8_t entry[RT_ZIP_CENTRAL_BYTES];
	struct rt_zip_central central;

	entry_make(entry, rows[_i].system, rows[_i].attributes, 0);
	if (!rows[_i].has_data)
		memset(entry + 16, 0, 12);
	expect(rt_zip_central_read(entry, rows[_i].name, NONE, &central, &err), rows[_i].message,
	       rows[_i].name.ptr);
}
END_TEST

START_TEST(test_local)
{
	static const struct {
		const char *what;
		unsigned flags; /* of the local header; the directory has none */
		unsigned at;    /* where bytes become value */
		unsigned bytes;
		uint64_t value;
		const char *message;
	} rows[] = {
	    {"as it is", 0, 14, 4, 9, NULL},
	    {"method", 0, 8, 2, 8, "another method"},
	    {"encryption", RT_ZIP_ENCRYPTED, 14, 4, 9, "another encryption"},
	    {"CRC", 0, 14, 4, 8, "another CRC"},
	    {"no CRC", 0, 14, 4, 0, "another CRC"},
	    {"no CRC yet", RT_ZIP_AFTER, 14, 4, 0, NULL},
	    {"another CRC, and one after", RT_ZIP_AFTER, 14, 4, 8, "another CRC"},
	    {"packed size", 0, 18, 4, 6, "another packed size"},
	    {"no packed size", 0, 18, 4, 0, "another packed size"},
	    {"no packed size yet", RT_ZIP_AFTER, 18, 4, 0, NULL},
	    {"packed size elsewhere", RT_ZIP_AFTER, 18, 4, UINT32_MAX, NULL},
	    {"packed size nowhere", 0, 18, 4, UINT32_MAX, "another packed size"},
	    {"size", 0, 22, 4, 4, "another size"},
	    {"spelling of a name in ASCII", RT_ZIP_UTF8, 14, 4, 9, NULL},
	};
	uint8_t entry[RT_ZIP_CENTRAL_BYTES];
	uint8_t local[RT_ZIP_LOCAL_BYTES];
	struct rt_zip_central central;

	entry_make(entry, 0, 0, 0);
	local_make(local, rows[_i].flags);
	put(local + rows[_i].at, rows[_i].bytes, rows[_i].value);
	ck_assert_int_eq(rt_zip_central_read(entry, RT_SLICE("b"), NONE, &central, &err), RT_OK);
	expect(rt_zip_local_check(&central, local, RT_SLICE("b"), NONE, &err), rows[_i].message,
	       rows[_i].what);
	expect(rt_zip_local_check(&central, local, RT_SLICE("c"), NONE, &err), "another name",
	       rows[_i].what);
}
END_TEST

/* What a name beyond ASCII is spelled in is told by a flag, in which the headers must agree. */
START_TEST(test_spelling)
{
	uint8_t entry[RT_ZIP_CENTRAL_BYTES];
	uint8_t local[RT_ZIP_LOCAL_BYTES];
	struct rt_zip_central central;

	entry_make(entry, 0, 0, 0);
	local_make(local, RT_ZIP_UTF8);
	ck_assert_int_eq(rt_zip_central_read(entry, RT_SLICE("\xC3\xA4"), NONE, &central, &err),
			 RT_OK);
	expect(rt_zip_local_check(&central, local, RT_SLICE("\xC3\xA4"), NONE, &err),
	       "another name", "UTF-8 in one only");
}
END_TEST

#define ONES "\xff\xff\xff\xff"

START_TEST(test_long)
{
	static const struct {
		const char *what;
		const char *values; /* packed size, size */
		const char *offset;
		struct rt_slice extra;
		uint64_t packed, size, local;
		const char *message;
	} rows[] = {
	    {"offset", "\5\0\0\0\5\0\0", ONES, RT_SLICE("\1\0\10\0\0\0\0\0\1\0\0\0"), 5, 5,
	     UINT64_C(1) << 32, NULL},
	    {"offset and volume", "\5\0\0\0\5\0\0", ONES,
	     RT_SLICE("\1\0\14\0\0\0\0\0\1\0\0\0\0\0\0"), 5, 5, UINT64_C(1) << 32, NULL},
	    {"all", ONES ONES, ONES,
	     RT_SLICE("\1\0\30\0\5\0\0\0\1\0\0\0\5\0\0\0\1\0\0\0\7\0\0\0\2\0\0"),
	     UINT64_C(0x100000005), UINT64_C(0x100000005), UINT64_C(0x200000007), NULL},
	    {"all, where one is needed", "\5\0\0\0\5\0\0", ONES,
	     RT_SLICE("\1\0\30\0\5\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\7\0\0\0\0\0\0"), 0, 0, 0,
	     "one size"},
	    {"too few", ONES ONES, ONES, RT_SLICE("\1\0\20\0\5\0\0\0\0\0\0\0\5\0\0\0\0\0\0"), 0, 0,
	     0, "one size"},
	    {"stored in fewer bytes", "\4\0\0\0\5\0\0", "\7\0\0", NONE, 0, 0, 0,
	     "have method 0, 4 and 5 bytes"},
	};
	uint8_t entry[RT_ZIP_CENTRAL_BYTES];
	struct rt_zip_central central;
	/* The last byte of a row is its NUL. */
	struct rt_slice extra = rows[_i].extra;
	enum rt_status status;

	extra.len += extra.len ? 1 : 0;
	entry_make(entry, 0, 0, 0);
	memcpy(entry + 20, rows[_i].values, 8);
	memcpy(entry + 42, rows[_i].offset, 4);
	status = rt_zip_central_read(entry, RT_SLICE("b"), extra, &central, &err);
	expect(status, rows[_i].message, rows[_i].what);
	if (status != RT_OK)
		return;
	ck_assert_uint_eq(central.packed, rows[_i].packed);
	ck_assert_uint_eq(central.size, rows[_i].size);
	ck_assert_uint_eq(central.local, rows[_i].local);
}
END_TEST

START_TEST(test_descriptor)
{
	static const struct {
		const char *what;
		struct rt_slice bytes;
		size_t want;
	} rows[] = {
	    {"magic", RT_SLICE("PK\7\10\3\0\0\0\1\0\0\0\2\0\0\0"), 16},
	    {"bare", RT_SLICE("\3\0\0\0\1\0\0\0\2\0\0\0PK\3\4"), 12},
	    {"long", RT_SLICE("PK\7\10\3\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"), 24},
	    {"long and bare", RT_SLICE("\3\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"), 20},
	    {"cut", RT_SLICE("PK\7\10\3\0\0\0\1\0\0\0\2\0\0"), 0},
	    {"another size", RT_SLICE("PK\7\10\3\0\0\0\1\0\0\0\3\0\0\0"), 0},
	    {"another CRC", RT_SLICE("PK\7\10\4\0\0\0\1\0\0\0\2\0\0\0"), 0},
	    {"nothing", RT_SLICE(""), 0},
	};

	ck_assert_msg(rt_zip_descriptor_len(1, 2, 3, (const uint8_t *)rows[_i].bytes.ptr,
					    rows[_i].bytes.len) == rows[_i].want,
		      "%s", rows[_i].what);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("zip_headers");
	TCase *tcase = tcase_create("zip_headers");

	tcase_add_loop_test(tcase, test_extra, 0, 27);
	tcase_add_loop_test(tcase, test_kind, 0, 18);
	tcase_add_loop_test(tcase, test_local, 0, 14);
	tcase_add_test(tcase, test_spelling);
	tcase_add_loop_test(tcase, test_long, 0, 6);
	tcase_add_loop_test(tcase, test_descriptor, 0, 8);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
