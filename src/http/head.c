/*
 * Framing of requests (RFC 9112). Input: the headers of one request. Output: fields, or why the
 * connection must end.
 * Refuses whatever another server or proxy might read in another way: fields that are there twice,
 * Content-Length beside Transfer-Encoding, codings other than chunked, a bare LF or CR, NUL,
 * folded lines, blanks before the colon, more or fewer than one blank in the first line.
 *
 * libmicrohttpd up to 0.9.77 accepts most of that and does not say so. But it parses in place:
 * method, target, version, names and values point into the bytes as they came, so that their
 * addresses show what was between them. Each line must end with exactly two bytes more than its
 * value has, and the last of them where the size of the block says that it ends: one byte less is
 * a bare LF, more is a NUL or a fold. Only addresses are compared; nothing between is read. One
 * thing cannot be told: NUL LF ends a line as CR LF does. Later versions refuse these forms
 * themselves (server.c asks for that).
 */
#include "http/head.h"

#include <stdio.h>
#include <strings.h>

#include "base/limits.h"

#define CRLF 2u
#define LAYOUT_IS_KNOWN (MHD_VERSION < 0x00097701)

static const struct rt_slice field_names[RT_FIELDS] = {
    [RT_FIELD_HOST] = {"Host", 4},
    [RT_FIELD_ORIGIN] = {"Origin", 6},
    [RT_FIELD_API_KEY] = {"X-API-Key", 9},
    [RT_FIELD_CONTENT_TYPE] = {"Content-Type", 12},
    [RT_FIELD_CONTENT_LENGTH] = {"Content-Length", 14},
    [RT_FIELD_TRANSFER_ENCODING] = {"Transfer-Encoding", 17},
    [RT_FIELD_EXPECT] = {"Expect", 6},
};

/* A walk over the fields. */
struct walk {
	struct rt_head *head;
	uintptr_t next; /* where the next field's name has to be */
};

static void refuse(struct rt_head *head, unsigned status, const char *fault)
{
	if (head->status)
		return;
	head->status = status;
	head->fault = fault;
}

/* A token (RFC 9110 §5.6.2). */
static bool is_token(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		      (c && strchr("!#$%&'*+-.^_`|~", c))))
			return false;
	}
	return len > 0;
}

static bool is_value(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < 0x20 && c != '\t') || c == 0x7F)
			return false;
	}
	return true;
}

/* The rule of this file's head: the field lies where the one before it ended. */
static bool lies_well(struct walk *walk, const char *name, size_t name_len, const char *value,
		      size_t value_len)
{
	bool good = (uintptr_t)name == walk->next && (uintptr_t)value > (uintptr_t)name + name_len;

	walk->next = (uintptr_t)value + value_len + CRLF;
	return good || !LAYOUT_IS_KNOWN;
}

static void keep_field(struct rt_head *head, const char *name, size_t name_len,
		       struct rt_slice value)
{
	while (value.len && (value.ptr[value.len - 1] == ' ' || value.ptr[value.len - 1] == '\t'))
		value.len--;
	for (size_t i = 0; i < RT_FIELDS; i++) {
		if (field_names[i].len != name_len ||
		    strncasecmp(field_names[i].ptr, name, name_len) != 0)
			continue;
		if (head->fields[i].ptr)
			refuse(head, 400,
			       "want no header twice that frames, names or admits a "
			       "request");
		head->fields[i] = value;
	}
}

static enum MHD_Result take_field(void *cls, enum MHD_ValueKind kind, const char *name,
				  size_t name_len, const char *value, size_t value_len)
{
	struct walk *walk = cls;

	(void)kind;
	if (!value) {
		value = name + name_len;
		value_len = 0;
	}
	if (!lies_well(walk, name, name_len, value, value_len))
		refuse(walk->head, 400,
		       "want lines that end with CR LF, have another end, a NUL or "
		       "a folded line");
	if (!is_token(name, name_len))
		refuse(walk->head, 400,
		       "want a header's name and a colon behind it, have other "
		       "characters");
	if (!is_value(value, value_len))
		refuse(walk->head, 400, "want no control characters in a header");
	keep_field(walk->head, name, name_len, rt_slice_make(value, value_len));
	return MHD_YES;
}

static bool first_line_is_good(const char *method, const char *version,
			       const struct rt_head_line *line)
{
	return !LAYOUT_IS_KNOWN || ((uintptr_t)method + strlen(method) + 1 == line->target_at &&
				    line->target_at + line->target_len + 1 == (uintptr_t)version &&
				    strlen(version) == 8);
}

static bool block_ends_well(struct MHD_Connection *connection, const char *method,
			    const struct walk *walk, struct rt_head *head)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

	if (!info)
		return false;
	if (info->header_size > RT_HTTP_HEAD_BYTES)
		refuse(head, 431, "the first line and the headers are too long");
	return !LAYOUT_IS_KNOWN || walk->next + CRLF == (uintptr_t)method + info->header_size;
}

/* Content-Length: digits only; the library has refused all else before, and what is too large. */
static bool parse_length(struct rt_slice text, uint64_t *ret_length)
{
	uint64_t length = 0;

	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = (unsigned)(unsigned char)text.ptr[i] - '0';

		if (digit > 9 || length > (UINT64_MAX - digit) / 10)
			return false;
		length = 10 * length + digit;
	}
	*ret_length = length;
	return text.len > 0;
}

static void read_body(struct rt_head *head, const char *method, const char *version)
{
	struct rt_slice length = head->fields[RT_FIELD_CONTENT_LENGTH];
	struct rt_slice coding = head->fields[RT_FIELD_TRANSFER_ENCODING];
	bool updates = strcmp(method, MHD_HTTP_METHOD_PATCH) == 0;
	bool reads =
	    strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;

	if (coding.ptr) {
		head->has_body = head->chunked = true;
		if (length.ptr)
			refuse(head, 400, "want Content-Length or Transfer-Encoding, have both");
		if (!updates || strcmp(version, MHD_HTTP_VERSION_1_0) == 0)
			refuse(head, 400, "want no Transfer-Encoding here");
		if (coding.len != 7 || strncasecmp(coding.ptr, "chunked", 7) != 0)
			refuse(head, 501, "want the transfer coding chunked, have another");
	} else if (length.ptr) {
		if (!parse_length(length, &head->body_bytes))
			refuse(head, 400, "want digits as Content-Length");
		head->has_body = head->body_bytes > 0;
		if (head->has_body && reads)
			refuse(head, 400, "want no body here");
	}
}

void rt_head_read(struct MHD_Connection *connection, const char *method, const char *version,
		  const struct rt_head_line *line, struct rt_head *ret_head)
{
	struct walk walk = {ret_head, (uintptr_t)version + 8 + CRLF};

	*ret_head = (struct rt_head){.status = 0};
	if (!first_line_is_good(method, version, line) || !is_token(method, strlen(method)))
		refuse(ret_head, 400, "want METHOD TARGET VERSION with one space between them");
	(void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, take_field, &walk);
	if (!block_ends_well(connection, method, &walk, ret_head))
		refuse(ret_head, 400,
		       "want lines that end with CR LF, have another end, a NUL or a "
		       "folded line");
	read_body(ret_head, method, version);
	if (!ret_head->fields[RT_FIELD_HOST].ptr && strcmp(version, MHD_HTTP_VERSION_1_0) != 0)
		refuse(ret_head, 400, "want a Host header");
}
