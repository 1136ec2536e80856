/*
 * Writes the lines of a journal (SPEC 3), and reads them: every line that it would not have written
 * itself is refused, and so is an actor that is not UTF-8, whose line could not be read again.
 */
#include "journal/journal_form.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/instant.h"
#include "base/json_string.h"
#include "base/utf8.h"
#include "engine/summary.h"
#include "scan/items.h"

/* The way out for people who have written to a journal each. */
#define MERGES "retriage carry merges journals (carry --help)"

void rt_journal_form_init(struct rt_journal_form *form, const struct rt_limits *limits)
{
	form->ops = rt_scan_ops();
	rt_scan_init(&form->scan, limits->depth);
}

void rt_journal_form_release(struct rt_journal_form *form)
{
	rt_buf_release(&form->text);
	rt_buf_release(&form->again);
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

/* Hash what the line has from a place on, and end it. */
static enum rt_status line_end(struct rt_put *m, size_t from, uint8_t ret_hash[RT_SHA256_BYTES])
{
	uint8_t hash[RT_SHA256_BYTES];

	if (m->status != RT_OK)
		return m->status;
	rt_sha256_of(rt_slice_make(m->out->data + from, m->out->len - from), hash);
	rt_put_format(m, RT_JOURNAL_HASH_OPEN "%x" RT_JOURNAL_HASH_CLOSE "\n", hash);
	if (m->status == RT_OK)
		memcpy(ret_hash, hash, sizeof(hash));
	return m->status;
}

/* Line 1, but for its hash. */
static void put_header(struct rt_put *m, const struct rt_journal_base *base, struct rt_slice name)
{
	rt_put_format(m,
		      RT_JOURNAL_MAGIC "%u,\"base\":{\"name\":%s,\"sha256\":\"%x\",\"issues\":%u}",
		      base->version, name, base->sha256, base->issues);
	if (base->version > 1)
		rt_put_format(m, ",\"options\":%t", base->options);
	rt_put_format(m, ",\"created_at\":\"%t\"", base->created_at);
}

enum rt_status rt_journal_form_write_header(struct rt_journal_form *form,
					    const struct rt_journal_base *base, struct rt_buf *out,
					    uint8_t ret_hash[RT_SHA256_BYTES], struct rt_error *err)
{
	struct rt_put m = {out, err, RT_OK};
	size_t from = out->len;

	assert(is_time(base->created_at));
	m.status = rt_utf8_mend(base->name, &form->text, err);
	form->version = base->version;
	put_header(&m, base, rt_buf_slice(&form->text));
	return line_end(&m, from, ret_hash);
}

static void put_actor(struct rt_put *m, struct rt_slice actor)
{
	if (!actor.ptr || rt_utf8_prefix(actor) == actor.len)
		rt_put_string(m, actor);
	else if (m->status == RT_OK)
		m->status = rt_error_set(m->err, RT_E_USAGE, "the actor is not UTF-8");
}

/* An entry after head, but for its hash. */
static void put_entry(struct rt_put *m, const struct rt_journal_entry *entry, uint64_t version,
		      const struct rt_journal_head *head)
{
	rt_put_format(m, "{\"seq\":%u,\"at\":\"%t\",\"actor\":", head->seq + 1, entry->at);
	put_actor(m, entry->actor);
	if (entry->carried.text.ptr)
		rt_put_format(m, ",\"carried\":%t", entry->carried.text);
	RT_PUT(m, ",\"request\":");
	if (m->status == RT_OK)
		m->status = rt_request_write(&entry->request, m->out, m->err);
	rt_put_format(m, ",\"result\":{\"updated_count\":%u,\"failed_count\":%u,\"sha256\":\"%x",
		      entry->updated_count, entry->failed_count, entry->result_sha256);
	if (version > 1)
		rt_put_format(m, "\",\"notes_sha256\":\"%x", entry->notes_sha256);
	rt_put_format(m, "\"}" RT_JOURNAL_PREV_OPEN "%x\"", head->hash);
}

enum rt_status rt_journal_form_write_entry(struct rt_journal_form *form,
					   const struct rt_journal_entry *entry, struct rt_buf *out,
					   struct rt_journal_head *head, struct rt_error *err)
{
	struct rt_put m = {out, err, RT_OK};
	size_t from = out->len;

	assert(is_time(entry->at));
	put_entry(&m, entry, form->version, head);
	if (line_end(&m, from, head->hash) == RT_OK)
		head->seq++;
	return m.status;
}

/* --- Taking a line apart ---------------------------------------------------------------------- */

/*
 * A line is checked by its hash, read as JSON, written again from what was read, and compared: what
 * differs in a byte from what would be written is no line of a journal. Of a text that has no line
 * end it is also told whether it is the beginning of the line that has to come: it starts as that
 * does, and is JSON as far as it goes.
 */

/* What is after the hashed bytes of a line. */
#define HASH_OPEN RT_JOURNAL_HASH_OPEN
#define HASH_CLOSE RT_JOURNAL_HASH_CLOSE
#define HASH_CHARS (sizeof(HASH_OPEN HASH_CLOSE) - 1 + RT_SHA256_HEX)
#define PREV_OPEN RT_JOURNAL_PREV_OPEN
#define PREV_CHARS (sizeof(PREV_OPEN) + RT_SHA256_HEX)

/* Bytes of a line that a message shows. */
#define EXCERPT_MAX 24u

/* A line that is being read. */
struct reading {
	struct rt_journal_form *form;
	struct rt_slice line;
	struct rt_error *err;
};

static enum rt_status refuse(const struct reading *r, const char *at, const char *field,
			     const char *fmt, ...) RT_PRINTF(4, 5);

/* Note what is wrong at a place of the line. Returns RT_REJECT. */
static enum rt_status refuse(const struct reading *r, const char *at, const char *field,
			     const char *fmt, ...)
{
	char message[sizeof(r->err->message)];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	(void)rt_error_set(r->err, RT_E_INPUT, "%s", message);
	r->err->column = (uint64_t)(at - r->line.ptr) + 1;
	rt_error_text(r->err->field, sizeof(r->err->field), rt_slice_make(field, strlen(field)));
	return RT_REJECT;
}

/* What a text begins with, for a message; its first byte where that cannot be shown. */
static const char *excerpt(const char *at, const char *end, char text[EXCERPT_MAX + 1])
{
	if (at >= end)
		(void)snprintf(text, EXCERPT_MAX + 1, "no more");
	else if (rt_utf8_is_unsafe((unsigned char)*at))
		(void)snprintf(text, EXCERPT_MAX + 1, "byte 0x%02X", (unsigned char)*at);
	else
		rt_error_text(text, EXCERPT_MAX + 1, rt_slice_make(at, (size_t)(end - at)));
	return text;
}

/* Compare the line from a place on with what was written. */
static enum rt_status compare(const struct reading *r, const char *at, size_t len,
			      struct rt_slice want)
{
	char want_text[EXCERPT_MAX + 1], have_text[EXCERPT_MAX + 1];
	size_t same = 0;

	if (len == want.len && memcmp(at, want.ptr, len) == 0)
		return RT_OK;
	while (same < len && same < want.len && at[same] == want.ptr[same])
		same++;
	return refuse(r, at + same, "", "want %s, have %s",
		      excerpt(want.ptr + same, rt_slice_end(want), want_text),
		      excerpt(at + same, rt_slice_end(r->line), have_text));
}

/* Refuse what other programs make of journals, by the sign that they leave in a line. */
static enum rt_status check_signs(const struct reading *r, bool is_first)
{
	static const char *const conflict[] = {"<<<<<<< ", "||||||| ", "=======", ">>>>>>> "};

	for (size_t i = 0; i < sizeof(conflict) / sizeof(conflict[0]); i++) {
		if (strncmp(r->line.ptr, conflict[i], strlen(conflict[i])) == 0)
			return refuse(
			    r, r->line.ptr, "",
			    "a merge conflict of git: take both files as they were; " MERGES);
	}
	if (!is_first && strncmp(r->line.ptr, RT_JOURNAL_MAGIC, strlen(RT_JOURNAL_MAGIC)) == 0)
		return refuse(r, r->line.ptr, "",
			      "another journal was appended here: take it out again; " MERGES);
	if (r->line.len && rt_slice_end(r->line)[-1] == '\r')
		return refuse(r, rt_slice_end(r->line) - 1, "",
			      "the line ends were changed to CR LF; in .gitattributes, "
			      "\"*.jsonl -text\" keeps them as they are");
	return RT_OK;
}

/* The member hash, which ends the line, is the hash of all before it; *ret_len: bytes of that. */
static enum rt_status check_hash(const struct reading *r, uint8_t ret_hash[RT_SHA256_BYTES],
				 size_t *ret_len)
{
	size_t len = r->line.len < HASH_CHARS ? 0 : r->line.len - HASH_CHARS;
	const char *tail = r->line.ptr + len, *hex = tail + sizeof(HASH_OPEN) - 1;
	uint8_t hash[RT_SHA256_BYTES];
	char have[EXCERPT_MAX + 1], is[RT_SHA256_SHORT], was[RT_SHA256_SHORT];

	if (r->line.len < HASH_CHARS || memcmp(tail, HASH_OPEN, sizeof(HASH_OPEN) - 1) != 0)
		return refuse(r, tail, "hash", "want " HASH_OPEN ", have %s",
			      excerpt(tail, rt_slice_end(r->line), have));
	if (!rt_sha256_parse(hex, ret_hash) ||
	    memcmp(hex + RT_SHA256_HEX, HASH_CLOSE, sizeof(HASH_CLOSE) - 1) != 0)
		return refuse(r, hex, "hash",
			      "want %u lower-case hex digits" HASH_CLOSE ", have %s", RT_SHA256_HEX,
			      excerpt(hex, rt_slice_end(r->line), have));
	*ret_len = len;
	rt_sha256_of(rt_slice_make(r->line.ptr, len), hash);
	if (memcmp(hash, ret_hash, sizeof(hash)) == 0)
		return RT_OK;
	rt_sha256_short(hash, is);
	rt_sha256_short(ret_hash, was);
	return refuse(r, hex, "hash",
		      "the line was changed after it was written: its hash was %s and is %s", was,
		      is);
}

/* A number as it is written; what is none, or too large, becomes 0, which is written otherwise. */
static uint64_t number_of(struct rt_slice text)
{
	uint64_t number = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9' ||
		    __builtin_mul_overflow(number, UINT64_C(10), &number) ||
		    __builtin_add_overflow(number, (uint64_t)(text.ptr[i] - '0'), &number))
			return 0;
	}
	return number;
}

