/*
 * YAML as JSON text: one JSON value and a line feed for each document, made of libyaml's events as
 * it is asked for, with the place of each piece. Keys that are not strings, merge keys, tags
 * beyond the core schema's, numbers that JSON lacks, nesting beyond the limit, and aliases that
 * are cyclic, unknown or expand to too much are errors.
 */
#include "text/yaml.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/marks.h"
#include "text/yaml_scalar.h"
#include "text/yaml_source.h"

/* --- Anchors --------------------------------------------------------------------------------- */

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

static void yaml_anchors_end(struct rt_yaml_anchors *anchors, size_t range);
static enum rt_status yaml_anchors_find(const struct rt_yaml_anchors *anchors,
					const unsigned char *name, struct rt_slice *ret_text,
					struct rt_error *err);

struct anchor_name {
	size_t range;
	char name[];
};

/* What a name costs beside its bytes: the node of the tree, the allocations, the range. */
#define NAME_COST 96u

static int name_compare(const void *a, const void *b)
{
	const struct anchor_name *left = a;
	const struct anchor_name *right = b;

	return strcmp(left->name, right->name);
}

/* max: the most bytes that names and texts may take in a document. */
static void yaml_anchors_init(struct rt_yaml_anchors *anchors, uint64_t max)
{
	*anchors = (struct rt_yaml_anchors){.max = max};
}

static struct rt_yaml_range *anchors_ranges(const struct rt_yaml_anchors *anchors)
{
	return (struct rt_yaml_range *)(void *)anchors->ranges.data;
}

static enum rt_status anchors_use(struct rt_yaml_anchors *anchors, size_t len, struct rt_error *err)
{
	if (len > anchors->max - anchors->used)
		return rt_error_set(err, RT_E_LIMIT,
				    "the anchored nodes of the document exceed %" PRIu64 " byte%s",
				    anchors->max, RT_S(anchors->max));
	anchors->used += len;
	return RT_OK;
}

static struct anchor_name *name_new(const unsigned char *name)
{
	size_t len = strlen((const char *)name);
	struct anchor_name *entry = malloc(sizeof(*entry) + len + 1);

	if (entry)
		memcpy(entry->name, name, len + 1);
	return entry;
}

/* The entry of a name, made if there is none. NULL: no memory. */
static struct anchor_name *anchors_enter(struct rt_yaml_anchors *anchors, const unsigned char *name)
{
	struct anchor_name *made = name_new(name);
	struct anchor_name **found;

	if (!made)
		return NULL;
	found = tsearch(made, &anchors->names, name_compare);
	if (!found || *found != made)
		free(made);
	return found ? *found : NULL;
}

/*
 * Begin the node that carries an anchor (a libyaml string). A name that has been used before now
 * stands for this node (YAML 1.2.2 §7.1).
 * *ret_range: the number of its range, for yaml_anchors_end().
 * Returns RT_OK, or RT_FATAL with err set (RT_E_NOMEM, RT_E_LIMIT).
 */
static enum rt_status yaml_anchors_begin(struct rt_yaml_anchors *anchors, const unsigned char *name,
					 size_t *ret_range, struct rt_error *err)
{
	struct rt_yaml_range range = {anchors->text.len, SIZE_MAX};
	struct anchor_name *entry;
	enum rt_status status;

	status = anchors_use(anchors, strlen((const char *)name) + NAME_COST, err);
	if (status != RT_OK)
		return status;
	status = rt_buf_append(&anchors->ranges, &range, sizeof(range), err);
	if (status != RT_OK)
		return status;
	entry = anchors_enter(anchors, name);
	if (!entry)
		return rt_error_nomem(err);
	entry->range = anchors->count++;
	anchors->open++;
	*ret_range = entry->range;
	return RT_OK;
}

/* Record text of the open nodes. Returns as yaml_anchors_begin(). */
static enum rt_status yaml_anchors_record(struct rt_yaml_anchors *anchors, const char *text,
					  size_t len, struct rt_error *err)
{
	enum rt_status status = anchors_use(anchors, len, err);

	if (status != RT_OK)
		return status;
	return rt_buf_append(&anchors->text, text, len, err);
}

/*
 * Record, for the open nodes, the text that an alias stands for. text: as yaml_anchors_find()
 * gave it; it is the same text afterwards, in its new place. Returns as yaml_anchors_begin().
 */
