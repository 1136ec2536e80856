/*
 * The first pass over a log (SARIF.md S1 to S4): tells it from other JSON by the members at the
 * top, checks all of it, makes the tables of its runs, and the identities of its issues; goes on
 * after faults that leave the grammar whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "sarif/log.h"

/* Which member at the top a key is, maybe escaped; LOG_MEMBERS: none. */
static int top_member(struct rt_slice key)
{
	static const struct rt_slice names[LOG_MEMBERS] = {
	    [LOG_VERSION] = {"version", 7}, [LOG_SCHEMA] = {"$schema", 7},
	    [LOG_RUNS] = {"runs", 4},       [LOG_INLINE] = {"inlineExternalProperties", 24},
	    [LOG_ISSUES] = {"issues", 6},   [LOG_RULESETS] = {"rulesets", 8},
	};
	int member = 0;

	while (member < LOG_MEMBERS && !rt_items_key_is(key, names[member]))
		member++;
	return member;
}

enum rt_sarif_verdict rt_sarif_look(struct rt_slice head, bool final)
{
	bool has_runs = false, are_list = false, has_version = false, says_sarif = false;
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, head);
	while (rt_items_next(&items, &item)) {
		int member = top_member(item.key);
		char first = *item.value.ptr;

		if ((member == LOG_ISSUES || member == LOG_RULESETS) && first == '[')
			return RT_SARIF_NO;
		has_runs |= member == LOG_RUNS;
		are_list |= member == LOG_RUNS && first == '[';
		has_version |= member == LOG_VERSION && first != 'n';
		says_sarif |= member == LOG_SCHEMA &&
			      memmem(item.value.ptr, item.value.len, "sarif", 5) != NULL;
	}
	if (are_list && (has_version || says_sarif))
		return RT_SARIF_YES;
	if (!final && !rt_items_ended(&items))
		return are_list || says_sarif ? RT_SARIF_LIKE : RT_SARIF_OPEN;
	return has_runs && (has_version || says_sarif) ? RT_SARIF_YES : RT_SARIF_NO;
}

enum rt_status rt_log_judge(struct rt_sarif *log, enum rt_status status, struct rt_error *err)
{
	if (status != RT_REJECT)
		return status;
	if (log->faults.count == RT_FAULTS_LISTED_MAX - 1) {
		(void)rt_error_set(
		    err, RT_E_LIMIT,
		    "more faults than are listed: the rest of the log is not checked");
		log->cursor->broken = true;
	}
	if (rt_faults_add(&log->faults, err, err) != RT_OK)
		return RT_FATAL;
	return log->cursor->broken ? RT_END : RT_OK;
}

/* Take all members of the object that the cursor is at. find, take: which one it is, and what to do
 * with its value. Returns as rt_log_judge(), or RT_REJECT with err set. */
static enum rt_status take_members(struct rt_sarif *log, int (*find)(struct rt_slice key),
				   enum rt_status (*take)(struct rt_sarif *log, int member,
							  struct rt_error *err),
				   struct rt_error *err)
{
	enum rt_status status = rt_cursor_enter(log->cursor, err);
	bool first = true;
	int member;

	while (status == RT_OK) {
		status = rt_cursor_member(log->cursor, &first, find, &member, err);
		if (status == RT_END)
			return RT_OK;
		if (status == RT_OK)
			status = take(log, member, err);
		status = rt_log_judge(log, status, err);
	}
	return status;
}

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

static enum rt_status take_results(struct rt_sarif *log, struct rt_error *err)
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
	return rt_log_read_results(log, false, err);
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

/* Identify the issues of a run that has ended: a table stands after its results. */
static enum rt_status identify_results(struct rt_sarif *log, struct rt_error *err)
{
	const struct log_run *run = rt_log_run(log);
	const struct rt_cursor_spot after = rt_cursor_here(log->cursor);
	enum rt_status status;

	log->ids.count = run->first_id;
	rt_cursor_seek(log->cursor, &run->results, LOG_RESULT_LEVELS - 1);
	status = rt_log_read_results(log, true, err);
	if (status == RT_OK)
		rt_cursor_seek(log->cursor, &after, LOG_RESULT_LEVELS - 2);
	return status;
}

/* A run has ended. */
static enum rt_status end_run(struct rt_sarif *log, struct rt_error *err)
{
	const struct log_run *run = rt_log_run(log);
	enum rt_status status = end_tables(log, err);

	if (status == RT_OK)
		status = check_scan(log, err);
	if (status != RT_OK || !run->result_count || run->identified)
		return status;
	return identify_results(log, err);
}

/* A member of a run. */
static enum rt_status take_member(struct rt_sarif *log, int member, struct rt_error *err)
{
	const struct log_run *run = rt_log_run(log);

	if (member == RUN_MEMBERS)
		return rt_cursor_skip(log->cursor, err);
	if (member == RUN_RESULTS ? run->has_results : run->has[member])
		return refuse_twice(log, (int64_t)log->run_count - 1, err);
	return member == RUN_RESULTS ? take_results(log, err)
				     : take_table(log, (enum rt_sarif_table)member, err);
}

