/*
 * Has YAML converted. Input: a pull of YAML. Output: JSON text and the places of its pieces, as a
 * child hands them over: counted, and believed no more than the source itself.
 */
#include "source/convert.h"

#include <string.h>

#include "base/error.h"

/* Marks of a piece: each stands for a byte of text, made before it is read, and some ahead. */
#define MARKS_MAX (1u << 18)

/* Marks that are copied at a time. */
#define MARKS_AT_ONCE 128u

void rt_convert_init(struct rt_convert *convert, struct rt_launcher *launcher)
{
	convert->text_left = 0;
	rt_worker_init(&convert->worker, launcher, NULL);
}

void rt_convert_release(struct rt_convert *convert)
{
	rt_worker_release(&convert->worker);
}

/* The child may have failed because the source has, which is known better here. */
static enum rt_status convert_failed(const struct rt_convert *convert, enum rt_status status,
				     struct rt_error *err)
{
	const struct rt_ring_reader *reader = &convert->worker.reader;

	if (reader->source_status >= 0 || strcmp(err->message, RT_RING_SOURCE_FAILED) != 0)
		return status;
	*err = reader->source_err;
	return reader->source_status;
}

static enum rt_status convert_broken(struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_INPUT,
			   "want a decoder that keeps to its rules, have one that does not");
	return RT_REJECT;
}

static enum rt_status convert_open(void *ctx, struct rt_pull pull, uint64_t start,
				   const struct rt_text_hints *hints,
				   const struct rt_limits *limits, struct rt_error *err)
{
	/* It reads none; what it is given comes over the ring. */
	static const struct rt_file none = {.path = "", .fd = -1};
	struct rt_convert *convert = ctx;
	struct rt_job job = {
	    .kind = RT_JOB_YAML,
	    .decode = {.limits = limits},
	    .memory_bytes = limits->decoder_bytes,
	    .start = start,
	    .wanted = hints->wanted,
	    .fds = RT_JOB_NO_FDS,
	};
	char name[RT_BLOCK_NAME];
	bool has_name;
	enum rt_status status;

	/* Records and anchors have limits of their own. */
	if (__builtin_add_overflow(job.memory_bytes, limits->record_bytes, &job.memory_bytes) ||
	    __builtin_add_overflow(job.memory_bytes, limits->alias_bytes, &job.memory_bytes))
		job.memory_bytes = UINT64_MAX / 2;
	convert->text_left = 0;
	status = rt_worker_start_job(&convert->worker, &job, &none, RT_MAGIC_YAML, err);
	if (status != RT_OK)
		return status;
	convert->worker.reader.source = pull;
	status = rt_worker_next(&convert->worker, name, sizeof(name), &has_name, err);
	if (status == RT_OK)
		return RT_OK;
	status = status == RT_END ? convert_broken(err) : convert_failed(convert, status, err);
	rt_worker_stop(&convert->worker);
	return status;
}

/* Read len bytes. Returns RT_OK, RT_END before the first, or an error. */
static enum rt_status take(struct rt_convert *convert, void *buf, size_t len, struct rt_error *err)
{
	size_t done = 0, got;

	while (done < len) {
		enum rt_status status =
		    rt_worker_read(&convert->worker, (char *)buf + done, len - done, &got, err);

		if (status == RT_END && done)
			return convert_broken(err);
		if (status != RT_OK)
			return status;
		done += got;
	}
	return RT_OK;
}

/* Read what the next piece begins with. */
static enum rt_status begin_piece(struct rt_convert *convert, struct rt_marks *marks,
				  struct rt_error *err)
{
	struct rt_convert_mark some[MARKS_AT_ONCE] = {{0}};
	struct rt_convert_piece piece;
	enum rt_status status = take(convert, &piece, sizeof(piece), err);

	if (status != RT_OK)
		return status;
	if (piece.text_len == 0 || piece.text_len > RT_RING_DATA || piece.marks > MARKS_MAX)
		return convert_broken(err);
	while (status == RT_OK && piece.marks) {
		uint32_t count = piece.marks < MARKS_AT_ONCE ? piece.marks : MARKS_AT_ONCE;

		status = take(convert, some, count * sizeof(some[0]), err);
		for (uint32_t i = 0; status == RT_OK && i < count; i++)
			status = rt_marks_add(marks, some[i].at, some[i].place, err);
		piece.marks -= count;
	}
	convert->text_left = piece.text_len;
	return status == RT_END ? convert_broken(err) : status;
}

static enum rt_status convert_read(void *ctx, struct rt_marks *marks, void *buf, size_t cap,
				   size_t *ret_len, struct rt_error *err)
{
	struct rt_convert *convert = ctx;
	enum rt_status status = RT_OK;

	if (!convert->text_left)
		status = begin_piece(convert, marks, err);
	if (status == RT_OK) {
		cap = cap < convert->text_left ? cap : convert->text_left;
		status = rt_worker_read(&convert->worker, buf, cap, ret_len, err);
		if (status == RT_END)
			status = convert_broken(err);
	}
	if (status == RT_OK)
		convert->text_left -= (uint32_t)*ret_len;
	return status < 0 ? convert_failed(convert, status, err) : status;
}

static void convert_close(void *ctx)
{
	struct rt_convert *convert = ctx;

	rt_worker_stop(&convert->worker);
}

struct rt_text_converter rt_convert_converter(struct rt_convert *convert)
{
	return (struct rt_text_converter){convert_open, convert_read, convert_close, convert};
}
