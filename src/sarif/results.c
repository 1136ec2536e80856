/*
 * The results of a run in the first pass over a log (SARIF.md S4): each is checked, and identified
 * where the run's tables stand before them. Where a table follows, they are gone over once more at
 * the end of the run.
 */
#include <inttypes.h>

#include "sarif/log.h"

/* What results may repeat of their runs: so many bytes for each byte of the log so far, besides
 * the limit "metadata", as its message says. Long help in short results comes to some tens. */
#define REPEATED_FACTOR 64u

enum rt_status rt_log_enter_results(struct rt_sarif *log, struct rt_error *err)
{
	enum rt_status status = rt_cursor_blanks(log->cursor, err);

	log->first = true;
	log->result = 0;
	return status == RT_OK ? rt_cursor_enter(log->cursor, err) : status;
}

enum rt_status rt_log_take_result(struct rt_sarif *log, struct rt_slice *ret_text, bool *ret_cut,
				  struct rt_error *err)
{
	enum rt_status status =
	    rt_cursor_element(log->cursor, &log->first, "a value", "a value or ']'", err);

	*ret_text = rt_slice_make(NULL, 0);
	if (status != RT_OK)
		return status;
	log->result++;
	if (*log->cursor->at != '{')
		return RT_OK;
	return rt_cursor_cut(log->cursor, log->limits->record_bytes, &rt_sarif_result_cut,
			     log->maker->values, RT_SARIF_CUT_SLOTS, ret_cut, ret_text, err);
}

enum rt_status rt_log_count(struct rt_sarif *log, uint64_t more, int64_t run, struct rt_error *err)
{
	const struct rt_sarif_maker *maker = log->maker;
	const struct rt_cursor_spot *spot = &log->cursor->spot;
	struct rt_sarif_fault fault;

	log->repeated += maker->preimage.len + maker->path.len + maker->message.text.len +
			 maker->message.json.len + more;
	if (log->repeated / REPEATED_FACTOR <= log->kept ||
	    log->repeated - REPEATED_FACTOR * log->kept <= log->limits->metadata_bytes)
		return RT_OK;
	log->cursor->broken = true;
	rt_sarif_fault_clear(&fault);
	rt_sarif_refuse_limit(&fault, "results repeat more text of their run than 64 times the log "
				      "so far and --limit metadata");
	return rt_log_fault(log, &fault, spot, NULL, run, (int64_t)log->result - 1, err);
}

/* Note whether the message of the result is its rule's title: Cppcheck writes its first message of
 * a rule there, which then names what the other results are not about. */
static void compare_title(struct rt_sarif *log, struct rt_sarif_fault *fault)
{
	struct rt_sarif_maker *maker = log->maker;
	const struct rt_sarif_message *message = &maker->message;
	struct rt_sarif_rule *rules = rt_sarif_rules(&rt_log_run(log)->run), *rule;
	struct rt_slice title;
	bool same;

	if (!maker->found.rule || !maker->found.rule->title.ptr || message->none)
		return;
	rule = rules + (maker->found.rule - rules);
	if (rule->titled && rule->untitled)
		return;
	if (message->json.ptr) {
		same = rt_slice_equal(message->json, rule->title);
	} else {
		title = rt_sarif_decode(rule->title, &maker->room, fault);
		same = rt_slice_equal(title, rt_buf_slice(&message->shown));
	}
	rule->titled |= same;
	rule->untitled |= !same;
}

/* Identify an issue. text: its result. */
static void identify(struct rt_sarif *log, struct rt_slice text, struct rt_sarif_fault *fault)
{
	struct rt_sarif_identity identity;

	if (rt_sarif_result_identify(log->maker, &rt_log_run(log)->run, &identity, fault) != RT_OK)
		return;
	compare_title(log, fault);
	if (fault->status == RT_OK)
		fault->status = rt_sarif_ids_add(&log->ids, &identity, text, &fault->err);
}

/*
 * Check a result, and identify it if it is an issue and all tables so far may tell it. again: it
 * was checked before, and what is wrong with itself was told then.
 */
static void check(struct rt_sarif *log, bool again, struct rt_slice text, bool is_cut,
		  struct rt_sarif_fault *fault)
{
	struct log_run *run = rt_log_run(log);
	struct rt_sarif_notes told = {.counts = {0}};
	enum rt_status status;
	bool issue;

	status = rt_sarif_result_read(log->maker, text, is_cut, &issue, again ? &told : &run->notes,
				      fault);
	if (status == RT_REJECT && again)
		rt_sarif_fault_clear(fault);
	if (status != RT_OK || !issue)
		return;
	if (again || run->identified)
		identify(log, text, fault);
	if (again || fault->status == RT_FATAL)
		return;
	/* A table that is still to come may tell one that cannot be identified. */
	run->identified &= fault->status == RT_OK;
	(void)rt_sarif_result_check(log->maker, fault);
}

/* Look at the result that was taken; text: absent where it is none. */
static enum rt_status look_at(struct rt_sarif *log, bool again, struct rt_slice text, bool is_cut,
			      struct rt_error *err)
{
	const int64_t run = (int64_t)log->run_count - 1, result = (int64_t)log->result - 1;
	size_t ids = log->ids.count;
	struct rt_sarif_fault fault;

	if (!text.ptr)
		return again ? rt_cursor_skip(log->cursor, err)
			     : rt_log_refuse_value(log, RT_SARIF_OBJECT, NULL, run, result, err);
	check(log, again, text, is_cut, &fault);
	if (fault.status != RT_OK)
		return rt_log_fault(log, &fault, &log->cursor->spot, text.ptr, run, result, err);
	return log->ids.count > ids ? rt_log_count(log, 0, run, err) : RT_OK;
}

enum rt_status rt_log_read_results(struct rt_sarif *log, bool again, struct rt_error *err)
{
	enum rt_status status = rt_log_enter_results(log, err);

	while (status == RT_OK) {
		struct rt_slice text;
		bool is_cut = false;

		status = rt_log_take_result(log, &text, &is_cut, err);
		if (status == RT_END)
			return RT_OK;
		rt_log_run(log)->result_count = log->result;
		if (status == RT_OK)
			status = look_at(log, again, text, is_cut, err);
		status = rt_log_judge(log, status, err);
	}
	return status;
}
