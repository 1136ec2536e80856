/*
 * Looks for decisions that an auditor would ask about (WORKFLOW W43 to W52): those that have ended,
 * contradict each other, or say no reason. Each issue is looked at as it is now, and with a journal
 * as each of its entries has made it; entries are looked at by themselves at the end.
 */
#include "ops/lint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "engine/counts.h"
#include "engine/summary.h"
#include "files/files.h"
#include "journal/remarks.h"
#include "ops/reading.h"
#include "output/answer.h"
#include "output/table.h"

/* Findings that are listed of each rule; all are counted. */
#define LISTED_MAX 1000u
/* Code points of a note that can be a reason. */
#define REASON_POINTS 10u
#define SOON_DAYS 14
#define BULK_ISSUES 200u
/* Notes of an issue that are compared with each other. */
#define NOTES_COMPARED 100u
#define MESSAGE_BYTES 256u
#define SHOWN_BYTES 64u

enum rule {
	REASON,
	EXPIRED,
	EXPIRES_SOON,
	FLIP,
	BOTH,
	NO_EFFECT,
	NO_ACTOR,
	TIME,
	BULK,
	REASON_WORD,
	EXPIRES_FORM,
	DUPLICATE_NOTE,
	NO_EXPIRY,
	RULES,
};

enum level { OFF, WARNING, ERROR };

static const char *const level_names[] = {"off", "warning", "error"};

static const struct {
	const char *name;
	enum level level; /* unless --rule says otherwise */
} rules[RULES] = {
    [REASON] = {"reason", ERROR},
    [EXPIRED] = {"expired", ERROR},
    [EXPIRES_SOON] = {"expires_soon", WARNING},
    [FLIP] = {"flip", WARNING},
    [BOTH] = {"both", ERROR},
    [NO_EFFECT] = {"no_effect", WARNING},
    [NO_ACTOR] = {"no_actor", WARNING},
    [TIME] = {"time", WARNING},
    [BULK] = {"bulk", WARNING},
    [REASON_WORD] = {"reason_word", ERROR},
    [EXPIRES_FORM] = {"expires_form", ERROR},
    [DUPLICATE_NOTE] = {"duplicate_note", WARNING},
    [NO_EXPIRY] = {"no_expiry", WARNING},
};

/* What was found by one rule. */
struct findings {
	enum level level;
	uint64_t count;       /* all of them */
	struct rt_buf listed; /* of struct rt_objection */
};

struct rt_linting {
	struct rt_fault fault; /* of what is looked at and found */
	int64_t at;
	struct rt_state *state; /* borrowed */
	struct findings findings[RULES];
	uint32_t *changed;             /* issues that each entry changed */
	struct rt_counts notes, texts; /* texts: of what is listed */
	struct rt_counts_limit limit, no_limit;
	struct rt_buf scratch, other, listed;
	uint64_t counts[ERROR + 1]; /* of findings by level */
	bool is_part;               /* of a report */
	bool uncounted;             /* there are too many notes for the rule bulk */
};

const char *rt_lint_rule(size_t index)
{
	return index < RULES ? rules[index].name : NULL;
}

/* Read NAME=LEVEL. */
static enum rt_status read_rule(struct rt_linting *l, const char *text, struct rt_error *err)
{
	size_t len = strcspn(text, "=");

	for (size_t i = 0; text[len] && i < RULES; i++) {
		if (strlen(rules[i].name) != len || memcmp(rules[i].name, text, len) != 0)
			continue;
		for (unsigned level = OFF; level <= ERROR; level++) {
			if (strcmp(level_names[level], text + len + 1) != 0)
				continue;
			l->findings[i].level = (enum level)level;
			return RT_OK;
		}
	}
	(void)rt_error_set(err, RT_E_USAGE,
			   "want RULE=error, RULE=warning or RULE=off, with a RULE that retriage "
			   "lint --help has; have \"%s\"",
			   text);
	(void)snprintf(err->field, sizeof(err->field), "--rule");
	return RT_FATAL;
}

/* --- Findings -------------------------------------------------------------------------------- */

static const struct rt_objection *listed(const struct findings *findings, size_t *ret_count)
{
	*ret_count = findings->listed.len / sizeof(struct rt_objection);
	return (const void *)findings->listed.data;
}

