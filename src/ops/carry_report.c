/*
 * The report of `carry`: every decision about the old scan, in the list of what became of it.
 */
#include <stdio.h>

#include "base/decimal.h"
#include "engine/summary.h"
#include "ops/carry.h"

#define GROUP_IDS 1000u /* ids of an ambiguous group that are listed for each side */

static const char *const outcome_names[RT_CARRY_OUTCOMES] = {
    "expired", "gone", "ambiguous", "changed", "conflict", "held", "already", "carried",
};

/* --- The report ---------------------------------------------------------------------------- */

static void put_counts(const struct rt_carrying *c, struct rt_writer *w)
{
	uint64_t all = 0, parts = 0;

	for (int i = 0; i < RT_CARRY_OUTCOMES; i++) {
		all += c->counts[i];
		parts += i == RT_CARRY_CARRIED ? 0 : c->parts[i];
	}
	RT_WRITE(w, "counts: {old: %u, new: %u, decisions: %u", c->scans.side[RT_MATCH_OLD].count,
		 c->scans.side[RT_MATCH_NEW].count, all);
	for (int i = RT_CARRY_OUTCOMES; i-- > 0;)
		RT_WRITE(w, "%k: %u", rt_slice_of(outcome_names[i]), c->counts[i]);
	RT_WRITE(w, "in_part: %u, carried_by: {", parts);
	for (unsigned by = 0; by < RT_CARRY_LEVELS; by++)
		RT_WRITE(w, "%k: %u", rt_slice_of(rt_carry_level(by)), c->levels[by]);
	RT_WRITE(w, "}}");
}

/* What was decided, or as much of it as is chosen; notes by their number. */
static void put_decision(struct rt_writer *w, const int *values, const bool *chosen, uint32_t notes)
{
	RT_WRITE(w, "{");
	for (int f = 0; f < RT_DECIDED_FIELDS; f++) {
		if (values[f] < 0 || (chosen && !chosen[f]))
			continue;
		rt_writer_key(w, rt_scan_field_name(rt_carry_fields[f]));
		if (f == RT_DECIDED_SEVERITY)
			RT_WRITE(w, "%s", rt_severity_level((size_t)values[f]));
		else
			RT_WRITE(w, "%b", values[f] == 1);
	}
	if (notes)
		RT_WRITE(w, "notes: %u", notes);
	RT_WRITE(w, "}");
}

/* What stays as the new scan has it, held or in conflict. */
static void put_kept(struct rt_writer *w, const struct rt_weighed *weighed)
{
	RT_WRITE(w, "kept: {");
	for (int f = 0; f < RT_DECIDED_FIELDS; f++) {
		if (!weighed->kept[f])
			continue;
		rt_writer_key(w, rt_scan_field_name(rt_carry_fields[f]));
		RT_WRITE(w, f == RT_DECIDED_SEVERITY ? "%s" : "%v",
			 weighed->now.fields[rt_carry_fields[f]]);
	}
	if (weighed->kept_notes)
		RT_WRITE(w, "notes: %u", weighed->kept_notes);
	RT_WRITE(w, "}");
}

/* Whether what a pair was made by says that its code agrees. */
static bool code_agrees(unsigned by)
{
	return by == RT_MATCH_ACROSS ||
	       (by < RT_MATCH_ACROSS && by % RT_MATCH_IN_FILE <= RT_MATCH_CODE);
}

/* The fields in which two issues agree, and those in which they differ. other: of their code. */
static void put_fields(struct rt_writer *w, const struct rt_scan_issue *old,
		       const struct rt_scan_issue *new, bool same_code,
		       enum rt_match_difference other)
{
	static const enum rt_scan_field fields[] = {RT_SCAN_CATEGORY, RT_SCAN_PATH, RT_SCAN_LINE,
						    RT_SCAN_TITLE};

	for (int differ = 0; differ < 2; differ++) {
		RT_WRITE(w, differ ? "differ: [" : "agree: [");
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			if ((old->fields[fields[i]].ptr || new->fields[fields[i]].ptr) &&
			    rt_scans_differ(old, new, fields[i]) == differ)
				rt_writer_string(w, rt_scan_field_name(fields[i]));
		}
		if (!differ && same_code)
			RT_WRITE(w, "%s", "code_snippet");
		if (differ && other != RT_MATCH_SAME)
			RT_WRITE(w, "%s", rt_match_difference_field(other));
		RT_WRITE(w, "]");
	}
}

static enum rt_match_difference difference_of(const struct rt_carrying *c, uint32_t old)
{
	return (enum rt_match_difference)c->scans.side[RT_MATCH_OLD].issues[old].difference;
}

/* Whether a decision was held against an issue of the new scan. */
static bool is_settled(const struct rt_decided_issue *issue)
{
	return issue->outcome >= RT_CARRY_CONFLICT ||
	       (issue->outcome == RT_CARRY_EXPIRED && issue->new != RT_MATCH_NONE);
}

