/*
 * Reads a journal's file. Input: bytes, in blocks. Output: its lines, checked, in order.
 * Refuses damage in whatever complete line, lines that are longer than any that is written, and a
 * tail without a newline that is neither a whole line nor the beginning of one (SPEC 3).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/io.h"
#include "journal/journal_state.h"
#include "record/likeness.h"

#define MAGIC_CHARS (sizeof(RT_JOURNAL_MAGIC) - 1)

static enum rt_status window_grow(struct rt_journal_window *w, struct rt_error *err)
{
	size_t cap = w->cap ? w->cap * 2 : (size_t)RT_WINDOW_BYTES;
	char *data;

	if (w->cap && cap > w->line_max + 1)
		cap = w->line_max + 1;
	data = realloc(w->data, cap + RT_PADDING);
	if (!data)
		return rt_error_nomem(err);
	w->data = data;
	w->cap = cap;
	return RT_OK;
}

/* Read once more from the file: what fits. Zeros follow after it, as the scanner wants. */
static enum rt_status window_read(struct rt_journal *j, struct rt_error *err)
{
	struct rt_journal_window *w = &j->window;
	ssize_t got;

	got = rt_read_at(j->fd, w->data + w->end, w->cap - w->end, (off_t)(w->origin + w->end));
	if (got < 0)
		return rt_error_sys(err, errno, "cannot read the journal");
	w->eof = got == 0;
	w->end += (size_t)got;
	memset(w->data + w->end, 0, RT_PADDING);
	return RT_OK;
}

/* Bring more of the file into view, after the line that is looked at. */
static enum rt_status window_more(struct rt_journal *j, struct rt_error *err)
{
	struct rt_journal_window *w = &j->window;

	if (w->start) {
		memmove(w->data, w->data + w->start, w->end - w->start);
		w->origin += w->start;
		w->end -= w->start;
		w->start = 0;
	}
	if (w->end == w->cap && window_grow(w, err) != RT_OK)
		return RT_FATAL;
	return window_read(j, err);
}

/* Forget what is in view; the line after the last right one is read from the file again. */
static void window_again(struct rt_journal *j)
{
	struct rt_journal_window *w = &j->window;

	w->origin = j->end;
	w->start = w->end = w->searched = 0;
	w->eof = false;
}

/*
 * Put the next line into view, or what there is of it.
 * ret_line: without its newline, until the next call. ret_whole: whether it has one.
 * Returns RT_OK; RT_END after the last one; RT_REJECT; RT_FATAL.
 */
static enum rt_status line_next(struct rt_journal *j, struct rt_slice *ret_line, bool *ret_whole,
				struct rt_error *err)
{
	struct rt_journal_window *w = &j->window;

	for (;;) {
		const char *line = w->data + w->start;
		size_t len = w->end - w->start;
		const char *newline = NULL;

		if (len > w->searched)
			newline = memchr(line + w->searched, '\n', len - w->searched);
		*ret_whole = newline != NULL;
		if (newline || (w->eof && len)) {
			*ret_line = rt_slice_make(line, newline ? (size_t)(newline - line) : len);
			w->searched = 0;
			return RT_OK;
		}
		w->searched = len;
		if (w->eof)
			return RT_END;
		if (len > w->line_max) {
			(void)rt_error_set(err, RT_E_LIMIT,
					   "want at most %zu bytes in a line, have more",
					   w->line_max);
			return RT_REJECT;
		}
		if (window_more(j, err) != RT_OK)
			return RT_FATAL;
	}
}

/* The line at the window's start is right: go after it. */
static void line_done(struct rt_journal *j, struct rt_slice line, bool whole)
{
	j->window.start += line.len + whole;
	j->end = j->window.origin + j->window.start;
	j->unended = !whole;
}

/* Say where it is that err has found something; seq 0 is line 1. */
static enum rt_status line_failed(struct rt_journal *j, uint64_t seq, enum rt_status status,
				  struct rt_error *err)
{
	j->state = RT_JOURNAL_DEAD;
	rt_error_at(err, j->path, NULL);
	if (status != RT_REJECT)
		return RT_FATAL;
	if (err->column == 0)
		err->column = 1;
	err->line = seq + 1;
	err->offset = j->end + err->column - 1;
	if (seq)
		(void)snprintf(err->record, sizeof(err->record), "entry %" PRIu64, seq);
	else
		(void)snprintf(err->record, sizeof(err->record), "journal header");
	return RT_REJECT;
}

/* Whether what has been read is as far as it goes the beginning of a journal. */
static bool looks_begun(const struct rt_journal_window *w)
{
	size_t len = w->end < MAGIC_CHARS ? w->end : MAGIC_CHARS;

	return memcmp(w->data, RT_JOURNAL_MAGIC, len) == 0;
}