static enum rt_status yaml_anchors_repeat(struct rt_yaml_anchors *anchors, struct rt_slice *text,
					  struct rt_error *err)
{
	size_t from = (size_t)(text->ptr - anchors->text.data);
	enum rt_status status = anchors_use(anchors, text->len, err);

	if (status == RT_OK)
		status = rt_buf_reserve(&anchors->text, text->len, err);
	if (status != RT_OK)
		return status;
	text->ptr = anchors->text.data + from;
	return rt_buf_append(&anchors->text, text->ptr, text->len, err);
}

/* The node with this range is complete. */
static void yaml_anchors_end(struct rt_yaml_anchors *anchors, size_t range)
{
	anchors_ranges(anchors)[range].to = anchors->text.len;
	anchors->open--;
}

/*
 * The text an alias stands for. *ret_text: borrowed until the next call that takes anchors.
 * Returns RT_OK, or RT_FATAL with err set: RT_E_INPUT for a name without an anchor, or one whose
 * node contains the alias.
 */
static enum rt_status yaml_anchors_find(const struct rt_yaml_anchors *anchors,
					const unsigned char *name, struct rt_slice *ret_text,
					struct rt_error *err)
{
	struct anchor_name *key = name_new(name);
	struct anchor_name **found;
	struct rt_yaml_range range;

	if (!key)
		return rt_error_nomem(err);
	found = tfind(key, &anchors->names, name_compare);
	free(key);
	if (!found)
		return rt_error_set(err, RT_E_INPUT, "the alias *%s has no anchor before it",
				    (const char *)name);
	range = anchors_ranges(anchors)[(*found)->range];
	if (range.to == SIZE_MAX)
		return rt_error_set(err, RT_E_INPUT, "the alias *%s is inside its own node",
				    (const char *)name);
	*ret_text = rt_slice_make(anchors->text.data + range.from, range.to - range.from);
	return RT_OK;
}

/* Forget all anchors: they hold in one document only. Memory is kept for the next. */
static void yaml_anchors_clear(struct rt_yaml_anchors *anchors)
{
	tdestroy(anchors->names, free);
	anchors->names = NULL;
	anchors->text.len = 0;
	anchors->ranges.len = 0;
	anchors->count = 0;
	anchors->open = 0;
	anchors->used = 0;
}

static void yaml_anchors_release(struct rt_yaml_anchors *anchors)
{
	yaml_anchors_clear(anchors);
	rt_buf_release(&anchors->text);
	rt_buf_release(&anchors->ranges);
}

/* --- Yaml ------------------------------------------------------------------------------------ */

/* JSON text made ahead of what is asked for, where there is as much. */
#define YAML_OUT_BYTES ((size_t)64 * 1024)

/* A record may lie in an array in an object; its own nesting is the scanner's to check. */
#define YAML_OUTER_LEVELS 2u

#define NO_RANGE SIZE_MAX
#define TAG_PREFIX "tag:yaml.org,2002:"

/* What comes next in an open collection. */
enum level_state { ITEM_FIRST, ITEM, KEY_FIRST, KEY, VALUE };

struct yaml_level {
	enum level_state state;
	unsigned char
	    key_len; /* of the member that is open; 0 where it is longer than any wanted */
	char key[RT_WANT_NAME_MAX];
	size_t range; /* of the collection's anchor, or NO_RANGE */
};

/*
 * A number whose text may be wanted (SPEC D18) is both in the text of anchors, as what an alias
 * stands for is made where it stands. No JSON text has these bytes.
 */
#define BOTH_NUMBER '\x01'
#define BOTH_STRING '\x02'
#define BOTH_END '\x03'

struct rt_yaml {
	struct rt_yaml_source source;
	const struct rt_limits *limits;
	struct rt_text_hints hints;
	struct rt_marks marks;
	struct rt_yaml_anchors anchors;
	struct rt_buf out;  /* JSON text that has not been read, after some that has */
	size_t out_at;      /* read bytes of out */
	size_t recorded;    /* bytes of out that open anchors have, while there are any */
	struct rt_buf both; /* a number, twice */
	uint64_t out_base;  /* JSON offset of out's first byte */
	uint64_t expanded;  /* bytes of alias text in this record */
	bool documents;     /* there has been one */
	enum rt_status status;
	struct rt_error err; /* counts with a negative status */
	size_t depth;        /* collections that are open */
	size_t depth_max;
	struct yaml_level levels[];
};

