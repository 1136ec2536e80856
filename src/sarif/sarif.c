/*
 * A SARIF log as the text of an export: opens a part that may be one, and gives its text. Input: a
 * pull of JSON text. Output: what the passes make, or the text as it was. Refuses nothing itself.
 */
#include "sarif/sarif.h"

#include <stdlib.h>

#include "sarif/log.h"

/* Marks that are not needed are dropped when they take so many bytes, and half of all. */
#define FORGET_BYTES ((size_t)16 * 1024)

static enum rt_status make_log(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = rt_sarif_cursor_new(&log->source, log->limits, log->hints.simd,
						    log->hints.window, &log->cursor, err);

	rt_sarif_heads_init(&log->heads);
	return status == RT_OK ? rt_sarif_maker_new(&log->worker.maker, err) : status;
}

/* The first pass has met a fault: it counts only in a log. */
static enum rt_status judge(struct rt_sarif *log, struct rt_error *err)
{
	struct rt_error version_err;
	bool version;
	enum rt_status status = rt_log_recognise(log, &log->is_log, &version, &version_err, err);

	if (status != RT_OK || !version)
		return status;
	log->held_err = version_err;
	log->cursor->broken = true;
	return RT_OK;
}

/* Number the issues of equal identity. */
static enum rt_status number(struct rt_sarif *log, struct rt_error *err)
{
	struct rt_sarif_ids_run *runs = calloc(log->run_count + 1, sizeof(*runs));
	enum rt_status status;

	if (!runs)
		return rt_error_nomem(err);
	for (size_t i = 0; i < log->run_count; i++)
		runs[i] = (struct rt_sarif_ids_run){log->runs[i]->first_id, &log->runs[i]->notes};
	status = rt_sarif_ids_number(&log->ids, runs, log->run_count, err);
	free(runs);
	return status;
}

/* Forget all that was made of the log. */
static void release(struct rt_sarif *log)
{
	rt_helper_end(&log->helper);
	for (size_t i = 0; i < log->run_count; i++) {
		rt_sarif_run_release(&log->runs[i]->run);
		free(log->runs[i]);
	}
	free(log->runs);
	rt_sarif_batches_free(log->batches);
	rt_sarif_maker_free(log->worker.maker);
	rt_sarif_worker_release(&log->worker);
	rt_sarif_cursor_free(log->cursor);
	rt_sarif_ids_release(&log->ids);
	for (size_t i = 0; i < 2; i++) {
		rt_buf_release(&log->pieces[i].text);
		rt_buf_release(&log->pieces[i].marks);
		rt_buf_release(&log->pieces[i].layouts);
	}
	rt_sarif_store_release(&log->made);
	rt_sarif_store_release(&log->kept);
	rt_buf_release(&log->marks);
	rt_buf_release(&log->layouts);
}

/* The first pass, to its end or to the first fault. Returns as rt_log_check() does. */
static enum rt_status check(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = make_log(log, err);

	if (status != RT_OK)
		return status;
	status = rt_log_check(log, err);
	if (status != RT_REJECT || !log->ahead.used)
		return status;
	/* Tables were taken from the wrong place, or maybe. */
	release(log);
	*log = (struct rt_sarif){.hints = log->hints,
				 .limits = log->limits,
				 .source = log->source,
				 .made.fd = -1,
				 .kept.fd = -1,
				 .ahead.tried = true};
	status = make_log(log, err);
	return status == RT_OK ? rt_log_check(log, err) : status;
}

static enum rt_status read_through(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = check(log, &log->held_err);

	/* The rest is done alone. */
	rt_sarif_batches_free(log->batches);
	log->batches = NULL;
	if (status == RT_FATAL) {
		*err = log->held_err;
		return status;
	}
	if (status == RT_REJECT) {
		log->held = status;
		return judge(log, err);
	}
	log->is_log = rt_log_top_is(&log->top);
	return log->is_log ? number(log, err) : RT_OK;
}

