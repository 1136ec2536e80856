/*
 * Writes records of YAML source anew. A pass over libyaml's events finds where each record begins
 * and ends, and passes its events on to yaml_again.c with the edited values in place of the old.
 */
#include "text/yaml_edit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "text/look.h"
#include "text/text.h"
#include "text/yaml_again.h"
#include "text/yaml_scalar.h"
#include "text/yaml_source.h"

/* --- The source that is kept ----------------------------------------------------------------- */

static inline bool rt_yaml_is_space(char c)
{
	return c == ' ' || c == '\t';
}

struct yaml_tee {
	struct rt_pull pull;
	struct rt_buf bytes; /* what has been read, from offset base */
	size_t given;        /* bytes of it that have been passed on */
	uint64_t base;
	bool ended; /* the pull has said RT_END */
};

#define BOM "\xef\xbb\xbf"

/* Read once more. At the end of the part nothing is added. */
static enum rt_status tee_fill(struct yaml_tee *tee, size_t len, struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(&tee->bytes, len, err);
	size_t got;

	if (status != RT_OK || tee->ended)
		return status;
	status = tee->pull.read(tee->pull.ctx, tee->bytes.data + tee->bytes.len, len, &got, err);
	if (status == RT_OK)
		tee->bytes.len += got;
	tee->ended = status == RT_END;
	return status == RT_END ? RT_OK : status;
}

/*
 * Read the part's first bytes, over a byte order mark and blanks. tee: to be released either way.
 * pull: copied. tee->base becomes the offset of the first byte that will be passed on.
 * Returns RT_OK, or what the pull said.
 */
static enum rt_status yaml_tee_init(struct yaml_tee *tee, struct rt_pull pull, struct rt_error *err)
{
	struct rt_buf *bytes = &tee->bytes;
	enum rt_status status = RT_OK;
	struct rt_lead lead;

	memset(tee, 0, sizeof(*tee));
	tee->pull = pull;
	while (status == RT_OK && bytes->len < 3 && !tee->ended)
		status = tee_fill(tee, YAML_READ_BYTES, err);
	if (bytes->len >= 3 && memcmp(bytes->data, BOM, 3) == 0) {
		tee->base = 3;
		bytes->len -= 3;
		memmove(bytes->data, bytes->data + 3, bytes->len);
	}
	while (status == RT_OK && !rt_lead_find(&lead, bytes->data, bytes->len, tee->ended))
		status = tee_fill(tee, bytes->len + YAML_READ_BYTES, err);
	if (status == RT_OK)
		rt_lead_mend(&lead, bytes->data, bytes->len);
	return status;
}

/* The part from tee->base, as struct rt_pull has it; ctx is the tee. */
static enum rt_status yaml_tee_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				    struct rt_error *err)
{
	struct yaml_tee *tee = ctx;
	enum rt_status status = RT_OK;
	size_t left;

	if (tee->given == tee->bytes.len)
		status = tee_fill(tee, cap, err);
	if (status != RT_OK)
		return status;
	left = tee->bytes.len - tee->given;
	if (left == 0)
		return RT_END;
	*ret_len = left < cap ? left : cap;
	memcpy(buf, tee->bytes.data + tee->given, *ret_len);
	tee->given += *ret_len;
	return RT_OK;
}

/* Bytes before offset will not be asked for again. */
static void yaml_tee_forget(struct yaml_tee *tee, uint64_t offset)
{
	size_t drop = (size_t)(offset - tee->base);

	if (offset <= tee->base || drop > tee->bytes.len || drop < tee->bytes.len - drop)
		return;
	memmove(tee->bytes.data, tee->bytes.data + drop, tee->bytes.len - drop);
	tee->bytes.len -= drop;
	tee->given -= drop;
	tee->base = offset;
}

/* The offset after the last byte that is kept. */
static uint64_t tee_end(const struct yaml_tee *tee)
{
	return tee->base + tee->bytes.len;
}

/* Bytes [from, to), as far as they are kept. Borrowed until the next read. */
static struct rt_slice yaml_tee_slice(const struct yaml_tee *tee, uint64_t from, uint64_t to)
{
	uint64_t end = tee_end(tee);

	if (to > end)
		to = end;
	if (from < tee->base || from >= to)
		return rt_slice_make("", 0);
	return rt_slice_make(tee->bytes.data + (from - tee->base), (size_t)(to - from));
}

