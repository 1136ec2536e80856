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

static enum rt_status sarif_begin(void *state, struct rt_error *err)
{
	struct sarif *s = state;
	const struct rt_options *options = s->r.settings->options;
	const struct rt_sink sink = rt_emit_sink(s->r.out);

	rt_log_copy_init(&s->copy, &sink);
	if (options->duplicates == RT_DUPLICATES_WORST)
		return rt_error_set(err, RT_E_USAGE,
				    "--duplicates worst cannot go with --to sarif, since what it "
				    "makes of several results is in no log");
	s->side = &s->sides[0];
	s->side->picks.others = s->r.settings->others;
	s->sides[1].picks.used_runs = true;
	s->sides[0].changes.record_bytes = s->sides[1].changes.record_bytes =
	    options->limits.record_bytes;
	return RT_OK;
}

/* Note an issue that was read last. */
static enum rt_status note(struct sarif *s, bool picked, struct rt_error *err)
{
	struct rt_log_pick pick = {.picked = picked};
	struct rt_origin origin;

	rt_reader_origin(rt_dataset_reader(s->r.settings->dataset), &origin);
	pick.run = rt_sarif_run_number(rt_dataset_reader(s->r.settings->dataset)->view.text.log);
	pick.part = origin.part;
	pick.offset = origin.offset;
	return rt_buf_append(&s->side->picks.results, &pick, sizeof(pick), err);
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

/* When a finding was first there, else when its scan was. time: made there. Absent: nobody knows.
 */
static enum rt_status since_of(struct sarif *s, const struct rt_finding *finding,
			       char time[RT_INSTANT_CHARS + 2], struct rt_slice *ret_since,
			       struct rt_error *err)
{
	struct rt_instant own = {.seconds = INT64_MAX}, scan = {.seconds = INT64_MAX};
	struct rt_slice text;
	int64_t since = finding->first_seen;
	enum rt_status status =
	    rt_finding_text(finding, RT_M_CREATED_AT, &s->r.scratch, &text, err);

	*ret_since = rt_slice_make(NULL, 0);
	if (status == RT_OK && text.ptr && !rt_instant_parse(text, &own))
		own.seconds = INT64_MAX;
	if (status == RT_OK)
		status = rt_finding_text(finding, RT_M_SCAN_CREATED_AT, &s->r.scratch, &text, err);
	if (status == RT_OK && text.ptr && !rt_instant_parse(text, &scan))
		scan.seconds = INT64_MAX;
	if (own.seconds < since)
		since = own.seconds;
	if (scan.seconds < since)
		since = scan.seconds;
	if (status != RT_OK || since == INT64_MAX || !rt_instant_format(since, time + 1))
		return status;
	time[0] = time[RT_INSTANT_CHARS + 1] = '"';
	*ret_since = rt_slice_make(time, RT_INSTANT_CHARS + 2);
	return RT_OK;
}

/* Note an issue of a log, and what is to be changed in its result. */
static enum rt_status take_result(struct sarif *s, const struct rt_finding *finding,
				  struct rt_error *err)
{
	const struct rt_report_settings *settings = s->r.settings;
	uint32_t target = rt_plan_find(settings->plan, finding->record->id);
	enum rt_status status = note(s, true, err);

	if (status != RT_OK)
		return status;
	return rt_changes_add(&s->side->changes, settings->dataset,
			      &rt_dataset_reader(settings->dataset)->record, settings->plan, target,
			      err);
}

static enum rt_status sarif_left_out(void *state, struct rt_error *err)
{
	struct sarif *s = state;

	return rt_dataset_reader(s->r.settings->dataset)->view.text.log && s->side->picks.others
		   ? note(s, false, err)
		   : RT_OK;
}

/* Whether a finding is none for the reader that was named. */
static enum rt_status refuse(struct sarif *s, const struct rt_finding *finding, bool *ret_left_out,
			     struct rt_error *err)
{
	const struct rt_report_settings *settings = s->r.settings;
	struct rt_slice path = {NULL, 0};
	enum rt_status status = RT_OK;

