/*
 * A tar, written again. Input: the container's stream. Output: the same bytes, but for the members
 * that have patches: there the data, the size where it stands in the header and the blocks in front
 * of it (pax records, GNU long names), the checksums that cover it and the padding are new.
 *
 * Two designs were weighed. libarchive's writer would take each entry and make a header anew; it
 * loses what it does not know (pax records of other tools, global headers, the exact form of
 * numbers, sparse maps) and turns some dialects into others. So libarchive only reads here, and
 * says where each member's header starts and ends; a stream below it remembers the bytes that pass,
 * and they go out as they came in. What is held is one header and what libarchive has taken in
 * beyond it. Members that are not patched cost one copy.
 *
 * Refuses a header of more than RT_TAR_HEADER_MAX bytes, to change sparse members, whose data are
 * not what their size says, and anything in which the size is not where libarchive must have found
 * it.
 */
#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "rewrite/patch_stream.h"
#include "rewrite/repack_state.h"

#define BLOCK 512u
#define SIZE_AT 124u
#define SIZE_LEN 12u
#define SUM_AT 148u
#define SUM_LEN 8u
#define TYPE_AT 156u
/* A number in a field of SIZE_LEN bytes: 11 octal digits, or binary with the first bit set. */
#define OCTAL_MAX ((UINT64_C(1) << 33) - 1)
#define BINARY 0x80u
/* Bytes that an end has at least: two blocks. */
#define END_MIN 1024u

static enum rt_status tar_reject(struct rt_error *err, const char *want)
{
	(void)rt_error_set(err, RT_E_INPUT, "want %s to change its size, have another form", want);
	return RT_REJECT;
}

/* Bytes that bring size up to a multiple of unit. */
static uint64_t padding(uint64_t size, unsigned unit)
{
	return (unit - size % unit) % unit;
}

/* --- Numbers in a header block --------------------------------------------------------- */

static bool field_read(const uint8_t *field, size_t len, uint64_t *ret_value)
{
	uint64_t value = 0;
	size_t i = 0;

	if (field[0] & BINARY) {
		for (value = field[0] & 0x7fu, i = 1; i < len; i++) {
			if (value >> 55)
				return false;
			value = value << 8 | field[i];
		}
		*ret_value = value;
		return true;
	}
	while (i < len && field[i] == ' ')
		i++;
	for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
		value = value << 3 | (uint64_t)(field[i] - '0');
	*ret_value = value;
	return i == len || field[i] == '\0' || field[i] == ' ';
}

/* Octal digits over all of the field but what ends it, filled up with what it was filled with. */
static void field_write_octal(uint8_t *field, size_t len, uint64_t value)
{
	uint8_t fill = field[0] == ' ' ? ' ' : '0';
	size_t digits = len;

	while (digits > 1 && (field[digits - 1] == '\0' || field[digits - 1] == ' '))
		digits--;
	/* A short number, ended early: make it as long as the field allows. */
	if (digits + 2 < len || value >> (3 * digits)) {
		digits = len - 1;
		field[digits] = '\0';
	}
	for (size_t i = digits; i-- > 0; value >>= 3)
		field[i] = value || i + 1 == digits ? (uint8_t)('0' + (value & 7)) : fill;
}

static void field_write(uint8_t *field, size_t len, uint64_t value)
{
	if (!(field[0] & BINARY) && value <= OCTAL_MAX) {
		field_write_octal(field, len, value);
		return;
	}
	/* Beyond what octal holds: binary, which GNU tar, libarchive and Python take in any tar. */
	for (size_t i = len; i-- > 0; value >>= 8)
		field[i] = (uint8_t)value;
	field[0] = BINARY;
}

static void block_write_sum(uint8_t *block)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= SUM_AT && i < SUM_AT + SUM_LEN ? ' ' : block[i];
	field_write_octal(block + SUM_AT, SUM_LEN, sum);
}

/* A block with another size in it, after out. */
static enum rt_status block_append(struct rt_buf *out, const uint8_t *block, uint64_t size,
				   struct rt_error *err)
{
	uint8_t copy[BLOCK];

