/*
 * What files look like that are not what was asked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/content.h"
#include "unit.h"

#define EXPORT RT_CONTENT_EXPORT
#define REQUEST RT_CONTENT_REQUEST
#define JOURNAL RT_CONTENT_JOURNAL
#define OTHER RT_CONTENT_OTHER
#define NOTHING RT_CONTENT_NOTHING

#define ROW(what, want, head, like, message)                                                       \
	{                                                                                          \
		what, want, {head, sizeof(head) - 1}, like, message                                \
	}
#define SUMMARY_JSON "{\"total_issues\":1,\"issues_by_severity\":{\"critical\":1"
#define RESULT_JSON "{\"updated_count\":1,\"failed_count\":0,\"failed_issues\":[]"
#define HEADER "{\"retriage_journal\":1,\"base\":{\"name\":\"x\""
#define AN_EXPORT "have an export of issues or rulesets"

static const struct {
	const char *what;
	enum rt_content want;
	struct rt_slice head;
	enum rt_content like;
	const char *message; /* its end */
} rows[] = {
    ROW("a journal", EXPORT, HEADER, JOURNAL,
	"have a journal of retriage, which goes with --journal beside its base export"),
    ROW("a journal among requests", REQUEST, HEADER, JOURNAL,
	"want a bulk-update request, have a journal of retriage, which goes with --journal"),
    ROW("a journal where one is wanted", JOURNAL, HEADER, NOTHING, NULL),
    ROW("a journal with a byte changed", JOURNAL,
	"{\"retriage_journal!:1,\"base\":{\"name\":\"x\",\"issues\":[]", NOTHING, NULL),
    ROW("issues that are no list", REQUEST, "{\"issues\":5}", NOTHING, NULL),
    ROW("a request", EXPORT, "{ \"notes\" : \"x\", \"issue_ids\" : [\"a\"]}", REQUEST,
	"want an export of issues or rulesets, have a bulk-update request, which apply takes after "
	"the EXPORT, and validate with --as request"),
    ROW("a journal with a byte changed in the first word", JOURNAL,
	"{\"retriage!journal\":1,\"issues\":[]", NOTHING, NULL),
    ROW("a request as a journal", JOURNAL, "{\"issue_ids\":[\"a\"]}\n", REQUEST,
	"want a journal, have a bulk-update request"),
    ROW("a request where one is wanted", REQUEST, "{\"issue_ids\":1}", NOTHING, NULL),
    ROW("an export", REQUEST, "{\"v\":[{\"issue_ids\":1}],\"issues\":[{\"id\":1,\"a\":\"b", EXPORT,
	"want a bulk-update request, have an export of issues or rulesets, which apply takes "
	"before the REQUESTs"),
    ROW("an export as a journal", JOURNAL, "{\"rulesets\":[]}", EXPORT,
	"want a journal, " AN_EXPORT),
    ROW("a list of issues", REQUEST, "[ {\"x\":{\"y\":[1]},\"id\":\"a\",\"file_path\":\"b\"}",
	EXPORT, AN_EXPORT ", which apply takes before the REQUESTs"),
    ROW("lines of rulesets", JOURNAL, "{\"id\":\"a\",\"rules_text\":\"b\"}\n{", EXPORT, AN_EXPORT),
    ROW("an export where one is wanted", EXPORT, "{\"issues\":{}}", NOTHING, NULL),
    ROW("a summary", EXPORT, SUMMARY_JSON, OTHER,
	"have an issues summary, which retriage has made"),
    ROW("a result", REQUEST, RESULT_JSON, OTHER, "have the result of a bulk update"),
    ROW("a report of validate", EXPORT, "{\"valid\":true,\"issues\":1,\"fault_count\":0", OTHER,
	"have a report of retriage validate"),
    ROW("a report of verify", EXPORT, "{\"valid\":true,\"base\":{},\"torn_bytes\":0", OTHER,
	"have a report of retriage verify"),
    ROW("Trivy's JSON", EXPORT,
	"{\"SchemaVersion\":2,\"ArtifactName\":\"a:1\",\"Metadata\":{},\"Results\":[{", OTHER,
	"have Trivy's report in a format of its own; trivy convert --format sarif writes a log "
	"that is read"),
    ROW("Semgrep's JSON", EXPORT, "{\"version\":\"1.5\",\"results\":[{\"check_id\":\"a\",\"path",
	OTHER,
	"have Semgrep's results in a format of its own; semgrep scan --sarif writes a log that is "
	"read"),
    ROW("Semgrep's JSON without results", EXPORT,
	"{\"errors\":[],\"paths\":{\"scanned\":[\"a\"]},\"results\":[],\"version\":\"2.0\"}", OTHER,
	"have Semgrep's results in a format of its own; semgrep scan --sarif writes a log that is "
	"read"),
    ROW("results of others", EXPORT, "{\"results\":[{\"id\":1}],\"paths\":[]}", NOTHING, NULL),
    ROW("Snyk's JSON", EXPORT, "{\"vulnerabilities\":[{\"id\":\"SNYK-JS-A-1\",\"title", OTHER,
	"have Snyk's results in a format of its own; snyk test --sarif writes a log that is read"),
    ROW("Snyk's JSON without results", EXPORT,
	"{\"vulnerabilities\":[],\"ok\":true,\"dependencyCount\":3}", OTHER,
	"have Snyk's results in a format of its own; snyk test --sarif writes a log that is read"),
    ROW("Grype's JSON", EXPORT, "{\"matches\":[{\"vulnerability\":{\"id\":\"CVE-1\"", OTHER,
	"have Grype's matches in a format of its own; grype -o sarif writes a log that is read"),
    ROW("Gitleaks' JSON", EXPORT, "[\n {\n  \"RuleID\": \"a\",\n  \"Secret\": \"b\"", OTHER,
	"have Gitleaks' findings in a format of its own; gitleaks --report-format sarif writes a "
	"log that is read"),
    ROW("Bandit's JSON", EXPORT,
	"{\"errors\":[],\"generated_at\":\"2025\",\"metrics\":{\"a\":{\"CONFIDENCE.HIGH\":1", OTHER,
	"have Bandit's results in a format of its own; bandit -f sarif writes a log that is read"),
    ROW("Bandit's JSON without findings", EXPORT,
	"{\"errors\":[],\"generated_at\":\"2025\",\"metrics\":{},\"results\":[]}", OTHER,
	"have Bandit's results in a format of its own; bandit -f sarif writes a log that is read"),
    ROW("GitHub's alerts, some of their members", EXPORT,
	"[{\"number\":4,\"state\":\"open\",\"rule\":{\"id\":\"js/"
	"x\"},\"tool\":{\"name\":\"CodeQL\"}",
	OTHER,
	"have GitHub's code scanning alerts in a format of its own; gh api -H "
	"'Accept: application/sarif+json' repos/OWNER/REPO/code-scanning/analyses/ID writes a log "
	"that is read"),
    ROW("GitHub's alerts, others", EXPORT, "[{\"state\":\"open\",\"most_recent_instance\":{}",
	OTHER,
	"have GitHub's code scanning alerts in a format of its own; gh api -H "
	"'Accept: application/sarif+json' repos/OWNER/REPO/code-scanning/analyses/ID writes a log "
	"that is read"),
    ROW("GitHub's Dependabot alerts, some of their members", EXPORT,
	"[{\"number\":1,\"dependency\":{},\"security_advisory\":{\"ghsa_id\":\"GHSA-1\"", OTHER,
	"have GitHub's Dependabot alerts in a format of its own, which is not read"),
    ROW("GitHub's secret scanning alerts, some of their members", EXPORT,
	"[{\"number\":1,\"secret_type\":\"aws\"", OTHER,
	"have GitHub's secret scanning alerts in a format of its own, which is not read"),
    ROW("OpenVEX", EXPORT,
	"{\"@context\":\"https://openvex.dev/ns/v0.2.0\",\"@id\":\"https://x/"
	"vex-1\",\"statements\":[",
	OTHER, "have an OpenVEX document, which is not read"),
    ROW("CSAF", EXPORT, "{\"document\":{\"category\":\"csaf_vex\"},\"vulnerabilities\":[]}", OTHER,
	"have a CSAF document, which is not read"),
    ROW("OSV-Scanner's JSON", EXPORT,
	"{\"results\":[{\"source\":{\"path\":\"x\"},\"packages\":[{\"package\":{\"ecosystem\":"
	"\"npm\"",
	OTHER,
	"have OSV-Scanner's results in a format of its own; osv-scanner --format sarif writes a "
	"log "
	"that is read"),
    ROW("detect-secrets' baseline", EXPORT, "{\"version\":\"1.4.0\",\"plugins_used\":[]", OTHER,
	"have detect-secrets' results in a format of its own, which is not read"),
    ROW("GitHub's alerts", EXPORT,
	"[{\"number\":4,\"url\":\"https://api.github.com/repos/a/b/code-scanning/alerts/4\"", OTHER,
	"have GitHub's code scanning alerts in a format of its own; gh api -H "
	"'Accept: application/sarif+json' repos/OWNER/REPO/code-scanning/analyses/ID writes a log "
	"that is read"),
    ROW("GitHub's Dependabot alerts", EXPORT,
	"[{\"number\":1,\"state\":\"open\",\"url\":\"https://x/repos/a/b/dependabot/alerts/1\"",
	OTHER, "have GitHub's Dependabot alerts in a format of its own, which is not read"),
    ROW("GitHub's secret scanning alerts", EXPORT,
	"[{\"number\":1,\"url\":\"https://x/repos/a/b/secret-scanning/alerts/1\"", OTHER,
	"have GitHub's secret scanning alerts in a format of its own, which is not read"),
    ROW("Checkov's JSON", EXPORT,
	"{\"check_type\":\"terraform\",\"results\":{\"passed_checks\":[{\"check_id\":\"CKV_1\"",
	OTHER,
	"have Checkov's report in a format of its own; checkov -o sarif writes a log that is read"),
    ROW("Checkov's JSON of several kinds", EXPORT,
	"[\n {\"check_type\":\"a\",\"results\":{\"failed_checks\":[{\"check_id\":\"X\"", OTHER,
	"have Checkov's report in a format of its own; checkov -o sarif writes a log that is read"),
    ROW("Checkov's JSON without files", EXPORT,
	"{\"passed\":0,\"failed\":0,\"checkov_version\":\"3.2.0\"}", OTHER,
	"have Checkov's report in a format of its own; checkov -o sarif writes a log that is read"),
    ROW("KICS' JSON", EXPORT, "{\"kics_version\":\"v2\",\"files_scanned\":1,\"queries\":[{", OTHER,
	"have KICS' report in a format of its own; kics scan --report-formats sarif writes a log "
	"that is read"),
    ROW("gosec's JSON", EXPORT,
	"{\"Golang errors\":{},\"Issues\":[{\"severity\":\"HIGH\",\"rule_id\":\"G1\"", OTHER,
	"have gosec's report in a format of its own; gosec -fmt sarif writes a log that is read"),
    ROW("ESLint's JSON", EXPORT, "[{\"filePath\":\"/a.js\",\"messages\":[{\"ruleId\":\"x\"", OTHER,
	"have ESLint's results in a format of its own; eslint -f @microsoft/eslint-formatter-sarif "
	"writes a log that is read"),
    ROW("Hadolint's JSON", EXPORT,
	"[{\"code\":\"DL3001\",\"column\":1,\"file\":\"Dockerfile\",\"level\":\"info\"", OTHER,
	"have Hadolint's findings in a format of its own; hadolint -f sarif writes a log that is "
	"read"),
    ROW("Hadolint's JSON of a shell", EXPORT, "[{\"code\":\"SC2001\",\"level\":\"info\"", OTHER,
	"have Hadolint's findings in a format of its own; hadolint -f sarif writes a log that is "
	"read"),
    ROW("tfsec's JSON", EXPORT, "{\"results\":[{\"rule_id\":\"A\",\"long_id\":\"b\"", OTHER,
	"have tfsec's results in a format of its own; tfsec --format sarif writes a log that is "
	"read"),
    ROW("Brakeman's JSON", EXPORT,
	"{\"scan_info\":{\"app_path\":\"/a\",\"brakeman_version\":\"6\"},\"warnings\":[]", OTHER,
	"have Brakeman's report in a format of its own; brakeman -f sarif writes a log that is "
	"read"),
    ROW("nuclei's lines", EXPORT,
	"{\"template\":\"a\",\"template-id\":\"b\",\"info\":{\"severity\":\"low\"}}\n{", OTHER,
	"have nuclei's findings in a format of its own; nuclei -sarif-export FILE writes a log "
	"that "
	"is read"),
    ROW("SonarQube's issues", EXPORT,
	"{\"total\":1,\"paging\":{\"total\":1},\"issues\":[{\"key\":\"A\",\"component\":\"b\"",
	OTHER, "have SonarQube's issues in a format of its own, which is not read"),
    ROW("an export with pages", REQUEST, "{\"paging\":{},\"issues\":[{\"id\":\"a\"", EXPORT,
	"have an export of issues or rulesets, which apply takes before the REQUESTs"),
    ROW("Wiz' JSON", EXPORT,
	"{\"id\":\"a\",\"scanOriginResource\":{\"name\":\"x\"},\"result\":{\"osPackages\":[]",
	OTHER,
	"have Wiz' report in a format of its own; wizcli --output FILE,sarif writes a log that is "
	"read"),
    ROW("DefectDojo's findings", EXPORT,
	"{\"count\":1,\"results\":[{\"id\":1,\"title\":\"a\",\"numerical_severity\":\"S1\"", OTHER,
	"have DefectDojo's findings in a format of its own, which is not read"),
    ROW("DefectDojo's generic findings", EXPORT, "{\"findings\":[{\"title\":\"a\",\"severity\"",
	OTHER,
	"have findings for DefectDojo's generic import in a format of its own, which is not read"),
    ROW("a GitLab report, its findings first", EXPORT,
	"{\"version\":\"15.0.0\",\"vulnerabilities\":[{\"id\":\"a\",\"scanner\":{\"id\":\"b\"}",
	OTHER, "have a GitLab security report"),
    ROW("npm audit's JSON", EXPORT, "{\"auditReportVersion\":2,\"vulnerabilities\":{}", OTHER,
	"have the report of npm audit"),
    ROW("CycloneDX", EXPORT, "{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"1.5\"}", OTHER,
	"have a CycloneDX bill of materials"),
    ROW("CycloneDX that speaks of Snyk", EXPORT,
	"{\"bomFormat\":\"CycloneDX\",\"vulnerabilities\":[{\"id\":\"SNYK-JS-A-1\"", OTHER,
	"have a CycloneDX bill of materials"),
    ROW("SPDX", EXPORT, "{\"spdxVersion\":\"SPDX-2.3\"}", OTHER, "have an SPDX bill of materials"),
    ROW("Code Quality", EXPORT,
	"[{\"description\":\"a\",\"check_name\":\"b\",\"severity\":\"info\"", OTHER,
	"have a Code Quality report"),
    ROW("a GitLab report", EXPORT, "{\"version\":\"15.0.0\",\"scan\":{\"scanner\":{\"id\":\"a\"}}",
	OTHER, "have a GitLab security report"),
    ROW("a GitLab report with a schema", EXPORT,
	"{\"version\":\"15.0.7\",\"schema\":\"https://gitlab.com/security-report-schemas/x\"}",
	OTHER, "have a GitLab security report"),
    ROW("SARIF without runs", EXPORT,
	"{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\"}",
	OTHER, "want an export of issues or rulesets, have a SARIF log without runs"),
    ROW("SARIF", REQUEST, "{\"version\":\"2.1.0\",\"runs\":[{\"results\":[", EXPORT,
	"have a SARIF log, which apply takes before the REQUESTs"),
    ROW("SARIF, runs first", JOURNAL, "{\"runs\":[{\"tool\":{\"driver\":{\"name\":", EXPORT,
	"want a journal, have a SARIF log"),
    ROW("SARIF without a version", EXPORT, "{\"runs\":[{\"tool\":{\"driver\":{\"name\":", OTHER,
	"want an export of issues or rulesets, have a SARIF log without \"version\": \"2.1.0\""),
    ROW("SARIF where it belongs", EXPORT, "{\"version\":\"2.1.0\",\"runs\":[{\"results\":[",
	NOTHING, NULL),
    ROW("SARIF in an array", EXPORT, "[{\"version\":\"2.1.0\",\"runs\":[{\"results\":[", OTHER,
	"have SARIF logs in an array"),
    ROW("an export with a version and runs", REQUEST,
	"{\"version\":\"2.1.0\",\"runs\":[],\"issues\":[", EXPORT,
	"have an export of issues or rulesets, which apply takes before the REQUESTs"),
    ROW("another schema", EXPORT, "{\"$schema\":\"x\",\"version\":\"2.1.0\"}", NOTHING, NULL),
    ROW("other runs", EXPORT, "{\"version\":\"1.0\",\"runs\":3}", NOTHING, NULL),
    ROW("HTML", EXPORT, "<!DOCTYPE html>\n<head>", OTHER, "have an HTML page"),
    ROW("HTML after a comment", EXPORT, "<!-- x --><html lang=\"en\">", OTHER, "have an HTML page"),
    ROW("XML", EXPORT, "<?xml version=\"1.0\"?><results/>", OTHER, "have an XML document"),
    ROW("JUnit", EXPORT, "<?xml version=\"1.0\"?>\n<testsuites>\n<testsuite name=\"a\">", OTHER,
	"have a JUnit report"),
    ROW("JUnit without a declaration", EXPORT, "<testsuite/>", OTHER, "have a JUnit report"),
    ROW("Checkstyle", EXPORT, "<?xml version=\"1.0\"?><checkstyle version=\"8\">", OTHER,
	"have a Checkstyle report"),
    ROW("SpotBugs", EXPORT, "<BugCollection version=\"4\">", OTHER,
	"have SpotBugs' report; spotbugs -sarif writes a log that is read"),
    ROW("PMD", EXPORT, "<?xml version=\"1.0\"?>\n<pmd xmlns=\"x\">", OTHER,
	"have PMD's report; pmd check -f sarif writes a log that is read"),
    ROW("the first of names", EXPORT, "<a/>", OTHER, "have an XML document"),
    ROW("no XML", EXPORT, "<<: x", NOTHING, NULL),
    ROW("CSV", EXPORT, "id,severity\n1,high\n", OTHER, "have a table of separated values (CSV)"),
    ROW("CSV with an empty field", EXPORT, "id,severity,x\n1,high,\n", OTHER,
	"have a table of separated values (CSV)"),
    ROW("prose about a log", EXPORT, "# A\n\nIt reads\nversion: 2.1.0\nruns:\n- tool:\n", NOTHING,
	NULL),
    ROW("prose", EXPORT, "It reads JSON, YAML,\nand more, as one,\nof course", NOTHING, NULL),
    ROW("CSV with semicolons", REQUEST, "id;severity\r\n1;\"a;b\"\r\n", OTHER,
	"have a table of separated values (CSV)"),
    ROW("TSV", EXPORT, "id\tseverity\n1\thigh", OTHER, "have a table of separated values (CSV)"),
    ROW("one line with a comma", EXPORT, "a, b", NOTHING, NULL),
    ROW("a line that is shorter", EXPORT, "a,b\nc", NOTHING, NULL),
    ROW("YAML with commas", EXPORT, "a: b, c\nd: e, f\n", NOTHING, NULL),
    ROW("CSV with a line break in quotes", EXPORT,
	"Name,Severity,Text\n\"a\",\"High\",\"two\nlines, of it\"\n", OTHER,
	"have a table of separated values (CSV)"),
    ROW("CSV of names alone", EXPORT, "Name,Severity,Path\r\n", OTHER,
	"have a table of separated values (CSV)"),
    ROW("CSV of quoted names", EXPORT, "\"Name\",\"Severity\",\"Path\"", OTHER,
	"have a table of separated values (CSV)"),
    ROW("two words and a comma", EXPORT, "a,b", NOTHING, NULL),
    ROW("names and a shorter line", EXPORT, "a,b,c\nd", NOTHING, NULL),
    ROW("a sentence", EXPORT, "one,two,three and more", NOTHING, NULL),
    ROW("lines before JSON", EXPORT, "> shop@1.0.0 scan\n> scan --sarif\n\n{\"version\":", OTHER,
	"the JSON begins after 3 lines of text"),
    ROW("a line before JSON", REQUEST, "Scanning: done\n[\n {\"a\":1}", OTHER,
	"the JSON begins after 1 line of text"),
    ROW("a line in brackets before JSON", EXPORT, "[INFO] scanning\n{\n", OTHER,
	"the JSON begins after 1 line of text"),
    ROW("a date before JSON", EXPORT, "2025-01-01 00:00:00 WARN x\n{ \"a\": 1}", OTHER,
	"the JSON begins after 1 line of text"),
    ROW("a fault in the second line", EXPORT, "{\"a\":1}\n{\"a\":,}", NOTHING, NULL),
    ROW("a document of YAML before one of JSON", EXPORT, "- id: a\n  id: b\n---\n{\"id\":1}",
	NOTHING, NULL),
    ROW("YAML before a brace", EXPORT, "# a\n---\n\n{ a: [ }", NOTHING, NULL),
    ROW("PDF", EXPORT, "%PDF-1.7\n%\xe2\xe3", OTHER, "have a PDF document"),
    ROW("RAR", JOURNAL, "Rar!\x1a\x07\x01\0", OTHER, "want a journal, have a RAR archive"),
    ROW("ELF", EXPORT,
	"\x7f"
	"ELF\x02\x01",
	OTHER, "have an ELF program"),
    ROW("a Windows program", EXPORT, "MZ\x90\0\x03", OTHER, "have a Windows program"),
    ROW("PNG", EXPORT, "\x89PNG\r\n\x1a\n", OTHER, "have a PNG image"),
    ROW("JPEG", EXPORT, "\xff\xd8\xff\xe0", OTHER, "have a JPEG image"),
    ROW("GIF", EXPORT, "GIF89a", OTHER, "have a GIF image"),
    ROW("ar", EXPORT, "!<arch>\nx", OTHER, "have an ar archive"),
    ROW("a cabinet", EXPORT, "MSCF\0\0\0\0\1", OTHER, "have a cabinet archive"),
    ROW("RPM", EXPORT, "\xed\xab\xee\xdb\3", OTHER, "have an RPM package"),
    ROW("a class", EXPORT, "\xca\xfe\xba\xbe\0", OTHER, "have a Java class"),
    ROW("compress", EXPORT, "\x1f\x9d\x90", OTHER, "have data of compress (.Z)"),
    ROW("lzip", EXPORT, "LZIP\1", OTHER, "have lzip data"),
    ROW("lzma", EXPORT, "\x5d\0\0\x80", OTHER, "have lzma data"),
    ROW("two letters", EXPORT, "MZ: 1", NOTHING, NULL),
    ROW("SQLite", EXPORT, "SQLite format 3\0\x10", OTHER, "have an SQLite database"),
    ROW("gzip as a journal", JOURNAL, "\x1f\x8b\x08\0\0\0\0\0\0\x03", OTHER,
	"want a journal, have gzip data"),
    ROW("nothing", EXPORT, "", NOTHING, NULL),
    ROW("a word", EXPORT, "hello", NOTHING, NULL),
    ROW("a list of a list", EXPORT, "[[", NOTHING, NULL),
    ROW("an empty list", EXPORT, "[  ", NOTHING, NULL),
    ROW("a cut name", EXPORT, "{\"issue_ids", NOTHING, NULL),
    ROW("a NUL", EXPORT, "\0\0", NOTHING, NULL),
};

