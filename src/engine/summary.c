/* Counts the issues of a summary: totals, two maps, and the newest issues. */
#include "engine/summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json_string.h"

/* Severities that are named when those that are no level are told, and bytes shown of each. */
#define TOLD_MAX 5u
#define TOLD_BYTES 40u

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

/* The level that a text names, or RT_SEVERITY_LEVELS. */
static size_t level_of(struct rt_slice text)
{
	size_t level = 0;

	while (level < RT_SEVERITY_LEVELS && !rt_slice_equal(text, level_names[level]))
		level++;
	return level;
}

static enum rt_status add_severity(struct rt_summary *summary, const struct rt_record *issue,
				   bool open, struct rt_error *err)
{
	bool named = rt_record_has(issue, RT_M_SEVERITY);
	size_t level =
	    named ? level_of(rt_record_string(issue, RT_M_SEVERITY)) : RT_SEVERITY_LEVELS;
	enum rt_status status = RT_OK;
	struct rt_slice text;

	/* Most are a level as they stand, without escapes. */
	if (level == RT_SEVERITY_LEVELS) {
		status = rt_summary_text(issue, RT_M_SEVERITY, &summary->text, &text, err);
		if (status != RT_OK)
			return status;
		level = level_of(text);
	}
	if (level == RT_SEVERITY_LEVELS) {
		summary->no_severity += !named;
		return rt_counts_add(&summary->severities, text, open, err);
	}
	summary->levels[level]++;
	summary->open_levels[level] += open;
	return RT_OK;
}

enum rt_status rt_summary_add(struct rt_summary *summary, const struct rt_finding *finding,
			      struct rt_error *err)
{
	const struct rt_record *issue = finding->record;
	bool open = finding->open, expired = finding->status == RT_STATUS_EXPIRED;
	enum rt_status status = add_severity(summary, issue, open, err);
	struct rt_slice category;

	if (status == RT_OK)
		status = rt_summary_text(issue, RT_M_CATEGORY, &summary->text, &category, err);
	if (status == RT_OK)
		status = rt_counts_add(&summary->categories, category, open, err);
	if (status == RT_OK)
		status = rt_recent_add(&summary->recent, issue, expired, err);
	if (status != RT_OK)
		return status;
	summary->total++;
	summary->false_positives += finding->status != RT_STATUS_OPEN;
	summary->open += open;
	summary->expired += expired;
	return RT_OK;
}

enum rt_status rt_summary_merge(struct rt_summary *summary, struct rt_summary *from,
				struct rt_error *err)
{
	enum rt_status status = rt_counts_merge(&summary->severities, &from->severities, err);

	if (status == RT_OK)
		status = rt_counts_merge(&summary->categories, &from->categories, err);
	if (status != RT_OK)
		return status;
	rt_recent_merge(&summary->recent, &from->recent);
	summary->total += from->total;
	summary->false_positives += from->false_positives;
	summary->open += from->open;
	summary->expired += from->expired;
	summary->no_severity += from->no_severity;
	for (size_t level = 0; level < RT_SEVERITY_LEVELS; level++) {
		summary->levels[level] += from->levels[level];
		summary->open_levels[level] += from->open_levels[level];
	}
	return RT_OK;
}

void rt_summary_sort(struct rt_summary *summary)
{
	rt_counts_sort(&summary->severities);
	rt_counts_sort(&summary->categories);
}

/* How many issues name the severity of a slot: those without one are counted under `unknown`. */
static uint64_t named_count(const struct rt_summary *summary, const struct rt_count *slot)
{
	return slot->count -
	       (rt_slice_equal(slot->text, RT_SLICE("unknown")) ? summary->no_severity : 0);
}

/* Put a slot into the list of the most frequent ones, which has *count of at most TOLD_MAX. */
static void rank(const struct rt_summary *summary, const struct rt_count *slot,
		 const struct rt_count **list, size_t *count)
{
	uint64_t issues = named_count(summary, slot);
	size_t at = *count;

	while (at > 0 && named_count(summary, list[at - 1]) < issues)
		at--;
	if (at == TOLD_MAX)
		return;
	*count += *count < TOLD_MAX;
	for (size_t i = *count - 1; i > at; i--)
		list[i] = list[i - 1];
	list[at] = slot;
}

bool rt_summary_tell_severities(const struct rt_summary *summary, char *text, size_t cap)
{
	const struct rt_counts *all = &summary->severities;
	const struct rt_count *list[TOLD_MAX];
	size_t count = 0, values = 0, len;
	uint64_t issues = 0;

	for (size_t i = 0; i < all->used; i++) {
		if (!named_count(summary, &all->slots[i]))
			continue;
		values++;
		issues += named_count(summary, &all->slots[i]);
		rank(summary, &all->slots[i], list, &count);
	}
	if (values == 0)
		return false;
	len = (size_t)snprintf(text, cap, "%" PRIu64 " %s a severity that is no level:", issues,
			       issues == 1 ? "issue has" : "issues have");
	for (size_t i = 0; i < count && len < cap; i++) {
		char value[TOLD_BYTES + 1];

		rt_error_text(value, sizeof(value), list[i]->text);
		len += (size_t)snprintf(text + len, cap - len, "%s \"%s%s\" %" PRIu64, i ? "," : "",
					value, list[i]->text.len > TOLD_BYTES ? "..." : "",
					named_count(summary, list[i]));
	}
	if (values > count && len < cap)
		(void)snprintf(text + len, cap - len, " and %zu other value%s", values - count,
			       values - count == 1 ? "" : "s");
	return true;
}
