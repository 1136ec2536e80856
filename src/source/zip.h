/*
 * A zip, read by libzip after its directory has been checked.
 */
#ifndef RT_SOURCE_ZIP_H
#define RT_SOURCE_ZIP_H

#include "source/archive.h"

#include "base/error.h"
#include "source/stream.h"

/* Flags: the data are encrypted; sizes and CRC come after the data; the name is UTF-8. */
#define RT_ZIP_ENCRYPTED 0x0001u
#define RT_ZIP_AFTER 0x0008u
#define RT_ZIP_UTF8 0x0800u

/* A member as all of its headers have it. */
struct rt_zip_member {
	struct rt_slice name; /* borrowed from the directory */
	uint64_t local;       /* offset of the local header */
	uint64_t end;         /* after all that the member has in the file */
	uint64_t packed;      /* bytes of data in the zip */
	uint64_t size;        /* bytes of data without compression */
	uint32_t crc;
	uint16_t flags, method, time, date;
	bool is_folder, is_link;
};

/* {0} is none. */
struct rt_zip_directory {
	uint8_t *bytes;
	struct rt_zip_member *members; /* in the order of the directory */
	size_t count;
};

/* Whether members that are packed by a method are read: stored ones, deflate, bzip2. What libzip
 * can do beyond that is its version's affair. */
bool rt_zip_reads(unsigned method);

/* A file for libzip: read from one descriptor and, where a zip is written, written to another. */
struct rt_zip_file {
	int fd;
	uint64_t from, size;      /* offset and number of the bytes that are read */
	uint64_t at;              /* in them */
	int out;                  /* -1: it is only read */
	uint64_t out_from;        /* offset in `out` of the new file's first byte */
	uint64_t out_at, out_len; /* in the new file */
	struct rt_progress *progress;
	zip_error_t error;
	int sys; /* the errno of what failed; 0: nothing has */
};

/* file: all but its error, sys and places set; borrowed. Returns NULL with *err set. */
zip_source_t *rt_zip_source(struct rt_zip_file *file, zip_error_t *err);

struct rt_zip;

/*
 * Open and check a zip.
 *
 * fd: a regular file of size bytes. fd, meter: borrowed until rt_zip_free(); every byte that comes
 * out is counted. max_members: limit "members".
 * Returns RT_OK; RT_REJECT where the zip is bad; RT_FATAL.
 */
enum rt_status rt_zip_open(int fd, uint64_t size, uint64_t max_members, struct rt_meter *meter,
			   struct rt_zip **ret_zip, struct rt_error *err);

/* The members, in the order of the directory; borrowed. */
const struct rt_zip_directory *rt_zip_members(const struct rt_zip *zip);

/*
 * The bytes of a member, from their first one; the stream before it is over. It ends only where its
 * size and CRC are those of the directory. Borrowed: rt_stream_free() does nothing.
 */
struct rt_stream *rt_zip_stream(struct rt_zip *zip, size_t index);

/* NULL is allowed. */
void rt_zip_free(struct rt_zip *zip);

#endif
