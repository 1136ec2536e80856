/*
 * Decides about issues: makes one decision about all that a filter picks, as requests or, with a
 * journal, as its entries (TRIAGE T7 to T10). The export is read twice for a journal: to find the
 * issues, and to apply the requests to it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json_string.h"
#include "base/map.h"
#include "base/utf8.h"
#include "engine/headline.h"
#include "engine/triage.h"
#include "files/files.h"
#include "ops/reading.h"
#include "ops/update.h"
#include "output/answer.h"
#include "output/issue_table.h"

#define DAY 86400

/* One call of rt_decide(). */
struct deciding {
	struct rt_reading reading;
	struct rt_fault fault;
	const struct rt_options *options; /* with a journal that may be begun by this */
	const struct rt_decide *ask;
	struct rt_style style;
	struct rt_request request; /* the next one, with the lengths of its ids so far */
	uint64_t fixed, id_bytes;  /* of it: without ids, and of them */
	struct rt_buf note, ids, line, scratch;
	char at[RT_INSTANT_CHARS];
	enum rt_reason reason; /* of a dismissal, and when that ends */
	int64_t end;
	struct rt_triage *triage; /* of a table of what changes; NULL: none is shown */
	struct rt_made made;      /* for the journal; without one there is no plan */
	struct rt_answer answer;  /* requests */
	struct rt_decide_counts counts;
	char expires[RT_DAY_ROOM]; /* of a number of days */
	/* Equal findings of a SARIF log, until all of them are known. */
	struct rt_buf held, held_ids; /* of struct held; and their ids */
	struct rt_buf groups;         /* of struct group, in the order of their first ones */
	struct rt_map numbers;        /* of the groups by the front of their ids, from 1 on */
	struct rt_siphash_key key;
	uint64_t shared; /* issues of groups that are decided in part */
};

/* An issue whose id is one of several that equal findings have: s2-...-1of3, s1-...-2. */
struct held {
	size_t id, id_len; /* in deciding.held_ids */
	size_t next;       /* of the group; 0: none */
	char line[20];     /* "": none is known */
};

/* Some of them; of: how many there are in the log, 0: not known. */
struct group {
	uint64_t of, alike; /* alike: those that are decided, or were already */
	size_t first, last; /* in deciding.held, from 1 on */
};

/* --- What is decided ------------------------------------------------------------------------- */

static enum rt_status refuse(const char *option, const char *message, struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_USAGE, "%s", message);
	(void)snprintf(err->field, sizeof(err->field), "%s", option);
	return RT_FATAL;
}

/* A part of a note, with a blank before it where it is not the first; NULL: none. */
static void add_part(struct rt_put *note, const char *mark, const char *text)
{
	if (!text)
		return;
	rt_put(note, rt_slice_make(" ", note->out->len > 0));
	rt_put(note, rt_slice_of(mark));
	rt_put(note, rt_slice_of(text));
}

/* The day that a dismissal ends with; NULL: none. */
static const char *last_day(const struct deciding *d)
{
	return d->expires[0] ? d->expires : d->ask->expires;
}

/* "reason:WORD TEXT (lines 12, 29) exp:DATE", as far as there is something of it. lines: NULL:
 * none.
 */
static void make_note(struct deciding *d, const char *lines)
{
	struct rt_put note = {&d->note, d->fault.err, d->fault.status};

	d->note.len = 0;
	add_part(&note, "reason:", d->ask->reason);
	add_part(&note, "", d->ask->note);
	add_part(&note, "", lines);
	add_part(&note, "exp:", last_day(d));
	if (d->note.len)
		d->request.notes = rt_buf_slice(&d->note);
	d->reason = rt_note_reason(rt_buf_slice(&d->note), NULL);
	d->end = rt_note_end(rt_buf_slice(&d->note));
	d->fault.status = note.status;
}

/* Hold it against the rules of a request with one id. */
static enum rt_status check_request(struct deciding *d, struct rt_error *err)
{
	struct rt_request_walk walk = {0};
	enum rt_status status;

