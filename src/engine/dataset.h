/*
 * A whole data set: the reader's records, each id once (SPEC D6). A record whose id has been met is
 * an error, or is left out, as options->duplicates says.
 */
#ifndef RT_ENGINE_DATASET_H
#define RT_ENGINE_DATASET_H

#include "base/siphash.h"
#include "formats/reader.h"

struct rt_dataset;

/* What the message about a second record of one id begins with. */
#define RT_DUPLICATE_ID "duplicate id"

/*
 * options: borrowed until rt_dataset_free(). kind: see rt_reader_open().
 * ret_dataset: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_dataset_open(const struct rt_options *options, enum rt_kind kind,
			       struct rt_dataset **ret_dataset, struct rt_error *err);

/*
 * The next record; as rt_reader_next(), but where the worst of several is wanted its text is not
 * always that of the place it comes from. Before RT_END options->notice gets what was not read,
 * or, where the options are strict, that is RT_REJECT. An id that stood before is found out on the
 * call after the one that delivered its record, which then is RT_REJECT with both places in err:
 * so call on until RT_END before anything is shown.
 */
enum rt_status rt_dataset_next(struct rt_dataset *dataset, const struct rt_record **ret_record,
			       struct rt_error *err);

/* What reads it: the record delivered last, its place, and what is known of the whole after RT_END.
 */
struct rt_reader *rt_dataset_reader(const struct rt_dataset *dataset);

/* Records of a kind so far that have no fault, their ids included; after RT_END of all. */
uint64_t rt_dataset_count(const struct rt_dataset *dataset, enum rt_kind kind);

/*
 * As rt_dataset_next() for a caller that takes no faults: one is RT_FATAL.
 */
enum rt_status rt_dataset_next_good(struct rt_dataset *dataset, const struct rt_record **ret_record,
				    struct rt_error *err);

/* As rt_reader_blame(), of the last delivered record. */
void rt_dataset_blame(const struct rt_dataset *dataset, struct rt_error *err);

/* The secret key of this run's hashes. Borrowed as long as the data set. */
const struct rt_siphash_key *rt_dataset_key(const struct rt_dataset *dataset);

/* NULL is allowed. */
void rt_dataset_free(struct rt_dataset *dataset);

#endif
