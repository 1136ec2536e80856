/*
 * A library to preload that puts code into a process of retriage, as a fault in what reads its
 * input would, and tries one thing that the process must not be able to do. It takes the place of
 * the function that a reading of a tar begins with, in a process that unpacks; of pread(), which
 * the program first calls for the first bytes of an input; or of the one that reads YAML.
 *
 * Environment: LD_HOSTILE, the name of what is tried (the table at the end), LD_HOSTILE_IN, the
 * function whose place is taken (decoder, program or yaml), and LD_HOSTILE_DIR, a folder with
 * `file`, `empty/` and `program` in it, beside which is the input `e.json`. What came of it shows
 * in how the process ends: by SIGSYS, the call was not allowed; by SIGILL, it failed; without a
 * signal, it succeeded.
 *
 * Or LD_HOSTILE_SAY, a file of bytes, which are all that the process then says.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

/* The socket and the file of a job, as a process that unpacks has them. */
#define SOCK 3
#define FILE_FD 4
#define FDS_END 8

/* All by number: the C library's own functions may do more than is meant. */
#define CALL(...) (syscall(__VA_ARGS__) >= 0)

static const char *dir, *name, *where, *secret;
static char said[1 << 20];
static size_t said_len;

/* Before there is anything to hide: a process that unpacks has no environment. */
__attribute__((constructor)) static void begin(void)
{
	dir = getenv("LD_HOSTILE_DIR");
	name = getenv("LD_HOSTILE") ? strdup(getenv("LD_HOSTILE")) : NULL;
	where = getenv("LD_HOSTILE_IN") ? strdup(getenv("LD_HOSTILE_IN")) : NULL;
	dir = dir ? strdup(dir) : NULL;
	secret = getenv("SECRET");
	if (getenv("LD_HOSTILE_SAY")) {
		FILE *file = fopen(getenv("LD_HOSTILE_SAY"), "rb");

		said_len = file ? fread(said, 1, sizeof(said), file) : 0;
		name = "";
		if (file)
			fclose(file);
	}
}

static const char *in_dir(const char *file)
{
	static char paths[2][4096];
	static unsigned next;
	char *path = paths[next++ % 2];

	(void)snprintf(path, sizeof(paths[0]), "%s/%s", dir, file);
	return path;
}

/* --- Paths ------------------------------------------------------------------------------- */

static bool read_passwd(void)
{
	return CALL(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
}

static bool read_passwd_openat2(void)
{
	unsigned long long how[3] = {O_RDONLY, 0, 0};

	return CALL(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof(how));
}

static bool open_root(void)
{
	return CALL(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY);
}

static bool write_file(void)
{
	return CALL(SYS_openat, AT_FDCWD, in_dir("file"), O_WRONLY | O_TRUNC);
}

static bool create(void)
{
	return CALL(SYS_openat, AT_FDCWD, in_dir("new"), O_CREAT | O_WRONLY, 0600);
}

static bool truncate_file(void)
{
	return CALL(SYS_truncate, in_dir("file"), 0);
}

static bool unlink_file(void)
{
	return CALL(SYS_unlinkat, AT_FDCWD, in_dir("file"), 0);
}

static bool rename_file(void)
{
	return CALL(SYS_renameat2, AT_FDCWD, in_dir("file"), AT_FDCWD, in_dir("other"), 0);
}

static bool make_folder(void)
{
	return CALL(SYS_mkdirat, AT_FDCWD, in_dir("new"), 0700);
}

static bool remove_folder(void)
{
	return CALL(SYS_unlinkat, AT_FDCWD, in_dir("empty"), AT_REMOVEDIR);
}

static bool make_symlink(void)
{
	return CALL(SYS_symlinkat, "/etc/passwd", AT_FDCWD, in_dir("new"));
}

static bool make_link(void)
{
	return CALL(SYS_linkat, AT_FDCWD, in_dir("file"), AT_FDCWD, in_dir("new"), 0);
}

static bool make_fifo(void)
{
	return CALL(SYS_mknodat, AT_FDCWD, in_dir("new"), 0010600, 0);
}

static bool change_mode(void)
{
	return CALL(SYS_fchmodat, AT_FDCWD, in_dir("file"), 0777);
}

static bool change_mode_fd(void)
{
	return CALL(SYS_fchmod, FILE_FD, 0777);
}

static bool touch_file(void)
{
	return CALL(SYS_utimensat, AT_FDCWD, in_dir("file"), NULL, 0);
}

static bool label_file(void)
{
	return CALL(SYS_setxattr, in_dir("file"), "user.x", "x", 1, 0);
}

static bool write_export(void)
{
	return CALL(SYS_openat, AT_FDCWD, in_dir("../e.json"), O_WRONLY);
}

static bool read_secrets(void)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)getppid());
	return CALL(SYS_openat, AT_FDCWD, path, O_RDONLY);
}

