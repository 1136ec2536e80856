/*
 * Digests records by their documented members. Input: checked records. Output: whether two are
 * equal, and if not a member that differs.
 */
#include "engine/equal.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_string.h"
#include "base/sha256.h"
#include "scan/items.h"

/* Of SHA-256: beyond all data sets for those who do not know the key. */
#define DIGEST_BYTES 16u

/* What is kept of a record. */
struct row {
	uint8_t digest[DIGEST_BYTES];
	uint8_t checks[RT_ISSUE_MEMBERS]; /* by place in the kind's table */
};

struct rt_equal {
	struct rt_siphash_key key;
	bool in_part;
	struct rt_sha256 *sha256;
	struct row now; /* of the record at hand */
	enum rt_kind kind;
	struct rt_buf rows;
	struct rt_buf text; /* the record at hand in its one spelling */
	struct rt_buf scratch;
};

enum rt_status rt_equal_new(const struct rt_siphash_key *key, bool in_part,
			    struct rt_equal **ret_equal, struct rt_error *err)
{
	struct rt_equal *equal = calloc(1, sizeof(*equal));
	enum rt_status status;

	if (!equal)
		return rt_error_nomem(err);
	equal->key = *key;
	equal->in_part = in_part;
	status = rt_sha256_new(&equal->sha256, err);
	if (status != RT_OK) {
		rt_equal_free(equal);
		return status;
	}
	*ret_equal = equal;
	return RT_OK;
}

void rt_equal_free(struct rt_equal *equal)
{
	if (!equal)
		return;
	rt_sha256_free(equal->sha256);
	rt_buf_release(&equal->rows);
	rt_buf_release(&equal->text);
	rt_buf_release(&equal->scratch);
	free(equal);
}

/* A string as a quote, its length and its characters. at: its opening quote. */
static enum rt_status spell_string(struct rt_equal *equal, const char **at, const char *end,
				   struct rt_error *err)
{
	const char *from = *at + 1;
	bool loose = false;
	const char *quote = rt_items_string(from, end, &loose);
	struct rt_slice text = rt_slice_make(from, (size_t)(quote - from));
	enum rt_status status = rt_json_string_text(text, &equal->scratch, &text, err);
	uint64_t len = text.len;

	*at = quote + (quote < end);
	if (status == RT_OK)
		status = rt_buf_append(&equal->text, "\"", 1, err);
	if (status == RT_OK)
		status = rt_buf_append(&equal->text, &len, sizeof(len), err);
	if (status == RT_OK)
		status = rt_buf_append(&equal->text, text.ptr, text.len, err);
	return status;
}

/* A value without blanks, each string in its one spelling. It is no object: none is documented. */
static enum rt_status spell_value(struct rt_equal *equal, struct rt_slice value,
				  struct rt_error *err)
{
	const char *at = value.ptr, *end = rt_slice_end(value);
	enum rt_status status = RT_OK;

	while (status == RT_OK && (at = rt_items_blanks(at, end)) < end) {
		if (*at == '"')
			status = spell_string(equal, &at, end, err);
		else
			status = rt_buf_append(&equal->text, at++, 1, err);
	}
	return status;
}

static enum rt_status spell_member(struct rt_equal *equal, const struct rt_record *record,
				   enum rt_member m, struct rt_error *err)
{
	struct rt_slice value = m == RT_M_FALSE_POSITIVE ? RT_SLICE("false") : RT_SLICE("null");
	enum rt_status status;

	if (rt_record_has(record, m))
		value = record->values[m];
	status = spell_value(equal, value, err);
	/* No value has a line break, so that none can run into the next. */
	return status == RT_OK ? rt_buf_append(&equal->text, "\n", 1, err) : status;
}

/* Whether a member is compared; the id is the same wherever two records are. */
static bool is_compared(const struct rt_equal *equal, enum rt_member m)
{
	if (equal->in_part && equal->kind == RT_KIND_ISSUE)
		return m == RT_M_MODEL_USED || m == RT_M_CATEGORY || m == RT_M_FILE_PATH;
	return m != RT_M_ID;
}

enum rt_status rt_equal_take(struct rt_equal *equal, const struct rt_record *record,
			     struct rt_error *err)
{
	static const struct rt_siphash_key plain = {0, 0};
	uint8_t digest[RT_SHA256_BYTES];
	enum rt_status status = RT_OK;
	size_t count;
	const struct rt_member_rule *rules = rt_member_rules(record->kind, &count);

	equal->kind = record->kind;
	equal->now = (struct row){{0}, {0}};
	equal->text.len = 0;
	for (size_t i = 0; status == RT_OK && i < count; i++) {
		size_t before = equal->text.len;

		if (!is_compared(equal, rules[i].member))
			continue;
		status = spell_member(equal, record, rules[i].member, err);
		/* With a fixed key: the same inputs name the same member. */
		if (status == RT_OK)
			equal->now.checks[i] =
			    (uint8_t)rt_siphash(&plain, rt_slice_make(equal->text.data + before,
								      equal->text.len - before))
				.low;
	}
	if (status != RT_OK)
		return status;
	rt_sha256_reset(equal->sha256);
	rt_sha256_add(equal->sha256, &equal->key, sizeof(equal->key));
	rt_sha256_add(equal->sha256, equal->text.data, equal->text.len);
	rt_sha256_end(equal->sha256, digest);
	memcpy(equal->now.digest, digest, DIGEST_BYTES);
	return RT_OK;
}

enum rt_status rt_equal_keep(struct rt_equal *equal, struct rt_error *err)
{
	return rt_buf_append(&equal->rows, &equal->now, sizeof(equal->now), err);
}

bool rt_equal_check(const struct rt_equal *equal, uint64_t number, enum rt_member *ret_member)
{
	const struct row *kept = (const struct row *)(const void *)equal->rows.data + number;
	size_t count, i = 0;
	const struct rt_member_rule *rules = rt_member_rules(equal->kind, &count);

	if (memcmp(kept->digest, equal->now.digest, DIGEST_BYTES) == 0)
		return true;
	while (i < count && kept->checks[i] == equal->now.checks[i])
		i++;
	*ret_member = i < count ? rules[i].member : RT_M_UNKNOWN;
	return false;
}

struct rt_slice rt_equal_digest(const struct rt_equal *equal)
{
	return rt_slice_make((const char *)equal->now.digest, DIGEST_BYTES);
}
