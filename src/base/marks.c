/* Places of made text: kept in one array, found by binary search. */
#include "base/marks.h"

struct pair {
	uint64_t at;
	struct rt_place place;
};

static struct pair *pairs(const struct rt_marks *marks)
{
	return (struct pair *)(void *)marks->pairs.data;
}

static size_t count(const struct rt_marks *marks)
{
	return marks->pairs.len / sizeof(struct pair);
}

enum rt_status rt_marks_add(struct rt_marks *marks, uint64_t at, struct rt_place place,
			    struct rt_error *err)
{
	struct pair pair = {at, place};

	if (at == RT_MARK_CROSSES) {
		marks->crosses = true;
		return RT_OK;
	}
	if (marks->first > count(marks) / 2) {
		marks->pairs.len -= marks->first * sizeof(pair);
		memmove(marks->pairs.data, pairs(marks) + marks->first, marks->pairs.len);
		marks->first = 0;
	}
	return rt_buf_append(&marks->pairs, &pair, sizeof(pair), err);
}

/* The last pair that starts at or before at; the first one if none does. There is one. */
static size_t search(const struct rt_marks *marks, uint64_t at)
{
	size_t low = marks->first, high = count(marks);

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (pairs(marks)[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The last pair that is a place, from the index back. */
static size_t place_before(const struct rt_marks *marks, size_t index)
{
	while (index > marks->first && pairs(marks)[index].place.line == 0)
		index--;
	return index;
}

struct rt_place rt_marks_find(const struct rt_marks *marks, uint64_t at)
{
	if (count(marks) == marks->first)
		return (struct rt_place){1, 1, 0};
	return pairs(marks)[place_before(marks, search(marks, at))].place;
}

struct rt_extent rt_marks_extent(const struct rt_marks *marks, uint64_t at)
{
	struct pair pair = {0};

	if (count(marks) > marks->first)
		pair = pairs(marks)[search(marks, at)];
	if (pair.at != at || pair.place.line)
		return (struct rt_extent){0};
	return (struct rt_extent){.end = pair.place.offset, .style = pair.place.column};
}

void rt_marks_forget(struct rt_marks *marks, uint64_t at)
{
	size_t last = count(marks) > marks->first ? search(marks, at) : marks->first;

	/* The one before stays too: a fault of a value may be told at its key. */
	if (last > marks->first)
		marks->first = place_before(marks, last - 1);
}

void rt_marks_release(struct rt_marks *marks)
{
	rt_buf_release(&marks->pairs);
	marks->crosses = false;
	marks->first = 0;
}
