/*
 * rt_rewrite: files, packed files and directories written again; the numbers of parts; exports
 * that change, and what cannot be copied.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "archive_make.h"
#include "base/limits.h"
#include "engine/dataset.h"
#include "files/files.h"
#include "files/tree.h"
#include "rewrite/rewrite.h"
#include "scratch.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define DOCUMENT "[{\"id\":\"a\",\"severity\":\"high\"}]\n"

static struct rt_error err;
static struct rt_replace *replace;
static struct rt_patches patches;
static char source[512];

static struct rt_options options_of(void)
{
	static const char *const paths[] = {source};
	struct rt_options options = {.paths = paths, .path_count = 1};

	rt_limits_init(&options.limits);
	return options;
}

static void add(uint32_t part, uint64_t offset, uint64_t len, const char *text)
{
	struct rt_patch patch = {part, offset, len, rt_slice_make(text, strlen(text))};

	ck_assert_int_eq(rt_patches_add(&patches, patch, &err), RT_OK);
}

/* As a first pass finds it. */
static uint64_t stamp_of(const struct rt_options *options)
{
	struct rt_files *files;
	const struct rt_file *file;
	uint64_t stamp;

	ck_assert_int_eq(rt_files_open(options, &files, &err), RT_OK);
	while (rt_files_next(files, &file, &err) == RT_OK)
		;
	stamp = rt_files_stamp(files);
	rt_files_free(files);
	return stamp;
}

/* Rewrite source to target; all that is left over is taken back. */
static enum rt_status rewrite(const char *from, const char *to, enum rt_replace_kind kind,
			      const char *between)
{
	struct rt_options options = options_of();
	enum rt_status status;
	char command[512];
	uint64_t stamp;

	(void)snprintf(source, sizeof(source), "%s", from);
	status = rt_replace_open(to, kind, NULL, NULL, &replace, &err);
	ck_assert_msg(status == RT_OK, "%s", err.message);
	stamp = stamp_of(&options);
	if (between) {
		(void)snprintf(command, sizeof(command), "cd '%s' && %s", scratch, between);
		ck_assert_int_eq(system(command), 0);
	}
	status = rt_rewrite(&options, &patches, stamp, replace, &err);
	if (status == RT_OK)
		status = rt_replace_commit(replace, &err);
	rt_replace_free(replace);
	rt_patches_release(&patches);
	return status;
}

static void expect_ok(const char *from, const char *to, enum rt_replace_kind kind)
{
	char line[RT_ERROR_LINE_MAX] = "";
	enum rt_status status = rewrite(from, to, kind, NULL);

	if (status != RT_OK)
		(void)rt_error_format(&err, line, sizeof(line));
	ck_assert_msg(status == RT_OK, "%s", line);
}

static void expect_refused(enum rt_status status, enum rt_code code, const char *path,
			   const char *member, const char *message, const char *what)
{
	ck_assert_msg(status == RT_FATAL, "%s: status %d", what, (int)status);
	ck_assert_msg(err.code == code, "%s: code %d, %s", what, (int)err.code, err.message);
	ck_assert_msg(strstr(err.message, message) != NULL, "%s: %s", what, err.message);
	ck_assert_str_eq(err.path, path);
	ck_assert_str_eq(err.member, member);
}

START_TEST(test_plain)
{
	put("in.json", DOCUMENT);
	add(0, 23, 4, "low");
	if (_i == 0) {
		expect_ok(at("in.json"), at("out.json"), RT_REPLACE_FILE);
		expect_text(at("out.json"), "[{\"id\":\"a\",\"severity\":\"low\"}]\n");
		expect_text(at("in.json"), DOCUMENT);
	} else {
		expect_ok(at("in.json"), at("in.json"), RT_REPLACE_IN_PLACE);
		expect_text(at("in.json"), "[{\"id\":\"a\",\"severity\":\"low\"}]\n");
	}
	ck_assert_uint_eq(entries_of(scratch), _i == 0 ? 2 : 1);
}
END_TEST

/* Nothing is for a packed file: its bytes are copied as they are, broken ones too. */
START_TEST(test_packed_untouched)
{
	struct rt_buf packed = {0};

	if (_i < 2)
		make_packed(&packed, _i ? "zstd" : "gzip", "", DOCUMENT, strlen(DOCUMENT));
	else
		make_standard(&packed, "zip");
	put_bytes("in", packed.data, packed.len);
	expect_ok(at("in"), at("out"), RT_REPLACE_FILE);
	expect_bytes(at("out"), packed.data, packed.len);
	rt_buf_release(&packed);
}
END_TEST

