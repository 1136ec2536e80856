/*
 * A zip, written again (APPNOTE.TXT 4.3, 4.5.3). Input: a seekable zip. Output: its bytes in their
 * order, but for the members that have patches: local header, data and directory entry of those
 * are changed, and the offsets of what lies after them. Members that are not patched are copied
 * as they are, and their CRC is checked, so their compression, comments, extra fields and
 * encryption stay; libarchive's writer keeps few of these. A stored member stays stored, a deflated
 * one is deflated. The directory is read whole and written whole, in its order.
 * Refuses to change members of other methods, members that overlap, a directory beyond
 * RT_ZIP_DIRECTORY_MAX, and a zip that grows beyond what its end record can say: a 64-bit one is
 * kept, not added.
 */
#include <archive_entry.h>
#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "decode/zip_directory.h"
#include "decode/zip_headers.h"
#include "rewrite/repack_state.h"

#define ZIP_STORED 0u
#define ZIP_DEFLATED 8u
#define END64_BYTES 56u
#define LOCATOR64_BYTES 20u
#define VERSION_64 45u
#define EXTRA_64 0x0001u
/* Sizes, offset, and the number of the volume, which is 4 bytes. */
#define EXTRA_64_MAX 28u

/* One entry of the directory. */
struct entry {
	size_t at;                     /* in the directory */
	struct rt_zip_central central; /* packed, size, crc and flags are changed in their places */
	uint64_t new_local;            /* offset of the local header in the new zip */
};

/* A zip on its way. */
struct zip {
	struct rt_repack_state *state;
	int fd;
	struct rt_zip_place place;
	struct rt_buf bytes;    /* the directory and the end records, to the file's end */
	struct entry *entries;  /* in the order of the directory */
	struct entry **by_data; /* in the order of their data */
	size_t count;
	uint64_t cursor;  /* offset in the old zip up to which all is done */
	uint64_t written; /* offset in the new one */
};

static enum rt_status zip_refuse(struct rt_error *err, const char *want)
{
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have another form", want);
	return RT_REJECT;
}

static enum rt_status zip_put(struct zip *z, const void *data, size_t len, struct rt_error *err)
{
	z->written += len;
	return z->state->to.write(z->state->to.ctx, data, len, err);
}

/* Copy the old bytes up to an offset. */
static enum rt_status zip_copy_to(struct zip *z, uint64_t end, struct rt_error *err)
{
	uint64_t len = end - z->cursor;

	z->written += len;
	if (end < z->cursor)
		return zip_refuse(err, "zip members that do not overlap");
	z->cursor = end;
	return rt_repack_copy(z->fd, end - len, len, &z->state->to, err);
}

/* A number in little-endian order; rt_zip_get() reads one. */
static void number_put(uint8_t *at, unsigned bytes, uint64_t value)
{
	for (unsigned i = 0; i < bytes; i++, value >>= 8)
		at[i] = (uint8_t)value;
}

/* --- Extra fields ------------------------------------------------------------------------ */

static bool extra_has64(const uint8_t *extra, size_t len)
{
	struct rt_slice rest = rt_slice_make((const char *)extra, len);
	struct rt_slice data;
	unsigned id;

	while (rt_zip_extra_next(&rest, &id, &data)) {
		if (id == EXTRA_64)
			return true;
	}
	return false;
}

