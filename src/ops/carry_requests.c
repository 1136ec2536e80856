/*
 * Makes requests of decisions. A request has what one entry of the old journal decided, as far as
 * the new scan does not have it yet; issues that need the same requests share them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/utf8.h"
#include "engine/summary.h"
#include "ops/carry.h"

#define NAME_BYTES 200u /* of the old scan, in a note */

/* One request of those that bring a decision to an issue: what one entry has decided. */
struct wish {
	int values[RT_DECIDED_FIELDS]; /* as in struct rt_request */
	uint32_t by;                   /* as struct rt_decided_note has it */
	struct rt_slice at, note;
};

/* An issue that gets requests, and what it shares them by: a hash of them, then the first issue
 * that has the same. */
struct sharing {
	struct rt_hash128 key;
	uint32_t new; /* its index */
	uint32_t n;   /* of the decision */
};

const enum rt_scan_field rt_carry_fields[RT_DECIDED_FIELDS] = {
    RT_SCAN_SEVERITY,
    RT_SCAN_FALSE_POSITIVE,
    RT_SCAN_EXPLOITABLE,
};

const char *rt_carry_level(unsigned by)
{
	return by == RT_CARRY_UNANIMOUS ? "unanimous" : rt_match_by_name((enum rt_match_by)by);
}

/* Where a decision was made, behind the digest of its base. */
#define ORIGIN "\"seq\":%u,\"at\":\"%t\",\"actor\":%s}"

/* --- Where decisions were made --------------------------------------------------------------- */

/* Keep who made an entry of the old journal: what was carried there was first made elsewhere. */
enum rt_status rt_carry_keep_origin(void *ctx, const struct rt_journal_entry *entry,
				    struct rt_error *err)
{
	struct rt_carrying *c = ctx;
	struct rt_put put = {&c->origins, err, RT_OK};

	if (entry->carried.text.ptr)
		rt_put(&put, entry->carried.text);
	else
		rt_put_format(&put, ORIGIN, entry->seq, entry->at, entry->actor);
	return put.status == RT_OK
		   ? rt_buf_append(&c->origin_ends, &c->origins.len, sizeof(c->origins.len), err)
		   : put.status;
}

/* --- Weighing ------------------------------------------------------------------------------ */

static int flag_of(struct rt_slice text)
{
	return text.ptr ? text.ptr[0] == 't' : -1;
}

static bool same_text(struct rt_slice a, struct rt_slice b)
{
	return a.ptr && b.ptr ? rt_slice_equal(a, b) : a.ptr == b.ptr;
}

/* Hold one field against the new scan (W36, W37). Returns what would become of it. */
static enum rt_carry_outcome weigh_field(const struct rt_weighed *w, enum rt_decided_field field,
					 const struct rt_decision_now *own)
{
	struct rt_slice now = w->now.fields[rt_carry_fields[field]];
	int want = w->old.values[field];

	if (field == RT_DECIDED_SEVERITY) {
		if (same_text(now, rt_severity_level((size_t)want)))
			return RT_CARRY_ALREADY;
		if (own->said[field])
			return RT_CARRY_CONFLICT;
		return same_text(now, w->old.base_severity) ? RT_CARRY_CARRIED : RT_CARRY_HELD;
	}
	if (flag_of(now) == want)
		return RT_CARRY_ALREADY;
	/* A false positive that is not one may just not have been looked at. */
	if (own->said[field] || (field == RT_DECIDED_EXPLOITABLE && flag_of(now) >= 0))
		return RT_CARRY_CONFLICT;
	return RT_CARRY_CARRIED;
}

/* The number of a note's text in a map; NULL on a fault. */
static uint32_t *number_of(struct rt_carrying *c, struct rt_map *notes, struct rt_slice text)
{
	uint32_t *number = NULL;

	if (c->fault.status == RT_OK)
		number = rt_map_put(notes, rt_siphash(&c->key, text), c->fault.err);
	if (!number)
		c->fault.status = RT_FATAL;
	return number;
}

/*
 * Find the notes that the new issue has not: c->fresh has a byte for each. Where it has an end of
 * its own for the decision, those with another one stay behind: the newest would win.
 */
static void find_fresh(struct rt_carrying *c, const struct rt_decision_now *own,
		       struct rt_weighed *w)
{
	enum { SEEN = 1, OWN_END }; /* of a text in the map */
	struct rt_slice rest = own->rest, text;
	struct rt_map notes = {0};
	uint32_t *seen, own_ends = 0;

