/*
 * The form of a journal's lines: lines whose hash is right and whose form is not, each refused at
 * its member; lines with spellings that are allowed; and times.
 */
#include "base/error.h"
#include "journal_make.h"
#include "unit.h"

#define H64 "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* The parts of an entry, for rows that change one. */
#define SEQ "{\"seq\":1"
#define AT ",\"at\":\"2025-01-02T03:04:05Z\""
#define ACTOR ",\"actor\":null"
#define IDS "{\"issue_ids\":[\"a\",\"b\"]}"
#define REQUEST ",\"request\":" IDS
#define RESULT ",\"result\":{\"updated_count\":1,\"failed_count\":1,\"sha256\":\"" H64 "\"}"
#define PREV ",\"prev\":\"" H64 "\""
#define BEFORE SEQ AT ACTOR
#define AFTER RESULT PREV
#define ENTRY(request) BEFORE ",\"request\":" request AFTER
#define COUNTS(counts) BEFORE REQUEST ",\"result\":{" counts ",\"sha256\":\"" H64 "\"}" PREV

/* And of line 1. */
#define MAGIC "{\"retriage_journal\":1"
#define BASE ",\"base\":{\"name\":\"x\",\"sha256\":\"" H64 "\",\"issues\":7}"
#define CREATED ",\"created_at\":\"2025-01-02T03:04:05Z\""

struct row {
	const char *what;
	const char *body; /* what the hash is of */
	bool right;
};

