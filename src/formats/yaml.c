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

/* --- What is kept ---------------------------------------------------------------------------- */

/* Where the events of an anchored node stand. */
struct rt_yaml_range {
	size_t from;
	size_t to;       /* SIZE_MAX: the node is not complete */
	uint64_t text;   /* bytes of JSON that they stand for */
	uint64_t record; /* where the record that it is in begins in the source; NO_RECORD: in none
			  */
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

/*
 * A step has come to a status, with yaml->err: a failure sticks, and nothing is done after it. What
 * is wrong with the text gets its place. Returns whether all has gone well.
 */
static bool goes(struct rt_yaml *yaml, enum rt_status status)
{
	if (yaml->status != RT_OK || status == RT_OK)
		return yaml->status == RT_OK;
	yaml->status = status;
	if (yaml->err.code == RT_E_INPUT || yaml->err.code == RT_E_LIMIT)
		yaml->status = rt_yaml_source_reject(&yaml->source, &yaml->err);
	return false;
}

/* --- Anchors --------------------------------------------------------------------------------- */

/* Count bytes that anchors take. */
static void anchors_use(struct rt_yaml *yaml, size_t len)
{
	struct rt_yaml_anchors *anchors = &yaml->anchors;

	if (yaml->status != RT_OK)
		return;
	if (len > anchors->max - anchors->used)
		(void)goes(yaml, rt_error_set(&yaml->err, RT_E_LIMIT,
					      "the anchored nodes of the document exceed %" PRIu64
					      " byte%s",
					      anchors->max, RT_S(anchors->max)));
	else
		anchors->used += len;
}

/* Count JSON text of the open nodes. */
static void anchors_count(struct rt_yaml *yaml, size_t len)
{
	if (!yaml->anchors.open)
		return;
	yaml->anchors.text += len;
	anchors_use(yaml, len);
}

/* Count what has been written for the open anchors. */
static void count_text(struct rt_yaml *yaml)
{
	uint64_t from = yaml->counted;

	yaml->counted = yaml->out_base + yaml->out.len;
	anchors_count(yaml, (size_t)(yaml->counted - from));
}

/* Keep an event that has been written, in two pieces, for the open anchors. */
static void keep_event(struct rt_yaml *yaml, const void *head, size_t len, struct rt_slice text)
{
	struct rt_buf *events = &yaml->anchors.events;

	count_text(yaml);
	if (yaml->anchors.open && yaml->status == RT_OK &&
	    goes(yaml, rt_buf_append(events, head, len, &yaml->err)))
		(void)goes(yaml, rt_buf_append(events, text.ptr, text.len, &yaml->err));
}

static struct rt_hash128 name_hash(const struct rt_yaml_anchors *anchors, const char *name)
{
	return rt_siphash(&anchors->key, rt_slice_make(name, strlen(name)));
}

/*
 * Begin the node that carries an anchor. A name that has been used before now stands for this node
 * (YAML 1.2.2 §7.1). record: that it is in, as struct rt_yaml_range has it. Returns the number of
 * its range, for anchor_end(), or NO_RANGE.
 */
static size_t anchor_begin(struct rt_yaml *yaml, const char *name, uint64_t record)
{
	struct rt_yaml_anchors *anchors = &yaml->anchors;
	struct rt_yaml_range range;
	uint32_t *number;

	count_text(yaml);
	range = (struct rt_yaml_range){anchors->events.len, SIZE_MAX, anchors->text, record};
	anchors_use(yaml, strlen(name) + NAME_COST);
	if (yaml->status != RT_OK ||
	    !goes(yaml, rt_buf_append(&anchors->ranges, &range, sizeof(range), &yaml->err)))
		return NO_RANGE;
	number = rt_map_put(&anchors->names, name_hash(anchors, name), &yaml->err);
	if (!number) {
		(void)goes(yaml, RT_FATAL);
		return NO_RANGE;
	}
	*number = (uint32_t)++anchors->count;
	anchors->open++;
	return anchors->count - 1;
}

/* The node with this range is complete. */
static void anchor_end(struct rt_yaml *yaml, size_t range)
{
	struct rt_yaml_anchors *anchors = &yaml->anchors;
	struct rt_yaml_range *ended;

	if (range == NO_RANGE || yaml->status != RT_OK)
		return;
	ended = &anchors_ranges(anchors)[range];
	ended->to = anchors->events.len;
	ended->text = anchors->text - ended->text;
	anchors->open--;
}

/* What an alias stands for, good until the next anchor. NULL: a name without an anchor, or one
 * whose node contains the alias. */
static const struct rt_yaml_range *anchor_find(struct rt_yaml *yaml, const char *name)
{
	uint32_t number = rt_map_get(&yaml->anchors.names, name_hash(&yaml->anchors, name));
	struct rt_yaml_range *range = number ? &anchors_ranges(&yaml->anchors)[number - 1] : NULL;

	if (range && range->to != SIZE_MAX)
		return range;
	(void)goes(yaml, rt_error_set(&yaml->err, RT_E_INPUT,
				      range ? "the alias *%s is inside its own node"
					    : "the alias *%s has no anchor before it",
				      name));
	return NULL;
}

/* Forget all anchors: they hold in one document only. Memory is kept for the next. */
static void anchors_clear(struct rt_yaml_anchors *anchors)
{
	rt_map_release(&anchors->names);
	anchors->events.len = anchors->ranges.len = 0;
	anchors->count = anchors->open = 0;
	anchors->text = anchors->used = 0;
}

/* --- Nodes ----------------------------------------------------------------------------------- */

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

static void add_mark(struct rt_yaml *yaml, uint64_t at, struct rt_place place)
{
	if (yaml->status == RT_OK)
		(void)goes(yaml, yaml->mark(yaml->mark_ctx, at, place, &yaml->err));
}

/*
 * What all nodes begin with. anchor: its name, or NULL. *ret_range: of its anchor, or NO_RANGE.
 * Returns whether the node is a key.
 */
static bool node_begin(struct rt_yaml *yaml, const yaml_char_t *anchor, size_t *ret_range)
{
	bool key;

	*ret_range = NO_RANGE;
	if (!goes(yaml, rt_buf_reserve(&yaml->out, 8, &yaml->err)))
		return false;
	if (starts_record(yaml) && !yaml->repeats)
		yaml->expanded = 0;
	key = node_separate(yaml);
	/* All that an alias stands for is where the alias is. */
	if (!yaml->repeats)
		add_mark(yaml, yaml->out_base + yaml->out.len, yaml->source.place);
	if (anchor)
		*ret_range = anchor_begin(yaml, (const char *)anchor, open_record(yaml));
	return key;
}

static void key_reject(struct rt_yaml *yaml, const char *have)
{
	if (yaml->status == RT_OK)
		(void)goes(yaml,
			   rt_error_set(&yaml->err, RT_E_INPUT,
					"want a mapping key that is a string, have %s", have));
}

/* What a tag of the core schema may stand before: bits of enum rt_yaml_type, and these. */
#define FITS_MAP 0x1000u
#define FITS_SEQ 0x2000u
#define FITS(type) (1u << YAML_TYPE_##type)

/* Refuse a tag that does not fit its node. what: one of FITS above; have: the node, for the
 * message.
 */
static void tag_check(struct rt_yaml *yaml, const char *tag, unsigned what, const char *have)
{
	static const struct {
		const char *name;
		unsigned fits;
	} tags[] = {
	    {TAG_PREFIX "str", 0xFFF},
	    {TAG_PREFIX "null", FITS(NULL)},
	    {TAG_PREFIX "bool", FITS(BOOL)},
	    {TAG_PREFIX "int", FITS(INT) | FITS(OCTAL) | FITS(HEX)},
	    {TAG_PREFIX "float", FITS(INT) | FITS(FLOAT) | FITS(NONFINITE)},
	    {TAG_PREFIX "map", FITS_MAP},
	    {TAG_PREFIX "seq", FITS_SEQ},
	};
	size_t i = 0, count = sizeof(tags) / sizeof(tags[0]);

	while (i < count && strcmp(tag, tags[i].name) != 0)
		i++;
	if (yaml->status != RT_OK || (i < count && (tags[i].fits & what)))
		return;
	if (i < count)
		rt_error_set(&yaml->err, RT_E_INPUT, "want what the tag !!%s says, have %s",
			     tag + strlen(TAG_PREFIX), have);
	else
		rt_error_set(&yaml->err, RT_E_INPUT,
			     "only tags of the core schema are read, not %s", tag);
	(void)goes(yaml, RT_REJECT);
}

/* The type of a scalar, whatever it has of tag and quotes; keys are held to strings. */
static enum rt_yaml_type scalar_type(struct rt_yaml *yaml, const yaml_event_t *event, bool key)
{
	const char *tag = (const char *)event->data.scalar.tag;
	struct rt_slice text =
	    rt_slice_make((const char *)event->data.scalar.value, event->data.scalar.length);
	enum rt_yaml_type type = YAML_TYPE_STRING;

