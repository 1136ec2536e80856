/*
 * Two data sets held against each other: the records of the one are taken in, then those of the
 * other, and of each of these is told whether the first has it with the same content, and at the
 * end how many of the first were not met.
 *
 * Two designs were weighed. (1) A keyed hash of each member, added up: no sort and no copy, but
 * 400 lines of a hash of our own, on which an audit would have to rely. (2) One canonical text of
 * the record, hashed by SHA-256. (2) won: anybody can make the same digest by other means.
 */
#include "ops/compare.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/json_string.h"
#include "base/map.h"
#include "base/sha256.h"
#include "scan/items.h"

/* --- The canonical text of a value ---------------------------------------------------------- */

/*
 * No blanks; strings spelled as rt_json_string_encode() does it, numbers as they are; arrays in
 * order; the members of an object in byte order of their names as they are spelled then, those of
 * one name in the order that they are in.
 */

/* A member of an object in the text: from its first byte to after the comma that follows it. */
struct piece {
	size_t at, end, name_end;
};

struct canonical {
	struct rt_fault fault;
	struct rt_buf text, sorted, decoded;
	struct rt_buf pieces; /* of all objects that are open */
};

static void canonical_release(struct canonical *c)
{
	rt_buf_release(&c->text);
	rt_buf_release(&c->sorted);
	rt_buf_release(&c->decoded);
	rt_buf_release(&c->pieces);
}

static void put(struct canonical *c, struct rt_buf *out, const void *data, size_t len)
{
	RT_STEP(&c->fault, rt_buf_append(out, data, len, c->fault.err));
}

/* Append a string, with its quotes. */
static void put_string(struct canonical *c, const char *from, const char *end)
{
	struct rt_slice inside = rt_slice_make(from + 1, (size_t)(end - from) - 2);

	if (rt_json_string_is_own(inside)) {
		put(c, &c->text, from, (size_t)(end - from));
		return;
	}
	RT_STEP(&c->fault, rt_json_string_text(inside, &c->decoded, &inside, c->fault.err));
	RT_STEP(&c->fault, rt_json_string_encode(inside, &c->text, c->fault.err));
}

