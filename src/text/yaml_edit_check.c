/*
 * Reads a record as it was and as its changes leave it, event by event side by side.
 * Input: a record with its changes and its source. Output: whether all is as it was but for the
 * edits, which say what they should. Refuses the record where it is not: better no change than a
 * wrong one.
 */
#include <stdlib.h>

#include "base/json_string.h"
#include "text/yaml_edit_state.h"
#include "text/yaml_edit_text.h"

/* One of the two texts. */
struct side {
	struct rt_buf text;
	size_t read; /* bytes of it */
	struct rt_yaml_source source;
	yaml_event_t event; /* the last one; all zero before the first */
};

struct check {
	const struct yaml_record *record;
	struct side old, new;
	struct rt_error *err;
};

static enum rt_status side_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	struct side *side = ctx;
	size_t len = side->text.len - side->read;

	(void)err;
	if (len == 0)
		return RT_END;
	if (len > cap)
		len = cap;
	memcpy(buf, side->text.data + side->read, len);
	side->read += len;
	*ret_len = len;
	return RT_OK;
}

static void side_release(struct side *side)
{
	yaml_event_delete(&side->event);
	rt_yaml_source_release(&side->source);
	rt_buf_release(&side->text);
}

static enum rt_status unlike(struct check *check)
{
	const struct rt_place *place = &check->record->place;

	(void)rt_error_set(check->err, RT_E_INPUT,
			   "want an issue in a form of YAML that can be changed in its place, "
			   "have another");
	check->err->line = place->line;
	check->err->column = place->column;
	check->err->offset = place->offset;
	return RT_REJECT;
}

static enum rt_status side_next(struct check *check, struct side *side)
{
	enum rt_status status;

	yaml_event_delete(&side->event);
	status = rt_yaml_source_next(&side->source, &side->event, check->err);
	if (status == RT_OK)
		return RT_OK;
	memset(&side->event, 0, sizeof(side->event));
	return status == RT_REJECT ? unlike(check) : status;
}

static bool same_name(const yaml_char_t *a, const yaml_char_t *b)
{
	return a == b || (a && b && strcmp((const char *)a, (const char *)b) == 0);
}

static bool same_scalar(const yaml_event_t *a, const yaml_event_t *b)
{
	return same_name(a->data.scalar.anchor, b->data.scalar.anchor) &&
	       same_name(a->data.scalar.tag, b->data.scalar.tag) &&
	       a->data.scalar.style == b->data.scalar.style &&
	       a->data.scalar.length == b->data.scalar.length &&
	       memcmp(a->data.scalar.value, b->data.scalar.value, a->data.scalar.length) == 0;
}

static bool same_event(const yaml_event_t *a, const yaml_event_t *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case YAML_SCALAR_EVENT:
		return same_scalar(a, b);
	case YAML_ALIAS_EVENT:
		return same_name(a->data.alias.anchor, b->data.alias.anchor);
	case YAML_SEQUENCE_START_EVENT:
		return same_name(a->data.sequence_start.anchor, b->data.sequence_start.anchor) &&
		       same_name(a->data.sequence_start.tag, b->data.sequence_start.tag) &&
		       a->data.sequence_start.style == b->data.sequence_start.style;
	case YAML_MAPPING_START_EVENT:
		return same_name(a->data.mapping_start.anchor, b->data.mapping_start.anchor) &&
		       same_name(a->data.mapping_start.tag, b->data.mapping_start.tag) &&
		       a->data.mapping_start.style == b->data.mapping_start.style;
	default:
		return true;
	}
}

static enum rt_status next_of(struct check *check, struct side *side, yaml_event_type_t type)
{
	enum rt_status status = side_next(check, side);

	if (status == RT_OK && side->event.type != type)
		status = unlike(check);
	return status;
}

static enum rt_status next_of_both(struct check *check, yaml_event_type_t type)
{
	enum rt_status status = next_of(check, &check->old, type);

	return status == RT_OK ? next_of(check, &check->new, type) : status;
}

/* How many collections more are open after an event. */
static int event_depth(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		return 1;
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		return -1;
	default:
		return 0;
	}
}

/* The rest of the node that both stand at the first event of. */
static enum rt_status same_node(struct check *check)
{
	size_t depth = 0;

	for (;;) {
		enum rt_status status;

		if (!same_event(&check->old.event, &check->new.event))
			return unlike(check);
		depth = depth + (size_t)event_depth(&check->old.event);
		if (depth == 0)
			return RT_OK;
		status = side_next(check, &check->old);
		if (status == RT_OK)
			status = side_next(check, &check->new);
		if (status != RT_OK)
			return status;
	}
}

/* Whether a new scalar is a string with this text. */
static bool is_string(const yaml_event_t *event, struct rt_slice text)
{
	struct rt_slice have;

	if (event->type != YAML_SCALAR_EVENT || event->data.scalar.anchor)
		return false;
	have = rt_slice_make((const char *)event->data.scalar.value, event->data.scalar.length);
	if (!rt_slice_equal(have, text))
		return false;
	if (event->data.scalar.tag)
		return strcmp((const char *)event->data.scalar.tag, "!") == 0;
	return event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
	       rt_yaml_scalar_type(have) == YAML_TYPE_STRING;
}

