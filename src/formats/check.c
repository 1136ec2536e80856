/*
 * Judges scanned records: all fields that the contract requires are there, once, with the right
 * types. Reports every fault with its place.
 */
#include "formats/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/instant.h"
#include "base/json_string.h"
#include "base/limits.h"

/* Longest date-time that may be spelled with escapes, each of its bytes as \uXXXX. */
#define DATE_TIME_MAX (6 * 128u)

enum rt_kind rt_check_kind(const struct rt_record *record, enum rt_kind wanted)
{
	if (wanted != RT_KIND_ANY)
		return wanted;
	if (record->types[RT_M_RULES_TEXT])
		return RT_KIND_RULESET;
	if (record->types[RT_M_SCAN_ID] | record->types[RT_M_FILE_PATH] |
	    record->types[RT_M_SEVERITY])
		return RT_KIND_ISSUE;
	return RT_KIND_ANY;
}

static bool date_time_passes(const struct rt_record *record, enum rt_member m)
{
	struct rt_slice text = rt_record_string(record, m);
	char plain[DATE_TIME_MAX];

	if (rt_json_string_is_escaped(text)) {
		if (text.len > sizeof(plain))
			return false;
		text.len = rt_json_string_decode(text, plain);
		text.ptr = plain;
	}
	return rt_instant_is_date_time(text);
}

/* What is wrong with one member, given its rule. */
enum verdict { PASSES, MISSING, WRONG_TYPE, EMPTY_ID, NO_DATE_TIME };

static enum verdict judge(const struct rt_record *record, const struct rt_member_rule *rule)
{
	enum rt_member m = rule->member;

	if (!record->types[m])
		return rule->required ? MISSING : PASSES;
	if (!(record->types[m] & rule->types))
		return WRONG_TYPE;
	if (m == RT_M_ID && rt_record_string(record, m).len == 0)
		return EMPTY_ID;
	if (rule->date_time && !date_time_passes(record, m))
		return NO_DATE_TIME;
	return PASSES;
}

/* The set of members that a kind documents: only those may not be repeated (SPEC D6). */
static uint64_t kind_members(enum rt_kind kind)
{
	size_t count;
	const struct rt_member_rule *rules = rt_member_rules(kind, &count);
	uint64_t set = 0;

	for (size_t i = 0; i < count; i++)
		set |= UINT64_C(1) << rules[i].member;
	return set;
}

/* Whether an issue has a member of a type that is refused, or no id; eight members at once. */
static bool issue_is_wrong(const struct rt_record *issue)
{
	uint64_t wrong = 0;

	for (size_t i = 0; i < RT_ISSUE_MEMBERS; i += 8)
		wrong |= rt_bytes_load64(issue->types + i) &
			 rt_bytes_load64(rt_member_issue_refused + i);
	/* Its quotes alone are no id. */
	return wrong || !issue->types[RT_M_ID] || issue->values[RT_M_ID].len <= 2;
}

static bool ruleset_is_wrong(const struct rt_record *ruleset)
{
	size_t count;
	const struct rt_member_rule *rules = rt_member_rules(ruleset->kind, &count);
	bool wrong = false;

	for (size_t i = 0; i < count; i++)
		wrong |= judge(ruleset, &rules[i]) != PASSES;
	return wrong;
}

bool rt_check_passes(const struct rt_record *record)
{
	if (record->kind == RT_KIND_ISSUE ? issue_is_wrong(record) : ruleset_is_wrong(record))
		return false;
	return !record->repeated || !(record->repeated & kind_members(record->kind));
}

/* "Have" of a value that has the wrong type, with the text of short ones. */
static void describe_value(const struct rt_record *record, enum rt_member m, char *out, size_t cap)
{
	struct rt_slice value = record->values[m];
	const char *type = rt_type_name(record->types[m]);

	if (record->types[m] & (RT_TYPE_INTEGER | RT_TYPE_NUMBER | RT_TYPE_BOOL) && value.len <= 40)
		(void)snprintf(out, cap, "%s %.*s", type, (int)value.len, value.ptr);
	else
		(void)snprintf(out, cap, "%s", type);
}

static void fault_describe(const struct rt_record *record, const struct rt_member_rule *rule,
			   enum verdict verdict, struct rt_error *err)
{
	enum rt_member m = rule->member;
	char have[64];

	switch (verdict) {
	case MISSING:
		(void)rt_error_set(err, RT_E_INPUT, "want %s, have nothing", rule->type);
		break;
	case EMPTY_ID:
		(void)rt_error_set(err, RT_E_INPUT, "want an id that is not empty, have \"\"");
		break;
	case NO_DATE_TIME:
		(void)rt_error_set(err, RT_E_INPUT, "want ISO 8601 date-time, have %.*s",
				   rt_slice_shown(record->values[m], 64), record->values[m].ptr);
		break;
	default:
		describe_value(record, m, have, sizeof(have));
		(void)rt_error_set(err, RT_E_INPUT, "want %s%s, have %s", rule->type,
				   rule->types & RT_TYPE_NULL ? " or null" : "", have);
	}
}

