/*
 * The directory of a zip that is written again (APPNOTE.TXT 4.3, 4.5.3): read whole, changed
 * where members have moved or changed, written whole.
 * Included by repack_zip*.c only.
 */
#ifndef RT_OUTPUT_REPACK_ZIP_H
#define RT_OUTPUT_REPACK_ZIP_H

#include "decode/zip_directory.h"
#include "decode/zip_headers.h"
#include "output/repack_state.h"

#define ZIP_STORED 0u
#define ZIP_DEFLATED 8u

/* One entry of the directory. */
struct rt_zip_entry {
	size_t at;       /* in the directory */
	uint64_t local;  /* offset of the local header */
	uint64_t packed; /* bytes of data in the zip */
	uint64_t size;   /* bytes of data without compression */
	uint32_t crc;
	uint16_t flags;
	uint16_t method;
	/* What it becomes. */
	uint64_t new_local; /* packed, size, crc and flags are changed in their places */
};

struct rt_zip {
	struct rt_zip_place place;
	struct rt_buf bytes;           /* the directory and the end records, to the file's end */
	struct rt_zip_entry *entries;  /* in the order of the directory */
	struct rt_zip_entry **by_data; /* in the order of their data */
	size_t count;
};

/*
 * Read the directory of a zip that rt_zip_directory_check() has found good or will.
 * zip: {0}; released by rt_zip_release() whatever is returned.
 * Returns RT_OK, RT_REJECT or RT_FATAL.
 */
enum rt_status rt_zip_read(struct rt_zip *zip, int fd, uint64_t size, struct rt_error *err);

/*
 * Write the directory and the end records to a sink, at offset `at` of the new zip.
 * Returns RT_OK; RT_REJECT where the zip has become too large for its form; RT_FATAL.
 */
enum rt_status rt_zip_write(const struct rt_zip *zip, uint64_t at, const struct rt_sink *to,
			    struct rt_error *err);

void rt_zip_release(struct rt_zip *zip);

/* A number in little-endian order; rt_zip_get() reads one. */
void rt_zip_put(uint8_t *at, unsigned bytes, uint64_t value);

/*
 * The 64-bit extra field in a run of extra fields: its data, *ret_len bytes; NULL where there is
 * none.
 */
const uint8_t *rt_zip_extra64(const uint8_t *extra, size_t len, size_t *ret_len);

/* Append all extra fields but the 64-bit one. A tail that is no field is kept. */
enum rt_status rt_zip_extra_others(const uint8_t *extra, size_t len, struct rt_buf *out,
				   struct rt_error *err);

#endif
