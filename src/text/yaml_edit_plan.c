/*
 * From the places of a record's members to changes of its source.
 * Input: a record whose end has been met, and its bytes. Output: changes in order of offset.
 * Refuses values that cannot become what is wanted: collections in place of scalars, notes of
 * other types, and a member without a colon or a mapping without braces where one would be needed.
 */
#include <assert.h>

#include "text/yaml_edit_state.h"
#include "text/yaml_edit_text.h"

/* What the functions below work with. */
struct plan {
	struct yaml_record *record;
	const struct yaml_tee *tee;
	uint64_t stripped; /* header of a block scalar that has been made to end without a break */
	struct rt_error *err;
};

static enum rt_status plan_reject(struct plan *plan, struct rt_place place, const char *want,
				  const char *have)
{
	(void)rt_error_set(plan->err, RT_E_INPUT, "want %s, have %s", want, have);
	plan->err->line = place.line;
	plan->err->column = place.column;
	plan->err->offset = place.offset;
	return RT_REJECT;
}

static void add_change(struct plan *plan, uint64_t from, uint64_t to, size_t text_at, bool header)
{
	struct yaml_record *record = plan->record;
	size_t len = record->text.len - text_at;
	size_t at = record->change_count;

	if (from == to && len == 0)
		return;
	assert(at < YAML_PATCHES_MAX);
	/* Kept in order; what comes later goes after what has the same offset. */
	for (; at > 0 && record->changes[at - 1].offset > from; at--)
		record->changes[at] = record->changes[at - 1];
	record->changes[at] = (struct yaml_change){from, to - from, text_at, len, header};
	record->change_count++;
	if (to > record->end)
		record->end = to;
}

/* Add the change of [from, to) to the text that was put after text_at, which may be none. */
static void change(struct plan *plan, uint64_t from, uint64_t to, size_t text_at)
{
	add_change(plan, from, to, text_at, false);
}

static void drop(struct plan *plan, uint64_t from, uint64_t to)
{
	change(plan, from, to, plan->record->text.len);
}

static enum rt_status put(struct plan *plan, const char *text)
{
	return rt_buf_append(&plan->record->text, text, strlen(text), plan->err);
}

/* --- Places ------------------------------------------------------------------------------- */

/* The spot for lines after the line on which something ends. */
static enum rt_status spot_behind(struct plan *plan, struct yaml_extent extent,
				  struct yaml_spot *spot)
{
	size_t text_at = plan->record->text.len;
	enum rt_status status = RT_OK;

	*spot = rt_yaml_edit_spot(plan->tee, extent, plan->record->column);
	if (!spot->strip || plan->stripped == extent.start)
		return RT_OK;
	plan->stripped = extent.start;
	status = put(plan, "-");
	if (status == RT_OK)
		add_change(plan, spot->strip_at, spot->strip_at + spot->strip_len, text_at, true);
	return status;
}

/* Add at the spot the lines that were put after text_at, each with a break before it. */
static enum rt_status change_lines(struct plan *plan, const struct yaml_spot *spot, size_t text_at)
{
	enum rt_status status = spot->begins ? put(plan, spot->line) : RT_OK;

	if (spot->begins)
		text_at += strlen(spot->line);
	if (status == RT_OK)
		change(plan, spot->offset, spot->offset, text_at);
	return status;
}

/* --- New text ----------------------------------------------------------------------------- */

static enum rt_status put_line(struct plan *plan, const struct yaml_spot *spot, size_t column)
{
	enum rt_status status = put(plan, spot->line);

	if (status == RT_OK)
		status = rt_yaml_put_spaces(&plan->record->text, column, plan->err);
	return status;
}

/* An element as a block mapping after its dash. */
static enum rt_status put_block_element(struct plan *plan, struct rt_slice *json,
					const struct yaml_spot *spot, size_t column)
{
	struct rt_buf line = {0};
	enum rt_status status;

	status = rt_buf_append(&line, spot->line, strlen(spot->line), plan->err);
	if (status == RT_OK)
		status = rt_yaml_put_spaces(&line, column + 2, plan->err);
	if (status == RT_OK)
		status = rt_buf_append(&line, "", 1, plan->err);
	if (status == RT_OK)
		status = rt_yaml_put_object(&plan->record->text, json, line.data,
					    plan->record->quoted, plan->err);
	rt_buf_release(&line);
	return status;
}

