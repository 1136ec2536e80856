/*
 * What the HTML report shows of a finding: its texts, masked and cut, its code with the lines in
 * question marked, its facts and notes. A field that says nothing is not shown.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/instant.h"
#include "base/utf8.h"
#include "engine/headline.h"
#include "output/cwe.h"
#include "output/html.h"
#include "output/texts.h"

const struct rt_html_fact_label rt_html_facts[RT_HTML_FACTS] = {
    [RT_HTML_SINCE] = {"Since the baseline", false},
    [RT_HTML_SEVERITY] = {"Severity", false},
    [RT_HTML_STATUS] = {"Status", false},
    [RT_HTML_EXPLOITABLE] = {"Exploitable", false},
    [RT_HTML_CVSS] = {"CVSS", false},
    [RT_HTML_CONFIDENCE] = {"Confidence", false},
    [RT_HTML_CWE] = {"CWE", false},
    [RT_HTML_OWASP] = {"OWASP", false},
    [RT_HTML_CATEGORY] = {"Rule", true},
    [RT_HTML_PLACE] = {"Location", true},
    [RT_HTML_REPOSITORY] = {"Repository", true},
    [RT_HTML_FOUND] = {"Found", false},
    [RT_HTML_TAGS] = {"Tags", false},
    [RT_HTML_MODEL] = {"Tool", true},
    [RT_HTML_SCAN] = {"Scan", true},
    [RT_HTML_ID] = {"Id", true},
};

struct rt_slice rt_html_piece_text(const struct rt_html_view *view, struct rt_html_piece piece)
{
	if (!piece.there)
		return (struct rt_slice){0};
	return rt_slice_make(view->bytes.data + piece.at, piece.len);
}

/* --- Pieces -------------------------------------------------------------------------- */

static void masked(struct rt_html_view *view, struct rt_slice text, enum rt_mask_lines lines)
{
	RT_STEP(view->texts, rt_mask_markup(text, lines, &view->bytes, &view->texts->err));
}

static void append(struct rt_html_view *view, struct rt_slice text)
{
	RT_STEP(view->texts, rt_buf_append(&view->bytes, text.ptr, text.len, &view->texts->err));
}

/* Text masked, and cut after some code points, which it says. */
static void cut(struct rt_html_view *view, struct rt_slice text, enum rt_mask_lines lines,
		size_t points)
{
	char note[64];
	size_t more, len = rt_text_prefix(text, points, &more);

	masked(view, rt_slice_make(text.ptr, len), lines);
	if (!more)
		return;
	(void)snprintf(note, sizeof(note), " \xE2\x80\xA6 (%zu more characters)", more);
	append(view, rt_slice_of(note));
}

/* Words of ours, slots[0], a template (output/slot.h), with what the next value becomes in place of
 *	%s  our own words
 *	%u  a number
 *	%t  text, masked and cut; its line breaks are blanks
 *	%l  the same with its lines
 *	%v  the same with its line breaks made visible
 */
static struct rt_html_piece piece_of(struct rt_html_view *view, const struct rt_slot *slots)
{
	struct rt_html_piece piece = {.at = view->bytes.len, .there = true};
	struct rt_fill f = {.form = slots->text.ptr, .slots = slots + 1};
	char number[24];

	while (rt_fill_next(&f)) {
		append(view, f.text);
		if (f.mark == 'u')
			(void)snprintf(number, sizeof(number), "%" PRIi64, f.slot->number);
		if (f.mark == 'u' || f.mark == 's')
			append(view, f.mark == 'u' ? rt_slice_of(number) : f.slot->text);
		else if (f.mark)
			cut(view, f.slot->text,
			    f.mark == 't'   ? RT_MASK_LINES_BLANK
			    : f.mark == 'l' ? RT_MASK_LINES_KEEP
					    : RT_MASK_LINES_SHOW,
			    RT_HTML_POINTS);
	}
	piece.len = view->bytes.len - piece.at;
	return piece;
}

