/*
 * Fixes and suppressions of a result: what the first fix does, if that is one replacement; whether
 * the result is suppressed, and why.
 */
#include "sarif/parts.h"

#include <stdio.h>

enum {
	/* What the description says is first. */
	DESCRIPTION = RT_SARIF_MESSAGE_MEMBERS,
	CHANGES,
	REPLACEMENTS,
	CONTENT,
	TEXT,
	BINARY,
	FIX_COUNT
};
static const struct rt_cut_member description_members[] = {RT_SARIF_MESSAGE_ROWS(0)};
static const struct rt_cut description_cut = RT_SARIF_CUT(description_members, "message");
static const struct rt_cut_member content_members[] = {
    {RT_SLICE("text"), TEXT, RT_SARIF_STRING, NULL},
    {RT_SLICE("binary"), BINARY, RT_SARIF_STRING, NULL},
};
static const struct rt_cut content_cut = RT_SARIF_CUT(content_members, "insertedContent");
static const struct rt_cut_member replacement_members[] = {
    {RT_SLICE("insertedContent"), CONTENT, RT_SARIF_OBJECT, &content_cut},
};
static const struct rt_cut replacement_cut = RT_SARIF_CUT(replacement_members, NULL);
static const struct rt_cut_member change_members[] = {
    {RT_SLICE("replacements"), REPLACEMENTS, RT_SARIF_ARRAY, &replacement_cut},
};
static const struct rt_cut change_cut = RT_SARIF_CUT(change_members, NULL);
static const struct rt_cut_member fix_members[] = {
    {RT_SLICE("description"), DESCRIPTION, RT_SARIF_OBJECT, &description_cut},
    {RT_SLICE("artifactChanges"), CHANGES, RT_SARIF_ARRAY, &change_cut},
};
static const struct rt_cut fix_cut = RT_SARIF_CUT(fix_members, "fixes");

struct rt_sarif_fix rt_sarif_fix_read(struct rt_slice fixes, struct rt_sarif_fault *fault)
{
	struct rt_item first = {.value = {NULL, 0}};
	struct rt_slice values[FIX_COUNT];
	struct rt_items items;
	struct rt_sarif_fix fix;

	rt_items_init(&items, fixes);
	(void)rt_items_next(&items, &first);
	rt_sarif_cut(first.value, "fixes", &fix_cut, values, FIX_COUNT, fault);
	fix = (struct rt_sarif_fix){.description = values[DESCRIPTION]};
	memcpy(fix.said, values, sizeof(fix.said));
	if (rt_sarif_count(values[CHANGES]) != 1 || rt_sarif_count(values[REPLACEMENTS]) != 1)
		return fix;
	fix.code = values[TEXT].ptr || values[BINARY].ptr ? values[TEXT] : RT_SLICE("\"\"");
	return fix;
}

enum {
	STATUS,
	STATE,
	KIND,
	JUSTIFICATION,
	GUID,
	PROPERTIES,
	TIME,
	EXPIRY,
	IGNORED_ON,
	EXPIRATION,
	IGNORED_BY,
	IGNORED_AS,
	SUPPRESSION_COUNT
};
/* What Sarif.Multitool adds, and what Snyk does. */
static const struct rt_cut_member bag_members[] = {
    {RT_SLICE("timeUtc"), TIME, RT_SARIF_ANY, NULL},
    {RT_SLICE("expiryUtc"), EXPIRY, RT_SARIF_ANY, NULL},
    {RT_SLICE("ignoredOn"), IGNORED_ON, RT_SARIF_ANY, NULL},
    {RT_SLICE("expiration"), EXPIRATION, RT_SARIF_ANY, NULL},
    {RT_SLICE("ignoredBy"), IGNORED_BY, RT_SARIF_ANY, NULL},
    {RT_SLICE("category"), IGNORED_AS, RT_SARIF_ANY, NULL},
};
static const struct rt_cut bag_cut = RT_SARIF_CUT(bag_members, NULL);
static const struct rt_cut_member suppression_members[] = {
    {RT_SLICE("status"), STATUS, RT_SARIF_STRING, NULL},
    /* The name it had in drafts. */
    {RT_SLICE("state"), STATE, RT_SARIF_STRING, NULL},
    {RT_SLICE("kind"), KIND, RT_SARIF_ANY, NULL},
    {RT_SLICE("justification"), JUSTIFICATION, RT_SARIF_STRING, NULL},
    {RT_SLICE("guid"), GUID, RT_SARIF_ANY, NULL},
    {RT_SLICE("properties"), PROPERTIES, RT_SARIF_OBJECT, &bag_cut},
};
static const struct rt_cut suppression_cut = RT_SARIF_CUT(suppression_members, "suppressions");

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
			rt_sarif_refuse(fault, values[i].ptr,
					i == STATUS ? "suppressions.status" : "suppressions.state",
					"\"accepted\", \"underReview\" or \"rejected\"", "%.*s",
					rt_slice_shown(values[i], 64), values[i].ptr);
		else
			status = words[word];
	}
	return status;
}

