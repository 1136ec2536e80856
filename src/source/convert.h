/*
 * YAML made into JSON text by a child, in which libyaml cannot do harm. It asks for the source as
 * it needs it, so that not a byte more is read than by a conversion in this process, and goes on
 * while its text is scanned here.
 */
#ifndef RT_SOURCE_CONVERT_H
#define RT_SOURCE_CONVERT_H

#include "source/worker.h"
#include "text/text.h"

struct rt_convert {
	struct rt_worker worker;
};

void rt_convert_init(struct rt_convert *convert);

struct rt_text_converter rt_convert_converter(struct rt_convert *convert);

void rt_convert_release(struct rt_convert *convert);

#endif
