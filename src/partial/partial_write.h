/*
 * Writes a partial summary: told each record while a data set is read, and at the end what was
 * counted. The same records from the same names give the same bytes.
 */
#ifndef RT_PARTIAL_PARTIAL_WRITE_H
#define RT_PARTIAL_PARTIAL_WRITE_H

#include "engine/summary.h"
#include "record/view.h"

struct rt_partial_writer;

/*
 * options: what decides which records count is copied. recent: how many recent issues.
 * ret_writer: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_partial_writer_new(const struct rt_options *options, unsigned recent,
				     struct rt_partial_writer **ret_writer, struct rt_error *err);

/* Take in the id of a record and its place. Returns RT_OK or RT_FATAL (RT_E_NOMEM, RT_E_IO). */
enum rt_status rt_partial_writer_add(struct rt_partial_writer *writer,
				     const struct rt_record *record, const struct rt_origin *origin,
				     struct rt_error *err);

/* Take in a note that was told. text: NUL-terminated. An error shows at the end. */
void rt_partial_writer_note(struct rt_partial_writer *writer, const char *text);

/*
 * Write the document. summary: of the same records, sorted. Returns RT_OK or RT_FATAL with the
 * first error of all.
 */
enum rt_status rt_partial_writer_end(struct rt_partial_writer *writer,
				     const struct rt_summary *summary, const struct rt_sink *sink,
				     struct rt_error *err);

/* NULL is allowed. */
void rt_partial_writer_free(struct rt_partial_writer *writer);

#endif
