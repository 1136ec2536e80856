/*
 * Chooses how a target is written. Input: the export's path and the target's. Output: an open
 * replacement. Refuses to write a directory in place, and over a journal or its base.
 */
#include "output/target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/io.h"
#include "input/files.h"

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

bool rt_target_is_same(const char *a, const char *b)
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
	    !rt_name_is_candidate(path, strlen(path)))
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
	return rt_target_is_same(target, journal) ||
	       ((size_t)snprintf(lock, sizeof(lock), "%s.lock", journal) < sizeof(lock) &&
		rt_target_is_same(target, lock));
}

enum rt_status rt_target_open(const struct rt_options *options, const char *output, bool in_place,
			      struct rt_replace **ret_replace, struct rt_error *err)
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
	if (options->journal && is_same_file(target, export))
		return refuse(err, target,
			      "want a base export that stays as it is, have it as the output");
	if (options->journal && is_journal(target, options->journal))
		return refuse(err, target, "want an output, have the journal or its lock");
	if (in_place || is_same_file(target, export))
		kind = RT_REPLACE_IN_PLACE;
	else if (is_directory)
		kind = RT_REPLACE_DIRECTORY;
	return rt_replace_open(target, kind, options->notice, options->notice_ctx, ret_replace,
			       err);
}
