/*
 * Keeps records. Input: records with the places they come from. Output: the same, once, in order.
 * Refuses nothing: where there is no memory or no disk, it says so.
 */
#include "sarif/made.h"

/* What stands before a record: its text follows, then its marks. */
struct head {
	struct rt_place place;
	uint32_t len, mark_count;
	struct rt_sarif_inserts inserts;
};

bool rt_sarif_made_begin(struct rt_buf *bytes)
{
	const struct head head = {.len = 0};
	struct rt_error err;

	return rt_buf_append(bytes, &head, sizeof(head), &err) == RT_OK;
}

bool rt_sarif_made_end(struct rt_buf *bytes, size_t at, const struct rt_sarif_made_record *record)
{
	size_t len = bytes->len - at - sizeof(struct head);
	const struct head head = {record->place, (uint32_t)len, record->mark_count,
				  record->inserts};
	struct rt_error err;

	if (len > UINT32_MAX)
		return false;
	memcpy(bytes->data + at, &head, sizeof(head));
	return rt_buf_append(bytes, record->marks, record->mark_count * sizeof(record->marks[0]),
			     &err) == RT_OK;
}

enum rt_status rt_sarif_made_next(struct rt_sarif_store *made,
				  struct rt_sarif_made_record *ret_record, struct rt_error *err)
{
	struct head head;
	const char *bytes;
	enum rt_status status = rt_sarif_store_take(made, sizeof(head), &bytes, err);
	size_t marks;

	if (status != RT_OK)
		return status;
	memcpy(&head, bytes, sizeof(head));
	marks = head.mark_count * sizeof(ret_record->marks[0]);
	status = rt_sarif_store_take(made, marks + head.len, &bytes, err);
	if (status != RT_OK)
		return status;
	ret_record->place = head.place;
	ret_record->mark_count = head.mark_count;
	ret_record->inserts = head.inserts;
	ret_record->text = rt_slice_make(bytes, head.len);
	memcpy(ret_record->marks, bytes + head.len, marks);
	return RT_OK;
}
