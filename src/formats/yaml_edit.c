/*
 * Writes records of YAML source anew. A pass over libyaml's events finds where each record begins
 * and ends, and passes its events on to yaml_again.c with the edited values in place of the old.
 */
#include "formats/yaml_edit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "formats/yaml_again.h"
#include "formats/yaml_scalar.h"
#include "formats/yaml_source.h"

/* --- The source that is kept ----------------------------------------------------------------- */

static inline bool rt_yaml_is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* The offset of the first byte that is kept, and of the one after the last. */
static uint64_t kept_from(const struct rt_yaml_source *source)
{
	return source->place.offset - source->at;
}

static uint64_t kept_to(const struct rt_yaml_source *source)
{
	return kept_from(source) + source->raw.len;
}

/* Bytes [from, to), as far as they are kept. Borrowed until the next event. */
static struct rt_slice kept_slice(const struct rt_yaml_source *source, uint64_t from, uint64_t to)
{
	uint64_t base = kept_from(source), end = kept_to(source);

	if (to > end)
		to = end;
	if (from < base || from >= to)
		return rt_slice_make("", 0);
	return rt_slice_make(source->raw.data + (from - base), (size_t)(to - from));
}

/* The byte at offset; 0 for one that is not kept. */
static char kept_byte(const struct rt_yaml_source *source, uint64_t offset)
{
	struct rt_slice slice = kept_slice(source, offset, offset + 1);

	return slice.len ? slice.ptr[0] : '\0';
}

/* Length of the line break at offset: CR, LF, CR LF; others are refused where one is read. 0: none.
 */
static size_t break_at(const struct rt_yaml_source *source, uint64_t offset)
{
	char c = kept_byte(source, offset);

	if (c == '\r')
		return kept_byte(source, offset + 1) == '\n' ? 2 : 1;
	return c == '\n';
}

/* The offset of the first line break at or after offset; of the end if there is none. */
static uint64_t line_end(const struct rt_yaml_source *source, uint64_t offset)
{
	uint64_t end = kept_to(source);

	while (offset < end && break_at(source, offset) == 0)
		offset++;
	return offset;
}

/* The offset of the first byte from offset on that is no blank, line break or comment. */
static uint64_t skip_gap(const struct rt_yaml_source *source, uint64_t offset)
{
	for (;;) {
		size_t len = break_at(source, offset);
		char c = kept_byte(source, offset);

		if (len > 0)
			offset += len;
		else if (rt_yaml_is_space(c))
			offset++;
		else if (c == '#')
			offset = line_end(source, offset);
		else
			return offset;
	}
}

/* Go back from end, not before `from`, over blanks and line breaks. */
static uint64_t trim(const struct rt_yaml_source *source, uint64_t from, uint64_t end)
{
	while (end > from && strchr(" \t\r\n", kept_byte(source, end - 1)))
		end--;
	return end;
}

/*
 * Go from a record's end to that of the last line, before `to`, that is its own: the line it ends
 * on with its comment, and lines of blanks and comments with more than column blanks, or tabs,
 * before them, which some values would take in.
 */
static uint64_t own_lines(const struct rt_yaml_source *source, uint64_t end, uint64_t to,
			  size_t column)
{
	uint64_t at = line_end(source, end);

	for (end = at; at < to;) {
		uint64_t start = at + break_at(source, at);
		bool tab = false;

		for (at = start; rt_yaml_is_space(kept_byte(source, at)); at++)
			tab |= kept_byte(source, at) == '\t';
		tab |= at - start > column;
		at = line_end(source, at);
		if (tab && at <= to)
			end = at;
	}
	return end;
}

/* --- Yaml edit ------------------------------------------------------------------------------- */

/* As in yaml.c: a record may lie in an array in an object. */
#define OUTER_LEVELS 2u

/* Records with more blanks before their members are written in braces, on one line. */
#define COLUMN_MAX 64u

#define TAG_STR "tag:yaml.org,2002:str"

/* The record that is open. */
struct record {
	const struct rt_yaml_record *want; /* NULL: none is open */
	struct rt_place place;
	size_t depth;  /* collections open at its members */
	bool block;    /* it is in block style */
	size_t column; /* of its first key then, from 0 */
	uint64_t start;
	uint64_t last; /* the end of what has been met in it */
	bool members;  /* it has one */
	bool value;    /* the next node of its own is a value */
	size_t edit;   /* of the member whose value that is; edit_count: it has none */
	bool extended; /* the value is notes that end with new ones */
	bool met[RT_EDITS_MAX];
};

