/*
 * Routing. Input: a path and a method. Output: what to do.
 * Refuses other paths, also those that differ by a slash at the end or by case.
 */
#include "http/route.h"

#include "http/target.h"

#define READING "GET, HEAD, OPTIONS"

static const struct rt_route routes[] = {
    {"/api/issues/bulk", "PATCH, OPTIONS", RT_OPERATION_UPDATE, true},
    {"/api/issues/summary", READING, RT_OPERATION_SUMMARY, true},
    {"/api/rulesets", READING, RT_OPERATION_RULESETS, true},
    {"/healthz", READING, RT_OPERATION_HEALTH, false},
    {"/openapi.json", READING, RT_OPERATION_OPENAPI, false},
};

const struct rt_route *rt_route_find(struct rt_slice path)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		if (rt_target_path_is(path, routes[i].path))
			return &routes[i];
	}
	return NULL;
}

bool rt_route_allows(const struct rt_route *route, const char *method)
{
	size_t len = strlen(method);

	for (const char *at = route->allow; len;) {
		const char *end = strchrnul(at, ',');

		if ((size_t)(end - at) == len && memcmp(at, method, len) == 0)
			return true;
		if (!*end)
			break;
		at = end + 2;
	}
	return false;
}