/* Give err a place. Returns RT_REJECT for bad input and limits, RT_FATAL for the rest. */
static enum rt_status yaml_reject(struct rt_yaml *yaml, struct rt_error *err)
{
	if (err->code != RT_E_INPUT && err->code != RT_E_LIMIT)
		return RT_FATAL;
	return rt_yaml_source_reject(&yaml->source, err);
}

/* Give the open anchors what has been written since the last time. */
static enum rt_status yaml_record(struct rt_yaml *yaml)
{
	size_t from = yaml->recorded;

	yaml->recorded = yaml->out.len;
	if (yaml->anchors.open == 0)
		return RT_OK;
	if (yaml_anchors_record(&yaml->anchors, yaml->out.data + from, yaml->out.len - from,
				&yaml->err) != RT_OK)
		return yaml_reject(yaml, &yaml->err);
	return RT_OK;
}

/* Write a byte; the room has been made. */
static void put(struct rt_yaml *yaml, char c)
{
	yaml->out.data[yaml->out.len++] = c;
}

/* Write the comma or colon before a node. Returns whether the node is a key. */
static bool node_separate(struct rt_yaml *yaml)
{
	struct yaml_level *level;

	if (yaml->depth == 0)
		return false;
	level = &yaml->levels[yaml->depth - 1];
	switch (level->state) {
	case ITEM_FIRST:
		level->state = ITEM;
		return false;
	case ITEM:
		put(yaml, ',');
		return false;
	case VALUE:
		put(yaml, ':');
		level->state = KEY;
		return false;
	case KEY:
		put(yaml, ',');
		break;
	case KEY_FIRST:
		break;
	}
	level->state = VALUE;
	return true;
}

/*
 * Whether the node that comes next is a record, or holds records: a document, a member of its
 * mapping, an item of its sequence or of a sequence in its mapping.
 */
static bool starts_record(const struct rt_yaml *yaml)
{
	return yaml->depth <= 1 || (yaml->depth == 2 && yaml->levels[1].state <= ITEM);
}

/* What is written next comes from the place of the last event. */
static enum rt_status add_mark(struct rt_yaml *yaml, uint64_t at)
{
	if (yaml->hints.mark)
		return yaml->hints.mark(yaml->hints.mark_ctx, at, yaml->source.place, &yaml->err);
	return rt_marks_add(&yaml->marks, at, yaml->source.place, &yaml->err);
}

/*
 * What all nodes begin with. anchor: its name, or NULL.
 * *ret_key: the node is a key. *ret_range: of its anchor, or NO_RANGE.
 */
static enum rt_status node_begin(struct rt_yaml *yaml, const yaml_char_t *anchor, bool *ret_key,
				 size_t *ret_range)
{
	enum rt_status status;

	if (rt_buf_reserve(&yaml->out, 8, &yaml->err) != RT_OK)
		return RT_FATAL;
	if (starts_record(yaml))
		yaml->expanded = 0;
	*ret_key = node_separate(yaml);
	*ret_range = NO_RANGE;
	if (add_mark(yaml, yaml->out_base + yaml->out.len) != RT_OK)
		return RT_FATAL;
	if (!anchor)
		return RT_OK;
	status = yaml_record(yaml);
	if (status != RT_OK)
		return status;
	if (yaml_anchors_begin(&yaml->anchors, anchor, ret_range, &yaml->err) != RT_OK)
		return yaml_reject(yaml, &yaml->err);
	return RT_OK;
}

static enum rt_status node_end(struct rt_yaml *yaml, size_t range)
{
	enum rt_status status;

	if (range == NO_RANGE)
		return RT_OK;
	status = yaml_record(yaml);
	if (status == RT_OK)
		yaml_anchors_end(&yaml->anchors, range);
	return status;
}

static enum rt_status key_reject(struct rt_yaml *yaml, const char *have)
{
	rt_error_set(&yaml->err, RT_E_INPUT, "want a mapping key that is a string, have %s", have);
	return yaml_reject(yaml, &yaml->err);
}

static enum rt_status tag_reject(struct rt_yaml *yaml, const char *tag, const char *have)
{
	if (have)
		rt_error_set(&yaml->err, RT_E_INPUT, "want what the tag !!%s says, have %s", tag,
			     have);
	else
		rt_error_set(&yaml->err, RT_E_INPUT,
			     "only tags of the core schema are read, not %s", tag);
	return yaml_reject(yaml, &yaml->err);
}

