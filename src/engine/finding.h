/*
 * One issue as reports, lists and gates see it: its members as the state has them, its notes, and
 * what follows from them everywhere in the same way.
 */
#ifndef RT_ENGINE_FINDING_H
#define RT_ENGINE_FINDING_H

#include "base/buf.h"
#include "scan/record.h"

/* Levels critical .. info are 0 .. 4; this is any other severity, and none. */
#define RT_LEVEL_OTHER 5u
#define RT_LEVELS 6u /* with that one */

/* The age of an issue whose created_at cannot be read. */
#define RT_AGE_UNKNOWN UINT32_MAX

/* What became of an issue. Whoever counts, lists or shows issues asks this, and not the flag
 * false_positive, which only the answers of the contract show as it is (TRIAGE T1). */
enum rt_triage_status {
	RT_STATUS_OPEN,
	RT_STATUS_DISMISSED, /* false_positive is true */
	RT_STATUS_EXPIRED,   /* likewise, and the end of that decision has passed */
	RT_STATUSES,
};

/* open, dismissed, expired */
extern const struct rt_slice rt_status_names[RT_STATUSES];

/* Why an issue was dismissed (TRIAGE T4): what the newest note says that begins with
 * reason:WORD; without one it is a false positive. */
enum rt_reason {
	RT_REASON_NONE, /* it was not dismissed */
	RT_REASON_FALSE_POSITIVE,
	RT_REASON_ACCEPTED_RISK,
	RT_REASON_WONT_FIX,
	RT_REASON_USED_IN_TESTS,
	RT_REASON_MITIGATED,
	RT_REASON_DUPLICATE,
	RT_REASON_OTHER, /* another word */
	RT_REASONS,
};

/* The words, "other" of RT_REASON_OTHER; empty of RT_REASON_NONE. */
struct rt_slice rt_reason_word(enum rt_reason reason);

/* The reason that a note begins with, in any case; RT_REASON_NONE: it begins with none. ret_word:
 * as the note has it; may be NULL. */
enum rt_reason rt_note_reason(struct rt_slice text, struct rt_slice *ret_word);

/* "new", "not_scanned", ... */
const char *rt_class_name(enum rt_class class);

struct rt_finding {
	const struct rt_record *record; /* a checked issue */
	struct rt_slice notes;          /* JSON array of its notes, or a string; ptr NULL: none */
	uint64_t number;                /* in input order, from 0 */
	unsigned level;                 /* below RT_LEVELS */
	enum rt_triage_status status;
	bool open; /* it is not dismissed: what has expired counts as open */
	/* Of one that was dismissed, from rt_finding_decide() on: why, and when that ends, as
	 * rt_finding_end() has it. */
	enum rt_reason reason;
	int64_t end;
	uint32_t decided; /* 1 + the entry of the journal that decided this; 0: none */
	/* When and by whom; ptr NULL: not known, or nobody named. */
	struct rt_slice decided_at, decided_by;
	enum rt_class class; /* of a baseline, else of the log itself */
	/* The baseline lacks it, or had other code in its place. It lacks some of an ambiguous
	 * group, too, of which the new scan has more than the old one: the worst of them are taken
	 * for that. */
	bool is_new;
	unsigned was_level; /* in the baseline; its own where that is not known */
	/* How a moved or changed one differs, in words that may have raw input in them. */
	struct rt_slice was;
	int64_t first_seen; /* the oldest scan that had it; INT64_MAX: not known */
};

/* The finding that an issue is, before its notes were asked whether a dismissal has expired.
 * record: borrowed as long as the finding. */
struct rt_finding rt_finding_of(const struct rt_record *record, struct rt_slice notes,
				uint64_t number);

void rt_finding_set_status(struct rt_finding *finding, enum rt_triage_status status);

/*
 * Decide whether the dismissal of an issue has expired (WORKFLOW W44, TRIAGE T5): its newest note
 * with `exp:`, in any case, says so as exp:YYYY-MM-DD, which lasts through that day of UTC. What is
 * no date has expired. A note that came with no dismissal says nothing of one. finding: with its
 * notes. at: the present. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_finding_decide(struct rt_finding *finding, int64_t at, struct rt_buf *scratch,
				 struct rt_error *err);

/* "all 4 with expired dismissals", of issues of which so many have that; empty where none has.
 * Returns text. */
#define RT_EXPIRED_ROOM 64u
char *rt_expired_text(uint64_t expired, uint64_t issues, char text[RT_EXPIRED_ROOM]);

/* Its members as JSON texts; ptr NULL where missing. values: RT_ISSUE_MEMBERS of them. */
void rt_finding_values(const struct rt_finding *finding, struct rt_slice *values);

/*
 * The text of a member that is a string, its escapes decoded; ptr NULL where it is missing, null or
 * of another type. Borrowed from the record, or from room, whose bytes are dropped before. That
 * memory is out sticks in room, as it does in all that follows: there is no text then.
 */
struct rt_slice rt_finding_string(const struct rt_finding *finding, enum rt_member m,
				  struct rt_put *room);

/* A path that this has returned, without "." and "..", so that it lies where it leads. */
struct rt_slice rt_finding_resolved(struct rt_slice path, struct rt_put *room);

/* The same for a caller that asks for one text. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_finding_text(const struct rt_finding *finding, enum rt_member m,
			       struct rt_buf *scratch, struct rt_slice *ret_text,
			       struct rt_error *err);

/* Put where it is into out, whose bytes are dropped: PATH:LINE; without a line PATH, without a path
 * "-". */
