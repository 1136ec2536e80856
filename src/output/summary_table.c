/*
 * Shows the issues summary as tables.
 */
#include "output/summary_table.h"

#include <stdio.h>

#include "base/error.h"
#include "output/issue_table.h"

/* --- Counts ------------------------------------------------------------------------------ */

/* "1,768 issues: 1,767 open, 1 dismissed" */
static void put_totals(struct rt_table *t, const struct rt_summary *s)
{
	char expired[RT_EXPIRED_ROOM];

	rt_expired_text(s->expired, s->open, expired);
	rt_table_say(t, RT_TONE_STRONG, "%s issue%s: %s open%s%s%s, %s dismissed",
		     RT_COUNT(s->total), RT_S(s->total), RT_COUNT(s->open), *expired ? " (" : "",
		     expired, *expired ? ")" : "", RT_COUNT(s->total - s->open));
}

static void put_count(struct rt_table *t, uint64_t open, uint64_t all, struct rt_slice name,
		      enum rt_tone tone)
{
	rt_table_cell_count(t, open);
	rt_table_cell_count(t, all);
	rt_table_cell(t, name.len ? name : RT_SLICE("\"\""), all ? tone : RT_TONE_FAINT);
}

static void put_severities(struct rt_table *t, const struct rt_summary *s)
{
	for (size_t level = 0; level < RT_SEVERITY_LEVELS; level++)
		put_count(t, s->open_levels[level], s->levels[level], rt_severity_level(level),
			  RT_TONE_LEVEL + (enum rt_tone)level);
	for (size_t i = 0; i < s->severities.used; i++) {
		const struct rt_count *count = &s->severities.slots[i];

		put_count(t, count->open, count->count, count->text, RT_TONE_PLAIN);
	}
}

/* Whether a is before b: more open, then more at all; else they stay in byte order. */
static bool is_before(const struct rt_count *a, const struct rt_count *b)
{
	return a->open != b->open ? a->open > b->open : a->count > b->count;
}

/* Put the categories with most open issues into top, in order. Returns how many. */
static size_t find_top(const struct rt_counts *counts,
		       const struct rt_count *top[RT_SUMMARY_CATEGORIES])
{
	size_t used = 0;

	for (size_t i = 0; i < counts->used; i++) {
		const struct rt_count *count = &counts->slots[i];
		size_t at = used;

		while (at && is_before(count, top[at - 1]))
			at--;
		if (at == RT_SUMMARY_CATEGORIES)
			continue;
		used += used < RT_SUMMARY_CATEGORIES;
		memmove(&top[at + 1], &top[at], (used - at - 1) * sizeof(struct rt_count *));
		top[at] = count;
	}
	return used;
}

static void put_categories(struct rt_table *t, const struct rt_summary *s)
{
	const struct rt_count *top[RT_SUMMARY_CATEGORIES];
	size_t used = find_top(&s->categories, top), more = s->categories.used - used;
	uint64_t open = s->open, all = s->total;
	char line[64];

	for (size_t i = 0; i < used; i++) {
		put_count(t, top[i]->open, top[i]->count, top[i]->text, RT_TONE_PLAIN);
		open -= top[i]->open;
		all -= top[i]->count;
	}
	if (!more)
		return;
	(void)snprintf(line, sizeof(line), "%s more", RT_COUNT(more));
	put_count(t, open, all, rt_slice_of(line), RT_TONE_FAINT);
}

/* One table of both, so that their columns are below each other. */
static void put_counts(struct rt_table *t, const struct rt_summary *s)
{
	static const struct rt_table_column columns[] = {
	    {.title = "OPEN", .right = true},
	    {.title = "ALL", .right = true, .leave = 1},
	    {.title = "SEVERITY", .weight = 1, .min = 4, .keep_end = true},
	};

	rt_table_line(t, RT_SLICE(""), RT_TONE_PLAIN);
	rt_table_begin(t, columns, 3);
	put_severities(t, s);
	if (!s->categories.used)
		return;
	for (size_t i = 0; i < 3; i++)
		rt_table_cell(t, RT_SLICE(""), RT_TONE_PLAIN);
	rt_table_cell(t, RT_SLICE("OPEN"), RT_TONE_FAINT);
	rt_table_cell(t, RT_SLICE("ALL"), RT_TONE_FAINT);
	rt_table_cell(t, RT_SLICE("RULE"), RT_TONE_FAINT);
	put_categories(t, s);
}

/* --- The newest issues ------------------------------------------------------------------- */

/* Whether one of them was dismissed. */
static bool has_decided(const struct rt_summary *s)
{
	bool any = false;

	for (size_t i = 0; i < s->recent.count; i++) {
		struct rt_slice flag = s->recent.issues[i]->values[RT_M_FALSE_POSITIVE];

		any = any || (flag.ptr && flag.ptr[0] == 't');
	}
	return any;
}

/* A row of an issue, of which only texts are kept. */
static enum rt_status put_issue(struct rt_issue_rows *rows, const struct rt_issue *issue,
				struct rt_error *err)
{
	struct rt_record record = {.kind = RT_KIND_ISSUE, .id = issue->id};
	struct rt_finding finding;

	for (size_t m = 0; m < RT_ISSUE_MEMBERS; m++) {
		record.values[m] = issue->values[m];
		record.types[m] = issue->values[m].ptr ? rt_type_of(issue->values[m]) : 0;
	}
	finding = rt_finding_of(&record, (struct rt_slice){NULL, 0}, 0);
	if (issue->expired)
		rt_finding_set_status(&finding, RT_STATUS_EXPIRED);
	return rt_issue_rows_put(rows, &finding, err);
}

static enum rt_status put_recent(struct rt_table *t, const struct rt_summary *s, unsigned width,
				 struct rt_error *err)
{
	struct rt_columns columns;
	struct rt_issue_rows rows = {.columns = &columns};
	enum rt_status status = RT_OK;
	bool dated;

	if (!s->recent.count)
		return RT_OK;
	/* Those without a date come last, in the order of their ids. */
	dated = s->recent.issues[0]->dated;
	rt_table_line(t, RT_SLICE(""), RT_TONE_PLAIN);
	rt_table_say(t, RT_TONE_STRONG, "%s %s of %s%s", dated ? "Newest" : "First",
		     RT_COUNT(s->recent.count), RT_COUNT(s->total),
		     dated ? "" : " by id: none has a date");
	rt_issue_columns(&columns, width, (struct rt_issue_differences){.status = has_decided(s)});
	rt_issue_rows_begin(&rows, t, width);
	for (size_t i = 0; status == RT_OK && i < s->recent.count; i++)
		status = put_issue(&rows, s->recent.issues[i], err);
	rt_issue_rows_release(&rows);
	return status;
}

enum rt_status rt_summary_table(const struct rt_summary *summary,
				const struct rt_compared *compared, struct rt_style style,
				const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_table *t = NULL;
	enum rt_status status = rt_table_new(style, &t, err);

	if (status != RT_OK)
		return status;
	put_totals(t, summary);
	rt_compared_put(t, compared);
	put_counts(t, summary);
	status = put_recent(t, summary, style.width, err);
	if (status == RT_OK)
		status = rt_table_send(t, sink, err);
	rt_table_free(t);
	return status;
}
