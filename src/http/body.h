/*
 * The body of a request, taken out of its framing: a Content-Length, or chunks (RFC 9112 §6, §7).
 */
#ifndef RT_HTTP_BODY_H
#define RT_HTTP_BODY_H

#include "http/head.h"

struct rt_body_reader {
	uint64_t left;      /* bytes of the body, or of the chunk, that are still to come */
	unsigned status;    /* where it is bad: what to answer before the connection ends */
	const char *fault;  /* what is wrong then */
	unsigned digits;    /* of the chunk's size so far */
	size_t extra;       /* bytes of chunk extensions and trailers so far */
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