/* The number that digits of the line make: something else is after them, if only its padding. */
static uint64_t digits_at(const char *at)
{
	return number_of(rt_slice_make(at, strspn(at, "0123456789")));
}

/* What is between the quotes of a string; what is none is nothing. */
static struct rt_slice unquoted(struct rt_slice value)
{
	return value.len >= 2 && value.ptr[0] == '"' ? rt_slice_make(value.ptr + 1, value.len - 2)
						     : rt_slice_make("", 0);
}

static void digest_of(struct rt_slice value, uint8_t digest[RT_SHA256_BYTES])
{
	struct rt_slice text = unquoted(value);

	if (text.len != RT_SHA256_HEX || !rt_sha256_parse(text.ptr, digest))
		memset(digest, 0, RT_SHA256_BYTES);
}

static enum rt_status take_time(const struct reading *r, struct rt_slice value, const char *field,
				struct rt_slice *ret_time)
{
	*ret_time = unquoted(value);
	if (is_time(*ret_time))
		return RT_OK;
	return refuse(r, value.ptr ? value.ptr : r->line.ptr, field,
		      "want a time as YYYY-MM-DDTHH:MM:SSZ, have %.*s",
		      rt_slice_shown(*ret_time, 20), ret_time->ptr);
}

/* A text, decoded where it has escapes; ptr NULL for what is none. */
static struct rt_slice text_of(const struct reading *r, struct rt_slice value)
{
	struct rt_buf *room = &r->form->text;
	struct rt_slice text = unquoted(value);

