/*
 * The paths that are served, and the one media type that is taken (contract 4).
 */
#ifndef RT_HTTP_ROUTE_H
#define RT_HTTP_ROUTE_H

#include "base/slice.h"

enum rt_operation {
	RT_OPERATION_UPDATE,   /* contract 4.1 */
	RT_OPERATION_SUMMARY,  /* contract 4.2 */
	RT_OPERATION_RULESETS, /* contract 4.3 */
	RT_OPERATION_HEALTH,
	RT_OPERATION_OPENAPI,
};

struct rt_route {
	const char *path;
	const char *allow; /* its methods, as the Allow header has them */
	enum rt_operation operation;
	bool needs_key;
};

/* The route of a target's path; NULL: there is none. Static storage. */
const struct rt_route *rt_route_find(struct rt_slice path);

/* Whether a route has a method; names of methods are case-sensitive. */
bool rt_route_allows(const struct rt_route *route, struct rt_slice method);

/*
 * Whether a Content-Type field's value is application/json, alone or with charset=utf-8
 * (RFC 9110 §8.3.1; RFC 8259 §8.1 knows no other charset). ptr NULL: it is not.
 */
bool rt_route_is_json(struct rt_slice type);

#endif
