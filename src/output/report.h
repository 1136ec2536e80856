/*
 * The report of a validation (schema validate-report).
 */
#ifndef RT_OUTPUT_REPORT_H
#define RT_OUTPUT_REPORT_H

#include "engine/faults.h"
#include "output/writer.h"

/* Write the report. issues, rulesets: records that passed. */
void rt_report_write(struct rt_writer *w, uint64_t issues, uint64_t rulesets,
		     const struct rt_faults *faults);

#endif
