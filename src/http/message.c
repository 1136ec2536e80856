/*
 * Reads heads of requests. Input: bytes as they come. Output: the first line, the few fields that
 * matter here, and how the body is framed.
 * Refuses every form that RFC 9112 does not have, also those that it lets a server forgive: they
 * are how one request is hidden inside another.
 */
#include "http/message.h"

#include <strings.h>

#include "base/limits.h"

static const struct rt_slice field_names[RT_FIELDS] = {
    [RT_FIELD_HOST] = {"Host", 4},
    [RT_FIELD_ORIGIN] = {"Origin", 6},
    [RT_FIELD_API_KEY] = {"X-API-Key", 9},
    [RT_FIELD_CONTENT_TYPE] = {"Content-Type", 12},
    [RT_FIELD_CONTENT_LENGTH] = {"Content-Length", 14},
    [RT_FIELD_TRANSFER_ENCODING] = {"Transfer-Encoding", 17},
    [RT_FIELD_CONTENT_ENCODING] = {"Content-Encoding", 16},
    [RT_FIELD_EXPECT] = {"Expect", 6},
};

static bool refuse(struct rt_head *head, unsigned status, const char *fault)
{
	head->status = status;
	head->fault = fault;
	return false;
}

static bool is_word(struct rt_slice text, const char *word)
{
	return text.len == strlen(word) && strncasecmp(text.ptr, word, text.len) == 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A token (RFC 9110 §5.6.2). */
static bool is_token(struct rt_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!(is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		      (c && strchr("!#$%&'*+-.^_`|~", c))))
			return false;
	}
	return text.len > 0;
}

static struct rt_slice strip(struct rt_slice text)
{
	while (text.len && (*text.ptr == ' ' || *text.ptr == '\t')) {
		text.ptr++;
		text.len--;
	}
	while (text.len && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
		text.len--;
	return text;
}

/* Cut what stands before the first `mark` off text; ptr NULL where there is none. */
static struct rt_slice cut(struct rt_slice *text, char mark)
{
	const char *at = memchr(text->ptr, mark, text->len);
	struct rt_slice part = {NULL, 0};

	if (!at)
		return part;
	part = rt_slice_make(text->ptr, (size_t)(at - text->ptr));
	text->ptr += part.len + 1;
	text->len -= part.len + 1;
	return part;
}

static bool take_version(struct rt_head *head, struct rt_slice version)
{
	if (version.len != 8 || memcmp(version.ptr, "HTTP/", 5) != 0 || !is_digit(version.ptr[5]) ||
	    version.ptr[6] != '.' || !is_digit(version.ptr[7]))
		return refuse(head, 400, "want METHOD TARGET VERSION with one space between them");
	if (version.ptr[5] != '1' || version.ptr[7] > '1')
		return refuse(head, 505, "want HTTP/1.1 or HTTP/1.0");
	head->is_old = version.ptr[7] == '0';
	return true;
}

static bool take_first_line(struct rt_head *head, struct rt_slice line)
{
	struct rt_slice method, target;

	/* One empty line may come first (RFC 9112 §2.2). */
	if (line.len == 0 && !head->blank) {
		head->blank = true;
		return true;
	}
	head->started = true;
	method = cut(&line, ' ');
	if (!method.ptr || !is_token(method))
		return refuse(head, 400, "want METHOD TARGET VERSION with one space between them");
	head->method = method;
	target = cut(&line, ' ');
	if (target.len == 0)
		return refuse(head, 400, "want METHOD TARGET VERSION with one space between them");
	head->target = target;
	return take_version(head, line);
}

/* The options of a Connection field (RFC 9110 §7.6.1). */
static void take_options(struct rt_head *head, struct rt_slice list)
{
	while (list.ptr) {
		struct rt_slice rest = list;
		struct rt_slice option = cut(&rest, ',');

		if (!option.ptr) {
			option = list;
			rest.ptr = NULL;
		}
		option = strip(option);
		head->closes |= is_word(option, "close");
		head->keeps |= is_word(option, "keep-alive");
		list = rest;
	}
}

static bool take_field(struct rt_head *head, struct rt_slice line)
{
	struct rt_slice name, value = line;

	if (*line.ptr == ' ' || *line.ptr == '\t')
		return refuse(head, 400, "want each header on one line, have a folded one");
	name = cut(&value, ':');
	if (!name.ptr || !is_token(name))
		return refuse(head, 400,
			      "want a header's name and a colon after it, have other characters");
	value = strip(value);
	if (is_word(name, "Connection"))
		take_options(head, value);
	for (size_t i = 0; i < RT_FIELDS; i++) {
		if (!is_word(name, field_names[i].ptr))
			continue;
		if (head->fields[i].ptr)
			return refuse(head, 400,
				      "want no header twice that frames, names or admits a "
				      "request");
		head->fields[i] = value;
	}
	return true;
}

/* Digits only; what no number can hold is the largest one there is. */
static bool parse_length(struct rt_slice text, uint64_t *ret_length)
{
	uint64_t length = 0;

	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = (unsigned)(unsigned char)text.ptr[i] - '0';

		if (digit > 9)
			return false;
		length = length > (UINT64_MAX - digit) / 10 ? UINT64_MAX : 10 * length + digit;
	}
	*ret_length = length;
	return text.len > 0;
}

