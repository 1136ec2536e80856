/*
 * Plain files and pipes. Input: an open file. Output: its bytes, read straight into the caller's
 * buffer; only the few bytes that were looked at in a pipe are copied.
 * Refuses files that shrink while they are read, and to read again what was changed.
 */
#include "source/plain.h"

#include <errno.h>
#include <inttypes.h>

#include "base/io.h"

static enum rt_status plain_read_at(const struct rt_plain *plain, void *buf, size_t cap,
				    uint64_t at, size_t *ret_len, struct rt_error *err)
{
	const struct rt_file *file = plain->file;
	ssize_t got = rt_read_at(file->fd, buf, cap, file->seekable ? (off_t)at : -1);

	if (got < 0)
		return rt_error_sys(err, errno, "cannot read the file");
	*ret_len = (size_t)got;
	return got ? RT_OK : RT_END;
}

enum rt_status rt_plain_open(struct rt_plain *plain, const struct rt_file *file,
			     struct rt_error *err)
{
	enum rt_status status = RT_OK;

	plain->file = file;
	plain->at = 0;
	plain->head_len = 0;
	while (status == RT_OK && plain->head_len < sizeof(plain->head)) {
		size_t len = 0;

		status = plain_read_at(plain, plain->head + plain->head_len,
				       sizeof(plain->head) - plain->head_len, plain->head_len, &len,
				       err);
		plain->head_len += len;
	}
	return status < 0 ? status : RT_OK;
}

enum rt_status rt_plain_read(struct rt_plain *plain, void *buf, size_t cap, size_t *ret_len,
			     struct rt_error *err)
{
	const struct rt_file *file = plain->file;
	enum rt_status status = RT_OK;

	if (!file->seekable && plain->at < plain->head_len) {
		size_t held = plain->head_len - (size_t)plain->at;

		*ret_len = held < cap ? held : cap;
		memcpy(buf, plain->head + plain->at, *ret_len);
	} else {
		status = plain_read_at(plain, buf, cap, plain->at, ret_len, err);
	}
	if (status == RT_OK)
		plain->at += *ret_len;
	if (status == RT_END && file->seekable && plain->at < file->size)
		return rt_error_set(err, RT_E_IO,
				    "want the %" PRIu64 " byte%s that the file had, have %" PRIu64
				    ": it was changed",
				    file->size, RT_S(file->size), plain->at);
	return status;
}

enum rt_status rt_plain_read_at(const struct rt_plain *plain, uint64_t offset, void *buf,
				size_t cap, size_t *ret_len, struct rt_error *err)
{
	enum rt_status status = plain_read_at(plain, buf, cap, offset, ret_len, err);

	if (status < 0 || (status == RT_OK && rt_file_is_unchanged(plain->file)))
		return status;
	return rt_error_set(err, RT_E_IO,
			    "want a file that stays as it is while it is read, have it changed");
}
