/*
 * Changes are patches of the value's text, so that all else stays as it is written. Messages and
 * addresses are changed where SARIF has them, and not in code that looks the same.
 */
#include "output/sarif_change.h"

#include <stdio.h>

#include "base/json_string.h"
#include "base/uuid.h"
#include "engine/edit.h"
#include "output/sarif_fit.h"
#include "sarif/object.h"

#define NONE SIZE_MAX

/* A value that is being changed. */
struct changing {
	struct rt_change *c;
	struct rt_slice text; /* patches are of its bytes */
	bool unindexed;
	enum rt_status status; /* the first failure sticks */
	struct rt_error *err;
};

/* Replace a part of the text. */
static void replace(struct changing *w, const char *from, const char *to, struct rt_slice by)
{
	const struct rt_patch patch = {
	    .offset = (uint64_t)(from - w->text.ptr), .len = (uint64_t)(to - from), .text = by};

	if (w->status == RT_OK)
		w->status = rt_patches_add(&w->c->patches, patch, w->err);
}

static void edit(struct changing *w, struct rt_slice object, struct rt_edit by)
{
	if (w->status == RT_OK)
		w->status = rt_edit_object(object, &by, 1, 0, (uint64_t)(object.ptr - w->text.ptr),
					   &w->c->patches, w->err);
}

/* Apply the patches. Returns the text that comes of it, in out or as it was. */
static struct rt_slice apply(struct changing *w, struct rt_buf *out)
{
	struct rt_patches *patches = &w->c->patches;
	struct rt_slice text = w->text;

	if (w->status != RT_OK || !rt_patches_count(patches))
		return text;
	rt_patches_sort(patches);
	w->status = rt_edit_apply(text, patches, 0, out, w->err);
	rt_patches_release(patches);
	return w->status == RT_OK ? rt_buf_slice(out) : text;
}

static bool is_array(struct rt_slice value)
{
	return rt_sarif_type(value) == RT_SARIF_ARRAY;
}

/* --- What GitHub takes ------------------------------------------------------------------------ */

/* Keep the first elements of an array. Returns how many go. */
static uint64_t cut_list(struct changing *w, struct rt_slice list, size_t keep)
{
	const char *from = list.ptr + 1, *to = from;
	struct rt_items items;
	struct rt_item item;
	size_t count = 0;

	rt_items_init(&items, list);
	while (rt_items_next(&items, &item)) {
		to = rt_slice_end(item.value);
		if (count++ < keep)
			from = to;
	}
	if (count <= keep)
		return 0;
	replace(w, from, to, RT_SLICE(""));
	return count - keep;
}

/* Locations of a flow. */
static uint64_t count_steps(struct rt_slice flow)
{
	struct rt_slice threads = rt_sarif_member(flow, RT_SLICE("threadFlows"));
	struct rt_items items;
	struct rt_item item;
	uint64_t steps = 0;

	rt_items_init(&items, threads);
	while (is_array(threads) && rt_items_next(&items, &item))
		steps += rt_sarif_count(rt_sarif_member(item.value, RT_SLICE("locations")));
	return steps;
}

static void cut_flows(struct changing *w, struct rt_slice flows)
{
	struct rt_items items;
	struct rt_item item;
	uint64_t steps = 0;
	size_t keep = 0;

	rt_items_init(&items, flows);
	while (rt_items_next(&items, &item)) {
		steps += count_steps(item.value);
		keep += steps <= RT_GITHUB_STEPS;
	}
	w->c->counts->flows += cut_list(w, flows, keep);
}

static void cut_result(struct changing *w)
{
	struct rt_slice locations = rt_sarif_member(w->text, RT_SLICE("locations"));
	struct rt_slice flows = rt_sarif_member(w->text, RT_SLICE("codeFlows"));

	if (is_array(locations))
		w->c->counts->locations += cut_list(w, locations, RT_GITHUB_LOCATIONS);
	if (is_array(flows))
		cut_flows(w, flows);
}

/* Tags that GitHub reads itself. */
static bool is_read(struct rt_slice tag)
{
	static const struct rt_slice weakness = RT_SLICE("\"external/cwe/");

	return rt_sarif_equals(tag, RT_SLICE("security")) ||
	       (tag.len > weakness.len && memcmp(tag.ptr, weakness.ptr, weakness.len) == 0);
}

