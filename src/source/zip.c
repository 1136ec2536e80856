/*
 * Reads members of a zip by libzip, which unpacks them and checks their CRC.
 */
#include "source/zip.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/utf8.h"

#define LOCAL_BYTES 30u
#define LOCAL_MAX (LOCAL_BYTES + 2 * (size_t)UINT16_MAX)

struct rt_zip {
	struct rt_stream stream;
	struct rt_zip_file file;
	struct rt_zip_directory directory;
	struct rt_meter *meter;
	zip_t *archive;
	zip_file_t *open;                   /* the current member; NULL: none */
	const struct rt_zip_member *member; /* likewise */
	uint64_t given;                     /* bytes of it */
	/* While it is checked: where the directory is, and how many entries it should have. */
	uint64_t offset, end, entries;
	struct rt_error *err;
	uint8_t bytes[LOCAL_MAX]; /* a local header, or the file's end */
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

/*
 * A zip is read only where all readers see the same in it: the directory and the local headers
 * agree, members follow one another from the file's first byte to the directory, in its order, and
 * there is no field that makes a member something else for some readers.
 */

#define END_BYTES 22u
#define END64_BYTES 56u
#define LOCATOR64_BYTES 20u
#define TAIL_MAX (END64_BYTES + LOCATOR64_BYTES + END_BYTES + 65535u)
#define CENTRAL_BYTES 46u
#define DESCRIPTOR_MAX 24u

#define EXTRA_64 0x0001u         /* sizes and offset of 8 bytes */
#define EXTRA_ASI 0x756eu        /* a Unix mode; Info-ZIP's unzip obeys it */
#define EXTRA_ATTRIBUTES 0x6c78u /* libarchive's, with the directory's attributes */
#define EXTRA_NAME 0x7075u       /* Info-ZIP's, with the name in UTF-8 */

#define SYSTEM_UNIX 3u
#define DOS_FOLDER 0x10u

static enum rt_status refuse(struct rt_zip *c, const char *want, uint64_t at)
{
	return rt_error_reject(c->err, RT_E_INPUT, "want %s, have other bytes at offset %" PRIu64,
			       want, at);
}

static enum rt_status refuse_member(struct rt_zip *c, const char *what)
{
	return rt_error_reject(c->err, RT_E_INPUT, "the zip member %s", what);
}

/* Exactly len bytes at an offset. */
static enum rt_status read_at(struct rt_zip *c, uint64_t at, size_t len, uint8_t *buf)
{
	ssize_t got;

	if (at > c->file.size || len > c->file.size - at)
		return refuse(c, "a zip archive with all its bytes", c->file.size);
	for (size_t done = 0; done < len; done += (size_t)got) {
		got = rt_read_at(c->file.fd, buf + done, len - done, (off_t)(at + done));
		if (got < 0)
			return rt_error_sys(c->err, errno, "cannot read the file");
		if (got == 0)
			return refuse(c, "a zip archive with all its bytes", at + done);
	}
	return RT_OK;
}

/* --- The end records ------------------------------------------------------------------------ */

/*
 * The end record is the last one in the file, whose comment ends with the file. Right before it may
 * be a locator, and right before that the 64-bit end record that it leads to. A number is the same
 * in both records, or all ones in the first.
 */
static enum rt_status find_end(struct rt_zip *c)
{
	static const struct {
		unsigned at, bytes, at64;
	} fields[] = {{8, 2, 24}, {10, 2, 32}, {12, 4, 40}, {16, 4, 48}};
	size_t len = c->file.size < TAIL_MAX ? (size_t)c->file.size : TAIL_MAX, i = len;
	enum rt_status status = read_at(c, c->file.size - len, len, c->bytes);
	const uint8_t *end, *end64 = NULL;
	uint64_t values[4] = {0};

	if (status != RT_OK)
		return status;
	while (i >= END_BYTES && memcmp(c->bytes + i - END_BYTES, "PK\5\6", 4) != 0)
		i--;
	if (i < END_BYTES || rt_bytes_number(c->bytes + i - 2, 2) != len - i)
		return refuse(c, "a zip that ends with its central directory", c->file.size);
	end = c->bytes + i - END_BYTES;
	c->end = c->file.size - (len - i) - END_BYTES;
	if (i >= END_BYTES + LOCATOR64_BYTES + END64_BYTES &&
	    memcmp(end - LOCATOR64_BYTES, "PK\6\7", 4) == 0) {
		end64 = end - LOCATOR64_BYTES - END64_BYTES;
		c->end -= LOCATOR64_BYTES + END64_BYTES;
		if (memcmp(end64, "PK\6\6", 4) != 0 || rt_bytes_number(end64 + 16, 8) ||
		    rt_bytes_number(end - LOCATOR64_BYTES + 8, 8) != c->end)
			return refuse(c, "a zip with its 64-bit end record before its locator",
				      c->end);
	}
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t have = rt_bytes_number(end + fields[i].at, fields[i].bytes);

