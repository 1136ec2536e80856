/*
 * Compares a data set with its baseline and keeps some bytes an issue of what came out, so that the
 * data set can be read again with that beside it.
 */
#include "ops/baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/instant.h"
#include "engine/counts.h"
#include "ops/scans.h"

struct rt_baseline {
	struct rt_fault fault;
	struct rt_compared compared;
	struct rt_counts texts; /* those of what is compared */
	struct rt_counts_limit no_limit;
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

/* Put a group among those that are named. members: count of them, in any order. */
static void name_group(struct rt_baseline *b, const struct rt_scans_grouped *members, size_t count,
		       size_t old)
{
	struct rt_compared_group *group;

	if (b->compared.groups++ >= RT_COMPARED_GROUPS)
		return;
	group = &b->compared.named[b->compared.groups - 1];
	*group = (struct rt_compared_group){
	    .by = rt_match_by_name(members->by), .old = (uint32_t)old, .issues = (uint32_t)count};
	while (group->id_count < count && group->id_count < RT_GATE_PLACES) {
		struct rt_scan_issue issue =
		    rt_scans_issue(&b->scans, RT_MATCH_NEW, members[group->id_count].index);

		group->ids[group->id_count++] =
		    rt_counts_keep(&b->texts, issue.fields[RT_SCAN_ID], &b->fault);
	}
}

/* Of each group of m old and n new issues n - m are new (W6): the worst of them. */
static void take_groups(struct rt_baseline *b)
{
	struct rt_scan_kept *issues = b->scans.side[RT_MATCH_NEW].issues;
	struct rt_scans_group group;
	size_t at = 0;

	rt_scans_find_groups(&b->scans, true);
	while (rt_scans_next_group(&b->scans, &at, &group)) {
		if (!group.new_count)
			continue;
		qsort_r(group.new, group.new_count, sizeof(*group.new), by_rank, issues);
		for (size_t i = 0; i < group.new_count; i++)
			issues[group.new[i].index].is_new = i + group.old_count < group.new_count;
		name_group(b, group.new, group.new_count, group.old_count);
	}
}

/* --- What came out --------------------------------------------------------------------------- */

static int64_t earlier(struct rt_slice text, int64_t than)
{
	struct rt_instant instant;

	if (!text.ptr || !rt_instant_parse(text, &instant))
		return than;
	return instant.seconds < than ? instant.seconds : than;
}

/* PATH:LINE and headline, in one text. */
static void take_gone_one(struct rt_baseline *b, uint32_t index, unsigned level)
{
	struct rt_compared_gone *gone = &b->compared.gone[b->compared.gone_count++];
	struct rt_scan_issue issue = rt_scans_issue(&b->scans, RT_MATCH_OLD, index);
	struct rt_slice text = issue.fields[RT_SCAN_HEADLINE];

	gone->level = level;
	gone->place_len = rt_scans_place(&b->scans, &issue).len;
	RT_STEP(&b->fault, rt_buf_append(&b->scans.line, text.ptr, text.len, b->fault.err));
	gone->text = rt_counts_keep(&b->texts, rt_buf_slice(&b->scans.line), &b->fault);
}

/* Keep the worst of what is gone, in input order among equals; and when the baseline was made. */
static void take_gone(struct rt_baseline *b)
{
	const struct rt_scan_side *old = &b->scans.side[RT_MATCH_OLD];
	struct rt_compared *said = &b->compared;

	said->since = INT64_MIN;
	for (uint32_t i = 0; b->fault.status == RT_OK && i < old->count; i++) {
		struct rt_scan_issue issue = rt_scans_issue(&b->scans, RT_MATCH_OLD, i);
		int64_t seconds = earlier(issue.fields[RT_SCAN_SCANNED_AT], INT64_MAX);

		if (seconds != INT64_MAX && seconds > said->since)
			said->since = seconds;
	}
	for (unsigned level = 0; level < RT_LEVELS; level++) {
		for (uint32_t i = 0; b->fault.status == RT_OK && i < old->count &&
				     said->gone_count < RT_COMPARED_GONE;
		     i++) {
			if (old->issues[i].class == RT_CLASS_GONE &&
			    old->issues[i].level == level &&
			    rt_scans_shown(&b->scans, RT_MATCH_OLD, i))
				take_gone_one(b, i, level);
		}
	}
}

/* --- Where it changed ------------------------------------------------------------------------ */

/* Issues that are new and open, or gone, of one category or folder. */
struct change {
	struct rt_count of; /* whose counts are not used */
	uint64_t fresh[RT_LEVELS], gone[RT_LEVELS];
};

/* The worst new ones decide, then the worst gone ones. */
static int by_worst(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (a->fresh[i] != b->fresh[i])
			return a->fresh[i] > b->fresh[i] ? -1 : 1;
	}
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (a->gone[i] != b->gone[i])
			return a->gone[i] > b->gone[i] ? -1 : 1;
	}
	return rt_slice_compare(a->of.text, b->of.text);
}

