/*
 * Answers: problem documents (RFC 9457, SPEC D21) and JSON bodies.
 */
#ifndef RT_HTTP_PROBLEM_H
#define RT_HTTP_PROBLEM_H

#include "http/mhd.h"

#include "base/buf.h"
#include "base/error.h"

/*
 * Make an answer with a JSON body. body: moves into the answer on success, and is empty then.
 * Returns NULL where memory ran out. Freed by MHD_destroy_response().
 */
struct MHD_Response *rt_answer_json(struct rt_buf *body);

/* Likewise; text: of static storage. */
struct MHD_Response *rt_answer_json_static(const char *text, size_t len);

/*
 * Make a problem document. detail: our own words, or a message of rt_error_format().
 * errors: the elements of the member "errors" with commas between them; ptr NULL: no such member.
 * ret_bytes: of the body. Returns as above.
 */
struct MHD_Response *rt_answer_problem(unsigned status, const char *detail, struct rt_slice errors,
				       uint64_t *ret_bytes);

/* Make an answer without a body. */
struct MHD_Response *rt_answer_empty(void);

/*
 * Append {"pointer","detail"} of a fault to the elements in out. fault: its field is the JSON
 * pointer, its record and message the detail. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_problem_fault(const struct rt_error *fault, struct rt_buf *out,
				struct rt_error *err);

#endif
