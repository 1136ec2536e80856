/*
 * Results as they are in the log: read, which tells whether one is an issue (SARIF.md S9);
 * checked, as far as its record may not need it; and, with the tables of its run, identified by
 * rule, message and path.
 */
#include "sarif/result.h"

#include <stdlib.h>

#include "sarif/parts.h"
#include "sarif/run.h"

static const struct rt_slice kind_names[RT_SARIF_KIND_COUNT] = {
    [RT_SARIF_KIND_FAIL] = {"fail", 4},     [RT_SARIF_KIND_OPEN] = {"open", 4},
    [RT_SARIF_KIND_REVIEW] = {"review", 6}, [RT_SARIF_KIND_INFORMATIONAL] = {"informational", 13},
    [RT_SARIF_KIND_PASS] = {"pass", 4},     [RT_SARIF_KIND_NOT_APPLICABLE] = {"notApplicable", 13},
};

/* --- The maker -------------------------------------------------------------------------------- */

enum rt_status rt_sarif_maker_new(struct rt_sarif_maker **ret_maker, struct rt_error *err)
{
	struct rt_sarif_maker *maker = calloc(1, sizeof(*maker));

	if (!maker)
		return rt_error_nomem(err);
	maker->properties = maker->values + RT_SARIF_C_PROPERTIES;
	*ret_maker = maker;
	return RT_OK;
}

