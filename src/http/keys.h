/*
 * API keys (contract 5, SPEC D21). Only SHA-256 digests are kept: of a key file's lines
 * "NAME sha256:HEX", and of one key that was given by itself.
 */
#ifndef RT_HTTP_KEYS_H
#define RT_HTTP_KEYS_H

#include "base/error.h"
#include "base/sha256.h"

#define RT_KEY_NAME_MAX 64u

/* Characters of a fresh key: 256 bits in base64url. */
#define RT_KEY_CHARS 43u

/* One key that is let in. */
struct rt_key {
	char name[RT_KEY_NAME_MAX + 1]; /* for the journal's actor and the log */
	uint8_t digest[RT_SHA256_BYTES];
};

/* A set of them; {0} is an empty one. */
struct rt_keys {
	struct rt_key *items;
	size_t count;
	size_t capacity;
};

/*
 * Add the keys of a key file to a set. A line is "NAME sha256:HEX" with one space; empty lines and
 * lines that start with '#' are skipped. One name may have several keys; one key has one name.
 *
 * text: the file's bytes. Returns RT_OK; RT_FATAL with err set: code, line and message (never the
 * line's text); the set then holds what came before.
 */
enum rt_status rt_keys_add_file(struct rt_keys *keys, struct rt_slice text, struct rt_error *err);

/*
 * Add a key by itself, as "default".
 * Returns RT_OK, or RT_FATAL with err set: RT_E_USAGE where it is shorter than
 * RT_HTTP_KEY_CHARS_MIN or has bytes that a header cannot carry.
 */
enum rt_status rt_keys_add_key(struct rt_keys *keys, struct rt_slice key, struct rt_error *err);

/*
 * The entry whose digest is this one; NULL: none. Takes the same time for every digest: all are
 * compared to their last byte.
 */
const struct rt_key *rt_keys_find(const struct rt_keys *keys,
				  const uint8_t digest[RT_SHA256_BYTES]);

/* Free the keys; the set is empty again. */
void rt_keys_release(struct rt_keys *keys);

#endif
