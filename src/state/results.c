/*
 * Updates executed on the issues that they name, and written down as results. Think of an issue as
 * two texts that are made once: its part of a response, with the places of the four members that
 * updates change, and its notes. A result copies them with those members as the update leaves them.
 * An id without an issue is a failed one (SPEC D15).
 */
#include "state/results.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json_string.h"
#include "engine/finding.h"
#include "output/writer.h"
#include "scan/items.h"

/* Where the members stand that updates change. */
struct piece {
	uint32_t at, len;
};

/* An issue that is mentioned, as it is in a result. */
struct kept {
	bool found;     /* in the export */
	char *text;     /* with the items of its notes behind it; NULL where it is not kept */
	uint32_t len;   /* of the text */
	uint32_t total; /* with the notes */
	struct piece pieces[RT_STATE_MEMBERS]; /* in the order of rt_state_members */
	struct rt_issue_state base;            /* what they say */
	uint32_t uses;                         /* updates that are still to be executed */
};

/* The notes of an issue, being digested. */
struct notes_digest {
	struct rt_sha256 sha256;   /* of what comes before, and of its notes up to here */
	uint32_t target;           /* the issue; RT_PLAN_NONE: none */
	uint32_t mention;          /* the last one up to which they are in it */
	struct rt_effects updates; /* those that follow */
	bool any;                  /* it has a note */
};

struct rt_results {
	const struct rt_plan *plan;
	uint32_t first; /* the first update whose outcome is wanted */
	bool again;
	struct kept *kept;             /* by target */
	struct rt_issue_state *states; /* by mention: the issue's after that update */
	struct rt_outcome *outcomes;   /* by update from `first` on, as the next */
	uint32_t *missing;             /* issues that an update waits for */
	struct rt_buf document;
	struct rt_writer *writer; /* into value */
	struct rt_buf value;
	struct rt_buf issue; /* the text of the one that is being kept */
	/* Of the last update that is about one issue alone: the next one mostly adds a note to that
	 * issue, and there may be as many as an export has bytes for. */
	struct notes_digest latest;
};

/* Count what each update waits for, and what each issue is kept for. */
static void count_waiting(struct rt_results *results, uint32_t steps)
{
	for (uint32_t number = results->first; number < steps; number++) {
		struct rt_step step = rt_plan_step(results->plan, number);

		for (uint32_t i = 0; i < step.count; i++) {
			struct rt_mention mention = rt_plan_mention(results->plan, step.first + i);

			results->missing[number - results->first] += !mention.repeat;
			results->kept[mention.target].uses += !mention.repeat;
		}
	}
}

enum rt_status rt_results_new(const struct rt_plan *plan, uint32_t first, bool again,
			      struct rt_results **ret_results, struct rt_error *err)
{
	struct rt_results *results = calloc(1, sizeof(*results));
	uint32_t steps = rt_plan_steps(plan);
	size_t count = steps > first ? steps - first : 0;
	enum rt_status status = RT_OK;
	struct rt_sink into;

	if (!results)
		return rt_error_nomem(err);
	results->plan = plan;
	results->first = first;
	results->again = again;
	results->latest.target = RT_PLAN_NONE;
	results->kept = calloc((size_t)rt_plan_targets(plan) + 1, sizeof(*results->kept));
	results->states = calloc((size_t)rt_plan_mentions(plan) + 1, sizeof(*results->states));
	results->outcomes = calloc(count + 1, sizeof(*results->outcomes));
	results->missing = calloc(count + 1, sizeof(*results->missing));
	if (!results->kept || !results->states || !results->outcomes || !results->missing)
		status = rt_error_nomem(err);
	into = rt_buf_sink(&results->value);
	if (status == RT_OK)
		status = rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON}, &into,
					&results->writer, err);
	if (status != RT_OK) {
		rt_results_free(results);
		return status;
	}
	count_waiting(results, steps);
	*ret_results = results;
	return RT_OK;
}

static void drop(struct kept *kept)
{
	free(kept->text);
	kept->text = NULL;
}

void rt_results_free(struct rt_results *results)
{
	if (!results)
		return;
	for (uint32_t i = 0; results->kept && i < rt_plan_targets(results->plan); i++)
		drop(&results->kept[i]);
	free(results->kept);
	free(results->states);
	free(results->outcomes);
	free(results->missing);
	rt_writer_free(results->writer);
	rt_buf_release(&results->value);
	rt_buf_release(&results->issue);
	rt_buf_release(&results->document);
	free(results);
}

/* --- Issues as they are in a result -------------------------------------------------------- */

