/*
 * The HTML report, a finding at a time: what its row of data and its markup say of code, columns,
 * texts, places, links and notes; and what the page says of what it does not list.
 */
#include <stdio.h>

#include "output/html.h"
#include "report_make.h"

/* The page up to its script, which holds words of its own. The caller frees it. */
static char *page_of(struct report_run *run, const char *const *records, size_t count)
{
	char *page = report_text(run, records, count), *script = strstr(page, "<script>/*");

	ck_assert_ptr_nonnull(script);
	*script = '\0';
	return page;
}

static void check_has(const char *page, const char *text)
{
	const char *main = strstr(page, "<main>");

	ck_assert_msg(strstr(page, text) != NULL, "not in the page: %s\n%.3000s", text,
		      main ? main : page);
}

static void check_lacks(const char *page, const char *text)
{
	ck_assert_msg(strstr(page, text) == NULL, "in the page: %s", text);
}

/* Members of a finding, and what the page has to hold of it: in its row, and in its markup. */
static const struct {
	const char *what, *members, *row, *markup;
} findings[] = {
    {"a line in its context, its columns underlined",
     "\"line_number\":7,\"column_start\":3,\"column_end\":5,\"context_before\":\"a\\nb\","
     "\"code_snippet\":\"c<de>\",\"context_after\":\"f\"",
     ",[5,2,1,0,2,4,\"a\\nb\\nc\\u003cde\\u003e\\nf\\n\"],",
     "<mark class=\"l\"><span class=\"n\">7</span> c&lt;<u>de</u>&gt;\n</mark>"},
    {"an empty line before is a line",
     "\"line_number\":7,\"context_before\":\"a\\n\","
     "\"code_snippet\":\"c\\n\"",
     ",[5,2,1,0,0,0,\"a\\n\\nc\\n\"],", "<span class=\"n\">6</span> \n</span>"},
    {"columns count characters, scripts count UTF-16 units",
     "\"line_number\":1,\"column_start\":3,\"column_end\":4,\"code_snippet\":\"\\ud83d\\ude00xyz\"",
     ",[1,0,1,0,3,4,", "\xF0\x9F\x98\x80x<u>y</u>z"},
    {"what is masked before the columns moves them",
     "\"line_number\":1,\"column_start\":2,\"column_end\":3,\"code_snippet\":\"\\u202exy\"",
     ",[1,0,1,0,8,9,", "\xE2\x9F\xA8U+202E\xE2\x9F\xA9<u>x</u>y"},
    {"columns beyond the line",
     "\"line_number\":1,\"column_start\":9,\"column_end\":12,\"code_snippet\":\"xy\"",
     ",[1,0,1,0,0,0,", "<span class=\"n\">1</span> xy\n</mark>"},
    {"columns of several lines are not underlined",
     "\"line_number\":1,\"column_start\":1,\"column_end\":2,\"code_snippet\":\"xy\\nz\"",
     ",[1,0,2,0,0,0,", "<span class=\"n\">2</span> z\n</mark>"},
    {"columns of nothing are not underlined",
     "\"line_number\":1,\"column_start\":2,\"column_end\":2,\"code_snippet\":\"xyz\"",
     ",[1,0,1,0,0,0,", "<span class=\"n\">1</span> xyz\n</mark>"},
    {"a carriage return in a line ends none",
     "\"line_number\":2,\"context_before\":\"a\\rb\",\"code_snippet\":\"c\\r\\r\\nd\"",
     ",[1,1,2,0,0,0,\"a b\\nc \\nd\\n\"],", "<span class=\"n\">3</span> d\n</mark>"},
    {"context alone has no numbers and no marks",
     "\"line_number\":7,\"context_after\":\"a\\r\\nb\"", ",[0,0,0,0,0,0,\"a\\nb\\n\"],",
     "The export does not say which of these lines is meant."},
    {"no code", "\"line_number\":7", ",null,[", "The export holds no code for this finding."},
    {"equal texts stand once",
     "\"description\":\"x y\",\"explanation\":\"x y\",\"remediation\":\"z\"",
     ",[\"Description and explanation\",\"x y\",\"Remediation\",\"z\"],",
     "<h3>Description and explanation</h3><p class=\"tx\">x y</p><h3>Remediation</h3>"},
    {"a title of several lines", "\"title\":\"one\\ntwo\",\"description\":\"z\"",
     ",\"one\",null,null,null,[\"Title\",\"one\\ntwo\",\"Description\",\"z\"],",
     "<span class=\"tt\">one</span>"},
    {"a text repeats the title", "\"title\":\"one\\ntwo\",\"description\":\"say: one\\ntwo\"",
     ",[\"Description\",\"say: one\\ntwo\"],", "<h3>Description</h3>"},
    {"a text loses its blanks, nothing else", "\"description\":\"\\n x \\u0000 \\n\"",
     ",[\"Description\",\" x \xE2\x9F\xA8U+0000\xE2\x9F\xA9\"],", " x \xE2\x9F\xA8U+0000"},
    {"no title", "\"title\":null", ",\"(no title)\",", "<span class=\"tt\">(no title)</span>"},
    {"markup is text", "\"title\":\"</script><img src=x onerror=\\\"a&b\\\">\"",
     "\"\\u003c/script\\u003e\\u003cimg src=x onerror=\\\"a\\u0026b\\\"\\u003e\"",
     "&lt;/script&gt;&lt;img src=x onerror=&quot;a&amp;b&quot;&gt;"},
    {"no command of a log", "\"title\":\"::error::x\",\"description\":\"##[group]\"",
     "\"::error::x\"", "&#58;:error&#58;:x"},
    {"a path and a category by their ends", "\"file_path\":\"./src/a.c\",\"line_number\":3",
     ",\"src/a.c\",3,",
     "title=\"src/a.c:3\"><bdi dir=\"ltr\"><span class=\"hd\">src/</span>"
     "<span class=\"tl\">a.c</span><span class=\"ln\">:3</span></bdi>"},
    {"no path", "\"line_number\":3", ",null,3,\"(no title)\"",
     "<span class=\"nm mono none\">no file</span>"},
    {"lines that are none", "\"file_path\":\"a.c\",\"line_number\":-3", ",\"a.c\",0,",
     "title=\"a.c\""},
    {"facts",
     "\"severity\":\"BLOCKER\",\"exploitable\":false,\"cvss_score\":9.80,"
     "\"cwe_ids\":[\"CWE-89\",\"cwe-79\"],\"tags\":[\"CWE-89: x\",\"web\"]",
     ",[1,\"BLOCKER\",3,\"no\",4,\"9.80\",6,\"89, cwe-79\",12,\"web\",15,\"i\"],",
     "<div><dt>CWE</dt><dd>89, cwe-79</dd></div>"},
    {"notes, oldest first",
     "\"notes\":[\"first\",{\"added_at\":\"2025-01-01T00:00:00Z\",\"text\":\"second\"}]",
     ",[0,null,\"first\",\"2025-01-01 00:00 UTC\",\"second\"],",
     "<h3>Note</h3><p class=\"tx\">second</p><p class=\"by\">2025-01-01 00:00 UTC</p>"},
    {"a note without a time", "\"notes\":[{\"added_at\":\"\",\"text\":\"x\"}]", ",[0,null,\"x\"],",
     "<p class=\"tx\">x</p></div>"},
    {"a time in no year that has four digits",
     "\"created_at\":\"9999-12-31T23:00:00-02:00\",\"cvss_score\":1",
     ",[1,\"none given\",4,\"1\",15,\"i\"],", "<div><dt>CVSS</dt><dd>1</dd></div><div><dt>Id</dt>"},
    {"a false positive that is exploitable", "\"false_positive\":true,\"exploitable\":true",
     "[\"i\",5,3,", "<span class=\"tag fp\">dismissed</span>"},
};

