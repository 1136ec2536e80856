/*
 * Faults are packed one behind another: code, line, column and offset, then five texts each with
 * its NUL. No more are kept than a report lists; the rest is counted.
 */
#include "base/faults.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"

struct packed_head {
	enum rt_code code;
	uint64_t line, column, offset;
};

void rt_faults_release(struct rt_faults *faults)
{
	rt_buf_release(&faults->packed);
	rt_buf_release(&faults->failed.tools);
	rt_buf_release(&faults->failed.runs);
	faults->count = faults->listed = 0;
}

enum rt_status rt_faults_add(struct rt_faults *faults, const struct rt_error *fault,
			     struct rt_error *err)
{
	const char *texts[] = {fault->path, fault->member, fault->record, fault->field,
			       fault->message};
	struct packed_head head = {fault->code, fault->line, fault->column, fault->offset};
	size_t before = faults->packed.len;
	enum rt_status status;

	faults->count++;
	if (faults->listed == RT_FAULTS_LISTED_MAX)
		return RT_OK;
	status = rt_buf_append(&faults->packed, &head, sizeof(head), err);
	for (size_t i = 0; status == RT_OK && i < sizeof(texts) / sizeof(texts[0]); i++)
		status = rt_buf_append(&faults->packed, texts[i], strlen(texts[i]) + 1, err);
	if (status == RT_OK)
		faults->listed++;
	else
		faults->packed.len = before;
	return status;
}

static void unpack_text(const struct rt_faults *faults, size_t *at, char *field, size_t cap)
{
	const char *text = faults->packed.data + *at;
	size_t len = strlen(text);

	rt_error_text(field, cap, rt_slice_make(text, len));
	*at += len + 1;
}

bool rt_faults_next(const struct rt_faults *faults, size_t *at, struct rt_error *ret_fault)
{
	struct packed_head head;

	if (*at == faults->packed.len)
		return false;
	memset(ret_fault, 0, sizeof(*ret_fault));
	memcpy(&head, faults->packed.data + *at, sizeof(head));
	*at += sizeof(head);
	ret_fault->code = head.code;
	ret_fault->line = head.line;
	ret_fault->column = head.column;
	ret_fault->offset = head.offset;
	unpack_text(faults, at, ret_fault->path, sizeof(ret_fault->path));
	unpack_text(faults, at, ret_fault->member, sizeof(ret_fault->member));
	unpack_text(faults, at, ret_fault->record, sizeof(ret_fault->record));
	unpack_text(faults, at, ret_fault->field, sizeof(ret_fault->field));
	unpack_text(faults, at, ret_fault->message, sizeof(ret_fault->message));
	return true;
}
