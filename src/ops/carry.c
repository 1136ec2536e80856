/*
 * Brings the decisions about one scan to the next (WORKFLOW W35 to W42): finds the issue of the new
 * scan that each decision is about, and sees to it that requests, entries and the report are
 * written.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/put.h"
#include "ops/carry.h"
#include "ops/outputs.h"
#include "output/answer.h"

/* --- Reading ------------------------------------------------------------------------------- */

static enum rt_status take_issue(void *ctx, enum rt_match_side side, struct rt_state *state,
				 struct rt_finding *finding, struct rt_error *err)
{
	struct rt_carrying *c = ctx;

	return rt_decided_add(&c->decided[side], state, finding, c->ask->at, err);
}

/* Whether the new scan's journal is there to be read, and not yet to be begun. */
static bool has_journal(const struct rt_carrying *c)
{
	struct stat st;

	return !c->ask->apply || (stat(c->new->journal, &st) == 0 && st.st_size > 0);
}

static enum rt_status read_both(struct rt_carrying *c, struct rt_error *err)
{
	struct rt_options new = *c->new;
	struct rt_filter *all = NULL;
	uint64_t bytes;
	enum rt_status status = rt_filter_new(NULL, 0, c->ask->at, &all, err);

	if (!has_journal(c))
		new.journal = NULL;
	c->scans.extras[RT_MATCH_OLD] =
	    (struct rt_state_extras){.digests = true, .on_entry = rt_carry_keep_origin, .ctx = c};
	c->scans.extras[RT_MATCH_NEW].digests = c->ask->apply;
	c->scans.look = take_issue;
	c->scans.ctx = c;
	if (status == RT_OK)
		status = rt_scans_read(&c->scans, c->old, &new, all, err);
	rt_filter_free(all);
	if (status == RT_OK)
		c->made.entries =
		    rt_plan_steps(rt_state_history(c->scans.state[RT_MATCH_NEW])->plan);
	for (int side = 0; status == RT_OK && side < 2; side++) {
		c->has_sha256[side] =
		    rt_state_digest(c->scans.state[side], 0, c->sha256[side], &bytes);
		rt_state_free(c->scans.state[side]);
		c->scans.state[side] = NULL;
	}
	c->made.has_sha256 = c->has_sha256[RT_MATCH_NEW];
	memcpy(c->made.sha256, c->sha256[RT_MATCH_NEW], sizeof(c->made.sha256));
	return status;
}

/* --- What became of each ------------------------------------------------------------------- */

/* What has a decision is one; what a journal only spoke of is none. */
static bool is_decision(const struct rt_decision_now *decision)
{
	bool any = decision->notes > 0;

	for (int f = 0; f < RT_DECIDED_FIELDS; f++)
		any |= decision->values[f] >= 0;
	return any;
}

static enum rt_status classify(struct rt_carrying *c, size_t n, struct rt_error *err)
{
	struct rt_decided_issue *issue = rt_decided_issue(&c->decided[RT_MATCH_OLD], n);
	const struct rt_match *match = c->scans.match;
	uint32_t partner = c->scans.side[RT_MATCH_OLD].issues[issue->index].partner;
	struct rt_decision_now decision;
	enum rt_match_by by = rt_match_by(match, RT_MATCH_OLD, issue->index);

	if (rt_decided_get(&c->decided[RT_MATCH_OLD], issue, &decision, err) != RT_OK)
		return RT_FATAL;
	issue->by = by;
	issue->new = partner;
	if (!is_decision(&decision)) {
		issue->outcome = RT_CARRY_OUTCOMES;
	} else if (decision.expired) {
		issue->outcome = RT_CARRY_EXPIRED;
	} else if (partner == RT_MATCH_NONE) {
		bool grouped =
		    rt_match_group(match, RT_MATCH_OLD, issue->index, &by) != RT_MATCH_NONE;

		issue->outcome = grouped ? RT_CARRY_AMBIGUOUS : RT_CARRY_GONE;
	} else if ((by == RT_MATCH_CHANGED || by == RT_MATCH_RENAMED_CHANGED) &&
		   !c->ask->accept_changed) {
		issue->outcome = RT_CARRY_CHANGED;
	} else {
		return rt_carry_settle(c, n, err);
	}
	return RT_OK;
}

/* A hash of what was decided, without who decided it and when. */
static enum rt_status hash_content(struct rt_carrying *c, const struct rt_decision_now *decision,
				   struct rt_hash128 *ret_hash, struct rt_error *err)
{
	struct rt_put put = {&c->text, err, RT_OK};
	struct rt_slice rest = decision->rest;

