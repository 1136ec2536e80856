/*
 * A state that is held to answer from. Think of a table of places: where each issue is in a
 * spool, and, of those that updates have changed, what they are now. An answer reads the issue
 * again and lays that over it; an update is an entry in the journal first, and only then so here.
 */
#include "state/service.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/instant.h"
#include "engine/edit.h"
#include "engine/ruleset.h"
#include "engine/summary.h"
#include "files/files.h"
#include "output/answers.h"
#include "source/parts.h"
#include "state/results.h"
#include "state/state.h"
#include "state/store.h"

/* --- Updated issues --------------------------------------------------------------------------- */

/* An issue that has been updated. */
struct touched {
	struct rt_issue_state state; /* after all updates */
	char at[RT_INSTANT_CHARS];   /* the time of the one that changed it last */
	uint32_t last_note;          /* in the service's notes; NO_NOTE: none was added */
};

/* A note that an update has added to an issue. */
struct added_note {
	uint32_t before; /* the one before it, or NO_NOTE */
	uint32_t len;
	size_t at; /* in the service's note_text, where all issues of an update have one text */
};

#define NO_NOTE UINT32_MAX

/* Lay what was kept over the issue's record. */
static void lay_over(const struct touched *touched, struct rt_state_texts *texts,
		     struct rt_record *record)
{
	rt_issue_state_lay(&touched->state, rt_slice_make(touched->at, sizeof(touched->at)), texts,
			   record);
}

/* --- The service ------------------------------------------------------------------------------ */

/* Milliseconds between two looks at a folder, which takes one at each file. */
#define FOLDER_LOOK_MS 1000u

struct rt_service {
	struct rt_state *state; /* its records only while loading */
	uint64_t stamp;         /* of the export's files as they were read */
	bool is_folder;         /* there are several */
	uint64_t look_due;      /* of rt_clock_ms(): when readers look at a folder again */
	struct rt_store *store;
	struct rt_buf
	    touched; /* of struct touched; an issue's mark in the store is 1 + its place */
	struct rt_summary summary;
	struct rt_state_texts *recent; /* of summary.recent, by its order */
	struct rt_buf text;            /* a severity without its escapes */
	struct rt_issue_edits edits;   /* of the current record */
	struct rt_patches patches;
	struct rt_buf notes;     /* of struct added_note */
	struct rt_buf note_text; /* items of notes arrays */
	struct rt_buf earlier;   /* items of the notes that an issue has got so far */
	size_t *step_notes;      /* while loading: by update, where its note is, and its end */
	uint64_t entries;
};

/* The issue with a number, or NULL where no update has changed it. */
static struct touched *touched_find(const struct rt_service *s, uint32_t number)
{
	uint32_t place = *rt_store_mark(s->store, number);

	return place ? (struct touched *)(void *)s->touched.data + place - 1 : NULL;
}

/* Make room for count more issues, each with a note, so that touching them cannot fail. */
static enum rt_status touched_reserve(struct rt_service *s, size_t count, struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(&s->touched, count * sizeof(struct touched), err);

	if (s->notes.len / sizeof(struct added_note) + count >= NO_NOTE)
		return rt_error_set(err, RT_E_LIMIT, "more than 2^32 - 2 notes were added");
	return status == RT_OK ? rt_buf_reserve(&s->notes, count * sizeof(struct added_note), err)
			       : status;
}

/* Keep the state of an issue; room has been made. at: when it was updated, as SPEC D16 has it. */
static struct touched *touched_set(struct rt_service *s, uint32_t number,
				   const struct rt_issue_state *state, struct rt_slice at)
{
	struct touched *touched = touched_find(s, number);

	if (!touched) {
		touched = (void *)(s->touched.data + s->touched.len);
		assert(touched);
		touched->last_note = NO_NOTE;
		s->touched.len += sizeof(*touched);
		*rt_store_mark(s->store, number) = (uint32_t)(s->touched.len / sizeof(*touched));
	}
	touched->state = *state;
	memcpy(touched->at, at.ptr, sizeof(touched->at));
	return touched;
}

/* Note that an update adds a note to an issue; from, to: where its text is; room has been made. */
static void add_note(struct rt_service *s, struct touched *touched, size_t from, size_t to)
{
	const struct added_note note = {touched->last_note, (uint32_t)(to - from), from};

	touched->last_note = (uint32_t)(s->notes.len / sizeof(note));
	memcpy(s->notes.data + s->notes.len, &note, sizeof(note));
	s->notes.len += sizeof(note);
}

