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

/* The paths of a side that the other one lacks. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
static enum rt_status lone_files(const struct rt_match *match, int side, struct files *ret_files,
				 struct rt_error *err)
{
	const struct rt_match_items *mine = &match->side[side], *others = &match->side[!side];
	uint32_t files = 0, j = 0;

	for (uint32_t i = 0; i < mine->count; i = rt_match_path_end(mine, i))
		files++;
	ret_files->at = malloc(((size_t)files + 1) * sizeof(*ret_files->at));
	if (!ret_files->at)
		return rt_error_nomem(err);
	for (uint32_t i = 0, end; i < mine->count; i = end) {
		end = rt_match_path_end(mine, i);
		while (j < others->count && others->at[j].path < mine->at[i].path)
			j++;
		if (j == others->count || others->at[j].path != mine->at[i].path)
			ret_files->at[ret_files->count++] =
			    (struct file){i, end, 0, RT_MATCH_NONE, false};
	}
	return RT_OK;
}

/* The tokens of files [from, to), sorted. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
static enum rt_status tokens_of(const struct rt_match *match, int side, const struct files *files,
				uint32_t from, uint32_t to, struct rt_pair **ret_tokens,
				size_t *ret_count, struct rt_error *err)
{
	size_t count = 0, room = 1;
	struct rt_pair *tokens;

	for (uint32_t f = from; f < to; f++)
		room += files->at[f].to - files->at[f].from;
	tokens = malloc(room * sizeof(*tokens));
	if (!tokens)
		return rt_error_nomem(err);
	for (uint32_t f = from; f < to; f++) {
		for (uint32_t i = files->at[f].from; i < files->at[f].to; i++)
			tokens[count++] = (struct rt_pair){token_of(&match->side[side].at[i]), f};
	}
	rt_pairs_sort(tokens, count);
	*ret_tokens = tokens;
	*ret_count = count;
	return RT_OK;
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

/* Find the new files that share tokens with an old one. hits: scratch, a file number a shared
 * finding. */
static enum rt_status compare_file(const struct rt_match *match, struct files files[2],
				   uint32_t old, const struct rt_pair *all, size_t all_count,
				   struct rt_error *err)
{
	struct rt_pair *mine = NULL;
	struct rt_buf hits = {0};
	size_t count = 0, kinds = 0, hit_count;
	const uint32_t *hit;
	bool sure = false;
	enum rt_status status = RT_FATAL;

	if (tokens_of(match, 0, &files[0], old, old + 1, &mine, &count, err) != RT_OK)
		goto out;
	for (uint32_t i = files[0].at[old].from; i < files[0].at[old].to; i++)
		sure = sure || match->side[0].at[i].long_code;
	for (size_t i = 0, end; i < count; i = end) {
		size_t low = rt_pairs_find(all, all_count, mine[i].key), same, in_files = 0;

		end = i + rt_pairs_run(mine + i, count - i);
		kinds++;
		for (same = low; same < all_count && all[same].key == mine[i].key; same++) {
			in_files += same == low || all[same].value != all[same - 1].value;
			if (in_files > FILES_MAX)
				break;
		}
		for (size_t n = low, left = 0; n < same && in_files <= FILES_MAX; n++) {
			uint32_t file = (uint32_t)all[n].value;

			left = n == low || all[n].value != all[n - 1].value ? end - i : left;
			if (left > 0 && left-- &&
			    rt_buf_append(&hits, &file, sizeof(file), err) != RT_OK)
				goto out;
		}
	}
	hit_count = hits.len / sizeof(*hit);
	hit = (const uint32_t *)(const void *)hits.data;
	if (hit_count)
		qsort(hits.data, hit_count, sizeof(*hit), compare_numbers);
	for (size_t i = 0, end; i < hit_count; i = end) {
		for (end = i + 1; end < hit_count && hit[end] == hit[i]; end++)
			;
		judge(match, files, old, hit[i], end - i, kinds, sure);
	}
	status = RT_OK;
out:
	free(mine);
	rt_buf_release(&hits);
	return status;
}

enum rt_status rt_match_renamed(struct rt_match *match, struct rt_error *err)
{
	struct files files[2] = {{NULL, 0}, {NULL, 0}};
	struct rt_pair *all = NULL;
	size_t count = 0;
	enum rt_status status = RT_FATAL;

	if (lone_files(match, 0, &files[0], err) != RT_OK ||
	    lone_files(match, 1, &files[1], err) != RT_OK ||
	    tokens_of(match, 1, &files[1], 0, files[1].count, &all, &count, err) != RT_OK)
		goto out;
	for (uint32_t f = 0; f < files[0].count; f++) {
		if (compare_file(match, files, f, all, count, err) != RT_OK)
			goto out;
	}
	for (uint32_t f = 0; f < files[0].count; f++) {
		const struct file *a = &files[0].at[f];
		const struct file *b = a->best == RT_MATCH_NONE ? NULL : &files[1].at[a->best];
		struct rt_match_stretch stretch;

		if (!b || b->best != f || a->tied || b->tied)
			continue;
		stretch = (struct rt_match_stretch){{a->from, b->from}, {a->to, b->to}};
		if (rt_match_push(&match->live, stretch, err) != RT_OK)
			goto out;
	}
	status = RT_OK;
out:
	free(files[0].at);
	free(files[1].at);
	free(all);
	return status;
}
