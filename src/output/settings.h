/*
 * What the options of a command say of its reports.
 */
#ifndef RT_OUTPUT_SETTINGS_H
#define RT_OUTPUT_SETTINGS_H

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
	bool compared;                            /* with a baseline */
	const struct rt_options *asked;           /* how the data set is read */
	const struct rt_gate_options *conditions; /* NULL: none */
	const char *history;                      /* NULL: none */
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

#endif
