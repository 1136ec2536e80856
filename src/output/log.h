/*
 * The entries of a journal, as `log` goes through them.
 */
#ifndef RT_OUTPUT_LOG_H
#define RT_OUTPUT_LOG_H

#include "journal/journal.h"
#include "journal/replay.h"

/* One call of rt_log(). */
struct rt_log {
	const struct rt_log_filter *filter;
	struct rt_journal *journal;
	struct rt_replay *replay;       /* NULL: without the base, nothing is executed again */
	struct rt_replay_effect effect; /* of the entry at hand, where it is */
	uint64_t entries, shown;        /* so far; shown: those that the filter lets through */
};

/*
 * The next entry that is to be shown. Returns as rt_journal_next(), but RT_FATAL also where the
 * journal is no longer what was replayed; what was added to it since is left out.
 */
enum rt_status rt_log_next(struct rt_log *log, struct rt_journal_entry *ret_entry,
			   struct rt_error *err);

#endif
