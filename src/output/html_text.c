/*
 * Text in the HTML report, as markup or as strings of the data block: what could act on a browser
 * or an eye is escaped or masked.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/instant.h"
#include "base/plain.h"
#include "base/spool.h"
#include "output/html.h"

#include "base/decimal.h"

void rt_html_put(struct rt_emit *e, const char *format, ...)
{
	char text[512];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (len > 0)
		rt_emit_bytes(e, text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
}

void rt_html_count(struct rt_emit *e, uint64_t value)
{
	char text[RT_COUNT_ROOM];

	rt_emit_text(e, rt_count_text(value, text));
}

void rt_html_counted(struct rt_emit *e, uint64_t value, const char *one, const char *many)
{
	rt_html_count(e, value);
	rt_emit_char(e, ' ');
	rt_emit_text(e, value == 1 ? one : many);
}

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

void rt_html_json(struct rt_emit *e, struct rt_slice text)
{
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

void rt_html_anchor(struct rt_emit *e, struct rt_slice id)
{
	rt_emit_text(e, "f-");
	for (size_t i = 0; i < id.len; i++) {
		if (is_name_byte(id.ptr[i]))
			rt_emit_char(e, id.ptr[i]);
		else
			rt_html_put(e, "~%02x", (unsigned)(unsigned char)id.ptr[i]);
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

	rt_html_put(e, "<span class=\"nm%s\" title=\"", mono ? " mono" : "");
	rt_html_escape(e, name);
	rt_html_escape(e, after);
	rt_emit_text(e, "\"><bdi dir=\"ltr\"><span class=\"hd\">");
	/* Of a long dotted rule id the last part says it all. */
	if (tail && name.ptr[tail - 1] == '/')
		rt_html_escape(e, rt_slice_make(name.ptr, tail));
	rt_emit_text(e, "</span><span class=\"tl\">");
	rt_html_escape(e, rt_slice_make(name.ptr + tail, name.len - tail));
	rt_emit_text(e, "</span>");
	if (after.len) {
		rt_emit_text(e, "<span class=\"ln\">");
		rt_html_escape(e, after);
		rt_emit_text(e, "</span>");
	}
	rt_emit_text(e, "</bdi></span>");
}

void rt_html_day(struct rt_emit *e, int64_t seconds)
{
	static const char *const months[] = {"January",   "February", "March",    "April",
					     "May",       "June",     "July",     "August",
					     "September", "October",  "November", "December"};
	char text[RT_INSTANT_CHARS];
	unsigned month, day;

	if (!rt_instant_format(seconds, text))
		return;
	month = (unsigned)(text[5] - '0') * 10 + (unsigned)(text[6] - '0');
	day = (unsigned)(text[8] - '0') * 10 + (unsigned)(text[9] - '0');
	rt_html_put(e, "%u %s %.4s", day, months[(month + 11) % 12], text);
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

void rt_html_glyph(struct rt_emit *e, unsigned level)
{
	rt_html_put(e,
		    "<svg class=\"g s-%s\" width=\"14\" height=\"14\" aria-hidden=\"true\""
		    " focusable=\"false\"><use href=\"#g-%s\"/></svg>",
		    levels[level].name, levels[level].name);
}

void rt_html_symbols(struct rt_emit *e)
{
	rt_emit_text(e, "<svg class=\"sym\" width=\"0\" height=\"0\" aria-hidden=\"true\""
			" focusable=\"false\">");
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		rt_html_put(e,
			    "<symbol id=\"g-%s\" viewBox=\"0 0 14 14\">"
			    "<g class=\"s-%s\" fill=\"%s\">",
			    levels[i].name, levels[i].name, levels[i].fill);
		rt_emit_text(e, levels[i].sign);
		rt_emit_text(e, "</g></symbol>");
	}
	rt_emit_text(e, "</svg>\n");
}
