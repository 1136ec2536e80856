/*
 * Reads partial summaries, one after the other, as streams (partial_form.h). It holds a document to
 * its form and its digest; that its counts fit together is for who merges them.
 *
 * The calls have to follow the order of the document, each as often as the head says.
 */
#ifndef RT_PARTIAL_PARTIAL_READ_H
#define RT_PARTIAL_PARTIAL_READ_H

#include "engine/counts.h"
#include "partial/partial_form.h"
#include "scan/record.h"

struct rt_partial_reader;

/* The first line: how much there is of everything. */
struct rt_partial_head {
	struct rt_slice options; /* as they stand there: equal ones are the same bytes */
	unsigned recent;         /* of them: how many recent issues there may be */
	uint64_t inputs, notes, issues, rulesets, false_positives, no_severity, severities,
	    categories, recent_issues;
};

/*
 * options: paths are the partial summaries; borrowed until rt_partial_reader_free().
 * ret_reader: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_partial_reader_new(const struct rt_options *options,
				     struct rt_partial_reader **ret_reader, struct rt_error *err);

/*
 * Go to the next document and read its head. ret_head: texts are borrowed until the next call.
 * Returns RT_OK; RT_END after the last document; RT_FATAL with err set, path included: so do all
 * that follow.
 */
enum rt_status rt_partial_reader_next(struct rt_partial_reader *reader,
				      struct rt_partial_head *ret_head, struct rt_error *err);

/* A line each; texts are decoded and borrowed until the next call. Return RT_OK or RT_FATAL. */
enum rt_status rt_partial_reader_input(struct rt_partial_reader *reader, struct rt_slice *ret_path,
				       struct rt_slice *ret_member, struct rt_error *err);
enum rt_status rt_partial_reader_note(struct rt_partial_reader *reader, struct rt_slice *ret_note,
				      struct rt_error *err);
enum rt_status rt_partial_reader_value(struct rt_partial_reader *reader, struct rt_count *ret_count,
				       struct rt_error *err);
/* A checked record of an issue. */
enum rt_status rt_partial_reader_issue(struct rt_partial_reader *reader,
				       const struct rt_record **ret_issue, struct rt_error *err);

/* The next id; its digest is greater than that of the one before. Returns RT_OK or RT_FATAL. */
enum rt_status rt_partial_reader_id(struct rt_partial_reader *reader, struct rt_partial_id *ret_id,
				    struct rt_error *err);

/* The end: the digest holds, and nothing follows. Returns RT_OK or RT_FATAL. */
enum rt_status rt_partial_reader_end(struct rt_partial_reader *reader, struct rt_error *err);

/* The path of the document at hand. Borrowed until the next rt_partial_reader_next(). */
const char *rt_partial_reader_name(const struct rt_partial_reader *reader);

/*
 * Set err to say that the document is at fault, in the line read last where it is one. field: a
 * member's name, or "". Returns RT_FATAL.
 */
enum rt_status rt_partial_reader_refuse(const struct rt_partial_reader *reader, const char *field,
					struct rt_error *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* NULL is allowed. */
void rt_partial_reader_free(struct rt_partial_reader *reader);

#endif
