/*
 * The CSV report (REPORTS R23 to R25; RFC 4180): a row for every issue, in input order. A text
 * that a spreadsheet would take for a formula gets an apostrophe, one that is too long for its
 * cells is cut with a mark.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/utf8.h"
#include "output/csv.h"
#include "output/kind.h"

/* Code points of a field: the cells of spreadsheets end at 32,767, and the mark needs some. */
#define FIELD_POINTS 32000u
struct csv {
	struct rt_reporting r;
	struct rt_columns columns;
	bool shows_code; /* of the finding */
};

/* --- Formulas ---------------------------------------------------------------------------- */

/* Whether a text that begins with this may be taken for a formula: the signs, their full-width
 * forms, and what spreadsheets pass over before them (R24). */
static bool is_start(uint32_t point)
{
	return point == '=' || point == '+' || point == '-' || point == '@' || point == 0xFF1D ||
	       point == 0xFF0B || point == 0xFF0D || point == 0xFF20 || point == '\t' ||
	       point == '\r' || point == '\n' || point == 0;
}

static bool is_formula(struct rt_slice text)
{
	size_t at = 0;

	while (at < text.len) {
		size_t len = rt_utf8_length(text.ptr + at, text.len - at);
		uint32_t point = len ? rt_utf8_decode(text.ptr + at, len) : 0xFFFD;

		if (!rt_utf8_is_space(point))
			return is_start(point);
		at += len;
	}
	return false;
}

/* --- Fields ------------------------------------------------------------------------------ */

static bool is_guarded(const struct csv *c)
{
	return !c->r.settings->csv_raw;
}

static void put_doubled(struct rt_emit *e, struct rt_slice text)
{
	const char *at = text.ptr, *end = rt_slice_end(text), *quote;

	while (at < end && (quote = memchr(at, '"', (size_t)(end - at)))) {
		rt_emit_bytes(e, at, (size_t)(quote + 1 - at));
		rt_emit_char(e, '"');
		at = quote + 1;
	}
	rt_emit_bytes(e, at, (size_t)(end - at));
}

/* Text that is masked already, in quotes, cut where it is too long. formula: it began like one
 * before it was masked. */
static void put_text(struct csv *c, struct rt_slice text, bool formula)
{
	size_t more = 0;

	if (is_guarded(c))
		text.len = rt_text_prefix(text, FIELD_POINTS, &more);
	rt_emit_text(c->r.out, formula && is_guarded(c) ? "\"'" : "\"");
	put_doubled(c->r.out, text);
	if (more) {
		rt_emit_text(c->r.out, "\xE2\x80\xA6 \xE2\x9F\xA8");
		rt_emit_uint(c->r.out, more);
		rt_emit_text(c->r.out, " characters more\xE2\x9F\xA9");
	}
	rt_emit_char(c->r.out, '"');
}

/* A text that is not masked yet. */
static void put_raw(struct csv *c, struct rt_slice text)
{
	bool formula = is_formula(text);

	put_text(c, rt_texts_mask(&c->r.texts, text, RT_MASK_LINES_KEEP), formula);
}

void rt_csv_text(struct rt_emit *out, struct rt_slice text, bool raw)
{
	struct rt_report_settings settings = {.csv_raw = raw};
	struct csv c = {.r = {.settings = &settings, .out = out}};

	put_raw(&c, text);
	rt_emit_fail(out, c.r.texts.status, &c.r.texts.err);
	rt_texts_release(&c.r.texts);
}

/* Strings with "; " between them begin like the first one. */
static void put_list(struct csv *c, enum rt_member m)
{
	struct rt_texts *t = &c->r.texts;
	struct rt_slice at = rt_finding_strings(t->finding, m), first = {NULL, 0};
	bool formula = rt_texts_string(t, &at, &first) && is_formula(first);

	put_text(c, rt_texts_list(t, m, RT_MASK_LINES_KEEP), formula);
}

