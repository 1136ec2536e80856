/*
 * The head of a request: its first line and its fields (RFC 9112 §2 to §6). Nothing is forgiven
 * that two readers could take for two things: each line ends with CR LF, nothing is folded, no
 * field that frames, names or admits a request is there twice.
 */
#ifndef RT_HTTP_MESSAGE_H
#define RT_HTTP_MESSAGE_H

#include <stdint.h>

#include "base/slice.h"

/* The fields that are looked at. None may be there twice. */
enum rt_field {
	RT_FIELD_HOST,
	RT_FIELD_ORIGIN,
	RT_FIELD_API_KEY,
	RT_FIELD_CONTENT_TYPE,
	RT_FIELD_CONTENT_LENGTH,
	RT_FIELD_TRANSFER_ENCODING,
	RT_FIELD_CONTENT_ENCODING,
	RT_FIELD_EXPECT,
	RT_FIELDS,
};

/* {0} is one of which nothing has come. */
struct rt_head {
	struct rt_slice method, target;    /* ptr NULL: not known yet; only checked for blanks */
	struct rt_slice fields[RT_FIELDS]; /* values without blanks around; ptr NULL: absent */
	bool is_old;                       /* HTTP/1.0, else HTTP/1.1 */
	bool stays;                        /* the connection may go on after the answer */
	bool has_body;
	bool chunked;
	bool awaits_continue; /* the body comes after 100 Continue (RFC 9110 §10.1.1) */
	uint64_t body_bytes;  /* of Content-Length; 0 where chunked */
	size_t len;           /* bytes of the complete lines: of all of the head once it is done */
	unsigned status;      /* where it is bad: what to answer before the connection ends */
	const char *fault;    /* what is wrong then */
	/* For rt_head_read() alone. */
	size_t seen;
	bool blank, started, closes, keeps;
};

enum rt_head_state {
	RT_HEAD_MORE, /* it is not all there */
	RT_HEAD_DONE,
	RT_HEAD_BAD,
};

/*
 * Read on. text: all bytes of the connection from the head's first one on, at the same place in
 * each call; borrowed by head. The result depends on the bytes alone, not on how they came.
 * Beyond RT_HTTP_HEAD_BYTES a head is bad. Not called again after RT_HEAD_DONE or RT_HEAD_BAD.
 */
enum rt_head_state rt_head_read(struct rt_head *head, const char *text, size_t len);

/* --- The body --------------------------------------------------------------------------------- */

/*
 * The body of a request, taken out of its framing: a Content-Length, or chunks (RFC 9112 §6, §7).
 */

struct rt_body_reader {
	uint64_t left;     /* bytes of the body, or of the chunk, that are still to come */
	unsigned status;   /* where it is bad: what to answer before the connection ends */
	const char *fault; /* what is wrong then */
	bool has_digit;    /* of the chunk's size */
	size_t extra; /* bytes of chunk extensions and trailers, and zeros before sizes, so far */
	bool line_is_empty; /* the trailer's line, so far */
	enum {
		RT_BODY_LENGTH, /* without chunks */
		RT_BODY_SIZE,
		RT_BODY_EXTENSION,
		RT_BODY_SIZE_LF,
		RT_BODY_DATA,
		RT_BODY_DATA_CR,
		RT_BODY_DATA_LF,
		RT_BODY_TRAILER,
		RT_BODY_TRAILER_LF,
		RT_BODY_OVER,
	} stage;
};

enum rt_body_state {
	RT_BODY_MORE, /* all bytes are taken, and more have to come */
	RT_BODY_PIECE,
	RT_BODY_END,
	RT_BODY_BAD,
};

void rt_body_begin(struct rt_body_reader *reader, const struct rt_head *head);

/*
 * Take bytes of a body. data: may be empty. ret_used: how many were taken; not all where there is
 * a piece or an end. ret_piece: with RT_BODY_PIECE bytes of the body, borrowed from data.
 * Not called again after RT_BODY_END or RT_BODY_BAD.
 */
enum rt_body_state rt_body_read(struct rt_body_reader *reader, const char *data, size_t len,
				size_t *ret_used, struct rt_slice *ret_piece);

#endif
