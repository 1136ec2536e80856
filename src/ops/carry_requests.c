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
#define SHARED_MAX 16u  /* requests of an issue that others may share */

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

/* What becomes of a part of a decision, and why it stays where it does. */
struct verdict {
	enum rt_carry_outcome outcome;
	const char *why;
};

static const struct verdict carry = {RT_CARRY_CARRIED, NULL};
static const struct verdict already = {RT_CARRY_ALREADY, NULL};
static const struct verdict conflict = {RT_CARRY_CONFLICT, "the new scan has another decision"};

/* Hold a severity against the new scan (W36, W37). */
static struct verdict weigh_severity(const struct rt_weighed *w, const struct rt_decision_now *own)
{
	struct rt_slice now = w->now.fields[RT_SCAN_SEVERITY];
	int want = w->old.values[RT_DECIDED_SEVERITY];

	if (same_text(now, rt_severity_level((size_t)want)))
		return already;
	if (own->said[RT_DECIDED_SEVERITY] || own->rated)
		return conflict;
	if (same_text(now, w->old.base_severity))
		return carry;
	if (!w->old.rated || w->old.base_severity.len)
		return (struct verdict){RT_CARRY_HELD, "the scanner changed the severity"};
	/* What the scanner had said is not known: it may have found that this is worse. */
	if (now.ptr && rt_severity_rank(now) < RT_SEVERITY_LEVELS &&
	    rt_severity_rank(now) > (unsigned)want)
		return carry;
	return (struct verdict){RT_CARRY_HELD, "the scanner may have changed the severity"};
}

static struct verdict weigh_exploitable(const struct rt_weighed *w,
					const struct rt_decision_now *own)
{
	int now = flag_of(w->now.fields[RT_SCAN_EXPLOITABLE]);

	if (now == w->old.values[RT_DECIDED_EXPLOITABLE])
		return already;
	return own->said[RT_DECIDED_EXPLOITABLE] || now >= 0 ? conflict : carry;
}

/* The folder of a path, up to the last slash. */
static struct rt_slice folder_of(struct rt_slice path)
{
	while (path.len && path.ptr[path.len - 1] != '/')
		path.len--;
	return path;
}

/* Whether an issue was dismissed since it is in tests, and has left the folder. */
static bool left_tests(struct rt_carrying *c, const struct rt_weighed *w, uint32_t old)
{
	struct rt_slice path;

	if (!w->old.in_tests)
		return false;
	path = rt_scans_issue(&c->scans, RT_MATCH_OLD, old).fields[RT_SCAN_PATH];
	return !rt_slice_equal(folder_of(path), folder_of(w->now.fields[RT_SCAN_PATH]));
}

/* What the notes that came with a dismissal say, held against those of the new issue. */
struct ends {
	bool fresh; /* the new issue lacks one of them */
	bool own;   /* it has an end of its own, which the old one lacks */
};

/* Hold a dismissal against the new scan, or that an issue was reopened: a suppression in a log
 * stands back behind who looked at it. old: the index. */
