/*
 * Whether a ruleset is about a repository: its repo_ids, checked, are null or an array of strings.
 */
#include "engine/ruleset.h"

#include "base/json_string.h"

/*
 * The next string of an array of strings. at: after '[' or after a string. Returns the byte after
 * its closing quote, or NULL at the array's end.
 */
static const char *next_string(const char *at, struct rt_slice *ret_text)
{
	const char *start;

	while (*at != '"' && *at != ']')
		at++;
	if (*at == ']')
		return NULL;
	start = ++at;
	while (*at != '"')
		at += *at == '\\' ? 2 : 1;
	*ret_text = rt_slice_make(start, (size_t)(at - start));
	return at + 1;
}

enum rt_status rt_ruleset_matches(const struct rt_record *ruleset, struct rt_slice repo_id,
				  bool org_wide, struct rt_buf *scratch, bool *ret_matches,
				  struct rt_error *err)
{
	struct rt_slice text;
	const char *at;
	size_t count = 0;

	*ret_matches = repo_id.ptr == NULL;
	if (*ret_matches)
		return RT_OK;
	*ret_matches = org_wide;
	if (!rt_record_has(ruleset, RT_M_REPO_IDS))
		return RT_OK;
	at = ruleset->values[RT_M_REPO_IDS].ptr + 1;
	for (; (at = next_string(at, &text)) != NULL; count++) {
		enum rt_status status = rt_json_string_text(text, scratch, &text, err);

		if (status != RT_OK)
			return status;
		*ret_matches = rt_slice_equal(text, repo_id);
		if (*ret_matches)
			return RT_OK;
	}
	*ret_matches = count == 0 && org_wide;
	return RT_OK;
}
