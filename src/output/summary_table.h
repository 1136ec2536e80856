/*
 * The issues summary for people: counts, the categories with most open issues, the newest issues.
 */
#ifndef RT_OUTPUT_SUMMARY_TABLE_H
#define RT_OUTPUT_SUMMARY_TABLE_H

#include "engine/gate.h"
#include "engine/summary.h"
#include "output/table.h"

/* The categories that it names; the others are one row together. */
#define RT_SUMMARY_CATEGORIES 10u

/*
 * Pass a summary on as tables. summary: complete and sorted. compared: NULL: there is no baseline.
 * style: width and color are used.
 * Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_summary_table(const struct rt_summary *summary,
				const struct rt_compared *compared, struct rt_style style,
				const struct rt_sink *sink, struct rt_error *err);

#endif
