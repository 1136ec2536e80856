/*
 * Records as YAML: in block style, a member a line, or in braces on one line. A string is plain
 * where nobody could take it for something else, a literal block where it has lines, else in double
 * quotes, as in JSON but for three characters.
 */
#include "formats/yaml_write.h"

#include <strings.h>

#include "base/buf.h"
#include "base/json_string.h"
#include "base/marks.h"
#include "scan/items.h"

/* What has more blanks before it is written in braces: else deep nesting is mostly blanks. */
#define COLUMN_MAX 16u

/* Bytes of a literal block with its blanks; what would have more is quoted. A token must be no
 * longer than a record. */
#define LITERAL_MAX ((size_t)32 * 1024)

/* Bytes of a key in JSON; a longer one may be no simple key, which has 1024 at most. */
#define KEY_MAX 128

struct writer {
	struct rt_put put;
	const char *end; /* of the record in JSON */
	struct rt_slice eol;
	struct rt_buf decoded, quoted; /* the string that is being written */
};

static void put_line(struct writer *w, size_t column)
{
	static const char blanks[] = "                                ";

	rt_put(&w->put, w->eol);
	for (size_t len; column; column -= len) {
		len = column < sizeof(blanks) - 1 ? column : sizeof(blanks) - 1;
		rt_put(&w->put, rt_slice_make(blanks, len));
	}
}

/* --- Strings ------------------------------------------------------------------------------ */

/* The first character that YAML forbids and we write in JSON: U+FFFE or U+FFFF; or the end. */
static size_t find_odd(struct rt_slice text, size_t at)
{
	const char *found;

	while (at < text.len && (found = memchr(text.ptr + at, 0xEF, text.len - at))) {
		at = (size_t)(found - text.ptr);
		if (memcmp(found, "\xEF\xBF\xBE", 3) == 0 || memcmp(found, "\xEF\xBF\xBF", 3) == 0)
			return at;
		at += 3;
	}
	return text.len;
}

static void put_quoted(struct writer *w, struct rt_slice text)
{
	struct rt_put quoted = {&w->quoted, w->put.err, w->put.status};

	w->quoted.len = 0;
	rt_put_string(&quoted, text);
	w->put.status = quoted.status;
	text = rt_buf_slice(&w->quoted);
	for (size_t at = 0, odd; w->put.status == RT_OK && at < text.len; at = odd + 3) {
		odd = find_odd(text, at);
		rt_put(&w->put, rt_slice_make(text.ptr + at, odd - at));
		if (odd < text.len)
			rt_put(&w->put, text.ptr[odd + 2] == '\xBE' ? RT_SLICE("\\ufffe")
								    : RT_SLICE("\\uffff"));
	}
}

/* Words that some reader takes for something else, in any case. */
static bool is_word(struct rt_slice text)
{
	static const char *const words[] = {"y",   "n",    "yes",   "no",  "on",
					    "off", "true", "false", "null"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (text.len == strlen(words[i]) && !strncasecmp(text.ptr, words[i], text.len))
			return true;
	}
	return false;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether a text is the same string for all readers when it stands plain, also in braces. */
static bool is_plain(struct rt_slice text)
{
	if (text.len == 0 || !is_letter(text.ptr[0]) || text.ptr[text.len - 1] == ' ')
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!is_letter(c) && !(c >= '0' && c <= '9') && (!c || !strchr(" _-./+()", c)))
			return false;
	}
	return !is_word(text);
}

/* Whether a text can be a literal block, whose end is where its text ends. */
static bool is_literal(struct rt_slice text)
{
	size_t at = 0, len = text.len;

	if (len < 2 || !memchr(text.ptr, '\n', len) || rt_is_blank(text.ptr[0]))
		return false;
	len -= text.ptr[len - 1] == '\n';
	if (rt_is_blank(text.ptr[len - 1]) || find_odd(text, 0) < text.len)
		return false;
	while ((at += rt_json_string_plain(text.ptr + at, text.len - at)) < text.len) {
		char c = text.ptr[at++];

		if (!c || !strchr("\"\\\t\n", c))
			return false;
	}
	return true;
}

static void put_literal(struct writer *w, struct rt_slice text, size_t column)
{
	bool ended = text.ptr[text.len - 1] == '\n';

	rt_put(&w->put, ended ? RT_SLICE("|") : RT_SLICE("|-"));
	text.len -= ended;
	for (size_t at = 0, len; at <= text.len; at += len + 1) {
		const char *feed = memchr(text.ptr + at, '\n', text.len - at);

		len = feed ? (size_t)(feed - text.ptr) - at : text.len - at;
		put_line(w, len ? column : 0);
		rt_put(&w->put, rt_slice_make(text.ptr + at, len));
	}
}

/* What a string of JSON says. */
static struct rt_slice decode(struct writer *w, struct rt_slice inner)
{
	struct rt_slice text = RT_SLICE("");

	if (w->put.status == RT_OK)
		w->put.status = rt_json_string_text(inner, &w->decoded, &text, w->put.err);
	return text;
}

