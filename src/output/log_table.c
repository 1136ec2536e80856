/*
 * Shows a journal to people. Input: its entries. Output: a table: a row an entry with what its
 * request asked; or, for issues whose history is shown, a row a change with the old value and the
 * new one. Refuses nothing that the journal does not refuse.
 */
#include "output/log_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json_string.h"
#include "output/table.h"

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
	enum rt_status status;

	rt_sha256_short(base->sha256, digest);
	(void)snprintf(rest, sizeof(rest), ", %s issue%s, SHA-256 %s, since %.*s",
		       rt_count_text(base->issues, count), RT_S(base->issues), digest,
		       (int)base->created_at.len, base->created_at.ptr);
	line->len = 0;
	status = rt_buf_append(line, "base ", 5, err);
	if (status == RT_OK)
		status = rt_buf_append(line, base->name.ptr, base->name.len, err);
	if (status == RT_OK)
		status = rt_buf_append(line, rest, strlen(rest), err);
	if (status != RT_OK)
		return status;
	rt_table_line(t, rt_buf_slice(line), RT_TONE_STRONG);
	rt_table_line(t, RT_SLICE(""), RT_TONE_PLAIN);
	return RT_OK;
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

/* Who, when, and the number of the entry. */
static void put_entry(struct rt_table *t, const struct rt_journal_entry *entry)
{
	char number[24];

	(void)snprintf(number, sizeof(number), "%" PRIu64, entry->seq);
	rt_table_cell(t, text_of(number), RT_TONE_PLAIN);
	rt_table_cell(t, entry->at, RT_TONE_PLAIN);
	rt_table_cell(t, entry->actor.ptr ? entry->actor : RT_SLICE("-"), RT_TONE_PLAIN);
}

/* --- A row an entry ---------------------------------------------------------------------- */

static enum rt_status add_wish(struct rt_buf *line, const char *text, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (line->len)
		status = rt_buf_append(line, ", ", 2, err);
	return status == RT_OK ? rt_buf_append(line, text, strlen(text), err) : status;
}

/* What a request asked, in words. */
static enum rt_status make_wishes(const struct rt_request *request, struct rt_buf *line,
				  struct rt_error *err)
{
	enum rt_status status = RT_OK;
	char text[32];

	line->len = 0;
	if (request->severity >= 0) {
		(void)snprintf(text, sizeof(text), "severity %s",
			       rt_severity_level((size_t)request->severity).ptr);
		status = add_wish(line, text, err);
	}
	if (status == RT_OK && request->false_positive >= 0)
		status = add_wish(
		    line, request->false_positive ? "false positive" : "no false positive", err);
	if (status == RT_OK && request->exploitable >= 0)
		status =
		    add_wish(line, request->exploitable ? "exploitable" : "not exploitable", err);
	if (status == RT_OK && request->notes.len)
		status = add_wish(line, "note: ", err);
	if (status == RT_OK && request->notes.len)
		status = rt_buf_append(line, request->notes.ptr, request->notes.len, err);
	if (status == RT_OK && !line->len)
		status = add_wish(line, "nothing", err);
	return status;
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
	while ((status = rt_log_next(log, &entry, err)) == RT_OK) {
		put_entry(t, &entry);
		rt_table_cell_count(t, entry.updated_count);
		if (log->replay)
			rt_table_cell_count(t, log->effect.changed);
		rt_table_cell_count(t, entry.failed_count);
		status = make_wishes(&entry.request, line, err);
		if (status != RT_OK)
			break;
		rt_table_cell(t, rt_buf_slice(line), RT_TONE_PLAIN);
	}
	return status == RT_END ? RT_OK : RT_FATAL;
}

/* --- A row a change ---------------------------------------------------------------------- */

/* The row of an entry that begins is left blank where another of the entry stands above it. */
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
	while ((status = rt_log_next(log, &entry, err)) == RT_OK) {
		bool first = true;

		for (size_t i = 0; status == RT_OK && i < log->effect.issue_count; i++)
			status =
			    put_issue(t, log, &entry, &log->effect.issues[i], &first, scratch, err);
		if (status != RT_OK)
			break;
	}
	return status == RT_END ? RT_OK : RT_FATAL;
}

enum rt_status rt_log_table(struct rt_log *log, struct rt_style style, const struct rt_sink *sink,
			    struct rt_error *err)
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
