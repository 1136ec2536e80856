/* Counts the issues of a summary: totals, two maps, and the newest issues. */
#include "engine/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

/* --- The newest issues ----------------------------------------------------------------------- */

/* Escapes in a date are no more than a curiosity: longer texts are no dates. */
#define ESCAPED_DATE_MAX 256u

static enum rt_status recent_init(struct rt_recent *recent, size_t max, uint64_t bytes_max,
				  struct rt_error *err)
{
	*recent = (struct rt_recent){.max = max, .bytes_max = bytes_max};
	recent->issues = calloc(max ? max : 1, sizeof(struct rt_issue *));
	return recent->issues ? RT_OK : rt_error_nomem(err);
}

static void recent_release(struct rt_recent *recent)
{
	for (size_t i = 0; i < recent->count; i++)
		free(recent->issues[i]);
	free(recent->issues);
	recent->issues = NULL;
	recent->count = 0;
}

/* Bytes of YYYY-MM-DDTHH:MM:SSZ, and of the same between quotes. */
#define USUAL_DATE 20u

/*
 * Whether an issue is plainly older than one that is kept: both dates are in the usual form, in
 * which the order of bytes is that of time, or the issue's is no date at all. Nothing else of that
 * length is one but with a blank for the T, or without a T and with escapes; and second 60 is the
 * next minute's 0.
 */
static bool is_older(const struct rt_record *record, const struct rt_issue *kept)
{
	struct rt_slice stays = kept->values[RT_M_CREATED_AT], text;

	if (!kept->dated || stays.len != USUAL_DATE + 2 || stays.ptr[11] != 'T' ||
	    !rt_record_has(record, RT_M_CREATED_AT))
		return false;
	text = rt_record_string(record, RT_M_CREATED_AT);
	return text.len == USUAL_DATE && text.ptr[10] == 'T' && text.ptr[17] != '6' &&
	       memcmp(text.ptr, stays.ptr + 1, USUAL_DATE) < 0;
}

/* Read created_at; plain holds its text where it has escapes. */
static bool read_instant(const struct rt_record *record, char *plain, struct rt_instant *instant)
{
	struct rt_slice text;

	if (!rt_record_has(record, RT_M_CREATED_AT))
		return false;
	text = rt_record_string(record, RT_M_CREATED_AT);
	if (rt_json_string_is_escaped(text)) {
		if (text.len > ESCAPED_DATE_MAX)
			return false;
		text.len = rt_json_string_decode(text, plain);
		text.ptr = plain;
	}
	return rt_instant_parse(text, instant);
}

/* Negative: a is before b in the answer. */
static int compare(const struct rt_issue *a, const struct rt_issue *b)
{
	int order = 0;

	if (a->dated != b->dated)
		return a->dated ? -1 : 1;
	if (a->dated)
		order = rt_instant_compare(&b->instant, &a->instant);
	return order ? order : rt_slice_compare(a->id, b->id);
}

/* Append text after *room and point to it there. */
static void keep(char **room, struct rt_slice *text)
{
	memcpy(*room, text->ptr, text->len);
	text->ptr = *room;
	*room += text->len;
}

/* Copy an issue with its texts. */
static enum rt_status copy(struct rt_recent *recent, const struct rt_issue *issue,
			   struct rt_issue **ret_copy, struct rt_error *err)
{
	size_t need = issue->id.len + issue->instant.fraction.len;
	struct rt_issue *made;
	char *room;

	for (size_t i = 0; i < RT_ISSUE_MEMBERS; i++)
		need += issue->values[i].len;
	if (recent->bytes + need > recent->bytes_max)
		return rt_error_set(
		    err, RT_E_LIMIT,
		    "want recent issues of at most %llu byte%s (limit \"recent\"), have more",
		    (unsigned long long)recent->bytes_max, RT_S(recent->bytes_max));
	made = malloc(sizeof(*made) + need);
	if (!made)
		return rt_error_nomem(err);
	recent->bytes += need;
	*made = *issue;
	made->room = need;
	room = (char *)(made + 1);
	keep(&room, &made->id);
	if (made->instant.fraction.len)
		keep(&room, &made->instant.fraction);
	for (size_t i = 0; i < RT_ISSUE_MEMBERS; i++) {
		if (made->values[i].ptr)
			keep(&room, &made->values[i]);
	}
	*ret_copy = made;
	return RT_OK;
}

