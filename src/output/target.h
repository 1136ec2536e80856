/*
 * Where an updated export goes: what may be a target for which export.
 */
#ifndef RT_OUTPUT_TARGET_H
#define RT_OUTPUT_TARGET_H

#include "output/replace.h"

/*
 * Open the target of a run. A directory's target is a new directory; a file that is the export
 * itself is replaced in place, but never the base of a journal.
 *
 * options: the export is paths[0]; journal and notice are used. output: NULL where in_place is
 * set, or where nothing is to be written.
 * *ret_replace: the target, NULL where there is none. Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_target_open(const struct rt_options *options, const char *output, bool in_place,
			      struct rt_replace **ret_replace, struct rt_error *err);

/*
 * Whether two paths lead to one file, or would: they are one name in one folder, be something
 * there or not.
 */
bool rt_target_is_same(const char *a, const char *b);

/* Whether a file of that path would be read as a part of the export. export: "-" never. */
bool rt_target_is_part(const char *path, const char *export);

#endif
