/*
 * What a person may want to know of a SARIF log and is no fault (SARIF.md S46). Counted for each
 * run, and written as one line a log and kind.
 */
#ifndef RT_SARIF_NOTES_H
#define RT_SARIF_NOTES_H

#include <stdint.h>

enum rt_sarif_note {
	RT_SARIF_NOTE_PASS, /* results left out, by kind (S9) */
	RT_SARIF_NOTE_NOT_APPLICABLE,
	RT_SARIF_NOTE_ABSENT,        /* results left out, by baselineState (S9) */
	RT_SARIF_NOTE_CLEAN,         /* results are left out, and each invocation succeeded (S10) */
	RT_SARIF_NOTE_FAILED_EMPTY,  /* a failed scan taken as no issues (S10) */
	RT_SARIF_NOTE_FAILED,        /* a run that says false but has results (S10) */
	RT_SARIF_NOTE_PARTLY_FAILED, /* no results; of several invocations one says false */
	RT_SARIF_NOTE_EXTERNAL,      /* references to files that are ignored (S8) */
	RT_SARIF_NOTE_MESSAGE,       /* messages whose id is not found (S14) */
	RT_SARIF_NOTE_SEVERITY,      /* values of security-severity passed over (S22) */
	RT_SARIF_NOTE_ORDINAL,       /* issues whose ordinals go on over the runs (S19) */
	RT_SARIF_NOTE_COUNT
};

/* How often each was met in a run. */
struct rt_sarif_notes {
	uint64_t counts[RT_SARIF_NOTE_COUNT];
};

#endif
