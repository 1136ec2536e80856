/*
 * Reads the logs once to see which runs there are, then copies them. A run's results point into the
 * tables of their run by number: so runs are joined only where these tables are equal, or where
 * what is pointed at is named as well, and the numbers can go.
 */
#include "output/sarif_fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_string.h"
#include "base/uuid.h"
#include "output/sarif_change.h"
#include "sarif/object.h"

/* Runs that become one. */
struct joint {
	struct rt_log_joint log; /* first */
	struct joint *next;
	uint32_t place;
	uint64_t results;
};

/* A run of a log. */
struct fit_run {
	uint32_t side, part, number;
	uint32_t place; /* number in the new log */
	uint32_t shift; /* results of its joint before its own */
	struct rt_log_fate fate;
	struct rt_hash128 form; /* of what results mean by themselves and point into */
	bool is_list;           /* it has an array of results */
	bool is_apart;          /* its results point into tables that may not be joined */
	bool has_details;       /* automationDetails */
	size_t id, id_len;      /* of these, a JSON string in ids; 0: they stay */
	size_t pick, picks;     /* its results: the first one, and how many */
};

struct fit {
	const struct rt_report_settings *settings;
	struct rt_fit_counts *counts;
	struct rt_log_side *sides;
	uint32_t side;
	size_t run, pick; /* indexes of the next ones */
	struct rt_buf runs, ids;
	struct joint *first, *last;
	struct rt_siphash_key key;
	struct rt_map names; /* of tool and category: numbers of runs, from 1 */
	struct rt_map tools; /* so many runs of each */
	/* Of the run in hand. */
	struct rt_buf tool, details, category, room;
	struct rt_change change;
};

static struct fit_run *runs(const struct fit *f)
{
	return (struct fit_run *)(void *)f->runs.data;
}

static struct rt_log_pick *picks(const struct fit *f, uint32_t side)
{
	return (struct rt_log_pick *)(void *)f->sides[side].picks.results.data;
}

/* The run in hand. */
static struct fit_run *current(const struct fit *f)
{
	return &runs(f)[f->run - 1];
}

/* --- Categories ------------------------------------------------------------------------------- */

void rt_put_category(struct rt_put *put, struct rt_slice category, struct rt_slice tool,
		     uint32_t number)
{
	while (category.len && put->status == RT_OK) {
		size_t len = 1;

		if (category.len >= 6 && memcmp(category.ptr, "{tool}", 6) == 0)
			rt_put(put, (len = 6, tool));
		else if (category.len >= 3 && memcmp(category.ptr, "{n}", 3) == 0)
			rt_put_number(put, (len = 3, number));
		else
			rt_put(put, rt_slice_make(category.ptr, 1));
		category = rt_slice_make(category.ptr + len, category.len - len);
	}
}

bool rt_category_counts(struct rt_slice category)
{
	return category.len && memmem(category.ptr, category.len, "{n}", 3);
}

/* The category of an id: up to its last slash. ret_rest: what follows that. */
static struct rt_slice category_of(struct rt_slice id, struct rt_slice *ret_rest)
{
	size_t len = id.len;

	while (len && id.ptr[len - 1] != '/')
		len--;
	*ret_rest = rt_slice_make(id.ptr + len, id.len - len);
	return rt_slice_make(id.ptr, len ? len - 1 : 0);
}

/* How many runs of the tool in hand there are, this one included. Returns 0 with err set. */
static uint32_t count_tool(struct fit *f, struct rt_error *err)
{
	uint32_t *number = rt_map_put(&f->tools, rt_siphash(&f->key, rt_buf_slice(&f->tool)), err);

	return number ? ++*number : 0;
}

/* Give the run in hand the category that is asked for, in front of what its id has behind its own.
 */
static enum rt_status set_category(struct fit *f, struct rt_slice rest, struct rt_error *err)
{
	struct fit_run *run = current(f);
	struct rt_put put = {&f->category, err, RT_OK}, id = {&f->ids, err, RT_OK};
	uint32_t number = count_tool(f, err);

