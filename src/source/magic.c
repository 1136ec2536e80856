/*
 * Which format a stream has, by its first 512 bytes. JSON and YAML text can never be taken for one
 * of them: each test needs a byte that text of SPEC D2 cannot hold, or a start that no document
 * has. Formats that are not in SPEC D1 are not known here, so they are read as documents and
 * refused there.
 */
#include "source/magic.h"

#include <limits.h>
#include <string.h>

#include "base/bytes.h"

#define TAR_CHECKSUM_AT 148u
#define TAR_CHECKSUM_LEN 8u
#define TAR_MAGIC_AT 257u
#define CPIO_BINARY_HEAD 26u

static bool has(const uint8_t *head, size_t len, size_t at, const void *bytes, size_t count)
{
	return len >= at + count && memcmp(head + at, bytes, count) == 0;
}

/*
 * zstd and lz4 share the magic of skippable frames. The first frame that is not skippable
 * decides; when it is out of sight, zstd, whose tools write such frames in front.
 */
static enum rt_magic skippable_find(const uint8_t *head, size_t len)
{
	size_t at = 0;

	while (len - at >= 8 &&
	       ((uint32_t)rt_bytes_number(head + at, 4) & 0xFFFFFFF0u) == 0x184D2A50u) {
		uint32_t size = (uint32_t)rt_bytes_number(head + at + 4, 4);

		if (size > len - at - 8)
			break;
		at += 8 + (size_t)size;
	}
	return has(head, len, at, "\x04\x22\x4d\x18", 4) ? RT_MAGIC_LZ4 : RT_MAGIC_ZSTD;
}

static enum rt_magic compression_find(const uint8_t *head, size_t len)
{
	if (has(head, len, 0, "\x1f\x8b", 2))
		return RT_MAGIC_GZIP;
	if (has(head, len, 0, "\x28\xb5\x2f\xfd", 4))
		return RT_MAGIC_ZSTD;
	if (has(head, len, 0,
		"\xfd"
		"7zXZ\0",
		6))
		return RT_MAGIC_XZ;
	if (has(head, len, 0, "BZh", 3) && len > 3 && head[3] >= '1' && head[3] <= '9')
		return RT_MAGIC_BZIP2;
	if (has(head, len, 0, "\x04\x22\x4d\x18", 4))
		return RT_MAGIC_LZ4;
	if (len >= 4 && ((uint32_t)rt_bytes_number(head, 4) & 0xFFFFFFF0u) == 0x184D2A50u)
		return skippable_find(head, len);
	return RT_MAGIC_NONE;
}

/* The octal number of a tar field: blanks or not, digits, then a NUL or a blank. */
static bool tar_octal(const uint8_t *at, size_t len, uint32_t *ret_value)
{
	uint32_t value = 0;
	size_t i = 0;
	size_t first;

	while (i < len && at[i] == ' ')
		i++;
	for (first = i; i < len && at[i] >= '0' && at[i] <= '7'; i++)
		value = value * 8 + (uint32_t)(at[i] - '0');
	*ret_value = value;
	return i > first && i < len && (at[i] == '\0' || at[i] == ' ');
}

/* A v7 header has no magic, only a checksum; its name and link fields are padded with NUL. */
static bool tar_checksum_matches(const uint8_t *head)
{
	uint32_t sum = 0;
	uint32_t stored;

	if (head[0] == '\0' || !memchr(head, '\0', 100))
		return false;
	if (!tar_octal(head + TAR_CHECKSUM_AT, TAR_CHECKSUM_LEN, &stored))
		return false;
	for (size_t i = 0; i < RT_MAGIC_BYTES; i++) {
		bool blank = i >= TAR_CHECKSUM_AT && i < TAR_CHECKSUM_AT + TAR_CHECKSUM_LEN;

		sum += blank ? ' ' : head[i];
	}
	return sum == stored;
}

static bool is_tar(const uint8_t *head, size_t len)
{
	if (has(head, len, TAR_MAGIC_AT, "ustar\0", 6) ||
	    has(head, len, TAR_MAGIC_AT, "ustar  \0", 8))
		return true;
	return len >= RT_MAGIC_BYTES && tar_checksum_matches(head);
}

/* The old binary header, of either byte order: the name must end where the header says. */
static bool is_cpio_binary(const uint8_t *head, size_t len)
{
	size_t name_len;

	if (len < CPIO_BINARY_HEAD)
		return false;
	if (head[0] == 0xc7 && head[1] == 0x71)
		name_len = (size_t)head[20] | (size_t)head[21] << 8;
	else if (head[0] == 0x71 && head[1] == 0xc7)
		name_len = (size_t)head[20] << 8 | (size_t)head[21];
	else
		return false;
	/* Two letters of text in this place make a number beyond any path. */
	if (name_len < 2 || name_len > PATH_MAX)
		return false;
	return CPIO_BINARY_HEAD + name_len > len || head[CPIO_BINARY_HEAD + name_len - 1] == '\0';
}

static enum rt_magic container_find(const uint8_t *head, size_t len)
{
	if (has(head, len, 0, "PK\3\4", 4) || has(head, len, 0, "PK\5\6", 4))
		return RT_MAGIC_ZIP;
	if (has(head, len, 0, "7z\xbc\xaf\x27\x1c", 6))
		return RT_MAGIC_7ZIP;
	if (has(head, len, 0, "070701", 6) || has(head, len, 0, "070702", 6) ||
	    has(head, len, 0, "070707", 6) || is_cpio_binary(head, len))
		return RT_MAGIC_CPIO;
	return is_tar(head, len) ? RT_MAGIC_TAR : RT_MAGIC_NONE;
}

enum rt_magic rt_magic_find(const uint8_t *head, size_t len)
{
	enum rt_magic magic = compression_find(head, len);

	return magic != RT_MAGIC_NONE ? magic : container_find(head, len);
}

const char *rt_magic_name(enum rt_magic magic)
{
	static const char *const names[] = {
	    [RT_MAGIC_NONE] = "document", [RT_MAGIC_GZIP] = "gzip",   [RT_MAGIC_ZSTD] = "zstd",
	    [RT_MAGIC_XZ] = "xz",         [RT_MAGIC_BZIP2] = "bzip2", [RT_MAGIC_LZ4] = "lz4",
	    [RT_MAGIC_TAR] = "tar",       [RT_MAGIC_ZIP] = "zip",     [RT_MAGIC_7ZIP] = "7z",
	    [RT_MAGIC_CPIO] = "cpio",     [RT_MAGIC_YAML] = "YAML",
	};

	return names[magic];
}
