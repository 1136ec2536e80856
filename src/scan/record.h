/*
 * One record as the scanner hands it over: its text and its documented members as borrowed
 * slices, without a tree and without a copy.
 */
#ifndef RT_SCAN_RECORD_H
#define RT_SCAN_RECORD_H

#include <stdint.h>

#include "base/slice.h"
#include "scan/member.h"

/* What became of an issue since an earlier scan (WORKFLOW W31). An old one is gone, ambiguous, not
 * scanned, or has a partner. */
enum rt_class {
	RT_CLASS_NONE, /* nothing was compared */
	RT_CLASS_NEW,
	RT_CLASS_CHANGED, /* severity, code or decision differ */
	RT_CLASS_GONE,
	RT_CLASS_MOVED, /* path, line or title differ */
	RT_CLASS_AMBIGUOUS,
	RT_CLASS_NOT_SCANNED, /* the new scan has no issue of its repository */
	RT_CLASS_UNCHANGED,
	RT_CLASSES,
};

/* Whose words the title of an issue is. */
enum rt_title_of {
	RT_TITLE_OF_ISSUE, /* its own */
	RT_TITLE_OF_RULE,
	RT_TITLE_OF_OTHER, /* the rule's, which is another result's message */
};

/* What a log has to tell a result by in every scan. ptr NULL: it has none. */
struct rt_prints {
	/* Its correlationGuid, its fingerprint, or all its partial ones without `:n`: of which kind
	 * it is, and the texts, each with a NUL. */
	struct rt_slice identity;
	bool is_guid;
	/* primaryLocationLineHash without `:n`, and contextHash; the names with their versions. */
	struct rt_slice hashes[2], hash_names[2];
	struct rt_slice deprecated; /* array of strings: the ids that its rule had before */
};

struct rt_record {
	enum rt_kind kind;     /* never RT_KIND_ANY once the reader has delivered it */
	struct rt_slice text;  /* from '{' to '}' */
	struct rt_slice id;    /* decoded; borrowed as long as the record */
	uint64_t repeated;     /* bit m: member m is there more than once */
	bool others;           /* it has members that are not documented */
	uint64_t line, column; /* place of the '{' in its part, from 1 */
	uint64_t offset; /* of the '{' in the part's JSON text, from 0; of a log: in the part */
	struct rt_slice values[RT_MEMBER_COUNT]; /* JSON text of the value, quotes included */
	const char *again[RT_MEMBER_COUNT];      /* where repeated: its last value */
	struct rt_prints prints;
	/* What a log itself says was decided: the severity, which the scanner had given as this
	 * text, empty where that is not known (ptr NULL: nobody decided it); that no suppression
	 * holds. */
	struct rt_slice rated;
	bool reopened;
	uint8_t class;    /* enum rt_class: what a log itself says in baselineState */
	uint8_t title_of; /* enum rt_title_of */
	uint8_t current;  /* after a failed scan: the member it stopped in, or RT_M_UNKNOWN */
	uint8_t types[RT_MEMBER_ROOM]; /* enum rt_type of the value; 0 where it is not there, and
					* values[m] does not hold */
};

/* Whether member m is there and not null. */
static inline bool rt_record_has(const struct rt_record *record, enum rt_member m)
{
	return (record->types[m] & ~RT_TYPE_NULL) != 0;
}

/* The bytes between the quotes of member m, which is there and a string; maybe escaped. */
static inline struct rt_slice rt_record_string(const struct rt_record *record, enum rt_member m)
{
	return rt_slice_make(record->values[m].ptr + 1, record->values[m].len - 2);
}

/* --- Cutting --------------------------------------------------------------------------------- */

struct rt_cut;

struct rt_cut_member {
	struct rt_slice name;
	uint8_t slot;
	uint8_t types;               /* a set of enum rt_type; null may be there as well */
	const struct rt_cut *inside; /* of an object, or of an array's first element; or NULL */
};

#define RT_CUT_NO_SLOT 255u

struct rt_cut {
	const struct rt_cut_member *members; /* best in the order in which they mostly stand */
	size_t count;
	uint8_t slot; /* where the object's first byte goes, as a sign of it; or RT_CUT_NO_SLOT */
	const char *owner; /* what messages say before the name of a member; NULL: nothing */
};

#endif
