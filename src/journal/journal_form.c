/*
 * The lines of a journal (SPEC 3). Input: what a line is to say, or its bytes. Output: the line and
 * its hash, or what it says.
 * Refuses an actor that is not UTF-8, for a line with it could not be read again; and every line
 * that it would not have made itself.
 */
#include "journal/journal_form.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/instant.h"
#include "base/json_string.h"
#include "base/utf8.h"

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
	form->ops = rt_scan_ops();
	rt_scan_init(&form->scan, limits->depth);
	return rt_sha256_new(&form->hash, err);
}

void rt_journal_form_release(struct rt_journal_form *form)
{
	rt_sha256_free(form->hash);
	form->hash = NULL;
	rt_buf_release(&form->text);
	rt_buf_release(&form->first);
	rt_buf_release(&form->scratch);
}

/* Whether a text is a time as a journal has it: YYYY-MM-DDTHH:MM:SSZ, and a real one. */
static bool is_time(struct rt_slice text)
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

	assert(is_time(base->created_at));
	m.status = rt_utf8_mend(base->name, &form->text, err);
	form->version = base->version;
	PUT(&m, RT_JOURNAL_MAGIC);
	put_number(&m, base->version);
	PUT(&m, ",\"base\":{\"name\":");
	put_string(&m, rt_buf_slice(&form->text));
	PUT(&m, ",\"sha256\":\"");
	put_digest(&m, base->sha256);
	PUT(&m, "\",\"issues\":");
	put_number(&m, base->issues);
	PUT(&m, "}");
	if (base->version > 1) {
		PUT(&m, ",\"options\":");
		put(&m, base->options);
	}
	PUT(&m, ",\"created_at\":\"");
	put(&m, base->created_at);
	PUT(&m, "\"");
	return line_end(&m, form, ret_hash);
}

static void put_actor(struct maker *m, struct rt_slice actor)
{
	if (!actor.ptr)
		PUT(m, "null");
	else if (rt_utf8_prefix(actor) == actor.len)
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

	assert(is_time(entry->at));
	PUT(&m, "{\"seq\":");
	put_number(&m, head->seq + 1);
	PUT(&m, ",\"at\":\"");
	put(&m, entry->at);
	PUT(&m, "\",\"actor\":");
	put_actor(&m, entry->actor);
	if (entry->carried.text.ptr) {
		PUT(&m, ",\"carried\":");
		put(&m, entry->carried.text);
	}
	PUT(&m, ",\"request\":");
	if (m.status == RT_OK)
		m.status = rt_request_write(&entry->request, out, err);
	PUT(&m, ",\"result\":{\"updated_count\":");
	put_number(&m, entry->updated_count);
	PUT(&m, ",\"failed_count\":");
	put_number(&m, entry->failed_count);
	PUT(&m, ",\"sha256\":\"");
	put_digest(&m, entry->result_sha256);
	if (form->version > 1) {
		PUT(&m, "\",\"notes_sha256\":\"");
		put_digest(&m, entry->notes_sha256);
	}
	PUT(&m, "\"}" RT_JOURNAL_PREV_OPEN);
	put_digest(&m, head->hash);
	PUT(&m, "\"");
	if (line_end(&m, form, head->hash) == RT_OK)
		head->seq++;
	return m.status;
}

/* --- Taking a line apart ---------------------------------------------------------------------- */

/*
 * Reads the lines of a journal (SPEC 3). Input: one line. Output: what it says, and its hash.
 * Refuses a line that differs from the form in a single byte: another order of members, blanks,
 * members that the form does not have, numbers and digests in another spelling; one whose hash is
 * not its own; and one that does not follow on the line before. The request in it alone may be
 * spelled as a request document may.
 *
 * Of a text that has no line end it also tells whether it is the beginning of the line that has to
 * come: every byte must be one that such a line can have there. Of a request that is cut, only the
 * grammar can be told.
 *
 * A line is matched by hand, since a tree of it would cost more than all other checks together;
 * the scanner checks its strings and its request.
 */

