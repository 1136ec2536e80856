/*
 * What somebody who mistyped a name may have meant.
 */
#ifndef RT_CLI_NEAREST_H
#define RT_CLI_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Room for what cli_nearest_hint() writes. */
#define CLI_HINT_MAX 128u

struct cli_nearest {
	const char *word; /* as it was typed; not NUL-terminated */
	size_t len;
	const char *name; /* the nearest one so far that is near enough; NULL: none */
	size_t distance;  /* of that one */
	bool exact;       /* the word is one of the names: it is not what is wrong */
};

/* Begin to look for the name nearest to len bytes at word, which is borrowed. */
void cli_nearest_begin(struct cli_nearest *nearest, const char *word, size_t len);

/* Offer a name, which is borrowed. Of those that are equally near the first one stays. */
void cli_nearest_offer(struct cli_nearest *nearest, const char *name);

/*
 * The end of a message about the word: `; did you mean "NAME"?`, or otherwise where no name is
 * near. dashes: stands before the name. Returns hint, or otherwise.
 */
const char *cli_nearest_hint(const struct cli_nearest *nearest, const char *dashes,
			     const char *otherwise, char hint[CLI_HINT_MAX]);

#endif
