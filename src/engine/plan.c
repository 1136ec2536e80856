/*
 * A series of updates, and for each id those that mention it: requests one after another, of which
 * the ids are numbered as they are met first.
 */
#include "engine/plan.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/instant.h"
#include "base/map.h"

struct step {
	size_t notes_at, notes_len; /* in plan->text; notes_len is NO_TEXT where left out */
	size_t at, made_at;         /* likewise, of the texts of times */
	size_t maker_at, maker_len; /* likewise; NO_TEXT: nobody is named */
	size_t carrier_at, carrier_len;
	uint32_t first, count;
	signed char severity, false_positive, exploitable;
	bool is_carried;
};

#define NO_TEXT SIZE_MAX

struct target {
	size_t id_at, id_len; /* in plan->text */
	uint32_t first, last; /* mentions */
};

struct rt_plan {
	struct rt_siphash_key key;
	struct rt_buf steps;    /* of struct step */
	struct rt_buf targets;  /* of struct target */
	struct rt_buf mentions; /* of struct rt_mention */
	struct rt_buf text;
	struct rt_map numbers; /* of targets, from 1, by the hash of their id */
};

static struct step *steps(const struct rt_plan *plan)
{
	return (struct step *)(void *)plan->steps.data;
}

static struct target *targets(const struct rt_plan *plan)
{
	return (struct target *)(void *)plan->targets.data;
}

static struct rt_mention *mentions(const struct rt_plan *plan)
{
	return (struct rt_mention *)(void *)plan->mentions.data;
}

uint32_t rt_plan_mentions(const struct rt_plan *plan)
{
	return (uint32_t)(plan->mentions.len / sizeof(struct rt_mention));
}

enum rt_status rt_plan_new(struct rt_plan **ret_plan, struct rt_error *err)
{
	struct rt_plan *plan = calloc(1, sizeof(*plan));
	enum rt_status status;

	if (!plan)
		return rt_error_nomem(err);
	status = rt_siphash_key_init(&plan->key, err);
	if (status != RT_OK) {
		rt_plan_free(plan);
		return status;
	}
	*ret_plan = plan;
	return RT_OK;
}

void rt_plan_free(struct rt_plan *plan)
{
	if (!plan)
		return;
	rt_buf_release(&plan->steps);
	rt_buf_release(&plan->targets);
	rt_buf_release(&plan->mentions);
	rt_buf_release(&plan->text);
	rt_map_release(&plan->numbers);
	free(plan);
}

/* The number of the target with that id, which is made where there is none. */
static enum rt_status need_target(struct rt_plan *plan, struct rt_slice id, uint32_t *ret_number,
				  struct rt_error *err)
{
	struct target target = {plan->text.len, id.len, RT_PLAN_NONE, RT_PLAN_NONE};
	uint32_t *number = rt_map_put(&plan->numbers, rt_siphash(&plan->key, id), err);
	enum rt_status status = number ? RT_OK : RT_FATAL;

	if (status == RT_OK && !*number) {
		status = rt_buf_append(&plan->text, id.ptr, id.len, err);
		if (status == RT_OK)
			status = rt_buf_append(&plan->targets, &target, sizeof(target), err);
		if (status == RT_OK)
			*number = rt_plan_targets(plan);
	}
	if (status == RT_OK)
		*ret_number = *number - 1;
	return status;
}

static enum rt_status add_mention(struct rt_plan *plan, uint32_t step, struct rt_slice id,
				  struct rt_error *err)
{
	struct rt_mention mention = {0, step, RT_PLAN_NONE, false};
	uint32_t number = rt_plan_mentions(plan);
	struct target *target;
	enum rt_status status;

	if (number == RT_MENTIONS_MAX)
		return rt_error_set(err, RT_E_LIMIT, "the run has more than %u ids",
				    RT_MENTIONS_MAX);
	status = need_target(plan, id, &mention.target, err);
	if (status != RT_OK)
		return status;
	target = &targets(plan)[mention.target];
	mention.repeat = target->last != RT_PLAN_NONE && mentions(plan)[target->last].step == step;
	status = rt_buf_append(&plan->mentions, &mention, sizeof(mention), err);
	if (status != RT_OK || mention.repeat)
		return status;
	if (target->first == RT_PLAN_NONE)
		target->first = number;
	else
		mentions(plan)[target->last].next = number;
	target->last = number;
	return RT_OK;
}

/* Keep the text of a time; the last one's is used again, since a run has one. */
static enum rt_status add_time(struct rt_plan *plan, struct rt_slice at, size_t *ret_at,
			       struct rt_error *err)
{
	uint32_t count = rt_plan_steps(plan);

	if (count &&
	    memcmp(plan->text.data + steps(plan)[count - 1].at, at.ptr, RT_INSTANT_CHARS) == 0) {
		*ret_at = steps(plan)[count - 1].at;
		return RT_OK;
	}
	*ret_at = plan->text.len;
	return rt_buf_append(&plan->text, at.ptr, RT_INSTANT_CHARS, err);
}

