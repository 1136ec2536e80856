/*
 * The region of a result: its lines and columns, and its code with the lines around it
 * (SARIF.md S29, S30).
 */
#ifndef RT_SARIF_REGION_H
#define RT_SARIF_REGION_H

#include "sarif/object.h"

/* What locations[0] says. Strings and objects are JSON text of the log; absent: not there. */
struct rt_sarif_region {
	bool any;                 /* there is a location */
	struct rt_slice artifact; /* object: artifactLocation */
	struct rt_slice logical;  /* string: fullyQualifiedName of the first logical location */
	int64_t line, column;     /* from 1; 0: none */
	int64_t end_line;         /* as above */
	int64_t end_column;       /* as above, exclusive */
	struct rt_slice snippet;  /* string: region.snippet.text */
	int64_t context_line;     /* first line of the context, as above */
	struct rt_slice context;  /* string: contextRegion.snippet.text */
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
 * last line is dropped. room: for decoded text; its bytes are dropped before.
 */
void rt_sarif_region_code(const struct rt_sarif_region *region, struct rt_buf *room,
			  struct rt_sarif_code *ret_code, struct rt_sarif_fault *fault);

#endif
