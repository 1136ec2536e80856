/*
 * The directory of a zip and the headers of its members (APPNOTE.TXT 4.3 to 4.5), held against each
 * other before libzip reads any of them: it believes the directory, others do not.
 */
#ifndef RT_DECODE_ZIP_CHECK_H
#define RT_DECODE_ZIP_CHECK_H

#include "base/error.h"

/* Flags: the data are encrypted; sizes and CRC come after the data; the name is UTF-8. */
#define RT_ZIP_ENCRYPTED 0x0001u
#define RT_ZIP_AFTER 0x0008u
#define RT_ZIP_UTF8 0x0800u

/* A member as all of its headers have it. */
struct rt_zip_member {
	struct rt_slice name; /* borrowed from the directory */
	uint64_t local;       /* offset of the local header */
	uint64_t central;     /* offset of the entry in the directory */
	uint64_t end;         /* after all that the member has in the file */
	uint64_t packed;      /* bytes of data in the zip */
	uint64_t size;        /* bytes of data without compression */
	uint32_t crc;
	uint32_t attributes; /* "external" ones, whose form the system decides */
	uint16_t flags, method, time, date;
	uint8_t system;
	bool is_folder, is_link;
};

/* {0} is none. */
struct rt_zip_directory {
	uint8_t *bytes;
	struct rt_zip_member *members; /* in the order of the directory */
	size_t count;
};

/*
 * Check that a file ends in a central directory, that this is whole, that each of its entries and
 * the local header it leads to agree in all that a reader could obey, and that members neither
 * overlap nor stand outside of it (SPEC D1).
 *
 * fd: a regular file, borrowed, with the zip of size bytes at offset `from`, from which other
 * offsets count. max_members: limit "members".
 * directory: {0} before; released by rt_zip_directory_release() whatever is returned.
 * Returns RT_OK; RT_REJECT where the zip is bad or has too many members; RT_FATAL.
 */
enum rt_status rt_zip_check(int fd, uint64_t from, uint64_t size, uint64_t max_members,
			    struct rt_zip_directory *directory, struct rt_error *err);

void rt_zip_directory_release(struct rt_zip_directory *directory);

#endif
