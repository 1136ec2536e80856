/*
 * A zip's central directory. Input: a seekable zip. Output: how many members it must have.
 * Refuses a file that does not end with the directory's own end record, a directory with gaps or
 * a wrong count, entries that disagree with their local headers, names with a NUL, several
 * volumes, and more entries than the limit.
 */
#include "decode/zip_directory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/io.h"

#define END_BYTES 22u
#define COMMENT_MAX 65535u
#define END64_BYTES 56u
#define LOCATOR64_BYTES 20u
#define ENTRY_BYTES 46u
#define LOCAL_BYTES 30u
#define NAME_MAX_BYTES 65535u
#define TAIL_MAX (END_BYTES + COMMENT_MAX)
#define FLAG_ENCRYPTED 1u

struct zip {
	int fd;
	uint64_t size;
	uint64_t end;     /* offset where the directory must end */
	uint64_t offset;  /* where it starts */
	uint64_t entries; /* how many it says it has */
	uint64_t record;  /* offset of the end record */
	/* One of: the file's tail; an entry's name and extra field. */
	uint8_t text[2 * (NAME_MAX_BYTES + 1)];
	uint8_t local_name[NAME_MAX_BYTES];
};

static uint64_t little(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

static enum rt_status zip_reject(struct rt_error *err, const char *want, uint64_t at)
{
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have other bytes at offset %" PRIu64, want,
			   at);
	return RT_REJECT;
}

/* Exactly len bytes at offset at. */
static enum rt_status zip_pread(const struct zip *zip, void *buf, size_t len, uint64_t at,
				struct rt_error *err)
{
	size_t done = 0;

	if (at > zip->size || len > zip->size - at)
		return zip_reject(err, "a zip archive with all its bytes", zip->size);
	while (done < len) {
		ssize_t got =
		    rt_read_at(zip->fd, (uint8_t *)buf + done, len - done, (off_t)(at + done));

		if (got < 0)
			return rt_error_sys(err, errno, "cannot read the file");
		if (got == 0)
			return zip_reject(err, "a zip archive with all its bytes", at + done);
		done += (size_t)got;
	}
	return RT_OK;
}

/* The 64-bit end record, when the locator before the end record leads to one. */
static enum rt_status zip_find_end64(struct zip *zip, uint64_t end_at, struct rt_error *err)
{
	uint8_t locator[LOCATOR64_BYTES];
	uint8_t end[END64_BYTES];
	uint64_t at;
	enum rt_status status;

	if (end_at < LOCATOR64_BYTES)
		return RT_OK;
	status = zip_pread(zip, locator, sizeof(locator), end_at - LOCATOR64_BYTES, err);
	if (status != RT_OK || memcmp(locator, "PK\6\7", 4) != 0)
		return status;
	at = little(locator + 8, 8);
	status = zip_pread(zip, end, sizeof(end), at, err);
	if (status != RT_OK)
		return status;
	if (memcmp(end, "PK\6\6", 4) != 0 || little(end + 16, 4) || little(end + 20, 4))
		return zip_reject(err, "a zip with its 64-bit end record", at);
	zip->entries = little(end + 32, 8);
	zip->offset = little(end + 48, 8);
	zip->end = at;
	if (little(end + 24, 8) != zip->entries || zip->offset > at ||
	    little(end + 40, 8) != at - zip->offset)
		return zip_reject(err, "a zip whose directory lies before its end record", at);
	return RT_OK;
}

/* The end record: the last one in the file, whose comment ends with the file. */
static enum rt_status zip_find_end(struct zip *zip, struct rt_error *err)
{
	size_t len = zip->size < TAIL_MAX ? (size_t)zip->size : TAIL_MAX;
	const uint8_t *end = NULL;
	enum rt_status status = zip_pread(zip, zip->text, len, zip->size - len, err);

	if (status != RT_OK)
		return status;
	for (size_t i = len; i >= END_BYTES && !end; i--) {
		if (memcmp(zip->text + i - END_BYTES, "PK\5\6", 4) == 0)
			end = zip->text + i - END_BYTES;
	}
	if (!end || little(end + 20, 2) != (size_t)(zip->text + len - end) - END_BYTES)
		return zip_reject(err, "a zip that ends with its central directory", zip->size);
	zip->end = zip->size - (size_t)(zip->text + len - end);
	zip->record = zip->end;
	zip->entries = little(end + 10, 2);
	zip->offset = little(end + 16, 4);
	if (little(end + 4, 4) != 0 && little(end + 4, 4) != UINT32_MAX)
		return zip_reject(err, "a zip in one volume", zip->end);
	if (zip->entries == UINT16_MAX || zip->offset == UINT32_MAX ||
	    little(end + 12, 4) == UINT32_MAX)
		return zip_find_end64(zip, zip->end, err);
	if (zip->offset > zip->end || little(end + 12, 4) != zip->end - zip->offset ||
	    little(end + 8, 2) != zip->entries)
		return zip_reject(err, "a zip whose directory lies before its end record",
				  zip->end);
	return RT_OK;
}

