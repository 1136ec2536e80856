/*
 * A small JSON document as a tree, by jansson. The scanner has checked it before: how deep it is,
 * its encoding, and that no byte of it is zero are things that jansson would get wrong.
 *
 * Numbers lose their text in a tree, and what jansson writes is not spelled as ours: a tree is for
 * texts, flags and what is made of them.
 */
#ifndef RT_SCAN_TREE_H
#define RT_SCAN_TREE_H

#include "base/error.h"

struct json_t;
struct rt_tree_chunk;

/* {0} is no tree. It takes at most 64 KiB and 32 times the bytes of its text. */
struct rt_tree {
	struct json_t *root; /* NULL: no tree. json_decref() is not for it */
	struct rt_tree_chunk *chunks;
	size_t left; /* bytes of the first chunk */
};

/*
 * Read a text into tree, whatever that was before; rt_tree_release() in any case.
 *
 * text: one value that the scanner has found no fault in. Not borrowed.
 * Returns RT_OK; RT_REJECT with err set, but for its place, where an object has a name twice, or
 * where there is what jansson cannot hold, a number beyond 64 bits or U+0000 in a name: err->field
 * is the JSON pointer of the member of the outermost object; or where there is little but thousands
 * of tiny values. RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_tree_read(struct rt_tree *tree, struct rt_slice text, struct rt_error *err);

/* Append "/name" to err's JSON pointer (RFC 6901 §3), as much of it as fits. */
void rt_tree_point(struct rt_error *err, struct rt_slice name);

void rt_tree_release(struct rt_tree *tree);

#endif
