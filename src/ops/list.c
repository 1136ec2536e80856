/*
 * Lists issues (WORKFLOW section 4): those that a filter picks, in one of several forms. Think of a
 * form as a row of three functions: begin, an issue, and the end, which passes everything on after
 * the last byte of input has been checked.
 *
 * Counts of a large file are made in lanes, each of a share, and put together at the end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "engine/triage.h"
#include "ops/reading.h"
#include "output/answer.h"
#include "output/answers.h"
#include "output/kind.h"
#include "output/list_count.h"
#include "output/texts.h"
#include "scan/items.h"

struct list;

/* One form. Each function returns RT_OK or RT_FATAL. */
struct form {
	enum rt_status (*begin)(struct list *l, struct rt_error *err);
	enum rt_status (*issue)(struct list *l, const struct rt_finding *finding,
				struct rt_error *err);
	/* Everything was read: complete the answer; NULL: it is. */
	enum rt_status (*end)(struct list *l, struct rt_error *err);
	bool is_count; /* it may be made in shares */
	bool wants_notes;
	bool is_document; /* in JSON or YAML */
	bool is_table;
};

/* One call of rt_list(), or what a lane makes of its share. */
struct list {
	struct rt_reading reading;
	const struct rt_list *ask;
	const struct form *form;
	const struct rt_siphash_key *key;
	struct rt_style style;
	struct rt_issue_totals totals;
	struct rt_answer answer;
	struct rt_buf line;             /* of records */
	struct rt_reporting *reporting; /* NULL: another form */
	struct rt_report_settings settings;
	struct rt_triage *triage;
	struct rt_count_by by;
	struct rt_columns columns, order; /* count 0: not asked */
	struct rt_short_ids ids;
	bool keeps_ids; /* a table shows them */
};

/* --- Text in input order ----------------------------------------------------------------- */

static enum rt_status text_begin(struct list *l, struct rt_error *err)
{
	(void)err;
	rt_answer_text(&l->answer);
	return RT_OK;
}

static enum rt_status ids_issue(struct list *l, const struct rt_finding *finding,
				struct rt_error *err)
{
	struct rt_put put = {&l->line, err, RT_OK};

	l->line.len = 0;
	rt_put_string(&put, finding->record->id);
	RT_PUT(&put, "\n");
	rt_emit_slice(&l->answer.text, rt_buf_slice(&l->line));
	return put.status;
}

/* The first line break; NULL: none. */
static const char *find_break(const char *at, const char *end)
{
	const char *feed = memchr(at, '\n', (size_t)(end - at));
	const char *other = memchr(at, '\r', (size_t)((feed ? feed : end) - at));

	return other ? other : feed;
}

/*
 * Records may be on several lines; each becomes one by losing runs of blanks with a line break
 * in them. No string has a raw line break, so that those runs are between tokens.
 */
static void put_line(struct rt_emit *out, struct rt_slice text)
{
	const char *at = text.ptr, *end = rt_slice_end(text);

	while (at < end) {
		const char *next = find_break(at, end), *stop = next ? next : end;

		while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t'))
			stop--;
		rt_emit_bytes(out, at, (size_t)(stop - at));
		at = next ? rt_items_blanks(next, end) : end;
	}
	rt_emit_char(out, '\n');
}

static enum rt_status records_issue(struct list *l, const struct rt_finding *finding,
				    struct rt_error *err)
{
	struct rt_slice text;
	enum rt_status status = rt_state_text(l->reading.state, &text, err);

	(void)finding;
	if (status == RT_OK)
		put_line(&l->answer.text, text);
	return status;
}

/* The forms that reports are made of, too. */
static enum rt_status report_begin(struct list *l, const struct rt_report_kind *kind,
				   struct rt_error *err)
{
	l->settings = (struct rt_report_settings){
	    .csv_raw = l->ask->csv_raw,
	    .compared = l->reading.options->baseline != NULL,
	    .csv_bom = l->ask->csv_bom,
	    .show_secrets = l->ask->show_secrets,
	    .columns = l->columns.count ? &l->columns : NULL,
	    .source = l->reading.fields.source,
	    .link = l->ask->link,
	    .strip = {l->reading.options->strip_prefixes, l->reading.options->strip_prefix_count},
	};
	rt_answer_text(&l->answer);
	return rt_reporting_new(kind, &l->settings, NULL, &l->answer.text, &l->reporting, err);
}

