/*
 * Results that tables are still to tell more of, in the form in which they are put away until all
 * tables of their run are there: the members that are read, cut out of what nobody reads.
 */
#ifndef RT_SARIF_KEPT_H
#define RT_SARIF_KEPT_H

#include "sarif/cursor.h"
#include "sarif/maker.h"
#include "sarif/store.h"

/* Append the result read last by maker, which is an issue. text: it; spot: of its first byte.
 * Returns false where there is no room; what was there stays. */
bool rt_sarif_kept_put(struct rt_buf *bytes, struct rt_sarif_maker *maker, struct rt_slice text,
		       const struct rt_sarif_spot *spot);

/* The next of those that were put away, with its spot. ret_kept: borrowed until the next call.
 * Returns RT_OK; RT_END after the last; RT_FATAL with err set (RT_E_NOMEM, RT_E_IO). */
enum rt_status rt_sarif_kept_next(struct rt_sarif_store *store, struct rt_slice *ret_kept,
				  struct rt_sarif_spot *ret_spot, struct rt_error *err);

/* As rt_sarif_result_read(), of a kept issue, which is borrowed. ret_text: what places of the
 * result that its record has marks of are in. */
enum rt_status rt_sarif_kept_read(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				  struct rt_slice kept, struct rt_slice *ret_text,
				  struct rt_sarif_fault *fault);

#endif
