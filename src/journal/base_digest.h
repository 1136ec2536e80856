/*
 * The digest that a journal knows its base export by (SPEC section 3). The files are read for it
 * when it is asked for.
 *
 * One file: SHA-256 of its bytes. A directory, or several paths: SHA-256 over the lines
 * `H(file)  path\n` in read order, where path is the one below the directory, or as given.
 */
#ifndef RT_JOURNAL_BASE_DIGEST_H
#define RT_JOURNAL_BASE_DIGEST_H

#include "base/sha256.h"

struct rt_base_digest;

/*
 * options: borrowed until rt_base_digest_free(); its files must be seekable.
 * ret_digest: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_base_digest_new(const struct rt_options *options,
				  struct rt_base_digest **ret_digest, struct rt_error *err);

/*
 * The digest. stamp: rt_files_stamp() of the pass that read the export; files that were
 * other ones when they were digested are refused (RT_E_IO).
 * Returns RT_OK with *digest set, or RT_FATAL with err set, path included.
 */
enum rt_status rt_base_digest_get(struct rt_base_digest *base, uint64_t stamp,
				  uint8_t digest[RT_SHA256_BYTES], struct rt_error *err);

/* The same without a pass to hold it against: for an export that could not be read to its end. */
enum rt_status rt_base_digest_peek(struct rt_base_digest *base, uint8_t digest[RT_SHA256_BYTES],
				   struct rt_error *err);

/*
 * Of one path of the options, after that: the digest that a journal of it alone would name, and
 * the bytes of its files. index: of the path. Returns the bytes.
 */
uint64_t rt_base_digest_input(const struct rt_base_digest *base, size_t index,
			      uint8_t digest[RT_SHA256_BYTES]);

/* NULL is allowed. */
void rt_base_digest_free(struct rt_base_digest *base);

#endif
