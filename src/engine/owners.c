/*
 * Reads CODEOWNERS files: a pattern and its owners a line. Most patterns are names or paths without
 * a star, which are looked up by their hashes: thousands of them cost an issue no more than a few.
 */
#include "engine/owners.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/glob.h"
#include "base/io.h"
#include "base/map.h"

#define FILE_BYTES ((size_t)4 << 20)
#define LINES_MAX 4000u
#define GLOBS_MAX 1000u /* each is tried with each issue */
#define EXACT_BYTES                                                                                \
	(RT_GLOB_BYTES - 8) /* of a pattern without wildcards, so that a glob of it fits */

/* A line: globs for the path itself and for what lies below it. */
struct line {
	char *patterns[2];      /* NULL: none, or no glob */
	bool is_name;           /* they are of a part of the path alone */
	struct rt_slice within; /* what is in each path that they fit */
	struct rt_slice owners; /* ptr NULL: nobody */
};

/* What a pattern that is no glob names. */
enum exact {
	EXACT_PATH,       /* a path from the root on */
	EXACT_PATH_BELOW, /* what lies below it */
	EXACT_NAME,       /* the last part of any path */
	EXACT_NAME_BELOW, /* another part */
	EXACTS,
};

struct rt_owners {
	struct rt_buf text;
	struct rt_buf lines; /* of struct line */
	struct rt_buf globs; /* numbers of those with patterns, from 1 on */
	struct rt_siphash_key key;
	struct rt_map exact[EXACTS]; /* numbers of the last lines */
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
	for (size_t i = 0; i < EXACTS; i++)
		rt_map_release(&owners->exact[i]);
	rt_buf_release(&owners->globs);
	rt_buf_release(&owners->lines);
	rt_buf_release(&owners->text);
	free(owners);
}

/* The number of the last line that names a path, or a part of it, without a glob; 0: none. */
static uint32_t find_exact(const struct rt_owners *owners, struct rt_slice path)
{
	struct rt_siphash_prefixes prefixes;
	uint32_t last = 0;
	size_t part = 0;

	rt_siphash_prefixes_init(&prefixes, &owners->key, path);
	for (size_t at = 0; at <= path.len; at++) {
		bool ends = at == path.len;
		struct rt_slice name = rt_slice_make(path.ptr + part, at - part);
		uint32_t numbers[2];

		if (!ends && path.ptr[at] != '/')
			continue;
		numbers[0] = rt_map_get(&owners->exact[ends ? EXACT_PATH : EXACT_PATH_BELOW],
					rt_siphash_prefix(&prefixes, at));
		numbers[1] = rt_map_get(&owners->exact[ends ? EXACT_NAME : EXACT_NAME_BELOW],
					rt_siphash(&owners->key, name));
		for (size_t i = 0; i < 2; i++)
			last = numbers[i] > last ? numbers[i] : last;
		part = at + 1;
	}
	return last;
}

/* Whether the globs of a line fit a path. */
static bool fits(const struct line *line, struct rt_slice path)
{
	const char *at = path.ptr, *end = rt_slice_end(path), *slash;
	const char *own = line->patterns[0], *below = line->patterns[1];

	if (!memmem(path.ptr, path.len, line->within.ptr, line->within.len))
		return false;
	for (; line->is_name && (slash = memchr(at, '/', (size_t)(end - at))); at = slash + 1) {
		if (rt_glob_match(rt_slice_of(below), rt_slice_make(at, (size_t)(slash - at))))
			return true;
	}
	if (own && rt_glob_match(rt_slice_of(own), rt_slice_make(at, (size_t)(end - at))))
		return true;
	return !line->is_name && below && rt_glob_match(rt_slice_of(below), path);
}

struct rt_slice rt_owners_find(const struct rt_owners *owners, struct rt_slice path)
{
	const uint32_t *globs = owners ? (const void *)owners->globs.data : NULL;
	uint32_t last = owners ? find_exact(owners, path) : 0;

