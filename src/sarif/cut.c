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
static const struct rt_cut_member snippet_members[] = {
    {NAME("text"), RT_SARIF_C_SNIPPET, STRING, NULL},
};
static const struct rt_cut snippet = RT_SARIF_CUT(snippet_members, "snippet");

static const struct rt_cut_member region_members[] = {
    {NAME("startLine"), RT_SARIF_C_REGION + RT_SARIF_REGION_LINE, NUMBER, NULL},
    {NAME("startColumn"), RT_SARIF_C_REGION + RT_SARIF_REGION_COLUMN, NUMBER, NULL},
    {NAME("endLine"), RT_SARIF_C_REGION + RT_SARIF_REGION_END_LINE, NUMBER, NULL},
    {NAME("endColumn"), RT_SARIF_C_REGION + RT_SARIF_REGION_END_COLUMN, NUMBER, NULL},
    {NAME("snippet"), RT_SARIF_C_SNIPPET_OBJECT, OBJECT, &snippet},
};
static const struct rt_cut region = RT_SARIF_CUT(region_members, NULL);

static const struct rt_cut_member context_snippet_members[] = {
    {NAME("text"), RT_SARIF_C_CONTEXT, STRING, NULL},
};
static const struct rt_cut context_snippet = RT_SARIF_CUT(context_snippet_members, "snippet");

static const struct rt_cut_member context_members[] = {
    {NAME("startLine"), RT_SARIF_C_CONTEXT_LINE, NUMBER, NULL},
    {NAME("snippet"), RT_SARIF_C_CONTEXT_SNIPPET, OBJECT, &context_snippet},
};
static const struct rt_cut context = RT_SARIF_CUT(context_members, NULL);

static const struct rt_cut_member place_members[] = {RT_SARIF_LOCATION_ROWS(RT_SARIF_C_PLACE)};
static const struct rt_cut place = RT_SARIF_CUT(place_members, "artifactLocation");

static const struct rt_cut_member physical_members[] = {
    {NAME("artifactLocation"), RT_SARIF_C_ARTIFACT, OBJECT, &place},
    {NAME("region"), RT_SARIF_C_REGION_OBJECT, OBJECT, &region},
    {NAME("contextRegion"), RT_SARIF_C_CONTEXT_OBJECT, OBJECT, &context},
};
static const struct rt_cut physical = RT_SARIF_CUT(physical_members, NULL);

static const struct rt_cut_member logical_members[] = {
    {NAME("fullyQualifiedName"), RT_SARIF_C_LOGICAL, STRING, NULL},
};
static const struct rt_cut logical = RT_SARIF_CUT(logical_members, NULL);

static const struct rt_cut_member location_members[] = {
    {NAME("physicalLocation"), RT_SARIF_C_PHYSICAL, OBJECT, &physical},
    {NAME("logicalLocations"), RT_SARIF_C_LOGICALS, ARRAY, &logical},
};
static const struct rt_cut location = {location_members,
				       sizeof(location_members) / sizeof(location_members[0]),
				       RT_SARIF_C_LOCATION, NULL};

static const struct rt_cut_member message_members[] = {RT_SARIF_MESSAGE_ROWS(RT_SARIF_C_MESSAGE)};
static const struct rt_cut message = RT_SARIF_CUT(message_members, "message");

static const struct rt_cut_member request_members[] = {
    {NAME("target"), RT_SARIF_C_REQUEST, STRING, NULL},
};
static const struct rt_cut request = RT_SARIF_CUT(request_members, "webRequest");

static const struct rt_cut_member provenance_members[] = {
    {NAME("firstDetectionTimeUtc"), RT_SARIF_C_FIRST_SEEN, STRING, NULL},
    {NAME("invocationIndex"), RT_SARIF_C_INVOCATION, NUMBER, NULL},
};
static const struct rt_cut provenance = RT_SARIF_CUT(provenance_members, "provenance");

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
static const struct rt_cut properties = RT_SARIF_CUT(property_members, NULL);

static const struct rt_cut_member result_members[] = {
    {NAME("ruleId"), RT_SARIF_R_RULE_ID, STRING, NULL},
    {NAME("ruleIndex"), RT_SARIF_R_RULE_INDEX, NUMBER, NULL},
    {NAME("rule"), RT_SARIF_R_RULE, OBJECT, NULL},
    {NAME("kind"), RT_SARIF_R_KIND, STRING, NULL},
    {NAME("level"), RT_SARIF_R_LEVEL, STRING, NULL},
    {NAME("message"), RT_SARIF_R_MESSAGE, OBJECT, &message},
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
    {NAME("webRequest"), RT_SARIF_R_WEB_REQUEST, OBJECT, &request},
};
const struct rt_cut rt_sarif_result_cut = RT_SARIF_CUT(result_members, NULL);

void rt_sarif_properties(struct rt_slice bag, struct rt_slice ret_values[RT_SARIF_PROPERTY_COUNT],
			 struct rt_sarif_fault *fault)
{
	struct rt_slice values[RT_SARIF_CUT_SLOTS];

	rt_sarif_cut(bag, NULL, &properties, values, RT_SARIF_CUT_SLOTS, fault);
	memcpy(ret_values, values + RT_SARIF_C_PROPERTIES,
	       RT_SARIF_PROPERTY_COUNT * sizeof(*values));
}
