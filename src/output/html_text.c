/*
 * Text in the HTML report, as markup or as strings of the data block: what could act on a browser
 * or an eye is escaped or masked.
 */
#include <assert.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/instant.h"
#include "base/plain.h"
#include "base/spool.h"
#include "output/html.h"

/*
 * What the byte at `at` becomes; NULL: it stays. Beside what is special in markup, the beginnings
 * of what CI systems take for commands (R39) go, should the page ever stand in a log.
 */
static const char *entity(const char *at, size_t left)
{
	switch (*at) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case ':':
		return left > 1 && at[1] == ':' ? "&#58;" : NULL;
	case '#':
		return left > 2 && !memcmp(at, "##[", 3) ? "&#35;" : NULL;
	default:
		return NULL;
	}
}

/* Without those: masked text has none. */
static const char *xml_entity(const char *at, size_t left)
{
	(void)left;
	return entity(at, 1);
}

static const char *json_escape(const char *at, size_t left)
{
	switch (*at) {
	case '&':
		return "\\u0026";
	case '<':
		return "\\u003c";
	case '>':
		return "\\u003e";
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\n':
		return "\\n";
	case '\t':
		return "\\t";
	case '#':
		return left > 2 && !memcmp(at, "##[", 3) ? "\\u0023" : NULL;
	default:
		return NULL;
	}
}

/* What the bytes that may be replaced are; those that are no ASCII are none of them. */
#define ENTITIES "&<>\":#"
#define JSON_ESCAPES "&<>\"\\\n\t#"

/* Text with some of its bytes replaced. */
RT_PLAIN_INLINE void replaced(struct rt_emit *e, struct rt_slice text, const char *set,
			      const char *(*replacement)(const char *at, size_t left))
{
	size_t from = 0, at = 0;

	while ((at += rt_plain_len(text.ptr + at, text.len - at, set, false)) < text.len) {
		const char *instead = replacement(text.ptr + at, text.len - at);

		if (instead) {
			rt_emit_bytes(e, text.ptr + from, at - from);
			rt_emit_text(e, instead);
			from = at + 1;
		}
		at++;
	}
	rt_emit_bytes(e, text.ptr + from, text.len - from);
}

void rt_html_escape(struct rt_emit *e, struct rt_slice text)
{
	if (text.len)
		replaced(e, text, ENTITIES, entity);
}

void rt_xml_escape(struct rt_emit *e, struct rt_slice text)
{
	if (text.len)
		replaced(e, text, "&<>\"", xml_entity);
}

void rt_html_json(struct rt_emit *e, struct rt_slice text)
{
	if (!text.ptr) {
		rt_emit_text(e, "null");
		return;
	}
	rt_emit_char(e, '"');
	if (text.len)
		replaced(e, text, JSON_ESCAPES, json_escape);
	rt_emit_char(e, '"');
}

void rt_html_text(struct rt_emit *e, struct rt_slice text)
{
	struct rt_buf masked = {0};
	struct rt_error err;
	enum rt_status status = rt_mask_markup(text, RT_MASK_LINES_BLANK, &masked, &err);

	rt_emit_fail(e, status, &err);
	rt_html_escape(e, rt_buf_slice(&masked));
	rt_buf_release(&masked);
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '_' || c == '-';
}

static void put_hex(struct rt_emit *e, unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";

	rt_emit_char(e, '~');
	rt_emit_char(e, digits[byte >> 4]);
	rt_emit_char(e, digits[byte & 15]);
}

static void put_anchor(struct rt_emit *e, struct rt_slice id)
{
	rt_emit_text(e, "f-");
	for (size_t i = 0; i < id.len; i++) {
		if (is_name_byte(id.ptr[i]))
			rt_emit_char(e, id.ptr[i]);
		else
			put_hex(e, (unsigned char)id.ptr[i]);
	}
}

/* Where the part begins that tells a name from others: after the last slash; of a long name without
 * one, after the last point. */