/* One decision and what became of it. */
static void put_entry(struct rt_carrying *c, struct rt_writer *w,
		      const struct rt_decided_issue *issue)
{
	bool has_new = issue->new != RT_MATCH_NONE, settled = is_settled(issue);
	bool has_by = has_new || issue->by == RT_CARRY_UNANIMOUS;
	struct rt_weighed weighed = {.outcome = RT_CARRY_OUTCOMES};
	struct rt_scan_issue old;

	if (settled)
		weighed = rt_carry_weigh(c, issue);
	else
		weighed.old = rt_carry_decision(c, issue);
	old = rt_scans_issue(&c->scans, RT_MATCH_OLD, issue->index);
	if (has_new)
		weighed.now = rt_scans_issue(&c->scans, RT_MATCH_NEW, issue->new);
	RT_WRITE(w, "{old_id: %s, new_id: %s, by: %s, decision:", old.fields[RT_SCAN_ID],
		 weighed.now.fields[RT_SCAN_ID], has_by ? rt_carry_level(issue->by) : NULL);
	put_decision(w, weighed.old.values, NULL, weighed.old.notes);
	if (settled) {
		RT_WRITE(w, "carried:");
		put_decision(w, weighed.old.values, weighed.carried, weighed.notes);
		put_kept(w, &weighed);
		RT_WRITE(w, "why: %s", weighed.why);
	}
	if (has_new)
		put_fields(w, &old, &weighed.now, code_agrees(issue->by),
			   difference_of(c, issue->index));
	if (issue->outcome == RT_CARRY_GONE)
		RT_WRITE(w, "scanned: %b", rt_match_scanned(c->scans.match, issue->index));
	RT_WRITE(w, "}");
}

/* A group that has a decision which was not carried, with what was decided about the old ones. */
static void put_group(struct rt_carrying *c, struct rt_writer *w,
		      const struct rt_scans_group *group)
{
	struct rt_scan_issue old, new;

	RT_WRITE(w, "{by: %s, old: [", rt_carry_level(group->old->by));
	for (size_t i = 0; i < group->old_count && i < GROUP_IDS; i++) {
		const struct rt_decided_issue *issue =
		    rt_decided_find(&c->decided[RT_MATCH_OLD], group->old[i].index);

		old = rt_scans_issue(&c->scans, RT_MATCH_OLD, group->old[i].index);
		RT_WRITE(w, "{id: %s, decision:", old.fields[RT_SCAN_ID]);
		if (issue) {
			struct rt_decision_now decision = rt_carry_decision(c, issue);

			put_decision(w, decision.values, NULL, decision.notes);
		} else {
			RT_WRITE(w, "null");
		}
		RT_WRITE(w, "}");
	}
	RT_WRITE(w, "], old_count: %u, new: [", group->old_count);
	for (size_t i = 0; i < group->new_count && i < GROUP_IDS; i++) {
		new = rt_scans_issue(&c->scans, RT_MATCH_NEW, group->new[i].index);
		RT_WRITE(w, "%s", new.fields[RT_SCAN_ID]);
	}
	RT_WRITE(w, "], new_count: %u", group->new_count);
	old = rt_scans_issue(&c->scans, RT_MATCH_OLD, group->old->index);
	new = rt_scans_issue(&c->scans, RT_MATCH_NEW, group->new->index);
	put_fields(w, &old, &new, code_agrees(group->old->by), RT_MATCH_SAME);
	RT_WRITE(w, "}");
}

static void put_groups(struct rt_carrying *c, struct rt_writer *w)
{
	struct rt_scans_group group;
	size_t at = 0;

	while (rt_scans_next_group(&c->scans, &at, &group)) {
		bool shown = false;

		for (size_t i = 0; i < group.old_count; i++) {
			const struct rt_decided_issue *issue =
			    rt_decided_find(&c->decided[RT_MATCH_OLD], group.old[i].index);

			shown |= issue && issue->outcome == RT_CARRY_AMBIGUOUS;
		}
		if (shown)
			put_group(c, w, &group);
	}
}

void rt_carry_report(struct rt_carrying *c, struct rt_writer *w)
{
	size_t decisions = rt_decided_count(&c->decided[RT_MATCH_OLD]);

	RT_WRITE(w, "{");
	put_counts(c, w);
	for (unsigned outcome = RT_CARRY_OUTCOMES; outcome-- > 0;) {
		bool grouped = outcome == RT_CARRY_AMBIGUOUS;

		RT_WRITE(w, "%k: [", outcome_names[outcome]);
		if (grouped)
			put_groups(c, w);
		for (size_t n = 0; c->fault.status == RT_OK && !grouped && n < decisions; n++) {
			const struct rt_decided_issue *issue =
			    rt_decided_issue(&c->decided[RT_MATCH_OLD], n);

			if (issue->outcome == outcome)
				put_entry(c, w, issue);
		}
		RT_WRITE(w, "]");
	}
	RT_WRITE(w, "}");
}

