/*
 * Executes updates. Input: a plan, and the issues of the export that it names. Output: one compact
 * result document an update. An id without an issue is a failed one (SPEC D15).
 */
#include "ops/results.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_string.h"
#include "engine/finding.h"
#include "output/writer.h"
#include "scan/items.h"

/* Texts are laid into blocks: one allocation each would take half as long as writing them, and more
 * than that in a second thread. The first block is small, since a service makes one an update; each
 * has twice the bytes of the one before, up to BLOCK_BYTES. */
#define BLOCK_BYTES ((size_t)1024 * 1024)
#define BLOCK_DOUBLINGS 6u

/* Where the members stand that updates change. */
struct piece {
	uint32_t at, len;
};

/* An issue as it stands in a result. */
struct shape {
	uint32_t len;                          /* of its text */
	uint32_t total;                        /* with the items of its notes behind it */
	struct piece pieces[RT_STATE_MEMBERS]; /* in the order of rt_state_members */
	struct rt_issue_state base;            /* what they say */
};

struct block {
	char *data; /* NULL once none of its texts is kept any more */
	size_t size;
	size_t kept; /* texts */
};

/* An issue that is mentioned. */
struct kept {
	bool found; /* in the export */
	char *text; /* NULL where it is not kept */
	size_t block;
	struct shape shape;
};

struct rt_results {
	const struct rt_plan *plan;
	struct kept *kept;             /* by target */
	struct rt_issue_state *states; /* by mention: the issue's after that update */
	struct rt_buf blocks;          /* of struct block: where the texts of kept issues lie */
	size_t room;                   /* bytes that are left of the last one */
	struct rt_buf document;
	struct rt_sha256 sha256;  /* of notes */
	struct rt_writer *writer; /* into value */
	struct rt_buf value;
	struct rt_buf issue; /* the text of the one that is being kept */
};

enum rt_status rt_results_new(const struct rt_plan *plan, struct rt_results **ret_results,
			      struct rt_error *err)
{
	struct rt_results *results = calloc(1, sizeof(*results));
	uint32_t count = rt_plan_targets(plan), mentions = rt_plan_mentions(plan);
	enum rt_status status = RT_OK;
	struct rt_sink into;

	if (!results)
		return rt_error_nomem(err);
	results->plan = plan;
	results->kept = calloc(count ? count : 1, sizeof(*results->kept));
	results->states = calloc(mentions ? mentions : 1, sizeof(*results->states));
	if (!results->kept || !results->states)
		status = rt_error_nomem(err);
	into = rt_buf_sink(&results->value);
	if (status == RT_OK)
		status = rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON}, &into,
					&results->writer, err);
	if (status != RT_OK) {
		rt_results_free(results);
		return status;
	}
	*ret_results = results;
	return RT_OK;
}

static struct block *blocks(const struct rt_results *results)
{
	return (struct block *)(void *)results->blocks.data;
}

static size_t block_count(const struct rt_results *results)
{
	return results->blocks.len / sizeof(struct block);
}

void rt_results_free(struct rt_results *results)
{
	if (!results)
		return;
	for (size_t i = 0; i < block_count(results); i++)
		free(blocks(results)[i].data);
	rt_buf_release(&results->blocks);
	free(results->kept);
	free(results->states);
	rt_writer_free(results->writer);
	rt_buf_release(&results->value);
	rt_buf_release(&results->issue);
	rt_buf_release(&results->document);
	free(results);
}

/* --- Issues as they stand in a result -------------------------------------------------------- */

static enum rt_status append(struct rt_buf *out, struct rt_slice text, struct rt_error *err)
{
	return rt_buf_append(out, text.ptr, text.len, err);
}

/* Append a comma, or the bracket before all, and a member's name and colon. */
static enum rt_status put_name(struct rt_buf *out, char before, struct rt_slice name,
			       struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(out, name.len + 4, err);
	char *to = out->data + out->len;

	if (status != RT_OK)
		return status;
	*to++ = before;
	*to++ = '"';
	memcpy(to, name.ptr, name.len);
	to[name.len] = '"';
	to[name.len + 1] = ':';
	out->len += name.len + 4;
	return RT_OK;
}

/* Append a value that is not spelled as we do it. */
static enum rt_status put_anew(struct rt_results *results, struct rt_slice value,
			       struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status;

	results->value.len = 0;
	rt_writer_value(results->writer, value);
	status = rt_writer_finish(results->writer, err);
	/* Without the newline. */
	return status == RT_OK
		   ? rt_buf_append(out, results->value.data, results->value.len - 1, err)
		   : status;
}

