/*
 * The issues of two scans as keys, and the order in which they are matched. The keys are hashes
 * under a key of this run, so that nobody can write findings that collide.
 */
#include <stdlib.h>

#include "base/pairs.h"
#include "engine/match_state.h"

#define LONG_CODE 12u
#define LONG_CONTEXT 40u
/* A text that is the code of a tenth of at least so many places is a placeholder. */
#define PLACES_MIN 50u
#define PLACES_SHARE 10u

static const char *const by_names[RT_MATCH_BYS] = {
    "context",      "code",           "column",          "changed", "renamed-context",
    "renamed-code", "renamed-column", "renamed-changed", "across",  "fingerprint",
    "id",
};

const char *rt_match_by_name(enum rt_match_by by)
{
	return by_names[by];
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
	rt_buf_release(&match->live);
	rt_buf_release(&match->next);
	rt_buf_release(&match->rest);
	free(match->table);
	free(match->repos);
	rt_buf_release(&match->scratch);
	rt_buf_release(&match->text);
	free(match);
}

/* --- Keys ---------------------------------------------------------------------------------- */

static uint64_t hash(const struct rt_match *match, struct rt_slice text)
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

/* Put what counts of a member behind what is in match->text; nothing after a fault. */
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

static uint64_t add_path(struct rt_match *match, const struct rt_record *record,
			 struct rt_match_item *item)
{
	struct rt_slice path;
	size_t at;

	match->text.len = 0;
	path = fold(match, string_of(record, RT_M_FILE_PATH), RT_FOLD_PATH);
	if (path.len > 2 && memcmp(path.ptr, "./", 2) == 0)
		path = rt_slice_make(path.ptr + 2, path.len - 2);
	item->path = hash(match, path);
	at = path.len;
	for (unsigned n = 0; n < RT_MATCH_TAIL && at > 0; n++) {
		uint32_t component = 0;

		while (at > 0 && path.ptr[--at] != '/')
			component = component * 31 + (unsigned char)path.ptr[at];
		item->tail[n] = (uint16_t)((component ^ component >> 15) | 1);
	}
	return rt_fold_number(path);
}

/* Repository and rule, then the message: description, else title. */
static void add_message(struct rt_match *match, const struct rt_record *record,
			struct rt_match_item *item)
{
	struct rt_slice raw = string_of(record, RT_M_DESCRIPTION), text;
	uint64_t under;

	text = text_of(match, record, RT_M_REPO_NAME);
	under = text.ptr ? hash(match, text) : 0;
	item->repo = (uint32_t)under;
	text = text_of(match, record, RT_M_CATEGORY);
	under = hash_under(match, under, text);
	item->rule = (uint32_t)under;
	if (raw.len == 0)
		raw = string_of(record, RT_M_TITLE);
	item->order = rt_fold_number(text) + rt_fold_number(raw) +
		      rt_fold_number(string_of(record, RT_M_SEVERITY));
	match->text.len = 0;
	item->message = hash_under(match, under, fold(match, raw, RT_FOLD_MESSAGE));
}

/* The code, and the code with the lines around it, both without blanks. */
static void add_code(struct rt_match *match, const struct rt_record *record,
		     struct rt_match_item *item)
{
	struct rt_buf *text = &match->text;
	struct rt_slice code;

	text->len = 0;
	code = fold(match, string_of(record, RT_M_CODE_SNIPPET), RT_FOLD_CODE);
	if (code.len == 0)
		return;
	item->code = hash(match, code);
	item->long_code = code.len >= LONG_CODE;
	item->order += rt_fold_number(code);
	text->len = 0;
	(void)fold(match, string_of(record, RT_M_CONTEXT_BEFORE), RT_FOLD_CODE);
	RT_STEP(&match->fault, rt_buf_append(text, "", 1, match->fault.err));
	(void)fold(match, string_of(record, RT_M_CONTEXT_AFTER), RT_FOLD_CODE);
	item->context = hash_under(match, item->code, rt_buf_slice(text));
	item->order += rt_fold_number(rt_buf_slice(text));
	item->long_context = text->len > 1 && code.len + text->len + 1 >= LONG_CONTEXT;
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
	struct rt_match_item item = {
	    .partner = RT_MATCH_NONE, .group = RT_MATCH_NONE, .given = fingerprint.ptr != NULL};
	struct rt_slice print = item.given ? fingerprint : record->line_print;
	struct rt_slice id = record->id;
	uint64_t digest;