/* What stands after the hashed bytes of a line: the member hash, and before it prev. */
#define HASH_OPEN RT_JOURNAL_HASH_OPEN
#define HASH_CLOSE RT_JOURNAL_HASH_CLOSE
#define HASH_CHARS (sizeof(HASH_OPEN) - 1 + RT_SHA256_HEX + sizeof(HASH_CLOSE) - 1)
#define PREV_OPEN RT_JOURNAL_PREV_OPEN
#define PREV_CHARS (sizeof(PREV_OPEN) - 1 + RT_SHA256_HEX + 1)

/* Digits of a number, or of what should be a digest, that a message shows. */
#define SHOWN 12

/* Bytes of a line that a message shows. */
#define EXCERPT_MAX 24u

/* A place in a line. */
struct cursor {
	struct rt_journal_form *form;
	const char *line;
	const char *at;
	const char *end; /* of what is hashed, or of the line */
	bool chained;    /* prev stands right before the end, and is what it must be */
	bool open;       /* the text may end anywhere: what is there must begin a line */
	bool cut;        /* it has ended, and was right as far as it goes */
	struct rt_error *err;
};

static bool line_fault(struct cursor *c, const char *at, const char *field, const char *fmt, ...)
    RT_PRINTF(4, 5);

/* Note what is wrong at a place of the line. Returns false. */
static bool line_fault(struct cursor *c, const char *at, const char *field, const char *fmt, ...)
{
	char message[sizeof(c->err->message)];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	(void)rt_error_set(c->err, RT_E_INPUT, "%s", message);
	c->err->column = (uint64_t)(at - c->line) + 1;
	rt_error_text(c->err->field, sizeof(c->err->field), rt_slice_make(field, strlen(field)));
	return false;
}

/* The text ends here, where it may. Returns false. */
static bool line_cut(struct cursor *c)
{
	c->cut = true;
	return false;
}

/* What stands at a place, for a message; its first byte where that cannot be shown. */
static void excerpt(const struct cursor *c, char text[EXCERPT_MAX + 1])
{
	size_t left = (size_t)(c->end - c->at);

	if (left == 0)
		(void)snprintf(text, EXCERPT_MAX + 1, "no more");
	else if (rt_utf8_is_unsafe((unsigned char)*c->at))
		(void)snprintf(text, EXCERPT_MAX + 1, "byte 0x%02X", (unsigned char)*c->at);
	else
		rt_error_text(text, EXCERPT_MAX + 1, rt_slice_make(c->at, left));
}

/* Take bytes that every line has at this place; field: the member they belong to. */
static bool take(struct cursor *c, struct rt_slice literal, const char *field)
{
	size_t left = (size_t)(c->end - c->at);
	char have[EXCERPT_MAX + 1];

	if (left >= literal.len && memcmp(c->at, literal.ptr, literal.len) == 0) {
		c->at += literal.len;
		return true;
	}
	if (c->open && left < literal.len && memcmp(c->at, literal.ptr, left) == 0)
		return line_cut(c);
	excerpt(c, have);
	return line_fault(c, c->at, field, "want %s, have %s", literal.ptr, have);
}

#define TAKE(c, literal, field) take(c, RT_SLICE(literal), field)

/* A number without sign, fraction, exponent or leading zeros. */
static bool take_number(struct cursor *c, const char *field, uint64_t *ret_number)
{
	const char *first = c->at;
	uint64_t number = 0;
	bool fits = true;

	while (c->at < c->end && *c->at >= '0' && *c->at <= '9') {
		uint64_t digit = (uint64_t)(*c->at++ - '0');

		fits = fits && !__builtin_mul_overflow(number, UINT64_C(10), &number) &&
		       !__builtin_add_overflow(number, digit, &number);
	}
	if (c->at == first && c->at == c->end && c->open)
		return line_cut(c);
	if (c->at == first)
		return line_fault(c, first, field, "want a number, have something else");
	if (!fits || (*first == '0' && c->at - first > 1))
		return line_fault(c, first, field,
				  "want a number below 2^64 without leading zeros, have %.*s",
				  (int)(c->at - first < SHOWN ? c->at - first : SHOWN), first);
	*ret_number = number;
	return true;
}

