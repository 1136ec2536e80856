/*
 * What SonarQube imports as generic issues (REPORTS R41): open issues that have a path, in input
 * order, and after them a rule for each category, once, with the worst severity that is open.
 */
#include <inttypes.h>
#include <stdio.h>

#include "output/texts.h"
#include "output/writer.h"

#define TITLE_POINTS 1000u

struct sonarqube {
	const struct rt_facts *facts;
	struct rt_writer *writer;
	struct rt_texts texts;
	struct rt_buf scratch;
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
	rt_writer_key(w, name);
	rt_writer_string(w, text);
}

static struct rt_slice rule_of(struct rt_slice category)
{
	return category.len ? category : RT_SLICE("unknown");
}

static void sonarqube_release(void *state)
{
	struct sonarqube *s = state;

	rt_writer_free(s->writer);
	rt_texts_release(&s->texts);
	rt_buf_release(&s->scratch);
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
	status = rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON, .pretty = true}, &sink,
				&s->writer, err);
	if (status != RT_OK)
		return status;
	rt_writer_object_begin(s->writer);
	rt_writer_key(s->writer, RT_SLICE("issues"));
	rt_writer_array_begin(s->writer);
	return RT_OK;
}

static void write_issue(struct sonarqube *s, struct rt_slice category)
{
	struct rt_writer *w = s->writer;
	uint64_t line = rt_finding_line(s->texts.finding);

	rt_writer_object_begin(w);
	string_member(w, RT_SLICE("ruleId"), rule_of(category));
	rt_writer_key(w, RT_SLICE("primaryLocation"));
	rt_writer_object_begin(w);
	string_member(w, RT_SLICE("message"), rt_texts_title(&s->texts, TITLE_POINTS));
	string_member(w, RT_SLICE("filePath"), rt_texts_path(&s->texts));
	if (line) {
		rt_writer_key(w, RT_SLICE("textRange"));
		rt_writer_object_begin(w);
		rt_writer_key(w, RT_SLICE("startLine"));
		rt_writer_uint(w, line);
		rt_writer_object_end(w);
	}
	rt_writer_object_end(w);
	rt_writer_object_end(w);
}

static enum rt_status sonarqube_issue(void *state, const struct rt_finding *finding,
				      struct rt_error *err)
{
	struct sonarqube *s = state;
	struct rt_slice category;
	enum rt_status status;

	if (!finding->open)
		return RT_OK;
	s->texts.finding = finding;
	if (!rt_texts_raw_path(&s->texts).ptr) {
		s->no_path++;
		return rt_texts_status(&s->texts, err);
	}
	status = rt_finding_text(finding, RT_M_CATEGORY, &s->scratch, &category, err);
	if (status != RT_OK)
		return status;
	write_issue(s, category);
	return rt_texts_status(&s->texts, err);
}

/* A rule that is listed twice fails the import: what has no category may be called as one is. */
static bool is_listed(const struct rt_tally *tally, const struct rt_tally_row *row)
{
	for (size_t i = 0; !row->text.len && i < tally->count; i++) {
		if (tally->rows[i].open && rt_slice_equal(tally->rows[i].text, rule_of(row->text)))
			return true;
	}
	return false;
}

static void write_rule(struct rt_writer *w, const struct rt_tally_row *row)
{
	unsigned level = 0;

	while (level < RT_LEVEL_OTHER && !row->levels[level])
		level++;
	rt_writer_object_begin(w);
	string_member(w, RT_SLICE("id"), rule_of(row->text));
	string_member(w, RT_SLICE("name"), rule_of(row->text));
	string_member(w, RT_SLICE("engineId"), RT_SLICE("retriage"));
	string_member(w, RT_SLICE("cleanCodeAttribute"), RT_SLICE("TRUSTWORTHY"));
	string_member(w, RT_SLICE("type"), RT_SLICE("VULNERABILITY"));
	string_member(w, RT_SLICE("severity"), levels[level].severity);
	rt_writer_key(w, RT_SLICE("impacts"));
	rt_writer_array_begin(w);
	rt_writer_object_begin(w);
	string_member(w, RT_SLICE("softwareQuality"), RT_SLICE("SECURITY"));
	string_member(w, RT_SLICE("severity"), levels[level].impact);
	rt_writer_object_end(w);
	rt_writer_array_end(w);
	rt_writer_object_end(w);
}

static enum rt_status sonarqube_end(void *state, char *notice, size_t cap, struct rt_error *err)
{
	struct sonarqube *s = state;
	const struct rt_tally *tally = &s->facts->categories;

	if (s->no_path)
		(void)snprintf(notice, cap,
			       "sonarqube: left out: %" PRIu64 " open issue%s without a path",
			       s->no_path, RT_S(s->no_path));
	rt_writer_array_end(s->writer);
	rt_writer_key(s->writer, RT_SLICE("rules"));
	rt_writer_array_begin(s->writer);
	for (size_t i = 0; i < tally->count; i++) {
		if (tally->rows[i].open && !is_listed(tally, &tally->rows[i]))
			write_rule(s->writer, &tally->rows[i]);
	}
	rt_writer_array_end(s->writer);
	rt_writer_object_end(s->writer);
	return rt_writer_finish(s->writer, err);
}

const struct rt_report_kind rt_kind_sonarqube = {
    .name = "sonarqube",
    .state_bytes = sizeof(struct sonarqube),
    .begin = sonarqube_begin,
    .issue = sonarqube_issue,
    .end = sonarqube_end,
    .release = sonarqube_release,
};
