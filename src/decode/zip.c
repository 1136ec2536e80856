/*
 * Reads members of a zip by libzip, which unpacks them and checks their CRC.
 */
#include "decode/zip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"

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
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a member with CRC %08" PRIx32 ", have another",
				   zip->member->crc);
	else if (zip->member && zip_error_code_zip(error) == ZIP_ER_COMPNOTSUPP)
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a zip member that is stored, or packed with deflate or "
				   "bzip2, have it packed with method %u",
				   (unsigned)zip->member->method);
	else
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a zip archive that is whole and intact, have: %s",
				   zip_error_strerror(error));
	return RT_REJECT;
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
	if (zip->given > zip->member->size || (got == 0 && zip->given < zip->member->size)) {
		(void)rt_error_set(err, RT_E_INPUT, "want a member of %" PRIu64 " byte%s, have %s",
				   zip->member->size, RT_S(zip->member->size),
				   got ? "more" : "fewer");
		return RT_REJECT;
	}
	*ret_len = (size_t)got;
	return got ? rt_meter_add(zip->meter, (uint64_t)got, err) : RT_END;
}

/* It serves all members. */
static void member_keep(struct rt_stream *stream)
{
	(void)stream;
}

struct rt_stream *rt_zip_stream(struct rt_zip *zip, size_t index)
{
	if (zip->open)
		(void)zip_fclose(zip->open);
	zip->open = NULL;
	zip->member = &zip->directory.members[index];
	zip->given = 0;
	zip->stream = (struct rt_stream){.read = member_read, .free = member_keep};
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
		(void)rt_error_set(err, RT_E_INPUT,
				   "want the %zu member%s of the zip's directory, have %" PRId64,
				   zip->directory.count, RT_S(zip->directory.count),
				   zip_get_num_entries(zip->archive, 0));
		status = RT_REJECT;
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
	status = rt_zip_check(fd, 0, size, max_members, &zip->directory, err);
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
	rt_zip_directory_release(&zip->directory);
	free(zip);
}
