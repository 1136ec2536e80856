/*
 * Digests of base exports: of one file its own, of several that of a list, as sha256sum has them;
 * and files that are not what another pass has read.
 */
#include "journal/base_digest.h"

#include "base/limits.h"
#include "files/files.h"
#include "scratch.h"

static const char *path_list[4];
static struct rt_error err;

static struct rt_options options_of(size_t count)
{
	struct rt_options options = {.paths = path_list, .path_count = count, .input_fd = -1};

	rt_limits_init(&options.limits);
	memset(&err, 0, sizeof(err));
	return options;
}

/* The stamp of a pass over the same files. */
static uint64_t stamp_of(const struct rt_options *options)
{
	struct rt_files *files = NULL;
	const struct rt_file *file;
	struct rt_error own;
	uint64_t stamp;

	ck_assert_int_eq(rt_files_open(options, &files, &own), RT_OK);
	while (rt_files_next(files, &file, &own) == RT_OK)
		;
	stamp = rt_files_stamp(files);
	rt_files_free(files);
	return stamp;
}

/* The first word that a command says, run in the folder. */
static const char *said(const char *command)
{
	static char word[RT_SHA256_HEX + 1];
	char line[600];
	FILE *from;

	snprintf(line, sizeof(line), "cd '%s' && %s", scratch, command);
	from = popen(line, "r");
	ck_assert_ptr_nonnull(from);
	ck_assert_uint_eq(fread(word, 1, RT_SHA256_HEX, from), RT_SHA256_HEX);
	ck_assert_int_eq(pclose(from), 0);
	return word;
}