		values[i] = end64 ? rt_bytes_number(end64 + fields[i].at64, 8) : have;
		if (have != values[i] && have != (UINT64_C(1) << 8 * fields[i].bytes) - 1)
			return refuse(c, "a zip whose two end records agree", c->end);
	}
	c->entries = values[0];
	c->offset = values[3];
	if (values[1] != c->entries ||
	    (rt_bytes_number(end + 4, 4) != 0 && rt_bytes_number(end + 4, 4) != UINT32_MAX))
		return refuse(c, "a zip in one volume", c->end);
	if (c->offset > c->end || values[2] != c->end - c->offset)
		return refuse(c, "a zip whose directory lies before its end record", c->end);
	return RT_OK;
}

/* --- Extra fields --------------------------------------------------------------------------- */

static bool extra_next(struct rt_slice *extra, unsigned *ret_id, struct rt_slice *ret_data)
{
	size_t len = extra->len < 4 ? SIZE_MAX : (size_t)rt_bytes_number(extra->ptr + 2, 2);

	if (len == SIZE_MAX || len > extra->len - 4)
		return false;
	*ret_id = (unsigned)rt_bytes_number(extra->ptr, 2);
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

/*
 * Take the values that are all ones in a header from its 64-bit field. Some writers put all of them
 * there: then the others have to be the same.
 */
static bool take_long(struct rt_zip_member *member, size_t count, struct rt_slice data)
{
	uint64_t *const values[] = {&member->size, &member->packed, &member->local};
	bool has_all = data.len >= 8 * count;

	assert(count <= sizeof(values) / sizeof(values[0]));
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		if (!has_all && *values[i] != UINT32_MAX)
			continue;
		if (data.len < 8)
			return false;
		value = rt_bytes_number(data.ptr, 8);
		if (*values[i] != UINT32_MAX && *values[i] != value)
			return false;
		*values[i] = value;
		data = rt_slice_make(data.ptr + 8, data.len - 8);
	}
	return data.len < 8; /* the number of a volume */
}

/* Hold the extra fields of a header against it. count: as for read_header(). */
static enum rt_status take_extra(struct rt_zip *c, struct rt_zip_member *member, size_t count,
				 struct rt_slice extra)
{
	bool has_long = false;
	struct rt_slice data;
	unsigned id;

	while (extra_next(&extra, &id, &data)) {
		struct rt_slice name = rt_slice_make(data.ptr + 5, data.len < 5 ? 0 : data.len - 5);

		/* Its CRC, of the name in the header, some readers ignore. */
		if (id == EXTRA_NAME && !is_same_name(member, name))
			return rt_error_reject(
			    c->err, RT_E_INPUT,
			    "the zip member has another name, \"%.*s\", in field 0x7075",
			    (int)name.len, name.ptr);
		if (id == EXTRA_64 && (has_long || !take_long(member, count, data)))
			return refuse_member(c, "has other sizes in field 0x0001");
		has_long |= id == EXTRA_64;
		if (id == EXTRA_ASI || id == EXTRA_ATTRIBUTES)
			return rt_error_reject(
			    c->err, RT_E_INPUT,
			    "the zip member has field 0x%04x, which is another type for some", id);
	}
	/* A rest that has no room for a field is padding. */
	return extra.len < 4 ? RT_OK : refuse_member(c, "has damaged extra fields");
}

/* --- The two headers ------------------------------------------------------------------------ */

/*
 * Read what both headers have alike, from the flags to the extra fields. at: the flags. rest: what
 * is behind the header. count: sizes and offset that it has, 3 in the directory, 2 elsewhere.
 * member: its offset, as the header has it, is set.
 */
static enum rt_status read_header(struct rt_zip *c, const uint8_t *at, const uint8_t *rest,
				  size_t count, struct rt_zip_member *member)
{
	size_t name_len = (size_t)rt_bytes_number(at + 20, 2);

	member->name = rt_slice_make((const char *)rest, name_len);
	member->flags = (uint16_t)rt_bytes_number(at, 2);
	member->method = (uint16_t)rt_bytes_number(at + 2, 2);
	member->time = (uint16_t)rt_bytes_number(at + 4, 2);
	member->date = (uint16_t)rt_bytes_number(at + 6, 2);
	member->crc = (uint32_t)rt_bytes_number(at + 8, 4);
	member->packed = rt_bytes_number(at + 12, 4);
	member->size = rt_bytes_number(at + 16, 4);
	return take_extra(
	    c, member, count,
	    rt_slice_make((const char *)rest + name_len, (size_t)rt_bytes_number(at + 22, 2)));
}

