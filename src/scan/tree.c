/*
 * Trees by jansson, in memory of their own.
 *
 * Where its memory ends in the middle of a token, release 2.14 leaves a character out and goes on,
 * or aborts. So while a tree is read jansson takes its memory here, and does not go on: what it has
 * built is one pile that is dropped. It has one set of functions for a whole process, which may use
 * it as well: in any other thread, and at any other time, ours pass on to those that were set
 * before.
 */
#include "scan/tree.h"

#include <jansson.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/json_string.h"
#include "scan/items.h"

#define CHUNK_BYTES ((size_t)16 * 1024 - sizeof(struct rt_tree_chunk))
/* What a text may take: members of an object 20 times their bytes; {}, is three bytes, and 200 in a
 * tree. */
#define ROOM_BYTES(len) ((size_t)64 * 1024 + (size_t)32 * (len))

enum { OUT_OF_MEMORY = 1, OUT_OF_ROOM };

struct rt_tree_chunk {
	struct rt_tree_chunk *next;
	alignas(max_align_t) char bytes[];
};

/* The tree that this thread reads. */
static _Thread_local struct building {
	struct rt_tree *tree;
	size_t room; /* bytes that it may still take */
	jmp_buf failed;
} * building;

static json_malloc_t outer_malloc;
static json_free_t outer_free;

static void *take(size_t size)
{
	struct rt_tree *tree = building ? building->tree : NULL;
	struct rt_tree_chunk *chunk;

	if (!tree)
		return outer_malloc(size);
	size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (size > tree->left) {
		tree->left = size > CHUNK_BYTES ? size : CHUNK_BYTES;
		if (tree->left > building->room)
			longjmp(building->failed, OUT_OF_ROOM);
		building->room -= tree->left;
		chunk = malloc(sizeof(*chunk) + tree->left);
		if (!chunk)
			longjmp(building->failed, OUT_OF_MEMORY);
		chunk->next = tree->chunks;
		tree->chunks = chunk;
	}
	tree->left -= size;
	return tree->chunks->bytes + tree->left;
}

static void drop(void *bytes)
{
	if (!building)
		outer_free(bytes);
}

/* Once in a process. The hashes of names get their seed here: jansson would look for one in a
 * file, which a confined process cannot open, and take the time then. */
static void set_up(void)
{
	size_t seed = 0;

	if (rt_random(&seed, sizeof(seed)))
		json_object_seed(seed);
	json_get_alloc_funcs(&outer_malloc, &outer_free);
	json_set_alloc_funcs(take, drop);
}

void rt_tree_point(struct rt_error *err, struct rt_slice name)
{
	char pointer[3 * sizeof(err->field) + 4];
	size_t len = strlen(err->field);

	memcpy(pointer, err->field, len);
	pointer[len++] = '/';
	for (size_t i = 0; i < name.len && len < sizeof(pointer) - 2; i++) {
		char c = name.ptr[i];

		if (c == '~' || c == '/') {
			pointer[len++] = '~';
			c = c == '~' ? '0' : '1';
		}
		pointer[len++] = c;
	}
	rt_error_text(err->field, sizeof(err->field), rt_slice_make(pointer, len));
}

/* What is wrong with a text that the scanner has found no fault in. */
static const char *words_of(enum json_error_code code)
{
	switch (code) {
	case json_error_duplicate_key:
		return "want every name of an object once, have one twice";
	case json_error_null_byte_in_key:
		return "want names without U+0000, have one with it";
	default: /* json_error_numeric_overflow: to the rest the scanner has looked */
		return "want numbers that 64 bits hold, have one beyond them";
	}
}

/* Say what jansson does not hold, and the member of text that it is in. */
static enum rt_status refuse(struct rt_slice text, const json_error_t *fault, struct rt_error *err)
{
	const char *at = text.ptr + fault->position;
	struct rt_item item = {0};
	struct rt_buf room = {0};
	enum rt_status status = RT_OK;
	struct rt_items items;
	struct rt_slice name;

	(void)rt_error_set(err, RT_E_INPUT, "%s", words_of(json_error_code(fault)));
	rt_items_init(&items, text);
	while (*text.ptr == '{' && rt_items_next(&items, &item) && rt_slice_end(item.value) < at)
		;
	if (item.key.ptr)
		status = rt_json_string_text(item.key, &room, &name, err);
	if (json_error_code(fault) == json_error_duplicate_key && at <= item.value.ptr)
		(void)rt_error_set(err, RT_E_INPUT, "the field is repeated");
	if (item.key.ptr && status == RT_OK)
		rt_tree_point(err, name);
	rt_buf_release(&room);
	return status == RT_OK ? RT_REJECT : status;
}

enum rt_status rt_tree_read(struct rt_tree *tree, struct rt_slice text, struct rt_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct building here = {.tree = tree, .room = ROOM_BYTES(text.len)};
	json_error_t fault;

	(void)pthread_once(&once, set_up);
	rt_tree_release(tree);
	building = &here;
	switch (setjmp(here.failed)) {
	case 0:
		tree->root =
		    json_loadb(text.ptr, text.len,
			       JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &fault);
		building = NULL;
		return tree->root ? RT_OK : refuse(text, &fault, err);
	case OUT_OF_MEMORY:
		building = NULL;
		return rt_error_nomem(err);
	default:
		building = NULL;
		return rt_error_reject(err, RT_E_INPUT, "want fewer values in as many bytes");
	}
}

void rt_tree_release(struct rt_tree *tree)
{
	struct rt_tree_chunk *chunk;

	while ((chunk = tree->chunks)) {
		tree->chunks = chunk->next;
		free(chunk);
	}
	*tree = (struct rt_tree){0};
}
