/*
 * Brings the decisions about one scan to the next (WORKFLOW W35 to W42): finds the issue of the new
 * scan that each decision is about, and sees to it that requests, entries and the report are
 * written.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "ops/carry.h"
#include "ops/outputs.h"
#include "output/answer.h"

/* --- Reading ------------------------------------------------------------------------------- */

static void read_both(struct rt_carrying *c)
{
	struct rt_scan_side *old = &c->scans.side[RT_MATCH_OLD], *new = old + 1;
	struct rt_options options = *c->new;
	const struct rt_field_source source = {.at = c->ask->at};
	struct rt_filter *all = NULL;
	uint64_t bytes;

	if (c->ask->apply && !rt_made_has_journal(options.journal))
		options.journal = NULL;
	old->extras =
	    (struct rt_state_extras){.digests = true, .on_entry = rt_carry_keep_origin, .ctx = c};
	new->extras.digests = c->ask->apply;
	old->decided = &c->decided[RT_MATCH_OLD];
	new->decided = &c->decided[RT_MATCH_NEW];
	RT_STEP(&c->fault, rt_filter_new(NULL, 0, &source, &all, c->fault.err));
	rt_scans_read(&c->scans, c->old, &options, all, c->ask->at);
	rt_filter_free(all);
	if (c->fault.status == RT_OK) {
		(void)rt_state_digest(old->state, 0, c->sha256, &bytes);
		rt_made_for(&c->made, new->state);
	}
	/* The new journal is to be appended to, and its options end here. */
	for (int side = 0; side < 2; side++) {
		rt_state_free(c->scans.side[side].state);
		c->scans.side[side].state = NULL;
	}
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

struct rt_decision_now rt_carry_decision(struct rt_carrying *c,
					 const struct rt_decided_issue *issue)
{
	return rt_decided_get(&c->decided[RT_MATCH_OLD], issue);
}

/* Whether there is more to a decision than a dismissal. */
static bool has_more(const struct rt_decision_now *decision)
{
	struct rt_slice rest = decision->rest;

	for (uint32_t i = 0; i < decision->notes; i++) {
		if (!rt_decided_note(&rest).dismisses)
			return true;
	}
	return decision->values[RT_DECIDED_SEVERITY] >= 0 ||
	       decision->values[RT_DECIDED_EXPLOITABLE] >= 0;
}

static void classify(struct rt_carrying *c, size_t n)
{
	struct rt_decided_issue *issue = rt_decided_issue(&c->decided[RT_MATCH_OLD], n);
	const struct rt_match *match = c->scans.match;
	uint32_t partner = c->scans.side[RT_MATCH_OLD].issues[issue->index].partner;
	struct rt_decision_now decision = rt_carry_decision(c, issue);
	enum rt_match_by by = rt_match_by(match, RT_MATCH_OLD, issue->index);

	issue->by = by;
	issue->new = partner;
	c->rated |= decision.rated;
	if (!is_decision(&decision))
		issue->outcome = RT_CARRY_OUTCOMES;
	else if (decision.expired && !has_more(&decision))
		issue->outcome = RT_CARRY_EXPIRED;
	else if (partner == RT_MATCH_NONE)
		issue->outcome =
		    rt_match_group(match, RT_MATCH_OLD, issue->index, &by) != RT_MATCH_NONE
			? RT_CARRY_AMBIGUOUS
			: RT_CARRY_GONE;
	else if (c->scans.side[RT_MATCH_OLD].issues[issue->index].difference != RT_MATCH_SAME &&
		 !c->ask->accept_changed)
		issue->outcome = RT_CARRY_CHANGED;
	else
		rt_carry_settle(c, n);
}

/* A hash of what was decided, without who decided it and when. */
static struct rt_hash128 hash_content(struct rt_carrying *c, const struct rt_decision_now *decision)
{
	struct rt_put put = {&c->text, c->fault.err, c->fault.status};
	struct rt_slice rest = decision->rest;

	c->text.len = 0;
	rt_put(&put, rt_slice_make((const char *)decision->values, sizeof(decision->values)));
	for (uint32_t i = 0; i < decision->notes; i++) {
		struct rt_decided_note note = rt_decided_note(&rest);
		size_t head[] = {note.text.len, note.dismisses};

		rt_put(&put, rt_slice_make((const char *)head, sizeof(head)));
		rt_put(&put, note.text);
	}
	c->fault.status = put.status;
	return rt_siphash(&c->key, rt_buf_slice(&c->text));
}

/* Whether all of these old issues have the same decision (W28). */
static bool is_unanimous(struct rt_carrying *c, const struct rt_scans_group *group)
{
	struct rt_hash128 first = {0}, hash;

	for (size_t i = 0; i < group->old_count; i++) {
		const struct rt_decided_issue *issue =
		    rt_decided_find(&c->decided[RT_MATCH_OLD], group->old[i].index);
		struct rt_decision_now decision;

		if (!issue || issue->outcome != RT_CARRY_AMBIGUOUS)
			return false;
		decision = rt_carry_decision(c, issue);
		hash = hash_content(c, &decision);
		if (i && (hash.low != first.low || hash.high != first.high))
			return false;
		first = hash;
	}
	return true;
}

/* Carry the one decision of a group to all of its new issues. */
static void carry_group(struct rt_carrying *c, const struct rt_scans_group *group)
{
	for (size_t i = 0; i < group->old_count; i++) {
		struct rt_decided_issue *issue =
		    rt_decided_find(&c->decided[RT_MATCH_OLD], group->old[i].index);

		issue->by = RT_CARRY_UNANIMOUS;
		issue->outcome = RT_CARRY_GONE;
		if (i >= group->new_count)
			continue;
		issue->new = group->new[i].index;
		rt_carry_settle(c,
				(size_t)(issue - rt_decided_issue(&c->decided[RT_MATCH_OLD], 0)));
	}
}

static void settle_all(struct rt_carrying *c)
{
	size_t decisions = rt_decided_count(&c->decided[RT_MATCH_OLD]), at = 0;
	struct rt_scans_group group;

	for (size_t n = 0; c->fault.status == RT_OK && n < decisions; n++)
		classify(c, n);
	while (rt_scans_next_group(&c->scans, &at, &group)) {
		if (group.new_count <= group.old_count && is_unanimous(c, &group))
			carry_group(c, &group);
	}
	for (size_t n = 0; c->fault.status == RT_OK && n < decisions; n++) {
		const struct rt_decided_issue *issue =
		    rt_decided_issue(&c->decided[RT_MATCH_OLD], n);

		if (issue->outcome < RT_CARRY_OUTCOMES)
			c->counts[issue->outcome]++;
		if (issue->outcome == RT_CARRY_CARRIED)
			c->levels[issue->by]++;
	}
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

static enum rt_status check(const struct rt_carrying *c, struct rt_error *err)
{
	const struct rt_carry *ask = c->ask;

	if (ask->apply && !c->new->journal)
		return refuse(NULL, "--apply needs --new-journal, which it appends to", err);
	if (ask->apply && c->new->path_count &&is_stream(c->new->paths[0]))
		return refuse(c->new->paths[0], "--apply reads NEW twice, which is a stream here",
			      err);
	if ((ask->apply || ask->requests) && c->old->path_count && is_stream(c->old->paths[0]) &&
	    strcmp(c->old->paths[0], "-") != 0)
		return refuse(c->old->paths[0], "OLD is read twice, and is a stream here", err);
	return RT_OK;
}

static void prepare(struct rt_carrying *c)
{
	struct rt_error *err = c->fault.err;

	if (!rt_instant_format(c->ask->at, c->at))
		c->fault.status = refuse(NULL, "the year is not between 0000 and 9999", err);
	RT_STEP(&c->fault, check(c, err));
	RT_STEP(&c->fault, rt_siphash_key_init(&c->key, err));
	if (c->ask->apply)
		RT_STEP(&c->fault, rt_plan_new(&c->made.plan, err));
	if (c->ask->requests)
		RT_STEP(&c->fault,
			rt_output_open(c->new, c->old, c->ask->requests, &c->replace, err));
}

/* Put the requests where they were asked for; the journal comes before their file. */
static void write_requests(struct rt_carrying *c)
{
	const struct rt_update update = {
	    .actor = c->ask->actor, .at = c->ask->at, .now = c->ask->now};
	struct rt_error *err = c->fault.err;
	struct rt_update_counts counts;
	int fd;

	if (c->replace && RT_STEP(&c->fault, rt_replace_begin(c->replace, &fd, err)) == RT_OK)
		c->file = rt_replace_sink(c->replace);
	if (c->replace || c->ask->apply)
		rt_carry_send(c);
	if (c->replace)
		RT_STEP(&c->fault, rt_replace_settle(c->replace, err));
	/* A missing journal is made even if there is nothing to carry: the next command names it.
	 */
	if (c->fault.status == RT_OK && c->ask->apply &&
	    (c->requests || !rt_made_has_journal(c->new->journal))) {
		c->fault.status = rt_apply_made(c->new, &update, &c->made, &counts, err);
		c->made.plan = NULL;
	}
	if (c->replace)
		RT_STEP(&c->fault, rt_replace_commit(c->replace, err));
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

static void run(struct rt_carrying *c, struct rt_style style, const struct rt_sink *sink)
{
	struct rt_answer report = {.spool.fd = -1}; /* until the requests are written */

	read_both(c);
	rt_scans_find_groups(&c->scans, false);
	rt_scans_tell(&c->scans, c->new);
	settle_all(c);
	if (RT_STEP(&c->fault, rt_answer_begin(&report, style, c->fault.err)) == RT_OK) {
		if (report.table)
			rt_carry_table(c, report.table);
		else
			rt_carry_report(c, report.writer);
	}
	write_requests(c);
	if (c->fault.status == RT_OK) {
		rt_carry_summary(c);
		c->fault.status = rt_answer_send(&report, sink, c->fault.err);
	}
	rt_answer_release(&report);
}

enum rt_status rt_carry(const struct rt_options *old, const struct rt_options *new,
			const struct rt_carry *ask, struct rt_style style,
			const struct rt_sink *sink, bool *ret_all, struct rt_error *err)
{
	struct rt_carrying c = {.old = old, .new = new, .ask = ask, .fault = {RT_OK, err}};

	rt_scans_init(&c.scans, &c.fault);
	rt_decided_init(&c.decided[0], &c.fault);
	rt_decided_init(&c.decided[1], &c.fault);
	prepare(&c);
	run(&c, style, sink);
	if (c.fault.status == RT_OK)
		*ret_all = c.counts[RT_CARRY_AMBIGUOUS] + c.counts[RT_CARRY_CONFLICT] +
			       c.counts[RT_CARRY_HELD] + c.counts[RT_CARRY_CHANGED] ==
			   0;
	release(&c);
	return c.fault.status;
}
