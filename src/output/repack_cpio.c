/*
 * The header of a cpio member with another size. Input: the header and the name as they were
 * read. Output: the same bytes with the size changed, and in the "crc" form the sum of the data.
 * Knows the old binary form of both byte orders, the POSIX octal one ("odc"), and the two with
 * hexadecimal numbers ("newc", "crc"). Refuses sizes that the form has no room for.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "output/repack_state.h"

/* The forms; each has its size in one place. */
enum form { FORM_NONE, FORM_NEWC, FORM_CRC, FORM_ODC, FORM_LITTLE, FORM_BIG };

static const struct {
	size_t head_len;
	size_t size_at;
	size_t size_len;
	unsigned unit; /* what data are rounded up to */
	uint64_t max;
} forms[] = {
    [FORM_NONE] = {0, 0, 0, 1, 0},
    [FORM_NEWC] = {110, 54, 8, 4, UINT32_MAX},
    [FORM_CRC] = {110, 54, 8, 4, UINT32_MAX},
    [FORM_ODC] = {76, 65, 11, 1, (UINT64_C(1) << 33) - 1},
    [FORM_LITTLE] = {26, 22, 4, 2, INT32_MAX},
    [FORM_BIG] = {26, 22, 4, 2, INT32_MAX},
};

#define CRC_AT 102u

static enum form form_find(struct rt_slice head)
{
	enum form form = FORM_NONE;

	if (head.len < 6)
		return FORM_NONE;
	if (memcmp(head.ptr, "070701", 6) == 0)
		form = FORM_NEWC;
	else if (memcmp(head.ptr, "070702", 6) == 0)
		form = FORM_CRC;
	else if (memcmp(head.ptr, "070707", 6) == 0)
		form = FORM_ODC;
	else if (memcmp(head.ptr, "\xc7\x71", 2) == 0)
		form = FORM_LITTLE;
	else if (memcmp(head.ptr, "\x71\xc7", 2) == 0)
		form = FORM_BIG;
	return head.len >= forms[form].head_len ? form : FORM_NONE;
}

unsigned rt_repack_cpio_unit(struct rt_slice head)
{
	return forms[form_find(head)].unit;
}

/* Where byte i of a binary number lies, 0 the highest: the higher 16 bits always come first. */
static size_t binary_at(enum form form, size_t i)
{
	return form == FORM_BIG ? i : i ^ 1;
}

static bool digit_value(char digit, unsigned base, uint64_t *ret_value)
{
	static const char digits[] = "0123456789abcdef";
	char lower = digit >= 'A' && digit <= 'F' ? (char)(digit + 'a' - 'A') : digit;
	const char *found = memchr(digits, lower, base);

	if (found)
		*ret_value = (uint64_t)(found - digits);
	return found != NULL;
}

static bool size_read(enum form form, const char *head, uint64_t *ret_size)
{
	const char *field = head + forms[form].size_at;
	unsigned base = form == FORM_ODC ? 8 : 16;
	uint64_t size = 0;

	for (size_t i = 0; i < forms[form].size_len; i++) {
		uint64_t digit;

		if (form == FORM_LITTLE || form == FORM_BIG)
			size = size << 8 | (uint8_t)field[binary_at(form, i)];
		else if (digit_value(field[i], base, &digit))
			size = size * base + digit;
		else
			return false;
	}
	*ret_size = size;
	return true;
}

/* Hexadecimal digits in the case that the header has. */
static void hex_write(char *head, size_t at, uint32_t value)
{
	bool upper = false;
	char text[9];

	for (size_t i = 0; i < forms[FORM_NEWC].head_len; i++)
		upper = upper || (head[i] >= 'A' && head[i] <= 'F');
	(void)snprintf(text, sizeof(text), upper ? "%08" PRIX32 : "%08" PRIx32, value);
	memcpy(head + at, text, 8);
}

static void size_write(enum form form, char *head, uint64_t size)
{
	char *field = head + forms[form].size_at;
	char text[16];

	if (form == FORM_NEWC || form == FORM_CRC) {
		hex_write(head, forms[form].size_at, (uint32_t)size);
	} else if (form == FORM_ODC) {
		(void)snprintf(text, sizeof(text), "%011" PRIo64, size);
		memcpy(field, text, forms[form].size_len);
	} else {
		for (size_t i = forms[form].size_len; i-- > 0; size >>= 8)
			field[binary_at(form, i)] = (char)(uint8_t)size;
	}
}

enum rt_status rt_repack_cpio_header(struct rt_slice head, uint64_t old_size, uint64_t new_size,
				     uint32_t sum, struct rt_buf *out, struct rt_error *err)
{
	enum form form = form_find(head);
	uint64_t size;
	enum rt_status status;
	char *copy;

	if (form == FORM_NONE || !size_read(form, head.ptr, &size) || size != old_size) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a cpio member with its size in its header, have another "
				   "form");
		return RT_REJECT;
	}
	if (new_size > forms[form].max) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a member of at most %" PRIu64
				   " bytes in this form of cpio, have %" PRIu64,
				   forms[form].max, new_size);
		return RT_REJECT;
	}
	status = rt_buf_append(out, head.ptr, head.len, err);
	if (status != RT_OK)
		return status;
	copy = out->data + out->len - head.len;
	size_write(form, copy, new_size);
	if (form == FORM_CRC)
		hex_write(copy, CRC_AT, sum);
	return RT_OK;
}
