/*
 * YAML text of JSON values: plain where YAML 1.1 and 1.2 readers agree on it, else quoted.
 * Input: JSON text from our own requests. Output: text after a buffer's bytes, on one line.
 */
#include "text/yaml_edit_text.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <strings.h>

#include "base/json_string.h"
#include "base/utf8.h"
#include "text/yaml_scalar.h"

static bool is_letter(char c)
{
	return ((unsigned char)(c | 0x20) >= 'a' && (unsigned char)(c | 0x20) <= 'z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Words that are booleans under YAML 1.1 and strings under 1.2, in any mix of cases. */
static bool is_old_word(struct rt_slice text)
{
	static const char *const words[] = {"y", "yes", "n", "no", "on", "off"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) == text.len && !strncasecmp(words[i], text.ptr, text.len))
			return true;
	}
	return false;
}

bool rt_yaml_is_dated(struct rt_slice text)
{
	if (text.len < 8)
		return false;
	for (size_t i = 0; i < 5; i++) {
		if (i < 4 ? !is_digit(text.ptr[i]) : text.ptr[i] != '-')
			return false;
	}
	return true;
}

/* Whether every byte may stand in a date-time as we write it. */
static bool is_date_time(struct rt_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!is_digit(c) && c != '-' && c != 'T' && c != 'Z' &&
		    (c != ':' || i + 1 == text.len || !is_digit(text.ptr[i + 1])))
			return false;
	}
	return rt_yaml_is_dated(text);
}

/* Whether text is the same string for all readers when it stands plain, also in a flow. */
static bool is_plain(struct rt_slice text)
{
	if (text.len == 0 || !is_letter(text.ptr[0]) || is_old_word(text))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!is_letter(c) && !is_digit(c) && c != '_' && c != '-')
			return false;
	}
	return rt_yaml_scalar_type(text) == YAML_TYPE_STRING;
}

/* Whether YAML wants an escape for a code point that JSON allows as it is. */
static bool wants_escape(uint32_t point)
{
	return (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029 ||
	       point == 0xfeff || point == 0xfffe || point == 0xffff;
}

enum rt_status rt_yaml_put_quoted(struct rt_buf *out, struct rt_slice text, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct rt_buf json = {0};
	char escape[8];
	size_t at = 0, from = 0;

	status = rt_yaml_append_string(&json, text.len ? text : RT_SLICE(""), err);
	while (status == RT_OK && at < json.len) {
		size_t len = rt_utf8_length(json.data + at, json.len - at);
		uint32_t point = len ? rt_utf8_decode(json.data + at, len) : 0;

		at += len ? len : 1;
		if (!wants_escape(point))
			continue;
		snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)point);
		status = rt_buf_append(out, json.data + from, at - len - from, err);
		if (status == RT_OK)
			status = rt_buf_append(out, escape, 6, err);
		from = at;
	}
	if (status == RT_OK)
		status = rt_buf_append(out, json.data + from, json.len - from, err);
	rt_buf_release(&json);
	return status;
}

/* Whether text can stand in single quotes on one line: no escapes are known there. */
static bool is_single(struct rt_slice text)
{
	for (size_t at = 0; at < text.len;) {
		size_t len = rt_utf8_length(text.ptr + at, text.len - at);

		if (len == 0)
			return false;
		if ((unsigned char)text.ptr[at] < 0x20 ||
		    wants_escape(rt_utf8_decode(text.ptr + at, len)))
			return false;
		at += len;
	}
	return true;
}

static enum rt_status put_single(struct rt_buf *out, struct rt_slice text, struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(out, text.len * 2 + 2, err);

	if (status != RT_OK)
		return status;
	out->data[out->len++] = '\'';
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			out->data[out->len++] = '\'';
		out->data[out->len++] = text.ptr[i];
	}
	out->data[out->len++] = '\'';
	return RT_OK;
}