START_TEST(one)
{
	struct report_run run = report_run_of(&rt_kind_html);
	char record[1024], *page;
	const char *text = record;

	(void)snprintf(record, sizeof(record), "{\"id\":\"i\",%s}", findings[_i].members);
	page = page_of(&run, &text, 1);
	check_has(page, findings[_i].row);
	check_has(page, findings[_i].markup);
	free(page);
}
END_TEST

/* Ids as names of places; of one that had to be masked the row says it. */
START_TEST(anchors)
{
	static const struct {
		const char *id, *place, *row;
	} rows[] = {
	    {"a-Z_0.9", " id=\"f-a-Z_0.9\"", "[\"a-Z_0.9\",5,"},
	    {"a b/\\u00fc\\\"", " id=\"f-a~20b~2f~c3~bc~22\"", "[\"a b/\xC3\xBC\\\"\",5,"},
	    {"a\\u0001", " id=\"f-a~01\"", ",null,\"f-a~01\"]"},
	};
	struct report_run run = report_run_of(&rt_kind_html);
	char record[128], *page;
	const char *text = record;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		(void)snprintf(record, sizeof(record), "{\"id\":\"%s\"}", rows[i].id);
		page = page_of(&run, &text, 1);
		check_has(page, rows[i].place);
		check_has(page, rows[i].row);
		free(page);
	}
}
END_TEST

