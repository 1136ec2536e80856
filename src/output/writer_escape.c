/*
 * Which characters of a string an answer never shows as they are, and where they stand.
 * Input: checked UTF-8. Output: lengths and code points. Refuses nothing.
 */
#include <stdint.h>

#include "base/utf8.h"
#include "output/writer_ops.h"

enum {
	SAFE,
	ALWAYS, /* this byte is a whole character that is escaped */
	LEAD,   /* the first byte of some that are and some that are not */
};

#define FOUR(x) x, x, x, x

/* C0, '"', '\\', DEL; and the lead bytes of U+0080.., U+0600.., U+2000.. and U+F000.. */
static const uint8_t escape_class[256] = {
    FOUR(FOUR(ALWAYS)), FOUR(FOUR(ALWAYS)), ['"'] = ALWAYS, ['\\'] = ALWAYS, [0x7f] = ALWAYS,
    [0xc2] = LEAD,      [0xd8] = LEAD,      [0xe2] = LEAD,  [0xef] = LEAD,
};

/* Whether the character that starts at p, with a byte of class LEAD, is escaped. */
static bool lead_is_escaped(const char *p)
{
	return rt_utf8_is_unsafe(rt_utf8_decode(p, (uint8_t)*p < 0xe0 ? 2 : 3));
}

size_t rt_escape_run(const char *ptr, size_t len)
{
	size_t at;

	for (at = 0; at < len; at++) {
		uint8_t kind = escape_class[(uint8_t)ptr[at]];

		/* A lead byte's followers are there: the text is checked UTF-8. */
		if (kind == ALWAYS || (kind == LEAD && lead_is_escaped(ptr + at)))
			break;
	}
	return at;
}

uint32_t rt_escape_point(const char *ptr, size_t *ret_len)
{
	uint8_t lead = (uint8_t)*ptr;

	*ret_len = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : 3;
	return rt_utf8_decode(ptr, *ret_len);
}
