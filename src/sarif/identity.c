/*
 * What makes a result the same issue in every scan (SARIF.md S16 to S18, S21): 16 bytes of SHA-256
 * over netstrings, made once its rule, message and path are known, and what puts equal ones in
 * order. No tool version is in them, and no line or column but of code that is not shown.
 *
 * What is hashed is collected in maker->preimage; after a failure no more is. by_...() return
 * whether they have made the identity, or failed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "sarif/result.h"

/* Bytes that a fingerprint has at least: shorter ones are counters. */
#define USABLE_BYTES 8u

/* A fingerprint; texts are decoded. */
struct entry {
	struct rt_slice name;
	struct rt_slice base;    /* the name without its version */
	struct rt_slice version; /* digits without zeros in front; of none empty */
	bool versioned;          /* without one is lowest */
	struct rt_slice value;   /* absent: null */
	bool plain;              /* the value is a string, not an object with one */
};

/* An identity that is being made. */
struct hashing {
	struct rt_sarif_maker *maker;
	const struct rt_sarif_run *run;
	struct rt_sarif_fault *fault;
};

/* Append a netstring (LEN:BYTES,) to what is hashed. */
static void hash_text(struct hashing *h, struct rt_slice text)
{
	struct rt_put put = {&h->maker->preimage, &h->fault->err, h->fault->status};

	rt_put_number(&put, text.len);
	RT_PUT(&put, ":");
	rt_put(&put, text);
	RT_PUT(&put, ",");
	h->fault->status = put.status;
}

/* What is before all identities but those that are unique by themselves. */
static void hash_place(struct hashing *h)
{
	hash_text(h, h->run->driver);
	hash_text(h, h->run->category);
	hash_text(h, h->maker->found.id);
	hash_text(h, rt_buf_slice(&h->maker->path));
}

/* Whether a fingerprint tells anything: real logs have "requires login" and zeros. */
static bool is_usable(struct rt_slice value)
{
	bool other = false;

	if (!value.ptr || value.len < USABLE_BYTES)
		return false;
	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];

		if (rt_is_blank(c))
			return false;
		other |= c != '0' && c != '-';
	}
	return other;
}

/* --- Fingerprints ----------------------------------------------------------------------------- */

/* Part "contextHash/v1" into name and version. */
static void version_cut(struct entry *entry)
{
	const char *at = entry->name.ptr, *end = at + entry->name.len, *digits = end;

	entry->base = entry->name;
	entry->version = rt_slice_make(end, 0);
	entry->versioned = false;
	while (digits > at && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (digits == end || digits - at < 2 || digits[-1] != 'v' || digits[-2] != '/')
		return;
	entry->base.len = (size_t)(digits - 2 - at);
	while (digits < end && *digits == '0')
		digits++;
	entry->version = rt_slice_make(digits, (size_t)(end - digits));
	entry->versioned = true;
}

/* By base names, then by version, the lowest first. */
static int entry_compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = rt_slice_compare(x->base, y->base);

	if (!order)
		order = x->versioned - y->versioned;
	if (!order)
		order = (x->version.len > y->version.len) - (x->version.len < y->version.len);
	if (!order)
		order = rt_slice_compare(x->version, y->version);
	return order ? order : rt_slice_compare(x->name, y->name);
}

/* The text that a string stands for, as long as room has space for it, which it has: its bytes
 * never move. */
static struct rt_slice text_keep(struct rt_slice inside, struct rt_buf *room)
{
	char *at = room->data + room->len;

	if (!rt_json_string_is_escaped(inside))
		return inside;
	inside = rt_slice_make(at, rt_json_string_decode(inside, at));
	room->len += inside.len;
	return inside;
}

static const struct rt_cut_member value_members[] = {
    {RT_SLICE("value"), 0, RT_SARIF_STRING, NULL},
};
static const struct rt_cut value_cut = RT_SARIF_CUT(value_members, "fingerprints");

/* Read one fingerprint: a string, or an object with a string `value`. */
static void entry_read(const struct rt_item *item, const char *field, struct rt_buf *room,
		       struct entry *entry, struct rt_sarif_fault *fault)
{
	struct rt_slice value = item->value;

