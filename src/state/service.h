/*
 * A served state: an export and its journal, read once and held so that the three operations of the
 * contract are answered without reading the export again (SPEC D19, D21).
 *
 * Held are an index of the issues' places in the export (at most 72 bytes an issue in all), what
 * updates have changed, the counts, and the recent issues; not the export. Answers are byte for
 * byte those that rt_summary(), rt_rulesets() and rt_apply() write in compact JSON.
 *
 * One thread at a time may be in these functions.
 */
#ifndef RT_STATE_SERVICE_H
#define RT_STATE_SERVICE_H

#include "engine/request.h"

struct rt_service;

/*
 * Read the export and its journal, check both, and keep the journal locked and open for appending.
 *
 * options: one path, not "-" unless input_fd can be read again; journal is needed; borrowed until
 * rt_service_free(). An export that is not one plain JSON file is kept as JSON text in a temporary
 * file without a name.
 * at: the time that a journal to be begun gets, RT_INSTANT_CHARS; its first line is written with
 * the first update.
 * ret_service: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL with err set.
 */
enum rt_status rt_service_open(const struct rt_options *options, struct rt_slice at,
			       struct rt_service **ret_service, struct rt_error *err);

/*
 * Execute an update: append it to the journal, flush that, and only then change the state in
 * memory. The export has to be as it was read.
 *
 * request: checked. actor: ptr NULL for nobody. at: RT_INSTANT_CHARS. room: bytes that the result
 * may have, its newline included.
 * out: the result document with its newline is appended.
 * Returns RT_OK; RT_REJECT with err set (record, field, message) where the record of an issue
 * cannot take the note, and nothing has changed; RT_FATAL with err set: nothing has changed where
 * err->code is RT_E_NOMEM, or RT_E_LIMIT (there was no room), and the service is not to be used any
 * more otherwise: the export could not be read or has changed, or the journal not be written.
 */
enum rt_status rt_service_update(struct rt_service *service, const struct rt_request *request,
				 struct rt_slice actor, struct rt_slice at, uint64_t room,
				 struct rt_buf *out, struct rt_error *err);

/*
 * Look whether the export on disk is as it was read: the same files with the same sizes, times of
 * change and inodes. Before an answer from it; at the files of a folder once a second at most.
 * Returns RT_OK; RT_FATAL with err set: rt_service_has_changed(), or it could not be looked at.
 */
enum rt_status rt_service_look(struct rt_service *service, struct rt_error *err);

/*
 * Whether err, of a failed call, is that the export is no longer as it was read: the service is
 * not to be used any more.
 */
bool rt_service_has_changed(const struct rt_error *err);

/* Append the issues summary as it is now, with its newline, to out. RT_OK or RT_FATAL. */
enum rt_status rt_service_summary(struct rt_service *service, struct rt_buf *out,
				  struct rt_error *err);

/*
 * Append the rulesets, with the newline, to out. repo_id: UTF-8, or ptr NULL for all.
 * Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_service_rulesets(struct rt_service *service, struct rt_slice repo_id,
				   struct rt_buf *out, struct rt_error *err);

/* Issues and entries, for the line that says the service is ready. */
uint64_t rt_service_issues(const struct rt_service *service);
uint64_t rt_service_entries(const struct rt_service *service);

/* Releases the journal's lock. NULL is allowed. */
void rt_service_free(struct rt_service *service);

#endif
