/* Reads CODEOWNERS files: a pattern and its owners a line. */
#include "engine/owners.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/glob.h"
#include "base/io.h"

#define FILE_BYTES ((size_t)4 << 20)
#define LINES_MAX 4000u

/* A line: globs for the path itself and for what lies below it. */
struct line {
	char *patterns[2];      /* NULL: none */
	struct rt_slice owners; /* ptr NULL: nobody */
};

struct rt_owners {
	struct rt_buf text;
	struct rt_buf lines; /* of struct line */
};

static struct line *lines(const struct rt_owners *owners)
{
	return (struct line *)(void *)owners->lines.data;
}

static size_t line_count(const struct rt_owners *owners)
{
	return owners->lines.len / sizeof(struct line);
}

void rt_owners_free(struct rt_owners *owners)
{
	if (!owners)
		return;
	for (size_t i = 0; i < line_count(owners); i++) {
		free(lines(owners)[i].patterns[0]);
		free(lines(owners)[i].patterns[1]);
	}
	rt_buf_release(&owners->lines);
	rt_buf_release(&owners->text);
	free(owners);
}

struct rt_slice rt_owners_find(const struct rt_owners *owners, struct rt_slice path)
{
	for (size_t i = owners ? line_count(owners) : 0; i; i--) {
		const struct line *line = &lines(owners)[i - 1];

		for (size_t k = 0; k < 2; k++) {
			if (line->patterns[k] &&
			    rt_glob_match(rt_slice_of(line->patterns[k]), path))
				return line->owners;
		}
	}
	return (struct rt_slice){0};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static enum rt_status add_pattern(bool anywhere, struct rt_slice pattern, const char *after,
				  char **ret_pattern, struct rt_error *err)
{
	const char *before = anywhere ? "**/" : "";
	size_t len = strlen(before) + pattern.len + strlen(after);
	char *made = malloc(len + 1);

	if (!made)
		return rt_error_nomem(err);
	(void)snprintf(made, len + 1, "%s%.*s%s", before, (int)pattern.len, pattern.ptr, after);
	*ret_pattern = made;
	if (rt_glob_is(rt_slice_of(made)))
		return RT_OK;
	return rt_error_set(err, RT_E_INPUT, "want a pattern of paths, have \"%.*s\"",
			    rt_slice_shown(pattern, 100), pattern.ptr);
}

/* A pattern has to fit from the root on where it has a slash before its end; else anywhere. */
static enum rt_status read_pattern(struct rt_slice pattern, struct line *line, struct rt_error *err)
{
	bool folder = pattern.len > 1 && pattern.ptr[pattern.len - 1] == '/';
	bool rooted = pattern.ptr[0] == '/', anywhere, direct;
	enum rt_status status = RT_OK;

	pattern.len -= folder;
	if (rooted && pattern.len > 1)
		pattern = rt_slice_make(pattern.ptr + 1, pattern.len - 1);
	anywhere = !rooted && !memchr(pattern.ptr, '/', pattern.len);
	/* docs/x* means what is in docs itself alone. */
	direct = !anywhere && pattern.ptr[pattern.len - 1] == '*';
	if (!folder)
		status = add_pattern(anywhere, pattern, "", &line->patterns[0], err);
	if (status == RT_OK && (folder || !direct))
		status = add_pattern(anywhere, pattern, "/**", &line->patterns[1], err);
	return status;
}

/* The rest of a line without the blanks around it. */
static struct rt_slice trim(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	while (at < end && is_blank(end[-1]))
		end--;
	return rt_slice_make(at, (size_t)(end - at));
}

/* section: the owners that lines of this section have by default. */
static enum rt_status read_line(struct rt_owners *owners, struct rt_slice text,
				struct rt_slice *section, struct rt_error *err)
{
	const char *at = text.ptr, *end = rt_slice_end(text), *comment;
	struct line line = {{NULL, NULL}, {NULL, 0}};
	enum rt_status status;

	/* A section of GitLab's, which may be optional: ^[Name][2] @owner. */
	if (*at == '[' || (*at == '^' && text.len > 1 && at[1] == '[')) {
		while (end > at && end[-1] != ']')
			end--;
		*section = trim(end, rt_slice_end(text));
		return RT_OK;
	}
	while (at < end && !is_blank(*at))
		at += 1 + (*at == '\\' && at + 1 < end);
	comment = memchr(at, '#', (size_t)(end - at));
	line.owners = trim(at, comment ? comment : end);
	if (!line.owners.len)
		line.owners = section->len ? *section : (struct rt_slice){0};
	status = read_pattern(rt_slice_make(text.ptr, (size_t)(at - text.ptr)), &line, err);
	if (status == RT_OK)
		status = rt_buf_append(&owners->lines, &line, sizeof(line), err);
	if (status != RT_OK) {
		free(line.patterns[0]);
		free(line.patterns[1]);
	}
	return status;
}

/* The first bytes of a text that are no white space; NUL: there are no more. */
static void first_bytes(struct rt_slice text, char bytes[2])
{
	size_t count = 0;

	for (size_t i = 0; i < text.len && count < 2; i++) {
		if (!is_blank(text.ptr[i]) && text.ptr[i] != '\n')
			bytes[count++] = text.ptr[i];
	}
}

static enum rt_status read_lines(struct rt_owners *owners, struct rt_error *err)
{
	const char *at = owners->text.data, *end = at + owners->text.len, *stop;
	struct rt_slice section = {NULL, 0};
	enum rt_status status = RT_OK;
	uint64_t number = 0;

	for (; status == RT_OK && at < end; at = stop + 1) {
		struct rt_slice line;

		stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		line = trim(at, stop);
		number++;
		if (!line.len || *line.ptr == '#')
			continue;
		if (line_count(owners) == LINES_MAX)
			status = rt_error_set(err, RT_E_LIMIT, "want at most %u lines", LINES_MAX);
		else
			status = read_line(owners, line, &section, err);
	}
	if (status != RT_OK && err->code != RT_E_NOMEM) {
		err->line = number;
		err->column = 1;
	}
	return status;
}

enum rt_status rt_owners_read(const char *path, struct rt_owners **ret_owners, struct rt_error *err)
{
	static const char *const words[] = {"cannot open the file", "cannot read the file",
					    "the file of owners exceeds 4 MiB"};
	struct rt_owners *owners = calloc(1, sizeof(*owners));
	char start[2] = {'\0', '\0'};
	enum rt_status status;

	if (!owners)
		return rt_error_nomem(err);
	status = rt_read_file(path, FILE_BYTES, words, &owners->text, err);
	first_bytes(rt_buf_slice(&owners->text), start);
	/* A section of GitLab's has a name. */
	if (status == RT_OK && (start[0] == '{' || (start[0] == '[' && strchr("{]", start[1]))))
		status = rt_error_set(err, RT_E_INPUT,
				      "JSON is no CODEOWNERS file; as an export it goes after "
				      "--owners CODEOWNERS");
	if (status == RT_OK)
		status = read_lines(owners, err);
	if (status != RT_OK) {
		rt_error_at(err, path, NULL);
		rt_owners_free(owners);
		return status;
	}
	*ret_owners = owners;
	return RT_OK;
}
