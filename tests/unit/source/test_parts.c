/*
 * rt_parts over real files, pipes, directories and archives, with a child where one is needed:
 * order, places in errors, what the next call gives after a bad file, limits of the whole run,
 * bombs, progress, and that nothing is left behind.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive_make.h"
#include "base/limits.h"
#include "source/parts.h"
#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char doc[] = "[{\"id\":\"a\",\"severity\":\"high\"}]\n";

static struct rt_limits limits;

static unsigned descriptors(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static unsigned descriptors_before;

static void setup(void)
{
	rt_limits_init(&limits);
	descriptors_before = descriptors();
}

static void teardown(void)
{
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert_uint_eq(descriptors(), descriptors_before);
}

static void expect_reject(const struct made_result *result, enum rt_code code, const char *message)
{
	ck_assert_int_lt(result->status, 0);
	ck_assert_msg(strstr(result->err.message, message), "%s", result->err.message);
	ck_assert_int_eq(result->err.code, code);
}

static void file_packed(struct rt_buf *out, const char *filter)
{
	if (filter[0])
		make_packed(out, filter, "", doc, strlen(doc));
	else
		ck_assert_int_eq(rt_buf_append(out, doc, strlen(doc), &(struct rt_error){0}),
				 RT_OK);
}

/* One document in each compression, read through the child; its path is the place. */
START_TEST(test_document)
{
	static const char *const filters[] = {"", "gzip", "zstd", "xz", "bzip2", "lz4"};
	struct rt_buf file = {0};
	struct made_result result;
	char text[128];
	char *path;

	file_packed(&file, filters[_i]);
	path = make_file(".json", file.data, file.len);
	make_read(&result, path, &limits);
	(void)snprintf(text, sizeof(text), "<>\n%s\n", doc);
	ck_assert_msg(result.status == RT_OK, "%s", result.err.message);
	ck_assert_msg(result.text.len == strlen(text) &&
			  memcmp(result.text.data, text, result.text.len) == 0,
		      "%s", filters[_i]);
	rt_buf_release(&result.text);
	/* The last byte missing: an error with the path. */
	if (filters[_i][0]) {
		ck_assert_int_eq(truncate(path, (off_t)file.len - 1), 0);
		make_read(&result, path, &limits);
		expect_reject(&result, RT_E_INPUT, "want ");
		ck_assert_str_eq(result.err.path, path);
		ck_assert_str_eq(result.err.member, "");
		rt_buf_release(&result.text);
	}
	ck_assert_int_eq(unlink(path), 0);
	free(path);
	rt_buf_release(&file);
}
END_TEST

/* Larger than the ring many times over, in pieces of every size. */
START_TEST(test_large)
{
	const size_t len = 5000011;
	struct rt_options options = {.path_count = 1, .limits = limits};
	struct rt_parts *parts;
	const struct rt_part *part;
	struct rt_buf file = {0};
	struct rt_error err;
	uint8_t *data = malloc(len);
	uint8_t *back = malloc(len + 1);
	size_t done = 0;
	size_t got = 0;
	uint32_t seed = 1;
	enum rt_status status;
	const char *path;

	ck_assert(data && back);
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525u + 1013904223u;
		data[i] = (uint8_t)(seed >> 28);
	}
	make_packed(&file, _i ? "zstd" : "gzip", "", data, len);
	path = make_file(".json", file.data, file.len);
	options.paths = &path;
	ck_assert_int_eq(rt_parts_open(&options, &parts, &err), RT_OK);
	ck_assert_int_eq(rt_parts_next(parts, &part, &err), RT_OK);
	for (;;) {
		size_t cap = (seed = seed * 1664525u + 1013904223u) >> 14;

		cap = cap < len + 1 - done ? cap : len + 1 - done;
		status = rt_parts_read(parts, back + done, cap ? cap : 1, &got, &err);
		if (status != RT_OK)
			break;
		done += got;
		ck_assert_uint_le(done, len);
	}
	ck_assert_int_eq(status, RT_END);
	ck_assert_uint_eq(done, len);
	ck_assert_int_eq(memcmp(data, back, len), 0);
	ck_assert_int_eq(rt_parts_next(parts, &part, &err), RT_END);
	rt_parts_free(parts);
	ck_assert_int_eq(unlink(path), 0);
	free((char *)(uintptr_t)path);
	free(data);
	free(back);
	rt_buf_release(&file);
}
END_TEST

