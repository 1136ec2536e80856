/*
 * Reads each log once more, from value to value, and passes its bytes on or drops them as it goes:
 * of the first log all that is outside of its runs, of each the runs. What has been read of a
 * part and neither passed on nor dropped yet is held, which is little more than a window.
 */
#include "rewrite/log_copy.h"

#include <stdlib.h>

#include "base/error.h"
#include "formats/text.h"
#include "scan/cursor.h"
#include "scan/items.h"
#include "source/parts.h"

#define HEAD                                                                                       \
	"{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\","    \
	"\"runs\":["

/* What is before the first of some results; beyond, blanks are no style but a burden. */
#define GAP_MAX 256u

/* A data set that is read again. */
struct reading {
	struct rt_log_copy *copy;
	const struct rt_log_picks *picks;
	struct rt_parts *parts;
	uint32_t part;
	struct rt_sink sink; /* for what is passed on */
	bool passes;         /* what the cursor has gone over is passed on, else dropped */
	bool keeps;          /* which of both is not known yet */
	struct rt_buf held;
	uint64_t skipped; /* bytes before the text: of a byte order mark */
	uint64_t at;      /* offset in the text of the next byte to pass on */
	uint64_t from;    /* offset of the first byte held */
	uint64_t given;   /* of the next one that the cursor has not seen */
	struct rt_patching patching;
	size_t pick;             /* index of the next one */
	struct rt_log_fate fate; /* of the run */
	struct rt_buf value, shaped;
	struct rt_cursor cursor; /* last, for it is large */
};

static enum rt_status write_slice(const struct rt_sink *sink, struct rt_slice text,
				  struct rt_error *err)
{
	return text.len ? sink->write(sink->ctx, text.ptr, text.len, err) : RT_OK;
}

/* Go on to an offset: pass on what is held before it, or drop that. */
static enum rt_status go_to(struct reading *r, uint64_t to, struct rt_error *err)
{
	const char *text = r->held.data + (r->at - r->from);
	size_t len = r->at < to ? (size_t)(to - r->at) : 0;

	r->at += len;
	if (r->passes)
		return rt_patching_pass(&r->patching, text, len, err);
	r->patching.at += len;
	return RT_OK;
}

/* Where the cursor is. */
static uint64_t here(const struct reading *r)
{
	return rt_cursor_here(&r->cursor).offset;
}

/* Have more of the part held. */
static enum rt_status hold(struct reading *r, size_t cap, struct rt_error *err)
{
	struct rt_buf *held = &r->held;
	enum rt_status status = rt_buf_reserve(held, cap, err);
	size_t len = 0;

	if (status == RT_OK)
		status = rt_parts_read(r->parts, held->data + held->len, cap, &len, err);
	held->len += len;
	return status;
}

static enum rt_status pull(void *ctx, void *buf, size_t cap, size_t *ret_len, struct rt_error *err)
{
	struct reading *r = ctx;
	struct rt_buf *held = &r->held;
	enum rt_status status = r->keeps ? RT_OK : go_to(r, r->cursor.window.offset, err);
	size_t gone = (size_t)(r->at - r->from), left;

	if (status == RT_OK && r->given == r->from + held->len) {
		memmove(held->data, held->data + gone, held->len - gone);
		held->len -= gone;
		r->from = r->at;
		status = hold(r, cap, err);
	}
	if (status != RT_OK)
		return status;
	left = (size_t)(r->from + held->len - r->given);
	*ret_len = left < cap ? left : cap;
	memcpy(buf, held->data + (r->given - r->from), *ret_len);
	r->given += *ret_len;
	return RT_OK;
}

/* Start on a part. */
static enum rt_status begin_part(struct reading *r, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct rt_slice text;

	r->at = r->from = r->given = 0;
	r->held.len = 0;
	while (status == RT_OK && r->held.len < 3)
		status = hold(r, RT_WINDOW_BYTES, err);
	if (status < 0)
		return status;
	text = rt_buf_slice(&r->held);
	(void)rt_text_encoding(&text);
	r->skipped = r->held.len - text.len;
	memmove(r->held.data, text.ptr, text.len);
	r->held.len = text.len;
	rt_patching_begin(&r->patching, &r->picks->patches, r->part, &r->sink);
	r->patching.at = r->skipped;
	rt_cursor_start(&r->cursor);
	return rt_cursor_blanks(&r->cursor, err);
}

