/*
 * The target of a request (RFC 9112 §3.2) and its query.
 */
#ifndef RT_HTTP_TARGET_H
#define RT_HTTP_TARGET_H

#include "base/slice.h"

struct rt_target {
	struct rt_slice authority; /* of the absolute form, as it stands; ptr NULL otherwise */
	struct rt_slice path;      /* as it stands, or "*" */
	struct rt_slice query;     /* after the '?', as it stands; ptr NULL: none */
};

/*
 * Take a target apart: the origin form, the absolute form of http, or "*". Only characters of
 * RFC 3986 are let through, and every '%' has two hex digits after it.
 *
 * text: borrowed by ret_target. Returns false, with ret_target untouched, where it is none of
 * these.
 */
bool rt_target_parse(struct rt_slice text, struct rt_target *ret_target);

/*
 * Whether a target's path is this one. Percent-encoded unreserved characters are equal to
 * themselves (RFC 3986 §6.2.2.2); %2F is not a slash; nothing else is normalised.
 */
bool rt_target_path_is(struct rt_slice path, const char *wanted);

enum rt_parameter {
	RT_PARAMETER_ABSENT = 0,
	RT_PARAMETER_FOUND,
	RT_PARAMETER_REPEATED,
	RT_PARAMETER_BAD, /* its value is not UTF-8 or holds a NUL */
};

/*
 * Find a parameter in a query of name=value pairs with '&' between them. Names and values are
 * percent-decoded, '+' is a space (as forms and most clients write it). Without '=' the value is
 * empty.
 *
 * query: as rt_target_parse() gives it. out: room for query.len bytes, receives the value.
 * ret_value: set where it was found; borrows out.
 */
enum rt_parameter rt_target_parameter(struct rt_slice query, const char *name, char *out,
				      struct rt_slice *ret_value);

#endif
