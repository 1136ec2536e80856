/*
 * A journal taken in as a plan: what it says of its base, its updates, and what each of them said
 * that it did.
 */
#ifndef RT_JOURNAL_HISTORY_H
#define RT_JOURNAL_HISTORY_H

#include "engine/plan.h"
#include "journal/journal.h"

/* What an entry says of its result. */
struct rt_history_result {
	uint64_t updated_count, failed_count;
	uint8_t sha256[RT_SHA256_BYTES];
	uint8_t notes_sha256[RT_SHA256_BYTES]; /* not of version 1 */
};

/* {0} is one without a journal. */
struct rt_history {
	struct rt_journal *journal; /* NULL: none */
	struct rt_plan *plan;       /* the entries' updates, then those that are added */
	bool keep_results;          /* set before reading: verification needs results */
	struct rt_buf results;      /* of struct rt_history_result, by entry; where kept */
	struct rt_buf options;      /* of the run, as line 1 names them */
};

/*
 * Make an empty plan and, where path is not NULL, open the journal, of a base that is read without
 * options->choice: with one it is RT_FATAL (RT_E_USAGE), and so it is where there are paths and the
 * journal was begun with other options about its base's records. The rest is as
 * rt_journal_open(). history: released by rt_history_release() whatever is returned.
 */
enum rt_status rt_history_open(struct rt_history *history, const char *path,
			       enum rt_journal_mode mode, const struct rt_options *options,
			       struct rt_error *err);

/*
 * Read the next entry into the plan. ret_entry: as rt_journal_next(); may be NULL.
 * Returns as rt_journal_next(); RT_END also where there is no journal.
 */
enum rt_status rt_history_next(struct rt_history *history, struct rt_journal_entry *ret_entry,
			       struct rt_error *err);

/*
 * Whether the journal is of this base; a journal to be begun, or none, is of any.
 * Returns RT_OK; RT_REJECT with err set, its path the journal's.
 */
enum rt_status rt_history_check_base(const struct rt_history *history,
				     const uint8_t sha256[RT_SHA256_BYTES], uint64_t issues,
				     struct rt_error *err);

/*
 * Set line 1 of a journal that is to be begun. path: of the base, whose last component becomes its
 * name there, so that the journal is the same on every machine. at: RT_INSTANT_CHARS.
 * Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_history_begin(struct rt_history *history, const char *path,
				const uint8_t sha256[RT_SHA256_BYTES], uint64_t issues,
				struct rt_slice at, struct rt_error *err);

void rt_history_release(struct rt_history *history);

#endif
