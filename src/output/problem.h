/*
 * Problem documents (RFC 9457, SPEC D21).
 */
#ifndef RT_OUTPUT_PROBLEM_H
#define RT_OUTPUT_PROBLEM_H

#include "engine/request.h"

/*
 * Append a problem document and a newline to out.
 *
 * title: of the HTTP status. detail: UTF-8. With status 422 there are errors: the one in fault,
 * whose field is the JSON pointer and whose record and message are the detail, and those that walk
 * goes on to, if it is not NULL.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_problem_write(unsigned status, const char *title, const char *detail,
				const struct rt_error *fault, struct rt_request_walk *walk,
				struct rt_buf *out, struct rt_error *err);

#endif
