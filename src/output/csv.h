/*
 * Fields of CSV for tables other than that of issues (REPORTS R23 to R25).
 */
#ifndef RT_OUTPUT_CSV_H
#define RT_OUTPUT_CSV_H

#include "output/emit.h"

/*
 * Write a text as a field: masked, in quotes, guarded against formulas and cut for the cells of
 * spreadsheets unless raw. scratch: for its masked text, whose bytes are dropped before.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM); errors of out are kept by it.
 */
enum rt_status rt_csv_text(struct rt_emit *out, struct rt_slice text, bool raw,
			   struct rt_buf *scratch, struct rt_error *err);

#endif
