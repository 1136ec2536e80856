/*
 * Walks the events of YAML source and notes where the members of wanted records stand.
 * Input: a part and the offsets of records in it. Output: patches, by way of yaml_edit_plan.c.
 * Refuses records that are reached through an alias or that an alias could repeat, values that
 * carry an anchor, and keys that are aliases, for what they say is not known here.
 */
#include "text/yaml_edit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/limits.h"
#include "text/yaml_edit_state.h"

/* As in yaml.c: a record may lie in an array in an object. */
#define OUTER_LEVELS 2u

#define TAG_STR "tag:yaml.org,2002:str"

struct editor {
	struct yaml_tee tee;
	struct rt_yaml_source source;
	const struct rt_limits *limits;
	const struct rt_yaml_record *records;
	size_t count;
	size_t next; /* the first record that has not been met */
	uint32_t part;
	struct rt_patches *patches;
	size_t depth; /* collections that are open */
	size_t depth_max;
	size_t anchored; /* depth inside the outermost one with an anchor; 0: none is open */
	char anchor[64]; /* its name */
	struct yaml_record record;
	struct rt_error *err;
};

/* An event's node. */
struct node {
	const yaml_event_t *event;
	enum yaml_value_kind kind;
	const char *anchor; /* NULL if it has none */
	struct yaml_extent extent;
	bool flow; /* of a collection, and neither a pair nor in block style */
	bool pair;
	bool empty;  /* a scalar without a byte in the source */
	bool placed; /* it has a colon or a dash before it */
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
	struct rt_slice kept = rt_yaml_tee_slice(&ed->tee, ed->tee.base, UINT64_MAX);
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

/* Whether the event's token ends with this byte: its own bracket. */
static bool ends_with(const struct editor *ed, const struct node *node, char c)
{
	return node->extent.end > node->extent.start &&
	       rt_yaml_tee_byte(&ed->tee, node->extent.end - 1) == c;
}

static struct node scalar_node(const yaml_event_t *event)
{
	return (struct node){
	    .event = event,
	    .kind = YAML_VALUE_SCALAR,
	    .anchor = (const char *)event->data.scalar.anchor,
	    .extent.block = event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
			    event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE,
	};
}

/* What a start event, a scalar or an alias says; places only while a record is open. */
static struct node node_make(const struct editor *ed, const yaml_event_t *event, bool places)
{
	struct node node = {.event = event};

	switch (event->type) {
	case YAML_SCALAR_EVENT:
		node = scalar_node(event);
		break;
	case YAML_MAPPING_START_EVENT:
		node.kind = YAML_VALUE_MAPPING;
		node.anchor = (const char *)event->data.mapping_start.anchor;
		node.flow = event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
		break;
	case YAML_SEQUENCE_START_EVENT:
		node.kind = YAML_VALUE_SEQUENCE;
		node.anchor = (const char *)event->data.sequence_start.anchor;
		node.flow = event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
		break;
	default:
		node.kind = YAML_VALUE_ALIAS;
		break;
	}
	if (!places)
		return node;
	node.extent.start = byte_of(ed, event->start_mark.index);
	node.extent.end = byte_of(ed, event->end_mark.index);
	node.empty = node.kind == YAML_VALUE_SCALAR && node.extent.start == node.extent.end;
	node.pair = node.kind == YAML_VALUE_MAPPING && node.flow && !ends_with(ed, &node, '{');
	return node;
}

/* --- A record and its members ------------------------------------------------------------- */

static enum rt_status record_open(struct editor *ed, const yaml_event_t *event)
{
	struct yaml_record *record = &ed->record;
	struct rt_buf note = record->note, text = record->text;
	struct node node = node_make(ed, event, true);

