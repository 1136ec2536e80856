/*
 * The last part of the HTML report, for auditors: inputs with their digests, counts that add up,
 * the decisions of the journal, version, filter and options.
 */
#include <string.h>

#include "base/instant.h"
#include "output/html.h"

static void hex(struct rt_emit *e, const uint8_t digest[RT_SHA256_BYTES])
{
	char text[RT_SHA256_HEX];

	rt_sha256_hex(digest, text);
	rt_emit_bytes(e, text, sizeof(text));
}

/* --- Inputs and counts --------------------------------------------------------------- */

static void input(struct rt_emit *e, const struct rt_input *in, bool baseline)
{
	RT_HTML(e,
		"<tr><th scope=\"row\" align=\"left\" class=\"mono\">%t%s</th><td class=\"num\" "
		"align=\"right\">",
		in->name, baseline ? " <span class=\"none\">(baseline)</span>" : "");
	if (in->issues != UINT64_MAX)
		RT_HTML(e, "%n", in->issues);
	RT_HTML(e, "</td><td class=\"num\" align=\"right\">%n</td><td class=\"mono hash\">",
		in->bytes);
	if (in->has_sha256)
		hex(e, in->sha256);
	else
		rt_emit_text(e, "not known");
	rt_emit_text(e, "</td></tr>\n");
}

