/*
 * What is read of a result, as a table: the scanner cuts a result by it on the way. Where that
 * finds something unusual, the result is cut once more here, to tell what is wrong and where.
 */
#include "sarif/result.h"

#define STRING RT_SARIF_STRING
#define NUMBER RT_SARIF_NUMBER
#define ARRAY RT_SARIF_ARRAY
#define OBJECT RT_SARIF_OBJECT
#define ANY RT_SARIF_ANY
#define NAME(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}
#define CUT(members, slot)                                                                         \
	{                                                                                          \
		members, sizeof(members) / sizeof((members)[0]), slot                              \
	}

static const struct rt_cut_member snippet_members[] = {
    {NAME("text"), RT_SARIF_C_SNIPPET, STRING, NULL},
};
static const struct rt_cut snippet = CUT(snippet_members, RT_CUT_NO_SLOT);

static const struct rt_cut_member region_members[] = {
    {NAME("startLine"), RT_SARIF_C_REGION + RT_SARIF_REGION_LINE, NUMBER, NULL},
    {NAME("startColumn"), RT_SARIF_C_REGION + RT_SARIF_REGION_COLUMN, NUMBER, NULL},
    {NAME("endLine"), RT_SARIF_C_REGION + RT_SARIF_REGION_END_LINE, NUMBER, NULL},
    {NAME("endColumn"), RT_SARIF_C_REGION + RT_SARIF_REGION_END_COLUMN, NUMBER, NULL},
    {NAME("snippet"), RT_SARIF_C_SNIPPET_OBJECT, OBJECT, &snippet},
};
static const struct rt_cut region = CUT(region_members, RT_CUT_NO_SLOT);

static const struct rt_cut_member context_snippet_members[] = {
    {NAME("text"), RT_SARIF_C_CONTEXT, STRING, NULL},
};
static const struct rt_cut context_snippet = CUT(context_snippet_members, RT_CUT_NO_SLOT);

static const struct rt_cut_member context_members[] = {
    {NAME("startLine"), RT_SARIF_C_CONTEXT_LINE, NUMBER, NULL},
    {NAME("snippet"), RT_SARIF_C_CONTEXT_SNIPPET, OBJECT, &context_snippet},
};
static const struct rt_cut context = CUT(context_members, RT_CUT_NO_SLOT);

static const struct rt_cut_member physical_members[] = {
    {NAME("artifactLocation"), RT_SARIF_C_ARTIFACT, OBJECT, NULL},
    {NAME("region"), RT_SARIF_C_REGION_OBJECT, OBJECT, &region},
    {NAME("contextRegion"), RT_SARIF_C_CONTEXT_OBJECT, OBJECT, &context},
};
static const struct rt_cut physical = CUT(physical_members, RT_CUT_NO_SLOT);

static const struct rt_cut_member logical_members[] = {
    {NAME("fullyQualifiedName"), RT_SARIF_C_LOGICAL, STRING, NULL},
};
static const struct rt_cut logical = CUT(logical_members, RT_CUT_NO_SLOT);

static const struct rt_cut_member location_members[] = {
    {NAME("physicalLocation"), RT_SARIF_C_PHYSICAL, OBJECT, &physical},
    {NAME("logicalLocations"), RT_SARIF_C_LOGICALS, ARRAY, &logical},
};
static const struct rt_cut location = CUT(location_members, RT_SARIF_C_LOCATION);

static const struct rt_cut_member provenance_members[] = {
    {NAME("firstDetectionTimeUtc"), RT_SARIF_C_FIRST_SEEN, STRING, NULL},
    {NAME("invocationIndex"), RT_SARIF_C_INVOCATION, NUMBER, NULL},
};
static const struct rt_cut provenance = CUT(provenance_members, RT_CUT_NO_SLOT);

#define PROPERTY(name, property)                                                                   \
	{                                                                                          \
		NAME(name), RT_SARIF_C_PROPERTIES + (property), ANY, NULL                          \
	}
static const struct rt_cut_member property_members[] = {
    PROPERTY("tags", RT_SARIF_TAGS),
    PROPERTY("security-severity", RT_SARIF_SECURITY_SEVERITY),
    PROPERTY("severity", RT_SARIF_SEVERITY),
    PROPERTY("Severity", RT_SARIF_SEVERITY_TITLE),
    PROPERTY("priority", RT_SARIF_PRIORITY),
    PROPERTY("precision", RT_SARIF_PRECISION),
    PROPERTY("cwe", RT_SARIF_CWE),
    PROPERTY("cvssv4_baseScore", RT_SARIF_CVSS4),
    PROPERTY("cvssv3_baseScore", RT_SARIF_CVSS3),
    PROPERTY("cvssv2_score", RT_SARIF_CVSS2),
    PROPERTY("issue_confidence", RT_SARIF_ISSUE_CONFIDENCE),
    PROPERTY("confidence", RT_SARIF_CONFIDENCE),
    PROPERTY("retriage", RT_SARIF_RETRIAGE),
};
static const struct rt_cut properties = CUT(property_members, RT_CUT_NO_SLOT);

