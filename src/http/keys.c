/*
 * Reads API keys, finds the name of one by its digest, and makes new ones.
 */
#include "http/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"

/* Of a name, as sscanf() has it; RT_KEY_NAME_MAX. */
#define NAME "%64[0-9A-Za-z._@-]"

/* All are compared to their last byte. */
static const char *find(const struct rt_keys *keys, const uint8_t digest[RT_SHA256_BYTES])
{
	const char *found = NULL;

	for (size_t i = 0; i < keys->count; i++) {
		if (CRYPTO_memcmp(keys->items[i].digest, digest, RT_SHA256_BYTES) == 0)
			found = keys->items[i].name;
	}
	return found;
}

static enum rt_status add(struct rt_keys *keys, const char *name,
			  const uint8_t digest[RT_SHA256_BYTES], struct rt_error *err)
{
	struct rt_key *key;

	if (keys->count == RT_HTTP_KEYS_MAX)
		return rt_error_set(err, RT_E_LIMIT, "more than %u keys", RT_HTTP_KEYS_MAX);
	/* Two names for one key: the journal would name the wrong one. */
	if (find(keys, digest))
		return rt_error_set(err, RT_E_INPUT, "this key is there already");
	if (!keys->items)
		keys->items = calloc(RT_HTTP_KEYS_MAX, sizeof(*keys->items));
	if (!keys->items)
		return rt_error_nomem(err);
	key = &keys->items[keys->count++];
	(void)snprintf(key->name, sizeof(key->name), "%s", name);
	memcpy(key->digest, digest, RT_SHA256_BYTES);
	return RT_OK;
}

enum rt_status rt_keys_add_text(struct rt_keys *keys, struct rt_slice text, struct rt_error *err)
{
	const char *at = text.ptr, *end = rt_slice_end(text);

	for (uint64_t number = 1; at < end; number++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);
		char line[256] = "", name[RT_KEY_NAME_MAX + 1], blank[2], hex[RT_SHA256_HEX + 1];
		uint8_t digest[RT_SHA256_BYTES];
		int used = 0;
		enum rt_status status;

		(void)snprintf(line, sizeof(line), "%.*s", (int)len, at);
		at = newline ? newline + 1 : end;
		if (len && line[len < sizeof(line) ? len - 1 : 0] == '\r')
			line[--len] = '\0';
		if (len == 0 || line[0] == '#')
			continue;
		if (sscanf(line, NAME "%1[ ]sha256:%64[0-9a-f]%n", name, blank, hex, &used) != 3 ||
		    (size_t)used != len || !rt_sha256_parse(hex, digest))
			status = rt_error_set(err, RT_E_INPUT,
					      "want NAME sha256:HEX with 64 lower-case hex digits; "
					      "--new-key NAME prints such a line");
		else
			status = add(keys, name, digest, err);
		err->line = number;
		err->column = 1;
		if (status != RT_OK)
			return status;
	}
	return RT_OK;
}

/*
 * A reader of the file learns who has a key, and a writer can add one. A file of somebody else, as
 * service managers provide it, may be shared with a group that only reads.
 */
static enum rt_status read_text(int fd, struct rt_buf *text, struct rt_error *err)
{
	struct stat st = {.st_mode = 0};
	mode_t too_much;
	ssize_t got;

	if (fd < 0 || fstat(fd, &st) != 0)
		return rt_error_sys(err, errno, "cannot open the key file");
	too_much = st.st_uid == geteuid() ? S_IRWXG | S_IRWXO : S_IWGRP | S_IRWXO;
	if (S_ISREG(st.st_mode) && (st.st_mode & too_much))
		return rt_error_set(err, RT_E_USAGE,
				    "others can read or write the key file (mode %04o): chmod 600",
				    (unsigned)st.st_mode & 07777);
	if (rt_buf_reserve(text, RT_HTTP_KEY_FILE_BYTES + 1, err) != RT_OK)
		return RT_FATAL;
	while ((got = rt_read_at(fd, text->data + text->len, text->cap - text->len, -1)) > 0)
		text->len += (size_t)got;
	if (got < 0)
		return rt_error_sys(err, errno, "cannot read the key file");
	if (text->len > RT_HTTP_KEY_FILE_BYTES)
		return rt_error_set(err, RT_E_LIMIT, "the key file exceeds 1 MiB");
	return RT_OK;
}

enum rt_status rt_keys_add_file(struct rt_keys *keys, const char *path, struct rt_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct rt_buf text = {0};
	enum rt_status status = read_text(fd, &text, err);

	if (status == RT_OK)
		status = rt_keys_add_text(keys, rt_buf_slice(&text), err);
	if (status != RT_OK)
		rt_error_at(err, path, NULL);
	rt_buf_release(&text);
	if (fd >= 0)
		(void)close(fd);
	return status;
}

static enum rt_status digest_of(const char *key, uint8_t digest[RT_SHA256_BYTES],
				struct rt_error *err)
{
	struct rt_sha256 *hash;
	enum rt_status status = rt_sha256_new(&hash, err);

	if (status == RT_OK) {
		rt_sha256_of(hash, rt_slice_make(key, strlen(key)), digest);
		rt_sha256_free(hash);
	}
	return status;
}

enum rt_status rt_keys_add_key(struct rt_keys *keys, const char *key, struct rt_error *err)
{
	uint8_t digest[RT_SHA256_BYTES];

	for (const char *at = key; *at; at++) {
		if (*at <= ' ' || *at > '~')
			return rt_error_set(err, RT_E_USAGE,
					    "the key has characters that are not visible ASCII");
	}
	if (strlen(key) < RT_HTTP_KEY_CHARS_MIN)
		return rt_error_set(
		    err, RT_E_USAGE,
		    "the key has fewer than %u characters; --new-key NAME makes one",
		    RT_HTTP_KEY_CHARS_MIN);
	return digest_of(key, digest, err) == RT_OK ? add(keys, "default", digest, err) : RT_FATAL;
}

enum rt_status rt_keys_find(const struct rt_keys *keys, const char *key, const char **ret_name,
			    struct rt_error *err)
{
	uint8_t digest[RT_SHA256_BYTES];
	enum rt_status status = key ? digest_of(key, digest, err) : RT_OK;

	*ret_name = key && status == RT_OK ? find(keys, digest) : NULL;
	return status;
}

/* The key is base64url without padding (RFC 4648 §5). */
enum rt_status rt_serve_new_key(const char *name, char key[44], char line[160],
				struct rt_error *err)
{
	uint8_t bytes[32], digest[RT_SHA256_BYTES];
	char text[45], hex[RT_SHA256_HEX], good[RT_KEY_NAME_MAX + 1];

	if (sscanf(name, NAME, good) != 1 || strcmp(name, good) != 0)
		return rt_error_set(err, RT_E_USAGE,
				    "want a name of 1 to %u letters, digits and ._@-, have \"%s\"",
				    RT_KEY_NAME_MAX, name);
	if (!rt_random(bytes, sizeof(bytes)))
		return rt_error_sys(err, errno, "getrandom");
	(void)EVP_EncodeBlock((unsigned char *)text, bytes, sizeof(bytes));
	for (size_t i = 0; i < 43; i++)
		key[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
	key[43] = '\0';
	if (digest_of(key, digest, err) != RT_OK)
		return RT_FATAL;
	rt_sha256_hex(digest, hex);
	(void)snprintf(line, 160, "%s sha256:%.*s", name, (int)RT_SHA256_HEX, hex);
	return RT_OK;
}
