/*
 * Names of vulnerabilities in texts: CVE-2021-44228, GHSA-jfh8-c2jp-5v3q and their like.
 */
#ifndef RT_ENGINE_IDENTIFIER_H
#define RT_ENGINE_IDENTIFIER_H

#include <stdbool.h>

#include "base/slice.h"

/* The next one of a text. *at: where to look, 0 at first. ret_name: borrowed from text, in the
 * case that it has there. Returns false after the last one. */
bool rt_identifier_next(struct rt_slice text, size_t *at, struct rt_slice *ret_name);

/* Whether a name is a CVE, which tools agree about more than about others. */
bool rt_identifier_is_cve(struct rt_slice name);

#endif
