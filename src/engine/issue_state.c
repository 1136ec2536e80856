/*
 * What updates make of one issue (SPEC D13, D14): its members after them, and the edits that bring
 * its record there. Requests and records have been checked.
 */
#include "engine/issue_state.h"

#include "base/json_string.h"
#include "engine/finding.h"
#include "engine/summary.h"

const enum rt_member rt_state_members[RT_STATE_MEMBERS] = {
    RT_M_SEVERITY,
    RT_M_FALSE_POSITIVE,
    RT_M_EXPLOITABLE,
    RT_M_UPDATED_AT,
};

/* The level that a stored severity names, however it is escaped. */
static int8_t level_of(const struct rt_record *issue)
{
	char plain[6 * 8];
	struct rt_slice text;
	unsigned level;

	if (!rt_record_has(issue, RT_M_SEVERITY))
		return RT_STATE_OTHER;
	text = rt_record_string(issue, RT_M_SEVERITY);
	if (rt_json_string_is_escaped(text)) {
		/* Each character of the longest level has at most six bytes. */
		if (text.len > sizeof(plain))
			return RT_STATE_OTHER;
		text = rt_slice_make(plain, rt_json_string_decode(text, plain));
	}
	level = rt_severity_rank(text);
	return level < RT_SEVERITY_LEVELS ? (int8_t)level : RT_STATE_OTHER;
}

static int8_t bool_of(const struct rt_record *issue, enum rt_member m, int8_t missing)
{
	return rt_record_has(issue, m) ? issue->values[m].ptr[0] == 't' : missing;
}

struct rt_issue_state rt_issue_state_of(const struct rt_record *issue)
{
	return (struct rt_issue_state){
	    .severity = level_of(issue),
	    .false_positive = bool_of(issue, RT_M_FALSE_POSITIVE, 0),
	    .flag_stands = rt_record_has(issue, RT_M_FALSE_POSITIVE),
	    .exploitable = bool_of(issue, RT_M_EXPLOITABLE, RT_STATE_OTHER),
	    .changed_by = RT_PLAN_NONE,
	};
}

/* Returns whether it changes. */
static bool assign(int8_t *member, int value)
{
	bool changes = value != RT_REQUEST_KEEP && *member != value;

	if (changes)
		*member = (int8_t)value;
	return changes;
}

bool rt_issue_state_step(struct rt_issue_state *state, const struct rt_step *step, uint32_t number)
{
	bool changed = step->notes.len > 0;

	changed |= assign(&state->severity, step->severity);
	if (assign(&state->false_positive, step->false_positive))
		changed = state->flag_stands = true;
	changed |= assign(&state->exploitable, step->exploitable);
	if (changed)
		state->changed_by = number;
	return changed;
}

struct rt_effects rt_effects_of(const struct rt_plan *plan, uint32_t target,
				const struct rt_issue_state *base)
{
	return (struct rt_effects){
	    .plan = plan,
	    .mention = target == RT_PLAN_NONE ? RT_PLAN_NONE : rt_plan_first(plan, target),
	    .before = *base,
	    .after = *base,
	};
}

bool rt_effects_next(struct rt_effects *effects)
{
	struct rt_mention mention;

	if (effects->mention == RT_PLAN_NONE)
		return false;
	mention = rt_plan_mention(effects->plan, effects->mention);
	effects->number = mention.step;
	effects->step = rt_plan_step(effects->plan, mention.step);
	effects->before = effects->after;
	effects->changed = rt_issue_state_step(&effects->after, &effects->step, mention.step);
	effects->mention = mention.next;
	return true;
}

void rt_issue_state_run(struct rt_issue_state *state, const struct rt_plan *plan, uint32_t target)
{
	struct rt_effects effects = rt_effects_of(plan, target, state);

	while (rt_effects_next(&effects))
		;
	*state = effects.after;
}

struct rt_slice rt_state_quote(struct rt_slice text, char quoted[RT_STATE_TEXT])
{
	quoted[0] = '"';
	memcpy(quoted + 1, text.ptr, text.len);
	quoted[text.len + 1] = '"';
	return rt_slice_make(quoted, text.len + 2);
}

struct rt_slice rt_issue_state_at(const struct rt_issue_state *state, const struct rt_plan *plan)
{
	if (state->changed_by == RT_PLAN_NONE)
		return (struct rt_slice){0};
	return rt_plan_step(plan, state->changed_by).at;
}

struct rt_slice rt_issue_state_text(const struct rt_issue_state *state,
				    const struct rt_issue_state *base, struct rt_slice at,
				    enum rt_member member, char quoted[RT_STATE_TEXT])
{
	static const struct rt_slice as_it_was = {NULL, 0};
	int8_t flag = state->exploitable;

