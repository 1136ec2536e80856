/*
 * The message of a job. Input: a job. Output: bytes, and a job again: numbers first, then the
 * bytes that were taken from a pipe, then the texts, each with its NUL.
 * Refuses messages whose parts do not add up to their length.
 */
#include "source/job.h"

#include <stdlib.h>
#include <string.h>

struct numbers {
	uint32_t kind;
	uint32_t first_part;
	uint32_t wanted;
	uint64_t start;
	uint32_t seekable, has_below;
	uint64_t expanded_max, limit;
	uint64_t size;
	uint64_t memory_bytes, file_bytes;
	uint64_t patches, patch_len;
	uint64_t head_len;
	uint64_t include_count, exclude_count;
	struct rt_limits limits;
};

static enum rt_status pack_texts(const char *const *texts, size_t count, struct rt_buf *message,
				 struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < count; i++)
		status = rt_buf_append(message, texts[i], strlen(texts[i]) + 1, err);
	return status;
}

enum rt_status rt_job_pack(const struct rt_job *job, struct rt_buf *message, struct rt_error *err)
{
	static const struct rt_choice any;
	const struct rt_decode *decode = &job->decode;
	const struct rt_choice *choice = decode->choice ? decode->choice : &any;
	struct numbers numbers;
	enum rt_status status;

	/* Its gaps travel too. */
	memset(&numbers, 0, sizeof(numbers));
	numbers.kind = job->kind;
	numbers.first_part = job->first_part;
	numbers.wanted = job->wanted;
	numbers.start = job->start;
	numbers.seekable = decode->seekable;
	numbers.has_below = decode->below != NULL;
	numbers.expanded_max = decode->meter.expanded_max;
	numbers.limit = decode->meter.limit;
	numbers.size = decode->size;
	numbers.memory_bytes = job->memory_bytes;
	numbers.file_bytes = job->file_bytes;
	numbers.patches = job->patches;
	numbers.patch_len = job->patch_len;
	numbers.head_len = decode->head_len;
	numbers.include_count = choice->include_count;
	numbers.exclude_count = choice->exclude_count;
	numbers.limits = *decode->limits;
	status = rt_buf_append(message, &numbers, sizeof(numbers), err);
	if (status == RT_OK)
		status = rt_buf_append(message, decode->head, decode->head_len, err);
	if (status == RT_OK)
		status = pack_texts(&decode->below, numbers.has_below, message, err);
	if (status == RT_OK)
		status = pack_texts(choice->include, choice->include_count, message, err);
	if (status == RT_OK)
		status = pack_texts(choice->exclude, choice->exclude_count, message, err);
	return status;
}

/* The next text of a message, or NULL. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at;
	const char *nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

	if (nul)
		*at = nul + 1;
	return nul ? text : NULL;
}

static bool take_texts(const char **at, const char *end, const char **texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		texts[i] = take_text(at, end);
		if (!texts[i])
			return false;
	}
	return true;
}

static void set_job(const struct numbers *numbers, struct rt_job *job, struct rt_job_room *room)
{
	room->limits = numbers->limits;
	*job = (struct rt_job){
	    .kind = (enum rt_job_kind)numbers->kind,
	    .decode = {.limits = &room->limits,
		       .choice = &room->choice,
		       .meter = {.expanded_max = numbers->expanded_max, .limit = numbers->limit},
		       .fd = -1,
		       .seekable = numbers->seekable != 0,
		       .size = numbers->size,
		       .head_len = (size_t)numbers->head_len,
		       .spool_fd = -1},
	    .memory_bytes = numbers->memory_bytes,
	    .file_bytes = numbers->file_bytes,
	    .first_part = numbers->first_part,
	    .wanted = numbers->wanted,
	    .start = numbers->start,
	    .patches = numbers->patches,
	    .patch_len = numbers->patch_len,
	};
}

bool rt_job_unpack(const char *message, size_t len, struct rt_job *job, struct rt_job_room *room)
{
	const char *at = message + sizeof(struct numbers), *end = message + len;
	struct numbers numbers;
	const char **globs;
	size_t count;

	if (len < sizeof(numbers))
		return false;
	memcpy(&numbers, message, sizeof(numbers));
	if (numbers.head_len > RT_MAGIC_BYTES || numbers.head_len > (size_t)(end - at) ||
	    numbers.include_count > len || numbers.exclude_count > len)
		return false;
	*room = (struct rt_job_room){0};
	set_job(&numbers, job, room);
	if (numbers.head_len)
		job->decode.head = at;
	at += numbers.head_len;
	count = (size_t)(numbers.include_count + numbers.exclude_count);
	globs = calloc(count + 1, sizeof(*globs));
	if (!globs)
		return false;
	room->globs = globs;
	room->choice = (struct rt_choice){
	    .include = globs,
	    .include_count = (size_t)numbers.include_count,
	    .exclude = globs + numbers.include_count,
	    .exclude_count = (size_t)numbers.exclude_count,
	};
	if ((!numbers.has_below || take_texts(&at, end, &job->decode.below, 1)) &&
	    take_texts(&at, end, globs, count) && at == end)
		return true;
	free(globs);
	return false;
}
