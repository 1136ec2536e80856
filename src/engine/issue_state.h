/*
 * The members of an issue that bulk updates change, and what one update makes of them (SPEC D13).
 */
#ifndef RT_ENGINE_ISSUE_STATE_H
#define RT_ENGINE_ISSUE_STATE_H

#include "base/buf.h"
#include "base/patch.h"
#include "engine/plan.h"
#include "scan/record.h"

#define RT_STATE_OTHER (-1) /* no level, or for exploitable: null or missing */

struct rt_issue_state {
	int8_t severity;       /* a level as in struct rt_request, or RT_STATE_OTHER */
	int8_t false_positive; /* 0 or 1; missing and null are 0, as in a response (SPEC D7) */
	bool flag_stands;      /* false_positive is in the record, and not null */
	int8_t exploitable;    /* 0, 1 or RT_STATE_OTHER */
	uint32_t changed_by;   /* the update that changed something last, or RT_PLAN_NONE */
};

/* The state that a checked issue has in the export. */
struct rt_issue_state rt_issue_state_of(const struct rt_record *issue);

/* Apply one update, whose number is `number`. Returns whether it changes something. */
bool rt_issue_state_step(struct rt_issue_state *state, const struct rt_step *step, uint32_t number);

/* The updates of one issue in their order, and what each of them made of it. */
struct rt_effects {
	const struct rt_plan *plan;
	uint32_t mention;                    /* the next one, or RT_PLAN_NONE */
	struct rt_issue_state before, after; /* the update; both the base's at first */
	struct rt_step step;                 /* the update */
	uint32_t number;                     /* of it in the plan */
	bool changed;                        /* it changed something */
};

/* target: RT_PLAN_NONE: no update mentions the issue. */
struct rt_effects rt_effects_of(const struct rt_plan *plan, uint32_t target,
				const struct rt_issue_state *base);

/* Go on to the next update. Returns false after the last one. */
bool rt_effects_next(struct rt_effects *effects);

/* Apply all of a target's updates. */
void rt_issue_state_run(struct rt_issue_state *state, const struct rt_plan *plan, uint32_t target);

/* Bytes that the JSON text of any of the members below takes. */
#define RT_STATE_TEXT 24u

/* The time of the update that changed something last; ptr NULL: none did. */
struct rt_slice rt_issue_state_at(const struct rt_issue_state *state, const struct rt_plan *plan);

/*
 * JSON text of a member as the updates have left it: RT_M_SEVERITY, RT_M_FALSE_POSITIVE,
 * RT_M_EXPLOITABLE or RT_M_UPDATED_AT. base: the export's state. at: as rt_issue_state_at() has it.
 * ptr NULL: what the export has. quoted: RT_STATE_TEXT bytes that the text may be made in.
 */
struct rt_slice rt_issue_state_text(const struct rt_issue_state *state,
				    const struct rt_issue_state *base, struct rt_slice at,
				    enum rt_member member, char quoted[RT_STATE_TEXT]);

/* The JSON text of a string that needs no escape, such as a level or a time, made in quoted. */
struct rt_slice rt_state_quote(struct rt_slice text, char quoted[RT_STATE_TEXT]);

/* The members above in the order of table 2.1. */
#define RT_STATE_MEMBERS 4u
extern const enum rt_member rt_state_members[RT_STATE_MEMBERS];

/* Room for the texts of one issue, in that order. */
struct rt_state_texts {
	char each[RT_STATE_MEMBERS][RT_STATE_TEXT];
};

/* Lay a state over an issue's record, which has the base's state, and borrows texts then. at: as
 * above. */
void rt_issue_state_lay(const struct rt_issue_state *state, struct rt_slice at,
			struct rt_state_texts *texts, struct rt_record *record);

/* The edits of one record, with room for their texts. {0} is an empty one. */
struct rt_issue_edits {
	struct rt_edit edits[RT_EDITS_MAX];
	size_t count;
	struct rt_buf text;
};

/*
 * Work out the edits that bring a record from its base state to the one after all updates of its
 * target. edits: what it held is dropped; its slices are borrowed until it is used again.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_issue_edits_make(struct rt_issue_edits *edits, const struct rt_issue_state *base,
				   const struct rt_plan *plan, uint32_t target,
				   struct rt_error *err);

/*
 * The same, where the state after the updates is known, and at: as above.
 * notes: what is appended to the record's, as the items of a JSON array; borrowed for the call.
 */
enum rt_status rt_issue_edits_to(struct rt_issue_edits *edits, const struct rt_issue_state *base,
				 const struct rt_issue_state *state, struct rt_slice at,
				 struct rt_slice notes, struct rt_error *err);

/* Append an update's note, which is not empty, as an item of a record's notes, without a comma. */
void rt_issue_note_put(struct rt_put *put, const struct rt_step *step);

/* The same of the notes of updates, with commas: also before the first one, where items stand from
 * that offset of the text on. Who reads them does not have the updates: of a note that came with no
 * dismissal, and could be taken for one that did, its item says so (TRIAGE T5). */
void rt_issue_notes_put(struct rt_put *put, size_t from, struct rt_effects updates);

void rt_issue_edits_release(struct rt_issue_edits *edits);

#endif
