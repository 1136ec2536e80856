/*
 * Executes a journal again, issue by issue: in how many each entry changed something, and what in
 * those that are watched. Whether the results that the journal names are right is not looked at.
 */
#include "state/replay.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/json_string.h"
#include "engine/issue_state.h"
#include "engine/summary.h"
#include "state/state.h"

/* An issue that is watched: its updates as far as they were executed, and JSON texts of the base,
 * empty where that has none. */
struct watched {
	uint32_t target; /* RT_PLAN_NONE: no entry mentions it */
	bool found;
	struct rt_effects effects;
	struct rt_buf severity, updated_at;
	char texts[4][RT_STATE_TEXT]; /* of severity and updated_at before and after the entry */
};

struct rt_replay {
	struct rt_state *state;
	struct rt_history *history; /* of the state */
	struct rt_journal_head head;
	uint32_t *changed; /* issues that each entry changed */
	struct watched *watched;
	size_t watched_count;
	struct rt_replay_issue *issues; /* of the entry, as many as are watched */
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
	free(r->changed);
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

static enum rt_status watch(struct rt_replay *r, const char *const *ids, size_t id_count,
			    struct rt_error *err)
{
	r->watched_count = id_count;
	r->changed = calloc((size_t)rt_plan_steps(r->history->plan) + 1, sizeof(*r->changed));
	r->watched = calloc(id_count ? id_count : 1, sizeof(*r->watched));
	r->issues = calloc(id_count ? id_count : 1, sizeof(*r->issues));
	if (!r->changed || !r->watched || !r->issues)
		return rt_error_nomem(err);
	for (size_t i = 0; i < id_count; i++)
		r->watched[i].target =
		    rt_plan_find(r->history->plan, rt_slice_make(ids[i], strlen(ids[i])));
	return RT_OK;
}

/* The watched issue with that target; NULL: none. */
static struct watched *find_watched(const struct rt_replay *r, uint32_t target)
{
	for (size_t i = r->watched_count; i; i--) {
		if (r->watched[i - 1].target == target)
			return &r->watched[i - 1];
	}
	return NULL;
}

static enum rt_status keep(const struct rt_record *issue, enum rt_member m, struct rt_buf *text,
			   struct rt_error *err)
{
	if (!rt_record_has(issue, m))
		return RT_OK;
	return rt_buf_append(text, issue->values[m].ptr, issue->values[m].len, err);
}

static enum rt_status take_issue(struct rt_replay *r, uint32_t target, struct rt_error *err)
{
	const struct rt_record *issue;
	struct rt_effects effects = rt_state_effects(r->state, &issue);
	struct watched *watched = find_watched(r, target);
	enum rt_status status = RT_OK;

	if (watched) {
		watched->found = true;
		watched->effects = effects;
		status = keep(issue, RT_M_SEVERITY, &watched->severity, err);
	}
	if (watched && status == RT_OK)
		status = keep(issue, RT_M_UPDATED_AT, &watched->updated_at, err);
	while (rt_effects_next(&effects))
		r->changed[effects.number] += effects.changed;
	return status;
}

static enum rt_status read_issues(struct rt_replay *r, struct rt_error *err)
{
	const struct rt_record *record;
	enum rt_status status;
	uint32_t target;

	while ((status = rt_state_next_base(r->state, &record, &target, err)) == RT_OK) {
		if (target != RT_PLAN_NONE)
			status = take_issue(r, target, err);
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
	status = watch(r, ids, id_count, err);
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

/* Say what the entry did to a watched issue that it mentions. */
static void run_watched(struct rt_replay *r, uint32_t target, struct watched *watched,
			struct rt_replay_issue *issue)
{
	struct rt_effects *effects = &watched->effects;

	issue->id = rt_plan_id(r->history->plan, target);
	issue->found = watched->found;
	issue->count = 0;
	if (watched->found && rt_effects_next(effects) && effects->changed)
		tell(r, issue, watched, &effects->before, &effects->after);
}

enum rt_status rt_replay_next(struct rt_replay *r, struct rt_replay_effect *ret_effect,
			      struct rt_error *err)
{
	struct rt_step step = rt_plan_step(r->history->plan, r->step);
	struct rt_replay_effect effect = {.issues = r->issues, .changed = r->changed[r->step]};

	r->note.len = 0;
	if (step.notes.len && rt_json_string_encode(step.notes, &r->note, err) != RT_OK)
		return RT_FATAL;
	for (uint32_t i = 0; r->watched_count && i < step.count; i++) {
		struct rt_mention mention = rt_plan_mention(r->history->plan, step.first + i);
		struct watched *watched = find_watched(r, mention.target);

		if (!mention.repeat && watched)
			run_watched(r, mention.target, watched, &r->issues[effect.issue_count++]);
	}
	r->step++;
	*ret_effect = effect;
	return RT_OK;
}
