/*
 * Holds files that are to be written against what is read. Input: paths, of files that need not be
 * there. Output: how they clash. Refuses nothing; what cannot be looked at does not clash.
 */
#include "files/clash.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "files/name.h"

/* The folder that a path's name is in, as it was written. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
	int len = (int)(rt_name_base(path) - path);

	(void)snprintf(folder, PATH_MAX, "%.*s", len ? len : 1, len ? path : ".");
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
	char folder_a[PATH_MAX], folder_b[PATH_MAX];

	if (strcmp(rt_name_base(a), rt_name_base(b)) != 0)
		return false;
	folder_of(a, folder_a);
	folder_of(b, folder_b);
	return is_same_file(folder_a, folder_b);
}

bool rt_clash_with_file(const char *target, const char *other)
{
	return is_same_file(target, other) || is_same_name(target, other);
}

bool rt_clash_with_journal(const char *target, const char *journal)
{
	char real[PATH_MAX], lock[PATH_MAX];

	if (realpath(journal, real))
		journal = real;
	return rt_clash_with_file(target, journal) ||
	       ((size_t)snprintf(lock, sizeof(lock), "%s.lock", journal) < sizeof(lock) &&
		rt_clash_with_file(target, lock));
}

/* Whether a file of that name is read with a directory. Both are without links. */
static bool is_below(const char *directory, const char *folder, const char *name,
		     const struct rt_choice *choice)
{
	size_t len = strcmp(directory, "/") == 0 ? 0 : strlen(directory);
	const char *below = folder + len;

	if (strncmp(folder, directory, len) != 0 || (*below && *below != '/'))
		return false;
	below += *below == '/';
	return rt_name_judge(choice, *below ? below : NULL, name) == RT_NAME_CANDIDATE;
}

/* Whether a file would be read with a directory: by its own name, or by that which a link has. */
static bool is_part(const char *target, const char *directory, const struct rt_choice *choice)
{
	char outer[PATH_MAX], folder[PATH_MAX], real[PATH_MAX];
	struct stat st;

	if (!realpath(directory, outer) || stat(outer, &st) != 0 || !S_ISDIR(st.st_mode))
		return false;
	folder_of(target, folder);
	if (realpath(folder, real) && is_below(outer, real, rt_name_base(target), choice))
		return true;
	if (!realpath(target, real))
		return false;
	folder_of(real, folder);
	if (folder[1])
		folder[strlen(folder) - 1] = '\0';
	return is_below(outer, folder, rt_name_base(real), choice);
}

enum rt_clash rt_clash_with_input(const struct rt_options *options, const struct rt_choice *choice,
				  const char *target, const char *input)
{
	struct stat st, own;

	if (strcmp(input, "-") == 0)
		return stat(target, &st) == 0 && fstat(options->input_fd, &own) == 0 &&
			       rt_same_file(&st, &own)
			   ? RT_CLASH_FILE
			   : RT_CLASH_NONE;
	if (rt_clash_with_file(target, input))
		return RT_CLASH_FILE;
	return is_part(target, input, choice) ? RT_CLASH_PART : RT_CLASH_NONE;
}
