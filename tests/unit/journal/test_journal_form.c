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
	const char *body;    /* what the hash is of */
	const char *field;   /* NULL: the line is right */
	const char *message; /* its beginning */
};

static const struct row entries[] = {
    {"right", BEFORE REQUEST AFTER, NULL, NULL},
    {"an actor", SEQ AT ",\"actor\":\"jane\"" REQUEST AFTER, NULL, NULL},
    {"an empty actor", SEQ AT ",\"actor\":\"\"" REQUEST AFTER, NULL, NULL},
    {"an escaped actor", SEQ AT ",\"actor\":\"\\u006aane\\n\\ud83d\\ude00\"" REQUEST AFTER, NULL,
     NULL},
    {"raw UTF-8", SEQ AT ",\"actor\":\"\xF0\x9F\x98\x80\"" REQUEST AFTER, NULL, NULL},
    {"blanks in a string", ENTRY("{\"issue_ids\":[\"a b\",\" \\\\\",\"\\\" \"]}"), NULL, NULL},
    {"all members of a request",
     ENTRY("{\"issue_ids\":[\"a\",\"b\"],\"severity\":\"low\",\"false_positive\":true,"
	   "\"exploitable\":null,\"notes\":\"n\"}"),
     NULL, NULL},

    {"nothing", "", "seq", "want {\"seq\":, have no more"},
    {"an empty object", "{", "seq", "want {\"seq\":, have {"},
    {"a blank before", " " BEFORE REQUEST AFTER, "seq", "want {\"seq\":, have  {\"seq\""},
    {"a byte order mark", "\xEF\xBB\xBF" BEFORE REQUEST AFTER, "seq", "want {\"seq\":"},
    {"seq 0", "{\"seq\":0" AT ACTOR REQUEST AFTER, "seq", "want 1, have 0"},
    {"seq 2", "{\"seq\":2" AT ACTOR REQUEST AFTER, "seq", "want 1, have 2"},
    {"seq 01", "{\"seq\":01" AT ACTOR REQUEST AFTER, "seq",
     "want a number below 2^64 without leading zeros, have 01"},
    {"seq 1.0", "{\"seq\":1.0" AT ACTOR REQUEST AFTER, "at", "want ,\"at\":\", have .0,"},
    {"seq 1e0", "{\"seq\":1e0" AT ACTOR REQUEST AFTER, "at", "want ,\"at\":\", have e0,"},
    {"seq -1", "{\"seq\":-1" AT ACTOR REQUEST AFTER, "seq", "want a number, have "},
    {"seq as a string", "{\"seq\":\"1\"" AT ACTOR REQUEST AFTER, "seq", "want a number, have "},
    {"seq 2^64", "{\"seq\":18446744073709551616" AT ACTOR REQUEST AFTER, "seq",
     "want a number below 2^64 without leading zeros, have 184467440737"},
    {"a blank after a colon", "{\"seq\": 1" AT ACTOR REQUEST AFTER, "seq", "want a number"},
    {"a blank after a comma", SEQ ", \"at\":\"2025-01-02T03:04:05Z\"" ACTOR REQUEST AFTER, "at",
     "want ,\"at\":\", have , \"at"},
    {"seq escaped", "{\"s\\u0065q\":1" AT ACTOR REQUEST AFTER, "seq", "want {\"seq\":"},
    {"at before seq", "{\"at\":\"2025-01-02T03:04:05Z\",\"seq\":1" ACTOR REQUEST AFTER, "seq",
     "want {\"seq\":"},

    {"at null", SEQ ",\"at\":null" ACTOR REQUEST AFTER, "at", "want ,\"at\":\", have ,\"at\":nu"},
    {"at with a blank", SEQ ",\"at\":\"2025-01-02 03:04:05Z\"" ACTOR REQUEST AFTER, "at",
     "want a time as YYYY-MM-DDTHH:MM:SSZ, have 2025-01-02 03:04:05Z"},
    {"at with an offset", SEQ ",\"at\":\"2025-01-02T03:04:05+00\"" ACTOR REQUEST AFTER, "at",
     "want a time as YYYY-MM-DDTHH:MM:SSZ, have 2025-01-02T03:04:05+"},
    {"at with a fraction", SEQ ",\"at\":\"2025-01-02T03:04:05.0Z\"" ACTOR REQUEST AFTER, "at",
     "want a time"},
    {"at on a day that is none", SEQ ",\"at\":\"2025-02-29T03:04:05Z\"" ACTOR REQUEST AFTER, "at",
     "want a time"},
    {"at a leap second", SEQ ",\"at\":\"2016-12-31T23:59:60Z\"" ACTOR REQUEST AFTER, "at",
     "want a time"},
    {"at with more after", SEQ ",\"at\":\"2025-01-02T03:04:05Z \"" ACTOR REQUEST AFTER, "actor",
     "want \",\"actor\":, have  \",\"actor\""},
    {"cut in at", SEQ ",\"at\":\"2025-01", "at", "want a time as YYYY-MM-DDTHH:MM:SSZ, have 2025-"},

    {"actor missing", SEQ AT REQUEST AFTER, "actor", "want \",\"actor\":, have \",\"request"},
    {"actor a number", SEQ AT ",\"actor\":1" REQUEST AFTER, "actor",
     "want a string, have something else"},
    {"actor nul", SEQ AT ",\"actor\":nul" REQUEST AFTER, "actor", "want null, have nul,"},
    {"actor with a control byte", SEQ AT ",\"actor\":\"a\x01\"" REQUEST AFTER, "actor",
     "want no control byte in a string, have "},
    {"actor with a tab", SEQ AT ",\"actor\":\"a\t\"" REQUEST AFTER, "actor",
     "want no control byte in a string, have "},
    {"actor not UTF-8", SEQ AT ",\"actor\":\"\xFF\"" REQUEST AFTER, "actor", "want UTF-8, have "},
    {"actor with half a pair", SEQ AT ",\"actor\":\"\\ud800\"" REQUEST AFTER, "actor",
     "want a low surrogate after the high one, have "},
    {"actor with a false escape", SEQ AT ",\"actor\":\"\\x\"" REQUEST AFTER, "actor",
     "want one of \"\\/bfnrtu after a backslash, have "},
    {"actor open", SEQ AT ",\"actor\":\"jane", "actor", "want a string, have the line's end in it"},
    {"actor open, backslash", SEQ AT ",\"actor\":\"jane\\", "actor",
     "want a string, have the line's end in it"},

    {"request missing", BEFORE AFTER, "request", "want ,\"request\":, have ,\"result\""},
    {"request null", ENTRY("null"), "request", "want an object, have something else"},
    {"request an array", ENTRY("[]"), "request", "want an object, have something else"},
    {"request open", BEFORE ",\"request\":{\"issue_ids\":[\"a\"]", "request",
     "want an object, have the line's end in it"},
    {"request open at a comma", BEFORE ",\"request\":{\"issue_ids\":[\"a\"],", "request",
     "want an object, have the line's end in it"},
    {"request broken", ENTRY("{\"issue_ids\":[\"a\",]}"), "request", "want a value, have "},
    {"a blank in the request", ENTRY("{\"issue_ids\": [\"a\",\"b\"]}"), "request",
     "want no blanks between its parts, have some"},
    {"a blank at its end", ENTRY("{\"issue_ids\":[\"a\",\"b\"]\t}"), "request",
     "want no blanks between its parts, have some"},
    {"a blank after an escaped quote", ENTRY("{\"issue_ids\":[\"a\\\"\", \"b\"]}"), "request",
     "want no blanks between its parts, have some"},
    {"a blank after it", ENTRY(IDS " "), "result/updated_count",
     "want ,\"result\":{\"updated_count\":, have  ,\"result"},
    {"no ids", ENTRY("{\"issue_ids\":[]}"), "request/issue_ids", "want "},
    {"a number among ids", ENTRY("{\"issue_ids\":[\"a\",1]}"), "request/issue_ids/1", "want "},
    {"no severity", ENTRY("{\"issue_ids\":[\"a\",\"b\"],\"severity\":\"x\"}"), "request/severity",
     "want "},
    {"an unknown member", ENTRY("{\"issue_ids\":[\"a\",\"b\"],\"x\":1}"), "request/x", "want "},

    {"result missing", BEFORE REQUEST PREV, "result/updated_count",
     "want ,\"result\":{\"updated_count\":, have ,\"prev\":\""},
    {"an extra member", BEFORE REQUEST ",\"x\":1" AFTER, "result/updated_count", "want ,\"result"},
    {"counts the other way", COUNTS("\"failed_count\":1,\"updated_count\":1"),
     "result/updated_count", "want ,\"result\":{\"updated_count\":"},
    {"a count as a string", COUNTS("\"updated_count\":\"1\",\"failed_count\":1"),
     "result/updated_count", "want a number, have "},
    {"a negative count", COUNTS("\"updated_count\":1,\"failed_count\":-1"), "result/failed_count",
     "want a number, have "},
    {"a count of 00", COUNTS("\"updated_count\":1,\"failed_count\":00"), "result/failed_count",
     "want a number below 2^64 without leading zeros, have 00"},
    {"more counted than ids", COUNTS("\"updated_count\":2,\"failed_count\":1"),
     "result/updated_count",
     "want counts of the 2 ids of the request, have 2 updated and 1 failed"},
    {"nothing counted", COUNTS("\"updated_count\":0,\"failed_count\":0"), "result/updated_count",
     "want counts of the 2 ids of the request, have 0 updated and 0 failed"},
    {"counts that wrap", COUNTS("\"updated_count\":18446744073709551615,\"failed_count\":2"),
     "result/updated_count", "want counts of the 2 ids of the request"},
    {"a digest in capitals",
     BEFORE REQUEST ",\"result\":{\"updated_count\":1,\"failed_count\":1,\"sha256\":\""
		    "00112233445566778899AABBCCDDEEFF00112233445566778899aabbccddeeff\"}" PREV,
     "result/sha256", "want 64 lower-case hex digits, have 001122334455"},
    {"a digest of 63 digits",
     BEFORE REQUEST ",\"result\":{\"updated_count\":1,\"failed_count\":1,\"sha256\":\""
		    "0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}" PREV,
     "result/sha256", "want 64 lower-case hex digits, have 011223344556"},
    {"a member more in the result", COUNTS("\"updated_count\":1,\"failed_count\":1,\"x\":1"),
     "result/sha256", "want ,\"sha256\":\", have ,\"x\":1,"},
    {"a member after the digest",
     BEFORE REQUEST ",\"result\":{\"updated_count\":1,\"failed_count\":1,\"sha256\":\"" H64
		    "\",\"x\":1}" PREV,
     "result/sha256", "want \"}, have \",\"x\":1}"},

    {"another prev",
     BEFORE REQUEST RESULT ",\"prev\":\""
			   "10112233445566778899aabbccddeeff"
			   "00112233445566778899aabbccddeeff\"",
     "prev", "want 001122334455\xE2\x80\xA6 of line 1, have 101122334455\xE2\x80\xA6"},
    {"prev before an entry 9",
     "{\"seq\":9,\"prev\":\""
     "10112233445566778899aabbccddeeff"
     "00112233445566778899aabbccddeeff\"",
     "prev", "want 001122334455\xE2\x80\xA6 of line 1 before a line with seq 9, have 101122334455"},
    {"prev missing", BEFORE REQUEST RESULT, "prev", "want ,\"prev\":\", have no more"},
    {"prev in capitals",
     BEFORE REQUEST RESULT ",\"prev\":\""
			   "00112233445566778899AABBCCDDEEFF"
			   "00112233445566778899aabbccddeeff\"",
     "prev", "want 64 lower-case hex digits, have 001122334455"},
    {"prev without its quote", BEFORE REQUEST RESULT ",\"prev\":\"" H64, "prev",
     "want \", have no more"},
    {"prev with another quote", BEFORE REQUEST RESULT ",\"prev\":\"" H64 "'", "prev",
     "want \", have '"},
    {"prev twice", BEFORE REQUEST RESULT PREV PREV, "prev", "want hash after it, have more"},
    {"a member after prev", BEFORE REQUEST RESULT PREV ",\"x\":1", "prev",
     "want hash after it, have more"},
    {"a blank after prev", BEFORE REQUEST RESULT PREV " ", "prev", "want hash after it, have more"},
};