/* Leave out tags, first those that GitHub does not read itself. */
static void cut_tags(struct changing *w, struct rt_slice tags)
{
	struct rt_put put = {&w->c->made, w->err, w->status};
	size_t left[2] = {0, 0}, kept = 0, count = rt_sarif_count(tags);
	struct rt_items items;
	struct rt_item item;

	if (!is_array(tags) || count <= RT_GITHUB_TAGS)
		return;
	rt_items_init(&items, tags);
	while (rt_items_next(&items, &item))
		left[1] += is_read(item.value);
	left[1] = left[1] < RT_GITHUB_TAGS ? left[1] : RT_GITHUB_TAGS;
	left[0] = RT_GITHUB_TAGS - left[1];
	w->c->made.len = 0;
	RT_PUT(&put, "[");
	rt_items_init(&items, tags);
	while (rt_items_next(&items, &item)) {
		size_t *room = &left[is_read(item.value)];

		if (!*room)
			continue;
		--*room;
		rt_put(&put, rt_slice_make(",", kept++ > 0));
		rt_put(&put, item.value);
	}
	RT_PUT(&put, "]");
	w->status = put.status;
	w->c->counts->tags += count - kept;
	replace(w, tags.ptr, rt_slice_end(tags), rt_buf_slice(&w->c->made));
}

/* A rule that is equal to one before it gets a guid of its own, for those of a tool are unique, and
 * results count them. */
static void tell_apart(struct changing *w, struct rt_slice rule)
{
	char guid[RT_UUID_CHARS + 2] = "\"";
	uint8_t digest[RT_SHA256_BYTES];
	struct rt_sha256 sha;
	struct rt_hash128 hash;
	uint32_t *number = NULL;

	if (w->status == RT_OK)
		w->status = rt_items_hash(&w->c->key, rule, &w->c->room, &hash, w->err);
	if (w->status == RT_OK) {
		number = rt_map_put(&w->c->rules, hash, w->err);
		w->status = number ? RT_OK : RT_FATAL;
	}
	if (!number || !(*number)++)
		return;
	rt_sha256_reset(&sha);
	rt_sha256_add(&sha, number, sizeof(*number));
	rt_sha256_add(&sha, rule.ptr, rule.len);
	rt_sha256_end(&sha, digest);
	rt_uuid_format(digest, 5, guid + 1);
	guid[RT_UUID_CHARS + 1] = '"';
	w->c->counts->rules++;
	edit(w, rule,
	     (struct rt_edit){RT_EDIT_SET, RT_SLICE("guid"), rt_slice_make(guid, sizeof(guid))});
}

static void fit_rules(struct changing *w, struct rt_slice component)
{
	struct rt_slice rules = rt_sarif_member(component, RT_SLICE("rules"));
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, rules);
	while (is_array(rules) && w->status == RT_OK && rt_items_next(&items, &item)) {
		cut_tags(w, rt_sarif_member(rt_sarif_member(item.value, RT_SLICE("properties")),
					    RT_SLICE("tags")));
		tell_apart(w, item.value);
	}
	rt_map_release(&w->c->rules);
}

enum rt_status rt_change_tool(struct rt_change *c, struct rt_slice tool, struct rt_buf *out,
			      struct rt_error *err)
{
	struct changing w = {.c = c, .text = tool, .err = err};
	struct rt_slice extensions = rt_sarif_member(tool, RT_SLICE("extensions")), text;
	struct rt_items items;
	struct rt_item item;

	fit_rules(&w, rt_sarif_member(tool, RT_SLICE("driver")));
	rt_items_init(&items, extensions);
	while (is_array(extensions) && rt_items_next(&items, &item))
		fit_rules(&w, item.value);
	text = apply(&w, &c->stages[0]);
	return w.status == RT_OK ? rt_buf_append(out, text.ptr, text.len, err) : w.status;
}

/* --- Addresses -------------------------------------------------------------------------------- */

/* Take a number off a text; false: there is none. */
static bool take_number(struct rt_slice *text, uint64_t *ret_number)
{
	size_t len = 0;

	*ret_number = 0;
	while (len < text->len && len < 10 && text->ptr[len] >= '0' && text->ptr[len] <= '9')
		*ret_number = *ret_number * 10 + (uint64_t)(text->ptr[len++] - '0');
	*text = rt_slice_make(text->ptr + len, text->len - len);
	return len > 0 && (!text->len || *text->ptr == '/');
}

static bool take_prefix(struct rt_slice *text, struct rt_slice prefix)
{
	if (text->len < prefix.len || memcmp(text->ptr, prefix.ptr, prefix.len) != 0)
		return false;
	*text = rt_slice_make(text->ptr + prefix.len, text->len - prefix.len);
	return true;
}

/* Where an address leads; put: what it becomes, where that is another. */
static enum rt_change_address follow(struct changing *w, struct rt_slice address,
				     struct rt_put *put)
{
	uint64_t run, result = 0;
	enum rt_change_address leads;
	bool is_result;

