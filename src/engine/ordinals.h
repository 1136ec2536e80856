/*
 * Which of its equals a text is: the first, the second and so on, for names and fingerprints that
 * have to be unique (REPORTS R29, R37).
 *
 * Kept of each distinct text are 12 bytes, 16 to 32 with free slots: 64 bits of a hash under a key
 * that no input knows. Two texts that meet by accident, at ten million one chance in 300,000, would
 * be counted together: an ordinal then skips a number, and what is named stays unique in its kind.
 */
#ifndef RT_ENGINE_ORDINALS_H
#define RT_ENGINE_ORDINALS_H

#include "base/siphash.h"

struct rt_ordinals {
	struct rt_siphash_key key;
	uint64_t *hashes; /* 0: free */
	uint32_t *counts;
	size_t cap, used; /* slots, a power of two or 0 */
};

/* An empty table. Returns RT_OK or RT_FATAL (RT_E_IO); rt_ordinals_release() in either case. */
enum rt_status rt_ordinals_init(struct rt_ordinals *ordinals, struct rt_error *err);

/*
 * Count text once more. ret_ordinal: 1 where it is the first of its kind.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_ordinals_next(struct rt_ordinals *ordinals, struct rt_slice text,
				uint32_t *ret_ordinal, struct rt_error *err);

void rt_ordinals_release(struct rt_ordinals *ordinals);

#endif