	/* "!" says: not by the text (YAML 1.2.2 §6.9.1). */
	if (tag && strcmp(tag, "!") != 0 && strcmp(tag, TAG_PREFIX "str") != 0) {
		type = rt_yaml_scalar_type(text);
		tag_check(yaml, tag, 1u << type, rt_yaml_type_name(type));
		if (type == YAML_TYPE_INT && strcmp(tag, TAG_PREFIX "float") == 0)
			type = YAML_TYPE_FLOAT;
	} else if (!tag && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
		type = rt_yaml_scalar_type(text);
		if (key && rt_slice_equal(text, RT_SLICE("<<")))
			key_reject(yaml, "the merge key <<");
	}
	if (key && type != YAML_TYPE_STRING)
		key_reject(yaml, rt_yaml_type_name(type));
	return type;
}

static void put_word(struct rt_yaml *yaml, struct rt_slice word)
{
	(void)goes(yaml, rt_buf_append(&yaml->out, word.ptr, word.len, &yaml->err));
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

/* Write a number in the same type: a float may have the text of an integer, under !!float. */
static void put_number(struct rt_yaml *yaml, enum rt_yaml_type type, struct rt_slice text)
{
	(void)goes(yaml, rt_yaml_append_number(&yaml->out, type, text, &yaml->err));
	if (type == YAML_TYPE_FLOAT && !memchr(text.ptr, '.', text.len) &&
	    !memchr(text.ptr, 'e', text.len) && !memchr(text.ptr, 'E', text.len))
		put_word(yaml, RT_SLICE(".0"));
}

static void put_scalar(struct rt_yaml *yaml, enum rt_yaml_type type, struct rt_slice text)
{
	if (type == YAML_TYPE_STRING)
		(void)goes(yaml, rt_json_string_encode(text, &yaml->out, &yaml->err));
	else if (type == YAML_TYPE_NULL)
		put_word(yaml, RT_SLICE("null"));
	else if (type == YAML_TYPE_BOOL)
		put_word(yaml, text.len == 4 ? RT_SLICE("true") : RT_SLICE("false"));
	else if (type == YAML_TYPE_NONFINITE)
		(void)goes(yaml,
			   rt_error_set(&yaml->err, RT_E_INPUT, "want a finite number, have %.*s",
					(int)text.len, text.ptr));
	else
		put_number(yaml, type, text);
}

/* Write a scalar that has been begun, and keep it for the open anchors. */
static void scalar_write(struct rt_yaml *yaml, bool key, enum rt_yaml_type type, bool bare,
			 struct rt_slice text)
{
	const struct kept_scalar kept = {KEPT_SCALAR, (uint8_t)type, bare, (uint32_t)text.len};
	bool is_number = rt_yaml_type_is_number(type);
	size_t from = yaml->out.len;
	struct rt_slice json;

	if (yaml->status != RT_OK)
		return;
	if (key)
		keep_key(&yaml->levels[yaml->depth - 1], text);
	/* Where a string is wanted a number is its text (SPEC D18). */
	if (is_number && bare && wants_string(yaml)) {
		is_number = false;
		type = YAML_TYPE_STRING;
	}
	put_scalar(yaml, type, text);
	if (yaml->status != RT_OK)
		return;
	json = rt_slice_make(yaml->out.data + from, yaml->out.len - from);
	if (is_number && !rt_yaml_number_stays(text, json, !bare))
		mark_respelled(yaml);
	/* Zeros before a number are not written, but kept, and read again for each alias. */
	if (text.len > json.len)
		anchors_count(yaml, text.len - json.len);
	keep_event(yaml, &kept, sizeof(kept), text);
}

static void yaml_scalar(struct rt_yaml *yaml, const yaml_event_t *event)
{
	struct rt_slice text =
	    rt_slice_make((const char *)event->data.scalar.value, event->data.scalar.length);
	size_t range;
	bool key = node_begin(yaml, event->data.scalar.anchor, &range);
	enum rt_yaml_type type = scalar_type(yaml, event, key);

	scalar_write(yaml, key, type, !event->data.scalar.tag, text);
	anchor_end(yaml, range);
}

static void level_push(struct rt_yaml *yaml, bool mapping, size_t range)
{
	struct yaml_level *level = &yaml->levels[yaml->depth++];

	level->state = mapping ? KEY_FIRST : ITEM_FIRST;
	level->range = range;
	level->record = NO_RECORD;
	level->key_len = 0;
}

/* Open a collection that has been begun. */
static void collection_open(struct rt_yaml *yaml, char bracket, size_t range)
{
	if (yaml->depth == yaml->depth_max && yaml->status == RT_OK)
		(void)goes(yaml, rt_error_set(&yaml->err, RT_E_LIMIT,
					      "nesting exceeds %" PRIu64 " level%s",
					      yaml->limits->depth, RT_S(yaml->limits->depth)));
	if (yaml->status != RT_OK)
		return;
	put(yaml, bracket);
	level_push(yaml, bracket == '{', range);
	keep_event(yaml, &bracket, 1, RT_SLICE(""));
}

static void collection_begin(struct rt_yaml *yaml, const yaml_char_t *anchor,
			     const yaml_char_t *tag, bool mapping)
{
	const char *have = mapping ? "a mapping" : "a sequence";
	size_t range;
	bool key = node_begin(yaml, anchor, &range);

	if (tag && strcmp((const char *)tag, "!") != 0)
		tag_check(yaml, (const char *)tag, mapping ? FITS_MAP : FITS_SEQ, have);
	if (key)
		key_reject(yaml, have);
	collection_open(yaml, mapping ? '{' : '[', range);
}

static void collection_end(struct rt_yaml *yaml, char bracket)
{
	if (!goes(yaml, rt_buf_reserve(&yaml->out, 1, &yaml->err)))
		return;
	put(yaml, bracket);
	yaml->depth--;
	keep_event(yaml, &bracket, 1, RT_SLICE(""));
	anchor_end(yaml, yaml->levels[yaml->depth].range);
}

static void mapping_begin(struct rt_yaml *yaml, const yaml_event_t *event)
{
	const yaml_char_t *tag = event->data.mapping_start.tag;
	bool is_record = starts_record(yaml);
	struct yaml_level *level;

	collection_begin(yaml, event->data.mapping_start.anchor, tag, true);
	if (yaml->status != RT_OK || !is_record)
		return;
	level = &yaml->levels[yaml->depth - 1];
	level->record = yaml->source.place.offset;
	level->anchors = yaml->anchors.count;
	level->style = RT_STYLE_SOURCE | (uint64_t)event->start_mark.column << RT_STYLE_INDENT;
	/* Behind a tag there is no room for a block. */
	if (tag || event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)
		level->style |= RT_STYLE_BRACES;
}

static void mapping_end(struct rt_yaml *yaml)
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
		add_mark(yaml, yaml->out_base + yaml->out.len, place);
	}
	collection_end(yaml, '}');
}

