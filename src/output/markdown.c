/*
 * Writes masked text as GitHub's Markdown that a renderer turns into that text.
 */
#include "output/markdown.h"

#include <assert.h>
#include <strings.h>

#include "base/decimal.h"
#include "output/texts.h"

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool is_punct(char c)
{
	return c > ' ' && c < 0x7F && !is_alnum(c);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static enum rt_status put(struct rt_buf *out, struct rt_slice text, struct rt_error *err)
{
	return text.len ? rt_buf_append(out, text.ptr, text.len, err) : RT_OK;
}

/* --- Code -------------------------------------------------------------------------------- */

/* The longest run of backticks. */
static size_t longest_run(struct rt_slice text)
{
	size_t run = 0, longest = 0;

	for (size_t i = 0; i < text.len; i++) {
		run = text.ptr[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static enum rt_status put_backticks(struct rt_buf *out, size_t count, struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(out, count, err);

	if (status != RT_OK)
		return status;
	memset(out->data + out->len, '`', count);
	out->len += count;
	return RT_OK;
}

/* A blank at each end goes with the marks: one is needed beside a backtick, and where both ends
 * have blanks of their own. */
static bool needs_blanks(struct rt_slice text)
{
	char first = text.ptr[0], last = text.ptr[text.len - 1];

	return first == '`' || last == '`' || (is_blank(first) && is_blank(last));
}

static enum rt_status put_span(struct rt_slice text, struct rt_buf *out, struct rt_error *err)
{
	size_t marks = longest_run(text) + 1, from;
	struct rt_slice blank;
	enum rt_status status;

	if (!text.len)
		return RT_OK;
	blank = needs_blanks(text) ? RT_SLICE(" ") : RT_SLICE("");
	status = put_backticks(out, marks, err);
	if (status == RT_OK)
		status = put(out, blank, err);
	from = out->len;
	if (status == RT_OK)
		status = put(out, text, err);
	for (size_t i = from; status == RT_OK && i < out->len; i++) {
		if (out->data[i] == '\n')
			out->data[i] = ' ';
	}
	if (status == RT_OK)
		status = put(out, blank, err);
	return status == RT_OK ? put_backticks(out, marks, err) : status;
}

static enum rt_status put_fence(struct rt_slice text, struct rt_buf *out, struct rt_error *err)
{
	size_t marks = longest_run(text) + 1;
	enum rt_status status = put_backticks(out, marks < 3 ? 3 : marks, err);

	if (status == RT_OK)
		status = put(out, RT_SLICE("\n"), err);
	if (status == RT_OK)
		status = put(out, text, err);
	if (status == RT_OK && text.len && text.ptr[text.len - 1] != '\n')
		status = put(out, RT_SLICE("\n"), err);
	if (status == RT_OK)
		status = put_backticks(out, marks < 3 ? 3 : marks, err);
	return status == RT_OK ? put(out, RT_SLICE("\n"), err) : status;
}

static bool is_inert(char c)
{
	return c > ' ' && c < 0x7F && !strchr("()<>[]\"'`\\|^{}*_~", c);
}

static enum rt_status put_target(struct rt_slice address, struct rt_buf *out, struct rt_error *err)
{
	return rt_percent_encode(address, is_inert, out, err);
}

/* --- Words ------------------------------------------------------------------------------- */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Whether a run of hex digits as long as the shortest that names a commit begins at a word's byte,
 * which is no part of a longer one. */
static bool is_commit(struct rt_slice word, size_t at)
{
	size_t end = at;

	if (at && is_alnum(word.ptr[at - 1]))
		return false;
	while (end < word.len && is_hex(word.ptr[end]))
		end++;
	return end - at >= 7 && (end == word.len || !is_alnum(word.ptr[end]));
}

/* Whether ":name:" begins at a word's byte, which servers show as a picture. */
static bool is_picture(struct rt_slice word, size_t at)
{
	size_t end = at + 1;

	while (end < word.len && (is_alnum(word.ptr[end]) || strchr("_+-", word.ptr[end])))
		end++;
	return end > at + 1 && end < word.len && word.ptr[end] == ':';
}

/* Whether "[name:" or "*name:" begins at a word's byte, as in GitLab's [vulnerability:12]. */
static bool is_name(struct rt_slice word, size_t at)
{
	size_t end = at + 1;

	while (end < word.len && (is_alnum(word.ptr[end]) || word.ptr[end] == '_'))
		end++;
	return end > at + 1 && end < word.len && word.ptr[end] == ':';
}

/* Whether the rest of a word begins with a text, whatever its case. */
static bool begins(struct rt_slice word, size_t at, const char *text)
{
	size_t len = strlen(text);

	return word.len - at >= len && strncasecmp(word.ptr + at, text, len) == 0;
}

/* Whether what is at a word's byte makes a server link something: mentions, references to
 * issues, requests, commits, labels and the like, addresses, pictures. */
static bool is_linked_at(struct rt_slice word, size_t at)
{
	char c = word.ptr[at], next = at + 1 < word.len ? word.ptr[at + 1] : ' ';

	/* Names may begin with a dot or an underscore (GitLab). */
	if (c == '@' && (next == '.' || next == '_'))
		return true;
	if (c && strchr("@#!~%&$", c))
		return is_alnum(next) || next == '"' || (unsigned char)next >= 0x80;
	if (c == '[' || c == '*')
		return is_name(word, at);
	if (c == ':')
		return begins(word, at, "://") || is_picture(word, at);
	return begins(word, at, "www.") || begins(word, at, "gh-") || is_commit(word, at);
}

static bool is_linked(struct rt_slice word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (is_linked_at(word, i))
			return true;
	}
	return false;
}

static enum rt_status put_word(struct rt_slice word, struct rt_buf *out, struct rt_error *err)
{
	/* "&amp;" is the longest. */
	enum rt_status status = rt_buf_reserve(out, word.len * 5, err);
	char *to;

	if (status != RT_OK || is_linked(word))
		return status == RT_OK ? put_span(word, out, err) : status;
	to = out->data + out->len;
	for (size_t i = 0; i < word.len; i++) {
		char c = word.ptr[i];

		if (c == '&' || c == '<' || c == '>') {
			to = stpcpy(to, c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;");
			continue;
		}
		if (is_punct(c))
			*to++ = '\\';
		*to++ = c;
	}
	out->len = (size_t)(to - out->data);
	return RT_OK;
}

enum rt_status rt_markdown_words(struct rt_slice text, struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	bool any = false;
	size_t at = 0;

	while (status == RT_OK) {
		unsigned breaks = 0;
		size_t from;

		for (; at < text.len && is_blank(text.ptr[at]); at++)
			breaks += text.ptr[at] == '\n';
		if (at == text.len)
			break;
		if (any)
			status = put(out,
				     breaks > 1    ? RT_SLICE("\n\n")
				     : breaks == 1 ? RT_SLICE("<br>\n")
						   : RT_SLICE(" "),
				     err);
		any = true;
		for (from = at; at < text.len && !is_blank(text.ptr[at]);)
			at++;
		if (status == RT_OK)
			status = put_word(rt_slice_make(text.ptr + from, at - from), out, err);
	}
	return status;
}

static enum rt_status put_html(struct rt_slice text, struct rt_buf *out, struct rt_error *err)
{
	/* "&quot;" is the longest. */
	enum rt_status status = rt_buf_reserve(out, text.len * 6, err);
	char *to;

	if (status != RT_OK)
		return status;
	to = out->data + out->len;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '&' || c == '<' || c == '>')
			to = stpcpy(to, c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;");
		else if (c == '"' || c == '\'')
			to = stpcpy(to, c == '"' ? "&quot;" : "&#39;");
		else
			*to++ = c;
	}
	out->len = (size_t)(to - out->data);
	return RT_OK;
}

/* --- Forms ------------------------------------------------------------------------------- */

static enum rt_status put_slot(struct rt_buf *out, char form, const struct rt_slot *slot,
			       struct rt_error *err)
{
	struct rt_slice text = slot->text;

	assert(slot->kind == (form == 's'   ? RT_SLOT_WORD
			      : form == 'n' ? RT_SLOT_NUMBER
					    : RT_SLOT_TEXT));
	switch (form) {
	case 'w':
		return rt_markdown_words(text, out, err);
	case 'c':
		return put_span(text, out, err);
	case 'f':
		return put_fence(text, out, err);
	case 'h':
		return put_html(text, out, err);
	case 'a':
		return put_target(text, out, err);
	case 'n':
		return put(out, rt_slice_of(RT_COUNT((uint64_t)slot->number)), err);
	default:
		return put(out, text, err);
	}
}

enum rt_status rt_markdown_fill(struct rt_buf *out, const struct rt_slot *slots,
				struct rt_error *err)
{
	const char *form = slots++->text.ptr;
	enum rt_status status = RT_OK;

	while (status == RT_OK && *form) {
		size_t len = strcspn(form, "%");

		status = put(out, rt_slice_make(form, len), err);
		form += len;
		if (status == RT_OK && *form) {
			status = put_slot(out, form[1], slots++, err);
			form += 2;
		}
	}
	return status;
}
