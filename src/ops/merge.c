/*
 * Reads partial summaries (partial.h) and adds them up. A document is believed no more than any
 * other input: its lines are held to the form, its counts to each other, its recent issues to its
 * ids, and all of it to the digest at its end. Directories and archives are refused, for nothing
 * says whether all documents are in them.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/json_string.h"
#include "formats/check.h"
#include "formats/likeness.h"
#include "ops/partial.h"
#include "scan/cursor.h"
#include "source/parts.h"

/* Bytes of the head that are looked at to tell what else a file is. */
#define HEAD_BYTES 4096u
/* A record in an answer is longer than in its export by its escapes, 6 bytes for 1, and by the
 * members that are null. */
#define LINE_TIMES 6u
#define LINE_MORE 4096u
/* Bytes of a line, and of a name or note, that a message shows. */
#define EXCERPT_MAX 24u
#define TEXT_MAX 1024u

#define CUT_OFF "the file ends before %s: it was cut off"

/* Each input's path, its member or nothing, and its document, with a NUL each. */
enum { NAME_PATH, NAME_MEMBER, NAME_DOCUMENT, NAMES };

/* The first line of a document: how much there is of everything. */
struct head {
	struct rt_slice options; /* as they are there: equal ones are the same bytes */
	uint64_t recent;         /* of them: how many recent issues there may be */
	uint64_t inputs, notes, issues, rulesets, false_positives, no_severity, severities,
	    categories, recent_issues;
};

struct merge {
	struct rt_options options;
	struct rt_summary *summary;
	struct rt_buf first; /* options of the first document */
	struct rt_buf ids;   /* struct rt_partial_id, of all documents */
	struct rt_buf names; /* of all inputs */
	uint64_t inputs;     /* of all documents before this one */
	struct rt_parts *parts;
	const struct rt_scan_ops *ops;
	/* Of this document. */
	const struct rt_part *part; /* borrowed from parts */
	struct head head;
	uint8_t (*recent)[RT_PARTIAL_DIGEST]; /* digests of its recent issues, sorted */
	size_t recent_count;
	/* What has been read of it; bytes before hashed are in the hash, those before at are taken.
	 */
	struct rt_sha256 hash;
	struct rt_window in;
	size_t at, hashed;
	/* Its line, with zeros after it for the scanner. */
	struct rt_buf line;
	size_t line_len, line_at;
	uint64_t line_number; /* 0: in the ids */
	struct rt_buf texts[2];
	struct rt_scan scan; /* not to be moved */
	struct rt_record record;
};

/* --- Errors ----------------------------------------------------------------------------------- */

/* Add the place in the document, and its name. Returns RT_FATAL. */
static enum rt_status place(const struct merge *m, size_t column, struct rt_error *err)
{
	if (m->line_number) {
		err->line = m->line_number;
		err->column = column + 1;
	}
	rt_error_at(err, m->part->path, NULL);
	return RT_FATAL;
}

/* Refuse the document, in its line where it is one. field: a member's name, or "". */
RT_PRINTF(4, 5)
static enum rt_status refuse(const struct merge *m, const char *field, struct rt_error *err,
			     const char *fmt, ...)
{
	char message[sizeof(err->message)];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	(void)rt_error_set(err, RT_E_INPUT, "%s", message);
	(void)snprintf(err->field, sizeof(err->field), "%s", field);
	return place(m, 0, err);
}

/* What is at the place in the line is not what is wanted. */
static enum rt_status refuse_at(const struct merge *m, struct rt_slice want, struct rt_error *err)
{
	char have[EXCERPT_MAX + 1];

	rt_error_text(have, sizeof(have),
		      rt_slice_make(m->line.data + m->line_at, m->line_len - m->line_at));
	(void)rt_error_set(err, RT_E_INPUT, "want %.*s, have %s", (int)want.len, want.ptr,
			   m->line_at < m->line_len ? have : "the line's end");
	return place(m, m->line_at, err);
}

/* What the scanner has found. */
static enum rt_status refuse_scan(struct merge *m, struct rt_error *err)
{
	const struct rt_scan_fault *fault = &m->scan.fault;
	const char *want = fault->at ? fault->want : "more";
	char byte[32];

