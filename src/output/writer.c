/*
 * Writes documents, event by event, to a sink: JSON (RFC 8259), or YAML in block style, whose
 * strings are those of records (formats/yaml_write.h). It keeps the first error and writes nothing
 * after it.
 */
#include "output/writer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_string.h"
#include "base/utf8.h"
#include "formats/yaml_write.h"
#include "output/emit.h"

/* One output format. None of these is called once the writer has failed. */
struct rt_writer_ops {
	void (*begin)(struct rt_writer *w, bool object);
	void (*end)(struct rt_writer *w, bool object);
	void (*key)(struct rt_writer *w, struct rt_slice name);
	void (*string)(struct rt_writer *w, struct rt_slice text);
	void (*number)(struct rt_writer *w, struct rt_slice text);
	void (*word)(struct rt_writer *w, struct rt_slice text); /* true, false or null; in
								  * JSON any text as it is */
};

struct rt_writer {
	const struct rt_writer_ops *ops;
	struct rt_emit out;    /* which keeps the first error of all */
	struct rt_buf decoded; /* the string rt_writer_value() is at, without its escapes */
	struct rt_buf levels;  /* YAML: of struct level, those that are open */
	struct rt_buf text;    /* YAML: a string as it is written */
	unsigned depth;        /* containers that are open */
	bool pretty;           /* JSON: a line for each element */
	bool comma;            /* JSON: an element is before this one */
	bool after_key;        /* the next value is a member's */
};