/* The part of a tag after the core schema's prefix; NULL if it is another tag. */
static const char *tag_suffix(const yaml_char_t *tag)
{
	const char *text = (const char *)tag;

	if (strncmp(text, TAG_PREFIX, strlen(TAG_PREFIX)) != 0)
		return NULL;
	return text + strlen(TAG_PREFIX);
}

/* Whether a scalar with this text's type may have the tag !!name; *ret_known: there is the tag. */
static bool tag_fits(const char *name, enum rt_yaml_type type, bool *ret_known)
{
	*ret_known = true;
	if (strcmp(name, "null") == 0)
		return type == YAML_TYPE_NULL;
	if (strcmp(name, "bool") == 0)
		return type == YAML_TYPE_BOOL;
	if (strcmp(name, "int") == 0)
		return type == YAML_TYPE_INT || type == YAML_TYPE_OCTAL || type == YAML_TYPE_HEX;
	if (strcmp(name, "float") == 0)
		return type == YAML_TYPE_INT || type == YAML_TYPE_FLOAT ||
		       type == YAML_TYPE_NONFINITE;
	*ret_known = strcmp(name, "seq") == 0 || strcmp(name, "map") == 0;
	return false;
}

/* The type of a scalar that has a tag. */
static enum rt_status tagged_type(struct rt_yaml *yaml, const yaml_char_t *tag,
				  struct rt_slice text, enum rt_yaml_type *ret_type)
{
	const char *name = tag_suffix(tag);
	enum rt_yaml_type type;
	bool known;

	/* "!" says: not by the text (YAML 1.2.2 §6.9.1). */
	if (strcmp((const char *)tag, "!") == 0 || (name && strcmp(name, "str") == 0)) {
		*ret_type = YAML_TYPE_STRING;
		return RT_OK;
	}
	type = rt_yaml_scalar_type(text);
	if (!name)
		return tag_reject(yaml, (const char *)tag, NULL);
	if (!tag_fits(name, type, &known))
		return tag_reject(yaml, known ? name : (const char *)tag,
				  known ? rt_yaml_type_name(type) : NULL);
	if (type == YAML_TYPE_INT && strcmp(name, "float") == 0)
		type = YAML_TYPE_FLOAT;
	*ret_type = type;
	return RT_OK;
}

/* The type of a scalar, whatever it has of tag and quotes; keys are held to strings. */
static enum rt_status scalar_type(struct rt_yaml *yaml, const yaml_event_t *event, bool key,
				  enum rt_yaml_type *ret_type)
{
	const yaml_char_t *tag = event->data.scalar.tag;
	struct rt_slice text =
	    rt_slice_make((const char *)event->data.scalar.value, event->data.scalar.length);
	enum rt_status status;

	*ret_type = YAML_TYPE_STRING;
	if (tag) {
		status = tagged_type(yaml, tag, text, ret_type);
		if (status != RT_OK)
			return status;
	} else if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
		*ret_type = rt_yaml_scalar_type(text);
		if (key && rt_slice_equal(text, RT_SLICE("<<")))
			return key_reject(yaml, "the merge key <<");
	}
	if (key && *ret_type != YAML_TYPE_STRING)
		return key_reject(yaml, rt_yaml_type_name(*ret_type));
	return RT_OK;
}

static enum rt_status put_word(struct rt_yaml *yaml, struct rt_slice word)
{
	return rt_buf_append(&yaml->out, word.ptr, word.len, &yaml->err);
}

/* Keep the key that is being written, for its value. */
static void keep_key(struct yaml_level *level, struct rt_slice key)
{
	level->key_len = key.len <= sizeof(level->key) ? (unsigned char)key.len : 0;
	memcpy(level->key, key.ptr, level->key_len);
}

static bool is_sequence(const struct yaml_level *level)
{
	return level->state <= ITEM;
}

static struct rt_slice level_key(const struct yaml_level *level)
{
	return rt_slice_make(level->key, level->key_len);
}

/* Whether the scalar that has been begun, a value or an item, has to be a string. */
static bool wants_string(const struct rt_yaml *yaml)
{
	const struct yaml_level *levels = yaml->levels;
	enum rt_text_want want = RT_WANT_STRING;
	struct rt_slice list = {NULL, 0};
	size_t depth = yaml->depth;

	if (depth > 1 && is_sequence(&levels[depth - 1])) {
		want = RT_WANT_STRINGS;
		depth--;
	}
	/* Now levels[depth - 1] is to be the record. */
	if (!yaml->hints.want || depth == 0 || depth > 3 || is_sequence(&levels[depth - 1]))
		return false;
	if (depth > 1 && !is_sequence(&levels[depth - 2]))
		return false;
	if (depth == 3 && is_sequence(&levels[0]))
		return false;
	if (depth == 3)
		list = level_key(&levels[0]);
	return yaml->hints.want(list, level_key(&levels[depth - 1])) == want;
}

