/*
 * Reads members of a zip by libzip, which unpacks them and checks their CRC.
 */
#include "source/zip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "base/utf8.h"

struct rt_zip {
	struct rt_stream stream;
	struct rt_zip_file file;
	struct rt_zip_directory directory;
	struct rt_meter *meter;
	zip_t *archive;
	zip_file_t *open;                   /* the current member; NULL: none */
	const struct rt_zip_member *member; /* likewise */
	uint64_t given;                     /* bytes of it */
};

/* --- A file for libzip ---------------------------------------------------------------------- */

static zip_int64_t file_failed(struct rt_zip_file *file, int code, int sys)
{
	file->sys = sys;
	zip_error_set(&file->error, code, sys);
	return -1;
}

static zip_int64_t file_read(struct rt_zip_file *file, void *data, zip_uint64_t len)
{
	ssize_t got;

	if (len > file->size - file->at)
		len = file->size - file->at;
	if (len == 0)
		return 0;
	got = rt_read_at(file->fd, data, (size_t)len, (off_t)(file->from + file->at));
	if (got < 0)
		return file_failed(file, ZIP_ER_READ, errno);
	file->at += (uint64_t)got;
	rt_progress_add(file->progress, (uint64_t)got, 0);
	return got;
}

static zip_int64_t file_write(struct rt_zip_file *file, const void *data, zip_uint64_t len)
{
	ssize_t put;

	do {
		put = pwrite(file->out, data, (size_t)len, (off_t)(file->out_from + file->out_at));
	} while (put < 0 && errno == EINTR);
	if (put < 0 || (put == 0 && len))
		return file_failed(file, ZIP_ER_WRITE, put ? errno : EIO);
	file->out_at += (uint64_t)put;
	if (file->out_at > file->out_len)
		file->out_len = file->out_at;
	rt_progress_add(file->progress, (uint64_t)put, 0);
	return put;
}

static zip_int64_t file_seek(struct rt_zip_file *file, uint64_t *at, uint64_t size, void *data,
			     zip_uint64_t len)
{
	zip_int64_t to = zip_source_seek_compute_offset(*at, size, data, len, &file->error);

	if (to < 0)
		return -1;
	*at = (uint64_t)to;
	return 0;
}

static zip_int64_t file_supports(const struct rt_zip_file *file)
{
	return file->out >= 0 ? ZIP_SOURCE_SUPPORTS_WRITABLE : ZIP_SOURCE_SUPPORTS_SEEKABLE;
}

static zip_int64_t file_call(void *ctx, void *data, zip_uint64_t len, zip_source_cmd_t cmd)
{
	struct rt_zip_file *file = ctx;

	switch (cmd) {
	case ZIP_SOURCE_SUPPORTS:
		return file_supports(file);
	case ZIP_SOURCE_OPEN:
		file->at = 0;
		return 0;
	case ZIP_SOURCE_READ:
		return file_read(file, data, len);
	case ZIP_SOURCE_SEEK:
		return file_seek(file, &file->at, file->size, data, len);
	case ZIP_SOURCE_TELL:
		return (zip_int64_t)file->at;
	case ZIP_SOURCE_STAT:
		zip_stat_init(data);
		((zip_stat_t *)data)->size = file->size;
		((zip_stat_t *)data)->valid = ZIP_STAT_SIZE;
		return sizeof(zip_stat_t);
	case ZIP_SOURCE_ERROR:
		return zip_error_to_data(&file->error, data, len);
	case ZIP_SOURCE_WRITE:
		return file_write(file, data, len);
	case ZIP_SOURCE_SEEK_WRITE:
		return file_seek(file, &file->out_at, file->out_len, data, len);
	case ZIP_SOURCE_TELL_WRITE:
		return (zip_int64_t)file->out_at;
	case ZIP_SOURCE_CLOSE:
	case ZIP_SOURCE_FREE:
	case ZIP_SOURCE_BEGIN_WRITE:
	case ZIP_SOURCE_COMMIT_WRITE:
	case ZIP_SOURCE_ROLLBACK_WRITE:
		return 0;
	default:
		zip_error_set(&file->error, ZIP_ER_OPNOTSUPP, 0);
		return -1;
	}
}

zip_source_t *rt_zip_source(struct rt_zip_file *file, zip_error_t *err)
{
	zip_error_init(&file->error);
	file->at = file->out_at = file->out_len = 0;
	file->sys = 0;
	return zip_source_function_create(file_call, file, err);
}

