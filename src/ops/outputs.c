/*
 * What may be written beside an answer: no stream, and nothing that is read.
 */
#include "ops/outputs.h"

#include <sys/stat.h>

#include "base/error.h"
#include "base/io.h"
#include "files/name.h"

enum rt_status rt_output_refuse(const char *file, const char *what, struct rt_error *err)
{
	return rt_error_on(err, file, RT_E_USAGE, "%s", what);
}

static enum rt_status check(const struct rt_options *options, const char *file,
			    struct rt_error *err)
{
	struct stat st;

	if (rt_is_descriptor(file) ||
	    (stat(file, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return rt_output_refuse(file, "cannot write to a stream; - is standard output",
					err);
	if (options->journal && rt_clash_with_journal(file, options->journal))
		return rt_output_refuse(file, "is the journal or its lock file", err);
	for (size_t i = 0; i < options->path_count; i++) {
		switch (rt_clash_with_input(options, &options->choice, file, options->paths[i])) {
		case RT_CLASH_FILE:
			return rt_output_refuse(file, "is also an input", err);
		case RT_CLASH_PART:
			return rt_output_refuse(file, "is in a directory that is read", err);
		default:
			break;
		}
	}
	return RT_OK;
}

enum rt_status rt_output_open(const struct rt_options *options, const struct rt_options *other,
			      const char *file, struct rt_replace **ret_replace,
			      struct rt_error *err)
{
	enum rt_status status = check(options, file, err);

	if (status == RT_OK && other)
		status = check(other, file, err);
	return status == RT_OK ? rt_replace_open(file, RT_REPLACE_FILE, options->notice,
						 options->notice_ctx, ret_replace, err)
			       : status;
}
