/*
 * What the files of the matcher share: the issues of both sides as keys.
 */
#ifndef RT_ENGINE_MATCH_STATE_H
#define RT_ENGINE_MATCH_STATE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "base/pairs.h"
#include "base/siphash.h"
#include "engine/match.h"

/* One issue. Texts are keyed hashes; 0 where the text is missing. */
struct rt_match_item {
	uint64_t path;
	uint64_t message; /* with 0 for its numbers */
	union {
		uint64_t exact; /* of one without a line: the message as it is */
		struct {
			uint32_t column, column_end;
		}; /* else; 0: none */
	};
	uint64_t code, context;
	uint64_t id;    /* of the export; of SARIF ids 0 */
	uint64_t print; /* what was given as fingerprint, else the log's */
	union {
		uint64_t numbers;         /* of the message, to sort findings of one place by */
		struct {                  /* once they are sorted */
			uint32_t partner; /* position on the other side, or RT_MATCH_NONE */
			uint32_t group;   /* or RT_MATCH_NONE */
		};
	};
	uint32_t repo, rule;
	uint32_t line;  /* 0: none */
	uint32_t order; /* of rule and message, to sort findings of one place by */
	uint32_t index; /* in input order */
	uint32_t names; /* where match->names has its vulnerabilities; 0: it names none */
	uint32_t hashes[2];
	uint16_t hash_names[2]; /* 0: there is no such hash */
	uint8_t by;             /* enum rt_match_by of the pair or the group */
	bool given : 1;         /* its print was given */
	bool guid : 1;          /* its print is a correlationGuid */
	bool redacted : 1;      /* its code is hidden */
	bool shows_code : 1;    /* it has a snippet, maybe blank */
	bool placeholder : 1;   /* very many places have its code */
	bool long_code : 1;     /* 12 bytes or more */
	bool long_context : 1;  /* 40 bytes or more, and more than the code */
	bool lone_name : 1;     /* no other one of its path has its rule and vulnerability */
};

/* Issues of one side, from rt_match_run() on in the order of path, line, columns and order. */
struct rt_match_items {
	struct rt_match_item *at;
	uint32_t count, room;
	uint32_t *place; /* of each in input order; from rt_match_run() on */
	uint64_t weight; /* of what they are, in any order, the same in every run */
	bool shows_code; /* one of them does */
};

/* Findings that may be partners: those between two certain pairs, or those of one file. */
struct rt_match_stretch {
	uint32_t from[2], to[2]; /* positions by side; to: behind the last */
};

/*
 * The sides are aligned in an order of their own, side[0] with side[1], so that swapping the scans
 * gives the same pairs: the first is the one with fewer issues, then the one with the lower weight.
 */
struct rt_match {
	struct rt_siphash_key key;
	struct rt_match_items side[2];
	bool swapped; /* side[0] is the new scan; from rt_match_run() on */
	/* Vulnerabilities that issues name, as hashes: how many, the one that tells most, then all,
	 * rising. */
	struct rt_buf names;
	struct rt_map rule_map;         /* rules whose deprecated ids are known */
	struct rt_buf deprecated;       /* of struct rt_match_deprecated */
	struct rt_buf live, next, rest; /* of struct rt_match_stretch */
	void *table;                    /* scratch of the alignment */
	size_t table_bytes;
	struct rt_pair *repos; /* of the new side, sorted; from rt_match_run() on */
	size_t repo_count;
	uint32_t groups;
	struct rt_match_reused reused;
	struct rt_buf scratch, text;
	struct rt_buf found;   /* of uint64_t: names of an issue that is being added */
	struct rt_fault fault; /* the first one: nothing is done after it */
};

/* A rule, and an id that it had before. */
struct rt_match_deprecated {
	uint32_t id, rule;
	uint32_t order; /* what the order of its issues is more by than of those of the old id */
	uint8_t side;   /* enum rt_match_side */
};

/* Memory; NULL where there is none, which is a fault. */
void *rt_match_alloc(struct rt_match *match, size_t bytes);

/* How two items are known to be about other code (E5). */
enum rt_match_difference rt_match_compare_code(const struct rt_match *match,
					       const struct rt_match_item *a,
					       const struct rt_match_item *b);

/* Whether both name vulnerabilities, and none is common: they are never partners. a: of side 0. */
bool rt_match_strangers(const struct rt_match *match, const struct rt_match_item *a,
			const struct rt_match_item *b);

/* The hash of the vulnerability that tells most of those that an item names; 0: it names none. */
uint32_t rt_match_first_name(const struct rt_match *match, const struct rt_match_item *item);

/* Make two items partners. old, new: positions on the sides 0 and 1. by: without RENAMED. */
void rt_match_join(struct rt_match *match, uint32_t old, uint32_t new, enum rt_match_by by,
		   bool renamed);

/* The code that is evidence; 0: none is. */
static inline uint64_t rt_match_code(const struct rt_match_item *item)
{
	return item->placeholder ? 0 : item->code;
}

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

/* Align the stretches in match->live by one kind of evidence after the other, the strongest first;
 * what could not be aligned is in match->live then. renamed: pairs are of renamed files. */
void rt_match_align(struct rt_match *match, bool renamed);

/* Give what is left of the stretches in match->live, and has an equal key on both sides, a group.
 */
void rt_match_ambiguous(struct rt_match *match);

/* Add the files that were renamed to match->live, each pair of them a stretch. */
void rt_match_renamed(struct rt_match *match, rt_match_path *path_of, void *ctx);

/* A keyed hash of a text; not 0. */
uint64_t rt_match_hash(const struct rt_match *match, struct rt_slice text);

/* --- match_evidence.c: what is evidence, once all issues are there ---------------------------- */

/* Make ids that rules had before those of the rules (E3), before the sides are sorted. */
void rt_match_rename_rules(struct rt_match *match);

/* Find codes and fingerprints of very many places, which are no evidence, and vulnerabilities that
 * stand once in their file. */
void rt_match_weigh(struct rt_match *match);

/* Whether the ids of exports are evidence: those of pairs agree (E7). */
bool rt_match_trusts_ids(struct rt_match *match);

/* Count, of issues without a partner, ids that are used again, and those whose rule alone differs.
 */
void rt_match_count_reused(struct rt_match *match);

#endif
