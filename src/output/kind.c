/*
 * The kinds of reports, by name, and what the making of all of them has in common.
 */
#include "output/kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

/* In the order of --help. */
const struct rt_report_kind *const rt_report_kinds[] = {
    &rt_kind_html,   &rt_kind_md,          &rt_kind_csv,   &rt_kind_junit,     &rt_kind_codequality,
    &rt_kind_github, &rt_kind_gitlab_sast, &rt_kind_sarif, &rt_kind_sonarqube, NULL,
};

const struct rt_report_kind *rt_report_kind_find(struct rt_slice name)
{
	for (size_t i = 0; rt_report_kinds[i]; i++) {
		if (rt_slice_equal(rt_slice_of(rt_report_kinds[i]->name), name))
			return rt_report_kinds[i];
	}
	return NULL;
}

enum rt_status rt_reporting_new(const struct rt_report_kind *kind,
				const struct rt_report_settings *settings,
				const struct rt_facts *facts, struct rt_emit *out,
				struct rt_reporting **ret_reporting, struct rt_error *err)
{
	const struct rt_style style = {.format = RT_FORMAT_JSON, .pretty = true};
	const struct rt_sink sink = rt_emit_sink(out);
	struct rt_reporting *r = calloc(1, kind->state_bytes);

	if (!r)
		return rt_error_nomem(err);
	*ret_reporting = r;
	r->kind = kind;
	r->settings = settings;
	r->facts = facts;
	r->out = out;
	rt_texts_init(&r->texts, settings);
	if (kind->json)
		RT_STEP(&r->texts, rt_writer_open(style, &sink, &r->writer, &r->texts.err));
	if (kind->ordinals)
		RT_STEP(&r->texts, rt_ordinals_init(&r->ordinals, &r->texts.err));
	return rt_reporting_step(r, kind->begin, err);
}

enum rt_status rt_reporting_step(struct rt_reporting *r, void (*step)(void *state),
				 struct rt_error *err)
{
	if (!r)
		return RT_OK;
	if (step && r->texts.status == RT_OK)
		step(r);
	return rt_texts_status(&r->texts, err);
}

enum rt_status rt_reporting_issue(struct rt_reporting *r, const struct rt_finding *finding,
				  struct rt_error *err)
{
	r->texts.finding = finding;
	return rt_reporting_step(r, r->kind->issue, err);
}

enum rt_status rt_reporting_end(struct rt_reporting *r, const struct rt_options *options,
				struct rt_error *err)
{
	enum rt_status status = rt_reporting_step(r, r->kind->end, err);

	if (status == RT_OK && r->writer)
		status = rt_writer_finish(r->writer, err);
	if (status == RT_OK && r->no_path)
		(void)snprintf(r->notice, sizeof(r->notice),
			       "%s: left out: %" PRIu64 " %sissue%s without a path", r->kind->name,
			       r->no_path, r->kind->open ? "open " : "", RT_S(r->no_path));
	if (status == RT_OK && r->notice[0])
		rt_notice(options, "%s", r->notice);
	return status;
}

bool rt_reporting_has_path(struct rt_reporting *r)
{
	struct rt_slice path = rt_texts_raw_path(&r->texts);

	r->no_path += !path.ptr;
	r->absolute += path.ptr && (*path.ptr == '/' ||
				    (path.len > 2 && path.ptr[1] == ':' && path.ptr[2] == '/'));
	return path.ptr != NULL;
}

uint32_t rt_reporting_ordinal(struct rt_reporting *r, struct rt_slice text)
{
	uint32_t ordinal = 1;

	RT_STEP(&r->texts, rt_ordinals_next(&r->ordinals, text, &ordinal, &r->texts.err));
	return ordinal;
}

void rt_reporting_free(struct rt_reporting *r)
{
	if (!r)
		return;
	if (r->kind->release)
		r->kind->release(r);
	if (r->kind->ordinals)
		rt_ordinals_release(&r->ordinals);
	rt_texts_release(&r->texts);
	rt_writer_free(r->writer);
	free(r);
}
