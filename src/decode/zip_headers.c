/*
 * The headers of one zip member. Input: their bytes. Output: what all of them say.
 * A zip tells name, type and sizes several times, and readers believe different ones: some the
 * directory, some the local header, some an extra field of either (libarchive: 0x6c78 and 0x7075
 * of the local header before all else). Refuses a member of which they would not see the same:
 * another name, type, method, size or CRC in one of the places, a folder by its attributes whose
 * name is that of a file or that has data, and extra fields that are cut.
 */
#include "decode/zip_headers.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define EXTRA_64 0x0001u         /* sizes and offset of 8 bytes */
#define EXTRA_ASI 0x756eu        /* a Unix mode; Info-ZIP's unzip obeys it */
#define EXTRA_ATTRIBUTES 0x6c78u /* libarchive's, with the directory's attributes */
#define EXTRA_NAME 0x7075u       /* Info-ZIP's, with the name in UTF-8 */

#define SYSTEM_UNIX 3u
#define DOS_FOLDER 0x10u
#define METHOD_MAX 255u /* libarchive looks at one byte of two */

enum kind { KIND_FILE, KIND_FOLDER, KIND_LINK, KIND_OTHER };

/* One of a member's headers. */
struct header {
	const struct rt_zip_central *central; /* what is right */
	const char *shown;                    /* "directory" or "local header" */
	const uint64_t *values;               /* own 4-byte fields: size, packed size, offset */
	size_t value_count;
	bool is_behind;  /* sizes may be missing here */
	unsigned system; /* for attributes that come without one */
};

uint64_t rt_zip_get(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

bool rt_zip_extra_next(struct rt_slice *extra, unsigned *ret_id, struct rt_slice *ret_data)
{
	const uint8_t *at = (const uint8_t *)extra->ptr;
	size_t len;

	if (extra->len < 4)
		return false;
	len = (size_t)rt_zip_get(at + 2, 2);
	if (len > extra->len - 4)
		return false;
	*ret_id = (unsigned)rt_zip_get(at, 2);
	*ret_data = rt_slice_make(extra->ptr + 4, len);
	*extra = rt_slice_make(extra->ptr + 4 + len, extra->len - 4 - len);
	return true;
}

size_t rt_zip_descriptor_len(uint64_t packed, uint64_t size, uint32_t crc, const uint8_t *bytes,
			     size_t len)
{
	static const struct {
		size_t start;
		unsigned width;
	} forms[] = {{4, 8}, {0, 8}, {4, 4}, {0, 4}};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		unsigned width = forms[i].width;
		size_t whole = forms[i].start + 4 + 2 * (size_t)width;
		const uint8_t *at = bytes + forms[i].start;

		if (whole <= len && (!forms[i].start || memcmp(bytes, "PK\7\10", 4) == 0) &&
		    rt_zip_get(at, 4) == crc && rt_zip_get(at + 4, width) == packed &&
		    rt_zip_get(at + 4 + width, width) == size)
			return whole;
	}
	return 0;
}

/* --- What a member is ---------------------------------------------------------------------- */

static enum kind kind_of_mode(unsigned mode)
{
	switch (mode & S_IFMT) {
	case 0:
	case S_IFREG:
	/* Info-ZIP writes this for what it read from a pipe; all readers make a file of it. */
	case S_IFIFO:
		return KIND_FILE;
	case S_IFDIR:
		return KIND_FOLDER;
	case S_IFLNK:
		return KIND_LINK;
	default:
		return KIND_OTHER;
	}
}

static bool ends_with(struct rt_slice name, char last)
{
	return name.len && name.ptr[name.len - 1] == last;
}

static enum kind kind_of(const struct rt_zip_central *central)
{
	if (ends_with(central->name, '/'))
		return KIND_FOLDER;
	return central->system == SYSTEM_UNIX ? kind_of_mode(central->attributes >> 16) : KIND_FILE;
}

/* Whether the attributes make the member something that its name, or its system, does not. */
static enum rt_status kind_check(const struct rt_zip_central *central, struct rt_error *err)
{
	enum kind mode = kind_of_mode(central->attributes >> 16);
	bool is_unix = central->system == SYSTEM_UNIX;
	bool is_folder = ends_with(central->name, '/');
	bool is_dos_folder = !is_unix && central->attributes & DOS_FOLDER;

	if (!is_folder && !ends_with(central->name, '\\') && (mode == KIND_FOLDER || is_dos_folder))
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a zip folder with \"/\" at the end of its name, have one "
				   "by its attributes alone");
	else if (mode == KIND_LINK && (is_folder || !is_unix))
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a zip member of one type, have a link in some of its "
				   "attributes");
	else if (mode == KIND_OTHER && is_unix)
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a zip member that is a file, a folder or a link, have "
				   "type %06o",
				   (unsigned)(central->attributes >> 16) & S_IFMT);
	else if (is_folder && (central->size || central->crc))
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a zip folder without data, have %" PRIu64 " byte%s",
				   central->size, RT_S(central->size));
	else
		return RT_OK;
	return RT_REJECT;
}