static const struct row headers[] = {
    {"right", MAGIC BASE CREATED, NULL, NULL},
    {"an empty name, no issues",
     MAGIC ",\"base\":{\"name\":\"\",\"sha256\":\"" H64 "\",\"issues\":0}" CREATED, NULL, NULL},
    {"an escaped name",
     MAGIC ",\"base\":{\"name\":\"\\\"\\u00e4\",\"sha256\":\"" H64 "\",\"issues\":0}" CREATED, NULL,
     NULL},
    {"nothing", "", "retriage_journal", "want {\"retriage_journal\":, have ,\"hash\":"},
    {"an entry", BEFORE REQUEST AFTER, "retriage_journal", "want {\"retriage_journal\":, have"},
    {"version 2", "{\"retriage_journal\":2" BASE ",\"options\":{}" CREATED, NULL, NULL},
    {"version 2 without options", "{\"retriage_journal\":2" BASE CREATED, "options",
     "want },\"options\":, have },\"created_at"},
    {"options that are none", "{\"retriage_journal\":2" BASE ",\"options\":1" CREATED, "options",
     "want an object, have something else"},
    {"blanks in options", "{\"retriage_journal\":2" BASE ",\"options\":{ }" CREATED, "options",
     "want no blanks between its parts"},
    {"version 1 with options", MAGIC BASE ",\"options\":{}" CREATED, "created_at",
     "want },\"created_at\":\", have },\"options"},
    {"version 0", "{\"retriage_journal\":0" BASE CREATED, "retriage_journal",
     "want version 1 or 2 of the journal's form, have 0"},
    {"version 10", "{\"retriage_journal\":10" BASE CREATED, "retriage_journal",
     "want version 1 or 2 of the journal's form, have 10"},
    {"no base", MAGIC CREATED, "base/name", "want ,\"base\":{\"name\":, have ,\"created_at"},
    {"name null", MAGIC ",\"base\":{\"name\":null,\"sha256\":\"" H64 "\",\"issues\":7}" CREATED,
     "base/name", "want a string, have something else"},
    {"name not UTF-8",
     MAGIC ",\"base\":{\"name\":\"\xC0\x80\",\"sha256\":\"" H64 "\",\"issues\":7}" CREATED,
     "base/name", "want UTF-8, have "},
    {"no digest", MAGIC ",\"base\":{\"name\":\"x\",\"issues\":7}" CREATED, "base/sha256",
     "want ,\"sha256\":\", have ,\"issues\":7}"},
    {"a short digest", MAGIC ",\"base\":{\"name\":\"x\",\"sha256\":\"00\",\"issues\":7}" CREATED,
     "base/sha256", "want 64 lower-case hex digits, have 00\",\"issues\""},
    {"issues negative",
     MAGIC ",\"base\":{\"name\":\"x\",\"sha256\":\"" H64 "\",\"issues\":-7}" CREATED, "base/issues",
     "want a number, have "},
    {"a member more in base",
     MAGIC ",\"base\":{\"name\":\"x\",\"sha256\":\"" H64 "\",\"issues\":7,\"x\":1}" CREATED,
     "created_at", "want },\"created_at\":\", have ,\"x\":1}"},
    {"no time", MAGIC BASE, "created_at", "want },\"created_at\":\", have }"},
    {"a bare date", MAGIC BASE ",\"created_at\":\"2025-01-02\"", "created_at", "want a time as "},
    {"a member after", MAGIC BASE CREATED ",\"x\":1", "created_at",
     "want the line to end after it, have more"},
};

