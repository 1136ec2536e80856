/*
 * The masked texts of a finding, as the settings ask for them.
 */
#include "output/texts.h"

#include <inttypes.h>
#include <stdio.h>

#include <strings.h>

#include "base/error.h"
#include "engine/summary.h"

#define ELLIPSIS "\xE2\x80\xA6"

void rt_texts_init(struct rt_texts *t, const struct rt_report_settings *settings)
{
	*t = (struct rt_texts){.settings = settings};
}

void rt_texts_release(struct rt_texts *t)
{
	rt_buf_release(&t->decoded);
	rt_buf_release(&t->path);
	rt_buf_release(&t->masked);
}

enum rt_status rt_texts_status(const struct rt_texts *t, struct rt_error *err)
{
	if (t->status != RT_OK)
		*err = t->err;
	return t->status;
}

/* --- Building blocks --------------------------------------------------------------------- */

/* A member's text, not masked; ptr NULL where there is none. */
static struct rt_slice decoded(struct rt_texts *t, enum rt_member m)
{
	struct rt_slice text = {0};

	if (t->status == RT_OK)
		t->status = rt_finding_text(t->finding, m, &t->decoded, &text, &t->err);
	return t->status == RT_OK && text.len ? text : (struct rt_slice){0};
}

static void add_masked(struct rt_texts *t, struct rt_slice text, enum rt_mask_lines lines)
{
	if (t->status == RT_OK)
		t->status = rt_mask(text, lines, &t->masked, &t->err);
}

static void add(struct rt_texts *t, struct rt_slice text)
{
	if (t->status == RT_OK)
		t->status = rt_buf_append(&t->masked, text.ptr, text.len, &t->err);
}

/* What has been put together; a text that is empty is one all the same. */
static struct rt_slice made(const struct rt_texts *t)
{
	if (t->status != RT_OK || !t->masked.len)
		return RT_SLICE("");
	return rt_buf_slice(&t->masked);
}

size_t rt_text_prefix(struct rt_slice text, size_t max, size_t *ret_more)
{
	size_t points = 0, end = text.len;

	*ret_more = 0;
	if (text.len <= max) /* each has a byte or more */
		return end;
	for (size_t at = 0; at < text.len; at++) {
		if ((text.ptr[at] & 0xC0) != 0x80 && points++ == max)
			end = at;
	}
	*ret_more = points > max ? points - max : 0;
	return end;
}

struct rt_slice rt_take_line(struct rt_slice *text)
{
	const char *end = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
	size_t len = end ? (size_t)(end - text->ptr) : text->len;
	struct rt_slice line = rt_slice_make(text->ptr, len);

	len += end != NULL;
	*text = rt_slice_make(text->ptr + len, text->len - len);
	return line;
}

enum rt_status rt_text_cut(struct rt_slice text, size_t max, struct rt_buf *out,
			   struct rt_error *err)
{
	size_t more, len = rt_text_prefix(text, max, &more);
	enum rt_status status;

	if (more && max)
		len = rt_text_prefix(text, max - 1, &more);
	status = rt_buf_append(out, text.ptr, len, err);
	return status == RT_OK && more && max
		   ? rt_buf_append(out, ELLIPSIS, sizeof(ELLIPSIS) - 1, err)
		   : status;
}

/* --- Texts ------------------------------------------------------------------------------- */

struct rt_slice rt_texts_mask(struct rt_texts *t, struct rt_slice text, enum rt_mask_lines lines)
{
	t->masked.len = 0;
	add_masked(t, text, lines);
	return made(t);
}

struct rt_slice rt_texts_member(struct rt_texts *t, enum rt_member m, enum rt_mask_lines lines)
{
	struct rt_slice text = decoded(t, m);

	return text.ptr ? rt_texts_mask(t, text, lines) : (struct rt_slice){0};
}

/* A member on one line, or what is shown for it. */
static struct rt_slice word(struct rt_texts *t, enum rt_member m, struct rt_slice none)
{
	struct rt_slice text = rt_texts_member(t, m, RT_MASK_LINES_BLANK);

	return text.ptr ? text : none;
}

struct rt_slice rt_texts_title(struct rt_texts *t, size_t max)
{
	struct rt_slice line = rt_first_line(decoded(t, RT_M_TITLE));
	size_t from;

	if (!line.len)
		line = rt_first_line(decoded(t, RT_M_CATEGORY));
	if (!line.len)
		return RT_SLICE("(no title)");
	t->masked.len = 0;
	add_masked(t, line, RT_MASK_LINES_BLANK);
	/* The text that is cut has to stand still while the cut one is made: both in one buffer. */
	from = t->masked.len;
	if (t->status == RT_OK)
		t->status = rt_buf_reserve(&t->masked, from + sizeof(ELLIPSIS), &t->err);
	if (t->status == RT_OK)
		t->status =
		    rt_text_cut(rt_slice_make(t->masked.data, from), max, &t->masked, &t->err);
	if (t->status != RT_OK)
		return RT_SLICE("");
	return rt_slice_make(t->masked.data + from, t->masked.len - from);
}

