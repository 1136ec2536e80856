/*
 * A zip's central directory. Input: a seekable zip. Output: how many members it must have.
 * Only headers are read. Refuses a file that does not end with the directory's own end record, a
 * directory with gaps or a wrong count, members whose headers disagree (zip_headers.c), that
 * overlap, that reach into the directory or that it does not have, names with a NUL, several
 * volumes, and more entries than the limit.
 */
#include "decode/zip_directory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/io.h"
#include "decode/zip_headers.h"

#define END_BYTES 22u
#define COMMENT_MAX 65535u
#define END64_BYTES 56u
#define LOCATOR64_BYTES 20u
#define TAIL_MAX (END_BYTES + COMMENT_MAX)
/* Bytes of the longest entry without its comment, and of the longest local header. */
#define CENTRAL_MAX (RT_ZIP_CENTRAL_BYTES + 2 * (size_t)UINT16_MAX)
#define LOCAL_MAX (RT_ZIP_LOCAL_BYTES + 2 * (size_t)UINT16_MAX)
/* Bytes that are read at a time of members: a header, and often a small member and the next. */
#define LOCAL_AHEAD ((size_t)512)

/* A piece of the file. */
struct view {
	uint8_t *bytes;
	uint64_t at;
	size_t len;
	size_t ahead; /* bytes to read at least */
};

/* What a member has in the file: from its local header to after its data or their descriptor. */
struct span {
	uint64_t start;
	uint64_t end;
	uint64_t entry; /* offset in the directory */
	struct rt_zip_member member;
};

struct zip {
	int fd;
	uint64_t size;
	uint64_t end;     /* offset where the directory must end */
	uint64_t offset;  /* where it starts */
	uint64_t entries; /* how many it says it has */
	uint64_t record;  /* offset of the end record */
	struct view central;
	struct view local;
	struct span *spans;
	size_t count;   /* of spans */
	bool is_sorted; /* they are in order and do not overlap */
	uint8_t tail[TAIL_MAX];
};

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

/*
 * The 64-bit end record, to which a locator right before the end record leads; *ret_found: there
 * is one. Some readers go where it points, others take what lies right before it.
 */
static enum rt_status zip_find_end64(struct zip *zip, bool *ret_found, struct rt_error *err)
{
	uint8_t locator[LOCATOR64_BYTES];
	uint8_t end[END64_BYTES];
	uint64_t at;
	enum rt_status status;

	*ret_found = false;
	if (zip->record < LOCATOR64_BYTES)
		return RT_OK;
	status = zip_pread(zip, locator, sizeof(locator), zip->record - LOCATOR64_BYTES, err);
	if (status != RT_OK || memcmp(locator, "PK\6\7", 4) != 0)
		return status;
	*ret_found = true;
	at = rt_zip_get(locator + 8, 8);
	if (zip->record < LOCATOR64_BYTES + END64_BYTES ||
	    at != zip->record - LOCATOR64_BYTES - END64_BYTES)
		return zip_reject(err, "a zip with its 64-bit end record before its locator", at);
	status = zip_pread(zip, end, sizeof(end), at, err);
	if (status != RT_OK)
		return status;
	if (memcmp(end, "PK\6\6", 4) != 0 || rt_zip_get(end + 16, 4) || rt_zip_get(end + 20, 4))
		return zip_reject(err, "a zip with its 64-bit end record", at);
	zip->entries = rt_zip_get(end + 32, 8);
	zip->offset = rt_zip_get(end + 48, 8);
	zip->end = at;
	if (rt_zip_get(end + 24, 8) != zip->entries || zip->offset > at ||
	    rt_zip_get(end + 40, 8) != at - zip->offset)
		return zip_reject(err, "a zip whose directory lies before its end record", at);
	return RT_OK;
}

/* Whether a number of the end record is the 64-bit one, or gives way to it. */
static bool end_agrees(const uint8_t *at, unsigned bytes, uint64_t want, bool has64)
{
	uint64_t have = rt_zip_get(at, bytes);

	return have == want || (has64 && have == (UINT64_C(1) << 8 * bytes) - 1);
}

/* The end record: the last one in the file, whose comment ends with the file. */
static enum rt_status zip_find_end(struct zip *zip, struct rt_error *err)
{
	size_t len = zip->size < TAIL_MAX ? (size_t)zip->size : TAIL_MAX;
	const uint8_t *end = NULL;
	bool has64;
	enum rt_status status = zip_pread(zip, zip->tail, len, zip->size - len, err);