static int piece_order(const void *left, const void *right, void *ctx)
{
	const struct piece *a = left, *b = right;
	const char *text = ctx;
	int order = rt_slice_compare(rt_slice_make(text + a->at, a->name_end - a->at),
				     rt_slice_make(text + b->at, b->name_end - b->at));

	return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* Bring the members of an object into order, which are the text from `from` on. */
static void sort_pieces(struct canonical *c, struct piece *pieces, size_t count, size_t from)
{
	size_t len = c->text.len - from;
	bool sorted = true;

	for (size_t i = 1; sorted && i < count; i++)
		sorted = piece_order(&pieces[i - 1], &pieces[i], c->text.data) < 0;
	if (sorted)
		return;
	qsort_r(pieces, count, sizeof(*pieces), piece_order, c->text.data);
	c->sorted.len = 0;
	for (size_t i = 0; i < count; i++)
		put(c, &c->sorted, c->text.data + pieces[i].at, pieces[i].end - pieces[i].at);
	if (c->fault.status == RT_OK)
		memcpy(c->text.data + from, c->sorted.data, len);
}

static void put_value(struct canonical *c, const char **at, const char *end);

/* Append a member with the comma behind it. */
static void put_member(struct canonical *c, const char **at, const char *end)
{
	struct piece piece = {.at = c->text.len};
	size_t place = c->pieces.len;
	const char *from = *at;

	put(c, &c->pieces, &piece, sizeof(piece));
	*at = rt_items_value(from, end);
	put_string(c, from, *at);
	piece.name_end = c->text.len;
	put(c, &c->text, ":", 1);
	*at = rt_items_blanks(rt_items_blanks(*at, end) + 1, end);
	put_value(c, at, end);
	piece.end = c->text.len;
	if (c->fault.status == RT_OK)
		memcpy(c->pieces.data + place, &piece, sizeof(piece));
}

/* Append what is in an array or object, of which *at is the bracket. */
static void put_inside(struct canonical *c, const char **at, const char *end)
{
	bool is_object = **at == '{';
	size_t first = c->pieces.len, from = c->text.len;

	while (c->fault.status == RT_OK) {
		*at = rt_items_blanks(*at + 1, end);
		if (**at == '}' || **at == ']')
			break;
		(is_object ? put_member : put_value)(c, at, end);
		*at = rt_items_blanks(*at, end);
		if (**at != ',')
			break;
	}
	++*at;
	if (c->fault.status == RT_OK && c->pieces.len > first)
		sort_pieces(c, (struct piece *)(void *)(c->pieces.data + first),
			    (c->pieces.len - first) / sizeof(struct piece), from);
	c->pieces.len = first;
	c->text.len -= c->text.len > from;
}

/* Append a value, of which *at is the first byte, and a comma. */
static void put_value(struct canonical *c, const char **at, const char *end)
{
	const char *from = *at;

	if (*from == '{' || *from == '[') {
		put(c, &c->text, from, 1);
		put_inside(c, at, end);
		if (c->fault.status == RT_OK)
			put(c, &c->text, *at - 1, 1);
	} else {
		*at = rt_items_value(from, end);
		if (*from == '"')
			put_string(c, from, *at);
		else
			put(c, &c->text, from, (size_t)(*at - from));
	}
	put(c, &c->text, ",", 1);
}

/* SHA-256 of the canonical text of a value: JSON text without blanks around it, which has been
 * checked: so it is no deeper than RT_LIMIT_DEPTH_MAX. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
static enum rt_status hash_canonical(struct canonical *c, struct rt_slice value,
				     uint8_t ret_sha256[RT_SHA256_BYTES], struct rt_error *err)
{
	const char *at = value.ptr;

	c->fault = (struct rt_fault){RT_OK, err};
	c->text.len = c->pieces.len = 0;
	put_value(c, &at, rt_slice_end(value));
	if (c->fault.status == RT_OK)
		rt_sha256_of(rt_slice_make(c->text.data, c->text.len - 1), ret_sha256);
	return c->fault.status;
}

/* --- The records ----------------------------------------------------------------------------- */

/* Of a record of the first data set, by its number in the order of these. */
struct entry {
	uint8_t sha256[RT_SHA256_BYTES]; /* of its canonical text */
	bool is_met;
};

struct rt_compare {
	struct rt_siphash_key key; /* of ids */
	struct canonical canonical;
	struct rt_map map;     /* from ids to numbers of entries, from 1 */
	struct rt_buf entries; /* of struct entry */
	uint32_t unmet[3];     /* by enum rt_kind: entries that were not met */
	uint32_t last[3];      /* and the highest number that was met */
};

enum rt_status rt_compare_new(struct rt_compare **ret_compare, struct rt_error *err)
{
	struct rt_compare *compare = calloc(1, sizeof(*compare));
	enum rt_status status;

	if (!compare)
		return rt_error_nomem(err);
	status = rt_siphash_key_init(&compare->key, err);
	if (status != RT_OK) {
		free(compare);
		return status;
	}
	*ret_compare = compare;
	return RT_OK;
}

void rt_compare_free(struct rt_compare *compare)
{
	if (!compare)
		return;
	rt_map_release(&compare->map);
	rt_buf_release(&compare->entries);
	canonical_release(&compare->canonical);
	free(compare);
}

static struct entry *entry_of(const struct rt_compare *compare, uint32_t number)
{
	return (struct entry *)(void *)compare->entries.data + number - 1;
}

enum rt_status rt_compare_add(struct rt_compare *compare, enum rt_kind kind, struct rt_slice id,
			      struct rt_slice text, struct rt_error *err)
{
	uint32_t *number = rt_map_put(&compare->map, rt_siphash_id(&compare->key, kind, id), err);
	struct entry entry = {.is_met = false};

	if (!number || hash_canonical(&compare->canonical, text, entry.sha256, err) != RT_OK ||
	    rt_buf_append(&compare->entries, &entry, sizeof(entry), err) != RT_OK)
		return RT_FATAL;
	*number = (uint32_t)(compare->entries.len / sizeof(entry));
	compare->unmet[kind]++;
	return RT_OK;
}

enum rt_status rt_compare_check(struct rt_compare *compare, enum rt_kind kind, struct rt_slice id,
				struct rt_slice text, enum rt_compare_result *ret_result,
				struct rt_error *err)
{
	uint32_t number = rt_map_get(&compare->map, rt_siphash_id(&compare->key, kind, id));
	uint8_t sha256[RT_SHA256_BYTES];
	struct entry *entry;

	*ret_result = RT_COMPARE_EXTRA;
	if (!number)
		return RT_OK;
	if (hash_canonical(&compare->canonical, text, sha256, err) != RT_OK)
		return RT_FATAL;
	entry = entry_of(compare, number);
	compare->unmet[kind] -= !entry->is_met;
	entry->is_met = true;
	*ret_result = RT_COMPARE_DIFFERENT;
	if (memcmp(entry->sha256, sha256, sizeof(sha256)) != 0)
		return RT_OK;
	/* Rulesets are answered in their order, so that it counts. */
	*ret_result = kind == RT_KIND_RULESET && number < compare->last[kind] ? RT_COMPARE_MOVED
									      : RT_COMPARE_SAME;
	if (*ret_result == RT_COMPARE_SAME)
		compare->last[kind] = number;
	return RT_OK;
}

uint64_t rt_compare_missing(const struct rt_compare *compare, enum rt_kind kind)
{
	return compare->unmet[kind];
}

bool rt_compare_is_missing(const struct rt_compare *compare, enum rt_kind kind, struct rt_slice id)
{
	uint32_t number = rt_map_get(&compare->map, rt_siphash_id(&compare->key, kind, id));

	return number && !entry_of(compare, number)->is_met;
}
