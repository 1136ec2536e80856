/*
 * The forms of tar that writers of archives have come up with: where the size stands,
 * what stands in front of a header, and how an archive ends. Everything but size, checksum, data
 * and padding of the patched member must stay.
 */
#include "repack_make.h"
#include "unit.h"

#define BLOCK 512u
#define DOC "[{\"id\":\"a\"}]\n" /* 13 bytes */
#define NEW "[{\"id\":\"LONGER\"}]\n"

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

static void put_zeros(struct rt_buf *out, size_t len)
{
	while (len--)
		put(out, "", 1);
}

/* One header block. size: the field's 12 bytes as they are to be. */
static void put_header(struct rt_buf *out, const char *name, char type, const char *link,
		       const char size[static 12])
{
	char block[BLOCK] = "";
	unsigned sum = 0;

	memcpy(block, name, strlen(name));
	memcpy(block + 100, "0000644", 8);
	memcpy(block + 108, "0000000", 8);
	memcpy(block + 116, "0000000", 8);
	memcpy(block + 124, size, 12);
	memcpy(block + 136, "14524606400", 12);
	memset(block + 148, ' ', 8);
	block[156] = type;
	memcpy(block + 157, link, strlen(link));
	memcpy(block + 257,
	       "ustar\0"
	       "00",
	       8);
	for (size_t i = 0; i < sizeof(block); i++)
		sum += (unsigned char)block[i];
	(void)snprintf(block + 148, 8, "%06o", sum);
	put(out, block, sizeof(block));
}

static void put_member(struct rt_buf *out, const char *name, char type, const char *data,
		       const char size[static 12])
{
	put_header(out, name, type, "", size);
	put(out, data, strlen(data));
	put_zeros(out, (BLOCK - strlen(data) % BLOCK) % BLOCK);
}

static void octal(char text[static 32], size_t value)
{
	(void)snprintf(text, 32, "%011zo", value);
}

/* A member with its size in the usual form. */
static void put_usual(struct rt_buf *out, const char *name, char type, const char *data)
{
	char size[32];

	octal(size, strlen(data));
	put_member(out, name, type, data, size);
}

struct tar_row {
	const char *what;
	const char *pax;     /* records in front, or NULL */
	const char *pax_new; /* what they become */
	char old_size[13];   /* the field, for 13 bytes */
	char new_size[13];   /* the field, for 18 bytes */
	char type;
};

static const struct tar_row tar_rows[] = {
    {"eleven digits", NULL, NULL, "00000000015", "00000000022", '0'},
    {"type NUL", NULL, NULL, "00000000015", "00000000022", '\0'},
    {"contiguous", NULL, NULL, "00000000015", "00000000022", '7'},
    {"twelve digits", NULL, NULL, "000000000015", "000000000022", '0'},
    {"blanks in front, blank after", NULL, NULL, "         15 ", "         22 ", '0'},
    {"ended early", NULL, NULL, "15", "00000000022", '0'},
    {"binary", NULL, NULL, "\x80\0\0\0\0\0\0\0\0\0\0\x0d", "\x80\0\0\0\0\0\0\0\0\0\0\x12", '0'},
    {"pax without a size", "11 a=bcdef\n", "11 a=bcdef\n", "00000000015", "00000000022", '0'},
    {"pax with a size", "11 a=bcdef\n11 size=13\n", "11 a=bcdef\n11 size=18\n", "00000000015",
     "00000000022", '0'},
    {"pax with a size, field zero", "11 size=13\n27 RETRIAGE.unknown=\xff\xfe\x01x\ny\n",
     "11 size=18\n27 RETRIAGE.unknown=\xff\xfe\x01x\ny\n", "00000000000", "00000000000", '0'},
};

