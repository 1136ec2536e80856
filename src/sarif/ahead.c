/*
 * Guesses where the tables of a run stand that follow its results. Input: a part that can be read
 * at any offset. Output: the tables. Refuses what does not go on to the end of the run, and of the
 * array of runs, as a run's members have to.
 *
 * Where a table begins cannot be known without reading all that stands before, but a member's name
 * in quotes is rare elsewhere, and what follows from there to the end of a run is checked. It is
 * looked for from the end of the part backwards: first a table without which no result can be
 * identified, then those between the results and that one.
 */
#include "sarif/ahead.h"

#include <stdio.h>
#include <stdlib.h>

/* Bytes that are looked through: for the first table, and for others before it. */
#define FIRST_BYTES (64 * RT_MIB)
#define OTHER_BYTES (4 * RT_MIB)
/* Bytes that are looked through at once. */
#define BLOCK_BYTES RT_MIB
/* A name in quotes has fewer. */
#define NAME_BYTES ((size_t)64)
/* Places that are tried before the guess is given up. */
#define TRIES 8u

struct search {
	const struct rt_sarif_ahead_task *task;
	struct rt_sarif_source source; /* of the whole part */
	struct rt_sarif_cursor *cursor;
	char *block;
	unsigned tries;
	bool wanted[RT_SARIF_TABLE_COUNT];
};

/* Read bytes at an offset. */
static bool read_block(struct search *s, uint64_t offset, size_t len)
{
	struct rt_error err;
	size_t done = 0, got;

	while (done < len) {
		if (rt_sarif_source_read(&s->source, offset + done, false, s->block + done,
					 len - done, &got, &err) != RT_OK)
			return false;
		done += got;
	}
	return true;
}

/* The last place among the first `len` bytes of the block where a wanted name begins, in quotes;
 * total: bytes that are there. SIZE_MAX: none. */
static size_t find_last(const struct search *s, size_t len, size_t total)
{
	size_t last = SIZE_MAX;

	for (unsigned table = 0; table < RT_SARIF_TABLE_COUNT; table++) {
		struct rt_slice name = rt_sarif_run_table_name((enum rt_sarif_table)table);
		const char *at = s->block, *found;
		char quoted[NAME_BYTES];
		int size = snprintf(quoted, sizeof(quoted), "\"%.*s\"", (int)name.len, name.ptr);

		while (s->wanted[table] && (found = memmem(at, total - (size_t)(at - s->block),
							   quoted, (size_t)size)) != NULL) {
			size_t place = (size_t)(found - s->block);

			if (place >= len)
				break;
			if (last == SIZE_MAX || place > last)
				last = place;
			at = found + 1;
		}
	}
	return last;
}

/* Find a wanted name that begins before *at, but not before least: the last one. *at: its place. */
static bool find_back(struct search *s, uint64_t least, uint64_t *at)
{
	uint64_t end = *at, size = s->source.kept;

	while (end > least) {
		uint64_t start = end - least > BLOCK_BYTES ? end - BLOCK_BYTES : least;
		size_t len = (size_t)(end - start), found;
		size_t total = len + (size_t)(size - end < NAME_BYTES ? size - end : NAME_BYTES);

		if (!read_block(s, start, total))
			return false;
		found = find_last(s, len, total);
		if (found != SIZE_MAX) {
			*at = start + found;
			return true;
		}
		end = start;
	}
	return false;
}

static int find_table(struct rt_slice key)
{
	return (int)rt_sarif_run_table(key);
}

/* Go to a member of the run. */
static void go_to(struct search *s, uint64_t offset)
{
	const struct rt_sarif_spot spot = {.offset = offset, .line = 1, .line_start = 0};

	rt_sarif_cursor_seek(s->cursor, &spot, s->task->levels);
}

/* Whether members stand from an offset on: to that at `until`, or, where it is 0, to the end of the
 * run, and no other run follows. */
static bool leads_on(struct search *s, uint64_t offset, uint64_t until)
{
	struct rt_sarif_cursor *cursor = s->cursor;
	struct rt_error err;
	bool first = true;
	int table;

	go_to(s, offset);
	for (;;) {
		enum rt_status status =
		    rt_sarif_cursor_member(cursor, &first, find_table, &table, &err);

		if (status == RT_END)
			break;
		if (status == RT_OK && until && cursor->spot.offset >= until)
			return cursor->spot.offset == until;
		if (status != RT_OK || rt_sarif_cursor_skip(cursor, &err) != RT_OK)
			return false;
	}
	first = false;
	return !until && rt_sarif_cursor_element(cursor, &first, &err) == RT_END;
}