	if (!take_prefix(&address, RT_SLICE("sarif:/runs/")) || !take_number(&address, &run))
		return RT_ADDRESS_SAME;
	is_result = take_prefix(&address, RT_SLICE("/results/"));
	if (is_result && !take_number(&address, &result))
		return RT_ADDRESS_SAME;
	leads = w->c->find(w->c->ctx, &run, is_result ? &result : NULL, address.len > 0);
	w->c->counts->links += leads == RT_ADDRESS_GONE;
	if (leads != RT_ADDRESS_MOVED)
		return leads;
	RT_PUT(put, "sarif:/runs/");
	rt_put_number(put, run);
	if (is_result) {
		RT_PUT(put, "/results/");
		rt_put_number(put, result);
	}
	rt_put(put, address);
	return leads;
}

/* Links are made anew from a text to another. */
struct links {
	struct rt_slice text;
	size_t at;
	size_t open; /* of the last '[' in the new text; NONE: there is none */
	bool changed;
};

/* Put the rest of a link, whose text has been put: l->at is at "](". */
static void put_link(struct changing *w, struct links *l, struct rt_put *put)
{
	struct rt_slice rest = {l->text.ptr + l->at + 2, l->text.len - l->at - 2};
	const char *end = memchr(rest.ptr, ')', rest.len);
	size_t before = put->out->len + 2, len = end ? (size_t)(end - rest.ptr) : 0;
	enum rt_change_address leads = RT_ADDRESS_SAME;

	RT_PUT(put, "](");
	if (end && l->open != NONE && put->status == RT_OK)
		leads = follow(w, rt_slice_make(rest.ptr, len), put);
	l->at += 2;
	if (leads != RT_ADDRESS_SAME) {
		l->at += len;
		l->changed = true;
	}
	if (leads == RT_ADDRESS_GONE && put->status == RT_OK) {
		struct rt_buf *out = put->out;

		/* Without "](", and without '[' before its text. */
		out->len = before - 2;
		memmove(out->data + l->open, out->data + l->open + 1, out->len - l->open - 1);
		out->len--;
		l->at++;
	}
	l->open = NONE;
}

/* Change the links of a text, a JSON string. */
static void relink(struct changing *w, struct rt_slice string)
{
	struct rt_put put = {&w->c->text, w->err, w->status};
	struct links l = {.open = NONE};

	if (rt_sarif_type(string) != RT_SARIF_STRING || put.status != RT_OK)
		return;
	put.status = rt_json_string_text(rt_sarif_inside(string), &w->c->room, &l.text, w->err);
	put.out->len = 0;
	while (put.status == RT_OK && l.at < l.text.len) {
		char c = l.text.ptr[l.at];
		size_t len = c == '\\' && l.at + 1 < l.text.len ? 2 : 1;

		if (c == ']' && l.at + 1 < l.text.len && l.text.ptr[l.at + 1] == '(') {
			put_link(w, &l, &put);
			continue;
		}
		if (c == '[')
			l.open = put.out->len;
		rt_put(&put, rt_slice_make(l.text.ptr + l.at, len));
		l.at += len;
	}
	w->status = put.status;
	if (w->status != RT_OK || !l.changed)
		return;
	w->c->made.len = 0;
	w->status = rt_json_string_encode(rt_buf_slice(&w->c->text), &w->c->made, w->err);
	replace(w, string.ptr, rt_slice_end(string), rt_buf_slice(&w->c->made));
}

/* Take a member out of an object. */
static void drop_member(struct changing *w, struct rt_slice object, struct rt_slice name)
{
	const char *before = NULL; /* the end of the last one */
	struct rt_items items;
	struct rt_item item;
	bool is_next;

	rt_items_init(&items, object);
	while ((is_next = rt_items_next(&items, &item)) && !rt_items_key_is(item.key, name))
		before = rt_slice_end(item.value);
	if (!is_next)
		return;
	if (before) {
		replace(w, before, rt_slice_end(item.value), RT_SLICE(""));
	} else {
		const char *from = item.key.ptr - 1, *to = rt_slice_end(item.value);

		if (rt_items_next(&items, &item))
			to = item.key.ptr - 1;
		replace(w, from, to, RT_SLICE(""));
	}
}

