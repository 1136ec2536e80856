/*
 * What the files of the matcher share: the issues of both sides as keys.
 */
#ifndef RT_ENGINE_MATCH_STATE_H
#define RT_ENGINE_MATCH_STATE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/pairs.h"
#include "base/siphash.h"
#include "engine/fold.h"
#include "engine/match.h"

#define RT_MATCH_TAIL 4u /* path components from the end, compared to find renamed files */

/* One issue. Texts are keyed hashes; 0 where the text is missing. */
struct rt_match_item {
	uint64_t path, message, code, context;
	/* The id of the export, and the fingerprint that was given, else of the line, in a log. */
	uint64_t id, print;
	uint32_t repo, rule;
	uint32_t line, column, column_end; /* 0: none */
	uint32_t order; /* of rule, message, severity and code, to sort findings of one place by */
	uint32_t index; /* in input order */
	uint32_t partner;             /* place on the other side, or RT_MATCH_NONE */
	uint32_t group;               /* or RT_MATCH_NONE */
	uint16_t tail[RT_MATCH_TAIL]; /* hashes of path components, the last one first; 0: none */
	uint8_t by;                   /* enum rt_match_by of the pair or the group */
	bool given : 1;               /* its fingerprint was */
	bool of_print : 1;            /* its code is the fingerprint of the line */
	bool long_code : 1;           /* 12 bytes or more */
	bool long_context : 1;        /* 40 bytes or more, and more than the code */
};

/* Issues of one side, from rt_match_run() on in the order of path, line, columns and order. */
struct rt_match_items {
	struct rt_match_item *at;
	uint32_t count, room;
	uint32_t *place; /* of each in input order; from rt_match_run() on */
	uint64_t digest; /* of what they are, in any order, the same in every run */
};

/* Findings that may be partners: those between two certain pairs, or those of one file. */
struct rt_match_stretch {
	uint32_t from[2], to[2]; /* positions by side; to: behind the last */
};

/*
 * The sides are aligned in an order of their own, side[0] with side[1], so that swapping the scans
 * gives the same pairs: the first is the one with fewer issues, then the one with the lower digest.
 */
struct rt_match {
	struct rt_siphash_key key;
	struct rt_match_items side[2];
	bool swapped;                   /* side[0] is the new scan; from rt_match_run() on */
	struct rt_buf live, next, rest; /* of struct rt_match_stretch */
	void *table;                    /* scratch of the alignment */
	size_t table_bytes;
	struct rt_pair *repos; /* of the new side, sorted; from rt_match_run() on */
	size_t repo_count;
	uint32_t groups;
	struct rt_match_reused reused;
	struct rt_buf scratch, text;
	struct rt_fault fault; /* the first one: nothing is done after it */
};

/* Memory; NULL where there is none, which is a fault. */
void *rt_match_alloc(struct rt_match *match, size_t bytes);

/* Whether both have code, and not the same: of a line's fingerprint nobody knows that. */
bool rt_match_other_code(const struct rt_match_item *a, const struct rt_match_item *b);

/* A hash of a hash and another number; not 0. Nobody can choose numbers that collide without
 * knowing the hashes. */
static inline uint64_t rt_match_mix(uint64_t hash, uint64_t number)
{
	uint64_t mixed = (hash ^ (number << 29 | number >> 35)) * UINT64_C(0x9E3779B97F4A7C15);

	mixed ^= mixed >> 32;
	return mixed ? mixed : 1;
}

/* The first position behind the findings of the path at `from`. */
uint32_t rt_match_path_end(const struct rt_match_items *items, uint32_t from);

/* How many stretches a list has, and one of them. */
static inline size_t rt_match_stretches(const struct rt_buf *list)
{
	return list->len / sizeof(struct rt_match_stretch);
}

static inline const struct rt_match_stretch *rt_match_stretch(const struct rt_buf *list, size_t i)
{
	return (const struct rt_match_stretch *)(const void *)list->data + i;
}

static inline void rt_match_push(struct rt_match *match, struct rt_buf *list,
				 struct rt_match_stretch stretch)
{
	RT_STEP(&match->fault, rt_buf_append(list, &stretch, sizeof(stretch), match->fault.err));
}

/* Align the stretches in match->live by each of the keys from `first` up to and with `last`
 * (RT_MATCH_CONTEXT, _CODE, _COLUMN); what could not be aligned is in match->live then.
 * renamed: pairs are of renamed files. */
void rt_match_align(struct rt_match *match, enum rt_match_by first, enum rt_match_by last,
		    bool renamed);

/* Give what is left of the stretches in match->live, and has an equal key on both sides, a group.
 */
void rt_match_ambiguous(struct rt_match *match);

/* Add the files that were renamed to match->live, each pair of them a stretch. */
void rt_match_renamed(struct rt_match *match);

#endif
