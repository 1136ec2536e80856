/*
 * A SARIF log of a data set (SARIF.md S54, S55): the runs of its logs with the results that are
 * picked, as they are but for what a journal has changed and what a baseline says; and behind
 * them runs that are made of the issues of exports.
 */
#include <stdio.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/instant.h"
#include "engine/changes.h"
#include "output/kind.h"
#include "output/sarif_fit.h"
#include "output/sarif_runs.h"
#include "output/writer.h"

struct sarif {
	struct rt_reporting r;
	struct rt_log_copy copy;
	struct rt_log_side sides[2];  /* what is reported; of the baseline what is gone */
	struct rt_changes changes[2]; /* of their logs */
	unsigned side;                /* that is being read */
	bool has_addresses;           /* a result speaks of another */
	uint64_t rulesets, left_out;  /* of the first */
	struct rt_buf uri;
	struct rt_fit_counts fits;
	uint64_t gone;                            /* results of the baseline alone, for GitHub */
	struct rt_sarif_tally texts, lines;       /* of logs, made for GitHub */
	struct rt_sarif_tally no_path, dismissed; /* for GitHub */
	struct rt_sarif_runs *runs;               /* of exports; NULL: there is no issue of one */
};

static void sarif_begin(void *state)
{
	struct sarif *s = state;
	struct rt_texts *t = &s->r.texts;
	const struct rt_options *options = s->r.settings->options;
	const struct rt_sink sink = rt_emit_sink(s->r.out);

	rt_log_copy_init(&s->copy, &sink);
	if (options->duplicates == RT_DUPLICATES_WORST)
		t->status = rt_error_set(&t->err, RT_E_USAGE,
					 "--duplicates worst cannot go with --to sarif, since what "
					 "it makes of several results is in no log");
	s->sides[0].picks.others = s->r.settings->others;
	s->sides[1].picks.used_runs = true;
	s->changes[0].record_bytes = s->changes[1].record_bytes = options->limits.record_bytes;
}

static struct rt_reader *reader_of(const struct sarif *s)
{
	return rt_dataset_reader(s->r.settings->dataset);
}

/* Note an issue that was read last. filtered: a filter does not pick it. */
static void note(struct sarif *s, bool picked, bool filtered)
{
	struct rt_log_pick pick = {.picked = picked, .filtered = filtered};
	const struct rt_sarif *log = reader_of(s)->view.text.log;
	struct rt_slice text = rt_sarif_result(log);
	struct rt_origin origin;

	rt_reader_origin(reader_of(s), &origin);
	pick.run = rt_sarif_run_number(log);
	pick.result = rt_sarif_result_number(log);
	pick.part = origin.part;
	pick.offset = origin.offset;
	s->has_addresses = s->has_addresses || (picked && memmem(text.ptr, text.len, "sarif:", 6));
	RT_STEP(&s->r.texts, rt_buf_append(&s->sides[s->side].picks.results, &pick, sizeof(pick),
					   &s->r.texts.err));
}

/* What became of a finding since the baseline, as SARIF says it. */
static struct rt_slice state_of(const struct rt_finding *finding)
{
	switch (finding->class) {
	case RT_CLASS_NEW:
		return RT_SLICE("\"new\"");
	case RT_CLASS_CHANGED:
	case RT_CLASS_MOVED:
		return RT_SLICE("\"updated\"");
	case RT_CLASS_AMBIGUOUS:
		return finding->is_new ? RT_SLICE("\"new\"") : RT_SLICE("\"unchanged\"");
	case RT_CLASS_GONE:
		return RT_SLICE("\"absent\"");
	case RT_CLASS_UNCHANGED:
		return RT_SLICE("\"unchanged\"");
	default:
		return rt_slice_make(NULL, 0);
	}
}

/* When a finding was first there, else when its scan was, as a JSON string in time. Absent: nobody
 * knows. */
static struct rt_slice since_of(struct rt_texts *t, char time[RT_INSTANT_CHARS + 2])
{
	static const enum rt_member members[] = {RT_M_CREATED_AT, RT_M_SCAN_CREATED_AT};
	int64_t since = t->finding->first_seen;
	struct rt_instant instant;

	for (size_t i = 0; i < 2; i++) {
		if (rt_instant_parse(rt_texts_decoded(t, members[i]), &instant) &&
		    instant.seconds < since)
			since = instant.seconds;
	}
	if (since == INT64_MAX || !rt_instant_format(since, time + 1))
		return rt_slice_make(NULL, 0);
	time[0] = time[RT_INSTANT_CHARS + 1] = '"';
	return rt_slice_make(time, RT_INSTANT_CHARS + 2);
}