	if (status != RT_OK)
		return status;
	for (size_t i = len; i >= END_BYTES && !end; i--) {
		if (memcmp(zip->tail + i - END_BYTES, "PK\5\6", 4) == 0)
			end = zip->tail + i - END_BYTES;
	}
	if (!end || rt_zip_get(end + 20, 2) != (size_t)(zip->tail + len - end) - END_BYTES)
		return zip_reject(err, "a zip that ends with its central directory", zip->size);
	zip->end = zip->record = zip->size - (size_t)(zip->tail + len - end);
	zip->entries = rt_zip_get(end + 10, 2);
	zip->offset = rt_zip_get(end + 16, 4);
	if (rt_zip_get(end + 4, 4) != 0 && rt_zip_get(end + 4, 4) != UINT32_MAX)
		return zip_reject(err, "a zip in one volume", zip->end);
	status = zip_find_end64(zip, &has64, err);
	if (status != RT_OK)
		return status;
	if (zip->offset > zip->end || !end_agrees(end + 12, 4, zip->end - zip->offset, has64) ||
	    !end_agrees(end + 16, 4, zip->offset, has64) ||
	    !end_agrees(end + 8, 2, zip->entries, has64) ||
	    !end_agrees(end + 10, 2, zip->entries, has64))
		return zip_reject(err, "a zip whose directory lies before its end record",
				  zip->record);
	return RT_OK;
}

/* --- Members ------------------------------------------------------------------------------- */

/* len bytes at offset at, and some after them in the same read. They stay until the next call. */
static enum rt_status view_get(const struct zip *zip, struct view *view, uint64_t at, size_t len,
			       const uint8_t **ret_bytes, struct rt_error *err)
{
	size_t take = len > view->ahead ? len : view->ahead;
	enum rt_status status;

	if (at < view->at || at - view->at > view->len || len > view->len - (at - view->at)) {
		if (at <= zip->size && len <= zip->size - at && take > zip->size - at)
			take = (size_t)(zip->size - at);
		view->len = 0;
		status = zip_pread(zip, view->bytes, take, at, err);
		if (status != RT_OK)
			return status;
		view->at = at;
		view->len = take;
	}
	*ret_bytes = view->bytes + (at - view->at);
	return RT_OK;
}

static struct rt_slice bytes_slice(const uint8_t *bytes, size_t len)
{
	return rt_slice_make((const char *)bytes, len);
}

/* Read the entry at offset at. *ret_end: offset after it. */
static enum rt_status entry_read(struct zip *zip, uint64_t at, struct rt_zip_central *ret_central,
				 uint64_t *ret_end, struct rt_error *err)
{
	const uint8_t *entry;
	size_t name_len;
	size_t extra_len;
	enum rt_status status = view_get(zip, &zip->central, at, RT_ZIP_CENTRAL_BYTES, &entry, err);

	if (status != RT_OK)
		return status;
	if (memcmp(entry, "PK\1\2", 4) != 0)
		return zip_reject(err, "a zip with a whole central directory", at);
	name_len = (size_t)rt_zip_get(entry + 28, 2);
	extra_len = (size_t)rt_zip_get(entry + 30, 2);
	*ret_end = at + RT_ZIP_CENTRAL_BYTES + name_len + extra_len + rt_zip_get(entry + 32, 2);
	status = view_get(zip, &zip->central, at, RT_ZIP_CENTRAL_BYTES + name_len + extra_len,
			  &entry, err);
	if (status != RT_OK)
		return status;
	ret_central->name = bytes_slice(entry + RT_ZIP_CENTRAL_BYTES, name_len);
	if (name_len == 0 || memchr(ret_central->name.ptr, '\0', name_len))
		return zip_reject(err, "a zip with member names that are text", at);
	if (rt_zip_get(entry + 34, 2) != 0 && rt_zip_get(entry + 34, 2) != UINT16_MAX)
		return zip_reject(err, "a zip in one volume", at);
	return rt_zip_central_read(entry, ret_central->name,
				   bytes_slice(entry + RT_ZIP_CENTRAL_BYTES + name_len, extra_len),
				   ret_central, err);
}

static enum rt_status refuse_reach(uint64_t end, struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_INPUT,
			   "want zip members that end before the directory, have an end at offset "
			   "%" PRIu64,
			   end);
	return RT_REJECT;
}

