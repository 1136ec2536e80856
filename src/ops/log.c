/*
 * The journal for people and for programs, as a table or a document. All of it is checked, whatever
 * is shown. With the current base each entry is executed again, to tell what it has changed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/instant.h"
#include "base/json_string.h"
#include "files/files.h"
#include "journal/journal.h"
#include "output/answer.h"
#include "output/csv.h"
#include "output/table.h"
#include "output/validate_report.h"
#include "state/state.h"

/* One member of an issue that an entry changed, with JSON texts of its values. */
struct change {
	struct rt_slice member;  /* its name; of notes `is` was added, and `was` is null */
	struct rt_slice was, is; /* as in a response (SPEC D7) */
};

#define CHANGES (RT_STATE_MEMBERS + 1)
#define COLUMNS 7u /* of either table, at most */

/* An issue whose history is shown. */
struct watched {
	uint32_t target; /* RT_PLAN_NONE: no entry mentions it */
	bool found;      /* in the base */
	struct rt_issue_state base;
	struct rt_buf texts[RT_STATE_MEMBERS]; /* JSON texts of the base, by rt_state_members */
	struct rt_effects effects;             /* its updates as far as they were executed */
	/* Of the current entry. */
	size_t count;
	struct change changes[CHANGES];
	char quoted[2][RT_STATE_MEMBERS][RT_STATE_TEXT]; /* before and after it */
};

/* A row of the table: entries one after another that one decision has made. */
struct row {
	uint64_t first, last; /* last 0: none yet */
	uint64_t found, changed, failed;
	size_t ends[2];     /* in text: of its first two parts */
	struct rt_buf text; /* when, who and what was asked */
};

/* One call of rt_log(). */
struct rt_log {
	struct rt_fault fault;
	const struct rt_log_filter *filter;
	struct rt_journal *journal;
	uint64_t entries, shown; /* so far; shown: those that the filter lets through */
	/* With the base, on which the entries are executed again; state NULL: without. */
	struct rt_state *state;
	const struct rt_plan *plan;  /* of the state */
	struct rt_journal_head head; /* where the journal ended when that was read */
	uint32_t *changed;           /* issues that each entry changed */
	struct watched *watched;     /* as many as the filter's issues */
	struct watched **now;        /* those that the current entry mentions, in its order */
	size_t now_count;
	struct rt_buf note; /* of the current entry, as JSON */
	struct rt_buf line, scratch;
	uint32_t step; /* entries executed so far */
	struct row row;
};

/* --- Executing the entries again -------------------------------------------------------- */

static enum rt_status watch(struct rt_log *log, struct rt_error *err)
{
	size_t count = log->filter->issue_count;

	log->changed = calloc((size_t)rt_plan_steps(log->plan) + 1, sizeof(*log->changed));
	log->watched = calloc(count + 1, sizeof(*log->watched));
	log->now = calloc(count + 1, sizeof(void *));
	if (!log->changed || !log->watched || !log->now)
		return rt_error_nomem(err);
	for (size_t i = 0; i < count; i++)
		log->watched[i].target =
		    rt_plan_find(log->plan, rt_slice_of(log->filter->issues[i]));
	return RT_OK;
}

/* The watched issue with that target; NULL: none. */
static struct watched *find_watched(const struct rt_log *log, uint32_t target)
{
	for (size_t i = log->filter->issue_count; i; i--) {
		if (log->watched[i - 1].target == target)
			return &log->watched[i - 1];
	}
	return NULL;
}

static void take_issue(struct rt_log *log, uint32_t target)
{
	const struct rt_record *issue;
	struct rt_effects effects = rt_state_effects(log->state, &issue);
	struct watched *watched = find_watched(log, target);

	if (watched) {
		watched->found = true;
		watched->base = effects.after;
		watched->effects = effects;
	}
	for (size_t i = 0; watched && i < RT_STATE_MEMBERS; i++) {
		enum rt_member m = rt_state_members[i];
		struct rt_slice text = rt_record_has(issue, m)    ? issue->values[m]
				       : m == RT_M_FALSE_POSITIVE ? RT_SLICE("false")
								  : RT_SLICE("null");

		RT_STEP(&log->fault,
			rt_buf_append(&watched->texts[i], text.ptr, text.len, log->fault.err));
	}
	while (rt_effects_next(&effects))
		log->changed[effects.number] += effects.changed;
}

