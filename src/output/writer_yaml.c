/*
 * YAML out: block style through libyaml's emitter, a scalar's style chosen so that readers of
 * YAML 1.1 and of the 1.2 core schema find the same value and a terminal shows no control.
 * Input: events of struct rt_writer_ops. Output: bytes to rt_writer_bytes(). Refuses what the
 * emitter refuses, which for balanced events is want of memory alone.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_string.h"
#include "output/writer_ops.h"

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
	rt_writer_fail(w, &err);
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
			rt_writer_bytes(w, ptr + from, at - from);
			snprintf(text, sizeof(text), "\\u%04X", point & 0xffff);
			rt_writer_bytes(w, text, 6);
			from = at + used;
		}
		at += used;
	}
	rt_writer_bytes(w, ptr + from, len - from);
	return !w->failed;
}

/* Hand an event over; made tells whether it could be made. */
static void emit(struct rt_writer *w, yaml_event_t *event, int made)
{
	struct rt_error err;

	if (!made) {
		rt_error_nomem(&err);
		rt_writer_fail(w, &err);
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
		rt_writer_fail(w, &err);
		return;
	}
	yaml_emitter_set_output(w->emitter, emitter_write, w);
	yaml_emitter_set_unicode(w->emitter, 1);
	yaml_emitter_set_width(w->emitter, -1);
	emit(w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
	if (!w->failed)
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
		rt_writer_fail(w, &err);
		return;
	}
	emit(w, &event,
	     yaml_scalar_event_initialize(&event, NULL, (const yaml_char_t *)tag, value,
					  (int)text.len, tag == NULL, tag == NULL, style));
}

/* How a string is written. key: whether it is a member's name, which stays on one line. */
static yaml_scalar_style_t string_style(struct rt_slice text, bool key)
{
	bool lines = false;
	size_t at = 0;

	while (text.len > 0) {
		size_t used;
		uint32_t point;

		at += rt_json_string_plain(text.ptr + at, text.len - at);
		if (at == text.len)
			break;
		point = rt_json_string_point(text.ptr + at, &used);
		if (point == '\n')
			lines = true;
		else if (point != '"' && point != '\\' && point != '\t')
			return YAML_DOUBLE_QUOTED_SCALAR_STYLE;
		at += used;
	}
	if (lines)
		return key ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_LITERAL_SCALAR_STYLE;
	return rt_yaml_plain_is_string(text) ? YAML_PLAIN_SCALAR_STYLE
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
	yaml_scalar(w, rt_yaml_plain_is_number(text) ? NULL : TAG_FLOAT, text,
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
	if (!w->failed)
		emit(w, &event, yaml_stream_end_event_initialize(&event));
}

static void yaml_release(struct rt_writer *w)
{
	if (!w->emitter)
		return;
	yaml_emitter_delete(w->emitter);
	free(w->emitter);
}

const struct rt_writer_ops rt_writer_yaml = {
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
