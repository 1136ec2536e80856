/*
 * What hangs on a result besides its place: fixes and suppressions (SARIF.md S33, S36).
 */
#ifndef RT_SARIF_PARTS_H
#define RT_SARIF_PARTS_H

#include "base/sha256.h"
#include "base/uuid.h"
#include "sarif/run.h"

/* The first of a result's fixes. JSON text of the log; absent: not there. */
struct rt_sarif_fix {
	struct rt_slice description; /* object: a message, which says: */
	struct rt_slice said[RT_SARIF_MESSAGE_MEMBERS];
	struct rt_slice code; /* string: text of the only replacement, static where it is a
			       * deletion; absent too where there are several, or of bytes */
};

/* Read fixes: an array, absent for none. */
struct rt_sarif_fix rt_sarif_fix_read(struct rt_slice fixes, struct rt_sarif_fault *fault);

/* A suppression. Absent: not there. */
struct rt_sarif_suppression {
	struct rt_slice kind;          /* in words */
	struct rt_slice status;        /* "accepted", "underReview" or "rejected" */
	struct rt_slice justification; /* between its quotes */
	struct rt_slice guid;          /* JSON of any type */
	/* JSON of any type, of properties that Sarif.Multitool or Snyk adds: when, until when. */
	struct rt_slice time, expiry;
	struct rt_slice author; /* between its quotes: who */
	const char *reason;     /* the word of its category as notes have it; NULL: none */
};

/* Read an entry of suppressions. */
struct rt_sarif_suppression rt_sarif_suppression_read(struct rt_slice entry,
						      struct rt_sarif_fault *fault);

/* The guid of the suppression that a decision about an issue is written as (S42): a JSON string
 * without a NUL. */
#define RT_SARIF_GUID_CHARS (RT_UUID_CHARS + 2)
void rt_sarif_guid_of(struct rt_slice id, char guid[RT_SARIF_GUID_CHARS]);

/* Whether a value, maybe absent, is that guid, or the one that versions to 0.2 wrote. */
bool rt_sarif_guid_is(struct rt_slice value, const char guid[RT_SARIF_GUID_CHARS]);

/* What suppressions come to: without any, or with one under review, a result is open. */
enum rt_sarif_suppressed { RT_SARIF_UNSUPPRESSED, RT_SARIF_SUPPRESSED, RT_SARIF_REJECTED };

/* Read suppressions, an array, absent for none. */
enum rt_sarif_suppressed rt_sarif_suppressions_read(struct rt_slice suppressions,
						    struct rt_sarif_fault *fault);

#endif
