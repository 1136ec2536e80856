/*
 * The hash of a name is hashed once more with its kind and its owner. A number is kept plus one,
 * for the map has 0 for what is not there.
 */
#include "sarif/names.h"

static struct rt_hash128 hash_of(const struct rt_sarif_names *names, struct rt_hash128 name,
				 enum rt_sarif_kind kind, uint32_t owner)
{
	const uint64_t words[] = {name.low, name.high, (uint64_t)kind << 32 | owner};

	return rt_siphash(&names->key, rt_slice_make((const char *)words, sizeof(words)));
}

bool rt_sarif_names_add(struct rt_sarif_names *names, enum rt_sarif_kind kind, uint32_t owner,
			struct rt_slice name, uint32_t number, struct rt_sarif_fault *fault)
{
	size_t before = names->map.cap * sizeof(*names->map.slots);
	size_t grown = name.ptr ? rt_map_growth(&names->map) : 0;
	uint32_t *slot;
	bool added;

	rt_sarif_memory_count(names->memory, (int64_t)grown, fault);
	if (!name.ptr || fault->status != RT_OK)
		return true;
	slot = rt_map_put(&names->map, hash_of(names, rt_siphash(&names->key, name), kind, owner),
			  &fault->err);
	if (!slot) {
		fault->status = RT_FATAL;
		return true;
	}
	if (grown)
		rt_sarif_memory_count(names->memory, -(int64_t)before, fault);
	added = !*slot;
	if (added)
		*slot = number + 1;
	return added;
}

/* The number at a hash. */
static bool number_at(const struct rt_sarif_names *names, struct rt_hash128 hash,
		      uint32_t *ret_number)
{
	uint32_t number = rt_map_get(&names->map, hash);

	if (number)
		*ret_number = number - 1;
	return number != 0;
}

bool rt_sarif_names_find(const struct rt_sarif_names *names, enum rt_sarif_kind kind,
			 uint32_t owner, struct rt_slice name, uint32_t *ret_number)
{
	if (!names->map.cap)
		return false;
	return number_at(names, hash_of(names, rt_siphash(&names->key, name), kind, owner),
			 ret_number);
}

void rt_sarif_names_prefixes(const struct rt_sarif_names *names, enum rt_sarif_kind kind,
			     uint32_t owner, struct rt_slice name,
			     void (*found)(void *ctx, uint32_t number), void *ctx)
{
	struct rt_siphash_prefixes prefixes;
	uint32_t number;

	if (!names->map.cap)
		return;
	rt_siphash_prefixes_init(&prefixes, &names->key, name);
	for (size_t at = 0; at <= name.len; at++) {
		const char *slash =
		    at < name.len ? memchr(name.ptr + at, '/', name.len - at) : NULL;

		struct rt_hash128 hash;

		at = slash ? (size_t)(slash - name.ptr) : name.len;
		hash = hash_of(names, rt_siphash_prefix(&prefixes, at), kind, owner);
		if (number_at(names, hash, &number))
			found(ctx, number);
	}
}
