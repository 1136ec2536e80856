/*
 * The newest issues of a data set (SPEC D10).
 */
#ifndef RT_ENGINE_RECENT_H
#define RT_ENGINE_RECENT_H

#include "base/instant.h"
#include "scan/record.h"

/* The documented members of one issue, kept. */
struct rt_issue {
	bool dated;                               /* instant holds; else it sorts last */
	bool expired;                             /* its dismissal has */
	struct rt_instant instant;                /* of created_at */
	struct rt_slice id;                       /* decoded */
	struct rt_slice values[RT_ISSUE_MEMBERS]; /* JSON texts; ptr NULL where missing */
	size_t room; /* bytes allocated after this struct, which hold all texts */
};

struct rt_recent {
	struct rt_issue **issues; /* in the order of the answer */
	size_t count, max;
	uint64_t bytes, bytes_max; /* taken by kept issues; their limit */
};

/*
 * max: how many to keep. bytes_max: what they may take; more is RT_E_LIMIT (limit "recent").
 * Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_recent_init(struct rt_recent *recent, size_t max, uint64_t bytes_max,
			      struct rt_error *err);

/* Take notice of an issue; it is copied if it is among the newest so far. */
enum rt_status rt_recent_add(struct rt_recent *recent, const struct rt_record *record, bool expired,
			     struct rt_error *err);

/* Take over those of another list that are among the newest of both; the other one is empty then.
 * No id is in both. */
void rt_recent_merge(struct rt_recent *recent, struct rt_recent *from);

void rt_recent_release(struct rt_recent *recent);

#endif
