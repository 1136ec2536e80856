/*
 * Compares a data set with its baseline and keeps some bytes an issue of what came out, so that the
 * data set can be read again with that beside it.
 */
#include "ops/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/instant.h"
#include "base/put.h"
#include "engine/counts.h"
#include "ops/scans.h"

struct rt_baseline {
	struct rt_compared compared;
	struct rt_scans scans; /* without the matcher */
	char was[RT_SCAN_CHANGE];
};

/* --- Ambiguous groups ------------------------------------------------------------------------ */

/* The worst first: open before dismissed, then by level; a severity that is no level counts as the
 * worst. */
static unsigned rank_of(const struct rt_scan_kept *issue)
{
	return (issue->level == RT_LEVEL_OTHER ? 0 : issue->level + 1u) + (issue->open ? 0 : 16);
}

/* ctx: the issues of the side. */
static int by_rank(const void *left, const void *right, void *ctx)
{
	const struct rt_scans_grouped *a = left, *b = right;
	const struct rt_scan_kept *issues = ctx;
	unsigned of_a = rank_of(&issues[a->index]), of_b = rank_of(&issues[b->index]);

	if (of_a != of_b)
		return of_a < of_b ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Keep a text. ret_text: owned by the caller; ptr NULL where it could not be. */
static enum rt_status copy(struct rt_slice text, struct rt_slice *ret_text, struct rt_error *err)
{
	char *room = malloc(text.len + 1);

	if (!room)
		return rt_error_nomem(err);
	if (text.len)
		memcpy(room, text.ptr, text.len);
	*ret_text = rt_slice_make(room, text.len);
	return RT_OK;
}

/* Put a group among those that are named. members: count of them, in any order. */
static enum rt_status name_group(struct rt_baseline *b, struct rt_scans *scans,
				 const struct rt_scans_grouped *members, size_t count, size_t old,
				 struct rt_error *err)
{
	struct rt_compared_group *group;
	enum rt_status status = RT_OK;

	if (b->compared.groups++ >= RT_COMPARED_GROUPS)
		return RT_OK;
	group = &b->compared.named[b->compared.groups - 1];
	*group = (struct rt_compared_group){
	    .by = rt_match_by_name(members->by), .old = (uint32_t)old, .issues = (uint32_t)count};
	for (uint32_t i = 0; status == RT_OK && i < count && i < RT_GATE_PLACES; i++) {
		struct rt_scan_issue issue;

		status = rt_scans_issue(scans, RT_MATCH_NEW, members[i].index, &issue, err);
		if (status == RT_OK)
			status = copy(issue.fields[RT_SCAN_ID], &group->ids[i], err);
		group->id_count += status == RT_OK;
	}
	return status;
}

/* Of each group of m old and n new issues n - m are new (W6): the worst of them. */
static enum rt_status take_groups(struct rt_baseline *b, struct rt_scans *scans,
				  struct rt_error *err)
{
	struct rt_scan_kept *issues = scans->side[RT_MATCH_NEW].issues;
	struct rt_scans_grouped *all = NULL, *group;
	size_t count = 0, at = 0, old, new;
	enum rt_status status = rt_scans_groups(scans, true, &all, &count, err);

	while (status == RT_OK && (group = rt_scans_next_group(all, count, &at, &old, &new))) {
		group += old;
		if (!new)
			continue;
		qsort_r(group, new, sizeof(*group), by_rank, issues);
		for (size_t i = 0; i < new; i++)
			issues[group[i].index].is_new = i + old < new;
		status = name_group(b, scans, group, new, old, err);
	}
	free(all);
	return status;
}

/* --- What came out --------------------------------------------------------------------------- */

static int64_t earlier(struct rt_slice text, int64_t than)
{
	struct rt_instant instant;

	if (!text.ptr || !rt_instant_parse(text, &instant))
		return than;
	return instant.seconds < than ? instant.seconds : than;
}

/* PATH:LINE and title, in one text. */
static enum rt_status take_gone_one(struct rt_compared *said, const struct rt_scan_issue *issue,
				    unsigned level, struct rt_error *err)
{
	struct rt_compared_gone *gone = &said->gone[said->gone_count];
	struct rt_buf text = {0};
	struct rt_put put = {&text, err, RT_OK};

	rt_put(&put, issue->fields[RT_SCAN_PATH]);
	if (text.len && issue->fields[RT_SCAN_LINE].ptr) {
		RT_PUT(&put, ":");
		rt_put(&put, issue->fields[RT_SCAN_LINE]);
	}
	gone->place_len = text.len;
	gone->level = level;
	rt_put(&put, issue->fields[RT_SCAN_TITLE]);
	if (put.status == RT_OK)
		put.status = copy(rt_buf_slice(&text), &gone->text, err);
	said->gone_count += put.status == RT_OK;
	rt_buf_release(&text);
	return put.status;
}

/* Keep the worst of what is gone, in input order among equals; and when the baseline was made. */
static enum rt_status take_gone(struct rt_baseline *b, struct rt_scans *scans, struct rt_error *err)
{
	const struct rt_scan_side *old = &scans->side[RT_MATCH_OLD];
	struct rt_compared *said = &b->compared;
	struct rt_scan_issue issue;

	said->since = INT64_MIN;
	for (uint32_t i = 0; i < old->count; i++) {
		int64_t seconds;

		if (rt_scans_issue(scans, RT_MATCH_OLD, i, &issue, err) != RT_OK)
			return RT_FATAL;
		seconds = earlier(issue.fields[RT_SCAN_SCANNED_AT], INT64_MAX);
		if (seconds != INT64_MAX && seconds > said->since)
			said->since = seconds;
	}
	for (unsigned level = 0; level < RT_LEVELS; level++) {
		for (uint32_t i = 0; i < old->count && said->gone_count < RT_COMPARED_GONE; i++) {
			if (old->issues[i].class != RT_CLASS_GONE ||
			    old->issues[i].level != level ||
			    !rt_scans_shown(scans, RT_MATCH_OLD, i))
				continue;
			if (rt_scans_issue(scans, RT_MATCH_OLD, i, &issue, err) != RT_OK ||
			    take_gone_one(said, &issue, level, err) != RT_OK)
				return RT_FATAL;
		}
	}
	return RT_OK;
}

/* --- Where it changed ------------------------------------------------------------------------ */

/* Issues that are new and open, or gone, of one category or folder. */
struct change {
	struct rt_count of; /* whose counts are not used */
	uint64_t fresh[RT_LEVELS], gone[RT_LEVELS];
};

/* The worst new ones decide, then the worst gone ones. */
static bool is_worse(const struct rt_compared_change *a, const struct rt_compared_change *b)
{
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (a->fresh[i] != b->fresh[i])
			return a->fresh[i] > b->fresh[i];
	}
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (a->gone[i] != b->gone[i])
			return a->gone[i] > b->gone[i];
	}
	return rt_slice_compare(a->text, b->text) < 0;
}

