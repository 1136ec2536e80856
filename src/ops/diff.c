/*
 * What became of the issues of one scan in the next: a document, or a table for people.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "engine/gate.h"
#include "engine/summary.h"
#include "ops/reading.h"
#include "ops/scans.h"
#include "output/answer.h"
#include "output/issue_table.h"

#define GROUP_IDS 1000u /* ids of an ambiguous group that are listed for each side */

/* One call of rt_diff(). */
struct diff {
	uint64_t most; /* rows of the table */
	struct rt_fault fault;
	struct rt_scans scans;
	uint64_t levels[RT_CLASSES][RT_LEVELS]; /* shown issues; pairs once, by the new one */
	uint64_t totals[RT_CLASSES];
	uint64_t ambiguous_old; /* of the old side; totals has those of the new one */
};

/* The side whose issues of a class are listed. */
static enum rt_match_side side_of(enum rt_class class)
{
	return class == RT_CLASS_GONE || class == RT_CLASS_NOT_SCANNED ? RT_MATCH_OLD
								       : RT_MATCH_NEW;
}

static void count(struct diff *d)
{
	for (int side = 0; side < 2; side++) {
		const struct rt_scan_side *scan = &d->scans.side[side];

		for (uint32_t i = 0; i < scan->count; i++) {
			enum rt_class class = scan->issues[i].class;

			if (!rt_scans_shown(&d->scans, (enum rt_match_side)side, i))
				continue;
			if (class == RT_CLASS_AMBIGUOUS && side == RT_MATCH_OLD)
				d->ambiguous_old++;
			if ((int)side_of(class) != side)
				continue;
			d->levels[class][scan->issues[i].level]++;
			d->totals[class]++;
		}
	}
}

/* How many are not unchanged. */
static uint64_t changed(const struct diff *d)
{
	uint64_t all = 0;

	for (enum rt_class class = RT_CLASS_NEW; class < RT_CLASS_UNCHANGED; class ++)
		all += d->totals[class];
	return all;
}

/* --- The document ---------------------------------------------------------------------------- */

static void put_counts(struct diff *d, struct rt_writer *w)
{
	RT_WRITE(w, "counts: {old: %u, new: %u, ambiguous_old: %u, by_class: {",
		 d->scans.side[RT_MATCH_OLD].count, d->scans.side[RT_MATCH_NEW].count,
		 d->ambiguous_old);
	for (enum rt_class class = RT_CLASS_NEW; class < RT_CLASSES; class ++) {
		RT_WRITE(w, "%k: {", rt_class_name(class));
		for (unsigned level = 0; level < RT_LEVELS; level++)
			RT_WRITE(w, "%k: %u", rt_gate_level_name(level), d->levels[class][level]);
		RT_WRITE(w, "total: %u}", d->totals[class]);
	}
	RT_WRITE(w, "}}");
}

/* What differs in a pair; code is named without its text. */
static void put_changes(struct rt_writer *w, enum rt_match_difference difference,
			const struct rt_scan_issue *old, const struct rt_scan_issue *new)
{
	RT_WRITE(w, "changes: [");
	for (enum rt_scan_field field = RT_SCAN_SEVERITY; old && new &&field <= RT_SCAN_TITLE;
	     field++) {
		bool is_json = field == RT_SCAN_LINE || field == RT_SCAN_FALSE_POSITIVE ||
			       field == RT_SCAN_EXPLOITABLE;

		if (rt_scans_differ(old, new, field))
			RT_WRITE(w,
				 is_json ? "{field: %s, old: %v, new: %v}"
					 : "{field: %s, old: %s, new: %s}",
				 rt_scan_field_name(field), old->fields[field], new->fields[field]);
	}
	if (difference != RT_MATCH_SAME)
		RT_WRITE(w, "{field: %s}", rt_match_difference_field(difference));
	RT_WRITE(w, "]");
}