/* Add a finding. id: ptr NULL: it is about no issue; entry: 0: about no entry. */
static void add(struct rt_linting *l, enum rule rule, struct rt_slice id, uint64_t entry,
		const char *message)
{
	struct findings *findings = &l->findings[rule];
	struct rt_objection found = {
	    .is_error = findings->level == ERROR, .rule = rules[rule].name, .entry = entry};
	size_t count;

	if (findings->level == OFF)
		return;
	findings->count++;
	l->counts[findings->level]++;
	(void)listed(findings, &count);
	if (count == LISTED_MAX)
		return;
	if (id.ptr)
		found.id = rt_counts_keep(&l->texts, id, &l->fault);
	found.message = rt_counts_keep(&l->texts, rt_slice_of(message), &l->fault);
	RT_STEP(&l->fault, rt_buf_append(&findings->listed, &found, sizeof(found), l->fault.err));
}

/* The next of notes; false after the last one. */
static bool next_note(struct rt_linting *l, struct rt_slice *rest, struct rt_buf *scratch,
		      struct rt_note *ret_note)
{
	struct rt_put room = {scratch, l->fault.err, l->fault.status};
	bool more = rt_notes_take(rest, &room, ret_note);

	l->fault.status = room.status;
	return more;
}

/* --- An issue as it is now ------------------------------------------------------------------- */

/* Whether a note has words enough to be a reason, those that end a decision not counted. */
static bool is_reason(struct rt_slice note)
{
	size_t want = REASON_POINTS;

	if (rt_note_end(note) != INT64_MAX)
		want += strlen("exp:YYYY-MM-DD");
	return rt_utf8_points(note) >= want;
}

static void look_at_end(struct rt_linting *l, const struct rt_finding *finding)
{
	struct rt_slice id = finding->record->id;
	char day[RT_DAY_TEXT], message[MESSAGE_BYTES];
	int64_t days = (finding->end - l->at) / 86400;

	(void)rt_end_text(finding->end, day);
	if (finding->status == RT_STATUS_EXPIRED) {
		(void)snprintf(message, sizeof(message), "the dismissal has ended on %s",
			       finding->end == INT64_MIN ? "a day that is none" : day);
		add(l, EXPIRED, id, finding->decided, message);
	} else if (finding->end != INT64_MAX && days < SOON_DAYS) {
		(void)snprintf(message, sizeof(message),
			       "the dismissal ends on %s, in %" PRId64 " day%s", day, days,
			       RT_S(days));
		add(l, EXPIRES_SOON, id, finding->decided, message);
	} else if (finding->end == INT64_MAX && finding->level == 0) {
		add(l, NO_EXPIRY, id, finding->decided,
		    "a critical issue is dismissed without an end");
	}
}

/* Whether one of the notes that follow is equal to a text. */
static bool is_again(struct rt_linting *l, struct rt_slice rest, struct rt_slice text)
{
	struct rt_note other;

	for (unsigned i = 0; i < NOTES_COMPARED && next_note(l, &rest, &l->other, &other); i++) {
		if (rt_slice_equal(other.text, text))
			return true;
	}
	return false;
}

/* Count a note for the rule bulk. A report does without that rule where there are too many. */
static void count_note(struct rt_linting *l, struct rt_slice note)
{
	if (l->uncounted ||
	    RT_STEP(&l->fault, rt_counts_put(&l->notes, note, 1, 0, l->fault.err)) == RT_OK)
		return;
	l->uncounted = l->is_part && l->fault.err->code == RT_E_LIMIT;
	if (l->uncounted)
		l->fault.status = RT_OK;
}

/* The words by which a note ends a dismissal, or says why there is one. */
static void look_at_words(struct rt_linting *l, struct rt_slice id, struct rt_slice note)
{
	struct rt_slice word;
	char shown[SHOWN_BYTES], message[MESSAGE_BYTES];
	enum rt_end_fault fault = rt_note_end_fault(note, INT64_MIN, &word);

	if (fault != RT_END_RIGHT) {
		rt_error_text(shown, sizeof(shown), word);
		(void)snprintf(message, sizeof(message), "\"%s\" is %s", shown,
			       fault == RT_END_NO_DAY ? "no day" : "not exp:YYYY-MM-DD");
		add(l, EXPIRES_FORM, id, 0, message);
	}
	if (rt_note_reason(note, &word) == RT_REASON_OTHER) {
		rt_error_text(shown, sizeof(shown), word);
		(void)snprintf(message, sizeof(message), "\"%s\" is no reason", shown);
		add(l, REASON_WORD, id, 0, message);
	}
}

