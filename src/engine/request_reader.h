/*
 * The requests of a run (SPEC D12, D17): files, directories, archives and standard input as one
 * sequence of checked requests. A document is one JSON object, JSON Lines, or a stream of YAML
 * documents.
 */
#ifndef RT_ENGINE_REQUEST_READER_H
#define RT_ENGINE_REQUEST_READER_H

#include "engine/request.h"
#include "formats/reader.h"

struct rt_request_reader;

/* The options to read requests with in a run that has others: those of reading, and no choice. */
struct rt_options rt_request_options(const struct rt_options *options, const char *const *paths,
				     size_t count);

/*
 * Start over the requests.
 *
 * options: borrowed until rt_request_reader_free(); paths are those of the requests, limits
 * request_bytes and requests are used besides those of reading.
 * ret_reader: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_request_reader_open(const struct rt_options *options,
				      struct rt_request_reader **ret_reader, struct rt_error *err);

/*
 * The next request. ret_request: borrowed until the next call. Before RT_END options->notice is
 * told what was not read, or, where the options are strict, that is RT_REJECT.
 *
 * Returns RT_OK; RT_END after the last request of the last part; RT_REJECT with err set for one
 * fault of a request or of a whole part: the next call tells the next fault of the same request, in
 * the order of its text (what is missing comes last), or goes on after it; after a fault of
 * grammar or decoding, and after a document that is too long, it goes on with the next part.
 * RT_FATAL with err set when the run is over: the system failed, or there are more requests than
 * limits.requests.
 *
 * err has path and member, the place of the request, or of the fault where it is one of grammar,
 * `request N` (from 1 across the run) as its record, and as its field the JSON pointer in the
 * request (RFC 6901), empty where the fault is about all of it.
 */
enum rt_status rt_request_reader_next(struct rt_request_reader *reader,
				      const struct rt_request **ret_request, struct rt_error *err);

/* rt_parts_unread(); after RT_END. Borrowed as long as the reader. */
const struct rt_unread *rt_request_reader_unread(const struct rt_request_reader *reader);

/* Requests met so far, those with faults included: the number of the last one. */
uint64_t rt_request_reader_count(const struct rt_request_reader *reader);

/* Where the request delivered by the last call stands; its texts are borrowed until the next. */
void rt_request_reader_origin(const struct rt_request_reader *reader, struct rt_origin *ret_origin);

/* NULL is allowed. */
void rt_request_reader_free(struct rt_request_reader *reader);

#endif
