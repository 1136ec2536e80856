/* Tells what a part begins with. */
#include "formats/look.h"

#include "formats/yaml_scalar.h"

/* --- What is before the first node -------------------------------------------------------- */

#define MARKER "---"
#define MARKER_LEN 3u

/* Whether a marker stands by itself at the beginning of a line. */
static bool is_marker(const char *at, size_t len, bool final)
{
	return len >= MARKER_LEN && memcmp(at, MARKER, MARKER_LEN) == 0 &&
	       (len > MARKER_LEN ? rt_is_blank(at[MARKER_LEN]) : final);
}

bool rt_lead_find(struct rt_lead *ret_lead, const char *data, size_t len, bool final)
{
	struct rt_lead lead = {.bytes = 0};
	size_t at = 0, start = 0;
	bool open;

	while (at < len) {
		if (data[at] == '\n') {
			lead.line++;
			start = at + 1;
		}
		if (rt_is_blank(data[at])) {
			at++;
		} else if (data[at] == '#') {
			lead.comment = true;
			while (at < len && data[at] != '\n' && data[at] != '\r')
				at++;
		} else if (!lead.marked && at == start && is_marker(data + at, len - at, final)) {
			lead.marked = true;
			at += MARKER_LEN;
		} else {
			break;
		}
	}
	lead.bytes = at;
	lead.indent = at - start;
	*ret_lead = lead;
	/* What is left may become a marker. */
	open = !lead.marked && at == start && len - at <= MARKER_LEN &&
	       memcmp(data + at, MARKER, len - at) == 0;
	return final || (at < len && !open);
}

void rt_lead_mend(const struct rt_lead *lead, char *data, size_t len)
{
	struct rt_slice rest = rt_slice_make(data + lead->bytes, len - lead->bytes);
	/* Before a bracket tabs are no indentation. */
	size_t end = rt_text_is_flow(rest) ? lead->bytes : lead->bytes - lead->indent;
	bool comment = false;

	for (size_t at = 0; at < end; at++) {
		comment = data[at] == '#' || (comment && data[at] != '\n' && data[at] != '\r');
		if (data[at] == '\t' && !comment)
			data[at] = ' ';
	}
}

/* --- JSON or YAML ----------------------------------------------------------------------------- */

/* Bytes of a word that are judged. */
#define WORD_MAX 40u

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && rt_is_blank(*at))
		at++;
	return at;
}

/* The byte after a string. at: after its first quote. */
static const char *skip_string(const char *at, const char *end)
{
	while (at < end && *at != '"')
		at += *at == '\\' && end - at > 1 ? 2 : 1;
	return at < end ? at + 1 : end;
}

/* Bytes that no plain scalar in a flow collection starts with. */
static bool is_wrong_start(char c)
{
	return (unsigned char)c < 0x20 || strchr(",:]}|>%@`", c);
}

/* Whether a value that is no collection is one of YAML alone. */
static bool is_yaml_value(const char *at, const char *end)
{
	static const char *const slips[] = {"NaN",       "Infinity", "-Infinity",
					    "undefined", "None",     "-"};
	char word[WORD_MAX + 1];
	size_t len = 0;

	if (is_wrong_start(*at) || *at == '"')
		return false;
	if (strchr("'&*!#~", *at))
		return true;
	for (; at < end && len < WORD_MAX && !rt_is_blank(*at) && !strchr(",[]{}\"", *at); at++)
		word[len++] = *at;
	word[len] = '\0';
	for (size_t i = 0; i < sizeof(slips) / sizeof(slips[0]); i++) {
		if (strcmp(word, slips[i]) == 0)
			return false;
	}
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)word[i] < 0x20)
			return false;
	}
	return rt_yaml_scalar_type(rt_slice_make(word, len)) == YAML_TYPE_STRING;
}

bool rt_flow_is_yaml(struct rt_slice text)
{
	const char *at = text.ptr, *end = rt_slice_end(text);

	while (at < end && (*at == '{' || *at == '[')) {
		bool is_object = *at == '{';

		at = skip_blanks(at + 1, end);
		if (at < end && is_object && *at != '"')
			/* Numbers are no keys of ours in either format. */
			return !is_wrong_start(*at) && !strchr("{[0123456789+-.", *at);
		if (at < end && is_object) {
			at = skip_blanks(skip_string(at + 1, end), end);
			if (at < end && *at != ':')
				return *at == '#';
			at = at < end ? skip_blanks(at + 1, end) : end;
		}
	}
	return at < end && is_yaml_value(at, end);
}
