/*
 * The results of a run in the first pass over a log (SARIF.md S4). Input: the elements of the
 * array. Output: identities and records of issues, counts. Refuses what is no result.
 *
 * Results go through batches that two threads work on. Tables that follow them are taken ahead;
 * where they cannot be, what is read of results is kept, and goes through batches once more when
 * the run has ended. What is unusual stops that: a batch with a fault is read again from its start
 * on, one result after the other, so that faults come in the order of the log, with what was
 * counted before them; and results that could not be kept are read once more.
 */
#include "sarif/entry.h"
#include "sarif/log.h"

/* Bytes of a batch. */
#define BATCH_BYTES ((size_t)1024 * 1024)

/* Bytes of records that may be kept, and as many more for each byte of the log so far. */
#define MADE_LEAST (64 * RT_MIB)
#define MADE_FACTOR 2u

static size_t batch_bytes(const struct rt_sarif *log)
{
	return log->hints.window ? 2 * log->hints.window : BATCH_BYTES;
}

/* --- Records and results that are kept -------------------------------------------------------- */

void rt_log_drop_made(struct rt_sarif *log, struct log_run *run)
{
	run->made = false;
	if (!log->unmade)
		rt_sarif_store_cut(&log->made, run->made_at);
}

/* No more records are kept, and none that were. */
static void unmake(struct rt_sarif *log)
{
	for (size_t i = 0; i < log->run_count; i++)
		log->runs[i]->made = false;
	rt_sarif_store_release(&log->made);
	log->unmade = true;
}

/* Keep a record. offset: of the byte after its result: records may take so many bytes, or rules
 * with long texts could fill a disk. */
static void keep(struct rt_sarif *log, struct rt_slice record, uint64_t offset)
{
	uint64_t most = MADE_LEAST + MADE_FACTOR * offset;

	if (rt_sarif_store_bytes(&log->made) + record.len > most ||
	    !rt_sarif_store_add(&log->made, record))
		unmake(log);
}

/* What was kept of the results of the run at hand is of no use, and no more is. */
static void drop_kept(struct rt_sarif *log)
{
	rt_log_run(log)->kept = false;
	rt_sarif_store_cut(&log->kept, 0);
}

/* Keep the entry of a result, as far as there is room. spot: the result's; offset: as above. */
static void keep_entry(struct rt_sarif *log, struct rt_slice entry,
		       const struct rt_sarif_spot *spot, uint64_t offset)
{
	uint64_t most = MADE_LEAST + offset;

	if (rt_sarif_store_bytes(&log->kept) + entry.len > most ||
	    !rt_sarif_entry_keep(&log->kept, entry, spot))
		drop_kept(log);
}

/* --- What was done ---------------------------------------------------------------------------- */

static void add_notes(struct rt_sarif_notes *sum, const struct rt_sarif_notes *notes)
{
	for (size_t i = 0; i < RT_SARIF_NOTE_COUNT; i++)
		sum->counts[i] += notes->counts[i];
}

/* What is to be done with the results of the run at hand. */
static struct rt_sarif_task task_now(const struct rt_sarif *log)
{
	const struct log_run *run = rt_log_run(log);
	bool check = log->stage == LOG_RESULTS;

	return (struct rt_sarif_task){
	    .run = &run->run,
	    .skipped = log->hints.skipped,
	    .check = check,
	    .entry = log->batches != NULL,
	    .identify = !check || run->identified,
	    /* After a fault nothing is delivered. */
	    .make = run->made && log->held == RT_OK,
	};
}

/* Take what has become of the next result. record: where it was made; offset: see keep(). */
static enum rt_status take_done(struct rt_sarif *log, const struct rt_sarif_task *task,
				const struct rt_sarif_done *done, struct rt_slice record,
				uint64_t offset, struct rt_error *err)
{
	struct log_run *run = rt_log_run(log);
	enum rt_status status;

	if (!done->issue || (task->check && !run->identified))
		return RT_OK;
	if (!done->identified) {
		/* It may be told by a table that is still to come. */
		run->identified = false;
		return RT_OK;
	}
	status = rt_sarif_ids_add(&log->ids, &done->identity, err);
	if (status != RT_OK || !run->made || !task->make)
		return status;
	/* A fault is told by the last pass. */
	if (done->made)
		keep(log, record, offset);
	else
		rt_log_drop_made(log, run);
	return RT_OK;
}

/* --- One result ------------------------------------------------------------------------------- */

