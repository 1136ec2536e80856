/*
 * The name nearest to a mistyped word: the distance of Damerau and Levenshtein in the form of
 * optimal string alignment, which counts bytes that are inserted, left out, replaced, or swapped
 * with their neighbour. Letters of A to Z count as those of a to z. More than one error in three
 * bytes is another word, unless the one is the beginning of the other: "sev" is severity, "rule_id"
 * is rule. What is longer than any name of ours is none.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "retriage.h"

#define WORD_MAX 40u
#define BYTES_PER_ERROR 3u
#define BEGINNING 3u /* bytes */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static unsigned char folded(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool same(char a, char b)
{
	return folded(a) == folded(b);
}

/* a and b have at most WORD_MAX bytes. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	/* Of the first i bytes of a and the first j of b. */
	size_t cost[WORD_MAX + 1][WORD_MAX + 1] = {{0}};

	for (size_t i = 1; i <= a_len; i++)
		cost[i][0] = i;
	for (size_t j = 1; j <= b_len; j++)
		cost[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		for (size_t j = 1; j <= b_len; j++) {
			size_t here = cost[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);

			here = least(here, least(cost[i - 1][j], cost[i][j - 1]) + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				here = least(here, cost[i - 2][j - 2] + 1);
			cost[i][j] = here;
		}
	}
	return cost[a_len][b_len];
}

/* Whether two texts have the same first bytes. */
static bool begins(const char *a, const char *b, size_t len)
{
	size_t at = 0;

	while (at < len && same(a[at], b[at]))
		at++;
	return at == len && len >= BEGINNING;
}

void rt_nearest_begin(struct rt_nearest *nearest, const char *word, size_t len)
{
	*nearest = (struct rt_nearest){.word = word, .len = len, .distance = SIZE_MAX};
}

void rt_nearest_offer(struct rt_nearest *nearest, const char *name)
{
	size_t len = strlen(name), found;

	if (len == nearest->len && memcmp(name, nearest->word, len) == 0)
		nearest->exact = true;
	if (len > WORD_MAX || nearest->len > WORD_MAX)
		return;
	found = distance(nearest->word, nearest->len, name, len);
	if (found * BYTES_PER_ERROR > (len > nearest->len ? len : nearest->len)) {
		if (!begins(nearest->word, name, least(len, nearest->len)))
			return;
		found += WORD_MAX; /* whatever is nearer otherwise comes first */
	}
	if (found >= nearest->distance)
		return;
	nearest->name = name;
	nearest->distance = found;
}

const char *rt_nearest_hint(const struct rt_nearest *nearest, const char *dashes,
			    const char *otherwise, char hint[RT_HINT_MAX])
{
	if (!nearest->name || nearest->exact)
		return otherwise;
	(void)snprintf(hint, RT_HINT_MAX, "; did you mean \"%s%s\"?", dashes, nearest->name);
	return hint;
}