enum rt_status rt_yaml_put_scalar(struct rt_buf *out, struct rt_slice json,
				  yaml_scalar_style_t style, bool dated, struct rt_error *err)
{
	struct rt_buf room = {0};
	enum rt_status status;
	struct rt_slice text;

	if (json.ptr[0] != '"')
		return rt_buf_append(out, json.ptr, json.len, err);
	status = rt_buf_reserve(&room, json.len, err);
	if (status != RT_OK)
		return status;
	text = rt_slice_make(json.ptr + 1, json.len - 2);
	text = rt_slice_make(room.data, rt_json_string_decode(text, room.data));
	if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE && is_single(text))
		status = put_single(out, text, err);
	else if (style == YAML_PLAIN_SCALAR_STYLE &&
		 (is_plain(text) || (dated && is_date_time(text))))
		status = rt_buf_append(out, text.ptr, text.len, err);
	else
		status = rt_yaml_put_quoted(out, text, err);
	rt_buf_release(&room);
	return status;
}

enum rt_status rt_yaml_put_name(struct rt_buf *out, struct rt_slice name, bool quoted,
				struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(out, name.len + 2, err);

	if (status != RT_OK)
		return status;
	if (quoted)
		out->data[out->len++] = '"';
	memcpy(out->data + out->len, name.ptr, name.len);
	out->len += name.len;
	if (quoted)
		out->data[out->len++] = '"';
	return RT_OK;
}

enum rt_status rt_yaml_put_spaces(struct rt_buf *out, size_t count, struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(out, count + 1, err);

	if (status != RT_OK)
		return status;
	memset(out->data + out->len, ' ', count);
	out->len += count;
	return RT_OK;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The length of the string or literal at json's start. */
static size_t json_length(struct rt_slice json)
{
	bool quoted = json.len && json.ptr[0] == '"';
	size_t at;

	for (at = quoted; at < json.len; at++) {
		char c = json.ptr[at];

		if (quoted && c == '\\')
			at++;
		else if (quoted ? c == '"' : c == ',' || c == '}' || c == ' ')
			return at + quoted;
	}
	return json.len;
}

struct rt_slice rt_yaml_json_value(struct rt_slice *json)
{
	struct rt_slice value;
	size_t at = 0;

	while (at < json->len && (is_blank(json->ptr[at]) || strchr(",:{", json->ptr[at])))
		at++;
	value = rt_slice_make(json->ptr + at, json->len - at);
	value.len = json_length(value);
	*json = rt_slice_make(value.ptr + value.len, json->len - at - value.len);
	return value;
}

/* Take c off *json, and the blanks before it. */
static bool json_at(struct rt_slice *json, char c)
{
	size_t at = 0;

	while (at < json->len && is_blank(json->ptr[at]))
		at++;
	if (at == json->len || json->ptr[at] != c)
		return false;
	*json = rt_slice_make(json->ptr + at + 1, json->len - at - 1);
	return true;
}

bool rt_yaml_json_ends(struct rt_slice *json)
{
	if (json->len > 0 && !json_at(json, '}'))
		return false;
	(void)json_at(json, ',');
	return true;
}

/* One member, and what stands before it. */
static enum rt_status put_member(struct rt_buf *out, struct rt_slice *json, const char *before,
				 bool quoted, struct rt_error *err)
{
	enum rt_status status = rt_buf_append(out, before, strlen(before), err);
	struct rt_slice name = rt_yaml_json_value(json);

	assert(name.len >= 2 && name.ptr[0] == '"');
	if (status == RT_OK)
		status =
		    rt_yaml_put_name(out, rt_slice_make(name.ptr + 1, name.len - 2), quoted, err);
	if (status == RT_OK)
		status = rt_buf_append(out, ": ", 2, err);
	if (status == RT_OK)
		status = rt_yaml_put_scalar(out, rt_yaml_json_value(json),
					    YAML_DOUBLE_QUOTED_SCALAR_STYLE, false, err);
	return status;
}

enum rt_status rt_yaml_put_object(struct rt_buf *out, struct rt_slice *json, const char *line,
				  bool quoted, struct rt_error *err)
{
	const char *before = line ? "" : "{";
	enum rt_status status;

	do {
		status = put_member(out, json, before, quoted, err);
		before = line ? line : ", ";
	} while (status == RT_OK && !rt_yaml_json_ends(json));
	return status == RT_OK && !line ? rt_buf_append(out, "}", 1, err) : status;
}
