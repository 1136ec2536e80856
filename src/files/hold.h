/*
 * Inputs that are read more than once: a pipe on standard input is copied to a temporary file.
 */
#ifndef RT_FILES_HOLD_H
#define RT_FILES_HOLD_H

#include "base/error.h"

struct rt_hold {
	struct rt_options options; /* as given, but with an input_fd that can be read again */
	int fd;                    /* the temporary file, or -1 */
};

/*
 * Make a data set readable more than once. options: borrowed until rt_hold_release().
 * hold: released by rt_hold_release() whatever is returned.
 * Returns RT_OK, or RT_FATAL with err set, path included: RT_E_USAGE for a path that is a FIFO,
 * RT_E_IO, RT_E_LIMIT beyond the limit "expanded".
 */
enum rt_status rt_hold_init(struct rt_hold *hold, const struct rt_options *options,
			    struct rt_error *err);

void rt_hold_release(struct rt_hold *hold);

#endif