/* How many of the kept ones stand before issue. */
static size_t find_rank(const struct rt_recent *recent, const struct rt_issue *issue)
{
	size_t low = 0, high = recent->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(recent->issues[middle], issue) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void drop_last(struct rt_recent *recent)
{
	struct rt_issue *last = recent->issues[--recent->count];

	recent->bytes -= last->room;
	free(last);
}

/* There is room for one more. */
static void insert(struct rt_recent *recent, size_t rank, struct rt_issue *issue)
{
	memmove(&recent->issues[rank + 1], &recent->issues[rank],
		(recent->count - rank) * sizeof(struct rt_issue *));
	recent->issues[rank] = issue;
	recent->count++;
}

enum rt_status rt_recent_add(struct rt_recent *recent, const struct rt_record *record, bool expired,
			     struct rt_error *err)
{
	struct rt_issue issue, *made = NULL;
	bool full = recent->count == recent->max;
	char plain[ESCAPED_DATE_MAX];
	enum rt_status status;
	size_t rank;

	if (recent->max == 0 || (full && is_older(record, recent->issues[recent->count - 1])))
		return RT_OK;
	issue = (struct rt_issue){.id = record->id, .expired = expired};
	issue.dated = read_instant(record, plain, &issue.instant);
	if (full && compare(&issue, recent->issues[recent->count - 1]) >= 0)
		return RT_OK;
	for (size_t i = 0; i < RT_ISSUE_MEMBERS; i++)
		issue.values[i] = record->types[i] ? record->values[i] : (struct rt_slice){0};
	rank = find_rank(recent, &issue);
	if (full)
		drop_last(recent);
	status = copy(recent, &issue, &made, err);
	if (status == RT_OK)
		insert(recent, rank, made);
	return status;
}

/* Take over those of another list that are among the newest of both; the other one is empty then.
 */
static void recent_merge(struct rt_recent *recent, struct rt_recent *from)
{
	while (from->count) {
		struct rt_issue *issue = from->issues[from->count - 1];
		size_t rank = find_rank(recent, issue);

		if (rank == recent->max) {
			drop_last(from);
			continue;
		}
		if (recent->count == recent->max)
			drop_last(recent);
		from->count--;
		recent->bytes += issue->room;
		insert(recent, rank, issue);
	}
}

/* --- Counts ---------------------------------------------------------------------------------- */

enum rt_status rt_summary_init(struct rt_summary *summary, size_t recent,
			       const struct rt_limits *limits, const struct rt_siphash_key *key,
			       struct rt_error *err)
{
	memset(summary, 0, sizeof(*summary));
	summary->distinct.max = limits->distinct_bytes;
	rt_counts_init(&summary->severities, key, &summary->distinct);
	rt_counts_init(&summary->categories, key, &summary->distinct);
	return recent_init(&summary->recent, recent, limits->recent_bytes, err);
}

void rt_summary_release(struct rt_summary *summary)
{
	rt_counts_release(&summary->severities);
	rt_counts_release(&summary->categories);
	recent_release(&summary->recent);
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

unsigned rt_severity_rank(struct rt_slice text)
{
	unsigned level = 0;

	while (level < RT_SEVERITY_LEVELS && !rt_slice_equal(text, level_names[level]))
		level++;
	return level;
}

static enum rt_status add_severity(struct rt_summary *summary, const struct rt_record *issue,
				   bool open, struct rt_error *err)
{
	bool named = rt_record_has(issue, RT_M_SEVERITY);
	size_t level =
	    named ? rt_severity_rank(rt_record_string(issue, RT_M_SEVERITY)) : RT_SEVERITY_LEVELS;
	enum rt_status status = RT_OK;
	struct rt_slice text;

	/* Most are a level as they are, without escapes. */
	if (level == RT_SEVERITY_LEVELS) {
		status = rt_summary_text(issue, RT_M_SEVERITY, &summary->text, &text, err);
		if (status != RT_OK)
			return status;
		level = rt_severity_rank(text);
	}
	if (level == RT_SEVERITY_LEVELS) {
		summary->no_severity += !named;
		return rt_counts_put(&summary->severities, text, 1, open, err);
	}
	summary->levels[level]++;
	summary->open_levels[level] += open;
	return RT_OK;
}

enum rt_status rt_summary_count(struct rt_summary *summary, const struct rt_finding *finding,
				struct rt_error *err)
{
	const struct rt_record *issue = finding->record;
	bool open = finding->open;
	struct rt_fault fault = {add_severity(summary, issue, open, err), err};
	struct rt_slice category;

	RT_STEP(&fault, rt_summary_text(issue, RT_M_CATEGORY, &summary->text, &category, err));
	if (RT_STEP(&fault, rt_counts_put(&summary->categories, category, 1, open, err)) != RT_OK)
		return fault.status;
	summary->total++;
	summary->false_positives += finding->status != RT_STATUS_OPEN;
	summary->open += open;
	summary->expired += finding->status == RT_STATUS_EXPIRED;
	return RT_OK;
}

enum rt_status rt_summary_add(struct rt_summary *summary, const struct rt_finding *finding,
			      struct rt_error *err)
{
	enum rt_status status = rt_summary_count(summary, finding, err);

	return status == RT_OK ? rt_recent_add(&summary->recent, finding->record,
					       finding->status == RT_STATUS_EXPIRED, err)
			       : status;
}

enum rt_status rt_summary_merge(struct rt_summary *summary, struct rt_summary *from,
				struct rt_error *err)
{
	enum rt_status status = rt_counts_merge(&summary->severities, &from->severities, err);

	if (status == RT_OK)
		status = rt_counts_merge(&summary->categories, &from->categories, err);
	if (status != RT_OK)
		return status;
	recent_merge(&summary->recent, &from->recent);
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

/* How many issues name the severity of a row: those without one are counted under `unknown`. */
static uint64_t named_count(const struct rt_count *row, bool open, uint64_t unnamed)
{
	return (open ? row->open : row->count) -
	       (rt_slice_equal(row->text, RT_SLICE("unknown")) ? unnamed : 0);
}

bool rt_severities_list(const struct rt_count *rows, size_t count, bool open, uint64_t unnamed,
			uint64_t none, char *text, size_t cap)
{
	const struct rt_count *list[TOLD_MAX + 1];
	size_t listed = 0, values = 0, len = 0;
	char value[TOLD_BYTES + 1];

	for (size_t i = 0; i < count; i++) {
		uint64_t issues = named_count(&rows[i], open, unnamed);
		size_t at = listed;

		values += issues > 0;
		for (; issues && at > 0 && named_count(list[at - 1], open, unnamed) < issues; at--)
			list[at] = list[at - 1];
		list[at] = &rows[i];
		listed += issues && listed < TOLD_MAX;
	}
	text[0] = '\0';
	for (size_t i = 0; i < listed && len < cap; i++) {
		rt_error_text(value, sizeof(value), list[i]->text);
		len += (size_t)snprintf(text + len, cap - len, "%s \"%s%s\" %" PRIu64, i ? "," : "",
					value, list[i]->text.len > TOLD_BYTES ? "..." : "",
					named_count(list[i], open, unnamed));
	}
	if (none && len < cap)
		len += (size_t)snprintf(text + len, cap - len, "%s none %" PRIu64,
					values ? "," : "", none);
	if (values > listed && len < cap)
		(void)snprintf(text + len, cap - len, " and %zu other value%s", values - listed,
			       values - listed == 1 ? "" : "s");
	return values > 0;
}

bool rt_summary_tell_severities(const struct rt_summary *summary, char *text, size_t cap)
{
	const struct rt_counts *all = &summary->severities;
	uint64_t issues = 0;
	size_t len;

	for (size_t i = 0; i < all->used; i++)
		issues += named_count(&all->slots[i], false, summary->no_severity);
	len = (size_t)snprintf(text, cap, "%" PRIu64 " %s a severity that is no level:", issues,
			       issues == 1 ? "issue has" : "issues have");
	return rt_severities_list(all->slots, all->used, false, summary->no_severity, 0, text + len,
				  cap - len);
}