static enum rt_status csv_begin(struct list *l, struct rt_error *err)
{
	return report_begin(l, &rt_kind_csv, err);
}

static enum rt_status findings_begin(struct list *l, struct rt_error *err)
{
	return report_begin(l, &rt_kind_findings, err);
}

static enum rt_status report_issue(struct list *l, const struct rt_finding *finding,
				   struct rt_error *err)
{
	return rt_reporting_issue(l->reporting, finding, err);
}

static enum rt_status report_end(struct list *l, struct rt_error *err)
{
	return rt_reporting_end(l->reporting, l->reading.options, err);
}

/* Behind the issues what the baseline alone has, if that was asked for. */
static enum rt_status findings_end(struct list *l, struct rt_error *err)
{
	const struct rt_state_extras again = {.again = true};
	struct rt_fault fault = {RT_OK, err};
	struct rt_state *old = NULL;
	struct rt_finding finding;
	uint64_t number = 0;

	if (l->ask->gone && l->reading.baseline) {
		RT_STEP(&fault, rt_state_open(l->reading.options->baseline, &again, &old, err));
		while (RT_STEP(&fault, rt_reading_next_gone(&l->reading, old, &number, &finding,
							    err)) == RT_OK)
			RT_STEP(&fault, rt_reporting_issue(l->reporting, &finding, err));
		rt_state_free(old);
		if (fault.status != RT_END)
			return fault.status;
	}
	return report_end(l, err);
}

/* --- Documents --------------------------------------------------------------------------- */

static enum rt_status json_begin(struct list *l, struct rt_error *err)
{
	enum rt_status status = rt_answer_init(&l->answer, l->style, err);

	if (status == RT_OK)
		RT_WRITE(l->answer.writer, "[");
	return status;
}

static enum rt_status json_issue(struct list *l, const struct rt_finding *finding,
				 struct rt_error *err)
{
	struct rt_slice values[RT_ISSUE_MEMBERS];

	(void)err;
	rt_finding_values(finding, values);
	rt_answer_issue(l->answer.writer, values);
	return RT_OK;
}

static enum rt_status json_end(struct list *l, struct rt_error *err)
{
	(void)err;
	RT_WRITE(l->answer.writer, "]");
	return RT_OK;
}

/* --- Counts ------------------------------------------------------------------------------ */

static enum rt_status count_begin(struct list *l, struct rt_error *err)
{
	enum rt_status status =
	    rt_count_by_init(&l->by, l->ask->count_by, &l->reading.options->limits, l->key, err);

	l->by.source = l->reading.fields.source;
	return status;
}

static enum rt_status count_issue(struct list *l, const struct rt_finding *finding,
				  struct rt_error *err)
{
	return rt_count_by_add(&l->by, finding, err);
}

/* A document, a table or CSV. */
static enum rt_status count_end(struct list *l, struct rt_error *err)
{
	struct rt_answer *answer = &l->answer;
	enum rt_status status = rt_count_by_sort(&l->by, err);

	if (status == RT_OK && l->form->is_table)
		status = rt_table_new(l->style, &answer->table, err);
	else if (status == RT_OK && l->form->is_document)
		status = rt_answer_init(answer, l->style, err);
	if (status != RT_OK)
		return status;
	if (answer->table) {
		rt_list_count_table(answer->table, &l->totals, &l->by, l->ask->rows);
	} else if (answer->writer) {
		rt_list_count_write(answer->writer, &l->totals, &l->by);
	} else {
		rt_answer_text(answer);
		rt_list_count_csv(&answer->text, &l->by, l->ask->csv_raw);
	}
	return status;
}

/* --- The table of issues ----------------------------------------------------------------- */

static enum rt_status table_begin(struct list *l, struct rt_error *err)
{
	enum rt_status status = rt_triage_new(l->ask->rows, 0, &l->triage, err);

	l->settings.source = l->reading.fields.source;
	if (status == RT_OK && l->order.count)
		rt_triage_order(l->triage, &l->order, &l->settings.source);
	l->keeps_ids = !l->columns.count && rt_issue_rows_have_ids(l->style.width);
	for (size_t i = 0; i < l->columns.count; i++)
		l->keeps_ids = l->keeps_ids || l->columns.fields[i] == RT_M_ID;
	return status;
}

