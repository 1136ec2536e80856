/*
 * Two scans, read and matched: which issues are new, gone, moved or changed (WORKFLOW W31). Asked
 * by `diff`, and by what takes a baseline.
 */
#ifndef RT_OPS_SCANS_H
#define RT_OPS_SCANS_H

#include "base/siphash.h"
#include "base/spool.h"
#include "engine/filter.h"
#include "engine/match.h"
#include "ops/decided.h"
#include "output/table.h"

/* What is kept of an issue, to be shown and compared: from its severity to its title. */
enum rt_scan_field {
	RT_SCAN_ID,
	RT_SCAN_SEVERITY,
	RT_SCAN_FALSE_POSITIVE,
	RT_SCAN_EXPLOITABLE,
	RT_SCAN_PATH,
	RT_SCAN_LINE,
	RT_SCAN_TITLE,
	RT_SCAN_CATEGORY,
	RT_SCAN_CREATED_AT,
	RT_SCAN_SCANNED_AT,
	RT_SCAN_MEMBERS,
	RT_SCAN_HEADLINE = RT_SCAN_MEMBERS,
	RT_SCAN_FIELDS,
};

struct rt_scan_issue {
	/* Strings decoded, others JSON texts; ptr NULL: missing or null. */
	struct rt_slice fields[RT_SCAN_FIELDS];
};

/* An issue of a side. */
struct rt_scan_kept {
	uint64_t offset; /* in the spool */
	uint64_t hash;   /* of what is compared; the same of the same */
	uint8_t level;   /* below RT_LEVELS */
	uint8_t picked;  /* by the filter: bit c, if it is of enum rt_class c; bit 0: see scans.c */
	bool open : 1;   /* not dismissed */
	/* Once both sides were read: */
	bool is_new : 1;        /* see struct rt_finding; of a baseline only */
	uint8_t difference : 2; /* enum rt_match_difference of it and its partner */
	uint8_t class;          /* enum rt_class */
	uint32_t partner;       /* on the other side, or RT_MATCH_NONE */
};

/* One side. */
struct rt_scan_side {
	struct rt_spool spool;
	struct rt_spool_window window;
	uint32_t asked; /* the issue that was read last */
	struct rt_scan_kept *issues;
	uint32_t count;
	struct rt_buf kept; /* where they are */
	struct rt_state *state;
	/* Set after rt_scans_init(): what else is wanted of it, and of its state. */
	struct rt_state_extras extras;
	struct rt_decided *decided; /* gets what was decided about its issues; NULL: not wanted */
};

struct rt_scans {
	struct rt_scan_side side[2]; /* by enum rt_match_side */
	struct rt_match *match;
	struct rt_siphash_key key;
	uint64_t stamp;        /* of the new side's files */
	struct rt_buf grouped; /* of struct rt_scans_grouped */
	struct rt_buf scratch, line;
	struct rt_fault *fault; /* borrowed; what is asked for after one is empty */
};

/* Nothing is read yet: rt_scans_release() may follow. */
void rt_scans_init(struct rt_scans *scans, struct rt_fault *fault);

/*
 * Read both data sets and match them. filter: marks issues as picked. A side that has a state is
 * read from that; else it is opened with these options. at: the present, for what was decided.
 */
void rt_scans_read(struct rt_scans *scans, const struct rt_options *old,
		   const struct rt_options *new, struct rt_filter *filter, int64_t at);

/* Tell a notice what may be a slip: that most old issues are gone, or all of a rule, or ids that
 * were used again. */
void rt_scans_tell(struct rt_scans *scans, const struct rt_options *options);

/* What is kept of an issue; borrowed until the next call for the same side. */
struct rt_scan_issue rt_scans_issue(struct rt_scans *scans, enum rt_match_side side,
				    uint32_t index);

/* The place of an issue: PATH:LINE. Borrowed until the next call. */
struct rt_slice rt_scans_place(struct rt_scans *scans, const struct rt_scan_issue *issue);

/* Put its severity, its place and its headline into a row. */
void rt_scans_cells(struct rt_scans *scans, const struct rt_scan_issue *issue,
		    struct rt_table *table);

/* The columns of such a row, between the first one and the last. */
#define RT_SCANS_COLUMNS                                                                           \
	{.title = "SEVERITY", .weight = 1, .min = 8},                                              \
	    {.title = "LOCATION", .weight = 4, .min = 8, .keep_end = true, .leave = 1},            \
	    {.title = "FINDING", .weight = 4, .min = 8, .leave = 2},                               \
	{                                                                                          \
		.title = "HOW", .weight = 2, .min = 8, .leave = 3                                  \
	}

/* Whether an issue is shown: the filter picks it or its partner. */
bool rt_scans_shown(const struct rt_scans *scans, enum rt_match_side side, uint32_t index);

/* Whether a field of a pair differs; a missing flag false_positive is false. */
bool rt_scans_differ(const struct rt_scan_issue *old, const struct rt_scan_issue *new,
		     enum rt_scan_field field);

/* How a pair differs, in words that may have raw input in them: "was low, other code", "from line
 * 10"; empty where nothing does. issue: of either side. */
#define RT_SCAN_CHANGE 192u
void rt_scans_describe(const struct rt_scan_kept *issue, const struct rt_scan_issue *old,
		       const struct rt_scan_issue *new, char text[RT_SCAN_CHANGE]);

/* "other code", "line hash differs", ... of what is known to differ. */
const char *rt_scans_difference(enum rt_match_difference difference);

/* An issue of which nobody can tell which one of the other side it is. */
struct rt_scans_grouped {
	uint32_t group, index; /* groups in the order of their first old issue, from 0 */
	uint8_t side, by;      /* enum rt_match_side; enum rt_match_by */
};

/* Those of one group. */
struct rt_scans_group {
	struct rt_scans_grouped *old, *new;
	size_t old_count, new_count;
};

/* Find those that are shown, or the whole groups. */
void rt_scans_find_groups(struct rt_scans *scans, bool whole);

/* The next group of these; at: 0 at first. Returns false after the last one. */
bool rt_scans_next_group(const struct rt_scans *scans, size_t *at,
			 struct rt_scans_group *ret_group);

/* The name of a field in documents. */
struct rt_slice rt_scan_field_name(enum rt_scan_field field);

void rt_scans_release(struct rt_scans *scans);

#endif
