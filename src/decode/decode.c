/*
 * Decoding one file, in the order of SPEC D1: a compression, a container, compressed members.
 * Every layer is chosen by our own look at its first bytes, and there is no second of a kind: that
 * is what stops nested bombs and self-reproducing files.
 */
#include "decode/decode.h"

#include "base/io.h"
#include "decode/container.h"

/* Pass what is left of a stream to the output as one part. */
static enum rt_status emit_part(struct rt_decode *decode, const char *member,
				struct rt_stream *stream, struct rt_error *err)
{
	const struct rt_emit *emit = &decode->emit;
	const struct rt_sink data = {emit->data, emit->ctx};
	enum rt_status status = emit->begin(emit->ctx, member, err);

	if (status == RT_OK)
		status = rt_pull_copy(rt_stream_pull(stream), &data, err);
	return status == RT_OK ? emit->end(emit->ctx, err) : status;
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

static enum rt_status decode_container(struct rt_decode *decode, const struct rt_layers *layers,
				       enum rt_magic magic, struct rt_stream *stream, bool is_file,
				       struct rt_error *err)
{
	uint64_t size = decode->size;
	int fd = decode->fd;
	enum rt_status status = RT_OK;

	if (!rt_container_must_seek(magic))
		return layers->container(layers->ctx, magic, stream, -1, 0, err);
	if (!is_file || decode->fd < 0) {
		fd = decode->spool_fd;
		status = decode_spool(decode, stream, &size, err);
	}
	if (status == RT_OK)
		status = layers->container(layers->ctx, magic, NULL, fd, size, err);
	return status;
}

static enum rt_status decode_compressed(struct rt_decode *decode, const struct rt_layers *layers,
					enum rt_magic outer, struct rt_stream *file,
					struct rt_error *err)
{
	enum rt_magic inner = RT_MAGIC_NONE;
	enum rt_status status;
	struct rt_stream *stream =
	    rt_stream_decompress(outer, file, &decode->meter, decode->limits->decoder_bytes, err);

	if (!stream)
		return RT_FATAL;
	status = rt_stream_sniff(stream, &inner, err);
	if (status == RT_OK && layers->outer)
		status = layers->outer(layers->ctx, outer, inner, err);
	if (status == RT_OK && rt_magic_is_compression(inner)) {
		status = rt_error_reject(err, RT_E_INPUT,
					 "nested compression (%s in %s): only one is read",
					 rt_magic_name(inner), rt_magic_name(outer));
	} else if (status == RT_OK && rt_magic_is_container(inner)) {
		status = decode_container(decode, layers, inner, stream, false, err);
	} else if (status == RT_OK) {
		status = layers->document(layers->ctx, stream, err);
	}
	rt_stream_free(stream);
	return status;
}

enum rt_status rt_decode_layers(struct rt_decode *decode, const struct rt_layers *layers,
				struct rt_error *err)
{
	enum rt_magic magic = RT_MAGIC_NONE;
	enum rt_status status;
	struct rt_stream *file =
	    rt_stream_file(decode->fd, decode->source, decode->meter.progress, err);

	if (!file)
		return RT_FATAL;
	status = rt_stream_sniff(file, &magic, err);
	if (status == RT_OK && rt_magic_is_compression(magic))
		status = decode_compressed(decode, layers, magic, file, err);
	else if (status == RT_OK && rt_magic_is_container(magic))
		status = decode_container(decode, layers, magic, file, true, err);
	else if (status == RT_OK)
		status = layers->document(layers->ctx, file, err);
	rt_stream_free(file);
	return status;
}

static enum rt_status emit_document(void *ctx, struct rt_stream *stream, struct rt_error *err)
{
	return emit_part(ctx, NULL, stream, err);
}

struct reading {
	struct rt_decode *decode;
	enum rt_magic magic;
};

static enum rt_status emit_candidate(struct rt_decode *decode, const struct rt_archived *member,
				     struct rt_error *err)
{
	struct rt_stream *stream = NULL;
	enum rt_magic packed;
	enum rt_status status = rt_member_unpack(decode, member, &packed, &stream, err);

	if (status == RT_OK)
		status = emit_part(decode, member->name, stream, err);
	if (stream != member->stream)
		rt_stream_free(stream);
	return status;
}

/*
 * A member that is not read: in a 7z it has to be decompressed all the same, so it is read and
 * counted; a zip is sought in; of a tar or cpio all bytes were counted on their way in.
 */
static enum rt_status emit_member(void *ctx, const struct rt_archived *member, struct rt_error *err)
{
	const struct reading *reading = ctx;

	if (member->name)
		return emit_candidate(reading->decode, member, err);
	return reading->magic == RT_MAGIC_7ZIP
		   ? rt_pull_copy(rt_stream_pull(member->stream), NULL, err)
		   : RT_OK;
}

static enum rt_status emit_container(void *ctx, enum rt_magic magic, struct rt_stream *stream,
				     int fd, uint64_t size, struct rt_error *err)
{
	struct reading reading = {ctx, magic};
	const struct rt_visit visit = {.member = emit_member, .ctx = &reading};

	return rt_container_walk(ctx, magic, stream, fd, size, &visit, err);
}

enum rt_status rt_decode_run(struct rt_decode *decode, struct rt_error *err)
{
	const struct rt_layers layers = {
	    .document = emit_document, .container = emit_container, .ctx = decode};

	return rt_decode_layers(decode, &layers, err);
}