static const struct row entries[] = {
    {"right", BEFORE REQUEST AFTER, true},
    {"an actor", SEQ AT ",\"actor\":\"jane\"" REQUEST AFTER, true},
    {"an empty actor", SEQ AT ",\"actor\":\"\"" REQUEST AFTER, true},
    {"an escaped actor", SEQ AT ",\"actor\":\"\\u006aane\\n\\ud83d\\ude00\"" REQUEST AFTER, false},
    {"raw UTF-8", SEQ AT ",\"actor\":\"\xF0\x9F\x98\x80\"" REQUEST AFTER, true},
    {"blanks in a string", ENTRY("{\"issue_ids\":[\"a b\",\" \\\\\",\"\\\" \"]}"), true},
    {"all members of a request",
     ENTRY("{\"issue_ids\":[\"a\",\"b\"],\"severity\":\"low\",\"false_positive\":true,"
	   "\"exploitable\":null,\"notes\":\"n\"}"),
     false},
    {"nothing", "", false},
    {"an empty object", "{", false},
    {"a blank before", " " BEFORE REQUEST AFTER, false},
    {"a byte order mark", "\xEF\xBB\xBF" BEFORE REQUEST AFTER, false},
    {"seq 0", "{\"seq\":0" AT ACTOR REQUEST AFTER, false},
    {"seq 2", "{\"seq\":2" AT ACTOR REQUEST AFTER, false},
    {"seq 01", "{\"seq\":01" AT ACTOR REQUEST AFTER, false},
    {"seq 1.0", "{\"seq\":1.0" AT ACTOR REQUEST AFTER, false},
    {"seq 1e0", "{\"seq\":1e0" AT ACTOR REQUEST AFTER, false},
    {"seq -1", "{\"seq\":-1" AT ACTOR REQUEST AFTER, false},
    {"seq as a string", "{\"seq\":\"1\"" AT ACTOR REQUEST AFTER, false},
    {"seq 2^64", "{\"seq\":18446744073709551616" AT ACTOR REQUEST AFTER, false},
    {"a blank after a colon", "{\"seq\": 1" AT ACTOR REQUEST AFTER, false},
    {"a blank after a comma", SEQ ", \"at\":\"2025-01-02T03:04:05Z\"" ACTOR REQUEST AFTER, false},
    {"seq escaped", "{\"s\\u0065q\":1" AT ACTOR REQUEST AFTER, false},
    {"at before seq", "{\"at\":\"2025-01-02T03:04:05Z\",\"seq\":1" ACTOR REQUEST AFTER, false},
    {"at null", SEQ ",\"at\":null" ACTOR REQUEST AFTER, false},
    {"at with a blank", SEQ ",\"at\":\"2025-01-02 03:04:05Z\"" ACTOR REQUEST AFTER, false},
    {"at with an offset", SEQ ",\"at\":\"2025-01-02T03:04:05+00\"" ACTOR REQUEST AFTER, false},
    {"at with a fraction", SEQ ",\"at\":\"2025-01-02T03:04:05.0Z\"" ACTOR REQUEST AFTER, false},
    {"at on a day that is none", SEQ ",\"at\":\"2025-02-29T03:04:05Z\"" ACTOR REQUEST AFTER, false},
    {"at a leap second", SEQ ",\"at\":\"2016-12-31T23:59:60Z\"" ACTOR REQUEST AFTER, false},
    {"at with more after", SEQ ",\"at\":\"2025-01-02T03:04:05Z \"" ACTOR REQUEST AFTER, false},
    {"cut in at", SEQ ",\"at\":\"2025-01", false},
    {"actor missing", SEQ AT REQUEST AFTER, false},
    {"actor a number", SEQ AT ",\"actor\":1" REQUEST AFTER, false},
    {"actor nul", SEQ AT ",\"actor\":nul" REQUEST AFTER, false},
    {"actor with a control byte", SEQ AT ",\"actor\":\"a\x01\"" REQUEST AFTER, false},
    {"actor with a tab", SEQ AT ",\"actor\":\"a\t\"" REQUEST AFTER, false},
    {"actor not UTF-8", SEQ AT ",\"actor\":\"\xFF\"" REQUEST AFTER, false},
    {"actor with half a pair", SEQ AT ",\"actor\":\"\\ud800\"" REQUEST AFTER, false},
    {"actor with a false escape", SEQ AT ",\"actor\":\"\\x\"" REQUEST AFTER, false},
    {"actor open", SEQ AT ",\"actor\":\"jane", false},
    {"actor open, backslash", SEQ AT ",\"actor\":\"jane\\", false},
    {"request missing", BEFORE AFTER, false},
    {"request null", ENTRY("null"), false},
    {"request an array", ENTRY("[]"), false},
    {"request open", BEFORE ",\"request\":{\"issue_ids\":[\"a\"]", false},
    {"request open at a comma", BEFORE ",\"request\":{\"issue_ids\":[\"a\"],", false},
    {"request broken", ENTRY("{\"issue_ids\":[\"a\",]}"), false},
    {"a blank in the request", ENTRY("{\"issue_ids\": [\"a\",\"b\"]}"), false},
    {"a blank at its end", ENTRY("{\"issue_ids\":[\"a\",\"b\"]\t}"), false},
    {"a blank after an escaped quote", ENTRY("{\"issue_ids\":[\"a\\\"\", \"b\"]}"), false},
    {"a blank after it", ENTRY(IDS " "), false},
    {"no ids", ENTRY("{\"issue_ids\":[]}"), false},
    {"a number among ids", ENTRY("{\"issue_ids\":[\"a\",1]}"), false},
    {"no severity", ENTRY("{\"issue_ids\":[\"a\",\"b\"],\"severity\":\"x\"}"), false},
    {"an unknown member", ENTRY("{\"issue_ids\":[\"a\",\"b\"],\"x\":1}"), false},
    {"result missing", BEFORE REQUEST PREV, false},
    {"an extra member", BEFORE REQUEST ",\"x\":1" AFTER, false},
    {"counts the other way", COUNTS("\"failed_count\":1,\"updated_count\":1"), false},
    {"a count as a string", COUNTS("\"updated_count\":\"1\",\"failed_count\":1"), false},
    {"a negative count", COUNTS("\"updated_count\":1,\"failed_count\":-1"), false},
    {"a count of 00", COUNTS("\"updated_count\":1,\"failed_count\":00"), false},
    {"more counted than ids", COUNTS("\"updated_count\":2,\"failed_count\":1"), false},
    {"nothing counted", COUNTS("\"updated_count\":0,\"failed_count\":0"), false},
    {"counts that wrap", COUNTS("\"updated_count\":18446744073709551615,\"failed_count\":2"),
     false},
    {"a digest in capitals",
     BEFORE REQUEST ",\"result\":{\"updated_count\":1,\"failed_count\":1,\"sha256\":\""
		    "00112233445566778899AABBCCDDEEFF00112233445566778899aabbccddeeff\"}" PREV,
     false},
    {"a digest of 63 digits",
     BEFORE REQUEST ",\"result\":{\"updated_count\":1,\"failed_count\":1,\"sha256\":\""
		    "0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}" PREV,
     false},
    {"a member more in the result", COUNTS("\"updated_count\":1,\"failed_count\":1,\"x\":1"),
     false},
    {"a member after the digest",
     BEFORE REQUEST ",\"result\":{\"updated_count\":1,\"failed_count\":1,\"sha256\":\"" H64
		    "\",\"x\":1}" PREV,
     false},
    {"another prev",
     BEFORE REQUEST RESULT ",\"prev\":\""
			   "10112233445566778899aabbccddeeff"
			   "00112233445566778899aabbccddeeff\"",
     false},
    {"prev before an entry 9",
     "{\"seq\":9,\"prev\":\""
     "10112233445566778899aabbccddeeff"
     "00112233445566778899aabbccddeeff\"",
     false},
    {"prev missing", BEFORE REQUEST RESULT, false},
    {"prev in capitals",
     BEFORE REQUEST RESULT ",\"prev\":\""
			   "00112233445566778899AABBCCDDEEFF"
			   "00112233445566778899aabbccddeeff\"",
     false},
    {"prev without its quote", BEFORE REQUEST RESULT ",\"prev\":\"" H64, false},
    {"prev with another quote", BEFORE REQUEST RESULT ",\"prev\":\"" H64 "'", false},
    {"prev twice", BEFORE REQUEST RESULT PREV PREV, false},
    {"a member after prev", BEFORE REQUEST RESULT PREV ",\"x\":1", false},
};

