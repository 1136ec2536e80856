/*
 * What a result is classified as: CWE numbers, OWASP's category, tags (SARIF.md S32).
 */
#ifndef RT_SARIF_WEAKNESS_H
#define RT_SARIF_WEAKNESS_H

#include "sarif/run.h"

/* A category of OWASP: A05:2021, API1:2019, A1. */
struct rt_sarif_owasp {
	unsigned year; /* 0: none */
	char code[8];  /* upper case, with a NUL; empty: no category */
};

/* The weaknesses of a result, and of the rules of its run, each found out once. {0} before its
 * first use. */
struct rt_sarif_weaknesses {
	/* Of the result made last. */
	struct rt_buf numbers; /* of uint64_t: CWE numbers, ascending, each once */
	struct rt_sarif_owasp owasp;

	/* Of rules. */
	const struct rt_sarif_run *run;
	uint32_t run_index, run_ends;
	struct rt_buf places;       /* of uint32_t: of each rule its place in rules, from 1 */
	struct rt_buf rules;        /* of struct known */
	struct rt_buf rule_numbers; /* of uint64_t */
	struct rt_buf rule_texts;   /* kept for the caller */

	/* Memory. */
	struct rt_buf room, tags;
};

void rt_sarif_weaknesses_release(struct rt_sarif_weaknesses *weaknesses);

/*
 * Find CWE numbers and the OWASP category. taxa: array of the result, absent for none; result: its
 * properties; rule: NULL for none.
 * Returns RT_OK; RT_REJECT or RT_FATAL with fault set; at is NULL where it is about the rule.
 */
enum rt_status rt_sarif_weaknesses_make(struct rt_sarif_weaknesses *weaknesses,
					const struct rt_sarif_run *run, struct rt_slice taxa,
					const struct rt_slice *result,
					const struct rt_sarif_rule *rule,
					struct rt_sarif_fault *fault);

/* Append the tags of a rule (NULL for none), then of a result's properties, each once, as a JSON
 * array; they have been looked at by rt_sarif_weaknesses_make(). Returns as above. */
enum rt_status rt_sarif_tags(struct rt_sarif_weaknesses *weaknesses, const struct rt_slice *result,
			     const struct rt_sarif_rule *rule, struct rt_buf *out,
			     struct rt_sarif_fault *fault);

/* Bytes that follow from a rule and its run alone, in two pieces, kept until either is another.
 * rule: the one that rt_sarif_weaknesses_make() was last called for; NULL for none. They may be
 * dropped. */
void rt_sarif_weaknesses_keep(struct rt_sarif_weaknesses *weaknesses,
			      const struct rt_sarif_rule *rule, struct rt_slice head,
			      struct rt_slice text);

/* Those bytes, borrowed until the next call; absent: none was kept. */
struct rt_slice rt_sarif_weaknesses_kept(const struct rt_sarif_weaknesses *weaknesses,
					 const struct rt_sarif_run *run,
					 const struct rt_sarif_rule *rule);

#endif
