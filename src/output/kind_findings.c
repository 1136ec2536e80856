/*
 * Findings as lines of JSON (schema finding), for scripts: the fields of an issue, and what follows
 * from them everywhere in the same way. `list` and `diff` write it; it is no kind of --to.
 */
#include "output/kind.h"

struct findings {
	struct rt_reporting r;
	struct rt_columns columns;
	struct rt_writer *lines;
	bool shows_code;
};

/* What a line has behind the members where nothing else was asked for. */
static const struct {
	unsigned field;
	struct rt_slice name;
} further[] = {
    {RT_F_STATUS, RT_SLICE("status")},
    {RT_F_REASON, RT_SLICE("reason")},
    {RT_F_EXPIRES, RT_SLICE("until")},
    {RT_F_DECIDED_BY, RT_SLICE("decided_by")},
    {RT_F_DECIDED_AT, RT_SLICE("decided_at")},
    {RT_F_NOTE, RT_SLICE("note")},
    {RT_F_BASELINE, RT_SLICE("baseline")},
    {RT_F_SINCE, RT_SLICE("since")},
    {RT_F_AGE, RT_SLICE("age")},
    {RT_F_OVERDUE, RT_SLICE("overdue")},
    {RT_F_OWNER, RT_SLICE("owner")},
    {RT_F_FOLDER, RT_SLICE("folder")},
    {RT_M_MODEL_USED, RT_SLICE("tool")},
    {RT_F_LOCATION, RT_SLICE("location")},
    {RT_F_MESSAGE, RT_SLICE("message")},
};

#define FURTHER (sizeof(further) / sizeof(further[0]))

_Static_assert(RT_ISSUE_MEMBERS + FURTHER <= RT_COLUMNS_MAX, "all of a line are columns");

static void choose_all(struct rt_columns *columns)
{
	for (unsigned m = 0; m < RT_ISSUE_MEMBERS; m++, columns->count++) {
		columns->fields[m] = m;
		columns->names[m] = rt_field_name(m);
	}
	for (size_t i = 0; i < FURTHER; i++, columns->count++) {
		columns->fields[columns->count] = further[i].field;
		columns->names[columns->count] = further[i].name;
	}
}

static void findings_begin(void *state)
{
	const struct rt_style style = {.format = RT_FORMAT_JSON};
	struct findings *f = state;
	const struct rt_sink sink = rt_emit_sink(f->r.out);

	if (f->r.settings->columns)
		f->columns = *f->r.settings->columns;
	else
		choose_all(&f->columns);
	RT_STEP(&f->r.texts, rt_writer_open(style, &sink, &f->lines, &f->r.texts.err));
}

static void write_member(struct findings *f, enum rt_member m)
{
	const struct rt_record *record = f->r.texts.finding->record;
	bool shown = record->types[m] && (f->shows_code || !rt_member_is_code(m));

	if (shown)
		rt_writer_value(f->lines, record->values[m]);
	else
		rt_writer_value(f->lines,
				m == RT_M_FALSE_POSITIVE ? RT_SLICE("false") : RT_SLICE("null"));
}

/* A field that follows from others; empty where it is not known. */
static struct rt_slice text_of(struct findings *f, unsigned field)
{
	struct rt_texts *t = &f->r.texts;
	struct rt_put room = {&t->decoded, &t->err, t->status};
	struct rt_slice text;

	if (field == RT_F_LINK)
		return rt_texts_link(t);
	if (field == RT_F_LOCATION && !rt_texts_raw_path(t).ptr)
		return (struct rt_slice){0};
	text = rt_field_text(&f->r.settings->source, t->finding, field, 0, &room);
	t->status = room.status;
	return text;
}

static void write_field(struct findings *f, unsigned field)
{
	const struct rt_finding *finding = f->r.texts.finding;
	struct rt_slice text;

	if (field < RT_ISSUE_MEMBERS) {
		write_member(f, (enum rt_member)field);
	} else if (field == RT_F_NOTES) {
		rt_writer_value(f->lines, finding->notes.ptr ? finding->notes : RT_SLICE("[]"));
	} else {
		text = text_of(f, field);
		if (!text.ptr || (field == RT_F_BASELINE && !text.len))
			rt_writer_value(f->lines, RT_SLICE("null"));
		else if (field == RT_F_AGE || field == RT_F_OVERDUE)
			rt_writer_value(f->lines, text);
		else
			rt_writer_string(f->lines, text);
	}
}

static void findings_issue(void *state)
{
	struct findings *f = state;

	f->shows_code = rt_texts_shows_code(&f->r.texts);
	RT_WRITE(f->lines, "{");
	for (size_t i = 0; i < f->columns.count; i++) {
		rt_writer_key(f->lines, f->columns.names[i]);
		write_field(f, f->columns.fields[i]);
	}
	RT_WRITE(f->lines, "}");
	RT_STEP(&f->r.texts, rt_writer_finish(f->lines, &f->r.texts.err));
}

static void findings_release(void *state)
{
	rt_writer_free(((struct findings *)state)->lines);
}

const struct rt_report_kind rt_kind_findings = {
    .name = "findings",
    .state_bytes = sizeof(struct findings),
    .begin = findings_begin,
    .issue = findings_issue,
    .release = findings_release,
};