	switch (member) {
	case RT_M_SEVERITY:
		return state->severity == base->severity
			   ? as_it_was
			   : rt_state_quote(rt_severity_level((size_t)state->severity), quoted);
	case RT_M_UPDATED_AT:
		return at.ptr ? rt_state_quote(at, quoted) : as_it_was;
	case RT_M_FALSE_POSITIVE:
		flag = state->false_positive;
		/* A flag that was set and taken back is in the record, as it would be if each
		 * update were a run of its own. */
		if (flag == base->false_positive && state->flag_stands == base->flag_stands)
			return as_it_was;
		break;
	default:
		if (flag == base->exploitable)
			return as_it_was;
	}
	return flag ? RT_SLICE("true") : RT_SLICE("false");
}

void rt_issue_state_lay(const struct rt_issue_state *state, struct rt_slice at,
			struct rt_state_texts *texts, struct rt_record *record)
{
	struct rt_issue_state base = rt_issue_state_of(record);

	for (size_t i = 0; i < RT_STATE_MEMBERS; i++) {
		enum rt_member m = rt_state_members[i];
		struct rt_slice text = rt_issue_state_text(state, &base, at, m, texts->each[i]);

		if (!text.ptr)
			continue;
		record->values[m] = text;
		record->types[m] = text.ptr[0] == '"' ? RT_TYPE_STRING : RT_TYPE_BOOL;
	}
}

static void put_note(struct rt_put *put, const struct rt_step *step, bool is_comment)
{
	RT_PUT(put, "{\"added_at\":\"");
	rt_put(put, step->at);
	RT_PUT(put, "\",\"text\":");
	rt_put_string(put, step->notes);
	rt_put(put, is_comment ? RT_SLICE(",\"comment\":true}") : RT_SLICE("}"));
}

void rt_issue_note_put(struct rt_put *put, const struct rt_step *step)
{
	put_note(put, step, false);
}

void rt_issue_notes_put(struct rt_put *put, size_t from, struct rt_effects updates)
{
	while (rt_effects_next(&updates)) {
		const struct rt_step *step = &updates.step;

		if (!step->notes.len)
			continue;
		rt_put(put, rt_slice_make(",", put->out->len > from));
		put_note(put, step, step->false_positive != 1 && rt_note_dismisses(step->notes));
	}
}

/* The edits to a state, and to the notes that edits->text begins with. */
static enum rt_status make_edits(struct rt_issue_edits *edits, const struct rt_issue_state *base,
				 const struct rt_issue_state *state, struct rt_slice at,
				 struct rt_error *err)
{
	size_t notes = edits->text.len;
	/* The buffer must not move once slices point into it. */
	enum rt_status status =
	    rt_buf_reserve(&edits->text, (size_t)RT_STATE_MEMBERS * RT_STATE_TEXT, err);

	edits->count = 0;
	if (status != RT_OK)
		return status;
	for (size_t i = 0; i < RT_STATE_MEMBERS; i++) {
		struct rt_slice value = rt_issue_state_text(state, base, at, rt_state_members[i],
							    edits->text.data + edits->text.len);

		edits->text.len += RT_STATE_TEXT;
		if (value.ptr)
			edits->edits[edits->count++] = (struct rt_edit){
			    RT_EDIT_SET, rt_member_name(rt_state_members[i]), value};
	}
	if (notes)
		edits->edits[edits->count++] = (struct rt_edit){
		    RT_EDIT_NOTES, RT_SLICE("notes"), rt_slice_make(edits->text.data, notes)};
	return RT_OK;
}

enum rt_status rt_issue_edits_make(struct rt_issue_edits *edits, const struct rt_issue_state *base,
				   const struct rt_plan *plan, uint32_t target,
				   struct rt_error *err)
{
	struct rt_issue_state state = *base;
	struct rt_put put = {&edits->text, err, RT_OK};

	edits->text.len = 0;
	rt_issue_notes_put(&put, 0, rt_effects_of(plan, target, base));
	rt_issue_state_run(&state, plan, target);
	return put.status == RT_OK
		   ? make_edits(edits, base, &state, rt_issue_state_at(&state, plan), err)
		   : put.status;
}

enum rt_status rt_issue_edits_to(struct rt_issue_edits *edits, const struct rt_issue_state *base,
				 const struct rt_issue_state *state, struct rt_slice at,
				 struct rt_slice notes, struct rt_error *err)
{
	edits->text.len = 0;
	if (rt_buf_append(&edits->text, notes.ptr, notes.len, err) != RT_OK)
		return RT_FATAL;
	return make_edits(edits, base, state, at, err);
}

void rt_issue_edits_release(struct rt_issue_edits *edits)
{
	rt_buf_release(&edits->text);
	edits->count = 0;
}