/* Count an issue for its category and for its folder. */
static void count_change(struct rt_baseline *b, struct rt_counts *tables, enum rt_match_side side,
			 uint32_t index)
{
	unsigned level = b->scans.side[side].issues[index].level;
	struct rt_scan_issue issue = rt_scans_issue(&b->scans, side, index);
	struct rt_slice texts[RT_COMPARED_WHERES], *folder = &texts[RT_COMPARED_FOLDER];

	texts[RT_COMPARED_CATEGORY] = issue.fields[RT_SCAN_CATEGORY];
	*folder = issue.fields[RT_SCAN_PATH];
	while (folder->len && folder->ptr[folder->len - 1] != '/')
		folder->len--;
	for (size_t i = 0; b->fault.status == RT_OK && i < RT_COMPARED_WHERES; i++) {
		struct change *change = rt_counts_row(&tables[i], texts[i], b->fault.err);

		if (change)
			(side == RT_MATCH_OLD ? change->gone : change->fresh)[level]++;
		else
			b->fault.status = RT_FATAL;
	}
}

/* Keep the worst of a table. */
static void take_changes(struct rt_baseline *b, struct rt_compared_changes *changes,
			 struct rt_counts *table)
{
	struct change *all = (void *)table->slots;

	changes->all = table->used;
	if (!all)
		return;
	qsort(all, table->used, sizeof(*all), by_worst);
	while (changes->count < table->used && changes->count < RT_COMPARED_CHANGES) {
		const struct change *from = &all[changes->count];
		struct rt_compared_change *to = &changes->worst[changes->count++];

		to->text = rt_counts_keep(&b->texts, from->of.text, &b->fault);
		memcpy(to->fresh, from->fresh, sizeof(to->fresh));
		memcpy(to->gone, from->gone, sizeof(to->gone));
	}
}

