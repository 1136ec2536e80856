/*
 * The report that GitLab reads as SAST, of version 15.0.7 of its schema (REPORTS R34 to R36), in
 * input order. False positives carry a flag; issues without a path are left out and counted.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/instant.h"
#include "base/uuid.h"
#include "output/kind.h"

#define SCHEMA_VERSION "15.0.7"
#define SCHEMA_ADDRESS                                                                             \
	"https://gitlab.com/gitlab-org/security-products/security-report-schemas/-/raw/"           \
	"v" SCHEMA_VERSION "/dist/sast-report-format.json"
/* What the schema allows, in code points, and what GitLab reads of a list. */
#define NAME_POINTS 255u
#define DESCRIPTION_POINTS 1048576u
#define SOLUTION_POINTS 7000u
#define IDENTIFIERS 20u

struct sast {
	struct rt_reporting r;
	unsigned identifiers;       /* of the issue, so far */
	uint64_t seen[IDENTIFIERS]; /* CWEs of the issue */
};

/* In the order of the levels. */
static const struct rt_slice severities[RT_LEVELS] = {
    {"Critical", 8}, {"High", 4}, {"Medium", 6}, {"Low", 3}, {"Info", 4}, {"Unknown", 7},
};

/* The namespace of UUIDs that are made of ids: 2f0d3b0e-6a39-4c8b-9b6c-5b8f3e1d7a52, made once at
 * random. Another one would give every issue another UUID. */
static const uint8_t space[RT_UUID_BYTES] = {0x2f, 0x0d, 0x3b, 0x0e, 0x6a, 0x39, 0x4c, 0x8b,
					     0x9b, 0x6c, 0x5b, 0x8f, 0x3e, 0x1d, 0x7a, 0x52};

/* --- Identifiers ------------------------------------------------------------------------- */

static void write_identifier(struct sast *s, struct rt_slice type, struct rt_slice name,
			     struct rt_slice value, const char *url)
{
	struct rt_writer *w = s->r.writer;

	if (!name.len || !value.len || s->identifiers == IDENTIFIERS)
		return;
	s->identifiers++;
	RT_WRITE(w, "{type: %s, name: %s, value: %s", type, name, value);
	if (url)
		RT_WRITE(w, "url: %s", url);
	RT_WRITE(w, "}");
}

static void write_cwe(struct sast *s, struct rt_slice text, size_t *used)
{
	uint64_t number = rt_cwe_number(text);
	char name[32], url[80];

	if (!number) {
		text = rt_texts_mask(&s->r.texts, text, RT_MASK_LINES_BLANK);
		write_identifier(s, RT_SLICE("cwe"), text, text, NULL);
		return;
	}
	for (size_t i = 0; i < *used; i++) {
		if (s->seen[i] == number)
			return;
	}
	if (*used < IDENTIFIERS)
		s->seen[(*used)++] = number;
	(void)snprintf(name, sizeof(name), "CWE-%" PRIu64, number);
	(void)snprintf(url, sizeof(url), "https://cwe.mitre.org/data/definitions/%" PRIu64 ".html",
		       number);
	write_identifier(s, RT_SLICE("cwe"), rt_slice_of(name),
			 rt_slice_make(name + 4, strlen(name + 4)), url);
}

static void write_identifiers(struct sast *s)
{
	struct rt_texts *t = &s->r.texts;
	struct rt_slice at = rt_finding_strings(t->finding, RT_M_CWE_IDS), text;
	size_t used = 0;

	s->identifiers = 0;
	RT_WRITE(s->r.writer, "identifiers: [");
	text = rt_texts_category(t);
	write_identifier(s, RT_SLICE("retriage_category"), text, text, NULL);
	while (rt_texts_string(t, &at, &text))
		write_cwe(s, text, &used);
	text = rt_texts_member(t, RT_M_OWASP_CATEGORY, RT_MASK_LINES_BLANK);
	if (text.ptr)
		write_identifier(s, RT_SLICE("owasp"), text, text, NULL);
	RT_WRITE(s->r.writer, "]");
}

/* --- Vulnerabilities --------------------------------------------------------------------- */