	if (value.len < 2 || value.ptr[0] != '"')
		return rt_slice_make(NULL, 0);
	if (!rt_json_string_is_escaped(text))
		return text;
	text = rt_slice_make(room->data + room->len,
			     rt_json_string_decode(text, room->data + room->len));
	room->len += text.len;
	return text;
}

/*
 * The values of an object's members by their names, of which there are count; ptr NULL for one that
 * is not there.
 */
static void take_members(struct rt_slice object, const char *const *names, size_t count,
			 struct rt_slice *values)
{
	struct rt_items items;
	struct rt_item item;
	size_t next = 0;

	memset(values, 0, count * sizeof(*values));
	if (!object.len || object.ptr[0] != '{')
		return;
	rt_items_init(&items, object);
	/* They stand in that order, or the line is none that would be written. */
	while (rt_items_next(&items, &item)) {
		size_t i = next;

		while (i < count && (strncmp(item.key.ptr, names[i], item.key.len) != 0 ||
				     names[i][item.key.len]))
			i++;
		if (i < count)
			values[i] = item.value;
		next = i < count ? i + 1 : next;
	}
}

/* Have the scanner read the value at the line's start. is_whole: nothing comes after the text.
 * Returns what is after it; NULL: it has a fault, or does not end. */
static const char *scan_line(const struct reading *r, bool is_whole)
{
	struct rt_scan *scan = &r->form->scan;

	scan->end = r->form->text_end;
	scan->final = is_whole;
	scan->fault.at = NULL;
	return r->form->ops->value(scan, r->line.ptr, NULL);
}