/* A float whose text may be an integer's, under !!float: it stays a float. */
static enum rt_status put_float(struct rt_yaml *yaml, struct rt_slice text)
{
	enum rt_status status =
	    rt_yaml_append_number(&yaml->out, YAML_TYPE_FLOAT, text, &yaml->err);

	if (status != RT_OK || memchr(text.ptr, '.', text.len) || memchr(text.ptr, 'e', text.len) ||
	    memchr(text.ptr, 'E', text.len))
		return status;
	return put_word(yaml, RT_SLICE(".0"));
}

static enum rt_status put_scalar(struct rt_yaml *yaml, enum rt_yaml_type type, struct rt_slice text)
{
	switch (type) {
	case YAML_TYPE_STRING:
		return rt_yaml_append_string(&yaml->out, text, &yaml->err);
	case YAML_TYPE_NULL:
		return put_word(yaml, RT_SLICE("null"));
	case YAML_TYPE_BOOL:
		return put_word(yaml, text.len == 4 ? RT_SLICE("true") : RT_SLICE("false"));
	case YAML_TYPE_INT:
	case YAML_TYPE_OCTAL:
	case YAML_TYPE_HEX:
		return rt_yaml_append_number(&yaml->out, type, text, &yaml->err);
	case YAML_TYPE_FLOAT:
		return put_float(yaml, text);
	case YAML_TYPE_NONFINITE:
		break;
	}
	return rt_error_set(&yaml->err, RT_E_INPUT, "want a finite number, have %.*s",
			    (int)text.len, text.ptr);
}

/* Record a number for the open anchors, as a number and as a string. */
static enum rt_status record_both(struct rt_yaml *yaml, enum rt_yaml_type type,
				  struct rt_slice text)
{
	struct rt_buf *both = &yaml->both;
	struct rt_error none;
	enum rt_status status;

	both->len = 0;
	status = rt_buf_append(both, (char[]){BOTH_NUMBER}, 1, &yaml->err);
	/* One that does not fit its type can still be a string. */
	if (status == RT_OK && rt_yaml_append_number(both, type, text, &none) != RT_OK)
		status = none.code == RT_E_INPUT ? RT_OK : rt_error_nomem(&yaml->err);
	if (status == RT_OK)
		status = rt_buf_append(both, (char[]){BOTH_STRING}, 1, &yaml->err);
	if (status == RT_OK)
		status = rt_yaml_append_string(both, text, &yaml->err);
	if (status == RT_OK)
		status = rt_buf_append(both, (char[]){BOTH_END}, 1, &yaml->err);
	if (status == RT_OK)
		status = yaml_anchors_record(&yaml->anchors, both->data, both->len, &yaml->err);
	yaml->recorded = yaml->out.len;
	return status;
}

/* A plain scalar without a tag that is a number, or that text where a string is wanted. */
static enum rt_status put_plain_number(struct rt_yaml *yaml, enum rt_yaml_type type,
				       struct rt_slice text)
{
	enum rt_status status = RT_OK;

	if (yaml->hints.want && yaml->anchors.open)
		status = yaml_record(yaml);
	if (status == RT_OK)
		status = put_scalar(yaml, wants_string(yaml) ? YAML_TYPE_STRING : type, text);
	if (status == RT_OK && yaml->hints.want && yaml->anchors.open)
		status = record_both(yaml, type, text);
	return status;
}

static enum rt_status yaml_scalar(struct rt_yaml *yaml, const yaml_event_t *event)
{
	struct rt_slice text =
	    rt_slice_make((const char *)event->data.scalar.value, event->data.scalar.length);
	enum rt_yaml_type type;
	enum rt_status status;
	size_t range;
	bool key;

