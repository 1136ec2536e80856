/*
 * The issues of two scans as keys, and the order in which they are matched. The keys are hashes
 * under a key of this run, so that nobody can write findings that collide.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/fold.h"
#include "engine/identifier.h"
#include "engine/match_state.h"

#define LONG_CODE 12u
#define LONG_CONTEXT 40u

static const char *const by_names[RT_MATCH_BYS] = {
    "context",
    "code",
    "column",
    "changed",
    "fingerprint",
    "identifier",
    "id",
    "reworded",
    "renamed-context",
    "renamed-code",
    "renamed-column",
    "renamed-changed",
    "renamed-fingerprint",
    "renamed-identifier",
    "renamed-id",
    "renamed-reworded",
    "across",
};

const char *rt_match_by_name(enum rt_match_by by)
{
	return by_names[by];
}

const char *rt_match_difference_field(enum rt_match_difference difference)
{
	static const char *const fields[] = {
	    [RT_MATCH_SAME] = NULL,
	    [RT_MATCH_OTHER_CODE] = "code_snippet",
	    [RT_MATCH_OTHER_LINE_HASH] = "primaryLocationLineHash",
	    [RT_MATCH_OTHER_CONTEXT_HASH] = "contextHash",
	};

	return fields[difference];
}

enum rt_status rt_match_new(struct rt_match **ret_match, struct rt_error *err)
{
	struct rt_match *match = calloc(1, sizeof(*match));

	if (!match)
		return rt_error_nomem(err);
	if (rt_siphash_key_init(&match->key, err) != RT_OK) {
		free(match);
		return RT_FATAL;
	}
	*ret_match = match;
	return RT_OK;
}

void rt_match_free(struct rt_match *match)
{
	if (!match)
		return;
	for (int side = 0; side < 2; side++) {
		free(match->side[side].at);
		free(match->side[side].place);
	}
	rt_buf_release(&match->names);
	rt_map_release(&match->rule_map);
	rt_buf_release(&match->deprecated);
	rt_buf_release(&match->live);
	rt_buf_release(&match->next);
	rt_buf_release(&match->rest);
	free(match->table);
	free(match->repos);
	rt_buf_release(&match->scratch);
	rt_buf_release(&match->text);
	rt_buf_release(&match->found);
	free(match);
}

/* --- Keys ---------------------------------------------------------------------------------- */

uint64_t rt_match_hash(const struct rt_match *match, struct rt_slice text)
{
	uint64_t low = rt_siphash(&match->key, text).low;

	return low ? low : 1;
}

/* The hash of a text that is under another hash. */
static uint64_t hash_under(const struct rt_match *match, uint64_t above, struct rt_slice text)
{
	struct rt_siphash_key key = {match->key.k0 ^ above, match->key.k1};
	uint64_t low = rt_siphash(&key, text).low;

	return low ? low : 1;
}

/* The bytes between the quotes of a string; ptr NULL where there is none. */
static struct rt_slice string_of(const struct rt_record *record, enum rt_member m)
{
	if (record->types[m] != RT_TYPE_STRING)
		return (struct rt_slice){0};
	return rt_record_string(record, m);
}

/* Put code or a path behind what is in match->text; nothing after a fault. */
static struct rt_slice fold(struct rt_match *match, struct rt_slice json, enum rt_fold how)
{
	struct rt_buf *text = &match->text;
	struct rt_slice folded;

	if (RT_STEP(&match->fault, rt_buf_reserve(text, json.len, match->fault.err)) != RT_OK)
		return (struct rt_slice){0};
	folded.ptr = text->data + text->len;
	folded.len = rt_fold(json, how, text->data + text->len);
	text->len += folded.len;
	return folded;
}

/* The text of a member, its escapes decoded. */
static struct rt_slice text_of(struct rt_match *match, const struct rt_record *record,
			       enum rt_member m)
{
	const struct rt_finding finding = {.record = record};
	struct rt_put room = {&match->scratch, match->fault.err, match->fault.status};
	struct rt_slice text = rt_finding_string(&finding, m, &room);

	match->fault.status = room.status;
	return text;
}

