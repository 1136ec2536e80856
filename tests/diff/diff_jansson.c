/*
 * Differential test: the record scanner against jansson on random documents.
 *
 * Input: seed and number of documents, as arguments. Output: each disagreement on standard error,
 * and a last line "N passed, N failed". Documents are valid by construction, then most are
 * damaged; both readers must agree whether one is JSON, all code paths of the scanner must agree
 * on everything, and the decoded strings of accepted documents must be the same.
 *
 * jansson differs from RFC 8259 in three ways, and nothing else is forgiven: numbers that do not
 * fit int64 or double, and \u0000 in a key, are refused: they are replaced in jansson's copy and
 * it reads again; raw NUL bytes between tokens are skipped: such a text must be refused by us.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json_string.h"
#include "scan/scan.h"

#define TEXT_MAX (1u << 20)
#define DEFAULT_SEED 1u
#define DEFAULT_COUNT 150000u
#define SHOWN_FAILURES 10u
#define DEPTH 1024u

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof((table)[0])))

struct text {
	size_t len;
	char data[TEXT_MAX];
};

struct diff {
	uint64_t random;
	struct rt_limits limits;
	uint64_t passed;
	uint64_t failed;
	uint64_t accepted;
	uint64_t document; /* number of the current one */
	bool tame;         /* nothing that jansson has to read again without */
	struct text text;
	struct text copy; /* what jansson reads */
};

/* --- Random documents ------------------------------------------------------------------------- */

/* The next number of a splitmix64 sequence, brought below count. */
static uint32_t below(struct diff *d, uint32_t count)
{
	uint64_t z = d->random += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	z ^= z >> 31;
	return (uint32_t)(((z >> 32) * count) >> 32);
}

static void add(struct diff *d, const char *bytes, size_t len)
{
	if (len > TEXT_MAX - d->text.len)
		len = TEXT_MAX - d->text.len; /* cut short: then it is an invalid document */
	memcpy(d->text.data + d->text.len, bytes, len);
	d->text.len += len;
}

static void add_string(struct diff *d, const char *string)
{
	add(d, string, strlen(string));
}

/* One of the words of a list that has one blank between them. */
static struct rt_slice pick(struct diff *d, const char *words)
{
	uint32_t count = 1;
	size_t len;

	for (const char *c = words; *c; c++)
		count += *c == ' ';
	for (uint32_t skip = below(d, count); skip > 0; skip--)
		words = strchr(words, ' ') + 1;
	len = strcspn(words, " ");
	return rt_slice_make(words, len);
}

static void add_word(struct diff *d, struct rt_slice word)
{
	add(d, word.ptr, word.len);
}

static void make_blanks(struct diff *d)
{
	static const char blanks[] = " \t\n\r";
	uint32_t count = below(d, 8) ? below(d, 3) : below(d, 200);

	while (count--)
		add(d, &blanks[below(d, 4)], 1);
}

static void make_number(struct diff *d)
{
	static const char odd[] =
	    "0 -0 -0.0 9223372036854775807 -9223372036854775808 1e-400 1E+2 0e0 9.80 "
	    "9223372036854775808 1e400 -1e999 0.1e-7 12e308 1e000 123456789012345678901234567890";

	if (!d->tame && below(d, 3) == 0) {
		add_word(d, pick(d, odd));
		return;
	}
	if (below(d, 3) == 0)
		add_string(d, "-");
	add(d, &"123456789"[below(d, 9)], 1);
	for (uint32_t i = below(d, 16); i > 0; i--)
		add(d, &"0123456789"[below(d, 10)], 1);
	if (below(d, 3) == 0)
		add_string(d, ".5");
	if (below(d, 4) == 0)
		add_string(d, below(d, 2) ? "e+12" : "E-3");
}

/* One piece of a string's inside. */
static void make_piece(struct diff *d)
{
	static const char escapes[] =
	    "\\u0000 \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0041 \\u00e9 \\u20AC \\ud83D\\uDE00 "
	    "\\udbff\\udfff \\ud800\\udc00 \\uFFFF \\u007f \\\\u0000";
	static const char raw[] =
	    "\xC2\x80 \xC3\xA9 \xE0\xA0\x80 \xE2\x82\xAC \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF "
	    "\xF0\x90\x80\x80 \xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF \x7F";
	uint32_t kind = below(d, 10);

	if (kind == 0) {
		add_word(d, pick(d, d->tame ? escapes + sizeof("\\u0000") : escapes));
	} else if (kind == 1) {
		add_word(d, pick(d, raw));
	} else if (kind == 2) {
		for (uint32_t i = below(d, 70); i > 0; i--)
			add_string(d, "\\\\");
	} else {
		for (uint32_t i = below(d, 20); i > 0; i--)
			add(d, &"abcdefgh {}[]:,tnu/'0189"[below(d, 24)], 1);
	}
}

