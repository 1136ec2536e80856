/*
 * The history of a data set: a line of JSON for each report (schema trend-line), written at once;
 * what a full disk leaves of a line is cut off again.
 */
#include "ops/trend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/instant.h"
#include "base/io.h"
#include "engine/summary.h"
#include "scan/items.h"
#include "scan/scan.h"

#define HISTORY_BYTES ((size_t)64 << 20)

/* The members of a line in their order; the first two are times. */
static const char *const names[] = {
    "at",  "scanned", "issues",  "open",      "critical", "high", "medium",
    "low", "info",    "unknown", "dismissed", "expired",  "new",  "gone",
};

enum {
	AT,
	SCANNED,
	ISSUES,
	OPEN,
	CRITICAL,
	UNKNOWN = CRITICAL + RT_LEVELS - 1,
	DISMISSED,
	EXPIRED,
	NEW,
	GONE,
	MEMBERS
};

_Static_assert(sizeof(names) / sizeof(names[0]) == MEMBERS, "a name each");

/* --- Writing --------------------------------------------------------------------------------- */

static enum rt_status make_line(const struct rt_facts *facts, const char at[RT_INSTANT_CHARS],
				struct rt_buf *line, struct rt_error *err)
{
	const struct rt_compared *compared = facts->compared;
	struct rt_put put = {line, err, RT_OK};
	uint64_t values[MEMBERS] = {[ISSUES] = facts->total,
				    [OPEN] = facts->open,
				    [DISMISSED] = facts->total - facts->open,
				    [EXPIRED] = facts->expired,
				    [NEW] = compared ? compared->fresh : 0,
				    [GONE] = compared ? compared->classes[RT_CLASS_GONE] : 0};

	memcpy(&values[CRITICAL], facts->open_levels, sizeof(facts->open_levels));
	rt_put_format(&put, "{\"at\":%s,\"scanned\":%s", rt_slice_make(at, RT_INSTANT_CHARS),
		      facts->scan_last.len ? facts->scan_last : (struct rt_slice){0});
	for (size_t i = ISSUES; i < MEMBERS; i++) {
		if (i >= NEW && !compared)
			rt_put_format(&put, ",\"%t\":null", rt_slice_of(names[i]));
		else
			rt_put_format(&put, ",\"%t\":%u", rt_slice_of(names[i]), values[i]);
	}
	RT_PUT(&put, "}\n");
	return put.status;
}

static enum rt_status fail(const char *path, const char *what, struct rt_error *err)
{
	(void)rt_error_sys(err, errno, "%s", what);
	rt_error_at(err, path, NULL);
	return RT_FATAL;
}

/* Append a line to an open history, or nothing. */
static enum rt_status append(int fd, struct rt_slice line, struct rt_error *err)
{
	static const char what[] = "cannot write to the history";
	off_t size = lseek(fd, 0, SEEK_END), now;
	char last = '\n';
	enum rt_status status;

	if (size > 0 && (pread(fd, &last, 1, size - 1) != 1 || last != '\n'))
		return rt_error_set(err, RT_E_INPUT,
				    "the last line of the history is not whole; remove it");
	status = rt_write_all(fd, line.ptr, line.len, what, err);
	if (status == RT_OK)
		return fdatasync(fd) == 0 ? RT_OK : rt_error_sys(err, errno, what);
	now = lseek(fd, 0, SEEK_END);
	/* A line that another run has appended behind it stays. */
	if (now > size && now < size + (off_t)line.len && ftruncate(fd, size) != 0)
		(void)rt_error_sys(err, errno, what);
	return status;
}

enum rt_status rt_trend_append(const char *path, const struct rt_facts *facts, int64_t now,
			       struct rt_error *err)
{
	char at[RT_INSTANT_CHARS];
	struct rt_buf line = {0};
	enum rt_status status;
	int fd;

	if (!rt_instant_format(now, at))
		return rt_error_set(err, RT_E_USAGE, "the year is not between 0000 and 9999");
	status = make_line(facts, at, &line, err);
	fd = status == RT_OK ? open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666)
			     : -1;
	if (status == RT_OK && fd < 0)
		status = fail(path, "cannot open the history", err);
	if (status == RT_OK && (status = append(fd, rt_buf_slice(&line), err)) != RT_OK)
		rt_error_at(err, path, NULL);
	if (fd >= 0 && close(fd) != 0 && status == RT_OK)
		status = fail(path, "cannot write to the history", err);
	rt_buf_release(&line);
	return status;
}