/*
 * Read the journal and its base, and hold the one against the other. Where the base is another file
 * than the journal names, that is what is said, not what may be wrong in it.
 */
static void read_base(struct rt_log *log, const struct rt_options *options)
{
	/* Who reads the journal for its entries is told how it ends. */
	const struct rt_state_extras extras = {.quiet_journal = true};
	struct rt_fault *fault = &log->fault;
	const struct rt_record *record;
	struct rt_error other;
	uint32_t target;

	if (RT_STEP(fault, rt_state_open(options, &extras, &log->state, fault->err)) != RT_OK)
		return;
	log->plan = rt_state_history(log->state)->plan;
	log->head = rt_journal_head(rt_state_history(log->state)->journal);
	if (RT_STEP(fault, watch(log, fault->err)) != RT_OK)
		return;
	while (RT_STEP(fault, rt_state_next_base(log->state, &record, &target, fault->err)) ==
	       RT_OK) {
		if (target != RT_PLAN_NONE)
			take_issue(log, target);
	}
	if (fault->status == RT_END)
		fault->status = RT_OK;
	if (rt_state_check_base(log->state, fault->status == RT_OK, &other) != RT_OK) {
		*fault->err = other;
		rt_error_at(fault->err, rt_state_options(log->state)->journal, NULL);
		fault->status = RT_FATAL;
	}
	rt_state_end(log->state);
}

static void add_change(struct watched *watched, struct rt_slice member, struct rt_slice was,
		       struct rt_slice is)
{
	if (!rt_slice_equal(was, is))
		watched->changes[watched->count++] = (struct change){member, was, is};
}

/* What the entry has made of an issue. */
static void find_changes(const struct rt_log *log, struct watched *watched)
{
	const struct rt_issue_state *states[2] = {&watched->effects.before,
						  &watched->effects.after};

	for (size_t i = 0; i < RT_STATE_MEMBERS; i++) {
		enum rt_member m = rt_state_members[i];
		struct rt_slice texts[2];

		for (int k = 0; k < 2; k++) {
			texts[k] = rt_issue_state_text(states[k], &watched->base,
						       rt_issue_state_at(states[k], log->plan), m,
						       watched->quoted[k][i]);
			if (!texts[k].ptr)
				texts[k] = rt_buf_slice(&watched->texts[i]);
		}
		if (m == RT_M_UPDATED_AT && log->note.len)
			add_change(watched, RT_SLICE("notes"), RT_SLICE("null"),
				   rt_buf_slice(&log->note));
		add_change(watched, rt_member_name(m), texts[0], texts[1]);
	}
}

/* Execute the next entry, of which there must be one. */
static void execute(struct rt_log *log)
{
	struct rt_step step = rt_plan_step(log->plan, log->step++);

	log->note.len = log->now_count = 0;
	if (step.notes.len)
		RT_STEP(&log->fault, rt_json_string_encode(step.notes, &log->note, log->fault.err));
	for (uint32_t i = 0; log->filter->issue_count && i < step.count; i++) {
		struct rt_mention mention = rt_plan_mention(log->plan, step.first + i);
		struct watched *watched = find_watched(log, mention.target);

		if (mention.repeat || !watched)
			continue;
		log->now[log->now_count++] = watched;
		watched->count = 0;
		if (watched->found && rt_effects_next(&watched->effects) &&
		    watched->effects.changed)
			find_changes(log, watched);
	}
}

