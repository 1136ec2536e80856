/*
 * Counts the findings that were picked for a report: by level and age, and by the texts of some
 * members, of which a report shows the worst.
 */
#include "engine/facts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/instant.h"
#include "base/limits.h"
#include "base/siphash.h"
#include "engine/summary.h"

#define DAY 86400

/* The newest or oldest of some instants. */
struct bound {
	bool known;
	int64_t seconds;
	char text[RT_INSTANT_CHARS];
};

/* What is counted by its texts. */
enum { CATEGORIES, FILES, REPOS, TOOLS, TABLES };
static const enum rt_member table_members[TABLES] = {
    [CATEGORIES] = RT_M_CATEGORY,
    [FILES] = RT_M_FILE_PATH,
    [REPOS] = RT_M_REPO_NAME,
    [TOOLS] = RT_M_MODEL_USED,
};

struct rt_tallying {
	bool severities_only;
	uint32_t sla[RT_LEVELS];
	struct rt_counts_limit distinct;
	struct rt_counts severities;
	struct rt_counts tables[TABLES]; /* of struct rt_tally_row */
	struct rt_facts *facts;          /* in the making */
	struct bound first, last;
	bool has_oldest; /* of the open ones */
	int64_t oldest;
	struct rt_buf oldest_id, scratch;
	struct rt_put room; /* into scratch, of the finding that is counted: a fault sticks */
};

/* --- Tables ------------------------------------------------------------------------------ */

static void tally(struct rt_tallying *t, struct rt_counts *table, const struct rt_finding *finding,
		  enum rt_member m)
{
	struct rt_slice text = rt_finding_string(finding, m, &t->room);
	struct rt_tally_row *row = NULL;

	if (t->room.status == RT_OK)
		row = rt_counts_row(table, text, t->room.err);
	if (!row) {
		t->room.status = RT_FATAL;
		return;
	}
	row->all++;
	row->open += finding->open;
	row->levels[finding->level] += finding->open;
}

/* worst: the levels in the order in which they are looked at. */
static int compare_rows(const void *a, const void *b, void *worst)
{
	const struct rt_tally_row *left = a, *right = b;
	const uint8_t *order = worst;

	for (unsigned at = 0; at < RT_LEVELS; at++) {
		unsigned i = order[at];

		if (left->levels[i] != right->levels[i])
			return left->levels[i] < right->levels[i] ? 1 : -1;
	}
	if (left->all != right->all)
		return left->all < right->all ? 1 : -1;
	return rt_slice_compare(left->text, right->text);
}

void rt_tally_sort(struct rt_tally_row *rows, size_t count, unsigned unknown_as)
{
	uint8_t order[RT_LEVELS];
	size_t used = 0;

	for (uint8_t level = 0; level < RT_SEVERITY_LEVELS; level++) {
		order[used++] = level;
		if (level == unknown_as)
			order[used++] = RT_LEVEL_OTHER;
	}
	if (used < RT_LEVELS) /* they count as none of these */
		order[used] = RT_LEVEL_OTHER;
	qsort_r(rows, count, sizeof(*rows), compare_rows, order);
}

/* The rows in their order; nothing is added any more. */
static struct rt_tally table_sort(struct rt_counts *table, unsigned unknown_as)
{
	struct rt_tally_row *rows = (struct rt_tally_row *)(void *)table->slots;

	if (table->used)
		rt_tally_sort(rows, table->used, unknown_as);
	return (struct rt_tally){rows, table->used};
}

/* --- Times ------------------------------------------------------------------------------- */

static uint32_t days_between(int64_t from, int64_t to)
{
	return to > from ? (uint32_t)((to - from) / DAY) : 0;
}

/* Count open ones that are so old. */
static void count_age(struct rt_tallying *t, unsigned level, uint32_t days)
{
	static const uint32_t ends[RT_AGE_BUCKETS - 2] = {7, 30, 90, 180};
	size_t bucket = 0;

	while (bucket < RT_AGE_BUCKETS - 2 && days > ends[bucket])
		bucket++;
	if (days == RT_AGE_UNKNOWN)
		bucket = RT_AGE_BUCKETS - 1;
	t->facts->ages[bucket][level]++;
	if (days != RT_AGE_UNKNOWN && t->sla[level] != RT_SLA_NONE && days > t->sla[level]) {
		t->facts->overdue++;
		t->facts->overdue_levels[level]++;
	}
}

static void keep_oldest(struct rt_tallying *t, const struct rt_finding *finding, int64_t seconds)
{
	struct rt_put id = {&t->oldest_id, t->room.err, t->room.status};

	if (t->has_oldest && seconds >= t->oldest)
		return;
	t->has_oldest = true;
	t->oldest = seconds;
	t->oldest_id.len = 0;
	rt_put(&id, finding->record->id);
	t->room.status = id.status;
}

static void add_age(struct rt_tallying *t, const struct rt_finding *finding)
{
	int64_t seconds = rt_finding_seen(finding, &t->room);
	uint32_t days = RT_AGE_UNKNOWN;

	if (seconds != INT64_MAX) {
		keep_oldest(t, finding, seconds);
		days = days_between(seconds, t->facts->at);
	}
	count_age(t, finding->level, days);
}

static void widen(struct bound *bound, int64_t seconds, bool newest)
{
	if (bound->known && (newest ? seconds <= bound->seconds : seconds >= bound->seconds))
		return;
	if (!rt_instant_format(seconds, bound->text))
		return;
	bound->known = true;
	bound->seconds = seconds;
}

