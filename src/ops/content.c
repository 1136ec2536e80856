/*
 * Hashes records by their values. Input: checked JSON text of a record. Output: 128 bits that do
 * not depend on the order of members, blanks or the spelling of strings. Refuses nothing that the
 * scanner lets pass.
 *
 * The hash of a list is that of the sum of its items' hashes. An item's is that of its value under
 * a key of its own, which comes from the member's name or the element's index, so nothing needs
 * sorting, and nothing is copied but strings with an escape that could be spelled otherwise.
 *
 * SipHash makes each of these, of long texts after a universal hash that is several times faster
 * has made 16 bytes of each block.
 */
#include "ops/content.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/json_string.h"
#include "base/limits.h"
#include "scan/items.h"

/* Names whose keys are at hand: a data set has a few dozen. */
#define NAMES 128u
#define NAME_BYTES 31u
/* Bytes that become 16, and below which a text is not worth it. */
#define BLOCK_BYTES 1024u
#define BLOCK_LEAST 32u
/* What of them is hashed at once, even. */
#define WORDS ((size_t)32)

/* What is hashed under a key of its own. */
enum use { USE_RECORD, USE_NAME, USE_ELEMENT, USE_TEXT, USE_BLOCK, USES };

struct name {
	struct rt_siphash_key key; /* of the values of members with this name */
	char text[NAME_BYTES];
	unsigned char len; /* 0: none */
};

/* An open array or object. */
struct level {
	struct rt_siphash_key key; /* of the whole, in the level around it */
	uint64_t low, high, count; /* the sum and number of the items so far */
	bool object;
};

struct rt_content {
	struct rt_siphash_key keys[USES];
	uint64_t block_keys[BLOCK_BYTES / 8 + 2];
	const char *at, *end; /* of the text that has not been read */
	struct rt_buf text;   /* a string in its one spelling */
	size_t depth;
	struct name names[NAMES];
	struct level levels[RT_LIMIT_DEPTH_MAX];
};

/* The keys of the universal hash, all from one. */
static void block_keys_init(struct rt_content *content)
{
	size_t count = sizeof(content->block_keys) / sizeof(content->block_keys[0]);

	for (size_t i = 0; i < count; i++) {
		struct rt_slice name = rt_slice_make((const char *)&i, sizeof(i));

		content->block_keys[i] = rt_siphash(&content->keys[USE_BLOCK], name).low;
	}
}

enum rt_status rt_content_new(struct rt_content **ret_content, struct rt_error *err)
{
	struct rt_content *content = calloc(1, sizeof(*content));
	enum rt_status status = RT_OK;

	if (!content)
		return rt_error_nomem(err);
	for (size_t i = 0; status == RT_OK && i < USES; i++)
		status = rt_siphash_key_init(&content->keys[i], err);
	if (status != RT_OK) {
		free(content);
		return status;
	}
	block_keys_init(content);
	*ret_content = content;
	return RT_OK;
}

void rt_content_free(struct rt_content *content)
{
	if (!content)
		return;
	rt_buf_release(&content->text);
	free(content);
}

/* Add a product to a sum of two words. */
static inline void product_add(uint64_t a, uint64_t b, uint64_t *sum)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 all = (unsigned __int128)a * b + sum[0];

	sum[0] = (uint64_t)all;
	sum[1] += (uint64_t)(all >> 64);
#else
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
	uint64_t other = a0 * b1 + (uint32_t)middle;

	sum[1] += a1 * b1 + (middle >> 32) + (other >> 32);
	sum[0] += a * b;
	sum[1] += sum[0] < a * b;
#endif
}

/*
 * Two words for up to BLOCK_BYTES bytes: NH (Black, Halevi, Krawczyk, Krovetz and Rogaway, 1999)
 * of 64-bit words. Two texts of one length meet with a chance of 1 in 2^64.
 */
static void block_hash(const struct rt_content *content, struct rt_slice text, uint64_t *out)
{
	const uint64_t *key = content->block_keys;
	uint64_t sum[2] = {0, 0};
	char rest[16] = {0};

	for (; text.len >= 16; text.ptr += 16, text.len -= 16, key += 2)
		product_add(rt_bytes_load64(text.ptr) + key[0],
			    rt_bytes_load64(text.ptr + 8) + key[1], sum);
	memcpy(rest, text.ptr, text.len);
	product_add(rt_bytes_load64(rest) + key[0], rt_bytes_load64(rest + 8) + key[1], sum);
	out[0] = sum[0];
	out[1] = sum[1];
}

