/*
 * Sorts ids outside of memory. Input: ids in any order. Output: the same in order.
 * Runs of sorted ids go to a file; when it has FAN of them, they become one run of the next file.
 * Refuses to go on after a failed write.
 */
#include "partial/id_sort.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/unnamed.h"

/* Ids in memory before they become a run: 5 MiB. */
#define RUN_IDS ((size_t)128 * 1024)
/* Runs of one file, which are merged at once. */
#define FAN 64u
/* Files: room for RUN_IDS * FAN^LEVELS ids, more than there can be. */
#define LEVELS 6u
/* Ids that are read of a run at once: 10 KiB. */
#define WINDOW_IDS 256u

#define ID_BYTES sizeof(struct rt_partial_id)

/* A file of sorted runs, one after the other. */
struct level {
	int fd;
	size_t runs;
	uint64_t ends[FAN]; /* of each run, in ids from the file's start */
};

/* One run while it is read. */
struct run {
	int fd;
	uint64_t at, end; /* what has not been read into the window */
	size_t next, count;
	struct rt_partial_id window[WINDOW_IDS];
};

/* Runs that are read together; the first of heap has the least id. */
struct mix {
	struct run **heap;
	size_t count;
};

struct rt_id_sort {
	struct rt_partial_id *ids;
	size_t count, cap, next;
	bool in_memory; /* ended without a run */
	struct level levels[LEVELS];
	struct mix mix;
};

static int compare_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int rt_id_place_compare(const struct rt_partial_id *a, const struct rt_partial_id *b)
{
	int order = compare_number(a->input, b->input);

	if (!order)
		order = compare_number(a->line, b->line);
	return order ? order : compare_number(a->column, b->column);
}

/* The first bytes of a digest, which nearly always tell the order. */
static uint64_t start_of(const struct rt_partial_id *id)
{
	uint64_t start;

	memcpy(&start, id->digest, sizeof(start));
	return be64toh(start);
}

static int compare(const void *left, const void *right)
{
	const struct rt_partial_id *a = left, *b = right;
	int order = compare_number(start_of(a), start_of(b));

	if (!order)
		order = memcmp(a->digest, b->digest, RT_PARTIAL_DIGEST);
	return order ? order : rt_id_place_compare(a, b);
}

enum rt_status rt_id_sort_new(size_t run, struct rt_id_sort **ret_sort, struct rt_error *err)
{
	struct rt_id_sort *s = calloc(1, sizeof(*s));

	if (!s)
		return rt_error_nomem(err);
	for (size_t i = 0; i < LEVELS; i++)
		s->levels[i].fd = -1;
	s->cap = run ? run : RUN_IDS;
	s->ids = reallocarray(NULL, s->cap, ID_BYTES);
	if (!s->ids) {
		rt_id_sort_free(s);
		return rt_error_nomem(err);
	}
	*ret_sort = s;
	return RT_OK;
}

/* --- Reading runs together -------------------------------------------------------------------- */

static void mix_release(struct mix *m)
{
	for (size_t i = 0; i < m->count; i++)
		free(m->heap[i]);
	free(m->heap);
	*m = (struct mix){.heap = NULL};
}

void rt_id_sort_free(struct rt_id_sort *s)
{
	if (!s)
		return;
	mix_release(&s->mix);
	for (size_t i = 0; i < LEVELS; i++) {
		if (s->levels[i].fd >= 0)
			(void)close(s->levels[i].fd);
	}
	free(s->ids);
	free(s);
}

/* Have an id in the window. Returns RT_OK; RT_END: the run is over; RT_FATAL. */
static enum rt_status run_fill(struct run *run, struct rt_error *err)
{
	uint64_t left = run->end - run->at;
	size_t want = (size_t)(left < WINDOW_IDS ? left : WINDOW_IDS) * ID_BYTES, have = 0;

	if (run->next < run->count)
		return RT_OK;
	if (!left)
		return RT_END;
	while (have < want) {
		ssize_t got = rt_read_at(run->fd, (char *)run->window + have, want - have,
					 (off_t)(run->at * ID_BYTES + have));

		if (got < 0)
			return rt_error_sys(err, errno, "temporary file");
		if (got == 0)
			return rt_error_set(err, RT_E_IO, "temporary file: it is cut short");
		have += (size_t)got;
	}
	run->next = 0;
	run->count = want / ID_BYTES;
	run->at += run->count;
	return RT_OK;
}

static const struct rt_partial_id *head_of(const struct run *run)
{
	return &run->window[run->next];
}

/* Bring the run at a place of the heap to where it belongs below it. */
static void mix_sink(struct mix *m, size_t at)
{
	for (;;) {
		size_t least = at, child = 2 * at + 1;
		struct run *moved;

		for (size_t i = child; i < m->count && i < child + 2; i++) {
			if (compare(head_of(m->heap[i]), head_of(m->heap[least])) < 0)
				least = i;
		}
		if (least == at)
			return;
		moved = m->heap[at];
		m->heap[at] = m->heap[least];
		m->heap[least] = moved;
		at = least;
	}
}

