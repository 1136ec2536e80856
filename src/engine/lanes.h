/*
 * One large file of JSON or JSON Lines read by several threads: each reads from a border between
 * records on. It is for answers that are counts: summary, gate, list --as count.
 *
 * Where a lane starts is a guess. The lane before proves it by coming to the same byte in the same
 * state (struct rt_spot): then all that was read from there on is what it would have read itself.
 * A lane that passes over the guess reads on, and what started there is dropped.
 *
 * At the first thing that is not as it should be, lanes give up and one reader reads the file
 * again: so messages, their order and their places are decided in one place.
 */
#ifndef RT_ENGINE_LANES_H
#define RT_ENGINE_LANES_H

#include "engine/summary.h"

struct rt_lanes;

/* What lanes do with the records that they read. */
struct rt_lane_work {
	/*
	 * Make what one lane gathers. key: of hashes, the same for all lanes; borrowed as long as
	 * they are there. ret_share: on RT_OK given to `free`. Returns RT_OK or RT_FATAL.
	 */
	enum rt_status (*begin)(void *ctx, const struct rt_siphash_key *key, void **ret_share,
				struct rt_error *err);
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
 * Returns what rt_lanes_free() takes; or NULL: nothing was told, and the data set is to be read by
 * one reader. That is so unless it is one regular file of JSON that is no SARIF log; without a
 * journal; large enough to be worth it or with a number of lanes set; and right in every respect.
 */
struct rt_lanes *rt_lanes_read(const struct rt_options *options, const struct rt_lane_work *work);

/* How many have come to the end or to the next one; their guesses were right. */
size_t rt_lanes_used(const struct rt_lanes *lanes);

/* What lane `index` of those used has gathered, in the order of input; borrowed. */
void *rt_lanes_share(const struct rt_lanes *lanes, size_t index);

/* Whether options->threads is a number of lanes. Returns RT_OK, or RT_FATAL (RT_E_USAGE). */
enum rt_status rt_lanes_check(const struct rt_options *options, struct rt_error *err);

/* NULL is allowed. */
void rt_lanes_free(struct rt_lanes *lanes);

#endif