	if (!fault->at || fault->at >= m->line.data + m->line_len) {
		m->line_at = m->line_len;
		return refuse_at(m, rt_slice_make(want, strlen(want)), err);
	}
	rt_scan_describe(&m->scan, fault->at, byte, sizeof(byte));
	(void)rt_error_set(err, fault->code, "want %s, have %s", want,
			   fault->have ? fault->have : byte);
	return place(m, (size_t)(fault->at - m->line.data), err);
}

/* --- Bytes and lines -------------------------------------------------------------------------- */

static size_t left(const struct merge *m)
{
	return m->in.end - m->at;
}

/* Put what has been taken into the hash. */
static void hash_taken(struct merge *m)
{
	if (m->at > m->hashed)
		rt_sha256_add(&m->hash, m->in.data + m->hashed, m->at - m->hashed);
	m->hashed = m->at;
}

static enum rt_status read_part(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	return rt_parts_read(ctx, buf, cap, ret_len, err);
}

/* Have so many bytes, far fewer than are in view, or all that there are. */
static enum rt_status need(struct merge *m, size_t bytes, struct rt_error *err)
{
	const struct rt_pull pull = {read_part, m->parts};

	while (left(m) < bytes && !m->in.final) {
		hash_taken(m);
		if (rt_window_fill(&m->in, pull, m->at, RT_WINDOW_BYTES, err) != RT_OK)
			return RT_FATAL;
		m->at = m->hashed = 0;
	}
	return RT_OK;
}

/* Move the bytes up to the next line end, or all there are, to the line. */
static enum rt_status move(struct merge *m, bool *ret_whole, struct rt_error *err)
{
	const char *from = m->in.data + m->at, *feed = memchr(from, '\n', left(m));
	size_t len = feed ? (size_t)(feed - from) : left(m);

	if (m->line.len + len > LINE_TIMES * m->options.limits.record_bytes + LINE_MORE) {
		(void)rt_error_set(err, RT_E_LIMIT, "a line of a record exceeds --limit record");
		return place(m, 0, err);
	}
	m->at += len + (feed != NULL);
	*ret_whole = feed != NULL;
	return rt_buf_append(&m->line, from, len, err);
}

/* Go to the next line. */
static enum rt_status next_line(struct merge *m, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	bool whole = false;

	m->line.len = m->line_at = 0;
	m->line_number++;
	while (status == RT_OK && !whole) {
		status = need(m, 1, err);
		if (status == RT_OK && !left(m))
			return refuse(m, "", err, CUT_OFF, "another line");
		if (status == RT_OK)
			status = move(m, &whole, err);
	}
	m->line_len = m->line.len;
	if (status == RT_OK)
		status = rt_buf_reserve(&m->line, RT_PADDING, err);
	if (status != RT_OK)
		return status;
	memset(m->line.data + m->line_len, 0, RT_PADDING);
	m->scan.end = m->line.data + m->line_len;
	m->scan.final = true;
	m->scan.origin = 0 - (uint64_t)(uintptr_t)m->line.data;
	return RT_OK;
}

/* Whether these bytes come next; then they are taken. */
static bool take_literal(struct merge *m, struct rt_slice literal)
{
	if (m->line_len - m->line_at < literal.len ||
	    memcmp(m->line.data + m->line_at, literal.ptr, literal.len) != 0)
		return false;
	m->line_at += literal.len;
	return true;
}

/* A number below 2^63 in decimal digits, without leading zeros. */
static enum rt_status take_number(struct merge *m, uint64_t *ret_number, struct rt_error *err)
{
	const char *start = m->line.data + m->line_at, *at = start;
	uint64_t number = 0;

	while (*at >= '0' && *at <= '9' && number < UINT64_MAX / 20)
		number = number * 10 + (uint64_t)(*at++ - '0');
	if (at == start || (*start == '0' && at - start > 1))
		return refuse_at(m, RT_SLICE("a number"), err);
	m->line_at += (size_t)(at - start);
	*ret_number = number;
	return RT_OK;
}