/* A bad file does not end the run; its neighbours are read. */
START_TEST(test_goes_on)
{
	struct rt_buf bad = {0};
	struct rt_options options = {.path_count = 3, .limits = limits};
	struct rt_parts *parts;
	const struct rt_part *part;
	struct rt_error err;
	const char *paths[3];
	char room[256];
	size_t len;

	make_packed(&bad, "gzip", "", doc, strlen(doc));
	bad.data[bad.len - 8] ^= 1;
	paths[0] = make_file(".json", doc, strlen(doc));
	paths[1] = make_file(".json.gz", bad.data, bad.len);
	paths[2] = make_file(".json", doc, strlen(doc));
	options.paths = paths;
	ck_assert_int_eq(rt_parts_open(&options, &parts, &err), RT_OK);
	ck_assert_int_eq(rt_parts_next(parts, &part, &err), RT_OK);
	ck_assert_str_eq(part->path, paths[0]);
	ck_assert_uint_eq(part->size, strlen(doc));
	/* Not read: passed over. Then the bad one, found while it is drained. */
	while (rt_parts_next(parts, &part, &err) == RT_OK)
		ck_assert_str_eq(part->path, paths[1]);
	ck_assert_str_eq(err.message,
			 "want gzip data that match their CRC and length, have others");
	ck_assert_str_eq(err.path, paths[1]);
	ck_assert_int_eq(rt_parts_next(parts, &part, &err), RT_OK);
	ck_assert_str_eq(part->path, paths[2]);
	ck_assert_int_eq(rt_parts_read(parts, room, sizeof(room), &len, &err), RT_OK);
	ck_assert_uint_eq(len, strlen(doc));
	ck_assert_int_eq(rt_parts_read(parts, room, sizeof(room), &len, &err), RT_END);
	ck_assert_int_eq(rt_parts_next(parts, &part, &err), RT_END);
	rt_parts_free(parts);
	for (size_t i = 0; i < COUNT(paths); i++) {
		ck_assert_int_eq(unlink(paths[i]), 0);
		free((char *)(uintptr_t)paths[i]);
	}
	rt_buf_release(&bad);
}
END_TEST

/* An archive in a directory, and a bad member in it: the place names both. */
START_TEST(test_place)
{
	struct rt_buf packed = {0};
	struct rt_buf zip = {0};
	struct made_result result;
	char folder[] = "/tmp/rt-unit-XXXXXX";
	char path[64];
	FILE *file;

	make_packed(&packed, "xz", "", doc, strlen(doc));
	{
		const struct make_member members[] = {
		    {.name = "good.json", .data = "1", .len = 1},
		    {.name = "bad.json.xz", .data = packed.data, .len = packed.len - 4},
		};

		make_archive(&zip, "zip", members, COUNT(members));
	}
	ck_assert_ptr_nonnull(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/sub", folder);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/sub/x.json", folder);
	file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(zip.data, 1, zip.len, file), zip.len);
	fclose(file);
	make_read(&result, folder, &limits);
	expect_reject(&result, RT_E_INPUT, "xz data");
	ck_assert_str_eq(result.err.path, path);
	ck_assert_str_eq(result.err.member, "bad.json.xz");
	ck_assert_msg(memcmp(result.text.data, "<good.json>\n1\n", 14) == 0, "%.*s",
		      (int)result.text.len, result.text.data);
	ck_assert_int_eq(unlink(path), 0);
	(void)snprintf(path, sizeof(path), "%s/sub", folder);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(rmdir(folder), 0);
	rt_buf_release(&result.text);
	rt_buf_release(&packed);
	rt_buf_release(&zip);
}
END_TEST

