/*
 * Reads a journal into a plan of its updates. A choice among the base's parts is refused: two
 * choices would be two bases, and the digest of an archive is the same for both.
 */
#include "journal/history.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/error.h"
#include "scan/items.h"

/* A member of a JSON object that is not ended yet; value: NULL: there is none. */
static void put_member(struct rt_put *put, const char *name, const char *value)
{
	if (value)
		rt_put_format(put, put->out->len > 1 ? ",\"%t\":%s" : "\"%t\":%s",
			      rt_slice_of(name), rt_slice_of(value));
}

/* Write the options that decide what the records of a base are, those that are given. ids: also how
 * ids are made. */
static enum rt_status write_options(const struct rt_options *options, bool old, bool ids,
				    struct rt_buf *out, struct rt_error *err)
{
	static const char *const duplicates[] = {NULL, "equal", "worst"};
	/* Version 1 named none, and this one was there. */
	bool accepts = !old && options->failed_runs != RT_FAILED_RUNS_REFUSE;
	bool by_level = options->severity_from == RT_SEVERITY_FROM_LEVEL;
	struct rt_put put = {out, err, RT_OK};

	out->len = 0;
	RT_PUT(&put, "{");
	put_member(&put, "duplicates", duplicates[options->duplicates]);
	put_member(&put, "failed_runs", accepts ? "accept" : NULL);
	put_member(&put, "ids", ids && options->ids == RT_IDS_S1 ? "s1" : NULL);
	put_member(&put, "severity_from", by_level ? "level" : NULL);
	put_member(&put, "severity_map", options->severity_map);
	if (options->strip_prefix_count)
		rt_put_format(&put, "%t\"strip_prefix\":[",
			      out->len > 1 ? RT_SLICE(",") : RT_SLICE(""));
	/* In the order in which they were given. */
	for (size_t i = 0; i < options->strip_prefix_count; i++)
		rt_put_format(&put, i ? ",%s" : "%s", rt_slice_of(options->strip_prefixes[i]));
	rt_put(&put, options->strip_prefix_count ? RT_SLICE("]}") : RT_SLICE("}"));
	return put.status;
}

/* Append a value of a member as an option: " --severity-from level". */
static void put_option(struct rt_put *put, struct rt_slice name, struct rt_slice value)
{
	rt_put(put, put->out->len ? RT_SLICE(" --") : RT_SLICE("--"));
	for (size_t i = 0; i < name.len; i++)
		rt_put(put, name.ptr[i] == '_' ? RT_SLICE("-") : rt_slice_make(name.ptr + i, 1));
	RT_PUT(put, " ");
	if (value.len > 1 && *value.ptr == '"')
		value = rt_slice_make(value.ptr + 1, value.len - 2);
	rt_put(put, value);
}

/* Options of a journal as a command line has them; those of a list are given one after another. */
static enum rt_status put_as_typed(struct rt_slice options, struct rt_buf *out,
				   struct rt_error *err)
{
	struct rt_put put = {out, err, RT_OK};
	struct rt_items items, values;
	struct rt_item item, value;

	out->len = 0;
	rt_items_init(&items, options);
	while (rt_items_next(&items, &item)) {
		rt_items_init(&values, item.value);
		if (*item.value.ptr != '[')
			put_option(&put, item.key, item.value);
		while (*item.value.ptr == '[' && rt_items_next(&values, &value))
			put_option(&put, item.key, value.value);
	}
	return put.status;
}

static enum rt_status refuse_options(struct rt_slice base, struct rt_slice have, const char *path,
				     struct rt_error *err)
{
	struct rt_buf texts[2] = {{0}};
	enum rt_status status = put_as_typed(base, &texts[0], err);

	if (status == RT_OK)
		status = put_as_typed(have, &texts[1], err);
	if (status == RT_OK) {
		struct rt_slice was = rt_buf_slice(&texts[0]), is = rt_buf_slice(&texts[1]);
		struct rt_slice first = was.len ? was : is;
		int shown = rt_slice_shown(first, 200);

		status = rt_error_on(
		    err, path, RT_E_USAGE, "the journal was begun with%s %.*s: %s%.*s",
		    was.len ? "" : "out", shown, first.ptr,
		    !was.len ? "leave that out"
		    : is.len ? "give that instead of "
			     : "give that, too",
		    was.len && is.len ? rt_slice_shown(is, 200) : 0, is.len ? is.ptr : "");
	}
	rt_buf_release(&texts[0]);
	rt_buf_release(&texts[1]);
	return status;
}

/* Whether the journal was begun with the options of this run. */
static enum rt_status check_options(struct rt_history *history, const struct rt_options *options,
				    struct rt_error *err)
{
	const struct rt_journal_base *base = rt_journal_base(history->journal);
	struct rt_slice have;
	enum rt_status status =
	    write_options(options, base && base->version == 1, true, &history->options, err);

