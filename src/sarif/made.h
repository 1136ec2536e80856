/*
 * Records that the first pass over a log has made, in the form in which they are put away until
 * they are delivered.
 */
#ifndef RT_SARIF_MADE_H
#define RT_SARIF_MADE_H

#include "base/pull.h"
#include "sarif/result.h"
#include "sarif/store.h"

/* Where a piece of a record comes from. */
struct rt_sarif_made_mark {
	uint64_t at; /* byte of the record, without its inserts */
	struct rt_place place;
};

/* A record. */
struct rt_sarif_made_record {
	struct rt_place place; /* of its result */
	uint32_t mark_count;
	struct rt_sarif_made_mark marks[RT_ISSUE_MEMBERS];
	struct rt_sarif_inserts inserts;
	struct rt_slice text; /* borrowed until the next call */
};

/* Append a record to bytes in the form in which they are kept: begin, append its text, and end. at:
 * where it was begun. Both return false where there is no room. */
bool rt_sarif_made_begin(struct rt_buf *bytes);
bool rt_sarif_made_end(struct rt_buf *bytes, size_t at, const struct rt_sarif_made_record *record);

/* The next record of those that were put away in that form, which has to be there.
 * Returns RT_OK; RT_FATAL with err set (RT_E_NOMEM, RT_E_IO). */
enum rt_status rt_sarif_made_next(struct rt_sarif_store *made,
				  struct rt_sarif_made_record *ret_record, struct rt_error *err);

#endif
