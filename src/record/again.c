/*
 * Scans and checks one record's JSON text, as the reader does with the records of a part.
 */
#include "record/again.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_string.h"
#include "base/limits.h"
#include "record/check.h"

enum rt_status rt_record_again_init(struct rt_record_again *again, struct rt_error *err)
{
	again->scan = rt_scan_alloc(sizeof(*again->scan));
	if (!again->scan)
		return rt_error_nomem(err);
	again->ops = rt_scan_ops();
	rt_scan_init(again->scan, RT_LIMIT_DEPTH_MAX);
	return RT_OK;
}

void rt_record_again_release(struct rt_record_again *again)
{
	free(again->scan);
	rt_buf_release(&again->text);
	rt_buf_release(&again->id);
}

enum rt_status rt_record_again_read(struct rt_record_again *again, enum rt_kind kind,
				    struct rt_error *err)
{
	struct rt_scan *scan = again->scan;
	enum rt_status status = rt_buf_reserve(&again->text, RT_PADDING, err);
	const char *text = again->text.data;

	if (status != RT_OK)
		return status;
	memset(again->text.data + again->text.len, 0, RT_PADDING);
	scan->end = text + again->text.len;
	scan->final = true;
	scan->origin = 0 - (uint64_t)(uintptr_t)text;
	scan->line = 1;
	scan->line_start = 0;
	again->record.kind = kind;
	if (text[0] != '{' || again->ops->record(scan, text, &again->record) != scan->end ||
	    !rt_check_passes(&again->record))
		return RT_REJECT;
	return rt_json_string_text(rt_record_string(&again->record, RT_M_ID), &again->id,
				   &again->record.id, err);
}
