/*
 * A zip, written again by libzip: members that have no patches are copied as they are packed, after
 * a look at their CRC; the others are packed anew by the method they had, but for stored ones,
 * which newer versions of libzip deflate. A member whose time is none gets one that is near from
 * older ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "rewrite/repack_state.h"
#include "source/zip.h"

#define LEVEL 6u

/* A member with new data, in the spool. */
struct made {
	struct rt_zip_file file;
	struct made *next;
};

/* A zip on its way. */
struct zip {
	struct rt_repack_state *state;
	struct rt_zip_file file;
	zip_t *archive;
	struct made *made; /* all of them */
};

static enum rt_status failed(const struct zip *z, zip_error_t *error, struct rt_error *err)
{
	for (const struct made *made = z->made; made; made = made->next) {
		if (made->file.sys) {
			errno = made->file.sys;
			return rt_error_sys(err, errno, "cannot read a temporary file");
		}
	}
	if (z->file.sys) {
		errno = z->file.sys;
		return rt_error_sys(err, errno, "cannot write the file");
	}
	if (zip_error_code_zip(error) == ZIP_ER_MEMORY)
		return rt_error_nomem(err);
	return rt_error_set(err, RT_E_IO, "cannot write a zip: %s", zip_error_strerror(error));
}

/* Libzip drops extra fields of what is replaced, from some version on: set those that it reads of
 * the old member, in its local header or in the directory. */
static bool keep_extra(zip_t *archive, uint64_t index, zip_flags_t where)
{
	zip_flags_t old = where | ZIP_FL_UNCHANGED;
	zip_int16_t count = zip_file_extra_fields_count(archive, index, old);

	if (zip_file_extra_fields_count(archive, index, where) == count)
		return true;
	for (zip_int16_t i = 0; i < count; i++) {
		zip_uint16_t id, len;
		const zip_uint8_t *data =
		    zip_file_extra_field_get(archive, index, (zip_uint16_t)i, &id, &len, old);

		if (!data || zip_file_extra_field_set(archive, index, id, ZIP_EXTRA_FIELD_NEW, data,
						      len, where) != 0)
			return false;
	}
	return true;
}

/* Have the member of the new zip come from the spool, from `from` on. */
static enum rt_status replace(struct zip *z, const struct rt_archived *member, uint64_t from,
			      struct rt_error *err)
{
	struct rt_repack_state *state = z->state;
	struct made *made = calloc(1, sizeof(*made));
	zip_source_t *source;
	zip_error_t error;

	if (!made)
		return rt_error_nomem(err);
	made->next = z->made;
	z->made = made;
	made->file = (struct rt_zip_file){.fd = state->spool.fd,
					  .from = from,
					  .size = state->spool.written - from,
					  .out = -1,
					  .progress = state->decode.meter.progress};
	zip_error_init(&error);
	source = rt_zip_source(&made->file, &error);
	if (!source || zip_file_replace(z->archive, member->index, source, 0) != 0) {
		zip_source_free(source);
		return failed(z, source ? zip_get_error(z->archive) : &error, err);
	}
	if (zip_set_file_compression(z->archive, member->index, member->zip->method, LEVEL) != 0 ||
	    zip_file_set_dostime(z->archive, member->index, member->zip->time, member->zip->date,
				 0) != 0 ||
	    !keep_extra(z->archive, member->index, ZIP_FL_LOCAL) ||
	    !keep_extra(z->archive, member->index, ZIP_FL_CENTRAL))
		return failed(z, zip_get_error(z->archive), err);
	return RT_OK;
}

static enum rt_status write_patched(struct zip *z, const struct rt_archived *member,
				    struct rt_error *err)
{
	uint64_t from = z->state->spool.written;
	enum rt_status status = RT_OK;

	if (!z->made)
		status = rt_repack_spool_begin(z->state, err);
	if (status == RT_OK)
		status = rt_repack_spool_member(z->state, member, err);
	return status == RT_OK ? replace(z, member, from, err) : status;
}

/*
 * The CRC of a member that only is copied (SPEC D1); a candidate's was checked when it was read.
 * It cannot be checked without a key, or where the method is not read.
 */
static enum rt_status check_copied(const struct rt_archived *member, struct rt_error *err)
{
	if (member->name || member->zip->flags & RT_ZIP_ENCRYPTED ||
	    !rt_zip_reads(member->zip->method))
		return RT_OK;
	return rt_pull_copy(rt_stream_pull(member->stream), NULL, err);
}

/* The old zip has been checked: have libzip read it, to write it again. */
static enum rt_status zip_begin(struct zip *z, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	zip_source_t *source;
	zip_error_t error;

	zip_error_init(&error);
	source = rt_zip_source(&z->file, &error);
	if (source)
		z->archive = zip_open_from_source(source, 0, &error);
	if (!z->archive) {
		zip_source_free(source);
		status = failed(z, &error, err);
	}
	zip_error_fini(&error);
	return status;
}

static enum rt_status zip_member(void *ctx, const struct rt_archived *member, struct rt_error *err)
{
	struct zip *z = ctx;
	enum rt_status status = z->archive ? RT_OK : zip_begin(z, err);

	if (status == RT_OK && member->name &&
	    rt_patches_has_part(z->state->patches, z->state->part))
		status = write_patched(z, member, err);
	else if (status == RT_OK)
		status = check_copied(member, err);
	if (status == RT_OK && member->name)
		rt_repack_count(z->state, member->name);
	return status;
}

/* All members are known: have libzip write the new zip, into the file or, to be compressed, behind
 * the members in the spool. */
static enum rt_status zip_end(struct zip *z, struct rt_error *err)
{
	struct rt_repack_state *state = z->state;

	if (!z->made)
		return rt_repack_copy(z->file.fd, 0, z->file.size, &state->to, err);
	z->file.out = state->encoder ? state->spool.fd : state->out.fd;
	z->file.out_from = state->encoder ? state->spool.written : 0;
	if (zip_close(z->archive) != 0)
		return failed(z, zip_get_error(z->archive), err);
	z->archive = NULL;
	return state->encoder
		   ? rt_repack_copy(z->file.out, z->file.out_from, z->file.out_len, &state->to, err)
		   : RT_OK;
}

enum rt_status rt_repack_zip(struct rt_repack_state *state, const struct rt_layers *layers,
			     struct rt_error *err)
{
	struct zip z = {.state = state,
			.file = {.fd = layers->fd,
				 .size = layers->size,
				 .out = state->out.fd,
				 .progress = state->decode.meter.progress}};
	enum rt_status status = rt_container_walk(&state->decode, layers, zip_member, &z, err);

	if (status == RT_OK)
		status = zip_end(&z, err);
	if (z.archive)
		zip_discard(z.archive);
	while (z.made) {
		struct made *next = z.made->next;

		free(z.made);
		z.made = next;
	}
	return status;
}
