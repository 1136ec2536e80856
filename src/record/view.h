/*
 * The parts of a run as the scanner sees them: one after the other, each through a window on its
 * JSON text. It is what the readers of records and of requests have in common.
 */
#ifndef RT_RECORD_VIEW_H
#define RT_RECORD_VIEW_H

#include "base/faults.h"
#include "record/likeness.h"
#include "scan/scan.h"
#include "scan/window.h"
#include "source/parts.h"
#include "text/text.h"

/* Made with rt_scan_alloc(), and {0} before rt_view_init(). Not to be moved. */
struct rt_view {
	const struct rt_limits *limits;
	struct rt_text_hints hints;
	struct rt_text_head head; /* of the part opened last */
	bool fresh;               /* nothing has been told of that part, good or bad */
	uint64_t window_max;      /* bytes: the most that one record or request may have */
	struct rt_parts *parts;
	const struct rt_part *part; /* the one opened last */
	uint32_t part_count;        /* parts opened so far */
	struct rt_text *text;       /* NULL: no part is open */
	struct rt_faults warnings;  /* what the texts have told that is no fault */
	struct rt_window window;
	struct rt_scan scan;
	const char *at; /* the next byte to look at, in the window */
};

/* Where a record stands. Texts are borrowed until the next record. */
struct rt_origin {
	const char *path;
	const char *member; /* in an archive; else NULL */
	uint32_t part;      /* number of the part in the data set, from 0 */
	uint64_t line;      /* from 1 */
	uint64_t column;    /* from 1, in bytes */
	uint64_t offset;    /* in bytes of the decompressed part, a byte order mark included */
	/* What the part's source is; but for RT_TEXT_JSON the record's text was made from it. */
	enum rt_text_form form;
};

/* A byte of the window, and the line that it is on: where a scan can start again. */
struct rt_mark {
	const char *at;
	uint64_t line;
	uint64_t line_start; /* offset of the line's first byte */
};

/*
 * Start over the parts of options.
 *
 * options, limits: borrowed until rt_view_release().
 * hints: what is known of every part; copied.
 * window: first size of the window in bytes, 0 for the usual one. It is never more than window_max:
 * what does not fit a window of just that size is beyond the limit, however the bytes arrive.
 * Returns RT_OK or RT_FATAL; rt_view_release() in either case.
 */
enum rt_status rt_view_init(struct rt_view *view, const struct rt_options *options,
			    const struct rt_text_hints *hints, const struct rt_limits *limits,
			    size_t window, uint64_t window_max, struct rt_error *err);

/*
 * Open the next part; at is its first byte then, where nothing is in view yet.
 * Returns RT_OK; RT_END after the last; RT_REJECT or RT_FATAL with err set, path included.
 */
enum rt_status rt_view_open_part(struct rt_view *view, struct rt_error *err);

/*
 * Look at what is about to be told of the part opened last. Where that is the first fault of a
 * part of which nothing good was told, has a place, and the part looks like something else than
 * want, err becomes that, and the part is closed.
 *
 * status: RT_OK, or RT_REJECT or RT_FATAL with err set. Returns whether err has changed.
 */
bool rt_view_judge(struct rt_view *view, enum rt_likeness want, enum rt_status status,
		   struct rt_error *err);

/* Nothing where no part is open. */
void rt_view_close_part(struct rt_view *view);

/*
 * Bring more bytes into view and drop those before keep, which is where at is then.
 * Returns as rt_window_fill().
 */
enum rt_status rt_view_more(struct rt_view *view, const char *keep, struct rt_error *err);

/*
 * Go to the next byte that is not blank; at is there then. max: blanks, in bytes, that may stand in
 * a row. Returns RT_OK; RT_END: the text is over; RT_REJECT with RT_E_LIMIT and the first one's
 * place: they are more; else as rt_view_more().
 */
enum rt_status rt_view_skip_blanks(struct rt_view *view, uint64_t max, struct rt_error *err);

/*
 * Go on at another offset of the open part's text, with nothing in view and no layout learnt; how
 * deep it is nested stays, and lines are counted from nowhere. Only where rt_view_can_seek().
 */
void rt_view_seek(struct rt_view *view, uint64_t offset);

/* Whether the open part is a regular file and its text is passed on as it is. */
bool rt_view_can_seek(const struct rt_view *view);

#define RT_VIEW_BYTE 40u

/*
 * Name the byte of the window that is wrong, for a message, and as what the text was read: it may
 * have been meant as YAML. out: RT_VIEW_BYTE bytes. Returns out.
 */
const char *rt_view_describe(const struct rt_view *view, const char *at, char *out);

/* The place of the byte at an offset of the JSON text, which is at line and column where the part
 * is JSON: a place in the part's own source. */
struct rt_place rt_view_place(const struct rt_view *view, uint64_t line, uint64_t column,
			      uint64_t offset);

/* What stands at a place of the open part; texts are borrowed until the next part. */
struct rt_origin rt_view_origin(const struct rt_view *view, struct rt_place place);

void rt_view_release(struct rt_view *view);

/* Offset of a byte of the window in the part's JSON text. */
static inline uint64_t rt_view_offset(const struct rt_view *view, const char *at)
{
	return view->scan.origin + (uintptr_t)at;
}

static inline struct rt_mark rt_view_mark(const struct rt_view *view)
{
	return (struct rt_mark){view->at, view->scan.line, view->scan.line_start};
}

static inline void rt_view_rewind(struct rt_view *view, const struct rt_mark *mark)
{
	view->at = mark->at;
	view->scan.line = mark->line;
	view->scan.line_start = mark->line_start;
}

#endif
