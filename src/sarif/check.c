/*
 * The first pass over a log (SARIF.md S4): checks all of it, makes the tables of its runs, and the
 * identities of its issues; goes on after faults that leave the grammar whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sarif/log.h"

/* What log_run has besides tables. */
#define RUN_RESULTS ((int)RT_SARIF_TABLE_COUNT)
#define RUN_MEMBERS (RUN_RESULTS + 1)

static int run_member(struct rt_slice key)
{
	if (rt_items_key_is(key, RT_SLICE("results")))
		return RUN_RESULTS;
	return rt_sarif_run_table(key) == RT_SARIF_TABLE_COUNT ? RUN_MEMBERS
							       : (int)rt_sarif_run_table(key);
}

/* Make err of a fault in the current run. */
static enum rt_status run_fault(const struct rt_sarif *log, const struct rt_sarif_fault *fault,
				const struct rt_cursor_spot *spot, const char *value,
				struct rt_error *err)
{
	return rt_log_fault(log, fault, spot, value, (int64_t)log->run_count - 1, -1, err);
}

/* Have a value whole, to look at it. table: it counts against the limit of tables. */
static enum rt_status take_value(struct rt_sarif *log, bool table, struct rt_slice *ret_value,
				 struct rt_error *err)
{
	uint64_t used = log->metadata, max = log->limits->record_bytes;
	struct rt_sarif_fault fault;
	enum rt_status status;

	if (table) {
		if (log->run_count)
			used += sizeof(struct log_run) + rt_log_run(log)->run.held;
		max = used < log->limits->metadata_bytes ? log->limits->metadata_bytes - used : 0;
	}
	status = rt_cursor_take(log->cursor, max ? max : 1, ret_value, err);
	if (!table || status == RT_OK || !log->cursor->too_long)
		return status;
	rt_sarif_fault_clear(&fault);
	rt_sarif_refuse_limit(&fault, "rules and artifacts exceed --limit metadata");
	log->cursor->broken = true;
	return log->run_count ? run_fault(log, &fault, &rt_log_run(log)->start, NULL, err)
			      : rt_log_fault(log, &fault, &log->start, NULL, -1, -1, err);
}

/* A member that is read has been met before. The cursor is at its value. */
static enum rt_status refuse_twice(struct rt_sarif *log, int64_t run, struct rt_error *err)
{
	struct rt_cursor_spot spot = log->cursor->spot;
	struct rt_sarif_fault fault;
	enum rt_status status = rt_cursor_skip(log->cursor, err);

	if (status != RT_OK)
		return status;
	rt_sarif_fault_clear(&fault);
	rt_sarif_refuse(&fault, NULL, log->cursor->key, "each field once", "this one twice");
	return rt_log_fault(log, &fault, &spot, NULL, run, -1, err);
}

/* --- The top-level object --------------------------------------------------------------------- */

/* A log without any run (S10). spot: what says so. */
static enum rt_status no_runs(struct rt_sarif *log, const struct rt_cursor_spot *spot,
			      const char *have, struct rt_error *err)
{
	struct rt_sarif_fault fault;

	log->no_runs = true;
	if (log->hints.accept_failed)
		return RT_OK;
	rt_sarif_fault_clear(&fault);
	rt_sarif_refuse(&fault, NULL, "runs", "an array with a run",
			"%s: this log has no scan; --failed-runs accept takes it as none", have);
	return rt_log_fault(log, &fault, spot, NULL, -1, -1, err);
}

static enum rt_status enter_runs(struct rt_sarif *log, struct rt_error *err)
{
	struct rt_cursor_spot spot = rt_cursor_here(log->cursor);
	enum rt_status status;

	if (*log->cursor->at == '[') {
		log->resume = spot;
		log->stage = LOG_IN_RUNS;
		log->first[LOG_IN_RUNS] = true;
		return rt_cursor_enter(log->cursor, err);
	}
	if (*log->cursor->at != 'n')
		return rt_log_refuse_value(log, RT_SARIF_ARRAY, "runs", -1, -1, err);
	status = rt_cursor_skip(log->cursor, err);
	return status == RT_OK ? no_runs(log, &spot, "null", err) : status;
}

