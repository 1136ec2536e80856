/*
 * Findings in triage order (REPORTS R3): open before dismissed; new before others; severity, one
 * that is no level behind the level that a gate counts it as, in byte order; exploitable first;
 * cvss_score falling; path, line, column, null last; id. Of a text its first RT_TRIAGE_TEXT bytes
 * decide. Kept are keys in memory, and the documented members in a file without a name.
 */
#ifndef RT_ENGINE_TRIAGE_H
#define RT_ENGINE_TRIAGE_H

#include "engine/field.h"

/* Paths are shorter. */
#define RT_TRIAGE_TEXT 512u

struct rt_triage;

/*
 * Append to key the bytes that stand for a finding's place in the order: of two findings the one
 * whose bytes come first in byte order is first. unknown_as: what severities that are no level
 * count as, as rt_gate_unknown_as() has it. room: see rt_finding_string().
 */
void rt_triage_key(const struct rt_finding *finding, unsigned unknown_as, struct rt_put *room,
		   struct rt_put *key);

/* max: how many of the first are kept; 0: none. ret_triage: on RT_OK owned by the caller. */
enum rt_status rt_triage_new(uint64_t max, unsigned unknown_as, struct rt_triage **ret_triage,
			     struct rt_error *err);

/* Before the first finding: an order by fields, which the other one decides after; nulls last. Both
 * are borrowed as long as the triage. */
void rt_triage_order(struct rt_triage *triage, const struct rt_columns *order,
		     const struct rt_field_source *source);

/* Take notice of a finding; it is copied if it is among the first so far. Returns RT_OK or
 * RT_FATAL (RT_E_NOMEM, RT_E_IO). */
enum rt_status rt_triage_add(struct rt_triage *triage, const struct rt_finding *finding,
			     struct rt_error *err);

/* Everything has been added: bring what is kept into order. Before it is counted or asked for. */
void rt_triage_sort(struct rt_triage *triage);

/*
 * How many are kept, and one of them by its place in the order, borrowed until the next call. Its
 * record has the documented members and the id; no text, line or offset, and no other members.
 * Returns as rt_triage_add().
 */
uint64_t rt_triage_count(const struct rt_triage *triage);
enum rt_status rt_triage_get(struct rt_triage *triage, uint64_t place,
			     const struct rt_finding **ret_finding, struct rt_error *err);

/* NULL is allowed. */
void rt_triage_free(struct rt_triage *triage);

#endif
