/*
 * YAML made into JSON text by a child, in which libyaml cannot do harm. The child asks for the
 * source as it needs it, so that not a byte more is read than by a conversion in this process, and
 * goes on while its text is scanned here.
 */
#ifndef RT_SOURCE_CONVERT_H
#define RT_SOURCE_CONVERT_H

#include "base/marks.h"
#include "source/worker.h"
#include "text/text.h"

/* What a piece of the part that the child hands over begins with: marks, then text. */
struct rt_convert_piece {
	uint32_t text_len;
	uint32_t marks;
};

struct rt_convert_mark {
	uint64_t at;
	struct rt_place place;
};

struct rt_convert {
	struct rt_worker worker;
	uint32_t text_left; /* bytes of the current piece */
};

/* launcher: borrowed as long as convert. */
void rt_convert_init(struct rt_convert *convert, struct rt_launcher *launcher);

struct rt_text_converter rt_convert_converter(struct rt_convert *convert);

void rt_convert_release(struct rt_convert *convert);

#endif
