/*
 * A partial summary is JSON Lines. The first one, the head, says who has written it and with which
 * options; all that are merged have the same. Then, in the order in which they were read, come
 *
 *	{"path":P,"member":M}                   an input, which a record of it follows at once
 *	{"line":L,"column":C,"issue":{...}}     id, severity, category, false_positive: what counts
 *	{"line":L,"column":C,"ruleset":ID}
 *	{"recent":{...}}                        one of the newest issues, with all its members
 *	{"sha256":H}                            that of the lines before; nothing comes after it
 *
 * So there are no counts in it that could contradict each other: merging counts the issues like
 * those of an export. A document is believed no more than any other input: its lines are held to
 * this form and order, with no blanks and no other members, its newest issues to its ids and their
 * number, and all of it to the digest. Believed is what else the newest issues say, which no count
 * comes from; options but "recent" are only compared, byte by byte, with those of the first
 * document; and an issue may have members that do not count, as in any export. What cannot be
 * known of a share alone is refused when it is made: which of several records with one id counts.
 */
#include "ops/partial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/json_string.h"
#include "base/spool.h"
#include "base/utf8.h"
#include "engine/ids.h"
#include "files/replace.h"
#include "formats/check.h"
#include "formats/content.h"
#include "ops/outputs.h"
#include "output/answers.h"
#include "rewrite/target.h"
#include "scan/cursor.h"
#include "source/parts.h"
#include "state/state.h"

#define MAGIC "{\"retriage_partial\":"
#define HEAD MAGIC "2,\"version\":\"" RT_VERSION "\",\"options\":{\"recent\":"

/* --- Making one -------------------------------------------------------------------------------
 */

struct run {
	const struct rt_options *options;
	struct rt_replace *output;
	struct rt_state *state;
	struct rt_summary summary; /* for its recent issues */
	struct rt_writer *line;
	struct rt_fault fault;
	struct rt_sha256 hash; /* of the lines, and where they wait */
	struct rt_spool spool;
	uint32_t inputs; /* begun: number of the last one in the data set, and 1 */
};

/* Where lines go. */
static enum rt_status keep(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct run *run = ctx;
	struct rt_sink sink = rt_spool_sink(&run->spool);

	rt_sha256_add(&run->hash, data, len);
	return sink.write(sink.ctx, data, len, err);
}

static void end_line(struct run *run)
{
	RT_STEP(&run->fault, rt_writer_finish(run->line, run->fault.err));
}

/* What decides which records count, and which are shown. */
static void put_head(struct run *run, unsigned recent)
{
	const struct rt_choice *choice = &run->options->choice;
	bool accept = run->options->failed_runs == RT_FAILED_RUNS_ACCEPT;
	struct rt_writer *w = run->line;

	RT_WRITE(w, "{retriage_partial: %u, version: %s, options: {recent: %u, failed_runs: %s", 2,
		 RT_VERSION, recent, accept ? "accept" : "refuse");
	RT_WRITE(w, "include: [");
	for (size_t i = 0; i < choice->include_count; i++)
		RT_WRITE(w, "%e", choice->include[i]);
	RT_WRITE(w, "], exclude: [");
	for (size_t i = 0; i < choice->exclude_count; i++)
		RT_WRITE(w, "%e", choice->exclude[i]);
	RT_WRITE(w, "]}}");
	end_line(run);
}

/* The members of an issue that count. */
static void put_issue(struct rt_writer *w, const struct rt_record *issue)
{
	static const enum rt_member counted[] = {RT_M_ID, RT_M_SEVERITY, RT_M_CATEGORY,
						 RT_M_FALSE_POSITIVE};

	RT_WRITE(w, "issue: {");
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		if (!rt_record_has(issue, counted[i]))
			continue;
		rt_writer_key(w, rt_member_name(counted[i]));
		rt_writer_value(w, issue->values[counted[i]]);
	}
	RT_WRITE(w, "}}");
}

static void put_record(struct run *run, const struct rt_record *record)
{
	struct rt_writer *w = run->line;
	struct rt_origin origin;

	rt_reader_origin(rt_dataset_reader(rt_state_dataset(run->state)), &origin);
	if (run->inputs != origin.part + 1) {
		run->inputs = origin.part + 1;
		RT_WRITE(w, "{path: %e, member: %e}", origin.path, origin.member);
		end_line(run);
	}
	RT_WRITE(w, "{line: %u, column: %u", origin.line, origin.column);
	if (record->kind == RT_KIND_ISSUE)
		put_issue(w, record);
	else
		RT_WRITE(w, "ruleset: %s}", record->id);
	end_line(run);
}