/* --- Loading ----------------------------------------------------------------------------- */

/* Answers have the flag as it is, so that nobody asks whether a dismissal has expired. */
static enum rt_status count(struct rt_service *s, const struct rt_record *issue,
			    struct rt_error *err)
{
	struct rt_finding finding = rt_finding_of(issue, (struct rt_slice){0}, 0);

	return rt_summary_add(&s->summary, &finding, err);
}

/* Take in the notes that the journal adds to an issue, which has been touched. */
static enum rt_status load_notes(struct rt_service *s, struct rt_effects effects, uint32_t number,
				 struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && rt_effects_next(&effects)) {
		const size_t *at = &s->step_notes[effects.number];

		status = touched_reserve(s, 1, err);
		if (status == RT_OK && at[1] > at[0])
			add_note(s, touched_find(s, number), at[0], at[1]);
	}
	return status;
}

/* Take in one record as the journal has left it. */
static enum rt_status take_record(struct rt_service *s, const struct rt_record *record,
				  uint32_t target, struct rt_error *err)
{
	const struct rt_plan *plan = rt_state_history(s->state)->plan;
	struct rt_fault fault = {rt_store_add(s->store, record, err), err};
	struct rt_issue_state state = {.changed_by = RT_PLAN_NONE};
	struct rt_state_texts texts;
	struct rt_record updated;
	uint32_t number;

	if (fault.status != RT_OK || record->kind != RT_KIND_ISSUE)
		return fault.status;
	if (target != RT_PLAN_NONE) {
		state = rt_issue_state_of(record);
		rt_issue_state_run(&state, plan, target);
	}
	if (state.changed_by != RT_PLAN_NONE &&
	    RT_STEP(&fault, touched_reserve(s, 1, err)) == RT_OK) {
		updated = *record;
		number = rt_store_issues(s->store) - 1;
		lay_over(touched_set(s, number, &state, rt_issue_state_at(&state, plan)), &texts,
			 &updated);
		record = &updated;
		RT_STEP(&fault, load_notes(s, rt_effects_of(plan, target, &state), number, err));
	}
	return RT_STEP(&fault, count(s, record, err));
}

static enum rt_status take_records(struct rt_service *s, struct rt_error *err)
{
	enum rt_status status = rt_store_new(&s->store, err);
	const struct rt_record *record;
	uint32_t target;

	while (status == RT_OK &&
	       (status = rt_state_next_base(s->state, &record, &target, err)) == RT_OK)
		status = take_record(s, record, target, err);
	return status == RT_END ? RT_OK : status;
}

/* Take in the notes of the journal's updates. */
static enum rt_status prepare_notes(struct rt_service *s, struct rt_error *err)
{
	const struct rt_plan *plan = rt_state_history(s->state)->plan;
	struct rt_put put = {&s->note_text, err, RT_OK};
	uint32_t steps = rt_plan_steps(plan);

	s->step_notes = calloc((size_t)steps + 1, sizeof(*s->step_notes));
	if (!s->step_notes)
		return rt_error_nomem(err);
	for (uint32_t i = 0; i < steps; i++) {
		struct rt_step step = rt_plan_step(plan, i);

		if (step.notes.len)
			rt_issue_note_put(&put, &step);
		s->step_notes[i + 1] = s->note_text.len;
	}
	return put.status;
}

/* Read the export, and hold it against the journal. */
static enum rt_status load(struct rt_service *s, struct rt_slice at, struct rt_error *err)
{
	const struct rt_options *options = rt_state_options(s->state);
	struct rt_fault fault = {RT_OK, err};

	RT_STEP(&fault, rt_state_open_journal(s->state, RT_JOURNAL_APPEND, err));
	RT_STEP(&fault, rt_state_read(s->state, err));
	RT_STEP(&fault, rt_summary_init(&s->summary, RT_RECENT_DEFAULT, &options->limits,
					rt_dataset_key(rt_state_dataset(s->state)), err));
	RT_STEP(&fault, prepare_notes(s, err));
	RT_STEP(&fault, take_records(s, err));
	RT_STEP(&fault, rt_state_settle(s->state, err));
	if (fault.status == RT_OK && rt_state_begin(s->state, at, err) != RT_OK) {
		rt_error_at(err, options->journal, NULL);
		fault.status = RT_FATAL;
	}
	return fault.status;
}