	if (!number)
		return RT_FATAL;
	f->category.len = 0;
	rt_put_category(&put, f->settings->category, rt_buf_slice(&f->tool), number);
	f->room.len = 0;
	if (put.status == RT_OK)
		put.status = RT_BUF_PUT(&f->room, err, rt_buf_slice(&f->category), RT_SLICE("/"),
					rt_slice_make(rest.ptr ? rest.ptr : "", rest.len));
	run->id = f->ids.len;
	if (put.status == RT_OK)
		rt_put_string(&id, rt_buf_slice(&f->room));
	run->id_len = f->ids.len - run->id;
	return put.status == RT_OK ? id.status : put.status;
}

/* --- Which runs there are --------------------------------------------------------------------- */

/* Take the results of the run in hand. Returns whether a filter has left none of them. */
static bool take_picks(struct fit *f, struct fit_run *run)
{
	const struct rt_log_pick *all = picks(f, f->side);
	size_t count = f->sides[f->side].picks.results.len / sizeof(*all);
	bool kept = false;

	run->pick = f->pick;
	while (f->pick < count && all[f->pick].part == run->part && all[f->pick].run == run->number)
		kept = !all[f->pick++].filtered || kept;
	run->picks = f->pick - run->pick;
	return run->picks && !kept;
}

static enum rt_status survey_begin(void *ctx, uint32_t part, uint32_t number,
				   struct rt_log_fate *ret_fate, struct rt_error *err)
{
	struct fit *f = ctx;
	struct fit_run run = {.side = f->side, .part = part, .number = number};
	bool is_empty = take_picks(f, &run);

	run.fate.dropped = (is_empty && f->settings->for_github) ||
			   (f->sides[f->side].picks.used_runs && !run.picks);
	f->counts->runs += is_empty && f->settings->for_github;
	f->run++;
	f->tool.len = f->details.len = 0;
	*ret_fate = run.fate;
	return rt_buf_append(&f->runs, &run, sizeof(run), err);
}

static bool survey_wants(void *ctx, enum rt_log_member member, char first)
{
	struct fit *f = ctx;
	struct fit_run *run;

	if (!f->settings->for_github)
		return false;
	run = current(f);
	run->is_list = run->is_list || (member == RT_LOG_RESULTS && first == '[');
	run->is_apart = run->is_apart || member == RT_LOG_POINTED;
	run->has_details = run->has_details || member == RT_LOG_AUTOMATION;
	/* Tables were read, within a limit; of the rest a word may be no more than a word. */
	return member == RT_LOG_TOOL || member == RT_LOG_AUTOMATION || member == RT_LOG_SHARED ||
	       (member == RT_LOG_COLUMN_KIND && first == '"');
}

/* Append the text of a member that is a string. */
static void take_text(struct rt_slice object, struct rt_slice name, struct rt_buf *out,
		      struct rt_sarif_fault *fault)
{
	struct rt_slice text = rt_sarif_member(object, name);

	if (rt_sarif_type(text) == RT_SARIF_STRING)
		rt_sarif_text(text, out, fault);
}

/* Count rules and extensions of a tool. */
static void count_rules(struct fit *f, struct rt_slice tool)
{
	struct rt_slice extensions = rt_sarif_member(tool, RT_SLICE("extensions"));
	struct rt_slice driver = rt_sarif_member(tool, RT_SLICE("driver"));
	uint64_t rules = rt_sarif_count(rt_sarif_member(driver, RT_SLICE("rules")));
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, extensions);
	while (rt_sarif_type(extensions) == RT_SARIF_ARRAY && rt_items_next(&items, &item))
		rules += rt_sarif_count(rt_sarif_member(item.value, RT_SLICE("rules")));
	if (rules > f->counts->most_rules)
		f->counts->most_rules = rules;
	if (rt_sarif_count(extensions) > f->counts->most_extensions)
		f->counts->most_extensions = rt_sarif_count(extensions);
}

static enum rt_status survey_shape(void *ctx, enum rt_log_member member, struct rt_slice value,
				   struct rt_buf *out, struct rt_error *err)
{
	struct fit *f = ctx;
	struct rt_hash128 hash, *form = &current(f)->form;
	struct rt_sarif_fault fault;

