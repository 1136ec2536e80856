/*
 * Writes verdicts. Input: a judged gate. Output: writer events, or a line.
 */
#include "output/verdict.h"

#include <stdio.h>

#include "base/decimal.h"

static void put_text(struct rt_writer *w, struct rt_slice name, const char *text)
{
	rt_writer_key(w, name);
	rt_writer_string(w, rt_slice_make(text, strlen(text)));
}

static void put_count(struct rt_writer *w, struct rt_slice name, uint64_t count)
{
	rt_writer_key(w, name);
	rt_writer_uint(w, count);
}

/* What a condition is, and what it allows. */
static void put_condition_head(struct rt_writer *w, const struct rt_condition *condition)
{
	const char *level = rt_gate_level_name(condition->level);

	switch (condition->kind) {
	case RT_CONDITION_FAIL_ON:
		put_text(w, RT_SLICE("condition"), "fail-on");
		put_text(w, RT_SLICE("level"), level);
		put_count(w, RT_SLICE("allowed"), condition->allowed);
		break;
	case RT_CONDITION_MAX:
		put_text(w, RT_SLICE("condition"), "max");
		put_text(w, RT_SLICE("name"), level);
		put_count(w, RT_SLICE("allowed"), condition->allowed);
		break;
	case RT_CONDITION_AT_LEAST:
		put_text(w, RT_SLICE("condition"), "at-least");
		put_count(w, RT_SLICE("wanted"), condition->allowed);
		break;
	}
}

static void put_condition(struct rt_writer *w, const struct rt_condition *condition)
{
	rt_writer_object_begin(w);
	put_condition_head(w, condition);
	put_count(w, RT_SLICE("found"), condition->found);
	rt_writer_key(w, RT_SLICE("pass"));
	rt_writer_bool(w, condition->pass);
	rt_writer_key(w, RT_SLICE("issues"));
	rt_writer_array_begin(w);
	for (size_t i = 0; i < condition->place_count; i++)
		rt_writer_string(w, condition->places[i].id);
	rt_writer_array_end(w);
	rt_writer_object_end(w);
}

void rt_verdict_write(struct rt_writer *w, const struct rt_verdict *verdict)
{
	rt_writer_object_begin(w);
	put_text(w, RT_SLICE("verdict"), verdict->pass ? "pass" : "fail");
	rt_writer_key(w, RT_SLICE("conditions"));
	rt_writer_array_begin(w);
	for (size_t i = 0; i < verdict->count; i++)
		put_condition(w, &verdict->conditions[i]);
	rt_writer_array_end(w);
	put_count(w, RT_SLICE("open"), verdict->open);
	put_count(w, RT_SLICE("false_positives"), verdict->false_positives);
	put_count(w, RT_SLICE("expired"), verdict->expired);
	put_count(w, RT_SLICE("unknown_severity"), verdict->unknown_severity);
	rt_writer_key(w, RT_SLICE("baseline"));
	rt_writer_null(w);
	rt_writer_object_end(w);
}

void rt_verdict_line(const struct rt_verdict *verdict, char *text, size_t cap)
{
	char expired[RT_EXPIRED_ROOM], open[RT_COUNT_ROOM], dismissed[RT_COUNT_ROOM];
	size_t failed = 0;

	rt_expired_text(verdict->expired, verdict->open, expired);
	for (size_t i = 0; i < verdict->count; i++)
		failed += !verdict->conditions[i].pass;
	if (verdict->pass)
		(void)snprintf(text, cap, "pass: ");
	else
		(void)snprintf(text, cap, "fail: %zu of %zu condition%s; ", failed, verdict->count,
			       RT_S(verdict->count));
	(void)snprintf(text + strlen(text), cap - strlen(text), "%s open%s%s%s, %s dismissed",
		       rt_count_text(verdict->open, open), *expired ? " (" : "", expired,
		       *expired ? ")" : "", rt_count_text(verdict->false_positives, dismissed));
}
