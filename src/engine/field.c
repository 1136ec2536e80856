/* Fields of an issue by name, as texts. */
#include "engine/field.h"

#include <stdio.h>

#include "base/error.h"
#include "base/instant.h"
#include "engine/headline.h"

/* What people call a field. */
static const struct {
	const char *name;
	unsigned field;
} short_names[] = {
    {"rule", RT_M_CATEGORY},      {"tool", RT_M_MODEL_USED}, {"path", RT_M_FILE_PATH},
    {"line", RT_M_LINE_NUMBER},   {"cwe", RT_M_CWE_IDS},     {"owasp", RT_M_OWASP_CATEGORY},
    {"repo", RT_M_REPO_NAME},     {"scan", RT_M_SCAN_ID},    {"created", RT_M_CREATED_AT},
    {"updated", RT_M_UPDATED_AT}, {"until", RT_F_EXPIRES},
};

#define SHORT_NAMES (sizeof(short_names) / sizeof(short_names[0]))

/* What people sort out findings by (TRIAGE T23). */
static const unsigned triage[] = {
    RT_F_STATUS,    RT_F_REASON,     RT_M_SEVERITY,    RT_F_AGE,      RT_F_OVERDUE,
    RT_F_FINDING,   RT_M_FILE_PATH,  RT_M_LINE_NUMBER, RT_M_CATEGORY, RT_M_MODEL_USED,
    RT_M_REPO_NAME, RT_F_DECIDED_BY, RT_F_DECIDED_AT,  RT_F_EXPIRES,  RT_F_NOTE,
    RT_F_LINK,      RT_M_ID,
};

/* --- Names ----------------------------------------------------------------------------------- */

struct rt_slice rt_field_name(unsigned field)
{
#define NAME(field, name) [(field)-RT_ISSUE_MEMBERS] = name
	static const char *const further[RT_FIELDS - RT_ISSUE_MEMBERS] = {
	    NAME(RT_F_NOTES, "notes"),
	    NAME(RT_F_AGE, "age"),
	    NAME(RT_F_STATUS, "status"),
	    NAME(RT_F_BASELINE, "baseline"),
	    NAME(RT_F_REASON, "reason"),
	    NAME(RT_F_EXPIRES, "expires"),
	    NAME(RT_F_OVERDUE, "overdue"),
	    NAME(RT_F_FOLDER, "folder"),
	    NAME(RT_F_OWNER, "owner"),
	    NAME(RT_F_DECIDED_BY, "decided_by"),
	    NAME(RT_F_DECIDED_AT, "decided_at"),
	    NAME(RT_F_NOTE, "note"),
	    NAME(RT_F_LINK, "link"),
	    NAME(RT_F_LOCATION, "location"),
	    NAME(RT_F_FINDING, "finding"),
	    NAME(RT_F_MESSAGE, "message"),
	    NAME(RT_F_SINCE, "since"),
	};
#undef NAME
	const char *name;

	if (field < RT_ISSUE_MEMBERS)
		return rt_member_name((enum rt_member)field);
	name = further[field - RT_ISSUE_MEMBERS];
	return rt_slice_of(name);
}

const char *rt_field_short_name(size_t index)
{
	return index < SHORT_NAMES ? short_names[index].name : NULL;
}

struct rt_slice rt_field_title(unsigned field)
{
	for (size_t i = 0; i < SHORT_NAMES; i++) {
		if (short_names[i].field == field && field != RT_F_EXPIRES)
			return rt_slice_of(short_names[i].name);
	}
	return rt_field_name(field);
}

bool rt_field_find(struct rt_slice name, unsigned limit, unsigned *ret_field)
{
	for (unsigned i = 0; i < limit + SHORT_NAMES; i++) {
		const char *text = i < limit ? NULL : short_names[i - limit].name;
		struct rt_slice known = text ? rt_slice_of(text) : rt_field_name(i);

		if (!rt_slice_equal(name, known))
			continue;
		*ret_field = i < limit ? i : short_names[i - limit].field;
		return true;
	}
	return false;
}

enum rt_status rt_field_check(const struct rt_field_source *source, unsigned field,
			      struct rt_error *err)
{
	const char *option = NULL;

	if (field == RT_F_OWNER && !source->owners)
		option = "--owners CODEOWNERS";
	else if (field == RT_F_OVERDUE && !source->sla)
		option = "--sla LEVEL=DAYS,...";
	else if (field == RT_F_LINK && !source->link)
		option = "--link TEMPLATE";
	return option ? rt_error_set(err, RT_E_USAGE, "the field %s needs %s",
				     rt_field_name(field).ptr, option)
		      : RT_OK;
}

static enum rt_status refuse_column(const char *text, size_t len, const char *option,
				    struct rt_error *err)
{
	struct rt_nearest nearest;
	char hint[RT_HINT_MAX];

