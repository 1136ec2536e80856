/*
 * YAML as JSON text: one JSON value and a line feed for each document, made of libyaml's events as
 * it is asked for, with the place of each piece. Keys that are not strings, merge keys, tags
 * beyond the core schema's, numbers that JSON lacks, nesting beyond the limit, and aliases that
 * are cyclic, unknown or expand to too much are errors.
 */
#include "formats/yaml.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_string.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/marks.h"
#include "formats/yaml_scalar.h"
#include "formats/yaml_source.h"

/* --- Anchors --------------------------------------------------------------------------------- */

/* Where the events of an anchored node stand. */
struct rt_yaml_range {
	size_t from;
	size_t to;       /* SIZE_MAX: the node is not complete */
	uint64_t text;   /* bytes of JSON that they stand for */
	uint64_t record; /* where the record that it is in begins in the source; NO_RECORD: in none,
			  * or its use outside of that has been told */
};

struct rt_yaml_anchors {
	struct rt_map names; /* to ranges, from 1 */
	struct rt_siphash_key key;
	struct rt_buf events; /* of all nodes; those of an inner node are part of its outer one's */
	struct rt_buf ranges; /* of struct rt_yaml_range, in order of their anchors */
	size_t count;         /* ranges */
	size_t open;          /* nodes that are not complete: events are kept while > 0 */
	uint64_t text;        /* bytes of JSON that events stand for */
	uint64_t used;        /* these, and what names take */
	uint64_t max;         /* and how many may be */
};

/* A scalar is kept as this and its text, the beginning or end of a collection as its bracket. An
 * alias is kept as what it stands for. */
struct kept_scalar {
	char mark; /* KEPT_SCALAR */
	uint8_t type;
	bool bare; /* a plain one without a tag: a number is its text where a string is wanted */
	uint32_t len;
};
#define KEPT_SCALAR '"'

/* What a name costs beside its bytes: its slot, the range. */
#define NAME_COST 96u

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

static struct rt_hash128 name_hash(const struct rt_yaml_anchors *anchors, const unsigned char *name)
{
	const char *text = (const char *)name;

	return rt_siphash(&anchors->key, rt_slice_make(text, strlen(text)));
}

/*
 * Begin the node that carries an anchor (a libyaml string). A name that has been used before now
 * stands for this node (YAML 1.2.2 §7.1). record: that it is in, as struct rt_yaml_range has it.
 * *ret_range: the number of its range, for yaml_anchors_end().
 * Returns RT_OK, or RT_FATAL with err set (RT_E_NOMEM, RT_E_LIMIT).
 */
static enum rt_status yaml_anchors_begin(struct rt_yaml_anchors *anchors, const unsigned char *name,
					 uint64_t record, size_t *ret_range, struct rt_error *err)
{
	struct rt_yaml_range range = {anchors->events.len, SIZE_MAX, anchors->text, record};
	uint32_t *number;
	enum rt_status status;

	status = anchors_use(anchors, strlen((const char *)name) + NAME_COST, err);
	if (status != RT_OK)
		return status;
	status = rt_buf_append(&anchors->ranges, &range, sizeof(range), err);
	if (status != RT_OK)
		return status;
	number = rt_map_put(&anchors->names, name_hash(anchors, name), err);
	if (!number)
		return RT_FATAL;
	*ret_range = anchors->count++;
	*number = (uint32_t)anchors->count;
	anchors->open++;
	return RT_OK;
}

/* Count JSON text of the open nodes. Returns as yaml_anchors_begin(). */
static enum rt_status yaml_anchors_count(struct rt_yaml_anchors *anchors, size_t len,
					 struct rt_error *err)
{
	anchors->text += len;
	return anchors_use(anchors, len, err);
}

/* The node with this range is complete. */
static void yaml_anchors_end(struct rt_yaml_anchors *anchors, size_t range)
{
	struct rt_yaml_range *ended = &anchors_ranges(anchors)[range];

	ended->to = anchors->events.len;
	ended->text = anchors->text - ended->text;
	anchors->open--;
}

/*
 * What an alias stands for: *ret_range is good until the next anchor. Returns RT_OK, or RT_FATAL
 * with err set: RT_E_INPUT for a name without an anchor, or one whose node contains the alias.
 */
