/*
 * The records of an export, found again by id without reading the export again. Kept in memory is
 * a place for each record, 16 bytes, and for each issue 21 to 43 more to find it by its id; the
 * texts are in memory, many of them in a temporary file.
 */
#ifndef RT_STATE_STORE_H
#define RT_STATE_STORE_H

#include "base/siphash.h"
#include "engine/dataset.h"

struct rt_store;

#define RT_STORE_NONE UINT32_MAX

/* ret_store: on RT_OK an empty store, owned by the caller. Returns RT_OK or RT_FATAL. */
enum rt_status rt_store_new(struct rt_store **ret_store, struct rt_error *err);

/* Take in a record. Returns RT_OK or RT_FATAL. */
enum rt_status rt_store_add(struct rt_store *store, const struct rt_record *record,
			    struct rt_error *err);

/* What the owner notes of the issue with a number; 0 at first. */
uint32_t *rt_store_mark(struct rt_store *store, uint32_t number);

/* Numbers of issues and of rulesets. */
uint32_t rt_store_issues(const struct rt_store *store);
uint32_t rt_store_rulesets(const struct rt_store *store);

/*
 * Read the issue with an id. *ret_number: its number, from 0 in the order of the export, or
 * RT_STORE_NONE where no issue has it, and then *ret_record is of no use.
 * ret_record: borrowed until the next record is read.
 * Returns RT_OK or RT_FATAL (RT_E_IO, RT_E_NOMEM).
 */
enum rt_status rt_store_find(struct rt_store *store, struct rt_slice id, uint32_t *ret_number,
			     const struct rt_record **ret_record, struct rt_error *err);

/* Read the ruleset with a number, below rt_store_rulesets(), in the order of the export. */
enum rt_status rt_store_ruleset(struct rt_store *store, uint32_t number,
				const struct rt_record **ret_record, struct rt_error *err);

/* NULL is allowed. */
void rt_store_free(struct rt_store *store);

#endif
