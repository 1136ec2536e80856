/*
 * Runs of SARIF logs out of JSON text, for the suites about them.
 */
#ifndef RT_TESTS_SARIF_RUN_MAKE_H
#define RT_TESTS_SARIF_RUN_MAKE_H

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "sarif/run.h"
#include "unit.h"

static inline struct rt_slice slice(const char *text)
{
	return rt_slice_make(text, text ? strlen(text) : 0);
}

/*
 * Take the members of a run, in their order, and end it. fault: of the first that is refused;
 * *ret_at: the bytes from the start of the text to what it is about, -1: it does not say.
 */
static inline enum rt_status run_try(struct rt_sarif_run *run, struct rt_slice text,
				     struct rt_sarif_notes *notes, struct rt_sarif_fault *fault,
				     long *ret_at)
{
	enum rt_status status = RT_OK;
	struct rt_items items;
	struct rt_item item;

	memset(notes, 0, sizeof(*notes));
	rt_items_init(&items, text);
	while (status == RT_OK && rt_items_next(&items, &item)) {
		enum rt_sarif_table table = rt_sarif_run_table(item.key);
		/* A block of its own that is gone afterwards. */
		char *block = malloc(item.value.len);

		ck_assert_ptr_nonnull(block);
		memcpy(block, item.value.ptr, item.value.len);
		if (table != RT_SARIF_TABLE_COUNT)
			status = rt_sarif_run_take(run, table, rt_slice_make(block, item.value.len),
						   notes, fault);
		if (status != RT_OK)
			*ret_at = fault->at ? item.value.ptr - text.ptr + (fault->at - block) : -1;
		free(block);
	}
	if (status == RT_OK) {
		enum rt_sarif_table table;

		status = rt_sarif_run_end(run, &table, fault);
		*ret_at = -1;
	}
	return status;
}

/* The same for a run that is good. To be released. */
static inline struct rt_sarif_run run_make(const char *text)
{
	struct rt_sarif_notes notes;
	struct rt_sarif_fault fault;
	struct rt_sarif_run run;
	long at;

	ck_assert_int_eq(rt_sarif_run_init(&run, 0, &fault.err), RT_OK);
	ck_assert_msg(run_try(&run, slice(text), &notes, &fault, &at) == RT_OK, "%.200s: %s", text,
		      fault.err.message);
	return run;
}

/* The value of a member of an object; absent: it is not there. */
static inline struct rt_slice member_of(struct rt_slice object, const char *name)
{
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, object);
	while (object.ptr && rt_items_next(&items, &item)) {
		if (rt_items_key_is(item.key, slice(name)))
			return item.value;
	}
	return rt_slice_make(NULL, 0);
}

#define expect_slice(have, want, what)                                                             \
	do {                                                                                       \
		struct rt_slice have_ = (have);                                                    \
		const char *want_ = (want);                                                        \
                                                                                                   \
		ck_assert_msg((have_.ptr != NULL) == (want_ != NULL) &&                            \
				  rt_slice_equal(have_, slice(want_)),                             \
			      "%s: want %s, have %.*s", what, want_ ? want_ : "(none)",            \
			      have_.ptr ? (int)have_.len : 6, have_.ptr ? have_.ptr : "(none)");   \
	} while (0)

#endif
