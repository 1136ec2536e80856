/*
 * Results as they are in the log: read, which tells whether one is an issue (SARIF.md S9);
 * checked, as far as its record may not need it; and, with the tables of its run, identified by
 * rule, message and path.
 */
#include "sarif/result.h"

#include <stdlib.h>

#include "sarif/parts.h"
#include "sarif/tables.h"

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
	rt_member_index_init(&maker->names);
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
	rt_sarif_weaknesses_release(&maker->weaknesses);
	free(maker);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static enum rt_status kind_read(struct rt_slice value, enum rt_sarif_result_kind *ret_kind,
				struct rt_sarif_fault *fault)
{
	*ret_kind = RT_SARIF_KIND_FAIL;
	if (!value.ptr)
		return RT_OK;
	for (unsigned i = 0; i < RT_SARIF_KIND_COUNT; i++) {
		if (rt_sarif_equals(value, kind_names[i])) {
			*ret_kind = (enum rt_sarif_result_kind)i;
			return RT_OK;
		}
	}
	return rt_sarif_refuse(fault, value.ptr, "kind",
			       "\"fail\", \"open\", \"review\", \"informational\", \"pass\" or "
			       "\"notApplicable\"",
			       "%.*s", rt_slice_shown(value, 64), value.ptr);
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
static enum rt_member own_find(const struct rt_sarif_maker *maker, struct rt_slice key)
{
	char plain[6 * RT_ITEMS_NAME_MAX];

	if (rt_json_string_is_escaped(key)) {
		if (key.len > sizeof(plain))
			return RT_M_UNKNOWN;
		key = rt_slice_make(plain, rt_json_string_decode(key, plain));
	}
	return rt_member_index_find(&maker->names, key);
}

/* Cut properties.retriage: unlike elsewhere null is a value there. */
static enum rt_status own_read(struct rt_sarif_maker *maker, struct rt_slice object,
			       struct rt_sarif_fault *fault)
{
	enum rt_status status = rt_sarif_is(object, RT_SARIF_OBJECT, "properties.retriage", fault);
	struct rt_items items;
	struct rt_item item;

	memset(maker->own, 0, sizeof(maker->own));
	maker->own_notes = rt_slice_make(NULL, 0);
	maker->has_own = object.ptr != NULL;
	rt_items_init(&items, object);
	while (object.ptr && status == RT_OK && rt_items_next(&items, &item)) {
		enum rt_member m = own_find(maker, item.key);
		struct rt_slice *value = NULL;

		if (m < RT_ISSUE_MEMBERS)
			value = &maker->own[m];
		else if (rt_items_key_is(item.key, RT_SLICE("notes")))
			value = &maker->own_notes;
		if (!value)
			continue;
		if (value->ptr)
			return rt_sarif_refuse(fault, item.key.ptr - 1,
					       m < RT_ISSUE_MEMBERS ? rt_member_name(m).ptr
								    : "notes",
					       "each field once", "this one twice");
		*value = item.value;
		/* Not documented, so the check of records does not look at it (SPEC D14). */
		if (value == &maker->own_notes)
			status =
			    rt_sarif_is(item.value, RT_SARIF_STRING | RT_SARIF_ARRAY | RT_TYPE_NULL,
					"notes", fault);
	}
	return status;
}

/* What a result's own members say, which are cut; *ret_issue: it is one. */
static enum rt_status members_read(struct rt_sarif_maker *maker, bool *ret_issue,
				   struct rt_sarif_notes *notes, struct rt_sarif_fault *fault)
{
	const struct rt_slice *values = maker->values;
	enum rt_status status = kind_read(values[RT_SARIF_R_KIND], &maker->kind, fault);
	int64_t index;

	if (status == RT_OK)
		status = rt_sarif_index(values[RT_SARIF_R_RULE_INDEX], "ruleIndex", &index, fault);
	if (status != RT_OK)
		return status;
	*ret_issue = is_issue(maker, notes);
	return RT_OK;
}

/* Null is as good as absent. */
static void drop_nulls(struct rt_sarif_maker *maker)
{
	for (size_t i = 0; i < RT_SARIF_CUT_SLOTS; i++) {
		if (maker->values[i].ptr && *maker->values[i].ptr == 'n')
			maker->values[i] = rt_slice_make(NULL, 0);
	}
}

/* What is inside of an issue's members, which is cut. How many invocations there are is not known
 * yet. */
static enum rt_status inside_read(struct rt_sarif_maker *maker, struct rt_sarif_fault *fault)
{
	const struct rt_slice *cut = maker->values;
	enum rt_status status;

	maker->first_seen = cut[RT_SARIF_C_FIRST_SEEN];
	maker->region = (struct rt_sarif_region){.any = cut[RT_SARIF_C_LOCATION].ptr != NULL,
						 .artifact = cut[RT_SARIF_C_ARTIFACT],
						 .logical = cut[RT_SARIF_C_LOGICAL],
						 .snippet = cut[RT_SARIF_C_SNIPPET],
						 .context = cut[RT_SARIF_C_CONTEXT]};
	status = rt_sarif_region_take(&maker->region, cut + RT_SARIF_C_REGION,
				      cut[RT_SARIF_C_CONTEXT_LINE], fault);
	if (status == RT_OK)
		status = rt_sarif_index(cut[RT_SARIF_C_INVOCATION], "provenance.invocationIndex",
					&maker->invocation, fault);
	if (status == RT_OK)
		status = own_read(maker, maker->properties[RT_SARIF_RETRIAGE], fault);
	return status;
}

enum rt_status rt_sarif_result_read(struct rt_sarif_maker *maker, struct rt_slice text, bool is_cut,
				    bool *ret_issue, struct rt_sarif_notes *notes,
				    struct rt_sarif_fault *fault)
{
	enum rt_status status = RT_OK;

