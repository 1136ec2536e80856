/*
 * Confines the process that calls. Input: the paths that it keeps. Output: none; what is given up
 * does not come back. Refuses to go on where the kernel has a way to take something away and then
 * does not, and, where a jail is required, a kernel without one.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attendant.h"
#include "base/error.h"
#include "base/io.h"
#include "base/jail.h"
#include "base/unnamed.h"
#include "files/lockfile.h"
#include "files/name.h"
#include "source/launcher.h"
#include "text/look.h"

/* Rights of root that reading and writing files needs, and those of a server besides. */
#define OF_FILES                                                                                   \
	(1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER | \
	 1u << CAP_FSETID)
#define OF_SERVERS (1u << CAP_NET_BIND_SERVICE)

/* --- Whether it needs an attendant ----------------------------------------------------------- */

/* Bytes of files that nothing needs help for: what is made of them stays small, too. */
#define SMALL_BYTES 65536

/* As many as decide what a file is (text/text.h). */
#define HEAD_BYTES 4096u

/* Whether a file of that name that begins so is JSON for sure, and not compressed, nor YAML. */
static bool is_json(const char *path, const char *head, size_t len)
{
	struct rt_look look = {.state = 0};

	return len > 0 && rt_lead_is_flow(head, len) && !rt_name_is_yaml(path, strlen(path)) &&
	       rt_look_on(&look, head, len, len < HEAD_BYTES) == RT_LOOK_OPEN;
}

/* Whether it is a small regular file of JSON, which is read without help. */
static bool is_small_json(const char *path)
{
	char head[HEAD_BYTES];
	struct stat st;
	ssize_t got = -1;
	int fd = -1;

	/* Opening and closing a FIFO would take its writer's reader away. */
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= SMALL_BYTES)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0) {
		got = rt_read_at(fd, head, sizeof(head), -1);
		(void)close(fd);
	}
	return got > 0 && is_json(path, head, (size_t)got);
}

static bool needs_attendant(const struct rt_confinement *kept)
{
	if (kept->write_count || kept->serves || kept->read_count != 1)
		return true;
	return strcmp(kept->read[0], "-") == 0 || !is_small_json(kept->read[0]);
}

/* --- Paths ----------------------------------------------------------------------------------- */

/* Whether a path that cannot be opened is for who reads or writes it to complain of. */
static bool is_nowhere(int sys)
{
	return sys == ENOENT || sys == ENOTDIR || sys == EACCES || sys == ELOOP ||
	       sys == ENAMETOOLONG || sys == ENXIO;
}

static enum rt_status keep_path(struct rt_jail_paths *paths, const char *path, enum rt_jail_use use,
				struct rt_error *err)
{
	int fd = open(path, O_PATH | O_CLOEXEC), sys;
	bool is_kept = fd >= 0 && rt_jail_paths_keep(paths, fd, use);

	sys = errno;
	if (fd >= 0)
		(void)close(fd);
	if (is_kept || (fd < 0 && is_nowhere(sys)))
		return RT_OK;
	(void)rt_error_sys(err, sys, "cannot confine this process to the file");
	rt_error_at(err, path, NULL);
	return rt_error_no_usage(err);
}

/* Keep the folder that a file is in or will be: that of the file itself where path is a link. */
static enum rt_status keep_folder(struct rt_jail_paths *paths, const char *path,
				  enum rt_jail_use use, struct rt_error *err)
{
	char real[PATH_MAX];
	char *slash;

	if (!realpath(path, real)) {
		size_t len = strlen(path);

		while (len > 1 && path[len - 1] == '/')
			len--;
		if (len >= sizeof(real))
			return RT_OK;
		memcpy(real, path, len);
		real[len] = '\0';
	}
	slash = strrchr(real, '/');
	if (!slash)
		(void)strcpy(real, ".");
	else
		slash[slash == real] = '\0';
	return keep_path(paths, real, use, err);
}

static enum rt_status keep_paths(const struct rt_confinement *kept, struct rt_error *err)
{
	struct rt_jail_paths paths;
	enum rt_status status = RT_OK;

	if (!rt_jail_paths_begin(&paths, kept->serves))
		return rt_error_sys(err, errno, "cannot confine this process (Landlock)");
	for (size_t i = 0; status == RT_OK && i < kept->read_count; i++) {
		if (strcmp(kept->read[i], "-") == 0)
			continue;
		status = kept->serves ? keep_folder(&paths, kept->read[i], RT_JAIL_READ, err)
				      : keep_path(&paths, kept->read[i], RT_JAIL_READ, err);
	}
	for (size_t i = 0; status == RT_OK && i < kept->write_count; i++) {
		if (strcmp(kept->write[i], "-") != 0)
			status = keep_folder(&paths, kept->write[i], RT_JAIL_WRITE, err);
	}
#ifdef RT_SANITIZED
	/* A sanitizer reads what it reports of. */
	if (status == RT_OK)
		status = keep_path(&paths, "/", RT_JAIL_READ, err);
#endif
	if (!rt_jail_paths_end(&paths) && status == RT_OK)
		status = rt_error_sys(err, errno, "cannot confine this process (Landlock)");
	return status;
}

/* --- All together ---------------------------------------------------------------------------- */

static const struct rt_attendant_duties duties = {
    .launch = rt_launcher_start,
    .name_holder = rt_lock_holder_find,
    .open_unnamed = rt_unnamed_open,
};

static enum rt_status give_up_calls(const struct rt_confinement *kept, struct rt_error *err)
{
	unsigned needs =
	    (kept->serves ? RT_JAIL_SERVES : 0u) | (kept->copies ? RT_JAIL_COPIES : 0u);

	if (!rt_jail_has_seccomp() || rt_jail_filter(&rt_calls_program[needs]))
		return RT_OK;
	return rt_error_sys(err, errno, "cannot confine this process (seccomp)");
}

enum rt_status rt_confine(const struct rt_confinement *kept, struct rt_error *err)
{
	enum rt_status status = kept->require_jail ? rt_jail_require(err) : RT_OK;

	if (status != RT_OK)
		return status;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return rt_error_sys(err, errno, "cannot confine this process");
	if (needs_attendant(kept))
		status = rt_attendant_start(&duties, err);
	else
		rt_attendant_do_without();
	if (status == RT_OK &&
	    !rt_jail_keep_capabilities(kept->serves ? OF_FILES | OF_SERVERS : OF_FILES))
		status = rt_error_sys(err, errno, "cannot confine this process (capabilities)");
	if (status == RT_OK)
		status = keep_paths(kept, err);
	return status == RT_OK ? give_up_calls(kept, err) : status;
}
