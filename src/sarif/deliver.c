/*
 * The second pass over a log (SARIF.md S4): reads the results of each run again and makes the
 * records of those that are issues, one at a time, with the identities of the first pass: a result
 * that is not what was read then is refused.
 */
#include "sarif/log.h"

static enum rt_status refuse_changed(struct rt_error *err)
{
	return rt_error_set(err, RT_E_IO, "the file changed while it was read");
}

/* Go to the next run with results. Returns RT_END after the last. */
static enum rt_status enter_run(struct rt_sarif *log, struct rt_error *err)
{
	while (log->run < log->run_count) {
		const struct log_run *run = log->runs[log->run++];

		if (!run->result_count)
			continue;
		rt_cursor_seek(log->cursor, &run->results, LOG_RESULT_LEVELS - 1);
		log->in_results = true;
		return rt_log_enter_results(log, err);
	}
	if (log->id != log->ids.count)
		return refuse_changed(err);
	log->ended = true;
	return rt_log_tell(log, err) == RT_OK ? RT_END : RT_FATAL;
}

/* Have the scanner look at a record with values of somebody else: what they are, nobody knows. */
static enum rt_status scan_record(struct rt_sarif *log, struct rt_record *record,
				  struct rt_error *err)
{
	struct rt_scan *scan = log->scan;

	if (!scan)
		scan = log->scan = rt_scan_alloc(sizeof(*scan));
	if (!scan)
		return rt_error_nomem(err);
	rt_scan_init(scan, log->limits->depth);
	scan->end = rt_slice_end(record->text);
	scan->final = true;
	memset((char *)log->made.data + log->made.len, 0, RT_PADDING);
	return log->cursor->ops->record(scan, record->text.ptr, record) ? RT_OK
									: refuse_changed(err);
}

/* What the result that was read last says of an earlier scan. */
static enum rt_class class_of(const struct rt_sarif_maker *maker)
{
	static const struct {
		struct rt_slice state;
		enum rt_class class;
	} rows[] = {{RT_SLICE("new"), RT_CLASS_NEW},
		    {RT_SLICE("unchanged"), RT_CLASS_UNCHANGED},
		    {RT_SLICE("updated"), RT_CLASS_CHANGED}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rt_sarif_equals(maker->values[RT_SARIF_R_BASELINE], rows[i].state))
			return rows[i].class;
	}
	return RT_CLASS_NONE;
}

/* Whose words its title is. */
static enum rt_title_of title_of(const struct rt_sarif_maker *maker)
{
	const struct rt_sarif_rule *rule = maker->found.rule;

	if (maker->own[RT_M_TITLE].ptr)
		return RT_TITLE_OF_ISSUE;
	return rule && rule->titled && rule->untitled ? RT_TITLE_OF_OTHER : RT_TITLE_OF_RULE;
}

/* Make the record of the issue that was read last. */
static enum rt_status make_record(struct rt_sarif *log, struct rt_record *record,
				  struct rt_error *err)
{
	struct log_run *run = log->runs[log->run - 1];
	const struct rt_place place = rt_log_place(log, &log->cursor->spot);
	struct rt_sarif_fault fault;
	struct rt_prints prints = {.is_guid = false};
	enum rt_status status = rt_sarif_result_find(log->maker, &run->run, &fault);

	if (status == RT_REJECT ||
	    (status == RT_OK &&
	     (log->id == log->ids.count || !rt_sarif_ids_is(&log->ids.list[log->id], log->value))))
		return refuse_changed(err);
	if (status == RT_OK) {
		log->maker->identity = log->ids.list[log->id++];
	}
	if (status == RT_OK)
		status = rt_sarif_result_write(log->maker, &run->run, log->maker->identity.rank,
					       &log->made, record, &run->notes, &fault);
	fault.status = status;
	rt_sarif_prints_find(log->maker, &prints, &fault);
	status = fault.status;
	if (status != RT_OK)
		return rt_log_fault(log, &fault, &log->cursor->spot, log->value.ptr,
				    (int64_t)log->run - 1, (int64_t)log->result - 1, err);
	if (log->maker->has_own)
		status = scan_record(log, record, err);
	record->class = (uint8_t)class_of(log->maker);
	record->prints = prints;
	record->rated = log->maker->rated;
	record->reopened = log->maker->reopened;
	record->title_of = (uint8_t)title_of(log->maker);
	record->line = place.line;
	record->column = place.column;
	record->offset = place.offset;
	return status == RT_OK ? rt_log_count(log, record->text.len, (int64_t)log->run - 1, err)
			       : status;
}

struct rt_slice rt_sarif_result(const struct rt_sarif *log)
{
	return log->value;
}

uint32_t rt_sarif_run_number(const struct rt_sarif *log)
{
	return (uint32_t)(log->run - 1);
}

uint32_t rt_sarif_result_number(const struct rt_sarif *log)
{
	return (uint32_t)(log->result - 1);
}

enum rt_status rt_sarif_remake(struct rt_sarif *log, struct rt_slice text, struct rt_buf *out,
			       struct rt_error *err)
{
	const struct rt_sarif_run *run = &log->runs[log->run - 1]->run;
	struct rt_sarif_notes told = {.counts = {0}};
	struct rt_sarif_fault fault;
	struct rt_record record;
	bool issue;
	enum rt_status status =
	    rt_sarif_result_read(log->maker, text, false, &issue, &told, &fault);

	/* Decisions change no identity. */
	if (status == RT_OK)
		status = rt_sarif_result_find(log->maker, run, &fault);
	if (status == RT_OK)
		status = rt_sarif_result_write(log->maker, run, log->maker->identity.rank, out,
					       &record, &told, &fault);
	/* Places are looked for in the result that was delivered. */
	if (status == RT_OK)
		status = rt_sarif_result_read(log->maker, log->value, false, &issue, &told, &fault);
	if (status != RT_OK)
		*err = fault.err;
	return status;
}

/* The next result of the current run; *ret_issue: it is one, and has been read. */
static enum rt_status next_result(struct rt_sarif *log, bool *ret_issue, struct rt_error *err)
{
	const struct log_run *run = log->runs[log->run - 1];
	struct rt_sarif_notes told = {.counts = {0}};
	struct rt_sarif_fault fault;
	bool is_cut;
	enum rt_status status = rt_log_take_result(log, &log->value, &is_cut, err);

	*ret_issue = false;
	if (status == RT_END) {
		log->in_results = false;
		return log->result == run->result_count ? RT_OK : refuse_changed(err);
	}
	if (status != RT_OK || !log->value.ptr)
		return status == RT_FATAL ? status : refuse_changed(err);
	status = rt_sarif_result_read(log->maker, log->value, is_cut, ret_issue, &told, &fault);
	if (status == RT_FATAL)
		*err = fault.err;
	return status == RT_REJECT ? refuse_changed(err) : status;
}

enum rt_status rt_log_deliver(struct rt_sarif *log, struct rt_record *ret_record,
			      struct rt_error *err)
{
	while (!log->ended) {
		bool issue = false;
		enum rt_status status =
		    log->in_results ? next_result(log, &issue, err) : enter_run(log, err);

		if (status == RT_OK && issue)
			status = make_record(log, ret_record, err);
		if (status != RT_OK || (issue && !log->failed))
			return status;
	}
	return RT_END;
}
