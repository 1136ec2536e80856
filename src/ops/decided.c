/*
 * Finds out what was decided about an issue by executing the entries that mention it, one after
 * another, and writes that down.
 */
#include "ops/decided.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"

/* As it is in the spool, without what is borrowed; texts and notes follow. */
struct head {
	struct rt_decision_now now;
	bool has_severity;
	uint32_t severity_len, at_len;
};

/* A note as it is there, before its texts. */
struct note_head {
	uint32_t by, at_len, len;
	bool dismisses, comment;
};

/* Where a note comes from: as struct rt_decided_note has it. */
struct added {
	uint32_t by;
	bool dismisses, comment;
};

void rt_decided_init(struct rt_decided *decided, struct rt_fault *fault)
{
	*decided = (struct rt_decided){.fault = fault};
	rt_spool_init(&decided->spool);
}

void rt_decided_release(struct rt_decided *decided)
{
	rt_spool_release(&decided->spool);
	rt_buf_release(&decided->window.buf);
	rt_buf_release(&decided->issues);
	rt_buf_release(&decided->line);
	rt_buf_release(&decided->scratch);
	rt_buf_release(&decided->added);
}

/* --- Keeping ------------------------------------------------------------------------------- */

/* Append bytes as they are in memory. */
static void put_raw(struct rt_decided *decided, struct rt_buf *out, const void *data, size_t len)
{
	RT_STEP(decided->fault, rt_buf_append(out, data, len, decided->fault->err));
}

/* Execute the updates. decided->added gets those that add a note, of struct added. */
static void execute(struct rt_decided *decided, struct rt_effects *effects,
		    const struct rt_record *record, struct head *head)
{
	int8_t base = effects->after.severity;
	int flag;

	head->now.rated = record->rated.ptr && base != RT_STATE_OTHER;
	flag = effects->after.false_positive || record->reopened ? effects->after.false_positive
								 : RT_STATE_OTHER;
	decided->added.len = 0;
	while (rt_effects_next(effects)) {
		const struct rt_issue_state *was = &effects->before, *is = &effects->after;
		const struct rt_step *step = &effects->step;
		uint32_t by = effects->number + 1;
		struct added added = {by, step->false_positive == 1, step->false_positive != 1};

		/* To confirm that an open issue stays open is a decision, too. */
		if (step->false_positive != RT_REQUEST_KEEP && flag != step->false_positive) {
			flag = step->false_positive;
			head->now.by[RT_DECIDED_FALSE_POSITIVE] = by;
		}
		head->now.said[RT_DECIDED_SEVERITY] |= step->severity != RT_REQUEST_KEEP;
		head->now.said[RT_DECIDED_FALSE_POSITIVE] |=
		    step->false_positive != RT_REQUEST_KEEP;
		head->now.said[RT_DECIDED_EXPLOITABLE] |= step->exploitable != RT_REQUEST_KEEP;
		if (is->severity != was->severity)
			head->now.by[RT_DECIDED_SEVERITY] = by;
		if (is->exploitable != was->exploitable)
			head->now.by[RT_DECIDED_EXPLOITABLE] = by;
		if (step->notes.len)
			put_raw(decided, &decided->added, &added, sizeof(added));
	}
	head->now.values[RT_DECIDED_SEVERITY] = effects->after.severity == base && !head->now.rated
						    ? RT_STATE_OTHER
						    : effects->after.severity;
	head->now.values[RT_DECIDED_FALSE_POSITIVE] = flag;
	head->now.values[RT_DECIDED_EXPLOITABLE] = effects->after.exploitable == RT_STATE_OTHER
						       ? RT_STATE_OTHER
						       : effects->after.exploitable == 1;
}

/* As much of a text as a request's note may have, if it can be up to a blank. */
static struct rt_slice first_part(struct rt_slice text)
{
	size_t len = 0, blank = 0;

	for (unsigned points = 0; len < text.len && points < RT_NOTES_POINTS_MAX; points++) {
		size_t one = rt_utf8_length(text.ptr + len, text.len - len);

		if (text.ptr[len] == ' ' || text.ptr[len] == '\n')
			blank = len + 1;
		len += one ? one : 1;
	}
	return rt_slice_make(text.ptr, len < text.len && blank ? blank : len);
}

/* Append a note of the state. One that is longer than a request allows counts as several. */
static void put_note(struct rt_decided *decided, const struct rt_note *said, struct added added,
		     struct head *head)
{
	struct rt_slice at = said->added_at, text = said->text;
	/* Times have no escapes; what has is none. */
	struct note_head note = {
	    .by = added.by,
	    .at_len = at.len > 2 && at.ptr[0] == '"' ? (uint32_t)at.len - 2 : 0,
	    .dismisses = added.dismisses,
	    .comment = added.comment,
	};

	while (text.len) {
		struct rt_slice part = first_part(text);

		note.len = (uint32_t)part.len;
		put_raw(decided, &decided->line, &note, sizeof(note));
		put_raw(decided, &decided->line, at.ptr + 1, note.at_len);
		put_raw(decided, &decided->line, part.ptr, part.len);
		text = rt_slice_make(text.ptr + part.len, text.len - part.len);
		head->now.notes++;
	}
}

/* Append the notes of the state: those of the export, then those that updates have added.
 * dismissed: the export says that it is. */
static void put_notes(struct rt_decided *decided, struct rt_slice notes, bool dismissed,
		      struct head *head)
{
	struct rt_put room = {&decided->scratch, decided->fault->err, decided->fault->status};
	uint32_t own = (uint32_t)(decided->added.len / sizeof(struct added)), count = 0, first;
	struct rt_slice at = notes;
	struct rt_note note;

