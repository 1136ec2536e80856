/*
 * What the files of one result share: its members as they stand in the log, what its run says of
 * it, and memory that is used again from result to result.
 */
#ifndef RT_SARIF_MAKER_H
#define RT_SARIF_MAKER_H

#include "sarif/region.h"
#include "sarif/result.h"
#include "sarif/severity.h"
#include "sarif/weakness.h"

struct rt_sarif_maker {
	/* Of the log: set by rt_sarif_result_read(). Absent: not there. */
	struct rt_slice values[RT_SARIF_R_COUNT];
	struct rt_slice properties[RT_SARIF_PROPERTY_COUNT];
	struct rt_slice own[RT_ISSUE_MEMBERS]; /* properties.retriage; null is a value there */
	struct rt_slice own_notes;
	bool has_own; /* there is such an object */
	enum rt_sarif_result_kind kind;
	struct rt_sarif_region region;
	struct rt_slice first_seen; /* string: provenance.firstDetectionTimeUtc */
	int64_t invocation;         /* provenance.invocationIndex; -1: none */

	/* With the tables of the run: set by rt_sarif_result_identify(). */
	struct rt_sarif_rule_found found;
	struct rt_sarif_message message;
	struct rt_sarif_notes message_notes; /* what making it counted */
	struct rt_slice file; /* object: the artifactLocation of the path; absent: none */
	bool has_path;
	struct rt_buf path; /* decoded */
	struct rt_sarif_identity identity;
	bool whole_read, partial_read; /* all of fingerprints, of partialFingerprints */

	/* Memory. */
	struct rt_member_index names;
	struct rt_sha256 *hash;
	struct rt_buf rule_room, room, preimage, entries;
	struct rt_sarif_message fix; /* fixes[0].description */
	struct rt_sarif_weaknesses weaknesses;
};

/* Of identity.c: identity of a result whose rule, message and path are known. Returns RT_OK;
 * RT_REJECT or RT_FATAL with fault set. */
enum rt_status rt_sarif_identify(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				 struct rt_sarif_fault *fault);

/* Of identity.c: check both objects of fingerprints. identified: not one that rt_sarif_identify()
 * has just read. Returns as before. */
enum rt_status rt_sarif_fingerprints_check(struct rt_sarif_maker *maker, bool identified,
					   struct rt_sarif_fault *fault);

#endif
