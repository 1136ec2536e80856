/*
 * What lint has to say of the decisions of a data set, in the making: the command writes all of it,
 * and the record of a page lists some.
 */
#ifndef RT_OPS_LINT_H
#define RT_OPS_LINT_H

#include "engine/facts.h"
#include "state/state.h"

struct rt_linting;

/* at: the present. is_part: of a report, which does without the rule bulk where notes exceed a
 * limit. ret_linting: on RT_OK owned by the caller. */
enum rt_status rt_linting_new(const struct rt_options *options, int64_t at, bool is_part,
			      struct rt_linting **ret_linting, struct rt_error *err);

/* state: before its first record; borrowed as long as the linting. */
enum rt_status rt_linting_begin(struct rt_linting *linting, struct rt_state *state,
				struct rt_error *err);

/* Look at the issue that the state delivered last. finding: of it, decided with its notes. Returns
 * RT_OK; RT_FATAL: RT_E_NOMEM, RT_E_LIMIT (limit "distinct"). */
enum rt_status rt_linting_add(struct rt_linting *linting, const struct rt_finding *finding,
			      struct rt_error *err);

/* All issues were added: look at the entries. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_linting_finish(struct rt_linting *linting, struct rt_error *err);

/* What was found, the first `most` of each rule; borrowed as long as the linting. Returns as above.
 */
enum rt_status rt_linting_objections(struct rt_linting *linting, uint64_t most,
				     struct rt_objections *ret_objections, struct rt_error *err);

/* NULL is allowed. */
void rt_linting_free(struct rt_linting *linting);

#endif
