/*
 * A tar, written again. Input: the container's stream. Output: the same bytes, but for the
 * members that have patches: there the data, the size in the header and the padding are new.
 *
 * Two designs were weighed. libarchive's writer would take each entry and make a header anew; it
 * loses what it does not know (pax records of other tools, global headers, the exact form of
 * numbers, sparse maps) and turns some dialects into others. So libarchive only reads here, and
 * says where each member's header starts and ends; a stream below it remembers the bytes that pass,
 * and they go out as they came in. What is held is one header and what libarchive has taken in
 * beyond it. Members that are not patched cost one copy.
 *
 * Refuses a header of more than RT_TAR_HEADER_MAX bytes, and what the headers' writers refuse.
 */
#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>

#include "base/error.h"
#include "base/limits.h"
#include "output/patch_stream.h"
#include "output/repack_state.h"

#define TAR_BLOCK 512u
/* Bytes that an end has at least: two blocks. */
#define TAR_END 1024u

enum tape_mode {
	TAPE_HOLD, /* bytes are kept until it is known what becomes of them */
	TAPE_COPY, /* what libarchive has done with goes out */
	TAPE_DROP, /* what libarchive has done with is forgotten */
	TAPE_TAIL, /* the end: zeros, which are counted */
};

struct tape {
	struct rt_stream stream; /* what libarchive reads: the bytes of below */
	struct rt_stream *below;
	struct rt_repack_state *state;
	struct archive *archive; /* NULL before the first header */
	enum tape_mode mode;
	struct rt_buf held;   /* bytes that passed and still count */
	uint64_t start;       /* offset of the first held byte, in the old container */
	uint64_t total;       /* bytes that passed */
	uint64_t moved;       /* new offset minus old offset, as a number that may wrap */
	struct rt_buf head;   /* the old header of a member that is patched */
	struct rt_buf header; /* its new one */
};

/* --- Bytes that pass --------------------------------------------------------------------- */

/* Offset up to which libarchive is done with the bytes. */
static uint64_t tape_done(const struct tape *tape)
{
	int64_t done = tape->archive ? archive_filter_bytes(tape->archive, 0) : 0;

	return done > 0 ? (uint64_t)done : 0;
}

/* Let go of what libarchive is done with, as the mode says. */
static enum rt_status tape_settle(struct tape *tape, struct rt_error *err)
{
	uint64_t done = tape_done(tape);
	const struct rt_sink *to = &tape->state->to;
	enum rt_status status = RT_OK;
	size_t len;

	if (tape->mode == TAPE_HOLD && tape->held.len > RT_TAR_HEADER_MAX)
		return rt_error_set(err, RT_E_LIMIT,
				    "want member headers of at most %" PRIu64 " bytes, have more",
				    RT_TAR_HEADER_MAX);
	if (tape->mode == TAPE_HOLD || tape->mode == TAPE_TAIL || done <= tape->start)
		return RT_OK;
	len = done - tape->start < tape->held.len ? (size_t)(done - tape->start) : tape->held.len;
	if (tape->mode == TAPE_COPY && len)
		status = to->write(to->ctx, tape->held.data, len, err);
	memmove(tape->held.data, tape->held.data + len, tape->held.len - len);
	tape->held.len -= len;
	tape->start += len;
	return status;
}

static enum rt_status tape_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	struct tape *tape = (struct tape *)stream;
	enum rt_status status = tape_settle(tape, err);

	if (status == RT_OK)
		status = rt_stream_read(tape->below, buf, cap, ret_len, err);
	if (status != RT_OK)
		return status;
	tape->total += *ret_len;
	if (tape->mode == TAPE_TAIL)
		return RT_OK;
	return rt_buf_append(&tape->held, buf, *ret_len, err);
}

/* On the stack of its user: there is nothing to free. */
static void tape_free(struct rt_stream *stream)
{
	(void)stream;
}

/* --- Members ----------------------------------------------------------------------------- */

static enum rt_status tape_header(void *ctx, struct archive *archive, struct rt_error *err)
{
	struct tape *tape = ctx;
	enum rt_status status;

	tape->archive = archive;
	status = tape_settle(tape, err);
	tape->mode = TAPE_HOLD;
	return status;
}

/* What libarchive has just read as a header, or as the end, must be what is held. */
static enum rt_status tape_check_place(const struct tape *tape, struct rt_error *err)
{
	int64_t at = archive_read_header_position(tape->archive);
	uint64_t done = tape_done(tape);

	if (at >= 0 && (uint64_t)at == tape->start && done >= tape->start &&
	    done - tape->start <= tape->held.len)
		return RT_OK;
	(void)rt_error_set(err, RT_E_INPUT,
			   "want a member header at offset %" PRIu64
			   " of the archive, have it elsewhere",
			   tape->start);
	return RT_REJECT;
}

/* The bytes of the current member's header, which libarchive has just read. */
static enum rt_status tape_head(const struct tape *tape, struct rt_slice *ret_head,
				struct rt_error *err)
{
	enum rt_status status = tape_check_place(tape, err);
	uint64_t done = tape_done(tape);

	if (status != RT_OK)
		return status;
	*ret_head = rt_slice_make(tape->held.data, (size_t)(done - tape->start));
	return RT_OK;
}

static uint64_t padding(uint64_t size, unsigned unit)
{
	return (unit - size % unit) % unit;
}

