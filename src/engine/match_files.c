/*
 * Files that were renamed: of two paths that one side each lacks, the findings are much the same.
 * A pair counts where each is the other's only best.
 */
#include <stdlib.h>

#include "base/pairs.h"
#include "engine/match_state.h"

/* A token in more files than this is no evidence, and would make the search quadratic. */
#define FILES_MAX 1000u

/* A path that the other side lacks. */
struct file {
	uint32_t from, to; /* positions of its findings */
	uint64_t score;    /* of its best partner */
	uint32_t best;     /* file number of that; RT_MATCH_NONE: none */
	bool tied;         /* another one is as good */
};

struct files {
	struct file *at;
	uint32_t count;
};

static int compare_numbers(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* A kind of finding. */
static uint64_t token_of(const struct rt_match_item *item)
{
	return item->code ? rt_match_mix(item->code, item->rule)
			  : rt_match_mix(item->message, item->column);
}

/* The paths of a side that the other one lacks. */
static struct files lone_files(struct rt_match *match, int side)
{
	const struct rt_match_items *mine = &match->side[side], *others = &match->side[!side];
	struct files lone = {NULL, 0};
	uint32_t files = 0, j = 0;

	for (uint32_t i = 0; i < mine->count; i = rt_match_path_end(mine, i))
		files++;
	lone.at = rt_match_alloc(match, files * sizeof(*lone.at));
	for (uint32_t i = 0, end; lone.at && i < mine->count; i = end) {
		end = rt_match_path_end(mine, i);
		while (j < others->count && others->at[j].path < mine->at[i].path)
			j++;
		if (j == others->count || others->at[j].path != mine->at[i].path)
			lone.at[lone.count++] = (struct file){i, end, 0, RT_MATCH_NONE, false};
	}
	return lone;
}

/* The tokens of files [from, to), sorted, to be freed. */
static struct rt_pair *tokens_of(struct rt_match *match, int side, const struct files *files,
				 uint32_t from, uint32_t to, size_t *ret_count)
{
	size_t count = 0, room = 0;
	struct rt_pair *tokens;

	for (uint32_t f = from; f < to; f++)
		room += files->at[f].to - files->at[f].from;
	tokens = rt_match_alloc(match, room * sizeof(*tokens));
	for (uint32_t f = from; tokens && f < to; f++) {
		for (uint32_t i = files->at[f].from; i < files->at[f].to; i++)
			tokens[count++] = (struct rt_pair){token_of(&match->side[side].at[i]), f};
	}
	rt_pairs_sort(tokens, count);
	*ret_count = count;
	return tokens;
}

/* How many path components two files end alike in. */
static uint64_t common_tail(const struct rt_match *match, const struct file *a,
			    const struct file *b)
{
	const uint16_t *x = match->side[0].at[a->from].tail, *y = match->side[1].at[b->from].tail;
	uint64_t n = 0;

	while (n < RT_MATCH_TAIL && x[n] && x[n] == y[n])
		n++;
	return n;
}

static void offer(struct file *file, uint32_t partner, uint64_t score)
{
	if (score == file->score && file->best != RT_MATCH_NONE)
		file->tied = true;
	if (score > file->score || file->best == RT_MATCH_NONE) {
		file->score = score;
		file->best = partner;
		file->tied = false;
	}
}

/*
 * Hold an old file against a new one that shares so many findings with it. With a common file name
 * half of the smaller one's must be shared; without, half of both, and of several kinds.
 */
static void judge(const struct rt_match *match, struct files files[2], uint32_t old, uint32_t new,
		  uint64_t shared, size_t kinds, bool sure)
{
	struct file *a = &files[0].at[old], *b = &files[1].at[new];
	uint64_t count_a = a->to - a->from, count_b = b->to - b->from, total = count_a + count_b;
	uint64_t least = count_a < count_b ? count_a : count_b;
	uint64_t tail = common_tail(match, a, b), score;
	bool good;

	if (tail > 0)
		good = 2 * shared >= least && (sure || kinds >= 2 || 2 * shared == total);
	else
		good = 4 * shared >= total && kinds >= (sure ? 2 : 3);
	if (!good)
		return;
	/* The longest tail, then most shared, then the fewest findings in all. */
	score = tail << 60 | (shared & UINT64_C(0x3fffffff)) << 30 |
		(UINT64_C(0x3fffffff) - (total & UINT64_C(0x3fffffff)));
	offer(a, new, score);
	offer(b, old, score);
}

/* Note each finding of new files that is like one of an old file, by the number of its file.
 * tokens: of the old one. Returns how many kinds of findings it has. */
static size_t find_hits(struct rt_match *match, const struct rt_pair *tokens, size_t count,
			const struct rt_pair *all, size_t all_count, struct rt_buf *hits)
{
	size_t kinds = 0;

	for (size_t i = 0, end; i < count; i = end) {
		size_t low = rt_pairs_find(all, all_count, tokens[i].key), same, in_files = 0;

		end = i + rt_pairs_run(tokens + i, count - i);
		kinds++;
		for (same = low; same < all_count && all[same].key == tokens[i].key; same++) {
			in_files += same == low || all[same].value != all[same - 1].value;
			if (in_files > FILES_MAX)
				break;
		}
		for (size_t n = low, left = 0; n < same && in_files <= FILES_MAX; n++) {
			uint32_t file = (uint32_t)all[n].value;

			left = n == low || all[n].value != all[n - 1].value ? end - i : left;
			if (left > 0 && left--)
				RT_STEP(&match->fault,
					rt_buf_append(hits, &file, sizeof(file), match->fault.err));
		}
	}
	return kinds;
}

/* Find the new files that share tokens with an old one. */
static void compare_file(struct rt_match *match, struct files files[2], uint32_t old,
			 const struct rt_pair *all, size_t all_count)
{
	struct rt_buf hits = {0};
	size_t count, kinds, hit_count;
	struct rt_pair *mine = tokens_of(match, 0, &files[0], old, old + 1, &count);
	const uint32_t *hit;
	bool sure = false;

	for (uint32_t i = files[0].at[old].from; i < files[0].at[old].to; i++)
		sure = sure || match->side[0].at[i].long_code;
	kinds = find_hits(match, mine, count, all, all_count, &hits);
	hit_count = hits.len / sizeof(*hit);
	hit = (const uint32_t *)(const void *)hits.data;
	if (hit_count)
		qsort(hits.data, hit_count, sizeof(*hit), compare_numbers);
	for (size_t i = 0, end; i < hit_count; i = end) {
		for (end = i + 1; end < hit_count && hit[end] == hit[i]; end++)
			;
		judge(match, files, old, hit[i], end - i, kinds, sure);
	}
	free(mine);
	rt_buf_release(&hits);
}

void rt_match_renamed(struct rt_match *match)
{
	struct files files[2] = {lone_files(match, 0), lone_files(match, 1)};
	size_t count;
	struct rt_pair *all = tokens_of(match, 1, &files[1], 0, files[1].count, &count);

	for (uint32_t f = 0; f < files[0].count; f++)
		compare_file(match, files, f, all, count);
	for (uint32_t f = 0; f < files[0].count; f++) {
		const struct file *a = &files[0].at[f];
		const struct file *b = a->best == RT_MATCH_NONE ? NULL : &files[1].at[a->best];

		if (b && b->best == f && !a->tied && !b->tied)
			rt_match_push(
			    match, &match->live,
			    (struct rt_match_stretch){{a->from, b->from}, {a->to, b->to}});
	}
	free(files[0].at);
	free(files[1].at);
	free(all);
}