/* A value that is not spelled as we do it. */
static void put_anew(struct rt_results *results, struct rt_slice value, struct rt_put *put)
{
	if (put->status != RT_OK)
		return;
	results->value.len = 0;
	rt_writer_value(results->writer, value);
	put->status = rt_writer_finish(results->writer, put->err);
	/* Without the newline. */
	if (put->status == RT_OK)
		rt_put(put, rt_slice_make(results->value.data, results->value.len - 1));
}

/* The value of a member; ptr NULL: it is missing (SPEC D7). */
static void put_value(struct rt_results *results, enum rt_member m, struct rt_slice value,
		      struct rt_put *put)
{
	if (!value.ptr || *value.ptr == 'n')
		value = m == RT_M_FALSE_POSITIVE ? RT_SLICE("false") : RT_SLICE("null");
	if (*value.ptr == '[' || (*value.ptr == '"' && !rt_json_string_is_own(rt_slice_make(
							   value.ptr + 1, value.len - 2))))
		put_anew(results, value, put);
	else
		rt_put(put, value);
}

/* The notes of a record as the items of an array, spelled as we do it, and others. */
static void put_notes(struct rt_results *results, const struct rt_record *issue,
		      struct rt_slice others, struct rt_put *put)
{
	struct rt_slice notes = rt_record_notes(issue);
	struct rt_buf *out = put->out;
	size_t at = out->len;

	if (notes.ptr && *notes.ptr == '"') {
		RT_PUT(put, "{\"added_at\":null,\"text\":");
		put_anew(results, notes, put);
		RT_PUT(put, "}");
	} else if (notes.ptr) {
		put_anew(results, notes, put);
	}
	if (put->status == RT_OK && notes.ptr && *notes.ptr == '[') {
		/* Without the brackets. */
		out->len -= 2;
		memmove(out->data + at, out->data + at + 1, out->len - at);
	}
	rt_put(put, rt_slice_make(",", others.len && out->len > at));
	rt_put(put, others);
}

/* Write an issue's text and notes into results->issue, and where what is in it. */
static enum rt_status write_issue(struct rt_results *results, const struct rt_record *issue,
				  struct rt_slice notes, struct kept *ret_kept,
				  struct rt_error *err)
{
	struct rt_buf *out = &results->issue;
	struct rt_put put = {out, err, RT_OK};
	size_t count, piece = 0;
	const struct rt_member_rule *rules = rt_member_rules(RT_KIND_ISSUE, &count);

	out->len = 0;
	ret_kept->base = rt_issue_state_of(issue);
	for (size_t i = 0; i < count; i++) {
		enum rt_member m = rules[i].member;
		const char *value = issue->types[m] ? issue->values[m].ptr : NULL;
		size_t at;

		rt_put(&put, i ? RT_SLICE(",\"") : RT_SLICE("{\""));
		rt_put(&put, rt_member_name(m));
		RT_PUT(&put, "\":");
		at = out->len;
		put_value(results, m, rt_slice_make(value, issue->values[m].len), &put);
		if (piece < RT_STATE_MEMBERS && m == rt_state_members[piece])
			ret_kept->pieces[piece++] =
			    (struct piece){(uint32_t)at, (uint32_t)(out->len - at)};
	}
	RT_PUT(&put, "}");
	ret_kept->len = (uint32_t)out->len;
	put_notes(results, issue, notes, &put);
	if (put.status == RT_OK && out->len > UINT32_MAX)
		return rt_error_set(err, RT_E_LIMIT, "an issue exceeds 4 GiB");
	ret_kept->total = (uint32_t)out->len;
	return put.status;
}

/* Work out the issue's states after each update that mentions it. */
static void run_updates(struct rt_results *results, uint32_t target)
{
	struct rt_effects effects =
	    rt_effects_of(results->plan, target, &results->kept[target].base);
	uint32_t mention = effects.mention;

	while (rt_effects_next(&effects)) {
		results->states[mention] = effects.after;
		mention = effects.mention;
	}
}

enum rt_status rt_results_keep(struct rt_results *results, uint32_t target,
			       const struct rt_record *issue, struct rt_slice notes,
			       struct rt_error *err)
{
	struct kept *kept = &results->kept[target];
	enum rt_status status = write_issue(results, issue, notes, kept, err);

	if (status != RT_OK)
		return status;
	kept->text = malloc(kept->total);
	if (!kept->text)
		return rt_error_nomem(err);
	memcpy(kept->text, results->issue.data, kept->total);
	kept->found = true;
	run_updates(results, target);
	return RT_OK;
}

/* --- Results --------------------------------------------------------------------------------- */

