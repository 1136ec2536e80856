/*
 * Two data sets held against each other: the records of the one are taken in, then those of the
 * other, and of each of these is told whether the first has it with the same content, and at the
 * end how many of the first were not met. Memory is 46 bytes a record by the load of the tables.
 *
 * Two designs were weighed. (1) A keyed hash of each member, added up: no sort and no copy, but
 * 400 lines of a hash of our own, on which an audit would have to rely. (2) One canonical text of
 * the record, hashed by SHA-256. (2) won: anybody can make the same digest by other means.
 */
#include "ops/compare.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/json_string.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "engine/ids.h"
#include "scan/items.h"

/* --- The canonical text of a value ---------------------------------------------------------- */

/*
 * No blanks; strings spelled as rt_json_string_encode() does it, numbers as they are; arrays in
 * order; the members of an object in byte order of their names as they are spelled then, those of
 * one name in the order that they are in.
 */

/* A member or element in the text: from its first byte to after the comma that follows it. */
struct piece {
	size_t at, end, name_end;
};

/* An open array or object. */
struct level {
	size_t at;    /* of its first piece in the text */
	size_t first; /* its first piece */
	bool object;
};

struct canonical {
	struct rt_buf text, sorted, decoded;
	struct piece *pieces; /* of all objects that are open */
	size_t count, cap;
	size_t depth;
	struct level levels[RT_LIMIT_DEPTH_MAX + 2];
};

static void canonical_release(struct canonical *c)
{
	rt_buf_release(&c->text);
	rt_buf_release(&c->sorted);
	rt_buf_release(&c->decoded);
	free(c->pieces);
}

/* Append a string. text: with its quotes, the last of which is missing only in broken text. */
static enum rt_status put_string(struct canonical *c, struct rt_slice text, struct rt_error *err)
{
	struct rt_slice inside = rt_slice_make(text.ptr + 1, text.len - 1);
	enum rt_status status;

	if (inside.len && inside.ptr[inside.len - 1] == '"')
		inside.len--;
	if (text.len - inside.len != 2 || rt_json_string_is_own(inside))
		return rt_buf_append(&c->text, text.ptr, text.len, err);
	status = rt_json_string_text(inside, &c->decoded, &inside, err);
	return status == RT_OK ? rt_json_string_encode(inside, &c->text, err) : status;
}

/* A piece begins: of an object with its name, which *at is stepped over. */
static enum rt_status begin_piece(struct canonical *c, const char **at, const char *end,
				  struct rt_error *err)
{
	const char *from = *at;
	enum rt_status status;
	struct piece *piece;
	bool loose;

	if (!c->levels[c->depth - 1].object)
		return RT_OK;
	if (c->count == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 64;
		struct piece *pieces = reallocarray(c->pieces, cap, sizeof(*pieces));

		if (!pieces)
			return rt_error_nomem(err);
		c->pieces = pieces;
		c->cap = cap;
	}
	piece = &c->pieces[c->count++];
	piece->at = c->text.len;
	*at = rt_items_string(from + 1, end, &loose);
	*at += *at < end;
	status = put_string(c, rt_slice_make(from, (size_t)(*at - from)), err);
	piece->name_end = c->text.len;
	if (status == RT_OK)
		status = rt_buf_append(&c->text, ":", 1, err);
	*at = rt_items_blanks(*at, end);
	*at = rt_items_blanks(*at + (*at < end), end);
	return status;
}

/* A value is whole: a comma follows, for now. */
static enum rt_status end_piece(struct canonical *c, struct rt_error *err)
{
	enum rt_status status = rt_buf_append(&c->text, ",", 1, err);

	if (c->depth && c->levels[c->depth - 1].object)
		c->pieces[c->count - 1].end = c->text.len;
	return status;
}

