/*
 * The kind html: one file that a browser opens without asking anything of anybody. What is listed
 * is held back until it is known how much of it fits, because the top of the page says so.
 */
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/spool.h"
#include "files/name.h"
#include "output/html.h"

/* Findings that are listed as markup too, for who runs no script (R16), and bytes of them. */
#define PLAIN_FINDINGS 200u
#define PLAIN_BYTES (2 * RT_MIB)
/* Bytes of listed findings, as data and as markup together (R8). */
#define LISTED_BYTES (32 * RT_MIB)

/* Characters of a SHA-256 in base64. */
#define BASE64_SHA256 44u

struct html {
	struct rt_reporting r;
	struct rt_html_page page;
	struct rt_html_view view;
	struct rt_spool data, plain; /* rows of the data block; the list without script */
	struct rt_buf row;           /* of the finding in hand, in the one form or the other */
	struct rt_emit row_out;      /* to it */
	uint64_t bytes, plain_bytes;
	bool full; /* a finding did not fit: none after it is listed */
};

static void html_release(void *state)
{
	struct html *h = state;

	rt_html_view_release(&h->view);
	rt_spool_release(&h->data);
	rt_spool_release(&h->plain);
	rt_emit_release(&h->row_out);
	rt_buf_release(&h->row);
	rt_buf_release(&h->page.oldest);
	for (size_t i = 0; i < h->page.named_count; i++)
		rt_buf_release(&h->page.named[i].place);
	for (size_t i = 0; h->page.rows && i < h->page.facts->journal.decision_count; i++)
		rt_buf_release(&h->page.rows[i]);
	free(h->page.named);
	free(h->page.rows);
}

/* The findings that the record will name. */
static void name_findings(struct html *h)
{
	const struct rt_facts_journal *journal = &h->r.facts->journal;
	const struct rt_objections *objections = &h->r.facts->objections;
	struct rt_html_page *page = &h->page;

	page->rows = calloc(journal->decision_count + 1, sizeof(*page->rows));
	page->named = calloc(journal->decision_count + objections->count + 1, sizeof(*page->named));
	if (!page->rows || !page->named) {
		h->r.texts.status = rt_error_nomem(&h->r.texts.err);
		return;
	}
	for (size_t i = 0; i < journal->decision_count; i++)
		page->named[page->named_count++].id = journal->decisions[i].first_id;
	for (size_t i = 0; i < objections->count; i++)
		page->named[page->named_count++].id = objections->listed[i].id;
}

static void html_begin(void *state)
{
	struct html *h = state;
	struct rt_sink row_sink;

	h->page.settings = h->r.settings;
	h->page.facts = h->r.facts;
	rt_spool_init(&h->data);
	rt_spool_init(&h->plain);
	row_sink = rt_buf_sink(&h->row);
	rt_emit_init(&h->row_out, &row_sink);
	name_findings(h);
}

/* --- Findings ------------------------------------------------------------------------ */

/* The finding in hand as a row of data, or as markup, in h->row. */
static void render(struct html *h, bool plain)
{
	struct rt_emit *e = &h->row_out;

	h->row.len = 0;
	if (plain)
		rt_html_view_details(e, &h->view, h->page.settings->no_code);
	else if (h->page.listed)
		rt_emit_text(e, ",\n");
	if (!plain)
		rt_html_view_row(e, &h->view);
	RT_STEP(&h->r.texts, rt_emit_finish(e, &h->r.texts.err));
}

static void keep(struct html *h, struct rt_spool *spool)
{
	struct rt_sink sink = rt_spool_sink(spool);

	h->bytes += h->row.len;
	RT_STEP(&h->r.texts, sink.write(sink.ctx, h->row.data, h->row.len, &h->r.texts.err));
}

/* Keep the last part of the path and the line, for links to the finding in hand. */
static void keep_place(struct html *h, struct rt_buf *out)
{
	struct rt_slice path = rt_html_piece_text(&h->view, h->view.path);
	const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
	size_t from = slash ? (size_t)(slash - path.ptr) + 1 : 0;
	struct rt_put put = {out, &h->r.texts.err, h->r.texts.status};

	rt_put(&put,
	       path.len ? rt_slice_make(path.ptr + from, path.len - from) : RT_SLICE("no file"));
	if (path.len && h->view.number) {
		RT_PUT(&put, ":");
		rt_put_number(&put, h->view.number);
	}
	h->r.texts.status = put.status;
}