/* --- Runs ------------------------------------------------------------------------------------- */

/* The next issue; NULL: the part has no more. */
static const struct rt_log_pick *next_pick(const struct reading *r)
{
	const struct rt_log_pick *all =
	    (const struct rt_log_pick *)(const void *)r->picks->results.data;

	if (r->pick == r->picks->results.len / sizeof(*all) || all[r->pick].part != r->part)
		return NULL;
	return &all[r->pick];
}

/* Whether the result that begins here is copied. */
static bool is_picked(struct reading *r, uint64_t start)
{
	const struct rt_log_pick *pick = next_pick(r);

	if (pick && pick->offset == start + r->skipped) {
		r->pick++;
		return pick->picked;
	}
	r->copy->left_out += !r->picks->others;
	return r->picks->others;
}

/* Skip what is before the place where the cursor is. */
static void pass_over(struct reading *r)
{
	r->patching.at += here(r) - r->at;
	r->at = here(r);
}

static bool is_wanted(const struct reading *r, enum rt_log_member member)
{
	const struct rt_log_shaper *shaper = r->copy->shaper;

	return shaper && shaper->wants(shaper->ctx, member, *r->cursor.at);
}

/* Copy the value that the cursor is at as it is to be. */
static enum rt_status copy_value(struct reading *r, enum rt_log_member member, struct rt_error *err)
{
	const struct rt_log_shaper *shaper = r->copy->shaper;
	struct rt_sink sink = r->sink;
	enum rt_status status = go_to(r, here(r), err);

	if (!r->passes || !is_wanted(r, member)) {
		status = status == RT_OK ? rt_cursor_skip(&r->cursor, err) : status;
		return status == RT_OK ? go_to(r, here(r), err) : status;
	}
	r->value.len = r->shaped.len = 0;
	r->sink = rt_buf_sink(&r->value);
	if (status == RT_OK)
		status = rt_cursor_skip(&r->cursor, err);
	if (status == RT_OK)
		status = go_to(r, here(r), err);
	r->sink = sink;
	if (status == RT_OK)
		status =
		    shaper->shape(shaper->ctx, member, rt_buf_slice(&r->value), &r->shaped, err);
	return status == RT_OK ? write_slice(&r->sink, rt_buf_slice(&r->shaped), err) : status;
}

/* The array of results in the making. */
struct results {
	bool any; /* one was copied */
	char gap[GAP_MAX];
	size_t gap_len; /* of what is before the first one */
};

/* Write what is before a result that is copied: what was there, unless others have gone. leading:
 * it is the first of the array. */
static enum rt_status begin_result(struct reading *r, struct results *results, bool leading,
				   struct rt_error *err)
{
	struct rt_log_joint *joint = r->fate.joint;
	bool joins = joint && !r->fate.heads;
	struct rt_slice before = rt_slice_make(results->gap, results->gap_len);
	bool anew = joins || (!results->any && !leading);

	if (joins)
		before = joint->results ? RT_SLICE(",\n") : RT_SLICE("");
	if (joint)
		joint->results++;
	results->any = true;
	if (!anew)
		return RT_OK;
	pass_over(r);
	return write_slice(&r->sink, before, err);
}

/* Copy the next result, or drop it. */
static enum rt_status take_result(struct reading *r, struct results *results, bool leading,
				  struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (leading && here(r) - r->at <= GAP_MAX) {
		results->gap_len = (size_t)(here(r) - r->at);
		memcpy(results->gap, r->held.data + (r->at - r->from), results->gap_len);
	}
	r->passes = is_picked(r, here(r));
	if (r->passes)
		status = begin_result(r, results, leading, err);
	return status == RT_OK ? copy_value(r, RT_LOG_RESULT, err) : status;
}

/* Copy those results that are picked. The cursor is at the array. */
static enum rt_status copy_results(struct reading *r, struct rt_error *err)
{
	struct results results = {.any = false};
	bool first = true, passes = r->passes;
	enum rt_status status = rt_cursor_enter(&r->cursor, err);