static void inputs(struct rt_emit *e, const struct rt_facts *facts)
{
	rt_emit_text(e, "<section><h3>Inputs</h3><table class=\"rec\" cellpadding=\"4\"><thead><tr>"
			"<th scope=\"col\" align=\"left\">Export</th>"
			"<th scope=\"col\" class=\"num\" align=\"right\">Findings</th>"
			"<th scope=\"col\" class=\"num\" align=\"right\">Bytes</th>"
			"<th scope=\"col\" align=\"left\">SHA-256</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < facts->input_count; i++)
		input(e, &facts->inputs[i], false);
	for (size_t i = 0; i < facts->baseline_count; i++)
		input(e, &facts->baseline[i], true);
	rt_emit_text(e, "</tbody></table></section>\n");
}

static void sum_row(struct rt_emit *e, const char *name, uint64_t value, bool total)
{
	RT_HTML(e,
		"<tr%s><th scope=\"row\" align=\"left\">%s</th><td class=\"num\" "
		"align=\"right\">%n</td></tr>\n",
		total ? " class=\"tot\"" : "", name, value);
}

static void sums(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts *facts = page->facts;

	rt_emit_text(e, "<section><h3>The count adds up</h3><table class=\"rec\" cellpadding=\"4\">"
			"<tbody>\n");
	sum_row(e, "Open", facts->open, false);
	sum_row(e, "Dismissed", facts->total - facts->open, false);
	if (facts->filter.len)
		sum_row(e, "Left out by the filter", facts->excluded, false);
	sum_row(e, "In the inputs", facts->total + facts->excluded, true);
	sum_row(e, "Listed on this page", page->listed, false);
	rt_emit_text(e, "</tbody></table></section>\n");
}

/* What became of the findings of both scans; its columns add up, too. */
static void compared(struct rt_emit *e, const struct rt_facts *facts)
{
	const struct rt_compared *said = facts->compared;

	if (!said)
		return;
	rt_emit_text(e,
		     "<section><h3>Since the baseline</h3><table class=\"rec\" cellpadding=\"4\">"
		     "<tbody>\n");
	sum_row(e, "As it was", said->classes[RT_CLASS_UNCHANGED], false);
	sum_row(e, "Moved", said->classes[RT_CLASS_MOVED], false);
	sum_row(e, "Changed", said->classes[RT_CLASS_CHANGED], false);
	sum_row(e, "New", said->classes[RT_CLASS_NEW], false);
	sum_row(e, "One of several equal ones", said->classes[RT_CLASS_AMBIGUOUS], false);
	sum_row(e, "In this scan", said->issues, true);
	sum_row(e, "Of several equal ones in the baseline", said->ambiguous_old, false);
	sum_row(e, "Gone", said->classes[RT_CLASS_GONE], false);
	sum_row(e, "Not scanned", said->classes[RT_CLASS_NOT_SCANNED], false);
	sum_row(e, "In the baseline, with those that were carried over", said->old, true);
	rt_emit_text(e, "</tbody></table></section>\n");
}

/* --- Decisions ----------------------------------------------------------------------- */

static const char *flag_word(int value)
{
	return value ? "true" : "false";
}

/* What a request sets; negative values: it says nothing of that member. */
static void settings_of(struct rt_emit *e, const struct rt_decision *decision)
{
	const char *separator = "";

	if (decision->false_positive >= 0) {
		RT_HTML(e, "false_positive = %s", flag_word(decision->false_positive));
		separator = ", ";
	}
	if (decision->severity >= 0) {
		RT_HTML(e, "%sseverity = %s", separator,
			rt_html_level_name((unsigned)decision->severity));
		separator = ", ";
	}
	if (decision->exploitable >= 0)
		RT_HTML(e, "%sexploitable = %s", separator, flag_word(decision->exploitable));
}

/* A finding, as a link where it is listed. */
static void named(struct rt_emit *e, const struct rt_html_named *finding)
{
	if (!finding->place.len) {
		rt_html_text(e, finding->id);
		return;
	}
	RT_HTML(e, "<a href=\"#%a\">%m</a>", finding->id, rt_buf_slice(&finding->place));
}

/* How many findings, which the script makes a filter of, and the first of them. */
static void findings_of(struct rt_emit *e, const struct rt_decision *decision,
			const struct rt_html_named *first, bool listed)
{
	if (listed)
		RT_HTML(e,
			"<span data-f=\"decision\" data-v=\"%u\" data-all=\"\" data-n=\"%u\">%n"
			"</span>",
			decision->sequence, decision->updated, decision->updated);
	else
		RT_HTML(e, "%n", decision->updated);
	if (decision->failed)
		RT_HTML(e, ", %n not found", decision->failed);
	if (!first->id.len)
		return;
	rt_emit_text(e, " <span class=\"idl mono\">");
	named(e, first);
	rt_emit_text(e, decision->ids > 1 ? " \xE2\x80\xA6</span>" : "</span>");
}

static void time_of(struct rt_emit *e, struct rt_slice time)
{
	char text[RT_HTML_TIME];

	if (rt_html_time(time, text))
		rt_emit_text(e, text);
	else
		rt_html_text(e, time);
}

static void decision_row(struct rt_emit *e, const struct rt_html_page *page, size_t at)
{
	const struct rt_decision *decision = &page->facts->journal.decisions[at];

	RT_HTML(e, "<tr><td class=\"num\" align=\"right\">%u</td><td class=\"nw2\">",
		decision->sequence);
	time_of(e, decision->at);
	rt_emit_text(e, "</td><td class=\"who\">");
	if (decision->actor.ptr)
		rt_html_text(e, decision->actor);
	else
		rt_emit_text(e, "<span class=\"none\">not named</span>");
	if (decision->carried_at.ptr) {
		rt_emit_text(e, "<span class=\"none\">, carried ");
		if (decision->carrier.ptr)
			RT_HTML(e, "by %t ", decision->carrier);
		time_of(e, decision->carried_at);
		rt_emit_text(e, "</span>");
	}
	rt_emit_text(e, "</td><td class=\"mono\">");
	settings_of(e, decision);
	rt_emit_text(e, "</td><td class=\"ids\">");
	findings_of(e, decision, &page->named[at], page->rows[at].len != 0);
	RT_HTML(e, "</td><td class=\"nt\">%t</td></tr>\n", decision->notes);
}

static void decisions(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts_journal *journal = &page->facts->journal;

	if (!journal->head.len)
		return;
	RT_HTML(e, "<section><h3>Decisions</h3><p class=\"note\">%n %s in the journal",
		RT_COUNTED(journal->entries, "entry", "entries"));
	if (journal->decision_count < journal->entries)
		RT_HTML(e, "; the newest %n are shown", journal->decision_count);
	rt_emit_text(e, ".</p>");
	if (journal->decision_count) {
		rt_emit_text(e, "<div class=\"scroll\" tabindex=\"0\" role=\"region\""
				" aria-label=\"Decisions\"><table class=\"rec\" cellpadding=\"4\">"
				"<thead><tr><th scope=\"col\" align=\"left\">No.</th>"
				"<th scope=\"col\" align=\"left\">Time</th>"
				"<th scope=\"col\" align=\"left\">Who</th>"
				"<th scope=\"col\" align=\"left\">Set</th>"
				"<th scope=\"col\" align=\"left\">Findings</th>"
				"<th scope=\"col\" align=\"left\">Note</th></tr></thead><tbody>\n");
		for (size_t i = 0; i < journal->decision_count; i++)
			decision_row(e, page, i);
		rt_emit_text(e, "</tbody></table></div>");
	}
	rt_emit_text(e, "</section>\n");
}

/* Whether two of lint's findings differ by the issue alone. */
static bool is_alike(const struct rt_objection *one, const struct rt_objection *other)
{
	return one->rule == other->rule && one->entry == other->entry &&
	       rt_slice_equal(one->message, other->message);
}

/* A row of those that are alike, with links to their issues. Returns how many there are. */
static size_t objection_row(struct rt_emit *e, const struct rt_html_page *page, size_t from)
{
	const struct rt_objection *listed = page->facts->objections.listed, *one = &listed[from];
	const struct rt_html_named *first = &page->named[page->facts->journal.decision_count];
	size_t at = from;

	RT_HTML(e,
		"<tr><td>%s</td><td class=\"mono\">%s</td><td>%t</td><td class=\"num\" "
		"align=\"right\">",
		one->is_error ? "error" : "warning", one->rule, one->message);
	if (one->entry)
		rt_emit_uint(e, one->entry);
	rt_emit_text(e, "</td><td class=\"ids mono\">");
	for (; at < page->facts->objections.count && is_alike(&listed[at], one); at++) {
		rt_emit_text(e, at > from ? ", " : "");
		if (listed[at].id.ptr)
			named(e, &first[at]);
	}
	if (listed[at - 1].more)
		RT_HTML(e, " <span class=\"none\">and %n more by this rule</span>",
			listed[at - 1].more);
	rt_emit_text(e, "</td></tr>\n");
	return at - from;
}

/* What lint says of them. */
static void objections(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_objections *said = &page->facts->objections;

	if (!said->count)
		return;
	RT_HTML(
	    e,
	    "<section id=\"lint\"><h3>Decisions to look at</h3><p class=\"note\"><code>retriage "
	    "lint</code> finds %n %s and %n %s, of all inputs.</p><div class=\"scroll\" "
	    "tabindex=\"0\" role=\"region\" aria-label=\"Decisions to look at\"><table "
	    "class=\"rec\" cellpadding=\"4\"><thead><tr><th scope=\"col\" "
	    "align=\"left\">Level</th><th scope=\"col\" align=\"left\">Rule</th><th scope=\"col\" "
	    "align=\"left\">What</th><th scope=\"col\" align=\"left\">No.</th><th scope=\"col\" "
	    "align=\"left\">Findings</th></tr></thead><tbody>\n",
	    RT_COUNTED(said->errors, "error", "errors"),
	    RT_COUNTED(said->warnings, "warning", "warnings"));
	for (size_t i = 0; i < said->count;)
		i += objection_row(e, page, i);
	rt_emit_text(e, "</tbody></table></div></section>\n");
}

/* --- Colophon ------------------------------------------------------------------------ */

static void term(struct rt_emit *e, const char *name)
{
	RT_HTML(e, "<div><dt>%s</dt><dd class=\"mono\">", name);
}

static void text_option(struct rt_emit *e, const char *name, struct rt_slice text)
{
	RT_HTML(e, " --%s '%t'", name, text);
}

static void sla_option(struct rt_emit *e, const struct rt_report_settings *settings)
{
	const char *separator = " --sla ";

	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (settings->sla[i] == RT_SLA_NONE)
			continue;
		RT_HTML(e, "%s%s=%u", separator,
			i == RT_LEVEL_OTHER ? "unknown" : rt_html_level_name(i), settings->sla[i]);
		separator = ",";
	}
}

