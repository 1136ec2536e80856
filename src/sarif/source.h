/*
 * The bytes of a log's text, pulled once and read as often as needed (SARIF.md S4): what has been
 * pulled is read again from where it came, or from a temporary file.
 */
#ifndef RT_SARIF_SOURCE_H
#define RT_SARIF_SOURCE_H

#include "sarif/sarif.h"

struct rt_sarif_source {
	struct rt_pull pull;
	const struct rt_sarif_hints *hints;
	uint64_t spool_max;     /* bytes that are kept (limit "expanded") */
	uint64_t temporary_max; /* bytes of a temporary file (limit "temporary") */
	uint64_t kept;          /* bytes that have been pulled and can be read again */
	int fd;                 /* of the temporary file, or -1 */
	enum rt_status held;    /* what the pull said after them: RT_OK, RT_END or a failure */
	struct rt_error held_err;
};

/* pull, hints: borrowed until rt_sarif_source_release(). */
void rt_sarif_source_init(struct rt_sarif_source *source, struct rt_pull pull,
			  const struct rt_sarif_hints *hints, const struct rt_limits *limits);

/*
 * Read bytes at an offset of at most source->kept, as rt_pull's read(). keep: what is new has to be
 * read again later; without it, it is the last reader that goes on after it.
 */
enum rt_status rt_sarif_source_read(struct rt_sarif_source *source, uint64_t offset, bool keep,
				    void *buf, size_t cap, size_t *ret_len, struct rt_error *err);

void rt_sarif_source_release(struct rt_sarif_source *source);

#endif