/* How long the body is (RFC 9112 §6.3). */
static bool frame_body(struct rt_head *head)
{
	struct rt_slice length = head->fields[RT_FIELD_CONTENT_LENGTH];
	struct rt_slice coding = head->fields[RT_FIELD_TRANSFER_ENCODING];
	bool reads = rt_slice_equal(head->method, RT_SLICE("GET")) ||
		     rt_slice_equal(head->method, RT_SLICE("HEAD"));

	if (coding.ptr) {
		if (length.ptr)
			return refuse(head, 400,
				      "want Content-Length or Transfer-Encoding, have both");
		if (head->is_old || reads)
			return refuse(head, 400, "want no Transfer-Encoding here");
		if (!is_word(coding, "chunked"))
			return refuse(head, 501, "want the transfer coding chunked, have another");
		head->has_body = head->chunked = true;
	} else if (length.ptr) {
		if (!parse_length(length, &head->body_bytes))
			return refuse(head, 400, "want digits as Content-Length");
		head->has_body = head->body_bytes > 0;
		if (head->has_body && reads)
			return refuse(head, 400, "want no body here");
	}
	return true;
}

static bool finish(struct rt_head *head)
{
	struct rt_slice expect = head->fields[RT_FIELD_EXPECT];

	head->stays = !head->closes && (!head->is_old || head->keeps);
	if (!frame_body(head))
		return false;
	head->awaits_continue =
	    head->has_body && !head->is_old && expect.ptr && is_word(expect, "100-continue");
	if (!head->fields[RT_FIELD_HOST].ptr && !head->is_old)
		return refuse(head, 400, "want a Host header");
	return true;
}

/* One byte that ends no line. before: the byte before it, 0 where it starts a line. */
static bool take_byte(struct rt_head *head, char before, char c)
{
	if (before == '\r')
		return refuse(head, 400, "want lines that end with CR LF, have a bare CR");
	if (((unsigned char)c < 0x20 && c != '\t' && c != '\r') || c == 0x7F)
		return refuse(head, 400, "want no control characters in a head");
	return true;
}

enum rt_head_state rt_head_read(struct rt_head *head, const char *text, size_t len)
{
	if (len > RT_HTTP_HEAD_BYTES)
		len = RT_HTTP_HEAD_BYTES;
	while (head->seen < len) {
		size_t at = head->seen++;
		char before = at > head->len ? text[at - 1] : '\0';
		struct rt_slice line = {text + head->len, at - head->len};
		bool good;

		if (text[at] != '\n') {
			if (!take_byte(head, before, text[at]))
				return RT_HEAD_BAD;
			continue;
		}
		if (before != '\r') {
			(void)refuse(head, 400, "want lines that end with CR LF, have a bare LF");
			return RT_HEAD_BAD;
		}
		line.len--;
		head->len = head->seen;
		if (head->started && line.len == 0)
			return finish(head) ? RT_HEAD_DONE : RT_HEAD_BAD;
		good = head->started ? take_field(head, line) : take_first_line(head, line);
		if (!good)
			return RT_HEAD_BAD;
	}
	if (len < RT_HTTP_HEAD_BYTES)
		return RT_HEAD_MORE;
	if (head->started)
		(void)refuse(head, 431, "the first line and the headers are too long");
	else
		(void)refuse(head, 414, "the first line is too long");
	return RT_HEAD_BAD;
}

