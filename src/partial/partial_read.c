/*
 * Reads partial summaries (partial_form.h). Input: parts of any origin. Output: what stands in
 * them, piece by piece.
 * Refuses a line that the form does not have at its place, another version, ids out of order, a
 * document that is cut, goes on after its end, or is not what its digest says; also directories and
 * archives, for nothing says whether all documents are in them. Memory is what the longest line
 * takes, at most some times the limit "record".
 */
#include "partial/partial_read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/json_string.h"
#include "record/check.h"
#include "record/likeness.h"
#include "scan/scan.h"
#include "source/parts.h"

/* Bytes that are read at once; no line is looked at before its end is there. */
#define READ_BYTES ((size_t)64 * 1024)
/* Bytes of the head that are looked at to tell what else a file is. */
#define HEAD_BYTES 4096u
/* A record in an answer is longer than in its export by its escapes, 6 bytes for 1, and by the
 * members that are null. */
#define LINE_TIMES 6u
#define LINE_MORE 4096u
/* Bytes of a line that a message shows. */
#define EXCERPT_MAX 24u

/* Whatever its ending: the members of an archive are met, which refuses it. */
static const char *const all[] = {"**"};

struct rt_partial_reader {
	struct rt_options options;
	struct rt_parts *parts;
	const struct rt_scan_ops *ops;
	struct rt_sha256 *hash;
	/* What has been read; bytes before hashed are in the hash, those before at are taken. */
	struct rt_buf in;
	size_t at, hashed;
	bool ended; /* there is no more to read */
	/* The line at hand, with zeros after it for the scanner. */
	struct rt_buf line;
	size_t line_len, line_at;
	uint64_t line_number; /* 0: in the ids */
	struct rt_buf texts[2];
	struct rt_partial_id last;
	bool has_last;
	uint64_t id_number;
	const struct rt_part *part; /* borrowed from parts */
	struct rt_scan scan;        /* not to be moved */
	struct rt_record record;
};

/* Refuse a directory. */
static enum rt_status check_paths(const struct rt_options *options, struct rt_error *err)
{
	for (size_t i = 0; i < options->path_count; i++) {
		const char *path = options->paths[i];
		struct stat st;

		if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
			continue;
		(void)rt_error_set(err, RT_E_USAGE, "want a partial summary, have a directory");
		rt_error_at(err, path, NULL);
		return RT_FATAL;
	}
	return RT_OK;
}

enum rt_status rt_partial_reader_new(const struct rt_options *options,
				     struct rt_partial_reader **ret_reader, struct rt_error *err)
{
	struct rt_partial_reader *r = rt_scan_alloc(sizeof(*r));
	enum rt_status status;

	if (!r)
		return rt_error_nomem(err);
	r->options = *options;
	r->options.choice = (struct rt_choice){.include = all, .include_count = 1};
	r->ops = rt_scan_ops();
	status = check_paths(options, err);
	if (status == RT_OK)
		status = rt_parts_open(&r->options, &r->parts, err);
	if (status == RT_OK)
		status = rt_sha256_new(&r->hash, err);
	if (status == RT_OK)
		status = rt_buf_reserve(&r->in, READ_BYTES, err);
	if (status != RT_OK) {
		rt_partial_reader_free(r);
		return status;
	}
	*ret_reader = r;
	return RT_OK;
}

void rt_partial_reader_free(struct rt_partial_reader *r)
{
	if (!r)
		return;
	rt_parts_free(r->parts);
	rt_sha256_free(r->hash);
	rt_buf_release(&r->in);
	rt_buf_release(&r->line);
	rt_buf_release(&r->texts[0]);
	rt_buf_release(&r->texts[1]);
	free(r);
}

const char *rt_partial_reader_name(const struct rt_partial_reader *r)
{
	return r->part->path;
}

/* --- Errors ----------------------------------------------------------------------------------- */

/* Add the place in the document, and its name. Returns RT_FATAL. */
static enum rt_status place(const struct rt_partial_reader *r, size_t column, struct rt_error *err)
{
	if (r->line_number) {
		err->line = r->line_number;
		err->column = column + 1;
	}
	rt_error_at(err, r->part->path, NULL);
	return RT_FATAL;
}

enum rt_status rt_partial_reader_refuse(const struct rt_partial_reader *r, const char *field,
					struct rt_error *err, const char *fmt, ...)
{
	char message[sizeof(err->message)];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	(void)rt_error_set(err, RT_E_INPUT, "%s", message);
	(void)snprintf(err->field, sizeof(err->field), "%s", field);
	return place(r, 0, err);
}

