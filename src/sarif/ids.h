/*
 * The identities of a log's issues, in the order of the log, and which of equal ones each is
 * (SARIF.md S18, S19).
 */
#ifndef RT_SARIF_IDS_H
#define RT_SARIF_IDS_H

#include "sarif/result.h"

/* {0} is an empty list. */
struct rt_sarif_ids {
	struct rt_sarif_identity *list; /* in room */
	size_t count;
	struct rt_buf room;
};

/* Add an issue. Returns RT_OK or RT_FATAL (RT_E_NOMEM, RT_E_LIMIT). */
enum rt_status rt_sarif_ids_add(struct rt_sarif_ids *ids, const struct rt_sarif_identity *identity,
				struct rt_error *err);

/*
 * Number equal ones, but for ids of their own: sorted by run, place and message. Those, and ids
 * that the log gives, are counted in the notes of their runs. runs: those of the log. Takes 16
 * bytes more an issue for the time of the call. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
struct log_run;
enum rt_status rt_sarif_ids_number(struct rt_sarif_ids *ids, struct log_run *const *runs,
				   struct rt_error *err);

/* Whether an issue is still the one that was added. */
bool rt_sarif_ids_same(const struct rt_sarif_identity *id,
		       const struct rt_sarif_identity *identity);

#endif