static void release(struct rt_log *log)
{
	for (size_t i = 0; log->watched && i < log->filter->issue_count; i++) {
		for (size_t k = 0; k < RT_STATE_MEMBERS; k++)
			rt_buf_release(&log->watched[i].texts[k]);
	}
	free(log->changed);
	free(log->watched);
	free(log->now);
	rt_buf_release(&log->note);
	rt_buf_release(&log->line);
	rt_buf_release(&log->scratch);
	rt_buf_release(&log->row.text);
	rt_state_free(log->state);
	rt_journal_free(log->journal);
}

/* --- Choosing entries -------------------------------------------------------------------- */

static bool is_one_of(struct rt_slice text, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (rt_slice_equal(text, rt_slice_of(texts[i])))
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

	if ((filter->has_since || filter->has_until) && !rt_instant_parse(entry->at, &at))
		return false;
	if ((filter->has_since && at.seconds < filter->since) ||
	    (filter->has_until && at.seconds > filter->until))
		return false;
	if (filter->actor_count && !is_by(entry->actor, filter) &&
	    !(entry->carried.text.ptr && is_by(entry->carried.actor, filter)))
		return false;
	for (unsigned i = 0; !named && i < entry->request.id_count; i++)
		named = is_one_of(entry->request.ids[i], filter->issues, filter->issue_count);
	return named;
}

/* The journal has been read twice: it may have grown since, but not changed. */
static enum rt_status check_again(const struct rt_log *log, struct rt_error *err)
{
	struct rt_journal_head now = rt_journal_head(log->journal);

	if (now.seq > log->head.seq ||
	    (now.seq == log->head.seq && memcmp(now.hash, log->head.hash, sizeof(now.hash)) == 0))
		return RT_OK;
	return rt_error_set(err, RT_E_IO, "the journal was changed while it was read");
}

/*
 * The next entry that is to be shown; false after the last one, and on a fault: that the journal is
 * no longer what was executed, too. What was added to it since is not executed, and left out.
 */
static bool log_next(struct rt_log *log, struct rt_journal_entry *entry)
{
	struct rt_fault *fault = &log->fault;

	while (RT_STEP(fault, rt_journal_next(log->journal, entry, fault->err)) == RT_OK) {
		if (log->state && entry->seq > log->head.seq)
			continue;
		if (log->state && entry->seq == log->head.seq)
			fault->status = check_again(log, fault->err);
		if (log->state)
			execute(log);
		log->entries++;
		if (fault->status != RT_OK || !is_shown(log->filter, entry))
			continue;
		log->shown++;
		return true;
	}
	if (fault->status == RT_END)
		fault->status = log->state ? check_again(log, fault->err) : RT_OK;
	else
		fault->status = RT_FATAL;
	return false;
}

/* --- As a table ------------------------------------------------------------------------------- */

/* A row a decision with what its requests asked; or, for issues whose history is shown, a row a
 * change with the old value and the new one. */

/* "base base.json, 2 issues, SHA-256 0fc56817d737…, since 2026-01-01T00:00:00Z" */
static void put_base(struct rt_log *log, struct rt_table *t)
{
	const struct rt_journal_base *base = rt_journal_base(log->journal);
	char digest[RT_SHA256_SHORT], count[RT_COUNT_ROOM], rest[128];
	struct rt_put put = {&log->line, log->fault.err, log->fault.status};

	rt_sha256_short(base->sha256, digest);
	(void)snprintf(rest, sizeof(rest), ", %s issue%s, SHA-256 %s, since %.*s",
		       rt_count_text(base->issues, count), RT_S(base->issues), digest,
		       (int)base->created_at.len, base->created_at.ptr);
	log->line.len = 0;
	RT_PUT(&put, "base ");
	rt_put(&put, base->name);
	rt_put(&put, rt_slice_of(rest));
	rt_table_line(t, rt_buf_slice(&log->line), RT_TONE_STRONG);
	rt_table_line(t, RT_SLICE(""), RT_TONE_PLAIN);
	log->fault.status = put.status;
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
	rt_table_line(t, rt_slice_of(line), RT_TONE_PLAIN);
}