/* Append all extra fields but the 64-bit one. A tail that is no field is kept. */
static enum rt_status extra_copy_others(const uint8_t *extra, size_t len, struct rt_buf *out,
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

/* --- Reading the directory --------------------------------------------------------------- */

/* Read the entry at *at and move *at after it. */
static enum rt_status entry_read(const struct zip *z, size_t *at, struct entry *entry,
				 struct rt_error *err)
{
	const uint8_t *bytes = (const uint8_t *)z->bytes.data + *at;
	size_t left = (size_t)(z->place.end - z->place.offset) - *at;
	struct rt_slice name, extra;
	size_t whole;

	if (left < RT_ZIP_CENTRAL_BYTES || memcmp(bytes, "PK\1\2", 4) != 0)
		return zip_refuse(err, "a zip with a whole central directory");
	name = rt_slice_make((const char *)bytes + RT_ZIP_CENTRAL_BYTES,
			     (size_t)rt_zip_get(bytes + 28, 2));
	extra = rt_slice_make(name.ptr + name.len, (size_t)rt_zip_get(bytes + 30, 2));
	whole = RT_ZIP_CENTRAL_BYTES + name.len + extra.len + (size_t)rt_zip_get(bytes + 32, 2);
	if (whole > left)
		return zip_refuse(err, "a zip with a whole central directory");
	if (rt_zip_get(bytes + 34, 2) != 0)
		return zip_refuse(err, "a zip in one volume");
	entry->at = *at;
	*at += whole;
	return rt_zip_central_read(bytes, name, extra, &entry->central, err);
}

static int compare_data(const void *left, const void *right)
{
	const struct entry *a = *(struct entry *const *)left;
	const struct entry *b = *(struct entry *const *)right;

	return (a->central.local > b->central.local) - (a->central.local < b->central.local);
}

static enum rt_status directory_read_entries(struct zip *z, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	size_t at = 0;

	z->count = (size_t)z->place.entries;
	z->entries = calloc(z->count + 1, sizeof(*z->entries));
	z->by_data = calloc(z->count + 1, sizeof(struct entry *));
	if (!z->entries || !z->by_data)
		return rt_error_nomem(err);
	for (size_t i = 0; status == RT_OK && i < z->count; i++) {
		z->by_data[i] = &z->entries[i];
		status = entry_read(z, &at, &z->entries[i], err);
	}
	if (status == RT_OK)
		qsort(z->by_data, z->count, sizeof(struct entry *), compare_data);
	return status;
}

/* Read the directory of a zip that rt_zip_directory_check() has found good or will. */
static enum rt_status directory_read(struct zip *z, uint64_t size, struct rt_error *err)
{
	const struct rt_sink sink = rt_buf_sink(&z->bytes);
	enum rt_status status = rt_zip_directory_find(z->fd, size, &z->place, err);

	if (status != RT_OK)
		return status;
	if (z->place.offset > z->place.end || z->place.end > size)
		return zip_refuse(err, "a zip whose directory lies before its end record");
	if (size - z->place.offset > RT_ZIP_DIRECTORY_MAX ||
	    z->place.entries > (size - z->place.offset) / RT_ZIP_CENTRAL_BYTES) {
		(void)rt_error_set(err, RT_E_LIMIT,
				   "want a zip directory of at most %" PRIu64
				   " bytes, have %" PRIu64 " for %" PRIu64 " member%s",
				   RT_ZIP_DIRECTORY_MAX, size - z->place.offset, z->place.entries,
				   RT_S(z->place.entries));
		return RT_REJECT;
	}
	status = rt_repack_copy(z->fd, z->place.offset, size - z->place.offset, &sink, err);
	return status == RT_OK ? directory_read_entries(z, err) : status;
}

/* --- Writing the directory --------------------------------------------------------------- */

/*
 * The 64-bit extra field of an entry, with the values that were there before, or are too large
 * for the entry's own fields now, which become all ones. Returns its bytes, maybe 0.
 */
static size_t entry_put64(uint8_t *head, const struct entry *entry, uint8_t *field)
{
	static const unsigned places[] = {24, 20, 42};
	const uint64_t values[] = {entry->central.size, entry->central.packed, entry->new_local};
	size_t len = 4;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		bool is_long = rt_zip_get(head + places[i], 4) == UINT32_MAX;

		if (!is_long && values[i] < UINT32_MAX) {
			number_put(head + places[i], 4, values[i]);
			continue;
		}
		number_put(head + places[i], 4, UINT32_MAX);
		number_put(field + len, 8, values[i]);
		len += 8;
	}
	if (len == 4)
		return 0;
	number_put(field, 2, EXTRA_64);
	number_put(field + 2, 2, len - 4);
	return len;
}

