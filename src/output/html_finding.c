/*
 * One finding in the HTML report: a row of the data block, from which page.js builds nodes, and
 * the same as markup for readers without script.
 */
#include <inttypes.h>
#include <stdio.h>

#include "output/html.h"

/* Bits of a row's flags; page.js has the same. */
#define FLAG_DISMISSED 1u
#define FLAG_EXPLOITABLE 2u
#define FLAG_OVERDUE 4u
#define FLAG_EXPIRED 8u
#define FLAG_NEW 16u
#define FLAG_WITHHELD 32u

static struct rt_slice text_of(const struct rt_html_view *view, struct rt_html_piece piece)
{
	return rt_html_piece_text(view, piece);
}

/* Texts are named by what they are the text of: "Description and explanation". */
static void part_name(struct rt_emit *e, unsigned names)
{
	static const char *const words[][2] = {{"Title", "title"},
					       {"Description", "description"},
					       {"Explanation", "explanation"},
					       {"Remediation", "remediation"}};
	bool first = true;

	for (unsigned i = 0; i < RT_HTML_TEXTS; i++) {
		if (!(names & 1u << i))
			continue;
		if (!first)
			rt_emit_text(e, names >> (i + 1) ? ", " : " and ");
		rt_emit_text(e, words[i][first ? 0 : 1]);
		first = false;
	}
}

/* --- A row of the data block --------------------------------------------------------- */

/* [name, text, name, text ...] */
static void json_parts(struct rt_emit *e, const struct rt_html_view *view)
{
	const char *comma = "[";

	for (size_t i = 0; i < RT_HTML_TEXTS; i++) {
		if (!view->parts[i].names)
			continue;
		RT_HTML(e, "%s\"", comma);
		part_name(e, view->parts[i].names);
		RT_HTML(e, "\",%j", text_of(view, view->parts[i].text));
		comma = ",";
	}
	rt_emit_text(e, *comma == '[' ? "[]," : "],");
}

/* [number of the name, value, number, value ...] */
static void json_facts(struct rt_emit *e, const struct rt_html_view *view)
{
	const char *comma = "";

	rt_emit_char(e, '[');
	for (size_t i = 0; i < RT_HTML_FACTS; i++) {
		if (!view->facts[i].there)
			continue;
		RT_HTML(e, "%s%u,%j", comma, i, text_of(view, view->facts[i]));
		comma = ",";
	}
	rt_emit_text(e, "],");
}

/* [how many older ones are left out, who and when, what was decided, text, ...] */
static void json_notes(struct rt_emit *e, const struct rt_html_view *view)
{
	RT_HTML(e, "[%u", view->notes_more);
	for (size_t i = 0; i < view->note_count; i++)
		RT_HTML(e, ",%j,%j,%j", text_of(view, view->notes[i].by),
			text_of(view, view->notes[i].what), text_of(view, view->notes[i].text));
	rt_emit_text(e, "],");
}

void rt_html_view_row(struct rt_emit *e, const struct rt_html_view *view)
{
	const struct rt_html_code *code = &view->code;
	unsigned flags = (view->finding->status == RT_STATUS_DISMISSED ? FLAG_DISMISSED : 0) |
			 (view->finding->status == RT_STATUS_EXPIRED ? FLAG_EXPIRED : 0) |
			 (view->exploitable ? FLAG_EXPLOITABLE : 0) |
			 (view->overdue ? FLAG_OVERDUE : 0) |
			 (view->compared && view->finding->is_new ? FLAG_NEW : 0) |
			 (view->withheld ? FLAG_WITHHELD : 0);

	/* Of code: number of the first line, first marked one, how many, lines left out, columns.
	 */
	RT_HTML(e, rt_page_row, text_of(view, view->id), view->finding->level, flags,
		text_of(view, view->category), text_of(view, view->path), view->number,
		view->message.there, text_of(view, view->title), view->message.there,
		text_of(view, view->message), view->age == RT_AGE_UNKNOWN, view->age,
		text_of(view, view->repo));
	RT_HTML(e, rt_page_row_code, code->count, code->first, code->mark_from, code->mark_count,
		code->more, code->units[0], code->units[1], text_of(view, code->lines));
	json_parts(e, view);
	RT_HTML(e, "%j,", text_of(view, view->fix));
	json_facts(e, view);
	json_notes(e, view);
	/* The place's name is said where page.js cannot make it of the id, because that was masked;
	 * with a baseline, what became of it, and how it differs. */
	RT_HTML(e, "%j%(,\"%a\"%|%(,null%)%)%(,\"%s\",%j%)]", text_of(view, view->link),
		!rt_slice_equal(view->finding->record->id, text_of(view, view->id)),
		view->finding->record->id, view->compared, view->compared,
		view->compared ? rt_class_name(view->finding->class) : "",
		text_of(view, view->was));
}

/* --- The same as markup -------------------------------------------------------------- */

/* A line of code and, where something in it is meant, what. */
static void html_line(struct rt_emit *e, const struct rt_html_code *code, struct rt_slice line,
		      bool columns)
{
	size_t from = code->bytes[0], to = code->bytes[1];

	if (!columns || from >= to || to > line.len) {
		rt_html_escape(e, line);
		return;
	}
	RT_HTML(e, "%m<u>%m</u>%m", rt_slice_make(line.ptr, from),
		rt_slice_make(line.ptr + from, to - from),
		rt_slice_make(line.ptr + to, line.len - to));
}

