/*
 * Edits a result where its members are; what is missing is added behind the last one. Suppressions
 * are made so that all that read them agree: an accepted one of our own, which its guid marks, and
 * none of others that says otherwise; or none of our own, and those of others rejected.
 */
#include "engine/edit_result.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/instant.h"
#include "engine/edit.h"
#include "sarif/parts.h"
#include "sarif/severity.h"

/* Bytes of a provenance that has a time. */
#define PROVENANCE_ROOM 80u

/* A result that is being edited. */
struct editing {
	struct rt_result_editor *room;
	struct rt_slice result;
	uint32_t part;
	uint64_t origin;
	struct rt_patches *patches;
	struct rt_error *err;
	enum rt_status status;                /* the first failure sticks */
	struct rt_edit members[RT_EDITS_MAX]; /* of the result itself */
	size_t count;
};

/* What the updates say. */
struct decision {
	struct rt_edit own[RT_EDITS_MAX]; /* of properties.retriage */
	size_t count;
	struct rt_slice severity;      /* JSON string; absent: it stays */
	int false_positive;            /* -1: it stays */
	struct rt_slice notes;         /* that are added */
	struct rt_slice justification; /* JSON string: the newest note; absent: none */
};

enum { KIND, LEVEL, SUPPRESSIONS, PROPERTIES, PROVENANCE, MESSAGE, LOCATIONS, RESULT_COUNT };
static const struct rt_cut_member result_members[] = {
    {RT_SLICE("kind"), KIND, RT_SARIF_ANY, NULL},
    {RT_SLICE("level"), LEVEL, RT_SARIF_ANY, NULL},
    {RT_SLICE("suppressions"), SUPPRESSIONS, RT_SARIF_ANY, NULL},
    {RT_SLICE("properties"), PROPERTIES, RT_SARIF_ANY, NULL},
    {RT_SLICE("provenance"), PROVENANCE, RT_SARIF_ANY, NULL},
    {RT_SLICE("message"), MESSAGE, RT_SARIF_ANY, NULL},
    {RT_SLICE("locations"), LOCATIONS, RT_SARIF_ANY, NULL},
};
static const struct rt_cut result_cut = RT_SARIF_CUT(result_members, NULL);

/* Edit an object inside of the result. */
static void edit_inside(struct editing *e, struct rt_slice object, const struct rt_edit *edits,
			size_t count)
{
	if (e->status == RT_OK)
		e->status = rt_edit_object(object, edits, count, e->part,
					   e->origin + (uint64_t)(object.ptr - e->result.ptr),
					   e->patches, e->err);
}

static void set_member(struct editing *e, struct rt_slice name, struct rt_slice value)
{
	e->members[e->count++] = (struct rt_edit){RT_EDIT_SET, name, value};
}

/* --- What is decided -------------------------------------------------------------------------- */

/* The text of a note; absent where it has none. */
static struct rt_slice text_of(struct rt_slice note)
{
	struct rt_slice text = rt_sarif_member(note, RT_SLICE("text"));

	return rt_sarif_type(text) == RT_SARIF_STRING ? text : rt_slice_make(NULL, 0);
}

/* The text of the newest note: of those that are added, which are objects with commas between them,
 * else of those that are there. */
static struct rt_slice newest_of(struct rt_slice added, struct rt_slice stored)
{
	const char *at = added.ptr, *end = rt_slice_end(added), *after;
	struct rt_item last = {.value = {NULL, 0}};
	struct rt_items items;

	for (; at && at < end; at = after + (after < end)) {
		after = rt_items_value(at, end);
		last.value = rt_slice_make(at, (size_t)(after - at));
	}
	if (added.ptr)
		return text_of(last.value);
	if (rt_sarif_type(stored) == RT_SARIF_STRING)
		return stored;
	if (rt_sarif_type(stored) != RT_SARIF_ARRAY)
		return rt_slice_make(NULL, 0);
	rt_items_init(&items, stored);
	while (rt_items_next(&items, &last))
		;
	return text_of(last.value);
}

static struct decision decision_of(const struct rt_issue_edits *edits, struct rt_slice retriage)
{
	struct decision d = {.false_positive = -1};