	entry->name = text_keep(item->key, room);
	version_cut(entry);
	entry->value = rt_slice_make(NULL, 0);
	entry->plain = *value.ptr == '"';
	if (*value.ptr == 'n')
		return;
	rt_sarif_is(value, RT_SARIF_STRING | RT_SARIF_OBJECT, field, fault);
	if (*value.ptr == '{')
		rt_sarif_cut(value, NULL, &value_cut, &value, 1, fault);
	if (fault->status == RT_OK && value.ptr)
		entry->value = text_keep(rt_sarif_inside(value), room);
}

/*
 * Read a member that is an object of fingerprints into maker->entries, sorted by base name and
 * version. Their texts are in the log or in maker->room.
 */
static void entries_read(struct rt_sarif_maker *maker, enum rt_sarif_result_member member,
			 struct rt_sarif_fault *fault)
{
	const char *field = member == RT_SARIF_R_PARTIAL ? "partialFingerprints" : "fingerprints";
	const struct rt_slice object = maker->values[member];
	struct rt_buf *entries = &maker->entries, *room = &maker->room;
	struct entry entry, *all;
	struct rt_items items;
	struct rt_item item;
	size_t count;

	entries->len = room->len = 0;
	(void)rt_sarif_goes(fault, rt_buf_reserve(room, object.len, &fault->err));
	rt_items_init(&items, object);
	while (rt_sarif_next_item(&items, &item, fault)) {
		entry_read(&item, field, room, &entry, fault);
		(void)rt_sarif_goes(fault,
				    rt_buf_append(entries, &entry, sizeof(entry), &fault->err));
	}
	if (fault->status != RT_OK)
		return;
	count = entries->len / sizeof(entry);
	all = (struct entry *)(void *)entries->data;
	if (count > 1)
		qsort(all, count, sizeof(*all), entry_compare);
	for (size_t i = 1; i < count; i++) {
		if (rt_slice_equal(all[i].name, all[i - 1].name))
			rt_sarif_refuse(fault, object.ptr, field, "each name once",
					"\"%.*s\" twice", rt_slice_shown(all[i].name, 64),
					all[i].name.ptr);
	}
	maker->passed |= fault->status == RT_OK ? 1u << member : 0;
}

void rt_sarif_fingerprints_check(struct rt_sarif_maker *maker, struct rt_sarif_fault *fault)
{
	if (!(maker->passed >> RT_SARIF_R_FINGERPRINTS & 1))
		entries_read(maker, RT_SARIF_R_FINGERPRINTS, fault);
	if (!(maker->passed >> RT_SARIF_R_PARTIAL & 1))
		entries_read(maker, RT_SARIF_R_PARTIAL, fault);
}

/* Whether a name is one of those by which Gitleaks tells of a commit, with all that leaks in it. */
static bool is_of_commit(struct rt_slice name)
{
	static const struct rt_slice names[] = {RT_SLICE("author"), RT_SLICE("commitMessage"),
						RT_SLICE("commitSha"), RT_SLICE("date"),
						RT_SLICE("email")};
	bool found = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		found |= rt_slice_equal(name, names[i]);
	return found;
}

/* Drop what is not usable, and of several versions of one name all but the lowest. */
static void entries_choose(struct rt_buf *entries)
{
	struct entry *all = (struct entry *)(void *)entries->data;
	size_t count = entries->len / sizeof(*all), kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (is_usable(all[i].value) && !is_of_commit(all[i].base) &&
		    !(kept && rt_slice_equal(all[kept - 1].base, all[i].base)))
			all[kept++] = all[i];
	}
	entries->len = kept * sizeof(*all);
}

static const struct entry *first_entry(const struct rt_sarif_maker *maker)
{
	return (const struct entry *)(const void *)maker->entries.data;
}

/* By `fingerprints`, if one can be used. */
static bool by_fingerprint(struct hashing *h)
{
	struct rt_sarif_maker *maker = h->maker;

	if (!maker->values[RT_SARIF_R_FINGERPRINTS].ptr)
		return false;
	entries_read(maker, RT_SARIF_R_FINGERPRINTS, h->fault);
	if (h->fault->status != RT_OK)
		return true;
	entries_choose(&maker->entries);
	if (!maker->entries.len)
		return false;
	hash_place(h);
	hash_text(h, RT_SLICE("fingerprint"));
	hash_text(h, first_entry(maker)->name);
	hash_text(h, first_entry(maker)->value);
	return true;
}