/* All elements as lines of a block sequence with dashes at column. */
static enum rt_status put_block_elements(struct plan *plan, struct rt_slice json,
					 const struct yaml_spot *spot, size_t column, bool block)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && json.len > 0) {
		status = put_line(plan, spot, column);
		if (status == RT_OK)
			status = put(plan, "- ");
		if (status == RT_OK && block)
			status = put_block_element(plan, &json, spot, column);
		else if (status == RT_OK)
			status = rt_yaml_put_object(&plan->record->text, &json, NULL,
						    plan->record->quoted, plan->err);
	}
	return status;
}

/* All elements for the inside of a flow sequence. */
static enum rt_status put_flow_elements(struct plan *plan, struct rt_slice json)
{
	enum rt_status status = RT_OK;
	bool first = true;

	while (status == RT_OK && json.len > 0) {
		status = put(plan, first ? "" : ", ");
		if (status == RT_OK)
			status = rt_yaml_put_object(&plan->record->text, &json, NULL,
						    plan->record->quoted, plan->err);
		first = false;
	}
	return status;
}

/* The string that notes were: as it is spelled where that is good on one line, else quoted. */
static enum rt_status put_note(struct plan *plan, const struct yaml_value *value)
{
	struct rt_buf *text = &plan->record->text;
	struct rt_slice spelled =
	    rt_yaml_tee_slice(plan->tee, value->extent.start, value->extent.end);
	bool plain = value->style == YAML_PLAIN_SCALAR_STYLE;
	bool fits = !value->extent.block && spelled.len > 0 && spelled.ptr[0] != '!' &&
		    (!plain || rt_yaml_scalar_type(spelled) == YAML_TYPE_STRING) &&
		    rt_yaml_tee_line_end(plan->tee, value->extent.start) >= value->extent.end;

	if (fits)
		return rt_buf_append(text, spelled.ptr, spelled.len, plan->err);
	return rt_yaml_put_quoted(text, rt_buf_slice(&plan->record->note), plan->err);
}

/* The element that a string becomes; line as rt_yaml_put_object(). */
static enum rt_status put_note_object(struct plan *plan, const struct yaml_value *value,
				      const struct yaml_spot *spot, size_t column)
{
	struct rt_buf *text = &plan->record->text;
	bool quoted = plan->record->quoted;
	enum rt_status status = spot ? RT_OK : put(plan, "{");

	if (status == RT_OK)
		status = rt_yaml_put_name(text, RT_SLICE("added_at"), quoted, plan->err);
	if (status == RT_OK)
		status = put(plan, ": null");
	if (status == RT_OK)
		status = spot ? put_line(plan, spot, column) : put(plan, ", ");
	if (status == RT_OK)
		status = rt_yaml_put_name(text, RT_SLICE("text"), quoted, plan->err);
	if (status == RT_OK)
		status = put(plan, ": ");
	if (status == RT_OK)
		status = put_note(plan, value);
	return status == RT_OK && !spot ? put(plan, "}") : status;
}

/* --- Values that are there ---------------------------------------------------------------- */

/* The source of a scalar has become a line's: what is added after it goes after that line. */
static void settle(struct plan *plan, struct yaml_value *value, const struct yaml_parts *parts)
{
	struct yaml_extent *last = &plan->record->last;

	if (value->extent.block && last->start == value->extent.start) {
		last->end = parts->end;
		last->block = false;
	}
}

/* Quotes may stand right before a comment, other text may not. */
static enum rt_status put_gap(struct plan *plan, uint64_t end)
{
	return put(plan, rt_yaml_tee_byte(plan->tee, end) == '#' ? " " : "");
}

/* Replace a scalar or an alias by the text that was put after text_at. */
static enum rt_status replace(struct plan *plan, struct yaml_value *value, size_t text_at)
{
	struct yaml_parts parts = rt_yaml_edit_parts(plan->tee, value->extent);
	enum rt_status status = put_gap(plan, parts.end);

	if (status != RT_OK)
		return status;
	if (rt_yaml_tee_line_end(plan->tee, parts.tag_end) < parts.start) {
		/* A comment may stand between the tag and the value. */
		size_t len = plan->record->text.len;

		change(plan, parts.start, parts.end, text_at);
		change(plan, value->extent.start, parts.tag_end, len);
	} else {
		change(plan, value->extent.start, parts.end, text_at);
	}
	drop(plan, parts.content, parts.content_end);
	settle(plan, value, &parts);
	return RT_OK;
}

