/*
 * rt_files over a tree made for each test: order, what is passed over, links, FIFOs, standard
 * input, and the errors with their paths.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/limits.h"
#include "files/files.h"
#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static char folder[64];
static char path[256];

static const char *at(const char *name)
{
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(at(name), "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

static void setup(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/rt-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static int remove_one(const char *name, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(name);
}

static void teardown(void)
{
	ck_assert_int_eq(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static struct rt_files *files_of(struct rt_options *options, const char *const *paths, size_t count)
{
	struct rt_files *files;
	struct rt_error err;

	memset(options, 0, sizeof(*options));
	options->paths = paths;
	options->path_count = count;
	rt_limits_init(&options->limits);
	ck_assert_int_eq(rt_files_open(options, &files, &err), RT_OK);
	return files;
}

/*
 * The names that a directory gives, each with a blank after it; then "not read:" and the others,
 * each with the number of its reason.
 */
static enum rt_status list_chosen(const char *root, const struct rt_choice *choice, char *text,
				  size_t cap, struct rt_error *err)
{
	struct rt_options options;
	struct rt_files *files = files_of(&options, &root, 1);
	struct rt_unread_entry entry;
	const struct rt_file *file;
	enum rt_status status;
	size_t used = 0, next = 0;

	if (choice)
		options.choice = *choice;
	text[0] = '\0';
	while ((status = rt_files_next(files, &file, err)) == RT_OK) {
		ck_assert_str_eq(file->path, root);
		ck_assert_int_ge(fcntl(file->fd, F_GETFD), FD_CLOEXEC);
		used += (size_t)snprintf(text + used, cap - used, "%s ", file->name);
		ck_assert_uint_lt(used, cap);
	}
	while (rt_unread_next(rt_files_unread(files), &next, &entry)) {
		ck_assert_int_eq(strncmp(entry.path, root, strlen(root)), 0);
		ck_assert_str_eq(entry.member, "");
		used += (size_t)snprintf(text + used, cap - used, "%s%s:%d ",
					 strstr(text, "not read: ") ? "" : "not read: ",
					 entry.path + strlen(root) + 1, (int)entry.reason);
		ck_assert_uint_lt(used, cap);
	}
	rt_files_free(files);
	return status;
}

static enum rt_status list(const char *root, char *text, size_t cap, struct rt_error *err)
{
	return list_chosen(root, NULL, text, cap, err);
}

/* Byte order of the whole path: '-' and '.' sort before '/', and that before letters. */
START_TEST(test_walk)
{
	static const char *const names[] = {"b.json",    "a/z.json", "a-b.json",    "a.yaml",
					    "a/b/c.yml", "ab.jsonl", "B.json",      "skip.txt",
					    "a/skip.md", "n.NDJSON", "a/x.json.gz", "noext"};
	struct rt_error err;
	char text[512];

	ck_assert_int_eq(mkdir(at("a"), 0700), 0);
	ck_assert_int_eq(mkdir(at("a/b"), 0700), 0);
	ck_assert_int_eq(mkdir(at("empty.json"), 0700), 0);
	for (size_t i = 0; i < COUNT(names); i++)
		put(names[i], "1");
	/* A way out, a loop, and things that are no files. */
	ck_assert_int_eq(symlink("/etc/passwd", at("out.json")), 0);
	ck_assert_int_eq(symlink("..", at("a/loop")), 0);
	ck_assert_int_eq(mkfifo(at("fifo.json"), 0600), 0);
	ck_assert_int_eq(list(folder, text, sizeof(text), &err), RT_END);
	ck_assert_str_eq(text, "B.json a-b.json a.yaml a/b/c.yml a/x.json.gz a/z.json ab.jsonl "
			       "b.json n.NDJSON not read: a/loop:1 a/skip.md:0 empty.json:4 "
			       "fifo.json:3 noext:0 out.json:1 skip.txt:0 ");
}
END_TEST

/* What is chosen is read whatever its ending; what is left out is not even told. */
START_TEST(test_choice)
{
	static const struct {
		const char *include[3], *exclude[3];
		const char *text;
	} rows[] = {
	    {{NULL}, {NULL}, "a.json b/a.json b/c.json not read: b/c.txt:0 d.zip:5 l.json:1 "},
	    {{"**"}, {NULL}, "a.json b/a.json b/c.json b/c.txt d.zip not read: l.json:1 "},
	    {{"*.json"}, {NULL}, "a.json not read: l.json:1 "},
	    {{"**/a.json"}, {NULL}, "a.json b/a.json "},
	    {{"b/*.txt", "d.zip"}, {NULL}, "b/c.txt d.zip "},
	    {{NULL}, {"b/**"}, "a.json not read: d.zip:5 l.json:1 "},
	    {{NULL}, {"*.zip", "l.*", "**/*.txt"}, "a.json b/a.json b/c.json "},
	    {{"**/*.json"}, {"**/a.json"}, "b/c.json not read: l.json:1 "},
	};
	struct rt_choice choice = {rows[_i].include, 0, rows[_i].exclude, 0};
	struct rt_error err;
	char text[512];

	while (choice.include_count < 3 && rows[_i].include[choice.include_count])
		choice.include_count++;
	while (choice.exclude_count < 3 && rows[_i].exclude[choice.exclude_count])
		choice.exclude_count++;
	ck_assert_int_eq(mkdir(at("b"), 0700), 0);
	put("a.json", "1");
	put("b/a.json", "1");
	put("b/c.json", "1");
	put("b/c.txt", "1");
	put("d.zip", "1");
	ck_assert_int_eq(symlink("a.json", at("l.json")), 0);
	ck_assert_int_eq(list_chosen(folder, &choice, text, sizeof(text), &err), RT_END);
	ck_assert_msg(strcmp(text, rows[_i].text) == 0, "row %d: %s", _i, text);
}
END_TEST

