/*
 * Fields of CSV for tables other than that of issues (REPORTS R23 to R25).
 */
#ifndef RT_OUTPUT_CSV_H
#define RT_OUTPUT_CSV_H

#include "output/emit.h"

/*
 * Write a text as a field: masked, in quotes, guarded against formulas and cut for the cells of
 * spreadsheets unless raw. Faults are kept by out.
 */
void rt_csv_text(struct rt_emit *out, struct rt_slice text, bool raw);

#endif