/* 10 GiB of zeros: stopped by what streams by, in every compression that can be put in series. */
START_TEST(test_bomb)
{
	static const char *const filters[] = {"gzip", "zstd", "xz", "bzip2", "lz4"};
	const size_t frame_len = (size_t)(16 * RT_MIB);
	struct rt_buf frame = {0};
	struct rt_buf file = {0};
	struct rt_error err;
	struct made_result result;
	char *zeros = calloc(1, frame_len);
	char *path;

	ck_assert_ptr_nonnull(zeros);
	make_packed(&frame, filters[_i], "", zeros, frame_len);
	for (size_t i = 0; i < 10 * RT_GIB / frame_len; i++)
		ck_assert_int_eq(rt_buf_append(&file, frame.data, frame.len, &err), RT_OK);
	path = make_file(".json", file.data, file.len);
	limits.expanded_bytes = 20 * RT_MIB;
	make_read(&result, path, &limits);
	ck_assert_int_eq(result.status, RT_FATAL);
	expect_reject(&result, RT_E_LIMIT,
		      "want at most 20971520 bytes after decompression (limit \"expanded\")");
	ck_assert_uint_le(result.text.len, 20 * RT_MIB + 16);
	ck_assert_int_eq(unlink(path), 0);
	free(path);
	free(zeros);
	rt_buf_release(&result.text);
	rt_buf_release(&frame);
	rt_buf_release(&file);
}
END_TEST

/* The limit holds for all files of a run together. */
START_TEST(test_expanded_adds_up)
{
	struct rt_buf file = {0};
	struct rt_options options = {.path_count = 3, .limits = limits};
	struct rt_parts *parts;
	const struct rt_part *part;
	struct rt_error err;
	const char *paths[3];
	char *path;
	unsigned good = 0;
	enum rt_status status;

	make_packed(&file, "gzip", "", doc, strlen(doc));
	path = make_file(".json", file.data, file.len);
	for (size_t i = 0; i < COUNT(paths); i++)
		paths[i] = path;
	options.paths = paths;
	options.limits.expanded_bytes = 3 * strlen(doc) - (size_t)_i;
	ck_assert_int_eq(rt_parts_open(&options, &parts, &err), RT_OK);
	while ((status = rt_parts_next(parts, &part, &err)) == RT_OK)
		good++;
	ck_assert_int_eq(status, _i ? RT_FATAL : RT_END);
	if (_i)
		ck_assert_int_eq(err.code, RT_E_LIMIT);
	else
		ck_assert_uint_eq(good, 3);
	rt_parts_free(parts);
	ck_assert_int_eq(unlink(path), 0);
	free(path);
	rt_buf_release(&file);
}
END_TEST

/* xz at its highest preset needs 65 MiB; the child has less, or more. */
START_TEST(test_memory)
{
	struct rt_buf file = {0};
	struct made_result result;
	char *path;

	if (UNIT_HAS_ASAN)
		return;
	make_packed(&file, "xz", "9", doc, strlen(doc));
	path = make_file(".json.xz", file.data, file.len);
	limits.decoder_bytes = 16 * RT_MIB;
	make_read(&result, path, &limits);
	ck_assert_int_eq(result.status, RT_REJECT);
	expect_reject(&result, RT_E_LIMIT, "16777216 bytes of memory (limit \"decoder\")");
	rt_buf_release(&result.text);
	limits.decoder_bytes = 256 * RT_MIB;
	make_read(&result, path, &limits);
	ck_assert_msg(result.status == RT_OK, "%s", result.err.message);
	rt_buf_release(&result.text);
	ck_assert_int_eq(unlink(path), 0);
	free(path);
	rt_buf_release(&file);
}
END_TEST

/* Given up in the middle: the child goes with its parts. teardown() looks for what is left. */
START_TEST(test_given_up)
{
	struct rt_options options = {.path_count = 1, .limits = limits};
	struct rt_parts *parts;
	const struct rt_part *part;
	struct rt_buf file = {0};
	struct rt_error err;
	char *zeros = calloc(1, 1 << 24);
	const char *path;
	char room[10];
	size_t len;

	ck_assert_ptr_nonnull(zeros);
	make_packed(&file, "zstd", "", zeros, 1 << 24);
	path = make_file(".json", file.data, file.len);
	options.paths = &path;
	ck_assert_int_eq(rt_parts_open(&options, &parts, &err), RT_OK);
	ck_assert_int_eq(rt_parts_next(parts, &part, &err), RT_OK);
	ck_assert_int_eq(rt_parts_read(parts, room, sizeof(room), &len, &err), RT_OK);
	ck_assert_uint_eq(len, sizeof(room));
	rt_parts_free(parts);
	ck_assert_int_eq(unlink(path), 0);
	free((char *)(uintptr_t)path);
	free(zeros);
	rt_buf_release(&file);
}
END_TEST

