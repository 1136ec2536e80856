/*
 * Takes a journal in. Input: its entries. Output: a plan of their updates.
 * Refuses a base other than the one that the journal names, and a choice among its parts: two
 * choices would be two bases, and the digest of an archive is the same for both.
 */
#include "journal/history.h"

#include <inttypes.h>

#include "base/error.h"

enum rt_status rt_history_open(struct rt_history *history, const char *path,
			       enum rt_journal_mode mode, const struct rt_options *options,
			       struct rt_error *err)
{
	const struct rt_choice *choice = &options->choice;
	enum rt_status status = rt_plan_new(&history->plan, err);

	if (status == RT_OK && path && (choice->include_count || choice->exclude_count)) {
		(void)rt_error_set(err, RT_E_USAGE,
				   "want all of a journal's base, have --include or --exclude");
		rt_error_at(err, path, NULL);
		return RT_FATAL;
	}
	if (status == RT_OK && path)
		status =
		    rt_journal_open(path, mode, &options->limits, RT_LOCK_WAIT_MS, options->notice,
				    options->notice_ctx, &history->journal, err);
	return status;
}

enum rt_status rt_history_next(struct rt_history *history, struct rt_journal_entry *ret_entry,
			       struct rt_error *err)
{
	struct rt_journal_entry own, *entry = ret_entry;
	struct rt_history_result result;
	enum rt_status status = RT_END;

	if (!entry)
		entry = &own;
	if (history->journal && rt_journal_base(history->journal))
		status = rt_journal_next(history->journal, entry, err);
	if (status != RT_OK)
		return status;
	status = rt_plan_add(history->plan, &entry->request, entry->at, err);
	if (status != RT_OK || !history->keep_results)
		return status;
	result.updated_count = entry->updated_count;
	result.failed_count = entry->failed_count;
	memcpy(result.sha256, entry->result_sha256, sizeof(result.sha256));
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
				   "want the base export with SHA-256 %s, have one with %s", want,
				   have);
		rt_error_text(err->field, sizeof(err->field), RT_SLICE("base/sha256"));
		return RT_REJECT;
	}
	if (base->issues != issues) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a base export of %" PRIu64
				   " issue%s, have one of %" PRIu64,
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
	struct rt_journal_base base = {.issues = issues, .created_at = at};
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
	history->journal = NULL;
	history->plan = NULL;
}
