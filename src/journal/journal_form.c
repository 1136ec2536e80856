/*
 * Makes the lines of a journal (SPEC 3). Input: what a line is to say. Output: the line, and its
 * hash. What it makes, journal_match.c reads.
 * Refuses an actor that is not UTF-8: a line with it could not be read again.
 */
#include "base/error.h"
#include "base/instant.h"
#include "base/json_string.h"
#include "base/utf8.h"
#include "journal/journal_state.h"

#include <assert.h>
#include <inttypes.h>

#define REPLACEMENT "\xEF\xBF\xBD"

/* A line under construction; from the first error on, nothing is added. */
struct maker {
	struct rt_buf *out;
	size_t start; /* of the line in out */
	enum rt_status status;
	struct rt_error *err;
};

enum rt_status rt_journal_form_init(struct rt_journal_form *form, const struct rt_limits *limits,
				    struct rt_error *err)
{
	form->ops = rt_scan_ops_for(RT_SIMD_AUTO);
	rt_scan_init(&form->scan, limits->depth);
	return rt_sha256_new(&form->hash, err);
}

void rt_journal_form_release(struct rt_journal_form *form)
{
	rt_sha256_free(form->hash);
	form->hash = NULL;
	rt_buf_release(&form->text);
	rt_buf_release(&form->scratch);
}

bool rt_journal_is_time(struct rt_slice text)
{
	char again[RT_INSTANT_CHARS];
	struct rt_instant instant;

	/* Written anew it must be the same: 23:59:60 is a time to read, but none we write. */
	return text.len == RT_INSTANT_CHARS && rt_instant_parse(text, &instant) &&
	       rt_instant_format(instant.seconds, again) &&
	       memcmp(again, text.ptr, sizeof(again)) == 0;
}

static void put(struct maker *m, struct rt_slice text)
{
	if (m->status == RT_OK)
		m->status = rt_buf_append(m->out, text.ptr, text.len, m->err);
}

#define PUT(m, literal) put(m, RT_SLICE(literal))

static void put_number(struct maker *m, uint64_t number)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, number);

	put(m, rt_slice_make(digits, (size_t)len));
}

static void put_digest(struct maker *m, const uint8_t digest[RT_SHA256_BYTES])
{
	char hex[RT_SHA256_HEX];

	rt_sha256_hex(digest, hex);
	put(m, rt_slice_make(hex, sizeof(hex)));
}

static void put_string(struct maker *m, struct rt_slice text)
{
	if (m->status == RT_OK)
		m->status = rt_json_string_encode(text, m->out, m->err);
}

/* Length of the text's beginning that is UTF-8. */
static size_t utf8_prefix(struct rt_slice text)
{
	size_t at = 0;

	while (at < text.len) {
		size_t len = rt_utf8_length(text.ptr + at, text.len - at);

		if (len == 0)
			break;
		at += len;
	}
	return at;
}

/* Copy text to out, with U+FFFD for each byte that is not UTF-8. */
static enum rt_status replace_bad(struct rt_slice text, struct rt_buf *out, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	out->len = 0;
	while (status == RT_OK && text.len) {
		size_t good = utf8_prefix(text);

		status = rt_buf_append(out, text.ptr, good, err);
		text = rt_slice_make(text.ptr + good, text.len - good);
		if (status != RT_OK || text.len == 0)
			break;
		status = rt_buf_append(out, REPLACEMENT, sizeof(REPLACEMENT) - 1, err);
		text = rt_slice_make(text.ptr + 1, text.len - 1);
	}
	return status;
}

/* Hash what the line has so far, and end it. */
static enum rt_status line_end(struct maker *m, struct rt_journal_form *form,
			       uint8_t ret_hash[RT_SHA256_BYTES])
{
	uint8_t hash[RT_SHA256_BYTES];

	if (m->status == RT_OK)
		rt_sha256_of(form->hash,
			     rt_slice_make(m->out->data + m->start, m->out->len - m->start), hash);
	else
		memset(hash, 0, sizeof(hash));
	PUT(m, RT_JOURNAL_HASH_OPEN);
	put_digest(m, hash);
	PUT(m, RT_JOURNAL_HASH_CLOSE "\n");
	if (m->status == RT_OK)
		memcpy(ret_hash, hash, sizeof(hash));
	return m->status;
}

enum rt_status rt_journal_form_write_header(struct rt_journal_form *form,
					    const struct rt_journal_base *base, struct rt_buf *out,
					    uint8_t ret_hash[RT_SHA256_BYTES], struct rt_error *err)
{
	struct maker m = {out, out->len, RT_OK, err};

	assert(rt_journal_is_time(base->created_at));
	m.status = replace_bad(base->name, &form->text, err);
	PUT(&m, RT_JOURNAL_MAGIC "\"base\":{\"name\":");
	put_string(&m, rt_buf_slice(&form->text));
	PUT(&m, ",\"sha256\":\"");
	put_digest(&m, base->sha256);
	PUT(&m, "\",\"issues\":");
	put_number(&m, base->issues);
	PUT(&m, "},\"created_at\":\"");
	put(&m, base->created_at);
	PUT(&m, "\"");
	return line_end(&m, form, ret_hash);
}

static void put_actor(struct maker *m, struct rt_slice actor)
{
	if (!actor.ptr)
		PUT(m, "null");
	else if (utf8_prefix(actor) == actor.len)
		put_string(m, actor);
	else if (m->status == RT_OK)
		m->status = rt_error_set(m->err, RT_E_USAGE,
					 "want an actor in UTF-8, have bytes that are not");
}

enum rt_status rt_journal_form_write_entry(struct rt_journal_form *form,
					   const struct rt_journal_entry *entry, struct rt_buf *out,
					   struct rt_journal_head *head, struct rt_error *err)
{
	struct maker m = {out, out->len, RT_OK, err};

	assert(rt_journal_is_time(entry->at));
	PUT(&m, "{\"seq\":");
	put_number(&m, head->seq + 1);
	PUT(&m, ",\"at\":\"");
	put(&m, entry->at);
	PUT(&m, "\",\"actor\":");
	put_actor(&m, entry->actor);
	PUT(&m, ",\"request\":");
	if (m.status == RT_OK)
		m.status = rt_request_write(&entry->request, out, err);
	PUT(&m, ",\"result\":{\"updated_count\":");
	put_number(&m, entry->updated_count);
	PUT(&m, ",\"failed_count\":");
	put_number(&m, entry->failed_count);
	PUT(&m, ",\"sha256\":\"");
	put_digest(&m, entry->result_sha256);
	PUT(&m, "\"}" RT_JOURNAL_PREV_OPEN);
	put_digest(&m, head->hash);
	PUT(&m, "\"");
	if (line_end(&m, form, head->hash) == RT_OK)
		head->seq++;
	return m.status;
}
