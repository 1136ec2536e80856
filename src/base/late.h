/*
 * Functions of libraries that are loaded when the first file has to be unpacked, and not when the
 * program starts: libarchive brings along libxml2 and with it ICU, which takes three times as long
 * as the whole rest of a short run. A program that is linked with them all the same is defined by
 * RT_LINKED.
 */
#ifndef RT_BASE_LATE_H
#define RT_BASE_LATE_H

/* Load them, before the process confines itself. Does nothing the second time. */
void rt_late_load(void);

/* The address of a function; the process ends where there is none. */
void *rt_late_find(const char *name);

/* A function, by its name, as in RT_LATE(archive_read_new)(). */
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