	rt_nearest_begin(&nearest, text, len);
	for (unsigned i = 0; i < RT_FIELDS; i++)
		rt_nearest_offer(&nearest, rt_field_name(i).ptr);
	for (size_t i = 0; i < SHORT_NAMES; i++)
		rt_nearest_offer(&nearest, short_names[i].name);
	(void)rt_error_set(err, RT_E_USAGE,
			   "want names of fields with commas between them, at "
			   "most %u, have \"%.*s\"%s",
			   RT_COLUMNS_MAX, (int)(len < 60 ? len : 60), text,
			   rt_nearest_hint(&nearest, "", "; see retriage help filters", hint));
	(void)snprintf(err->field, sizeof(err->field), "%s", option);
	return RT_FATAL;
}

enum rt_status rt_columns_read(const char *text, bool orders, const char *option,
			       const struct rt_field_source *source, struct rt_columns *ret_columns,
			       struct rt_error *err)
{
	struct rt_columns columns = {0};

	for (const char *at = text;; at++) {
		bool falling = orders && *at == '-';
		size_t len;

		at += falling;
		len = strcspn(at, ",");
		if (!orders && len == 6 && memcmp(at, "triage", 6) == 0 &&
		    columns.count + sizeof(triage) / sizeof(triage[0]) <= RT_COLUMNS_MAX) {
			for (size_t i = 0; i < sizeof(triage) / sizeof(triage[0]); i++) {
				columns.fields[columns.count] = triage[i];
				columns.names[columns.count++] = rt_field_title(triage[i]);
			}
		} else if (columns.count < RT_COLUMNS_MAX &&
			   rt_field_find(rt_slice_make(at, len), RT_FIELDS,
					 &columns.fields[columns.count])) {
			if (rt_field_check(source, columns.fields[columns.count], err) != RT_OK) {
				(void)snprintf(err->field, sizeof(err->field), "%s", option);
				return RT_FATAL;
			}
			columns.names[columns.count] = rt_slice_make(at, len);
			columns.falling[columns.count++] = falling;
		} else {
			return refuse_column(at, len, option, err);
		}
		at += len;
		if (!*at)
			break;
	}
	*ret_columns = columns;
	return RT_OK;
}

/* --- Texts ----------------------------------------------------------------------------------- */

/* Texts with "; " between them. */
static struct rt_slice join(struct rt_slice list, bool notes, struct rt_put *room)
{
	struct rt_buf decoded = {0};
	struct rt_put walk = {&decoded, room->err, room->status};
	struct rt_slice added_at, text;

	room->out->len = 0;
	for (size_t i = 0; notes ? rt_notes_step(&list, &walk, &added_at, &text)
				 : rt_strings_step(&list, &walk, &text);
	     i++) {
		rt_put(room, i ? RT_SLICE("; ") : RT_SLICE(""));
		rt_put(room, text);
	}
	if (walk.status != RT_OK)
		room->status = walk.status;
	rt_buf_release(&decoded);
	/* Of an empty list it is there and empty, before the buffer has any bytes, too. */
	return room->out->len ? rt_buf_slice(room->out) : RT_SLICE("");
}

/* A note without the words of a reason before it and of an end after it: they are fields. */
static struct rt_slice plain_note(struct rt_slice note)
{
	struct rt_slice word = {NULL, 0};
	const char *end = rt_slice_end(note), *at = end;

	if (rt_note_reason(note, &word) != RT_REASON_NONE)
		note = rt_slice_make(rt_slice_end(word), (size_t)(end - rt_slice_end(word)));
	while (at > note.ptr && at[-1] != ' ')
		at--;
	if (rt_note_end(rt_slice_make(at, (size_t)(end - at))) != INT64_MAX)
		note.len = (size_t)(at - note.ptr);
	while (note.len && *note.ptr == ' ')
		note = rt_slice_make(note.ptr + 1, note.len - 1);
	while (note.len && note.ptr[note.len - 1] == ' ')
		note.len--;
	return note;
}

static struct rt_slice last_note(const struct rt_finding *finding, struct rt_put *room)
{
	struct rt_slice notes = finding->notes, last = notes, here = notes, added_at, text;

	for (; rt_notes_step(&notes, room, &added_at, &text); here = notes)
		last = here;
	/* What follows the last one has been decoded over it. */
	return rt_notes_step(&last, room, &added_at, &text) ? plain_note(text)
							    : (struct rt_slice){0};
}

static struct rt_slice flag_text(bool flag)
{
	return flag ? RT_SLICE("true") : RT_SLICE("false");
}

static struct rt_slice member_text(const struct rt_finding *finding, enum rt_member m,
				   struct rt_put *room)
{
	uint8_t types = finding->record->types[m];
	int flag;