/* The scanner has found a fault. */
static enum rt_status refuse_fault(const struct reading *r)
{
	const struct rt_scan *scan = &r->form->scan;
	char have[32];

	rt_scan_describe(scan, scan->fault.at, have, sizeof(have));
	return refuse(r, scan->fault.at, "", "want %s, have %s", scan->fault.want,
		      scan->fault.have ? scan->fault.have : have);
}

/* The line as one object that the scanner has checked; there is room for all its texts then. */
static enum rt_status check_json(const struct reading *r)
{
	/* The scanner wants zeros after its text, and those are far after the line: a value that
	 * goes on there ends too late. */
	const char *end = rt_slice_end(r->line), *after = scan_line(r, true);

	r->form->text.len = 0;
	if (after == end)
		return rt_buf_reserve(&r->form->text, r->line.len, r->err);
	if (after || r->form->scan.fault.at >= end)
		return refuse(r, end, "", "want an object, have the line's end in it");
	(void)refuse_fault(r);
	r->err->code = r->form->scan.fault.code;
	return RT_REJECT;
}

/* The version that line 1 begins with. */
static enum rt_status check_version(const struct reading *r, uint64_t *ret_version)
{
	struct rt_slice magic = RT_SLICE(RT_JOURNAL_MAGIC);
	size_t len = r->line.len < magic.len ? r->line.len : magic.len;

	if (len < magic.len || memcmp(r->line.ptr, magic.ptr, len) != 0)
		return compare(r, r->line.ptr, len, magic);
	*ret_version = digits_at(r->line.ptr + len);
	if (*ret_version >= 1 && *ret_version <= RT_JOURNAL_VERSION)
		return RT_OK;
	return refuse(r, r->line.ptr + len, "retriage_journal",
		      "want version 1 or 2 of the journal's form, have %" PRIu64, *ret_version);
}

/* Whether a value has blanks between its parts. */
static bool has_blanks(struct rt_slice json)
{
	const char *end = rt_slice_end(json);
	bool loose;

	for (const char *at = json.ptr; at < end; at++) {
		if (*at == '"')
			at = rt_items_string(at + 1, end, &loose);
		else if (*at <= ' ')
			return true;
	}
	return false;
}