/* Add the runs of a file. */
static enum rt_status mix_add(struct mix *m, const struct level *level, struct rt_error *err)
{
	uint64_t start = 0;

	struct run **heap;

	if (!level->runs)
		return RT_OK;
	heap = reallocarray(m->heap, m->count + level->runs, sizeof(struct run *));
	if (!heap)
		return rt_error_nomem(err);
	m->heap = heap;
	for (size_t i = 0; i < level->runs; i++) {
		struct run *run = malloc(sizeof(*run));

		if (!run)
			return rt_error_nomem(err);
		run->fd = level->fd;
		run->at = start;
		run->end = start = level->ends[i];
		run->next = run->count = 0;
		heap[m->count++] = run;
	}
	return RT_OK;
}

/* All runs have been added, and none is empty. */
static enum rt_status mix_begin(struct mix *m, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < m->count; i++)
		status = run_fill(m->heap[i], err);
	for (size_t i = m->count / 2; status == RT_OK && i > 0; i--)
		mix_sink(m, i - 1);
	return status;
}

static enum rt_status mix_next(struct mix *m, struct rt_partial_id *ret_id, struct rt_error *err)
{
	struct run *first = m->count ? m->heap[0] : NULL;
	enum rt_status status;

	if (!first)
		return RT_END;
	*ret_id = first->window[first->next++];
	status = run_fill(first, err);
	if (status == RT_FATAL)
		return status;
	if (status == RT_END) {
		m->heap[0] = m->heap[--m->count];
		free(first);
	}
	if (m->count)
		mix_sink(m, 0);
	return RT_OK;
}

/* --- Writing runs ----------------------------------------------------------------------------- */

/* Append ids to a file's last run, which is under way. */
static enum rt_status put_ids(struct level *level, const struct rt_partial_id *ids, size_t count,
			      struct rt_error *err)
{
	if (level->fd < 0)
		level->fd = rt_unnamed_open();
	if (level->fd < 0)
		return rt_error_sys(err, errno, "temporary file");
	return rt_write_all(level->fd, ids, count * ID_BYTES, "temporary file", err);
}

static void end_run(struct level *level, uint64_t count)
{
	uint64_t start = level->runs ? level->ends[level->runs - 1] : 0;

	level->ends[level->runs++] = start + count;
}

static enum rt_status empty(struct level *level, struct rt_error *err)
{
	level->runs = 0;
	if (ftruncate(level->fd, 0) != 0 || lseek(level->fd, 0, SEEK_SET) != 0)
		return rt_error_sys(err, errno, "temporary file");
	return RT_OK;
}

/* Make one run of the next file of all runs of one, through s->ids, which are free. */
static enum rt_status lift(struct rt_id_sort *s, size_t index, struct rt_error *err)
{
	struct level *from = &s->levels[index], *to = from + 1;
	uint64_t total = from->ends[from->runs - 1];
	struct mix m = {.heap = NULL};
	enum rt_status status = mix_add(&m, from, err);
	size_t count = 0;

	if (status == RT_OK)
		status = mix_begin(&m, err);
	while (status == RT_OK) {
		status = mix_next(&m, &s->ids[count], err);
		count += status == RT_OK;
		if (count && (count == s->cap || status == RT_END)) {
			enum rt_status put = put_ids(to, s->ids, count, err);

			status = put == RT_OK ? status : put;
			count = 0;
		}
	}
	mix_release(&m);
	if (status != RT_END)
		return status;
	end_run(to, total);
	return empty(from, err);
}

/* Make a run of what is in memory. */
static enum rt_status flush(struct rt_id_sort *s, struct rt_error *err)
{
	enum rt_status status;

	qsort(s->ids, s->count, ID_BYTES, compare);
	status = put_ids(s->levels, s->ids, s->count, err);
	if (status != RT_OK)
		return status;
	end_run(s->levels, s->count);
	s->count = 0;
	for (size_t i = 0; status == RT_OK && i + 1 < LEVELS && s->levels[i].runs == FAN; i++)
		status = lift(s, i, err);
	return status;
}

enum rt_status rt_id_sort_add(struct rt_id_sort *s, const struct rt_partial_id *id,
			      struct rt_error *err)
{
	s->ids[s->count++] = *id;
	return s->count == s->cap ? flush(s, err) : RT_OK;
}

enum rt_status rt_id_sort_end(struct rt_id_sort *s, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	s->in_memory = s->levels[0].fd < 0;
	if (s->in_memory) {
		qsort(s->ids, s->count, ID_BYTES, compare);
		return RT_OK;
	}
	if (s->count)
		status = flush(s, err);
	for (size_t i = 0; status == RT_OK && i < LEVELS; i++)
		status = mix_add(&s->mix, &s->levels[i], err);
	return status == RT_OK ? mix_begin(&s->mix, err) : status;
}

enum rt_status rt_id_sort_next(struct rt_id_sort *s, struct rt_partial_id *ret_id,
			       struct rt_error *err)
{
	if (!s->in_memory)
		return mix_next(&s->mix, ret_id, err);
	if (s->next == s->count)
		return RT_END;
	*ret_id = s->ids[s->next++];
	return RT_OK;
}