/* After loading: what was only for it goes, before anything else is allocated, which would hold the
 * memory back from the system; and the rest is brought into its form. */
static enum rt_status settle(struct rt_service *s, struct rt_error *err)
{
	struct rt_history *history = rt_state_history(s->state);

	rt_summary_sort(&s->summary);
	s->stamp = rt_parts_stamp(rt_dataset_reader(rt_state_dataset(s->state))->view.parts);
	s->entries = rt_plan_steps(history->plan);
	rt_state_end(s->state);
	rt_plan_free(history->plan);
	history->plan = NULL;
	free(s->step_notes);
	s->step_notes = NULL;
	s->recent = calloc(RT_RECENT_DEFAULT, sizeof(*s->recent));
	return s->recent ? RT_OK : rt_error_nomem(err);
}

enum rt_status rt_service_open(const struct rt_options *options, struct rt_slice at,
			       struct rt_service **ret_service, struct rt_error *err)
{
	const struct rt_state_extras extras = {.again = true};
	struct rt_service *s = calloc(1, sizeof(*s));
	struct rt_fault fault = {RT_OK, err};
	struct stat st;

	if (!s)
		return rt_error_nomem(err);
	s->is_folder =
	    options->path_count && stat(options->paths[0], &st) == 0 && S_ISDIR(st.st_mode);
	RT_STEP(&fault, rt_state_new(options, &extras, &s->state, err));
	RT_STEP(&fault, load(s, at, err));
	if (RT_STEP(&fault, settle(s, err)) != RT_OK) {
		rt_service_free(s);
		return RT_FATAL;
	}
	*ret_service = s;
	return RT_OK;
}

void rt_service_free(struct rt_service *s)
{
	if (!s)
		return;
	rt_store_free(s->store);
	rt_buf_release(&s->touched);
	rt_summary_release(&s->summary);
	rt_state_free(s->state);
	rt_buf_release(&s->text);
	rt_issue_edits_release(&s->edits);
	rt_patches_release(&s->patches);
	rt_buf_release(&s->notes);
	rt_buf_release(&s->note_text);
	rt_buf_release(&s->earlier);
	free(s->step_notes);
	free(s->recent);
	free(s);
}

/* --- The export on disk ------------------------------------------------------------------ */

/*
 * Whether the export is as it was read: answers are of what was read, and the journal needs its
 * base.
 */
static enum rt_status check_export(const struct rt_service *s, struct rt_error *err)
{
	const struct rt_options *options = rt_state_options(s->state);
	uint64_t stamp;
	enum rt_status status = rt_files_look(options, &stamp, err);

	if (status == RT_OK && stamp == s->stamp)
		return RT_OK;
	/* Too many connections are open, or memory is out: the next look tells. */
	if (status == RT_FATAL &&
	    (err->code == RT_E_NOMEM || err->sys == EMFILE || err->sys == ENFILE))
		return RT_OK;
	/* A wrong path, too, is a change: it was right. */
	if (status != RT_FATAL || err->code == RT_E_USAGE)
		(void)rt_error_set(err, RT_E_IO, "the export has changed since it was read");
	rt_error_at(err, options->paths[0], NULL);
	return RT_FATAL;
}

enum rt_status rt_service_look(struct rt_service *s, struct rt_error *err)
{
	if (s->is_folder) {
		uint64_t now = rt_clock_ms();

		if (now < s->look_due)
			return RT_OK;
		s->look_due = now + FOLDER_LOOK_MS;
	}
	return check_export(s, err);
}

bool rt_service_has_changed(const struct rt_error *err)
{
	return err->code == RT_E_IO && err->sys == 0;
}

/* --- Updates ----------------------------------------------------------------------------- */

/* An issue that the current update mentions and the export has. */
struct hit {
	uint32_t number, target;
	struct rt_issue_state before, after;
	struct rt_count *other; /* of the severity it leaves, where that is no level */
};

/* One update under way. */
struct update {
	struct rt_service *service;
	const struct rt_request *request;
	struct rt_plan *plan; /* of this update alone */
	struct rt_results *results;
	struct hit hits[RT_REQUEST_IDS_MAX];
	size_t hit_count;
	size_t note_at; /* of its note, in the service's note_text: the last one there */
	uint64_t room;  /* bytes that the result may have */
	struct rt_fault fault;
};