static void make_string(struct diff *d)
{
	uint32_t pieces = below(d, 20) ? below(d, 6) : below(d, 80);

	add_string(d, "\"");
	while (pieces--)
		make_piece(d);
	add_string(d, "\"");
}

static void make_value(struct diff *d, unsigned depth);

static void make_container(struct diff *d, unsigned depth, bool object)
{
	uint32_t count = below(d, 6);

	add_string(d, object ? "{" : "[");
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			add_string(d, ",");
		make_blanks(d);
		if (object) {
			make_string(d);
			make_blanks(d);
			add_string(d, ":");
			make_blanks(d);
		}
		make_value(d, depth + 1);
		make_blanks(d);
	}
	if (count == 0)
		make_blanks(d);
	add_string(d, object ? "}" : "]");
}

static void make_value(struct diff *d, unsigned depth)
{
	static const char *const words[] = {"true", "false", "null"};
	uint32_t kind = below(d, depth < 5 ? 9 : 5);

	if (kind == 0)
		add_string(d, words[below(d, 3)]);
	else if (kind < 3)
		make_number(d);
	else if (kind < 5)
		make_string(d);
	else
		make_container(d, depth, kind < 7);
}

/* A tower of arrays, below the limit of depth even when it is damaged. */
static void make_tower(struct diff *d)
{
	uint32_t depth = below(d, DEPTH - 100);

	for (uint32_t i = 0; i < depth; i++)
		add_string(d, "[");
	for (uint32_t i = 0; i < depth; i++)
		add_string(d, "]");
}

static void make_document(struct diff *d)
{
	d->text.len = 0;
	make_blanks(d);
	if (below(d, 200) == 0) {
		make_tower(d);
	} else if (below(d, 2000) == 0) {
		/* Longer than any window of the reader. */
		d->tame = true;
		add_string(d, "[");
		while (d->text.len < 400000) {
			make_value(d, 6);
			add_string(d, ",");
		}
		add_string(d, "0]");
		d->tame = false;
	} else if (below(d, 4) == 0) {
		make_string(d);
	} else {
		make_value(d, 0);
	}
	make_blanks(d);
}

/* --- Damage ----------------------------------------------------------------------------------- */

/* Put bytes in place of `gone` bytes at `at`. */
static void splice(struct diff *d, size_t at, size_t gone, const char *bytes, size_t len)
{
	size_t after = d->text.len - at - gone;

	if (d->text.len - gone + len > TEXT_MAX)
		return;
	memmove(d->text.data + at + len, d->text.data + at + gone, after);
	memcpy(d->text.data + at, bytes, len);
	d->text.len = d->text.len - gone + len;
}

static void damage_bytes(struct diff *d, size_t at)
{
	static const char bad[] =
	    "\x80 \xC0\xAF \xC1\xBF \xE0\x9F\xBF \xED\xA0\x80 \xED\xBF\xBF \xF0\x8F\xBF\xBF "
	    "\xF4\x90\x80\x80 \xF5 \xFF \xE2\x82 \xF0\x9F\x98 \xC3 \xEF\xBB\xBF \x01 \x1F \n \t "
	    "\v \xC2\xA0";
	struct rt_slice word = pick(d, bad);

	splice(d, at, 0, word.ptr, word.len);
}

static void damage_tokens(struct diff *d, size_t at)
{
	static const char bad[] =
	    "\\ud800 \\udc00 \\ud800\\u0041 \\u12 \\x41 \\ \" \\u00g0 01 1. .5 +1 - 1e 1e+ 0x1F "
	    "NaN Infinity tru nul True , ,, { } [ ] : // /**/ 'a' \\ud83d\\ud83d \\ud83d\\ue000 "
	    "\\udbff\\udbff \\ud800\\ud7ff \\udfff 1e400 99999999999999999999 -0 null \"a\":1";
	struct rt_slice word = pick(d, bad);

	splice(d, at, 0, word.ptr, word.len);
}

