/*
 * URIs as paths. Tools write paths of Windows just as well, and what is no URI is a relative path:
 * nothing is refused here.
 */
#include "sarif/uri.h"

#include <strings.h>

#include "base/utf8.h"

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Bytes of the scheme before its ':'; 0: none. One letter would be a drive. (RFC 3986 §3.1) */
static size_t scheme_len(struct rt_slice uri)
{
	size_t len = 0;

	if (!uri.len || !is_letter(*uri.ptr))
		return 0;
	while (len < uri.len &&
	       (is_letter(uri.ptr[len]) || (uri.ptr[len] >= '0' && uri.ptr[len] <= '9') ||
		uri.ptr[len] == '+' || uri.ptr[len] == '-' || uri.ptr[len] == '.'))
		len++;
	return len >= 2 && len < uri.len && uri.ptr[len] == ':' ? len : 0;
}

/* The value of a hexadecimal digit; -1: none. */
static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that an escape stands for; -1: none is there. */
static int escape_at(const char *at, const char *end)
{
	int high, low;

	if (end - at < 3 || *at != '%')
		return -1;
	high = digit(at[1]);
	low = digit(at[2]);
	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* The character that escapes stand for, written to out (4 bytes of room). Returns its bytes; 0:
 * there is none that is decoded. */
static size_t escapes_decode(const char *at, const char *end, char *out)
{
	size_t have = 0, len;

	for (; have < 4; have++, at += 3) {
		int byte = escape_at(at, end);

		if (byte < 0)
			break;
		out[have] = (char)byte;
	}
	len = have ? rt_utf8_length(out, have) : 0;
	return len == 1 && ((unsigned char)*out < 0x20 || *out == 0x7F) ? 0 : len;
}

/* Decode in place. Returns the bytes left. */
static size_t decode(char *text, size_t len)
{
	const char *at = text, *end = text + len;
	char *out = text, piece[4];

	while (at < end) {
		size_t got = *at == '%' ? escapes_decode(at, end, piece) : 0;

		if (!got) {
			*out++ = *at++;
			continue;
		}
		memcpy(out, piece, got);
		out += got;
		at += 3 * got;
	}
	return (size_t)(out - text);
}

/* Drop bytes at the start of the path that begins at `from` in out. */
static void drop(struct rt_buf *out, size_t from, size_t count)
{
	out->len -= count;
	memmove(out->data + from, out->data + from + count, out->len - from);
}

/* Take "//" and a host away, count bytes, and have a '/' where nothing is left. */
static void local_drop(struct rt_buf *out, size_t from, size_t count)
{
	out->data[from + count - 1] = '/';
	drop(out, from, from + count < out->len ? count : count - 1);
}

/* Take what comes before the path of a file: URI away: "//" and the name of this machine, or '/'
 * before a drive. The path starts at `from`; its escapes have been decoded. */
static void authority_drop(struct rt_buf *out, size_t from)
{
	static const char local[] = "localhost";
	struct rt_slice path = rt_slice_make(out->data + from, out->len - from);
	size_t host = 0;

	if (path.len >= 2 && memcmp(path.ptr, "//", 2) == 0) {
		while (2 + host < path.len && path.ptr[2 + host] != '/')
			host++;
		if (host == 0 ||
		    (host == sizeof(local) - 1 && strncasecmp(path.ptr + 2, local, host) == 0))
			local_drop(out, from, 2 + host);
		else if (host == 2 && rt_sarif_is_drive(rt_slice_make(path.ptr + 2, host)))
			drop(out, from, 1);
	}
	path = rt_slice_make(out->data + from, out->len - from);
	if (path.len >= 3 && *path.ptr == '/' &&
	    rt_sarif_is_drive(rt_slice_make(path.ptr + 1, path.len - 1)))
		drop(out, from, 1);
}

/* Whether a path starts at a root or with a drive. */
static bool is_rooted(struct rt_slice path)
{
	return (path.len && *path.ptr == '/') || rt_sarif_is_drive(path);
}

/* Take "./" at the start away from the path that begins at `from`. */
static void dots_drop(struct rt_buf *out, size_t from)
{
	size_t skip = 0;

	while (out->len - from - skip >= 2 && memcmp(out->data + from + skip, "./", 2) == 0)
		skip += 2;
	drop(out, from, skip);
}

enum rt_status rt_sarif_uri_path(struct rt_slice uri, struct rt_buf *out,
				 enum rt_sarif_path_kind *ret_kind, struct rt_error *err)
{
	size_t scheme = scheme_len(uri), from = out->len;
	bool file = scheme == 4 && strncasecmp(uri.ptr, "file", 4) == 0, absolute;
	enum rt_status status;

	*ret_kind = scheme && !file ? RT_SARIF_PATH_OTHER : RT_SARIF_PATH_NONE;
	if (file)
		uri = rt_slice_make(uri.ptr + 5, uri.len - 5);
	status = rt_buf_append(out, uri.ptr, uri.len, err);
	if (status != RT_OK || !uri.len || (scheme && !file))
		return status;
	for (size_t i = from; i < out->len; i++) {
		if (out->data[i] == '\\')
			out->data[i] = '/';
	}
	/* Without a scheme an escaped ':' or '/' is a part of a name. */
	absolute = !file && is_rooted(rt_slice_make(out->data + from, out->len - from));
	dots_drop(out, from);
	out->len = from + decode(out->data + from, out->len - from);
	if (file) {
		authority_drop(out, from);
		absolute = is_rooted(rt_slice_make(out->data + from, out->len - from));
	}
	*ret_kind = absolute ? RT_SARIF_PATH_ABSOLUTE : RT_SARIF_PATH_RELATIVE;
	return RT_OK;
}

/* The place of a byte in text, or its length. */
static size_t place_of(struct rt_slice text, size_t from, char c)
{
	const char *at = from < text.len ? memchr(text.ptr + from, c, text.len - from) : NULL;

	return at ? (size_t)(at - text.ptr) : text.len;
}

struct rt_slice rt_sarif_uri_repository(struct rt_slice uri)
{
	size_t scheme = uri.len && is_letter(*uri.ptr) ? scheme_len(uri) : 0, start = 0;

	if (scheme && uri.len >= scheme + 3 && memcmp(uri.ptr + scheme, "://", 3) == 0) {
		start = place_of(uri, scheme + 3, '/');
	} else {
		size_t at = place_of(uri, 0, '@'), colon = place_of(uri, at, ':');

		/* git@host:path, as ssh has it: no '/' and no other ':' before. */
		if (colon < uri.len && place_of(uri, 0, '/') > colon &&
		    place_of(uri, 0, ':') == colon)
			start = colon + 1;
	}
	while (start < uri.len && uri.ptr[start] == '/')
		start++;
	uri = rt_slice_make(uri.ptr + start, uri.len - start);
	while (uri.len && uri.ptr[uri.len - 1] == '/')
		uri.len--;
	if (uri.len >= 4 && memcmp(uri.ptr + uri.len - 4, ".git", 4) == 0)
		uri.len -= 4;
	return uri;
}