static const struct {
	const char *template, *members, *link; /* NULL: none */
} links[] = {
    {"https://h/{repo}/{path}#L{line}",
     "\"repo_name\":\"o/r\",\"file_path\":\"a b/\\u00fc?.c\",\"line_number\":7",
     "https://h/o/r/a%20b/%C3%BC%3F.c#L7"},
    {"https://h/{path}#L{line}", "\"file_path\":\"a.c\"", "https://h/a.c#L1"},
    {"https://h/{path}", "\"line_number\":7", NULL},
    {"https://h/{repo}/{path}", "\"file_path\":\"a.c\"", NULL},
    {"https://h/{path}", "\"file_path\":\"../a.c\"", NULL},
    {"https://h/{path}", "\"file_path\":\"a/../../b.c\"", NULL},
    {"https://h/{path}", "\"file_path\":\"a/..\"", NULL},
    {"https://h/{path}", "\"file_path\":\"..a/b..\"", "https://h/..a/b.."},
    {"https://h/{path}", "\"file_path\":\".github/.x/a.\"", "https://h/.github/.x/a."},
    {"https://h/{repo}?{line}", "\"repo_name\":\"r\",\"file_path\":\"../a\"", "https://h/r?1"},
    {"https://h/{path}", "\"file_path\":\"/etc/passwd\"", NULL},
    {"https://h/{path}", "\"file_path\":\"C:\\\\x.c\"", "https://h/C%3A/x.c"},
    {"javascript:alert(1)//{path}", "\"file_path\":\"a.c\"", NULL},
    {"http://h/{path}", "\"file_path\":\"a.c\"", NULL},
};

START_TEST(linked)
{
	struct report_run run = report_run_of(&rt_kind_html);
	char record[256], text[256], *page;
	const char *one_record = record;

	run.settings.link = links[_i].template;
	(void)snprintf(record, sizeof(record), "{\"id\":\"i\",%s}", links[_i].members);
	page = page_of(&run, &one_record, 1);
	if (links[_i].link) {
		(void)snprintf(text, sizeof(text), "<a href=\"%s\" rel=\"noreferrer\">",
			       links[_i].link);
		check_has(page, text);
		(void)snprintf(text, sizeof(text), ",\"%s\"]\n", links[_i].link);
		check_has(page, text);
	} else {
		check_lacks(page, "rel=\"noreferrer\"");
		check_has(page, ",null]\n");
	}
	free(page);
}
END_TEST