	for (size_t i = 0; i < edits->count; i++) {
		const struct rt_edit *edit = &edits->edits[i];

		if (rt_slice_equal(edit->name, rt_member_name(RT_M_FALSE_POSITIVE))) {
			d.false_positive = *edit->value.ptr == 't';
			continue;
		}
		if (rt_slice_equal(edit->name, rt_member_name(RT_M_SEVERITY)))
			d.severity = edit->value;
		if (edit->kind == RT_EDIT_NOTES)
			d.notes = edit->value;
		d.own[d.count++] = *edit;
	}
	d.justification = newest_of(d.notes, rt_sarif_member(retriage, RT_SLICE("notes")));
	return d;
}

/* --- Level (S41) ------------------------------------------------------------------------------ */

static void edit_level(struct editing *e, const struct decision *d, const struct rt_slice *values)
{
	struct rt_slice level;

	/* A result that is no failure has no level but "none" (3.27.10). */
	if (!d->severity.ptr ||
	    (values[KIND].ptr && !rt_sarif_equals(values[KIND], RT_SLICE("fail"))))
		return;
	level = rt_sarif_level_of(d->severity.ptr[1]);
	if (!rt_slice_equal(values[LEVEL], level))
		set_member(e, RT_SLICE("level"), level);
}

/* --- Suppressions (S42, S43) ------------------------------------------------------------------ */

/* An array of suppressions in the making. */
struct list {
	const struct decision *d;
	struct rt_put put;              /* into room->list */
	char guid[RT_SARIF_GUID_CHARS]; /* of the one of our own */
	bool has_own, has_end;
	size_t met, kept;
	struct rt_map hashes;  /* of those that are kept, where some change */
	const char *end;       /* of what has been met of the old one */
	struct rt_slice first; /* blanks before its first entry */
	struct rt_slice gap;   /* what is before its last one, the comma included */
};

/* Make the new text of an entry, in e->room->entry. */
static void edit_entry(struct editing *e, struct list *l, struct rt_slice entry, bool own)
{
	struct rt_sarif_suppression s;
	struct rt_edit edits[3];
	struct rt_sarif_fault fault;
	char want = '\0';
	size_t count = 0;

	if (l->d->false_positive >= 0)
		want = l->d->false_positive ? 'a' : 'r';
	/* It was checked when it was read. */
	rt_sarif_fault_clear(&fault);
	s = rt_sarif_suppression_read(entry, &fault);
	l->has_end = l->has_end || s.expiry.ptr;
	if (want && *s.status.ptr != want)
		edits[count++] = (struct rt_edit){RT_EDIT_SET, RT_SLICE("status"),
						  want == 'a' ? RT_SLICE("\"accepted\"")
							      : RT_SLICE("\"rejected\"")};
	if (own && l->d->notes.ptr && l->d->justification.ptr)
		edits[count++] =
		    (struct rt_edit){RT_EDIT_SET, RT_SLICE("justification"), l->d->justification};
	if (own && !rt_slice_equal(s.guid, rt_slice_make(l->guid, sizeof(l->guid))))
		edits[count++] = (struct rt_edit){RT_EDIT_SET, RT_SLICE("guid"),
						  rt_slice_make(l->guid, sizeof(l->guid))};
	if (l->put.status == RT_OK)
		l->put.status =
		    rt_edit_text(entry, edits, count, &e->room->entries, &e->room->entry, e->err);
}

/* Whether an equal entry is kept already: suppressions are unique in SARIF, and a status that
 * changes may make one equal to another. */
static bool is_repeated(struct editing *e, struct list *l)
{
	struct rt_result_editor *room = e->room;
	struct rt_put *put = &l->put;
	struct rt_hash128 hash;
	uint32_t *number;

	if (l->d->false_positive < 0)
		return false;
	if (put->status == RT_OK && !room->has_key)
		put->status = rt_siphash_key_init(&room->key, e->err);
	room->has_key = put->status == RT_OK;
	if (put->status == RT_OK)
		put->status = rt_items_hash(&room->key, rt_buf_slice(&room->entry), &room->decoded,
					    &hash, e->err);
	number = put->status == RT_OK ? rt_map_put(&l->hashes, hash, e->err) : NULL;
	if (!number && put->status == RT_OK)
		put->status = RT_FATAL;
	return number && (*number)++ > 0;
}

