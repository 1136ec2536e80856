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

	/* Of a long dotted rule id the last part says it all. */
	RT_HTML(e, rt_page_name, mono, name, after, tail && name.ptr[tail - 1] == '/',
		rt_slice_make(name.ptr, tail), rt_slice_make(name.ptr + tail, name.len - tail),
		after.len, after);
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
	const char *name, *word, *fill;
} levels[RT_LEVELS] = {
    {"critical", "Critical", "#8b0f2f"}, {"high", "High", "#d1401f"},
    {"medium", "Medium", "#c98500"},     {"low", "Low", "#79acd9"},
    {"info", "Info", "#a3abb6"},         {"other", "Other", "#7d6bb0"},
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

/* --- Templates ----------------------------------------------------------------------- */

static void put_sign(struct rt_emit *e, const char *level)
{
	RT_HTML(e,
		"<svg class=\"g s-%s\" width=\"14\" height=\"14\" aria-hidden=\"true\" "
		"focusable=\"false\"><use href=\"#g-%s\"/></svg>",
		level, level);
}

static void put_time(struct rt_emit *e, struct rt_slice time)
{
	char text[RT_HTML_TIME];

	if (rt_html_time(time, text))
		rt_emit_text(e, text);
	else
		rt_html_text(e, time);
}

static void put_digest(struct rt_emit *e, struct rt_slice digest)
{
	char text[RT_SHA256_HEX];

	rt_sha256_hex((const uint8_t *)digest.ptr, text);
	rt_emit_bytes(e, text, sizeof(text));
}

static void put_slot(struct rt_emit *e, char form, const struct rt_slot *slot)
{
	uint64_t number = (uint64_t)slot->number;
	char day[RT_DAY_TEXT];

	assert(slot->kind == (form == 's'               ? RT_SLOT_WORD
			      : strchr("tmxjaTh", form) ? RT_SLOT_TEXT
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
	case 'T':
		put_time(e, slot->text);
		break;
	case 'h':
		put_digest(e, slot->text);
		break;
	case 'u':
		rt_emit_uint(e, number);
		break;
	case 'n':
		rt_emit_text(e, RT_COUNT(number));
		break;
	case 'd':
		rt_emit_text(e, rt_end_text(slot->number + 1, day));
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
	struct rt_fill f = {.form = markup, .slots = slots};

	while (rt_fill_next(&f)) {
		rt_emit_slice(e, f.text);
		if (f.mark)
			put_slot(e, f.mark, f.slot);
	}
}
