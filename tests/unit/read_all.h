/*
 * The whole reader over a text in memory, and what it said as text of one line a record or fault:
 *
 *   issue 1:2 a1            a record: kind, place, id
 *   reject 1:9 id: want ... a fault: status, place, record, field and message as people see them
 *   end
 */
#ifndef RT_TESTS_READ_ALL_H
#define RT_TESTS_READ_ALL_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "record/reader.h"
#include "scan_env.h"
#include "unit.h"

/* How to read. */
struct read_how {
	struct rt_limits limits;
	enum rt_kind kind;
	const char *simd;
	size_t window;
	bool values; /* with a digest of each record's text and members */
};

static inline struct read_how read_how_default(void)
{
	struct read_how how = {.kind = RT_KIND_ANY};

	rt_limits_init(&how.limits);
	return how;
}

static inline void say(struct rt_buf *out, const char *line)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(out, line, strlen(line), &err), RT_OK);
}

static inline uint64_t digest(uint64_t so_far, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		so_far = (so_far ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001B3);
	return so_far;
}

static inline void say_record(struct rt_buf *out, const struct rt_reader *reader,
			      const struct rt_record *record, bool values)
{
	uint64_t sum = digest(0, record->text.ptr, record->text.len);
	struct rt_origin origin;
	char line[512];

	rt_reader_origin(reader, &origin);
	for (size_t m = 0; m < RT_MEMBER_COUNT; m++) {
		if (record->types[m])
			sum = digest(sum, record->values[m].ptr, record->values[m].len);
		sum = digest(sum, &record->types[m], 1);
	}
	snprintf(line, sizeof(line), "%s %llu:%llu %.*s",
		 record->kind == RT_KIND_ISSUE ? "issue" : "ruleset",
		 (unsigned long long)origin.line, (unsigned long long)origin.column,
		 (int)(record->id.len < 100 ? record->id.len : 100), record->id.ptr);
	say(out, line);
	if (values) {
		snprintf(line, sizeof(line),
			 " %llu:%llu at %llu: %zu bytes, %016llx, repeated %llx",
			 (unsigned long long)record->line, (unsigned long long)record->column,
			 (unsigned long long)record->offset, record->text.len,
			 (unsigned long long)sum, (unsigned long long)record->repeated);
		say(out, line);
	}
	say(out, "\n");
}

/* err without its path, which is another for each way of reading. */
static inline void say_fault(struct rt_buf *out, enum rt_status status, const struct rt_error *err)
{
	const char *kind = err->code == RT_E_INPUT || err->code == RT_E_USAGE ? "reject"
			   : err->code == RT_E_LIMIT                          ? "limit"
									      : "?";
	struct rt_error plain = *err;
	char line[RT_ERROR_LINE_MAX], place[128];

	plain.path[0] = '\0';
	plain.line = 0;
	snprintf(place, sizeof(place), "%s%s %llu:%llu ", status == RT_REJECT ? "" : "fatal ", kind,
		 (unsigned long long)err->line, (unsigned long long)err->column);
	say(out, place);
	say(out, rt_error_format(&plain, line, sizeof(line)));
	say(out, "\n");
}

/* Read the paths to their end; to be released. */
static inline struct rt_buf read_paths(const char *const *list, size_t count,
				       const struct read_how *how)
{
	struct rt_options options = {.paths = list, .path_count = count, .limits = how->limits};
	const struct rt_record *record;
	struct rt_reader *reader = NULL;
	struct rt_buf out = {0};
	enum rt_status status;
	struct rt_error err;

	scan_env(how->simd, how->window);
	status = rt_reader_open(&options, how->kind, &reader, &err);
	ck_assert_msg(status == RT_OK, "%s", err.message);
	while ((status = rt_reader_next(reader, &record, &err)) != RT_END) {
		ck_assert_msg(out.len < 1u << 24, "no end");
		if (status == RT_OK) {
			say_record(&out, reader, record, how->values);
			continue;
		}
		ck_assert_str_ne(err.path, "");
		say_fault(&out, status, &err);
		if (status == RT_FATAL)
			break;
	}
	if (status == RT_END)
		say(&out, "end\n");
	rt_reader_free(reader);
	ck_assert_int_eq(rt_buf_append(&out, "", 1, &err), RT_OK);
	return out;
}

/* A file in memory with this text; *ret_path names it. To be closed. */
static inline int memory_file(struct rt_slice text, char ret_path[static 64])
{
	int fd = memfd_create("text", 0);
	size_t done = 0;

	ck_assert_int_ge(fd, 0);
	while (done < text.len) {
		ssize_t more = write(fd, text.ptr + done, text.len - done);

		ck_assert_int_gt(more, 0);
		done += (size_t)more;
	}
	snprintf(ret_path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static inline struct rt_buf read_text(struct rt_slice text, const struct read_how *how)
{
	char path[64];
	const char *list[] = {path};
	int fd = memory_file(text, path);
	struct rt_buf out = read_paths(list, 1, how);

	close(fd);
	return out;
}

#endif