static size_t tail_of(struct rt_slice name)
{
	char mark = memchr(name.ptr, '/', name.len) ? '/' : '.';

	if (mark == '.' && name.len <= 24)
		return 0;
	for (size_t i = name.len - 1; i > 0; i--) {
		if (name.ptr[i - 1] == mark)
			return i;
	}
	return 0;
}

void rt_html_name(struct rt_emit *e, struct rt_slice name, bool mono, struct rt_slice after)
{
	size_t tail = name.len ? tail_of(name) : 0;

	RT_HTML(e, "<span class=\"nm%s\" title=\"%m%m\"><bdi dir=\"ltr\"><span class=\"hd\">",
		mono ? " mono" : "", name, after);
	/* Of a long dotted rule id the last part says it all. */
	if (tail && name.ptr[tail - 1] == '/')
		rt_html_escape(e, rt_slice_make(name.ptr, tail));
	RT_HTML(e, "</span><span class=\"tl\">%m</span>",
		rt_slice_make(name.ptr + tail, name.len - tail));
	if (after.len)
		RT_HTML(e, "<span class=\"ln\">%m</span>", after);
	rt_emit_text(e, "</bdi></span>");
}

bool rt_html_time(struct rt_slice time, char text[RT_HTML_TIME])
{
	static const char form[] = "dddd-dd-ddTdd:dd:ddZ";

	if (time.len != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < time.len; i++) {
		bool digit = time.ptr[i] >= '0' && time.ptr[i] <= '9';

		if (form[i] == 'd' ? !digit : time.ptr[i] != form[i])
			return false;
	}
	(void)snprintf(text, RT_HTML_TIME, "%.10s %.5s UTC", time.ptr, time.ptr + 11);
	return true;
}

void rt_html_spooled(struct rt_emit *e, struct rt_spool *spool)
{
	struct rt_sink sink = rt_emit_sink(e);
	struct rt_error err;
	enum rt_status status = rt_spool_copy(spool, &sink, &err);

	rt_emit_fail(e, status, &err);
}

/* --- Levels -------------------------------------------------------------------------- */

static const struct {
	const char *name, *word, *fill, *sign;
} levels[RT_LEVELS] = {
    {"critical", "Critical", "#8b0f2f",
     "<rect x=\"0\" y=\"0\" width=\"14\" height=\"14\" rx=\"3\"/>"
     "<rect x=\"6\" y=\"3\" width=\"2\" height=\"5\" fill=\"#fff\"/>"
     "<rect x=\"6\" y=\"9.5\" width=\"2\" height=\"2\" fill=\"#fff\"/>"},
    {"high", "High", "#d1401f",
     "<rect x=\"1\" y=\"9\" width=\"3\" height=\"4\" rx=\".6\"/>"
     "<rect x=\"5.5\" y=\"5.5\" width=\"3\" height=\"7.5\" rx=\".6\"/>"
     "<rect x=\"10\" y=\"2\" width=\"3\" height=\"11\" rx=\".6\"/>"},
    {"medium", "Medium", "#c98500",
     "<rect x=\"1\" y=\"9\" width=\"3\" height=\"4\" rx=\".6\"/>"
     "<rect x=\"5.5\" y=\"5.5\" width=\"3\" height=\"7.5\" rx=\".6\"/>"
     "<rect x=\"10\" y=\"2\" width=\"3\" height=\"11\" rx=\".6\" opacity=\".28\"/>"},
    {"low", "Low", "#79acd9",
     "<rect x=\"1\" y=\"9\" width=\"3\" height=\"4\" rx=\".6\"/>"
     "<rect x=\"5.5\" y=\"5.5\" width=\"3\" height=\"7.5\" rx=\".6\" opacity=\".28\"/>"
     "<rect x=\"10\" y=\"2\" width=\"3\" height=\"11\" rx=\".6\" opacity=\".28\"/>"},
    {"info", "Info", "#a3abb6",
     "<rect x=\"1\" y=\"6\" width=\"3\" height=\"2\"/>"
     "<rect x=\"5.5\" y=\"6\" width=\"3\" height=\"2\"/>"
     "<rect x=\"10\" y=\"6\" width=\"3\" height=\"2\"/>"},
    {"other", "Other", "#7d6bb0",
     "<path d=\"M7 1 13 7 7 13 1 7Z\" fill=\"none\" stroke=\"currentColor\""
     " stroke-width=\"1.6\"/>"},
};

