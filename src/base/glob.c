/*
 * A glob is matched from left to right. Where it does not go on, the last star takes more, and if
 * that cannot, the last double star: what is before them need not be tried again.
 */
#include "base/glob.h"

#include <string.h>

#include "base/utf8.h"
#include "retriage.h"

/* Beyond every code point: a byte that is not UTF-8 is a character of its own. */
#define BYTE_POINT 0x110000u

/* The character at the start of text, which is not empty. Returns its length. */
static size_t char_read(const char *at, const char *end, uint32_t *ret_point)
{
	size_t len = rt_utf8_length(at, (size_t)(end - at));

	*ret_point = len ? rt_utf8_decode(at, len) : BYTE_POINT + (unsigned char)*at;
	return len ? len : 1;
}

/* As char_read() for a member of a class, which may have a backslash. Returns the byte after it, or
 * NULL.
 */
static const char *member_read(const char *at, const char *end, uint32_t *ret_point)
{
	if (at < end && *at == '\\')
		at++;
	return at < end ? at + char_read(at, end, ret_point) : NULL;
}

/*
 * Read a class. at: after its '['. *ret_has: whether the class has the point. Returns the byte
 * after its ']', or NULL where there is none.
 */
static const char *class_read(const char *at, const char *end, uint32_t point, bool *ret_has)
{
	bool negated = at < end && (*at == '!' || *at == '^'), has = false;
	const char *first = at += negated;

	while (at && at < end && (*at != ']' || at == first)) {
		uint32_t low = 0, high;

		at = member_read(at, end, &low);
		high = low;
		if (at && end - at > 1 && at[0] == '-' && at[1] != ']')
			at = member_read(at + 1, end, &high);
		has = has || (at && low <= point && point <= high);
	}
	*ret_has = has != negated;
	return at && at < end ? at + 1 : NULL;
}

bool rt_glob_is(struct rt_slice text)
{
	const char *at = text.ptr, *end = rt_slice_end(text);
	bool has;

	if (text.len == 0 || text.len > RT_GLOB_BYTES)
		return false;
	while (at && at < end) {
		char c = *at++;

		if (c == '\\' && at++ == end)
			return false;
		if (c == '[')
			at = class_read(at, end, 0, &has);
	}
	return at == end;
}

/* --- Matching -------------------------------------------------------------------------------- */

/* A path whose folder may be apart. */
struct path {
	struct rt_slice below, name;
	size_t len, name_at;
};

/* The character at a place of a path. Returns its length, 0 at the end. */
static size_t char_at(const struct path *path, size_t at, uint32_t *ret_point,
		      const char **ret_char)
{
	struct rt_slice piece = at < path->name_at ? path->below : path->name;
	size_t from = at < path->name_at ? at : at - path->name_at;

	*ret_char = "/";
	*ret_point = '/';
	if (at == path->len || from == piece.len)
		return at < path->len;
	*ret_char = piece.ptr + from;
	return char_read(*ret_char, rt_slice_end(piece), ret_point);
}

/* Match one character of the text, of which len is not 0, with what is at a place of the glob, no
 * star. Returns the place after that, or NULL. */
static const char *char_match(const char *at, const char *end, const char *text, size_t len,
			      uint32_t point)
{
	bool has;

	if (*at == '?')
		return point == '/' ? NULL : at + 1;
	if (*at == '[') {
		at = class_read(at + 1, end, point, &has);
		return has && point != '/' ? at : NULL;
	}
	at += *at == '\\';
	return (size_t)(end - at) >= len && memcmp(at, text, len) == 0 ? at + len : NULL;
}

/* A star that has been met: where to go on, with one character more for it, if the rest of the glob
 * does not match. */
struct star {
	const char *after; /* the glob behind it; NULL: there is no star */
	size_t taken;      /* the end of what it matches so far */
	bool folders;      /* it matches whole folders, as in "**" and a slash */
};

/* Read the run of stars at a place of the glob: it becomes *one or *any, which has taken what is
 * before `taken`. */
static void stars_read(struct rt_slice glob, const char *at, size_t taken, struct star *one,
		       struct star *any)
{
	const char *first = at, *end = rt_slice_end(glob);
	bool begins = at == glob.ptr || at[-1] == '/';

	while (at < end && *at == '*')
		at++;
	if (at - first == 1) {
		*one = (struct star){at, taken, false};
		return;
	}
	begins = begins && at < end && *at == '/';
	*any = (struct star){at + begins, taken, begins};
	one->after = NULL;
}

/* Let a star take one character more, `any` none but with a slash at its end where it takes whole
 * folders. Returns false where it cannot. */
static bool take_more(const struct path *path, struct star *star, bool slashes)
{
	uint32_t point;
	const char *text;
	size_t len;

	do {
		len = char_at(path, star->taken, &point, &text);
		if (!len || (!slashes && point == '/'))
			return false;
		star->taken += len;
	} while (star->folders && point != '/');
	return true;
}

/*
 * Go on elsewhere: with the last star `one` where that can take more, else with the last `any`.
 * What is before those has been matched as early as it can be, so that nothing else would do. Where
 * `one` has tried all that it may, beginning elsewhere in the same part of the path would lead it
 * to no more. Returns false where there is nothing left.
 */
