/*
 * The last pass over a log (SARIF.md S4): puts the records that the first one has kept into the
 * text of an export, and makes those it could not keep again from the results. Input: records, the
 * log's text, its tables and ordinals. Output: JSON text, and the places its pieces come from.
 * Refuses a log that is not what it was.
 */
#include "sarif/log.h"

/* Bytes of a piece. */
#define PIECE_BYTES ((size_t)1024 * 1024)

/* Bytes of records from which on a thread is worth its start. */
#define HELP_BYTES RT_MIB

static enum rt_status refuse_changed(struct rt_error *err)
{
	return rt_error_set(err, RT_E_IO,
			    "want a file that stays as it is while it is read, have it changed");
}

static void clear(struct log_piece *piece)
{
	piece->text.len = piece->marks.len = piece->layouts.len = 0;
}

static enum rt_status append(struct log_piece *piece, struct rt_slice text, struct rt_error *err)
{
	return rt_buf_append(&piece->text, text.ptr, text.len, err);
}

/* What stands at an offset of the made text comes from a place. */
static enum rt_status mark(struct log_piece *piece, uint64_t at, const struct rt_place *place,
			   struct rt_error *err)
{
	const struct log_mark mark = {at, *place};

	return rt_buf_append(&piece->marks, &mark, sizeof(mark), err);
}

/* Go to the next run with issues. Returns RT_END after the last. */
static enum rt_status enter_run(struct rt_sarif *log, struct rt_error *err)
{
	struct log_run *run;
	enum rt_status status;

	do {
		if (log->run == log->run_count)
			return RT_END;
		run = log->runs[log->run++];
	} while (!run->result_count);
	if (run->made) {
		for (size_t i = 0; i < RT_SARIF_NOTE_COUNT; i++)
			run->notes.counts[i] += run->made_notes.counts[i];
		log->in_results = true;
		return RT_OK;
	}
	rt_sarif_cursor_seek(log->cursor, &run->results, LOG_RESULT_LEVELS - 1);
	log->in_results = true;
	log->first[LOG_RESULTS] = true;
	log->result = 0;
	status = rt_sarif_cursor_blanks(log->cursor, err);
	return status == RT_OK ? rt_sarif_cursor_enter(log->cursor, err) : status;
}

/* Append a record, which is that of the next issue of a run, and note where its pieces come from.
 */
static enum rt_status give(struct rt_sarif *log, struct log_piece *piece, const struct log_run *run,
			   const struct rt_sarif_made_record *record, struct rt_error *err)
{
	uint32_t ordinal = log->ids.list[log->id].ordinal;
	struct rt_record_layout layout = {.bytes = 0};
	enum rt_status status = log->id ? append(piece, RT_SLICE(","), err) : RT_OK;

	log->id++;
	layout.offset = piece->offset + piece->text.len;
	if (status == RT_OK)
		status = rt_sarif_made_text(&log->heads, &run->run, record, ordinal, &piece->text,
					    &layout, err);
	if (status == RT_OK)
		status = mark(piece, layout.offset, &record->place, err);
	for (size_t i = 0; status == RT_OK && i < record->mark_count; i++)
		status =
		    mark(piece,
			 layout.offset + rt_sarif_made_at(record, &layout, record->marks[i].value),
			 &record->marks[i].place, err);
	/* The reader looks at what is somebody else's. */
	if (status == RT_OK && !record->mark_count)
		status = rt_buf_append(&piece->layouts, &layout, sizeof(layout), err);
	return status;
}

/* Make the record of an issue again, and append it. value: the result's text. */
static enum rt_status make_record(struct rt_sarif *log, struct log_piece *piece,
				  struct log_run *run, struct rt_slice value, struct rt_error *err)
{
	const struct rt_sarif_task task = {.run = &run->run, .skipped = log->hints.skipped};
	struct rt_sarif_worker *worker = &log->worker;
	struct rt_sarif_fault fault = {.at = NULL};
	struct rt_sarif_made_record record;
	struct rt_sarif_identity identity;
	enum rt_status status =
	    rt_sarif_result_identify(worker->maker, &run->run, &identity, &fault);

	if (status == RT_REJECT ||
	    (status == RT_OK &&
	     (log->id == log->ids.count || !rt_sarif_ids_same(&log->ids.list[log->id], &identity))))
		return refuse_changed(err);
	worker->made.len = 0;
	if (status == RT_OK)
		status = rt_sarif_record_make(worker->maker, &task, value, &log->cursor->spot,
					      &worker->made, &run->notes, &record, &fault);
	if (status == RT_OK)
		return give(log, piece, run, &record, err);
	log->id++;
	return rt_log_fault(log, status, &fault, &log->cursor->spot, value.ptr,
			    (int64_t)log->run - 1, (int64_t)log->result - 1, err);
}

/* Whether the run at hand has another issue, whose record was kept. */
static bool has_made(const struct rt_sarif *log)
{
	size_t after;

	if (!log->in_results || !log->runs[log->run - 1]->made)
		return false;
	after = log->run < log->run_count ? log->runs[log->run]->first_id : log->ids.count;
	return log->id < after;
}