START_TEST(test_packed_patched)
{
	static const char *const filters[] = {"gzip", "zstd", "xz", "bzip2", "lz4"};
	struct rt_limits limits;
	struct made_result result;
	struct rt_buf packed = {0};

	rt_limits_init(&limits);
	make_packed(&packed, filters[_i], "", DOCUMENT, strlen(DOCUMENT));
	put_bytes("in", packed.data, packed.len);
	add(0, 22, 6, "\"low\"");
	expect_ok(at("in"), at("out"), RT_REPLACE_FILE);
	make_read(&result, at("out"), &limits);
	make_expect_text(&result, "<>\n[{\"id\":\"a\",\"severity\":\"low\"}]\n\n", filters[_i]);
	rt_buf_release(&result.text);
	rt_buf_release(&packed);
}
END_TEST

static void put_archive(const char *name, const char *format, size_t *ret_len)
{
	struct rt_buf archive = {0};

	make_standard(&archive, format);
	put_bytes(name, archive.data, archive.len);
	*ret_len = archive.len;
	rt_buf_release(&archive);
}

/* Files with everything that there can be around them. */
static void make_tree(void)
{
	ck_assert_int_eq(mkdir(at("in"), 0700), 0);
	ck_assert_int_eq(mkdir(at("in/empty"), 0700), 0);
	ck_assert_int_eq(mkdir(at("in/d"), 0700), 0);
	ck_assert_int_eq(mkdir(at("in/d/e.json"), 0700), 0);
	put("in/a.json", DOCUMENT);
	put("in/README", "not read");
	put("in/d/.hidden", "");
	put("in/d/e.json/z.yaml", "- id: z\n");
	put("in/z.json", DOCUMENT);
	ck_assert_int_eq(symlink("../../nowhere", at("in/d/link.json")), 0);
	ck_assert_int_eq(chmod(at("in/README"), 0604), 0);
	ck_assert_int_eq(chmod(at("in/a.json"), 0440), 0);
	ck_assert_int_eq(chmod(at("in/empty"), 0751), 0);
	ck_assert_int_eq(chmod(at("in/d"), 0555), 0);
}

/* The same mode; a directory's owner may do all in it. */
static void expect_same(const char *name)
{
	char from[300], to[300];
	struct stat a, b;

	(void)snprintf(from, sizeof(from), "%s/in/%s", scratch, name);
	(void)snprintf(to, sizeof(to), "%s/out/%s", scratch, name);
	ck_assert_msg(lstat(from, &a) == 0 && lstat(to, &b) == 0, "%s", name);
	if (S_ISDIR(a.st_mode))
		a.st_mode |= S_IRWXU;
	ck_assert_msg(a.st_mode == b.st_mode, "%s: mode %o, want %o", name, b.st_mode, a.st_mode);
}

START_TEST(test_directory)
{
	static const char *const names[] = {".",           "README",   "a.json", "d",
					    "d/.hidden",   "d/e.json", "empty",  "d/e.json/z.yaml",
					    "d/link.json", "z.json"};
	char text[32] = "";

	make_tree();
	/* Parts are counted in byte order of paths: a.json, d/e.json/z.yaml, z.json. */
	add(0, 0, 1, "A");
	add(1, 6, 1, "Z");
	add(2, 0, 0, "!");
	expect_ok(at("in"), at("out"), RT_REPLACE_DIRECTORY);
	expect_text(at("out/a.json"), "A{\"id\":\"a\",\"severity\":\"high\"}]\n");
	expect_text(at("out/d/e.json/z.yaml"), "- id: Z\n");
	expect_text(at("out/z.json"), "!" DOCUMENT);
	expect_text(at("out/README"), "not read");
	expect_text(at("out/d/.hidden"), "");
	ck_assert_int_eq(readlink(at("out/d/link.json"), text, sizeof(text)), 13);
	ck_assert_str_eq(text, "../../nowhere");
	for (size_t i = 0; i < COUNT(names); i++)
		expect_same(names[i]);
	ck_assert_uint_eq(entries_of(at("out")), 5);
	ck_assert_uint_eq(entries_of(at("out/d")), 3);
	ck_assert_uint_eq(entries_of(scratch), 2);
}
END_TEST

