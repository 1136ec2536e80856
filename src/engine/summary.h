/*
 * The issues summary (contract 2.4, SPEC D9, D10) while it is being made.
 */
#ifndef RT_ENGINE_SUMMARY_H
#define RT_ENGINE_SUMMARY_H

#include "base/buf.h"
#include "base/instant.h"
#include "engine/counts.h"
#include "engine/finding.h"
#include "scan/record.h"

/* The documented members of one issue, kept. */
struct rt_issue {
	bool dated;                               /* instant holds; else it sorts last */
	bool expired;                             /* its dismissal has */
	struct rt_instant instant;                /* of created_at */
	struct rt_slice id;                       /* decoded */
	struct rt_slice values[RT_ISSUE_MEMBERS]; /* JSON texts; ptr NULL where missing */
	size_t room; /* bytes allocated after this struct, which hold all texts */
};

struct rt_recent {
	struct rt_issue **issues; /* in the order of the answer */
	size_t count, max;
	uint64_t bytes, bytes_max; /* taken by kept issues; their limit ("recent") */
};

/* Take notice of an issue; it is copied if it is among the newest so far. */
enum rt_status rt_recent_add(struct rt_recent *recent, const struct rt_record *record, bool expired,
			     struct rt_error *err);

/* The levels of contract 2.1, which every summary counts, in its order. */
#define RT_SEVERITY_LEVELS 5u

/* What is open is counted as issues are added; who takes counts back does not keep it. The answer
 * of the contract has the flags as they are, tables what is open. */
struct rt_summary {
	uint64_t total;
	uint64_t false_positives; /* with that flag, whatever became of it */
	uint64_t open, expired;   /* expired ones are open */
	uint64_t levels[RT_SEVERITY_LEVELS];
	uint64_t open_levels[RT_SEVERITY_LEVELS]; /* those of them that are open */
	uint64_t no_severity;                     /* issues without one: missing or null */
	struct rt_counts_limit distinct;          /* of both maps together */
	struct rt_counts severities;              /* values that are no level */
	struct rt_counts categories;
	struct rt_recent recent;
	struct rt_buf text; /* a value without its escapes */
};

/* Name of a level: critical, high, medium, low, info; level < RT_SEVERITY_LEVELS. */
struct rt_slice rt_severity_level(size_t level);

/* The level that a text names, decoded; RT_SEVERITY_LEVELS: none. */
unsigned rt_severity_rank(struct rt_slice text);

/*
 * An empty summary. recent: how many recent issues. key: for the hashes, copied. It points into
 * itself and stays where it is. Returns RT_OK or RT_FATAL; release it in both cases.
 */
enum rt_status rt_summary_init(struct rt_summary *summary, size_t recent,
			       const struct rt_limits *limits, const struct rt_siphash_key *key,
			       struct rt_error *err);

/*
 * The text that an issue is counted under: the decoded string of a member, or `unknown` where it
 * is missing or null (SPEC D9). scratch: for one with escapes. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_summary_text(const struct rt_record *issue, enum rt_member m,
			       struct rt_buf *scratch, struct rt_slice *ret_text,
			       struct rt_error *err);

/* Count one issue, and take notice of it as one that may be recent; or count it alone. Returns
 * RT_OK or RT_FATAL with err set. */
enum rt_status rt_summary_add(struct rt_summary *summary, const struct rt_finding *finding,
			      struct rt_error *err);
enum rt_status rt_summary_count(struct rt_summary *summary, const struct rt_finding *finding,
				struct rt_error *err);

/*
 * Add all that another summary has counted, of other issues, with the same key and limits; it is of
 * no more use then but to be released. One summary of all the issues may still pass limits that
 * these have not: rt_counts_fits() tells of "distinct", nothing of "recent". Returns RT_OK or
 * RT_FATAL.
 */
enum rt_status rt_summary_merge(struct rt_summary *summary, struct rt_summary *from,
				struct rt_error *err);

/* Bring the maps into the order of the answer; nothing may be added any more. */
void rt_summary_sort(struct rt_summary *summary);

/*
 * Say which severities are no level and how often they occur, the most frequent ones by name: most
 * of them are levels in another spelling. A missing or null one is not meant. summary: sorted.
 *
 * text: receives at most cap bytes, NUL included; values as they are in the input, cut to fit.
 * Returns whether there is anything to say.
 */
bool rt_summary_tell_severities(const struct rt_summary *summary, char *text, size_t cap);

/*
 * The same of rows that count severities, without words: ' "HIGH" 3, "x" 1, none 2 and 4 other
 * values'. open: of open issues. unnamed: issues that have none and are counted as `unknown`. none:
 * issues that have none and are not among the rows.
 */
bool rt_severities_list(const struct rt_count *rows, size_t count, bool open, uint64_t unnamed,
			uint64_t none, char *text, size_t cap);

void rt_summary_release(struct rt_summary *summary);

#endif
