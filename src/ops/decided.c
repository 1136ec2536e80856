/*
 * Finds out what was decided about an issue by executing the entries that mention it, one after
 * another, and writes that down.
 */
#include "ops/decided.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/put.h"
#include "base/utf8.h"

/* As it is in the spool, without what is borrowed; texts and notes follow. */
struct head {
	struct rt_decision_now now;
	bool has_severity;
	uint32_t severity_len, at_len;
	size_t bytes; /* of all that follows */
};

/* A note as it is there, before its texts. */
struct note_head {
	uint32_t by, at_len, len;
};

void rt_decided_init(struct rt_decided *decided)
{
	rt_spool_init(&decided->spool);
}

void rt_decided_release(struct rt_decided *decided)
{
	rt_spool_release(&decided->spool);
	rt_buf_release(&decided->window.buf);
	rt_buf_release(&decided->issues);
	rt_buf_release(&decided->line);
	rt_buf_release(&decided->scratch);
}

/* --- Keeping ------------------------------------------------------------------------------- */

/* Execute the updates. added: gets the numbers of those that add a note, of uint32_t. */
static enum rt_status execute(struct rt_effects *effects, struct head *head, struct rt_buf *added,
			      struct rt_error *err)
{
	int8_t base = effects->after.severity;

	while (rt_effects_next(effects)) {
		const struct rt_issue_state *was = &effects->before, *is = &effects->after;
		const struct rt_step *step = &effects->step;
		uint32_t by = effects->number + 1;

		head->now.said[RT_DECIDED_SEVERITY] |= step->severity != RT_REQUEST_KEEP;
		head->now.said[RT_DECIDED_FALSE_POSITIVE] |=
		    step->false_positive != RT_REQUEST_KEEP;
		head->now.said[RT_DECIDED_EXPLOITABLE] |= step->exploitable != RT_REQUEST_KEEP;
		if (is->severity != was->severity)
			head->now.by[RT_DECIDED_SEVERITY] = by;
		if (is->false_positive != was->false_positive)
			head->now.by[RT_DECIDED_FALSE_POSITIVE] = by;
		if (is->exploitable != was->exploitable)
			head->now.by[RT_DECIDED_EXPLOITABLE] = by;
		if (step->notes.len && rt_buf_append(added, &by, sizeof(by), err) != RT_OK)
			return RT_FATAL;
	}
	head->now.values[RT_DECIDED_SEVERITY] =
	    effects->after.severity == base ? RT_STATE_OTHER : effects->after.severity;
	head->now.values[RT_DECIDED_FALSE_POSITIVE] =
	    effects->after.false_positive ? 1 : RT_STATE_OTHER;
	head->now.values[RT_DECIDED_EXPLOITABLE] = effects->after.exploitable == RT_STATE_OTHER
						       ? RT_STATE_OTHER
						       : effects->after.exploitable == 1;
	return RT_OK;
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

/* Put bytes as they are in memory. */
static void put_raw(struct rt_put *line, const void *data, size_t len)
{
	rt_put(line, rt_slice_make(data, len));
}

/* Append a note of the state. One that is longer than a request allows counts as several. */
static void put_note(struct rt_put *line, struct rt_slice at, struct rt_slice text, uint32_t by,
		     struct head *head)
{
	/* Times have no escapes; what has is none. */
	struct note_head note = {
	    .by = by, .at_len = at.len > 2 && at.ptr[0] == '"' ? (uint32_t)at.len - 2 : 0};

	while (text.len) {
		struct rt_slice part = first_part(text);

		note.len = (uint32_t)part.len;
		put_raw(line, &note, sizeof(note));
		put_raw(line, at.ptr + 1, note.at_len);
		rt_put(line, part);
		text = rt_slice_make(text.ptr + part.len, text.len - part.len);
		head->now.notes++;
	}
}

/* Append the notes of the state: those of the export, then those that updates have added. */
static enum rt_status put_notes(struct rt_decided *decided, const struct rt_finding *finding,
				const struct rt_buf *added, struct head *head, struct rt_error *err)
{
	struct rt_put line = {&decided->line, err, RT_OK};
	struct rt_slice at = finding->notes, time, text;
	uint32_t own = (uint32_t)(added->len / sizeof(uint32_t)), count = 0, first;
	enum rt_status status;

	while ((status = rt_notes_next(&at, &decided->scratch, &time, &text, err)) == RT_OK)
		count++;
	if (status != RT_END)
		return status;
	first = count > own ? count - own : 0;
	at = finding->notes;
	status = RT_OK;
	for (uint32_t i = 0; status == RT_OK && i < count; i++) {
		uint32_t by = 0;

		status = rt_notes_next(&at, &decided->scratch, &time, &text, err);
		if (i >= first)
			memcpy(&by, added->data + (i - first) * sizeof(by), sizeof(by));
		if (status == RT_OK)
			put_note(&line, time, text, by, head);
	}
	return status == RT_OK ? line.status : status;
}

/* Append what the export has. */
static enum rt_status put_base(struct rt_decided *decided, const struct rt_record *base,
			       struct head *head, struct rt_error *err)
{
	struct rt_finding finding = rt_finding_of(base, (struct rt_slice){0}, 0);
	struct rt_slice text;

