/*
 * Several copies of one issue joined into the worst of them (SPEC D6): its severity is the highest,
 * where one that is no level counts as higher than critical, and it is dismissed only if all copies
 * are, for as long as the first is. All else is the first copy's. Each copy takes 32 bytes.
 */
#ifndef RT_ENGINE_WORST_H
#define RT_ENGINE_WORST_H

#include "base/siphash.h"
#include "record/again.h"

struct rt_worst;

/*
 * Read a whole data set for its copies. options: as for rt_reader_open(), with files that can be
 * read again; borrowed until rt_worst_free(). Faults are left to the next reader.
 * ret_worst: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_worst_find(const struct rt_options *options, enum rt_kind kind,
			     const struct rt_siphash_key *key, struct rt_worst **ret_worst,
			     struct rt_error *err);

/*
 * Join an issue with its copies. number: of its id among all ids in order of first mention, from
 * 0; not decreasing from call to call. record: the first copy; becomes another one where a copy is
 * worse, borrowed until the next call. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_worst_join(struct rt_worst *worst, uint64_t number,
			     const struct rt_record **record, struct rt_error *err);

/* rt_reader_stamp() of the data set that was read. */
uint64_t rt_worst_stamp(const struct rt_worst *worst);

/* NULL is allowed. */
void rt_worst_free(struct rt_worst *worst);

#endif
