/*
 * JSON strings to text and back. Input: the bytes between the quotes, checked by the scanner; or
 * UTF-8 text. Output: the text they stand for, never longer than the input; or a quoted string
 * that is safe on a terminal.
 * Checks nothing: grammar is the scanner's work, and it has been done.
 */
#include "base/json_string.h"

#include <stdint.h>

#include "base/bytes.h"
#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static uint32_t hex4(const char *text)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		uint32_t c = (unsigned char)text[i];

		/* '0'..'9' are 0x30.., letters 0x41.. and 0x61..: bit 6 tells them apart. */
		value = value << 4 | ((c & 0xF) + (c >> 6) * 9);
	}
	return value;
}

/* Decode \uXXXX at text, with its second half where it is a pair. Returns the bytes read. */
static size_t decode_unicode(const char *text, char **out)
{
	uint32_t point = hex4(text + 2);
	size_t read = 6;

	if (point >= 0xD800 && point < 0xDC00) {
		point = 0x10000 + ((point - 0xD800) << 10) + (hex4(text + 8) - 0xDC00);
		read = 12;
	}
	*out += rt_utf8_encode(point, *out);
	return read;
}

size_t rt_json_string_decode(struct rt_slice text, char *out)
{
	const char *at = text.ptr, *end = rt_slice_end(text);
	char *start = out;

	while (at < end) {
		const char *stop = memchr(at, '\\', (size_t)(end - at));
		size_t run = (size_t)((stop ? stop : end) - at);

		memmove(out, at, run);
		out += run;
		at += run;
		if (!stop)
			break;
		if (at[1] == 'u') {
			at += decode_unicode(at, &out);
		} else {
			*out++ = rt_json_string_letter(at[1]);
			at += 2;
		}
	}
	return (size_t)(out - start);
}

enum rt_status rt_json_string_unescape(struct rt_slice text, struct rt_buf *room,
				       struct rt_slice *ret_text, struct rt_error *err)
{
	enum rt_status status;

	room->len = 0;
	status = rt_buf_reserve(room, text.len, err);
	if (status != RT_OK)
		return status;
	room->len = rt_json_string_decode(text, room->data);
	*ret_text = rt_buf_slice(room);
	return RT_OK;
}

/* What a character of a string needs, told by its first byte. */
enum { PLAIN, ESCAPED, SOME_ESCAPED };

#define FOUR(x) x, x, x, x

/* C0, '"', '\\', DEL; and the lead bytes of U+0080.., U+0600.., U+2000.. and U+F000.. */
static const uint8_t encode_class[256] = {
    FOUR(FOUR(ESCAPED)),   FOUR(FOUR(ESCAPED)),   ['"'] = ESCAPED,
    ['\\'] = ESCAPED,      [0x7F] = ESCAPED,      [0xC2] = SOME_ESCAPED,
    [0xD8] = SOME_ESCAPED, [0xE2] = SOME_ESCAPED, [0xEF] = SOME_ESCAPED,
};

/*
 * Whether any of 8 bytes is not plain ASCII: below 0x20, '"', '\\', or from 0x7F on. The top bit
 * of a byte tells; a byte above one that is told may be told for nothing.
 */
static inline bool any_special(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');

	return ((word - ones * 0x20) | (quote - ones) | (backslash - ones) | word | (word + ones)) &
	       tops;
}

#ifdef __SSE2__

#define BLOCK 16u

/* Bit n: byte n of the block is not of the class PLAIN. */
static inline unsigned block_special(const char *block)
{
	__m128i text = _mm_loadu_si128((const __m128i *)(const void *)block);
	__m128i found = _mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(0x1F)), text);

#define ADD(c) found = _mm_or_si128(found, _mm_cmpeq_epi8(text, _mm_set1_epi8((char)(c))))
	ADD('"');
	ADD('\\');
	ADD(0x7F);
	ADD(0xC2);
	ADD(0xD8);
	ADD(0xE2);
	ADD(0xEF);
#undef ADD
	return (unsigned)_mm_movemask_epi8(found);
}

/* Skip blocks of plain bytes. Returns the first byte of another class, or the end of the last
 * block. */
static inline size_t skip_blocks(const char *ptr, size_t at, size_t len)
{
	for (; len - at >= BLOCK; at += BLOCK) {
		unsigned found = block_special(ptr + at);

		if (found)
			return at + (unsigned)__builtin_ctz(found);
	}
	return at;
}

#else

static inline size_t skip_blocks(const char *ptr, size_t at, size_t len)
{
	(void)ptr, (void)len;
	return at;
}

#endif

size_t rt_json_string_plain(const char *ptr, size_t len)
{
	size_t at = 0;

	while (at < len) {
		uint8_t kind;

		at = skip_blocks(ptr, at, len);
		if (len - at >= 8 && !any_special(rt_bytes_load64(ptr + at))) {
			at += 8;
			continue;
		}
		if (at == len)
			break;
		kind = encode_class[(uint8_t)ptr[at]];
		/* The bytes after a lead byte are there: the text is well-formed. */
		if (kind == ESCAPED ||
		    (kind == SOME_ESCAPED &&
		     rt_utf8_is_unsafe(rt_utf8_decode(ptr + at, (uint8_t)ptr[at] < 0xE0 ? 2 : 3))))
			break;
		at++;
	}
	return at;
}