	if (RT_STEP(&c->fault, rt_buf_reserve(&c->fresh, (size_t)w->old.notes + 1, c->fault.err)) !=
	    RT_OK)
		return;
	for (uint32_t i = 0; i < own->notes; i++) {
		text = rt_decided_note(&rest).text;
		seen = number_of(c, &notes, text);
		if (!seen || *seen)
			continue;
		*seen = rt_note_has_end(text) ? OWN_END : SEEN;
		own_ends += *seen == OWN_END;
	}
	rest = w->old.rest;
	for (uint32_t i = 0; i < w->old.notes; i++) {
		seen = number_of(c, &notes, rt_decided_note(&rest).text);
		if (!seen)
			continue;
		c->fresh.data[i] = !*seen;
		own_ends -= *seen == OWN_END;
		*seen = SEEN;
	}
	rest = w->old.rest;
	for (uint32_t i = 0; i < w->old.notes; i++) {
		text = rt_decided_note(&rest).text;
		if (!own_ends || !c->fresh.data[i] || !rt_note_has_end(text))
			continue;
		c->fresh.data[i] = 0;
		w->kept_notes++;
	}
	rt_map_release(&notes);
}

static struct wish *wishes(const struct rt_carrying *c)
{
	return (struct wish *)(void *)c->wishes.data;
}

static size_t wish_count(const struct rt_carrying *c)
{
	return c->wishes.len / sizeof(struct wish);
}

/* Put a wish at a place among them. */
static void add_wish(struct rt_carrying *c, size_t at, struct wish wish)
{
	size_t count = wish_count(c);

	if (RT_STEP(&c->fault, rt_buf_append(&c->wishes, &wish, sizeof(wish), c->fault.err)) !=
	    RT_OK)
		return;
	memmove(wishes(c) + at + 1, wishes(c) + at, (count - at) * sizeof(wish));
	wishes(c)[at] = wish;
}

/* Ask for a field, in the request of the entry that set it, which may be that of its note. */
static void wish_for(struct rt_carrying *c, const struct rt_decision_now *old, int field)
{
	size_t i = 0;

	while (i < wish_count(c) && wishes(c)[i].by < old->by[field])
		i++;
	if (i == wish_count(c) || wishes(c)[i].by != old->by[field])
		add_wish(c, i, (struct wish){{-1, -1, -1}, old->by[field], old->updated_at, {0}});
	if (c->fault.status == RT_OK)
		wishes(c)[i].values[field] = old->values[field];
}

static void make_wishes(struct rt_carrying *c, struct rt_weighed *w)
{
	struct rt_slice rest = w->old.rest;

	c->wishes.len = 0;
	for (uint32_t i = 0; i < w->old.notes; i++) {
		struct rt_decided_note note = rt_decided_note(&rest);

		if (!c->fresh.data[i])
			continue;
		w->notes++;
		add_wish(c, wish_count(c),
			 (struct wish){{-1, -1, -1}, note.by, note.at, note.text});
	}
	for (int f = 0; f < RT_DECIDED_FIELDS; f++) {
		if (w->carried[f])
			wish_for(c, &w->old, f);
	}
}

/* Hold a decision against the issue that takes it over; c->wishes has what it lacks. */
struct rt_weighed rt_carry_weigh(struct rt_carrying *c, const struct rt_decided_issue *issue)
{
	struct rt_decided *new = &c->decided[RT_MATCH_NEW];
	const struct rt_decided_issue *there = rt_decided_find(new, issue->new);
	struct rt_decision_now own = {.notes = 0};
	struct rt_weighed w = {.old = rt_carry_decision(c, issue),
			       .now = rt_scans_issue(&c->scans, RT_MATCH_NEW, issue->new),
			       .outcome = RT_CARRY_ALREADY};

	if (there)
		own = rt_decided_get(new, there);
	find_fresh(c, &own, &w);
	for (int f = 0; f < RT_DECIDED_FIELDS; f++) {
		enum rt_carry_outcome outcome =
		    w.old.values[f] < 0 ? RT_CARRY_ALREADY
					: weigh_field(&w, (enum rt_decided_field)f, &own);

		w.carried[f] = outcome == RT_CARRY_CARRIED;
		w.kept[f] = outcome == RT_CARRY_CONFLICT || outcome == RT_CARRY_HELD;
		if (w.kept[f] && outcome < w.outcome)
			w.outcome = outcome;
	}
	if (w.kept_notes)
		w.outcome = RT_CARRY_CONFLICT;
	if (c->fault.status == RT_OK)
		make_wishes(c, &w);
	if (w.outcome == RT_CARRY_ALREADY && c->wishes.len)
		w.outcome = RT_CARRY_CARRIED;
	return w;
}