/* Work on a result in place, which the cursor has taken. */
static enum rt_status work_alone(struct rt_sarif *log, struct rt_slice value, struct rt_error *err)
{
	struct log_run *run = rt_log_run(log);
	struct rt_sarif_task task = task_now(log);
	struct rt_sarif_worker *worker = &log->worker;
	struct rt_sarif_fault fault = {.at = NULL};
	struct rt_sarif_done done;
	enum rt_status status;

	/* It is none, and too large to become one. */
	task.entry = false;
	drop_kept(log);
	worker->made.len = 0;
	worker->notes = worker->made_notes = (struct rt_sarif_notes){0};
	status = rt_sarif_work(worker, &task, value, &log->cursor->spot, &done, &fault);
	add_notes(&run->notes, &worker->notes);
	add_notes(&run->made_notes, &worker->made_notes);
	if (status != RT_OK)
		return rt_log_fault(log, status, &fault, &log->cursor->spot, value.ptr,
				    (int64_t)log->run_count - 1, (int64_t)log->result - 1, err);
	return take_done(log, &task, &done, rt_buf_slice(&worker->made),
			 log->cursor->spot.offset + value.len, err);
}

/* --- Batches ---------------------------------------------------------------------------------- */

/* Go back to the start of a batch. */
static void go_back(struct rt_sarif *log, const struct rt_sarif_batch_start *start)
{
	rt_sarif_cursor_seek(log->cursor, &start->spot, LOG_RESULT_LEVELS);
	log->first[log->stage] = start->first;
	log->result = start->result;
	if (log->stage == LOG_RESULTS)
		rt_log_run(log)->result_count = start->result;
}

/* Something is wrong in a batch: have no more of them, and read its results again. Returns as
 * take_batch() does. */
static enum rt_status go_alone(struct rt_sarif *log, const struct rt_sarif_batch *batch,
			       struct rt_error *err)
{
	const struct rt_sarif_batch_start start = batch->start;
	enum rt_status status = RT_OK;

	drop_kept(log);
	log->alone = true;
	rt_sarif_batches_free(log->batches);
	log->batches = NULL;
	if (log->stage != LOG_KEPT)
		go_back(log, &start);
	else
		status = rt_log_identify(log, rt_log_run(log), err);
	return status == RT_OK ? RT_END : status;
}

enum rt_status rt_log_look_ahead(struct rt_sarif *log, struct log_run *run)
{
	uint64_t used = log->metadata + sizeof(*run), most = log->limits->metadata_bytes;
	const struct rt_sarif_ahead_task task = {
	    .source = &log->source,
	    .limits = log->limits,
	    .from = run->results.offset,
	    .levels = LOG_RESULT_LEVELS - 1,
	    .has = run->has,
	    .most = used < most ? most - used : 0,
	    .run = &run->run,
	    .notes = &run->notes,
	};

	/* In a log of several runs, what stands at its end is of another one. */
	if (log->ahead.tried || log->run_count > 1 || log->held != RT_OK || log->hints.remake ||
	    !log->hints.again || log->hints.size <= log->hints.skipped)
		return RT_END;
	log->ahead.tried = true;
	return rt_sarif_ahead_take(&log->ahead, &task);
}

/* Whether the first batch of a run has an issue that only a table can tell that is to come. */
static bool is_too_early(const struct rt_sarif *log, const struct rt_sarif_batch *batch)
{
	if (!batch->task.check || !batch->task.identify || batch->start.result || log->hints.remake)
		return false;
	for (size_t i = 0; i < batch->count; i++) {
		if (batch->results[i].done.issue && !batch->results[i].done.identified)
			return true;
	}
	return false;
}

/* Begin a run again, with tables that are to come, or keep its results. Returns as take_batch()
 * does. */
static enum rt_status start_over(struct rt_sarif *log, const struct rt_sarif_batch *batch)
{
	const struct rt_sarif_batch_start start = batch->start;
	struct log_run *run = rt_log_run(log);
	enum rt_status status;

	rt_sarif_batches_drop(log->batches);
	go_back(log, &start);
	status = rt_log_look_ahead(log, run);
	run->identified = status == RT_OK;
	run->kept = !run->identified;
	return status == RT_REJECT ? RT_REJECT : RT_END;
}

/* Take what has become of a batch. Returns RT_OK; RT_END: the cursor is back at results that were
 * put into batches, of which there may be none any more; RT_REJECT: see rt_log_look_ahead();
 * RT_FATAL with err set. */
static enum rt_status take_batch(struct rt_sarif *log, struct rt_sarif_batch *batch,
				 struct rt_error *err)
{
	struct log_run *run = rt_log_run(log);
	enum rt_status status = RT_OK;

