/*
 * Borrowed byte ranges. A slice owns nothing and is not NUL-terminated; who lends the bytes says
 * how long they live.
 */
#ifndef RT_BASE_SLICE_H
#define RT_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct rt_slice {
	const char *ptr; /* NULL: absent, which is not the same as empty */
	size_t len;      /* bytes */
};

/* The bytes of a string literal. */
#define RT_SLICE(literal) ((struct rt_slice){"" literal, sizeof(literal) - 1})

static inline struct rt_slice rt_slice_make(const char *ptr, size_t len)
{
	return (struct rt_slice){ptr, len};
}

/* A NUL-terminated text. */
static inline struct rt_slice rt_slice_of(const char *text)
{
	return rt_slice_make(text, strlen(text));
}

/* The byte after the last one, to hold a pointer against; of an absent slice NULL, to which C lets
 * nobody add even 0. */
static inline const char *rt_slice_end(struct rt_slice slice)
{
	return slice.len ? slice.ptr + slice.len : slice.ptr;
}

/* Whether a byte is a blank or a line break of JSON. */
static inline bool rt_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline bool rt_slice_equal(struct rt_slice a, struct rt_slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* How many bytes of it a message shows, at most so many: printf's precision. */
static inline int rt_slice_shown(struct rt_slice slice, int most)
{
	return slice.len < (size_t)most ? (int)slice.len : most;
}

/* Byte order: negative, 0 or positive; a proper prefix sorts first. */
static inline int rt_slice_compare(struct rt_slice a, struct rt_slice b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

#endif