static enum rt_status refuse_cut(const struct rt_partial_reader *r, const char *want,
				 struct rt_error *err)
{
	return rt_partial_reader_refuse(r, "", err,
					"want %s, have the end of the file: it was cut off", want);
}

/* --- Bytes ------------------------------------------------------------------------------------ */

static size_t left(const struct rt_partial_reader *r)
{
	return r->in.len - r->at;
}

/* Take what has been used into the hash. */
static void hash_taken(struct rt_partial_reader *r)
{
	if (r->at > r->hashed)
		rt_sha256_add(r->hash, r->in.data + r->hashed, r->at - r->hashed);
	r->hashed = r->at;
}

/* Read more behind what is left. Returns RT_OK, also where there is no more, or RT_FATAL. */
static enum rt_status fill(struct rt_partial_reader *r, struct rt_error *err)
{
	enum rt_status status;
	size_t got = 0;

	hash_taken(r);
	memmove(r->in.data, r->in.data + r->at, left(r));
	r->in.len = left(r);
	r->at = r->hashed = 0;
	status = rt_parts_read(r->parts, r->in.data + r->in.len, READ_BYTES - r->in.len, &got, err);
	if (status == RT_END)
		r->ended = true;
	else if (status == RT_OK)
		r->in.len += got;
	return status < 0 ? RT_FATAL : RT_OK;
}

/* Have so many bytes, far fewer than READ_BYTES, or all that are left. */
static enum rt_status need(struct rt_partial_reader *r, size_t bytes, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && left(r) < bytes && !r->ended)
		status = fill(r, err);
	return status;
}

/* Move the bytes up to the next line end, or all there are, to the line. */
static enum rt_status move(struct rt_partial_reader *r, bool *ret_whole, struct rt_error *err)
{
	const char *from = r->in.data + r->at, *feed = memchr(from, '\n', left(r));
	size_t len = feed ? (size_t)(feed - from) : left(r);
	enum rt_status status;

	if (r->line.len + len > LINE_TIMES * r->options.limits.record_bytes + LINE_MORE) {
		(void)rt_error_set(err, RT_E_LIMIT,
				   "want a line of a record within the limit \"record\", have a "
				   "longer one");
		return place(r, 0, err);
	}
	status = rt_buf_append(&r->line, from, len, err);
	r->at += len + (feed != NULL);
	*ret_whole = feed != NULL;
	return status;
}

/* Go to the next line. */
static enum rt_status next_line(struct rt_partial_reader *r, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	bool whole = false;

	r->line.len = r->line_at = 0;
	r->line_number++;
	while (status == RT_OK && !whole) {
		if (!left(r))
			status = need(r, 1, err);
		if (status == RT_OK && !left(r))
			return refuse_cut(r, "another line", err);
		if (status == RT_OK)
			status = move(r, &whole, err);
	}
	r->line_len = r->line.len;
	if (status == RT_OK)
		status = rt_buf_reserve(&r->line, RT_PADDING, err);
	if (status == RT_OK)
		memset(r->line.data + r->line_len, 0, RT_PADDING);
	return status;
}

/* --- A line ----------------------------------------------------------------------------------- */

static const char *line_at(const struct rt_partial_reader *r)
{
	return r->line.data + r->line_at;
}

/* What stands at the place in the line is not what is wanted. */
static enum rt_status refuse_at(const struct rt_partial_reader *r, const char *want,
				struct rt_error *err)
{
	char have[EXCERPT_MAX + 1];

	rt_error_text(have, sizeof(have), rt_slice_make(line_at(r), r->line_len - r->line_at));
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have %s", want,
			   r->line_at < r->line_len ? have : "the line's end");
	return place(r, r->line_at, err);
}

/* Whether these bytes come next; then they are taken. */
static bool take(struct rt_partial_reader *r, struct rt_slice literal)
{
	if (r->line_len - r->line_at < literal.len ||
	    memcmp(line_at(r), literal.ptr, literal.len) != 0)
		return false;
	r->line_at += literal.len;
	return true;
}

static enum rt_status take_must(struct rt_partial_reader *r, struct rt_slice literal,
				struct rt_error *err)
{
	return take(r, literal) ? RT_OK : refuse_at(r, literal.ptr, err);
}

/* A number below 2^63 in decimal digits, without leading zeros. */
static enum rt_status take_number(struct rt_partial_reader *r, uint64_t *ret_number,
				  struct rt_error *err)
{
	size_t start = r->line_at;
	uint64_t number = 0;