/* Find out what a member is. Returns what is wrong with it, or NULL. */
static const char *find_type(struct rt_zip_member *member, unsigned system, uint32_t attributes)
{
	char last = member->name.ptr[member->name.len - 1];
	unsigned type = attributes >> 16 & S_IFMT;
	bool is_unix = system == SYSTEM_UNIX, slash = last == '/';
	bool folder = type == S_IFDIR || (!is_unix && attributes & DOS_FOLDER);

	member->is_folder = slash || folder;
	member->is_link = is_unix && type == S_IFLNK;
	if (folder && !slash && last != '\\')
		return "is a folder by its attributes, but its name does not end with \"/\"";
	if (type == S_IFLNK && (slash || !is_unix))
		return "is a link by some of its attributes";
	/* Without a type, and what Info-ZIP read from a pipe, it is a file. */
	if (is_unix && type && type != S_IFIFO && type != S_IFREG && !folder && !member->is_link)
		return "is no file, folder or link";
	if (slash && (member->size || member->crc))
		return "is a folder and has data";
	if (member->method == 0 && member->packed != member->size &&
	    !(member->flags & RT_ZIP_ENCRYPTED))
		return "is stored (method 0), but has two sizes";
	return NULL;
}

/* Read the entry of the directory at *at, and move *at after it. */
static enum rt_status read_entry(struct rt_zip *c, const uint8_t *bytes, size_t len, size_t *at,
				 struct rt_zip_member *member)
{
	const uint8_t *entry = bytes + *at;
	size_t left = len - *at, whole;
	enum rt_status status;
	const char *fault;

	if (left < CENTRAL_BYTES || memcmp(entry, "PK\1\2", 4) != 0)
		return refuse(c, "a zip with a whole central directory", c->offset + *at);
	whole = CENTRAL_BYTES + (size_t)rt_bytes_number(entry + 28, 2) +
		(size_t)rt_bytes_number(entry + 30, 2) + (size_t)rt_bytes_number(entry + 32, 2);
	if (whole > left)
		return refuse(c, "a zip with a whole central directory", c->offset + *at);
	member->local = rt_bytes_number(entry + 42, 4);
	status = read_header(c, entry + 8, entry + CENTRAL_BYTES, 3, member);
	if (status != RT_OK)
		return status;
	if (member->name.len == 0 || memchr(member->name.ptr, '\0', member->name.len) ||
	    (member->flags & RT_ZIP_UTF8 && rt_utf8_prefix(member->name) < member->name.len))
		return refuse(c, "a zip with member names that are text", c->offset + *at);
	if (rt_bytes_number(entry + 34, 2) != 0 && rt_bytes_number(entry + 34, 2) != UINT16_MAX)
		return refuse(c, "a zip in one volume", c->offset + *at);
	*at += whole;
	fault = find_type(member, entry[5], (uint32_t)rt_bytes_number(entry + 38, 4));
	return fault ? refuse_member(c, fault) : RT_OK;
}

/* later: it comes after the data, and is nothing here, or all ones. */
static bool size_agrees(uint64_t have, uint64_t want, bool later)
{
	return have == want || (later && (have == 0 || have == UINT32_MAX));
}

/* What of a local header is not the directory's; NULL: nothing. Sizes and CRC may come later. */
static const char *local_differs(const struct rt_zip_member *local,
				 const struct rt_zip_member *member)
{
	unsigned flags = local->flags ^ member->flags;
	bool later = local->flags & RT_ZIP_AFTER, ascii = true;

	for (size_t i = 0; i < local->name.len; i++)
		ascii &= is_ascii(local->name.ptr[i]);
	if (!rt_slice_equal(local->name, member->name) || (flags & RT_ZIP_UTF8 && !ascii))
		return "name";
	if (local->method != member->method)
		return "method";
	if (flags & RT_ZIP_ENCRYPTED)
		return "encryption";
	if (!size_agrees(local->size, member->size, later))
		return "size";
	if (!size_agrees(local->packed, member->packed, later))
		return "packed size";
	return local->crc == member->crc || (later && local->crc == 0) ? NULL : "CRC";
}

/* Move member->end after the descriptor, which may have a magic, and sizes of 4 or 8 bytes. */
static enum rt_status read_descriptor(struct rt_zip *c, struct rt_zip_member *member)
{
	static const unsigned forms[][2] = {{4, 8}, {0, 8}, {4, 4}, {0, 4}};
	uint64_t left = c->offset - member->end;
	size_t len = left < DESCRIPTOR_MAX ? (size_t)left : DESCRIPTOR_MAX;
	enum rt_status status = read_at(c, member->end, len, c->bytes);