/* When a decision was made, be it for an earlier scan, and by whom; ptr NULL: nobody is named. */
static struct rt_slice time_of(const struct rt_journal_entry *entry)
{
	return entry->carried.text.ptr ? entry->carried.at : entry->at;
}

static struct rt_slice actor_of(const struct rt_journal_entry *entry)
{
	return entry->carried.text.ptr ? entry->carried.actor : entry->actor;
}

/* Who decided, when, and the number of the entry. */
static void put_entry(struct rt_table *t, const struct rt_journal_entry *entry)
{
	struct rt_slice actor = actor_of(entry);
	char number[24];

	(void)snprintf(number, sizeof(number), "%" PRIu64, entry->seq);
	rt_table_cell(t, rt_slice_of(number), RT_TONE_PLAIN);
	rt_table_cell(t, time_of(entry), RT_TONE_PLAIN);
	rt_table_cell(t, actor.ptr ? actor : RT_SLICE("-"), RT_TONE_PLAIN);
}

/* --- A row a decision -------------------------------------------------------------------- */

static void add_wish(struct rt_put *put, struct rt_slice text)
{
	rt_put(put, put->out->len ? RT_SLICE(", ") : RT_SLICE(""));
	rt_put(put, text);
}

/* What a request asked, in words. */
static struct rt_slice make_wishes(struct rt_log *log, const struct rt_journal_entry *entry)
{
	const struct rt_request *request = &entry->request;
	struct rt_put put = {&log->line, log->fault.err, log->fault.status};

	log->line.len = 0;
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
	if (!log->line.len)
		add_wish(&put, RT_SLICE("nothing"));
	if (entry->carried.text.ptr) {
		add_wish(&put, entry->actor.ptr ? RT_SLICE("carried by ") : RT_SLICE("carried"));
		rt_put(&put, entry->actor);
	}
	log->fault.status = put.status;
	return rt_buf_slice(&log->line);
}

/* Begin a table of these columns but one; none: there is no such. */
static void begin_table(struct rt_table *t, const struct rt_table_column all[COLUMNS], size_t none)
{
	struct rt_table_column columns[COLUMNS];
	size_t count = 0;

	for (size_t i = 0; i < COLUMNS; i++) {
		if (i != none)
			columns[count++] = all[i];
	}
	rt_table_begin(t, columns, count);
}

/* Show the row that has been put together, if there is one. */
static void end_row(struct rt_log *log, struct rt_table *t)
{
	struct row *row = &log->row;
	const char *text = row->text.data;
	size_t at = row->ends[0], asked = row->ends[1];
	char number[48];

	if (!row->last || log->fault.status != RT_OK)
		return;
	(void)snprintf(number, sizeof(number),
		       row->first < row->last ? "%" PRIu64 "-%" PRIu64 : "%" PRIu64, row->first,
		       row->last);
	rt_table_cell(t, rt_slice_of(number), RT_TONE_PLAIN);
	rt_table_cell(t, rt_slice_make(text, at), RT_TONE_PLAIN);
	rt_table_cell(t, rt_slice_make(text + at, asked - at), RT_TONE_PLAIN);
	rt_table_cell_count(t, row->found);
	if (log->state)
		rt_table_cell_count(t, row->changed);
	rt_table_cell_count(t, row->failed);
	rt_table_cell(t, rt_slice_make(text + asked, row->text.len - asked), RT_TONE_PLAIN);
	row->last = 0;
}

