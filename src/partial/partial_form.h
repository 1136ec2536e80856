/*
 * The form of a partial summary: what one machine has counted of its share of a data set, as a
 * document that merges (schemas/partial-head.schema.json; README has all of it).
 *
 * Two designs were weighed. (1) JSON Lines throughout, an id a line, compressed: others read it
 * with what they have, but an id takes 45 bytes until it is compressed, and most of that is
 * digests, of which nothing can be compressed away. (2) JSON Lines for all that is counted, then
 * the ids as bytes. (2) won: 19 to 23 bytes an id as it stands, so that no compression is needed,
 * and reading the ids is a loop over three numbers. In order:
 *
 *   one line, the head: options, and how many of each of the following there are
 *   a line an input:    {"path":P,"member":M or null}
 *   a line a note:      {"note":N}
 *   a line a severity:  {"value":V,"count":N,"open":N}; the five levels, then others in byte order
 *   a line a category:  likewise, in byte order
 *   a line an issue:    the newest ones, with all 29 members, in the order of the answer
 *   the ids:            in ascending order of their digests, which differ
 *   32 bytes:           SHA-256 of all bytes before
 *
 * An id is 16 bytes of digest and three numbers: that of its input from 0, doubled, plus 1 for a
 * ruleset; line and column of its record. A number is 7 bits a byte, the lowest first, bit 7 set in
 * all bytes but the last, in as few as it takes. The digest is the first half of the SHA-256 of
 * `issue:` or `ruleset:` and the id: no secret key, since all machines must come to the same one;
 * two ids that meet would be a false alarm, never a silent one, and take 2^64 tries to be found.
 */
#ifndef RT_PARTIAL_PARTIAL_FORM_H
#define RT_PARTIAL_PARTIAL_FORM_H

#include "base/sha256.h"
#include "scan/member.h"

#define RT_PARTIAL_MAGIC "{\"retriage_partial\":"
#define RT_PARTIAL_VERSION "1"

#define RT_PARTIAL_DIGEST 16u

/* Bytes of an id at most: its digest, and numbers of 33, 64 and 64 bits. */
#define RT_PARTIAL_ID_MAX (RT_PARTIAL_DIGEST + 5u + 10u + 10u)

struct rt_partial_id {
	uint8_t digest[RT_PARTIAL_DIGEST];
	uint32_t input;
	enum rt_kind kind;     /* issue or ruleset */
	uint64_t line, column; /* of the record */
};

/* The digest of an id (decoded). kind: issue or ruleset. */
void rt_partial_digest(struct rt_sha256 *hash, enum rt_kind kind, struct rt_slice id,
		       uint8_t digest[RT_PARTIAL_DIGEST]);

/* Write an id as it stands in the document. Returns the bytes written. */
size_t rt_partial_id_write(const struct rt_partial_id *id, uint8_t out[RT_PARTIAL_ID_MAX]);

/*
 * Read an id from up to len bytes. Returns the bytes read; 0 where they are no id, or cut short.
 */
size_t rt_partial_id_read(const uint8_t *in, size_t len, struct rt_partial_id *ret_id);

#endif