/* --- What a zip says in several places ------------------------------------------------------- */

#define END_BYTES 22u
#define TAIL_MAX (END_BYTES + 65535u)
#define END64_BYTES 56u
#define LOCATOR64_BYTES 20u
#define CENTRAL_BYTES 46u
#define LOCAL_BYTES 30u
#define LOCAL_MAX (LOCAL_BYTES + 2 * (size_t)UINT16_MAX)
#define DESCRIPTOR_MAX 24u

#define EXTRA_64 0x0001u         /* sizes and offset of 8 bytes */
#define EXTRA_ASI 0x756eu        /* a Unix mode; Info-ZIP's unzip obeys it */
#define EXTRA_ATTRIBUTES 0x6c78u /* libarchive's, with the directory's attributes */
#define EXTRA_NAME 0x7075u       /* Info-ZIP's, with the name in UTF-8 */

#define SYSTEM_UNIX 3u
#define DOS_FOLDER 0x10u

struct check {
	int fd;
	uint64_t size;
	uint64_t offset, end, entries; /* of the directory */
	struct rt_error *err;
	uint8_t bytes[LOCAL_MAX]; /* a local header, or the file's end */
};

/* One of a member's headers. */
struct header {
	const struct rt_zip_member *member; /* what is right */
	const char *shown;                  /* "directory" or "local header" */
	uint64_t values[3];                 /* own 4-byte fields: size, packed size, offset */
	size_t value_count;
	bool is_behind;  /* sizes may be missing here */
	unsigned system; /* for attributes that come without one */
	struct rt_slice extra;
};

static uint64_t get(const void *at, unsigned bytes)
{
	const uint8_t *from = at;
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | from[bytes];
	return value;
}

static enum rt_status refuse(struct check *c, const char *want, uint64_t at)
{
	return rt_error_reject(c->err, RT_E_INPUT, "want %s, have other bytes at offset %" PRIu64,
			       want, at);
}

/* Exactly len bytes at an offset. */
static enum rt_status read_at(struct check *c, uint64_t at, size_t len, uint8_t *buf)
{
	ssize_t got;

	if (at > c->size || len > c->size - at)
		return refuse(c, "a zip archive with all its bytes", c->size);
	for (size_t done = 0; done < len; done += (size_t)got) {
		got = rt_read_at(c->fd, buf + done, len - done, (off_t)(at + done));
		if (got < 0)
			return rt_error_sys(c->err, errno, "cannot read the file");
		if (got == 0)
			return refuse(c, "a zip archive with all its bytes", at + done);
	}
	return RT_OK;
}

/* --- The end records ------------------------------------------------------------------------ */

/*
 * The 64-bit end record, to which a locator right before the end record leads. Some readers go
 * where it points, others take what lies right before it.
 */
static enum rt_status find_end64(struct check *c, bool *ret_found)
{
	const char *want = "a zip with its 64-bit end record before its locator";
	uint64_t record = c->end, at;
	uint8_t bytes[END64_BYTES] = {0};
	enum rt_status status;

	*ret_found = false;
	if (record < LOCATOR64_BYTES)
		return RT_OK;
	status = read_at(c, record - LOCATOR64_BYTES, LOCATOR64_BYTES, bytes);
	if (status != RT_OK || memcmp(bytes, "PK\6\7", 4) != 0)
		return status;
	*ret_found = true;
	at = get(bytes + 8, 8);
	if (at > record || at + END64_BYTES + LOCATOR64_BYTES != record)
		return refuse(c, want, at);
	status = read_at(c, at, END64_BYTES, bytes);
	if (status != RT_OK)
		return status;
	if (memcmp(bytes, "PK\6\6", 4) != 0 || get(bytes + 16, 8))
		return refuse(c, want, at);
	c->entries = get(bytes + 32, 8);
	c->offset = get(bytes + 48, 8);
	c->end = at;
	if (get(bytes + 24, 8) != c->entries || c->offset > at ||
	    get(bytes + 40, 8) != at - c->offset)
		return refuse(c, "a zip whose directory lies before its end record", at);
	return RT_OK;
}

