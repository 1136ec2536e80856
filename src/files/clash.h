/*
 * Whether a file that is to be written is one that is read: now, or the next time.
 */
#ifndef RT_FILES_CLASH_H
#define RT_FILES_CLASH_H

#include "retriage.h"

enum rt_clash {
	RT_CLASH_NONE,
	RT_CLASH_FILE, /* the target is the input */
	RT_CLASH_PART, /* the input is a directory, and the target is read with it */
};

/*
 * Hold a target against an input; of both, links are followed, and either may be absent yet.
 * options: "-" as the input is its input_fd. choice: what is read of a directory; NULL: what its
 * names say.
 */
enum rt_clash rt_clash_with_input(const struct rt_options *options, const struct rt_choice *choice,
				  const char *target, const char *input);

/* Whether two paths lead to one file, or would. */
bool rt_clash_with_file(const char *target, const char *other);

/* Whether a target is a journal or its lock, which is beside the file that a link leads to. */
bool rt_clash_with_journal(const char *target, const char *journal);

#endif
