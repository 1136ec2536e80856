/*
 * Where an updated export goes: what may be a target for which export.
 */
#ifndef RT_REWRITE_TARGET_H
#define RT_REWRITE_TARGET_H

#include "files/replace.h"

/*
 * Open the target of a run. A directory's target is a new directory; a file that is the export
 * itself is replaced in place, but never the base of a journal.
 *
 * options: the export is paths[0]; input_fd, journal and notice are used. output: NULL where
 * in_place is set, or where nothing is to be written; "-": sink.
 * *ret_replace: the target, NULL where there is none. Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_target_open(const struct rt_options *options, const char *output, bool in_place,
			      const struct rt_sink *sink, struct rt_replace **ret_replace,
			      struct rt_error *err);

/*
 * Open the file that results, or a report, go to. It may be nothing else of the run.
 *
 * options, output: as for rt_target_open(). inputs: what else is read, "-" included.
 * results: NULL for none. *ret_replace: NULL then. Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_target_open_results(const struct rt_options *options, const char *results,
				      const char *output, const char *const *inputs,
				      size_t input_count, struct rt_replace **ret_replace,
				      struct rt_error *err);

/* Whether an output is the stream of results and not a file. output: NULL is allowed. */
bool rt_target_is_stream(const char *output);

#endif