static enum rt_status no_colon(struct plan *plan, const struct yaml_value *value)
{
	return plan_reject(plan, value->place, "a key with a colon where its value is changed",
			   "none");
}

/* What goes before a value that is to stand where an empty one stood. */
static enum rt_status put_behind_key(struct plan *plan, const struct yaml_value *value,
				     uint64_t *ret_offset)
{
	*ret_offset = value->extent.start;
	if (value->colon)
		return put(plan, " ");
	if (!plan->record->flow)
		return no_colon(plan, value);
	*ret_offset = value->key_end;
	return put(plan, ": ");
}

/* The text that was put after text_at stands for a value; offset: where it goes if there was none.
 */
static enum rt_status put_in_place(struct plan *plan, struct yaml_value *value, uint64_t offset,
				   size_t text_at)
{
	if (!value->empty)
		return replace(plan, value, text_at);
	change(plan, offset, offset, text_at);
	return RT_OK;
}

static enum rt_status put_new(struct plan *plan, struct rt_slice json, struct yaml_value *value)
{
	yaml_scalar_style_t style = YAML_PLAIN_SCALAR_STYLE;
	bool dated = false;

	if (value->kind == YAML_VALUE_SCALAR && value->type == YAML_TYPE_STRING) {
		struct yaml_parts parts = rt_yaml_edit_parts(plan->tee, value->extent);

		style = value->style;
		dated = style == YAML_PLAIN_SCALAR_STYLE &&
			rt_yaml_is_dated(rt_yaml_tee_slice(plan->tee, parts.start, parts.end));
	} else if (plan->record->quoted) {
		style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	}
	if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE)
		style = YAML_PLAIN_SCALAR_STYLE;
	return rt_yaml_put_scalar(&plan->record->text, json, style, dated, plan->err);
}

static enum rt_status set_value(struct plan *plan, struct rt_slice json, struct yaml_value *value)
{
	size_t text_at = plan->record->text.len;
	enum rt_status status = RT_OK;
	uint64_t offset = 0;

	if (value->kind == YAML_VALUE_SEQUENCE || value->kind == YAML_VALUE_MAPPING)
		return plan_reject(plan, value->place, "a scalar where a value is changed",
				   value->kind == YAML_VALUE_SEQUENCE ? "an array" : "an object");
	if (value->empty)
		status = put_behind_key(plan, value, &offset);
	if (status == RT_OK)
		status = put_new(plan, json, value);
	return status == RT_OK ? put_in_place(plan, value, offset, text_at) : status;
}

/* --- Notes -------------------------------------------------------------------------------- */

/* Add elements to a sequence that is there. */
static enum rt_status extend_notes(struct plan *plan, struct rt_slice json,
				   struct yaml_value *value)
{
	uint64_t at = value->items ? value->content.end : value->inner;
	size_t text_at = plan->record->text.len;
	enum rt_status status = RT_OK;
	struct yaml_spot spot;

	if (!value->flow) {
		status = spot_behind(plan, value->content, &spot);
		text_at = plan->record->text.len;
		if (status == RT_OK)
			status = put_block_elements(plan, json, &spot, value->column,
						    value->items_block);
		return status == RT_OK ? change_lines(plan, &spot, text_at) : status;
	}
	if (value->items)
		status = put(plan, rt_yaml_tee_byte(plan->tee, at - 1) == ':' ? " , " : ", ");
	if (status == RT_OK)
		status = put_flow_elements(plan, json);
	if (status == RT_OK)
		change(plan, at, at, text_at);
	return status;
}

/* Null or a string becomes a flow sequence in its place. */
static enum rt_status make_flow_notes(struct plan *plan, struct rt_slice json,
				      struct yaml_value *value)
{
	size_t text_at = plan->record->text.len;
	enum rt_status status = RT_OK;
	uint64_t offset = 0;

	if (value->empty)
		status = put_behind_key(plan, value, &offset);
	if (status == RT_OK)
		status = put(plan, "[");
	if (status == RT_OK && value->type == YAML_TYPE_STRING) {
		status = put_note_object(plan, value, NULL, 0);
		if (status == RT_OK)
			status = put(plan, ", ");
	}
	if (status == RT_OK)
		status = put_flow_elements(plan, json);
	if (status == RT_OK)
		status = put(plan, "]");
	return status == RT_OK ? put_in_place(plan, value, offset, text_at) : status;
}

