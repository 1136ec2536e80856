/*
 * Bulk-update requests for issues that were picked: what each asks for, and the ids, as many to a
 * request as it may have (contract 4.1, WORKFLOW W19 and W20).
 */
#ifndef RT_ENGINE_SELECTION_H
#define RT_ENGINE_SELECTION_H

#include "engine/plan.h"
#include "engine/request.h"
#include "scan/record.h"

struct rt_selection {
	bool asks;             /* something is to be set or added */
	struct rt_step step;   /* what an update by it does */
	struct rt_buf note;    /* the note's text */
	struct rt_buf members; /* the members but the ids, as JSON from the first comma on */
	struct rt_buf ids;     /* of the request at hand: JSON strings with commas between them */
	unsigned id_count;
	uint64_t bytes_max; /* of a request */
	uint64_t requests;  /* that were written */
};

/*
 * Check what requests ask for by the rules of a request (SPEC D12).
 * set: MEMBER=VALUE of severity, false_positive and exploitable. note: NULL: none.
 * limits: request_bytes is used. Returns RT_OK, or RT_FATAL (RT_E_USAGE, RT_E_NOMEM); release it in
 * both cases.
 */
enum rt_status rt_selection_init(struct rt_selection *selection, const char *const *set,
				 size_t set_count, const char *note, const struct rt_limits *limits,
				 struct rt_error *err);

/* Whether such a request changes an issue, which is in its present state (SPEC D13). */
bool rt_selection_changes(const struct rt_selection *selection, const struct rt_record *issue);

/*
 * Add an issue. out: gets a request, and a newline, where one is full.
 * Returns RT_OK; RT_FATAL: RT_E_LIMIT where a request for this issue alone is too long, RT_E_NOMEM.
 */
enum rt_status rt_selection_add(struct rt_selection *selection, const struct rt_record *issue,
				struct rt_buf *out, struct rt_error *err);

/* All have been added: out gets the last request, if there is one. Returns RT_OK or RT_FATAL. */
enum rt_status rt_selection_end(struct rt_selection *selection, struct rt_buf *out,
				struct rt_error *err);

void rt_selection_release(struct rt_selection *selection);

#endif
