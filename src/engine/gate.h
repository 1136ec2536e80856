/*
 * Whether findings pass (WORKFLOW section 3): conditions, the counts that they are held against,
 * and the verdict.
 */
#ifndef RT_ENGINE_GATE_H
#define RT_ENGINE_GATE_H

#include "base/faults.h"
#include "engine/filter.h"

/* Findings that a failed condition names. */
#define RT_GATE_PLACES 5u
/* --fail-on; --max of each level, of `unknown` and of `total`; both of new issues; --at-least; the
 * two that every gate has. */
#define RT_CONDITIONS_MAX 32u
#define RT_GATE_TOOLS 8u

enum rt_condition_kind {
	RT_CONDITION_FAIL_ON,     /* none at `level` or above */
	RT_CONDITION_MAX,         /* at most `allowed` of `level` alone */
	RT_CONDITION_FAIL_ON_NEW, /* the same of those that the baseline lacks */
	RT_CONDITION_MAX_NEW,
	RT_CONDITION_AT_LEAST, /* issues of any kind, open or not: at least `allowed` */
	RT_CONDITION_TOOL,     /* a scan of `tool` is among the inputs */
	RT_CONDITION_SELECTED, /* a filter picks one of the issues, where there are some */
	RT_CONDITION_SCANS,    /* no scan failed */
};

/* Names of --max beside the levels, and RT_LEVEL_OTHER, which is `unknown`. */
#define RT_LEVEL_TOTAL 6u

/* Bytes of each text but the headline that a line for people shows of a finding. */
#define RT_GATE_TEXT_BYTES 100u

/* A finding that breaks a condition; texts are decoded and owned by the gate. */
struct rt_gate_place {
	struct rt_slice id, severity, place, rule, headline; /* place: PATH:LINE, PATH, or empty */
	struct rt_slice was; /* how a changed one differs from the baseline's; may be empty */
};

struct rt_condition {
	enum rt_condition_kind kind;
	unsigned level;          /* below RT_LEVELS, or RT_LEVEL_TOTAL */
	uint64_t allowed, found; /* of RT_CONDITION_AT_LEAST: allowed is the least */
	uint64_t expired;        /* of found: open again, their dismissal has expired */
	/* Of found, of a condition about new ones: the baseline has them with other code; it has
	 * them as less severe. */
	uint64_t changed, risen;
	bool with_false_positives; /* they count, too */
	const char *tool;          /* of RT_CONDITION_SCANS: of the first one; may be empty */
	bool pass;
	size_t place_count; /* of a failed one, worst first */
	struct rt_gate_place places[RT_GATE_PLACES];
};

/* Ambiguous groups that are named, each with the first of its issues. */
#define RT_COMPARED_GROUPS 10u

struct rt_compared_group {
	const char *by; /* what its issues agree in */
	uint64_t old, issues;
	size_t id_count;
	struct rt_slice ids[RT_GATE_PLACES];
};

/* Issues that are gone, the worst of which are named. */
#define RT_COMPARED_GONE 100u

struct rt_compared_gone {
	unsigned level;
	struct rt_slice text; /* PATH:LINE, and the headline behind it */
	size_t place_len;     /* of the first */
};

/* Where issues are new or gone. */
enum rt_compared_where { RT_COMPARED_CATEGORY, RT_COMPARED_FOLDER, RT_COMPARED_WHERES };
#define RT_COMPARED_CHANGES 10u

struct rt_compared_change {
	struct rt_slice text; /* a category; a folder up to its last '/' */
	uint64_t fresh[RT_LEVELS],
	    gone[RT_LEVELS]; /* open ones that are new; those that are gone */
};

struct rt_compared_changes {
	struct rt_compared_change worst[RT_COMPARED_CHANGES]; /* the worst new one first */
	size_t count;
	uint64_t all; /* those that are not among these included */
};

