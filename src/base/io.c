/*
 * Reads and writes descriptors, in as many calls as the system needs: a signal may break off any of
 * them, and a write may take a part for the whole.
 */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"

/* Of files' pages, and of most file systems' blocks. */
#define PAGE_ALIGN 4096u

enum rt_status rt_write_all(int fd, const void *data, size_t len, const char *what,
			    struct rt_error *err)
{
	const char *at = data;

	while (len) {
		ssize_t done = write(fd, at, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return rt_error_sys(err, done < 0 ? errno : EIO, "%s", what);
		at += done;
		len -= (size_t)done;
	}
	return RT_OK;
}

void rt_write_begin(int fd, uint64_t end, uint64_t *started)
{
	/* Not the page that is still being filled. */
	end -= end % PAGE_ALIGN;
	if (end < *started + RT_WRITE_BEGIN_BYTES)
		return;
	(void)sync_file_range(fd, (off_t)*started, (off_t)(end - *started), SYNC_FILE_RANGE_WRITE);
	*started = end;
}

ssize_t rt_read_at(int fd, void *buf, size_t cap, off_t offset)
{
	ssize_t got;

	do {
		got = offset < 0 ? read(fd, buf, cap) : pread(fd, buf, cap, offset);
	} while (got < 0 && errno == EINTR);
	return got;
}

bool rt_random(void *bytes, size_t len)
{
	ssize_t got;

	do {
		got = getrandom(bytes, len, 0);
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)len;
}

enum rt_status rt_pull_copy(struct rt_pull from, const struct rt_sink *to, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	char block[RT_OUT_BYTES];
	size_t len = 0;

	while (status == RT_OK) {
		status = from.read(from.ctx, block, sizeof(block), &len, err);
		if (status == RT_OK && to)
			status = to->write(to->ctx, block, len, err);
	}
	return status == RT_END ? RT_OK : status;
}

static enum rt_status range_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				 struct rt_error *err)
{
	struct rt_range *range = ctx;
	uint64_t left = range->end - range->at;
	ssize_t got = rt_read_at(range->fd, buf, left < cap ? (size_t)left : cap, (off_t)range->at);

	if (got < 0)
		return rt_error_sys(err, errno, "%s", range->what);
	if (got == 0 && left && range->end != UINT64_MAX)
		return rt_error_set(err, RT_E_IO,
				    "the file was changed: it ends after %" PRIu64 " byte%s",
				    range->at, RT_S(range->at));
	range->at += (uint64_t)got;
	*ret_len = (size_t)got;
	return got ? RT_OK : RT_END;
}

struct rt_pull rt_range_pull(struct rt_range *range)
{
	return (struct rt_pull){range_read, range};
}

enum rt_status rt_outfile_flush(struct rt_outfile *out, struct rt_error *err)
{
	size_t len = out->len;

	out->len = 0;
	out->written += len;
	return rt_write_all(out->fd, out->block, len, out->what, err);
}

enum rt_status rt_outfile_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_outfile *out = ctx;
	enum rt_status status = RT_OK;

	if (len > sizeof(out->block) - out->len)
		status = rt_outfile_flush(out, err);
	if (status != RT_OK)
		return status;
	if (len >= sizeof(out->block)) {
		out->written += len;
		return rt_write_all(out->fd, data, len, out->what, err);
	}
	memcpy(out->block + out->len, data, len);
	out->len += len;
	return RT_OK;
}

enum rt_status rt_read_fd(int fd, size_t max, const char *const words[3], struct rt_buf *text,
			  struct rt_error *err)
{
	enum rt_status status = RT_OK;
	size_t start = text->len;
	ssize_t got = 1;

	if (fd < 0)
		return rt_error_sys(err, errno, "%s", words[0]);
	while (status == RT_OK && got) {
		status = rt_buf_reserve(text, BUFSIZ, err);
		if (status != RT_OK)
			break;
		got = rt_read_at(fd, text->data + text->len, BUFSIZ, -1);
		if (got < 0)
			return rt_error_sys(err, errno, "%s", words[1]);
		text->len += (size_t)got;
		if (text->len - start > max)
			status = rt_error_set(err, RT_E_LIMIT, "%s", words[2]);
	}
	return status;
}

enum rt_status rt_read_file(const char *path, size_t max, const char *const words[3],
			    struct rt_buf *text, struct rt_error *err)
{
	enum rt_status status;
	struct stat st;
	int fd;

	/* A FIFO would be waited for; one that the shell has opened has an end. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !rt_is_descriptor(path))
		return rt_error_set(err, RT_E_USAGE, "%s: not a regular file", words[0]);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	status = rt_read_fd(fd, max, words, text, err);
	if (fd >= 0)
		(void)close(fd);
	return status;
}

/* Whether the folder of a path is one of /proc, where a descriptor may be absent. */
static bool is_in_proc(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	struct statfs st;

	(void)snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
	return statfs(folder, &st) == 0 && st.f_type == PROC_SUPER_MAGIC;
}

bool rt_is_descriptor(const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	int why = fd < 0 ? errno : 0;
	char target[PATH_MAX];
	ssize_t len = -1;
	struct stat st;

	if (fd >= 0)
		(void)close(fd);
	/* ELOOP is also that links lead round in a circle, where nothing is. */
	if (why == ELOOP && stat(path, &st) == 0)
		return true;
	/* Where the kernel, or a container, has no such call: where a link leads to, once. */
	if (why == ENOSYS || why == EPERM)
		len = readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	return is_in_proc(path) || (len > 0 && is_in_proc(target));
}

/* --- Files without a name -------------------------------------------------------------------- */

enum rt_status rt_unnamed_write(int fd, const void *data, size_t len, uint64_t *written,
				uint64_t max, const char *what, struct rt_error *err)
{
	if (len > max || *written > max - len)
		return rt_error_limit(err, "the temporary file", "temporary", max);
	*written += len;
	return rt_write_all(fd, data, len, what, err);
}