	while (rt_notes_take(&at, &room, &note))
		count++;
	first = count > own ? count - own : 0;
	at = notes;
	for (uint32_t i = 0; rt_notes_take(&at, &room, &note); i++) {
		struct added added = {0, dismissed && !note.comment && rt_note_dismisses(note.text),
				      note.comment};

		if (i >= first)
			memcpy(&added, decided->added.data + (i - first) * sizeof(added),
			       sizeof(added));
		put_note(decided, &note, added, head);
	}
	if (room.status != RT_OK)
		decided->fault->status = room.status;
}

/* Append a text of the export. ret_len: of it. Returns whether it has one. */
static bool put_text(struct rt_decided *decided, const struct rt_finding *base, enum rt_member m,
		     uint32_t *ret_len)
{
	struct rt_slice text = base->record->rated;

	if (m != RT_M_SEVERITY || !text.ptr)
		RT_STEP(decided->fault,
			rt_finding_text(base, m, &decided->scratch, &text, decided->fault->err));
	put_raw(decided, &decided->line, text.ptr, text.len);
	*ret_len = (uint32_t)text.len;
	return text.ptr;
}

static bool is_decided(const struct head *head)
{
	bool any = head->now.notes > 0;

	for (int f = 0; f < RT_DECIDED_FIELDS; f++)
		any |= head->now.said[f] || head->now.values[f] != RT_STATE_OTHER;
	return any;
}

void rt_decided_add(struct rt_decided *decided, struct rt_state *state, struct rt_finding *finding,
		    int64_t at)
{
	struct rt_fault *fault = decided->fault;
	struct rt_sink into = rt_spool_sink(&decided->spool);
	struct rt_decided_issue issue = {.offset = (decided->spool.filed + decided->spool.buf.len) &
						   0xFFFFFFFFFFFF,
					 .index = (uint32_t)finding->number,
					 .new = UINT32_MAX};
	struct head head = {.severity_len = 0};
	const struct rt_record *record;
	struct rt_effects effects = rt_state_effects(state, &record);
	struct rt_finding base = rt_finding_of(record, (struct rt_slice){0}, 0);

	decided->line.len = 0;
	put_raw(decided, &decided->line, &head, sizeof(head));
	execute(decided, &effects, record, &head);
	RT_STEP(fault, rt_state_decide(state, at, true, finding, fault->err));
	head.has_severity = put_text(decided, &base, RT_M_SEVERITY, &head.severity_len);
	(void)put_text(decided, &base, RT_M_UPDATED_AT, &head.at_len);
	put_notes(decided, finding->notes, !base.open, &head);
	head.now.expired = finding->status == RT_STATUS_EXPIRED;
	head.now.in_tests = finding->reason == RT_REASON_USED_IN_TESTS;
	if (fault->status != RT_OK || !is_decided(&head))
		return;
	memcpy(decided->line.data, &head, sizeof(head));
	put_raw(decided, &decided->issues, &issue, sizeof(issue));
	RT_STEP(fault, into.write(into.ctx, decided->line.data, decided->line.len, fault->err));
}

/* --- Asking -------------------------------------------------------------------------------- */

size_t rt_decided_count(const struct rt_decided *decided)
{
	return decided->issues.len / sizeof(struct rt_decided_issue);
}

struct rt_decided_issue *rt_decided_issue(const struct rt_decided *decided, size_t n)
{
	return (struct rt_decided_issue *)(void *)decided->issues.data + n;
}

static int compare_index(const void *key, const void *element)
{
	uint32_t index = *(const uint32_t *)key;
	const struct rt_decided_issue *issue = element;

	return (index > issue->index) - (index < issue->index);
}

struct rt_decided_issue *rt_decided_find(const struct rt_decided *decided, uint32_t index)
{
	if (decided->issues.len == 0)
		return NULL;
	return bsearch(&index, decided->issues.data, rt_decided_count(decided),
		       sizeof(struct rt_decided_issue), compare_index);
}

static struct rt_slice cut(const char **at, size_t len)
{
	struct rt_slice text = rt_slice_make(*at, len);

	*at += len;
	return text;
}

struct rt_decision_now rt_decided_get(struct rt_decided *decided,
				      const struct rt_decided_issue *issue)
{
	struct rt_fault *fault = decided->fault;
	bool is_last = issue + 1 == rt_decided_issue(decided, rt_decided_count(decided));
	uint64_t end = is_last ? decided->spool.filed + decided->spool.buf.len : issue[1].offset;
	struct head head = {.severity_len = 0};
	const char *at, *from;
	size_t len = (size_t)(end - issue->offset);

	if (RT_STEP(fault, rt_spool_read(&decided->spool, issue->offset, len, &decided->window,
					 &from, fault->err)) != RT_OK)
		return head.now;
	memcpy(&head, from, sizeof(head));
	at = from + sizeof(head);
	head.now.base_severity = cut(&at, head.severity_len);
	if (!head.has_severity)
		head.now.base_severity.ptr = NULL;
	head.now.updated_at = cut(&at, head.at_len);
	head.now.rest = rt_slice_make(at, (size_t)(from + len - at));
	return head.now;
}

struct rt_decided_note rt_decided_note(struct rt_slice *rest)
{
	struct rt_decided_note note;
	struct note_head head;
	const char *at = rest->ptr, *end = rt_slice_end(*rest);

	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	note.by = head.by;
	note.dismisses = head.dismisses;
	note.comment = head.comment;
	note.at = cut(&at, head.at_len);
	note.text = cut(&at, head.len);
	*rest = rt_slice_make(at, (size_t)(end - at));
	return note;
}
