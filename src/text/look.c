/*
 * Tells JSON from YAML flow collections, byte by byte. Input: text that starts with a bracket.
 * Output: a verdict, once one can be given. Refuses nothing and builds nothing; UTF-8 is not
 * checked, as both formats need it.
 *
 * What careless writers of JSON leave is no sign of YAML: NaN, None, True, 01, trailing commas.
 */
#include "text/look.h"

#include <string.h>

#include "text/yaml_scalar.h"

/* What comes next. */
enum state { VALUE, KEY, COLON, NEXT, AFTER, STRING, ESCAPE, WORD };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* Bytes that no plain scalar in a flow collection starts with. */
static bool is_wrong_start(char c)
{
	return (unsigned char)c < 0x20 || strchr(",:]}|>%@`", c);
}

/* A value has ended. */
static void value_done(struct rt_look *look, bool word)
{
	look->first = false;
	look->word = word;
	look->line = false;
	look->state = look->depth > 0 ? NEXT : AFTER;
}

/* Open a collection; those beyond any limit are looked at as if they were no deeper. */
static void open_collection(struct rt_look *look, bool object)
{
	if (look->depth < sizeof(look->object) / sizeof(look->object[0]))
		look->object[look->depth] = object;
	look->depth++;
	look->first = true;
	look->state = object ? KEY : VALUE;
}

/* Whether the innermost collection is an object. */
static bool in_object(const struct rt_look *look)
{
	return look->depth > 0 && look->object[look->depth - 1];
}

static void close_collection(struct rt_look *look)
{
	look->depth--;
	look->begun = true;
	value_done(look, false);
}

static void open_word(struct rt_look *look, char c)
{
	look->text[0] = c;
	look->len = 1;
	look->state = WORD;
}

/* [-]? ( 0 | [1-9][0-9]* ) ( \. [0-9]+ )? ( [eE] [-+]? [0-9]+ )? */
static bool is_json_number(struct rt_slice text)
{
	size_t at = text.len > 0 && text.ptr[0] == '-';

	/* What is a number under the core schema, and has neither of these, is one in JSON. */
	if (at == text.len || text.ptr[at] == '+' || text.ptr[at] == '.')
		return false;
	if (text.ptr[at] == '0' && at + 1 < text.len && text.ptr[at + 1] >= '0' &&
	    text.ptr[at + 1] <= '9')
		return false;
	at = at + strspn(text.ptr + at, "0123456789");
	return at >= text.len || text.ptr[at] != '.' ||
	       (at + 1 < text.len && text.ptr[at + 1] >= '0' && text.ptr[at + 1] <= '9');
}

static bool is_one_of(struct rt_slice text, const char *const *words)
{
	for (; *words; words++) {
		if (rt_slice_equal(text, rt_slice_make(*words, strlen(*words))))
			return true;
	}
	return false;
}

/* What a word where a value stands says. */
static enum rt_look_verdict judge_word(struct rt_slice text)
{
	static const char *const literals[] = {"true", "false", "null", NULL};
	static const char *const slips[] = {"NaN",  "Infinity", "-Infinity", "undefined",
					    "None", "-",        NULL};
	enum rt_yaml_type type = rt_yaml_scalar_type(text);

	if (is_one_of(text, literals))
		return RT_LOOK_OPEN;
	if (is_one_of(text, slips))
		return RT_LOOK_NEITHER;
	if (type == YAML_TYPE_STRING || text.ptr[0] == '~')
		return RT_LOOK_YAML;
	if ((type == YAML_TYPE_INT || type == YAML_TYPE_FLOAT) && is_json_number(text))
		return RT_LOOK_OPEN;
	return RT_LOOK_NEITHER;
}

/* The word has ended. */
static enum rt_look_verdict close_word(struct rt_look *look)
{
	char text[RT_LOOK_WORD + 1];
	enum rt_look_verdict verdict;

	memcpy(text, look->text, look->len);
	text[look->len] = '\0';
	verdict = judge_word(rt_slice_make(text, look->len));
	value_done(look, true);
	look->begun = look->begun || verdict == RT_LOOK_OPEN;
	return verdict;
}

