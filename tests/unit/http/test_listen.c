/*
 * Addresses to listen on: their forms, what the socket gets, and how peers are written.
 */
#include "http/listen.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "unit.h"

static const char *const bad[] = {
    "",
    "80",
    ":",
    ":x",
    ":65536",
    ":-1",
    ": 1",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:8/",
    "127.0.0.1:8:",
    "127.0.0:0",
    "example.org:0",
    "localhost:",
    "localhost:65536",
    "localhosts:0",
    "[::1:0",
    "::1]:0",
    "[]:0",
    "[::g]:0",
    "[127.0.0.1]:0",
    "::1:0",
    "0000000000000000000000000000000000000000000000000000000000000000127.0.0.1:0",
};

START_TEST(refused)
{
	struct rt_listen listening;
	struct rt_error err = {0};

	ck_assert_msg(rt_listen_open(bad[_i], &listening, &err) == RT_FATAL, "%s", bad[_i]);
	ck_assert_msg(err.code == RT_E_USAGE, "%s: %s", bad[_i], err.message);
	ck_assert_msg(strstr(err.message, "want ADDR:PORT"), "%s", err.message);
}
END_TEST

static const struct {
	const char *text, *host;
	bool loopback, any;
} good[] = {
    {":0", "127.0.0.1", true, false},
    {"127.0.0.2:0", "127.0.0.2", true, false},
    {"0.0.0.0:0", "0.0.0.0", false, true},
    {"localhost:0", "localhost", true, false},
};

START_TEST(opened)
{
	struct rt_listen listening, second;
	struct rt_error err = {0};
	char text[96];

	ck_assert_msg(rt_listen_open(good[_i].text, &listening, &err) == RT_OK, "%s", err.message);
	ck_assert_str_eq(listening.host, good[_i].host);
	ck_assert_int_eq(listening.loopback, good[_i].loopback);
	ck_assert_int_eq(listening.any, good[_i].any);
	ck_assert_uint_ne(listening.port, 0);
	/* Somebody is there now. */
	(void)snprintf(text, sizeof(text), "%s:%u", listening.host, listening.port);
	ck_assert_int_eq(rt_listen_open(text, &second, &err), RT_FATAL);
	ck_assert_msg(strstr(err.message, "want an address that is free"), "%s", err.message);
	rt_listen_close(&listening);
	rt_listen_close(&listening);
}
END_TEST

/* An address that is for documents, and no machine's. (RFC 5737) */
START_TEST(of_another_machine)
{
	struct rt_listen listening;
	struct rt_error err = {0};

	ck_assert_int_eq(rt_listen_open("192.0.2.1:0", &listening, &err), RT_FATAL);
	ck_assert_msg(strstr(err.message, "want an address of this machine"), "%s", err.message);
}
END_TEST

START_TEST(peers)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(80)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(65535)};
	struct sockaddr other = {.sa_family = AF_UNIX};
	char text[RT_PEER_MAX];

	v4.sin_addr.s_addr = htonl(0xC0000201);
	v6.sin6_addr.s6_addr[15] = 1;
	rt_listen_peer((struct sockaddr *)&v4, text);
	ck_assert_str_eq(text, "192.0.2.1:80");
	rt_listen_peer((struct sockaddr *)&v6, text);
	ck_assert_str_eq(text, "[::1]:65535");
	rt_listen_peer(&other, text);
	ck_assert_str_eq(text, "-");
	rt_listen_peer(NULL, text);
	ck_assert_str_eq(text, "-");
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("listen");
	TCase *tcase = tcase_create("listen");

	tcase_add_loop_test(tcase, refused, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_loop_test(tcase, opened, 0, sizeof(good) / sizeof(good[0]));
	tcase_add_test(tcase, of_another_machine);
	tcase_add_test(tcase, peers);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
