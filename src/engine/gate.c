/*
 * Decides whether findings pass. Input: conditions, and every finding. Output: counts, and a
 * verdict that names the worst findings of each failed condition. Refuses to be asked for nothing,
 * or for what can never fail.
 *
 * Findings are counted by level, and of each level the first in triage order are kept: what a
 * condition is about are some of the levels, so its worst are among those.
 */
#include "engine/gate.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/mask.h"
#include "engine/summary.h"
#include "engine/triage.h"

/* One of the worst findings of a level; its texts stand in one allocation. */
struct worst {
	struct rt_slice key;
	struct rt_gate_place place;
};

struct level {
	uint64_t count;   /* of findings that count */
	uint64_t expired; /* of them: with an expired dismissal */
	size_t used;
	struct worst worst[RT_GATE_PLACES];
};

struct rt_gate {
	struct rt_gate_options options;
	struct rt_verdict verdict;
	struct level levels[RT_LEVELS];
	struct rt_buf key, scratch, place;
};

/* --- Conditions -------------------------------------------------------------------------- */

const char *rt_gate_level_name(unsigned level)
{
	if (level == RT_LEVEL_TOTAL)
		return "total";
	return level == RT_LEVEL_OTHER ? "unknown" : rt_severity_level(level).ptr;
}

static void add_condition(struct rt_gate *gate, enum rt_condition_kind kind, unsigned level,
			  uint64_t allowed)
{
	struct rt_verdict *verdict = &gate->verdict;

	assert(verdict->count < RT_CONDITIONS_MAX);
	verdict->conditions[verdict->count++] = (struct rt_condition){
	    .kind = kind,
	    .level = level,
	    .allowed = allowed,
	    .with_false_positives = gate->options.count_false_positives,
	};
}

static enum rt_status check(const struct rt_gate_options *options, struct rt_error *err)
{
	bool any = options->fail_on >= 0 || options->at_least > 0;

	for (size_t i = 0; i < RT_MAX_NAMES; i++)
		any = any || options->max[i] != RT_MAX_NONE;
	if (!any)
		return rt_error_set(err, RT_E_USAGE,
				    "want a condition, have none: a gate without "
				    "one cannot fail");
	if (options->fail_on >= (int)RT_SEVERITY_LEVELS ||
	    options->unknown_as >= (int)RT_SEVERITY_LEVELS)
		return rt_error_set(err, RT_E_USAGE, "want a level, have another number");
	if (options->unknown_as >= 0 && options->max[RT_LEVEL_OTHER] != RT_MAX_NONE)
		return rt_error_set(err, RT_E_USAGE,
				    "want unknown severities counted as a level or by themselves, "
				    "have both");
	return RT_OK;
}

enum rt_status rt_gate_new(const struct rt_gate_options *options, struct rt_gate **ret_gate,
			   struct rt_error *err)
{
	enum rt_status status = check(options, err);
	struct rt_gate *gate;

	if (status != RT_OK)
		return status;
	gate = calloc(1, sizeof(*gate));
	if (!gate)
		return rt_error_nomem(err);
	gate->options = *options;
	if (options->fail_on >= 0)
		add_condition(gate, RT_CONDITION_FAIL_ON, (unsigned)options->fail_on, 0);
	for (unsigned i = 0; i < RT_MAX_NAMES; i++) {
		if (options->max[i] != RT_MAX_NONE)
			add_condition(gate, RT_CONDITION_MAX, i, options->max[i]);
	}
	if (options->at_least)
		add_condition(gate, RT_CONDITION_AT_LEAST, RT_LEVEL_TOTAL, options->at_least);
	*ret_gate = gate;
	return RT_OK;
}

/* The level that a finding's counts as for a condition; RT_LEVEL_TOTAL: as none. */
static unsigned counted_as(const struct rt_gate *gate, enum rt_condition_kind kind, unsigned level)
{
	if (level != RT_LEVEL_OTHER)
		return level;
	if (gate->options.unknown_as >= 0)
		return (unsigned)gate->options.unknown_as;
	if (kind == RT_CONDITION_MAX)
		return RT_LEVEL_OTHER;
	/* Who allows some of them does not want them to be critical. */
	return gate->options.max[RT_LEVEL_OTHER] != RT_MAX_NONE ? RT_LEVEL_TOTAL : 0;
}