	status = node_begin(yaml, event->data.scalar.anchor, &key, &range);
	if (status == RT_OK)
		status = scalar_type(yaml, event, key, &type);
	if (status != RT_OK)
		return status;
	if (key)
		keep_key(&yaml->levels[yaml->depth - 1], text);
	if (!event->data.scalar.tag && rt_yaml_type_is_number(type))
		status = put_plain_number(yaml, type, text);
	else
		status = put_scalar(yaml, type, text);
	if (status != RT_OK)
		return yaml_reject(yaml, &yaml->err);
	return node_end(yaml, range);
}

static enum rt_status collection_tag(struct rt_yaml *yaml, const yaml_char_t *tag, bool mapping)
{
	const char *name = tag ? tag_suffix(tag) : NULL;
	bool known;

	if (!tag || strcmp((const char *)tag, "!") == 0)
		return RT_OK;
	if (!name)
		return tag_reject(yaml, (const char *)tag, NULL);
	if (strcmp(name, mapping ? "map" : "seq") == 0)
		return RT_OK;
	(void)tag_fits(name, YAML_TYPE_STRING, &known);
	if (!known && strcmp(name, "str") != 0)
		return tag_reject(yaml, (const char *)tag, NULL);
	return tag_reject(yaml, name, mapping ? "a mapping" : "a sequence");
}

static void level_push(struct rt_yaml *yaml, bool mapping, size_t range)
{
	struct yaml_level *level = &yaml->levels[yaml->depth++];

	level->state = mapping ? KEY_FIRST : ITEM_FIRST;
	level->range = range;
	level->key_len = 0;
}

static enum rt_status depth_reject(struct rt_yaml *yaml)
{
	rt_error_set(&yaml->err, RT_E_LIMIT, "nesting exceeds %" PRIu64 " level%s",
		     yaml->limits->depth, RT_S(yaml->limits->depth));
	return yaml_reject(yaml, &yaml->err);
}

static enum rt_status collection_begin(struct rt_yaml *yaml, const yaml_char_t *anchor,
				       const yaml_char_t *tag, bool mapping)
{
	enum rt_status status;
	size_t range;
	bool key;

	status = node_begin(yaml, anchor, &key, &range);
	if (status == RT_OK)
		status = collection_tag(yaml, tag, mapping);
	if (status != RT_OK)
		return status;
	if (key)
		return key_reject(yaml, mapping ? "a mapping" : "a sequence");
	if (yaml->depth == yaml->depth_max)
		return depth_reject(yaml);
	put(yaml, mapping ? '{' : '[');
	level_push(yaml, mapping, range);
	return RT_OK;
}

static enum rt_status collection_end(struct rt_yaml *yaml, bool mapping)
{
	if (rt_buf_reserve(&yaml->out, 1, &yaml->err) != RT_OK)
		return RT_FATAL;
	put(yaml, mapping ? '}' : ']');
	yaml->depth--;
	return node_end(yaml, yaml->levels[yaml->depth].range);
}

/* Count alias text. The total is bounded as well, since each record may expand anew. */
static enum rt_status alias_count(struct rt_yaml *yaml, size_t len)
{
	uint64_t max = yaml->limits->alias_bytes;

	if (len > max - yaml->expanded) {
		rt_error_set(&yaml->err, RT_E_LIMIT,
			     "aliases in the record expand to more than %" PRIu64 " byte%s", max,
			     RT_S(max));
		return yaml_reject(yaml, &yaml->err);
	}
	yaml->expanded += len;
	max = yaml->limits->expanded_bytes;
	if (yaml->out_base + yaml->out.len + len > max) {
		rt_error_set(&yaml->err, RT_E_LIMIT,
			     "want at most %" PRIu64 " byte%s of expanded input, have more", max,
			     RT_S(max));
		return yaml_reject(yaml, &yaml->err);
	}
	return RT_OK;
}

/* The length of alias text with its numbers as strings. */
static size_t alias_length(struct rt_slice text)
{
	const char *at = text.ptr, *end = rt_slice_end(text), *string;
	size_t len = text.len;

	while ((at = memchr(at, BOTH_NUMBER, (size_t)(end - at))) != NULL) {
		string = memchr(at, BOTH_STRING, (size_t)(end - at));
		/* The number and three marks. */
		len -= (size_t)(string - at) + 2;
		at = string;
	}
	return len;
}

/* The length of the string in quotes at the start of text. */
static size_t string_length(struct rt_slice text)
{
	size_t at = 1;

	while (at < text.len && text.ptr[at] != '"')
		at += text.ptr[at] == '\\' ? 2 : 1;
	return at < text.len ? at + 1 : text.len;
}

