/*
 * Writes documents, event by event, to a sink: JSON (RFC 8259), or YAML in block style, with a
 * scalar's style chosen so that readers of YAML 1.1 and of the 1.2 core schema find the same value
 * and a terminal shows no control. It keeps the first error and writes nothing after it.
 */
#include "output/writer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <yaml.h>

#include "base/json_string.h"
#include "base/utf8.h"
#include "output/emit.h"

/* One output format. None of these is called once the writer has failed, except release. */
struct rt_writer_ops {
	void (*start)(struct rt_writer *w);
	void (*begin)(struct rt_writer *w, bool object);
	void (*end)(struct rt_writer *w, bool object);
	void (*key)(struct rt_writer *w, struct rt_slice name);
	void (*string)(struct rt_writer *w, struct rt_slice text);
	void (*number)(struct rt_writer *w, struct rt_slice text);
	void (*word)(struct rt_writer *w, struct rt_slice text); /* true, false or null; in
								  * JSON any text as it is */
	void (*finish)(struct rt_writer *w);
	void (*release)(struct rt_writer *w);
};

struct rt_writer {
	const struct rt_writer_ops *ops;
	struct rt_emit out;      /* which keeps the first error of all */
	struct rt_buf decoded;   /* the string rt_writer_value() is at, without its escapes */
	yaml_emitter_t *emitter; /* YAML only */
	unsigned depth;          /* JSON: containers that are open */
	bool pretty;             /* JSON: a line for each element */
	bool comma;              /* JSON: an element is before this one */
	bool after_key;          /* JSON: the next value is a member's */
};