	memcpy(copy, block, BLOCK);
	field_write(copy + SIZE_AT, SIZE_LEN, size);
	block_write_sum(copy);
	return rt_buf_append(out, copy, BLOCK, err);
}

/* --- pax records ------------------------------------------------------------------------- */

/* One record, "LENGTH KEY=VALUE\n", with LENGTH over all of it. */
struct record {
	struct rt_slice whole;
	struct rt_slice key;
	struct rt_slice value;
};

/* Take the first record off text; false when there is none. */
static bool record_next(struct rt_slice *text, struct record *record)
{
	size_t len = 0, at = 0;
	const char *equals;

	while (at < text->len && isdigit((unsigned char)text->ptr[at]) && len < text->len)
		len = len * 10 + (size_t)(text->ptr[at++] - '0');
	if (at == 0 || len > text->len || len < at + 4 || text->ptr[at] != ' ' ||
	    text->ptr[len - 1] != '\n')
		return false;
	at++;
	equals = memchr(text->ptr + at, '=', len - at);
	if (!equals)
		return false;
	record->whole = rt_slice_make(text->ptr, len);
	record->key = rt_slice_make(text->ptr + at, (size_t)(equals - text->ptr) - at);
	record->value = rt_slice_make(equals + 1, (size_t)(text->ptr + len - 1 - equals - 1));
	*text = rt_slice_make(text->ptr + len, text->len - len);
	return true;
}

/* Write a size record; its length counts its own digits. */
static enum rt_status record_append_size(struct rt_buf *out, uint64_t size, struct rt_error *err)
{
	char text[64];
	int len = 0, again = 0;

	do {
		len = again;
		again = snprintf(text, sizeof(text), "%d size=%" PRIu64 "\n", len, size);
	} while (again != len);
	return rt_buf_append(out, text, (size_t)len, err);
}

static bool key_is_sparse(struct rt_slice key)
{
	const struct rt_slice sparse = RT_SLICE("GNU.sparse.");

	return rt_slice_equal(key, RT_SLICE("SCHILY.realsize")) ||
	       (key.len > sparse.len && memcmp(key.ptr, sparse.ptr, sparse.len) == 0);
}

/* The records with another size; *ret_found: there was one. */
static enum rt_status records_copy(struct rt_slice text, uint64_t new_size, struct rt_buf *out,
				   bool *ret_found, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct record record;

	while (status == RT_OK && text.len) {
		if (!record_next(&text, &record))
			return tar_reject(err, "a member with whole pax records");
		if (key_is_sparse(record.key))
			return tar_reject(err, "a member that is not sparse");
		if (rt_slice_equal(record.key, RT_SLICE("size"))) {
			*ret_found = true;
			status = record_append_size(out, new_size, err);
		} else {
			status = rt_buf_append(out, record.whole.ptr, record.whole.len, err);
		}
	}
	return status;
}

/* A pax header with its body, of body_len bytes before padding; unchanged where it has no size. */
static enum rt_status pax_copy(const uint8_t *block, uint64_t body_len, size_t whole,
			       uint64_t new_size, struct rt_buf *out, bool *ret_found,
			       struct rt_error *err)
{
	static const char zeros[BLOCK];
	struct rt_slice body = rt_slice_make((const char *)block + BLOCK, (size_t)body_len);
	struct rt_buf records = {0};
	bool found = false;
	enum rt_status status = records_copy(body, new_size, &records, &found, err);

	if (status == RT_OK && !found) {
		status = rt_buf_append(out, block, whole, err);
	} else if (status == RT_OK) {
		*ret_found = true;
		status = block_append(out, block, records.len, err);
		if (status == RT_OK)
			status = rt_buf_append(out, records.data, records.len, err);
		if (status == RT_OK)
			status =
			    rt_buf_append(out, zeros, (size_t)padding(records.len, BLOCK), err);
	}
	rt_buf_release(&records);
	return status;
}

/* --- The header block --------------------------------------------------------------------------
 */

