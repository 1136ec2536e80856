/*
 * rt_repack() over every container that is written and every compression: candidates as patched,
 * everything else as it was, the same bytes each time. Those that are only read are refused.
 */
#include "repack_make.h"
#include "unit.h"

static const char *const formats[] = {"", "v7tar", "ustar", "gnutar", "pax", "rpax", "zip"};
static const char *const read_only[] = {"7zip", "newc", "odc", "bin", "pwb"};
static const char *const filters[] = {"", "gzip", "zstd", "xz", "bzip2", "lz4"};

#define DOC_A "[{\"id\":\"a\",\"severity\":\"high\"}]\n"
#define DOC_B "{\"id\":\"b\",\"severity\":\"low\",\"title\":\"xxxxxxxxxxxxxxxxxxxx\"}"
#define DOC_C "id: c\nseverity: low\n"
#define DOC_D "[]"

/* The archive's documents by part, and what the patches make of them. */
static const char *const docs[] = {DOC_A, DOC_B, DOC_C, DOC_D};

static struct rt_buf archive, packed;
static struct rt_patches patches;
static struct repacked result;

static void setup(void)
{
	memset(&archive, 0, sizeof(archive));
	memset(&packed, 0, sizeof(packed));
	memset(&patches, 0, sizeof(patches));
}

static void teardown(void)
{
	rt_buf_release(&archive);
	rt_buf_release(&packed);
	rt_patches_release(&patches);
	rt_buf_release(&result.bytes);
}

/* Candidates of all kinds, and between them what must stay. */
static void standard_members(struct rt_buf *out, const char *format)
{
	static char blob[70000];
	struct rt_buf gz = {0}, xz = {0};
	/* libarchive writes hard links to tar only, and no link at all to the oldest cpio. */
	bool is_tar = strcmp(format, "v7tar") == 0 || strcmp(format, "ustar") == 0 ||
		      strcmp(format, "gnutar") == 0 || strcmp(format, "pax") == 0 ||
		      strcmp(format, "rpax") == 0;
	bool is_pwb = strcmp(format, "pwb") == 0;

	for (size_t i = 0; i < sizeof(blob); i++)
		blob[i] = (char)(i * i >> 3);
	make_packed(&gz, "gzip", "", DOC_B, strlen(DOC_B));
	make_packed(&xz, "xz", "", DOC_D, strlen(DOC_D));
	{
		const struct make_member members[] = {
		    {.name = "a.json",
		     .data = DOC_A,
		     .len = strlen(DOC_A),
		     .mode = 0600,
		     .mtime = 1600000001,
		     .uid = 7,
		     .uname = "someone"},
		    {.name = "dir", .type = AE_IFDIR, .mode = 0750},
		    {.name = "readme.txt", .data = "not read", .len = 8, .mtime = 1500000003},
		    {.name = "sub/b.json.gz", .data = gz.data, .len = gz.len, .mtime = 1400000005},
		    {.name = "blob.bin", .data = blob, .len = sizeof(blob), .mode = 0755},
		    {.name = is_pwb ? "l" : "l.json",
		     .type = is_pwb ? AE_IFDIR : AE_IFLNK,
		     .link = is_pwb ? NULL : "a.json"},
		    {.name = "c.json.yaml", .data = DOC_C, .len = strlen(DOC_C)},
		    {.name = "d.json.xz",
		     .data = xz.data,
		     .len = xz.len,
		     .atime = 1300000007,
		     .mtime_ns = 123456700},
		    {.name = "empty.txt"},
		    {.name = "h.txt", .link = "readme.txt"},
		};

		make_archive(out, format, members, COUNT(members) - (is_tar ? 0 : 1));
	}
	rt_buf_release(&gz);
	rt_buf_release(&xz);
}

/* The input for a row of formats x filters; "" for both is left out by the callers. */
static struct rt_slice standard_input(const char *format, const char *filter)
{
	if (!format[0])
		make_packed(&packed, filter, "", DOC_A, strlen(DOC_A));
	else
		standard_members(&archive, format);
	if (format[0] && filter[0])
		make_packed(&packed, filter, "", archive.data, archive.len);
	return filter[0] ? rt_buf_slice(&packed) : rt_buf_slice(&archive);
}

