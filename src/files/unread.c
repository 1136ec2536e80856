/*
 * Counts what is not read, and keeps the first names.
 */
#include "files/unread.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "files/name.h"

/* Bytes of a notice, which is built of nothing but the short texts below and numbers. */
#define TOLD_BYTES 768u

const struct rt_unread_words rt_unread_words[RT_UNREAD_REASONS] = {
    [RT_UNREAD_NAME] = {"name", "its name has no known ending", "file with another name",
			"files with other names"},
    [RT_UNREAD_SYMLINK] = {"symbolic_link", "a symbolic link", "symbolic link", "symbolic links"},
    [RT_UNREAD_HARDLINK] = {"hard_link", "a hard link", "hard link", "hard links"},
    [RT_UNREAD_SPECIAL] = {"special_file", "a special file", "special file", "special files"},
    [RT_UNREAD_ARCHIVE] = {"archive", "an archive", "archive", "archives"},
    [RT_UNREAD_METADATA] = {"macos_metadata", "metadata of macOS", "file of macOS metadata",
			    "files of macOS metadata"},
};

void rt_unread_release(struct rt_unread *unread)
{
	rt_faults_release(&unread->list);
	*unread = (struct rt_unread){0};
}

enum rt_unread_reason rt_unread_of_name(const char *name)
{
	if (rt_name_is_metadata(name))
		return RT_UNREAD_METADATA;
	return rt_name_is_archive(name) ? RT_UNREAD_ARCHIVE : RT_UNREAD_NAME;
}

enum rt_status rt_unread_add(struct rt_unread *unread, const char *path, const char *below,
			     const char *member, enum rt_unread_reason reason, struct rt_error *err)
{
	struct rt_error entry;

	if (reason == RT_UNREAD_CHOSEN) {
		unread->chosen = true;
		return RT_OK;
	}
	unread->count++;
	unread->counts[reason]++;
	if (unread->list.listed == RT_UNREAD_LISTED_MAX)
		return RT_OK;
	entry = (struct rt_error){.line = reason};
	rt_error_below(&entry, path, below);
	rt_error_at(&entry, NULL, member);
	return rt_faults_add(&unread->list, &entry, err);
}

/* --- For people -------------------------------------------------------------------------- */

static enum rt_status refuse_first(const struct rt_unread *unread, struct rt_error *err)
{
	struct rt_error first = {.line = RT_UNREAD_NAME};
	char more[64] = "";
	size_t at = 0;

	(void)rt_faults_next(&unread->list, &at, &first);
	if (unread->count > 1)
		(void)snprintf(more, sizeof(more), "; %" PRIu64 " other%s %s not read either",
			       unread->count - 1, RT_S(unread->count - 1),
			       unread->count == 2 ? "is" : "are");
	(void)rt_error_set(err, RT_E_USAGE, "--strict-input: not read: %s%s",
			   rt_unread_words[first.line].first, more);
	rt_error_at(err, first.path, first.member[0] ? first.member : NULL);
	return RT_REJECT;
}

enum rt_status rt_unread_tell(const struct rt_unread *unread, const struct rt_options *options,
			      const char *of, struct rt_error *err)
{
	char text[TOLD_BYTES] = "";
	size_t len = 0;

	if (unread->chosen && options->choice.matched)
		*options->choice.matched = true;
	if (unread->count == 0)
		return RT_OK;
	if (options->strict_input)
		return refuse_first(unread, err);
	for (size_t i = 0; i < RT_UNREAD_REASONS; i++) {
		const struct rt_unread_words *words = &rt_unread_words[i];
		uint64_t count = unread->counts[i];

		if (count)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%" PRIu64 " %s",
						len ? ", " : "", count,
						count == 1 ? words->one : words->many);
	}
	rt_notice(options, "not read%s: %s", of, text);
	return RT_OK;
}
