/*
 * Results on their way from the thread that reads a log to the two that work on them: that one and
 * another. There are two batches: one is filled while the other is worked on. Each thread takes the
 * next results of it that nobody has taken, the reading one when it has filled the other batch; so
 * both are busy, whatever takes longer, and what comes out is in the order of the log.
 */
#ifndef RT_SARIF_BATCHES_H
#define RT_SARIF_BATCHES_H

#include <stdatomic.h>

#include "sarif/entry.h"
#include "sarif/work.h"

#define RT_SARIF_BATCH_RESULTS 1024u

/* Where a batch begins: what to go back to. */
struct rt_sarif_batch_start {
	struct rt_sarif_spot spot; /* before the comma, if there is one */
	bool first;                /* nothing stands before it in its list */
	uint64_t result;           /* number of the first one */
};

struct rt_sarif_batch_result {
	size_t at, len; /* its entry in text */
	size_t bytes;   /* of the result */
	struct rt_sarif_spot spot;
	struct rt_sarif_done done;
	unsigned worker;
	size_t made_at, made_len; /* its record in that worker's bytes, where it was made */
};

struct rt_sarif_batch {
	struct rt_sarif_batch_start start;
	struct rt_sarif_task task;
	size_t count;
	struct rt_sarif_batch_result results[RT_SARIF_BATCH_RESULTS];
	struct rt_buf text; /* entries; does not move */
	/* Of the reading thread and of the other; makers are not the batch's. */
	struct rt_sarif_worker workers[2];
	atomic_size_t next;
	/* Something is wrong, or there was no memory: nothing of the batch counts. Whoever reads on
	 * without batches finds out what. */
	atomic_bool failed;
};

struct rt_sarif_batches;

/*
 * maker: the reading thread's, borrowed. bytes: of the entries of a batch.
 * ret_batches: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_sarif_batches_new(struct rt_sarif_maker *maker, size_t bytes,
				    struct rt_sarif_batches **ret_batches, struct rt_error *err);

/* NULL is allowed. */
void rt_sarif_batches_free(struct rt_sarif_batches *batches);

/* The batch that is being filled. */
struct rt_sarif_batch *rt_sarif_batches_filling(struct rt_sarif_batches *batches);

/* Whether a batch has room for an entry of so many bytes. */
bool rt_sarif_batch_fits(const struct rt_sarif_batch *batch, size_t len);

/* Put the entry of a result to it. */
void rt_sarif_batch_add(struct rt_sarif_batch *batch, const struct rt_sarif_entry *entry,
			const struct rt_sarif_spot *spot);

/* The same where its entry is there already. */
void rt_sarif_batch_add_entry(struct rt_sarif_batch *batch, struct rt_slice entry,
			      const struct rt_sarif_spot *spot);

/* Have the batch at work done, with the reading thread's help. Returns it; NULL: there is none. */
struct rt_sarif_batch *rt_sarif_batches_wait(struct rt_sarif_batches *batches);

/*
 * Let the batch that was filled be worked on; none is. The other one is to be filled next, once it
 * is empty. more: there may be more of them, so that a second thread is worth its start.
 */
void rt_sarif_batches_go(struct rt_sarif_batches *batches, bool more);

/* Have what is at work done, and empty both batches. */
void rt_sarif_batches_drop(struct rt_sarif_batches *batches);

/* Empty a batch that is done. */
void rt_sarif_batch_clear(struct rt_sarif_batch *batch);

#endif