enum rt_status rt_sarif_open(struct rt_pull pull, const struct rt_sarif_hints *hints,
			     const struct rt_limits *limits, struct rt_sarif **ret_sarif,
			     bool *ret_is, struct rt_error *err)
{
	struct rt_sarif *log = calloc(1, sizeof(*log));
	enum rt_status status;

	if (!log)
		return rt_error_nomem(err);
	log->hints = *hints;
	log->limits = limits;
	log->made.fd = log->kept.fd = -1;
	rt_sarif_source_init(&log->source, pull, &log->hints, limits);
	status = read_through(log, err);
	if (status != RT_OK) {
		rt_sarif_free(log);
		return status;
	}
	*ret_is = log->is_log;
	*ret_sarif = log;
	return RT_OK;
}

/* Have bytes of a piece that were not given. */
static enum rt_status fill(struct rt_sarif *log, struct rt_error *err)
{
	if (log->held == RT_OK && log->given == log->pieces[log->piece].text.len) {
		log->given = 0;
		log->held = rt_log_next_piece(log, &log->held_err);
	}
	if (log->given < log->pieces[log->piece].text.len)
		return RT_OK;
	if (log->held < 0)
		*err = log->held_err;
	return log->held;
}

enum rt_status rt_sarif_read(struct rt_sarif *log, void *buf, size_t cap, size_t *ret_len,
			     struct rt_error *err)
{
	struct rt_slice text;
	enum rt_status status;

	if (!log->is_log) {
		status =
		    rt_sarif_source_read(&log->source, log->raw_at, false, buf, cap, ret_len, err);
		if (status == RT_OK)
			log->raw_at += *ret_len;
		return status;
	}
	status = fill(log, err);
	if (status != RT_OK)
		return status;
	text = rt_buf_slice(&log->pieces[log->piece].text);
	*ret_len = text.len - log->given < cap ? text.len - log->given : cap;
	memcpy(buf, text.ptr + log->given, *ret_len);
	log->given += *ret_len;
	return RT_OK;
}

enum rt_status rt_sarif_next_fault(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status;

	if (!log->is_log || log->cursor->broken || log->ended)
		return RT_END;
	/* Where the first pass has ended well, the fault was one of the last. */
	if (log->stage != LOG_CHECKED) {
		status = rt_log_check(log, err);
		if (status == RT_END && rt_log_tell(log, err) != RT_OK)
			status = RT_FATAL;
		return status;
	}
	return log->delivers ? rt_log_deliver_dry(log, err) : RT_END;
}

/* The last mark in use that is not after an offset; the first one if all are. There is one. */
static size_t mark_find(const struct rt_sarif *log, uint64_t at)
{
	const struct log_mark *marks = (const struct log_mark *)(const void *)log->marks.data;
	size_t low = log->mark, high = log->marks.len / sizeof(*marks);

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (marks[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct rt_place rt_sarif_place(const struct rt_sarif *log, uint64_t at)
{
	if (!log->marks.len)
		return (struct rt_place){1, 1, 0};
	return ((const struct log_mark *)(const void *)log->marks.data)[mark_find(log, at)].place;
}

void rt_sarif_forget(struct rt_sarif *log, uint64_t at)
{
	size_t bytes;

	if (!log->marks.len)
		return;
	log->mark = mark_find(log, at);
	bytes = log->mark * sizeof(struct log_mark);
	if (bytes < FORGET_BYTES || bytes < log->marks.len / 2)
		return;
	log->marks.len -= bytes;
	memmove(log->marks.data, log->marks.data + bytes, log->marks.len);
	log->mark = 0;
}

const struct rt_record_layout *rt_sarif_layout(struct rt_sarif *log, uint64_t at)
{
	const struct rt_record_layout *all =
	    (const struct rt_record_layout *)(const void *)log->layouts.data;
	size_t count = log->layouts.len / sizeof(*all);

	while (log->layout < count && all[log->layout].offset < at)
		log->layout++;
	return log->layout < count && all[log->layout].offset == at ? &all[log->layout] : NULL;
}

void rt_sarif_free(struct rt_sarif *log)
{
	if (!log)
		return;
	release(log);
	rt_sarif_source_release(&log->source);
	free(log);
}