#define PIECE(view, ...) piece_of(view, RT_SLOTS(__VA_ARGS__))

/* A text as a piece on one line; not there where it is empty. */
static struct rt_html_piece line_piece(struct rt_html_view *view, struct rt_slice text)
{
	if (!text.len)
		return (struct rt_html_piece){0};
	return PIECE(view, "%t", text);
}

static struct rt_html_piece member_piece(struct rt_html_view *view, enum rt_member m)
{
	return line_piece(view, rt_texts_decoded(view->texts, m));
}

/* --- Code ---------------------------------------------------------------------------- */

/* Lines of a text. A newline at its end begins one only where it is `between` lines, as in what
 * is before the marked ones: there a line lost would move the numbers of all others. */
static size_t count_lines(struct rt_slice text, bool between)
{
	size_t lines = text.len ? 1 : 0;
	const char *at = text.ptr, *end = rt_slice_end(text);

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at))))
		lines += ++at < end || between;
	return lines;
}

/* The same for lines that may end with a carriage return, too. */
static struct rt_slice take_line(struct rt_slice *text)
{
	struct rt_slice line = rt_take_line(text);

	line.len -= line.len && line.ptr[line.len - 1] == '\r';
	return line;
}

/* Add a part of a line, masked. Returns its UTF-16 units. */
static size_t add_part_of_line(struct rt_html_view *view, struct rt_slice text)
{
	size_t units = 0, from = view->bytes.len;

	masked(view, text, RT_MASK_LINES_KEEP);
	for (size_t i = from; i < view->bytes.len; i++) {
		unsigned char c = (unsigned char)view->bytes.data[i];

		units += (c & 0xC0) != 0x80;
		units += c >= 0xF0;
	}
	return units;
}

/*
 * The one marked line, where the columns of the finding are within it: its parts are masked one by
 * one, so that what is meant can be found in what is shown.
 */
static bool marked_line(struct rt_html_view *view, const struct rt_finding *finding,
			struct rt_slice line)
{
	uint64_t from = rt_finding_position(finding, RT_M_COLUMN_START, RT_POSITION_MAX);
	uint64_t to = rt_finding_position(finding, RT_M_COLUMN_END, RT_POSITION_MAX);
	size_t *units = view->code.units, *bytes = view->code.bytes, ends[2], more;
	size_t start = view->bytes.len;

	if (!from || from >= to || from > RT_HTML_CODE_POINTS)
		return false;
	to = to > RT_HTML_CODE_POINTS ? RT_HTML_CODE_POINTS + 1 : to;
	ends[0] = rt_text_prefix(line, (size_t)from - 1, &more);
	if (!more)
		return false;
	ends[1] = rt_text_prefix(line, (size_t)to - 1, &more);
	units[0] = add_part_of_line(view, rt_slice_make(line.ptr, ends[0]));
	bytes[0] = view->bytes.len - start;
	units[1] =
	    units[0] + add_part_of_line(view, rt_slice_make(line.ptr + ends[0], ends[1] - ends[0]));
	bytes[1] = view->bytes.len - start;
	cut(view, rt_slice_make(line.ptr + ends[1], line.len - ends[1]), RT_MASK_LINES_KEEP,
	    RT_HTML_CODE_POINTS - (to - 1));
	return true;
}

/* One line of code. A carriage return in it ends no line: masked it would. */
static void code_line(struct rt_html_view *view, const struct rt_finding *finding,
		      struct rt_slice line, bool marked)
{
	size_t start = view->bytes.len;

	if (!marked || !marked_line(view, finding, line))
		cut(view, line, RT_MASK_LINES_KEEP, RT_HTML_CODE_POINTS);
	for (size_t i = start; i < view->bytes.len; i++) {
		if (view->bytes.data[i] == '\n')
			view->bytes.data[i] = ' ';
	}
	append(view, RT_SLICE("\n"));
	view->code.count++;
}

