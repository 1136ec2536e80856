/*
 * The CSV report (REPORTS R23 to R25; RFC 4180): a row for every issue, in input order. A text
 * that a spreadsheet would take for a formula gets an apostrophe, one that is too long for its
 * cells is cut with a mark.
 *
 * Most of a row is copied from the record's own JSON text in one walk over it, 16 bytes at a time:
 * an export's text is nearly all plain, and an escape has its own spelling here.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json_string.h"
#include "base/plain.h"
#include "base/utf8.h"
#include "output/csv.h"
#include "output/texts.h"
#include "scan/items.h"

/* Code points of a field: the cells of spreadsheets end at 32,767, and the mark needs some. */
#define FIELD_POINTS 32000u
/* JSON bytes whose text, masked, has fewer: a control of a byte is shown as 8 code points. */
#define SURELY_SHORT (FIELD_POINTS / 8 - 1)
/* JSON bytes that are turned into text at a time, and the most that one of them may become: DEL
 * is one byte, and shown as 12. */
#define PIECE 4096u
#define GROWTH 12u
/* Bytes around a text at most: a quote and an apostrophe or "; ", and a quote. */
#define AROUND 3u
/* Bytes of the longest escape: a surrogate pair's. */
#define ESCAPE_MAX 12u

struct csv {
	const struct rt_report_settings *settings;
	struct rt_emit *out;
	struct rt_texts texts;
	struct rt_buf scratch;
	bool shows_code; /* of the finding */
};

/* --- Formulas ---------------------------------------------------------------------------- */

/* The character at the start of a JSON string's text; at < end. *at is stepped over it. */
static uint32_t next_point(const char **at, const char *end)
{
	const char *from = *at;
	char text[4];
	size_t len;

	if (*from == '\\' && from[1] != 'u') {
		*at += 2;
		return (uint32_t)rt_json_string_letter(from[1]);
	}
	if (*from == '\\') {
		len = (from[2] | 0x20) == 'd' && strchr("89abAB", from[3]) ? ESCAPE_MAX : 6;
		*at += len;
		len = rt_json_string_decode(rt_slice_make(from, len), text);
		return rt_utf8_decode(text, len);
	}
	len = rt_utf8_length(from, (size_t)(end - from));
	*at += len ? len : 1;
	return len ? rt_utf8_decode(from, len) : 0xFFFD;
}

/* Whether a text that begins with this may be taken for a formula: the signs, their full-width
 * forms, and what spreadsheets pass over before them (R24). */
static bool is_start(uint32_t point)
{
	return point == '=' || point == '+' || point == '-' || point == '@' || point == 0xFF1D ||
	       point == 0xFF0B || point == 0xFF0D || point == 0xFF20 || point == '\t' ||
	       point == '\r' || point == '\n' || point == 0;
}

/* Whether the text of a JSON string, the bytes between its quotes, gets an apostrophe. */
static inline bool is_formula(struct rt_slice json)
{
	const char *at = json.ptr, *end = rt_slice_end(json);
	uint32_t point = ' ';

	/* As most do not. */
	if (at < end && (*at >= 'A' || (*at >= '0' && *at <= '9')) && *at < 0x7F && *at != '\\')
		return false;
	while (at < end && rt_utf8_is_space(point))
		point = next_point(&at, end);
	return is_start(point);
}

/* The same of text that has no escapes, of a backslash in it included. */
static bool is_formula_text(struct rt_slice text)
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

/* --- Text from JSON ---------------------------------------------------------------------- */

/* A JSON string on its way to a field, piece by piece. */
struct walk {
	const char *at, *end;
	char *out, *start; /* of the piece */
	bool begun;        /* something but blanks has been met on this line */
	unsigned tail_len; /* how the pieces before ended */
	char tail[RT_MASK_COMMAND_BYTES];
};

static uint32_t peek(const struct walk *w)
{
	const char *at = w->at;

	return at < w->end ? next_point(&at, w->end) : 0;
}

/* The last bytes before out, as many as decide whether a '[' after them is masked. Returns how
 * many. */
static unsigned last_bytes(const struct walk *w, char bytes[RT_MASK_COMMAND_BYTES])
{
	size_t here = (size_t)(w->out - w->start), before = 0;

	if (here < RT_MASK_COMMAND_BYTES)
		before = RT_MASK_COMMAND_BYTES - here;
	else
		here = RT_MASK_COMMAND_BYTES;
	if (before > w->tail_len)
		before = w->tail_len;
	memcpy(bytes, w->tail + w->tail_len - before, before);
	memcpy(bytes + before, w->out - here, here);
	return (unsigned)(before + here);
}