static struct rt_slice id_of(const struct rt_scan_issue *issue)
{
	return issue ? issue->fields[RT_SCAN_ID] : (struct rt_slice){0};
}

/* One issue, or a pair. */
static void put_issue(struct diff *d, struct rt_writer *w, enum rt_match_side side, uint32_t index)
{
	uint32_t partner = d->scans.side[side].issues[index].partner, at[2];
	struct rt_scan_issue issues[2];
	const struct rt_scan_issue *shown[2] = {NULL, NULL};
	enum rt_class class = d->scans.side[side].issues[index].class;
	const char *by = NULL;

	at[side] = index;
	at[!side] = partner;
	for (int s = 0; s < 2; s++) {
		if (at[s] == RT_MATCH_NONE)
			continue;
		issues[s] = rt_scans_issue(&d->scans, (enum rt_match_side)s, at[s]);
		shown[s] = &issues[s];
	}
	if (partner != RT_MATCH_NONE)
		by = rt_match_by_name(rt_match_by(d->scans.match, side, index));
	RT_WRITE(w, "{class: %s, old_id: %s, new_id: %s, by: %s", rt_class_name(class),
		 id_of(shown[RT_MATCH_OLD]), id_of(shown[RT_MATCH_NEW]), by);
	put_changes(w, (enum rt_match_difference)d->scans.side[side].issues[index].difference,
		    shown[RT_MATCH_OLD], shown[RT_MATCH_NEW]);
	RT_WRITE(w, "}");
}

/* The issues that a side is listed for. */
static void put_side(struct diff *d, struct rt_writer *w, enum rt_match_side side)
{
	const struct rt_scan_side *scan = &d->scans.side[side];

	for (uint32_t i = 0; d->fault.status == RT_OK && i < scan->count; i++) {
		if (side_of(scan->issues[i].class) == side && rt_scans_shown(&d->scans, side, i))
			put_issue(d, w, side, i);
	}
}

/* The ids of one side of a group. */
static void put_ids(struct diff *d, struct rt_writer *w, const struct rt_scans_grouped *issues,
		    size_t count)
{
	for (size_t i = 0; d->fault.status == RT_OK && i < count && i < GROUP_IDS; i++)
		RT_WRITE(
		    w, "%s",
		    rt_scans_issue(&d->scans, (enum rt_match_side)issues[i].side, issues[i].index)
			.fields[RT_SCAN_ID]);
}

/* All of the new side in its order, and behind it what the old one alone has; then groups. */
static void put_document(struct diff *d, struct rt_writer *w)
{
	struct rt_scans_group group;
	size_t at = 0;

	RT_WRITE(w, "{");
	put_counts(d, w);
	RT_WRITE(w, "issues: [");
	put_side(d, w, RT_MATCH_NEW);
	put_side(d, w, RT_MATCH_OLD);
	RT_WRITE(w, "], ambiguous: [");
	rt_scans_find_groups(&d->scans, false);
	while (rt_scans_next_group(&d->scans, &at, &group)) {
		RT_WRITE(w, "{by: %s, old: [", rt_match_by_name(group.old->by));
		put_ids(d, w, group.old, group.old_count);
		RT_WRITE(w, "], old_count: %u, new: [", group.old_count);
		put_ids(d, w, group.new, group.new_count);
		RT_WRITE(w, "], new_count: %u}", group.new_count);
	}
	RT_WRITE(w, "]}");
}

/* --- The table ------------------------------------------------------------------------------- */

static const char *const class_words[RT_CLASSES] = {
    "", "new", "changed", "gone", "moved", "ambiguous", "not scanned", "unchanged",
};