/* What GitHub wants of the result in hand. */
static struct rt_result_fit fit_of(struct sarif *s)
{
	struct rt_texts *t = &s->r.texts;
	const struct rt_record *record = t->finding->record;
	struct rt_slice text = record->values[RT_M_DESCRIPTION];
	struct rt_put put = {&s->uri, &t->err, t->status};

	s->uri.len = 0;
	RT_PUT(&put, "\"");
	rt_put_uri(&put, rt_texts_decoded(t, RT_M_FILE_PATH));
	RT_PUT(&put, "\"");
	t->status = put.status;
	if (record->types[RT_M_DESCRIPTION] != RT_TYPE_STRING || text.len <= 2)
		text = record->values[RT_M_TITLE];
	return (struct rt_result_fit){.message = text, .uri = rt_buf_slice(&s->uri)};
}

/* Note an issue of a log, and what is to be changed in its result. */
static void take_result(struct sarif *s)
{
	const struct rt_report_settings *settings = s->r.settings;
	struct rt_texts *t = &s->r.texts;
	struct rt_changes *changes = &s->changes[s->side];
	uint32_t target = rt_plan_find(settings->plan, t->finding->record->id);
	struct rt_result_fit fit = {.texts = false};

	if (settings->for_github) {
		fit = fit_of(s);
		changes->history.fit = &fit;
	}
	note(s, true, false);
	RT_STEP(t, rt_changes_add(changes, settings->dataset, &reader_of(s)->record, settings->plan,
				  target, &t->err));
	changes->history.fit = NULL;
	if (fit.texts)
		rt_sarif_tally(&s->texts, t);
	if (fit.lines)
		rt_sarif_tally(&s->lines, t);
}

static void sarif_left_out(void *state)
{
	struct sarif *s = state;

	if (reader_of(s)->view.text.log)
		note(s, false, true);
}

/* Whether the finding is none for the reader that was named. */
static bool is_refused(struct sarif *s)
{
	const struct rt_report_settings *settings = s->r.settings;
	struct rt_texts *t = &s->r.texts;
	bool has_path;

	if (!settings->for_github)
		return false;
	has_path = rt_texts_decoded(t, RT_M_FILE_PATH).len > 0;
	if (t->finding->class == RT_CLASS_GONE) {
		s->gone++;
		return true;
	}
	if (has_path && (t->finding->open || settings->keep_suppressed))
		return false;
	rt_sarif_tally(has_path ? &s->dismissed : &s->no_path, t);
	return true;
}

static void sarif_issue(void *state)
{
	struct sarif *s = state;
	struct rt_texts *t = &s->r.texts;
	struct rt_result_history *history = &s->changes[s->side].history;
	char time[RT_INSTANT_CHARS + 2];

	if (is_refused(s)) {
		if (reader_of(s)->view.text.log && s->side == 0)
			note(s, false, false);
		return;
	}
	*history = (struct rt_result_history){.fit = NULL};
	if (s->r.settings->compared) {
		history->state = state_of(t->finding);
		history->since = since_of(t, time);
	}
	if (reader_of(s)->view.text.log) {
		take_result(s);
		return;
	}
	if (!s->runs)
		s->runs = rt_sarif_runs_new(t);
	if (t->status == RT_OK)
		rt_sarif_runs_add(s->runs, history);
}

/* Something that is not in the log as it was, or is there and was not. */
struct loss {
	const char *what;
	uint64_t count;
	const struct rt_buf *example; /* NULL: there is none */
	const char *one, *many;       /* in words; NULL: nobody is told but the file of --losses */
	const char *why;
};
#define LOSSES 16u
#define INVENTED 3u /* of them, the last ones */
#define LIMITS 5u

/* A number of GitHub's that is not kept. */
struct limit {
	const char *name;
	uint64_t limit, have;
	const char *then;
};