/* Write the number or the string of what stands both ways at the start of text. */
static enum rt_status expand_both(struct rt_yaml *yaml, struct rt_slice text, size_t *ret_len)
{
	const char *string = memchr(text.ptr, BOTH_STRING, text.len);
	const char *end = memchr(text.ptr, BOTH_END, text.len);
	struct rt_slice number = rt_slice_make(text.ptr + 1, (size_t)(string - text.ptr - 1));

	*ret_len = (size_t)(end - text.ptr) + 1;
	string++;
	if (wants_string(yaml))
		return put_word(yaml, rt_slice_make(string, (size_t)(end - string)));
	if (number.len > 0)
		return put_word(yaml, number);
	rt_error_set(&yaml->err, RT_E_INPUT, "want an integer that fits 64 bits, have %.*s",
		     (int)(end - string - 2), string + 1);
	return yaml_reject(yaml, &yaml->err);
}

/* Go over one token of alias text, and write it. base: collections open around the alias. */
static enum rt_status expand_token(struct rt_yaml *yaml, struct rt_slice text, size_t base,
				   size_t *ret_len)
{
	struct yaml_level *level = yaml->depth > base ? &yaml->levels[yaml->depth - 1] : NULL;
	bool open = text.ptr[0] == '{' || text.ptr[0] == '[';
	bool key = level && (level->state == KEY_FIRST || level->state == KEY);

	*ret_len = text.ptr[0] == '"' ? string_length(text) : 1;
	if (text.ptr[0] == '}' || text.ptr[0] == ']') {
		yaml->depth--;
	} else if (text.ptr[0] == '"' && key) {
		keep_key(level, rt_slice_make(text.ptr + 1, *ret_len - 2));
		level->state = VALUE;
	} else if (level && level->state == VALUE && text.ptr[0] != ':') {
		level->state = KEY;
	}
	if (text.ptr[0] == BOTH_NUMBER)
		return expand_both(yaml, text, ret_len);
	if (open && yaml->depth == yaml->depth_max)
		return depth_reject(yaml);
	if (open)
		level_push(yaml, text.ptr[0] == '{', NO_RANGE);
	return put_word(yaml, rt_slice_make(text.ptr, *ret_len));
}

/* Write alias text, its numbers as they are wanted here. What came before it has been recorded. */
static enum rt_status expand(struct rt_yaml *yaml, struct rt_slice text)
{
	size_t base = yaml->depth, len;
	enum rt_status status = RT_OK;

	if (!memchr(text.ptr, BOTH_NUMBER, text.len))
		return put_word(yaml, text);
	if (yaml->anchors.open)
		status = yaml_anchors_repeat(&yaml->anchors, &text, &yaml->err);
	for (; status == RT_OK && text.len > 0; text.ptr += len, text.len -= len)
		status = expand_token(yaml, text, base, &len);
	yaml->recorded = yaml->out.len;
	return status;
}

static enum rt_status yaml_alias(struct rt_yaml *yaml, const yaml_char_t *name)
{
	enum rt_status status;
	struct rt_slice text = RT_SLICE("");
	size_t range;
	bool key;

	status = node_begin(yaml, NULL, &key, &range);
	if (status != RT_OK)
		return status;
	/* What is recorded may move the text that is found, so that comes first. */
	if (yaml->anchors.open && yaml_record(yaml) != RT_OK)
		return yaml_reject(yaml, &yaml->err);
	if (yaml_anchors_find(&yaml->anchors, name, &text, &yaml->err) != RT_OK)
		return yaml_reject(yaml, &yaml->err);
	if (key && text.ptr[0] != '"')
		return key_reject(yaml, "an alias of something else");
	if (key)
		keep_key(&yaml->levels[yaml->depth - 1], rt_slice_make(text.ptr + 1, text.len - 2));
	status = alias_count(yaml, alias_length(text));
	if (status == RT_OK && expand(yaml, text) != RT_OK)
		status = yaml_reject(yaml, &yaml->err);
	return status;
}

static enum rt_status document_end(struct rt_yaml *yaml)
{
	yaml_anchors_clear(&yaml->anchors);
	return put_word(yaml, RT_SLICE("\n"));
}

static enum rt_status stream_end(struct rt_yaml *yaml)
{
	if (yaml->documents)
		return RT_END;
	rt_error_set(&yaml->err, RT_E_INPUT, "the document has only blanks and comments");
	return yaml_reject(yaml, &yaml->err);
}

