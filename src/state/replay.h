/*
 * A journal executed again on its base, entry by entry: what each of them changed (SPEC D13, D19).
 * It grows with the ids that the journal mentions, not with the base.
 */
#ifndef RT_STATE_REPLAY_H
#define RT_STATE_REPLAY_H

#include "journal/journal.h"

struct rt_replay;

/* One member of an issue that an entry changed, with JSON texts of its values. */
struct rt_replay_change {
	struct rt_slice member;  /* its name; of notes `is` was added, and `was` is null */
	struct rt_slice was, is; /* as in a response (SPEC D7) */
};

#define RT_REPLAY_CHANGES 5u

/* What an entry did to a watched issue that it mentions. */
struct rt_replay_issue {
	struct rt_slice id;
	bool found; /* the base has it */
	size_t count;
	struct rt_replay_change changes[RT_REPLAY_CHANGES];
};

/* What an entry did. Borrowed until the next one. */
struct rt_replay_effect {
	uint64_t changed;                     /* issues in which something changed */
	const struct rt_replay_issue *issues; /* the watched ones in the order of their mention */
	size_t issue_count;
};

/*
 * Read a journal and its base, which is checked to be that.
 *
 * options: paths are the base, journal is set; borrowed for the call. ids: of the issues to be
 * watched, borrowed for the call; those that no entry mentions do not matter.
 * ret_replay: on RT_OK before the first entry, owned by the caller.
 * Returns RT_OK, or RT_FATAL with err set.
 */
enum rt_status rt_replay_open(const struct rt_options *options, const char *const *ids,
			      size_t id_count, struct rt_replay **ret_replay, struct rt_error *err);

/* Where the journal ended when it was read. */
struct rt_journal_head rt_replay_head(const struct rt_replay *replay);

/* Execute the next entry, of which there must be one. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_replay_next(struct rt_replay *replay, struct rt_replay_effect *ret_effect,
			      struct rt_error *err);

/* NULL is allowed. */
void rt_replay_free(struct rt_replay *replay);

#endif
