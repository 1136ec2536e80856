/*
 * Folds byte by byte, each kind of text in a loop of its own.
 */
#include "engine/fold.h"

#include <strings.h>

#include "base/bytes.h"
#include "base/json_string.h"

/* --- Code and paths -------------------------------------------------------------------------- */

/* Code: a byte that is left out is written, too, and the next one over it, so that nothing has to
 * be guessed. Returns the end of what is written. */
static char *put_code(struct rt_slice text, char *out)
{
	for (size_t i = 0; i < text.len; i++) {
		*out = text.ptr[i];
		out += text.ptr[i] != ' ';
	}
	return out;
}

static char *put(struct rt_slice text, enum rt_fold how, char *out)
{
	if (how == RT_FOLD_CODE)
		return put_code(text, out);
	memcpy(out, text.ptr, text.len);
	return out + text.len;
}

/* Write what an escape stands for. ret_len: the bytes that it has. */
static char *put_escape(struct rt_slice text, enum rt_fold how, char *out, size_t *ret_len)
{
	bool point = text.ptr[1] == 'u';
	bool pair = point && (text.ptr[2] | 0x20) == 'd' && strchr("89abAB", text.ptr[3]);
	size_t len = pair ? 12 : point ? 6 : 2;
	char byte[8] = {rt_json_string_letter(text.ptr[1])};
	size_t bytes = point ? rt_json_string_decode(rt_slice_make(text.ptr, len), byte) : 1;

	/* All blanks are one. */
	if (how == RT_FOLD_CODE && *byte >= '\t' && *byte <= '\r')
		*byte = ' ';
	if (how == RT_FOLD_PATH && *byte == '\\')
		*byte = '/';
	*ret_len = len;
	return put(rt_slice_make(byte, bytes), how, out);
}

size_t rt_fold(struct rt_slice json, enum rt_fold how, char *out)
{
	char *at = out;

	while (json.len) {
		const char *escape = memchr(json.ptr, '\\', json.len);
		size_t len = escape ? (size_t)(escape - json.ptr) : json.len;

		at = put(rt_slice_make(json.ptr, len), how, at);
		json = rt_slice_make(json.ptr + len, json.len - len);
		if (!escape)
			break;
		at = put_escape(json, how, at, &len);
		json = rt_slice_make(json.ptr + len, json.len - len);
	}
	return (size_t)(at - out);
}

/* --- Messages -------------------------------------------------------------------------------- */

static bool is_in(const char *set, char c)
{
	while (*set && *set != c)
		set++;
	return *set;
}

static bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static bool is_letter(char c)
{
	return (unsigned char)((c | 0x20) - 'a') < 26;
}

