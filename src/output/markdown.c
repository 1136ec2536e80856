/*
 * Writes masked text as GitHub's Markdown that a renderer turns into that text.
 */
#include "output/markdown.h"

#include <assert.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/error.h"
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

/* Room for so many bytes behind what is there; NULL after a fault. */
static char *room(struct rt_put *put, size_t bytes)
{
	RT_STEP(put, rt_buf_reserve(put->out, bytes, put->err));
	return put->status == RT_OK ? put->out->data + put->out->len : NULL;
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

static void put_backticks(struct rt_put *put, size_t count)
{
	char *to = room(put, count);

	if (!to)
		return;
	memset(to, '`', count);
	put->out->len += count;
}

/* A blank at each end goes with the marks: one is needed beside a backtick, and where both ends
 * have blanks of their own. */
static bool needs_blanks(struct rt_slice text)
{
	char first = text.ptr[0], last = text.ptr[text.len - 1];

	return first == '`' || last == '`' || (is_blank(first) && is_blank(last));
}

static void put_span(struct rt_put *put, struct rt_slice text)
{
	size_t marks = longest_run(text) + 1, from;
	struct rt_slice blank;

	if (!text.len)
		return;
	blank = needs_blanks(text) ? RT_SLICE(" ") : RT_SLICE("");
	put_backticks(put, marks);
	rt_put(put, blank);
	from = put->out->len;
	rt_put(put, text);
	for (size_t i = from; i < put->out->len; i++) {
		if (put->out->data[i] == '\n')
			put->out->data[i] = ' ';
	}
	rt_put(put, blank);
	put_backticks(put, marks);
}

static void put_fence(struct rt_put *put, struct rt_slice text)
{
	size_t marks = longest_run(text) + 1;

	put_backticks(put, marks < 3 ? 3 : marks);
	RT_PUT(put, "\n");
	rt_put(put, text);
	if (text.len && text.ptr[text.len - 1] != '\n')
		RT_PUT(put, "\n");
	put_backticks(put, marks < 3 ? 3 : marks);
	RT_PUT(put, "\n");
}

static bool is_inert(char c)
{
	return c > ' ' && c < 0x7F && !strchr("()<>[]\"'`\\|^{}*_~", c);
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

/* A text in which nothing acts: in HTML, or as running text. */
static void put_escaped(struct rt_put *put, struct rt_slice text, bool html)
{
	/* "&quot;" is the longest. */
	char *to = room(put, text.len * 6);

	if (!to)
		return;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '&' || c == '<' || c == '>') {
			to = stpcpy(to, c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;");
		} else if (html && (c == '"' || c == '\'')) {
			to = stpcpy(to, c == '"' ? "&quot;" : "&#39;");
		} else {
			if (!html && is_punct(c))
				*to++ = '\\';
			*to++ = c;
		}
	}
	put->out->len = (size_t)(to - put->out->data);
}

void rt_markdown_words(struct rt_put *put, struct rt_slice text)
{
	bool any = false;

	for (size_t at = 0;; any = true) {
		unsigned breaks = 0;
		struct rt_slice word;

		for (; at < text.len && is_blank(text.ptr[at]); at++)
			breaks += text.ptr[at] == '\n';
		if (at == text.len)
			return;
		if (any)
			rt_put(put, breaks > 1    ? RT_SLICE("\n\n")
				    : breaks == 1 ? RT_SLICE("<br>\n")
						  : RT_SLICE(" "));
		word = rt_slice_make(text.ptr + at, 0);
		for (; at < text.len && !is_blank(text.ptr[at]); at++)
			word.len++;
		if (is_linked(word))
			put_span(put, word);
		else
			put_escaped(put, word, false);
	}
}

/* --- Forms ------------------------------------------------------------------------------- */

static void put_slot(struct rt_put *put, char form, const struct rt_slot *slot)
{
	assert(slot->kind == (form == 's'   ? RT_SLOT_WORD
			      : form == 'n' ? RT_SLOT_NUMBER
					    : RT_SLOT_TEXT));
	if (form == 'w')
		rt_markdown_words(put, slot->text);
	else if (form == 'c')
		put_span(put, slot->text);
	else if (form == 'f')
		put_fence(put, slot->text);
	else if (form == 'h')
		put_escaped(put, slot->text, true);
	else if (form == 'a')
		RT_STEP(put, rt_percent_encode(slot->text, is_inert, put->out, put->err));
	else
		rt_put(put,
		       form == 'n' ? rt_slice_of(RT_COUNT((uint64_t)slot->number)) : slot->text);
}

void rt_markdown_fill(struct rt_put *put, const struct rt_slot *slots)
{
	struct rt_fill f = {.form = slots->text.ptr, .slots = slots + 1};

	while (rt_fill_next(&f)) {
		rt_put(put, f.text);
		if (f.mark)
			put_slot(put, f.mark, f.slot);
	}
}
