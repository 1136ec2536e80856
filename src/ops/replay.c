/*
 * Executes a journal again. Input: a journal and its base export. Output: for each entry the
 * number of issues in which it changed something, and what it changed in those that are watched.
 * Refuses a damaged journal and one of another base. Whether the results that the journal names
 * are right is not looked at.
 */
#include "ops/replay.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/json_string.h"
#include "engine/issue_state.h"
#include "engine/summary.h"
#include "ops/state.h"

#define UNWATCHED UINT32_MAX

/* An id that the journal mentions. */
struct target {
	struct rt_issue_state state; /* after the entries executed so far */
	uint32_t watched;            /* its number among those, or UNWATCHED */
	bool found;
};

/* What is kept of a watched issue: JSON texts, empty where the base has none. */
struct watched {
	struct rt_buf severity, updated_at;
	char texts[4][RT_STATE_TEXT]; /* of severity and updated_at before and after the entry */
};

struct rt_replay {
	struct rt_state *state;
	struct rt_history *history; /* of the state */
	struct rt_journal_head head;
	struct target *targets;
	struct watched *watched;
	size_t watched_count;
	struct rt_replay_issue *issues; /* of the entry at hand, as many as are watched */
	struct rt_buf note;             /* its note as JSON */
	uint32_t step;                  /* entries executed so far */
};

void rt_replay_free(struct rt_replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; r->watched && i < r->watched_count; i++) {
		rt_buf_release(&r->watched[i].severity);
		rt_buf_release(&r->watched[i].updated_at);
	}
	free(r->targets);
	free(r->watched);
	free(r->issues);
	rt_buf_release(&r->note);
	rt_state_free(r->state);
	free(r);
}

struct rt_journal_head rt_replay_head(const struct rt_replay *r)
{
	return r->head;
}

/* --- Reading ----------------------------------------------------------------------------- */

static enum rt_status make_targets(struct rt_replay *r, const char *const *ids, size_t id_count,
				   struct rt_error *err)
{
	uint32_t count = rt_plan_targets(r->history->plan);

	r->watched_count = id_count;
	r->targets = calloc(count ? count : 1, sizeof(*r->targets));
	r->watched = calloc(id_count ? id_count : 1, sizeof(*r->watched));
	r->issues = calloc(id_count ? id_count : 1, sizeof(*r->issues));
	if (!r->targets || !r->watched || !r->issues)
		return rt_error_nomem(err);
	for (uint32_t i = 0; i < count; i++)
		r->targets[i].watched = UNWATCHED;
	for (size_t i = 0; i < id_count; i++) {
		struct rt_slice id = rt_slice_make(ids[i], strlen(ids[i]));
		uint32_t target = rt_plan_find(r->history->plan, id);

		if (target != RT_PLAN_NONE)
			r->targets[target].watched = (uint32_t)i;
	}
	return RT_OK;
}

static enum rt_status keep(const struct rt_record *issue, enum rt_member m, struct rt_buf *text,
			   struct rt_error *err)
{
	if (!rt_record_has(issue, m))
		return RT_OK;
	return rt_buf_append(text, issue->values[m].ptr, issue->values[m].len, err);
}

static enum rt_status take_issue(struct rt_replay *r, const struct rt_record *issue,
				 struct target *target, struct rt_error *err)
{
	enum rt_status status;

	target->state = rt_issue_state_of(issue);
	target->found = true;
	if (target->watched == UNWATCHED)
		return RT_OK;
	status = keep(issue, RT_M_SEVERITY, &r->watched[target->watched].severity, err);
	if (status == RT_OK)
		status = keep(issue, RT_M_UPDATED_AT, &r->watched[target->watched].updated_at, err);
	return status;
}

static enum rt_status read_issues(struct rt_replay *r, struct rt_error *err)
{
	const struct rt_record *record;
	enum rt_status status;
	uint32_t target;

	while ((status = rt_state_next_base(r->state, &record, &target, err)) == RT_OK) {
		if (target != RT_PLAN_NONE)
			status = take_issue(r, record, &r->targets[target], err);
		if (status != RT_OK)
			return status;
	}
	return status == RT_END ? RT_OK : status;
}

/*
 * Read the base, and hold the journal against it. Where it is another file than the journal names,
 * that is what is said, not what may be wrong in it.
 */
static enum rt_status read_base(struct rt_replay *r, struct rt_error *err)
{
	struct rt_error other;
	enum rt_status read = read_issues(r, err);

	if (rt_state_check_base(r->state, read == RT_OK, &other) != RT_OK) {
		*err = other;
		rt_error_at(err, rt_state_options(r->state)->journal, NULL);
		return RT_FATAL;
	}
	return read;
}