/* Count what an update has come to. */
static struct rt_result count_mentions(const struct rt_results *results, const struct rt_step *step,
				       uint32_t number)
{
	struct rt_result result = {0};

	for (uint32_t i = step->first; i < step->first + step->count; i++) {
		struct rt_mention mention = rt_plan_mention(results->plan, i);

		if (mention.repeat)
			continue;
		if (!results->kept[mention.target].found) {
			result.failed_count++;
			continue;
		}
		result.updated_count++;
		result.unchanged_count += results->states[i].changed_by != number;
	}
	return result;
}

/* The issue in a state: what is kept, with the changed members in their places. */
static void put_issue(const struct rt_results *results, const struct kept *kept,
		      const struct rt_issue_state *state, struct rt_put *put)
{
	struct rt_slice at = rt_issue_state_at(state, results->plan);
	uint32_t from = 0;

	assert(kept->text);
	for (size_t i = 0; i < RT_STATE_MEMBERS; i++) {
		const struct piece *piece = &kept->pieces[i];
		char quoted[RT_STATE_TEXT];
		struct rt_slice text =
		    rt_issue_state_text(state, &kept->base, at, rt_state_members[i], quoted);

		if (!text.ptr)
			continue;
		rt_put(put, rt_slice_make(kept->text + from, piece->at - from));
		rt_put(put, text);
		from = piece->at + piece->len;
	}
	rt_put(put, rt_slice_make(kept->text + from, kept->len - from));
}

/* Write those of an update's issues that failed, or those that did not. */
static void put_mentions(const struct rt_results *results, const struct rt_step *step, bool found,
			 struct rt_put *put)
{
	bool first = true;

	RT_PUT(put, "[");
	for (uint32_t i = step->first; i < step->first + step->count; i++) {
		struct rt_mention mention = rt_plan_mention(results->plan, i);
		const struct kept *kept = &results->kept[mention.target];

		if (mention.repeat || kept->found != found)
			continue;
		rt_put(put, rt_slice_make(",", !first));
		first = false;
		if (found) {
			put_issue(results, kept, &results->states[i], put);
			continue;
		}
		RT_PUT(put, "{\"issue_id\":");
		rt_put_string(put, rt_plan_id(results->plan, mention.target));
		RT_PUT(put, ",\"error\":\"not_found\",\"message\":\"no issue has this id\"}");
	}
	RT_PUT(put, "]");
}

enum rt_status rt_results_run(struct rt_results *results, uint32_t number,
			      struct rt_result *ret_result, struct rt_error *err)
{
	struct rt_step step = rt_plan_step(results->plan, number);
	struct rt_put put = {&results->document, err, RT_OK};

	*ret_result = count_mentions(results, &step, number);
	results->document.len = 0;
	RT_PUT(&put, "{\"updated_count\":");
	rt_put_number(&put, ret_result->updated_count);
	RT_PUT(&put, ",\"failed_count\":");
	rt_put_number(&put, ret_result->failed_count);
	RT_PUT(&put, ",\"failed_issues\":");
	put_mentions(results, &step, false, &put);
	RT_PUT(&put, ",\"updated_issues\":");
	put_mentions(results, &step, true, &put);
	RT_PUT(&put, "}");
	ret_result->text = rt_buf_slice(&results->document);
	return put.status;
}

/* Begin with the notes that an issue has in the export, as an array. */
static void begin_notes(const struct rt_results *results, uint32_t target, struct notes_digest *d)
{
	const struct kept *kept = &results->kept[target];

	d->target = target;
	d->updates = rt_effects_of(results->plan, target, &kept->base);
	d->any = kept->total > kept->len;
	rt_sha256_add(&d->sha256, "[", 1);
	rt_sha256_add(&d->sha256, kept->text + kept->len, kept->total - kept->len);
}

/* Go on with the notes of its updates, up to the mention numbered `last`. */
static void add_notes(struct notes_digest *d, uint32_t last, struct rt_put *put)
{
	d->mention = last;
	while (put->status == RT_OK && d->updates.mention <= last && rt_effects_next(&d->updates)) {
		if (!d->updates.step.notes.len)
			continue;
		put->out->len = 0;
		rt_put(put, rt_slice_make(",", d->any));
		d->any = true;
		rt_issue_note_put(put, &d->updates.step);
		rt_sha256_add(&d->sha256, put->out->data, put->out->len);
	}
}

/* How many issues an update has, and the mention of the first one. */
static uint32_t count_found(const struct rt_results *results, const struct rt_step *step,
			    uint32_t *ret_first)
{
	uint32_t count = 0;

	for (uint32_t i = step->first + step->count; i-- > step->first;) {
		struct rt_mention mention = rt_plan_mention(results->plan, i);

		if (mention.repeat || !results->kept[mention.target].found)
			continue;
		*ret_first = i;
		count++;
	}
	return count;
}