static enum rt_status take_header(const struct reading *r, struct rt_journal_base *ret_base)
{
	static const char *const names[] = {"retriage_journal", "base", "options", "created_at"};
	static const char *const base_names[] = {"name", "sha256", "issues"};
	struct rt_slice values[4], base[3];

	take_members(r->line, names, 4, values);
	take_members(values[1], base_names, 3, base);
	ret_base->version = number_of(values[0]);
	ret_base->options = ret_base->version > 1 && values[2].ptr ? values[2] : RT_SLICE("{}");
	if (ret_base->options.ptr[0] != '{' || has_blanks(ret_base->options))
		return refuse(r, ret_base->options.ptr, "options", "want an object without blanks");
	ret_base->issues = number_of(base[2]);
	digest_of(base[1], ret_base->sha256);
	ret_base->name = text_of(r, base[0]);
	return take_time(r, values[3], "created_at", &ret_base->created_at);
}

enum rt_status rt_journal_form_read_header(struct rt_journal_form *form, struct rt_slice line,
					   struct rt_journal_base *ret_base,
					   uint8_t ret_hash[RT_SHA256_BYTES], struct rt_error *err)
{
	const struct reading r = {form, line, err};
	struct rt_put m = {&form->again, err, RT_OK};
	size_t len = 0;
	struct rt_fault fault = {check_signs(&r, true), err};

	/* Another version may have its hash elsewhere. */
	RT_STEP(&fault, check_version(&r, &form->version));
	RT_STEP(&fault, check_hash(&r, ret_hash, &len));
	RT_STEP(&fault, check_json(&r));
	if (RT_STEP(&fault, take_header(&r, ret_base)) != RT_OK)
		return fault.status;
	form->again.len = 0;
	put_header(&m, ret_base, ret_base->name.ptr ? ret_base->name : RT_SLICE(""));
	return m.status == RT_OK ? compare(&r, line.ptr, len, rt_buf_slice(&form->again))
				 : m.status;
}

/*
 * prev, which is right before the hash, is the hash of the line before. A line in which it does
 * not stand there is told by its form.
 */
static enum rt_status check_chain(const struct reading *r, size_t len,
				  const struct rt_journal_head *head)
{
	const char *at = r->line.ptr + len - PREV_CHARS;
	uint8_t prev[RT_SHA256_BYTES];
	char before[32] = "line 1", have[RT_SHA256_SHORT], want[RT_SHA256_SHORT];
	uint64_t seq = 0;

	if (len < PREV_CHARS || memcmp(at, PREV_OPEN, sizeof(PREV_OPEN) - 1) != 0 ||
	    !rt_sha256_parse(at + sizeof(PREV_OPEN) - 1, prev) ||
	    memcmp(prev, head->hash, sizeof(prev)) == 0)
		return RT_OK;
	if (head->seq)
		(void)snprintf(before, sizeof(before), "entry %" PRIu64, head->seq);
	if (memcmp(r->line.ptr, "{\"seq\":", strlen("{\"seq\":")) == 0)
		seq = digits_at(r->line.ptr + strlen("{\"seq\":"));
	rt_sha256_short(head->hash, want);
	rt_sha256_short(prev, have);
	return refuse(r, at + sizeof(PREV_OPEN) - 1, "prev",
		      "the line, of seq %" PRIu64
		      ", does not follow %s: it was written after the hash %s, not %s; lines are "
		      "missing, were moved or are another journal's; " MERGES,
		      seq, before, have, want);
}

static int flag_of(struct rt_slice value)
{
	return value.len && (*value.ptr == 't' || *value.ptr == 'f') ? *value.ptr == 't'
								     : RT_REQUEST_KEEP;
}

