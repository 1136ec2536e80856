/*
 * Request targets. Input: the text between the method and the version. Output: authority, path
 * and query; values of the query.
 * Refuses characters that a URI cannot have, so that nothing after it sees raw bytes, spaces,
 * fragments or half a percent-encoding.
 */
#include "http/target.h"

#include "base/utf8.h"

/* The digit's value; -1: it is none. */
static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

static bool is_alphanumeric(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_unreserved(char c)
{
	return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/* All of RFC 3986 but '#', '[' and ']', which paths and queries do not have. */
static bool is_target_char(char c)
{
	return is_unreserved(c) || (c && strchr("!$&'()*+,;=:@/?%", c) != NULL);
}

/* The byte that a percent-encoding at text stands for; -1: it is none. */
static int percent_value(const char *text, const char *end)
{
	if (end - text < 3 || *text != '%' || hex_value(text[1]) < 0 || hex_value(text[2]) < 0)
		return -1;
	return hex_value(text[1]) << 4 | hex_value(text[2]);
}

static bool is_clean(struct rt_slice text)
{
	const char *end = rt_slice_end(text);

	for (const char *at = text.ptr; at < end; at++) {
		if (!is_target_char(*at) || (*at == '%' && percent_value(at, end) < 0))
			return false;
	}
	return true;
}

/* Cut "http://AUTHORITY" off the front of rest. Returns false where it is not there. */
static bool cut_authority(struct rt_slice *rest, struct rt_slice *ret_authority)
{
	static const char scheme[] = "http://";
	size_t len = sizeof(scheme) - 1;

	if (rest->len < len || strncasecmp(rest->ptr, scheme, len) != 0)
		return false;
	ret_authority->ptr = rest->ptr + len;
	ret_authority->len = 0;
	while (len < rest->len && rest->ptr[len] != '/' && rest->ptr[len] != '?') {
		len++;
		ret_authority->len++;
	}
	rest->ptr += len;
	rest->len -= len;
	return ret_authority->len > 0;
}

bool rt_target_parse(struct rt_slice text, struct rt_target *ret_target)
{
	struct rt_target target = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
	const char *mark;

	if (rt_slice_equal(text, RT_SLICE("*"))) {
		target.path = text;
		*ret_target = target;
		return true;
	}
	if (text.len && text.ptr[0] != '/' && !cut_authority(&text, &target.authority))
		return false;
	if (!is_clean(text))
		return false;
	mark = text.len ? memchr(text.ptr, '?', text.len) : NULL;
	target.path = rt_slice_make(text.ptr, mark ? (size_t)(mark - text.ptr) : text.len);
	if (mark)
		target.query = rt_slice_make(mark + 1, text.len - target.path.len - 1);
	/* Only the absolute form can go without a path; it means the root then. */
	if (target.path.len == 0) {
		if (!target.authority.ptr)
			return false;
		target.path = RT_SLICE("/");
	}
	*ret_target = target;
	return true;
}

bool rt_target_path_is(struct rt_slice path, const char *wanted)
{
	const char *at = path.ptr, *end = rt_slice_end(path);

	while (at < end) {
		int value = percent_value(at, end);
		char c = value >= 0 && is_unreserved((char)value) ? (char)value : *at;

		if (c != *wanted)
			return false;
		at += c == *at ? 1 : 3;
		wanted++;
	}
	return *wanted == '\0';
}

/* Decode a name or a value. Returns the bytes written, at most text.len. */
static size_t decode(struct rt_slice text, char *out)
{
	const char *at = text.ptr, *end = rt_slice_end(text);
	char *start = out;

	while (at < end) {
		int value = percent_value(at, end);

		*out++ = value >= 0 ? (char)value : *at == '+' ? ' ' : *at;
		at += value >= 0 ? 3 : 1;
	}
	return (size_t)(out - start);
}

static bool is_text(struct rt_slice text)
{
	size_t at = 0;

	while (at < text.len) {
		size_t len = rt_utf8_length(text.ptr + at, text.len - at);

		if (len == 0 || text.ptr[at] == '\0')
			return false;
		at += len;
	}
	return true;
}

enum rt_parameter rt_target_parameter(struct rt_slice query, const char *name, char *out,
				      struct rt_slice *ret_value)
{
	const char *at = query.ptr ? query.ptr : "", *end = at + query.len;
	struct rt_slice wanted = {name, strlen(name)};
	bool found = false;

	/* Decoded texts are no longer than the encoded ones, and what was found stays where it is
	 * while later pairs are decoded after it. */
	while (at <= end) {
		const char *stop = at < end ? memchr(at, '&', (size_t)(end - at)) : NULL;
		struct rt_slice pair = {at, (size_t)((stop ? stop : end) - at)};
		const char *equals = pair.len ? memchr(pair.ptr, '=', pair.len) : NULL;
		size_t name_len = equals ? (size_t)(equals - pair.ptr) : pair.len;
		struct rt_slice value = {equals ? equals + 1 : "",
					 equals ? pair.len - name_len - 1 : 0};
		struct rt_slice decoded = {out, decode(rt_slice_make(pair.ptr, name_len), out)};

		at += pair.len + 1;
		if (!rt_slice_equal(decoded, wanted))
			continue;
		if (found)
			return RT_PARAMETER_REPEATED;
		found = true;
		*ret_value = rt_slice_make(out, decode(value, out));
		out += ret_value->len;
	}
	if (!found)
		return RT_PARAMETER_ABSENT;
	return is_text(*ret_value) ? RT_PARAMETER_FOUND : RT_PARAMETER_BAD;
}
