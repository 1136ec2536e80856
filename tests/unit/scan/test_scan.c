/*
 * The scanner: texts cut by windows, strings across the borders of blocks, types of values, and
 * limits of depth, on every code path. Prediction of gaps has test_scan_gaps.c.
 */
#include "scan/scan.h"

#include <stdio.h>

#include "json_texts.h"
#include "scan_text.h"

/* What a scan said. */
struct said {
	bool whole;    /* the text is accepted */
	size_t offset; /* where it ended, or the fault */
	uint64_t line, line_start;
	const char *want;
	enum rt_code code;
};

/* Read `after`, which a scan returned; false: the window has to grow. */
static bool said_make(const struct rt_scan *s, const char *after, struct said *ret_said)
{
	if (!after && !s->fault.at)
		return false;
	*ret_said = (struct said){after != NULL,
				  scan_offset(s, after ? after : s->fault.at),
				  s->line,
				  s->line_start,
				  after ? NULL : s->fault.want,
				  after ? RT_E_NONE : s->fault.code};
	return true;
}

/* A function that scans text from `from` on and stops where it is over or broken. */
typedef struct said scan_whole(const struct rt_scan_ops *ops, struct rt_slice text, size_t from);

/* Blanks have been skipped: the scan starts again in each longer window. */
static struct said scan_again(const struct rt_scan_ops *ops, struct rt_slice text, size_t from,
			      bool record)
{
	struct said said = {0};
	struct rt_scan s;
	bool known = false;
	size_t len = from;

	rt_scan_init(&s, 128);
	while (!known) {
		/* Once with all bytes and not knowing that they are all. */
		bool final = len > text.len;
		size_t in_view = final ? text.len : len;
		char *block = padded(text.ptr, in_view);
		struct rt_record parts;
		const char *at;

		ck_assert_msg(len <= text.len + 1, "more is wanted after the end");
		scan_show(&s, block, in_view, 0, final);
		s.line = 1;
		s.line_start = 0;
		at = rt_scan_blanks(&s, block);
		if (at >= s.end && !final)
			at = NULL, s.fault.at = NULL;
		else
			at = record ? ops->record(&s, at, &parts) : ops->value(&s, at, NULL);
		known = said_make(&s, at, &said);
		free(block);
		len++;
	}
	return said;
}

static struct said scan_values(const struct rt_scan_ops *ops, struct rt_slice text, size_t from)
{
	return scan_again(ops, text, from, false);
}

static struct said scan_records(const struct rt_scan_ops *ops, struct rt_slice text, size_t from)
{
	return scan_again(ops, text, from, true);
}

/* Piece by piece: what has been gone over is dropped from the window. */
static struct said scan_pieces(const struct rt_scan_ops *ops, struct rt_slice text, size_t from)
{
	struct rt_nest nest = {.depth = 0};
	struct said said = {0};
	struct rt_scan s;
	bool known = false;
	size_t start = 0, len = from;

	rt_scan_init(&s, 128);
	while (!known) {
		bool final = len > text.len;
		size_t in_view = (final ? text.len : len) - start;
		char *block = padded(text.ptr + start, in_view);
		uint64_t line, line_start;
		const char *at;
		bool done;

		ck_assert_msg(len <= text.len + 1, "more is wanted after the end");
		scan_show(&s, block, in_view, start, final);
		line = s.line;
		line_start = s.line_start;
		done = ops->nested(&s, &nest, block, &at);
		ck_assert(at >= block && at <= s.end);
		known = said_make(&s, done ? at : NULL, &said);
		start = scan_offset(&s, at);
		for (size_t i = (size_t)line_start; i < start; i++)
			line += text.ptr[i] == '\n';
		ck_assert_msg(known || s.line == line, "lines and place go together");
		free(block);
		len++;
	}
	return said;
}