/* The parts of archives count, whether they are written again or not. */
START_TEST(test_directory_parts)
{
	size_t len;
	struct rt_buf before, after;

	ck_assert_int_eq(mkdir(at("in"), 0700), 0);
	put("in/a.json", DOCUMENT);
	put_archive("in/b.json", _i ? "zip" : "pax", &len);
	put_archive("in/b2.json", "pax", &len);
	put("in/c.json", DOCUMENT);
	put_archive("in/d.json", "pax", &len);
	before = bytes_of(at("in/b.json"));
	/* 0: a; 1, 2: b; 3, 4: b2; 5: c; 6, 7: d. */
	add(5, 0, 1, "C");
	expect_ok(at("in"), at("out"), RT_REPLACE_DIRECTORY);
	expect_text(at("out/a.json"), DOCUMENT);
	expect_text(at("out/c.json"), "C{\"id\":\"a\",\"severity\":\"high\"}]\n");
	after = bytes_of(at("out/b.json"));
	ck_assert_uint_eq(before.len, after.len);
	ck_assert_int_eq(memcmp(before.data, after.data, before.len), 0);
	rt_buf_release(&after);
	after = bytes_of(at("out/d.json"));
	ck_assert_uint_eq(after.len, len);
	rt_buf_release(&after);
	rt_buf_release(&before);
}
END_TEST

START_TEST(test_directory_repacked)
{
	struct rt_limits limits;
	struct made_result result;
	size_t len;

	rt_limits_init(&limits);
	ck_assert_int_eq(mkdir(at("in"), 0700), 0);
	put_archive("in/b.json", "pax", &len);
	put_archive("in/c.json", "pax", &len);
	put("in/d.json", DOCUMENT);
	/* The second part of the second archive, and what comes after it. */
	add(3, 0, 0, " ");
	add(4, 0, 1, "D");
	expect_ok(at("in"), at("out"), RT_REPLACE_DIRECTORY);
	expect_text(at("out/d.json"), "D{\"id\":\"a\",\"severity\":\"high\"}]\n");
	make_read(&result, at("out/c.json"), &limits);
	ck_assert_int_eq(result.status, RT_OK);
	ck_assert_uint_eq(result.parts, 2);
	ck_assert_ptr_nonnull(memmem(result.text.data, result.text.len, "\n {\"id\":\"b\"", 11));
	rt_buf_release(&result.text);
}
END_TEST

/* A member of the name of an archive that is bad: found in the first pass, or here. */
START_TEST(test_directory_bad_archive)
{
	size_t len;
	struct rt_buf archive;

	ck_assert_int_eq(mkdir(at("in"), 0700), 0);
	put_archive("in/b.json", "zip", &len);
	archive = bytes_of(at("in/b.json"));
	put_bytes("in/b.json", archive.data, len / 2);
	rt_buf_release(&archive);
	put("in/c.json", DOCUMENT);
	add(2, 0, 0, "x");
	ck_assert_int_eq(rewrite(at("in"), at("out"), RT_REPLACE_DIRECTORY, NULL), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_INPUT);
	ck_assert_str_eq(err.path, at("in/b.json"));
	ck_assert_uint_eq(entries_of(scratch), 1);
}
END_TEST

START_TEST(test_changed)
{
	static const struct {
		const char *what;
		const char *from, *to;
		enum rt_replace_kind kind;
		const char *command; /* in the folder, between the passes */
	} rows[] = {
	    {"written", "a.json", "out", RT_REPLACE_FILE, "printf x >a.json"},
	    {"touched", "a.json", "out", RT_REPLACE_FILE, "touch a.json"},
	    {"another", "a.json", "out", RT_REPLACE_FILE, "cp -p a.json n && mv n a.json"},
	    {"gone", "a.json", "out", RT_REPLACE_FILE, "rm a.json"},
	    {"in place", "a.json", "a.json", RT_REPLACE_IN_PLACE, "touch a.json"},
	    {"in a directory", "d", "out", RT_REPLACE_DIRECTORY, "touch d/b.json"},
	    {"one more", "d", "out", RT_REPLACE_DIRECTORY, "cp a.json d/c.json"},
	    {"one less", "d", "out", RT_REPLACE_DIRECTORY, "rm d/b.json"},
	    {"changed names", "d", "out", RT_REPLACE_DIRECTORY, "mv d/a.json d/c.json"},
	};
	struct rt_buf before, after;

	put("a.json", DOCUMENT);
	ck_assert_int_eq(mkdir(at("d"), 0700), 0);
	put("d/a.json", DOCUMENT);
	put("d/b.json", DOCUMENT);
	before = bytes_of(at("a.json"));
	expect_refused(rewrite(at(rows[_i].from), at(rows[_i].to), rows[_i].kind, rows[_i].command),
		       RT_E_IO, at(rows[_i].from), "", "want the export as it was read",
		       rows[_i].what);
	ck_assert_msg(!is_there(at("out")), "%s", rows[_i].what);
	ck_assert_uint_le(entries_of(scratch), 2);
	if (rows[_i].kind == RT_REPLACE_IN_PLACE) {
		after = bytes_of(at("a.json"));
		ck_assert_str_eq(before.data, after.data);
		rt_buf_release(&after);
	}
	rt_buf_release(&before);
}
END_TEST