/* Whether only brackets follow in the record. */
static bool is_last(const struct writer *w, const char *at)
{
	while (at < w->end && (*at == '}' || *at == ']' || rt_is_blank(*at)))
		at++;
	return at == w->end;
}

/* Whether a literal block of a text, whose lines begin at a column, is short. */
static bool is_short(const struct writer *w, struct rt_slice text, size_t column)
{
	size_t len = text.len;

	for (size_t i = 0; i < text.len && len <= LITERAL_MAX; i++)
		len += text.ptr[i] == '\n' ? column + w->eol.len : 0;
	return len <= LITERAL_MAX;
}

/* column: of the lines of a literal block; 0: it is to be on one line. */
static void put_text(struct writer *w, struct rt_slice text, size_t column)
{
	if (is_plain(text))
		rt_put(&w->put, text);
	else if (column && is_short(w, text, column) && is_literal(text))
		put_literal(w, text, column);
	else
		put_quoted(w, text);
}

/* inner: between its quotes. column: as above. */
static void put_string(struct writer *w, struct rt_slice inner, size_t column)
{
	put_text(w, decode(w, inner), is_last(w, rt_slice_end(inner) + 1) ? 0 : column);
}

enum rt_status rt_yaml_string(struct rt_slice text, size_t column, struct rt_buf *out,
			      struct rt_error *err)
{
	struct writer w = {.put = {out, err, RT_OK}, .eol = RT_SLICE("\n")};

	put_text(&w, text, column);
	rt_buf_release(&w.quoted);
	return w.put.status;
}

/* --- Values ------------------------------------------------------------------------------- */

/* A value on one line, in brackets if it has some. */
static void put_flow(struct writer *w, struct rt_slice json)
{
	const char *at = json.ptr, *end = rt_slice_end(json), *from;
	bool loose;

	while (w->put.status == RT_OK && at < end) {
		from = at++;
		if (*from == '"') {
			struct rt_slice inner;

			at = rt_items_string(from + 1, end, &loose);
			inner = rt_slice_make(from + 1, (size_t)(at - from - 1));
			at += at < end;
			from = rt_items_blanks(at, end);
			if (inner.len > KEY_MAX && from < end && *from == ':')
				RT_PUT(&w->put, "? ");
			put_string(w, inner, 0);
		} else if (*from == ',' || *from == ':') {
			rt_put(&w->put, rt_slice_make(from, 1));
			RT_PUT(&w->put, " ");
		} else if (!rt_is_blank(*from)) {
			rt_put(&w->put, rt_slice_make(from, 1));
		}
	}
}

/* Whether a value is written as lines that begin at a column. */
static bool is_block(struct rt_slice json, size_t column)
{
	const char *first = rt_items_blanks(json.ptr + 1, rt_slice_end(json));

	return (*json.ptr == '{' || *json.ptr == '[') && column <= COLUMN_MAX &&
	       first < rt_slice_end(json) && *first != '}' && *first != ']';
}

static void put_items(struct writer *w, struct rt_slice list, size_t column);

/* A value behind what stands before it; at the column, where it has lines. */
static void put_value(struct writer *w, struct rt_slice json, size_t column)
{
	if (is_block(json, column))
		put_items(w, json, column);
	else if (*json.ptr == '"')
		put_string(w, rt_slice_make(json.ptr + 1, json.len - 2), column);
	else
		put_flow(w, json);
}

static void put_member(struct writer *w, const struct rt_item *item, size_t column)
{
	bool is_long = item->key.len > KEY_MAX;
	size_t inner = column + (*item->value.ptr == '[' ? 0 : 2);

	if (is_long)
		RT_PUT(&w->put, "? ");
	put_string(w, item->key, 0);
	if (is_long)
		put_line(w, column);
	RT_PUT(&w->put, ":");
	if (is_block(item->value, inner))
		put_line(w, inner);
	else
		RT_PUT(&w->put, " ");
	put_value(w, item->value, inner);
}

/* The items of a list, the first one where the text is. */
static void put_items(struct writer *w, struct rt_slice list, size_t column)
{
	struct rt_items items;
	struct rt_item item;
	bool first = true;

	rt_items_init(&items, list);
	while (w->put.status == RT_OK && rt_items_next(&items, &item)) {
		if (!first)
			put_line(w, column);
		first = false;
		if (item.key.ptr) {
			put_member(w, &item, column);
		} else {
			RT_PUT(&w->put, "- ");
			put_value(w, item.value, column + 2);
		}
	}
}

enum rt_status rt_yaml_write(struct rt_slice json, uint64_t style, struct rt_buf *out,
			     struct rt_error *err)
{
	uint64_t indent = style >> RT_STYLE_INDENT;
	struct writer w = {.put = {out, err, RT_OK},
			   .end = rt_slice_end(json),
			   .eol = style & RT_STYLE_CRLF ? RT_SLICE("\r\n") : RT_SLICE("\n")};

	if (style & RT_STYLE_BRACES || indent > COLUMN_MAX)
		put_flow(&w, json);
	else
		put_value(&w, json, (size_t)indent);
	rt_buf_release(&w.decoded);
	rt_buf_release(&w.quoted);
	return w.put.status;
}