/* The lines of context_before, code_snippet and context_after as one run. */
static void code_lines(struct rt_html_view *view, const struct rt_finding *finding,
		       struct rt_slice texts[3], const size_t counts[3], size_t skip)
{
	struct rt_html_code *code = &view->code;

	code->lines = PIECE(view, "");
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < counts[i]; k++) {
			struct rt_slice line = take_line(&texts[i]);

			if (skip) {
				skip--;
				continue;
			}
			if (code->count == RT_HTML_CODE_LINES)
				return;
			code_line(view, finding, line, i == 1 && code->mark_count == 1);
		}
	}
}

/* Lines have numbers only where the snippet says which of them the finding's line is. */
static void view_code(struct rt_html_view *view, const struct rt_finding *finding)
{
	static const enum rt_member members[] = {RT_M_CONTEXT_BEFORE, RT_M_CODE_SNIPPET,
						 RT_M_CONTEXT_AFTER};
	struct rt_html_code *code = &view->code;
	struct rt_slice texts[3];
	size_t counts[3], total = 0, skip = 0;

	for (size_t i = 0; i < 3; i++) {
		texts[i] = (struct rt_slice){0};
		RT_STEP(view->texts, rt_finding_text(finding, members[i], &view->code_texts[i],
						     &texts[i], &view->texts->err));
		counts[i] = count_lines(texts[i], i == 0);
		total += counts[i];
	}
	if (view->texts->status != RT_OK || !total)
		return;
	if (counts[1] && total > RT_HTML_CODE_LINES && counts[0] > RT_HTML_CODE_BEFORE)
		skip = counts[0] - RT_HTML_CODE_BEFORE;
	code->mark_from = counts[0] - skip;
	code->mark_count = counts[1];
	if (counts[1] && view->number > counts[0])
		code->first = view->number - counts[0] + skip;
	code_lines(view, finding, texts, counts, skip);
	code->lines.len = view->bytes.len - code->lines.at;
	code->more = total - code->count;
	if (code->mark_from + code->mark_count > code->count)
		code->mark_count =
		    code->mark_from < code->count ? code->count - code->mark_from : 0;
}

/* --- Texts --------------------------------------------------------------------------- */

static bool is_any(char c, const char *of)
{
	return c && strchr(of, c);
}

/* Without blank lines before it, and blanks after it. */
static struct rt_slice trimmed(struct rt_slice text)
{
	while (text.len && is_any(text.ptr[0], "\r\n"))
		text = rt_slice_make(text.ptr + 1, text.len - 1);
	while (text.len && is_any(text.ptr[text.len - 1], " \t\r\n"))
		text.len--;
	return text;
}

/* Put a text to those that are there, or its name to an equal one's. */
static void add_part(struct rt_html_view *view, size_t number, struct rt_slice text)
{
	struct rt_html_part *part = &view->parts[number];
	struct rt_slice own;

	text = trimmed(text);
	if (!text.len)
		return;
	part->text = PIECE(view, "%l", text);
	if (view->texts->status != RT_OK)
		return;
	own = rt_html_piece_text(view, part->text);
	for (size_t i = 0; i < number; i++) {
		if (view->parts[i].text.there &&
		    rt_slice_equal(rt_html_piece_text(view, view->parts[i].text), own)) {
			view->parts[i].names |= 1u << number;
			part->text.there = false;
			view->bytes.len = part->text.at;
			return;
		}
	}
	part->names = 1u << number;
}

/* Whether a text that is shown has the title in it. */
static bool has_title(const struct rt_html_view *view, struct rt_html_piece shown)
{
	struct rt_slice title = rt_html_piece_text(view, view->parts[0].text);
	struct rt_slice text = rt_html_piece_text(view, shown);

	return title.len && text.len && memmem(text.ptr, text.len, title.ptr, title.len) != NULL;
}