/* --- The table ------------------------------------------------------------------------------ */

/* What is left to a person is first, and what needs nobody last. */
static const struct {
	uint8_t outcome;
	const char *how;
} table_order[RT_CARRY_OUTCOMES] = {
    {RT_CARRY_CONFLICT, NULL}, {RT_CARRY_HELD, NULL},
    {RT_CARRY_CHANGED, NULL},  {RT_CARRY_AMBIGUOUS, "several are equal"},
    {RT_CARRY_EXPIRED, NULL},  {RT_CARRY_GONE, "not in the new scan"},
    {RT_CARRY_CARRIED, NULL},  {RT_CARRY_ALREADY, "decided there, too"},
};

/* The decision about an old issue, as the new scan has that; where it is gone, as the old one. */
static void put_row(struct rt_carrying *c, struct rt_table *table,
		    const struct rt_decided_issue *issue, const char *how)
{
	bool has_new = issue->new != RT_MATCH_NONE;
	struct rt_scan_issue shown;
	char text[100];

	if (issue->outcome == RT_CARRY_EXPIRED)
		how = "the dismissal has ended";
	if (issue->outcome == RT_CARRY_CHANGED)
		how = rt_scans_difference(difference_of(c, issue->index));
	if (is_settled(issue) && issue->outcome < RT_CARRY_ALREADY) {
		how = rt_carry_weigh(c, issue).why;
		(void)snprintf(text, sizeof(text), "%s%s", how,
			       c->wishes.len ? "; the rest is carried" : "");
		how = text;
	}
	shown = rt_scans_issue(&c->scans, has_new ? RT_MATCH_NEW : RT_MATCH_OLD,
			       has_new ? issue->new : issue->index);
	rt_table_cell(table, rt_slice_of(outcome_names[issue->outcome]), RT_TONE_STRONG);
	rt_scans_cells(&c->scans, &shown, table);
	rt_table_cell(table, rt_slice_of(how ? how : rt_carry_level(issue->by)), RT_TONE_FAINT);
}

void rt_carry_table(struct rt_carrying *c, struct rt_table *table)
{
	static const struct rt_table_column columns[] = {{.title = "DECISION"}, RT_SCANS_COLUMNS};
	size_t decisions = rt_decided_count(&c->decided[RT_MATCH_OLD]), rows = 0;

	if (decisions && c->ask->rows)
		rt_table_begin(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; c->fault.status == RT_OK && i < RT_CARRY_OUTCOMES; i++) {
		for (size_t n = 0; n < decisions && rows < c->ask->rows; n++) {
			const struct rt_decided_issue *issue =
			    rt_decided_issue(&c->decided[RT_MATCH_OLD], n);

			if (issue->outcome != table_order[i].outcome)
				continue;
			put_row(c, table, issue, table_order[i].how);
			rows++;
		}
	}
	rt_table_more(table, decisions - rows);
}

/* "341 decisions: 312 carried (context 300, unanimous 12), 29 held (2 carried in part); 5 requests"
 */
void rt_carry_summary(const struct rt_carrying *c)
{
	char text[900], number[RT_COUNT_ROOM];
	uint64_t all = 0;
	size_t used;
	const char *separator = " (";

	if (!c->old->journal && !c->rated)
		rt_notice(c->new, "without --old-journal no severity is carried: "
				  "the export does not say who changed it");
	for (int i = 0; i < RT_CARRY_OUTCOMES; i++)
		all += c->counts[i];
	used = (size_t)snprintf(text, sizeof(text), "%s decision%s: ", rt_count_text(all, number),
				RT_S(all));
	used += (size_t)snprintf(text + used, sizeof(text) - used, "%s carried",
				 rt_count_text(c->counts[RT_CARRY_CARRIED], number));
	for (unsigned by = 0; by < RT_CARRY_LEVELS; by++) {
		if (!c->levels[by])
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s", separator,
					 rt_carry_level(by), rt_count_text(c->levels[by], number));
		separator = ", ";
	}
	if (c->counts[RT_CARRY_CARRIED])
		used += (size_t)snprintf(text + used, sizeof(text) - used, ")");
	for (int i = RT_CARRY_CARRIED; i-- > 0;) {
		if (c->counts[i])
			used +=
			    (size_t)snprintf(text + used, sizeof(text) - used, ", %s %s",
					     rt_count_text(c->counts[i], number), outcome_names[i]);
		if (i != RT_CARRY_ALREADY && c->parts[i])
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 " (%s carried in part)",
						 rt_count_text(c->parts[i], number));
	}
	if (c->ask->requests || c->ask->apply)
		(void)snprintf(text + used, sizeof(text) - used, "; %s request%s",
			       rt_count_text(c->requests, number), RT_S(c->requests));
	rt_notice(c->new, "%s", text);
}