	if (d->ask->note && rt_utf8_prefix(d->request.notes) < d->request.notes.len)
		return refuse("--note", "want UTF-8, have another encoding", err);
	d->line.len = 0;
	d->request.ids[0] = RT_SLICE("x");
	d->request.id_count = 1;
	status = rt_request_write(&d->request, &d->line, err);
	if (status == RT_OK)
		status = rt_request_parse(&walk, rt_buf_slice(&d->line), err);
	rt_tree_release(&walk.tree);
	d->fixed = d->line.len;
	d->request.id_count = 0;
	d->line.len = 0;
	if (status == RT_REJECT) {
		err->code = RT_E_USAGE;
		(void)snprintf(err->field, sizeof(err->field), "--note");
	}
	return status == RT_OK ? RT_OK : RT_FATAL;
}

/* Read "30d", so many days after the time of the decision, as the day that it is. */
static void read_days(struct deciding *d)
{
	const char *text = d->ask->expires ? d->ask->expires : "";
	size_t digits = strspn(text, "0123456789");
	char at[RT_INSTANT_CHARS];

	if (!digits || digits > 6 || strcmp(text + digits, "d") != 0 ||
	    !rt_instant_format(d->ask->at + strtoll(text, NULL, 10) * DAY, at))
		return;
	memcpy(d->expires, at, RT_DAY_ROOM - 1);
}

static enum rt_status check_ask(struct deciding *d, struct rt_error *err)
{
	const struct rt_decide *ask = d->ask;
	bool sets = ask->severity >= 0 || ask->exploitable >= 0 || ask->reopen || ask->reason;

	if (!rt_instant_format(ask->at, d->at))
		return refuse("", "the year is not between 0000 and 9999", err);
	if (!sets && !ask->note)
		return refuse("",
			      "a decision is missing: --dismiss, --reopen, --severity, "
			      "--exploitable or --note",
			      err);
	if (ask->reopen && ask->reason)
		return refuse("--reopen", "--dismiss and --reopen exclude one another", err);
	if (ask->expires && !ask->reason)
		return refuse("--expires", "goes with --dismiss only", err);
	if (!ask->term_count && !ask->all)
		return refuse("",
			      "--where or --not is missing, which say what issues are meant; --all "
			      "means all of them",
			      err);
	d->request.severity = ask->severity;
	d->request.exploitable = ask->exploitable;
	d->request.false_positive = ask->reason ? 1 : ask->reopen ? 0 : RT_REQUEST_KEEP;
	read_days(d);
	make_note(d, NULL);
	if (d->fault.status != RT_OK || check_request(d, err) != RT_OK)
		return RT_FATAL;
	if (ask->reason && (d->reason == RT_REASON_NONE || d->reason == RT_REASON_OTHER))
		return refuse("--dismiss", "the reason is missing", err);
	if (ask->expires && (d->end == INT64_MIN || strlen(last_day(d)) != RT_DAY_ROOM - 1))
		return refuse("--expires", "want a day, as in 2027-03-31, or 30d for 30 days", err);
	if (ask->expires && ask->at >= d->end)
		return refuse("--expires", "this day is not in the future", err);
	return RT_OK;
}

/* --- What would not change -------------------------------------------------------------------- */

/* Whether a note is the decision's, be it with the lines of equal findings before its end. */
static bool is_note(const struct deciding *d, struct rt_slice text)
{
	static const char lines[] = " (line";
	struct rt_slice note = d->request.notes;
	size_t end = last_day(d) ? strlen(" exp:") + strlen(last_day(d)) : 0,
	       front = note.len - end;
	const char *rest;

	if (text.len < note.len + sizeof(lines))
		return rt_slice_equal(text, note);
	rest = rt_slice_end(text) - end;
	return memcmp(text.ptr, note.ptr, front) == 0 && memcmp(rest, note.ptr + front, end) == 0 &&
	       memcmp(text.ptr + front, lines, strlen(lines)) == 0 && rest[-1] == ')';
}

/* Whether an issue has such a note. */
static bool has_note(struct deciding *d, const struct rt_finding *finding)
{
	struct rt_put room = {&d->scratch, d->fault.err, d->fault.status};
	struct rt_slice notes = finding->notes, added_at, text;

	while (rt_notes_step(&notes, &room, &added_at, &text)) {
		if (is_note(d, text))
			return true;
	}
	d->fault.status = room.status;
	return false;
}