static enum rt_status entry_write(const struct zip *z, const struct entry *entry,
				  struct rt_buf *out, struct rt_error *err)
{
	const uint8_t *bytes = (const uint8_t *)z->bytes.data + entry->at;
	size_t name = (size_t)rt_zip_get(bytes + 28, 2);
	size_t extra = (size_t)rt_zip_get(bytes + 30, 2);
	size_t comment = (size_t)rt_zip_get(bytes + 32, 2);
	size_t start = out->len;
	uint8_t field[EXTRA_64_MAX + 4];
	uint8_t head[RT_ZIP_CENTRAL_BYTES];
	enum rt_status status;
	size_t len;

	memcpy(head, bytes, sizeof(head));
	number_put(head + 8, 2, entry->central.flags);
	number_put(head + 16, 4, entry->central.crc);
	len = entry_put64(head, entry, field);
	if (len && rt_zip_get(head + 6, 2) < VERSION_64)
		number_put(head + 6, 2, VERSION_64);
	status = rt_buf_append(out, head, sizeof(head), err);
	if (status == RT_OK)
		status = rt_buf_append(out, bytes + RT_ZIP_CENTRAL_BYTES, name, err);
	if (status == RT_OK)
		status = rt_buf_append(out, field, len, err);
	if (status == RT_OK)
		status = extra_copy_others(bytes + RT_ZIP_CENTRAL_BYTES + name, extra, out, err);
	if (status != RT_OK)
		return status;
	len = out->len - start - RT_ZIP_CENTRAL_BYTES - name;
	if (len > UINT16_MAX)
		return zip_refuse(err, "a zip with room in its extra fields");
	number_put((uint8_t *)out->data + start + 30, 2, len);
	return rt_buf_append(out, bytes + RT_ZIP_CENTRAL_BYTES + name + extra, comment, err);
}

/* The end records, at `end`, for a directory of dir_len bytes that is written next. */
static enum rt_status end_change(const struct zip *z, uint8_t *end, uint64_t dir_len,
				 struct rt_error *err)
{
	uint64_t record = z->place.record - z->place.end;
	uint8_t *last = end + record;
	uint64_t at = z->written;

	if (record >= END64_BYTES + LOCATOR64_BYTES) {
		number_put(end + 40, 8, dir_len);
		number_put(end + 48, 8, at);
		number_put(last - LOCATOR64_BYTES + 8, 8, at + dir_len);
	}
	if ((rt_zip_get(last + 12, 4) != UINT32_MAX && dir_len >= UINT32_MAX) ||
	    (rt_zip_get(last + 16, 4) != UINT32_MAX && at >= UINT32_MAX))
		return zip_refuse(err, "a zip of less than 4 GiB, or with 64-bit end records");
	if (rt_zip_get(last + 12, 4) != UINT32_MAX)
		number_put(last + 12, 4, dir_len);
	if (rt_zip_get(last + 16, 4) != UINT32_MAX)
		number_put(last + 16, 4, at);
	return RT_OK;
}

/* Write the directory and the end records. */
static enum rt_status directory_write(struct zip *z, struct rt_error *err)
{
	size_t old_len = (size_t)(z->place.end - z->place.offset);
	enum rt_status status = RT_OK;
	struct rt_buf out = {0};
	size_t len;

	for (size_t i = 0; status == RT_OK && i < z->count; i++)
		status = entry_write(z, &z->entries[i], &out, err);
	len = out.len;
	if (status == RT_OK)
		status = rt_buf_append(&out, z->bytes.data + old_len, z->bytes.len - old_len, err);
	if (status == RT_OK)
		status = end_change(z, (uint8_t *)out.data + len, len, err);
	if (status == RT_OK)
		status = zip_put(z, out.data, out.len, err);
	rt_buf_release(&out);
	return status;
}

/* --- Counting ---------------------------------------------------------------------------- */

/* A sink that passes everything on, and counts. */
struct tally {
	struct rt_sink to;
	uint64_t len;
	uint32_t crc; /* CRC-32 of all bytes */
};