/* One more byte of a word. Of a long one, digits are taken for a number. */
static enum rt_look_verdict on_word(struct rt_look *look, char c)
{
	if ((unsigned char)c < 0x20)
		return RT_LOOK_NEITHER;
	if (look->len < sizeof(look->text)) {
		look->text[look->len++] = c;
		return RT_LOOK_OPEN;
	}
	return strchr("0123456789.eE+-", c) && strchr("-0123456789", look->text[0]) ? RT_LOOK_OPEN
										    : RT_LOOK_YAML;
}

static enum rt_look_verdict on_value(struct rt_look *look, char c)
{
	if (c == '"') {
		look->begun = true;
		look->key = false;
		look->state = STRING;
	} else if (c == '{' || c == '[') {
		open_collection(look, c == '{');
	} else if (c == ']' && look->first && !in_object(look)) {
		close_collection(look);
	} else if (is_wrong_start(c)) {
		return RT_LOOK_NEITHER;
	} else if (strchr("'&*!#", c)) {
		return RT_LOOK_YAML;
	} else {
		open_word(look, c);
	}
	return RT_LOOK_OPEN;
}

static enum rt_look_verdict on_key(struct rt_look *look, char c)
{
	if (c == '"') {
		look->key = true;
		look->state = STRING;
	} else if (c == '}' && look->first) {
		close_collection(look);
	} else {
		/* Numbers are no keys of ours in either format. */
		return is_wrong_start(c) || strchr("{[0123456789+-.", c) ? RT_LOOK_NEITHER
									 : RT_LOOK_YAML;
	}
	return RT_LOOK_OPEN;
}

static enum rt_look_verdict on_colon(struct rt_look *look, char c)
{
	if (c != ':')
		return c == '#' ? RT_LOOK_YAML : RT_LOOK_NEITHER;
	look->first = false;
	look->state = VALUE;
	return RT_LOOK_OPEN;
}

/* After a value in a collection. */
static enum rt_look_verdict on_next(struct rt_look *look, char c)
{
	if (c == ',') {
		look->first = false;
		look->state = in_object(look) ? KEY : VALUE;
	} else if (c == (in_object(look) ? '}' : ']')) {
		close_collection(look);
	} else {
		return c == '#' || (look->word && is_letter(c)) ? RT_LOOK_YAML : RT_LOOK_NEITHER;
	}
	return RT_LOOK_OPEN;
}

/* After a document: another one on another line (JSON Lines), or what YAML may have there. */
static enum rt_look_verdict on_behind(struct rt_look *look, char c)
{
	if (c == '#' || (look->line && (c == '-' || c == '.')))
		return RT_LOOK_YAML;
	if (!look->line || !strchr("{[\"", c) || !c)
		return RT_LOOK_NEITHER;
	return on_value(look, c);
}

static enum rt_look_verdict on_string(struct rt_look *look, char c)
{
	if (look->hex > 0) {
		look->hex--;
		return strchr("0123456789abcdefABCDEF", c) && c ? RT_LOOK_OPEN : RT_LOOK_NEITHER;
	}
	if ((unsigned char)c < 0x20)
		return RT_LOOK_NEITHER;
	if (c == '\\')
		look->state = ESCAPE;
	else if (c == '"' && look->key)
		look->state = COLON;
	else if (c == '"')
		value_done(look, false);
	return RT_LOOK_OPEN;
}

static enum rt_look_verdict on_escape(struct rt_look *look, char c)
{
	look->state = STRING;
	look->hex = c == 'u' ? 4 : 0;
	return c && strchr("\"\\/bfnrtu", c) ? RT_LOOK_OPEN : RT_LOOK_NEITHER;
}

static enum rt_look_verdict on_byte(struct rt_look *look, char c)
{
	if (look->state == STRING)
		return on_string(look, c);
	if (look->state == ESCAPE)
		return on_escape(look, c);
	if (look->state == WORD) {
		enum rt_look_verdict verdict;

		if (!is_blank(c) && !strchr(",[]{}\"", c))
			return on_word(look, c);
		verdict = close_word(look);
		if (verdict != RT_LOOK_OPEN)
			return verdict;
	}
	if (is_blank(c)) {
		look->line = look->line || c == '\n';
		return RT_LOOK_OPEN;
	}
	switch (look->state) {
	case VALUE:
		return on_value(look, c);
	case KEY:
		return on_key(look, c);
	case COLON:
		return on_colon(look, c);
	case NEXT:
		return on_next(look, c);
	default:
		return on_behind(look, c);
	}
}

