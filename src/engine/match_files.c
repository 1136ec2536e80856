/*
 * Files that were renamed: of two paths that one side each lacks, the findings are much the same.
 * A pair counts where each is the other's only best.
 */
#include <stdlib.h>

#include "base/pairs.h"
#include "engine/match_state.h"

/* A token in more files of a side than this is no evidence, and would make the search quadratic. */
#define FILES_MAX 64u
/* Components of a path, from its end, that are compared. */
#define PARTS 6u

/* A path that the other side lacks. */
struct file {
	uint32_t from, to;     /* positions of its findings */
	uint32_t parts[PARTS]; /* hashes of the last components, the last one first; 0: none */
	uint64_t score;        /* of its best partner */
	uint32_t best;         /* file number of that; RT_MATCH_NONE: none */
	bool tied;             /* another one is as good */
};

struct files {
	struct file *at;
	uint32_t count;
};

/* A kind of finding. */
static uint64_t token_of(const struct rt_match_item *item)
{
	uint64_t code = rt_match_code(item);
	uint64_t columns = item->line ? (uint64_t)item->column << 32 | item->column_end : 0;

	return code ? rt_match_mix(code, item->rule)
		    : rt_match_mix(rt_match_mix(item->message, item->rule), columns);
}

/* List the paths of a side that the other one lacks. files: NULL: count them. Returns how many. */
static uint32_t list_lone(const struct rt_match *match, int side, struct file *files)
{
	const struct rt_match_items *mine = &match->side[side], *others = &match->side[!side];
	uint32_t count = 0, j = 0;

	for (uint32_t i = 0, end; i < mine->count; i = end) {
		end = rt_match_path_end(mine, i);
		while (j < others->count && others->at[j].path < mine->at[i].path)
			j++;
		if (j < others->count && others->at[j].path == mine->at[i].path)
			continue;
		if (files)
			files[count] = (struct file){.from = i, .to = end, .best = RT_MATCH_NONE};
		count++;
	}
	return count;
}

static struct files lone_files(struct rt_match *match, int side)
{
	struct files lone = {.count = list_lone(match, side, NULL)};

	lone.at = rt_match_alloc(match, lone.count * sizeof(*lone.at));
	lone.count = lone.at ? list_lone(match, side, lone.at) : 0;
	return lone;
}

/* Tokens of files: how often each is in a file, and the file. */
struct tokens {
	struct rt_pair *at; /* value: how often << 32 | the number of the file */
	size_t count;
};

static uint32_t file_of(const struct rt_pair *token)
{
	return (uint32_t)token->value;
}

static uint32_t count_of(const struct rt_pair *token)
{
	return (uint32_t)(token->value >> 32);
}

/* Make the tokens of files [from, to), by token, then by file. To be freed. */
static struct tokens tokens_of(struct rt_match *match, int side, const struct files *files,
			       uint32_t from, uint32_t to)
{
	struct tokens tokens = {NULL, 0};
	struct rt_pair *all;
	size_t count = 0;

	for (uint32_t f = from; f < to; f++)
		count += files->at[f].to - files->at[f].from;
	all = tokens.at = rt_match_alloc(match, count * sizeof(*all));
	count = 0;
	for (uint32_t f = from; all && f < to; f++) {
		for (uint32_t i = files->at[f].from; i < files->at[f].to; i++)
			all[count++] = (struct rt_pair){token_of(&match->side[side].at[i]), f};
	}
	rt_pairs_sort(all, count);
	for (size_t i = 0; i < count; i++) {
		struct rt_pair *last = &all[tokens.count - 1];

		if (tokens.count && last->key == all[i].key && file_of(last) == all[i].value)
			last->value += UINT64_C(1) << 32;
		else
			all[tokens.count++] = (struct rt_pair){
			    all[i].key, UINT64_C(1) << 32 | (uint32_t)all[i].value};
	}
	return tokens;
}

/* How many files have the token at a position. */
static size_t run_of(const struct tokens *tokens, size_t at)
{
	size_t n = 1;

	while (at + n < tokens->count && tokens->at[at + n].key == tokens->at[at].key)
		n++;
	return n;
}