/* Findings that are beside the runs are none that are read (S8). */
static enum rt_status check_inline(struct rt_sarif *log, struct rt_error *err)
{
	static const struct rt_sarif_member member = {RT_SLICE("results"), RT_SARIF_ANY, NULL};
	struct rt_slice value, results = {NULL, 0};
	struct rt_sarif_fault fault;
	struct rt_items items;
	struct rt_item item;
	enum rt_status status = take_value(log, true, &value, err);

	if (status != RT_OK || *value.ptr == 'n')
		return status;
	rt_sarif_fault_clear(&fault);
	rt_sarif_is(value, RT_SARIF_ARRAY, "inlineExternalProperties", &fault);
	rt_items_init(&items, value);
	while (rt_sarif_next_item(&items, &item, &fault)) {
		if (rt_sarif_type(item.value) == RT_SARIF_OBJECT)
			rt_sarif_cut(item.value, &member, 1, &results, &fault);
		if (rt_sarif_count(results))
			rt_sarif_refuse(&fault, item.value.ptr, "inlineExternalProperties",
					"results in the runs", "some here");
	}
	return fault.status == RT_OK
		   ? RT_OK
		   : rt_log_fault(log, &fault, &log->cursor->spot, value.ptr, -1, -1, err);
}

/* Where the version is another one, all other faults may come from that. value: absent for none. */
static enum rt_status hold_version(struct rt_sarif *log, struct rt_slice value,
				   const struct rt_cursor_spot *spot, struct rt_error *err)
{
	struct rt_sarif_fault fault;

	rt_sarif_fault_clear(&fault);
	rt_log_check_version(value, &fault);
	if (fault.status == RT_OK)
		return RT_OK;
	log->held = rt_log_fault(log, &fault, spot, value.ptr, -1, -1, err);
	log->held_err = *err;
	return log->held;
}

static enum rt_status check_version(struct rt_sarif *log, struct rt_error *err)
{
	struct rt_slice value;
	enum rt_status status = take_value(log, false, &value, err);

	if (status != RT_OK)
		return status;
	return hold_version(log, value, &log->cursor->spot, err);
}

static enum rt_status check_schema(struct rt_sarif *log, struct rt_error *err)
{
	struct rt_slice value;
	enum rt_status status = take_value(log, false, &value, err);

	if (status == RT_OK)
		log->top.says_sarif = memmem(value.ptr, value.len, "sarif", 5) != NULL;
	return status;
}

/* A member of the top-level object. */
static enum rt_status check_top(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status;
	int member;

	status = rt_cursor_member(log->cursor, &log->first[LOG_TOP], rt_log_member, &member, err);
	if (status == RT_END)
		log->stage = LOG_AFTER;
	if (status != RT_OK)
		return status == RT_END ? RT_OK : status;
	if (member >= LOG_ISSUES) {
		if (member < LOG_MEMBERS && *log->cursor->at == '[')
			log->top.has[member] = true;
		return rt_cursor_skip(log->cursor, err);
	}
	log->top.says_version |= member == LOG_VERSION && *log->cursor->at != 'n';
	if (log->top.has[member])
		return refuse_twice(log, -1, err);
	log->top.has[member] = true;
	switch (member) {
	case LOG_VERSION:
		return check_version(log, err);
	case LOG_SCHEMA:
		return check_schema(log, err);
	case LOG_RUNS:
		return enter_runs(log, err);
	default:
		return check_inline(log, err);
	}
}

/* The object has ended. */
static enum rt_status check_after(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status;

	log->stage = LOG_CHECKED;
	/* What is no log after all may have another record after it. */
	if (!rt_log_top_is(&log->top))
		return RT_END;
	if (!log->top.has[LOG_VERSION])
		return hold_version(log, rt_slice_make(NULL, 0), &log->start, err);
	status = rt_cursor_blanks(log->cursor, err);
	if (status == RT_OK)
		status = rt_cursor_refuse(log->cursor, "nothing after the document", NULL, err);
	return status;
}

/* --- Runs ------------------------------------------------------------------------------------- */

static enum rt_status add_run(struct rt_sarif *log, struct rt_error *err)
{
	struct log_run *run = calloc(1, sizeof(*run));
	enum rt_status status = run ? RT_OK : rt_error_nomem(err);