static void put_records(struct run *run)
{
	struct rt_error *err = run->fault.err;
	const struct rt_record *record;

	while (RT_STEP(&run->fault, rt_state_next(run->state, &record, err)) == RT_OK) {
		put_record(run, record);
		if (record->kind == RT_KIND_ISSUE)
			RT_STEP(&run->fault,
				rt_recent_add(&run->summary.recent, record, false, err));
	}
	if (run->fault.status == RT_END)
		run->fault.status = RT_OK;
}

/* The last lines. */
static void put_end(struct run *run)
{
	uint8_t digest[RT_SHA256_BYTES];
	char hex[RT_SHA256_HEX];

	for (size_t i = 0; i < run->summary.recent.count; i++) {
		RT_WRITE(run->line, "{recent:");
		rt_answer_issue(run->line, run->summary.recent.issues[i]->values);
		RT_WRITE(run->line, "}");
		end_line(run);
	}
	rt_sha256_end(&run->hash, digest);
	rt_sha256_hex(digest, hex);
	RT_WRITE(run->line, "{sha256: %s}", rt_slice_make(hex, sizeof(hex)));
	end_line(run);
}

static void write_output(struct run *run)
{
	struct rt_error *err = run->fault.err;
	struct rt_sink sink = rt_replace_sink(run->output);
	int fd;

	RT_STEP(&run->fault, rt_replace_begin(run->output, &fd, err));
	RT_STEP(&run->fault, rt_spool_copy(&run->spool, &sink, err));
	RT_STEP(&run->fault, rt_replace_commit(run->output, err));
}

static enum rt_status check_options(const struct rt_options *options, unsigned recent,
				    struct rt_error *err)
{
	if (recent > RT_RECENT_MAX)
		return rt_error_set(err, RT_E_USAGE, "want at most %u recent issues, have %u",
				    RT_RECENT_MAX, recent);
	if (options->duplicates != RT_DUPLICATES_REFUSE)
		return rt_error_set(err, RT_E_USAGE,
				    "--duplicates cannot go with --partial: which of several "
				    "issues counts is known when all shards are together");
	if (options->severity_map || options->severity_from != RT_SEVERITY_FROM_SCORE ||
	    options->ids != RT_IDS_S2)
		return rt_error_set(err, RT_E_USAGE,
				    "--severity-map, --severity-from and --ids cannot go with "
				    "--partial");
	return RT_OK;
}

static enum rt_status open_output(struct run *run, const char *output, const struct rt_sink *sink,
				  struct rt_error *err)
{
	if (!output || rt_target_is_stream(output))
		return rt_replace_open_stream(sink, &run->output, err);
	return rt_output_open(run->options, NULL, output, &run->output, err);
}

static enum rt_status open_run(struct run *run, unsigned recent, struct rt_error *err)
{
	static const struct rt_style compact = {.format = RT_FORMAT_JSON};
	const struct rt_sink sink = {keep, run};
	enum rt_status status = rt_writer_open(compact, &sink, &run->line, err);

	if (status != RT_OK)
		return status;
	rt_sha256_reset(&run->hash);
	put_head(run, recent);
	status = rt_state_open(run->options, NULL, &run->state, err);
	if (status != RT_OK)
		return status;
	return rt_summary_init(&run->summary, recent, &run->options->limits,
			       rt_dataset_key(rt_state_dataset(run->state)), err);
}

enum rt_status rt_partial(const struct rt_options *options, unsigned recent, const char *output,
			  const struct rt_sink *sink, struct rt_error *err)
{
	struct run run = {.options = options, .fault = {check_options(options, recent, err), err}};

	rt_spool_init(&run.spool);
	RT_STEP(&run.fault, open_output(&run, output, sink, err));
	RT_STEP(&run.fault, open_run(&run, recent, err));
	if (run.fault.status == RT_OK) {
		put_records(&run);
		put_end(&run);
		write_output(&run);
	}
	rt_summary_release(&run.summary);
	rt_state_free(run.state);
	rt_writer_free(run.line);
	rt_spool_release(&run.spool);
	rt_replace_free(run.output);
	return run.fault.status;
}

/* --- Merging them -----------------------------------------------------------------------------
 */

/* A record in an answer is longer than in its export by its escapes, 6 bytes for 1, and by the
 * members that are null. */
#define LINE_TIMES 6u
#define LINE_MORE 4096u
/* Bytes of a name that a message shows. */
#define TEXT_MAX 1024u

