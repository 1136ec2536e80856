/*
 * The journal for people and for programs. Input: a journal, and its base if changes are to be
 * shown. Output: a table or a document. Refuses a damaged journal, all of which is checked whatever
 * is shown, and one of another base.
 */
#include "output/log.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/instant.h"
#include "files/files.h"
#include "output/answer.h"
#include "output/log_table.h"
#include "output/report.h"

static enum rt_status open_journal(const struct rt_options *options,
				   struct rt_journal **ret_journal, struct rt_error *err)
{
	enum rt_status status =
	    rt_journal_open(options->journal, RT_JOURNAL_READ, &options->limits, options->notice,
			    options->notice_ctx, ret_journal, err);

	return status == RT_OK ? RT_OK : RT_FATAL;
}

/* --- Choosing entries -------------------------------------------------------------------- */

static bool is_one_of(struct rt_slice text, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (rt_slice_equal(text, rt_slice_make(texts[i], strlen(texts[i]))))
			return true;
	}
	return false;
}

static bool is_shown(const struct rt_log_filter *filter, const struct rt_journal_entry *entry)
{
	bool named = filter->issue_count == 0;
	struct rt_instant at = {0};

	if (filter->has_since && (!rt_instant_parse(entry->at, &at) || at.seconds < filter->since))
		return false;
	if (filter->actor_count &&
	    (!entry->actor.ptr || !is_one_of(entry->actor, filter->actors, filter->actor_count)))
		return false;
	for (unsigned i = 0; !named && i < entry->request.id_count; i++)
		named = is_one_of(entry->request.ids[i], filter->issues, filter->issue_count);
	return named;
}

/* The journal has been read twice: it may have grown since, but not changed. */
static enum rt_status check_replayed(const struct rt_log *log, struct rt_error *err)
{
	struct rt_journal_head now = rt_journal_head(log->journal);
	struct rt_journal_head then = rt_replay_head(log->replay);

	if (now.seq > then.seq ||
	    (now.seq == then.seq && memcmp(now.hash, then.hash, sizeof(now.hash)) == 0))
		return RT_OK;
	return rt_error_set(err, RT_E_IO,
			    "want a journal that only grows while it is read, have it changed");
}

/* Go to the next entry, and execute it again where that is asked for. */
static enum rt_status next_entry(struct rt_log *log, struct rt_journal_entry *entry,
				 struct rt_error *err)
{
	enum rt_status status = rt_journal_next(log->journal, entry, err);

	if (!log->replay)
		return status;
	if (status == RT_END && check_replayed(log, err) != RT_OK)
		return RT_FATAL;
	/* What came after the replay had read the journal is not executed, and not shown. */
	while (status == RT_OK && entry->seq > rt_replay_head(log->replay).seq)
		status = rt_journal_next(log->journal, entry, err);
	if (status == RT_OK && entry->seq == rt_replay_head(log->replay).seq)
		status = check_replayed(log, err);
	return status == RT_OK ? rt_replay_next(log->replay, &log->effect, err) : status;
}

enum rt_status rt_log_next(struct rt_log *log, struct rt_journal_entry *entry, struct rt_error *err)
{
	enum rt_status status;

	while ((status = next_entry(log, entry, err)) == RT_OK) {
		log->entries++;
		if (!is_shown(log->filter, entry))
			continue;
		log->shown++;
		return RT_OK;
	}
	return status;
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

static void write_issue(struct rt_writer *w, const struct rt_replay_issue *issue)
{
	rt_writer_object_begin(w);
	write_text(w, RT_SLICE("issue_id"), issue->id);
	rt_writer_key(w, RT_SLICE("found"));
	rt_writer_bool(w, issue->found);
	rt_writer_key(w, RT_SLICE("changes"));
	rt_writer_array_begin(w);
	for (size_t i = 0; i < issue->count; i++) {
		rt_writer_object_begin(w);
		write_text(w, RT_SLICE("member"), issue->changes[i].member);
		rt_writer_key(w, RT_SLICE("old"));
		rt_writer_value(w, issue->changes[i].was);
		rt_writer_key(w, RT_SLICE("new"));
		rt_writer_value(w, issue->changes[i].is);
		rt_writer_object_end(w);
	}
	rt_writer_array_end(w);
	rt_writer_object_end(w);
}

/* What executing the entry again has shown; null where that was not asked for. */
static void write_effect(struct rt_writer *w, const struct rt_log *log)
{
	rt_writer_key(w, RT_SLICE("changed_count"));
	if (log->replay)
		rt_writer_uint(w, log->effect.changed);
	else
		rt_writer_null(w);
	rt_writer_key(w, RT_SLICE("issues"));
	if (!log->replay || !log->filter->issue_count) {
		rt_writer_null(w);
		return;
	}
	rt_writer_array_begin(w);
	for (size_t i = 0; i < log->effect.issue_count; i++)
		write_issue(w, &log->effect.issues[i]);
	rt_writer_array_end(w);
}

static enum rt_status write_entry(struct rt_writer *w, const struct rt_log *log,
				  const struct rt_journal_entry *entry, struct rt_buf *text,
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
	rt_report_digest(w, RT_SLICE("hash"), rt_journal_head(log->journal).hash);
	write_effect(w, log);
	rt_writer_object_end(w);
	return RT_OK;
}

static enum rt_status write_document(struct rt_writer *w, struct rt_log *log, struct rt_error *err)
{
	const struct rt_journal_base *base = rt_journal_base(log->journal);
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
	while ((status = rt_log_next(log, &entry, err)) == RT_OK) {
		status = write_entry(w, log, &entry, &text, err);
		if (status != RT_OK)
			break;
	}
	rt_writer_array_end(w);
	write_number(w, RT_SLICE("entry_count"), log->entries);
	write_number(w, RT_SLICE("torn_bytes"), rt_journal_torn(log->journal));
	rt_writer_object_end(w);
	rt_buf_release(&text);
	return status == RT_END ? RT_OK : RT_FATAL;
}

static enum rt_status send_document(struct rt_log *log, struct rt_style style,
				    const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_answer answer = {.spool.fd = -1};
	enum rt_status status = rt_answer_init(&answer, style, err);

	if (status == RT_OK)
		status = write_document(answer.writer, log, err);
	if (status == RT_OK)
		status = rt_answer_send(&answer, sink, err);
	rt_answer_release(&answer);
	return status;
}

/* --- The public functions ---------------------------------------------------------------- */

enum rt_status rt_log(const struct rt_options *options, const struct rt_log_filter *filter,
		      struct rt_style style, const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_log log = {.filter = filter};
	enum rt_status status = RT_OK;

	if (options->path_count)
		status = rt_files_check(options, true, err);
	if (status == RT_OK && !options->journal)
		status = rt_error_set(err, RT_E_USAGE, "want a journal, have none");
	if (status == RT_OK && options->path_count)
		status =
		    rt_replay_open(options, filter->issues, filter->issue_count, &log.replay, err);
	if (status == RT_OK)
		status = open_journal(options, &log.journal, err);
	if (status == RT_OK)
		status = style.format == RT_FORMAT_TABLE ? rt_log_table(&log, style, sink, err)
							 : send_document(&log, style, sink, err);
	rt_replay_free(log.replay);
	rt_journal_free(log.journal);
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
