/*
 * The ids of a partial summary. Input: an id and its place. Output: its bytes, and back.
 * Refuses numbers that are longer than they need be, or too large.
 */
#include "partial/partial_form.h"

#include <string.h>

void rt_partial_digest(struct rt_sha256 *hash, enum rt_kind kind, struct rt_slice id,
		       uint8_t digest[RT_PARTIAL_DIGEST])
{
	struct rt_slice domain = kind == RT_KIND_ISSUE ? RT_SLICE("issue:") : RT_SLICE("ruleset:");
	uint8_t whole[RT_SHA256_BYTES];

	rt_sha256_reset(hash);
	rt_sha256_add(hash, domain.ptr, domain.len);
	rt_sha256_add(hash, id.ptr, id.len);
	rt_sha256_end(hash, whole);
	memcpy(digest, whole, RT_PARTIAL_DIGEST);
}

static size_t put_number(uint8_t *out, uint64_t number)
{
	size_t len = 0;

	for (; number > 0x7F; number >>= 7)
		out[len++] = (uint8_t)(number | 0x80);
	out[len++] = (uint8_t)number;
	return len;
}

/* Returns the byte after the number, or NULL: there is none up to end. */
static const uint8_t *get_number(const uint8_t *at, const uint8_t *end, uint64_t *ret_number)
{
	uint64_t number = 0;

	for (unsigned shift = 0; at && at < end && shift < 64; shift += 7) {
		uint8_t byte = *at++;

		if ((shift == 63 && byte > 1) || (shift && !byte))
			return NULL;
		number |= (uint64_t)(byte & 0x7F) << shift;
		if (!(byte & 0x80)) {
			*ret_number = number;
			return at;
		}
	}
	return NULL;
}

size_t rt_partial_id_write(const struct rt_partial_id *id, uint8_t out[RT_PARTIAL_ID_MAX])
{
	size_t len = RT_PARTIAL_DIGEST;

	memcpy(out, id->digest, RT_PARTIAL_DIGEST);
	len += put_number(out + len, (uint64_t)id->input << 1 | (id->kind == RT_KIND_RULESET));
	len += put_number(out + len, id->line);
	len += put_number(out + len, id->column);
	return len;
}

size_t rt_partial_id_read(const uint8_t *in, size_t len, struct rt_partial_id *ret_id)
{
	const uint8_t *at = in + RT_PARTIAL_DIGEST, *end = in + len;
	uint64_t input = 0;

	if (len < RT_PARTIAL_DIGEST)
		return 0;
	memcpy(ret_id->digest, in, RT_PARTIAL_DIGEST);
	at = get_number(at, end, &input);
	at = get_number(at, end, &ret_id->line);
	at = get_number(at, end, &ret_id->column);
	if (!at || input >> 1 > UINT32_MAX)
		return 0;
	ret_id->input = (uint32_t)(input >> 1);
	ret_id->kind = input & 1 ? RT_KIND_RULESET : RT_KIND_ISSUE;
	return (size_t)(at - in);
}