/* The members of lines. */
enum { PATH, MEMBER, LINE, COLUMN, ISSUE, RULESET, RECENT, DIGEST, MEMBERS };

static const struct rt_cut_member line_members[] = {
    {RT_SLICE("line"), LINE, RT_TYPE_INTEGER, NULL},
    {RT_SLICE("column"), COLUMN, RT_TYPE_INTEGER, NULL},
    {RT_SLICE("issue"), ISSUE, RT_TYPE_OBJECT, NULL},
    {RT_SLICE("ruleset"), RULESET, RT_TYPE_STRING, NULL},
    {RT_SLICE("path"), PATH, RT_TYPE_STRING, NULL},
    {RT_SLICE("member"), MEMBER, RT_TYPE_STRING, NULL},
    {RT_SLICE("recent"), RECENT, RT_TYPE_OBJECT, NULL},
    {RT_SLICE("sha256"), DIGEST, RT_TYPE_STRING, NULL},
};

static const struct rt_cut line_cut = {line_members, MEMBERS, RT_CUT_NO_SLOT, NULL};

struct merge {
	struct rt_fault fault;
	struct rt_options options;
	struct rt_summary *summary;
	struct rt_buf first; /* the head of the first document */
	uint64_t recent;     /* of it: how many recent issues there may be */
	struct rt_ids
	    *ids; /* those of recent issues are RT_KIND_ANY, so that they meet no others */
	/* Of all documents, each with its inputs after it; a NUL after each name. That of an input
	 * comes after the number of its document and a blank. */
	struct rt_buf names;
	uint32_t named; /* names so far */
	struct rt_parts *parts;
	struct rt_buf text;
	struct rt_record_again again;
	/* Of this document. */
	const struct rt_part *part;            /* borrowed from parts */
	uint32_t document;                     /* number of its name */
	uint64_t issues, recent_issues;        /* so far */
	unsigned before;                       /* members of the line before, a bit each */
	struct rt_sha256 hash;                 /* of its lines but the last */
	bool ended;                            /* the digest was met */
	struct rt_slice line, values[MEMBERS]; /* as it is, and cut */
	struct rt_cursor cursor;               /* not to be moved */
};

/* Refuse the line met last, or the document. field: a member's name, or "". */
static void refuse(struct merge *m, const char *field, const char *message)
{
	struct rt_error *err = m->fault.err;

	if (m->fault.status == RT_FATAL)
		return;
	m->fault.status = rt_error_set(err, RT_E_INPUT, "%s", message);
	(void)snprintf(err->field, sizeof(err->field), "%s", field);
	rt_cursor_tell(&m->cursor, &m->cursor.spot, err);
}

static void refuse_line(struct merge *m)
{
	refuse(m, "", "want a line of a partial summary, have another value");
}

/* A string of the line without its escapes, borrowed until the next one; absent where it is null,
 * which the name of a member alone may be. */
static struct rt_slice take_text(struct merge *m, unsigned slot)
{
	struct rt_slice value = m->values[slot], text = {0};

	if (*value.ptr == '"')
		RT_STEP(&m->fault, rt_json_string_text(rt_slice_make(value.ptr + 1, value.len - 2),
						       &m->text, &text, m->fault.err));
	else if (slot != MEMBER)
		refuse_line(m);
	return text;
}

static const char *nth_name(const struct merge *m, uint64_t number)
{
	const char *at = m->names.data;

	for (; number; number--)
		at += strlen(at) + 1;
	return at;
}

/* An id occurs twice: name both inputs. */
static void refuse_second(struct merge *m, enum rt_kind kind, struct rt_slice id,
			  struct rt_id_place first, struct rt_id_place second)
{
	struct rt_error *err = m->fault.err;
	char shown[sizeof(err->record) - 11], *at, *other;
	uint64_t in = strtoull(nth_name(m, second.part), &at, 10);
	uint64_t other_in = strtoull(nth_name(m, first.part), &other, 10);

	m->fault.status = rt_error_set(
	    err, RT_E_INPUT,
	    "duplicate id, also at %.600s:%" PRIu64 ":%" PRIu64 " (in %.150s and %.150s)",
	    other + 1, first.line, first.column, nth_name(m, in), nth_name(m, other_in));
	err->line = second.line;
	err->column = second.column;
	rt_error_text(shown, sizeof(shown), id);
	(void)snprintf(err->record, sizeof(err->record), "%s \"%s\"",
		       kind == RT_KIND_ISSUE ? "issue" : "ruleset", shown);
	(void)snprintf(err->field, sizeof(err->field), "id");
	rt_error_at(err, at + 1, NULL);
}

