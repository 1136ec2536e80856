/*
 * What SonarQube imports as generic issues (REPORTS R41): open issues that have a path, in input
 * order, and after them a rule for each category, once, with the worst severity that is open.
 */

#include "output/kind.h"

#define TITLE_POINTS 1000u

/* In the order of the levels. */
static const struct {
	struct rt_slice severity, impact;
} levels[RT_LEVELS] = {
    {{"BLOCKER", 7}, {"HIGH", 4}}, {{"CRITICAL", 8}, {"HIGH", 4}}, {{"MAJOR", 5}, {"MEDIUM", 6}},
    {{"MINOR", 5}, {"LOW", 3}},    {{"INFO", 4}, {"LOW", 3}},      {{"MAJOR", 5}, {"MEDIUM", 6}},
};

static void sonarqube_begin(void *state)
{
	RT_WRITE(((struct rt_reporting *)state)->writer, "{issues: [");
}

static void write_issue(struct rt_reporting *r)
{
	struct rt_writer *w = r->writer;
	uint64_t line = rt_finding_line(r->texts.finding);

	RT_WRITE(w, "{ruleId: %s, primaryLocation: {", rt_texts_category(&r->texts));
	RT_WRITE(w, "message: %s,", rt_texts_headline(&r->texts, TITLE_POINTS));
	RT_WRITE(w, "filePath: %s,", rt_texts_path(&r->texts));
	if (line)
		RT_WRITE(w, "textRange: {startLine: %u}", line);
	RT_WRITE(w, "}}");
}

static void sonarqube_issue(void *state)
{
	struct rt_reporting *r = state;

	if (r->texts.finding->open && rt_reporting_has_path(r))
		write_issue(r);
}

/* A rule that is listed twice fails the import: of categories that look alike, the first is one. */
static void write_rule(struct rt_reporting *r, const struct rt_tally_row *row)
{
	struct rt_slice name = row->text.len
				   ? rt_texts_mask(&r->texts, row->text, RT_MASK_LINES_BLANK)
				   : RT_SLICE("unknown");
	unsigned level = 0;

	if (rt_reporting_ordinal(r, name) > 1)
		return;
	while (level < RT_LEVEL_OTHER && !row->levels[level])
		level++;
	RT_WRITE(r->writer, "{id: %s, name: %s, engineId: %s, cleanCodeAttribute: %s, type: %s,",
		 name, name, "retriage", "TRUSTWORTHY", "VULNERABILITY");
	RT_WRITE(r->writer, "severity: %s, impacts: [{softwareQuality: %s, severity: %s}]}",
		 levels[level].severity, "SECURITY", levels[level].impact);
}

static void sonarqube_end(void *state)
{
	struct rt_reporting *r = state;
	const struct rt_tally *tally = &r->facts->categories;

	RT_WRITE(r->writer, "], rules: [");
	for (size_t i = 0; i < tally->count; i++) {
		if (tally->rows[i].open)
			write_rule(r, &tally->rows[i]);
	}
	RT_WRITE(r->writer, "]}");
}

const struct rt_report_kind rt_kind_sonarqube = {
    .name = "sonarqube",
    .open = true,
    .json = true,
    .ordinals = true,
    .state_bytes = sizeof(struct rt_reporting),
    .begin = sonarqube_begin,
    .issue = sonarqube_issue,
    .end = sonarqube_end,
};
