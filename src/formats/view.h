/*
 * The parts of a run as the scanner sees them: one after the other, each through a window on its
 * JSON text. It is what the readers of records and of requests have in common.
 */
#ifndef RT_FORMATS_VIEW_H
#define RT_FORMATS_VIEW_H

#include "base/faults.h"
#include "formats/content.h"
#include "formats/text.h"
#include "scan/cursor.h"
#include "source/parts.h"

/* Made with rt_scan_alloc(), and {0} before rt_view_init(). Not to be moved. */
struct rt_view {
	const struct rt_limits *limits;
	struct rt_text_hints hints;
	bool fresh; /* nothing has been told of that part, good or bad */
	struct rt_parts *parts;
	const struct rt_part *part; /* the one opened last */
	uint32_t part_count;        /* parts opened so far */
	struct rt_text text;        /* of that, if it could be opened */
	struct rt_faults warnings;  /* what the texts have told that is no fault */
	struct rt_cursor cursor;    /* on the part's text */
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
	struct rt_extent extent; /* of a record of YAML */
};

/*
 * Start over the parts of options.
 *
 * options, limits: borrowed until rt_view_release().
 * hints: what is known of every part; copied.
 * most: what does not fit a window of that size is beyond the limit, however the bytes arrive.
 * Returns RT_OK or RT_FATAL; rt_view_release() in either case.
 */
enum rt_status rt_view_init(struct rt_view *view, const struct rt_options *options,
			    const struct rt_text_hints *hints, const struct rt_limits *limits,
			    uint64_t most, struct rt_error *err);

/*
 * Open the next part; the cursor is at its first byte then.
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
bool rt_view_judge(struct rt_view *view, enum rt_content want, enum rt_status status,
		   struct rt_error *err);

/* Nothing where no part is open. */
void rt_view_close_part(struct rt_view *view);

/*
 * Go on at another offset of the open part's text, with nothing in view and no layout learnt; how
 * deep it is nested stays, and lines are counted from nowhere. Only where rt_view_can_seek().
 */
void rt_view_seek(struct rt_view *view, uint64_t offset);

/* Whether the open part is a regular file and its text is passed on as it is. */
bool rt_view_can_seek(const struct rt_view *view);

/* What is at a place of the open part; texts are borrowed until the next part. */
struct rt_origin rt_view_origin(const struct rt_view *view, struct rt_place place);

void rt_view_release(struct rt_view *view);

#endif
