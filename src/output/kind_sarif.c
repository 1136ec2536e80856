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
#include "output/sarif_runs.h"
#include "output/writer.h"

/* Runs of a file that GitHub takes. */
#define GITHUB_RUNS 20u

/* A data set whose logs are copied from. */
struct side {
	const struct rt_options *options;
	uint64_t stamp;
	struct rt_log_picks picks;
	struct rt_changes changes;
};

struct sarif {
	struct rt_reporting r;
	struct rt_log_copy copy;
	struct side sides[2];        /* what is reported; of the baseline what is gone */
	struct side *side;           /* that is being read */
	uint64_t rulesets, left_out; /* of the first */
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
	s->side = &s->sides[0];
	s->side->picks.others = s->r.settings->others;
	s->sides[1].picks.used_runs = true;
	s->sides[0].changes.record_bytes = s->sides[1].changes.record_bytes =
	    options->limits.record_bytes;
}

static struct rt_reader *reader_of(const struct sarif *s)
{
	return rt_dataset_reader(s->r.settings->dataset);
}

/* Note an issue that was read last. */
static void note(struct sarif *s, bool picked)
{
	struct rt_log_pick pick = {.picked = picked};
	struct rt_origin origin;

	rt_reader_origin(reader_of(s), &origin);
	pick.run = rt_sarif_run_number(reader_of(s)->view.text.log);
	pick.part = origin.part;
	pick.offset = origin.offset;
	RT_STEP(&s->r.texts,
		rt_buf_append(&s->side->picks.results, &pick, sizeof(pick), &s->r.texts.err));
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

/* Note an issue of a log, and what is to be changed in its result. */
static void take_result(struct sarif *s)
{
	const struct rt_report_settings *settings = s->r.settings;
	struct rt_texts *t = &s->r.texts;
	uint32_t target = rt_plan_find(settings->plan, t->finding->record->id);

	note(s, true);
	RT_STEP(t, rt_changes_add(&s->side->changes, settings->dataset, &reader_of(s)->record,
				  settings->plan, target, &t->err));
}

static void sarif_left_out(void *state)
{
	struct sarif *s = state;

	if (reader_of(s)->view.text.log && s->side->picks.others)
		note(s, false);
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
	if (has_path && (t->finding->open || settings->keep_suppressed))
		return false;
	rt_sarif_tally(has_path ? &s->dismissed : &s->no_path, t);
	return true;
}

static void sarif_issue(void *state)
{
	struct sarif *s = state;
	struct rt_texts *t = &s->r.texts;
	struct rt_result_history *history = &s->side->changes.history;
	char time[RT_INSTANT_CHARS + 2];

	if (is_refused(s)) {
		sarif_left_out(s);
		return;
	}
	*history = (struct rt_result_history){.state = {NULL, 0}};
	if (s->r.settings->compared)
		*history = (struct rt_result_history){state_of(t->finding), since_of(t, time)};
	if (reader_of(s)->view.text.log) {
		take_result(s);
		return;
	}
	if (!s->runs)
		s->runs = rt_sarif_runs_new(t);
	if (t->status == RT_OK)
		rt_sarif_runs_add(s->runs, history);
}

/* The most results that a run of a log has. */
static uint64_t longest_run(const struct sarif *s)
{
	const struct rt_log_pick *all =
	    (const struct rt_log_pick *)(const void *)s->sides[0].picks.results.data;
	size_t count = s->sides[0].picks.results.len / sizeof(*all);
	uint64_t results = 0, most = 0;

	for (size_t i = 0; i < count; i++) {
		if (i && (all[i].part != all[i - 1].part || all[i].run != all[i - 1].run))
			results = 0;
		results += all[i].picked;
		most = results > most ? results : most;
	}
	return most;
}

/* Something that is not in the log as it was, or is there and was not. */
struct loss {
	const char *what;
	uint64_t count;
	const struct rt_buf *example; /* NULL: there is none */
	const char *one, *many;       /* in words */
	const char *why;
};
#define LOSSES 7u
#define LIMITS 3u

/* A number of GitHub's that is not kept. */
struct limit {
	const char *name;
	uint64_t limit, have;
	const char *then;
};

/* In the order of what, but for the last, which is invented. */
static void find_losses(const struct sarif *s, struct loss list[LOSSES])
{
	static const struct rt_sarif_tallies none = {.most = 0};
	const struct rt_sarif_tallies *counts = s->runs ? rt_sarif_runs_tallies(s->runs) : &none;
	const struct loss all[LOSSES] = {
	    {"dismissed", s->dismissed.count, &s->dismissed.example, "dismissed issue",
	     "dismissed issues", "GitHub would open them again"},
	    {"fields", counts->fields.count, &counts->fields.example, "issue's undocumented fields",
	     "issues' undocumented fields", "no issue of SARIF has them"},
	    {"log", s->copy.members, NULL, "member of a log beside its runs",
	     "members of logs beside their runs", "one log has those of the first"},
	    {"path", s->no_path.count, &s->no_path.example, "issue without a path",
	     "issues without a path", "GitHub wants one"},
	    {"results", s->left_out, NULL, "result that is no issue, or a copy",
	     "results that are no issues, or copies", "no filter picks them"},
	    {"rulesets", s->rulesets, NULL, "ruleset", "rulesets", "SARIF has no such thing"},
	    {"startLine", counts->lines.count, &counts->lines.example, "", "",
	     "GitHub wants a line"},
	};

	memcpy(list, all, sizeof(all));
}

static size_t find_limits(const struct sarif *s, struct limit list[LIMITS])
{
	const struct limit all[LIMITS] = {
	    {"results", RT_GITHUB_RESULTS, longest_run(s),
	     "a run of a log; --where makes it several"},
	    {"results", RT_GITHUB_RESULTS, s->runs ? rt_sarif_runs_tallies(s->runs)->most : 0,
	     "a run of an export, which has become several"},
	    {"runs", GITHUB_RUNS, s->copy.runs, "a file; --where makes it several"},
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

	for (size_t i = 0; i + 1 < LOSSES; i++) {
		if (losses[i].count)
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
	put_losses(w, losses, LOSSES - 1);
	RT_WRITE(w, "], invented: [");
	put_losses(w, losses + LOSSES - 1, 1);
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
	struct side *side = s->side;

	RT_STEP(t, rt_buf_append(&side->picks.parts, logs->data, logs->len, &t->err));
	side->options = settings->options;
	side->stamp = rt_parts_stamp(reader_of(s)->view.parts);
	if (side == s->sides)
		s->rulesets = rt_dataset_count(settings->dataset, RT_KIND_RULESET);
	RT_STEP(t, rt_changes_finish(&side->changes, settings->dataset, &t->err));
	side->picks.patches = side->changes.patches;
	side->changes.patches = (struct rt_patches){.unsorted = false};
	s->side = &s->sides[1];
}

static void sarif_end(void *state)
{
	struct sarif *s = state;
	struct rt_texts *t = &s->r.texts;
	struct loss losses[LOSSES];
	struct limit limits[LIMITS];
	size_t limit_count;

	for (size_t i = 0; i < 2; i++) {
		const struct side *side = &s->sides[i];

		RT_STEP(t, rt_log_copy_add(&s->copy, side->options, &side->picks, side->stamp,
					   &t->err));
		if (i == 0)
			s->left_out = s->copy.left_out;
	}
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
		rt_changes_release(&s->sides[i].changes);
	}
	rt_buf_release(&s->no_path.example);
	rt_buf_release(&s->dismissed.example);
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
