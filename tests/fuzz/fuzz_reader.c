/*
 * Any bytes as an export: the whole reader must say the same on every code path of the scanner and
 * through windows of any size, and a summary by any number of threads. Small limits, so that small
 * inputs pass them.
 *
 * Compressed and archived inputs are another stage's, and fork a process each: not read here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"
#include "formats/reader.h"
#include "source/magic.h"
#include "tests/fuzz/turn.h"
#include "tests/unit/scan_env.h"

#define THREADS_MAX 3u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a reader said. */
struct said {
	uint64_t records, faults;
	uint64_t digest; /* of all records and faults in their order */
};

static void add(struct said *said, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		said->digest =
		    (said->digest ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001B3);
}

static void add_record(struct said *said, const struct rt_reader *reader,
		       const struct rt_record *record)
{
	struct rt_origin origin;

	rt_reader_origin(reader, &origin);
	add(said, &origin.line, sizeof(origin.line));
	add(said, &origin.column, sizeof(origin.column));
	add(said, &record->kind, sizeof(record->kind));
	add(said, &record->offset, sizeof(record->offset));
	add(said, &record->repeated, sizeof(record->repeated));
	add(said, record->types, sizeof(record->types));
	add(said, record->id.ptr, record->id.len);
	add(said, record->text.ptr, record->text.len);
	for (size_t m = 0; m < RT_MEMBER_COUNT; m++) {
		if (record->types[m])
			add(said, record->values[m].ptr, record->values[m].len);
	}
	said->records++;
}

static void add_fault(struct said *said, enum rt_status status, const struct rt_error *err)
{
	char line[RT_ERROR_LINE_MAX];

	/* A byte beyond the text, or a column before the line, is a place that is wrong. */
	if (err->line && (err->column == 0 || err->column > err->offset + 1))
		abort();
	rt_error_format(err, line, sizeof(line));
	add(said, &status, sizeof(status));
	add(said, &err->code, sizeof(err->code));
	add(said, &err->offset, sizeof(err->offset));
	add(said, line, strlen(line));
	said->faults++;
}

static struct said read_all(const char *path, const char *simd, size_t window)
{
	struct rt_options options = {.paths = &path, .path_count = 1};
	const struct rt_record *record;
	struct rt_reader *reader = NULL;
	struct said said = {0};
	enum rt_status status;
	struct rt_error err;

	rt_limits_init(&options.limits);
	options.limits.record_bytes = 400;
	options.limits.alias_bytes = 1000;
	options.limits.depth = 8;
	scan_env(simd, window);
	if (rt_reader_open(&options, RT_KIND_ANY, &reader, &err) != RT_OK)
		abort();
	while ((status = rt_reader_next(reader, &record, &err)) != RT_END) {
		if (status == RT_OK)
			add_record(&said, reader, record);
		else
			add_fault(&said, status, &err);
		if (status == RT_FATAL)
			break;
	}
	rt_reader_free(reader);
	return said;
}

static enum rt_status take_answer(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	(void)err;
	add(ctx, data, len);
	return RT_OK;
}

/* What a summary says: by one reader where the number of threads is 0, for the input is small. */
static struct said summarize(const char *path, unsigned threads)
{
	struct rt_options options = {.paths = &path, .path_count = 1, .threads = threads};
	struct rt_style style = {.pretty = false};
	struct said said = {0};
	struct rt_sink sink = {take_answer, &said};
	enum rt_status status;
	struct rt_error err;

	rt_limits_init(&options.limits);
	options.limits.record_bytes = 400;
	options.limits.alias_bytes = 1000;
	options.limits.recent_bytes = 4000;
	options.limits.distinct_bytes = 20000;
	options.limits.depth = 8;
	status = rt_summary(&options, RT_RECENT_DEFAULT, 0, NULL, 0, style, &sink, &err);
	if (status != RT_OK)
		add_fault(&said, status, &err);
	return said;
}

/* Read with a window on a code path: the same as all at once. whole: said before, if not empty. */
static void try_way(const char *path, const char *simd, size_t window, struct said *whole)
{
	struct said cut = read_all(path, simd, window);

	if (!whole->digest)
		*whole = read_all(path, "portable", 0);
	if (memcmp(whole, &cut, sizeof(cut)) != 0)
		abort();
}

/* By some threads: the same as by one reader. one: said before, if not empty. */
static void try_threads(const char *path, unsigned threads, struct said *one)
{
	struct said many = summarize(path, threads);

	if (!one->digest)
		*one = summarize(path, 0);
	if (memcmp(one, &many, sizeof(many)) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *simd;
		size_t window;
	} ways[] = {
	    {NULL, 0},  {"portable", 1}, {NULL, 3},         {NULL, 64},
	    {NULL, 65}, {NULL, 17},      {"portable", 200},
	};
	const size_t way_count = sizeof(ways) / sizeof(ways[0]);
	struct said whole = {0}, one = {0};
	char path[64];
	size_t end;
	int fd;

	if (rt_magic_find(data, size) != RT_MAGIC_NONE)
		return 0;
	fd = memfd_create("export", 0);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (size_t i = turn_first(data, size, way_count + THREADS_MAX, &end); i < end; i++) {
		if (i < way_count)
			try_way(path, ways[i].simd, ways[i].window, &whole);
		else
			try_threads(path, (unsigned)(i - way_count) + 1, &one);
	}
	close(fd);
	return 0;
}