static const struct row headers[] = {
    {"right", MAGIC BASE CREATED, true},
    {"an empty name, no issues",
     MAGIC ",\"base\":{\"name\":\"\",\"sha256\":\"" H64 "\",\"issues\":0}" CREATED, true},
    {"an escaped name",
     MAGIC ",\"base\":{\"name\":\"\\\"\\u00e4\",\"sha256\":\"" H64 "\",\"issues\":0}" CREATED,
     false},
    {"nothing", "", false},
    {"an entry", BEFORE REQUEST AFTER, false},
    {"version 2", "{\"retriage_journal\":2" BASE ",\"options\":{}" CREATED, true},
    {"version 2 without options", "{\"retriage_journal\":2" BASE CREATED, false},
    {"options that are none", "{\"retriage_journal\":2" BASE ",\"options\":1" CREATED, false},
    {"blanks in options", "{\"retriage_journal\":2" BASE ",\"options\":{ }" CREATED, false},
    {"version 1 with options", MAGIC BASE ",\"options\":{}" CREATED, false},
    {"version 0", "{\"retriage_journal\":0" BASE CREATED, false},
    {"version 10", "{\"retriage_journal\":10" BASE CREATED, false},
    {"no base", MAGIC CREATED, false},
    {"name null", MAGIC ",\"base\":{\"name\":null,\"sha256\":\"" H64 "\",\"issues\":7}" CREATED,
     false},
    {"name not UTF-8",
     MAGIC ",\"base\":{\"name\":\"\xC0\x80\",\"sha256\":\"" H64 "\",\"issues\":7}" CREATED, false},
    {"no digest", MAGIC ",\"base\":{\"name\":\"x\",\"issues\":7}" CREATED, false},
    {"a short digest", MAGIC ",\"base\":{\"name\":\"x\",\"sha256\":\"00\",\"issues\":7}" CREATED,
     false},
    {"issues negative",
     MAGIC ",\"base\":{\"name\":\"x\",\"sha256\":\"" H64 "\",\"issues\":-7}" CREATED, false},
    {"a member more in base",
     MAGIC ",\"base\":{\"name\":\"x\",\"sha256\":\"" H64 "\",\"issues\":7,\"x\":1}" CREATED, false},
    {"no time", MAGIC BASE, false},
    {"a bare date", MAGIC BASE ",\"created_at\":\"2025-01-02\"", false},
};

