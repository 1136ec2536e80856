/*
 * What a series of bulk updates does to each issue: the updates in order, and for each id that is
 * mentioned its updates in order. It grows with the mentions, not with the export.
 */
#ifndef RT_ENGINE_PLAN_H
#define RT_ENGINE_PLAN_H

#include "engine/request.h"

struct rt_plan;

#define RT_PLAN_NONE UINT32_MAX

/* One update. Slices are borrowed as long as the plan. */
struct rt_step {
	int severity, false_positive, exploitable; /* as in struct rt_request */
	struct rt_slice notes;                     /* decoded; ptr NULL where left out */
	struct rt_slice at;                        /* its time, YYYY-MM-DDTHH:MM:SSZ */
	/* When it was first made and by whom, where rt_plan_name() said so; ptr NULL: nobody. */
	struct rt_slice made_at, maker;
	bool is_carried; /* about an earlier scan; carrier: who brought it here at `at` */
	struct rt_slice carrier;
	uint32_t first, count; /* its mentions, repeats included */
};

/* One id in one update. */
struct rt_mention {
	uint32_t target; /* number of the distinct id, from 0 in order of first mention */
	uint32_t step;   /* number of the update, from 0 */
	uint32_t next;   /* the target's next mention, or RT_PLAN_NONE */
	bool repeat;     /* the update has the id already: nothing more happens (SPEC D13) */
};

/* ret_plan: on RT_OK an empty plan, owned by the caller. Returns RT_OK or RT_FATAL. */
enum rt_status rt_plan_new(struct rt_plan **ret_plan, struct rt_error *err);

/*
 * Add an update after the others. request: checked; copied. at: RT_INSTANT_CHARS, copied.
 * Returns RT_OK; RT_FATAL: RT_E_NOMEM, or RT_E_LIMIT beyond 2^30 mentions.
 */
enum rt_status rt_plan_add(struct rt_plan *plan, const struct rt_request *request,
			   struct rt_slice at, struct rt_error *err);

/* Name who first made the last update, and when; of one that was carried, from another scan at that
 * time, also who did that. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_plan_name(struct rt_plan *plan, struct rt_slice at, struct rt_slice maker,
			    bool is_carried, struct rt_slice carrier, struct rt_error *err);

/* Number of updates, and one of them by its number. */
uint32_t rt_plan_steps(const struct rt_plan *plan);
struct rt_step rt_plan_step(const struct rt_plan *plan, uint32_t step);

/* Number of mentions, repeats included, and one of them by its number. */
uint32_t rt_plan_mentions(const struct rt_plan *plan);
struct rt_mention rt_plan_mention(const struct rt_plan *plan, uint32_t mention);

/* Number of distinct ids; one of them; its first mention. */
uint32_t rt_plan_targets(const struct rt_plan *plan);
struct rt_slice rt_plan_id(const struct rt_plan *plan, uint32_t target);
uint32_t rt_plan_first(const struct rt_plan *plan, uint32_t target);

/* The number of the last update that mentions a target. */
uint32_t rt_plan_last_step(const struct rt_plan *plan, uint32_t target);

/* The target with that id, or RT_PLAN_NONE. */
uint32_t rt_plan_find(const struct rt_plan *plan, struct rt_slice id);

/* The request that an update was made from. Its slices are borrowed as long as the plan. */
void rt_plan_request(const struct rt_plan *plan, uint32_t step, struct rt_request *ret_request);

/* NULL is allowed. */
void rt_plan_free(struct rt_plan *plan);

#endif
