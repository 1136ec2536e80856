/*
 * API keys as digests with names. Input: the text of a key file, a key, a digest to look for.
 * Output: the name that goes with it.
 * Refuses lines of any other form, capital letters in digests, a digest that is there twice, and
 * keys that are short enough to guess. No message shows a line of the file.
 */
#include "http/keys.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/limits.h"

#define DIGEST_PREFIX "sha256:"
#define DIGEST_PREFIX_LEN (sizeof(DIGEST_PREFIX) - 1)

void rt_keys_release(struct rt_keys *keys)
{
	free(keys->items);
	*keys = (struct rt_keys){0};
}

static bool is_name_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '.' || c == '_' || c == '@' || c == '-';
}

/* Whether a name is 1 to RT_KEY_NAME_MAX letters, digits and ._@- */
static bool name_is_good(struct rt_slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (!is_name_char(name.ptr[i]))
			return false;
	}
	return name.len >= 1 && name.len <= RT_KEY_NAME_MAX;
}

static enum rt_status keys_grow(struct rt_keys *keys, struct rt_error *err)
{
	size_t capacity = keys->capacity ? 2 * keys->capacity : 8;
	struct rt_key *items;

	if (keys->items && keys->count < keys->capacity)
		return RT_OK;
	items = realloc(keys->items, capacity * sizeof(*items));
	if (!items) {
		(void)rt_error_nomem(err);
		return RT_FATAL;
	}
	keys->items = items;
	keys->capacity = capacity;
	return RT_OK;
}

static enum rt_status keys_add(struct rt_keys *keys, struct rt_slice name,
			       const uint8_t digest[RT_SHA256_BYTES], struct rt_error *err)
{
	struct rt_key *key;

	if (keys->count == RT_HTTP_KEYS_MAX)
		return rt_error_set(err, RT_E_LIMIT, "want at most %u keys, have more",
				    RT_HTTP_KEYS_MAX);
	/* Two names for one key: the journal would name the wrong one. */
	if (rt_keys_find(keys, digest))
		return rt_error_set(err, RT_E_INPUT, "want a key once, have it again");
	if (keys_grow(keys, err) != RT_OK)
		return RT_FATAL;
	key = &keys->items[keys->count++];
	memcpy(key->name, name.ptr, name.len);
	key->name[name.len] = '\0';
	memcpy(key->digest, digest, RT_SHA256_BYTES);
	return RT_OK;
}

static enum rt_status add_line(struct rt_keys *keys, struct rt_slice line, struct rt_error *err)
{
	const char *space = memchr(line.ptr, ' ', line.len);
	struct rt_slice name = {line.ptr, space ? (size_t)(space - line.ptr) : line.len};
	size_t left = line.len - name.len;
	uint8_t digest[RT_SHA256_BYTES];

	if (!name_is_good(name))
		return rt_error_set(err, RT_E_INPUT,
				    "want a name of 1 to %u letters, digits and ._@-, have another",
				    RT_KEY_NAME_MAX);
	if (!space || left != 1 + DIGEST_PREFIX_LEN + RT_SHA256_HEX ||
	    memcmp(space + 1, DIGEST_PREFIX, DIGEST_PREFIX_LEN) != 0 ||
	    !rt_sha256_parse(space + 1 + DIGEST_PREFIX_LEN, digest))
		return rt_error_set(
		    err, RT_E_INPUT,
		    "want NAME " DIGEST_PREFIX
		    "HEX with %u lower-case hex digits, have another form; --new-key "
		    "NAME prints such a line",
		    RT_SHA256_HEX);
	return keys_add(keys, name, digest, err);
}

enum rt_status rt_keys_add_file(struct rt_keys *keys, struct rt_slice text, struct rt_error *err)
{
	const char *at = text.ptr, *end = at + text.len;
	uint64_t number = 0;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct rt_slice line = {at, (size_t)((newline ? newline : end) - at)};

		number++;
		at = newline ? newline + 1 : end;
		if (line.len && line.ptr[line.len - 1] == '\r')
			line.len--;
		if (line.len == 0 || line.ptr[0] == '#')
			continue;
		if (add_line(keys, line, err) != RT_OK) {
			err->line = number;
			err->column = 1;
			return RT_FATAL;
		}
	}
	return RT_OK;
}

enum rt_status rt_keys_add_key(struct rt_keys *keys, struct rt_slice key, struct rt_error *err)
{
	uint8_t digest[RT_SHA256_BYTES];
	struct rt_sha256 *hash;
	enum rt_status status;

	if (key.len < RT_HTTP_KEY_CHARS_MIN)
		return rt_error_set(
		    err, RT_E_USAGE,
		    "want a key of at least %u characters, have %zu; --new-key NAME "
		    "makes one",
		    RT_HTTP_KEY_CHARS_MIN, key.len);
	for (size_t i = 0; i < key.len; i++) {
		if (key.ptr[i] <= ' ' || key.ptr[i] > '~')
			return rt_error_set(err, RT_E_USAGE,
					    "want a key of visible ASCII characters, have others");
	}
	status = rt_sha256_new(&hash, err);
	if (status != RT_OK)
		return status;
	rt_sha256_of(hash, key, digest);
	rt_sha256_free(hash);
	return keys_add(keys, RT_SLICE("default"), digest, err);
}

const struct rt_key *rt_keys_find(const struct rt_keys *keys, const uint8_t digest[RT_SHA256_BYTES])
{
	const struct rt_key *found = NULL;

	for (size_t i = 0; i < keys->count; i++) {
		if (CRYPTO_memcmp(keys->items[i].digest, digest, RT_SHA256_BYTES) == 0)
			found = &keys->items[i];
	}
	return found;
}

/* --- A fresh key ------------------------------------------------------------------------------ */

/*
 * Fresh API keys. Input: a name. Output: a key of 256 bits from the system's random source, and
 * the line for the key file, which has only its digest.
 * Refuses names that a key file cannot hold.
 */

#define KEY_BYTES 32u

/* base64url without padding (RFC 4648 §5). key: RT_KEY_CHARS and a NUL. */
static void key_spell(const uint8_t bytes[KEY_BYTES], char *key)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned bits = 0, held = 0;

	for (size_t i = 0; i < KEY_BYTES; i++) {
		bits = bits << 8 | bytes[i];
		for (held += 8; held >= 6; held -= 6)
			*key++ = digits[bits >> (held - 6) & 0x3F];
	}
	*key++ = digits[bits << (6 - held) & 0x3F];
	*key = '\0';
}

enum rt_status rt_serve_new_key(const char *name, char key[44], char line[160],
				struct rt_error *err)
{
	uint8_t bytes[KEY_BYTES], digest[RT_SHA256_BYTES];
	char hex[RT_SHA256_HEX];
	struct rt_sha256 *hash;
	enum rt_status status;

	if (!name_is_good(rt_slice_make(name, strlen(name))))
		return rt_error_set(err, RT_E_USAGE,
				    "want a name of 1 to %u letters, digits and ._@-, have \"%s\"",
				    RT_KEY_NAME_MAX, name);
	if (!rt_random(bytes, sizeof(bytes)))
		return rt_error_sys(err, errno, "getrandom");
	status = rt_sha256_new(&hash, err);
	if (status != RT_OK)
		return status;
	key_spell(bytes, key);
	rt_sha256_of(hash, rt_slice_make(key, RT_KEY_CHARS), digest);
	rt_sha256_free(hash);
	rt_sha256_hex(digest, hex);
	(void)snprintf(line, 160, "%s sha256:%.*s", name, (int)RT_SHA256_HEX, hex);
	return RT_OK;
}
