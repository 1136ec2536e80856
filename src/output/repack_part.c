/*
 * One part on its way from the old file into the new one. Input: a candidate's stream, the
 * patches. Output: its new bytes, compressed again where they were, and word to the parent that
 * there was a part.
 * Refuses a hard link with data of its own to a member that has been changed: readers differ in
 * which of the two they believe.
 */
#include <archive_entry.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "output/patch_stream.h"
#include "output/repack_state.h"

bool rt_repack_is_patched(const struct rt_repack_state *state)
{
	return rt_patches_has_part(state->patches, state->part);
}

enum rt_status rt_repack_pour(struct rt_repack_state *state, struct rt_stream *stream,
			      const struct rt_sink *to, struct rt_error *err)
{
	struct rt_stream *patched = rt_patch_stream_open(stream, state->patches, state->part, err);
	enum rt_status status = patched ? RT_OK : RT_FATAL;

	while (status == RT_OK) {
		size_t len = 0;

		status = rt_stream_read(patched, state->block, sizeof(state->block), &len, err);
		if (status == RT_OK)
			status = to->write(to->ctx, state->block, len, err);
	}
	rt_stream_free(patched);
	return status == RT_END ? RT_OK : status;
}

/* The same into a compressor of the member's own. */
static enum rt_status pour_packed(struct rt_repack_state *state, const struct rt_member *member,
				  enum rt_magic packed, struct rt_stream *stream,
				  const struct rt_sink *to, struct rt_error *err)
{
	struct rt_encoder *encoder = NULL;
	enum rt_status status = rt_encoder_open(packed, member->stream->head,
						member->stream->head_len, to, &encoder, err);

	if (status == RT_OK) {
		struct rt_sink sink = rt_encoder_sink(encoder);

		status = rt_repack_pour(state, stream, &sink, err);
	}
	if (status == RT_OK)
		status = rt_encoder_finish(encoder, err);
	rt_encoder_free(encoder);
	return status;
}

enum rt_status rt_repack_pour_member(struct rt_repack_state *state, const struct rt_member *member,
				     const struct rt_sink *to, struct rt_error *err)
{
	enum rt_magic packed = RT_MAGIC_NONE;
	struct rt_stream *stream = NULL;
	enum rt_status status = rt_member_unpack(&state->decode, member, &packed, &stream, err);

	if (status == RT_OK && packed != RT_MAGIC_NONE)
		status = pour_packed(state, member, packed, stream, to, err);
	else if (status == RT_OK)
		status = rt_repack_pour(state, stream, to, err);
	if (stream != member->stream)
		rt_stream_free(stream);
	return status;
}

enum rt_status rt_repack_count(struct rt_repack_state *state, const char *name,
			       struct rt_error *err)
{
	const struct rt_emit *emit = &state->decode.emit;
	enum rt_status status = emit->begin(emit->ctx, name, err);

	if (status == RT_OK)
		status = emit->end(emit->ctx, err);
	state->part++;
	return status;
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static enum rt_status names_add(struct rt_repack_state *state, const char *name,
				struct rt_error *err)
{
	char *copy = strdup(name);
	char **found = copy ? tsearch(copy, &state->patched, names_compare) : NULL;

	if (!found) {
		free(copy);
		return rt_error_nomem(err);
	}
	/* Candidates have different names, so this is never there before. */
	if (*found != copy)
		free(copy);
	return RT_OK;
}

enum rt_status rt_repack_check_links(struct rt_repack_state *state, const struct rt_member *member,
				     struct rt_error *err)
{
	const char *target = archive_entry_hardlink(member->entry);

	if (member->name)
		return rt_repack_is_patched(state) ? names_add(state, member->name, err) : RT_OK;
	if (!target || archive_entry_size(member->entry) <= 0 ||
	    !tfind(target, &state->patched, names_compare))
		return RT_OK;
	(void)rt_error_set(err, RT_E_INPUT,
			   "want hard links without data of their own to a member that changes, "
			   "have one with");
	rt_error_at(err, NULL, target);
	return RT_REJECT;
}
