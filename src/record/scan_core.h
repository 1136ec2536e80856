/*
 * The scanner's body, compiled once for each set of vector instructions: scan_portable.c,
 * scan_avx2.c and scan_avx512.c define the primitives and include this file.
 *
 * They define:
 *   BLOCK                     bytes that one step looks at (at most RT_PADDING)
 *   mask_t                    an unsigned integer, MASK_STEP bits for each byte of a block
 *   MASK_STEP                 see there
 *   VECTORS                   a type for the vectors that the next one keeps at hand
 *   vectors_load()            a pointer to them
 *   block_special(v, at, quotes)
 *                             bytes that end a run of plain string text: quotes, backslashes,
 *                             controls and bytes of UTF-8 sequences; *quotes has the quotes only.
 *                             Escapes that are right may be left out whole
 *   gap_equal(gap, at)        whether the bytes at `at` are the gap's text
 *   SCAN_OPS, SCAN_NAME       the name of the table to define, and of the code path
 *
 * Input: a window (see scan.h). Output: slices of it. Refuses everything RFC 8259 does not allow.
 */
#ifndef SCAN_OPS
#error "scan_core.h is included by the code paths of the scanner only"
#endif

#include "base/utf8.h"
#include "record/scan.h"

/* What a nested scan waits for. The first one is 0: a fresh nest waits for a value. */
enum expect {
	EXPECT_VALUE,
	EXPECT_VALUE_OR_END, /* behind '[' */
	EXPECT_KEY_OR_END,   /* behind '{' */
	EXPECT_KEY,          /* behind ',' in an object */
	EXPECT_COLON,
	EXPECT_NEXT, /* behind a value: ',' or the end of its container */
};