static void view_texts(struct rt_html_view *view)
{
	static const enum rt_member members[] = {RT_M_TITLE, RT_M_DESCRIPTION, RT_M_EXPLANATION,
						 RT_M_REMEDIATION};
	struct rt_html_part *title = &view->parts[0];
	bool alone = true, known;

	for (size_t i = 0; i < RT_HTML_TEXTS; i++)
		add_part(view, i, rt_texts_decoded(view->texts, members[i]));
	if (view->texts->status != RT_OK || !title->text.there)
		return;
	for (size_t i = 1; i < RT_HTML_TEXTS; i++)
		alone = alone && !view->parts[i].names;
	/* A title that the row, the rule or another text has is not said twice, and one that is
	 * about another finding not at all. */
	known = view->finding->record->title_of == RT_TITLE_OF_OTHER ||
		has_title(view, view->title) ||
		rt_slice_equal(rt_html_piece_text(view, title->text),
			       rt_html_piece_text(view, view->category));
	if (known && (title->names > 1 || !alone))
		title->names &= ~1u;
	for (size_t i = 1; title->names == 1 && i < RT_HTML_TEXTS; i++) {
		if (view->parts[i].names && has_title(view, view->parts[i].text))
			title->names = 0;
	}
}

/* What the row shows: the headline, whose title is a piece of its own. */
static void view_headline(struct rt_html_view *view)
{
	struct rt_texts *t = view->texts;
	struct rt_put room = {&t->decoded, &t->err, t->status};
	struct rt_headline line = rt_finding_headline(view->finding, &room);
	size_t len = line.title_len ? line.title_len : line.text.len, from = len + strlen(": ");

	t->status = room.status;
	if (!line.text.len)
		view->title = PIECE(view, "(no title)");
	else
		view->title = PIECE(view, "%t", rt_slice_make(line.text.ptr, len));
	if (line.title_len)
		view->message =
		    PIECE(view, "%t", rt_slice_make(line.text.ptr + from, line.text.len - from));
}

/* --- Facts --------------------------------------------------------------------------- */

/* A tag that repeats what is under CWE or OWASP. */
static bool is_repeated(struct rt_slice tag)
{
	static const char *const begins[] = {"external/cwe", "CWE-", "external/owasp", "OWASP"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
		size_t len = strlen(begins[i]);

		if (tag.len >= len && !memcmp(tag.ptr, begins[i], len))
			return true;
	}
	return false;
}

/* The strings of a list, with commas between them. */
static struct rt_html_piece list_piece(struct rt_html_view *view, enum rt_member m)
{
	struct rt_texts *t = view->texts;
	struct rt_slice at = rt_finding_strings(t->finding, m), text;
	struct rt_put put = {&view->joined, &t->err, t->status};

	view->joined.len = 0;
	while (rt_texts_string(t, &at, &text)) {
		const char *name = NULL;

		if (!text.len || (m == RT_M_TAGS && is_repeated(text)))
			continue;
		if (m == RT_M_CWE_IDS) {
			name = rt_cwe_name(rt_cwe_number(text));
			if (text.len > 4 && !memcmp(text.ptr, "CWE-", 4))
				text = rt_slice_make(text.ptr + 4, text.len - 4);
		}
		rt_put(&put, view->joined.len ? RT_SLICE(", ") : RT_SLICE(""));
		rt_put(&put, text);
		rt_put(&put, name ? RT_SLICE(" ") : RT_SLICE(""));
		rt_put(&put, rt_slice_of(name ? name : ""));
	}
	RT_STEP(t, put.status);
	return line_piece(view, rt_buf_slice(&view->joined));
}

/* When it was found, and how long ago; with the days that it is overdue. */
static struct rt_html_piece found_piece(struct rt_html_view *view, struct rt_slice created,
					const struct rt_report_settings *settings)
{
	struct rt_instant instant;
	char day[RT_INSTANT_CHARS];

	if (!rt_instant_parse(created, &instant) || !rt_instant_format(instant.seconds, day))
		return (struct rt_html_piece){0};
	return PIECE(view, "%t%( (%u %s%(, %u past its limit%))%)", rt_slice_make(day, 10),
		     view->age != RT_AGE_UNKNOWN, view->age, view->age == 1 ? "day" : "days",
		     view->overdue, view->age - settings->sla[view->finding->level]);
}

