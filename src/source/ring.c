/*
 * The blocks between a decoder and its parent. Input: bytes of parts, from the child. Output:
 * the same bytes in the parent, after one write and one read of them. No locks: the two sides own
 * a block in turn, and the socket says whose it is.
 * Refuses a child that claims more blocks than there are.
 */
#include "source/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* What a byte on the socket says: a block has been filled or emptied, or bytes of the source are
 * asked for or there. */
#define TOKEN_BLOCK '\0'
#define TOKEN_SOURCE '\1'

/* A memory file of the ring's size, which nobody can cut short under the other's feet. */
static int ring_file(struct rt_error *err)
{
	int fd = memfd_create("retriage-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && ftruncate(fd, sizeof(struct rt_ring)) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		return fd;
	(void)rt_error_sys(err, errno, "cannot make shared memory");
	if (fd >= 0)
		close(fd);
	return -1;
}

struct rt_ring *rt_ring_map(int fd)
{
	void *map = mmap(NULL, sizeof(struct rt_ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

struct rt_ring *rt_ring_new(int *ret_fd, struct rt_error *err)
{
	int fd = ring_file(err);
	struct rt_ring *ring = fd < 0 ? NULL : rt_ring_map(fd);

	if (ring) {
		*ret_fd = fd;
	} else if (fd >= 0) {
		(void)rt_error_sys(err, errno, "cannot map shared memory");
		close(fd);
	}
	return ring;
}

void rt_ring_free(struct rt_ring *ring)
{
	if (ring)
		munmap(ring, sizeof(*ring));
}

/* --- The child's side -------------------------------------------------------------------- */

/* Wait for the parent. Without one there is nothing left to do and nobody to tell. */
static void writer_take(struct rt_ring_writer *writer)
{
	char tokens[RT_RING_BLOCKS + 1];
	ssize_t got = recv(writer->sock, tokens, sizeof(tokens), 0);

	if (got == 0 || (got < 0 && errno != EINTR))
		_exit(1);
	for (ssize_t i = 0; i < got; i++) {
		if (tokens[i] == TOKEN_BLOCK)
			writer->free_count++;
		else
			writer->is_fed = true;
	}
}

static void writer_tell(const struct rt_ring_writer *writer, char token)
{
	ssize_t put;

	atomic_thread_fence(memory_order_release);
	do {
		put = send(writer->sock, &token, 1, MSG_NOSIGNAL);
	} while (put < 0 && errno == EINTR);
	if (put < 0)
		_exit(1);
}

/* Wait for a free block. */
static void writer_wait(struct rt_ring_writer *writer)
{
	while (writer->free_count == 0)
		writer_take(writer);
}

/* The block being filled. */
static struct rt_block *writer_current(struct rt_ring_writer *writer)
{
	struct rt_block *block = &writer->ring->blocks[writer->next];

	if (!writer->is_open) {
		writer_wait(writer);
		block->flags = 0;
		block->len = 0;
		block->unread = 0;
		writer->is_open = true;
	}
	return block;
}

static void writer_send(struct rt_ring_writer *writer)
{
	writer_tell(writer, TOKEN_BLOCK);
	writer->is_open = false;
	writer->free_count--;
	writer->next = (writer->next + 1) % RT_RING_BLOCKS;
}

void rt_ring_writer_init(struct rt_ring_writer *writer, struct rt_ring *ring, int sock)
{
	*writer = (struct rt_ring_writer){.ring = ring, .sock = sock, .free_count = RT_RING_BLOCKS};
}

static enum rt_status emit_begin(void *ctx, const char *member, struct rt_error *err)
{
	struct rt_block *block = writer_current(ctx);

	(void)err;
	block->flags |= RT_BLOCK_BEGIN;
	block->has_name = member != NULL;
	if (member)
		rt_error_text(block->name, sizeof(block->name),
			      rt_slice_make(member, strlen(member)));
	return RT_OK;
}

static enum rt_status emit_space(void *ctx, void **ret_buf, size_t *ret_cap, struct rt_error *err)
{
	struct rt_block *block = writer_current(ctx);

	(void)err;
	*ret_buf = block->data + block->len;
	*ret_cap = sizeof(block->data) - block->len;
	return RT_OK;
}

static enum rt_status emit_commit(void *ctx, size_t len, struct rt_error *err)
{
	struct rt_ring_writer *writer = ctx;
	struct rt_block *block = &writer->ring->blocks[writer->next];

	(void)err;
	block->len += (uint32_t)len;
	if (block->len == sizeof(block->data))
		writer_send(writer);
	return RT_OK;
}

static enum rt_status emit_unread(void *ctx, const char *member, enum rt_unread_reason reason,
				  struct rt_error *err)
{
	struct rt_ring_writer *writer = ctx;
	struct rt_block *block = writer_current(writer);
	char name[RT_BLOCK_NAME];
	size_t len;

	(void)err;
	rt_error_text(name, sizeof(name), rt_slice_make(member, strlen(member)));
	len = strlen(name) + 1;
	/* One byte is left for the part that may begin in this block. */
	if (sizeof(block->data) - block->len < len + 2) {
		writer_send(writer);
		block = writer_current(writer);
	}
	block->data[block->len] = (uint8_t)reason;
	memcpy(block->data + block->len + 1, name, len);
	block->len += (uint32_t)len + 1;
	block->unread = block->len;
	return RT_OK;
}

static enum rt_status emit_end(void *ctx, struct rt_error *err)
{
	(void)err;
	writer_current(ctx)->flags |= RT_BLOCK_END;
	writer_send(ctx);
	return RT_OK;
}

struct rt_emit rt_ring_emit(struct rt_ring_writer *writer)
{
	return (struct rt_emit){.begin = emit_begin,
				.space = emit_space,
				.commit = emit_commit,
				.end = emit_end,
				.unread = emit_unread,
				.ctx = writer};
}

void rt_ring_flush(struct rt_ring_writer *writer)
{
	if (writer->is_open)
		writer_send(writer);
}

enum rt_status rt_ring_pull(void *ctx, void *buf, size_t cap, size_t *ret_len, struct rt_error *err)
{
	struct rt_ring_writer *writer = ctx;
	struct rt_ring *ring = writer->ring;
	size_t left;

	if (!writer->is_fed ||
	    (ring->source_status == RT_OK && writer->source_at == ring->source_len)) {
		writer->is_fed = false;
		writer->source_at = 0;
		writer_tell(writer, TOKEN_SOURCE);
		while (!writer->is_fed)
			writer_take(writer);
		atomic_thread_fence(memory_order_acquire);
	}
	if (ring->source_status == RT_END)
		return RT_END;
	if (ring->source_status != RT_OK)
		return rt_error_set(err, RT_E_IO, RT_RING_SOURCE_FAILED);
	left = ring->source_len - writer->source_at;
	*ret_len = left < cap ? left : cap;
	memcpy(buf, ring->source + writer->source_at, *ret_len);
	writer->source_at += (uint32_t)*ret_len;
	atomic_fetch_add(&ring->progress.consumed, *ret_len);
	return RT_OK;
}

void rt_ring_finish(struct rt_ring_writer *writer, enum rt_status status,
		    const struct rt_error *err)
{
	struct rt_block *block = writer_current(writer);

	block->flags |= RT_BLOCK_FINISH;
	block->status = status;
	if (status < 0)
		block->err = *err;
	writer_send(writer);
}

/* --- The parent's side ------------------------------------------------------------------- */

void rt_ring_reader_init(struct rt_ring_reader *reader, struct rt_ring *ring, int sock,
			 int stall_ms)
{
	*reader = (struct rt_ring_reader){.ring = ring, .sock = sock, .stall_ms = stall_ms};
	atomic_store(&ring->progress.consumed, 0);
	atomic_store(&ring->progress.expanded, 0);
	atomic_store(&ring->progress.waiting, 0);
}

/* A number that differs from the one before while the decoder moves. */
static uint64_t reader_progress(const struct rt_ring_reader *reader)
{
	const struct rt_progress *progress = &reader->ring->progress;

	return atomic_load_explicit(&progress->consumed, memory_order_relaxed) +
	       atomic_load_explicit(&progress->expanded, memory_order_relaxed);
}

/* Wait until the socket can be read; false with *ret_wait set when that will not come. */
static bool reader_poll(struct rt_ring_reader *reader, enum rt_wait *ret_wait)
{
	struct pollfd poll_fd = {.fd = reader->sock, .events = POLLIN};
	uint64_t before = reader_progress(reader);

	for (;;) {
		int ready = poll(&poll_fd, 1, reader->stall_ms);
		uint64_t now = reader_progress(reader);

		if (ready > 0)
			return true;
		if (ready < 0 && errno != EINTR) {
			*ret_wait = RT_WAIT_FAILED;
			return false;
		}
		if (ready == 0 && now == before && !atomic_load(&reader->ring->progress.waiting)) {
			*ret_wait = RT_WAIT_STALLED;
			return false;
		}
		before = now;
	}
}

/* Give the child what it has asked for. What the source fails with is kept for whoever reads. */
static void reader_feed(struct rt_ring_reader *reader)
{
	struct rt_ring *ring = reader->ring;
	char token = TOKEN_SOURCE;
	size_t len = 0;
	ssize_t put;

	if (reader->source_status == RT_OK)
		reader->source_status =
		    reader->source.read(reader->source.ctx, ring->source, sizeof(ring->source),
					&len, &reader->source_err);
	ring->source_status = reader->source_status;
	ring->source_len = (uint32_t)len;
	atomic_thread_fence(memory_order_release);
	do {
		put = send(reader->sock, &token, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (put < 0 && errno == EINTR);
}

/* Act on tokens that have come. Returns false where the child breaks the rules. */
static bool reader_take(struct rt_ring_reader *reader, const char *tokens, size_t count)
{
	bool asks = false;

	for (size_t i = 0; i < count; i++) {
		if (tokens[i] == TOKEN_BLOCK)
			reader->filled_count++;
		else if (tokens[i] != TOKEN_SOURCE || asks || !reader->source.read)
			return false;
		else
			asks = true;
	}
	if (reader->filled_count > RT_RING_BLOCKS)
		return false;
	if (asks)
		reader_feed(reader);
	return true;
}

enum rt_wait rt_ring_wait(struct rt_ring_reader *reader)
{
	char tokens[RT_RING_BLOCKS + 2];

	while (reader->filled_count == 0) {
		enum rt_wait wait = RT_WAIT_FAILED;
		ssize_t got = recv(reader->sock, tokens, sizeof(tokens), MSG_DONTWAIT);

		if (got == 0 || (got < 0 && errno == ECONNRESET))
			return RT_WAIT_GONE;
		if (got < 0 && errno != EINTR && errno != EAGAIN)
			return RT_WAIT_FAILED;
		if (got > 0 && !reader_take(reader, tokens, (size_t)got))
			return RT_WAIT_BROKEN;
		if (got < 0 && errno == EAGAIN && !reader_poll(reader, &wait))
			return wait;
	}
	atomic_thread_fence(memory_order_acquire);
	return RT_WAIT_BLOCK;
}

const volatile struct rt_block *rt_ring_block(const struct rt_ring_reader *reader)
{
	return &reader->ring->blocks[reader->next];
}

void rt_ring_release(struct rt_ring_reader *reader)
{
	ssize_t put;

	atomic_thread_fence(memory_order_release);
	/* A child that has ended does not need it; that it has shows on the next wait. */
	do {
		put = send(reader->sock, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (put < 0 && errno == EINTR);
	reader->filled_count--;
	reader->next = (reader->next + 1) % RT_RING_BLOCKS;
}
