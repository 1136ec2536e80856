/*
 * Request targets: their parts, which path they are, and values of their queries.
 */
#include "http/target.h"

#include "http/route.h"
#include "unit.h"

static const struct {
	const char *what;
	struct rt_slice text;
	bool good;
	const char *authority; /* NULL: none */
	const char *path;
	const char *query; /* NULL: none */
} targets[] = {
    {"a path", RT_SLICE("/a/b"), true, NULL, "/a/b", NULL},
    {"the root", RT_SLICE("/"), true, NULL, "/", NULL},
    {"a query", RT_SLICE("/a?b=c"), true, NULL, "/a", "b=c"},
    {"an empty query", RT_SLICE("/a?"), true, NULL, "/a", ""},
    {"two marks", RT_SLICE("/a?b?c"), true, NULL, "/a", "b?c"},
    {"a query with slashes", RT_SLICE("/a?/b/"), true, NULL, "/a", "/b/"},
    {"every character", RT_SLICE("/-._~!$&'()*+,;=:@%41?-._~!$&'()*+,;=:@%41/?"), true, NULL,
     "/-._~!$&'()*+,;=:@%41", "-._~!$&'()*+,;=:@%41/?"},
    {"asterisk", RT_SLICE("*"), true, NULL, "*", NULL},
    {"absolute", RT_SLICE("http://h:1/a?b"), true, "h:1", "/a", "b"},
    {"absolute, capital letters", RT_SLICE("HTTP://H/a"), true, "H", "/a", NULL},
    {"absolute, no path", RT_SLICE("http://h"), true, "h", "/", NULL},
    {"absolute, no path but a query", RT_SLICE("http://h?b"), true, "h", "/", "b"},
    {"absolute, no host", RT_SLICE("http:///a"), false, NULL, NULL, NULL},
    {"another scheme", RT_SLICE("https://h/a"), false, NULL, NULL, NULL},
    {"half a scheme", RT_SLICE("http:/"), false, NULL, NULL, NULL},
    {"a host alone", RT_SLICE("h:1"), false, NULL, NULL, NULL},
    {"nothing", RT_SLICE(""), false, NULL, NULL, NULL},
    {"no slash", RT_SLICE("a"), false, NULL, NULL, NULL},
    {"a query alone", RT_SLICE("?a"), false, NULL, NULL, NULL},
    {"two asterisks", RT_SLICE("**"), false, NULL, NULL, NULL},
    {"a fragment", RT_SLICE("/a#b"), false, NULL, NULL, NULL},
    {"a blank", RT_SLICE("/a b"), false, NULL, NULL, NULL},
    {"a quote", RT_SLICE("/a\"b"), false, NULL, NULL, NULL},
    {"a bracket", RT_SLICE("/a[b]"), false, NULL, NULL, NULL},
    {"a backslash", RT_SLICE("/a\\b"), false, NULL, NULL, NULL},
    {"NUL", RT_SLICE("/a\0"), false, NULL, NULL, NULL},
    {"above ASCII", RT_SLICE("/\xC3\xBC"), false, NULL, NULL, NULL},
    {"an encoding that is cut", RT_SLICE("/a%4"), false, NULL, NULL, NULL},
    {"an encoding that is none", RT_SLICE("/a%4g"), false, NULL, NULL, NULL},
    {"the same in a query", RT_SLICE("/a?%"), false, NULL, NULL, NULL},
};

static void check_part(const char *what, struct rt_slice part, const char *wanted)
{
	ck_assert_msg((part.ptr == NULL) == (wanted == NULL), "%s", what);
	if (wanted)
		ck_assert_msg(rt_slice_equal(part, rt_slice_make(wanted, strlen(wanted))),
			      "%s: %.*s", what, (int)part.len, part.ptr);
}

START_TEST(test_parts)
{
	struct rt_target target;
	const char *what = targets[_i].what;

	ck_assert_msg(rt_target_parse(targets[_i].text, &target) == targets[_i].good, "%s", what);
	if (!targets[_i].good)
		return;
	check_part(what, target.authority, targets[_i].authority);
	check_part(what, target.path, targets[_i].path);
	check_part(what, target.query, targets[_i].query);
}
END_TEST

static const struct {
	const char *path;
	const char *wanted;
	bool same;
} paths[] = {
    {"/api/rulesets", "/api/rulesets", true},
    {"/%61pi/rulesets", "/api/rulesets", true},
    {"/%61%70%69/rulesets", "/api/rulesets", true},
    {"/api%2Frulesets", "/api/rulesets", false},
    {"/api%2frulesets", "/api/rulesets", false},
    {"/api/rulesets/", "/api/rulesets", false},
    {"/api/ruleset", "/api/rulesets", false},
    {"/api/rulesetsx", "/api/rulesets", false},
    {"/Api/rulesets", "/api/rulesets", false},
    {"/%41pi/rulesets", "/api/rulesets", false},
    {"/%2561pi/rulesets", "/api/rulesets", false},
    {"/openapi%2Ejson", "/openapi.json", true},
    {"/%00", "/", false},
    {"/api/rulesets%00", "/api/rulesets", false},
    {"", "/", false},
};