	for (size_t i = owners ? owners->globs.len / sizeof(*globs) : 0; i && globs[i - 1] > last;
	     i--) {
		const struct line *line = &lines(owners)[globs[i - 1] - 1];

		if (fits(line, path))
			return line->owners;
	}
	return last ? lines(owners)[last - 1].owners : (struct rt_slice){0};
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

/* Whether a character of a glob is more than itself. */
static bool is_glob(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

static bool has_glob(struct rt_slice pattern)
{
	size_t at = 0;

	while (at < pattern.len && !is_glob(pattern.ptr[at]))
		at++;
	return at < pattern.len;
}

/* The longest text that stands in a glob as it is, as far as that is easily seen. */
static struct rt_slice find_within(struct rt_slice glob)
{
	struct rt_slice longest = {glob.ptr, 0}, run = longest;

	for (size_t i = 0; i < glob.len && glob.ptr[i] != '[' && glob.ptr[i] != '\\'; i++) {
		run.len = glob.ptr[i] == '/' || is_glob(glob.ptr[i]) ? 0 : run.len + 1;
		run.ptr = glob.ptr + i + 1 - run.len;
		longest = run.len > longest.len ? run : longest;
	}
	return longest;
}

/* Note that the next line names a path or a name, what lies below it, or both. */
static enum rt_status add_exact(struct rt_owners *owners, struct rt_slice pattern, bool anywhere,
				bool folder, struct rt_error *err)
{
	struct rt_hash128 hash = rt_siphash(&owners->key, pattern);
	uint32_t number = (uint32_t)line_count(owners) + 1, *slot;

	for (int below = folder; below < 2; below++) {
		slot = rt_map_put(&owners->exact[(anywhere ? EXACT_NAME : EXACT_PATH) + below],
				  hash, err);
		if (!slot)
			return RT_FATAL;
		*slot = number;
	}
	return RT_OK;
}

/* A pattern has to fit from the root on where it has a slash before its end; else anywhere. */
static enum rt_status read_pattern(struct rt_owners *owners, struct rt_slice pattern,
				   struct line *line, struct rt_error *err)
{
	bool folder = pattern.len > 1 && pattern.ptr[pattern.len - 1] == '/';
	bool rooted = pattern.ptr[0] == '/', anywhere, direct;
	enum rt_status status = RT_OK;

	pattern.len -= folder;
	if (rooted && pattern.len > 1)
		pattern = rt_slice_make(pattern.ptr + 1, pattern.len - 1);
	anywhere = !rooted && !memchr(pattern.ptr, '/', pattern.len);
	/* docs/(two stars) is what lies below docs. */
	if (!folder && pattern.len > 3 && memcmp(rt_slice_end(pattern) - 3, "/**", 3) == 0 &&
	    !has_glob(rt_slice_make(pattern.ptr, pattern.len - 3))) {
		folder = true;
		pattern.len -= 3;
	}
	if (pattern.len <= EXACT_BYTES && !has_glob(pattern))
		return add_exact(owners, pattern, anywhere, folder, err);
	line->within = find_within(pattern);
	/* Two stars may match several parts. */
	line->is_name = anywhere && !memmem(pattern.ptr, pattern.len, "**", 2);
	/* docs/x* means what is in docs itself alone. */
	direct = !anywhere && pattern.ptr[pattern.len - 1] == '*';
	if (!folder)
		status =
		    add_pattern(anywhere && !line->is_name, pattern, "", &line->patterns[0], err);
	if (status == RT_OK && (folder || !direct))
		status = add_pattern(anywhere && !line->is_name, pattern,
				     line->is_name ? "" : "/**", &line->patterns[1], err);
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
	struct line line = {.owners = {NULL, 0}};
	uint32_t number = (uint32_t)line_count(owners) + 1;
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
	status = read_pattern(owners, rt_slice_make(text.ptr, (size_t)(at - text.ptr)), &line, err);
	if (status == RT_OK && (line.patterns[0] || line.patterns[1]))
		status =
		    owners->globs.len / sizeof(number) < GLOBS_MAX
			? rt_buf_append(&owners->globs, &number, sizeof(number), err)
			: rt_error_set(err, RT_E_LIMIT,
				       "want at most %u lines with a * or the like", GLOBS_MAX);
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
	status = rt_siphash_key_init(&owners->key, err);
	if (status == RT_OK)
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