/* Whether a number of the end record is the right one, or gives way to the 64-bit one. */
static bool end_agrees(const uint8_t *at, unsigned bytes, uint64_t want, bool has64)
{
	uint64_t have = get(at, bytes);

	return have == want || (has64 && have == (UINT64_C(1) << 8 * bytes) - 1);
}

/* The end record: the last one in the file, whose comment ends with the file. */
static enum rt_status find_end(struct check *c)
{
	size_t len = c->size < TAIL_MAX ? (size_t)c->size : TAIL_MAX, i = len;
	enum rt_status status = read_at(c, c->size - len, len, c->bytes);
	const uint8_t *end;
	uint64_t record;
	bool has64;

	if (status != RT_OK)
		return status;
	while (i >= END_BYTES && memcmp(c->bytes + i - END_BYTES, "PK\5\6", 4) != 0)
		i--;
	end = c->bytes + i - END_BYTES;
	if (i < END_BYTES || get(end + 20, 2) != len - i)
		return refuse(c, "a zip that ends with its central directory", c->size);
	c->end = record = c->size - (len - i) - END_BYTES;
	c->entries = get(end + 10, 2);
	c->offset = get(end + 16, 4);
	if (get(end + 4, 4) != 0 && get(end + 4, 4) != UINT32_MAX)
		return refuse(c, "a zip in one volume", record);
	status = find_end64(c, &has64);
	if (status != RT_OK)
		return status;
	if (c->offset > c->end || !end_agrees(end + 12, 4, c->end - c->offset, has64) ||
	    !end_agrees(end + 16, 4, c->offset, has64) ||
	    !end_agrees(end + 8, 2, c->entries, has64) ||
	    !end_agrees(end + 10, 2, c->entries, has64))
		return refuse(c, "a zip whose directory lies before its end record", record);
	return RT_OK;
}

/* --- What a member is ----------------------------------------------------------------------- */

/* A mode's type; without one, and for what Info-ZIP read from a pipe, it is a file. */
static unsigned type_of(unsigned mode)
{
	unsigned type = mode & S_IFMT;

	return type == 0 || type == S_IFIFO ? S_IFREG : type;
}

static bool ends_with(struct rt_slice name, char last)
{
	return name.len && name.ptr[name.len - 1] == last;
}

static unsigned member_type(const struct rt_zip_member *member)
{
	if (ends_with(member->name, '/'))
		return S_IFDIR;
	return member->system == SYSTEM_UNIX ? type_of(member->attributes >> 16) : S_IFREG;
}

/* Whether the attributes make a member something that its name, or its system, does not. */
static enum rt_status check_type(struct check *c, struct rt_zip_member *member)
{
	unsigned type = type_of(member->attributes >> 16);
	bool is_unix = member->system == SYSTEM_UNIX, slash = ends_with(member->name, '/');
	bool folder = type == S_IFDIR || (!is_unix && member->attributes & DOS_FOLDER);

	member->is_folder = slash || folder;
	member->is_link = is_unix && type == S_IFLNK;
	if (folder && !slash && !ends_with(member->name, '\\'))
		return rt_error_reject(c->err, RT_E_INPUT,
				       "the zip member is a folder by its attributes, but its "
				       "name does not end with \"/\"");
	if (type == S_IFLNK && (slash || !is_unix))
		return rt_error_reject(c->err, RT_E_INPUT,
				       "the zip member is a link by some of its attributes");
	if (is_unix && type != S_IFREG && type != S_IFDIR && type != S_IFLNK)
		return rt_error_reject(
		    c->err, RT_E_INPUT,
		    "the zip member is no file, folder or link, but has type %06o", type);
	if (slash && (member->size || member->crc))
		return rt_error_reject(c->err, RT_E_INPUT,
				       "the zip folder has data: %" PRIu64 " byte%s", member->size,
				       RT_S(member->size));
	return RT_OK;
}

/* --- Extra fields --------------------------------------------------------------------------- */

static bool extra_next(struct rt_slice *extra, unsigned *ret_id, struct rt_slice *ret_data)
{
	size_t len = extra->len < 4 ? SIZE_MAX : (size_t)get(extra->ptr + 2, 2);

	if (len == SIZE_MAX || len > extra->len - 4)
		return false;
	*ret_id = (unsigned)get(extra->ptr, 2);
	*ret_data = rt_slice_make(extra->ptr + 4, len);
	*extra = rt_slice_make(extra->ptr + 4 + len, extra->len - 4 - len);
	return true;
}

