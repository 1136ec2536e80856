/*
 * Chooses how a target is written. A directory is not written in place or to a stream, an archive
 * that is only read not at all, and nothing over a journal, its base, or anything else of the run.
 */
#include "rewrite/target.h"

#include <errno.h>
#include <sys/stat.h>

#include "files/files.h"
#include "files/name.h"

bool rt_target_is_stream(const char *output)
{
	return output && strcmp(output, "-") == 0;
}

static enum rt_status open_file(const struct rt_options *options, const char *target,
				enum rt_replace_kind kind, struct rt_replace **ret_replace,
				struct rt_error *err)
{
	return rt_replace_open(target, kind, options->notice, options->notice_ctx, ret_replace,
			       err);
}

enum rt_status rt_target_open(const struct rt_options *options, const char *output, bool in_place,
			      const struct rt_sink *sink, struct rt_replace **ret_replace,
			      struct rt_error *err)
{
	const char *export = options->paths[0], *target = in_place ? export : output;
	enum rt_replace_kind kind = RT_REPLACE_FILE;
	struct stat st;
	bool is_stdin = strcmp(export, "-") == 0;
	bool is_there = !is_stdin && stat(export, &st) == 0;
	bool is_directory = is_there && S_ISDIR(st.st_mode), is_source;

	*ret_replace = NULL;
	if (!target)
		return RT_OK;
	/* One that is not there is missed by who reads it. */
	if (!is_stdin && !is_there && errno != ENOENT && errno != ENOTDIR) {
		(void)rt_error_sys(err, errno, "cannot stat the export");
		rt_error_at(err, export, NULL);
		return RT_FATAL;
	}
	if (in_place && is_directory)
		return rt_error_on(
		    err, export, RT_E_USAGE,
		    "a directory cannot be updated in place; --journal JOURNAL keeps the "
		    "updates beside it, -o NEWDIR writes a new one");
	if (rt_target_is_stream(output) && is_directory)
		return rt_error_on(
		    err, export, RT_E_USAGE,
		    "a directory cannot be written to standard output; -o NEWDIR writes a new one");
	if (rt_target_is_stream(output))
		return rt_replace_open_stream(sink, ret_replace, err);
	is_source = rt_clash_with_input(options, NULL, target, export) == RT_CLASH_FILE;
	if (options->journal && is_source)
		return rt_error_on(err, target, RT_E_USAGE,
				   "the journal's export cannot be the output");
	if (options->journal && rt_clash_with_journal(target, options->journal))
		return rt_error_on(err, target, RT_E_USAGE, "is the journal or its lock file");
	if (is_directory && rt_path_is_inside(target, export))
		return rt_error_on(err, target, RT_E_USAGE,
				   "is inside the directory of the export");
	if (in_place || is_source)
		kind = RT_REPLACE_IN_PLACE;
	else if (is_directory)
		kind = RT_REPLACE_DIRECTORY;
	return open_file(options, target, kind, ret_replace, err);
}

enum rt_status rt_target_open_results(const struct rt_options *options, const char *results,
				      const char *output, const char *const *inputs,
				      size_t input_count, struct rt_replace **ret_replace,
				      struct rt_error *err)
{
	bool is_taken;

	*ret_replace = NULL;
	if (!results)
		return RT_OK;
	is_taken = rt_clash_with_input(options, &options->choice, results, options->paths[0]) !=
		   RT_CLASH_NONE;
	for (size_t i = 0; i < input_count; i++)
		is_taken |= rt_clash_with_input(options, NULL, results, inputs[i]) != RT_CLASH_NONE;
	if (is_taken)
		return rt_error_on(err, results, RT_E_USAGE, "is also an input");
	if (output && !rt_target_is_stream(output) && rt_clash_with_file(results, output))
		return rt_error_on(err, results, RT_E_USAGE, "is also the output");
	if (options->journal && rt_clash_with_journal(results, options->journal))
		return rt_error_on(err, results, RT_E_USAGE, "is the journal or its lock file");
	return open_file(options, results, RT_REPLACE_FILE, ret_replace, err);
}
