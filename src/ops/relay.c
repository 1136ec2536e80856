/*
 * Passes findings and writes to a second thread. Input: findings and bytes that are about to go.
 * Output: the same, in order, in copies that stay until they have been worked on.
 *
 * There are two batches: one is filled while the other is the second thread's. They are small
 * enough for the caches of both.
 */
#include "ops/relay.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/helper.h"

#define BATCH_FINDINGS 256u
#define BATCH_BYTES ((size_t)512 * 1024)
/* Bytes to be written, with a head a piece. */
#define BATCH_WRITES ((size_t)1024 * 1024)

/* Stands before the bytes of a write. */
struct head {
	const struct rt_sink *to;
	size_t len;
};

struct batch {
	struct rt_buf bytes; /* what findings point into: does not move while it has some */
	struct rt_finding findings[BATCH_FINDINGS];
	struct rt_record records[BATCH_FINDINGS];
	uint64_t members[BATCH_FINDINGS]; /* that they have, if the issue has them */
	size_t count;
	struct rt_buf writes;
};

struct rt_relay {
	struct rt_relay_ends ends;
	struct rt_helper helper;
	struct batch batches[2];
	size_t filling; /* the one that is not the thread's */
	/* The thread's, until it is waited for. */
	enum rt_status status;
	struct rt_error err;
};

static void write_all(struct rt_relay *relay, const struct rt_buf *writes)
{
	struct head head;

	for (size_t at = 0; relay->status == RT_OK && at < writes->len; at += head.len) {
		memcpy(&head, writes->data + at, sizeof(head));
		at += sizeof(head);
		relay->status =
		    head.to->write(head.to->ctx, writes->data + at, head.len, &relay->err);
	}
}

static void take_batch(struct rt_relay *relay, struct batch *batch)
{
	for (size_t i = 0; relay->status == RT_OK && i < batch->count; i++)
		relay->status = relay->ends.take(relay->ends.ctx, &batch->findings[i],
						 batch->members[i], &relay->err);
	write_all(relay, &batch->writes);
}

static void work(void *ctx)
{
	struct rt_relay *relay = ctx;

	take_batch(relay, &relay->batches[!relay->filling]);
}

enum rt_status rt_relay_new(const struct rt_relay_ends *ends, struct rt_relay **ret_relay,
			    struct rt_error *err)
{
	struct rt_relay *relay = calloc(1, sizeof(*relay));

	if (!relay)
		return rt_error_nomem(err);
	relay->ends = *ends;
	/* Without a thread it only takes longer. */
	(void)rt_helper_start(&relay->helper, work, relay);
	*ret_relay = relay;
	return RT_OK;
}

void rt_relay_free(struct rt_relay *relay)
{
	if (!relay)
		return;
	rt_helper_end(&relay->helper);
	for (size_t i = 0; i < 2; i++) {
		rt_buf_release(&relay->batches[i].bytes);
		rt_buf_release(&relay->batches[i].writes);
	}
	free(relay);
}

/* Wait for the thread; what it has met. */
static enum rt_status wait_for(struct rt_relay *relay, struct rt_error *err)
{
	if (relay->helper.running)
		rt_helper_wait(&relay->helper);
	if (relay->status != RT_OK)
		*err = relay->err;
	return relay->status;
}

/* Give the batch that is being filled to the thread, and take back the other one. */
static enum rt_status pass_on(struct rt_relay *relay, struct rt_error *err)
{
	enum rt_status status = wait_for(relay, err);
	struct batch *next;

	if (status != RT_OK)
		return status;
	relay->ends.pause(relay->ends.ctx);
	relay->filling = !relay->filling;
	if (relay->helper.running)
		rt_helper_go(&relay->helper);
	else
		work(relay);
	next = &relay->batches[relay->filling];
	next->count = next->bytes.len = next->writes.len = 0;
	return RT_OK;
}

/* --- Copying ------------------------------------------------------------------------------ */