/* Each in the order of what. */
static void find_losses(const struct sarif *s, struct loss list[LOSSES])
{
	static const struct rt_sarif_tallies none = {.most = 0};
	const struct rt_sarif_tallies *counts = s->runs ? rt_sarif_runs_tallies(s->runs) : &none;
	const struct rt_sarif_tally *lines = s->lines.count ? &s->lines : &counts->lines;
	const struct rt_fit_counts *fits = &s->fits;
	const char *results = s->r.settings->for_github ? "GitHub would open alerts for them"
			      : s->r.settings->compared ? "nothing compares them with the baseline"
							: "no filter picks them";
	const struct loss all[LOSSES] = {
	    {"details", fits->joined, NULL, "run beside its results, which another run has now",
	     "runs beside their results, which other runs have now",
	     "GitHub takes one run of a tool and category"},
	    {"dismissed", s->dismissed.count, &s->dismissed.example, "dismissed issue",
	     "dismissed issues", "GitHub would open them again"},
	    {"fields", counts->fields.count, &counts->fields.example, "issue's undocumented fields",
	     "issues' undocumented fields", "no issue of SARIF has them"},
	    {"flows", fits->flows, NULL, "code flow with too many steps",
	     "code flows with too many steps", "GitHub takes 10,000 steps of a result"},
	    {"gone", s->gone, NULL, "issue of the baseline", "issues of the baseline",
	     "GitHub would open alerts for them"},
	    {"links", fits->links, NULL, "link to a result that is left out",
	     "links to results that are left out", "they would lead to another one, or nowhere"},
	    {"locations", fits->locations, NULL, "location beyond 1,000 of a result",
	     "locations beyond 1,000 of a result", "GitHub takes no more"},
	    {"log", s->copy.members, NULL, "member of a log beside its runs",
	     "members of logs beside their runs", "one log has those of the first"},
	    {"path", s->no_path.count, &s->no_path.example, "issue without a path",
	     "issues without a path", "GitHub wants one"},
	    {"results", s->left_out, NULL, "result that is no issue, or a copy",
	     "results that are no issues, or copies", results},
	    {"rulesets", s->rulesets, NULL, "ruleset", "rulesets", "SARIF has no such thing"},
	    {"runs", fits->runs, NULL, "run that the filter leaves nothing of",
	     "runs that the filter leaves nothing of", "GitHub would close their alerts"},
	    {"tags", fits->tags, NULL, "tag beyond 20 of a rule", "tags beyond 20 of a rule",
	     "GitHub takes no more"},
	    {"guid", fits->rules, NULL, NULL, NULL, "rules that are equal are told apart by it"},
	    {"startLine", counts->lines.count + s->lines.count, &lines->example, NULL, NULL,
	     "GitHub wants a line"},
	    {"text", s->texts.count, &s->texts.example, NULL, NULL,
	     "GitHub wants the text of a message itself"},
	};

	memcpy(list, all, sizeof(all));
}

static size_t find_limits(const struct sarif *s, struct limit list[LIMITS])
{
	const struct limit all[LIMITS] = {
	    {"extensions", RT_GITHUB_EXTENSIONS, s->fits.most_extensions, "a run"},
	    {"results", RT_GITHUB_RESULTS, s->fits.most_results,
	     "a run of a log; --where and --category make it several files"},
	    {"results", RT_GITHUB_RESULTS, s->runs ? rt_sarif_runs_tallies(s->runs)->most : 0,
	     "a run of an export, which has become several"},
	    {"rules", RT_GITHUB_RULES, s->fits.most_rules, "a run"},
	    {"runs", RT_GITHUB_RUNS, s->copy.runs,
	     "a file; --where tool=NAME writes one for each tool"},
	};
	size_t count = 0;

	for (size_t i = 0; s->r.settings->for_github && i < LIMITS; i++) {
		if (all[i].have > all[i].limit)
			list[count++] = all[i];
	}
	return count;
}

/* Tell it, a line a kind. */
static void tell(const struct sarif *s, const struct loss losses[LOSSES],
		 const struct limit *limits, size_t limit_count)
{
	const struct rt_options *options = s->sides[0].options;

	for (size_t i = 0; i < LOSSES; i++) {
		if (losses[i].count && losses[i].one)
			rt_notice(options, "sarif: left out: %s %s", RT_COUNT(losses[i].count),
				  losses[i].count == 1 ? losses[i].one : losses[i].many);
	}
	for (size_t i = 0; i < limit_count; i++)
		rt_notice(options, "sarif: GitHub takes %s %s, there are %s in %s",
			  RT_COUNT(limits[i].limit), limits[i].name, RT_COUNT(limits[i].have),
			  limits[i].then);
}

static void put_losses(struct rt_writer *w, const struct loss *list, size_t count)
{
	const struct rt_slice none = {NULL, 0};

	for (size_t i = 0; i < count; i++) {
		if (list[i].count)
			RT_WRITE(w, "{what: %s, count: %u, example: %s, why: %s}", list[i].what,
				 list[i].count,
				 list[i].example ? rt_buf_slice(list[i].example) : none,
				 list[i].why);
	}
}

