/*
 * Whether a ruleset is about a repository: its repo_ids, checked, are null or an array of strings.
 */
#include "engine/ruleset.h"

#include "engine/finding.h"

enum rt_status rt_ruleset_matches(const struct rt_record *ruleset, struct rt_slice repo_id,
				  bool org_wide, struct rt_buf *scratch, bool *ret_matches,
				  struct rt_error *err)
{
	struct rt_slice ids = {NULL, 0}, text;
	enum rt_status status;

	*ret_matches = repo_id.ptr == NULL;
	if (*ret_matches)
		return RT_OK;
	if (rt_record_has(ruleset, RT_M_REPO_IDS))
		ids = ruleset->values[RT_M_REPO_IDS];
	status = rt_strings_next(&ids, scratch, &text, err);
	if (status == RT_END)
		*ret_matches = org_wide;
	while (status == RT_OK && !*ret_matches) {
		*ret_matches = rt_slice_equal(text, repo_id);
		status = rt_strings_next(&ids, scratch, &text, err);
	}
	return status == RT_END ? RT_OK : status;
}