/* Keep those tokens that both sides have, in few files. They go to the front of the second. */
static void keep_common(const struct tokens *old, struct tokens *new)
{
	size_t kept = 0, i = 0, j = 0;

	while (i < old->count && j < new->count) {
		uint64_t a = old->at[i].key, b = new->at[j].key;
		size_t run_a = a <= b ? run_of(old, i) : 0, run_b = a >= b ? run_of(new, j) : 0;

		for (size_t n = 0; a == b && run_a <= FILES_MAX && run_b <= FILES_MAX && n < run_b;
		     n++)
			new->at[kept++] = new->at[j + n];
		i += run_a;
		j += run_b;
	}
	new->count = kept;
}

/* How many path components two files end alike in. */
static uint64_t common_tail(const struct file *a, const struct file *b)
{
	const uint32_t *x = a->parts, *y = b->parts;
	uint64_t n = 0;

	while (n < PARTS && x[n] && x[n] == y[n])
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
static void judge(struct files files[2], uint32_t old, uint32_t new, uint64_t shared, size_t kinds,
		  bool sure)
{
	struct file *a = &files[0].at[old], *b = &files[1].at[new];
	uint64_t count_a = a->to - a->from, count_b = b->to - b->from, total = count_a + count_b;
	uint64_t least = count_a < count_b ? count_a : count_b;
	uint64_t tail = common_tail(a, b), score;
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

/* How many findings of one file another one has, too. */
struct hit {
	uint32_t file, count;
};

static int compare_hits(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	return (a->file > b->file) - (a->file < b->file);
}

/* Find the new files that share tokens with an old one. */
static void compare_file(struct rt_match *match, struct files files[2], uint32_t old,
			 const struct tokens *all)
{
	struct tokens mine = tokens_of(match, 0, &files[0], old, old + 1);
	struct rt_buf hits = {0};
	struct hit *list;
	size_t count;
	bool sure = false;

	for (uint32_t i = files[0].at[old].from; i < files[0].at[old].to; i++)
		sure |= match->side[0].at[i].long_code && rt_match_code(&match->side[0].at[i]);
	for (size_t i = 0; i < mine.count; i++) {
		size_t at = rt_pairs_find(all->at, all->count, mine.at[i].key);

		for (; at < all->count && all->at[at].key == mine.at[i].key; at++) {
			uint32_t x = count_of(&mine.at[i]), y = count_of(&all->at[at]);
			struct hit hit = {file_of(&all->at[at]), x < y ? x : y};

			RT_STEP(&match->fault,
				rt_buf_append(&hits, &hit, sizeof(hit), match->fault.err));
		}
	}
	list = (struct hit *)(void *)hits.data;
	count = hits.len / sizeof(*list);
	if (count)
		qsort(list, count, sizeof(*list), compare_hits);
	for (size_t i = 0, end; i < count; i = end) {
		uint64_t shared = 0;

		for (end = i; end < count && list[end].file == list[i].file; end++)
			shared += list[end].count;
		judge(files, old, list[i].file, shared, mine.count, sure);
	}
	free(mine.at);
	rt_buf_release(&hits);
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

/* Find the names of the files. */
static void name_files(struct rt_match *match, int side, struct files *files,
		       rt_match_path *path_of, void *ctx)
{
	enum rt_match_side asked = (side == 1) != match->swapped ? RT_MATCH_NEW : RT_MATCH_OLD;

	for (uint32_t f = 0; f < files->count; f++) {
		struct file *file = &files->at[f];
		struct rt_slice path = path_of(ctx, asked, match->side[side].at[file->from].index);
		size_t at = path.len;

		for (unsigned n = 0; n < PARTS && at > 0; n++) {
			size_t end = at;

			while (at > 0 && !is_slash(path.ptr[at - 1]))
				at--;
			file->parts[n] =
			    (uint32_t)(rt_match_hash(match,
						     rt_slice_make(path.ptr + at, end - at)) >>
				       32) |
			    1;
			at -= at > 0;
		}
	}
}

void rt_match_renamed(struct rt_match *match, rt_match_path *path_of, void *ctx)
{
	struct files files[2] = {lone_files(match, 0), lone_files(match, 1)};
	struct tokens old, all;

	if (!files[0].count || !files[1].count)
		files[0].count = files[1].count = 0;
	name_files(match, 0, &files[0], path_of, ctx);
	name_files(match, 1, &files[1], path_of, ctx);
	old = tokens_of(match, 0, &files[0], 0, files[0].count);
	all = tokens_of(match, 1, &files[1], 0, files[1].count);
	keep_common(&old, &all);
	free(old.at);
	for (uint32_t f = 0; f < files[0].count && match->fault.status == RT_OK; f++)
		compare_file(match, files, f, &all);
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
	free(all.at);
}
