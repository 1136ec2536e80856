/*
 * What the files of `carry` share: decisions about one scan on their way to the next.
 */
#ifndef RT_OPS_CARRY_H
#define RT_OPS_CARRY_H

#include "base/instant.h"
#include "base/siphash.h"
#include "files/replace.h"
#include "ops/decided.h"
#include "ops/scans.h"
#include "ops/update.h"
#include "output/issue_table.h"
#include "output/writer.h"

/* What a decision was carried by: enum rt_match_by, or that all of a group have the same one. */
#define RT_CARRY_UNANIMOUS RT_MATCH_BYS
#define RT_CARRY_LEVELS (RT_MATCH_BYS + 1)

/* What became of a decision: the first that is so. */
enum rt_carry_outcome {
	RT_CARRY_EXPIRED, /* a dismissal has ended; what else was decided is carried */
	RT_CARRY_GONE,
	RT_CARRY_AMBIGUOUS,
	RT_CARRY_CHANGED,  /* the code differs, and nobody accepted that */
	RT_CARRY_CONFLICT, /* the new scan has another decision */
	RT_CARRY_HELD,     /* the scanner or the folder has changed: a person has to look */
	RT_CARRY_ALREADY,
	RT_CARRY_CARRIED,
	RT_CARRY_OUTCOMES,
};

/* A decision held against the issue that takes it over. */
struct rt_weighed {
	struct rt_decision_now old;
	struct rt_scan_issue now;
	enum rt_carry_outcome outcome;
	bool carried[RT_DECIDED_FIELDS];
	bool kept[RT_DECIDED_FIELDS]; /* the new scan's value stays: held, or a conflict */
	bool leaves_dismissal; /* nothing of it is carried, no note that came with it either */
	uint32_t notes;        /* carried */
	uint32_t kept_notes;   /* left with the dismissal */
	const char *why;       /* the outcome, where something is not carried; else NULL */
};

struct rt_carrying {
	const struct rt_options *old, *new;
	const struct rt_carry *ask;
	struct rt_fault fault; /* of all that follows */
	struct rt_scans scans;
	struct rt_decided decided[2];
	struct rt_buf origins;     /* of the old journal's entries: where they were made, as JSON */
	struct rt_buf origin_ends; /* of size_t, by entry */
	char at[RT_INSTANT_CHARS];
	uint8_t sha256[RT_SHA256_BYTES]; /* of the old export */
	struct rt_siphash_key key;
	struct rt_buf wishes, fresh; /* of what is weighed */
	struct rt_buf text, ids;
	struct rt_buf sharing; /* of struct sharing */
	uint64_t counts[RT_CARRY_OUTCOMES], levels[RT_CARRY_LEVELS], requests;
	uint64_t parts[RT_CARRY_OUTCOMES]; /* of which something was carried all the same */
	bool rated;                 /* the old log itself says of a severity that it was decided */
	struct rt_replace *replace; /* of ask->requests */
	struct rt_sink file;
	struct rt_made made;
};

/* The fields of a scan that decisions set. */
extern const enum rt_scan_field rt_carry_fields[RT_DECIDED_FIELDS];

/* "context", ... "unanimous" */
const char *rt_carry_level(unsigned by);

/* Keep who made an entry of the old journal. ctx: the struct rt_carrying. */
enum rt_status rt_carry_keep_origin(void *ctx, const struct rt_journal_entry *entry,
				    struct rt_error *err);

/* The decision about an old issue. */
struct rt_decision_now rt_carry_decision(struct rt_carrying *c,
					 const struct rt_decided_issue *issue);

/* Hold a decision against the issue that takes it over. Texts are borrowed until the next call. */
struct rt_weighed rt_carry_weigh(struct rt_carrying *c, const struct rt_decided_issue *issue);

/* Decide what becomes of the decision with a number, which has an issue to go to. */
void rt_carry_settle(struct rt_carrying *c, size_t n);

/* Make the requests, in the order of the first issue that each names. */
void rt_carry_send(struct rt_carrying *c);

/* Write what became of every decision. */
void rt_carry_report(struct rt_carrying *c, struct rt_writer *w);

/* The same as a table for people, up to as many rows as were asked for. */
void rt_carry_table(struct rt_carrying *c, struct rt_table *table);

/* Tell the notice how many there are. */
void rt_carry_summary(const struct rt_carrying *c);

#endif