static void damage_once(struct diff *d)
{
	size_t at = below(d, (uint32_t)d->text.len + 1);
	size_t left = d->text.len - at;
	size_t gone = left ? 1 + below(d, left < 20 ? (uint32_t)left : 20) : 0;
	char bytes[] = {'\\', (char)below(d, 256)};

	switch (below(d, 9)) {
	case 0:
		d->text.len = at;
		break;
	case 1:
		splice(d, at, gone, "", 0);
		break;
	case 2:
		splice(d, at, left ? 1 : 0, "", 0);
		break;
	case 3:
		splice(d, at, left ? 1 : 0, bytes + 1, 1);
		break;
	case 4:
		if (left)
			d->text.data[at] = (char)(d->text.data[at] ^ (1 << below(d, 8)));
		break;
	case 5:
		splice(d, at, 0, d->text.data + at, gone);
		break;
	case 6:
		splice(d, at, 0, bytes, sizeof(bytes)); /* an escape, mostly a wrong one */
		break;
	case 7:
		damage_bytes(d, at);
		break;
	default:
		damage_tokens(d, at);
		break;
	}
}

/* --- jansson ---------------------------------------------------------------------------------- */

/* Where the number that ends at `end` starts: at a minus, unless that is its exponent's. */
static size_t number_start(const struct text *copy, size_t end)
{
	size_t start = end;

	while (start > 0 && memchr("0123456789+-.eE", copy->data[start - 1], 15)) {
		start--;
		if (copy->data[start] == '-' &&
		    (start == 0 || (copy->data[start - 1] | 0x20) != 'e'))
			break;
	}
	return start;
}

/*
 * Replace the number that ends at `end` in jansson's copy by 0 between blanks, so that it grows
 * together with nothing beside it. Numbers that are too big have at least five bytes.
 */
static bool replace_number(struct text *copy, size_t end)
{
	size_t start = number_start(copy, end);

	if (end - start < 3)
		return false;
	memset(copy->data + start, ' ', end - start);
	copy->data[start + 1] = '0';
	return true;
}

/* Make the last \u0000 before `end` in jansson's copy a \u0001. */
static bool replace_nul(struct text *copy, size_t end)
{
	for (size_t at = end < 6 ? 0 : end - 6 + 1; at-- > 0;) {
		if (memcmp(copy->data + at, "\\u0000", 6) == 0) {
			copy->data[at + 5] = '1';
			return true;
		}
	}
	return false;
}

/*
 * Read the document with jansson; the tree, or NULL when it is not JSON.
 * ret_replaced: whether something had to be replaced, so that contents are not comparable.
 */
static json_t *read_jansson(struct diff *d, size_t flags, bool *ret_replaced)
{
	struct text *copy = &d->copy;
	json_error_t error;
	json_t *tree;
	bool again;

	copy->len = d->text.len;
	memcpy(copy->data, d->text.data, copy->len);
	*ret_replaced = false;
	do {
		size_t at;

		tree = json_loadb(copy->data, copy->len, flags, &error);
		if (tree)
			return tree;
		at = error.position < 0 ? 0 : (size_t)error.position;
		again = false;
		if (json_error_code(&error) == json_error_numeric_overflow)
			again = replace_number(copy, at);
		else if (json_error_code(&error) == json_error_null_byte_in_key)
			again = replace_nul(copy, at);
		*ret_replaced |= again;
	} while (again);
	return NULL;
}

/* --- Comparison ------------------------------------------------------------------------------- */

static void complain(struct diff *d, const char *what)
{
	if (d->failed++ >= SHOWN_FAILURES)
		return;
	fprintf(stderr, "document %" PRIu64 ": %s\n  ", d->document, what);
	for (size_t i = 0; i < d->text.len && i < 400; i++) {
		unsigned char byte = (unsigned char)d->text.data[i];

		if (byte >= 0x20 && byte < 0x7F && byte != '\\')
			putc(byte, stderr);
		else
			fprintf(stderr, "\\x%02x", byte);
	}
	fputs(d->text.len > 400 ? " ...\n" : "\n", stderr);
}

static bool same_error(const struct rt_error *a, const struct rt_error *b)
{
	return a->code == b->code && a->line == b->line && a->column == b->column &&
	       a->offset == b->offset && strcmp(a->message, b->message) == 0;
}

/* Whether an error says what it has to: a code, a place inside the text, and words. */
static bool whole_error(const struct rt_error *err, size_t len)
{
	return err->code == RT_E_INPUT && err->line > 0 && err->column > 0 && err->offset <= len &&
	       err->message[0] != '\0';
}

/*
 * Check the document on all code paths, each time in a buffer of exactly its size at another
 * alignment. Returns RT_OK or RT_REJECT; RT_FATAL after a complaint.
 */
static enum rt_status check_scanner(struct diff *d)
{
	static const char *const paths[] = {"portable", ""};
	enum rt_status first = RT_FATAL;
	struct rt_error first_err;