uint32_t rt_json_string_point(const char *ptr, size_t *ret_len)
{
	uint8_t lead = (uint8_t)*ptr;

	*ret_len = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : 3;
	return rt_utf8_decode(ptr, *ret_len);
}

size_t rt_json_string_escape(uint32_t point, char *out)
{
	static const char digits[] = "0123456789abcdef";
	static const char letters[] = "btn\0fr"; /* U+0008 to U+000D */

	out[0] = '\\';
	if (point == '"' || point == '\\') {
		out[1] = (char)point;
		return 2;
	}
	if (point >= 0x08 && point <= 0x0D && letters[point - 0x08]) {
		out[1] = letters[point - 0x08];
		return 2;
	}
	out[1] = 'u';
	for (unsigned i = 0; i < 4; i++)
		out[2 + i] = digits[point >> (12 - 4 * i) & 0xF];
	return 6;
}

/* The letters of the escapes that rt_json_string_escape() makes, but for 'u'. */
static const bool own_letter[256] = {
    ['"'] = true, ['\\'] = true, ['b'] = true, ['f'] = true,
    ['n'] = true, ['r'] = true,  ['t'] = true,
};

bool rt_json_string_is_own(struct rt_slice text)
{
	size_t at = 0;

	for (;;) {
		at += rt_json_string_plain(text.ptr + at, text.len - at);
		if (at == text.len)
			return true;
		/* A backslash is followed by its letter. */
		if (text.ptr[at] != '\\' || !own_letter[(uint8_t)text.ptr[at + 1]])
			return false;
		at += 2;
	}
}

bool rt_json_strings_are_own(struct rt_slice json)
{
	size_t at = 0;

#ifdef __SSE2__
	__m128i found = _mm_setzero_si128();

#define IS(bytes, c) _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)(c)))
	/* Each byte is looked at with the one behind it. */
	for (; json.len - at > BLOCK; at += BLOCK) {
		__m128i text = _mm_loadu_si128((const __m128i *)(const void *)(json.ptr + at));
		__m128i next = _mm_loadu_si128((const __m128i *)(const void *)(json.ptr + at + 1));
		__m128i letter = _mm_or_si128(IS(next, 'u'), IS(next, '/'));
		__m128i lead = _mm_or_si128(_mm_or_si128(IS(text, 0xC2), IS(text, 0xD8)),
					    _mm_or_si128(IS(text, 0xE2), IS(text, 0xEF)));

		found = _mm_or_si128(found, _mm_and_si128(IS(text, '\\'), letter));
		found = _mm_or_si128(found, _mm_or_si128(lead, IS(text, 0x7F)));
	}
#undef IS
	if (_mm_movemask_epi8(found))
		return false;
#endif
	for (; at < json.len; at++) {
		uint8_t kind = encode_class[(uint8_t)json.ptr[at]];

		if (json.ptr[at] == '\\') {
			if (json.ptr[at + 1] == 'u' || json.ptr[at + 1] == '/')
				return false;
		} else if (kind == SOME_ESCAPED || json.ptr[at] == 0x7F) {
			return false;
		}
	}
	return true;
}

size_t rt_json_string_encoded_len(struct rt_slice text)
{
	size_t len = 2, at = 0;
	char escape[6];

	while (at < text.len) {
		size_t run = rt_json_string_plain(text.ptr + at, text.len - at), read;

		len += run;
		at += run;
		if (at == text.len)
			break;
		len += rt_json_string_escape(rt_json_string_point(text.ptr + at, &read), escape);
		at += read;
	}
	return len;
}

/* Append a run of text that stands as it is, and its first bytes that need not; out has room for
 * all of it. Returns how many bytes it has, as rt_json_string_plain() does. */
static size_t put_plain(struct rt_buf *out, const char *ptr, size_t len)
{
	size_t at = 0, run;

#ifdef __SSE2__
	/* Copied as it is looked at: many runs are short. */
	while (len - at >= BLOCK) {
		unsigned found = block_special(ptr + at);

		memcpy(out->data + out->len + at, ptr + at, BLOCK);
		at += found ? (unsigned)__builtin_ctz(found) : BLOCK;
		if (!found)
			continue;
		if (encode_class[(uint8_t)ptr[at]] != ESCAPED)
			break;
		out->len += at;
		return at;
	}
#endif
	run = rt_json_string_plain(ptr + at, len - at);
	memcpy(out->data + out->len + at, ptr + at, run);
	out->len += at + run;
	return at + run;
}

enum rt_status rt_json_string_encode(struct rt_slice text, struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(out, text.len + 2, err);
	size_t at = 0;

	if (status != RT_OK)
		return status;
	out->data[out->len++] = '"';
	while (at < text.len) {
		size_t len;

		at += put_plain(out, text.ptr + at, text.len - at);
		if (at == text.len)
			break;
		/* Room for the escape, and for what is left if it needs none, with its quote. */
		status = rt_buf_reserve(out, 6 + (text.len - at) + 1, err);
		if (status != RT_OK)
			return status;
		out->len += rt_json_string_escape(rt_json_string_point(text.ptr + at, &len),
						  out->data + out->len);
		at += len;
	}
	out->data[out->len++] = '"';
	return RT_OK;
}
