/*
 * The region of a result: its lines and columns, and its code with the lines around it
 * (SARIF.md S29, S30).
 */
#ifndef RT_SARIF_REGION_H
#define RT_SARIF_REGION_H

#include "sarif/object.h"

/* The region of locations[0]. 0: none. */
struct rt_sarif_region {
	int64_t line, column; /* from 1 */
	int64_t end_line, end_column;
	int64_t context_line; /* the first one of the context */
};

/* Numbers of a region, in the order of these. */
enum {
	RT_SARIF_REGION_LINE,
	RT_SARIF_REGION_COLUMN,
	RT_SARIF_REGION_END_LINE,
	RT_SARIF_REGION_END_COLUMN,
	RT_SARIF_REGION_NUMBERS
};

/* Set lines and columns of a region from its members, and the first line of its context.
 * A fault: one of them is no integer. */
void rt_sarif_region_take(struct rt_sarif_region *region,
			  const struct rt_slice numbers[RT_SARIF_REGION_NUMBERS],
			  struct rt_slice context_line, struct rt_sarif_fault *fault);

/* The lines of a region and those around it. */
struct rt_sarif_code {
	struct rt_slice json;                /* string of the log that is the code; or absent */
	struct rt_slice code, before, after; /* decoded, in room; absent: none */
};

/*
 * Cut the context into the lines of the region, those before and those after; the end of a piece's
 * last line is dropped. snippet, context: strings, maybe absent: the text of either. room: for
 * decoded text; its bytes are dropped before.
 */
void rt_sarif_region_code(const struct rt_sarif_region *region, struct rt_slice snippet,
			  struct rt_slice context, struct rt_buf *room,
			  struct rt_sarif_code *ret_code, struct rt_sarif_fault *fault);

#endif