struct progress_seen {
	uint64_t done;
	uint64_t total;
	unsigned calls;
};

static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct progress_seen *seen = ctx;

	ck_assert_uint_ge(done, seen->done);
	ck_assert_uint_le(done, total);
	seen->done = done;
	seen->total = total;
	seen->calls++;
}

/* Progress counts bytes of the files, packed or not, and ends at their sum. */
START_TEST(test_progress)
{
	static const struct make_member member = {
	    .name = "a.json", .data = doc, .len = sizeof(doc) - 1};
	struct progress_seen seen = {0};
	struct rt_buf file = {0};
	struct rt_options options = {
	    .path_count = 2, .limits = limits, .progress = on_progress, .progress_ctx = &seen};
	struct rt_parts *parts;
	const struct rt_part *part;
	struct rt_error err;
	const char *paths[2];
	char room[4096];
	size_t len;

	/* A zip is read here and there, its directory twice. */
	if (_i)
		make_archive(&file, "zip", &member, 1);
	else
		make_packed(&file, "zstd", "", doc, strlen(doc));
	paths[0] = make_file(".json", file.data, file.len);
	paths[1] = make_file(".json", doc, strlen(doc));
	options.paths = paths;
	ck_assert_int_eq(rt_parts_open(&options, &parts, &err), RT_OK);
	while (rt_parts_next(parts, &part, &err) == RT_OK) {
		while (rt_parts_read(parts, room, sizeof(room), &len, &err) == RT_OK)
			;
	}
	ck_assert_uint_eq(seen.done, file.len + strlen(doc));
	ck_assert_uint_eq(seen.total, file.len + strlen(doc));
	ck_assert_uint_ge(seen.calls, 2);
	rt_parts_free(parts);
	for (size_t i = 0; i < COUNT(paths); i++) {
		ck_assert_int_eq(unlink(paths[i]), 0);
		free((char *)(uintptr_t)paths[i]);
	}
	rt_buf_release(&file);
}
END_TEST

/* A regular file that loses bytes while it is read. */
START_TEST(test_shrinks)
{
	struct rt_options options = {.path_count = 1, .limits = limits};
	struct rt_parts *parts;
	const struct rt_part *part;
	struct rt_error err;
	const char *path = make_file(".json", doc, strlen(doc));
	char room[4];
	size_t len;

	options.paths = &path;
	ck_assert_int_eq(rt_parts_open(&options, &parts, &err), RT_OK);
	ck_assert_int_eq(rt_parts_next(parts, &part, &err), RT_OK);
	ck_assert_int_eq(rt_parts_read(parts, room, sizeof(room), &len, &err), RT_OK);
	ck_assert_int_eq(truncate(path, 4), 0);
	ck_assert_int_eq(rt_parts_read(parts, room, sizeof(room), &len, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_str_eq(err.path, path);
	rt_parts_free(parts);
	ck_assert_int_eq(unlink(path), 0);
	free((char *)(uintptr_t)path);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("parts");
	TCase *tcase = tcase_create("parts");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_document, 0, 6);
	tcase_add_loop_test(tcase, test_large, 0, 2);
	tcase_add_test(tcase, test_goes_on);
	tcase_add_test(tcase, test_place);
	tcase_add_loop_test(tcase, test_bomb, 0, 5);
	tcase_add_loop_test(tcase, test_expanded_adds_up, 0, 2);
	tcase_add_test(tcase, test_memory);
	tcase_add_test(tcase, test_given_up);
	tcase_add_loop_test(tcase, test_progress, 0, 2);
	tcase_add_test(tcase, test_shrinks);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
