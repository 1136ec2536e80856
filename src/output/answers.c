/*
 * Writes the contract's documents from checked records and counts. The writer keeps the first
 * error.
 */
#include "output/answers.h"

static void write_value(struct rt_writer *w, enum rt_member m, struct rt_slice value)
{
	bool is_null = !value.ptr || value.ptr[0] == 'n';

	rt_writer_key(w, rt_member_name(m));
	if (!is_null)
		rt_writer_value(w, value);
	else
		rt_writer_value(w, m == RT_M_FALSE_POSITIVE ? RT_SLICE("false") : RT_SLICE("null"));
}

void rt_answer_issue(struct rt_writer *w, const struct rt_slice *values)
{
	size_t count;
	const struct rt_member_rule *rules = rt_member_rules(RT_KIND_ISSUE, &count);

	RT_WRITE(w, "{");
	for (size_t i = 0; i < count; i++)
		write_value(w, rules[i].member, values[rules[i].member]);
	RT_WRITE(w, "}");
}

void rt_answer_ruleset(struct rt_writer *w, const struct rt_record *ruleset)
{
	size_t count;
	const struct rt_member_rule *rules = rt_member_rules(RT_KIND_RULESET, &count);

	RT_WRITE(w, "{");
	for (size_t i = 0; i < count; i++) {
		enum rt_member m = rules[i].member;

		write_value(w, m, ruleset->types[m] ? ruleset->values[m] : (struct rt_slice){0});
	}
	RT_WRITE(w, "}");
}

static void write_counts(struct rt_writer *w, const struct rt_counts *counts)
{
	for (size_t i = 0; i < counts->used; i++) {
		if (counts->slots[i].count)
			RT_WRITE(w, "%k: %u", counts->slots[i].text, counts->slots[i].count);
	}
}

void rt_answer_summary(struct rt_writer *w, const struct rt_summary *summary)
{
	RT_WRITE(w, "{total_issues: %u, issues_by_severity: {", summary->total);
	for (size_t level = 0; level < RT_SEVERITY_LEVELS; level++)
		RT_WRITE(w, "%k: %u", rt_severity_level(level), summary->levels[level]);
	write_counts(w, &summary->severities);
	RT_WRITE(w, "}, issues_by_category: {");
	write_counts(w, &summary->categories);
	RT_WRITE(w, "}, false_positive_count: %u, recent_issues: [", summary->false_positives);
	for (size_t i = 0; i < summary->recent.count; i++)
		rt_answer_issue(w, summary->recent.issues[i]->values);
	RT_WRITE(w, "]}");
}
