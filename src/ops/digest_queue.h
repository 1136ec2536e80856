/*
 * SHA-256 of many texts, worked out in a second thread while the next texts are made.
 */
#ifndef RT_OPS_DIGEST_QUEUE_H
#define RT_OPS_DIGEST_QUEUE_H

#include "base/sha256.h"

struct rt_digest_queue;

/*
 * count: number of the texts that will be added at most.
 * ret_queue: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_digest_queue_new(uint32_t count, struct rt_digest_queue **ret_queue,
				   struct rt_error *err);

/* Add a text, not empty, which is copied. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_digest_queue_add(struct rt_digest_queue *queue, struct rt_slice text,
				   struct rt_error *err);

/* All texts have been added: wait for their digests. */
void rt_digest_queue_finish(struct rt_digest_queue *queue);

/*
 * The digest of a text by its number, from 0 in the order of adding; after
 * rt_digest_queue_finish(). RT_SHA256_BYTES, borrowed as long as the queue.
 */
const uint8_t *rt_digest_queue_get(const struct rt_digest_queue *queue, uint32_t number);

/* Waits for the thread. NULL is allowed. */
void rt_digest_queue_free(struct rt_digest_queue *queue);

#endif
