/*
 * Keeps records. Input: records with the places they come from. Output: the same, once, in order,
 * and their text. Refuses nothing: where there is no memory or no disk, it says so.
 */
#include "sarif/made.h"

#include <inttypes.h>
#include <stdio.h>

/* What stands before a record: its values follow, then its marks. */
struct head {
	struct rt_place place;
	uint32_t len, mark_count;
	struct rt_sarif_values values;
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
	const struct head head = {record->place, (uint32_t)len, record->mark_count, record->values};
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
	ret_record->values = head.values;
	ret_record->text = rt_slice_make(bytes, head.len);
	memcpy(ret_record->marks, bytes + head.len, marks);
	return RT_OK;
}

/* --- Text ------------------------------------------------------------------------------------- */

void rt_sarif_heads_init(struct rt_sarif_heads *heads)
{
	memset(heads, 0, sizeof(*heads));
	for (unsigned i = 0; i < RT_SARIF_VALUES; i++) {
		struct rt_slice name =
		    i == RT_SARIF_NOTES ? RT_SLICE("notes") : rt_member_name((enum rt_member)i);
		int len = snprintf(heads->texts[i], sizeof(heads->texts[i]),
				   "%c\"%.*s\":", i ? ',' : '{', (int)name.len, name.ptr);

		heads->lens[i] = (uint8_t)len;
		heads->bytes += (size_t)len;
	}
}

/* The type of a value that was made here: its arrays are of strings, its numbers short. */
static uint8_t type_of(struct rt_slice value)
{
	uint8_t type = rt_type_of(value);

	if (type != RT_TYPE_NUMBER)
		return type == RT_TYPE_ARRAY ? RT_TYPE_STRINGS : type;
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] != '-' && (value.ptr[i] < '0' || value.ptr[i] > '9'))
			return RT_TYPE_NUMBER;
	}
	return RT_TYPE_INTEGER;
}

/* The values with the texts of rules among them. Returns the bytes of all. */
static size_t values_find(const struct rt_sarif_run *run, const struct rt_sarif_made_record *record,
			  struct rt_slice values[RT_SARIF_VALUES])
{
	const struct rt_sarif_values *of = &record->values;
	const char *at = record->text.ptr;
	size_t bytes = 0;

	for (unsigned i = 0; i < RT_SARIF_VALUES; i++) {
		values[i] = rt_slice_make(at, of->lens[i]);
		if (of->lens[i])
			at += of->lens[i];
		else if (i != RT_SARIF_NOTES)
			values[i] = rt_sarif_rule_text(run, of->texts[rt_sarif_rule_text_of(i)]);
		if (!values[i].ptr)
			values[i] = RT_SLICE("null");
		bytes += values[i].len;
	}
	return bytes;
}

/* Put an ordinal into the id that ends at a byte. Returns the byte after it. */
static char *put_ordinal(char *end, uint32_t ordinal)
{
	/* In place of the closing quote. */
	return end - 1 + sprintf(end - 1, "-%" PRIu32 "\"", ordinal);
}

/* Bytes of "-4294967295". */
#define ORDINAL_BYTES 11u

enum rt_status rt_sarif_made_text(const struct rt_sarif_heads *heads,
				  const struct rt_sarif_run *run,
				  const struct rt_sarif_made_record *record, uint32_t ordinal,
				  struct rt_buf *out, struct rt_record_layout *ret_layout,
				  struct rt_error *err)
{
	struct rt_slice values[RT_SARIF_VALUES];
	size_t bytes = values_find(run, record, values) + heads->bytes + ORDINAL_BYTES;
	enum rt_status status = rt_buf_reserve(out, bytes + RT_SARIF_HEAD_BYTES, err);
	char *from, *at;

	if (status != RT_OK)
		return status;
	at = from = out->data + out->len;
	for (unsigned i = 0; i < RT_SARIF_VALUES - !values[RT_SARIF_NOTES].len; i++) {
		const char *value;

		memcpy(at, heads->texts[i], RT_SARIF_HEAD_BYTES);
		value = at += heads->lens[i];
		memcpy(at, values[i].ptr, values[i].len);
		at += values[i].len;
		if (i == RT_M_ID && ordinal > 1)
			at = put_ordinal(at, ordinal);
		if (i == RT_SARIF_NOTES)
			break;
		ret_layout->at[i] = (uint32_t)(value - from);
		ret_layout->len[i] = (uint32_t)(at - value);
		ret_layout->types[i] = type_of(values[i]);
	}
	*at++ = '}';
	ret_layout->bytes = (uint32_t)(at - from);
	out->len += (size_t)(at - from);
	return RT_OK;
}

size_t rt_sarif_made_at(const struct rt_sarif_made_record *record,
			const struct rt_record_layout *layout, unsigned value)
{
	if (value != RT_SARIF_NOTES)
		return layout->at[value];
	return layout->bytes - 1 - record->values.lens[value];
}