/* More of a record that is being made; a NUL stands after it. */
static void append(struct rt_buf *record, const char *text)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(record, text, strlen(text) + 1, &err), RT_OK);
	record->len--;
}

/* Texts end after 4,000 characters, lines of code after 200, code after 60 lines; each says so. */
START_TEST(cuts)
{
	struct report_run run = report_run_of(&rt_kind_html);
	struct rt_buf record = {0};
	const char *text;
	char *page;

	append(&record, "{\"id\":\"i\",\"line_number\":1,\"description\":\"");
	for (size_t i = 0; i < 4003; i++)
		append(&record, "\xC3\xA4");
	append(&record, "\",\"code_snippet\":\"");
	for (size_t i = 0; i < 203; i++)
		append(&record, "y");
	for (size_t i = 0; i < 64; i++)
		append(&record, "\\nz");
	append(&record, "\"}");
	text = record.data;
	page = page_of(&run, &text, 1);
	check_has(page, "\xC3\xA4 \xE2\x80\xA6 (3 more characters)</p>");
	check_has(page, "y \xE2\x80\xA6 (3 more characters)\n");
	check_has(page, "<p class=\"cut\">5 lines of code left out.</p>");
	check_has(page, ",[1,0,60,5,0,0,");
	free(page);
	rt_buf_release(&record);
}
END_TEST