static void look_at_note(struct rt_linting *l, struct rt_slice id, const struct rt_note *said,
			 struct rt_slice rest)
{
	struct rt_slice note = said->text;
	char shown[SHOWN_BYTES], message[MESSAGE_BYTES];

	count_note(l, note);
	if (!said->comment)
		look_at_words(l, id, note);
	if (is_again(l, rest, note)) {
		rt_error_text(shown, sizeof(shown), note);
		(void)snprintf(message, sizeof(message), "a note is there twice: %s", shown);
		add(l, DUPLICATE_NOTE, id, 0, message);
	}
}

/* --- An issue as the entries made it --------------------------------------------------------- */

/* A field that entries set: its values before the last two changes, and who set it last. */
struct setting {
	const char *name;
	int before, value;
	bool was_changed, was_set;
	struct rt_slice actor;
	bool is_told;
};

/* A decision that wants a reason, and the entry that made it. */
struct wanting {
	bool wants;
	uint32_t entry; /* 1 + its number; 0: the export has it */
	const char *what;
};

/* How an entry sets a field: to and fro, or otherwise than somebody else. */
static void look_at_setting(struct rt_linting *l, struct rt_slice id,
			    const struct rt_effects *effects, struct setting *s, int set, int now)
{
	struct rt_slice actor = effects->step.maker;
	char message[MESSAGE_BYTES] = "", first[SHOWN_BYTES], second[SHOWN_BYTES];
	int before = s->value;

	if (set == RT_REQUEST_KEEP)
		return;
	if (now != before && s->was_changed && now == s->before)
		(void)snprintf(message, sizeof(message), "%s was changed and changed back",
			       s->name);
	else if (now != before && s->was_set && !rt_slice_equal(actor, s->actor)) {
		rt_error_text(first, sizeof(first), s->actor);
		rt_error_text(second, sizeof(second), actor);
		(void)snprintf(message, sizeof(message), "%s was set by %s, and otherwise by %s",
			       s->name, *first ? first : "nobody", *second ? second : "nobody");
	}
	if (now != before) {
		s->before = before;
		s->value = now;
		s->was_changed = true;
	}
	s->was_set = true;
	s->actor = actor;
	if (!*message || s->is_told)
		return;
	s->is_told = true;
	add(l, FLIP, id, (uint64_t)effects->number + 1, message);
}

/* What an entry makes of the reasons that are wanted. */
static void look_at_reason(const struct rt_effects *effects, struct wanting *flag,
			   struct wanting *severity)
{
	const struct rt_issue_state *was = &effects->before, *is = &effects->after;
	bool has_reason = is_reason(effects->step.notes);

	if (is->false_positive && !was->false_positive)
		*flag = (struct wanting){true, effects->number + 1, flag->what};
	if (was->severity >= 0 && is->severity > was->severity)
		*severity = (struct wanting){true, effects->number + 1, severity->what};
	flag->wants = flag->wants && is->false_positive && !has_reason;
	severity->wants = severity->wants && !has_reason;
}

/* created: ptr NULL: the issue does not say when. */
static void look_at_time(struct rt_linting *l, struct rt_slice id, struct rt_slice created,
			 const struct rt_effects *effects)
{
	struct rt_instant then, first;

	if (created.ptr && rt_instant_parse(effects->step.made_at, &then) &&
	    rt_instant_parse(created, &first) && rt_instant_compare(&then, &first) < 0)
		add(l, TIME, id, (uint64_t)effects->number + 1,
		    "decided before the issue was created");
}

/* Whether a note of the export itself is a reason. */
static bool has_reason(struct rt_linting *l, const struct rt_record *base)
{
	struct rt_slice rest = rt_record_notes(base);
	struct rt_note note;

	while (next_note(l, &rest, &l->scratch, &note)) {
		if (is_reason(note.text))
			return true;
	}
	return false;
}