static void expected_text(struct rt_buf *text, const char *format, uint32_t first)
{
	static const char *const heads[] = {"<a.json>\n", "<sub/b.json.gz>\n", "<c.json.yaml>\n",
					    "<d.json.xz>\n"};
	size_t count = format[0] ? COUNT(docs) : 1;

	for (size_t i = 0; i < count; i++) {
		repack_say(text, format[0] ? heads[i] : "<>\n");
		repack_expect(text, rt_slice_make(docs[i], strlen(docs[i])), &patches,
			      first + (uint32_t)i);
		repack_say(text, "\n");
	}
	repack_say(text, "");
	ck_assert_int_eq(rt_buf_append(text, "", 1, &(struct rt_error){0}), RT_OK);
}

/* Patches that grow, shrink, insert at both ends, and empty; parts counted from first. */
static void standard_patches(uint32_t first)
{
	static char grown[3000];

	memset(grown, 'g', sizeof(grown) - 1);
	if (first)
		repack_patch(&patches, first - 1, 0, 1, "of another file");
	repack_patch(&patches, first, 8, 1, "A2");
	repack_patch(&patches, first, 30, 0, grown);
	repack_patch(&patches, first + 1, 0, 0, " ");
	repack_patch(&patches, first + 1, 20, 10, "");
	repack_patch(&patches, first + 2, strlen(DOC_C), 0, "x: 1\n");
	repack_patch(&patches, first + 3, 0, 2, "");
	repack_patch(&patches, first + 4, 0, 1, "of the next file");
}

static void check_output(const char *format, struct rt_slice input, uint32_t first,
			 const char *what)
{
	struct rt_slice output = rt_buf_slice(&result.bytes);
	struct made_result read;
	struct rt_buf text = {0};

	repack_ok(&result, what);
	ck_assert_uint_eq(result.parts, format[0] ? 4 : 1);
	repack_parts(&read, output);
	expected_text(&text, format, first);
	make_expect_text(&read, text.data, what);
	if (format[0])
		repack_same_members(input, output, what);
	rt_buf_release(&read.text);
	rt_buf_release(&text);
}

START_TEST(test_standard)
{
	const char *format = formats[(size_t)_i / COUNT(filters)];
	const char *filter = filters[(size_t)_i % COUNT(filters)];
	struct repacked again;
	struct rt_slice input;
	char what[64];

	if (!format[0] && !filter[0])
		return;
	(void)snprintf(what, sizeof(what), "%s in %s", format, filter);
	input = standard_input(format, filter);
	standard_patches(5);
	repack_run(&result, input, &patches, 5, NULL);
	check_output(format, input, 5, what);
	/* Whenever it is done. */
	repack_run(&again, input, &patches, 5, NULL);
	repack_same_bytes(rt_buf_slice(&again.bytes), rt_buf_slice(&result.bytes), what);
	rt_buf_release(&again.bytes);
}
END_TEST

/* --- What is only read ------------------------------------------------------------------- */

static void check_refused(enum rt_status status, const struct rt_error *err, const char *format,
			  const char *filter)
{
	bool is_7z = strcmp(format, "7zip") == 0;

	ck_assert_msg(status == RT_REJECT && err->code == RT_E_USAGE, "%s in %s: status %d: %s",
		      format, filter, (int)status, err->message);
	ck_assert_msg(strstr(err->message, is_7z ? "have a 7z archive" : "have a cpio archive"),
		      "%s in %s: %s", format, filter, err->message);
}

START_TEST(test_read_only)
{
	const char *format = read_only[(size_t)_i / COUNT(filters)];
	const char *filter = filters[(size_t)_i % COUNT(filters)];
	struct rt_slice input = standard_input(format, filter);
	struct rt_error err;

	standard_patches(0);
	check_refused(repack_check(input, &err), &err, format, filter);
	repack_run(&result, input, &patches, 0, NULL);
	check_refused(result.status, &result.err, format, filter);
	ck_assert_uint_eq(result.parts, 77);
	/* Its start is enough, where a block of the compression is not all of it. */
	if (!filter[0] || strcmp(filter, "gzip") == 0)
		check_refused(repack_check(rt_slice_make(input.ptr, input.len - 9), &err), &err,
			      format, filter);
}
END_TEST