	(void)out;
	rt_sarif_fault_clear(&fault);
	if (member == RT_LOG_AUTOMATION) {
		take_text(value, RT_SLICE("id"), &f->details, &fault);
	} else {
		fault.status = rt_items_hash(&f->key, value, &f->room, &hash, &fault.err);
		form->low += fault.status == RT_OK ? hash.low : 0;
		form->high += fault.status == RT_OK ? hash.high : 0;
	}
	if (member == RT_LOG_TOOL && fault.status == RT_OK) {
		count_rules(f, value);
		take_text(rt_sarif_member(value, RT_SLICE("driver")), RT_SLICE("name"), &f->tool,
			  &fault);
	}
	if (fault.status != RT_OK)
		*err = fault.err;
	return fault.status;
}

/* Make a run part of the one that has its tool and category. */
static enum rt_status join(struct fit *f, struct fit_run *head, struct fit_run *run,
			   uint32_t *number, struct rt_error *err)
{
	struct joint *joint;

	f->counts->joined++;
	if (!run->is_list) {
		run->fate.dropped = true;
		return RT_OK;
	}
	if (!head->fate.joint) {
		joint = calloc(1, sizeof(*joint));
		if (!joint)
			return rt_error_nomem(err);
		rt_spool_init(&joint->log.body);
		rt_spool_init(&joint->log.tail);
		*(f->last ? &f->last->next : &f->first) = joint;
		f->last = joint;
		head->fate = (struct rt_log_fate){.joint = &joint->log, .heads = true};
	}
	run->fate.joint = head->fate.joint;
	if (head->is_list)
		return RT_OK;
	/* There is nothing in the other that this could be put behind. */
	head->fate.heads = false;
	run->fate.heads = true;
	*number = (uint32_t)f->run;
	return RT_OK;
}

static enum rt_status refuse(const struct fit *f, const struct fit_run *run, struct rt_error *err)
{
	char tool[64];

	rt_error_text(tool, sizeof(tool), rt_buf_slice(&f->tool));
	(void)rt_error_set(err, RT_E_INPUT,
			   "GitHub refuses two runs of %s with one category, and their rules or "
			   "tables differ; --category 'NAME/{n}' gives each its own",
			   *tool ? tool : "one tool");
	(void)snprintf(err->record, sizeof(err->record), "run %" PRIu32, run->number);
	return RT_FATAL;
}

/* All of a run has been seen: look whether there is one like it. */
static enum rt_status survey_end(void *ctx, struct rt_buf *out, struct rt_error *err)
{
	struct fit *f = ctx;
	struct fit_run *run = current(f);
	struct rt_slice rest, category = category_of(rt_buf_slice(&f->details), &rest);
	enum rt_status status = RT_OK;
	struct fit_run *head;
	uint32_t *number;

	(void)out;
	if (!f->settings->for_github)
		return RT_OK;
	if (f->settings->category.len) {
		status = set_category(f, rest, err);
		category = rt_buf_slice(&f->category);
	}
	f->room.len = 0;
	if (status == RT_OK)
		status = RT_BUF_PUT(&f->room, err, rt_buf_slice(&f->tool), rt_slice_make("", 1),
				    category);
	number = status == RT_OK
		     ? rt_map_put(&f->names, rt_siphash(&f->key, rt_buf_slice(&f->room)), err)
		     : NULL;
	if (!number)
		return RT_FATAL;
	if (!*number) {
		*number = (uint32_t)f->run;
		return RT_OK;
	}
	head = &runs(f)[*number - 1];
	if (run->is_apart || head->is_apart || run->form.low != head->form.low ||
	    run->form.high != head->form.high)
		return refuse(f, run, err);
	return join(f, head, run, number, err);
}

/* --- Where they go ---------------------------------------------------------------------------- */

static struct joint *joint_of(const struct fit_run *run)
{
	return (struct joint *)(void *)run->fate.joint;
}

/* Number the picked results of a run. Returns how many there are. */
static uint32_t number_results(struct fit *f, const struct fit_run *run)
{
	struct rt_log_pick *all = picks(f, run->side) + run->pick;
	uint32_t count = 0;

	for (size_t i = 0; i < run->picks; i++) {
		all[i].before = count;
		count += all[i].picked;
	}
	return count;
}