static enum rt_status yaml_handle(struct rt_yaml *yaml, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return yaml_scalar(yaml, event);
	case YAML_MAPPING_START_EVENT:
		return collection_begin(yaml, event->data.mapping_start.anchor,
					event->data.mapping_start.tag, true);
	case YAML_SEQUENCE_START_EVENT:
		return collection_begin(yaml, event->data.sequence_start.anchor,
					event->data.sequence_start.tag, false);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		return collection_end(yaml, event->type == YAML_MAPPING_END_EVENT);
	case YAML_ALIAS_EVENT:
		return yaml_alias(yaml, event->data.alias.anchor);
	case YAML_DOCUMENT_START_EVENT:
		yaml->documents = true;
		return RT_OK;
	case YAML_DOCUMENT_END_EVENT:
		return document_end(yaml);
	case YAML_STREAM_END_EVENT:
		return stream_end(yaml);
	default:
		return RT_OK;
	}
}

/* Handle one event. */
static void yaml_step(struct rt_yaml *yaml)
{
	yaml_event_t event;

	yaml->status = rt_yaml_source_next(&yaml->source, &event, &yaml->err);
	if (yaml->status != RT_OK)
		return;
	yaml->status = yaml_handle(yaml, &event);
	yaml_event_delete(&event);
}

enum rt_status rt_yaml_open(struct rt_pull pull, uint64_t start, const struct rt_text_hints *hints,
			    const struct rt_limits *limits, struct rt_yaml **ret_yaml,
			    struct rt_error *err)
{
	uint64_t depth = limits->depth < RT_LIMIT_DEPTH_MAX ? limits->depth : RT_LIMIT_DEPTH_MAX;
	size_t levels = (size_t)depth + YAML_OUTER_LEVELS;
	struct rt_yaml *yaml = calloc(1, sizeof(*yaml) + levels * sizeof(yaml->levels[0]));

	if (!yaml)
		return rt_error_nomem(err);
	yaml->limits = limits;
	yaml->hints = *hints;
	yaml->depth_max = levels;
	yaml_anchors_init(&yaml->anchors, limits->alias_bytes);
	yaml->status = rt_yaml_source_init(&yaml->source, pull, start, limits, &yaml->err);
	while (yaml->status == RT_OK && !yaml->documents)
		yaml_step(yaml);
	if (yaml->status != RT_OK) {
		enum rt_status status = yaml->status;

		*err = yaml->err;
		rt_yaml_free(yaml);
		return status;
	}
	*ret_yaml = yaml;
	return RT_OK;
}

/* Make the next text, after all of it has been read. */
static void yaml_fill(struct rt_yaml *yaml)
{
	enum rt_status status;

	yaml->out_base += yaml->out.len;
	yaml->out.len = 0;
	yaml->out_at = 0;
	yaml->recorded = 0;
	while (yaml->status == RT_OK && yaml->out.len < YAML_OUT_BYTES)
		yaml_step(yaml);
	if (yaml->status != RT_OK)
		return;
	status = yaml_record(yaml);
	if (status != RT_OK)
		yaml->status = status;
}

enum rt_status rt_yaml_read(struct rt_yaml *yaml, void *buf, size_t cap, size_t *ret_len,
			    struct rt_error *err)
{
	size_t len;

	while (yaml->out_at == yaml->out.len) {
		if (yaml->status == RT_END)
			return RT_END;
		if (yaml->status != RT_OK) {
			*err = yaml->err;
			return yaml->status;
		}
		yaml_fill(yaml);
	}
	len = yaml->out.len - yaml->out_at;
	if (len > cap)
		len = cap;
	memcpy(buf, yaml->out.data + yaml->out_at, len);
	yaml->out_at += len;
	*ret_len = len;
	return RT_OK;
}

struct rt_place rt_yaml_place(const struct rt_yaml *yaml, uint64_t at)
{
	return rt_marks_find(&yaml->marks, at);
}

void rt_yaml_forget(struct rt_yaml *yaml, uint64_t at)
{
	rt_marks_forget(&yaml->marks, at);
}

void rt_yaml_free(struct rt_yaml *yaml)
{
	if (!yaml)
		return;
	rt_yaml_source_release(&yaml->source);
	rt_marks_release(&yaml->marks);
	yaml_anchors_release(&yaml->anchors);
	rt_buf_release(&yaml->out);
	rt_buf_release(&yaml->both);
	free(yaml);
}
