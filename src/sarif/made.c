/*
 * Keeps records. Input: records with the places they come from. Output: the same, once, in order.
 * Refuses nothing: where there is no memory or no disk, it says so.
 */
#include "sarif/made.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/unnamed.h"

/* Bytes that are read at once from the file. */
#define READ_BYTES ((size_t)256 * 1024)

#define FILE_NAME "temporary file for issues of a SARIF log"

/* What stands before a record: its marks follow, then its text. */
struct head {
	struct rt_place place;
	uint32_t len, mark_count;
	struct rt_sarif_inserts inserts;
};

uint64_t rt_sarif_made_bytes(const struct rt_sarif_made *made)
{
	return made->in_file + made->buf.len;
}

/* Put the bytes in buf into the file. */
static bool spill(struct rt_sarif_made *made, struct rt_error *err)
{
	if (made->fd < 0)
		made->fd = rt_unnamed_open();
	if (made->fd < 0 || lseek(made->fd, (off_t)made->in_file, SEEK_SET) < 0) {
		(void)rt_error_sys(err, errno, FILE_NAME);
		return false;
	}
	if (rt_write_all(made->fd, made->buf.data, made->buf.len, FILE_NAME, err) != RT_OK)
		return false;
	made->in_file += made->buf.len;
	made->buf.len = 0;
	return true;
}

bool rt_sarif_made_put(struct rt_buf *bytes, const struct rt_sarif_made_record *record)
{
	struct head head = {record->place, (uint32_t)record->text.len, record->mark_count,
			    record->inserts};
	size_t marks = record->mark_count * sizeof(record->marks[0]), before = bytes->len;
	struct rt_error err;

	if (record->text.len > UINT32_MAX ||
	    rt_buf_append(bytes, &head, sizeof(head), &err) != RT_OK ||
	    rt_buf_append(bytes, record->marks, marks, &err) != RT_OK ||
	    rt_buf_append(bytes, record->text.ptr, record->text.len, &err) != RT_OK) {
		bytes->len = before;
		return false;
	}
	return true;
}

bool rt_sarif_made_add(struct rt_sarif_made *made, struct rt_slice records)
{
	struct rt_error err;

	return rt_buf_append(&made->buf, records.ptr, records.len, &err) == RT_OK &&
	       (made->buf.len < RT_SPOOL_MEMORY || spill(made, &err));
}

void rt_sarif_made_cut(struct rt_sarif_made *made, uint64_t bytes)
{
	if (bytes >= made->in_file) {
		made->buf.len = (size_t)(bytes - made->in_file);
		return;
	}
	made->in_file = bytes;
	made->buf.len = 0;
}

/* Have len bytes in buf from buf_at on. */
static enum rt_status need(struct rt_sarif_made *made, size_t len, struct rt_error *err)
{
	size_t left = made->buf.len - made->buf_at, want = len > READ_BYTES ? len : READ_BYTES;
	enum rt_status status = RT_OK;

	if (left >= len)
		return RT_OK;
	if (left)
		memmove(made->buf.data, made->buf.data + made->buf_at, left);
	made->buf.len = left;
	made->buf_at = 0;
	if (want > left + (made->in_file - made->at))
		want = left + (size_t)(made->in_file - made->at);
	status = rt_buf_reserve(&made->buf, want - left, err);
	while (status == RT_OK && made->buf.len < want) {
		ssize_t got = rt_read_at(made->fd, made->buf.data + made->buf.len,
					 want - made->buf.len, (off_t)made->at);

		if (got <= 0)
			return rt_error_sys(err, got < 0 ? errno : EIO, FILE_NAME);
		made->buf.len += (size_t)got;
		made->at += (uint64_t)got;
	}
	if (status == RT_OK && made->buf.len < len)
		return rt_error_sys(err, EIO, FILE_NAME);
	return status;
}

/* The next len bytes, borrowed until the next call. */
static enum rt_status take(struct rt_sarif_made *made, size_t len, const char **ret_bytes,
			   struct rt_error *err)
{
	enum rt_status status = need(made, len, err);

	*ret_bytes = made->buf.data + made->buf_at;
	made->buf_at += status == RT_OK ? len : 0;
	return status;
}

/* The first record is asked for. */
static enum rt_status begin(struct rt_sarif_made *made, struct rt_error *err)
{
	if (made->fd < 0 || made->at || made->buf_at)
		return RT_OK;
	if (!spill(made, err))
		return err->code == RT_E_NOMEM ? RT_FATAL : rt_error_no_usage(err);
	return RT_OK;
}

enum rt_status rt_sarif_made_next(struct rt_sarif_made *made,
				  struct rt_sarif_made_record *ret_record, struct rt_error *err)
{
	enum rt_status status = begin(made, err);
	struct head head;
	const char *bytes;
	size_t marks;

	if (status == RT_OK)
		status = take(made, sizeof(head), &bytes, err);
	if (status != RT_OK)
		return status;
	memcpy(&head, bytes, sizeof(head));
	marks = head.mark_count * sizeof(ret_record->marks[0]);
	status = take(made, marks + head.len, &bytes, err);
	if (status != RT_OK)
		return status;
	ret_record->place = head.place;
	ret_record->mark_count = head.mark_count;
	ret_record->inserts = head.inserts;
	memcpy(ret_record->marks, bytes, marks);
	ret_record->text = rt_slice_make(bytes + marks, head.len);
	return RT_OK;
}

void rt_sarif_made_release(struct rt_sarif_made *made)
{
	if (made->fd >= 0)
		(void)close(made->fd);
	rt_buf_release(&made->buf);
	*made = (struct rt_sarif_made){.fd = -1};
}
