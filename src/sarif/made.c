/*
 * Keeps records. Input: records with the places they come from. Output: the same, once, in order.
 * Refuses nothing: where there is no memory or no disk, it says so.
 */
#include "sarif/made.h"

/* What stands before a record: its marks follow, then its text. */
struct head {
	struct rt_place place;
	uint32_t len, mark_count;
	struct rt_sarif_inserts inserts;
};

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
	memcpy(ret_record->marks, bytes, marks);
	ret_record->text = rt_slice_make(bytes + marks, head.len);
	return RT_OK;
}
