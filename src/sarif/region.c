/*
 * Places of results: lines and columns, and the code there, where the log has it. Numbers that
 * can be no line or column count as none, for real logs have them.
 */
#include "sarif/region.h"

/* Tools also write -1 and 2^64 - 1, which are no lines or columns (S6). */
#define NUMBER_MAX (INT64_C(1) << 31)

/* A line or column; 0: none. */
static enum rt_status number_read(struct rt_slice value, const char *field, int64_t *ret_number,
				  struct rt_sarif_fault *fault)
{
	struct rt_slice digits = value;

	*ret_number = 0;
	if (!value.ptr)
		return RT_OK;
	if (!rt_sarif_whole(&digits))
		return rt_sarif_refuse(fault, value.ptr, field, "an integer", "%.*s",
				       rt_slice_shown(value, 64), value.ptr);
	if (!rt_sarif_integer(value, 1, ret_number) || *ret_number > NUMBER_MAX)
		*ret_number = 0;
	return RT_OK;
}

enum rt_status rt_sarif_region_take(struct rt_sarif_region *region,
				    const struct rt_slice numbers[RT_SARIF_REGION_NUMBERS],
				    struct rt_slice context_line, struct rt_sarif_fault *fault)
{
	static const char *const fields[] = {"startLine", "startColumn", "endLine", "endColumn"};
	int64_t *const into[] = {&region->line, &region->column, &region->end_line,
				 &region->end_column};
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < RT_SARIF_REGION_NUMBERS; i++)
		status = number_read(numbers[i], fields[i], into[i], fault);
	/* 3.30.6: a line without a column is meant from its first column on. */
	if (!numbers[RT_SARIF_REGION_COLUMN].ptr)
		region->column = 1;
	/* A column says nothing without its line. */
	if (!region->line)
		region->column = region->end_line = region->end_column = 0;
	if (status != RT_OK)
		return status;
	return number_read(context_line, "startLine", &region->context_line, fault);
}

/* --- Lines of code ---------------------------------------------------------------------------- */

/* Text with lines: decoded, or as it is spelled in JSON, where "\\n" ends a line. */
struct lines {
	struct rt_slice text;
	bool is_spelled;
};

/* The byte after the next end of a line; NULL: there is none. */
static const char *line_after(const struct lines *lines, const char *at)
{
	const char *end = rt_slice_end(lines->text);

	if (at == end)
		return NULL;
	if (!lines->is_spelled) {
		at = memchr(at, '\n', (size_t)(end - at));
		return at ? at + 1 : NULL;
	}
	while ((at = memchr(at, '\\', (size_t)(end - at))) != NULL) {
		at += 2;
		if (at[-1] == 'n')
			return at;
	}
	return NULL;
}

/* The start of the line that is n lines after the one at a byte; NULL: there is no such line. */
static const char *line_find(const struct lines *lines, const char *at, int64_t n)
{
	for (; n > 0; n--) {
		at = line_after(lines, at);
		if (!at || at == rt_slice_end(lines->text))
			return NULL;
	}
	return at;
}

/* Without a character at its end that is spelled by a letter. */
static struct rt_slice cut_spelled(struct rt_slice text, char letter)
{
	size_t slashes = 0;

	if (text.len < 2 || text.ptr[text.len - 1] != letter)
		return text;
	while (slashes < text.len - 1 && text.ptr[text.len - 2 - slashes] == '\\')
		slashes++;
	/* In pairs they stand for themselves. */
	return slashes % 2 ? rt_slice_make(text.ptr, text.len - 2) : text;
}

/* The lines from one place to another, without the end of the last one. */
static struct rt_slice lines_make(const struct lines *lines, const char *from, const char *to)
{
	struct rt_slice text = rt_slice_make(from, (size_t)(to - from)), cut;

	if (lines->is_spelled) {
		cut = cut_spelled(text, 'n');
		return cut.len == text.len ? text : cut_spelled(cut, 'r');
	}
	if (text.len && to[-1] == '\n') {
		text.len--;
		if (text.len && to[-2] == '\r')
			text.len--;
	}
	return text;
}

/* The context's text. room: for what must be decoded. */
static enum rt_status context_lines(const struct rt_sarif_region *region, struct rt_buf *room,
				    struct lines *ret_lines, struct rt_sarif_fault *fault)
{
	struct rt_slice inside = rt_sarif_inside(region->context);
	enum rt_status status;

	*ret_lines = (struct lines){inside, rt_json_string_is_own(inside)};
	if (ret_lines->is_spelled)
		return RT_OK;
	room->len = 0;
	status = rt_buf_reserve(room, 1, &fault->err);
	if (status == RT_OK)
		status = rt_sarif_text(region->context, room, fault);
	ret_lines->text = rt_buf_slice(room);
	return status;
}

enum rt_status rt_sarif_region_code(const struct rt_sarif_region *region, struct rt_buf *room,
				    struct rt_sarif_code *ret_code, struct rt_sarif_fault *fault)
{
	int64_t last = region->end_line ? region->end_line : region->line;
	const char *first, *final, *next, *end;
	struct lines lines;
	enum rt_status status;

	*ret_code = (struct rt_sarif_code){.json = region->snippet};
	if (!region->context.ptr)
		return RT_OK;
	if (!region->snippet.ptr)
		ret_code->json = region->context;
	if (!region->line || !region->context_line || region->line < region->context_line ||
	    last < region->line)
		return RT_OK;
	status = context_lines(region, room, &lines, fault);
	if (status != RT_OK)
		return status;
	end = rt_slice_end(lines.text);
	first = line_find(&lines, lines.text.ptr, region->line - region->context_line);
	final = first ? line_find(&lines, first, last - region->line) : NULL;
	if (!final)
		return RT_OK;
	next = line_find(&lines, final, 1);
	ret_code->is_spelled = lines.is_spelled;
	ret_code->json = region->snippet;
	ret_code->code = lines_make(&lines, first, next ? next : end);
	if (first > lines.text.ptr)
		ret_code->before = lines_make(&lines, lines.text.ptr, first);
	if (next)
		ret_code->after = lines_make(&lines, next, end);
	return RT_OK;
}