/* The hash of a text under a key. */
static struct rt_hash128 text_hash(const struct rt_content *content,
				   const struct rt_siphash_key *key, struct rt_slice text)
{
	struct rt_siphash_key next = *key;
	uint64_t words[WORDS + 1];
	struct rt_hash128 hash;
	size_t at = 0, count;

	if (text.len < BLOCK_LEAST)
		return rt_siphash(key, text);
	do {
		for (count = 0; count < WORDS && at < text.len; count += 2) {
			size_t left = text.len - at, len = left < BLOCK_BYTES ? left : BLOCK_BYTES;

			block_hash(content, rt_slice_make(text.ptr + at, len), &words[count]);
			at += len;
		}
		/* The length tells the last block, and this from a short text. */
		words[count++] = text.len;
		hash = rt_siphash(&next, rt_slice_make((const char *)words, count * 8));
		next = (struct rt_siphash_key){hash.low, hash.high};
	} while (at < text.len);
	return hash;
}

struct rt_hash128 rt_content_text(const struct rt_content *content, struct rt_slice text)
{
	return text_hash(content, &content->keys[USE_TEXT], text);
}

/* Write one byte of a string as it is spelled here: the shortest way, and one of them. */
static size_t byte_spell(unsigned char byte, char *out)
{
	static const char letters[] = "btn\0fr"; /* from 8 on; 11 has none */
	static const char digits[] = "0123456789abcdef";
	size_t len = 0;

	if (byte == '"' || byte == '\\') {
		out[len++] = '\\';
		out[len++] = (char)byte;
	} else if (byte >= 8 && byte <= 13 && byte != 11) {
		out[len++] = '\\';
		out[len++] = letters[byte - 8];
	} else if (byte < 0x20) {
		out[len++] = '\\';
		out[len++] = 'u';
		out[len++] = '0';
		out[len++] = '0';
		out[len++] = digits[byte >> 4];
		out[len++] = digits[byte & 15];
	} else {
		out[len++] = (char)byte;
	}
	return len;
}

/* Spell the \uXXXX or pair of them at the start of text in the one way. Returns its length. */
static size_t unicode_spell(struct rt_slice text, char **out)
{
	bool pair = text.len >= 4 && (text.ptr[2] | 0x20) == 'd' && text.ptr[3] >= '8';
	size_t len = pair ? 12 : 6;
	char plain[12];

	if (text.len < len)
		return text.len;
	text.len = rt_json_string_decode(rt_slice_make(text.ptr, len), plain);
	if (text.len > 1) {
		memcpy(*out, plain, text.len);
		*out += text.len;
	} else {
		*out += byte_spell((unsigned char)plain[0], *out);
	}
	return len;
}

/* Spell the escape at the start of text in the one way. Returns its length in text. */
static size_t escape_spell(struct rt_slice text, char **out)
{
	if (text.len < 2)
		return text.len;
	if (text.ptr[1] == 'u')
		return unicode_spell(text, out);
	if (text.ptr[1] != '/')
		*(*out)++ = '\\';
	*(*out)++ = text.ptr[1];
	return 2;
}

/* Bring a string, with or without its quotes, into its one spelling; it never grows. */
static enum rt_status respell(struct rt_content *content, struct rt_slice *text,
			      struct rt_error *err)
{
	const char *at = text->ptr, *end = text->ptr + text->len;
	enum rt_status status;
	char *out;

	content->text.len = 0;
	status = rt_buf_reserve(&content->text, text->len, err);
	if (status != RT_OK)
		return status;
	out = content->text.data;
	while (at < end) {
		const char *stop = memchr(at, '\\', (size_t)(end - at));
		size_t run = (size_t)((stop ? stop : end) - at);

		memcpy(out, at, run);
		out += run;
		at += run;
		at += escape_spell(rt_slice_make(at, (size_t)(end - at)), &out);
	}
	*text = rt_slice_make(content->text.data, (size_t)(out - content->text.data));
	return RT_OK;
}

/* The key for the values of members with that name (in its one spelling). */
static struct rt_siphash_key name_key(struct rt_content *content, struct rt_slice text)
{
	struct rt_hash128 hash;
	struct name *name;
	size_t slot;

	if (text.len == 0 || text.len > NAME_BYTES) {
		hash = rt_siphash(&content->keys[USE_NAME], text);
		return (struct rt_siphash_key){hash.low, hash.high};
	}
	/* First, middle and last byte spread a data set's names well enough. */
	slot = text.len * 5 + (size_t)(unsigned char)text.ptr[0] * 3 +
	       (size_t)(unsigned char)text.ptr[text.len / 2] * 7 +
	       (unsigned char)text.ptr[text.len - 1];
	name = &content->names[slot % NAMES];
	if (name->len != text.len || memcmp(name->text, text.ptr, text.len) != 0) {
		hash = rt_siphash(&content->keys[USE_NAME], text);
		name->key = (struct rt_siphash_key){hash.low, hash.high};
		name->len = (unsigned char)text.len;
		memcpy(name->text, text.ptr, text.len);
	}
	return name->key;
}

