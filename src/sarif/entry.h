/*
 * Results on their way from the thread that reads a log to those that work on them, maybe by way of
 * a store, until all tables of their run are there: the members that are read, cut out of what
 * nobody reads.
 */
#ifndef RT_SARIF_ENTRY_H
#define RT_SARIF_ENTRY_H

#include "sarif/cursor.h"
#include "sarif/result.h"
#include "sarif/store.h"

/* What is cut out of a result while it is scanned, into RT_SARIF_CUT_SLOTS. */
extern const struct rt_cut rt_sarif_result_cut;

/* An entry that is to be put somewhere. */
struct rt_sarif_entry {
	const struct rt_slice *cut;
	struct rt_slice text; /* the result, where it is an entry as a whole */
	size_t bytes;         /* of the entry */
	uint32_t count;       /* of slots; UINT32_MAX: it is one as a whole */
	struct rt_sarif_entry_slot {
		uint32_t slot, len;
	} slots[RT_SARIF_CUT_SLOTS];
};

/* Have the entry of a result. cut: slots, or NULL: as a whole; text: the result; both borrowed. */
void rt_sarif_entry_make(const struct rt_slice *cut, struct rt_slice text,
			 struct rt_sarif_entry *ret_entry);

/* Append it to bytes, which have room for it. */
void rt_sarif_entry_put(struct rt_buf *bytes, const struct rt_sarif_entry *entry);

/*
 * As rt_sarif_result_read(), of an entry, which is borrowed. ret_text: what the places of the
 * result that its record has marks of are in. A fault has no place.
 */
enum rt_status rt_sarif_entry_read(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				   struct rt_slice entry, struct rt_slice *ret_text,
				   bool *ret_issue, struct rt_sarif_notes *notes,
				   struct rt_sarif_fault *fault);

/* Put an entry away. spot: of the result's first byte. Returns false where there is no room. */
bool rt_sarif_entry_keep(struct rt_sarif_store *store, struct rt_slice entry,
			 const struct rt_sarif_spot *spot);

/* The next of those that were put away. ret_entry: borrowed until the next call.
 * Returns RT_OK; RT_END after the last; RT_FATAL with err set (RT_E_NOMEM, RT_E_IO). */
enum rt_status rt_sarif_entry_next(struct rt_sarif_store *store, struct rt_slice *ret_entry,
				   struct rt_sarif_spot *ret_spot, struct rt_error *err);

#endif