/* Steps: 0 the kind, then the rows of the kind's table, then repeated members. */
bool rt_check_next(const struct rt_record *record, unsigned *step, const char **ret_at,
		   struct rt_error *err)
{
	const struct rt_member_rule *rules;
	enum rt_member m = RT_M_UNKNOWN;
	size_t count;

	if (record->kind == RT_KIND_ANY) {
		*ret_at = record->text.ptr;
		(void)rt_error_set(err, RT_E_INPUT,
				   "not an export or SARIF log: there is no scan_id, file_path, "
				   "severity or rules_text; --exclude leaves it out");
		return (*step)++ == 0;
	}
	rules = rt_member_rules(record->kind, &count);
	for (; *step < count && m == RT_M_UNKNOWN; ++*step) {
		enum verdict verdict = judge(record, &rules[*step]);

		if (verdict == PASSES)
			continue;
		m = rules[*step].member;
		/* cppcheck-suppress arrayIndexOutOfBoundsCond */
		*ret_at = verdict == MISSING ? record->text.ptr : record->values[m].ptr;
		fault_describe(record, &rules[*step], verdict, err);
	}
	for (; *step < count + RT_MEMBER_COUNT && m == RT_M_UNKNOWN; ++*step) {
		enum rt_member again = (enum rt_member)(*step - count);

		if (!(record->repeated >> again & 1) || !rt_member_rule(record->kind, again))
			continue;
		m = again;
		/* cppcheck-suppress arrayIndexOutOfBoundsCond */
		*ret_at = record->again[m];
		(void)rt_error_set(err, RT_E_INPUT, "the field is repeated");
	}
	if (m != RT_M_UNKNOWN)
		rt_error_text(err->field, sizeof(err->field), rt_member_name(m));
	return m != RT_M_UNKNOWN;
}

/* What a kind of record wants of a member's type; RT_KIND_ANY: what either kind wants. */
static unsigned types_wanted(enum rt_kind kind, enum rt_member m)
{
	const struct rt_member_rule *issue = rt_member_rule(RT_KIND_ISSUE, m);
	const struct rt_member_rule *ruleset = rt_member_rule(RT_KIND_RULESET, m);
	unsigned types = 0;

	if (issue && kind != RT_KIND_RULESET)
		types |= issue->types;
	if (ruleset && kind != RT_KIND_ISSUE)
		types |= ruleset->types;
	return types;
}

enum rt_text_want rt_record_want(struct rt_slice list, struct rt_slice name)
{
	enum rt_kind kind = RT_KIND_ANY;
	unsigned types;

	if (rt_slice_equal(list, RT_SLICE("issues")))
		kind = RT_KIND_ISSUE;
	else if (rt_slice_equal(list, RT_SLICE("rulesets")))
		kind = RT_KIND_RULESET;
	else if (list.ptr)
		return RT_WANT_ANY;
	/* Notes may be a string (SPEC D14); no number is right in their place. */
	if (kind != RT_KIND_RULESET && rt_slice_equal(name, RT_SLICE("notes")))
		return RT_WANT_STRING;
	types = types_wanted(kind, rt_member_find(name));
	if (types & RT_TYPE_STRING)
		return RT_WANT_STRING;
	return types & RT_TYPE_STRINGS ? RT_WANT_STRINGS : RT_WANT_ANY;
}

/* --- A record once more ---------------------------------------------------------------------- */

enum rt_status rt_record_again_init(struct rt_record_again *again, struct rt_error *err)
{
	again->scan = rt_scan_alloc(sizeof(*again->scan));
	if (!again->scan)
		return rt_error_nomem(err);
	again->ops = rt_scan_ops();
	rt_scan_init(again->scan, RT_LIMIT_DEPTH_MAX);
	return RT_OK;
}

void rt_record_again_release(struct rt_record_again *again)
{
	free(again->scan);
	rt_buf_release(&again->text);
	rt_buf_release(&again->id);
}

enum rt_status rt_record_again_read(struct rt_record_again *again, enum rt_kind kind,
				    struct rt_error *err)
{
	struct rt_scan *scan = again->scan;
	enum rt_status status = rt_buf_reserve(&again->text, RT_PADDING, err);
	const char *text = again->text.data;

	if (status != RT_OK)
		return status;
	memset(again->text.data + again->text.len, 0, RT_PADDING);
	scan->end = text + again->text.len;
	scan->final = true;
	scan->origin = 0 - (uint64_t)(uintptr_t)text;
	scan->line = 1;
	scan->line_start = 0;
	again->record.kind = kind;
	if (text[0] != '{' || again->ops->record(scan, text, &again->record) != scan->end ||
	    !rt_check_passes(&again->record))
		return RT_REJECT;
	return rt_json_string_text(rt_record_string(&again->record, RT_M_ID), &again->id,
				   &again->record.id, err);
}
