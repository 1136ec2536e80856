/*
 * Entries of results. Input: results, cut or whole. Output: the same, in a row of bytes. One with
 * properties.retriage is an entry as a whole, since its record has marks of places in it, as is one
 * that could not be cut. Refuses what the reading of results refuses.
 */
#include "sarif/entry.h"

#include "sarif/maker.h"

/* --- What is cut ------------------------------------------------------------------------------ */

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

/* Slots that are of no use once what is inside of them was cut. */
#define BIT(slot) (UINT64_C(1) << (slot))
#define SPENT                                                                                      \
	(BIT(RT_SARIF_R_LOCATIONS) | BIT(RT_SARIF_R_PROVENANCE) | BIT(RT_SARIF_R_PROPERTIES) |     \
	 BIT(RT_SARIF_C_PHYSICAL) | BIT(RT_SARIF_C_LOGICALS) | BIT(RT_SARIF_C_REGION_OBJECT) |     \
	 BIT(RT_SARIF_C_CONTEXT_OBJECT) | BIT(RT_SARIF_C_SNIPPET_OBJECT) |                         \
	 BIT(RT_SARIF_C_CONTEXT_SNIPPET))

_Static_assert(RT_SARIF_CUT_SLOTS <= 64, "a bit each");

/* --- Entries ---------------------------------------------------------------------------------- */

/* What an entry begins with: how many of the sizes that follow there are; the bytes of the slots
 * are after them. */
#define WHOLE UINT32_MAX

static void put(struct rt_buf *bytes, const void *data, size_t len)
{
	memcpy(bytes->data + bytes->len, data, len);
	bytes->len += len;
}

static bool is_whole(const struct rt_slice *cut, struct rt_slice text)
{
	return !cut || cut[RT_SARIF_C_PROPERTIES + RT_SARIF_RETRIAGE].ptr || text.len > UINT32_MAX;
}

/* Whether a slot is part of an entry. Null is as good as absent. */
static bool is_filled(const struct rt_slice *cut, unsigned slot)
{
	return cut[slot].ptr && !(SPENT >> slot & 1) && *cut[slot].ptr != 'n';
}

void rt_sarif_entry_make(const struct rt_slice *cut, struct rt_slice text,
			 struct rt_sarif_entry *ret_entry)
{
	ret_entry->cut = cut;
	ret_entry->text = text;
	ret_entry->bytes = sizeof(uint32_t);
	ret_entry->count = 0;
	for (unsigned slot = 0; !is_whole(cut, text) && slot < RT_SARIF_CUT_SLOTS; slot++) {
		uint32_t len = (uint32_t)cut[slot].len;

		if (!is_filled(cut, slot))
			continue;
		ret_entry->slots[ret_entry->count++] = (struct rt_sarif_entry_slot){slot, len};
		ret_entry->bytes += sizeof(struct rt_sarif_entry_slot) + len;
	}
	if (is_whole(cut, text)) {
		ret_entry->count = WHOLE;
		ret_entry->bytes += text.len;
	}
}

void rt_sarif_entry_put(struct rt_buf *bytes, const struct rt_sarif_entry *entry)
{
	put(bytes, &entry->count, sizeof(entry->count));
	if (entry->count == WHOLE) {
		put(bytes, entry->text.ptr, entry->text.len);
		return;
	}
	put(bytes, entry->slots, entry->count * sizeof(*entry->slots));
	for (size_t i = 0; i < entry->count; i++)
		put(bytes, entry->cut[entry->slots[i].slot].ptr, entry->slots[i].len);
}

enum rt_status rt_sarif_entry_read(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				   struct rt_slice entry, struct rt_slice *ret_text,
				   bool *ret_issue, struct rt_sarif_notes *notes,
				   struct rt_sarif_fault *fault)
{
	struct rt_slice cut[RT_SARIF_CUT_SLOTS] = {{NULL, 0}};
	const char *sizes = entry.ptr + sizeof(uint32_t), *at;
	uint32_t count;

	memcpy(&count, entry.ptr, sizeof(count));
	*ret_text = rt_slice_make(sizes, entry.len - sizeof(count));
	if (count == WHOLE)
		return rt_sarif_result_read(maker, run, *ret_text, ret_issue, notes, fault);
	at = sizes + count * sizeof(struct rt_sarif_entry_slot);
	for (size_t i = 0; i < count; i++) {
		struct rt_sarif_entry_slot size;

		memcpy(&size, sizes + i * sizeof(size), sizeof(size));
		cut[size.slot] = rt_slice_make(at, size.len);
		at += size.len;
	}
	return rt_sarif_result_take(maker, cut, ret_issue, notes, fault);
}

/* --- In a store ------------------------------------------------------------------------------- */

struct head {
	struct rt_sarif_spot spot;
	uint64_t len;
};

bool rt_sarif_entry_keep(struct rt_sarif_store *store, struct rt_slice entry,
			 const struct rt_sarif_spot *spot)
{
	struct head head = {*spot, entry.len};

	return rt_sarif_store_add(store, rt_slice_make((const char *)&head, sizeof(head))) &&
	       rt_sarif_store_add(store, entry);
}

enum rt_status rt_sarif_entry_next(struct rt_sarif_store *store, struct rt_slice *ret_entry,
				   struct rt_sarif_spot *ret_spot, struct rt_error *err)
{
	struct head head;
	const char *bytes;
	enum rt_status status;

	if (rt_sarif_store_is_done(store))
		return RT_END;
	status = rt_sarif_store_take(store, sizeof(head), &bytes, err);
	if (status != RT_OK)
		return status;
	memcpy(&head, bytes, sizeof(head));
	status = rt_sarif_store_take(store, (size_t)head.len, &bytes, err);
	if (status != RT_OK)
		return status;
	*ret_spot = head.spot;
	*ret_entry = rt_slice_make(bytes, (size_t)head.len);
	return RT_OK;
}
