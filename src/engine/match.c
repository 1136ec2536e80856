/*
 * The issues of two scans as keys, and the order in which they are matched. The keys are hashes
 * under a key of this run, so that nobody can write findings that collide.
 */
#include <stdlib.h>

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
		free(match->side[side].position);
		free(match->side[side].partners);
	}
	free(match->live.at);
	free(match->next.at);
	free(match->rest.at);
	free(match->table);
	free(match->repos);
	rt_buf_release(&match->scratch);
	rt_buf_release(&match->text);
	free(match);
}

/* --- Keys ---------------------------------------------------------------------------------- */

static uint64_t hash(const struct rt_match *match, struct rt_slice text)
{
	uint64_t low = rt_siphash13(&match->key, text).low;

	return low ? low : 1;
}

/* The hash of a text that stands under another hash. */
static uint64_t hash_under(const struct rt_match *match, uint64_t above, struct rt_slice text)
{
	struct rt_siphash_key key = {match->key.k0 ^ above, match->key.k1};
	uint64_t low = rt_siphash13(&key, text).low;

	return low ? low : 1;
}

uint64_t rt_match_mix(const struct rt_match *match, uint64_t a, uint64_t b)
{
	uint64_t both[2] = {a, b};

	return hash(match, rt_slice_make((const char *)both, sizeof(both)));
}

static bool is_blank(char c)
{
	return c == ' ' || (unsigned char)(c - '\t') <= '\r' - '\t';
}

/* Append a text without its blanks. */
static enum rt_status put_dense(struct rt_buf *text, struct rt_slice part, struct rt_error *err)
{
	char *to;

	if (rt_buf_reserve(text, part.len + 1, err) != RT_OK)
		return RT_FATAL;
	to = text->data + text->len;
	for (size_t i = 0; i < part.len; i++) {
		*to = part.ptr[i];
		to += !is_blank(part.ptr[i]);
	}
	text->len = (size_t)(to - text->data);
	return RT_OK;
}

/* Append a text in which each run of digits is a 0: messages name lines and counts. */
static enum rt_status put_message(struct rt_buf *text, struct rt_slice part, struct rt_error *err)
{
	bool digits = false;
	char *to;

	if (rt_buf_reserve(text, part.len + 1, err) != RT_OK)
		return RT_FATAL;
	to = text->data + text->len;
	for (size_t i = 0; i < part.len; i++) {
		bool digit = (unsigned char)(part.ptr[i] - '0') <= 9;

		*to = digit ? '0' : part.ptr[i];
		to += !(digit && digits);
		digits = digit;
	}
	text->len = (size_t)(to - text->data);
	return RT_OK;
}

static enum rt_status member(struct rt_match *match, const struct rt_finding *finding,
			     enum rt_member m, struct rt_slice *ret_text, struct rt_error *err)
{
	return rt_finding_text(finding, m, &match->scratch, ret_text, err);
}

