/*
 * Decoding one file, in the order of SPEC D1: a compression, a container, compressed members.
 * Every layer is chosen by our own look at its first bytes, and there is no second of a kind: that
 * is what stops nested bombs and self-reproducing files.
 */
#include "source/decode.h"

#include "base/io.h"
#include "source/container.h"

/* A name that is shown, after a byte where the type has one. */
static void say_name(const struct rt_say *say, enum rt_frame_type type, size_t at, char first,
		     const char *name)
{
	char text[1 + RT_FRAME_NAME + 1] = {first};

	rt_error_text(text + at, RT_FRAME_NAME + 1, rt_slice_make(name, strlen(name)));
	say->put(say->ctx, type, text, at + strlen(text + at));
}

void rt_say_begin(const struct rt_say *say, const char *member)
{
	say_name(say, RT_FRAME_BEGIN, 0, '\0', member ? member : "");
}

void rt_say_unread(const struct rt_say *say, const char *member, enum rt_unread_reason reason)
{
	say_name(say, RT_FRAME_UNREAD, 1, (char)reason, member);
}

static enum rt_status say_data(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	const struct rt_say *say = ctx;

	(void)err;
	say->put(say->ctx, RT_FRAME_DATA, data, len);
	return RT_OK;
}

/* Pass what is left of a stream to the output as one part. */
static enum rt_status emit_part(struct rt_decode *decode, const char *member,
				struct rt_stream *stream, struct rt_error *err)
{
	enum rt_status status;

	rt_say_begin(&decode->say, member);
	status =
	    rt_pull_copy(rt_stream_pull(stream), &(struct rt_sink){say_data, &decode->say}, err);
	if (status == RT_OK)
		rt_say_end(&decode->say);
	return status;
}

struct spool {
	struct rt_decode *decode;
	uint64_t size;
};

static enum rt_status spool_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct spool *spool = ctx;
	const struct rt_decode *decode = spool->decode;

	if (spool->size + len > decode->meter.limit)
		return rt_error_set(err, RT_E_LIMIT, "the archive exceeds --limit expanded");
	return rt_unnamed_write(decode->spool_fd, data, len, &spool->size,
				decode->limits->temporary_bytes, "cannot write a temporary file",
				err);
}

/* Copy the stream into the spool file, so that it can be read by seeking. */
static enum rt_status decode_spool(struct rt_decode *decode, struct rt_stream *stream,
				   uint64_t *ret_size, struct rt_error *err)
{
	struct spool spool = {decode, 0};
	enum rt_status status;

	if (decode->spool_fd < 0)
		return rt_error_set(err, RT_E_IO,
				    "there is no folder for a temporary file; TMPDIR names one");
	status = rt_pull_copy(rt_stream_pull(stream), &(struct rt_sink){spool_write, &spool}, err);
	*ret_size = spool.size;
	return status;
}

enum rt_status rt_layers_place(struct rt_layers *layers, struct rt_decode *decode,
			       struct rt_error *err)
{
	bool is_file = !layers->unpacked && decode->fd >= 0;

	layers->fd = is_file ? decode->fd : decode->spool_fd;
	layers->size = decode->size;
	if (is_file || !rt_magic_must_seek(layers->inner))
		return RT_OK;
	return decode_spool(decode, rt_layers_stream(layers), &layers->size, err);
}

/*
 * Look what a stream is and, where that is a compression, what is in it. *ret_unpacked: NULL: it is
 * not compressed; else to be freed, whatever is returned.
 */
static enum rt_status unpack(struct rt_decode *decode, struct rt_stream *stream,
			     enum rt_magic *ret_outer, enum rt_magic *ret_inner,
			     struct rt_stream **ret_unpacked, struct rt_error *err)
{
	enum rt_status status = rt_stream_sniff(stream, ret_inner, err);

	*ret_outer = RT_MAGIC_NONE;
	*ret_unpacked = NULL;
	if (status != RT_OK || !rt_magic_is_compression(*ret_inner))
		return status;
	*ret_outer = *ret_inner;
	*ret_unpacked = rt_stream_decompress(*ret_outer, stream, &decode->meter,
					     decode->limits->decoder_bytes, err);
	return *ret_unpacked ? rt_stream_sniff(*ret_unpacked, ret_inner, err) : RT_FATAL;
}

enum rt_status rt_layers_open(struct rt_layers *layers, struct rt_decode *decode,
			      struct rt_error *err)
{
	enum rt_status status;

	layers->file = rt_stream_file(decode->fd, decode->source, decode->meter.progress, err);
	if (!layers->file)
		return RT_FATAL;
	status =
	    unpack(decode, layers->file, &layers->outer, &layers->inner, &layers->unpacked, err);
	if (status == RT_OK && rt_magic_is_compression(layers->inner))
		return rt_error_reject(err, RT_E_INPUT,
				       "nested compression (%s in %s): only one is read",
				       rt_magic_name(layers->inner), rt_magic_name(layers->outer));
	return status;
}

enum rt_status rt_member_unpack(struct rt_decode *decode, const struct rt_archived *member,
				enum rt_magic *ret_packed, struct rt_stream **ret_stream,
				struct rt_error *err)
{
	enum rt_magic inner = RT_MAGIC_NONE;
	struct rt_stream *unpacked;
	enum rt_status status = unpack(decode, member->stream, ret_packed, &inner, &unpacked, err);

	if (status == RT_OK && rt_magic_is_compression(inner))
		status = rt_error_reject(err, RT_E_INPUT,
					 "the document is compressed twice: it has %s data in it",
					 rt_magic_name(inner));
	else if (status == RT_OK && inner != RT_MAGIC_NONE)
		status = rt_error_reject(err, RT_E_INPUT, "the document is itself an archive: %s",
					 rt_magic_name(inner));
	if (status == RT_OK)
		*ret_stream = unpacked ? unpacked : member->stream;
	else
		rt_stream_free(unpacked);
	return status;
}

void rt_layers_close(struct rt_layers *layers)
{
	rt_stream_free(layers->unpacked);
	rt_stream_free(layers->file);
	*layers = (struct rt_layers){.file = NULL};
}

static enum rt_status emit_member(void *ctx, const struct rt_archived *member, struct rt_error *err)
{
	struct rt_decode *decode = ctx;
	struct rt_stream *stream = NULL;
	enum rt_status status = RT_OK;
	enum rt_magic packed;

	if (!member->name)
		return RT_OK;
	status = rt_member_unpack(decode, member, &packed, &stream, err);
	if (status == RT_OK)
		status = emit_part(decode, member->name, stream, err);
	rt_stream_free(stream);
	return status;
}

enum rt_status rt_decode_run(struct rt_decode *decode, struct rt_error *err)
{
	struct rt_layers layers = {.file = NULL};
	enum rt_status status = rt_layers_open(&layers, decode, err);

	if (status == RT_OK && layers.inner == RT_MAGIC_NONE)
		status = emit_part(decode, NULL, rt_layers_stream(&layers), err);
	else if (status == RT_OK && (status = rt_layers_place(&layers, decode, err)) == RT_OK)
		status = rt_container_walk(decode, &layers, emit_member, decode, err);
	rt_layers_close(&layers);
	return status;
}