/* Append an array of strings that are spelled as we do it, without the blanks between them. */
static enum rt_status put_strings(struct rt_slice array, struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status = append(out, RT_SLICE("["), err);
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, array);
	for (bool first = true; status == RT_OK && rt_items_next(&items, &item); first = false) {
		if (!first)
			status = append(out, RT_SLICE(","), err);
		if (status == RT_OK)
			status = append(out, item.value, err);
	}
	return status == RT_OK ? append(out, RT_SLICE("]"), err) : status;
}

/* Append the value of a member; ptr NULL: it is missing (SPEC D7). own: all strings of its record
 * are spelled as we do it. */
static enum rt_status put_value(struct rt_results *results, enum rt_member m, struct rt_slice value,
				bool own, struct rt_buf *out, struct rt_error *err)
{
	if (!value.ptr || *value.ptr == 'n')
		value = m == RT_M_FALSE_POSITIVE ? RT_SLICE("false") : RT_SLICE("null");
	else if (*value.ptr == '[')
		return own ? put_strings(value, out, err) : put_anew(results, value, out, err);
	else if (*value.ptr == '"' && !own &&
		 !rt_json_string_is_own(rt_slice_make(value.ptr + 1, value.len - 2)))
		return put_anew(results, value, out, err);
	return append(out, value, err);
}

/* Append the notes of a record as the items of an array, spelled as we do it, and others. */
static enum rt_status put_notes(struct rt_results *results, const struct rt_record *issue,
				struct rt_slice others, struct rt_buf *out, struct rt_error *err)
{
	struct rt_slice notes = rt_record_notes(issue);
	enum rt_status status = RT_OK;
	size_t at = out->len;

	if (notes.ptr && *notes.ptr == '"')
		status = append(out, RT_SLICE("{\"added_at\":null,\"text\":"), err);
	if (status == RT_OK && notes.ptr)
		status = put_anew(results, notes, out, err);
	if (status == RT_OK && notes.ptr && *notes.ptr == '"')
		status = append(out, RT_SLICE("}"), err);
	if (status == RT_OK && notes.ptr && *notes.ptr == '[') {
		/* Without the brackets. */
		out->len -= 2;
		memmove(out->data + at, out->data + at + 1, out->len - at);
	}
	if (status == RT_OK && others.len && out->len > at)
		status = append(out, RT_SLICE(","), err);
	return status == RT_OK ? append(out, others, err) : status;
}

/* Write an issue's text and notes into results->issue. Returns RT_OK or RT_FATAL. */
static enum rt_status write_issue(struct rt_results *results, const struct rt_record *issue,
				  struct rt_slice notes, struct shape *ret_shape,
				  struct rt_error *err)
{
	struct rt_buf *out = &results->issue;
	size_t count, piece = 0;
	const struct rt_member_rule *rules = rt_member_rules(RT_KIND_ISSUE, &count);
	bool own = rt_json_strings_are_own(issue->text);
	enum rt_status status = RT_OK;

	out->len = 0;
	*ret_shape = (struct shape){.base = rt_issue_state_of(issue)};
	for (size_t i = 0; status == RT_OK && i < count; i++) {
		enum rt_member m = rules[i].member;
		size_t at;

		status = put_name(out, i ? ',' : '{', rt_member_name(m), err);
		at = out->len;
		if (status == RT_OK)
			status =
			    put_value(results, m,
				      rt_slice_make(issue->types[m] ? issue->values[m].ptr : NULL,
						    issue->values[m].len),
				      own, out, err);
		if (piece < RT_STATE_MEMBERS && m == rt_state_members[piece])
			ret_shape->pieces[piece++] =
			    (struct piece){(uint32_t)at, (uint32_t)(out->len - at)};
	}
	if (status == RT_OK)
		status = append(out, RT_SLICE("}"), err);
	ret_shape->len = (uint32_t)out->len;
	if (status == RT_OK)
		status = put_notes(results, issue, notes, out, err);
	if (status == RT_OK && out->len > UINT32_MAX)
		return rt_error_set(err, RT_E_LIMIT, "an issue exceeds 4 GiB");
	ret_shape->total = (uint32_t)out->len;
	return status;
}

