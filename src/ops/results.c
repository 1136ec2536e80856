/*
 * Executes updates. Input: a plan, and the issues of the export that it names. Output: one compact
 * result document an update. An id without an issue is a failed one (SPEC D15).
 */
#include "ops/results.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/helper.h"
#include "base/json_string.h"
#include "output/answers.h"
#include "scan/scan.h"

/* Texts are laid into blocks: one allocation each would take half as long as writing them, and more
 * than that in a second thread. The first block is small, since a service makes one an update; each
 * has twice the bytes of the one before, up to BLOCK_BYTES. */
#define BLOCK_BYTES ((size_t)1024 * 1024)
#define BLOCK_DOUBLINGS 6u

/* A piece of an issue's text that updates replace. */
struct piece {
	uint32_t at, len;
};

/* An issue that is mentioned; text NULL until it is met in the export. */
struct kept {
	char *text;
	uint32_t len;
	struct piece
	    pieces[RT_STATE_MEMBERS]; /* in the order of rt_state_members and of the text */
	struct rt_issue_state base, now;
};

struct rt_results {
	const struct rt_plan *plan;
	struct kept *kept;    /* by target */
	struct rt_buf blocks; /* of char *: where the texts of kept issues lie */
	char *room;           /* what is left of the last block */
	size_t room_len;
	struct rt_scan *scan;
	const struct rt_scan_ops *ops;
	struct rt_writer *writer; /* into issue */
	struct rt_buf issue; /* the text of an issue while it is written, padded for the scanner */
	struct rt_buf document;
};

enum rt_status rt_results_new(const struct rt_plan *plan, struct rt_results **ret_results,
			      struct rt_error *err)
{
	struct rt_results *results = calloc(1, sizeof(*results));
	uint32_t count = rt_plan_targets(plan);
	enum rt_status status;
	struct rt_sink into;

	if (!results)
		return rt_error_nomem(err);
	results->plan = plan;
	results->ops = rt_scan_ops_for(RT_SIMD_AUTO);
	results->kept = calloc(count ? count : 1, sizeof(*results->kept));
	results->scan = rt_scan_alloc(sizeof(*results->scan));
	if (!results->kept || !results->scan) {
		rt_results_free(results);
		return rt_error_nomem(err);
	}
	rt_scan_init(results->scan, RT_LIMIT_DEPTH_MAX);
	into = rt_buf_sink(&results->issue);
	status = rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON}, &into,
				&results->writer, err);
	if (status != RT_OK) {
		rt_results_free(results);
		return status;
	}
	*ret_results = results;
	return RT_OK;
}

void rt_results_free(struct rt_results *results)
{
	if (!results)
		return;
	for (size_t i = 0; i < results->blocks.len / sizeof(char *); i++)
		free(((char **)(void *)results->blocks.data)[i]);
	rt_buf_release(&results->blocks);
	free(results->kept);
	free(results->scan);
	rt_writer_free(results->writer);
	rt_buf_release(&results->issue);
	rt_buf_release(&results->document);
	free(results);
}

/* Write the issue as in a response into results->issue. */
static enum rt_status write_issue(struct rt_results *results, const struct rt_record *issue,
				  struct rt_error *err)
{
	struct rt_slice values[RT_ISSUE_MEMBERS];
	enum rt_status status;

	for (size_t m = 0; m < RT_ISSUE_MEMBERS; m++)
		values[m] = issue->types[m] ? issue->values[m] : (struct rt_slice){NULL, 0};
	results->issue.len = 0;
	rt_answer_issue(results->writer, values);
	status = rt_writer_finish(results->writer, err);
	if (status == RT_OK)
		status = rt_buf_reserve(&results->issue, RT_PADDING, err);
	if (status != RT_OK)
		return status;
	/* Without the newline. */
	results->issue.len--;
	memset(results->issue.data + results->issue.len, 0, RT_PADDING);
	return RT_OK;
}

