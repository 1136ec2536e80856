/*
 * Which names inside an archive or a directory are read (SPEC D1), and what they say of a format.
 * Content decides the format, and the name only where content leaves it open. A glob that is none
 * matches nothing.
 */
#include "files/name.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/glob.h"
#include "base/io.h"

static const char *const packings[] = {".gz", ".zst", ".xz", ".bz2", ".lz4", NULL};
static const char *const documents[] = {".json", ".ndjson", ".jsonl", ".yaml",
					".yml",  ".sarif",  NULL};

/* Take one of the suffixes off the end of the name; false when it has none of them. */
static bool suffix_take(const char *name, size_t *len, const char *const *suffixes)
{
	for (; *suffixes; suffixes++) {
		size_t cut = strlen(*suffixes);

		if (*len >= cut && strncasecmp(name + *len - cut, *suffixes, cut) == 0) {
			*len -= cut;
			return true;
		}
	}
	return false;
}

const char *rt_name_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What a copy or an archive of macOS has beside report.json is ._report.json, in AppleDouble. */
bool rt_name_is_metadata(const char *name)
{
	return strncmp(rt_name_base(name), "._", 2) == 0;
}

static bool is_document(const char *name)
{
	size_t len = strlen(name);

	if (rt_name_is_metadata(name))
		return false;
	(void)suffix_take(name, &len, packings);
	return suffix_take(name, &len, documents);
}

bool rt_name_is_archive(const char *name)
{
	static const char *const plain[] = {".tar", ".zip", ".7z", ".cpio", NULL};
	static const char *const both[] = {".tgz", ".tzst", ".txz", ".tbz", ".tbz2", ".tlz4", NULL};
	size_t len = strlen(name);

	if (suffix_take(name, &len, both))
		return true;
	(void)suffix_take(name, &len, packings);
	return suffix_take(name, &len, plain);
}

/* Whether one of the globs matches. */
static bool is_matched(const char *const *globs, size_t count, const char *below, const char *name)
{
	const struct rt_slice none = {NULL, 0};

	for (size_t i = 0; i < count; i++) {
		struct rt_slice glob = rt_slice_of(globs[i]);

		if (rt_glob_is(glob) &&
		    rt_glob_match_below(glob, below ? rt_slice_of(below) : none, rt_slice_of(name)))
			return true;
	}
	return false;
}

enum rt_name rt_name_judge(const struct rt_choice *choice, const char *below, const char *name)
{
	static const struct rt_choice all = {0};

	if (!choice)
		choice = &all;
	while (name[0] == '.' && name[1] == '/')
		name += 2;
	if (is_matched(choice->exclude, choice->exclude_count, below, name))
		return RT_NAME_LEFT_OUT;
	if (choice->include_count)
		return is_matched(choice->include, choice->include_count, below, name)
			   ? RT_NAME_CANDIDATE
			   : RT_NAME_LEFT_OUT;
	return is_document(name) ? RT_NAME_CANDIDATE : RT_NAME_OTHER;
}

enum rt_status rt_name_refuse_none(const struct rt_choice *choice, const char *what,
				   const char *part, struct rt_error *err)
{
	if (choice && (choice->include_count || choice->exclude_count))
		return rt_error_reject(err, RT_E_INPUT,
				       "%s without a %s that --include and --exclude choose", what,
				       part);
	return rt_error_reject(
	    err, RT_E_INPUT, "%s without a *.json, *.ndjson, *.jsonl, *.yaml, *.yml or *.sarif %s",
	    what, part);
}

bool rt_name_is_sarif(const char *name, size_t len)
{
	static const char *const sarif[] = {".sarif", NULL};

	(void)suffix_take(name, &len, packings);
	return suffix_take(name, &len, sarif);
}

bool rt_name_is_yaml(const char *name, size_t len)
{
	static const char *const yaml[] = {".yaml", ".yml", NULL};

	(void)suffix_take(name, &len, packings);
	return suffix_take(name, &len, yaml);
}

/* --- Whether a target is an input ------------------------------------------------------------ */

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

/* The part of a folder's path that is below a directory; NULL: it is not. Both are without links.
 */
static const char *below(const char *directory, const char *folder)
{
	size_t len = strcmp(directory, "/") == 0 ? 0 : strlen(directory);
	const char *rest = folder + len;

	if (strncmp(folder, directory, len) != 0 || (*rest && *rest != '/'))
		return NULL;
	return rest + (*rest == '/');
}

bool rt_path_is_inside(const char *path, const char *directory)
{
	char outer[PATH_MAX], folder[PATH_MAX], real[PATH_MAX];
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	(void)snprintf(real, sizeof(real), "%.*s", (int)len, path);
	folder_of(real, folder);
	return realpath(directory, outer) && realpath(folder, real) && below(outer, real);
}

/* Whether a file of that name is read with a directory. Both are without links. */
static bool is_below(const char *directory, const char *folder, const char *name,
		     const struct rt_choice *choice)
{
	const char *rest = below(directory, folder);

	return rest && rt_name_judge(choice, *rest ? rest : NULL, name) == RT_NAME_CANDIDATE;
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
