/*
 * A folder of its own for every test, and files in it.
 */
#ifndef RT_TESTS_SCRATCH_H
#define RT_TESTS_SCRATCH_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "unit.h"

static char scratch[64];

/* The path of a file in the folder, good until some calls later. */
static inline const char *at(const char *name)
{
	static char paths[32][512];
	static size_t next;
	char *path = paths[next++ % 32];

	(void)snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
	return path;
}

static inline void put_bytes(const char *name, const void *data, size_t len)
{
	FILE *file = fopen(at(name), "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, len, file), len);
	ck_assert_int_eq(fclose(file), 0);
}

static inline void put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

/* All bytes of a file, and a NUL that does not count; to be released. */
static inline struct rt_buf bytes_of(const char *path)
{
	struct rt_buf buf = {0};
	struct rt_error err;
	FILE *file = fopen(path, "rb");

	ck_assert_msg(file != NULL, "%s is not there", path);
	for (;;) {
		ck_assert_int_eq(rt_buf_reserve(&buf, 65536, &err), RT_OK);
		size_t len = fread(buf.data + buf.len, 1, 65535, file);

		if (!len)
			break;
		buf.len += len;
	}
	buf.data[buf.len] = '\0';
	ck_assert_int_eq(fclose(file), 0);
	return buf;
}

static inline void expect_bytes(const char *path, const void *data, size_t len)
{
	struct rt_buf buf = bytes_of(path);

	ck_assert_msg(buf.len == len && memcmp(buf.data, data, len) == 0, "%s: %zu bytes, want %zu",
		      path, buf.len, len);
	rt_buf_release(&buf);
}

static inline void expect_text(const char *path, const char *text)
{
	struct rt_buf buf = bytes_of(path);

	ck_assert_str_eq(buf.data, text);
	rt_buf_release(&buf);
}

/* Entries of a directory, whatever their names. */
static inline size_t entries_of(const char *path)
{
	DIR *dir = opendir(path);
	size_t count = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static inline bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static inline void scratch_setup(void)
{
	(void)snprintf(scratch, sizeof(scratch), "/tmp/rt-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(scratch));
}

static inline void scratch_teardown(void)
{
	char command[256];

	/* Nobody but root takes away what is in a folder that may not be written. */
	(void)snprintf(command, sizeof(command), "chmod -R u+rwX '%s' && rm -rf '%s'", scratch,
		       scratch);
	ck_assert_int_eq(system(command), 0);
}

#endif