static bool retry(const struct path *path, struct star *one, struct star *any, const char **ret_at,
		  size_t *ret_taken)
{
	size_t taken = any->taken;
	struct star *star = one;

	if (!one->after || !take_more(path, one, false)) {
		if (!any->after)
			return false;
		while (one->after && !any->folders && take_more(path, any, false))
			;
		if (any->taken == taken && !take_more(path, any, true))
			return false;
		one->after = NULL;
		star = any;
	}
	*ret_at = star->after;
	*ret_taken = star->taken;
	return true;
}

bool rt_glob_match_below(struct rt_slice glob, struct rt_slice below, struct rt_slice name)
{
	const size_t name_at = below.ptr ? below.len + 1 : 0;
	const struct path path = {below, name, name_at + name.len, name_at};
	const char *at = glob.ptr, *end = rt_slice_end(glob);
	struct star one = {NULL, 0, false}, any = one;
	size_t taken = 0;

	while (at < end || taken < path.len) {
		uint32_t point;
		const char *text, *next = NULL;
		size_t len = char_at(&path, taken, &point, &text);

		if (at < end && *at == '*') {
			stars_read(glob, at, taken, &one, &any);
			at = one.after ? one.after : any.after;
			continue;
		}
		if (at < end && len)
			next = char_match(at, end, text, len, point);
		if (next) {
			at = next;
			taken += len;
		} else if (!retry(&path, &one, &any, &at, &taken)) {
			return false;
		}
	}
	return true;
}

bool rt_glob_match(struct rt_slice glob, struct rt_slice text)
{
	return rt_glob_match_below(glob, (struct rt_slice){NULL, 0}, text);
}

bool rt_glob_is_valid(const char *text)
{
	return rt_glob_is(rt_slice_of(text));
}

/* --- Prefixes of paths ----------------------------------------------------------------------- */

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

/* Bytes that no ".." takes away: of a root, a drive or a host. */
static size_t root_len(const char *path, size_t len)
{
	size_t at = len > 1 && path[0] != '/' && path[1] == ':' ? 2 : 0;

	if (!at && len > 2 && path[0] == '/' && path[1] == '/') {
		const char *end = memchr(path + 2, '/', len - 2);

		at = end ? (size_t)(end - path) : len;
	}
	return at + (at < len && path[at] == '/');
}

/* Where the segment before an offset begins, which no ".." is; NONE: there is none. */
#define NONE SIZE_MAX
static size_t segment_before(const char *path, size_t root, size_t at)
{
	size_t end;

	while (at > root && path[at - 1] == '/')
		at--;
	for (end = at; at > root && path[at - 1] != '/';)
		at--;
	return at == end || (end - at == 2 && memcmp(path + at, "..", 2) == 0) ? NONE : at;
}

size_t rt_path_resolve(char *path, size_t len)
{
	const size_t root = root_len(path, len);
	bool rooted = root && path[root - 1] == '/';
	size_t out = root;

	for (size_t at = root, next; at < len; at = next) {
		const char *slash = memchr(path + at, '/', len - at);
		size_t end = slash ? (size_t)(slash - path) : len, before = NONE;
		bool up = end - at == 2 && memcmp(path + at, "..", 2) == 0;

		next = end + (end < len);
		if (up)
			before = segment_before(path, root, out);
		if (before != NONE || (up && rooted) || (end - at == 1 && path[at] == '.')) {
			out = before != NONE ? before : out;
			/* What follows must not look like a root. */
			while (out == root && next < len && path[next] == '/')
				next++;
			continue;
		}
		memmove(path + out, path + at, next - at);
		out += next - at;
	}
	return out;
}

struct rt_slice rt_path_undot(struct rt_slice path)
{
	while (path.len >= 2 && path.ptr[0] == '.' && is_slash(path.ptr[1])) {
		size_t skip = 2;

		while (skip < path.len && is_slash(path.ptr[skip]))
			skip++;
		path = rt_slice_make(path.ptr + skip, path.len - skip);
	}
	return path;
}

/* Bytes of path that a prefix takes off, the slash after it included; 0: it does not lie below. */
static size_t prefix_len(struct rt_slice path, const char *prefix)
{
	struct rt_slice given = rt_path_undot(rt_slice_of(prefix));
	size_t len;

	while (given.len > 1 && is_slash(given.ptr[given.len - 1]))
		given.len--;
	len = given.len;
	if (!len || path.len <= len)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (path.ptr[i] != given.ptr[i] &&
		    !(is_slash(path.ptr[i]) && is_slash(given.ptr[i])))
			return 0;
	}
	if (!is_slash(given.ptr[len - 1]) && !is_slash(path.ptr[len]))
		return 0;
	while (len < path.len && is_slash(path.ptr[len]))
		len++;
	return len < path.len ? len : 0;
}

struct rt_slice rt_path_strip(struct rt_slice path, struct rt_prefixes prefixes)
{
	struct rt_slice from = rt_path_undot(path);
	size_t longest = 0;

	for (size_t i = 0; i < prefixes.count; i++) {
		size_t len = prefix_len(from, prefixes.list[i]);

		if (len > longest)
			longest = len;
	}
	if (!longest)
		return path;
	/* What the prefix leaves may begin with dots of its own. */
	return rt_path_undot(rt_slice_make(from.ptr + longest, from.len - longest));
}
