/*
 * A series of updates, and for each id those that mention it: requests one after another, of which
 * the ids are numbered as they are met first.
 */
#include "engine/plan.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/instant.h"
#include "base/map.h"

/* Texts, which stay where they are. */
#define BLOCK_BYTES ((size_t)16 << 10)

struct block {
	struct block *before;
	size_t left;
	char *end; /* of what is taken */
};

struct target {
	struct rt_slice id;
	uint32_t first, last; /* mentions */
};

struct rt_plan {
	struct rt_siphash_key key;
	struct rt_buf steps;    /* of struct rt_step */
	struct rt_buf targets;  /* of struct target */
	struct rt_buf mentions; /* of struct rt_mention */
	struct block *blocks;
	struct rt_map numbers; /* of targets, from 1, by the hash of their id */
};

static struct rt_step *steps(const struct rt_plan *plan)
{
	return (struct rt_step *)(void *)plan->steps.data;
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

	if (!plan)
		return rt_error_nomem(err);
	if (rt_siphash_key_init(&plan->key, err) != RT_OK) {
		rt_plan_free(plan);
		return RT_FATAL;
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
	rt_map_release(&plan->numbers);
	for (struct block *block = plan->blocks, *before; block; block = before) {
		before = block->before;
		free(block);
	}
	free(plan);
}

/* Put a copy of a text in its place. */
static enum rt_status keep(struct rt_plan *plan, struct rt_slice *text, struct rt_error *err)
{
	struct block *block = plan->blocks;

	if (!text->len) {
		text->ptr = text->ptr ? "" : NULL;
		return RT_OK;
	}
	if (!block || block->left < text->len) {
		size_t room = text->len > BLOCK_BYTES ? text->len : BLOCK_BYTES;

		block = malloc(sizeof(*block) + room);
		if (!block)
			return rt_error_nomem(err);
		*block = (struct block){plan->blocks, room, (char *)(block + 1)};
		plan->blocks = block;
	}
	memcpy(block->end, text->ptr, text->len);
	text->ptr = block->end;
	block->end += text->len;
	block->left -= text->len;
	return RT_OK;
}

/* The number of the target with that id, which is made where there is none. */
static enum rt_status need_target(struct rt_plan *plan, struct rt_slice id, uint32_t *ret_number,
				  struct rt_error *err)
{
	struct target target = {id, RT_PLAN_NONE, RT_PLAN_NONE};
	uint32_t *number = rt_map_put(&plan->numbers, rt_siphash(&plan->key, id), err);

	if (!number)
		return RT_FATAL;
	if (!*number) {
		if (keep(plan, &target.id, err) != RT_OK ||
		    rt_buf_append(&plan->targets, &target, sizeof(target), err) != RT_OK)
			return RT_FATAL;
		*number = rt_plan_targets(plan);
	}
	*ret_number = *number - 1;
	return RT_OK;
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

/* Keep the text of a time, unless it is that of another one: a run has one. */
static enum rt_status keep_time(struct rt_plan *plan, struct rt_slice *at, struct rt_slice other,
				struct rt_error *err)
{
	at->len = RT_INSTANT_CHARS;
	if (!rt_slice_equal(*at, other))
		return keep(plan, at, err);
	*at = other;
	return RT_OK;
}

enum rt_status rt_plan_name(struct rt_plan *plan, struct rt_slice at, struct rt_slice maker,
			    bool is_carried, struct rt_slice carrier, struct rt_error *err)
{
	struct rt_step *step = &steps(plan)[rt_plan_steps(plan) - 1];

	step->made_at = at;
	step->maker = maker;
	step->is_carried = is_carried;
	step->carrier = is_carried ? carrier : (struct rt_slice){0};
	if (keep_time(plan, &step->made_at, step->at, err) != RT_OK ||
	    keep(plan, &step->maker, err) != RT_OK)
		return RT_FATAL;
	return keep(plan, &step->carrier, err);
}

enum rt_status rt_plan_add(struct rt_plan *plan, const struct rt_request *request,
			   struct rt_slice at, struct rt_error *err)
{
	uint32_t number = rt_plan_steps(plan);
	struct rt_step step = {
	    .severity = request->severity,
	    .false_positive = request->false_positive,
	    .exploitable = request->exploitable,
	    .notes = request->notes,
	    .at = at,
	    .first = rt_plan_mentions(plan),
	    .count = request->id_count,
	};
	struct rt_slice before = number ? steps(plan)[number - 1].at : (struct rt_slice){0};
	struct rt_fault fault = {keep(plan, &step.notes, err), err};

	RT_STEP(&fault, keep_time(plan, &step.at, before, err));
	step.made_at = step.at;
	for (unsigned i = 0; i < request->id_count; i++)
		RT_STEP(&fault, add_mention(plan, number, request->ids[i], err));
	return RT_STEP(&fault, rt_buf_append(&plan->steps, &step, sizeof(step), err));
}

uint32_t rt_plan_steps(const struct rt_plan *plan)
{
	return (uint32_t)(plan->steps.len / sizeof(struct rt_step));
}

struct rt_step rt_plan_step(const struct rt_plan *plan, uint32_t number)
{
	return steps(plan)[number];
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
	return targets(plan)[number].id;
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