enum rt_look_verdict rt_look_on(struct rt_look *look, const char *data, size_t len, bool final)
{
	enum rt_look_verdict verdict = RT_LOOK_OPEN;

	for (size_t at = 0; at < len && verdict == RT_LOOK_OPEN; at++) {
		/* Deeper than any limit: the reader refuses it, whatever it is. */
		if (look->depth == sizeof(look->object) / sizeof(look->object[0]))
			return RT_LOOK_OPEN;
		verdict = on_byte(look, data[at]);
	}
	if (verdict == RT_LOOK_OPEN && final && look->state == WORD)
		verdict = close_word(look);
	return verdict;
}

/* --- What stands before a document ------------------------------------------------------------ */

/*
 * Counts what stands before the first node of a part, and makes it again.
 * Input: the first bytes of a part. Output: as many bytes without comments.
 * Whoever feeds it bounds the run.
 */

#define MARKER "---"
#define MARKER_LEN 3u

/* Count one byte that comes out as a blank. */
static void count(struct rt_lead *lead, char c)
{
	struct rt_lead_run *run = &lead->runs[lead->marked];

	lead->bytes++;
	lead->column++;
	if (c == '\n') {
		run->spaces += run->returns + run->indent;
		run->feeds++;
		run->returns = 0;
		lead->line++;
		lead->column = 0;
	} else if (c == '\r') {
		run->returns += run->indent + 1;
	} else {
		run->indent++;
		run->tab = run->tab || c == '\t';
		return;
	}
	run->indent = 0;
	run->tab = false;
}

/* Whether the rest starts with a marker that stands by itself. */
static bool is_marker(const struct rt_lead *lead, const char *rest, size_t len)
{
	return !lead->marked && lead->column == 0 && len >= MARKER_LEN &&
	       memcmp(rest, MARKER, MARKER_LEN) == 0 &&
	       (len == MARKER_LEN || is_blank(rest[MARKER_LEN]));
}

bool rt_lead_is_open(const struct rt_lead *lead, const char *rest, size_t len, bool final)
{
	return !final && !lead->marked && lead->column == 0 && len <= MARKER_LEN &&
	       memcmp(rest, MARKER, len) == 0;
}

size_t rt_lead_take(struct rt_lead *lead, const char *data, size_t len, bool final)
{
	size_t at = 0;

	while (at < len) {
		char c = data[at];

		if (is_blank(c)) {
			lead->in_comment = lead->in_comment && c != '\n' && c != '\r';
			count(lead, c);
			at++;
		} else if (lead->in_comment || c == '#') {
			lead->in_comment = lead->comment = true;
			count(lead, ' ');
			at++;
		} else if (!rt_lead_is_open(lead, data + at, len - at, final) &&
			   is_marker(lead, data + at, len - at)) {
			lead->marked = true;
			lead->marker = MARKER_LEN;
			lead->bytes += MARKER_LEN;
			lead->column += MARKER_LEN;
			at += MARKER_LEN;
		} else {
			break;
		}
	}
	return at;
}

static size_t give(uint64_t *left, char blank, char *to, size_t cap)
{
	size_t len = *left < cap ? (size_t)*left : cap;

	memset(to, blank, len);
	*left -= len;
	return len;
}

static size_t give_run(struct rt_lead_run *run, bool flow, char *to, size_t cap)
{
	size_t len = give(&run->spaces, ' ', to, cap);

	len += give(&run->feeds, '\n', to + len, cap - len);
	len += give(&run->returns, '\r', to + len, cap - len);
	return len + give(&run->indent, run->tab && !flow ? '\t' : ' ', to + len, cap - len);
}

size_t rt_lead_give(struct rt_lead *lead, bool flow, char *to, size_t cap)
{
	/* Before the marker the last line is empty. */
	size_t len = give_run(&lead->runs[0], flow || lead->marked, to, cap);

	if (!lead->marked)
		return len;
	while (len < cap && lead->marker > 0) {
		to[len++] = '-';
		lead->marker--;
	}
	return len + give_run(&lead->runs[1], flow, to + len, cap - len);
}