static enum rt_status yaml_anchors_find(const struct rt_yaml_anchors *anchors,
					const unsigned char *name, struct rt_yaml_range **ret_range,
					struct rt_error *err)
{
	uint32_t number = rt_map_get(&anchors->names, name_hash(anchors, name));

	if (!number)
		return rt_error_set(err, RT_E_INPUT, "the alias *%s has no anchor before it",
				    (const char *)name);
	*ret_range = &anchors_ranges(anchors)[number - 1];
	if ((*ret_range)->to == SIZE_MAX)
		return rt_error_set(err, RT_E_INPUT, "the alias *%s is inside its own node",
				    (const char *)name);
	return RT_OK;
}

/* Forget all anchors: they hold in one document only. Memory is kept for the next. */
static void yaml_anchors_clear(struct rt_yaml_anchors *anchors)
{
	rt_map_release(&anchors->names);
	anchors->events.len = 0;
	anchors->ranges.len = 0;
	anchors->count = 0;
	anchors->open = 0;
	anchors->text = anchors->used = 0;
}

static void yaml_anchors_release(struct rt_yaml_anchors *anchors)
{
	yaml_anchors_clear(anchors);
	rt_buf_release(&anchors->events);
	rt_buf_release(&anchors->ranges);
}

/* --- Yaml ------------------------------------------------------------------------------------ */

/* JSON text made ahead of what is asked for, where there is as much. */
#define YAML_OUT_BYTES ((size_t)64 * 1024)

/* A record may lie in an array in an object; its own nesting is the scanner's to check. */
#define YAML_OUTER_LEVELS 2u

#define NO_RANGE SIZE_MAX
#define NO_RECORD UINT64_MAX
#define TAG_PREFIX "tag:yaml.org,2002:"

/* What comes next in an open collection. */
enum level_state { ITEM_FIRST, ITEM, KEY_FIRST, KEY, VALUE };

struct yaml_level {
	enum level_state state;
	unsigned char
	    key_len; /* of the member that is open; 0 where it is longer than any wanted */
	char key[RT_WANT_NAME_MAX];
	size_t range;    /* of the collection's anchor, or NO_RANGE */
	uint64_t record; /* of a mapping that may be a record: where it begins; else NO_RECORD */
	uint64_t style;  /* RT_STYLE_..., as far as its beginning shows */
	size_t anchors;  /* how many there had been then */
};

struct rt_yaml {
	struct rt_yaml_source source;
	const struct rt_limits *limits;
	struct rt_text_hints hints;
	rt_yaml_mark *mark; /* told each mark */
	void *mark_ctx;
	struct rt_yaml_anchors anchors;
	struct rt_buf out; /* JSON text that has not been read, after some that has */
	size_t out_at;     /* read bytes of out */
	uint64_t out_base; /* JSON offset of out's first byte */
	uint64_t counted;  /* as far as text is counted for anchors, while one is open */
	uint64_t expanded; /* bytes of what aliases stand for in this record */
	bool repeats;      /* what an alias stands for is being written */
	bool documents;    /* there has been one */
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

/* Count what has been written for the open anchors. */
static enum rt_status count_text(struct rt_yaml *yaml)
{
	uint64_t from = yaml->counted;

	yaml->counted = yaml->out_base + yaml->out.len;
	if (!yaml->anchors.open)
		return RT_OK;
	return yaml_anchors_count(&yaml->anchors, (size_t)(yaml->counted - from), &yaml->err);
}

/* Keep an event that has been written, in two pieces, for the open anchors. */
static enum rt_status keep_event(struct rt_yaml *yaml, const void *head, size_t len,
				 struct rt_slice text)
{
	enum rt_status status = count_text(yaml);