bool rt_fold_in_word(char c)
{
	return is_digit(c) || is_letter(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* A number in a text, and what was seen of its word before it. */
struct number {
	size_t from, to;
	bool letter, dashed; /* a letter; a dash behind that */
};

/* Go to the number behind another one; {0} at first. Returns false after the last one. */
static bool next_number(struct rt_slice text, struct number *n)
{
	size_t from = n->to, word;

	while (from < text.len && !is_digit(text.ptr[from]))
		from++;
	if (from == text.len)
		return false;
	for (word = from;
	     word > n->to && (rt_fold_in_word(text.ptr[word - 1]) || text.ptr[word - 1] == '-');)
		word--;
	if (word > n->to || n->to == 0)
		n->letter = n->dashed = false;
	for (; word < from; word++) {
		n->letter |= is_letter(text.ptr[word]);
		n->dashed |= n->letter && text.ptr[word] == '-';
	}
	n->from = n->to = from;
	while (n->to < text.len && is_digit(text.ptr[n->to]))
		n->to++;
	return true;
}

static bool is_word_at(struct rt_slice text, size_t at)
{
	return at < text.len && rt_fold_in_word(text.ptr[at]);
}

/* What stands before a number that names something, rather than counts. */
static const struct rt_slice namers[] = {
    RT_SLICE("advisory"),
    RT_SLICE("advisories"),
    RT_SLICE("vulnerability"),
    RT_SLICE("vulnerabilities"),
    RT_SLICE("cve"),
    RT_SLICE("cwe"),
    RT_SLICE("ghsa"),
    RT_SLICE("bug"),
    RT_SLICE("issue"),
    RT_SLICE("ticket"),
    RT_SLICE("id"),
    RT_SLICE("nr"),
    RT_SLICE("no"),
    RT_SLICE("no."),
    RT_SLICE("number"),
};

/* Whether the text up to `at` ends with one of these words, in any case. */
static bool ends_with_namer(struct rt_slice text, size_t at)
{
	size_t from = at - (at && text.ptr[at - 1] == '.');
	bool found = false;

	while (from && rt_fold_in_word(text.ptr[from - 1]))
		from--;
	for (size_t i = 0; !found && i < sizeof(namers) / sizeof(namers[0]); i++)
		found = namers[i].len == at - from &&
			strncasecmp(text.ptr + from, namers[i].ptr, at - from) == 0;
	return found;
}

static bool is_name(struct rt_slice text, const struct number *n)
{
	size_t at = n->from;

	if (is_word_at(text, n->to) || at == 0)
		return false;
	if (text.ptr[at - 1] == '#' && !(at > 1 && rt_fold_in_word(text.ptr[at - 2])))
		return true;
	while (at > 0 && n->from - at < 3 && is_in(" :#=", text.ptr[at - 1]))
		at--;
	return at < n->from && ends_with_namer(text, at);
}

/* Whether a number is a word of its own: a dash, dot or underscore joins it to another one. */
static bool is_word(struct rt_slice text, const struct number *n)
{
	static const char joins[] = "-._";

	if (is_word_at(text, n->to) || (n->from > 0 && rt_fold_in_word(text.ptr[n->from - 1])))
		return false;
	if (n->from > 1 && is_in(joins, text.ptr[n->from - 1]) &&
	    rt_fold_in_word(text.ptr[n->from - 2]))
		return false;
	return n->to == text.len || !is_in(joins, text.ptr[n->to]) || !is_word_at(text, n->to + 1);
}

bool rt_fold_next_name(struct rt_slice text, size_t *at, struct rt_slice *ret_digits)
{
	struct number n = {.to = *at};

	while (next_number(text, &n)) {
		if (!is_name(text, &n))
			continue;
		*at = n.to;
		*ret_digits = rt_slice_make(text.ptr + n.from, n.to - n.from);
		return true;
	}
	return false;
}

/* Numbers as digits of 4 bits, the length of each before it. */
struct packed {
	uint64_t bits;
	unsigned left; /* digits that there is room for */
};

static void pack(struct packed *packed, unsigned digit)
{
	if (packed->left)
		packed->bits |= (uint64_t)digit << 4 * --packed->left;
}

static void pack_number(struct packed *packed, struct rt_slice digits)
{
	while (digits.len && *digits.ptr == '0')
		digits = rt_slice_make(digits.ptr + 1, digits.len - 1);
	pack(packed, digits.len < 15 ? (unsigned)digits.len : 15);
	for (size_t i = 0; i < digits.len && packed->left; i++)
		pack(packed, (unsigned)(digits.ptr[i] - '0'));
}

size_t rt_fold_message(struct rt_slice text, enum rt_fold_numbers which, char *out,
		       uint64_t *ret_numbers)
{
	struct packed packed = {0, RT_FOLD_NUMBER_DIGITS};
	struct number n = {.to = 0};
	size_t done = 0, used = 0;

	while (next_number(text, &n)) {
		bool folds = which == RT_FOLD_WORDS ? is_word(text, &n) : !n.dashed;

		pack_number(&packed, rt_slice_make(text.ptr + n.from, n.to - n.from));
		if (!folds || is_name(text, &n))
			continue;
		memcpy(out + used, text.ptr + done, n.from - done);
		used += n.from - done;
		out[used++] = '0';
		done = n.to;
	}
	if (text.len > done)
		memcpy(out + used, text.ptr + done, text.len - done);
	*ret_numbers = packed.bits;
	return used + (text.len - done);
}

/* --- Redaction ------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
	return is_digit(c) || is_letter(c);
}

/* Whether a text is three or more of one sign, in any case. */
static bool is_filler(struct rt_slice text)
{
	static const struct rt_slice signs[] = {
	    RT_SLICE("*"),
	    RT_SLICE("x"),
	    RT_SLICE("#"),
	    RT_SLICE("."),
	    RT_SLICE("?"),
	    RT_SLICE("-"),
	    RT_SLICE("\xE2\x80\xA2"),
	    RT_SLICE("\xE2\x80\xA6"),
	};
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t len = signs[i].len, at = 0;

		while (at + len <= text.len && strncasecmp(text.ptr + at, signs[i].ptr, len) == 0)
			at += len;
		found = at == text.len && at >= 3 * len;
	}
	return found;
}

/* Whether a text ends with something that is set to stars, or to the word. */
static bool is_masked(struct rt_slice text)
{
	static const struct rt_slice word = RT_SLICE("redacted");
	size_t at = text.len, stars;

	while (at && is_in(";,)", text.ptr[at - 1]))
		at--;
	at -= at && is_in("\"'", text.ptr[at - 1]);
	for (stars = at; stars && text.ptr[stars - 1] == '*';)
		stars--;
	if (at - stars >= 4) {
		at = stars;
	} else {
		at -= at && text.ptr[at - 1] == '>';
		if (at < word.len || strncasecmp(text.ptr + at - word.len, word.ptr, word.len) != 0)
			return false;
		at -= word.len;
		at -= at && text.ptr[at - 1] == '<';
	}
	return at && is_in("=:\"'`@", text.ptr[at - 1]);
}

bool rt_fold_is_redacted(struct rt_slice code)
{
	static const struct rt_slice words[] = {RT_SLICE("redacted"), RT_SLICE("requireslogin"),
						RT_SLICE("hidden"),   RT_SLICE("masked"),
						RT_SLICE("secret"),   RT_SLICE("removed")};
	struct rt_slice inner = code;
	bool found = false;

	while (inner.len && !is_plain(inner.ptr[0]))
		inner = rt_slice_make(inner.ptr + 1, inner.len - 1);
	while (inner.len && !is_plain(inner.ptr[inner.len - 1]))
		inner.len--;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		found |= inner.len == words[i].len &&
			 strncasecmp(inner.ptr, words[i].ptr, inner.len) == 0;
	return found || is_filler(code) || is_masked(code);
}

/* --- Order ----------------------------------------------------------------------------------- */

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
