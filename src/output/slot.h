/*
 * Values that a template is filled with, in the order of its marks. A mark says how the next value
 * is written, and so what it has to be: one of our own words, a text, or a number.
 */
#ifndef RT_OUTPUT_SLOT_H
#define RT_OUTPUT_SLOT_H

#include <stdint.h>

#include "base/sha256.h"
#include "base/slice.h"

struct rt_slot {
	enum { RT_SLOT_WORD, RT_SLOT_TEXT, RT_SLOT_NUMBER, RT_SLOT_END } kind;
	struct rt_slice text;
	int64_t number;
};

/* word: NULL: none. */
static inline struct rt_slot rt_slot_word(const char *word)
{
	return (struct rt_slot){RT_SLOT_WORD, {word, word ? strlen(word) : 0}, 0};
}

static inline struct rt_slot rt_slot_text(struct rt_slice text)
{
	return (struct rt_slot){RT_SLOT_TEXT, text, 0};
}

static inline struct rt_slot rt_slot_digest(const uint8_t digest[RT_SHA256_BYTES])
{
	return rt_slot_text(rt_slice_make((const char *)digest, RT_SHA256_BYTES));
}

static inline struct rt_slot rt_slot_number(uint64_t number)
{
	return (struct rt_slot){RT_SLOT_NUMBER, {"", 0}, (int64_t)number};
}

static inline struct rt_slot rt_slot_signed(int64_t number)
{
	return (struct rt_slot){RT_SLOT_NUMBER, {"", 0}, number};
}

static inline struct rt_slot rt_slot_same(struct rt_slot slot)
{
	return slot;
}

#define RT_SLOT(value)                                                                             \
	_Generic((value), char *: rt_slot_word, const char *: rt_slot_word,                        \
		 struct rt_slice: rt_slot_text, int64_t: rt_slot_signed,                           \
		 struct rt_slot: rt_slot_same, default: rt_slot_number)(value)
#define RT_SLOTS_OF(a, b, c, d, e, f, g, h, i, j, ...)                                             \
	RT_SLOT(a), RT_SLOT(b), RT_SLOT(c), RT_SLOT(d), RT_SLOT(e), RT_SLOT(f), RT_SLOT(g),        \
	    RT_SLOT(h), RT_SLOT(i), RT_SLOT(j)
#define RT_SLOTS_MORE(a, b, c, d, e, f, ...)                                                       \
	RT_SLOT(a), RT_SLOT(b), RT_SLOT(c), RT_SLOT(d), RT_SLOT(e), RT_SLOT(f),                    \
	    RT_SLOTS_OF(__VA_ARGS__)

#define RT_SLOT_NONE ((struct rt_slot){.kind = RT_SLOT_END})
/* Up to ten values, and RT_SLOT_END behind them; of the second up to sixteen, at some cost. */
#define RT_SLOTS(...)                                                                              \
	(const struct rt_slot[])                                                                   \
	{                                                                                          \
		RT_SLOTS_OF(__VA_ARGS__, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE,   \
			    RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE), \
		    RT_SLOT_NONE                                                                   \
	}
#define RT_SLOTS_MANY(...)                                                                         \
	(const struct rt_slot[])                                                                   \
	{                                                                                          \
		RT_SLOTS_MORE(__VA_ARGS__, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, \
			      RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE,              \
			      RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE,              \
			      RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE),                           \
		    RT_SLOT_NONE                                                                   \
	}

/*
 * A template while it is filled. %(some%|other%) is one or the other, as the value of %( is another
 * number than 0 or not; values of what is left out are there all the same. "%|other" may be
 * missing, and they may be nested.
 */
struct rt_fill {
	const char *form;            /* what is left */
	const struct rt_slot *slots; /* the next value; RT_SLOT_END at the end */
	unsigned depth, off;         /* of brackets; of the one of which nothing is put, 0: none */
	/* What comes next: a text, then a value as a mark says; mark '\0': none. */
	struct rt_slice text;
	char mark;
	const struct rt_slot *slot;
};

/* Returns false at the end. */
bool rt_fill_next(struct rt_fill *fill);

#endif
