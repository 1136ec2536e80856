/*
 * Places of results. Input: a result's locations. Output: lines and columns of the first one, and
 * the code there, where the log has it. Refuses numbers that are no integers; those below 1 are as
 * good as none, for real logs have them.
 */
#include "sarif/region.h"

enum { PHYSICAL, LOGICAL, LOCATION_COUNT };
static const struct rt_sarif_member location_members[LOCATION_COUNT] = {
    [PHYSICAL] = {RT_SLICE("physicalLocation"), RT_SARIF_OBJECT, NULL},
    [LOGICAL] = {RT_SLICE("logicalLocations"), RT_SARIF_ARRAY, NULL},
};

enum { ARTIFACT, REGION, CONTEXT, PHYSICAL_COUNT };
static const struct rt_sarif_member physical_members[PHYSICAL_COUNT] = {
    [ARTIFACT] = {RT_SLICE("artifactLocation"), RT_SARIF_OBJECT, NULL},
    [REGION] = {RT_SLICE("region"), RT_SARIF_OBJECT, NULL},
    [CONTEXT] = {RT_SLICE("contextRegion"), RT_SARIF_OBJECT, NULL},
};

static const struct rt_sarif_member region_members[] = {
    [RT_SARIF_REGION_LINE] = {RT_SLICE("startLine"), RT_SARIF_NUMBER, NULL},
    [RT_SARIF_REGION_COLUMN] = {RT_SLICE("startColumn"), RT_SARIF_NUMBER, NULL},
    [RT_SARIF_REGION_END_LINE] = {RT_SLICE("endLine"), RT_SARIF_NUMBER, NULL},
    [RT_SARIF_REGION_END_COLUMN] = {RT_SLICE("endColumn"), RT_SARIF_NUMBER, NULL},
    [RT_SARIF_REGION_NUMBERS] = {RT_SLICE("snippet"), RT_SARIF_OBJECT, NULL},
};

/* Of the context only these are read. */
enum { CONTEXT_LINE, CONTEXT_SNIPPET, CONTEXT_COUNT };
static const struct rt_sarif_member context_members[CONTEXT_COUNT] = {
    [CONTEXT_LINE] = {RT_SLICE("startLine"), RT_SARIF_NUMBER, NULL},
    [CONTEXT_SNIPPET] = {RT_SLICE("snippet"), RT_SARIF_OBJECT, NULL},
};

static const struct rt_sarif_member snippet_members[] = {
    {RT_SLICE("text"), RT_SARIF_STRING, "snippet.text"},
};

static const struct rt_sarif_member logical_members[] = {
    {RT_SLICE("fullyQualifiedName"), RT_SARIF_STRING, NULL},
};

/* A line or column; 0: none, or below 1. */
static enum rt_status number_read(struct rt_slice value, struct rt_slice field, int64_t *ret_number,
				  struct rt_sarif_fault *fault)
{
	*ret_number = 0;
	if (!value.ptr || rt_sarif_integer(value, 1, ret_number))
		return RT_OK;
	if (!rt_sarif_integer(value, INT64_MIN, ret_number))
		return rt_sarif_refuse(fault, value.ptr, field.ptr, "an integer", "%.*s",
				       rt_slice_shown(value, 64), value.ptr);
	*ret_number = 0;
	return RT_OK;
}

enum rt_status rt_sarif_region_take(struct rt_sarif_region *region,
				    const struct rt_slice numbers[RT_SARIF_REGION_NUMBERS],
				    struct rt_slice context_line, struct rt_sarif_fault *fault)
{
	int64_t *const into[] = {&region->line, &region->column, &region->end_line,
				 &region->end_column};
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < RT_SARIF_REGION_NUMBERS; i++)
		status = number_read(numbers[i], region_members[i].name, into[i], fault);
	/* 3.30.6: a line without a column is meant from its first column on. */
	if (!numbers[RT_SARIF_REGION_COLUMN].ptr)
		region->column = 1;
	/* A column says nothing without its line. */
	if (!region->line)
		region->column = region->end_line = region->end_column = 0;
	if (status != RT_OK)
		return status;
	return number_read(context_line, context_members[CONTEXT_LINE].name, &region->context_line,
			   fault);
}

/* The first element of an array; absent where there is none or it is null. */
static enum rt_status first_object(struct rt_slice array, const char *field,
				   struct rt_slice *ret_object, struct rt_sarif_fault *fault)
{
	struct rt_items items;
	struct rt_item item;

	*ret_object = rt_slice_make(NULL, 0);
	rt_items_init(&items, array);
	if (!array.ptr || !rt_items_next(&items, &item))
		return RT_OK;
	*ret_object = item.value;
	return rt_sarif_is(item.value, RT_SARIF_OBJECT, field, fault);
}

static enum rt_status physical_read(struct rt_slice physical, struct rt_sarif_region *region,
				    struct rt_sarif_fault *fault)
{
	struct rt_slice values[PHYSICAL_COUNT],
	    of_region[RT_SARIF_REGION_NUMBERS + 1] = {{NULL, 0}};
	struct rt_slice of_context[CONTEXT_COUNT] = {{NULL, 0}};
	enum rt_status status =
	    rt_sarif_cut(physical, physical_members, PHYSICAL_COUNT, values, fault);

	if (status == RT_OK)
		status = rt_sarif_cut(values[REGION], region_members, RT_SARIF_REGION_NUMBERS + 1,
				      of_region, fault);
	if (status == RT_OK)
		status = rt_sarif_region_take(region, of_region, of_context[CONTEXT_LINE], fault);
	if (status == RT_OK)
		status = rt_sarif_cut(of_region[RT_SARIF_REGION_NUMBERS], snippet_members, 1,
				      &region->snippet, fault);
	if (status == RT_OK)
		status = rt_sarif_cut(values[CONTEXT], context_members, CONTEXT_COUNT, of_context,
				      fault);
	if (status == RT_OK)
		status = number_read(of_context[CONTEXT_LINE], context_members[CONTEXT_LINE].name,
				     &region->context_line, fault);
	if (status == RT_OK)
		status = rt_sarif_cut(of_context[CONTEXT_SNIPPET], snippet_members, 1,
				      &region->context, fault);
	region->artifact = values[ARTIFACT];
	return status;
}

enum rt_status rt_sarif_region_read(struct rt_slice locations, struct rt_sarif_region *ret_region,
				    struct rt_sarif_fault *fault)
{
	struct rt_slice location, logical, values[LOCATION_COUNT];
	enum rt_status status = first_object(locations, "locations", &location, fault);

	*ret_region = (struct rt_sarif_region){.any = location.ptr != NULL};
	if (status == RT_OK)
		status = rt_sarif_cut(location, location_members, LOCATION_COUNT, values, fault);
	if (status == RT_OK)
		status = physical_read(values[PHYSICAL], ret_region, fault);
	if (status == RT_OK)
		status = first_object(values[LOGICAL], "logicalLocations", &logical, fault);
	if (status == RT_OK)
		status = rt_sarif_cut(logical, logical_members, 1, &ret_region->logical, fault);
	return status;
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
