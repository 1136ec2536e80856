/*
 * What the tables of a run have in common: texts that are kept, indexes, levels, GUIDs.
 */
#include "sarif/tables.h"

#include "base/json_string.h"

const struct rt_sarif_member rt_sarif_form_members[RT_SARIF_FORMS] = {
    [RT_SARIF_FORM_TEXT] = {RT_SLICE("text"), RT_SARIF_STRING, "multiformatMessageString.text"},
    [RT_SARIF_FORM_MARKDOWN] = {RT_SLICE("markdown"), RT_SARIF_STRING,
				"multiformatMessageString.markdown"},
};

struct rt_slice rt_sarif_keep(struct rt_sarif_tables *tables, struct rt_slice string,
			      struct rt_sarif_fault *fault)
{
	struct rt_slice inside = rt_sarif_inside(string);
	char *text;

	if (!inside.ptr || !rt_json_string_is_escaped(inside))
		return inside;
	text = rt_sarif_memory_take(&tables->memory, 1, inside.len, fault);
	return rt_slice_make(text, text ? rt_json_string_decode(inside, text) : 0);
}

struct rt_slice rt_sarif_keep_json(struct rt_sarif_tables *tables, struct rt_slice text,
				   struct rt_sarif_fault *fault)
{
	struct rt_buf json = {0};
	struct rt_slice kept = {NULL, 0};

	if (rt_sarif_goes(fault, rt_json_string_encode(text, &json, &fault->err)))
		kept = rt_sarif_memory_copy(&tables->memory, rt_buf_slice(&json), fault);
	rt_buf_release(&json);
	return kept;
}

size_t rt_sarif_count(struct rt_slice list)
{
	struct rt_items items;
	struct rt_item item;
	size_t count = 0;

	rt_items_init(&items, list);
	while (rt_items_next(&items, &item))
		count++;
	return count;
}

struct rt_slice rt_sarif_level_take(struct rt_slice configuration, struct rt_sarif_fault *fault)
{
	static const struct rt_sarif_member member = {RT_SLICE("level"), RT_SARIF_STRING,
						      "reportingConfiguration.level"};
	struct rt_slice level;

	rt_sarif_cut(configuration, &member, 1, &level, fault);
	return level;
}

struct rt_slice rt_sarif_guid(struct rt_slice string, char *room)
{
	struct rt_slice inside = rt_sarif_inside(string);
	size_t len;

	if (!inside.ptr || inside.len > RT_SARIF_GUID_MAX)
		return rt_slice_make(NULL, 0);
	len = rt_json_string_decode(inside, room);
	for (size_t i = 0; i < len; i++) {
		if (room[i] >= 'A' && room[i] <= 'Z')
			room[i] = (char)(room[i] | 0x20);
	}
	return rt_slice_make(room, len);
}