/* Take the next entry of the old array over. */
static void keep_entry(struct editing *e, struct list *l, struct rt_slice entry)
{
	bool own = rt_sarif_guid_is(rt_sarif_member(entry, RT_SLICE("guid")), l->guid);

	l->gap = rt_slice_make(l->end, (size_t)(entry.ptr - l->end));
	l->end = rt_slice_end(entry);
	if (l->met++ == 0)
		l->first = l->gap;
	l->has_own = l->has_own || own;
	if (own && l->d->false_positive == 0)
		return;
	edit_entry(e, l, entry, own);
	if (is_repeated(e, l))
		return;
	rt_put(&l->put, l->kept++ ? l->gap : l->first);
	rt_put(&l->put, rt_buf_slice(&e->room->entry));
}

/* Add the entry of our own behind the others. */
static void add_entry(struct list *l)
{
	rt_put(&l->put, rt_slice_make(",", l->kept && l->met < 2));
	rt_put(&l->put, l->kept && l->met > 1 ? l->gap : l->first);
	RT_PUT(&l->put, "{\"kind\":\"external\",\"status\":\"accepted\"");
	if (l->d->justification.ptr)
		RT_PUT(&l->put, ",\"justification\":");
	rt_put(&l->put, l->d->justification);
	RT_PUT(&l->put, ",\"guid\":");
	rt_put(&l->put, rt_slice_make(l->guid, sizeof(l->guid)));
	RT_PUT(&l->put, "}");
}

/* Whether a note about what the log itself has dismissed, without an end, needs an entry of our own
 * to be seen: those of others keep their justifications. */
static bool is_noted(const struct decision *d, struct rt_slice old, const struct list *l)
{
	struct rt_sarif_fault fault;

	rt_sarif_fault_clear(&fault);
	return d->false_positive < 0 && d->notes.ptr && d->justification.ptr && !l->has_end &&
	       rt_sarif_suppressions_read(old, &fault);
}

/* Make the new array of an old one, which may be absent. renews: where nothing is decided, an entry
 * of our own gets the guid of today. */
static void edit_suppressions(struct editing *e, const struct decision *d, struct rt_slice old,
			      struct rt_slice id, bool renews)
{
	struct list l = {.d = d, .put = {&e->room->list, e->err, RT_OK}};
	struct rt_slice from = old.ptr ? old : RT_SLICE("[]");
	struct rt_items items;
	struct rt_item item;

	if (d->false_positive < 0 && !((d->notes.ptr || renews) && old.ptr))
		return;
	rt_sarif_guid_of(id, l.guid);
	l.end = from.ptr + 1;
	e->room->list.len = 0;
	RT_PUT(&l.put, "[");
	rt_items_init(&items, from);
	while (rt_items_next(&items, &item))
		keep_entry(e, &l, item.value);
	if (!l.has_own && (d->false_positive == 1 || is_noted(d, old, &l)))
		add_entry(&l);
	rt_put(&l.put, rt_slice_make(l.end, (size_t)(rt_slice_end(from) - l.end)));
	rt_map_release(&l.hashes);
	e->status = l.put.status;
	if (e->status == RT_OK && !rt_slice_equal(rt_buf_slice(&e->room->list), old))
		set_member(e, RT_SLICE("suppressions"), rt_buf_slice(&e->room->list));
}

/* --- properties.retriage (S44) ---------------------------------------------------------------- */

static void edit_own(struct editing *e, const struct decision *d, struct rt_slice properties,
		     struct rt_slice retriage)
{
	struct rt_edit whole = {RT_EDIT_SET, RT_SLICE("retriage"), {NULL, 0}};
	struct rt_buf *bag = &e->room->bag;
	struct rt_put put = {bag, e->err, e->status};

