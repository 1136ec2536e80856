/*
 * gzip data (RFC 1952) as a stream.
 */
#ifndef RT_DECODE_GZIP_H
#define RT_DECODE_GZIP_H

#include "decode/stream.h"

/*
 * Members one after another give one stream; CRC and length of each are checked. Behind the last
 * member only zero bytes may follow.
 * below, meter: borrowed. Returns NULL with err set when memory is short.
 */
struct rt_stream *rt_gzip_open(struct rt_stream *below, struct rt_meter *meter,
			       struct rt_error *err);

#endif
