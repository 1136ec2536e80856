/*
 * Who owns a path, by a CODEOWNERS file of GitHub's or GitLab's form: of the patterns that fit the
 * last one counts (TRIAGE T24).
 */
#ifndef RT_ENGINE_OWNERS_H
#define RT_ENGINE_OWNERS_H

#include "base/buf.h"
#include "base/slice.h"

struct rt_owners;

/* Read a file. ret_owners: on RT_OK owned by the caller. Returns RT_OK, or RT_FATAL with err set:
 * also where a pattern is none. */
enum rt_status rt_owners_read(const char *path, struct rt_owners **ret_owners,
			      struct rt_error *err);

/* The owners of a path as the file has them, with blanks between them; ptr NULL: none. owners: NULL
 * is allowed. Borrowed from it. */
struct rt_slice rt_owners_find(const struct rt_owners *owners, struct rt_slice path);

/* NULL is allowed. */
void rt_owners_free(struct rt_owners *owners);

#endif