static enum rt_status tally_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct tally *tally = ctx;

	tally->len += len;
	tally->crc = (uint32_t)crc32_z(tally->crc, data, len);
	return tally->to.write(tally->to.ctx, data, len, err);
}

static struct rt_sink tally_sink(struct tally *tally)
{
	return (struct rt_sink){tally_write, tally};
}

/* --- Methods ----------------------------------------------------------------------------- */

/* Those that libarchive reads. */
static const struct zip_method {
	unsigned method;
	const char *name;
} methods[] = {{ZIP_STORED, "nothing"},
	       {ZIP_DEFLATED, "deflate"},
	       {12, "bzip2"},
	       {14, "LZMA"},
	       {95, "xz"},
	       {98, "PPMd"}};

static const struct zip_method *method_find(unsigned method)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (methods[i].method == method)
			return &methods[i];
	}
	return NULL;
}

/* --- What a member has ------------------------------------------------------------------- */

/* Append len bytes of the old zip to buf. */
static enum rt_status zip_load(const struct zip *z, uint64_t at, size_t len, struct rt_buf *buf,
			       struct rt_error *err)
{
	const struct rt_sink to = rt_buf_sink(buf);

	if (at > z->place.offset || len > z->place.offset - at)
		return zip_refuse(err, "a zip with members in front of its directory");
	return rt_repack_copy(z->fd, at, len, &to, err);
}

/* The local header with name and extra fields. */
static enum rt_status local_load(const struct zip *z, const struct entry *entry,
				 struct rt_buf *local, struct rt_error *err)
{
	enum rt_status status = zip_load(z, entry->central.local, RT_ZIP_LOCAL_BYTES, local, err);
	const uint8_t *head = (const uint8_t *)local->data;
	size_t more;

	if (status != RT_OK)
		return status;
	more = (size_t)rt_zip_get(head + 26, 2) + (size_t)rt_zip_get(head + 28, 2);
	return zip_load(z, entry->central.local + RT_ZIP_LOCAL_BYTES, more, local, err);
}

/* Offset after all that belongs to a member with this local header. */
static enum rt_status member_end(const struct zip *z, const struct entry *entry,
				 const struct rt_buf *local, uint64_t *ret_end,
				 struct rt_error *err)
{
	uint64_t limit = z->place.offset;
	uint64_t end = entry->central.local + local->len;
	enum rt_status status = RT_OK;
	struct rt_buf bytes = {0};
	size_t len = 0;

	if (entry->central.packed > limit - end)
		return zip_refuse(err, "a zip with members in front of its directory");
	end += entry->central.packed;
	if (rt_zip_get((const uint8_t *)local->data + 6, 2) & RT_ZIP_AFTER) {
		status = zip_load(z, end,
				  limit - end < RT_ZIP_DESCRIPTOR_MAX ? (size_t)(limit - end)
								      : RT_ZIP_DESCRIPTOR_MAX,
				  &bytes, err);
		if (status == RT_OK)
			len = rt_zip_descriptor_len(entry->central.packed, entry->central.size,
						    entry->central.crc, (const uint8_t *)bytes.data,
						    bytes.len);
		if (status == RT_OK && !len)
			status =
			    zip_refuse(err, "a zip member with its sizes after its data as they "
					    "are in its directory");
	}
	rt_buf_release(&bytes);
	*ret_end = end + len;
	return status;
}

/* --- A patched member -------------------------------------------------------------------- */

/* Make the new data in the spool and set the entry's sizes and checksum. */
static enum rt_status member_make(struct zip *z, const struct rt_member *member,
				  struct entry *entry, struct rt_error *err)
{
	struct rt_repack_state *state = z->state;
	struct rt_encoder *deflate = NULL;
	struct tally tally = {.crc = 0};
	struct rt_sink into = tally_sink(&tally);
	enum rt_status status = rt_repack_spool_begin(state, &tally.to, err);