	if (node.anchor)
		return reject_anchor(ed, "an issue without an anchor where it is changed",
				     node.anchor);
	if (ed->anchored)
		return reject_anchor(ed, "an issue outside of anchored nodes where it is changed",
				     ed->anchor);
	note.len = 0;
	text.len = 0;
	*record = (struct yaml_record){
	    .want = &ed->records[ed->next++],
	    .place = ed->source.place,
	    .depth = ed->depth + 1,
	    .flow = node.flow,
	    .pair = node.pair,
	    .start_column = event->start_mark.column,
	    .column = event->end_mark.column,
	    .inner = node.extent.end,
	    .note = note,
	    .text = text,
	};
	return RT_OK;
}

/*
 * Put an empty scalar after its colon or dash, if it has one: libyaml gives some the place of
 * whatever comes next.
 */
static void node_settle(const struct editor *ed, struct node *node)
{
	uint64_t last = ed->record.last.end;
	uint64_t at = node->extent.start;
	char before = rt_yaml_tee_byte(&ed->tee, at - 1);

	node->placed = at > last && (before == ':' || before == '-');
	if (node->placed)
		return;
	last = rt_yaml_tee_skip_gap(&ed->tee, last);
	if (last >= at || rt_yaml_tee_byte(&ed->tee, last) != ':')
		return;
	node->extent.start = last + 1;
	node->extent.end = last + 1;
	node->placed = true;
}

static struct yaml_value *find_value(struct editor *ed, struct rt_slice key)
{
	struct yaml_record *record = &ed->record;

	for (size_t i = 0; i < record->want->edit_count; i++) {
		if (rt_slice_equal(record->want->edits[i].name, key))
			return &record->values[i];
	}
	return NULL;
}

/* Name the edited member in err. Returns RT_REJECT. */
static enum rt_status reject_value(struct editor *ed, const struct yaml_value *value)
{
	const struct rt_edit *edit = &ed->record.want->edits[value - ed->record.values];

	rt_error_text(ed->err->field, sizeof(ed->err->field), edit->name);
	return RT_REJECT;
}

static enum rt_status member_key(struct editor *ed, const struct node *node)
{
	struct yaml_record *record = &ed->record;
	const yaml_event_t *event = node->event;

	if (node->kind == YAML_VALUE_ALIAS)
		return reject(ed, "keys that stand in their place in an issue that is changed",
			      "an alias");
	if (node->kind != YAML_VALUE_SCALAR)
		return reject(ed, "a mapping key that is a string", "a collection");
	if (!record->members)
		record->quoted = event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	record->members = true;
	record->value_next = true;
	record->key_end = node->extent.end;
	record->value = find_value(
	    ed, rt_slice_make((const char *)event->data.scalar.value, event->data.scalar.length));
	if (!record->value || record->value->kind == YAML_VALUE_MISSING)
		return RT_OK;
	(void)reject(ed, "the member once", "it twice");
	return reject_value(ed, record->value);
}

static enum rt_yaml_type scalar_type(const yaml_event_t *event)
{
	const char *tag = (const char *)event->data.scalar.tag;

	if (tag ? strcmp(tag, "!") == 0 || strcmp(tag, TAG_STR) == 0
		: event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return YAML_TYPE_STRING;
	return rt_yaml_scalar_type(
	    rt_slice_make((const char *)event->data.scalar.value, event->data.scalar.length));
}

/* The column of a block sequence's dashes. One that is not indented starts after its dash. */
static size_t dash_column(const struct editor *ed, const struct node *node)
{
	size_t column = node->event->end_mark.column;

	return column - (column > 0 && rt_yaml_tee_byte(&ed->tee, node->extent.end - 1) == '-');
}

static enum rt_status value_scalar(struct editor *ed, struct yaml_value *value,
				   const yaml_event_t *event)
{
	const struct rt_edit *edit = &ed->record.want->edits[value - ed->record.values];

	value->type = scalar_type(event);
	value->style = event->data.scalar.style;
	/* Where a string is wanted a number is its text (SPEC D18). */
	if (edit->kind == RT_EDIT_NOTES && !event->data.scalar.tag &&
	    rt_yaml_type_is_number(value->type))
		value->type = YAML_TYPE_STRING;
	if (edit->kind != RT_EDIT_NOTES || value->type != YAML_TYPE_STRING)
		return RT_OK;
	return rt_buf_append(&ed->record.note, event->data.scalar.value, event->data.scalar.length,
			     ed->err);
}

static enum rt_status member_value(struct editor *ed, const struct node *node)
{
	struct yaml_record *record = &ed->record;
	struct yaml_value *value = record->value;

