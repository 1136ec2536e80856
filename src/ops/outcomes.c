/*
 * Executes a plan's updates as the issues that they name come, and keeps of each result its counts
 * and its SHA-256.
 */
#include "ops/outcomes.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"

struct rt_outcomes {
	const struct rt_plan *plan;
	uint32_t first;
	bool again;
	struct rt_results *results;
	struct rt_outcome *made; /* by update from `first` on, as the next */
	uint32_t *missing;       /* issues that an update waits for */
	uint32_t *uses;          /* by target: updates that are still to be executed */
};

/* Count what each update waits for, and what each issue is kept for. */
static void count_mentions(struct rt_outcomes *o, uint32_t steps)
{
	for (uint32_t number = o->first; number < steps; number++) {
		struct rt_step step = rt_plan_step(o->plan, number);

		for (uint32_t i = 0; i < step.count; i++) {
			struct rt_mention mention = rt_plan_mention(o->plan, step.first + i);

			if (mention.repeat)
				continue;
			o->missing[number - o->first]++;
			o->uses[mention.target]++;
		}
	}
}

enum rt_status rt_outcomes_new(const struct rt_plan *plan, uint32_t first,
			       struct rt_results *results, bool again,
			       struct rt_outcomes **ret_outcomes, struct rt_error *err)
{
	uint32_t steps = rt_plan_steps(plan), targets = rt_plan_targets(plan);
	size_t count = steps > first ? steps - first : 1;
	struct rt_outcomes *o = calloc(1, sizeof(*o));
	enum rt_status status = RT_OK;

	if (!o)
		return rt_error_nomem(err);
	*o = (struct rt_outcomes){.plan = plan, .first = first, .again = again, .results = results};
	o->made = calloc(count, sizeof(*o->made));
	o->missing = calloc(count, sizeof(*o->missing));
	o->uses = calloc(targets ? targets : 1, sizeof(*o->uses));
	if (!o->made || !o->missing || !o->uses)
		status = rt_error_nomem(err);
	if (status != RT_OK) {
		rt_outcomes_free(o);
		return status;
	}
	count_mentions(o, steps);
	*ret_outcomes = o;
	return RT_OK;
}

/* --- Executing ------------------------------------------------------------------------------- */

/* An update has been executed: let go of issues that no other one needs. */
static void release_issues(struct rt_outcomes *o, uint32_t number)
{
	struct rt_step step = rt_plan_step(o->plan, number);

	for (uint32_t i = 0; i < step.count; i++) {
		struct rt_mention mention = rt_plan_mention(o->plan, step.first + i);

		if (!mention.repeat && --o->uses[mention.target] == 0)
			rt_results_drop(o->results, mention.target);
	}
}

static enum rt_status execute(struct rt_outcomes *o, uint32_t number, struct rt_error *err)
{
	struct rt_outcome *made = &o->made[number - o->first];
	struct rt_result result;
	enum rt_status status = rt_results_run(o->results, number, &result, err);

	if (status != RT_OK)
		return status;
	made->updated_count = result.updated_count;
	made->failed_count = result.failed_count;
	rt_sha256_of(result.text, made->sha256);
	status = rt_results_notes(o->results, number, made->notes_sha256, err);
	if (status != RT_OK)
		return status;
	if (!o->again)
		release_issues(o, number);
	return RT_OK;
}

enum rt_status rt_outcomes_add(struct rt_outcomes *o, uint32_t target,
			       const struct rt_record *issue, struct rt_error *err)
{
	uint32_t mention = rt_plan_first(o->plan, target);
	enum rt_status status;

	/* A second one of an id is on its way to being refused. */
	if (rt_results_has(o->results, target))
		return RT_OK;
	status = rt_results_keep(o->results, target, issue, RT_SLICE(""), err);
	while (status == RT_OK && mention != RT_PLAN_NONE) {
		struct rt_mention now = rt_plan_mention(o->plan, mention);

		if (now.step >= o->first && --o->missing[now.step - o->first] == 0)
			status = execute(o, now.step, err);
		mention = now.next;
	}
	return status;
}

enum rt_status rt_outcomes_finish(struct rt_outcomes *o, struct rt_error *err)
{
	uint32_t steps = rt_plan_steps(o->plan);
	enum rt_status status = RT_OK;

	for (uint32_t number = o->first; status == RT_OK && number < steps; number++) {
		if (o->missing[number - o->first])
			status = execute(o, number, err);
	}
	return status;
}

const struct rt_outcome *rt_outcomes_get(const struct rt_outcomes *o, uint32_t step)
{
	assert(step >= o->first);
	return &o->made[step - o->first];
}

void rt_outcomes_free(struct rt_outcomes *o)
{
	if (!o)
		return;
	free(o->made);
	free(o->missing);
	free(o->uses);
	free(o);
}