/* --- Extra fields -------------------------------------------------------------------------- */

static size_t run_of(struct rt_slice text, size_t at, bool ascii)
{
	size_t start = at;

	while (at < text.len && ((unsigned char)text.ptr[at] < 0x80) == ascii)
		at++;
	return at - start;
}

/*
 * Whether two spellings are of one name. What is no ASCII may be spelled in an old encoding, which
 * nothing in a zip tells; what decides, the suffix and the slashes, is ASCII in all of them.
 */
static bool is_same_name(const struct rt_zip_central *central, struct rt_slice other)
{
	struct rt_slice name = central->name;
	size_t i = 0;
	size_t k = 0;

	if (rt_slice_equal(name, other))
		return true;
	if (central->flags & RT_ZIP_UTF8)
		return false;
	for (bool ascii = true; i < name.len || k < other.len; ascii = !ascii) {
		size_t a = run_of(name, i, ascii);
		size_t b = run_of(other, k, ascii);

		if (ascii ? a != b || memcmp(name.ptr + i, other.ptr + k, a) != 0 : !a != !b)
			return false;
		i += a;
		k += b;
	}
	return true;
}

static enum rt_status name_check(const struct header *header, struct rt_slice data,
				 struct rt_error *err)
{
	struct rt_slice name = {"", 0};

	/* A version, and a CRC that some readers ignore: so the name must be right without it. */
	if (data.len >= 5)
		name = rt_slice_make(data.ptr + 5, data.len - 5);
	if (is_same_name(header->central, name))
		return RT_OK;
	(void)rt_error_set(err, RT_E_INPUT,
			   "want one name in all headers of a zip member, have \"%.*s\" in field "
			   "0x7075 of its %s",
			   (int)name.len, name.ptr, header->shown);
	return RT_REJECT;
}

/* A map of what follows, of one byte or more, then system, inner and external attributes. */
static bool attributes_agree(const struct header *header, struct rt_slice data)
{
	const uint8_t *at = (const uint8_t *)data.ptr;
	const uint8_t *end = at + data.len;
	unsigned system = header->system;
	unsigned map;

	if (!data.len)
		return true;
	map = *at;
	while (at < end && *at & 0x80)
		at++;
	if (at < end)
		at++;
	if (map & 1) {
		if (end - at < 2)
			return false;
		system = at[1];
		at += 2;
	}
	if (map & 2) {
		if (end - at < 2)
			return false;
		at += 2;
	}
	if (map & 4 && (end - at < 4 || rt_zip_get(at, 4) != header->central->attributes))
		return false;
	return !(map & 5) || system == header->central->system;
}

static bool mode_agrees(const struct header *header, struct rt_slice data)
{
	return data.len >= 6 && kind_of_mode((unsigned)rt_zip_get((const uint8_t *)data.ptr + 4,
								  2)) == kind_of(header->central);
}

static bool value_agrees(const struct header *header, uint64_t have, uint64_t want)
{
	return have == want || (header->is_behind && have == 0);
}

/*
 * The field has the values that are all ones in the header; some writers put all of them, and
 * readers that count on it find others than those that do not.
 */
static bool values_agree(const struct header *header, struct rt_slice data)
{
	const struct rt_zip_central *central = header->central;
	const uint64_t right[] = {central->size, central->packed, central->local};
	const uint8_t *at = (const uint8_t *)data.ptr;
	size_t used = 0;

	for (size_t i = 0; i < header->value_count; i++) {
		if (header->values[i] != UINT32_MAX)
			continue;
		if (data.len - used < 8 ||
		    !value_agrees(header, rt_zip_get(at + used, 8), right[i]))
			return false;
		used += 8;
	}
	for (size_t i = 0; data.len - used >= 8 && i < header->value_count; i++) {
		if (8 * (i + 1) <= data.len &&
		    !value_agrees(header, rt_zip_get(at + 8 * i, 8), right[i]))
			return false;
	}
	return true;
}

static enum rt_status extra_check(const struct header *header, struct rt_slice extra,
				  struct rt_error *err)
{
	struct rt_slice data;
	unsigned id;

	while (rt_zip_extra_next(&extra, &id, &data)) {
		const char *what = NULL;

		if (id == EXTRA_NAME && name_check(header, data, err) != RT_OK)
			return RT_REJECT;
		if (id == EXTRA_64 && !values_agree(header, data))
			what = "size";
		if ((id == EXTRA_ATTRIBUTES && !attributes_agree(header, data)) ||
		    (id == EXTRA_ASI && !mode_agrees(header, data)))
			what = "type";
		if (what) {
			(void)rt_error_set(err, RT_E_INPUT,
					   "want one %s in all headers of a zip member, have "
					   "another in field 0x%04x of its %s",
					   what, id, header->shown);
			return RT_REJECT;
		}
	}
	/* A rest that has no room for a field is padding. */
	if (extra.len < 4)
		return RT_OK;
	(void)rt_error_set(
	    err, RT_E_INPUT,
	    "want whole extra fields in the %s of a zip member, have %zu byte%s that "
	    "%s none",
	    header->shown, extra.len, RT_S(extra.len), extra.len == 1 ? "is" : "are");
	return RT_REJECT;
}

