/*
 * The state of a data set: the export, or, where the options name a journal, the export with the
 * journal's updates applied (SPEC D19), as a sequence of records. The one way to hold an export,
 * its journal, and the digest that ties them together, in one order: the export is made readable
 * (rt_state_new()), its digest is begun and the journal opened (rt_state_open_journal()), the
 * journal is read and the data set opened (rt_state_read()), records are read, and the export is
 * held against the journal.
 */
#ifndef RT_STATE_STATE_H
#define RT_STATE_STATE_H

#include "engine/dataset.h"
#include "engine/filter.h"
#include "engine/issue_state.h"
#include "journal/history.h"

struct rt_state;

/* What may be asked for beside the records. */
struct rt_state_extras {
	/* The export's files will be read again: they have to be such as can be. */
	bool again;
	/* SHA-256 of each path, where all of them can be read twice: files, directories, and
	 * standard input, of which a pipe is copied to a temporary file. */
	bool digests;
	/* rt_history.keep_results */
	bool keep_results;
	/* The options' notice is not told how the journal ends. */
	bool quiet_journal;
	/* Told each entry of the journal while rt_state_read() reads it; NULL: nobody. Returns
	 * RT_OK or RT_FATAL, which ends the run. */
	enum rt_status (*on_entry)(void *ctx, const struct rt_journal_entry *entry,
				   struct rt_error *err);
	void *ctx;
};

/*
 * All of the steps below in their order. A journal is read and checked here.
 * options: borrowed until rt_state_free(). extras: copied, their ctx is borrowed for the call;
 * NULL: none. ret_state: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_state_open(const struct rt_options *options, const struct rt_state_extras *extras,
			     struct rt_state **ret_state, struct rt_error *err);

/*
 * The first step alone: nothing is read yet, but a pipe that has to be read again. extras: copied,
 * their ctx is borrowed until rt_state_read() has returned. As rt_state_open().
 */
enum rt_status rt_state_new(const struct rt_options *options, const struct rt_state_extras *extras,
			    struct rt_state **ret_state, struct rt_error *err);

/* Begin with the digest, where it is wanted or there is a journal, and open that. Returns as
 * rt_journal_open(). */
enum rt_status rt_state_open_journal(struct rt_state *state, enum rt_journal_mode mode,
				     struct rt_error *err);

/*
 * After the first step alone: go to a record that is read elsewhere, of a data set without a
 * journal, as if it had been delivered; borrowed until the next one.
 */
void rt_state_stand(struct rt_state *state, const struct rt_record *record);

/* Read what is left of the journal, and open the data set. Returns RT_OK or RT_FATAL. */
enum rt_status rt_state_read(struct rt_state *state, struct rt_error *err);

/* The options, with an input_fd that can be read as often as they ask for. */
const struct rt_options *rt_state_options(const struct rt_state *state);

/* The journal and its plan. A caller may read entries before rt_state_read() does, and add updates
 * to the plan after it. */
struct rt_history *rt_state_history(struct rt_state *state);

/* Who made an entry of the journal by its number from 0, and when: of a decision that was carried,
 * where it was first made. ret_actor: ptr NULL: nobody is named. Borrowed as long as the state. */
void rt_state_maker(const struct rt_state *state, uint32_t entry, struct rt_slice *ret_at,
		    struct rt_slice *ret_actor);

/* Say in a finding who made the entry that decided it, and when. */
void rt_state_name_maker(const struct rt_state *state, struct rt_finding *finding);

/* From rt_state_read() on. */
struct rt_dataset *rt_state_dataset(const struct rt_state *state);

/*
 * The next record as the export has it. ret_target: of its updates, or RT_PLAN_NONE. Otherwise as
 * rt_state_next(), but nothing is held against the journal's base.
 */
enum rt_status rt_state_next_base(struct rt_state *state, const struct rt_record **ret_record,
				  uint32_t *ret_target, struct rt_error *err);

/*
 * The export has been read: is it what the journal is about? Where it has a fault (whole: false)
 * there may be an answer all the same: only the digest is looked at. Waits for that.
 * Returns RT_OK, where nothing is to be held against it too; RT_REJECT: it is another one, err has
 * no path; RT_FATAL.
 */
enum rt_status rt_state_check_base(struct rt_state *state, bool whole, struct rt_error *err);

/* The same for a caller that has read the whole of the base, and takes no other. */
enum rt_status rt_state_settle(struct rt_state *state, struct rt_error *err);

/* After rt_state_settle(), begin the journal where it is to be begun. at: see rt_history_begin().
 */
enum rt_status rt_state_begin(struct rt_state *state, struct rt_slice at, struct rt_error *err);

/* Go back to the first record; the options' notice is not told again what is in the files. */
enum rt_status rt_state_again(struct rt_state *state, struct rt_error *err);

/* No record is to be read any more: free what is only for that. */
void rt_state_end(struct rt_state *state);

/*
 * The digest of a path by its index, after RT_END, and the bytes of its files: SHA-256 of a file;
 * of a directory as rt_base_digest_new() has it. Returns false where it was not made.
 */
bool rt_state_digest(const struct rt_state *state, size_t index, uint8_t sha256[RT_SHA256_BYTES],
		     uint64_t *ret_bytes);

/*
 * The next record as it is now; borrowed until the next call. Its `text` is the export's, its
 * members are the state's. As rt_dataset_next_good(); before RT_END the journal's base has been
 * held against what was read.
 */
enum rt_status rt_state_next(struct rt_state *state, const struct rt_record **ret_record,
			     struct rt_error *err);

/* The record that was delivered last as it is in the base. */
const struct rt_record *rt_state_base(const struct rt_state *state);

/* The journal's updates of the issue that was delivered last, one after another. ret_base: it as
 * the export has it, borrowed as long as the record. */
struct rt_effects rt_state_effects(const struct rt_state *state, const struct rt_record **ret_base);

/*
 * The JSON text of the record that was delivered last, with the state laid over the export's: only
 * what the journal's updates have changed differs (SPEC D5).
 * ret_text: borrowed until the next call of this or rt_state_next(). Returns RT_OK; RT_FATAL:
 * RT_E_NOMEM, or RT_E_INPUT where the record cannot have what the journal adds.
 */
enum rt_status rt_state_text(struct rt_state *state, struct rt_slice *ret_text,
			     struct rt_error *err);

/*
 * Decide about a finding that was made of the issue delivered last (rt_finding_decide()). It gets
 * its notes where that or needs_notes asks for them: as the JSON array that the state has (SPEC
 * D14), those of the export, of which a string is the first element, and the journal's after them;
 * ptr NULL where it has none; borrowed until the next call of this or rt_state_next().
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_state_decide(struct rt_state *state, int64_t at, bool needs_notes,
			       struct rt_finding *finding, struct rt_error *err);

/* The same at the filter's present, and whether the filter picks it. Returns RT_OK; RT_FATAL with
 * err set, the place included. */
enum rt_status rt_state_pick(struct rt_state *state, struct rt_filter *filter, bool needs_notes,
			     struct rt_finding *finding, bool *ret_picked, struct rt_error *err);

/* err is about the record that was delivered last: say which it is and where it stands. Of a state
 * that reads nothing it is not known. */
void rt_state_blame(const struct rt_state *state, struct rt_error *err);

/* NULL is allowed. */
void rt_state_free(struct rt_state *state);

#endif