	if (!is_cut) {
		memset(maker->values, 0, sizeof(maker->values));
		status = rt_sarif_cut_members(text, &rt_sarif_result_cut, maker->values, fault);
	}
	drop_nulls(maker);
	if (status == RT_OK)
		status = members_read(maker, ret_issue, notes, fault);
	if (status != RT_OK || !*ret_issue)
		return status;
	if (!is_cut)
		status = rt_sarif_cut_inside(&rt_sarif_result_cut, maker->values, fault);
	drop_nulls(maker);
	return status == RT_OK ? inside_read(maker, fault) : status;
}

/* Check the messages of a result, and its references to rules and taxa. */
static enum rt_status references_check(const struct rt_sarif_maker *maker, bool identified,
				       struct rt_sarif_fault *fault)
{
	const struct rt_slice *values = maker->values;
	struct rt_slice taxa = values[RT_SARIF_R_TAXA];
	struct rt_sarif_fix fix;
	struct rt_items items;
	struct rt_item item;
	enum rt_status status = rt_sarif_reference_check(values[RT_SARIF_R_RULE], fault);

	rt_items_init(&items, taxa);
	while (taxa.ptr && status == RT_OK && rt_items_next(&items, &item)) {
		status = rt_sarif_is(item.value, RT_SARIF_OBJECT, "taxa", fault);
		if (status == RT_OK)
			status = rt_sarif_reference_check(item.value, fault);
	}
	if (status == RT_OK && !identified)
		status = rt_sarif_message_check(values[RT_SARIF_R_MESSAGE], fault);
	if (status == RT_OK)
		status = rt_sarif_fix_read(values[RT_SARIF_R_FIXES], &fix, fault);
	return status == RT_OK ? rt_sarif_message_check(fix.description, fault) : status;
}

static const struct rt_sarif_member request_members[] = {
    {RT_SLICE("target"), RT_SARIF_STRING, "webRequest.target"},
};

enum rt_status rt_sarif_result_check(struct rt_sarif_maker *maker, bool identified,
				     struct rt_sarif_fault *fault)
{
	const struct rt_slice *values = maker->values;
	struct rt_slice target;
	bool suppressed;
	enum rt_status status = references_check(maker, identified, fault);

	if (status == RT_OK && !identified)
		status = rt_sarif_location_check(maker->region.artifact, fault);
	if (status == RT_OK)
		status = rt_sarif_location_check(values[RT_SARIF_R_TARGET], fault);
	if (status == RT_OK)
		status =
		    rt_sarif_suppressions_read(values[RT_SARIF_R_SUPPRESSIONS], &suppressed, fault);
	if (status == RT_OK)
		status = rt_sarif_tags_check(maker->properties[RT_SARIF_TAGS], fault);
	if (status == RT_OK)
		status = rt_sarif_cut(values[RT_SARIF_R_WEB_REQUEST], request_members, 1, &target,
				      fault);
	return status == RT_OK ? rt_sarif_fingerprints_check(maker, identified, fault) : status;
}

/* --- With the tables of the run --------------------------------------------------------------- */

/*
 * The path (S26, S27, S38): of the location, else of what was analysed, else what was asked for.
 */
static enum rt_status path_make(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				struct rt_sarif_fault *fault)
{
	struct rt_slice target, request = maker->values[RT_SARIF_R_WEB_REQUEST];
	enum rt_status status;

	maker->path.len = 0;
	maker->has_path = false;
	maker->file = maker->region.artifact;
	status = rt_sarif_path(run, maker->file, &maker->path, &maker->has_path, fault);
	if (status != RT_OK || maker->has_path)
		return status;
	maker->file = maker->values[RT_SARIF_R_TARGET];
	status = rt_sarif_path(run, maker->file, &maker->path, &maker->has_path, fault);
	if (status != RT_OK || maker->has_path || maker->region.any)
		return status;
	status = rt_sarif_cut(request, request_members, 1, &target, fault);
	maker->has_path = status == RT_OK && target.len > 2;
	return maker->has_path ? rt_sarif_text(target, &maker->path, fault) : status;
}

/* Find rule, message and path. */
static enum rt_status result_resolve(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				     struct rt_sarif_fault *fault)
{
	const struct rt_sarif_rule_says says = {
	    .rule_id = maker->values[RT_SARIF_R_RULE_ID],
	    .rule_index = maker->values[RT_SARIF_R_RULE_INDEX],
	    .rule = maker->values[RT_SARIF_R_RULE],
	};
	enum rt_status status;

	status = rt_sarif_rule_find(run, &says, &maker->rule_room, &maker->found, fault);
	maker->message_notes = (struct rt_sarif_notes){0};
	if (status == RT_OK)
		status =
		    rt_sarif_message_make(run, &maker->found, maker->values[RT_SARIF_R_MESSAGE],
					  &maker->message, &maker->message_notes, fault);
	return status == RT_OK ? path_make(maker, run, fault) : status;
}

enum rt_status rt_sarif_result_identify(struct rt_sarif_maker *maker,
					const struct rt_sarif_run *run,
					struct rt_sarif_identity *ret_identity,
					struct rt_sarif_fault *fault)
{
	enum rt_status status = result_resolve(maker, run, fault);

	if (status == RT_OK)
		status = rt_sarif_identify(maker, run, fault);
	if (status == RT_OK)
		*ret_identity = maker->identity;
	return status;
}