static bool change_owner(void)
{
	return CALL(SYS_fchownat, AT_FDCWD, in_dir("file"), 12345, 12345, 0);
}

static bool change_root(void)
{
	return CALL(SYS_chroot, dir);
}

static bool open_by_handle(void)
{
	struct {
		unsigned bytes;
		int type;
		char handle[128];
	} handle = {.bytes = 128};
	int mount_id;

	if (!CALL(SYS_name_to_handle_at, AT_FDCWD, in_dir("file"), &handle, &mount_id, 0))
		return false;
	return CALL(SYS_open_by_handle_at, FILE_FD, &handle, O_RDONLY);
}

/* --- Processes --------------------------------------------------------------------------- */

static bool fork_process(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid == 0)
		syscall(SYS_exit_group, 0);
	return pid > 0;
}

static bool start_thread(void)
{
	static char stack[65536];
	long pid = syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, stack + sizeof(stack), NULL,
			   NULL, NULL);

	if (pid == 0)
		syscall(SYS_exit, 0);
	return pid > 0;
}

/* Succeeds, where it does, as the program: one that exits. */
static bool execute(void)
{
	char *arguments[] = {NULL};

	return CALL(SYS_execve, in_dir("program"), arguments, arguments);
}

/* What this process has made itself. */
static bool execute_made(void)
{
	char *arguments[] = {NULL};
	long fd = syscall(SYS_memfd_create, "x", 0), from;
	static char data[65536];
	long got;

	from = fd < 0 ? -1 : syscall(SYS_openat, AT_FDCWD, in_dir("program"), O_RDONLY);
	while (from >= 0 && (got = syscall(SYS_read, from, data, sizeof(data))) > 0)
		syscall(SYS_write, fd, data, got);
	return fd >= 0 && CALL(SYS_execveat, fd, "", arguments, arguments, AT_EMPTY_PATH);
}

static bool execute_memory(void)
{
	return CALL(SYS_memfd_create, "x", 0);
}

static bool kill_parent(void)
{
	return CALL(SYS_kill, getppid(), SIGTERM);
}

static bool kill_all(void)
{
	return CALL(SYS_kill, -1, 0);
}

static bool queue_signal(void)
{
	return CALL(SYS_tgkill, getppid(), getppid(), SIGTERM);
}

static bool trace_parent(void)
{
	return CALL(SYS_ptrace, PTRACE_SEIZE, getppid(), 0, 0);
}

static bool read_parent(void)
{
	static char data[16];
	struct iovec to = {data, sizeof(data)}, from = {(void *)(uintptr_t)&dir, sizeof(dir)};
	long got = syscall(SYS_process_vm_readv, getppid(), &to, 1, &from, 1, 0);

	/* Nothing of ours needs to be mapped there for the right to be had. */
	return got >= 0 || errno == EFAULT;
}

static bool write_parent(void)
{
	static char data[1];
	struct iovec from = {data, sizeof(data)}, to = {(void *)(uintptr_t)8, sizeof(data)};
	long put = syscall(SYS_process_vm_writev, getppid(), &from, 1, &to, 1, 0);

	return put >= 0 || errno == EFAULT;
}

static bool open_parent(void)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)getppid());
	return CALL(SYS_openat, AT_FDCWD, path, O_RDWR);
}

static bool take_descriptor(void)
{
	long fd = syscall(SYS_pidfd_open, getppid(), 0);

	return fd >= 0 && CALL(SYS_pidfd_getfd, fd, 0, 0);
}

static bool open_pidfd(void)
{
	return CALL(SYS_pidfd_open, getppid(), 0);
}

