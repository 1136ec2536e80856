/* Which ways of trying an input have their turn: turn.h says. */
#include "tests/fuzz/turn.h"

#include <stdlib.h>
#include <string.h>

size_t turn_first(const uint8_t *data, size_t size, size_t count, size_t *ret_end)
{
	const char *turns = getenv("FUZZ_TURNS");
	uint64_t hash = size;

	if (!turns || strcmp(turns, "one") != 0) {
		*ret_end = count;
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ data[i]) * UINT64_C(0x100000001B3);
	/* The low bits of such a product depend on few bits of the bytes. */
	hash = (hash >> 32) % count;
	*ret_end = (size_t)hash + 1;
	return (size_t)hash;
}
