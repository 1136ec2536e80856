/*
 * What the content of a file is that is not what was asked for: to say so in place of a fault in
 * it.
 *
 * It is asked only about what has been refused, so it decides nothing but words.
 */
#ifndef RT_FORMATS_CONTENT_H
#define RT_FORMATS_CONTENT_H

#include "base/error.h"

enum rt_content {
	RT_CONTENT_NOTHING, /* nothing that is known, or what it should be */
	RT_CONTENT_EXPORT,
	RT_CONTENT_REQUEST,
	RT_CONTENT_JOURNAL,
	RT_CONTENT_PARTIAL,
	RT_CONTENT_OTHER, /* of another program, or an answer of this one */
};

/*
 * Make err say that something else was wanted, where head looks like something else.
 *
 * want: any but RT_CONTENT_NOTHING and RT_CONTENT_OTHER. head: the first bytes, some thousands
 * where there are as many; made: the JSON text that was made of them, if they are YAML.
 * Returns what it looks like. But for RT_CONTENT_NOTHING, which leaves err as it was, err then has
 * a new message, the code RT_E_USAGE and no place but its path and member: the whole file is meant.
 */
enum rt_content rt_content_tell(enum rt_content want, struct rt_slice head, struct rt_slice made,
				struct rt_error *err);

#endif
