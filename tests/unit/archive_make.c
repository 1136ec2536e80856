/*
 * Test archives. Input: members and a format's name. Output: bytes in memory. Everything ends the
 * test when it fails.
 */
#include "archive_make.h"

#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"
#include "source/parts.h"

static ssize_t buf_write(struct archive *archive, void *ctx, const void *data, size_t len)
{
	struct rt_error err;

	(void)archive;
	ck_assert_int_eq(rt_buf_append(ctx, data, len, &err), RT_OK);
	return (ssize_t)len;
}

static struct archive *writer_new(const char *format, const char *filter)
{
	struct archive *archive = archive_write_new();

	ck_assert_ptr_nonnull(archive);
	ck_assert_msg(archive_write_set_format_by_name(archive, format) == ARCHIVE_OK, "%s",
		      format);
	if (filter)
		ck_assert_msg(archive_write_add_filter_by_name(archive, filter) == ARCHIVE_OK, "%s",
			      filter);
	archive_write_set_bytes_in_last_block(archive, 1);
	return archive;
}

static void writer_add(struct archive *archive, const struct make_member *member)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, member->name);
	archive_entry_set_filetype(entry, member->type ? member->type : AE_IFREG);
	archive_entry_set_perm(entry, member->mode ? member->mode : 0644);
	archive_entry_set_mtime(entry, member->mtime ? member->mtime : 1700000000,
				member->mtime_ns);
	if (member->atime) {
		archive_entry_set_atime(entry, member->atime, 0);
		archive_entry_set_ctime(entry, member->atime, 0);
	}
	archive_entry_set_uid(entry, member->uid);
	archive_entry_set_uname(entry, member->uname);
	archive_entry_set_size(entry, (int64_t)member->len);
	if (member->link && member->type == AE_IFLNK)
		archive_entry_set_symlink(entry, member->link);
	else if (member->link)
		archive_entry_set_hardlink(entry, member->link);
	ck_assert_msg(archive_write_header(archive, entry) == ARCHIVE_OK, "%s: %s", member->name,
		      archive_error_string(archive));
	if (member->len)
		ck_assert_int_eq(archive_write_data(archive, member->data, member->len),
				 (ssize_t)member->len);
	archive_entry_free(entry);
}

static void writer_finish(struct archive *archive)
{
	ck_assert_msg(archive_write_close(archive) == ARCHIVE_OK, "%s",
		      archive_error_string(archive));
	archive_write_free(archive);
}

void make_archive(struct rt_buf *out, const char *format, const struct make_member *members,
		  size_t count)
{
	struct archive *archive = writer_new(format, NULL);

	ck_assert_int_eq(archive_write_open(archive, out, NULL, buf_write, NULL), ARCHIVE_OK);
	for (size_t i = 0; i < count; i++)
		writer_add(archive, &members[i]);
	writer_finish(archive);
}

void make_packed(struct rt_buf *out, const char *filter, const char *level, const void *data,
		 size_t len)
{
	struct archive *archive = writer_new("raw", filter);
	const struct make_member member = {.name = "data", .data = data, .len = len};

	if (level[0])
		ck_assert_int_eq(
		    archive_write_set_filter_option(archive, filter, "compression-level", level),
		    ARCHIVE_OK);
	ck_assert_int_eq(archive_write_open(archive, out, NULL, buf_write, NULL), ARCHIVE_OK);
	writer_add(archive, &member);
	writer_finish(archive);
}

/* --- Decoding in this process -------------------------------------------------------------- */

struct sink {
	struct made_result *result;
	char room[1000]; /* small, so that every hand-over is seen */
};

static void result_put(struct made_result *result, const void *data, size_t len)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&result->text, data, len, &err), RT_OK);
}

static enum rt_status sink_begin(void *ctx, const char *member, struct rt_error *err)
{
	struct sink *sink = ctx;

	(void)err;
	ck_assert(!sink->result->in_part);
	sink->result->in_part = true;
	sink->result->parts++;
	result_put(sink->result, "<", 1);
	if (member)
		result_put(sink->result, member, strlen(member));
	result_put(sink->result, ">\n", 2);
	return RT_OK;
}

static enum rt_status sink_space(void *ctx, void **ret_buf, size_t *ret_cap, struct rt_error *err)
{
	struct sink *sink = ctx;

	(void)err;
	ck_assert(sink->result->in_part);
	*ret_buf = sink->room;
	*ret_cap = sizeof(sink->room);
	return RT_OK;
}

static enum rt_status sink_commit(void *ctx, size_t len, struct rt_error *err)
{
	struct sink *sink = ctx;

	(void)err;
	ck_assert(sink->result->in_part && len > 0 && len <= sizeof(sink->room));
	result_put(sink->result, sink->room, len);
	return RT_OK;
}

static enum rt_status sink_end(void *ctx, struct rt_error *err)
{
	struct sink *sink = ctx;

	(void)err;
	ck_assert(sink->result->in_part);
	sink->result->in_part = false;
	result_put(sink->result, "\n", 1);
	return RT_OK;
}

static void result_add_unread(struct made_result *result, const char *name,
			      enum rt_unread_reason reason)
{
	size_t used = strlen(result->unread);

	ck_assert_int_lt(snprintf(result->unread + used, sizeof(result->unread) - used, "%d %s;",
				  (int)reason, name),
			 (int)(sizeof(result->unread) - used));
}

static enum rt_status sink_unread(void *ctx, const char *member, enum rt_unread_reason reason,
				  struct rt_error *err)
{
	struct sink *sink = ctx;

