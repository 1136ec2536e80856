/*
 * The state: an export with its journal laid over it. Think of a data set whose records come one by
 * one as the export has them, and of a plan of updates by id that says what became of each.
 */
#include "state/state.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/instant.h"
#include "engine/edit.h"
#include "engine/edit_result.h"
#include "engine/issue_state.h"
#include "files/files.h"
#include "journal/base_digest.h"
#include "scan/items.h"

struct rt_state {
	struct rt_state_extras extras;
	struct rt_hold hold;
	struct rt_options quiet; /* the same without a notice */
	struct rt_dataset *dataset;
	struct rt_history history;
	struct rt_base_digest *digest; /* NULL where nobody asks for it */
	uint8_t sha256[RT_SHA256_BYTES];
	bool settled;                 /* the digest is complete, and that of the base */
	const struct rt_record *base; /* the record delivered last, as the export has it */
	uint32_t target;              /* of its updates, or RT_PLAN_NONE */
	struct rt_record record;      /* a copy with changed members */
	struct rt_state_texts texts;
	struct rt_issue_edits edits;
	struct rt_patches patches;
	struct rt_result_editor editor; /* of results of logs */
	struct rt_buf notes, text, result, scratch;
};

/* --- Export and journal -------------------------------------------------------------------- */

/* Whether one of the paths is a FIFO, which cannot be read twice. */
static bool has_fifo(const struct rt_options *options)
{
	struct stat st;

	for (size_t i = 0; i < options->path_count; i++) {
		if (strcmp(options->paths[i], "-") != 0 && stat(options->paths[i], &st) == 0 &&
		    S_ISFIFO(st.st_mode))
			return true;
	}
	return false;
}

enum rt_status rt_state_new(const struct rt_options *options, const struct rt_state_extras *extras,
			    struct rt_state **ret_state, struct rt_error *err)
{
	struct rt_state *s = calloc(1, sizeof(*s));
	enum rt_status status = RT_OK;

	if (!s)
		return rt_error_nomem(err);
	if (extras)
		s->extras = *extras;
	s->extras.digests = options->journal || (s->extras.digests && !has_fifo(options));
	s->hold = (struct rt_hold){*options, -1};
	/* The digest reads the files beside the data set. */
	if (s->extras.again || s->extras.digests)
		status = rt_hold_init(&s->hold, options, err);
	if (status != RT_OK) {
		rt_state_free(s);
		return status;
	}
	*ret_state = s;
	return RT_OK;
}

enum rt_status rt_state_open_journal(struct rt_state *s, enum rt_journal_mode mode,
				     struct rt_error *err)
{
	const struct rt_options *options = &s->hold.options;
	enum rt_status status = RT_OK;

	if (s->extras.digests)
		status = rt_base_digest_new(options, &s->digest, err);
	if (status != RT_OK)
		return status;
	s->history.keep_results = s->extras.keep_results;
	s->quiet = *options;
	s->quiet.notice = NULL;
	if (s->extras.quiet_journal)
		options = &s->quiet;
	return rt_history_open(&s->history, options->journal, mode, options, err);
}

void rt_state_maker(const struct rt_state *s, uint32_t entry, struct rt_slice *ret_at,
		    struct rt_slice *ret_actor)
{
	struct rt_step step = rt_plan_step(s->history.plan, entry);

	*ret_at = step.made_at;
	*ret_actor = step.maker;
}

enum rt_status rt_state_read(struct rt_state *s, struct rt_error *err)
{
	struct rt_journal_entry entry;
	enum rt_status status;

	while ((status = rt_history_next(&s->history, &entry, err)) == RT_OK) {
		if (s->extras.on_entry)
			status = s->extras.on_entry(s->extras.ctx, &entry, err);
		if (status != RT_OK)
			return RT_FATAL;
	}
	if (status != RT_END)
		return RT_FATAL;
	status = rt_dataset_open(&s->hold.options, RT_KIND_ANY, &s->dataset, err);
	if (status == RT_OK && s->history.journal && !rt_journal_base(s->history.journal))
		rt_dataset_reader(s->dataset)->view.hints.log.begins = true;
	return status;
}

