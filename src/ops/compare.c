/*
 * Holds two data sets against each other. Input: the records of the one, then those of the other.
 * Output: for each of the others, whether the first has it with the same content; how many of the
 * first were not met. Memory is 26 bytes a record by the load of the tables.
 */
#include "ops/compare.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/json_string.h"
#include "ops/content.h"
#include "scan/items.h"

/* Tables that grow on their own, so that growing one does not double the whole. */
#define TABLE_COUNT 256u
#define TABLE_FIRST 16u
/*
 * One record: 64 bits of its id's hash in the order of this machine (0: free), 8 more; whether it
 * was met; 64 bits of its bytes' hash, and 64 of its content's. 8 other bits of the id's hash
 * chose the table. Packed, so that looking one up touches one cache line, or two.
 */
#define ENTRY_CHECK 8u
#define ENTRY_MET 9u
#define ENTRY_TEXT 10u
#define ENTRY_CONTENT 18u
#define ENTRY_BYTES 26u

struct table {
	unsigned char (*entries)[ENTRY_BYTES];
	size_t cap, used;
};

struct rt_compare {
	struct rt_siphash_key keys[3]; /* of ids, by enum rt_kind */
	struct rt_content *content;
	struct table tables[TABLE_COUNT];
	uint64_t count, met;
};

enum rt_status rt_compare_new(struct rt_compare **ret_compare, struct rt_error *err)
{
	struct rt_compare *compare = calloc(1, sizeof(*compare));
	enum rt_status status;

	if (!compare)
		return rt_error_nomem(err);
	status = rt_siphash_key_init(&compare->keys[0], err);
	for (uint64_t kind = 1; kind < 3; kind++)
		compare->keys[kind] =
		    (struct rt_siphash_key){compare->keys[0].k0 ^ kind, compare->keys[0].k1};
	if (status == RT_OK)
		status = rt_content_new(&compare->content, err);
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
	for (size_t i = 0; i < TABLE_COUNT; i++)
		free(compare->tables[i].entries);
	rt_content_free(compare->content);
	free(compare);
}

size_t rt_compare_memory(const struct rt_compare *compare)
{
	size_t bytes = sizeof(*compare);

	for (size_t i = 0; i < TABLE_COUNT; i++)
		bytes += compare->tables[i].cap * ENTRY_BYTES;
	return bytes;
}

/* An id as the tables know it. */
struct sought {
	size_t table;
	uint64_t key; /* not 0 */
	unsigned char check;
};

