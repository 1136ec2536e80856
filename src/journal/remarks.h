/*
 * Remarks on a journal: what is no fault and an auditor wants to know. Entries whose request is
 * equal to an earlier one, whose time is before that of the entry before or in the future, and a
 * last line that is not whole (SPEC 3).
 */
#ifndef RT_JOURNAL_REMARKS_H
#define RT_JOURNAL_REMARKS_H

#include "base/instant.h"
#include "engine/plan.h"

enum rt_remark_kind {
	RT_REMARK_EQUAL,   /* the request is that of entry `other` */
	RT_REMARK_BACK,    /* its time is before that of entry `other` */
	RT_REMARK_FUTURE,  /* its time is still to come */
	RT_REMARK_TORN,    /* the file ends with the beginning of this entry */
	RT_REMARK_UNENDED, /* its line, the last one, has no line end */
};

struct rt_remark {
	enum rt_remark_kind kind;
	uint64_t entry; /* 0: line 1 */
	uint64_t other; /* an earlier entry; of RT_REMARK_TORN the bytes that are there */
	char at[RT_INSTANT_CHARS], other_at[RT_INSTANT_CHARS];
};

/* {0} is an empty list. */
struct rt_remarks {
	struct rt_buf listed; /* of struct rt_remark, at most RT_REMARKS_LISTED_MAX */
	uint64_t count;       /* all of them */
};

/* Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_remarks_add(struct rt_remarks *remarks, const struct rt_remark *remark,
			      struct rt_error *err);

/*
 * Add remarks on the updates of a journal, entry by entry.
 *
 * plan: its update n is entry n + 1. first: the first update to remark on; those before it are only
 * compared with. now: RT_INSTANT_CHARS, or ptr NULL where the future is not to be looked at.
 * Requests are equal when they have the same distinct ids in order of first mention, and the same
 * other members. Memory grows by 20 to 40 bytes an update while it runs.
 * Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_remarks_on_plan(struct rt_remarks *remarks, const struct rt_plan *plan,
				  uint32_t first, struct rt_slice now, struct rt_error *err);

/* Say a remark for people, without the entry's number; cut to cap bytes. */
void rt_remark_text(const struct rt_remark *remark, char *text, size_t cap);

/* Tell people the first remarks, and how many more there are. path: the journal's. */
void rt_remarks_tell(const struct rt_remarks *remarks, const char *path,
		     void (*on_notice)(void *ctx, const char *text), void *notice_ctx);

void rt_remarks_release(struct rt_remarks *remarks);

#endif
