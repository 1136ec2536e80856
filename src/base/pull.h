/*
 * A text that is pulled piece by piece, and a place in it.
 */
#ifndef RT_BASE_PULL_H
#define RT_BASE_PULL_H

#include "retriage.h"

/*
 * A pull of bytes, so that what reads can be tested without files.
 * read(): the next bytes into buf, at most cap (> 0). *ret_len: at least 1 on RT_OK.
 * Returns RT_OK; RT_END; RT_REJECT or RT_FATAL with err set.
 */
struct rt_pull {
	enum rt_status (*read)(void *ctx, void *buf, size_t cap, size_t *ret_len,
			       struct rt_error *err);
	void *ctx;
};

/* A place in the source. */
struct rt_place {
	uint64_t line;   /* from 1 */
	uint64_t column; /* from 1, in bytes; a BOM counts as none */
	uint64_t offset; /* from 0, in bytes of the decompressed part */
};

/* err is about what is there. */
static inline void rt_place_tell(struct rt_place place, struct rt_error *err)
{
	err->line = place.line;
	err->column = place.column;
	err->offset = place.offset;
}

#endif
