/*
 * Findings handed to a second thread, in order: while it works on some, the next ones are read.
 */
#ifndef RT_OPS_RELAY_H
#define RT_OPS_RELAY_H

#include "engine/finding.h"

struct rt_relay;

/*
 * take: is called for each finding, in the second thread, or, where there can be none, at once. Its
 * finding is borrowed for the call, and has no line, offset or repeated members, and of the text
 * only what is in the record. Returns RT_OK or RT_FATAL, after which it is not called any more.
 * ret_relay: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_relay_new(enum rt_status (*take)(void *ctx, const struct rt_finding *finding,
						   struct rt_error *err),
			    void *ctx, struct rt_relay **ret_relay, struct rt_error *err);

/* Hand a finding over; it is copied. Returns RT_OK; RT_FATAL with the error of an earlier one, or
 * RT_E_NOMEM. */
enum rt_status rt_relay_add(struct rt_relay *relay, const struct rt_finding *finding,
			    struct rt_error *err);

/* Wait until all have been taken. Returns as rt_relay_add(). */
enum rt_status rt_relay_finish(struct rt_relay *relay, struct rt_error *err);

/* Waits for what is under way. NULL is allowed. */
void rt_relay_free(struct rt_relay *relay);

#endif