	if (atomic_load(&batch->failed))
		return go_alone(log, batch, err);
	if (is_too_early(log, batch))
		return start_over(log, batch);
	for (size_t i = 0; status == RT_OK && i < batch->count; i++) {
		const struct rt_sarif_batch_result *result = &batch->results[i];
		const struct rt_buf *made = &batch->workers[result->worker].made;
		struct rt_slice record = {NULL, 0};

		if (result->done.made)
			record = rt_slice_make(made->data + result->made_at, result->made_len);
		status = take_done(log, &batch->task, &result->done, record,
				   result->spot.offset + result->bytes, err);
		if (run->kept && batch->task.check && result->done.issue)
			keep_entry(log, rt_slice_make(batch->text.data + result->at, result->len),
				   &result->spot, result->spot.offset + result->bytes);
	}
	for (size_t i = 0; i < 2; i++) {
		add_notes(&run->notes, &batch->workers[i].notes);
		add_notes(&run->made_notes, &batch->workers[i].made_notes);
	}
	rt_sarif_batch_clear(batch);
	return status;
}

/* Have the batch that was filled worked on, and take the one before. Returns likewise. */
static enum rt_status pass_on(struct rt_sarif *log, bool more, struct rt_error *err)
{
	struct rt_sarif_batch *batch = rt_sarif_batches_wait(log->batches);

	rt_sarif_batches_filling(log->batches)->task = task_now(log);
	rt_sarif_batches_go(log->batches, more);
	return batch ? take_batch(log, batch, err) : RT_OK;
}

/* Have all results so far worked on. Returns likewise. */
static enum rt_status drain(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (rt_sarif_batches_filling(log->batches)->count)
		status = pass_on(log, false, err);
	if (status == RT_OK) {
		struct rt_sarif_batch *batch = rt_sarif_batches_wait(log->batches);

		status = batch ? take_batch(log, batch, err) : RT_OK;
	}
	return status;
}

/* Have a batch with room for an entry, which it is not too long for. start: where its result
 * stands. Returns likewise. */
static enum rt_status make_room(struct rt_sarif *log, const struct rt_sarif_batch_start *start,
				size_t size, struct rt_sarif_batch **ret_batch,
				struct rt_error *err)
{
	struct rt_sarif_batch *batch = rt_sarif_batches_filling(log->batches);
	enum rt_status status = RT_OK;

	if (!rt_sarif_batch_fits(batch, size)) {
		status = pass_on(log, true, err);
		if (status != RT_OK)
			return status;
		batch = rt_sarif_batches_filling(log->batches);
	}
	if (!batch->count)
		batch->start = *start;
	*ret_batch = batch;
	return RT_OK;
}

/* --- The list --------------------------------------------------------------------------------- */

/* The results of a run are gone over, and its records made. */
static void begin(struct rt_sarif *log, struct log_run *run, enum log_stage stage)
{
	rt_log_drop_made(log, run);
	run->made = !log->unmade && !log->hints.remake;
	run->made_notes = (struct rt_sarif_notes){0};
	log->stage = stage;
}

enum rt_status rt_log_begin_results(struct rt_sarif *log, struct log_run *run, enum log_stage stage,
				    struct rt_error *err)
{
	enum rt_status status = RT_OK;

	begin(log, run, stage);
	drop_kept(log);
	log->first[stage] = true;
	log->result = 0;
	if (!log->batches && !log->alone && log->held == RT_OK)
		status =
		    rt_sarif_batches_new(log->worker.maker, batch_bytes(log), &log->batches, err);
	run->kept = stage == LOG_RESULTS && !run->identified && log->batches && !log->hints.remake;
	return status;
}

enum rt_status rt_log_identify(struct rt_sarif *log, struct log_run *run, struct rt_error *err)
{
	enum rt_status status;

	log->ids.count = run->first_id;
	if (run->kept && log->batches) {
		begin(log, run, LOG_KEPT);
		return RT_OK;
	}
	rt_sarif_cursor_seek(log->cursor, &run->results, LOG_RESULT_LEVELS - 1);
	status = rt_log_begin_results(log, run, LOG_IDENTIFY, err);
	if (status == RT_OK)
		status = rt_sarif_cursor_blanks(log->cursor, err);
	return status == RT_OK ? rt_sarif_cursor_enter(log->cursor, err) : status;
}

/* The list has ended. */
static void leave(struct rt_sarif *log)
{
	if (log->stage == LOG_RESULTS) {
		log->stage = LOG_IN_RUN;
		return;
	}
	log->stage = LOG_IN_RUNS;
	rt_sarif_cursor_seek(log->cursor, &log->resume, LOG_RESULT_LEVELS - 2);
}