static const struct {
	const char *what;
	const char *paths[3];
	const char *command; /* that gives the same */
} rows[] = {
    {"a file", {"a.json"}, "sha256sum a.json"},
    {"an empty file", {"empty.json"}, "sha256sum empty.json"},
    {"a file of many blocks", {"long.json"}, "sha256sum long.json"},
    {"a compressed file is what it is", {"a.json.gz"}, "sha256sum a.json.gz"},
    {"a directory, by name, candidates only",
     {"d"},
     "cd d && sha256sum b.json c/a.yaml e.json | sha256sum"},
    {"a directory of one file", {"d/c"}, "cd d/c && sha256sum a.yaml | sha256sum"},
    {"names that have to be escaped", {"odd"}, "cd odd && LC_ALL=C sha256sum * | sha256sum"},
    {"several, as given",
     {"e.json", "a.json"},
     "sha256sum \"$PWD/e.json\" \"$PWD/a.json\" | sha256sum"},
    {"the other order",
     {"a.json", "e.json"},
     "sha256sum \"$PWD/a.json\" \"$PWD/e.json\" | sha256sum"},
    {"a file and a directory",
     {"a.json", "d"},
     "(sha256sum \"$PWD/a.json\"; cd d; sha256sum b.json c/a.yaml e.json) | sha256sum"},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void setup(void)
{
	static char block[700001];

	scratch_setup();
	put("a.json", "abc");
	put("e.json", "[]\n");
	put("empty.json", "");
	put("a.json.gz", "\x1f\x8b not really");
	memset(block, 'x', sizeof(block));
	put_bytes("long.json", block, sizeof(block));
	ck_assert_int_eq(mkdir(at("d"), 0700), 0);
	ck_assert_int_eq(mkdir(at("d/c"), 0700), 0);
	put("d/e.json", "3");
	put("d/b.json", "1");
	put("d/c/a.yaml", "2");
	put("d/README", "not read");
	ck_assert_int_eq(mkdir(at("odd"), 0700), 0);
	put("odd/a\nb.json", "4");
	put("odd/a\\nb.json", "5");
	put("odd/c\rd.json", "6");
}

START_TEST(table)
{
	struct rt_base_digest *base = NULL;
	uint8_t digest[RT_SHA256_BYTES];
	char hex[RT_SHA256_HEX + 1] = "";
	struct rt_options options;
	size_t count = 0;

	for (; rows[_i].paths[count]; count++)
		path_list[count] = at(rows[_i].paths[count]);
	options = options_of(count);
	ck_assert_int_eq(rt_base_digest_new(&options, &base, &err), RT_OK);
	ck_assert_int_eq(rt_base_digest_get(base, stamp_of(&options), digest, &err), RT_OK);
	rt_sha256_hex(digest, hex);
	ck_assert_msg(strcmp(hex, said(rows[_i].command)) == 0, "%s", rows[_i].what);
	/* It can be asked for again. */
	memset(digest, 0, sizeof(digest));
	ck_assert_int_eq(rt_base_digest_peek(base, digest, &err), RT_OK);
	rt_sha256_hex(digest, hex);
	ck_assert_str_eq(hex, said(rows[_i].command));
	rt_base_digest_free(base);
}
END_TEST

/* FIPS 180-4's own example, so that not both of us are wrong. */
START_TEST(known)
{
	struct rt_base_digest *base = NULL;
	uint8_t digest[RT_SHA256_BYTES];
	char hex[RT_SHA256_HEX + 1] = "";
	struct rt_options options = options_of(1);
	int fd = open(at("a.json"), O_RDONLY);

	path_list[0] = "-";
	options.input_fd = fd;
	ck_assert_int_eq(rt_base_digest_new(&options, &base, &err), RT_OK);
	ck_assert_int_eq(rt_base_digest_peek(base, digest, &err), RT_OK);
	rt_sha256_hex(digest, hex);
	ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	/* The data set reads the same descriptor from its start. */
	ck_assert_int_eq(lseek(fd, 0, SEEK_CUR), 0);
	rt_base_digest_free(base);
	close(fd);
}
END_TEST

/* Files that were others when the other pass read them. */
START_TEST(changed)
{
	struct rt_base_digest *base = NULL;
	uint8_t digest[RT_SHA256_BYTES] = {7};
	struct rt_options options = options_of(1);
	uint64_t stamp;

	path_list[0] = at(_i ? "d" : "a.json");
	stamp = stamp_of(&options);
	put(_i ? "d/b.json" : "a.json", "longer");
	ck_assert_int_eq(rt_base_digest_new(&options, &base, &err), RT_OK);
	ck_assert_int_eq(rt_base_digest_get(base, stamp, digest, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_str_eq(err.path, path_list[0]);
	ck_assert_str_eq(err.message,
			 "want an export that stays as it is while it is read, have it changed");
	ck_assert_int_eq(rt_base_digest_get(base, stamp_of(&options), digest, &err), RT_OK);
	rt_base_digest_free(base);
}
END_TEST

/* Files that were written over while they were read, after the first look at them. */
START_TEST(changed_meanwhile)
{
	struct rt_base_digest *base = NULL;
	uint8_t digest[RT_SHA256_BYTES];
	struct rt_options options = options_of(1);
	uint64_t stamp;

	path_list[0] = at(_i ? "d" : "a.json");
	stamp = stamp_of(&options);
	ck_assert_int_eq(rt_base_digest_new(&options, &base, &err), RT_OK);
	ck_assert_int_eq(rt_base_digest_peek(base, digest, &err), RT_OK);
	ck_assert_int_eq(rt_base_digest_get(base, stamp, digest, &err), RT_OK);
	put(_i ? "d/b.json" : "a.json", "longer");
	ck_assert_int_eq(rt_base_digest_get(base, stamp, digest, &err), RT_FATAL);
	ck_assert_str_eq(err.message,
			 "want an export that stays as it is while it is read, have it changed");
	ck_assert_int_eq(unlink(at(_i ? "d/b.json" : "a.json")), 0);
	ck_assert_int_eq(rt_base_digest_get(base, stamp, digest, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	rt_base_digest_free(base);
}
END_TEST

START_TEST(missing)
{
	struct rt_base_digest *base = NULL;
	uint8_t digest[RT_SHA256_BYTES] = {7};
	struct rt_options options = options_of(2);

	path_list[0] = at("a.json");
	path_list[1] = at("none.json");
	ck_assert_int_eq(rt_base_digest_new(&options, &base, &err), RT_OK);
	ck_assert_int_eq(rt_base_digest_get(base, 0, digest, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	ck_assert_str_eq(err.path, at("none.json"));
	ck_assert_uint_eq(digest[0], 7);
	rt_base_digest_free(base);
}
END_TEST

/* Nobody waits: the thread ends, and long before it has read everything. */
START_TEST(not_waited_for)
{
	struct rt_base_digest *base = NULL;
	struct rt_options options = options_of(1);

	rt_base_digest_free(NULL);
	ck_assert_int_eq(truncate(at("long.json"), (off_t)1 << 37), 0);
	path_list[0] = at("long.json");
	ck_assert_int_eq(rt_base_digest_new(&options, &base, &err), RT_OK);
	rt_base_digest_free(base);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("base_digest");
	TCase *tcase = tcase_create("base_digest");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, scratch_teardown);
	tcase_add_loop_test(tcase, table, 0, ROWS);
	tcase_add_test(tcase, known);
	tcase_add_loop_test(tcase, changed, 0, 2);
	tcase_add_loop_test(tcase, changed_meanwhile, 0, 2);
	tcase_add_test(tcase, missing);
	tcase_add_test(tcase, not_waited_for);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