	if (!yaml->anchors.open)
		return RT_OK;
	if (status == RT_OK)
		status = rt_buf_append(&yaml->anchors.events, head, len, &yaml->err);
	if (status == RT_OK)
		status = rt_buf_append(&yaml->anchors.events, text.ptr, text.len, &yaml->err);
	return status == RT_OK ? RT_OK : yaml_reject(yaml, &yaml->err);
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

/* Levels that a record may be at. */
#define RECORD_LEVELS (YAML_OUTER_LEVELS + 1)

/* The innermost record that is open, by where it begins; NO_RECORD: none is. */
static uint64_t open_record(const struct rt_yaml *yaml)
{
	size_t depth = yaml->depth < RECORD_LEVELS ? yaml->depth : RECORD_LEVELS;

	while (depth && yaml->levels[depth - 1].record == NO_RECORD)
		depth--;
	return depth ? yaml->levels[depth - 1].record : NO_RECORD;
}

/* A number in all records that are open is written otherwise than in JSON. */
static void mark_respelled(struct rt_yaml *yaml)
{
	for (size_t i = 0; i < RECORD_LEVELS && i < yaml->depth; i++)
		yaml->levels[i].style |= RT_STYLE_RESPELLED;
}

static bool is_open(const struct rt_yaml *yaml, uint64_t record)
{
	for (size_t i = 0; i < RECORD_LEVELS && i < yaml->depth; i++) {
		if (yaml->levels[i].record == record)
			return true;
	}
	return false;
}

static enum rt_status add_mark(struct rt_yaml *yaml, uint64_t at, struct rt_place place)
{
	return yaml->mark(yaml->mark_ctx, at, place, &yaml->err);
}

/*
 * What all nodes begin with. anchor: its name, or NULL.
 * *ret_key: the node is a key. *ret_range: of its anchor, or NO_RANGE.
 */
static enum rt_status node_begin(struct rt_yaml *yaml, const yaml_char_t *anchor, bool *ret_key,
				 size_t *ret_range)
{
	if (rt_buf_reserve(&yaml->out, 8, &yaml->err) != RT_OK)
		return RT_FATAL;
	if (starts_record(yaml) && !yaml->repeats)
		yaml->expanded = 0;
	*ret_key = node_separate(yaml);
	*ret_range = NO_RANGE;
	/* All that an alias stands for is where the alias is. */
	if (!yaml->repeats &&
	    add_mark(yaml, yaml->out_base + yaml->out.len, yaml->source.place) != RT_OK)
		return RT_FATAL;
	if (!anchor)
		return RT_OK;
	if (count_text(yaml) != RT_OK ||
	    yaml_anchors_begin(&yaml->anchors, anchor, open_record(yaml), ret_range, &yaml->err) !=
		RT_OK)
		return yaml_reject(yaml, &yaml->err);
	return RT_OK;
}

static void node_end(struct rt_yaml *yaml, size_t range)
{
	if (range != NO_RANGE)
		yaml_anchors_end(&yaml->anchors, range);
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
		return rt_json_string_encode(text, &yaml->out, &yaml->err);
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

/* Write a scalar that has been begun, and keep it for the open anchors. */
static enum rt_status scalar_write(struct rt_yaml *yaml, bool key, enum rt_yaml_type type,
				   bool bare, struct rt_slice text)
{
	const struct kept_scalar kept = {KEPT_SCALAR, (uint8_t)type, bare, (uint32_t)text.len};
	bool is_number = rt_yaml_type_is_number(type);
	size_t from = yaml->out.len, written;
	enum rt_status status;
	struct rt_slice json;

	if (key)
		keep_key(&yaml->levels[yaml->depth - 1], text);
	/* Where a string is wanted a number is its text (SPEC D18). */
	if (is_number && bare && wants_string(yaml)) {
		is_number = false;
		type = YAML_TYPE_STRING;
	}
	status = put_scalar(yaml, type, text);
	if (status != RT_OK)
		return yaml_reject(yaml, &yaml->err);
	json = rt_slice_make(yaml->out.data + from, yaml->out.len - from);
	if (is_number && !rt_yaml_number_stays(text, json, !bare))
		mark_respelled(yaml);
	/* Zeros before a number are not written, but kept, and read again for each alias. */
	written = yaml->out.len - from;
	if (yaml->anchors.open && text.len > written &&
	    yaml_anchors_count(&yaml->anchors, text.len - written, &yaml->err) != RT_OK)
		return yaml_reject(yaml, &yaml->err);
	return keep_event(yaml, &kept, sizeof(kept), text);
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
	if (status == RT_OK)
		status = scalar_write(yaml, key, type, !event->data.scalar.tag, text);
	if (status == RT_OK)
		node_end(yaml, range);
	return status;
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
	level->record = NO_RECORD;
	level->key_len = 0;
}

static enum rt_status depth_reject(struct rt_yaml *yaml)
{
	rt_error_set(&yaml->err, RT_E_LIMIT, "nesting exceeds %" PRIu64 " level%s",
		     yaml->limits->depth, RT_S(yaml->limits->depth));
	return yaml_reject(yaml, &yaml->err);
}

/* Open a collection that has been begun. */
static enum rt_status collection_open(struct rt_yaml *yaml, char bracket, size_t range)
{
	if (yaml->depth == yaml->depth_max)
		return depth_reject(yaml);
	put(yaml, bracket);
	level_push(yaml, bracket == '{', range);
	return keep_event(yaml, &bracket, 1, RT_SLICE(""));
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
	return collection_open(yaml, mapping ? '{' : '[', range);
}

static enum rt_status collection_end(struct rt_yaml *yaml, char bracket)
{
	enum rt_status status;

	if (rt_buf_reserve(&yaml->out, 1, &yaml->err) != RT_OK)
		return RT_FATAL;
	put(yaml, bracket);
	yaml->depth--;
	status = keep_event(yaml, &bracket, 1, RT_SLICE(""));
	if (status == RT_OK)
		node_end(yaml, yaml->levels[yaml->depth].range);
	return status;
}

static enum rt_status mapping_begin(struct rt_yaml *yaml, const yaml_event_t *event)
{
	const yaml_char_t *tag = event->data.mapping_start.tag;
	bool is_record = starts_record(yaml);
	enum rt_status status = collection_begin(yaml, event->data.mapping_start.anchor, tag, true);
	struct yaml_level *level;

	if (status != RT_OK || !is_record)
		return status;
	level = &yaml->levels[yaml->depth - 1];
	level->record = yaml->source.place.offset;
	level->anchors = yaml->anchors.count;
	level->style = RT_STYLE_SOURCE | (uint64_t)event->start_mark.column << RT_STYLE_INDENT;
	/* Behind a tag there is no room for a block. */
	if (tag || event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)
		level->style |= RT_STYLE_BRACES;
	return RT_OK;
}

static enum rt_status mapping_end(struct rt_yaml *yaml)
{
	const struct yaml_level *level = &yaml->levels[yaml->depth - 1];
	struct rt_place place = {.column = level->style, .offset = yaml->source.end};

	if (level->record != NO_RECORD) {
		if (yaml->source.crlf)
			place.column |= RT_STYLE_CRLF;
		if (yaml->anchors.count > level->anchors)
			place.column |= RT_STYLE_ANCHORS;
		if (yaml->anchors.open)
			place.column |= RT_STYLE_ANCHORED;
		if (add_mark(yaml, yaml->out_base + yaml->out.len, place) != RT_OK)
			return RT_FATAL;
	}
	return collection_end(yaml, '}');
}

/* Count what an alias stands for. The total is bounded as well, since each record may expand anew.
 */
static enum rt_status alias_count(struct rt_yaml *yaml, uint64_t len)
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
		(void)rt_error_limit(&yaml->err, "the expanded input", "expanded", max);
		return yaml_reject(yaml, &yaml->err);
	}
	return RT_OK;
}

/* Write the event that is kept at a place of the anchors' events; *at: moved after it. */
static enum rt_status repeat(struct rt_yaml *yaml, size_t *at)
{
	const char *event = yaml->anchors.events.data + *at;
	struct kept_scalar scalar = {.mark = *event};
	enum rt_status status;
	size_t range;
	bool key;

