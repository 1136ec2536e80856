/*
 * The data of zip members, as a stream: stored or deflated, by ISA-L.
 */
#ifndef RT_DECODE_ZIP_DATA_H
#define RT_DECODE_ZIP_DATA_H

#include "decode/stream.h"
#include "decode/zip_directory.h"

struct rt_zip_data;

/*
 * Prepare for members of one zip. fd: a regular file. fd, meter: borrowed until rt_zip_data_free();
 * every byte that comes out is counted.
 * Returns NULL with err set when memory is short.
 */
struct rt_zip_data *rt_zip_data_new(int fd, struct rt_meter *meter, struct rt_error *err);

/*
 * The bytes of a member, from their first one; the stream before it is over. It ends only where its
 * size and CRC are those of the directory, and all packed bytes have been used.
 * Borrowed: rt_stream_free() does nothing. NULL: the method is neither.
 */
struct rt_stream *rt_zip_data_begin(struct rt_zip_data *data, const struct rt_zip_member *member);

/* NULL is allowed. */
void rt_zip_data_free(struct rt_zip_data *data);

#endif
