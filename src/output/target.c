/*
 * Chooses how a target is written. Input: the export's path and the target's. Output: an open
 * replacement. Refuses to write a directory in place, and over a journal or its base.
 */
#include "output/target.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

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

	return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
	       one.st_ino == two.st_ino;
}

/* Whether a target is the journal, which may be absent yet, or its lock. */
static bool is_journal(const char *target, const char *journal)
{
	char lock[PATH_MAX];

	return strcmp(target, journal) == 0 || is_same_file(target, journal) ||
	       ((size_t)snprintf(lock, sizeof(lock), "%s.lock", journal) < sizeof(lock) &&
		is_same_file(target, lock));
}

enum rt_status rt_target_open(const struct rt_options *options, const char *output, bool in_place,
			      struct rt_replace **ret_replace, struct rt_error *err)
{
	const char *export = options->paths[0], *target = in_place ? export : output;
	enum rt_replace_kind kind = RT_REPLACE_FILE;
	struct stat st;
	bool is_directory = strcmp(export, "-") != 0 && stat(export, &st) == 0 &&
			    S_ISDIR(st.st_mode);

	*ret_replace = NULL;
	if (!target)
		return RT_OK;
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