/* Lines and columns beyond 32 bits are the last one; none, and 0, are 0. */
static uint32_t place(const struct rt_record *record, enum rt_member m)
{
	const struct rt_finding finding = {.record = record};
	struct rt_slice digits = rt_finding_number(&finding, m);
	uint64_t value = 0;

	for (size_t i = 0; i < digits.len && value < UINT32_MAX; i++) {
		if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
			return 0;
		value = value * 10 + (uint64_t)(digits.ptr[i] - '0');
	}
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* Returns the weight of the path. */
static uint64_t add_path(struct rt_match *match, const struct rt_record *record,
			 struct rt_match_item *item)
{
	struct rt_slice path;
	uint64_t sum = 0;

	match->text.len = 0;
	path = fold(match, string_of(record, RT_M_FILE_PATH), RT_FOLD_PATH);
	if (path.len >= 2 && memcmp(path.ptr, "./", 2) == 0)
		path = rt_slice_make(path.ptr + 2, path.len - 2);
	item->path = rt_match_hash(match, path);
	for (size_t i = 0; i < path.len; i++)
		sum += (unsigned char)path.ptr[i];
	return sum;
}

/* --- Vulnerabilities ------------------------------------------------------------------------ */

/* A name that an issue has, and what it counts in the order of findings of one place. */
struct name {
	uint64_t hash;
	uint32_t order;
};

/* The names that one issue has. */
struct names {
	uint64_t first_hash;
	uint32_t order; /* of all */
	bool is_cve;    /* the first one */
	size_t len;     /* of its text */
	char first[64]; /* cut */
};

/* The first is a CVE, if there is one, and the lowest of its kind. */
static bool is_before(const struct names *names, struct rt_slice name, bool is_cve)
{
	struct rt_slice first = rt_slice_make(names->first, names->len);

	if (names->len == 0 || is_cve != names->is_cve)
		return names->len == 0 || is_cve;
	return rt_slice_compare(name, first) < 0;
}

/* Note a name, in capitals, in match->found. */
static void note_name(struct rt_match *match, struct rt_slice name, struct names *names)
{
	struct rt_buf *text = &match->text;
	struct name found;

	text->len = 0;
	if (RT_STEP(&match->fault, rt_buf_append(text, name.ptr, name.len, match->fault.err)) !=
	    RT_OK)
		return;
	for (size_t i = 0; i < text->len; i++) {
		if (text->data[i] >= 'a' && text->data[i] <= 'z')
			text->data[i] = (char)(text->data[i] - ('a' - 'A'));
	}
	name = rt_buf_slice(text);
	found = (struct name){rt_match_hash(match, name), rt_fold_number(name)};
	RT_STEP(&match->fault,
		rt_buf_append(&match->found, &found, sizeof(found), match->fault.err));
	name.len = name.len < sizeof(names->first) ? name.len : sizeof(names->first);
	if (!is_before(names, name, rt_identifier_is_cve(name)))
		return;
	names->first_hash = found.hash;
	names->is_cve = rt_identifier_is_cve(name);
	names->len = name.len;
	memcpy(names->first, name.ptr, name.len);
}

static void find_names(struct rt_match *match, struct rt_slice text, struct names *names)
{
	struct rt_slice name;
	size_t at = 0;

	while (match->fault.status == RT_OK && rt_identifier_next(text, &at, &name))
		note_name(match, name, names);
}

static int compare_names(const void *left, const void *right)
{
	const struct name *a = left, *b = right;

	return (a->hash > b->hash) - (a->hash < b->hash);
}

/* Keep the names that were noted, each once. Returns a hash of them; 0: there are none. */
static uint64_t keep_names(struct rt_match *match, struct rt_match_item *item, struct names *names)
{
	struct rt_buf *into = &match->names;
	struct name *found = (struct name *)(void *)match->found.data;
	size_t count = match->found.len / sizeof(*found), start = into->len;
	uint32_t head[2] = {0, (uint32_t)(names->first_hash >> 32)};
	uint64_t all = 0;

	if (count == 0 || match->fault.status != RT_OK)
		return 0;
	qsort(found, count, sizeof(*found), compare_names);
	RT_STEP(&match->fault, rt_buf_append(into, head, sizeof(head), match->fault.err));
	for (size_t i = 0; i < count; i++) {
		uint32_t high = (uint32_t)(found[i].hash >> 32);

		if (i && found[i].hash == found[i - 1].hash)
			continue;
		RT_STEP(&match->fault, rt_buf_append(into, &high, sizeof(high), match->fault.err));
		all += found[i].hash;
		names->order += found[i].order;
		head[0]++;
	}
	if (match->fault.status != RT_OK)
		return 0;
	memcpy(into->data + start, head, sizeof(head));
	item->names = (uint32_t)(start / sizeof(uint32_t)) + 1;
	return all ? all : 1;
}

uint32_t rt_match_first_name(const struct rt_match *match, const struct rt_match_item *item)
{
	const uint32_t *names = (const uint32_t *)(const void *)match->names.data;

	return item->names ? names[item->names] : 0;
}

bool rt_match_strangers(const struct rt_match *match, const struct rt_match_item *a,
			const struct rt_match_item *b)
{
	const uint32_t *names = (const uint32_t *)(const void *)match->names.data;
	uint32_t i = 0, j = 0;

	if (!a->names || !b->names)
		return false;
	while (i < names[a->names - 1] && j < names[b->names - 1]) {
		uint32_t x = names[a->names + 1 + i], y = names[b->names + 1 + j];

		if (x == y)
			return false;
		i += x < y;
		j += x > y;
	}
	return true;
}

/* --- Messages ------------------------------------------------------------------------------- */

/* A text with 0 for its numbers; nothing after a fault. */
static struct rt_slice fold_message(struct rt_match *match, struct rt_slice text,
				    enum rt_fold_numbers which, uint64_t *ret_numbers)
{
	match->text.len = 0;
	if (RT_STEP(&match->fault, rt_buf_reserve(&match->text, text.len, match->fault.err)) !=
	    RT_OK)
		return (struct rt_slice){0};
	return rt_slice_make(match->text.data,
			     rt_fold_message(text, which, match->text.data, ret_numbers));
}

/* Note the ids that the rule of an issue had before, once for each rule. number: of its id. */
static void add_deprecated(struct rt_match *match, enum rt_match_side side, struct rt_slice list,
			   uint64_t rule, uint32_t number, const struct rt_match_item *item)
{
	const struct rt_hash128 key = {rt_match_mix(rule, (uint64_t)side + 1), rule};
	uint32_t *seen = NULL;
	struct rt_slice id;

	if (!list.ptr || *list.ptr != '[' || match->fault.status != RT_OK)
		return;
	seen = rt_map_put(&match->rule_map, key, match->fault.err);
	match->fault.status = seen ? RT_OK : RT_FATAL;
	if (!seen || *seen)
		return;
	*seen = 1;
	while (RT_STEP(&match->fault,
		       rt_strings_next(&list, &match->scratch, &id, match->fault.err)) == RT_OK) {
		struct rt_match_deprecated one;

		if (!id.ptr)
			continue;
		one =
		    (struct rt_match_deprecated){.id = (uint32_t)hash_under(match, item->repo, id),
						 .rule = item->rule,
						 .order = 3 * (number - rt_fold_number(id)),
						 .side = (uint8_t)side};

		RT_STEP(&match->fault,
			rt_buf_append(&match->deprecated, &one, sizeof(one), match->fault.err));
	}
	if (match->fault.status == RT_END)
		match->fault.status = RT_OK;
}

/* Repository and rule. */
static void add_rule(struct rt_match *match, enum rt_match_side side,
		     const struct rt_record *record, struct rt_match_item *item,
		     struct names *names)
{
	struct rt_slice text = text_of(match, record, RT_M_REPO_NAME);
	uint32_t number;
	uint64_t rule;

	item->repo = text.ptr ? (uint32_t)rt_match_hash(match, text) : 0;
	text = text_of(match, record, RT_M_CATEGORY);
	rule = hash_under(match, item->repo, text);
	item->rule = (uint32_t)rule;
	number = rt_fold_number(text);
	item->order = 3 * number;
	find_names(match, text, names);
	add_deprecated(match, side, record->prints.deprecated, rule, number, item);
}

/* An issue without a line is told by its title, too. Returns a hash of that as it counts. */
static uint64_t add_title(struct rt_match *match, struct rt_slice title, struct rt_match_item *item)
{
	uint64_t numbers;

	item->order += 7 * rt_fold_number(fold_message(match, title, RT_FOLD_DIGITS, &numbers));
	item->exact = rt_match_hash(match, title);
	return rt_match_hash(match, fold_message(match, title, RT_FOLD_WORDS, &numbers));
}

/* The message: description, else title. */
static void add_message(struct rt_match *match, const struct rt_record *record,
			struct rt_match_item *item, struct names *names)
{
	struct rt_slice text = text_of(match, record, RT_M_TITLE), digits;
	uint64_t above = 0, all;
	size_t at = 0;

	find_names(match, text, names);
	if (!item->line)
		above = add_title(match, text, item);
	text = text_of(match, record, RT_M_DESCRIPTION);
	find_names(match, text, names);
	while (match->fault.status == RT_OK && rt_fold_next_name(text, &at, &digits))
		note_name(match, digits, names);
	all = keep_names(match, item, names);
	if (!text.len)
		text = text_of(match, record, RT_M_TITLE);
	digits = fold_message(match, text, RT_FOLD_DIGITS, &item->numbers);
	item->order += rt_fold_number(digits) + names->order;
	if (!item->line) {
		uint64_t numbers;

		item->exact = rt_match_mix(hash_under(match, item->exact, text), all);
		digits = fold_message(match, text, RT_FOLD_WORDS, &numbers);
	}
	item->message = rt_match_mix(hash_under(match, above, digits), all);
}

/* The code, and the code with the lines around it, both without blanks. */
static void add_code(struct rt_match *match, const struct rt_record *record,
		     struct rt_match_item *item)
{
	struct rt_buf *text = &match->text;
	struct rt_slice code;
	uint32_t order;

	text->len = 0;
	item->shows_code = rt_record_has(record, RT_M_CODE_SNIPPET);
	/* Behind all that the message says, the code decides about the order. */
	item->numbers <<= 16;
	code = fold(match, string_of(record, RT_M_CODE_SNIPPET), RT_FOLD_CODE);
	item->redacted = rt_fold_is_redacted(code);
	if (code.len == 0 || item->redacted)
		return;
	item->code = rt_match_hash(match, code);
	item->long_code = code.len >= LONG_CODE;
	order = rt_fold_number(code);
	text->len = 0;
	(void)fold(match, string_of(record, RT_M_CONTEXT_BEFORE), RT_FOLD_CODE);
	RT_STEP(&match->fault, rt_buf_append(text, "", 1, match->fault.err));
	(void)fold(match, string_of(record, RT_M_CONTEXT_AFTER), RT_FOLD_CODE);
	item->context = hash_under(match, item->code, rt_buf_slice(text));
	item->long_context = text->len > 1 && code.len + text->len + 1 >= LONG_CONTEXT;
	order += rt_fold_number(rt_buf_slice(text));
	item->numbers |= order >> 16;
}

/* --- Fingerprints --------------------------------------------------------------------------- */

/* Whether a text has a number by itself: not as a part of a word. */
static bool has_number(struct rt_slice text, uint32_t number)
{
	char digits[16];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu32, number);
	const char *at = text.ptr, *end = rt_slice_end(text);

	while ((at = memmem(at, (size_t)(end - at), digits, len))) {
		bool before = at > text.ptr && isalnum((unsigned char)at[-1]);
		bool after = at + len < end && isalnum((unsigned char)at[len]);

		if (!before && !after)
			return true;
		at++;
	}
	return false;
}