struct rt_slice rt_texts_category(struct rt_texts *t)
{
	return word(t, RT_M_CATEGORY, RT_SLICE("unknown"));
}

struct rt_slice rt_texts_severity(struct rt_texts *t)
{
	if (t->finding->level != RT_LEVEL_OTHER)
		return rt_level_text(t->finding->level);
	return word(t, RT_M_SEVERITY, RT_SLICE("unknown"));
}

struct rt_slice rt_texts_raw_path(struct rt_texts *t)
{
	struct rt_slice text = decoded(t, RT_M_FILE_PATH);

	t->path.len = 0;
	if (t->status == RT_OK && text.ptr)
		t->status = rt_path_shorten(text, &t->path, &t->err);
	return t->status == RT_OK && t->path.len ? rt_buf_slice(&t->path) : (struct rt_slice){0};
}

struct rt_slice rt_texts_path(struct rt_texts *t)
{
	struct rt_slice path = rt_texts_raw_path(t);

	return path.ptr ? rt_texts_mask(t, path, RT_MASK_LINES_BLANK) : path;
}

struct rt_slice rt_texts_place(struct rt_texts *t, bool column)
{
	struct rt_slice path = rt_texts_raw_path(t);
	struct rt_slice col = rt_finding_number(t->finding, RT_M_COLUMN_START);

	t->masked.len = 0;
	if (path.ptr)
		add_masked(t, path, RT_MASK_LINES_BLANK);
	else
		add(t, RT_SLICE("(no file)"));
	if (rt_finding_line(t->finding)) {
		add(t, RT_SLICE(":"));
		add(t, rt_finding_number(t->finding, RT_M_LINE_NUMBER));
		if (column && col.ptr && col.ptr[0] != '-' && col.ptr[0] != '0') {
			add(t, RT_SLICE(":"));
			add(t, col);
		}
	}
	return made(t);
}

/* The texts of the notes; with `separator`, all of them with it in between, else the last one. */
static struct rt_slice put_notes(struct rt_texts *t, struct rt_slice separator,
				 enum rt_mask_lines lines)
{
	struct rt_slice at = t->finding->notes, added_at, text;
	bool any = false;

	t->masked.len = 0;
	while (t->status == RT_OK) {
		t->status = rt_notes_next(&at, &t->decoded, &added_at, &text, &t->err);
		if (t->status != RT_OK)
			break;
		if (!separator.ptr)
			t->masked.len = 0;
		else if (any)
			add(t, separator);
		any = true;
		add_masked(t, text, lines);
	}
	if (t->status == RT_END)
		t->status = RT_OK;
	return any ? made(t) : (struct rt_slice){0};
}

struct rt_slice rt_texts_notes(struct rt_texts *t, enum rt_mask_lines lines)
{
	return put_notes(t, RT_SLICE("; "), lines);
}

struct rt_slice rt_texts_last_note(struct rt_texts *t, enum rt_mask_lines lines)
{
	return put_notes(t, (struct rt_slice){0}, lines);
}

struct rt_slice rt_texts_list(struct rt_texts *t, enum rt_member m, enum rt_mask_lines lines)
{
	struct rt_slice at = rt_finding_strings(t->finding, m), text;
	bool any = false;

	t->masked.len = 0;
	if (!at.ptr)
		return at;
	while (t->status == RT_OK) {
		t->status = rt_strings_next(&at, &t->decoded, &text, &t->err);
		if (t->status != RT_OK)
			break;
		if (any)
			add(t, RT_SLICE("; "));
		any = true;
		add_masked(t, text, lines);
	}
	if (t->status == RT_END)
		t->status = RT_OK;
	return made(t);
}

/* --- Paths ------------------------------------------------------------------------------- */

enum rt_status rt_path_shorten(struct rt_slice path, struct rt_buf *out, struct rt_error *err)
{
	size_t from = out->len;
	enum rt_status status;

	path = rt_path_undot(path);
	status = rt_buf_append(out, path.ptr, path.len, err);
	for (size_t i = from; status == RT_OK && i < out->len; i++) {
		if (out->data[i] == '\\')
			out->data[i] = '/';
	}
	return status;
}

/* --- Links ------------------------------------------------------------------------------- */

static bool is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~/", c));
}

enum rt_status rt_percent_encode(struct rt_slice text, bool (*is_kept)(char c), struct rt_buf *out,
				 struct rt_error *err)
{
	static const char digits[] = "0123456789ABCDEF";
	enum rt_status status = rt_buf_reserve(out, text.len * 3, err);

	for (size_t i = 0; status == RT_OK && i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (is_kept(text.ptr[i])) {
			out->data[out->len++] = (char)c;
			continue;
		}
		out->data[out->len++] = '%';
		out->data[out->len++] = digits[c >> 4];
		out->data[out->len++] = digits[c & 15];
	}
	return status;
}

/* Whether a path stays below where it is put. */
static bool is_below(struct rt_slice path)
{
	if (!path.len || path.ptr[0] == '/')
		return false;
	for (size_t i = 0; i + 1 < path.len; i++) {
		bool begins = i == 0 || path.ptr[i - 1] == '/';

		if (begins && path.ptr[i] == '.' && path.ptr[i + 1] == '.' &&
		    (i + 2 == path.len || path.ptr[i + 2] == '/'))
			return false;
	}
	return true;
}