struct editor {
	struct rt_yaml_source source;
	const struct rt_limits *limits;
	const struct rt_yaml_records *records;
	struct rt_yaml_record want; /* that of the record that is open */
	size_t next;                /* the first record that has not been met */
	uint32_t part;
	struct rt_patches *patches;
	size_t depth; /* collections that are open */
	size_t depth_max;
	size_t anchored; /* depth inside the outermost one with an anchor; 0: none is open */
	char anchor[64]; /* its name */
	struct record record;
	struct rt_yaml_again again;
	struct rt_error *err;
};

static enum rt_status reject(struct editor *ed, const char *want, const char *have)
{
	(void)rt_error_set(ed->err, RT_E_INPUT, "want %s, have %s", want, have);
	return rt_yaml_source_reject(&ed->source, ed->err);
}

static enum rt_status reject_anchor(struct editor *ed, const char *want, const char *name)
{
	char have[sizeof(ed->anchor) + 8];

	snprintf(have, sizeof(have), "\"&%.64s\"", name);
	return reject(ed, want, have);
}

/* The offset of the character with a number, from the place of the last event on or back. */
static uint64_t byte_of(const struct editor *ed, size_t index)
{
	struct rt_slice kept = rt_buf_slice(&ed->source.raw);
	size_t at = ed->source.at;
	size_t chars = ed->source.chars;

	for (; chars < index && at < kept.len; chars++) {
		at++;
		while (at < kept.len && ((unsigned char)kept.ptr[at] & 0xc0) == 0x80)
			at++;
	}
	for (; chars > index && at > 0; chars--) {
		at--;
		while (at > 0 && ((unsigned char)kept.ptr[at] & 0xc0) == 0x80)
			at--;
	}
	return kept_from(&ed->source) + at;
}

static const char *anchor_of(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return (const char *)event->data.scalar.anchor;
	case YAML_MAPPING_START_EVENT:
		return (const char *)event->data.mapping_start.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return (const char *)event->data.sequence_start.anchor;
	default:
		return NULL;
	}
}

/* --- A record and its end ----------------------------------------------------------------- */

/* Whether the token of an event ends with a byte: its own bracket. */
static bool ends_with(const struct editor *ed, const yaml_event_t *event, char c)
{
	return event->end_mark.index > event->start_mark.index &&
	       kept_byte(&ed->source, byte_of(ed, event->end_mark.index) - 1) == c;
}

static enum rt_status record_open(struct editor *ed, yaml_event_t *event)
{
	uint64_t inner = byte_of(ed, event->end_mark.index);
	yaml_mapping_style_t *style = &event->data.mapping_start.style;
	bool flow = *style == YAML_FLOW_MAPPING_STYLE;
	bool brace = flow && ends_with(ed, event, '{');
	const char *anchor = anchor_of(event);
	enum rt_status status = RT_OK;

	if (anchor)
		return reject_anchor(ed, "an issue without an anchor where it is changed", anchor);
	if (ed->anchored)
		return reject_anchor(ed, "an issue outside of anchored nodes where it is changed",
				     ed->anchor);
	ed->want = ed->records->list[ed->next];
	if (ed->records->edits)
		status = ed->records->edits(ed->records->ctx, ed->next, &ed->want, ed->err);
	if (status != RT_OK)
		return status;
	ed->next++;
	ed->record = (struct record){
	    .want = &ed->want,
	    .place = ed->source.place,
	    .depth = ed->depth + 1,
	    .block = !flow,
	    .column = event->end_mark.column,
	    .start = brace ? inner - 1 : inner,
	    .last = inner,
	};
	/* The tag before it stays. */
	free(event->data.mapping_start.tag);
	event->data.mapping_start.tag = NULL;
	event->data.mapping_start.implicit = 1;
	if (flow && !brace)
		ed->record.start = ed->source.place.offset;
	if (ed->record.column > COLUMN_MAX)
		*style = YAML_FLOW_MAPPING_STYLE;
	rt_yaml_again_begin(&ed->again, ed->err);
	rt_yaml_again_put(&ed->again, event);
	return RT_OK;
}