static struct verdict weigh_dismissal(struct rt_carrying *c, const struct rt_weighed *w,
				      const struct rt_decision_now *own, struct ends ends,
				      uint32_t old)
{
	const int flag = RT_DECIDED_FALSE_POSITIVE;
	bool dismissed = flag_of(w->now.fields[RT_SCAN_FALSE_POSITIVE]) == 1;

	if (w->old.values[flag] == 0) {
		if (own->values[flag] == 0)
			return already;
		return own->said[flag] ? conflict : carry;
	}
	if (w->old.expired)
		return (struct verdict){RT_CARRY_EXPIRED, "the dismissal has ended"};
	if (dismissed && !ends.fresh)
		return already;
	/* One that is not dismissed may just not have been looked at. */
	if (!dismissed && own->said[flag])
		return conflict;
	if (ends.own)
		return (struct verdict){RT_CARRY_CONFLICT, "the new scan has another end for it"};
	if (left_tests(c, w, old))
		return (struct verdict){RT_CARRY_HELD,
					"used_in_tests does not follow to another folder"};
	return dismissed ? already : carry;
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

/* Find the notes that the new issue has not: c->fresh has a byte for each. */
static struct ends find_fresh(struct rt_carrying *c, const struct rt_decision_now *own,
			      const struct rt_decision_now *old)
{
	enum { SEEN = 1, OWN_END }; /* of a text in the map */
	struct rt_slice rest = own->rest;
	struct rt_decided_note note;
	struct rt_map notes = {0};
	uint32_t *seen, own_ends = 0;
	struct ends ends = {false, false};

	if (RT_STEP(&c->fault, rt_buf_reserve(&c->fresh, (size_t)old->notes + 1, c->fault.err)) !=
	    RT_OK)
		return ends;
	for (uint32_t i = 0; i < own->notes; i++) {
		note = rt_decided_note(&rest);
		seen = number_of(c, &notes, note.text);
		if (!seen || *seen)
			continue;
		*seen = !note.comment && rt_note_has_end(note.text) ? OWN_END : SEEN;
		own_ends += *seen == OWN_END;
	}
	rest = old->rest;
	for (uint32_t i = 0; i < old->notes; i++) {
		note = rt_decided_note(&rest);
		seen = number_of(c, &notes, note.text);
		if (!seen)
			continue;
		c->fresh.data[i] = !*seen;
		ends.fresh |= !*seen && note.dismisses;
		own_ends -= *seen == OWN_END;
		*seen = SEEN;
	}
	ends.own = own_ends > 0;
	rt_map_release(&notes);
	return ends;
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

/* Ask for the notes: those that came with a dismissal come with it again, or stay with it. */
static void wish_for_notes(struct rt_carrying *c, struct rt_weighed *w)
{
	bool dismissed = w->old.values[RT_DECIDED_FALSE_POSITIVE] == 1;
	struct rt_slice rest = w->old.rest;

	for (uint32_t i = 0; i < w->old.notes; i++) {
		struct rt_decided_note note = rt_decided_note(&rest);
		struct wish wish = {{-1, -1, -1}, note.by, note.at, note.text};
		bool dismisses = dismissed && note.dismisses;

		if (!c->fresh.data[i])
			continue;
		if (dismisses && w->leaves_dismissal) {
			w->kept_notes++;
			continue;
		}
		if (dismisses)
			wish.values[RT_DECIDED_FALSE_POSITIVE] = 1;
		w->notes++;
		add_wish(c, wish_count(c), wish);
	}
}

static void make_wishes(struct rt_carrying *c, struct rt_weighed *w)
{
	bool dismisses = false;

	c->wishes.len = 0;
	wish_for_notes(c, w);
	for (size_t i = 0; i < wish_count(c); i++)
		dismisses |= wishes(c)[i].values[RT_DECIDED_FALSE_POSITIVE] == 1;
	for (int f = 0; f < RT_DECIDED_FIELDS; f++) {
		if (w->carried[f] && !(f == RT_DECIDED_FALSE_POSITIVE && dismisses))
			wish_for(c, &w->old, f);
	}
	w->carried[RT_DECIDED_FALSE_POSITIVE] |= dismisses;
}

/* What becomes of a field. A conflict tells more than that a severity is held, and both more than
 * that a dismissal has ended. */
static void add_verdict(struct rt_weighed *w, enum rt_decided_field field, struct verdict verdict)
{
	bool keeps = verdict.outcome < RT_CARRY_ALREADY;

	w->carried[field] = verdict.outcome == RT_CARRY_CARRIED;
	w->kept[field] = keeps;
	if (!keeps || (w->why && w->outcome != RT_CARRY_EXPIRED && w->outcome <= verdict.outcome))
		return;
	w->outcome = verdict.outcome;
	w->why = verdict.why;
}

/* Hold a decision against the issue that takes it over; c->wishes has what it lacks. */
struct rt_weighed rt_carry_weigh(struct rt_carrying *c, const struct rt_decided_issue *issue)
{
	struct rt_decided *new = &c->decided[RT_MATCH_NEW];
	const struct rt_decided_issue *there = rt_decided_find(new, issue->new);
	struct rt_decision_now own = {.values = {-1, -1, -1}};
	struct rt_weighed w = {.old = rt_carry_decision(c, issue),
			       .now = rt_scans_issue(&c->scans, RT_MATCH_NEW, issue->new),
			       .outcome = RT_CARRY_ALREADY};
	struct ends ends;

	if (there)
		own = rt_decided_get(new, there);
	ends = find_fresh(c, &own, &w.old);
	if (w.old.values[RT_DECIDED_FALSE_POSITIVE] >= 0)
		add_verdict(&w, RT_DECIDED_FALSE_POSITIVE,
			    weigh_dismissal(c, &w, &own, ends, issue->index));
	if (w.old.values[RT_DECIDED_SEVERITY] >= 0)
		add_verdict(&w, RT_DECIDED_SEVERITY, weigh_severity(&w, &own));
	if (w.old.values[RT_DECIDED_EXPLOITABLE] >= 0)
		add_verdict(&w, RT_DECIDED_EXPLOITABLE, weigh_exploitable(&w, &own));
	w.leaves_dismissal = w.kept[RT_DECIDED_FALSE_POSITIVE];
	if (c->fault.status == RT_OK)
		make_wishes(c, &w);
	if (w.outcome == RT_CARRY_ALREADY && c->wishes.len)
		w.outcome = RT_CARRY_CARRIED;
	return w;
}

/* A hash of what makes two lists of requests the same. Long ones are not shared: the notes of all
 * their issues would be digested anew for each request. */
static struct rt_hash128 key_of(struct rt_carrying *c, const struct rt_decided_issue *issue)
{
	size_t alone = wish_count(c) > SHARED_MAX ? issue->new : SIZE_MAX;
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
	rt_put(&put, rt_slice_make((const char *)&alone, sizeof(alone)));
	if (!c->ask->apply)
		rt_put(&put, rt_slice_of(rt_carry_level(issue->by)));
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
	c->parts[issue->outcome]++;
	sharing.key = key_of(c, issue);
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