static bool failed(const struct rt_writer *w)
{
	return w->out.status != RT_OK;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void put_line(struct rt_writer *w, size_t column)
{
	static const char blanks[] = "                                ";

	rt_emit_char(&w->out, '\n');
	for (size_t len; column; column -= len) {
		len = column < sizeof(blanks) - 1 ? column : sizeof(blanks) - 1;
		rt_emit_bytes(&w->out, blanks, len);
	}
}

/* What is before an element or a member: a comma and, when pretty, a line of its own. */
static void json_element(struct rt_writer *w)
{
	if (w->after_key) {
		w->after_key = false;
		return;
	}
	if (w->comma)
		rt_emit_bytes(&w->out, ",", 1);
	if (w->pretty && w->depth > 0)
		put_line(w, (size_t)w->depth * 2);
}

/* A whole value that is already text. */
static void json_text(struct rt_writer *w, struct rt_slice text)
{
	json_element(w);
	rt_emit_bytes(&w->out, text.ptr, text.len);
	w->comma = true;
}

static void json_begin(struct rt_writer *w, bool object)
{
	json_element(w);
	rt_emit_bytes(&w->out, object ? "{" : "[", 1);
	w->depth++;
	w->comma = false;
}

static void json_end(struct rt_writer *w, bool object)
{
	w->depth--;
	/* Without a comma due the container is empty and stays on its line. */
	if (w->pretty && w->comma)
		put_line(w, (size_t)w->depth * 2);
	rt_emit_bytes(&w->out, object ? "}" : "]", 1);
	w->comma = true;
}

static void json_quoted(struct rt_writer *w, struct rt_slice text)
{
	size_t at = 0;

	rt_emit_bytes(&w->out, "\"", 1);
	for (;;) {
		size_t run = rt_json_string_plain(text.ptr + at, text.len - at);
		char escape[8];
		size_t used;

		rt_emit_bytes(&w->out, text.ptr + at, run);
		at += run;
		if (at == text.len)
			break;
		rt_emit_bytes(
		    &w->out, escape,
		    rt_json_string_escape(rt_json_string_point(text.ptr + at, &used), escape));
		at += used;
	}
	rt_emit_bytes(&w->out, "\"", 1);
}

/*
 * The usual member name of compact text, with what is around it, in one step: it is what an
 * answer has most of. Returns false where it has to be done piece by piece.
 */
static bool json_key_at_once(struct rt_writer *w, struct rt_slice name)
{
	char *to;

	if (w->pretty || rt_json_string_plain(name.ptr, name.len) < name.len)
		return false;
	to = rt_emit_room(&w->out, name.len + 4);
	if (!to)
		return true;
	w->after_key = true;
	rt_emit_added(&w->out, name.len + 3 + w->comma);
	if (w->comma)
		*to++ = ',';
	*to++ = '"';
	memcpy(to, name.ptr, name.len);
	to += name.len;
	*to++ = '"';
	*to = ':';
	return true;
}

static void json_key(struct rt_writer *w, struct rt_slice name)
{
	if (json_key_at_once(w, name))
		return;
	json_element(w);
	json_quoted(w, name);
	rt_emit_bytes(&w->out, ": ", w->pretty ? 2 : 1);
	w->after_key = true;
}

static void json_string(struct rt_writer *w, struct rt_slice text)
{
	json_element(w);
	json_quoted(w, text);
	w->comma = true;
}

static const struct rt_writer_ops writer_json = {
    .begin = json_begin,
    .end = json_end,
    .key = json_key,
    .string = json_string,
    .number = json_text,
    .word = json_text,
};

/* --- YAML, in block style ----------------------------------------------------------------------
 */

/* Bytes of a key; a longer one stands behind a question mark: a simple key has 1024 at most. */
#define YAML_KEY_MAX 128u

/* A container that is open. */
struct level {
	size_t column; /* where its items begin */
	bool inlined;  /* the first of them stands on the line that is begun */
	bool any;
};

/* The innermost one, of which there is one. */
static struct level *level_of(const struct rt_writer *w)
{
	return (struct level *)(void *)w->levels.data + w->depth - 1;
}

/* Go to where the next item of the container begins. */
static void yaml_item(struct rt_writer *w)
{
	struct level *level = level_of(w);

	if (level->any || !level->inlined)
		put_line(w, level->column);
	level->any = true;
}

/* What is before a value. */
static void yaml_element(struct rt_writer *w, bool scalar)
{
	if (w->after_key) {
		rt_emit_text(&w->out, scalar ? " " : "");
	} else if (w->depth) {
		yaml_item(w);
		rt_emit_text(&w->out, "- ");
	}
	w->after_key = false;
}

static void yaml_begin(struct rt_writer *w, bool object)
{
	struct level level = {.inlined = !w->after_key};

	/* The items of a list in an object stand below its key. */
	if (w->depth)
		level.column = level_of(w)->column + (w->after_key && !object ? 0 : 2);
	yaml_element(w, false);
	if (!failed(w))
		w->out.status = rt_buf_append(&w->levels, &level, sizeof(level), &w->out.err);
	w->depth++;
}

static void yaml_end(struct rt_writer *w, bool object)
{
	const struct level *level = level_of(w);

	if (!level->any) {
		rt_emit_text(&w->out, level->inlined ? "" : " ");
		rt_emit_text(&w->out, object ? "{}" : "[]");
	}
	w->depth--;
	w->levels.len -= sizeof(*level);
}

static void yaml_text(struct rt_writer *w, struct rt_slice text, size_t column)
{
	w->text.len = 0;
	if (!failed(w))
		w->out.status = rt_yaml_string(text, column, &w->text, &w->out.err);
	rt_emit_slice(&w->out, rt_buf_slice(&w->text));
}

static void yaml_key(struct rt_writer *w, struct rt_slice name)
{
	yaml_item(w);
	if (name.len > YAML_KEY_MAX)
		rt_emit_text(&w->out, "? ");
	yaml_text(w, name, 0);
	if (name.len > YAML_KEY_MAX)
		put_line(w, level_of(w)->column);
	rt_emit_char(&w->out, ':');
	w->after_key = true;
}

/* Whether a line begins, after blanks, like a command of a CI system (REPORTS R39). */
static bool has_command(struct rt_slice text)
{
	const char *at = text.ptr, *end = rt_slice_end(text);

	while ((at = memmem(at, (size_t)(end - at), "::", 2))) {
		const char *from = at;

		while (from > text.ptr && (from[-1] == ' ' || from[-1] == '\t'))
			from--;
		if (from == text.ptr || from[-1] == '\n')
			return true;
		at++;
	}
	return false;
}

static void yaml_string(struct rt_writer *w, struct rt_slice text)
{
	yaml_element(w, true);
	yaml_text(w, text, has_command(text) || !w->depth ? 0 : level_of(w)->column + 2);
}

/* Whether a plain scalar with this JSON number's text is a number for readers of YAML 1.1, where a
 * float has a point, and a sign in its exponent. */
static bool is_number_for_all(struct rt_slice text)
{
	const char *exponent = memchr(text.ptr, 'e', text.len);

	if (!exponent)
		exponent = memchr(text.ptr, 'E', text.len);
	return !exponent ||
	       (memchr(text.ptr, '.', text.len) && (exponent[1] == '+' || exponent[1] == '-'));
}

static void yaml_number(struct rt_writer *w, struct rt_slice text)
{
	yaml_element(w, true);
	rt_emit_text(&w->out, is_number_for_all(text) ? "" : "!!float ");
	rt_emit_slice(&w->out, text);
}

static void yaml_word(struct rt_writer *w, struct rt_slice text)
{
	yaml_element(w, true);
	rt_emit_slice(&w->out, text);
}

static const struct rt_writer_ops writer_yaml = {
    .begin = yaml_begin,
    .end = yaml_end,
    .key = yaml_key,
    .string = yaml_string,
    .number = yaml_number,
    .word = yaml_word,
};

/* --- Events ----------------------------------------------------------------------------------- */

enum rt_status rt_style_check(struct rt_style style, enum rt_format most, struct rt_error *err)
{
	if (style.format <= most)
		return RT_OK;
	return rt_error_set(err, RT_E_USAGE, "want an answer in JSON or YAML, have a table");
}

enum rt_status rt_writer_open(struct rt_style style, const struct rt_sink *sink,
			      struct rt_writer **ret_writer, struct rt_error *err)
{
	struct rt_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return rt_error_nomem(err);
	rt_emit_init(&w->out, sink);
	w->ops = style.format == RT_FORMAT_YAML ? &writer_yaml : &writer_json;
	w->pretty = style.pretty;
	*ret_writer = w;
	return RT_OK;
}

void rt_writer_key(struct rt_writer *w, struct rt_slice name)
{
	if (!failed(w))
		w->ops->key(w, name);
}

void rt_writer_string(struct rt_writer *w, struct rt_slice text)
{
	/* An empty slice may have no bytes to point at. */
	if (!failed(w))
		w->ops->string(w, text.len ? text : RT_SLICE(""));
}

/* true, false or null. */
static void writer_word(struct rt_writer *w, struct rt_slice text)
{
	if (!failed(w))
		w->ops->word(w, text);
}

/* The bytes between the quotes of the string that starts at json.ptr[at]. */
static struct rt_slice string_at(struct rt_slice json, size_t at)
{
	const char *from = json.ptr + at + 1;
	const char *end = rt_slice_end(json);
	const char *p = memchr(from, '"', (size_t)(end - from));

	/* A quote with an odd run of backslashes before it is a character of the string. */
	for (;;) {
		const char *run = p;

		assert(p);
		while (run > from && run[-1] == '\\')
			run--;
		if ((p - run) % 2 == 0)
			break;
		p = memchr(p + 1, '"', (size_t)(end - p - 1));
	}
	return rt_slice_make(from, (size_t)(p - from));
}

/* text without its escapes: text itself, or bytes in w->decoded until the next call. */
static struct rt_slice string_decode(struct rt_writer *w, struct rt_slice text)
{
	struct rt_error err;

	if (rt_json_string_text(text, &w->decoded, &text, &err) == RT_OK)
		return text;
	rt_emit_fail(&w->out, RT_FATAL, &err);
	return RT_SLICE("");
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A string of a value: a member's name when a colon follows. Returns where to go on. */
static size_t value_string(struct rt_writer *w, struct rt_slice json, size_t at)
{
	struct rt_slice raw = string_at(json, at);
	size_t next = at + raw.len + 2;

	while (next < json.len && is_blank(json.ptr[next]))
		next++;
	if (next < json.len && json.ptr[next] == ':') {
		rt_writer_key(w, string_decode(w, raw));
		return next + 1;
	}
	if (w->ops == &writer_json && rt_json_string_is_own(raw))
		writer_word(w, rt_slice_make(raw.ptr - 1, raw.len + 2));
	else
		rt_writer_string(w, string_decode(w, raw));
	return next;
}

/* A number or a word of a value. Returns where to go on. */
static size_t value_bare(struct rt_writer *w, struct rt_slice json, size_t at)
{
	size_t end = at;
	struct rt_slice text;

	while (end < json.len && !is_blank(json.ptr[end]) && json.ptr[end] != ',' &&
	       json.ptr[end] != ']' && json.ptr[end] != '}')
		end++;
	text = rt_slice_make(json.ptr + at, end - at);
	/* A word begins with a letter, and letters come after the digits; '-' comes before them. */
	if (text.ptr[0] <= '9' && !failed(w))
		w->ops->number(w, text);
	else
		writer_word(w, text);
	return end;
}

/*
 * The text is checked, so that brackets match: no stack is needed, and no depth is too deep.
 */
void rt_writer_value(struct rt_writer *w, struct rt_slice json)
{
	size_t at = 0;

	while (at < json.len && !failed(w)) {
		char c = json.ptr[at];

		if (c == '"') {
			at = value_string(w, json, at);
			continue;
		}
		if (c != '{' && c != '}' && c != '[' && c != ']' && c != ',' && !is_blank(c)) {
			at = value_bare(w, json, at);
			continue;
		}
		if (c == '{' || c == '[')
			w->ops->begin(w, c == '{');
		else if (c == '}' || c == ']')
			w->ops->end(w, c == '}');
		at++;
	}
}

/* A string of bytes of which those that are no UTF-8 become U+FFFD. */
static void write_mended(struct rt_writer *w, struct rt_slice text)
{
	struct rt_buf mended = {0};
	struct rt_error err;
	enum rt_status status = rt_utf8_mend(text, &mended, &err);

	rt_emit_fail(&w->out, status, &err);
	if (mended.len)
		rt_writer_string(w, rt_buf_slice(&mended));
	else
		writer_word(w, RT_SLICE("null"));
	rt_buf_release(&mended);
}

static void write_number(struct rt_writer *w, uint64_t value)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%" PRIu64, value);

	w->ops->number(w, rt_slice_make(text, (size_t)len));
}

static void write_digest(struct rt_writer *w, struct rt_slice digest)
{
	char hex[RT_SHA256_HEX];

	rt_sha256_hex((const uint8_t *)digest.ptr, hex);
	rt_writer_string(w, rt_slice_make(hex, sizeof(hex)));
}

static void write_slot(struct rt_writer *w, char form, const struct rt_slot *slot)
{
	uint64_t number = (uint64_t)slot->number;

	assert(slot->kind != RT_SLOT_END &&
	       (slot->kind == RT_SLOT_NUMBER) == (strchr("uzb", form) != NULL));
	if (form == 'b')
		writer_word(w, number ? RT_SLICE("true") : RT_SLICE("false"));
	else if (slot->kind == RT_SLOT_NUMBER && (number || form == 'u'))
		write_number(w, number);
	else if (form == 'e')
		write_mended(w, slot->text);
	else if (!slot->text.ptr || slot->kind == RT_SLOT_NUMBER)
		writer_word(w, RT_SLICE("null"));
	else if (form == 'v')
		rt_writer_value(w, slot->text);
	else if (form == 'h')
		write_digest(w, slot->text);
	else if (form == 'k')
		rt_writer_key(w, slot->text);
	else
		rt_writer_string(w, slot->text);
}

void rt_writer_fill(struct rt_writer *w, const struct rt_slot *slots)
{
	const char *form = slots++->text.ptr;

	while (*form && !failed(w)) {
		size_t len = strcspn(form, ":,}]");

		if (*form == '%') {
			write_slot(w, form[1], slots++);
			len = 2;
		} else if (*form == '{' || *form == '[') {
			w->ops->begin(w, *form == '{');
			len = 1;
		} else if (*form == '}' || *form == ']') {
			w->ops->end(w, *form == '}');
			len = 1;
		} else if (*form == ' ' || *form == ',' || *form == ':') {
			len = 1;
		} else if (form[len] == ':') {
			rt_writer_key(w, rt_slice_make(form, len++));
		} else {
			assert(strncmp(form, "null", len) == 0);
			writer_word(w, RT_SLICE("null"));
		}
		form += len;
	}
	assert(failed(w) || slots->kind == RT_SLOT_END);
}

enum rt_status rt_writer_finish(struct rt_writer *w, struct rt_error *err)
{
	rt_emit_char(&w->out, '\n');
	w->comma = false;
	return rt_emit_finish(&w->out, err);
}

void rt_writer_free(struct rt_writer *w)
{
	if (!w)
		return;
	rt_buf_release(&w->decoded);
	rt_buf_release(&w->text);
	rt_buf_release(&w->levels);
	rt_emit_release(&w->out);
	free(w);
}
