/*
 * Connections that no client can have at will: those that the library closes without a word, since
 * it has no memory for them, those that wait in such numbers that there is always one more, and
 * those whose time is over when so many others are open.
 */
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/instant.h"
#include "http/server.h"
#include "unit.h"

#define CLIENTS 100

static struct rt_server server;

START_TEST(test_closed_without_a_word)
{
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	server.connections[ends[0]].is_open = true;
	server.connections[ends[0]].since = rt_clock_ms();
	server.connections[ends[1]].is_open = true;
	(void)close(ends[1]);
	ck_assert_uint_eq(rt_connections_check(&server), 1);
	ck_assert(server.connections[ends[0]].is_open);
	server.connections[ends[0]].is_open = false;
	(void)close(ends[0]);
}
END_TEST

/* All of them are too many of their address. */
START_TEST(test_many_wait)
{
	struct rt_error err;
	struct sockaddr_in to = {.sin_family = AF_INET};
	struct pollfd waits = {.events = POLLIN};
	int fds[CLIENTS];

	ck_assert_int_eq(rt_listen_open("127.0.0.1:0", &server.listening, &err), RT_OK);
	to.sin_port = htons((uint16_t)server.listening.port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (size_t i = 0; i < CLIENTS; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		ck_assert_int_eq(connect(fds[i], (void *)&to, sizeof(to)), 0);
	}
	for (size_t i = 0; i < RT_HTTP_CONNECTIONS_PER_ADDRESS; i++) {
		server.connections[RT_CONNECTION_PLACES - 1 - i].is_open = true;
		(void)strcpy(server.connections[RT_CONNECTION_PLACES - 1 - i].address, "127.0.0.1");
	}
	server.most = RT_HTTP_CONNECTIONS;
	waits.fd = server.listening.fds[0];
	rt_connections_accept(&server, waits.fd);
	ck_assert_int_eq(poll(&waits, 1, 0), 1);
	rt_connections_accept(&server, waits.fd);
	ck_assert_int_eq(poll(&waits, 1, 0), 0);
	for (size_t i = 0; i < CLIENTS; i++)
		(void)close(fds[i]);
	rt_listen_close(&server.listening);
}
END_TEST

/* How many other connections are open, and how a connection with six seconds behind it fares. */
static const struct {
	unsigned others;
	bool is_whole, ends;
} fates[] = {
    {0, false, false},
    {RT_HTTP_CONNECTIONS / 4 * 3 - 2, false, false},
    {RT_HTTP_CONNECTIONS / 4 * 3 - 1, false, true},
    {RT_HTTP_CONNECTIONS - 1, false, true},
    {RT_HTTP_CONNECTIONS - 1, true, false},
};

START_TEST(test_time_shortens)
{
	struct pollfd other = {.events = POLLIN};
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	memset(&server, 0, sizeof(server));
	server.most = RT_HTTP_CONNECTIONS;
	for (unsigned i = 0; i < fates[_i].others; i++) {
		server.connections[RT_CONNECTION_PLACES - 1 - i].is_open = true;
		server.connections[RT_CONNECTION_PLACES - 1 - i].since = UINT64_MAX;
	}
	server.connections[ends[0]].is_open = true;
	server.connections[ends[0]].is_whole = fates[_i].is_whole;
	server.connections[ends[0]].since = rt_clock_ms() - 6000;
	(void)rt_connections_check(&server);
	other.fd = ends[1];
	ck_assert_int_eq(poll(&other, 1, 0), fates[_i].ends);
	(void)close(ends[0]);
	(void)close(ends[1]);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("connections");
	TCase *tests = tcase_create("connections");

	tcase_add_test(tests, test_closed_without_a_word);
	tcase_add_test(tests, test_many_wait);
	tcase_add_loop_test(tests, test_time_shortens, 0, sizeof(fates) / sizeof(fates[0]));
	suite_add_tcase(suite, tests);
	return suite;
}

RT_UNIT_MAIN(make_suite)