/* A hash of what makes two lists of requests the same. */
static struct rt_hash128 key_of(struct rt_carrying *c, unsigned by)
{
	struct rt_put put = {&c->text, c->fault.err, c->fault.status};

	c->text.len = 0;
	for (size_t i = 0; i < wish_count(c); i++) {
		struct wish wish = wishes(c)[i];
		size_t head[6] = {(size_t)(wish.values[0] + 1),
				  (size_t)(wish.values[1] + 1),
				  (size_t)(wish.values[2] + 1),
				  wish.by,
				  wish.at.len,
				  wish.note.len};

		/* Without a journal nothing says where a request comes from. */
		if (!c->ask->apply)
			head[3] = head[4] = 0;
		else if (wish.by)
			head[4] = 0;
		rt_put(&put, rt_slice_make((const char *)head, sizeof(head)));
		rt_put(&put, rt_slice_make(wish.at.ptr, head[4]));
		rt_put(&put, wish.note);
	}
	if (!c->ask->apply)
		rt_put(&put, rt_slice_make((const char *)&by, sizeof(by)));
	c->fault.status = put.status;
	return rt_siphash(&c->key, rt_buf_slice(&c->text));
}

/* Decide what becomes of a decision that has an issue to go to. */
void rt_carry_settle(struct rt_carrying *c, size_t n)
{
	struct rt_decided_issue *issue = rt_decided_issue(&c->decided[RT_MATCH_OLD], n);
	struct sharing sharing = {.new = issue->new, .n = (uint32_t)n};

	issue->outcome = rt_carry_weigh(c, issue).outcome;
	if (c->wishes.len == 0)
		return;
	sharing.key = key_of(c, issue->by);
	RT_STEP(&c->fault, rt_buf_append(&c->sharing, &sharing, sizeof(sharing), c->fault.err));
}

/* --- Requests ------------------------------------------------------------------------------ */

static bool same_key(const struct sharing *a, const struct sharing *b)
{
	return a->key.low == b->key.low && a->key.high == b->key.high;
}

static int compare_sharing(const void *left, const void *right)
{
	const struct sharing *a = left, *b = right;

	if (a->key.low != b->key.low)
		return a->key.low < b->key.low ? -1 : 1;
	if (a->key.high != b->key.high)
		return a->key.high < b->key.high ? -1 : 1;
	return (a->new > b->new) - (a->new < b->new);
}

/* Say of each issue with which one it shares its requests: the first of those, in new order. */
static void share(struct sharing *all, size_t count)
{
	struct rt_hash128 key = {0};

	if (count)
		qsort(all, count, sizeof(*all), compare_sharing);
	for (size_t i = 0, first = 0; i < count; i++) {
		bool begins = i == 0 || key.low != all[i].key.low || key.high != all[i].key.high;

		key = all[i].key;
		first = begins ? all[i].new : first;
		all[i].key = (struct rt_hash128){first, 0};
	}
	if (count)
		qsort(all, count, sizeof(*all), compare_sharing);
}

/* Append where the decision of a request was first made, as the journal names it, and a NUL. */
static void put_carried(struct rt_carrying *c, const struct wish *wish)
{
	struct rt_put put = {&c->made.carried, c->fault.err, c->fault.status};
	const size_t *ends = (const size_t *)(const void *)c->origin_ends.data;
	size_t from = wish->by > 1 ? ends[wish->by - 2] : 0;
	size_t len = wish->by ? ends[wish->by - 1] - from : 0;
	const char *origin = wish->by ? c->origins.data + from : NULL;
	char at[RT_INSTANT_CHARS];
	struct rt_instant instant;

	if (!origin || *origin != '{')
		rt_put_format(&put, "{\"base\":\"%x\",", c->sha256);
	rt_put(&put, rt_slice_make(origin, len));
	if (!origin) {
		memcpy(at, c->at, sizeof(at));
		if (rt_instant_parse(wish->at, &instant))
			(void)rt_instant_format(instant.seconds, at);
		rt_put_format(&put, ORIGIN, UINT64_C(0), rt_slice_make(at, sizeof(at)),
			      (struct rt_slice){0});
	}
	rt_put(&put, rt_slice_make("", 1));
	c->fault.status = put.status;
}