static void add_prints(struct rt_match *match, const struct rt_record *record,
		       struct rt_slice fingerprint, struct rt_match_item *item)
{
	const struct rt_prints *prints = &record->prints;

	item->given = fingerprint.ptr != NULL;
	item->guid = prints->is_guid && !item->given;
	if (item->given)
		item->print = rt_match_hash(match, fingerprint);
	/* One that has the line in it moves with that. */
	else if (prints->identity.ptr && !(item->line && has_number(prints->identity, item->line)))
		item->print = rt_match_hash(match, prints->identity);
	for (int i = 0; i < 2; i++) {
		if (!prints->hashes[i].ptr)
			continue;
		item->hashes[i] = (uint32_t)rt_match_hash(match, prints->hashes[i]);
		item->hash_names[i] = (uint16_t)(rt_match_hash(match, prints->hash_names[i]) | 1);
	}
}

/* SARIF ids of our own making are no evidence: they are made of what is compared anyway. */
static bool own_id(struct rt_slice id)
{
	return id.len > 3 && id.ptr[0] == 's' && (id.ptr[1] == '1' || id.ptr[1] == '2') &&
	       id.ptr[2] == '-';
}

static enum rt_status grow(struct rt_match_items *items, struct rt_error *err)
{
	size_t room = items->room ? (size_t)items->room + items->room / 2 : 256;
	void *grown;

