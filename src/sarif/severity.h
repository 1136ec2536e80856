/*
 * How bad a result is: severity, confidence and score (SARIF.md S22 to S25).
 */
#ifndef RT_SARIF_SEVERITY_H
#define RT_SARIF_SEVERITY_H

#include "sarif/run.h"

/* kind of a result (3.27.9). */
enum rt_sarif_result_kind {
	RT_SARIF_KIND_FAIL, /* the default */
	RT_SARIF_KIND_OPEN,
	RT_SARIF_KIND_REVIEW,
	RT_SARIF_KIND_INFORMATIONAL,
	RT_SARIF_KIND_PASS,
	RT_SARIF_KIND_NOT_APPLICABLE,
	RT_SARIF_KIND_COUNT
};

/* What the severity of a result is found from. */
struct rt_sarif_severity_says {
	enum rt_sarif_result_kind kind;
	struct rt_slice level;            /* string: level of the result; absent: none */
	const struct rt_slice *result;    /* properties of the result */
	const struct rt_sarif_rule *rule; /* NULL: none */
	int64_t invocation;               /* provenance.invocationIndex; -1: none */
};

/* The severity: one of the five levels as a JSON string, static. notes: what is passed over, taken
 * from the tool's own words, or not said at all is counted. */
struct rt_slice rt_sarif_severity(const struct rt_sarif_run *run,
				  const struct rt_sarif_severity_says *says,
				  struct rt_sarif_notes *notes);

/* The level that a severity is written as (S41), by its first letter: a JSON string. */
struct rt_slice rt_sarif_level_of(char severity);

/*
 * Judge the scores and words of a rule once, for they may be long, and its results many: keep what
 * severity they come to. properties: of the rule, from which scores go that are none; in
 * place of security-severity an empty string stays.
 */
void rt_sarif_rule_scores(struct rt_sarif_rule *rule, struct rt_slice *properties);

/* confidence as a JSON number, static or of the log; absent: none. rule: NULL for none. */
struct rt_slice rt_sarif_confidence(const struct rt_slice *result,
				    const struct rt_sarif_rule *rule);

/* Longest word or number that is looked for where it is spelled with escapes. */
#define RT_SARIF_PLAIN_MAX 64u

/* cvss_score as a JSON number, of the log or in room; absent: none. rule: NULL for none. */
struct rt_slice rt_sarif_score(const struct rt_slice *result, const struct rt_sarif_rule *rule,
			       char room[RT_SARIF_PLAIN_MAX]);

#endif
