/*
 * Places of records in the order of a data set, 2 or 3 bytes each: what changes from one to the
 * next, in pages that each start with a full place.
 */
#ifndef RT_ENGINE_PLACE_LOG_H
#define RT_ENGINE_PLACE_LOG_H

#include "engine/ids.h"

struct place_page;

/* {0} is an empty one. */
struct rt_place_log {
	struct place_page **pages;
	size_t page_count, page_cap;
	uint64_t count;          /* places in the log */
	struct rt_id_place last; /* the one added last */
};

/* Append a place; not before the last one. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_place_log_add(struct rt_place_log *log, struct rt_id_place place,
				struct rt_error *err);

/* The place number ordinal, counted from 0; ordinal < log->count. */
struct rt_id_place rt_place_log_get(const struct rt_place_log *log, uint64_t ordinal);

/* Bytes allocated. */
size_t rt_place_log_memory(const struct rt_place_log *log);

void rt_place_log_release(struct rt_place_log *log);

#endif
