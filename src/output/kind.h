/*
 * The kinds of reports (REPORTS): html, md, csv, junit, codequality, github, gitlab-sast,
 * sarif, sonarqube, each behind one table of functions, so that one read makes any number of them.
 */
#ifndef RT_OUTPUT_KIND_H
#define RT_OUTPUT_KIND_H

#include "base/glob.h"
#include "engine/dataset.h"
#include "engine/facts.h"
#include "engine/field.h"
#include "engine/plan.h"
#include "engine/triage.h"
#include "output/emit.h"

/* What the options say of all outputs of a run; borrowed as long as they are made. */
struct rt_report_settings {
	struct rt_slice title;    /* of html and md; empty: none was given */
	const char *link;         /* https template with {path}, {line}, {repo}; NULL: none */
	struct rt_prefixes strip; /* for the command that a page names */
	uint64_t max_findings;    /* listed by html and junit */
	bool no_code;
	bool hide_false_positives;
	uint32_t sla[RT_LEVELS]; /* days, or RT_SLA_NONE */
	uint64_t md_bytes;       /* what the Markdown may have */
	bool csv_raw, csv_bom;
	const struct rt_columns *columns; /* of csv; NULL: all fields, in their order */
	struct rt_field_source source;    /* of those */
	bool show_secrets;
	bool compared; /* with a baseline */
	/* For kinds that read it again (rt_report_kind.again), from begin on. */
	const struct rt_options *options;
	struct rt_dataset *dataset;
	const struct rt_plan *plan; /* of the journal */
	bool for_github, keep_suppressed;
	struct rt_emit *losses;   /* for what sarif leaves out; NULL: nobody asks */
	struct rt_slice category; /* empty: none was given */
	bool others;              /* results of logs that are no issues are meant, too */
	struct rt_slice
	    csv_name; /* the CSV made in the same run, its last component; empty: none */
};

/* Whether a finding is one to be mended: it is open, or a condition counts it all the same. */
static inline bool rt_report_is_due(const struct rt_facts *facts, const struct rt_finding *finding)
{
	return finding->open || (facts->gate && rt_gate_conditions(facts->gate, finding) != 0);
}

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
	/* With triage: how many findings are wanted at most. NULL: settings->max_findings. */
	uint64_t (*wanted)(const struct rt_report_settings *settings);
	/* Bytes of the state that all of the functions below are given, zeros at first. */
	size_t state_bytes;
	/* Errors of out are kept by it. */
	enum rt_status (*begin)(void *state, const struct rt_report_settings *settings,
				const struct rt_facts *facts, struct rt_emit *out,
				struct rt_error *err);
	enum rt_status (*issue)(void *state, const struct rt_finding *finding,
				struct rt_error *err);
	/* All issues of settings->dataset have been read. There may be another data set after it,
	 * of which those that are gone are issues of class RT_CLASS_GONE. NULL: that does not
	 * matter.
	 */
	enum rt_status (*read)(void *state, struct rt_error *err);
	/* An issue is left out, which the data set has just delivered. NULL: that does not matter.
	 */
	enum rt_status (*left_out)(void *state, struct rt_error *err);
	/* The last one. notice: empty; text for people, without a newline, such as how many were
	 * left out, may be put there: at most cap bytes with the NUL. */
	enum rt_status (*end)(void *state, char *notice, size_t cap, struct rt_error *err);
	/* After begin, whatever that has returned: let go of what the state holds. */
	void (*release)(void *state);
};

/* What the kind sarif leaves out, which that writes: a file and no kind of --to. */
extern const struct rt_report_kind rt_kind_losses;

extern const struct rt_report_kind rt_kind_html, rt_kind_md, rt_kind_csv, rt_kind_junit,
    rt_kind_codequality, rt_kind_github, rt_kind_gitlab_sast, rt_kind_sarif, rt_kind_sonarqube;

/* All kinds; ends with NULL. */
extern const struct rt_report_kind *const rt_report_kinds[];

/* The kind called name; NULL where there is none. */
const struct rt_report_kind *rt_report_kind_find(struct rt_slice name);

#endif
