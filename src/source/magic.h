/*
 * What a byte stream is, told from its first bytes only (SPEC D1). Nothing here is libarchive's:
 * its own detection can be led astray.
 */
#ifndef RT_SOURCE_MAGIC_H
#define RT_SOURCE_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes to look at: one tar header. Fewer are right only for a stream that is shorter. */
#define RT_MAGIC_BYTES 512u

enum rt_magic {
	RT_MAGIC_NONE = 0, /* a document, or nothing we read */
	RT_MAGIC_GZIP,
	RT_MAGIC_ZSTD,
	RT_MAGIC_XZ,
	RT_MAGIC_BZIP2,
	RT_MAGIC_LZ4,
	RT_MAGIC_TAR,
	RT_MAGIC_ZIP,
	RT_MAGIC_7ZIP,
	RT_MAGIC_CPIO,
	RT_MAGIC_YAML, /* never found: what is converted, for messages */
};

/* head: the first len bytes of the stream, at least RT_MAGIC_BYTES where it has as many. */
enum rt_magic rt_magic_find(const uint8_t *head, size_t len);

/* The name of a format for messages, for example "gzip". Static storage. */
const char *rt_magic_name(enum rt_magic magic);

static inline bool rt_magic_is_compression(enum rt_magic magic)
{
	return magic >= RT_MAGIC_GZIP && magic <= RT_MAGIC_LZ4;
}

static inline bool rt_magic_is_container(enum rt_magic magic)
{
	return magic >= RT_MAGIC_TAR && magic <= RT_MAGIC_CPIO;
}

/* Whether a container can only be read by seeking in it: its directory is at its end. */
static inline bool rt_magic_must_seek(enum rt_magic magic)
{
	return magic == RT_MAGIC_ZIP || magic == RT_MAGIC_7ZIP;
}

#endif
