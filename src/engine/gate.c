/*
 * Decides whether findings pass. Each condition counts those that it is about and keeps the first
 * of them in triage order.
 */
#include "engine/gate.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/mask.h"
#include "engine/headline.h"
#include "engine/summary.h"
#include "engine/triage.h"

/* One of the worst findings of a condition; its texts are in one allocation. */
struct worst {
	struct rt_slice key;
	struct rt_gate_place place;
};

/* In order. */
struct named {
	size_t used;
	struct worst worst[RT_GATE_PLACES];
};

struct rt_gate {
	struct rt_gate_options options;
	struct rt_verdict verdict;
	struct named named[RT_CONDITIONS_MAX]; /* by condition */
	struct rt_buf key, scratch;
	char *tools; /* that are expected, of conditions, each with a NUL */
	size_t unseen;
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

/* Those about all issues, or about new ones; the second kind is the next one after the first. */
static void add_conditions(struct rt_gate *gate, int fail_on, const uint64_t max[RT_MAX_NAMES],
			   enum rt_condition_kind kind)
{
	if (fail_on >= 0)
		add_condition(gate, kind, (unsigned)fail_on, 0);
	for (unsigned i = 0; i < RT_MAX_NAMES; i++) {
		if (max[i] != RT_MAX_NONE)
			add_condition(gate, kind + 1, i, max[i]);
	}
}

static bool asks_for_some(const struct rt_gate_options *options)
{
	return options->at_least && options->at_least != RT_MAX_NONE;
}

bool rt_gate_wants_new(const struct rt_gate_options *options)
{
	bool any = options->fail_on_new >= 0;

	for (size_t i = 0; i < RT_MAX_NAMES; i++)
		any = any || options->max_new[i] != RT_MAX_NONE;
	return any;
}

static enum rt_status check(const struct rt_gate_options *options, struct rt_error *err)
{
	bool any = options->fail_on >= 0 || asks_for_some(options) || rt_gate_wants_new(options) ||
		   options->expect_tools;

	for (size_t i = 0; i < RT_MAX_NAMES; i++)
		any = any || options->max[i] != RT_MAX_NONE;
	if (!any)
		return rt_error_set(err, RT_E_USAGE,
				    "a gate needs a condition, such as --fail-on high");
	if (options->fail_on >= (int)RT_SEVERITY_LEVELS ||
	    options->fail_on_new >= (int)RT_SEVERITY_LEVELS ||
	    options->unknown_as >= (int)RT_SEVERITY_LEVELS)
		return rt_error_set(err, RT_E_USAGE, "want a level, have another number");
	if (options->unknown_as >= 0 && (options->max[RT_LEVEL_OTHER] != RT_MAX_NONE ||
					 options->max_new[RT_LEVEL_OTHER] != RT_MAX_NONE))
		return rt_error_set(err, RT_E_USAGE,
				    "--unknown-as and --max unknown=N exclude one another");
	return RT_OK;
}

/* A condition for each tool of a list. */
static enum rt_status expect_tools(struct rt_gate *gate, struct rt_error *err)
{
	const char *list = gate->options.expect_tools;
	char *at = gate->tools = list ? strdup(list) : NULL;

	if (list && !at)
		return rt_error_nomem(err);
	while (at) {
		size_t len = strcspn(at, ",");
		char *next = at[len] ? at + len + 1 : NULL;

		if (!len || len >= RT_GATE_TEXT_BYTES || gate->unseen == RT_GATE_TOOLS)
			return rt_error_set(err, RT_E_USAGE,
					    "--expect-tool: want the names of 1 to %u tools with "
					    "commas between them, have \"%s\"",
					    RT_GATE_TOOLS, list);
		at[len] = '\0';
		add_condition(gate, RT_CONDITION_TOOL, RT_LEVEL_TOTAL, 1);
		gate->verdict.conditions[gate->verdict.count - 1].tool = at;
		gate->unseen++;
		at = next;
	}
	return RT_OK;
}

static void see_tool(struct rt_gate *gate, struct rt_slice tool)
{
	for (size_t i = 0; gate->unseen && i < gate->verdict.count; i++) {
		struct rt_condition *condition = &gate->verdict.conditions[i];

		if (condition->kind != RT_CONDITION_TOOL || condition->found ||
		    strlen(condition->tool) != tool.len ||
		    strncasecmp(condition->tool, tool.ptr, tool.len) != 0)
			continue;
		condition->found = 1;
		gate->unseen--;
	}
}

enum rt_status rt_gate_see(struct rt_gate *gate, const struct rt_finding *finding,
			   struct rt_error *err)
{
	struct rt_slice tool;
	enum rt_status status = RT_OK;