	if (status == RT_OK)
		status = rt_buf_append(&log->run_list, &run, sizeof(void *), err);
	if (status != RT_OK) {
		free(run);
		return status;
	}
	log->runs = (struct log_run **)(void *)log->run_list.data;
	run->start = rt_cursor_here(log->cursor);
	run->first_id = log->ids.count;
	status = rt_sarif_run_init(&run->run, (uint32_t)log->run_count++, err);
	run->run.strip = log->hints.strip;
	run->run.level_first = log->hints.level_first;
	run->run.old_ids = log->hints.old_ids;
	run->run.record_bytes = log->limits->record_bytes;
	run->run.held_max = log->metadata < log->limits->metadata_bytes
				? log->limits->metadata_bytes - log->metadata
				: 0;
	return status;
}

/* An element of runs. */
static enum rt_status check_runs(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = rt_cursor_element(log->cursor, &log->first[LOG_IN_RUNS], "a value",
						  "a value or ']'", err);

	if (status == RT_END) {
		log->stage = LOG_TOP;
		return log->run_count ? RT_OK : no_runs(log, &log->resume, "an empty one", err);
	}
	if (status != RT_OK)
		return status;
	if (log->run_count)
		log->metadata += sizeof(struct log_run) + rt_log_run(log)->run.held;
	status = add_run(log, err);
	if (status != RT_OK)
		return status;
	if (*log->cursor->at != '{')
		return rt_log_refuse_value(log, RT_SARIF_OBJECT, NULL, (int64_t)log->run_count - 1,
					   -1, err);
	log->stage = LOG_IN_RUN;
	log->first[LOG_IN_RUN] = true;
	return rt_cursor_enter(log->cursor, err);
}

/* All tables that are there: finish them. Returns RT_REJECT with err set for a fault. */
static enum rt_status end_tables(struct rt_sarif *log, struct rt_error *err)
{
	struct log_run *run = rt_log_run(log);
	enum rt_sarif_table table = RT_SARIF_TABLE_COUNT;
	struct rt_sarif_fault fault;

	if (rt_sarif_run_end(&run->run, &table, &fault) == RT_OK)
		return RT_OK;
	return run_fault(log, &fault,
			 table < RT_SARIF_TABLE_COUNT && run->has[table] ? &run->tables[table]
									 : &run->start,
			 NULL, err);
}

static enum rt_status take_table(struct rt_sarif *log, enum rt_sarif_table table,
				 struct rt_error *err)
{
	struct log_run *run = rt_log_run(log);
	struct rt_sarif_fault fault;
	struct rt_slice value;
	enum rt_status status;

	run->has[table] = true;
	/* An issue that was identified without artifacts is told by none. */
	if (table != RT_SARIF_ARTIFACTS)
		run->identified = false;
	status = take_value(log, true, &value, err);
	if (status != RT_OK)
		return status;
	run->tables[table] = log->cursor->spot;
	if (rt_sarif_run_take(&run->run, table, value, &run->notes, &fault) == RT_OK)
		return RT_OK;
	return run_fault(log, &fault, &log->cursor->spot, value.ptr, err);
}

static enum rt_status enter_results(struct rt_sarif *log, struct rt_error *err)
{
	struct log_run *run = rt_log_run(log);
	enum rt_status status;

	run->has_results = true;
	run->results = rt_cursor_here(log->cursor);
	if (*log->cursor->at == 'n')
		return rt_cursor_skip(log->cursor, err);
	run->is_wrong = *log->cursor->at != '[';
	if (run->is_wrong)
		return rt_log_refuse_value(log, RT_SARIF_ARRAY, "results",
					   (int64_t)log->run_count - 1, -1, err);
	run->is_list = true;
	/* A fault here is none if it goes with what follows; at the end of the run it is told. */
	status = run->has[RT_SARIF_TOOL] ? end_tables(log, err) : RT_REJECT;
	if (status == RT_FATAL)
		return status;
	run->identified = status == RT_OK;
	log->stage = LOG_RESULTS;
	return rt_log_enter_results(log, LOG_RESULTS, err);
}

