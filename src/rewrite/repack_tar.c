/*
 * A tar, written again, entry by entry, by libarchive: members, their order, names, modes, owners,
 * times and links are kept; headers are those of a pax archive, whatever the old ones were. Sparse
 * members, whose data are not what their size says, and hard links that bring data of their own, of
 * which readers take either those or those of the member they name, are refused.
 */
#include <inttypes.h>

#include "base/error.h"
#include "rewrite/repack_state.h"
#include "source/archive.h"

static enum rt_status refuse(const struct rt_archived *member, const char *want, const char *have,
			     struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_INPUT, "want %s to write a tar again, have %s", want, have);
	rt_error_at(err, NULL, member->path);
	return RT_REJECT;
}

/* Data whose size only shows when they have been made. */
static enum rt_status write_spooled(struct rt_repack_state *state, const struct rt_archived *member,
				    struct rt_error *err)
{
	enum rt_status status = rt_repack_spool_begin(state, err);

	if (status == RT_OK)
		status = rt_repack_spool_member(state, member, err);
	archive_entry_set_size(member->entry, (int64_t)state->spool.written);
	if (status == RT_OK)
		status = rt_encoder_header(state->encoder, member->entry, err);
	if (status == RT_OK)
		status = rt_repack_copy(state->spool.fd, 0, state->spool.written, &state->to, err);
	return status;
}

static enum rt_status write_patched(struct rt_repack_state *state, const struct rt_archived *member,
				    struct rt_error *err)
{
	uint64_t size = (uint64_t)archive_entry_size(member->entry);
	enum rt_magic packed = RT_MAGIC_NONE;
	enum rt_status status = rt_stream_sniff(member->stream, &packed, err);

	if (status == RT_OK && packed != RT_MAGIC_NONE)
		return write_spooled(state, member, err);
	size = rt_patches_new_size(state->patches, state->part, size);
	archive_entry_set_size(member->entry, (int64_t)size);
	if (status == RT_OK)
		status = rt_encoder_header(state->encoder, member->entry, err);
	return status == RT_OK ? rt_repack_pour_member(state, member, &state->to, err) : status;
}

static enum rt_status write_same(struct rt_repack_state *state, const struct rt_archived *member,
				 struct rt_error *err)
{
	enum rt_status status = rt_encoder_header(state->encoder, member->entry, err);

	return status == RT_OK ? rt_pull_copy(rt_stream_pull(member->stream), &state->to, err)
			       : status;
}

static enum rt_status tar_member(void *ctx, const struct rt_archived *member, struct rt_error *err)
{
	struct rt_repack_state *state = ctx;
	enum rt_status status;

	if (archive_entry_sparse_count(member->entry) > 0)
		return refuse(member, "members that are stored whole", "a sparse one", err);
	if (archive_entry_hardlink(member->entry) && archive_entry_size(member->entry) > 0)
		return refuse(member, "hard links without data of their own", "one with", err);
	if (member->name && rt_patches_has_part(state->patches, state->part))
		status = write_patched(state, member, err);
	else
		status = write_same(state, member, err);
	if (status == RT_OK && member->name)
		rt_repack_count(state, member->name);
	return status;
}

enum rt_status rt_repack_tar(struct rt_repack_state *state, const struct rt_layers *layers,
			     struct rt_error *err)
{
	return rt_container_walk(&state->decode, layers, tar_member, state, err);
}