static struct rt_journal_form *form_make(void)
{
	struct rt_journal_form *form = rt_scan_alloc(sizeof(*form));
	struct rt_limits limits;
	struct rt_error err;

	ck_assert_ptr_nonnull(form);
	rt_limits_init(&limits);
	ck_assert_int_eq(rt_journal_form_init(form, &limits, &err), RT_OK);
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
	rt_sha256_of(form->hash, rt_slice_make(body, strlen(body)), hash);
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
	if (!row->field) {
		ck_assert_msg(status == RT_OK, "%s: %s: %s", row->what, err->field, err->message);
		return;
	}
	ck_assert_msg(status == RT_REJECT, "%s: status %d", row->what, status);
	ck_assert_int_eq(err->code, RT_E_INPUT);
	ck_assert_msg(strcmp(err->field, row->field) == 0, "%s: want %s, have %s: %s", row->what,
		      row->field, err->field, err->message);
	ck_assert_msg(strncmp(err->message, row->message, strlen(row->message)) == 0,
		      "%s: want %s, have %s", row->what, row->message, err->message);
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
} ends[] = {
    {"an empty line", "", "want ,\"hash\":\", have no more"},
    {"a short line", "{}", "want ,\"hash\":\", have {}"},
    {"no hash", BEFORE REQUEST AFTER "}", "want ,\"hash\":\", have "},
    {"a hash of something else", BEFORE REQUEST AFTER ",\"hash\":\"" H64 "\"}",
     "want 5c056c127156\xE2\x80\xA6 of the line's bytes, have 001122334455\xE2\x80\xA6"},
    {"a hash in capitals",
     "{,\"hash\":\"00112233445566778899AABBCCDDEEFF00112233445566778899aabbccddeeff\"}",
     "want 64 lower-case hex digits, have 001122334455"},
    {"a blank after", BEFORE REQUEST AFTER ",\"hash\":\"" H64 "\"} ", "want ,\"hash\":\", have "},
    {"a carriage return", BEFORE REQUEST AFTER ",\"hash\":\"" H64 "\"}\r",
     "want ,\"hash\":\", have "},
    {"a bracket", BEFORE REQUEST AFTER ",\"hash\":\"" H64 "\"]", "want \"}, have \"]"},
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
	ck_assert_str_eq(err.field, "hash");
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
	    SEQ AT ",\"actor\":\"\\u006aane\\n\\ud83d\\ude00\",\"request\":{\"issue_ids\":"
		   "[\"\\u0061\",\"b\"],\"notes\":\"\\t\"}" AFTER;
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
