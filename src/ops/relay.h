/*
 * Findings and writes handed to a second thread, in order: while it works on some, the next ones
 * are read and made.
 */
#ifndef RT_OPS_RELAY_H
#define RT_OPS_RELAY_H

#include "engine/finding.h"

struct rt_relay;

/* What a relay calls; ctx is borrowed as long as it is there. */
struct rt_relay_ends {
	/*
	 * Is called for each finding, in the second thread, or, where there can be none, at once.
	 * Its finding is borrowed for the call, and has only the members of the set and the id; no
	 * text, line, offset or repeated members. Returns RT_OK or RT_FATAL, after which it is not
	 * called any more.
	 */
	enum rt_status (*take)(void *ctx, const struct rt_finding *finding, uint64_t members,
			       struct rt_error *err);
	/* Is called in the caller's thread from time to time, while the second one does nothing:
	 * what has come of the findings taken so far may be looked at. */
	void (*pause)(void *ctx);
	void *ctx;
};

/* ends: copied. ret_relay: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_relay_new(const struct rt_relay_ends *ends, struct rt_relay **ret_relay,
			    struct rt_error *err);

/*
 * Hand a finding over: a copy of it, with the members of a set, of which bit m is member m, and its
 * notes. Returns RT_OK; RT_FATAL with the error of an earlier one, or RT_E_NOMEM.
 */
enum rt_status rt_relay_add(struct rt_relay *relay, const struct rt_finding *finding,
			    uint64_t members, struct rt_error *err);

/*
 * A sink whose bytes the second thread writes to another one, in the order of all that is handed
 * over; it fails as rt_relay_add() does. to: is the relay's until rt_relay_finish(), and is to be
 * written directly from then on.
 */
struct rt_relay_sink {
	struct rt_relay *relay;
	struct rt_sink to;
};

struct rt_sink rt_relay_sink(struct rt_relay_sink *sink);

/* Wait until all has been taken and written. Returns as rt_relay_add(). */
enum rt_status rt_relay_finish(struct rt_relay *relay, struct rt_error *err);

/* Waits for what is under way. NULL is allowed. */
void rt_relay_free(struct rt_relay *relay);

#endif