	if (status == RT_OK && entry->central.method == ZIP_DEFLATED) {
		status = rt_encoder_open_deflate(&tally.to, &deflate, err);
		if (status == RT_OK)
			tally.to = rt_encoder_sink(deflate);
	}
	if (status == RT_OK)
		status = rt_repack_pour_member(state, member, &into, err);
	if (status == RT_OK && deflate)
		status = rt_encoder_finish(deflate, err);
	rt_encoder_free(deflate);
	entry->central.flags &= (uint16_t)~RT_ZIP_AFTER;
	entry->central.size = tally.len;
	entry->central.crc = tally.crc;
	entry->central.packed = state->spool.len;
	return status;
}

/* The local header with the entry's new numbers; sizes of 8 bytes where it had them, or must. */
static enum rt_status local_write(struct zip *z, const struct rt_buf *local,
				  const struct entry *entry, struct rt_error *err)
{
	uint8_t field[20] = {1, 0, 16, 0};
	const uint8_t *old = (const uint8_t *)local->data;
	size_t name = (size_t)rt_zip_get(old + 26, 2);
	const uint8_t *extra = old + RT_ZIP_LOCAL_BYTES + name;
	size_t extra_len = local->len - RT_ZIP_LOCAL_BYTES - name;
	bool is_long = extra_has64(extra, extra_len) || entry->central.size >= UINT32_MAX ||
		       entry->central.packed >= UINT32_MAX;
	struct rt_buf out = {0};
	uint8_t *head;
	enum rt_status status = rt_buf_append(&out, old, RT_ZIP_LOCAL_BYTES + name, err);

	number_put(field + 4, 8, entry->central.size);
	number_put(field + 12, 8, entry->central.packed);
	if (status == RT_OK && is_long)
		status = rt_buf_append(&out, field, sizeof(field), err);
	if (status == RT_OK)
		status = extra_copy_others(extra, extra_len, &out, err);
	if (status == RT_OK && out.len - RT_ZIP_LOCAL_BYTES - name > UINT16_MAX)
		status = zip_refuse(err, "a zip with room in its extra fields");
	if (status == RT_OK) {
		head = (uint8_t *)out.data;
		if (is_long && rt_zip_get(head + 4, 2) < VERSION_64)
			number_put(head + 4, 2, VERSION_64);
		number_put(head + 6, 2, rt_zip_get(old + 6, 2) & ~(uint64_t)RT_ZIP_AFTER);
		number_put(head + 14, 4, entry->central.crc);
		number_put(head + 18, 4, is_long ? UINT32_MAX : entry->central.packed);
		number_put(head + 22, 4, is_long ? UINT32_MAX : entry->central.size);
		number_put(head + 28, 2, out.len - RT_ZIP_LOCAL_BYTES - name);
		status = zip_put(z, out.data, out.len, err);
	}
	rt_buf_release(&out);
	return status;
}

static enum rt_status refuse_method(unsigned method, struct rt_error *err)
{
	const struct zip_method *known = method_find(method);

	(void)rt_error_set(err, RT_E_INPUT,
			   "want a zip member that is stored or deflated to change it, have it "
			   "packed with %s (method %u): pack the zip anew with deflate, or keep "
			   "the updates in a journal (--journal)",
			   known ? known->name : "something else", method);
	return RT_REJECT;
}

static enum rt_status member_write(struct zip *z, const struct rt_member *member,
				   struct entry *entry, struct rt_error *err)
{
	const struct rt_repack_state *state = z->state;
	struct rt_buf local = {0};
	uint64_t end = 0;
	enum rt_status status;

	if (entry->central.method != ZIP_STORED && entry->central.method != ZIP_DEFLATED)
		return refuse_method(entry->central.method, err);
	status = local_load(z, entry, &local, err);
	if (status == RT_OK)
		status = member_end(z, entry, &local, &end, err);
	if (status == RT_OK)
		status = zip_copy_to(z, entry->central.local, err);
	if (status == RT_OK)
		status = member_make(z, member, entry, err);
	if (status == RT_OK)
		status = local_write(z, &local, entry, err);
	if (status == RT_OK)
		status = rt_repack_copy(state->spool.fd, 0, state->spool.len, &state->to, err);
	z->written += state->spool.len;
	z->cursor = end;
	rt_buf_release(&local);
	return status;
}

