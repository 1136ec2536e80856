/*
 * How far a text is plain: the bytes before the first one that wants a look, which a writer copies
 * as they are. 16 bytes at a time where the machine can; no byte outside of the text is read.
 */
#ifndef RT_BASE_PLAIN_H
#define RT_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bytes.h"

/* All of this is made anew for each set, which is a literal of at most 8 bytes. */
#define RT_PLAIN_INLINE static inline __attribute__((always_inline))

/* Whether c is byte i of the set. */
RT_PLAIN_INLINE bool rt_plain_is(char c, const char *set, size_t i)
{
	return i < strlen(set) && c == set[i];
}

/* Whether a byte wants a look; as rt_plain_len() has it. */
RT_PLAIN_INLINE bool rt_plain_is_special(char c, const char *set, bool odd)
{
	return (odd && (c < ' ' || c >= 0x7F || c < 0)) || rt_plain_is(c, set, 0) ||
	       rt_plain_is(c, set, 1) || rt_plain_is(c, set, 2) || rt_plain_is(c, set, 3) ||
	       rt_plain_is(c, set, 4) || rt_plain_is(c, set, 5) || rt_plain_is(c, set, 6) ||
	       rt_plain_is(c, set, 7);
}

#ifdef __SSE2__
/* told, and where byte i of the set stands. */
RT_PLAIN_INLINE __m128i rt_plain_are(__m128i told, __m128i bytes, const char *set, size_t i)
{
	return i < strlen(set) ? _mm_or_si128(told, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(set[i])))
			       : told;
}

/* Bit N: byte N wants a look. */
RT_PLAIN_INLINE unsigned rt_plain_special16(__m128i bytes, const char *set, bool odd)
{
	__m128i told = _mm_setzero_si128();

	/* As signed numbers bytes from 0x80 on are below a blank, too. */
	if (odd)
		told = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')),
				    _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F)));
	told = rt_plain_are(told, bytes, set, 0);
	told = rt_plain_are(told, bytes, set, 1);
	told = rt_plain_are(told, bytes, set, 2);
	told = rt_plain_are(told, bytes, set, 3);
	told = rt_plain_are(told, bytes, set, 4);
	told = rt_plain_are(told, bytes, set, 5);
	told = rt_plain_are(told, bytes, set, 6);
	told = rt_plain_are(told, bytes, set, 7);
	return (unsigned)_mm_movemask_epi8(told);
}

/* 16 bytes that may be read as they are, or 8 of them. */
RT_PLAIN_INLINE __m128i rt_plain_load16(const char *at)
{
	return _mm_loadu_si128((const __m128i *)(const void *)at);
}

RT_PLAIN_INLINE __m128i rt_plain_load8(const char *at)
{
	return _mm_loadl_epi64((const __m128i *)(const void *)at);
}

/* The last 16 bytes of a text of 16 or more, or the two ends of one of 8 or more, of which the
 * first bytes are known to be plain. */
RT_PLAIN_INLINE size_t rt_plain_end(const char *at, size_t len, const char *set, bool odd)
{
	size_t from = len >= 16 ? len - 16 : len - 8;
	__m128i bytes = len >= 16
			    ? rt_plain_load16(at + from)
			    : _mm_unpacklo_epi64(rt_plain_load8(at), rt_plain_load8(at + from));
	unsigned special = rt_plain_special16(bytes, set, odd);

	if (!special)
		return len;
	if (len < 16 && special >> 8 && !(special & 0xFF))
		return from + (unsigned)__builtin_ctz(special >> 8);
	return (len < 16 ? 0 : from) + (unsigned)__builtin_ctz(special);
}
#endif

/*
 * Bytes of a text before the first one that is in set, or, where `odd`, a control, DEL or from 0x80
 * on; len where there is none. at: may be NULL where len is 0. set: a literal, "" for none of its
 * own.
 */
RT_PLAIN_INLINE size_t rt_plain_len(const char *at, size_t len, const char *set, bool odd)
{
	size_t i = 0;

#ifdef __SSE2__
	for (; len - i >= 16; i += 16) {
		unsigned special = rt_plain_special16(rt_plain_load16(at + i), set, odd);

		if (special)
			return i + (unsigned)__builtin_ctz(special);
	}
	if (len >= 8)
		return i == len ? len : rt_plain_end(at, len, set, odd);
#endif
	while (i < len && !rt_plain_is_special(at[i], set, odd))
		i++;
	return i;
}

#endif
