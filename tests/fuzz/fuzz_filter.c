/*
 * Any bytes as expressions and a record: lines up to an empty one are expressions, "+EXPR" for
 * --where, "-EXPR" for --not, anything else for --or; what follows is the record.
 *
 * Where both are good: an issue is picked or not, each time alike, and alike when every letter and
 * digit of its strings is spelled by an escape; a term and its negation never agree; and what the
 * filter is shown as is text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_string.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "engine/filter.h"
#include "formats/check.h"
#include "scan/items.h"
#include "scan/scan.h"

#define TERMS_MAX 8u
#define DEPTH 16u
/* 2026-01-31T12:00:00Z */
static const struct rt_field_source source = {.at = INT64_C(1769860800)};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void want(bool holds)
{
	if (!holds)
		abort();
}

static void *take(size_t size)
{
	void *room = calloc(1, size ? size : 1);

	want(room);
	return room;
}

/* --- The record -------------------------------------------------------------------------- */

struct scanned {
	struct rt_record record;
	struct rt_slice notes;
	char *block, *id;
};

static void find_notes(struct scanned *s)
{
	struct rt_items items;
	struct rt_item item;
	char name[64];

	rt_items_init(&items, s->record.text);
	while (rt_items_next(&items, &item)) {
		if (item.key.len <= sizeof(name) && *item.value.ptr == '[' &&
		    rt_slice_equal(rt_slice_make(name, rt_json_string_decode(item.key, name)),
				   RT_SLICE("notes")))
			s->notes = item.value;
	}
}

/* Returns whether text is a good issue. */
static bool scan(struct scanned *s, const char *text, size_t len)
{
	struct rt_scan state;
	struct rt_slice id;

	memset(s, 0, sizeof(*s));
	s->block = take(len + RT_PADDING);
	if (len)
		memcpy(s->block, text, len);
	rt_scan_init(&state, DEPTH);
	state.end = s->block + len;
	state.final = true;
	state.origin = 0 - (uint64_t)(uintptr_t)s->block;
	if (len == 0 || *s->block != '{' ||
	    rt_scan_ops()->record(&state, s->block, &s->record) != state.end)
		return false;
	s->record.kind = RT_KIND_ISSUE;
	if (!rt_check_passes(&s->record))
		return false;
	id = rt_record_string(&s->record, RT_M_ID);
	s->id = take(id.len);
	s->record.id = rt_slice_make(s->id, rt_json_string_decode(id, s->id));
	find_notes(s);
	return true;
}

static void drop(struct scanned *s)
{
	free(s->block);
	free(s->id);
}

/* The same record with escapes wherever a letter or digit stands in a string. To be freed. */
static char *escaped(struct rt_slice text, size_t *ret_len)
{
	static const char hex[] = "0123456789abcdef";
	char *out = take(6 * text.len), *to = out;
	bool inside = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool word = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
		size_t len = c == '\\' ? (text.ptr[i + 1] == 'u' ? 6 : 2) : 1;

		inside ^= c == '"';
		if (inside && word) {
			memcpy(to, "\\u00", 4);
			to[4] = hex[c >> 4];
			to[5] = hex[c & 15];
			to += 6;
			continue;
		}
		memcpy(to, text.ptr + i, len);
		to += len;
		i += len - 1;
	}
	*ret_len = (size_t)(to - out);
	return out;
}

/* --- The filter -------------------------------------------------------------------------- */

/* Read the terms; each ends with a NUL in text. Returns the bytes up to the record. */
static size_t read_terms(char *text, size_t len, struct rt_term *terms, size_t *ret_count)
{
	size_t at = 0, count = 0;

	while (at < len) {
		char *line = text + at, *end = memchr(line, '\n', len - at);

		if (!end)
			break;
		*end = '\0';
		at += (size_t)(end - line) + 1;
		if (end == line)
			break;
		if (count == TERMS_MAX)
			continue;
		terms[count++] = (struct rt_term){*line == '+'   ? RT_TERM_WHERE
						  : *line == '-' ? RT_TERM_NOT
								 : RT_TERM_OR,
						  line + 1};
	}
	*ret_count = count;
	return at;
}

/* 1: picked, 0: not, -1: it cannot be told. */
static int pick(struct rt_filter *filter, const struct scanned *s)
{
	struct rt_finding finding = rt_finding_of(&s->record, s->notes, 0);
	struct rt_error err;
	bool picked;
	enum rt_status status = rt_filter_pick(filter, &finding, &picked, &err);

	if (status == RT_OK)
		return picked;
	want(status == RT_FATAL && (err.code == RT_E_LIMIT || err.code == RT_E_INPUT));
	want(err.record[0] && err.field[0]);
	return -1;
}

static void check_text(struct rt_slice text)
{
	for (size_t at = 0, len; at < text.len; at += len) {
		len = rt_utf8_length(text.ptr + at, text.len - at);
		want(len > 0);
	}
}

static void check_negation(const struct rt_term *term, const struct scanned *s)
{
	struct rt_term other = {term->kind == RT_TERM_NOT ? RT_TERM_WHERE : RT_TERM_NOT,
				term->text};
	struct rt_filter *filter, *negated;
	struct rt_error err;
	int picked;

	want(rt_filter_new(term, 1, &source, &filter, &err) == RT_OK);
	want(rt_filter_new(&other, 1, &source, &negated, &err) == RT_OK);
	picked = pick(filter, s);
	want(pick(negated, s) == (picked < 0 ? picked : !picked));
	rt_filter_free(filter);
	rt_filter_free(negated);
}

static void check_record(struct rt_filter *filter, const char *text, size_t len,
			 const struct rt_term *terms, size_t count)
{
	struct scanned plain, again;
	char *spelled = NULL;
	size_t spelled_len;
	int picked;

	if (scan(&plain, text, len)) {
		picked = pick(filter, &plain);
		want(pick(filter, &plain) == picked);
		spelled = escaped(plain.record.text, &spelled_len);
		want(scan(&again, spelled, spelled_len));
		want(pick(filter, &again) == picked);
		drop(&again);
		if (count == 1)
			check_negation(&terms[0], &plain);
	}
	drop(&plain);
	free(spelled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = take(size + 1);
	struct rt_term terms[TERMS_MAX];
	struct rt_filter *filter = NULL;
	struct rt_error err;
	enum rt_status status;
	size_t count, at;

	if (size)
		memcpy(text, data, size);
	at = read_terms(text, size, terms, &count);
	status = rt_filter_new(terms, count, &source, &filter, &err);
	if (status == RT_OK) {
		check_text(rt_filter_text(filter));
		check_record(filter, text + at, size - at, terms, count);
	} else {
		want(status == RT_FATAL && err.code == RT_E_USAGE && err.message[0]);
	}
	rt_filter_free(filter);
	free(text);
	return 0;
}