	if (!d->count)
		return;
	if (retriage.ptr) {
		edit_inside(e, retriage, d->own, d->count);
		return;
	}
	bag->len = 0;
	rt_put(&put, properties.ptr ? RT_SLICE("") : RT_SLICE("{\"retriage\":"));
	for (size_t i = 0; i < d->count; i++) {
		bool list = d->own[i].kind == RT_EDIT_NOTES;

		rt_put(&put, i ? RT_SLICE(",\"") : RT_SLICE("{\""));
		rt_put(&put, d->own[i].name);
		rt_put(&put, list ? RT_SLICE("\":[") : RT_SLICE("\":"));
		rt_put(&put, d->own[i].value);
		rt_put(&put, rt_slice_make("]", list));
	}
	rt_put(&put, properties.ptr ? RT_SLICE("}") : RT_SLICE("}}"));
	e->status = put.status;
	whole.value = rt_buf_slice(bag);
	if (properties.ptr)
		edit_inside(e, properties, &whole, 1);
	else
		set_member(e, RT_SLICE("properties"), whole.value);
}

/* --- What was there before (S55) ---------------------------------------------------------------
 */

/* Whether a provenance names a time that is no later. */
static bool says_since(struct rt_slice provenance, struct rt_slice since)
{
	struct rt_slice value = rt_sarif_member(provenance, RT_SLICE("firstDetectionTimeUtc"));
	struct rt_instant said, known;

	return rt_sarif_type(value) == RT_SARIF_STRING &&
	       rt_instant_parse(rt_sarif_inside(value), &said) &&
	       rt_instant_parse(rt_sarif_inside(since), &known) && said.seconds <= known.seconds;
}

static void edit_history(struct editing *e, const struct rt_result_history *history,
			 struct rt_slice provenance, char room[PROVENANCE_ROOM])
{
	const struct rt_edit edit = {RT_EDIT_SET, RT_SLICE("firstDetectionTimeUtc"),
				     history->since};
	int len;

	if (history->state.ptr)
		set_member(e, RT_SLICE("baselineState"), history->state);
	if (!history->since.ptr || says_since(provenance, history->since))
		return;
	if (provenance.ptr) {
		edit_inside(e, provenance, &edit, 1);
		return;
	}
	len = snprintf(room, PROVENANCE_ROOM, "{\"%s\":%.*s}", edit.name.ptr,
		       (int)history->since.len, history->since.ptr);
	set_member(e, RT_SLICE("provenance"), rt_slice_make(room, (size_t)len));
}

/* --- What GitHub wants (S50) ------------------------------------------------------------------ */

/* A region has to begin on a line. */
static bool has_line(struct rt_slice region)
{
	struct rt_slice line = rt_sarif_member(region, RT_SLICE("startLine"));

	return line.ptr && *line.ptr >= '1' && *line.ptr <= '9';
}

/* Edit what is said of a place: an address and a line. */
static void edit_place(struct editing *e, struct rt_result_fit *fit, struct rt_slice place)
{
	struct rt_slice artifact = rt_sarif_member(place, RT_SLICE("artifactLocation"));
	struct rt_slice region = rt_sarif_member(place, RT_SLICE("region"));
	const struct rt_edit uri = {RT_EDIT_SET, RT_SLICE("uri"), fit->uri};
	const struct rt_edit line = {RT_EDIT_SET, RT_SLICE("startLine"), RT_SLICE("1")};
	struct rt_edit edits[2];
	size_t count = 0;

	if (!artifact.ptr)
		edits[count++] =
		    (struct rt_edit){RT_EDIT_SET, RT_SLICE("artifactLocation"),
				     rt_slice_make(e->room->place.data, e->room->place.len)};
	else if (!rt_sarif_filled(rt_sarif_member(artifact, uri.name)))
		edit_inside(e, artifact, &uri, 1);
	fit->lines = !has_line(region);
	if (!region.ptr)
		edits[count++] = (struct rt_edit){RT_EDIT_SET, RT_SLICE("region"),
						  RT_SLICE("{\"startLine\":1}")};
	else if (fit->lines)
		edit_inside(e, region, &line, 1);
	edit_inside(e, place, edits, count);
}

