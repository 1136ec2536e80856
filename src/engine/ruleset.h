/*
 * Which rulesets a listing shows (SPEC D11).
 */
#ifndef RT_ENGINE_RULESET_H
#define RT_ENGINE_RULESET_H

#include "base/buf.h"
#include "base/error.h"
#include "scan/record.h"

/*
 * Whether a checked ruleset is bound to a repository.
 *
 * repo_id: UTF-8; its `ptr` NULL matches every ruleset. org_wide: rulesets bound to no repository
 * match as well. scratch: for ids with escapes; kept by the caller from call to call.
 * *ret_matches is set on RT_OK. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_ruleset_matches(const struct rt_record *ruleset, struct rt_slice repo_id,
				  bool org_wide, struct rt_buf *scratch, bool *ret_matches,
				  struct rt_error *err);

#endif