/* Whether a condition is about findings of a level. */
static bool is_about(const struct rt_gate *gate, const struct rt_condition *condition,
		     unsigned level)
{
	unsigned as = counted_as(gate, condition->kind, level);

	if (condition->kind == RT_CONDITION_FAIL_ON)
		return as <= condition->level;
	return condition->kind == RT_CONDITION_MAX &&
	       (condition->level == RT_LEVEL_TOTAL || as == condition->level);
}

/* --- Counting ---------------------------------------------------------------------------- */

static enum rt_status append(struct rt_buf *out, struct rt_slice text, struct rt_error *err)
{
	return text.len ? rt_buf_append(out, text.ptr, text.len, err) : RT_OK;
}

/* PATH:LINE */
static enum rt_status make_place(struct rt_gate *gate, const struct rt_finding *finding,
				 struct rt_error *err)
{
	struct rt_slice path, line = rt_finding_number(finding, RT_M_LINE_NUMBER);
	enum rt_status status =
	    rt_finding_text(finding, RT_M_FILE_PATH, &gate->scratch, &path, err);

	gate->place.len = 0;
	if (status == RT_OK)
		status = append(&gate->place, path, err);
	if (status != RT_OK || !path.len || !line.ptr)
		return status;
	status = append(&gate->place, RT_SLICE(":"), err);
	return status == RT_OK ? append(&gate->place, line, err) : status;
}

/* Copy a slice to *room and go after it. */
static struct rt_slice copy(char **room, struct rt_slice text)
{
	char *at = *room;

	if (text.len)
		memcpy(at, text.ptr, text.len);
	*room += text.len;
	return rt_slice_make(at, text.len);
}

static enum rt_status worst_make(struct rt_gate *gate, const struct rt_finding *finding,
				 struct worst *ret_worst, struct rt_error *err)
{
	enum rt_status status = make_place(gate, finding, err);
	struct rt_slice id = finding->record->id;
	char *room;

	if (status != RT_OK)
		return status;
	room = malloc(gate->key.len + id.len + gate->place.len + 1);
	if (!room)
		return rt_error_nomem(err);
	ret_worst->key = copy(&room, rt_buf_slice(&gate->key));
	ret_worst->place.id = copy(&room, id);
	ret_worst->place.place = copy(&room, rt_buf_slice(&gate->place));
	return RT_OK;
}

static void worst_free(struct worst *worst)
{
	free((void *)(uintptr_t)worst->key.ptr);
}

/* Where a finding with that key stands among the worst of a level; RT_GATE_PLACES: after them. */
static size_t rank(const struct level *level, struct rt_slice key)
{
	size_t at = level->used;

	while (at && rt_slice_compare(key, level->worst[at - 1].key) < 0)
		at--;
	return at;
}

/* Put one among the worst; the last goes where there are too many. at: below RT_GATE_PLACES. */
static void insert(struct level *level, size_t at, const struct worst *worst)
{
	if (level->used == RT_GATE_PLACES)
		worst_free(&level->worst[--level->used]);
	memmove(&level->worst[at + 1], &level->worst[at], (level->used - at) * sizeof(*worst));
	level->worst[at] = *worst;
	level->used++;
}

/* Keep a finding if it is among the worst of its level. */
static enum rt_status keep(struct rt_gate *gate, const struct rt_finding *finding,
			   struct rt_error *err)
{
	struct level *level = &gate->levels[finding->level];
	enum rt_status status;
	struct worst made;
	size_t at;

	gate->key.len = 0;
	status = rt_triage_key(finding, &gate->scratch, &gate->key, err);
	at = rank(level, rt_buf_slice(&gate->key));
	if (status != RT_OK || at == RT_GATE_PLACES)
		return status;
	status = worst_make(gate, finding, &made, err);
	if (status == RT_OK)
		insert(level, at, &made);
	return status;
}

