/*
 * Writes frames and reads the source, in a process that unpacks.
 */
#include "source/frames.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"

void rt_frames_init(struct rt_frames *frames, int sock)
{
	frames->sock = sock;
	frames->from = frames->len = 0;
	frames->open = SIZE_MAX;
	frames->is_lent = false;
	frames->source = (struct rt_frame_source){RT_OK, 0};
	frames->source_at = 0;
}

/* Write down how long the frame of data is that goes on. */
static void close_data(struct rt_frames *frames)
{
	struct rt_frame head = {RT_FRAME_DATA, 0};

	if (frames->open == SIZE_MAX)
		return;
	head.len = (uint32_t)(frames->len - frames->open - sizeof(head));
	if (head.len)
		memcpy(frames->block + frames->open, &head, sizeof(head));
	else
		frames->len = frames->open;
	frames->open = SIZE_MAX;
}

static void write_all(int sock, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t put = write(sock, at, len);

		/* There is nothing left to do, and nobody to say so to. */
		if (put < 0 && errno != EINTR)
			_exit(1);
		at += put > 0 ? put : 0;
		len -= put > 0 ? (size_t)put : 0;
	}
}

void rt_frames_tell(struct rt_frames *frames, struct rt_frame_progress progress)
{
	struct {
		struct rt_frame head;
		struct rt_frame_progress progress;
	} frame = {{RT_FRAME_PROGRESS, sizeof(progress)}, progress};

	write_all(frames->sock, &frame, sizeof(frame));
}

void rt_frames_flush(struct rt_frames *frames)
{
	size_t end = frames->len;

	close_data(frames);
	write_all(frames->sock, frames->block + frames->from, frames->len - frames->from);
	frames->from = frames->len = 0;
	/* What is being written stays where it is, and belongs to a frame whose head takes the
	 * place of bytes before it that have gone. */
	if (frames->is_lent) {
		frames->from = frames->open = end - sizeof(struct rt_frame);
		frames->len = end;
	}
}

/* Have room for so many bytes in the block. */
static void make_room(struct rt_frames *frames, size_t len)
{
	close_data(frames);
	if (len > sizeof(frames->block) - frames->len)
		rt_frames_flush(frames);
}

void rt_frames_put(struct rt_frames *frames, enum rt_frame_type type, const void *data, size_t len)
{
	struct rt_frame head = {type, (uint32_t)len};

	frames->is_lent = false;
	make_room(frames, sizeof(head) + len);
	memcpy(frames->block + frames->len, &head, sizeof(head));
	if (len)
		memcpy(frames->block + frames->len + sizeof(head), data, len);
	frames->len += sizeof(head) + len;
}

/* --- The output of rt_decode_run() ------------------------------------------------------------ */

static enum rt_status emit_begin(void *ctx, const char *member, struct rt_error *err)
{
	char name[RT_FRAME_NAME + 1] = "";

	(void)err;
	if (member)
		rt_error_text(name, sizeof(name), rt_slice_make(member, strlen(member)));
	rt_frames_put(ctx, RT_FRAME_BEGIN, name, strlen(name));
	return RT_OK;
}

static enum rt_status emit_space(void *ctx, void **ret_buf, size_t *ret_cap, struct rt_error *err)
{
	struct rt_frames *frames = ctx;

	(void)err;
	if (frames->open == SIZE_MAX) {
		make_room(frames, sizeof(struct rt_frame) + 1);
		frames->open = frames->len;
		frames->len += sizeof(struct rt_frame);
	}
	*ret_buf = frames->block + frames->len;
	*ret_cap = sizeof(frames->block) - frames->len;
	frames->is_lent = true;
	return RT_OK;
}

static enum rt_status emit_commit(void *ctx, size_t len, struct rt_error *err)
{
	struct rt_frames *frames = ctx;

	(void)err;
	frames->is_lent = false;
	frames->len += len;
	if (frames->len == sizeof(frames->block))
		rt_frames_flush(frames);
	return RT_OK;
}

static enum rt_status emit_unread(void *ctx, const char *member, enum rt_unread_reason reason,
				  struct rt_error *err)
{
	char text[1 + RT_FRAME_NAME + 1] = {(char)reason};

	(void)err;
	rt_error_text(text + 1, sizeof(text) - 1, rt_slice_make(member, strlen(member)));
	rt_frames_put(ctx, RT_FRAME_UNREAD, text, 1 + strlen(text + 1));
	return RT_OK;
}

static enum rt_status emit_end(void *ctx, struct rt_error *err)
{
	(void)err;
	rt_frames_put(ctx, RT_FRAME_END, NULL, 0);
	return RT_OK;
}

struct rt_emit rt_frames_emit(struct rt_frames *frames)
{
	return (struct rt_emit){.begin = emit_begin,
				.space = emit_space,
				.commit = emit_commit,
				.end = emit_end,
				.unread = emit_unread,
				.ctx = frames};
}

/* --- The source ------------------------------------------------------------------------------- */

bool rt_frames_take(int sock, void *buf, size_t len)
{
	uint8_t *at = buf;

	while (len) {
		ssize_t got = read(sock, at, len);

		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		at += got > 0 ? got : 0;
		len -= got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* Have the next bytes of the source sent. */
static void ask(struct rt_frames *frames)
{
	const struct rt_frame head = {RT_FRAME_PULL, 0};

	rt_frames_flush(frames);
	write_all(frames->sock, &head, sizeof(head));
	if (!rt_frames_take(frames->sock, &frames->source, sizeof(frames->source)) ||
	    frames->source.len > sizeof(frames->bytes) ||
	    !rt_frames_take(frames->sock, frames->bytes, frames->source.len))
		_exit(1);
	frames->source_at = 0;
}

static enum rt_status source_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct rt_frames *frames = ctx;
	size_t left;

	if (frames->source.status == RT_OK && frames->source_at == frames->source.len)
		ask(frames);
	if (frames->source.status == RT_END)
		return RT_END;
	if (frames->source.status != RT_OK)
		return rt_error_set(err, RT_E_IO, RT_FRAME_SOURCE_FAILED);
	left = frames->source.len - frames->source_at;
	*ret_len = left < cap ? left : cap;
	memcpy(buf, frames->bytes + frames->source_at, *ret_len);
	frames->source_at += (uint32_t)*ret_len;
	return RT_OK;
}

struct rt_pull rt_frames_source(struct rt_frames *frames)
{
	return (struct rt_pull){source_read, frames};
}
