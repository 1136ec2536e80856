/*
 * The last part of the HTML report, for auditors: inputs with their digests, counts that add up,
 * the decisions of the journal, version, filter and options.
 */
#include <string.h>

#include "base/instant.h"
#include "files/name.h"
#include "output/html.h"

/* --- Inputs and counts --------------------------------------------------------------- */

static void inputs(struct rt_emit *e, const struct rt_input *list, size_t count, bool baseline)
{
	for (size_t i = 0; i < count; i++)
		RT_HTML(e, rt_page_input, list[i].name, baseline, list[i].issues != UINT64_MAX,
			list[i].issues, list[i].bytes, list[i].has_sha256,
			rt_slot_digest(list[i].sha256));
}

/* What became of the findings of both scans; its columns add up, too. */
static void compared(struct rt_emit *e, const struct rt_compared *said)
{
	RT_HTML(e, rt_page_compared, said->classes[RT_CLASS_UNCHANGED],
		said->classes[RT_CLASS_MOVED], said->classes[RT_CLASS_CHANGED],
		said->classes[RT_CLASS_NEW], said->classes[RT_CLASS_AMBIGUOUS], said->issues,
		said->fresh != said->classes[RT_CLASS_NEW], said->fresh, said->ambiguous_old,
		said->classes[RT_CLASS_GONE], said->classes[RT_CLASS_NOT_SCANNED], said->old);
}

/* --- Decisions ----------------------------------------------------------------------- */

static const char *flag_word(int value)
{
	return value ? "true" : "false";
}

/* An entry. Of what it sets, negative values say nothing. The finding is a link where it is listed,
 * and their number is what the script makes a filter of. */
static void decision_row(struct rt_emit *e, const struct rt_html_page *page, size_t at)
{
	const struct rt_decision *decision = &page->facts->journal.decisions[at];
	const struct rt_html_named *first = &page->named[at];
	bool dismisses = decision->false_positive >= 0, rates = decision->severity >= 0,
	     uses = decision->exploitable >= 0;

	RT_HTML(e, rt_page_decision, decision->sequence, decision->at, decision->actor.ptr != NULL,
		decision->actor, decision->carried_at.ptr != NULL, decision->carrier.ptr != NULL,
		decision->carrier, decision->carried_at);
	RT_HTML(e, rt_page_decision_set, dismisses, flag_word(decision->false_positive),
		dismisses && rates, rates,
		rates ? rt_html_level_name((unsigned)decision->severity) : "",
		(dismisses || rates) && uses, uses, flag_word(decision->exploitable));
	RT_HTML(e, rt_page_decision_findings, page->rows[at].len, decision->sequence,
		decision->updated, decision->updated, decision->updated, decision->failed,
		decision->failed, first->id.len, first->place.len, first->id,
		rt_buf_slice(&first->place), first->id, decision->ids > 1, decision->notes);
}

static void decisions(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts_journal *journal = &page->facts->journal;

	if (!journal->head.len)
		return;
	RT_HTML(e, rt_page_decisions, RT_COUNTED(journal->entries, "entry", "entries"),
		journal->decision_count < journal->entries, journal->decision_count,
		journal->decision_count);
	for (size_t i = 0; i < journal->decision_count; i++)
		decision_row(e, page, i);
	RT_HTML(e, "%(</tbody></table></div>%)</section>\n", journal->decision_count);
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

	RT_HTML(e, rt_page_objection, one->is_error ? "error" : "warning", one->rule, one->message,
		one->entry, one->entry);
	for (; at < page->facts->objections.count && is_alike(&listed[at], one); at++)
		RT_HTML(e, "%(, %)%(%(<a href=\"#%a\">%m</a>%|%t%)%)", at > from,
			listed[at].id.ptr != NULL, first[at].place.len, first[at].id,
			rt_buf_slice(&first[at].place), first[at].id);
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
	RT_HTML(e, rt_page_objections, RT_COUNTED(said->errors, "error", "errors"),
		RT_COUNTED(said->warnings, "warning", "warnings"));
	for (size_t i = 0; i < said->count;)
		i += objection_row(e, page, i);
	rt_emit_text(e, "</tbody></table></div></section>\n");
}

/* --- Colophon ------------------------------------------------------------------------ */

/* An option and its value, as they are typed; value: NULL: it was not given. */
static void put_option(struct rt_put *put, const char *name, const char *value)
{
	if (!value)
		return;
	rt_put(put, rt_slice_of(name));
	if (put->status == RT_OK)
		put->status = rt_quote_word(put->out, rt_slice_of(value), put->err);
}

static void put_options(struct rt_put *put, const char *name, const char *const *values,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_option(put, name, values[i]);
}