/* Every row of the table, in windows that grow a byte at a time, and at once. */
static void cut_text(const struct json_text *row, const struct rt_scan_ops *ops, scan_whole *scan)
{
	for (int at_once = 0; at_once < 2; at_once++) {
		struct said said = scan(ops, row->text, at_once ? row->text.len + 1 : 0);
		bool after = row->want && strcmp(row->want, AFTER) == 0;

		ck_assert_msg(said.whole == (!row->want || after), "%s: %s", row->what, ops->name);
		if (said.whole)
			continue;
		ck_assert_msg(said.offset == row->offset, "%s: %s: offset %zu", row->what,
			      ops->name, said.offset);
		ck_assert_msg(strcmp(said.want, row->want) == 0, "%s: %s: %s", row->what, ops->name,
			      said.want);
		ck_assert_msg(said.line == row->line &&
				  said.offset - said.line_start + 1 == row->column,
			      "%s: %s: %zu:%zu", row->what, ops->name, (size_t)said.line,
			      (size_t)(said.offset - said.line_start + 1));
		ck_assert_int_eq(said.code, RT_E_INPUT);
	}
}

START_TEST(cut)
{
	const struct json_text *row = &json_texts[_i];

	for (size_t path = 0; path < PATH_COUNT; path++) {
		const struct rt_scan_ops *ops = path_ops(path);

		if (!ops)
			continue;
		cut_text(row, ops, scan_values);
		cut_text(row, ops, scan_pieces);
		if (row->text.len && row->text.ptr[0] == '{')
			cut_text(row, ops, scan_records);
	}
}
END_TEST

/* --- Strings ---------------------------------------------------------------------------------- */

/* Length of the UTF-8 sequence at text, or 0: by decoding, not by ranges as the scanner does. */
static size_t plain_utf8(const char *text, size_t left)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char lead = (unsigned char)text[0];
	size_t len = lead >= 0xF8 ? 0 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 0;
	uint32_t point = lead & (0x7Fu >> len);

	if (len == 0 || left < len)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (((unsigned char)text[i] & 0xC0) != 0x80)
			return 0;
		point = point << 6 | ((unsigned char)text[i] & 0x3F);
	}
	if (point < least[len] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
		return 0;
	return len;
}

/* The unit of a \uXXXX at text[0], or -1 with *fault its first wrong byte. */
static long plain_unit(const char *text, size_t left, size_t *fault)
{
	char digits[5] = "";

	for (size_t i = 0; i < 4; i++) {
		if (i + 2 >= left || !strchr("0123456789abcdefABCDEF", text[i + 2]) ||
		    !text[i + 2]) {
			*fault = i + 2;
			return -1;
		}
		digits[i] = text[i + 2];
	}
	return strtol(digits, NULL, 16);
}

/* Bytes of the escape at text, or 0 with *fault its first wrong byte. */
static size_t plain_escape(const char *text, size_t left, size_t *fault)
{
	long unit;

	*fault = 1;
	if (left < 2 || !text[1] || !strchr("\"\\/bfnrtu", text[1]))
		return 0;
	if (text[1] != 'u')
		return 2;
	unit = plain_unit(text, left, fault);
	if (unit < 0)
		return 0;
	*fault = 0;
	if (unit >= 0xDC00 && unit < 0xE000)
		return 0;
	if (unit < 0xD800 || unit >= 0xE000)
		return 6;
	*fault = 6;
	if (left < 7 || text[6] != '\\')
		return 0;
	*fault = 7;
	if (left < 8 || text[7] != 'u')
		return 0;
	unit = plain_unit(text + 6, left - 6, fault);
	if (unit < 0)
		*fault += 6;
	else
		*fault = 6;
	return unit >= 0xDC00 && unit < 0xE000 ? 12 : 0;
}

/*
 * A string, byte by byte, as RFC 8259 §7 has it. text: after the opening quote. Returns whether
 * it is one; *ret_at: its closing quote or its first wrong byte.
 */
static bool plain_string(const char *text, size_t len, size_t *ret_at)
{
	size_t at = 0;

	for (;;) {
		size_t step = 1, fault = 0;

		if (at < len && text[at] == '"') {
			*ret_at = at;
			return true;
		}
		if (at >= len || (unsigned char)text[at] < 0x20)
			step = 0;
		else if (text[at] == '\\')
			step = plain_escape(text + at, len - at, &fault);
		else if ((unsigned char)text[at] >= 0x80)
			step = plain_utf8(text + at, len - at);
		if (step == 0) {
			*ret_at = at + fault;
			return false;
		}
		at += step;
	}
}