static enum rt_status main_copy(const uint8_t *block, uint64_t old_size, uint64_t new_size,
				bool has_pax_size, struct rt_buf *out, struct rt_error *err)
{
	uint64_t size;

	/* Regular, its older form, contiguous; not sparse and not multi-volume. */
	if (block[TYPE_AT] != '0' && block[TYPE_AT] != '\0' && block[TYPE_AT] != '7')
		return tar_reject(err, "a regular member that is stored whole");
	if (!field_read(block + SIZE_AT, SIZE_LEN, &size))
		return tar_reject(err, "a member with a number as its size");
	if (size == old_size)
		return block_append(out, block, new_size, err);
	/* With a pax record the field counts for nothing, and writers put there what they like. */
	if (has_pax_size)
		return rt_buf_append(out, block, BLOCK, err);
	return tar_reject(err, "a member with its size in its header");
}

/*
 * The header of a member with another size, appended to out: all its blocks, as they were read,
 * extensions included. RT_REJECT where the member cannot be written with another size.
 */
static enum rt_status header_change(struct rt_slice head, uint64_t old_size, uint64_t new_size,
				    struct rt_buf *out, struct rt_error *err)
{
	const uint8_t *blocks = (const uint8_t *)head.ptr;
	bool has_pax_size = false;
	enum rt_status status = RT_OK;
	size_t at = 0;

	if (head.len < BLOCK || head.len % BLOCK)
		return tar_reject(err, "a member with a header of whole blocks");
	while (status == RT_OK && at < head.len - BLOCK) {
		const uint8_t *block = blocks + at;
		uint64_t body, whole;

		if (!field_read(block + SIZE_AT, SIZE_LEN, &body) || body > head.len)
			return tar_reject(err, "a member with whole extended headers");
		whole = BLOCK + body + padding(body, BLOCK);
		if (whole > head.len - BLOCK - at)
			return tar_reject(err, "a member with whole extended headers");
		if (block[TYPE_AT] == 'x' || block[TYPE_AT] == 'X')
			status =
			    pax_copy(block, body, (size_t)whole, new_size, out, &has_pax_size, err);
		else
			status = rt_buf_append(out, block, (size_t)whole, err);
		at += (size_t)whole;
	}
	if (status == RT_OK)
		status = main_copy(blocks + at, old_size, new_size, has_pax_size, out, err);
	return status;
}

/* --- The archive --------------------------------------------------------------------------- */

enum tar_mode {
	TAR_HOLD, /* bytes are kept until it is known what becomes of them */
	TAR_COPY, /* what libarchive has done with goes out */
	TAR_DROP, /* what libarchive has done with is forgotten */
	TAR_TAIL, /* the end: zeros, which are counted */
};

struct tar {
	struct rt_stream stream; /* what libarchive reads: the bytes of below */
	struct rt_stream *below;
	struct rt_repack_state *state;
	struct archive *archive; /* NULL before the first header */
	enum tar_mode mode;
	struct rt_buf held;   /* bytes that passed and still count */
	uint64_t start;       /* offset of the first held byte, in the old container */
	uint64_t total;       /* bytes that passed */
	uint64_t moved;       /* new offset minus old offset, as a number that may wrap */
	struct rt_buf head;   /* the old header of a member that is patched */
	struct rt_buf header; /* its new one */
};

/* --- Bytes that pass --------------------------------------------------------------------- */

/* Offset up to which libarchive is done with the bytes. */
static uint64_t tar_done(const struct tar *tar)
{
	int64_t done = tar->archive ? archive_filter_bytes(tar->archive, 0) : 0;

	return done > 0 ? (uint64_t)done : 0;
}

/* Let go of what libarchive is done with, as the mode says. */
static enum rt_status tar_settle(struct tar *tar, struct rt_error *err)
{
	uint64_t done = tar_done(tar);
	const struct rt_sink *to = &tar->state->to;
	enum rt_status status = RT_OK;
	size_t len;

	if (tar->mode == TAR_HOLD && tar->held.len > RT_TAR_HEADER_MAX)
		return rt_error_set(err, RT_E_LIMIT,
				    "want member headers of at most %" PRIu64 " bytes, have more",
				    RT_TAR_HEADER_MAX);
	if (tar->mode == TAR_HOLD || tar->mode == TAR_TAIL || done <= tar->start)
		return RT_OK;
	len = done - tar->start < tar->held.len ? (size_t)(done - tar->start) : tar->held.len;
	if (tar->mode == TAR_COPY && len)
		status = to->write(to->ctx, tar->held.data, len, err);
	memmove(tar->held.data, tar->held.data + len, tar->held.len - len);
	tar->held.len -= len;
	tar->start += len;
	return status;
}