	if (rt_finding_text(&finding, RT_M_SEVERITY, &decided->scratch, &text, err) != RT_OK ||
	    rt_buf_append(&decided->line, text.ptr, text.len, err) != RT_OK)
		return RT_FATAL;
	head->has_severity = text.ptr != NULL;
	head->severity_len = (uint32_t)text.len;
	if (rt_finding_text(&finding, RT_M_UPDATED_AT, &decided->scratch, &text, err) != RT_OK)
		return RT_FATAL;
	head->at_len = (uint32_t)text.len;
	return rt_buf_append(&decided->line, text.ptr, text.len, err);
}

static bool is_decided(const struct head *head)
{
	bool any = head->now.notes > 0;

	for (int f = 0; f < RT_DECIDED_FIELDS; f++)
		any |= head->now.said[f] || head->now.values[f] != RT_STATE_OTHER;
	return any;
}

static enum rt_status keep(struct rt_decided *decided, const struct head *head, uint32_t index,
			   struct rt_error *err)
{
	struct rt_sink into = rt_spool_sink(&decided->spool);
	struct rt_decided_issue issue = {.offset = (decided->spool.filed + decided->spool.buf.len) &
						   0xFFFFFFFFFFFF,
					 .index = index,
					 .new = UINT32_MAX};

	memcpy(decided->line.data, head, sizeof(*head));
	if (rt_buf_append(&decided->issues, &issue, sizeof(issue), err) != RT_OK)
		return RT_FATAL;
	return into.write(into.ctx, decided->line.data, decided->line.len, err);
}

enum rt_status rt_decided_add(struct rt_decided *decided, struct rt_state *state,
			      struct rt_finding *finding, int64_t at, struct rt_error *err)
{
	struct head head = {.bytes = 0};
	struct rt_buf added = {0};
	const struct rt_record *base;
	struct rt_effects effects = rt_state_effects(state, &base);
	enum rt_status status;

	decided->line.len = 0;
	status = rt_buf_append(&decided->line, &head, sizeof(head), err);
	if (status == RT_OK)
		status = execute(&effects, &head, &added, err);
	if (status == RT_OK)
		status = rt_state_decide(state, at, true, finding, err);
	if (status == RT_OK)
		status = put_base(decided, base, &head, err);
	if (status == RT_OK)
		status = put_notes(decided, finding, &added, &head, err);
	head.now.expired = finding->status == RT_STATUS_EXPIRED;
	head.bytes = decided->line.len - sizeof(head);
	if (status == RT_OK && is_decided(&head))
		status = keep(decided, &head, (uint32_t)finding->number, err);
	rt_buf_release(&added);
	return status;
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

enum rt_status rt_decided_get(struct rt_decided *decided, const struct rt_decided_issue *issue,
			      struct rt_decision_now *ret_decision, struct rt_error *err)
{
	struct head head;
	const char *at, *from;

	if (rt_spool_read(&decided->spool, issue->offset, sizeof(head), &decided->window, &at,
			  err) != RT_OK)
		return RT_FATAL;
	memcpy(&head, at, sizeof(head));
	if (rt_spool_read(&decided->spool, issue->offset, sizeof(head) + head.bytes,
			  &decided->window, &at, err) != RT_OK)
		return RT_FATAL;
	from = at;
	at += sizeof(head);
	*ret_decision = head.now;
	ret_decision->base_severity = cut(&at, head.severity_len);
	if (!head.has_severity)
		ret_decision->base_severity.ptr = NULL;
	ret_decision->updated_at = cut(&at, head.at_len);
	ret_decision->rest = rt_slice_make(at, (size_t)(from + sizeof(head) + head.bytes - at));
	return RT_OK;
}

struct rt_decided_note rt_decided_note(struct rt_slice *rest)
{
	struct rt_decided_note note;
	struct note_head head;
	const char *at = rest->ptr, *end = rt_slice_end(*rest);

	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	note.by = head.by;
	note.at = cut(&at, head.at_len);
	note.text = cut(&at, head.len);
	*rest = rt_slice_make(at, (size_t)(end - at));
	return note;
}