/* Scan a string that stands at the end of room, as a value, and hold it to plain_string(). */
static void check_string(const char *block, size_t len, const char *what)
{
	size_t at;
	bool good = plain_string(block + 1, len - 1, &at);

	for (size_t path = 0; path < PATH_COUNT; path++) {
		const struct rt_scan_ops *ops = path_ops(path);
		const char *after;
		struct rt_scan s;
		uint8_t type = 0;

		if (!ops)
			continue;
		/* All that a scan of one string uses; the rest would cost more than the scan. */
		s.line = 1;
		s.line_start = 0;
		scan_show(&s, block, len, 0, true);
		after = ops->value(&s, block, &type);
		if ((after != NULL) != good ||
		    (after ? after != block + at + 2 || type != RT_TYPE_STRING
			   : s.fault.at != block + at + 1))
			ck_abort_msg("%s: %s: %.*s", ops->name, what, (int)len, block);
	}
}

static const struct {
	const char *what;
	struct rt_slice text;
} specials[] = {
#define SPECIAL(what, literal)                                                                     \
	{                                                                                          \
		what,                                                                              \
		{                                                                                  \
			literal, sizeof(literal) - 1                                               \
		}                                                                                  \
	}
    SPECIAL("quote", "\""),
    SPECIAL("quotes", "\"\""),
    SPECIAL("\\\"", "\\\""),
    SPECIAL("\\\\", "\\\\"),
    SPECIAL("\\\\\\\"", "\\\\\\\""),
    SPECIAL("\\\\, quote", "\\\\\""),
    SPECIAL("\\/", "\\/"),
    SPECIAL("\\b", "\\b"),
    SPECIAL("\\f", "\\f"),
    SPECIAL("\\n", "\\n"),
    SPECIAL("\\r", "\\r"),
    SPECIAL("\\t", "\\t"),
    SPECIAL("escapes in a row", "\\n\\n\\t\\\\\\\"\\\\\\u0041\\n"),
    SPECIAL("\\u", "\\u00e9"),
    SPECIAL("\\u, then a bad digit", "\\u00eX"),
    SPECIAL("pair", "\\uD83D\\ude00"),
    SPECIAL("pair, wrong", "\\uD83D\\u0041"),
    SPECIAL("pair, no escape", "\\uD83Dxxxx"),
    SPECIAL("low half", "\\uDE00"),
    SPECIAL("wrong escape", "\\x"),
    SPECIAL("escape of a control byte", "\\\x01"),
    SPECIAL("escape of a byte from 0x80", "\\\xC3\xA9"),
    SPECIAL("NUL", "\0"),
    SPECIAL("0x1F", "\x1F"),
    SPECIAL("newline", "\n"),
    SPECIAL("0x7F", "\x7F"),
    SPECIAL("2 bytes", "\xC3\xA9"),
    SPECIAL("3 bytes", "\xE2\x82\xAC"),
    SPECIAL("4 bytes", "\xF0\x9F\x98\x80"),
    SPECIAL("sequences in a row", "\xF0\x9F\x98\x80\xC3\xA9\xE2\x82\xAC\xC3\xA9"),
    SPECIAL("2 of 3 bytes", "\xE2\x82"),
    SPECIAL("surrogate", "\xED\xA0\x80"),
    SPECIAL("overlong", "\xC0\x80"),
#undef SPECIAL
};

#define STRING_MAX 200u
#define PLACE_MAX 130u
#define ROOM (STRING_MAX + 64u)

/* A special sequence at every place of strings of every length. */
START_TEST(strings)
{
	struct rt_slice special = specials[_i].text;
	char *room = malloc(ROOM + RT_PADDING);

	ck_assert_ptr_nonnull(room);
	memset(room + ROOM, 0, RT_PADDING);
	for (size_t len = 0; len <= STRING_MAX; len++) {
		for (size_t place = 0; place <= len && place <= PLACE_MAX; place++) {
			size_t size = len + special.len + 3;
			char *text = room + ROOM - size;

			memset(text, 'x', size);
			text[0] = '"';
			memcpy(text + 1 + place, special.ptr, special.len);
			/* Closed, with a byte after; then cut in and after the special bytes. */
			memcpy(text + size - 2, "\",", 2);
			check_string(text, size, specials[_i].what);
			if (place < len)
				continue;
			for (size_t less = 0; less < special.len + 2; less++) {
				memmove(text + 1, text, size - 1);
				text++;
				size--;
				check_string(text, size, specials[_i].what);
			}
		}
	}
	free(room);
}
END_TEST

