/*
 * The header block of a request: the few fields that matter here, and whether the block is framed
 * as RFC 9112 has it.
 */
#ifndef RT_HTTP_HEAD_H
#define RT_HTTP_HEAD_H

#include "http/mhd.h"
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

/* Where the first line was when the target was seen, before anything in it was changed. */
struct rt_head_line {
	uintptr_t target_at;
	size_t target_len;
};

struct rt_head {
	struct rt_slice fields[RT_FIELDS]; /* values without blanks at the end; ptr NULL: absent */
	bool has_body;
	bool chunked;
	uint64_t body_bytes; /* of Content-Length; 0 where chunked */
	unsigned status;     /* 0: well framed; else what to answer before the connection ends */
	const char *fault;   /* what is wrong then */
};

/*
 * Look at the headers of a request. method, version: as the handler was given them. line: of its
 * target. Texts in ret_head are borrowed from the connection until the request is over.
 */
void rt_head_read(struct MHD_Connection *connection, const char *method, const char *version,
		  const struct rt_head_line *line, struct rt_head *ret_head);

#endif