	c->text.len = 0;
	rt_put(&put, rt_slice_make((const char *)decision->values, sizeof(decision->values)));
	for (uint32_t i = 0; i < decision->notes; i++) {
		struct rt_slice text = rt_decided_note(&rest).text;

		rt_put(&put, rt_slice_make((const char *)&text.len, sizeof(text.len)));
		rt_put(&put, text);
	}
	*ret_hash = rt_siphash(&c->key, rt_buf_slice(&c->text));
	return put.status;
}

/* Whether all of these old issues have the same decision (W28). */
static enum rt_status is_unanimous(struct rt_carrying *c, const struct rt_scans_grouped *old,
				   size_t count, bool *ret_unanimous, struct rt_error *err)
{
	struct rt_hash128 first = {0}, hash;

	*ret_unanimous = false;
	for (size_t i = 0; i < count; i++) {
		const struct rt_decided_issue *issue =
		    rt_decided_find(&c->decided[RT_MATCH_OLD], old[i].index);
		struct rt_decision_now decision;

		if (!issue || issue->outcome != RT_CARRY_AMBIGUOUS)
			return RT_OK;
		if (rt_decided_get(&c->decided[RT_MATCH_OLD], issue, &decision, err) != RT_OK ||
		    hash_content(c, &decision, &hash, err) != RT_OK)
			return RT_FATAL;
		if (i && (hash.low != first.low || hash.high != first.high))
			return RT_OK;
		first = hash;
	}
	*ret_unanimous = true;
	return RT_OK;
}

/* Carry the one decision of a group to all of its new issues. */
static enum rt_status carry_group(struct rt_carrying *c, const struct rt_scans_grouped *old,
				  size_t old_count, size_t new_count, struct rt_error *err)
{
	const struct rt_scans_grouped *new = old + old_count;

	for (size_t i = 0; i < old_count; i++) {
		struct rt_decided_issue *issue =
		    rt_decided_find(&c->decided[RT_MATCH_OLD], old[i].index);

		issue->by = RT_CARRY_UNANIMOUS;
		issue->outcome = RT_CARRY_GONE;
		if (i >= new_count)
			continue;
		issue->new = new[i].index;
		if (rt_carry_settle(
			c, (size_t)(issue - rt_decided_issue(&c->decided[RT_MATCH_OLD], 0)), err) !=
		    RT_OK)
			return RT_FATAL;
	}
	return RT_OK;
}

static enum rt_status settle_groups(struct rt_carrying *c, struct rt_scans_grouped *all,
				    size_t count, struct rt_error *err)
{
	const struct rt_scans_grouped *group;
	size_t at = 0, old, new;

	while ((group = rt_scans_next_group(all, count, &at, &old, &new))) {
		bool unanimous;

		if (new > old)
			continue;
		if (is_unanimous(c, group, old, &unanimous, err) != RT_OK ||
		    (unanimous && carry_group(c, group, old, new, err) != RT_OK))
			return RT_FATAL;
	}
	return RT_OK;
}

static enum rt_status settle_all(struct rt_carrying *c, struct rt_scans_grouped *all, size_t count,
				 struct rt_error *err)
{
	size_t decisions = rt_decided_count(&c->decided[RT_MATCH_OLD]);

	for (size_t n = 0; n < decisions; n++) {
		if (classify(c, n, err) != RT_OK)
			return RT_FATAL;
	}
	if (settle_groups(c, all, count, err) != RT_OK)
		return RT_FATAL;
	for (size_t n = 0; n < decisions; n++) {
		const struct rt_decided_issue *issue =
		    rt_decided_issue(&c->decided[RT_MATCH_OLD], n);

		if (issue->outcome < RT_CARRY_OUTCOMES)
			c->counts[issue->outcome]++;
		if (issue->outcome == RT_CARRY_CARRIED)
			c->levels[issue->by]++;
	}
	return RT_OK;
}

/* --- All together -------------------------------------------------------------------------- */

static enum rt_status refuse(const char *path, const char *message, struct rt_error *err)
{
	return rt_error_on(err, path, RT_E_USAGE, "%s", message);
}

static bool is_stream(const char *path)
{
	struct stat st;

	return strcmp(path, "-") == 0 || (stat(path, &st) == 0 && S_ISFIFO(st.st_mode));
}

static enum rt_status prepare(struct rt_carrying *c, struct rt_error *err)
{
	const struct rt_carry *ask = c->ask;
	enum rt_status status;

