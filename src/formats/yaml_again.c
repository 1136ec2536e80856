/*
 * Writes records of YAML anew. Events that libyaml has read go to its emitter; what they say is
 * kept beside, and held against what the new text says when it is read.
 */
#include "formats/yaml_again.h"

#include <stdlib.h>
#include <strings.h>

#include "base/json_string.h"
#include "formats/yaml_scalar.h"
#include "scan/items.h"

static void fail(struct rt_yaml_again *again, enum rt_status status)
{
	if (again->status == RT_OK)
		again->status = status;
}

static void add(struct rt_yaml_again *again, struct rt_buf *to, const void *data, size_t len)
{
	if (again->status == RT_OK)
		again->status = rt_buf_append(to, data, len, again->err);
}

/* --- What an event says ------------------------------------------------------------------- */

static void say_text(struct rt_yaml_again *again, char kind, const void *text, size_t len)
{
	add(again, &again->said, &kind, 1);
	add(again, &again->said, &len, sizeof(len));
	add(again, &again->said, text, len);
}

static void say_name(struct rt_yaml_again *again, char kind, const yaml_char_t *name)
{
	if (name)
		say_text(again, kind, name, strlen((const char *)name));
}

static struct rt_slice scalar_text(const yaml_event_t *event)
{
	return rt_slice_make((const char *)event->data.scalar.value, event->data.scalar.length);
}

static bool is_bare(const yaml_event_t *event)
{
	return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !event->data.scalar.tag;
}

/* Put down what an event says, whatever its style. */
static void say(struct rt_yaml_again *again, const yaml_event_t *event)
{
	struct rt_slice text;
	bool is_string;

	switch (event->type) {
	case YAML_ALIAS_EVENT:
		say_name(again, '*', event->data.alias.anchor);
		break;
	case YAML_SCALAR_EVENT:
		text = scalar_text(event);
		is_string = !is_bare(event) || rt_yaml_scalar_type(text) == YAML_TYPE_STRING;
		say_name(again, '&', event->data.scalar.anchor);
		say_name(again, '!', event->data.scalar.tag);
		say_text(again, is_string ? '"' : '.', text.ptr, text.len);
		break;
	case YAML_MAPPING_START_EVENT:
		say_name(again, '&', event->data.mapping_start.anchor);
		say_name(again, '!', event->data.mapping_start.tag);
		add(again, &again->said, "{", 1);
		break;
	case YAML_SEQUENCE_START_EVENT:
		say_name(again, '&', event->data.sequence_start.anchor);
		say_name(again, '!', event->data.sequence_start.tag);
		add(again, &again->said, "[", 1);
		break;
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		add(again, &again->said, ")", 1);
		break;
	default:
		break;
	}
}

/* --- Writing ------------------------------------------------------------------------------ */

static int emitter_write(void *ctx, unsigned char *data, size_t len)
{
	struct rt_yaml_again *again = ctx;

	add(again, &again->text, data, len);
	return again->status == RT_OK;
}

/* Hand an event over, which is empty afterwards; made: whether there was memory for it. */
static void emit(struct rt_yaml_again *again, yaml_event_t *event, int made)
{
	if (!made)
		fail(again, rt_error_nomem(again->err));
	if (again->status != RT_OK) {
		yaml_event_delete(event);
		return;
	}
	if (!yaml_emitter_emit(&again->emitter, event))
		fail(again, again->emitter.error == YAML_MEMORY_ERROR ? rt_error_nomem(again->err)
								      : RT_REJECT);
	memset(event, 0, sizeof(*event));
}