/* The fingerprint with that base name, or with that whole name; NULL: none. */
static const struct entry *entry_find(const struct rt_buf *entries, struct rt_slice name, bool base)
{
	const struct entry *all = (const struct entry *)(const void *)entries->data;

	for (size_t i = 0; i < entries->len / sizeof(*all); i++) {
		if (rt_slice_equal(base ? all[i].base : all[i].name, name))
			return &all[i];
	}
	return NULL;
}

static const struct rt_slice line_hash = {"primaryLocationLineHash", 23};

/*
 * By partial fingerprints, if one can be used: by the hash of a line that GitHub uses, where it is
 * there, else by all.
 */
static bool by_partial(struct hashing *h)
{
	struct rt_sarif_maker *maker = h->maker;
	const struct rt_slice column = RT_SLICE("primaryLocationStartColumnFingerprint");
	struct rt_slice start = {NULL, 0};
	const struct entry *found;

	if (!maker->values[RT_SARIF_R_PARTIAL].ptr)
		return false;
	entries_read(maker, RT_SARIF_R_PARTIAL, h->fault);
	if (h->fault->status != RT_OK)
		return true;
	found = entry_find(&maker->entries, column, false);
	if (found && found->plain)
		start = found->value;
	entries_choose(&maker->entries);
	if (!maker->entries.len)
		return false;
	found = entry_find(&maker->entries, line_hash, true);
	hash_place(h);
	hash_text(h, RT_SLICE("partial"));
	for (size_t i = 0; !found && i < maker->entries.len / sizeof(*found); i++) {
		hash_text(h, first_entry(maker)[i].name);
		hash_text(h, first_entry(maker)[i].value);
	}
	if (!found)
		return true;
	hash_text(h, line_hash);
	hash_text(h, found->value);
	if (start.ptr)
		hash_text(h, start);
	return true;
}

/* --- The other kinds -------------------------------------------------------------------------- */

/* The correlationGuid in lower case, in maker->room; absent where no usable one is given. */
static struct rt_slice correlation_of(struct rt_sarif_maker *maker, struct rt_sarif_fault *fault)
{
	const struct rt_slice none = {NULL, 0};
	struct rt_slice string = maker->values[RT_SARIF_R_CORRELATION];

	maker->room.len = 0;
	if (!string.ptr)
		return none;
	rt_sarif_text(string, &maker->room, fault);
	for (size_t i = 0; i < maker->room.len; i++) {
		char *c = &maker->room.data[i];

		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c + ('a' - 'A'));
	}
	return is_usable(rt_buf_slice(&maker->room)) ? rt_buf_slice(&maker->room) : none;
}

static bool by_correlation(struct hashing *h)
{
	struct rt_slice guid = correlation_of(h->maker, h->fault);

	if (!guid.ptr)
		return false;
	hash_text(h, RT_SLICE("correlation"));
	hash_text(h, guid);
	return true;
}

/* The text of the message before links are taken out. */
static struct rt_slice message_text(struct hashing *h)
{
	struct rt_sarif_maker *maker = h->maker;
	struct rt_slice text = rt_slice_make("", 0);

	if (maker->message.json.ptr)
		text = rt_sarif_decode(maker->message.json, &maker->room, h->fault);
	else if (!maker->message.none)
		text = rt_buf_slice(&maker->message.text);
	return text;
}

/* Make every run of blanks one, in place, and none of those at the ends. */
static void blanks_collapse(struct rt_buf *text)
{
	size_t kept = 0;

	for (size_t i = 0; i < text->len; i++) {
		char c = text->data[i];

		if (!rt_is_blank(c))
			text->data[kept++] = c;
		else if (kept && text->data[kept - 1] != ' ')
			text->data[kept++] = ' ';
	}
	text->len = kept && text->data[kept - 1] == ' ' ? kept - 1 : kept;
}

/* Append a message, every run of digits in it as one 0: numbers in messages are often lines. */
static void hash_message(struct hashing *h, struct rt_slice text)
{
	struct rt_buf *plain = &h->maker->entries; /* no fingerprint is looked at any more */
	bool digit = false;

	plain->len = 0;
	if (!rt_sarif_goes(h->fault, rt_buf_reserve(plain, text.len + 1, &h->fault->err)))
		return;
	for (size_t i = 0; i < text.len; i++) {
		bool next = text.ptr[i] >= '0' && text.ptr[i] <= '9';

		if (h->run->old_ids || !next)
			plain->data[plain->len++] = text.ptr[i];
		else if (!digit)
			plain->data[plain->len++] = '0';
		digit = next;
	}
	hash_text(h, rt_buf_slice(plain));
}