/* Runs of backslashes of any length at any place, so that they start and end in any block. */
START_TEST(backslashes)
{
	static const char after[] = {'"', 'n', 'u', 'x', '\n', (char)0xC3};
	char *room = malloc(ROOM + RT_PADDING);

	ck_assert_ptr_nonnull(room);
	memset(room + ROOM, 0, RT_PADDING);
	for (size_t place = 0; place <= PLACE_MAX; place++) {
		for (size_t run = 1; run <= 70; run++) {
			/* Another run follows in the same block or in the next. */
			size_t other = (place + run) % 7, size = place + run + other + 20;
			char *text = room + ROOM - size;

			memset(text, 'x', size);
			text[0] = '"';
			memset(text + 1 + place, '\\', run);
			text[1 + place + run] = after[_i];
			memset(text + size - 12 - other, '\\', other);
			memcpy(text + size - 12, "n\"0041\",\",\"", 12);
			check_string(text, size, "backslashes");
		}
	}
	free(room);
}
END_TEST

/* Strings of random pieces, good and bad. */
START_TEST(random_strings)
{
	const size_t count = sizeof(specials) / sizeof(specials[0]);
	char *room = malloc(ROOM + RT_PADDING);
	unsigned short seed[3] = {1, 2, (unsigned short)_i};

	ck_assert_ptr_nonnull(room);
	memset(room + ROOM, 0, RT_PADDING);
	for (unsigned round = 0; round < 20000; round++) {
		size_t len = (size_t)nrand48(seed) % STRING_MAX + 2, at = 1;
		char *text = room + ROOM - len;
		/* Few pieces or many; bad ones seldom, or most strings would end at once. */
		unsigned plain = (unsigned)nrand48(seed) % 40 + 1;

		memset(text, 'y', len);
		text[0] = '"';
		while (at < len) {
			const struct rt_slice piece = specials[(size_t)nrand48(seed) % count].text;
			size_t fault;

			at += (size_t)nrand48(seed) % plain;
			if (at + piece.len > len)
				break;
			if (plain_string(piece.ptr, piece.len, &fault) || fault < piece.len)
				if (nrand48(seed) % 16)
					continue;
			memcpy(text + at, piece.ptr, piece.len);
			at += piece.len;
		}
		if (nrand48(seed) % 8)
			text[len - 1] = '"';
		check_string(text, len, "random");
	}
	free(room);
}
END_TEST

/* --- Types ------------------------------------------------------------------------------------ */

static const struct {
	const char *what, *text;
	unsigned type;
} types[] = {
    {"string", "\"\"", RT_TYPE_STRING},
    {"true", "true", RT_TYPE_BOOL},
    {"false", "false", RT_TYPE_BOOL},
    {"null", "null", RT_TYPE_NULL},
    {"zero", "0", RT_TYPE_INTEGER},
    {"minus zero", "-0", RT_TYPE_INTEGER},
    {"18 digits", "999999999999999999", RT_TYPE_INTEGER},
    {"19 digits", "1000000000000000000", RT_TYPE_INTEGER},
    {"the largest int64", "9223372036854775807", RT_TYPE_INTEGER},
    {"one more", "9223372036854775808", RT_TYPE_NUMBER},
    {"the smallest int64", "-9223372036854775808", RT_TYPE_INTEGER},
    {"one less", "-9223372036854775809", RT_TYPE_NUMBER},
    {"20 digits", "10000000000000000000", RT_TYPE_NUMBER},
    {"fraction", "1.0", RT_TYPE_NUMBER},
    {"fraction below one", "0.46", RT_TYPE_NUMBER},
    {"fraction of 8 digits", "12345678.12345678", RT_TYPE_NUMBER},
    {"exponent", "1e0", RT_TYPE_NUMBER},
    {"exponent of a fraction", "1.5e0", RT_TYPE_NUMBER},
    {"exponent with a sign", "1E-2", RT_TYPE_NUMBER},
    {"fraction of a large one", "9223372036854775808.5", RT_TYPE_NUMBER},
    {"no element", "[ ]", RT_TYPE_STRINGS},
    {"strings", "[\"a\",\"b\"]", RT_TYPE_STRINGS},
    {"one other element", "[1]", RT_TYPE_ARRAY},
    {"other element last", "[\"a\",null]", RT_TYPE_ARRAY},
    {"array of an array of strings", "[[\"a\"]]", RT_TYPE_ARRAY},
    {"object", "{}", RT_TYPE_OBJECT},
    {"object with a member", "{\"id\":1}", RT_TYPE_OBJECT},
};