/* What is written, and what is damaged or no container: whoever reads it says what is wrong. */
START_TEST(test_not_read_only)
{
	const char *format = formats[(size_t)_i / COUNT(filters)];
	const char *filter = filters[(size_t)_i % COUNT(filters)];
	struct rt_slice input = RT_SLICE("[]");
	struct rt_error err;

	if (format[0] || filter[0])
		input = standard_input(format, filter);
	ck_assert_int_eq(repack_check(input, &err), RT_OK);
	for (size_t len = 0; len < input.len && len < 30; len++)
		ck_assert_int_eq(repack_check(rt_slice_make(input.ptr, len), &err), RT_OK);
}
END_TEST

/* --- Random ------------------------------------------------------------------------------ */

static uint32_t random_next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

#define RANDOM_PARTS 6u

/* Patches for one document in order, none over another. */
static void random_patches(uint32_t *state, uint32_t part, size_t len)
{
	static char text[5000];
	size_t at = 0;
	unsigned count = random_next(state) % 5;

	memset(text, 't', sizeof(text) - 1);
	for (unsigned i = 0; i < count && at <= len; i++) {
		size_t offset = at + random_next(state) % (len - at + 1);
		size_t remove = random_next(state) % (len - offset + 1);
		size_t add = random_next(state) % sizeof(text);

		if (random_next(state) % 2)
			remove = remove < 20 ? remove : 20;
		text[add] = '\0';
		repack_patch(&patches, part, offset, remove, text);
		text[add] = 't';
		at = offset + remove + 1;
	}
}

static void random_case(uint32_t *state, const char *format, const char *what)
{
	char *documents[RANDOM_PARTS];
	struct make_member members[RANDOM_PARTS];
	struct rt_buf text = {0};
	struct made_result read;
	char names[RANDOM_PARTS][16];

	for (uint32_t i = 0; i < RANDOM_PARTS; i++) {
		size_t len = random_next(state) % (random_next(state) % 2 ? 2000 : 150000);

		documents[i] = malloc(len + 1);
		for (size_t k = 0; k < len; k++)
			documents[i][k] = (char)('a' + random_next(state) % 26);
		(void)snprintf(names[i], sizeof(names[i]), "%u.json", i);
		members[i] =
		    (struct make_member){.name = names[i], .data = documents[i], .len = len};
		random_patches(state, i, len);
	}
	make_archive(&archive, format, members, RANDOM_PARTS);
	for (uint32_t i = 0; i < RANDOM_PARTS; i++) {
		repack_say(&text, "<");
		repack_say(&text, names[i]);
		repack_say(&text, ">\n");
		repack_expect(&text, rt_slice_make(documents[i], members[i].len), &patches, i);
		repack_say(&text, "\n");
		free(documents[i]);
	}
	repack_run(&result, rt_buf_slice(&archive), &patches, 0, NULL);
	repack_ok(&result, what);
	repack_parts(&read, rt_buf_slice(&result.bytes));
	ck_assert_msg(read.status == RT_OK, "%s: %s", what, read.err.message);
	repack_same_bytes(rt_buf_slice(&read.text), rt_buf_slice(&text), what);
	repack_same_members(rt_buf_slice(&archive), rt_buf_slice(&result.bytes), what);
	rt_buf_release(&read.text);
	rt_buf_release(&text);
}

START_TEST(test_random)
{
	static const char *const kinds[] = {"ustar", "pax", "zip"};
	uint32_t state = (uint32_t)_i * 7919 + 1;
	const char *format = kinds[(size_t)_i % COUNT(kinds)];
	char what[64];

	(void)snprintf(what, sizeof(what), "%s, seed %d", format, _i);
	random_case(&state, format, what);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("repack");
	TCase *tcase = tcase_create("repack");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_standard, 0, (int)(COUNT(formats) * COUNT(filters)));
	tcase_add_loop_test(tcase, test_read_only, 0, (int)(COUNT(read_only) * COUNT(filters)));
	tcase_add_loop_test(tcase, test_not_read_only, 0, (int)(COUNT(formats) * COUNT(filters)));
	tcase_add_loop_test(tcase, test_random, 0, 18);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
