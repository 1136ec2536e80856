/*
 * Makes text of any bytes safe to look at: UTF-8, without anything that acts on a terminal, a
 * reader's eye or a CI system.
 */
#include "base/mask.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/plain.h"

/* Bytes that one character becomes at most: ⟨U+10FFFF⟩, and a NUL while it is made. */
#define SHOWN_MAX 24u

/* A text on its way to out. */
struct masking {
	const char *start, *at, *end;
	bool commands; /* those of CI systems are masked as well */
	bool begun;    /* something but blanks has been met on this line */
};

/* Whether a CI system would read a command from this '[' or ':' on (REPORTS R39). */
static bool is_command(const struct masking *m)
{
	if (*m->at == '[')
		return rt_mask_is_command(m->start, m->at);
	return !m->begun && m->end - m->at > 1 && m->at[1] == ':';
}

/* Step over what may be as it is: ASCII that is no control and begins no command. */
static void skip_plain(struct masking *m)
{
	if (!m->commands) {
		m->at += rt_plain_len(m->at, (size_t)(m->end - m->at), "", true);
		return;
	}
	while (!m->begun && m->at < m->end && *m->at == ' ')
		m->at++;
	for (;;) {
		size_t len = rt_plain_len(m->at, (size_t)(m->end - m->at), "[:", true);

		m->at += len;
		m->begun = m->begun || len;
		if (m->at == m->end || (*m->at != '[' && *m->at != ':') || is_command(m))
			return;
		m->at++;
		m->begun = true;
	}
}

/* What is put in the place of the character that m is at, which is stepped over. Returns its
 * bytes. */
static size_t replace(struct masking *m, enum rt_mask_lines lines, char text[SHOWN_MAX])
{
	size_t left = (size_t)(m->end - m->at), bytes = rt_utf8_length(m->at, left);
	uint32_t point = bytes ? rt_utf8_decode(m->at, bytes) : 0xFFFD;
	bool is_break = point == '\n' || point == '\r' || point == '\t';
	bool keeps = !rt_utf8_is_unsafe(point) && point != 0xFFFE && point != 0xFFFF;

	m->at += bytes ? bytes : 1;
	if (is_break && lines != RT_MASK_LINES_SHOW) {
		if (point == '\r' && left > 1 && *m->at == '\n')
			m->at++;
		m->begun = m->begun && (point == '\t' || lines == RT_MASK_LINES_BLANK);
		text[0] = point == '\t' ? '\t' : '\n';
		if (lines == RT_MASK_LINES_BLANK)
			text[0] = ' ';
		return 1;
	}
	m->begun = m->begun || !rt_utf8_is_space(point);
	if (keeps && point != ':' && point != '[')
		return rt_utf8_encode(point, text);
	if (keeps) /* of a command */
		return (size_t)snprintf(text, SHOWN_MAX, "\xE2\x9F\xA8%c\xE2\x9F\xA9", (int)point);
	return (size_t)snprintf(text, SHOWN_MAX, "\xE2\x9F\xA8U+%04" PRIX32 "\xE2\x9F\xA9", point);
}

static enum rt_status mask(struct rt_slice text, enum rt_mask_lines lines, bool commands,
			   struct rt_buf *out, struct rt_error *err)
{
	const char *start = text.len ? text.ptr : "";
	struct masking m = {start, start, start + text.len, commands, false};

	while (m.at < m.end) {
		const char *from = m.at;
		/* What is left as it is, and this character. */
		enum rt_status status =
		    rt_buf_reserve(out, (size_t)(m.end - m.at) + SHOWN_MAX, err);

		if (status != RT_OK)
			return status;
		skip_plain(&m);
		memcpy(out->data + out->len, from, (size_t)(m.at - from));
		out->len += (size_t)(m.at - from);
		if (m.at < m.end)
			out->len += replace(&m, lines, out->data + out->len);
	}
	return RT_OK;
}

enum rt_status rt_mask(struct rt_slice text, enum rt_mask_lines lines, struct rt_buf *out,
		       struct rt_error *err)
{
	return mask(text, lines, true, out, err);
}

enum rt_status rt_mask_markup(struct rt_slice text, enum rt_mask_lines lines, struct rt_buf *out,
			      struct rt_error *err)
{
	return mask(text, lines, false, out, err);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_end(char c)
{
	return c == '\n' || c == '\r';
}

struct rt_slice rt_first_line(struct rt_slice text)
{
	size_t from = 0, to;

	while (from < text.len && (is_blank(text.ptr[from]) || is_end(text.ptr[from])))
		from++;
	for (to = from; to < text.len && !is_end(text.ptr[to]);)
		to++;
	while (to > from && is_blank(text.ptr[to - 1]))
		to--;
	return rt_slice_make(text.len ? text.ptr + from : "", to - from);
}
