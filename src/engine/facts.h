/*
 * What a report says of all findings together: counts, ages, where they are, and what it was made
 * from. Everything is of what the filter has picked.
 */
#ifndef RT_ENGINE_FACTS_H
#define RT_ENGINE_FACTS_H

#include "base/sha256.h"
#include "base/siphash.h"
#include "engine/counts.h"
#include "engine/gate.h"

/* Whole days of open issues: 0-7, 8-30, 31-90, 91-180, over 180, unknown (REPORTS R13). */
#define RT_AGE_BUCKETS 6u
/* Days that --sla sets for a level; none. */
#define RT_SLA_NONE UINT32_MAX

/* One text and how many open ones have it by level, and all. */
struct rt_tally_row {         /* begins as struct rt_count does */
	struct rt_slice text; /* decoded; ptr "" and len 0: the member is missing, null or empty */
	uint64_t all, open;
	uint64_t levels[RT_LEVELS]; /* open ones */
};

/* In the order of rt_tally_sort(). */
struct rt_tally {
	const struct rt_tally_row *rows;
	size_t count;
};

/* Most critical open ones first, then high ones and so on, then most at all, then byte order. Those
 * of unknown severity come after unknown_as, a level. */
void rt_tally_sort(struct rt_tally_row *rows, size_t count, unsigned unknown_as);

/* An input as it was given, cut to its last two components (R5). */
struct rt_input {
	struct rt_slice name;
	bool has_sha256; /* of a file that could be read twice */
	uint8_t sha256[RT_SHA256_BYTES];
	uint64_t bytes;
	uint64_t issues; /* UINT64_MAX: not known by the input */
};

/* One entry of the journal; its texts are cut at RT_DECISION_TEXT bytes, notes are whole. */
#define RT_DECISION_TEXT 512u

struct rt_decision {
	uint64_t sequence;
	struct rt_slice at, actor; /* of the decision; actor: ptr NULL: nobody was named */
	/* Where it was made about an earlier scan: of the entry that has brought it here. */
	struct rt_slice carried_at, carrier;       /* carried_at: ptr NULL: it was made here */
	int severity, false_positive, exploitable; /* as in struct rt_request */
	struct rt_slice notes;                     /* decoded; ptr NULL: none */
	uint64_t ids, updated, failed;
	struct rt_slice first_id; /* of the request */
};

/* An issue that an entry is about; sorted by number. */
struct rt_touch {
	uint64_t number; /* of the issue, in input order */
	uint64_t sequence;
};

/* What is said of the journal; head.len 0: there is none. */
struct rt_facts_journal {
	struct rt_slice head; /* SEQ:HASH */
	uint8_t base_sha256[RT_SHA256_BYTES];
	uint64_t entries;
	const struct rt_decision *decisions; /* the newest ones, newest first */
	size_t decision_count;
	const struct rt_touch *touches; /* of those entries */
	size_t touch_count;
};

/* What lint says of a decision. */
struct rt_objection {
	bool is_error;
	const char *rule;
	uint64_t entry;     /* 0: it is about none */
	struct rt_slice id; /* ptr NULL: it is about no issue */
	struct rt_slice message;
	uint64_t more; /* of the rule that are not listed; of the last one of a rule */
};

struct rt_objections {
	uint64_t errors, warnings; /* all of them */
	const struct rt_objection *listed;
	size_t count;
};

/* What an earlier report counted. */
#define RT_TREND_POINTS 52u

struct rt_trend_point {
	char day[10]; /* YYYY-MM-DD: of the scan, else of the report */
	uint64_t open, levels[RT_LEVELS];
};

struct rt_facts {
	int64_t at; /* the present, which ages are counted to, in seconds since 1970 */
	uint64_t total, open, expired; /* of the open ones: their dismissal has expired */
	uint64_t levels[RT_LEVELS], open_levels[RT_LEVELS];
	uint64_t no_severity, open_no_severity; /* of RT_LEVEL_OTHER: none at all */
	const struct rt_count *severities;      /* values that are no level, in byte order */
	size_t severity_count;
	uint64_t ages[RT_AGE_BUCKETS][RT_LEVELS]; /* open ones */
	uint32_t oldest_days;                     /* of the open ones; RT_AGE_UNKNOWN: none */
	struct rt_slice oldest_id;
	uint64_t overdue, overdue_levels[RT_LEVELS];
	uint64_t exploitable; /* open ones with exploitable true */
	struct rt_tally categories, files, repos, tools;
	struct rt_slice scan_first,
	    scan_last; /* scan_created_at, YYYY-MM-DDTHH:MM:SSZ; empty: none */
	const struct rt_input *inputs;
	size_t input_count;
	const struct rt_input *baseline;
	size_t baseline_count;
	struct rt_facts_journal journal;
	struct rt_objections objections;
	const struct rt_compared *compared; /* NULL: there is no baseline */
	const struct rt_verdict *verdict;   /* NULL: no condition was given */
	struct rt_gate *gate;               /* likewise; known before the first issue */
	const struct rt_trend_point *trend; /* the newest ones, oldest first; NULL: none */
	size_t trend_count;
	struct rt_slice filter; /* in the words of the command line; empty: none */
	uint64_t excluded;      /* issues that the filter left out */
};

/* What is said of all findings together, in the making. */
struct rt_tallying;

/*
 * sla: days by level, or RT_SLA_NONE; copied. NULL: severities alone are counted, which is all that
 * a gate needs; what is said of ages, texts and scans is 0 then. at: the present. limits: what
 * distinct texts may take (limit "distinct"). key: of hashes, copied.
 * facts: counted into, from 0 on; borrowed as long as the tallying.
 * ret_tallying: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_tallying_new(const uint32_t sla[RT_LEVELS], int64_t at,
			       const struct rt_limits *limits, const struct rt_siphash_key *key,
			       struct rt_facts *facts, struct rt_tallying **ret_tallying,
			       struct rt_error *err);

/* Count a finding. Returns RT_OK; RT_FATAL: RT_E_LIMIT, RT_E_NOMEM. */
enum rt_status rt_tallying_add(struct rt_tallying *tallying, const struct rt_finding *finding,
			       struct rt_error *err);

/*
 * Add what another one has counted; both count severities alone, by the same key.
 * Returns RT_OK; RT_END: one that counts in some other order may come to the limit "distinct";
 * RT_FATAL. But for RT_OK the first is of no more use.
 */
enum rt_status rt_tallying_merge(struct rt_tallying *tallying, const struct rt_tallying *from,
				 struct rt_error *err);

/*
 * Everything has been added: the members of the facts from `at` to `scan_last` are complete; they
 * borrow from the tallying. The gate is known, where there is one. Once only.
 */
void rt_tallying_finish(struct rt_tallying *tallying);

/* Whether it is known of any open one how old it is. */
bool rt_facts_dated(const struct rt_facts *facts);

/* How many open ones have days to be mended in, and no known age. sla: as above. */
uint64_t rt_facts_undated(const struct rt_facts *facts, const uint32_t sla[RT_LEVELS]);

/* NULL is allowed. */
void rt_tallying_free(struct rt_tallying *tallying);

#endif