	if (!rt_instant_format(ask->at, c->at))
		return refuse(NULL, "the year is not between 0000 and 9999", err);
	if (ask->apply && !c->new->journal)
		return refuse(NULL, "--apply needs --new-journal, which it appends to", err);
	if (ask->apply && c->new->path_count &&is_stream(c->new->paths[0]))
		return refuse(c->new->paths[0], "--apply reads NEW twice, which is a stream here",
			      err);
	if ((ask->apply || ask->requests) && c->old->path_count && is_stream(c->old->paths[0]) &&
	    strcmp(c->old->paths[0], "-") != 0)
		return refuse(c->old->paths[0], "OLD is read twice, and is a stream here", err);
	status = rt_siphash_key_init(&c->key, err);
	if (status == RT_OK && ask->apply)
		status = rt_plan_new(&c->made.plan, err);
	return status == RT_OK && ask->requests
		   ? rt_output_open(c->new, c->old, ask->requests, &c->replace, err)
		   : status;
}

/* Put the requests where they were asked for; the journal comes before their file. */
static enum rt_status write_requests(struct rt_carrying *c, struct rt_error *err)
{
	const struct rt_update update = {
	    .actor = c->ask->actor, .at = c->ask->at, .now = c->ask->now};
	struct rt_update_counts counts;
	enum rt_status status = RT_OK;
	int fd;

	if (c->replace) {
		status = rt_replace_begin(c->replace, &fd, err);
		c->file = rt_replace_sink(c->replace);
	}
	if (status == RT_OK && (c->replace || c->ask->apply))
		status = rt_carry_send(c, err);
	if (status == RT_OK && c->replace)
		status = rt_replace_settle(c->replace, err);
	if (status == RT_OK && c->requests && c->ask->apply) {
		status = rt_apply_made(c->new, &update, &c->made, &counts, err);
		c->made.plan = NULL;
	}
	return status == RT_OK && c->replace ? rt_replace_commit(c->replace, err) : status;
}

static void release(struct rt_carrying *c)
{
	rt_scans_release(&c->scans);
	rt_decided_release(&c->decided[0]);
	rt_decided_release(&c->decided[1]);
	rt_buf_release(&c->origins);
	rt_buf_release(&c->origin_ends);
	rt_buf_release(&c->wishes);
	rt_buf_release(&c->fresh);
	rt_buf_release(&c->text);
	rt_buf_release(&c->ids);
	rt_buf_release(&c->sharing);
	rt_buf_release(&c->made.carried);
	rt_plan_free(c->made.plan);
	rt_replace_free(c->replace);
}

static enum rt_status run(struct rt_carrying *c, struct rt_style style, const struct rt_sink *sink,
			  struct rt_error *err)
{
	struct rt_answer report = {.spool.fd = -1}; /* until the requests are written */
	struct rt_scans_grouped *groups = NULL;
	size_t count = 0;
	enum rt_status status = read_both(c, err);

	if (status == RT_OK)
		status = rt_scans_groups(&c->scans, false, &groups, &count, err);
	if (status == RT_OK)
		status = rt_scans_tell(&c->scans, c->new, err);
	if (status == RT_OK)
		status = settle_all(c, groups, count, err);
	if (status == RT_OK)
		status = rt_answer_begin(&report, style, err);
	if (status == RT_OK)
		status = report.table ? rt_carry_table(c, report.table, err)
				      : rt_carry_report(c, report.writer, groups, count, err);
	if (status == RT_OK)
		status = write_requests(c, err);
	if (status == RT_OK) {
		rt_carry_summary(c);
		status = rt_answer_send(&report, sink, err);
	}
	free(groups);
	rt_answer_release(&report);
	return status;
}

enum rt_status rt_carry(const struct rt_options *old, const struct rt_options *new,
			const struct rt_carry *ask, struct rt_style style,
			const struct rt_sink *sink, bool *ret_all, struct rt_error *err)
{
	struct rt_carrying c = {.old = old, .new = new, .ask = ask};
	enum rt_status status;

	rt_scans_init(&c.scans);
	rt_decided_init(&c.decided[0]);
	rt_decided_init(&c.decided[1]);
	status = prepare(&c, err);
	if (status == RT_OK)
		status = run(&c, style, sink, err);
	if (status == RT_OK)
		*ret_all = c.counts[RT_CARRY_AMBIGUOUS] + c.counts[RT_CARRY_CONFLICT] +
			       c.counts[RT_CARRY_HELD] + c.counts[RT_CARRY_CHANGED] ==
			   0;
	release(&c);
	return status;
}