/* Count what an alias stands for. The total is bounded as well, since each record may expand anew.
 */
static void alias_count(struct rt_yaml *yaml, uint64_t len)
{
	uint64_t max = yaml->limits->alias_bytes, total = yaml->limits->expanded_bytes;
	enum rt_status status = RT_OK;

	if (yaml->status != RT_OK)
		return;
	if (len > max - yaml->expanded)
		status = rt_error_set(
		    &yaml->err, RT_E_LIMIT,
		    "aliases in the record expand to more than %" PRIu64 " byte%s", max, RT_S(max));
	else if (yaml->out_base + yaml->out.len + len > total)
		status = rt_error_limit(&yaml->err, "the expanded input", "expanded", total);
	yaml->expanded += len;
	(void)goes(yaml, status);
}

/* Write the event that is kept at a place of the anchors' events; *at: moved after it. */
static void repeat(struct rt_yaml *yaml, size_t *at)
{
	struct rt_buf *events = &yaml->anchors.events;
	const char *event = events->data + *at;
	struct kept_scalar scalar = {.mark = *event};
	size_t range;
	bool key;

	*at += 1;
	if (scalar.mark == '}' || scalar.mark == ']') {
		collection_end(yaml, scalar.mark);
		return;
	}
	key = node_begin(yaml, NULL, &range);
	if (scalar.mark != KEPT_SCALAR) {
		collection_open(yaml, scalar.mark, NO_RANGE);
		return;
	}
	memcpy(&scalar, event, sizeof(scalar));
	*at += sizeof(scalar) - 1 + scalar.len;
	/* What is kept of it again must not move it. */
	if (goes(yaml, rt_buf_reserve(events, sizeof(scalar) + scalar.len, &yaml->err)))
		scalar_write(yaml, key, (enum rt_yaml_type)scalar.type, scalar.bare,
			     rt_slice_make(events->data + *at - scalar.len, scalar.len));
}

