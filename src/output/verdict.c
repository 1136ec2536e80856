/* Writes verdicts: as a document, and as lines for people. */
#include "output/verdict.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/mask.h"

/* What a condition is called in the document, what it is about, and its number. */
static const struct {
	const char *name, *about, *number;
} forms[] = {
    [RT_CONDITION_FAIL_ON] = {"fail-on", "level", "allowed"},
    [RT_CONDITION_FAIL_ON_NEW] = {"fail-on-new", "level", "allowed"},
    [RT_CONDITION_MAX] = {"max", "name", "allowed"},
    [RT_CONDITION_MAX_NEW] = {"max-new", "name", "allowed"},
    [RT_CONDITION_AT_LEAST] = {"at-least", NULL, "wanted"},
    [RT_CONDITION_TOOL] = {"expect-tool", "tool", "wanted"},
    [RT_CONDITION_SELECTED] = {"selected", NULL, "wanted"},
    [RT_CONDITION_SCANS] = {"failed-runs", "tool", "allowed"},
};

static void put_condition(struct rt_writer *w, const struct rt_condition *condition)
{
	enum rt_condition_kind kind = condition->kind;
	const char *about = forms[kind].about;

	RT_WRITE(w, "{condition: %s", forms[kind].name);
	if (about)
		RT_WRITE(w, "%k: %s", rt_slice_of(about),
			 rt_slice_of(strcmp(about, "tool") == 0
					 ? condition->tool
					 : rt_gate_level_name(condition->level)));
	RT_WRITE(w, "%k: %u", forms[kind].number,
		 kind == RT_CONDITION_SELECTED ? 1 : condition->allowed);
	RT_WRITE(w, "found: %u,", condition->found);
	if (kind == RT_CONDITION_FAIL_ON_NEW || kind == RT_CONDITION_MAX_NEW)
		RT_WRITE(w, "new: %u, risen: %u, changed: %u,",
			 condition->found - condition->risen - condition->changed, condition->risen,
			 condition->changed);
	RT_WRITE(w, "pass: %b, issues: [", condition->pass);
	for (size_t i = 0; i < condition->place_count; i++)
		rt_writer_string(w, condition->places[i].id);
	RT_WRITE(w, "]}");
}

static void put_group(struct rt_writer *w, const struct rt_compared_group *group)
{
	RT_WRITE(w, "{by: %s, old_count: %u, new_count: %u, issues: [", group->by, group->old,
		 group->issues);
	for (size_t i = 0; i < group->id_count; i++)
		rt_writer_string(w, group->ids[i]);
	RT_WRITE(w, "]}");
}

/* What was compared, and what came out. */
static void put_compared(struct rt_writer *w, const struct rt_compared *said)
{
	RT_WRITE(w, "{old: %u, new: %u, by_class: {", said->old, said->issues);
	for (enum rt_class class = RT_CLASS_NEW; class < RT_CLASSES; class ++)
		RT_WRITE(w, "%k: %u", rt_class_name(class), said->classes[class]);
	RT_WRITE(w, "}, counted_as_new: %u, ids_reused: %u, ambiguous_groups: %u, ambiguous: [",
		 said->fresh, said->ids_reused, said->groups);
	for (size_t i = 0; i < said->groups && i < RT_COMPARED_GROUPS; i++)
		put_group(w, &said->named[i]);
	RT_WRITE(w, "]}");
}

void rt_verdict_write(struct rt_writer *w, const struct rt_verdict *verdict)
{
	RT_WRITE(w, "{verdict: %s, conditions: [", verdict->pass ? "pass" : "fail");
	for (size_t i = 0; i < verdict->count; i++)
		put_condition(w, &verdict->conditions[i]);
	RT_WRITE(w, "], open: %u, false_positives: %u, expired: %u, unknown_severity: %u,",
		 verdict->open, verdict->false_positives, verdict->expired,
		 verdict->unknown_severity);
	RT_WRITE(w, "unknown_severity_selected: %u, unknown_age_selected: %u, baseline:",
		 verdict->unknown.severity, verdict->unknown.age);
	if (verdict->compared)
		put_compared(w, verdict->compared);
	else
		RT_WRITE(w, "null");
	RT_WRITE(w, "}");
}

/* --- Lines ------------------------------------------------------------------------------- */

/* What a verdict is passed on to, line by line. */
struct lines {
	void (*put)(void *ctx, struct rt_slice line);
	void *ctx;
};

/* A line of our own words. */
static void say(const struct lines *l, const char *format, ...) RT_PRINTF(2, 3);

static void say(const struct lines *l, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	l->put(l->ctx, rt_slice_of(line));
}

/* Pass a line on, and begin the next one. */
static void put_line(const struct lines *l, struct rt_put *line)
{
	if (line->status == RT_OK)
		l->put(l->ctx, rt_buf_slice(line->out));
	line->out->len = 0;
}

/* A condition, which may name a tool of the input, and the worst findings that break it. */
static void put_lines_of(const struct lines *l, const struct rt_condition *condition,
			 struct rt_put *line)
{
	uint64_t more = condition->found - condition->place_count;
	char text[192];

	rt_condition_text(condition, text, sizeof(text));
	rt_put(line, condition->pass ? RT_SLICE("PASS  ") : RT_SLICE("FAIL  "));
	RT_STEP(line, rt_mask(rt_slice_of(text), RT_MASK_LINES_BLANK, line->out, line->err));
	put_line(l, line);
	for (size_t i = 0; i < condition->place_count; i++) {
		RT_PUT(line, "  ");
		RT_STEP(line, rt_gate_place_line(&condition->places[i], line->out, line->err));
		put_line(l, line);
	}
	if (line->status == RT_OK && condition->place_count && more)
		say(l, "  %s more", RT_COUNT(more));
}

/* What ranges of the filter have let through. */
static void put_unknown(const struct lines *l, const struct rt_verdict *verdict)
{
	const struct {
		uint64_t count;
		const char *what, *where;
	} rows[] = {
	    {verdict->unknown.severity, "of unknown severity", "in every range of severity"},
	    {verdict->unknown.age, "of unknown age", "in every range of age"},
	    {verdict->unknown.class, "without a baselineState", "in every class"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].count)
			say(l, "%s issue%s %s %s %s", RT_COUNT(rows[i].count), RT_S(rows[i].count),
			    rows[i].what, rows[i].count == 1 ? "is" : "are", rows[i].where);
	}
}

enum rt_status rt_verdict_lines(const struct rt_verdict *verdict,
				void (*put)(void *ctx, struct rt_slice line), void *ctx,
				struct rt_error *err)
{
	const struct lines l = {put, ctx};
	char expired[RT_EXPIRED_ROOM], text[RT_COMPARED_ROOM];
	struct rt_buf room = {0};
	struct rt_put line = {&room, err, RT_OK};

	for (size_t i = 0; i < verdict->count; i++)
		put_lines_of(&l, &verdict->conditions[i], &line);
	rt_buf_release(&room);
	if (line.status != RT_OK)
		return line.status;
	if (verdict->compared)
		say(&l, "since the baseline: %s", rt_compared_text(verdict->compared, text));
	put_unknown(&l, verdict);
	rt_expired_text(verdict->expired, verdict->open, expired);
	say(&l, "%s: %s open%s%s%s, %s dismissed", verdict->pass ? "pass" : "fail",
	    RT_COUNT(verdict->open), *expired ? " (" : "", expired, *expired ? ")" : "",
	    RT_COUNT(verdict->false_positives));
	return RT_OK;
}