/* Whether a '[' at out would end the head of a command. */
static bool is_command(const struct walk *w)
{
	char bytes[RT_MASK_COMMAND_BYTES], last = w->out > w->start ? w->out[-1] : '#';

	/* Most brackets of code have another byte before them. */
	if (last != '#' && (last | 0x20) != 'o' && (last | 0x20) != 'y')
		return false;
	return rt_mask_is_command(bytes, bytes + last_bytes(w, bytes));
}

static void put_line_break(struct walk *w, uint32_t point)
{
	if (point == '\r' && peek(w) == '\n')
		(void)next_point(&w->at, w->end);
	*w->out++ = '\n';
	w->begun = false;
}

/* The next character as rt_mask() shows it, a quote doubled. */
static void put_one(struct walk *w)
{
	uint32_t point = next_point(&w->at, w->end);
	bool begun = w->begun;

	if (point == '\r' || point == '\n') {
		put_line_break(w, point);
		return;
	}
	w->begun = begun || (point != '\t' && !rt_utf8_is_space(point));
	if ((point == '[' && is_command(w)) || (point == ':' && !begun && peek(w) == ':'))
		w->out += sprintf(w->out, "\xE2\x9F\xA8%c\xE2\x9F\xA9", (int)point);
	else if (point == '\t' || rt_mask_keeps(point))
		w->out += rt_utf8_encode(point, w->out);
	else
		w->out += sprintf(w->out, "\xE2\x9F\xA8U+%04" PRIX32 "\xE2\x9F\xA9", point);
	if (point == '"')
		*w->out++ = '"';
}

/* The escapes that nearly all are, by their letters. */
static const char usual[256] = {['n'] = '\n', ['"'] = '"', ['t'] = '\t', ['\\'] = '\\'};

/* Whether a line is begun by a byte, which then needs no look. */
static inline bool begins(char c)
{
	return c > ' ' && c < 0x7F && c != '\\' && c != '[' && c != ':';
}

/*
 * Walk on to stop, or somewhat beyond it where an escape lies across it. In a line that has begun
 * all is plain but backslashes, '[', which may end the mark of a command, and bytes from 0x7F on;
 * bytes below 0x20 and quotes do not stand in a JSON string.
 */
static void put_piece(struct walk *w, const char *stop)
{
	const char *at = w->at;
	char *out = w->out;
	bool begun = w->begun;

	while (at < stop) {
		char c;

		while (!begun && at < stop && *at == ' ')
			*out++ = *at++;
		if (begun || (at < stop && begins(*at))) {
			size_t len = rt_plain_copy(at, (size_t)(stop - at), out, "\\[", true);

			at += len;
			out += len;
			begun = true;
		}
		if (at == stop)
			break;
		c = *at == '\\' ? usual[(unsigned char)at[1]] : '\0';
		if (c) {
			at += 2;
			*out++ = c;
			if (c == '"')
				*out++ = '"';
			begun = c != '\n' && (begun || c != '\t');
			continue;
		}
		w->at = at;
		w->out = out;
		w->begun = begun;
		put_one(w);
		at = w->at;
		out = w->out;
		begun = w->begun;
	}
	w->at = at;
	w->out = out;
	w->begun = begun;
}

/* Append the few bytes that go around a text. Returns where they end. */
static inline char *put_around(char *out, const char *text)
{
	while (*text)
		*out++ = *text++;
	return out;
}

/* The text of a JSON string between its quotes, of which json has what is between; before, after:
 * what goes around it. */
static void put_string(struct rt_emit *e, struct rt_slice json, const char *before,
		       const char *after)
{
	struct walk w = {.at = json.ptr, .end = json.ptr + json.len};

	do {
		size_t len = (size_t)(w.end - w.at) < PIECE ? (size_t)(w.end - w.at) : PIECE;
		char *room = rt_emit_room(e, (len + ESCAPE_MAX) * GROWTH + AROUND);
		char tail[RT_MASK_COMMAND_BYTES];

		if (!room)
			return;
		w.start = w.out = put_around(room, before);
		put_piece(&w, w.at + len);
		w.tail_len = last_bytes(&w, tail);
		memcpy(w.tail, tail, w.tail_len);
		if (w.at == w.end)
			w.out = put_around(w.out, after);
		rt_emit_added(e, (size_t)(w.out - room));
		before = "";
	} while (w.at < w.end);
}

/* --- Fields ------------------------------------------------------------------------------ */