static bool is_kept_string(const struct rt_yaml *yaml, size_t at)
{
	struct kept_scalar scalar;

	if (yaml->anchors.events.data[at] != KEPT_SCALAR)
		return false;
	memcpy(&scalar, yaml->anchors.events.data + at, sizeof(scalar));
	return scalar.type == YAML_TYPE_STRING;
}

static void yaml_alias(struct rt_yaml *yaml, const yaml_char_t *name)
{
	enum level_state state = yaml->depth ? yaml->levels[yaml->depth - 1].state : ITEM_FIRST;
	bool is_first = state == ITEM_FIRST || state == KEY_FIRST;
	const struct rt_yaml_range *found = anchor_find(yaml, (const char *)name);
	struct rt_yaml_range range;

	if (!found)
		return;
	range = *found;
	if (range.record != NO_RECORD && !is_open(yaml, range.record))
		add_mark(yaml, RT_MARK_CROSSES, yaml->source.place);
	if ((state == KEY_FIRST || state == KEY) && !is_kept_string(yaml, range.from))
		key_reject(yaml, "an alias of something else");
	if (starts_record(yaml))
		yaml->expanded = 0;
	alias_count(yaml, range.text);
	add_mark(yaml, yaml->out_base + yaml->out.len + !is_first, yaml->source.place);
	yaml->repeats = true;
	while (yaml->status == RT_OK && range.from < range.to)
		repeat(yaml, &range.from);
	yaml->repeats = false;
}