START_TEST(test_paths)
{
	struct rt_slice path = {paths[_i].path, strlen(paths[_i].path)};

	ck_assert_msg(rt_target_path_is(path, paths[_i].wanted) == paths[_i].same, "%s",
		      paths[_i].path);
}
END_TEST

static const struct {
	const char *query; /* NULL: none */
	enum rt_parameter found;
	const char *value;
} queries[] = {
    {NULL, RT_PARAMETER_ABSENT, NULL},
    {"", RT_PARAMETER_ABSENT, NULL},
    {"a=b", RT_PARAMETER_ABSENT, NULL},
    {"id", RT_PARAMETER_FOUND, ""},
    {"id=", RT_PARAMETER_FOUND, ""},
    {"id=a", RT_PARAMETER_FOUND, "a"},
    {"x=1&id=a&y", RT_PARAMETER_FOUND, "a"},
    {"&&id=a&&", RT_PARAMETER_FOUND, "a"},
    {"id=a=b", RT_PARAMETER_FOUND, "a=b"},
    {"id=a+b%20c%2Bd", RT_PARAMETER_FOUND, "a b c+d"},
    {"i%64=a", RT_PARAMETER_FOUND, "a"},
    {"id=%26x%3D", RT_PARAMETER_FOUND, "&x="},
    {"id=%C3%BC", RT_PARAMETER_FOUND, "\xC3\xBC"},
    {"ID=a", RT_PARAMETER_ABSENT, NULL},
    {"id%00=a", RT_PARAMETER_ABSENT, NULL},
    {"idx=a&xid=b", RT_PARAMETER_ABSENT, NULL},
    {"id=a&id=a", RT_PARAMETER_REPEATED, NULL},
    {"id&id", RT_PARAMETER_REPEATED, NULL},
    {"id=a&x&i%64=%ff", RT_PARAMETER_REPEATED, NULL},
    {"id=%ff", RT_PARAMETER_BAD, NULL},
    {"id=%C3", RT_PARAMETER_BAD, NULL},
    {"id=a%00b", RT_PARAMETER_BAD, NULL},
    {"id=%ED%A0%80", RT_PARAMETER_BAD, NULL},
};

START_TEST(test_queries)
{
	const char *text = queries[_i].query;
	struct rt_slice query = {text, text ? strlen(text) : 0}, value = {NULL, 0};
	/* Exactly the room that is asked for, so that a sanitizer sees one byte more. */
	char *out = malloc(query.len ? query.len : 1);
	enum rt_parameter found = rt_target_parameter(query, "id", out, &value);

	ck_assert_msg(found == queries[_i].found, "%s: %d", text ? text : "none", (int)found);
	if (found == RT_PARAMETER_FOUND)
		check_part(text, value, queries[_i].value);
	free(out);
}
END_TEST

START_TEST(test_routes)
{
	const struct rt_route *route = rt_route_find(RT_SLICE("/api/issues/bulk"));

	ck_assert_ptr_nonnull(route);
	ck_assert_int_eq(route->operation, RT_OPERATION_UPDATE);
	ck_assert(route->needs_key);
	ck_assert(rt_route_allows(route, RT_SLICE("PATCH")) &&
		  rt_route_allows(route, RT_SLICE("OPTIONS")));
	ck_assert(!rt_route_allows(route, RT_SLICE("PATC")) &&
		  !rt_route_allows(route, RT_SLICE("PATCHX")));
	ck_assert(!rt_route_allows(route, RT_SLICE("GET")) &&
		  !rt_route_allows(route, RT_SLICE("")));
	ck_assert(!rt_route_allows(route, RT_SLICE("patch")) &&
		  !rt_route_allows(route, RT_SLICE("PATCH, OPTIONS")));
	ck_assert_ptr_null(rt_route_find(RT_SLICE("/")));
	ck_assert_ptr_null(rt_route_find(RT_SLICE("*")));
	route = rt_route_find(RT_SLICE("/healthz"));
	ck_assert(route && !route->needs_key && rt_route_allows(route, RT_SLICE("HEAD")));
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("target");
	TCase *tcase = tcase_create("target");

	tcase_add_loop_test(tcase, test_parts, 0, sizeof(targets) / sizeof(targets[0]));
	tcase_add_loop_test(tcase, test_paths, 0, sizeof(paths) / sizeof(paths[0]));
	tcase_add_loop_test(tcase, test_queries, 0, sizeof(queries) / sizeof(queries[0]));
	tcase_add_test(tcase, test_routes);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