static int piece_order(const void *left, const void *right, void *ctx)
{
	const struct piece *a = left, *b = right;
	const char *text = ctx;
	int order = rt_slice_compare(rt_slice_make(text + a->at, a->name_end - a->at),
				     rt_slice_make(text + b->at, b->name_end - b->at));

	return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* Bring the members of the innermost object into order. */
static enum rt_status sort_pieces(struct canonical *c, const struct level *level,
				  struct rt_error *err)
{
	size_t count = c->count - level->first, len = c->text.len - level->at;
	enum rt_status status = RT_OK;
	struct piece *pieces;
	bool sorted = true;

	/* Without any member yet there is no list either. */
	if (count < 2)
		return RT_OK;
	pieces = c->pieces + level->first;
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
		memcpy(c->text.data + level->at, c->sorted.data, len);
	return status;
}

static enum rt_status open_level(struct canonical *c, char bracket, struct rt_error *err)
{
	enum rt_status status = rt_buf_append(&c->text, &bracket, 1, err);

	if (c->depth == sizeof(c->levels) / sizeof(c->levels[0]))
		return rt_error_set(err, RT_E_LIMIT, "nesting exceeds %u levels",
				    (unsigned)RT_LIMIT_DEPTH_MAX);
	c->levels[c->depth++] = (struct level){c->text.len, c->count, bracket == '{'};
	return status;
}

/* The innermost array or object has ended. */
static enum rt_status close_level(struct canonical *c, struct rt_error *err)
{
	const struct level *level = &c->levels[c->depth - 1];
	char bracket = level->object ? '}' : ']';
	enum rt_status status = RT_OK;

	if (level->object)
		status = sort_pieces(c, level, err);
	c->count = level->first;
	c->depth--;
	if (status != RT_OK)
		return status;
	if (c->text.len > level->at)
		c->text.len--;
	status = rt_buf_append(&c->text, &bracket, 1, err);
	return status == RT_OK ? end_piece(c, err) : status;
}

/* Append a value of which *at is the first byte, or open it. */
static enum rt_status put_value(struct canonical *c, const char **at, const char *end,
				struct rt_error *err)
{
	const char *from = *at;
	enum rt_status status;

	if (from < end && (*from == '{' || *from == '[')) {
		++*at;
		return open_level(c, *from, err);
	}
	*at = rt_items_value(from, end);
	if (*at > from && *from == '"')
		status = put_string(c, rt_slice_make(from, (size_t)(*at - from)), err);
	else
		status = rt_buf_append(&c->text, from, (size_t)(*at - from), err);
	return status == RT_OK ? end_piece(c, err) : status;
}

/*
 * Make the canonical text of a value. value: JSON text without blanks around it. *ret_text:
 * borrowed until the next call. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
static enum rt_status canonical_make(struct canonical *c, struct rt_slice value,
				     struct rt_slice *ret_text, struct rt_error *err)
{
	const char *at = value.ptr, *end = rt_slice_end(value);
	enum rt_status status;

	c->text.len = c->count = c->depth = 0;
	status = put_value(c, &at, end, err);
	while (status == RT_OK && c->depth) {
		const char *from;

		at = rt_items_blanks(at, end);
		if (at < end && *at == ',')
			at = rt_items_blanks(at + 1, end);
		from = at;
		if (at < end && *at != '}' && *at != ']') {
			status = begin_piece(c, &at, end, err);
			if (status == RT_OK)
				status = put_value(c, &at, end, err);
		}
		/* Not in text that has been checked; but no text may hold this up. */
		if (status == RT_OK && at == from) {
			at += at < end;
			status = close_level(c, err);
		}
	}
	*ret_text = rt_buf_slice(&c->text);
	return status;
}

/* --- The tables ------------------------------------------------------------------------------ */

/* Of an entry: whether the record was met; its number among those of its kind; SHA-256 of its
 * canonical text. */
#define ENTRY_MET RT_ID_HEAD
#define ENTRY_NUMBER (ENTRY_MET + 1)
#define ENTRY_DIGEST (ENTRY_NUMBER + 4)
#define ENTRY_BYTES (ENTRY_DIGEST + RT_SHA256_BYTES)

/* Entries are large: no table doubles. */
static const struct rt_id_shape shape = {ENTRY_BYTES, 0};

struct rt_compare {
	struct rt_siphash_key key; /* of ids */
	struct canonical canonical;
	struct rt_buf want; /* a canonical text that another is held against */
	struct rt_id_tables tables;
	uint64_t count, met;
	uint32_t numbers[3]; /* by enum rt_kind: records of the first data set */
	uint32_t last[3];    /* and the highest number that was met */
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
	rt_id_tables_release(&compare->tables);
	canonical_release(&compare->canonical);
	rt_buf_release(&compare->want);
	free(compare);
}

/* The hash of an id; the memory that will be needed is on its way into the cache meanwhile. */
static struct rt_hash128 seek(const struct rt_compare *compare, enum rt_kind kind,
			      struct rt_slice id)
{
	struct rt_hash128 hash = rt_siphash_id(&compare->key, kind, id);

	rt_id_fetch(&compare->tables, hash, shape);
	return hash;
}

static enum rt_status digest(struct rt_compare *compare, struct rt_slice text,
			     uint8_t ret_digest[RT_SHA256_BYTES], struct rt_error *err)
{
	enum rt_status status = canonical_make(&compare->canonical, text, &text, err);

	if (status == RT_OK)
		rt_sha256_of(text, ret_digest);
	return status;
}

