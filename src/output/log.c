/*
 * The journal for people and for programs. Input: a journal. Output: a table or a document.
 * Refuses a damaged journal: what is shown has been checked, line by line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/spool.h"
#include "base/utf8.h"
#include "engine/journal.h"
#include "engine/summary.h"
#include "output/answer.h"
#include "output/report.h"

/* Code points of a note that the table shows. */
#define NOTE_POINTS 60u

static enum rt_status open_journal(const struct rt_options *options,
				   struct rt_journal **ret_journal, struct rt_error *err)
{
	enum rt_status status =
	    rt_journal_open(options->journal, RT_JOURNAL_READ, &options->limits, options->notice,
			    options->notice_ctx, ret_journal, err);

	return status == RT_OK ? RT_OK : RT_FATAL;
}

/* --- The document ------------------------------------------------------------------------ */

static void write_text(struct rt_writer *w, struct rt_slice name, struct rt_slice text)
{
	rt_writer_key(w, name);
	if (text.ptr)
		rt_writer_string(w, text);
	else
		rt_writer_null(w);
}

static void write_number(struct rt_writer *w, struct rt_slice name, uint64_t number)
{
	rt_writer_key(w, name);
	rt_writer_uint(w, number);
}

static enum rt_status write_entry(struct rt_writer *w, const struct rt_journal_entry *entry,
				  struct rt_journal_head head, struct rt_buf *text,
				  struct rt_error *err)
{
	enum rt_status status;

	text->len = 0;
	status = rt_request_write(&entry->request, text, err);
	if (status != RT_OK)
		return status;
	rt_writer_object_begin(w);
	write_number(w, RT_SLICE("seq"), entry->seq);
	write_text(w, RT_SLICE("at"), entry->at);
	write_text(w, RT_SLICE("actor"), entry->actor);
	rt_writer_key(w, RT_SLICE("request"));
	rt_writer_value(w, rt_buf_slice(text));
	write_number(w, RT_SLICE("updated_count"), entry->updated_count);
	write_number(w, RT_SLICE("failed_count"), entry->failed_count);
	rt_report_digest(w, RT_SLICE("result_sha256"), entry->result_sha256);
	rt_report_digest(w, RT_SLICE("hash"), head.hash);
	rt_writer_object_end(w);
	return RT_OK;
}

static enum rt_status write_document(struct rt_writer *w, struct rt_journal *journal,
				     struct rt_error *err)
{
	const struct rt_journal_base *base = rt_journal_base(journal);
	struct rt_journal_entry entry;
	struct rt_buf text = {0};
	enum rt_status status;

	rt_writer_object_begin(w);
	rt_writer_key(w, RT_SLICE("base"));
	rt_writer_object_begin(w);
	write_text(w, RT_SLICE("name"), base->name);
	rt_report_digest(w, RT_SLICE("sha256"), base->sha256);
	write_number(w, RT_SLICE("issues"), base->issues);
	rt_writer_object_end(w);
	write_text(w, RT_SLICE("created_at"), base->created_at);
	rt_writer_key(w, RT_SLICE("entries"));
	rt_writer_array_begin(w);
	while ((status = rt_journal_next(journal, &entry, err)) == RT_OK) {
		status = write_entry(w, &entry, rt_journal_head(journal), &text, err);
		if (status != RT_OK)
			break;
	}
	rt_writer_array_end(w);
	write_number(w, RT_SLICE("torn_bytes"), rt_journal_torn(journal));
	rt_writer_object_end(w);
	rt_buf_release(&text);
	return status == RT_END ? RT_OK : RT_FATAL;
}

static enum rt_status send_document(struct rt_journal *journal, struct rt_style style,
				    const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_answer answer = {.spool.fd = -1};
	enum rt_status status = rt_answer_init(&answer, style, err);

	if (status == RT_OK)
		status = write_document(answer.writer, journal, err);
	if (status == RT_OK)
		status = rt_answer_send(&answer, sink, err);
	rt_answer_release(&answer);
	return status;
}

/* --- The table --------------------------------------------------------------------------- */

/* A line of the table; the first failure is kept. */
struct table {
	struct rt_spool spool;
	struct rt_sink into;
	enum rt_status status;
	struct rt_error *err;
};

static void put(struct table *t, const char *text, size_t len)
{
	if (t->status == RT_OK)
		t->status = t->into.write(t->into.ctx, text, len, t->err);
}

static void put_text(struct table *t, const char *text)
{
	put(t, text, strlen(text));
}

/*
 * A text from the journal, without what could act on a terminal, at most `points` code points and
 * at least `width` columns of one each.
 */
