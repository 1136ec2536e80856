#include "base/late.h"

#include <dlfcn.h>
#include <stdio.h>

#include "gen/late.h"

#define ROW(name, ...)                                                                             \
	{                                                                                          \
		name##_FILE, name##_PACKAGE, name##_VERSION, {__VA_ARGS__}, false, ""              \
	}

/* What the build knows of a library, and how it was found to be. */
static struct library {
	const char *file, *package, *version;
	const char *calls[64];
	bool is_known;
	char wrong[256]; /* empty: nothing */
} libraries[RT_LATE_LIBRARIES] = {
#ifndef RT_LINKED
    [RT_LATE_LIBARCHIVE] = ROW(RT_LATE_LIBARCHIVE, RT_LATE_LIBARCHIVE_CALLS),
    [RT_LATE_LIBZIP] = ROW(RT_LATE_LIBZIP, RT_LATE_LIBZIP_CALLS),
#endif
#ifndef RT_WITHOUT_HTTP
    [RT_LATE_LIBMICROHTTPD] = ROW(RT_LATE_LIBMICROHTTPD, RT_LATE_LIBMICROHTTPD_CALLS),
#endif
};

static void load(struct library *library)
{
	void *loaded = dlopen(library->file, RTLD_NOW | RTLD_GLOBAL);
	const char *why = loaded ? NULL : dlerror();

	if (!loaded)
		(void)snprintf(library->wrong, sizeof(library->wrong),
			       "cannot load a library (%.160s): install the package %s",
			       why ? why : library->file, library->package);
	for (size_t i = 0; loaded && library->calls[i] && !library->wrong[0]; i++) {
		if (!dlsym(loaded, library->calls[i]))
			(void)snprintf(
			    library->wrong, sizeof(library->wrong),
			    "%s has no %s: install the package %s of version %s or later",
			    library->file, library->calls[i], library->package, library->version);
	}
}

enum rt_status rt_late_load(enum rt_late which, struct rt_error *err)
{
	struct library *library = &libraries[which];

	if (!library->is_known && library->file)
		load(library);
	library->is_known = true;
	return library->wrong[0] ? rt_error_set(err, RT_E_IO, "%s", library->wrong) : RT_OK;
}

void *rt_late_find(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}