static unsigned digits(uint64_t value)
{
	unsigned count = 1;

	for (; value >= 10; value /= 10)
		count++;
	return count;
}

static void html_lines(struct rt_emit *e, const struct rt_html_view *view)
{
	const struct rt_html_code *code = &view->code;
	struct rt_slice rest = text_of(view, code->lines);
	static const char blanks[] = "                    ";
	unsigned width = digits(code->first + code->count - 1);

	for (size_t i = 0; i < code->count; i++) {
		struct rt_slice line = rt_take_line(&rest);
		bool marked = i >= code->mark_from && i < code->mark_from + code->mark_count;

		rt_emit_text(e, marked ? "<mark class=\"l\">" : "<span class=\"l\">");
		if (code->first)
			RT_HTML(e, "<span class=\"n\">%s%u</span> ",
				blanks + sizeof(blanks) - 1 - (width - digits(code->first + i)),
				code->first + i);
		html_line(e, code, line, marked && i == code->mark_from);
		rt_emit_text(e, marked ? "\n</mark>" : "\n</span>");
	}
}

static void html_code(struct rt_emit *e, const struct rt_html_view *view)
{
	const struct rt_html_code *code = &view->code;

	if (!code->count) {
		rt_emit_text(e, rt_page_no_code);
		return;
	}
	rt_emit_text(e, rt_page_code);
	html_lines(e, view);
	RT_HTML(e, rt_page_code_end, code->more, RT_COUNTED(code->more, "line", "lines"),
		!code->mark_count);
}

static void html_texts(struct rt_emit *e, const struct rt_html_view *view)
{
	for (size_t i = 0; i < RT_HTML_TEXTS; i++) {
		if (!view->parts[i].names)
			continue;
		rt_emit_text(e, "<h3>");
		part_name(e, view->parts[i].names);
		RT_HTML(e, "</h3><p class=\"tx\">%m</p>", text_of(view, view->parts[i].text));
	}
	if (view->fix.there)
		RT_HTML(e, rt_page_fix, text_of(view, view->fix));
}

static void html_notes(struct rt_emit *e, const struct rt_html_view *view)
{
	for (size_t i = 0; i < view->note_count; i++) {
		const struct rt_html_note *note = &view->notes[i];

		RT_HTML(e, rt_page_note, note->what.there, text_of(view, note->what),
			note->text.there, text_of(view, note->text), note->by.there,
			text_of(view, note->by));
	}
	if (view->notes_more)
		RT_HTML(e, "<p class=\"cut\">%n %s left out.</p>",
			RT_COUNTED(view->notes_more, "older note", "older notes"));
}

static void html_facts(struct rt_emit *e, const struct rt_html_view *view)
{
	rt_emit_text(e, "<dl class=\"df\">");
	for (size_t i = 0; i < RT_HTML_FACTS; i++) {
		if (view->facts[i].there)
			RT_HTML(e, rt_page_fact, rt_html_facts[i].name, rt_html_facts[i].mono,
				text_of(view, view->facts[i]));
	}
	if (view->link.there)
		RT_HTML(e, rt_page_link, text_of(view, view->link));
	rt_emit_text(e, "</dl>");
}

static void html_detail(struct rt_emit *e, const struct rt_html_view *view, bool no_code)
{
	rt_emit_text(e, "<div class=\"d\"><div class=\"dm\">");
	if (!no_code && !view->withheld)
		html_code(e, view);
	html_texts(e, view);
	html_notes(e, view);
	rt_emit_text(e, "</div>");
	html_facts(e, view);
	rt_emit_text(e, "</div>");
}

static void html_place(struct rt_emit *e, const struct rt_html_view *view)
{
	char line[24] = "";

	if (!view->path.there) {
		rt_emit_text(e, "<span class=\"nm mono none\">no file</span>");
		return;
	}
	if (view->number)
		(void)snprintf(line, sizeof(line), ":%" PRIu64, view->number);
	rt_html_name(e, text_of(view, view->path), true, rt_slice_of(line));
}

void rt_html_view_details(struct rt_emit *e, const struct rt_html_view *view, bool no_code)
{
	bool dismissed = view->finding->status == RT_STATUS_DISMISSED,
	     open = view->finding->status == RT_STATUS_OPEN, aged = view->age != RT_AGE_UNKNOWN,
	     is_new = view->compared && view->finding->is_new;

	RT_HTML(e, rt_page_details, dismissed, view->finding->record->id, view->finding->level,
		view->finding->level == RT_LEVEL_OTHER,
		text_of(view, view->facts[RT_HTML_SEVERITY]),
		rt_html_level_word(view->finding->level), text_of(view, view->title),
		view->message.there, text_of(view, view->message), !open, dismissed, dismissed,
		open && view->exploitable);
	RT_HTML(e, rt_page_details_since, is_new, !is_new && view->was.there,
		text_of(view, view->was));
	html_place(e, view);
	rt_emit_text(e, "</span> <i>\xC2\xB7</i> <span class=\"c4\">");
	if (view->category.there)
		rt_html_name(e, text_of(view, view->category), false, (struct rt_slice){0});
	else
		rt_emit_text(e, "<span class=\"none\">\xE2\x80\x93</span>");
	RT_HTML(e, rt_page_details_age, !aged, aged && view->overdue, view->age,
		aged && !view->overdue, view->age);
	html_detail(e, view, no_code);
	rt_emit_text(e, "</details>\n");
}