static enum rt_status read_all(struct rt_replay *r, const struct rt_options *options,
			       const char *const *ids, size_t id_count, struct rt_error *err)
{
	/* Who reads the journal for its entries is told how it ends. */
	const struct rt_state_extras extras = {.quiet_journal = true};
	enum rt_status status = rt_state_new(options, &extras, &r->state, err);

	if (status == RT_OK)
		status = rt_state_open_journal(r->state, RT_JOURNAL_READ, err);
	if (status == RT_OK)
		status = rt_state_read(r->state, err);
	if (status != RT_OK)
		return RT_FATAL;
	r->history = rt_state_history(r->state);
	r->head = rt_journal_head(r->history->journal);
	status = make_targets(r, ids, id_count, err);
	if (status == RT_OK)
		status = read_base(r, err);
	rt_state_end(r->state);
	return status == RT_OK ? RT_OK : RT_FATAL;
}

enum rt_status rt_replay_open(const struct rt_options *options, const char *const *ids,
			      size_t id_count, struct rt_replay **ret_replay, struct rt_error *err)
{
	struct rt_replay *r = calloc(1, sizeof(*r));
	enum rt_status status;

	if (!r)
		return rt_error_nomem(err);
	status = read_all(r, options, ids, id_count, err);
	if (status != RT_OK) {
		rt_replay_free(r);
		return status;
	}
	*ret_replay = r;
	return RT_OK;
}

/* --- Executing --------------------------------------------------------------------------- */

static struct rt_slice or_null(const struct rt_buf *text)
{
	return text->len ? rt_buf_slice(text) : RT_SLICE("null");
}

static struct rt_slice severity_text(const struct rt_issue_state *state, const struct watched *kept,
				     char quoted[RT_STATE_TEXT])
{
	if (state->severity == RT_STATE_OTHER)
		return or_null(&kept->severity);
	return rt_state_quote(rt_severity_level((size_t)state->severity), quoted);
}

static struct rt_slice time_text(const struct rt_replay *r, const struct rt_issue_state *state,
				 const struct watched *kept, char quoted[RT_STATE_TEXT])
{
	if (state->changed_by == RT_PLAN_NONE)
		return or_null(&kept->updated_at);
	return rt_state_quote(rt_plan_step(r->history->plan, state->changed_by).at, quoted);
}

static struct rt_slice flag_text(int8_t flag)
{
	if (flag == RT_STATE_OTHER)
		return RT_SLICE("null");
	return flag ? RT_SLICE("true") : RT_SLICE("false");
}

static void add_change(struct rt_replay_issue *issue, struct rt_slice member, struct rt_slice was,
		       struct rt_slice is)
{
	if (!rt_slice_equal(was, is))
		issue->changes[issue->count++] = (struct rt_replay_change){member, was, is};
}

/* What an entry has made of a watched issue. */
static void tell(struct rt_replay *r, struct rt_replay_issue *issue, struct watched *kept,
		 const struct rt_issue_state *was, const struct rt_issue_state *is)
{
	char(*texts)[RT_STATE_TEXT] = kept->texts;

	add_change(issue, rt_member_name(RT_M_SEVERITY), severity_text(was, kept, texts[0]),
		   severity_text(is, kept, texts[1]));
	add_change(issue, rt_member_name(RT_M_FALSE_POSITIVE), flag_text(was->false_positive),
		   flag_text(is->false_positive));
	add_change(issue, rt_member_name(RT_M_EXPLOITABLE), flag_text(was->exploitable),
		   flag_text(is->exploitable));
	if (r->note.len)
		add_change(issue, RT_SLICE("notes"), RT_SLICE("null"), rt_buf_slice(&r->note));
	add_change(issue, rt_member_name(RT_M_UPDATED_AT), time_text(r, was, kept, texts[2]),
		   time_text(r, is, kept, texts[3]));
}

/* Execute a step on one of its targets. Returns whether it changed something. */
static bool run_target(struct rt_replay *r, const struct rt_step *step, uint32_t number,
		       size_t *issues)
{
	struct target *target = &r->targets[number];
	struct rt_issue_state was = target->state;
	bool changed = false;

	if (target->found)
		changed = rt_issue_state_step(&target->state, step, r->step);
	if (target->watched != UNWATCHED) {
		struct rt_replay_issue *issue = &r->issues[(*issues)++];

		issue->id = rt_plan_id(r->history->plan, number);
		issue->found = target->found;
		issue->count = 0;
		if (changed)
			tell(r, issue, &r->watched[target->watched], &was, &target->state);
	}
	return changed;
}

enum rt_status rt_replay_next(struct rt_replay *r, struct rt_replay_effect *ret_effect,
			      struct rt_error *err)
{
	struct rt_step step = rt_plan_step(r->history->plan, r->step);
	struct rt_replay_effect effect = {.issues = r->issues};

	r->note.len = 0;
	if (step.notes.len && rt_json_string_encode(step.notes, &r->note, err) != RT_OK)
		return RT_FATAL;
	for (uint32_t i = 0; i < step.count; i++) {
		struct rt_mention mention = rt_plan_mention(r->history->plan, step.first + i);

		if (!mention.repeat)
			effect.changed += run_target(r, &step, mention.target, &effect.issue_count);
	}
	r->step++;
	*ret_effect = effect;
	return RT_OK;
}