static enum rt_status table_issue(struct list *l, const struct rt_finding *finding,
				  struct rt_error *err)
{
	return rt_triage_add(l->triage, finding, err);
}

/* One of the issues that are shown, with who decided it. */
static enum rt_status get_row(struct list *l, uint64_t place, struct rt_finding *ret_finding,
			      struct rt_error *err)
{
	const struct rt_finding *finding;
	enum rt_status status = rt_triage_get(l->triage, place, &finding, err);

	if (status != RT_OK)
		return status;
	*ret_finding = *finding;
	rt_state_name_maker(l->reading.state, ret_finding);
	return RT_OK;
}

/* Where nothing else was asked for, what is the same everywhere is not shown. */
static enum rt_status choose_columns(struct list *l, struct rt_error *err)
{
	static const unsigned fields[] = {RT_M_MODEL_USED, RT_F_AGE};
	struct rt_buf first[2] = {{0}}, scratch = {0};
	struct rt_put room = {&scratch, err, RT_OK};
	const struct rt_field_source *source = &l->reading.fields.source;
	bool decided = false, ends = false, differ[2] = {false, false};
	char day[RT_DAY_ROOM];
	uint64_t count = rt_triage_count(l->triage);
	enum rt_status status = RT_OK;

	for (uint64_t i = 0; status == RT_OK && i < count; i++) {
		struct rt_finding finding;
		struct rt_slice text;

		status = get_row(l, i, &finding, err);
		if (status != RT_OK)
			break;
		decided |= finding.status != RT_STATUS_OPEN;
		ends |= finding.reason != RT_REASON_NONE && rt_end_day(finding.end, day);
		for (size_t k = 0; status == RT_OK && k < 2; k++) {
			text = rt_field_text(source, &finding, fields[k], 0, &room);
			status = room.status;
			if (status == RT_OK && i == 0 && text.len)
				status = rt_buf_append(&first[k], text.ptr, text.len, err);
			differ[k] |= !rt_slice_equal(text, rt_buf_slice(&first[k]));
		}
	}
	rt_issue_columns(&l->columns, l->style.width,
			 (struct rt_issue_differences){decided, ends, differ[0], differ[1]});
	rt_buf_release(&first[0]);
	rt_buf_release(&first[1]);
	rt_buf_release(&scratch);
	return status;
}

static enum rt_status put_rows(struct list *l, struct rt_table *table, struct rt_error *err)
{
	uint64_t count = rt_triage_count(l->triage);
	struct rt_issue_rows rows = {.columns = &l->columns,
				     .source = l->reading.fields.source,
				     .given = l->columns.count > 0,
				     .link = l->ask->link,
				     .compared = l->reading.baseline != NULL,
				     .ids = &l->ids};
	enum rt_status status = rows.given ? RT_OK : choose_columns(l, err);

	rt_short_ids_sort(&l->ids);
	if (count && status == RT_OK)
		rt_issue_rows_begin(&rows, table, l->style.width);
	for (uint64_t i = 0; status == RT_OK && i < count; i++) {
		struct rt_finding finding;

		status = get_row(l, i, &finding, err);
		if (status == RT_OK)
			status = rt_issue_rows_put(&rows, &finding, err);
	}
	rt_issue_rows_release(&rows);
	if (status != RT_OK)
		return status;
	rt_table_more(table, l->totals.selected - count);
	rt_issue_totals_put(table, &l->totals);
	rt_compared_put(table, rt_baseline_compared(l->reading.baseline));
	return RT_OK;
}

static enum rt_status table_end(struct list *l, struct rt_error *err)
{
	enum rt_status status = rt_table_new(l->style, &l->answer.table, err);

	rt_triage_sort(l->triage);
	return status == RT_OK ? put_rows(l, l->answer.table, err) : status;
}

/* --- All forms --------------------------------------------------------------------------- */

