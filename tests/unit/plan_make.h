/*
 * Plans for tests, from the texts of requests.
 */
#ifndef RT_TESTS_PLAN_MAKE_H
#define RT_TESTS_PLAN_MAKE_H

#include <string.h>

#include "base/buf.h"
#include "base/instant.h"
#include "engine/plan.h"
#include "unit.h"

#define PLAN_TIME "2025-05-05T05:05:05Z"

/* The time of the nth update, from 0 to 9: one each. Static storage. */
static inline struct rt_slice plan_time(size_t n)
{
	static const char times[10][RT_INSTANT_CHARS + 1] = {
	    "2025-01-01T00:00:00Z", "2025-01-01T00:00:01Z", "2025-01-01T00:00:02Z",
	    "2025-01-01T00:00:03Z", "2025-01-01T00:00:04Z", "2025-01-01T00:00:05Z",
	    "2025-01-01T00:00:06Z", "2025-01-01T00:00:07Z", "2025-01-01T00:00:08Z",
	    "2025-01-01T00:00:09Z"};

	ck_assert_uint_lt(n, 10);
	return rt_slice_make(times[n], RT_INSTANT_CHARS);
}

/* Add a request, which has to be a right one. What it was read from is gone when this returns. */
static inline void plan_add(struct rt_plan *plan, const char *json, struct rt_slice at)
{
	char *copy = strdup(json), *time = malloc(at.len);
	struct rt_request request;
	struct rt_buf scratch = {0};
	struct rt_error err;

	ck_assert(copy && time);
	memcpy(time, at.ptr, at.len);
	ck_assert_msg(
	    rt_request_parse(rt_slice_make(copy, strlen(copy)), &scratch, &request, &err) == RT_OK,
	    "%s: %s", json, err.message);
	ck_assert_int_eq(rt_plan_add(plan, &request, rt_slice_make(time, at.len), &err), RT_OK);
	if (scratch.len)
		memset(scratch.data, '#', scratch.len);
	rt_buf_release(&scratch);
	memset(copy, '#', strlen(json));
	memset(time, '#', at.len);
	free(copy);
	free(time);
}

/* A plan of requests, a list that ends with NULL, each with a time of its own. */
static inline struct rt_plan *plan_of(const char *const *requests)
{
	struct rt_plan *plan = NULL;
	struct rt_error err;

	ck_assert_int_eq(rt_plan_new(&plan, &err), RT_OK);
	for (size_t i = 0; requests[i]; i++)
		plan_add(plan, requests[i], plan_time(i));
	return plan;
}

static inline uint32_t plan_find(const struct rt_plan *plan, const char *id)
{
	return rt_plan_find(plan, rt_slice_make(id, strlen(id)));
}

#endif
