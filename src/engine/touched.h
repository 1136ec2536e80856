/*
 * What updates have made of issues, by the issues' numbers: the members that differ from the
 * export, while it is served.
 */
#ifndef RT_ENGINE_TOUCHED_H
#define RT_ENGINE_TOUCHED_H

#include "base/instant.h"
#include "engine/issue_state.h"

/* The members of one issue that has been updated. */
struct rt_touched {
	uint32_t number;
	int8_t severity;                       /* a level, or RT_STATE_OTHER: the export's */
	int8_t false_positive;                 /* 0 or 1 */
	int8_t exploitable;                    /* 0, 1, or RT_STATE_OTHER: the export's */
	char updated_at[RT_INSTANT_CHARS + 2]; /* as JSON text, quotes included */
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

/* Keep the state of an issue; room has been made. at: RT_INSTANT_CHARS. */
void rt_touches_set(struct rt_touches *touches, uint32_t number, const struct rt_issue_state *state,
		    struct rt_slice at);

/* Lay what was kept over the issue's record; its texts are borrowed from touched. */
void rt_touched_lay_over(const struct rt_touched *touched, struct rt_record *record);

void rt_touches_release(struct rt_touches *touches);

#endif