/* --- The two headers ----------------------------------------------------------------------- */

/* Put the values that are all ones in the entry, from its 64-bit field. */
static void central_read64(const struct header *header, struct rt_slice extra,
			   struct rt_zip_central *central)
{
	uint64_t *const to[] = {&central->size, &central->packed, &central->local};
	struct rt_slice data;
	unsigned id;

	while (rt_zip_extra_next(&extra, &id, &data)) {
		const uint8_t *at = (const uint8_t *)data.ptr;

		if (id != EXTRA_64)
			continue;
		for (size_t i = 0; i < header->value_count; i++) {
			if (header->values[i] != UINT32_MAX || data.len < 8)
				continue;
			*to[i] = rt_zip_get(at, 8);
			at += 8;
			data.len -= 8;
		}
		return;
	}
}

enum rt_status rt_zip_central_read(const uint8_t *entry, struct rt_slice name,
				   struct rt_slice extra, struct rt_zip_central *ret_central,
				   struct rt_error *err)
{
	const uint64_t values[] = {rt_zip_get(entry + 24, 4), rt_zip_get(entry + 20, 4),
				   rt_zip_get(entry + 42, 4)};
	struct rt_zip_central central = {
	    .name = name,
	    .size = values[0],
	    .packed = values[1],
	    .local = values[2],
	    .crc = (uint32_t)rt_zip_get(entry + 16, 4),
	    .attributes = (uint32_t)rt_zip_get(entry + 38, 4),
	    .flags = (uint16_t)rt_zip_get(entry + 8, 2),
	    .method = (uint16_t)rt_zip_get(entry + 10, 2),
	    .system = entry[5],
	};
	const struct header header = {.central = &central,
				      .shown = "directory",
				      .values = values,
				      .value_count = 3,
				      .system = central.system};
	enum rt_status status;

	central_read64(&header, extra, &central);
	status = extra_check(&header, extra, err);
	if (status == RT_OK)
		status = kind_check(&central, err);
	if (status != RT_OK)
		return status;
	if (central.method > METHOD_MAX || (central.method == 0 && central.packed != central.size &&
					    !(central.flags & RT_ZIP_ENCRYPTED))) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a zip member whose method and sizes go together, have "
				   "method %u, %" PRIu64 " and %" PRIu64 " bytes",
				   (unsigned)central.method, central.packed, central.size);
		return RT_REJECT;
	}
	*ret_central = central;
	return RT_OK;
}

/* What of a local header is not the directory's; NULL: nothing. */
static const char *local_differs(const struct rt_zip_central *central, const uint8_t *local,
				 struct rt_slice name)
{
	unsigned flags = (unsigned)rt_zip_get(local + 6, 2) ^ central->flags;

	if (!rt_slice_equal(name, central->name) ||
	    (flags & RT_ZIP_UTF8 && run_of(name, 0, true) < name.len))
		return "name";
	if (rt_zip_get(local + 8, 2) != central->method)
		return "method";
	return flags & RT_ZIP_ENCRYPTED ? "encryption" : NULL;
}

/* Likewise of its numbers, of which those in a 64-bit field are checked with that. */
static const char *local_value_differs(const struct header *header, const uint8_t *local,
				       struct rt_slice extra)
{
	const struct rt_zip_central *central = header->central;
	const uint64_t right[] = {central->size, central->packed};
	bool has64 = false;
	struct rt_slice data;
	unsigned id;

	while (!has64 && rt_zip_extra_next(&extra, &id, &data))
		has64 = id == EXTRA_64;
	for (size_t i = 0; i < header->value_count; i++) {
		uint64_t have = header->values[i];
		bool is_elsewhere = have == UINT32_MAX && (has64 || header->is_behind);

		if (!is_elsewhere && !value_agrees(header, have, right[i]))
			return i ? "packed size" : "size";
	}
	return value_agrees(header, rt_zip_get(local + 14, 4), central->crc) ? NULL : "CRC";
}

enum rt_status rt_zip_local_check(const struct rt_zip_central *central, const uint8_t *local,
				  struct rt_slice name, struct rt_slice extra, struct rt_error *err)
{
	const uint64_t values[] = {rt_zip_get(local + 22, 4), rt_zip_get(local + 18, 4)};
	const struct header header = {.central = central,
				      .shown = "local header",
				      .values = values,
				      .value_count = 2,
				      .is_behind = rt_zip_get(local + 6, 2) & RT_ZIP_AFTER,
				      .system = local[5]};
	const char *what = local_differs(central, local, name);

	if (!what)
		what = local_value_differs(&header, local, extra);
	if (!what)
		return extra_check(&header, extra, err);
	(void)rt_error_set(err, RT_E_INPUT,
			   "want a zip whose directory agrees with its members, have another %s in "
			   "the local header at offset %" PRIu64,
			   what, central->local);
	return RT_REJECT;
}