START_TEST(test_nothing_chosen)
{
	static const char *const globs[] = {"b/**"};
	const struct rt_choice choice = {globs, 1, NULL, 0};
	struct rt_error err;
	char text[512];

	put("a.json", "1");
	ck_assert_int_eq(list_chosen(folder, &choice, text, sizeof(text), &err), RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_INPUT);
	ck_assert_str_eq(err.message, "want a directory with a file that --include and --exclude "
				      "choose, have none");
}
END_TEST

START_TEST(test_no_candidate)
{
	struct rt_error err;
	char text[512];

	put("a.txt", "1");
	ck_assert_int_eq(list(folder, text, sizeof(text), &err), RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_INPUT);
	ck_assert_str_eq(err.path, folder);
	ck_assert_ptr_nonnull(strstr(err.message, "have none"));
}
END_TEST

/* More entries than the limit, candidates or not; the path after it is still read. */
START_TEST(test_too_many)
{
	const char *paths[2];
	struct rt_options options;
	struct rt_files *files;
	const struct rt_file *file;
	struct rt_error err;
	char other[300];

	put("a.json", "1");
	put("b.txt", "1");
	put("c.txt", "1");
	(void)snprintf(other, sizeof(other), "%s/a.json", folder);
	paths[0] = folder;
	paths[1] = other;
	files = files_of(&options, paths, 2);
	options.limits.archive_members = 2;
	ck_assert_int_eq(rt_files_next(files, &file, &err), RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_str_eq(err.path, folder);
	ck_assert_int_eq(rt_files_next(files, &file, &err), RT_OK);
	ck_assert_str_eq(file->path, other);
	ck_assert_ptr_null(file->name);
	ck_assert_int_eq(rt_files_next(files, &file, &err), RT_END);
	rt_files_free(files);
}
END_TEST

static void make_socket(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
}

START_TEST(test_bad_path)
{
	static const struct {
		const char *what;
		const char *name;
		enum rt_code code;
		const char *message;
	} rows[] = {
	    {"absent", "absent.json", RT_E_USAGE, "No such file"},
	    {"below a file", "a.json/x", RT_E_USAGE, "Not a directory"},
	    {"a socket", "socket", RT_E_USAGE, "device or socket"},
	    {"a link to a device", "null", RT_E_USAGE, "device or socket"},
	    {"a link to itself", "loop", RT_E_IO, "Too many levels"},
	};
	struct rt_options options;
	struct rt_files *files;
	const struct rt_file *file;
	struct rt_error err;
	char name[300];
	const char *paths[] = {name};

	put("a.json", "1");
	make_socket();
	ck_assert_int_eq(symlink("/dev/null", at("null")), 0);
	ck_assert_int_eq(symlink("loop", at("loop")), 0);
	(void)snprintf(name, sizeof(name), "%s/%s", folder, rows[_i].name);
	files = files_of(&options, paths, 1);
	ck_assert_msg(rt_files_next(files, &file, &err) == RT_FATAL, "%s", rows[_i].what);
	ck_assert_msg(err.code == rows[_i].code, "%s: code %d", rows[_i].what, (int)err.code);
	ck_assert_msg(strstr(err.message, rows[_i].message), "%s: %s", rows[_i].what, err.message);
	ck_assert_str_eq(err.path, name);
	rt_files_free(files);
}
END_TEST

/* A path of the user may be a link, and need not look like a candidate. */
START_TEST(test_user_path)
{
	struct rt_options options;
	struct rt_files *files;
	const struct rt_file *file;
	struct rt_error err;
	char link[300];
	const char *paths[] = {link};
	char byte;

	put("data", "12345");
	ck_assert_int_eq(symlink("data", at("link")), 0);
	(void)snprintf(link, sizeof(link), "%s/link", folder);
	files = files_of(&options, paths, 1);
	ck_assert_uint_eq(rt_files_total(files), 5);
	ck_assert_int_eq(rt_files_next(files, &file, &err), RT_OK);
	ck_assert(file->seekable);
	ck_assert_uint_eq(file->size, 5);
	ck_assert_int_eq(read(file->fd, &byte, 1), 1);
	ck_assert_int_eq(byte, '1');
	ck_assert_int_eq(rt_files_next(files, &file, &err), RT_END);
	rt_files_free(files);
}
END_TEST

/* Standard input: a file from its start, a file that was read in part, a pipe; and once only. */
START_TEST(test_stdin)
{
	static const char *const paths[] = {"-", "-"};
	struct rt_options options;
	struct rt_files *files = files_of(&options, paths, 2);
	const struct rt_file *file;
	struct rt_error err;
	int fds[2];
	int fd;

	put("data", "12345");
	if (_i < 2) {
		fd = open(at("data"), O_RDONLY | O_CLOEXEC);
		ck_assert_int_eq(lseek(fd, _i, SEEK_SET), _i);
	} else {
		ck_assert_int_eq(pipe(fds), 0);
		close(fds[1]);
		fd = fds[0];
	}
	ck_assert_int_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	ck_assert_int_eq(rt_files_next(files, &file, &err), RT_OK);
	ck_assert_str_eq(file->path, "-");
	ck_assert_int_eq(file->seekable, _i == 0);
	ck_assert_uint_eq(file->size, _i == 0 ? 5 : 0);
	ck_assert_int_eq(rt_files_next(files, &file, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	/* The caller's own descriptor is not ours to close. */
	ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
	rt_files_free(files);
	close(fd);
}
END_TEST

START_TEST(test_candidate)
{
	static const struct {
		const char *name;
		bool is_candidate;
	} rows[] = {
	    {"a.json", true},         {"a.ndjson", true},    {"a.jsonl", true},
	    {"a.yaml", true},         {"a.yml", true},       {"a.JSON.GZ", true},
	    {"a.yml.zst", true},      {"a.json.xz", true},   {"a.jsonl.bz2", true},
	    {"d/a.yaml.lz4", true},   {".json", true},       {"a.json.gz.gz", false},
	    {"a.gz", false},          {"a.json.zip", false}, {"a.tar.gz", false},
	    {"json", false},          {"", false},           {".gz", false},
	    {"a.json ", false},       {"a.jsonx", false},    {"._a.json", false},
	    {"d/._a.json.gz", false}, {"._d/a.json", true},  {"./._a.json", false},
	    {".a.json", true},        {"_.json", true},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		ck_assert_msg((rt_name_judge(NULL, NULL, rows[i].name) == RT_NAME_CANDIDATE) ==
				  rows[i].is_candidate,
			      "\"%s\"", rows[i].name);
}
END_TEST

/* Below another path, and after a "./" that archives have. */
START_TEST(test_judge)
{
	static const struct {
		const char *glob, *below, *name;
		enum rt_name included, excluded;
	} rows[] = {
	    {"a/*.json", NULL, "a/b.json", RT_NAME_CANDIDATE, RT_NAME_LEFT_OUT},
	    {"a/*.json", NULL, "./a/b.json", RT_NAME_CANDIDATE, RT_NAME_LEFT_OUT},
	    {"a/*.json", NULL, "././a/b.json", RT_NAME_CANDIDATE, RT_NAME_LEFT_OUT},
	    {"a/*.json", "a", "b.json", RT_NAME_CANDIDATE, RT_NAME_LEFT_OUT},
	    {"a/*.json", "a", "./b.json", RT_NAME_CANDIDATE, RT_NAME_LEFT_OUT},
	    {"b.json", "a", "b.json", RT_NAME_LEFT_OUT, RT_NAME_CANDIDATE},
	    {"**/b.json", "x/y.json.gz", "b.json", RT_NAME_CANDIDATE, RT_NAME_LEFT_OUT},
	    {"*.txt", NULL, "b.txt", RT_NAME_CANDIDATE, RT_NAME_LEFT_OUT},
	    {"*.md", NULL, "b.txt", RT_NAME_LEFT_OUT, RT_NAME_OTHER},
	    {"[", NULL, "[", RT_NAME_LEFT_OUT, RT_NAME_OTHER},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct rt_choice include = {&rows[i].glob, 1, NULL, 0};
		const struct rt_choice exclude = {NULL, 0, &rows[i].glob, 1};

		ck_assert_msg(rt_name_judge(&include, rows[i].below, rows[i].name) ==
				  rows[i].included,
			      "row %zu: included", i);
		ck_assert_msg(rt_name_judge(&exclude, rows[i].below, rows[i].name) ==
				  rows[i].excluded,
			      "row %zu: excluded", i);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("files");
	TCase *tcase = tcase_create("files");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_walk);
	tcase_add_test(tcase, test_no_candidate);
	tcase_add_test(tcase, test_too_many);
	tcase_add_loop_test(tcase, test_bad_path, 0, 5);
	tcase_add_test(tcase, test_user_path);
	tcase_add_loop_test(tcase, test_stdin, 0, 3);
	tcase_add_test(tcase, test_candidate);
	tcase_add_loop_test(tcase, test_choice, 0, 8);
	tcase_add_test(tcase, test_nothing_chosen);
	tcase_add_test(tcase, test_judge);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