	record->value_next = false;
	if (!value)
		return RT_OK;
	if (node->anchor) {
		(void)reject_anchor(ed, "a value without an anchor where it is changed",
				    node->anchor);
		return reject_value(ed, value);
	}
	value->kind = node->kind;
	value->place = ed->source.place;
	value->key_end = record->key_end;
	value->extent = node->extent;
	value->empty = node->empty;
	value->colon = node->placed;
	value->flow = node->flow;
	value->inner = node->extent.end;
	if (node->kind == YAML_VALUE_SEQUENCE && !node->flow)
		value->column = dash_column(ed, node);
	return node->kind == YAML_VALUE_SCALAR ? value_scalar(ed, value, node->event) : RT_OK;
}

/* A node at any level inside the open record. */
static enum rt_status record_node(struct editor *ed, const yaml_event_t *event)
{
	struct yaml_record *record = &ed->record;
	struct node node = node_make(ed, event, true);
	enum rt_status status = RT_OK;

	if (node.empty)
		node_settle(ed, &node);
	if (ed->depth == record->depth && record->value_next) {
		status = member_value(ed, &node);
	} else if (ed->depth == record->depth) {
		status = member_key(ed, &node);
	} else if (ed->depth == record->depth + 1 && record->value && !record->value->items) {
		record->value->items = true;
		record->value->items_block = node.kind == YAML_VALUE_MAPPING && !node.flow;
	}
	if (node.kind == YAML_VALUE_ALIAS || (node.kind == YAML_VALUE_SCALAR && !node.empty) ||
	    node.placed)
		record->last = node.extent;
	return status;
}

static enum rt_status record_patches(struct editor *ed)
{
	const struct yaml_record *record = &ed->record;
	enum rt_status status;

	status = rt_yaml_edit_check(record, &ed->tee, ed->limits, ed->err);
	for (size_t i = 0; status == RT_OK && i < record->change_count; i++) {
		const struct yaml_change *change = &record->changes[i];
		struct rt_patch patch = {
		    .part = ed->part,
		    .offset = change->offset,
		    .len = change->len,
		    .text = rt_slice_make(record->text.data + change->text_at, change->text_len),
		};

		status = rt_patches_add(ed->patches, patch, ed->err);
	}
	return status;
}

/* A collection inside the open record ends, or the record itself. */
static enum rt_status record_end(struct editor *ed, const yaml_event_t *event)
{
	struct yaml_record *record = &ed->record;
	uint64_t at = byte_of(ed, event->start_mark.index);
	enum rt_status status;
	bool bracket;

	if (ed->depth == record->depth && record->value)
		record->value->content = record->last;
	/* The end of a block collection, or of a pair, has the place of whatever comes next. */
	bracket =
	    event->start_mark.index < event->end_mark.index &&
	    rt_yaml_tee_byte(&ed->tee, at) == (event->type == YAML_MAPPING_END_EVENT ? '}' : ']');
	if (ed->depth + 1 != record->depth) {
		if (bracket)
			record->last = (struct yaml_extent){.start = at, .end = at + 1};
		return RT_OK;
	}
	/* What stands after the last value on its line must not change what is put there. */
	if (bracket)
		record->end = at + 1;
	else if (record->last.block || record->flow)
		record->end = record->last.end;
	else
		record->end = rt_yaml_tee_line_end(&ed->tee, record->last.end);
	record->follows = bracket || record->flow ? record->end : at;
	status = rt_yaml_edit_plan(record, &ed->tee, ed->err);
	if (status == RT_OK)
		status = record_patches(ed);
	record->want = NULL;
	return status;
}

/* --- Events ------------------------------------------------------------------------------- */

/* Refuse when the next record lies before the event, or is what an alias stands for. */
static enum rt_status check_missed(struct editor *ed, const yaml_event_t *event)
{
	uint64_t offset = ed->source.place.offset;