static struct rt_journal_form *form_make(void)
{
	struct rt_journal_form *form = rt_scan_alloc(sizeof(*form));
	struct rt_limits limits;

	ck_assert_ptr_nonnull(form);
	rt_limits_init(&limits);
	rt_journal_form_init(form, &limits);
	return form;
}

static void form_free(struct rt_journal_form *form)
{
	rt_journal_form_release(form);
	free(form);
}

/* A line with the hash of its body, in a block that has nothing more to read than is promised. */
static char *line_make(struct rt_journal_form *form, const char *body, const char *after,
		       struct rt_slice *ret_line)
{
	char hex[RT_SHA256_HEX + 1] = "";
	uint8_t hash[RT_SHA256_BYTES];
	size_t cap = strlen(body) + strlen(after) + 128 + RT_PADDING;
	char *line = calloc(1, cap), *exact;

	ck_assert_ptr_nonnull(line);
	rt_sha256_of(rt_slice_make(body, strlen(body)), hash);
	rt_sha256_hex(hash, hex);
	ret_line->len = (size_t)snprintf(line, cap, "%s,\"hash\":\"%s\"}", body, hex);
	exact = calloc(1, ret_line->len + strlen(after) + RT_PADDING);
	ck_assert_ptr_nonnull(exact);
	memcpy(exact, line, ret_line->len);
	memcpy(exact + ret_line->len, after, strlen(after));
	free(line);
	form->text_end = exact + ret_line->len + strlen(after);
	ret_line->ptr = exact;
	return exact;
}

static void judge(const struct row *row, enum rt_status status, const struct rt_error *err)
{
	ck_assert_msg(status == (row->right ? RT_OK : RT_REJECT), "%s: %d: %s", row->what, status,
		      err->message);
	if (row->right)
		return;
	ck_assert_int_eq(err->code, RT_E_INPUT);
	ck_assert_uint_ge(err->column, 1);
}

/* What may stand after the line: nothing that has been read yet, or more lines. */
static const char *const behinds[] = {"\n", "\n" BEFORE REQUEST AFTER "}\n", "\n\"]}]}\n"};

START_TEST(entry_table)
{
	struct rt_journal_form *form = form_make();
	static struct rt_journal_entry entry;

	for (size_t i = 0; i < sizeof(behinds) / sizeof(behinds[0]); i++) {
		struct rt_journal_head head = {0};
		struct rt_error err = {0};
		struct rt_slice text;
		enum rt_status status;
		char *line;

		ck_assert(rt_sha256_parse(H64, head.hash));
		line = line_make(form, entries[_i].body, behinds[i], &text);
		status = rt_journal_form_read_entry(form, text, &head, &entry, &err);
		judge(&entries[_i], status, &err);
		ck_assert_uint_eq(head.seq, status == RT_OK ? 1 : 0);
		free(line);
	}
	form_free(form);
}
END_TEST

START_TEST(header_table)
{
	struct rt_journal_form *form = form_make();

	for (size_t i = 0; i < sizeof(behinds) / sizeof(behinds[0]); i++) {
		uint8_t hash[RT_SHA256_BYTES];
		struct rt_journal_base base;
		struct rt_error err = {0};
		struct rt_slice text;
		enum rt_status status;
		char *line;

		line = line_make(form, headers[_i].body, behinds[i], &text);
		status = rt_journal_form_read_header(form, text, &base, hash, &err);
		judge(&headers[_i], status, &err);
		free(line);
	}
	form_free(form);
}
END_TEST