/* Keep the name of somebody. */
static enum rt_status add_name(struct rt_plan *plan, struct rt_slice name, size_t *ret_at,
			       size_t *ret_len, struct rt_error *err)
{
	*ret_at = plan->text.len;
	*ret_len = name.ptr ? name.len : NO_TEXT;
	return rt_buf_append(&plan->text, name.ptr, name.len, err);
}

static struct rt_slice text_at(const struct rt_plan *plan, size_t at, size_t len)
{
	return len == NO_TEXT ? rt_slice_make(NULL, 0) : rt_slice_make(plan->text.data + at, len);
}

enum rt_status rt_plan_name(struct rt_plan *plan, struct rt_slice at, struct rt_slice maker,
			    bool is_carried, struct rt_slice carrier, struct rt_error *err)
{
	struct step *step = &steps(plan)[rt_plan_steps(plan) - 1];

	if (memcmp(plan->text.data + step->at, at.ptr, RT_INSTANT_CHARS) != 0) {
		step->made_at = plan->text.len;
		if (rt_buf_append(&plan->text, at.ptr, RT_INSTANT_CHARS, err) != RT_OK)
			return RT_FATAL;
	}
	step->is_carried = is_carried;
	if (add_name(plan, maker, &step->maker_at, &step->maker_len, err) != RT_OK)
		return RT_FATAL;
	return is_carried ? add_name(plan, carrier, &step->carrier_at, &step->carrier_len, err)
			  : RT_OK;
}

enum rt_status rt_plan_add(struct rt_plan *plan, const struct rt_request *request,
			   struct rt_slice at, struct rt_error *err)
{
	struct step step = {
	    .maker_len = NO_TEXT,
	    .carrier_len = NO_TEXT,
	    .notes_at = plan->text.len,
	    .notes_len = request->notes.ptr ? request->notes.len : NO_TEXT,
	    .first = rt_plan_mentions(plan),
	    .count = request->id_count,
	    .severity = (signed char)request->severity,
	    .false_positive = (signed char)request->false_positive,
	    .exploitable = (signed char)request->exploitable,
	};
	enum rt_status status = RT_OK;

	if (request->notes.ptr)
		status = rt_buf_append(&plan->text, request->notes.ptr, request->notes.len, err);
	if (status == RT_OK)
		status = add_time(plan, at, &step.at, err);
	step.made_at = step.at;
	for (unsigned i = 0; status == RT_OK && i < request->id_count; i++)
		status = add_mention(plan, rt_plan_steps(plan), request->ids[i], err);
	if (status == RT_OK)
		status = rt_buf_append(&plan->steps, &step, sizeof(step), err);
	return status;
}

uint32_t rt_plan_steps(const struct rt_plan *plan)
{
	return (uint32_t)(plan->steps.len / sizeof(struct step));
}

struct rt_step rt_plan_step(const struct rt_plan *plan, uint32_t number)
{
	const struct step *step = &steps(plan)[number];

	return (struct rt_step){
	    .severity = step->severity,
	    .false_positive = step->false_positive,
	    .exploitable = step->exploitable,
	    .notes = text_at(plan, step->notes_at, step->notes_len),
	    .at = rt_slice_make(plan->text.data + step->at, RT_INSTANT_CHARS),
	    .made_at = rt_slice_make(plan->text.data + step->made_at, RT_INSTANT_CHARS),
	    .maker = text_at(plan, step->maker_at, step->maker_len),
	    .is_carried = step->is_carried,
	    .carrier = text_at(plan, step->carrier_at, step->carrier_len),
	    .first = step->first,
	    .count = step->count,
	};
}

struct rt_mention rt_plan_mention(const struct rt_plan *plan, uint32_t mention)
{
	return mentions(plan)[mention];
}

uint32_t rt_plan_targets(const struct rt_plan *plan)
{
	return (uint32_t)(plan->targets.len / sizeof(struct target));
}

struct rt_slice rt_plan_id(const struct rt_plan *plan, uint32_t number)
{
	const struct target *target = &targets(plan)[number];

	return rt_slice_make(plan->text.data + target->id_at, target->id_len);
}

uint32_t rt_plan_first(const struct rt_plan *plan, uint32_t target)
{
	return targets(plan)[target].first;
}

uint32_t rt_plan_last_step(const struct rt_plan *plan, uint32_t target)
{
	return mentions(plan)[targets(plan)[target].last].step;
}

uint32_t rt_plan_find(const struct rt_plan *plan, struct rt_slice id)
{
	/* 0 becomes RT_PLAN_NONE. */
	return rt_map_get(&plan->numbers, rt_siphash(&plan->key, id)) - 1;
}

void rt_plan_request(const struct rt_plan *plan, uint32_t number, struct rt_request *ret_request)
{
	struct rt_step step = rt_plan_step(plan, number);

	ret_request->id_count = step.count;
	ret_request->severity = step.severity;
	ret_request->false_positive = step.false_positive;
	ret_request->exploitable = step.exploitable;
	ret_request->notes = step.notes;
	for (uint32_t i = 0; i < step.count; i++)
		ret_request->ids[i] = rt_plan_id(plan, mentions(plan)[step.first + i].target);
}
