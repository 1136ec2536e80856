/*
 * Steps through checked JSON text of an array or object, item by item, and checks nothing: where
 * the text is not what it should be, the items are not either, but no byte outside of it is read.
 */
#include "scan/items.h"

#include "base/json_string.h"
#include "base/plain.h"

const char *rt_items_string(const char *at, const char *end, bool *ret_loose)
{
	for (;;) {
		at += rt_plain_len(at, (size_t)(end - at), "\"\\", false);
		if (at == end || *at == '"')
			return at;
		if (end - at < 2)
			return end;
		if (at[1] == 'u' || at[1] == '/')
			*ret_loose = true;
		at += 2;
	}
}

const char *rt_items_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	return at;
}

/* The same where there are none as a rule. */
static inline const char *skip_blanks(const char *at, const char *end)
{
	return at < end && (unsigned char)*at > ' ' ? at : rt_items_blanks(at, end);
}

/* Whether a byte ends a number or a literal. */
static bool is_delimiter(char c)
{
	return c == ',' || c == ']' || c == '}' || c == ':' || c == ' ' || c == '\n' || c == '\r' ||
	       c == '\t';
}

/* Step over an array or object; at: its bracket. Returns the byte after it, or end. */
static const char *container_end(const char *at, const char *end)
{
	size_t depth = 0;
	bool loose;

	while (at < end) {
		char c = *at++;

		if (c == '"') {
			at = rt_items_string(at, end, &loose);
			at += at < end;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if ((c == '}' || c == ']') && --depth == 0) {
			return at;
		}
	}
	return end;
}

const char *rt_items_value(const char *at, const char *end)
{
	bool loose;

	if (at == end)
		return end;
	if (*at == '{' || *at == '[')
		return container_end(at, end);
	if (*at == '"') {
		at = rt_items_string(at + 1, end, &loose);
		return at + (at < end);
	}
	while (at < end && !is_delimiter(*at))
		at++;
	return at;
}

void rt_items_init(struct rt_items *items, struct rt_slice list)
{
	/* Nothing has no bytes, not even from an address on. */
	items->at = list.len > 0 ? list.ptr + 1 : list.ptr;
	items->end = rt_slice_end(list);
	items->object = list.len > 0 && *list.ptr == '{';
}

/* Step over a member's key and its colon; at: its quote. Returns the first byte of the value. */
static inline const char *step_key(const char *at, const char *end, struct rt_slice *ret_key)
{
	const char *from = at + 1;
	bool loose;

	at = rt_items_string(from, end, &loose);
	*ret_key = rt_slice_make(from, (size_t)(at - from));
	at = skip_blanks(at + (at < end), end);
	return skip_blanks(at + (at < end), end);
}

bool rt_items_next(struct rt_items *items, struct rt_item *ret_item)
{
	const char *at = skip_blanks(items->at, items->end), *end = items->end, *from;

	if (at < end && *at == ',')
		at = skip_blanks(at + 1, end);
	if (at == end || *at == ']' || *at == '}')
		return false;
	ret_item->key = rt_slice_make(NULL, 0);
	if (items->object)
		at = step_key(at, end, &ret_item->key);
	from = at;
	at = rt_items_value(at, end);
	ret_item->value = rt_slice_make(from, (size_t)(at - from));
	items->at = at;
	return at > from;
}

bool rt_items_ended(const struct rt_items *items)
{
	const char *at = skip_blanks(items->at, items->end);

	if (at < items->end && *at == ',')
		at = skip_blanks(at + 1, items->end);
	return at < items->end;
}

bool rt_items_key_is(struct rt_slice key, struct rt_slice name)
{
	/* Each character has at most six bytes for each of its own. */
	char plain[6 * RT_ITEMS_NAME_MAX];

	if (!rt_json_string_is_escaped(key))
		return rt_slice_equal(key, name);
	if (key.len > sizeof(plain))
		return false;
	key.len = rt_json_string_decode(key, plain);
	key.ptr = plain;
	return rt_slice_equal(key, name);
}

/* The hash of a text under a key of its own for each type, so that "1" is not 1. */
static struct rt_hash128 hash_text(const struct rt_siphash_key *key, char type,
				   struct rt_slice text)
{
	const struct rt_siphash_key own = {key->k0 ^ (uint64_t)(unsigned char)type, key->k1};

	return rt_siphash(&own, text);
}

static enum rt_status hash_string(const struct rt_siphash_key *key, struct rt_slice inside,
				  struct rt_buf *room, struct rt_hash128 *ret_hash,
				  struct rt_error *err)
{
	struct rt_slice text;
	enum rt_status status = rt_json_string_text(inside, room, &text, err);

	if (status == RT_OK)
		*ret_hash = hash_text(key, '"', text);
	return status;
}

/* The hashes of members are added up, for their order means nothing; those of elements are
 * chained. */
static enum rt_status hash_list(const struct rt_siphash_key *key, struct rt_slice list,
				struct rt_buf *room, struct rt_hash128 *ret_hash,
				struct rt_error *err)
{
	struct {
		struct rt_hash128 sum, key, value;
	} pair = {{0, 0}, {0, 0}, {0, 0}};
	const struct rt_slice bytes = {(const char *)&pair, sizeof(pair)};
	enum rt_status status = RT_OK;
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, list);
	while (status == RT_OK && rt_items_next(&items, &item)) {
		struct rt_hash128 sum = pair.sum, one;

		if (items.object)
			status = hash_string(key, item.key, room, &pair.key, err);
		if (status == RT_OK)
			status = rt_items_hash(key, item.value, room, &pair.value, err);
		if (items.object)
			pair.sum = (struct rt_hash128){0, 0};
		one = hash_text(key, *list.ptr, bytes);
		pair.sum = items.object
			       ? (struct rt_hash128){sum.low + one.low, sum.high + one.high}
			       : one;
	}
	pair.key = pair.value = (struct rt_hash128){0, 0};
	*ret_hash = hash_text(key, *list.ptr, bytes);
	return status;
}

enum rt_status rt_items_hash(const struct rt_siphash_key *key, struct rt_slice value,
			     struct rt_buf *room, struct rt_hash128 *ret_hash, struct rt_error *err)
{
	if (value.len && (*value.ptr == '{' || *value.ptr == '['))
		return hash_list(key, value, room, ret_hash, err);
	if (value.len > 1 && *value.ptr == '"')
		return hash_string(key, rt_slice_make(value.ptr + 1, value.len - 2), room, ret_hash,
				   err);
	*ret_hash = hash_text(key, '0', value);
	return RT_OK;
}
