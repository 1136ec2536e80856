/*
 * What updates have made of issues, by the issues' numbers: the members that differ from the
 * export, while it is served.
 */
#ifndef RT_OPS_TOUCHED_H
#define RT_OPS_TOUCHED_H

#include "base/instant.h"
#include "engine/fit.h"

/* The members of one issue that has been updated. */
struct rt_touched {
	int64_t updated_at; /* in seconds since 1970-01-01T00:00:00Z */
	uint32_t number;
	struct rt_note_sum notes;
	int8_t severity;       /* a level, or RT_STATE_OTHER: the export's */
	int8_t false_positive; /* 0 or 1, or RT_STATE_OTHER: the export's */
	int8_t exploitable;    /* 0, 1, or RT_STATE_OTHER: the export's */
};

/* Room for a time as JSON text, quotes included. */
struct rt_touched_text {
	char updated_at[RT_INSTANT_CHARS + 2];
};

/* {0} is an empty one. */
struct rt_touches {
	struct rt_touched *slots; /* by number; number UINT32_MAX where free */
	size_t cap, used;         /* cap: a power of two, or 0 */
};

/* The issue with a number, or NULL where no update has changed it. */
struct rt_touched *rt_touches_find(const struct rt_touches *touches, uint32_t number);

/* Make room for count more, so that so many calls of rt_touches_set() cannot fail. */
enum rt_status rt_touches_reserve(struct rt_touches *touches, uint32_t count, struct rt_error *err);

/* Keep the state of an issue; room has been made. at: when it was updated, as SPEC D16 has it. */
void rt_touches_set(struct rt_touches *touches, uint32_t number, const struct rt_issue_state *state,
		    const struct rt_note_sum *notes, struct rt_slice at);

/* Lay what was kept over the issue's record, which borrows text from then on. */
void rt_touched_lay_over(const struct rt_touched *touched, struct rt_touched_text *text,
			 struct rt_record *record);

void rt_touches_release(struct rt_touches *touches);

#endif
