/*
 * Digests texts in batches. Input: texts in order. Output: their SHA-256, by number.
 *
 * One batch is filled while a thread digests the other. A batch that is full before the thread is
 * done with the other is digested by the caller: so both processors are busy whichever of making
 * and digesting takes longer, and nobody waits before the end. The thread is started with the
 * first full batch: a few small texts do not need one.
 */
#include "ops/digest_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/helper.h"

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