/* Lines and columns beyond 32 bits are the last one; none, and 0, are 0. */
static uint32_t place(const struct rt_finding *finding, enum rt_member m)
{
	struct rt_slice digits = rt_finding_number(finding, m);
	uint64_t value = 0;

	for (size_t i = 0; i < digits.len && value < UINT32_MAX; i++) {
		if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
			return 0;
		value = value * 10 + (uint64_t)(digits.ptr[i] - '0');
	}
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* A number of a text, the same in every run: for an order, where equal ones do no harm. */
static uint64_t number_of(struct rt_slice text)
{
	static const struct rt_siphash_key fixed;

	return rt_siphash13(&fixed, text).low;
}

static enum rt_status add_path(struct rt_match *match, const struct rt_finding *finding,
			       struct rt_match_item *item, uint64_t *digest, struct rt_error *err)
{
	struct rt_slice path;
	struct rt_buf *text = &match->text;
	size_t end;

	if (member(match, finding, RT_M_FILE_PATH, &path, err) != RT_OK)
		return RT_FATAL;
	text->len = 0;
	if (rt_buf_append(text, path.ptr, path.len, err) != RT_OK)
		return RT_FATAL;
	for (size_t i = 0; i < text->len; i++) {
		if (text->data[i] == '\\')
			text->data[i] = '/';
	}
	path = rt_buf_slice(text);
	if (path.len > 2 && memcmp(path.ptr, "./", 2) == 0)
		path = rt_slice_make(path.ptr + 2, path.len - 2);
	item->path = hash(match, path);
	*digest = number_of(path);
	end = path.len;
	for (unsigned n = 0; n < RT_MATCH_TAIL && end > 0; n++) {
		size_t from = end;

		while (from > 0 && path.ptr[from - 1] != '/')
			from--;
		item->tail[n] =
		    (uint16_t)(hash(match, rt_slice_make(path.ptr + from, end - from)) | 1);
		end = from > 0 ? from - 1 : 0;
	}
	return RT_OK;
}

/* Repository and rule, then the message: description, else title. */
static enum rt_status add_message(struct rt_match *match, const struct rt_finding *finding,
				  struct rt_match_item *item, struct rt_error *err)
{
	struct rt_slice repo, rule, raw;
	struct rt_buf *text = &match->text;
	if (member(match, finding, RT_M_REPO_NAME, &repo, err) != RT_OK)
		return RT_FATAL;
	item->repo = repo.ptr ? hash(match, repo) : 0;
	if (member(match, finding, RT_M_CATEGORY, &rule, err) != RT_OK)
		return RT_FATAL;
	item->rule = hash_under(match, item->repo, rule);
	item->order = (uint32_t)number_of(rule);
	if (member(match, finding, RT_M_SEVERITY, &raw, err) != RT_OK)
		return RT_FATAL;
	item->order += (uint32_t)number_of(raw);
	if (member(match, finding, RT_M_DESCRIPTION, &raw, err) != RT_OK)
		return RT_FATAL;
	if (raw.len == 0 && member(match, finding, RT_M_TITLE, &raw, err) != RT_OK)
		return RT_FATAL;
	item->order += (uint32_t)(number_of(raw) >> 32);
	text->len = 0;
	if (put_message(text, raw, err) != RT_OK)
		return RT_FATAL;
	item->message = hash_under(match, item->rule, rt_buf_slice(text));
	return RT_OK;
}

/* The code, and the code with the lines around it, both without blanks. */
static enum rt_status add_code(struct rt_match *match, const struct rt_finding *finding,
			       struct rt_match_item *item, struct rt_error *err)
{
	static const enum rt_member parts[] = {RT_M_CODE_SNIPPET, RT_M_CONTEXT_BEFORE,
					       RT_M_CONTEXT_AFTER};
	struct rt_buf *text = &match->text;
	size_t code_len = 0;

	text->len = 0;
	for (unsigned i = 0; i < 3; i++) {
		struct rt_slice part;

		if (i > 0 && rt_buf_append(text, "", 1, err) != RT_OK)
			return RT_FATAL;
		if (member(match, finding, parts[i], &part, err) != RT_OK ||
		    put_dense(text, part, err) != RT_OK)
			return RT_FATAL;
		if (i == 0)
			code_len = text->len;
		if (code_len == 0)
			return RT_OK;
	}
	item->code = hash(match, rt_slice_make(text->data, code_len));
	item->context = hash(match, rt_buf_slice(text));
	item->order += (uint32_t)number_of(rt_buf_slice(text));
	item->long_code = code_len >= LONG_CODE;
	item->long_context = text->len > code_len + 2 && text->len >= LONG_CONTEXT;
	return RT_OK;
}

/* SARIF ids of our own making are no evidence: they are made of what is compared anyway. */
static bool own_id(struct rt_slice id)
{
	return id.len > 3 && id.ptr[0] == 's' && (id.ptr[1] == '1' || id.ptr[1] == '2') &&
	       id.ptr[2] == '-';
}

enum rt_status rt_match_add(struct rt_match *match, enum rt_match_side side,
			    const struct rt_finding *finding, struct rt_slice fingerprint,
			    struct rt_error *err)
{
	struct rt_match_items *items = &match->side[side];
	struct rt_match_item item = {
	    .partner = RT_MATCH_NONE, .group = RT_MATCH_NONE, .given = fingerprint.ptr != NULL};
	struct rt_slice print = item.given ? fingerprint : finding->record->line_print;
	struct rt_slice id = finding->record->id;
	uint64_t digest;

	if (items->count == items->room) {
		size_t room = items->room ? (size_t)items->room + items->room / 2 : 256;
		void *grown;

		if (room >= RT_MATCH_NONE)
			return rt_error_set(err, RT_E_LIMIT, "too many issues to be matched");
		grown = realloc(items->at, room * sizeof(*items->at));
		if (!grown)
			return rt_error_nomem(err);
		items->at = grown;
		items->room = (uint32_t)room;
	}
	item.index = items->count;
	item.line = place(finding, RT_M_LINE_NUMBER);
	item.column = place(finding, RT_M_COLUMN_START);
	item.column_end = place(finding, RT_M_COLUMN_END);
	item.id = own_id(id) ? 0 : hash(match, id);
	item.print = print.ptr ? hash(match, print) : 0;
	if (add_path(match, finding, &item, &digest, err) != RT_OK ||
	    add_message(match, finding, &item, err) != RT_OK ||
	    add_code(match, finding, &item, err) != RT_OK)
		return RT_FATAL;
	items->at[items->count++] = item;
	items->digest += (digest + item.order) * (2 * (uint64_t)item.line + 1) + item.column;
	return RT_OK;
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

/* A number that is found by another one. */
struct found {
	uint64_t key, value;
};

static int compare_found(const void *left, const void *right)
{
	const struct found *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

bool rt_match_other_code(const struct rt_match_item *a, const struct rt_match_item *b)
{
	return a->code && b->code && a->code != b->code && a->code != a->print &&
	       b->code != b->print;
}

/* The fingerprint of a line stands for its code where that is not shown, or not by the other side
 * (W24). */
static void take_prints(struct rt_match *match)
{
	bool bare[2] = {true, true};

	for (int side = 0; side < 2; side++) {
		for (uint32_t i = 0; i < match->side[side].count; i++)
			bare[side] = bare[side] && !match->side[side].at[i].code;
	}
	for (int side = 0; side < 2; side++) {
		for (uint32_t i = 0; i < match->side[side].count; i++) {
			struct rt_match_item *item = &match->side[side].at[i];

			if (!item->print || item->given || (item->code && !bare[!side]))
				continue;
			item->code = item->print;
			item->context = 0;
			item->long_code = true;
			item->long_context = false;
		}
	}
}

/* Forget codes that are no code, since they are the same nearly everywhere ("requires login"). */
static enum rt_status drop_placeholders(struct rt_match *match, struct rt_error *err)
{
	size_t total = (size_t)match->side[0].count + match->side[1].count, count = 0, places = 0;
	struct found *codes = malloc((total + 1) * sizeof(*codes));

	if (!codes)
		return rt_error_nomem(err);
	for (int side = 0; side < 2; side++) {
		const struct rt_match_items *items = &match->side[side];

		for (uint32_t i = 0; i < items->count; i++) {
			const struct rt_match_item *item = &items->at[i];

			if (i == 0 || item->path != item[-1].path || item->line != item[-1].line)
				places++;
			if (item->code)
				codes[count++] = (struct found){item->code, places};
		}
	}
	qsort(codes, count, sizeof(*codes), compare_found);
	for (size_t from = 0, to; from < count && places >= PLACES_MIN; from = to) {
		size_t different = 1;

		for (to = from + 1; to < count && codes[to].key == codes[from].key; to++)
			different += codes[to].value != codes[to - 1].value;
		/* Marked for the loop below, which looks codes up: kept where they are no code. */
		codes[from].value = different * PLACES_SHARE >= places;
	}
	for (int side = 0; side < 2 && places >= PLACES_MIN; side++) {
		struct rt_match_items *items = &match->side[side];

		for (uint32_t i = 0; i < items->count; i++) {
			struct rt_match_item *item = &items->at[i];
			size_t low = 0, high = count;

			while (item->code && low < high) {
				size_t middle = low + (high - low) / 2;

				if (codes[middle].key < item->code)
					low = middle + 1;
				else
					high = middle;
			}
			if (item->code && codes[low].value == 1) {
				item->code = item->context = 0;
				item->long_code = item->long_context = false;
			}
		}
	}
	free(codes);
	return RT_OK;
}

/* The key of an item that is to stand once on each side of all that is left; 0: none. */
typedef uint64_t key_fn(const struct rt_match *match, const struct rt_match_item *item);

static uint64_t id_key(const struct rt_match *match, const struct rt_match_item *item)
{
	(void)match;
	return item->id;
}

static uint64_t print_key(const struct rt_match *match, const struct rt_match_item *item)
{
	(void)match;
	return item->given ? item->print : 0;
}

static uint64_t across_key(const struct rt_match *match, const struct rt_match_item *item)
{
	return item->long_context ? rt_match_mix(match, item->message, item->context) : 0;
}

/* The unmatched items of a side by their key. ret_count: of *ret_found. */
static enum rt_status unmatched(const struct rt_match *match, int side, key_fn *key,
				struct found **ret_found, size_t *ret_count, struct rt_error *err)
{
	const struct rt_match_items *items = &match->side[side];
	struct found *found = malloc(((size_t)items->count + 1) * sizeof(*found));
	size_t count = 0;

	if (!found)
		return rt_error_nomem(err);
	for (uint32_t i = 0; i < items->count; i++) {
		uint64_t k = items->at[i].partner == RT_MATCH_NONE ? key(match, &items->at[i]) : 0;

		if (k)
			found[count++] = (struct found){k, i};
	}
	qsort(found, count, sizeof(*found), compare_found);
	*ret_found = found;
	*ret_count = count;
	return RT_OK;
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

static size_t run_of(const struct found *found, size_t from, size_t count)
{
	size_t to = from + 1;

	while (to < count && found[to].key == found[from].key)
		to++;
	return to - from;
}

/* Pair what has a key that stands once on each side. */
static enum rt_status pair_unique(struct rt_match *match, key_fn *key, enum rt_match_by by,
				  struct rt_error *err)
{
	struct found *found[2] = {NULL, NULL};
	size_t count[2] = {0, 0}, i = 0, j = 0;
	enum rt_status status = RT_FATAL;

	for (int side = 0; side < 2; side++) {
		if (unmatched(match, side, key, &found[side], &count[side], err) != RT_OK)
			goto out;
	}
	while (i < count[0] && j < count[1]) {
		size_t run_i = run_of(found[0], i, count[0]), run_j = run_of(found[1], j, count[1]);

		if (found[0][i].key < found[1][j].key) {
			i += run_i;
		} else if (found[0][i].key > found[1][j].key) {
			j += run_j;
		} else {
			if (run_i == 1 && run_j == 1)
				pair(match, found[0][i].value, found[1][j].value, by);
			else
				match->reused.shared += by == RT_MATCH_FINGERPRINT;
			i += run_i;
			j += run_j;
		}
	}
	status = RT_OK;
out:
	free(found[0]);
	free(found[1]);
	return status;
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
static enum rt_status same_paths(struct rt_match *match, struct rt_error *err)
{
	const struct rt_match_items *old = &match->side[0], *new = &match->side[1];
	uint32_t i = 0, j = 0;

	while (i < old->count && j < new->count) {
		uint64_t a = old->at[i].path, b = new->at[j].path;
		uint32_t i_end = rt_match_path_end(old, i), j_end = rt_match_path_end(new, j);
		struct rt_match_stretch stretch = {{i, j}, {i_end, j_end}};

		if (a == b && rt_match_push(&match->live, stretch, err) != RT_OK)
			return RT_FATAL;
		if (a <= b)
			i = i_end;
		if (a >= b)
			j = j_end;
	}
	return RT_OK;
}

static enum rt_status sort_side(struct rt_match_items *items, struct rt_error *err)
{
	items->position = malloc(((size_t)items->count + 1) * sizeof(*items->position));
	if (!items->position)
		return rt_error_nomem(err);
	if (items->count)
		qsort(items->at, items->count, sizeof(*items->at), compare_items);
	for (uint32_t i = 0; i < items->count; i++)
		items->position[items->at[i].index] = i;
	return RT_OK;
}

static int compare_hashes(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The repositories that the new side has. */
static enum rt_status list_repos(struct rt_match *match, struct rt_error *err)
{
	const struct rt_match_items *items = &match->side[match->swapped ? 0 : 1];
	uint64_t *repos = malloc(((size_t)items->count + 1) * sizeof(*repos));
	size_t count = 0;

	if (!repos)
		return rt_error_nomem(err);
	for (uint32_t i = 0; i < items->count; i++) {
		if (i == 0 || items->at[i].repo != items->at[i - 1].repo)
			repos[count++] = items->at[i].repo;
	}
	if (count)
		qsort(repos, count, sizeof(*repos), compare_hashes);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || repos[i] != repos[match->repo_count - 1])
			repos[match->repo_count++] = repos[i];
	}
	match->repos = repos;
	return RT_OK;
}

/* Positions change with the order: say who is whose by the order of the input. */
static enum rt_status list_partners(struct rt_match *match, struct rt_error *err)
{
	for (int side = 0; side < 2; side++) {
		struct rt_match_items *items = &match->side[side];
		const struct rt_match_item *others = match->side[!side].at;

		items->partners = malloc(((size_t)items->count + 1) * sizeof(*items->partners));
		if (!items->partners)
			return rt_error_nomem(err);
		for (uint32_t i = 0; i < items->count; i++) {
			uint32_t partner = items->at[i].partner;

			items->partners[items->at[i].index] =
			    partner == RT_MATCH_NONE ? partner : others[partner].index;
		}
	}
	return RT_OK;
}

enum rt_status rt_match_run(struct rt_match *match, struct rt_error *err)
{
	struct rt_match_stretches same_files = {0};
	struct rt_match_items *side = match->side, old = side[0];
	enum rt_status status = RT_FATAL;

	match->swapped = side[0].count > side[1].count ||
			 (side[0].count == side[1].count && side[0].digest > side[1].digest);
	if (match->swapped) {
		side[0] = side[1];
		side[1] = old;
	}
	take_prints(match);
	if (sort_side(&match->side[0], err) != RT_OK || sort_side(&match->side[1], err) != RT_OK ||
	    list_repos(match, err) != RT_OK || drop_placeholders(match, err) != RT_OK ||
	    same_paths(match, err) != RT_OK ||
	    pair_unique(match, print_key, RT_MATCH_FINGERPRINT, err) != RT_OK ||
	    rt_match_align(match, RT_MATCH_CONTEXT, RT_MATCH_CODE, false, err) != RT_OK ||
	    pair_unique(match, id_key, RT_MATCH_ID, err) != RT_OK ||
	    rt_match_align(match, RT_MATCH_COLUMN, RT_MATCH_COLUMN, false, err) != RT_OK)
		goto out;
	same_files = match->live;
	match->live = (struct rt_match_stretches){0};
	if (rt_match_renamed(match, err) != RT_OK ||
	    rt_match_align(match, RT_MATCH_CONTEXT, RT_MATCH_COLUMN, true, err) != RT_OK ||
	    pair_unique(match, across_key, RT_MATCH_ACROSS, err) != RT_OK)
		goto out;
	for (size_t i = 0; i < same_files.count; i++) {
		if (rt_match_push(&match->live, same_files.at[i], err) != RT_OK)
			goto out;
	}
	status = rt_match_ambiguous(match, err);
	if (status == RT_OK)
		status = list_partners(match, err);
out:
	free(same_files.at);
	return status;
}

/* --- Answers ------------------------------------------------------------------------------- */

static const struct rt_match_items *items_of(const struct rt_match *match, enum rt_match_side side)
{
	return &match->side[match->swapped ? !side : side];
}

static const struct rt_match_item *item_of(const struct rt_match *match, enum rt_match_side side,
					   uint32_t index)
{
	const struct rt_match_items *items = items_of(match, side);

	return &items->at[items->position[index]];
}

uint32_t rt_match_partner(const struct rt_match *match, enum rt_match_side side, uint32_t index)
{
	return items_of(match, side)->partners[index];
}

enum rt_match_by rt_match_by(const struct rt_match *match, enum rt_match_side side, uint32_t index)
{
	return item_of(match, side, index)->by;
}

uint32_t rt_match_group(const struct rt_match *match, enum rt_match_side side, uint32_t index,
			enum rt_match_by *ret_by)
{
	const struct rt_match_item *item = item_of(match, side, index);

	*ret_by = item->by;
	return item->group;
}

uint64_t rt_match_rule(const struct rt_match *match, enum rt_match_side side, uint32_t index)
{
	return item_of(match, side, index)->rule;
}

bool rt_match_scanned(const struct rt_match *match, uint32_t old)
{
	return bsearch(&item_of(match, RT_MATCH_OLD, old)->repo, match->repos, match->repo_count,
		       sizeof(*match->repos), compare_hashes) != NULL;
}

bool rt_match_code_changed(const struct rt_match *match, uint32_t old)
{
	const struct rt_match_item *item = item_of(match, RT_MATCH_OLD, old);

	return item->partner != RT_MATCH_NONE &&
	       rt_match_other_code(item, &items_of(match, RT_MATCH_NEW)->at[item->partner]);
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