enum rt_status rt_gate_add(struct rt_gate *gate, const struct rt_finding *finding,
			   struct rt_error *err)
{
	struct rt_verdict *verdict = &gate->verdict;
	bool counts = finding->open || gate->options.count_false_positives;
	bool expired = finding->status == RT_STATUS_EXPIRED;
	enum rt_status status = counts ? keep(gate, finding, err) : RT_OK;

	if (status != RT_OK)
		return status;
	gate->levels[finding->level].count += counts;
	gate->levels[finding->level].expired += expired;
	verdict->total++;
	verdict->open += finding->open;
	verdict->false_positives += !finding->open;
	verdict->expired += expired;
	verdict->unknown_severity += finding->open && finding->level == RT_LEVEL_OTHER;
	return RT_OK;
}

/* Of two findings that rank the same, the one that was added first is before the other. */
static void merge_level(struct level *level, struct level *from)
{
	level->count += from->count;
	level->expired += from->expired;
	for (size_t i = 0; i < from->used; i++) {
		size_t at = rank(level, from->worst[i].key);

		if (at == RT_GATE_PLACES)
			worst_free(&from->worst[i]);
		else
			insert(level, at, &from->worst[i]);
	}
	from->used = 0;
}

void rt_gate_merge(struct rt_gate *gate, struct rt_gate *from)
{
	struct rt_verdict *verdict = &gate->verdict;

	for (size_t i = 0; i < RT_LEVELS; i++)
		merge_level(&gate->levels[i], &from->levels[i]);
	verdict->total += from->verdict.total;
	verdict->open += from->verdict.open;
	verdict->false_positives += from->verdict.false_positives;
	verdict->expired += from->verdict.expired;
	verdict->unknown_severity += from->verdict.unknown_severity;
}

uint32_t rt_gate_conditions(const struct rt_gate *gate, const struct rt_finding *finding)
{
	uint32_t conditions = 0;

	if (!finding->open && !gate->options.count_false_positives)
		return 0;
	for (size_t i = 0; i < gate->verdict.count; i++)
		conditions |= (uint32_t)is_about(gate, &gate->verdict.conditions[i], finding->level)
			      << i;
	return conditions;
}

/* --- The verdict ------------------------------------------------------------------------- */

/* Add the worst of a level to those that a condition names, which are in order. */
static void name_worst(struct rt_condition *condition, const struct level *level,
		       struct rt_slice keys[RT_GATE_PLACES])
{
	for (size_t i = 0; i < level->used; i++) {
		const struct worst *worst = &level->worst[i];
		size_t at = condition->place_count, moved;

		while (at && rt_slice_compare(worst->key, keys[at - 1]) < 0)
			at--;
		if (at == RT_GATE_PLACES)
			return;
		condition->place_count += condition->place_count < RT_GATE_PLACES;
		moved = condition->place_count - 1 - at;
		memmove(&keys[at + 1], &keys[at], moved * sizeof(*keys));
		memmove(&condition->places[at + 1], &condition->places[at],
			moved * sizeof(*condition->places));
		keys[at] = worst->key;
		condition->places[at] = worst->place;
	}
}

static void judge(struct rt_gate *gate, struct rt_condition *condition)
{
	struct rt_slice keys[RT_GATE_PLACES];

	condition->found = condition->expired = 0;
	condition->place_count = 0;
	if (condition->kind == RT_CONDITION_AT_LEAST) {
		condition->found = gate->verdict.total;
		condition->pass = condition->found >= condition->allowed;
		return;
	}
	for (unsigned level = 0; level < RT_LEVELS; level++) {
		if (!is_about(gate, condition, level))
			continue;
		condition->found += gate->levels[level].count;
		condition->expired += gate->levels[level].expired;
	}
	condition->pass = condition->found <= condition->allowed;
	for (unsigned level = 0; !condition->pass && level < RT_LEVELS; level++) {
		if (is_about(gate, condition, level))
			name_worst(condition, &gate->levels[level], keys);
	}
}

