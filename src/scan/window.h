/*
 * The window: the bytes of a part's JSON text that the scanner has in view, contiguous, with
 * RT_PADDING zero bytes after them. What has been scanned is dropped; what has not is moved to
 * the front when more is read. It grows only for a record that does not fit.
 */
#ifndef RT_SCAN_WINDOW_H
#define RT_SCAN_WINDOW_H

#include "base/error.h"
#include "base/pull.h"

struct rt_window {
	char *data;
	size_t cap;      /* bytes that may be in use; RT_PADDING more are allocated */
	size_t end;      /* bytes in use */
	uint64_t offset; /* of data[0] in the part's JSON text */
	bool final;      /* nothing comes after the bytes in use */

	enum rt_status held; /* a failed read, reported when the bytes before it are used up */
	struct rt_error held_err;
};

/*
 * Make an empty window. max: bytes that it may ever have. Its first size is RT_WINDOW_BYTES, or
 * what RETRIAGE_WINDOW says, for tests. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_window_init(struct rt_window *w, uint64_t max, struct rt_error *err);

void rt_window_release(struct rt_window *w);

/* Empty the window for a new part. */
void rt_window_reset(struct rt_window *w);

/*
 * Drop the bytes before keep (an index into data) and read more after the rest, at least as many
 * again as are kept, so that scanning a long record anew stays linear; fewer only at the end of
 * the text. data may move. Not to be called when final is set.
 *
 * max: bytes that may be kept; more is RT_REJECT with RT_E_LIMIT (the caller adds the place).
 * Returns RT_OK: there is more, or final is now set. RT_REJECT or RT_FATAL with err set.
 */
enum rt_status rt_window_fill(struct rt_window *w, struct rt_pull pull, size_t keep, uint64_t max,
			      struct rt_error *err);

#endif
