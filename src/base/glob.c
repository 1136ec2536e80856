/*
 * All places in a glob that the text so far can have led to are followed at once, so that no
 * pattern has to be tried again from an earlier place, whatever somebody thinks up.
 */
#include "base/glob.h"

#include <string.h>

#include "base/utf8.h"
#include "retriage.h"

/* Beyond every code point: a byte that is not UTF-8 is a character of its own. */
#define BYTE_POINT 0x110000u

enum kind {
	LITERAL,
	ONE,    /* ? */
	CLASS,  /* [...] */
	STAR,   /* * */
	ANY,    /* ** */
	DIRS,   /* ** before '/', at the start of a part of the path: a place for each side of */
	INSIDE, /* the first character that it takes */
};

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
 * after its
 * ']', or NULL where there is none.
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

/* Read a run of stars. at: the first of them. Returns the byte after what it takes. */
static const char *stars_read(struct rt_glob *glob, const char *at)
{
	const char *first = at;
	enum kind kind = STAR;

	while (at < glob->end && *at == '*')
		at++;
	if (at - first > 1)
		kind = ANY;
	if (kind == ANY && (first == glob->pattern || first[-1] == '/') && at < glob->end &&
	    *at == '/') {
		glob->tokens[glob->count++] = (struct rt_glob_token){.kind = DIRS};
		kind = INSIDE;
		at++;
	}
	glob->tokens[glob->count++] = (struct rt_glob_token){.kind = (uint8_t)kind};
	return at;
}

/* Read one token that is no star. Returns the byte after it, or NULL. */
static const char *token_read(struct rt_glob *glob, const char *at)
{
	struct rt_glob_token *token = &glob->tokens[glob->count++];
	uint32_t point;
	bool has;

	*token = (struct rt_glob_token){.kind = LITERAL};
	if (*at == '?') {
		token->kind = ONE;
		return at + 1;
	}
	if (*at == '[') {
		token->kind = CLASS;
		token->at = (uint16_t)(at + 1 - glob->pattern);
		return class_read(at + 1, glob->end, 0, &has);
	}
	at += *at == '\\';
	if (at == glob->end)
		return NULL;
	token->at = (uint16_t)(at - glob->pattern);
	token->len = (uint8_t)char_read(at, glob->end, &point);
	return at + token->len;
}

bool rt_glob_read(struct rt_glob *glob, struct rt_slice pattern)
{
	const char *at = pattern.ptr;

	if (pattern.len == 0 || pattern.len > RT_GLOB_BYTES)
		return false;
	glob->pattern = pattern.ptr;
	glob->end = rt_slice_end(pattern);
	glob->count = 0;
	while (at && at < glob->end)
		at = *at == '*' ? stars_read(glob, at) : token_read(glob, at);
	return at != NULL;
}

static void place_add(struct rt_glob_run *run, size_t place)
{
	run->places[place / 64] |= UINT64_C(1) << place % 64;
}

/* The first place at or after `from`; beyond the glob's end where there is none. */
static size_t place_next(const struct rt_glob *glob, const struct rt_glob_run *run, size_t from)
{
	size_t words = glob->count / 64 + 1;
	size_t word = from / 64;
	uint64_t bits;

	if (word >= words)
		return SIZE_MAX;
	bits = run->places[word] & UINT64_MAX << from % 64;
	while (!bits && ++word < words)
		bits = run->places[word];
	return bits ? word * 64 + (size_t)__builtin_ctzll(bits) : SIZE_MAX;
}

/* Add the places that can be come to without taking a character: they are all further on. */
static void places_close(const struct rt_glob *glob, struct rt_glob_run *run)
{
	for (size_t i = place_next(glob, run, 0); i < glob->count;
	     i = place_next(glob, run, i + 1)) {
		enum kind kind = (enum kind)glob->tokens[i].kind;

		if (kind == STAR || kind == ANY)
			place_add(run, i + 1);
		else if (kind == DIRS)
			place_add(run, i + 2);
	}
}

void rt_glob_begin(const struct rt_glob *glob, struct rt_glob_run *run)
{
	*run = (struct rt_glob_run){{1}};
	places_close(glob, run);
}

/* Add the places that one character leads to from place i. */
static void char_take(const struct rt_glob *glob, size_t i, struct rt_slice text, uint32_t point,
		      struct rt_glob_run *next)
{
	const struct rt_glob_token *token = &glob->tokens[i];
	bool slash = point == '/', has = false;

	switch ((enum kind)token->kind) {
	case LITERAL:
		has = rt_slice_equal(rt_slice_make(glob->pattern + token->at, token->len), text);
		break;
	case ONE:
		has = !slash;
		break;
	case CLASS:
		(void)class_read(glob->pattern + token->at, glob->end, point, &has);
		has = has && !slash;
		break;
	case STAR:
		if (!slash)
			place_add(next, i);
		break;
	case ANY:
		place_add(next, i);
		break;
	case DIRS:
		place_add(next, i + 1);
		if (slash)
			place_add(next, i + 2);
		break;
	case INSIDE:
		place_add(next, i);
		has = slash;
		break;
	}
	if (has)
		place_add(next, i + 1);
}

void rt_glob_feed(const struct rt_glob *glob, struct rt_glob_run *run, struct rt_slice piece)
{
	const char *at = piece.ptr, *end = rt_slice_end(piece);

	while (at < end) {
		struct rt_glob_run next = {{0}};
		uint32_t point;
		size_t len = char_read(at, end, &point);

		for (size_t i = place_next(glob, run, 0); i < glob->count;
		     i = place_next(glob, run, i + 1))
			char_take(glob, i, rt_slice_make(at, len), point, &next);
		places_close(glob, &next);
		*run = next;
		at += len;
	}
}

bool rt_glob_end(const struct rt_glob *glob, const struct rt_glob_run *run)
{
	return run->places[glob->count / 64] >> glob->count % 64 & 1;
}

bool rt_glob_match(const struct rt_glob *glob, struct rt_slice text)
{
	struct rt_glob_run run;

	rt_glob_begin(glob, &run);
	rt_glob_feed(glob, &run, text);
	return rt_glob_end(glob, &run);
}

bool rt_glob_is_valid(const char *text)
{
	struct rt_glob glob;

	return rt_glob_read(&glob, rt_slice_make(text, strlen(text)));
}

/* --- Prefixes of paths ----------------------------------------------------------------------- */

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
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
	struct rt_slice given = rt_path_undot(rt_slice_make(prefix, strlen(prefix)));
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