/* What ends every line. */
static const struct {
	const char *what;
	const char *line;
	const char *message;
	const char *field;
} ends[] = {
    {"an empty line", "", "want ,\"hash\":\", have no more", "hash"},
    {"a short line", "{}", "want ,\"hash\":\", have {}", "hash"},
    {"no hash", BEFORE REQUEST AFTER "}", "want ,\"hash\":\", have ", "hash"},
    {"a hash of something else", BEFORE REQUEST AFTER ",\"hash\":\"" H64 "\"}",
     "the line was changed after it was written: its hash was 001122334455\xE2\x80\xA6 and is "
     "5c056c127156\xE2\x80\xA6",
     "hash"},
    {"a hash in capitals",
     "{,\"hash\":\"00112233445566778899AABBCCDDEEFF00112233445566778899aabbccddeeff\"}",
     "want 64 lower-case hex digits\"}, have 00112233", "hash"},
    {"a blank after", BEFORE REQUEST AFTER ",\"hash\":\"" H64 "\"} ", "want ,\"hash\":\", have ",
     "hash"},
    {"a carriage return", BEFORE REQUEST AFTER ",\"hash\":\"" H64 "\"}\r",
     "the line ends were changed to CR LF; ", ""},
    {"a conflict", "<<<<<<< HEAD", "a merge conflict of git: ", ""},
    {"its middle", "=======", "a merge conflict of git: ", ""},
    {"its end", ">>>>>>> theirs", "a merge conflict of git: ", ""},
    {"a second journal", RT_JOURNAL_MAGIC "2}", "another journal was appended here: ", ""},
    {"a bracket", BEFORE REQUEST AFTER ",\"hash\":\"" H64 "\"]",
     "want 64 lower-case hex digits\"}, have 00112233", "hash"},
};

START_TEST(end_table)
{
	struct rt_journal_form *form = form_make();
	size_t len = strlen(ends[_i].line);
	char *text = calloc(1, len + RT_PADDING);
	static struct rt_journal_entry entry;
	struct rt_journal_head head = {0};
	struct rt_error err = {0};
	enum rt_status status;

	ck_assert_ptr_nonnull(text);
	memcpy(text, ends[_i].line, len);
	form->text_end = text + len;
	status = rt_journal_form_read_entry(form, rt_slice_make(text, len), &head, &entry, &err);
	ck_assert_msg(status == RT_REJECT, "%s", ends[_i].what);
	ck_assert_str_eq(err.field, ends[_i].field);
	ck_assert_msg(strncmp(err.message, ends[_i].message, strlen(ends[_i].message)) == 0,
		      "%s: have %s", ends[_i].what, err.message);
	free(text);
	form_free(form);
}
END_TEST

/* Escapes come decoded, the actor as well as what is in the request. */
START_TEST(decoded)
{
	static const char body[] =
	    SEQ AT ",\"actor\":\"jane\\n\xF0\x9F\x98\x80\",\"request\":{\"issue_ids\":"
		   "[\"a\",\"b\"],\"notes\":\"\\t\"}" AFTER;
	struct rt_journal_form *form = form_make();
	static struct rt_journal_entry entry;
	struct rt_journal_head head = {0};
	struct rt_error err;
	struct rt_slice text;
	char *line;

	ck_assert(rt_sha256_parse(H64, head.hash));
	line = line_make(form, body, "\n", &text);
	ck_assert_int_eq(rt_journal_form_read_entry(form, text, &head, &entry, &err), RT_OK);
	ck_assert(rt_slice_equal(entry.actor, RT_SLICE("jane\n\xF0\x9F\x98\x80")));
	ck_assert(rt_slice_equal(entry.at, RT_SLICE(JOURNAL_TIME)));
	ck_assert_uint_eq(entry.request.id_count, 2);
	ck_assert(rt_slice_equal(entry.request.ids[0], RT_SLICE("a")));
	ck_assert(rt_slice_equal(entry.request.notes, RT_SLICE("\t")));
	ck_assert(rt_slice_equal(entry.line, text));
	free(line);
	form_free(form);
}
END_TEST

