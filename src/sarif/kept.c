/*
 * Puts cut results away. Input: results that were read. Output: the same, as far as their
 * identities and records need them. One with properties.retriage is kept whole, since its record
 * has marks of places in it. Refuses nothing: where there is no room, it says so.
 */
#include "sarif/kept.h"

/* What stands before each. */
struct head {
	struct rt_sarif_spot spot;
	uint64_t len;
};

/* Members that are read, and what has been cut out of the others of a result. */
enum {
	PROPERTIES = RT_SARIF_R_COUNT,
	ARTIFACT = PROPERTIES + RT_SARIF_PROPERTY_COUNT,
	LOGICAL,
	SNIPPET,
	CONTEXT,
	FIRST_SEEN,
	SLOTS
};

/* Of a cut one: its numbers; then come a size for each slot that is filled, and their bytes. */
struct cut {
	bool whole; /* the result's text follows, and nothing here counts */
	bool any;   /* there is a location */
	uint8_t kind;
	uint8_t filled; /* slots */
	int64_t line, column, end_line, end_column, context_line, invocation;
};

struct size {
	uint32_t slot, len;
};

static struct rt_slice *slot_at(struct rt_sarif_maker *maker, unsigned slot)
{
	if (slot < PROPERTIES)
		return &maker->values[slot];
	if (slot < ARTIFACT)
		return &maker->properties[slot - PROPERTIES];
	switch (slot) {
	case ARTIFACT:
		return &maker->region.artifact;
	case LOGICAL:
		return &maker->region.logical;
	case SNIPPET:
		return &maker->region.snippet;
	case CONTEXT:
		return &maker->region.context;
	default:
		return &maker->first_seen;
	}
}

/* Whether a slot is needed no more once the result was read. */
static bool is_spent(unsigned slot)
{
	return slot == RT_SARIF_R_LOCATIONS || slot == RT_SARIF_R_PROPERTIES ||
	       slot == RT_SARIF_R_PROVENANCE || slot == RT_SARIF_R_KIND ||
	       slot == RT_SARIF_R_BASELINE;
}

static bool put(struct rt_buf *bytes, const void *data, size_t len)
{
	struct rt_error err;

	return rt_buf_append(bytes, data, len, &err) == RT_OK;
}

/* Put the slots that are filled: sizes, then bytes. */
static bool put_slots(struct rt_buf *bytes, const struct rt_slice *filled, const struct size *sizes,
		      size_t count)
{
	bool room = put(bytes, sizes, count * sizeof(*sizes));

	for (size_t i = 0; room && i < count; i++)
		room = put(bytes, filled[i].ptr, filled[i].len);
	return room;
}

static bool put_cut(struct rt_buf *bytes, struct rt_sarif_maker *maker)
{
	const struct rt_sarif_region *region = &maker->region;
	struct cut cut = {.any = region->any,
			  .kind = (uint8_t)maker->kind,
			  .line = region->line,
			  .column = region->column,
			  .end_line = region->end_line,
			  .end_column = region->end_column,
			  .context_line = region->context_line,
			  .invocation = maker->invocation};
	struct rt_slice filled[SLOTS];
	struct size sizes[SLOTS];

	for (unsigned slot = 0; slot < SLOTS; slot++) {
		struct rt_slice value = *slot_at(maker, slot);

		if (!value.ptr || is_spent(slot))
			continue;
		filled[cut.filled] = value;
		sizes[cut.filled++] = (struct size){slot, (uint32_t)value.len};
	}
	return put(bytes, &cut, sizeof(cut)) && put_slots(bytes, filled, sizes, cut.filled);
}

bool rt_sarif_kept_put(struct rt_buf *bytes, struct rt_sarif_maker *maker, struct rt_slice text,
		       const struct rt_sarif_spot *spot)
{
	const struct cut whole = {.whole = true};
	struct head head = {.spot = *spot};
	size_t before = bytes->len;
	bool room = text.len <= UINT32_MAX && put(bytes, &head, sizeof(head));

	if (room && maker->properties[RT_SARIF_RETRIAGE].ptr)
		room = put(bytes, &whole, sizeof(whole)) && put(bytes, text.ptr, text.len);
	else if (room)
		room = put_cut(bytes, maker);
	if (!room) {
		bytes->len = before;
		return false;
	}
	head.len = bytes->len - before - sizeof(head);
	memcpy(bytes->data + before, &head, sizeof(head));
	return true;
}

enum rt_status rt_sarif_kept_next(struct rt_sarif_store *store, struct rt_slice *ret_kept,
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
	*ret_kept = rt_slice_make(bytes, (size_t)head.len);
	return RT_OK;
}

enum rt_status rt_sarif_kept_read(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				  struct rt_slice kept, struct rt_slice *ret_text,
				  struct rt_sarif_fault *fault)
{
	const char *sizes = kept.ptr + sizeof(struct cut), *at;
	struct rt_sarif_notes told = {{0}};
	struct cut cut;
	bool issue;

	memcpy(&cut, kept.ptr, sizeof(cut));
	*ret_text = rt_slice_make(sizes, kept.len - sizeof(cut));
	if (cut.whole)
		return rt_sarif_result_read(maker, run, *ret_text, &issue, &told, fault);
	for (unsigned slot = 0; slot < SLOTS; slot++)
		*slot_at(maker, slot) = rt_slice_make(NULL, 0);
	memset(maker->own, 0, sizeof(maker->own));
	maker->own_notes = rt_slice_make(NULL, 0);
	maker->kind = (enum rt_sarif_result_kind)cut.kind;
	maker->invocation = cut.invocation;
	maker->region = (struct rt_sarif_region){.any = cut.any,
						 .line = cut.line,
						 .column = cut.column,
						 .end_line = cut.end_line,
						 .end_column = cut.end_column,
						 .context_line = cut.context_line};
	at = sizes + cut.filled * sizeof(struct size);
	for (size_t i = 0; i < cut.filled; i++) {
		struct size size;

		memcpy(&size, sizes + i * sizeof(size), sizeof(size));
		*slot_at(maker, size.slot) = rt_slice_make(at, size.len);
		at += size.len;
	}
	return RT_OK;
}