static const struct form forms[] = {
    [RT_LIST_TABLE] = {table_begin, table_issue, table_end, .is_table = true},
    [RT_LIST_JSON] = {json_begin, json_issue, json_end, .is_document = true},
    [RT_LIST_CSV] = {csv_begin, report_issue, report_end, .wants_notes = true},
    [RT_LIST_IDS] = {.begin = text_begin, .issue = ids_issue},
    [RT_LIST_RECORDS] = {.begin = text_begin, .issue = records_issue},
    [RT_LIST_FINDINGS] = {findings_begin, report_issue, findings_end, .wants_notes = true},
    [RT_LIST_COUNT] = {count_begin, count_issue, count_end, .is_count = true, .is_document = true},
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

static const struct form count_csv = {count_begin, count_issue, count_end, .is_count = true};
static const struct form count_table = {count_begin, count_issue, count_end, .is_count = true,
					.is_table = true};

static enum rt_status choose_form(struct list *l, struct rt_error *err)
{
	struct rt_count_by_field members[RT_COUNT_BY_MEMBERS];
	enum rt_list_form form = l->ask->form;
	enum rt_status status = RT_OK;
	size_t count;

	if ((unsigned)form >= FORMS)
		return rt_error_set(err, RT_E_USAGE, "want a form of list, have number %d",
				    (int)form);
	l->form = &forms[form];
	if (l->ask->count_by) {
		status = rt_count_by_members(l->ask->count_by, members, &count, err);
		if (form == RT_LIST_TABLE)
			l->form = &count_table;
		else if (form == RT_LIST_CSV)
			l->form = &count_csv;
		else if (form == RT_LIST_JSON || form == RT_LIST_COUNT)
			l->form = &forms[RT_LIST_COUNT];
		else if (status == RT_OK)
			return rt_error_set(err, RT_E_USAGE,
					    "counts are written as table, json, csv or count");
	}
	if (status == RT_OK && l->form->is_document)
		status = rt_style_check(l->style, RT_FORMAT_YAML, err);
	return status;
}

/* Whether there is what the fields are made from that are counted by. */
static enum rt_status check_counted(const struct list *l, struct rt_error *err)
{
	struct rt_count_by_field fields[RT_COUNT_BY_MEMBERS];
	size_t count;
	enum rt_status status = rt_count_by_members(l->ask->count_by, fields, &count, err);

	for (size_t i = 0; status == RT_OK && i < count; i++) {
		status = rt_field_check(&l->reading.fields.source, fields[i].field, err);
		if (status != RT_OK)
			rt_error_text(err->field, sizeof(err->field), RT_SLICE("--count-by"));
	}
	return status;
}

/* Everything that can be wrong without a look at the data set. */
static enum rt_status prepare(struct list *l, struct rt_error *err)
{
	const struct rt_list *ask = l->ask;
	const struct rt_field_source *source = &l->reading.fields.source;
	enum rt_status status = rt_lanes_check(l->reading.options, err);

	if (status == RT_OK)
		status = choose_form(l, err);
	if (status == RT_OK)
		status = rt_link_check(ask->link, err);
	if (status == RT_OK)
		status = rt_reading_prepare(&l->reading, err);
	if (status == RT_OK && !ask->gone)
		status = rt_filter_refuse_gone(l->reading.filter, err);
	l->reading.fields.source.link = ask->link;
	if (status == RT_OK && ask->count_by)
		status = check_counted(l, err);
	if (status == RT_OK && ask->columns)
		status =
		    rt_columns_read(ask->columns, false, "--columns", source, &l->columns, err);
	if (status == RT_OK && ask->sort)
		status = rt_columns_read(ask->sort, true, "--sort", source, &l->order, err);
	if (status == RT_OK)
		l->reading.needs_notes = l->form->wants_notes || l->columns.count || l->order.count;
	return status;
}

/* --- Reading ------------------------------------------------------------------------------ */

static struct list *list_of(struct rt_reading *r)
{
	return (struct list *)(void *)r;
}

static enum rt_status begin(struct rt_reading *r, const struct rt_siphash_key *key,
			    struct rt_error *err)
{
	list_of(r)->key = key;
	return list_of(r)->form->begin(list_of(r), err);
}

static enum rt_status see(struct rt_reading *r, const struct rt_finding *finding,
			  struct rt_error *err)
{
	struct list *l = list_of(r);

	return l->keeps_ids ? rt_short_ids_add(&l->ids, finding->record->id, err) : RT_OK;
}

static enum rt_status take(struct rt_reading *r, const struct rt_finding *finding,
			   struct rt_error *err)
{
	rt_issue_totals_add(&list_of(r)->totals, finding);
	return list_of(r)->form->issue(list_of(r), finding, err);
}

/* One reader may come to the limit of values where lanes have not. */
static enum rt_status merge(struct rt_reading *first, struct rt_reading *next, struct rt_error *err)
{
	struct list *l = list_of(first);
	enum rt_status status = rt_counts_merge(&l->by.counts, &list_of(next)->by.counts, err);

	rt_issue_totals_merge(&l->totals, &list_of(next)->totals);
	return status == RT_OK && !rt_counts_fits(&l->by.counts) ? RT_END : status;
}

static void release(struct rt_reading *r)
{
	struct list *l = list_of(r);

	rt_reporting_free(l->reporting);
	rt_answer_release(&l->answer);
	rt_count_by_release(&l->by);
	rt_triage_free(l->triage);
	rt_buf_release(&l->line);
	rt_buf_release(&l->ids.starts);
}

/* What ranges have left out because nothing is known of it. */
static void tell_unknown(const struct list *l)
{
	struct rt_filter_unknown unknown = rt_filter_unknown(l->reading.filter);
	const uint64_t counts[] = {unknown.severity, unknown.age};
	static const char *const names[] = {"severity", "age"};
	char number[RT_COUNT_ROOM];

	for (size_t i = 0; i < 2; i++) {
		if (counts[i])
			rt_notice(l->reading.options,
				  "%s issue%s of unknown %s %s in no range of %s",
				  rt_count_text(counts[i], number), RT_S(counts[i]), names[i],
				  counts[i] == 1 ? "is" : "are", names[i]);
	}
}

/* Say how many were picked, where the answer itself does not. */
static void tell(const struct list *l, const struct rt_list_counts *counts)
{
	char numbers[2][RT_COUNT_ROOM];

	if (!l->form->is_table && l->form != &forms[RT_LIST_COUNT] && l->ask->term_count &&
	    !l->ask->gone)
		rt_notice(l->reading.options, "%s issue%s of %s selected",
			  rt_count_text(counts->selected, numbers[0]), RT_S(counts->selected),
			  rt_count_text(counts->total, numbers[1]));
}

/* --- Lists -------------------------------------------------------------------------------- */

/* Whether anything is new, gone, moved or changed. compared: NULL: nothing was. */
static bool differs(const struct rt_compared *compared)
{
	uint64_t count = 0;

	for (size_t class = RT_CLASS_NEW; compared && class < RT_CLASS_UNCHANGED; class ++)
		count += compared->classes[class];
	return count > 0;
}

/* Everything was read: pass the answer on. */
static enum rt_status send(struct list *l, const struct rt_sink *sink,
			   struct rt_list_counts *ret_counts, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	l->totals.total = l->reading.total;
	if (l->form->end)
		status = l->form->end(l, err);
	if (status == RT_OK)
		status = rt_answer_send(&l->answer, sink, err);
	if (status != RT_OK)
		return status;
	*ret_counts = (struct rt_list_counts){l->totals.total, l->totals.selected,
					      differs(rt_baseline_compared(l->reading.baseline))};
	tell_unknown(l);
	tell(l, ret_counts);
	return RT_OK;
}

enum rt_status rt_list(const struct rt_options *options, const struct rt_list *list,
		       struct rt_style style, const struct rt_sink *sink,
		       struct rt_list_counts *ret_counts, struct rt_error *err)
{
	struct list l = {.reading = {.options = options,
				     .terms = list->terms,
				     .term_count = list->term_count,
				     .at = list->at},
			 .ask = list,
			 .style = style,
			 .answer = {.spool.fd = -1}};
	struct rt_consumer consumer = {
	    .begin = begin, .see = see, .take = take, .merge = merge, .release = release};
	struct rt_reading *first;
	enum rt_status status = prepare(&l, err);

	if (status == RT_OK) {
		consumer.bytes = l.form->is_count ? sizeof(l) : 0;
		status = rt_read(&l.reading, &consumer, &first, err);
	}
	if (status == RT_OK)
		status = send(list_of(first), sink, ret_counts, err);
	rt_reading_release(&l.reading);
	return status;
}