enum rt_status rt_state_open(const struct rt_options *options, const struct rt_state_extras *extras,
			     struct rt_state **ret_state, struct rt_error *err)
{
	struct rt_fault fault = {rt_files_check(options, false, err), err};
	struct rt_state *s = NULL;

	RT_STEP(&fault, rt_state_new(options, extras, &s, err));
	assert(fault.status != RT_OK || s);
	RT_STEP(&fault, rt_state_open_journal(s, RT_JOURNAL_READ, err));
	if (RT_STEP(&fault, rt_state_read(s, err)) != RT_OK) {
		rt_state_free(s);
		return RT_FATAL;
	}
	*ret_state = s;
	return RT_OK;
}

void rt_state_stand(struct rt_state *s, const struct rt_record *record)
{
	s->base = record;
	s->target = RT_PLAN_NONE;
}

void rt_state_end(struct rt_state *s)
{
	rt_dataset_free(s->dataset);
	s->dataset = NULL;
}

void rt_state_free(struct rt_state *s)
{
	if (!s)
		return;
	rt_state_end(s);
	rt_base_digest_free(s->digest);
	rt_history_release(&s->history);
	rt_hold_release(&s->hold);
	rt_issue_edits_release(&s->edits);
	rt_patches_release(&s->patches);
	rt_buf_release(&s->notes);
	rt_buf_release(&s->scratch);
	rt_buf_release(&s->result);
	rt_result_editor_release(&s->editor);
	rt_buf_release(&s->text);
	free(s);
}

void rt_state_blame(const struct rt_state *s, struct rt_error *err)
{
	if (err->code != RT_E_NOMEM && s->dataset)
		rt_dataset_blame(s->dataset, err);
}

const struct rt_options *rt_state_options(const struct rt_state *s)
{
	return &s->hold.options;
}

struct rt_history *rt_state_history(struct rt_state *s)
{
	return &s->history;
}

struct rt_dataset *rt_state_dataset(const struct rt_state *s)
{
	return s->dataset;
}

bool rt_state_digest(const struct rt_state *s, size_t index, uint8_t sha256[RT_SHA256_BYTES],
		     uint64_t *ret_bytes)
{
	if (s->settled)
		*ret_bytes = rt_base_digest_input(s->digest, index, sha256);
	return s->settled;
}

enum rt_status rt_state_check_base(struct rt_state *s, bool whole, struct rt_error *err)
{
	const struct rt_journal_base *base =
	    s->history.journal ? rt_journal_base(s->history.journal) : NULL;
	uint64_t issues = rt_dataset_count(s->dataset, RT_KIND_ISSUE);
	enum rt_status status;

	if (!s->digest)
		return RT_OK;
	if (whole)
		status = rt_base_digest_get(
		    s->digest, rt_parts_stamp(rt_dataset_reader(s->dataset)->view.parts), s->sha256,
		    err);
	else
		status = rt_base_digest_peek(s->digest, s->sha256, err);
	if (status == RT_OK)
		status = rt_history_check_base(&s->history, s->sha256,
					       whole || !base ? issues : base->issues, err);
	s->settled = whole && status == RT_OK;
	return status;
}

enum rt_status rt_state_settle(struct rt_state *s, struct rt_error *err)
{
	if (s->settled || rt_state_check_base(s, true, err) == RT_OK)
		return RT_OK;
	rt_error_at(err, s->hold.options.journal, NULL);
	return RT_FATAL;
}

enum rt_status rt_state_begin(struct rt_state *s, struct rt_slice at, struct rt_error *err)
{
	if (rt_journal_base(s->history.journal))
		return RT_OK;
	return rt_history_begin(&s->history, s->hold.options.paths[0], s->sha256,
				rt_dataset_count(s->dataset, RT_KIND_ISSUE), at, err);
}