/* Note a fault at `at`, or "more" where the window ends first and more may come. */
static const char *scan_fail(struct rt_scan *s, const char *at, const char *want)
{
	bool more = at >= s->end && !s->final;

	s->fault = (struct rt_scan_fault){more ? NULL : at, want, NULL, RT_E_INPUT};
	return NULL;
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const char *skip_blanks(struct rt_scan *s, const char *at)
{
	while (is_blank(*at)) {
		if (*at++ == '\n') {
			s->line++;
			s->line_start = s->origin + (uintptr_t)at;
		}
	}
	return at;
}

/* Value of a hex digit, or -1. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read the four digits of \uXXXX at `at` ('\\'). Returns -1 with the fault set. */
static int scan_hex4(struct rt_scan *s, const char *at)
{
	int value = 0;

	for (int i = 2; i < 6; i++) {
		int digit = hex_digit(at[i]);

		if (digit < 0) {
			scan_fail(s, at + i, "four hex digits behind \\u");
			return -1;
		}
		value = value << 4 | digit;
	}
	return value;
}

/* at: the '\\' of a \u. Returns the byte behind the escape or the pair of escapes. */
static const char *scan_unicode_escape(struct rt_scan *s, const char *at)
{
	int unit = scan_hex4(s, at);

	if (unit < 0)
		return NULL;
	if (unit >= 0xDC00 && unit < 0xE000)
		return scan_fail(s, at, "a high surrogate before the low one");
	if (unit < 0xD800 || unit >= 0xDC00)
		return at + 6;
	if (at[6] != '\\')
		return scan_fail(s, at + 6, "a low surrogate behind the high one");
	if (at[7] != 'u')
		return scan_fail(s, at + 7, "a low surrogate behind the high one");
	unit = scan_hex4(s, at + 6);
	if (unit < 0)
		return NULL;
	if (unit < 0xDC00 || unit >= 0xE000)
		return scan_fail(s, at + 6, "a low surrogate behind the high one");
	return at + 12;
}

static const char *scan_escape(struct rt_scan *s, const char *at)
{
	switch (at[1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		return at + 2;
	case 'u':
		return scan_unicode_escape(s, at);
	default:
		return scan_fail(s, at + 1, "one of \"\\/bfnrtu behind a backslash");
	}
}

/* at: a byte of 0x80 or more. Returns the byte behind all sequences that follow each other. */
static const char *scan_utf8(struct rt_scan *s, const char *at)
{
	while (at < s->end && (unsigned char)*at >= 0x80) {
		size_t left = (size_t)(s->end - at);
		size_t len = rt_utf8_length(at, left);

		if (len == 0) {
			/* Maybe only cut short by the window: judged when all of it is there. */
			bool cut = !s->final && left < 4;

			return scan_fail(s, cut ? s->end : at, "UTF-8");
		}
		at += len;
	}
	return at;
}

/* A byte that ends a plain run and is no quote. Returns where the string goes on. */
static const char *scan_special(struct rt_scan *s, const char *at)
{
	if (*at == '\\')
		return scan_escape(s, at);
	if ((unsigned char)*at >= 0x80)
		return scan_utf8(s, at);
	return scan_fail(s, at, at < s->end ? "no control byte in a string" : "a closing quote");
}

/*
 * Go over the special bytes of one block, one by one. special: not 0. Returns the closing quote,
 * or NULL: *at is then where the string goes on, or NULL with the fault set.
 */
static __attribute__((noinline)) const char *scan_block(struct rt_scan *s, const char **at,
						       mask_t special, mask_t quotes)
{
	const char *base = *at;

	do {
		unsigned bit = (unsigned)__builtin_ctzll(special);
		size_t step;

		if (quotes >> bit & 1)
			return base + bit / MASK_STEP;
		*at = scan_special(s, base + bit / MASK_STEP);
		if (!*at)
			return NULL;
		step = (size_t)(*at - base);
		if (step >= BLOCK)
			return NULL;
		special &= ~(mask_t)0 << (step * MASK_STEP);
	} while (special);
	*at = base + BLOCK;
	return NULL;
}

/*
 * at: behind the opening quote. Returns the closing quote, or NULL with the fault set.
 *
 * block_special() has already left out escapes that are plainly right, and the quotes in them.
 */
static inline __attribute__((always_inline)) const char *
scan_string_here(struct rt_scan *s, const VECTORS *vectors, const char *at)
{
	for (;;) {
		mask_t quotes, special = block_special(vectors, at, &quotes);
		const char *quote;

		if (!special) {
			at += BLOCK;
			continue;
		}
		if (special & -special & quotes)
			return at + (unsigned)__builtin_ctzll(special) / MASK_STEP;
		quote = scan_block(s, &at, special, quotes);
		if (quote || !at)
			return quote;
	}
}

/* The same, where speed does not decide. */
static __attribute__((noinline)) const char *scan_string(struct rt_scan *s, const char *at)
{
	return scan_string_here(s, vectors_load(), at);
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *scan_digits(struct rt_scan *s, const char *at, const char *want)
{
	if (!is_digit(*at))
		return scan_fail(s, at, want);
	do {
		at++;
	} while (is_digit(*at));
	return at;
}

/* Whether an integer of `digits` digits at `first` fits int64 (SPEC D4). */
static bool fits_int64(const char *first, size_t digits, bool negative)
{
	const char *most = negative ? "9223372036854775808" : "9223372036854775807";

	return digits < 19 || (digits == 19 && memcmp(first, most, 19) <= 0);
}

/* Returns the byte behind the number (RFC 8259 §6); a number at the window's end needs more. */
static inline const char *scan_number(struct rt_scan *s, const char *at, uint8_t *ret_type)
{
	bool negative = *at == '-', whole = true;
	const char *first = at + negative;

	at = first;
	if (*at == '0')
		at++;
	else if (!(at = scan_digits(s, at, "a digit")))
		return NULL;
	*ret_type = fits_int64(first, (size_t)(at - first), negative) ? RT_TYPE_INTEGER
								      : RT_TYPE_NUMBER;
	if (*at == '.') {
		whole = false;
		at = scan_digits(s, at + 1, "a digit behind the point");
		if (!at)
			return NULL;
	}
	if (*at == 'e' || *at == 'E') {
		whole = false;
		at++;
		at = scan_digits(s, at + (*at == '+' || *at == '-'), "a digit in the exponent");
		if (!at)
			return NULL;
	}
	if (!whole)
		*ret_type = RT_TYPE_NUMBER;
	return at >= s->end && !s->final ? scan_fail(s, at, "the number's end") : at;
}

/* at: the first letter. Returns the byte behind the literal. */
static inline const char *scan_literal(struct rt_scan *s, const char *at, const char *literal)
{
	size_t i = 0;

	while (literal[i] && at[i] == literal[i])
		i++;
	return literal[i] ? scan_fail(s, at + i, literal) : at + i;
}

/* Anything but arrays, objects and strings. */
static __attribute__((noinline)) const char *scan_word(struct rt_scan *s, const char *at, uint8_t *ret_type)
{
	switch (*at) {
	case 'n':
		*ret_type = RT_TYPE_NULL;
		return scan_literal(s, at, "null");
	case 't':
		*ret_type = RT_TYPE_BOOL;
		return scan_literal(s, at, "true");
	case 'f':
		*ret_type = RT_TYPE_BOOL;
		return scan_literal(s, at, "false");
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
		return scan_number(s, at, ret_type);
	default:
		return scan_fail(s, at, "a value");
	}
}

/* Anything but arrays and objects. */
static const char *scan_scalar(struct rt_scan *s, const char *at, uint8_t *ret_type)
{
	if (*at == '"') {
		*ret_type = RT_TYPE_STRING;
		at = scan_string(s, at + 1);
		return at ? at + 1 : NULL;
	}
	return scan_word(s, at, ret_type);
}

static bool nest_is_object(const struct rt_nest *nest)
{
	uint32_t level = nest->depth - 1;

	return nest->objects[level / 64] >> (level % 64) & 1;
}

/* at: '[' or '{'. */
static const char *nest_open(struct rt_scan *s, struct rt_nest *nest, const char *at)
{
	uint32_t level = nest->depth;

	if (s->depth_base + level >= s->depth_limit) {
		scan_fail(s, at, "arrays and objects nested less deep");
		s->fault.have = "more levels than the limit \"depth\" allows";
		s->fault.code = RT_E_LIMIT;
		return NULL;
	}
	if (level % 64 == 0)
		nest->objects[level / 64] = 0;
	nest->objects[level / 64] &= ~(UINT64_C(1) << (level % 64));
	if (*at == '{')
		nest->objects[level / 64] |= UINT64_C(1) << (level % 64);
	nest->expect = *at == '{' ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
	nest->depth++;
	return at + 1;
}

static const char *nest_close(struct rt_nest *nest, const char *at)
{
	nest->depth--;
	nest->expect = EXPECT_NEXT;
	return at + 1;
}

static const char *nest_value(struct rt_scan *s, struct rt_nest *nest, const char *at)
{
	uint8_t type;

	if (*at == '[' || *at == '{')
		return nest_open(s, nest, at);
	if (*at == ']' && nest->expect == EXPECT_VALUE_OR_END)
		return nest_close(nest, at);
	at = scan_scalar(s, at, &type);
	if (at)
		nest->expect = EXPECT_NEXT;
	return at;
}

static const char *nest_key(struct rt_scan *s, struct rt_nest *nest, const char *at)
{
	if (*at == '}' && nest->expect == EXPECT_KEY_OR_END)
		return nest_close(nest, at);
	if (*at != '"')
		return scan_fail(s, at, nest->expect == EXPECT_KEY ? "a member name"
								   : "a member name or '}'");
	at = scan_string(s, at + 1);
	if (!at)
		return NULL;
	nest->expect = EXPECT_COLON;
	return at + 1;
}

static const char *nest_next(struct rt_scan *s, struct rt_nest *nest, const char *at)
{
	bool object = nest_is_object(nest);

	if (*at == ',') {
		nest->expect = object ? EXPECT_KEY : EXPECT_VALUE;
		return at + 1;
	}
	if (*at == (object ? '}' : ']'))
		return nest_close(nest, at);
	return scan_fail(s, at, object ? "',' or '}'" : "',' or ']'");
}

static const char *nest_step(struct rt_scan *s, struct rt_nest *nest, const char *at)
{
	switch (nest->expect) {
	case EXPECT_KEY_OR_END:
	case EXPECT_KEY:
		return nest_key(s, nest, at);
	case EXPECT_COLON:
		if (*at != ':')
			return scan_fail(s, at, "':'");
		nest->expect = EXPECT_VALUE;
		return at + 1;
	case EXPECT_NEXT:
		return nest_next(s, nest, at);
	default:
		return nest_value(s, nest, at);
	}
}

static bool scan_nested(struct rt_scan *s, struct rt_nest *nest, const char *at,
			const char **ret_at)
{
	do {
		const char *behind;

		at = skip_blanks(s, at);
		behind = nest_step(s, nest, at);
		if (!behind) {
			*ret_at = at;
			return false;
		}
		at = behind;
	} while (nest->depth || nest->expect != EXPECT_NEXT);
	*ret_at = at;
	return true;
}

/*
 * An array: most are short arrays of strings, which are told apart here; at the first element
 * that is no string the general scan goes on from where this one is.
 */
static __attribute__((noinline)) const char *scan_array(struct rt_scan *s, const char *at, uint8_t *ret_type)
{
	struct rt_nest nest;

	nest.depth = 0;
	*ret_type = RT_TYPE_STRINGS;
	at = nest_open(s, &nest, at);
	if (!at)
		return NULL;
	for (;;) {
		at = skip_blanks(s, at);
		if (*at == ']' && nest.expect != EXPECT_VALUE)
			return at + 1;
		if (*at != '"')
			break;
		at = scan_string(s, at + 1);
		if (!at)
			return NULL;
		at = skip_blanks(s, at + 1);
		nest.expect = EXPECT_NEXT;
		if (*at == ']')
			return at + 1;
		if (*at != ',')
			break;
		at++;
		nest.expect = EXPECT_VALUE;
	}
	*ret_type = RT_TYPE_ARRAY;
	return scan_nested(s, &nest, at, &at) ? at : NULL;
}

static const char *scan_object(struct rt_scan *s, const char *at, uint8_t *ret_type)
{
	struct rt_nest nest;

	*ret_type = RT_TYPE_OBJECT;
	nest.depth = 0;
	nest.expect = EXPECT_VALUE;
	return scan_nested(s, &nest, at, &at) ? at : NULL;
}

static inline __attribute__((always_inline)) const char *
scan_typed(struct rt_scan *s, const VECTORS *vectors, const char *at, uint8_t *ret_type)
{
	if (*at == '"') {
		*ret_type = RT_TYPE_STRING;
		at = scan_string_here(s, vectors, at + 1);
		return at ? at + 1 : NULL;
	}
	if (memcmp(at, "null", 4) == 0) {
		*ret_type = RT_TYPE_NULL;
		return at + 4;
	}
	if (*at == '[')
		return scan_array(s, at, ret_type);
	if (*at == '{')
		return scan_object(s, at, ret_type);
	return scan_word(s, at, ret_type);
}

static const char *scan_value(struct rt_scan *s, const char *at, uint8_t *ret_type)
{
	uint8_t type;

	return scan_typed(s, vectors_load(), at, ret_type ? ret_type : &type);
}

/* Which documented member a key is; raw: the bytes between its quotes. */
static enum rt_member key_member(const struct rt_scan *s, struct rt_slice raw)
{
	char text[6 * RT_GAP_MAX];

	if (rt_json_string_is_escaped(raw)) {
		if (raw.len > sizeof(text))
			return RT_M_UNKNOWN;
		raw.len = rt_json_string_decode(raw, text);
		raw.ptr = text;
	}
	return rt_member_index_find(&s->index, raw);
}

/*
 * Read a gap that was not predicted: [','] "key" ':' or the record's '}'.
 * at: behind '{' (first) or behind a value. Returns the value's first byte or the byte behind '}'.
 */
static __attribute__((noinline)) const char *read_gap(struct rt_scan *s, const char *at, bool first, struct rt_gap *gap)
{
	const char *key;

	at = skip_blanks(s, at);
	gap->is_end = *at == '}';
	gap->member = RT_M_UNKNOWN;
	if (gap->is_end)
		return at + 1;
	if (!first) {
		if (*at != ',')
			return scan_fail(s, at, "',' or '}'");
		at = skip_blanks(s, at + 1);
	}
	if (*at != '"')
		return scan_fail(s, at, first ? "a member name or '}'" : "a member name");
	key = at + 1;
	at = scan_string(s, key);
	if (!at)
		return NULL;
	gap->member = (uint8_t)key_member(s, rt_slice_make(key, (size_t)(at - key)));
	at = skip_blanks(s, at + 1);
	if (*at != ':')
		return scan_fail(s, at, "':'");
	return skip_blanks(s, at + 1);
}

/* Fill in the text of a gap that has been read, and what follows from it. */
static void gap_describe(struct rt_gap *gap, const char *from, size_t len)
{
	memset(gap->text, 0, sizeof(gap->text));
	memcpy(gap->text, from, len);
	gap->len = (uint8_t)len;
	gap->mask = len == 64 ? ~UINT64_C(0) : (UINT64_C(1) << len) - 1;
	gap->newlines = 0;
	gap->tail = 0;
	for (size_t i = 0; i < len; i++) {
		if (from[i] == '\n') {
			gap->newlines++;
			gap->tail = (uint8_t)(len - i - 1);
		}
	}
}

/*
 * Remember a gap behind gap `before`. Returns it, or s->gaps[RT_GAP_NONE], which nothing follows,
 * where it cannot be remembered. A gap that is known is found again by the member behind it; the
 * record's end counts as one of the unknown.
 *
 * What stands before the first member (behind s->gaps[RT_GAP_FIRST]) is read by other rules than
 * the rest, so its successors are learnt only there: no gap with a comma is predicted behind '{'.
 */
static struct rt_gap *gap_learn(struct rt_scan *s, struct rt_gap *before, const struct rt_gap *read,
				const char *from, size_t len)
{
	struct rt_gap **known = &s->gap_of[read->is_end ? RT_M_UNKNOWN : read->member];
	struct rt_gap *gap = *known;

	if (len > RT_GAP_MAX)
		return &s->gaps[RT_GAP_NONE];
	if (!gap || gap->len != len || memcmp(gap->text, from, len) != 0) {
		if (s->gap_count == RT_GAP_SLOTS)
			return &s->gaps[RT_GAP_NONE];
		gap = &s->gaps[s->gap_count++];
		*gap = *read;
		gap->next = gap->other = NULL;
		gap_describe(gap, from, len);
		*known = gap;
	}
	if (before != &s->gaps[RT_GAP_NONE]) {
		before->other = before->next;
		before->next = gap;
	}
	return gap;
}

/* Whether the gap that came second to be learnt stands at `at`; it is tried first from now on. */
static __attribute__((noinline)) bool gap_other(struct rt_gap *before, const char *at)
{
	struct rt_gap *other = before->other;

	if (!other || !gap_equal(other, at))
		return false;
	before->other = before->next;
	before->next = other;
	return true;
}

/* Read and learn a gap that was not predicted. Returns the byte behind it, or NULL. */
static __attribute__((noinline)) const char *gap_new(struct rt_scan *s, struct rt_gap *before,
						     const char *at, struct rt_gap *read,
						     struct rt_gap **ret_gap)
{
	const char *from = at;

	at = read_gap(s, at, before == &s->gaps[RT_GAP_FIRST], read);
	if (at)
		*ret_gap = gap_learn(s, before, read, from, (size_t)(at - from));
	return at;
}

/* Go over a gap that stands at `at`. Returns the byte behind it. */
static inline const char *gap_pass(struct rt_scan *s, const struct rt_gap *gap, const char *at)
{
	at += gap->len;
	if (gap->newlines) {
		s->line += gap->newlines;
		s->line_start = s->origin + (uintptr_t)at - gap->tail;
	}
	/* More blanks than last time, before a value. */
	if ((unsigned char)*at <= ' ' && !gap->is_end)
		at = skip_blanks(s, at);
	return at;
}

/* Note a member's value. */
static inline void record_put(struct rt_record *record, unsigned m, const char *value,
			      const char *behind, uint8_t type)
{
	if (m == RT_M_UNKNOWN)
		return;
	if (record->types[m]) {
		record->repeated |= UINT64_C(1) << m;
		record->again[m] = value;
		return;
	}
	record->types[m] = type;
	record->values[m] = rt_slice_make(value, (size_t)(behind - value));
}

/* at: behind the '{'. record->current has the member that a fault is in. */
static const char *scan_members(struct rt_scan *s, const char *at, struct rt_record *record)
{
	const VECTORS *vectors = vectors_load();
	struct rt_gap *gap = &s->gaps[RT_GAP_FIRST];
	struct rt_gap read;

	for (;;) {
		/* What the gap says; `read` itself where it cannot be remembered. */
		const struct rt_gap *said;
		const char *value;
		uint8_t type;

		record->current = RT_M_UNKNOWN;
		if (gap->next && (gap_equal(gap->next, at) || gap_other(gap, at))) {
			said = gap = gap->next;
			value = gap_pass(s, gap, at);
		} else {
			value = gap_new(s, gap, at, &read, &gap);
			said = &read;
		}
		if (!value || said->is_end)
			return value;
		record->current = said->member;
		at = scan_typed(s, vectors, value, &type);
		if (!at)
			return NULL;
		record_put(record, said->member, value, at, type);
	}
}

static const char *scan_record(struct rt_scan *s, const char *at, struct rt_record *record)
{
	const char *behind;

	memset(record->types, 0, sizeof(record->types));
	record->repeated = 0;
	record->current = RT_M_UNKNOWN;
	if (s->depth_base >= s->depth_limit) {
		struct rt_nest nest = {.depth = 0};

		return nest_open(s, &nest, at);
	}
	s->depth_base++;
	behind = scan_members(s, at + 1, record);
	s->depth_base--;
	if (behind)
		record->text = rt_slice_make(at, (size_t)(behind - at));
	return behind;
}

const struct rt_scan_ops SCAN_OPS = {
    .name = SCAN_NAME,
    .record = scan_record,
    .value = scan_value,
    .nested = scan_nested,
};