/* A JSON value of the type that `first` begins, as it is. */
static enum rt_status take_value(struct merge *m, char first, struct rt_slice want,
				 struct rt_slice *ret_value, struct rt_error *err)
{
	const char *at = m->line.data + m->line_at, *after;

	if (*at != first)
		return refuse_at(m, want, err);
	after = m->ops->value(&m->scan, at, NULL);
	if (!after)
		return refuse_scan(m, err);
	*ret_value = rt_slice_make(at, (size_t)(after - at));
	m->line_at += ret_value->len;
	return RT_OK;
}

/* A string without its escapes; absent where it is null. */
static enum rt_status take_string(struct merge *m, struct rt_buf *room, struct rt_slice *ret_text,
				  struct rt_error *err)
{
	struct rt_slice value = {0};
	enum rt_status status;

	*ret_text = value;
	if (take_literal(m, RT_SLICE("null")))
		return RT_OK;
	status = take_value(m, '"', RT_SLICE("a string"), &value, err);
	if (status != RT_OK)
		return status;
	return rt_json_string_text(rt_slice_make(value.ptr + 1, value.len - 2), room, ret_text,
				   err);
}

/* What is between two values of a pattern. The last one ends the line. */
static enum rt_status take_between(struct merge *m, struct rt_slice literal, struct rt_error *err)
{
	bool ends = literal.len && literal.ptr[literal.len - 1] == '\n';

	literal.len -= ends;
	if (ends && m->line_len - m->line_at != literal.len)
		return refuse_at(m, RT_SLICE("} and the line's end"), err);
	return take_literal(m, literal) ? RT_OK : refuse_at(m, literal, err);
}

/*
 * Take what a pattern of partial.h says, from the next line on where one is used up. For %n a
 * uint64_t *, for %s and %a a struct rt_slice * receive it; texts are without escapes, arrays as
 * they stand, both borrowed until the next line.
 */
static enum rt_status take(struct merge *m, struct rt_error *err, const char *pattern, ...)
{
	enum rt_status status = m->line_at == m->line_len ? next_line(m, err) : RT_OK;
	struct rt_buf *room = m->texts;
	va_list args;

	va_start(args, pattern);
	while (status == RT_OK && *pattern) {
		size_t len = strcspn(pattern, "%");

		status = take_between(m, rt_slice_make(pattern, len), err);
		pattern += len;
		if (status != RT_OK || !*pattern)
			break;
		if (pattern[1] == 'n')
			status = take_number(m, va_arg(args, uint64_t *), err);
		else if (pattern[1] == 's')
			status = take_string(m, room++, va_arg(args, struct rt_slice *), err);
		else
			status = take_value(m, '[', RT_SLICE("an array"),
					    va_arg(args, struct rt_slice *), err);
		pattern += 2;
	}
	va_end(args);
	return status;
}

/* --- The head --------------------------------------------------------------------------------- */

/* Whether this is a partial summary; if not, say what it is, where that is known. */
static enum rt_status check_kind(struct merge *m, struct rt_error *err)
{
	struct rt_slice magic = RT_SLICE(RT_PARTIAL_MAGIC);
	enum rt_status status = need(m, HEAD_BYTES, err);
	struct rt_slice head = rt_slice_make(m->in.data, left(m));

	if (status != RT_OK ||
	    (head.len >= magic.len && memcmp(head.ptr, magic.ptr, magic.len) == 0))
		return status;
	status =
	    refuse(m, "", err, "want a partial summary, which summary --partial writes, have %s",
		   head.len ? "something else" : "nothing");
	if (head.len)
		(void)rt_likeness_tell(RT_LIKE_PARTIAL, head, err);
	return status;
}

static enum rt_status take_head(struct merge *m, struct rt_error *err)
{
	struct head *head = &m->head;
	struct rt_slice version = {0}, any = {0};
	enum rt_status status = take(m, err, RT_PARTIAL_MAGIC);
	size_t start;

