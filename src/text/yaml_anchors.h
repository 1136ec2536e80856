/*
 * The anchors of one YAML document and the JSON text of their nodes, so that an alias can be
 * written as what it stands for. Included by yaml*.c only.
 */
#ifndef RT_TEXT_YAML_ANCHORS_H
#define RT_TEXT_YAML_ANCHORS_H

#include "base/buf.h"
#include "base/error.h"

/* Where the text of an anchored node stands. */
struct rt_yaml_range {
	size_t from;
	size_t to; /* SIZE_MAX: the node is not complete */
};

struct rt_yaml_anchors {
	void *names;          /* a tree of tsearch() */
	struct rt_buf text;   /* of all nodes; that of an inner node is part of its outer one's */
	struct rt_buf ranges; /* of struct rt_yaml_range, in order of their anchors */
	size_t count;         /* ranges */
	size_t open;          /* nodes that are not complete: text is to be recorded while > 0 */
	uint64_t used;        /* bytes held for this document */
	uint64_t max;         /* and how many may be */
};

/* max: the most bytes that names and texts may take in a document. */
void rt_yaml_anchors_init(struct rt_yaml_anchors *anchors, uint64_t max);

/*
 * Begin the node that carries an anchor (a libyaml string). A name that has been used before now
 * stands for this node (YAML 1.2.2 §7.1).
 * *ret_range: the number of its range, for rt_yaml_anchors_end().
 * Returns RT_OK, or RT_FATAL with err set (RT_E_NOMEM, RT_E_LIMIT).
 */
enum rt_status rt_yaml_anchors_begin(struct rt_yaml_anchors *anchors, const unsigned char *name,
				     size_t *ret_range, struct rt_error *err);

/* Record text of the open nodes. Returns as rt_yaml_anchors_begin(). */
enum rt_status rt_yaml_anchors_record(struct rt_yaml_anchors *anchors, const char *text, size_t len,
				      struct rt_error *err);

/*
 * Record, for the open nodes, the text that an alias stands for. text: as rt_yaml_anchors_find()
 * gave it; it is the same text afterwards, in its new place. Returns as rt_yaml_anchors_begin().
 */
enum rt_status rt_yaml_anchors_repeat(struct rt_yaml_anchors *anchors, struct rt_slice *text,
				      struct rt_error *err);

/* The node with this range is complete. */
void rt_yaml_anchors_end(struct rt_yaml_anchors *anchors, size_t range);

/*
 * The text an alias stands for. *ret_text: borrowed until the next call that takes anchors.
 * Returns RT_OK, or RT_FATAL with err set: RT_E_INPUT for a name without an anchor, or one whose
 * node contains the alias.
 */
enum rt_status rt_yaml_anchors_find(const struct rt_yaml_anchors *anchors,
				    const unsigned char *name, struct rt_slice *ret_text,
				    struct rt_error *err);

/* Forget all anchors: they hold in one document only. Memory is kept for the next. */
void rt_yaml_anchors_clear(struct rt_yaml_anchors *anchors);

void rt_yaml_anchors_release(struct rt_yaml_anchors *anchors);

#endif
