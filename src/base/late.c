/*
 * Loads libraries by the names that their packages of Debian 12 have.
 */
#include "base/late.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef RT_LINKED
void rt_late_load(void)
{
}
#else
static const char *const names[] = {"libarchive.so.13", "libzip.so.4"};

void rt_late_load(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
}
#endif

void *rt_late_find(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found) {
		rt_late_load();
		found = dlsym(RTLD_DEFAULT, name);
	}
	if (!found)
		abort();
	return found;
}
