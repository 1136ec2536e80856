/*
 * Libraries that are loaded when they are needed: with all that is behind them they would triple
 * the time that every run takes to start. Their names, the packages that have them, and what is
 * called of each, are those of the build (tests/tools/late.sh).
 */
#ifndef RT_BASE_LATE_H
#define RT_BASE_LATE_H

#include "base/error.h"

enum rt_late { RT_LATE_LIBARCHIVE, RT_LATE_LIBZIP, RT_LATE_LIBMICROHTTPD, RT_LATE_LIBRARIES };

/*
 * Load a library, and find everything that is called of it: to be done before anything is. The
 * first answer stays, in forked processes too, so a confined one may ask. Returns RT_OK; RT_FATAL
 * with err set (RT_E_IO), which names the package.
 */
enum rt_status rt_late_load(enum rt_late which, struct rt_error *err);

/* The address of a function of a library that has been loaded. */
void *rt_late_find(const char *name);

/* A function, by its name, as in RT_LATE(archive_read_new)(). Sanitizers see into what is linked.
 */
#ifdef RT_LINKED
#define RT_LATE(name) (name)
#else
#define RT_LATE(name)                                                                              \
	(*({                                                                                       \
		static __typeof__(&(name)) found_;                                                 \
		if (!found_)                                                                       \
			found_ = (__typeof__(&(name)))rt_late_find(#name);                         \
		found_;                                                                            \
	}))
#endif

#endif