/* What became of it since the baseline. */
static void view_since(struct rt_html_view *view, const struct rt_finding *finding,
		       const struct rt_facts *facts)
{
	struct rt_html_piece *fact = &view->facts[RT_HTML_SINCE];

	if (!facts->compared)
		return;
	view->compared = true;
	if (finding->was.len)
		view->was = PIECE(view, "%t", finding->was);
	if (finding->class == RT_CLASS_AMBIGUOUS)
		*fact = PIECE(view, "%s",
			      finding->is_new
				  ? "new: there are more such ones than before; which of them is "
				    "new is not known"
				  : "there are several such ones; which of them was there is not "
				    "known");
	else if (finding->class == RT_CLASS_MOVED || finding->class == RT_CLASS_CHANGED)
		*fact =
		    PIECE(view, "%s%t",
			  finding->class == RT_CLASS_MOVED ? "moved, " : "changed: ", finding->was);
	else if (finding->class == RT_CLASS_NEW || finding->class == RT_CLASS_UNCHANGED)
		*fact = PIECE(view, "%s", finding->is_new ? "new" : "as it was");
	else
		*fact = PIECE(view, "");
}

/* "dismissed (wont_fix) until 31 March 2027" */
static struct rt_html_piece status_piece(struct rt_html_view *view,
					 const struct rt_finding *finding)
{
	bool expired = finding->status == RT_STATUS_EXPIRED;
	struct rt_slice reason = rt_reason_word(finding->reason);
	char day[RT_DAY_TEXT];
	bool ends = *rt_end_text(finding->end, day);

	return PIECE(view, "%(open, its dismissal has expired%|dismissed%)%( (%t)%)%(%s%s%)",
		     expired, reason.len, reason, ends, expired ? ", on " : " until ", day);
}

static void view_facts(struct rt_html_view *view, const struct rt_finding *finding,
		       const struct rt_report_settings *settings, const struct rt_facts *facts)
{
	struct rt_html_piece *fact = view->facts;
	int exploitable = rt_finding_flag(finding, RT_M_EXPLOITABLE);
	struct rt_slice created = rt_texts_decoded(view->texts, RT_M_CREATED_AT);
	struct rt_put room = {&view->joined, &view->texts->err, view->texts->status};

	view->age = rt_finding_age(finding, facts->at, &room);
	view->texts->status = room.status;
	view->overdue = view->finding->status != RT_STATUS_DISMISSED &&
			view->age != RT_AGE_UNKNOWN &&
			settings->sla[view->finding->level] != RT_SLA_NONE &&
			view->age > settings->sla[view->finding->level];
	view->exploitable = exploitable == 1;
	fact[RT_HTML_FOUND] = found_piece(view, created, settings);
	fact[RT_HTML_SEVERITY] = member_piece(view, RT_M_SEVERITY);
	if (view->finding->level != RT_LEVEL_OTHER)
		fact[RT_HTML_SEVERITY] =
		    PIECE(view, "%s", rt_html_level_word(view->finding->level));
	else if (!fact[RT_HTML_SEVERITY].there)
		fact[RT_HTML_SEVERITY] = PIECE(view, "none given");
	if (view->finding->status != RT_STATUS_OPEN)
		fact[RT_HTML_STATUS] = status_piece(view, finding);
	if (exploitable >= 0)
		fact[RT_HTML_EXPLOITABLE] = PIECE(view, exploitable ? "yes" : "no");
	fact[RT_HTML_CVSS] = line_piece(view, rt_finding_number(finding, RT_M_CVSS_SCORE));
	fact[RT_HTML_CONFIDENCE] = line_piece(view, rt_finding_number(finding, RT_M_CONFIDENCE));
	fact[RT_HTML_CWE] = list_piece(view, RT_M_CWE_IDS);
	fact[RT_HTML_OWASP] = member_piece(view, RT_M_OWASP_CATEGORY);
	fact[RT_HTML_CATEGORY] = view->category;
	fact[RT_HTML_REPOSITORY] = view->repo;
	fact[RT_HTML_TAGS] = list_piece(view, RT_M_TAGS);
	fact[RT_HTML_MODEL] = member_piece(view, RT_M_MODEL_USED);
	fact[RT_HTML_SCAN] = member_piece(view, RT_M_SCAN_ID);
	fact[RT_HTML_ID] = view->id;
}