	if (status == RT_OK && !take_literal(m, RT_SLICE(RT_PARTIAL_VERSION)))
		return refuse_at(m, RT_SLICE("version " RT_PARTIAL_VERSION " of the form"), err);
	if (status == RT_OK)
		status = take(m, err, RT_PARTIAL_HEAD, &version);
	if (status == RT_OK && !rt_slice_equal(version, RT_SLICE(RT_VERSION)))
		return refuse(
		    m, "version", err,
		    "this partial summary was written by retriage %.*s, and this is " RT_VERSION,
		    rt_slice_shown(version, EXCERPT_MAX), version.ptr);
	start = m->line_at;
	if (status == RT_OK)
		status = take(m, err, RT_PARTIAL_OPTIONS, &head->recent, &any, &any, &any);
	if (status == RT_OK && head->recent > RT_RECENT_MAX)
		return refuse(m, "recent", err, "want at most %u, have %" PRIu64, RT_RECENT_MAX,
			      head->recent);
	head->options = rt_slice_make(m->line.data + start, m->line_at - start);
	return status == RT_OK
		   ? take(m, err, RT_PARTIAL_COUNTS, &head->inputs, &head->notes, &head->issues,
			  &head->rulesets, &head->false_positives, &head->no_severity,
			  &head->severities, &head->categories, &head->recent_issues)
		   : status;
}

/* The first document says which options all of them have. */
static enum rt_status begin_summary(struct merge *m, struct rt_error *err)
{
	struct rt_siphash_key key;
	enum rt_status status;

	if (m->recent)
		return RT_OK;
	status = rt_siphash_key_init(&key, err);
	if (status == RT_OK)
		status = rt_buf_append(&m->first, m->head.options.ptr, m->head.options.len, err);
	if (status != RT_OK)
		return status;
	m->recent = calloc(m->head.recent + 1, sizeof(*m->recent));
	if (!m->recent)
		return rt_error_nomem(err);
	return rt_summary_init(m->summary, m->head.recent, &m->options.limits, &key, err);
}

/* What the head says by itself. */
static enum rt_status check_head(struct merge *m, struct rt_error *err)
{
	const struct head *head = &m->head;
	uint64_t most = head->issues < head->recent ? head->issues : head->recent, ids;

	if (!rt_slice_equal(head->options, rt_buf_slice(&m->first)))
		return refuse(m, "options", err,
			      "the first partial summary has %.*s, this one has %.*s",
			      rt_slice_shown(rt_buf_slice(&m->first), 300), m->first.data,
			      rt_slice_shown(head->options, 300), head->options.ptr);
	if (head->recent_issues != most)
		return refuse(m, "recent_issues", err,
			      "want as many as there are issues, up to options.recent, have "
			      "another number");
	if (head->severities < RT_SEVERITY_LEVELS)
		return refuse(m, "severities", err, "want at least the five levels, have fewer");
	if (head->false_positives > head->issues)
		return refuse(m, "false_positives", err, "want no more than issues, have more");
	if (head->inputs > UINT32_MAX - m->inputs)
		return refuse(m, "inputs", err, "want fewer than 2^32 in all, have more");
	if (__builtin_add_overflow(head->issues, head->rulesets, &ids))
		return refuse(m, "rulesets", err, "want fewer, have more than there can be");
	return RT_OK;
}

/* --- The lines after it ----------------------------------------------------------------------- */

/* Keep a text for a message. */
static enum rt_status keep_name(struct merge *m, struct rt_slice text, struct rt_error *err)
{
	char kept[TEXT_MAX] = "";

	if (text.ptr)
		rt_error_text(kept, sizeof(kept), text);
	return rt_buf_append(&m->names, kept, strlen(kept) + 1, err);
}

static enum rt_status add_inputs(struct merge *m, struct rt_error *err)
{
	struct rt_slice document = rt_slice_make(m->part->path, strlen(m->part->path));
	struct rt_slice path = {0}, member = {0};
	enum rt_status status = RT_OK;

	for (uint64_t i = 0; status == RT_OK && i < m->head.inputs; i++) {
		status = take(m, err, RT_PARTIAL_INPUT, &path, &member);
		if (status == RT_OK)
			status = keep_name(m, path, err);
		if (status == RT_OK)
			status = keep_name(m, member, err);
		if (status == RT_OK)
			status = keep_name(m, document, err);
	}
	return status;
}