static bool is_guarded(const struct csv *c)
{
	return !c->settings->csv_raw;
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

/* The bytes of the first FIELD_POINTS code points. */
static size_t cut_at(struct rt_slice text)
{
	size_t points = 0, at = 0;

	for (; at < text.len; at++) {
		if ((text.ptr[at] & 0xC0) != 0x80 && points++ == FIELD_POINTS)
			break;
	}
	return at;
}

/* Text that is masked already, in quotes, cut where it is too long. formula: it began like one
 * before it was masked. */
static void put_text(struct csv *c, struct rt_slice text, bool formula)
{
	size_t points = is_guarded(c) ? rt_utf8_points(text) : 0;

	rt_emit_text(c->out, formula && is_guarded(c) ? "\"'" : "\"");
	if (points <= FIELD_POINTS) {
		put_doubled(c->out, text);
	} else {
		put_doubled(c->out, rt_slice_make(text.ptr, cut_at(text)));
		rt_emit_text(c->out, "\xE2\x80\xA6 \xE2\x9F\xA8");
		rt_emit_uint(c->out, points - FIELD_POINTS);
		rt_emit_text(c->out, " characters more\xE2\x9F\xA9");
	}
	rt_emit_char(c->out, '"');
}

enum rt_status rt_csv_text(struct rt_emit *out, struct rt_slice text, bool raw,
			   struct rt_buf *scratch, struct rt_error *err)
{
	struct rt_report_settings settings = {.csv_raw = raw};
	struct csv c = {.settings = &settings, .out = out};
	enum rt_status status;

	scratch->len = 0;
	status = rt_mask(text, RT_MASK_LINES_KEEP, scratch, err);
	if (status == RT_OK)
		put_text(&c, rt_buf_slice(scratch), is_formula_text(text));
	return status;
}

static void put_member_string(struct csv *c, enum rt_member m)
{
	struct rt_slice json = rt_record_string(c->texts.finding->record, m);
	bool formula = is_guarded(c) && is_formula(json);

	if (json.len <= SURELY_SHORT || !is_guarded(c))
		put_string(c->out, json, formula ? "\"'" : "\"", "\"");
	else
		put_text(c, rt_texts_member(&c->texts, m, RT_MASK_LINES_KEEP), formula);
}

/* The next string of a list between its quotes; at: what is left of it, of which nothing is where
 * there are no more. */
static bool next_string(struct rt_slice *at, struct rt_slice *ret_json)
{
	const char *from = at->len ? memchr(at->ptr, '"', at->len) : NULL, *end, *quote;
	bool loose;

	if (!from)
		return false;
	from++;
	end = at->ptr + at->len;
	quote = rt_items_string(from, end, &loose);
	*ret_json = rt_slice_make(from, (size_t)(quote - from));
	*at = rt_slice_make(quote + 1, (size_t)(end - quote) - 1);
	return true;
}

/* Strings with "; " between them begin like the first one. */
static void put_list(struct csv *c, enum rt_member m)
{
	struct rt_slice list = rt_finding_strings(c->texts.finding, m), at = list, json;
	bool formula = is_guarded(c) && next_string(&at, &json) && is_formula(json);
	const char *before = "";

	if (list.len > SURELY_SHORT && is_guarded(c)) {
		put_text(c, rt_texts_list(&c->texts, m, RT_MASK_LINES_KEEP), formula);
		return;
	}
	rt_emit_text(c->out, formula ? "\"'" : "\"");
	for (at = list; next_string(&at, &json); before = "; ")
		put_string(c->out, json, before, "");
	rt_emit_char(c->out, '"');
}

static void put_notes(struct csv *c)
{
	struct rt_slice at = c->texts.finding->notes, added_at, text;
	bool formula = false;

	if (!at.ptr)
		return;
	if (rt_notes_next(&at, &c->texts.decoded, &added_at, &text, &c->texts.err) == RT_OK)
		formula = is_formula_text(text);
	at = rt_texts_notes(&c->texts, RT_MASK_LINES_KEEP);
	if (at.ptr)
		put_text(c, at, formula);
}

/* --- Rows -------------------------------------------------------------------------------- */

/* Whether a member is source code, which is not always shown. */
static bool is_code(enum rt_member m)
{
	return m == RT_M_CODE_SNIPPET || m == RT_M_CONTEXT_BEFORE || m == RT_M_CONTEXT_AFTER ||
	       m == RT_M_REMEDIATION_CODE;
}

static void put_member(struct csv *c, enum rt_member m)
{
	const struct rt_record *record = c->texts.finding->record;

	if (!rt_record_has(record, m)) {
		/* As in an answer (SPEC D7). */
		if (m == RT_M_FALSE_POSITIVE)
			rt_emit_text(c->out, "false");
	} else if (record->types[m] == RT_TYPE_STRINGS) {
		put_list(c, m);
	} else if (record->types[m] != RT_TYPE_STRING) {
		rt_emit_slice(c->out, record->values[m]);
	} else if (!is_code(m) || c->shows_code) {
		put_member_string(c, m);
	}
}

static enum rt_status csv_begin(void *state, const struct rt_report_settings *settings,
				const struct rt_facts *facts, struct rt_emit *out,
				struct rt_error *err)
{
	struct csv *c = state;

	(void)facts;
	(void)err;
	c->settings = settings;
	c->out = out;
	rt_texts_init(&c->texts, settings);
	if (settings->csv_bom)
		rt_emit_text(out, "\xEF\xBB\xBF");
	for (size_t i = 0; settings->columns && i < settings->columns->count; i++) {
		rt_emit_text(out, i ? "," : "");
		rt_emit_slice(out, settings->columns->names[i]);
	}
	if (settings->columns) {
		rt_emit_text(out, "\r\n");
		return RT_OK;
	}
	for (unsigned m = 0; m < RT_ISSUE_MEMBERS; m++) {
		rt_emit_slice(out, rt_member_name((enum rt_member)m));
		rt_emit_char(out, ',');
	}
	rt_emit_text(out, settings->compared ? "notes,status,baseline\r\n" : "notes,status\r\n");
	return RT_OK;
}

/* A field that was asked for by its name. */
static void put_column(struct csv *c, unsigned field)
{
	const struct rt_finding *finding = c->texts.finding;
	struct rt_slice text = {NULL, 0};
	bool formula;

	if (field < RT_ISSUE_MEMBERS) {
		put_member(c, (enum rt_member)field);
		return;
	}
	if (field == RT_F_NOTES) {
		put_notes(c);
		return;
	}
	if (field == RT_F_LINK)
		text = rt_texts_link(&c->texts);
	else if (c->texts.status == RT_OK)
		c->texts.status = rt_field_text(&c->settings->source, finding, field, 0,
						&c->scratch, &text, &c->texts.err);
	formula = text.len && is_formula_text(text);
	if (field == RT_F_AGE || field == RT_F_OVERDUE)
		rt_emit_slice(c->out, text);
	else if (text.ptr)
		put_text(c, rt_texts_mask(&c->texts, text, RT_MASK_LINES_KEEP), formula);
}

static enum rt_status csv_issue(void *state, const struct rt_finding *finding, struct rt_error *err)
{
	const struct rt_columns *columns = ((struct csv *)state)->settings->columns;
	struct csv *c = state;

	c->texts.finding = finding;
	c->shows_code = rt_texts_shows_code(&c->texts);
	for (size_t i = 0; columns && i < columns->count; i++) {
		rt_emit_text(c->out, i ? "," : "");
		put_column(c, columns->fields[i]);
	}
	if (columns) {
		rt_emit_text(c->out, "\r\n");
		return rt_texts_status(&c->texts, err);
	}
	for (unsigned m = 0; m < RT_ISSUE_MEMBERS; m++) {
		put_member(c, (enum rt_member)m);
		rt_emit_char(c->out, ',');
	}
	put_notes(c);
	rt_emit_text(c->out, ",\"");
	rt_emit_slice(c->out, rt_status_names[finding->status]);
	if (c->settings->compared) {
		rt_emit_text(c->out, "\",\"");
		rt_emit_text(c->out, rt_class_name(finding->class));
	}
	rt_emit_text(c->out, "\"\r\n");
	return rt_texts_status(&c->texts, err);
}

static enum rt_status csv_end(void *state, char *notice, size_t cap, struct rt_error *err)
{
	struct csv *c = state;

	(void)err;
	if (!is_guarded(c))
		(void)snprintf(notice, cap,
			       "csv: texts that begin like formulas are not guarded (--csv-raw)");
	return RT_OK;
}

static void csv_release(void *state)
{
	struct csv *c = state;

	rt_texts_release(&c->texts);
	rt_buf_release(&c->scratch);
}

const struct rt_report_kind rt_kind_csv = {
    .name = "csv",
    .state_bytes = sizeof(struct csv),
    .begin = csv_begin,
    .issue = csv_issue,
    .end = csv_end,
    .release = csv_release,
};
