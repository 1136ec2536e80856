/*
 * Sorts ids by their digests in bounded memory: those of a partial summary, and those of all that
 * are merged. What does not fit goes to temporary files without a name, in sorted runs.
 */
#ifndef RT_PARTIAL_ID_SORT_H
#define RT_PARTIAL_ID_SORT_H

#include "partial/partial_form.h"

struct rt_id_sort;

/*
 * run: ids that are held in memory, 0 for the usual number (tests set others). ret_sort: on RT_OK
 * owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_id_sort_new(size_t run, struct rt_id_sort **ret_sort, struct rt_error *err);

/* Add an id. Not after rt_id_sort_end(). Returns RT_OK or RT_FATAL (RT_E_NOMEM, RT_E_IO). */
enum rt_status rt_id_sort_add(struct rt_id_sort *sort, const struct rt_partial_id *id,
			      struct rt_error *err);

/* All ids have been added. Returns as rt_id_sort_add(). */
enum rt_status rt_id_sort_end(struct rt_id_sort *sort, struct rt_error *err);

/*
 * The next id in ascending order: by digest, then by input, line and column. After
 * rt_id_sort_end(). Returns RT_OK; RT_END after the last; RT_FATAL (RT_E_IO).
 */
enum rt_status rt_id_sort_next(struct rt_id_sort *sort, struct rt_partial_id *ret_id,
			       struct rt_error *err);

/* Negative, 0 or positive as a stands before b in the data set: by input, line and column. */
int rt_id_place_compare(const struct rt_partial_id *a, const struct rt_partial_id *b);

/* NULL is allowed. */
void rt_id_sort_free(struct rt_id_sort *sort);

#endif
