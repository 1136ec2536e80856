/*
 * Regular expressions of PCRE2 over UTF-8, with limits on what a match may take (HOSTILE).
 */
#ifndef RT_BASE_REGEX_H
#define RT_BASE_REGEX_H

#include "base/slice.h"
#include "retriage.h"

struct rt_regex;

/*
 * Compile a pattern: UTF, unanchored, without \C and callouts.
 * pattern: copied; at most RT_REGEX_PATTERN_BYTES. ret_regex: on RT_OK owned by the caller.
 * Returns RT_OK; RT_FATAL: RT_E_USAGE where it is no such pattern, RT_E_NOMEM.
 */
enum rt_status rt_regex_new(struct rt_slice pattern, struct rt_regex **ret_regex,
			    struct rt_error *err);

/*
 * Whether the pattern matches somewhere in text (UTF-8).
 * Returns RT_OK; RT_FATAL: RT_E_LIMIT where a limit of base/limits.h was not enough to tell,
 * RT_E_INPUT where the text is not UTF-8, RT_E_NOMEM.
 */
enum rt_status rt_regex_match(struct rt_regex *regex, struct rt_slice text, bool *ret_matches,
			      struct rt_error *err);

/* NULL is allowed. */
void rt_regex_free(struct rt_regex *regex);

#endif