/* --- A member that is copied ------------------------------------------------------------- */

static enum rt_status sink_drop(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	(void)ctx;
	(void)data;
	(void)len;
	(void)err;
	return RT_OK;
}

/* The data of a stored member, whatever its type: libarchive takes those of a link as its target.
 */
static enum rt_status stored_check(const struct zip *z, const struct entry *entry,
				   struct rt_error *err)
{
	struct tally tally = {.to = {sink_drop, NULL}};
	const struct rt_sink to = tally_sink(&tally);
	struct rt_buf local = {0};
	enum rt_status status = local_load(z, entry, &local, err);

	if (status == RT_OK)
		status = rt_repack_copy(z->fd, entry->central.local + local.len,
					entry->central.packed, &to, err);
	rt_buf_release(&local);
	if (status != RT_OK || tally.crc == entry->central.crc)
		return status;
	(void)rt_error_set(err, RT_E_INPUT,
			   "want a zip member with CRC %08" PRIx32 ", have %08" PRIx32,
			   entry->central.crc, tally.crc);
	return RT_REJECT;
}

/*
 * The CRC of a member that only is copied (SPEC D1); a candidate's was checked when it was read.
 * It cannot be checked without a key, or where libarchive does not read the method.
 */
static enum rt_status member_check(const struct zip *z, const struct rt_member *member,
				   const struct entry *entry, struct rt_error *err)
{
	if (member->name || entry->central.flags & RT_ZIP_ENCRYPTED)
		return RT_OK;
	if (entry->central.method == ZIP_STORED)
		return stored_check(z, entry, err);
	if (archive_entry_filetype(member->entry) == AE_IFREG && method_find(entry->central.method))
		return rt_stream_drain(member->stream, err);
	return RT_OK;
}

/* --- All members ------------------------------------------------------------------------- */

/* libarchive goes through the members in the order of their data, as by_data is. */
static enum rt_status zip_member(void *ctx, const struct rt_member *member, struct rt_error *err)
{
	struct zip *z = ctx;
	enum rt_status status = rt_repack_check_links(z->state, member, err);
	struct entry *entry;

	if (status != RT_OK)
		return status;
	if (member->index >= z->count)
		return zip_refuse(err, "the members of the zip's directory");
	entry = z->by_data[member->index];
	if (archive_entry_filetype(member->entry) == AE_IFREG &&
	    archive_entry_size_is_set(member->entry) &&
	    (uint64_t)archive_entry_size(member->entry) != entry->central.size)
		return zip_refuse(err, "zip members in the order of their data");
	if (entry->central.local < z->cursor)
		return zip_refuse(err, "zip members that do not overlap");
	entry->new_local = entry->central.local - z->cursor + z->written;
	if (member->name && rt_repack_is_patched(z->state))
		status = member_write(z, member, entry, err);
	else
		status = member_check(z, member, entry, err);
	if (status == RT_OK && member->name)
		status = rt_repack_count(z->state, member->name, err);
	return status;
}

static enum rt_status zip_end(void *ctx, struct rt_error *err)
{
	struct zip *z = ctx;
	enum rt_status status = zip_copy_to(z, z->place.offset, err);

	return status == RT_OK ? directory_write(z, err) : status;
}

enum rt_status rt_repack_zip(struct rt_repack_state *state, int fd, uint64_t size,
			     struct rt_error *err)
{
	struct zip z = {.state = state, .fd = fd};
	const struct rt_visit visit = {.member = zip_member, .end = zip_end, .ctx = &z};
	enum rt_status status = directory_read(&z, size, err);

	if (status == RT_OK)
		status =
		    rt_container_walk(&state->decode, RT_MAGIC_ZIP, NULL, fd, size, &visit, err);
	rt_buf_release(&z.bytes);
	free(z.entries);
	free(z.by_data);
	return status;
}
