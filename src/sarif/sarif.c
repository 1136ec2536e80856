/*
 * Opens a log, has it checked, and gives its records. The text is read more than once: again from
 * its file where that can be, else from a temporary one, which is kept below the limit on what is
 * expanded.
 */
#include "sarif/sarif.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/forker.h"
#include "base/io.h"

#include "sarif/log.h"

/* --- The text --------------------------------------------------------------------------------- */

#define SPOOL_NAME "temporary file for a SARIF log"

/* Read bytes that can be read again: from the file, or from the spool of a pipe. */
static enum rt_status read_kept(const struct rt_sarif *log, uint64_t offset, void *buf, size_t cap,
				size_t *ret_len, struct rt_error *err)
{
	const struct rt_sarif_hints *hints = &log->hints;
	ssize_t got;

	if (log->kept - offset < cap)
		cap = (size_t)(log->kept - offset);
	if (hints->again)
		return hints->again(hints->again_ctx, hints->skipped + offset, buf, cap, ret_len,
				    err);
	got = rt_read_at(log->fd, buf, cap, (off_t)offset);
	if (got <= 0)
		return rt_error_sys(err, got < 0 ? errno : EIO, SPOOL_NAME);
	*ret_len = (size_t)got;
	return RT_OK;
}

/* Put new bytes where they can be read again. */
static enum rt_status keep_bytes(struct rt_sarif *log, const void *data, size_t len,
				 struct rt_error *err)
{
	uint64_t most = log->limits->expanded_bytes;

	if (log->hints.again) {
		log->kept += len;
		return RT_OK;
	}
	if (len > most - log->kept)
		return rt_error_limit(err, "the SARIF log", "expanded", most);
	if (log->fd < 0)
		log->fd = rt_unnamed_open();
	if (log->fd < 0)
		return rt_error_sys(err, errno, SPOOL_NAME);
	return rt_unnamed_write(log->fd, data, len, &log->kept, log->limits->temporary_bytes,
				SPOOL_NAME, err);
}

/* The bytes after those in view. */
static enum rt_status pull_source(void *ctx, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct rt_sarif *log = ctx;
	const struct rt_window *window = &log->cursor->window;

	if (window->offset + window->end < log->kept)
		return read_kept(log, window->offset + window->end, buf, cap, ret_len, err);
	/* What failed has failed, also where the bytes before it are gone over once more. */
	if (log->pulled == RT_OK)
		log->pulled = log->pull.read(log->pull.ctx, buf, cap, ret_len, &log->pull_err);
	if (log->pulled == RT_OK)
		log->pulled = keep_bytes(log, buf, *ret_len, &log->pull_err);
	if (log->pulled < 0)
		*err = log->pull_err;
	return log->pulled;
}

struct rt_place rt_log_place(const void *ctx, const struct rt_cursor_spot *spot)
{
	const struct rt_sarif *log = ctx;

	return (struct rt_place){spot->line, spot->offset - spot->line_start + 1,
				 spot->offset + log->hints.skipped};
}

/* --- The passes ------------------------------------------------------------------------------- */

static enum rt_status make_cursor(struct rt_sarif *log, struct rt_error *err)
{
	log->cursor = rt_scan_alloc(sizeof(*log->cursor));
	if (!log->cursor)
		return rt_error_nomem(err);
	log->cursor->pull = (struct rt_pull){pull_source, log};
	log->cursor->place = rt_log_place;
	log->cursor->place_ctx = log;
	log->cursor->mends = true;
	return rt_cursor_init(log->cursor, log->limits, log->limits->record_bytes, err);
}

enum rt_status rt_sarif_open(struct rt_pull pull, const struct rt_sarif_hints *hints,
			     const struct rt_limits *limits, struct rt_sarif **ret_sarif,
			     struct rt_error *err)
{
	struct rt_sarif *log = calloc(1, sizeof(*log));
	enum rt_status status;

	if (!log)
		return rt_error_nomem(err);
	log->hints = *hints;
	log->limits = limits;
	log->pull = pull;
	log->fd = -1;
	status = make_cursor(log, err);
	if (status == RT_OK)
		status = rt_sarif_maker_new(&log->maker, err);
	if (status == RT_OK)
		status = rt_log_check(log, err);
	log->repeated = 0;
	if (status == RT_OK && !log->faults.count)
		status = rt_sarif_ids_number(log, err);
	if (status != RT_OK) {
		rt_sarif_free(log);
		return status;
	}
	*ret_sarif = log;
	return RT_OK;
}

enum rt_status rt_sarif_next(struct rt_sarif *log, struct rt_record *ret_record,
			     struct rt_error *err)
{
	enum rt_status status;

	if (!log->faults.count) {
		status = rt_log_deliver(log, ret_record, err);
		log->failed = log->failed || status == RT_REJECT;
		return status;
	}
	if (rt_faults_next(&log->faults, &log->fault, err))
		return RT_REJECT;
	return log->whole && rt_log_tell(log, err) != RT_OK ? RT_FATAL : RT_END;
}

struct rt_place rt_sarif_place(const struct rt_sarif *log, const struct rt_record *record,
			       const char *at)
{
	struct rt_place place = {record->line, record->column, record->offset};

	for (unsigned m = 0; log->maker->has_own && m < RT_ISSUE_MEMBERS; m++) {
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
	rt_buf_release(&log->run_list);
	rt_faults_release(&log->faults);
	rt_sarif_maker_free(log->maker);
	if (log->cursor)
		rt_cursor_release(log->cursor);
	free(log->cursor);
	rt_buf_release(&log->ids.room);
	rt_buf_release(&log->made);
	free(log->scan);
	if (log->fd >= 0)
		(void)close(log->fd);
	free(log);
}
