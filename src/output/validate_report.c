/*
 * Writes the reports of a validation and of a verification. Bytes of the input that are not UTF-8
 * become U+FFFD, so that they are documents.
 */
#include "output/validate_report.h"

#include <inttypes.h>
#include <stdio.h>

static const char *code_name(enum rt_code code)
{
	switch (code) {
	case RT_E_USAGE:
		return "usage";
	case RT_E_LIMIT:
		return "limit";
	case RT_E_IO:
		return "io";
	case RT_E_NOMEM:
		return "nomem";
	default:
		return "input";
	}
}

/* Where a fault is, and what it is. */
static void write_place(struct rt_writer *w, const struct rt_error *fault)
{
	RT_WRITE(w, "path: %e, member: %e, line: %z, column: %z, record: %e, field: %e,",
		 fault->path, fault->member, fault->line, fault->column, fault->record,
		 fault->field);
	RT_WRITE(w, "code: %s, message: %e", code_name(fault->code), fault->message);
}

static void write_unread(struct rt_writer *w, const struct rt_unread *unread)
{
	struct rt_error entry;
	size_t at = 0;

	RT_WRITE(w, "not_read_count: %u, not_read: [", unread->count);
	while (rt_faults_next(&unread->list, &at, &entry))
		RT_WRITE(w, "{path: %e, member: %e, reason: %s}", entry.path, entry.member,
			 rt_unread_words[entry.line].word);
	RT_WRITE(w, "]");
}

static void write_warnings(struct rt_writer *w, const struct rt_faults *warnings)
{
	struct rt_error warning;
	size_t at = 0;

	RT_WRITE(w, "warning_count: %u, warnings: [", warnings ? warnings->count : 0);
	while (warnings && rt_faults_next(warnings, &at, &warning))
		RT_WRITE(w, "{path: %e, member: %e, record: %e, message: %e}", warning.path,
			 warning.member, warning.record, warning.message);
	RT_WRITE(w, "]");
}

void rt_report_write(struct rt_writer *w, struct rt_report_counts counts,
		     const struct rt_faults *faults, const struct rt_faults *warnings,
		     const struct rt_unread *unread)
{
	struct rt_error fault;
	size_t at = 0;

	RT_WRITE(
	    w, "{valid: %b, issues: %u, rulesets: %u, requests: %u, fault_count: %u, faults: [",
	    faults->count == 0, counts.issues, counts.rulesets, counts.requests, faults->count);
	while (rt_faults_next(faults, &at, &fault)) {
		RT_WRITE(w, "{");
		write_place(w, &fault);
		RT_WRITE(w, "}");
	}
	RT_WRITE(w, "]");
	write_warnings(w, warnings);
	write_unread(w, unread);
	RT_WRITE(w, "}");
}

/* --- The report of a verification ------------------------------------------------------------ */

static const char *const check_names[] = {
    [RT_VERIFY_JOURNAL] = "journal",   [RT_VERIFY_BASE] = "base",
    [RT_VERIFY_RESULT] = "result",     [RT_VERIFY_HEAD] = "head",
    [RT_VERIFY_REQUESTS] = "requests", [RT_VERIFY_EXPECT] = "expect",
};

static const char *const remark_names[] = {
    [RT_REMARK_EQUAL] = "equal_request", [RT_REMARK_BACK] = "time_back",
    [RT_REMARK_FUTURE] = "time_future",  [RT_REMARK_TORN] = "torn_tail",
    [RT_REMARK_UNENDED] = "no_line_end",
};

static void write_base(struct rt_writer *w, const struct rt_journal_base *base)
{
	if (base)
		RT_WRITE(w, "base: {name: %s, sha256: %h, issues: %u},", base->name,
			 rt_slot_digest(base->sha256), base->issues);
	else
		RT_WRITE(w, "base: null,");
}

static void write_head(struct rt_writer *w, const struct rt_verify_report *report)
{
	if (report->base)
		RT_WRITE(w, "head: {seq: %u, hash: %h},", report->head.seq,
			 rt_slot_digest(report->head.hash));
	else
		RT_WRITE(w, "head: null,");
}

static void write_remarks(struct rt_writer *w, const struct rt_remarks *remarks)
{
	const struct rt_remark *listed = (const void *)remarks->listed.data;
	char text[160];

	RT_WRITE(w, "remark_count: %u, remarks: [", remarks->count);
	for (size_t i = 0; i < remarks->listed.len / sizeof(*listed); i++) {
		rt_remark_text(&listed[i], text, sizeof(text));
		RT_WRITE(w, "{remark: %s, entry: %z, message: %e}", remark_names[listed[i].kind],
			 listed[i].entry, text);
	}
	RT_WRITE(w, "]");
}

static void write_differences(struct rt_writer *w, const struct rt_verify_report *report)
{
	const struct rt_verify_counts *issues = &report->differences[RT_KIND_ISSUE],
				      *rulesets = &report->differences[RT_KIND_RULESET];

	if (!report->compared) {
		RT_WRITE(w, "differences: null,");
		return;
	}
	RT_WRITE(w, "differences: {issues: {different: %u, missing: %u, extra: %u},",
		 issues->different, issues->missing, issues->extra);
	RT_WRITE(w, "rulesets: {different: %u, missing: %u, extra: %u}},", rulesets->different,
		 rulesets->missing, rulesets->extra);
}

static void write_fault(struct rt_writer *w, const struct rt_verify_report *report)
{
	if (report->valid) {
		RT_WRITE(w, "fault: null");
		return;
	}
	RT_WRITE(w, "fault: {check: %s, entry: %z,", check_names[report->check], report->entry);
	write_place(w, report->fault);
	RT_WRITE(w, "}");
}

void rt_verify_report_write(struct rt_writer *w, const struct rt_verify_report *report)
{
	RT_WRITE(w, "{valid: %b,", report->valid);
	write_base(w, report->base);
	RT_WRITE(w, "entries: %u,", report->entries);
	write_head(w, report);
	RT_WRITE(w, "torn_bytes: %u,", report->torn_bytes);
	write_remarks(w, &report->remarks);
	write_differences(w, report);
	write_fault(w, report);
	RT_WRITE(w, "}");
}

void rt_verify_report_line(const struct rt_verify_report *report, char *text, size_t cap)
{
	uint64_t remarks = report->remarks.count;
	char fault[RT_ERROR_LINE_MAX], hash[RT_SHA256_SHORT], more[48] = "";

	if (!report->valid) {
		(void)snprintf(text, cap, "not valid: %s",
			       rt_error_format(report->fault, fault, sizeof(fault)));
		return;
	}
	if (remarks)
		(void)snprintf(more, sizeof(more), ", %" PRIu64 " remark%s", remarks,
			       RT_S(remarks));
	rt_sha256_short(report->head.hash, hash);
	(void)snprintf(text, cap,
		       "valid: %" PRIu64 " entr%s, %" PRIu64 " issue%s, head %" PRIu64 ":%s%s",
		       report->entries, report->entries == 1 ? "y" : "ies", report->base->issues,
		       RT_S(report->base->issues), report->head.seq, hash, more);
}