	*ret_left_out = false;
	if (!settings->for_github)
		return RT_OK;
	status = rt_finding_text(finding, RT_M_FILE_PATH, &s->r.scratch, &path, err);
	if (status != RT_OK)
		return status;
	if (path.len && (finding->open || settings->keep_suppressed))
		return RT_OK;
	*ret_left_out = true;
	return rt_sarif_tally(path.len ? &s->dismissed : &s->no_path, finding, err);
}

static enum rt_status sarif_issue(void *state, const struct rt_finding *finding,
				  struct rt_error *err)
{
	struct sarif *s = state;
	char time[RT_INSTANT_CHARS + 2];
	bool left_out;
	enum rt_status status = refuse(s, finding, &left_out, err);

	if (status != RT_OK || left_out)
		return status == RT_OK ? sarif_left_out(state, err) : status;
	s->side->changes.history = (struct rt_result_history){.state = {NULL, 0}};
	if (s->r.settings->compared) {
		s->side->changes.history.state = state_of(finding);
		status = since_of(s, finding, time, &s->side->changes.history.since, err);
	}
	if (status == RT_OK && rt_dataset_reader(s->r.settings->dataset)->view.text.log)
		return take_result(s, finding, err);
	if (status == RT_OK && !s->runs)
		status = rt_sarif_runs_new(s->r.settings, &s->runs, err);
	return status == RT_OK ? rt_sarif_runs_add(s->runs, finding, &s->side->changes.history, err)
			       : status;
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
static enum rt_status write_losses(const struct sarif *s, const struct loss losses[LOSSES],
				   const struct limit *limits, size_t limit_count,
				   struct rt_error *err)
{
	const struct rt_sink sink = rt_emit_sink(s->r.settings->losses);
	struct rt_writer *w = NULL;
	enum rt_status status = rt_writer_open(
	    (struct rt_style){.format = RT_FORMAT_JSON, .pretty = true}, &sink, &w, err);

	if (status != RT_OK)
		return status;
	RT_WRITE(w, "{losses: [");
	put_losses(w, losses, LOSSES - 1);
	RT_WRITE(w, "], invented: [");
	put_losses(w, losses + LOSSES - 1, 1);
	RT_WRITE(w, "], limits: [");
	for (size_t i = 0; i < limit_count; i++)
		RT_WRITE(w, "{name: %s, limit: %u, have: %u}", limits[i].name, limits[i].limit,
			 limits[i].have);
	RT_WRITE(w, "]}");
	status = rt_writer_finish(w, err);
	rt_writer_free(w);
	return status;
}

static enum rt_status tell_all(const struct sarif *s, struct rt_error *err)
{
	struct loss losses[LOSSES];
	struct limit limits[LIMITS];
	size_t limit_count = find_limits(s, limits);

	find_losses(s, losses);
	if (s->r.settings->losses)
		return write_losses(s, losses, limits, limit_count, err);
	tell(s, losses, limits, limit_count);
	return RT_OK;
}

/* A data set has been read; the next one is the baseline. */
static enum rt_status sarif_read(void *state, struct rt_error *err)
{
	struct sarif *s = state;
	const struct rt_report_settings *settings = s->r.settings;
	const struct rt_buf *logs = &rt_dataset_reader(settings->dataset)->logs;
	struct side *side = s->side;
	enum rt_status status = rt_buf_append(&side->picks.parts, logs->data, logs->len, err);

	side->options = settings->options;
	side->stamp = rt_parts_stamp(rt_dataset_reader(settings->dataset)->view.parts);
	if (side == s->sides)
		s->rulesets = rt_dataset_count(settings->dataset, RT_KIND_RULESET);
	if (status == RT_OK)
		status = rt_changes_finish(&side->changes, settings->dataset, err);
	side->picks.patches = side->changes.patches;
	side->changes.patches = (struct rt_patches){.unsorted = false};
	s->side = &s->sides[1];
	return status;
}

static enum rt_status sarif_end(void *state, struct rt_error *err)
{
	struct sarif *s = state;
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < 2; i++) {
		const struct side *side = &s->sides[i];

		status = rt_log_copy_add(&s->copy, side->options, &side->picks, side->stamp, err);
		if (i == 0)
			s->left_out = s->copy.left_out;
	}
	if (status == RT_OK && s->runs)
		status = rt_sarif_runs_write(s->runs, &s->copy, err);
	if (status == RT_OK)
		status = rt_log_copy_end(&s->copy, err);
	return status == RT_OK ? tell_all(s, err) : status;
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