static const struct rt_edit *edit_at(const struct record *record)
{
	return record->edit < record->want->edit_count ? &record->want->edits[record->edit] : NULL;
}

static enum rt_status reject_value(struct editor *ed, const char *want, const char *have)
{
	(void)reject(ed, want, have);
	rt_error_text(ed->err->field, sizeof(ed->err->field),
		      ed->record.want->edits[ed->record.edit].name);
	return RT_REJECT;
}

static struct rt_slice scalar_text(const yaml_event_t *event)
{
	return rt_slice_make((const char *)event->data.scalar.value, event->data.scalar.length);
}

static enum rt_status member_key(struct editor *ed, yaml_event_t *event)
{
	struct record *record = &ed->record;
	size_t i;

	if (event->type == YAML_ALIAS_EVENT)
		return reject(ed, "keys that are no aliases in an issue that is changed",
			      "an alias");
	if (event->type != YAML_SCALAR_EVENT)
		return reject(ed, "a mapping key that is a string", "a collection");
	if (!record->members)
		ed->again.quoted = event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	record->members = true;
	for (i = 0; i < record->want->edit_count; i++) {
		if (rt_slice_equal(record->want->edits[i].name, scalar_text(event)))
			break;
	}
	record->edit = i;
	if (edit_at(record) && record->met[i])
		return reject_value(ed, "the field once", "it twice");
	if (edit_at(record))
		record->met[i] = true;
	rt_yaml_again_put(&ed->again, event);
	return RT_OK;
}

static enum rt_yaml_type scalar_type(const yaml_event_t *event)
{
	const char *tag = (const char *)event->data.scalar.tag;
	enum rt_yaml_type type = rt_yaml_scalar_type(scalar_text(event));

	if (tag ? strcmp(tag, TAG_STR) == 0 : event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return YAML_TYPE_STRING;
	/* Where a string is wanted a number is its text (SPEC D18). */
	return !tag && rt_yaml_type_is_number(type) ? YAML_TYPE_STRING : type;
}

/* Notes that are no array become one. */
static enum rt_status make_notes(struct editor *ed, yaml_event_t *event, struct rt_slice added)
{
	static const char want[] = "notes that are an array, a string or null";
	struct rt_yaml_again *again = &ed->again;
	enum rt_yaml_type type;

	if (event->type != YAML_SCALAR_EVENT)
		return reject_value(ed, want,
				    event->type == YAML_ALIAS_EVENT ? "an alias" : "an object");
	type = scalar_type(event);
	if (type != YAML_TYPE_STRING && type != YAML_TYPE_NULL)
		return reject_value(ed, want, rt_yaml_type_name(type));
	rt_yaml_again_open(again, false);
	if (type == YAML_TYPE_STRING) {
		rt_yaml_again_open(again, true);
		rt_yaml_again_name(again, RT_SLICE("added_at"));
		rt_yaml_again_value(again, RT_SLICE("null"), NULL);
		rt_yaml_again_name(again, RT_SLICE("text"));
		if (rt_yaml_type_is_number(rt_yaml_scalar_type(scalar_text(event))))
			event->data.scalar.style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
		rt_yaml_again_put(again, event);
		rt_yaml_again_close(again, true);
	}
	rt_yaml_again_objects(again, added);
	rt_yaml_again_close(again, false);
	return RT_OK;
}

static enum rt_status member_value(struct editor *ed, yaml_event_t *event)
{
	const struct rt_edit *edit = edit_at(&ed->record);
	const char *anchor = anchor_of(event);

	if (edit && anchor) {
		(void)reject_anchor(ed, "a value without an anchor where it is changed", anchor);
		rt_error_text(ed->err->field, sizeof(ed->err->field), edit->name);
		return RT_REJECT;
	}
	if (!edit) {
		rt_yaml_again_put(&ed->again, event);
		return RT_OK;
	}
	if (edit->kind == RT_EDIT_NOTES && event->type == YAML_SEQUENCE_START_EVENT) {
		ed->record.extended = true;
		rt_yaml_again_put(&ed->again, event);
		return RT_OK;
	}
	if (edit->kind == RT_EDIT_NOTES)
		return make_notes(ed, event, edit->value);
	if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT)
		return reject_value(ed, "a scalar where a value is changed",
				    event->type == YAML_SEQUENCE_START_EVENT ? "an array"
									     : "an object");
	rt_yaml_again_value(&ed->again, edit->value, event);
	return RT_OK;
}

