/*
 * Folds byte by byte, each kind of text in a loop of its own between one escape and the next.
 */
#include "engine/fold.h"

#include <stdbool.h>

#include "base/bytes.h"
#include "base/json_string.h"

struct folding {
	enum rt_fold how;
	char *out;
	bool digit; /* the last byte was one */
};

/* Code: a byte that is left out is written, too, and the next one over it, so that nothing has to
 * be guessed. */
static void put_code(struct folding *f, struct rt_slice text)
{
	char *out = f->out;

	for (size_t i = 0; i < text.len; i++) {
		*out = text.ptr[i];
		out += text.ptr[i] != ' ';
	}
	f->out = out;
}

/* Messages: likewise of each run of digits but one 0. */
static void put_message(struct folding *f, struct rt_slice text)
{
	char *out = f->out;

	for (size_t i = 0; i < text.len; i++) {
		bool digit = (unsigned char)(text.ptr[i] - '0') < 10;

		*out = digit ? '0' : text.ptr[i];
		out += !(digit & f->digit);
		f->digit = digit;
	}
	f->out = out;
}

static void put(struct folding *f, struct rt_slice text)
{
	if (f->how == RT_FOLD_CODE) {
		put_code(f, text);
	} else if (f->how == RT_FOLD_MESSAGE) {
		put_message(f, text);
	} else {
		memcpy(f->out, text.ptr, text.len);
		f->out += text.len;
	}
}

/* What an escape stands for. Returns the bytes that it has. */
static size_t put_escape(struct folding *f, struct rt_slice text)
{
	bool point = text.ptr[1] == 'u';
	bool pair = point && (text.ptr[2] | 0x20) == 'd' && strchr("89abAB", text.ptr[3]);
	size_t len = pair ? 12 : point ? 6 : 2;
	char byte[8] = {rt_json_string_letter(text.ptr[1])};
	size_t bytes = point ? rt_json_string_decode(rt_slice_make(text.ptr, len), byte) : 1;

	/* All blanks are one. */
	if (f->how == RT_FOLD_CODE && *byte >= '\t' && *byte <= '\r')
		*byte = ' ';
	if (f->how == RT_FOLD_PATH && *byte == '\\')
		*byte = '/';
	put(f, rt_slice_make(byte, bytes));
	return len;
}

size_t rt_fold(struct rt_slice json, enum rt_fold how, char *out)
{
	struct folding f = {how, out, false};

	while (json.len) {
		const char *escape = memchr(json.ptr, '\\', json.len);
		size_t len = escape ? (size_t)(escape - json.ptr) : json.len;

		put(&f, rt_slice_make(json.ptr, len));
		json = rt_slice_make(json.ptr + len, json.len - len);
		if (!escape)
			break;
		len = put_escape(&f, json);
		json = rt_slice_make(json.ptr + len, json.len - len);
	}
	return (size_t)(f.out - out);
}

/* The 8 bytes from `at` on, or what there is of them. */
static uint64_t load(struct rt_slice text, size_t at)
{
	size_t left = text.len - at;
	char bytes[8] = {0};

	if (left >= 8)
		return rt_bytes_load64(text.ptr + at);
	if (text.len >= 8)
		return rt_bytes_load64(text.ptr + text.len - 8) >> 8 * (8 - left);
	memcpy(bytes, text.ptr + at, left);
	return rt_bytes_load64(bytes);
}

uint32_t rt_fold_number(struct rt_slice text)
{
	uint64_t a = text.len, b = UINT64_C(0x9E3779B97F4A7C15);
	size_t at = 0;

	for (; at + 16 <= text.len; at += 16) {
		a = (a ^ rt_bytes_load64(text.ptr + at)) * UINT64_C(0xFF51AFD7ED558CCD);
		b = (b ^ rt_bytes_load64(text.ptr + at + 8)) * UINT64_C(0xC4CEB9FE1A85EC53);
	}
	for (; at < text.len; at += 8)
		a = (a ^ load(text, at)) * UINT64_C(0xFF51AFD7ED558CCD);
	a = (a ^ a >> 32 ^ b ^ b >> 32) * UINT64_C(0xC4CEB9FE1A85EC53);
	return (uint32_t)(a >> 32);
}