/* The update's note as an item of notes; empty: it has none. */
static struct rt_slice note_of(const struct update *u)
{
	return rt_slice_make(u->service->note_text.data + u->note_at,
			     u->service->note_text.len - u->note_at);
}

/*
 * Find what an issue is counted under that gets a level and had none: the export's text, since an
 * update only ever sets levels.
 */
static void find_other(struct update *u, struct hit *hit, const struct rt_record *issue)
{
	struct rt_service *s = u->service;
	struct rt_slice text;

	if (hit->before.severity != RT_STATE_OTHER || hit->after.severity == RT_STATE_OTHER)
		return;
	if (RT_STEP(&u->fault,
		    rt_summary_text(issue, RT_M_SEVERITY, &s->text, &text, u->fault.err)) == RT_OK)
		hit->other = rt_counts_find(&s->summary.severities, text);
}

/*
 * Whether the update can be carried out on an issue's record: what the journal says must be what an
 * export can hold. s->earlier: the notes before the update's.
 */
static void check_fit(struct update *u, const struct hit *hit, const struct rt_record *issue)
{
	struct rt_service *s = u->service;
	struct rt_slice note = note_of(u), at = rt_issue_state_at(&hit->after, u->plan);
	struct rt_issue_state base = rt_issue_state_of(issue);
	struct rt_error *err = u->fault.err;
	bool both = s->earlier.len && note.len;

	if (hit->after.changed_by == RT_PLAN_NONE)
		return;
	RT_STEP(&u->fault, RT_BUF_PUT(&s->earlier, err, rt_slice_make(",", both), note));
	RT_STEP(&u->fault, rt_issue_edits_to(&s->edits, &base, &hit->after, at,
					     rt_buf_slice(&s->earlier), err));
	rt_patches_release(&s->patches);
	RT_STEP(&u->fault, rt_edit_object(issue->text, s->edits.edits, s->edits.count, 0, 0,
					  &s->patches, err));
	RT_STEP(&u->fault, rt_edit_fits(issue->text, &s->patches, 0,
					rt_state_options(s->state)->limits.record_bytes, err));
	if (u->fault.status == RT_REJECT)
		(void)snprintf(err->record, sizeof(err->record), "issue \"%.*s\"",
			       rt_slice_shown(issue->id, 100), issue->id.ptr);
}

/* The notes that updates have added to an issue so far, in s->earlier. */
static enum rt_status gather_notes(struct rt_service *s, uint32_t last, struct rt_error *err)
{
	const struct added_note *notes = (const void *)s->notes.data;
	enum rt_status status;
	size_t len = 0;

	for (uint32_t i = last; i != NO_NOTE; i = notes[i].before)
		len += notes[i].len + 1;
	s->earlier.len = 0;
	status = rt_buf_reserve(&s->earlier, len, err);
	if (status != RT_OK || !len)
		return status;
	s->earlier.len = len - 1;
	/* They come from the newest to the oldest. */
	for (uint32_t i = last; i != NO_NOTE; i = notes[i].before) {
		len -= notes[i].len + 1;
		memcpy(s->earlier.data + len, s->note_text.data + notes[i].at, notes[i].len);
		if (len)
			s->earlier.data[len - 1] = ',';
	}
	return RT_OK;
}

/* Work out what the update does to an issue that has been read. */
static void take_hit(struct update *u, struct hit *hit, const struct rt_record *issue)
{
	struct rt_service *s = u->service;
	const struct touched *touched = touched_find(s, hit->number);
	struct rt_record now = *issue;
	struct rt_state_texts texts;

	if (touched)
		lay_over(touched, &texts, &now);
	hit->before = hit->after = rt_issue_state_of(&now);
	rt_issue_state_run(&hit->after, u->plan, hit->target);
	find_other(u, hit, issue);
	RT_STEP(&u->fault, gather_notes(s, touched ? touched->last_note : NO_NOTE, u->fault.err));
	RT_STEP(&u->fault, rt_results_keep(u->results, hit->target, &now, rt_buf_slice(&s->earlier),
					   u->fault.err));
	check_fit(u, hit, issue);
}

