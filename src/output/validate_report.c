/*
 * Writes the report of a validation. Bytes of the input that are not UTF-8 become U+FFFD, so that
 * it is a document.
 */
#include "output/validate_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"

/* Replace what is not UTF-8. out: room for 3 bytes for each of text and a NUL. */
static void mend(const char *text, char *out)
{
	size_t left = strlen(text);

	while (left) {
		size_t len = rt_utf8_length(text, left);

		if (len) {
			memcpy(out, text, len);
			out += len;
		} else {
			out += rt_utf8_encode(0xFFFD, out);
			len = 1;
		}
		text += len;
		left -= len;
	}
	*out = '\0';
}

void rt_report_text(struct rt_writer *w, struct rt_slice name, const char *text)
{
	char mended[3 * sizeof(((struct rt_error *)0)->path) + 1];

	rt_writer_key(w, name);
	mend(text, mended);
	if (mended[0])
		rt_writer_string(w, rt_slice_make(mended, strlen(mended)));
	else
		rt_writer_null(w);
}

void rt_report_number(struct rt_writer *w, struct rt_slice name, uint64_t number)
{
	rt_writer_key(w, name);
	if (number)
		rt_writer_uint(w, number);
	else
		rt_writer_null(w);
}

void rt_report_digest(struct rt_writer *w, struct rt_slice name,
		      const uint8_t digest[RT_SHA256_BYTES])
{
	char hex[RT_SHA256_HEX];

	rt_sha256_hex(digest, hex);
	rt_writer_text_field(w, name, rt_slice_make(hex, sizeof(hex)));
}

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

void rt_report_place(struct rt_writer *w, const struct rt_error *fault)
{
	rt_report_text(w, RT_SLICE("path"), fault->path);
	rt_report_text(w, RT_SLICE("member"), fault->member);
	rt_report_number(w, RT_SLICE("line"), fault->line);
	rt_report_number(w, RT_SLICE("column"), fault->column);
	rt_report_text(w, RT_SLICE("record"), fault->record);
	rt_report_text(w, RT_SLICE("field"), fault->field);
	rt_report_text(w, RT_SLICE("code"), code_name(fault->code));
	rt_report_text(w, RT_SLICE("message"), fault->message);
}

static void write_unread(struct rt_writer *w, const struct rt_unread *unread)
{
	struct rt_error entry;
	size_t at = 0;

	rt_writer_uint_field(w, RT_SLICE("not_read_count"), unread->count);
	rt_writer_array_field(w, RT_SLICE("not_read"));
	while (rt_faults_next(&unread->list, &at, &entry)) {
		rt_writer_object_begin(w);
		rt_report_text(w, RT_SLICE("path"), entry.path);
		rt_report_text(w, RT_SLICE("member"), entry.member);
		rt_report_text(w, RT_SLICE("reason"), rt_unread_words[entry.line].word);
		rt_writer_object_end(w);
	}
	rt_writer_array_end(w);
}

static void write_warnings(struct rt_writer *w, const struct rt_faults *warnings)
{
	struct rt_error warning;
	size_t at = 0;

	rt_writer_uint_field(w, RT_SLICE("warning_count"), warnings ? warnings->count : 0);
	rt_writer_array_field(w, RT_SLICE("warnings"));
	while (warnings && rt_faults_next(warnings, &at, &warning)) {
		rt_writer_object_begin(w);
		rt_report_text(w, RT_SLICE("path"), warning.path);
		rt_report_text(w, RT_SLICE("member"), warning.member);
		rt_report_text(w, RT_SLICE("record"), warning.record);
		rt_report_text(w, RT_SLICE("message"), warning.message);
		rt_writer_object_end(w);
	}
	rt_writer_array_end(w);
}

void rt_report_write(struct rt_writer *w, struct rt_report_counts counts,
		     const struct rt_faults *faults, const struct rt_faults *warnings,
		     const struct rt_unread *unread)
{
	struct rt_error fault;
	size_t at = 0;

	rt_writer_object_begin(w);
	rt_writer_key(w, RT_SLICE("valid"));
	rt_writer_bool(w, faults->count == 0);
	rt_writer_uint_field(w, RT_SLICE("issues"), counts.issues);
	rt_writer_uint_field(w, RT_SLICE("rulesets"), counts.rulesets);
	rt_writer_uint_field(w, RT_SLICE("requests"), counts.requests);
	rt_writer_uint_field(w, RT_SLICE("fault_count"), faults->count);
	rt_writer_array_field(w, RT_SLICE("faults"));
	while (rt_faults_next(faults, &at, &fault)) {
		rt_writer_object_begin(w);
		rt_report_place(w, &fault);
		rt_writer_object_end(w);
	}
	rt_writer_array_end(w);
	write_warnings(w, warnings);
	write_unread(w, unread);
	rt_writer_object_end(w);
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
	rt_writer_key(w, RT_SLICE("base"));
	if (!base) {
		rt_writer_null(w);
		return;
	}
	rt_writer_object_begin(w);
	rt_writer_text_field(w, RT_SLICE("name"), base->name);
	rt_report_digest(w, RT_SLICE("sha256"), base->sha256);
	rt_writer_uint_field(w, RT_SLICE("issues"), base->issues);
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
	rt_writer_uint_field(w, RT_SLICE("seq"), report->head.seq);
	rt_report_digest(w, RT_SLICE("hash"), report->head.hash);
	rt_writer_object_end(w);
}

static void write_remarks(struct rt_writer *w, const struct rt_remarks *remarks)
{
	const struct rt_remark *listed = (const void *)remarks->listed.data;
	char text[160];

	rt_writer_uint_field(w, RT_SLICE("remark_count"), remarks->count);
	rt_writer_array_field(w, RT_SLICE("remarks"));
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
	rt_writer_object_field(w, name);
	rt_writer_uint_field(w, RT_SLICE("different"), counts->different);
	rt_writer_uint_field(w, RT_SLICE("missing"), counts->missing);
	rt_writer_uint_field(w, RT_SLICE("extra"), counts->extra);
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
	rt_writer_uint_field(w, RT_SLICE("entries"), report->entries);
	write_head(w, report);
	rt_writer_uint_field(w, RT_SLICE("torn_bytes"), report->torn_bytes);
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