	if (items->count < items->room)
		return RT_OK;
	if (room >= RT_MATCH_NONE)
		return rt_error_set(err, RT_E_LIMIT, "too many issues to be matched");
	grown = realloc(items->at, room * sizeof(*items->at));
	if (!grown)
		return rt_error_nomem(err);
	items->at = grown;
	items->room = (uint32_t)room;
	return RT_OK;
}

enum rt_status rt_match_add(struct rt_match *match, enum rt_match_side side,
			    const struct rt_record *record, struct rt_slice fingerprint,
			    struct rt_error *err)
{
	struct rt_match_items *items = &match->side[side];
	struct rt_match_item item = {.line = place(record, RT_M_LINE_NUMBER)};
	struct names names = {.order = 0};
	uint64_t weight;

	match->fault = (struct rt_fault){grow(items, err), err};
	match->found.len = 0;
	item.id = own_id(record->id) ? 0 : rt_match_hash(match, record->id);
	weight = add_path(match, record, &item);
	add_rule(match, side, record, &item, &names);
	add_message(match, record, &item, &names);
	add_code(match, record, &item);
	if (item.line) {
		item.column = place(record, RT_M_COLUMN_START);
		item.column_end = place(record, RT_M_COLUMN_END);
		weight += (uint64_t)item.line * 1000003 + (uint64_t)item.column * 1009;
	}
	add_prints(match, record, fingerprint, &item);
	if (match->fault.status != RT_OK)
		return RT_FATAL;
	item.index = items->count;
	items->at[items->count++] = item;
	items->shows_code |= item.code || (item.redacted && item.shows_code);
	items->weight += weight;
	return RT_OK;
}

