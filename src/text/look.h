/*
 * A look at text that starts with a bracket: is it JSON, or a YAML flow collection that so far
 * could be both?
 */
#ifndef RT_TEXT_LOOK_H
#define RT_TEXT_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

enum rt_look_verdict {
	RT_LOOK_OPEN,    /* JSON (RFC 8259) or JSON Lines as far as it goes */
	RT_LOOK_YAML,    /* what follows is common in YAML and no slip in JSON */
	RT_LOOK_NEITHER, /* no JSON; it may be YAML */
};

/* Longest word that is judged; a longer one is a number or YAML. */
#define RT_LOOK_WORD 40u

/* {0} before the first byte. */
struct rt_look {
	int state;                           /* enum state of look.c */
	bool begun;                          /* a value has been met */
	bool first;                          /* nothing stands in the innermost collection yet */
	bool key;                            /* the string that is open is a key */
	bool word;                           /* the value before was a number or a literal */
	bool line;                           /* there was a line feed after the document */
	unsigned hex;                        /* digits of \uXXXX to come */
	size_t depth;                        /* collections that are open */
	size_t len;                          /* bytes in text */
	char text[RT_LOOK_WORD];             /* the word that is open */
	bool object[RT_LIMIT_DEPTH_MAX + 2]; /* of each collection: it is an object */
};

/*
 * Look at bytes that go on where the ones before ended. final: none come after these.
 * Must not be called again after another verdict than RT_LOOK_OPEN.
 */
enum rt_look_verdict rt_look_on(struct rt_look *look, const char *data, size_t len, bool final);

/* --- What stands before a document ------------------------------------------------------------ */

/*
 * What stands before the first node of a part: blanks, comments, and one "---" by itself.
 *
 * It is counted and made again, not kept, so that a run without end takes no memory. Comments come
 * out as blanks, and so do tabs where YAML allows them and libyaml does not; the number of bytes
 * and of lines, and the column of what follows, stay the same.
 */

/* A run of blanks: spaces, then line feeds, then what comes before the last carriage return of
 * the last line, then the blanks after it. */
struct rt_lead_run {
	uint64_t spaces;
	uint64_t feeds;
	uint64_t returns;
	uint64_t indent;
	bool tab; /* among the indent's */
};

/* {0} before the first byte. */
struct rt_lead {
	struct rt_lead_run runs[2]; /* before and after the marker */
	uint64_t bytes;             /* taken so far */
	uint64_t line;              /* lines before the place after them */
	uint64_t column;            /* bytes before it on its line */
	unsigned marker;            /* bytes of the "---" that still come out, 0 to 3 */
	bool marked;                /* it was met: what follows is YAML */
	bool comment;               /* likewise */
	bool in_comment;
};

/* Whether a part starts with a bracket after its lead. */
static inline bool rt_lead_is_flow(const char *rest, size_t len)
{
	return len > 0 && (rest[0] == '{' || rest[0] == '[');
}

/*
 * Take bytes that go on where the ones before ended. final: none come after these.
 * Returns how many were taken. Where that is fewer than len, the rest is the first node, or with
 * up to three bytes and without final, nobody knows yet: to be called again with more after them.
 */
size_t rt_lead_take(struct rt_lead *lead, const char *data, size_t len, bool final);

/* Whether rt_lead_take() could not tell yet about a rest of len bytes. */
bool rt_lead_is_open(const struct rt_lead *lead, const char *rest, size_t len, bool final);

/*
 * Give out what was taken, at most cap bytes a call. flow: what follows is a bracket, before which
 * tabs are no indentation. Returns the bytes given, 0 after the last.
 */
size_t rt_lead_give(struct rt_lead *lead, bool flow, char *to, size_t cap);

#endif