/* The request. What breaks the rules of one is left out, and the line is not what is written. */
static void take_request(const struct reading *r, struct rt_slice json, struct rt_request *request)
{
	static const char *const names[] = {"issue_ids", "severity", "false_positive",
					    "exploitable", "notes"};
	struct rt_slice values[5];
	struct rt_items ids;
	struct rt_item id;
	unsigned level;

	take_members(json, names, 5, values);
	request->id_count = 0;
	if (values[0].len && *values[0].ptr == '[') {
		rt_items_init(&ids, values[0]);
		while (request->id_count < RT_REQUEST_IDS_MAX && rt_items_next(&ids, &id)) {
			request->ids[request->id_count] = text_of(r, id.value);
			request->id_count += request->ids[request->id_count].len > 0;
		}
	}
	level = rt_severity_rank(text_of(r, values[1]));
	request->severity = level < RT_SEVERITY_LEVELS ? (int)level : RT_REQUEST_KEEP;
	request->false_positive = flag_of(values[2]);
	request->exploitable = flag_of(values[3]);
	request->notes = text_of(r, values[4]);
	if (rt_utf8_points(request->notes) > RT_NOTES_POINTS_MAX)
		request->notes = rt_slice_make(NULL, 0);
}

/* The member carried: written again by itself, since entries are written with its text. */
static enum rt_status take_carried(const struct reading *r, struct rt_slice text,
				   struct rt_carried *carried)
{
	static const char *const names[] = {"base", "seq", "at", "actor"};
	struct rt_put m = {&r->form->again, r->err, RT_OK};
	uint8_t base[RT_SHA256_BYTES];
	struct rt_slice values[4];
	enum rt_status status;

	*carried = (struct rt_carried){.text = text};
	if (!text.ptr)
		return RT_OK;
	take_members(text, names, 4, values);
	digest_of(values[0], base);
	carried->seq = number_of(values[1]);
	carried->actor = text_of(r, values[3]);
	status = take_time(r, values[2], "carried/at", &carried->at);
	if (status != RT_OK)
		return status;
	r->form->again.len = 0;
	rt_put_format(&m, "{\"base\":\"%x\",\"seq\":%u,\"at\":\"%t\",\"actor\":", base,
		      carried->seq, carried->at);
	put_actor(&m, carried->actor);
	RT_PUT(&m, "}");
	status = m.status;
	if (status == RT_OK)
		status = compare(r, text.ptr, text.len, rt_buf_slice(&r->form->again));
	if (status == RT_REJECT)
		rt_error_text(r->err->field, sizeof(r->err->field), RT_SLICE("carried"));
	return status;
}

/* Whether both counts can be: each id counts once, in one of them (SPEC D15). */
static enum rt_status check_counts(const struct reading *r, const char *at,
				   const struct rt_journal_entry *entry)
{
	uint64_t updated = entry->updated_count, failed = entry->failed_count;

	if (updated <= RT_REQUEST_IDS_MAX && failed <= RT_REQUEST_IDS_MAX &&
	    updated + failed <= entry->request.id_count && updated + failed > 0)
		return RT_OK;
	return refuse(r, at ? at : r->line.ptr, "result/updated_count",
		      "want counts of the %u id%s of the request, have %" PRIu64
		      " updated and %" PRIu64 " failed",
		      entry->request.id_count, RT_S(entry->request.id_count), updated, failed);
}

static enum rt_status take_entry(const struct reading *r, struct rt_journal_entry *entry)
{
	static const char *const names[] = {"seq", "at", "actor", "carried", "request", "result"};
	static const char *const of_result[] = {"updated_count", "failed_count", "sha256",
						"notes_sha256"};
	struct rt_slice values[6], result[4];
	enum rt_status status;

	take_members(r->line, names, 6, values);
	take_members(values[5], of_result, 4, result);
	if (r->form->version < 2)
		values[3].ptr = NULL;
	entry->seq = number_of(values[0]);
	entry->updated_count = number_of(result[0]);
	entry->failed_count = number_of(result[1]);
	digest_of(result[2], entry->result_sha256);
	digest_of(result[3], entry->notes_sha256);
	entry->actor = text_of(r, values[2]);
	take_request(r, values[4], &entry->request);
	status = take_time(r, values[1], "at", &entry->at);
	if (status == RT_OK)
		status = take_carried(r, values[3], &entry->carried);
	return status == RT_OK ? check_counts(r, result[0].ptr, entry) : status;
}