const char *rt_html_level_name(unsigned level)
{
	return levels[level].name;
}

const char *rt_html_level_word(unsigned level)
{
	return levels[level].word;
}

const char *rt_html_level_fill(unsigned level)
{
	return levels[level].fill;
}

void rt_html_symbols(struct rt_emit *e)
{
	rt_emit_text(e, "<svg class=\"sym\" width=\"0\" height=\"0\" aria-hidden=\"true\""
			" focusable=\"false\">");
	for (unsigned i = 0; i < RT_LEVELS; i++)
		RT_HTML(e,
			"<symbol id=\"g-%s\" viewBox=\"0 0 14 14\"><g class=\"s-%s\" "
			"fill=\"%s\">%s</g></symbol>",
			levels[i].name, levels[i].name, levels[i].fill, levels[i].sign);
	rt_emit_text(e, "</svg>\n");
}

/* --- Templates ----------------------------------------------------------------------- */

static void put_day(struct rt_emit *e, int64_t seconds)
{
	static const char *const months[] = {"January",   "February", "March",    "April",
					     "May",       "June",     "July",     "August",
					     "September", "October",  "November", "December"};
	char text[RT_INSTANT_CHARS];
	unsigned month;

	if (!rt_instant_format(seconds, text))
		return;
	month = (unsigned)(text[5] - '0') * 10 + (unsigned)(text[6] - '0');
	rt_emit_bytes(e, text[8] == '0' ? text + 9 : text + 8, text[8] == '0' ? 1 : 2);
	rt_emit_char(e, ' ');
	rt_emit_text(e, months[(month + 11) % 12]);
	rt_emit_char(e, ' ');
	rt_emit_bytes(e, text, 4);
}

static void put_sign(struct rt_emit *e, const char *level)
{
	RT_HTML(e,
		"<svg class=\"g s-%s\" width=\"14\" height=\"14\" aria-hidden=\"true\" "
		"focusable=\"false\"><use href=\"#g-%s\"/></svg>",
		level, level);
}

static void put_slot(struct rt_emit *e, char form, const struct rt_slot *slot)
{
	uint64_t number = (uint64_t)slot->number;

	assert(slot->kind == (form == 's'             ? RT_SLOT_WORD
			      : strchr("tmxja", form) ? RT_SLOT_TEXT
						      : RT_SLOT_NUMBER));
	switch (form) {
	case 's':
		rt_emit_slice(e, slot->text);
		break;
	case 't':
		rt_html_text(e, slot->text);
		break;
	case 'm':
		rt_html_escape(e, slot->text);
		break;
	case 'x':
		rt_xml_escape(e, slot->text);
		break;
	case 'j':
		rt_html_json(e, slot->text);
		break;
	case 'a':
		put_anchor(e, slot->text);
		break;
	case 'u':
		rt_emit_uint(e, number);
		break;
	case 'n':
		rt_emit_text(e, RT_COUNT(number));
		break;
	case 'd':
		put_day(e, slot->number);
		break;
	case 'g':
		put_sign(e, rt_html_level_name((unsigned)number));
		break;
	default:
		assert(false);
	}
}

void rt_html_fill(struct rt_emit *e, const char *markup, const struct rt_slot *slots)
{
	const char *mark = strchr(markup, '%');

	for (; mark; mark = strchr(markup, '%')) {
		rt_emit_bytes(e, markup, (size_t)(mark - markup));
		put_slot(e, mark[1], slots++);
		markup = mark + 2;
	}
	assert(slots->kind == RT_SLOT_END);
	rt_emit_text(e, markup);
}