void rt_html_reading_options(const struct rt_options *asked, struct rt_put *put)
{
	static const char *const duplicates[] = {NULL, "equal", "worst"};

	put_option(put, " --severity-map ", asked->severity_map);
	if (asked->severity_from == RT_SEVERITY_FROM_LEVEL)
		RT_PUT(put, " --severity-from level");
	put_option(put, " --duplicates ", duplicates[asked->duplicates]);
	if (asked->failed_runs == RT_FAILED_RUNS_ACCEPT)
		RT_PUT(put, " --failed-runs accept");
	if (asked->ids == RT_IDS_S1)
		RT_PUT(put, " --ids s1");
	put_option(put, " --fingerprint ", asked->fingerprint);
	put_options(put, " --include ", asked->choice.include, asked->choice.include_count);
	put_options(put, " --exclude ", asked->choice.exclude, asked->choice.exclude_count);
	put_options(put, " --strip-prefix ", asked->strip_prefixes, asked->strip_prefix_count);
	put_option(put, " --owners ", asked->owners ? rt_name_base(asked->owners) : NULL);
}

/* What the words of conditions do not say. */
static void gate_options(struct rt_emit *e, const struct rt_gate_options *conditions)
{
	if (conditions && conditions->unknown_as >= 0)
		RT_HTML(e, " --unknown-as %s",
			rt_html_level_name((unsigned)conditions->unknown_as));
	if (conditions && conditions->count_false_positives)
		rt_emit_text(e, " --count-false-positives");
}

/* The options that shape the page, in the words of the command line. */
static void options(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_report_settings *settings = page->settings;
	const char *separator = " --sla ";
	struct rt_buf reading = {0};
	struct rt_error err;
	struct rt_put put = {&reading, &err, RT_OK};
	char at[RT_INSTANT_CHARS];

	RT_HTML(e, rt_page_options, settings->max_findings, rt_instant_format(page->facts->at, at),
		rt_slice_make(at, sizeof(at)));
	for (unsigned i = 0; i < RT_LEVELS; i++) {
		if (settings->sla[i] == RT_SLA_NONE)
			continue;
		RT_HTML(e, "%s%s=%u", separator,
			i == RT_LEVEL_OTHER ? "unknown" : rt_html_level_name(i), settings->sla[i]);
		separator = ",";
	}
	RT_HTML(e, "%( --title '%t'%)%( --link '%t'%)", settings->title.len, settings->title,
		settings->link != NULL, rt_slice_of(settings->link ? settings->link : ""));
	if (settings->history)
		RT_HTML(e, " --history '%t'", rt_slice_of(rt_name_base(settings->history)));
	rt_emit_text(e, settings->show_secrets ? " --show-secrets" : "");
	rt_html_reading_options(settings->asked, &put);
	RT_HTML(e, "%t", rt_buf_slice(&reading));
	rt_emit_fail(e, put.status, &err);
	rt_buf_release(&reading);
	gate_options(e, settings->conditions);
}

static void colophon(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts *facts = page->facts;
	const struct rt_facts_journal *journal = &facts->journal;
	const struct rt_verdict *verdict = facts->verdict;
	char text[256];

	RT_HTML(e, rt_page_colophon, RT_VERSION, journal->head.len,
		rt_slot_digest(journal->base_sha256), journal->head, facts->scan_first.len,
		facts->scan_first, !rt_slice_equal(facts->scan_first, facts->scan_last),
		facts->scan_last, facts->filter.len, facts->filter, !verdict);
	for (size_t i = 0; verdict && i < verdict->count; i++) {
		rt_condition_text(&verdict->conditions[i], text, sizeof(text));
		RT_HTML(e, "%s%t", i ? "; " : "", rt_slice_of(text));
	}
	options(e, page);
	RT_HTML(e, rt_page_colophon_end, page->settings->no_code,
		page->settings->hide_false_positives, RT_VERSION, page->settings->history != NULL);
}

void rt_html_record(struct rt_emit *e, const struct rt_html_page *page)
{
	const struct rt_facts *facts = page->facts;

	rt_emit_text(e, rt_page_record);
	inputs(e, facts->inputs, facts->input_count, false);
	inputs(e, facts->baseline, facts->baseline_count, true);
	RT_HTML(e, rt_page_sums, facts->open, facts->total - facts->open, facts->filter.len,
		facts->excluded, facts->total + facts->excluded, page->listed);
	if (facts->compared && !facts->compared->by_class)
		compared(e, facts->compared);
	rt_emit_text(e, "</div>\n");
	decisions(e, page);
	objections(e, page);
	colophon(e, page);
	rt_emit_text(e, "</section></main>\n");
}
