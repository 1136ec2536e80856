/*
 * Media types of request bodies.
 */
#ifndef RT_HTTP_MEDIA_H
#define RT_HTTP_MEDIA_H

#include "base/slice.h"

/*
 * Whether a Content-Type header's value is application/json, alone or with charset=utf-8
 * (RFC 9110 §8.3.1; RFC 8259 §8.1 knows no other charset). ptr NULL: it is not.
 */
bool rt_media_is_json(struct rt_slice value);

#endif