static void count_results(struct fit *f, uint64_t count)
{
	if (count > f->counts->most_results)
		f->counts->most_results = count;
}

/* Runs that stand by themselves come first, then those that were joined. */
static void find_places(struct fit *f)
{
	uint32_t place = 0;

	for (size_t i = 0; i < f->runs.len / sizeof(struct fit_run); i++) {
		struct fit_run *run = &runs(f)[i];

		if (!run->fate.dropped && !run->fate.joint)
			run->place = place++;
	}
	for (struct joint *joint = f->first; joint; joint = joint->next)
		joint->place = place++;
	for (size_t i = 0; i < f->runs.len / sizeof(struct fit_run); i++) {
		struct fit_run *run = &runs(f)[i];
		uint32_t count = number_results(f, run);

		if (!run->fate.joint) {
			count_results(f, count);
			continue;
		}
		run->place = joint_of(run)->place;
		run->shift = (uint32_t)joint_of(run)->results;
		joint_of(run)->results += count;
		count_results(f, joint_of(run)->results);
	}
}

/* The run of that number in the log in hand; NULL: none. */
static const struct fit_run *find_run(const struct fit *f, uint64_t number)
{
	size_t count = f->runs.len / sizeof(struct fit_run);
	size_t first = f->run - 1 - current(f)->number;
	const struct fit_run *run = &runs(f)[first + (size_t)number];

	if (number >= count - first || run->part != current(f)->part || run->side != f->side)
		return NULL;
	return run;
}

/* The new number of a result of a run in *number. Returns false: it is left out. */
static bool find_result(const struct fit *f, const struct fit_run *run, uint64_t *number)
{
	const struct rt_log_pick *all = picks(f, run->side) + run->pick;
	bool others = f->sides[run->side].picks.others;
	size_t low = 0, high = run->picks;
	uint64_t picked;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all[middle].result < *number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < run->picks && all[low].result == *number ? !all[low].picked : !others)
		return false;
	if (low < run->picks)
		picked = all[low].before;
	else
		picked = low ? all[low - 1].before + (uint64_t)all[low - 1].picked : 0;
	*number = run->shift + (others ? *number - (low - picked) : picked);
	return true;
}

/* Where an address of the log in hand leads (Q7). */
static enum rt_change_address find_address(void *ctx, uint64_t *run_number, uint64_t *result,
					   bool has_rest)
{
	struct fit *f = ctx;
	const struct fit_run *run = find_run(f, *run_number);
	uint64_t place, number = result ? *result : 0;

	/* It led nowhere. */
	if (!run)
		return RT_ADDRESS_SAME;
	place = run->place;
	if (run->fate.dropped || (result && !find_result(f, run, &number)) ||
	    (!result && has_rest && run->fate.joint && !run->fate.heads))
		return RT_ADDRESS_GONE;
	if (place == *run_number && (!result || number == *result))
		return RT_ADDRESS_SAME;
	*run_number = place;
	if (result)
		*result = number;
	return RT_ADDRESS_MOVED;
}

/* --- Copying ---------------------------------------------------------------------------------- */

static enum rt_status copy_begin(void *ctx, uint32_t part, uint32_t number,
				 struct rt_log_fate *ret_fate, struct rt_error *err)
{
	struct fit *f = ctx;

	(void)part;
	(void)number;
	(void)err;
	f->run++;
	*ret_fate = current(f)->fate;
	return RT_OK;
}

static bool copy_wants(void *ctx, enum rt_log_member member, char first)
{
	const struct fit *f = ctx;

	if (member == RT_LOG_RESULT)
		return true;
	if (member == RT_LOG_TOOL)
		return f->settings->for_github && first == '{';
	return member == RT_LOG_AUTOMATION && current(f)->id_len;
}

/* Put automationDetails: those that there are, or none, with an id. */
static enum rt_status shape_details(struct fit *f, struct rt_slice value, struct rt_buf *out,
				    struct rt_error *err)
{
	const struct fit_run *run = current(f);
	struct rt_slice id = {f->ids.data + run->id, run->id_len};
	const struct rt_edit edit = {RT_EDIT_SET, RT_SLICE("id"), id};

