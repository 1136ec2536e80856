/*
 * The public functions that answer: a data set in, one document out, of which no byte is passed on
 * before the last byte of input has been checked (SPEC D20).
 */
#include <stdio.h>

#include "base/error.h"
#include "base/instant.h"
#include "engine/request_reader.h"
#include "engine/ruleset.h"
#include "ops/partial.h"
#include "ops/reading.h"
#include "output/answer.h"
#include "output/answer_tables.h"
#include "output/answers.h"
#include "output/summary_table.h"
#include "output/validate_report.h"

/* Bytes of a note about the answer. */
#define NOTE_BYTES 512u

/* --- Summaries ------------------------------------------------------------------------------ */

/* One call of rt_summary(), or what a lane counts of it. */
struct summarizing {
	struct rt_reading reading;
	unsigned recent;
	struct rt_summary summary;
	size_t longest; /* bytes of an issue's text */
};

static struct summarizing *summarizing_of(struct rt_reading *r)
{
	return (struct summarizing *)(void *)r;
}

static enum rt_status begin_counts(struct rt_reading *r, const struct rt_siphash_key *key,
				   struct rt_error *err)
{
	return rt_summary_init(&summarizing_of(r)->summary, summarizing_of(r)->recent,
			       &r->options->limits, key, err);
}

static enum rt_status count(struct rt_reading *r, const struct rt_finding *finding,
			    struct rt_error *err)
{
	struct summarizing *s = summarizing_of(r);

	if (s->longest < finding->record->text.len)
		s->longest = finding->record->text.len;
	return rt_summary_add(&s->summary, finding, err);
}

/* One reader may come to limits where lanes have not. A kept issue takes no more than its id, its
 * date and its text. */
static enum rt_status merge_counts(struct rt_reading *first, struct rt_reading *next,
				   struct rt_error *err)
{
	struct summarizing *s = summarizing_of(first), *from = summarizing_of(next);
	enum rt_status status = rt_summary_merge(&s->summary, &from->summary, err);

	s->longest = s->longest > from->longest ? s->longest : from->longest;
	if (2 * (uint64_t)s->longest * s->recent > first->options->limits.recent_bytes ||
	    !rt_counts_fits(&s->summary.severities) || !rt_counts_fits(&s->summary.categories))
		return RT_END;
	return status;
}

static void release_counts(struct rt_reading *r)
{
	rt_summary_release(&summarizing_of(r)->summary);
}

static const struct rt_consumer count_all = {.bytes = sizeof(struct summarizing),
					     .begin = begin_counts,
					     .take = count,
					     .merge = merge_counts,
					     .release = release_counts};

/* Say what makes the counts of severities mean less than they seem to. */
static void tell_severities(const struct rt_options *options, bool maps,
			    const struct rt_summary *summary)
{
	char text[NOTE_BYTES];

	if (rt_summary_tell_severities(summary, text, sizeof(text)))
		rt_notice(options, "%s%s", text,
			  maps && !options->severity_map
			      ? "; --severity-map WORD=LEVEL,... reads them as levels"
			      : "");
}

/* maps: an option may have read severities as levels. compared: NULL: there is no baseline. */
static enum rt_status write_summary(struct rt_summary *summary, const struct rt_options *options,
				    bool maps, const struct rt_compared *compared,
				    struct rt_style style, const struct rt_sink *sink,
				    struct rt_error *err)
{
	struct rt_answer answer = {.spool.fd = -1};
	enum rt_status status;

	rt_summary_sort(summary);
	tell_severities(options, maps, summary);
	if (style.format == RT_FORMAT_TABLE)
		return rt_summary_table(summary, compared, style, sink, err);
	status = rt_answer_init(&answer, style, err);
	if (status == RT_OK) {
		rt_answer_summary(answer.writer, summary);
		status = rt_answer_send(&answer, sink, err);
	}
	rt_answer_release(&answer);
	return status;
}

static enum rt_status check_summary(const struct rt_options *options, unsigned recent,
				    const struct rt_filter *filter, struct rt_style style,
				    struct rt_error *err)
{
	enum rt_status status = rt_lanes_check(options, err);

