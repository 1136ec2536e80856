/*
 * Runs libyaml's decoder in a process of its own: above the line what that process does, below it
 * what is asked of it.
 */
#include "formats/yaml_child.h"

#include <stdlib.h>

#include "base/error.h"
#include "formats/yaml.h"
#include "source/worker.h"

/* Bytes of JSON text in a piece. */
#define PIECE_BYTES ((size_t)64 * 1024)

#define MARKS_AT_ONCE (RT_FRAME_MAX / sizeof(struct rt_frame_mark))

static enum rt_status keep_mark(void *ctx, uint64_t at, struct rt_place place, struct rt_error *err)
{
	struct rt_frame_mark mark = {at, place};

	return rt_buf_append(ctx, &mark, sizeof(mark), err);
}

static void put_marks(struct rt_frames *frames, struct rt_buf *marks)
{
	for (size_t at = 0; at < marks->len;) {
		size_t left = marks->len - at, most = MARKS_AT_ONCE * sizeof(struct rt_frame_mark);
		size_t len = left < most ? left : most;

		rt_frames_put(frames, RT_FRAME_MARKS, marks->data + at, len);
		at += len;
	}
	marks->len = 0;
}

static enum rt_status put_text(struct rt_yaml *yaml, struct rt_frames *frames, struct rt_buf *marks,
			       struct rt_error *err)
{
	static char text[PIECE_BYTES];
	enum rt_status status;
	size_t len;

	rt_frames_put(frames, RT_FRAME_BEGIN, NULL, 0);
	while ((status = rt_yaml_read(yaml, text, sizeof(text), &len, err)) == RT_OK) {
		put_marks(frames, marks);
		rt_frames_put(frames, RT_FRAME_DATA, text, len);
		rt_frames_flush(frames);
	}
	if (status == RT_END)
		rt_frames_put(frames, RT_FRAME_END, NULL, 0);
	return status == RT_END ? RT_OK : status;
}

static enum rt_status run_yaml(struct rt_job *job, struct rt_frames *frames, struct rt_error *err)
{
	struct rt_buf marks = {0};
	struct rt_text_hints hints = {0};
	struct rt_yaml *yaml = NULL;
	enum rt_status status;

	hints.want = (enum rt_text_want(*)(struct rt_slice, struct rt_slice))job->want;
	status = rt_yaml_open(job->decode.source, job->start, &hints, keep_mark, &marks,
			      job->decode.limits, &yaml, err);
	if (status == RT_OK)
		status = put_text(yaml, frames, &marks, err);
	rt_yaml_free(yaml);
	rt_buf_release(&marks);
	return status;
}

/* --- The side that asks ---------------------------------------------------------------------- */

struct rt_yaml_child {
	struct rt_worker worker;
	struct rt_marks marks;
};

static enum rt_status child_start(struct rt_yaml_child *child, struct rt_pull pull,
				  struct rt_job *job, struct rt_error *err)
{
	/* It has none; what it reads is sent. */
	static const struct rt_file none = {.path = "", .fd = -1};
	const struct rt_limits *limits = job->decode.limits;
	char name[RT_FRAME_NAME + 1];
	enum rt_status status;

	/* Records and anchors have limits of their own. */
	job->memory_bytes = limits->decoder_bytes;
	if (__builtin_add_overflow(job->memory_bytes, limits->record_bytes, &job->memory_bytes) ||
	    __builtin_add_overflow(job->memory_bytes, limits->alias_bytes, &job->memory_bytes))
		job->memory_bytes = UINT64_MAX / 2;
	status = rt_worker_start_job(&child->worker, job, &none, RT_MAGIC_YAML, pull, err);
	if (status == RT_OK)
		status = rt_worker_next(&child->worker, name, sizeof(name), err);
	if (status != RT_END)
		return status;
	return rt_error_reject(err, RT_E_INPUT, "the unpacking process broke its protocol");
}

enum rt_status rt_yaml_child_open(struct rt_pull pull, uint64_t start,
				  const struct rt_text_hints *hints, const struct rt_limits *limits,
				  struct rt_yaml_child **ret_child, struct rt_marks **ret_marks,
				  struct rt_error *err)
{
	struct rt_yaml_child *child = calloc(1, sizeof(*child));
	struct rt_job job = {
	    .run = run_yaml,
	    .decode = {.limits = limits},
	    .start = start,
	    .want = (void (*)(void))hints->want,
	    .fds = RT_JOB_NO_FDS,
	};
	enum rt_status status;

	if (!child)
		return rt_error_nomem(err);
	rt_worker_init(&child->worker, NULL);
	status = child_start(child, pull, &job, err);
	if (status != RT_OK) {
		rt_yaml_child_free(child);
		return status;
	}
	child->worker.marks = &child->marks;
	*ret_marks = &child->marks;
	*ret_child = child;
	return RT_OK;
}

enum rt_status rt_yaml_child_read(struct rt_yaml_child *child, void *buf, size_t cap,
				  size_t *ret_len, struct rt_error *err)
{
	return rt_worker_read(&child->worker, buf, cap, ret_len, err);
}

void rt_yaml_child_free(struct rt_yaml_child *child)
{
	if (!child)
		return;
	rt_worker_stop(&child->worker);
	rt_marks_release(&child->marks);
	free(child);
}
