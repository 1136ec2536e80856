/*
 * Any bytes as a SARIF log: the same answer however the bytes arrive, are kept and are taken, in
 * windows of any size, so that few results or many go through a batch, whether or not results and
 * records are kept, and whether or not tables are taken ahead; what a log becomes is an export that
 * the scanner takes, with places inside the log; what is none comes out as it was.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "sarif/sarif.h"
#include "scan/json.h"
#include "tests/fuzz/turn.h"

#define FAULTS_MAX 100u

struct input {
	const char *ptr;
	size_t len;
	size_t at;
	size_t step;
};

struct result {
	enum rt_status status;
	bool is;
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

/* A place must lie in the log and never go back. */
static void check_place(const struct rt_sarif *sarif, uint64_t at, size_t size,
			struct rt_place *last)
{
	struct rt_place place = rt_sarif_place(sarif, at);

	if (place.offset > size || place.offset < last->offset || place.line < last->line ||
	    place.column == 0 || place.column > place.offset + 1)
		abort();
	*last = place;
}

static void take(struct rt_sarif *sarif, size_t cap, size_t size, struct result *result)
{
	struct rt_place last = {1, 1, 0};
	struct rt_error err;
	char buf[4096];
	size_t got;

	while (result->status == RT_OK) {
		result->status = rt_sarif_read(sarif, buf, cap, &got, &result->err);
		if (result->status != RT_OK)
			break;
		if (got == 0 || got > cap || rt_buf_append(&result->out, buf, got, &err) != RT_OK)
			abort();
		if (!result->is)
			continue;
		check_place(sarif, result->out.len - 1, size, &last);
		rt_sarif_forget(sarif, result->out.len - 1);
	}
	while (result->status == RT_REJECT && result->faults < FAULTS_MAX &&
	       rt_sarif_next_fault(sarif, &err) == RT_REJECT) {
		if (err.code == RT_E_NONE || !err.message[0])
			abort();
		result->faults++;
	}
}

/* How a log is read. */
struct how {
	size_t step, cap, window;
	bool spool;  /* its bytes can be read again from a temporary file only */
	bool remake; /* nothing that was made of them is kept */
	bool sized;  /* how many there are is known, so that tables may be taken ahead */
};

static void convert(const char *ptr, size_t len, struct how how, struct result *result)
{
	struct input input = {ptr, len, 0, how.step};
	struct rt_sarif *sarif = NULL;
	struct rt_limits limits;
	const struct rt_sarif_hints hints = {.simd =
						 how.window & 1 ? RT_SIMD_PORTABLE : RT_SIMD_AUTO,
					     .accept_failed = len & 1,
					     .window = how.window,
					     .remake = how.remake,
					     .again = how.spool ? NULL : read_at,
					     .again_ctx = &input,
					     .size = how.sized ? len : 0,
					     .note = note,
					     .note_ctx = &result->notes};

	rt_limits_init(&limits);
	/* Small, so that the limits are met. */
	limits.record_bytes = 16 * RT_KIB;
	limits.metadata_bytes = 32 * RT_KIB;
	memset(result, 0, sizeof(*result));
	result->status = rt_sarif_open((struct rt_pull){read_on, &input}, &hints, &limits, &sarif,
				       &result->is, &result->err);
	take(sarif, how.cap, len, result);
	rt_sarif_free(sarif);
	if (result->status != RT_END && (result->err.code == RT_E_NONE || !result->err.message[0]))
		abort();
}

static bool same(const struct rt_buf *a, const struct rt_buf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static void compare(const struct result *whole, struct result *cut)
{
	if (whole->status != cut->status || whole->is != cut->is || whole->faults != cut->faults ||
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
	    {1 + size % 5 * unit, 1 + size % 3 * unit, 1 + size % 7 * unit, false, false, true},
	    {1 + size % 7 * unit, 1 + size % 5 * unit, 2 + size % 9 * 2 * unit, true, true, false},
	    {1000, 4096, 100 + size % 900, size & 2, false, false},
	};
	struct result whole, cut;
	struct rt_limits limits;
	struct rt_error err;
	size_t end;

	convert(ptr, size, (struct how){SIZE_MAX, 4096, 0, false, false, true}, &whole);
	for (size_t i = turn_first(data, size, sizeof(ways) / sizeof(ways[0]), &end); i < end;
	     i++) {
		convert(ptr, size, ways[i], &cut);
		compare(&whole, &cut);
	}
	rt_limits_init(&limits);
	if (whole.is && whole.status == RT_END &&
	    rt_json_check(whole.out.data, whole.out.len, &limits, RT_SIMD_AUTO, &err) != RT_OK)
		abort();
	if (!whole.is && whole.status == RT_END &&
	    (whole.out.len != size || (size && memcmp(whole.out.data, ptr, size) != 0)))
		abort();
	rt_buf_release(&whole.out);
	rt_buf_release(&whole.notes);
	return 0;
}