	if (types & RT_TYPE_STRINGS)
		return join(rt_finding_strings(finding, m), false, room);
	if (types & RT_TYPE_STRING)
		return rt_finding_string(finding, m, room);
	if (!(rt_member_rule(RT_KIND_ISSUE, m)->types & RT_TYPE_BOOL))
		return rt_finding_number(finding, m);
	flag = m == RT_M_FALSE_POSITIVE ? !finding->open : rt_finding_flag(finding, m);
	return flag >= 0 ? flag_text(flag) : (struct rt_slice){0};
}

/* The first parts of the folder that a path is in; "." where it is in none. */
static struct rt_slice folder_of(struct rt_slice path, unsigned depth)
{
	size_t len = path.len, parts = 0;

	while (len && path.ptr[len - 1] != '/')
		len--;
	if (len)
		len--;
	for (size_t i = 1; depth && i < len; i++) {
		if (path.ptr[i] == '/' && ++parts == depth)
			len = i;
	}
	return len ? rt_slice_make(path.ptr, len) : RT_SLICE(".");
}

static struct rt_slice path_text(const struct rt_field_source *source,
				 const struct rt_finding *finding, unsigned field, unsigned depth,
				 struct rt_put *room)
{
	struct rt_slice path =
	    rt_finding_resolved(rt_finding_string(finding, RT_M_FILE_PATH, room), room);

	if (!path.len)
		return (struct rt_slice){0};
	return field == RT_F_FOLDER ? folder_of(path, depth) : rt_owners_find(source->owners, path);
}

static struct rt_slice age_text(const struct rt_field_source *source,
				const struct rt_finding *finding, unsigned field,
				struct rt_put *room)
{
	uint32_t max = source->sla ? source->sla[finding->level] : UINT32_MAX;
	uint32_t days = rt_finding_age(finding, source->at, room);

	if (days == RT_AGE_UNKNOWN || (field == RT_F_OVERDUE && !source->sla))
		return (struct rt_slice){0};
	if (field == RT_F_OVERDUE)
		return flag_text(finding->open && days > max);
	room->out->len = 0;
	rt_put_number(room, days);
	return rt_buf_slice(room->out);
}

/* The day of a time; ptr NULL where it is not known. */
static struct rt_slice day_text(int64_t seconds, struct rt_put *room)
{
	char text[RT_INSTANT_CHARS];

	if (seconds == INT64_MAX || !rt_instant_format(seconds, text))
		return (struct rt_slice){0};
	room->out->len = 0;
	rt_put(room, rt_slice_make(text, RT_DAY_ROOM - 1));
	return rt_buf_slice(room->out);
}

static struct rt_slice end_text(const struct rt_finding *finding, struct rt_put *room)
{
	char day[RT_DAY_ROOM];

	if (finding->reason == RT_REASON_NONE || !rt_end_day(finding->end, day))
		return (struct rt_slice){0};
	room->out->len = 0;
	rt_put(room, rt_slice_of(day));
	return rt_buf_slice(room->out);
}

struct rt_slice rt_field_text(const struct rt_field_source *source,
			      const struct rt_finding *finding, unsigned field, unsigned depth,
			      struct rt_put *room)
{
	static const struct rt_slice none = {NULL, 0};

	switch (field) {
	case RT_F_NOTES:
		return finding->notes.ptr ? join(finding->notes, true, room) : none;
	case RT_F_NOTE:
		return last_note(finding, room);
	case RT_F_AGE:
	case RT_F_OVERDUE:
		return age_text(source, finding, field, room);
	case RT_F_STATUS:
		return rt_status_names[finding->status];
	case RT_F_BASELINE:
		return rt_slice_of(rt_class_name(finding->class));
	case RT_F_REASON:
		return finding->reason != RT_REASON_NONE ? rt_reason_word(finding->reason) : none;
	case RT_F_EXPIRES:
		return end_text(finding, room);
	case RT_F_DECIDED_BY:
		return finding->decided_by;
	case RT_F_DECIDED_AT:
		return finding->decided_at;
	case RT_F_FOLDER:
	case RT_F_OWNER:
		return path_text(source, finding, field, depth, room);
	case RT_F_LOCATION:
		rt_finding_place(finding, room);
		return rt_buf_slice(room->out);
	case RT_F_FINDING:
		return rt_finding_headline(finding, room).text;
	case RT_F_MESSAGE:
		return rt_finding_string(finding, RT_M_DESCRIPTION, room);
	case RT_F_SINCE:
		return day_text(rt_finding_seen(finding, room), room);
	case RT_F_LINK:
		return none;
	default:
		return member_text(finding, (enum rt_member)field, room);
	}
}
