/*
 * What a person may want to know of a SARIF log and is no fault (SARIF.md S46). Counted for each
 * run, and written as one line a log and kind.
 */
#ifndef RT_SARIF_NOTES_H
#define RT_SARIF_NOTES_H

#include <stdint.h>

#include "base/slice.h"

enum rt_sarif_note {
	RT_SARIF_NOTE_PASS, /* results left out, by kind (S9) */
	RT_SARIF_NOTE_NOT_APPLICABLE,
	RT_SARIF_NOTE_ABSENT,        /* results left out, by baselineState (S9) */
	RT_SARIF_NOTE_CLEAN,         /* results are left out, and each invocation succeeded (S10) */
	RT_SARIF_NOTE_FAILED_EMPTY,  /* a failed scan taken as no issues (S10) */
	RT_SARIF_NOTE_FAILED,        /* a run that says false but has results (S10) */
	RT_SARIF_NOTE_PARTLY_FAILED, /* no results; of several invocations one says false */
	RT_SARIF_NOTE_HALF,          /* halves of surrogate pairs, read as U+FFFD */
	RT_SARIF_NOTE_EXTERNAL,      /* references to files that are ignored (S8) */
	RT_SARIF_NOTE_MESSAGE,       /* messages whose id is not found (S14) */
	RT_SARIF_NOTE_SEVERITY,      /* values of security-severity passed over (S22) */
	RT_SARIF_NOTE_LEVEL,         /* results whose level is none of SARIF's (S6) */
	RT_SARIF_NOTE_WORD,          /* severities that are the tool's own words (S22) */
	RT_SARIF_NOTE_DEFAULT,       /* severities of which nothing is said at all (S22) */
	RT_SARIF_NOTE_HOST,          /* paths that begin with a host (S27) */
	RT_SARIF_NOTE_END,           /* ends of suppressions that are no date (S42) */
	RT_SARIF_NOTE_ABOVE,         /* paths that lead above the root (S27) */
	RT_SARIF_NOTE_ORDINAL,       /* issues whose ordinals go on over the runs (S19) */
	RT_SARIF_NOTE_GIVEN,         /* ids that the log itself gives (S16, S21) */
	/* Told only where a journal is begun. */
	RT_SARIF_NOTE_EQUAL, /* issues that their order alone tells apart (S18) */
	RT_SARIF_NOTE_COUNT
};

/* How often each was met in a run. */
struct rt_sarif_notes {
	uint64_t counts[RT_SARIF_NOTE_COUNT];
	char levels[96]; /* the words of RT_SARIF_NOTE_LEVEL: quoted, each once, as far as they fit
			  */
};

/* Count all of `notes` in `sum` too. */
void rt_sarif_notes_add(struct rt_sarif_notes *sum, const struct rt_sarif_notes *notes);

/* Name a level that is none. word: with its quotes. */
void rt_sarif_notes_level(struct rt_sarif_notes *notes, struct rt_slice word);

#endif