/* Move *end after the descriptor of a member whose data end there. */
static enum rt_status descriptor_read(struct zip *zip, const struct rt_zip_central *central,
				      uint64_t *end, struct rt_error *err)
{
	uint64_t left = zip->offset - *end;
	size_t len = left < RT_ZIP_DESCRIPTOR_MAX ? (size_t)left : RT_ZIP_DESCRIPTOR_MAX;
	const uint8_t *bytes;
	enum rt_status status = view_get(zip, &zip->local, *end, len, &bytes, err);

	if (status != RT_OK)
		return status;
	len = rt_zip_descriptor_len(central->packed, central->size, central->crc, bytes, len);
	if (!len) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a zip member with its sizes after its data as they are "
				   "in its directory, have others at offset %" PRIu64,
				   *end);
		return RT_REJECT;
	}
	*end += len;
	return RT_OK;
}

/* Check the local header and the descriptor. *ret_at, *ret_end: offset of the data, and after all
 * that the member has. */
static enum rt_status local_read(struct zip *zip, const struct rt_zip_central *central,
				 uint64_t *ret_at, uint64_t *ret_end, struct rt_error *err)
{
	uint64_t at = central->local;
	const uint8_t *local;
	size_t name_len;
	size_t whole;
	bool is_behind;
	enum rt_status status = view_get(zip, &zip->local, at, RT_ZIP_LOCAL_BYTES, &local, err);

	if (status != RT_OK)
		return status;
	if (memcmp(local, "PK\3\4", 4) != 0)
		return zip_reject(err, "a zip whose directory leads to its members", at);
	name_len = (size_t)rt_zip_get(local + 26, 2);
	whole = RT_ZIP_LOCAL_BYTES + name_len + (size_t)rt_zip_get(local + 28, 2);
	is_behind = rt_zip_get(local + 6, 2) & RT_ZIP_AFTER;
	status = view_get(zip, &zip->local, at, whole, &local, err);
	if (status == RT_OK)
		status = rt_zip_local_check(central, local,
					    bytes_slice(local + RT_ZIP_LOCAL_BYTES, name_len),
					    bytes_slice(local + RT_ZIP_LOCAL_BYTES + name_len,
							whole - RT_ZIP_LOCAL_BYTES - name_len),
					    err);
	if (status != RT_OK)
		return status;
	if (at + whole > zip->offset || central->packed > zip->offset - at - whole)
		return refuse_reach(at + whole + central->packed, err);
	*ret_at = at + whole;
	*ret_end = at + whole + central->packed;
	return is_behind ? descriptor_read(zip, central, ret_end, err) : RT_OK;
}

/* Check the entry at *at with its local header, note its span, and move *at after it. */
static enum rt_status zip_check_entry(struct zip *zip, uint64_t *at, struct rt_error *err)
{
	struct rt_zip_central central = {.local = 0};
	struct span *span = &zip->spans[zip->count];
	enum rt_status status;

	span->entry = *at;
	status = entry_read(zip, *at, &central, at, err);
	if (status == RT_OK)
		status = local_read(zip, &central, &span->member.at, &span->end, err);
	span->start = central.local;
	span->member.packed = central.packed;
	span->member.size = central.size;
	span->member.crc = central.crc;
	span->member.method = central.method;
	if (status != RT_OK) {
		rt_error_text(err->member, sizeof(err->member), central.name);
		return status;
	}
	if (zip->count && span->start < span[-1].end)
		zip->is_sorted = false;
	zip->count++;
	return RT_OK;
}

/* --- Between members ----------------------------------------------------------------------- */

