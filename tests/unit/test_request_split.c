/*
 * The split test of requests: every request fixture is read whole, through windows of many sizes
 * on every code path, and from pipes that give a byte at a time or pieces of random sizes: the
 * same requests and faults each time.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "paths.h"
#include "request_all.h"

#define FIXTURES "fixtures/requests"
#define FIXTURES_MAX 500

static char *names[FIXTURES_MAX];
static int name_count;

static int only_files(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void list_fixtures(void)
{
	struct dirent **entries = NULL;
	int count = scandir(FIXTURES, &entries, only_files, alphasort);

	for (int i = 0; i < count; i++) {
		if (name_count < FIXTURES_MAX)
			names[name_count++] = strdup(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

static struct rt_buf read_fixture(const char *name)
{
	struct rt_buf data = {0};
	struct rt_error err;
	char path[1024];
	FILE *file;
	int c;

	snprintf(path, sizeof(path), "%s/%s", FIXTURES, name);
	file = fopen(path, "rb");
	ck_assert_msg(file != NULL, "%s", path);
	while ((c = getc(file)) != EOF) {
		char byte = (char)c;

		ck_assert_int_eq(rt_buf_append(&data, &byte, 1, &err), RT_OK);
	}
	fclose(file);
	return data;
}

static struct request_how fixture_how(void)
{
	struct request_how how = request_how_default();

	how.offsets = true;
	return how;
}

static void same(const char *name, const char *how, size_t detail, struct rt_buf *have,
		 const struct rt_buf *want)
{
	ck_assert_msg(strcmp(have->data, want->data) == 0, "%s: %s %zu: have\n%swhole\n%s", name,
		      how, detail, have->data, want->data);
	rt_buf_release(have);
}

static void split_windows(const char *name, const struct rt_buf *data, const struct rt_buf *whole)
{
	static const size_t windows[] = {1, 2, 3, 5, 8, 31, 64, 100, 257, 4096};
	struct request_how how = fixture_how();

	for (size_t path = 0; path < PATH_COUNT; path++) {
		how.simd = paths[path].simd;
		for (size_t i = 0; path_ops(path) && i < sizeof(windows) / sizeof(windows[0]);
		     i++) {
			struct rt_buf said;

			how.window = windows[i];
			said = request_text(rt_buf_slice(data), &how);
			same(name, paths[path].name, windows[i], &said, whole);
		}
	}
}

/* Write data in pieces of at most `most` bytes, then end. most 1: as packets, each read alone. */
static void feed(int fd, const struct rt_buf *data, size_t most, unsigned short seed[3])
{
	size_t at = 0;

	while (at < data->len) {
		size_t len = 1 + (size_t)nrand48(seed) % most;
		ssize_t done;

		if (len > data->len - at)
			len = data->len - at;
		done = write(fd, data->data + at, len);
		/* A reader that has seen a fault stops reading. */
		if (done < 0)
			_exit(0);
		at += (size_t)done;
	}
	_exit(0);
}

static void split_pipe(const char *name, const struct rt_buf *data, const struct rt_buf *whole,
		       size_t most, size_t window)
{
	unsigned short seed[3] = {1, (unsigned short)most, (unsigned short)window};
	struct request_how how = fixture_how();
	struct rt_buf said;
	char path[64];
	const char *list[] = {path};
	int fds[2];
	pid_t child;

	ck_assert_int_eq(pipe2(fds, most == 1 ? O_DIRECT : 0), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		close(fds[0]);
		feed(fds[1], data, most, seed);
	}
	close(fds[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	how.window = window;
	said = request_paths(list, 1, &how);
	close(fds[0]);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	same(name, "pipe", most, &said, whole);
}

/* good-* are accepted whole, bad-* have a fault. */
static void judge(const char *name, const struct rt_buf *whole)
{
	bool faults = strstr(whole->data, "reject ") || strstr(whole->data, "limit ");

	ck_assert_msg(strstr(whole->data, "\nend ") != NULL, "%s: %s", name, whole->data);
	if (strncmp(name, "good-", 5) == 0)
		ck_assert_msg(!faults, "%s: %s", name, whole->data);
	else if (strncmp(name, "bad-", 4) == 0)
		ck_assert_msg(faults, "%s: %s", name, whole->data);
	else
		ck_assert_msg(faults == (strstr(name, "01-") != NULL), "%s: %s", name, whole->data);
}

START_TEST(split)
{
	const char *name = names[_i];
	struct rt_buf data = read_fixture(name);
	struct request_how how = fixture_how();
	struct rt_buf whole = request_text(rt_buf_slice(&data), &how);

	judge(name, &whole);
	split_windows(name, &data, &whole);
	split_pipe(name, &data, &whole, 1, 0);
	split_pipe(name, &data, &whole, 1, 1);
	split_pipe(name, &data, &whole, 7, 0);
	split_pipe(name, &data, &whole, 100, 16);
	split_pipe(name, &data, &whole, 5000, 0);
	rt_buf_release(&whole);
	rt_buf_release(&data);
}
END_TEST

START_TEST(found)
{
	ck_assert_msg(name_count > 40, "%d files in " FIXTURES, name_count);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("request_split");
	TCase *cases = tcase_create("all");

	list_fixtures();
	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, found);
	tcase_add_loop_test(cases, split, 0, name_count);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
