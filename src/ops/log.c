/*
 * The journal for people and for programs, as a table or a document. All of it is checked, whatever
 * is shown. With the current base each entry is executed again, to tell what it has changed.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/instant.h"
#include "base/json_string.h"
#include "base/put.h"
#include "files/files.h"
#include "journal/journal.h"
#include "output/answer.h"
#include "output/table.h"
#include "output/validate_report.h"
#include "state/replay.h"

/* One call of rt_log(). */
struct rt_log {
	const struct rt_log_filter *filter;
	struct rt_journal *journal;
	struct rt_replay *replay;       /* NULL: without the base, nothing is executed again */
	struct rt_replay_effect effect; /* of the current entry, where it is */
	uint64_t entries, shown;        /* so far; shown: those that the filter lets through */
};

/* --- Choosing entries -------------------------------------------------------------------- */

static bool is_one_of(struct rt_slice text, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (rt_slice_equal(text, rt_slice_make(texts[i], strlen(texts[i]))))
			return true;
	}
	return false;
}

static bool is_by(struct rt_slice actor, const struct rt_log_filter *filter)
{
	return actor.ptr && is_one_of(actor, filter->actors, filter->actor_count);
}

static bool is_shown(const struct rt_log_filter *filter, const struct rt_journal_entry *entry)
{
	bool named = filter->issue_count == 0;
	struct rt_instant at = {0};

	if (filter->has_since && (!rt_instant_parse(entry->at, &at) || at.seconds < filter->since))
		return false;
	if (filter->actor_count && !is_by(entry->actor, filter) &&
	    !(entry->carried.text.ptr && is_by(entry->carried.actor, filter)))
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
	return rt_error_set(err, RT_E_IO, "the journal was changed while it was read");
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

/*
 * The next entry that is to be shown. Returns as rt_journal_next(), but RT_FATAL also where the
 * journal is no longer what was replayed; what was added to it since is left out.
 */
static enum rt_status log_next(struct rt_log *log, struct rt_journal_entry *entry,
			       struct rt_error *err)
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

/* --- As a table ------------------------------------------------------------------------------- */

/* A row an entry with what its request asked; or, for issues whose history is shown, a row a change
 * with the old value and the new one. */

static struct rt_slice text_of(const char *text)
{
	return rt_slice_make(text, strlen(text));
}

/* "base base.json, 2 issues, SHA-256 0fc56817d737…, since 2026-01-01T00:00:00Z" */
static enum rt_status put_base(struct rt_table *t, const struct rt_journal *journal,
			       struct rt_buf *line, struct rt_error *err)
{
	const struct rt_journal_base *base = rt_journal_base(journal);
	char digest[RT_SHA256_SHORT], count[RT_COUNT_ROOM], rest[128];
	struct rt_put put = {line, err, RT_OK};

	rt_sha256_short(base->sha256, digest);
	(void)snprintf(rest, sizeof(rest), ", %s issue%s, SHA-256 %s, since %.*s",
		       rt_count_text(base->issues, count), RT_S(base->issues), digest,
		       (int)base->created_at.len, base->created_at.ptr);
	line->len = 0;
	RT_PUT(&put, "base ");
	rt_put(&put, base->name);
	rt_put(&put, text_of(rest));
	rt_table_line(t, rt_buf_slice(line), RT_TONE_STRONG);
	rt_table_line(t, RT_SLICE(""), RT_TONE_PLAIN);
	return put.status;
}

/* Where a filter has left entries out, that is said. */
static void put_shown(struct rt_table *t, const struct rt_log *log)
{
	char shown[RT_COUNT_ROOM], all[RT_COUNT_ROOM], line[96];

	if (log->shown == log->entries)
		return;
	(void)snprintf(line, sizeof(line), "%s of %s entr%s", rt_count_text(log->shown, shown),
		       rt_count_text(log->entries, all), log->entries == 1 ? "y" : "ies");
	rt_table_line(t, RT_SLICE(""), RT_TONE_PLAIN);
	rt_table_line(t, text_of(line), RT_TONE_PLAIN);
}

/* Who decided, when, and the number of the entry. */
static void put_entry(struct rt_table *t, const struct rt_journal_entry *entry)
{
	bool carried = entry->carried.text.ptr != NULL;
	struct rt_slice actor = carried ? entry->carried.actor : entry->actor;
	char number[24];

	(void)snprintf(number, sizeof(number), "%" PRIu64, entry->seq);
	rt_table_cell(t, text_of(number), RT_TONE_PLAIN);
	rt_table_cell(t, carried ? entry->carried.at : entry->at, RT_TONE_PLAIN);
	rt_table_cell(t, actor.ptr ? actor : RT_SLICE("-"), RT_TONE_PLAIN);
}

/* --- A row an entry ---------------------------------------------------------------------- */

static void add_wish(struct rt_put *put, struct rt_slice text)
{
	rt_put(put, put->out->len ? RT_SLICE(", ") : RT_SLICE(""));
	rt_put(put, text);
}

/* What a request asked, in words. */
static enum rt_status make_wishes(const struct rt_journal_entry *entry, struct rt_buf *line,
				  struct rt_error *err)
{
	const struct rt_request *request = &entry->request;
	struct rt_put put = {line, err, RT_OK};

	line->len = 0;
	if (request->severity >= 0) {
		add_wish(&put, RT_SLICE("severity "));
		rt_put(&put, rt_severity_level((size_t)request->severity));
	}
	if (request->false_positive >= 0)
		add_wish(&put, request->false_positive ? RT_SLICE("false positive")
						       : RT_SLICE("no false positive"));
	if (request->exploitable >= 0)
		add_wish(&put, request->exploitable ? RT_SLICE("exploitable")
						    : RT_SLICE("not exploitable"));
	if (request->notes.len) {
		add_wish(&put, RT_SLICE("note: "));
		rt_put(&put, request->notes);
	}
	if (!line->len)
		add_wish(&put, RT_SLICE("nothing"));
	if (entry->carried.text.ptr) {
		add_wish(&put, entry->actor.ptr ? RT_SLICE("carried by ") : RT_SLICE("carried"));
		rt_put(&put, entry->actor);
	}
	return put.status;
}

static enum rt_status put_entries(struct rt_table *t, struct rt_log *log, struct rt_buf *line,
				  struct rt_error *err)
{
	static const struct rt_table_column all[] = {
	    {.title = "SEQ", .right = true},
	    {.title = "TIME", .leave = 1},
	    {.title = "ACTOR", .weight = 1, .min = 6, .leave = 2},
	    {.title = "FOUND", .right = true, .leave = 3},
	    {.title = "FAILED", .right = true, .leave = 3},
	    {.title = "REQUEST", .weight = 3, .min = 8},
	};
	static const struct rt_table_column changed = {
	    .title = "CHANGED", .right = true, .leave = 3};
	struct rt_table_column columns[7];
	struct rt_journal_entry entry;
	enum rt_status status;

	/* Behind FOUND, which it is a part of. */
	memcpy(columns, all, sizeof(all));
	if (log->replay) {
		columns[4] = changed;
		memcpy(&columns[5], &all[4], 2 * sizeof(all[0]));
	}
	rt_table_begin(t, columns, log->replay ? 7 : 6);
	while ((status = log_next(log, &entry, err)) == RT_OK) {
		put_entry(t, &entry);
		rt_table_cell_count(t, entry.updated_count);
		if (log->replay)
			rt_table_cell_count(t, log->effect.changed);
		rt_table_cell_count(t, entry.failed_count);
		status = make_wishes(&entry, line, err);
		if (status != RT_OK)
			break;
		rt_table_cell(t, rt_buf_slice(line), RT_TONE_PLAIN);
	}
	return status == RT_END ? RT_OK : RT_FATAL;
}

/* --- A row a change ---------------------------------------------------------------------- */

/* The row of an entry that begins is left blank where another of the entry is above it. */
static void put_row_start(struct rt_table *t, const struct rt_journal_entry *entry, bool first)
{
	if (first) {
		put_entry(t, entry);
		return;
	}
	for (int i = 0; i < 3; i++)
		rt_table_cell(t, RT_SLICE(""), RT_TONE_PLAIN);
}

/* A value by its JSON text; nothing was there before a note. */
static enum rt_status put_value(struct rt_table *t, const struct rt_replay_change *change,
				struct rt_slice json, struct rt_buf *scratch, struct rt_error *err)
{
	struct rt_slice text = json;
	enum rt_tone tone = RT_TONE_PLAIN;
	enum rt_status status = RT_OK;

	if (json.ptr[0] == '"') {
		status = rt_json_string_text(rt_slice_make(json.ptr + 1, json.len - 2), scratch,
					     &text, err);
	} else if (json.ptr[0] == 'n') {
		text = rt_slice_equal(change->member, RT_SLICE("notes")) ? RT_SLICE("") : json;
		tone = RT_TONE_FAINT;
	}
	if (status != RT_OK)
		return status;
	if (rt_slice_equal(change->member, rt_member_name(RT_M_SEVERITY)) && json.ptr[0] == '"')
		tone = rt_tone_of_severity(text);
	rt_table_cell(t, text, tone);
	return RT_OK;
}

/* What an entry did to one issue. *first: the next row is the first one of the entry. */
static enum rt_status put_issue(struct rt_table *t, const struct rt_log *log,
				const struct rt_journal_entry *entry,
				const struct rt_replay_issue *issue, bool *first,
				struct rt_buf *scratch, struct rt_error *err)
{
	size_t at = 0;

	do {
		const struct rt_replay_change *change = &issue->changes[at];
		enum rt_status status;

		put_row_start(t, entry, *first);
		*first = false;
		if (log->filter->issue_count > 1)
			rt_table_cell(t, at ? RT_SLICE("") : issue->id, RT_TONE_PLAIN);
		if (!issue->count) {
			rt_table_cell(t, RT_SLICE("-"), RT_TONE_FAINT);
			rt_table_cell(t, RT_SLICE(""), RT_TONE_PLAIN);
			rt_table_cell(t,
				      issue->found ? RT_SLICE("nothing changed")
						   : RT_SLICE("not in the base"),
				      RT_TONE_FAINT);
			return RT_OK;
		}
		rt_table_cell(t, change->member, RT_TONE_PLAIN);
		status = put_value(t, change, change->was, scratch, err);
		if (status == RT_OK)
			status = put_value(t, change, change->is, scratch, err);
		if (status != RT_OK)
			return status;
	} while (++at < issue->count);
	return RT_OK;
}

static enum rt_status put_changes(struct rt_table *t, struct rt_log *log, struct rt_buf *scratch,
				  struct rt_error *err)
{
	static const struct rt_table_column all[] = {
	    {.title = "SEQ", .right = true},
	    {.title = "TIME", .leave = 3},
	    {.title = "ACTOR", .weight = 2, .min = 6, .leave = 4},
	    {.title = "ISSUE", .weight = 2, .min = 6, .leave = 1},
	    {.title = "MEMBER", .weight = 5, .min = 8},
	    {.title = "OLD", .weight = 3, .min = 4, .leave = 2},
	    {.title = "NEW", .weight = 5, .min = 4},
	};
	struct rt_table_column columns[7];
	size_t count = 7;
	struct rt_journal_entry entry;
	enum rt_status status;

	memcpy(columns, all, sizeof(all));
	if (log->filter->issue_count == 1)
		memcpy(&columns[3], &all[4], --count * sizeof(all[0]) - 3 * sizeof(all[0]));
	rt_table_begin(t, columns, count);
	while ((status = log_next(log, &entry, err)) == RT_OK) {
		bool first = true;

		for (size_t i = 0; status == RT_OK && i < log->effect.issue_count; i++)
			status =
			    put_issue(t, log, &entry, &log->effect.issues[i], &first, scratch, err);
		if (status != RT_OK)
			break;
	}
	return status == RT_END ? RT_OK : RT_FATAL;
}

/*
 * Read all entries and pass on a table of those that are shown. log: before the first entry.
 * Returns RT_OK or RT_FATAL.
 */
static enum rt_status log_table(struct rt_log *log, struct rt_style style,
				const struct rt_sink *sink, struct rt_error *err)
{
	bool changes = log->replay && log->filter->issue_count;
	struct rt_table *t = NULL;
	struct rt_buf scratch = {0};
	enum rt_status status = rt_table_new(style, &t, err);

	if (status == RT_OK)
		status = put_base(t, log->journal, &scratch, err);
	if (status == RT_OK)
		status = changes ? put_changes(t, log, &scratch, err)
				 : put_entries(t, log, &scratch, err);
	if (status == RT_OK) {
		put_shown(t, log);
		status = rt_table_send(t, sink, err);
	}
	rt_table_free(t);
	rt_buf_release(&scratch);
	return status;
}

/* --- As a document ---------------------------------------------------------------------------- */

static enum rt_status open_journal(const struct rt_options *options,
				   struct rt_journal **ret_journal, struct rt_error *err)
{
	enum rt_status status =
	    rt_journal_open(options->journal, RT_JOURNAL_READ, &options->limits, 0, options->notice,
			    options->notice_ctx, ret_journal, err);

	return status == RT_OK ? RT_OK : RT_FATAL;
}

/* --- The document ------------------------------------------------------------------------ */

static void write_issue(struct rt_writer *w, const struct rt_replay_issue *issue)
{
	rt_writer_object_begin(w);
	rt_writer_text_field(w, RT_SLICE("issue_id"), issue->id);
	rt_writer_key(w, RT_SLICE("found"));
	rt_writer_bool(w, issue->found);
	rt_writer_key(w, RT_SLICE("changes"));
	rt_writer_array_begin(w);
	for (size_t i = 0; i < issue->count; i++) {
		rt_writer_object_begin(w);
		rt_writer_text_field(w, RT_SLICE("member"), issue->changes[i].member);
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
	rt_writer_uint_field(w, RT_SLICE("seq"), entry->seq);
	rt_writer_text_field(w, RT_SLICE("at"), entry->at);
	rt_writer_text_field(w, RT_SLICE("actor"), entry->actor);
	if (entry->carried.text.ptr) {
		rt_writer_key(w, RT_SLICE("carried"));
		rt_writer_value(w, entry->carried.text);
	}
	rt_writer_key(w, RT_SLICE("request"));
	rt_writer_value(w, rt_buf_slice(text));
	rt_writer_uint_field(w, RT_SLICE("updated_count"), entry->updated_count);
	rt_writer_uint_field(w, RT_SLICE("failed_count"), entry->failed_count);
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
	rt_writer_text_field(w, RT_SLICE("name"), base->name);
	rt_report_digest(w, RT_SLICE("sha256"), base->sha256);
	rt_writer_uint_field(w, RT_SLICE("issues"), base->issues);
	rt_writer_object_end(w);
	rt_writer_text_field(w, RT_SLICE("created_at"), base->created_at);
	rt_writer_key(w, RT_SLICE("entries"));
	rt_writer_array_begin(w);
	while ((status = log_next(log, &entry, err)) == RT_OK) {
		status = write_entry(w, log, &entry, &text, err);
		if (status != RT_OK)
			break;
	}
	rt_writer_array_end(w);
	rt_writer_uint_field(w, RT_SLICE("entry_count"), log->entries);
	rt_writer_uint_field(w, RT_SLICE("torn_bytes"), rt_journal_torn(log->journal));
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
		status = rt_error_set(err, RT_E_USAGE, "no journal is named");
	if (status == RT_OK && options->path_count)
		status =
		    rt_replay_open(options, filter->issues, filter->issue_count, &log.replay, err);
	if (status == RT_OK)
		status = open_journal(options, &log.journal, err);
	if (status == RT_OK)
		status = style.format == RT_FORMAT_TABLE ? log_table(&log, style, sink, err)
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
