/*
 * CWE numbers, the newest category of OWASP, and tags: from taxa, relationships and property bags
 * of a result and its rule. What a rule says is found out once, with the tables of its run.
 */
#include "sarif/weakness.h"

#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "sarif/run.h"

/* Digits of a CWE number; real ones have four. */
#define CWE_DIGITS 18u
/* --- CWE numbers and categories in text ------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether a byte is part of a word. */
static bool is_word(char c)
{
	return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

/* Whether what is between a name and its number. */
static bool is_between(char c)
{
	return c == '-' || c == '_' || c == ':' || c == '/' || rt_is_blank(c);
}

static const char *digits_skip(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

/* Add the number of some digits, zeros in front of it left out; 0 is no weakness. */
static void number_add(const char *at, const char *end, struct rt_buf *numbers,
		       struct rt_sarif_fault *fault)
{
	uint64_t number = 0;

	while (at < end && *at == '0')
		at++;
	if (at == end || (size_t)(end - at) > CWE_DIGITS)
		return;
	for (; at < end; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	(void)rt_sarif_goes(fault, rt_buf_append(numbers, &number, sizeof(number), &fault->err));
}

/*
 * The next "cwe-79" in a text, in its many spellings. from: where to look; moved after it.
 * ret_digits, ret_end: its digits. Returns false where there is no more.
 */
static bool cwe_next(struct rt_slice text, size_t *from, const char **ret_digits,
		     const char **ret_end)
{
	const char *end = rt_slice_end(text);

	while (text.ptr && text.len - *from >= 4) {
		const char *at = text.ptr + *from, *digits = at + 3;

		++*from;
		if (strncasecmp(at, "cwe", 3) != 0 || (at > text.ptr && is_word(at[-1])))
			continue;
		while (digits < end && is_between(*digits))
			digits++;
		*ret_digits = digits;
		*ret_end = digits_skip(digits, end);
		*from = (size_t)(*ret_end - text.ptr);
		if (*ret_end > digits && (*ret_end == end || !is_word(**ret_end)))
			return true;
	}
	return false;
}

static void cwe_collect(struct rt_slice text, struct rt_buf *numbers, struct rt_sarif_fault *fault)
{
	const char *digits, *end;
	size_t from = 0;

	while (cwe_next(text, &from, &digits, &end))
		number_add(digits, end, numbers, fault);
}

/* A list in a text: pieces between commas, each of numbers alone or with "cwe" before one. */
static void list_collect(struct rt_slice text, struct rt_buf *numbers, struct rt_sarif_fault *fault)
{
	const char *at = text.ptr, *end = rt_slice_end(text);

	while (at < end) {
		const char *from = at, *digits;
		bool bare = true;

		for (; at < end && *at != ',' && *at != ';'; at++)
			bare &= is_digit(*at) || rt_is_blank(*at);
		if (!bare)
			cwe_collect(rt_slice_make(from, (size_t)(at - from)), numbers, fault);
		for (; bare && from < at; from = digits + (digits == from)) {
			digits = digits_skip(from, at);
			if (digits > from)
				number_add(from, digits, numbers, fault);
		}
		at += at < end;
	}
}

/* The first "owasp" in a text, in any case. */
static bool owasp_is_in(struct rt_slice text)
{
	for (size_t i = 0; text.ptr && i + 5 <= text.len; i++) {
		if (strncasecmp(text.ptr + i, "owasp", 5) == 0)
			return true;
	}
	return false;
}

/* Whether a word is a year of OWASP's lists; its end is known to be one of a word. */
static unsigned year_read(const char *at, const char *end)
{
	if (digits_skip(at, end) - at != 4 || at[0] != '2' || at[1] != '0')
		return 0;
	return 2000 + (unsigned)(at[2] - '0') * 10 + (unsigned)(at[3] - '0');
}

/* Whether a word is a code: A or API, one or two digits. */
static bool code_read(struct rt_slice word, char code[8])
{
	size_t letters = word.len > 3 && strncasecmp(word.ptr, "API", 3) == 0 ? 3 : 1;

	if (word.len <= letters || word.len > letters + 2 || (*word.ptr | 0x20) != 'a' ||
	    digits_skip(word.ptr + letters, word.ptr + word.len) != word.ptr + word.len)
		return false;
	memcpy(code, "API", letters);
	memcpy(code + letters, word.ptr + letters, word.len - letters);
	code[word.len] = '\0';
	return true;
}

/* Take a category, if it is newer than what is known. */
static void owasp_take(const struct rt_sarif_owasp *found, struct rt_sarif_owasp *owasp)
{
	if (found->code[0] && (!owasp->code[0] || found->year > owasp->year))
		*owasp = *found;
}

/* Take a tag's categories of OWASP: A05:2021, A1; 2021-A05, where the year is not that of a code
 * before it. */
static void owasp_collect(struct rt_slice tag, struct rt_sarif_owasp *owasp)
{
	const char *at = tag.ptr, *end = rt_slice_end(tag);
	struct rt_sarif_owasp found = {0};
	unsigned before = 0;

	if (!at || !owasp_is_in(tag))
		return;
	while (at < end) {
		const char *from = at;
		struct rt_slice word;
		unsigned year;

		/* An underscore parts words here: OWASP_A05_2021. */
		while (at < end && is_word(*at) && *at != '_')
			at++;
		word = rt_slice_make(from, (size_t)(at - from));
		at += !word.len;
		if (!word.len)
			continue;
		year = year_read(from, at);
		if (found.code[0] && !found.year) {
			found.year = year;
			year = 0;
		}
		owasp_take(&found, owasp);
		found.code[0] = '\0';
		found.year = before;
		(void)code_read(word, found.code);
		before = year;
	}
	owasp_take(&found, owasp);
}

/* --- Tags and properties ---------------------------------------------------------------------- */

/* Go over the elements of a value that should be a list of strings, or is one string. */
static void strings_init(struct rt_items *items, struct rt_slice value)
{
	rt_items_init(items, value);
	if (rt_sarif_type(value) != RT_SARIF_ARRAY)
		*items = (struct rt_items){value.ptr, rt_slice_end(value), false};
}

void rt_sarif_tags_check(struct rt_slice tags, struct rt_sarif_fault *fault)
{
	struct rt_items items;
	struct rt_item item;

	rt_sarif_is(tags, RT_SARIF_STRING | RT_SARIF_ARRAY, "tags", fault);
	strings_init(&items, tags);
	while (rt_sarif_next_item(&items, &item, fault))
		rt_sarif_is(item.value, RT_SARIF_STRING, "tags", fault);
}

/* Find numbers and categories in the tags and `cwe` of a property bag. */
static void bag_collect(const struct rt_slice *properties, struct rt_buf *numbers,
			struct rt_sarif_owasp *owasp, struct rt_buf *room,
			struct rt_sarif_fault *fault)
{
	struct rt_slice tags = properties[RT_SARIF_TAGS], value, text;
	struct rt_items items;
	struct rt_item item;

	rt_sarif_tags_check(tags, fault);
	strings_init(&items, tags);
	while (rt_sarif_next_item(&items, &item, fault)) {
		text = rt_sarif_decode(item.value, room, fault);
		cwe_collect(text, numbers, fault);
		owasp_collect(text, owasp);
	}
	strings_init(&items, properties[RT_SARIF_CWE]);
	while (rt_sarif_next_item(&items, &item, fault)) {
		value = item.value;
		if (rt_sarif_type(value) == RT_SARIF_STRING)
			list_collect(rt_sarif_decode(value, room, fault), numbers, fault);
		else if (rt_sarif_type(value) == RT_SARIF_NUMBER &&
			 digits_skip(value.ptr, value.ptr + value.len) == value.ptr + value.len)
			number_add(value.ptr, value.ptr + value.len, numbers, fault);
	}
}

/* --- Taxa ------------------------------------------------------------------------------------- */

/* Add the number of a reference to a taxon, if it is one of CWE. */
static void taxon_collect(const struct rt_sarif_run *run, struct rt_slice reference,
			  struct rt_buf *numbers, struct rt_buf *room, struct rt_sarif_fault *fault)
{
	const char *digits, *end;
	struct rt_slice id;
	size_t from = 0;
	bool is_cwe;

	rt_sarif_is(reference, RT_SARIF_OBJECT, "taxa", fault);
	id = rt_sarif_taxon(run, reference, room, &is_cwe, fault);
	if (fault->status != RT_OK || !id.len)
		return;
	if (is_cwe && digits_skip(id.ptr, id.ptr + id.len) == id.ptr + id.len)
		number_add(id.ptr, id.ptr + id.len, numbers, fault);
	/* The whole of it, not a word in some other id. */
	else if ((*id.ptr | 0x20) == 'c' && cwe_next(id, &from, &digits, &end) && from == id.len)
		number_add(digits, end, numbers, fault);
}

/* Whether a relationship's kinds, which are strings, all say that its target is no taxon of the
 * rule. */
static bool is_unrelated(struct rt_slice kinds)
{
	bool unrelated = false;
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, kinds);
	while (rt_items_next(&items, &item)) {
		unrelated = rt_sarif_equals(item.value, RT_SLICE("disjoint")) ||
			    rt_sarif_equals(item.value, RT_SLICE("incomparable"));
		if (!unrelated)
			return false;
	}
	return unrelated;
}

static void relationships_collect(const struct rt_sarif_run *run, struct rt_slice list,
				  struct rt_buf *numbers, struct rt_buf *room,
				  struct rt_sarif_fault *fault)
{
	struct rt_slice values[RT_SARIF_RELATIONSHIPS], target;
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, list);
	while (rt_sarif_next_item(&items, &item, fault)) {
		rt_sarif_cut(item.value, NULL, &rt_sarif_relationship_cut, values,
			     RT_SARIF_RELATIONSHIPS, fault);
		target = values[RT_SARIF_TARGET];
		if (target.ptr && !is_unrelated(values[RT_SARIF_KINDS]))
			taxon_collect(run, target, numbers, room, fault);
	}
}

/* --- Results and rules ------------------------------------------------------------------------ */

static int number_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sort numbers, and keep each once. */
static void numbers_sort(struct rt_buf *numbers)
{
	uint64_t *all = (uint64_t *)(void *)numbers->data;
	size_t count = numbers->len / sizeof(*all), kept = 0;

	if (count < 2)
		return;
	qsort(all, count, sizeof(*all), number_compare);
	for (size_t i = 1; i < count; i++) {
		if (all[i] != all[kept])
			all[++kept] = all[i];
	}
	numbers->len = (kept + 1) * sizeof(*all);
}

void rt_sarif_weaknesses_release(struct rt_sarif_weaknesses *weaknesses)
{
	rt_buf_release(&weaknesses->numbers);
	rt_buf_release(&weaknesses->room);
}

void rt_sarif_weaknesses_make(struct rt_sarif_weaknesses *weaknesses,
			      const struct rt_sarif_run *run, struct rt_slice taxa,
			      const struct rt_slice *result, const struct rt_sarif_rule *rule,
			      struct rt_sarif_fault *fault)
{
	struct rt_buf *numbers = &weaknesses->numbers;
	struct rt_items items;
	struct rt_item item;

	numbers->len = 0;
	weaknesses->owasp = rule ? rule->owasp : (struct rt_sarif_owasp){0};
	if (rule && rule->weakness_count)
		(void)rt_sarif_goes(fault, rt_buf_append(numbers, rule->weaknesses,
							 rule->weakness_count * sizeof(uint64_t),
							 &fault->err));
	rt_items_init(&items, taxa);
	while (rt_sarif_next_item(&items, &item, fault))
		taxon_collect(run, item.value, numbers, &weaknesses->room, fault);
	bag_collect(result, numbers, &weaknesses->owasp, &weaknesses->room, fault);
	numbers_sort(numbers);
}

/* Append the tags of a list that have not been seen yet, each with a comma before it. */
static void tags_put(const struct rt_sarif_run *run, struct rt_slice list, struct rt_map *seen,
		     struct rt_buf *out, struct rt_buf *room, struct rt_sarif_fault *fault)
{
	struct rt_put put = {out, &fault->err, fault->status};
	struct rt_items items;
	struct rt_item item;

	strings_init(&items, list);
	while (rt_sarif_next_item(&items, &item, fault)) {
		struct rt_slice text = rt_sarif_decode(item.value, room, fault);
		uint32_t *slot = rt_map_put(seen, rt_siphash(&run->key, text), &fault->err);

		if (slot && !*slot) {
			RT_PUT(&put, ",");
			rt_put(&put, item.value);
			*slot = 1;
		}
		(void)rt_sarif_goes(fault, slot ? put.status : RT_FATAL);
	}
}

/* Append tags of a rule and of a result, each once, as a JSON array. */
static void tags_unite(const struct rt_sarif_run *run, struct rt_slice rules, struct rt_slice own,
		       struct rt_buf *room, struct rt_buf *out, struct rt_sarif_fault *fault)
{
	struct rt_map seen = {0};
	size_t from = out->len;

	tags_put(run, rules, &seen, out, room, fault);
	tags_put(run, own, &seen, out, room, fault);
	rt_map_release(&seen);
	if (out->len == from)
		(void)rt_sarif_goes(fault, rt_buf_append(out, ",", 1, &fault->err));
	/* In place of the first comma. */
	if (rt_sarif_goes(fault, rt_buf_append(out, "]", 1, &fault->err)))
		out->data[from] = '[';
}

void rt_sarif_tags(struct rt_sarif_weaknesses *weaknesses, const struct rt_sarif_run *run,
		   const struct rt_slice *result, const struct rt_sarif_rule *rule,
		   struct rt_buf *out, struct rt_sarif_fault *fault)
{
	struct rt_slice own = result[RT_SARIF_TAGS];
	struct rt_slice rules = rule ? rule->tags : rt_slice_make(NULL, 0);

	if (!own.ptr && rules.ptr)
		(void)rt_sarif_goes(fault, rt_buf_append(out, rules.ptr, rules.len, &fault->err));
	else
		tags_unite(run, rules, own, &weaknesses->room, out, fault);
}

/* --- Rules ------------------------------------------------------------------------------------ */

static void rule_end(struct rt_sarif_weaknesses *found, struct rt_sarif_run *run,
		     struct rt_sarif_rule *rule, struct rt_sarif_fault *fault)
{
	struct rt_buf *numbers = &found->numbers;
	struct rt_slice tags = rule->properties[RT_SARIF_TAGS], kept;

	numbers->len = 0;
	rule->owasp = (struct rt_sarif_owasp){0};
	relationships_collect(run, rule->relationships, numbers, &found->room, fault);
	bag_collect(rule->properties, numbers, &rule->owasp, &found->room, fault);
	numbers_sort(numbers);
	if (fault->status == RT_OK && numbers->len) {
		kept = rt_sarif_memory_copy(run, rt_buf_slice(numbers), fault);
		rule->weaknesses = (const uint64_t *)(const void *)kept.ptr;
	}
	rule->weakness_count = fault->status == RT_OK ? numbers->len / sizeof(uint64_t) : 0;
	numbers->len = 0;
	if (tags.ptr) {
		tags_unite(run, tags, rt_slice_make(NULL, 0), &found->room, numbers, fault);
		rule->tags = rt_sarif_memory_copy(run, rt_buf_slice(numbers), fault);
	}
}

void rt_sarif_weaknesses_end(struct rt_sarif_run *run, struct rt_sarif_fault *fault)
{
	struct rt_sarif_rule *rules = rt_sarif_rules(run);
	struct rt_sarif_weaknesses found = {.numbers = {0}};
	const size_t count = run->rules.len / sizeof(*rules);

	for (size_t i = 0; i < count && fault->status == RT_OK; i++)
		rule_end(&found, run, &rules[i], fault);
	rt_sarif_weaknesses_release(&found);
}
