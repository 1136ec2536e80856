/*
 * Counts issues. Input: checked issues. Output: totals, two maps and the newest issues.
 * Refuses what its maps and its list of recent issues refuse: more than their limits.
 */
#include "engine/summary.h"

#include "base/json_string.h"

static const struct rt_slice level_names[RT_SEVERITY_LEVELS] = {
    {"critical", 8}, {"high", 4}, {"medium", 6}, {"low", 3}, {"info", 4},
};

struct rt_slice rt_severity_level(size_t level)
{
	return level_names[level];
}

enum rt_status rt_summary_init(struct rt_summary *summary, size_t recent,
			       const struct rt_limits *limits, const struct rt_siphash_key *key,
			       struct rt_error *err)
{
	memset(summary, 0, sizeof(*summary));
	summary->distinct.max = limits->distinct_bytes;
	rt_counts_init(&summary->severities, key, &summary->distinct);
	rt_counts_init(&summary->categories, key, &summary->distinct);
	return rt_recent_init(&summary->recent, recent, limits->recent_bytes, err);
}

void rt_summary_release(struct rt_summary *summary)
{
	rt_counts_release(&summary->severities);
	rt_counts_release(&summary->categories);
	rt_recent_release(&summary->recent);
	rt_buf_release(&summary->text);
}

enum rt_status rt_summary_text(const struct rt_record *issue, enum rt_member m,
			       struct rt_buf *scratch, struct rt_slice *ret_text,
			       struct rt_error *err)
{
	*ret_text = RT_SLICE("unknown");
	if (!rt_record_has(issue, m))
		return RT_OK;
	return rt_json_string_text(rt_record_string(issue, m), scratch, ret_text, err);
}

static enum rt_status add_severity(struct rt_summary *summary, const struct rt_record *issue,
				   struct rt_error *err)
{
	struct rt_slice text;
	enum rt_status status = rt_summary_text(issue, RT_M_SEVERITY, &summary->text, &text, err);

	if (status != RT_OK)
		return status;
	for (size_t level = 0; level < RT_SEVERITY_LEVELS; level++) {
		if (rt_slice_equal(text, level_names[level])) {
			summary->levels[level]++;
			return RT_OK;
		}
	}
	return rt_counts_add(&summary->severities, text, err);
}

enum rt_status rt_summary_add(struct rt_summary *summary, const struct rt_record *issue,
			      struct rt_error *err)
{
	enum rt_status status = add_severity(summary, issue, err);
	struct rt_slice category;

	if (status == RT_OK)
		status = rt_summary_text(issue, RT_M_CATEGORY, &summary->text, &category, err);
	if (status == RT_OK)
		status = rt_counts_add(&summary->categories, category, err);
	if (status == RT_OK)
		status = rt_recent_add(&summary->recent, issue, err);
	if (status != RT_OK)
		return status;
	summary->total++;
	/* The type has been checked: it is true, false or null. */
	if (rt_record_has(issue, RT_M_FALSE_POSITIVE))
		summary->false_positives += issue->values[RT_M_FALSE_POSITIVE].ptr[0] == 't';
	return RT_OK;
}

void rt_summary_sort(struct rt_summary *summary)
{
	rt_counts_sort(&summary->severities);
	rt_counts_sort(&summary->categories);
}