/* Find the members that updates change in the text that has just been written. */
static void find_pieces(struct rt_results *results, struct kept *kept)
{
	struct rt_record record;
	const char *text = results->issue.data;

	memset(&record, 0, sizeof(record));
	results->scan->end = text + results->issue.len;
	results->scan->final = true;
	results->scan->origin = 0 - (uint64_t)(uintptr_t)text;
	(void)results->ops->record(results->scan, text, &record);
	for (size_t i = 0; i < RT_STATE_MEMBERS; i++) {
		struct rt_slice value = record.values[rt_state_members[i]];

		kept->pieces[i] = (struct piece){(uint32_t)(value.ptr - text), (uint32_t)value.len};
	}
}

/* Room for a text, in the last block or in a new one. */
static enum rt_status take_room(struct rt_results *results, size_t len, char **ret_room,
				struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (len > results->room_len) {
		size_t count = results->blocks.len / sizeof(char *);
		size_t usual =
		    BLOCK_BYTES >> (count < BLOCK_DOUBLINGS ? BLOCK_DOUBLINGS - count : 0);
		size_t size = len > usual ? len : usual;
		char *block = malloc(size);

		if (!block)
			return rt_error_nomem(err);
		status = rt_buf_append(&results->blocks, &block, sizeof(block), err);
		if (status != RT_OK) {
			free(block);
			return status;
		}
		results->room = block;
		results->room_len = size;
	}
	*ret_room = results->room;
	results->room += len;
	results->room_len -= len;
	return RT_OK;
}

enum rt_status rt_results_keep(struct rt_results *results, uint32_t target,
			       const struct rt_record *issue, struct rt_error *err)
{
	struct kept *kept = &results->kept[target];
	enum rt_status status = write_issue(results, issue, err);

	if (status != RT_OK)
		return status;
	if (results->issue.len > UINT32_MAX)
		return rt_error_set(err, RT_E_LIMIT,
				    "want an issue below 4 GiB, have a longer one");
	status = take_room(results, results->issue.len, &kept->text, err);
	if (status != RT_OK)
		return status;
	memcpy(kept->text, results->issue.data, results->issue.len);
	kept->len = (uint32_t)results->issue.len;
	find_pieces(results, kept);
	kept->base = kept->now = rt_issue_state_of(issue);
	return RT_OK;
}

/* Execute an update and count. */
static struct rt_result execute(struct rt_results *results, uint32_t number)
{
	struct rt_step step = rt_plan_step(results->plan, number);
	struct rt_result result = {0};

	for (uint32_t i = 0; i < step.count; i++) {
		struct rt_mention mention = rt_plan_mention(results->plan, step.first + i);
		struct kept *kept = &results->kept[mention.target];

		if (mention.repeat)
			continue;
		if (!kept->text) {
			result.failed_count++;
			continue;
		}
		result.updated_count++;
		if (!rt_issue_state_step(&kept->now, &step, number))
			result.unchanged_count++;
	}
	return result;
}

void rt_results_skip(struct rt_results *results, uint32_t number)
{
	(void)execute(results, number);
}

bool rt_results_has(const struct rt_results *results, uint32_t target)
{
	return results->kept[target].text != NULL;
}

