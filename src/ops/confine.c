/*
 * Confines the program once it knows its inputs and outputs, after the forker has been started.
 * What is given up does not come back.
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

#include "base/error.h"
#include "base/forker.h"
#include "base/io.h"
#include "base/sandbox.h"
#include "files/lockfile.h"
#include "source/child.h"

/* Rights of root that reading and writing files needs, and those of a server besides. */
#define OF_FILES                                                                                   \
	(1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER | \
	 1u << CAP_FSETID)
#define OF_SERVERS (1u << CAP_NET_BIND_SERVICE)

/* --- Paths ----------------------------------------------------------------------------------- */

/* Whether a path that cannot be opened is for who reads or writes it to complain of. */
static bool is_nowhere(int sys)
{
	return sys == ENOENT || sys == ENOTDIR || sys == EACCES || sys == ELOOP ||
	       sys == ENAMETOOLONG || sys == ENXIO;
}

static enum rt_status keep_path(struct rt_sandbox_paths *paths, const char *path,
				enum rt_sandbox_use use, struct rt_error *err)
{
	int fd = open(path, O_PATH | O_CLOEXEC), sys;
	bool is_kept = fd >= 0 && rt_sandbox_paths_keep(paths, fd, use);

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
static enum rt_status keep_folder(struct rt_sandbox_paths *paths, const char *path,
				  enum rt_sandbox_use use, struct rt_error *err)
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
	struct rt_sandbox_paths paths;
	enum rt_status status = RT_OK;

	if (!rt_sandbox_paths_begin(&paths, kept->serves))
		return rt_error_sys(err, errno, "cannot confine this process (Landlock)");
	for (size_t i = 0; status == RT_OK && i < kept->path_count; i++) {
		const struct rt_kept_path *each = &kept->paths[i];

		if (strcmp(each->path, "-") == 0)
			continue;
		if (each->read)
			status = kept->serves
				     ? keep_folder(&paths, each->path, RT_SANDBOX_READ, err)
				     : keep_path(&paths, each->path, RT_SANDBOX_READ, err);
		if (status == RT_OK && each->written)
			status = keep_folder(&paths, each->path, RT_SANDBOX_WRITE, err);
	}
#ifdef RT_SANITIZED
	/* A sanitizer reads what it reports of. */
	if (status == RT_OK)
		status = keep_path(&paths, "/", RT_SANDBOX_READ, err);
#endif
	if (!rt_sandbox_paths_end(&paths) && status == RT_OK)
		status = rt_error_sys(err, errno, "cannot confine this process (Landlock)");
	return status;
}

/* --- All together ---------------------------------------------------------------------------- */

enum rt_status rt_confine(const struct rt_confinement *kept, struct rt_error *err)
{
	enum rt_status status = kept->require_jail ? rt_sandbox_require(err) : RT_OK;

	if (status == RT_OK)
		status = rt_forker_start(rt_child_main, err);
	if (status != RT_OK)
		return status;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return rt_error_sys(err, errno, "cannot confine this process");
	if (!rt_sandbox_keep_capabilities(kept->serves ? OF_FILES | OF_SERVERS : OF_FILES))
		return rt_error_sys(err, errno, "cannot confine this process (capabilities)");
	status = keep_paths(kept, err);
	if (status == RT_OK && !rt_sandbox_refuse_calls(kept->serves))
		status = rt_error_sys(err, errno, "cannot confine this process (seccomp)");
	return status;
}
