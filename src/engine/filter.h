/*
 * Which issues are meant: the expressions of --where, --not and --or (WORKFLOW section 4).
 */
#ifndef RT_ENGINE_FILTER_H
#define RT_ENGINE_FILTER_H

#include "engine/field.h"

struct rt_filter;

/*
 * terms: in the order of the command line; texts are copied. source: what fields are made from,
 * borrowed but for itself; its present is also that of "-30d". ret_filter: on RT_OK owned by the
 * caller; without terms it picks everything. Returns RT_OK; RT_FATAL: RT_E_USAGE where an
 * expression is none, RT_E_NOMEM.
 */
enum rt_status rt_filter_new(const struct rt_term *terms, size_t count,
			     const struct rt_field_source *source, struct rt_filter **ret_filter,
			     struct rt_error *err);

/* The present, as it was given. */
int64_t rt_filter_at(const struct rt_filter *filter);

/* Whether it looks at notes, which then must be in the finding. */
bool rt_filter_wants_notes(const struct rt_filter *filter);

/* Whether it asks what became of an issue since an earlier scan. */
bool rt_filter_wants_class(const struct rt_filter *filter);

/* What a baseline alone has is none of the issues that are read, but for `diff`: refuse to be asked
 * for it. Returns RT_OK or RT_FATAL (RT_E_USAGE). */
enum rt_status rt_filter_refuse_gone(const struct rt_filter *filter, struct rt_error *err);

/*
 * In a gate, what a range of severity or age cannot place, because the issue's is not known, it
 * never leaves out, neither with --where nor with --not: so that no gate passes by what it does not
 * know. Before the first pick.
 */
void rt_filter_for_gate(struct rt_filter *filter);

/* How many issues had such an unknown severity, or age, or nothing to say of a baseline: that were
 * picked all the same in a gate, and not picked elsewhere. */
struct rt_filter_unknown {
	uint64_t severity, age, class;
};

struct rt_filter_unknown rt_filter_unknown(const struct rt_filter *filter);

/* Everything has been picked: is each severity that is no level one that some issue has? issues:
 * how many there are; of none nothing is known. Returns RT_OK or RT_FATAL (RT_E_USAGE). */
enum rt_status rt_filter_check(const struct rt_filter *filter, uint64_t issues,
			       struct rt_error *err);

/* After that: tell options->notice of texts that are no id, and too short to be the beginning of
 * one.
 */
void rt_filter_tell_short(const struct rt_filter *filter, const struct rt_options *options);

/* Add what another filter of the same terms has seen. */
void rt_filter_merge(struct rt_filter *filter, const struct rt_filter *from);

/* Tell options->notice of values that may be slips, such as weaknesses without a number. They are
 * compared as texts, for an export may have just these. */
void rt_filter_tell(const struct rt_filter *filter, const struct rt_options *options);

/*
 * Whether an issue is picked. Returns RT_OK; RT_FATAL: RT_E_LIMIT, with the record and field in
 * err, where a regular expression took too many steps; RT_E_NOMEM.
 */
enum rt_status rt_filter_pick(struct rt_filter *filter, const struct rt_finding *finding,
			      bool *ret_picked, struct rt_error *err);

/* The filter in the words of the command line, "--where 'severity=high..' --not ..."; empty where
 * it picks everything. Borrowed from the filter. */
struct rt_slice rt_filter_text(const struct rt_filter *filter);

/* Append a text as one word of a POSIX shell, in quotes where it needs them. Returns RT_OK or
 * RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_quote_word(struct rt_buf *out, struct rt_slice text, struct rt_error *err);

/* NULL is allowed. */
void rt_filter_free(struct rt_filter *filter);

#endif
