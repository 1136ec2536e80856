/*
 * One bulk-update request (contract 4.1, SPEC D12).
 */
#ifndef RT_ENGINE_REQUEST_H
#define RT_ENGINE_REQUEST_H

#include <stdint.h>

#include "base/buf.h"
#include "base/limits.h"

/* What a request says of a member that has no text. */
#define RT_REQUEST_KEEP (-1) /* left out, or null: stays as it is */

struct rt_request {
	struct rt_slice ids[RT_REQUEST_IDS_MAX]; /* decoded, as mentioned, repeats included */
	unsigned id_count;                       /* 1 .. RT_REQUEST_IDS_MAX */
	int severity;          /* 0 critical .. 4 info as rt_severity_level() has them, or KEEP */
	int false_positive;    /* 0, 1 or KEEP */
	int exploitable;       /* 0, 1 or KEEP */
	struct rt_slice notes; /* decoded, maybe empty; ptr NULL where left out */
};

/*
 * Append a request to out as compact JSON: the members that are given, in the contract's order,
 * ids as mentioned; strings as rt_json_string_encode() writes them.
 * Returns RT_OK, or RT_FATAL with err set (RT_E_NOMEM).
 */
enum rt_status rt_request_write(const struct rt_request *request, struct rt_buf *out,
				struct rt_error *err);

/*
 * Read a request that is in memory, by the same rules as rt_request_reader_next().
 *
 * json: one JSON value without blanks around it, in which the scanner has found no fault
 * (ops->value() of record/scan.h, or rt_json_check()): nothing of its grammar is checked again.
 * scratch: emptied, and used for strings that have escapes.
 * ret_request: set on RT_OK, scribbled on otherwise; its texts are borrowed from json and scratch.
 *
 * Returns RT_OK; RT_REJECT for the first broken rule, with code, message and field (the JSON
 * pointer in the request) but no place; RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_request_parse(struct rt_slice json, struct rt_buf *scratch,
				struct rt_request *ret_request, struct rt_error *err);

#endif