/* Where code is. Secrets that are not shown, as by Gitleaks, are told apart by nothing else. */
static void hash_lines(struct hashing *h)
{
	struct rt_sarif_maker *maker = h->maker;
	char text[64];
	int len = snprintf(text, sizeof(text), "%" PRId64 ":%" PRId64, maker->region.line,
			   maker->region.column);

	hash_text(h, rt_slice_make(text, (size_t)len));
}

/* By the code and the message. */
static void by_content(struct hashing *h)
{
	struct rt_sarif_maker *maker = h->maker;
	struct rt_buf *code = &maker->room;

	hash_place(h);
	hash_text(h, RT_SLICE("content"));
	code->len = 0;
	rt_sarif_text(maker->values[RT_SARIF_C_SNIPPET], code, h->fault);
	blanks_collapse(code);
	hash_text(h, rt_buf_slice(code));
	if (rt_slice_equal(rt_buf_slice(code), RT_SLICE("REDACTED")))
		hash_lines(h);
	hash_message(h, message_text(h));
	if (rt_sarif_filled(maker->values[RT_SARIF_C_LOGICAL]))
		hash_text(
		    h, rt_sarif_decode(maker->values[RT_SARIF_C_LOGICAL], &maker->room, h->fault));
}

/* --- The identity ----------------------------------------------------------------------------- */

/* The first 8 bytes of the message's digest, the first of them highest. */
static uint64_t message_digest(struct hashing *h)
{
	uint8_t digest[RT_SHA256_BYTES];
	uint64_t number = 0;

	rt_sha256_of(message_text(h), digest);
	for (size_t i = 0; i < 8; i++)
		number = number << 8 | digest[i];
	return number;
}

/* The id that properties.retriage gives: its text where it is a string. */
static void own_id(struct hashing *h)
{
	struct rt_sarif_maker *maker = h->maker;
	struct rt_slice id = maker->own[RT_M_ID];

	if (rt_sarif_type(id) == RT_SARIF_STRING)
		rt_sarif_text(id, &maker->preimage, h->fault);
	else
		h->fault->status = rt_buf_append(&maker->preimage, id.ptr, id.len, &h->fault->err);
}

/* Fill what is hashed. Returns whether equal ones may differ in their messages. */
static bool preimage_make(struct hashing *h)
{
	struct rt_sarif_maker *maker = h->maker;

	maker->identity.given = false;
	if (maker->own[RT_M_ID].ptr) {
		own_id(h);
		return true;
	}
	hash_text(h, h->run->old_ids ? RT_SLICE("retriage-sarif-1") : RT_SLICE("retriage-sarif-2"));
	maker->identity.given = by_correlation(h);
	if (maker->identity.given || by_fingerprint(h) || by_partial(h))
		return true;
	by_content(h);
	return !h->run->old_ids;
}

static uint32_t clip(int64_t number)
{
	return number > (int64_t)UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

void rt_sarif_identify(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
		       struct rt_sarif_fault *fault)
{
	struct rt_sarif_identity *identity = &maker->identity;
	struct hashing hashing = {maker, run, fault};
	uint8_t digest[RT_SHA256_BYTES];
	bool ordered = preimage_make(&hashing);

	if (fault->status != RT_OK)
		return;
	rt_sha256_of(rt_buf_slice(&maker->preimage), digest);
	memcpy(identity->id, digest, sizeof(identity->id));
	identity->run = run->index;
	identity->own = maker->own[RT_M_ID].ptr != NULL;
	identity->given |= identity->own;
	identity->line = clip(maker->region.line);
	identity->column = clip(maker->region.column);
	/* Where the message is part of the identity, equal ones have the same. */
	identity->message = ordered ? message_digest(&hashing) : 0;
}

/* --- What other scans may have, too ----------------------------------------------------------- */

/* Put a text and a NUL into maker->prints, which has room. Returns the text. */
static struct rt_slice print_put(struct rt_sarif_maker *maker, struct rt_slice text)
{
	struct rt_buf *prints = &maker->prints;
	char *at = prints->data + prints->len;

	if (text.len)
		memcpy(at, text.ptr, text.len);
	at[text.len] = '\0';
	prints->len += text.len + 1;
	return rt_slice_make(at, text.len);
}

/* A value without the number that tells equal lines apart, as in "39fa2ee980eb94b0:1". */
static struct rt_slice without_ordinal(struct rt_slice value)
{
	size_t len = value.len;

	while (len > 0 && value.ptr[len - 1] >= '0' && value.ptr[len - 1] <= '9')
		len--;
	return len > 1 && len < value.len && value.ptr[len - 1] == ':'
		   ? rt_slice_make(value.ptr, len - 1)
		   : value;
}

/* Keep the hashes of lines that are among the entries. */
static void hashes_keep(struct rt_sarif_maker *maker, struct rt_prints *prints)
{
	const struct rt_slice names[] = {line_hash, RT_SLICE("contextHash")};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct entry *found = entry_find(&maker->entries, names[i], true);

		if (!found)
			continue;
		prints->hash_names[i] = print_put(maker, found->name);
		prints->hashes[i] = print_put(maker, without_ordinal(found->value));
	}
}

