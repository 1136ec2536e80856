/*
 * Makes remarks on a journal: an entry that asks for the same as one before it, times that go back
 * or are yet to come, an end that is not whole. A list of the first ones, and the count of all.
 */
#include "journal/remarks.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"

/* Remarks that are told as lines: who wants them all reads the report. */
#define TOLD_MAX 10u

enum rt_status rt_remarks_add(struct rt_remarks *remarks, const struct rt_remark *remark,
			      struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (remarks->count < RT_REMARKS_LISTED_MAX)
		status = rt_buf_append(&remarks->listed, remark, sizeof(*remark), err);
	if (status == RT_OK)
		remarks->count++;
	return status;
}

/* Write what makes two requests equal: the ids by their numbers in the plan. */
static enum rt_status spell(struct rt_buf *text, const struct rt_plan *plan,
			    const struct rt_step *step, struct rt_error *err)
{
	const char members[] = {(char)step->severity, (char)step->false_positive,
				(char)step->exploitable, step->notes.ptr != NULL};
	/* No id has this number: it ends them. */
	const uint32_t none = RT_PLAN_NONE;
	struct rt_put put = {text, err, RT_OK};

	text->len = 0;
	rt_put(&put, rt_slice_make(members, sizeof(members)));
	for (uint32_t i = 0; i < step->count; i++) {
		struct rt_mention mention = rt_plan_mention(plan, step->first + i);
		uint32_t number = mention.target;

		if (!mention.repeat)
			rt_put(&put, rt_slice_make((const char *)&number, sizeof(number)));
	}
	rt_put(&put, rt_slice_make((const char *)&none, sizeof(none)));
	rt_put(&put, step->notes);
	return put.status;
}

/* The remarks on one update. last_at: the time of the one before; ptr NULL: there is none. */
static enum rt_status remark_on(struct rt_remarks *remarks, uint32_t number, uint32_t equal,
				struct rt_slice at, struct rt_slice last_at, struct rt_slice now,
				struct rt_error *err)
{
	struct rt_remark remark = {.entry = (uint64_t)number + 1};
	enum rt_status status = RT_OK;

	memcpy(remark.at, at.ptr, sizeof(remark.at));
	if (equal != number) {
		remark.kind = RT_REMARK_EQUAL;
		remark.other = (uint64_t)equal + 1;
		status = rt_remarks_add(remarks, &remark, err);
	}
	/* Times are all of one form, in UTC: their bytes are in their order. */
	if (status == RT_OK && last_at.ptr && memcmp(at.ptr, last_at.ptr, RT_INSTANT_CHARS) < 0) {
		remark.kind = RT_REMARK_BACK;
		remark.other = number;
		memcpy(remark.other_at, last_at.ptr, sizeof(remark.other_at));
		status = rt_remarks_add(remarks, &remark, err);
	}
	if (status == RT_OK && now.ptr && memcmp(at.ptr, now.ptr, RT_INSTANT_CHARS) > 0) {
		remark.kind = RT_REMARK_FUTURE;
		remark.other = 0;
		status = rt_remarks_add(remarks, &remark, err);
	}
	return status;
}

enum rt_status rt_remarks_on_plan(struct rt_remarks *remarks, const struct rt_plan *plan,
				  uint32_t first, struct rt_slice now, struct rt_error *err)
{
	struct rt_map requests = {0}; /* that were met: the first update with each, from 1 */
	struct rt_slice last_at = {NULL, 0};
	struct rt_siphash_key key;
	struct rt_buf text = {0};
	enum rt_status status = rt_siphash_key_init(&key, err);

	for (uint32_t i = 0; status == RT_OK && i < rt_plan_steps(plan); i++) {
		struct rt_step step = rt_plan_step(plan, i);
		uint32_t *equal = NULL;

		status = spell(&text, plan, &step, err);
		if (status == RT_OK)
			equal = rt_map_put(&requests, rt_siphash(&key, rt_buf_slice(&text)), err);
		if (!equal) {
			status = RT_FATAL;
			break;
		}
		*equal = *equal ? *equal : i + 1;
		if (i >= first)
			status = remark_on(remarks, i, *equal - 1, step.at, last_at, now, err);
		last_at = step.at;
	}
	rt_map_release(&requests);
	rt_buf_release(&text);
	return status;
}

void rt_remark_text(const struct rt_remark *remark, char *text, size_t cap)
{
	int chars = (int)RT_INSTANT_CHARS;

	switch (remark->kind) {
	case RT_REMARK_EQUAL:
		(void)snprintf(text, cap, "the request is equal to that of entry %" PRIu64,
			       remark->other);
		break;
	case RT_REMARK_BACK:
		(void)snprintf(text, cap, "the time %.*s is before that of entry %" PRIu64 ", %.*s",
			       chars, remark->at, remark->other, chars, remark->other_at);
		break;
	case RT_REMARK_FUTURE:
		(void)snprintf(text, cap, "the time %.*s is in the future", chars, remark->at);
		break;
	case RT_REMARK_TORN:
		(void)snprintf(text, cap,
			       "the last %" PRIu64 " byte%s: an incomplete append, or a cut",
			       remark->other,
			       remark->other == 1 ? " is its beginning" : "s are its beginning");
		break;
	case RT_REMARK_UNENDED:
		(void)snprintf(text, cap, "the last line is whole, but has no line end");
		break;
	}
}

void rt_remarks_tell(const struct rt_remarks *remarks, const char *path,
		     void (*on_notice)(void *ctx, const char *text), void *notice_ctx)
{
	const struct rt_remark *listed = (const void *)remarks->listed.data;
	uint64_t told = remarks->count < TOLD_MAX ? remarks->count : TOLD_MAX;
	char what[160], text[1280];

	for (uint64_t i = 0; on_notice && i < told; i++) {
		rt_remark_text(&listed[i], what, sizeof(what));
		(void)snprintf(text, sizeof(text), "%.1000s: entry %" PRIu64 ": %s", path,
			       listed[i].entry, what);
		on_notice(notice_ctx, text);
	}
	if (!on_notice || remarks->count == told)
		return;
	(void)snprintf(text, sizeof(text), "%.1000s: %" PRIu64 " more remark%s", path,
		       remarks->count - told, RT_S(remarks->count - told));
	on_notice(notice_ctx, text);
}

void rt_remarks_release(struct rt_remarks *remarks)
{
	rt_buf_release(&remarks->listed);
}