static enum rt_status check_room(const struct update *u, uint64_t bytes)
{
	if (bytes < u->room)
		return RT_OK;
	return rt_error_set(u->fault.err, RT_E_LIMIT,
			    "want a result of fewer than %" PRIu64 " bytes, have %" PRIu64, u->room,
			    bytes);
}

/* Read the issues that are mentioned, as they are now. */
static enum rt_status find_hits(struct update *u)
{
	struct rt_service *s = u->service;
	uint32_t targets = u->fault.status == RT_OK ? rt_plan_targets(u->plan) : 0;
	uint64_t bytes = 0;

	for (uint32_t target = 0; u->fault.status == RT_OK && target < targets; target++) {
		struct hit *hit = &u->hits[u->hit_count];
		const struct rt_record *issue;

		hit->target = target;
		if (RT_STEP(&u->fault, rt_store_find(s->store, rt_plan_id(u->plan, target),
						     &hit->number, &issue, u->fault.err)) != RT_OK)
			rt_error_at(u->fault.err, rt_state_options(s->state)->paths[0], NULL);
		if (u->fault.status != RT_OK || hit->number == RT_STORE_NONE)
			continue;
		u->hit_count++;
		/* Long before the result is made: what it takes while it is made is bounded as
		 * well. */
		bytes += issue->id.len;
		for (size_t i = 0; i < RT_ISSUE_MEMBERS; i++)
			bytes += issue->values[i].len;
		if (RT_STEP(&u->fault, check_room(u, bytes)) == RT_OK)
			take_hit(u, hit, issue);
	}
	return u->fault.status;
}

/* Append the update to the journal, and flush it. */
static enum rt_status write_entry(struct update *u, const struct rt_result *result,
				  struct rt_slice actor, struct rt_slice at, struct rt_error *err)
{
	struct rt_journal *journal = rt_state_history(u->service->state)->journal;
	struct rt_journal_entry entry = {
	    .at = at,
	    .actor = actor,
	    .request = *u->request,
	    .updated_count = result->updated_count,
	    .failed_count = result->failed_count,
	};

	rt_sha256_of(result->text, entry.result_sha256);
	if (rt_results_notes(u->results, 0, entry.notes_sha256, err) != RT_OK ||
	    rt_journal_add(journal, &entry, err) != RT_OK)
		return RT_FATAL;
	if (rt_journal_commit(journal, err) == RT_OK)
		return RT_OK;
	/* Some of it may be on disk: that is no lack of memory after which others may follow. */
	if (err->code == RT_E_NOMEM)
		err->code = RT_E_IO;
	return RT_FATAL;
}

/* Bring the counts from the issue's state before the update to the one after it. */
static void recount(const struct update *u, const struct hit *hit)
{
	struct rt_summary *summary = &u->service->summary;

	summary->false_positives += (uint64_t)hit->after.false_positive;
	summary->false_positives -= (uint64_t)hit->before.false_positive;
	if (hit->after.severity == hit->before.severity)
		return;
	summary->levels[hit->after.severity]++;
	if (hit->before.severity != RT_STATE_OTHER)
		summary->levels[hit->before.severity]--;
	else if (hit->other && hit->other->count)
		hit->other->count--;
}

/* Bring a recent issue up to date, if this is one. */
static void refresh_recent(const struct update *u, const struct hit *hit, struct rt_slice at)
{
	struct rt_service *s = u->service;

	for (size_t i = 0; i < s->summary.recent.count; i++) {
		struct rt_issue *issue = s->summary.recent.issues[i];

		if (!rt_slice_equal(issue->id, rt_plan_id(u->plan, hit->target)))
			continue;
		for (size_t m = 0; m < RT_STATE_MEMBERS; m++) {
			struct rt_slice text =
			    rt_issue_state_text(&hit->after, &hit->before, at, rt_state_members[m],
						s->recent[i].each[m]);

			if (text.ptr)
				issue->values[rt_state_members[m]] = text;
		}
	}
}

/* The entry is on disk: make the update the state, which cannot fail. */
static void make_so(const struct update *u, struct rt_slice at)
{
	struct rt_service *s = u->service;
	bool has_note = note_of(u).len > 0;

	for (size_t i = 0; i < u->hit_count; i++) {
		const struct hit *hit = &u->hits[i];
		struct touched *touched;

		if (hit->after.changed_by == RT_PLAN_NONE)
			continue;
		touched = touched_set(s, hit->number, &hit->after, at);
		if (has_note)
			add_note(s, touched, u->note_at, s->note_text.len);
		recount(u, hit);
		refresh_recent(u, hit, at);
	}
	s->entries++;
}