/* --- The body --------------------------------------------------------------------------------- */

/*
 * Takes bodies out of their framing. Input: bytes as they come. Output: pieces of the body, and
 * its end. What a trailer says is dropped.
 * Refuses chunks in any other form than RFC 9112's, bare line feeds among them, sizes that no
 * number holds, and more extensions and trailers than a head may have bytes.
 */

void rt_body_begin(struct rt_body_reader *reader, const struct rt_head *head)
{
	*reader = (struct rt_body_reader){
	    .left = head->body_bytes,
	    .stage = head->chunked ? RT_BODY_SIZE : RT_BODY_LENGTH,
	};
}

static bool refuse_body(struct rt_body_reader *reader, unsigned status, const char *fault)
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
		reader->has_digit = true;
		if (reader->left > UINT64_MAX >> 4)
			return refuse_body(reader, 413, "the chunk is beyond any limit");
		if (reader->left == 0 && digit == 0 && ++reader->extra > RT_HTTP_HEAD_BYTES)
			return refuse_body(reader, 431, "chunk sizes have too many zeros");
		reader->left = reader->left << 4 | (unsigned)digit;
		return true;
	}
	if (!reader->has_digit || (c != ';' && c != '\r'))
		return refuse_body(reader, 400, "want a chunk's size in hexadecimal digits");
	reader->stage = c == ';' ? RT_BODY_EXTENSION : RT_BODY_SIZE_LF;
	return true;
}

/* A byte of a chunk's extension or of a trailer. */
static bool take_extra(struct rt_body_reader *reader, char c)
{
	if (++reader->extra > RT_HTTP_HEAD_BYTES)
		return refuse_body(reader, 431, "chunk extensions and trailers are too long");
	if (c == '\r') {
		reader->stage =
		    reader->stage == RT_BODY_EXTENSION ? RT_BODY_SIZE_LF : RT_BODY_TRAILER_LF;
		return true;
	}
	if (((unsigned char)c < 0x20 && c != '\t') || c == 0x7F)
		return refuse_body(reader, 400, "want no control characters between chunks");
	reader->line_is_empty = false;
	return true;
}

/* The size of a chunk is known: 0 says that it is the last. */
static void begin_chunk(struct rt_body_reader *reader)
{
	reader->has_digit = false;
	reader->line_is_empty = true;
	reader->stage = reader->left ? RT_BODY_DATA : RT_BODY_TRAILER;
}

static void end_trailer(struct rt_body_reader *reader)
{
	reader->stage = reader->line_is_empty ? RT_BODY_OVER : RT_BODY_TRAILER;
	reader->line_is_empty = true;
}

/* One byte of the framing. Returns false where it is bad. */
static bool take_body_byte(struct rt_body_reader *reader, char c)
{
	switch (reader->stage) {
	case RT_BODY_SIZE:
		return take_size(reader, c);
	case RT_BODY_EXTENSION:
	case RT_BODY_TRAILER:
		return take_extra(reader, c);
	case RT_BODY_DATA_CR:
		reader->stage = RT_BODY_DATA_LF;
		return c == '\r' || refuse_body(reader, 400, "want CR LF after a chunk");
	default:
		break;
	}
	if (c != '\n')
		return refuse_body(reader, 400, "want lines that end with CR LF, have a bare CR");
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
		} else if (!take_body_byte(reader, data[used++])) {
			state = RT_BODY_BAD;
		} else if (reader->stage == RT_BODY_OVER) {
			state = RT_BODY_END;
		}
	}
	*ret_used = used;
	return state;
}