/* --- Keeping them ---------------------------------------------------------------------------- */

/* Begin a block that has room for a text. */
static enum rt_status add_block(struct rt_results *results, size_t len, struct rt_error *err)
{
	size_t count = block_count(results);
	size_t usual = BLOCK_BYTES >> (count < BLOCK_DOUBLINGS ? BLOCK_DOUBLINGS - count : 0);
	struct block block = {.size = len > usual ? len : usual};
	enum rt_status status;

	block.data = malloc(block.size);
	if (!block.data)
		return rt_error_nomem(err);
	status = rt_buf_append(&results->blocks, &block, sizeof(block), err);
	if (status != RT_OK)
		free(block.data);
	else
		results->room = block.size;
	return status;
}

/* Work out the issue's states after each update that mentions it. */
static void run_updates(struct rt_results *results, uint32_t target)
{
	struct rt_effects effects =
	    rt_effects_of(results->plan, target, &results->kept[target].shape.base);
	uint32_t mention = effects.mention;

	while (rt_effects_next(&effects)) {
		results->states[mention] = effects.after;
		mention = effects.mention;
	}
}

/* Keep a copy of the text in results->issue. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
static enum rt_status place_issue(struct rt_results *results, uint32_t target,
				  const struct shape *shape, struct rt_error *err)
{
	struct kept *kept = &results->kept[target];
	enum rt_status status = RT_OK;
	struct block *block;

	rt_results_drop(results, target);
	if (shape->total > results->room)
		status = add_block(results, shape->total, err);
	if (status != RT_OK)
		return status;
	block = blocks(results) + block_count(results) - 1;
	*kept = (struct kept){.found = true,
			      .text = block->data + (block->size - results->room),
			      .block = block_count(results) - 1,
			      .shape = *shape};
	memcpy(kept->text, results->issue.data, shape->total);
	block->kept++;
	results->room -= shape->total;
	run_updates(results, target);
	return RT_OK;
}

void rt_results_drop(struct rt_results *results, uint32_t target)
{
	struct kept *kept = &results->kept[target];
	struct block *block;
	bool last;

	if (!kept->text)
		return;
	block = &blocks(results)[kept->block];
	last = kept->block == block_count(results) - 1;
	block->kept--;
	/* Mostly it is the one that was placed last. */
	if (last && kept->text + kept->shape.total == block->data + (block->size - results->room))
		results->room += kept->shape.total;
	if (last && block->kept == 0)
		results->room = block->size;
	if (!last && block->kept == 0) {
		free(block->data);
		block->data = NULL;
	}
	kept->text = NULL;
}

enum rt_status rt_results_keep(struct rt_results *results, uint32_t target,
			       const struct rt_record *issue, struct rt_slice notes,
			       struct rt_error *err)
{
	struct shape shape;
	enum rt_status status;

	status = write_issue(results, issue, notes, &shape, err);
	return status == RT_OK ? place_issue(results, target, &shape, err) : status;
}

