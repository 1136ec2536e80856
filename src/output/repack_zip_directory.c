/*
 * A zip's directory, read and written. Input: the bytes of the directory and of what ends the
 * file. Output: the same bytes, with offsets, sizes and checksums of members that have moved or
 * changed; comments, extra fields, attributes and the order of the entries stay.
 * Refuses a directory beyond RT_ZIP_DIRECTORY_MAX, and a zip that grows beyond what its end record
 * can say: a 64-bit one is kept, not added.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "output/repack_zip.h"

#define END64_BYTES 56u
#define LOCATOR64_BYTES 20u
#define VERSION_64 45u
#define EXTRA_64 0x0001u
/* Sizes, offset, and the number of the volume, which is 4 bytes. */
#define EXTRA_64_MAX 28u

void rt_zip_put(uint8_t *at, unsigned bytes, uint64_t value)
{
	for (unsigned i = 0; i < bytes; i++, value >>= 8)
		at[i] = (uint8_t)value;
}

/* --- Extra fields ------------------------------------------------------------------------ */

const uint8_t *rt_zip_extra64(const uint8_t *extra, size_t len, size_t *ret_len)
{
	struct rt_slice rest = rt_slice_make((const char *)extra, len);
	struct rt_slice data;
	unsigned id;

	while (rt_zip_extra_next(&rest, &id, &data)) {
		if (id == EXTRA_64) {
			*ret_len = data.len;
			return (const uint8_t *)data.ptr;
		}
	}
	return NULL;
}

enum rt_status rt_zip_extra_others(const uint8_t *extra, size_t len, struct rt_buf *out,
				   struct rt_error *err)
{
	struct rt_slice rest = rt_slice_make((const char *)extra, len);
	enum rt_status status = RT_OK;
	struct rt_slice data;
	unsigned id;

	while (status == RT_OK && rt_zip_extra_next(&rest, &id, &data)) {
		if (id != EXTRA_64)
			status = rt_buf_append(out, data.ptr - 4, 4 + data.len, err);
	}
	return status == RT_OK ? rt_buf_append(out, rest.ptr, rest.len, err) : status;
}

/* --- Reading ----------------------------------------------------------------------------- */

static enum rt_status zip_refuse(struct rt_error *err, const char *want)
{
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have another form", want);
	return RT_REJECT;
}

/* The 64-bit values of an entry stand in its extra field, each only where its own is all ones. */
static bool entry_read64(struct rt_zip_entry *entry, const uint8_t *extra, size_t len)
{
	uint64_t *const values[] = {&entry->size, &entry->packed, &entry->local};
	size_t have = 0;
	const uint8_t *at = rt_zip_extra64(extra, len, &have);

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (*values[i] != UINT32_MAX || !at)
			continue;
		if (have < 8)
			return false;
		*values[i] = rt_zip_get(at, 8);
		at += 8;
		have -= 8;
	}
	return true;
}

/* Read the entry at *at and move *at behind it. */
static enum rt_status entry_read(const struct rt_zip *zip, size_t *at, struct rt_zip_entry *entry,
				 struct rt_error *err)
{
	const uint8_t *bytes = (const uint8_t *)zip->bytes.data + *at;
	size_t left = (size_t)(zip->place.end - zip->place.offset) - *at;
	size_t name, extra, whole;

	if (left < RT_ZIP_CENTRAL_BYTES || memcmp(bytes, "PK\1\2", 4) != 0)
		return zip_refuse(err, "a zip with a whole central directory");
	name = (size_t)rt_zip_get(bytes + 28, 2);
	extra = (size_t)rt_zip_get(bytes + 30, 2);
	whole = RT_ZIP_CENTRAL_BYTES + name + extra + (size_t)rt_zip_get(bytes + 32, 2);
	if (whole > left)
		return zip_refuse(err, "a zip with a whole central directory");
	*entry = (struct rt_zip_entry){.at = *at,
				       .flags = (uint16_t)rt_zip_get(bytes + 8, 2),
				       .method = (uint16_t)rt_zip_get(bytes + 10, 2),
				       .crc = (uint32_t)rt_zip_get(bytes + 16, 4),
				       .packed = rt_zip_get(bytes + 20, 4),
				       .size = rt_zip_get(bytes + 24, 4),
				       .local = rt_zip_get(bytes + 42, 4)};
	*at += whole;
	if (rt_zip_get(bytes + 34, 2) != 0 ||
	    !entry_read64(entry, bytes + RT_ZIP_CENTRAL_BYTES + name, extra))
		return zip_refuse(err, "a zip in one volume with its sizes in its directory");
	return RT_OK;
}