/* Columns beyond what is shown of a line: what lies before the cut is underlined, if any does. */
START_TEST(cut_columns)
{
	static const struct {
		unsigned from, to;
		const char *row, *markup;
	} rows[] = {
	    {199, 230, ",[1,0,1,0,198,200,", "y<u>yy</u> \xE2\x80\xA6 (40 more characters)\n"},
	    {199, 201, ",[1,0,1,0,198,200,", "y<u>yy</u> \xE2\x80\xA6 (40 more characters)\n"},
	    {200, 240, ",[1,0,1,0,199,200,", "y<u>y</u> \xE2\x80\xA6 (40 more characters)\n"},
	    {201, 230, ",[1,0,1,0,0,0,", "yyy \xE2\x80\xA6 (40 more characters)\n"},
	};
	struct report_run run = report_run_of(&rt_kind_html);
	char line[241], record[512], *page;
	const char *text = record;

	memset(line, 'y', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	(void)snprintf(record, sizeof(record),
		       "{\"id\":\"i\",\"line_number\":1,\"column_start\":%u,\"column_end\":%u,"
		       "\"code_snippet\":\"%s\"}",
		       rows[_i].from, rows[_i].to, line);
	page = page_of(&run, &text, 1);
	check_has(page, rows[_i].row);
	check_has(page, rows[_i].markup);
	free(page);
}
END_TEST

/* The marked line is kept in view, however much stands before it. */
START_TEST(long_context)
{
	struct report_run run = report_run_of(&rt_kind_html);
	struct rt_buf record = {0};
	const char *text;
	char *page;

	append(&record, "{\"id\":\"i\",\"line_number\":101,\"context_before\":\"");
	for (size_t i = 0; i < 100; i++)
		append(&record, i < 99 ? "z\\n" : "z");
	append(&record, "\",\"code_snippet\":\"here\"}");
	text = record.data;
	page = page_of(&run, &text, 1);
	check_has(page, ",[81,20,1,80,0,0,");
	check_has(page, "<span class=\"n\">101</span> here\n</mark>");
	free(page);
	rt_buf_release(&record);
}
END_TEST

/* Context alone is cut at its end. */
START_TEST(long_context_alone)
{
	struct report_run run = report_run_of(&rt_kind_html);
	struct rt_buf record = {0};
	const char *text;
	char *page;

	append(&record, "{\"id\":\"i\",\"line_number\":101,\"context_before\":\"");
	for (size_t i = 0; i < 69; i++)
		append(&record, i < 68 ? "z\\n" : "z");
	append(&record, "\"}");
	text = record.data;
	page = page_of(&run, &text, 1);
	check_has(page, ",[0,69,0,9,0,0,");
	check_has(page, "<p class=\"cut\">9 lines of code left out.</p>");
	check_lacks(page, "<mark");
	free(page);
	rt_buf_release(&record);
}
END_TEST

/* Of more notes than are shown the newest stay, and the others are counted. */
START_TEST(many_notes)
{
	struct report_run run = report_run_of(&rt_kind_html);
	struct rt_buf record = {0};
	char note[48], *page;
	const char *text;

	append(&record, "{\"id\":\"i\",\"notes\":[");
	for (int i = 0; i < 23; i++) {
		(void)snprintf(note, sizeof(note), "%s{\"text\":\"note %d.\"}", i ? "," : "", i);
		append(&record, note);
	}
	append(&record, "]}");
	text = record.data;
	page = page_of(&run, &text, 1);
	check_has(page, "[3,null,\"note 3.\",null,\"note 4.\",");
	check_has(page, ",null,\"note 22.\"]");
	check_has(page, "note 22.</p></div><p class=\"cut\">3 older notes left out.</p>");
	check_lacks(page, "note 2.");
	free(page);
	rt_buf_release(&record);
}
END_TEST

START_TEST(no_code)
{
	struct report_run run = report_run_of(&rt_kind_html);
	char *page;

	run.settings.no_code = true;
	page =
	    page_of(&run,
		    (const char *const[]){
			"{\"id\":\"i\",\"code_snippet\":\"secret\",\"context_before\":\"secret\","
			"\"context_after\":\"secret\",\"remediation_code\":\"secret\"}"},
		    1);
	check_lacks(page, "secret");
	check_lacks(page, "holds no code");
	check_has(page, "{\"code\":false,");
	check_has(page, " --no-code");
	free(page);
}
END_TEST

/* What is not listed is said by severity; counts are of all. */
START_TEST(left_out)
{
	static const char *const records[] = {
	    "{\"id\":\"a\",\"severity\":\"critical\"}", "{\"id\":\"b\",\"severity\":\"high\"}",
	    "{\"id\":\"c\",\"severity\":\"high\"}", "{\"id\":\"d\",\"severity\":\"low\"}",
	    ("{\"id\":\"e\",\"severity\":\"info\","
	     "\"false_positive\":true}")};
	struct report_run run = report_run_of(&rt_kind_html);
	char *page;

	run.settings.max_findings = 2;
	page = page_of(&run, records, 5);
	check_has(page, "<b>Listed below: 2 of 5 findings</b> (all critical, 1 of 2 high, no low or"
			" info). All counts and charts are of all 5. <span class=\"mono\">"
			"--to csv=FILE</span> writes every finding.</p>");
	check_has(page, "<title>4 open \xC2\xB7 Code security</title>");
	check_lacks(page, "id=\"f-c\"");
	free(page);
	run = report_run_of(&rt_kind_html);
	run.settings.hide_false_positives = true;
	run.settings.csv_name = RT_SLICE("all.csv");
	page = page_of(&run, records, 5);
	check_has(page, "Listed below: 4 of 5 findings</b> (all critical, high and low, no info)."
			" 1 dismissed finding is counted, not listed. All counts");
	check_has(page, "Every finding is in <span class=\"mono\">all.csv</span>.");
	check_lacks(page, "id=\"f-e\"");
	free(page);
}
END_TEST

static const struct {
	enum rt_condition_kind kind;
	unsigned level;
	const char *words;
} conditions[] = {
    {RT_CONDITION_FAIL_ON, 1,
     "<span data-f=\"severity\" data-v=\"high..\"><b>3</b> open at high and above, 2\xC2\xA0"
     "allowed</span>"},
    {RT_CONDITION_FAIL_ON, 0,
     "<b>3</b> open at critical, 2\xC2\xA0"
     "allowed"},
    {RT_CONDITION_MAX, 2,
     "<span data-f=\"severity\" data-v=\"medium\"><b>3</b> open at medium, 2\xC2\xA0"
     "allowed</span>"},
    {RT_CONDITION_MAX, RT_LEVEL_OTHER,
     "<b>3</b> open of other severity, 2\xC2\xA0"
     "allowed"},
    {RT_CONDITION_MAX, RT_LEVEL_TOTAL,
     "<b>3</b> open, 2\xC2\xA0"
     "allowed"},
    {RT_CONDITION_AT_LEAST, 0,
     "<span><b>3</b> in all, at least 2\xC2\xA0"
     "expected"},
};

START_TEST(verdict)
{
	struct report_run run = report_run_of(&rt_kind_html);
	struct rt_verdict judged = {.count = 2};
	char *page;

	judged.conditions[0] = (struct rt_condition){.kind = RT_CONDITION_AT_LEAST, .pass = true};
	judged.conditions[1] = (struct rt_condition){
	    .kind = conditions[_i].kind, .level = conditions[_i].level, .allowed = 2, .found = 3};
	run.facts.verdict = &judged;
	page = page_of(&run, (const char *const[]){"{\"id\":\"i\"}"}, 1);
	check_has(page, "<div class=\"verdict v-fail\">");
	check_has(page, "<title>Fail \xC2\xB7");
	check_has(page, conditions[_i].words);
	ck_assert_msg(strstr(page, "<li class=\"no\">") < strstr(page, "<li class=\"ok\">"),
		      "what is broken comes first");
	free(page);
	judged.pass = true;
	run = report_run_of(&rt_kind_html);
	run.facts.verdict = &judged;
	page = page_of(&run, (const char *const[]){"{\"id\":\"i\"}"}, 1);
	check_has(page, "<div class=\"verdict v-pass\">");
	free(page);
}
END_TEST

START_TEST(empty)
{
	struct report_run run = report_run_of(&rt_kind_html);
	char *page = page_of(&run, NULL, 0);

	check_has(page, "<h2>Nothing found.</h2>");
	check_lacks(page, "id=\"data\"");
	check_lacks(page, "id=\"findings\"");
	check_lacks(page, "href=\"#findings\"");
	free(page);
	run = report_run_of(&rt_kind_html);
	run.facts.excluded = 3;
	page = page_of(&run, NULL, 0);
	check_has(page, "3 findings are there, and the filter picks none of them.");
	check_lacks(page, "They hold");
	free(page);
}
END_TEST

/* Of severities that are no level ten are named. */
START_TEST(severities)
{
	struct rt_count counts[12] = {{.text = RT_SLICE("A<"), .count = 1000}};
	struct report_run run = report_run_of(&rt_kind_html);
	char *page;

	for (size_t i = 1; i < 12; i++)
		counts[i] = (struct rt_count){.text = RT_SLICE("b"), .count = i};
	run.facts.severities = counts;
	run.facts.severity_count = 12;
	run.facts.levels[RT_LEVEL_OTHER] = 1066;
	page = page_of(&run, (const char *const[]){"{\"id\":\"i\"}"}, 1);
	check_has(page,
		  "1,067 findings outside the five severities</b> (A&lt; 1,000, b 1, b 2, b 3, "
		  "b 4, b 5, b 6, b 7, b 8, b 9, 2 more, none given 1), shown as Other.");
	free(page);
}
END_TEST

/* Numbers that need much room have classes, which give them less where there is another column. */
START_TEST(sizes)
{
	static const struct {
		uint64_t open;
		const char *severity, *classes;
	} rows[] = {
	    {99, "low", "<table class=\"figs\""},
	    {99, "x", "<table class=\"figs\""},
	    {100, "low", "<table class=\"figs\""},
	    {100, "x", "<table class=\"figs n4\""},
	    {9999, "low", "<table class=\"figs n4\""},
	    {9999, "x", "<table class=\"figs n5\""},
	    {10000000, "low", "<table class=\"figs n8\""},
	    {UINT64_C(100000000000), "x", "<table class=\"figs n8\""},
	};
	struct report_run run = report_run_of(&rt_kind_html);
	char record[64], *page;
	const char *text = record;

	(void)snprintf(record, sizeof(record), "{\"id\":\"i\",\"severity\":\"%s\"}",
		       rows[_i].severity);
	run.facts.open = rows[_i].open - 1;
	page = page_of(&run, &text, 1);
	check_has(page, rows[_i].classes);
	free(page);
}
END_TEST

/* Decisions of a journal: what they say is shown as it stands, and where not all are, it is said.
 */
START_TEST(decisions)
{
	static const struct rt_decision made[] = {
	    {.sequence = 9,
	     .at = RT_SLICE("2026-01-13T16:40:09Z"),
	     .actor = RT_SLICE("<ann>"),
	     .severity = -1,
	     .false_positive = 1,
	     .exploitable = 0,
	     .ids = 2,
	     .updated = 1,
	     .failed = 1,
	     .first_id = RT_SLICE("x")},
	    {.sequence = 8,
	     .at = RT_SLICE("on <Tuesday>"),
	     .severity = 2,
	     .false_positive = -1,
	     .exploitable = -1},
	};
	struct report_run run = report_run_of(&rt_kind_html);
	char *page;

	run.facts.journal = (struct rt_facts_journal){
	    .head = RT_SLICE("9:ab"), .entries = 9, .decisions = made, .decision_count = 2};
	page = page_of(&run, (const char *const[]){"{\"id\":\"i\"}"}, 1);
	check_has(page, "9 entries in the journal; the newest 2 are shown.</p>");
	check_has(page,
		  ">9</td><td class=\"nw2\">2026-01-13 16:40 UTC</td><td class=\"who\">"
		  "&lt;ann&gt;</td><td class=\"mono\">false_positive = true, exploitable = false"
		  "</td><td class=\"ids\">1, 1 not found <span class=\"idl mono\">x "
		  "\xE2\x80\xA6</span></td>");
	check_has(page, ">8</td><td class=\"nw2\">on &lt;Tuesday&gt;</td><td class=\"who\">"
			"<span class=\"none\">not named</span></td><td class=\"mono\">"
			"severity = medium</td><td class=\"ids\">0</td>");
	free(page);
	run = report_run_of(&rt_kind_html);
	run.facts.journal = (struct rt_facts_journal){.head = RT_SLICE("0:ab")};
	page = page_of(&run, (const char *const[]){"{\"id\":\"i\"}"}, 1);
	check_has(page, "0 entries in the journal.</p></section>");
	free(page);
}
END_TEST

START_TEST(days)
{
	static const struct {
		int64_t at;
		const char *day;
	} rows[] = {{1769817600, "31 January 2026."}, {951782400, "29 February 2000."}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct report_run run = report_run_of(&rt_kind_html);
		char *page;

		run.facts.has_at = true;
		run.facts.at = rows[i].at;
		page = page_of(&run, (const char *const[]){"{\"id\":\"i\"}"}, 1);
		check_has(page, rows[i].day);
		check_has(page, " --at ");
		free(page);
	}
}
END_TEST

/* The parts of a bar can be seen, and it is no longer than its number wants. */
START_TEST(bars)
{
	static const struct rt_tally_row made[] = {
	    {.text = RT_SLICE("many"), .open = 10000, .levels = {10000}},
	    {.text = RT_SLICE("few"), .open = 103, .levels = {50, 50, 1, 1, 1}},
	};
	static const char *const few[] = {
	    "x=\"0.0\" y=\"0\" width=\"1.0\"", "x=\"2.0\" y=\"0\" width=\"1.0\"",
	    "x=\"4.0\" y=\"0\" width=\"1.0\"", "x=\"6.0\" y=\"0\" width=\"1.0\"",
	    "x=\"8.0\" y=\"0\" width=\"1.0\""};
	struct report_run run = report_run_of(&rt_kind_html);
	char *page, *row;

	run.facts.categories = (struct rt_tally){made, 2};
	page = page_of(&run, (const char *const[]){"{\"id\":\"i\"}"}, 1);
	row = strstr(page, "data-v=\"many\"");
	ck_assert_ptr_nonnull(row);
	check_has(row, "x=\"0.0\" y=\"0\" width=\"119.0\"");
	row = strstr(page, "data-v=\"few\"");
	ck_assert_ptr_nonnull(row);
	*strstr(row, "</tr>") = '\0';
	for (size_t i = 0; i < 5; i++)
		check_has(row, few[i]);
	free(page);
}
END_TEST

/* Limits: what is a day past its own is overdue, what is at it is not; a false positive never is.
 */
START_TEST(overdue)
{
	static const char *const records[] = {
	    "{\"id\":\"a\",\"severity\":\"high\",\"created_at\":\"2026-01-23T00:00:00Z\"}",
	    "{\"id\":\"b\",\"severity\":\"high\",\"created_at\":\"2026-01-24T00:00:00Z\"}",
	    ("{\"id\":\"c\",\"severity\":\"high\",\"created_at\":\"2026-01-23\","
	     "\"false_positive\":true}"),
	    "{\"id\":\"d\",\"severity\":\"low\",\"created_at\":\"2020-01-23\"}",
	    "{\"id\":\"e\",\"severity\":\"odd\",\"created_at\":\"2026-01-30\"}"};
	struct report_run run = report_run_of(&rt_kind_html);
	char *page;

	run.facts.has_at = true;
	run.facts.at = 1769817600;
	run.settings.sla[1] = 7;
	run.settings.sla[RT_LEVEL_OTHER] = 1;
	run.facts.overdue = 1;
	page = page_of(&run, records, 5);
	check_has(page, "[\"a\",1,4,");
	check_has(page, "\"2026-01-23 (8 days, 1 past its limit)\"");
	check_has(page, "<span class=\"overdue\">overdue, <b>8</b> d</span>");
	check_has(page, "[\"b\",1,0,");
	check_has(page, "[\"c\",1,1,");
	check_has(page, "[\"d\",3,0,");
	check_has(page, "[\"e\",5,0,");
	check_has(page, "\"2026-01-30 (1 day)\"");
	check_has(page, "<b class=\"overdue\" data-f=\"overdue\" data-v=\"true\">1 overdue</b>"
			" (limits: high 7, other 1 days)");
	check_has(page, "--sla high=7,unknown=1");
	free(page);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("kind_html");
	TCase *tcase = tcase_create("kind_html");

	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, one, 0, sizeof(findings) / sizeof(*findings));
	tcase_add_test(tcase, anchors);
	tcase_add_loop_test(tcase, linked, 0, sizeof(links) / sizeof(*links));
	tcase_add_test(tcase, cuts);
	tcase_add_loop_test(tcase, cut_columns, 0, 4);
	tcase_add_test(tcase, long_context);
	tcase_add_test(tcase, long_context_alone);
	tcase_add_test(tcase, many_notes);
	tcase_add_test(tcase, no_code);
	tcase_add_test(tcase, left_out);
	tcase_add_loop_test(tcase, verdict, 0, sizeof(conditions) / sizeof(*conditions));
	tcase_add_test(tcase, empty);
	tcase_add_test(tcase, severities);
	tcase_add_loop_test(tcase, sizes, 0, 8);
	tcase_add_test(tcase, decisions);
	tcase_add_test(tcase, days);
	tcase_add_test(tcase, bars);
	tcase_add_test(tcase, overdue);
	return suite;
}

RT_UNIT_MAIN(make_suite)