static void look_at_entries(struct rt_linting *l, const struct rt_finding *finding)
{
	const struct rt_record *base;
	struct rt_effects effects = rt_state_effects(l->state, &base);
	struct wanting flag = {effects.after.false_positive == 1, 0,
			       "dismissed without a note that says why"};
	struct wanting severity = {false, 0, "rated lower without a note that says why"};
	struct setting settings[] = {
	    {.name = "severity", .value = effects.after.severity},
	    {.name = "false_positive", .value = effects.after.false_positive},
	    {.name = "exploitable", .value = effects.after.exploitable},
	};
	struct rt_slice id = finding->record->id, created = {0};

	flag.wants = flag.wants && !has_reason(l, base);
	RT_STEP(&l->fault,
		rt_finding_text(finding, RT_M_CREATED_AT, &l->scratch, &created, l->fault.err));
	while (l->fault.status == RT_OK && rt_effects_next(&effects)) {
		const struct rt_step *step = &effects.step;
		const int sets[] = {step->severity, step->false_positive, step->exploitable};
		const int values[] = {effects.after.severity, effects.after.false_positive,
				      effects.after.exploitable};

		l->changed[effects.number] += effects.changed;
		look_at_reason(&effects, &flag, &severity);
		for (size_t i = 0; i < 3; i++)
			look_at_setting(l, id, &effects, &settings[i], sets[i], values[i]);
		look_at_time(l, id, created, &effects);
	}
	if (flag.wants)
		add(l, REASON, id, flag.entry, flag.what);
	if (severity.wants)
		add(l, REASON, id, severity.entry, severity.what);
}

enum rt_status rt_linting_add(struct rt_linting *l, const struct rt_finding *finding,
			      struct rt_error *err)
{
	struct rt_slice rest = finding->notes;
	struct rt_note note;

	/* Nobody has decided anything, which is how most issues are. */
	if (finding->status == RT_STATUS_OPEN && !finding->notes.len && !finding->decided)
		return RT_OK;
	l->fault.err = err;
	if (finding->status != RT_STATUS_OPEN)
		look_at_end(l, finding);
	if (finding->status != RT_STATUS_OPEN && rt_finding_flag(finding, RT_M_EXPLOITABLE) == 1)
		add(l, BOTH, finding->record->id, finding->decided, "dismissed and exploitable");
	while (next_note(l, &rest, &l->scratch, &note))
		look_at_note(l, finding->record->id, &note, rest);
	look_at_entries(l, finding);
	return l->fault.status;
}

/* --- Entries, and all issues together -------------------------------------------------------- */

/* Notes of more than so many issues. */
static void look_at_bulk(struct rt_linting *l)
{
	char shown[SHOWN_BYTES], message[MESSAGE_BYTES], count[RT_COUNT_ROOM];

	rt_counts_sort(&l->notes);
	for (size_t i = 0; !l->uncounted && i < l->notes.used; i++) {
		if (l->notes.slots[i].count <= BULK_ISSUES)
			continue;
		rt_error_text(shown, sizeof(shown), l->notes.slots[i].text);
		(void)snprintf(message, sizeof(message), "%s issues have one note: %s",
			       rt_count_text(l->notes.slots[i].count, count), shown);
		add(l, BULK, (struct rt_slice){NULL, 0}, 0, message);
	}
}

/* What is remarked on the times of entries, and on those that are equal. */
static void take_remarks(struct rt_linting *l, const struct rt_plan *plan)
{
	char now[RT_INSTANT_CHARS], message[MESSAGE_BYTES];
	bool known = rt_instant_format(l->at, now);
	struct rt_remarks remarks = {.count = 0};
	const struct rt_remark *listed;

	RT_STEP(&l->fault,
		rt_remarks_on_plan(&remarks, plan, 0,
				   rt_slice_make(known ? now : NULL, sizeof(now)), l->fault.err));
	listed = (const void *)remarks.listed.data;
	for (size_t i = 0; i < remarks.listed.len / sizeof(*listed); i++) {
		rt_remark_text(&listed[i], message, sizeof(message));
		add(l, listed[i].kind == RT_REMARK_EQUAL ? NO_EFFECT : TIME,
		    (struct rt_slice){NULL, 0}, listed[i].entry, message);
	}
	rt_remarks_release(&remarks);
}

enum rt_status rt_linting_finish(struct rt_linting *l, struct rt_error *err)
{
	static const struct rt_slice none = {NULL, 0};
	const struct rt_plan *plan = rt_state_history(l->state)->plan;

