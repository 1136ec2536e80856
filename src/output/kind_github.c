/*
 * Annotations of GitHub Actions (REPORTS R38 to R40): lines of workflow commands, worst first, at
 * most ten each of error, warning and notice, which is what GitHub shows of a step; the tenth says
 * how many more there are. What is dismissed is left out, and with a baseline what was there
 * before.
 */
#include <stdio.h>

#include "base/error.h"
#include "engine/triage.h"
#include "output/kind.h"

#define COMMANDS 3u
/* Lines of a command; the findings that are kept to fill them. */
#define LINES 10u
/* Code points of a title and a category: a line is for a glance. */
#define TITLE_POINTS 300u

struct github {
	struct rt_reporting r;
	struct rt_triage *worst[COMMANDS];
	uint64_t counts[COMMANDS];
};

static const char *const commands[COMMANDS] = {"error", "warning", "notice"};

/* The command of each level. */
static const unsigned command_of[RT_LEVELS] = {0, 0, 1, 2, 2, 1};

/* Escape what would end a command, or one of its properties. */
static void put_escaped(struct rt_emit *e, struct rt_slice text, bool property)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
			char escape[4];

			(void)snprintf(escape, sizeof(escape), "%%%02X", (unsigned)c);
			rt_emit_text(e, escape);
		} else {
			rt_emit_char(e, c);
		}
	}
}

/* One property; *any: there is one before it. */
static void put_property(struct github *g, const char *name, struct rt_slice value, bool *any)
{
	if (!value.len)
		return;
	rt_emit_char(g->r.out, *any ? ',' : ' ');
	rt_emit_text(g->r.out, name);
	rt_emit_char(g->r.out, '=');
	put_escaped(g->r.out, value, true);
	*any = true;
}

static void put_place(struct github *g, bool *any)
{
	struct rt_texts *t = &g->r.texts;
	struct rt_slice path = rt_texts_raw_path(t);
	struct rt_slice column = rt_finding_number(t->finding, RT_M_COLUMN_START);

	/* Its line breaks stay: escaped, GitHub finds the file. */
	if (!path.ptr)
		return;
	put_property(g, "file", rt_texts_mask(t, path, RT_MASK_LINES_KEEP), any);
	if (!rt_finding_line(t->finding))
		return;
	put_property(g, "line", rt_finding_number(t->finding, RT_M_LINE_NUMBER), any);
	if (column.ptr && column.ptr[0] != '-' && column.ptr[0] != '0')
		put_property(g, "col", column, any);
}

static void put_finding(struct github *g, unsigned command)
{
	struct rt_texts *t = &g->r.texts;
	struct rt_slice cwe;
	bool any = false;

	rt_emit_text(g->r.out, "::");
	rt_emit_text(g->r.out, commands[command]);
	put_place(g, &any);
	put_property(g, "title", rt_texts_member(t, RT_M_CATEGORY, RT_MASK_LINES_BLANK), &any);
	rt_emit_text(g->r.out, "::");
	put_escaped(g->r.out, rt_texts_headline(t, TITLE_POINTS), false);
	if (t->finding->status != RT_STATUS_OPEN)
		rt_emit_text(g->r.out, t->finding->open ? " (dismissal expired)" : " (dismissed)");
	cwe = rt_texts_list(t, RT_M_CWE_IDS, RT_MASK_LINES_BLANK);
	if (cwe.len) {
		rt_emit_text(g->r.out, " (");
		put_escaped(g->r.out, cwe, false);
		rt_emit_char(g->r.out, ')');
	}
	rt_emit_char(g->r.out, '\n');
}

/* "34 more errors, see findings.csv" */
static void put_more(struct github *g, unsigned command, uint64_t count)
{
	struct rt_slice name = g->r.settings->csv_name;

	rt_emit_text(g->r.out, "::");
	rt_emit_text(g->r.out, commands[command]);
	rt_emit_text(g->r.out, "::");
	rt_emit_uint(g->r.out, count);
	rt_emit_text(g->r.out, " more ");
	rt_emit_text(g->r.out, commands[command]);
	rt_emit_char(g->r.out, 's');
	if (name.len) {
		rt_emit_text(g->r.out, ", see ");
		put_escaped(g->r.out, rt_texts_mask(&g->r.texts, name, RT_MASK_LINES_BLANK), false);
	}
	rt_emit_char(g->r.out, '\n');
}

static void put_command(struct github *g, unsigned command)
{
	uint64_t count = g->counts[command], listed = count > LINES ? LINES - 1 : count;
	struct rt_texts *t = &g->r.texts;

	rt_triage_sort(g->worst[command]);
	for (uint64_t i = 0; i < listed; i++) {
		RT_STEP(t, rt_triage_get(g->worst[command], i, &t->finding, &t->err));
		if (t->status != RT_OK)
			return;
		put_finding(g, command);
	}
	if (count > listed)
		put_more(g, command, count - listed);
}

static void github_release(void *state)
{
	struct github *g = state;

	for (size_t i = 0; i < COMMANDS; i++)
		rt_triage_free(g->worst[i]);
}

static void github_begin(void *state)
{
	struct github *g = state;
	struct rt_texts *t = &g->r.texts;

	for (size_t i = 0; i < COMMANDS; i++)
		RT_STEP(t, rt_triage_new(LINES, rt_gate_unknown_as(g->r.facts->gate), &g->worst[i],
					 &t->err));
}

static void github_issue(void *state)
{
	struct github *g = state;
	struct rt_texts *t = &g->r.texts;
	unsigned command = command_of[t->finding->level];

	/* With a baseline what was there before is not said again. */
	if (!rt_report_is_due(g->r.facts, t->finding) ||
	    (g->r.settings->compared && !t->finding->is_new))
		return;
	g->counts[command]++;
	RT_STEP(t, rt_triage_add(g->worst[command], t->finding, &t->err));
}

static void github_end(void *state)
{
	for (unsigned i = 0; i < COMMANDS; i++)
		put_command(state, i);
}

const struct rt_report_kind rt_kind_github = {
    .name = "github",
    .state_bytes = sizeof(struct github),
    .begin = github_begin,
    .issue = github_issue,
    .end = github_end,
    .release = github_release,
};