	match->fault = (struct rt_fault){grow(items, err), err};
	item.id = own_id(id) ? 0 : hash(match, id);
	item.print = print.ptr ? hash(match, print) : 0;
	digest = add_path(match, record, &item);
	add_message(match, record, &item);
	add_code(match, record, &item);
	if (match->fault.status != RT_OK)
		return RT_FATAL;
	item.index = items->count;
	item.line = place(record, RT_M_LINE_NUMBER);
	item.column = place(record, RT_M_COLUMN_START);
	item.column_end = place(record, RT_M_COLUMN_END);
	items->at[items->count++] = item;
	items->digest += (digest + item.order) * (2 * (uint64_t)item.line + 1) + item.column;
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
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	if (a->column_end != b->column_end)
		return a->column_end < b->column_end ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

bool rt_match_other_code(const struct rt_match_item *a, const struct rt_match_item *b)
{
	return a->code && b->code && a->code != b->code && !a->of_print && !b->of_print;
}

/* The fingerprint of a line stands for its code where that is not shown, or not by the other side
 * (W24). Done before the issues are sorted. */
static void take_prints(struct rt_match *match)
{
	bool bare[2] = {true, true};

	for (int side = 0; side < 2; side++) {
		for (uint32_t i = 0; i < match->side[side].count; i++)
			bare[side] = bare[side] && !match->side[side].at[i].code;
	}
	for (int side = 0; side < 2; side++) {
		const struct rt_match_items *items = &match->side[side];

		for (uint32_t i = 0; i < items->count; i++) {
			struct rt_match_item *item = &items->at[i];

			if (!item->print || item->given || (item->code && !bare[!side]))
				continue;
			item->code = item->print;
			item->context = 0;
			item->of_print = item->long_code = true;
			item->long_context = false;
		}
	}
}

/* Move the codes of so many places that they are placeholders to the front. Returns how many. */
static size_t find_placeholders(struct rt_pair *codes, size_t count, size_t places)
{
	size_t found = 0;

	rt_pairs_sort(codes, count);
	for (size_t from = 0, to; from < count; from = to) {
		size_t different = 1;

		to = from + rt_pairs_run(codes + from, count - from);
		for (size_t i = from + 1; i < to; i++)
			different += codes[i].value != codes[i - 1].value;
		if (different * PLACES_SHARE >= places)
			codes[found++] = codes[from];
	}
	return found;
}

/* The codes of both sides, with a number of their place each. Returns how many; ret_places: of all.
 */
static size_t list_codes(const struct rt_match *match, struct rt_pair *codes, size_t *ret_places)
{
	size_t count = 0, place = 0;

	for (int side = 0; side < 2; side++) {
		const struct rt_match_items *items = &match->side[side];

		for (uint32_t i = 0; i < items->count; i++) {
			const struct rt_match_item *item = &items->at[i];

			place +=
			    i == 0 || item->path != item[-1].path || item->line != item[-1].line;
			if (item->code)
				codes[count++] = (struct rt_pair){item->code, place};
		}
	}
	*ret_places = place;
	return count;
}

/* A text that stands for code at very many places is none (W26). */
static void drop_placeholders(struct rt_match *match)
{
	size_t all = (size_t)match->side[0].count + match->side[1].count, places, count, found = 0;
	struct rt_pair *codes = rt_match_alloc(match, all * sizeof(*codes));

	if (!codes)
		return;
	count = list_codes(match, codes, &places);
	if (places >= PLACES_MIN)
		found = find_placeholders(codes, count, places);
	for (int side = 0; side < 2 && found; side++) {
		for (uint32_t i = 0; i < match->side[side].count; i++) {
			struct rt_match_item *item = &match->side[side].at[i];

			count = rt_pairs_find(codes, found, item->code);
			if (count == found || codes[count].key != item->code)
				continue;
			item->code = item->context = 0;
			item->long_code = item->long_context = false;
		}
	}
	free(codes);
}

/* What is to stand once on each side of all that is left; 0: nothing. */
static uint64_t sign_of(const struct rt_match_item *item, enum rt_match_by by)
{
	if (item->partner != RT_MATCH_NONE)
		return 0;
	if (by == RT_MATCH_ACROSS)
		return item->long_context ? rt_match_mix(item->message, item->context) : 0;
	if (by == RT_MATCH_ID)
		return item->id;
	return item->given ? item->print : 0;
}

/* The unmatched items of a side by their sign, to be freed. Returns NULL where memory is out. */
static struct rt_pair *list_signs(struct rt_match *match, int side, enum rt_match_by by,
				  size_t *ret_count)
{
	const struct rt_match_items *items = &match->side[side];
	size_t count = 0;
	struct rt_pair *signs;

	for (uint32_t i = 0; i < items->count; i++)
		count += sign_of(&items->at[i], by) != 0;
	signs = rt_match_alloc(match, count * sizeof(*signs));
	*ret_count = signs ? count : 0;
	count = 0;
	for (uint32_t i = 0; *ret_count && i < items->count; i++) {
		uint64_t sign = sign_of(&items->at[i], by);

		if (sign)
			signs[count++] = (struct rt_pair){sign, i};
	}
	rt_pairs_sort(signs, count);
	return signs;
}

static void pair(struct rt_match *match, uint64_t old, uint64_t new, enum rt_match_by by)
{
	struct rt_match_item *a = &match->side[0].at[old], *b = &match->side[1].at[new];
	bool agree = a->rule == b->rule && (a->path == b->path || a->message == b->message ||
					    (a->code && a->code == b->code));

	if (by != RT_MATCH_ACROSS && !agree) {
		match->reused.ids += by == RT_MATCH_ID;
		match->reused.fingerprints += by == RT_MATCH_FINGERPRINT;
		return;
	}
	a->partner = (uint32_t) new;
	b->partner = (uint32_t)old;
	a->by = b->by = (uint8_t)by;
}

/* Pair what has a sign that occurs once on each side. */
static void pair_unique(struct rt_match *match, enum rt_match_by by)
{
	struct rt_pair *signs[2] = {NULL, NULL};
	size_t count[2] = {0, 0}, at[2] = {0, 0};

	signs[0] = list_signs(match, 0, by, &count[0]);
	if (count[0])
		signs[1] = list_signs(match, 1, by, &count[1]);
	while (at[0] < count[0] && at[1] < count[1]) {
		const struct rt_pair *a = &signs[0][at[0]], *b = &signs[1][at[1]];
		size_t run_a = rt_pairs_run(a, count[0] - at[0]);
		size_t run_b = rt_pairs_run(b, count[1] - at[1]);

		if (a->key == b->key && run_a == 1 && run_b == 1)
			pair(match, a->value, b->value, by);
		else if (a->key == b->key)
			match->reused.shared += by == RT_MATCH_FINGERPRINT;
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
		uint32_t i_end = rt_match_path_end(old, i), j_end = rt_match_path_end(new, j);

		if (a == b)
			rt_match_push(match, &match->live,
				      (struct rt_match_stretch){{i, j}, {i_end, j_end}});
		if (a <= b)
			i = i_end;
		if (a >= b)
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
	for (uint32_t i = 0; i < items->count; i++)
		items->place[items->at[i].index] = i;
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

enum rt_status rt_match_run(struct rt_match *match, struct rt_error *err)
{
	struct rt_match_items *side = match->side, old = side[0];
	struct rt_buf same_files;

	match->fault = (struct rt_fault){RT_OK, err};
	match->swapped = side[0].count > side[1].count ||
			 (side[0].count == side[1].count && side[0].digest > side[1].digest);
	if (match->swapped) {
		side[0] = side[1];
		side[1] = old;
	}
	take_prints(match);
	sort_side(match, &match->side[0]);
	sort_side(match, &match->side[1]);
	list_repos(match);
	drop_placeholders(match);
	same_paths(match);
	pair_unique(match, RT_MATCH_FINGERPRINT);
	rt_match_align(match, RT_MATCH_CONTEXT, RT_MATCH_CODE, false);
	pair_unique(match, RT_MATCH_ID);
	rt_match_align(match, RT_MATCH_COLUMN, RT_MATCH_COLUMN, false);
	same_files = match->live;
	match->live = (struct rt_buf){0};
	rt_match_renamed(match);
	rt_match_align(match, RT_MATCH_CONTEXT, RT_MATCH_COLUMN, true);
	pair_unique(match, RT_MATCH_ACROSS);
	RT_STEP(&match->fault, rt_buf_append(&match->live, same_files.data, same_files.len, err));
	rt_match_ambiguous(match);
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

bool rt_match_code_changed(const struct rt_match *match, uint32_t old)
{
	const struct rt_match_item *item = item_of(match, RT_MATCH_OLD, old);

	return item->partner != RT_MATCH_NONE &&
	       rt_match_other_code(item, &side_of(match, RT_MATCH_NEW)->at[item->partner]);
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