void rt_yaml_again_begin(struct rt_yaml_again *again, struct rt_error *err)
{
	struct rt_buf text = again->text, said = again->said;
	yaml_event_t event = {0};

	if (again->made)
		yaml_emitter_delete(&again->emitter);
	text.len = 0;
	said.len = 0;
	memset(again, 0, sizeof(*again));
	again->text = text;
	again->said = said;
	again->err = err;
	if (!yaml_emitter_initialize(&again->emitter)) {
		fail(again, rt_error_nomem(err));
		return;
	}
	again->made = true;
	yaml_emitter_set_output(&again->emitter, emitter_write, again);
	yaml_emitter_set_unicode(&again->emitter, 1);
	yaml_emitter_set_width(&again->emitter, -1);
	emit(again, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
	emit(again, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
}

/* Whether a text has a line break of YAML 1.1 that needs an escape. */
static bool has_odd_break(struct rt_slice text)
{
	return memchr(text.ptr, '\r', text.len) || memmem(text.ptr, text.len, "\xC2\x85", 2) ||
	       memmem(text.ptr, text.len, "\xE2\x80\xA8", 3) ||
	       memmem(text.ptr, text.len, "\xE2\x80\xA9", 3);
}

/* Choose a style in which a scalar has no lines but those of a literal block, whose end is where
 * its text ends. */
static void settle_style(yaml_event_t *event)
{
	struct rt_slice text = scalar_text(event);
	bool lines = text.len && memchr(text.ptr, '\n', text.len);
	yaml_scalar_style_t *style = &event->data.scalar.style;

	/* It says "not by the text", and so do quotes. */
	if (event->data.scalar.tag && strcmp((char *)event->data.scalar.tag, "!") == 0) {
		free(event->data.scalar.tag);
		event->data.scalar.tag = NULL;
		if (*style == YAML_PLAIN_SCALAR_STYLE)
			*style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	}
	if (*style == YAML_FOLDED_SCALAR_STYLE)
		*style = YAML_LITERAL_SCALAR_STYLE;
	if (*style == YAML_LITERAL_SCALAR_STYLE)
		lines = text.len < 2 || strchr(" \t\n", text.ptr[0]) ||
			strchr(" \t\n", text.ptr[text.len - 2]);
	if (lines || (text.len && has_odd_break(text)))
		*style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	/* One with a tag, or in place of a plain one, is no other for that. */
	event->data.scalar.quoted_implicit = !event->data.scalar.tag;
}

/* Write a null that is nothing as a word: between braces nothing would become an empty string. */
static bool is_nothing(const yaml_event_t *event)
{
	return is_bare(event) && event->data.scalar.length == 0;
}

static void put_scalar(struct rt_yaml_again *again, const yaml_char_t *anchor, struct rt_slice text,
		       yaml_scalar_style_t style)
{
	yaml_event_t event = {0};
	int made = yaml_scalar_event_initialize(&event, anchor, NULL, (const yaml_char_t *)text.ptr,
						(int)text.len, 1, 1, style);

	if (made) {
		settle_style(&event);
		say(again, &event);
	}
	emit(again, &event, made);
}

void rt_yaml_again_put(struct rt_yaml_again *again, yaml_event_t *event)
{
	if (event->type == YAML_SCALAR_EVENT && is_nothing(event)) {
		put_scalar(again, event->data.scalar.anchor, RT_SLICE("null"),
			   YAML_PLAIN_SCALAR_STYLE);
		return;
	}
	if (event->type == YAML_SCALAR_EVENT)
		settle_style(event);
	say(again, event);
	emit(again, event, 1);
}

void rt_yaml_again_open(struct rt_yaml_again *again, bool mapping)
{
	yaml_event_t event = {0};
	int made = mapping ? yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
								 YAML_BLOCK_MAPPING_STYLE)
			   : yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
								  YAML_BLOCK_SEQUENCE_STYLE);

	if (made)
		say(again, &event);
	emit(again, &event, made);
}

void rt_yaml_again_close(struct rt_yaml_again *again, bool mapping)
{
	yaml_event_t event = {0};

	(void)(mapping ? yaml_mapping_end_event_initialize(&event)
		       : yaml_sequence_end_event_initialize(&event));
	say(again, &event);
	emit(again, &event, 1);
}

/* --- New values --------------------------------------------------------------------------- */

/* Words that are booleans under YAML 1.1 and strings under 1.2, in any mix of cases. */
static bool is_old_word(struct rt_slice text)
{
	static const char *const words[] = {"y", "yes", "n", "no", "on", "off"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) == text.len && !strncasecmp(words[i], text.ptr, text.len))
			return true;
	}
	return false;
}

/* Whether a text is the same string for all readers when it stands plain. */
static bool is_plain(struct rt_slice text)
{
	if (text.len == 0 || strspn(text.ptr, "0123456789_-") || is_old_word(text))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i], lower = (char)(c | 0x20);

		if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') && c != '_' &&
		    c != '-')
			return false;
	}
	return rt_yaml_scalar_type(text) == YAML_TYPE_STRING;
}

/* Whether a text begins like a date, which YAML 1.1 has a type for. */
static bool is_dated(struct rt_slice text)
{
	return text.len >= 10 && strspn(text.ptr, "0123456789") == 4 && text.ptr[4] == '-';
}

static yaml_scalar_style_t new_style(const struct rt_yaml_again *again, struct rt_slice text,
				     const yaml_event_t *old)
{
	bool is_scalar = old && old->type == YAML_SCALAR_EVENT;
	yaml_scalar_style_t style = is_scalar ? old->data.scalar.style : YAML_ANY_SCALAR_STYLE;

	if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
		return style;
	if (is_scalar && is_bare(old) && is_dated(text) && is_dated(scalar_text(old)))
		return YAML_PLAIN_SCALAR_STYLE;
	return is_plain(text) && !again->quoted ? YAML_PLAIN_SCALAR_STYLE
						: YAML_DOUBLE_QUOTED_SCALAR_STYLE;
}

void rt_yaml_again_name(struct rt_yaml_again *again, struct rt_slice name)
{
	put_scalar(again, NULL, name,
		   again->quoted ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE);
}

