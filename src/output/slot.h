/*
 * Values that a template is filled with, in the order of its marks. A mark says how the next value
 * is written, and so what it has to be: one of our own words, a text, or a number.
 */
#ifndef RT_OUTPUT_SLOT_H
#define RT_OUTPUT_SLOT_H

#include <stdint.h>

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
#define RT_SLOTS_OF(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...)                           \
	RT_SLOT(a), RT_SLOT(b), RT_SLOT(c), RT_SLOT(d), RT_SLOT(e), RT_SLOT(f), RT_SLOT(g),        \
	    RT_SLOT(h), RT_SLOT(i), RT_SLOT(j), RT_SLOT(k), RT_SLOT(l), RT_SLOT(m), RT_SLOT(n),    \
	    RT_SLOT(o), RT_SLOT(p)

#define RT_SLOT_NONE ((struct rt_slot){.kind = RT_SLOT_END})

/* Up to sixteen values, and RT_SLOT_END behind them. */
#define RT_SLOTS(...)                                                                              \
	(const struct rt_slot[])                                                                   \
	{                                                                                          \
		RT_SLOTS_OF(__VA_ARGS__, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE,   \
			    RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE,  \
			    RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE, RT_SLOT_NONE,  \
			    RT_SLOT_NONE),                                                         \
		    RT_SLOT_NONE                                                                   \
	}

/* Go to the next mark of a template. ret_text: what is before it. Returns its letter, '\0' at the
 * end. */
static inline char rt_slots_next(const char **form, struct rt_slice *ret_text)
{
	size_t len = strcspn(*form, "%");

	*ret_text = rt_slice_make(*form, len);
	*form += len;
	if (!**form)
		return '\0';
	*form += 2;
	return (*form)[-1];
}

#endif