/* The stamp that a data set hands on is the files'. */
START_TEST(test_stamp)
{
	struct rt_options options = options_of();
	const struct rt_record *record;
	struct rt_dataset *dataset;
	uint64_t stamp;

	put("a.json", DOCUMENT);
	(void)snprintf(source, sizeof(source), "%s/a.json", scratch);
	ck_assert_int_eq(rt_dataset_open(&options, RT_KIND_ANY, &dataset, &err), RT_OK);
	while (rt_dataset_next(dataset, &record, &err) == RT_OK)
		;
	stamp = rt_dataset_stamp(dataset);
	rt_dataset_free(dataset);
	ck_assert_uint_ne(stamp, 0);
	ck_assert_uint_eq(stamp, stamp_of(&options));
	put("a.json", DOCUMENT " ");
	ck_assert_uint_ne(stamp, stamp_of(&options));
}
END_TEST

static const struct refused_row {
	const char *what;
	const char *from, *to;
	enum rt_replace_kind kind;
	enum rt_code code;
	const char *path, *member, *message;
} refused_rows[] = {
    {"a FIFO", "fifo", "out", RT_REPLACE_DIRECTORY, RT_E_USAGE, "fifo/x/pipe", "", "have a FIFO"},
    {"into itself", "d", "d/out", RT_REPLACE_DIRECTORY, RT_E_USAGE, "d/out", "",
     "have one inside of it"},
    {"deep into itself", "d", "d/e/out", RT_REPLACE_DIRECTORY, RT_E_USAGE, "d/e/out", "",
     "have one inside of it"},
    {"a directory to a file", "d", "out", RT_REPLACE_FILE, RT_E_USAGE, "d", "", "have a directory"},
    {"a file to a directory", "a.json", "out", RT_REPLACE_DIRECTORY, RT_E_USAGE, "a.json", "",
     "Not a directory"},
};
#define REFUSED_ROWS 5

START_TEST(test_refused)
{
	const struct refused_row *row = &refused_rows[_i];
	struct rt_options options = options_of();

	ck_assert_uint_eq(COUNT(refused_rows), REFUSED_ROWS);
	put("a.json", DOCUMENT);
	ck_assert_int_eq(mkdir(at("d"), 0700), 0);
	ck_assert_int_eq(mkdir(at("d/e"), 0700), 0);
	put("d/a.json", DOCUMENT);
	ck_assert_int_eq(mkdir(at("fifo"), 0700), 0);
	ck_assert_int_eq(mkdir(at("fifo/x"), 0700), 0);
	put("fifo/a.json", DOCUMENT);
	ck_assert_int_eq(mkfifo(at("fifo/x/pipe"), 0600), 0);
	(void)snprintf(source, sizeof(source), "%s/%s", scratch, row->from);
	ck_assert_int_eq(rt_replace_open(at(row->to), row->kind, NULL, NULL, &replace, &err),
			 RT_OK);
	expect_refused(rt_rewrite(&options, &patches, stamp_of(&options), replace, &err), row->code,
		       at(row->path), row->member, row->message, row->what);
	rt_replace_free(replace);
	ck_assert_msg(!is_there(at(row->to)), "%s", row->what);
	ck_assert_uint_eq(entries_of(scratch), 3);
}
END_TEST