	if (rt_sarif_type(value) == RT_SARIF_OBJECT)
		return rt_change_edit(&f->change, value, &edit, 1, out, err);
	return RT_BUF_PUT(out, err, RT_SLICE("{\"id\":"), id, RT_SLICE("}"));
}

static enum rt_status copy_shape(void *ctx, enum rt_log_member member, struct rt_slice value,
				 struct rt_buf *out, struct rt_error *err)
{
	struct fit *f = ctx;
	const struct rt_log_fate *fate = &current(f)->fate;

	if (member == RT_LOG_AUTOMATION)
		return shape_details(f, value, out, err);
	if (member == RT_LOG_TOOL)
		return rt_change_tool(&f->change, value, out, err);
	return rt_change_result(&f->change, value, f->settings->for_github,
				fate->joint && !fate->heads, out, err);
}

static enum rt_status copy_end(void *ctx, struct rt_buf *out, struct rt_error *err)
{
	struct fit *f = ctx;
	const struct fit_run *run = current(f);

	if (!run->id_len || run->has_details)
		return RT_OK;
	if (RT_BUF_PUT(out, err, RT_SLICE(",\"automationDetails\":")) != RT_OK)
		return RT_FATAL;
	return shape_details(f, rt_slice_make(NULL, 0), out, err);
}

static enum rt_status discard(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	(void)ctx;
	(void)data;
	(void)len;
	(void)err;
	return RT_OK;
}

/* Go over all logs. */
static enum rt_status go_over(struct fit *f, struct rt_log_copy *copy, size_t count,
			      struct rt_error *err)
{
	enum rt_status status = RT_OK;

	f->run = 0;
	for (uint32_t i = 0; status == RT_OK && i < count; i++) {
		const struct rt_log_side *side = &f->sides[i];

		f->side = i;
		f->pick = 0;
		status = rt_log_copy_add(copy, side->options, &side->picks, side->stamp, err);
		if (i == 0)
			f->counts->left_out = copy->left_out;
	}
	return status;
}

static enum rt_status survey(struct fit *f, size_t count, struct rt_error *err)
{
	const struct rt_log_shaper shaper = {f, survey_begin, survey_wants, survey_shape,
					     survey_end};
	const struct rt_sink nowhere = {discard, NULL};
	struct rt_log_copy copy;
	enum rt_status status;

	rt_log_copy_init(&copy, &nowhere);
	copy.shaper = &shaper;
	status = go_over(f, &copy, count, err);
	rt_log_copy_release(&copy);
	return status;
}

static void release(struct fit *f)
{
	while (f->first) {
		struct joint *joint = f->first;

		f->first = joint->next;
		rt_spool_release(&joint->log.body);
		rt_spool_release(&joint->log.tail);
		free(joint);
	}
	rt_buf_release(&f->runs);
	rt_buf_release(&f->ids);
	rt_map_release(&f->names);
	rt_map_release(&f->tools);
	rt_buf_release(&f->tool);
	rt_buf_release(&f->details);
	rt_buf_release(&f->category);
	rt_buf_release(&f->room);
	rt_change_release(&f->change);
}

enum rt_status rt_sarif_fit_copy(struct rt_log_copy *copy, struct rt_log_side *sides, size_t count,
				 const struct rt_report_settings *settings,
				 struct rt_fit_counts *counts, struct rt_error *err)
{
	struct fit f = {.settings = settings, .sides = sides, .counts = counts};
	const struct rt_log_shaper shaper = {&f, copy_begin, copy_wants, copy_shape, copy_end};
	enum rt_status status = rt_siphash_key_init(&f.key, err);

	f.change =
	    (struct rt_change){.find = find_address, .ctx = &f, .key = f.key, .counts = counts};
	if (status == RT_OK)
		status = survey(&f, count, err);
	if (status == RT_OK) {
		find_places(&f);
		copy->shaper = &shaper;
		status = go_over(&f, copy, count, err);
		copy->shaper = NULL;
	}
	for (struct joint *joint = f.first; status == RT_OK && joint; joint = joint->next)
		status = rt_log_copy_joint(copy, &joint->log, err);
	release(&f);
	return status;
}
