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

/* Append a string, with its quotes. */
static enum rt_status put_string(struct canonical *c, struct rt_slice text, struct rt_error *err)
{
	struct rt_slice inside = rt_slice_make(text.ptr + 1, text.len - 2);
	enum rt_status status;

	if (rt_json_string_is_own(inside))
		return rt_buf_append(&c->text, text.ptr, text.len, err);
	status = rt_json_string_text(inside, &c->decoded, &inside, err);
	return status == RT_OK ? rt_json_string_encode(inside, &c->text, err) : status;
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
static enum rt_status sort_pieces(struct canonical *c, struct piece *pieces, size_t count,
				  size_t from, struct rt_error *err)
{
	size_t len = c->text.len - from;
	enum rt_status status = RT_OK;
	bool sorted = true;

	for (size_t i = 1; sorted && i < count; i++)
		sorted = piece_order(&pieces[i - 1], &pieces[i], c->text.data) < 0;
	if (sorted)
		return RT_OK;
	qsort_r(pieces, count, sizeof(*pieces), piece_order, c->text.data);
	c->sorted.len = 0;
	status = rt_buf_reserve(&c->sorted, len, err);
	for (size_t i = 0; status == RT_OK && i < count; i++)
		status = rt_buf_append(&c->sorted, c->text.data + pieces[i].at,
				       pieces[i].end - pieces[i].at, err);
	if (status == RT_OK)
		memcpy(c->text.data + from, c->sorted.data, len);
	return status;
}

static enum rt_status put_value(struct canonical *c, const char **at, const char *end,
				struct rt_error *err);

/* Append a member with the comma behind it. */
static enum rt_status put_member(struct canonical *c, const char **at, const char *end,
				 struct rt_error *err)
{
	struct piece piece = {.at = c->text.len};
	size_t place = c->pieces.len;
	const char *from = *at;
	enum rt_status status = rt_buf_append(&c->pieces, &piece, sizeof(piece), err);

	*at = rt_items_value(from, end);
	if (status == RT_OK)
		status = put_string(c, rt_slice_make(from, (size_t)(*at - from)), err);
	piece.name_end = c->text.len;
	if (status == RT_OK)
		status = rt_buf_append(&c->text, ":", 1, err);
	*at = rt_items_blanks(rt_items_blanks(*at, end) + 1, end);
	if (status == RT_OK)
		status = put_value(c, at, end, err);
	if (status != RT_OK)
		return status;
	piece.end = c->text.len;
	memcpy(c->pieces.data + place, &piece, sizeof(piece));
	return RT_OK;
}

/* Append what is in an array or object, of which *at is the bracket. */
static enum rt_status put_inside(struct canonical *c, const char **at, const char *end,
				 struct rt_error *err)
{
	bool is_object = **at == '{';
	size_t first = c->pieces.len, from = c->text.len;
	enum rt_status status = RT_OK;

	while (status == RT_OK) {
		*at = rt_items_blanks(*at + 1, end);
		if (**at == '}' || **at == ']')
			break;
		status = is_object ? put_member(c, at, end, err) : put_value(c, at, end, err);
		*at = rt_items_blanks(*at, end);
		if (**at != ',')
			break;
	}
	++*at;
	if (status == RT_OK && c->pieces.len > first)
		status = sort_pieces(c, (struct piece *)(void *)(c->pieces.data + first),
				     (c->pieces.len - first) / sizeof(struct piece), from, err);
	c->pieces.len = first;
	c->text.len -= c->text.len > from;
	return status;
}

/* Append a value, of which *at is the first byte, and a comma. */
static enum rt_status put_value(struct canonical *c, const char **at, const char *end,
				struct rt_error *err)
{
	const char *from = *at;
	enum rt_status status;

	if (*from == '{' || *from == '[') {
		status = rt_buf_append(&c->text, from, 1, err);
		if (status == RT_OK)
			status = put_inside(c, at, end, err);
		if (status == RT_OK)
			status = rt_buf_append(&c->text, *at - 1, 1, err);
	} else {
		*at = rt_items_value(from, end);
		status = *from == '"'
			     ? put_string(c, rt_slice_make(from, (size_t)(*at - from)), err)
			     : rt_buf_append(&c->text, from, (size_t)(*at - from), err);
	}
	return status == RT_OK ? rt_buf_append(&c->text, ",", 1, err) : status;
}

/*
 * Make the canonical text of a value. value: JSON text without blanks around it, which has been
 * checked: so it is no deeper than RT_LIMIT_DEPTH_MAX. *ret_text: borrowed until the next call.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
static enum rt_status canonical_make(struct canonical *c, struct rt_slice value,
				     struct rt_slice *ret_text, struct rt_error *err)
{
	const char *at = value.ptr;

	c->text.len = c->pieces.len = 0;
	if (put_value(c, &at, rt_slice_end(value), err) != RT_OK)
		return RT_FATAL;
	*ret_text = rt_slice_make(c->text.data, c->text.len - 1);
	return RT_OK;
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

	if (!number || canonical_make(&compare->canonical, text, &text, err) != RT_OK)
		return RT_FATAL;
	rt_sha256_of(text, entry.sha256);
	if (rt_buf_append(&compare->entries, &entry, sizeof(entry), err) != RT_OK)
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
	if (canonical_make(&compare->canonical, text, &text, err) != RT_OK)
		return RT_FATAL;
	rt_sha256_of(text, sha256);
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