	if (!gate->unseen)
		return RT_OK;
	status = rt_finding_text(finding, RT_M_MODEL_USED, &gate->scratch, &tool, err);
	if (status == RT_OK && tool.ptr)
		see_tool(gate, tool);
	return status;
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
	add_conditions(gate, options->fail_on, options->max, RT_CONDITION_FAIL_ON);
	add_conditions(gate, options->fail_on_new, options->max_new, RT_CONDITION_FAIL_ON_NEW);
	if (asks_for_some(options))
		add_condition(gate, RT_CONDITION_AT_LEAST, RT_LEVEL_TOTAL, options->at_least);
	status = expect_tools(gate, err);
	if (status != RT_OK) {
		rt_gate_free(gate);
		return status;
	}
	*ret_gate = gate;
	return RT_OK;
}

/* Whether a condition is about what is new since the baseline alone. */
static bool is_of_new(const struct rt_condition *condition)
{
	return condition->kind == RT_CONDITION_FAIL_ON_NEW ||
	       condition->kind == RT_CONDITION_MAX_NEW;
}

/*
 * The level that a severity counts as for a condition; RT_LEVEL_TOTAL: as none. What is no level
 * counts as the worst one, so that no misspelt word passes a gate.
 */
static unsigned counted_as(const struct rt_gate *gate, const struct rt_condition *condition,
			   unsigned level)
{
	bool is_max =
	    condition->kind == RT_CONDITION_MAX || condition->kind == RT_CONDITION_MAX_NEW;
	const uint64_t *max = is_of_new(condition) ? gate->options.max_new : gate->options.max;
	unsigned worst = 0;

	if (level != RT_LEVEL_OTHER)
		return level;
	if (gate->options.unknown_as >= 0)
		return (unsigned)gate->options.unknown_as;
	/* Who allows some of them does not want them to be critical. */
	if (max[RT_LEVEL_OTHER] != RT_MAX_NONE)
		return is_max ? RT_LEVEL_OTHER : RT_LEVEL_TOTAL;
	/* The worst level that has a --max. */
	while (is_max && worst < RT_SEVERITY_LEVELS && max[worst] == RT_MAX_NONE)
		worst++;
	return worst;
}

unsigned rt_gate_unknown_as(const struct rt_gate *gate)
{
	unsigned as = RT_LEVEL_TOTAL;

	if (gate && gate->options.unknown_as >= 0)
		return (unsigned)gate->options.unknown_as;
	for (size_t i = 0; gate && i < gate->verdict.count; i++) {
		const struct rt_condition *condition = &gate->verdict.conditions[i];
		unsigned counted = RT_LEVEL_TOTAL;

		if (condition->level != RT_LEVEL_TOTAL)
			counted = counted_as(gate, condition, RT_LEVEL_OTHER);
		if (counted < as)
			as = counted;
	}
	return as == RT_LEVEL_TOTAL ? 0 : as;
}

/* Whether a condition is about findings of a level. */
static bool is_about(const struct rt_gate *gate, const struct rt_condition *condition,
		     unsigned level)
{
	unsigned as = counted_as(gate, condition, level);

	switch (condition->kind) {
	case RT_CONDITION_FAIL_ON:
	case RT_CONDITION_FAIL_ON_NEW:
		return as <= condition->level;
	case RT_CONDITION_MAX:
	case RT_CONDITION_MAX_NEW:
		return condition->level == RT_LEVEL_TOTAL || as == condition->level;
	default:
		return false;
	}
}

/* --- Counting ---------------------------------------------------------------------------- */

/* Put a text behind the others. Returns it with its length alone. */
static struct rt_slice add_text(struct rt_put *put, struct rt_slice text)
{
	rt_put(put, text);
	return rt_slice_make(NULL, text.len);
}

/* Put all texts of a finding behind the key in gate->key, and their lengths into place. */
static enum rt_status make_texts(struct rt_gate *gate, const struct rt_finding *finding,
				 struct rt_gate_place *place, struct rt_error *err)
{
	struct rt_slice line = rt_finding_number(finding, RT_M_LINE_NUMBER);
	struct rt_put put = {&gate->key, err, RT_OK}, room = {&gate->scratch, err, RT_OK};