	*at += 1;
	if (*event == '}' || *event == ']')
		return collection_end(yaml, *event);
	status = node_begin(yaml, NULL, &key, &range);
	if (status != RT_OK)
		return status;
	if (scalar.mark != KEPT_SCALAR)
		return collection_open(yaml, scalar.mark, NO_RANGE);
	memcpy(&scalar, event, sizeof(scalar));
	*at += sizeof(scalar) - 1 + scalar.len;
	/* What is kept of it again must not move it. */
	if (rt_buf_reserve(&yaml->anchors.events, sizeof(scalar) + scalar.len, &yaml->err) != RT_OK)
		return RT_FATAL;
	event = yaml->anchors.events.data + *at - scalar.len;
	return scalar_write(yaml, key, (enum rt_yaml_type)scalar.type, scalar.bare,
			    rt_slice_make(event, scalar.len));
}

static bool is_kept_string(const struct rt_yaml *yaml, size_t at)
{
	struct kept_scalar scalar;

	if (yaml->anchors.events.data[at] != KEPT_SCALAR)
		return false;
	memcpy(&scalar, yaml->anchors.events.data + at, sizeof(scalar));
	return scalar.type == YAML_TYPE_STRING;
}

static enum rt_status yaml_alias(struct rt_yaml *yaml, const yaml_char_t *name)
{
	enum level_state state = yaml->depth ? yaml->levels[yaml->depth - 1].state : ITEM_FIRST;
	bool is_first = state == ITEM_FIRST || state == KEY_FIRST;
	struct rt_yaml_range *found = NULL, range;
	enum rt_status status = RT_OK;

