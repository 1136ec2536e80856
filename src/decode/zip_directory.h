/*
 * The central directory of a zip (APPNOTE.TXT 4.3), checked before libarchive reads the data.
 */
#ifndef RT_DECODE_ZIP_DIRECTORY_H
#define RT_DECODE_ZIP_DIRECTORY_H

#include "base/error.h"

/* Where a zip has its directory. */
struct rt_zip_place {
	uint64_t offset;  /* of the directory */
	uint64_t end;     /* after it: the 64-bit end record where there is one, else the other */
	uint64_t record;  /* of the end record, which every zip has */
	uint64_t entries; /* how many there must be */
};

/* A member's data. */
struct rt_zip_member {
	uint64_t at;     /* offset of their first byte */
	uint64_t packed; /* bytes there */
	uint64_t size;   /* bytes without compression */
	uint32_t crc;    /* of these */
	uint16_t method;
};

/*
 * Find the directory, by the end record that ends the file.
 * Returns RT_OK; RT_REJECT when there is none; RT_FATAL.
 */
enum rt_status rt_zip_directory_find(int fd, uint64_t size, struct rt_zip_place *ret_place,
				     struct rt_error *err);

/*
 * Check that the file ends in a central directory, that the directory is whole, that each of its
 * entries and the local header it leads to agree in all that a reader could obey, and that members
 * neither overlap nor stand outside of it (SPEC D1). libarchive takes names and types from the
 * local headers and accepts any difference.
 *
 * fd: a regular file of size bytes, borrowed. max_entries: limit "members".
 * *ret_members: their data, in the order in which they stand, which is that of libarchive, too; on
 * RT_OK owned by the caller. *ret_entries: how many.
 * Returns RT_OK; RT_REJECT when the zip is bad or has too many entries; RT_FATAL.
 */
enum rt_status rt_zip_directory_check(int fd, uint64_t size, uint64_t max_entries,
				      struct rt_zip_member **ret_members, uint64_t *ret_entries,
				      struct rt_error *err);

#endif
