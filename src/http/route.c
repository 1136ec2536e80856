/*
 * Routing. Input: a path, a method, a media type. Output: what to do.
 * Refuses other paths, also those that differ by a slash at the end or by case; and other types,
 * charsets and parameters than JSON's: a browser's form cannot send this one.
 */
#include "http/route.h"

#include <strings.h>

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

bool rt_route_allows(const struct rt_route *route, struct rt_slice method)
{
	for (const char *at = route->allow; method.len;) {
		const char *end = strchrnul(at, ',');

		if (rt_slice_equal(method, rt_slice_make(at, (size_t)(end - at))))
			return true;
		if (!*end)
			break;
		at = end + 2;
	}
	return false;
}

/* Cut a text off the front, letters of either case. Returns false where it is not there. */
static bool cut_word(struct rt_slice *text, const char *word)
{
	size_t len = strlen(word);

	if (text->len < len || strncasecmp(text->ptr, word, len) != 0)
		return false;
	text->ptr += len;
	text->len -= len;
	return true;
}

static void cut_blanks(struct rt_slice *text)
{
	while (text->len && (*text->ptr == ' ' || *text->ptr == '\t')) {
		text->ptr++;
		text->len--;
	}
}

bool rt_route_is_json(struct rt_slice type)
{
	if (!type.ptr || !cut_word(&type, "application/json"))
		return false;
	cut_blanks(&type);
	if (type.len == 0)
		return true;
	if (!cut_word(&type, ";"))
		return false;
	cut_blanks(&type);
	if (!cut_word(&type, "charset="))
		return false;
	if (!cut_word(&type, "utf-8") && !cut_word(&type, "\"utf-8\""))
		return false;
	cut_blanks(&type);
	return type.len == 0;
}
