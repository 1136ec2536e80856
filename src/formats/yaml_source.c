/*
 * libyaml's parser over a pull: feeds it, finds the byte at which each event starts, turns its
 * errors into ours. More bytes between two events than one record may have, and floods of
 * directives, are errors, which libyaml bounds neither of. So is what ends a line in YAML 1.1,
 * which libyaml reads, but not in YAML 1.2 (section 5.4), outside of quotes: there a comment of
 * the one is a member of the other.
 */
#include "formats/yaml_source.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/plain.h"

/* What ends a line in YAML 1.1 and not in 1.2. */
static const struct {
	struct rt_slice text;
	const char *name;
} old_breaks[] = {
    {RT_SLICE("\xC2\x85"), "U+0085"},
    {RT_SLICE("\xE2\x80\xA8"), "U+2028"},
    {RT_SLICE("\xE2\x80\xA9"), "U+2029"},
};

/* The name of the one that begins at a byte that has been fed; what it goes on with may not have
 * been. NULL: none. */
static const char *old_break(const struct rt_yaml_source *source, size_t at)
{
	for (size_t i = 0; i < sizeof(old_breaks) / sizeof(old_breaks[0]); i++) {
		struct rt_slice text = old_breaks[i].text;

		if (source->raw.len - at >= text.len &&
		    memcmp(source->raw.data + at, text.ptr, text.len) == 0)
			return old_breaks[i].name;
	}
	return NULL;
}

/*
 * Move the place on to the character with number chars, to the offset, or, where strict, to a line
 * break of YAML 1.1, whichever comes first. Never moves back: some events start where the one
 * before ended.
 */
static void source_advance(struct rt_yaml_source *source, size_t chars, uint64_t offset,
			   bool strict)
{
	const char *raw = source->raw.data;
	size_t at = source->at;
	size_t end = source->fed;
	uint64_t base = source->place.offset - at;

	if (offset < base + end)
		end = offset > base + at ? (size_t)(offset - base) : at;
	while (at < end && source->chars < chars) {
		size_t left = chars - source->chars;
		size_t most = end - at < left ? end - at : left;
		size_t plain = rt_plain_len(raw + at, most, "", true);

		/* Of ASCII that ends no line each byte is a character. */
		at += plain;
		source->chars += plain;
		if (plain == most)
			break;
		if (strict && (unsigned char)raw[at] >= 0xC2 && old_break(source, at))
			break;
		if (raw[at++] == '\n') {
			source->crlf = at > 1 && raw[at - 2] == '\r';
			source->place.line++;
			source->line_start = base + at;
		}
		while (at < end && ((unsigned char)raw[at] & 0xc0) == 0x80)
			at++;
		source->chars++;
	}
	source->at = at;
	source->place.offset = base + at;
	source->place.column = source->place.offset - source->line_start + 1;
}

/* Read on after the bytes of raw; those that are not needed make room. At the end of the part
 * nothing is added. */
static enum rt_status source_fill(struct rt_yaml_source *source, size_t most)
{
	struct rt_buf *raw = &source->raw;
	size_t drop = source->at, len;
	enum rt_status status;

	if (drop > 0 && drop >= raw->len - drop) {
		memmove(raw->data, raw->data + drop, raw->len - drop);
		raw->len -= drop;
		source->fed -= drop;
		source->at -= drop;
	}
	status = rt_buf_reserve(raw, most, &source->err);
	if (status != RT_OK)
		return status;
	status =
	    source->pull.read(source->pull.ctx, raw->data + raw->len, most, &len, &source->err);
	if (status == RT_OK)
		raw->len += len;
	source->ended = status == RT_END;
	return status == RT_END ? RT_OK : status;
}

static bool too_many_directives(struct rt_yaml_source *source, const char *data, size_t len)
{
	const char *end = data + len;
	const char *p = data;

	while (p < end) {
		source->directives += source->line_begins && *p == '%';
		p = memchr(p, '\n', (size_t)(end - p));
		source->line_begins = p != NULL;
		if (!p)
			break;
		p++;
	}
	return source->directives > YAML_DIRECTIVES_MAX;
}

