/*
 * Looks at files that are to be written beside an answer. Input: the options of the run, a path.
 * Output: yes, or why not. Refuses streams, and what is read.
 */
#include "ops/outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/io.h"
#include "files/files.h"

bool rt_output_is_stream(const char *file)
{
	return strcmp(file, "-") == 0;
}

enum rt_status rt_output_refuse(const char *file, const char *what, struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_USAGE, "%s", what);
	rt_error_at(err, file, NULL);
	return RT_FATAL;
}

/* Whether an input, or the journal, is a file. */
static bool is_read(const struct rt_options *options, const char *file)
{
	struct stat st, other;

	if (stat(file, &st) != 0)
		return false;
	if (options->journal && stat(options->journal, &other) == 0 && rt_same_file(&st, &other))
		return true;
	for (size_t i = 0; i < options->path_count; i++) {
		const char *path = options->paths[i];
		int result = rt_output_is_stream(path) ? fstat(options->input_fd, &other)
						       : stat(path, &other);

		if (result == 0 && rt_same_file(&st, &other))
			return true;
	}
	return false;
}

/* A file's absolute path, its folder's links followed; NULL where there is no such folder. */
static char *absolute(const char *file)
{
	const char *slash = strrchr(file, '/');
	char *folder = slash ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
	char *real = folder ? realpath(folder, NULL) : NULL, *joined = NULL;

	if (real && asprintf(&joined, "%s%s%s", real, strcmp(real, "/") == 0 ? "" : "/",
			     slash ? slash + 1 : file) < 0)
		joined = NULL;
	free(folder);
	free(real);
	return joined;
}

/* Whether a file would be read with a directory: the next time, if not now. */
static bool is_below(const struct rt_options *options, const char *directory, const char *path)
{
	char *real = realpath(directory, NULL);
	size_t len = real ? strlen(real) : 0;
	struct stat st;
	bool below = false;

	if (real && stat(real, &st) == 0 && S_ISDIR(st.st_mode) && strncmp(path, real, len) == 0 &&
	    (len == 1 || path[len] == '/'))
		below = rt_name_judge(&options->choice, NULL, path + len + (len > 1)) ==
			RT_NAME_CANDIDATE;
	free(real);
	return below;
}

enum rt_status rt_output_check(const struct rt_options *options, const char *file,
			       struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct stat st;
	char *path;

	if (rt_is_descriptor(file) ||
	    (stat(file, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return rt_output_refuse(file,
					"want a regular file or nothing there, have a stream; - is "
					"standard output",
					err);
	if (is_read(options, file))
		return rt_output_refuse(file,
					"want another file than those that are read, have one of "
					"them",
					err);
	path = absolute(file);
	for (size_t i = 0; path && status == RT_OK && i < options->path_count; i++) {
		if (!rt_output_is_stream(options->paths[i]) &&
		    is_below(options, options->paths[i], path))
			status = rt_output_refuse(file,
						  "want a file outside of what is read, have one "
						  "that a directory's findings are read from",
						  err);
	}
	free(path);
	return status;
}