static bool is_ascii(char c)
{
	return (unsigned char)c < 0x80;
}

/*
 * Whether two spellings are of one name. Other bytes than ASCII may be in an old encoding, which
 * nothing in a zip tells; what decides, the suffix and the slashes, is ASCII in all of them.
 */
static bool is_same_name(const struct rt_zip_member *member, struct rt_slice other)
{
	const char *a = member->name.ptr, *a_end = rt_slice_end(member->name);
	const char *b = other.ptr, *b_end = rt_slice_end(other);

	if (member->flags & RT_ZIP_UTF8)
		return rt_slice_equal(member->name, other);
	while (a < a_end && b < b_end) {
		bool ascii = is_ascii(*a);

		if (ascii ? *a != *b : is_ascii(*b))
			return false;
		a++;
		b++;
		while (!ascii && a < a_end && !is_ascii(*a))
			a++;
		while (!ascii && b < b_end && !is_ascii(*b))
			b++;
	}
	return a == a_end && b == b_end;
}

/* A map of what follows, of one byte or more, then system, inner and external attributes. */
static bool attributes_agree(const struct header *h, struct rt_slice data)
{
	const uint8_t *at = (const uint8_t *)data.ptr, *end = at + data.len;
	unsigned map = data.len ? *at : 0, system = h->system;

	while (at < end && *at & 0x80)
		at++;
	at += at < end;
	if ((size_t)(end - at) < (map & 1 ? 2u : 0) + (map & 2 ? 2u : 0) + (map & 4 ? 4u : 0))
		return false;
	if (map & 1)
		system = at[1];
	at += (map & 1 ? 2 : 0) + (map & 2 ? 2 : 0);
	if (map & 4 && get(at, 4) != h->member->attributes)
		return false;
	return !(map & 5) || system == h->member->system;
}

static bool value_agrees(const struct header *h, uint64_t have, uint64_t want)
{
	return have == want || (h->is_behind && have == 0);
}

/*
 * The field has the values that are all ones in the header; some writers put all of them, and
 * readers that count on it find others than those that do not.
 */
static bool values_agree(const struct header *h, struct rt_slice data)
{
	const uint64_t right[] = {h->member->size, h->member->packed, h->member->local};
	size_t count = h->value_count < 3 ? h->value_count : 3, used = 0;

	for (size_t i = 0; i < count; i++) {
		if (h->values[i] != UINT32_MAX)
			continue;
		if (data.len - used < 8 || !value_agrees(h, get(data.ptr + used, 8), right[i]))
			return false;
		used += 8;
	}
	for (size_t i = 0; data.len - used >= 8 && i < count && 8 * i < data.len - 7; i++) {
		if (!value_agrees(h, get(data.ptr + 8 * i, 8), right[i]))
			return false;
	}
	return true;
}

static enum rt_status check_extra(struct check *c, const struct header *h)
{
	struct rt_slice extra = h->extra, data;
	unsigned id;

	while (extra_next(&extra, &id, &data)) {
		struct rt_slice name = rt_slice_make(data.ptr + 5, data.len < 5 ? 0 : data.len - 5);
		const char *what = NULL;

		/* Its CRC, of the name in the header, some readers ignore. */
		if (id == EXTRA_NAME && !is_same_name(h->member, name))
			return rt_error_reject(
			    c->err, RT_E_INPUT,
			    "the zip member has another name, \"%.*s\", in field 0x7075 of its %s",
			    (int)name.len, name.ptr, h->shown);
		if (id == EXTRA_64 && !values_agree(h, data))
			what = "size";
		if ((id == EXTRA_ATTRIBUTES && !attributes_agree(h, data)) ||
		    (id == EXTRA_ASI && (data.len < 6 || type_of((unsigned)get(data.ptr + 4, 2)) !=
							     member_type(h->member))))
			what = "type";
		if (what)
			return rt_error_reject(
			    c->err, RT_E_INPUT,
			    "the zip member has another %s in field 0x%04x of its %s", what, id,
			    h->shown);
	}
	/* A rest that has no room for a field is padding. */
	if (extra.len < 4)
		return RT_OK;
	return rt_error_reject(
	    c->err, RT_E_INPUT,
	    "the extra fields in the %s of the zip member are damaged: %zu byte%s are left over",
	    h->shown, extra.len, RT_S(extra.len));
}

