/*
 * Two threads work on batches of results. Input: results whose bytes are about to go. Output: what
 * has become of each, in order. Refuses nothing: a batch with a fault is marked, and no more of it
 * is done.
 *
 * Two designs were weighed. (1) A pipeline: one thread scans, the other does all the rest. It is as
 * slow as the slower half, which is the rest, by two to one. (2) The same, but the scanning thread
 * takes part in a batch once it has filled the next. (2) won: neither thread waits, whether a log
 * is mostly code flows, which are only scanned, or many small results.
 */
#include "sarif/batches.h"

#include <stdlib.h>

#include "base/helper.h"
#include "sarif/entry.h"

/* Results that a thread takes at a time. */
#define TAKEN 4u

enum { READER, OTHER };

struct rt_sarif_batches {
	struct rt_sarif_batch batches[2];
	size_t filling;
	bool at_work; /* the batch that is not being filled is */
	bool started; /* the second thread was, or could not be */
	struct rt_helper helper;
	struct rt_sarif_maker *maker; /* the second thread's */
};

static void work_on(struct rt_sarif_batch *batch, unsigned who, size_t i)
{
	struct rt_sarif_batch_result *result = &batch->results[i];
	struct rt_sarif_worker *worker = &batch->workers[who];
	struct rt_slice value = {batch->text.data + result->at, result->len};
	struct rt_sarif_fault fault;

	result->worker = who;
	result->made_at = worker->made.len;
	if (rt_sarif_work(worker, &batch->task, value, &result->spot, &result->done, &fault) !=
	    RT_OK)
		atomic_store(&batch->failed, true);
	result->made_len = worker->made.len - result->made_at;
}

/* Work until all results are taken. */
static void take_part(struct rt_sarif_batch *batch, unsigned who)
{
	size_t at;

	while ((at = atomic_fetch_add(&batch->next, TAKEN)) < batch->count) {
		for (size_t i = at; i < at + TAKEN && i < batch->count; i++) {
			if (atomic_load(&batch->failed))
				return;
			work_on(batch, who, i);
		}
	}
}

static void work(void *ctx)
{
	struct rt_sarif_batches *batches = ctx;

	take_part(&batches->batches[!batches->filling], OTHER);
}

enum rt_status rt_sarif_batches_new(struct rt_sarif_maker *maker, size_t bytes,
				    struct rt_sarif_batches **ret_batches, struct rt_error *err)
{
	struct rt_sarif_batches *batches = calloc(1, sizeof(*batches));
	enum rt_status status = RT_OK;

	if (!batches)
		return rt_error_nomem(err);
	for (size_t i = 0; status == RT_OK && i < 2; i++) {
		batches->batches[i].workers[READER].maker = maker;
		status = rt_buf_reserve(&batches->batches[i].text, bytes, err);
	}
	if (status != RT_OK) {
		rt_sarif_batches_free(batches);
		return status;
	}
	*ret_batches = batches;
	return RT_OK;
}

void rt_sarif_batches_free(struct rt_sarif_batches *batches)
{
	if (!batches)
		return;
	for (size_t i = 0; i < 2; i++)
		atomic_store(&batches->batches[i].failed, true);
	rt_helper_end(&batches->helper);
	for (size_t i = 0; i < 2; i++) {
		rt_buf_release(&batches->batches[i].text);
		rt_sarif_worker_release(&batches->batches[i].workers[READER]);
		rt_sarif_worker_release(&batches->batches[i].workers[OTHER]);
	}
	rt_sarif_maker_free(batches->maker);
	free(batches);
}

struct rt_sarif_batch *rt_sarif_batches_filling(struct rt_sarif_batches *batches)
{
	return &batches->batches[batches->filling];
}

bool rt_sarif_batch_fits(const struct rt_sarif_batch *batch, size_t len)
{
	return batch->count < RT_SARIF_BATCH_RESULTS && len <= batch->text.cap - batch->text.len;
}

static struct rt_sarif_batch_result *next_result(struct rt_sarif_batch *batch, size_t bytes,
						 const struct rt_sarif_spot *spot)
{
	struct rt_sarif_batch_result *result = &batch->results[batch->count++];

	*result =
	    (struct rt_sarif_batch_result){.at = batch->text.len, .bytes = bytes, .spot = *spot};
	return result;
}

void rt_sarif_batch_add(struct rt_sarif_batch *batch, const struct rt_sarif_entry *entry,
			const struct rt_sarif_spot *spot)
{
	struct rt_sarif_batch_result *result = next_result(batch, entry->text.len, spot);

	rt_sarif_entry_put(&batch->text, entry);
	result->len = batch->text.len - result->at;
}

void rt_sarif_batch_add_entry(struct rt_sarif_batch *batch, struct rt_slice entry,
			      const struct rt_sarif_spot *spot)
{
	struct rt_sarif_batch_result *result = next_result(batch, entry.len, spot);

	memcpy(batch->text.data + batch->text.len, entry.ptr, entry.len);
	batch->text.len += entry.len;
	result->len = entry.len;
}

/* Start the second thread. Without it, all only takes longer. */
static void start(struct rt_sarif_batches *batches)
{
	struct rt_error err;

	batches->started = true;
	if (rt_sarif_maker_new(&batches->maker, &err) != RT_OK)
		return;
	for (size_t i = 0; i < 2; i++)
		batches->batches[i].workers[OTHER].maker = batches->maker;
	(void)rt_helper_start(&batches->helper, work, batches);
}

struct rt_sarif_batch *rt_sarif_batches_wait(struct rt_sarif_batches *batches)
{
	struct rt_sarif_batch *batch = &batches->batches[!batches->filling];

	if (!batches->at_work)
		return NULL;
	take_part(batch, READER);
	if (batches->helper.running)
		rt_helper_wait(&batches->helper);
	batches->at_work = false;
	return batch;
}

void rt_sarif_batches_go(struct rt_sarif_batches *batches, bool more)
{
	if (more && !batches->started)
		start(batches);
	batches->filling = !batches->filling;
	batches->at_work = true;
	if (batches->helper.running)
		rt_helper_go(&batches->helper);
}

void rt_sarif_batch_clear(struct rt_sarif_batch *batch)
{
	batch->count = batch->text.len = 0;
	atomic_store(&batch->next, 0);
	for (size_t i = 0; i < 2; i++) {
		batch->workers[i].made.len = 0;
		batch->workers[i].notes = batch->workers[i].made_notes = (struct rt_sarif_notes){0};
	}
}

void rt_sarif_batches_drop(struct rt_sarif_batches *batches)
{
	(void)rt_sarif_batches_wait(batches);
	for (size_t i = 0; i < 2; i++) {
		rt_sarif_batch_clear(&batches->batches[i]);
		atomic_store(&batches->batches[i].failed, false);
	}
}
