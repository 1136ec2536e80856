/*
 * Text from an input, made safe to look at: what could steer or deceive whoever reads it becomes
 * visible, as ⟨U+202E⟩ (HOSTILE 9). Each format escapes what is special in it after that.
 */
#ifndef RT_BASE_MASK_H
#define RT_BASE_MASK_H

#include <strings.h>

#include "base/buf.h"
#include "base/utf8.h"

/* What becomes of line breaks and tabs. */
enum rt_mask_lines {
	RT_MASK_LINES_KEEP,  /* \n and \t stay; \r\n and a lone \r become \n */
	RT_MASK_LINES_BLANK, /* each of \n, \t, \r, \r\n becomes a blank */
	RT_MASK_LINES_SHOW,  /* they become visible like the rest */
};

/*
 * Append text to out, masked: C0 controls, DEL, C1, bidirectional controls, line and paragraph
 * separators, U+FEFF, U+FFFE and U+FFFF become ⟨U+hhhh⟩, bytes that are no UTF-8 U+FFFD. What a CI
 * system would read as a command in its log (REPORTS R39) becomes text: "::" where a line begins,
 * after blanks, is shown as "⟨:⟩:", and "##[", "##vso[" and "##teamcity[" as "##⟨[⟩".
 * Returns RT_OK, or RT_FATAL with err set (RT_E_NOMEM).
 */
enum rt_status rt_mask(struct rt_slice text, enum rt_mask_lines lines, struct rt_buf *out,
		       struct rt_error *err);

/* The same, but what looks like a command stays as it is: for a format whose escaping leaves no
 * such line, as markup does. */
enum rt_status rt_mask_markup(struct rt_slice text, enum rt_mask_lines lines, struct rt_buf *out,
			      struct rt_error *err);

/* Whether a '[' at a place is the last one of such a command's head; start: of the text. */
static inline bool rt_mask_is_command(const char *start, const char *at)
{
	/* GitHub and Azure, Azure, TeamCity. */
	static const struct rt_slice heads[] = {RT_SLICE("##"), RT_SLICE("##vso"),
						RT_SLICE("##teamcity")};
	size_t left = (size_t)(at - start);

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (heads[i].len <= left &&
		    strncasecmp(at - heads[i].len, heads[i].ptr, heads[i].len) == 0)
			return true;
	}
	return false;
}

/* The first line of a text that is not blank, without blanks around it; borrowed from text. */
struct rt_slice rt_first_line(struct rt_slice text);

#endif
