/*
 * Chooses how a target is written. Input: the export's path and the target's. Output: an open
 * replacement. Refuses to write a directory in place or to a stream, an archive that is only read,
 * over a journal or its base, and results over anything else of the run.
 */
#include "rewrite/target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/io.h"
#include "files/files.h"
#include "rewrite/repack.h"

static enum rt_status refuse(struct rt_error *err, const char *path, const char *message)
{
	(void)rt_error_set(err, RT_E_USAGE, "%s", message);
	rt_error_at(err, path, NULL);
	return RT_FATAL;
}

/* Whether two paths lead to one file that is there. */
static bool is_same_file(const char *a, const char *b)
{
	struct stat one, two;

	return stat(a, &one) == 0 && stat(b, &two) == 0 && rt_same_file(&one, &two);
}

/* Whether two paths mean one name in one folder: what has the name may be absent yet. */
static bool is_same_name(const char *a, const char *b)
{
	const char *name_a = strrchr(a, '/'), *name_b = strrchr(b, '/');
	char folder_a[PATH_MAX] = ".", folder_b[PATH_MAX] = ".";

	if (strcmp(name_a ? name_a + 1 : a, name_b ? name_b + 1 : b) != 0)
		return false;
	if (name_a)
		(void)snprintf(folder_a, sizeof(folder_a), "%.*s", (int)(name_a + 1 - a), a);
	if (name_b)
		(void)snprintf(folder_b, sizeof(folder_b), "%.*s", (int)(name_b + 1 - b), b);
	return is_same_file(folder_a, folder_b);
}

/* Whether two paths lead to one file, or would. */
static bool is_same(const char *a, const char *b)
{
	return is_same_file(a, b) || is_same_name(a, b);
}

bool rt_target_is_part(const char *path, const char *export)
{
	char folder[PATH_MAX] = ".", inner[PATH_MAX], outer[PATH_MAX];
	const char *name = strrchr(path, '/');
	size_t len;

	if (name)
		(void)snprintf(folder, sizeof(folder), "%.*s", (int)(name + 1 - path), path);
	if (!realpath(folder, inner) || !realpath(export, outer) ||
	    rt_name_judge(NULL, NULL, path) != RT_NAME_CANDIDATE)
		return false;
	len = strlen(outer);
	return strncmp(inner, outer, len) == 0 &&
	       (inner[len] == '\0' || inner[len] == '/' || len == 1);
}

/* Whether a target is the journal or its lock, which is beside the file that a link leads to.
 * Either may be absent yet. */
static bool is_journal(const char *target, const char *journal)
{
	char real[PATH_MAX], lock[PATH_MAX];

	if (realpath(journal, real))
		journal = real;
	return is_same(target, journal) ||
	       ((size_t)snprintf(lock, sizeof(lock), "%s.lock", journal) < sizeof(lock) &&
		is_same(target, lock));
}

/* Whether a target is the file that an input comes from. */
static bool is_source(const struct rt_options *options, const char *target, const char *input)
{
	struct stat one, two;

	if (strcmp(input, "-") != 0)
		return is_same_file(target, input);
	return stat(target, &one) == 0 && fstat(options->input_fd, &two) == 0 &&
	       rt_same_file(&one, &two);
}

bool rt_target_is_input(const struct rt_options *options, const char *target, const char *input)
{
	if (is_source(options, target, input))
		return true;
	return strcmp(input, "-") != 0 &&
	       (is_same_name(target, input) || rt_target_is_part(target, input));
}

bool rt_target_is_stream(const char *output)
{
	return output && strcmp(output, "-") == 0;
}

/* Whether the export, a file, is of a form that is written again. */
static enum rt_status check_form(const struct rt_options *options, struct rt_error *err)
{
	const struct rt_file *file;
	struct rt_files *files = NULL;
	enum rt_status status = rt_files_open(options, &files, err);

	if (status == RT_OK && rt_files_next(files, &file, err) == RT_OK && file->seekable)
		status = rt_repack_check(file, options, err);
	rt_files_free(files);
	if (status != RT_OK)
		rt_error_at(err, options->paths[0], NULL);
	return status == RT_OK ? RT_OK : RT_FATAL;
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
	bool is_directory = is_there && S_ISDIR(st.st_mode);

	*ret_replace = NULL;
	if (!target)
		return RT_OK;
	/* One that is not there is missed by who reads it. */
	if (!is_stdin && !is_there && errno != ENOENT && errno != ENOTDIR) {
		(void)rt_error_sys(err, errno, "cannot look at the export");
		rt_error_at(err, export, NULL);
		return RT_FATAL;
	}
	if (in_place && is_directory)
		return refuse(err, export,
			      "want a file to be updated in place, have a directory; -o NEWDIR "
			      "writes a new one");
	if (rt_target_is_stream(output) && is_directory)
		return refuse(err, export,
			      "want a file to be written to standard output, have a directory; -o "
			      "NEWDIR writes a new one");
	if (!is_directory && check_form(options, err) != RT_OK)
		return RT_FATAL;
	if (rt_target_is_stream(output))
		return rt_replace_open_stream(sink, ret_replace, err);
	if (options->journal && is_source(options, target, export))
		return refuse(err, target,
			      "want a base export that stays as it is, have it as the output");
	if (options->journal && is_journal(target, options->journal))
		return refuse(err, target, "want an output, have the journal or its lock");
	if (in_place || is_source(options, target, export))
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
	is_taken = rt_target_is_input(options, results, options->paths[0]);
	for (size_t i = 0; i < input_count; i++)
		is_taken |= rt_target_is_input(options, results, inputs[i]);
	if (is_taken)
		return refuse(err, results,
			      "want a file of its own for the results, have what is read");
	if (output && !rt_target_is_stream(output) && is_same(results, output))
		return refuse(err, results,
			      "want a file of its own for the results, have the output");
	if (options->journal && is_journal(results, options->journal))
		return refuse(err, results,
			      "want a file of its own for the results, have the journal or its "
			      "lock");
	return open_file(options, results, RT_REPLACE_FILE, ret_replace, err);
}