static bool takes(const char **at, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(*at, name, len) != 0)
		return false;
	*at += len;
	return true;
}

static enum rt_status refuse_link(const char *want, const char *have, struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_USAGE, "want %s, have \"%s\"", want, have);
	(void)snprintf(err->field, sizeof(err->field), "--link");
	return RT_FATAL;
}

enum rt_status rt_link_check(const char *link, struct rt_error *err)
{
	static const char *const places[] = {"{path}", "{line}", "{repo}"};
	size_t known = 0;

	if (!link)
		return RT_OK;
	if (strncmp(link, "https://", 8) != 0)
		return refuse_link("an address that begins with https://", link, err);
	for (const char *at = link; (at = strchr(at, '{')); at++, known = 0) {
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			known += strncmp(at, places[i], strlen(places[i])) == 0;
		if (!known)
			return refuse_link("{path}, {line} or {repo} where there is a brace", at,
					   err);
	}
	return RT_OK;
}

enum rt_status rt_link_make(const char *template, struct rt_slice path, struct rt_slice repo,
			    uint64_t line, struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	char number[24];

	if (strncmp(template, "https://", 8) != 0 ||
	    (strstr(template, "{path}") && !is_below(path)) ||
	    (strstr(template, "{repo}") && !is_below(repo)))
		return RT_OK;
	(void)snprintf(number, sizeof(number), "%" PRIu64, line ? line : 1);
	for (const char *at = template; status == RT_OK && *at;) {
		if (takes(&at, "{path}"))
			status = rt_percent_encode(path, is_unreserved, out, err);
		else if (takes(&at, "{repo}"))
			status = rt_percent_encode(repo, is_unreserved, out, err);
		else if (takes(&at, "{line}"))
			status = rt_buf_append(out, number, strlen(number), err);
		else
			status = rt_buf_append(out, at++, 1, err);
	}
	return status;
}

struct rt_slice rt_texts_link(struct rt_texts *t)
{
	struct rt_slice path, repo;

	if (!t->settings->link)
		return (struct rt_slice){0};
	path = rt_texts_raw_path(t);
	repo = decoded(t, RT_M_REPO_NAME);
	t->masked.len = 0;
	if (t->status == RT_OK)
		t->status = rt_link_make(t->settings->link, path, repo, rt_finding_line(t->finding),
					 &t->masked, &t->err);
	return t->status == RT_OK && t->masked.len ? rt_buf_slice(&t->masked)
						   : (struct rt_slice){0};
}

/* --- Words ------------------------------------------------------------------------------- */

struct rt_slice rt_level_text(unsigned level)
{
	return level < RT_LEVEL_OTHER ? rt_severity_level(level) : RT_SLICE("unknown");
}

uint64_t rt_finding_position(const struct rt_finding *finding, enum rt_member m, uint64_t most)
{
	struct rt_slice text = rt_finding_number(finding, m);
	uint64_t value = 0;

	/* An integer that fits int64, as its record was checked. */
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9' || value > UINT64_MAX / 10 - 1)
			return 0;
		value = value * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	return value <= most ? value : 0;
}

uint64_t rt_finding_line(const struct rt_finding *finding)
{
	return rt_finding_position(finding, RT_M_LINE_NUMBER, UINT64_MAX);
}

/* --- Secrets ----------------------------------------------------------------------------- */

static bool has_secret(struct rt_slice text)
{
	static const char word[] = "secret";
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= text.len; i++) {
		if (strncasecmp(text.ptr + i, word, len) == 0)
			return true;
	}
	return false;
}

static bool is_secret_scanner(struct rt_slice tool)
{
	static const char *const tools[] = {"gitleaks", "trufflehog", "detect-secrets", "ggshield"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		if (tool.len >= strlen(tools[i]) &&
		    strncasecmp(tool.ptr, tools[i], strlen(tools[i])) == 0)
			return true;
	}
	return has_secret(tool);
}

static bool is_secret(struct rt_texts *t)
{
	struct rt_slice tags = rt_finding_strings(t->finding, RT_M_TAGS), text;
	enum rt_status status =
	    rt_finding_text(t->finding, RT_M_CATEGORY, &t->decoded, &text, &t->err);
	bool found = status == RT_OK && has_secret(text);

	if (status == RT_OK && !found)
		status = rt_finding_text(t->finding, RT_M_MODEL_USED, &t->decoded, &text, &t->err);
	found = found || (status == RT_OK && is_secret_scanner(text));
	while (status == RT_OK && !found) {
		status = rt_strings_next(&tags, &t->decoded, &text, &t->err);
		found = status == RT_OK && has_secret(text);
	}
	if (status == RT_FATAL)
		t->status = status;
	return found;
}

bool rt_texts_shows_code(struct rt_texts *t)
{
	if (t->settings->no_code || t->settings->show_secrets || t->status != RT_OK)
		return !t->settings->no_code;
	return !is_secret(t);
}