/* A node at any level inside the open record; event: moved, or left as it is. */
static enum rt_status record_node(struct editor *ed, yaml_event_t *event)
{
	struct record *record = &ed->record;

	if (event->end_mark.index > event->start_mark.index)
		record->last = byte_of(ed, event->end_mark.index);
	if (event->type == YAML_SCALAR_EVENT &&
	    (event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
	     event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE))
		record->last = trim(&ed->source, ed->source.place.offset, record->last);
	if (ed->depth != record->depth) {
		rt_yaml_again_put(&ed->again, event);
		return RT_OK;
	}
	record->value = !record->value;
	return record->value ? member_key(ed, event) : member_value(ed, event);
}

/* The end of the record that has no bracket: after colons, dashes and question marks that have
 * nothing behind them. */
static uint64_t bare_end(const struct editor *ed, uint64_t follows)
{
	uint64_t end = ed->record.last;

	for (;;) {
		uint64_t at = skip_gap(&ed->source, end);
		char c = kept_byte(&ed->source, at);

		if (at >= follows || (c != ':' && c != '-' && c != '?'))
			return end;
		end = at + 1;
	}
}

/* Add the members that are missing, and the record's patch. */
static enum rt_status record_finish(struct editor *ed, yaml_event_t *event, uint64_t end,
				    struct rt_slice rest)
{
	struct record *record = &ed->record;
	size_t column = record->block && record->column <= COLUMN_MAX ? record->column : 0;
	uint64_t eol = line_end(&ed->source, record->start);
	struct rt_slice text;
	enum rt_status status;

	for (size_t i = 0; i < record->want->edit_count; i++) {
		const struct rt_edit *edit = &record->want->edits[i];

		if (record->met[i])
			continue;
		rt_yaml_again_name(&ed->again, edit->name);
		if (edit->kind == RT_EDIT_SET) {
			rt_yaml_again_value(&ed->again, edit->value, NULL);
			continue;
		}
		rt_yaml_again_open(&ed->again, false);
		rt_yaml_again_objects(&ed->again, edit->value);
		rt_yaml_again_close(&ed->again, false);
	}
	rt_yaml_again_put(&ed->again, event);
	status = rt_yaml_again_finish(&ed->again, column, break_at(&ed->source, eol) == 2, rest,
				      ed->limits, &text);
	if (status == RT_OK)
		return rt_patches_add(
		    ed->patches,
		    (struct rt_patch){ed->part, record->start, end - record->start, text}, ed->err);
	if (status != RT_REJECT)
		return status;
	(void)rt_error_set(ed->err, RT_E_INPUT, "the updated issue would read differently as YAML");
	rt_place_tell(record->place, ed->err);
	return RT_REJECT;
}

/* A collection inside the open record ends, or the record itself. */
static enum rt_status record_end(struct editor *ed, yaml_event_t *event)
{
	struct record *record = &ed->record;
	bool bracket = ends_with(ed, event, event->type == YAML_MAPPING_END_EVENT ? '}' : ']');
	uint64_t follows = byte_of(ed, event->start_mark.index), end;
	enum rt_status status;

	if (bracket)
		record->last = byte_of(ed, event->end_mark.index);
	if (ed->depth == record->depth && record->extended) {
		rt_yaml_again_objects(&ed->again, record->want->edits[record->edit].value);
		record->extended = false;
	}
	if (ed->depth + 1 != record->depth) {
		rt_yaml_again_put(&ed->again, event);
		return RT_OK;
	}
	end = bracket ? record->last : bare_end(ed, follows);
	if (record->block)
		end = own_lines(&ed->source, end, follows, record->column);
	status = record_finish(ed, event, end,
			       kept_slice(&ed->source, end, record->block ? follows : end));
	record->want = NULL;
	return status;
}

/* --- Events ------------------------------------------------------------------------------- */

/* Refuse when the next record lies before the event, or is what an alias stands for. */
static enum rt_status check_missed(struct editor *ed, const yaml_event_t *event)
{
	uint64_t offset = ed->source.place.offset;

