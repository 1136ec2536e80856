/*
 * Running the repacker over bytes in memory, and judging what it made: by the reader of our own
 * for candidates, by libarchive with all formats for everything else.
 */
#ifndef RT_TESTS_REPACK_MAKE_H
#define RT_TESTS_REPACK_MAKE_H

#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "archive_make.h"
#include "base/error.h"
#include "base/limits.h"
#include "rewrite/repack.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

struct repacked {
	enum rt_status status;
	struct rt_error err;
	uint32_t parts;
	struct rt_buf bytes;
};

/* A file in memory, its offset at its start. */
static inline int repack_file(struct rt_slice bytes)
{
	int fd = memfd_create("repack", MFD_CLOEXEC);
	size_t done = 0;

	ck_assert_int_ge(fd, 0);
	while (done < bytes.len) {
		ssize_t put = write(fd, bytes.ptr + done, bytes.len - done);

		ck_assert_int_gt(put, 0);
		done += (size_t)put;
	}
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static inline void repack_load(int fd, struct rt_buf *ret_bytes)
{
	static char block[65536];
	struct rt_error err;
	ssize_t got;

	for (off_t at = 0; (got = pread(fd, block, sizeof(block), at)) > 0; at += got)
		ck_assert_int_eq(rt_buf_append(ret_bytes, block, (size_t)got, &err), RT_OK);
	ck_assert_int_eq(got, 0);
}

static inline enum rt_status repack_file_to(const struct rt_file *file,
					    const struct rt_options *options,
					    const struct rt_patches *patches, uint32_t first_part,
					    uint32_t *ret_parts, int out, struct rt_error *err)
{
	struct rt_repacker repacker;
	enum rt_status status;

	rt_repacker_init(&repacker, options, patches);
	status = rt_repack(&repacker, file, first_part, ret_parts, out, err);
	rt_repacker_release(&repacker);
	return status;
}

/* Repack bytes; patches must be sorted. Release bytes after. */
static inline void repack_run(struct repacked *result, struct rt_slice bytes,
			      const struct rt_patches *patches, uint32_t first_part,
			      const struct rt_limits *limits)
{
	struct rt_options options = {.path_count = 1};
	struct rt_file file = {.path = "test", .seekable = true, .size = bytes.len};
	int out = memfd_create("out", MFD_CLOEXEC);

	rt_limits_init(&options.limits);
	if (limits)
		options.limits = *limits;
	*result = (struct repacked){.parts = 77};
	file.fd = repack_file(bytes);
	ck_assert_int_ge(out, 0);
	result->status =
	    repack_file_to(&file, &options, patches, first_part, &result->parts, out, &result->err);
	if (result->status == RT_OK)
		repack_load(out, &result->bytes);
	close(file.fd);
	close(out);
}

/* Whether the repacker would write bytes again. */
static inline enum rt_status repack_check(struct rt_slice bytes, struct rt_error *err)
{
	struct rt_file file = {.path = "test", .seekable = true, .size = bytes.len};
	struct rt_options options = {.path_count = 1};
	enum rt_status status;

	rt_limits_init(&options.limits);
	file.fd = repack_file(bytes);
	status = rt_repack_check(&file, &options, err);
	close(file.fd);
	return status;
}

static inline void repack_ok(const struct repacked *result, const char *what)
{
	ck_assert_msg(result->status == RT_OK, "%s: [%s] %s", what, result->err.member,
		      result->err.message);
}

/* Add a patch; the list is sorted after each. */
static inline void repack_patch(struct rt_patches *patches, uint32_t part, uint64_t offset,
				uint64_t len, const char *text)
{
	struct rt_error err;

	ck_assert_int_eq(rt_patches_add(patches,
					(struct rt_patch){.part = part,
							  .offset = offset,
							  .len = len,
							  .text = {text, strlen(text)}},
					&err),
			 RT_OK);
	rt_patches_sort(patches);
}

/* A document with the patches of a part applied, the plain way. */
static inline void repack_expect(struct rt_buf *out, struct rt_slice document,
				 const struct rt_patches *patches, uint32_t part)
{
	struct rt_error err;
	size_t at = 0;

	for (size_t i = 0; i < rt_patches_count(patches); i++) {
		struct rt_patch patch = rt_patches_get(patches, i);

		if (patch.part != part)
			continue;
		ck_assert_int_eq(
		    rt_buf_append(out, document.ptr + at, (size_t)patch.offset - at, &err), RT_OK);
		ck_assert_int_eq(rt_buf_append(out, patch.text.ptr, patch.text.len, &err), RT_OK);
		at = (size_t)(patch.offset + patch.len);
	}
	ck_assert_int_eq(rt_buf_append(out, document.ptr + at, document.len - at, &err), RT_OK);
}

static inline void repack_say(struct rt_buf *out, const char *text)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(out, text, strlen(text), &err), RT_OK);
}

/* The parts of a file as make_decode() shows them, read through a child. */
static inline void repack_parts(struct made_result *result, struct rt_slice bytes)
{
	struct rt_limits limits;
	char path[64];
	int fd = repack_file(bytes);

	rt_limits_init(&limits);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	make_read(result, path, &limits);
	close(fd);
}

