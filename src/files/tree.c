/* Copies a directory, as plainly as cp -r does. */
#include "files/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "files/descend.h"
#include "files/files.h"

/* Its owner may be another now: nobody is to run it as somebody else. */
#define MODE_BITS 0777u

struct tree {
	int from, to;
	const struct rt_choice *choice; /* of the candidates */
};

/* What is read: the export is at fault. */
static enum rt_status unreadable(struct rt_error *err, const char *what)
{
	(void)rt_error_sys(err, errno, "%s", what);
	(void)rt_error_no_usage(err);
	return RT_REJECT;
}

static enum rt_status unwritable(struct rt_error *err, const char *what)
{
	(void)unreadable(err, what);
	return RT_FATAL;
}

/*
 * Open the directory below root that holds the entry at path. *ret_name: the entry's name there.
 * Returns a new descriptor, or -1 with errno set.
 */
static int open_parent(int root, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	*ret_name = slash ? slash + 1 : path;
	if (!slash)
		return fcntl(root, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	/* Paths are shorter than PATH_MAX, or were not walked to. */
	memcpy(folder, path, (size_t)(slash - path));
	folder[slash - path] = '\0';
	return rt_descend_open(root, folder, O_RDONLY | O_DIRECTORY);
}

enum rt_status rt_tree_create(int from_fd, int to, const char *name, int *ret_fd,
			      struct rt_error *err)
{
	enum rt_status status = RT_OK;
	const char *last;
	struct stat st;
	int parent;

	if (fstat(from_fd, &st) != 0)
		return unreadable(err, "cannot stat the file");
	parent = open_parent(to, name, &last);
	if (parent < 0)
		return unwritable(err, "cannot open the new directory");
	*ret_fd = openat(parent, last, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			 st.st_mode & MODE_BITS);
	if (*ret_fd < 0)
		status = unwritable(err, "cannot make the new file");
	close(parent);
	return status;
}

static enum rt_status copy_directory(const struct tree *tree, const struct rt_entry *entry,
				     struct rt_error *err)
{
	const char *name;
	int parent = open_parent(tree->to, entry->path, &name);
	enum rt_status status = RT_OK;

	if (parent < 0)
		return unwritable(err, "cannot open the new directory");
	if (mkdirat(parent, name, (entry->st.st_mode & MODE_BITS) | S_IRWXU) != 0)
		status = unwritable(err, "cannot make the new directory");
	close(parent);
	return status;
}

static enum rt_status copy_link(const struct tree *tree, const struct rt_entry *entry,
				struct rt_error *err)
{
	char text[PATH_MAX];
	ssize_t len = readlinkat(entry->at, entry->name, text, sizeof(text) - 1);
	enum rt_status status = RT_OK;
	const char *name;
	int parent;

	if (len < 0)
		return unreadable(err, "cannot read the symbolic link");
	text[len] = '\0';
	parent = open_parent(tree->to, entry->path, &name);
	if (parent < 0)
		return unwritable(err, "cannot open the new directory");
	if (symlinkat(text, parent, name) != 0)
		status = unwritable(err, "cannot make the symbolic link");
	close(parent);
	return status;
}

static enum rt_status copy_file(const struct tree *tree, const struct rt_entry *entry,
				struct rt_error *err)
{
	static const struct rt_patches none;
	struct stat st;
	int to = -1;
	enum rt_status status = RT_OK;
	/* O_NONBLOCK: a FIFO put in the file's place must not hold us; no effect on files. */
	int from = openat(entry->at, entry->name,
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (from < 0)
		return unreadable(err, "cannot open the file");
	if (fstat(from, &st) != 0) {
		status = unreadable(err, "cannot stat the file");
	} else if (!S_ISREG(st.st_mode)) {
		status = rt_error_reject(err, RT_E_IO, "the file was replaced while it was read");
	}
	if (status == RT_OK)
		status = rt_tree_create(from, tree->to, entry->path, &to, err);
	if (status == RT_OK)
		status = rt_splice(from, (uint64_t)st.st_size, &none, 0, to, err);
	if (to >= 0 && close(to) != 0 && status == RT_OK)
		status = unwritable(err, "cannot close the new file");
	close(from);
	return status;
}

static enum rt_status copy_entry(void *ctx, const struct rt_entry *entry, struct rt_error *err)
{
	const struct tree *tree = ctx;

	if (S_ISDIR(entry->st.st_mode))
		return copy_directory(tree, entry, err);
	if (S_ISLNK(entry->st.st_mode))
		return copy_link(tree, entry, err);
	if (!S_ISREG(entry->st.st_mode))
		return rt_error_reject(err, RT_E_USAGE, "cannot copy %s",
				       S_ISFIFO(entry->st.st_mode) ? "a FIFO"
								   : "a device or socket");
	if (rt_name_judge(tree->choice, NULL, entry->path) == RT_NAME_CANDIDATE)
		return RT_OK;
	return copy_file(tree, entry, err);
}

/* Refuse a copy into the directory itself: there is no end to it. Looks at all above `to`. */
static enum rt_status refuse_inside(int from, int to, struct rt_error *err)
{
	struct stat source, st = {0}, below;
	enum rt_status status = RT_OK;
	int fd = openat(to, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(from, &source) != 0 || fstat(fd, &st) != 0)
		status = unwritable(err, "cannot stat the folder of the new directory");
	while (status == RT_OK) {
		int up;

		if (rt_same_file(&st, &source)) {
			(void)rt_error_set(err, RT_E_USAGE,
					   "is inside the directory of the export");
			status = RT_FATAL;
			break;
		}
		below = st;
		up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = up;
		if (fd < 0 || fstat(fd, &st) != 0)
			status = unwritable(err, "cannot stat the folder of the new directory");
		else if (rt_same_file(&st, &below))
			break; /* the root is its own parent */
	}
	if (fd >= 0)
		close(fd);
	return status;
}

enum rt_status rt_tree_copy(int from, int to, const struct rt_choice *choice, uint64_t max_entries,
			    struct rt_error *err)
{
	struct rt_paths directories = {0};
	struct tree tree = {from, to, choice};
	enum rt_status status = refuse_inside(from, to, err);

	if (status == RT_OK)
		status = rt_descend(from, max_entries, copy_entry, &tree, &directories, err);
	rt_paths_release(&directories);
	return status;
}

enum rt_status rt_tree_finish(int from, int to, struct rt_error *err)
{
	struct stat st;

	if (fstat(from, &st) != 0)
		return unreadable(err, "cannot stat the directory");
	if (fchmod(to, (st.st_mode & MODE_BITS) | S_IRWXU) != 0)
		return unwritable(err, "cannot keep the mode of the directory");
	return syncfs(to) == 0 ? RT_OK : unwritable(err, "cannot write the new files to disk");
}

/* --- A file with patches --------------------------------------------------------------------- */

/* Blocks that stay in the processor's cache between the read and the write are copied fastest:
 * 256 KiB took the least time of 64 KiB to 4 MiB. */
#define BLOCK_BYTES ((size_t)256 * 1024)

struct splicer {
	int in_fd, out_fd;
	uint64_t size;      /* of the input */
	uint64_t at;        /* place in the input */
	uint64_t written;   /* place in the output */
	uint64_t started;   /* bytes of the output that the system was asked to write to disk */
	uint64_t block_end; /* place in the input of the end of block; at or before `at`: used up */
	size_t block_len, out_len;
	char block[BLOCK_BYTES], out[BLOCK_BYTES];
};

static enum rt_status flush(struct splicer *s, struct rt_error *err)
{
	enum rt_status status =
	    rt_write_all(s->out_fd, s->out, s->out_len, "cannot write the new file", err);

	s->written += s->out_len;
	s->out_len = 0;
	if (status == RT_OK)
		rt_write_begin(s->out_fd, s->written, &s->started);
	return status;
}

static enum rt_status add_piece(struct splicer *s, const char *ptr, size_t len,
				struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && len) {
		size_t room = BLOCK_BYTES - s->out_len, part = len < room ? len : room;

		memcpy(s->out + s->out_len, ptr, part);
		s->out_len += part;
		ptr += part;
		len -= part;
		if (s->out_len == BLOCK_BYTES)
			status = flush(s, err);
	}
	return status;
}

static enum rt_status fill_block(struct splicer *s, struct rt_error *err)
{
	ssize_t got = rt_read_at(s->in_fd, s->block, BLOCK_BYTES, (off_t)s->at);

	if (got < 0) {
		(void)rt_error_sys(err, errno, "cannot read the file");
		return RT_REJECT;
	}
	if (got == 0)
		return rt_error_reject(err, RT_E_IO,
				       "the file was changed: it ends after %" PRIu64 " byte%s",
				       s->at, RT_S(s->at));
	s->block_len = (size_t)got;
	s->block_end = s->at + s->block_len;
	return RT_OK;
}

static enum rt_status copy_to(struct splicer *s, uint64_t end, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && s->at < end) {
		uint64_t len;

		if (s->at >= s->block_end)
			status = fill_block(s, err);
		if (status != RT_OK)
			break;
		len = (end < s->block_end ? end : s->block_end) - s->at;
		status = add_piece(s, s->block + s->block_len - (s->block_end - s->at), (size_t)len,
				   err);
		s->at += len;
	}
	return status;
}

