/*
 * The texts of a finding as reports show them: masked (base/mask.h), with something in the place of
 * what is missing, paths cut to what a repository calls them. Each format escapes them after that.
 */
#ifndef RT_OUTPUT_TEXTS_H
#define RT_OUTPUT_TEXTS_H

#include "base/mask.h"
#include "output/settings.h"

/*
 * The first fault sticks: from then on texts are empty, so that who writes a report looks once an
 * issue. {0} before rt_texts_init().
 */
struct rt_texts {
	const struct rt_report_settings *settings; /* borrowed */
	const struct rt_finding *finding;          /* borrowed; the one that is asked about */
	struct rt_buf decoded, path, masked, cut;
	enum rt_status status;
	struct rt_error err; /* holds where status is not RT_OK */
};

void rt_texts_init(struct rt_texts *t, const struct rt_report_settings *settings);
void rt_texts_release(struct rt_texts *t);

/* Returns RT_OK; or the first error's status, and err is that. */
enum rt_status rt_texts_status(const struct rt_texts *t, struct rt_error *err);

/* The first max code points of well-formed text; "…" stands for the rest in the last of them where
 * there is any. Borrowed until the next cut, or title. */
struct rt_slice rt_texts_cut(struct rt_texts *t, struct rt_slice text, size_t max);

/* A member that is a string, not masked; ptr NULL where it is missing, null or empty. Borrowed
 * until the next call of this, of what walks, or of what is masked of a member. */
struct rt_slice rt_texts_decoded(struct rt_texts *t, enum rt_member m);

/* Walk strings or notes, as rt_strings_next() and rt_notes_next() have it; borrowed likewise.
 * Returns false after the last one. */
bool rt_texts_string(struct rt_texts *t, struct rt_slice *at, struct rt_slice *ret_text);
bool rt_texts_note(struct rt_texts *t, struct rt_slice *at, struct rt_slice *ret_added_at,
		   struct rt_slice *ret_text);

/*
 * Each of these returns text that is borrowed until the next call of any of them. ptr NULL, where
 * that is said: there is none.
 */

/* Any text, masked. */
struct rt_slice rt_texts_mask(struct rt_texts *t, struct rt_slice text, enum rt_mask_lines lines);

/* A member that is a string; ptr NULL where it is missing, null or empty. */
struct rt_slice rt_texts_member(struct rt_texts *t, enum rt_member m, enum rt_mask_lines lines);

/* What the finding says in one line (engine/headline.h), at most max code points of it; of one that
 * says nothing "(no title)". */
struct rt_slice rt_texts_headline(struct rt_texts *t, size_t max);

/* The category, or "unknown", on one line. */
struct rt_slice rt_texts_category(struct rt_texts *t);

/* The severity: critical .. info, or what is there, on one line, or "unknown". */
struct rt_slice rt_texts_severity(struct rt_texts *t);

/*
 * The file path on one line, as rt_texts_raw_path() has it; ptr NULL where the issue has none.
 */
struct rt_slice rt_texts_path(struct rt_texts *t);

/* The same, not masked: for what is computed from it. */
struct rt_slice rt_texts_raw_path(struct rt_texts *t);

/* PATH, PATH:LINE or PATH:LINE:COLUMN, as much as is known of it and wanted; or "(no file)". */
struct rt_slice rt_texts_place(struct rt_texts *t, bool column);

/* The newest note; ptr NULL where there is none. */
struct rt_slice rt_texts_last_note(struct rt_texts *t, enum rt_mask_lines lines);

/* All notes, oldest first, "; " between them; ptr NULL where there is none. */
struct rt_slice rt_texts_notes(struct rt_texts *t, enum rt_mask_lines lines);

/* A member that is a list of strings, "; " between them; ptr NULL where it is missing or null. */
struct rt_slice rt_texts_list(struct rt_texts *t, enum rt_member m, enum rt_mask_lines lines);

/*
 * A path as a repository calls it (REPORTS R34): backslashes are slashes, "./" at its start goes.
 * path: decoded, any bytes. Appended to out. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_path_shorten(struct rt_slice path, struct rt_buf *out, struct rt_error *err);

/* Whether a template of --link is one; NULL is. Returns RT_OK or RT_FATAL (RT_E_USAGE). */
enum rt_status rt_link_check(const char *template, struct rt_error *err);

/*
 * The address of the finding's source line (--link): the template with {path}, {repo} and {line}
 * filled in, their bytes percent-encoded but for letters, digits and -._~/. ptr NULL: none is asked
 * for, the template is no https address, or a part that it names is empty, begins with a slash or
 * leads up by "..". Borrowed as above.
 */
struct rt_slice rt_texts_link(struct rt_texts *t);

/* Whether the code of the finding is shown: not where --no-code says so, and not of a secret, which
 * a scanner of secrets, the category or a tag says it is, unless --show-secrets does. */
bool rt_texts_shows_code(struct rt_texts *t);

/* Whether a member is source code. */
bool rt_member_is_code(enum rt_member m);

/* critical .. info; "unknown" of RT_LEVEL_OTHER. Static storage. */
struct rt_slice rt_level_text(unsigned level);

/* The line number where it is one of a file: 1 or more; else 0. */
uint64_t rt_finding_line(const struct rt_finding *finding);

/* A line or column from 1 to most; else 0. Readers of other tools take nine digits. */
uint64_t rt_finding_position(const struct rt_finding *finding, enum rt_member m, uint64_t most);
#define RT_POSITION_MAX 999999999u

/* Bytes of the first max code points of well-formed text; *ret_more: how many come after them. */
size_t rt_text_prefix(struct rt_slice text, size_t max, size_t *ret_more);

/* Take the first line off a text, without its end. */
struct rt_slice rt_take_line(struct rt_slice *text);

/* Put the address of a file: its path, percent-encoded, and file: before one from the root. */
void rt_put_uri(struct rt_put *put, struct rt_slice path);

/* Add a text in which all but the bytes that are kept is %XX (RFC 3986, 2.1). is_kept: NULL:
 * letters, digits and -._~/ are. Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_percent_encode(struct rt_slice text, bool (*is_kept)(char c), struct rt_buf *out,
				 struct rt_error *err);

#endif
