/*
 * Which names inside an archive or a directory are read (SPEC D1).
 * Input: a name of any bytes. Output: yes or no. The name never decides the format; content does.
 */
#include "input/files.h"

#include <strings.h>

/* Take one of the suffixes off the end of the name; false when it has none of them. */
static bool suffix_take(const char *name, size_t *len, const char *const *suffixes)
{
	for (; *suffixes; suffixes++) {
		size_t cut = strlen(*suffixes);

		if (*len >= cut && strncasecmp(name + *len - cut, *suffixes, cut) == 0) {
			*len -= cut;
			return true;
		}
	}
	return false;
}

bool rt_name_is_candidate(const char *name, size_t len)
{
	static const char *const packed[] = {".gz", ".zst", ".xz", ".bz2", ".lz4", NULL};
	static const char *const text[] = {".json", ".ndjson", ".jsonl", ".yaml", ".yml", NULL};

	(void)suffix_take(name, &len, packed);
	return suffix_take(name, &len, text);
}