/* --- The two headers ------------------------------------------------------------------------ */

/* Put the values that are all ones in an entry, from its 64-bit field. */
static void read_long(const struct header *h, struct rt_zip_member *member)
{
	uint64_t *const to[] = {&member->size, &member->packed, &member->local};
	struct rt_slice extra = h->extra, data;
	unsigned id;

	while (extra_next(&extra, &id, &data)) {
		for (size_t i = 0; id == EXTRA_64 && i < h->value_count && data.len >= 8; i++) {
			if (h->values[i] != UINT32_MAX)
				continue;
			*to[i] = get(data.ptr, 8);
			data = rt_slice_make(data.ptr + 8, data.len - 8);
		}
		if (id == EXTRA_64)
			return;
	}
}

/* Read the entry of the directory at *at, and move *at after it. */
static enum rt_status read_entry(struct check *c, const uint8_t *bytes, size_t len, size_t *at,
				 struct rt_zip_member *member)
{
	const uint8_t *entry = bytes + *at;
	struct header h = {.member = member, .shown = "directory", .value_count = 3};
	size_t left = len - *at, name_len, whole;
	enum rt_status status;

	if (left < CENTRAL_BYTES || memcmp(entry, "PK\1\2", 4) != 0)
		return refuse(c, "a zip with a whole central directory", c->offset + *at);
	name_len = (size_t)get(entry + 28, 2);
	h.extra.len = (size_t)get(entry + 30, 2);
	whole = CENTRAL_BYTES + name_len + h.extra.len + (size_t)get(entry + 32, 2);
	if (whole > left)
		return refuse(c, "a zip with a whole central directory", c->offset + *at);
	h.extra.ptr = (const char *)entry + CENTRAL_BYTES + name_len;
	*member = (struct rt_zip_member){
	    .name = rt_slice_make((const char *)entry + CENTRAL_BYTES, name_len),
	    .local = h.values[2] = get(entry + 42, 4),
	    .packed = h.values[1] = get(entry + 20, 4),
	    .size = h.values[0] = get(entry + 24, 4),
	    .crc = (uint32_t)get(entry + 16, 4),
	    .attributes = (uint32_t)get(entry + 38, 4),
	    .flags = (uint16_t)get(entry + 8, 2),
	    .method = (uint16_t)get(entry + 10, 2),
	    .time = (uint16_t)get(entry + 12, 2),
	    .date = (uint16_t)get(entry + 14, 2),
	    .system = entry[5],
	};
	h.system = entry[5];
	if (name_len == 0 || memchr(member->name.ptr, '\0', name_len) ||
	    (member->flags & RT_ZIP_UTF8 && rt_utf8_prefix(member->name) < name_len))
		return refuse(c, "a zip with member names that are text", c->offset + *at);
	if (get(entry + 34, 2) != 0 && get(entry + 34, 2) != UINT16_MAX)
		return refuse(c, "a zip in one volume", c->offset + *at);
	*at += whole;
	read_long(&h, member);
	status = check_extra(c, &h);
	if (status == RT_OK)
		status = check_type(c, member);
	if (status == RT_OK && member->method == 0 && member->packed != member->size &&
	    !(member->flags & RT_ZIP_ENCRYPTED))
		return rt_error_reject(
		    c->err, RT_E_INPUT,
		    "the zip member is stored (method 0), but its sizes are %" PRIu64
		    " and %" PRIu64 " bytes",
		    member->packed, member->size);
	return status;
}

/* What of a local header is not the directory's; NULL: nothing. */
static const char *local_differs(const struct header *h, const uint8_t *local, struct rt_slice name)
{
	const struct rt_zip_member *member = h->member;
	unsigned flags = (unsigned)get(local + 6, 2) ^ member->flags;
	const uint64_t right[] = {member->size, member->packed};
	struct rt_slice extra = h->extra, data;
	bool has64 = false, ascii = true;
	unsigned id;

	for (size_t i = 0; i < name.len; i++)
		ascii &= name.ptr[i] >= 0;
	if (!rt_slice_equal(name, member->name) || (flags & RT_ZIP_UTF8 && !ascii))
		return "name";
	if (get(local + 8, 2) != member->method)
		return "method";
	if (flags & RT_ZIP_ENCRYPTED)
		return "encryption";
	while (!has64 && extra_next(&extra, &id, &data))
		has64 = id == EXTRA_64;
	for (size_t i = 0; i < 2; i++) {
		bool elsewhere = h->values[i] == UINT32_MAX && (has64 || h->is_behind);

		if (!elsewhere && !value_agrees(h, h->values[i], right[i]))
			return i ? "packed size" : "size";
	}
	return value_agrees(h, get(local + 14, 4), member->crc) ? NULL : "CRC";
}