	while (r->line_at < r->line_len && *line_at(r) >= '0' && *line_at(r) <= '9' &&
	       number < UINT64_MAX / 20)
		number = number * 10 + (uint64_t)(r->line.data[r->line_at++] - '0');
	if (r->line_at == start || (r->line.data[start] == '0' && r->line_at - start > 1)) {
		r->line_at = start;
		return refuse_at(r, "a number", err);
	}
	*ret_number = number;
	return RT_OK;
}

/* `"NAME":` and a number; name: with what stands before it and the colon. */
static enum rt_status take_count(struct rt_partial_reader *r, struct rt_slice name,
				 uint64_t *ret_number, struct rt_error *err)
{
	enum rt_status status = take_must(r, name, err);

	return status == RT_OK ? take_number(r, ret_number, err) : status;
}

/* What the scanner has found. */
static enum rt_status refuse_scan(struct rt_partial_reader *r, struct rt_error *err)
{
	const struct rt_scan_fault *fault = &r->scan.fault;
	char byte[32];

	if (!fault->at || fault->at >= r->line.data + r->line_len) {
		r->line_at = r->line_len;
		return refuse_at(r, fault->at ? fault->want : "more", err);
	}
	rt_scan_describe(&r->scan, fault->at, byte, sizeof(byte));
	(void)rt_error_set(err, fault->code, "want %s, have %s", fault->want,
			   fault->have ? fault->have : byte);
	return place(r, (size_t)(fault->at - r->line.data), err);
}

static void scan_begin(struct rt_partial_reader *r)
{
	r->scan.end = r->line.data + r->line_len;
	r->scan.final = true;
	r->scan.origin = 0 - (uint64_t)(uintptr_t)r->line.data;
}

/* A JSON value of the type that `first` begins. */
static enum rt_status take_value(struct rt_partial_reader *r, char first, const char *want,
				 struct rt_slice *ret_value, struct rt_error *err)
{
	const char *at = line_at(r), *after;

	if (r->line_at == r->line_len || *at != first)
		return refuse_at(r, want, err);
	scan_begin(r);
	after = r->ops->value(&r->scan, at, NULL);
	if (!after)
		return refuse_scan(r, err);
	*ret_value = rt_slice_make(at, (size_t)(after - at));
	r->line_at += ret_value->len;
	return RT_OK;
}

static enum rt_status take_string(struct rt_partial_reader *r, struct rt_buf *room,
				  struct rt_slice *ret_text, struct rt_error *err)
{
	struct rt_slice value = {0};
	enum rt_status status = take_value(r, '"', "a string", &value, err);

	if (!value.ptr)
		return status;
	return rt_json_string_text(rt_slice_make(value.ptr + 1, value.len - 2), room, ret_text,
				   err);
}

/* The line has nothing more than its closing bracket. */
static enum rt_status take_end(struct rt_partial_reader *r, struct rt_error *err)
{
	if (r->line_len - r->line_at == 1 && *line_at(r) == '}')
		return RT_OK;
	return refuse_at(r, "} and the line's end", err);
}

/* --- The head --------------------------------------------------------------------------------- */

/* Whether this is a partial summary; if not, say what it is, where that is known. */
static enum rt_status check_kind(struct rt_partial_reader *r, struct rt_error *err)
{
	struct rt_slice magic = RT_SLICE(RT_PARTIAL_MAGIC);
	enum rt_status status = need(r, HEAD_BYTES, err);
	struct rt_slice head = rt_slice_make(r->in.data, left(r));

	if (status != RT_OK ||
	    (head.len >= magic.len && memcmp(head.ptr, magic.ptr, magic.len) == 0))
		return status;
	status = rt_partial_reader_refuse(
	    r, "", err, "want a partial summary, which summary --partial writes, have %s",
	    head.len ? "something else" : "nothing");
	if (head.len)
		(void)rt_likeness_tell(RT_LIKE_PARTIAL, head, err);
	return status;
}

static enum rt_status take_version(struct rt_partial_reader *r, struct rt_error *err)
{
	struct rt_slice version = {0};
	enum rt_status status;

	if (!take(r, RT_SLICE(RT_PARTIAL_VERSION)))
		return refuse_at(r, "version " RT_PARTIAL_VERSION " of the form", err);
	status = take_must(r, RT_SLICE(",\"version\":"), err);
	if (status == RT_OK)
		status = take_string(r, &r->texts[0], &version, err);
	if (status == RT_OK && !rt_slice_equal(version, RT_SLICE(RT_VERSION)))
		return rt_partial_reader_refuse(r, "version", err,
						"want a partial summary by retriage " RT_VERSION
						", have one by %.*s",
						rt_slice_shown(version, EXCERPT_MAX), version.ptr);
	return status;
}