static struct rt_step step_of(const struct deciding *d)
{
	return (struct rt_step){.severity = d->request.severity,
				.false_positive = d->request.false_positive,
				.exploitable = d->request.exploitable};
}

/* Whether an issue is already as the decision would have it. */
static bool is_so(struct deciding *d, const struct rt_finding *finding)
{
	struct rt_issue_state state = rt_issue_state_of(finding->record);
	struct rt_step step = step_of(d);

	if (rt_issue_state_step(&state, &step, 0))
		return false;
	if (d->ask->reason && (finding->status != RT_STATUS_DISMISSED ||
			       finding->reason != d->reason || finding->end != d->end))
		return false;
	return !d->ask->note || has_note(d, finding);
}

/* The bytes of an id before the number that tells it from those of equal findings; 0: it has none.
 * ret_of: how many there are of them, as the id says. */
static size_t front_of(struct rt_slice id, uint64_t *ret_of)
{
	size_t at = id.len, of = 0;

	*ret_of = 0;
	if (id.len < 4 || id.ptr[0] != 's' || id.ptr[2] != '-')
		return 0;
	while (at > 4 && ((id.ptr[at - 1] >= '0' && id.ptr[at - 1] <= '9') ||
			  id.ptr[at - 1] == 'o' || id.ptr[at - 1] == 'f')) {
		at--;
		of = id.ptr[at] == 'f' && !of ? at + 1 : of;
	}
	if (at == id.len || id.ptr[at - 1] != '-' || at <= 4)
		return 0;
	for (; of && of < id.len && *ret_of < UINT32_MAX; of++)
		*ret_of = *ret_of * 10 + (uint64_t)(id.ptr[of] - '0');
	return at;
}

/* --- Requests -------------------------------------------------------------------------------- */

/* Give the ids their texts, and pass the request on. */
static void end_request(struct deciding *d)
{
	const char *at = d->ids.data;

	if (d->fault.status != RT_OK || !d->request.id_count)
		return;
	for (unsigned i = 0; i < d->request.id_count; i++) {
		d->request.ids[i].ptr = at;
		at += d->request.ids[i].len;
	}
	d->line.len = 0;
	if (d->made.plan) {
		d->fault.status = rt_plan_add(d->made.plan, &d->request,
					      rt_slice_make(d->at, sizeof(d->at)), d->fault.err);
	} else {
		d->fault.status = rt_request_write(&d->request, &d->line, d->fault.err);
		rt_emit_slice(&d->answer.text, rt_buf_slice(&d->line));
		rt_emit_char(&d->answer.text, '\n');
	}
	d->counts.requests++;
	d->request.id_count = 0;
	d->ids.len = 0;
	d->id_bytes = 0;
}

static void add_id(struct deciding *d, struct rt_slice id)
{
	uint64_t max = d->options->limits.request_bytes;
	size_t escaped = rt_json_string_encoded_len(id) + 1;

	if (d->request.id_count == RT_REQUEST_IDS_MAX ||
	    (d->request.id_count && d->fixed + d->id_bytes + escaped > max))
		end_request(d);
	if (d->fixed + escaped > max)
		RT_STEP(&d->fault,
			rt_error_set(d->fault.err, RT_E_LIMIT,
				     "a request with this id exceeds --limit request=%llu",
				     (unsigned long long)max));
	if (RT_STEP(&d->fault, rt_buf_append(&d->ids, id.ptr, id.len, d->fault.err)) != RT_OK)
		return;
	d->id_bytes += escaped;
	d->request.ids[d->request.id_count++] = rt_slice_make(NULL, id.len);
}

/* --- Reading --------------------------------------------------------------------------------- */

/* Keep an issue whose id equal findings share, until it is known whether all of them are decided
 * alike. front: of its id. decided: it is not so already. */