	if (ed->next == ed->records->count)
		return RT_OK;
	if (ed->records->list[ed->next].offset > offset ||
	    (ed->records->list[ed->next].offset == offset && event->type != YAML_ALIAS_EVENT))
		return RT_OK;
	return reject(ed, "an issue that is no alias where it is changed", "it after an alias");
}

static enum rt_status check_size(struct editor *ed)
{
	uint64_t max = ed->limits->record_bytes;

	max = max > UINT64_MAX / RT_YAML_SOURCE_FACTOR ? UINT64_MAX : max * RT_YAML_SOURCE_FACTOR;
	if (ed->source.place.offset - ed->record.place.offset <= max)
		return RT_OK;
	(void)rt_error_set(ed->err, RT_E_LIMIT,
			   "the issue to change has more than %" PRIu64 " bytes of YAML", max);
	return rt_yaml_source_reject(&ed->source, ed->err);
}

static enum rt_status collection_begin(struct editor *ed, const char *anchor)
{
	if (ed->depth == ed->depth_max) {
		(void)rt_error_set(ed->err, RT_E_LIMIT, "nesting exceeds %" PRIu64 " level%s",
				   ed->limits->depth, RT_S(ed->limits->depth));
		return rt_yaml_source_reject(&ed->source, ed->err);
	}
	ed->depth++;
	if (anchor && !ed->anchored) {
		ed->anchored = ed->depth;
		snprintf(ed->anchor, sizeof(ed->anchor), "%s", anchor);
	}
	return RT_OK;
}

static enum rt_status collection_end(struct editor *ed, yaml_event_t *event)
{
	if (ed->anchored == ed->depth)
		ed->anchored = 0;
	ed->depth--;
	return ed->record.want ? record_end(ed, event) : RT_OK;
}

static enum rt_status node_begin(struct editor *ed, yaml_event_t *event)
{
	bool collection =
	    event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;
	enum rt_status status = RT_OK;

	if (collection)
		status = collection_begin(ed, anchor_of(event));
	if (status != RT_OK)
		return status;
	ed->depth -= collection;
	if (ed->record.want)
		status = record_node(ed, event);
	else if (event->type == YAML_MAPPING_START_EVENT && ed->next < ed->records->count &&
		 ed->records->list[ed->next].offset == ed->source.place.offset)
		status = record_open(ed, event);
	ed->depth += collection;
	return status;
}

static enum rt_status handle(struct editor *ed, yaml_event_t *event)
{
	enum rt_status status = check_missed(ed, event);

	if (status == RT_OK && ed->record.want)
		status = check_size(ed);
	if (status != RT_OK)
		return status;
	switch (event->type) {
	case YAML_SCALAR_EVENT:
	case YAML_ALIAS_EVENT:
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		return node_begin(ed, event);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		return collection_end(ed, event);
	case YAML_STREAM_END_EVENT:
		return reject(ed, "a mapping where an issue is to be changed", "none");
	default:
		return RT_OK;
	}
}

static enum rt_status walk(struct editor *ed)
{
	enum rt_status status = RT_OK;
	yaml_event_t event;

	while (status == RT_OK && (ed->next < ed->records->count || ed->record.want)) {
		status = rt_yaml_source_next(&ed->source, &event, ed->err);
		if (status != RT_OK)
			break;
		if (!ed->record.want)
			ed->source.keep = ed->source.place.offset;
		status = handle(ed, &event);
		yaml_event_delete(&event);
	}
	return status;
}

enum rt_status rt_yaml_edit(struct rt_pull pull, const struct rt_limits *limits,
			    const struct rt_yaml_records *records, uint32_t part,
			    struct rt_patches *patches, struct rt_error *err)
{
	uint64_t depth = limits->depth < RT_LIMIT_DEPTH_MAX ? limits->depth : RT_LIMIT_DEPTH_MAX;
	struct editor *ed = calloc(1, sizeof(*ed));
	enum rt_status status;

	if (!ed)
		return rt_error_nomem(err);
	ed->limits = limits;
	ed->records = records;
	ed->part = part;
	ed->patches = patches;
	ed->depth_max = (size_t)depth + OUTER_LEVELS;
	ed->err = err;
	status = rt_yaml_source_open(&ed->source, pull, limits, err);
	if (status == RT_OK)
		status = walk(ed);
	rt_yaml_source_release(&ed->source);
	rt_yaml_again_release(&ed->again);
	free(ed);
	return status;
}