/* Add an entry to the row, or begin another one. */
static void add_to_row(struct rt_log *log, struct rt_table *t, const struct rt_journal_entry *entry)
{
	struct rt_slice at = time_of(entry), actor = actor_of(entry),
			asked = make_wishes(log, entry);
	struct row *row = &log->row;
	size_t ends[2];

	if (!actor.ptr)
		actor = RT_SLICE("-");
	ends[0] = at.len;
	ends[1] = at.len + actor.len;
	log->scratch.len = 0;
	RT_STEP(&log->fault, RT_BUF_PUT(&log->scratch, log->fault.err, at, actor, asked));
	if (row->last + 1 != entry->seq || memcmp(row->ends, ends, sizeof(ends)) != 0 ||
	    !rt_slice_equal(rt_buf_slice(&row->text), rt_buf_slice(&log->scratch))) {
		end_row(log, t);
		row->text.len = row->found = row->changed = row->failed = 0;
		row->first = entry->seq;
		memcpy(row->ends, ends, sizeof(ends));
		RT_STEP(&log->fault, rt_buf_append(&row->text, log->scratch.data, log->scratch.len,
						   log->fault.err));
	}
	row->last = entry->seq;
	row->found += entry->updated_count;
	row->changed += log->state ? log->changed[log->step - 1] : 0;
	row->failed += entry->failed_count;
}

static void put_entries(struct rt_log *log, struct rt_table *t)
{
	static const struct rt_table_column all[COLUMNS] = {
	    {.title = "SEQ", .right = true},
	    {.title = "TIME", .leave = 1},
	    {.title = "ACTOR", .weight = 1, .min = 6, .leave = 2},
	    {.title = "FOUND", .right = true, .leave = 3},
	    {.title = "CHANGED", .right = true, .leave = 3},
	    {.title = "FAILED", .right = true, .leave = 3},
	    {.title = "REQUEST", .weight = 3, .min = 8},
	};
	struct rt_journal_entry entry;

	begin_table(t, all, log->state ? COLUMNS : 4);
	while (log_next(log, &entry))
		add_to_row(log, t, &entry);
	end_row(log, t);
}

/* --- A row a change ---------------------------------------------------------------------- */

/* A value by its JSON text; nothing was there before a note. */
static void put_value(struct rt_log *log, struct rt_table *t, struct rt_slice member,
		      struct rt_slice json)
{
	struct rt_slice text = json;
	enum rt_tone tone = RT_TONE_PLAIN;

	if (json.ptr[0] == '"') {
		RT_STEP(&log->fault, rt_json_string_text(rt_slice_make(json.ptr + 1, json.len - 2),
							 &log->scratch, &text, log->fault.err));
		if (rt_slice_equal(member, rt_member_name(RT_M_SEVERITY)))
			tone = rt_tone_of_severity(text);
	} else if (json.ptr[0] == 'n') {
		text = rt_slice_equal(member, RT_SLICE("notes")) ? RT_SLICE("") : json;
		tone = RT_TONE_FAINT;
	}
	rt_table_cell(t, text, tone);
}

/* What an entry did to one issue. *first: the next row is the first one of the entry; others have
 * its cells left blank. */
static void put_issue(struct rt_log *log, struct rt_table *t, const struct rt_journal_entry *entry,
		      const struct watched *issue, bool *first)
{
	size_t at = 0;

	do {
		const struct change *change = &issue->changes[at];

		if (*first)
			put_entry(t, entry);
		for (int i = 0; !*first && i < 3; i++)
			rt_table_cell(t, RT_SLICE(""), RT_TONE_PLAIN);
		*first = false;
		if (log->filter->issue_count > 1)
			rt_table_cell(t, at ? RT_SLICE("") : rt_plan_id(log->plan, issue->target),
				      RT_TONE_PLAIN);
		if (!issue->count) {
			rt_table_cell(t, RT_SLICE("-"), RT_TONE_FAINT);
			rt_table_cell(t, RT_SLICE(""), RT_TONE_PLAIN);
			rt_table_cell(t,
				      issue->found ? RT_SLICE("nothing changed")
						   : RT_SLICE("not in the base"),
				      RT_TONE_FAINT);
			return;
		}
		rt_table_cell(t, change->member, RT_TONE_PLAIN);
		put_value(log, t, change->member, change->was);
		put_value(log, t, change->member, change->is);
	} while (++at < issue->count);
}