/* Fill a piece with issues of the run at hand whose records were kept. */
static enum rt_status give_made(struct rt_sarif *log, struct log_piece *piece, struct rt_error *err)
{
	struct rt_sarif_made_record record;
	enum rt_status status = RT_OK;

	while (status == RT_OK && piece->text.len < PIECE_BYTES && has_made(log)) {
		status = rt_sarif_made_next(&log->made, &record, err);
		if (status == RT_OK)
			status = give(log, piece, log->runs[log->run - 1], &record, err);
	}
	return status;
}

/* The next result of the run at hand. */
static enum rt_status next_result(struct rt_sarif *log, struct log_piece *piece,
				  struct rt_error *err)
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
	status = rt_sarif_result_read(log->worker.maker, &run->run, value, &issue, &notes, &fault);
	if (status == RT_FATAL)
		*err = fault.err;
	if (status != RT_OK)
		return status == RT_FATAL ? status : refuse_changed(err);
	return issue ? make_record(log, piece, run, value, err) : RT_OK;
}

static enum rt_status end(struct rt_sarif *log, struct log_piece *piece, struct rt_error *err)
{
	enum rt_status status;

	if (log->id != log->ids.count)
		return refuse_changed(err);
	log->ended = true;
	status = rt_log_tell(log, err);
	return status == RT_OK ? append(piece, RT_SLICE("]}\n"), err) : status;
}

/* Go on from where the last pass is. Returns RT_END where there is no more. */
static enum rt_status step(struct rt_sarif *log, struct log_piece *piece, struct rt_error *err)
{
	enum rt_status status = log->in_results ? RT_OK : enter_run(log, err);

	if (status != RT_OK)
		return status == RT_END ? end(log, piece, err) : status;
	if (!log->runs[log->run - 1]->made)
		return next_result(log, piece, err);
	status = give_made(log, piece, err);
	log->in_results = has_made(log);
	return status;
}

/* Fill a piece. Returns likewise. */
static enum rt_status deliver(struct rt_sarif *log, struct log_piece *piece, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (log->ended)
		return RT_END;
	if (!log->delivers)
		status = append(piece, RT_SLICE("{\"issues\":["), err);
	log->delivers = true;
	while (status == RT_OK && piece->text.len < PIECE_BYTES && !log->ended)
		status = step(log, piece, err);
	return status;
}

enum rt_status rt_log_deliver_dry(struct rt_sarif *log, struct rt_error *err)
{
	struct log_piece *piece = &log->pieces[log->piece];
	enum rt_status status = RT_OK;

	log->is_dry = true;
	while (status == RT_OK) {
		clear(piece);
		status = deliver(log, piece, err);
	}
	return status;
}

/* --- The helper ------------------------------------------------------------------------------- */

/* In the second thread. It moves on in the log's issues and in what is kept of them, which nobody
 * else looks at before it is waited for. */
static void help(void *ctx)
{
	struct rt_sarif *log = ctx;
	struct log_piece *piece = &log->pieces[!log->piece];

	piece->status = give_made(log, piece, &piece->err);
}

/* Have the second thread make the piece after this one, where all of it is there. */
static void have_help(struct rt_sarif *log)
{
	struct log_piece *piece = &log->pieces[log->piece], *next = &log->pieces[!log->piece];

	if (log->no_help || !has_made(log))
		return;
	if (!log->helper.running &&
	    ((!log->hints.window && rt_sarif_store_bytes(&log->made) < HELP_BYTES) ||
	     rt_helper_start(&log->helper, help, log) != 0)) {
		log->no_help = true;
		return;
	}
	clear(next);
	next->offset = piece->offset + piece->text.len;
	log->helps = true;
	rt_helper_go(&log->helper);
}

/* Keep what is known of a piece's text. */
static enum rt_status take_notes(struct rt_sarif *log, const struct log_piece *piece,
				 struct rt_error *err)
{
	struct rt_buf *layouts = &log->layouts;
	size_t done = log->layout * sizeof(struct rt_record_layout);
	enum rt_status status =
	    rt_buf_append(&log->marks, piece->marks.data, piece->marks.len, err);

	if (done) {
		layouts->len -= done;
		memmove(layouts->data, layouts->data + done, layouts->len);
		log->layout = 0;
	}
	return status == RT_OK
		   ? rt_buf_append(layouts, piece->layouts.data, piece->layouts.len, err)
		   : status;
}

enum rt_status rt_log_next_piece(struct rt_sarif *log, struct rt_error *err)
{
	struct log_piece *last = &log->pieces[log->piece], *piece = &log->pieces[!log->piece];
	enum rt_status status;

	if (log->helps) {
		rt_helper_wait(&log->helper);
		log->helps = false;
		status = piece->status;
		if (status != RT_OK)
			*err = piece->err;
	} else {
		clear(piece);
		piece->offset = last->offset + last->text.len;
		status = deliver(log, piece, err);
	}
	log->piece = !log->piece;
	if (piece->text.len && take_notes(log, piece, err) != RT_OK)
		status = RT_FATAL;
	if (status == RT_OK)
		have_help(log);
	return status;
}