/* Edit the first location, or make one. */
static void edit_locations(struct editing *e, struct rt_result_fit *fit, struct rt_slice locations)
{
	struct rt_edit edit = {RT_EDIT_SET, RT_SLICE("physicalLocation"), {NULL, 0}};
	struct rt_item first = {.value = {NULL, 0}};
	struct rt_buf *text = &e->room->place;
	struct rt_put put = {text, e->err, e->status};
	struct rt_slice place;
	struct rt_items items;

	rt_items_init(&items, locations);
	(void)rt_items_next(&items, &first);
	place = rt_sarif_member(first.value, edit.name);
	text->len = 0;
	if (!first.value.ptr)
		RT_PUT(&put, "[{\"physicalLocation\":");
	if (!place.ptr)
		RT_PUT(&put, "{\"artifactLocation\":");
	RT_PUT(&put, "{\"uri\":");
	rt_put(&put, fit->uri);
	RT_PUT(&put, "}");
	if (!place.ptr)
		RT_PUT(&put, ",\"region\":{\"startLine\":1}}");
	if (!first.value.ptr)
		RT_PUT(&put, "}]");
	e->status = put.status;
	edit.value = rt_buf_slice(text);
	fit->lines = !place.ptr;
	if (place.ptr)
		edit_place(e, fit, place);
	else if (first.value.ptr)
		edit_inside(e, first.value, &edit, 1);
	else
		set_member(e, RT_SLICE("locations"), edit.value);
}

/* Edit the message, or make one. */
static void edit_message(struct editing *e, struct rt_result_fit *fit, struct rt_slice message)
{
	const struct rt_edit text = {RT_EDIT_SET, RT_SLICE("text"), fit->message};
	struct rt_put put = {&e->room->entry, e->err, e->status};

	fit->texts = !rt_sarif_filled(rt_sarif_member(message, text.name));
	if (fit->texts && message.ptr)
		edit_inside(e, message, &text, 1);
	if (!fit->texts || message.ptr)
		return;
	e->room->entry.len = 0;
	RT_PUT(&put, "{\"text\":");
	rt_put(&put, fit->message);
	RT_PUT(&put, "}");
	e->status = put.status;
	set_member(e, RT_SLICE("message"), rt_buf_slice(&e->room->entry));
}

/* --- The result ------------------------------------------------------------------------------- */

struct rt_issue_state rt_result_state_of(const struct rt_record *issue)
{
	struct rt_issue_state state = rt_issue_state_of(issue);

	state.flag_stands = false;
	return state;
}

enum rt_status rt_edit_result(struct rt_result_editor *editor, struct rt_slice result,
			      struct rt_slice id, const struct rt_issue_edits *edits,
			      const struct rt_result_history *history, uint32_t part,
			      uint64_t origin, struct rt_patches *patches, struct rt_error *err)
{
	struct editing e = {.room = editor,
			    .result = result,
			    .part = part,
			    .origin = origin,
			    .patches = patches,
			    .err = err};
	struct rt_slice values[RESULT_COUNT], retriage;
	char provenance[PROVENANCE_ROOM];
	struct rt_sarif_fault fault;
	struct decision d;

	/* What is read of a result is there once. */
	rt_sarif_fault_clear(&fault);
	rt_sarif_cut(result, NULL, &result_cut, values, RESULT_COUNT, &fault);
	retriage = rt_sarif_member(values[PROPERTIES], RT_SLICE("retriage"));
	d = decision_of(edits, retriage);
	edit_level(&e, &d, values);
	edit_suppressions(&e, &d, values[SUPPRESSIONS], id, history && history->fit);
	edit_own(&e, &d, values[PROPERTIES], retriage);
	if (history)
		edit_history(&e, history, values[PROVENANCE], provenance);
	if (history && history->fit) {
		edit_locations(&e, history->fit, values[LOCATIONS]);
		edit_message(&e, history->fit, values[MESSAGE]);
	}
	edit_inside(&e, result, e.members, e.count);
	return e.status;
}

void rt_result_editor_release(struct rt_result_editor *editor)
{
	rt_patches_release(&editor->entries);
	rt_buf_release(&editor->list);
	rt_buf_release(&editor->entry);
	rt_buf_release(&editor->bag);
	rt_buf_release(&editor->decoded);
	rt_buf_release(&editor->place);
}