static enum rt_status tar_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
			       struct rt_error *err)
{
	struct tar *tar = (struct tar *)stream;
	enum rt_status status = tar_settle(tar, err);

	if (status == RT_OK)
		status = rt_stream_read(tar->below, buf, cap, ret_len, err);
	if (status != RT_OK)
		return status;
	tar->total += *ret_len;
	if (tar->mode == TAR_TAIL)
		return RT_OK;
	return rt_buf_append(&tar->held, buf, *ret_len, err);
}

/* On the stack of its user: there is nothing to free. */
static void tar_free(struct rt_stream *stream)
{
	(void)stream;
}

/* --- Members ----------------------------------------------------------------------------- */

static enum rt_status tar_header(void *ctx, struct archive *archive, struct rt_error *err)
{
	struct tar *tar = ctx;
	enum rt_status status;

	tar->archive = archive;
	status = tar_settle(tar, err);
	tar->mode = TAR_HOLD;
	return status;
}

/* What libarchive has just read as a header, or as the end, must be what is held. */
static enum rt_status tar_check_place(const struct tar *tar, struct rt_error *err)
{
	int64_t at = archive_read_header_position(tar->archive);
	uint64_t done = tar_done(tar);

	if (at >= 0 && (uint64_t)at == tar->start && done >= tar->start &&
	    done - tar->start <= tar->held.len)
		return RT_OK;
	(void)rt_error_set(err, RT_E_INPUT,
			   "want a member header at offset %" PRIu64
			   " of the archive, have it elsewhere",
			   tar->start);
	return RT_REJECT;
}

/* The bytes of the current member's header, which libarchive has just read. */
static enum rt_status tar_head(const struct tar *tar, struct rt_slice *ret_head,
			       struct rt_error *err)
{
	enum rt_status status = tar_check_place(tar, err);
	uint64_t done = tar_done(tar);

	if (status != RT_OK)
		return status;
	*ret_head = rt_slice_make(tar->held.data, (size_t)(done - tar->start));
	return RT_OK;
}

/* Pass len zero bytes on. */
static enum rt_status zeros_write(uint64_t len, const struct rt_sink *to, struct rt_error *err)
{
	static const uint8_t zeros[BLOCK];
	enum rt_status status = RT_OK;

	while (status == RT_OK && len) {
		size_t now = len < sizeof(zeros) ? (size_t)len : sizeof(zeros);

		status = to->write(to->ctx, zeros, now, err);
		len -= now;
	}
	return status;
}

/* Write the header of a member whose new data have this size. */
static enum rt_status tar_write_header(struct tar *tar, uint64_t old_size, uint64_t new_size,
				       struct rt_error *err)
{
	const struct rt_sink *to = &tar->state->to;
	struct rt_slice head = rt_buf_slice(&tar->head);
	enum rt_status status;

	tar->header.len = 0;
	status = header_change(head, old_size, new_size, &tar->header, err);
	if (status != RT_OK)
		return status;
	tar->moved += tar->header.len - head.len;
	tar->moved += new_size + padding(new_size, BLOCK) - old_size;
	tar->moved -= padding(old_size, BLOCK);
	return to->write(to->ctx, tar->header.data, tar->header.len, err);
}

/* Data whose size only shows when they have been made. */
static enum rt_status tar_write_spooled(struct tar *tar, const struct rt_member *member,
					uint64_t old_size, uint64_t *ret_size, struct rt_error *err)
{
	struct rt_repack_state *state = tar->state;
	struct rt_sink into;
	enum rt_status status = rt_repack_spool_begin(state, &into, err);

	if (status == RT_OK)
		status = rt_repack_pour_member(state, member, &into, err);
	*ret_size = state->spool.len;
	if (status == RT_OK)
		status = tar_write_header(tar, old_size, *ret_size, err);
	if (status == RT_OK)
		status = rt_repack_copy(state->spool.fd, 0, *ret_size, &state->to, err);
	return status;
}