static void put_row(struct rt_buf *out, const struct tar_row *row, bool is_new)
{
	const char *pax = is_new ? row->pax_new : row->pax;
	char size[32];

	put_usual(out, "pax_global_header", 'g', "19 comment=0123456\n");
	put_usual(out, "first.txt", '0', "first");
	if (pax) {
		octal(size, strlen(pax));
		put_member(out, "PaxHeaders/a.json", 'x', pax, size);
	}
	put_member(out, "a.json", row->type, is_new ? NEW : DOC,
		   is_new ? row->new_size : row->old_size);
	put_usual(out, "last.txt", '0', "last");
	put_zeros(out, (size_t)2 * BLOCK);
}

START_TEST(test_tar_size)
{
	const struct tar_row *row = &tar_rows[_i];

	put_row(&archive, row, false);
	put_row(&want, row, true);
	repack_patch(&patches, 0, 8, 1, "LONGER");
	repack_run(&result, rt_buf_slice(&archive), &patches, 0, NULL);
	repack_ok(&result, row->what);
	repack_same_bytes(rt_buf_slice(&result.bytes), rt_buf_slice(&want), row->what);
}
END_TEST

/*
 * A size record that gets one digit more, with which its header needs one block more, with which
 * the archive needs one record more.
 */
START_TEST(test_tar_pax_carry)
{
	static char text[8000], pax[513];
	struct made_result read;

	(void)snprintf(pax, sizeof(pax), "12 size=900\n500 comment=%0487d\n", 0);
	put_usual(&archive, "x", 'x', pax);
	put_header(&archive, "a.json", '0', "", "00000001604");
	memset(text, ' ', 6780);
	put(&archive, text, 900);
	put_zeros(&archive, 10240 - archive.len);
	repack_patch(&patches, 0, 450, 0, text);
	repack_run(&result, rt_buf_slice(&archive), &patches, 0, NULL);
	repack_ok(&result, "carry");
	ck_assert_ptr_nonnull(
	    memmem(result.bytes.data, result.bytes.len, "13 size=7680\n500 ", 17));
	ck_assert_uint_eq(result.bytes.len, 20480);
	repack_parts(&read, rt_buf_slice(&result.bytes));
	ck_assert_uint_eq(read.text.len, strlen("<a.json>\n") + 7680 + 1);
	rt_buf_release(&read.text);
}
END_TEST

/* GNU long names, sparse and device members, odd padding: copied as they are. */
START_TEST(test_tar_foreign)
{
	static const char name[] =
	    "long/"
	    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/a.json";
	char sparse[BLOCK];
	size_t len;

	for (int is_new = 0; is_new < 2; is_new++) {
		struct rt_buf *out = is_new ? &want : &archive;

		put_header(out, "dev", '3', "", "00000000000");
		len = out->len;
		put_header(out, "sparse.bin", 'S', "", "00000001000");
		memcpy(sparse, out->data + len, BLOCK);
		memcpy(out->data + len + 386,
		       "00000001000\0"
		       "00000001000",
		       24);
		memcpy(out->data + len + 483, "00000010000", 12);
		memset(out->data + len + 148, ' ', 8);
		{
			unsigned sum = 0;

			for (size_t i = 0; i < BLOCK; i++)
				sum += (unsigned char)out->data[len + i];
			(void)snprintf(out->data + len + 148, 8, "%06o", sum);
		}
		memset(sparse, 's', sizeof(sparse));
		put(out, sparse, sizeof(sparse));
		put_usual(out, "././@LongLink", 'L', name);
		put_usual(out, "long/xxxxx", '0', is_new ? NEW : DOC);
		put_header(out, "odd.txt", '0', "", "00000000003");
		/* Writers have left anything in the padding. */
		put(out, "odd", 3);
		memset(sparse, 'p', BLOCK - 3);
		put(out, sparse, BLOCK - 3);
		put_zeros(out, (size_t)2 * BLOCK);
	}
	repack_patch(&patches, 0, 8, 1, "LONGER");
	repack_run(&result, rt_buf_slice(&archive), &patches, 0, NULL);
	repack_ok(&result, "foreign");
	repack_same_bytes(rt_buf_slice(&result.bytes), rt_buf_slice(&want), "foreign");
}
END_TEST

