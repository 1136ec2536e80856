/*
 * The members of an object and the elements of an array, one after the other, in JSON text that
 * the scanner has checked. Lighter than a scan: the grammar is taken as given, and no byte after
 * the text is read even where it does not hold; no padding is needed.
 */
#ifndef RT_SCAN_ITEMS_H
#define RT_SCAN_ITEMS_H

#include "base/buf.h"
#include "base/siphash.h"

/* A member or an element. */
struct rt_item {
	struct rt_slice key;   /* between the quotes, maybe escaped; of an element ptr is NULL */
	struct rt_slice value; /* without blanks around it */
};

/* How far a list has been read. */
struct rt_items {
	const char *at, *end;
	bool object;
};

/* Start with the first item. list: an array or object from its first byte to its last; borrowed. */
void rt_items_init(struct rt_items *items, struct rt_slice list);

/* The next item. Returns false after the last. */
bool rt_items_next(struct rt_items *items, struct rt_item *ret_item);

/* After rt_items_next() has returned false: whether it was stopped by the end of the list or by a
 * fault, and not by the end of the text. */
bool rt_items_ended(const struct rt_items *items);

/* Bytes of a name that a key is compared with. */
#define RT_ITEMS_NAME_MAX 64u

/* Whether a key, which may have escapes, is that name of at most RT_ITEMS_NAME_MAX bytes. */
bool rt_items_key_is(struct rt_slice key, struct rt_slice name);

/* The first byte that is no blank, or end. */
const char *rt_items_blanks(const char *at, const char *end);

/*
 * Step over a string. at: after its opening quote.
 * ret_loose: set where an escape is there that has other spellings of the same length or less:
 * \uXXXX and \/; else left as it is.
 * Returns its closing quote, or end.
 */
const char *rt_items_string(const char *at, const char *end, bool *ret_loose);

/* Step over a value of any kind; at: its first byte. Returns the byte after it. */
const char *rt_items_value(const char *at, const char *end);

/*
 * Hash a value: equal values have one hash, whatever the order of members, the spelling of strings
 * and the blanks are. Numbers are equal where they are written alike. room: for decoded text.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_items_hash(const struct rt_siphash_key *key, struct rt_slice value,
			     struct rt_buf *room, struct rt_hash128 *ret_hash,
			     struct rt_error *err);

#endif
