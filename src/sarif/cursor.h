/*
 * A place in a log's text, moved from value to value; the scanner checks what it passes over.
 */
#ifndef RT_SARIF_CURSOR_H
#define RT_SARIF_CURSOR_H

#include "sarif/object.h"
#include "sarif/source.h"
#include "scan/scan.h"
#include "scan/window.h"

/* A byte of the text, and the line that it is on. */
struct rt_sarif_spot {
	uint64_t offset;
	uint64_t line;       /* from 1 */
	uint64_t line_start; /* offset of the line's first byte */
};

/* Made with rt_scan_alloc(). Not to be moved. */
struct rt_sarif_cursor {
	struct rt_sarif_source *source;
	const struct rt_limits *limits;
	const struct rt_scan_ops *ops;
	struct rt_window window;
	uint64_t next;             /* offset of the byte that is read next */
	const char *at;            /* in the window */
	bool broken;               /* no later byte can be understood */
	struct rt_sarif_spot spot; /* of the value or key taken or refused last */
	char key[64];              /* the key met last as it stands, cut to fit; for messages */
	struct rt_nest nest;
	struct rt_scan scan;
};

/*
 * Start at the text's first byte. window: first size in bytes, 0 for the usual one.
 * ret_cursor: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_sarif_cursor_new(struct rt_sarif_source *source, const struct rt_limits *limits,
				   enum rt_simd simd, size_t window,
				   struct rt_sarif_cursor **ret_cursor, struct rt_error *err);

/* NULL is allowed. */
void rt_sarif_cursor_free(struct rt_sarif_cursor *cursor);

/* Go to a spot that has been pulled before. levels: arrays and objects that are open there. */
void rt_sarif_cursor_seek(struct rt_sarif_cursor *cursor, const struct rt_sarif_spot *spot,
			  uint32_t levels);

/* The spot of the byte that the cursor is at. */
struct rt_sarif_spot rt_sarif_cursor_spot(const struct rt_sarif_cursor *cursor);

/*
 * All of these return RT_OK; RT_REJECT or RT_FATAL with err set, its place included. After a fault
 * of grammar, or where the text could not be read on, cursor->broken is set.
 */

/* Go to the next byte that is no blank. RT_END: the text is over. */
enum rt_status rt_sarif_cursor_blanks(struct rt_sarif_cursor *cursor, struct rt_error *err);

/* Go into the array or object that the cursor is at. */
enum rt_status rt_sarif_cursor_enter(struct rt_sarif_cursor *cursor, struct rt_error *err);

/*
 * Go to the next element of an array, at its first byte. first: none has been met; kept.
 * RT_END: the array was left.
 */
enum rt_status rt_sarif_cursor_element(struct rt_sarif_cursor *cursor, bool *first,
				       struct rt_error *err);

/*
 * Go to the value of an object's next member. find: tells which it is by its key, maybe escaped;
 * *ret_name: what it said. first: as above; cursor->spot: that of its key. RT_END: the object was
 * left.
 */
enum rt_status rt_sarif_cursor_member(struct rt_sarif_cursor *cursor, bool *first,
				      int (*find)(struct rt_slice key), int *ret_name,
				      struct rt_error *err);

/*
 * Have the value that the cursor is at whole in the window, and go to what follows. max: bytes.
 * ret_value: borrowed until the next call. cursor->spot: that of its first byte.
 * Where the value is longer: RT_REJECT with code RT_E_LIMIT.
 */
enum rt_status rt_sarif_cursor_take(struct rt_sarif_cursor *cursor, uint64_t max,
				    struct rt_slice *ret_value, struct rt_error *err);

/* The same for an object, which is cut as it is scanned. values: count of them; where *ret_cut is
 * false, they are of no use: it is unusual. */
enum rt_status rt_sarif_cursor_cut(struct rt_sarif_cursor *cursor, uint64_t max,
				   const struct rt_cut *cut, struct rt_slice *values, size_t count,
				   bool *ret_cut, struct rt_slice *ret_value, struct rt_error *err);

/* Go over the value that the cursor is at, of any length. */
enum rt_status rt_sarif_cursor_skip(struct rt_sarif_cursor *cursor, struct rt_error *err);

/* Refuse what the cursor is at: grammar. have: NULL to name the byte. Returns RT_REJECT. */
enum rt_status rt_sarif_cursor_refuse(struct rt_sarif_cursor *cursor, const char *want,
				      const char *have, struct rt_error *err);

/* A spot as a place of the part. skipped: bytes before the text. */
static inline struct rt_place rt_sarif_spot_place(const struct rt_sarif_spot *spot,
						  uint64_t skipped)
{
	return (struct rt_place){spot->line, spot->offset - spot->line_start + 1,
				 spot->offset + skipped};
}

/* The spot of a byte of a value that begins at spot. */
struct rt_sarif_spot rt_sarif_spot_in(const struct rt_sarif_spot *spot, const char *value,
				      const char *at);

#endif
