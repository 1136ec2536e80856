/*
 * The header of a tar member with another size. Input: the member's header blocks as they were
 * read, extensions in front (pax records, GNU long names). Output: the same blocks with the size
 * changed where it stands, and the checksums that cover it. Every other byte stays.
 * Refuses sparse members, whose data are not what their size says, and anything in which the size
 * is not where libarchive must have found it.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "output/repack_state.h"

#define BLOCK 512u
#define SIZE_AT 124u
#define SIZE_LEN 12u
#define SUM_AT 148u
#define SUM_LEN 8u
#define TYPE_AT 156u
/* A number in a field of SIZE_LEN bytes: 11 octal digits, or binary with the first bit set. */
#define OCTAL_MAX ((UINT64_C(1) << 33) - 1)
#define BINARY 0x80u

static enum rt_status tar_reject(struct rt_error *err, const char *want)
{
	(void)rt_error_set(err, RT_E_INPUT, "want %s to change its size, have another form", want);
	return RT_REJECT;
}

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

/* A block with another size in it, behind out. */
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
			    rt_buf_append(out, zeros, (BLOCK - records.len % BLOCK) % BLOCK, err);
	}
	rt_buf_release(&records);
	return status;
}

/* --- The header -------------------------------------------------------------------------- */

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

enum rt_status rt_repack_tar_header(struct rt_slice head, uint64_t old_size, uint64_t new_size,
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
		whole = BLOCK + body + (BLOCK - body % BLOCK) % BLOCK;
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