const struct rt_verdict *rt_gate_judge(struct rt_gate *gate)
{
	struct rt_verdict *verdict = &gate->verdict;

	verdict->pass = true;
	for (size_t i = 0; i < verdict->count; i++) {
		judge(gate, &verdict->conditions[i]);
		verdict->pass = verdict->pass && verdict->conditions[i].pass;
	}
	return verdict;
}

void rt_condition_text(const struct rt_condition *condition, char *text, size_t cap)
{
	const char *found = condition->with_false_positives ? "found" : "open";
	char expired[RT_EXPIRED_ROOM], numbers[2][RT_COUNT_ROOM];

	rt_count_text(condition->allowed, numbers[0]);
	rt_count_text(condition->found, numbers[1]);
	if (condition->kind == RT_CONDITION_AT_LEAST) {
		(void)snprintf(text, cap, "at least %s issue%s: %s found", numbers[0],
			       RT_S(condition->allowed), numbers[1]);
		return;
	}
	rt_expired_text(condition->expired, condition->found, expired);
	(void)snprintf(text, cap, "%s%s: %s %s%s%s%s, %s allowed",
		       rt_gate_level_name(condition->level),
		       condition->kind == RT_CONDITION_FAIL_ON ? " and above" : "", numbers[1],
		       found, *expired ? " (" : "", expired, *expired ? ")" : "", numbers[0]);
}

/* A text cut for a line, from its front or its end, and masked. */
static enum rt_status put_cut(struct rt_buf *out, struct rt_slice text, size_t max, bool keep_end,
			      struct rt_error *err)
{
	static const struct rt_slice mark = {"\xE2\x80\xA6", 3};
	bool is_cut = text.len > max;
	enum rt_status status = RT_OK;

	if (is_cut && keep_end)
		text.ptr += text.len - max;
	text.len = is_cut ? max : text.len;
	/* Not in the middle of a character. */
	while (is_cut && text.len && keep_end && ((unsigned char)*text.ptr & 0xC0) == 0x80)
		text = rt_slice_make(text.ptr + 1, text.len - 1);
	while (is_cut && text.len && !keep_end &&
	       ((unsigned char)text.ptr[text.len] & 0xC0) == 0x80)
		text.len--;
	if (is_cut && keep_end)
		status = append(out, mark, err);
	if (status == RT_OK)
		status = rt_mask(text, RT_MASK_LINES_BLANK, out, err);
	return status == RT_OK && is_cut && !keep_end ? append(out, mark, err) : status;
}

/* "PATH:LINE ID"; without a place "ID". */
static enum rt_status put_place(struct rt_buf *out, const struct rt_gate_place *place,
				struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (place->place.len)
		status = put_cut(out, place->place, RT_GATE_PLACE_BYTES, true, err);
	if (status == RT_OK && place->place.len)
		status = append(out, RT_SLICE(" "), err);
	return status == RT_OK ? put_cut(out, place->id, RT_GATE_ID_BYTES, false, err) : status;
}

enum rt_status rt_condition_line(const struct rt_condition *condition, struct rt_buf *out,
				 struct rt_error *err)
{
	enum rt_status status;
	char text[160];

	rt_condition_text(condition, text, sizeof(text));
	status = append(out, rt_slice_make(text, strlen(text)), err);
	for (size_t i = 0; status == RT_OK && i < condition->place_count; i++) {
		status = append(out, i ? RT_SLICE("; ") : RT_SLICE(": "), err);
		if (status == RT_OK)
			status = put_place(out, &condition->places[i], err);
	}
	return status;
}

void rt_gate_free(struct rt_gate *gate)
{
	if (!gate)
		return;
	for (size_t level = 0; level < RT_LEVELS; level++) {
		for (size_t i = 0; i < gate->levels[level].used; i++)
			worst_free(&gate->levels[level].worst[i]);
	}
	rt_buf_release(&gate->key);
	rt_buf_release(&gate->scratch);
	rt_buf_release(&gate->place);
	free(gate);
}