static uint64_t word_get(const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static void word_set(unsigned char *at, uint64_t word)
{
	memcpy(at, &word, sizeof(word));
}

/* Where the search for a key starts. */
static size_t table_slot(const struct table *t, uint64_t key)
{
	return (size_t)((key >> 32) * t->cap >> 32);
}

/* The free entry for key, or the one that has key and check. The table has room. */
static unsigned char *table_find(const struct table *t, uint64_t key, unsigned char check)
{
	size_t slot = table_slot(t, key);

	for (;;) {
		unsigned char *entry = t->entries[slot];
		uint64_t there = word_get(entry);

		if (!there || (there == key && entry[ENTRY_CHECK] == check))
			return entry;
		if (++slot == t->cap)
			slot = 0;
	}
}

static enum rt_status table_grow(struct table *t, struct rt_error *err)
{
	struct table grown = {.cap = t->cap ? t->cap + t->cap / 4 : TABLE_FIRST, .used = t->used};

	grown.entries = calloc(grown.cap, ENTRY_BYTES);
	if (!grown.entries)
		return rt_error_nomem(err);
	for (size_t i = 0; i < t->cap; i++) {
		const unsigned char *entry = t->entries[i];
		uint64_t key = word_get(entry);

		if (key)
			memcpy(table_find(&grown, key, entry[ENTRY_CHECK]), entry, ENTRY_BYTES);
	}
	free(t->entries);
	*t = grown;
	return RT_OK;
}

/* What to look for; the memory that will be needed is on its way into the cache meanwhile. */
static struct sought seek(const struct rt_compare *compare, enum rt_kind kind, struct rt_slice id)
{
	struct rt_hash128 hash = rt_siphash(&compare->keys[kind], id);
	struct sought sought = {
	    .table = hash.high % TABLE_COUNT,
	    .key = hash.low ? hash.low : 1,
	    .check = (unsigned char)(hash.high >> 8),
	};
	const struct table *t = &compare->tables[sought.table];

	if (t->cap)
		__builtin_prefetch(t->entries[table_slot(t, sought.key)]);
	return sought;
}

/* The entry of a record of the first data set, or NULL. */
static unsigned char *entry_find(const struct rt_compare *compare, struct sought sought)
{
	const struct table *t = &compare->tables[sought.table];
	unsigned char *entry = t->cap ? table_find(t, sought.key, sought.check) : NULL;

	return entry && word_get(entry) ? entry : NULL;
}

enum rt_status rt_compare_add(struct rt_compare *compare, enum rt_kind kind, struct rt_slice id,
			      struct rt_slice text, struct rt_error *err)
{
	struct sought sought = seek(compare, kind, id);
	struct table *t = &compare->tables[sought.table];
	struct rt_hash128 content;
	enum rt_status status = rt_content_hash(compare->content, text, &content, err);
	unsigned char *entry;

	/* One entry stays free at least: a search ends there. */
	if (status == RT_OK && (t->used + 1) * 20 > t->cap * 17)
		status = table_grow(t, err);
	if (status != RT_OK)
		return status;
	entry = table_find(t, sought.key, sought.check);
	if (!word_get(entry)) {
		t->used++;
		compare->count++;
	}
	word_set(entry, sought.key);
	entry[ENTRY_CHECK] = sought.check;
	word_set(entry + ENTRY_TEXT, rt_content_text(compare->content, text).low);
	word_set(entry + ENTRY_CONTENT, content.low);
	return RT_OK;
}

/* The bytes are looked at first: mostly they are the same, and that is seen several times faster
 * than what they mean. */
enum rt_status rt_compare_check(struct rt_compare *compare, enum rt_kind kind, struct rt_slice id,
				struct rt_slice text, enum rt_compare_result *ret_result,
				struct rt_error *err)
{
	struct sought sought = seek(compare, kind, id);
	struct rt_hash128 hash = rt_content_text(compare->content, text);
	unsigned char *entry = entry_find(compare, sought);
	bool same = entry && word_get(entry + ENTRY_TEXT) == hash.low;
	enum rt_status status = RT_OK;

	if (entry && !same) {
		status = rt_content_hash(compare->content, text, &hash, err);
		same = word_get(entry + ENTRY_CONTENT) == hash.low;
	}
	if (status != RT_OK)
		return status;
	if (entry) {
		compare->met += !entry[ENTRY_MET];
		entry[ENTRY_MET] = 1;
	}
	*ret_result = same ? RT_COMPARE_SAME : entry ? RT_COMPARE_DIFFERENT : RT_COMPARE_EXTRA;
	return RT_OK;
}

uint64_t rt_compare_missing(const struct rt_compare *compare)
{
	return compare->count - compare->met;
}

bool rt_compare_is_missing(const struct rt_compare *compare, enum rt_kind kind, struct rt_slice id)
{
	const unsigned char *entry = entry_find(compare, seek(compare, kind, id));

	return entry && !entry[ENTRY_MET];
}

/* --- What differs in a record -------------------------------------------------------------- */

/* Texts that two members are compared by. */
struct scratch {
	struct rt_buf name, other, member;
};

static enum rt_status same_name(struct scratch *scratch, struct rt_slice a, struct rt_slice b,
				bool *ret_same, struct rt_error *err)
{
	enum rt_status status = rt_json_string_text(a, &scratch->name, &a, err);

	if (status == RT_OK)
		status = rt_json_string_text(b, &scratch->other, &b, err);
	*ret_same = status == RT_OK && rt_slice_equal(a, b);
	return status;
}

/* The hash of a value: that of a record of it alone. */
static enum rt_status value_hash(struct rt_compare *compare, struct rt_buf *text,
				 struct rt_slice value, struct rt_hash128 *ret_hash,
				 struct rt_error *err)
{
	enum rt_status status;

	text->len = 0;
	status = rt_buf_append(text, "{\"\":", 4, err);
	if (status == RT_OK)
		status = rt_buf_append(text, value.ptr, value.len, err);
	if (status == RT_OK)
		status = rt_buf_append(text, "}", 1, err);
	return status == RT_OK
		   ? rt_content_hash(compare->content, rt_buf_slice(text), ret_hash, err)
		   : status;
}

static enum rt_status same_value(struct rt_compare *compare, struct scratch *scratch,
				 struct rt_slice a, struct rt_slice b, bool *ret_same,
				 struct rt_error *err)
{
	struct rt_hash128 hash_a = {0, 0}, hash_b = {0, 0};
	enum rt_status status;

	*ret_same = rt_slice_equal(a, b);
	if (*ret_same)
		return RT_OK;
	status = value_hash(compare, &scratch->member, a, &hash_a, err);
	if (status == RT_OK)
		status = value_hash(compare, &scratch->member, b, &hash_b, err);
	*ret_same = status == RT_OK && hash_a.low == hash_b.low && hash_a.high == hash_b.high;
	return status;
}

/* The value of the first member of that name; ptr NULL: there is none. */
static enum rt_status find_member(struct scratch *scratch, struct rt_slice record,
				  struct rt_slice name, struct rt_slice *ret_value,
				  struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct rt_items items;
	struct rt_item item;
	bool same = false;

	*ret_value = rt_slice_make(NULL, 0);
	rt_items_init(&items, record);
	for (size_t i = 0; i < RT_DIFFERENCE_MEMBERS && rt_items_next(&items, &item); i++) {
		status = same_name(scratch, item.key, name, &same, err);
		if (status != RT_OK)
			return status;
		if (!same)
			continue;
		*ret_value = item.value;
		break;
	}
	return RT_OK;
}

/* The first member of one record that the other lacks or, where values count, has otherwise. */
static enum rt_status differs(struct rt_compare *compare, struct scratch *scratch,
			      struct rt_slice one, struct rt_slice other, bool values,
			      struct rt_difference *ret_difference, struct rt_error *err)
{
	struct rt_items items;
	struct rt_item item;
	struct rt_slice there;

	rt_items_init(&items, one);
	for (size_t i = 0; i < RT_DIFFERENCE_MEMBERS && rt_items_next(&items, &item); i++) {
		enum rt_status status = find_member(scratch, other, item.key, &there, err);
		bool same = there.ptr && !values;

		if (status == RT_OK && there.ptr && values)
			status = same_value(compare, scratch, item.value, there, &same, err);
		if (status != RT_OK)
			return status;
		if (same)
			continue;
		*ret_difference = (struct rt_difference){item.key, item.value, there};
		return RT_OK;
	}
	return RT_END;
}

enum rt_status rt_compare_member(struct rt_compare *compare, struct rt_slice want,
				 struct rt_slice have, struct rt_difference *ret_difference,
				 struct rt_error *err)
{
	struct scratch scratch = {.name = {0}};
	struct rt_difference found = {.name = {NULL, 0}};
	enum rt_status status = differs(compare, &scratch, want, have, true, &found, err);

	if (status == RT_END) {
		status = differs(compare, &scratch, have, want, false, &found, err);
		found.have = found.want;
		found.want = rt_slice_make(NULL, 0);
	}
	rt_buf_release(&scratch.name);
	rt_buf_release(&scratch.other);
	rt_buf_release(&scratch.member);
	if (status == RT_OK || status == RT_END)
		*ret_difference = found;
	return status == RT_END ? RT_OK : status;
}