static void send(struct rt_carrying *c, const struct rt_request *request, const struct wish *wish)
{
	struct rt_error *err = c->fault.err;

	if (c->fault.status == RT_OK && ++c->requests > c->new->limits.requests)
		c->fault.status =
		    rt_error_set(err, RT_E_LIMIT, "more requests than --limit requests");
	if (c->ask->apply) {
		RT_STEP(&c->fault, rt_plan_add(c->made.plan, request,
					       rt_slice_make(c->at, sizeof(c->at)), err));
		put_carried(c, wish);
	}
	if (!c->replace)
		return;
	c->text.len = 0;
	RT_STEP(&c->fault, rt_request_write(request, &c->text, err));
	RT_STEP(&c->fault, rt_buf_append(&c->text, "\n", 1, err));
	RT_STEP(&c->fault, c->file.write(c->file.ctx, c->text.data, c->text.len, err));
}

/* The last component of the old scan's path, as a note can have it. */
static struct rt_slice old_name(const struct rt_carrying *c)
{
	const char *path = c->old->paths[0];
	size_t len = strlen(path), from;
	struct rt_slice name;

	while (len > 1 && path[len - 1] == '/')
		len--;
	for (from = len; from > 0 && path[from - 1] != '/'; from--)
		;
	name = rt_slice_make(path + from, len - from < NAME_BYTES ? len - from : NAME_BYTES);
	return rt_slice_make(name.ptr, rt_utf8_prefix(name));
}

/* The requests of issues that share them. */
static void send_all(struct rt_carrying *c, struct rt_request *request,
		     const struct rt_decided_issue *issue)
{
	static const struct wish of_carry = {.by = 0};
	char hex[RT_SHA256_HEX + 1], note[NAME_BYTES + 100];
	struct rt_slice name = old_name(c);

	(void)rt_carry_weigh(c, issue);
	for (size_t i = 0; c->fault.status == RT_OK && i < wish_count(c); i++) {
		const struct wish *wish = &wishes(c)[i];

		request->severity = wish->values[RT_DECIDED_SEVERITY];
		request->false_positive = wish->values[RT_DECIDED_FALSE_POSITIVE];
		request->exploitable = wish->values[RT_DECIDED_EXPLOITABLE];
		request->notes = wish->note;
		send(c, request, wish);
	}
	/* An entry of a journal says this better. */
	if (c->ask->apply)
		return;
	rt_sha256_hex(c->sha256, hex);
	(void)snprintf(note, sizeof(note),
		       "carried from scan %.*s (base sha256 %.8s\xE2\x80\xA6) by %s", (int)name.len,
		       name.ptr, hex, rt_carry_level(issue->by));
	request->severity = request->false_positive = request->exploitable = RT_REQUEST_KEEP;
	request->notes = rt_slice_of(note);
	send(c, request, &of_carry);
	request->notes = (struct rt_slice){0};
}

/* Make the requests, in the order of the first issue that each names. */
void rt_carry_send(struct rt_carrying *c)
{
	struct sharing *all = (struct sharing *)(void *)c->sharing.data;
	size_t count = c->sharing.len / sizeof(*all), to;

	share(all, count);
	for (size_t from = 0; c->fault.status == RT_OK && from < count; from = to) {
		struct rt_request request = {.id_count = 0};
		const char *at;

		c->ids.len = 0;
		for (to = from; to < count && same_key(&all[to], &all[from]) &&
				request.id_count < RT_REQUEST_IDS_MAX;
		     to++) {
			struct rt_slice id =
			    rt_scans_issue(&c->scans, RT_MATCH_NEW, all[to].new).fields[RT_SCAN_ID];

			RT_STEP(&c->fault, rt_buf_append(&c->ids, id.ptr, id.len, c->fault.err));
			request.ids[request.id_count++].len = id.len;
		}
		at = c->ids.data;
		for (unsigned i = 0; i < request.id_count; i++) {
			request.ids[i].ptr = at;
			at += request.ids[i].len;
		}
		send_all(c, &request, rt_decided_issue(&c->decided[RT_MATCH_OLD], all[from].n));
	}
}
