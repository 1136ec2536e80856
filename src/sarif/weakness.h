/*
 * What a result is classified as: CWE numbers, OWASP's category, tags (SARIF.md S32).
 */
#ifndef RT_SARIF_WEAKNESS_H
#define RT_SARIF_WEAKNESS_H

#include "sarif/run.h"

/* The weaknesses of the result made last, and memory for the next one. {0} before its first use. */
struct rt_sarif_weaknesses {
	struct rt_buf numbers; /* of uint64_t: CWE numbers, ascending, each once */
	struct rt_sarif_owasp owasp;
	struct rt_buf room;
};

void rt_sarif_weaknesses_release(struct rt_sarif_weaknesses *weaknesses);

/* Find CWE numbers and the OWASP category. taxa: array of the result, absent for none; result: its
 * properties; rule: NULL for none. */
void rt_sarif_weaknesses_make(struct rt_sarif_weaknesses *weaknesses,
			      const struct rt_sarif_run *run, struct rt_slice taxa,
			      const struct rt_slice *result, const struct rt_sarif_rule *rule,
			      struct rt_sarif_fault *fault);

/* Append the tags of a rule (NULL for none), then of a result's properties, each once, as a JSON
 * array; they have been looked at by rt_sarif_weaknesses_make(). */
void rt_sarif_tags(struct rt_sarif_weaknesses *weaknesses, const struct rt_sarif_run *run,
		   const struct rt_slice *result, const struct rt_sarif_rule *rule,
		   struct rt_buf *out, struct rt_sarif_fault *fault);

#endif