/* Pass notes on, each with the document that it is of. */
static enum rt_status tell_notes(struct merge *m, struct rt_error *err)
{
	char line[TEXT_MAX + 2 + RT_ERROR_LINE_MAX], text[RT_ERROR_LINE_MAX];
	struct rt_slice note = {0};
	enum rt_status status = RT_OK;

	for (uint64_t i = 0; status == RT_OK && i < m->head.notes; i++) {
		status = take(m, err, RT_PARTIAL_NOTE, &note);
		if (status != RT_OK || !m->options.notice)
			continue;
		rt_error_text(text, sizeof(text), note);
		(void)snprintf(line, sizeof(line), "%.*s: %s", (int)TEXT_MAX - 1, m->part->path,
			       text);
		m->options.notice(m->options.notice_ctx, line);
	}
	return status;
}

/* Values that are counted, which add up to the issues. */
struct sums {
	uint64_t count, open;
	uint64_t unknown;   /* the count of this text */
	struct rt_buf last; /* the text before, which is less */
};

/* Take the next value; it is in the sums then. level: the text of a level that it has to be, or
 * absent. */
static enum rt_status take_value_of(struct merge *m, struct sums *sums, struct rt_slice level,
				    struct rt_count *value, struct rt_error *err)
{
	enum rt_status status =
	    take(m, err, RT_PARTIAL_VALUE, &value->text, &value->count, &value->open);

	if (status != RT_OK)
		return status;
	if (level.ptr ? !rt_slice_equal(value->text, level) : !value->text.ptr)
		return refuse(m, "value", err, "want %s, have another value",
			      level.ptr ? "the five levels in their order" : "a string");
	if (value->open > value->count || (!value->count && !level.ptr))
		return refuse(m, "count", err,
			      "want at least one, and those that are open, have fewer");
	if (__builtin_add_overflow(sums->count, value->count, &sums->count) ||
	    sums->count > m->head.issues)
		return refuse(m, "count", err, "want counts that add up to the issues, have more");
	sums->open += value->open;
	return RT_OK;
}

/* Take value number i of a map; those of severities begin with the levels. */
static enum rt_status add_value(struct merge *m, struct sums *sums, uint64_t i,
				struct rt_counts *counts, struct rt_error *err)
{
	bool severities = counts == &m->summary->severities;
	size_t levels = severities ? RT_SEVERITY_LEVELS : 0;
	bool is_level = i < levels;
	struct rt_slice level = is_level ? rt_severity_level(i) : (struct rt_slice){0};
	struct rt_count value = {0};
	enum rt_status status = take_value_of(m, sums, level, &value, err);

	if (status != RT_OK)
		return status;
	if (is_level) {
		m->summary->levels[i] += value.count;
		m->summary->open_levels[i] += value.open;
		return RT_OK;
	}
	for (size_t k = 0; k < levels; k++) {
		if (rt_slice_equal(value.text, rt_severity_level(k)))
			return refuse(m, "value", err,
				      "want a severity that is no level, have a level");
	}
	if (rt_slice_equal(value.text, RT_SLICE("unknown")))
		sums->unknown = value.count;
	if (i > levels && rt_slice_compare(rt_buf_slice(&sums->last), value.text) >= 0)
		return refuse(m, "value", err, "want values in byte order, have one out of it");
	sums->last.len = 0;
	status = rt_buf_append(&sums->last, value.text.ptr, value.text.len, err);
	return status == RT_OK ? rt_counts_put(counts, value.text, value.count, value.open, err)
			       : status;
}

/* The values of a map, which add up to the issues. */
static enum rt_status add_values(struct merge *m, uint64_t count, struct rt_counts *counts,
				 struct rt_error *err)
{
	struct sums sums = {0};
	enum rt_status status = RT_OK;