	if (ed->next == ed->count)
		return RT_OK;
	if (ed->records[ed->next].offset > offset ||
	    (ed->records[ed->next].offset == offset && event->type != YAML_ALIAS_EVENT))
		return RT_OK;
	return reject(ed, "an issue that stands in its place where it is changed",
		      "it after an alias");
}

static enum rt_status check_size(struct editor *ed)
{
	uint64_t max = ed->limits->record_bytes;

	max = max > UINT64_MAX / RT_YAML_SOURCE_FACTOR ? UINT64_MAX : max * RT_YAML_SOURCE_FACTOR;
	if (ed->source.place.offset - ed->record.place.offset <= max)
		return RT_OK;
	(void)rt_error_set(ed->err, RT_E_LIMIT,
			   "want at most %" PRIu64 " bytes of YAML in an issue that is changed, "
			   "have more",
			   max);
	return rt_yaml_source_reject(&ed->source, ed->err);
}

static enum rt_status collection_begin(struct editor *ed, const yaml_event_t *event)
{
	const char *anchor = node_make(ed, event, false).anchor;

	if (ed->depth == ed->depth_max) {
		(void)rt_error_set(ed->err, RT_E_LIMIT,
				   "want at most %" PRIu64 " level%s of nesting in a record, "
				   "have more",
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

static enum rt_status collection_end(struct editor *ed, const yaml_event_t *event)
{
	if (ed->anchored == ed->depth)
		ed->anchored = 0;
	ed->depth--;
	return ed->record.want ? record_end(ed, event) : RT_OK;
}

static enum rt_status node_begin(struct editor *ed, const yaml_event_t *event)
{
	enum rt_status status = RT_OK;

	if (ed->record.want)
		status = record_node(ed, event);
	else if (event->type == YAML_MAPPING_START_EVENT && ed->next < ed->count &&
		 ed->records[ed->next].offset == ed->source.place.offset)
		status = record_open(ed, event);
	if (status == RT_OK &&
	    (event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT))
		status = collection_begin(ed, event);
	return status;
}

static enum rt_status handle(struct editor *ed, const yaml_event_t *event)
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

	while (status == RT_OK && (ed->next < ed->count || ed->record.want)) {
		status = rt_yaml_source_next(&ed->source, &event, ed->err);
		if (status != RT_OK)
			break;
		if (!ed->record.want)
			rt_yaml_tee_forget(&ed->tee, ed->source.place.offset);
		status = handle(ed, &event);
		yaml_event_delete(&event);
	}
	return status;
}

enum rt_status rt_yaml_edit(struct rt_pull pull, const struct rt_limits *limits,
			    const struct rt_yaml_record *records, size_t count, uint32_t part,
			    struct rt_patches *patches, struct rt_error *err)
{
	uint64_t depth = limits->depth < RT_LIMIT_DEPTH_MAX ? limits->depth : RT_LIMIT_DEPTH_MAX;
	struct editor *ed = calloc(1, sizeof(*ed));
	enum rt_status status;

	if (!ed)
		return rt_error_nomem(err);
	ed->limits = limits;
	ed->records = records;
	ed->count = count;
	ed->part = part;
	ed->patches = patches;
	ed->depth_max = (size_t)depth + OUTER_LEVELS;
	ed->err = err;
	status = rt_yaml_tee_init(&ed->tee, pull, err);
	if (status == RT_OK)
		status =
		    rt_yaml_source_init(&ed->source, (struct rt_pull){rt_yaml_tee_read, &ed->tee},
					ed->tee.base, limits, err);
	if (status == RT_OK)
		status = walk(ed);
	rt_yaml_source_release(&ed->source);
	rt_yaml_tee_release(&ed->tee);
	rt_buf_release(&ed->record.note);
	rt_buf_release(&ed->record.text);
	free(ed);
	return status;
}