	place->id = add_text(&put, finding->record->id);
	place->severity = add_text(&put, rt_finding_string(finding, RT_M_SEVERITY, &room));
	place->place = add_text(&put, rt_finding_string(finding, RT_M_FILE_PATH, &room));
	if (place->place.len && line.ptr) {
		RT_PUT(&put, ":");
		rt_put(&put, line);
		place->place.len += line.len + 1;
	}
	place->rule = add_text(&put, rt_finding_string(finding, RT_M_CATEGORY, &room));
	place->headline = add_text(&put, rt_finding_headline(finding, &room).text);
	place->was = add_text(&put, finding->class == RT_CLASS_CHANGED ? finding->was
								       : (struct rt_slice){0});
	return room.status == RT_OK ? put.status : room.status;
}

static enum rt_status worst_make(struct rt_gate *gate, const struct rt_finding *finding,
				 struct worst *ret_worst, struct rt_error *err)
{
	struct rt_gate_place *place = &ret_worst->place;
	struct rt_slice *const texts[] = {&place->id,   &place->severity, &place->place,
					  &place->rule, &place->headline, &place->was};
	size_t key_len = gate->key.len;
	enum rt_status status = make_texts(gate, finding, place, err);
	char *room = status == RT_OK ? malloc(gate->key.len) : NULL;

	if (room)
		memcpy(room, gate->key.data, gate->key.len);
	else if (status == RT_OK)
		status = rt_error_nomem(err);
	gate->key.len = key_len;
	ret_worst->key = rt_slice_make(room, key_len);
	for (size_t i = 0; room && i < sizeof(texts) / sizeof(texts[0]); i++) {
		texts[i]->ptr = room + key_len;
		key_len += texts[i]->len;
	}
	return status;
}

static void worst_free(struct worst *worst)
{
	free((void *)(uintptr_t)worst->key.ptr);
}

/* Where a finding with that key is among the worst; RT_GATE_PLACES: after them. */
static size_t rank(const struct named *named, struct rt_slice key)
{
	size_t at = named->used;

	while (at && rt_slice_compare(key, named->worst[at - 1].key) < 0)
		at--;
	return at;
}

/* Put one among the worst; the last goes where there are too many. at: below RT_GATE_PLACES. */
static void insert(struct named *named, size_t at, const struct worst *worst)
{
	if (named->used == RT_GATE_PLACES)
		worst_free(&named->worst[--named->used]);
	memmove(&named->worst[at + 1], &named->worst[at], (named->used - at) * sizeof(*worst));
	named->worst[at] = *worst;
	named->used++;
}

/* Keep a finding, whose key is made, if it is among the worst of a condition. */
static enum rt_status keep(struct rt_gate *gate, const struct rt_finding *finding,
			   struct named *named, struct rt_error *err)
{
	size_t at = rank(named, rt_buf_slice(&gate->key));
	enum rt_status status;
	struct worst made;

	if (at == RT_GATE_PLACES)
		return RT_OK;
	status = worst_make(gate, finding, &made, err);
	if (status == RT_OK)
		insert(named, at, &made);
	return status;
}

static void count(struct rt_condition *condition, const struct rt_finding *finding)
{
	condition->found++;
	condition->expired += finding->status == RT_STATUS_EXPIRED;
	if (!is_of_new(condition))
		return;
	condition->changed += finding->is_new && finding->class == RT_CLASS_CHANGED;
	condition->risen += !finding->is_new;
}

enum rt_status rt_gate_add(struct rt_gate *gate, const struct rt_finding *finding,
			   struct rt_error *err)
{
	struct rt_verdict *verdict = &gate->verdict;
	uint32_t conditions = rt_gate_conditions(gate, finding);
	bool expired = finding->status == RT_STATUS_EXPIRED;
	struct rt_put room = {&gate->scratch, err, RT_OK}, key = {&gate->key, err, RT_OK};
	enum rt_status status;