static void hold(struct deciding *d, const struct rt_finding *finding, size_t front, uint64_t of,
		 bool decided)
{
	struct rt_slice id = finding->record->id,
			line = rt_finding_number(finding, RT_M_LINE_NUMBER);
	struct held *all, held = {.id = d->held_ids.len, .id_len = id.len};
	struct group *group, begun = {.of = of};
	uint32_t *number = NULL;

	if (d->fault.status == RT_OK)
		number = rt_map_put(&d->numbers, rt_siphash(&d->key, rt_slice_make(id.ptr, front)),
				    d->fault.err);
	if (!number) {
		d->fault.status = RT_FATAL;
		return;
	}
	if (!*number) {
		RT_STEP(&d->fault, rt_buf_append(&d->groups, &begun, sizeof(begun), d->fault.err));
		*number = (uint32_t)(d->groups.len / sizeof(begun));
	}
	if (line.len < sizeof(held.line))
		memcpy(held.line, line.ptr ? line.ptr : "", line.len);
	if (decided)
		RT_STEP(&d->fault, rt_buf_append(&d->held, &held, sizeof(held), d->fault.err));
	RT_STEP(&d->fault, rt_buf_append(&d->held_ids, id.ptr, id.len, d->fault.err));
	if (d->fault.status != RT_OK)
		return;
	group = (struct group *)(void *)d->groups.data + *number - 1;
	group->alike++;
	if (!decided)
		return;
	all = (struct held *)(void *)d->held.data;
	if (group->last)
		all[group->last - 1].next = d->held.len / sizeof(held);
	group->last = d->held.len / sizeof(held);
	group->first = group->first ? group->first : group->last;
}

/* "(lines 12, 29)" of a group; nothing where none is known. */
static const char *lines_of(struct deciding *d, const struct group *group)
{
	const struct held *all = (const struct held *)(const void *)d->held.data;
	struct rt_put put = {&d->scratch, d->fault.err, d->fault.status};
	size_t count = 0;

	d->scratch.len = 0;
	for (size_t at = group->first; at; at = all[at - 1].next) {
		const char *line = all[at - 1].line;

		if (!*line)
			continue;
		rt_put(&put, count++            ? RT_SLICE(", ")
			     : all[at - 1].next ? RT_SLICE("(lines ")
						: RT_SLICE("(line "));
		rt_put(&put, rt_slice_of(line));
	}
	rt_put(&put, count ? rt_slice_make(")", 2) : RT_SLICE(""));
	d->fault.status = put.status;
	return count && put.status == RT_OK ? d->scratch.data : NULL;
}

/* Have the note say lines, or no longer, as far as it has room for them. */
static void note_lines(struct deciding *d, const char *lines)
{
	struct rt_error *err = d->fault.err;

	end_request(d);
	make_note(d, lines);
	if (RT_STEP(&d->fault, check_request(d, err)) == RT_OK || !lines || err->code != RT_E_USAGE)
		return;
	d->fault.status = RT_OK;
	make_note(d, NULL);
	RT_STEP(&d->fault, check_request(d, err));
}

/*
 * All equal findings are known. Where each of a group is decided alike, no number matters; else a
 * note says the lines too, in a request of the group's own: another scan may number them otherwise,
 * and nobody could tell which of them were meant (TRIAGE T20).
 */
static void decide_held(struct deciding *d)
{
	const struct group *groups = (const struct group *)(const void *)d->groups.data;

	for (size_t i = 0; d->fault.status == RT_OK && i < d->groups.len / sizeof(*groups); i++) {
		const struct held *all = (const struct held *)(const void *)d->held.data;
		bool in_part = groups[i].alike != groups[i].of;

		if (in_part && d->ask->note && groups[i].first)
			note_lines(d, lines_of(d, &groups[i]));
		for (size_t at = groups[i].first; at; at = all[at - 1].next) {
			add_id(d, rt_slice_make(d->held_ids.data + all[at - 1].id,
						all[at - 1].id_len));
			d->shared += in_part;
		}
		if (in_part && d->ask->note && groups[i].first)
			note_lines(d, NULL);
	}
	end_request(d);
}

/* Take an issue that is picked into a request, unless it is so already. */
static void decide_issue(struct deciding *d, const struct rt_finding *finding)
{
	bool decided = !is_so(d, finding);
	uint64_t of;
	size_t front = front_of(finding->record->id, &of);

	d->counts.unchanged += !decided;
	if (decided && d->triage)
		RT_STEP(&d->fault, rt_triage_add(d->triage, finding, d->fault.err));
	if (front)
		hold(d, finding, front, of, decided);
	else if (decided)
		add_id(d, finding->record->id);
}

