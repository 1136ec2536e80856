/*
 * Opens a part that may be a SARIF log, has it checked, and gives its records, or the text as it
 * was.
 */
#include "sarif/sarif.h"

#include <stdlib.h>

#include "sarif/log.h"

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

/* The bytes after those in view. */
static enum rt_status pull_source(void *ctx, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct rt_sarif *log = ctx;
	const struct rt_window *window = &log->cursor->window;

	return rt_sarif_source_read(&log->source, window->offset + window->end, true, buf, cap,
				    ret_len, err);
}

struct rt_place rt_log_place(const void *ctx, const struct rt_cursor_spot *spot)
{
	const struct rt_sarif *log = ctx;

	return (struct rt_place){spot->line, spot->offset - spot->line_start + 1,
				 spot->offset + log->hints.skipped};
}

/* The first pass, to its end or to the first fault. */
static enum rt_status read_through(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status;

	log->cursor = rt_scan_alloc(sizeof(*log->cursor));
	if (!log->cursor)
		return rt_error_nomem(err);
	log->cursor->pull = (struct rt_pull){pull_source, log};
	log->cursor->place = rt_log_place;
	log->cursor->place_ctx = log;
	status = rt_cursor_init(log->cursor, log->limits, log->limits->record_bytes, err);
	if (status == RT_OK)
		status = rt_sarif_maker_new(&log->maker, err);
	if (status != RT_OK)
		return status;
	status = rt_log_check(log, &log->held_err);
	if (status == RT_FATAL) {
		*err = log->held_err;
		return status;
	}
	if (status == RT_REJECT) {
		log->held = status;
		return judge(log, err);
	}
	log->is_log = log->delivers = rt_log_top_is(&log->top);
	log->repeated = 0;
	return log->is_log ? rt_sarif_ids_number(&log->ids, log->runs, err) : RT_OK;
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

enum rt_status rt_sarif_read(struct rt_sarif *log, void *buf, size_t cap, size_t *ret_len,
			     struct rt_error *err)
{
	enum rt_status status =
	    rt_sarif_source_read(&log->source, log->raw_at, false, buf, cap, ret_len, err);

	if (status == RT_OK)
		log->raw_at += *ret_len;
	return status;
}

/* Go on with the first pass after a fault of it. */
static enum rt_status next_fault(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status;

	if (log->cursor->broken || log->stage == LOG_CHECKED)
		return RT_END;
	status = rt_log_check(log, err);
	return status == RT_END && rt_log_tell(log, err) != RT_OK ? RT_FATAL : status;
}

enum rt_status rt_sarif_next(struct rt_sarif *log, struct rt_record *ret_record,
			     struct rt_error *err)
{
	enum rt_status status = log->held;

	log->held = RT_OK;
	if (status != RT_OK)
		*err = log->held_err;
	else if (log->delivers)
		status = rt_log_deliver(log, ret_record, err);
	else
		status = next_fault(log, err);
	log->failed = log->failed || status == RT_REJECT;
	return status;
}

struct rt_place rt_sarif_place(const struct rt_sarif *log, const struct rt_record *record,
			       const char *at)
{
	struct rt_place place = {record->line, record->column, record->offset};

	for (unsigned m = 0; m < RT_ISSUE_MEMBERS; m++) {
		struct rt_cursor_spot spot;

		if (!log->maker->own[m].ptr || record->values[m].ptr != at)
			continue;
		spot =
		    rt_cursor_spot_in(&log->cursor->spot, log->value.ptr, log->maker->own[m].ptr);
		place = rt_log_place(log, &spot);
	}
	return place;
}

void rt_sarif_free(struct rt_sarif *log)
{
	if (!log)
		return;
	for (size_t i = 0; i < log->run_count; i++) {
		rt_sarif_run_release(&log->runs[i]->run);
		free(log->runs[i]);
	}
	free(log->runs);
	rt_sarif_maker_free(log->maker);
	if (log->cursor)
		rt_cursor_release(log->cursor);
	free(log->cursor);
	rt_sarif_ids_release(&log->ids);
	rt_buf_release(&log->made);
	free(log->scan);
	rt_sarif_source_release(&log->source);
	free(log);
}