/* The options as they stand, and what of them is needed. */
static enum rt_status take_options(struct rt_partial_reader *r, struct rt_partial_head *head,
				   struct rt_error *err)
{
	enum rt_status status = take_must(r, RT_SLICE(",\"options\":"), err);
	size_t start = r->line_at;
	uint64_t recent = 0;

	if (status == RT_OK)
		status = take_count(r, RT_SLICE("{\"recent\":"), &recent, err);
	if (status == RT_OK && recent > RT_RECENT_MAX)
		return rt_partial_reader_refuse(r, "recent", err, "want at most %u, have %" PRIu64,
						RT_RECENT_MAX, recent);
	r->line_at = start;
	if (status == RT_OK)
		status = take_value(r, '{', "an object", &head->options, err);
	head->recent = (unsigned)recent;
	return status;
}

static enum rt_status take_counts(struct rt_partial_reader *r, struct rt_partial_head *head,
				  struct rt_error *err)
{
	const struct {
		struct rt_slice name;
		uint64_t *number;
	} rows[] = {
	    {RT_SLICE(",\"inputs\":"), &head->inputs},
	    {RT_SLICE(",\"notes\":"), &head->notes},
	    {RT_SLICE(",\"issues\":"), &head->issues},
	    {RT_SLICE(",\"rulesets\":"), &head->rulesets},
	    {RT_SLICE(",\"false_positives\":"), &head->false_positives},
	    {RT_SLICE(",\"no_severity\":"), &head->no_severity},
	    {RT_SLICE(",\"severities\":"), &head->severities},
	    {RT_SLICE(",\"categories\":"), &head->categories},
	    {RT_SLICE(",\"recent_issues\":"), &head->recent_issues},
	};
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < sizeof(rows) / sizeof(rows[0]); i++)
		status = take_count(r, rows[i].name, rows[i].number, err);
	return status == RT_OK ? take_end(r, err) : status;
}

enum rt_status rt_partial_reader_next(struct rt_partial_reader *r, struct rt_partial_head *ret_head,
				      struct rt_error *err)
{
	enum rt_status status = rt_parts_next(r->parts, &r->part, err);

	if (status != RT_OK)
		return status == RT_REJECT ? RT_FATAL : status;
	r->in.len = r->at = r->hashed = 0;
	r->ended = r->has_last = false;
	r->line_number = r->id_number = 0;
	rt_sha256_reset(r->hash);
	rt_scan_init(&r->scan, r->options.limits.depth);
	if (r->part->member)
		return rt_partial_reader_refuse(
		    r, "", err, "want a partial summary, plain or compressed, have an archive");
	status = check_kind(r, err);
	if (status == RT_OK)
		status = next_line(r, err);
	if (status == RT_OK)
		status = take_must(r, RT_SLICE(RT_PARTIAL_MAGIC), err);
	if (status == RT_OK)
		status = take_version(r, err);
	if (status == RT_OK)
		status = take_options(r, ret_head, err);
	return status == RT_OK ? take_counts(r, ret_head, err) : status;
}

/* --- The lines after it ----------------------------------------------------------------------- */

enum rt_status rt_partial_reader_input(struct rt_partial_reader *r, struct rt_slice *ret_path,
				       struct rt_slice *ret_member, struct rt_error *err)
{
	enum rt_status status = next_line(r, err);

	if (status == RT_OK)
		status = take_must(r, RT_SLICE("{\"path\":"), err);
	if (status == RT_OK)
		status = take_string(r, &r->texts[0], ret_path, err);
	if (status == RT_OK)
		status = take_must(r, RT_SLICE(",\"member\":"), err);
	*ret_member = (struct rt_slice){0};
	if (status == RT_OK && !take(r, RT_SLICE("null")))
		status = take_string(r, &r->texts[1], ret_member, err);
	return status == RT_OK ? take_end(r, err) : status;
}

enum rt_status rt_partial_reader_note(struct rt_partial_reader *r, struct rt_slice *ret_note,
				      struct rt_error *err)
{
	enum rt_status status = next_line(r, err);

	if (status == RT_OK)
		status = take_must(r, RT_SLICE("{\"note\":"), err);
	if (status == RT_OK)
		status = take_string(r, &r->texts[0], ret_note, err);
	return status == RT_OK ? take_end(r, err) : status;
}

