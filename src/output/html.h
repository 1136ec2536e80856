/*
 * The parts of the HTML report (REPORTS R8 to R18), shared by its files: what is shown for a
 * finding, and text on its way into markup or into the data block. Nothing of an input gets into
 * the page but through rt_html_text(), rt_html_escape() and rt_html_json().
 */
#ifndef RT_OUTPUT_HTML_H
#define RT_OUTPUT_HTML_H

#include "base/mask.h"
#include "output/kind.h"
#include "output/slot.h"

/* Bounds of REPORTS R8 and R16: code points of a text; lines of code and code points of one; lines
 * before the marked ones that are kept where there are too many. */
#define RT_HTML_POINTS 4000u
#define RT_HTML_CODE_LINES 60u
#define RT_HTML_CODE_POINTS 200u
#define RT_HTML_CODE_BEFORE 20u
/* Notes of a finding, the newest ones. */
#define RT_HTML_NOTES 20u

/* The constants of the page, made from html/page.css and html/page.js; without a NUL. */
extern const char rt_page_css[], rt_page_js[];
extern const size_t rt_page_css_len, rt_page_js_len;

/* Its pieces, made from html/page.html, which are filled with values. */
extern const char rt_page_symbols[], rt_page_record[], rt_page_input[], rt_page_sums[],
    rt_page_compared[], rt_page_decisions[], rt_page_decision[], rt_page_decision_set[],
    rt_page_decision_findings[], rt_page_objections[], rt_page_objection[], rt_page_colophon[],
    rt_page_options[], rt_page_colophon_end[], rt_page_masthead[], rt_page_subtitle[],
    rt_page_nav[], rt_page_filtered[], rt_page_listed[], rt_page_listed_end[], rt_page_withheld[],
    rt_page_odd_severities[], rt_page_odd_severities_end[], rt_page_condition[],
    rt_page_condition_words[], rt_page_condition_number[], rt_page_verdict[],
    rt_page_verdict_mark[], rt_page_severity_bar[], rt_page_figures[], rt_page_figures_level[],
    rt_page_figures_all[], rt_page_headline[], rt_page_headline_end[], rt_page_nothing_found[],
    rt_page_nothing_open[], rt_page_trend[], rt_page_trend_part[], rt_page_trend_end[],
    rt_page_bar[], rt_page_bar_end[], rt_page_bars[], rt_page_age[], rt_page_overdue[],
    rt_page_oldest[], rt_page_row_name[], rt_page_heat[], rt_page_heat_level[], rt_page_heat_cell[],
    rt_page_strip[], rt_page_legend[], rt_page_changes[], rt_page_change[], rt_page_change_end[],
    rt_page_changes_end[], rt_page_head[], rt_page_findings[], rt_page_gone[], rt_page_gone_row[],
    rt_page_data[], rt_page_row[], rt_page_row_code[], rt_page_name[], rt_page_no_code[],
    rt_page_code[], rt_page_code_end[], rt_page_fix[], rt_page_note[], rt_page_fact[],
    rt_page_link[], rt_page_details[], rt_page_details_since[], rt_page_details_age[];

/* --- Text (html_text.c) -------------------------------------------------------------- */

/*
 * Markup of ours, a template (output/slot.h), with what the next value becomes in the place of
 *	%s  our own words, as they are
 *	%t  text of an input, as rt_html_text()
 *	%m  masked text, as rt_html_escape()
 *	%x  text that is masked for logs as well, as rt_xml_escape()
 *	%j  masked text, as rt_html_json(); null where there is none
 *	%a  an id, as the name of its place: f- and the id, whose bytes outside A-Z a-z 0-9 . _ -
 *	    become ~hh
 *	%u  a number
 *	%n  a number as people read it: 57,312
 *	%d  the day of a time: "31 January 2026"; nothing where its year is beyond 9999
 *	%T  a time of the form YYYY-MM-DDTHH:MM:SSZ as "YYYY-MM-DD HH:MM UTC", or as %t
 *	%h  a SHA-256 in hex
 *	%g  the sign of a level
 */
void rt_html_fill(struct rt_emit *e, const char *markup, const struct rt_slot *slots);