/* The byte at offset; 0 for one that is not kept. */
static char yaml_tee_byte(const struct yaml_tee *tee, uint64_t offset)
{
	struct rt_slice slice = yaml_tee_slice(tee, offset, offset + 1);

	return slice.len ? slice.ptr[0] : '\0';
}

/* Length of the line break at offset: CR, LF, CR LF; others are refused where one is read. 0: none.
 */
static size_t yaml_tee_break(const struct yaml_tee *tee, uint64_t offset)
{
	char c = yaml_tee_byte(tee, offset);

	if (c == '\r')
		return yaml_tee_byte(tee, offset + 1) == '\n' ? 2 : 1;
	return c == '\n';
}

/* The offset of the first line break at or after offset; of the end if there is none. */
static uint64_t yaml_tee_line_end(const struct yaml_tee *tee, uint64_t offset)
{
	uint64_t end = tee_end(tee);

	while (offset < end && yaml_tee_break(tee, offset) == 0)
		offset++;
	return offset;
}

/* The offset of the first byte from offset on that is no blank, line break or comment. */
static uint64_t yaml_tee_skip_gap(const struct yaml_tee *tee, uint64_t offset)
{
	for (;;) {
		size_t len = yaml_tee_break(tee, offset);
		char c = yaml_tee_byte(tee, offset);

		if (len > 0)
			offset += len;
		else if (rt_yaml_is_space(c))
			offset++;
		else if (c == '#')
			offset = yaml_tee_line_end(tee, offset);
		else
			return offset;
	}
}

/* Go back from end, not before `from`, over blanks and line breaks. */
static uint64_t yaml_tee_trim(const struct yaml_tee *tee, uint64_t from, uint64_t end)
{
	while (end > from && strchr(" \t\r\n", yaml_tee_byte(tee, end - 1)))
		end--;
	return end;
}

/*
 * Go from a record's end to that of the last line, before `to`, that is its own: the line it ends
 * on with its comment, and lines of blanks and comments with more than column blanks, or tabs,
 * before them, which some values would take in.
 */
static uint64_t yaml_tee_own_lines(const struct yaml_tee *tee, uint64_t end, uint64_t to,
				   size_t column)
{
	uint64_t at = yaml_tee_line_end(tee, end);

	for (end = at; at < to;) {
		uint64_t start = at + yaml_tee_break(tee, at);
		bool tab = false;

		for (at = start; rt_yaml_is_space(yaml_tee_byte(tee, at)); at++)
			tab |= yaml_tee_byte(tee, at) == '\t';
		tab |= at - start > column;
		at = yaml_tee_line_end(tee, at);
		if (tab && at <= to)
			end = at;
	}
	return end;
}

static void yaml_tee_release(struct yaml_tee *tee)
{
	rt_buf_release(&tee->bytes);
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
	struct yaml_tee tee;
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
	struct rt_slice kept = yaml_tee_slice(&ed->tee, ed->tee.base, UINT64_MAX);
	size_t at = (size_t)(ed->source.place.offset - ed->tee.base);
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
	return ed->tee.base + at;
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
	       yaml_tee_byte(&ed->tee, byte_of(ed, event->end_mark.index) - 1) == c;
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
		record->last = yaml_tee_trim(&ed->tee, ed->source.place.offset, record->last);
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
		uint64_t at = yaml_tee_skip_gap(&ed->tee, end);
		char c = yaml_tee_byte(&ed->tee, at);

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
	uint64_t line_end = yaml_tee_line_end(&ed->tee, record->start);
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
	status = rt_yaml_again_finish(&ed->again, column, yaml_tee_break(&ed->tee, line_end) == 2,
				      rest, ed->limits, &text);
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
		end = yaml_tee_own_lines(&ed->tee, end, follows, record->column);
	status = record_finish(ed, event, end,
			       yaml_tee_slice(&ed->tee, end, record->block ? follows : end));
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
			yaml_tee_forget(&ed->tee, ed->source.place.offset);
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
	status = yaml_tee_init(&ed->tee, pull, err);
	if (status == RT_OK)
		status = rt_yaml_source_init(&ed->source, (struct rt_pull){yaml_tee_read, &ed->tee},
					     ed->tee.base, limits, err);
	if (status == RT_OK)
		status = walk(ed);
	rt_yaml_source_release(&ed->source);
	yaml_tee_release(&ed->tee);
	rt_yaml_again_release(&ed->again);
	free(ed);
	return status;
}