/* There is no first line, or its beginning: a journal to be begun, or nothing to read. */
static enum rt_status header_missing(struct rt_journal *j, struct rt_error *err)
{
	if (j->mode == RT_JOURNAL_APPEND) {
		j->state = RT_JOURNAL_ENDED;
		return RT_OK;
	}
	(void)rt_error_set(err, RT_E_INPUT, "want a journal, have %s",
			   j->torn == 0 ? "an empty file" : "no complete first line");
	return line_failed(j, 0, RT_REJECT, err);
}

/* Bring as much into view as tells a journal from another file. */
static enum rt_status header_begin(struct rt_journal *j, struct rt_error *err)
{
	struct rt_journal_window *w = &j->window;
	enum rt_status status = RT_OK;

	while (status == RT_OK && !w->eof && w->end < MAGIC_CHARS)
		status = window_more(j, err);
	return status;
}

/* Whether the file is of another kind, which err says then: no journal that was damaged. */
static bool is_other_file(struct rt_journal *j, struct rt_error *err)
{
	struct rt_slice head = rt_slice_make(j->window.data, j->window.end);

	rt_error_at(err, j->path, NULL);
	if (rt_likeness_tell(RT_LIKE_JOURNAL, head, err) == RT_LIKE_NOTHING)
		return false;
	j->state = RT_JOURNAL_DEAD;
	return true;
}

enum rt_status rt_journal_read_header(struct rt_journal *j, struct rt_error *err)
{
	struct rt_journal_base base;
	struct rt_slice line = {NULL, 0};
	bool whole = false;
	enum rt_status status = header_begin(j, err);

	if (status == RT_OK && j->window.end > 0 && !looks_begun(&j->window)) {
		(void)rt_error_set(err, RT_E_INPUT, "want a journal, have another file");
		status = RT_REJECT;
		if (is_other_file(j, err))
			return RT_REJECT;
	}
	if (status == RT_OK)
		status = line_next(j, &line, &whole, err);
	if (status == RT_END)
		return header_missing(j, err);
	if (status == RT_OK) {
		j->form.text_end = j->window.data + j->window.end;
		status = rt_journal_form_read_header(&j->form, line, &base, j->head.hash, err);
	}
	if (status == RT_REJECT && line.ptr && !whole) {
		status = rt_journal_form_begins_header(&j->form, line, err);
		if (status == RT_OK) {
			j->torn = line.len;
			return header_missing(j, err);
		}
	}
	if (status == RT_OK)
		status = rt_journal_keep_base(j, &base, err);
	if (status != RT_OK)
		return line_failed(j, 0, status, err);
	line_done(j, line, whole);
	return RT_OK;
}

static enum rt_status entry_read(struct rt_journal *j, struct rt_journal_entry *ret_entry,
				 struct rt_error *err)
{
	struct rt_slice line = {NULL, 0};
	bool whole = false;
	enum rt_status status = line_next(j, &line, &whole, err);

	if (status != RT_OK)
		return status;
	j->form.text_end = j->window.data + j->window.end;
	status = rt_journal_form_read_entry(&j->form, line, &j->head, ret_entry, err);
	if (status == RT_OK)
		line_done(j, line, whole);
	if (status != RT_REJECT || whole)
		return status;
	status = rt_journal_form_begins_entry(&j->form, line, &j->head, ret_entry, err);
	if (status != RT_OK)
		return status;
	j->torn = line.len;
	return RT_END;
}

/* Tell of a tail that is only read: nobody does anything about it. */
static void tell_tail(const struct rt_journal *j)
{
	if (j->mode == RT_JOURNAL_APPEND)
		return;
	if (j->torn)
		rt_journal_notice(
		    j,
		    "%s: the last %" PRIu64 " byte%s %s the beginning of entry %" PRIu64
		    ": an incomplete append, or a cut",
		    j->path, j->torn, RT_S(j->torn), j->torn == 1 ? "is" : "are", j->head.seq + 1);
	if (j->unended)
		rt_journal_notice(j, "%s: the last line is whole, but has no line end", j->path);
}

enum rt_status rt_journal_next(struct rt_journal *j, struct rt_journal_entry *ret_entry,
			       struct rt_error *err)
{
	enum rt_status status;

	if (j->state == RT_JOURNAL_DEAD)
		return rt_journal_refuse(j, err);
	if (j->state == RT_JOURNAL_ENDED)
		return RT_END;
	status = entry_read(j, ret_entry, err);
	if (status == RT_REJECT) {
		/* We may have seen a tail that a writer was about to cut off, and after it what was
		 * written in its place. Then the line is right when it is read anew. */
		window_again(j);
		status = entry_read(j, ret_entry, err);
	}
	if (status == RT_OK)
		return RT_OK;
	if (status != RT_END)
		return line_failed(j, j->head.seq + 1, status, err);
	j->state = RT_JOURNAL_ENDED;
	j->next_head = j->head;
	tell_tail(j);
	return RT_END;
}