/* Digest the notes of an update's one issue: what is known of them already is not read again. */
static struct rt_sha256 digest_one(struct rt_results *results, uint32_t mention, struct rt_put *put)
{
	uint32_t target = rt_plan_mention(results->plan, mention).target;
	struct notes_digest *d = &results->latest;

	if (d->target != target || d->mention > mention) {
		rt_sha256_reset(&d->sha256);
		rt_sha256_add(&d->sha256, "[", 1);
		begin_notes(results, target, d);
	}
	add_notes(d, mention, put);
	return d->sha256;
}

/* The same of an update of several, or of none. */
static struct rt_sha256 digest_all(struct rt_results *results, const struct rt_step *step,
				   struct rt_put *put)
{
	struct notes_digest d;
	bool first = true;

	rt_sha256_reset(&d.sha256);
	rt_sha256_add(&d.sha256, "[", 1);
	for (uint32_t i = step->first; put->status == RT_OK && i < step->first + step->count; i++) {
		struct rt_mention mention = rt_plan_mention(results->plan, i);

		if (mention.repeat || !results->kept[mention.target].found)
			continue;
		rt_sha256_add(&d.sha256, "],", first ? 0 : 2);
		first = false;
		begin_notes(results, mention.target, &d);
		add_notes(&d, i, put);
	}
	rt_sha256_add(&d.sha256, "]", first ? 0 : 1);
	return d.sha256;
}

enum rt_status rt_results_notes(struct rt_results *results, uint32_t number,
				uint8_t ret_sha256[RT_SHA256_BYTES], struct rt_error *err)
{
	struct rt_step step = rt_plan_step(results->plan, number);
	struct rt_put put = {&results->document, err, RT_OK};
	uint32_t first;
	bool one = count_found(results, &step, &first) == 1;
	struct rt_sha256 sha256 =
	    one ? digest_one(results, first, &put) : digest_all(results, &step, &put);

	rt_sha256_add(&sha256, "]]", one ? 2 : 1);
	rt_sha256_end(&sha256, ret_sha256);
	return put.status;
}

/* --- Outcomes -------------------------------------------------------------------------------- */

/* An update has been executed: let go of issues that no other one needs. */
static void release_issues(struct rt_results *results, uint32_t number)
{
	struct rt_step step = rt_plan_step(results->plan, number);

	for (uint32_t i = 0; i < step.count; i++) {
		struct rt_mention mention = rt_plan_mention(results->plan, step.first + i);
		struct kept *kept = &results->kept[mention.target];

		if (!mention.repeat && --kept->uses == 0)
			drop(kept);
	}
}

static enum rt_status execute(struct rt_results *results, uint32_t number, struct rt_error *err)
{
	struct rt_outcome *outcome = &results->outcomes[number - results->first];
	struct rt_result result;
	enum rt_status status = rt_results_run(results, number, &result, err);

	if (status != RT_OK)
		return status;
	outcome->updated_count = result.updated_count;
	outcome->failed_count = result.failed_count;
	rt_sha256_of(result.text, outcome->sha256);
	status = rt_results_notes(results, number, outcome->notes_sha256, err);
	if (status == RT_OK && !results->again)
		release_issues(results, number);
	return status;
}

enum rt_status rt_results_add(struct rt_results *results, uint32_t target,
			      const struct rt_record *issue, struct rt_error *err)
{
	struct kept *kept = &results->kept[target];
	struct rt_effects effects;
	enum rt_status status;

	/* A second one of an id is on its way to being refused. */
	if (kept->found)
		return RT_OK;
	status = rt_results_keep(results, target, issue, RT_SLICE(""), err);
	effects = rt_effects_of(results->plan, target, &kept->base);
	while (status == RT_OK && rt_effects_next(&effects)) {
		if (effects.number >= results->first &&
		    --results->missing[effects.number - results->first] == 0)
			status = execute(results, effects.number, err);
	}
	return status;
}

enum rt_status rt_results_finish(struct rt_results *results, struct rt_error *err)
{
	uint32_t steps = rt_plan_steps(results->plan);
	enum rt_status status = RT_OK;

	for (uint32_t number = results->first; status == RT_OK && number < steps; number++) {
		if (results->missing[number - results->first])
			status = execute(results, number, err);
	}
	return status;
}

const struct rt_outcome *rt_results_outcome(const struct rt_results *results, uint32_t number)
{
	assert(number >= results->first);
	return &results->outcomes[number - results->first];
}