/* Keep the place of a finding that is named elsewhere: as the oldest one, or in the record. */
static void note_place(struct html *h)
{
	struct rt_slice id = h->view.finding->record->id;

	if (rt_slice_equal(id, h->page.facts->oldest_id))
		keep_place(h, &h->page.oldest);
	for (size_t i = 0; i < h->page.named_count; i++) {
		struct rt_html_named *named = &h->page.named[i];

		if (named->id.ptr && rt_slice_equal(id, named->id))
			keep_place(h, &named->place);
	}
}

/* Note the row of a finding with each of the decisions about it. */
static void note_decisions(struct html *h, uint64_t number)
{
	const struct rt_facts_journal *journal = &h->page.facts->journal;
	size_t low = 0, high = journal->touch_count;
	char row[32];
	int len = snprintf(row, sizeof(row), ",%" PRIu64, h->page.listed);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (journal->touches[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < journal->touch_count && journal->touches[low].number == number; low++) {
		size_t at = (size_t)(journal->entries - journal->touches[low].sequence);

		RT_STEP(&h->r.texts,
			rt_buf_append(&h->page.rows[at], row, (size_t)len, &h->r.texts.err));
	}
}

static void list_plain(struct html *h)
{
	if (h->page.plain != h->page.listed || h->page.plain == PLAIN_FINDINGS)
		return;
	render(h, true);
	if (h->plain_bytes + h->row.len > PLAIN_BYTES)
		return;
	h->plain_bytes += h->row.len;
	h->page.plain++;
	keep(h, &h->plain);
}

static void html_issue(void *state)
{
	struct html *h = state;
	const struct rt_report_settings *settings = h->page.settings;
	struct rt_texts *t = &h->r.texts;
	const struct rt_finding *finding = t->finding;

	if (h->full || h->page.listed >= settings->max_findings ||
	    (settings->hide_false_positives && !finding->open))
		return;
	rt_html_view_make(&h->view, t, h->page.facts);
	render(h, false);
	h->full = h->bytes + h->row.len > LISTED_BYTES;
	if (h->full || t->status != RT_OK)
		return;
	keep(h, &h->data);
	list_plain(h);
	note_place(h);
	note_decisions(h, finding->number);
	h->page.listed++;
	h->page.withheld += h->view.withheld;
	h->page.listed_levels[finding->level]++;
}

/* --- The page ------------------------------------------------------------------------ */

/* The SHA-256 of a text in base64. */
static const char *digest_of(struct rt_slice text, char out[BASE64_SHA256 + 1])
{
	uint8_t digest[RT_SHA256_BYTES];

	rt_sha256_of(text, digest);
	(void)EVP_EncodeBlock((unsigned char *)out, digest, sizeof(digest));
	return out;
}

/*
 * The policy (R12): the one style and the one script that are in the page may act, whose digests
 * are made here of what is written below, and nothing else; nothing is fetched.
 */
static void head(const struct html *h)
{
	struct rt_emit *e = h->r.out;
	char script[BASE64_SHA256 + 1], style[BASE64_SHA256 + 1];

	RT_HTML(e, rt_page_head, digest_of(rt_slice_make(rt_page_js, rt_page_js_len), script),
		digest_of(rt_slice_make(rt_page_css, rt_page_css_len), style));
	rt_html_verdict_word(e, &h->page);
	rt_emit_text(e, " \xC2\xB7 ");
	rt_html_title(e, &h->page);
	rt_emit_text(e, "</title>\n<style>");
	rt_emit_bytes(e, rt_page_css, rt_page_css_len);
	rt_emit_text(e, "</style>\n</head>\n<body>\n");
	rt_emit_text(e, rt_page_symbols);
}

/* The list that needs no script; page.js puts its own in the place of it. */
static void findings(struct html *h)
{
	struct rt_emit *e = h->r.out;
	uint64_t total = h->page.facts->total, plain = h->page.plain;

	if (!h->page.listed)
		return;
	RT_HTML(e, rt_page_findings, plain == total, plain, plain < total, total,
		plain < h->page.listed, h->page.listed);
	rt_html_spooled(e, &h->plain);
	rt_emit_text(e, "</div><div id=\"app\"></div></section>\n");
}

/* What is gone, the worst first: not fixed, for a scan that skipped a file looks the same. */
static void gone(struct html *h)
{
	const struct rt_compared *said = h->page.facts->compared;
	struct rt_emit *e = h->r.out;
	uint64_t count = said ? said->classes[RT_CLASS_GONE] : 0;

	if (!count)
		return;
	RT_HTML(e, rt_page_gone, count, said->gone_count < count, said->gone_count);
	for (size_t i = 0; i < said->gone_count; i++) {
		const struct rt_compared_gone *one = &said->gone[i];
		struct rt_slice text = one->text;

		RT_HTML(e, rt_page_gone_row, one->level, rt_html_level_word(one->level),
			rt_slice_make(text.ptr + one->place_len, text.len - one->place_len),
			rt_slice_make(text.ptr, one->place_len));
	}
	rt_emit_text(e, "</tbody></table></details></section>\n");
}

/* Which rows each decision is about. */
static void decided_rows(struct html *h)
{
	const struct rt_facts_journal *journal = &h->page.facts->journal;
	const char *separator = "";

	for (size_t i = 0; i < journal->decision_count; i++) {
		struct rt_slice rows = rt_buf_slice(&h->page.rows[i]);

		if (!rows.len)
			continue;
		RT_HTML(h->r.out, "%s\"%u\":[", separator, journal->decisions[i].sequence);
		rt_emit_bytes(h->r.out, rows.ptr + 1, rows.len - 1);
		rt_emit_char(h->r.out, ']');
		separator = ",";
	}
	rt_emit_text(h->r.out, "},");
}

/*
 * What follows `retriage list` to have the findings of the page: its filter, options and inputs;
 * empty where another expression cannot be added to that filter.
 */
static void put_command(struct html *h)
{
	const struct rt_facts *facts = h->page.facts;
	const struct rt_options *asked = h->page.settings->asked;
	struct rt_texts *t = &h->r.texts;
	struct rt_put put = {&h->row, &t->err, t->status};
	bool is_open =
	    !facts->filter.len || !memmem(facts->filter.ptr, facts->filter.len, " --or ", 6);

	h->row.len = 0;
	RT_PUT(&put, "");
	if (facts->filter.len)
		RT_PUT(&put, " ");
	rt_put(&put, facts->filter);
	rt_html_reading_options(asked, &put);
	if (asked->journal)
		RT_PUT(&put, " --journal ");
	if (asked->journal && put.status == RT_OK)
		put.status =
		    rt_quote_word(&h->row, rt_slice_of(rt_name_base(asked->journal)), put.err);
	for (size_t i = 0; i < facts->input_count; i++) {
		RT_PUT(&put, " ");
		if (put.status == RT_OK)
			put.status = rt_quote_word(&h->row, facts->inputs[i].name, put.err);
	}
	t->status = put.status;
	RT_HTML(h->r.out, "\"list\":%j,",
		is_open && t->status == RT_OK
		    ? rt_texts_mask(t, rt_buf_slice(&h->row), RT_MASK_LINES_SHOW)
		    : RT_SLICE(""));
}

/* Findings as data: names of facts once, then a row each. */
static void data(struct html *h)
{
	struct rt_emit *e = h->r.out;

	if (!h->page.listed)
		return;
	RT_HTML(e, rt_page_data, !h->page.settings->no_code, h->page.facts->total,
		rt_gate_unknown_as(h->page.facts->gate), h->page.facts->compared != NULL);
	decided_rows(h);
	if (h->page.listed < h->page.facts->total)
		put_command(h);
	rt_emit_text(e, "\"labels\":[");
	for (size_t i = 0; i < RT_HTML_FACTS; i++)
		RT_HTML(e, "%s[\"%s\",%u]", i ? "," : "", rt_html_facts[i].name,
			rt_html_facts[i].mono);
	rt_emit_text(e, "],\"rows\":[\n");
	rt_html_spooled(e, &h->data);
	rt_emit_text(e, "\n]}</script>\n");
}

/* How many are not listed, beside those that were not to be. */
static void say_left_out(struct html *h)
{
	const struct rt_facts *facts = h->page.facts;
	uint64_t wanted = facts->total;

	if (h->page.settings->hide_false_positives)
		wanted -= facts->total - facts->open;
	if (h->page.listed < wanted)
		(void)snprintf(
		    h->r.notice, sizeof(h->r.notice), "html lists the first %s of %s findings%s",
		    RT_COUNT(h->page.listed), RT_COUNT(wanted),
		    h->full ? ": more do not fit on a page" : "; --max-findings raises that");
}

static void html_end(void *state)
{
	struct html *h = state;

	say_left_out(h);
	head(h);
	rt_html_summary(h->r.out, &h->page);
	findings(h);
	gone(h);
	rt_html_record(h->r.out, &h->page);
	data(h);
	rt_emit_text(h->r.out, "<script>");
	rt_emit_bytes(h->r.out, rt_page_js, rt_page_js_len);
	rt_emit_text(h->r.out, "</script>\n</body>\n</html>\n");
}

const struct rt_report_kind rt_kind_html = {
    .name = "html",
    .triage = true,
    .inputs = true,
    .state_bytes = sizeof(struct html),
    .begin = html_begin,
    .issue = html_issue,
    .end = html_end,
    .release = html_release,
};