#define RT_HTML(e, markup, ...) rt_html_fill(e, markup, RT_SLOTS_MANY(__VA_ARGS__))

/* A number, and the word for what is counted: for "%n %s". */
#define RT_COUNTED(count, one, many) (count), (count) == 1 ? (one) : (many)

/* Masked text as markup: & < > " become entities. Good in elements and in quoted attributes. */
void rt_html_escape(struct rt_emit *e, struct rt_slice text);

/* Text of rt_mask() as XML. */
void rt_xml_escape(struct rt_emit *e, struct rt_slice text);

/* Text of an input: masked, breaks become blanks, escaped. */
void rt_html_text(struct rt_emit *e, struct rt_slice text);

/* Masked text as a JSON string that may be in a script element; ptr NULL: null. */
void rt_html_json(struct rt_emit *e, struct rt_slice text);

/* A long name whose end tells it from others: its beginning is dim and is what gets lost where room
 * is short. name: masked. mono: set as code. after: put after it, as ":12"; masked. */
void rt_html_name(struct rt_emit *e, struct rt_slice name, bool mono, struct rt_slice after);

/* A time of the form YYYY-MM-DDTHH:MM:SSZ as "YYYY-MM-DD HH:MM UTC", with a NUL. Returns whether it
 * has that form. */
#define RT_HTML_TIME 24u
bool rt_html_time(struct rt_slice time, char text[RT_HTML_TIME]);

/* Pass on what a spool holds. */
struct rt_spool;
void rt_html_spooled(struct rt_emit *e, struct rt_spool *spool);

/* --- Levels (html_text.c) ------------------------------------------------------------ */

/* Of a level below RT_LEVELS: its name in class names and fragments, "other" for none; the word
 * for people; the colour where there is no style. */
const char *rt_html_level_name(unsigned level);
const char *rt_html_level_word(unsigned level);
const char *rt_html_level_fill(unsigned level);

/* --- One finding (html_view.c, html_finding.c) --------------------------------------- */

/* A text in the bytes of the view that holds it; there false: none. */
struct rt_html_piece {
	size_t at, len;
	bool there;
};

/* What the line with facts says, by number: names are in rt_html_facts[]. */
enum rt_html_fact {
	RT_HTML_SINCE, /* with a baseline */
	RT_HTML_SEVERITY,
	RT_HTML_STATUS,
	RT_HTML_EXPLOITABLE,
	RT_HTML_CVSS,
	RT_HTML_CONFIDENCE,
	RT_HTML_CWE,
	RT_HTML_OWASP,
	RT_HTML_CATEGORY,
	RT_HTML_PLACE,
	RT_HTML_REPOSITORY,
	RT_HTML_FOUND,
	RT_HTML_TAGS,
	RT_HTML_MODEL,
	RT_HTML_SCAN,
	RT_HTML_ID,
	RT_HTML_FACTS,
};

struct rt_html_fact_label {
	const char *name;
	bool mono; /* its value is set as code */
};

extern const struct rt_html_fact_label rt_html_facts[RT_HTML_FACTS];

/* Texts of a finding by name: equal ones once, under all their names. */
#define RT_HTML_TEXTS 4u /* title, description, explanation, remediation: bits 0 to 3 of names */

struct rt_html_part {
	struct rt_html_piece text;
	unsigned names; /* 0: it is shown elsewhere */
};

struct rt_html_code {
	struct rt_html_piece lines; /* each with a newline after it */
	size_t count, more;         /* lines; those left out */
	uint64_t first;             /* number of the first one; 0: not known */
	size_t mark_from, mark_count;
	/* Of the first marked line, the columns that are meant, in UTF-16 units, as scripts count,
	 * and in bytes; equal: none. */
	size_t units[2], bytes[2];
};

struct rt_html_note {
	struct rt_html_piece text; /* not there: a decision of which nobody said why */
	struct rt_html_piece what; /* what was decided with it; not there: nothing, or not known */
	struct rt_html_piece by;   /* who wrote it and when, as much as is known */
};