static bool limit_parent(void)
{
	struct rlimit none = {0, 0};

	return CALL(SYS_prlimit64, getppid(), RLIMIT_FSIZE, &none, NULL);
}

static bool slow_parent(void)
{
	return CALL(SYS_setpriority, PRIO_PROCESS, getppid(), 19);
}

static bool bind_parent(void)
{
	unsigned long mask = 1;

	return CALL(SYS_sched_setaffinity, getppid(), sizeof(mask), &mask);
}

/* --- Memory ------------------------------------------------------------------------------ */

static bool map_code(void)
{
	return CALL(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static bool make_code(void)
{
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return map != MAP_FAILED && CALL(SYS_mprotect, map, 4096, PROT_READ | PROT_EXEC);
}

static bool map_file(void)
{
	return CALL(SYS_mmap, NULL, 4096, PROT_READ, MAP_SHARED, FILE_FD, 0);
}

static bool share_memory(void)
{
	return CALL(SYS_shmget, IPC_PRIVATE, 4096, IPC_CREAT | 0600);
}

static bool fault_handler(void)
{
	return CALL(SYS_userfaultfd, O_CLOEXEC);
}

/* --- Sockets ----------------------------------------------------------------------------- */

static bool socket_inet(void)
{
	return CALL(SYS_socket, AF_INET, SOCK_STREAM, 0);
}

static bool socket_unix(void)
{
	return CALL(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
}

static bool socket_pair(void)
{
	int fds[2];

	return CALL(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, fds);
}

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0hostile"};

static bool bind_socket(void)
{
	return CALL(SYS_bind, SOCK, &address, sizeof(address));
}

static bool connect_socket(void)
{
	return CALL(SYS_connect, SOCK, &address, sizeof(address));
}

static bool send_descriptor(void)
{
	char room[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
	struct iovec part = {&byte, 1};
	struct msghdr message = {
	    .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
	int fd = FILE_FD;

	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(rights), &fd, sizeof(fd));
	return CALL(SYS_sendmsg, SOCK, &message, MSG_NOSIGNAL);
}

/* --- Rights and the kernel --------------------------------------------------------------- */

static bool become_root(void)
{
	return CALL(SYS_setresuid, 0, 0, 0) && CALL(SYS_openat, AT_FDCWD, "/etc/shadow", O_RDONLY);
}

static bool become_other(void)
{
	return CALL(SYS_setresuid, 12345, 12345, 12345);
}

static bool enter_namespace(void)
{
	return CALL(SYS_setns, FILE_FD, 0);
}

static bool new_namespace(void)
{
	return CALL(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS);
}

/* There is nothing to unmount, which only who may do so is told. */
static bool unmount(void)
{
	return CALL(SYS_umount2, dir, 0) || errno == EINVAL;
}

static bool undo(void)
{
	return CALL(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static bool raise_limit(void)
{
	struct rlimit more = {1000, 1000};

	return CALL(SYS_prlimit64, 0, RLIMIT_NOFILE, &more, NULL);
}

static bool count_events(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr)};

	return CALL(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static bool load_bpf(void)
{
	char attr[72] = {1, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1};

	return CALL(SYS_bpf, 0, attr, sizeof(attr));
}

static bool use_keys(void)
{
	return CALL(SYS_keyctl, KEYCTL_GET_KEYRING_ID, -3, 1);
}

static bool use_ring(void)
{
	char parameters[120] = {0};

	return CALL(SYS_io_uring_setup, 1, parameters);
}

static bool watch_files(void)
{
	return CALL(SYS_inotify_init1, 0);
}

static bool push_input(void)
{
	return CALL(SYS_ioctl, SOCK, TIOCSTI, "x");
}

static bool copy_descriptor(void)
{
	return CALL(SYS_dup, FILE_FD);
}

/* As a program of 32 bits calls, by other numbers: its getegid() has that of futex(). */
static bool foreign_call(void)
{
#ifdef __x86_64__
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(202L) : "memory");
	return result >= 0;
#else
	return false;
#endif
}

/* --- What it says ------------------------------------------------------------------------ */

static void say(void)
{
	ssize_t put = 0;

	for (size_t at = 0; at < said_len && put >= 0; at += (size_t)put)
		put = syscall(SYS_write, SOCK, said + at, said_len - at);
	syscall(SYS_exit_group, 0);
}

/* --- What it was given ------------------------------------------------------------------- */

static bool write_input(void)
{
	return CALL(SYS_pwrite64, FILE_FD, "x", 1, 0);
}

static bool other_descriptors(void)
{
	for (int fd = 0; fd < 4096; fd++) {
		if ((fd < SOCK || fd >= FDS_END) && CALL(SYS_fcntl, fd, F_GETFD))
			return true;
	}
	return false;
}

static bool environment(void)
{
	for (char **each = environ; each && *each; each++) {
		if (strncmp(*each, "LD_", 3) != 0)
			return true;
	}
	return secret && secret[0];
}

static const struct {
	const char *name;
	bool (*try)(void);
} attempts[] = {
    {"read_passwd", read_passwd},
    {"read_passwd_openat2", read_passwd_openat2},
    {"open_root", open_root},
    {"write_file", write_file},
    {"create", create},
    {"truncate_file", truncate_file},
    {"unlink_file", unlink_file},
    {"rename_file", rename_file},
    {"make_folder", make_folder},
    {"remove_folder", remove_folder},
    {"make_symlink", make_symlink},
    {"make_link", make_link},
    {"make_fifo", make_fifo},
    {"change_mode", change_mode},
    {"change_mode_fd", change_mode_fd},
    {"touch_file", touch_file},
    {"label_file", label_file},
    {"write_export", write_export},
    {"read_secrets", read_secrets},
    {"change_owner", change_owner},
    {"change_root", change_root},
    {"open_by_handle", open_by_handle},
    {"fork_process", fork_process},
    {"start_thread", start_thread},
    {"execute", execute},
    {"execute_made", execute_made},
    {"execute_memory", execute_memory},
    {"kill_parent", kill_parent},
    {"kill_all", kill_all},
    {"queue_signal", queue_signal},
    {"trace_parent", trace_parent},
    {"read_parent", read_parent},
    {"write_parent", write_parent},
    {"open_parent", open_parent},
    {"take_descriptor", take_descriptor},
    {"open_pidfd", open_pidfd},
    {"limit_parent", limit_parent},
    {"slow_parent", slow_parent},
    {"bind_parent", bind_parent},
    {"map_code", map_code},
    {"make_code", make_code},
    {"map_file", map_file},
    {"share_memory", share_memory},
    {"fault_handler", fault_handler},
    {"socket_inet", socket_inet},
    {"socket_unix", socket_unix},
    {"socket_pair", socket_pair},
    {"bind_socket", bind_socket},
    {"connect_socket", connect_socket},
    {"send_descriptor", send_descriptor},
    {"become_root", become_root},
    {"become_other", become_other},
    {"enter_namespace", enter_namespace},
    {"new_namespace", new_namespace},
    {"unmount", unmount},
    {"undo", undo},
    {"raise_limit", raise_limit},
    {"count_events", count_events},
    {"load_bpf", load_bpf},
    {"use_keys", use_keys},
    {"use_ring", use_ring},
    {"watch_files", watch_files},
    {"push_input", push_input},
    {"copy_descriptor", copy_descriptor},
    {"foreign_call", foreign_call},
    {"write_input", write_input},
    {"other_descriptors", other_descriptors},
    {"environment", environment},
};

/* Try what is asked for, where it is asked for here. */
static void try(const char *here)
{
	if (!name || !where || strcmp(where, here) != 0)
		return;
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		if (strcmp(name, attempts[i].name) == 0 && attempts[i].try())
			syscall(SYS_exit_group, 0);
	}
	if (said_len)
		say();
	/* It has failed, or there is no such name, which the test looks for first. */
	__builtin_trap();
}

struct archive *archive_read_new(void);

struct archive *archive_read_new(void)
{
	try("decoder");
	__builtin_trap();
}

ssize_t pread(int fd, void *buf, size_t len, off_t offset)
{
	try("program");
	return syscall(SYS_pread64, fd, buf, len, offset);
}

int yaml_parser_parse(void *parser, void *event);

int yaml_parser_parse(void *parser, void *event)
{
	(void)parser;
	(void)event;
	try("yaml");
	__builtin_trap();
}