/* Decompress with whatever filter libarchive finds. */
static inline void repack_unpack(struct rt_buf *out, struct rt_slice bytes, const char *what)
{
	struct archive *archive = archive_read_new();
	static char block[65536];
	struct archive_entry *entry;
	struct rt_error err;
	la_ssize_t got;

	archive_read_support_format_raw(archive);
	archive_read_support_filter_all(archive);
	ck_assert_msg(archive_read_open_memory(archive, bytes.ptr, bytes.len) == ARCHIVE_OK &&
			  archive_read_next_header(archive, &entry) == ARCHIVE_OK,
		      "%s: %s", what, archive_error_string(archive));
	while ((got = archive_read_data(archive, block, sizeof(block))) > 0)
		ck_assert_int_eq(rt_buf_append(out, block, (size_t)got, &err), RT_OK);
	ck_assert_msg(got == 0, "%s: %s", what, archive_error_string(archive));
	archive_read_free(archive);
}

static inline uint32_t repack_crc(struct archive *archive, uint64_t *ret_len, const char *what)
{
	static uint8_t block[16384];
	uLong crc = crc32(0, NULL, 0);
	la_ssize_t got;

	for (*ret_len = 0; (got = archive_read_data(archive, block, sizeof(block))) > 0;) {
		crc = crc32(crc, block, (uInt)got);
		*ret_len += (uint64_t)got;
	}
	ck_assert_msg(got == 0, "%s: %s", what, archive_error_string(archive));
	return (uint32_t)crc;
}

static inline const char *repack_or(const char *text)
{
	return text && *text ? text : "-";
}

/*
 * All that libarchive knows of the members, a line each; of candidates not their size and data.
 * Candidates are those that have ".json" in their name and are regular.
 */
static inline void repack_list(struct rt_buf *out, struct rt_slice bytes, const char *what)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	struct rt_buf inner = {0};
	int r;

	/* A zip is only read by seeking, which filters cannot. */
	if (rt_magic_is_compression(rt_magic_find((const uint8_t *)bytes.ptr, bytes.len))) {
		repack_unpack(&inner, bytes, what);
		bytes = rt_buf_slice(&inner);
	}
	archive_read_support_format_all(archive);
	ck_assert_msg(archive_read_open_memory(archive, bytes.ptr, bytes.len) == ARCHIVE_OK,
		      "%s: %s", what, archive_error_string(archive));
	while ((r = archive_read_next_header(archive, &entry)) == ARCHIVE_OK) {
		bool candidate = strstr(archive_entry_pathname(entry), ".json") &&
				 archive_entry_filetype(entry) == AE_IFREG &&
				 !archive_entry_hardlink(entry);
		uint64_t len;
		uint32_t crc = repack_crc(archive, &len, what);
		char line[2048];

		(void)snprintf(
		    line, sizeof(line),
		    "%s mode %o uid %lld gid %lld %s:%s mtime %lld.%09ld atime %lld ctime %lld "
		    "birth %lld link %s %s size %lld crc %08x\n",
		    archive_entry_pathname(entry), archive_entry_mode(entry),
		    (long long)archive_entry_uid(entry), (long long)archive_entry_gid(entry),
		    repack_or(archive_entry_uname(entry)), repack_or(archive_entry_gname(entry)),
		    (long long)archive_entry_mtime(entry), archive_entry_mtime_nsec(entry),
		    (long long)archive_entry_atime(entry), (long long)archive_entry_ctime(entry),
		    (long long)archive_entry_birthtime(entry),
		    repack_or(archive_entry_symlink(entry)),
		    repack_or(archive_entry_hardlink(entry)), candidate ? -1LL : (long long)len,
		    candidate ? 0 : crc);
		repack_say(out, line);
	}
	ck_assert_msg(r == ARCHIVE_EOF, "%s: %s", what, archive_error_string(archive));
	archive_read_free(archive);
	rt_buf_release(&inner);
	ck_assert_int_eq(rt_buf_append(out, "", 1, &(struct rt_error){0}), RT_OK);
}

/* Both archives have the same members but for the candidates' data. */
static inline void repack_same_members(struct rt_slice before, struct rt_slice after,
				       const char *what)
{
	struct rt_buf old = {0}, new = {0};

	repack_list(&old, before, what);
	repack_list(&new, after, what);
	ck_assert_msg(strcmp(old.data, new.data) == 0, "%s: before:\n%safter:\n%s", what, old.data,
		      new.data);
	rt_buf_release(&old);
	rt_buf_release(&new);
}

static inline void repack_same_bytes(struct rt_slice have, struct rt_slice want, const char *what)
{
	size_t at = 0;

	while (at < have.len && at < want.len && have.ptr[at] == want.ptr[at])
		at++;
	ck_assert_msg(have.len == want.len && at == want.len,
		      "%s: %zu bytes, want %zu; first difference at %zu", what, have.len, want.len,
		      at);
}

#endif
