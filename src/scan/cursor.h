/*
 * A place in a JSON text that is pulled, moved from value to value; the scanner checks what it
 * passes over.
 */
#ifndef RT_SCAN_CURSOR_H
#define RT_SCAN_CURSOR_H

#include "base/error.h"
#include "base/pull.h"
#include "scan/scan.h"

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

/* A byte of the text, and the line that it is on. */
struct rt_cursor_spot {
	uint64_t offset;
	uint64_t line;       /* from 1 */
	uint64_t line_start; /* offset of the line's first byte */
};

/* Made with rt_scan_alloc(), or in a struct that is. Not to be moved. */
struct rt_cursor {
	const struct rt_limits *limits;
	const struct rt_scan_ops *ops;
	struct rt_pull pull; /* the bytes from window.offset + window.end on */
	/* Where a byte of the text comes from. */
	struct rt_place (*place)(const void *ctx, const struct rt_cursor_spot *spot);
	const void *place_ctx;
	bool made; /* the text is made of something else than JSON: messages do not speak of it */
	struct rt_window window;
	const char *at; /* in the window */
	/* Halves of surrogate pairs are read as U+FFFD, so many of them up to an offset. */
	bool mends;
	uint64_t mended, mended_to;
	bool broken;                /* no later byte can be understood */
	bool too_long;              /* what was to be taken is longer than allowed */
	struct rt_cursor_spot spot; /* of the value or key taken or refused last */
	char key[64];               /* the key met last as it is, cut to fit; for messages */
	struct rt_nest nest;
	struct rt_scan scan;
};

/*
 * Prepare a cursor; pull, place and made are the caller's to set. limits: borrowed until
 * rt_cursor_release(). most: bytes in view at most.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_cursor_init(struct rt_cursor *cursor, const struct rt_limits *limits,
			      uint64_t most, struct rt_error *err);

/* Go to the first byte of another text. */
void rt_cursor_start(struct rt_cursor *cursor);

void rt_cursor_release(struct rt_cursor *cursor);

/* Go to a spot. levels: arrays and objects that are open there. */
void rt_cursor_seek(struct rt_cursor *cursor, const struct rt_cursor_spot *spot, uint32_t levels);

/* The spot of the byte that the cursor is at. */
struct rt_cursor_spot rt_cursor_here(const struct rt_cursor *cursor);

/* The spot of a byte of a value that begins at spot. */
struct rt_cursor_spot rt_cursor_spot_in(const struct rt_cursor_spot *spot, const char *value,
					const char *at);

/* Put the place of a spot to err. */
void rt_cursor_tell(const struct rt_cursor *cursor, const struct rt_cursor_spot *spot,
		    struct rt_error *err);

/* Offset of a byte of the window in the text. */
static inline uint64_t rt_cursor_offset(const struct rt_cursor *cursor, const char *at)
{
	return cursor->scan.origin + (uintptr_t)at;
}

/*
 * All of these return RT_OK; RT_REJECT or RT_FATAL with err set, its place included. After a fault
 * of grammar, or where the text could not be read on, cursor->broken is set.
 */

/* Have more bytes in view; those before spot, where the cursor is then, are dropped. max: bytes
 * that may be in view. */
enum rt_status rt_cursor_more(struct rt_cursor *cursor, const struct rt_cursor_spot *spot,
			      uint64_t max, struct rt_error *err);

/* A scan from spot has failed: have more bytes where that is what it needs, for another scan
 * (RT_OK), else tell what was wrong. */
enum rt_status rt_cursor_retry(struct rt_cursor *cursor, const struct rt_cursor_spot *spot,
			       uint64_t max, struct rt_error *err);

/* Go to the next byte that is no blank. RT_END: the text is over. */
enum rt_status rt_cursor_blanks(struct rt_cursor *cursor, struct rt_error *err);

/* The same, where the text must go on. */
enum rt_status rt_cursor_need(struct rt_cursor *cursor, const char *want, struct rt_error *err);

/* Go into the array or object that the cursor is at. */
enum rt_status rt_cursor_enter(struct rt_cursor *cursor, struct rt_error *err);

/* Go to the next element of an array, at its first byte. first: none has been met; kept. what,
 * what_first: for messages, "a value", "a value or ']'". RT_END: the array was left. */
enum rt_status rt_cursor_element(struct rt_cursor *cursor, bool *first, const char *what,
				 const char *what_first, struct rt_error *err);

/*
 * Go to the value of an object's next member. find: tells which it is by its key, maybe escaped;
 * *ret_name: what it said. first: as above; cursor->spot: that of its key. RT_END: the object was
 * left.
 */
enum rt_status rt_cursor_member(struct rt_cursor *cursor, bool *first,
				int (*find)(struct rt_slice key), int *ret_name,
				struct rt_error *err);

/*
 * Have the value that the cursor is at whole in the window, and go to what follows. max: bytes.
 * ret_value: borrowed until the next call. cursor->spot: that of its first byte.
 * Where the value is longer: RT_REJECT with code RT_E_LIMIT.
 */
enum rt_status rt_cursor_take(struct rt_cursor *cursor, uint64_t max, struct rt_slice *ret_value,
			      struct rt_error *err);

/* The same for an object, which is cut as it is scanned. values: count of them; where *ret_cut is
 * false, they are of no use: it is unusual. */
enum rt_status rt_cursor_cut(struct rt_cursor *cursor, uint64_t max, const struct rt_cut *cut,
			     struct rt_slice *values, size_t count, bool *ret_cut,
			     struct rt_slice *ret_value, struct rt_error *err);

/* Go over the value that the cursor is at, of any length. */
enum rt_status rt_cursor_skip(struct rt_cursor *cursor, struct rt_error *err);

/* Refuse a byte in view, which is on the scanner's line: grammar. have: NULL to name the byte.
 * Returns RT_REJECT. */
enum rt_status rt_cursor_refuse_at(struct rt_cursor *cursor, const char *at, const char *want,
				   const char *have, struct rt_error *err);

/* The same for the byte that the cursor is at. */
static inline enum rt_status rt_cursor_refuse(struct rt_cursor *cursor, const char *want,
					      const char *have, struct rt_error *err)
{
	return rt_cursor_refuse_at(cursor, cursor->at, want, have, err);
}

#endif