/* The new side's event is the value that json has: a string, number or literal. */
static enum rt_status expect_scalar(struct check *check, struct rt_slice json)
{
	const yaml_event_t *event = &check->new.event;
	struct rt_buf room = {0};
	enum rt_status status;
	bool fits;

	if (json.ptr[0] != '"') {
		fits = event->type == YAML_SCALAR_EVENT && !event->data.scalar.tag &&
		       !event->data.scalar.anchor &&
		       event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
		       rt_slice_equal(json, rt_slice_make((const char *)event->data.scalar.value,
							  event->data.scalar.length));
		return fits ? RT_OK : unlike(check);
	}
	status = rt_buf_reserve(&room, json.len, check->err);
	if (status != RT_OK)
		return status;
	room.len = rt_json_string_decode(rt_slice_make(json.ptr + 1, json.len - 2), room.data);
	fits = is_string(event, rt_buf_slice(&room));
	rt_buf_release(&room);
	return fits ? RT_OK : unlike(check);
}

static enum rt_status next_string(struct check *check, struct rt_slice text)
{
	enum rt_status status = side_next(check, &check->new);

	if (status == RT_OK && !is_string(&check->new.event, text))
		status = unlike(check);
	return status;
}

/* The element that notes in a string have become. */
static enum rt_status expect_note(struct check *check)
{
	enum rt_status status = next_of(check, &check->new, YAML_MAPPING_START_EVENT);

	if (status == RT_OK)
		status = next_string(check, RT_SLICE("added_at"));
	if (status == RT_OK)
		status = side_next(check, &check->new);
	if (status == RT_OK)
		status = expect_scalar(check, RT_SLICE("null"));
	if (status == RT_OK)
		status = next_string(check, RT_SLICE("text"));
	if (status == RT_OK)
		status = next_string(check, rt_buf_slice(&check->record->note));
	if (status == RT_OK)
		status = next_of(check, &check->new, YAML_MAPPING_END_EVENT);
	return status;
}

/* The elements of json, and the end of their sequence. */
static enum rt_status expect_elements(struct check *check, struct rt_slice json)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && json.len > 0) {
		status = next_of(check, &check->new, YAML_MAPPING_START_EVENT);
		do {
			for (int i = 0; status == RT_OK && i < 2; i++) {
				status = side_next(check, &check->new);
				if (status == RT_OK)
					status = expect_scalar(check, rt_yaml_json_value(&json));
			}
		} while (status == RT_OK && !rt_yaml_json_ends(&json));
		if (status == RT_OK)
			status = next_of(check, &check->new, YAML_MAPPING_END_EVENT);
	}
	return status == RT_OK ? next_of(check, &check->new, YAML_SEQUENCE_END_EVENT) : status;
}

/* The rest of the old side's node, at whose first event it is. */
static enum rt_status skip_old(struct check *check)
{
	size_t depth = (size_t)event_depth(&check->old.event);
	enum rt_status status = RT_OK;

	while (status == RT_OK && depth > 0) {
		status = side_next(check, &check->old);
		if (status == RT_OK)
			depth += (size_t)event_depth(&check->old.event);
	}
	return status;
}

/* A sequence that both sides have, and more elements on the new one. */
static enum rt_status expect_longer(struct check *check, struct rt_slice json)
{
	enum rt_status status = RT_OK;

	if (!same_event(&check->old.event, &check->new.event))
		return unlike(check);
	for (;;) {
		status = side_next(check, &check->old);
		if (status != RT_OK || check->old.event.type == YAML_SEQUENCE_END_EVENT)
			break;
		status = side_next(check, &check->new);
		if (status == RT_OK)
			status = same_node(check);
		if (status != RT_OK)
			break;
	}
	return status == RT_OK ? expect_elements(check, json) : status;
}

/* The value of an edited member; neither side has been asked for it. old: there was one. */
static enum rt_status expect_value(struct check *check, size_t index, bool old)
{
	const struct rt_edit *edit = &check->record->want->edits[index];
	const struct yaml_value *value = &check->record->values[index];
	enum rt_status status = side_next(check, &check->new);

	if (status == RT_OK && old)
		status = side_next(check, &check->old);
	if (status == RT_OK && edit->kind == RT_EDIT_NOTES && value->kind == YAML_VALUE_SEQUENCE)
		return expect_longer(check, edit->value);
	if (status == RT_OK && old)
		status = skip_old(check);
	if (status != RT_OK)
		return status;
	if (edit->kind == RT_EDIT_SET)
		return expect_scalar(check, edit->value);
	if (check->new.event.type != YAML_SEQUENCE_START_EVENT)
		return unlike(check);
	if (value->kind == YAML_VALUE_SCALAR && value->type == YAML_TYPE_STRING)
		status = expect_note(check);
	return status == RT_OK ? expect_elements(check, edit->value) : status;
}