static void stream_end(struct rt_yaml *yaml)
{
	if (yaml->documents)
		yaml->status = RT_END;
	else
		(void)goes(yaml, rt_error_set(&yaml->err, RT_E_INPUT,
					      "the document has only blanks and comments"));
}

static void yaml_handle(struct rt_yaml *yaml, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		yaml_scalar(yaml, event);
		break;
	case YAML_MAPPING_START_EVENT:
		mapping_begin(yaml, event);
		break;
	case YAML_SEQUENCE_START_EVENT:
		collection_begin(yaml, event->data.sequence_start.anchor,
				 event->data.sequence_start.tag, false);
		break;
	case YAML_MAPPING_END_EVENT:
		mapping_end(yaml);
		break;
	case YAML_SEQUENCE_END_EVENT:
		collection_end(yaml, ']');
		break;
	case YAML_ALIAS_EVENT:
		yaml_alias(yaml, event->data.alias.anchor);
		break;
	case YAML_DOCUMENT_START_EVENT:
		yaml->documents = true;
		break;
	case YAML_DOCUMENT_END_EVENT:
		anchors_clear(&yaml->anchors);
		put_word(yaml, RT_SLICE("\n"));
		break;
	case YAML_STREAM_END_EVENT:
		stream_end(yaml);
		break;
	default:
		break;
	}
}

/* Handle one event. */
static void yaml_step(struct rt_yaml *yaml)
{
	yaml_event_t event;

	yaml->status = rt_yaml_source_next(&yaml->source, &event, &yaml->err);
	if (yaml->status != RT_OK)
		return;
	yaml_handle(yaml, &event);
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
	anchors_clear(&yaml->anchors);
	rt_buf_release(&yaml->anchors.events);
	rt_buf_release(&yaml->anchors.ranges);
	rt_buf_release(&yaml->out);
	free(yaml);
}