/* Who it was, between quotes: a text, or an object with a name. Absent: not said. */
static struct rt_slice author_of(struct rt_slice value)
{
	struct rt_slice found = value;
	struct rt_items items;
	struct rt_item item;

	if (rt_sarif_type(value) == RT_SARIF_OBJECT) {
		rt_items_init(&items, value);
		while (rt_items_next(&items, &item)) {
			if (rt_items_key_is(item.key, RT_SLICE("name")))
				found = item.value;
		}
	}
	return rt_sarif_type(found) == RT_SARIF_STRING ? rt_sarif_inside(found)
						       : rt_slice_make(NULL, 0);
}

/* Snyk's word for why something is ignored, as notes have it. */
static const char *reason_of(struct rt_slice category)
{
	static const struct {
		struct rt_slice category;
		const char *reason;
	} rows[] = {{RT_SLICE("not-vulnerable"), "false_positive"},
		    {RT_SLICE("temporary-ignore"), "accepted_risk"},
		    {RT_SLICE("wont-fix"), "wont_fix"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rt_sarif_equals(category, rows[i].category))
			return rows[i].reason;
	}
	return NULL;
}

struct rt_sarif_suppression rt_sarif_suppression_read(struct rt_slice entry,
						      struct rt_sarif_fault *fault)
{
	struct rt_slice values[SUPPRESSION_COUNT], status;

	rt_sarif_cut(entry, "suppressions", &suppression_cut, values, SUPPRESSION_COUNT, fault);
	status = status_read(values, fault);
	return (struct rt_sarif_suppression){
	    .kind = rt_sarif_equals(values[KIND], RT_SLICE("inSource"))   ? RT_SLICE("in source")
		    : rt_sarif_equals(values[KIND], RT_SLICE("external")) ? RT_SLICE("external")
									  : RT_SLICE("suppressed"),
	    .status = status,
	    .justification = rt_sarif_inside(values[JUSTIFICATION]),
	    .guid = values[GUID],
	    .time = values[TIME].ptr ? values[TIME] : values[IGNORED_ON],
	    .expiry = values[EXPIRY].ptr ? values[EXPIRY] : values[EXPIRATION],
	    .author = author_of(values[IGNORED_BY]),
	    .reason = reason_of(values[IGNORED_AS]),
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
	rt_uuid_format(digest, 5, guid + 1);
}

/* The first digit of the third group tells the version of a UUID, which was 8: SARIF's schema
 * refuses that one. */
bool rt_sarif_guid_is(struct rt_slice value, const char guid[RT_SARIF_GUID_CHARS])
{
	const size_t version = 15;

	return value.len == RT_SARIF_GUID_CHARS && memcmp(value.ptr, guid, version) == 0 &&
	       (value.ptr[version] == guid[version] || value.ptr[version] == '8') &&
	       memcmp(value.ptr + version + 1, guid + version + 1,
		      RT_SARIF_GUID_CHARS - version - 1) == 0;
}

enum rt_sarif_suppressed rt_sarif_suppressions_read(struct rt_slice suppressions,
						    struct rt_sarif_fault *fault)
{
	size_t count = 0, accepted = 0, rejected = 0;
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, suppressions);
	while (rt_sarif_next_item(&items, &item, fault)) {
		char status = *rt_sarif_suppression_read(item.value, fault).status.ptr;

		count++;
		accepted += status == 'a';
		rejected += status == 'r';
	}
	if (!count || (accepted < count && rejected < count))
		return RT_SARIF_UNSUPPRESSED;
	return accepted ? RT_SARIF_SUPPRESSED : RT_SARIF_REJECTED;
}