/* An element of runs. */
static enum rt_status take_run(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status;

	if (log->run_count)
		log->metadata += sizeof(struct log_run) + rt_log_run(log)->run.held;
	status = add_run(log, err);
	if (status != RT_OK)
		return status;
	if (*log->cursor->at != '{')
		return rt_log_refuse_value(log, RT_SARIF_OBJECT, NULL, (int64_t)log->run_count - 1,
					   -1, err);
	status = take_members(log, run_member, take_member, err);
	return status == RT_OK ? end_run(log, err) : status;
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

static enum rt_status take_runs(struct rt_sarif *log, struct rt_error *err)
{
	struct rt_cursor_spot spot = rt_cursor_here(log->cursor);
	enum rt_status status;
	bool first = true;

	if (*log->cursor->at == 'n') {
		status = rt_cursor_skip(log->cursor, err);
		return status == RT_OK ? no_runs(log, &spot, "null", err) : status;
	}
	if (*log->cursor->at != '[')
		return rt_log_refuse_value(log, RT_SARIF_ARRAY, "runs", -1, -1, err);
	status = rt_cursor_enter(log->cursor, err);
	while (status == RT_OK) {
		status = rt_cursor_element(log->cursor, &first, "a value", "a value or ']'", err);
		if (status == RT_END)
			return log->run_count ? RT_OK : no_runs(log, &spot, "an empty one", err);
		if (status == RT_OK)
			status = take_run(log, err);
		status = rt_log_judge(log, status, err);
	}
	return status;
}

/* Results in inlineExternalProperties are not read: a log that has some is refused (S8). */
static enum rt_status check_inline(struct rt_sarif *log, struct rt_error *err)
{
	static const struct rt_cut_member members[] = {
	    {RT_SLICE("results"), 0, RT_SARIF_ANY, NULL}};
	static const struct rt_cut cut = RT_SARIF_CUT(members, NULL);
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
			rt_sarif_cut(item.value, NULL, &cut, &results, 1, &fault);
		if (rt_sarif_count(results))
			rt_sarif_refuse(&fault, item.value.ptr, "inlineExternalProperties",
					"results in the runs", "some here");
	}
	return fault.status == RT_OK
		   ? RT_OK
		   : rt_log_fault(log, &fault, &log->cursor->spot, value.ptr, -1, -1, err);
}

/* Check the version (S2). Where it is another one, all other faults may come from that: it alone is
 * told. value: absent for none. */
static enum rt_status check_version(struct rt_sarif *log, struct rt_slice value,
				    const struct rt_cursor_spot *spot, struct rt_error *err)
{
	static const char want[] = "\"2.1.0\"";
	static const char words[] = "; sarif-multitool rewrite makes it that";
	bool is_string = rt_sarif_type(value) == RT_SARIF_STRING;
	/* Drafts of 2.2 are read by nobody. */
	bool is_older = is_string && value.len > 4 &&
			(value.ptr[1] == '1' || memcmp(value.ptr + 1, "2.0", 3) == 0 ||
			 memcmp(value.ptr + 1, "2.1", 3) == 0);
	struct rt_sarif_fault fault;

	if (is_string && rt_sarif_equals(value, RT_SLICE("2.1.0")))
		return RT_OK;
	rt_sarif_fault_clear(&fault);
	if (!value.ptr)
		rt_sarif_refuse(&fault, NULL, "version", want, "none");
	else
		rt_sarif_refuse(&fault, value.ptr, "version", want, "%.*s%s",
				rt_slice_shown(value, 100), value.ptr, is_older ? words : "");
	rt_faults_release(&log->faults);
	log->cursor->broken = true;
	return rt_log_fault(log, &fault, spot, value.ptr, -1, -1, err);
}

static enum rt_status take_version(struct rt_sarif *log, struct rt_error *err)
{
	struct rt_slice value;
	enum rt_status status = take_value(log, false, &value, err);

	return status == RT_OK ? check_version(log, value, &log->cursor->spot, err) : status;
}

/* What is a log to one reader and an export to another would hide the findings of one. */
static enum rt_status refuse_export(struct rt_sarif *log, struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_INPUT, "this document is a SARIF log and an export at once");
	rt_error_text(err->field, sizeof(err->field), RT_SLICE("runs"));
	rt_cursor_tell(log->cursor, &log->cursor->spot, err);
	log->cursor->broken = true;
	return RT_REJECT;
}

/* A member of the top-level object. */
static enum rt_status take_top(struct rt_sarif *log, int member, struct rt_error *err)
{
	if (member >= LOG_ISSUES && member < LOG_MEMBERS && *log->cursor->at == '[')
		return refuse_export(log, err);
	if (member >= LOG_ISSUES)
		return rt_cursor_skip(log->cursor, err);
	if (log->has[member])
		return refuse_twice(log, -1, err);
	log->has[member] = true;
	if (member == LOG_SCHEMA)
		return rt_cursor_skip(log->cursor, err);
	if (member == LOG_VERSION)
		return take_version(log, err);
	return member == LOG_RUNS ? take_runs(log, err) : check_inline(log, err);
}

/* The text from its first byte to its end. Returns as rt_log_judge(), or RT_REJECT with err set. */
static enum rt_status take_log(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = rt_cursor_blanks(log->cursor, err);

	if (status == RT_OK && *log->cursor->at != '{')
		status = rt_cursor_refuse(log->cursor, "an object", NULL, err);
	if (status != RT_OK)
		return status;
	log->start = rt_cursor_here(log->cursor);
	status = take_members(log, top_member, take_top, err);
	if (status == RT_OK && !log->has[LOG_VERSION])
		status = check_version(log, rt_slice_make(NULL, 0), &log->start, err);
	if (status != RT_OK)
		return status;
	status = rt_cursor_blanks(log->cursor, err);
	log->whole = status == RT_END;
	return status == RT_OK
		   ? rt_cursor_refuse(log->cursor, "nothing after the document", NULL, err)
		   : status;
}

enum rt_status rt_log_check(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = rt_log_judge(log, take_log(log, err), err);

	return status == RT_END ? RT_OK : status;
}