/* Data whose size follows from the patches go straight through. */
static enum rt_status tar_write_straight(struct tar *tar, const struct rt_member *member,
					 uint64_t old_size, uint64_t *ret_size,
					 struct rt_error *err)
{
	const struct rt_repack_state *state = tar->state;
	enum rt_status status =
	    rt_patches_new_size(state->patches, state->part, old_size, ret_size, err);

	if (status == RT_OK)
		status = tar_write_header(tar, old_size, *ret_size, err);
	if (status == RT_OK)
		status = rt_repack_pour_member(tar->state, member, &tar->state->to, err);
	return status;
}

static enum rt_status tar_write_patched(struct tar *tar, const struct rt_member *member,
					struct rt_error *err)
{
	uint64_t old_size = (uint64_t)archive_entry_size(member->entry);
	uint64_t new_size = 0;
	enum rt_magic packed = RT_MAGIC_NONE;
	struct rt_slice head;
	enum rt_status status = tar_head(tar, &head, err);

	tar->head.len = 0;
	if (status == RT_OK)
		status = rt_buf_append(&tar->head, head.ptr, head.len, err);
	/* The old data are only read from here on. */
	tar->mode = TAR_DROP;
	if (status == RT_OK)
		status = rt_stream_sniff(member->stream, &packed, err);
	if (status != RT_OK)
		return status;
	if (packed != RT_MAGIC_NONE)
		status = tar_write_spooled(tar, member, old_size, &new_size, err);
	else
		status = tar_write_straight(tar, member, old_size, &new_size, err);
	if (status == RT_OK)
		status = zeros_write(padding(new_size, BLOCK), &tar->state->to, err);
	return status;
}

static enum rt_status tar_member(void *ctx, const struct rt_member *member, struct rt_error *err)
{
	struct tar *tar = ctx;
	enum rt_status status = rt_repack_check_links(tar->state, member, err);

	if (status != RT_OK)
		return status;
	if (member->name && rt_repack_is_patched(tar->state))
		status = tar_write_patched(tar, member, err);
	else
		tar->mode = TAR_COPY;
	if (status == RT_OK && member->name)
		status = rt_repack_count(tar->state, member->name, err);
	return status;
}

/* --- The end ----------------------------------------------------------------------------- */

static enum rt_status tar_last(void *ctx, struct rt_error *err)
{
	struct tar *tar = ctx;

	tar->mode = TAR_TAIL;
	return tar_check_place(tar, err);
}

/*
 * Zeros after `at`, the new end of the last member. Archives are filled up to whole records,
 * of 20 blocks, 10 or 1; where the old one was, the new one is. Otherwise there are as many zeros
 * as there were.
 */
static uint64_t tar_end_zeros(const struct tar *tar, uint64_t at, uint64_t old_zeros)
{
	static const unsigned records[] = {10240, 5120, 512};

	if (tar->moved == 0)
		return old_zeros;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		if (tar->total % records[i] == 0 && old_zeros < END_MIN + records[i])
			return END_MIN + padding(at + END_MIN, records[i]);
	}
	return old_zeros;
}

static enum rt_status tar_end(void *ctx, struct rt_error *err)
{
	struct tar *tar = ctx;
	uint64_t zeros = tar_end_zeros(tar, tar->start + tar->moved, tar->total - tar->start);

	return zeros_write(zeros, &tar->state->to, err);
}

enum rt_status rt_repack_tar(struct rt_repack_state *state, struct rt_stream *stream,
			     struct rt_error *err)
{
	struct tar tar = {
	    .stream = {.read = tar_read, .free = tar_free}, .below = stream, .state = state};
	const struct rt_visit visit = {.header = tar_header,
				       .member = tar_member,
				       .last = tar_last,
				       .end = tar_end,
				       .ctx = &tar};
	enum rt_status status =
	    rt_container_walk(&state->decode, RT_MAGIC_TAR, &tar.stream, -1, 0, &visit, err);

	rt_buf_release(&tar.held);
	rt_buf_release(&tar.head);
	rt_buf_release(&tar.header);
	return status;
}
