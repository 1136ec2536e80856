/*
 * A process that unpacks, seen from the one that started it: what it may do, and what becomes of
 * one that dies, hangs, lies or writes nonsense.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "source/worker.h"
#include "unit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct rt_worker worker;
static struct rt_options options;
static struct rt_limits limits;
static struct rt_file file;

static void setup(void)
{
	rt_limits_init(&limits);
	options = (struct rt_options){.limits = limits};
	file = (struct rt_file){.path = "path", .fd = -1, .seekable = true};
	rt_worker_init(&worker, NULL);
	worker.stall_ms = 500;
}

static void teardown(void)
{
	int status;

	rt_worker_stop(&worker);
	/* Nobody is left behind. */
	ck_assert_int_eq(waitpid(-1, &status, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

typedef enum rt_status child_run(struct rt_job *job, struct rt_frames *frames,
				 struct rt_error *err);

/* Start a child that runs a function of ours. */
static void start(child_run *run)
{
	struct rt_job job = {
	    .run = run,
	    .decode = {.limits = &limits, .meter = {.expanded_max = RT_MIB, .limit = RT_MIB}},
	    .memory_bytes = 64 * RT_MIB,
	    .fds = RT_JOB_NO_FDS,
	};
	struct rt_error err;

	ck_assert_int_eq(rt_worker_start_job(&worker, &job, &file, RT_MAGIC_GZIP,
					     (struct rt_pull){NULL, NULL}, &err),
			 RT_OK);
}

/* Read every part to its end or to the first error. *ret_bytes: bytes seen. */
static enum rt_status drain(size_t *ret_bytes, struct rt_error *err)
{
	static char room[RT_FRAME_MAX];
	char name[RT_FRAME_NAME + 1];
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

/* Until it is killed. */
__attribute__((noreturn)) static void hang(const struct rt_job *job)
{
	char byte;

	while (read(job->fds[RT_JOB_SOCK], &byte, 1) != 0)
		;
	_exit(0);
}

static void put(const struct rt_job *job, uint32_t type, uint32_t len, const void *data,
		size_t data_len)
{
	struct rt_frame head = {type, len};

	(void)!write(job->fds[RT_JOB_SOCK], &head, sizeof(head));
	if (data_len)
		(void)!write(job->fds[RT_JOB_SOCK], data, data_len);
}

static enum rt_status run_exit(struct rt_job *job, struct rt_frames *frames, struct rt_error *err)
{
	(void)job;
	(void)frames;
	(void)err;
	_exit(0);
}

static enum rt_status run_crash(struct rt_job *job, struct rt_frames *frames, struct rt_error *err)
{
	(void)job;
	(void)frames;
	(void)err;
	*(volatile int *)8 = 1;
	return RT_FATAL;
}

static enum rt_status run_hang(struct rt_job *job, struct rt_frames *frames, struct rt_error *err)
{
	(void)frames;
	(void)err;
	hang(job);
}

/* Half of a frame, and no more. */
static enum rt_status run_half(struct rt_job *job, struct rt_frames *frames, struct rt_error *err)
{
	(void)frames;
	(void)err;
	put(job, RT_FRAME_BEGIN, 100, "half", 4);
	hang(job);
}

#define BAD(name, ...)                                                                             \
	static enum rt_status run_##name(struct rt_job *job, struct rt_frames *frames,             \
					 struct rt_error *err)                                     \
	{                                                                                          \
		(void)frames;                                                                      \
		(void)err;                                                                         \
		__VA_ARGS__;                                                                       \
		hang(job);                                                                         \
	}

static char zeros[RT_FRAME_MAX + 100];

BAD(type, put(job, 77, 0, NULL, 0))
BAD(length, put(job, RT_FRAME_BEGIN, RT_FRAME_MAX + 1, zeros, 10))
BAD(name, put(job, RT_FRAME_BEGIN, RT_FRAME_NAME + 1, zeros, RT_FRAME_NAME + 1))
BAD(data_first, put(job, RT_FRAME_DATA, 1, "x", 1))
BAD(empty_data, put(job, RT_FRAME_BEGIN, 0, "", 0); put(job, RT_FRAME_DATA, 0, "", 0))
BAD(begin_twice, put(job, RT_FRAME_BEGIN, 0, "", 0); put(job, RT_FRAME_BEGIN, 0, "", 0))
BAD(end_first, put(job, RT_FRAME_END, 0, "", 0))
BAD(long_end, put(job, RT_FRAME_BEGIN, 0, "", 0); put(job, RT_FRAME_END, 1, "x", 1))
BAD(short_finish, put(job, RT_FRAME_FINISH, 4, zeros, 4))
BAD(progress, put(job, RT_FRAME_PROGRESS, 4, zeros, 4))
BAD(pull, put(job, RT_FRAME_PULL, 0, "", 0))
BAD(marks, put(job, RT_FRAME_BEGIN, 0, "", 0);
    put(job, RT_FRAME_MARKS, sizeof(struct rt_frame_mark), zeros, sizeof(struct rt_frame_mark)))
BAD(unread_empty, put(job, RT_FRAME_UNREAD, 0, "", 0))
BAD(unread_long, put(job, RT_FRAME_UNREAD, RT_FRAME_NAME + 2, zeros, RT_FRAME_NAME + 2))
BAD(unread_reason, put(job, RT_FRAME_UNREAD, 2, "\x63x", 2))
BAD(unread_in_part, put(job, RT_FRAME_BEGIN, 0, "", 0); put(job, RT_FRAME_UNREAD, 2, "\0x", 2))
BAD(unread_endless, for (int i = 0; i < 1000000; i++) put(job, RT_FRAME_UNREAD, 2, "\0x", 2))

static void finish(const struct rt_job *job, int32_t status, struct rt_error err)
{
	struct rt_frame_finish last;

	memset(&last, 0, sizeof(last));
	last.status = status;
	last.err = err;
	put(job, RT_FRAME_FINISH, sizeof(last), &last, sizeof(last));
}

BAD(finish_in_part, put(job, RT_FRAME_BEGIN, 0, "", 0);
    finish(job, RT_OK, (struct rt_error){.code = RT_E_NONE}))
BAD(status, finish(job, 77, (struct rt_error){.code = RT_E_INPUT}))
BAD(code, finish(job, RT_REJECT, (struct rt_error){.code = (enum rt_code)99}))

/* Texts without an end, everywhere. */
static enum rt_status run_endless_text(struct rt_job *job, struct rt_frames *frames,
				       struct rt_error *err)
{
	(void)frames;
	memset(err, 'x', sizeof(*err));
	err->code = RT_E_INPUT;
	finish(job, RT_REJECT, *err);
	hang(job);
}

/* More bytes than the run has left. */
static enum rt_status run_flood(struct rt_job *job, struct rt_frames *frames, struct rt_error *err)
{
	struct rt_emit emit = rt_frames_emit(frames);
	void *room;
	size_t cap;

	(void)job;
	(void)emit.begin(emit.ctx, NULL, err);
	do {
		(void)emit.space(emit.ctx, &room, &cap, err);
	} while (emit.commit(emit.ctx, cap, err) == RT_OK);
	return RT_FATAL;
}

/* Members that are not read, and parts between them. */
static enum rt_status run_unread(struct rt_job *job, struct rt_frames *frames, struct rt_error *err)
{
	struct rt_emit emit = rt_frames_emit(frames);
	static char name[2000];
	void *room;
	size_t cap;

	(void)job;
	memset(name, 'n', sizeof(name) - 1);
	/* Many times what a block takes. */
	for (int i = 0; i < 2000; i++) {
		(void)emit.unread(emit.ctx, name + i, RT_UNREAD_NAME, err);
		if (i % 500)
			continue;
		(void)emit.begin(emit.ctx, "part", err);
		(void)emit.space(emit.ctx, &room, &cap, err);
		memset(room, 'p', cap);
		(void)emit.commit(emit.ctx, 1, err);
		(void)emit.end(emit.ctx, err);
	}
	(void)emit.unread(emit.ctx, "last.zip", RT_UNREAD_ARCHIVE, err);
	return RT_OK;
}

static enum rt_status run_no_memory(struct rt_job *job, struct rt_frames *frames,
				    struct rt_error *err)
{
	void *map =
	    mmap(NULL, 65 * RT_MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)job;
	(void)frames;
	err->code = RT_E_NOMEM;
	return map == MAP_FAILED ? RT_FATAL : RT_OK;
}

#define BROKEN "the unpacking process broke its protocol"

static const struct {
	const char *what;
	child_run *run;
	enum rt_code code;
	const char *message;
} bad[] = {
    {"exits at once", run_exit, RT_E_INPUT, "the process that unpacks gzip data stopped"},
    {"crashes", run_crash, RT_E_INPUT, "stopped (signal 11)"},
    {"hangs", run_hang, RT_E_INPUT, "made no progress"},
    {"hangs in a frame", run_half, RT_E_INPUT, "made no progress"},
    {"unknown type", run_type, RT_E_INPUT, BROKEN},
    {"a long frame", run_length, RT_E_INPUT, BROKEN},
    {"a long name", run_name, RT_E_INPUT, BROKEN},
    {"data before a part", run_data_first, RT_E_INPUT, BROKEN},
    {"no data", run_empty_data, RT_E_INPUT, BROKEN},
    {"a part in a part", run_begin_twice, RT_E_INPUT, BROKEN},
    {"an end before a part", run_end_first, RT_E_INPUT, BROKEN},
    {"an end with bytes", run_long_end, RT_E_INPUT, BROKEN},
    {"a short last word", run_short_finish, RT_E_INPUT, BROKEN},
    {"short progress", run_progress, RT_E_INPUT, BROKEN},
    {"asks where there is no source", run_pull, RT_E_INPUT, BROKEN},
    {"marks where there are none", run_marks, RT_E_INPUT, BROKEN},
    {"unread: nothing", run_unread_empty, RT_E_INPUT, BROKEN},
    {"unread: a long name", run_unread_long, RT_E_INPUT, BROKEN},
    {"unread: a reason that is none", run_unread_reason, RT_E_INPUT, BROKEN},
    {"unread: in a part", run_unread_in_part, RT_E_INPUT, BROKEN},
    {"unread: without an end", run_unread_endless, RT_E_INPUT, BROKEN},
    {"good end in a part", run_finish_in_part, RT_E_INPUT, BROKEN},
    {"unknown status", run_status, RT_E_INPUT, BROKEN},
    {"unknown code", run_code, RT_E_INPUT, BROKEN},
    {"endless texts", run_endless_text, RT_E_INPUT, "xxxxxxxx"},
    {"more than is left", run_flood, RT_E_INPUT, BROKEN},
    {"no memory", run_no_memory, RT_E_LIMIT, "limit \"decoder\""},
};

START_TEST(test_bad_child)
{
	struct rt_error err;
	size_t bytes;

	if (UNIT_HAS_ASAN && (bad[_i].run == run_no_memory || bad[_i].run == run_crash))
		return;
	start(bad[_i].run);
	ck_assert_msg(drain(&bytes, &err) == RT_REJECT, "%s", bad[_i].what);
	ck_assert_msg(err.code == bad[_i].code, "%s: code %d", bad[_i].what, (int)err.code);
	ck_assert_msg(strstr(err.message, bad[_i].message), "%s: have \"%s\"", bad[_i].what,
		      err.message);
	ck_assert_uint_le(bytes, RT_MIB);
}
END_TEST

/* What a good child says about members that are not read. */
START_TEST(test_unread)
{
	struct rt_unread unread = {0};
	struct rt_unread_entry entry;
	struct rt_error err;
	size_t bytes, at = 0;

	worker.unread = &unread;
	file.name = "below";
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
	static char room[RT_FRAME_MAX];
	struct rt_error err;
	char name[16];
	bool has_name;
	size_t len;
	enum rt_status status;

	start(run_flood);
	worker.delivered_max = UINT64_MAX;
	ck_assert_int_eq(rt_worker_next(&worker, name, sizeof(name), &has_name, &err), RT_OK);
	ck_assert_int_eq(rt_worker_read(&worker, room, 16, &len, &err), RT_OK);
	ck_assert_int_eq(kill(worker.child.pid, SIGKILL), 0);
	do {
		status = rt_worker_read(&worker, room, sizeof(room), &len, &err);
	} while (status == RT_OK);
	ck_assert_int_eq(status, RT_REJECT);
	ck_assert_str_eq(err.message, "the process that unpacks gzip data stopped (signal 9)");
}
END_TEST

/* --- What a child is allowed ---------------------------------------------------------------- */

/* Answers with the first rule that does not hold. Limits cannot be asked for any more. */
static enum rt_status run_check(struct rt_job *job, struct rt_frames *frames, struct rt_error *err)
{
	const char *fault = "none";

	(void)job;
	(void)frames;
	if (open("/dev/null", O_RDONLY) >= 0)
		fault = "a descriptor can be had";
	if (getenv("TEST_SECRET") || environ)
		fault = "there is an environment";
	if (!UNIT_HAS_ASAN && malloc(65 * RT_MIB))
		fault = "memory is not bounded";
	(void)rt_error_set(err, RT_E_INPUT, "%s", fault);
	return RT_REJECT;
}

START_TEST(test_limits)
{
	struct rt_error err;
	size_t bytes;

	(void)setenv("TEST_SECRET", "sesame", 1);
	start(run_check);
	ck_assert_int_eq(drain(&bytes, &err), RT_REJECT);
	ck_assert_str_eq(err.message, "none");
}
END_TEST

/* --- Real files ------------------------------------------------------------------------------ */

static const uint8_t gzip_hello[] = {0x1f, 0x8b, 8,    0,    0,    0,    0, 0, 0,
				     3,    0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 0x86,
				     0xa6, 0x10, 0x36, 5,    0,    0,    0};

/* A pipe that stays silent is not a process that hangs. */
START_TEST(test_slow_pipe)
{
	struct rt_plain plain = {0};
	struct rt_error err;
	size_t bytes;
	int fds[2];
	pid_t feeder;

	ck_assert_int_eq(pipe(fds), 0);
	feeder = fork();
	if (feeder == 0) {
		close(fds[0]);
		(void)usleep(1500 * 1000);
		(void)!write(fds[1], gzip_hello + 5, sizeof(gzip_hello) - 5);
		_exit(0);
	}
	close(fds[1]);
	file = (struct rt_file){.path = "-", .fd = fds[0]};
	plain.file = &file;
	plain.head_len = 5;
	memcpy(plain.head, gzip_hello, 5);
	ck_assert_int_eq(rt_worker_start(&worker, &plain, &options, RT_MIB, &err), RT_OK);
	ck_assert_msg(drain(&bytes, &err) == RT_END, "%s", err.message);
	ck_assert_uint_eq(bytes, 5);
	ck_assert_uint_eq(plain.at, sizeof(gzip_hello));
	ck_assert_uint_eq(rt_worker_expanded(&worker), 5);
	close(fds[0]);
	ck_assert_int_eq(waitpid(feeder, NULL, 0), feeder);
}
END_TEST

/* A caller whose own parent ignores SIGCHLD: children go unseen, reading works all the same. */
START_TEST(test_sigchld_ignored)
{
	struct rt_plain plain;
	struct rt_error err;
	size_t bytes;

	(void)signal(SIGCHLD, SIG_IGN);
	file.fd = memfd_create("x", MFD_CLOEXEC);
	file.size = sizeof(gzip_hello);
	ck_assert_int_eq(write(file.fd, gzip_hello, sizeof(gzip_hello)), sizeof(gzip_hello));
	ck_assert_int_eq(rt_plain_open(&plain, &file, &err), RT_OK);
	ck_assert_int_eq(rt_worker_start(&worker, &plain, &options, RT_MIB, &err), RT_OK);
	ck_assert_msg(drain(&bytes, &err) == RT_END, "%s", err.message);
	ck_assert_uint_eq(bytes, 5);
	ck_assert_uint_eq(worker.progress.consumed, sizeof(gzip_hello));
	rt_worker_stop(&worker);
	start(run_exit);
	ck_assert_int_eq(drain(&bytes, &err), RT_REJECT);
	ck_assert_str_eq(err.message, "the process that unpacks gzip data stopped");
	close(file.fd);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("worker");
	TCase *tcase = tcase_create("worker");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_bad_child, 0, (int)COUNT(bad));
	tcase_add_test(tcase, test_unread);
	tcase_add_test(tcase, test_killed);
	tcase_add_test(tcase, test_limits);
	tcase_add_test(tcase, test_slow_pipe);
	tcase_add_test(tcase, test_sigchld_ignored);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
