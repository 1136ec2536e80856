/*
 * What a file looks like that is not what was asked for: to say so in place of a fault in it.
 *
 * It is asked only about what has been refused, so it decides nothing but words.
 */
#ifndef RT_FORMATS_LIKENESS_H
#define RT_FORMATS_LIKENESS_H

#include "base/error.h"

enum rt_likeness {
	RT_LIKE_NOTHING, /* nothing that is known, or what it should be */
	RT_LIKE_EXPORT,
	RT_LIKE_REQUEST,
	RT_LIKE_JOURNAL,
	RT_LIKE_PARTIAL,
	RT_LIKE_OTHER, /* of another program, or an answer of this one */
};

/*
 * Make err say that something else was wanted, where head looks like something else.
 *
 * want: any but RT_LIKE_NOTHING and RT_LIKE_OTHER. head: the first bytes, some thousands
 * where there are as many; made: the JSON text that was made of them, if they are YAML.
 * Returns what it looks like. But for RT_LIKE_NOTHING, which leaves err as it was, err then has a
 * new message, the code RT_E_USAGE and no place but its path and member: the whole file is meant.
 */
enum rt_likeness rt_likeness_tell(enum rt_likeness want, struct rt_slice head, struct rt_slice made,
				  struct rt_error *err);

#endif
