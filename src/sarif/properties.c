/*
 * Property bags: input: the JSON text of one; output: its members that issues are made from.
 * Refuses one of them that stands twice, and tags that are no strings.
 */
#include "sarif/run.h"

static const struct rt_sarif_member properties[RT_SARIF_PROPERTY_COUNT] = {
    [RT_SARIF_SECURITY_SEVERITY] = {RT_SLICE("security-severity"), RT_SARIF_ANY, NULL},
    [RT_SARIF_PRECISION] = {RT_SLICE("precision"), RT_SARIF_ANY, NULL},
    [RT_SARIF_TAGS] = {RT_SLICE("tags"), RT_SARIF_ANY, NULL},
    [RT_SARIF_CWE] = {RT_SLICE("cwe"), RT_SARIF_ANY, NULL},
    [RT_SARIF_CVSS4] = {RT_SLICE("cvssv4_baseScore"), RT_SARIF_ANY, NULL},
    [RT_SARIF_CVSS3] = {RT_SLICE("cvssv3_baseScore"), RT_SARIF_ANY, NULL},
    [RT_SARIF_CVSS2] = {RT_SLICE("cvssv2_score"), RT_SARIF_ANY, NULL},
    [RT_SARIF_ISSUE_CONFIDENCE] = {RT_SLICE("issue_confidence"), RT_SARIF_ANY, NULL},
    [RT_SARIF_CONFIDENCE] = {RT_SLICE("confidence"), RT_SARIF_ANY, NULL},
    [RT_SARIF_SEVERITY] = {RT_SLICE("severity"), RT_SARIF_ANY, NULL},
    [RT_SARIF_SEVERITY_TITLE] = {RT_SLICE("Severity"), RT_SARIF_ANY, NULL},
    [RT_SARIF_PRIORITY] = {RT_SLICE("priority"), RT_SARIF_ANY, NULL},
    [RT_SARIF_RETRIAGE] = {RT_SLICE("retriage"), RT_SARIF_ANY, NULL},
};

enum rt_status rt_sarif_properties(struct rt_slice bag,
				   struct rt_slice ret_values[RT_SARIF_PROPERTY_COUNT],
				   struct rt_sarif_fault *fault)
{
	return rt_sarif_cut(bag, properties, RT_SARIF_PROPERTY_COUNT, ret_values, fault);
}

enum rt_status rt_sarif_tags_check(struct rt_slice tags, struct rt_sarif_fault *fault)
{
	enum rt_status status = rt_sarif_is(tags, RT_SARIF_STRING | RT_SARIF_ARRAY, "tags", fault);
	struct rt_items items;
	struct rt_item item;

	if (status != RT_OK || rt_sarif_type(tags) != RT_SARIF_ARRAY)
		return status;
	rt_items_init(&items, tags);
	while (status == RT_OK && rt_items_next(&items, &item))
		status = rt_sarif_is(item.value, RT_SARIF_STRING, "tags", fault);
	return status;
}