static void put_notes(struct csv *c)
{
	struct rt_slice at = c->r.texts.finding->notes, added_at, first;
	bool formula = rt_texts_note(&c->r.texts, &at, &added_at, &first) && is_formula(first);

	at = rt_texts_notes(&c->r.texts, RT_MASK_LINES_KEEP);
	if (at.ptr)
		put_text(c, at, formula);
}

/* --- Rows -------------------------------------------------------------------------------- */

static void put_member(struct csv *c, enum rt_member m)
{
	const struct rt_record *record = c->r.texts.finding->record;

	if (!rt_record_has(record, m)) {
		/* As in an answer (SPEC D7). */
		if (m == RT_M_FALSE_POSITIVE)
			rt_emit_text(c->r.out, "false");
	} else if (record->types[m] == RT_TYPE_STRINGS) {
		put_list(c, m);
	} else if (record->types[m] != RT_TYPE_STRING) {
		rt_emit_slice(c->r.out, record->values[m]);
	} else if (!rt_member_is_code(m) || c->shows_code) {
		put_raw(c, rt_texts_decoded(&c->r.texts, m));
	}
}

/* What a row has where nothing else was asked for: everything, in the order of an answer. */
static void choose_all(struct rt_columns *columns, bool compared)
{
	for (unsigned m = 0; m < RT_ISSUE_MEMBERS; m++)
		columns->fields[columns->count++] = m;
	columns->fields[columns->count++] = RT_F_NOTES;
	columns->fields[columns->count++] = RT_F_STATUS;
	if (compared)
		columns->fields[columns->count++] = RT_F_BASELINE;
	for (size_t i = 0; i < columns->count; i++)
		columns->names[i] = rt_field_name(columns->fields[i]);
}

static void csv_begin(void *state)
{
	struct csv *c = state;
	const struct rt_report_settings *settings = c->r.settings;

	if (settings->columns)
		c->columns = *settings->columns;
	else
		choose_all(&c->columns, settings->compared);
	rt_emit_text(c->r.out, settings->csv_bom ? "\xEF\xBB\xBF" : "");
	for (size_t i = 0; i < c->columns.count; i++) {
		rt_emit_text(c->r.out, i ? "," : "");
		rt_emit_slice(c->r.out, c->columns.names[i]);
	}
	rt_emit_text(c->r.out, "\r\n");
}

/* A field that was asked for by its name. */
static void put_column(struct csv *c, unsigned field)
{
	struct rt_texts *t = &c->r.texts;
	struct rt_put room = {&t->decoded, &t->err, t->status};
	struct rt_slice text;

	if (field < RT_ISSUE_MEMBERS) {
		put_member(c, (enum rt_member)field);
		return;
	}
	if (field == RT_F_NOTES) {
		put_notes(c);
		return;
	}
	text = rt_field_text(&c->r.settings->source, t->finding, field, 0, &room);
	t->status = room.status;
	if (field == RT_F_LINK && (text = rt_texts_link(t)).ptr)
		text = rt_texts_cut(t, text, SIZE_MAX);
	if (field == RT_F_AGE || field == RT_F_OVERDUE)
		rt_emit_slice(c->r.out, text);
	else if (text.ptr)
		put_raw(c, text);
}

static void csv_issue(void *state)
{
	struct csv *c = state;

	c->shows_code = rt_texts_shows_code(&c->r.texts);
	for (size_t i = 0; i < c->columns.count; i++) {
		rt_emit_text(c->r.out, i ? "," : "");
		put_column(c, c->columns.fields[i]);
	}
	rt_emit_text(c->r.out, "\r\n");
}

static void csv_end(void *state)
{
	struct csv *c = state;

	if (!is_guarded(c))
		(void)snprintf(c->r.notice, sizeof(c->r.notice),
			       "csv: texts that begin like formulas are not guarded (--csv-raw)");
}

const struct rt_report_kind rt_kind_csv = {
    .name = "csv",
    .state_bytes = sizeof(struct csv),
    .begin = csv_begin,
    .issue = csv_issue,
    .end = csv_end,
};
