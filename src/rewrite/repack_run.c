/*
 * A compressed file or an archive, written again with patches applied, in the decoder's process.
 * A compression is kept in kind, a tar or zip with all its members. 7z and cpio are only read.
 */
#include "decode/decode.h"
#include "rewrite/repack.h"
#include "rewrite/repack_state.h"

static enum rt_status layer_outer(void *ctx, enum rt_magic magic, enum rt_magic inner,
				  struct rt_error *err)
{
	struct rt_repack_state *state = ctx;
	enum rt_status status = rt_repack_check_form(inner, err);

	/* Nothing else was asked. */
	if (status == RT_OK && state->out.fd < 0)
		return RT_END;
	if (status == RT_OK)
		status = rt_encoder_open(magic, &state->to, &state->encoder, err);
	if (status == RT_OK)
		state->to = rt_encoder_sink(state->encoder);
	return status;
}

static enum rt_status layer_document(void *ctx, struct rt_stream *stream, struct rt_error *err)
{
	struct rt_repack_state *state = ctx;
	enum rt_status status = rt_repack_pour(state, stream, &state->to, err);

	return status == RT_OK ? rt_repack_count(state, NULL, err) : status;
}

static enum rt_status layer_container(void *ctx, enum rt_magic magic, struct rt_stream *stream,
				      int fd, uint64_t size, struct rt_error *err)
{
	enum rt_status status = rt_repack_check_form(magic, err);

	if (status != RT_OK)
		return status;
	return magic == RT_MAGIC_ZIP ? rt_repack_zip(ctx, fd, size, err)
				     : rt_repack_tar(ctx, stream, err);
}

enum rt_status rt_repack_run(struct rt_repack_state *state, struct rt_error *err)
{
	const struct rt_layers layers = {.outer = layer_outer,
					 .document = layer_document,
					 .container = layer_container,
					 .ctx = state};
	enum rt_status status;

	state->to = rt_repack_sink(state);
	status = rt_decode_layers(&state->decode, &layers, err);
	if (status == RT_OK && state->encoder)
		status = rt_encoder_finish(state->encoder, err);
	if (status == RT_OK)
		status = rt_repack_flush(state, err);
	rt_encoder_free(state->encoder);
	return status == RT_END ? RT_OK : status;
}
