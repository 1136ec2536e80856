/*
 * Writes verification reports. Input: what a verification found. Output: writer events.
 * Refuses nothing; bytes of the input that are not UTF-8 become U+FFFD.
 */
#include "output/verify_report.h"

#include "output/report.h"

static const char *const check_names[] = {
    [RT_VERIFY_JOURNAL] = "journal", [RT_VERIFY_BASE] = "base",     [RT_VERIFY_RESULT] = "result",
    [RT_VERIFY_HEAD] = "head",       [RT_VERIFY_EXPECT] = "expect",
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
	write_fault(w, report);
	rt_writer_object_end(w);
}
