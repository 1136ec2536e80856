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
#include "scan/tree.h"

/* What a request says of a member that has no text. */
#define RT_REQUEST_KEEP (-1) /* left out, or null: stays as it is */

/* Texts are borrowed. */
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

/* What a member of a request has to be, as struct rt_text_hints has it. */
enum rt_text_want rt_request_want(struct rt_slice list, struct rt_slice name);

/*
 * The rules of a request (contract 4.1, SPEC D12): one walk over its tree that checks it, fills in
 * a struct rt_request, and stops at every fault.
 */
struct rt_request_walk {
	struct rt_request request; /* its texts are the tree's */
	struct rt_tree tree;
	void *member;       /* the next one, an iterator of jansson's; NULL: none */
	struct json_t *ids; /* the array that the walk is in */
	bool ended;
};

/*
 * Start over a request. walk: {0}, or one that was used before; rt_tree_release() of its tree in
 * any case. text: one JSON value that the scanner has found no fault in, without blanks around it
 * (ops->value() of scan/scan.h, or rt_json_check()); not borrowed.
 *
 * Returns RT_OK; RT_REJECT as rt_tree_read(): then there is no more to tell of it; RT_FATAL.
 */
enum rt_status rt_request_walk_start(struct rt_request_walk *walk, struct rt_slice text,
				     struct rt_error *err);

/*
 * Walk on to the next fault.
 *
 * Returns RT_REJECT with err set (code, message, and field: the JSON pointer, RFC 6901, empty for
 * the request itself; no place): call again for the next fault. RT_END after the last: where there
 * was none, walk->request is one.
 */
enum rt_status rt_request_walk_next(struct rt_request_walk *walk, struct rt_error *err);

/* Both for who wants the first fault alone. Returns RT_OK: walk->request is one; or as above. */
enum rt_status rt_request_parse(struct rt_request_walk *walk, struct rt_slice text,
				struct rt_error *err);

#endif
