/*
 * URIs as paths of files, as people write them, and of which kind they are (SARIF.md S27).
 */
#ifndef RT_SARIF_URI_H
#define RT_SARIF_URI_H

#include "base/buf.h"

enum rt_sarif_path_kind {
	RT_SARIF_PATH_NONE,     /* the URI is empty */
	RT_SARIF_PATH_RELATIVE, /* src/a.c */
	RT_SARIF_PATH_ABSOLUTE, /* from the root, a drive or a host: /src/a.c, C:/src/a.c */
	RT_SARIF_PATH_OTHER,    /* a URI of another scheme than file, as it was */
};

/*
 * Append a URI's path to out: '/' for each backslash, percent escapes decoded but for controls and
 * what is no UTF-8, no "./" at its start. uri: well-formed UTF-8. *ret_kind is set.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_sarif_uri_path(struct rt_slice uri, struct rt_buf *out,
				 enum rt_sarif_path_kind *ret_kind, struct rt_error *err);

/* Whether a path starts with a drive. */
static inline bool rt_sarif_is_drive(struct rt_slice path)
{
	return path.len >= 2 && path.ptr[1] == ':' &&
	       ((path.ptr[0] >= 'A' && path.ptr[0] <= 'Z') ||
		(path.ptr[0] >= 'a' && path.ptr[0] <= 'z'));
}

/*
 * What is left of the address of a repository (S37): without scheme, user, host, '/' around it and
 * ".git". Part of uri.
 */
struct rt_slice rt_sarif_uri_repository(struct rt_slice uri);

#endif
