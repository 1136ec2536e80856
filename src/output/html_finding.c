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

/* [number of the first line, first marked one, how many, lines left out, columns, text] or null. */
static void json_code(struct rt_emit *e, const struct rt_html_view *view)
{
	const struct rt_html_code *code = &view->code;

	if (code->count)
		RT_HTML(e, "[%u,%u,%u,%u,%u,%u,%j],", code->first, code->mark_from,
			code->mark_count, code->more, code->units[0], code->units[1],
			text_of(view, code->lines));
	else
		rt_emit_text(e, "null,");
}

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

/* The place's name, where page.js cannot make it of the id, because that was masked. */
static void json_anchor(struct rt_emit *e, const struct rt_html_view *view)
{
	if (!rt_slice_equal(view->raw_id, text_of(view, view->id))) {
		RT_HTML(e, ",\"%a\"", view->raw_id);
	} else if (view->compared) {
		rt_emit_text(e, ",null");
	}
}

void rt_html_view_row(struct rt_emit *e, const struct rt_html_view *view)
{
	unsigned flags = (view->triage == RT_STATUS_DISMISSED ? FLAG_DISMISSED : 0) |
			 (view->triage == RT_STATUS_EXPIRED ? FLAG_EXPIRED : 0) |
			 (view->exploitable ? FLAG_EXPLOITABLE : 0) |
			 (view->overdue ? FLAG_OVERDUE : 0) |
			 (view->compared && view->is_new ? FLAG_NEW : 0);

	RT_HTML(e, "[%j,%u,%u,%j,%j,%u,%j,", text_of(view, view->id), view->level, flags,
		text_of(view, view->category), text_of(view, view->path), view->number,
		text_of(view, view->title));
	if (view->age == RT_AGE_UNKNOWN)
		rt_emit_text(e, "null");
	else
		rt_emit_uint(e, view->age);
	RT_HTML(e, ",%j,", text_of(view, view->repo));
	json_code(e, view);
	json_parts(e, view);
	RT_HTML(e, "%j,", text_of(view, view->fix));
	json_facts(e, view);
	json_notes(e, view);
	RT_HTML(e, "%j", text_of(view, view->link));
	json_anchor(e, view);
	if (view->compared) /* what became of it, and how it differs */
		RT_HTML(e, ",\"%s\",%j", rt_class_name(view->class), text_of(view, view->was));
	rt_emit_char(e, ']');
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
		rt_emit_text(e,
			     "<p class=\"nocode\">The export holds no code for this finding.</p>");
		return;
	}
	rt_emit_text(e, "<pre class=\"code\" tabindex=\"0\" role=\"group\" aria-label=\"Code\">");
	html_lines(e, view);
	rt_emit_text(e, "</pre>");
	if (code->more)
		RT_HTML(e, "<p class=\"cut\">%n %s of code left out.</p>",
			RT_COUNTED(code->more, "line", "lines"));
	if (!code->mark_count)
		rt_emit_text(e, "<p class=\"cut\">The export does not say which of these lines is"
				" meant.</p>");
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
	if (!view->fix.there)
		return;
	RT_HTML(e,
		"<h3>Remediation code</h3><pre class=\"code plain\" tabindex=\"0\" role=\"group\" "
		"aria-label=\"Remediation code\">%m</pre>",
		text_of(view, view->fix));
}

static void html_notes(struct rt_emit *e, const struct rt_html_view *view)
{
	for (size_t i = 0; i < view->note_count; i++) {
		rt_emit_text(e, "<div class=\"dec\"><h3>");
		if (view->notes[i].what.there)
			rt_html_escape(e, text_of(view, view->notes[i].what));
		else
			rt_emit_text(e, "Note");
		rt_emit_text(e, "</h3><p class=\"tx\">");
		if (view->notes[i].text.there)
			rt_html_escape(e, text_of(view, view->notes[i].text));
		else
			rt_emit_text(e, "No reason given.");
		rt_emit_text(e, "</p>");
		if (view->notes[i].by.there)
			RT_HTML(e, "<p class=\"by\">%m</p>", text_of(view, view->notes[i].by));
		rt_emit_text(e, "</div>");
	}
	if (!view->notes_more)
		return;
	RT_HTML(e, "<p class=\"cut\">%n %s left out.</p>",
		RT_COUNTED(view->notes_more, "older note", "older notes"));
}