/* --- Notes, link, the whole ---------------------------------------------------------- */

/* A time as people read it, 2026-01-13 16:40 UTC, where it has retriage's own form. */
static struct rt_slice time_words(struct rt_slice time, char text[RT_HTML_TIME])
{
	return rt_html_time(time, text) ? rt_slice_of(text) : time;
}

/* The entry of the journal that made a note, or of that time one without a note (text.ptr NULL);
 * NULL: none is known, or more than one could be. */
static const struct rt_decision *entry_of(const struct rt_facts *facts, struct rt_slice time,
					  struct rt_slice text)
{
	const struct rt_decision *found = NULL;

	for (size_t i = 0; i < facts->journal.decision_count; i++) {
		const struct rt_decision *decision = &facts->journal.decisions[i];

		/* A note that was carried is as old as the entry here. */
		if (!rt_slice_equal(decision->carried_at.ptr ? decision->carried_at : decision->at,
				    time))
			continue;
		if (decision->notes.ptr ? !text.ptr || !rt_slice_equal(decision->notes, text)
					: text.ptr != NULL)
			continue;
		if (found)
			return NULL;
		found = decision;
	}
	return found;
}

/* What an entry sets, in words: "Dismissed, severity low". */
static struct rt_html_piece set_by(struct rt_html_view *view, const struct rt_decision *entry)
{
	bool decided = entry->false_positive != RT_REQUEST_KEEP,
	     used = entry->exploitable != RT_REQUEST_KEEP,
	     rated = entry->severity != RT_REQUEST_KEEP;

	if (!decided && !used && !rated)
		return (struct rt_html_piece){0};
	return PIECE(view,
		     "%(%(Dismissed%|Reopened%)%(, %)%)%(%(Exploitable%|Not exploitable%)%)"
		     "%(%(, s%|S%)everity %s%)",
		     decided, entry->false_positive != 0, used, used, entry->exploitable != 0,
		     rated, decided || used,
		     rated ? rt_html_level_word((unsigned)entry->severity) : "");
}

/* Who wrote a note and when, as much as is known of it. */
static struct rt_html_piece note_origin(struct rt_html_view *view, const struct rt_decision *entry,
					struct rt_slice time)
{
	char text[RT_HTML_TIME];
	bool carried = entry && entry->carried_at.ptr;

	if (!time.len)
		return (struct rt_html_piece){0};
	if (!entry)
		return PIECE(view, "%t", time_words(time, text));
	return PIECE(view, "%(%t, %)%t, entry %u of the journal%(, carried%( by %t%)%)",
		     entry->actor.len, entry->actor, time_words(entry->at, text), entry->sequence,
		     carried, entry->carrier.len, entry->carrier);
}

/* A note, or a decision without one, behind the others, of which the oldest may give way. */
static struct rt_html_note *add_note(struct rt_html_view *view)
{
	if (view->note_count == RT_HTML_NOTES) {
		memmove(view->notes, view->notes + 1, (RT_HTML_NOTES - 1) * sizeof(*view->notes));
		view->note_count--;
		view->notes_more++;
	}
	view->notes[view->note_count] = (struct rt_html_note){.text.there = false};
	return &view->notes[view->note_count++];
}