/* The id of the line's record is met for the first time. */
static void add_id(struct merge *m, enum rt_kind kind, struct rt_slice id)
{
	struct rt_id_place place = {.part = m->named - 1};
	struct rt_hash128 hash = rt_ids_hash(m->ids, kind, id);
	uint64_t first = 0;

	place.line = strtoull(m->values[LINE].ptr, NULL, 10);
	place.column = strtoull(m->values[COLUMN].ptr, NULL, 10);
	/* Places have 40 bits for a line. */
	if (place.line - 1 >= 0xffffffffff || place.column - 1 >= INT64_MAX)
		refuse_line(m);
	if (place.part == m->document)
		refuse(m, "", "want the input that records are from, have a record");
	if (RT_STEP(&m->fault, rt_ids_add(m->ids, hash, place, &first, m->fault.err)) == RT_END)
		refuse_second(m, kind, id, rt_ids_place(m->ids, first), place);
}

/* Read an issue of the line into m->again. Returns whether it is one. */
static bool take_issue(struct merge *m, unsigned slot)
{
	struct rt_error *err = m->fault.err;

	m->again.text.len = 0;
	RT_STEP(&m->fault,
		rt_buf_append(&m->again.text, m->values[slot].ptr, m->values[slot].len, err));
	if (RT_STEP(&m->fault, rt_record_again_read(&m->again, RT_KIND_ISSUE, err)) == RT_REJECT)
		refuse(m, "", "want an issue, have another record");
	return m->fault.status == RT_OK;
}

/* --- A line of each form --- */

static void add_name(struct merge *m, const char *name)
{
	uint64_t max = m->options.limits.metadata_bytes;
	struct rt_error *err = m->fault.err;

	m->named++;
	if (m->names.len + strlen(name) >= max)
		RT_STEP(&m->fault, rt_error_limit(err, "the list of inputs", "metadata", max));
	RT_STEP(&m->fault, rt_buf_append(&m->names, name, strlen(name) + 1, err));
}

static void add_input(struct merge *m)
{
	char path[TEXT_MAX], member[TEXT_MAX], name[2 * TEXT_MAX + 16];
	struct rt_slice text = take_text(m, PATH);

	rt_error_text(path, sizeof(path), text);
	text = take_text(m, MEMBER);
	rt_error_text(member, sizeof(member), text);
	(void)snprintf(name, sizeof(name), text.ptr ? "%" PRIu32 " %s[%s]" : "%" PRIu32 " %s",
		       m->document, path, member);
	add_name(m, name);
}

static void add_issue(struct merge *m)
{
	struct rt_finding finding;

	if (!take_issue(m, ISSUE))
		return;
	add_id(m, RT_KIND_ISSUE, m->again.record.id);
	m->issues++;
	finding = rt_finding_of(&m->again.record, (struct rt_slice){0}, 0);
	RT_STEP(&m->fault, rt_summary_count(m->summary, &finding, m->fault.err));
}

static void add_ruleset(struct merge *m)
{
	struct rt_slice id = take_text(m, RULESET);

	if (id.len)
		add_id(m, RT_KIND_RULESET, id);
	else
		refuse_line(m);
}

/* The newest issues have been counted, and stand once. */
static void add_recent(struct merge *m)
{
	struct rt_error *err = m->fault.err;
	struct rt_id_place none = {0};
	enum rt_status status;
	struct rt_slice id;
	uint64_t first;

	if (!take_issue(m, RECENT))
		return;
	id = m->again.record.id;
	status = rt_ids_add(m->ids, rt_ids_hash(m->ids, RT_KIND_ISSUE, id), none, &first, err);
	if (status == RT_END && rt_ids_place(m->ids, first).part > m->document)
		status =
		    rt_ids_add(m->ids, rt_ids_hash(m->ids, RT_KIND_ANY, id), none, &first, err);
	else if (status == RT_OK)
		status = RT_END;
	m->fault.status = status;
	if (status == RT_END)
		refuse(m, "recent", "want issues that are there, each once, have another");
	m->recent_issues++;
	RT_STEP(&m->fault, rt_recent_add(&m->summary->recent, &m->again.record, false, err));
}

