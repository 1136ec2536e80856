/*
 * Takes bodies out of their framing. Input: bytes as they come. Output: pieces of the body, and
 * its end. What a trailer says is dropped.
 * Refuses chunks in any other form than RFC 9112's, bare line feeds among them, sizes that no
 * number holds, and more extensions and trailers than a head may have bytes.
 */
#include "http/body.h"

#include "base/limits.h"

#define SIZE_DIGITS_MAX 16u

void rt_body_begin(struct rt_body_reader *reader, const struct rt_head *head)
{
	*reader = (struct rt_body_reader){
	    .left = head->body_bytes,
	    .stage = head->chunked ? RT_BODY_SIZE : RT_BODY_LENGTH,
	};
}

static bool refuse(struct rt_body_reader *reader, unsigned status, const char *fault)
{
	reader->status = status;
	reader->fault = fault;
	return false;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool take_size(struct rt_body_reader *reader, char c)
{
	int digit = hex_digit(c);

	if (digit >= 0) {
		if (reader->digits++ == SIZE_DIGITS_MAX)
			return refuse(reader, 413, "the chunk is beyond any limit");
		reader->left = reader->left << 4 | (unsigned)digit;
		return true;
	}
	if (reader->digits == 0 || (c != ';' && c != '\r'))
		return refuse(reader, 400, "want a chunk's size in hexadecimal digits");
	reader->stage = c == ';' ? RT_BODY_EXTENSION : RT_BODY_SIZE_LF;
	return true;
}

/* A byte of a chunk's extension or of a trailer. */
static bool take_extra(struct rt_body_reader *reader, char c)
{
	if (++reader->extra > RT_HTTP_HEAD_BYTES)
		return refuse(reader, 431, "chunk extensions and trailers are too long");
	if (c == '\r') {
		reader->stage =
		    reader->stage == RT_BODY_EXTENSION ? RT_BODY_SIZE_LF : RT_BODY_TRAILER_LF;
		return true;
	}
	if (((unsigned char)c < 0x20 && c != '\t') || c == 0x7F)
		return refuse(reader, 400, "want no control characters between chunks");
	reader->line_is_empty = false;
	return true;
}

/* The size of a chunk is known: 0 says that it is the last. */
static void begin_chunk(struct rt_body_reader *reader)
{
	reader->digits = 0;
	reader->line_is_empty = true;
	reader->stage = reader->left ? RT_BODY_DATA : RT_BODY_TRAILER;
}

static void end_trailer(struct rt_body_reader *reader)
{
	reader->stage = reader->line_is_empty ? RT_BODY_OVER : RT_BODY_TRAILER;
	reader->line_is_empty = true;
}

/* One byte of the framing. Returns false where it is bad. */
static bool take_byte(struct rt_body_reader *reader, char c)
{
	switch (reader->stage) {
	case RT_BODY_SIZE:
		return take_size(reader, c);
	case RT_BODY_EXTENSION:
	case RT_BODY_TRAILER:
		return take_extra(reader, c);
	case RT_BODY_DATA_CR:
		reader->stage = RT_BODY_DATA_LF;
		return c == '\r' || refuse(reader, 400, "want CR LF after a chunk");
	default:
		break;
	}
	if (c != '\n')
		return refuse(reader, 400, "want lines that end with CR LF, have a bare CR");
	if (reader->stage == RT_BODY_SIZE_LF)
		begin_chunk(reader);
	else if (reader->stage == RT_BODY_TRAILER_LF)
		end_trailer(reader);
	else
		reader->stage = RT_BODY_SIZE;
	return true;
}

enum rt_body_state rt_body_read(struct rt_body_reader *reader, const char *data, size_t len,
				size_t *ret_used, struct rt_slice *ret_piece)
{
	size_t used = 0;
	enum rt_body_state state = RT_BODY_MORE;

	if (reader->stage == RT_BODY_LENGTH && reader->left == 0)
		state = RT_BODY_END;
	while (used < len && state == RT_BODY_MORE) {
		if (reader->stage == RT_BODY_LENGTH || reader->stage == RT_BODY_DATA) {
			size_t rest = len - used;
			size_t take = reader->left < rest ? (size_t)reader->left : rest;

			*ret_piece = rt_slice_make(data + used, take);
			used += take;
			reader->left -= take;
			if (reader->left == 0 && reader->stage == RT_BODY_DATA)
				reader->stage = RT_BODY_DATA_CR;
			state = RT_BODY_PIECE;
		} else if (!take_byte(reader, data[used++])) {
			state = RT_BODY_BAD;
		} else if (reader->stage == RT_BODY_OVER) {
			state = RT_BODY_END;
		}
	}
	*ret_used = used;
	return state;
}