	if (status == RT_OK && recent > RT_RECENT_MAX)
		status = rt_error_set(err, RT_E_USAGE, "want at most %u recent issues, have %u",
				      RT_RECENT_MAX, recent);
	if (status == RT_OK && options->baseline && style.format != RT_FORMAT_TABLE)
		status = rt_error_set(err, RT_E_USAGE,
				      "a summary shows what is new as a table only (--format "
				      "table); as a document, retriage diff does");
	if (status == RT_OK && rt_filter_wants_class(filter))
		status = rt_error_set(err, RT_E_USAGE,
				      "a summary cannot be filtered by baseline; list can");
	return status;
}

enum rt_status rt_summary(const struct rt_options *options, unsigned recent, int64_t at,
			  const struct rt_term *terms, size_t count, struct rt_style style,
			  const struct rt_sink *sink, struct rt_error *err)
{
	struct summarizing s = {
	    .reading = {.options = options, .terms = terms, .term_count = count, .at = at},
	    .recent = recent};
	struct rt_reading *first = &s.reading;
	char numbers[2][RT_COUNT_ROOM];
	enum rt_status status = rt_reading_prepare(&s.reading, err);

	if (status == RT_OK)
		status = check_summary(options, recent, s.reading.filter, style, err);
	if (status == RT_OK)
		status = rt_read(&s.reading, &count_all, &first, err);
	if (status == RT_OK && count)
		rt_notice(options, "%s issue%s of %s selected",
			  rt_count_text(first->picked, numbers[0]), RT_S(first->picked),
			  rt_count_text(first->total, numbers[1]));
	if (status == RT_OK)
		status = write_summary(&summarizing_of(first)->summary, options, true,
				       rt_baseline_compared(first->baseline), style, sink, err);
	rt_reading_release(&s.reading);
	return status;
}

enum rt_status rt_merge(const struct rt_options *options, struct rt_style style,
			const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_summary summary = {.total = 0};
	enum rt_status status = rt_partials_read(options, &summary, err);

	if (status == RT_OK)
		status = write_summary(&summary, options, false, NULL, style, sink, err);
	rt_summary_release(&summary);
	return status;
}

/* w: NULL where table is wanted. */
static enum rt_status list_rulesets(struct rt_state *state, struct rt_slice repo_id, bool org_wide,
				    struct rt_writer *w, struct rt_table *table,
				    struct rt_error *err)
{
	struct rt_buf scratch = {0};
	const struct rt_record *record;
	enum rt_status status;
	bool matches;

	if (w)
		RT_WRITE(w, "[");
	else
		rt_ruleset_rows_begin(table);
	while ((status = rt_state_next(state, &record, err)) == RT_OK) {
		if (record->kind != RT_KIND_RULESET)
			continue;
		status = rt_ruleset_matches(record, repo_id, org_wide, &scratch, &matches, err);
		if (status == RT_OK && matches && w)
			rt_answer_ruleset(w, record);
		else if (status == RT_OK && matches)
			rt_ruleset_rows_put(table, record);
		if (status != RT_OK)
			break;
	}
	if (w)
		RT_WRITE(w, "]");
	rt_buf_release(&scratch);
	return status == RT_END ? RT_OK : status;
}

enum rt_status rt_rulesets(const struct rt_options *options, const char *repo_id, bool org_wide,
			   struct rt_style style, const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_slice repo = rt_slice_make(repo_id, repo_id ? strlen(repo_id) : 0);
	struct rt_answer answer = {.spool.fd = -1};
	struct rt_state *state = NULL;
	enum rt_status status = rt_style_check(style, RT_FORMAT_TABLE, err);

	if (status == RT_OK)
		status = rt_state_open(options, NULL, &state, err);
	if (status == RT_OK)
		status = rt_answer_begin(&answer, style, err);
	if (status == RT_OK)
		status = list_rulesets(state, repo, org_wide, answer.writer, answer.table, err);
	if (status == RT_OK)
		status = rt_answer_send(&answer, sink, err);
	rt_answer_release(&answer);
	rt_state_free(state);
	return status;
}

/* What a validation has found so far. */
struct validation {
	struct rt_faults faults;
	void (*on_fault)(void *ctx, const struct rt_error *fault);
	void *ctx;
};

/* Take in one fault, or fail with it. fault and err may be the same. */
static enum rt_status take_fault(struct validation *v, enum rt_status found,
				 const struct rt_error *fault, struct rt_error *err)
{
	enum rt_status status = RT_FATAL;

	if (found == RT_REJECT)
		status = rt_faults_add(&v->faults, fault, err);
	else
		*err = *fault;
	if (status == RT_OK && v->on_fault)
		v->on_fault(v->ctx, fault);
	return status;
}

