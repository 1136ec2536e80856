/*
 * Temporary files that nobody can find: they have no name, and go with their descriptor.
 */
#ifndef RT_BASE_UNNAMED_H
#define RT_BASE_UNNAMED_H

/*
 * Open a new file for reading and writing in $TMPDIR, /var/tmp or /tmp, the first that takes one.
 * Returns a descriptor that is closed on exec, or -1 with errno set.
 */
int rt_unnamed_open(void);

#endif
