/*
 * Hosts, origins and media types as headers have them: what is let through and what is not.
 */
#include "http/hosts.h"

#include "http/route.h"
#include "unit.h"

static const struct {
	struct rt_slice text;
	bool is_host; /* has the form */
	bool has;     /* is on the list of make_hosts() */
} hosts[] = {
    {RT_SLICE("127.0.0.1:8080"), true, true},
    {RT_SLICE("127.0.0.1"), true, true},
    {RT_SLICE("127.0.0.1:80"), true, false},
    {RT_SLICE("127.0.0.2"), true, false},
    {RT_SLICE("[::1]:8080"), true, true},
    {RT_SLICE("[::1]"), true, true},
    {RT_SLICE("[::2]"), true, false},
    {RT_SLICE("Example.ORG"), true, true},
    {RT_SLICE("example.org:8080"), true, true},
    {RT_SLICE("example.org:443"), true, false},
    {RT_SLICE("example.org."), true, false},
    {RT_SLICE("example.or"), true, false},
    {RT_SLICE("proxy.example:443"), true, true},
    {RT_SLICE("proxy.example"), true, false},
    {RT_SLICE("127.0.0.1:"), true, false},
    {RT_SLICE(""), false, false},
    {RT_SLICE(":8080"), false, false},
    {RT_SLICE("a b"), false, false},
    {RT_SLICE("a@b"), false, false},
    {RT_SLICE("a/b"), false, false},
    {RT_SLICE("a:80:80"), false, false},
    {RT_SLICE("a:8x"), false, false},
    {RT_SLICE("a:123456"), false, false},
    {RT_SLICE("::1"), false, false},
    {RT_SLICE("[::1"), false, false},
    {RT_SLICE("[]"), false, false},
    {RT_SLICE("[::1]x"), false, false},
    {RT_SLICE("[::1]8080"), false, false},
    {RT_SLICE("127.0.0.1\0"), false, false},
    {RT_SLICE("\xC3\xBC"), false, false},
};

static void make_hosts(struct rt_hosts *list)
{
	static const char *const names[] = {"127.0.0.1", "[::1]", "example.org",
					    "proxy.example:443"};
	struct rt_error err;

	*list = (struct rt_hosts){0};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_int_eq(rt_hosts_allow(list, names[i], 8080, i < 2, &err), RT_OK);
	/* Again is no more. */
	ck_assert_uint_eq(list->count, 7);
	ck_assert_int_eq(rt_hosts_allow(list, "Example.org", 8080, true, &err), RT_OK);
	ck_assert_uint_eq(list->count, 7);
}

START_TEST(test_hosts)
{
	struct rt_slice text = hosts[_i].text;
	struct rt_hosts list;
	struct rt_error err = {0};
	char name[64];

	make_hosts(&list);
	ck_assert_msg(rt_hosts_is_host(text) == hosts[_i].is_host, "%s", text.ptr);
	ck_assert_msg(rt_hosts_has(&list, text) == hosts[_i].has, "%s", text.ptr);
	if (strlen(text.ptr) == text.len) {
		memcpy(name, text.ptr, text.len + 1);
		ck_assert_msg((rt_hosts_allow(&list, name, 1, false, &err) == RT_OK) ==
				  hosts[_i].is_host,
			      "%s", text.ptr);
		ck_assert(hosts[_i].is_host || err.code == RT_E_USAGE);
	}
	rt_hosts_release(&list);
}
END_TEST

static const struct {
	struct rt_slice text;
	bool has;
} origins[] = {
    {RT_SLICE("http://127.0.0.1:8080"), true},
    {RT_SLICE("https://example.org"), true},
    {RT_SLICE("http://example.org:8080"), true},
    {RT_SLICE("http://127.0.0.1"), false}, /* another server of the same machine */
    {RT_SLICE("https://[::1]"), false},
    {RT_SLICE("https://[::1]:8080"), true},
    {RT_SLICE("https://proxy.example"), true}, /* 443 is its port */
    {RT_SLICE("http://proxy.example"), false},
    {RT_SLICE("https://proxy.example:443"), true},
    {RT_SLICE("http://example.org:8080/"), false},
    {RT_SLICE("http://example.org.evil"), false},
    {RT_SLICE("http://evil/example.org"), false},
    {RT_SLICE("HTTP://example.org"), false},
    {RT_SLICE("ftp://example.org"), false},
    {RT_SLICE("example.org"), false},
    {RT_SLICE("http://"), false},
    {RT_SLICE("null"), false},
    {RT_SLICE(""), false},
};

START_TEST(test_origins)
{
	struct rt_hosts list;

	make_hosts(&list);
	ck_assert_msg(rt_hosts_has_origin(&list, origins[_i].text) == origins[_i].has, "%s",
		      origins[_i].text.ptr);
	rt_hosts_release(&list);
}
END_TEST

static const struct {
	struct rt_slice text;
	bool json;
} types[] = {
    {RT_SLICE("application/json"), true},
    {RT_SLICE("APPLICATION/Json"), true},
    {RT_SLICE("application/json;charset=utf-8"), true},
    {RT_SLICE("application/json \t; \tCharset=UTF-8 "), true},
    {RT_SLICE("application/json; charset=\"utf-8\""), true},
    {RT_SLICE("application/json;"), false},
    {RT_SLICE("application/json; charset"), false},
    {RT_SLICE("application/json; charset=utf-16"), false},
    {RT_SLICE("application/json; charset=utf-8x"), false},
    {RT_SLICE("application/json; charset=utf-8; a=b"), false},
    {RT_SLICE("application/json, text/plain"), false},
    {RT_SLICE("application/json-patch+json"), false},
    {RT_SLICE("application/problem+json"), false},
    {RT_SLICE("application/jso"), false},
    {RT_SLICE("text/json"), false},
    {RT_SLICE(""), false},
    {{NULL, 0}, false},
};

START_TEST(test_types)
{
	ck_assert_msg(rt_route_is_json(types[_i].text) == types[_i].json, "%s",
		      types[_i].text.ptr ? types[_i].text.ptr : "none");
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("hosts");
	TCase *tcase = tcase_create("hosts");

	tcase_add_loop_test(tcase, test_hosts, 0, sizeof(hosts) / sizeof(hosts[0]));
	tcase_add_loop_test(tcase, test_origins, 0, sizeof(origins) / sizeof(origins[0]));
	tcase_add_loop_test(tcase, test_types, 0, sizeof(types) / sizeof(types[0]));
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