/* Write the document of --losses (S52). */
static void write_losses(struct sarif *s, const struct loss losses[LOSSES],
			 const struct limit *limits, size_t limit_count)
{
	const struct rt_sink sink = rt_emit_sink(s->r.settings->losses);
	struct rt_texts *t = &s->r.texts;
	struct rt_writer *w = NULL;

	RT_STEP(t, rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON, .pretty = true},
				  &sink, &w, &t->err));
	if (t->status != RT_OK)
		return;
	RT_WRITE(w, "{losses: [");
	put_losses(w, losses, LOSSES - INVENTED);
	RT_WRITE(w, "], invented: [");
	put_losses(w, losses + LOSSES - INVENTED, INVENTED);
	RT_WRITE(w, "], limits: [");
	for (size_t i = 0; i < limit_count; i++)
		RT_WRITE(w, "{name: %s, limit: %u, have: %u}", limits[i].name, limits[i].limit,
			 limits[i].have);
	RT_WRITE(w, "]}");
	RT_STEP(t, rt_writer_finish(w, &t->err));
	rt_writer_free(w);
}

/* A data set has been read; the next one is the baseline. */
static void sarif_read(void *state)
{
	struct sarif *s = state;
	struct rt_texts *t = &s->r.texts;
	const struct rt_report_settings *settings = s->r.settings;
	const struct rt_buf *logs = &reader_of(s)->logs;
	struct rt_log_side *side = &s->sides[s->side];
	struct rt_changes *changes = &s->changes[s->side];

	RT_STEP(t, rt_buf_append(&side->picks.parts, logs->data, logs->len, &t->err));
	side->options = settings->options;
	side->stamp = rt_parts_stamp(reader_of(s)->view.parts);
	if (s->side == 0)
		s->rulesets = rt_dataset_count(settings->dataset, RT_KIND_RULESET);
	RT_STEP(t, rt_changes_finish(changes, settings->dataset, &t->err));
	side->picks.patches = changes->patches;
	changes->patches = (struct rt_patches){.unsorted = false};
	s->side = 1;
}

/* Copy the logs. */
static void copy_logs(struct sarif *s)
{
	const struct rt_report_settings *settings = s->r.settings;
	struct rt_texts *t = &s->r.texts;

	if (settings->for_github || s->has_addresses) {
		RT_STEP(t, rt_sarif_fit_copy(&s->copy, s->sides, 2, settings, &s->fits, &t->err));
		s->left_out = s->fits.left_out;
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		const struct rt_log_side *side = &s->sides[i];

		RT_STEP(t, rt_log_copy_add(&s->copy, side->options, &side->picks, side->stamp,
					   &t->err));
		if (i == 0)
			s->left_out = s->copy.left_out;
	}
}

static void sarif_end(void *state)
{
	struct sarif *s = state;
	struct rt_texts *t = &s->r.texts;
	struct loss losses[LOSSES];
	struct limit limits[LIMITS];
	size_t limit_count;

	copy_logs(s);
	if (t->status == RT_OK && s->runs)
		rt_sarif_runs_write(s->runs, &s->copy);
	RT_STEP(t, rt_log_copy_end(&s->copy, &t->err));
	if (t->status != RT_OK)
		return;
	find_losses(s, losses);
	limit_count = find_limits(s, limits);
	if (s->r.settings->losses)
		write_losses(s, losses, limits, limit_count);
	else
		tell(s, losses, limits, limit_count);
}

static void sarif_release(void *state)
{
	struct sarif *s = state;

	rt_sarif_runs_free(s->runs);
	rt_log_copy_release(&s->copy);
	for (size_t i = 0; i < 2; i++) {
		rt_log_picks_release(&s->sides[i].picks);
		rt_changes_release(&s->changes[i]);
	}
	rt_buf_release(&s->no_path.example);
	rt_buf_release(&s->dismissed.example);
	rt_buf_release(&s->texts.example);
	rt_buf_release(&s->lines.example);
	rt_buf_release(&s->uri);
}

const struct rt_report_kind rt_kind_sarif = {
    .name = "sarif",
    .again = true,
    .state_bytes = sizeof(struct sarif),
    .begin = sarif_begin,
    .issue = sarif_issue,
    .left_out = sarif_left_out,
    .read = sarif_read,
    .end = sarif_end,
    .release = sarif_release,
};

/* What is left out, as a file that is written above. */
const struct rt_report_kind rt_kind_losses = {
    .name = "losses",
    .state_bytes = sizeof(struct rt_reporting),
};