static int compare_spans(const void *left, const void *right)
{
	const struct span *a = left;
	const struct span *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Refuse a member in what lies between two: who reads without the directory sees it. */
static enum rt_status gap_check(struct zip *zip, uint64_t at, uint64_t end, struct rt_error *err)
{
	size_t len = RT_ZIP_LOCAL_BYTES;
	const uint8_t *bytes;
	enum rt_status status;

	if (end - at < len)
		return RT_OK;
	status = view_get(zip, &zip->local, at, len, &bytes, err);
	if (status != RT_OK || memcmp(bytes, "PK\3\4", 4) != 0)
		return status;
	len += (size_t)rt_zip_get(bytes + 26, 2);
	if (end - at >= len)
		status = view_get(zip, &zip->local, at, len, &bytes, err);
	if (status != RT_OK)
		return status;
	(void)rt_error_set(err, RT_E_INPUT,
			   "want every member of a zip in its directory, have one at offset "
			   "%" PRIu64 " that is not",
			   at);
	if (end - at >= len)
		rt_error_text(err->member, sizeof(err->member),
			      bytes_slice(bytes + RT_ZIP_LOCAL_BYTES, len - RT_ZIP_LOCAL_BYTES));
	return RT_REJECT;
}

/* The member that begins before the one in front of it ends. */
static enum rt_status refuse_overlap(struct zip *zip, const struct span *span, struct rt_error *err)
{
	struct rt_zip_central central = {.local = 0};
	uint64_t after;
	enum rt_status status = entry_read(zip, span->entry, &central, &after, err);

	if (status != RT_OK)
		return status;
	(void)rt_error_set(err, RT_E_INPUT,
			   "want zip members that do not overlap, have it at offset %" PRIu64
			   " and the one before it up to %" PRIu64,
			   span->start, span[-1].end);
	rt_error_text(err->member, sizeof(err->member), central.name);
	return RT_REJECT;
}

static enum rt_status zip_check_spans(struct zip *zip, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	uint64_t at = 0;

	if (!zip->is_sorted)
		qsort(zip->spans, zip->count, sizeof(*zip->spans), compare_spans);
	for (size_t i = 0; status == RT_OK && i < zip->count; i++) {
		if (zip->spans[i].start < at)
			return refuse_overlap(zip, &zip->spans[i], err);
		status = gap_check(zip, at, zip->spans[i].start, err);
		at = zip->spans[i].end;
	}
	return status == RT_OK ? gap_check(zip, at, zip->offset, err) : status;
}

/* --- The whole ----------------------------------------------------------------------------- */

static enum rt_status zip_alloc(struct zip *zip, struct rt_error *err)
{
	zip->central = (struct view){.bytes = malloc(CENTRAL_MAX), .ahead = CENTRAL_MAX};
	zip->local = (struct view){.bytes = malloc(LOCAL_MAX), .ahead = LOCAL_AHEAD};
	zip->spans = calloc((size_t)zip->entries + 1, sizeof(*zip->spans));
	return zip->central.bytes && zip->local.bytes && zip->spans ? RT_OK : rt_error_nomem(err);
}

static enum rt_status zip_check(struct zip *zip, uint64_t max_entries, struct rt_error *err)
{
	enum rt_status status = zip_find_end(zip, err);
	uint64_t at = zip->offset;

	if (status == RT_OK && zip->entries > max_entries) {
		(void)rt_error_set(err, RT_E_LIMIT,
				   "want at most %" PRIu64
				   " member%s (limit \"members\"), have %" PRIu64,
				   max_entries, RT_S(max_entries), zip->entries);
		return RT_REJECT;
	}
	if (status == RT_OK && zip->entries > (zip->end - zip->offset) / RT_ZIP_CENTRAL_BYTES)
		status = zip_reject(err, "a zip directory with as many entries as it says", at);
	if (status == RT_OK)
		status = zip_alloc(zip, err);
	for (uint64_t i = 0; status == RT_OK && i < zip->entries; i++)
		status = zip_check_entry(zip, &at, err);
	if (status == RT_OK && at != zip->end)
		status = zip_reject(err, "a zip directory with as many entries as it says", at);
	return status == RT_OK ? zip_check_spans(zip, err) : status;
}

static void zip_free(struct zip *zip)
{
	free(zip->central.bytes);
	free(zip->local.bytes);
	free(zip->spans);
	free(zip);
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
	zip_free(zip);
	return status;
}

static enum rt_status zip_members(const struct zip *zip, struct rt_zip_member **ret_members,
				  struct rt_error *err)
{
	struct rt_zip_member *members = calloc(zip->count + 1, sizeof(*members));

	if (!members)
		return rt_error_nomem(err);
	for (size_t i = 0; i < zip->count; i++)
		members[i] = zip->spans[i].member;
	*ret_members = members;
	return RT_OK;
}

enum rt_status rt_zip_directory_check(int fd, uint64_t size, uint64_t max_entries,
				      struct rt_zip_member **ret_members, uint64_t *ret_entries,
				      struct rt_error *err)
{
	struct zip *zip = calloc(1, sizeof(*zip));
	enum rt_status status;

	if (!zip)
		return rt_error_nomem(err);
	zip->fd = fd;
	zip->size = size;
	zip->is_sorted = true;
	status = zip_check(zip, max_entries, err);
	if (status == RT_OK)
		status = zip_members(zip, ret_members, err);
	if (status == RT_OK)
		*ret_entries = zip->entries;
	zip_free(zip);
	return status;
}