	/* Journals of version 0.1 knew of no other ids than s1. */
	if (status == RT_OK && base && options->ids == RT_IDS_S1 &&
	    !rt_slice_equal(base->options, rt_buf_slice(&history->options)))
		status = write_options(options, base->version == 1, false, &history->options, err);
	have = rt_buf_slice(&history->options);
	if (status != RT_OK || !base || options->path_count == 0 ||
	    rt_slice_equal(base->options, have))
		return status;
	return refuse_options(base->options, have, options->journal, err);
}

enum rt_status rt_history_open(struct rt_history *history, const char *path,
			       enum rt_journal_mode mode, const struct rt_options *options,
			       struct rt_error *err)
{
	const struct rt_choice *choice = &options->choice;
	enum rt_status status = rt_plan_new(&history->plan, err);

	if (status == RT_OK && path && (choice->include_count || choice->exclude_count))
		return rt_error_on(
		    err, path, RT_E_USAGE,
		    "a journal is of all of its export: --include and --exclude cannot go with it");
	if (status == RT_OK && path)
		status =
		    rt_journal_open(path, mode, &options->limits, RT_LOCK_WAIT_MS, options->notice,
				    options->notice_ctx, &history->journal, err);
	return status == RT_OK && path ? check_options(history, options, err) : status;
}

enum rt_status rt_history_next(struct rt_history *history, struct rt_journal_entry *ret_entry,
			       struct rt_error *err)
{
	struct rt_journal_entry own, *entry = ret_entry;
	struct rt_history_result result;
	enum rt_status status = RT_END;
	bool is_carried;

	if (!entry)
		entry = &own;
	if (history->journal && rt_journal_base(history->journal))
		status = rt_journal_next(history->journal, entry, err);
	if (status != RT_OK)
		return status;
	is_carried = entry->carried.text.ptr != NULL;
	status = rt_plan_add(history->plan, &entry->request, entry->at, err);
	if (status == RT_OK)
		status = rt_plan_name(history->plan, is_carried ? entry->carried.at : entry->at,
				      is_carried ? entry->carried.actor : entry->actor, is_carried,
				      entry->actor, err);
	if (status != RT_OK || !history->keep_results)
		return status;
	result.updated_count = entry->updated_count;
	result.failed_count = entry->failed_count;
	memcpy(result.sha256, entry->result_sha256, sizeof(result.sha256));
	memcpy(result.notes_sha256, entry->notes_sha256, sizeof(result.notes_sha256));
	return rt_buf_append(&history->results, &result, sizeof(result), err);
}

enum rt_status rt_history_check_base(const struct rt_history *history,
				     const uint8_t sha256[RT_SHA256_BYTES], uint64_t issues,
				     struct rt_error *err)
{
	const struct rt_journal_base *base =
	    history->journal ? rt_journal_base(history->journal) : NULL;
	char want[RT_SHA256_SHORT], have[RT_SHA256_SHORT];

	if (!base)
		return RT_OK;
	if (memcmp(base->sha256, sha256, RT_SHA256_BYTES) != 0) {
		rt_sha256_short(base->sha256, want);
		rt_sha256_short(sha256, have);
		(void)rt_error_set(err, RT_E_INPUT,
				   "this journal belongs to another export (SHA-256 %s, not %s); "
				   "for a new scan, retriage carry brings its decisions",
				   want, have);
		rt_error_text(err->field, sizeof(err->field), RT_SLICE("base/sha256"));
		return RT_REJECT;
	}
	if (base->issues != issues) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "the journal's export has %" PRIu64
				   " issue%s, this one has %" PRIu64,
				   base->issues, RT_S(base->issues), issues);
		rt_error_text(err->field, sizeof(err->field), RT_SLICE("base/issues"));
		return RT_REJECT;
	}
	return RT_OK;
}

enum rt_status rt_history_begin(struct rt_history *history, const char *path,
				const uint8_t sha256[RT_SHA256_BYTES], uint64_t issues,
				struct rt_slice at, struct rt_error *err)
{
	struct rt_journal_base base = {
	    .issues = issues, .created_at = at, .options = rt_buf_slice(&history->options)};
	size_t len = strlen(path), from;

	/* The last component that is not empty: a directory's path may end with slashes. */
	while (len > 1 && path[len - 1] == '/')
		len--;
	for (from = len; from > 0 && path[from - 1] != '/'; from--)
		;
	base.name = from < len ? rt_slice_make(path + from, len - from) : rt_slice_make(path, len);
	memcpy(base.sha256, sha256, sizeof(base.sha256));
	return rt_journal_begin(history->journal, &base, err);
}

void rt_history_release(struct rt_history *history)
{
	rt_journal_free(history->journal);
	rt_plan_free(history->plan);
	rt_buf_release(&history->results);
	rt_buf_release(&history->options);
	history->journal = NULL;
	history->plan = NULL;
}
