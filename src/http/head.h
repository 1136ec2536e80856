/*
 * The head of a request: its first line and its fields (RFC 9112 §2 to §6). Nothing is forgiven
 * that two readers could take for two things: each line ends with CR LF, nothing is folded, no
 * field that frames, names or admits a request is there twice.
 */
#ifndef RT_HTTP_HEAD_H
#define RT_HTTP_HEAD_H

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
	uint64_t body_bytes; /* of Content-Length; 0 where chunked */
	size_t len;          /* bytes of the complete lines: of all of the head once it is done */
	unsigned status;     /* where it is bad: what to answer before the connection ends */
	const char *fault;   /* what is wrong then */
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

#endif
