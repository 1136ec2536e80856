/*
 * Makes JSON text of YAML for another process. Input: the source, which that process hands over
 * when it is asked. Output: pieces of text, each after the marks that were made meanwhile.
 * What YAML refuses is how the job ends.
 */
#include <string.h>

#include "base/buf.h"
#include "decoder/run.h"
#include "engine/request.h"
#include "record/check.h"
#include "source/convert.h"
#include "text/yaml.h"

/* Bytes of JSON text in a piece. */
#define PIECE_BYTES ((size_t)64 * 1024)

static enum rt_status keep_mark(void *ctx, uint64_t at, struct rt_place place, struct rt_error *err)
{
	struct rt_convert_mark mark = {at, place};

	return rt_buf_append(ctx, &mark, sizeof(mark), err);
}

/* Put bytes into the part that is being handed over. */
static enum rt_status give(const struct rt_emit *emit, const void *data, size_t len,
			   struct rt_error *err)
{
	const uint8_t *from = data;
	enum rt_status status = RT_OK;

	while (status == RT_OK && len) {
		void *buf;
		size_t cap;

		status = emit->space(emit->ctx, &buf, &cap, err);
		if (status != RT_OK)
			break;
		cap = len < cap ? len : cap;
		memcpy(buf, from, cap);
		status = emit->commit(emit->ctx, cap, err);
		from += cap;
		len -= cap;
	}
	return status;
}

/* Hand over all text piece by piece, each after its marks. */
static enum rt_status give_text(struct rt_yaml *yaml, const struct rt_emit *emit,
				struct rt_buf *marks, struct rt_error *err)
{
	static char text[PIECE_BYTES];
	size_t len;
	enum rt_status status = emit->begin(emit->ctx, NULL, err);

	while (status == RT_OK &&
	       (status = rt_yaml_read(yaml, text, sizeof(text), &len, err)) == RT_OK) {
		struct rt_convert_piece piece = {
		    (uint32_t)len, (uint32_t)(marks->len / sizeof(struct rt_convert_mark))};

		status = give(emit, &piece, sizeof(piece), err);
		if (status == RT_OK)
			status = give(emit, marks->data, marks->len, err);
		if (status == RT_OK)
			status = give(emit, text, len, err);
		marks->len = 0;
		rt_ring_flush(emit->ctx);
	}
	return status == RT_END ? emit->end(emit->ctx, err) : status;
}

enum rt_status rt_job_run_yaml(const struct rt_job *job, struct rt_ring_writer *writer,
			       struct rt_error *err)
{
	struct rt_emit emit = rt_ring_emit(writer);
	struct rt_buf marks = {0};
	struct rt_text_hints hints = {.mark = keep_mark, .mark_ctx = &marks};
	struct rt_yaml *yaml = NULL;
	enum rt_status status;

	if (job->wanted == RT_WANTED_RECORDS)
		hints.want = rt_record_want;
	else if (job->wanted == RT_WANTED_REQUESTS)
		hints.want = rt_request_want;
	status = rt_yaml_open((struct rt_pull){rt_ring_pull, writer}, job->start, &hints,
			      job->decode.limits, &yaml, err);
	if (status == RT_OK)
		status = give_text(yaml, &emit, &marks, err);
	rt_yaml_free(yaml);
	rt_buf_release(&marks);
	return status;
}
