/*
 * The decoder process seen from its parent: what it may do, and what becomes of one that dies,
 * hangs, lies or writes nonsense into the shared blocks.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "decoder/jail.h"
#include "source/worker.h"
#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct rt_launcher launcher;
static struct rt_worker worker;
static struct rt_options options;
static struct rt_limits limits;

static void setup(void)
{
	rt_limits_init(&limits);
	options = (struct rt_options){.limits = limits};
	rt_worker_init(&worker, &launcher, NULL);
	worker.limits = &limits;
	worker.magic = RT_MAGIC_GZIP;
	worker.stall_ms = 200;
	worker.delivered_max = RT_MIB;
	worker.expanded_left = RT_MIB;
}

static void teardown(void)
{
	int status;

	rt_worker_release(&worker);
	rt_launcher_release(&launcher);
	/* Nobody is left behind. */
	ck_assert_int_eq(waitpid(-1, &status, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

/* A worker whose child runs a function of ours, bounded as one that decodes. */
static void start(void (*run)(void *ctx, struct rt_ring *ring, int sock))
{
	struct rt_jail_plan plan;
	struct rt_error err;
	int socks[2];
	pid_t pid;

	worker.ring = rt_ring_new(&worker.ring_fd, &err);
	ck_assert_ptr_nonnull(worker.ring);
	rt_ring_reader_init(&worker.reader, worker.ring, -1, worker.stall_ms);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks), 0);
	pid = fork();
	if (pid == 0) {
		close(socks[0]);
		rt_jail_signals();
		rt_jail_plan(&plan);
		if (!rt_jail_limit(plan.space + 64 * RT_MIB, 0))
			_exit(1);
		run(NULL, worker.ring, socks[1]);
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	close(socks[1]);
	rt_child_watch(&worker.child, pid, socks[0]);
	worker.reader.sock = worker.child.sock;
}

/* Read every part to its end or to the first error. *ret_bytes: bytes seen. */
static enum rt_status drain(size_t *ret_bytes, struct rt_error *err)
{
	static char room[RT_RING_DATA];
	char name[64];
	bool has_name;
	enum rt_status status;

	*ret_bytes = 0;
	while ((status = rt_worker_next(&worker, name, sizeof(name), &has_name, err)) == RT_OK) {
		size_t len = 0;

		while ((status = rt_worker_read(&worker, room, sizeof(room), &len, err)) == RT_OK)
			*ret_bytes += len;
		if (status < 0)
			return status;
	}
	return status;
}

/* --- Children ------------------------------------------------------------------------------ */

static void token(int sock)
{
	(void)!send(sock, "", 1, MSG_NOSIGNAL);
}

static void run_exit(void *ctx, struct rt_ring *ring, int sock)
{
	(void)ctx;
	(void)ring;
	(void)sock;
}

static void run_crash(void *ctx, struct rt_ring *ring, int sock)
{
	(void)ctx;
	(void)ring;
	(void)sock;
	(void)raise(SIGSEGV);
}

static void run_hang(void *ctx, struct rt_ring *ring, int sock)
{
	(void)ctx;
	(void)ring;
	(void)sock;
	for (;;)
		(void)pause();
}

static void run_close_and_hang(void *ctx, struct rt_ring *ring, int sock)
{
	close(sock);
	run_hang(ctx, ring, -1);
}

static void run_too_many_tokens(void *ctx, struct rt_ring *ring, int sock)
{
	char tokens[100] = {0};

	(void)!send(sock, tokens, sizeof(tokens), MSG_NOSIGNAL);
	run_hang(ctx, ring, sock);
}

static void run_length(void *ctx, struct rt_ring *ring, int sock)
{
	ring->blocks[0].flags = RT_BLOCK_BEGIN;
	ring->blocks[0].len = RT_RING_DATA + 1;
	token(sock);
	run_hang(ctx, ring, sock);
}

static void run_unknown_flag(void *ctx, struct rt_ring *ring, int sock)
{
	ring->blocks[0].flags = RT_BLOCK_BEGIN | 1u << 30;
	token(sock);
	run_hang(ctx, ring, sock);
}

static void run_empty_block(void *ctx, struct rt_ring *ring, int sock)
{
	ring->blocks[0].flags = 0;
	ring->blocks[0].len = 0;
	token(sock);
	run_hang(ctx, ring, sock);
}

static void run_data_first(void *ctx, struct rt_ring *ring, int sock)
{
	ring->blocks[0].flags = 0;
	ring->blocks[0].len = 10;
	token(sock);
	run_hang(ctx, ring, sock);
}

static void run_begin_twice(void *ctx, struct rt_ring *ring, int sock)
{
	for (int i = 0; i < 2; i++) {
		ring->blocks[i].flags = RT_BLOCK_BEGIN;
		ring->blocks[i].len = 1;
		token(sock);
	}
	run_hang(ctx, ring, sock);
}

static void run_finish_in_part(void *ctx, struct rt_ring *ring, int sock)
{
	ring->blocks[0].flags = RT_BLOCK_BEGIN | RT_BLOCK_FINISH;
	ring->blocks[0].len = 1;
	ring->blocks[0].status = RT_OK;
	token(sock);
	run_hang(ctx, ring, sock);
}

static void run_bad_status(void *ctx, struct rt_ring *ring, int sock)
{
	ring->blocks[0].flags = RT_BLOCK_FINISH;
	ring->blocks[0].status = 77;
	token(sock);
	run_hang(ctx, ring, sock);
}

static void run_bad_code(void *ctx, struct rt_ring *ring, int sock)
{
	ring->blocks[0].flags = RT_BLOCK_FINISH;
	ring->blocks[0].status = RT_REJECT;
	ring->blocks[0].err.code = (enum rt_code)99;
	token(sock);
	run_hang(ctx, ring, sock);
}

/* Texts without an end, everywhere. */
static void run_endless_text(void *ctx, struct rt_ring *ring, int sock)
{
	memset(&ring->blocks[0].err, 'x', sizeof(ring->blocks[0].err));
	ring->blocks[0].err.code = RT_E_INPUT;
	ring->blocks[0].flags = RT_BLOCK_FINISH;
	ring->blocks[0].status = RT_REJECT;
	token(sock);
	run_hang(ctx, ring, sock);
}

/* More bytes than the run has left. */
static void run_flood(void *ctx, struct rt_ring *ring, int sock)
{
	struct rt_ring_writer writer;
	struct rt_emit emit;
	struct rt_error err;
	void *room;
	size_t cap;

	(void)ctx;
	rt_ring_writer_init(&writer, ring, sock);
	emit = rt_ring_emit(&writer);
	(void)emit.begin(emit.ctx, NULL, &err);
	for (;;) {
		(void)emit.space(emit.ctx, &room, &cap, &err);
		(void)emit.commit(emit.ctx, cap, &err);
	}
}

/* What is not read: no name's end, an unknown reason, in a part, beyond the data, too many. */
static void send_unread(struct rt_ring *ring, uint32_t flags, const char *data, uint32_t len,
			uint32_t unread, int sock)
{
	ring->blocks[0].flags = flags;
	ring->blocks[0].len = len;
	ring->blocks[0].unread = unread;
	memcpy(ring->blocks[0].data, data, len);
	token(sock);
	run_hang(NULL, ring, sock);
}

static void run_unread_no_end(void *ctx, struct rt_ring *ring, int sock)
{
	(void)ctx;
	send_unread(ring, RT_BLOCK_BEGIN, "\0a.txt\0", 7, 6, sock);
}

static void run_unread_long(void *ctx, struct rt_ring *ring, int sock)
{
	static char name[3000];

	(void)ctx;
	memset(name + 1, 'x', sizeof(name) - 2);
	send_unread(ring, 0, name, sizeof(name), sizeof(name), sock);
}

static void run_unread_reason(void *ctx, struct rt_ring *ring, int sock)
{
	(void)ctx;
	send_unread(ring, RT_BLOCK_BEGIN,
		    "\x63"
		    "a.txt\0",
		    7, 7, sock);
}

static void run_unread_beyond(void *ctx, struct rt_ring *ring, int sock)
{
	(void)ctx;
	send_unread(ring, RT_BLOCK_BEGIN, "\0a.txt\0", 7, 8, sock);
}

static void run_unread_in_part(void *ctx, struct rt_ring *ring, int sock)
{
	(void)ctx;
	ring->blocks[1].unread = 7;
	ring->blocks[1].len = 7;
	token(sock);
	send_unread(ring, RT_BLOCK_BEGIN, "1234567", 7, 0, sock);
}

/* Members that are not read, and a part between them. */
static void run_unread(void *ctx, struct rt_ring *ring, int sock)
{
	struct rt_ring_writer writer;
	struct rt_emit emit;
	struct rt_error err;
	static char name[2000];
	void *room;
	size_t cap;

	(void)ctx;
	memset(name, 'n', sizeof(name) - 1);
	rt_ring_writer_init(&writer, ring, sock);
	emit = rt_ring_emit(&writer);
	/* Many times what a block takes; some of them fill it to its last byte. */
	for (int i = 0; i < 2000; i++) {
		(void)emit.unread(emit.ctx, name + i, RT_UNREAD_NAME, &err);
		if (i % 500)
			continue;
		(void)emit.begin(emit.ctx, "part", &err);
		(void)emit.space(emit.ctx, &room, &cap, &err);
		memset(room, 'p', cap);
		(void)emit.commit(emit.ctx, 1, &err);
		(void)emit.end(emit.ctx, &err);
	}
	(void)emit.unread(emit.ctx, "last.zip", RT_UNREAD_ARCHIVE, &err);
	rt_ring_finish(&writer, RT_OK, &err);
}

static void run_unread_endless(void *ctx, struct rt_ring *ring, int sock)
{
	struct rt_ring_writer writer;
	struct rt_emit emit;
	struct rt_error err;

	(void)ctx;
	rt_ring_writer_init(&writer, ring, sock);
	emit = rt_ring_emit(&writer);
	for (;;)
		(void)emit.unread(emit.ctx, "a", RT_UNREAD_NAME, &err);
}

static void run_no_memory(void *ctx, struct rt_ring *ring, int sock)
{
	struct rt_ring_writer writer;
	struct rt_error err = {.code = RT_E_NOMEM};
	void *map =
	    mmap(NULL, 65 * RT_MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)ctx;
	rt_ring_writer_init(&writer, ring, sock);
	rt_ring_finish(&writer, map == MAP_FAILED ? RT_FATAL : RT_OK, &err);
}

START_TEST(test_bad_child)
{
	static const struct {
		const char *what;
		void (*run)(void *ctx, struct rt_ring *ring, int sock);
		enum rt_code code;
		const char *message;
	} rows[] = {
	    {"exits at once", run_exit, RT_E_INPUT, "have a decoder that stopped"},
	    {"crashes", run_crash, RT_E_INPUT, "have a decoder that stopped (signal 11)"},
	    {"hangs", run_hang, RT_E_INPUT, "without progress"},
	    {"closes its socket, lives on", run_close_and_hang, RT_E_INPUT, "signal 9"},
	    {"too many tokens", run_too_many_tokens, RT_E_INPUT, "keeps to its rules"},
	    {"length beyond the block", run_length, RT_E_INPUT, "keeps to its rules"},
	    {"unknown flag", run_unknown_flag, RT_E_INPUT, "keeps to its rules"},
	    {"empty block", run_empty_block, RT_E_INPUT, "keeps to its rules"},
	    {"data before a part", run_data_first, RT_E_INPUT, "keeps to its rules"},
	    {"a part in a part", run_begin_twice, RT_E_INPUT, "keeps to its rules"},
	    {"good end in a part", run_finish_in_part, RT_E_INPUT, "keeps to its rules"},
	    {"unknown status", run_bad_status, RT_E_INPUT, "keeps to its rules"},
	    {"unknown code", run_bad_code, RT_E_INPUT, "keeps to its rules"},
	    {"endless texts", run_endless_text, RT_E_INPUT, "xxxxxxxx"},
	    {"more than is left", run_flood, RT_E_INPUT, "keeps to its rules"},
	    {"unread: a name without an end", run_unread_no_end, RT_E_INPUT, "keeps to its rules"},
	    {"unread: a long name", run_unread_long, RT_E_INPUT, "keeps to its rules"},
	    {"unread: a reason that is none", run_unread_reason, RT_E_INPUT, "keeps to its rules"},
	    {"unread: beyond the data", run_unread_beyond, RT_E_INPUT, "keeps to its rules"},
	    {"unread: in a part", run_unread_in_part, RT_E_INPUT, "keeps to its rules"},
	    {"unread: without an end", run_unread_endless, RT_E_INPUT, "keeps to its rules"},
	    {"no memory", run_no_memory, RT_E_LIMIT, "limit \"decoder\""},
	};
	struct rt_error err;
	size_t bytes;

	if (UNIT_HAS_ASAN && (rows[_i].run == run_no_memory || rows[_i].run == run_crash))
		return;
	start(rows[_i].run);
	ck_assert_msg(drain(&bytes, &err) == RT_REJECT, "%s", rows[_i].what);
	ck_assert_msg(err.code == rows[_i].code, "%s: code %d", rows[_i].what, (int)err.code);
	ck_assert_msg(strstr(err.message, rows[_i].message), "%s: have \"%s\"", rows[_i].what,
		      err.message);
	ck_assert_uint_le(bytes, RT_MIB);
}
END_TEST

/* What a good child says about members that are not read. */
START_TEST(test_unread)
{
	struct rt_file file = {.path = "path", .name = "below"};
	struct rt_unread unread = {0};
	struct rt_unread_entry entry;
	struct rt_error err;
	size_t bytes, at = 0;

	worker.unread = &unread;
	worker.file = &file;
	start(run_unread);
	ck_assert_msg(drain(&bytes, &err) == RT_END, "%s", err.message);
	ck_assert_uint_eq(bytes, 4);
	ck_assert_uint_eq(unread.count, 2001);
	ck_assert_uint_eq(unread.counts[RT_UNREAD_ARCHIVE], 1);
	ck_assert(rt_unread_next(&unread, &at, &entry));
	ck_assert_str_eq(entry.path, "path/below");
	ck_assert_uint_eq(strlen(entry.member), 1023);
	ck_assert_int_eq(strncmp(entry.member, "nnn", 3), 0);
	rt_unread_release(&unread);
}
END_TEST

/* Killed from outside while it works: what was read stays read, then an error. */
START_TEST(test_killed)
{
	struct rt_error err;
	char room[16];
	char name[16];
	bool has_name;
	size_t len;
	enum rt_status status;

	worker.delivered_max = UINT64_MAX;
	start(run_flood);
	ck_assert_int_eq(rt_worker_next(&worker, name, sizeof(name), &has_name, &err), RT_OK);
	ck_assert_int_eq(rt_worker_read(&worker, room, sizeof(room), &len, &err), RT_OK);
	ck_assert_int_eq(kill(worker.child.pid, SIGKILL), 0);
	do {
		static char rest[RT_RING_DATA];

		status = rt_worker_read(&worker, rest, sizeof(rest), &len, &err);
	} while (status == RT_OK);
	ck_assert_int_eq(status, RT_REJECT);
	ck_assert_str_eq(err.message, "want gzip data, have a decoder that stopped (signal 9)");
}
END_TEST

/* --- What a child is allowed ---------------------------------------------------------------- */

/* Answers with the first rule that does not hold, as the message of an error. */
static void run_check_limits(void *ctx, struct rt_ring *ring, int sock)
{
	struct rt_ring_writer writer;
	struct rt_error err;
	struct rlimit limit;
	struct sigaction action;
	const char *fault = "none";

	(void)ctx;
	if (open("/dev/null", O_RDONLY) >= 0)
		fault = "a descriptor can be had";
	if (getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_max != 0)
		fault = "a core file is allowed";
	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_max != 0)
		fault = "files may grow";
	if (!UNIT_HAS_ASAN && (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_max > RT_GIB))
		fault = "memory is not bounded";
	if (sigaction(SIGTERM, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
		fault = "a signal is not at its default";
	(void)rt_error_set(&err, RT_E_INPUT, "%s", fault);
	rt_ring_writer_init(&writer, ring, sock);
	rt_ring_finish(&writer, RT_REJECT, &err);
}

START_TEST(test_limits)
{
	struct rt_error err;
	size_t bytes;

	(void)signal(SIGTERM, SIG_IGN);
	start(run_check_limits);
	ck_assert_int_eq(drain(&bytes, &err), RT_REJECT);
	ck_assert_str_eq(err.message, "none");
}
END_TEST

/* --- Real files ------------------------------------------------------------------------------ */

static const uint8_t gzip_hello[] = {0x1f, 0x8b, 8,    0,    0,    0,    0, 0, 0,
				     3,    0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 0x86,
				     0xa6, 0x10, 0x36, 5,    0,    0,    0};

/* A pipe that stays silent is not a decoder that hangs. */
START_TEST(test_slow_pipe)
{
	struct rt_file file = {.path = "-"};
	struct rt_error err;
	size_t bytes;
	int fds[2];
	pid_t feeder;

	ck_assert_int_eq(pipe(fds), 0);
	feeder = fork();
	if (feeder == 0) {
		close(fds[0]);
		(void)usleep(700 * 1000);
		(void)!write(fds[1], gzip_hello + 5, sizeof(gzip_hello) - 5);
		_exit(0);
	}
	close(fds[1]);
	file.fd = fds[0];
	ck_assert_int_eq(rt_worker_start(&worker, &file, gzip_hello, 5, &options, RT_MIB, &err),
			 RT_OK);
	ck_assert_msg(drain(&bytes, &err) == RT_END, "%s", err.message);
	ck_assert_uint_eq(bytes, 5);
	ck_assert_uint_eq(rt_worker_consumed(&worker), sizeof(gzip_hello));
	ck_assert_uint_eq(rt_worker_expanded(&worker), 5);
	close(fds[0]);
	ck_assert_int_eq(waitpid(feeder, NULL, 0), feeder);
}
END_TEST

/* A caller whose own parent ignores SIGCHLD: children go unseen, reading works all the same. */
START_TEST(test_sigchld_ignored)
{
	struct rt_file file = {.path = "x", .seekable = true, .size = sizeof(gzip_hello)};
	struct rt_error err;
	size_t bytes;

	(void)signal(SIGCHLD, SIG_IGN);
	file.fd = memfd_create("x", MFD_CLOEXEC);
	ck_assert_int_eq(write(file.fd, gzip_hello, sizeof(gzip_hello)), sizeof(gzip_hello));
	ck_assert_int_eq(
	    rt_worker_start(&worker, &file, gzip_hello, sizeof(gzip_hello), &options, RT_MIB, &err),
	    RT_OK);
	ck_assert_msg(drain(&bytes, &err) == RT_END, "%s", err.message);
	ck_assert_uint_eq(bytes, 5);
	rt_worker_release(&worker);
	start(run_exit);
	ck_assert_int_eq(drain(&bytes, &err), RT_REJECT);
	ck_assert_str_eq(err.message, "want gzip data, have a decoder that stopped");
	close(file.fd);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("worker");
	TCase *tcase = tcase_create("worker");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_bad_child, 0, 22);
	tcase_add_test(tcase, test_unread);
	tcase_add_test(tcase, test_killed);
	tcase_add_test(tcase, test_limits);
	tcase_add_test(tcase, test_slow_pipe);
	tcase_add_test(tcase, test_sigchld_ignored);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
