/*
 * Records that the first pass over a log has made: the form in which they are put away, and their
 * text when they are delivered.
 */
#ifndef RT_SARIF_MADE_H
#define RT_SARIF_MADE_H

#include "base/pull.h"
#include "sarif/result.h"
#include "sarif/store.h"
#include "scan/record.h"

/* Where a value of a record comes from. */
struct rt_sarif_made_mark {
	unsigned value;
	struct rt_place place;
};

/* A record. */
struct rt_sarif_made_record {
	struct rt_place place; /* of its result */
	uint32_t mark_count;   /* 0: none of its values was somebody else's */
	struct rt_sarif_made_mark marks[RT_SARIF_VALUES];
	struct rt_sarif_values values;
	struct rt_slice text; /* of its values; borrowed until the next call */
};

/* Append a record to bytes in the form in which they are kept: begin, append its values, and end.
 * at: where it was begun. Both return false where there is no room. */
bool rt_sarif_made_begin(struct rt_buf *bytes);
bool rt_sarif_made_end(struct rt_buf *bytes, size_t at, const struct rt_sarif_made_record *record);

/* The next record of those that were put away in that form, which has to be there.
 * Returns RT_OK; RT_FATAL with err set (RT_E_NOMEM, RT_E_IO). */
enum rt_status rt_sarif_made_next(struct rt_sarif_store *made,
				  struct rt_sarif_made_record *ret_record, struct rt_error *err);

/* What stands before each value of a record: a name, with what is around it. Bytes after the end of
 * each are there, so that it is copied without a look at how long it is. */
#define RT_SARIF_HEAD_BYTES 32u
struct rt_sarif_heads {
	char texts[RT_SARIF_VALUES][RT_SARIF_HEAD_BYTES];
	uint8_t lens[RT_SARIF_VALUES];
	size_t bytes; /* of all */
};

void rt_sarif_heads_init(struct rt_sarif_heads *heads);

/*
 * Append the text of a record: an object without line breaks. ordinal: above 1, it goes after the
 * last byte of the id, which is not its own then, with a '-' before it (S18). ret_layout: where the
 * values stand, but for its offset; types are right where the record has no marks.
 * Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_sarif_made_text(const struct rt_sarif_heads *heads,
				  const struct rt_sarif_run *run,
				  const struct rt_sarif_made_record *record, uint32_t ordinal,
				  struct rt_buf *out, struct rt_record_layout *ret_layout,
				  struct rt_error *err);

/* Where one of its values stands, from its '{' on. */
size_t rt_sarif_made_at(const struct rt_sarif_made_record *record,
			const struct rt_record_layout *layout, unsigned value);

#endif
