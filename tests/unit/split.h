/*
 * Split tests: what a reader says of a fixture must be the same however its bytes arrive. Fixtures
 * by number, and a reader that is given them through windows and pipes.
 */
#ifndef RT_TESTS_SPLIT_H
#define RT_TESTS_SPLIT_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "paths.h"
#include "unit.h"

#define SPLIT_FIXTURES_MAX 1000

/* A reader under test: what it says, as text with a NUL, to be released. window 0: the usual. */
struct split_reader {
	struct rt_buf (*text)(struct rt_slice data, const char *simd, size_t window);
	struct rt_buf (*path)(const char *path, size_t window);
};

/* The fixtures of a folder, for a loop test. */
struct split_names {
	const char *folder;
	char *names[SPLIT_FIXTURES_MAX];
	int count;
};

static inline int split_is_fixture(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "README.md") != 0;
}

static inline void split_list(struct split_names *list, const char *folder)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, split_is_fixture, alphasort);

	list->folder = folder;
	for (int i = 0; i < count; i++) {
		if (list->count < SPLIT_FIXTURES_MAX)
			list->names[list->count++] = strdup(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

static inline struct rt_buf split_load(const struct split_names *list, int number)
{
	struct rt_buf data = {0};
	struct rt_error err;
	char path[1024];
	FILE *file;
	int c;

	snprintf(path, sizeof(path), "%s/%s", list->folder, list->names[number]);
	file = fopen(path, "rb");
	ck_assert_msg(file != NULL, "%s", path);
	while ((c = getc(file)) != EOF) {
		char byte = (char)c;

		ck_assert_int_eq(rt_buf_append(&data, &byte, 1, &err), RT_OK);
	}
	fclose(file);
	return data;
}

static inline void split_same(const char *name, const char *how, size_t detail, struct rt_buf *have,
			      const struct rt_buf *want)
{
	ck_assert_msg(strcmp(have->data, want->data) == 0, "%s: %s %zu: have\n%swhole\n%s", name,
		      how, detail, have->data, want->data);
	rt_buf_release(have);
}

static inline void split_windows(const struct split_reader *reader, const char *name,
				 const struct rt_buf *data, const struct rt_buf *whole)
{
	static const size_t windows[] = {1, 2, 3, 5, 8, 31, 64, 100, 257, 4096, 0};

	for (size_t path = 0; path < PATH_COUNT; path++) {
		for (size_t i = 0; path_ops(path) && i < sizeof(windows) / sizeof(windows[0]);
		     i += UNIT_ROUNDS_FOR_ONE) {
			struct rt_buf said =
			    reader->text(rt_buf_slice(data), paths[path], windows[i]);

			split_same(name, paths[path], windows[i], &said, whole);
		}
	}
}

/* Write data in pieces of at most `most` bytes, then end. most 1: as packets, each read alone. */
static inline void split_feed(int fd, const struct rt_buf *data, size_t most,
			      unsigned short seed[3])
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

static inline void split_pipe(const struct split_reader *reader, const char *name,
			      const struct rt_buf *data, const struct rt_buf *whole, size_t most,
			      size_t window)
{
	unsigned short seed[3] = {1, (unsigned short)most, (unsigned short)window};
	struct rt_buf said;
	char path[64];
	int fds[2];
	pid_t child;

	ck_assert_int_eq(pipe2(fds, most == 1 ? O_DIRECT : 0), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		close(fds[0]);
		split_feed(fds[1], data, most, seed);
	}
	close(fds[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	said = reader->path(path, window);
	close(fds[0]);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	split_same(name, "pipe", most, &said, whole);
}

/* Read data in all these ways; whole: what is said of it when it is read at once. */
static inline void split_all(const struct split_reader *reader, const char *name,
			     const struct rt_buf *data, const struct rt_buf *whole)
{
	split_windows(reader, name, data, whole);
	split_pipe(reader, name, data, whole, 1, 0);
	split_pipe(reader, name, data, whole, 1, 1);
	split_pipe(reader, name, data, whole, 7, 0);
	split_pipe(reader, name, data, whole, 100, 16);
	split_pipe(reader, name, data, whole, 5000, 0);
}

#endif
