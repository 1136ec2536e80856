/*
 * Paths below a prefix. Input: a decoded path, any bytes. Output: its end.
 */
#include "base/prefix.h"

#include <string.h>

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

struct rt_slice rt_path_undot(struct rt_slice path)
{
	while (path.len >= 2 && path.ptr[0] == '.' && is_slash(path.ptr[1])) {
		size_t skip = 2;

		while (skip < path.len && is_slash(path.ptr[skip]))
			skip++;
		path = rt_slice_make(path.ptr + skip, path.len - skip);
	}
	return path;
}

/* Bytes of path that a prefix takes off, the slash after it included; 0: it does not lie below. */
static size_t prefix_len(struct rt_slice path, const char *prefix)
{
	struct rt_slice given = rt_path_undot(rt_slice_make(prefix, strlen(prefix)));
	size_t len;

	while (given.len > 1 && is_slash(given.ptr[given.len - 1]))
		given.len--;
	len = given.len;
	if (!len || path.len <= len)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (path.ptr[i] != given.ptr[i] &&
		    !(is_slash(path.ptr[i]) && is_slash(given.ptr[i])))
			return 0;
	}
	if (!is_slash(given.ptr[len - 1]) && !is_slash(path.ptr[len]))
		return 0;
	while (len < path.len && is_slash(path.ptr[len]))
		len++;
	return len < path.len ? len : 0;
}

struct rt_slice rt_path_strip(struct rt_slice path, struct rt_prefixes prefixes)
{
	struct rt_slice from = rt_path_undot(path);
	size_t longest = 0;

	for (size_t i = 0; i < prefixes.count; i++) {
		size_t len = prefix_len(from, prefixes.list[i]);

		if (len > longest)
			longest = len;
	}
	if (!longest)
		return path;
	/* What the prefix leaves may begin with dots of its own. */
	return rt_path_undot(rt_slice_make(from.ptr + longest, from.len - longest));
}