/* Count len bytes that are about to be fed. Returns false beyond a limit. */
static bool source_count(struct rt_yaml_source *source, const char *data, size_t len)
{
	source->since += len;
	if (source->since > source->since_max)
		rt_error_set(
		    &source->err, RT_E_LIMIT,
		    "a YAML token or a run of blanks and comments exceeds %" PRIu64 " byte%s",
		    source->since_max - YAML_READ_BYTES, RT_S(source->since_max - YAML_READ_BYTES));
	else if (source->between && too_many_directives(source, data, len))
		rt_error_set(&source->err, RT_E_LIMIT,
			     "the document has more than %u YAML directives", YAML_DIRECTIVES_MAX);
	else
		return true;
	source->status = RT_REJECT;
	return false;
}

/*
 * libyaml's read handler: 0 stops it, for a reason kept in source->status. Gives as much as is
 * asked for while there is as much, so that how the pull cuts its bytes changes nothing: libyaml
 * checks characters as far ahead as it has them. Two bytes more tell what the last one begins.
 */
static int source_read(void *ctx, unsigned char *buffer, size_t size, size_t *ret_len)
{
	struct rt_yaml_source *source = ctx;
	const char *data;
	size_t len;

	*ret_len = 0;
	while (source->raw.len - source->fed < size + 2 && !source->ended &&
	       source->status == RT_OK)
		source->status = source_fill(source, YAML_READ_BYTES);
	len = source->raw.len - source->fed;
	if (len == 0)
		return source->status == RT_OK;
	if (len > size)
		len = size;
	data = source->raw.data + source->fed;
	if (!source_count(source, data, len))
		return 0;
	memcpy(buffer, data, len);
	source->fed += len;
	*ret_len = len;
	return 1;
}

enum rt_status rt_yaml_source_init(struct rt_yaml_source *source, struct rt_pull pull,
				   uint64_t start, const struct rt_limits *limits,
				   struct rt_error *err)
{
	memset(source, 0, sizeof(*source));
	source->pull = pull;
	source->start = start;
	source->line_start = start;
	source->place = (struct rt_place){1, 1, start};
	source->line_begins = true;
	if (__builtin_add_overflow(limits->record_bytes, YAML_READ_BYTES, &source->since_max))
		source->since_max = UINT64_MAX;
	if (!yaml_parser_initialize(&source->parser))
		return rt_error_nomem(err);
	source->made = true;
	yaml_parser_set_encoding(&source->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input(&source->parser, source_read, source);
	return RT_OK;
}

enum rt_status rt_yaml_source_reject(const struct rt_yaml_source *source, struct rt_error *err)
{
	err->line = source->place.line;
	err->column = source->place.column;
	err->offset = source->place.offset;
	return RT_REJECT;
}

/* Bytes that are no UTF-8, or a character that YAML does not allow. */
static enum rt_status reader_reject(struct rt_yaml_source *source, struct rt_error *err)
{
	const yaml_parser_t *parser = &source->parser;
	const char *problem = parser->problem ? parser->problem : "an unreadable character";

	source_advance(source, SIZE_MAX, source->start + parser->problem_offset, false);
	if (parser->problem_value >= 0)
		rt_error_set(err, RT_E_INPUT, "not valid YAML: byte 0x%02X: %s",
			     (unsigned)parser->problem_value, problem);
	else
		rt_error_set(err, RT_E_INPUT, "not valid YAML: %s", problem);
	return rt_yaml_source_reject(source, err);
}

static enum rt_status source_fail(struct rt_yaml_source *source, struct rt_error *err)
{
	const yaml_parser_t *parser = &source->parser;