static void count_changes(struct rt_baseline *b)
{
	struct rt_counts_limit limit = {
	    .max = rt_state_options(b->scans.side[RT_MATCH_OLD].state)->limits.distinct_bytes};
	struct rt_counts tables[RT_COMPARED_WHERES];

	for (size_t i = 0; i < RT_COMPARED_WHERES; i++) {
		rt_counts_init(&tables[i], &b->scans.key, &limit);
		tables[i].row_bytes = sizeof(struct change);
	}
	for (enum rt_match_side side = RT_MATCH_OLD; side <= RT_MATCH_NEW; side++) {
		const struct rt_scan_side *scan = &b->scans.side[side];

		for (uint32_t i = 0; b->fault.status == RT_OK && i < scan->count; i++) {
			bool changed = side == RT_MATCH_OLD
					   ? scan->issues[i].class == RT_CLASS_GONE
					   : scan->issues[i].is_new && scan->issues[i].open;

			if (changed && rt_scans_shown(&b->scans, side, i))
				count_change(b, tables, side, i);
		}
	}
	for (size_t i = 0; i < RT_COMPARED_WHERES; i++) {
		if (b->fault.status == RT_OK)
			take_changes(b, &b->compared.changes[i], &tables[i]);
		rt_counts_release(&tables[i]);
	}
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

/* Both scans were read: keep what came out. */
static void keep(struct rt_baseline *b)
{
	struct rt_scan_side *new = &b->scans.side[RT_MATCH_NEW];

	b->no_limit.max = UINT64_MAX;
	rt_counts_init(&b->texts, &b->scans.key, &b->no_limit);
	/* Code that is known to be other may be a new fault in an old one's place (W6). */
	for (uint32_t i = 0; i < new->count; i++)
		new->issues[i].is_new = new->issues[i].class == RT_CLASS_NEW ||
					new->issues[i].difference != RT_MATCH_SAME;
	take_groups(b);
	take_gone(b);
	count_changes(b);
	count(b, &b->scans);
	b->compared.ids_reused = rt_match_reused(b->scans.match).ids;
	rt_match_free(b->scans.match);
	b->scans.match = NULL;
	rt_buf_release(&b->scans.grouped);
}

bool rt_baseline_digest(const struct rt_baseline *b, size_t index, uint8_t sha256[RT_SHA256_BYTES],
			uint64_t *ret_bytes)
{
	return rt_state_digest(b->scans.side[RT_MATCH_OLD].state, index, sha256, ret_bytes);
}

static bool reads_stream(const struct rt_options *options)
{
	size_t i = 0;

	while (i < options->path_count && strcmp(options->paths[i], "-") != 0)
		i++;
	return i < options->path_count;
}

void rt_baseline_explain(const struct rt_options *baseline, struct rt_error *err)
{
	size_t used = strlen(err->message), room = sizeof(err->message) - used;

	for (size_t i = 0; err->sys == ENOENT && i < baseline->path_count; i++) {
		if (strcmp(err->path, baseline->paths[i]) != 0)
			continue;
		(void)snprintf(err->message + used, room,
			       "; on a first run, make the baseline of the scan itself: retriage "
			       "report --to sarif=%s SCAN",
			       err->path);
		return;
	}
	if (baseline->path_count > 1 &&
	    strncmp(err->message, RT_DUPLICATE_ID, strlen(RT_DUPLICATE_ID)) == 0)
		(void)snprintf(err->message + used, room,
			       "; several --baseline are the parts of one scan: of scans one after "
			       "another give the last, as report --baseline OLD --to sarif=NEW "
			       "writes it");
}

enum rt_status rt_baseline_open(const struct rt_options *options,
				const struct rt_state_extras *extras, const struct rt_term *terms,
				size_t term_count, const struct rt_field_source *source,
				struct rt_state **ret_state, struct rt_baseline **ret_baseline,
				struct rt_error *err)
{
	struct rt_state_extras wanted = {.again = true};
	struct rt_baseline *b;
	struct rt_filter *filter = NULL;
	struct rt_state **new;
	enum rt_status status;

	*ret_baseline = NULL;
	if (!options->baseline)
		return rt_state_open(options, extras, ret_state, err);
	if (reads_stream(options) && reads_stream(options->baseline))
		return rt_error_set(err, RT_E_USAGE, "standard input cannot be both scans");
	b = calloc(1, sizeof(*b));
	if (!b)
		return rt_error_nomem(err);
	if (extras)
		wanted = *extras;
	wanted.again = true;
	b->fault.err = err;
	rt_scans_init(&b->scans, &b->fault);
	b->scans.side[RT_MATCH_OLD].extras.digests = wanted.digests;
	new = &b->scans.side[RT_MATCH_NEW].state;
	RT_STEP(&b->fault, rt_state_open(options, &wanted, new, err));
	if (RT_STEP(&b->fault, rt_filter_new(terms, term_count, source, &filter, err)) == RT_OK)
		b->compared.by_class = rt_filter_wants_class(filter);
	rt_scans_read(&b->scans, options->baseline, NULL, filter, source->at);
	if (b->fault.status != RT_OK)
		rt_baseline_explain(options->baseline, err);
	rt_filter_free(filter);
	rt_scans_tell(&b->scans, options);
	if (b->fault.status == RT_OK)
		keep(b);
	status = RT_STEP(&b->fault, rt_state_again(*new, err));
	if (status != RT_OK) {
		rt_baseline_free(b);
		return status;
	}
	*ret_state = *new;
	*new = NULL;
	*ret_baseline = b;
	return RT_OK;
}

static enum rt_status refuse_changed(struct rt_error *err)
{
	return rt_error_set(err, RT_E_IO, "the input changed while it was read");
}

enum rt_class rt_baseline_old_class(const struct rt_baseline *b, uint64_t number)
{
	const struct rt_scan_side *old = &b->scans.side[RT_MATCH_OLD];
	enum rt_class class =
	    number < old->count ? (enum rt_class)old->issues[number].class : RT_CLASS_NONE;

	return class == RT_CLASS_GONE || class == RT_CLASS_NOT_SCANNED ? class : RT_CLASS_NONE;
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
	finding->was_level = b->scans.side[RT_MATCH_OLD].issues[kept->partner].level;
	b->fault.err = err;
	old = rt_scans_issue(&b->scans, RT_MATCH_OLD, kept->partner);
	/* Its own date, or that of the scan (W55). */
	finding->first_seen = earlier(old.fields[RT_SCAN_CREATED_AT],
				      earlier(old.fields[RT_SCAN_SCANNED_AT], INT64_MAX));
	if (finding->class == RT_CLASS_MOVED || finding->class == RT_CLASS_CHANGED) {
		new = rt_scans_issue(&b->scans, RT_MATCH_NEW, (uint32_t)finding->number);
		rt_scans_describe(kept, &old, &new, b->was);
		finding->was = rt_slice_of(b->was);
	}
	return b->fault.status;
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
	rt_counts_release(&b->texts);
	rt_scans_release(&b->scans);
	free(b);
}