START_TEST(type)
{
	for (size_t path = 0; path < PATH_COUNT; path++) {
		const struct rt_scan_ops *ops = path_ops(path);
		size_t len = strlen(types[_i].text);
		char text[128], *block;
		struct rt_record record;
		struct rt_scan s;
		uint8_t have = 0;

		if (!ops)
			continue;
		rt_scan_init(&s, 128);
		block = padded(types[_i].text, len);
		scan_show(&s, block, len, 0, true);
		ck_assert_ptr_eq(ops->value(&s, block, &have), block + len);
		ck_assert_msg(have == types[_i].type, "%s: %s", types[_i].what, rt_type_name(have));
		free(block);

		/* As a member, where other code finds the type. */
		snprintf(text, sizeof(text), "{\"tags\":%s}", types[_i].text);
		block = padded(text, strlen(text));
		scan_show(&s, block, strlen(text), 0, true);
		ck_assert_ptr_eq(ops->record(&s, block, &record), block + strlen(text));
		ck_assert_uint_eq(record.types[RT_M_TAGS], types[_i].type);
		ck_assert_ptr_eq(record.values[RT_M_TAGS].ptr, block + 8);
		ck_assert_uint_eq(record.values[RT_M_TAGS].len, len);
		ck_assert_uint_eq(record.repeated, 0);
		free(block);
	}
}
END_TEST

/* --- Depth ------------------------------------------------------------------------------------ */

/* Levels around the value count: base + levels of the value may be the limit, not more. */
START_TEST(depth)
{
	static const struct {
		const char *text;
		uint32_t levels;
	} rows[] = {{"[[[]]]", 3},       {"{\"a\":{\"b\":{}}}", 3}, {"{\"id\":[\"a\",[]]}", 3},
		    {"{\"a\":[{}]}", 3}, {"{\"id\":\"a\"}", 1},     {"{}", 1}};
	const char *text = rows[_i].text;

	for (size_t path = 0; path < PATH_COUNT; path++) {
		const struct rt_scan_ops *ops = path_ops(path);

		for (uint32_t base = 0; ops && base < 8; base++) {
			char *block = padded(text, strlen(text));
			struct rt_nest nest = {.depth = 0};
			struct rt_record record;
			bool fits = base + rows[_i].levels <= 7;
			const char *at;
			struct rt_scan s;

			rt_scan_init(&s, 7);
			scan_show(&s, block, strlen(text), 0, true);
			s.depth_base = base;
			ck_assert_int_eq(ops->value(&s, block, NULL) != NULL, fits);
			ck_assert_int_eq(ops->nested(&s, &nest, block, &at), fits);
			if (*text == '{')
				ck_assert_int_eq(ops->record(&s, block, &record) != NULL, fits);
			ck_assert_uint_eq(s.depth_base, base);
			if (!fits)
				ck_assert_int_eq(s.fault.code, RT_E_LIMIT);
			free(block);
		}
	}
}
END_TEST

/* --- Choice of a path ---------------------------------------------------------------------------
 */

START_TEST(choice)
{
	for (size_t path = 0; path < PATH_COUNT; path++) {
		if (!path_ops(path))
			/* In the words that `make check` counts. */
			printf("0 passed, 0 failed, 1 skipped: this processor has no %s\n",
			       paths[path]);
	}
	fflush(stdout);
	/* The best there is. */
	for (size_t path = 0; path < PATH_COUNT; path++) {
		if (path_ops(path))
			ck_assert_int_eq(rt_scan_ops() == path_ops(path),
					 path + 1 == PATH_COUNT || !path_ops(path + 1));
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("scan");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 120);
	tcase_add_loop_test(cases, cut, 0, (int)JSON_TEXTS);
	tcase_add_loop_test(cases, strings, 0, (int)(sizeof(specials) / sizeof(specials[0])));
	tcase_add_loop_test(cases, backslashes, 0, 6);
	tcase_add_loop_test(cases, random_strings, 0, 8);
	tcase_add_loop_test(cases, type, 0, (int)(sizeof(types) / sizeof(types[0])));
	tcase_add_loop_test(cases, depth, 0, 6);
	tcase_add_test(cases, choice);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
