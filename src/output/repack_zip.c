/*
 * A zip, written again. Input: a seekable zip. Output: its bytes in their order, but for the
 * members that have patches: local header, data and directory entry of those are changed, and the
 * offsets of what lies behind them. Members that are not patched are copied as they are, and
 * their CRC is checked, so their compression, comments, extra fields and encryption stay;
 * libarchive's writer keeps few of these. A stored member stays stored, a deflated one is deflated.
 * Refuses to change members of other methods, and members that overlap.
 */
#include <archive_entry.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "output/repack_zip.h"

#define VERSION_64 45u

struct repack_zip {
	struct rt_repack_state *state;
	struct rt_zip zip;
	struct rt_sink to;
	int fd;
	uint64_t cursor;  /* offset in the old zip up to which all is done */
	uint64_t written; /* offset in the new one */
};

static enum rt_status zip_refuse(struct rt_error *err, const char *want)
{
	(void)rt_error_set(err, RT_E_INPUT, "want %s, have another form", want);
	return RT_REJECT;
}

static enum rt_status zip_put(struct repack_zip *z, const void *data, size_t len,
			      struct rt_error *err)
{
	z->written += len;
	return z->to.write(z->to.ctx, data, len, err);
}

/* Copy the old bytes up to an offset. */
static enum rt_status zip_copy_to(struct repack_zip *z, uint64_t end, struct rt_error *err)
{
	uint64_t len = end - z->cursor;

	z->written += len;
	if (end < z->cursor)
		return zip_refuse(err, "zip members that do not overlap");
	z->cursor = end;
	return rt_repack_copy(z->fd, end - len, len, &z->to, err);
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
static enum rt_status zip_load(const struct repack_zip *z, uint64_t at, size_t len,
			       struct rt_buf *buf, struct rt_error *err)
{
	const struct rt_sink to = rt_buf_sink(buf);

	if (at > z->zip.place.offset || len > z->zip.place.offset - at)
		return zip_refuse(err, "a zip with members in front of its directory");
	return rt_repack_copy(z->fd, at, len, &to, err);
}

/* The local header with name and extra fields. */
static enum rt_status local_load(const struct repack_zip *z, const struct rt_zip_entry *entry,
				 struct rt_buf *local, struct rt_error *err)
{
	enum rt_status status = zip_load(z, entry->local, RT_ZIP_LOCAL_BYTES, local, err);
	const uint8_t *head = (const uint8_t *)local->data;
	size_t more;

	if (status != RT_OK)
		return status;
	more = (size_t)rt_zip_get(head + 26, 2) + (size_t)rt_zip_get(head + 28, 2);
	return zip_load(z, entry->local + RT_ZIP_LOCAL_BYTES, more, local, err);
}

/* Offset behind all that belongs to a member with this local header. */
static enum rt_status member_end(const struct repack_zip *z, const struct rt_zip_entry *entry,
				 const struct rt_buf *local, uint64_t *ret_end,
				 struct rt_error *err)
{
	uint64_t limit = z->zip.place.offset;
	uint64_t end = entry->local + local->len;
	enum rt_status status = RT_OK;
	struct rt_buf bytes = {0};
	size_t len = 0;

	if (entry->packed > limit - end)
		return zip_refuse(err, "a zip with members in front of its directory");
	end += entry->packed;
	if (rt_zip_get((const uint8_t *)local->data + 6, 2) & RT_ZIP_BEHIND) {
		status = zip_load(z, end,
				  limit - end < RT_ZIP_DESCRIPTOR_MAX ? (size_t)(limit - end)
								      : RT_ZIP_DESCRIPTOR_MAX,
				  &bytes, err);
		if (status == RT_OK)
			len = rt_zip_descriptor_len(entry->packed, entry->size, entry->crc,
						    (const uint8_t *)bytes.data, bytes.len);
		if (status == RT_OK && !len)
			status =
			    zip_refuse(err, "a zip member with its sizes behind its data as they "
					    "are in its directory");
	}
	rt_buf_release(&bytes);
	*ret_end = end + len;
	return status;
}

/* --- A patched member -------------------------------------------------------------------- */

/* Make the new data in the spool and set the entry's sizes and checksum. */
static enum rt_status member_make(struct repack_zip *z, const struct rt_member *member,
				  struct rt_zip_entry *entry, struct rt_error *err)
{
	struct rt_repack_state *state = z->state;
	struct rt_encoder *deflate = NULL;
	struct rt_repack_tally tally = {.crc = 0};
	struct rt_sink into = rt_repack_tally_sink(&tally);
	enum rt_status status = rt_repack_spool_begin(&state->spool, &tally.to, err);