/* Begin with an update: its plan, its note and room for its results. */
static void update_start(struct update *u, struct rt_slice at)
{
	struct rt_error *err = u->fault.err;
	struct rt_step step = {.at = at, .notes = u->request->notes};
	struct rt_put put = {&u->service->note_text, err, RT_OK};

	RT_STEP(&u->fault, rt_plan_new(&u->plan, err));
	RT_STEP(&u->fault, rt_plan_add(u->plan, u->request, at, err));
	if (step.notes.len)
		rt_issue_note_put(&put, &step);
	RT_STEP(&u->fault, put.status);
	RT_STEP(&u->fault, rt_results_new(u->plan, 1, true, &u->results, err));
}

enum rt_status rt_service_update(struct rt_service *s, const struct rt_request *request,
				 struct rt_slice actor, struct rt_slice at, uint64_t room,
				 struct rt_buf *out, struct rt_error *err)
{
	struct update u = {.service = s,
			   .request = request,
			   .note_at = s->note_text.len,
			   .room = room,
			   .fault = {RT_OK, err}};
	size_t had = out->len;
	struct rt_result result;

	update_start(&u, at);
	(void)find_hits(&u);
	RT_STEP(&u.fault, rt_results_run(u.results, 0, &result, err));
	RT_STEP(&u.fault, check_room(&u, result.text.len));
	RT_STEP(&u.fault, RT_BUF_PUT(out, err, result.text, RT_SLICE("\n")));
	RT_STEP(&u.fault, touched_reserve(s, u.hit_count, err));
	RT_STEP(&u.fault, check_export(s, err));
	if (RT_STEP(&u.fault, write_entry(&u, &result, actor, at, err)) == RT_OK)
		make_so(&u, at);
	else
		out->len = had;
	if (u.fault.status != RT_OK || !u.hit_count)
		s->note_text.len = u.note_at;
	rt_results_free(u.results);
	rt_plan_free(u.plan);
	return u.fault.status;
}

/* --- Answers ----------------------------------------------------------------------------- */

/* A writer of an answer. */
static struct rt_writer *open_answer(struct rt_buf *out, struct rt_fault *fault)
{
	const struct rt_sink into = rt_buf_sink(out);
	struct rt_writer *writer = NULL;

	RT_STEP(fault, rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON}, &into, &writer,
				      fault->err));
	return writer;
}

static enum rt_status close_answer(struct rt_writer *writer, struct rt_fault *fault)
{
	RT_STEP(fault, rt_writer_finish(writer, fault->err));
	rt_writer_free(writer);
	return fault->status;
}

enum rt_status rt_service_summary(struct rt_service *s, struct rt_buf *out, struct rt_error *err)
{
	struct rt_fault fault = {RT_OK, err};
	struct rt_writer *writer = open_answer(out, &fault);

	if (writer)
		rt_answer_summary(writer, &s->summary);
	return close_answer(writer, &fault);
}

enum rt_status rt_service_rulesets(struct rt_service *s, struct rt_slice repo_id,
				   struct rt_buf *out, struct rt_error *err)
{
	struct rt_fault fault = {RT_OK, err};
	struct rt_writer *writer = open_answer(out, &fault);
	struct rt_buf scratch = {0};

	if (writer)
		RT_WRITE(writer, "[");
	for (uint32_t i = 0; fault.status == RT_OK && i < rt_store_rulesets(s->store); i++) {
		const struct rt_record *ruleset;
		bool matches = false;

		if (RT_STEP(&fault, rt_store_ruleset(s->store, i, &ruleset, err)) != RT_OK)
			rt_error_at(err, rt_state_options(s->state)->paths[0], NULL);
		RT_STEP(&fault,
			rt_ruleset_matches(ruleset, repo_id, false, &scratch, &matches, err));
		if (matches)
			rt_answer_ruleset(writer, ruleset);
	}
	if (fault.status == RT_OK)
		RT_WRITE(writer, "]");
	rt_buf_release(&scratch);
	return close_answer(writer, &fault);
}

uint64_t rt_service_issues(const struct rt_service *s)
{
	return rt_store_issues(s->store);
}

uint64_t rt_service_entries(const struct rt_service *s)
{
	return s->entries;
}