void *rt_match_alloc(struct rt_match *match, size_t bytes)
{
	void *room = match->fault.status == RT_OK ? malloc(bytes + 1) : NULL;

	if (!room)
		RT_STEP(&match->fault, rt_error_nomem(match->fault.err));
	return room;
}

/* --- Steps --------------------------------------------------------------------------------- */

static int compare_items(const void *left, const void *right)
{
	const struct rt_match_item *a = left, *b = right;

	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->line && a->column != b->column)
		return a->column < b->column ? -1 : 1;
	if (a->line && a->column_end != b->column_end)
		return a->column_end < b->column_end ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (a->numbers != b->numbers)
		return a->numbers < b->numbers ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

enum rt_match_difference rt_match_compare_code(const struct rt_match *match,
					       const struct rt_match_item *a,
					       const struct rt_match_item *b)
{
	const struct rt_match_item *items[] = {a, b};
	bool known = true;

	/* Code that is missing where other findings of a scan show some is blank. */
	for (int side = 0; side < 2; side++)
		known = known && !items[side]->redacted &&
			(items[side]->shows_code || match->side[side].shows_code);
	if (known && a->code != b->code)
		return RT_MATCH_OTHER_CODE;
	for (int i = 0; i < 2; i++) {
		if (a->hash_names[i] && a->hash_names[i] == b->hash_names[i] &&
		    a->hashes[i] != b->hashes[i])
			return i ? RT_MATCH_OTHER_CONTEXT_HASH : RT_MATCH_OTHER_LINE_HASH;
	}
	return RT_MATCH_SAME;
}

void rt_match_join(struct rt_match *match, uint32_t old, uint32_t new, enum rt_match_by by,
		   bool renamed)
{
	struct rt_match_item *a = &match->side[0].at[old], *b = &match->side[1].at[new];
	bool same_code = by == RT_MATCH_CONTEXT || by == RT_MATCH_CODE || by == RT_MATCH_ACROSS;

	if (!same_code && rt_match_compare_code(match, a, b) != RT_MATCH_SAME)
		by = RT_MATCH_CHANGED;
	if (renamed)
		by += RT_MATCH_RENAMED;
	a->partner = new;
	b->partner = old;
	a->by = b->by = (uint8_t)by;
}

/* What is looked for in all files. */
enum sign { SIGN_GIVEN, SIGN_GUID, SIGN_ACROSS };

/* What is to stand once on each side of all that is left; 0: nothing. */
static uint64_t sign_of(const struct rt_match_item *item, enum sign sign)
{
	if (item->partner != RT_MATCH_NONE)
		return 0;
	if (sign == SIGN_GIVEN)
		return item->given ? item->print : 0;
	if (sign == SIGN_GUID)
		return item->guid && item->print ? rt_match_mix(item->print, item->rule) : 0;
	return item->long_context && !item->placeholder
		   ? rt_match_mix(rt_match_mix(item->message, item->rule), item->context)
		   : 0;
}