	l->fault.err = err;
	look_at_bulk(l);
	for (uint32_t i = 0; l->fault.status == RT_OK && i < rt_plan_steps(plan); i++) {
		if (!l->changed[i])
			add(l, NO_EFFECT, none, (uint64_t)i + 1, "no issue was changed");
		if (!rt_plan_step(plan, i).maker.len)
			add(l, NO_ACTOR, none, (uint64_t)i + 1, "no actor is named");
	}
	take_remarks(l, plan);
	return l->fault.status;
}

/* --- The report ------------------------------------------------------------------------------ */

static void write_document(struct rt_writer *w, const struct rt_linting *l)
{
	RT_WRITE(w, "{errors: %u, warnings: %u, counts: {", l->counts[ERROR], l->counts[WARNING]);
	for (size_t i = 0; i < RULES; i++)
		RT_WRITE(w, "%k: %u", rt_slice_of(rules[i].name), l->findings[i].count);
	RT_WRITE(w, "}, findings: [");
	for (size_t i = 0; i < RULES; i++) {
		size_t count;
		const struct rt_objection *all = listed(&l->findings[i], &count);

		for (size_t k = 0; k < count; k++)
			RT_WRITE(w, "{rule: %s, level: %s, issue_id: %s, entry: %z, message: %s}",
				 all[k].rule, level_names[l->findings[i].level], all[k].id,
				 all[k].entry, all[k].message);
	}
	RT_WRITE(w, "]}");
}

enum rt_status rt_linting_objections(struct rt_linting *l, uint64_t most,
				     struct rt_objections *ret_objections, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < RULES; i++) {
		size_t count, at = l->listed.len;
		const struct rt_objection *all = listed(&l->findings[i], &count);
		struct rt_objection *last;

		count = count < most ? count : most;
		if (!count)
			continue;
		status = rt_buf_append(&l->listed, all, count * sizeof(*all), err);
		last = (struct rt_objection *)(void *)(l->listed.data + at) + count - 1;
		if (status == RT_OK)
			last->more = l->findings[i].count - count;
	}
	*ret_objections = (struct rt_objections){
	    .errors = l->counts[ERROR],
	    .warnings = l->counts[WARNING],
	    .listed = (const void *)l->listed.data,
	    .count = l->listed.len / sizeof(struct rt_objection),
	};
	return status;
}

static uint64_t put_findings(struct rt_table *table, const struct findings *findings, uint64_t room)
{
	enum rt_tone tone = findings->level == ERROR ? RT_TONE_LEVEL + 1 : RT_TONE_LEVEL + 2;
	size_t count, shown;
	const struct rt_objection *all = listed(findings, &count);

	for (shown = 0; shown < count && shown < room; shown++) {
		const struct rt_objection *one = &all[shown];
		char entry[24] = "-";

		if (one->entry)
			(void)snprintf(entry, sizeof(entry), "%" PRIu64, one->entry);
		rt_table_cell(table, rt_slice_of(level_names[findings->level]), tone);
		rt_table_cell(table, rt_slice_of(one->rule), RT_TONE_PLAIN);
		rt_table_cell(table, rt_slice_of(entry), RT_TONE_PLAIN);
		rt_table_cell(table, one->message, RT_TONE_PLAIN);
		rt_table_cell(table, one->id.ptr ? one->id : RT_SLICE("-"), RT_TONE_FAINT);
	}
	return shown;
}

static void put_table(struct rt_table *table, const struct rt_linting *l, unsigned rows)
{
	static const struct rt_table_column columns[] = {
	    {.title = "LEVEL"},
	    {.title = "RULE"},
	    {.title = "ENTRY", .right = true, .leave = 2},
	    {.title = "FINDING", .weight = 4, .min = 16},
	    {.title = "ID", .weight = 2, .min = 12, .leave = 1},
	};
	uint64_t all = l->counts[ERROR] + l->counts[WARNING], shown = 0;
	char line[96], numbers[2][RT_COUNT_ROOM];

	if (all && rows)
		rt_table_begin(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < RULES; i++)
		shown += put_findings(table, &l->findings[i], rows - shown);
	if (all > shown) {
		(void)snprintf(line, sizeof(line), "%s more",
			       rt_count_text(all - shown, numbers[0]));
		rt_table_line(table, rt_slice_of(line), RT_TONE_FAINT);
	}
	(void)snprintf(line, sizeof(line), "%s error%s, %s warning%s",
		       rt_count_text(l->counts[ERROR], numbers[0]), RT_S(l->counts[ERROR]),
		       rt_count_text(l->counts[WARNING], numbers[1]), RT_S(l->counts[WARNING]));
	rt_table_line(table, rt_slice_of(line), RT_TONE_STRONG);
}