static void put_masked(struct table *t, struct rt_slice text, unsigned points, unsigned width)
{
	size_t at = 0;
	unsigned shown;

	for (shown = 0; at < text.len && shown < points; shown++) {
		/* The journal's texts have been checked: no length is 0. */
		size_t len = rt_utf8_length(text.ptr + at, text.len - at);

		if (rt_utf8_is_unsafe(rt_utf8_decode(text.ptr + at, len)))
			put_text(t, text.ptr[at] == '\n' ? " " : "\xEF\xBF\xBD");
		else
			put(t, text.ptr + at, len);
		at += len;
	}
	if (at < text.len)
		put_text(t, "...");
	for (; shown < width; shown++)
		put(t, " ", 1);
}

static void put_change(struct table *t, bool *comma, const char *name, const char *value)
{
	put_text(t, *comma ? ", " : "");
	put_text(t, name);
	put_text(t, value);
	*comma = true;
}

static void put_request(struct table *t, const struct rt_request *request)
{
	bool comma = false;

	if (request->severity >= 0)
		put_change(t, &comma, "severity ",
			   rt_severity_level((size_t)request->severity).ptr);
	if (request->false_positive >= 0)
		put_change(t, &comma, request->false_positive ? "" : "no ", "false positive");
	if (request->exploitable >= 0)
		put_change(t, &comma, request->exploitable ? "" : "not ", "exploitable");
	if (request->notes.len) {
		put_change(t, &comma, "note: ", "");
		put_masked(t, request->notes, NOTE_POINTS, 0);
	}
	put_text(t, comma ? "\n" : "nothing\n");
}

static void put_entry(struct table *t, const struct rt_journal_entry *entry)
{
	char numbers[96];

	(void)snprintf(numbers, sizeof(numbers), "%6" PRIu64 "  ", entry->seq);
	put_text(t, numbers);
	put(t, entry->at.ptr, entry->at.len);
	put_text(t, "  ");
	put_masked(t, entry->actor.ptr ? entry->actor : RT_SLICE("-"), 24, 12);
	(void)snprintf(numbers, sizeof(numbers), "  %7" PRIu64 "  %6" PRIu64 "  ",
		       entry->updated_count, entry->failed_count);
	put_text(t, numbers);
	put_request(t, &entry->request);
}

static void put_head(struct table *t, const struct rt_journal *journal)
{
	const struct rt_journal_base *base = rt_journal_base(journal);
	char hex[RT_SHA256_HEX], line[256];

	put_text(t, "base ");
	put_masked(t, base->name, 200, 0);
	rt_sha256_hex(base->sha256, hex);
	(void)snprintf(line, sizeof(line), ", %" PRIu64 " issue%s, SHA-256 %.*s, since %.*s\n\n",
		       base->issues, RT_S(base->issues), (int)sizeof(hex), hex,
		       (int)base->created_at.len, base->created_at.ptr);
	put_text(t, line);
	put_text(t, "   SEQ  TIME                  ACTOR         UPDATED  FAILED  CHANGE\n");
}

static enum rt_status send_table(struct rt_journal *journal, const struct rt_sink *sink,
				 struct rt_error *err)
{
	struct table t = {.status = RT_OK, .err = err};
	struct rt_journal_entry entry;
	enum rt_status status;

	rt_spool_init(&t.spool);
	t.into = rt_spool_sink(&t.spool);
	put_head(&t, journal);
	while ((status = rt_journal_next(journal, &entry, err)) == RT_OK && t.status == RT_OK)
		put_entry(&t, &entry);
	if (status == RT_END)
		status = t.status;
	if (status == RT_OK)
		status = rt_spool_copy(&t.spool, sink, err);
	rt_spool_release(&t.spool);
	return status == RT_OK ? RT_OK : RT_FATAL;
}

/* --- The public functions ---------------------------------------------------------------- */

enum rt_status rt_log(const struct rt_options *options, const struct rt_style *style,
		      const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_journal *journal = NULL;
	enum rt_status status = open_journal(options, &journal, err);

	if (status == RT_OK)
		status = style ? send_document(journal, *style, sink, err)
			       : send_table(journal, sink, err);
	rt_journal_free(journal);
	return status;
}

enum rt_status rt_log_head(const struct rt_options *options, const struct rt_sink *sink,
			   struct rt_error *err)
{
	char line[24 + RT_SHA256_HEX + 2], hex[RT_SHA256_HEX];
	struct rt_journal *journal = NULL;
	struct rt_journal_entry entry;
	enum rt_status status = open_journal(options, &journal, err);

	while (status == RT_OK)
		status = rt_journal_next(journal, &entry, err);
	if (status == RT_END) {
		struct rt_journal_head head = rt_journal_head(journal);

		rt_sha256_hex(head.hash, hex);
		(void)snprintf(line, sizeof(line), "%" PRIu64 ":%.*s\n", head.seq, (int)sizeof(hex),
			       hex);
		status = sink->write(sink->ctx, line, strlen(line), err);
	}
	rt_journal_free(journal);
	return status == RT_OK ? RT_OK : RT_FATAL;
}
