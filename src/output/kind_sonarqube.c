/*
 * What SonarQube imports as generic issues (REPORTS R41): open issues that have a path, in input
 * order, and after them a rule for each category, once, with the worst severity that is open.
 */
#include <inttypes.h>
#include <stdio.h>

#include "engine/ids.h"
#include "output/kind.h"

#define TITLE_POINTS 1000u

struct sonarqube {
	struct rt_reporting r;
	struct rt_ordinals names; /* of rules */
};

/* In the order of the levels. */
static const struct {
	struct rt_slice severity, impact;
} levels[RT_LEVELS] = {
    {{"BLOCKER", 7}, {"HIGH", 4}}, {{"CRITICAL", 8}, {"HIGH", 4}}, {{"MAJOR", 5}, {"MEDIUM", 6}},
    {{"MINOR", 5}, {"LOW", 3}},    {{"INFO", 4}, {"LOW", 3}},      {{"MAJOR", 5}, {"MEDIUM", 6}},
};

static void sonarqube_release(void *state)
{
	rt_ordinals_release(&((struct sonarqube *)state)->names);
}

static enum rt_status sonarqube_begin(void *state, struct rt_error *err)
{
	struct sonarqube *s = state;

	rt_writer_object_begin(s->r.writer);
	rt_writer_array_field(s->r.writer, RT_SLICE("issues"));
	return rt_ordinals_init(&s->names, err);
}

static void write_issue(struct sonarqube *s)
{
	struct rt_writer *w = s->r.writer;
	uint64_t line = rt_finding_line(s->r.texts.finding);

	rt_writer_object_begin(w);
	rt_writer_text_field(w, RT_SLICE("ruleId"), rt_texts_category(&s->r.texts));
	rt_writer_object_field(w, RT_SLICE("primaryLocation"));
	rt_writer_text_field(w, RT_SLICE("message"), rt_texts_title(&s->r.texts, TITLE_POINTS));
	rt_writer_text_field(w, RT_SLICE("filePath"), rt_texts_path(&s->r.texts));
	if (line) {
		rt_writer_object_field(w, RT_SLICE("textRange"));
		rt_writer_uint_field(w, RT_SLICE("startLine"), line);
		rt_writer_object_end(w);
	}
	rt_writer_object_end(w);
	rt_writer_object_end(w);
}

static enum rt_status sonarqube_issue(void *state, const struct rt_finding *finding,
				      struct rt_error *err)
{
	struct sonarqube *s = state;

	(void)err;
	if (!finding->open)
		return RT_OK;
	if (rt_texts_raw_path(&s->r.texts).ptr)
		write_issue(s);
	else
		s->r.no_path++;
	return RT_OK;
}

/* A rule that is listed twice fails the import: of categories that look alike, the first is one. */
static enum rt_status write_rule(struct sonarqube *s, const struct rt_tally_row *row,
				 struct rt_error *err)
{
	struct rt_slice name = row->text.len
				   ? rt_texts_mask(&s->r.texts, row->text, RT_MASK_LINES_BLANK)
				   : RT_SLICE("unknown");
	struct rt_writer *w = s->r.writer;
	uint32_t ordinal = 0;
	unsigned level = 0;
	enum rt_status status = rt_ordinals_next(&s->names, name, &ordinal, err);

	if (status != RT_OK || ordinal > 1)
		return status;
	while (level < RT_LEVEL_OTHER && !row->levels[level])
		level++;
	rt_writer_object_begin(w);
	rt_writer_text_field(w, RT_SLICE("id"), name);
	rt_writer_text_field(w, RT_SLICE("name"), name);
	rt_writer_text_field(w, RT_SLICE("engineId"), RT_SLICE("retriage"));
	rt_writer_text_field(w, RT_SLICE("cleanCodeAttribute"), RT_SLICE("TRUSTWORTHY"));
	rt_writer_text_field(w, RT_SLICE("type"), RT_SLICE("VULNERABILITY"));
	rt_writer_text_field(w, RT_SLICE("severity"), levels[level].severity);
	rt_writer_array_field(w, RT_SLICE("impacts"));
	rt_writer_object_begin(w);
	rt_writer_text_field(w, RT_SLICE("softwareQuality"), RT_SLICE("SECURITY"));
	rt_writer_text_field(w, RT_SLICE("severity"), levels[level].impact);
	rt_writer_object_end(w);
	rt_writer_array_end(w);
	rt_writer_object_end(w);
	return RT_OK;
}

static enum rt_status sonarqube_end(void *state, struct rt_error *err)
{
	struct sonarqube *s = state;
	const struct rt_tally *tally = &s->r.facts->categories;
	enum rt_status status = RT_OK;

	rt_writer_array_end(s->r.writer);
	rt_writer_array_field(s->r.writer, RT_SLICE("rules"));
	for (size_t i = 0; status == RT_OK && i < tally->count; i++) {
		if (tally->rows[i].open)
			status = write_rule(s, &tally->rows[i], err);
	}
	rt_writer_array_end(s->r.writer);
	rt_writer_object_end(s->r.writer);
	return status;
}

const struct rt_report_kind rt_kind_sonarqube = {
    .name = "sonarqube",
    .open = true,
    .json = true,
    .state_bytes = sizeof(struct sonarqube),
    .begin = sonarqube_begin,
    .issue = sonarqube_issue,
    .end = sonarqube_end,
    .release = sonarqube_release,
};