	if (source->status != RT_OK) {
		*err = source->err;
		if (err->code == RT_E_LIMIT && err->line == 0)
			rt_yaml_source_reject(source, err);
		return source->status;
	}
	if (parser->error == YAML_MEMORY_ERROR)
		return rt_error_nomem(err);
	if (parser->error == YAML_READER_ERROR)
		return reader_reject(source, err);
	source_advance(source, parser->problem_mark.index, UINT64_MAX, false);
	rt_error_set(err, RT_E_INPUT, "not valid YAML: %s%s%s",
		     parser->problem ? parser->problem : "an unknown error",
		     parser->context ? " " : "", parser->context ? parser->context : "");
	return rt_yaml_source_reject(source, err);
}

/* --- Where content ends ----------------------------------------------------------------------- */

/* Whether an event, whose start the place is, is a scalar in quotes. */
static bool is_quoted(const struct rt_yaml_source *source, const yaml_event_t *event)
{
	char first = source->at < source->fed ? source->raw.data[source->at] : '\0';

	return event->type == YAML_SCALAR_EVENT && (first == '"' || first == '\'');
}

/* The index of the byte that so many characters stand before, from the place on. */
static size_t byte_ahead(const struct rt_yaml_source *source, size_t chars)
{
	size_t at = source->at;

	while (at < source->fed && chars) {
		at++;
		while (at < source->fed && ((unsigned char)source->raw.data[at] & 0xC0) == 0x80)
			at++;
		chars--;
	}
	return at;
}

/* Whether an event has no bytes of its own. */
static bool is_bare(const yaml_event_t *event)
{
	return event->start_mark.index == event->end_mark.index &&
	       (event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT ||
		event->type == YAML_SCALAR_EVENT);
}

/*
 * Go from the end of a block's content over a comment on its line, and to the end of the last line,
 * before an index, that has a tab before its comment or its end: libyaml takes those only after
 * some values.
 */
static size_t own_lines(const struct rt_yaml_source *source, size_t end, size_t to)
{
	bool first = true, leads = true, own = false;

	for (size_t at = end; at < to; at++) {
		char c = source->raw.data[at];

		if (c == '\n' || c == '\r') {
			end = own ? at : end;
			own = first = false;
			leads = true;
		} else if (leads && c == (first ? '#' : '\t')) {
			own = true;
		} else if (c != ' ' && c != '\t') {
			leads = false;
		}
	}
	return own ? to : end;
}

/* The first event that has no bytes after one that had some: that is where content ended. */
static void find_end(struct rt_yaml_source *source, const yaml_event_t *event)
{
	const char *raw = source->raw.data;
	size_t end = byte_ahead(source, source->last - source->chars);

	while (source->last_is_block && end > source->at &&
	       (raw[end - 1] == '\n' || raw[end - 1] == '\r' || raw[end - 1] == ' '))
		end--;
	end = own_lines(source, end, byte_ahead(source, event->start_mark.index - source->chars));
	source->end = source->place.offset - source->at + end;
}

/* The place is where the event starts. */
static void take_end(struct rt_yaml_source *source, const yaml_event_t *event)
{
	size_t len = event->end_mark.index - event->start_mark.index;

	/* Nothing, behind its colon or dash, is content; else it is where the next token is. */
	if (event->type == YAML_SCALAR_EVENT && source->at &&
	    !rt_is_blank(source->raw.data[source->at - 1]))
		source->bare = false;
	if (source->bare)
		return;
	source->last = event->end_mark.index;
	source->last_is_block = event->type == YAML_SCALAR_EVENT &&
				(event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
				 event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE);
	/* A bracket, where it is an end. */
	source->end = source->place.offset + len;
}

enum rt_status rt_yaml_source_next(struct rt_yaml_source *source, yaml_event_t *event,
				   struct rt_error *err)
{
	bool was_bare = source->bare;

	if (!yaml_parser_parse(&source->parser, event))
		return source_fail(source, err);
	source->since = 0;
	source->bare = is_bare(event);
	if (source->bare && !was_bare)
		find_end(source, event);
	source_advance(source, source->quoted, UINT64_MAX, false);
	source_advance(source, event->start_mark.index, UINT64_MAX, true);
	if (source->chars < event->start_mark.index) {
		yaml_event_delete(event);
		rt_error_set(err, RT_E_INPUT,
			     "%s ends a line in YAML 1.1 but not in 1.2: it must be in quotes",
			     old_break(source, source->at));
		return rt_yaml_source_reject(source, err);
	}
	if (event->type == YAML_STREAM_START_EVENT || event->type == YAML_DOCUMENT_END_EVENT) {
		source->between = true;
		source->directives = 0;
	} else if (event->type == YAML_DOCUMENT_START_EVENT) {
		source->between = false;
	}
	source->quoted = is_quoted(source, event) ? event->end_mark.index : 0;
	take_end(source, event);
	return RT_OK;
}

void rt_yaml_source_release(struct rt_yaml_source *source)
{
	if (source->made)
		yaml_parser_delete(&source->parser);
	rt_buf_release(&source->raw);
	source->made = false;
}
