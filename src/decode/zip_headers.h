/*
 * One member's headers in a zip (APPNOTE.TXT 4.3.7, 4.3.9, 4.3.12, 4.5): its entry in the
 * directory, its local header, the descriptor after its data, and the extra fields of both
 * headers.
 */
#ifndef RT_DECODE_ZIP_HEADERS_H
#define RT_DECODE_ZIP_HEADERS_H

#include "base/error.h"

/* Bytes of an entry in the directory, and of a local header, up to the name. */
#define RT_ZIP_CENTRAL_BYTES 46u
#define RT_ZIP_LOCAL_BYTES 30u
/* Bytes of the longest descriptor. */
#define RT_ZIP_DESCRIPTOR_MAX 24u

/* Flags: the data are encrypted; sizes and CRC come after the data; the name is UTF-8. */
#define RT_ZIP_ENCRYPTED 0x0001u
#define RT_ZIP_AFTER 0x0008u
#define RT_ZIP_UTF8 0x0800u

/* A member as its entry in the directory has it. */
struct rt_zip_central {
	struct rt_slice name; /* borrowed from the entry */
	uint64_t local;       /* offset of the local header */
	uint64_t packed;      /* bytes of data in the zip */
	uint64_t size;        /* bytes of data without compression */
	uint32_t crc;
	uint32_t attributes; /* "external" ones, whose form the system decides */
	uint16_t flags;
	uint16_t method;
	uint8_t system;
};

/* A number in little-endian order. */
uint64_t rt_zip_get(const uint8_t *at, unsigned bytes);

/*
 * Take the extra field at the start of *extra off it. *ret_id, *ret_data: its number and data.
 * Returns whether there was a whole one; a rest of less than 4 bytes is none.
 */
bool rt_zip_extra_next(struct rt_slice *extra, unsigned *ret_id, struct rt_slice *ret_data);

/*
 * Bytes of the descriptor at `bytes`: with or without a magic, with sizes of 4 or 8 bytes, and the
 * longest of these that says what the arguments say. 0: there is none.
 */
size_t rt_zip_descriptor_len(uint64_t packed, uint64_t size, uint32_t crc, const uint8_t *bytes,
			     size_t len);

/*
 * Read an entry of the directory, and check that whatever a reader could take from it is the same.
 *
 * entry: RT_ZIP_CENTRAL_BYTES bytes, its magic seen. name, extra: what comes after them.
 * Returns RT_OK; RT_REJECT where readers would differ in name, type or size.
 */
enum rt_status rt_zip_central_read(const uint8_t *entry, struct rt_slice name,
				   struct rt_slice extra, struct rt_zip_central *ret_central,
				   struct rt_error *err);

/*
 * Check that a local header, its extra fields included, says what the directory says.
 *
 * local: RT_ZIP_LOCAL_BYTES bytes, its magic seen. name, extra: what comes after them.
 * Returns RT_OK or RT_REJECT.
 */
enum rt_status rt_zip_local_check(const struct rt_zip_central *central, const uint8_t *local,
				  struct rt_slice name, struct rt_slice extra,
				  struct rt_error *err);

#endif