START_TEST(tell)
{
	struct rt_error err, was;
	const char *message = rows[_i].message;
	size_t len, tail;

	(void)rt_error_set(&err, RT_E_INPUT, "want A, have B");
	rt_error_at(&err, "path", "member");
	err.line = 3;
	(void)snprintf(err.field, sizeof(err.field), "field");
	was = err;
	ck_assert_msg(rt_content_tell(rows[_i].want, rows[_i].head, RT_SLICE(""), &err) ==
			  rows[_i].like,
		      "%s: %s", rows[_i].what, err.message);
	if (rows[_i].like == NOTHING) {
		ck_assert_msg(memcmp(&err, &was, sizeof(err)) == 0, "%s", rows[_i].what);
		return;
	}
	len = strlen(err.message);
	tail = strlen(message);
	ck_assert_msg(len >= tail && strcmp(err.message + len - tail, message) == 0, "%s: %s",
		      rows[_i].what, err.message);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	ck_assert_str_eq(err.path, "path");
	ck_assert_str_eq(err.member, "member");
	ck_assert(err.line == 0 && err.field[0] == '\0');
}
END_TEST

/* Cut anywhere, a head is read no further than it goes. */
START_TEST(cut)
{
	for (size_t len = 0; len < rows[_i].head.len; len++) {
		char *copy = malloc(len ? len : 1);
		struct rt_error err;

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, rows[_i].head.ptr, len);
		(void)rt_error_set(&err, RT_E_INPUT, "m");
		(void)rt_content_tell(rows[_i].want, rt_slice_make(copy, len), RT_SLICE(""), &err);
		free(copy);
	}
}
END_TEST

