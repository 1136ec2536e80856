/*
 * Places of results: lines and columns, and the code there, where the log has it. Numbers that
 * can be no line or column count as none, for real logs have them.
 */
#include "sarif/result.h"

/* Tools also write -1 and 2^64 - 1, which are no lines or columns (S6). */
#define NUMBER_MAX (INT64_C(1) << 31)

/* A line or column; 0: none. */
static int64_t number_read(struct rt_slice value, const char *field, struct rt_sarif_fault *fault)
{
	int64_t number = rt_sarif_index(value, field, fault);

	return number < 0 || number > NUMBER_MAX ? 0 : number;
}

void rt_sarif_region_take(struct rt_sarif_region *region,
			  const struct rt_slice numbers[RT_SARIF_REGION_NUMBERS],
			  struct rt_slice context_line, struct rt_sarif_fault *fault)
{
	region->line = number_read(numbers[RT_SARIF_REGION_LINE], "startLine", fault);
	region->column = number_read(numbers[RT_SARIF_REGION_COLUMN], "startColumn", fault);
	region->end_line = number_read(numbers[RT_SARIF_REGION_END_LINE], "endLine", fault);
	region->end_column = number_read(numbers[RT_SARIF_REGION_END_COLUMN], "endColumn", fault);
	/* 3.30.6: a line without a column is meant from its first column on. */
	if (!numbers[RT_SARIF_REGION_COLUMN].ptr)
		region->column = 1;
	/* A column says nothing without its line. */
	if (!region->line)
		region->column = region->end_line = region->end_column = 0;
	region->context_line = number_read(context_line, "startLine", fault);
}

/* --- Lines of code ---------------------------------------------------------------------------- */

/* The start of the line that is n lines after the one at a byte; NULL: there is no such line. */
static const char *line_find(struct rt_slice text, const char *at, int64_t n)
{
	const char *end = rt_slice_end(text);

	for (; n > 0 && at; n--) {
		at = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
		at = at && at + 1 < end ? at + 1 : NULL;
	}
	return at;
}

/* The lines from one place to another, without the end of the last one. */
static struct rt_slice lines_make(const char *from, const char *to)
{
	struct rt_slice text = rt_slice_make(from, (size_t)(to - from));

	if (text.len && to[-1] == '\n') {
		text.len--;
		if (text.len && to[-2] == '\r')
			text.len--;
	}
	return text;
}

void rt_sarif_region_code(const struct rt_sarif_region *region, struct rt_slice snippet,
			  struct rt_slice context, struct rt_buf *room,
			  struct rt_sarif_code *ret_code, struct rt_sarif_fault *fault)
{
	int64_t last = region->end_line ? region->end_line : region->line;
	const char *first, *final, *next, *end;
	struct rt_slice text;

	*ret_code = (struct rt_sarif_code){.json = snippet};
	if (!context.ptr)
		return;
	if (!snippet.ptr)
		ret_code->json = context;
	if (!region->line || !region->context_line || region->line < region->context_line ||
	    last < region->line)
		return;
	room->len = 0;
	(void)rt_sarif_goes(fault, rt_buf_reserve(room, 1, &fault->err));
	rt_sarif_text(context, room, fault);
	if (fault->status != RT_OK)
		return;
	text = rt_buf_slice(room);
	end = rt_slice_end(text);
	first = line_find(text, text.ptr, region->line - region->context_line);
	final = first ? line_find(text, first, last - region->line) : NULL;
	if (!final)
		return;
	next = line_find(text, final, 1);
	ret_code->json = snippet;
	ret_code->code = lines_make(first, next ? next : end);
	if (first > text.ptr)
		ret_code->before = lines_make(text.ptr, first);
	if (next)
		ret_code->after = lines_make(next, end);
}
