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

/* Whether a text is a glob: it is not empty or too long, has no class without its ']', and does not
 * end in a backslash. */
bool rt_glob_is(struct rt_slice text);

/* Whether a glob matches a text. */
bool rt_glob_match(struct rt_slice glob, struct rt_slice text);

/* Whether it matches a name below a folder, "BELOW/NAME"; below: ptr NULL: none. */
bool rt_glob_match_below(struct rt_slice glob, struct rt_slice below, struct rt_slice name);

/* --- Prefixes of paths ----------------------------------------------------------------------- */

/* Each NUL-terminated; borrowed. */
struct rt_prefixes {
	const char *const *list;
	size_t count;
};

/*
 * Take segments that are "." or ".." out of a path with slashes, in place, and of ".." what is
 * before it (RFC 3986 5.2.4; of several slashes all count as one). A drive, a host and the root
 * stay; what leads above the start of another path stays, too. Returns the bytes left.
 */
size_t rt_path_resolve(char *path, size_t len);

/* Step over each "./" at the start, and the slashes after it. */
struct rt_slice rt_path_undot(struct rt_slice path);

/*
 * Take the longest prefix that the path lies below off its front. Both slashes are slashes; "./" at
 * either's start and slashes at a prefix's end are nothing. Returns what is left, a part of path;
 * path itself where it lies below none.
 */
struct rt_slice rt_path_strip(struct rt_slice path, struct rt_prefixes prefixes);

#endif