	if (status == RT_OK)
		status = go_to(r, here(r), err);
	while (status == RT_OK) {
		bool leading = first;

		/* What is before a result goes with it. */
		r->keeps = true;
		status = rt_cursor_element(&r->cursor, &first, "a value", "a value or ']'", err);
		r->keeps = false;
		if (status == RT_OK)
			status = take_result(r, &results, leading, err);
	}
	r->passes = passes;
	if (status != RT_END)
		return status;
	if (r->fate.heads) {
		status = go_to(r, here(r) - 1, err);
		r->sink = rt_spool_sink(&r->fate.joint->tail);
		if (status < 0)
			return status;
	}
	return go_to(r, here(r), err);
}

/* Members of a run that somebody may want; what else results point into they also name. */
static const struct {
	struct rt_slice name;
	enum rt_log_member member;
} run_members[] = {
    {RT_SLICE("results"), RT_LOG_RESULTS},
    {RT_SLICE("tool"), RT_LOG_TOOL},
    {RT_SLICE("automationDetails"), RT_LOG_AUTOMATION},
    {RT_SLICE("taxonomies"), RT_LOG_SHARED},
    {RT_SLICE("originalUriBaseIds"), RT_LOG_SHARED},
    {RT_SLICE("columnKind"), RT_LOG_COLUMN_KIND},
    {RT_SLICE("threadFlowLocations"), RT_LOG_POINTED},
    {RT_SLICE("graphs"), RT_LOG_POINTED},
    {RT_SLICE("webRequests"), RT_LOG_POINTED},
    {RT_SLICE("webResponses"), RT_LOG_POINTED},
    {RT_SLICE("addresses"), RT_LOG_POINTED},
};

static int run_member(struct rt_slice key)
{
	for (size_t i = 0; i < sizeof(run_members) / sizeof(run_members[0]); i++) {
		if (rt_items_key_is(key, run_members[i].name))
			return (int)run_members[i].member;
	}
	return RT_LOG_OTHER;
}

/* The run is over but for what is behind its last member, where a shaper may add some. */
static enum rt_status end_run(struct reading *r, bool empty, struct rt_error *err)
{
	const struct rt_log_shaper *shaper = r->copy->shaper;
	enum rt_status status = RT_OK;

	r->shaped.len = 0;
	if (shaper)
		status = shaper->end(shaper->ctx, &r->shaped, err);
	if (status == RT_OK && r->passes && r->shaped.len)
		status = write_slice(
		    &r->sink, rt_slice_make(r->shaped.data + empty, r->shaped.len - empty), err);
	return status == RT_OK ? go_to(r, here(r), err) : status;
}

/* Copy a run. The cursor is at it. */
static enum rt_status copy_run(struct reading *r, struct rt_error *err)
{
	bool first = true, empty = true;
	int member;
	enum rt_status status = rt_cursor_enter(&r->cursor, err);

	while (status == RT_OK) {
		/* What is behind a member is not passed on before a shaper has added another. */
		r->keeps = true;
		status = rt_cursor_member(&r->cursor, &first, run_member, &member, err);
		r->keeps = false;
		if (status != RT_OK)
			break;
		empty = false;
		if (member == RT_LOG_RESULTS && *r->cursor.at == '[') {
			(void)is_wanted(r, RT_LOG_RESULTS);
			status = copy_results(r, err);
		} else {
			status = copy_value(r, (enum rt_log_member)member, err);
		}
	}
	return status == RT_END ? end_run(r, empty, err) : status;
}

/* Find out what becomes of the next run. */
static enum rt_status begin_run(struct reading *r, uint32_t number, struct rt_error *err)
{
	const struct rt_log_shaper *shaper = r->copy->shaper;
	const struct rt_log_pick *pick = next_pick(r);

	r->fate =
	    (struct rt_log_fate){.dropped = r->picks->used_runs && !(pick && pick->run == number)};
	return shaper ? shaper->begin(shaper->ctx, r->part, number, &r->fate, err) : RT_OK;
}

/* A run that becomes part of one that was joined. */
static enum rt_status join_run(struct reading *r, struct rt_error *err)
{
	struct rt_sink sink = r->sink;
	enum rt_status status;

	r->passes = false;
	status = go_to(r, here(r), err);
	r->passes = r->fate.heads;
	r->sink = rt_spool_sink(&r->fate.joint->body);
	if (status == RT_OK)
		status = copy_run(r, err);
	r->sink = sink;
	return status;
}