/* A result in the log's text. */
struct item {
	struct rt_slice text; /* absent: it is no object */
	bool is_cut;
	struct rt_slice cut[RT_SARIF_CUT_SLOTS];
};

/* Go to the next result and count it; cut it where there are batches. */
static enum rt_status next(struct rt_sarif *log, struct item *item, struct rt_error *err)
{
	enum rt_status status = rt_sarif_cursor_element(log->cursor, &log->first[log->stage], err);
	uint64_t max = log->limits->record_bytes;

	item->text = rt_slice_make(NULL, 0);
	item->is_cut = false;
	if (status != RT_OK)
		return status;
	log->result++;
	if (log->stage == LOG_RESULTS)
		rt_log_run(log)->result_count++;
	if (*log->cursor->at != '{')
		return RT_OK;
	if (!log->batches)
		return rt_sarif_cursor_take(log->cursor, max, &item->text, err);
	return rt_sarif_cursor_cut(log->cursor, max, &rt_sarif_result_cut, item->cut,
				   RT_SARIF_CUT_SLOTS, &item->is_cut, &item->text, err);
}

/* Put a result into a batch, if there are batches and it is not too large; *ret_put. */
static enum rt_status put_item(struct rt_sarif *log, const struct rt_sarif_batch_start *start,
			       const struct item *item, bool *ret_put, struct rt_error *err)
{
	struct rt_sarif_batch *batch;
	struct rt_sarif_entry entry;
	enum rt_status status;

	*ret_put = false;
	if (!log->batches || !item->text.ptr)
		return RT_OK;
	rt_sarif_entry_make(item->is_cut ? item->cut : NULL, item->text, &entry);
	if (entry.bytes > batch_bytes(log))
		return RT_OK;
	*ret_put = true;
	status = make_room(log, start, entry.bytes, &batch, err);
	if (status == RT_OK)
		rt_sarif_batch_add(batch, &entry, &log->cursor->spot);
	return status == RT_END ? RT_OK : status;
}

/* Go on with what stands at the cursor, or with the end of the list, once all results before it
 * are done. status: as next() returned it. */
static enum rt_status go_on(struct rt_sarif *log, enum rt_status status, const struct item *item,
			    struct rt_error *err)
{
	if (status == RT_END)
		leave(log);
	if (status != RT_OK)
		return status == RT_END ? RT_OK : status;
	if (item->text.ptr)
		return work_alone(log, item->text, err);
	if (log->stage == LOG_IDENTIFY)
		return rt_sarif_cursor_skip(log->cursor, err);
	return rt_log_refuse_value(log, RT_SARIF_OBJECT, NULL, (int64_t)log->run_count - 1,
				   (int64_t)log->result - 1, err);
}

enum rt_status rt_log_next_result(struct rt_sarif *log, struct rt_error *err)
{
	const struct rt_sarif_batch_start start = {rt_sarif_cursor_spot(log->cursor),
						   log->first[log->stage], log->result};
	bool batched = log->batches != NULL, is_put = false;
	struct rt_error drain_err;
	struct item item;
	enum rt_status status = next(log, &item, err), drained;

	if (status == RT_OK)
		status = put_item(log, &start, &item, &is_put, err);
	if (is_put)
		return status;
	/* What stands before comes before. */
	drained = batched ? drain(log, &drain_err) : RT_OK;
	if (drained == RT_FATAL)
		*err = drain_err;
	if (drained != RT_OK)
		return drained == RT_END ? RT_OK : drained;
	return go_on(log, status, &item, err);
}

enum rt_status rt_log_next_kept(struct rt_sarif *log, struct rt_error *err)
{
	const struct rt_sarif_batch_start start = {.result = 0};
	struct rt_sarif_batch *batch;
	struct rt_sarif_spot spot;
	struct rt_slice entry;
	enum rt_status status = rt_sarif_entry_next(&log->kept, &entry, &spot, err);

	if (status == RT_OK) {
		status = make_room(log, &start, entry.len, &batch, err);
		if (status == RT_OK)
			rt_sarif_batch_add_entry(batch, entry, &spot);
		return status == RT_END ? RT_OK : status;
	}
	if (status == RT_END)
		status = drain(log, err);
	if (status != RT_OK)
		return status == RT_END ? RT_OK : status;
	drop_kept(log);
	log->stage = LOG_IN_RUNS;
	return RT_OK;
}