/* How many zeros are after the last member, before and after it has grown by a block or more. */
START_TEST(test_tar_end)
{
	static const struct {
		const char *what;
		size_t old_total, grow, new_total;
	} rows[] = {
	    {"two blocks", 2048, 1, 2048},
	    {"two blocks, one more", 2048, 512, 2560},
	    {"a record", 10240, 1, 10240},
	    {"a record, still", 10240, 7000, 10240},
	    {"a record, one more", 10240, 9000, 20480},
	    {"ten blocks", 5120, 4096, 10240},
	    {"three blocks", 2560, 512, 3072},
	    {"more than a record", 20480, 512, 20992},
	};
	static char grown[9001];
	struct made_result read;

	put_usual(&archive, "a.json", '0', DOC);
	put_zeros(&archive, rows[_i].old_total - archive.len);
	memset(grown, ' ', sizeof(grown) - 1);
	grown[rows[_i].grow] = '\0';
	repack_patch(&patches, 0, 13, 0, grown);
	repack_run(&result, rt_buf_slice(&archive), &patches, 0, NULL);
	repack_ok(&result, rows[_i].what);
	ck_assert_msg(result.bytes.len == rows[_i].new_total, "%s: %zu bytes", rows[_i].what,
		      result.bytes.len);
	repack_parts(&read, rt_buf_slice(&result.bytes));
	ck_assert_msg(read.status == RT_OK, "%s: %s", rows[_i].what, read.err.message);
	rt_buf_release(&read.text);
}
END_TEST

/* What cannot be written is refused with its name. */
START_TEST(test_tar_refused)
{
	static const struct {
		const char *what;
		const char *pax;
		char type;
		const char *link; /* of a member after it */
		const char *message;
	} rows[] = {
	    {"a link with data", NULL, '0', "a.json", "hard links without data"},
	    {"the size of a star archive", "22 SCHILY.realsize=13\n", '0', NULL, "not sparse"},
	    {"a sparse one", "22 GNU.sparse.size=13\n", '0', NULL, "not sparse"},
	    {"no length", "a=bcdef\n", '0', NULL, "whole and intact"},
	    {"too long", "99 a=bcdef\n", '0', NULL, "whole and intact"},
	    {"too short", "3 a=bcdef\n", '0', NULL, "whole and intact"},
	    {"no blank", "11-a=bcdef\n", '0', NULL, "whole and intact"},
	    {"no end", "11 a=bcdefg", '0', NULL, "whole and intact"},
	    {"no value", "11 abcdefg\n", '0', NULL, "whole and intact"},
	};
	char size[32];

	if (rows[_i].pax)
		put_usual(&archive, "x", 'x', rows[_i].pax);
	put_usual(&archive, "a.json", rows[_i].type, DOC);
	if (rows[_i].link) {
		/* In pax a hard link may bring data. */
		put_usual(&archive, "x", 'x', "14 a=bcdefghi\n");
		octal(size, 5);
		put_header(&archive, "b.txt", '1', rows[_i].link, size);
		put(&archive, "other", 5);
		put_zeros(&archive, BLOCK - 5);
	}
	put_zeros(&archive, (size_t)2 * BLOCK);
	repack_patch(&patches, 0, 8, 1, "LONGER");
	repack_run(&result, rt_buf_slice(&archive), &patches, 0, NULL);
	ck_assert_msg(result.status == RT_REJECT, "%s: status %d", rows[_i].what,
		      (int)result.status);
	ck_assert_msg(result.err.code == RT_E_INPUT && strstr(result.err.message, rows[_i].message),
		      "%s: %s", rows[_i].what, result.err.message);
	ck_assert_str_eq(result.err.member, "a.json");
	ck_assert_uint_eq(result.parts, 77);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("repack_tar");
	TCase *tcase = tcase_create("repack_tar");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_tar_size, 0, (int)COUNT(tar_rows));
	tcase_add_test(tcase, test_tar_pax_carry);
	tcase_add_test(tcase, test_tar_foreign);
	tcase_add_loop_test(tcase, test_tar_end, 0, 8);
	tcase_add_loop_test(tcase, test_tar_refused, 0, 9);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
