/*
 * Any bytes as a SARIF log: the same answer however the bytes arrive and are taken, in windows of
 * any size, read again from where they came or from a temporary file; each record is as the scanner
 * finds it in its text, with places inside the log.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "sarif/sarif.h"
#include "scan/scan.h"
#include "tests/fuzz/turn.h"
#include "tests/unit/scan_env.h"

#define FAULTS_MAX 100u

struct input {
	const char *ptr;
	size_t len;
	size_t at;
	size_t step;
};

struct result {
	enum rt_status status;
	struct rt_error err;
	unsigned faults;
	struct rt_buf out, notes;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum rt_status read_at(void *ctx, uint64_t offset, void *buf, size_t cap, size_t *ret_len,
			      struct rt_error *err)
{
	const struct input *input = ctx;
	size_t len = input->len - (size_t)offset;

	(void)err;
	if (len > cap)
		len = cap;
	if (len > input->step)
		len = input->step;
	memcpy(buf, input->ptr + offset, len);
	*ret_len = len;
	return len ? RT_OK : RT_END;
}

static enum rt_status read_on(void *ctx, void *buf, size_t cap, size_t *ret_len,
			      struct rt_error *err)
{
	struct input *input = ctx;
	enum rt_status status = read_at(ctx, input->at, buf, cap, ret_len, err);

	input->at += *ret_len;
	return status;
}

static enum rt_status note(void *ctx, const struct rt_error *told, struct rt_error *err)
{
	return rt_buf_append(ctx, told->message, strlen(told->message), err);
}

/* A record's members are what the scanner finds in its text, and its place is in the log. */
static void check_record(const struct rt_sarif *sarif, const struct rt_record *record, size_t size)
{
	struct rt_place place = rt_sarif_place(sarif, record, record->text.ptr);
	struct rt_record other = {.kind = RT_KIND_ISSUE};
	struct rt_scan *scan = rt_scan_alloc(sizeof(*scan));

	if (!scan || place.offset >= size || place.column == 0 || place.column > place.offset + 1)
		abort();
	rt_scan_init(scan, RT_LIMIT_DEPTH);
	scan->end = record->text.ptr + record->text.len;
	scan->final = true;
	if (rt_scan_ops()->record(scan, record->text.ptr, &other) != scan->end ||
	    memcmp(other.types, record->types, sizeof(other.types)) != 0 || other.repeated)
		abort();
	for (size_t m = 0; m < RT_ISSUE_MEMBERS; m++) {
		if (other.values[m].ptr != record->values[m].ptr ||
		    other.values[m].len != record->values[m].len)
			abort();
	}
	free(scan);
}

static void take(struct rt_sarif *sarif, size_t size, struct result *result)
{
	struct rt_record record;
	struct rt_error err;

	while (result->status == RT_OK) {
		result->status = rt_sarif_next(sarif, &record, &result->err);
		if (result->status != RT_OK)
			break;
		check_record(sarif, &record, size);
		if (rt_buf_append(&result->out, record.text.ptr, record.text.len, &err) != RT_OK)
			abort();
	}
	while (result->status == RT_REJECT && result->faults < FAULTS_MAX &&
	       rt_sarif_next(sarif, &record, &err) == RT_REJECT) {
		if (err.code == RT_E_NONE || !err.message[0])
			abort();
		result->faults++;
	}
}

/* How a log is read. */
struct how {
	size_t step, window;
	bool spool; /* its bytes can be read again from a temporary file only */
};

static void convert(const char *ptr, size_t len, struct how how, struct result *result)
{
	struct input input = {ptr, len, 0, how.step};
	struct rt_sarif *sarif = NULL;
	struct rt_limits limits;
	const struct rt_sarif_hints hints = {.accept_failed = len & 1,
					     .again = how.spool ? NULL : read_at,
					     .again_ctx = &input,
					     .note = note,
					     .note_ctx = &result->notes};

	scan_env(how.window & 1 ? "portable" : NULL, how.window);
	rt_limits_init(&limits);
	/* Small, so that the limits are met. */
	limits.record_bytes = 16 * RT_KIB;
	limits.metadata_bytes = 32 * RT_KIB;
	memset(result, 0, sizeof(*result));
	result->status =
	    rt_sarif_open((struct rt_pull){read_on, &input}, &hints, &limits, &sarif, &result->err);
	take(sarif, len, result);
	rt_sarif_free(sarif);
	if (result->status != RT_END && (result->err.code == RT_E_NONE || !result->err.message[0]))
		abort();
	if (result->err.line == 1 && result->err.offset + 1 != result->err.column)
		abort();
}

static bool same(const struct rt_buf *a, const struct rt_buf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static void compare(const struct result *whole, struct result *cut)
{
	if (whole->status != cut->status || whole->faults != cut->faults ||
	    !same(&whole->out, &cut->out) || !same(&whole->notes, &cut->notes))
		abort();
	if (whole->status != RT_END &&
	    (strcmp(whole->err.message, cut->err.message) != 0 ||
	     strcmp(whole->err.record, cut->err.record) != 0 || whole->err.line != cut->err.line ||
	     whole->err.offset != cut->err.offset))
		abort();
	rt_buf_release(&cut->out);
	rt_buf_release(&cut->notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *ptr = (const char *)data;
	/* A long input in windows of few bytes takes too long. */
	const size_t unit = 1 + size / 2048;
	const struct how ways[] = {
	    {1 + size % 5 * unit, 1 + size % 7 * unit, false},
	    {1 + size % 7 * unit, 2 + size % 9 * 2 * unit, true},
	    {1000, 100 + size % 900, size & 2},
	};
	struct result whole, cut;
	size_t end;

	convert(ptr, size, (struct how){SIZE_MAX, 0, false}, &whole);
	for (size_t i = turn_first(data, size, sizeof(ways) / sizeof(ways[0]), &end); i < end;
	     i++) {
		convert(ptr, size, ways[i], &cut);
		compare(&whole, &cut);
	}
	rt_buf_release(&whole.out);
	rt_buf_release(&whole.notes);
	return 0;
}