/* The picks of a run that is passed over. */
static void pass_picks(struct reading *r, uint32_t number)
{
	const struct rt_log_pick *pick;

	while ((pick = next_pick(r)) && pick->run == number)
		r->pick++;
}

/* Copy the next run of a log, or drop it. whole: it is the first log; follows: a run of this log
 * was copied before it. */
static enum rt_status take_run(struct reading *r, bool whole, bool follows, uint32_t number,
			       struct rt_error *err)
{
	enum rt_status status = begin_run(r, number, err);
	bool used = !r->fate.dropped;

	if (status != RT_OK)
		return status;
	if (used && r->fate.joint)
		return join_run(r, err);
	/* What is before it goes with it, but for the comma behind one that has gone. */
	r->passes = used && (follows || (whole && number == 0));
	if (used && !whole && !follows)
		status = rt_log_copy_run(r->copy, err);
	else
		r->copy->runs += used;
	if (status == RT_OK)
		status = go_to(r, here(r), err);
	r->passes = used;
	if (!used)
		pass_picks(r, number);
	if (status == RT_OK)
		status = used ? copy_run(r, err) : rt_cursor_skip(&r->cursor, err);
	return status == RT_OK ? go_to(r, here(r), err) : status;
}

/* Copy the runs of a log, behind those of others. whole: of the first one, what is around them is
 * copied, too. */
static enum rt_status copy_runs(struct reading *r, bool whole, struct rt_error *err)
{
	uint64_t runs = r->copy->runs;
	bool first = true;
	uint32_t number = 0;
	enum rt_status status = rt_cursor_enter(&r->cursor, err);

	if (status == RT_OK)
		status = go_to(r, here(r), err);
	while (status == RT_OK) {
		r->keeps = true;
		status = rt_cursor_element(&r->cursor, &first, "a value", "a value or ']'", err);
		r->keeps = false;
		if (status == RT_OK)
			status = take_run(r, whole, r->copy->runs > runs, number++, err);
	}
	/* What is before the bracket belongs to the end, as that does. */
	return status == RT_END ? RT_OK : status;
}

/* --- Logs ------------------------------------------------------------------------------------- */

enum { TOP_RUNS, TOP_KNOWN, TOP_OTHER };
static int top_member(struct rt_slice key)
{
	if (rt_items_key_is(key, RT_SLICE("runs")))
		return TOP_RUNS;
	return rt_items_key_is(key, RT_SLICE("version")) ||
		       rt_items_key_is(key, RT_SLICE("$schema"))
		   ? TOP_KNOWN
		   : TOP_OTHER;
}

/* The runs of the first log: what follows them has to wait for those of others. */
static enum rt_status copy_first_runs(struct reading *r, struct rt_error *err)
{
	bool none = *r->cursor.at != '[';
	enum rt_status status = RT_OK;

	if (!none) {
		status = copy_runs(r, true, err);
	} else {
		/* There are none, and nobody is to mind. */
		status = go_to(r, here(r), err);
		if (status == RT_OK)
			status = write_slice(&r->sink, RT_SLICE("["), err);
		r->passes = false;
		if (status == RT_OK)
			status = rt_cursor_skip(&r->cursor, err);
		if (status == RT_OK)
			status = go_to(r, here(r), err);
	}
	r->sink = rt_spool_sink(&r->copy->tail);
	r->passes = true;
	return status == RT_OK && none ? write_slice(&r->sink, RT_SLICE("]"), err) : status;
}

static enum rt_status copy_log(struct reading *r, struct rt_error *err)
{
	bool whole = !r->copy->begun && !r->picks->used_runs, first = true;
	int member;
	enum rt_status status = rt_cursor_enter(&r->cursor, err);

	r->passes = true;
	r->copy->begun = r->copy->begun || whole;
	r->sink = r->copy->sink;
	while (status == RT_OK) {
		r->passes = whole;
		status = rt_cursor_member(&r->cursor, &first, top_member, &member, err);
		if (status != RT_OK)
			break;
		r->copy->members += !whole && member == TOP_OTHER;
		if (member == TOP_RUNS && whole)
			status = copy_first_runs(r, err);
		else if (member == TOP_RUNS && *r->cursor.at == '[')
			status = copy_runs(r, false, err);
		else
			status = rt_cursor_skip(&r->cursor, err);
	}
	if (status == RT_END)
		status = rt_cursor_blanks(&r->cursor, err);
	return status == RT_END ? go_to(r, here(r), err) : status;
}