/* Find the first of the members that follow the results and have a wanted name. Returns false:
 * none. */
static bool find_first(struct search *s, uint64_t *ret_offset)
{
	uint64_t from = s->task->from, at = s->source.kept, found = 0, most = FIRST_BYTES;
	uint64_t least = at - from > most ? at - most : from;

	while (s->tries < TRIES && find_back(s, least, &at)) {
		s->tries++;
		if (!leads_on(s, at, found))
			continue;
		found = at;
		least = at - from > OTHER_BYTES ? at - OTHER_BYTES : from;
		for (unsigned table = 0; table < RT_SARIF_TABLE_COUNT; table++)
			s->wanted[table] = !s->task->has[table];
	}
	*ret_offset = found;
	return found != 0;
}

/* --- Taking ----------------------------------------------------------------------------------- */

/* Take the table whose value the cursor is at. */
static enum rt_status take_table(struct search *s, struct rt_sarif_ahead *ahead,
				 enum rt_sarif_table table)
{
	const struct rt_sarif_ahead_task *task = s->task;
	struct rt_sarif_ahead_table *taken = &ahead->tables[table];
	uint64_t used = rt_sarif_run_bytes(task->run);
	struct rt_sarif_fault fault;
	struct rt_slice value;
	enum rt_status status;

	if (taken->taken || task->has[table] || used >= task->most)
		return RT_REJECT;
	status = rt_sarif_cursor_take(s->cursor, task->most - used, &value, &fault.err);
	if (status != RT_OK)
		return status;
	taken->taken = true;
	taken->digest = rt_siphash(&ahead->key, value).low;
	taken->offset = s->cursor->spot.offset;
	return rt_sarif_run_take(task->run, table, value, task->notes, &fault);
}

/* Take all tables from a member on. */
static enum rt_status take_all(struct search *s, struct rt_sarif_ahead *ahead, uint64_t offset)
{
	enum rt_sarif_table about;
	struct rt_sarif_fault fault;
	enum rt_status status;
	bool first = true;

	go_to(s, offset);
	do {
		int table;

		status = rt_sarif_cursor_member(s->cursor, &first, find_table, &table, &fault.err);
		if (status == RT_OK)
			status = table < (int)RT_SARIF_TABLE_COUNT
				     ? take_table(s, ahead, (enum rt_sarif_table)table)
				     : rt_sarif_cursor_skip(s->cursor, &fault.err);
	} while (status == RT_OK);
	return status == RT_END ? rt_sarif_run_end(s->task->run, &about, &fault) : status;
}

enum rt_status rt_sarif_ahead_take(struct rt_sarif_ahead *ahead,
				   const struct rt_sarif_ahead_task *task)
{
	const struct rt_sarif_hints *hints = task->source->hints;
	struct search s = {.task = task,
			   .source = {.hints = hints,
				      .kept = hints->size - hints->skipped,
				      .fd = -1,
				      .held = RT_END},
			   .block = malloc(BLOCK_BYTES + NAME_BYTES)};
	enum rt_status status = RT_END;
	struct rt_error err;
	uint64_t offset;

	s.wanted[RT_SARIF_TOOL] = true;
	for (unsigned table = 0; task->has[RT_SARIF_TOOL] && table < RT_SARIF_TABLE_COUNT; table++)
		s.wanted[table] = !task->has[table];
	if (s.block && s.source.kept > task->from &&
	    rt_siphash_key_init(&ahead->key, &err) == RT_OK &&
	    rt_sarif_cursor_new(&s.source, task->limits, hints->simd, hints->window, &s.cursor,
				&err) == RT_OK &&
	    find_first(&s, &offset)) {
		status = take_all(&s, ahead, offset) == RT_OK ? RT_OK : RT_REJECT;
		ahead->used = true;
	}
	rt_sarif_cursor_free(s.cursor);
	free(s.block);
	return status;
}

/* --- The proof -------------------------------------------------------------------------------- */

bool rt_sarif_ahead_meet(struct rt_sarif_ahead *ahead, enum rt_sarif_table table, uint64_t offset,
			 struct rt_slice value)
{
	struct rt_sarif_ahead_table *taken = &ahead->tables[table];

	if (!taken->taken || taken->offset != offset ||
	    taken->digest != rt_siphash(&ahead->key, value).low)
		return false;
	taken->taken = false;
	return true;
}

bool rt_sarif_ahead_end(struct rt_sarif_ahead *ahead)
{
	for (unsigned table = 0; table < RT_SARIF_TABLE_COUNT; table++) {
		if (ahead->tables[table].taken)
			return false;
	}
	ahead->used = false;
	return true;
}
