/*
 * A result and its run, as text, made into a record.
 */
#ifndef RT_TESTS_SARIF_MAKE_H
#define RT_TESTS_SARIF_MAKE_H

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "sarif/result.h"
#include "scan/scan.h"

#include "unit.h"

/* What became of a result. */
struct made {
	enum rt_status status;
	bool issue;
	struct rt_sarif_identity identity;
	struct rt_buf out; /* the record, where status is RT_OK and it is an issue */
	struct rt_sarif_notes notes;
	struct rt_sarif_fault fault;
};

static inline struct rt_slice slice_of(const char *text)
{
	return rt_slice_make(text, text ? strlen(text) : 0);
}

/* Take the members of an object as tables of a run. */
static inline void run_take(struct rt_sarif_run *run, const char *text)
{
	struct rt_sarif_notes notes = {0};
	struct rt_sarif_fault fault;
	enum rt_sarif_table table;
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, slice_of(text));
	while (rt_items_next(&items, &item)) {
		table = rt_sarif_run_table(item.key);
		ck_assert_int_ne(table, RT_SARIF_TABLE_COUNT);
		ck_assert_int_eq(rt_sarif_run_take(run, table, item.value, &notes, &fault), RT_OK);
	}
	ck_assert_int_eq(rt_sarif_run_end(run, &table, &fault), RT_OK);
}

/* The members of a record are what the scanner finds in its text. */
static inline void record_check(const struct rt_record *made)
{
	struct rt_record record = {.kind = RT_KIND_ISSUE};
	struct rt_scan *scan = rt_scan_alloc(sizeof(*scan));
	char *padded = calloc(1, made->text.len + RT_PADDING);

	ck_assert(scan && padded);
	memcpy(padded, made->text.ptr, made->text.len);
	rt_scan_init(scan, 64);
	scan->end = padded + made->text.len;
	scan->final = true;
	ck_assert_ptr_eq(rt_scan_ops()->record(scan, padded, &record), padded + made->text.len);
	ck_assert_mem_eq(made->types, record.types, sizeof(record.types));
	ck_assert(!record.others && !record.repeated);
	for (unsigned m = 0; m < RT_ISSUE_MEMBERS; m++) {
		ck_assert_int_eq(made->values[m].ptr - made->text.ptr,
				 record.values[m].ptr - padded);
		ck_assert_uint_eq(made->values[m].len, record.values[m].len);
	}
	free(padded);
	free(scan);
}

/* Write the record of the result that maker has read and identified. */
static inline enum rt_status made_write(struct rt_sarif_maker *maker,
					const struct rt_sarif_run *run, struct rt_sarif_rank rank,
					struct made *made)
{
	struct rt_record record;
	enum rt_status status = rt_sarif_result_write(maker, run, rank, &made->out, &record,
						      &made->notes, &made->fault);

	if (status == RT_OK && !maker->has_own)
		record_check(&record);
	return status;
}

/* Make the record of a result. run: an object with members of a run. To be released. */
static inline struct made made_by(struct rt_sarif_maker *maker, const char *run_text,
				  const char *text)
{
	struct made made = {0};
	struct rt_sarif_run run;

	ck_assert_int_eq(rt_sarif_run_init(&run, 0, &made.fault.err), RT_OK);
	run_take(&run, run_text);
	made.status = rt_sarif_result_read(maker, slice_of(text), false, &made.issue, &made.notes,
					   &made.fault);
	if (made.status == RT_OK && made.issue)
		made.status = rt_sarif_result_check(maker, &made.fault);
	if (made.status == RT_OK && made.issue)
		made.status = rt_sarif_result_identify(maker, &run, &made.identity, &made.fault);
	if (made.status == RT_OK && made.issue)
		made.status = made_write(maker, &run, (struct rt_sarif_rank){1, 1}, &made);
	rt_sarif_run_release(&run);
	return made;
}

static inline struct made make(const char *run_text, const char *text)
{
	struct rt_sarif_maker *maker;
	struct rt_error err;
	struct made made;

	ck_assert_int_eq(rt_sarif_maker_new(&maker, &err), RT_OK);
	made = made_by(maker, run_text, text);
	rt_sarif_maker_free(maker);
	return made;
}

/* The JSON text of a member of the record. */
static inline struct rt_slice made_member(const struct made *made, const char *name)
{
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, rt_buf_slice(&made->out));
	while (rt_items_next(&items, &item)) {
		if (rt_slice_equal(item.key, slice_of(name)))
			return item.value;
	}
	ck_abort_msg("no member %s", name);
}

/* The result is an issue whose member is that JSON text. */
static inline void made_is(const char *run_text, const char *text, const char *name,
			   const char *want)
{
	struct made made = make(run_text, text);
	struct rt_slice value;

	ck_assert_msg(made.status == RT_OK, "%s: %s: %s", text, made.fault.err.field,
		      made.fault.err.message);
	ck_assert(made.issue);
	value = made_member(&made, name);
	ck_assert_msg(rt_slice_equal(value, slice_of(want)), "%s: %s: want %s, have %.*s", text,
		      name, want, (int)value.len, value.ptr);
	rt_buf_release(&made.out);
}

#endif