void rt_yaml_again_value(struct rt_yaml_again *again, struct rt_slice json, const yaml_event_t *old)
{
	struct rt_buf room = {0};
	size_t len;

	if (json.ptr[0] != '"') {
		put_scalar(again, NULL, json, YAML_PLAIN_SCALAR_STYLE);
		return;
	}
	/* A NUL behind it bounds the looks at its style. */
	if (again->status == RT_OK)
		again->status = rt_buf_reserve(&room, json.len, again->err);
	if (again->status == RT_OK) {
		len = rt_json_string_decode(rt_slice_make(json.ptr + 1, json.len - 2), room.data);
		room.data[len] = '\0';
		put_scalar(again, NULL, rt_slice_make(room.data, len),
			   new_style(again, rt_slice_make(room.data, len), old));
	}
	rt_buf_release(&room);
}

void rt_yaml_again_objects(struct rt_yaml_again *again, struct rt_slice json)
{
	const char *at = json.ptr, *end = rt_slice_end(json);
	struct rt_items items;
	struct rt_item item;

	while (again->status == RT_OK && at < end) {
		const char *after = rt_items_value(at, end);

		rt_items_init(&items, rt_slice_make(at, (size_t)(after - at)));
		rt_yaml_again_open(again, true);
		while (rt_items_next(&items, &item)) {
			rt_yaml_again_name(again, item.key);
			rt_yaml_again_value(again, item.value, NULL);
		}
		rt_yaml_again_close(again, true);
		at = after + (after < end);
	}
}

/* --- Reading it again --------------------------------------------------------------------- */

struct reading {
	struct rt_slice left;
};

static enum rt_status reading_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				   struct rt_error *err)
{
	struct reading *reading = ctx;
	size_t len = reading->left.len < cap ? reading->left.len : cap;

	(void)err;
	if (len == 0)
		return RT_END;
	memcpy(buf, reading->left.ptr, len);
	reading->left = rt_slice_make(reading->left.ptr + len, reading->left.len - len);
	*ret_len = len;
	return RT_OK;
}

/* Whether a text, blanks before it included, says what was written, and nothing else. */
static enum rt_status check(struct rt_yaml_again *again, struct rt_slice text,
			    const struct rt_limits *limits)
{
	struct reading reading = {text};
	struct rt_yaml_source source = {.made = false};
	size_t said = again->said.len;
	enum rt_status status = rt_yaml_source_init(
	    &source, (struct rt_pull){reading_read, &reading}, 0, limits, again->err);
	bool ended = false;
	yaml_event_t event;

	while (status == RT_OK && !ended) {
		status = rt_yaml_source_next(&source, &event, again->err);
		if (status != RT_OK)
			break;
		ended = event.type == YAML_STREAM_END_EVENT;
		if (event.type == YAML_SCALAR_EVENT && is_nothing(&event))
			status = RT_REJECT;
		say(again, &event);
		yaml_event_delete(&event);
		if (again->status != RT_OK)
			status = again->status;
	}
	rt_yaml_source_release(&source);
	if (status == RT_OK && (again->said.len != 2 * said ||
				memcmp(again->said.data, again->said.data + said, said) != 0))
		status = RT_REJECT;
	return status;
}

/* Put each line of the text at the column. */
static void lay_out(struct rt_yaml_again *again, size_t column, bool crlf)
{
	struct rt_buf plain = again->text;
	const char *feed;
	size_t len = plain.len;

	again->text = (struct rt_buf){0};
	while (len && plain.data[len - 1] == '\n')
		len--;
	for (size_t at = 0, line; again->status == RT_OK && at < len; at += line) {
		for (size_t i = 0; plain.data[at] != '\n' && i < column; i++)
			add(again, &again->text, " ", 1);
		feed = memchr(plain.data + at, '\n', len - at);
		line = feed ? (size_t)(feed - plain.data) - at : len - at;
		add(again, &again->text, plain.data + at, line);
		if (feed)
			add(again, &again->text, crlf ? "\r\n" : "\n", crlf ? 2 : 1);
		line += feed != NULL;
	}
	rt_buf_release(&plain);
}

enum rt_status rt_yaml_again_finish(struct rt_yaml_again *again, size_t column, bool crlf,
				    struct rt_slice rest, const struct rt_limits *limits,
				    struct rt_slice *ret_text)
{
	yaml_event_t event = {0};
	size_t len;

	emit(again, &event, yaml_document_end_event_initialize(&event, 1));
	emit(again, &event, yaml_stream_end_event_initialize(&event));
	lay_out(again, column, crlf);
	len = again->text.len;
	add(again, &again->text, rest.ptr, rest.len);
	if (again->status == RT_OK)
		again->status = check(again, rt_buf_slice(&again->text), limits);
	if (again->status != RT_OK)
		return again->status;
	*ret_text = rt_slice_make(again->text.data + column, len - column);
	return RT_OK;
}

void rt_yaml_again_release(struct rt_yaml_again *again)
{
	if (again->made)
		yaml_emitter_delete(&again->emitter);
	rt_buf_release(&again->text);
	rt_buf_release(&again->said);
}