void rt_sarif_maker_free(struct rt_sarif_maker *maker)
{
	if (!maker)
		return;
	rt_sarif_message_release(&maker->message);
	rt_sarif_message_release(&maker->fix);
	rt_buf_release(&maker->path);
	rt_buf_release(&maker->rule_room);
	rt_buf_release(&maker->room);
	rt_buf_release(&maker->preimage);
	rt_buf_release(&maker->entries);
	rt_buf_release(&maker->prints);
	rt_sarif_weaknesses_release(&maker->weaknesses);
	free(maker);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static enum rt_sarif_result_kind kind_read(struct rt_slice value, struct rt_sarif_fault *fault)
{
	if (!value.ptr)
		return RT_SARIF_KIND_FAIL;
	for (unsigned i = 0; i < RT_SARIF_KIND_COUNT; i++) {
		if (rt_sarif_equals(value, kind_names[i]))
			return (enum rt_sarif_result_kind)i;
	}
	rt_sarif_refuse(fault, value.ptr, "kind",
			"\"fail\", \"open\", \"review\", \"informational\", \"pass\" or "
			"\"notApplicable\"",
			"%.*s", rt_slice_shown(value, 64), value.ptr);
	return RT_SARIF_KIND_FAIL;
}

/* Whether the result is an issue (S9); those that are none are counted. */
static bool is_issue(const struct rt_sarif_maker *maker, struct rt_sarif_notes *notes)
{
	if (maker->kind == RT_SARIF_KIND_PASS)
		notes->counts[RT_SARIF_NOTE_PASS]++;
	else if (maker->kind == RT_SARIF_KIND_NOT_APPLICABLE)
		notes->counts[RT_SARIF_NOTE_NOT_APPLICABLE]++;
	else if (rt_sarif_equals(maker->values[RT_SARIF_R_BASELINE], RT_SLICE("absent")))
		notes->counts[RT_SARIF_NOTE_ABSENT]++;
	else
		return true;
	return false;
}

/* The number of the issue's member with a key that may be escaped, or RT_M_UNKNOWN. */
static enum rt_member own_find(struct rt_slice key)
{
	char plain[6 * RT_ITEMS_NAME_MAX];

	if (rt_json_string_is_escaped(key)) {
		if (key.len > sizeof(plain))
			return RT_M_UNKNOWN;
		key = rt_slice_make(plain, rt_json_string_decode(key, plain));
	}
	return rt_member_find(key);
}

/* Cut properties.retriage: unlike elsewhere null is a value there. */
static void own_read(struct rt_sarif_maker *maker, struct rt_slice object,
		     struct rt_sarif_fault *fault)
{
	struct rt_items items;
	struct rt_item item;

	/* Mostly there is none, and was none. */
	if (!object.ptr && !maker->has_own)
		return;
	memset(maker->own, 0, sizeof(maker->own));
	maker->own_notes = rt_slice_make(NULL, 0);
	maker->has_own = object.ptr != NULL;
	rt_sarif_is(object, RT_SARIF_OBJECT, "properties.retriage", fault);
	rt_items_init(&items, object);
	while (rt_sarif_next_item(&items, &item, fault)) {
		enum rt_member m = own_find(item.key);

		/* Not documented, so the check of records does not look at it (SPEC D14). */
		if (rt_items_key_is(item.key, RT_SLICE("notes")))
			rt_sarif_take(&item, RT_SARIF_STRING | RT_SARIF_ARRAY | RT_TYPE_NULL, NULL,
				      "notes", &maker->own_notes, fault);
		else if (m < RT_ISSUE_MEMBERS)
			rt_sarif_take(&item, RT_SARIF_ANY, NULL, rt_member_name(m).ptr,
				      &maker->own[m], fault);
	}
}

/* What is inside of an issue's members, which is cut. How many invocations there are is not known
 * yet. */
static void inside_read(struct rt_sarif_maker *maker, struct rt_sarif_fault *fault)
{
	const struct rt_slice *cut = maker->values;

	rt_sarif_region_take(&maker->region, cut + RT_SARIF_C_REGION, cut[RT_SARIF_C_CONTEXT_LINE],
			     fault);
	maker->invocation =
	    rt_sarif_index(cut[RT_SARIF_C_INVOCATION], "provenance.invocationIndex", fault);
	own_read(maker, maker->properties[RT_SARIF_RETRIAGE], fault);
}

enum rt_status rt_sarif_result_read(struct rt_sarif_maker *maker, struct rt_slice text, bool is_cut,
				    bool *ret_issue, struct rt_sarif_notes *notes,
				    struct rt_sarif_fault *fault)
{
	rt_sarif_fault_clear(fault);
	maker->passed = 0;
	if (!is_cut) {
		memset(maker->values, 0, sizeof(maker->values));
		rt_sarif_cut_members(text, &rt_sarif_result_cut, maker->values, fault);
	}
	rt_sarif_drop_nulls(maker->values, RT_SARIF_CUT_SLOTS);
	if (fault->status == RT_OK)
		maker->kind = kind_read(maker->values[RT_SARIF_R_KIND], fault);
	(void)rt_sarif_index(maker->values[RT_SARIF_R_RULE_INDEX], "ruleIndex", fault);
	*ret_issue = fault->status == RT_OK && is_issue(maker, notes);
	if (!*ret_issue)
		return fault->status;
	if (!is_cut) {
		rt_sarif_cut_inside(&rt_sarif_result_cut, maker->values, fault);
		rt_sarif_drop_nulls(maker->values, RT_SARIF_CUT_SLOTS);
	}
	if (fault->status == RT_OK)
		inside_read(maker, fault);
	return fault->status;
}

enum rt_status rt_sarif_result_check(struct rt_sarif_maker *maker, struct rt_sarif_fault *fault)
{
	const struct rt_slice *values = maker->values;
	struct rt_slice target[RT_SARIF_LOCATION_MEMBERS];
	struct rt_sarif_fix fix;
	struct rt_items items;
	struct rt_item item;

	rt_sarif_fault_clear(fault);
	rt_sarif_reference_check(values[RT_SARIF_R_RULE], fault);
	rt_items_init(&items, values[RT_SARIF_R_TAXA]);
	while (rt_sarif_next_item(&items, &item, fault)) {
		rt_sarif_is(item.value, RT_SARIF_OBJECT, "taxa", fault);
		if (fault->status == RT_OK)
			rt_sarif_reference_check(item.value, fault);
	}
	rt_sarif_arguments_check(values[RT_SARIF_C_MESSAGE + RT_SARIF_MESSAGE_ARGUMENTS], fault);
	fix = rt_sarif_fix_read(values[RT_SARIF_R_FIXES], fault);
	rt_sarif_arguments_check(fix.said[RT_SARIF_MESSAGE_ARGUMENTS], fault);
	(void)rt_sarif_index(values[RT_SARIF_C_PLACE + RT_SARIF_LOCATION_INDEX],
			     "artifactLocation.index", fault);
	rt_sarif_location_cut(values[RT_SARIF_R_TARGET], target, fault);
	(void)rt_sarif_suppressions_read(values[RT_SARIF_R_SUPPRESSIONS], fault);
	rt_sarif_tags_check(maker->properties[RT_SARIF_TAGS], fault);
	rt_sarif_fingerprints_check(maker, fault);
	return fault->status;
}

/* --- With the tables of the run --------------------------------------------------------------- */

/*
 * The path (S26, S27, S38): of the location, else of what was analysed, else what was asked for.
 */
static void path_make(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
		      struct rt_sarif_fault *fault)
{
	const struct rt_slice *values = maker->values;
	struct rt_slice analysed[RT_SARIF_LOCATION_MEMBERS];

	maker->path.len = 0;
	(void)rt_sarif_path(run, values + RT_SARIF_C_PLACE, &maker->path, &maker->has_path,
			    &maker->repository, fault);
	if (fault->status != RT_OK || maker->has_path)
		return;
	rt_sarif_location_cut(values[RT_SARIF_R_TARGET], analysed, fault);
	(void)rt_sarif_path(run, analysed, &maker->path, &maker->has_path, &maker->repository,
			    fault);
	if (fault->status != RT_OK || maker->has_path || values[RT_SARIF_C_LOCATION].ptr)
		return;
	maker->has_path = rt_sarif_filled(values[RT_SARIF_C_REQUEST]);
	if (maker->has_path)
		rt_sarif_text(values[RT_SARIF_C_REQUEST], &maker->path, fault);
}

enum rt_status rt_sarif_result_find(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				    struct rt_sarif_fault *fault)
{
	const struct rt_sarif_rule_says says = {
	    .rule_id = maker->values[RT_SARIF_R_RULE_ID],
	    .rule_index = maker->values[RT_SARIF_R_RULE_INDEX],
	    .rule = maker->values[RT_SARIF_R_RULE],
	};

	rt_sarif_fault_clear(fault);
	maker->preimage.len = 0;
	maker->message_notes = (struct rt_sarif_notes){0};
	if (rt_sarif_rule_find(run, &says, &maker->rule_room, &maker->found, fault) != RT_OK)
		return fault->status;
	rt_sarif_message_make(run, &maker->found, maker->values[RT_SARIF_R_MESSAGE],
			      maker->values + RT_SARIF_C_MESSAGE, &maker->message,
			      &maker->message_notes, fault);
	path_make(maker, run, fault);
	return fault->status;
}

enum rt_status rt_sarif_result_identify(struct rt_sarif_maker *maker,
					const struct rt_sarif_run *run,
					struct rt_sarif_identity *ret_identity,
					struct rt_sarif_fault *fault)
{
	if (rt_sarif_result_find(maker, run, fault) == RT_OK)
		rt_sarif_identify(maker, run, fault);
	if (fault->status == RT_OK)
		*ret_identity = maker->identity;
	return fault->status;
}
