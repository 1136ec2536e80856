/*
 * Guesses borders of records. Input: a window on the middle of a text, or a file of YAML. Output: a
 * place that looks like one. Refuses objects that are no record, such as those of lists inside
 * records.
 */
#include "record/border.h"

#include <stdlib.h>

#include "record/check.h"

/* Objects that are tried: lists inside a record have few, and each one may be as long as the
 * window. */
#define TRIES_MAX 64u

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The next record's '{', from after a '}'; NULL: something else stands there. */
static const char *next_record(const char *at, bool lines)
{
	bool apart = false;

	/* The zero bytes after the window end the blanks. */
	for (; is_blank(*at) || (*at == ',' && !lines && !apart); at++) {
		if (*at == (lines ? '\n' : ','))
			apart = true;
	}
	return apart && *at == '{' ? at : NULL;
}

/* Whether the object at `at` is one that nobody would take for something else. */
static bool is_record(struct rt_view *view, const struct rt_scan_ops *ops, const char *at,
		      enum rt_kind kind)
{
	struct rt_record record;

	if (!ops->record(&view->scan, at, &record))
		return false;
	record.kind = rt_check_kind(&record, RT_KIND_ANY);
	return record.kind == kind && rt_check_passes(&record);
}

bool rt_border_find(struct rt_view *view, const struct rt_scan_ops *ops, enum rt_kind kind,
		    bool lines, uint64_t *ret_offset)
{
	const char *at = view->at;

	for (unsigned tries = 0; tries < TRIES_MAX;) {
		const char *record;

		at = memchr(at, '}', (size_t)(view->scan.end - at));
		if (!at)
			return false;
		record = next_record(++at, lines);
		if (!record)
			continue;
		if (is_record(view, ops, record, kind)) {
			*ret_offset = rt_view_offset(view, at);
			return true;
		}
		tries++;
	}
	return false;
}

/* --- Items of a block sequence in YAML -------------------------------------------------------- */

/* Bytes that are looked at for an item's line at a time, and how often. */
#define LOOK_BYTES ((size_t)64 * 1024)
#define LOOKS_MAX 64u

/* Blanks that items have before them at most. */
#define INDENT_MAX 64u

enum rt_status rt_border_find_sequence(struct rt_parts *parts, const struct rt_origin *origin,
				       struct rt_sequence *ret_sequence, struct rt_error *err)
{
	char line[2 * INDENT_MAX];
	size_t before = (size_t)origin->column - 1, indent = 0, got;
	enum rt_status status;

	if (before == 0 || before > sizeof(line))
		return RT_END;
	status = rt_parts_read_at(parts, origin->offset - before, line, sizeof(line), &got, err);
	if (status != RT_OK || got < before)
		return status < 0 ? status : RT_END;
	while (indent < before && line[indent] == ' ')
		indent++;
	if (indent == before || indent > INDENT_MAX || line[indent] != '-')
		return RT_END;
	for (size_t at = indent + 1; at < before; at++) {
		if (line[at] != ' ')
			return RT_END;
	}
	*ret_sequence = (struct rt_sequence){origin->offset - before, indent};
	return RT_OK;
}

/* Whether a line begins like an item. All of its first bytes are there. */
static bool is_item(const char *line, size_t indent)
{
	for (size_t at = 0; at < indent; at++) {
		if (line[at] != ' ')
			return false;
	}
	return line[indent] == '-' && is_blank(line[indent + 1]);
}

enum rt_status rt_border_find_item(struct rt_parts *parts, const struct rt_sequence *sequence,
				   uint64_t from, uint64_t *ret_offset, struct rt_error *err)
{
	/* A line break, blanks, a dash and what stands after it. */
	size_t width = sequence->indent + 3, got;
	char *text = malloc(LOOK_BYTES);
	enum rt_status status = text ? RT_OK : rt_error_nomem(err);
	bool found = false;

	for (unsigned looks = 0; status == RT_OK && !found && looks < LOOKS_MAX; looks++) {
		const char *at = text, *end;

		status = rt_parts_read_at(parts, from, text, LOOK_BYTES, &got, err);
		end = status == RT_OK && got > width ? text + got - width : text;
		while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
			found = is_item(++at, sequence->indent);
			if (found)
				break;
		}
		if (found)
			*ret_offset = from + (size_t)(at - text);
		else if (end == text)
			status = status == RT_OK ? RT_END : status;
		else
			from += (size_t)(end - text);
	}
	free(text);
	return found || status != RT_OK ? status : RT_END;
}
