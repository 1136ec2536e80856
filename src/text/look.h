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

#endif