/* Move member->end after the descriptor, which may have a magic, and sizes of 4 or 8 bytes. */
static enum rt_status read_descriptor(struct check *c, struct rt_zip_member *member)
{
	static const unsigned forms[][2] = {{4, 8}, {0, 8}, {4, 4}, {0, 4}};
	uint64_t left = c->offset - member->end;
	size_t len = left < DESCRIPTOR_MAX ? (size_t)left : DESCRIPTOR_MAX;
	enum rt_status status = read_at(c, member->end, len, c->bytes);

	for (size_t i = 0; status == RT_OK && i < sizeof(forms) / sizeof(forms[0]); i++) {
		unsigned start = forms[i][0], width = forms[i][1];
		const uint8_t *at = c->bytes + start;

		if (len < start + 4 + 2 * width || (start && memcmp(c->bytes, "PK\7\10", 4) != 0) ||
		    get(at, 4) != member->crc || get(at + 4, width) != member->packed ||
		    get(at + 4 + width, width) != member->size)
			continue;
		member->end += start + 4 + 2 * width;
		return RT_OK;
	}
	if (status != RT_OK)
		return status;
	return rt_error_reject(c->err, RT_E_INPUT,
			       "the sizes after the zip member's data are not those of the "
			       "directory, at offset %" PRIu64,
			       member->end);
}

/* Check the local header and the descriptor. */
static enum rt_status check_local(struct check *c, struct rt_zip_member *member)
{
	uint8_t *local = c->bytes;
	struct header h = {.member = member, .shown = "local header", .value_count = 2};
	enum rt_status status = read_at(c, member->local, LOCAL_BYTES, local);
	const char *what;
	size_t name_len;

	if (status != RT_OK)
		return status;
	if (memcmp(local, "PK\3\4", 4) != 0)
		return refuse(c, "a zip whose directory leads to its members", member->local);
	name_len = (size_t)get(local + 26, 2);
	h.extra =
	    rt_slice_make((const char *)local + LOCAL_BYTES + name_len, (size_t)get(local + 28, 2));
	h.values[0] = get(local + 22, 4);
	h.values[1] = get(local + 18, 4);
	h.is_behind = get(local + 6, 2) & RT_ZIP_AFTER;
	h.system = local[5];
	member->end = member->local + LOCAL_BYTES;
	status = read_at(c, member->end, name_len + h.extra.len, local + LOCAL_BYTES);
	if (status != RT_OK)
		return status;
	what = local_differs(&h, local, rt_slice_make((const char *)local + LOCAL_BYTES, name_len));
	if (what)
		return rt_error_reject(
		    c->err, RT_E_INPUT,
		    "the zip's directory has another %s than the local header at offset %" PRIu64,
		    what, member->local);
	status = check_extra(c, &h);
	if (status != RT_OK)
		return status;
	member->end += name_len + h.extra.len;
	if (member->end > c->offset || member->packed > c->offset - member->end)
		return rt_error_reject(
		    c->err, RT_E_INPUT,
		    "the zip member ends inside the directory, at offset %" PRIu64,
		    member->end + member->packed);
	member->end += member->packed;
	return h.is_behind ? read_descriptor(c, member) : RT_OK;
}

/* --- Between members ------------------------------------------------------------------------ */

static int compare_members(const void *left, const void *right)
{
	const struct rt_zip_member *a = *(const struct rt_zip_member *const *)left;
	const struct rt_zip_member *b = *(const struct rt_zip_member *const *)right;

	return (a->local > b->local) - (a->local < b->local);
}

/* Refuse a member in what lies between two: who reads without the directory sees it. */
static enum rt_status check_gap(struct check *c, uint64_t at, uint64_t end)
{
	enum rt_status status;
	size_t name_len;