static struct rt_place place_of(const void *ctx, const struct rt_cursor_spot *spot)
{
	const struct reading *r = ctx;

	return (struct rt_place){spot->line, spot->offset - spot->line_start + 1,
				 spot->offset + r->skipped};
}

/* Read all parts. Returns RT_END after the last. */
static enum rt_status copy_parts(struct reading *r, struct rt_error *err)
{
	const uint32_t *logs = (const uint32_t *)(const void *)r->picks->parts.data;
	size_t left = r->picks->parts.len / sizeof(*logs);
	const struct rt_part *part;
	enum rt_status status;

	for (; (status = rt_parts_next(r->parts, &part, err)) == RT_OK; r->part++) {
		if (!left || *logs != r->part)
			continue;
		logs++;
		left--;
		status = begin_part(r, err);
		if (status == RT_OK)
			status = copy_log(r, err);
		if (status != RT_OK)
			rt_error_at(err, part->path, part->member);
		if (status != RT_OK)
			return RT_FATAL;
	}
	return status;
}

enum rt_status rt_log_copy_add(struct rt_log_copy *copy, const struct rt_options *options,
			       const struct rt_log_picks *picks, uint64_t stamp,
			       struct rt_error *err)
{
	struct reading *r;
	enum rt_status status;

	if (!picks->parts.len)
		return RT_OK;
	r = rt_scan_alloc(sizeof(*r));
	if (!r)
		return rt_error_nomem(err);
	r->copy = copy;
	r->picks = picks;
	r->cursor.pull = (struct rt_pull){pull, r};
	r->cursor.place = place_of;
	r->cursor.place_ctx = r;
	r->cursor.mends = true;
	status = rt_cursor_init(&r->cursor, &options->limits, options->limits.record_bytes, err);
	if (status == RT_OK)
		status = rt_parts_open(options, &r->parts, err);
	if (status == RT_OK)
		status = copy_parts(r, err);
	if (status == RT_END && rt_parts_stamp(r->parts) != stamp)
		status = rt_files_refuse_changed(options, err);
	rt_parts_free(r->parts);
	rt_cursor_release(&r->cursor);
	rt_buf_release(&r->held);
	rt_buf_release(&r->value);
	rt_buf_release(&r->shaped);
	free(r);
	return status < 0 ? RT_FATAL : RT_OK;
}

/* --- The one log ------------------------------------------------------------------------------ */

void rt_log_copy_init(struct rt_log_copy *copy, const struct rt_sink *sink)
{
	*copy = (struct rt_log_copy){.sink = *sink};
	rt_spool_init(&copy->tail);
}

enum rt_status rt_log_copy_run(struct rt_log_copy *copy, struct rt_error *err)
{
	struct rt_slice before = copy->runs ? RT_SLICE(",\n") : RT_SLICE("");

	if (!copy->begun)
		before = RT_SLICE(HEAD);
	copy->begun = true;
	copy->runs++;
	return write_slice(&copy->sink, before, err);
}

enum rt_status rt_log_copy_joint(struct rt_log_copy *copy, struct rt_log_joint *joint,
				 struct rt_error *err)
{
	enum rt_status status = rt_log_copy_run(copy, err);

	if (status == RT_OK)
		status = rt_spool_copy(&joint->body, &copy->sink, err);
	return status == RT_OK ? rt_spool_copy(&joint->tail, &copy->sink, err) : status;
}

enum rt_status rt_log_copy_end(struct rt_log_copy *copy, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (!copy->begun)
		status = write_slice(&copy->sink, RT_SLICE(HEAD), err);
	if (status == RT_OK && (copy->tail.filed || copy->tail.buf.len))
		return rt_spool_copy(&copy->tail, &copy->sink, err);
	return status == RT_OK ? write_slice(&copy->sink, RT_SLICE("]}\n"), err) : status;
}

void rt_log_copy_release(struct rt_log_copy *copy)
{
	rt_spool_release(&copy->tail);
}

void rt_log_picks_release(struct rt_log_picks *picks)
{
	rt_buf_release(&picks->parts);
	rt_buf_release(&picks->results);
	rt_patches_release(&picks->patches);
}
