/*
 * Reads a data set for a command, by one reader or in lanes.
 */
#include "ops/reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/facts.h"
#include "engine/summary.h"

enum rt_status rt_fields_open(struct rt_fields *fields, const struct rt_options *options,
			      int64_t at, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (options->owners)
		status = rt_owners_read(options->owners, &fields->owners, err);
	for (size_t i = 0; i < RT_LEVELS; i++) {
		bool has = options->sla && i < RT_SEVERITY_LEVELS && options->sla[i] < RT_SLA_NONE;

		fields->sla[i] = has ? (uint32_t)options->sla[i] : RT_SLA_NONE;
	}
	fields->source = (struct rt_field_source){
	    .at = at, .sla = options->sla ? fields->sla : NULL, .owners = fields->owners};
	return status;
}

void rt_fields_close(struct rt_fields *fields)
{
	rt_owners_free(fields->owners);
}

enum rt_status rt_reading_prepare(struct rt_reading *r, struct rt_error *err)
{
	enum rt_status status = rt_fields_open(&r->fields, r->options, r->at, err);

	return status == RT_OK
		   ? rt_filter_new(r->terms, r->term_count, &r->fields.source, &r->filter, err)
		   : status;
}

void rt_reading_release(struct rt_reading *r)
{
	rt_lanes_free(r->lanes);
	if (r->consumer && r->consumer->release)
		r->consumer->release(r);
	rt_filter_free(r->filter);
	rt_state_free(r->state);
	rt_baseline_free(r->baseline);
	rt_fields_close(&r->fields);
}

/* Take the issue that the state is at. */
static enum rt_status take(struct rt_reading *r, const struct rt_record *issue,
			   struct rt_error *err)
{
	const struct rt_consumer *consumer = r->consumer;
	struct rt_finding finding = rt_finding_of(issue, (struct rt_slice){0}, r->total++);
	bool picked = false;
	enum rt_status status = rt_baseline_mark(r->baseline, &finding, err);

	if (status == RT_OK && consumer->see)
		status = consumer->see(r, &finding, err);
	if (status == RT_OK)
		status = rt_state_pick(r->state, r->filter, r->needs_notes, &finding, &picked, err);
	if (status != RT_OK)
		return status;
	r->picked += picked;
	if (picked)
		return consumer->take(r, &finding, err);
	return consumer->leave ? consumer->leave(r, &finding, err) : RT_OK;
}

/* All has been read: was it the right thing? */
static enum rt_status end(const struct rt_reading *r, struct rt_error *err)
{
	enum rt_status status = rt_filter_check(r->filter, r->total, err);

	if (status == RT_OK)
		rt_filter_tell_short(r->filter, r->options);
	return status == RT_OK ? rt_baseline_end(r->baseline, r->state, err) : status;
}

enum rt_status rt_read_alone(struct rt_reading *r, const struct rt_consumer *consumer,
			     const struct rt_state_extras *extras, struct rt_error *err)
{
	const struct rt_record *record;
	enum rt_status status = rt_baseline_open(r->options, extras, r->terms, r->term_count,
						 &r->fields.source, &r->state, &r->baseline, err);

	r->consumer = consumer;
	if (status == RT_OK && consumer->begin)
		status = consumer->begin(r, rt_dataset_key(rt_state_dataset(r->state)), err);
	while (status == RT_OK && (status = rt_state_next(r->state, &record, err)) == RT_OK) {
		if (record->kind == RT_KIND_ISSUE)
			status = take(r, record, err);
	}
	return status == RT_END ? end(r, err) : status;
}

enum rt_status rt_reading_next_gone(struct rt_reading *r, struct rt_state *old, uint64_t *number,
				    struct rt_finding *ret_finding, struct rt_error *err)
{
	const struct rt_record *record;
	bool picked = false;
	enum rt_status status;

	while (!picked && (status = rt_state_next(old, &record, err)) == RT_OK) {
		enum rt_class class;

		if (record->kind != RT_KIND_ISSUE)
			continue;
		class = rt_baseline_old_class(r->baseline, (*number)++);
		if (class == RT_CLASS_NONE)
			continue;
		*ret_finding = rt_finding_of(record, (struct rt_slice){0}, *number - 1);
		ret_finding->class = class;
		ret_finding->is_new = false;
		status = rt_state_pick(old, r->filter, true, ret_finding, &picked, err);
		if (status != RT_OK)
			return status;
	}
	return picked ? RT_OK : status;
}

/* --- In lanes ----------------------------------------------------------------------------- */

/* Each lane gets a copy of the command as it was prepared. */
static void share_free(void *ctx)
{
	rt_reading_release(ctx);
	free(ctx);
}

static enum rt_status share_begin(void *ctx, const struct rt_siphash_key *key, void **ret_share,
				  struct rt_error *err)
{
	const struct rt_reading *whole = ctx;
	struct rt_reading *r = malloc(whole->consumer->bytes);
	enum rt_status status;

	if (!r)
		return rt_error_nomem(err);
	memcpy(r, whole, whole->consumer->bytes);
	r->filter = NULL;
	r->fields.owners = NULL;
	*ret_share = r;
	status = rt_filter_new(r->terms, r->term_count, &r->fields.source, &r->filter, err);
	if (status == RT_OK)
		status = rt_state_new(r->options, NULL, &r->state, err);
	return status == RT_OK ? r->consumer->begin(r, key, err) : status;
}

static enum rt_status share_take(void *ctx, const struct rt_record *record, struct rt_error *err)
{
	struct rt_reading *r = ctx;

	if (record->kind != RT_KIND_ISSUE)
		return RT_OK;
	rt_state_stand(r->state, record);
	return take(r, record, err);
}

/* Put the counts of all shares into the first. */
static bool share_join(void *ctx, const struct rt_lanes *lanes)
{
	const struct rt_reading *whole = ctx;
	struct rt_reading *first = rt_lanes_share(lanes, 0);
	struct rt_error err;

	for (size_t i = 1; i < rt_lanes_used(lanes); i++) {
		struct rt_reading *next = rt_lanes_share(lanes, i);

		rt_filter_merge(first->filter, next->filter);
		first->total += next->total;
		first->picked += next->picked;
		if (whole->consumer->merge(first, next, &err) != RT_OK)
			return false;
	}
	return true;
}

/* Whether the filter has ids from a file, which each lane would read again: it may be a pipe. */
static bool reads_ids(const struct rt_reading *r)
{
	for (size_t i = 0; i < r->term_count; i++) {
		if (r->terms[i].text && strncmp(r->terms[i].text, "id=@", 4) == 0)
			return true;
	}
	return false;
}

enum rt_status rt_read(struct rt_reading *r, const struct rt_consumer *consumer,
		       struct rt_reading **ret_first, struct rt_error *err)
{
	const struct rt_lane_work work = {share_begin, share_take, share_join, share_free, r};

	rt_filter_tell(r->filter, r->options);
	r->consumer = consumer;
	if (consumer->bytes && !reads_ids(r))
		r->lanes = rt_lanes_read(r->options, &work);
	*ret_first = r->lanes ? rt_lanes_share(r->lanes, 0) : r;
	return r->lanes ? end(*ret_first, err) : rt_read_alone(r, consumer, NULL, err);
}