/* The options that shape the page, in the words of the command line. */
static void options(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_report_settings *settings = page->settings;
	char at[RT_INSTANT_CHARS];

	term(e, "Options");
	RT_HTML(e, "--max-findings %u", settings->max_findings);
	if (page->facts->has_at && rt_instant_format(page->facts->at, at)) {
		rt_emit_text(e, " --at ");
		rt_emit_bytes(e, at, sizeof(at));
	}
	sla_option(e, settings);
	if (settings->title.len)
		text_option(e, "title", settings->title);
	if (settings->link)
		text_option(e, "link", rt_slice_of(settings->link));
	for (size_t i = 0; i < settings->strip.count; i++)
		text_option(
		    e, "strip-prefix",
		    rt_slice_make(settings->strip.list[i], strlen(settings->strip.list[i])));
	if (settings->no_code)
		rt_emit_text(e, " --no-code");
	if (settings->hide_false_positives)
		rt_emit_text(e, " --hide false_positive");
	rt_emit_text(e, "</dd></div>\n");
}

static void gate(struct rt_emit *e, const struct rt_verdict *verdict)
{
	const char *separator = "";
	char text[256];

	term(e, "Gate");
	if (!verdict)
		rt_emit_text(e, "none");
	for (size_t i = 0; verdict && i < verdict->count; i++) {
		rt_condition_text(&verdict->conditions[i], text, sizeof(text));
		RT_HTML(e, "%s%t", separator, rt_slice_of(text));
		separator = "; ";
	}
	rt_emit_text(e, "</dd></div>\n");
}

