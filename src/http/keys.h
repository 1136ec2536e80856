/*
 * API keys (contract 5, SPEC D21). Only SHA-256 digests are kept: of a key file's lines
 * "NAME sha256:HEX", and of one key that was given by itself.
 */
#ifndef RT_HTTP_KEYS_H
#define RT_HTTP_KEYS_H

#include "base/buf.h"
#include "base/error.h"
#include "base/sha256.h"

#define RT_KEY_NAME_MAX 64u

struct rt_key {
	char name[RT_KEY_NAME_MAX + 1]; /* for the journal's actor and the log */
	uint8_t digest[RT_SHA256_BYTES];
};

/* {0} is an empty set; items from malloc(). */
struct rt_keys {
	struct rt_key *items;
	size_t count;
};

/*
 * Add the keys of a key file's text. A line is "NAME sha256:HEX" with one space; empty lines and
 * lines that start with '#' are skipped. One name may have several keys; one key has one name.
 * Returns RT_OK; RT_FATAL with err set: code, line and message (never the line's text).
 */
enum rt_status rt_keys_add_text(struct rt_keys *keys, struct rt_slice text, struct rt_error *err);

/* The same with a file, which nobody else may be able to read. err gets its path. */
enum rt_status rt_keys_add_file(struct rt_keys *keys, const char *path, struct rt_error *err);

/*
 * Add a key by itself, as "default". Returns RT_OK, or RT_FATAL with err set: RT_E_USAGE where it
 * is shorter than RT_HTTP_KEY_CHARS_MIN or has bytes that a header cannot carry.
 */
enum rt_status rt_keys_add_key(struct rt_keys *keys, const char *key, struct rt_error *err);

/*
 * Find the name of a key; *ret_name: NULL where there is none, as where key is NULL. Takes the same
 * time for every key. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_keys_find(const struct rt_keys *keys, const char *key, const char **ret_name,
			    struct rt_error *err);

#endif
