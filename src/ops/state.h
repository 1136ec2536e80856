/*
 * The state of a data set: the export, or, where the options name a journal, the export with the
 * journal's updates applied (SPEC D19), as a sequence of records.
 */
#ifndef RT_OPS_STATE_H
#define RT_OPS_STATE_H

#include "engine/dataset.h"
#include "journal/journal.h"

struct rt_state;

/* What may be asked for beside the records. */
struct rt_state_extras {
	/* SHA-256 of each path, where all of them can be read twice: files, directories, and
	 * standard input, of which a pipe is copied to a temporary file. */
	bool digests;
	/* Told each entry of the journal while the state is opened; NULL: nobody. Returns RT_OK or
	 * RT_FATAL, which ends the run. */
	enum rt_status (*on_entry)(void *ctx, const struct rt_journal_entry *entry,
				   struct rt_error *err);
	void *ctx;
};

/*
 * options: borrowed until rt_state_free(). A journal is read and checked here.
 * ret_state: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_state_open(const struct rt_options *options, struct rt_state **ret_state,
			     struct rt_error *err);

/* The same with extras; copied, their ctx is borrowed for the call. */
enum rt_status rt_state_open_with(const struct rt_options *options,
				  const struct rt_state_extras *extras, struct rt_state **ret_state,
				  struct rt_error *err);

/* The journal, read to its end; NULL: there is none. */
const struct rt_journal *rt_state_journal(const struct rt_state *state);

/*
 * The digest of a path by its index, after RT_END, and the bytes of its files: SHA-256 of a file;
 * of a directory as rt_base_digest_start() has it. Returns false where it was not made.
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

/*
 * The notes of the issue that was delivered last, as the JSON array that the state has (SPEC D14):
 * those of the export, of which a string is the first element, and the journal's after them.
 * ret_notes: ptr NULL where it has none; borrowed until the next call of this or rt_state_next().
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_state_notes(struct rt_state *state, struct rt_slice *ret_notes,
			      struct rt_error *err);

/*
 * The JSON text of the record that was delivered last, with the state laid over the export's: only
 * what the journal's updates have changed differs (SPEC D5).
 * ret_text: borrowed as the notes are. Returns RT_OK; RT_FATAL: RT_E_NOMEM, or RT_E_INPUT where the
 * record cannot have what the journal adds.
 */
enum rt_status rt_state_text(struct rt_state *state, struct rt_slice *ret_text,
			     struct rt_error *err);

/* Where the record that was delivered last stands, as rt_dataset_origin(). */
void rt_state_origin(const struct rt_state *state, struct rt_origin *ret_origin);

/* err is about the record that was delivered last: say which it is and where it stands. */
void rt_state_blame(const struct rt_state *state, struct rt_error *err);

/* See rt_dataset_key(). */
const struct rt_siphash_key *rt_state_key(const struct rt_state *state);

/* NULL is allowed. */
void rt_state_free(struct rt_state *state);

#endif