static int compare_data(const void *left, const void *right)
{
	const struct rt_zip_entry *a = *(struct rt_zip_entry *const *)left;
	const struct rt_zip_entry *b = *(struct rt_zip_entry *const *)right;

	return (a->local > b->local) - (a->local < b->local);
}

static enum rt_status zip_read_entries(struct rt_zip *zip, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	size_t at = 0;

	zip->count = (size_t)zip->place.entries;
	zip->entries = calloc(zip->count + 1, sizeof(*zip->entries));
	zip->by_data = calloc(zip->count + 1, sizeof(struct rt_zip_entry *));
	if (!zip->entries || !zip->by_data)
		return rt_error_nomem(err);
	for (size_t i = 0; status == RT_OK && i < zip->count; i++) {
		zip->by_data[i] = &zip->entries[i];
		status = entry_read(zip, &at, &zip->entries[i], err);
	}
	if (status == RT_OK)
		qsort(zip->by_data, zip->count, sizeof(struct rt_zip_entry *), compare_data);
	return status;
}

enum rt_status rt_zip_read(struct rt_zip *zip, int fd, uint64_t size, struct rt_error *err)
{
	const struct rt_sink sink = rt_buf_sink(&zip->bytes);
	enum rt_status status = rt_zip_directory_find(fd, size, &zip->place, err);

	if (status != RT_OK)
		return status;
	if (zip->place.offset > zip->place.end || zip->place.end > size)
		return zip_refuse(err, "a zip whose directory lies before its end record");
	if (size - zip->place.offset > RT_ZIP_DIRECTORY_MAX ||
	    zip->place.entries > (size - zip->place.offset) / RT_ZIP_CENTRAL_BYTES) {
		(void)rt_error_set(err, RT_E_LIMIT,
				   "want a zip directory of at most %" PRIu64
				   " bytes, have %" PRIu64 " for %" PRIu64 " member%s",
				   RT_ZIP_DIRECTORY_MAX, size - zip->place.offset,
				   zip->place.entries, RT_S(zip->place.entries));
		return RT_REJECT;
	}
	status = rt_repack_copy(fd, zip->place.offset, size - zip->place.offset, &sink, err);
	return status == RT_OK ? zip_read_entries(zip, err) : status;
}

void rt_zip_release(struct rt_zip *zip)
{
	rt_buf_release(&zip->bytes);
	free(zip->entries);
	free(zip->by_data);
}

/* --- Writing ----------------------------------------------------------------------------- */

/*
 * The 64-bit extra field of an entry, with the values that were there before, or are too large
 * for the entry's own fields now, which become all ones. Returns its bytes, maybe 0.
 */
static size_t entry_put64(uint8_t *head, const struct rt_zip_entry *entry, uint8_t *field)
{
	static const unsigned places[] = {24, 20, 42};
	const uint64_t values[] = {entry->size, entry->packed, entry->new_local};
	size_t len = 4;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		bool is_long = rt_zip_get(head + places[i], 4) == UINT32_MAX;

		if (!is_long && values[i] < UINT32_MAX) {
			rt_zip_put(head + places[i], 4, values[i]);
			continue;
		}
		rt_zip_put(head + places[i], 4, UINT32_MAX);
		rt_zip_put(field + len, 8, values[i]);
		len += 8;
	}
	if (len == 4)
		return 0;
	rt_zip_put(field, 2, EXTRA_64);
	rt_zip_put(field + 2, 2, len - 4);
	return len;
}