/* "12 new, 5 gone, 3 changed, 40 moved, 700 unchanged". */
static void put_head(struct diff *d, struct rt_table *table)
{
	char line[256], number[RT_COUNT_ROOM];
	size_t used = 0;

	for (enum rt_class class = RT_CLASS_NEW; class < RT_CLASSES; class ++) {
		bool always =
		    class == RT_CLASS_NEW || class == RT_CLASS_GONE || class == RT_CLASS_UNCHANGED;

		if (d->totals[class] || always)
			used += (size_t)snprintf(
			    line + used, sizeof(line) - used, "%s%s %s", used ? ", " : "",
			    rt_count_text(d->totals[class], number), class_words[class]);
	}
	rt_table_line(table, rt_slice_make(line, used), RT_TONE_STRONG);
}

static void put_row(struct diff *d, struct rt_table *table, enum rt_class class, uint32_t index)
{
	enum rt_match_side side = side_of(class);
	uint32_t partner = d->scans.side[side].issues[index].partner;
	struct rt_scan_issue issue = rt_scans_issue(&d->scans, side, index), old;
	char change[RT_SCAN_CHANGE] = "", sign[32];

	if (partner != RT_MATCH_NONE) {
		old = rt_scans_issue(&d->scans, RT_MATCH_OLD, partner);
		rt_scans_describe(&d->scans.side[side].issues[index], &old, &issue, change);
	}
	(void)snprintf(sign, sizeof(sign), "%s%s%s", rt_class_sign(class),
		       *rt_class_sign(class) ? " " : "", class_words[class]);
	rt_table_cell(table, rt_slice_of(sign), RT_TONE_STRONG);
	rt_scans_cells(&d->scans, &issue, table);
	rt_table_cell(table, rt_slice_of(change), RT_TONE_FAINT);
}

/* Rows by class, then severity, then input order, up to as many as were asked for. */
static void put_table(struct diff *d, struct rt_table *table)
{
	static const struct rt_table_column columns[] = {{.title = "CHANGE"}, RT_SCANS_COLUMNS};
	uint64_t left = changed(d), rows = 0;

	put_head(d, table);
	if (left)
		rt_table_begin(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (enum rt_class class = RT_CLASS_NEW; class < RT_CLASS_UNCHANGED; class ++) {
		const struct rt_scan_side *scan = &d->scans.side[side_of(class)];

		for (unsigned level = 0; level < RT_LEVELS; level++) {
			for (uint32_t i = 0; d->fault.status == RT_OK && i < scan->count; i++) {
				if (scan->issues[i].class != class ||
				    scan->issues[i].level != level || rows >= d->most ||
				    !rt_scans_shown(&d->scans, side_of(class), i))
					continue;
				put_row(d, table, class, i);
				rows++;
			}
		}
	}
	rt_table_more(table, left - rows);
}

enum rt_status rt_diff(const struct rt_options *old, const struct rt_options *new,
		       const struct rt_diff *ask, struct rt_style style, const struct rt_sink *sink,
		       bool *ret_differ, struct rt_error *err)
{
	struct diff d = {.most = ask->rows, .fault = {RT_OK, err}};
	struct rt_answer answer = {.spool.fd = -1};
	struct rt_fields fields = {.owners = NULL};
	struct rt_filter *filter = NULL;

	rt_scans_init(&d.scans, &d.fault);
	RT_STEP(&d.fault, rt_fields_open(&fields, new, ask->at, err));
	if (RT_STEP(&d.fault, rt_filter_new(ask->terms, ask->term_count, &fields.source, &filter,
					    err)) == RT_OK)
		rt_filter_tell(filter, new);
	rt_scans_read(&d.scans, old, new, filter, ask->at);
	rt_scans_tell(&d.scans, new);
	if (RT_STEP(&d.fault, rt_answer_begin(&answer, style, err)) == RT_OK) {
		count(&d);
		if (answer.table)
			put_table(&d, answer.table);
		else
			put_document(&d, answer.writer);
	}
	if (RT_STEP(&d.fault, rt_answer_send(&answer, sink, err)) == RT_OK)
		*ret_differ = d.ambiguous_old || changed(&d);
	rt_answer_release(&answer);
	rt_scans_release(&d.scans);
	rt_filter_free(filter);
	rt_fields_close(&fields);
	return d.fault.status;
}
