/*
 * A 7z, written again by libarchive. Input: a seekable 7z. Output: a 7z with the same members in
 * the same order, with their names, modes, times and data. The whole archive is compressed anew,
 * as one LZMA2 block: in a 7z all members share their compression, so no byte of it could stay.
 * Not kept: the old method, its blocks and filters, and attributes of Windows.
 * Refuses members that libarchive's writer has no form for (links to files, devices).
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

#include "base/error.h"
#include "output/patch_stream.h"
#include "output/repack_state.h"

struct repack_7z {
	struct rt_repack_state *state;
	struct archive *out;
	enum rt_status status; /* of the sink, behind libarchive's back */
	struct rt_error err;   /* of the sink, when status < 0 */
};

static ssize_t sink_write(struct archive *archive, void *ctx, const void *data, size_t len)
{
	struct repack_7z *z = ctx;

	if (z->status == RT_OK)
		z->status = z->state->to.write(z->state->to.ctx, data, len, &z->err);
	if (z->status == RT_OK)
		return (ssize_t)len;
	archive_set_error(archive, EIO, "the sink failed");
	return -1;
}

static enum rt_status writer_failed(struct repack_7z *z, struct rt_error *err)
{
	const char *text = archive_error_string(z->out);
	int sys = archive_errno(z->out);

	if (z->status < 0) {
		*err = z->err;
		return z->status;
	}
	if (sys == ENOMEM || (text && strcasestr(text, "memory")))
		return rt_error_nomem(err);
	/* Its temporary file. */
	if (sys == ENOSPC || sys == EDQUOT || sys == EFBIG || sys == EIO || sys == EROFS ||
	    sys == EACCES || sys == EMFILE)
		return rt_error_sys(err, sys, "cannot write a temporary file");
	(void)rt_error_set(err, RT_E_INPUT, "want a member that a 7z can be given, have: %s",
			   text ? text : "another form");
	return RT_REJECT;
}

static enum rt_status data_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct repack_7z *z = ctx;

	if (len && archive_write_data(z->out, data, len) != (ssize_t)len)
		return writer_failed(z, err);
	return RT_OK;
}

/* Pass a stream on as it is. */
static enum rt_status copy_stream(struct repack_7z *z, struct rt_stream *stream,
				  struct rt_error *err)
{
	struct rt_repack_state *state = z->state;
	enum rt_status status = RT_OK;

	while (status == RT_OK) {
		size_t len = 0;

		status = rt_stream_read(stream, state->block, sizeof(state->block), &len, err);
		if (status == RT_OK)
			status = data_write(z, state->block, len, err);
	}
	return status == RT_END ? RT_OK : status;
}

static enum rt_status header_write(struct repack_7z *z, struct archive_entry *entry,
				   struct rt_error *err)
{
	return archive_write_header(z->out, entry) == ARCHIVE_OK ? RT_OK : writer_failed(z, err);
}

/* The size stands before the data: it follows from the patches, or the spool shows it. */
static enum rt_status patched_write(struct repack_7z *z, const struct rt_member *member,
				    struct rt_error *err)
{
	struct rt_repack_state *state = z->state;
	const struct rt_sink data = {data_write, z};
	enum rt_magic packed = RT_MAGIC_NONE;
	uint64_t size = (uint64_t)archive_entry_size(member->entry);
	struct rt_sink into;
	enum rt_status status = rt_stream_sniff(member->stream, &packed, err);

	if (status == RT_OK && packed != RT_MAGIC_NONE) {
		status = rt_repack_spool_begin(&state->spool, &into, err);
		if (status == RT_OK)
			status = rt_repack_pour_member(state, member, &into, err);
		size = state->spool.len;
	} else if (status == RT_OK) {
		status = rt_patches_new_size(state->patches, state->part, size, &size, err);
	}
	archive_entry_set_size(member->entry, (int64_t)size);
	if (status == RT_OK)
		status = header_write(z, member->entry, err);
	if (status == RT_OK && packed != RT_MAGIC_NONE)
		status = rt_repack_copy(state->spool.fd, 0, size, &data, err);
	else if (status == RT_OK)
		status = rt_repack_pour_member(state, member, &data, err);
	return status;
}

static enum rt_status sevenzip_member(void *ctx, const struct rt_member *member,
				      struct rt_error *err)
{
	struct repack_7z *z = ctx;
	enum rt_status status = rt_repack_check_links(z->state, member, err);

	if (status == RT_OK && member->name && rt_repack_is_patched(z->state)) {
		status = patched_write(z, member, err);
	} else if (status == RT_OK) {
		status = header_write(z, member->entry, err);
		if (status == RT_OK)
			status = copy_stream(z, member->stream, err);
	}
	if (status == RT_OK && member->name)
		status = rt_repack_count(z->state, member->name, err);
	return status;
}

static enum rt_status writer_open(struct repack_7z *z, struct rt_error *err)
{
	struct archive *out = archive_write_new();

	z->out = out;
	if (!out)
		return rt_error_nomem(err);
	/* No zeros behind the end. */
	if (archive_write_set_format_7zip(out) != ARCHIVE_OK ||
	    archive_write_set_format_option(out, "7zip", "compression", "lzma2") != ARCHIVE_OK ||
	    archive_write_set_bytes_per_block(out, (int)REPACK_BLOCK) != ARCHIVE_OK ||
	    archive_write_set_bytes_in_last_block(out, 1) != ARCHIVE_OK ||
	    archive_write_open(out, z, NULL, sink_write, NULL) != ARCHIVE_OK)
		return writer_failed(z, err);
	return RT_OK;
}

enum rt_status rt_repack_7z(struct rt_repack_state *state, int fd, uint64_t size,
			    struct rt_error *err)
{
	struct repack_7z z = {.state = state};
	const struct rt_visit visit = {.member = sevenzip_member, .ctx = &z};
	enum rt_status status = writer_open(&z, err);

	if (status == RT_OK)
		status =
		    rt_container_walk(&state->decode, RT_MAGIC_7ZIP, NULL, fd, size, &visit, err);
	if (status == RT_OK && archive_write_close(z.out) != ARCHIVE_OK)
		status = writer_failed(&z, err);
	/* It may still write; by now nobody wants to know. */
	if (z.status == RT_OK && status != RT_OK)
		z.status = RT_FATAL;
	if (z.out)
		archive_write_free(z.out);
	return status;
}