/* Step over a string with its quotes. ret_text: all of it, in its one spelling. */
static enum rt_status string_read(struct rt_content *content, struct rt_slice *ret_text,
				  struct rt_error *err)
{
	const char *from = content->at;
	bool loose = false;

	content->at = rt_items_string(from + 1, content->end, &loose);
	content->at += content->at < content->end;
	*ret_text = rt_slice_make(from, (size_t)(content->at - from));
	return loose ? respell(content, ret_text, err) : RT_OK;
}

static void blanks_skip(struct rt_content *content)
{
	content->at = rt_items_blanks(content->at, content->end);
}

/* The key of the next item, which is read up to its value. */
static enum rt_status item_key(struct rt_content *content, struct rt_siphash_key *ret_key,
			       struct rt_error *err)
{
	const struct level *level = &content->levels[content->depth - 1];
	enum rt_status status;
	struct rt_slice name;

	if (!level->object) {
		*ret_key = content->keys[USE_ELEMENT];
		ret_key->k0 ^= level->count;
		return RT_OK;
	}
	status = string_read(content, &name, err);
	if (status != RT_OK)
		return status;
	*ret_key = name_key(content, name);
	blanks_skip(content);
	content->at += content->at < content->end;
	blanks_skip(content);
	return RT_OK;
}

static void item_add(struct rt_content *content, struct rt_hash128 hash)
{
	struct level *level = &content->levels[content->depth - 1];

	level->low += hash.low;
	level->high += hash.high;
	level->count++;
}

/* at: the bracket of a list that counts under key. */
static enum rt_status list_open(struct rt_content *content, struct rt_siphash_key key,
				struct rt_error *err)
{
	if (content->depth == RT_LIMIT_DEPTH_MAX)
		return rt_error_set(err, RT_E_LIMIT, "want at most %u levels, have more",
				    (unsigned)RT_LIMIT_DEPTH_MAX);
	content->levels[content->depth++] =
	    (struct level){.key = key, .object = *content->at == '{'};
	content->at++;
	return RT_OK;
}

/*
 * at: after the bracket. These words are not those of a long text, which are odd in number, nor
 * the start of a short one, which has no NUL.
 */
static struct rt_hash128 list_close(struct rt_content *content)
{
	const struct level *level = &content->levels[--content->depth];
	uint64_t words[] = {level->object, level->count, level->low, level->high};

	return rt_siphash(&level->key, rt_slice_make((const char *)words, sizeof(words)));
}

static enum rt_status value_read(struct rt_content *content, struct rt_siphash_key key,
				 struct rt_error *err)
{
	const char *from = content->at;
	enum rt_status status = RT_OK;
	struct rt_slice text;

	if (from < content->end && (*from == '{' || *from == '['))
		return list_open(content, key, err);
	if (from < content->end && *from == '"') {
		status = string_read(content, &text, err);
	} else {
		content->at = rt_items_value(from, content->end);
		text = rt_slice_make(from, (size_t)(content->at - from));
	}
	if (status == RT_OK)
		item_add(content, text_hash(content, &key, text));
	return status;
}

/* at: after a list's bracket or an item. RT_END: where a list or the text ends. */
static enum rt_status item_read(struct rt_content *content, struct rt_error *err)
{
	struct rt_siphash_key key;
	enum rt_status status;
	const char *from;

	blanks_skip(content);
	if (content->at < content->end && *content->at == ',') {
		content->at++;
		blanks_skip(content);
	}
	if (content->at == content->end || *content->at == '}' || *content->at == ']')
		return RT_END;
	status = item_key(content, &key, err);
	if (status != RT_OK)
		return status;
	from = content->at;
	status = value_read(content, key, err);
	/* Not in text that has been checked; but no text may hold this up. */
	return status == RT_OK && content->at == from ? RT_END : status;
}

enum rt_status rt_content_hash(struct rt_content *content, struct rt_slice text,
			       struct rt_hash128 *ret_hash, struct rt_error *err)
{
	struct rt_hash128 hash = {0, 0};
	enum rt_status status;

	content->at = text.ptr;
	content->end = text.ptr + text.len;
	content->depth = 0;
	status = list_open(content, content->keys[USE_RECORD], err);
	while (content->depth && status >= 0) {
		status = item_read(content, err);
		if (status != RT_END)
			continue;
		content->at += content->at < content->end;
		hash = list_close(content);
		if (content->depth)
			item_add(content, hash);
	}
	if (status < 0)
		return status;
	*ret_hash = hash;
	return RT_OK;
}