/* Put a change among the worst. Its text is copied where it is one of them. */
static enum rt_status put_change(struct rt_compared_changes *changes,
				 struct rt_compared_change change, struct rt_error *err)
{
	size_t at = changes->count;

	changes->all++;
	while (at > 0 && is_worse(&change, &changes->worst[at - 1]))
		at--;
	if (at == RT_COMPARED_CHANGES)
		return RT_OK;
	if (copy(change.text, &change.text, err) != RT_OK)
		return RT_FATAL;
	if (changes->count == RT_COMPARED_CHANGES)
		free((void *)(uintptr_t)changes->worst[--changes->count].text.ptr);
	memmove(&changes->worst[at + 1], &changes->worst[at],
		(changes->count - at) * sizeof(change));
	changes->worst[at] = change;
	changes->count++;
	return RT_OK;
}

/* Count an issue for its category and for its folder. */
static enum rt_status count_change(struct rt_scans *scans, struct rt_counts *tables, int side,
				   uint32_t index, struct rt_error *err)
{
	unsigned level = scans->side[side].issues[index].level;
	struct rt_scan_issue issue;
	struct rt_slice texts[RT_COMPARED_WHERES], *folder = &texts[RT_COMPARED_FOLDER];

	if (rt_scans_issue(scans, (enum rt_match_side)side, index, &issue, err) != RT_OK)
		return RT_FATAL;
	texts[RT_COMPARED_CATEGORY] = issue.fields[RT_SCAN_CATEGORY];
	*folder = issue.fields[RT_SCAN_PATH];
	while (folder->len && folder->ptr[folder->len - 1] != '/')
		folder->len--;
	for (size_t i = 0; i < RT_COMPARED_WHERES; i++) {
		struct change *change = rt_counts_row(&tables[i], texts[i], err);

		if (!change)
			return RT_FATAL;
		(side == RT_MATCH_OLD ? change->gone : change->fresh)[level]++;
	}
	return RT_OK;
}

static enum rt_status count_changes(struct rt_scans *scans, struct rt_counts *tables,
				    struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (int side = 0; side < 2; side++) {
		const struct rt_scan_side *scan = &scans->side[side];

		for (uint32_t i = 0; status == RT_OK && i < scan->count; i++) {
			bool changed = side == RT_MATCH_OLD
					   ? scan->issues[i].class == RT_CLASS_GONE
					   : scan->issues[i].is_new && scan->issues[i].open;

			if (changed && rt_scans_shown(scans, (enum rt_match_side)side, i))
				status = count_change(scans, tables, side, i, err);
		}
	}
	return status;
}