static enum rt_status entry_write(const struct rt_zip *zip, const struct rt_zip_entry *entry,
				  struct rt_buf *out, struct rt_error *err)
{
	const uint8_t *bytes = (const uint8_t *)zip->bytes.data + entry->at;
	size_t name = (size_t)rt_zip_get(bytes + 28, 2);
	size_t extra = (size_t)rt_zip_get(bytes + 30, 2);
	size_t comment = (size_t)rt_zip_get(bytes + 32, 2);
	size_t start = out->len;
	uint8_t field[EXTRA_64_MAX + 4];
	uint8_t head[RT_ZIP_CENTRAL_BYTES];
	enum rt_status status;
	size_t len;

	memcpy(head, bytes, sizeof(head));
	rt_zip_put(head + 8, 2, entry->flags);
	rt_zip_put(head + 16, 4, entry->crc);
	len = entry_put64(head, entry, field);
	if (len && rt_zip_get(head + 6, 2) < VERSION_64)
		rt_zip_put(head + 6, 2, VERSION_64);
	status = rt_buf_append(out, head, sizeof(head), err);
	if (status == RT_OK)
		status = rt_buf_append(out, bytes + RT_ZIP_CENTRAL_BYTES, name, err);
	if (status == RT_OK)
		status = rt_buf_append(out, field, len, err);
	if (status == RT_OK)
		status = rt_zip_extra_others(bytes + RT_ZIP_CENTRAL_BYTES + name, extra, out, err);
	if (status != RT_OK)
		return status;
	len = out->len - start - RT_ZIP_CENTRAL_BYTES - name;
	if (len > UINT16_MAX)
		return zip_refuse(err, "a zip with room in its extra fields");
	rt_zip_put((uint8_t *)out->data + start + 30, 2, len);
	return rt_buf_append(out, bytes + RT_ZIP_CENTRAL_BYTES + name + extra, comment, err);
}

/* The end records, of `len` bytes at `end`, for a directory of dir_len bytes at offset `at`. */
static enum rt_status end_change(const struct rt_zip *zip, uint8_t *end, uint64_t at,
				 uint64_t dir_len, struct rt_error *err)
{
	uint64_t record = zip->place.record - zip->place.end;
	uint8_t *last = end + record;

	if (record >= END64_BYTES + LOCATOR64_BYTES) {
		rt_zip_put(end + 40, 8, dir_len);
		rt_zip_put(end + 48, 8, at);
		rt_zip_put(last - LOCATOR64_BYTES + 8, 8, at + dir_len);
	}
	if ((rt_zip_get(last + 12, 4) != UINT32_MAX && dir_len >= UINT32_MAX) ||
	    (rt_zip_get(last + 16, 4) != UINT32_MAX && at >= UINT32_MAX))
		return zip_refuse(err, "a zip of less than 4 GiB, or with 64-bit end records");
	if (rt_zip_get(last + 12, 4) != UINT32_MAX)
		rt_zip_put(last + 12, 4, dir_len);
	if (rt_zip_get(last + 16, 4) != UINT32_MAX)
		rt_zip_put(last + 16, 4, at);
	return RT_OK;
}

enum rt_status rt_zip_write(const struct rt_zip *zip, uint64_t at, const struct rt_sink *to,
			    struct rt_error *err)
{
	size_t old_len = (size_t)(zip->place.end - zip->place.offset);
	enum rt_status status = RT_OK;
	struct rt_buf out = {0};
	size_t len;

	for (size_t i = 0; status == RT_OK && i < zip->count; i++)
		status = entry_write(zip, &zip->entries[i], &out, err);
	len = out.len;
	if (status == RT_OK)
		status =
		    rt_buf_append(&out, zip->bytes.data + old_len, zip->bytes.len - old_len, err);
	if (status == RT_OK)
		status = end_change(zip, (uint8_t *)out.data + len, at, len, err);
	if (status == RT_OK)
		status = to->write(to->ctx, out.data, out.len, err);
	rt_buf_release(&out);
	return status;
}