	if (status == RT_OK && entry->method == ZIP_DEFLATED) {
		status = rt_encoder_open_deflate(&tally.to, &deflate, err);
		if (status == RT_OK)
			tally.to = rt_encoder_sink(deflate);
	}
	if (status == RT_OK)
		status = rt_repack_pour_member(state, member, &into, err);
	if (status == RT_OK && deflate)
		status = rt_encoder_finish(deflate, err);
	rt_encoder_free(deflate);
	entry->flags &= (uint16_t)~RT_ZIP_BEHIND;
	entry->size = tally.len;
	entry->crc = tally.crc;
	entry->packed = state->spool.len;
	return status;
}

/* The local header with the entry's new numbers; sizes of 8 bytes where it had them, or must. */
static enum rt_status local_write(struct repack_zip *z, const struct rt_buf *local,
				  const struct rt_zip_entry *entry, struct rt_error *err)
{
	uint8_t field[20] = {1, 0, 16, 0};
	const uint8_t *old = (const uint8_t *)local->data;
	size_t name = (size_t)rt_zip_get(old + 26, 2);
	const uint8_t *extra = old + RT_ZIP_LOCAL_BYTES + name;
	size_t extra_len = local->len - RT_ZIP_LOCAL_BYTES - name;
	size_t had;
	bool is_long = rt_zip_extra64(extra, extra_len, &had) || entry->size >= UINT32_MAX ||
		       entry->packed >= UINT32_MAX;
	struct rt_buf out = {0};
	uint8_t *head;
	enum rt_status status = rt_buf_append(&out, old, RT_ZIP_LOCAL_BYTES + name, err);

	rt_zip_put(field + 4, 8, entry->size);
	rt_zip_put(field + 12, 8, entry->packed);
	if (status == RT_OK && is_long)
		status = rt_buf_append(&out, field, sizeof(field), err);
	if (status == RT_OK)
		status = rt_zip_extra_others(extra, extra_len, &out, err);
	if (status == RT_OK && out.len - RT_ZIP_LOCAL_BYTES - name > UINT16_MAX)
		status = zip_refuse(err, "a zip with room in its extra fields");
	if (status == RT_OK) {
		head = (uint8_t *)out.data;
		if (is_long && rt_zip_get(head + 4, 2) < VERSION_64)
			rt_zip_put(head + 4, 2, VERSION_64);
		rt_zip_put(head + 6, 2, rt_zip_get(old + 6, 2) & ~(uint64_t)RT_ZIP_BEHIND);
		rt_zip_put(head + 14, 4, entry->crc);
		rt_zip_put(head + 18, 4, is_long ? UINT32_MAX : entry->packed);
		rt_zip_put(head + 22, 4, is_long ? UINT32_MAX : entry->size);
		rt_zip_put(head + 28, 2, out.len - RT_ZIP_LOCAL_BYTES - name);
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

static enum rt_status member_write(struct repack_zip *z, const struct rt_member *member,
				   struct rt_zip_entry *entry, struct rt_error *err)
{
	const struct rt_repack_spool *spool = &z->state->spool;
	struct rt_buf local = {0};
	uint64_t end = 0;
	enum rt_status status;

	if (entry->method != ZIP_STORED && entry->method != ZIP_DEFLATED)
		return refuse_method(entry->method, err);
	status = local_load(z, entry, &local, err);
	if (status == RT_OK)
		status = member_end(z, entry, &local, &end, err);
	if (status == RT_OK)
		status = zip_copy_to(z, entry->local, err);
	if (status == RT_OK)
		status = member_make(z, member, entry, err);
	if (status == RT_OK)
		status = local_write(z, &local, entry, err);
	if (status == RT_OK)
		status = rt_repack_copy(spool->fd, 0, spool->len, &z->to, err);
	z->written += spool->len;
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
static enum rt_status stored_check(const struct repack_zip *z, const struct rt_zip_entry *entry,
				   struct rt_error *err)
{
	struct rt_repack_tally tally = {.to = {sink_drop, NULL}};
	const struct rt_sink to = rt_repack_tally_sink(&tally);
	struct rt_buf local = {0};
	enum rt_status status = local_load(z, entry, &local, err);

	if (status == RT_OK)
		status = rt_repack_copy(z->fd, entry->local + local.len, entry->packed, &to, err);
	rt_buf_release(&local);
	if (status != RT_OK || tally.crc == entry->crc)
		return status;
	(void)rt_error_set(err, RT_E_INPUT,
			   "want a zip member with CRC %08" PRIx32 ", have %08" PRIx32, entry->crc,
			   tally.crc);
	return RT_REJECT;
}

/*
 * The CRC of a member that only is copied (SPEC D1); a candidate's was checked when it was read.
 * It cannot be checked without a key, or where libarchive does not read the method.
 */
static enum rt_status member_check(const struct repack_zip *z, const struct rt_member *member,
				   const struct rt_zip_entry *entry, struct rt_error *err)
{
	if (member->name || entry->flags & RT_ZIP_ENCRYPTED)
		return RT_OK;
	if (entry->method == ZIP_STORED)
		return stored_check(z, entry, err);
	if (archive_entry_filetype(member->entry) == AE_IFREG && method_find(entry->method))
		return rt_stream_drain(member->stream, err);
	return RT_OK;
}

/* --- All members ------------------------------------------------------------------------- */

/* libarchive goes through the members in the order of their data, as by_data is. */
static enum rt_status zip_member(void *ctx, const struct rt_member *member, struct rt_error *err)
{
	struct repack_zip *z = ctx;
	enum rt_status status = rt_repack_check_links(z->state, member, err);
	struct rt_zip_entry *entry;

	if (status != RT_OK)
		return status;
	if (member->index >= z->zip.count)
		return zip_refuse(err, "the members of the zip's directory");
	entry = z->zip.by_data[member->index];
	if (archive_entry_filetype(member->entry) == AE_IFREG &&
	    archive_entry_size_is_set(member->entry) &&
	    (uint64_t)archive_entry_size(member->entry) != entry->size)
		return zip_refuse(err, "zip members in the order of their data");
	if (entry->local < z->cursor)
		return zip_refuse(err, "zip members that do not overlap");
	entry->new_local = entry->local - z->cursor + z->written;
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
	struct repack_zip *z = ctx;
	enum rt_status status = zip_copy_to(z, z->zip.place.offset, err);

	return status == RT_OK ? rt_zip_write(&z->zip, z->written, &z->to, err) : status;
}

enum rt_status rt_repack_zip(struct rt_repack_state *state, int fd, uint64_t size,
			     struct rt_error *err)
{
	struct repack_zip z = {.state = state, .to = state->to, .fd = fd};
	const struct rt_visit visit = {.member = zip_member, .end = zip_end, .ctx = &z};
	enum rt_status status = rt_zip_read(&z.zip, fd, size, err);

	if (status == RT_OK)
		status =
		    rt_container_walk(&state->decode, RT_MAGIC_ZIP, NULL, fd, size, &visit, err);
	rt_zip_release(&z.zip);
	return status;
}