/* The members that were missing, and the end of the record. */
static enum rt_status expect_added(struct check *check)
{
	const struct rt_yaml_record *want = check->record->want;
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < want->edit_count; i++) {
		if (check->record->values[i].kind != YAML_VALUE_MISSING)
			continue;
		status = next_string(check, want->edits[i].name);
		if (status == RT_OK)
			status = expect_value(check, i, false);
	}
	return status == RT_OK ? next_of(check, &check->new, YAML_MAPPING_END_EVENT) : status;
}

/* Index of the edit of the member whose key the old side is at; the count if it has none. */
static size_t edit_of(const struct check *check)
{
	const struct rt_yaml_record *want = check->record->want;
	const yaml_event_t *event = &check->old.event;
	size_t i;

	for (i = 0; event->type == YAML_SCALAR_EVENT && i < want->edit_count; i++) {
		if (rt_slice_equal(want->edits[i].name,
				   rt_slice_make((const char *)event->data.scalar.value,
						 event->data.scalar.length)))
			return i;
	}
	return want->edit_count;
}

/* All members from after the start of both mappings. */
static enum rt_status compare_members(struct check *check)
{
	enum rt_status status;

	for (;;) {
		size_t index;

		status = side_next(check, &check->old);
		if (status != RT_OK)
			return status;
		if (check->old.event.type == YAML_MAPPING_END_EVENT)
			return expect_added(check);
		index = edit_of(check);
		status = side_next(check, &check->new);
		if (status == RT_OK)
			status = same_node(check);
		if (status == RT_OK && index < check->record->want->edit_count) {
			status = expect_value(check, index, true);
		} else if (status == RT_OK) {
			status = side_next(check, &check->old);
			if (status == RT_OK)
				status = side_next(check, &check->new);
			if (status == RT_OK)
				status = same_node(check);
		}
		if (status != RT_OK)
			return status;
	}
}

static enum rt_status compare(struct check *check)
{
	enum rt_status status = next_of_both(check, YAML_STREAM_START_EVENT);

	if (status == RT_OK)
		status = next_of_both(check, YAML_DOCUMENT_START_EVENT);
	if (status == RT_OK)
		status = next_of_both(check, YAML_MAPPING_START_EVENT);
	if (status == RT_OK && !same_event(&check->old.event, &check->new.event))
		status = unlike(check);
	if (status == RT_OK)
		status = compare_members(check);
	if (status == RT_OK)
		status = next_of_both(check, YAML_DOCUMENT_END_EVENT);
	return status == RT_OK ? next_of_both(check, YAML_STREAM_END_EVENT) : status;
}

static enum rt_status put_source(struct check *check, struct side *side, const struct yaml_tee *tee,
				 uint64_t from, uint64_t to)
{
	struct rt_slice source = rt_yaml_tee_slice(tee, from, to);

	return rt_buf_append(&side->text, source.ptr, source.len, check->err);
}

/* The texts of both sides. The record keeps its column, or its lines would not fit together. */
static enum rt_status put_texts(struct check *check, const struct yaml_tee *tee)
{
	const struct yaml_record *record = check->record;
	uint64_t end = record->follows > record->end ? record->follows : record->end;
	uint64_t at = record->place.offset;
	enum rt_status status;

	status = rt_yaml_put_spaces(&check->old.text, record->start_column, check->err);
	if (status == RT_OK)
		status = put_source(check, &check->old, tee, at, end);
	if (status == RT_OK)
		status = rt_yaml_put_spaces(&check->new.text, record->start_column, check->err);
	for (size_t i = 0; status == RT_OK && i < record->change_count; i++) {
		const struct yaml_change *change = &record->changes[i];

		if (change->offset < at || change->offset + change->len > record->end)
			return unlike(check);
		status = put_source(check, &check->new, tee, at, change->offset);
		if (status == RT_OK)
			status =
			    rt_buf_append(&check->new.text, record->text.data + change->text_at,
					  change->text_len, check->err);
		at = change->offset + change->len;
	}
	return status == RT_OK ? put_source(check, &check->new, tee, at, end) : status;
}

enum rt_status rt_yaml_edit_check(const struct yaml_record *record, const struct yaml_tee *tee,
				  const struct rt_limits *limits, struct rt_error *err)
{
	struct check *check = calloc(1, sizeof(*check));
	enum rt_status status;

	if (!check)
		return rt_error_nomem(err);
	check->record = record;
	check->err = err;
	status = put_texts(check, tee);
	if (status == RT_OK)
		status = rt_yaml_source_init(
		    &check->old.source, (struct rt_pull){side_read, &check->old}, 0, limits, err);
	if (status == RT_OK)
		status = rt_yaml_source_init(
		    &check->new.source, (struct rt_pull){side_read, &check->new}, 0, limits, err);
	if (status == RT_OK)
		status = compare(check);
	side_release(&check->old);
	side_release(&check->new);
	free(check);
	return status;
}