static void check_digest(struct merge *m)
{
	struct rt_slice have = take_text(m, DIGEST);
	uint8_t digest[RT_SHA256_BYTES];
	char want[RT_SHA256_HEX];

	rt_sha256_end(&m->hash, digest);
	rt_sha256_hex(digest, want);
	if (!rt_slice_equal(have, rt_slice_make(want, sizeof(want))))
		refuse(m, "sha256",
		       "the file is damaged: this is not the SHA-256 of the lines before");
	if (m->recent_issues != (m->issues < m->recent ? m->issues : m->recent))
		refuse(m, "recent",
		       "want as many as there are issues, up to options.recent, have another "
		       "number");
	m->ended = true;
}

static const struct {
	unsigned members, not_after; /* a bit each */
	void (*add)(struct merge *);
} forms[] = {
    {1u << LINE | 1u << COLUMN | 1u << ISSUE, 1u << RECENT, add_issue},
    {1u << LINE | 1u << COLUMN | 1u << RULESET, 1u << RECENT, add_ruleset},
    {1u << PATH | 1u << MEMBER, 1u << PATH | 1u << RECENT, add_input},
    {1u << RECENT, 1u << PATH, add_recent},
    {1u << DIGEST, 1u << PATH, check_digest},
};

static void hash_line(struct merge *m)
{
	rt_sha256_add(&m->hash, m->line.ptr, m->line.len);
	rt_sha256_add(&m->hash, "\n", 1);
}

static void add_line(struct merge *m, bool is_cut)
{
	unsigned members = 0, before = m->before;
	size_t bytes = 1; /* of an object that has these values and nothing else */

	for (size_t i = 0; is_cut && i < MEMBERS; i++) {
		const struct rt_slice *value = &m->values[line_members[i].slot];

		if (!value->ptr)
			continue;
		members |= 1u << line_members[i].slot;
		bytes += sizeof("\"\":,") - 1 + line_members[i].name.len + value->len;
	}
	m->before = members;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i].members != members || bytes != m->line.len)
			continue;
		if (forms[i].not_after & before)
			refuse(m, "",
			       "want records after each input, and recent issues after all else, "
			       "have another line");
		if (!(members & 1u << DIGEST))
			hash_line(m);
		if (m->fault.status == RT_OK)
			forms[i].add(m);
		return;
	}
	refuse_line(m);
}

/* --- Documents --- */

/* Whether this is a partial summary; if not, say what it is, where that is known. */
static void check_kind(struct merge *m)
{
	struct rt_slice magic = RT_SLICE(MAGIC), head;
	struct rt_error *err = m->fault.err;

	if (m->part->member)
		RT_STEP(&m->fault, rt_error_set(err, RT_E_INPUT,
						"want a partial summary, plain or compressed, have "
						"an archive"));
	RT_STEP(&m->fault, rt_cursor_blanks(&m->cursor, err));
	if (m->fault.status != RT_OK && m->fault.status != RT_END)
		return;
	head = rt_slice_make(m->cursor.at, (size_t)(m->cursor.scan.end - m->cursor.at));
	m->fault.status = RT_OK;
	if (head.len >= magic.len && memcmp(head.ptr, magic.ptr, magic.len) == 0)
		return;
	m->fault.status = rt_error_set(
	    err, RT_E_INPUT, "want a partial summary, which summary --partial writes, have %s",
	    head.len ? "something else" : "nothing");
	if (head.len)
		(void)rt_content_tell(RT_CONTENT_PARTIAL, head, RT_SLICE(""), err);
}

/* The first document says which options all of them have. */
static void begin_summary(struct merge *m)
{
	struct rt_error *err = m->fault.err;
	struct rt_siphash_key key;
	char *after;

	m->recent = strtoull(m->line.ptr + sizeof(HEAD) - 1, &after, 10);
	if (m->recent > RT_RECENT_MAX || *after != ',')
		refuse(m, "recent", "want a whole number up to 1000, have another value");
	RT_STEP(&m->fault, rt_siphash_key_init(&key, err));
	RT_STEP(&m->fault, rt_ids_new(&key, &m->ids, err));
	RT_STEP(&m->fault, rt_buf_append(&m->first, m->line.ptr, m->line.len, err));
	RT_STEP(&m->fault, rt_summary_init(m->summary, m->recent, &m->options.limits, &key, err));
}

/* The head is another one than that of the first document. */
static void refuse_options(struct merge *m)
{
	const size_t at = sizeof(HEAD) - sizeof("{\"recent\":");
	struct rt_slice first = rt_slice_make(m->first.data + at, m->first.len - at - 1);
	struct rt_slice here = rt_slice_make(m->line.ptr + at, m->line.len - at - 1);
	struct rt_error *err = m->fault.err;

	refuse(m, "options", "");
	(void)snprintf(err->message, sizeof(err->message),
		       "the first partial summary has %.*s, this one has %.*s",
		       rt_slice_shown(first, 300), first.ptr, rt_slice_shown(here, 300), here.ptr);
}

