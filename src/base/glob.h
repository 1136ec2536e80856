/*
 * Globs over paths. `*` is any text without '/', `?` one character but '/', `**` any text, and as a
 * part of its own before '/' also nothing at all: `**` and '/' and x mean x in any folder. `[a-z]`
 * is one character of a class, `[!a-z]` and `[^a-z]` one that is not in it, neither ever '/'; a
 * backslash takes the next character as it is. Case counts, a glob matches as a whole, and braces
 * are nothing special. Characters are those of UTF-8; a byte that is none is one by itself.
 *
 * Matching takes time in proportion to the text's length times the glob's, whatever they hold.
 */
#ifndef RT_BASE_GLOB_H
#define RT_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/* Bytes that a glob may have; paths of people are far below. */
#define RT_GLOB_BYTES 1024u

struct rt_glob_token {
	uint8_t kind;
	uint8_t len; /* bytes of a character that stands for itself */
	uint16_t at; /* of that character or a class in the pattern */
};

/* A glob that has been read. Plain data; borrows the pattern. */
struct rt_glob {
	const char *pattern, *end;
	size_t count;
	struct rt_glob_token tokens[RT_GLOB_BYTES];
};

/* Where in a glob a text so far may have led to: a bit for each token, and one for the end. */
struct rt_glob_run {
	uint64_t places[RT_GLOB_BYTES / 64 + 1];
};

/*
 * Read a glob. pattern: borrowed as long as glob is used.
 * Returns false, with glob not to be used, where it is empty or too long, has a class without its
 * ']', or ends in a backslash.
 */
bool rt_glob_read(struct rt_glob *glob, struct rt_slice pattern);

/* Whether the glob matches text. */
bool rt_glob_match(const struct rt_glob *glob, struct rt_slice text);

/*
 * The same for a text in pieces: begin, feed each piece, ask. A character must not be cut.
 */
void rt_glob_begin(const struct rt_glob *glob, struct rt_glob_run *run);
void rt_glob_feed(const struct rt_glob *glob, struct rt_glob_run *run, struct rt_slice piece);
bool rt_glob_end(const struct rt_glob *glob, const struct rt_glob_run *run);

/* --- Prefixes of paths ----------------------------------------------------------------------- */

/* Each NUL-terminated; borrowed. */
struct rt_prefixes {
	const char *const *list;
	size_t count;
};

/* Step over each "./" at the start, and the slashes after it. */
struct rt_slice rt_path_undot(struct rt_slice path);

/*
 * Take the longest prefix that the path lies below off its front. Both slashes are slashes; "./" at
 * either's start and slashes at a prefix's end are nothing. Returns what is left, a part of path;
 * path itself where it lies below none.
 */
struct rt_slice rt_path_strip(struct rt_slice path, struct rt_prefixes prefixes);

#endif
