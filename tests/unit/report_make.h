/*
 * Reports for tests: a kind is given records, one JSON object each, as `report` gives them to it.
 */
#ifndef RT_TESTS_REPORT_MAKE_H
#define RT_TESTS_REPORT_MAKE_H

#include "output/kind.h"
#include "record_make.h"
#include "scan/items.h"

/* What a report is made with; the counts of facts are made from the records. */
struct report_run {
	const struct rt_report_kind *kind;
	struct rt_report_settings settings;
	struct rt_facts facts;
	char notice[256]; /* out: what the kind says at its end */
};

static inline struct report_run report_run_of(const struct rt_report_kind *kind)
{
	struct report_run run = {.kind = kind};

	run.settings.max_findings = 10000;
	run.settings.md_bytes = 65000;
	for (size_t i = 0; i < RT_LEVELS; i++)
		run.settings.sla[i] = RT_SLA_NONE;
	return run;
}

/* The notes in a record's own text. */
static inline struct rt_slice report_notes(const struct rt_record *record)
{
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, record->text);
	while (rt_items_next(&items, &item)) {
		if (rt_slice_equal(item.key, RT_SLICE("notes")))
			return item.value;
	}
	return (struct rt_slice){0};
}

static inline void report_count(struct rt_facts *facts, const struct rt_finding *finding)
{
	bool none = !rt_record_has(finding->record, RT_M_SEVERITY);

	facts->total++;
	facts->levels[finding->level]++;
	facts->no_severity += none;
	if (!finding->open)
		return;
	facts->open++;
	facts->open_levels[finding->level]++;
	facts->open_no_severity += none;
}

/* Give the kind each record; records: in the order that it wants; or, with a NULL state, count. */
static inline void report_feed(struct report_run *run, void *state, const char *const *records,
			       size_t count)
{
	struct rt_error err;

	for (size_t i = 0; i < count; i++) {
		struct made made;
		struct rt_finding finding;

		made_init(&made, RT_KIND_ISSUE, records[i]);
		finding = rt_finding_of(&made.record, report_notes(&made.record), i);
		if (state)
			ck_assert_int_eq(run->kind->issue(state, &finding, &err), RT_OK);
		else
			report_count(&run->facts, &finding);
		made_release(&made);
	}
}

/* The report of some records; the caller frees its bytes. */
static inline struct rt_buf report_bytes(struct report_run *run, const char *const *records,
					 size_t count)
{
	struct rt_buf out = {0};
	struct rt_sink sink = rt_buf_sink(&out);
	struct rt_emit emit;
	struct rt_error err;
	void *state = calloc(1, run->kind->state_bytes);

	ck_assert_ptr_nonnull(state);
	report_feed(run, NULL, records, count);
	rt_emit_init(&emit, &sink);
	ck_assert_int_eq(run->kind->begin(state, &run->settings, &run->facts, &emit, &err), RT_OK);
	report_feed(run, state, records, count);
	ck_assert_int_eq(run->kind->end(state, run->notice, sizeof(run->notice), &err), RT_OK);
	run->kind->release(state);
	free(state);
	ck_assert_int_eq(rt_emit_finish(&emit, &err), RT_OK);
	rt_emit_release(&emit);
	return out;
}

/* The same with a NUL after it. */
static inline char *report_text(struct report_run *run, const char *const *records, size_t count)
{
	struct rt_buf out = report_bytes(run, records, count);
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&out, "", 1, &err), RT_OK);
	return out.data;
}

#endif