/* The unmatched items of a side by their sign, to be freed. Returns NULL where memory is out. */
static struct rt_pair *list_signs(struct rt_match *match, int side, enum sign sign,
				  size_t *ret_count)
{
	const struct rt_match_items *items = &match->side[side];
	size_t count = 0;
	struct rt_pair *signs;

	for (uint32_t i = 0; i < items->count; i++)
		count += sign_of(&items->at[i], sign) != 0;
	signs = rt_match_alloc(match, count * sizeof(*signs));
	*ret_count = signs ? count : 0;
	count = 0;
	for (uint32_t i = 0; *ret_count && i < items->count; i++) {
		uint64_t key = sign_of(&items->at[i], sign);

		if (key)
			signs[count++] = (struct rt_pair){key, i};
	}
	rt_pairs_sort(signs, count);
	return signs;
}

/* Pair two items that alone have a sign. */
static void pair(struct rt_match *match, uint64_t old, uint64_t new, enum sign sign)
{
	struct rt_match_item *a = &match->side[0].at[old], *b = &match->side[1].at[new];
	bool agree = a->rule == b->rule && (a->path == b->path || a->message == b->message ||
					    (a->code && a->code == b->code));

	if (sign == SIGN_GIVEN && !agree) {
		match->reused.fingerprints++;
		return;
	}
	/* Within a file it is the first of the steps there, and cuts the file in two. */
	if ((sign == SIGN_GUID && a->path == b->path) || rt_match_strangers(match, a, b))
		return;
	rt_match_join(match, (uint32_t)old, (uint32_t) new,
		      sign == SIGN_ACROSS ? RT_MATCH_ACROSS : RT_MATCH_FINGERPRINT, false);
}

/* Pair what has a sign that occurs once on each side. */
static void pair_unique(struct rt_match *match, enum sign sign)
{
	struct rt_pair *signs[2] = {NULL, NULL};
	size_t count[2] = {0, 0}, at[2] = {0, 0};

	signs[0] = list_signs(match, 0, sign, &count[0]);
	if (count[0])
		signs[1] = list_signs(match, 1, sign, &count[1]);
	while (at[0] < count[0] && at[1] < count[1]) {
		const struct rt_pair *a = &signs[0][at[0]], *b = &signs[1][at[1]];
		size_t run_a = rt_pairs_run(a, count[0] - at[0]);
		size_t run_b = rt_pairs_run(b, count[1] - at[1]);

		if (a->key == b->key && run_a == 1 && run_b == 1)
			pair(match, a->value, b->value, sign);
		else if (a->key == b->key)
			match->reused.shared += sign == SIGN_GIVEN;
		at[0] += a->key <= b->key ? run_a : 0;
		at[1] += a->key >= b->key ? run_b : 0;
	}
	free(signs[0]);
	free(signs[1]);
}

/* The first position of the next path. */
uint32_t rt_match_path_end(const struct rt_match_items *items, uint32_t from)
{
	uint32_t to = from + 1;

	while (to < items->count && items->at[to].path == items->at[from].path)
		to++;
	return to;
}

/* Each path that both sides have is a stretch. */
static void same_paths(struct rt_match *match)
{
	const struct rt_match_items *old = &match->side[0], *new = &match->side[1];
	uint32_t i = 0, j = 0;

	while (i < old->count && j < new->count) {
		uint64_t a = old->at[i].path, b = new->at[j].path;
		uint32_t i_end = a <= b ? rt_match_path_end(old, i) : i;
		uint32_t j_end = a >= b ? rt_match_path_end(new, j) : j;

		if (a == b)
			rt_match_push(match, &match->live,
				      (struct rt_match_stretch){{i, j}, {i_end, j_end}});
		i = i_end;
		j = j_end;
	}
}

/* Sort the issues of a side, and note where each is then. */
static void sort_side(struct rt_match *match, struct rt_match_items *items)
{
	items->place = rt_match_alloc(match, items->count * sizeof(*items->place));
	if (!items->place)
		return;
	if (items->count)
		qsort(items->at, items->count, sizeof(*items->at), compare_items);
	for (uint32_t i = 0; i < items->count; i++) {
		items->place[items->at[i].index] = i;
		items->at[i].partner = items->at[i].group = RT_MATCH_NONE;
	}
}