	if (end - at < LOCAL_BYTES)
		return RT_OK;
	status = read_at(c, at, LOCAL_BYTES, c->bytes);
	if (status != RT_OK || memcmp(c->bytes, "PK\3\4", 4) != 0)
		return status;
	(void)rt_error_set(c->err, RT_E_INPUT,
			   "the zip has a member that is not in its directory, at offset %" PRIu64,
			   at);
	name_len = (size_t)get(c->bytes + 26, 2);
	if (end - at - LOCAL_BYTES >= name_len &&
	    read_at(c, at + LOCAL_BYTES, name_len, c->bytes) == RT_OK)
		rt_error_text(c->err->member, sizeof(c->err->member),
			      rt_slice_make((const char *)c->bytes, name_len));
	return RT_REJECT;
}

static enum rt_status check_order(struct check *c, const struct rt_zip_directory *directory)
{
	const struct rt_zip_member **sorted = calloc(directory->count + 1, sizeof(void *));
	enum rt_status status = RT_OK;
	uint64_t at = 0;

	if (!sorted)
		return rt_error_nomem(c->err);
	for (size_t i = 0; i < directory->count; i++)
		sorted[i] = &directory->members[i];
	qsort(sorted, directory->count, sizeof(void *), compare_members);
	for (size_t i = 0; status == RT_OK && i < directory->count; i++) {
		if (sorted[i]->local < at) {
			(void)rt_error_set(c->err, RT_E_INPUT,
					   "zip members overlap: this one begins at offset %" PRIu64
					   ", the one before it ends at %" PRIu64,
					   sorted[i]->local, at);
			rt_error_text(c->err->member, sizeof(c->err->member), sorted[i]->name);
			status = RT_REJECT;
			break;
		}
		status = check_gap(c, at, sorted[i]->local);
		at = sorted[i]->end;
	}
	free(sorted);
	return status == RT_OK ? check_gap(c, at, c->offset) : status;
}

/* --- The whole ------------------------------------------------------------------------------ */

static enum rt_status read_directory(struct check *c, struct rt_zip_directory *directory)
{
	size_t len = (size_t)(c->end - c->offset), at = 0;
	enum rt_status status = RT_OK;

	if (c->end - c->offset > RT_ZIP_DIRECTORY_MAX)
		return rt_error_reject(c->err, RT_E_LIMIT,
				       "the zip directory exceeds %" PRIu64
				       " bytes: it has %" PRIu64,
				       RT_ZIP_DIRECTORY_MAX, c->end - c->offset);
	if (c->entries > len / CENTRAL_BYTES)
		return refuse(c, "a zip directory with as many entries as it says", c->offset);
	directory->bytes = calloc(len + 1, 1);
	directory->members = calloc((size_t)c->entries + 1, sizeof(*directory->members));
	if (!directory->bytes || !directory->members)
		return rt_error_nomem(c->err);
	status = read_at(c, c->offset, len, directory->bytes);
	while (status == RT_OK && directory->count < c->entries) {
		struct rt_zip_member *member = &directory->members[directory->count++];

		status = read_entry(c, directory->bytes, len, &at, member);
		if (status == RT_OK)
			status = check_local(c, member);
		if (status != RT_OK)
			rt_error_text(c->err->member, sizeof(c->err->member), member->name);
	}
	if (status == RT_OK && at != len)
		return refuse(c, "a zip directory with as many entries as it says", c->offset + at);
	return status;
}

/*
 * Check that a file ends in a central directory, that this is whole, that each of its entries and
 * the local header it leads to agree in all that a reader could obey, and that members neither
 * overlap nor stand outside of it (SPEC D1). directory: {0} before; released by the caller whatever
 * is returned.
 */
static enum rt_status zip_check(int fd, uint64_t size, uint64_t max_members,
				struct rt_zip_directory *directory, struct rt_error *err)
{
	struct check *c = malloc(sizeof(*c));
	enum rt_status status;

	if (!c)
		return rt_error_nomem(err);
	c->fd = fd;
	c->size = size;
	c->entries = c->offset = c->end = 0;
	c->err = err;
	status = find_end(c);
	if (status == RT_OK && c->entries > max_members) {
		(void)rt_error_limit(err, "the number of members", "members", max_members);
		status = RT_REJECT;
	}
	if (status == RT_OK)
		status = read_directory(c, directory);
	if (status == RT_OK)
		status = check_order(c, directory);
	free(c);
	return status;
}

/* --- Reading -------------------------------------------------------------------------------- */

