/*
 * Files that are written beside an answer, or in its place: none of them may be one that is read.
 */
#ifndef RT_OPS_OUTPUTS_H
#define RT_OPS_OUTPUTS_H

#include "retriage.h"

/*
 * Whether a file, which is no stream by its name, may be written in a run with these options.
 * Returns RT_OK, or RT_FATAL with err set (RT_E_USAGE): it is a stream, an input, the journal or
 * its lock, or would be read with a directory the next time.
 */
enum rt_status rt_output_check(const struct rt_options *options, const char *file,
			       struct rt_error *err);

/* Set err: the file is not what it has to be. Returns RT_FATAL (RT_E_USAGE). */
enum rt_status rt_output_refuse(const char *file, const char *what, struct rt_error *err);

#endif
