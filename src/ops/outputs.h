/*
 * Files that are written beside an answer, or in its place: none of them may be one that is read.
 */
#ifndef RT_OPS_OUTPUTS_H
#define RT_OPS_OUTPUTS_H

#include "files/replace.h"

/*
 * Open a file, which is no stream by its name, to be replaced in a run with these options.
 * other: of what else is read; NULL: nothing.
 * Returns RT_OK, or RT_FATAL with err set: RT_E_USAGE where it is a stream, an input, the journal
 * or its lock, or would be read with a directory the next time.
 */
enum rt_status rt_output_open(const struct rt_options *options, const struct rt_options *other,
			      const char *file, struct rt_replace **ret_replace,
			      struct rt_error *err);

/* Set err: the file is not what it has to be. Returns RT_FATAL (RT_E_USAGE). */
enum rt_status rt_output_refuse(const char *file, const char *what, struct rt_error *err);

#endif