/* What libzip says has failed. */
static enum rt_status zip_failed(const struct rt_zip *zip, zip_error_t *error, struct rt_error *err)
{
	if (zip->file.sys) {
		errno = zip->file.sys;
		return rt_error_sys(err, errno, "cannot read the file");
	}
	if (zip_error_code_zip(error) == ZIP_ER_MEMORY)
		return rt_error_nomem(err);
	if (zip_error_code_zip(error) == ZIP_ER_CRC)
		return rt_error_reject(err, RT_E_INPUT, "the member's CRC is not %08" PRIx32,
				       zip->member->crc);
	if (zip->member && zip_error_code_zip(error) == ZIP_ER_COMPNOTSUPP)
		return rt_error_reject(
		    err, RT_E_INPUT,
		    "the zip member is packed with method %u: stored ones, deflate "
		    "and bzip2 are read",
		    (unsigned)zip->member->method);
	return rt_error_reject(err, RT_E_INPUT, "the zip archive is damaged: %s",
			       zip_error_strerror(error));
}

static enum rt_status member_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct rt_zip *zip = (struct rt_zip *)stream;
	zip_int64_t got;

	if (!zip->open)
		zip->open = zip_fopen_index(
		    zip->archive, (zip_uint64_t)(zip->member - zip->directory.members), 0);
	if (!zip->open)
		return zip_failed(zip, zip_get_error(zip->archive), err);
	got = zip_fread(zip->open, buf, cap);
	if (got < 0)
		return zip_failed(zip, zip_file_get_error(zip->open), err);
	zip->given += (uint64_t)got;
	if (zip->given > zip->member->size || (got == 0 && zip->given < zip->member->size))
		return rt_error_reject(
		    err, RT_E_INPUT, "the member should have %" PRIu64 " byte%s, but has %s",
		    zip->member->size, RT_S(zip->member->size), got ? "more" : "fewer");
	*ret_len = (size_t)got;
	return got ? rt_meter_add(zip->meter, (uint64_t)got, err) : RT_END;
}

struct rt_stream *rt_zip_stream(struct rt_zip *zip, size_t index)
{
	if (zip->open)
		(void)zip_fclose(zip->open);
	zip->open = NULL;
	zip->member = &zip->directory.members[index];
	zip->given = 0;
	zip->stream = (struct rt_stream){.read = member_read};
	return &zip->stream;
}

static enum rt_status open_archive(struct rt_zip *zip, struct rt_error *err)
{
	zip_source_t *source;
	zip_error_t error;
	enum rt_status status = RT_OK;

	zip_error_init(&error);
	source = rt_zip_source(&zip->file, &error);
	if (source)
		zip->archive = zip_open_from_source(source, ZIP_RDONLY, &error);
	if (!zip->archive) {
		status = zip_failed(zip, &error, err);
		zip_source_free(source);
	} else if (zip_get_num_entries(zip->archive, 0) != (zip_int64_t)zip->directory.count) {
		status = rt_error_reject(
		    err, RT_E_INPUT,
		    "the zip has %zu member%s in its directory, libzip finds %" PRId64,
		    zip->directory.count, RT_S(zip->directory.count),
		    zip_get_num_entries(zip->archive, 0));
	}
	zip_error_fini(&error);
	return status;
}

enum rt_status rt_zip_open(int fd, uint64_t size, uint64_t max_members, struct rt_meter *meter,
			   struct rt_zip **ret_zip, struct rt_error *err)
{
	struct rt_zip *zip = calloc(1, sizeof(*zip));
	enum rt_status status;

	if (!zip)
		return rt_error_nomem(err);
	zip->meter = meter;
	zip->file =
	    (struct rt_zip_file){.fd = fd, .size = size, .out = -1, .progress = meter->progress};
	status = zip_check(fd, size, max_members, &zip->directory, err);
	if (status == RT_OK && zip->directory.count)
		status = open_archive(zip, err);
	if (status == RT_OK)
		*ret_zip = zip;
	else
		rt_zip_free(zip);
	return status;
}

const struct rt_zip_directory *rt_zip_members(const struct rt_zip *zip)
{
	return &zip->directory;
}

void rt_zip_free(struct rt_zip *zip)
{
	if (!zip)
		return;
	if (zip->open)
		(void)zip_fclose(zip->open);
	if (zip->archive)
		zip_discard(zip->archive);
	free(zip->directory.bytes);
	free(zip->directory.members);
	free(zip);
}
