/*
 * What the tables of a run have in common: memory, a list of pieces, one for each that is taken,
 * with a count that stays below the limit; names; texts that are kept, levels, GUIDs.
 */
#include "sarif/run.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/json_string.h"

/* --- Memory ----------------------------------------------------------------------------------- */

struct rt_sarif_piece {
	struct rt_sarif_piece *next;
	alignas(max_align_t) char bytes[];
};

static const char too_much[] = "rules and artifacts exceed --limit metadata";

void rt_sarif_memory_count(struct rt_sarif_run *run, int64_t bytes, struct rt_sarif_fault *fault)
{
	if (bytes > 0 &&
	    ((uint64_t)bytes > run->held_max || run->held > run->held_max - (uint64_t)bytes))
		rt_sarif_refuse_limit(fault, too_much);
	if (fault->status == RT_OK)
		run->held += (uint64_t)bytes;
}

void *rt_sarif_memory_take(struct rt_sarif_run *run, size_t count, size_t size,
			   struct rt_sarif_fault *fault)
{
	struct rt_sarif_piece *piece;
	size_t bytes;

	if (count > INT32_MAX || __builtin_mul_overflow(count, size, &bytes) ||
	    bytes > SIZE_MAX / 4) {
		rt_sarif_refuse_limit(fault, too_much);
		return NULL;
	}
	bytes += sizeof(*piece) + (bytes == 0);
	rt_sarif_memory_count(run, (int64_t)bytes, fault);
	piece = fault->status == RT_OK ? calloc(bytes, 1) : NULL;
	if (!piece) {
		if (fault->status == RT_OK)
			fault->status = rt_error_nomem(&fault->err);
		return NULL;
	}
	piece->next = run->pieces;
	run->pieces = piece;
	return piece->bytes;
}

struct rt_slice rt_sarif_memory_copy(struct rt_sarif_run *run, struct rt_slice text,
				     struct rt_sarif_fault *fault)
{
	char *bytes = rt_sarif_memory_take(run, 1, text.len, fault);

	if (bytes && text.len)
		memcpy(bytes, text.ptr, text.len);
	return rt_slice_make(bytes, bytes ? text.len : 0);
}

void rt_sarif_memory_add(struct rt_sarif_run *run, struct rt_buf *table, const void *element,
			 size_t size, struct rt_sarif_fault *fault)
{
	rt_sarif_memory_count(run, (int64_t)size, fault);
	if (fault->status == RT_OK)
		fault->status = rt_buf_append(table, element, size, &fault->err);
}

void rt_sarif_memory_release(struct rt_sarif_run *run)
{
	while (run->pieces) {
		struct rt_sarif_piece *piece = run->pieces;

		run->pieces = piece->next;
		free(piece);
	}
}

/* --- Names ------------------------------------------------------------------------------------ */

/* The hash of a name is hashed once more with its kind and its owner. */
static struct rt_hash128 hash_of(const struct rt_sarif_run *run, struct rt_hash128 name,
				 enum rt_sarif_kind kind, uint32_t owner)
{
	const uint64_t words[] = {name.low, name.high, (uint64_t)kind << 32 | owner};

	return rt_siphash(&run->key, rt_slice_make((const char *)words, sizeof(words)));
}

bool rt_sarif_names_add(struct rt_sarif_run *run, enum rt_sarif_kind kind, uint32_t owner,
			struct rt_slice name, uint32_t number, struct rt_sarif_fault *fault)
{
	size_t before = run->names.cap * sizeof(*run->names.slots);
	size_t grown = name.ptr ? rt_map_growth(&run->names) : 0;
	uint32_t *slot;
	bool added;

	rt_sarif_memory_count(run, (int64_t)grown, fault);
	if (!name.ptr || fault->status != RT_OK)
		return true;
	slot = rt_map_put(&run->names, hash_of(run, rt_siphash(&run->key, name), kind, owner),
			  &fault->err);
	if (!slot) {
		fault->status = RT_FATAL;
		return true;
	}
	if (grown)
		rt_sarif_memory_count(run, -(int64_t)before, fault);
	added = !*slot;
	if (added)
		*slot = number + 1;
	return added;
}

