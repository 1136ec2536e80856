/*
 * The expressions of a filter as they were read, shared by filter_read.c, which reads them, and
 * filter.c, which holds issues against them.
 */
#ifndef RT_ENGINE_FILTER_TERM_H
#define RT_ENGINE_FILTER_TERM_H

#include "base/decimal.h"
#include "base/glob.h"
#include "base/instant.h"
#include "base/map.h"
#include "base/regex.h"
#include "engine/field.h"
#include "engine/filter.h"

/* How the values of a field are compared. */
enum rule {
	RULE_TEXT,
	RULE_TOOL, /* likewise, and a name is that of every version */
	RULE_LEVEL,
	RULE_PATH,
	RULE_CWE,
	RULE_NUMBER,
	RULE_FLAG,
	RULE_DATE,
	RULE_AGE,
	RULE_STATUS,
	RULE_CLASS,
	RULE_REASON,
	RULE_END,
	RULE_ID,
};

/* Characters of an id that are enough of its beginning, and those that must be left then: so that
 * no id of a series, such as issue-1 and issue-10, is taken for the beginning of another. */
#define ID_PREFIX 6u
#define ID_REST 8u

/* A value of an issue or of an item, or one end of a range, and what the rule makes of it. */
struct value {
	struct rt_slice text; /* without backslashes */
	bool read;            /* it is a level, number or date; else, and by other rules, a text */
	unsigned level;
	struct rt_decimal number;
	struct rt_instant from, to; /* the first and the last instant that it means */
	bool before;                /* `to` itself is not meant */
};

enum item_kind {
	ITEM_VALUE,
	ITEM_RANGE,
	ITEM_GLOB,
};

struct item {
	enum item_kind kind;
	bool has_low, has_high; /* of a range */
	struct value low, high; /* of a value: low */
	bool looks_glob;        /* has what a glob would have, but is none */
	bool seen;              /* of a severity that is no level, and of an id: an issue has it */
	struct rt_slice glob;
	uint32_t begun; /* issues whose ids begin with it and are longer */
};

enum operator{
	OP_PRESENT,
	OP_ITEMS,
	OP_REGEX,
};

struct term {
	bool negated;
	bool begins; /* a group */
	unsigned field;
	enum rule rule;
	enum operator op;
	struct item *items;
	size_t count;
	struct rt_regex *regex;
	char *text; /* of the items without backslashes; globs keep theirs */
	/* Of ids: their items' numbers, from 1, by the hash of their text; a bit for each length
	 * that one has, the last: longer; and whether there are ranges beside them. */
	struct rt_siphash_key key;
	struct rt_map ids;
	uint64_t lengths;
	bool has_ranges;
};

/* Read an expression. term: zeroed, with what it is besides its text; released by the caller
 * whatever is returned. at: the present. Returns RT_OK or RT_FATAL (RT_E_USAGE, RT_E_NOMEM). */
enum rt_status rt_filter_read_term(struct term *term, struct rt_slice text, int64_t at,
				   struct rt_error *err);

/* Read a value's text as the rule compares it; `read` is whether it can be. */
void rt_filter_value(enum rule rule, struct value *value);

/* Whether the first of two values is no more than the second, both read or both texts. */
bool rt_filter_up_to(enum rule rule, const struct value *a, const struct value *b);

#endif
