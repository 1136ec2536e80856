/*
 * What somebody who mistyped a name may have meant.
 */
#ifndef RT_BASE_NEAREST_H
#define RT_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Room for what rt_nearest_hint() writes. */
#define RT_HINT_MAX 128u

struct rt_nearest {
	const char *word; /* as it was typed; not NUL-terminated */
	size_t len;
	const char *name; /* the nearest one so far that is near enough; NULL: none */
	size_t distance;  /* of that one */
	bool exact;       /* the word is one of the names: it is not what is wrong */
};

/* Begin to look for the name nearest to len bytes at word, which is borrowed. */
void rt_nearest_begin(struct rt_nearest *nearest, const char *word, size_t len);

/* Offer a name, which is borrowed. Of those that are equally near the first one stays. */
void rt_nearest_offer(struct rt_nearest *nearest, const char *name);

/*
 * The end of a message about the word: `; did you mean "NAME"?`, or otherwise where no name is
 * near. dashes: stands before the name. Returns hint, or otherwise.
 */
const char *rt_nearest_hint(const struct rt_nearest *nearest, const char *dashes,
			    const char *otherwise, char hint[RT_HINT_MAX]);

#endif
