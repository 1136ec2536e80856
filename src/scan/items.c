/*
 * Steps through checked JSON text. Input: the text of an array or object. Output: slices of it,
 * item by item. Checks nothing: where the text is not what it should be, the items are not
 * either, but no byte outside of it is read.
 */
#include "scan/items.h"

#include "base/bytes.h"
#include "base/json_string.h"

#define EACH_BYTE UINT64_C(0x0101010101010101)
#define LOW_BITS (EACH_BYTE * 0x7F)

/* The top bit of every byte of word that is 0; no carry leaves a byte. */
static inline uint64_t zero_bytes(uint64_t word)
{
	return ~(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS);
}

/* The first quote or backslash, or end. */
static inline const char *special_find(const char *at, const char *end)
{
	for (; end - at >= 8; at += 8) {
		uint64_t word = rt_bytes_load64(at);
		uint64_t found =
		    zero_bytes(word ^ EACH_BYTE * '"') | zero_bytes(word ^ EACH_BYTE * '\\');

		if (found)
			return at + __builtin_ctzll(found) / 8;
	}
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
}

const char *rt_items_string(const char *at, const char *end, bool *ret_loose)
{
	for (;;) {
		at = special_find(at, end);
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

/* Whether a byte ends a number or a literal. */
static bool is_delimiter(char c)
{
	return c == ',' || c == ']' || c == '}' || c == ':' || c == ' ' || c == '\n' || c == '\r' ||
	       c == '\t';
}

const char *rt_items_value(const char *at, const char *end)
{
	size_t depth = 0;
	bool loose;

	do {
		if (at == end)
			return end;
		if (*at == '"') {
			at = rt_items_string(at + 1, end, &loose);
			at += at < end;
		} else if (*at == '{' || *at == '[') {
			depth++;
			at++;
		} else if (depth && (*at == '}' || *at == ']')) {
			depth--;
			at++;
		} else if (depth) {
			at++;
		} else {
			while (at < end && !is_delimiter(*at))
				at++;
		}
	} while (depth);
	return at;
}

void rt_items_init(struct rt_items *items, struct rt_slice list)
{
	items->at = list.ptr + (list.len > 0);
	items->end = list.ptr + list.len;
	items->object = list.len > 0 && *list.ptr == '{';
}

bool rt_items_next(struct rt_items *items, struct rt_item *ret_item)
{
	const char *at = rt_items_blanks(items->at, items->end), *end = items->end, *from;
	bool loose;

	if (at < end && *at == ',')
		at = rt_items_blanks(at + 1, end);
	if (at == end || *at == ']' || *at == '}')
		return false;
	ret_item->key = rt_slice_make(NULL, 0);
	if (items->object) {
		from = at + 1;
		at = rt_items_string(from, end, &loose);
		ret_item->key = rt_slice_make(from, (size_t)(at - from));
		at = rt_items_blanks(at + (at < end), end);
		at = rt_items_blanks(at + (at < end), end);
	}
	from = at;
	at = rt_items_value(at, end);
	ret_item->value = rt_slice_make(from, (size_t)(at - from));
	items->at = at;
	return at > from;
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