/* Put the identity that the entries are; of partial ones the hash of the line is enough, with its
 * column. */
static void identity_keep(struct rt_sarif_maker *maker, bool partial, struct rt_slice column,
			  struct rt_prints *prints)
{
	const struct entry *all = first_entry(maker), *line;
	size_t from = maker->prints.len, count = maker->entries.len / sizeof(*all);

	line = partial ? entry_find(&maker->entries, line_hash, true) : NULL;
	(void)print_put(maker, line      ? RT_SLICE("line")
			       : partial ? RT_SLICE("partial")
					 : RT_SLICE("fingerprint"));
	if (line) {
		(void)print_put(maker, without_ordinal(line->value));
		(void)print_put(maker, RT_SLICE("column"));
		maker->prints.len--;
		(void)print_put(maker, column);
	}
	for (size_t i = 0; !line && i < (partial ? count : 1); i++) {
		(void)print_put(maker, all[i].name);
		(void)print_put(maker, partial ? without_ordinal(all[i].value) : all[i].value);
	}
	prints->identity = rt_slice_make(maker->prints.data + from, maker->prints.len - from);
}

/* Keep what an object of fingerprints has. */
static void entries_keep(struct rt_sarif_maker *maker, enum rt_sarif_result_member member,
			 struct rt_prints *prints, struct rt_sarif_fault *fault)
{
	const struct rt_slice name = RT_SLICE("primaryLocationStartColumnFingerprint");
	struct rt_slice column = {NULL, 0};
	const struct entry *found;

	if (!maker->values[member].ptr)
		return;
	entries_read(maker, member, fault);
	if (fault->status != RT_OK)
		return;
	found = entry_find(&maker->entries, name, false);
	if (found && found->plain)
		column = found->value;
	entries_choose(&maker->entries);
	if (!maker->entries.len)
		return;
	hashes_keep(maker, prints);
	if (!prints->identity.ptr)
		identity_keep(maker, member == RT_SARIF_R_PARTIAL, column, prints);
}

void rt_sarif_prints_find(struct rt_sarif_maker *maker, struct rt_prints *ret_prints,
			  struct rt_sarif_fault *fault)
{
	const size_t words = 128; /* of ours, and NULs of ours */
	size_t bytes = maker->values[RT_SARIF_R_CORRELATION].len +
		       maker->values[RT_SARIF_R_FINGERPRINTS].len +
		       maker->values[RT_SARIF_R_PARTIAL].len;
	struct rt_slice guid;

	*ret_prints = (struct rt_prints){.is_guid = false};
	if (maker->found.rule)
		ret_prints->deprecated = maker->found.rule->deprecated;
	if (!bytes || fault->status != RT_OK)
		return;
	maker->prints.len = 0;
	if (!rt_sarif_goes(fault, rt_buf_reserve(&maker->prints, 2 * bytes + words, &fault->err)))
		return;
	guid = correlation_of(maker, fault);
	if (guid.ptr && fault->status == RT_OK) {
		ret_prints->is_guid = true;
		(void)print_put(maker, RT_SLICE("guid"));
		(void)print_put(maker, guid);
		ret_prints->identity = rt_buf_slice(&maker->prints);
	}
	entries_keep(maker, RT_SARIF_R_FINGERPRINTS, ret_prints, fault);
	entries_keep(maker, RT_SARIF_R_PARTIAL, ret_prints, fault);
}