/* Offset of the local header; a value of all ones is in the 64-bit extra field. */
static uint64_t entry_local_offset(const uint8_t *entry, const uint8_t *extra, size_t extra_len)
{
	uint64_t offset = little(entry + 42, 4);
	size_t skip = 0;

	if (offset != UINT32_MAX)
		return offset;
	skip += little(entry + 24, 4) == UINT32_MAX ? 8 : 0;
	skip += little(entry + 20, 4) == UINT32_MAX ? 8 : 0;
	while (extra_len >= 4) {
		size_t len = (size_t)little(extra + 2, 2);

		if (len > extra_len - 4)
			break;
		if (little(extra, 2) == 1 && len >= skip + 8)
			return little(extra + 4 + skip, 8);
		extra += 4 + len;
		extra_len -= 4 + len;
	}
	return offset;
}

static enum rt_status entry_check_local(struct zip *zip, const uint8_t *entry, size_t name_len,
					uint64_t at, struct rt_error *err)
{
	uint8_t local[LOCAL_BYTES];
	enum rt_status status = zip_pread(zip, local, sizeof(local), at, err);

	if (status != RT_OK)
		return status;
	if (memcmp(local, "PK\3\4", 4) != 0)
		return zip_reject(err, "a zip whose directory leads to its members", at);
	if (little(local + 26, 2) == name_len) {
		status = zip_pread(zip, zip->local_name, name_len, at + LOCAL_BYTES, err);
		if (status != RT_OK)
			return status;
		if (memcmp(zip->local_name, zip->text, name_len) == 0 &&
		    little(local + 8, 2) == little(entry + 10, 2) &&
		    ((local[6] ^ entry[8]) & FLAG_ENCRYPTED) == 0)
			return RT_OK;
	}
	return zip_reject(err, "a zip whose directory agrees with its members", at);
}

/* Check the entry at *at and move *at behind it. */
static enum rt_status zip_check_entry(struct zip *zip, uint64_t *at, struct rt_error *err)
{
	uint8_t entry[ENTRY_BYTES];
	size_t name_len;
	size_t extra_len;
	uint64_t local;
	enum rt_status status = zip_pread(zip, entry, sizeof(entry), *at, err);

	if (status != RT_OK)
		return status;
	if (memcmp(entry, "PK\1\2", 4) != 0)
		return zip_reject(err, "a zip with a whole central directory", *at);
	name_len = (size_t)little(entry + 28, 2);
	extra_len = (size_t)little(entry + 30, 2);
	status = zip_pread(zip, zip->text, name_len + extra_len, *at + ENTRY_BYTES, err);
	if (status != RT_OK)
		return status;
	if (name_len == 0 || memchr(zip->text, '\0', name_len))
		return zip_reject(err, "a zip with member names that are text", *at);
	*at += ENTRY_BYTES + name_len + extra_len + little(entry + 32, 2);
	local = entry_local_offset(entry, zip->text + name_len, extra_len);
	status = entry_check_local(zip, entry, name_len, local, err);
	if (status != RT_OK)
		rt_error_text(err->member, sizeof(err->member),
			      rt_slice_make((const char *)zip->text, name_len));
	return status;
}

static enum rt_status zip_check(struct zip *zip, uint64_t max_entries, struct rt_error *err)
{
	enum rt_status status = zip_find_end(zip, err);
	uint64_t at = zip->offset;

	if (status == RT_OK && zip->entries > max_entries) {
		(void)rt_error_set(err, RT_E_LIMIT,
				   "want at most %" PRIu64
				   " members (limit \"members\"), have %" PRIu64,
				   max_entries, zip->entries);
		return RT_REJECT;
	}
	for (uint64_t i = 0; status == RT_OK && i < zip->entries; i++)
		status = zip_check_entry(zip, &at, err);
	if (status == RT_OK && at != zip->end)
		status = zip_reject(err, "a zip directory with as many entries as it says", at);
	return status;
}

enum rt_status rt_zip_directory_find(int fd, uint64_t size, struct rt_zip_place *ret_place,
				     struct rt_error *err)
{
	struct zip *zip = calloc(1, sizeof(*zip));
	enum rt_status status;

	if (!zip)
		return rt_error_nomem(err);
	zip->fd = fd;
	zip->size = size;
	status = zip_find_end(zip, err);
	if (status == RT_OK)
		*ret_place = (struct rt_zip_place){.offset = zip->offset,
						   .end = zip->end,
						   .record = zip->record,
						   .entries = zip->entries};
	free(zip);
	return status;
}

enum rt_status rt_zip_directory_check(int fd, uint64_t size, uint64_t max_entries,
				      uint64_t *ret_entries, struct rt_error *err)
{
	struct zip *zip = calloc(1, sizeof(*zip));
	enum rt_status status;

	if (!zip)
		return rt_error_nomem(err);
	zip->fd = fd;
	zip->size = size;
	status = zip_check(zip, max_entries, err);
	if (status == RT_OK)
		*ret_entries = zip->entries;
	free(zip);
	return status;
}