/* Change an artifactLocation. */
static void change_location(struct changing *w, struct rt_slice location)
{
	struct rt_slice uri = rt_sarif_member(location, RT_SLICE("uri")), text = {NULL, 0};
	struct rt_put put = {&w->c->text, w->err, w->status};
	enum rt_change_address leads = RT_ADDRESS_SAME;

	if (rt_sarif_type(uri) == RT_SARIF_STRING && put.status == RT_OK)
		put.status = rt_json_string_text(rt_sarif_inside(uri), &w->c->room, &text, w->err);
	put.out->len = 0;
	if (put.status == RT_OK && text.ptr)
		leads = follow(w, text, &put);
	w->status = put.status;
	if (leads == RT_ADDRESS_GONE) {
		replace(w, location.ptr, rt_slice_end(location), RT_SLICE("{}"));
		return;
	}
	if (leads == RT_ADDRESS_MOVED && w->status == RT_OK) {
		w->c->made.len = 0;
		w->status = rt_json_string_encode(rt_buf_slice(&w->c->text), &w->c->made, w->err);
		replace(w, uri.ptr, rt_slice_end(uri), rt_buf_slice(&w->c->made));
	}
	if (w->unindexed)
		drop_member(w, location, RT_SLICE("index"));
}

/* --- Results ---------------------------------------------------------------------------------- */

static void change_inside(struct changing *w, struct rt_slice value);

/* Change a message: its texts. */
static void change_message(struct changing *w, struct rt_slice message)
{
	relink(w, rt_sarif_member(message, RT_SLICE("text")));
	relink(w, rt_sarif_member(message, RT_SLICE("markdown")));
}

static void drop_invocation(struct changing *w, struct rt_slice provenance)
{
	if (w->unindexed)
		drop_member(w, provenance, RT_SLICE("invocationIndex"));
}

static void drop_index(struct changing *w, struct rt_slice place)
{
	if (w->unindexed)
		drop_member(w, place, RT_SLICE("index"));
}

/* What is done with an object by the name of its member, or of the array that it is in. */
static const struct {
	struct rt_slice name;
	void (*change)(struct changing *w, struct rt_slice object);
} changes[] = {
    {RT_SLICE("message"), change_message},         {RT_SLICE("description"), change_message},
    {RT_SLICE("label"), change_message},           {RT_SLICE("artifactLocation"), change_location},
    {RT_SLICE("analysisTarget"), change_location}, {RT_SLICE("provenance"), drop_invocation},
    {RT_SLICE("logicalLocations"), drop_index},
};

static void change_member(struct changing *w, const struct rt_item *member)
{
	struct rt_items items;
	struct rt_item item;
	size_t i = 0;

	while (i < sizeof(changes) / sizeof(changes[0]) &&
	       !rt_items_key_is(member->key, changes[i].name))
		i++;
	if (i == sizeof(changes) / sizeof(changes[0])) {
		change_inside(w, member->value);
		return;
	}
	if (rt_sarif_type(member->value) == RT_SARIF_OBJECT)
		changes[i].change(w, member->value);
	rt_items_init(&items, member->value);
	while (is_array(member->value) && rt_items_next(&items, &item)) {
		if (rt_sarif_type(item.value) == RT_SARIF_OBJECT)
			changes[i].change(w, item.value);
	}
}

/* Change what is in an object or array, but for property bags, which SARIF says nothing about. */
static void change_inside(struct changing *w, struct rt_slice value)
{
	struct rt_items items;
	struct rt_item item;

	if (!value.len || (*value.ptr != '{' && *value.ptr != '['))
		return;
	rt_items_init(&items, value);
	while (w->status == RT_OK && rt_items_next(&items, &item)) {
		if (!items.object)
			change_inside(w, item.value);
		else if (!rt_items_key_is(item.key, RT_SLICE("properties")))
			change_member(w, &item);
	}
}

enum rt_status rt_change_result(struct rt_change *c, struct rt_slice result, bool for_github,
				bool unindexed, struct rt_buf *out, struct rt_error *err)
{
	struct changing w = {.c = c, .text = result, .unindexed = unindexed, .err = err};

	if (for_github) {
		cut_result(&w);
		w.text = apply(&w, &c->stages[0]);
	}
	if (unindexed || memmem(w.text.ptr, w.text.len, "sarif:", 6)) {
		change_inside(&w, w.text);
		w.text = apply(&w, &c->stages[1]);
	}
	return w.status == RT_OK ? rt_buf_append(out, w.text.ptr, w.text.len, err) : w.status;
}

enum rt_status rt_change_edit(struct rt_change *c, struct rt_slice object,
			      const struct rt_edit *edits, size_t count, struct rt_buf *out,
			      struct rt_error *err)
{
	enum rt_status status = rt_edit_text(object, edits, count, &c->patches, &c->made, err);

	rt_patches_release(&c->patches);
	return status == RT_OK ? rt_buf_append(out, c->made.data, c->made.len, err) : RT_FATAL;
}

void rt_change_release(struct rt_change *c)
{
	rt_patches_release(&c->patches);
	rt_buf_release(&c->stages[0]);
	rt_buf_release(&c->stages[1]);
	rt_buf_release(&c->text);
	rt_buf_release(&c->made);
	rt_buf_release(&c->room);
	rt_map_release(&c->rules);
}
