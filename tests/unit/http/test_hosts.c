/*
 * Hosts and origins: which are served and which are not.
 */
#include "http/address.h"
#include "unit.h"

static const char *const allowed[] = {"example.org", "proxy.example:443"};
static const struct rt_serve serve = {.allowed_hosts = allowed, .allowed_host_count = 2};
static const struct rt_listen listening = {.host = "127.0.0.1", .port = 8080, .loopback = true};

static const struct {
	const char *text;
	bool is_host, is_origin; /* is served, in a Host; behind the scheme of an Origin */
} hosts[] = {
    {"127.0.0.1:8080", true, true},
    {"127.0.0.1", true, false}, /* as an Origin another server of the same machine */
    {"127.0.0.1:80", false, false},
    {"127.0.0.1:", false, false},
    {"127.0.0.1:08080", true, true},
    {"127.0.0.1:8080:8080", false, false},
    {"127.0.0.1:8080x", false, false},
    {"127.0.0.1:00008080", false, false},
    {"127.0.0.2", false, false},
    {"localhost:8080", true, true},
    {"LOCALHOST", true, false},
    {"[::1]:8080", true, true},
    {"[::1]", true, false},
    {"[::2]", false, false},
    {"::1", false, false},
    {"Example.ORG", true, true},
    {"example.org:8080", true, true},
    {"example.org:443", false, false},
    {"example.org.", false, false},
    {"example.or", false, false},
    {"example.org.evil", false, false},
    {"evil/example.org", false, false},
    {"example.org:8080/", false, false},
    {"proxy.example:443", true, true},
    {"proxy.example", false, false},
    {"proxy.example:443:8080", true, true}, /* no name that leads anywhere */
    {"", false, false},
    {":8080", false, false},
    {"a@127.0.0.1:8080", false, false},
};

START_TEST(test_hosts)
{
	const char *text = hosts[_i].text;

	ck_assert_msg(rt_host_is_served(&listening, &serve, text, false) == hosts[_i].is_host, "%s",
		      text);
	ck_assert_msg(rt_host_is_served(&listening, &serve, text, true) == hosts[_i].is_origin,
		      "%s", text);
}
END_TEST

/* Where other machines can connect, the names of loopback are not served. */
START_TEST(test_other_address)
{
	const struct rt_listen other = {.host = "192.0.2.1", .port = 80};

	ck_assert(rt_host_is_served(&other, &serve, "192.0.2.1", false));
	ck_assert(!rt_host_is_served(&other, &serve, "localhost", false));
	ck_assert(!rt_host_is_served(&other, &serve, "127.0.0.1:80", false));
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("hosts");
	TCase *tcase = tcase_create("hosts");

	tcase_add_loop_test(tcase, test_hosts, 0, sizeof(hosts) / sizeof(hosts[0]));
	tcase_add_test(tcase, test_other_address);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