static void journal_terms(struct rt_emit *e, const struct rt_facts_journal *journal)
{
	if (!journal->head.len) {
		term(e, "Journal");
		rt_emit_text(e, "none</dd></div>\n");
		return;
	}
	term(e, "Base");
	rt_emit_text(e, "sha256:");
	hex(e, journal->base_sha256);
	rt_emit_text(e, "</dd></div>\n");
	term(e, "Head");
	RT_HTML(e, "%t</dd></div>\n", journal->head);
}

static void scans(struct rt_emit *e, const struct rt_facts *facts)
{
	if (!facts->scan_first.len)
		return;
	term(e, "Scans");
	rt_html_text(e, facts->scan_first);
	if (!rt_slice_equal(facts->scan_first, facts->scan_last))
		RT_HTML(e, " to %t", facts->scan_last);
	rt_emit_text(e, "</dd></div>\n");
}

static void colophon(struct rt_emit *e, const struct rt_html_page *page)
{
	rt_emit_text(e, "<section class=\"colophon\" aria-label=\"Provenance\"><dl>\n");
	term(e, "Version");
	rt_emit_text(e, "retriage " RT_VERSION "</dd></div>\n");
	journal_terms(e, &page->facts->journal);
	scans(e, page->facts);
	term(e, "Filter");
	if (page->facts->filter.len)
		rt_html_text(e, page->facts->filter);
	else
		rt_emit_text(e, "none: every finding of the inputs");
	rt_emit_text(e, "</dd></div>\n");
	gate(e, page->facts->verdict);
	options(e, page);
	rt_emit_text(e, "</dl><p>Written by retriage " RT_VERSION ". The same inputs, options and"
			" version give this page byte by byte. It asks nothing of the network.</p>"
			"</section>\n");
}

void rt_html_record(struct rt_emit *e, const struct rt_html_page *page)
{
	rt_emit_text(e,
		     "<section id=\"record\" class=\"record\" aria-labelledby=\"h-r\">"
		     "<h2 id=\"h-r\">Record</h2><p class=\"lead\">What this page rests on, so that"
		     " it can be made again and checked.</p><div class=\"rec2\">\n");
	inputs(e, page->facts);
	sums(e, page);
	compared(e, page->facts);
	rt_emit_text(e, "</div>\n");
	decisions(e, page);
	objections(e, page);
	colophon(e, page);
	rt_emit_text(e, "</section></main>\n");
}