/* Write the header of a member whose new data have this size. */
static enum rt_status tape_write_header(struct tape *tape, uint64_t old_size, uint64_t new_size,
					struct rt_error *err)
{
	const struct rt_sink *to = &tape->state->to;
	struct rt_slice head = rt_buf_slice(&tape->head);
	enum rt_status status;

	tape->header.len = 0;
	status = rt_repack_tar_header(head, old_size, new_size, &tape->header, err);
	if (status != RT_OK)
		return status;
	tape->moved += tape->header.len - head.len;
	tape->moved += new_size + padding(new_size, TAR_BLOCK) - old_size;
	tape->moved -= padding(old_size, TAR_BLOCK);
	return to->write(to->ctx, tape->header.data, tape->header.len, err);
}

/* Data whose size only shows when they have been made. */
static enum rt_status tape_write_spooled(struct tape *tape, const struct rt_member *member,
					 uint64_t old_size, uint64_t *ret_size,
					 struct rt_error *err)
{
	struct rt_repack_spool *spool = &tape->state->spool;
	struct rt_sink into;
	enum rt_status status = rt_repack_spool_begin(spool, &into, err);

	if (status == RT_OK)
		status = rt_repack_pour_member(tape->state, member, &into, err);
	if (status == RT_OK)
		status = tape_write_header(tape, old_size, spool->len, err);
	if (status == RT_OK)
		status = rt_repack_copy(spool->fd, 0, spool->len, &tape->state->to, err);
	*ret_size = spool->len;
	return status;
}

/* Data whose size follows from the patches go straight through. */
static enum rt_status tape_write_straight(struct tape *tape, const struct rt_member *member,
					  uint64_t old_size, uint64_t *ret_size,
					  struct rt_error *err)
{
	const struct rt_repack_state *state = tape->state;
	enum rt_status status =
	    rt_patches_new_size(state->patches, state->part, old_size, ret_size, err);

	if (status == RT_OK)
		status = tape_write_header(tape, old_size, *ret_size, err);
	if (status == RT_OK)
		status = rt_repack_pour_member(tape->state, member, &tape->state->to, err);
	return status;
}

static enum rt_status tape_write_patched(struct tape *tape, const struct rt_member *member,
					 struct rt_error *err)
{
	uint64_t old_size = (uint64_t)archive_entry_size(member->entry);
	uint64_t new_size = 0;
	enum rt_magic packed = RT_MAGIC_NONE;
	struct rt_slice head;
	enum rt_status status = tape_head(tape, &head, err);

	tape->head.len = 0;
	if (status == RT_OK)
		status = rt_buf_append(&tape->head, head.ptr, head.len, err);
	/* The old data are only read from here on. */
	tape->mode = TAPE_DROP;
	if (status == RT_OK)
		status = rt_stream_sniff(member->stream, &packed, err);
	if (status != RT_OK)
		return status;
	if (packed != RT_MAGIC_NONE)
		status = tape_write_spooled(tape, member, old_size, &new_size, err);
	else
		status = tape_write_straight(tape, member, old_size, &new_size, err);
	if (status == RT_OK)
		status = rt_repack_zeros(padding(new_size, TAR_BLOCK), &tape->state->to, err);
	return status;
}

static enum rt_status tape_member(void *ctx, const struct rt_member *member, struct rt_error *err)
{
	struct tape *tape = ctx;
	enum rt_status status = rt_repack_check_links(tape->state, member, err);

	if (status != RT_OK)
		return status;
	if (member->name && rt_repack_is_patched(tape->state))
		status = tape_write_patched(tape, member, err);
	else
		tape->mode = TAPE_COPY;
	if (status == RT_OK && member->name)
		status = rt_repack_count(tape->state, member->name, err);
	return status;
}

/* --- The end ----------------------------------------------------------------------------- */

static enum rt_status tape_last(void *ctx, struct archive *archive, struct rt_error *err)
{
	struct tape *tape = ctx;

	(void)archive;
	tape->mode = TAPE_TAIL;
	return tape_check_place(tape, err);
}

/*
 * Zeros behind `at`, the new end of the last member. Archives are filled up to whole records,
 * of 20 blocks, 10 or 1; where the old one was, the new one is. Otherwise there are as many zeros
 * as there were.
 */
static uint64_t tape_end_zeros(const struct tape *tape, uint64_t at, uint64_t old_zeros)
{
	static const unsigned records[] = {10240, 5120, 512};

	if (tape->moved == 0)
		return old_zeros;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		if (tape->total % records[i] == 0 && old_zeros < TAR_END + records[i])
			return TAR_END + padding(at + TAR_END, records[i]);
	}
	return old_zeros;
}

static enum rt_status tape_end(void *ctx, struct rt_error *err)
{
	struct tape *tape = ctx;
	uint64_t zeros = tape_end_zeros(tape, tape->start + tape->moved, tape->total - tape->start);

	return rt_repack_zeros(zeros, &tape->state->to, err);
}

enum rt_status rt_repack_tape(struct rt_repack_state *state, struct rt_stream *stream,
			      struct rt_error *err)
{
	struct tape tape = {
	    .stream = {.read = tape_read, .free = tape_free}, .below = stream, .state = state};
	const struct rt_visit visit = {.header = tape_header,
				       .member = tape_member,
				       .last = tape_last,
				       .end = tape_end,
				       .ctx = &tape};
	enum rt_status status =
	    rt_container_walk(&state->decode, RT_MAGIC_TAR, &tape.stream, -1, 0, &visit, err);

	rt_buf_release(&tape.held);
	rt_buf_release(&tape.head);
	rt_buf_release(&tape.header);
	return status;
}