/* The number at a hash. */
static bool number_at(const struct rt_sarif_run *run, struct rt_hash128 hash, uint32_t *ret_number)
{
	uint32_t number = rt_map_get(&run->names, hash);

	if (number)
		*ret_number = number - 1;
	return number != 0;
}

bool rt_sarif_names_find(const struct rt_sarif_run *run, enum rt_sarif_kind kind, uint32_t owner,
			 struct rt_slice name, uint32_t *ret_number)
{
	if (!run->names.cap)
		return false;
	return number_at(run, hash_of(run, rt_siphash(&run->key, name), kind, owner), ret_number);
}

void rt_sarif_names_prefixes(const struct rt_sarif_run *run, enum rt_sarif_kind kind,
			     uint32_t owner, struct rt_slice name,
			     void (*found)(void *ctx, uint32_t number), void *ctx)
{
	struct rt_siphash_prefixes prefixes;
	uint32_t number;

	if (!run->names.cap)
		return;
	rt_siphash_prefixes_init(&prefixes, &run->key, name);
	for (size_t at = 0; at <= name.len; at++) {
		const char *slash =
		    at < name.len ? memchr(name.ptr + at, '/', name.len - at) : NULL;

		struct rt_hash128 hash;

		at = slash ? (size_t)(slash - name.ptr) : name.len;
		hash = hash_of(run, rt_siphash_prefix(&prefixes, at), kind, owner);
		if (number_at(run, hash, &number))
			found(ctx, number);
	}
}

/* --- Texts ------------------------------------------------------------------------------------ */

static const struct rt_cut_member form_members[] = {
    {RT_SLICE("text"), RT_SARIF_FORM_TEXT, RT_SARIF_STRING, NULL},
    {RT_SLICE("markdown"), RT_SARIF_FORM_MARKDOWN, RT_SARIF_STRING, NULL},
};
const struct rt_cut rt_sarif_forms_cut = RT_SARIF_CUT(form_members, "multiformatMessageString");

struct rt_slice rt_sarif_keep(struct rt_sarif_run *run, struct rt_slice string,
			      struct rt_sarif_fault *fault)
{
	struct rt_slice inside = rt_sarif_inside(string);
	char *text;

	if (!inside.ptr || !rt_json_string_is_escaped(inside))
		return inside;
	text = rt_sarif_memory_take(run, 1, inside.len, fault);
	return rt_slice_make(text, text ? rt_json_string_decode(inside, text) : 0);
}

struct rt_slice rt_sarif_keep_json(struct rt_sarif_run *run, struct rt_slice text,
				   struct rt_sarif_fault *fault)
{
	struct rt_buf json = {0};
	struct rt_slice kept = {NULL, 0};

	if (rt_sarif_goes(fault, rt_json_string_encode(text, &json, &fault->err)))
		kept = rt_sarif_memory_copy(run, rt_buf_slice(&json), fault);
	rt_buf_release(&json);
	return kept;
}

struct rt_slice rt_sarif_level_take(struct rt_slice configuration, struct rt_sarif_fault *fault)
{
	static const struct rt_cut_member members[] = {
	    {RT_SLICE("level"), 0, RT_SARIF_STRING, NULL}};
	static const struct rt_cut cut = RT_SARIF_CUT(members, "reportingConfiguration");
	struct rt_slice level;

	rt_sarif_cut(configuration, NULL, &cut, &level, 1, fault);
	return level;
}

struct rt_slice rt_sarif_guid(struct rt_slice string, char *room)
{
	struct rt_slice inside = rt_sarif_inside(string);
	size_t len;

	if (!inside.ptr || inside.len > RT_SARIF_GUID_MAX)
		return rt_slice_make(NULL, 0);
	len = rt_json_string_decode(inside, room);
	for (size_t i = 0; i < len; i++) {
		if (room[i] >= 'A' && room[i] <= 'Z')
			room[i] = (char)(room[i] | 0x20);
	}
	return rt_slice_make(room, len);
}
