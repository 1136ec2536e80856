/*
 * Counts what is not read, and keeps the first names. A notice names no more endings than a person
 * reads: the rest is counted together.
 */
#include "files/unread.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "base/error.h"
#include "base/limits.h"
#include "files/name.h"

/* Endings that a notice names. */
#define TOLD_MAX 5u
/* Bytes of a notice, which is built of nothing but short texts and numbers. */
#define TOLD_BYTES 768u

const struct rt_unread_words rt_unread_words[RT_UNREAD_REASONS] = {
    [RT_UNREAD_NAME] = {"name", "its name has no known ending", NULL, NULL},
    [RT_UNREAD_SYMLINK] = {"symbolic_link", "a symbolic link", "symbolic link", "symbolic links"},
    [RT_UNREAD_HARDLINK] = {"hard_link", "a hard link", "hard link", "hard links"},
    [RT_UNREAD_SPECIAL] = {"special_file", "a special file", "special file", "special files"},
    [RT_UNREAD_DIRECTORY] = {"empty_directory", "an empty directory", "empty directory",
			     "empty directories"},
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

static void count_ending(struct rt_unread *unread, const char *ending)
{
	struct rt_unread_ending *slot = unread->endings;

	while (slot < unread->endings + unread->ending_count && strcasecmp(slot->text, ending) != 0)
		slot++;
	if (slot == unread->endings + RT_UNREAD_ENDINGS) {
		unread->other_endings++;
		return;
	}
	if (slot == unread->endings + unread->ending_count) {
		unread->ending_count++;
		for (size_t i = 0; ending[i]; i++)
			slot->text[i] = (char)(ending[i] >= 'A' && ending[i] <= 'Z' ? ending[i] + 32
										    : ending[i]);
	}
	slot->count++;
}

static void count_name(struct rt_unread *unread, const char *name)
{
	const char *ending = rt_name_ending(name, RT_UNREAD_ENDING);

	if (ending)
		count_ending(unread, ending);
	else
		unread->no_ending++;
}

enum rt_status rt_unread_add(struct rt_unread *unread, const char *path, const char *below,
			     const char *member, enum rt_unread_reason reason, struct rt_error *err)
{
	struct rt_error entry;

	unread->count++;
	unread->counts[reason]++;
	if (reason == RT_UNREAD_NAME)
		count_name(unread, member ? member : below ? below : "");
	if (unread->list.listed == RT_UNREAD_LISTED_MAX)
		return RT_OK;
	entry = (struct rt_error){.line = reason};
	rt_error_below(&entry, path, below);
	rt_error_at(&entry, NULL, member);
	return rt_faults_add(&unread->list, &entry, err);
}

/* --- For people -------------------------------------------------------------------------- */

/* A list of things, cut to fit. */
struct line {
	char text[TOLD_BYTES];
	size_t len;
	bool is_begun; /* the next thing is not the first */
};

static void line_put(struct line *line, const char *fmt, ...) RT_PRINTF(2, 3);

static void line_put(struct line *line, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line->text + line->len, sizeof(line->text) - line->len, fmt, args);
	va_end(args);
	if (len > 0)
		line->len += (size_t)len;
	if (line->len >= sizeof(line->text))
		line->len = sizeof(line->text) - 1;
}

/* Add a thing of the list, of which there are count. */
static void line_add(struct line *line, uint64_t count, const char *prefix, const char *thing)
{
	line_put(line, "%s%" PRIu64 " %s%s", line->is_begun ? ", " : "", count, prefix, thing);
	line->is_begun = true;
}

/* Whether a has to be told before b: more often, then in byte order. */
static bool is_before(const struct rt_unread_ending *a, const struct rt_unread_ending *b)
{
	return a->count != b->count ? a->count > b->count : strcmp(a->text, b->text) < 0;
}

/* The most frequent ending after `last`, all being in one order; NULL for last: the first. */
static const struct rt_unread_ending *next_ending(const struct rt_unread *unread,
						  const struct rt_unread_ending *last)
{
	const struct rt_unread_ending *best = NULL;

	for (size_t i = 0; i < unread->ending_count; i++) {
		const struct rt_unread_ending *ending = &unread->endings[i];

		if ((!last || is_before(last, ending)) && (!best || is_before(ending, best)))
			best = ending;
	}
	return best;
}

static void tell_names(const struct rt_unread *unread, struct line *line)
{
	uint64_t left = unread->counts[RT_UNREAD_NAME] - unread->no_ending;
	const struct rt_unread_ending *ending = NULL;

	for (unsigned i = 0; i < TOLD_MAX && (ending = next_ending(unread, ending)); i++) {
		line_add(line, ending->count, "*", ending->text);
		left -= ending->count;
	}
	if (left)
		line_add(line, left, "", "with other endings");
	if (unread->no_ending)
		line_add(line, unread->no_ending, "", "without an ending");
}

static void tell_all(const struct rt_unread *unread, const char *of, struct line *line)
{
	line_put(line, "not read%s: ", of);
	tell_names(unread, line);
	for (size_t i = RT_UNREAD_NAME + 1; i < RT_UNREAD_REASONS; i++) {
		if (unread->counts[i])
			line_add(line, unread->counts[i], "",
				 unread->counts[i] == 1 ? rt_unread_words[i].one
							: rt_unread_words[i].many);
	}
}

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
	struct line line = {.len = 0};

	if (unread->count == 0)
		return RT_OK;
	if (options->strict_input)
		return refuse_first(unread, err);
	tell_all(unread, of, &line);
	rt_notice(options, "%s", line.text);
	return RT_OK;
}
