/*
 * What a finding says in one line, wherever there is room for no more: its own message first, since
 * the title of a SARIF rule says what the rule is about and not what is wrong here (FLOWS F8).
 */
#ifndef RT_ENGINE_HEADLINE_H
#define RT_ENGINE_HEADLINE_H

#include "engine/finding.h"

/* Code points of it at most. */
#define RT_HEADLINE_POINTS 120u

struct rt_headline {
	struct rt_slice text; /* empty: the finding has no text and no rule */
	size_t title_len; /* bytes of the title, of "title: message"; 0: no title is before it */
};

/*
 * The first sentence of the message, on one line, cut at RT_HEADLINE_POINTS; "title: message" where
 * both fit and the message does not say what the title says; the title where there is no message;
 * else the rule. Not masked. Borrowed from room, whose bytes are dropped before; that memory is out
 * sticks there.
 */
struct rt_headline rt_finding_headline(const struct rt_finding *finding, struct rt_put *room);

#endif