/* The last decision, where nobody has said why: it is found by the time of the last change. */
static void view_silent(struct rt_html_view *view, const struct rt_facts *facts)
{
	struct rt_slice time = rt_texts_decoded(view->texts, RT_M_UPDATED_AT);
	const struct rt_decision *entry;
	struct rt_html_note *note;

	if (view->texts->status != RT_OK || !time.len)
		return;
	entry = entry_of(facts, time, (struct rt_slice){0});
	if (!entry)
		return;
	note = add_note(view);
	note->what = set_by(view, entry);
	note->by = note_origin(view, entry, time);
}

/* The newest notes in their order. */
static void view_notes(struct rt_html_view *view, const struct rt_finding *finding,
		       const struct rt_facts *facts)
{
	struct rt_slice at = finding->notes, time, text;

	while (rt_texts_note(view->texts, &at, &time, &text)) {
		const struct rt_decision *entry;
		struct rt_html_note *note;

		/* A string: without its quotes. */
		time = time.len > 2 && time.ptr[0] == '"'
			   ? rt_slice_make(time.ptr + 1, time.len - 2)
			   : (struct rt_slice){0};
		entry = entry_of(facts, time, text.ptr ? text : RT_SLICE(""));
		note = add_note(view);
		note->text = PIECE(view, "%l", trimmed(text));
		if (entry)
			note->what = set_by(view, entry);
		note->by = note_origin(view, entry, time);
	}
}

static bool has_code(const struct rt_record *record)
{
	bool any = false;

	for (enum rt_member m = 0; m < RT_ISSUE_MEMBERS; m++)
		any = any || (rt_member_is_code(m) && rt_record_has(record, m));
	return any;
}

static void view_place(struct rt_html_view *view, struct rt_texts *texts)
{
	const struct rt_finding *finding = texts->finding;
	uint64_t column = rt_finding_position(finding, RT_M_COLUMN_START, RT_POSITION_MAX);
	struct rt_slice path = rt_texts_raw_path(texts), link;

	view->number = rt_finding_position(finding, RT_M_LINE_NUMBER, RT_POSITION_MAX);
	view->repo = member_piece(view, RT_M_REPO_NAME);
	if (path.len) {
		struct rt_html_piece *place = &view->facts[RT_HTML_PLACE];

		*place = view->path = PIECE(view, "%t", path);
		if (view->number && column)
			*place = PIECE(view, "%t:%u:%u", path, view->number, column);
		else if (view->number)
			*place = PIECE(view, "%t:%u", path, view->number);
	}
	link = rt_texts_link(texts);
	if (link.len)
		view->link = PIECE(view, "%v", link);
}

void rt_html_view_make(struct rt_html_view *view, struct rt_texts *texts,
		       const struct rt_facts *facts)
{
	const struct rt_report_settings *settings = texts->settings;
	const struct rt_finding *finding = texts->finding;
	struct rt_html_view fresh = {
	    .texts = texts, .finding = finding, .bytes = view->bytes, .joined = view->joined};

	/* Everything of the last finding is dropped, but for the room. */
	memcpy(fresh.code_texts, view->code_texts, sizeof(fresh.code_texts));
	fresh.bytes.len = 0;
	*view = fresh;
	view->id = PIECE(view, "%v", view->finding->record->id);
	view->category = member_piece(view, RT_M_CATEGORY);
	view_place(view, texts);
	view_headline(view);
	view_texts(view);
	if (rt_texts_shows_code(texts)) {
		struct rt_slice fix = trimmed(rt_texts_decoded(view->texts, RT_M_REMEDIATION_CODE));

		view_code(view, finding);
		if (fix.len)
			view->fix = PIECE(view, "%l", fix);
	} else if (!settings->no_code) {
		view->withheld = has_code(finding->record);
	}
	view_since(view, finding, facts);
	view_facts(view, finding, settings, facts);
	view_notes(view, finding, facts);
	view_silent(view, facts);
}

void rt_html_view_release(struct rt_html_view *view)
{
	rt_buf_release(&view->bytes);
	rt_buf_release(&view->joined);
	for (size_t i = 0; i < 3; i++)
		rt_buf_release(&view->code_texts[i]);
}
