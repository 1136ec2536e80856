/*
 * A data set read in lanes: several readers at once. Of one large file each reads from a border
 * between records on, of many files each reads a share.
 *
 * Two designs were weighed. (1) Lanes whose partial results are exact whatever the file holds: each
 * with the places of its ids, its faults and its lines, which are put together at the end, lines
 * shifted by those of the lanes before, duplicates named across lanes, and every limit applied to
 * what all of them have taken by then. (2) Lanes that count, and give up at the first thing that
 * has to be told: then the file is read once more, by one reader, which says what is wrong as it
 * always does. (2) won: messages, their order and their places are made in one place, ids need no
 * place in the common case, and what it costs is time on files that are refused.
 *
 * Where a lane starts in a file is a guess. The lane before proves it by coming to the same byte in
 * the same state (struct rt_spot): then all that was read from there on is what it would have read
 * itself. A lane that passes over the guess reads on, and what started there is dropped.
 *
 * In YAML the items of a block sequence can be told by the blanks before their dashes alone, and
 * only the whole way to an item tells whether it is one. So each lane reads an excerpt (struct
 * rt_excerpt): what stands before the items, and then some of them. The way to the next lane's
 * first item is proven where an excerpt ends as the sequence does: all collections, quotes and
 * texts inside of it are closed, and nothing follows it. What could tie one excerpt to another,
 * such as an alias, is refused.
 *
 * Files are shared out by their sizes, in their order, before the first is read. Each lane finds
 * them for itself and opens its own; that all have found the same ones, in the state that they had
 * then, is held against their stamps at the end.
 */
#ifndef RT_ENGINE_LANES_H
#define RT_ENGINE_LANES_H

#include "engine/summary.h"

struct rt_lanes;

/* What lanes do with the records that they read. */
struct rt_lane_work {
	/*
	 * Make what one lane gathers. first: it is the lane that the data set begins with, and the
	 * first that is made. key: of hashes, the same for all lanes; borrowed as long as they are
	 * there. ret_share: on RT_OK given to `free`. Returns RT_OK or RT_FATAL.
	 */
	enum rt_status (*begin)(void *ctx, const struct rt_siphash_key *key, bool first,
				void **ret_share, struct rt_error *err);
	/* Take a checked record, whose id has not been held against others; called in the thread of
	 * the lane. Whatever it returns but RT_OK, all is read again by one reader. */
	enum rt_status (*take)(void *share, const struct rt_record *record, struct rt_error *err);
	/* All has been read, and one reader would have come as far: put together what the lanes
	 * have gathered. Returns whether that is what one reader would have gathered. */
	bool (*join)(void *ctx, const struct rt_lanes *lanes);
	void (*free)(void *share);
	void *ctx;
};

/*
 * Read the data set of options.
 *
 * work: copied; its ctx is borrowed for the call.
 * lane_bytes: bytes that a lane has at least where options->threads does not set their number; 0
 * for the usual number (tests set others). Returns what rt_lanes_free() takes, and options->notice
 * has been told what one reader tells at its end; or NULL: nothing was told, and the data set is to
 * be read by one reader. That is so unless it is one regular file of JSON that is no SARIF log, or
 * of YAML with one sequence of records, or several regular files of any kind, wherever they are;
 * without a journal; large enough to be worth it or with a number of lanes set; and right in every
 * respect.
 */
struct rt_lanes *rt_lanes_read(const struct rt_options *options, const struct rt_lane_work *work,
			       uint64_t lane_bytes);

/* How many have come to the end or to the next one; their guesses were right. */
size_t rt_lanes_used(const struct rt_lanes *lanes);

/* What lane `index` of those used has gathered, in the order of input; borrowed. */
void *rt_lanes_share(const struct rt_lanes *lanes, size_t index);

/* As rt_dataset_warnings(), of all lanes. */
const struct rt_faults *rt_lanes_warnings(const struct rt_lanes *lanes);

/* Whether options->threads is a number of lanes. Returns RT_OK, or RT_FATAL (RT_E_USAGE). */
enum rt_status rt_lanes_check(const struct rt_options *options, struct rt_error *err);

/* NULL is allowed. */
void rt_lanes_free(struct rt_lanes *lanes);

/* --- Summaries in lanes ----------------------------------------------------------------------- */

/*
 * Read as above and count the issues as rt_summary_add() does. recent: how many recent issues.
 */
struct rt_lanes *rt_lanes_summarize(const struct rt_options *options, size_t recent,
				    uint64_t lane_bytes);

/* What rt_lanes_summarize() has counted, not sorted; borrowed. */
struct rt_summary *rt_lanes_summary(const struct rt_lanes *lanes);

#endif
