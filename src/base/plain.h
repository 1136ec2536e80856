/*
 * How far a text is plain: the bytes before the first one that wants a look, which a writer copies
 * as they are. 8 bytes at a time; no byte outside of the text is read.
 */
#ifndef RT_BASE_PLAIN_H
#define RT_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* All of this is made anew for each set, a literal. */
#define RT_PLAIN_INLINE static inline __attribute__((always_inline))

/* Whether c is byte i of the set. */
RT_PLAIN_INLINE bool rt_plain_is(char c, const char *set, size_t i)
{
	return i < strlen(set) && c == set[i];
}

/* Whether a byte wants a look; as rt_plain_len() has it. */
RT_PLAIN_INLINE bool rt_plain_is_special(char c, const char *set, bool odd)
{
	return (odd && (c < ' ' || c >= 0x7F)) || rt_plain_is(c, set, 0) ||
	       rt_plain_is(c, set, 1) || rt_plain_is(c, set, 2) || rt_plain_is(c, set, 3) ||
	       rt_plain_is(c, set, 4) || rt_plain_is(c, set, 5) || rt_plain_is(c, set, 6) ||
	       rt_plain_is(c, set, 7);
}

/* Of 8 bytes as rt_bytes_load64() has them, those that want a look, by their top bits; above the
 * first one there may be some for nothing. */
RT_PLAIN_INLINE uint64_t rt_plain_special8(uint64_t bytes, const char *set, bool odd)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t told = odd ? bytes | (bytes + ones) | (bytes - ones * ' ') : 0;

	for (size_t i = 0; i < strlen(set); i++) {
		uint64_t other = bytes ^ ones * (uint64_t)set[i]; /* 0 where it stands */

		told |= (other - ones) & ~other;
	}
	return told & ones << 7;
}

/* How many of 8 bytes are plain before the first that is not. */
RT_PLAIN_INLINE unsigned rt_plain_step8(const char *at, const char *set, bool odd)
{
	uint64_t special = rt_plain_special8(rt_bytes_load64(at), set, odd);

	return special ? (unsigned)__builtin_ctzll(special) / 8 : 8;
}

/*
 * The bytes of a text before the first one that is in set, or, where `odd`, a control, DEL or from
 * 0x80 on; len where there is none.
 * at: may be NULL where len is 0. set: a literal of at most 8 bytes, "" for none of its own.
 */
RT_PLAIN_INLINE size_t rt_plain_len(const char *at, size_t len, const char *set, bool odd)
{
	size_t i = 0;

	for (; len - i >= 8; i += 8) {
		unsigned plain = rt_plain_step8(at + i, set, odd);

		if (plain < 8)
			return i + plain;
	}
	/* The last 8 bytes, some of them once more. */
	if (i < len && len >= 8)
		return len - 8 + rt_plain_step8(at + len - 8, set, odd);
	while (i < len && !rt_plain_is_special(at[i], set, odd))
		i++;
	return i;
}

#endif