void rt_finding_place(const struct rt_finding *finding, struct rt_put *out);

/* A number member as JSON text; ptr NULL where it is missing, null or of another type. */
struct rt_slice rt_finding_number(const struct rt_finding *finding, enum rt_member m);

/* The value of a boolean member: 1, 0, or -1 where it is missing, null or of another type. */
int rt_finding_flag(const struct rt_finding *finding, enum rt_member m);

/*
 * When an issue was seen first: created_at, or the oldest scan of a baseline that had it (WORKFLOW
 * W55), in whole seconds since 1970 at or after it. INT64_MAX where neither is known.
 */
int64_t rt_finding_seen(const struct rt_finding *finding, struct rt_put *room);

/*
 * Whole days from then to a present, in seconds since 1970 (REPORTS R13): 0 where it is yet to
 * come, RT_AGE_UNKNOWN where it is not known.
 */
uint32_t rt_finding_age(const struct rt_finding *finding, int64_t at, struct rt_put *room);

/*
 * Walk the strings of an array member. at: starts as the member's JSON text; of a member that is
 * missing or no array of strings {NULL}, which is empty. Returns false after the last, and where
 * memory is out.
 */
struct rt_slice rt_finding_strings(const struct rt_finding *finding, enum rt_member m);
bool rt_strings_step(struct rt_slice *at, struct rt_put *room, struct rt_slice *ret_text);

/* The same; returns RT_OK, RT_END after the last, or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_strings_next(struct rt_slice *at, struct rt_buf *scratch,
			       struct rt_slice *ret_text, struct rt_error *err);

/* A note of an issue. */
struct rt_note {
	struct rt_slice added_at; /* JSON text, maybe null */
	struct rt_slice text;     /* decoded, borrowed from the notes or from room */
	bool comment;             /* it came with no dismissal, whatever it says of one */
};

/* Walk the notes, oldest first. at: starts as finding->notes. As rt_strings_step(). */
bool rt_notes_take(struct rt_slice *at, struct rt_put *room, struct rt_note *ret_note);

/* The same, of its time and text alone. */
bool rt_notes_step(struct rt_slice *at, struct rt_put *room, struct rt_slice *ret_added_at,
		   struct rt_slice *ret_text);

/* The same; returns as rt_strings_next(). */
enum rt_status rt_notes_next(struct rt_slice *at, struct rt_buf *scratch,
			     struct rt_slice *ret_added_at, struct rt_slice *ret_text,
			     struct rt_error *err);

/* The notes of a record as they are there, an array or a string; ptr NULL: none, or not in the
 * form of notes. */
struct rt_slice rt_record_notes(const struct rt_record *record);

/*
 * When the dismissal of an issue ends: the first second after the day that the newest note with
 * `exp:` names. INT64_MAX: no note ends it; INT64_MIN: what it names is no date. A note with a
 * reason is a dismissal of its own, which an end in an older note is not about. Of the suppressions
 * of a log each lasts until its own end: that of the last one counts, in whatever order they stand.
 * ret_reason: the newest one that a note has, or RT_REASON_NONE.
 */
int64_t rt_finding_end(const struct rt_finding *finding, struct rt_put *room,
		       enum rt_reason *ret_reason);

/* The end that a note by itself names; INT64_MAX and INT64_MIN as above. */
int64_t rt_note_end(struct rt_slice text);

/* An end as people write it, "31 March 2027", with a NUL; nothing where there is none. Returns
 * text. */
#define RT_DAY_TEXT 24u
char *rt_end_text(int64_t end, char text[RT_DAY_TEXT]);

/* Write the day that an end is after, YYYY-MM-DD, with a NUL; nothing where there is none, or it
 * is no date. Returns the length. */
#define RT_DAY_ROOM 11u
size_t rt_end_day(int64_t end, char day[RT_DAY_ROOM]);

/* Whether a note decides when a dismissal ends: by words that end it, right or wrong ones, or by a
 * reason, which begins another one. */
bool rt_note_has_end(struct rt_slice text);

/* Whether a note can be one that a dismissal came with: likewise, or it is a suppression of a log,
 * an accepted one. */
bool rt_note_dismisses(struct rt_slice text);

/*
 * What is wrong with the words by which a note ends a decision, as they were meant (TRIAGE T5).
 * at: the present. ret_words: those of the note; they are set where something is wrong.
 */
enum rt_end_fault {
	RT_END_RIGHT,  /* a day that is yet to come, or no word of an end */
	RT_END_NO_DAY, /* exp:2026-02-30 */
	RT_END_FORM,   /* exp:31.12.2026: taken as one that has passed */
	RT_END_UNREAD, /* exp 2026-12-31: taken as none */
	RT_END_PASSED,
};
enum rt_end_fault rt_note_end_fault(struct rt_slice text, int64_t at, struct rt_slice *ret_words);

/*
 * The digits, without zeros in front, of the number of a weakness: 79 of "79", "CWE-79", "cwe-079:
 * Cross-site", "external/cwe/cwe-079". Returns false where the text names none.
 */
bool rt_cwe_digits(struct rt_slice text, struct rt_slice *ret_digits);

/* The number itself; 0: there is none, or none that can be. */
uint64_t rt_cwe_number(struct rt_slice text);

#endif