static enum rt_status take_changes(struct rt_baseline *b, struct rt_scans *scans,
				   struct rt_error *err)
{
	struct rt_counts_limit limit = {
	    .max = rt_state_options(scans->state[RT_MATCH_OLD])->limits.distinct_bytes};
	struct rt_counts tables[RT_COMPARED_WHERES];
	enum rt_status status;

	for (size_t i = 0; i < RT_COMPARED_WHERES; i++) {
		rt_counts_init(&tables[i], &scans->key, &limit);
		tables[i].row_bytes = sizeof(struct change);
	}
	status = count_changes(scans, tables, err);
	for (size_t i = 0; i < RT_COMPARED_WHERES; i++) {
		const struct change *all = (const void *)tables[i].slots;

		for (size_t k = 0; status == RT_OK && k < tables[i].used; k++) {
			struct rt_compared_change change = {.text = all[k].of.text};

			memcpy(change.fresh, all[k].fresh, sizeof(change.fresh));
			memcpy(change.gone, all[k].gone, sizeof(change.gone));
			status = put_change(&b->compared.changes[i], change, err);
		}
		rt_counts_release(&tables[i]);
	}
	return status;
}

/* An issue of the old scan that was open, and what became of it. */
static void count_before(struct rt_compared *said, enum rt_class class, unsigned level)
{
	said->before_open[level]++;
	said->gone_open[level] += class == RT_CLASS_GONE;
	said->unscanned_open[level] += class == RT_CLASS_NOT_SCANNED;
}

/* A pair of which one is open, and the other is dismissed. */
static void count_decided(struct rt_compared *said, const struct rt_scan_side *old,
			  const struct rt_scan_side *new, uint32_t from, uint32_t to)
{
	if (old->issues[from].open && !new->issues[to].open)
		said->decided[old->issues[from].level]--;
	else if (!old->issues[from].open && new->issues[to].open)
		said->decided[new->issues[to].level]++;
}

static void count(struct rt_baseline *b, const struct rt_scans *scans)
{
	const struct rt_scan_side *before = &scans->side[RT_MATCH_OLD];
	struct rt_compared *said = &b->compared;

	for (int side = 0; side < 2; side++) {
		const struct rt_scan_side *scan = &scans->side[side];

		for (uint32_t i = 0; i < scan->count; i++) {
			enum rt_class class = scan->issues[i].class;
			bool is_old = class == RT_CLASS_GONE || class == RT_CLASS_NOT_SCANNED;

			if (!rt_scans_shown(scans, (enum rt_match_side)side, i))
				continue;
			if (side == RT_MATCH_OLD) {
				said->old++;
				said->ambiguous_old += class == RT_CLASS_AMBIGUOUS;
				if (scan->issues[i].open)
					count_before(said, class, scan->issues[i].level);
			} else {
				said->issues++;
				said->fresh += scan->issues[i].is_new;
				said->fresh_open[scan->issues[i].level] +=
				    scan->issues[i].is_new && scan->issues[i].open;
				if (scan->issues[i].partner != RT_MATCH_NONE)
					count_decided(said, before, scan, scan->issues[i].partner,
						      i);
			}
			said->classes[class] += is_old == (side == RT_MATCH_OLD);
			said->gone_levels[scan->issues[i].level] += class == RT_CLASS_GONE;
		}
	}
}

static enum rt_status keep(struct rt_baseline *b, struct rt_scans *scans, struct rt_error *err)
{
	struct rt_scan_side *new = &scans->side[RT_MATCH_NEW];
	enum rt_status status;

	for (uint32_t i = 0; i < new->count; i++)
		new->issues[i].is_new = new->issues[i].class == RT_CLASS_NEW;
	status = take_groups(b, scans, err);
	if (status == RT_OK)
		status = take_gone(b, scans, err);
	if (status == RT_OK)
		status = take_changes(b, scans, err);
	if (status != RT_OK)
		return status;
	count(b, scans);
	b->compared.ids_reused = rt_match_reused(scans->match).ids;
	rt_match_free(scans->match);
	scans->match = NULL;
	return RT_OK;
}

bool rt_baseline_digest(const struct rt_baseline *b, size_t index, uint8_t sha256[RT_SHA256_BYTES],
			uint64_t *ret_bytes)
{
	return rt_state_digest(b->scans.state[RT_MATCH_OLD], index, sha256, ret_bytes);
}

static enum rt_status compare(struct rt_baseline *b, const struct rt_options *options, bool digests,
			      struct rt_state *state, struct rt_filter *filter,
			      struct rt_error *err)
{
	enum rt_status status;

	rt_scans_init(&b->scans);
	b->scans.extras[RT_MATCH_OLD].digests = digests;
	status = rt_scans_compare(&b->scans, options->baseline, state, filter, err);
	if (status == RT_OK)
		status = rt_scans_tell(&b->scans, options, err);
	return status == RT_OK ? keep(b, &b->scans, err) : status;
}