enum rt_status rt_state_again(struct rt_state *s, struct rt_error *err)
{
	rt_dataset_free(s->dataset);
	s->dataset = NULL;
	return rt_dataset_open(&s->quiet, RT_KIND_ANY, &s->dataset, err);
}

/* --- Records -------------------------------------------------------------------------------- */

/* The issue with its target's updates applied. */
static const struct rt_record *updated(struct rt_state *s, const struct rt_record *issue,
				       uint32_t target)
{
	struct rt_issue_state now = rt_issue_state_of(issue);
	const struct rt_plan *plan = s->history.plan;

	rt_issue_state_run(&now, plan, target);
	if (now.changed_by == RT_PLAN_NONE)
		return issue;
	s->record = *issue;
	rt_issue_state_lay(&now, rt_issue_state_at(&now, plan), &s->texts, &s->record);
	return &s->record;
}

enum rt_status rt_state_next_base(struct rt_state *s, const struct rt_record **ret_record,
				  uint32_t *ret_target, struct rt_error *err)
{
	enum rt_status status = rt_dataset_next_good(s->dataset, ret_record, err);

	if (status != RT_OK)
		return status;
	s->base = *ret_record;
	s->target = RT_PLAN_NONE;
	if (s->base->kind == RT_KIND_ISSUE)
		s->target = rt_plan_find(s->history.plan, s->base->id);
	*ret_target = s->target;
	return RT_OK;
}

enum rt_status rt_state_next(struct rt_state *s, const struct rt_record **ret_record,
			     struct rt_error *err)
{
	uint32_t target;
	enum rt_status status = rt_state_next_base(s, ret_record, &target, err);

	if (status == RT_END)
		return rt_state_settle(s, err) == RT_OK ? RT_END : RT_FATAL;
	if (status == RT_OK && target != RT_PLAN_NONE)
		*ret_record = updated(s, s->base, target);
	return status;
}

const struct rt_record *rt_state_base(const struct rt_state *s)
{
	return s->base;
}

struct rt_effects rt_state_effects(const struct rt_state *s, const struct rt_record **ret_base)
{
	struct rt_issue_state base = rt_issue_state_of(s->base);

	*ret_base = s->base;
	return rt_effects_of(s->history.plan, s->target, &base);
}

/* --- Notes and text of the record delivered last ------------------------------------------ */

/* The elements of notes as they are in a record, without the brackets around them. */
static void put_elements(struct rt_put *put, struct rt_slice notes)
{
	const char *from, *end;

	if (!notes.ptr)
		return;
	end = rt_slice_end(notes);
	if (*notes.ptr == '[') {
		from = rt_items_blanks(notes.ptr + 1, end - 1);
		rt_put(put, rt_slice_make(from, (size_t)(end - 1 - from)));
		return;
	}
	RT_PUT(put, "{\"added_at\":null,\"text\":");
	rt_put(put, notes);
	RT_PUT(put, "}");
}

/* The edits of the updates; none where there are no updates. */
static enum rt_status make_edits(struct rt_state *s, struct rt_error *err)
{
	struct rt_issue_state base;

	s->edits.count = 0;
	if (s->target == RT_PLAN_NONE)
		return RT_OK;
	base = rt_issue_state_of(s->base);
	return rt_issue_edits_make(&s->edits, &base, s->history.plan, s->target, err);
}

/*
 * The notes of the issue that was delivered last, as the JSON array that the state has (SPEC D14):
 * those of the export, of which a string is the first element, and the journal's after them.
 * ret_notes: ptr NULL where it has none; borrowed until the next call of this or rt_state_next().
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
static enum rt_status make_notes(struct rt_state *s, struct rt_slice *ret_notes,
				 struct rt_error *err)
{
	struct rt_slice stored = rt_record_notes(s->base);
	bool is_array = !stored.ptr || *stored.ptr == '[';
	struct rt_put put = {&s->notes, err, RT_OK};
	const struct rt_record *base;
	size_t had;

	*ret_notes = stored;
	if (s->target == RT_PLAN_NONE && is_array)
		return RT_OK;
	s->notes.len = 0;
	RT_PUT(&put, "[");
	put_elements(&put, stored);
	had = s->notes.len;
	rt_issue_notes_put(&put, 1, rt_state_effects(s, &base));
	if (s->notes.len == had && is_array)
		return put.status;
	RT_PUT(&put, "]");
	*ret_notes = rt_buf_slice(&s->notes);
	return put.status;
}

/* 1 + the entry that the decision about an issue is: the last one that says whether it is
 * dismissed, else the last of all; 0: there is none. */
