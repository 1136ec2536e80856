/*
 * Writes verification reports. Input: what a verification found. Output: writer events.
 * Bytes of the input that are not UTF-8 become U+FFFD.
 */
#include "output/verify_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "output/validate_report.h"

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
	rt_writer_key(w, RT_SLICE("base"));
	if (!base) {
		rt_writer_null(w);
		return;
	}
	rt_writer_object_begin(w);
	rt_writer_key(w, RT_SLICE("name"));
	rt_writer_string(w, base->name);
	rt_report_digest(w, RT_SLICE("sha256"), base->sha256);
	rt_writer_key(w, RT_SLICE("issues"));
	rt_writer_uint(w, base->issues);
	rt_writer_object_end(w);
}

static void write_head(struct rt_writer *w, const struct rt_verify_report *report)
{
	rt_writer_key(w, RT_SLICE("head"));
	if (!report->base) {
		rt_writer_null(w);
		return;
	}
	rt_writer_object_begin(w);
	rt_writer_key(w, RT_SLICE("seq"));
	rt_writer_uint(w, report->head.seq);
	rt_report_digest(w, RT_SLICE("hash"), report->head.hash);
	rt_writer_object_end(w);
}

static void write_remarks(struct rt_writer *w, const struct rt_remarks *remarks)
{
	const struct rt_remark *listed = (const void *)remarks->listed.data;
	char text[160];

	rt_writer_key(w, RT_SLICE("remark_count"));
	rt_writer_uint(w, remarks->count);
	rt_writer_key(w, RT_SLICE("remarks"));
	rt_writer_array_begin(w);
	for (size_t i = 0; i < remarks->listed.len / sizeof(*listed); i++) {
		rt_remark_text(&listed[i], text, sizeof(text));
		rt_writer_object_begin(w);
		rt_report_text(w, RT_SLICE("remark"), remark_names[listed[i].kind]);
		rt_report_number(w, RT_SLICE("entry"), listed[i].entry);
		rt_report_text(w, RT_SLICE("message"), text);
		rt_writer_object_end(w);
	}
	rt_writer_array_end(w);
}

static void write_counts(struct rt_writer *w, struct rt_slice name,
			 const struct rt_verify_counts *counts)
{
	rt_writer_key(w, name);
	rt_writer_object_begin(w);
	rt_writer_key(w, RT_SLICE("different"));
	rt_writer_uint(w, counts->different);
	rt_writer_key(w, RT_SLICE("missing"));
	rt_writer_uint(w, counts->missing);
	rt_writer_key(w, RT_SLICE("extra"));
	rt_writer_uint(w, counts->extra);
	rt_writer_object_end(w);
}

static void write_differences(struct rt_writer *w, const struct rt_verify_report *report)
{
	rt_writer_key(w, RT_SLICE("differences"));
	if (!report->compared) {
		rt_writer_null(w);
		return;
	}
	rt_writer_object_begin(w);
	write_counts(w, RT_SLICE("issues"), &report->differences[RT_KIND_ISSUE]);
	write_counts(w, RT_SLICE("rulesets"), &report->differences[RT_KIND_RULESET]);
	rt_writer_object_end(w);
}

static void write_fault(struct rt_writer *w, const struct rt_verify_report *report)
{
	rt_writer_key(w, RT_SLICE("fault"));
	if (report->valid) {
		rt_writer_null(w);
		return;
	}
	rt_writer_object_begin(w);
	rt_report_text(w, RT_SLICE("check"), check_names[report->check]);
	rt_report_number(w, RT_SLICE("entry"), report->entry);
	rt_report_place(w, report->fault);
	rt_writer_object_end(w);
}

void rt_verify_report_write(struct rt_writer *w, const struct rt_verify_report *report)
{
	rt_writer_object_begin(w);
	rt_writer_key(w, RT_SLICE("valid"));
	rt_writer_bool(w, report->valid);
	write_base(w, report->base);
	rt_writer_key(w, RT_SLICE("entries"));
	rt_writer_uint(w, report->entries);
	write_head(w, report);
	rt_writer_key(w, RT_SLICE("torn_bytes"));
	rt_writer_uint(w, report->torn_bytes);
	write_remarks(w, &report->remarks);
	write_differences(w, report);
	write_fault(w, report);
	rt_writer_object_end(w);
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