static struct rt_slice copy(struct rt_buf *bytes, struct rt_slice text)
{
	struct rt_slice made = {text.ptr ? bytes->data + bytes->len : NULL, text.len};

	if (text.ptr)
		memcpy(bytes->data + bytes->len, text.ptr, text.len);
	bytes->len += text.len;
	return made;
}

/* Whether member m is in a set, and of the record. */
static bool is_copied(const struct rt_record *record, uint64_t members, size_t m)
{
	return (members & RT_MEMBER_BIT(m)) && record->types[m];
}

/* Bytes that the copy takes. */
static size_t bytes_needed(const struct rt_finding *finding, uint64_t members)
{
	const struct rt_record *record = finding->record;
	size_t need = record->id.len + finding->notes.len;

	for (size_t m = 0; m < RT_ISSUE_MEMBERS; m++)
		need += is_copied(record, members, m) ? record->values[m].len : 0;
	return need;
}

static void copy_finding(struct batch *batch, const struct rt_finding *finding, uint64_t members)
{
	const struct rt_record *from = finding->record;
	struct rt_record *to = &batch->records[batch->count];
	struct rt_finding *made = &batch->findings[batch->count];

	batch->members[batch->count++] = members;
	*made = *finding;
	made->record = to;
	made->notes = copy(&batch->bytes, finding->notes);
	to->kind = from->kind;
	to->id = copy(&batch->bytes, from->id);
	for (size_t m = 0; m < RT_ISSUE_MEMBERS; m++) {
		bool copied = is_copied(from, members, m);

		to->types[m] = copied ? from->types[m] : 0;
		if (copied)
			to->values[m] = copy(&batch->bytes, from->values[m]);
	}
}

enum rt_status rt_relay_add(struct rt_relay *relay, const struct rt_finding *finding,
			    uint64_t members, struct rt_error *err)
{
	struct batch *batch = &relay->batches[relay->filling];
	size_t need = bytes_needed(finding, members);
	enum rt_status status = RT_OK;

	if (batch->count == BATCH_FINDINGS ||
	    (batch->count && batch->bytes.len + need > batch->bytes.cap)) {
		status = pass_on(relay, err);
		batch = &relay->batches[relay->filling];
	}
	/* Nothing points into it yet where this makes it longer. */
	if (status == RT_OK && batch->count == 0)
		status =
		    rt_buf_reserve(&batch->bytes, need < BATCH_BYTES ? BATCH_BYTES : need, err);
	if (status == RT_OK)
		copy_finding(batch, finding, members);
	return status;
}

/* --- Writes ------------------------------------------------------------------------------- */

/* What no batch has room for is written when all before it is. */
static enum rt_status write_long(struct rt_relay *relay, const struct head *head, const void *data,
				 struct rt_error *err)
{
	enum rt_status status = rt_relay_finish(relay, err);

	if (status != RT_OK)
		return status;
	relay->status = head->to->write(head->to->ctx, data, head->len, &relay->err);
	return wait_for(relay, err);
}

static enum rt_status write_later(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct rt_relay_sink *sink = ctx;
	struct rt_relay *relay = sink->relay;
	struct rt_buf *writes = &relay->batches[relay->filling].writes;
	const struct head head = {&sink->to, len};
	enum rt_status status = RT_OK;

	if (len > BATCH_WRITES - sizeof(head))
		return write_long(relay, &head, data, err);
	if (sizeof(head) + len > BATCH_WRITES - writes->len) {
		status = pass_on(relay, err);
		writes = &relay->batches[relay->filling].writes;
	}
	if (status == RT_OK)
		status = rt_buf_append(writes, &head, sizeof(head), err);
	return status == RT_OK ? rt_buf_append(writes, data, len, err) : status;
}

struct rt_sink rt_relay_sink(struct rt_relay_sink *sink)
{
	return (struct rt_sink){write_later, sink};
}

enum rt_status rt_relay_finish(struct rt_relay *relay, struct rt_error *err)
{
	enum rt_status status = pass_on(relay, err);

	return status == RT_OK ? wait_for(relay, err) : status;
}
