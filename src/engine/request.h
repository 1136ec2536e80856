/*
 * One bulk-update request (contract 4.1, SPEC D12).
 */
#ifndef RT_ENGINE_REQUEST_H
#define RT_ENGINE_REQUEST_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "formats/text.h"
#include "scan/items.h"

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
 * (ops->value() of scan/scan.h, or rt_json_check()): nothing of its grammar is checked again.
 * scratch: emptied, and used for strings that have escapes.
 * ret_request: set on RT_OK, scribbled on otherwise; its texts are borrowed from json and scratch.
 *
 * Returns RT_OK; RT_REJECT for the first broken rule, with code, message and field (the JSON
 * pointer in the request) but no place; RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_request_parse(struct rt_slice json, struct rt_buf *scratch,
				struct rt_request *ret_request, struct rt_error *err);

/* --- Every fault of a document ---------------------------------------------------------------- */

/*
 * The rules of a request (contract 4.1, SPEC D12): one walk over its text that checks it, fills in
 * a struct rt_request, and stops at every fault. Documents and journal entries are read by it.
 */

/* The members of a request in the contract's order. */
enum rt_request_member {
	RT_RQ_ISSUE_IDS,
	RT_RQ_SEVERITY,
	RT_RQ_FALSE_POSITIVE,
	RT_RQ_EXPLOITABLE,
	RT_RQ_NOTES,
	RT_REQUEST_MEMBERS, /* how many there are; and none of them */
};

/* Name of a member; member < RT_REQUEST_MEMBERS. Static storage. */
struct rt_slice rt_request_member_name(enum rt_request_member member);

/* What a member of a request has to be, as struct rt_text_hints has it. */
enum rt_text_want rt_request_want(struct rt_slice list, struct rt_slice name);

/* A walk; begun by rt_request_walk_start(). Only fault_at is for others to look at. */
struct rt_request_walk {
	const char *fault_at; /* the byte of text that the last fault is about */
	struct rt_slice text;
	struct rt_items members, ids; /* how far each list has been walked */
	unsigned element;             /* number of the next id, from 0 */
	unsigned seen;                /* a bit for each member that has been met */
	int stage;                    /* enum stage of request.c */
	struct rt_buf *scratch;
	struct rt_request *request;
};

/*
 * Start over a request.
 *
 * text: one JSON value that the scanner has checked, without blanks around it; borrowed by the
 * walk and by what it fills in. scratch: emptied; borrowed likewise.
 * request: filled in by the walk; holds a request only when the walk has ended without a fault.
 */
void rt_request_walk_start(struct rt_request_walk *walk, struct rt_slice text,
			   struct rt_buf *scratch, struct rt_request *request);

/*
 * Walk on to the next fault.
 *
 * Returns RT_REJECT with err set (code, message, and field: the JSON pointer, RFC 6901, empty for
 * the request itself) and walk->fault_at at a value, at the key of a member that must not be there,
 * or for what is missing at the first byte of text: call again for the next fault.
 * RT_END after the last; RT_FATAL.
 */
enum rt_status rt_request_walk_next(struct rt_request_walk *walk, struct rt_error *err);

#endif
