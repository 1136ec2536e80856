/*
 * The program of the decoder's process, carried as bytes: so that there is one file to install,
 * the library's users have it too, and the two are always of one build.
 */
#ifndef RT_SOURCE_IMAGE_H
#define RT_SOURCE_IMAGE_H

#include <stdint.h>

extern const unsigned char rt_image[];
extern const uint64_t rt_image_len;

#endif
