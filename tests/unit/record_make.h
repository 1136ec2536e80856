/*
 * Records for tests of what stands after the scanner: an object's text, scanned and not checked.
 */
#ifndef RT_TESTS_RECORD_MAKE_H
#define RT_TESTS_RECORD_MAKE_H

#include <string.h>

#include "base/json_string.h"
#include "scan/scan.h"
#include "scan_text.h"

/* A record with the bytes it borrows. */
struct made {
	struct rt_record record;
	char *block, *id;
};

/* Scan text, which has to be one good object. Its id, if it has one, is decoded. */
static inline void made_init(struct made *made, enum rt_kind kind, const char *text)
{
	struct rt_record *record = &made->record;
	struct rt_slice id;
	struct rt_scan scan;

	memset(made, 0, sizeof(*made));
	made->block = padded(text, strlen(text));
	rt_scan_init(&scan, RT_LIMIT_DEPTH);
	scan_show(&scan, made->block, strlen(text), 0, true);
	ck_assert_msg(rt_scan_ops()->record(&scan, made->block, record) == scan.end,
		      "no record: %s", text);
	record->kind = kind;
	if (!rt_record_has(record, RT_M_ID))
		return;
	id = rt_record_string(record, RT_M_ID);
	made->id = malloc(id.len ? id.len : 1);
	ck_assert_ptr_nonnull(made->id);
	record->id = rt_slice_make(made->id, rt_json_string_decode(id, made->id));
}

/* Free it; what was borrowed from it is gone, and overwritten to show who still reads it. */
static inline void made_release(struct made *made)
{
	memset(made->block, '#', made->record.text.len);
	free(made->block);
	if (made->id)
		memset(made->id, '#', made->record.id.len);
	free(made->id);
}

#endif
