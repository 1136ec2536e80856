/*
 * Keeps issues in batches. Input: checked issues, borrowed for a call. Output: the same in struct
 * rt_results.
 *
 * One batch is filled with copies while a thread keeps the issues of the other. The thread is
 * started with the first full batch: a few issues do not need one.
 * Refuses what rt_results_keep() does.
 */
#include "ops/keeper.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/helper.h"

#define BATCH_BYTES ((size_t)512 * 1024)

/* An issue on its way; the record's slices point into its batch's text. */
struct item {
	struct rt_record issue;
	uint32_t target;
};

struct batch {
	struct rt_buf text;  /* has room for BATCH_BYTES, so that it stays where it is */
	struct rt_buf items; /* of struct item */
};

struct rt_keeper {
	struct batch filling;
	bool tried; /* to have a thread */
	struct rt_helper helper;
	/* The thread's while it is busy. */
	struct rt_results *results;
	struct batch given;
	enum rt_status status;
	struct rt_error err;
};

enum rt_status rt_keeper_new(struct rt_results *results, struct rt_keeper **ret_keeper,
			     struct rt_error *err)
{
	struct rt_keeper *keeper = calloc(1, sizeof(*keeper));

	if (!keeper)
		return rt_error_nomem(err);
	keeper->results = results;
	*ret_keeper = keeper;
	return RT_OK;
}

/* Keep the issues of a batch, which is empty then. The first failure is the last thing done. */
static void keep_batch(struct rt_keeper *keeper, struct batch *batch)
{
	const struct item *items = (const struct item *)(const void *)batch->items.data;
	size_t count = batch->items.len / sizeof(*items);

	for (size_t i = 0; keeper->status == RT_OK && i < count; i++)
		keeper->status = rt_results_keep(keeper->results, items[i].target, &items[i].issue,
						 &keeper->err);
	batch->text.len = batch->items.len = 0;
}

static void work(void *ctx)
{
	struct rt_keeper *keeper = ctx;

	keep_batch(keeper, &keeper->given);
}

/* Wait for the thread, if there is one. Returns how it fared so far. */
static enum rt_status settle(struct rt_keeper *keeper, struct rt_error *err)
{
	if (keeper->helper.running)
		rt_helper_wait(&keeper->helper);
	if (keeper->status != RT_OK)
		*err = keeper->err;
	return keeper->status;
}

/* The batch is full: give it to the thread. Without one the caller does all. */
static enum rt_status pass_on(struct rt_keeper *keeper, struct rt_error *err)
{
	struct batch batch = keeper->filling;
	enum rt_status status;

	if (!keeper->tried)
		(void)rt_helper_start(&keeper->helper, work, keeper);
	keeper->tried = true;
	if (!keeper->helper.running)
		keep_batch(keeper, &keeper->filling);
	status = settle(keeper, err);
	if (status != RT_OK || !keeper->helper.running)
		return status;
	keeper->filling = keeper->given;
	keeper->given = batch;
	rt_helper_go(&keeper->helper);
	return RT_OK;
}

/* Have a record's slices point into a copy of its text. */
static void move_record(struct rt_record *record, const char *copy)
{
	const char *text = record->text.ptr;

	record->text.ptr = copy;
	record->id = rt_slice_make(NULL, 0);
	for (size_t m = 0; m < RT_MEMBER_COUNT; m++) {
		if (record->types[m])
			record->values[m].ptr = copy + (record->values[m].ptr - text);
		if (record->repeated >> m & 1)
			record->again[m] = copy + (record->again[m] - text);
	}
}

enum rt_status rt_keeper_add(struct rt_keeper *keeper, uint32_t target,
			     const struct rt_record *issue, struct rt_error *err)
{
	struct batch *batch = &keeper->filling;
	struct item item = {*issue, target};
	enum rt_status status = RT_OK;

	/* One that is a batch by itself is not worth a copy. */
	if (issue->text.len > BATCH_BYTES) {
		status = rt_keeper_finish(keeper, err);
		return status == RT_OK ? rt_results_keep(keeper->results, target, issue, err)
				       : status;
	}
	if (issue->text.len > BATCH_BYTES - batch->text.len)
		status = pass_on(keeper, err);
	if (status == RT_OK && batch->text.len == 0)
		status = rt_buf_reserve(&batch->text, BATCH_BYTES, err);
	if (status != RT_OK)
		return status;
	move_record(&item.issue, batch->text.data + batch->text.len);
	status = rt_buf_append(&batch->text, issue->text.ptr, issue->text.len, err);
	return status == RT_OK ? rt_buf_append(&batch->items, &item, sizeof(item), err) : status;
}

enum rt_status rt_keeper_finish(struct rt_keeper *keeper, struct rt_error *err)
{
	enum rt_status status = settle(keeper, err);

	if (status != RT_OK)
		return status;
	keep_batch(keeper, &keeper->filling);
	return settle(keeper, err);
}

static void release_batch(struct batch *batch)
{
	rt_buf_release(&batch->text);
	rt_buf_release(&batch->items);
}

void rt_keeper_free(struct rt_keeper *keeper)
{
	if (!keeper)
		return;
	rt_helper_end(&keeper->helper);
	release_batch(&keeper->filling);
	release_batch(&keeper->given);
	free(keeper);
}
