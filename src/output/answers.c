/*
 * Writes the contract's documents from checked records and counts, and problem documents. The
 * writer keeps the first error.
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

/* --- Problem documents -------------------------------------------------------------------- */

static void put_fault(struct rt_writer *w, const struct rt_error *fault)
{
	struct rt_error message = *fault;
	char line[RT_ERROR_LINE_MAX];

	message.path[0] = message.member[0] = message.field[0] = '\0';
	message.line = 0;
	RT_WRITE(w, "{pointer: %s, detail: %s}", fault->field,
		 rt_error_format(&message, line, sizeof(line)));
}

enum rt_status rt_problem_write(unsigned status, const char *title, const char *detail,
				const struct rt_error *fault, struct rt_request_walk *walk,
				struct rt_buf *out, struct rt_error *err)
{
	const struct rt_sink sink = rt_buf_sink(out);
	struct rt_writer *w = NULL;
	enum rt_status done =
	    rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON}, &sink, &w, err);

	if (done != RT_OK)
		return done;
	RT_WRITE(w, "{type: %s, title: %s, status: %u, detail: %s", "about:blank", title, status,
		 detail);
	if (status == 422) {
		RT_WRITE(w, "errors: [");
		put_fault(w, fault);
		for (unsigned i = 1; walk && i < RT_HTTP_FAULTS_LISTED_MAX &&
				     rt_request_walk_next(walk, err) == RT_REJECT;
		     i++)
			put_fault(w, err);
		RT_WRITE(w, "]");
	}
	RT_WRITE(w, "}");
	done = rt_writer_finish(w, err);
	rt_writer_free(w);
	return done;
}