/* --- The command ----------------------------------------------------------------------------- */

enum rt_status rt_linting_new(const struct rt_options *options, int64_t at, bool is_part,
			      struct rt_linting **ret_linting, struct rt_error *err)
{
	struct rt_linting *l = calloc(1, sizeof(*l));

	if (!l)
		return rt_error_nomem(err);
	l->at = at;
	l->is_part = is_part;
	l->limit.max = options->limits.distinct_bytes;
	l->no_limit.max = UINT64_MAX;
	for (size_t i = 0; i < RULES; i++)
		l->findings[i].level = rules[i].level;
	*ret_linting = l;
	return RT_OK;
}

enum rt_status rt_linting_begin(struct rt_linting *l, struct rt_state *state, struct rt_error *err)
{
	size_t entries = rt_plan_steps(rt_state_history(state)->plan);

	l->state = state;
	rt_counts_init(&l->notes, rt_dataset_key(rt_state_dataset(state)), &l->limit);
	rt_counts_init(&l->texts, &l->notes.key, &l->no_limit);
	l->changed = calloc(entries + 1, sizeof(*l->changed));
	return l->changed ? RT_OK : rt_error_nomem(err);
}

void rt_linting_free(struct rt_linting *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < RULES; i++)
		rt_buf_release(&l->findings[i].listed);
	rt_counts_release(&l->texts);
	rt_counts_release(&l->notes);
	rt_buf_release(&l->scratch);
	rt_buf_release(&l->other);
	rt_buf_release(&l->listed);
	free(l->changed);
	free(l);
}

/* One call of rt_lint(). */
struct run {
	struct rt_reading reading;
	struct rt_linting *linting;
};

static enum rt_status begin(struct rt_reading *r, const struct rt_siphash_key *key,
			    struct rt_error *err)
{
	struct run *run = (struct run *)(void *)r;

	(void)key;
	if (!r->options->journal)
		rt_notice(r->options,
			  "without --journal nothing is known of who decided what when: "
			  "only decisions as they are were looked at");
	return rt_linting_begin(run->linting, r->state, err);
}

static enum rt_status take(struct rt_reading *r, const struct rt_finding *finding,
			   struct rt_error *err)
{
	struct run *run = (struct run *)(void *)r;

	return rt_linting_add(run->linting, finding, err);
}

static const struct rt_consumer lint_all = {.begin = begin, .take = take};

enum rt_status rt_lint(const struct rt_options *options, const struct rt_lint *ask,
		       struct rt_style style, const struct rt_sink *sink, bool *ret_clean,
		       struct rt_error *err)
{
	struct run run = {.reading = {.options = options, .at = ask->at, .needs_notes = true}};
	struct rt_answer answer = {.spool.fd = -1};
	struct rt_fault fault = {rt_style_check(style, RT_FORMAT_TABLE, err), err};

	RT_STEP(&fault, rt_linting_new(options, ask->at, false, &run.linting, err));
	for (size_t i = 0; i < ask->rule_count; i++)
		RT_STEP(&fault, read_rule(run.linting, ask->rules[i], err));
	RT_STEP(&fault, rt_reading_prepare(&run.reading, err));
	RT_STEP(&fault, rt_read_alone(&run.reading, &lint_all, NULL, err));
	RT_STEP(&fault, rt_linting_finish(run.linting, err));
	if (RT_STEP(&fault, rt_answer_begin(&answer, style, err)) == RT_OK) {
		if (answer.table)
			put_table(answer.table, run.linting, ask->rows);
		else
			write_document(answer.writer, run.linting);
	}
	if (RT_STEP(&fault, rt_answer_send(&answer, sink, err)) == RT_OK)
		*ret_clean = run.linting->counts[ERROR] == 0;
	rt_answer_release(&answer);
	rt_linting_free(run.linting);
	rt_reading_release(&run.reading);
	return fault.status;
}