	if (yaml_anchors_find(&yaml->anchors, name, &found, &yaml->err) != RT_OK)
		return yaml_reject(yaml, &yaml->err);
	range = *found;
	if (range.record != NO_RECORD && !is_open(yaml, range.record)) {
		found->record = NO_RECORD;
		status = add_mark(yaml, RT_MARK_USE, (struct rt_place){.offset = range.record});
	}
	if ((state == KEY_FIRST || state == KEY) && !is_kept_string(yaml, range.from))
		return key_reject(yaml, "an alias of something else");
	if (starts_record(yaml))
		yaml->expanded = 0;
	if (status == RT_OK)
		status = alias_count(yaml, range.text);
	if (status == RT_OK)
		status =
		    add_mark(yaml, yaml->out_base + yaml->out.len + !is_first, yaml->source.place);
	yaml->repeats = true;
	while (status == RT_OK && range.from < range.to)
		status = repeat(yaml, &range.from);
	yaml->repeats = false;
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
		return mapping_begin(yaml, event);
	case YAML_SEQUENCE_START_EVENT:
		return collection_begin(yaml, event->data.sequence_start.anchor,
					event->data.sequence_start.tag, false);
	case YAML_MAPPING_END_EVENT:
		return mapping_end(yaml);
	case YAML_SEQUENCE_END_EVENT:
		return collection_end(yaml, ']');
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
			    rt_yaml_mark *mark, void *mark_ctx, const struct rt_limits *limits,
			    struct rt_yaml **ret_yaml, struct rt_error *err)
{
	uint64_t depth = limits->depth < RT_LIMIT_DEPTH_MAX ? limits->depth : RT_LIMIT_DEPTH_MAX;
	size_t levels = (size_t)depth + YAML_OUTER_LEVELS;
	struct rt_yaml *yaml = calloc(1, sizeof(*yaml) + levels * sizeof(yaml->levels[0]));

	if (!yaml)
		return rt_error_nomem(err);
	yaml->limits = limits;
	yaml->hints = *hints;
	yaml->mark = mark;
	yaml->mark_ctx = mark_ctx;
	yaml->depth_max = levels;
	/* Lengths of 32 bits do then. */
	yaml->anchors.max = limits->alias_bytes < UINT32_MAX ? limits->alias_bytes : UINT32_MAX;
	yaml->status = rt_yaml_source_init(&yaml->source, pull, start, limits, &yaml->err);
	if (yaml->status == RT_OK)
		yaml->status = rt_siphash_key_init(&yaml->anchors.key, &yaml->err);
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
	yaml->out_base += yaml->out.len;
	yaml->out.len = 0;
	yaml->out_at = 0;
	while (yaml->status == RT_OK && yaml->out.len < YAML_OUT_BYTES)
		yaml_step(yaml);
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

void rt_yaml_free(struct rt_yaml *yaml)
{
	if (!yaml)
		return;
	rt_yaml_source_release(&yaml->source);
	yaml_anchors_release(&yaml->anchors);
	rt_buf_release(&yaml->out);
	free(yaml);
}