static void put_changes(struct rt_log *log, struct rt_table *t)
{
	static const struct rt_table_column all[COLUMNS] = {
	    {.title = "SEQ", .right = true},
	    {.title = "TIME", .leave = 3},
	    {.title = "ACTOR", .weight = 2, .min = 6, .leave = 4},
	    {.title = "ISSUE", .weight = 2, .min = 6, .leave = 1},
	    {.title = "MEMBER", .weight = 5, .min = 8},
	    {.title = "OLD", .weight = 3, .min = 4, .leave = 2},
	    {.title = "NEW", .weight = 5, .min = 4},
	};
	struct rt_journal_entry entry;

	begin_table(t, all, log->filter->issue_count == 1 ? 3 : COLUMNS);
	while (log_next(log, &entry)) {
		bool first = true;

		for (size_t i = 0; i < log->now_count; i++)
			put_issue(log, t, &entry, log->now[i], &first);
	}
}

/* Read all entries into a table of those that are shown. */
static void log_table(struct rt_log *log, struct rt_table *t)
{
	put_base(log, t);
	if (log->state && log->filter->issue_count)
		put_changes(log, t);
	else
		put_entries(log, t);
	put_shown(t, log);
}

/* --- As CSV ---------------------------------------------------------------------------------- */

/* A text, or nothing, and what goes before it. */
static void put_field(struct rt_emit *out, struct rt_slice text)
{
	rt_emit_char(out, ',');
	if (text.ptr)
		rt_csv_text(out, text, false);
}

static void put_flag(struct rt_emit *out, int flag)
{
	rt_emit_text(out, flag < 0 ? "," : flag ? ",true" : ",false");
}

/* A row an entry: what its request asked, of which issues, and how many it found. */
static void write_csv(struct rt_log *log, struct rt_emit *out)
{
	struct rt_journal_entry entry;

	rt_emit_text(out, "seq,at,actor,carried_by,severity,false_positive,exploitable,note,"
			  "updated_count,changed_count,failed_count,issue_ids\r\n");
	while (log_next(log, &entry)) {
		const struct rt_request *request = &entry.request;
		struct rt_put ids = {&log->line, log->fault.err, log->fault.status};
		struct rt_slice severity = {0}, note = {0};

		if (request->severity >= 0)
			severity = rt_severity_level((size_t)request->severity);
		if (request->notes.len)
			note = request->notes;
		log->line.len = 0;
		for (unsigned i = 0; i < request->id_count; i++) {
			rt_put(&ids, i ? RT_SLICE("; ") : RT_SLICE(""));
			rt_put(&ids, request->ids[i]);
		}
		log->fault.status = ids.status;
		rt_emit_uint(out, entry.seq);
		put_field(out, time_of(&entry));
		put_field(out, actor_of(&entry));
		put_field(out, entry.carried.text.ptr ? entry.actor : (struct rt_slice){0});
		put_field(out, severity);
		put_flag(out, request->false_positive);
		put_flag(out, request->exploitable);
		put_field(out, note);
		rt_emit_char(out, ',');
		rt_emit_uint(out, entry.updated_count);
		rt_emit_char(out, ',');
		if (log->state)
			rt_emit_uint(out, log->changed[log->step - 1]);
		rt_emit_char(out, ',');
		rt_emit_uint(out, entry.failed_count);
		put_field(out, rt_buf_slice(&log->line));
		rt_emit_text(out, "\r\n");
	}
}

/* --- As a document ---------------------------------------------------------------------------- */

static void write_issue(struct rt_writer *w, const struct rt_log *log, const struct watched *issue)
{
	RT_WRITE(w, "{issue_id: %s, found: %b, changes: [", rt_plan_id(log->plan, issue->target),
		 issue->found);
	for (size_t i = 0; i < issue->count; i++)
		RT_WRITE(w, "{member: %s, old: %v, new: %v}", issue->changes[i].member,
			 issue->changes[i].was, issue->changes[i].is);
	RT_WRITE(w, "]}");
}

