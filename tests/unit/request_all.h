/*
 * The whole request reader over files or a text in memory, and what it said as text of one line a
 * request or fault:
 *
 *   ok 1 at 1:1 {"issue_ids":["a"]}          a request: its number, its place, written again
 *   reject 1:9 request 1: /notes: want ...   a fault: status, place, and as people see it
 *   end 1                                    how many requests there were
 */
#ifndef RT_TESTS_REQUEST_ALL_H
#define RT_TESTS_REQUEST_ALL_H

#include "engine/request_reader.h"
#include "read_all.h"

/* How to read. */
struct request_how {
	struct rt_limits limits;
	const char *simd;
	size_t window; /* 0: the usual one */
	bool offsets;  /* with byte offsets, those of faults included */
	bool paths;    /* with path and member */
};

static inline struct request_how request_how_default(void)
{
	struct request_how how = {.window = 0};

	rt_limits_init(&how.limits);
	return how;
}

static inline void say_offset(struct rt_buf *out, const struct request_how *how, uint64_t offset)
{
	char text[32];

	snprintf(text, sizeof(text), "@%llu ", (unsigned long long)offset);
	if (how->offsets)
		say(out, text);
}

static inline void say_request(struct rt_buf *out, const struct rt_request_reader *reader,
			       const struct rt_request *request, const struct request_how *how)
{
	struct rt_origin origin;
	struct rt_error err;
	char line[2200];

	rt_request_reader_origin(reader, &origin);
	snprintf(line, sizeof(line), "ok %llu at ",
		 (unsigned long long)rt_request_reader_count(reader));
	say(out, line);
	if (how->paths) {
		snprintf(line, sizeof(line), "%s[%s]%u ", origin.path,
			 origin.member ? origin.member : "", origin.part);
		say(out, line);
	}
	snprintf(line, sizeof(line), "%llu:%llu ", (unsigned long long)origin.line,
		 (unsigned long long)origin.column);
	say(out, line);
	say_offset(out, how, origin.offset);
	ck_assert_int_eq(rt_request_write(request, out, &err), RT_OK);
	say(out, "\n");
}

/* Read the paths to their end; to be released. */
static inline struct rt_buf request_paths(const char *const *list, size_t count,
					  const struct request_how *how)
{
	struct rt_options options = {.paths = list, .path_count = count, .limits = how->limits};
	struct rt_request_reader *reader = NULL;
	const struct rt_request *request;
	struct rt_buf out = {0};
	enum rt_status status;
	struct rt_error err;
	char line[64];

	scan_env(how->simd, how->window);
	ck_assert_int_eq(rt_request_reader_open(&options, &reader, &err), RT_OK);
	while ((status = rt_request_reader_next(reader, &request, &err)) != RT_END) {
		ck_assert_msg(out.len < 1u << 26, "no end");
		if (status == RT_OK) {
			say_request(&out, reader, request, how);
			continue;
		}
		ck_assert_str_ne(err.path, "");
		say_offset(&out, how, err.offset);
		if (how->paths) {
			say(&out, err.path);
			say(&out, "[");
			say(&out, err.member);
			say(&out, "] ");
		}
		err.member[0] = '\0';
		say_fault(&out, status, &err);
		if (status == RT_FATAL)
			break;
	}
	snprintf(line, sizeof(line), "end %llu\n",
		 (unsigned long long)rt_request_reader_count(reader));
	if (status == RT_END)
		say(&out, line);
	rt_request_reader_free(reader);
	ck_assert_int_eq(rt_buf_append(&out, "", 1, &err), RT_OK);
	return out;
}

static inline struct rt_buf request_text(struct rt_slice text, const struct request_how *how)
{
	char path[64];
	const char *list[] = {path};
	int fd = memory_file(text, path);
	struct rt_buf out = request_paths(list, 1, how);

	close(fd);
	return out;
}

#endif