/* A finding as the page shows it: texts are masked and cut. Made anew for each one. */
struct rt_html_view {
	struct rt_texts *texts;           /* borrowed; faults stick there */
	const struct rt_finding *finding; /* that of the texts */
	struct rt_buf bytes;              /* all texts of the view, one after the other */
	struct rt_buf joined, code_texts[3];
	bool exploitable, overdue;
	bool compared;            /* with a baseline */
	bool withheld;            /* its code is that of a secret, and not shown */
	struct rt_html_piece was; /* how a moved or changed one differs */
	uint32_t age;             /* days, or RT_AGE_UNKNOWN */
	uint64_t number;          /* of the line; 0: none */
	struct rt_html_piece id, path, category, repo, fix, link;
	struct rt_html_piece title, message; /* of the row; message: not there: title is all */
	struct rt_html_piece facts[RT_HTML_FACTS];
	struct rt_html_part parts[RT_HTML_TEXTS];
	struct rt_html_code code;
	struct rt_html_note notes[RT_HTML_NOTES]; /* oldest first */
	size_t note_count, notes_more;
};

/* Make the view of the finding of texts; what it held before is dropped. */
void rt_html_view_make(struct rt_html_view *view, struct rt_texts *texts,
		       const struct rt_facts *facts);

void rt_html_view_release(struct rt_html_view *view);

/* As a row of the data block, an array, its places as page.js names them. */
void rt_html_view_row(struct rt_emit *e, const struct rt_html_view *view);

/* As an element of the list that needs no script. no_code: code was left out on purpose. */
void rt_html_view_details(struct rt_emit *e, const struct rt_html_view *view, bool no_code);

/* A piece's text; ptr NULL where it is not there. */
struct rt_slice rt_html_piece_text(const struct rt_html_view *view, struct rt_html_piece piece);

/* --- The whole (kind_html.c, html_summary.c, html_charts.c, html_record.c) ----------- */

/* A finding that is named somewhere, and where it is in the list. */
struct rt_html_named {
	struct rt_slice id;
	struct rt_buf place; /* masked; empty: it is not listed */
};

/* What is known at the end, for the parts before and after the list. */
struct rt_html_page {
	const struct rt_report_settings *settings;
	const struct rt_facts *facts;
	uint64_t listed, listed_levels[RT_LEVELS]; /* false positives included */
	uint64_t plain;                            /* of them, those shown without script */
	uint64_t withheld;                         /* and those whose code is not shown */
	/* Findings that the record names: the first one of each decision, then lint's. */
	struct rt_html_named *named;
	size_t named_count;
	struct rt_buf *rows;  /* by decision: the numbers of its rows, each after a comma */
	struct rt_buf oldest; /* the place of the oldest open one, masked; empty: not listed */
};

/* The title of the page, masked and escaped. */
void rt_html_title(struct rt_emit *e, const struct rt_html_page *page);

/* The word of the verdict, or how many are open. */
void rt_html_verdict_word(struct rt_emit *e, const struct rt_html_page *page);

/*
 * Rectangles side by side, one a level that has any, in an svg element of some height. style: put
 * behind their class. from, room, gap: where they begin, all of them together and between two, in
 * tenths; each is seen, however small its share.
 */
void rt_html_stack(struct rt_emit *e, const uint64_t counts[RT_LEVELS], const char *style,
		   uint64_t from, uint64_t room, uint64_t gap, unsigned height);

/* What became of the findings of both scans, as one bar. Only with a baseline. */
void rt_html_strip(struct rt_emit *e, const struct rt_facts *facts);

/* Whether any level has days after which it is overdue. */
bool rt_html_has_limits(const struct rt_report_settings *settings);

/* Ages, repositories, categories and files of open findings, of which there are some. */
void rt_html_charts(struct rt_emit *e, const struct rt_html_page *page);

/* Masthead, banners, verdict, severities and charts. */
void rt_html_summary(struct rt_emit *e, const struct rt_html_page *page);

/* Append the options that decide which findings there are, and what is said of each, as they are
 * typed, each after a blank. */
void rt_html_reading_options(const struct rt_options *asked, struct rt_put *put);

/* What the page rests on. */
void rt_html_record(struct rt_emit *e, const struct rt_html_page *page);

#endif