/* Drop a value from after its colon on. *ret_end: where it ended on its last line. */
static enum rt_status drop_value(struct plan *plan, struct yaml_value *value, uint64_t *ret_end)
{
	struct yaml_parts parts = rt_yaml_edit_parts(plan->tee, value->extent);
	uint64_t colon = rt_yaml_tee_skip_gap(plan->tee, value->key_end);
	uint64_t from = colon + 1;
	enum rt_status status;
	size_t text_at;

	*ret_end = parts.end;
	if (value->empty ? !value->colon : rt_yaml_tee_byte(plan->tee, colon) != ':')
		return no_colon(plan, value);
	if (value->empty)
		return RT_OK;
	while (from < value->extent.start && rt_yaml_is_space(rt_yaml_tee_byte(plan->tee, from)))
		from++;
	/* Blanks before the value go with it unless a comment or a break is among them. */
	from = from == value->extent.start ? colon + 1 : value->extent.start;
	text_at = plan->record->text.len;
	status = put_gap(plan, parts.end);
	if (status != RT_OK)
		return status;
	change(plan, from, parts.end, text_at);
	drop(plan, parts.content, parts.content_end);
	settle(plan, value, &parts);
	return RT_OK;
}

/* Null or a string in a block mapping becomes a block sequence on the lines after it. */
static enum rt_status make_block_notes(struct plan *plan, struct rt_slice json,
				       struct yaml_value *value)
{
	size_t column = plan->record->column + 2;
	struct yaml_extent line = {0};
	enum rt_status status;
	struct yaml_spot spot;
	size_t text_at;

	status = drop_value(plan, value, &line.end);
	if (status != RT_OK)
		return status;
	(void)spot_behind(plan, line, &spot);
	text_at = plan->record->text.len;
	if (value->type == YAML_TYPE_STRING) {
		status = put_line(plan, &spot, column);
		if (status == RT_OK)
			status = put(plan, "- ");
		if (status == RT_OK)
			status = put_note_object(plan, value, &spot, column + 2);
	}
	if (status == RT_OK)
		status = put_block_elements(plan, json, &spot, column, true);
	return status == RT_OK ? change_lines(plan, &spot, text_at) : status;
}

static enum rt_status set_notes(struct plan *plan, struct rt_slice json, struct yaml_value *value)
{
	const char *have = NULL;

	if (value->kind == YAML_VALUE_SEQUENCE)
		return extend_notes(plan, json, value);
	if (value->kind == YAML_VALUE_MAPPING)
		have = "an object";
	else if (value->kind == YAML_VALUE_ALIAS)
		have = "an alias";
	else if (value->type != YAML_TYPE_STRING && value->type != YAML_TYPE_NULL)
		have = rt_yaml_type_name(value->type);
	if (have)
		return plan_reject(plan, value->place, "notes that are an array, a string or null",
				   have);
	if (plan->record->flow)
		return make_flow_notes(plan, json, value);
	return make_block_notes(plan, json, value);
}

/* --- Members that are missing --------------------------------------------------------------- */

static enum rt_status add_to_flow(struct plan *plan, const struct rt_edit *edit)
{
	struct yaml_record *record = plan->record;
	uint64_t at = record->members ? record->last.end : record->inner;
	struct yaml_value none = {.kind = YAML_VALUE_MISSING};
	size_t text_at = record->text.len;
	enum rt_status status = RT_OK;

	if (record->pair)
		return plan_reject(plan, record->place, "braces around an issue that gets a member",
				   "none");
	if (record->members || record->change_count > 0)
		status = put(plan, rt_yaml_tee_byte(plan->tee, at - 1) == ':' ? " , " : ", ");
	if (status == RT_OK)
		status = rt_yaml_put_name(&record->text, edit->name, record->quoted, plan->err);
	if (status == RT_OK)
		status = put(plan, edit->kind == RT_EDIT_NOTES ? ": [" : ": ");
	if (status == RT_OK)
		status = edit->kind == RT_EDIT_NOTES ? put_flow_elements(plan, edit->value)
						     : put_new(plan, edit->value, &none);
	if (status == RT_OK && edit->kind == RT_EDIT_NOTES)
		status = put(plan, "]");
	if (status == RT_OK)
		change(plan, at, at, text_at);
	return status;
}

static enum rt_status add_to_block(struct plan *plan, const struct rt_edit *edit)
{
	struct yaml_record *record = plan->record;
	struct yaml_value none = {.kind = YAML_VALUE_MISSING};
	enum rt_status status;
	struct yaml_spot spot;
	size_t text_at;