/* As many entries as are allowed, and one more. */
START_TEST(test_entries)
{
	int from, to;

	ck_assert_int_eq(mkdir(at("in"), 0700), 0);
	ck_assert_int_eq(mkdir(at("out"), 0700), 0);
	ck_assert_int_eq(mkdir(at("in/d"), 0700), 0);
	put("in/d/a.txt", "a");
	put("in/d/b.json", "b");
	from = open(at("in"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	to = open(at("out"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (_i == 0) {
		ck_assert_int_eq(rt_tree_copy(from, to, NULL, 3, &err), RT_OK);
		expect_text(at("out/d/a.txt"), "a");
		ck_assert_uint_eq(entries_of(at("out/d")), 1);
	} else {
		ck_assert_int_eq(rt_tree_copy(from, to, NULL, 2, &err), RT_REJECT);
		ck_assert_int_eq(err.code, RT_E_LIMIT);
	}
	close(from);
	close(to);
}
END_TEST

/* "-" is the descriptor of the options; a pipe cannot be read twice. */
START_TEST(test_input_fd)
{
	struct rt_options options = options_of();
	int fds[2];
	enum rt_status status;

	put("in.json", DOCUMENT);
	(void)snprintf(source, sizeof(source), "-");
	if (_i == 2) {
		ck_assert_int_eq(pipe(fds), 0);
		ck_assert_int_eq(write(fds[1], DOCUMENT, strlen(DOCUMENT)), strlen(DOCUMENT));
		close(fds[1]);
		options.input_fd = fds[0];
	} else {
		options.input_fd = open(at("in.json"), O_RDONLY | O_CLOEXEC);
		ck_assert_int_eq(lseek(options.input_fd, _i, SEEK_SET), _i);
	}
	add(0, 0, 1, "X");
	ck_assert_int_eq(rt_replace_open(at("out"), RT_REPLACE_FILE, NULL, NULL, &replace, &err),
			 RT_OK);
	status = rt_rewrite(&options, &patches, stamp_of(&options), replace, &err);
	if (status == RT_OK)
		status = rt_replace_commit(replace, &err);
	rt_replace_free(replace);
	if (_i == 0) {
		ck_assert_int_eq(status, RT_OK);
		expect_text(at("out"), "X{\"id\":\"a\",\"severity\":\"high\"}]\n");
	} else {
		expect_refused(status, RT_E_USAGE, "-", "", "have a pipe or the like", "pipe");
		ck_assert_uint_eq(entries_of(scratch), 1);
	}
	rt_patches_release(&patches);
	close(options.input_fd);
}
END_TEST

/* A disk that gets full: the message names what could not be written, and nothing is left. */
START_TEST(test_full)
{
	struct rlimit limit = {4096, 4096};
	char *bytes = calloc(1, 10000);

	ck_assert_ptr_nonnull(bytes);
	ck_assert_int_eq(mkdir(at("in"), 0700), 0);
	put("in/a.json", DOCUMENT);
	put_bytes(_i ? "in/b.txt" : "in/b.json", bytes, 10000);
	put_bytes("b.json", bytes, 10000);
	free(bytes);
	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	expect_refused(rewrite(at("in"), at("out"), RT_REPLACE_DIRECTORY, NULL), RT_E_IO,
		       at(_i ? "out/b.txt" : "out/b.json"), "",
		       "cannot write the new file: File too large", "directory");
	put("old", "old");
	expect_refused(rewrite(at("b.json"), at("old"), RT_REPLACE_FILE, NULL), RT_E_IO, at("old"),
		       "", "cannot write the new file: File too large", "file");
	expect_text(at("old"), "old");
	ck_assert_uint_eq(entries_of(scratch), 3);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("rewrite");
	TCase *tcase = tcase_create("rewrite");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_loop_test(tcase, test_plain, 0, 2);
	tcase_add_loop_test(tcase, test_packed_untouched, 0, 3);
	tcase_add_loop_test(tcase, test_packed_patched, 0, 5);
	tcase_add_test(tcase, test_directory);
	tcase_add_loop_test(tcase, test_directory_parts, 0, 2);
	tcase_add_test(tcase, test_directory_repacked);
	tcase_add_test(tcase, test_directory_bad_archive);
	tcase_add_loop_test(tcase, test_changed, 0, 9);
	tcase_add_test(tcase, test_stamp);
	tcase_add_loop_test(tcase, test_refused, 0, REFUSED_ROWS);
	tcase_add_loop_test(tcase, test_entries, 0, 2);
	tcase_add_loop_test(tcase, test_input_fd, 0, 3);
	tcase_add_loop_test(tcase, test_full, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
