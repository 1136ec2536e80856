/*
 * The masked texts of a finding, as the settings ask for them.
 */
#include "output/texts.h"

#include <inttypes.h>
#include <stdio.h>

#include <strings.h>

#include "base/error.h"
#include "engine/headline.h"
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
	rt_buf_release(&t->cut);
}

enum rt_status rt_texts_status(const struct rt_texts *t, struct rt_error *err)
{
	if (t->status != RT_OK)
		*err = t->err;
	return t->status;
}

/* --- Building blocks --------------------------------------------------------------------- */

struct rt_slice rt_texts_decoded(struct rt_texts *t, enum rt_member m)
{
	struct rt_slice text = {0};

	RT_STEP(t, rt_finding_text(t->finding, m, &t->decoded, &text, &t->err));
	return t->status == RT_OK && text.len ? text : (struct rt_slice){0};
}

/* Whether a walk goes on; its end is no fault. */
static bool goes_on(struct rt_texts *t)
{
	bool more = t->status == RT_OK;

	if (t->status == RT_END)
		t->status = RT_OK;
	return more;
}

bool rt_texts_string(struct rt_texts *t, struct rt_slice *at, struct rt_slice *ret_text)
{
	RT_STEP(t, rt_strings_next(at, &t->decoded, ret_text, &t->err));
	return goes_on(t);
}

bool rt_texts_note(struct rt_texts *t, struct rt_slice *at, struct rt_slice *ret_added_at,
		   struct rt_slice *ret_text)
{
	RT_STEP(t, rt_notes_next(at, &t->decoded, ret_added_at, ret_text, &t->err));
	return goes_on(t);
}

static void add_masked(struct rt_texts *t, struct rt_slice text, enum rt_mask_lines lines)
{
	RT_STEP(t, rt_mask(text, lines, &t->masked, &t->err));
}

static void add(struct rt_texts *t, struct rt_slice text)
{
	RT_STEP(t, rt_buf_append(&t->masked, text.ptr, text.len, &t->err));
}

/* What has been put together; a text that is empty is one all the same. */
static struct rt_slice made(const struct rt_texts *t, const struct rt_buf *text)
{
	return t->status == RT_OK && text->len ? rt_buf_slice(text) : RT_SLICE("");
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

struct rt_slice rt_texts_cut(struct rt_texts *t, struct rt_slice text, size_t max)
{
	size_t more, len = rt_text_prefix(text, max, &more);

	if (more && max)
		len = rt_text_prefix(text, max - 1, &more);
	t->cut.len = 0;
	RT_STEP(t, rt_buf_append(&t->cut, text.ptr, len, &t->err));
	if (more && max)
		RT_STEP(t, rt_buf_append(&t->cut, ELLIPSIS, sizeof(ELLIPSIS) - 1, &t->err));
	return made(t, &t->cut);
}

/* --- Texts ------------------------------------------------------------------------------- */

struct rt_slice rt_texts_mask(struct rt_texts *t, struct rt_slice text, enum rt_mask_lines lines)
{
	t->masked.len = 0;
	add_masked(t, text, lines);
	return made(t, &t->masked);
}

struct rt_slice rt_texts_member(struct rt_texts *t, enum rt_member m, enum rt_mask_lines lines)
{
	struct rt_slice text = rt_texts_decoded(t, m);

	return text.ptr ? rt_texts_mask(t, text, lines) : text;
}

/* A member on one line, or what is shown for it. */
static struct rt_slice word(struct rt_texts *t, enum rt_member m, struct rt_slice none)
{
	struct rt_slice text = rt_texts_member(t, m, RT_MASK_LINES_BLANK);

	return text.ptr ? text : none;
}

struct rt_slice rt_texts_headline(struct rt_texts *t, size_t max)
{
	struct rt_put room = {&t->decoded, &t->err, t->status};
	struct rt_slice line = rt_finding_headline(t->finding, &room).text;

	t->status = room.status;
	if (!line.len)
		return RT_SLICE("(no title)");
	return rt_texts_cut(t, rt_texts_mask(t, line, RT_MASK_LINES_BLANK), max);
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
	struct rt_slice text = rt_texts_decoded(t, RT_M_FILE_PATH);

	t->path.len = 0;
	if (text.ptr)
		RT_STEP(t, rt_path_shorten(text, &t->path, &t->err));
	text = made(t, &t->path);
	return text.len ? text : (struct rt_slice){0};
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
	return made(t, &t->masked);
}

struct rt_slice rt_texts_notes(struct rt_texts *t, enum rt_mask_lines lines)
{
	struct rt_slice at = t->finding->notes, added_at, text;
	bool any = false;

