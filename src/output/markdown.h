/*
 * Masked text as Markdown (GFM) that shows it and does nothing else: no mention, reference, link,
 * emphasis or HTML comes from it (REPORTS R20, R21). text: masked (base/mask.h).
 */
#ifndef RT_OUTPUT_MARKDOWN_H
#define RT_OUTPUT_MARKDOWN_H

#include "base/buf.h"
#include "output/slot.h"

/*
 * Running text. Each run of blanks becomes one; lines end with <br>, and an empty line begins a
 * paragraph. Punctuation is escaped; a word in which a server would find something to link is a
 * code span, since servers look for that after the escapes are gone.
 */
void rt_markdown_words(struct rt_put *put, struct rt_slice text);

/*
 * Markdown of ours, slots[0], a template (output/slot.h), with the next value in the place of
 *	%s  our own words
 *	%t  a text of ours
 *	%w  running text, as above
 *	%c  a text as a code span, in which line breaks are blanks; nothing where it is empty
 *	%f  a text as a fenced block, which begins and ends a line
 *	%h  a text inside HTML: &, <, > and quotes as entities
 *	%a  an address as the target of a link: what could end it is percent-encoded
 *	%n  a number as people read it: 57,312
 */
void rt_markdown_fill(struct rt_put *put, const struct rt_slot *slots);

#endif