static uint32_t deciding_entry(const struct rt_state *s)
{
	const struct rt_record *base;
	struct rt_effects effects = rt_state_effects(s, &base);
	uint32_t last = 0, flag = 0;

	while (rt_effects_next(&effects)) {
		last = effects.number + 1;
		flag = effects.step.false_positive >= 0 ? last : flag;
	}
	return flag ? flag : last;
}

void rt_state_name_maker(const struct rt_state *s, struct rt_finding *finding)
{
	if (finding->decided)
		rt_state_maker(s, finding->decided - 1, &finding->decided_at, &finding->decided_by);
}

enum rt_status rt_state_decide(struct rt_state *s, int64_t at, bool needs_notes,
			       struct rt_finding *finding, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (s->target != RT_PLAN_NONE)
		finding->decided = deciding_entry(s);
	rt_state_name_maker(s, finding);

	if (needs_notes || !finding->open)
		status = make_notes(s, &finding->notes, err);
	return status == RT_OK ? rt_finding_decide(finding, at, &s->scratch, err) : status;
}

enum rt_status rt_state_pick(struct rt_state *s, struct rt_filter *filter, bool needs_notes,
			     struct rt_finding *finding, bool *ret_picked, struct rt_error *err)
{
	enum rt_status status = rt_state_decide(
	    s, rt_filter_at(filter), needs_notes || rt_filter_wants_notes(filter), finding, err);

	*ret_picked = false;
	if (status == RT_OK)
		status = rt_filter_pick(filter, finding, ret_picked, err);
	if (status != RT_OK)
		rt_state_blame(s, err);
	return status;
}

/* The record that a log gives once the updates are written into it. */
static enum rt_status remake(struct rt_state *s, struct rt_sarif *log, struct rt_error *err)
{
	struct rt_slice result = rt_sarif_result(log);
	struct rt_issue_state base = rt_result_state_of(s->base);
	struct rt_fault fault = {RT_OK, err};

	rt_patches_release(&s->patches);
	RT_STEP(&fault, rt_issue_edits_make(&s->edits, &base, s->history.plan, s->target, err));
	RT_STEP(&fault, rt_edit_result(&s->editor, result, s->base->id, &s->edits, NULL, 0, 0,
				       &s->patches, err));
	rt_patches_sort(&s->patches);
	RT_STEP(&fault, rt_edit_apply(result, &s->patches, 0, &s->result, err));
	return RT_STEP(&fault, rt_sarif_remake(log, rt_buf_slice(&s->result), &s->text, err));
}

enum rt_status rt_state_text(struct rt_state *s, struct rt_slice *ret_text, struct rt_error *err)
{
	struct rt_sarif *log = s->dataset ? rt_dataset_reader(s->dataset)->view.text.log : NULL;
	enum rt_status status = make_edits(s, err);

	*ret_text = s->base->text;
	if (status != RT_OK || s->edits.count == 0)
		return status;
	/* Of several copies the text is none of a log's. */
	if (log && s->hold.options.duplicates != RT_DUPLICATES_WORST)
		status = remake(s, log, err);
	else
		status = rt_edit_text(s->base->text, s->edits.edits, s->edits.count, &s->patches,
				      &s->text, err);
	*ret_text = rt_buf_slice(&s->text);
	if (status != RT_REJECT)
		return status;
	rt_dataset_blame(s->dataset, err);
	return RT_FATAL;
}
