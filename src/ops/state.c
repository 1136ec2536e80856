/*
 * Reads the state. Input: an export and its journal, if any. Output: records with the members that
 * the journal's updates have changed. Refuses a damaged journal and one of another base.
 */
#include "ops/state.h"

#include <stdlib.h>

#include "engine/issue_state.h"
#include "files/files.h"
#include "files/hold.h"
#include "journal/history.h"

struct rt_state {
	struct rt_hold hold;
	struct rt_dataset *dataset;
	struct rt_history history;
	struct rt_base_digest *digest; /* NULL without a journal */
	struct rt_record record;       /* a copy with changed members */
	char texts[RT_STATE_MEMBERS][RT_STATE_TEXT];
};

/* With a journal the files are read twice, by the data set and for the digest. */
static enum rt_status open_journal(struct rt_state *s, const struct rt_options *options,
				   struct rt_error *err)
{
	enum rt_status status = rt_hold_init(&s->hold, options, err);

	if (status == RT_OK)
		status = rt_base_digest_start(&s->hold.options, &s->digest, err);
	if (status == RT_OK)
		status =
		    rt_history_open(&s->history, options->journal, RT_JOURNAL_READ, options, err);
	if (status == RT_OK)
		status = rt_history_read(&s->history, err);
	return status == RT_REJECT ? RT_FATAL : status;
}

enum rt_status rt_state_open(const struct rt_options *options, struct rt_state **ret_state,
			     struct rt_error *err)
{
	enum rt_status status = rt_files_check(options, false, err);
	struct rt_state *s;

	if (status != RT_OK)
		return status;
	s = calloc(1, sizeof(*s));
	if (!s)
		return rt_error_nomem(err);
	s->hold = (struct rt_hold){*options, -1};
	if (options->journal)
		status = open_journal(s, options, err);
	if (status == RT_OK)
		status = rt_dataset_open(&s->hold.options, RT_KIND_ANY, &s->dataset, err);
	if (status != RT_OK) {
		rt_state_free(s);
		return status;
	}
	*ret_state = s;
	return RT_OK;
}

void rt_state_free(struct rt_state *s)
{
	if (!s)
		return;
	rt_base_digest_free(s->digest);
	rt_history_release(&s->history);
	rt_dataset_free(s->dataset);
	rt_hold_release(&s->hold);
	free(s);
}

const struct rt_siphash_key *rt_state_key(const struct rt_state *s)
{
	return rt_dataset_key(s->dataset);
}

/* Everything has been read: was it what the journal is about? */
static enum rt_status check_base(struct rt_state *s, struct rt_error *err)
{
	uint8_t sha256[RT_SHA256_BYTES];
	enum rt_status status;

	if (!s->digest)
		return RT_END;
	status = rt_base_digest_wait(s->digest, rt_dataset_stamp(s->dataset), sha256, err);
	if (status == RT_OK)
		status = rt_history_check_base(&s->history, sha256,
					       rt_dataset_count(s->dataset, RT_KIND_ISSUE), err);
	if (status == RT_OK)
		return RT_END;
	rt_error_at(err, s->hold.options.journal, NULL);
	return RT_FATAL;
}

/* The issue with its target's updates applied. */
static const struct rt_record *updated(struct rt_state *s, const struct rt_record *issue,
				       uint32_t target)
{
	struct rt_issue_state base = rt_issue_state_of(issue), now = base;
	const struct rt_plan *plan = s->history.plan;

	rt_issue_state_run(&now, plan, target);
	if (now.changed_by == RT_PLAN_NONE)
		return issue;
	s->record = *issue;
	for (size_t i = 0; i < RT_STATE_MEMBERS; i++) {
		enum rt_member m = rt_state_members[i];
		struct rt_slice text = rt_issue_state_text(&now, &base, plan, m, s->texts[i]);

		if (!text.ptr)
			continue;
		s->record.values[m] = text;
		s->record.types[m] = text.ptr[0] == '"' ? RT_TYPE_STRING : RT_TYPE_BOOL;
	}
	return &s->record;
}

enum rt_status rt_state_next(struct rt_state *s, const struct rt_record **ret_record,
			     struct rt_error *err)
{
	enum rt_status status = rt_dataset_next_good(s->dataset, ret_record, err);
	uint32_t target;

	if (status == RT_END)
		return check_base(s, err);
	if (status != RT_OK || !s->history.plan || (*ret_record)->kind != RT_KIND_ISSUE)
		return status;
	target = rt_plan_find(s->history.plan, (*ret_record)->id);
	if (target != RT_PLAN_NONE)
		*ret_record = updated(s, *ret_record, target);
	return RT_OK;
}