static void write_id(struct sast *s)
{
	struct rt_slice id = s->r.texts.finding->record->id;
	char uuid[RT_UUID_CHARS];

	if (!rt_uuid_is(id)) {
		rt_uuid_of_name(space, id, uuid);
		id = rt_slice_make(uuid, sizeof(uuid));
	}
	RT_WRITE(s->r.writer, "id: %s", id);
}

static void write_location(struct sast *s)
{
	struct rt_writer *w = s->r.writer;
	uint64_t line = rt_finding_line(s->r.texts.finding);

	RT_WRITE(w, "location: {file: %s", rt_texts_path(&s->r.texts));
	if (line)
		RT_WRITE(w, "start_line: %u", line);
	RT_WRITE(w, "}");
}

static void write_flag(struct sast *s)
{
	struct rt_slice note = rt_texts_last_note(&s->r.texts, RT_MASK_LINES_KEEP);

	RT_WRITE(s->r.writer, "flags: [{type: %s, origin: %s, description: %s}]",
		 "flagged-as-likely-false-positive", "retriage",
		 note.len ? note : RT_SLICE("dismissed without a note"));
}

static void write_vulnerability(struct sast *s)
{
	struct rt_texts *t = &s->r.texts;
	struct rt_slice text;

	RT_WRITE(s->r.writer, "{");
	write_id(s);
	RT_WRITE(s->r.writer, "name: %s", rt_texts_headline(t, NAME_POINTS));
	text = rt_texts_member(t, RT_M_DESCRIPTION, RT_MASK_LINES_KEEP);
	if (text.ptr)
		RT_WRITE(s->r.writer, "description: %s", rt_texts_cut(t, text, DESCRIPTION_POINTS));
	RT_WRITE(s->r.writer, "severity: %s", severities[t->finding->level]);
	text = rt_texts_member(t, RT_M_REMEDIATION, RT_MASK_LINES_KEEP);
	if (text.ptr)
		RT_WRITE(s->r.writer, "solution: %s", rt_texts_cut(t, text, SOLUTION_POINTS));
	write_identifiers(s);
	write_location(s);
	if (!t->finding->open)
		write_flag(s);
	RT_WRITE(s->r.writer, "}");
}

/* --- The scan ---------------------------------------------------------------------------- */

/* A time without its zone; the present, where no issue says when the scan was: the schema wants
 * one. */
static struct rt_slice time_of(const struct rt_facts *facts, struct rt_slice time,
			       char present[RT_INSTANT_CHARS])
{
	if (!time.len && rt_instant_format(facts->at, present))
		time = rt_slice_make(present, RT_INSTANT_CHARS);
	return rt_slice_make(time.ptr, time.len ? time.len - 1 : 0);
}

static void write_scan(struct sast *s)
{
	static const char *const roles[] = {"analyzer", "scanner"};
	struct rt_writer *w = s->r.writer;
	char present[RT_INSTANT_CHARS];

	RT_WRITE(w, "scan: {");
	for (size_t i = 0; i < 2; i++) {
		RT_WRITE(w, "%k: {id: %s, name: %s, version: %s, vendor: {name: %s}}", roles[i],
			 "retriage", "retriage", RT_VERSION, "retriage");
	}
	RT_WRITE(w, "type: %s, status: %s, start_time: %s, end_time: %s}", "sast", "success",
		 time_of(s->r.facts, s->r.facts->scan_first, present),
		 time_of(s->r.facts, s->r.facts->scan_last, present));
}

/* --- The report -------------------------------------------------------------------------- */

static void sast_begin(void *state)
{
	RT_WRITE(((struct sast *)state)->r.writer, "{version: %s, schema: %s, vulnerabilities: [",
		 SCHEMA_VERSION, SCHEMA_ADDRESS);
}

static void sast_issue(void *state)
{
	struct sast *s = state;

	if (s->r.settings->hide_false_positives && !s->r.texts.finding->open)
		return;
	if (rt_reporting_has_path(&s->r))
		write_vulnerability(s);
}

static void sast_end(void *state)
{
	struct sast *s = state;

	RT_WRITE(s->r.writer, "]");
	write_scan(s);
	RT_WRITE(s->r.writer, "}");
}

const struct rt_report_kind rt_kind_gitlab_sast = {
    .name = "gitlab-sast",
    .json = true,
    .state_bytes = sizeof(struct sast),
    .begin = sast_begin,
    .issue = sast_issue,
    .end = sast_end,
};