	status = spot_behind(plan, record->last, &spot);
	text_at = record->text.len;
	if (status == RT_OK)
		status = put_line(plan, &spot, record->column);
	if (status == RT_OK)
		status = rt_yaml_put_name(&record->text, edit->name, record->quoted, plan->err);
	if (status == RT_OK && edit->kind == RT_EDIT_NOTES) {
		status = put(plan, ":");
		if (status == RT_OK)
			status =
			    put_block_elements(plan, edit->value, &spot, record->column + 2, true);
	} else if (status == RT_OK) {
		status = put(plan, ": ");
		if (status == RT_OK)
			status = put_new(plan, edit->value, &none);
	}
	return status == RT_OK ? change_lines(plan, &spot, text_at) : status;
}

static enum rt_status plan_edit(struct plan *plan, const struct rt_edit *edit,
				struct yaml_value *value)
{
	enum rt_status status;

	if (value->kind == YAML_VALUE_MISSING)
		status = plan->record->flow ? add_to_flow(plan, edit) : add_to_block(plan, edit);
	else if (edit->kind == RT_EDIT_NOTES)
		status = set_notes(plan, edit->value, value);
	else
		status = set_value(plan, edit->value, value);
	if (status == RT_REJECT)
		rt_error_text(plan->err->field, sizeof(plan->err->field), edit->name);
	return status;
}

/* --- Tabs ----------------------------------------------------------------------------------- */

static uint64_t skip_blanks(const struct yaml_tee *tee, uint64_t at)
{
	while (rt_yaml_is_space(rt_yaml_tee_byte(tee, at)))
		at++;
	return at;
}

/* The end of the last tab that the lines after a place begin with, up to one with more on it; 0. */
static uint64_t last_tab(const struct yaml_tee *tee, uint64_t at)
{
	uint64_t last = 0;
	size_t len;

	while ((len = rt_yaml_tee_break(tee, at)) > 0) {
		for (at += len; rt_yaml_is_space(rt_yaml_tee_byte(tee, at)); at++) {
			if (rt_yaml_tee_byte(tee, at) == '\t')
				last = at + 1;
		}
	}
	return last;
}

/*
 * Drop the blanks that lines after a change begin with, if there are tabs in them: a plain scalar
 * takes such lines in, after anything else libyaml refuses them. Their breaks stay. next: where the
 * next change begins, which drops a block scalar's lines if there are tabs behind it.
 */
static enum rt_status drop_tabs(struct plan *plan, uint64_t end, uint64_t next)
{
	uint64_t from = skip_blanks(plan->tee, end), to = last_tab(plan->tee, from);
	size_t text_at = plan->record->text.len, len;
	enum rt_status status = RT_OK;
	struct rt_slice kept;

	if (to == 0 || to > next)
		return RT_OK;
	for (uint64_t at = from; status == RT_OK && at < to; at += len ? len : 1) {
		len = rt_yaml_tee_break(plan->tee, at);
		kept = rt_yaml_tee_slice(plan->tee, at, at + len);
		status = rt_buf_append(&plan->record->text, kept.ptr, kept.len, plan->err);
	}
	if (status == RT_OK)
		change(plan, from, to, text_at);
	return status;
}

/* Likewise after all changes; those that end at one place have the same lines after them. */
static enum rt_status drop_all_tabs(struct plan *plan)
{
	const struct yaml_record *record = plan->record;
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < record->change_count; i++) {
		const struct yaml_change *here = &record->changes[i];
		uint64_t end = here->offset + here->len;
		uint64_t next = i + 1 < record->change_count ? here[1].offset : UINT64_MAX;

		if (!here->header && next > end)
			status = drop_tabs(plan, end, next);
	}
	return status;
}

enum rt_status rt_yaml_edit_plan(struct yaml_record *record, const struct yaml_tee *tee,
				 struct rt_error *err)
{
	struct plan plan = {record, tee, UINT64_MAX, err};
	enum rt_status status = RT_OK;

	/* What is missing goes after what is there, and that may get longer. */
	for (int missing = 0; missing < 2; missing++) {
		for (size_t i = 0; status == RT_OK && i < record->want->edit_count; i++) {
			if ((record->values[i].kind == YAML_VALUE_MISSING) == missing)
				status =
				    plan_edit(&plan, &record->want->edits[i], &record->values[i]);
		}
	}
	return status == RT_OK && !record->flow ? drop_all_tabs(&plan) : status;
}
