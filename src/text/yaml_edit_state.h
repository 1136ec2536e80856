/*
 * What the editor of YAML source knows of the record it is at. Included by yaml_edit*.c only.
 */
#ifndef RT_TEXT_YAML_EDIT_STATE_H
#define RT_TEXT_YAML_EDIT_STATE_H

#include "text/yaml_edit.h"
#include "text/yaml_edit_place.h"
#include "text/yaml_scalar.h"
#include "text/yaml_source.h"

/* Three for each edit, one that adds what is missing, one for each end that is stripped, one for
 * tabs on the lines after it. */
#define YAML_PATCHES_MAX ((size_t)RT_EDITS_MAX * 6)

enum yaml_value_kind {
	YAML_VALUE_MISSING, /* there is no such member */
	YAML_VALUE_SCALAR,
	YAML_VALUE_ALIAS,
	YAML_VALUE_SEQUENCE,
	YAML_VALUE_MAPPING,
};

/* A member that is to be edited. */
struct yaml_value {
	enum yaml_value_kind kind;
	struct rt_place place;
	uint64_t key_end;
	struct yaml_extent extent;
	enum rt_yaml_type type;     /* of a scalar */
	yaml_scalar_style_t style;  /* likewise */
	bool empty;                 /* a scalar without a byte in the source */
	bool colon;                 /* that has a colon before it */
	bool flow;                  /* of a sequence */
	bool items;                 /* a sequence that has one */
	bool items_block;           /* the first is a block mapping */
	uint64_t inner;             /* after the bracket of a flow sequence */
	size_t column;              /* of the dashes of a block sequence, from 0 */
	struct yaml_extent content; /* the last one in a sequence with items */
};

/* A change of the source. */
struct yaml_change {
	uint64_t offset;
	uint64_t len;
	size_t text_at; /* in the record's text */
	size_t text_len;
	bool header; /* of a block scalar that stays: its lines follow */
};

struct yaml_record {
	const struct rt_yaml_record *want; /* NULL: none is open */
	struct rt_place place;
	size_t depth;        /* collections open at its members */
	bool flow;           /* in braces, or a pair in a flow sequence */
	bool pair;           /* the latter */
	bool members;        /* it has one */
	bool quoted;         /* the first key is in double quotes */
	bool value_next;     /* a key has been met */
	size_t start_column; /* in characters, from 0 */
	size_t column;       /* of a block mapping's keys, from 0 */
	uint64_t inner;      /* after the brace */
	uint64_t key_end;
	struct yaml_value *value; /* of the member that is open, if it is edited */
	struct yaml_extent last;  /* that has been met, while there are members */
	uint64_t end;             /* of the record, and as far as changes reach */
	uint64_t follows; /* offset of what follows blanks and comments after it, or of its end */
	struct yaml_value values[RT_EDITS_MAX];
	struct rt_buf note; /* notes that are a string, decoded */
	/* The outcome. */
	struct rt_buf text;
	struct yaml_change changes[YAML_PATCHES_MAX];
	size_t change_count;
};

/*
 * Work out the changes of a complete record: changes, in order of offset, and text. Moves
 * record->end after the last one.
 * Returns RT_OK; RT_REJECT with err set, place included; RT_FATAL.
 */
enum rt_status rt_yaml_edit_plan(struct yaml_record *record, const struct yaml_tee *tee,
				 struct rt_error *err);

/*
 * Read the record as it was and as it will be, each with the blanks and comments after it, and hold
 * one against the other: all as it was but for the edits.
 * Returns RT_OK; RT_REJECT with err set, place included, when a reader would not find what it
 * should; RT_FATAL.
 */
enum rt_status rt_yaml_edit_check(const struct yaml_record *record, const struct yaml_tee *tee,
				  const struct rt_limits *limits, struct rt_error *err);

#endif