	for (uint32_t i = 0; i < COUNT(paths); i++) {
		size_t shift = below(d, 64);
		char *buffer = malloc(d->text.len + shift + 1);
		struct rt_error err = {0};
		enum rt_status status = RT_FATAL;

		if (buffer) {
			char *text = buffer + 1 + shift;

			memcpy(text, d->text.data, d->text.len);
			(void)setenv("RETRIAGE_SIMD", paths[i], 1);
			status = rt_json_check(text, d->text.len, &d->limits, &err);
		}
		free(buffer);
		if (status == RT_FATAL ||
		    (status == RT_REJECT && !whole_error(&err, d->text.len))) {
			complain(d, "an error without code, place or words");
			return RT_FATAL;
		}
		if (i > 0 &&
		    (status != first || (status == RT_REJECT && !same_error(&err, &first_err)))) {
			complain(d, "the code paths of the scanner differ");
			return RT_FATAL;
		}
		first = status;
		first_err = err;
	}
	return first;
}

/* The next string of a text that is known to be JSON, decoded; false when there is none. */
static bool next_string(struct rt_slice *rest, char *out, size_t *ret_len)
{
	const char *start = memchr(rest->ptr, '"', rest->len);
	const char *limit = rest->ptr + rest->len;
	const char *at;

	if (!start)
		return false;
	for (at = start + 1; *at != '"'; at++)
		at += *at == '\\';
	*ret_len = rt_json_string_decode(rt_slice_make(start + 1, (size_t)(at - start - 1)), out);
	*rest = rt_slice_make(at + 1, (size_t)(limit - at - 1));
	return true;
}

static bool is_next(struct diff *d, struct rt_slice *rest, const char *want, size_t want_len)
{
	size_t len;

	return next_string(rest, d->copy.data, &len) && len == want_len &&
	       memcmp(d->copy.data, want, len) == 0;
}

/* Walk jansson's tree and the strings of the text side by side. */
static bool same_strings(struct diff *d, json_t *tree, struct rt_slice *rest)
{
	const char *key;
	json_t *value;
	size_t index;

	if (json_is_string(tree))
		return is_next(d, rest, json_string_value(tree), json_string_length(tree));
	json_array_foreach(tree, index, value)
	{
		if (!same_strings(d, value, rest))
			return false;
	}
	json_object_foreach(tree, key, value)
	{
		if (!is_next(d, rest, key, strlen(key)) || !same_strings(d, value, rest))
			return false;
	}
	return true;
}

static void compare_contents(struct diff *d)
{
	struct rt_slice rest = rt_slice_make(d->text.data, d->text.len);
	bool replaced;
	json_t *tree =
	    read_jansson(d, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &replaced);
	size_t len;

	if (tree && !replaced &&
	    (!same_strings(d, tree, &rest) || next_string(&rest, d->copy.data, &len)))
		complain(d, "a decoded string differs");
	json_decref(tree);
}

static void compare(struct diff *d)
{
	uint64_t failed = d->failed;
	enum rt_status status = check_scanner(d);
	bool replaced;
	json_t *tree;

	if (status == RT_FATAL)
		return;
	if (memchr(d->text.data, '\0', d->text.len)) {
		if (status == RT_OK)
			complain(d, "a raw NUL was accepted");
	} else {
		tree = read_jansson(d, JSON_DECODE_ANY | JSON_ALLOW_NUL, &replaced);
		if ((tree != NULL) != (status == RT_OK))
			complain(d, tree ? "jansson accepts, we refuse"
					 : "jansson refuses, we accept");
		else if (tree)
			compare_contents(d);
		json_decref(tree);
	}
	d->accepted += status == RT_OK;
	d->passed += d->failed == failed;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : DEFAULT_SEED;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : DEFAULT_COUNT;
	struct diff *d = calloc(1, sizeof(*d));

	if (!d)
		return EXIT_FAILURE;
	rt_limits_init(&d->limits);
	d->limits.depth = DEPTH;
	for (d->document = 0; d->document < count; d->document++) {
		d->random = seed * UINT64_C(0xD1342543DE82EF95) + d->document;
		make_document(d);
		for (uint32_t i = below(d, 3); i > 0; i--)
			damage_once(d);
		compare(d);
	}
	printf("seed %" PRIu64 ": %" PRIu64 " documents, %" PRIu64 " accepted\n", seed, count,
	       d->accepted);
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", d->passed, d->failed);
	count = d->failed;
	free(d);
	return count ? EXIT_FAILURE : EXIT_SUCCESS;
}