/*
 * Look at the patches of the part before anything of them is written: each has to lie after where
 * we are and after the one before it. *ret_end: index after the last of them.
 */
static enum rt_status check_patches(const struct splicer *s, const struct rt_patches *patches,
				    uint32_t part, size_t *ret_end, struct rt_error *err)
{
	uint64_t at = s->at;
	size_t i = rt_patches_find(patches, part);

	for (; i < rt_patches_count(patches); i++) {
		struct rt_patch patch = rt_patches_get(patches, i);

		if (patch.part != part)
			break;
		if (patch.offset < at || patch.offset > s->size ||
		    patch.len > s->size - patch.offset)
			return rt_error_reject(err, RT_E_IO,
					       "want changes in order within %" PRIu64
					       " byte%s, have one of %" PRIu64 " at %" PRIu64,
					       s->size, RT_S(s->size), patch.len, patch.offset);
		at = patch.offset + patch.len;
	}
	*ret_end = i;
	return RT_OK;
}

static enum rt_status splice_all(struct splicer *s, const struct rt_patches *patches, uint32_t part,
				 struct rt_error *err)
{
	size_t after = 0;
	enum rt_status status = check_patches(s, patches, part, &after, err);

	for (size_t i = rt_patches_find(patches, part); status == RT_OK && i < after; i++) {
		struct rt_patch patch = rt_patches_get(patches, i);

		status = copy_to(s, patch.offset, err);
		if (status == RT_OK)
			status = add_piece(s, patch.text.ptr, patch.text.len, err);
		s->at = patch.offset + patch.len;
	}
	if (status == RT_OK)
		status = copy_to(s, s->size, err);
	return status == RT_OK ? flush(s, err) : status;
}

enum rt_status rt_splice(int in_fd, uint64_t size, const struct rt_patches *patches, uint32_t part,
			 int out_fd, struct rt_error *err)
{
	struct splicer *s = malloc(sizeof(*s));
	off_t out_at = lseek(out_fd, 0, SEEK_CUR);
	enum rt_status status;

	if (!s)
		return rt_error_nomem(err);
	memset(s, 0, offsetof(struct splicer, block));
	s->in_fd = in_fd;
	s->out_fd = out_fd;
	s->size = size;
	s->written = s->started = out_at > 0 ? (uint64_t)out_at : 0;
	status = splice_all(s, patches, part, err);
	free(s);
	return status;
}
