/*
 * Copies a plain file with patches. It is read in large blocks; the pieces between the patches and
 * the patches' texts are gathered into one write a block, so that neither many patches nor few cost
 * a call of the system each.
 */
#include "files/splice.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"

/* A block that stays in the processor's cache between the read and the write is copied fastest:
 * 256 KiB took the least time of 64 KiB to 4 MiB. */
#define BLOCK_BYTES ((size_t)256 * 1024)
#define PIECES_MAX 256

/* From here on space is reserved before it is written to. */
#define RESERVE_MIN (UINT64_C(1) << 20)

struct splicer {
	int in_fd, out_fd;
	uint64_t size;      /* of the input */
	uint64_t at;        /* place in the input */
	uint64_t out_at;    /* place in the output, what is in pieces included */
	uint64_t started;   /* bytes of the output that the system was asked to write to disk */
	uint64_t block_end; /* place in the input of the end of block; at or before `at`: used up */
	char *block;
	size_t block_len;
	int count; /* of pieces in use */
	struct iovec pieces[PIECES_MAX];
};

/* Write all pieces; the block may be used again. */
static enum rt_status flush(struct splicer *s, struct rt_error *err)
{
	struct iovec *piece = s->pieces;

	while (s->count) {
		ssize_t done = writev(s->out_fd, piece, s->count);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return rt_error_sys(err, done ? errno : EIO, "cannot write the new file");
		for (; s->count && (size_t)done >= piece->iov_len; s->count--)
			done -= (ssize_t)piece++->iov_len;
		if (s->count) {
			piece->iov_base = (char *)piece->iov_base + done;
			piece->iov_len -= (size_t)done;
		}
	}
	rt_write_begin(s->out_fd, s->out_at, &s->started);
	return RT_OK;
}

static enum rt_status add_piece(struct splicer *s, const char *ptr, size_t len,
				struct rt_error *err)
{
	enum rt_status status = s->count == PIECES_MAX ? flush(s, err) : RT_OK;

	if (status != RT_OK || !len)
		return status;
	/* writev() reads only; its type cannot say so. */
	s->pieces[s->count++] = (struct iovec){(void *)(uintptr_t)ptr, len};
	s->out_at += len;
	return RT_OK;
}

static enum rt_status fill_block(struct splicer *s, struct rt_error *err)
{
	enum rt_status status = flush(s, err);
	/* So much that the output comes to the end of a block of its own: whole pages of it are
	 * written faster than pages in two pieces, by a third. */
	size_t want = BLOCK_BYTES - (size_t)(s->out_at % BLOCK_BYTES);
	ssize_t got;

	if (status != RT_OK)
		return status;
	do {
		got = pread(s->in_fd, s->block, want, (off_t)s->at);
	} while (got < 0 && errno == EINTR);
	if (got <= 0) {
		if (got < 0)
			(void)rt_error_sys(err, errno, "cannot read the file");
		else
			(void)rt_error_set(err, RT_E_IO,
					   "want more than %" PRIu64
					   " byte%s, have the file end there: it was changed",
					   s->at, RT_S(s->at));
		return RT_REJECT;
	}
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
		    patch.len > s->size - patch.offset) {
			(void)rt_error_set(err, RT_E_IO,
					   "want changes in order within %" PRIu64
					   " byte%s, have one of %" PRIu64 " at %" PRIu64,
					   s->size, RT_S(s->size), patch.len, patch.offset);
			return RT_REJECT;
		}
		at = patch.offset + patch.len;
	}
	*ret_end = i;
	return RT_OK;
}

/*
 * Have the disk's space now: that is faster than piece by piece, and a disk that is too full says
 * so before the work. File systems that cannot are asked for nothing. What the patches take away
 * is cut off in the end.
 */
static enum rt_status reserve(struct splicer *s, struct rt_error *err)
{
	if (s->size < RESERVE_MIN)
		return RT_OK;
	if (fallocate(s->out_fd, 0, (off_t)s->out_at, (off_t)s->size) != 0 &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		return rt_error_sys(err, errno, "cannot write the new file");
	return RT_OK;
}

/* Everything is written: cut off what was reserved beyond it. */
static enum rt_status cut(const struct splicer *s, struct rt_error *err)
{
	if (s->size < RESERVE_MIN)
		return RT_OK;
	while (ftruncate(s->out_fd, (off_t)s->out_at) != 0) {
		if (errno != EINTR)
			return rt_error_sys(err, errno, "cannot write the new file");
	}
	return RT_OK;
}

static enum rt_status splice_all(struct splicer *s, const struct rt_patches *patches, uint32_t part,
				 struct rt_error *err)
{
	size_t after = 0;
	enum rt_status status = check_patches(s, patches, part, &after, err);

	if (status == RT_OK)
		status = reserve(s, err);
	for (size_t i = rt_patches_find(patches, part); status == RT_OK && i < after; i++) {
		struct rt_patch patch = rt_patches_get(patches, i);

		status = copy_to(s, patch.offset, err);
		if (status == RT_OK)
			status = add_piece(s, patch.text.ptr, patch.text.len, err);
		s->at = patch.offset + patch.len;
	}
	if (status == RT_OK)
		status = copy_to(s, s->size, err);
	if (status == RT_OK)
		status = flush(s, err);
	return status == RT_OK ? cut(s, err) : status;
}

enum rt_status rt_splice(int in_fd, uint64_t size, const struct rt_patches *patches, uint32_t part,
			 int out_fd, struct rt_error *err)
{
	struct splicer s = {.in_fd = in_fd, .out_fd = out_fd, .size = size};
	off_t out_at = lseek(out_fd, 0, SEEK_CUR);
	enum rt_status status;

	s.out_at = s.started = out_at > 0 ? (uint64_t)out_at : 0;
	s.block = malloc(BLOCK_BYTES);
	status = s.block ? splice_all(&s, patches, part, err) : rt_error_nomem(err);
	free(s.block);
	return status;
}