static void html_facts(struct rt_emit *e, const struct rt_html_view *view)
{
	rt_emit_text(e, "<dl class=\"df\">");
	for (size_t i = 0; i < RT_HTML_FACTS; i++) {
		if (!view->facts[i].there)
			continue;
		RT_HTML(e, "<div><dt>%s</dt><dd%s>", rt_html_facts[i].name,
			rt_html_facts[i].mono ? " class=\"mono\"" : "");
		RT_HTML(e, "%m</dd></div>", text_of(view, view->facts[i]));
	}
	if (view->link.there)
		RT_HTML(e,
			"<div class=\"lk\"><dt class=\"vh\">Source</dt><dd><a href=\"%m\" "
			"rel=\"noreferrer\">Open the source</a></dd></div>",
			text_of(view, view->link));
	rt_emit_text(e, "</dl>");
}

static void html_detail(struct rt_emit *e, const struct rt_html_view *view, bool no_code)
{
	rt_emit_text(e, "<div class=\"d\"><div class=\"dm\">");
	if (!no_code)
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

static void html_age(struct rt_emit *e, const struct rt_html_view *view)
{
	if (view->age == RT_AGE_UNKNOWN)
		rt_emit_text(e, "<span class=\"none\">\xE2\x80\x93</span>");
	else if (view->overdue)
		RT_HTML(e, "<span class=\"overdue\">overdue, <b>%u</b> d</span>", view->age);
	else
		RT_HTML(e, "%u d", view->age);
}

/* What is new, or how it differs from before. */
static void html_since(struct rt_emit *e, const struct rt_html_view *view)
{
	if (view->compared && view->is_new) {
		rt_emit_text(e, " <span class=\"tag new\">new</span>");
	} else if (view->was.there) {
		RT_HTML(e, " <span class=\"tag was\">%m</span>", text_of(view, view->was));
	}
}

void rt_html_view_details(struct rt_emit *e, const struct rt_html_view *view, bool no_code)
{
	RT_HTML(e,
		"<details class=\"f%s\" id=\"%a\"><summary><span class=\"c1 sv\">%g <span "
		"class=\"so\">",
		view->triage == RT_STATUS_DISMISSED ? " isfp" : "", view->raw_id, view->level);
	if (view->level == RT_LEVEL_OTHER)
		rt_html_escape(e, text_of(view, view->facts[RT_HTML_SEVERITY]));
	else
		rt_emit_text(e, rt_html_level_word(view->level));
	RT_HTML(e, "</span></span> <i>\xC2\xB7</i> <span class=\"c2\"><span class=\"tt\">%m</span>",
		text_of(view, view->title));
	if (view->triage != RT_STATUS_OPEN)
		RT_HTML(e, " <span class=\"tag %s\">%s</span>",
			view->triage == RT_STATUS_DISMISSED ? "fp" : "ex",
			view->triage == RT_STATUS_DISMISSED ? "dismissed" : "dismissal expired");
	else if (view->exploitable)
		rt_emit_text(e, " <span class=\"tag ex\">exploitable</span>");
	html_since(e, view);
	rt_emit_text(e, "</span> <i>\xC2\xB7</i> <span class=\"c3\">");
	html_place(e, view);
	rt_emit_text(e, "</span> <i>\xC2\xB7</i> <span class=\"c4\">");
	if (view->category.there)
		rt_html_name(e, text_of(view, view->category), false, (struct rt_slice){0});
	else
		rt_emit_text(e, "<span class=\"none\">\xE2\x80\x93</span>");
	rt_emit_text(e, "</span> <i>\xC2\xB7</i> <span class=\"c5\">");
	html_age(e, view);
	rt_emit_text(e, "</span></summary>");
	html_detail(e, view, no_code);
	rt_emit_text(e, "</details>\n");
}
