/*
 * A whole JSON text in memory, checked by the scanner (RFC 8259).
 */
#ifndef RT_SCAN_JSON_H
#define RT_SCAN_JSON_H

#include "retriage.h"

/*
 * Check that a text is JSON: one value with blanks around it, UTF-8 without a BOM.
 *
 * ptr: len bytes, no padding needed; not changed. limits: depth is what counts here.
 * Returns RT_OK; RT_REJECT with err set (place, code and message); RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_json_check(const char *ptr, size_t len, const struct rt_limits *limits,
			     struct rt_error *err);

#endif
