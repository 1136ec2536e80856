/*
 * What is evidence that two findings are one, and what is none: known only when all of both scans
 * is there.
 */
#include <stdlib.h>

#include "engine/match_state.h"

/* What a tenth of at least so many places have is a placeholder. */
#define PLACES_MIN 50u
#define PLACES_SHARE 10u
/* Pairs whose ids are equal, and how many of them to one whose ids are not (E7). */
#define IDS_MIN 10u
#define IDS_SHARE 100u

/* --- Rules that had another id --------------------------------------------------------------- */

static int compare_deprecated(const void *left, const void *right)
{
	const struct rt_match_deprecated *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (a->rule > b->rule) - (a->rule < b->rule);
}

/* Drop ids that their side still uses. Returns how many are left. */
static size_t drop_used(struct rt_match *match, struct rt_match_deprecated *all, size_t count)
{
	for (int side = 0; side < 2; side++) {
		const struct rt_match_items *items = &match->side[match->swapped ? !side : side];
		struct rt_pair *rules = rt_match_alloc(match, items->count * sizeof(*rules));
		size_t kept = 0;

		for (uint32_t i = 0; rules && i < items->count; i++)
			rules[i] = (struct rt_pair){items->at[i].rule, 0};
		rt_pairs_sort(rules, rules ? items->count : 0);
		for (size_t i = 0; rules && i < count; i++) {
			size_t at = rt_pairs_find(rules, items->count, all[i].id);

			if (all[i].side != side || at == items->count || rules[at].key != all[i].id)
				all[kept++] = all[i];
		}
		count = rules ? kept : 0;
		free(rules);
	}
	return count;
}

/* The rule that had an id; NULL: none had, or several. */
static const struct rt_match_deprecated *find_deprecated(const struct rt_match_deprecated *all,
							 size_t count, uint32_t id)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == count || all[low].id != id)
		return NULL;
	for (size_t i = low + 1; i < count && all[i].id == id; i++) {
		if (all[i].rule != all[low].rule)
			return NULL;
	}
	return &all[low];
}

void rt_match_rename_rules(struct rt_match *match)
{
	struct rt_match_deprecated *all = (void *)match->deprecated.data;
	size_t count = match->deprecated.len / sizeof(*all);

	if (!count || match->fault.status != RT_OK)
		return;
	count = drop_used(match, all, count);
	qsort(all, count, sizeof(*all), compare_deprecated);
	for (int side = 0; side < 2; side++) {
		for (uint32_t i = 0; i < match->side[side].count; i++) {
			struct rt_match_item *item = &match->side[side].at[i];
			const struct rt_match_deprecated *found =
			    find_deprecated(all, count, item->rule);

			if (!found)
				continue;
			item->rule = found->rule;
			item->order += found->order;
		}
	}
}

/* --- Codes of very many places --------------------------------------------------------------- */

/* Move the codes of so many places that they are placeholders to the front. Returns how many. */
static size_t find_placeholders(struct rt_pair *codes, size_t count, size_t places)
{
	size_t found = 0;

	rt_pairs_sort(codes, count);
	for (size_t from = 0, to; from < count; from = to) {
		size_t different = 1;

		to = from + rt_pairs_run(codes + from, count - from);
		for (size_t i = from + 1; i < to; i++)
			different += codes[i].value != codes[i - 1].value;
		if (different * PLACES_SHARE >= places)
			codes[found++] = codes[from];
	}
	return found;
}

/* The codes of both sides, with a number of their place each. Returns how many; ret_places: of all.
 */
static size_t list_codes(const struct rt_match *match, struct rt_pair *codes, size_t *ret_places)
{
	size_t count = 0, place = 0;

	for (int side = 0; side < 2; side++) {
		const struct rt_match_items *items = &match->side[side];

		for (uint32_t i = 0; i < items->count; i++) {
			const struct rt_match_item *item = &items->at[i];

			place +=
			    i == 0 || item->path != item[-1].path || item->line != item[-1].line;
			if (item->code)
				codes[count++] = (struct rt_pair){item->code, place};
		}
	}
	*ret_places = place;
	return count;
}

/* Mark texts that stand for code at very many places (W26). Returns how many places there are. */
static size_t mark_placeholders(struct rt_match *match)
{
	size_t all = (size_t)match->side[0].count + match->side[1].count, places, count, found = 0;
	struct rt_pair *codes = rt_match_alloc(match, all * sizeof(*codes));

	if (!codes)
		return 0;
	count = list_codes(match, codes, &places);
	if (places >= PLACES_MIN)
		found = find_placeholders(codes, count, places);
	for (int side = 0; side < 2 && found; side++) {
		for (uint32_t i = 0; i < match->side[side].count; i++) {
			struct rt_match_item *item = &match->side[side].at[i];

			count = rt_pairs_find(codes, found, item->code);
			item->placeholder = count < found && codes[count].key == item->code;
		}
	}
	free(codes);
	return places;
}

/* --- Fingerprints and vulnerabilities -------------------------------------------------------- */

static uint64_t print_of(const struct rt_match *match, const struct rt_match_item *item)
{
	(void)match;
	return item->print && !item->given ? rt_match_mix(item->print, item->rule) : 0;
}

/* The first vulnerability of an item, for its rule in its file; 0: it names none. */
static uint64_t name_of(const struct rt_match *match, const struct rt_match_item *item)
{
	uint32_t name = rt_match_first_name(match, item);

	return item->names ? rt_match_mix(rt_match_mix(item->path, item->rule), name) : 0;
}