/* What executing the entry again has shown; null where that was not asked for. */
static void write_effect(struct rt_writer *w, const struct rt_log *log)
{
	if (!log->state) {
		RT_WRITE(w, "changed_count: null, issues: null");
		return;
	}
	RT_WRITE(w, "changed_count: %u", log->changed[log->step - 1]);
	if (!log->filter->issue_count) {
		RT_WRITE(w, "issues: null");
		return;
	}
	RT_WRITE(w, "issues: [");
	for (size_t i = 0; i < log->now_count; i++)
		write_issue(w, log, log->now[i]);
	RT_WRITE(w, "]");
}

static void write_document(struct rt_log *log, struct rt_writer *w)
{
	const struct rt_journal_base *base = rt_journal_base(log->journal);
	struct rt_journal_entry entry;

	RT_WRITE(w, "{base: {name: %s, sha256: %h, issues: %u}, created_at: %s, entries: [",
		 base->name, rt_slot_digest(base->sha256), base->issues, base->created_at);
	while (log_next(log, &entry)) {
		log->line.len = 0;
		RT_STEP(&log->fault, rt_request_write(&entry.request, &log->line, log->fault.err));
		RT_WRITE(w, "{seq: %u, at: %s, actor: %s", entry.seq, entry.at, entry.actor);
		if (entry.carried.text.ptr)
			RT_WRITE(w, "carried: %v", entry.carried.text);
		RT_WRITE(w, "request: %v, updated_count: %u, failed_count: %u",
			 rt_buf_slice(&log->line), entry.updated_count, entry.failed_count);
		RT_WRITE(w, "result_sha256: %h, hash: %h", rt_slot_digest(entry.result_sha256),
			 rt_slot_digest(rt_journal_head(log->journal).hash));
		write_effect(w, log);
		RT_WRITE(w, "}");
	}
	RT_WRITE(w, "], entry_count: %u, torn_bytes: %u}", log->entries,
		 rt_journal_torn(log->journal));
}

/* --- The public functions ---------------------------------------------------------------- */

static enum rt_status open_journal(const struct rt_options *options,
				   struct rt_journal **ret_journal, struct rt_error *err)
{
	enum rt_status status =
	    rt_journal_open(options->journal, RT_JOURNAL_READ, &options->limits, 0, options->notice,
			    options->notice_ctx, ret_journal, err);

	return status == RT_OK ? RT_OK : RT_FATAL;
}

enum rt_status rt_log(const struct rt_options *options, const struct rt_log_filter *filter,
		      struct rt_style style, const struct rt_sink *sink, struct rt_error *err)
{
	struct rt_answer answer = {.spool.fd = -1};
	struct rt_log log = {.fault = {RT_OK, err}, .filter = filter};
	struct rt_fault *fault = &log.fault;
	bool is_csv = style.format == RT_FORMAT_CSV;

	if (!is_csv)
		fault->status = rt_style_check(style, RT_FORMAT_TABLE, err);
	if (options->path_count)
		RT_STEP(fault, rt_files_check(options, true, err));
	if (!options->journal)
		RT_STEP(fault, rt_error_set(err, RT_E_USAGE, "no journal is named"));
	if (fault->status == RT_OK && options->path_count)
		read_base(&log, options);
	RT_STEP(fault, open_journal(options, &log.journal, err));
	if (is_csv)
		rt_answer_text(&answer);
	else
		RT_STEP(fault, rt_answer_begin(&answer, style, err));
	if (fault->status == RT_OK) {
		if (is_csv)
			write_csv(&log, &answer.text);
		else if (answer.table)
			log_table(&log, answer.table);
		else
			write_document(&log, answer.writer);
	}
	RT_STEP(fault, rt_answer_send(&answer, sink, err));
	rt_answer_release(&answer);
	release(&log);
	return fault->status;
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
