/*
 * Borders of records, guessed from the middle of a text. Objects that are no record, such as those
 * of lists inside records, are passed over.
 */
#include "record/border.h"

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
static bool is_record(struct rt_cursor *cursor, const char *at, enum rt_kind kind)
{
	struct rt_record record;

	if (!cursor->ops->record(&cursor->scan, at, &record))
		return false;
	record.kind = rt_check_kind(&record, RT_KIND_ANY);
	return record.kind == kind && rt_check_passes(&record);
}

bool rt_border_find(struct rt_cursor *cursor, enum rt_kind kind, bool lines, uint64_t *ret_offset)
{
	const char *at = cursor->at;

	for (unsigned tries = 0; tries < TRIES_MAX;) {
		const char *record;

		at = memchr(at, '}', (size_t)(cursor->scan.end - at));
		if (!at)
			return false;
		record = next_record(++at, lines);
		if (!record)
			continue;
		if (is_record(cursor, record, kind)) {
			*ret_offset = rt_cursor_offset(cursor, at);
			return true;
		}
		tries++;
	}
	return false;
}