/* Positions of a side by what they have, to be freed; NULL: none has it, or memory is out. */
static struct rt_pair *list_by(struct rt_match *match, const struct rt_match_items *items,
			       uint64_t (*key_of)(const struct rt_match *match,
						  const struct rt_match_item *item),
			       size_t *ret_count)
{
	struct rt_pair *list;
	size_t count = 0;

	for (uint32_t i = 0; i < items->count; i++)
		count += key_of(match, &items->at[i]) != 0;
	*ret_count = count;
	list = count ? rt_match_alloc(match, count * sizeof(*list)) : NULL;
	count = 0;
	for (uint32_t i = 0; list && i < items->count; i++) {
		uint64_t key = key_of(match, &items->at[i]);

		if (key)
			list[count++] = (struct rt_pair){key, i};
	}
	rt_pairs_sort(list, list ? count : 0);
	return list;
}

/* Drop fingerprints that tell nothing apart: of very many places, or guids of several. */
static void drop_prints(struct rt_match *match, struct rt_match_items *items, size_t places)
{
	size_t count, same;
	struct rt_pair *list = list_by(match, items, print_of, &count);

	for (size_t i = 0; list && i < count; i += same) {
		bool many;

		same = rt_pairs_run(list + i, count - i);
		many = same > 1 && places >= PLACES_MIN && same * PLACES_SHARE >= places;
		for (size_t n = i; n < i + same; n++) {
			struct rt_match_item *item = &items->at[list[n].value];

			if (many || (same > 1 && item->guid))
				item->print = 0;
		}
	}
	free(list);
}

static void mark_lone_names(struct rt_match *match, struct rt_match_items *items)
{
	size_t count, same;
	struct rt_pair *list = list_by(match, items, name_of, &count);

	for (size_t i = 0; list && i < count; i += same) {
		same = rt_pairs_run(list + i, count - i);
		items->at[list[i].value].lone_name = same == 1;
	}
	free(list);
}

void rt_match_weigh(struct rt_match *match)
{
	size_t places = mark_placeholders(match);

	for (int side = 0; side < 2; side++) {
		drop_prints(match, &match->side[side], places);
		mark_lone_names(match, &match->side[side]);
	}
}

/* --- Ids of exports -------------------------------------------------------------------------- */

static uint64_t id_of(const struct rt_match *match, const struct rt_match_item *item)
{
	(void)match;
	return item->id;
}

static uint64_t id_left(const struct rt_match *match, const struct rt_match_item *item)
{
	(void)match;
	return item->partner == RT_MATCH_NONE ? item->id : 0;
}

static bool has(const struct rt_pair *list, size_t count, uint64_t key)
{
	size_t at = list ? rt_pairs_find(list, count, key) : count;

	return at < count && list[at].key == key;
}

bool rt_match_trusts_ids(struct rt_match *match)
{
	const struct rt_match_items *old = &match->side[0], *new = &match->side[1];
	struct rt_pair *lists[2] = {NULL, NULL};
	size_t counts[2] = {0, 0};
	uint64_t same = 0, differ = 0, other = 0;

	for (uint32_t i = 0; i < old->count; i++) {
		const struct rt_match_item *a = &old->at[i];
		uint64_t id = a->partner == RT_MATCH_NONE ? 0 : new->at[a->partner].id;

		same += id && a->id == id;
		differ += id && a->id && a->id != id;
	}
	if (same < IDS_MIN || !differ)
		return same >= IDS_MIN;
	for (int side = 0; side < 2; side++)
		lists[side] = list_by(match, &match->side[side], id_of, &counts[side]);
	for (uint32_t i = 0; i < old->count; i++) {
		const struct rt_match_item *a = &old->at[i];
		uint64_t id = a->partner == RT_MATCH_NONE ? 0 : new->at[a->partner].id;

		other += id && a->id && a->id != id &&
			 (has(lists[1], counts[1], a->id) || has(lists[0], counts[0], id));
	}
	free(lists[0]);
	free(lists[1]);
	return match->fault.status == RT_OK && other * IDS_SHARE <= same;
}

/* Where an issue without a partner is, and what it says, whatever its rule. */
static uint64_t place_left(const struct rt_match *match, const struct rt_match_item *item)
{
	uint64_t columns = item->line ? (uint64_t)item->column << 32 | item->column_end : 0;

	(void)match;
	return item->partner == RT_MATCH_NONE && item->group == RT_MATCH_NONE
		   ? rt_match_mix(rt_match_mix(rt_match_mix(item->path, item->line), columns),
				  item->message)
		   : 0;
}

/* How many issues of a side have a key that is on the other side as well, each with one there. */
static uint32_t count_common(struct rt_match *match,
			     uint64_t (*key_of)(const struct rt_match *match,
						const struct rt_match_item *item))
{
	struct rt_pair *lists[2];
	size_t counts[2], at[2] = {0, 0};
	uint32_t common = 0;

	for (int side = 0; side < 2; side++)
		lists[side] = list_by(match, &match->side[side], key_of, &counts[side]);
	while (lists[0] && lists[1] && at[0] < counts[0] && at[1] < counts[1]) {
		uint64_t a = lists[0][at[0]].key, b = lists[1][at[1]].key;

		common += a == b;
		at[0] += a <= b;
		at[1] += a >= b;
	}
	free(lists[0]);
	free(lists[1]);
	return common;
}

void rt_match_count_reused(struct rt_match *match)
{
	match->reused.ids = count_common(match, id_left);
	match->reused.renumbered = count_common(match, place_left);
}
