/*
 * The last pass over a log (SARIF.md S4): reads the results again and makes the text of an export.
 * Input: the log's text, its tables and ordinals. Output: JSON text, and the places its pieces come
 * from. Refuses a log that is not what it was.
 */
#include "sarif/log.h"

/* Levels that are open around results. */
#define LIST_LEVELS 3u

/* Bytes that are made at once. */
#define CHUNK_BYTES ((size_t)64 * 1024)

static enum rt_status refuse_changed(struct rt_error *err)
{
	return rt_error_set(err, RT_E_IO,
			    "want a file that stays as it is while it is read, have it changed");
}

static enum rt_status append(struct rt_sarif *log, struct rt_slice text, struct rt_error *err)
{
	return rt_buf_append(&log->out, text.ptr, text.len, err);
}

/* Go to the next run with issues. Returns RT_END after the last. */
static enum rt_status enter_run(struct rt_sarif *log, struct rt_error *err)
{
	const struct log_run *run;
	enum rt_status status;

	do {
		if (log->run == log->run_count)
			return RT_END;
		run = log->runs[log->run++];
	} while (!run->result_count);
	rt_sarif_cursor_seek(log->cursor, &run->results, LIST_LEVELS);
	log->in_results = true;
	log->first[LOG_RESULTS] = true;
	log->result = 0;
	status = rt_sarif_cursor_blanks(log->cursor, err);
	return status == RT_OK ? rt_sarif_cursor_enter(log->cursor, err) : status;
}

/* Note where the pieces of the record at the end of out come from. from: its first byte in out. */
static enum rt_status mark(struct rt_sarif *log, size_t from, const char *value,
			   const struct rt_sarif_marks *marks, struct rt_error *err)
{
	const struct rt_sarif_spot *spot = &log->cursor->spot;
	uint64_t skipped = log->hints.skipped;
	enum rt_status status;
	struct rt_place place = {spot->line, spot->offset - spot->line_start + 1,
				 spot->offset + skipped};
	struct rt_sarif_spot last = *spot;

	if (log->is_dry)
		return RT_OK;
	status = rt_marks_add(&log->marks, log->out_offset + from, place, err);
	for (size_t i = 0; status == RT_OK && i < marks->count; i++) {
		struct rt_sarif_spot in = rt_sarif_spot_in(spot, value, marks->marks[i].from);

		/* Places rise with the text; a piece that stands earlier shares that before it. */
		if (in.offset < last.offset)
			continue;
		last = in;
		place =
		    (struct rt_place){in.line, in.offset - in.line_start + 1, in.offset + skipped};
		status =
		    rt_marks_add(&log->marks, log->out_offset + marks->marks[i].at, place, err);
	}
	return status;
}

/* Append the record of an issue. value: the result's text. */
static enum rt_status make_record(struct rt_sarif *log, struct log_run *run, struct rt_slice value,
				  struct rt_error *err)
{
	struct rt_sarif_fault fault = {.at = NULL};
	struct rt_sarif_marks marks = {.count = 0};
	struct rt_sarif_identity identity;
	size_t from;
	enum rt_status status = rt_sarif_result_identify(log->maker, &run->run, &identity, &fault);

	if (status == RT_REJECT ||
	    (status == RT_OK &&
	     (log->id == log->ids.count || !rt_sarif_ids_same(&log->ids.list[log->id], &identity))))
		return refuse_changed(err);
	if (status == RT_OK && log->id)
		status = append(log, RT_SLICE(","), &fault.err);
	from = log->out.len;
	if (status == RT_OK)
		status =
		    rt_sarif_result_write(log->maker, &run->run, log->ids.list[log->id].ordinal,
					  &log->out, &marks, &run->notes, &fault);
	log->id++;
	if (status == RT_OK)
		return mark(log, from, value.ptr, &marks, err);
	return rt_log_fault(log, status, &fault, &log->cursor->spot, value.ptr,
			    (int64_t)log->run - 1, (int64_t)log->result - 1, err);
}

/* The next result of the run at hand. */
static enum rt_status next_result(struct rt_sarif *log, struct rt_error *err)
{
	struct log_run *run = log->runs[log->run - 1];
	struct rt_sarif_fault fault = {.at = NULL};
	struct rt_sarif_notes notes;
	struct rt_slice value;
	enum rt_status status;
	bool issue;

	status = rt_sarif_cursor_element(log->cursor, &log->first[LOG_RESULTS], err);
	if (status == RT_END) {
		log->in_results = false;
		return log->result == run->result_count ? RT_OK : refuse_changed(err);
	}
	if (status == RT_OK)
		status = rt_sarif_cursor_take(log->cursor, log->limits->record_bytes, &value, err);
	if (status != RT_OK || *value.ptr != '{')
		return status == RT_FATAL ? status : refuse_changed(err);
	log->result++;
	status = rt_sarif_result_read(log->maker, &run->run, value, &issue, &notes, &fault);
	if (status == RT_FATAL)
		*err = fault.err;
	if (status != RT_OK)
		return status == RT_FATAL ? status : refuse_changed(err);
	return issue ? make_record(log, run, value, err) : RT_OK;
}

static enum rt_status end(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status;

	if (log->id != log->ids.count)
		return refuse_changed(err);
	log->ended = true;
	status = rt_log_tell(log, err);
	return status == RT_OK ? append(log, RT_SLICE("]}\n"), err) : status;
}

enum rt_status rt_log_deliver(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (log->ended)
		return RT_END;
	if (log->out_offset == 0 && log->out.len == 0)
		status = append(log, RT_SLICE("{\"issues\":["), err);
	while (status == RT_OK && log->out.len < CHUNK_BYTES) {
		if (log->is_dry)
			log->out.len = 0;
		if (!log->in_results)
			status = enter_run(log, err);
		if (status == RT_OK)
			status = next_result(log, err);
		if (status == RT_END) {
			status = end(log, err);
			break;
		}
	}
	return status;
}
