/*
 * A keyed hash of what a record holds, whatever its spelling: two records with the same members of
 * the same values have the same hash, and two others differ but for a chance of 1 in 2^64 or less
 * that nobody can aim for.
 *
 * Two designs were weighed: writing each record in one canonical form, members sorted, and hashing
 * that; and hashing the members apart and adding the hashes up. Adding won: it needs neither a
 * sort at every level nor a copy of the record.
 */
#ifndef RT_OPS_CONTENT_H
#define RT_OPS_CONTENT_H

#include "base/siphash.h"

struct rt_content;

/* With fresh keys. ret_content: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL. */
enum rt_status rt_content_new(struct rt_content **ret_content, struct rt_error *err);

/*
 * The hash of a record. text: an object from its '{' to its '}' as the scanner lets it pass;
 * borrowed for the call. Strings are the same by their decoded characters, numbers by their text,
 * arrays by their elements in order, objects by their members in any order, each as often as it
 * is there. Hashes of different struct rt_content cannot be compared.
 * Returns RT_OK, or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_content_hash(struct rt_content *content, struct rt_slice text,
			       struct rt_hash128 *ret_hash, struct rt_error *err);

/* The hash of a record's bytes as they are: quick, and where it is the same all else is. */
struct rt_hash128 rt_content_text(const struct rt_content *content, struct rt_slice text);

/* NULL is allowed. */
void rt_content_free(struct rt_content *content);

#endif