	for (size_t i = 0; status == RT_OK && i < sizeof(forms) / sizeof(forms[0]); i++) {
		unsigned start = forms[i][0], width = forms[i][1];
		const uint8_t *at = c->bytes + start;

		if (len < start + 4 + 2 * width || (start && memcmp(c->bytes, "PK\7\10", 4) != 0) ||
		    rt_bytes_number(at, 4) != member->crc ||
		    rt_bytes_number(at + 4, width) != member->packed ||
		    rt_bytes_number(at + 4 + width, width) != member->size)
			continue;
		member->end += start + 4 + 2 * width;
		return RT_OK;
	}
	if (status != RT_OK)
		return status;
	return refuse_member(c, "has other sizes after its data than in the directory");
}

/* Check the local header and the descriptor. */
static enum rt_status check_local(struct rt_zip *c, struct rt_zip_member *member)
{
	struct rt_zip_member local = {.local = member->local};
	enum rt_status status = read_at(c, member->local, LOCAL_BYTES, c->bytes);
	const char *what;
	size_t rest;

	if (status != RT_OK)
		return status;
	if (memcmp(c->bytes, "PK\3\4", 4) != 0)
		return refuse(c, "a zip whose directory leads to its members", member->local);
	rest =
	    (size_t)rt_bytes_number(c->bytes + 26, 2) + (size_t)rt_bytes_number(c->bytes + 28, 2);
	member->end = member->local + LOCAL_BYTES + rest;
	status = read_at(c, member->local + LOCAL_BYTES, rest, c->bytes + LOCAL_BYTES);
	if (status == RT_OK)
		status = read_header(c, c->bytes + 6, c->bytes + LOCAL_BYTES, 2, &local);
	if (status != RT_OK)
		return status;
	what = local_differs(&local, member);
	if (what)
		return rt_error_reject(
		    c->err, RT_E_INPUT,
		    "the zip's directory has another %s than the local header at offset %" PRIu64,
		    what, member->local);
	if (member->end > c->offset || member->packed > c->offset - member->end)
		return refuse_member(c, "ends inside the directory");
	member->end += member->packed;
	return local.flags & RT_ZIP_AFTER ? read_descriptor(c, member) : RT_OK;
}

/* --- The whole ------------------------------------------------------------------------------ */

/*
 * Check that a file ends in a central directory, that this is whole, that each of its entries and
 * the local header it leads to agree in all that a reader could obey, and that members follow one
 * another (SPEC D1).
 */
static enum rt_status read_directory(struct rt_zip *c, uint64_t max_members)
{
	struct rt_zip_directory *directory = &c->directory;
	enum rt_status status = find_end(c);
	size_t len = (size_t)(c->end - c->offset), at = 0;
	uint64_t next = 0;

	if (status == RT_OK && c->entries > max_members) {
		(void)rt_error_limit(c->err, "the number of members", "members", max_members);
		status = RT_REJECT;
	}
	if (status != RT_OK)
		return status;
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
		if (status == RT_OK && member->local != next)
			status = refuse(c, "a zip whose members follow one another", next);
		if (status == RT_OK)
			status = check_local(c, member);
		if (status != RT_OK)
			rt_error_text(c->err->member, sizeof(c->err->member), member->name);
		next = member->end;
	}
	if (status == RT_OK && next != c->offset)
		return refuse(c, "a zip whose members follow one another", next);
	if (status == RT_OK && at != len)
		return refuse(c, "a zip directory with as many entries as it says", c->offset + at);
	return status;
}

/* --- Reading -------------------------------------------------------------------------------- */

bool rt_zip_reads(unsigned method)
{
	return method == ZIP_CM_STORE || method == ZIP_CM_DEFLATE || method == ZIP_CM_BZIP2;
}

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
	return rt_error_reject(err, RT_E_INPUT, "the zip archive is damaged: %s",
			       zip_error_strerror(error));
}

static enum rt_status member_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
				  struct rt_error *err)
{
	struct rt_zip *zip = (struct rt_zip *)stream;
	zip_int64_t got;

	if (!rt_zip_reads(zip->member->method))
		return rt_error_reject(
		    err, RT_E_INPUT,
		    "the zip member is packed with method %u: stored ones, deflate "
		    "and bzip2 are read",
		    (unsigned)zip->member->method);
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
	enum rt_status status = rt_late_load(RT_LATE_LIBZIP, err);

	if (status != RT_OK)
		return status;
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
	zip->err = err;
	status = read_directory(zip, max_members);
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