static const struct rt_match_items *side_of(const struct rt_match *match, int side)
{
	return &match->side[match->swapped ? !side : side];
}

/* The repositories that the new side has. */
static void list_repos(struct rt_match *match)
{
	const struct rt_match_items *items = side_of(match, RT_MATCH_NEW);

	match->repos = rt_match_alloc(match, items->count * sizeof(*match->repos));
	match->repo_count = match->repos ? items->count : 0;
	for (size_t i = 0; i < match->repo_count; i++)
		match->repos[i] = (struct rt_pair){items->at[i].repo, 0};
	rt_pairs_sort(match->repos, match->repo_count);
}

enum rt_status rt_match_run(struct rt_match *match, rt_match_path *path_of, void *ctx,
			    struct rt_error *err)
{
	struct rt_match_items *side = match->side, old = side[0];
	struct rt_buf same_files;

	match->fault = (struct rt_fault){RT_OK, err};
	match->swapped = side[0].count > side[1].count ||
			 (side[0].count == side[1].count && side[0].weight > side[1].weight);
	if (match->swapped) {
		side[0] = side[1];
		side[1] = old;
	}
	rt_match_rename_rules(match);
	sort_side(match, &match->side[0]);
	sort_side(match, &match->side[1]);
	list_repos(match);
	rt_match_weigh(match);
	pair_unique(match, SIGN_GIVEN);
	pair_unique(match, SIGN_GUID);
	same_paths(match);
	rt_match_align(match, false);
	same_files = match->live;
	match->live = (struct rt_buf){0};
	rt_match_renamed(match, path_of, ctx);
	rt_match_align(match, true);
	pair_unique(match, SIGN_ACROSS);
	RT_STEP(&match->fault, rt_buf_append(&match->live, same_files.data, same_files.len, err));
	rt_match_ambiguous(match);
	rt_match_count_reused(match);
	rt_buf_release(&same_files);
	return match->fault.status;
}

/* --- Answers ------------------------------------------------------------------------------- */

static const struct rt_match_item *item_of(const struct rt_match *match, enum rt_match_side side,
					   uint32_t index)
{
	const struct rt_match_items *items = side_of(match, (int)side);

	return &items->at[items->place[index]];
}

uint32_t rt_match_partner(const struct rt_match *match, enum rt_match_side side, uint32_t index)
{
	uint32_t partner = item_of(match, side, index)->partner;

	return partner == RT_MATCH_NONE ? RT_MATCH_NONE : side_of(match, !side)->at[partner].index;
}

enum rt_match_by rt_match_by(const struct rt_match *match, enum rt_match_side side, uint32_t index)
{
	return (enum rt_match_by)item_of(match, side, index)->by;
}

uint32_t rt_match_group(const struct rt_match *match, enum rt_match_side side, uint32_t index,
			enum rt_match_by *ret_by)
{
	const struct rt_match_item *item = item_of(match, side, index);

	*ret_by = item->by;
	return item->group;
}

bool rt_match_scanned(const struct rt_match *match, uint32_t old)
{
	uint32_t repo = item_of(match, RT_MATCH_OLD, old)->repo;
	size_t at = rt_pairs_find(match->repos, match->repo_count, repo);

	return at < match->repo_count && match->repos[at].key == repo;
}

enum rt_match_difference rt_match_difference(const struct rt_match *match, enum rt_match_side side,
					     uint32_t index)
{
	const struct rt_match_item *a = item_of(match, side, index), *items[2];
	bool swapped = (side == RT_MATCH_NEW) != match->swapped;

	/* What has the same code and context is the same, whatever hashes say. */
	if (a->partner == RT_MATCH_NONE || a->by % RT_MATCH_IN_FILE != RT_MATCH_CHANGED)
		return RT_MATCH_SAME;
	items[swapped] = a;
	items[!swapped] = &match->side[!swapped].at[a->partner];
	return rt_match_compare_code(match, items[0], items[1]);
}

uint32_t rt_match_groups(const struct rt_match *match)
{
	return match->groups;
}

struct rt_match_reused rt_match_reused(const struct rt_match *match)
{
	struct rt_match_reused reused = match->reused;

	reused.none = true;
	for (int side = 0; side < 2; side++) {
		for (uint32_t i = 0; i < match->side[side].count; i++)
			reused.none = reused.none && !match->side[side].at[i].given;
	}
	return reused;
}