bool rt_results_has(const struct rt_results *results, uint32_t target)
{
	return results->kept[target].found;
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

static enum rt_status put(struct rt_results *results, const char *text, size_t len,
			  struct rt_error *err)
{
	return rt_buf_append(&results->document, text, len, err);
}

static enum rt_status put_text(struct rt_results *results, const char *text, struct rt_error *err)
{
	return put(results, text, strlen(text), err);
}

/* The issue in a state: what is kept, with the changed members in their places. */
static enum rt_status put_issue(struct rt_results *results, const struct kept *kept,
				const struct rt_issue_state *state, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	uint32_t from = 0;

	assert(kept->text);
	for (size_t i = 0; status == RT_OK && i < RT_STATE_MEMBERS; i++) {
		const struct piece *piece = &kept->shape.pieces[i];
		char quoted[RT_STATE_TEXT];
		struct rt_slice text = rt_issue_state_text(state, &kept->shape.base, results->plan,
							   rt_state_members[i], quoted);

		if (!text.ptr)
			continue;
		status = put(results, kept->text + from, piece->at - from, err);
		if (status == RT_OK)
			status = put(results, text.ptr, text.len, err);
		from = piece->at + piece->len;
	}
	return status == RT_OK ? put(results, kept->text + from, kept->shape.len - from, err)
			       : status;
}

static enum rt_status put_failed(struct rt_results *results, uint32_t target, struct rt_error *err)
{
	struct rt_slice id = rt_plan_id(results->plan, target);
	enum rt_status status = put_text(results, "{\"issue_id\":", err);

	if (status == RT_OK)
		status = rt_json_string_encode(id, &results->document, err);
	if (status == RT_OK)
		status = put_text(
		    results, ",\"error\":\"not_found\",\"message\":\"no issue has this id\"}", err);
	return status;
}

/* Write those of an update's issues that failed, or those that did not. */
static enum rt_status put_mentions(struct rt_results *results, const struct rt_step *step,
				   bool found, struct rt_error *err)
{
	enum rt_status status = put(results, "[", 1, err);
	bool first = true;

	for (uint32_t i = step->first; status == RT_OK && i < step->first + step->count; i++) {
		struct rt_mention mention = rt_plan_mention(results->plan, i);
		const struct kept *kept = &results->kept[mention.target];

		if (mention.repeat || kept->found != found)
			continue;
		if (!first)
			status = put(results, ",", 1, err);
		first = false;
		if (status == RT_OK)
			status = found ? put_issue(results, kept, &results->states[i], err)
				       : put_failed(results, mention.target, err);
	}
	return status == RT_OK ? put(results, "]", 1, err) : status;
}

enum rt_status rt_results_run(struct rt_results *results, uint32_t number,
			      struct rt_result *ret_result, struct rt_error *err)
{
	struct rt_step step = rt_plan_step(results->plan, number);
	enum rt_status status;
	char head[96];

	*ret_result = count_mentions(results, &step, number);
	results->document.len = 0;
	(void)snprintf(head, sizeof(head),
		       "{\"updated_count\":%u,\"failed_count\":%u,\"failed_issues\":",
		       ret_result->updated_count, ret_result->failed_count);
	status = put_text(results, head, err);
	if (status == RT_OK)
		status = put_mentions(results, &step, false, err);
	if (status == RT_OK)
		status = put_text(results, ",\"updated_issues\":", err);
	if (status == RT_OK)
		status = put_mentions(results, &step, true, err);
	if (status == RT_OK)
		status = put_text(results, "}", err);
	ret_result->text = rt_buf_slice(&results->document);
	return status;
}

/* The notes of an issue after the mention numbered `last`, as an array. */
static enum rt_status put_notes_after(struct rt_results *results, uint32_t last,
				      struct rt_error *err)
{
	uint32_t target = rt_plan_mention(results->plan, last).target;
	const struct kept *kept = &results->kept[target];
	struct rt_buf *out = &results->document;
	uint32_t mention = rt_plan_first(results->plan, target);
	enum rt_status status = put_text(results, "[", err);
	size_t at = out->len;

	if (status == RT_OK)
		status = put(results, kept->text + kept->shape.len,
			     kept->shape.total - kept->shape.len, err);
	while (status == RT_OK && mention != RT_PLAN_NONE && mention <= last) {
		struct rt_mention now = rt_plan_mention(results->plan, mention);
		struct rt_step step = rt_plan_step(results->plan, now.step);

		if (step.notes.len && out->len > at)
			status = put_text(results, ",", err);
		if (status == RT_OK && step.notes.len)
			status = rt_issue_note_put(out, &step, err);
		mention = now.next;
	}
	return status == RT_OK ? put_text(results, "]", err) : status;
}

enum rt_status rt_results_notes(struct rt_results *results, uint32_t number,
				uint8_t ret_sha256[RT_SHA256_BYTES], struct rt_error *err)
{
	struct rt_step step = rt_plan_step(results->plan, number);
	struct rt_buf *out = &results->document;
	enum rt_status status = RT_OK;
	bool first = true;

	rt_sha256_reset(&results->sha256);
	rt_sha256_add(&results->sha256, "[", 1);
	for (uint32_t i = step.first; status == RT_OK && i < step.first + step.count; i++) {
		struct rt_mention mention = rt_plan_mention(results->plan, i);

		if (mention.repeat || !results->kept[mention.target].found)
			continue;
		out->len = 0;
		if (!first)
			status = put_text(results, ",", err);
		first = false;
		if (status == RT_OK)
			status = put_notes_after(results, i, err);
		if (status == RT_OK)
			rt_sha256_add(&results->sha256, out->data, out->len);
	}
	rt_sha256_add(&results->sha256, "]", 1);
	rt_sha256_end(&results->sha256, ret_sha256);
	return status;
}
