/*
 * What was decided about the issues of a scan, and by which entry of its journal: kept of those
 * alone about which something was decided, in a temporary file (WORKFLOW W35).
 */
#ifndef RT_OPS_DECIDED_H
#define RT_OPS_DECIDED_H

#include "base/spool.h"
#include "state/state.h"

/* What a decision sets. */
enum rt_decided_field {
	RT_DECIDED_SEVERITY,
	RT_DECIDED_FALSE_POSITIVE,
	RT_DECIDED_EXPLOITABLE,
	RT_DECIDED_FIELDS,
};

/* An issue, and where what is known of it stands; what carry makes of it. 16 bytes. */
struct rt_decided_issue {
	uint64_t offset : 48, outcome : 8, by : 8;
	uint32_t index; /* on its side */
	uint32_t new;   /* index of the issue that takes the decision over, or UINT32_MAX */
};

struct rt_decided {
	struct rt_fault *fault; /* borrowed; nothing is kept or given after one */
	struct rt_spool spool;
	struct rt_spool_window window;
	struct rt_buf issues; /* of struct rt_decided_issue, by rising index */
	struct rt_buf line, scratch, added;
};

/* A note. */
struct rt_decided_note {
	uint32_t by;    /* 1 + the number of the entry that added it; 0: the export has it */
	bool dismisses; /* it came with a dismissal */
	bool comment;   /* it came with none: what it says of one does not count */
	struct rt_slice at, text; /* at: decoded; empty: none */
};

/* What was decided about an issue. Texts are borrowed until the next call with the same side. */
struct rt_decision_now {
	/* The level that it was changed to; 1 where it was dismissed, 0 where it was reopened; 1
	 * or 0; -1: nothing was decided. */
	int values[RT_DECIDED_FIELDS];
	/* 1 + the number of the entry that made it so; 0: the export has it so. */
	uint32_t by[RT_DECIDED_FIELDS];
	bool said[RT_DECIDED_FIELDS]; /* an entry says something of it, whatever that changed */
	bool expired;                 /* a dismissal whose end has passed */
	bool in_tests;                /* one whose reason is used_in_tests */
	bool rated;                   /* the severity was decided by the log itself */
	/* Of the scanner; ptr NULL: none; empty, of one that is rated: not known. */
	struct rt_slice base_severity;
	struct rt_slice updated_at; /* of the export; empty: none */
	uint32_t notes;             /* how many follow */
	struct rt_slice rest;       /* for rt_decided_note() */
};

void rt_decided_init(struct rt_decided *decided, struct rt_fault *fault);

/* Keep an issue that the state has just delivered, if anything was decided about it. at: the
 * present. */
void rt_decided_add(struct rt_decided *decided, struct rt_state *state, struct rt_finding *finding,
		    int64_t at);

size_t rt_decided_count(const struct rt_decided *decided);
struct rt_decided_issue *rt_decided_issue(const struct rt_decided *decided, size_t n);

/* The issue with an index; NULL: nothing was decided about it. */
struct rt_decided_issue *rt_decided_find(const struct rt_decided *decided, uint32_t index);

/* What was decided about one of these issues. */
struct rt_decision_now rt_decided_get(struct rt_decided *decided,
				      const struct rt_decided_issue *issue);

/* Take the next note off, oldest first, of which there must be one. */
struct rt_decided_note rt_decided_note(struct rt_slice *rest);

void rt_decided_release(struct rt_decided *decided);

#endif
