/*
 * Records that the first pass over a log has made, in order, until they are delivered: in memory
 * at first, beyond RT_SPOOL_MEMORY in a temporary file without a name. Only a saving: whoever
 * cannot keep more of them makes them again.
 */
#ifndef RT_SARIF_MADE_H
#define RT_SARIF_MADE_H

#include "base/buf.h"
#include "base/pull.h"
#include "sarif/result.h"

/* Where a piece of a record comes from. */
struct rt_sarif_made_mark {
	uint64_t at; /* byte of the record, without its inserts */
	struct rt_place place;
};

/* A record. */
struct rt_sarif_made_record {
	struct rt_place place; /* of its result */
	uint32_t mark_count;
	struct rt_sarif_made_mark marks[RT_ISSUE_MEMBERS];
	struct rt_sarif_inserts inserts;
	struct rt_slice text; /* borrowed until the next call */
};

/* {.fd = -1} is an empty list. */
struct rt_sarif_made {
	struct rt_buf buf; /* bytes after those in the file; while reading: a piece of all */
	uint64_t in_file;
	int fd;        /* -1: all is in buf */
	uint64_t at;   /* bytes that were read */
	size_t buf_at; /* of buf */
};

/* Bytes of all records. */
uint64_t rt_sarif_made_bytes(const struct rt_sarif_made *made);

/* Append a record to bytes in the form in which they are kept. Returns false where there is no
 * room; what was there stays. */
bool rt_sarif_made_put(struct rt_buf *bytes, const struct rt_sarif_made_record *record);

/* Add a record in that form, or several. Returns as before. */
bool rt_sarif_made_add(struct rt_sarif_made *made, struct rt_slice records);

/* Drop what was added after there were so many bytes. */
void rt_sarif_made_cut(struct rt_sarif_made *made, uint64_t bytes);

/* After the last one was added: the next record from the first on, which has to be there.
 * Returns RT_OK; RT_FATAL with err set (RT_E_NOMEM, RT_E_IO). */
enum rt_status rt_sarif_made_next(struct rt_sarif_made *made,
				  struct rt_sarif_made_record *ret_record, struct rt_error *err);

void rt_sarif_made_release(struct rt_sarif_made *made);

#endif