	for (uint64_t i = 0; status == RT_OK && i < count; i++)
		status = add_value(m, &sums, i, counts, err);
	rt_buf_release(&sums.last);
	if (status != RT_OK)
		return status;
	if (counts == &m->summary->severities && m->head.no_severity > sums.unknown)
		return refuse(m, "no_severity", err, "want no more than are unknown, have more");
	if (sums.count != m->head.issues || sums.open != m->head.issues - m->head.false_positives)
		return refuse(m, "count", err,
			      "want counts that add up to the issues and the open ones, have "
			      "another sum");
	return RT_OK;
}

static enum rt_status add_counts(struct merge *m, struct rt_error *err)
{
	enum rt_status status = add_values(m, m->head.severities, &m->summary->severities, err);

	return status == RT_OK ? add_values(m, m->head.categories, &m->summary->categories, err)
			       : status;
}

/* The line as a checked record of an issue. */
static enum rt_status take_issue(struct merge *m, struct rt_error *err)
{
	struct rt_check_fault fault;
	const char *after;
	unsigned step = 0;

	if (m->line.data[0] != '{')
		return refuse_at(m, RT_SLICE("an issue"), err);
	memset(&m->record, 0, sizeof(m->record));
	m->record.current = RT_M_UNKNOWN;
	after = m->ops->record(&m->scan, m->line.data, &m->record);
	if (!after)
		return refuse_scan(m, err);
	m->line_at = (size_t)(after - m->line.data);
	if (m->line_at != m->line_len)
		return refuse_at(m, RT_SLICE("the line's end"), err);
	m->record.kind = rt_check_kind(&m->record, RT_KIND_ISSUE);
	if (m->record.kind == RT_KIND_ISSUE && rt_check_passes(&m->record))
		return rt_json_string_text(rt_record_string(&m->record, RT_M_ID), &m->texts[0],
					   &m->record.id, err);
	if (!rt_check_next(&m->record, &step, &fault))
		return refuse(m, "", err, "want an issue, have another record");
	(void)refuse(m, fault.field ? fault.field : "", err, "%s", fault.message);
	return place(m, (size_t)(fault.at - m->line.data), err);
}

static int compare_digests(const void *a, const void *b)
{
	return memcmp(a, b, RT_PARTIAL_DIGEST);
}

/* The recent issues are issues of the document, as its ids will show. */
static enum rt_status add_recent(struct merge *m, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	m->recent_count = 0;
	while (status == RT_OK && m->recent_count < m->head.recent_issues) {
		status = next_line(m, err);
		if (status == RT_OK)
			status = take_issue(m, err);
		if (status != RT_OK)
			return status;
		rt_partial_digest(RT_KIND_ISSUE, m->record.id, m->recent[m->recent_count++]);
		status = rt_recent_add(&m->summary->recent, &m->record, false, err);
	}
	if (m->recent_count)
		qsort(m->recent, m->recent_count, RT_PARTIAL_DIGEST, compare_digests);
	return status;
}

/* --- Its ids, and its end --------------------------------------------------------------------- */

/* Take an id. Returns false where there is none. */
static bool take_id(struct merge *m, struct rt_partial_id *ret_id)
{
	const uint8_t *in = (const uint8_t *)m->in.data + m->at, *end = in + left(m), *at;
	uint64_t input = 0;

	if (left(m) < RT_PARTIAL_DIGEST)
		return false;
	memcpy(ret_id->digest, in, RT_PARTIAL_DIGEST);
	at = rt_bytes_get_varint(in + RT_PARTIAL_DIGEST, end, &input);
	at = rt_bytes_get_varint(at, end, &ret_id->line);
	at = rt_bytes_get_varint(at, end, &ret_id->column);
	if (!at || input >> 1 > UINT32_MAX)
		return false;
	ret_id->input = (uint32_t)(input >> 1);
	ret_id->kind = input & 1 ? RT_KIND_RULESET : RT_KIND_ISSUE;
	m->at += (size_t)(at - in);
	return true;
}

/* Take id number i + 1, which comes after the one before it. */
static enum rt_status next_id(struct merge *m, uint64_t i, struct rt_partial_id *id,
			      struct rt_error *err)
{
	uint8_t last[RT_PARTIAL_DIGEST];
	enum rt_status status = need(m, RT_PARTIAL_ID_MAX, err);

