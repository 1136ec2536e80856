/*
 * Writes validation reports. Input: counts and faults. Output: writer events.
 * Bytes of the input that are not UTF-8 become U+FFFD, so that the report is a document.
 */
#include "output/validate_report.h"

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
	rt_writer_key(w, name);
	rt_writer_string(w, rt_slice_make(hex, sizeof(hex)));
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
	static const char *const reasons[RT_UNREAD_REASONS] = {
	    [RT_UNREAD_NAME] = "name",
	    [RT_UNREAD_SYMLINK] = "symbolic_link",
	    [RT_UNREAD_HARDLINK] = "hard_link",
	    [RT_UNREAD_SPECIAL] = "special_file",
	    [RT_UNREAD_DIRECTORY] = "empty_directory",
	    [RT_UNREAD_ARCHIVE] = "archive",
	    [RT_UNREAD_METADATA] = "macos_metadata",
	};
	struct rt_unread_entry entry;
	size_t at = 0;

	rt_writer_key(w, RT_SLICE("not_read_count"));
	rt_writer_uint(w, unread->count);
	rt_writer_key(w, RT_SLICE("not_read"));
	rt_writer_array_begin(w);
	while (rt_unread_next(unread, &at, &entry)) {
		rt_writer_object_begin(w);
		rt_report_text(w, RT_SLICE("path"), entry.path);
		rt_report_text(w, RT_SLICE("member"), entry.member);
		rt_report_text(w, RT_SLICE("reason"), reasons[entry.reason]);
		rt_writer_object_end(w);
	}
	rt_writer_array_end(w);
}

static void write_warnings(struct rt_writer *w, const struct rt_faults *warnings)
{
	struct rt_error warning;
	size_t at = 0;

	rt_writer_key(w, RT_SLICE("warning_count"));
	rt_writer_uint(w, warnings ? warnings->count : 0);
	rt_writer_key(w, RT_SLICE("warnings"));
	rt_writer_array_begin(w);
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
	rt_writer_key(w, RT_SLICE("issues"));
	rt_writer_uint(w, counts.issues);
	rt_writer_key(w, RT_SLICE("rulesets"));
	rt_writer_uint(w, counts.rulesets);
	rt_writer_key(w, RT_SLICE("requests"));
	rt_writer_uint(w, counts.requests);
	rt_writer_key(w, RT_SLICE("fault_count"));
	rt_writer_uint(w, faults->count);
	rt_writer_key(w, RT_SLICE("faults"));
	rt_writer_array_begin(w);
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
