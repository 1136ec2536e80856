/*
 * The form of a partial summary: what one machine has counted of its share of a data set, as a
 * document that merges (schemas/partial-head.schema.json). partial.c writes it, merge.c reads it.
 *
 * It begins with lines of compact JSON: the head, a line for each input, note, severity (the five
 * levels, then others in byte order) and category, then the newest issues with all 29 members. The
 * ids follow as bytes, in ascending order of their digests, which differ, and at the end the
 * SHA-256 of all bytes before. As JSON an id would take 45 bytes; like this it takes 19 to 23.
 *
 * An id is 16 bytes of digest and three numbers: that of its input from 0, doubled, plus 1 for a
 * ruleset; line and column of its record. A number is 7 bits a byte, the lowest first, bit 7 set in
 * all bytes but the last, in as few as it takes. The digest is the first half of the SHA-256 of
 * `issue:` or `ruleset:` and the id. It has no secret key, since all machines must come to the same
 * one: two ids that meet would be a false alarm, never a silent one, and take 2^64 tries to find.
 */
#ifndef RT_OPS_PARTIAL_H
#define RT_OPS_PARTIAL_H

#include "base/sha256.h"
#include "engine/summary.h"

/* The lines: %n is a number, %s a string or null, %a an array of strings. */
#define RT_PARTIAL_MAGIC "{\"retriage_partial\":"
#define RT_PARTIAL_VERSION "1"
#define RT_PARTIAL_HEAD ",\"version\":%s,\"options\":"
#define RT_PARTIAL_OPTIONS "{\"recent\":%n,\"failed_runs\":%s,\"include\":%a,\"exclude\":%a}"
#define RT_PARTIAL_COUNTS                                                                          \
	",\"inputs\":%n,\"notes\":%n,\"issues\":%n,\"rulesets\":%n,\"false_positives\":%n,"        \
	"\"no_severity\":%n,\"severities\":%n,\"categories\":%n,\"recent_issues\":%n}\n"
#define RT_PARTIAL_INPUT "{\"path\":%s,\"member\":%s}\n"
#define RT_PARTIAL_NOTE "{\"note\":%s}\n"
#define RT_PARTIAL_VALUE "{\"value\":%s,\"count\":%n,\"open\":%n}\n"

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
void rt_partial_digest(enum rt_kind kind, struct rt_slice id, uint8_t digest[RT_PARTIAL_DIGEST]);

/* Sort ids by their digests, then by their places in the data set. ids: struct rt_partial_id. */
void rt_partial_sort(struct rt_buf *ids);

/* Negative, 0 or positive as a is before b in the data set: by input, line and column. */
int rt_partial_place_compare(const struct rt_partial_id *a, const struct rt_partial_id *b);

/*
 * Read all partial summaries of options->paths, each once, in this order, and add them up: the
 * summary that one run over all their inputs would have come to. Memory follows the number of ids,
 * 40 bytes each and a third of that more while they are sorted, and the names of the inputs.
 *
 * options->notice gets the notes of each. summary: {0} at first, afterwards not sorted, to be
 * released in any case. Returns RT_OK; RT_FATAL with err set: RT_E_INPUT also where an id stands
 * twice, with both inputs in err, and where they were not made with the same options.
 */
enum rt_status rt_partials_read(const struct rt_options *options, struct rt_summary *summary,
				struct rt_error *err);

#endif