	if (status != RT_OK)
		return status;
	memcpy(last, id->digest, sizeof(last));
	if (!take_id(m, id))
		return refuse(m, "", err, "want id %" PRIu64 ", have %s", i + 1,
			      left(m) < RT_PARTIAL_ID_MAX ? "the end of the file"
							  : "bytes that are none");
	if (i && memcmp(last, id->digest, sizeof(last)) >= 0)
		return refuse(m, "", err,
			      "want ids in ascending order, have id %" PRIu64 " out of it", i + 1);
	if (id->input >= m->head.inputs)
		return refuse(m, "", err,
			      "want ids from the inputs that are named, have one from another");
	return RT_OK;
}

static enum rt_status add_ids(struct merge *m, struct rt_error *err)
{
	struct rt_partial_id id = {.line = 0}, kept;
	uint64_t issues = 0;
	size_t met = 0;

	m->line_number = 0;
	for (uint64_t i = 0; i < m->head.issues + m->head.rulesets; i++) {
		enum rt_status status = next_id(m, i, &id, err);

		if (status != RT_OK)
			return status;
		issues += id.kind == RT_KIND_ISSUE;
		/* Both are in order, and no id occurs twice. */
		met += met < m->recent_count && compare_digests(m->recent[met], id.digest) == 0;
		kept = id;
		kept.input += (uint32_t)m->inputs;
		status = rt_buf_append(&m->ids, &kept, sizeof(kept), err);
		if (status != RT_OK)
			return status;
	}
	if (issues != m->head.issues)
		return refuse(m, "issues", err,
			      "want as many as there are ids of issues, have another number");
	if (met != m->recent_count)
		return refuse(m, "", err,
			      "want recent issues whose ids are there, each once, have others");
	return RT_OK;
}

/* The end of a document: the digest holds, and nothing follows. */
static enum rt_status check_end(struct merge *m, struct rt_error *err)
{
	uint8_t digest[RT_SHA256_BYTES];
	enum rt_status status = need(m, RT_SHA256_BYTES + 1, err);

	if (status != RT_OK)
		return status;
	if (left(m) < RT_SHA256_BYTES)
		return refuse(m, "", err, CUT_OFF, "a SHA-256 at the end");
	hash_taken(m);
	rt_sha256_end(&m->hash, digest);
	if (memcmp(digest, m->in.data + m->at, sizeof(digest)) != 0)
		return refuse(
		    m, "", err,
		    "the file is damaged: the SHA-256 at its end is not that of the bytes before");
	if (left(m) > RT_SHA256_BYTES)
		return refuse(m, "", err, "there are bytes after the SHA-256 at the end");
	return RT_OK;
}

/* --- All documents ---------------------------------------------------------------------------- */

/* The names of an id's input. */
static void find_names(const struct merge *m, const struct rt_partial_id *id,
		       const char *names[NAMES])
{
	const char *at = m->names.data;

	for (uint64_t i = 0; i <= id->input; i++) {
		for (size_t n = 0; n < NAMES; n++) {
			names[n] = at;
			at += strlen(at) + 1;
		}
	}
}

/* An id occurs twice: name both inputs. */
static enum rt_status refuse_second(const struct merge *m, const struct rt_partial_id *first,
				    const struct rt_partial_id *second, struct rt_error *err)
{
	const char *at[NAMES], *other[NAMES];
	bool in_archive;

	find_names(m, second, at);
	find_names(m, first, other);
	in_archive = *other[NAME_MEMBER] != '\0';
	(void)rt_error_set(
	    err, RT_E_INPUT,
	    "duplicate id, also at %.400s%s%.200s%s:%" PRIu64 ":%" PRIu64 " (in %.150s and %.150s)",
	    other[NAME_PATH], in_archive ? "[" : "", other[NAME_MEMBER], in_archive ? "]" : "",
	    first->line, first->column, at[NAME_DOCUMENT], other[NAME_DOCUMENT]);
	err->line = second->line;
	err->column = second->column;
	(void)snprintf(err->record, sizeof(err->record), "%s",
		       second->kind == RT_KIND_ISSUE ? "issue" : "ruleset");
	(void)snprintf(err->field, sizeof(err->field), "id");
	rt_error_at(err, at[NAME_PATH], *at[NAME_MEMBER] ? at[NAME_MEMBER] : NULL);
	return RT_FATAL;
}