	t->masked.len = 0;
	for (; rt_texts_note(t, &at, &added_at, &text); any = true) {
		add(t, any ? RT_SLICE("; ") : RT_SLICE(""));
		add_masked(t, text, lines);
	}
	return any ? made(t, &t->masked) : (struct rt_slice){0};
}

struct rt_slice rt_texts_last_note(struct rt_texts *t, enum rt_mask_lines lines)
{
	struct rt_slice at = t->finding->notes, added_at, text, last = {0};

	while (rt_texts_note(t, &at, &added_at, &text))
		last = rt_texts_mask(t, text, lines);
	return last;
}

struct rt_slice rt_texts_list(struct rt_texts *t, enum rt_member m, enum rt_mask_lines lines)
{
	struct rt_slice at = rt_finding_strings(t->finding, m), text;
	bool any = false;

	if (!at.ptr)
		return at;
	t->masked.len = 0;
	for (; rt_texts_string(t, &at, &text); any = true) {
		add(t, any ? RT_SLICE("; ") : RT_SLICE(""));
		add_masked(t, text, lines);
	}
	return made(t, &t->masked);
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

		if (is_kept ? is_kept(text.ptr[i]) : is_unreserved(text.ptr[i])) {
			out->data[out->len++] = (char)c;
			continue;
		}
		out->data[out->len++] = '%';
		out->data[out->len++] = digits[c >> 4];
		out->data[out->len++] = digits[c & 15];
	}
	return status;
}

void rt_put_uri(struct rt_put *put, struct rt_slice path)
{
	if (path.len && *path.ptr == '/')
		RT_PUT(put, "file://");
	if (put->status == RT_OK)
		put->status = rt_percent_encode(path, NULL, put->out, put->err);
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
	static const char scheme[] = "https://";
	size_t known = 0, host;

	if (!link)
		return RT_OK;
	if (strncmp(link, scheme, strlen(scheme)) != 0)
		return refuse_link("an address that begins with https://", link, err);
	/* What comes from a log must not become part of the host's name. */
	host = strcspn(link + strlen(scheme), "/\\{?#");
	if (!host || link[strlen(scheme) + host] != '/' || !strchr(link, '{'))
		return refuse_link("https://HOST/... with {path}, {line} or {repo} behind the host",
				   link, err);
	for (const char *at = link; (at = strchr(at, '{')); at++, known = 0) {
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			known += strncmp(at, places[i], strlen(places[i])) == 0;
		if (!known)
			return refuse_link("{path}, {line} or {repo} where there is a brace", at,
					   err);
	}
	return RT_OK;
}

struct rt_slice rt_texts_link(struct rt_texts *t)
{
	const char *link = t->settings->link;
	struct rt_slice path, repo;
	char number[24];

	if (!link)
		return (struct rt_slice){0};
	path = rt_texts_raw_path(t);
	repo = rt_texts_decoded(t, RT_M_REPO_NAME);
	if (t->status != RT_OK || strncmp(link, "https://", 8) != 0 ||
	    (strstr(link, "{path}") && !is_below(path)) ||
	    (strstr(link, "{repo}") && !is_below(repo)))
		return (struct rt_slice){0};
	(void)snprintf(number, sizeof(number), "%" PRIu64,
		       rt_finding_line(t->finding) ? rt_finding_line(t->finding) : 1);
	t->masked.len = 0;
	while (*link) {
		if (takes(&link, "{path}"))
			RT_STEP(t, rt_percent_encode(path, NULL, &t->masked, &t->err));
		else if (takes(&link, "{repo}"))
			RT_STEP(t, rt_percent_encode(repo, NULL, &t->masked, &t->err));
		else if (takes(&link, "{line}"))
			add(t, rt_slice_of(number));
		else
			add(t, rt_slice_make(link++, 1));
	}
	return made(t, &t->masked);
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
	bool found = has_secret(rt_texts_decoded(t, RT_M_CATEGORY)) ||
		     is_secret_scanner(rt_texts_decoded(t, RT_M_MODEL_USED));

	while (!found && rt_texts_string(t, &tags, &text))
		found = has_secret(text);
	return found;
}

bool rt_member_is_code(enum rt_member m)
{
	return m == RT_M_CODE_SNIPPET || m == RT_M_CONTEXT_BEFORE || m == RT_M_CONTEXT_AFTER ||
	       m == RT_M_REMEDIATION_CODE;
}

bool rt_texts_shows_code(struct rt_texts *t)
{
	if (t->settings->no_code || t->settings->show_secrets || t->status != RT_OK)
		return !t->settings->no_code;
	return !is_secret(t);
}
