/*
 * Findings in triage order (REPORTS R3): open before false positive; severity; exploitable first;
 * cvss_score falling; path, line, column; id. Kept are keys, and the texts in a file without a
 * name.
 */
#ifndef RT_ENGINE_TRIAGE_H
#define RT_ENGINE_TRIAGE_H

#include "engine/finding.h"

struct rt_triage;

/* max: how many of the first are kept; 0: none. ret_triage: on RT_OK owned by the caller. */
enum rt_status rt_triage_new(uint64_t max, struct rt_triage **ret_triage, struct rt_error *err);

/* Take notice of a finding; it is copied if it is among the first so far. */
enum rt_status rt_triage_add(struct rt_triage *triage, const struct rt_finding *finding,
			     struct rt_error *err);

/* Everything has been added: bring what is kept into order. */
enum rt_status rt_triage_sort(struct rt_triage *triage, struct rt_error *err);

/* How many are kept, and one of them by its place in the order, borrowed until the next call. */
uint64_t rt_triage_count(const struct rt_triage *triage);
enum rt_status rt_triage_get(struct rt_triage *triage, uint64_t place,
			     const struct rt_finding **ret_finding, struct rt_error *err);

/* NULL is allowed. */
void rt_triage_free(struct rt_triage *triage);

#endif