/* Whether each id occurs once; if not, name the first one that one run would have met. */
static enum rt_status check_ids(struct merge *m, struct rt_error *err)
{
	const struct rt_partial_id *ids = (const void *)m->ids.data, *found = NULL;
	size_t count = m->ids.len / sizeof(*ids);
	bool same = false;

	rt_partial_sort(&m->ids);
	for (size_t i = 1; i < count; i++) {
		bool was_same = same;

		same = compare_digests(ids[i - 1].digest, ids[i].digest) == 0;
		if (same && !was_same && (!found || rt_partial_place_compare(&ids[i], found) < 0))
			found = &ids[i];
	}
	return found ? refuse_second(m, found - 1, found, err) : RT_OK;
}

/* Read the document that has been begun. */
static enum rt_status add_document(struct merge *m, struct rt_error *err)
{
	static enum rt_status (*const steps[])(struct merge *, struct rt_error *) = {
	    check_kind, take_head,  begin_summary, check_head, add_inputs,
	    tell_notes, add_counts, add_recent,    add_ids,    check_end};
	enum rt_status status = RT_OK;

	rt_window_reset(&m->in);
	m->at = m->hashed = 0;
	m->line_number = 0;
	m->line_at = m->line_len = 0;
	rt_sha256_reset(&m->hash);
	rt_scan_init(&m->scan, m->options.limits.depth);
	if (m->part->member)
		return refuse(m, "", err,
			      "want a partial summary, plain or compressed, have an archive");
	for (size_t i = 0; status == RT_OK && i < sizeof(steps) / sizeof(steps[0]); i++)
		status = steps[i](m, err);
	m->inputs += m->head.inputs;
	m->summary->total += m->head.issues;
	m->summary->false_positives += m->head.false_positives;
	m->summary->open += m->head.issues - m->head.false_positives;
	m->summary->no_severity += m->head.no_severity;
	return status;
}

static enum rt_status open_all(struct merge *m, struct rt_error *err)
{
	enum rt_status status;
	struct stat st;

	for (size_t i = 0; i < m->options.path_count; i++) {
		const char *path = m->options.paths[i];

		if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
			continue;
		return rt_error_on(err, path, RT_E_USAGE,
				   "want a partial summary, have a directory");
	}
	status = rt_parts_open(&m->options, &m->parts, err);
	return status == RT_OK ? rt_window_init(&m->in, RT_WINDOW_BYTES, err) : status;
}

static void merge_free(struct merge *m)
{
	rt_parts_free(m->parts);
	rt_buf_release(&m->first);
	rt_buf_release(&m->ids);
	rt_buf_release(&m->names);
	rt_window_release(&m->in);
	rt_buf_release(&m->line);
	rt_buf_release(&m->texts[0]);
	rt_buf_release(&m->texts[1]);
	free(m->recent);
	free(m);
}

enum rt_status rt_partials_read(const struct rt_options *options, struct rt_summary *summary,
				struct rt_error *err)
{
	/* Whatever its ending: so the members of an archive are met, and it is refused. */
	static const char *const all[] = {"**"};
	struct merge *m = rt_scan_alloc(sizeof(*m));
	enum rt_status status;

	if (!m)
		return rt_error_nomem(err);
	m->options = *options;
	m->options.choice = (struct rt_choice){.include = all, .include_count = 1};
	m->ops = rt_scan_ops();
	m->summary = summary;
	status = open_all(m, err);
	while (status == RT_OK && (status = rt_parts_next(m->parts, &m->part, err)) == RT_OK)
		status = add_document(m, err);
	if (status == RT_END)
		status = check_ids(m, err);
	merge_free(m);
	return status == RT_OK ? RT_OK : RT_FATAL;
}