void rt_results_rewind(struct rt_results *results)
{
	for (uint32_t i = 0; i < rt_plan_targets(results->plan); i++)
		results->kept[i].now = results->kept[i].base;
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

/* The issue as it is now: what is kept, with the changed members in their places. */
static enum rt_status put_issue(struct rt_results *results, const struct kept *kept,
				struct rt_error *err)
{
	enum rt_status status = RT_OK;
	uint32_t from = 0;

	for (size_t i = 0; status == RT_OK && i < RT_STATE_MEMBERS; i++) {
		const struct piece *piece = &kept->pieces[i];
		char quoted[RT_STATE_TEXT];
		struct rt_slice text = rt_issue_state_text(&kept->now, &kept->base, results->plan,
							   rt_state_members[i], quoted);

		if (!text.ptr)
			continue;
		status = put(results, kept->text + from, piece->at - from, err);
		if (status == RT_OK)
			status = put(results, text.ptr, text.len, err);
		from = piece->at + piece->len;
	}
	return status == RT_OK ? put(results, kept->text + from, kept->len - from, err) : status;
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

/* Execute the update and write those of its issues that failed, or those that did not. */
static enum rt_status put_mentions(struct rt_results *results, const struct rt_step *step,
				   bool found, struct rt_error *err)
{
	enum rt_status status = put(results, "[", 1, err);
	bool first = true;

	for (uint32_t i = 0; status == RT_OK && i < step->count; i++) {
		struct rt_mention mention = rt_plan_mention(results->plan, step->first + i);
		const struct kept *kept = &results->kept[mention.target];

		if (mention.repeat || (kept->text != NULL) != found)
			continue;
		if (!first)
			status = put(results, ",", 1, err);
		first = false;
		if (status == RT_OK)
			status = found ? put_issue(results, kept, err)
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

	*ret_result = execute(results, number);
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

/* --- Outcomes of updates ---------------------------------------------------------------------- */

/*
 * Executes updates for their outcomes. Input: issues and a plan, in the form of struct rt_results.
 * Output: for each update its counts and its result's SHA-256, which are worked out in a second
 * thread where there are many.
 */

enum rt_status rt_outcomes_make(struct rt_results *results, uint32_t first, uint32_t end,
				struct rt_outcome **ret_outcomes, struct rt_error *err)
{
	uint32_t count = end - first;
	struct rt_outcome *outcomes = calloc(count ? count : 1, sizeof(*outcomes));
	struct rt_digest_queue *queue = NULL;
	enum rt_status status;

	if (!outcomes)
		return rt_error_nomem(err);
	status = rt_digest_queue_new(count, &queue, err);
	assert(status != RT_OK || queue);
	for (uint32_t i = 0; status == RT_OK && i < count; i++) {
		struct rt_result result;

		status = rt_results_run(results, first + i, &result, err);
		if (status != RT_OK)
			break;
		outcomes[i].updated_count = result.updated_count;
		outcomes[i].failed_count = result.failed_count;
		status = rt_digest_queue_add(queue, result.text, err);
	}
	if (status == RT_OK) {
		rt_digest_queue_finish(queue);
		for (uint32_t i = 0; i < count; i++)
			memcpy(outcomes[i].sha256, rt_digest_queue_get(queue, i), RT_SHA256_BYTES);
		*ret_outcomes = outcomes;
	} else {
		free(outcomes);
	}
	rt_digest_queue_free(queue);
	return status;
}

/* --- Digests in a second thread --------------------------------------------------------------- */

/*
 * Digests texts in batches. Input: texts in order. Output: their SHA-256, by number.
 *
 * One batch is filled while a thread digests the other. A batch that is full before the thread is
 * done with the other is digested by the caller: so both processors are busy whichever of making
 * and digesting takes longer, and nobody waits before the end. The thread is started with the
 * first full batch: a few small texts do not need one.
 */

/* Bytes of a batch. Two of them fit a second-level cache, more or less; what handing one over
 * costs, some microseconds, is a hundredth of what digesting it takes. */
#define BATCH_BYTES ((size_t)512 * 1024)

struct batch {
	struct rt_buf text;    /* the texts, one after the other */
	struct rt_buf lengths; /* of size_t: theirs */
	uint32_t first;        /* number of the first */
};

struct rt_digest_queue {
	uint32_t count, added;
	uint8_t *digests;
	struct rt_sha256 *sha256; /* the caller's */
	struct batch filling;
	bool tried; /* to have a thread */
	struct rt_helper helper;
	/* The thread's while it is busy. */
	struct batch given;
	struct rt_sha256 *thread_sha256;
};

enum rt_status rt_digest_queue_new(uint32_t count, struct rt_digest_queue **ret_queue,
				   struct rt_error *err)
{
	struct rt_digest_queue *queue = calloc(1, sizeof(*queue));
	enum rt_status status = RT_OK;

	if (!queue)
		return rt_error_nomem(err);
	queue->count = count;
	queue->digests = calloc(count ? count : 1, RT_SHA256_BYTES);
	if (!queue->digests)
		status = rt_error_nomem(err);
	if (status == RT_OK)
		status = rt_sha256_new(&queue->sha256, err);
	if (status == RT_OK)
		status = rt_sha256_new(&queue->thread_sha256, err);
	if (status != RT_OK) {
		rt_digest_queue_free(queue);
		return status;
	}
	*ret_queue = queue;
	return RT_OK;
}

static uint8_t *digest_at(const struct rt_digest_queue *queue, uint32_t number)
{
	return queue->digests + (size_t)number * RT_SHA256_BYTES;
}

/* Digest a batch, which is empty then. */
static void digest_batch(struct rt_digest_queue *queue, struct batch *batch,
			 struct rt_sha256 *sha256)
{
	const size_t *lengths = (const size_t *)(const void *)batch->lengths.data;
	size_t count = batch->lengths.len / sizeof(*lengths), at = 0;

	for (size_t i = 0; i < count; i++) {
		rt_sha256_of(sha256, rt_slice_make(batch->text.data + at, lengths[i]),
			     digest_at(queue, batch->first + (uint32_t)i));
		at += lengths[i];
	}
	batch->text.len = batch->lengths.len = 0;
}

static void work(void *ctx)
{
	struct rt_digest_queue *queue = ctx;

	digest_batch(queue, &queue->given, queue->thread_sha256);
}

/* The batch is full: give it to the thread if that is free, or do it here. */
static void pass_on(struct rt_digest_queue *queue)
{
	struct batch batch = queue->filling;

	if (!queue->tried)
		(void)rt_helper_start(&queue->helper, work, queue);
	queue->tried = true;
	/* Without a thread the caller does all. */
	if (!queue->helper.running || !rt_helper_is_free(&queue->helper)) {
		digest_batch(queue, &queue->filling, queue->sha256);
		return;
	}
	queue->filling = queue->given;
	queue->given = batch;
	rt_helper_go(&queue->helper);
}

enum rt_status rt_digest_queue_add(struct rt_digest_queue *queue, struct rt_slice text,
				   struct rt_error *err)
{
	struct batch *batch = &queue->filling;
	enum rt_status status;

	assert(queue->added < queue->count);
	/* One that is a batch by itself is not worth a copy. */
	if (text.len >= BATCH_BYTES) {
		digest_batch(queue, batch, queue->sha256);
		rt_sha256_of(queue->sha256, text, digest_at(queue, queue->added));
		batch->first = ++queue->added;
		return RT_OK;
	}
	status = rt_buf_append(&batch->text, text.ptr, text.len, err);
	if (status == RT_OK)
		status = rt_buf_append(&batch->lengths, &text.len, sizeof(text.len), err);
	if (status != RT_OK)
		return status;
	queue->added++;
	if (batch->text.len >= BATCH_BYTES) {
		pass_on(queue);
		batch->first = queue->added;
	}
	return RT_OK;
}

void rt_digest_queue_finish(struct rt_digest_queue *queue)
{
	digest_batch(queue, &queue->filling, queue->sha256);
	rt_helper_end(&queue->helper);
}

const uint8_t *rt_digest_queue_get(const struct rt_digest_queue *queue, uint32_t number)
{
	assert(number < queue->added);
	return digest_at(queue, number);
}

static void release_batch(struct batch *batch)
{
	rt_buf_release(&batch->text);
	rt_buf_release(&batch->lengths);
}

void rt_digest_queue_free(struct rt_digest_queue *queue)
{
	if (!queue)
		return;
	rt_helper_end(&queue->helper);
	release_batch(&queue->filling);
	release_batch(&queue->given);
	rt_sha256_free(queue->sha256);
	rt_sha256_free(queue->thread_sha256);
	free(queue->digests);
	free(queue);
}
