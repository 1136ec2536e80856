/*
 * Executes updates for their outcomes. Input: a plan, and the issues that it names, as they come.
 * Output: for each update its counts and the SHA-256 of its result.
 *
 * One batch is filled with issues' texts while a thread works on the other: the caller writes them,
 * for it has the issue at hand, and the thread does the rest. It is started with the first full
 * batch: a few issues do not need one.
 * Refuses what rt_results_keep() does.
 */
#include "ops/outcomes.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/helper.h"

/* Two batches fit a second-level cache, more or less. */
#define BATCH_BYTES ((size_t)512 * 1024)

/* An issue on its way; its text follows on that of the one before. */
struct item {
	uint32_t target;
	struct rt_shape shape;
};

struct batch {
	struct rt_buf text;
	struct rt_buf items; /* of struct item */
};

struct rt_outcomes {
	const struct rt_plan *plan;
	uint32_t first;
	bool again;
	struct rt_results *results; /* what writes issues is the caller's, the rest the thread's */
	struct batch filling;
	bool tried; /* to have a thread */
	struct rt_helper helper;
	/* The thread's while it is busy. */
	struct batch given;
	struct rt_sha256 *sha256;
	struct rt_outcome *made; /* by update from `first` on, as the next */
	uint32_t *missing;       /* issues that an update waits for */
	uint32_t *uses;          /* by target: updates that are still to be executed */
	enum rt_status status;   /* how it fared; after a failure nothing more is done */
	struct rt_error err;
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
	if (status == RT_OK)
		status = rt_sha256_new(&o->sha256, err);
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
	rt_sha256_of(o->sha256, result.text, made->sha256);
	if (!o->again)
		release_issues(o, number);
	return RT_OK;
}

/* An issue has come: execute the updates that have waited for it alone. */
static enum rt_status take_issue(struct rt_outcomes *o, const struct item *item, const char *text,
				 struct rt_error *err)
{
	uint32_t mention = rt_plan_first(o->plan, item->target);
	enum rt_status status;

	/* A second one of an id is on its way to being refused. */
	if (rt_results_has(o->results, item->target))
		return RT_OK;
	status = rt_results_place(o->results, item->target, text, &item->shape, err);
	while (status == RT_OK && mention != RT_PLAN_NONE) {
		struct rt_mention now = rt_plan_mention(o->plan, mention);

		if (now.step >= o->first && --o->missing[now.step - o->first] == 0)
			status = execute(o, now.step, err);
		mention = now.next;
	}
	return status;
}

/* Take the issues of a batch, which is empty then. */
static void take_batch(struct rt_outcomes *o, struct batch *batch)
{
	const struct item *items = (const struct item *)(const void *)batch->items.data;
	size_t count = batch->items.len / sizeof(*items), at = 0;

	for (size_t i = 0; o->status == RT_OK && i < count; i++) {
		o->status = take_issue(o, &items[i], batch->text.data + at, &o->err);
		at += items[i].shape.len;
	}
	/* One long issue shall not have its room for good. */
	if (batch->text.cap > 4 * BATCH_BYTES)
		rt_buf_release(&batch->text);
	batch->text.len = batch->items.len = 0;
}

static void work(void *ctx)
{
	struct rt_outcomes *o = ctx;

	take_batch(o, &o->given);
}

/* --- Handing over ---------------------------------------------------------------------------- */

/* Wait for the thread, if there is one. Returns how it fared so far. */
static enum rt_status settle(struct rt_outcomes *o, struct rt_error *err)
{
	if (o->helper.running)
		rt_helper_wait(&o->helper);
	if (o->status != RT_OK)
		*err = o->err;
	return o->status;
}

/* The batch is full: give it to the thread. Without one the caller does all. */
static enum rt_status pass_on(struct rt_outcomes *o, struct rt_error *err)
{
	struct batch batch = o->filling;
	enum rt_status status;

	if (!o->tried)
		(void)rt_helper_start(&o->helper, work, o);
	o->tried = true;
	if (!o->helper.running)
		take_batch(o, &o->filling);
	status = settle(o, err);
	if (status != RT_OK || !o->helper.running)
		return status;
	o->filling = o->given;
	o->given = batch;
	rt_helper_go(&o->helper);
	return RT_OK;
}

enum rt_status rt_outcomes_add(struct rt_outcomes *o, uint32_t target,
			       const struct rt_record *issue, struct rt_error *err)
{
	struct batch *batch = &o->filling;
	struct item item = {.target = target};
	enum rt_status status = rt_results_write(o->results, issue, &batch->text, &item.shape, err);

	if (status == RT_OK)
		status = rt_buf_append(&batch->items, &item, sizeof(item), err);
	if (status == RT_OK && batch->text.len >= BATCH_BYTES)
		status = pass_on(o, err);
	return status;
}

enum rt_status rt_outcomes_finish(struct rt_outcomes *o, struct rt_error *err)
{
	uint32_t steps = rt_plan_steps(o->plan);
	enum rt_status status = settle(o, err);

	if (status != RT_OK)
		return status;
	take_batch(o, &o->filling);
	status = settle(o, err);
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

static void release_batch(struct batch *batch)
{
	rt_buf_release(&batch->text);
	rt_buf_release(&batch->items);
}

void rt_outcomes_free(struct rt_outcomes *o)
{
	if (!o)
		return;
	rt_helper_end(&o->helper);
	release_batch(&o->filling);
	release_batch(&o->given);
	rt_sha256_free(o->sha256);
	free(o->made);
	free(o->missing);
	free(o->uses);
	free(o);
}
