/* Writes verdicts: as a document, and as lines for people. */
#include "output/verdict.h"

#include <stdio.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/mask.h"

static void put_text(struct rt_writer *w, struct rt_slice name, const char *text)
{
	rt_writer_text_field(w, name, rt_slice_make(text, strlen(text)));
}

/* What a condition is, and what it allows. */
static void put_condition_head(struct rt_writer *w, const struct rt_condition *condition)
{
	const char *level = rt_gate_level_name(condition->level);

	switch (condition->kind) {
	case RT_CONDITION_FAIL_ON:
	case RT_CONDITION_FAIL_ON_NEW:
		put_text(w, RT_SLICE("condition"),
			 condition->kind == RT_CONDITION_FAIL_ON ? "fail-on" : "fail-on-new");
		put_text(w, RT_SLICE("level"), level);
		rt_writer_uint_field(w, RT_SLICE("allowed"), condition->allowed);
		break;
	case RT_CONDITION_MAX:
	case RT_CONDITION_MAX_NEW:
		put_text(w, RT_SLICE("condition"),
			 condition->kind == RT_CONDITION_MAX ? "max" : "max-new");
		put_text(w, RT_SLICE("name"), level);
		rt_writer_uint_field(w, RT_SLICE("allowed"), condition->allowed);
		break;
	case RT_CONDITION_AT_LEAST:
		put_text(w, RT_SLICE("condition"), "at-least");
		rt_writer_uint_field(w, RT_SLICE("wanted"), condition->allowed);
		break;
	case RT_CONDITION_TOOL:
		put_text(w, RT_SLICE("condition"), "expect-tool");
		put_text(w, RT_SLICE("tool"), condition->tool);
		rt_writer_uint_field(w, RT_SLICE("wanted"), 1);
		break;
	case RT_CONDITION_SELECTED:
		put_text(w, RT_SLICE("condition"), "selected");
		rt_writer_uint_field(w, RT_SLICE("wanted"), 1);
		break;
	case RT_CONDITION_SCANS:
		put_text(w, RT_SLICE("condition"), "failed-runs");
		put_text(w, RT_SLICE("tool"), condition->tool);
		rt_writer_uint_field(w, RT_SLICE("allowed"), 0);
		break;
	}
}

static void put_condition(struct rt_writer *w, const struct rt_condition *condition)
{
	rt_writer_object_begin(w);
	put_condition_head(w, condition);
	rt_writer_uint_field(w, RT_SLICE("found"), condition->found);
	rt_writer_key(w, RT_SLICE("pass"));
	rt_writer_bool(w, condition->pass);
	rt_writer_array_field(w, RT_SLICE("issues"));
	for (size_t i = 0; i < condition->place_count; i++)
		rt_writer_string(w, condition->places[i].id);
	rt_writer_array_end(w);
	rt_writer_object_end(w);
}

static void put_group(struct rt_writer *w, const struct rt_compared_group *group)
{
	rt_writer_object_begin(w);
	put_text(w, RT_SLICE("by"), group->by);
	rt_writer_uint_field(w, RT_SLICE("old_count"), group->old);
	rt_writer_uint_field(w, RT_SLICE("new_count"), group->issues);
	rt_writer_array_field(w, RT_SLICE("issues"));
	for (size_t i = 0; i < group->id_count; i++)
		rt_writer_string(w, group->ids[i]);
	rt_writer_array_end(w);
	rt_writer_object_end(w);
}

/* What was compared, and what came out. */
static void put_compared(struct rt_writer *w, const struct rt_compared *said)
{
	rt_writer_object_begin(w);
	rt_writer_uint_field(w, RT_SLICE("old"), said->old);
	rt_writer_uint_field(w, RT_SLICE("new"), said->issues);
	rt_writer_object_field(w, RT_SLICE("by_class"));
	for (enum rt_class class = RT_CLASS_NEW; class < RT_CLASSES; class ++) {
		const char *name = rt_class_name(class);

		rt_writer_uint_field(w, rt_slice_make(name, strlen(name)), said->classes[class]);
	}
	rt_writer_object_end(w);
	rt_writer_uint_field(w, RT_SLICE("counted_as_new"), said->fresh);
	rt_writer_uint_field(w, RT_SLICE("ids_reused"), said->ids_reused);
	rt_writer_uint_field(w, RT_SLICE("ambiguous_groups"), said->groups);
	rt_writer_array_field(w, RT_SLICE("ambiguous"));
	for (size_t i = 0; i < said->groups && i < RT_COMPARED_GROUPS; i++)
		put_group(w, &said->named[i]);
	rt_writer_array_end(w);
	rt_writer_object_end(w);
}