/* --- Reading --------------------------------------------------------------------------------- */

static enum rt_status read_file(const char *path, struct rt_buf *text, struct rt_error *err)
{
	static const char *const words[] = {"cannot open the history", "cannot read the history",
					    "the history exceeds 64 MiB"};
	enum rt_status status = rt_read_file(path, HISTORY_BYTES, words, text, err);

	if (status != RT_OK)
		rt_error_at(err, path, NULL);
	return status;
}

/* Whether a JSON text is a string that is a time. */
static bool is_time(struct rt_slice value)
{
	struct rt_instant instant;

	return value.len > 2 && *value.ptr == '"' &&
	       rt_instant_parse(rt_slice_make(value.ptr + 1, value.len - 2), &instant);
}

/* Read a line into its values, of which each is there once and of its type. */
static bool read_line(struct rt_slice line, struct rt_slice values[MEMBERS])
{
	struct rt_limits limits;
	struct rt_items items;
	struct rt_item item;
	struct rt_error err;
	size_t met = 0;

	rt_limits_init(&limits);
	memset(values, 0, MEMBERS * sizeof(*values));
	if (!line.len || *line.ptr != '{' ||
	    rt_json_check(line.ptr, line.len, &limits, &err) != RT_OK)
		return false;
	rt_items_init(&items, line);
	while (rt_items_next(&items, &item)) {
		for (size_t i = 0; i < MEMBERS; i++) {
			char first = *item.value.ptr;
			bool text = i <= SCANNED;

			if (!rt_items_key_is(item.key, rt_slice_of(names[i])))
				continue;
			if (values[i].ptr || (first != 'n' && (text ? !is_time(item.value)
								    : first < '0' || first > '9')))
				return false;
			values[i] = item.value;
			met++;
		}
	}
	return met == MEMBERS;
}

/* The next line; at: where it begins. Returns RT_OK, RT_END, or RT_FATAL. */
static enum rt_status next_line(const char *path, const struct rt_buf *text, size_t *at,
				uint64_t *number, struct rt_slice values[MEMBERS],
				struct rt_error *err)
{
	const char *from = text->data + *at, *stop;
	struct rt_slice line;

	if (*at >= text->len)
		return RT_END;
	stop = memchr(from, '\n', text->len - *at);
	line = rt_slice_make(from, stop ? (size_t)(stop - from) : text->len - *at);
	*at += line.len + 1;
	++*number;
	if (read_line(line, values))
		return RT_OK;
	(void)rt_error_set(err, RT_E_INPUT, "not a line of a history");
	rt_error_at(err, path, NULL);
	err->line = *number;
	err->column = 1;
	return RT_FATAL;
}

static uint64_t number_of(struct rt_slice value)
{
	return *value.ptr == 'n' ? 0 : strtoull(value.ptr, NULL, 10);
}

enum rt_status rt_trend_points(const char *path, struct rt_trend_point *ret_points,
			       size_t *ret_count, struct rt_error *err)
{
	struct rt_buf text = {0};
	struct rt_slice values[MEMBERS];
	enum rt_status status;
	uint64_t number = 0;
	size_t at = 0;
	struct stat st;

	*ret_count = 0;
	if (stat(path, &st) != 0) {
		if (errno == ENOENT)
			return RT_OK;
	} else if (!S_ISREG(st.st_mode)) {
		/* A FIFO would have to be waited for. */
		return rt_error_on(err, path, RT_E_USAGE, "the history is no regular file");
	}
	status = read_file(path, &text, err);
	while (status == RT_OK &&
	       (status = next_line(path, &text, &at, &number, values, err)) == RT_OK) {
		struct rt_slice time = values[*values[SCANNED].ptr == '"' ? SCANNED : AT];
		struct rt_trend_point *point;

		if (time.len < 12)
			continue;
		if (*ret_count == RT_TREND_POINTS)
			memmove(ret_points, ret_points + 1, --*ret_count * sizeof(*ret_points));
		point = &ret_points[(*ret_count)++];
		memcpy(point->day, time.ptr + 1, sizeof(point->day));
		point->open = number_of(values[OPEN]);
		for (size_t i = 0; i < RT_LEVELS; i++)
			point->levels[i] = number_of(values[CRITICAL + i]);
	}
	rt_buf_release(&text);
	return status == RT_END ? RT_OK : status;
}