static bool failed(const struct rt_writer *w)
{
	return w->out.status != RT_OK;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void json_indent(struct rt_writer *w)
{
	static const char blanks[] = "\n                                ";
	size_t left = (size_t)w->depth * 2;
	size_t len = left < sizeof(blanks) - 2 ? left : sizeof(blanks) - 2;

	rt_emit_bytes(&w->out, blanks, len + 1);
	for (left -= len; left > 0; left -= len) {
		len = left < sizeof(blanks) - 2 ? left : sizeof(blanks) - 2;
		rt_emit_bytes(&w->out, blanks + 1, len);
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
		json_indent(w);
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
		json_indent(w);
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

static void json_finish(struct rt_writer *w)
{
	rt_emit_bytes(&w->out, "\n", 1);
	w->comma = false;
}

static void json_nothing(struct rt_writer *w)
{
	(void)w;
}

static const struct rt_writer_ops writer_json = {
    .start = json_nothing,
    .begin = json_begin,
    .end = json_end,
    .key = json_key,
    .string = json_string,
    .number = json_text,
    .word = json_text,
    .finish = json_finish,
    .release = json_nothing,
};

/* --- Plain scalars of YAML -------------------------------------------------------------------- */

/*
 * What a plain YAML scalar is taken for, by readers of YAML 1.1 (its type repository, PyYAML) and
 * of the YAML 1.2 core schema (chapter 10.3.2).
 * More words count as such than either schema has: a quote too many is safe, one too few changes a
 * value.
 */
/* Words that some reader gives a type, in any case. */
static bool is_word(struct rt_slice text)
{
	static const char *const words[] = {"y",   "n",    "yes",   "no",  "on",
					    "off", "true", "false", "null"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (text.len == strlen(words[i]) && !strncasecmp(text.ptr, words[i], text.len))
			return true;
	return false;
}

/*
 * Whether all bytes can be part of a number, a sexagesimal number or a time stamp of any schema:
 * digits of any base, signs, points, exponents, ".inf" and ".nan", 0x 0o 0b, T and Z.
 */
static bool is_figures(struct rt_slice text)
{
	static const char figures[] = "0123456789+-.:_ \tabcdefABCDEFxXoOtTzZinINF";
	size_t i;

	for (i = 0; i < text.len; i++)
		if (text.ptr[i] == '\0' || !strchr(figures, text.ptr[i]))
			return false;
	return true;
}

/*
 * Whether a plain YAML scalar with these bytes is a string for readers of YAML 1.1 and of the
 * 1.2 core schema alike. Says nothing about whether its characters may be in a plain scalar.
 */
static bool yaml_plain_is_string(struct rt_slice text)
{
	if (text.len == 0)
		return false;
	if (strchr("0123456789+-.", text.ptr[0]))
		return !is_figures(text);
	/* "~" is null, "=" and "<<" have types in YAML 1.1; none of them starts a common text. */
	return !strchr("~=<", text.ptr[0]) && !is_word(text);
}

/* Whether a plain YAML scalar with this JSON number's text is a number for YAML 1.1 readers. */
static bool yaml_plain_is_number(struct rt_slice text)
{
	const char *exponent = memchr(text.ptr, 'e', text.len);

	if (!exponent)
		exponent = memchr(text.ptr, 'E', text.len);
	if (!exponent)
		return true;
	/* A YAML 1.1 float has a point, and a sign in its exponent. */
	return memchr(text.ptr, '.', text.len) && (exponent[1] == '+' || exponent[1] == '-');
}

/* --- YAML, by libyaml ------------------------------------------------------------------------- */

#define TAG_FLOAT "tag:yaml.org,2002:float"

/* libyaml's failure as ours. The sink's own error, where that is the reason, is there already. */
static void emitter_fail(struct rt_writer *w)
{
	struct rt_error err;

	if (w->emitter->error == YAML_EMITTER_ERROR)
		rt_error_set(&err, RT_E_INPUT, "want a document YAML can hold, have: %s",
			     w->emitter->problem ? w->emitter->problem : "no reason");
	else
		rt_error_nomem(&err);
	rt_emit_fail(&w->out, RT_FATAL, &err);
}

/*
 * Take the emitter's text. It escapes what YAML forbids in a stream but shows bidirectional
 * controls; since every scalar that holds one is double quoted, they can be escaped here.
 */
static int emitter_write(void *ctx, unsigned char *data, size_t len)
{
	struct rt_writer *w = ctx;
	const char *ptr = (const char *)data;
	size_t from = 0;
	size_t at = 0;

	for (;;) {
		size_t used;
		uint32_t point;
		char text[8];

		at += rt_json_string_plain(ptr + at, len - at);
		if (at == len)
			break;
		point = rt_json_string_point(ptr + at, &used);
		if (point >= 0x80) {
			rt_emit_bytes(&w->out, ptr + from, at - from);
			snprintf(text, sizeof(text), "\\u%04X", point & 0xffff);
			rt_emit_bytes(&w->out, text, 6);
			from = at + used;
		}
		at += used;
	}
	rt_emit_bytes(&w->out, ptr + from, len - from);
	return !failed(w);
}

/* Hand an event over; made tells whether it could be made. */
static void emit(struct rt_writer *w, yaml_event_t *event, int made)
{
	struct rt_error err;

	if (!made) {
		rt_error_nomem(&err);
		rt_emit_fail(&w->out, RT_FATAL, &err);
		return;
	}
	if (!yaml_emitter_emit(w->emitter, event))
		emitter_fail(w);
}

static void yaml_start(struct rt_writer *w)
{
	struct rt_error err;
	yaml_event_t event;

	w->emitter = malloc(sizeof(*w->emitter));
	if (!w->emitter || !yaml_emitter_initialize(w->emitter)) {
		free(w->emitter);
		w->emitter = NULL;
		rt_error_nomem(&err);
		rt_emit_fail(&w->out, RT_FATAL, &err);
		return;
	}
	yaml_emitter_set_output(w->emitter, emitter_write, w);
	yaml_emitter_set_unicode(w->emitter, 1);
	yaml_emitter_set_width(w->emitter, -1);
	emit(w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
	if (!failed(w))
		emit(w, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
}

static void yaml_begin(struct rt_writer *w, bool object)
{
	yaml_event_t event;
	int made;

	made = object ? yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
							    YAML_BLOCK_MAPPING_STYLE)
		      : yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
							     YAML_BLOCK_SEQUENCE_STYLE);
	emit(w, &event, made);
}

static void yaml_end(struct rt_writer *w, bool object)
{
	yaml_event_t event;

	emit(w, &event,
	     object ? yaml_mapping_end_event_initialize(&event)
		    : yaml_sequence_end_event_initialize(&event));
}

/*
 * A scalar. tag: NULL for one that its style resolves. The emitter takes lengths as int, and
 * falls back from plain to single quotes and from there and from literal to double quotes where
 * the characters ask for it.
 */
static void yaml_scalar(struct rt_writer *w, const char *tag, struct rt_slice text,
			yaml_scalar_style_t style)
{
	const yaml_char_t *value = (const yaml_char_t *)(text.len ? text.ptr : "");
	struct rt_error err;
	yaml_event_t event;

	if (text.len > INT32_MAX / 2) {
		rt_error_set(&err, RT_E_LIMIT, "want a string of at most 1 GiB, have %zu bytes",
			     text.len);
		rt_emit_fail(&w->out, RT_FATAL, &err);
		return;
	}
	emit(w, &event,
	     yaml_scalar_event_initialize(&event, NULL, (const yaml_char_t *)tag, value,
					  (int)text.len, tag == NULL, tag == NULL, style));
}

/* Whether a line begins, after blanks, like a command of a CI system (REPORTS R39). */
static bool begins_command(struct rt_slice text, size_t at)
{
	for (;;) {
		if (at < text.len && text.ptr[at] == ' ')
			at++;
		else if (text.len - at >= 2 && memcmp(text.ptr + at, "\\t", 2) == 0)
			at += 2;
		else
			break;
	}
	return text.len - at >= 2 && memcmp(text.ptr + at, "::", 2) == 0;
}

/* How a string is written. key: whether it is a member's name, which stays on one line. */
static yaml_scalar_style_t string_style(struct rt_slice text, bool key)
{
	bool lines = false, is_command = begins_command(text, 0);
	size_t at = 0;

	while (text.len > 0) {
		size_t used;
		uint32_t point;

		at += rt_json_string_plain(text.ptr + at, text.len - at);
		if (at == text.len)
			break;
		point = rt_json_string_point(text.ptr + at, &used);
		if (point == '\n') {
			lines = true;
			is_command = is_command || begins_command(text, at + used);
		} else if (point != '"' && point != '\\' && point != '\t') {
			return YAML_DOUBLE_QUOTED_SCALAR_STYLE;
		}
		at += used;
	}
	if (lines)
		return key || is_command ? YAML_DOUBLE_QUOTED_SCALAR_STYLE
					 : YAML_LITERAL_SCALAR_STYLE;
	return yaml_plain_is_string(text) ? YAML_PLAIN_SCALAR_STYLE
					  : YAML_SINGLE_QUOTED_SCALAR_STYLE;
}

static void yaml_key(struct rt_writer *w, struct rt_slice name)
{
	yaml_scalar(w, NULL, name, string_style(name, true));
}

static void yaml_string(struct rt_writer *w, struct rt_slice text)
{
	yaml_scalar(w, NULL, text, string_style(text, false));
}

/* The tag makes a number of a text such as 1e3, which YAML 1.1 takes for a string. */
static void yaml_number(struct rt_writer *w, struct rt_slice text)
{
	yaml_scalar(w, yaml_plain_is_number(text) ? NULL : TAG_FLOAT, text,
		    YAML_PLAIN_SCALAR_STYLE);
}

static void yaml_word(struct rt_writer *w, struct rt_slice text)
{
	yaml_scalar(w, NULL, text, YAML_PLAIN_SCALAR_STYLE);
}

static void yaml_finish(struct rt_writer *w)
{
	yaml_event_t event;

	emit(w, &event, yaml_document_end_event_initialize(&event, 1));
	if (!failed(w))
		emit(w, &event, yaml_stream_end_event_initialize(&event));
}

static void yaml_release(struct rt_writer *w)
{
	if (!w->emitter)
		return;
	yaml_emitter_delete(w->emitter);
	free(w->emitter);
}

static const struct rt_writer_ops writer_yaml = {
    .start = yaml_start,
    .begin = yaml_begin,
    .end = yaml_end,
    .key = yaml_key,
    .string = yaml_string,
    .number = yaml_number,
    .word = yaml_word,
    .finish = yaml_finish,
    .release = yaml_release,
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
	w->ops->start(w);
	if (failed(w)) {
		*err = w->out.err;
		rt_writer_free(w);
		return RT_FATAL;
	}
	*ret_writer = w;
	return RT_OK;
}

void rt_writer_object_begin(struct rt_writer *w)
{
	if (!failed(w))
		w->ops->begin(w, true);
}

void rt_writer_object_end(struct rt_writer *w)
{
	if (!failed(w))
		w->ops->end(w, true);
}

void rt_writer_array_begin(struct rt_writer *w)
{
	if (!failed(w))
		w->ops->begin(w, false);
}

void rt_writer_array_end(struct rt_writer *w)
{
	if (!failed(w))
		w->ops->end(w, false);
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

void rt_writer_number(struct rt_writer *w, struct rt_slice text)
{
	if (!failed(w))
		w->ops->number(w, text);
}

void rt_writer_uint(struct rt_writer *w, uint64_t value)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%" PRIu64, value);

	rt_writer_number(w, rt_slice_make(text, (size_t)len));
}

void rt_writer_text_field(struct rt_writer *w, struct rt_slice name, struct rt_slice text)
{
	rt_writer_key(w, name);
	if (text.ptr)
		rt_writer_string(w, text);
	else
		rt_writer_null(w);
}

void rt_writer_uint_field(struct rt_writer *w, struct rt_slice name, uint64_t value)
{
	rt_writer_key(w, name);
	rt_writer_uint(w, value);
}

void rt_writer_value_field(struct rt_writer *w, struct rt_slice name, struct rt_slice json)
{
	rt_writer_key(w, name);
	rt_writer_value(w, json);
}

void rt_writer_object_field(struct rt_writer *w, struct rt_slice name)
{
	rt_writer_key(w, name);
	rt_writer_object_begin(w);
}

void rt_writer_array_field(struct rt_writer *w, struct rt_slice name)
{
	rt_writer_key(w, name);
	rt_writer_array_begin(w);
}

/* true, false or null. */
static void writer_word(struct rt_writer *w, struct rt_slice text)
{
	if (!failed(w))
		w->ops->word(w, text);
}

void rt_writer_bool(struct rt_writer *w, bool value)
{
	writer_word(w, value ? RT_SLICE("true") : RT_SLICE("false"));
}

void rt_writer_null(struct rt_writer *w)
{
	writer_word(w, RT_SLICE("null"));
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
	if (text.ptr[0] <= '9')
		rt_writer_number(w, text);
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
		rt_writer_null(w);
	rt_buf_release(&mended);
}

static void write_slot(struct rt_writer *w, char form, const struct rt_slot *slot)
{
	uint64_t number = (uint64_t)slot->number;

	assert(slot->kind != RT_SLOT_END &&
	       (slot->kind == RT_SLOT_NUMBER) == (strchr("uzb", form) != NULL));
	if (form == 'b')
		rt_writer_bool(w, number != 0);
	else if (slot->kind == RT_SLOT_NUMBER && (number || form == 'u'))
		rt_writer_uint(w, number);
	else if (form == 'e')
		write_mended(w, slot->text);
	else if (!slot->text.ptr || slot->kind == RT_SLOT_NUMBER)
		rt_writer_null(w);
	else if (form == 'v')
		rt_writer_value(w, slot->text);
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
		} else if (*form == ' ' || *form == ',') {
			len = 1;
		} else if (form[len] == ':') {
			rt_writer_key(w, rt_slice_make(form, len++));
		} else {
			assert(strncmp(form, "null", len) == 0);
			rt_writer_null(w);
		}
		form += len;
	}
	assert(failed(w) || slots->kind == RT_SLOT_END);
}

enum rt_status rt_writer_finish(struct rt_writer *w, struct rt_error *err)
{
	if (!failed(w))
		w->ops->finish(w);
	return rt_emit_finish(&w->out, err);
}

void rt_writer_free(struct rt_writer *w)
{
	if (!w)
		return;
	w->ops->release(w);
	rt_buf_release(&w->decoded);
	rt_emit_release(&w->out);
	free(w);
}