/* Where a decision was first made: both actors have escapes, and neither loses its text. */
START_TEST(carried)
{
	static const char origin[] =
	    "{\"base\":\"" H64 "\",\"seq\":0,\"at\":\"" JOURNAL_TIME "\",\"actor\":\"a\\tb\"}";
	struct rt_journal_form *form = form_make();
	static struct rt_journal_entry written, read;
	struct rt_journal_head head = {0}, before = {0};
	struct rt_buf out = {0};
	struct rt_error err;

	form->version = RT_JOURNAL_VERSION;
	written.at = RT_SLICE(JOURNAL_TIME);
	written.actor = RT_SLICE("c\nd");
	written.carried.text = rt_slice_make(origin, sizeof(origin) - 1);
	written.request.ids[0] = RT_SLICE("x");
	written.request.id_count = 1;
	written.request.severity = written.request.false_positive = written.request.exploitable =
	    RT_REQUEST_KEEP;
	written.updated_count = 1;
	ck_assert_int_eq(rt_journal_form_write_entry(form, &written, &out, &head, &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&out, (const char[RT_PADDING]){0}, RT_PADDING, &err), RT_OK);
	out.len -= RT_PADDING;
	form->text_end = out.data + out.len;
	ck_assert_int_eq(rt_journal_form_read_entry(form, rt_slice_make(out.data, out.len - 1),
						    &before, &read, &err),
			 RT_OK);
	ck_assert(rt_slice_equal(read.actor, written.actor));
	ck_assert(rt_slice_equal(read.carried.text, written.carried.text));
	ck_assert(rt_slice_equal(read.carried.actor, RT_SLICE("a\tb")));
	ck_assert(rt_slice_equal(read.carried.at, written.at));
	ck_assert_uint_eq(read.carried.seq, 0);
	rt_buf_release(&out);
	form_free(form);
}
END_TEST

static const struct {
	const char *text;
	bool right;
} times[] = {
    {"2025-01-02T03:04:05Z", true},
    {"0000-01-01T00:00:00Z", true},
    {"9999-12-31T23:59:59Z", true},
    {"2024-02-29T00:00:00Z", true},
    {"", false},
    {"2025-01-02", false},
    {"2025-01-02T03:04Z", false},
    {"2025-01-02T03:04:05", false},
    {"2025-01-02t03:04:05Z", false},
    {"2025-01-02T03:04:05z", false},
    {"2025-13-02T03:04:05Z", false},
    {"2025-01-02T24:00:00Z", false},
    {"2025-01-02T03:04:60Z", false},
    {"2025-02-29T03:04:05Z", false},
    {"+025-01-02T03:04:05Z", false},
    {"2025-01-02T03:04+0100", false},
};

START_TEST(time_table)
{
	struct rt_journal_form *form = form_make();
	static struct rt_journal_entry entry;
	struct rt_journal_head head = {0};
	enum rt_status status;
	struct rt_error err;
	struct rt_slice text;
	char body[512], *line;

	(void)snprintf(body, sizeof(body), SEQ ",\"at\":\"%s\"" ACTOR REQUEST AFTER,
		       times[_i].text);
	ck_assert(rt_sha256_parse(H64, head.hash));
	line = line_make(form, body, "\n", &text);
	status = rt_journal_form_read_entry(form, text, &head, &entry, &err);
	ck_assert_msg((status == RT_OK) == times[_i].right, "%s: %s", times[_i].text, err.message);
	if (status != RT_OK)
		ck_assert_ptr_nonnull(strstr(err.message, "want a time as YYYY-MM-DDTHH:MM:SSZ"));
	free(line);
	form_free(form);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("journal_form");
	TCase *tcase = tcase_create("journal_form");

	tcase_add_loop_test(tcase, entry_table, 0, sizeof(entries) / sizeof(entries[0]));
	tcase_add_loop_test(tcase, header_table, 0, sizeof(headers) / sizeof(headers[0]));
	tcase_add_loop_test(tcase, end_table, 0, sizeof(ends) / sizeof(ends[0]));
	tcase_add_test(tcase, decoded);
	tcase_add_test(tcase, carried);
	tcase_add_loop_test(tcase, time_table, 0, sizeof(times) / sizeof(times[0]));
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
