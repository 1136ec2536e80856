/*
 * What SonarQube imports as generic issues (REPORTS R41): open issues that have a path, in input
 * order, and after them a rule for each category, once, with the worst severity that is open.
 */
#include <inttypes.h>
#include <stdio.h>

#include "engine/ids.h"
#include "output/texts.h"
#include "output/writer.h"

#define TITLE_POINTS 1000u

struct sonarqube {
	const struct rt_facts *facts;
	struct rt_writer *writer;
	struct rt_texts texts;
	struct rt_ordinals names; /* of rules */
	uint64_t no_path;
};

/* In the order of the levels. */
static const struct {
	struct rt_slice severity, impact;
} levels[RT_LEVELS] = {
    {{"BLOCKER", 7}, {"HIGH", 4}}, {{"CRITICAL", 8}, {"HIGH", 4}}, {{"MAJOR", 5}, {"MEDIUM", 6}},
    {{"MINOR", 5}, {"LOW", 3}},    {{"INFO", 4}, {"LOW", 3}},      {{"MAJOR", 5}, {"MEDIUM", 6}},
};

static void string_member(struct rt_writer *w, struct rt_slice name, struct rt_slice text)
{
	rt_writer_text_field(w, name, text);
}

static void sonarqube_release(void *state)
{
	struct sonarqube *s = state;

	rt_writer_free(s->writer);
	rt_texts_release(&s->texts);
	rt_ordinals_release(&s->names);
}

static enum rt_status sonarqube_begin(void *state, const struct rt_report_settings *settings,
				      const struct rt_facts *facts, struct rt_emit *out,
				      struct rt_error *err)
{
	struct sonarqube *s = state;
	struct rt_sink sink = rt_emit_sink(out);
	enum rt_status status;

	s->facts = facts;
	rt_texts_init(&s->texts, settings);
	status = rt_ordinals_init(&s->names, err);
	if (status == RT_OK)
		status = rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON, .pretty = true},
					&sink, &s->writer, err);
	if (status != RT_OK)
		return status;
	rt_writer_object_begin(s->writer);
	rt_writer_array_field(s->writer, RT_SLICE("issues"));
	return RT_OK;
}

static void write_issue(struct sonarqube *s)
{
	struct rt_writer *w = s->writer;
	uint64_t line = rt_finding_line(s->texts.finding);

	rt_writer_object_begin(w);
	string_member(w, RT_SLICE("ruleId"), rt_texts_category(&s->texts));
	rt_writer_object_field(w, RT_SLICE("primaryLocation"));
	string_member(w, RT_SLICE("message"), rt_texts_title(&s->texts, TITLE_POINTS));
	string_member(w, RT_SLICE("filePath"), rt_texts_path(&s->texts));
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

	if (!finding->open)
		return RT_OK;
	s->texts.finding = finding;
	if (rt_texts_raw_path(&s->texts).ptr)
		write_issue(s);
	else
		s->no_path++;
	return rt_texts_status(&s->texts, err);
}

/* A rule that is listed twice fails the import: of categories that look alike, the first is one. */
static enum rt_status write_rule(struct sonarqube *s, const struct rt_tally_row *row,
				 struct rt_error *err)
{
	struct rt_slice name = row->text.len
				   ? rt_texts_mask(&s->texts, row->text, RT_MASK_LINES_BLANK)
				   : RT_SLICE("unknown");
	struct rt_writer *w = s->writer;
	uint32_t ordinal = 0;
	unsigned level = 0;
	enum rt_status status = rt_ordinals_next(&s->names, name, &ordinal, err);

	if (status != RT_OK || ordinal > 1)
		return status;
	while (level < RT_LEVEL_OTHER && !row->levels[level])
		level++;
	rt_writer_object_begin(w);
	string_member(w, RT_SLICE("id"), name);
	string_member(w, RT_SLICE("name"), name);
	string_member(w, RT_SLICE("engineId"), RT_SLICE("retriage"));
	string_member(w, RT_SLICE("cleanCodeAttribute"), RT_SLICE("TRUSTWORTHY"));
	string_member(w, RT_SLICE("type"), RT_SLICE("VULNERABILITY"));
	string_member(w, RT_SLICE("severity"), levels[level].severity);
	rt_writer_array_field(w, RT_SLICE("impacts"));
	rt_writer_object_begin(w);
	string_member(w, RT_SLICE("softwareQuality"), RT_SLICE("SECURITY"));
	string_member(w, RT_SLICE("severity"), levels[level].impact);
	rt_writer_object_end(w);
	rt_writer_array_end(w);
	rt_writer_object_end(w);
	return rt_texts_status(&s->texts, err);
}

static enum rt_status sonarqube_end(void *state, char *notice, size_t cap, struct rt_error *err)
{
	struct sonarqube *s = state;
	const struct rt_tally *tally = &s->facts->categories;
	enum rt_status status = RT_OK;

	if (s->no_path)
		(void)snprintf(notice, cap,
			       "sonarqube: left out: %" PRIu64 " open issue%s without a path",
			       s->no_path, RT_S(s->no_path));
	rt_writer_array_end(s->writer);
	rt_writer_array_field(s->writer, RT_SLICE("rules"));
	for (size_t i = 0; status == RT_OK && i < tally->count; i++) {
		if (tally->rows[i].open)
			status = write_rule(s, &tally->rows[i], err);
	}
	rt_writer_array_end(s->writer);
	rt_writer_object_end(s->writer);
	return status == RT_OK ? rt_writer_finish(s->writer, err) : status;
}

const struct rt_report_kind rt_kind_sonarqube = {
    .name = "sonarqube",
    .state_bytes = sizeof(struct sonarqube),
    .begin = sonarqube_begin,
    .issue = sonarqube_issue,
    .end = sonarqube_end,
    .release = sonarqube_release,
};