static bool reads_stream(const struct rt_options *options)
{
	size_t i = 0;

	while (i < options->path_count && strcmp(options->paths[i], "-") != 0)
		i++;
	return i < options->path_count;
}

enum rt_status rt_baseline_open(const struct rt_options *options,
				const struct rt_state_extras *extras, const struct rt_term *terms,
				size_t term_count, int64_t at, struct rt_state **ret_state,
				struct rt_baseline **ret_baseline, struct rt_error *err)
{
	struct rt_state_extras wanted = {.again = options->baseline != NULL};
	struct rt_baseline *b = NULL;
	struct rt_filter *filter = NULL;
	struct rt_state *state = NULL;
	enum rt_status status;

	if (extras)
		wanted = *extras;
	wanted.again = wanted.again || options->baseline;
	*ret_baseline = NULL;
	if (options->baseline && reads_stream(options) && reads_stream(options->baseline))
		return rt_error_set(err, RT_E_USAGE, "standard input cannot be both scans");
	status = rt_state_open(options, &wanted, &state, err);
	if (status == RT_OK && options->baseline) {
		b = calloc(1, sizeof(*b));
		status =
		    b ? rt_filter_new(terms, term_count, at, &filter, err) : rt_error_nomem(err);
		if (status == RT_OK)
			status = compare(b, options, wanted.digests, state, filter, err);
		rt_filter_free(filter);
	}
	if (status != RT_OK) {
		rt_state_free(state);
		rt_baseline_free(b);
		return status;
	}
	*ret_state = state;
	*ret_baseline = b;
	return RT_OK;
}

static enum rt_status refuse_changed(struct rt_error *err)
{
	return rt_error_set(err, RT_E_IO, "the input changed while it was read");
}

bool rt_baseline_is_gone(const struct rt_baseline *b, uint64_t number)
{
	const struct rt_scan_side *old = &b->scans.side[RT_MATCH_OLD];

	return number < old->count && old->issues[number].class == RT_CLASS_GONE;
}

enum rt_status rt_baseline_mark(struct rt_baseline *b, struct rt_finding *finding,
				struct rt_error *err)
{
	const struct rt_scan_side *side = b ? &b->scans.side[RT_MATCH_NEW] : NULL;
	const struct rt_scan_kept *kept;
	struct rt_scan_issue old, new;

	if (!b)
		return RT_OK;
	if (finding->number >= side->count)
		return refuse_changed(err);
	kept = &side->issues[finding->number];
	finding->class = (enum rt_class)kept->class;
	finding->is_new = kept->is_new;
	finding->first_seen = INT64_MAX;
	if (kept->partner == RT_MATCH_NONE)
		return RT_OK;
	if (rt_scans_issue(&b->scans, RT_MATCH_OLD, kept->partner, &old, err) != RT_OK)
		return RT_FATAL;
	/* Its own date, or that of the scan (W55). */
	finding->first_seen = earlier(old.fields[RT_SCAN_CREATED_AT],
				      earlier(old.fields[RT_SCAN_SCANNED_AT], INT64_MAX));
	if (finding->class != RT_CLASS_MOVED && finding->class != RT_CLASS_CHANGED)
		return RT_OK;
	if (rt_scans_issue(&b->scans, RT_MATCH_NEW, (uint32_t)finding->number, &new, err) != RT_OK)
		return RT_FATAL;
	rt_scans_describe(finding->class, false, &old, &new, b->was);
	finding->was = rt_slice_of(b->was);
	return RT_OK;
}

enum rt_status rt_baseline_end(const struct rt_baseline *b, const struct rt_state *state,
			       struct rt_error *err)
{
	if (!b || rt_parts_stamp(rt_dataset_reader(rt_state_dataset(state))->view.parts) ==
		      b->scans.stamp)
		return RT_OK;
	return refuse_changed(err);
}

const struct rt_compared *rt_baseline_compared(const struct rt_baseline *b)
{
	return b ? &b->compared : NULL;
}

void rt_baseline_free(struct rt_baseline *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < RT_COMPARED_GROUPS; i++) {
		for (size_t k = 0; k < b->compared.named[i].id_count; k++)
			free((void *)(uintptr_t)b->compared.named[i].ids[k].ptr);
	}
	for (size_t i = 0; i < b->compared.gone_count; i++)
		free((void *)(uintptr_t)b->compared.gone[i].text.ptr);
	for (int where = 0; where < RT_COMPARED_WHERES; where++) {
		for (size_t i = 0; i < b->compared.changes[where].count; i++)
			free((void *)(uintptr_t)b->compared.changes[where].worst[i].text.ptr);
	}
	rt_scans_release(&b->scans);
	free(b);
}
