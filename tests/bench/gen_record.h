/*
 * Generated records as lists of members, before they are written in one form or another.
 */
#ifndef RT_TESTS_BENCH_GEN_RECORD_H
#define RT_TESTS_BENCH_GEN_RECORD_H

#include "gen_text.h"

enum gen_type {
	GEN_NULL,
	GEN_PLAIN,  /* a number or a boolean: text is its spelling */
	GEN_STRING, /* text is the string, UTF-8, not escaped */
	GEN_LIST,   /* text is `count` strings, one after the other's NUL */
};

struct gen_member {
	const char *name;
	enum gen_type type;
	const char *text;
	size_t count;
};

#define GEN_MEMBERS_MAX 29u

/* One record; members point into text, and so it must not be copied. */
struct gen_record {
	size_t count;
	bool ascii; /* written with \uXXXX for everything outside ASCII */
	struct gen_member members[GEN_MEMBERS_MAX];
	struct gen_text text;
};

/* What every record of an export has in common. */
struct gen_plan {
	uint64_t seed;
	uint64_t issues;
	uint64_t rulesets;
	bool shuffle; /* members in another order in every record */
	bool drop;    /* members left out at random; never id and scan_id */
	bool lean;    /* issues of what a summary counts, and hardly more: about 180 bytes */
};

/* Issue number `index` of the plan; the same whatever was made before. */
void gen_issue(struct gen_record *record, const struct gen_plan *plan, uint64_t index);

/* Ruleset number `index` of the plan. */
void gen_ruleset(struct gen_record *record, const struct gen_plan *plan, uint64_t index);

#endif
