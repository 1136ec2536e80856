/*
 * Fixes and suppressions of a result: what the first fix does, if that is one replacement; whether
 * the result is suppressed, and why.
 */
#include "sarif/parts.h"

#include <stdio.h>

enum { FIX_DESCRIPTION, FIX_CHANGES, FIX_COUNT };
static const struct rt_sarif_member fix_members[FIX_COUNT] = {
    [FIX_DESCRIPTION] = {RT_SLICE("description"), RT_SARIF_OBJECT, "fixes.description"},
    [FIX_CHANGES] = {RT_SLICE("artifactChanges"), RT_SARIF_ARRAY, NULL},
};
static const struct rt_sarif_member change_members[] = {
    {RT_SLICE("replacements"), RT_SARIF_ARRAY, NULL},
};
static const struct rt_sarif_member replacement_members[] = {
    {RT_SLICE("insertedContent"), RT_SARIF_OBJECT, NULL},
};
enum { CONTENT_TEXT, CONTENT_BINARY, CONTENT_COUNT };
static const struct rt_sarif_member content_members[CONTENT_COUNT] = {
    [CONTENT_TEXT] = {RT_SLICE("text"), RT_SARIF_STRING, "insertedContent.text"},
    [CONTENT_BINARY] = {RT_SLICE("binary"), RT_SARIF_STRING, "insertedContent.binary"},
};

/*
 * Cut the first element of an array of objects; of none its members are absent: count slices.
 * Returns whether there is no other.
 */
static bool first_cut(struct rt_slice array, const char *field,
		      const struct rt_sarif_member *members, size_t count,
		      struct rt_slice *ret_values, struct rt_sarif_fault *fault)
{
	struct rt_item item = {.value = {NULL, 0}}, next;
	struct rt_items items;
	bool only;

	rt_items_init(&items, array);
	only = rt_items_next(&items, &item) && !rt_items_next(&items, &next);
	rt_sarif_cut_object(item.value, field, members, count, ret_values, fault);
	return only;
}

struct rt_sarif_fix rt_sarif_fix_read(struct rt_slice fixes, struct rt_sarif_fault *fault)
{
	struct rt_slice values[FIX_COUNT], list, content, text[CONTENT_COUNT];
	struct rt_sarif_fix fix = {.description = {NULL, 0}};
	bool only;

	if (!fixes.ptr)
		return fix;
	(void)first_cut(fixes, "fixes", fix_members, FIX_COUNT, values, fault);
	only = first_cut(values[FIX_CHANGES], "artifactChanges", change_members, 1, &list, fault);
	only &= first_cut(list, "replacements", replacement_members, 1, &content, fault);
	rt_sarif_cut(content, content_members, CONTENT_COUNT, text, fault);
	fix.description = values[FIX_DESCRIPTION];
	if (only && !text[CONTENT_TEXT].ptr && !text[CONTENT_BINARY].ptr)
		fix.code = RT_SLICE("\"\"");
	else if (only)
		fix.code = text[CONTENT_TEXT];
	return fix;
}

enum { STATUS, STATE, KIND, JUSTIFICATION, GUID, PROPERTIES, SUPPRESSION_COUNT };
static const struct rt_sarif_member suppression_members[SUPPRESSION_COUNT] = {
    [STATUS] = {RT_SLICE("status"), RT_SARIF_STRING, "suppressions.status"},
    /* The name it had in drafts. */
    [STATE] = {RT_SLICE("state"), RT_SARIF_STRING, "suppressions.state"},
    [KIND] = {RT_SLICE("kind"), RT_SARIF_ANY, NULL},
    [JUSTIFICATION] = {RT_SLICE("justification"), RT_SARIF_STRING, "suppressions.justification"},
    [GUID] = {RT_SLICE("guid"), RT_SARIF_ANY, NULL},
    [PROPERTIES] = {RT_SLICE("properties"), RT_SARIF_OBJECT, "suppressions.properties"},
};

/* What Sarif.Multitool adds. */
enum { TIME, EXPIRY, TIMES };
static const struct rt_sarif_member time_members[TIMES] = {
    [TIME] = {RT_SLICE("timeUtc"), RT_SARIF_ANY, NULL},
    [EXPIRY] = {RT_SLICE("expiryUtc"), RT_SARIF_ANY, NULL},
};

/* The status; one without any is accepted (3.27.23). */
static struct rt_slice status_read(const struct rt_slice *values, struct rt_sarif_fault *fault)
{
	static const struct rt_slice words[] = {RT_SLICE("accepted"), RT_SLICE("underReview"),
						RT_SLICE("rejected")};
	enum { WORDS = sizeof(words) / sizeof(words[0]) };
	struct rt_slice status = words[0];

	/* The last one that is there decides: the status. */
	for (size_t i = STATE + 1; i-- > 0;) {
		size_t word = 0;

		if (!values[i].ptr)
			continue;
		while (word < WORDS && !rt_sarif_equals(values[i], words[word]))
			word++;
		if (word == WORDS)
			rt_sarif_refuse(fault, values[i].ptr, suppression_members[i].field,
					"\"accepted\", \"underReview\" or \"rejected\"", "%.*s",
					rt_slice_shown(values[i], 64), values[i].ptr);
		else
			status = words[word];
	}
	return status;
}

struct rt_sarif_suppression rt_sarif_suppression_read(struct rt_slice entry,
						      struct rt_sarif_fault *fault)
{
	struct rt_slice values[SUPPRESSION_COUNT], times[TIMES], status;

	rt_sarif_cut_object(entry, "suppressions", suppression_members, SUPPRESSION_COUNT, values,
			    fault);
	status = status_read(values, fault);
	rt_sarif_cut(values[PROPERTIES], time_members, TIMES, times, fault);
	return (struct rt_sarif_suppression){
	    .kind = rt_sarif_equals(values[KIND], RT_SLICE("inSource"))   ? RT_SLICE("in source")
		    : rt_sarif_equals(values[KIND], RT_SLICE("external")) ? RT_SLICE("external")
									  : RT_SLICE("suppressed"),
	    .status = status,
	    .justification = rt_sarif_inside(values[JUSTIFICATION]),
	    .guid = values[GUID],
	    .time = times[TIME],
	    .expiry = times[EXPIRY],
	};
}

void rt_sarif_guid_of(struct rt_slice id, char guid[RT_SARIF_GUID_CHARS])
{
	static const char scheme[] = "22:retriage-suppression-1,";
	uint8_t digest[RT_SHA256_BYTES];
	struct rt_sha256 hash;
	char len[24];

	rt_sha256_reset(&hash);
	rt_sha256_add(&hash, scheme, sizeof(scheme) - 1);
	rt_sha256_add(&hash, len, (size_t)snprintf(len, sizeof(len), "%zu:", id.len));
	rt_sha256_add(&hash, id.ptr, id.len);
	rt_sha256_add(&hash, ",", 1);
	rt_sha256_end(&hash, digest);
	guid[0] = guid[RT_SARIF_GUID_CHARS - 1] = '"';
	rt_uuid_format(digest, 8, guid + 1);
}

bool rt_sarif_suppressions_read(struct rt_slice suppressions, struct rt_sarif_fault *fault)
{
	bool any = false, all = true;
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, suppressions);
	while (rt_sarif_next_item(&items, &item, fault)) {
		any = true;
		all &= *rt_sarif_suppression_read(item.value, fault).status.ptr == 'a';
	}
	return any && all;
}
