/*
 * Masked text as Markdown (GFM) that shows it and does nothing else: no mention, reference, link,
 * emphasis or HTML comes from it (REPORTS R20, R21). All append to out, and return RT_OK or
 * RT_FATAL (RT_E_NOMEM). text: masked (base/mask.h).
 */
#ifndef RT_OUTPUT_MARKDOWN_H
#define RT_OUTPUT_MARKDOWN_H

#include "base/buf.h"

/*
 * Running text. Each run of blanks becomes one; lines end with <br>, and an empty line begins a
 * paragraph. Punctuation is escaped; a word in which a server would find something to link is a
 * code span, since servers look for that after the escapes are gone.
 */
enum rt_status rt_markdown_words(struct rt_slice text, struct rt_buf *out, struct rt_error *err);

/* A code span; line breaks are blanks in it. Nothing where text is empty. */
enum rt_status rt_markdown_span(struct rt_slice text, struct rt_buf *out, struct rt_error *err);

/* The target of a link, without its parentheses: what could end it is percent-encoded. */
enum rt_status rt_markdown_target(struct rt_slice address, struct rt_buf *out,
				  struct rt_error *err);

/* A fenced block of its own lines; a line break before it has to be there. */
enum rt_status rt_markdown_fence(struct rt_slice text, struct rt_buf *out, struct rt_error *err);

/* Text inside HTML: &, <, > and quotes as entities. */
enum rt_status rt_markdown_html(struct rt_slice text, struct rt_buf *out, struct rt_error *err);

#endif