static struct deciding *deciding_of(struct rt_reading *r)
{
	return (struct deciding *)(void *)r;
}

static enum rt_status take(struct rt_reading *r, const struct rt_finding *finding,
			   struct rt_error *err)
{
	struct deciding *d = deciding_of(r);

	decide_issue(d, finding);
	if (d->fault.status != RT_OK)
		rt_state_blame(r->state, err);
	return d->fault.status;
}

static const struct rt_consumer decide_all = {.take = take};

static void read_issues(struct deciding *d)
{
	const struct rt_state_extras extras = {.digests = d->options->journal != NULL};
	struct rt_options options = *d->options;

	if (!rt_made_has_journal(options.journal))
		options.journal = NULL;
	d->reading.options = &options;
	RT_STEP(&d->fault, rt_read_alone(&d->reading, &decide_all, &extras, d->fault.err));
	d->reading.options = d->options;
	decide_held(d);
	if (d->fault.status != RT_OK)
		return;
	d->counts.total = d->reading.total;
	d->counts.selected = d->reading.picked;
	rt_made_for(&d->made, d->reading.state);
}

/* --- A table of what changes ----------------------------------------------------------------- */

/* "open", "dismissed (wont_fix until 2027-03-31)"; in_words: "... until 31 March 2027)". */
static size_t put_status(const struct rt_finding *finding, bool in_words, char *text, size_t cap)
{
	struct rt_slice status = rt_status_names[finding->status];
	struct rt_slice reason = rt_reason_word(finding->reason);
	char day[RT_DAY_TEXT] = "";

	if (finding->status == RT_STATUS_OPEN)
		return (size_t)snprintf(text, cap, "open");
	if (in_words)
		(void)rt_end_text(finding->end, day);
	else
		(void)rt_end_day(finding->end, day);
	return (size_t)snprintf(text, cap, "%.*s (%.*s%s%s)", (int)status.len, status.ptr,
				(int)reason.len, reason.ptr, day[0] ? " until " : "", day);
}

/* "open → dismissed (wont_fix), high → low, + note" */
static void put_change(const struct deciding *d, const struct rt_finding *finding,
		       const char *severity, char *text, size_t cap)
{
	static const char *const flags[] = {"null", "not exploitable", "exploitable"};
	struct rt_issue_state was = rt_issue_state_of(finding->record), is = was;
	struct rt_finding after = *finding;
	struct rt_step step = step_of(d);
	size_t used = 0;

	(void)rt_issue_state_step(&is, &step, 0);
	if (d->request.false_positive >= 0) {
		after.reason = d->reason;
		after.end = d->end;
		after.status = is.false_positive ? RT_STATUS_DISMISSED : RT_STATUS_OPEN;
		used = put_status(finding, false, text, cap);
		used += (size_t)snprintf(text + used, cap - used, " \xE2\x86\x92 ");
		used += put_status(&after, false, text + used, cap - used);
	}
	if (was.severity != is.severity)
		used += (size_t)snprintf(text + used, cap - used, "%s%.40s \xE2\x86\x92 %s",
					 used ? ", " : "", severity,
					 rt_severity_level((size_t)is.severity).ptr);
	if (was.exploitable != is.exploitable)
		used += (size_t)snprintf(text + used, cap - used, "%s%s \xE2\x86\x92 %s",
					 used ? ", " : "", flags[was.exploitable + 1],
					 flags[is.exploitable + 1]);
	if (d->ask->note)
		(void)snprintf(text + used, cap - used, "%s+ note", used ? ", " : "");
}

/* A member of a finding, decoded; borrowed until the next call. */
static struct rt_slice text_of(struct deciding *d, const struct rt_finding *finding,
			       enum rt_member m)
{
	struct rt_slice text = {0};

	RT_STEP(&d->fault, rt_finding_text(finding, m, &d->scratch, &text, d->fault.err));
	return text;
}