/* Whether all of a text are digits of a digest. */
static bool is_hex(const char *at, const char *end)
{
	while (at < end && ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f')))
		at++;
	return at == end;
}

/* A digest, without its quotes. */
static bool take_digest(struct cursor *c, const char *field, uint8_t ret_digest[RT_SHA256_BYTES])
{
	if (c->open && (size_t)(c->end - c->at) < RT_SHA256_HEX && is_hex(c->at, c->end))
		return line_cut(c);
	if ((size_t)(c->end - c->at) < RT_SHA256_HEX || !rt_sha256_parse(c->at, ret_digest))
		return line_fault(c, c->at, field, "want %u lower-case hex digits, have %.*s",
				  RT_SHA256_HEX,
				  (int)(c->end - c->at < SHOWN ? c->end - c->at : SHOWN), c->at);
	c->at += RT_SHA256_HEX;
	return true;
}

/* Whether a text is how a time begins: one of two ends makes it one, if any does. */
static bool begins_time(struct rt_slice text)
{
	static const char *const ends[] = {"0000-01-01T00:00:00Z", "0000-10-10T00:00:00Z"};
	char whole[RT_INSTANT_CHARS];

	for (size_t i = 0; i < 2; i++) {
		memcpy(whole, ends[i], sizeof(whole));
		memcpy(whole, text.ptr, text.len);
		if (is_time(rt_slice_make(whole, sizeof(whole))))
			return true;
	}
	return false;
}

/* A time, without its quotes. */
static bool take_time(struct cursor *c, const char *field, struct rt_slice *ret_time)
{
	size_t left = (size_t)(c->end - c->at);

	*ret_time = rt_slice_make(c->at, left < RT_INSTANT_CHARS ? left : RT_INSTANT_CHARS);
	if (c->open && left < RT_INSTANT_CHARS && begins_time(*ret_time))
		return line_cut(c);
	if (!is_time(*ret_time))
		return line_fault(c, c->at, field, "want a time as YYYY-MM-DDTHH:MM:SSZ, have %.*s",
				  (int)ret_time->len, ret_time->ptr);
	c->at += RT_INSTANT_CHARS;
	return true;
}

/* Say what the scanner has found wrong in a value, which starts at c->at. */
static void value_fault(struct cursor *c, const char *want, const char *field)
{
	const struct rt_scan *scan = &c->form->scan;
	const struct rt_scan_fault *fault = &scan->fault;
	char have[32];

	if (fault->at >= c->end) {
		(void)line_fault(c, c->at, field, "want %s, have the line's end in it", want);
		return;
	}
	rt_scan_describe(scan, fault->at, have, sizeof(have));
	(void)line_fault(c, fault->at, field, "want %s, have %s", fault->want,
			 fault->have ? fault->have : have);
	c->err->code = fault->code;
}

/* Whether the bytes are how a UTF-8 sequence begins: one of these makes it whole, if any does. */
static bool begins_utf8(const char *at, const char *end)
{
	static const unsigned char next[] = {0x80, 0x90, 0xA0};
	size_t len = (size_t)(end - at);
	char whole[4];

	for (size_t i = 0; len < sizeof(whole) && i < sizeof(next); i++) {
		memset(whole, 0x80, sizeof(whole));
		memcpy(whole, at, len);
		whole[len] = (char)next[i];
		if (rt_utf8_length(whole, sizeof(whole)) > len)
			return true;
	}
	return false;
}

/* The text ends in a value, where it may: the scanner has not looked at the characters yet. */
static void value_cut(struct cursor *c, const char *field)
{
	const char *at = c->at;
	size_t len = 1;

	while (at < c->end && len) {
		len = rt_utf8_length(at, (size_t)(c->end - at));
		at += len;
	}
	if (len || begins_utf8(at, c->end))
		(void)line_cut(c);
	else
		(void)line_fault(c, at, field, "want UTF-8, have byte 0x%02X", (unsigned char)*at);
}

/*
 * One JSON value of the type that `first` begins, checked by the scanner. Its ptr is NULL where
 * there is none, with err set.
 */
static struct rt_slice take_value(struct cursor *c, char first, const char *want, const char *field)
{
	struct rt_scan *scan = &c->form->scan;
	struct rt_slice value = {NULL, 0};
	const char *after;

	if (c->open && c->at == c->end) {
		(void)line_cut(c);
		return value;
	}
	if (c->at == c->end || *c->at != first) {
		(void)line_fault(c, c->at, field, "want %s, have something else", want);
		return value;
	}
	/* The scanner wants zeros after its text, and those are far after the line: a value that
	 * goes on there ends too late. */
	scan->end = c->form->text_end;
	scan->final = !c->open;
	scan->fault.at = c->end;
	after = c->form->ops->value(scan, c->at, NULL);
	if (!after && c->open && !scan->fault.at) {
		value_cut(c, field);
		return value;
	}
	if (!after || after > c->end) {
		value_fault(c, want, field);
		return value;
	}
	value = rt_slice_make(c->at, (size_t)(after - c->at));
	c->at = after;
	return value;
}

/* A string, decoded into form->text where it has escapes. RT_REJECT or RT_FATAL otherwise. */
static enum rt_status take_string(struct cursor *c, const char *field, struct rt_slice *ret_text)
{
	struct rt_slice value = take_value(c, '"', "a string", field);

	if (!value.ptr)
		return RT_REJECT;
	return rt_json_string_text(rt_slice_make(value.ptr + 1, value.len - 2), &c->form->text,
				   ret_text, c->err);
}

static void digest_differs(struct cursor *c, const char *at, const char *field,
			   const uint8_t want[RT_SHA256_BYTES], const uint8_t have[RT_SHA256_BYTES],
			   const char *whose)
{
	char want_text[RT_SHA256_SHORT], have_text[RT_SHA256_SHORT];

	rt_sha256_short(want, want_text);
	rt_sha256_short(have, have_text);
	(void)line_fault(c, at, field, "want %s%s, have %s", want_text, whose, have_text);
}

/*
 * The member hash, which ends the line, is the hash of all before it. c->end is then the end of
 * that.
 */
static bool check_hash(struct cursor *c, uint8_t ret_hash[RT_SHA256_BYTES])
{
	uint8_t hash[RT_SHA256_BYTES];
	struct cursor tail = *c;
	size_t len = (size_t)(c->end - c->line);

	tail.at = len < HASH_CHARS ? c->line : c->end - HASH_CHARS;
	c->end = tail.at;
	if (!TAKE(&tail, HASH_OPEN, "hash") || !take_digest(&tail, "hash", ret_hash) ||
	    !TAKE(&tail, HASH_CLOSE, "hash"))
		return false;
	rt_sha256_of(c->form->hash, rt_slice_make(c->line, (size_t)(c->end - c->line)), hash);
	if (memcmp(hash, ret_hash, sizeof(hash)) == 0)
		return true;
	digest_differs(c, c->end + sizeof(HASH_OPEN) - 1, "hash", hash, ret_hash,
		       " of the line's bytes");
	return false;
}

static struct cursor cursor_make(struct rt_journal_form *form, struct rt_slice line,
				 struct rt_error *err)
{
	return (struct cursor){
	    .form = form, .line = line.ptr, .at = line.ptr, .end = rt_slice_end(line), .err = err};
}

/* A digest that is known, with its quotes, or as much of it as there is. */
static bool take_known(struct cursor *c, const uint8_t digest[RT_SHA256_BYTES], const char *field)
{
	char hex[RT_SHA256_HEX], want[RT_SHA256_SHORT];
	size_t left = (size_t)(c->end - c->at);
	bool whole = left >= sizeof(hex);

	if (whole)
		left = sizeof(hex);
	rt_sha256_hex(digest, hex);
	rt_sha256_short(digest, want);
	if (memcmp(c->at, hex, left) != 0)
		return line_fault(c, c->at, field, "want %s, have %.*s", want,
				  (int)(left < SHOWN ? left : SHOWN), c->at);
	c->at += left;
	return whole || line_cut(c);
}

/* The end of a text that may be cut, from the member hash on. */
static bool take_end(struct cursor *c)
{
	uint8_t hash[RT_SHA256_BYTES];
	char have[EXCERPT_MAX + 1];

	rt_sha256_of(c->form->hash, rt_slice_make(c->line, (size_t)(c->at - c->line)), hash);
	if (!TAKE(c, HASH_OPEN, "hash") || !take_known(c, hash, "hash") ||
	    !TAKE(c, HASH_CLOSE, "hash"))
		return false;
	excerpt(c, have);
	return line_fault(c, c->at, "", "want a line end, have %s", have);
}

/* The byte after a checked string, or end where that is cut. at: after its opening quote. */
static const char *string_end(const char *at, const char *end)
{
	for (;;) {
		const char *quote = memchr(at, '"', (size_t)(end - at)), *run = quote;

		if (!quote)
			return end;
		while (run > at && run[-1] == '\\')
			run--;
		/* Backslashes escape each other: what is left of an odd number escapes the quote.
		 */
		if ((quote - run) % 2 == 0)
			return quote + 1;
		at = quote + 1;
	}
}

/* Whether a checked value has blanks between its parts. */
static bool has_blanks(struct rt_slice json)
{
	const char *at = json.ptr, *end = rt_slice_end(json);

	while (at < end) {
		if (*at == '"')
			at = string_end(at + 1, end);
		else if ((unsigned char)*at++ <= ' ')
			return true;
	}
	return false;
}

/* An object that the scanner has checked, without blanks between its parts. RT_REJECT otherwise. */
static enum rt_status take_object(struct cursor *c, const char *field, struct rt_slice *ret_json)
{
	const char *at = c->at;

	*ret_json = take_value(c, '{', "an object", field);
	if (!ret_json->ptr && !c->cut)
		return RT_REJECT;
	if (has_blanks(c->cut ? rt_slice_make(at, (size_t)(c->end - at)) : *ret_json)) {
		c->cut = false;
		(void)line_fault(c, at, field, "want no blanks between its parts, have some");
		return RT_REJECT;
	}
	return c->cut ? RT_REJECT : RT_OK;
}

/* The beginning of line 1: its version. */
static bool take_version(struct cursor *c, uint64_t *ret_version)
{
	if (!TAKE(c, RT_JOURNAL_MAGIC, "retriage_journal") ||
	    !take_number(c, "retriage_journal", ret_version))
		return false;
	return (*ret_version >= 1 && *ret_version <= RT_JOURNAL_VERSION) ||
	       line_fault(c, c->at - 1, "retriage_journal",
			  "want version 1 or 2 of the journal's form, have %" PRIu64, *ret_version);
}

/* Line 1, but for its hash. */
static enum rt_status take_header(struct cursor *c, struct rt_journal_base *ret_base)
{
	enum rt_status status;

	if (!take_version(c, &ret_base->version) || !TAKE(c, ",\"base\":{\"name\":", "base/name"))
		return RT_REJECT;
	status = take_string(c, "base/name", &ret_base->name);
	if (status != RT_OK)
		return status;
	if (!TAKE(c, ",\"sha256\":\"", "base/sha256") ||
	    !take_digest(c, "base/sha256", ret_base->sha256) ||
	    !TAKE(c, "\",\"issues\":", "base/issues") ||
	    !take_number(c, "base/issues", &ret_base->issues))
		return RT_REJECT;
	ret_base->options = RT_SLICE("{}");
	if (ret_base->version > 1) {
		if (!TAKE(c, "},\"options\":", "options"))
			return RT_REJECT;
		status = take_object(c, "options", &ret_base->options);
		if (status != RT_OK)
			return status;
	}
	if (!take(c,
		  ret_base->version > 1 ? RT_SLICE(",\"created_at\":\"")
					: RT_SLICE("},\"created_at\":\""),
		  "created_at") ||
	    !take_time(c, "created_at", &ret_base->created_at) || !TAKE(c, "\"", "created_at"))
		return RT_REJECT;
	c->form->version = ret_base->version;
	return RT_OK;
}

enum rt_status rt_journal_form_read_header(struct rt_journal_form *form, struct rt_slice line,
					   struct rt_journal_base *ret_base,
					   uint8_t ret_hash[RT_SHA256_BYTES], struct rt_error *err)
{
	struct cursor c = cursor_make(form, line, err), look = c;
	enum rt_status status;

	/* Another version may have its hash elsewhere. */
	if (!take_version(&look, &ret_base->version) || !check_hash(&c, ret_hash))
		return RT_REJECT;
	status = take_header(&c, ret_base);
	if (status == RT_OK && c.at != c.end) {
		(void)line_fault(&c, c.at, "created_at",
				 "want the line to end after it, have more");
		status = RT_REJECT;
	}
	return status;
}

enum rt_status rt_journal_form_begins_header(struct rt_journal_form *form, struct rt_slice text,
					     struct rt_error *err)
{
	struct cursor c = cursor_make(form, text, err);
	struct rt_journal_base base;
	enum rt_status status;

	c.open = true;
	status = take_header(&c, &base);
	if (status == RT_OK && !take_end(&c))
		status = RT_REJECT;
	return c.cut ? RT_OK : status;
}

/* The line's own number, where it can be read; 0 otherwise. */
static uint64_t own_seq(const struct cursor *c)
{
	struct rt_error unused;
	struct cursor own = *c;
	uint64_t seq = 0;

	own.err = &unused;
	return TAKE(&own, "{\"seq\":", "") && take_number(&own, "", &seq) ? seq : 0;
}

/*
 * prev, which stands right before the hash, is the hash of the line before. A line in which it
 * does not stand there is told by its form.
 */
static bool check_chain(struct cursor *c, const struct rt_journal_head *head)
{
	uint8_t prev[RT_SHA256_BYTES];
	const char *at;
	char whose[96];

	if ((size_t)(c->end - c->line) < PREV_CHARS || c->end[-1] != '"')
		return true;
	at = c->end - PREV_CHARS;
	if (memcmp(at, PREV_OPEN, sizeof(PREV_OPEN) - 1) != 0)
		return true;
	at += sizeof(PREV_OPEN) - 1;
	if (!rt_sha256_parse(at, prev))
		return true;
	c->chained = memcmp(prev, head->hash, sizeof(prev)) == 0;
	if (c->chained)
		return true;
	if (head->seq == 0)
		(void)snprintf(whose, sizeof(whose), " of line 1");
	else
		(void)snprintf(whose, sizeof(whose), " of entry %" PRIu64, head->seq);
	if (own_seq(c) != head->seq + 1)
		(void)snprintf(whose + strlen(whose), sizeof(whose) - strlen(whose),
			       " before a line with seq %" PRIu64, own_seq(c));
	digest_differs(c, at, "prev", head->hash, prev, whose);
	return false;
}

/* Put what rt_request_parse() says into its place in the line. */
static enum rt_status request_fault(struct cursor *c, const char *at, enum rt_status status)
{
	char field[sizeof(c->err->field)];

	if (status != RT_REJECT)
		return status;
	(void)snprintf(field, sizeof(field), "request%.*s", (int)sizeof(field) - 16, c->err->field);
	rt_error_text(c->err->field, sizeof(c->err->field), rt_slice_make(field, strlen(field)));
	c->err->column = (uint64_t)(at - c->line) + 1;
	return RT_REJECT;
}

static enum rt_status take_request(struct cursor *c, struct rt_request *ret_request)
{
	const char *at = c->at;
	struct rt_slice json;
	enum rt_status status = take_object(c, "request", &json);

	if (status != RT_OK)
		return status;
	status = rt_request_parse(json, &c->form->scratch, ret_request, c->err);
	return status == RT_OK ? RT_OK : request_fault(c, at, status);
}

/* The member seq, which is known. */
static bool take_seq(struct cursor *c, uint64_t seq)
{
	char text[40], have_text[EXCERPT_MAX + 1];
	uint64_t have = 0;
	const char *at;
	int len;

	if (c->open) {
		/* The comma ends its digits. */
		len = snprintf(text, sizeof(text), "{\"seq\":%" PRIu64 ",", seq);
		if (take(c, rt_slice_make(text, (size_t)len), "seq")) {
			c->at--;
			return true;
		}
		excerpt(c, have_text);
		if (!c->cut)
			(void)line_fault(c, c->at, "seq",
					 "want the beginning of entry %" PRIu64 ", have %s", seq,
					 have_text);
		return false;
	}
	if (!TAKE(c, "{\"seq\":", "seq"))
		return false;
	at = c->at;
	if (!take_number(c, "seq", &have))
		return false;
	return have == seq ||
	       line_fault(c, at, "seq", "want %" PRIu64 ", have %" PRIu64, seq, have);
}

/* seq, at and actor. */
static enum rt_status take_entry_begin(struct cursor *c, uint64_t seq,
				       struct rt_journal_entry *entry)
{
	if (!take_seq(c, seq))
		return RT_REJECT;
	entry->seq = seq;
	if (!TAKE(c, ",\"at\":\"", "at") || !take_time(c, "at", &entry->at) ||
	    !TAKE(c, "\",\"actor\":", "actor"))
		return RT_REJECT;
	entry->actor = rt_slice_make(NULL, 0);
	entry->carried = (struct rt_carried){.seq = 0};
	if (c->at == c->end || *c->at != 'n')
		return take_string(c, "actor", &entry->actor);
	return TAKE(c, "null", "actor") ? RT_OK : RT_REJECT;
}

/* The actor of where the decision was first made. */
static enum rt_status take_first_actor(struct cursor *c, struct rt_carried *carried)
{
	struct rt_slice value;

	if (c->at < c->end && *c->at == 'n')
		return TAKE(c, "null", "carried/actor") ? RT_OK : RT_REJECT;
	value = take_value(c, '"', "a string", "carried/actor");
	if (!value.ptr)
		return RT_REJECT;
	return rt_json_string_text(rt_slice_make(value.ptr + 1, value.len - 2), &c->form->first,
				   &carried->actor, c->err);
}

/* The member carried, where there is one: base, seq, at and actor of the first decision. */
static enum rt_status take_carried(struct cursor *c, struct rt_carried *carried)
{
	uint8_t base[RT_SHA256_BYTES];
	enum rt_status status;
	const char *from;

	if (c->form->version < 2 || c->end - c->at < 3 || c->at[2] != 'c')
		return RT_OK;
	if (!TAKE(c, ",\"carried\":", "carried"))
		return RT_REJECT;
	from = c->at;
	if (!TAKE(c, "{\"base\":\"", "carried/base") || !take_digest(c, "carried/base", base) ||
	    !TAKE(c, "\",\"seq\":", "carried/seq") ||
	    !take_number(c, "carried/seq", &carried->seq) || !TAKE(c, ",\"at\":\"", "carried/at") ||
	    !take_time(c, "carried/at", &carried->at) || !TAKE(c, "\",\"actor\":", "carried/actor"))
		return RT_REJECT;
	status = take_first_actor(c, carried);
	if (status != RT_OK)
		return status;
	if (!TAKE(c, "}", "carried"))
		return RT_REJECT;
	carried->text = rt_slice_make(from, (size_t)(c->at - from));
	return RT_OK;
}

/* The member prev, which has been compared where it stands in its place. */
static bool take_prev(struct cursor *c)
{
	uint8_t prev[RT_SHA256_BYTES];

	if (!TAKE(c, PREV_OPEN, "prev"))
		return false;
	if (c->chained && c->end - c->at == RT_SHA256_HEX + 1)
		return true;
	if (!take_digest(c, "prev", prev) || !TAKE(c, "\"", "prev"))
		return false;
	return line_fault(c, c->at, "prev", "want hash after it, have more");
}

/* Whether both counts can be: each id counts once, in one of them (SPEC D15). */
static bool check_counts(struct cursor *c, const char *at, const struct rt_journal_entry *entry)
{
	uint64_t updated = entry->updated_count, failed = entry->failed_count;

	if (updated <= RT_REQUEST_IDS_MAX && failed <= RT_REQUEST_IDS_MAX &&
	    updated + failed <= entry->request.id_count && updated + failed > 0)
		return true;
	return line_fault(c, at, "result/updated_count",
			  "want counts of the %u id%s of the request, have %" PRIu64
			  " updated and %" PRIu64 " failed",
			  entry->request.id_count, RT_S(entry->request.id_count), updated, failed);
}

static bool take_counts(struct cursor *c, struct rt_journal_entry *entry)
{
	const char *at;

	if (!TAKE(c, ",\"result\":{\"updated_count\":", "result/updated_count"))
		return false;
	at = c->at;
	entry->failed_count = 0;
	if (!take_number(c, "result/updated_count", &entry->updated_count))
		return false;
	/* A text that is cut has all its digits here, or will have more of them. */
	if (c->open && entry->updated_count && !check_counts(c, at, entry))
		return false;
	return TAKE(c, ",\"failed_count\":", "result/failed_count") &&
	       take_number(c, "result/failed_count", &entry->failed_count) &&
	       check_counts(c, at, entry);
}

static bool take_result(struct cursor *c, struct rt_journal_entry *entry)
{
	return take_counts(c, entry) && TAKE(c, ",\"sha256\":\"", "result/sha256") &&
	       take_digest(c, "result/sha256", entry->result_sha256) &&
	       (c->form->version < 2 ||
		(TAKE(c, "\",\"notes_sha256\":\"", "result/notes_sha256") &&
		 take_digest(c, "result/notes_sha256", entry->notes_sha256))) &&
	       TAKE(c, "\"}", c->form->version < 2 ? "result/sha256" : "result/notes_sha256");
}

/* An entry, but for prev and hash. */
static enum rt_status take_entry(struct cursor *c, uint64_t seq, struct rt_journal_entry *entry)
{
	enum rt_status status = take_entry_begin(c, seq, entry);

	if (status == RT_OK)
		status = take_carried(c, &entry->carried);
	if (status == RT_OK && !TAKE(c, ",\"request\":", "request"))
		status = RT_REJECT;
	if (status == RT_OK)
		status = take_request(c, &entry->request);
	if (status == RT_OK && !take_result(c, entry))
		status = RT_REJECT;
	return status;
}

enum rt_status rt_journal_form_read_entry(struct rt_journal_form *form, struct rt_slice line,
					  struct rt_journal_head *head,
					  struct rt_journal_entry *ret_entry, struct rt_error *err)
{
	struct cursor c = cursor_make(form, line, err);
	uint8_t hash[RT_SHA256_BYTES];
	enum rt_status status;

	if (!check_hash(&c, hash) || !check_chain(&c, head))
		return RT_REJECT;
	status = take_entry(&c, head->seq + 1, ret_entry);
	if (status == RT_OK && !take_prev(&c))
		status = RT_REJECT;
	if (status != RT_OK)
		return status;
	ret_entry->line = line;
	head->seq = ret_entry->seq;
	memcpy(head->hash, hash, sizeof(hash));
	return RT_OK;
}

enum rt_status rt_journal_form_begins_entry(struct rt_journal_form *form, struct rt_slice text,
					    const struct rt_journal_head *head,
					    struct rt_journal_entry *scratch, struct rt_error *err)
{
	struct cursor c = cursor_make(form, text, err);
	enum rt_status status;

	c.open = true;
	status = take_entry(&c, head->seq + 1, scratch);
	if (status == RT_OK &&
	    !(TAKE(&c, PREV_OPEN, "prev") && take_known(&c, head->hash, "prev") &&
	      TAKE(&c, "\"", "prev") && take_end(&c)))
		status = RT_REJECT;
	return c.cut ? RT_OK : status;
}
