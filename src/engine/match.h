/*
 * Which issue of one scan is which of another (WORKFLOW W22 to W30, E1 to E7). Lines move, files
 * are renamed and wording changes; what stays is the order of findings within a file. So findings
 * of a file are aligned between those that are certain, as a text comparison does with lines. A
 * pair needs evidence, and what is known to differ is told. tests/match/reference.py says the same
 * in fewer words.
 */
#ifndef RT_ENGINE_MATCH_H
#define RT_ENGINE_MATCH_H

#include "engine/finding.h"

enum rt_match_side { RT_MATCH_OLD, RT_MATCH_NEW };

/* What a pair agrees in. Those that cross files are behind the others. */
enum rt_match_by {
	RT_MATCH_CONTEXT, /* rule, message, code and the lines around it */
	RT_MATCH_CODE,    /* rule, message and code */
	RT_MATCH_COLUMN,  /* rule, message and columns; nothing says that the code differs */
	RT_MATCH_CHANGED, /* what one of the others agrees in; but the code is known to differ */
	RT_MATCH_FINGERPRINT, /* what the log, or the user, gives to tell findings by */
	RT_MATCH_IDENTIFIER,  /* rule and vulnerability, which stand once each in the file */
	RT_MATCH_ID,          /* the export's own id, where its ids prove stable */
	RT_MATCH_REWORDED,    /* rule and code; the message is another one */
	RT_MATCH_IN_FILE,     /* how many those are; the same in a file under another name: */
	RT_MATCH_RENAMED = RT_MATCH_IN_FILE,
	RT_MATCH_ACROSS = 2 * RT_MATCH_IN_FILE, /* context and code, in another file */
	RT_MATCH_BYS,
};

/* How two findings are known to be about other code. */
enum rt_match_difference {
	RT_MATCH_SAME, /* nothing says that they are */
	RT_MATCH_OTHER_CODE,
	RT_MATCH_OTHER_LINE_HASH,
	RT_MATCH_OTHER_CONTEXT_HASH,
};

#define RT_MATCH_NONE UINT32_MAX

struct rt_match;

/* ret_match: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL. */
enum rt_status rt_match_new(struct rt_match **ret_match, struct rt_error *err);

/* Add the next issue of a side, in input order, as the scanner wrote it, without decisions; its
 * texts are not kept. fingerprint: what --fingerprint names; ptr NULL: none. Returns RT_OK or
 * RT_FATAL (RT_E_NOMEM; RT_E_LIMIT beyond 2^32 - 2 issues of a side). */
enum rt_status rt_match_add(struct rt_match *match, enum rt_match_side side,
			    const struct rt_record *record, struct rt_slice fingerprint,
			    struct rt_error *err);

/* The path of an issue, decoded; ptr NULL: none. Borrowed until the next call. */
typedef struct rt_slice rt_match_path(void *ctx, enum rt_match_side side, uint32_t index);

/*
 * Match what was added: once, after the last issue of both sides. path_of: asked for one issue of
 * each file that one side lacks. Takes O(n log n) time and about 128 bytes an issue. Returns RT_OK
 * or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_match_run(struct rt_match *match, rt_match_path *path_of, void *ctx,
			    struct rt_error *err);

/* The rest is to be asked after rt_match_run(). index: in input order, from 0. */

/* The index of an issue's partner on the other side, or RT_MATCH_NONE. */
uint32_t rt_match_partner(const struct rt_match *match, enum rt_match_side side, uint32_t index);

/* What an issue that has a partner agrees with it in. */
enum rt_match_by rt_match_by(const struct rt_match *match, enum rt_match_side side, uint32_t index);

/*
 * An issue without a partner that is equal to more than one of the other side belongs to a group,
 * numbered from 0, of which nobody can tell who is whose; else RT_MATCH_NONE. ret_by:
 * RT_MATCH_CONTEXT, _CODE or _COLUMN.
 */
uint32_t rt_match_group(const struct rt_match *match, enum rt_match_side side, uint32_t index,
			enum rt_match_by *ret_by);

/* Whether the new side has any issue of the repository of an old one. */
bool rt_match_scanned(const struct rt_match *match, uint32_t old);

/* How an issue that has a partner is known to be about other code than that. */
enum rt_match_difference rt_match_difference(const struct rt_match *match, enum rt_match_side side,
					     uint32_t index);

/* "code_snippet", "primaryLocationLineHash", "contextHash"; NULL of RT_MATCH_SAME. */
const char *rt_match_difference_field(enum rt_match_difference difference);

uint32_t rt_match_groups(const struct rt_match *match);

/* What was not taken as a sign. */
struct rt_match_reused {
	/* Issues that have the id, or the fingerprint, of one on the other side, and are not that
	 * one. */
	uint32_t ids, fingerprints;
	uint32_t renumbered; /* issues that one on the other side equals in all but its rule */
	uint32_t shared;     /* fingerprints of both sides that several issues of one have */
	bool none;           /* no issue has a fingerprint */
};
struct rt_match_reused rt_match_reused(const struct rt_match *match);

/* "context", "renamed-code", ... */
const char *rt_match_by_name(enum rt_match_by by);

/* NULL is allowed. */
void rt_match_free(struct rt_match *match);

#endif
