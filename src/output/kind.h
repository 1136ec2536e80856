/*
 * The kinds of reports (REPORTS): html, md, csv, junit, codequality, github, gitlab-sast,
 * sarif, sonarqube, each behind one table of functions, so that one read makes any number of them.
 */
#ifndef RT_OUTPUT_KIND_H
#define RT_OUTPUT_KIND_H

#include "engine/ids.h"
#include "output/texts.h"
#include "output/writer.h"

/* Whether a finding is one to be mended: it is open, or a condition counts it all the same. */
static inline bool rt_report_is_due(const struct rt_facts *facts, const struct rt_finding *finding)
{
	return finding->open || (facts->gate && rt_gate_conditions(facts->gate, finding) != 0);
}

/* A report in the making; the first member of the state of its kind. */
struct rt_reporting {
	const struct rt_report_kind *kind;
	const struct rt_report_settings *settings;
	const struct rt_facts *facts;
	struct rt_emit *out;      /* which keeps its errors */
	struct rt_texts texts;    /* of the finding in hand; the report's faults stick there, too */
	struct rt_writer *writer; /* to out; of kinds that are JSON documents */
	struct rt_ordinals ordinals; /* of kinds that ask for them */
	uint64_t no_path;            /* findings without a path, which are left out */
	uint64_t absolute;           /* findings whose path is of a machine, not of a repository */
	char notice[512];            /* text for people, without a newline; empty: none */
};

struct rt_report_kind {
	const char *name; /* of --to */
	/*
	 * Order of `issue`: with triage, after everything was read, worst first, and facts are
	 * complete from begin on. Without, while it is read, in input order; facts are complete in
	 * end alone, but filter and gate.
	 */
	bool triage;
	bool again;  /* the data set has to be read again */
	bool inputs; /* it shows the digests of facts->inputs, which cost as much as reading */
	bool open;   /* dismissed findings are in it only where a gate counts them */
	bool json;   /* it is a JSON document, pretty, which has a writer */
	bool ordinals;
	/* With triage: how many findings are wanted at most. NULL: settings->max_findings. */
	uint64_t (*wanted)(const struct rt_report_settings *settings);
	/* Bytes of the state that all of the functions below are given: a struct rt_reporting, and
	 * behind it zeros at first. Those that have nothing to do are NULL. Faults stick in the
	 * texts; after one nothing but release is called. */
	size_t state_bytes;
	void (*begin)(void *state);
	/* The finding of the texts is one of the report's. */
	void (*issue)(void *state);
	/* All issues of settings->dataset have been read. There may be another data set after it,
	 * of which those that are gone are issues of class RT_CLASS_GONE. */
	void (*read)(void *state);
	/* An issue is left out, which the data set has just delivered. */
	void (*left_out)(void *state);
	/* The last one, but for the end of the writer. */
	void (*end)(void *state);
	/* Let go of what the state holds, but for what is in struct rt_reporting. */
	void (*release)(void *state);
};

/*
 * Begin a report. All that is given is borrowed as long as it is made. facts: may be NULL for csv.
 * *ret_reporting: also after an error, to be freed. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_reporting_new(const struct rt_report_kind *kind,
				const struct rt_report_settings *settings,
				const struct rt_facts *facts, struct rt_emit *out,
				struct rt_reporting **ret_reporting, struct rt_error *err);

/* Take a step of the kind, which may be NULL; so may a report that has not begun. Returns RT_OK or
 * RT_FATAL. */
enum rt_status rt_reporting_step(struct rt_reporting *reporting, void (*step)(void *state),
				 struct rt_error *err);

/* Add a finding. Returns RT_OK or RT_FATAL. */
enum rt_status rt_reporting_issue(struct rt_reporting *reporting, const struct rt_finding *finding,
				  struct rt_error *err);

/* There are no more; options: whose user is told of what is left out. Returns RT_OK or RT_FATAL. */
enum rt_status rt_reporting_end(struct rt_reporting *reporting, const struct rt_options *options,
				struct rt_error *err);

/* Whether the finding has a path; counts those that have none, or one that no repository has. */
bool rt_reporting_has_path(struct rt_reporting *reporting);

/* Which one a text is of those that are equal to it, from 1 on; of kinds that ask for ordinals. */
uint32_t rt_reporting_ordinal(struct rt_reporting *reporting, struct rt_slice text);

/* NULL is allowed. */
void rt_reporting_free(struct rt_reporting *reporting);

/* What the kind sarif leaves out, which that writes: a file and no kind of --to. */
extern const struct rt_report_kind rt_kind_losses;

/* Lines of JSON, which are forms of list and diff. */
extern const struct rt_report_kind rt_kind_findings;

extern const struct rt_report_kind rt_kind_html, rt_kind_md, rt_kind_csv, rt_kind_junit,
    rt_kind_codequality, rt_kind_github, rt_kind_gitlab_sast, rt_kind_sarif, rt_kind_sonarqube;

/* All kinds; ends with NULL. */
extern const struct rt_report_kind *const rt_report_kinds[];

/* The kind called name; NULL where there is none. */
const struct rt_report_kind *rt_report_kind_find(struct rt_slice name);

#endif