	gate->key.len = 0;
	if (conditions)
		rt_triage_key(finding, rt_gate_unknown_as(gate), &room, &key);
	status = room.status == RT_OK ? key.status : room.status;
	for (size_t i = 0; status == RT_OK && i < verdict->count; i++) {
		if (!(conditions >> i & 1))
			continue;
		count(&verdict->conditions[i], finding);
		status = keep(gate, finding, &gate->named[i], err);
	}
	if (status != RT_OK)
		return status;
	verdict->total++;
	verdict->open += finding->open;
	verdict->false_positives += !finding->open;
	verdict->expired += expired;
	verdict->unknown_severity += finding->open && finding->level == RT_LEVEL_OTHER;
	return RT_OK;
}

/* Of two findings that rank the same, the one that was added first is before the other. */
static void merge_named(struct named *named, struct named *from)
{
	for (size_t i = 0; i < from->used; i++) {
		size_t at = rank(named, from->worst[i].key);

		if (at == RT_GATE_PLACES)
			worst_free(&from->worst[i]);
		else
			insert(named, at, &from->worst[i]);
	}
	from->used = 0;
}

void rt_gate_merge(struct rt_gate *gate, struct rt_gate *from)
{
	struct rt_verdict *verdict = &gate->verdict;

	for (size_t i = 0; i < verdict->count; i++) {
		verdict->conditions[i].found += from->verdict.conditions[i].found;
		verdict->conditions[i].expired += from->verdict.conditions[i].expired;
		verdict->conditions[i].changed += from->verdict.conditions[i].changed;
		verdict->conditions[i].risen += from->verdict.conditions[i].risen;
		merge_named(&gate->named[i], &from->named[i]);
	}
	verdict->total += from->verdict.total;
	verdict->open += from->verdict.open;
	verdict->false_positives += from->verdict.false_positives;
	verdict->expired += from->verdict.expired;
	verdict->unknown_severity += from->verdict.unknown_severity;
}

/* Whether an issue was below what a condition is about, so that for that one it is new (W6). */
static bool has_risen(const struct rt_gate *gate, const struct rt_condition *condition,
		      const struct rt_finding *finding)
{
	return counted_as(gate, condition, finding->level) <
		   counted_as(gate, condition, finding->was_level) &&
	       !is_about(gate, condition, finding->was_level);
}

uint32_t rt_gate_conditions(const struct rt_gate *gate, const struct rt_finding *finding)
{
	uint32_t conditions = 0;

	if (!finding->open && !gate->options.count_false_positives)
		return 0;
	for (size_t i = 0; i < gate->verdict.count; i++) {
		const struct rt_condition *condition = &gate->verdict.conditions[i];

		if (finding->is_new || !is_of_new(condition) || has_risen(gate, condition, finding))
			conditions |= (uint32_t)is_about(gate, condition, finding->level) << i;
	}
	return conditions;
}

/* --- The verdict ------------------------------------------------------------------------- */

static void judge(struct rt_gate *gate, struct rt_condition *condition, const struct named *named)
{
	switch (condition->kind) {
	case RT_CONDITION_SELECTED:
	case RT_CONDITION_SCANS:
		return;
	case RT_CONDITION_TOOL:
		condition->found = condition->found > 0; /* by any of the lanes */
		condition->pass = condition->found;
		return;
	case RT_CONDITION_AT_LEAST:
		condition->found = gate->verdict.total;
		condition->pass = condition->found >= condition->allowed;
		return;
	default:
		condition->pass = condition->found <= condition->allowed;
	}
	for (size_t i = 0; !condition->pass && i < named->used; i++)
		condition->places[condition->place_count++] = named->worst[i].place;
}

const struct rt_verdict *rt_gate_judge(struct rt_gate *gate, const struct rt_gate_rest *rest)
{
	struct rt_verdict *verdict = &gate->verdict;

	verdict->pass = true;
	verdict->unknown = rest->unknown;
	verdict->compared = rest->compared;
	for (size_t at = 0; at < rest->tools.len; at += strlen(rest->tools.ptr + at) + 1)
		see_tool(gate, rt_slice_make(rest->tools.ptr + at, strlen(rest->tools.ptr + at)));
	if (gate->options.at_least == RT_MAX_NONE && !verdict->total && rest->excluded) {
		add_condition(gate, RT_CONDITION_SELECTED, RT_LEVEL_TOTAL, rest->excluded);
	}
	if (rest->failed && rest->failed->count) {
		add_condition(gate, RT_CONDITION_SCANS, RT_LEVEL_TOTAL, 0);
		verdict->conditions[verdict->count - 1].found = rest->failed->count;
		verdict->conditions[verdict->count - 1].tool = rest->failed->tool;
	}
	for (size_t i = 0; i < verdict->count; i++) {
		judge(gate, &verdict->conditions[i], &gate->named[i]);
		verdict->pass = verdict->pass && verdict->conditions[i].pass;
	}
	return verdict;
}

char *rt_compared_text(const struct rt_compared *said, char text[RT_COMPARED_ROOM])
{
	const struct {
		uint64_t count;
		const char *words;
	} rows[] = {{said->classes[RT_CLASS_GONE], " gone"},
		    {said->issues - said->fresh, " carried over"},
		    {said->classes[RT_CLASS_NOT_SCANNED], " not scanned"}};
	uint64_t dismissed = said->fresh;
	char number[RT_COUNT_ROOM];
	const char *before = " (";
	bool all = !said->by_class;
	size_t used = 0;

	text[0] = '\0';
	if (all || said->fresh)
		used = (size_t)snprintf(text, RT_COMPARED_ROOM, "%s new",
					rt_count_text(said->fresh, number));

	for (unsigned level = 0; level < RT_LEVELS; level++) {
		if (said->fresh_open[level]) {
			used +=
			    (size_t)snprintf(text + used, RT_COMPARED_ROOM - used, "%s%s %s",
					     before, rt_count_text(said->fresh_open[level], number),
					     rt_gate_level_name(level));
			before = ", ";
		}
		dismissed -= said->fresh_open[level];
	}
	if (dismissed)
		used += (size_t)snprintf(text + used, RT_COMPARED_ROOM - used, "%s%s dismissed",
					 before, rt_count_text(dismissed, number));
	used +=
	    (size_t)snprintf(text + used, RT_COMPARED_ROOM - used, "%s", said->fresh ? ")" : "");
	for (size_t i = 0; i < 3; i++) {
		if ((i < 2 && all) || rows[i].count)
			used += (size_t)snprintf(
			    text + used, RT_COMPARED_ROOM - used, "%s%s%s", used ? ", " : "",
			    rt_count_text(rows[i].count, number), rows[i].words);
	}
	if (!used)
		used = (size_t)snprintf(text, RT_COMPARED_ROOM, "nothing selected");
	if (said->groups)
		(void)snprintf(text + used, RT_COMPARED_ROOM - used,
			       "; for %s it is not known which was there before",
			       rt_count_text(said->classes[RT_CLASS_AMBIGUOUS], number));
	return text;
}

/* Why issues count: " (1 new, 2 risen to high, 1 whose code changed; all 4 with expired ...)". */
#define REMARKS_ROOM 192u
static void remarks_text(const struct rt_condition *condition, char text[REMARKS_ROOM])
{
	const char *level = rt_gate_level_name(condition->level);
	bool above = condition->kind == RT_CONDITION_FAIL_ON_NEW && condition->level;
	char expired[RT_EXPIRED_ROOM], risen[48];
	const struct {
		uint64_t count;
		const char *words;
	} reasons[] = {
	    {condition->found - condition->changed - condition->risen, "new"},
	    {condition->risen, risen},
	    {condition->changed, "whose code changed"},
	};
	const char *before = " (";
	size_t used = 0;

	text[0] = '\0';
	(void)snprintf(risen, sizeof(risen), "risen to %s%s", level, above ? " or above" : "");
	for (size_t i = 0; (condition->changed || condition->risen) && i < 3; i++) {
		char number[RT_COUNT_ROOM];

		if (!reasons[i].count)
			continue;
		used += (size_t)snprintf(text + used, REMARKS_ROOM - used, "%s%s %s", before,
					 rt_count_text(reasons[i].count, number), reasons[i].words);
		before = ", ";
	}
	rt_expired_text(condition->expired, condition->found, expired);
	if (*expired)
		used += (size_t)snprintf(text + used, REMARKS_ROOM - used, "%s%s",
					 used ? "; " : before, expired);
	if (used)
		(void)snprintf(text + used, REMARKS_ROOM - used, ")");
}

void rt_condition_text(const struct rt_condition *condition, char *text, size_t cap)
{
	const char *found = condition->with_false_positives ? "found" : "open";
	const char *new = is_of_new(condition) ? "new " : "";
	bool above =
	    condition->kind == RT_CONDITION_FAIL_ON || condition->kind == RT_CONDITION_FAIL_ON_NEW;
	char remarks[REMARKS_ROOM], numbers[2][RT_COUNT_ROOM];

	rt_count_text(condition->allowed, numbers[0]);
	rt_count_text(condition->found, numbers[1]);
	if (condition->kind == RT_CONDITION_SCANS) {
		(void)snprintf(text, cap, "%s%s%.80s%s failed",
			       condition->found > 1 ? numbers[1] : "the scan",
			       condition->found > 1 ? " scans, the first of "
			       : condition->tool[0] ? " of "
						    : "",
			       condition->tool, condition->found > 1 ? "," : "");
		return;
	}
	if (condition->kind == RT_CONDITION_TOOL) {
		(void)snprintf(text, cap, "%s scan of %.80s is among the inputs",
			       condition->found ? "a" : "no", condition->tool);
		return;
	}
	if (condition->kind == RT_CONDITION_SELECTED) {
		(void)snprintf(text, cap, "the filter selects none of %s issue%s", numbers[0],
			       RT_S(condition->allowed));
		return;
	}
	if (condition->kind == RT_CONDITION_AT_LEAST) {
		(void)snprintf(text, cap, "at least %s issue%s: %s found", numbers[0],
			       RT_S(condition->allowed), numbers[1]);
		return;
	}
	remarks_text(condition, remarks);
	(void)snprintf(text, cap, "%s%s%s: %s %s%s, %s allowed", new,
		       rt_gate_level_name(condition->level), above ? " and above" : "", numbers[1],
		       found, remarks, numbers[0]);
}

/* A text cut for a line, from its front or its end, and masked. */
static void put_cut(struct rt_put *put, struct rt_slice text, size_t max, bool keep_end)
{
	bool is_cut = text.len > max;

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
		RT_PUT(put, "\xE2\x80\xA6");
	if (put->status == RT_OK)
		put->status = rt_mask(text, RT_MASK_LINES_BLANK, put->out, put->err);
	if (is_cut && !keep_end)
		RT_PUT(put, "\xE2\x80\xA6");
}

enum rt_status rt_gate_place_line(const struct rt_gate_place *place, struct rt_buf *out,
				  struct rt_error *err)
{
	const struct rt_slice texts[] = {place->severity.len ? place->severity : RT_SLICE("-"),
					 place->place, place->rule,
					 place->headline.len ? place->headline : place->id};
	struct rt_put put = {out, err, RT_OK};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!texts[i].len)
			continue;
		rt_put(&put, i ? RT_SLICE("  ") : RT_SLICE(""));
		put_cut(&put, texts[i], i < 3 ? RT_GATE_TEXT_BYTES : SIZE_MAX, i == 1);
	}
	if (place->was.len) {
		RT_PUT(&put, " (");
		put_cut(&put, place->was, RT_GATE_TEXT_BYTES, false);
		RT_PUT(&put, ")");
	}
	return put.status;
}

void rt_gate_free(struct rt_gate *gate)
{
	if (!gate)
		return;
	for (size_t i = 0; i < RT_CONDITIONS_MAX; i++) {
		while (gate->named[i].used)
			worst_free(&gate->named[i].worst[--gate->named[i].used]);
	}
	free(gate->tools);
	rt_buf_release(&gate->key);
	rt_buf_release(&gate->scratch);
	free(gate);
}