enum rt_status rt_compare_add(struct rt_compare *compare, enum rt_kind kind, struct rt_slice id,
			      struct rt_slice text, struct rt_error *err)
{
	struct rt_hash128 hash = seek(compare, kind, id);
	struct rt_id_table *table = rt_id_table(&compare->tables, hash);
	uint8_t sum[RT_SHA256_BYTES];
	enum rt_status status = digest(compare, text, sum, err);
	unsigned char *entry = status == RT_OK ? rt_id_place(table, hash, shape, err) : NULL;

	if (!entry)
		return RT_FATAL;
	if (!rt_id_is_there(entry)) {
		rt_id_take(table, entry, hash);
		compare->count++;
	}
	compare->numbers[kind]++;
	memcpy(entry + ENTRY_NUMBER, &compare->numbers[kind], sizeof(compare->numbers[kind]));
	memcpy(entry + ENTRY_DIGEST, sum, sizeof(sum));
	return RT_OK;
}

/* A record that is the same. Rulesets are answered in their order, so that it counts. */
static enum rt_compare_result same_or_moved(struct rt_compare *compare, enum rt_kind kind,
					    const unsigned char *entry)
{
	uint32_t number;

	memcpy(&number, entry + ENTRY_NUMBER, sizeof(number));
	if (kind == RT_KIND_RULESET && number < compare->last[kind])
		return RT_COMPARE_MOVED;
	compare->last[kind] = number;
	return RT_COMPARE_SAME;
}

enum rt_status rt_compare_check(struct rt_compare *compare, enum rt_kind kind, struct rt_slice id,
				struct rt_slice text, enum rt_compare_result *ret_result,
				struct rt_error *err)
{
	struct rt_hash128 hash = seek(compare, kind, id);
	uint8_t sum[RT_SHA256_BYTES];
	enum rt_status status = digest(compare, text, sum, err);
	unsigned char *entry;

	if (status != RT_OK)
		return status;
	entry = rt_id_seek(&compare->tables, hash, shape);
	*ret_result = RT_COMPARE_EXTRA;
	if (!entry)
		return RT_OK;
	compare->met += !entry[ENTRY_MET];
	entry[ENTRY_MET] = 1;
	*ret_result = memcmp(entry + ENTRY_DIGEST, sum, sizeof(sum)) == 0
			  ? same_or_moved(compare, kind, entry)
			  : RT_COMPARE_DIFFERENT;
	return RT_OK;
}

uint64_t rt_compare_missing(const struct rt_compare *compare)
{
	return compare->count - compare->met;
}

bool rt_compare_is_missing(const struct rt_compare *compare, enum rt_kind kind, struct rt_slice id)
{
	const unsigned char *entry = rt_id_seek(&compare->tables, seek(compare, kind, id), shape);

	return entry && !entry[ENTRY_MET];
}

/* --- What differs in a record -------------------------------------------------------------- */

/* A name with its quotes, by which canonical texts are ordered. */
static struct rt_slice quoted(struct rt_slice name)
{
	return rt_slice_make(name.ptr - 1, name.len + 2);
}

enum rt_status rt_compare_member(struct rt_compare *compare, struct rt_slice want,
				 struct rt_slice have, struct rt_difference *ret_difference,
				 struct rt_error *err)
{
	enum rt_status status = canonical_make(&compare->canonical, want, &want, err);
	struct rt_item a, b;
	struct rt_items of_want, of_have;
	bool in_want, in_have;
	int order;

	compare->want.len = 0;
	if (status == RT_OK)
		status = rt_buf_append(&compare->want, want.ptr, want.len, err);
	if (status == RT_OK)
		status = canonical_make(&compare->canonical, have, &have, err);
	if (status != RT_OK)
		return status;
	rt_items_init(&of_want, rt_buf_slice(&compare->want));
	rt_items_init(&of_have, have);
	do {
		in_want = rt_items_next(&of_want, &a);
		in_have = rt_items_next(&of_have, &b);
	} while (in_want && in_have && rt_slice_equal(a.key, b.key) &&
		 rt_slice_equal(a.value, b.value));
	*ret_difference = (struct rt_difference){.name = {NULL, 0}};
	if (!in_want && !in_have)
		return RT_OK;
	order = !in_have ? -1 : in_want ? rt_slice_compare(quoted(a.key), quoted(b.key)) : 1;
	ret_difference->name = order <= 0 ? a.key : b.key;
	if (order <= 0)
		ret_difference->want = a.value;
	if (order >= 0)
		ret_difference->have = b.value;
	return RT_OK;
}