static void put_row(struct deciding *d, struct rt_table *table, const struct rt_finding *finding)
{
	struct rt_slice text = text_of(d, finding, RT_M_SEVERITY);
	struct rt_put place = {&d->line, d->fault.err, d->fault.status};
	struct rt_put headline = {&d->scratch, d->fault.err, RT_OK};
	char change[512] = "", severity[48];

	rt_error_text(severity, sizeof(severity), text);
	put_change(d, finding, text.len ? severity : "-", change, sizeof(change));
	rt_table_cell(table, text.len ? text : RT_TABLE_NOTHING, rt_tone_of_severity(text));
	rt_finding_place(finding, &place);
	d->fault.status = place.status;
	rt_table_cell(table, rt_buf_slice(&d->line), RT_TONE_PLAIN);
	text = rt_finding_headline(finding, &headline).text;
	RT_STEP(&d->fault, headline.status);
	rt_table_cell(table, text.len ? text : RT_TABLE_NOTHING, RT_TONE_PLAIN);
	rt_table_cell(table, rt_slice_of(change), RT_TONE_PLAIN);
}

static void put_rows(struct deciding *d, struct rt_table *table)
{
	static const struct rt_table_column columns[] = {
	    {.title = "SEVERITY", .weight = 1, .min = 8},
	    {.title = "LOCATION", .weight = 4, .min = 12, .keep_end = true},
	    {.title = "FINDING", .weight = 2, .min = 12, .leave = 1},
	    {.title = "CHANGE", .weight = 9, .min = 40},
	};
	uint64_t count = rt_triage_count(d->triage);
	const struct rt_finding *finding;

	if (count)
		rt_table_begin(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (uint64_t i = 0; i < count; i++) {
		if (RT_STEP(&d->fault, rt_triage_get(d->triage, i, &finding, d->fault.err)) !=
		    RT_OK)
			return;
		put_row(d, table, finding);
	}
	rt_table_more(table, d->counts.selected - d->counts.unchanged - count);
}

/* --- What people are told -------------------------------------------------------------------- */

/* "dismissed (wont_fix until 31 March 2027), severity low" */
static void put_decision(const struct deciding *d, char *text, size_t cap)
{
	struct rt_finding after = {
	    .status = RT_STATUS_DISMISSED, .reason = d->reason, .end = d->end};
	const char *exploitable = d->request.exploitable ? "exploitable" : "not exploitable";
	size_t used = 0;

	if (d->ask->reason)
		used = put_status(&after, true, text, cap);
	if (d->ask->reopen)
		used = (size_t)snprintf(text, cap, "reopened");
	if (d->request.severity >= 0)
		used += (size_t)snprintf(text + used, cap - used, "%sseverity %s", used ? ", " : "",
					 rt_severity_level((size_t)d->request.severity).ptr);
	if (d->request.exploitable >= 0)
		used += (size_t)snprintf(text + used, cap - used, "%s%s", used ? ", " : "",
					 exploitable);
	if (!used)
		(void)snprintf(text, cap, "a note added");
}

/* "40 issues of 72: dismissed (wont_fix until 31 March 2027); 3 unchanged". mode: " would
 * be", or nothing. */
static void put_total(const struct deciding *d, const char *mode, char *text, size_t cap)
{
	const struct rt_decide_counts *counts = &d->counts;
	uint64_t changed = counts->selected - counts->unchanged;
	char numbers[3][RT_COUNT_ROOM], decision[256];
	int used;

	if (!counts->selected) {
		(void)snprintf(text, cap, "0 issues of %s selected",
			       rt_count_text(counts->total, numbers[0]));
		return;
	}
	put_decision(d, decision, sizeof(decision));
	used = snprintf(text, cap, "%s issue%s of %s%s: %s", rt_count_text(changed, numbers[0]),
			RT_S(changed), rt_count_text(counts->total, numbers[1]), mode, decision);
	if (counts->unchanged)
		(void)snprintf(text + used, cap - (size_t)used, "; %s unchanged",
			       rt_count_text(counts->unchanged, numbers[2]));
}

static void tell(const struct deciding *d, const char *mode)
{
	char text[512], number[RT_COUNT_ROOM];

	if (d->shared)
		rt_notice(d->options,
			  "%s of them %s equal to findings of the log that are not decided alike; "
			  "only numbers in their ids tell them apart, and another scan may number "
			  "them otherwise",
			  rt_count_text(d->shared, number), d->shared == 1 ? "is" : "are");
	put_total(d, mode, text, sizeof(text));
	rt_notice(d->options, "%s", text);
}

static void show(struct deciding *d, const struct rt_sink *sink)
{
	struct rt_table *table = NULL;
	char total[512];

	rt_triage_sort(d->triage);
	if (RT_STEP(&d->fault, rt_table_new(d->style, &table, d->fault.err)) == RT_OK) {
		put_rows(d, table);
		put_total(d, " would be", total, sizeof(total));
		rt_table_line(table, rt_slice_of(total), RT_TONE_STRONG);
	}
	RT_STEP(&d->fault, rt_table_send(table, sink, d->fault.err));
	rt_table_free(table);
}

/* --- The command ----------------------------------------------------------------------------- */

static void prepare(struct deciding *d)
{
	const struct rt_options *options = d->options;
	struct rt_error *err = d->fault.err;

	rt_answer_text(&d->answer);
	RT_STEP(&d->fault, rt_files_check(options, true, err));
	RT_STEP(&d->fault, rt_siphash_key_init(&d->key, err));
	RT_STEP(&d->fault, check_ask(d, err));
	if (d->fault.status == RT_OK && options->journal && strcmp(options->paths[0], "-") == 0)
		d->fault.status =
		    rt_error_on(err, "-", RT_E_USAGE,
				"with --journal the export is read twice, and this is a stream");
	RT_STEP(&d->fault, rt_reading_prepare(&d->reading, err));
	RT_STEP(&d->fault, rt_filter_refuse_gone(d->reading.filter, err));
	if (options->journal)
		RT_STEP(&d->fault, rt_plan_new(&d->made.plan, err));
	if (d->ask->shows)
		RT_STEP(&d->fault, rt_triage_new(d->ask->rows, 0, &d->triage, err));
	if (d->fault.status == RT_OK)
		rt_filter_tell(d->reading.filter, options);
}

/* Everything is known: show it, and make it so. */
static void carry_out(struct deciding *d, const struct rt_sink *sink)
{
	const struct rt_decide *ask = d->ask;
	const struct rt_update update = {.actor = ask->actor, .at = ask->at, .now = ask->now};
	struct rt_error *err = d->fault.err;
	struct rt_update_counts counts;

	if (d->fault.status == RT_OK && ask->shows)
		show(d, sink);
	if (d->fault.status == RT_OK && d->counts.requests && ask->confirm)
		d->counts.refused = !ask->confirm(ask->confirm_ctx);
	if (d->fault.status != RT_OK || ask->dry_run || d->counts.refused)
		return;
	if (!d->made.plan) {
		RT_STEP(&d->fault, rt_answer_send(&d->answer, sink, err));
	} else if (d->counts.requests ||
		   (d->counts.selected && !rt_made_has_journal(d->options->journal))) {
		/* A missing journal is made even if all is decided: the next command names it. */
		rt_state_free(d->reading.state);
		d->reading.state = NULL;
		d->fault.status = rt_apply_made(d->options, &update, &d->made, &counts, err);
		d->made.plan = NULL;
	}
	if (d->fault.status == RT_OK)
		tell(d, d->options->journal ? "" : " would be");
}

static void release(struct deciding *d)
{
	rt_plan_free(d->made.plan);
	rt_answer_release(&d->answer);
	rt_triage_free(d->triage);
	rt_reading_release(&d->reading);
	rt_buf_release(&d->note);
	rt_buf_release(&d->ids);
	rt_buf_release(&d->held);
	rt_buf_release(&d->held_ids);
	rt_buf_release(&d->groups);
	rt_map_release(&d->numbers);
	rt_buf_release(&d->line);
	rt_buf_release(&d->scratch);
}

enum rt_status rt_decide(const struct rt_options *options, const struct rt_decide *ask,
			 struct rt_style style, const struct rt_sink *sink,
			 struct rt_decide_counts *ret_counts, struct rt_error *err)
{
	struct deciding d = {.reading = {.options = options,
					 .terms = ask->terms,
					 .term_count = ask->term_count,
					 .at = ask->at,
					 .needs_notes = true},
			     .fault = {RT_OK, err},
			     .options = options,
			     .ask = ask,
			     .style = style};

	prepare(&d);
	read_issues(&d);
	carry_out(&d, sink);
	if (d.fault.status == RT_OK)
		*ret_counts = d.counts;
	release(&d);
	return d.fault.status;
}