/* Write the report and pass it on. */
static enum rt_status send_report(struct validation *v, struct rt_report_counts counts,
				  const struct rt_faults *warnings, const struct rt_unread *unread,
				  struct rt_style style, const struct rt_sink *sink,
				  struct rt_error *err)
{
	struct rt_answer answer = {.spool.fd = -1};
	enum rt_status status = rt_answer_init(&answer, style, err);

	if (status == RT_OK) {
		rt_report_write(answer.writer, counts, &v->faults, warnings, unread);
		status = rt_answer_send(&answer, sink, err);
	}
	rt_answer_release(&answer);
	return status;
}

enum rt_status rt_validate(const struct rt_options *options, enum rt_kind kind,
			   struct rt_style style, const struct rt_sink *sink,
			   void (*on_fault)(void *ctx, const struct rt_error *fault),
			   void *fault_ctx, uint64_t *ret_faults, struct rt_error *err)
{
	struct validation v = {.on_fault = on_fault, .ctx = fault_ctx};
	struct rt_report_counts counts = {0};
	struct rt_dataset *dataset = NULL;
	const struct rt_record *record;
	struct rt_error fault;
	enum rt_status found, status = rt_style_check(style, RT_FORMAT_YAML, err);

	if (status == RT_OK && kind > RT_KIND_RULESET)
		status = rt_error_set(err, RT_E_USAGE, "want a kind of record, have number %d",
				      (int)kind);
	if (status == RT_OK)
		status = rt_dataset_open(options, kind, &dataset, err);
	while (status == RT_OK && (found = rt_dataset_next(dataset, &record, &fault)) != RT_END) {
		if (found != RT_OK)
			status = take_fault(&v, found, &fault, err);
	}
	if (status == RT_OK) {
		counts.issues = rt_dataset_count(dataset, RT_KIND_ISSUE);
		counts.rulesets = rt_dataset_count(dataset, RT_KIND_RULESET);
		status = send_report(&v, counts, &rt_dataset_reader(dataset)->view.warnings,
				     rt_parts_unread(rt_dataset_reader(dataset)->view.parts), style,
				     sink, err);
	}
	if (status == RT_OK)
		*ret_faults = v.faults.count;
	rt_faults_release(&v.faults);
	rt_dataset_free(dataset);
	return status;
}

enum rt_status rt_validate_requests(const struct rt_options *options, struct rt_style style,
				    const struct rt_sink *sink,
				    void (*on_fault)(void *ctx, const struct rt_error *fault),
				    void *fault_ctx, uint64_t *ret_faults, struct rt_error *err)
{
	struct validation v = {.on_fault = on_fault, .ctx = fault_ctx};
	struct rt_report_counts counts = {0};
	struct rt_request_reader *reader = NULL;
	const struct rt_request *request;
	struct rt_error fault;
	enum rt_status found, status = rt_style_check(style, RT_FORMAT_YAML, err);

	if (status == RT_OK)
		status = rt_request_reader_open(options, &reader, err);
	while (status == RT_OK &&
	       (found = rt_request_reader_next(reader, &request, &fault)) != RT_END) {
		if (found == RT_OK)
			counts.requests++;
		else
			status = take_fault(&v, found, &fault, err);
	}
	if (status == RT_OK)
		status = send_report(&v, counts, NULL, rt_request_reader_unread(reader), style,
				     sink, err);
	if (status == RT_OK)
		*ret_faults = v.faults.count;
	rt_faults_release(&v.faults);
	rt_request_reader_free(reader);
	return status;
}

bool rt_time_parse(const char *text, int64_t *ret_seconds)
{
	char formatted[RT_INSTANT_CHARS];
	struct rt_instant instant;

	if (!rt_instant_parse(rt_slice_of(text), &instant) ||
	    !rt_instant_format(instant.seconds, formatted))
		return false;
	*ret_seconds = instant.seconds;
	return true;
}

bool rt_time_parse_from(const char *text, int64_t at, int64_t *ret_seconds)
{
	return rt_instant_days_ago(rt_slice_of(text), at, ret_seconds) ||
	       rt_time_parse(text, ret_seconds);
}