static void take_head(struct merge *m)
{
	uint64_t max = m->options.limits.record_bytes;

	if (RT_STEP(&m->fault, rt_cursor_take(&m->cursor, max, &m->line, m->fault.err)) != RT_OK)
		return;
	if (m->line.len < sizeof(HEAD) || memcmp(m->line.ptr, HEAD, sizeof(HEAD) - 1) != 0) {
		refuse(m, "version",
		       "want form 2 as retriage " RT_VERSION " writes it, have another; make the "
		       "partial summary again");
		return;
	}
	hash_line(m);
	if (!m->ids)
		begin_summary(m);
	if (m->fault.status == RT_OK && !rt_slice_equal(m->line, rt_buf_slice(&m->first)))
		refuse_options(m);
}

static void take_lines(struct merge *m)
{
	const uint64_t max = LINE_TIMES * m->options.limits.record_bytes + LINE_MORE;
	struct rt_error *err = m->fault.err;

	while (RT_STEP(&m->fault, rt_cursor_blanks(&m->cursor, err)) == RT_OK) {
		bool is_cut = false;

		m->cursor.spot = rt_cursor_here(&m->cursor);
		if (m->ended)
			refuse(m, "", "there is more after the SHA-256 at the end");
		RT_STEP(&m->fault, rt_cursor_cut(&m->cursor, max, &line_cut, m->values, MEMBERS,
						 &is_cut, &m->line, err));
		if (m->fault.status == RT_OK)
			add_line(m, is_cut);
	}
	if (m->fault.status != RT_END)
		return;
	m->fault.status = RT_OK;
	m->cursor.spot = rt_cursor_here(&m->cursor);
	if (!m->ended)
		refuse(m, "", "the file ends before a SHA-256 at the end: it was cut off");
}

/* Read the document that has been begun. */
static void add_document(struct merge *m)
{
	rt_cursor_start(&m->cursor);
	rt_sha256_reset(&m->hash);
	m->before = 0;
	m->document = m->named;
	m->issues = m->recent_issues = 0;
	m->ended = false;
	add_name(m, m->part->path);
	check_kind(m);
	take_head(m);
	take_lines(m);
	if (m->fault.status != RT_OK && !*m->fault.err->path)
		rt_error_at(m->fault.err, m->part->path, NULL);
}

static enum rt_status read_part(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	return rt_parts_read(ctx, buf, cap, ret_len, err);
}

static struct rt_place place_of(const void *ctx, const struct rt_cursor_spot *spot)
{
	(void)ctx;
	return (struct rt_place){spot->line, spot->offset - spot->line_start + 1, spot->offset};
}

static void open_all(struct merge *m)
{
	const struct rt_limits *limits = &m->options.limits;
	struct rt_error *err = m->fault.err;
	struct stat st;

	for (size_t i = 0; i < m->options.path_count; i++) {
		const char *path = m->options.paths[i];

		if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			RT_STEP(&m->fault, rt_error_on(err, path, RT_E_USAGE,
						       "want a partial summary, have a directory"));
	}
	RT_STEP(&m->fault, rt_parts_open(&m->options, &m->parts, err));
	m->cursor.pull = (struct rt_pull){read_part, m->parts};
	m->cursor.place = place_of;
	m->cursor.made = true; /* nobody has written JSON */
	RT_STEP(&m->fault, rt_record_again_init(&m->again, err));
	RT_STEP(&m->fault, rt_cursor_init(&m->cursor, limits,
					  LINE_TIMES * limits->record_bytes + LINE_MORE, err));
}

static void merge_free(struct merge *m)
{
	rt_parts_free(m->parts);
	rt_cursor_release(&m->cursor);
	rt_record_again_release(&m->again);
	rt_ids_free(m->ids);
	rt_buf_release(&m->first);
	rt_buf_release(&m->names);
	rt_buf_release(&m->text);
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
	m->summary = summary;
	m->fault.err = err;
	open_all(m);
	while (RT_STEP(&m->fault, rt_parts_next(m->parts, &m->part, err)) == RT_OK)
		add_document(m);
	status = m->fault.status;
	merge_free(m);
	return status == RT_END ? RT_OK : RT_FATAL;
}
