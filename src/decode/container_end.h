/*
 * The end of a container: whether it is the format's own.
 */
#ifndef RT_DECODE_CONTAINER_END_H
#define RT_DECODE_CONTAINER_END_H

#include "decode/container_open.h"

/*
 * Check the end after libarchive has reported it; a tar or cpio is read to the end of its
 * stream. members: how many libarchive has delivered.
 * Returns RT_OK, RT_REJECT or RT_FATAL with err set.
 */
enum rt_status rt_container_end_check(enum rt_magic magic, struct rt_container_source *source,
				      uint64_t members, struct rt_error *err);

#endif