	(void)err;
	ck_assert(!sink->result->in_part);
	result_add_unread(sink->result, member, reason);
	return RT_OK;
}

/* A descriptor to read the bytes from: a file in memory; its offset is at its start. */
static int bytes_open(const void *data, size_t len)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static enum rt_status pull_fd(void *ctx, void *buf, size_t cap, size_t *ret_len,
			      struct rt_error *err)
{
	ssize_t got = read(*(int *)ctx, buf, cap);

	(void)err;
	*ret_len = got > 0 ? (size_t)got : 0;
	return got > 0 ? RT_OK : RT_END;
}

void make_decode(struct made_result *result, const void *data, size_t len, bool seekable,
		 const struct rt_limits *limits)
{
	struct rt_progress progress = {0};
	struct sink sink = {.result = result};
	int fd;
	struct rt_decode decode = {
	    .limits = limits,
	    .meter = {.progress = &progress,
		      .expanded_max = limits->expanded_bytes,
		      .limit = limits->expanded_bytes},
	    .emit = {sink_begin, sink_space, sink_commit, sink_end, sink_unread, &sink},
	    .fd = -1,
	    .size = seekable ? len : 0,
	    .spool_fd = memfd_create("spool", MFD_CLOEXEC),
	};

	memset(result, 0, sizeof(*result));
	fd = bytes_open(data, len);
	if (seekable)
		decode.fd = fd;
	else
		decode.source = (struct rt_pull){pull_fd, &fd};
	result->status = rt_decode_run(&decode, &result->err);
	ck_assert(result->status != RT_OK || !result->in_part);
	close(fd);
	close(decode.spool_fd);
}

/* --- Through a child ----------------------------------------------------------------------- */

static enum rt_status read_part(struct made_result *result, struct rt_parts *parts)
{
	char room[3000];
	size_t len = 0;
	enum rt_status status;

	while ((status = rt_parts_read(parts, room, sizeof(room), &len, &result->err)) == RT_OK)
		result_put(result, room, len);
	if (status == RT_END)
		result_put(result, "\n", 1);
	return status;
}

void make_read(struct made_result *result, const char *path, const struct rt_limits *limits)
{
	struct rt_options options = {.paths = &path, .path_count = 1, .limits = *limits};
	struct rt_parts *parts = NULL;
	struct rt_unread_entry entry;
	const struct rt_part *part;
	size_t at = 0;

	memset(result, 0, sizeof(*result));
	ck_assert_int_eq(rt_parts_open(&options, &parts, &result->err), RT_OK);
	while ((result->status = rt_parts_next(parts, &part, &result->err)) == RT_OK) {
		result->parts++;
		result_put(result, "<", 1);
		if (part->member)
			result_put(result, part->member, strlen(part->member));
		result_put(result, ">\n", 2);
		result->status = read_part(result, parts);
		if (result->status < 0)
			break;
	}
	if (result->status == RT_END)
		result->status = RT_OK;
	while (rt_unread_next(rt_parts_unread(parts), &at, &entry)) {
		ck_assert_str_eq(entry.path, path);
		result_add_unread(result, entry.member, entry.reason);
	}
	rt_parts_free(parts);
}

char *make_file(const char *suffix, const void *data, size_t len)
{
	char *path = NULL;
	int fd;

	ck_assert_int_gt(asprintf(&path, "/tmp/rt-unit-XXXXXX%s", suffix), 0);
	fd = mkostemps(path, (int)strlen(suffix), O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
	close(fd);
	return path;
}

/* --- What most tests use ------------------------------------------------------------------- */

void make_expect_text(const struct made_result *result, const char *text, const char *what)
{
	ck_assert_msg(result->status == RT_OK, "%s: %s", what, result->err.message);
	ck_assert_msg(result->text.len == strlen(text) &&
			  memcmp(result->text.data, text, result->text.len) == 0,
		      "%s: have <<%.*s>>", what, (int)result->text.len, result->text.data);
}

void make_expect_error(const struct made_result *result, enum rt_code code, const char *message,
		       const char *what)
{
	ck_assert_msg(result->status < 0, "%s: no error", what);
	ck_assert_msg(result->err.code == code, "%s: code %d: %s", what, (int)result->err.code,
		      result->err.message);
	ck_assert_msg(strstr(result->err.message, message), "%s: have \"%s\"", what,
		      result->err.message);
}

/* Two candidates, one of them packed, and what must not be read between them. */
void make_standard(struct rt_buf *out, const char *format)
{
	struct rt_buf packed = {0};
	/* The 7z writer takes no links. */
	bool has_links = strcmp(format, "7zip") != 0;

	make_packed(&packed, "gzip", "", MAKE_DOC_B, strlen(MAKE_DOC_B));
	{
		const struct make_member members[] = {
		    {.name = "a.json", .data = MAKE_DOC_A, .len = strlen(MAKE_DOC_A)},
		    {.name = "readme.txt", .data = "not read", .len = 8},
		    {.name = "sub/b.jsonl.gz", .data = packed.data, .len = packed.len},
		    {.name = "l.json", .type = AE_IFLNK, .link = "a.json"},
		};

		make_archive(out, format, members,
			     sizeof(members) / sizeof(members[0]) - (has_links ? 0 : 1));
	}
	rt_buf_release(&packed);
}

void make_standard_text(char *text, size_t cap)
{
	(void)snprintf(text, cap, "<a.json>\n%s\n<sub/b.jsonl.gz>\n%s\n", MAKE_DOC_A, MAKE_DOC_B);
}
