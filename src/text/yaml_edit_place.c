/*
 * Places around a value in YAML source.
 * Input: where libyaml says that it stands. Output: its parts, and the place for new lines after
 * it, which must change neither the value nor what a comment says about it.
 */
#include "text/yaml_edit_place.h"

/* Whether a line has no more than so many spaces and nothing else. */
static bool is_space_line(const struct yaml_tee *tee, uint64_t from, uint64_t to, size_t spaces)
{
	uint64_t at = from;

	while (at < to && rt_yaml_tee_byte(tee, at) == ' ')
		at++;
	return at - from <= spaces && (at == to || rt_yaml_tee_break(tee, at) > 0);
}

/* The start of the line that ends, break included, before offset; not before floor. */
static uint64_t line_before(const struct yaml_tee *tee, uint64_t offset, uint64_t floor)
{
	uint64_t start = floor;

	for (;;) {
		uint64_t end = rt_yaml_tee_line_end(tee, start);
		size_t len = rt_yaml_tee_break(tee, end);

		if (len == 0 || end + len >= offset)
			return start;
		start = end + len;
	}
}

/* Go back over the lines at the end of [floor, end) that have at most so many spaces. */
static uint64_t skip_back(const struct yaml_tee *tee, uint64_t floor, uint64_t end, size_t spaces)
{
	uint64_t kept = floor, start = floor;

	while (start < end) {
		uint64_t next = rt_yaml_tee_line_end(tee, start);

		next += rt_yaml_tee_break(tee, next);
		if (next > end)
			next = end;
		if (!is_space_line(tee, start, next, spaces))
			kept = next;
		start = next;
	}
	return kept;
}

struct yaml_parts rt_yaml_edit_parts(const struct yaml_tee *tee, struct yaml_extent extent)
{
	struct yaml_parts parts = {extent.start, extent.start, extent.end, 0, 0};
	uint64_t at = extent.start;
	char c;

	while (at < extent.end && (c = rt_yaml_tee_byte(tee, at), c == '!' || c == '&')) {
		while (at < extent.end && !rt_yaml_is_space(rt_yaml_tee_byte(tee, at)) &&
		       rt_yaml_tee_break(tee, at) == 0)
			at++;
		parts.tag_end = at;
		at = rt_yaml_tee_skip_gap(tee, at);
		parts.start = at < extent.end ? at : extent.end;
	}
	if (!extent.block)
		return parts;
	parts.end = parts.start + 1;
	while ((c = rt_yaml_tee_byte(tee, parts.end), c == '+' || c == '-') ||
	       (c >= '0' && c <= '9'))
		parts.end++;
	parts.content = rt_yaml_tee_line_end(tee, parts.end);
	parts.content += rt_yaml_tee_break(tee, parts.content);
	parts.content_end = parts.content;
	if (parts.content < extent.end)
		parts.content_end = skip_back(tee, parts.content, extent.end, SIZE_MAX);
	return parts;
}

/* The break for lines that are added at the end of a line. */
static const char *break_like(const struct yaml_tee *tee, uint64_t at)
{
	char c = rt_yaml_tee_byte(tee, at);
	size_t len = rt_yaml_tee_break(tee, at);

	if (len == 0)
		return tee->crlf ? "\r\n" : "\n";
	if (c != '\r')
		return "\n";
	return len == 2 ? "\r\n" : "\r";
}

/* What to strip of the header of a block scalar. */
static void spot_strip(const struct yaml_tee *tee, struct yaml_spot *spot, uint64_t header)
{
	uint64_t at = header + 1;
	char c;

	while (c = rt_yaml_tee_byte(tee, at), c >= '0' && c <= '9')
		at++;
	spot->strip = c != '-';
	spot->strip_at = at;
	spot->strip_len = c == '+';
}

static bool keeps_breaks(const struct yaml_tee *tee, const struct yaml_parts *parts)
{
	struct rt_slice header = rt_yaml_tee_slice(tee, parts->start, parts->end);

	return memchr(header.ptr, '+', header.len) != NULL;
}

/* The spot for lines after a block scalar. */
static void spot_behind_block(const struct yaml_tee *tee, struct yaml_extent extent, size_t column,
			      struct yaml_spot *spot)
{
	struct yaml_parts parts = rt_yaml_edit_parts(tee, extent);
	uint64_t last = line_before(tee, extent.end, parts.start);
	uint64_t last_end = rt_yaml_tee_line_end(tee, last);

	spot->line = break_like(tee, last_end);
	spot->offset = extent.end;
	spot->begins = last_end < extent.end;
	if (!spot->begins)
		spot_strip(tee, spot, parts.start);
	/* Empty lines after the text mean nothing, unless all are kept. */
	else if (!keeps_breaks(tee, &parts) && parts.content < extent.end)
		spot->offset = skip_back(tee, parts.content, extent.end, column);
}

struct yaml_spot rt_yaml_edit_spot(const struct yaml_tee *tee, struct yaml_extent extent,
				   size_t column)
{
	struct yaml_spot spot = {.begins = false};

	if (extent.block) {
		spot_behind_block(tee, extent, column, &spot);
		return spot;
	}
	spot.offset = rt_yaml_tee_line_end(tee, extent.end);
	spot.line = break_like(tee, spot.offset);
	return spot;
}
