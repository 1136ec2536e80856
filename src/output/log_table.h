/*
 * A journal's entries as a table.
 */
#ifndef RT_OUTPUT_LOG_TABLE_H
#define RT_OUTPUT_LOG_TABLE_H

#include "output/log.h"

/*
 * Read all entries and pass on a table of those that are shown. log: before the first entry.
 * Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_log_table(struct rt_log *log, struct rt_style style, const struct rt_sink *sink,
			    struct rt_error *err);

#endif