void rt_verdict_write(struct rt_writer *w, const struct rt_verdict *verdict)
{
	rt_writer_object_begin(w);
	put_text(w, RT_SLICE("verdict"), verdict->pass ? "pass" : "fail");
	rt_writer_array_field(w, RT_SLICE("conditions"));
	for (size_t i = 0; i < verdict->count; i++)
		put_condition(w, &verdict->conditions[i]);
	rt_writer_array_end(w);
	rt_writer_uint_field(w, RT_SLICE("open"), verdict->open);
	rt_writer_uint_field(w, RT_SLICE("false_positives"), verdict->false_positives);
	rt_writer_uint_field(w, RT_SLICE("expired"), verdict->expired);
	rt_writer_uint_field(w, RT_SLICE("unknown_severity"), verdict->unknown_severity);
	rt_writer_uint_field(w, RT_SLICE("unknown_severity_selected"), verdict->unknown.severity);
	rt_writer_uint_field(w, RT_SLICE("unknown_age_selected"), verdict->unknown.age);
	rt_writer_key(w, RT_SLICE("baseline"));
	if (verdict->compared)
		put_compared(w, verdict->compared);
	else
		rt_writer_null(w);
	rt_writer_object_end(w);
}

/* --- Lines ------------------------------------------------------------------------------- */

/* What a verdict is passed on to, line by line. */
struct lines {
	void (*put)(void *ctx, struct rt_slice line);
	void *ctx;
	struct rt_buf line;
};

static void put_line(struct lines *l)
{
	l->put(l->ctx, rt_buf_slice(&l->line));
	l->line.len = 0;
}

static enum rt_status add(struct lines *l, const char *text, struct rt_error *err)
{
	return rt_buf_append(&l->line, text, strlen(text), err);
}

static enum rt_status put_findings(struct lines *l, const struct rt_condition *condition,
				   struct rt_error *err)
{
	char count[RT_COUNT_ROOM], text[RT_COUNT_ROOM + 16];
	uint64_t more = condition->found - condition->place_count;
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < condition->place_count; i++) {
		status = add(l, "  ", err);
		if (status == RT_OK)
			status = rt_gate_place_line(&condition->places[i], &l->line, err);
		if (status == RT_OK)
			put_line(l);
	}
	if (status != RT_OK || !condition->place_count || !more)
		return status;
	(void)snprintf(text, sizeof(text), "  %s more", rt_count_text(more, count));
	status = add(l, text, err);
	if (status == RT_OK)
		put_line(l);
	return status;
}

/* What ranges of the filter have let through. */
static enum rt_status put_unknown(struct lines *l, const struct rt_verdict *verdict,
				  struct rt_error *err)
{
	const struct {
		uint64_t count;
		const char *what, *where;
	} rows[] = {
	    {verdict->unknown.severity, "of unknown severity", "in every range of severity"},
	    {verdict->unknown.age, "of unknown age", "in every range of age"},
	    {verdict->unknown.class, "without a baselineState", "in every class"},
	};
	char count[RT_COUNT_ROOM], text[160];
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].count)
			continue;
		(void)snprintf(text, sizeof(text), "%s issue%s %s %s %s",
			       rt_count_text(rows[i].count, count), RT_S(rows[i].count),
			       rows[i].what, rows[i].count == 1 ? "is" : "are", rows[i].where);
		status = add(l, text, err);
		if (status == RT_OK)
			put_line(l);
	}
	return status;
}

static enum rt_status put_sum(struct lines *l, const struct rt_verdict *verdict,
			      struct rt_error *err)
{
	char expired[RT_EXPIRED_ROOM], open[RT_COUNT_ROOM], dismissed[RT_COUNT_ROOM], text[256];
	enum rt_status status;

	rt_expired_text(verdict->expired, verdict->open, expired);
	(void)snprintf(text, sizeof(text), "%s: %s open%s%s%s, %s dismissed",
		       verdict->pass ? "pass" : "fail", rt_count_text(verdict->open, open),
		       *expired ? " (" : "", expired, *expired ? ")" : "",
		       rt_count_text(verdict->false_positives, dismissed));
	status = add(l, text, err);
	if (status == RT_OK)
		put_line(l);
	return status;
}

/* "since the baseline: 3 new, 5 gone, 40 carried over" */
static enum rt_status put_since(struct lines *l, const struct rt_verdict *verdict,
				struct rt_error *err)
{
	char text[RT_COMPARED_ROOM];
	enum rt_status status;

	if (!verdict->compared)
		return RT_OK;
	status = add(l, "since the baseline: ", err);
	if (status == RT_OK)
		status = add(l, rt_compared_text(verdict->compared, text), err);
	if (status == RT_OK)
		put_line(l);
	return status;
}

enum rt_status rt_verdict_lines(const struct rt_verdict *verdict,
				void (*put)(void *ctx, struct rt_slice line), void *ctx,
				struct rt_error *err)
{
	struct lines l = {put, ctx, {0}};
	enum rt_status status = RT_OK;
	char text[192];

	for (size_t i = 0; status == RT_OK && i < verdict->count; i++) {
		const struct rt_condition *condition = &verdict->conditions[i];

		rt_condition_text(condition, text, sizeof(text));
		status = add(&l, condition->pass ? "PASS  " : "FAIL  ", err);
		if (status == RT_OK)
			status = rt_mask(rt_slice_make(text, strlen(text)), RT_MASK_LINES_BLANK,
					 &l.line, err);
		if (status == RT_OK)
			put_line(&l);
		if (status == RT_OK)
			status = put_findings(&l, condition, err);
	}
	if (status == RT_OK)
		status = put_since(&l, verdict, err);
	if (status == RT_OK)
		status = put_unknown(&l, verdict, err);
	if (status == RT_OK)
		status = put_sum(&l, verdict, err);
	rt_buf_release(&l.line);
	return status;
}