enum rt_status rt_partial_reader_value(struct rt_partial_reader *r, struct rt_count *ret_count,
				       struct rt_error *err)
{
	enum rt_status status = next_line(r, err);

	if (status == RT_OK)
		status = take_must(r, RT_SLICE("{\"value\":"), err);
	if (status == RT_OK)
		status = take_string(r, &r->texts[0], &ret_count->text, err);
	if (status == RT_OK)
		status = take_count(r, RT_SLICE(",\"count\":"), &ret_count->count, err);
	if (status == RT_OK)
		status = take_count(r, RT_SLICE(",\"open\":"), &ret_count->open, err);
	return status == RT_OK ? take_end(r, err) : status;
}

/* The record's first fault. */
static enum rt_status refuse_record(struct rt_partial_reader *r, struct rt_error *err)
{
	struct rt_check_fault fault;
	unsigned step = 0;

	if (!rt_check_next(&r->record, &step, &fault))
		return rt_partial_reader_refuse(r, "", err, "want an issue, have another record");
	(void)rt_error_set(err, RT_E_INPUT, "%s", fault.message);
	(void)snprintf(err->field, sizeof(err->field), "%s", fault.field ? fault.field : "");
	return place(r, (size_t)(fault.at - r->line.data), err);
}

enum rt_status rt_partial_reader_issue(struct rt_partial_reader *r,
				       const struct rt_record **ret_issue, struct rt_error *err)
{
	enum rt_status status = next_line(r, err);
	const char *after;

	if (status != RT_OK)
		return status;
	if (*line_at(r) != '{')
		return refuse_at(r, "an issue", err);
	scan_begin(r);
	memset(&r->record, 0, sizeof(r->record));
	r->record.current = RT_M_UNKNOWN;
	after = r->ops->record(&r->scan, r->line.data, &r->record);
	if (!after)
		return refuse_scan(r, err);
	r->line_at = (size_t)(after - r->line.data);
	if (r->line_at != r->line_len)
		return refuse_at(r, "the line's end", err);
	r->record.kind = rt_check_kind(&r->record, RT_KIND_ISSUE);
	if (r->record.kind != RT_KIND_ISSUE || !rt_check_passes(&r->record))
		return refuse_record(r, err);
	*ret_issue = &r->record;
	return rt_json_string_text(rt_record_string(&r->record, RT_M_ID), &r->texts[0],
				   &r->record.id, err);
}

/* --- The ids, and the end --------------------------------------------------------------------- */

enum rt_status rt_partial_reader_id(struct rt_partial_reader *r, struct rt_partial_id *ret_id,
				    struct rt_error *err)
{
	enum rt_status status = need(r, RT_PARTIAL_ID_MAX, err);
	size_t taken;

	r->line_number = 0;
	r->id_number++;
	if (status != RT_OK)
		return status;
	taken = rt_partial_id_read((const uint8_t *)r->in.data + r->at, left(r), ret_id);
	if (!taken)
		return rt_partial_reader_refuse(
		    r, "", err, "want id %" PRIu64 ", have %s", r->id_number,
		    left(r) < RT_PARTIAL_ID_MAX ? "the end of the file" : "bytes that are none");
	if (r->has_last && memcmp(r->last.digest, ret_id->digest, RT_PARTIAL_DIGEST) >= 0)
		return rt_partial_reader_refuse(
		    r, "", err, "want ids in ascending order, have id %" PRIu64 " out of it",
		    r->id_number);
	r->last = *ret_id;
	r->has_last = true;
	r->at += taken;
	return RT_OK;
}

enum rt_status rt_partial_reader_end(struct rt_partial_reader *r, struct rt_error *err)
{
	uint8_t digest[RT_SHA256_BYTES];
	enum rt_status status = need(r, RT_SHA256_BYTES + 1, err);

	r->line_number = 0;
	if (status != RT_OK)
		return status;
	if (left(r) < RT_SHA256_BYTES)
		return refuse_cut(r, "a SHA-256 at the end", err);
	hash_taken(r);
	rt_sha256_end(r->hash, digest);
	if (memcmp(digest, r->in.data + r->at, sizeof(digest)) != 0)
		return rt_partial_reader_refuse(
		    r, "", err,
		    "want the SHA-256 of all bytes before it at the end, have another: the "
		    "file is damaged");
	if (left(r) > RT_SHA256_BYTES)
		return rt_partial_reader_refuse(
		    r, "", err, "want the file's end after the SHA-256, have more bytes");
	return RT_OK;
}