enum rt_status rt_journal_form_read_entry(struct rt_journal_form *form, struct rt_slice line,
					  struct rt_journal_head *head,
					  struct rt_journal_entry *ret_entry, struct rt_error *err)
{
	const struct reading r = {form, line, err};
	struct rt_put m = {&form->again, err, RT_OK};
	uint8_t hash[RT_SHA256_BYTES];
	size_t len = 0;
	struct rt_fault fault = {check_signs(&r, false), err};

	RT_STEP(&fault, check_hash(&r, hash, &len));
	RT_STEP(&fault, check_chain(&r, len, head));
	RT_STEP(&fault, check_json(&r));
	if (RT_STEP(&fault, take_entry(&r, ret_entry)) != RT_OK)
		return fault.status;
	form->again.len = 0;
	put_entry(&m, ret_entry, form->version, head);
	RT_STEP(&fault, m.status);
	RT_STEP(&fault, compare(&r, line.ptr, len, rt_buf_slice(&form->again)));
	if (fault.status != RT_OK)
		return fault.status;
	ret_entry->line = line;
	head->seq++;
	memcpy(head->hash, hash, sizeof(hash));
	return RT_OK;
}

/* What there is of the hash at the end of a line that is cut. */
static enum rt_status check_cut_hash(const struct reading *r)
{
	size_t from = r->line.len < HASH_CHARS ? 0 : r->line.len - HASH_CHARS;
	const char *at =
	    memmem(r->line.ptr + from, r->line.len - from, HASH_OPEN, sizeof(HASH_OPEN) - 1);
	uint8_t hash[RT_SHA256_BYTES];
	char hex[RT_SHA256_HEX], want[RT_SHA256_SHORT];
	size_t len;

	if (!at)
		return RT_OK;
	rt_sha256_of(rt_slice_make(r->line.ptr, (size_t)(at - r->line.ptr)), hash);
	rt_sha256_hex(hash, hex);
	rt_sha256_short(hash, want);
	at += sizeof(HASH_OPEN) - 1;
	len = (size_t)(rt_slice_end(r->line) - at);
	if (memcmp(at, hex, len < sizeof(hex) ? len : sizeof(hex)) == 0)
		return RT_OK;
	return refuse(r, at, "hash", "want %s, have %.*s", want, (int)(len < 12 ? len : 12), at);
}

enum rt_status rt_journal_form_begins(struct rt_journal_form *form, struct rt_slice text,
				      const struct rt_journal_head *head, struct rt_error *err)
{
	const struct reading r = {form, text, err};
	char begin[64] = RT_JOURNAL_MAGIC, have[EXCERPT_MAX + 1];
	enum rt_status status;
	const char *after;
	size_t len;

	if (head)
		(void)snprintf(begin, sizeof(begin), "{\"seq\":%" PRIu64 ",\"at\":\"",
			       head->seq + 1);
	len = strlen(begin) < text.len ? strlen(begin) : text.len;
	if (memcmp(text.ptr, begin, len) != 0)
		return refuse(&r, text.ptr, head ? "seq" : "retriage_journal",
			      "this is not the beginning of entry %" PRIu64 ": %s",
			      head ? head->seq + 1 : 0,
			      excerpt(text.ptr, rt_slice_end(text), have));
	after = scan_line(&r, false);
	if (!after && form->scan.fault.at)
		return refuse_fault(&r);
	if (after && after != rt_slice_end(text))
		return refuse(&r, after, "", "want a line end, have %s",
			      excerpt(after, rt_slice_end(text), have));
	status = check_cut_hash(&r);
	return after && status == RT_OK ? RT_END : status;
}