static const struct rt_cut_member result_members[] = {
    {NAME("ruleId"), RT_SARIF_R_RULE_ID, STRING, NULL},
    {NAME("ruleIndex"), RT_SARIF_R_RULE_INDEX, NUMBER, NULL},
    {NAME("rule"), RT_SARIF_R_RULE, OBJECT, NULL},
    {NAME("kind"), RT_SARIF_R_KIND, STRING, NULL},
    {NAME("level"), RT_SARIF_R_LEVEL, STRING, NULL},
    {NAME("message"), RT_SARIF_R_MESSAGE, OBJECT, NULL},
    {NAME("locations"), RT_SARIF_R_LOCATIONS, ARRAY, &location},
    {NAME("fingerprints"), RT_SARIF_R_FINGERPRINTS, OBJECT, NULL},
    {NAME("partialFingerprints"), RT_SARIF_R_PARTIAL, OBJECT, NULL},
    {NAME("suppressions"), RT_SARIF_R_SUPPRESSIONS, ARRAY, NULL},
    {NAME("baselineState"), RT_SARIF_R_BASELINE, STRING, NULL},
    {NAME("properties"), RT_SARIF_R_PROPERTIES, OBJECT, &properties},
    {NAME("analysisTarget"), RT_SARIF_R_TARGET, OBJECT, NULL},
    {NAME("correlationGuid"), RT_SARIF_R_CORRELATION, STRING, NULL},
    {NAME("taxa"), RT_SARIF_R_TAXA, ARRAY, NULL},
    {NAME("provenance"), RT_SARIF_R_PROVENANCE, OBJECT, &provenance},
    {NAME("fixes"), RT_SARIF_R_FIXES, ARRAY, NULL},
    {NAME("webRequest"), RT_SARIF_R_WEB_REQUEST, OBJECT, NULL},
};
const struct rt_cut rt_sarif_result_cut = CUT(result_members, RT_CUT_NO_SLOT);

/* How messages name a member: some by what it is in. */
static const char *field_of(const struct rt_cut_member *member)
{
	switch (member->slot) {
	case RT_SARIF_C_SNIPPET:
	case RT_SARIF_C_CONTEXT:
		return "snippet.text";
	case RT_SARIF_C_INVOCATION:
		return "provenance.invocationIndex";
	default:
		return member->name.ptr;
	}
}

static const struct rt_cut_member *member_find(const struct rt_cut *cut, struct rt_slice key)
{
	for (size_t i = 0; i < cut->count; i++) {
		if (rt_items_key_is(key, cut->members[i].name))
			return &cut->members[i];
	}
	return NULL;
}

void rt_sarif_cut_members(struct rt_slice object, const struct rt_cut *cut, struct rt_slice *values,
			  struct rt_sarif_fault *fault)
{
	struct rt_items items;
	struct rt_item item;

	if (cut->slot != RT_CUT_NO_SLOT)
		values[cut->slot] = rt_slice_make(object.ptr, 1);
	rt_items_init(&items, object);
	while (rt_sarif_next_item(&items, &item, fault)) {
		const struct rt_cut_member *member = member_find(cut, item.key);

		if (member)
			rt_sarif_take(&item, member->types, field_of(member), &values[member->slot],
				      fault);
	}
}

void rt_sarif_cut_inside(const struct rt_cut *cut, struct rt_slice *values,
			 struct rt_sarif_fault *fault)
{
	for (size_t i = 0; i < cut->count && fault->status == RT_OK; i++) {
		const struct rt_cut_member *member = &cut->members[i];
		struct rt_item item = {.value = values[member->slot]};
		struct rt_items items;

		if (!member->inside || !item.value.ptr || *item.value.ptr == 'n')
			continue;
		rt_items_init(&items, item.value);
		if (*item.value.ptr == '[' && !rt_items_next(&items, &item))
			continue;
		rt_sarif_is(item.value, OBJECT, field_of(member), fault);
		if (fault->status != RT_OK)
			return;
		rt_sarif_cut_members(item.value, member->inside, values, fault);
		rt_sarif_cut_inside(member->inside, values, fault);
	}
}

void rt_sarif_properties(struct rt_slice bag, struct rt_slice ret_values[RT_SARIF_PROPERTY_COUNT],
			 struct rt_sarif_fault *fault)
{
	struct rt_slice values[RT_SARIF_CUT_SLOTS] = {{NULL, 0}};

	rt_sarif_cut_members(bag, &properties, values, fault);
	for (size_t i = 0; i < RT_SARIF_PROPERTY_COUNT; i++) {
		ret_values[i] = values[RT_SARIF_C_PROPERTIES + i];
		if (ret_values[i].ptr && *ret_values[i].ptr == 'n')
			ret_values[i] = rt_slice_make(NULL, 0);
	}
}