/* What became of issues since the baseline, of those that the filter picks. */
struct rt_compared {
	bool by_class;        /* the filter asks for classes: of others nothing is counted */
	uint64_t old, issues; /* of either scan */
	uint64_t classes[RT_CLASSES]; /* gone and not scanned: of the baseline, else of the scan */
	uint64_t fresh;               /* new ones, some of ambiguous groups included */
	uint64_t fresh_open[RT_LEVELS], gone_levels[RT_LEVELS];
	/* Of those that were open: all, those that are gone, and those that were not scanned. */
	uint64_t before_open[RT_LEVELS], gone_open[RT_LEVELS], unscanned_open[RT_LEVELS];
	int64_t decided[RT_LEVELS]; /* reopened ones less dismissed ones, of both scans */
	uint64_t ambiguous_old;
	uint64_t ids_reused; /* of another issue each */
	uint64_t groups;     /* ambiguous ones; named: the first of them */
	struct rt_compared_group named[RT_COMPARED_GROUPS];
	int64_t
	    since; /* when the baseline was scanned, in seconds since 1970; INT64_MIN: not known */
	size_t gone_count;
	struct rt_compared_gone gone[RT_COMPARED_GONE]; /* worst first */
	struct rt_compared_changes changes[RT_COMPARED_WHERES];
};

/* Complete when all issues have been added. */
struct rt_verdict {
	bool pass;
	size_t count; /* of conditions, in the order of the options */
	struct rt_condition conditions[RT_CONDITIONS_MAX];
	uint64_t total, open;
	uint64_t false_positives;  /* dismissed ones; total is these and the open ones */
	uint64_t expired;          /* of the open ones: their dismissal has expired */
	uint64_t unknown_severity; /* open ones whose severity is no level */
	struct rt_filter_unknown unknown;
	const struct rt_compared *compared; /* NULL: there is no baseline */
};

/* What a gate is told beside the issues that the filter has picked. */
struct rt_gate_rest {
	uint64_t excluded; /* issues that it has not picked */
	struct rt_filter_unknown unknown;
	const struct rt_failed_scans *failed; /* NULL: none, or they are accepted */
	struct rt_slice tools;                /* of runs of logs, each with a NUL */
	const struct rt_compared *compared;   /* NULL: there is no baseline */
};

struct rt_gate;

/* Whether options have a condition about what the baseline lacks. */
bool rt_gate_wants_new(const struct rt_gate_options *options);

/* options: checked here, copied. ret_gate: on RT_OK owned by the caller. Returns RT_OK; RT_FATAL:
 * RT_E_USAGE, RT_E_NOMEM. */
enum rt_status rt_gate_new(const struct rt_gate_options *options, struct rt_gate **ret_gate,
			   struct rt_error *err);

/* The level that severities which are none sort as: the worst one that a condition counts them as;
 * critical where none does, and without a gate (NULL). RT_LEVEL_OTHER is behind all levels. */
unsigned rt_gate_unknown_as(const struct rt_gate *gate);

/* Add what another gate, of the same options, has counted after this one; its texts are taken. */
void rt_gate_merge(struct rt_gate *gate, struct rt_gate *from);

/* Note the tool of an issue, whether it is picked or not. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_gate_see(struct rt_gate *gate, const struct rt_finding *finding,
			   struct rt_error *err);

/* Count an issue. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_gate_add(struct rt_gate *gate, const struct rt_finding *finding,
			   struct rt_error *err);

/*
 * The conditions that an issue, by itself, is counted for: bit i is the verdict's condition i. An
 * issue breaks the gate where one of them has failed. The same before and after it is added.
 */
uint32_t rt_gate_conditions(const struct rt_gate *gate, const struct rt_finding *finding);

/* Everything has been added. rest: its texts are borrowed as long as the gate. Once only. Borrowed
 * from the gate. */
const struct rt_verdict *rt_gate_judge(struct rt_gate *gate, const struct rt_gate_rest *rest);

/* What --max calls a level: critical .. info, unknown, total. level: up to RT_LEVEL_TOTAL. */
const char *rt_gate_level_name(unsigned level);

/* "9 new (1 critical, 8 low), 14 gone, 120 carried over". Returns text. */
#define RT_COMPARED_ROOM 512u
char *rt_compared_text(const struct rt_compared *compared, char text[RT_COMPARED_ROOM]);

/* A condition as a line for people, without a newline: "critical and above: 2 open, 0 allowed". */
void rt_condition_text(const struct rt_condition *condition, char *text, size_t cap);

/*
 * Append to out a finding on a line, without a newline: severity, place, rule and headline, or its
 * id, and how it changed, masked so that neither a terminal nor a CI system takes them for commands
 * (R39). Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_gate_place_line(const struct rt_gate_place *place, struct rt_buf *out,
				  struct rt_error *err);

/* NULL is allowed. */
void rt_gate_free(struct rt_gate *gate);

#endif
