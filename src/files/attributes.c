/*
 * Owner, mode, access control list and user attributes. Input: an open file and its status.
 * Output: the same on another file. Attributes of other classes (labels of security modules,
 * capabilities, trusted ones) are left to the system, which sets them for new files itself.
 * Refuses to leave one out in silence where it was asked for.
 */
#include "files/attributes.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MODE_BITS 07777u

static bool is_kept(const char *name)
{
	return strncmp(name, "user.", strlen("user.")) == 0 ||
	       strcmp(name, "system.posix_acl_access") == 0;
}

static enum rt_status copy_one(int from_fd, int to_fd, const char *name, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	char *value = malloc(XATTR_SIZE_MAX);
	ssize_t len;

	if (!value)
		return rt_error_nomem(err);
	len = fgetxattr(from_fd, name, value, XATTR_SIZE_MAX);
	if (len < 0 || fsetxattr(to_fd, name, value, (size_t)len, 0) != 0)
		status = rt_error_sys(err, errno, "cannot keep the attribute %s", name);
	free(value);
	return status;
}

static enum rt_status copy_all(int from_fd, int to_fd, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	char *names = NULL;
	ssize_t len = flistxattr(from_fd, NULL, 0);

	if (len < 0 && errno != ENOTSUP)
		return rt_error_sys(err, errno, "cannot read the attributes");
	if (len <= 0)
		return RT_OK;
	names = malloc(XATTR_LIST_MAX);
	if (!names)
		return rt_error_nomem(err);
	len = flistxattr(from_fd, names, XATTR_LIST_MAX);
	if (len < 0)
		status = rt_error_sys(err, errno, "cannot read the attributes");
	for (ssize_t at = 0; status == RT_OK && at < len; at += (ssize_t)strlen(names + at) + 1) {
		if (is_kept(names + at))
			status = copy_one(from_fd, to_fd, names + at, err);
	}
	free(names);
	return status;
}

static enum rt_status copy_owner(const struct stat *from, int to_fd, struct rt_error *err)
{
	struct stat to;

	if (fstat(to_fd, &to) != 0)
		return rt_error_sys(err, errno, "cannot look at the new file");
	if (to.st_uid == from->st_uid && to.st_gid == from->st_gid)
		return RT_OK;
	if (fchown(to_fd, to.st_uid == from->st_uid ? (uid_t)-1 : from->st_uid,
		   to.st_gid == from->st_gid ? (gid_t)-1 : from->st_gid) != 0)
		return rt_error_sys(err, errno, "cannot keep the owner of the file");
	return RT_OK;
}

enum rt_status rt_attributes_copy(int from_fd, const struct stat *from, int to_fd,
				  struct rt_error *err)
{
	enum rt_status status = copy_owner(from, to_fd, err);

	if (status == RT_OK)
		status = copy_all(from_fd, to_fd, err);
	/* Last: a change of owner takes bits away, and the list's mask is the group's bits. */
	if (status == RT_OK && fchmod(to_fd, from->st_mode & MODE_BITS) != 0)
		status = rt_error_sys(err, errno, "cannot keep the mode of the file");
	return status;
}