/* What a run has to have, besides what its members say of themselves (S10). */
static enum rt_status check_scan(struct rt_sarif *log, struct rt_error *err)
{
	struct log_run *run = rt_log_run(log);
	bool clean = !run->has_results && run->run.succeeded, accept = log->hints.accept_failed;
	bool failed = run->is_list && !run->result_count && run->run.failed_throughout;
	struct rt_sarif_fault fault;

	if (run->is_wrong)
		return RT_OK;
	rt_sarif_fault_clear(&fault);
	if (failed && !accept) {
		rt_sarif_refuse(&fault, NULL, "executionSuccessful",
				"a scan that succeeded or found something", "false and no results");
		return run_fault(log, &fault, &run->tables[RT_SARIF_INVOCATIONS], NULL, err);
	}
	if (!run->is_list && !clean && !accept) {
		rt_sarif_refuse(
		    &fault, NULL, "results", "an array",
		    "%s: this scan has no result; --failed-runs accept takes it as none",
		    run->has_results ? "null" : "none");
		return run_fault(log, &fault, run->has_results ? &run->results : &run->start, NULL,
				 err);
	}
	if (clean)
		run->notes.counts[RT_SARIF_NOTE_CLEAN]++;
	else if (!run->is_list || failed)
		run->notes.counts[RT_SARIF_NOTE_FAILED_EMPTY]++;
	else if (run->run.failed)
		run->notes.counts[run->result_count ? RT_SARIF_NOTE_FAILED
						    : RT_SARIF_NOTE_PARTLY_FAILED]++;
	return RT_OK;
}

/* A run has ended. */
static enum rt_status end_run(struct rt_sarif *log, struct rt_error *err)
{
	struct log_run *run = rt_log_run(log);
	enum rt_status status;

	status = end_tables(log, err);
	log->stage = LOG_IN_RUNS;
	if (status == RT_OK)
		status = check_scan(log, err);
	if (status != RT_OK || !run->result_count || run->identified)
		return status;
	log->resume = rt_cursor_here(log->cursor);
	log->ids.count = run->first_id;
	log->stage = LOG_IDENTIFY;
	rt_cursor_seek(log->cursor, &run->results, LOG_RESULT_LEVELS - 1);
	return rt_log_enter_results(log, LOG_IDENTIFY, err);
}

/* A member of a run. */
static enum rt_status check_run(struct rt_sarif *log, struct rt_error *err)
{
	struct log_run *run = rt_log_run(log);
	enum rt_status status;
	int member;

	status = rt_cursor_member(log->cursor, &log->first[LOG_IN_RUN], run_member, &member, err);
	if (status == RT_END)
		return end_run(log, err);
	if (status != RT_OK)
		return status;
	if (member == RUN_MEMBERS)
		return rt_cursor_skip(log->cursor, err);
	if (member == RUN_RESULTS ? run->has_results : run->has[member])
		return refuse_twice(log, (int64_t)log->run_count - 1, err);
	return member == RUN_RESULTS ? enter_results(log, err)
				     : take_table(log, (enum rt_sarif_table)member, err);
}

/* --- The pass --------------------------------------------------------------------------------- */

static enum rt_status begin(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = rt_cursor_blanks(log->cursor, err);

	if (status == RT_OK && *log->cursor->at != '{')
		status = rt_cursor_refuse(log->cursor, "an object", NULL, err);
	if (status != RT_OK)
		return status;
	log->start = rt_cursor_here(log->cursor);
	log->first[LOG_TOP] = true;
	log->begun = true;
	return rt_cursor_enter(log->cursor, err);
}

enum rt_status rt_log_check(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = log->begun ? RT_OK : begin(log, err);

	while (status == RT_OK) {
		switch (log->stage) {
		case LOG_TOP:
			status = check_top(log, err);
			break;
		case LOG_IN_RUNS:
			status = check_runs(log, err);
			break;
		case LOG_IN_RUN:
			status = check_run(log, err);
			break;
		case LOG_RESULTS:
		case LOG_IDENTIFY:
			status = rt_log_next_result(log, err);
			break;
		case LOG_AFTER:
			status = check_after(log, err);
			break;
		default:
			status = RT_END;
		}
	}
	return status;
}
