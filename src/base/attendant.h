/*
 * The attendant: a process that a program starts before it confines itself, and that does for it
 * the few things which a confined process must not be able to do by itself.
 *
 * It is a copy of the program from before it had read anything. It never sees a byte of input: what
 * it is asked for has no room for any. It ends with the program's socket, or with its thread that
 * has started it. A program without one, which is not confined, does these things itself.
 */
#ifndef RT_BASE_ATTENDANT_H
#define RT_BASE_ATTENDANT_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"

/* What later stages have it do. */
struct rt_attendant_duties {
	/* Start the decoder's program with a socket as its first descriptor, as a child of this
	 * process (of its parent: is_attendant). Returns its number, or -1 with err set. */
	pid_t (*launch)(int sock, bool is_attendant, struct rt_error *err);
	/* Name who holds a lock on a file; cap bytes of text with the NUL. */
	void (*name_holder)(dev_t device, ino_t inode, char *text, size_t cap);
	/* Open a temporary file. Returns its descriptor, or -1 with errno set. */
	int (*open_unnamed)(void);
};

/*
 * Start it; from then on this process has an attendant. To be called before any thread is started.
 * duties: static. Returns RT_OK, or RT_FATAL with err set (RT_E_IO).
 */
enum rt_status rt_attendant_start(const struct rt_attendant_duties *duties, struct rt_error *err);

/*
 * This process is confined, and has no attendant: what is asked of one fails, but for temporary
 * files, which lie in memory then.
 */
void rt_attendant_do_without(void);

/* Whether this process is confined, so that the calls below have to be used. */
bool rt_attendant_serves(void);

/* As the duty. sock: stays the caller's. */
pid_t rt_attendant_launch(int sock, struct rt_error *err);

/* As the duty. Returns false where it could not be asked. */
bool rt_attendant_name_holder(const struct stat *file, char *text, size_t cap);

/* As the duty; in memory where there is no attendant. */
int rt_attendant_open_unnamed(void);

/* Kill a child of this process. Does nothing to any other. */
void rt_attendant_kill(pid_t child);

#endif
