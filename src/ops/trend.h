/*
 * The history of a data set: what reports append to it (schema trend-line).
 */
#ifndef RT_OPS_TREND_H
#define RT_OPS_TREND_H

#include "engine/facts.h"

/* Append a line of what there is at a time. facts: complete. Returns RT_OK, or RT_FATAL with err
 * set, and nothing or a whole line is appended. */
enum rt_status rt_trend_append(const char *path, const struct rt_facts *facts, int64_t now,
			       struct rt_error *err);

/* The newest lines of a history, oldest first; none where there is no file yet. ret_points: of
 * RT_TREND_POINTS. Returns RT_OK, or RT_FATAL with err set. */
enum rt_status rt_trend_points(const char *path, struct rt_trend_point *ret_points,
			       size_t *ret_count, struct rt_error *err);

#endif