/* YAML is judged by the JSON that was made of it. */
static const struct {
	const char *yaml, *made;
	enum rt_content want, like;
	const char *message;
} yamls[] = {
    {"severity: high\nissue_ids:\n- a\n", "{\"severity\":\"high\",\"issue_ids\":[\"a\"]}\n", EXPORT,
     REQUEST,
     "want an export of issues or rulesets, have a bulk-update request, which apply takes after "
     "the EXPORT, and validate with --as request"},
    {"version: 2.1.0\nruns:\n- tool:\n", "{\"version\":\"2.1.0\",\"runs\":[{\"tool\":null}]}\n",
     EXPORT, OTHER, "want an export of issues or rulesets, have a SARIF log as YAML"},
    {"- id: a\n  scan_id: b\n", "[{\"id\":\"a\",\"scan_id\":\"b\"}]\n", EXPORT, NOTHING, "m"},
};

START_TEST(made)
{
	const char *yaml = yamls[_i].yaml, *text = yamls[_i].made;
	struct rt_error err = {.code = RT_E_NONE};

	(void)rt_error_set(&err, RT_E_INPUT, "m");
	ck_assert_int_eq(rt_content_tell(yamls[_i].want, rt_slice_make(yaml, strlen(yaml)),
					 rt_slice_make(text, strlen(text)), &err),
			 yamls[_i].like);
	ck_assert_str_eq(err.message, yamls[_i].message);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("content");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, tell, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_loop_test(cases, cut, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_loop_test(cases, made, 0, (int)(sizeof(yamls) / sizeof(yamls[0])));
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