/* The times of scans; of a fraction of a second its beginning. */
static void add_scan(struct rt_tallying *t, const struct rt_finding *finding)
{
	struct rt_slice text = rt_finding_string(finding, RT_M_SCAN_CREATED_AT, &t->room);
	struct rt_instant instant;

	if (!text.ptr || !rt_instant_parse(text, &instant))
		return;
	widen(&t->first, instant.seconds, false);
	widen(&t->last, instant.seconds, true);
}

static struct rt_slice bound_text(const struct bound *bound)
{
	return rt_slice_make(bound->text, bound->known ? RT_INSTANT_CHARS : 0);
}

/* --- The interface ----------------------------------------------------------------------- */

enum rt_status rt_tallying_new(const uint32_t sla[RT_LEVELS], int64_t at,
			       const struct rt_limits *limits, const struct rt_siphash_key *key,
			       struct rt_facts *facts, struct rt_tallying **ret_tallying,
			       struct rt_error *err)
{
	struct rt_tallying *t = calloc(1, sizeof(*t));

	if (!t)
		return rt_error_nomem(err);
	t->facts = facts;
	t->severities_only = !sla;
	if (sla)
		memcpy(t->sla, sla, sizeof(t->sla));
	facts->at = at;
	t->distinct.max = limits->distinct_bytes;
	t->distinct.what = sla ? "the size of distinct rules, files and repositories" : NULL;
	rt_counts_init(&t->severities, key, &t->distinct);
	for (size_t i = 0; i < TABLES; i++) {
		rt_counts_init(&t->tables[i], key, &t->distinct);
		t->tables[i].row_bytes = sizeof(struct rt_tally_row);
	}
	*ret_tallying = t;
	return RT_OK;
}

static void add_severity(struct rt_tallying *t, const struct rt_finding *finding)
{
	struct rt_slice text;

	t->facts->levels[finding->level]++;
	t->facts->open_levels[finding->level] += finding->open;
	if (finding->level != RT_LEVEL_OTHER)
		return;
	text = rt_finding_string(finding, RT_M_SEVERITY, &t->room);
	if (text.ptr) {
		t->room.status = rt_counts_put(&t->severities, text, 1, finding->open, t->room.err);
		return;
	}
	t->facts->no_severity++;
	t->facts->open_no_severity += finding->open;
}

enum rt_status rt_tallying_add(struct rt_tallying *t, const struct rt_finding *finding,
			       struct rt_error *err)
{
	t->room = (struct rt_put){&t->scratch, err, RT_OK};
	add_severity(t, finding);
	for (size_t i = 0; !t->severities_only && i < TABLES; i++)
		tally(t, &t->tables[i], finding, table_members[i]);
	if (!t->severities_only)
		add_scan(t, finding);
	if (!t->severities_only && finding->open)
		add_age(t, finding);
	t->facts->total++;
	t->facts->open += finding->open;
	t->facts->expired += finding->status == RT_STATUS_EXPIRED;
	t->facts->exploitable += finding->open && rt_finding_flag(finding, RT_M_EXPLOITABLE) == 1;
	return t->room.status;
}

enum rt_status rt_tallying_merge(struct rt_tallying *t, const struct rt_tallying *from,
				 struct rt_error *err)
{
	struct rt_facts *facts = t->facts;

	assert(t->severities_only && from->severities_only);
	for (size_t i = 0; i < RT_LEVELS; i++) {
		facts->levels[i] += from->facts->levels[i];
		facts->open_levels[i] += from->facts->open_levels[i];
	}
	facts->total += from->facts->total;
	facts->open += from->facts->open;
	facts->expired += from->facts->expired;
	facts->exploitable += from->facts->exploitable;
	facts->no_severity += from->facts->no_severity;
	facts->open_no_severity += from->facts->open_no_severity;
	if (rt_counts_merge(&t->severities, &from->severities, err) != RT_OK)
		return RT_FATAL;
	return rt_counts_fits(&t->severities) ? RT_OK : RT_END;
}

void rt_tallying_finish(struct rt_tallying *t)
{
	struct rt_facts *own = t->facts;
	unsigned unknown_as = rt_gate_unknown_as(own->gate);

	own->oldest_days = RT_AGE_UNKNOWN;
	if (t->has_oldest) {
		own->oldest_days = days_between(t->oldest, own->at);
		own->oldest_id = rt_buf_slice(&t->oldest_id);
	}
	own->categories = table_sort(&t->tables[CATEGORIES], unknown_as);
	own->files = table_sort(&t->tables[FILES], unknown_as);
	own->repos = table_sort(&t->tables[REPOS], unknown_as);
	own->tools = table_sort(&t->tables[TOOLS], unknown_as);
	rt_counts_sort(&t->severities);
	own->severities = t->severities.slots;
	own->severity_count = t->severities.used;
	own->scan_first = bound_text(&t->first);
	own->scan_last = bound_text(&t->last);
}

bool rt_facts_dated(const struct rt_facts *facts)
{
	for (unsigned i = 0; i < RT_AGE_BUCKETS - 1; i++) {
		for (unsigned level = 0; level < RT_LEVELS; level++) {
			if (facts->ages[i][level])
				return true;
		}
	}
	return false;
}

uint64_t rt_facts_undated(const struct rt_facts *facts, const uint32_t sla[RT_LEVELS])
{
	uint64_t undated = 0;

	for (size_t i = 0; i < RT_LEVELS; i++)
		undated += sla[i] == RT_SLA_NONE ? 0 : facts->ages[RT_AGE_BUCKETS - 1][i];
	return undated;
}

void rt_tallying_free(struct rt_tallying *t)
{
	if (!t)
		return;
	rt_counts_release(&t->severities);
	for (size_t i = 0; i < TABLES; i++)
		rt_counts_release(&t->tables[i]);
	rt_buf_release(&t->oldest_id);
	rt_buf_release(&t->scratch);
	free(t);
}
