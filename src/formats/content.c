/*
 * Says what a refused file is by its first bytes, where they fit a row of the tables below. To add
 * the report of another tool is to add a row, and one to the test.
 */
#include "formats/content.h"

#include <string.h>
#include <strings.h>

#include "scan/items.h"
#include "source/magic.h"

/* What is known of a kind of file. */
struct kind {
	enum rt_content content;
	const char *have;
};

#define EXPORT "an export of issues or rulesets"
#define SARIF "a SARIF log"
#define NO_VERSION SARIF " without \"version\": \"2.1.0\""
#define OTHER(have)                                                                                \
	{                                                                                          \
		RT_CONTENT_OTHER, have                                                             \
	}
/* What another tool writes, and the command by which it writes a log. */
#define TOOL(name, command)                                                                        \
	OTHER(name " in a format of its own; " command " writes a log that is read")
#define TOOL_ALERTS                                                                                \
	TOOL("GitHub's code scanning alerts", "gh api -H 'Accept: application/sarif+json' "        \
					      "repos/OWNER/REPO/code-scanning/analyses/ID")
#define NO_LOG(name) OTHER(name " in a format of its own, which is not read")

/* Members that a document of a kind has: of the object at the top, or of the first in an array. */
#define NEEDS 3
struct need {
	const char *name;
	const char *within; /* that its value has in it; NULL: whatever it is */
};

/* An array. */
static const char list[] = "[";

/* The first row all of whose members are there counts: what holds others' words is first. */
static const struct {
	struct need needs[NEEDS];
	struct kind kind;
} documents[] = {
    {{{"retriage_journal", NULL}}, {RT_CONTENT_JOURNAL, "a journal of retriage"}},
    {{{"retriage_partial", NULL}}, {RT_CONTENT_PARTIAL, "a partial summary"}},
    {{{"total_issues", NULL}, {"issues_by_severity", NULL}},
     OTHER("an issues summary, which retriage has made")},
    {{{"updated_count", NULL}, {"failed_count", NULL}}, OTHER("the result of a bulk update")},
    {{{"valid", NULL}, {"fault_count", NULL}}, OTHER("a report of retriage validate")},
    {{{"valid", NULL}, {"torn_bytes", NULL}}, OTHER("a report of retriage verify")},
    {{{"paging", NULL}, {"issues", "\"component\""}}, NO_LOG("SonarQube's issues")},
    {{{"issues", list}}, {RT_CONTENT_EXPORT, EXPORT}},
    {{{"rulesets", list}}, {RT_CONTENT_EXPORT, EXPORT}},
    {{{"$schema", "sarif"}, {"runs", NULL}}, {RT_CONTENT_EXPORT, SARIF}},
    {{{"version", "2."}, {"runs", NULL}}, {RT_CONTENT_EXPORT, SARIF}},
    {{{"runs", "\"driver\""}}, OTHER(NO_VERSION)},
    {{{"$schema", "sarif"}, {"version", "2."}}, OTHER(SARIF " without runs")},
    {{{"check_type", NULL}, {"results", NULL}}, TOOL("Checkov's report", "checkov -o sarif")},
    {{{"checkov_version", NULL}}, TOOL("Checkov's report", "checkov -o sarif")},
    {{{"url", "/code-scanning/alerts/"}}, TOOL_ALERTS},
    {{{"number", NULL}, {"rule", NULL}, {"tool", NULL}}, TOOL_ALERTS},
    {{{"most_recent_instance", NULL}}, TOOL_ALERTS},
    {{{"url", "/dependabot/alerts/"}}, NO_LOG("GitHub's Dependabot alerts")},
    {{{"security_advisory", NULL}}, NO_LOG("GitHub's Dependabot alerts")},
    {{{"url", "/secret-scanning/alerts/"}}, NO_LOG("GitHub's secret scanning alerts")},
    {{{"number", NULL}, {"secret_type", NULL}}, NO_LOG("GitHub's secret scanning alerts")},
    {{{"@context", "openvex"}}, OTHER("an OpenVEX document, which is not read")},
    {{{"document", "\"csaf_"}}, OTHER("a CSAF document, which is not read")},
    {{{"bomFormat", NULL}}, OTHER("a CycloneDX bill of materials")},
    {{{"spdxVersion", NULL}}, OTHER("an SPDX bill of materials")},
    {{{"template-id", NULL}, {"info", NULL}},
     TOOL("nuclei's findings", "nuclei -sarif-export FILE")},
    {{{"id", NULL}, {"scan_id", NULL}}, {RT_CONTENT_EXPORT, EXPORT}},
    {{{"id", NULL}, {"file_path", NULL}}, {RT_CONTENT_EXPORT, EXPORT}},
    {{{"id", NULL}, {"severity", NULL}}, {RT_CONTENT_EXPORT, EXPORT}},
    {{{"id", NULL}, {"rules_text", NULL}}, {RT_CONTENT_EXPORT, EXPORT}},
    {{{"issue_ids", NULL}}, {RT_CONTENT_REQUEST, "a bulk-update request"}},
    {{{"ArtifactName", NULL}}, TOOL("Trivy's report", "trivy convert --format sarif")},
    {{{"kics_version", NULL}}, TOOL("KICS' report", "kics scan --report-formats sarif")},
    {{{"Golang errors", NULL}}, TOOL("gosec's report", "gosec -fmt sarif")},
    {{{"filePath", NULL}, {"messages", NULL}},
     TOOL("ESLint's results", "eslint -f @microsoft/eslint-formatter-sarif")},
    {{{"code", "\"DL"}, {"level", NULL}}, TOOL("Hadolint's findings", "hadolint -f sarif")},
    {{{"code", "\"SC"}, {"level", NULL}}, TOOL("Hadolint's findings", "hadolint -f sarif")},
    {{{"results", "\"long_id\""}}, TOOL("tfsec's results", "tfsec --format sarif")},
    {{{"scan_info", "brakeman"}}, TOOL("Brakeman's report", "brakeman -f sarif")},
    {{{"scanOriginResource", NULL}}, TOOL("Wiz' report", "wizcli --output FILE,sarif")},
    {{{"results", "\"numerical_severity\""}}, NO_LOG("DefectDojo's findings")},
    {{{"findings", "\"numerical_severity\""}}, NO_LOG("DefectDojo's findings")},
    {{{"findings", "\"title\""}}, NO_LOG("findings for DefectDojo's generic import")},
    {{{"results", "\"check_id\""}}, TOOL("Semgrep's results", "semgrep scan --sarif")},
    {{{"paths", "\"scanned\""}}, TOOL("Semgrep's results", "semgrep scan --sarif")},
    {{{"vulnerabilities", "\"SNYK-"}}, TOOL("Snyk's results", "snyk test --sarif")},
    {{{"dependencyCount", NULL}}, TOOL("Snyk's results", "snyk test --sarif")},
    {{{"matches", "\"vulnerability\""}}, TOOL("Grype's matches", "grype -o sarif")},
    {{{"RuleID", NULL}}, TOOL("Gitleaks' findings", "gitleaks --report-format sarif")},
    {{{"generated_at", NULL}, {"metrics", "\"CONFIDENCE."}},
     TOOL("Bandit's results", "bandit -f sarif")},
    {{{"errors", list}, {"generated_at", NULL}, {"results", list}},
     TOOL("Bandit's results", "bandit -f sarif")},
    {{{"results", "\"ecosystem\""}, {"results", "\"packages\""}},
     TOOL("OSV-Scanner's results", "osv-scanner --format sarif")},
    {{{"plugins_used", NULL}}, NO_LOG("detect-secrets' results")},
    {{{"auditReportVersion", NULL}}, OTHER("the report of npm audit")},
    {{{"check_name", NULL}}, OTHER("a Code Quality report")},
    {{{"scan", "\"scanner\""}}, OTHER("a GitLab security report")},
    {{{"vulnerabilities", "\"scanner\""}}, OTHER("a GitLab security report")},
    {{{"schema", "security-report-schemas"}}, OTHER("a GitLab security report")},
};
#define DOCUMENTS (sizeof(documents) / sizeof(documents[0]))

/* Which of the members of each row were met: a bit each. */
struct met {
	uint8_t bits[DOCUMENTS];
};

/* XML by what is in it. */
static const struct {
	const char *within, *have;
} markups[] = {
    {"<html", "an HTML page"},
    {"<testsuite", "a JUnit report"},
    {"<checkstyle", "a Checkstyle report"},
    {"<BugCollection", "SpotBugs' report; spotbugs -sarif writes a log that is read"},
    {"<pmd", "PMD's report; pmd check -f sarif writes a log that is read"},
};

/* First bytes of files that are no text, or only look like it. */
static const struct {
	struct rt_slice head;
	const char *have;
} signatures[] = {
    {{"%PDF-", 5}, "a PDF document"},
    {{"Rar!\x1a\x07", 6}, "a RAR archive"},
    {{"\x7f"
      "ELF",
      4},
     "an ELF program"},
    {{"\x89PNG\r\n", 6}, "a PNG image"},
    {{"\xff\xd8\xff", 3}, "a JPEG image"},
    {{"GIF8", 4}, "a GIF image"},
    {{"SQLite format 3\0", 16}, "an SQLite database"},
    {{"!<arch>\n", 8}, "an ar archive"},
    {{"MSCF\0\0\0\0", 8}, "a cabinet archive"},
    {{"\xed\xab\xee\xdb", 4}, "an RPM package"},
    {{"\xca\xfe\xba\xbe", 4}, "a Java class"},
    {{"\x1f\x9d", 2}, "data of compress (.Z)"},
    {{"LZIP", 4}, "lzip data"},
    {{"\x5d\0\0", 3}, "lzma data"},
};

/* What is after "have", where the file has a place of its own. */
static const struct {
	enum rt_content want, have;
	const char *words;
} places[] = {
    {RT_CONTENT_EXPORT, RT_CONTENT_JOURNAL, ", which goes with --journal beside its base export"},
    {RT_CONTENT_EXPORT, RT_CONTENT_REQUEST,
     ", which apply takes after the EXPORT, and validate with --as request"},
    {RT_CONTENT_REQUEST, RT_CONTENT_EXPORT, ", which apply takes before the REQUESTs"},
    {RT_CONTENT_REQUEST, RT_CONTENT_JOURNAL, ", which goes with --journal"},
    {RT_CONTENT_EXPORT, RT_CONTENT_PARTIAL, ", which merge reads"},
    {RT_CONTENT_PARTIAL, RT_CONTENT_EXPORT, ", of which summary --partial makes one"},
};

static bool starts_with(struct rt_slice text, struct rt_slice with)
{
	return text.len >= with.len && memcmp(text.ptr, with.ptr, with.len) == 0;
}

/* Likewise, whatever the case of the letters; with: NUL-terminated. */
static bool starts_like(struct rt_slice text, const char *with)
{
	return text.len >= strlen(with) && strncasecmp(text.ptr, with, strlen(with)) == 0;
}

/* A member was met; value: as far as it is known. */
static void meet(struct met *met, struct rt_slice name, struct rt_slice value)
{
	for (size_t row = 0; row < DOCUMENTS; row++) {
		for (unsigned i = 0; i < NEEDS && documents[row].needs[i].name; i++) {
			const struct need *need = &documents[row].needs[i];
			bool has = true;

			if (!rt_slice_equal(name, rt_slice_make(need->name, strlen(need->name))))
				continue;
			if (need->within == list)
				has = value.len && *value.ptr == '[';
			else if (need->within)
				has = memmem(value.ptr, value.len, need->within,
					     strlen(need->within));
			met->bits[row] |= (uint8_t)(has << i);
		}
	}
}

/* The members of the first object of JSON text, as far as it goes. */
static void meet_json(struct met *met, struct rt_slice text)
{
	const char *end = rt_slice_end(text), *at = text.ptr;
	struct rt_items items;
	struct rt_item item;

	if (*at == '[')
		at = rt_items_blanks(at + 1, end);
	if (at == end || *at != '{')
		return;
	rt_items_init(&items, rt_slice_make(at, (size_t)(end - at)));
	while (rt_items_next(&items, &item))
		meet(met, item.key, item.value);
}

/* Take a line off text, its end included. Returns it without. */
static struct rt_slice take_line(struct rt_slice *text)
{
	const char *feed = memchr(text->ptr, '\n', text->len);
	struct rt_slice line = *text;

	if (feed)
		line.len = (size_t)(feed - text->ptr);
	text->ptr += line.len + (feed != NULL);
	text->len -= line.len + (feed != NULL);
	return line;
}

/* The first row whose members are all there; nothing where there is none. */
static struct kind document_of(const struct met *met)
{
	for (size_t row = 0; row < DOCUMENTS; row++) {
		uint8_t all = 0;

		for (unsigned i = 0; i < NEEDS && documents[row].needs[i].name; i++)
			all |= (uint8_t)(1u << i);
		if (met->bits[row] == all)
			return documents[row].kind;
	}
	return (struct kind){RT_CONTENT_NOTHING, NULL};
}

/*
 * Take a row of a table off text: fields may be quoted, with line breaks in them. Returns the
 * separators in it, but where strict those before a blank or at its end, as a sentence has.
 */
static size_t take_row(struct rt_slice *text, char separator, bool strict)
{
	const char *at = text->ptr, *end = rt_slice_end(*text);
	bool quoted = false;
	size_t count = 0;

	for (; at < end && (quoted || *at != '\n'); at++) {
		if (*at == '"')
			quoted = !quoted;
		else if (!quoted && *at == separator)
			count += !strict || (at + 1 < end && at[1] != ' ' && at[1] != '\n');
	}
	at += at < end;
	*text = rt_slice_make(at, (size_t)(end - at));
	return count;
}

#define LONG_ROW 4000u

/* A row of names, and another one with as many fields, or nothing after three names or more. */
static bool is_table(struct rt_slice text)
{
	static const char separators[] = ",;\t";
	struct rt_slice rest = text, first = take_line(&rest);

	if (first.len == 0 || strchr("{[<%#-&*!|>", first.ptr[0]))
		return false;
	for (size_t i = 0; i < first.len; i++) {
		if (!first.ptr[i] || strchr("{}[]:", first.ptr[i]))
			return false;
	}
	for (const char *c = separators; *c; c++) {
		size_t fields;
		bool alone;

		rest = text;
		fields = take_row(&rest, *c, true);
		alone = !rest.len && !memchr(first.ptr, ' ', first.len);
		if (fields > 1 && alone)
			return true;
		if (fields > 0 && rest.len && take_row(&rest, *c, false) >= fields)
			return true;
		/* The second row may be longer than what is seen of it. */
		if (fields > 1 && !alone && !rest.len && text.len >= LONG_ROW)
			return true;
	}
	return false;
}

static const char *text_name(struct rt_slice head)
{
	bool markup = head.len > 1 && head.ptr[0] == '<' &&
		      ((head.ptr[1] | 0x20) >= 'a' ? (head.ptr[1] | 0x20) <= 'z'
						   : head.ptr[1] == '?' || head.ptr[1] == '!');

	if (starts_like(head, "<!doctype html"))
		return "an HTML page";
	for (size_t i = 0; markup && i < sizeof(markups) / sizeof(markups[0]); i++) {
		const char *within = markups[i].within;

		if (memmem(head.ptr, head.len, within, strlen(within)) || starts_like(head, within))
			return markups[i].have;
	}
	if (markup)
		return "an XML document";
	return is_table(head) ? "a table of separated values (CSV)" : NULL;
}

/* Whether a line begins as JSON does that fills it. */
static bool begins_json(struct rt_slice line)
{
	char next = line.len > 1 ? line.ptr[1] : ' ';

	return line.len && ((*line.ptr == '{' && strchr(" \t\r\"}", next)) ||
			    (*line.ptr == '[' && strchr(" \t\r{]", next)));
}

/* Lines before the one with which JSON begins, which are what a program has printed before it; 0:
 * they are none, or may be before YAML. */
static unsigned lines_before_json(struct rt_slice text)
{
	unsigned count = 0, of_yaml = 0;
	bool is_marked = false; /* as the start of a document of YAML */

	while (text.len > 0) {
		struct rt_slice line = take_line(&text);

		if (begins_json(line))
			return count > of_yaml && !is_marked ? count : 0;
		is_marked = line.len < 5 && starts_with(line, RT_SLICE("---"));
		count++;
		of_yaml += line.len == 0 || strchr("#%\r", *line.ptr) ||
			   starts_with(line, RT_SLICE("---"));
	}
	return 0;
}

static const char *binary_name(struct rt_slice head)
{
	for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++) {
		if (starts_with(head, signatures[i].head))
			return signatures[i].have;
	}
	/* Two letters are no more than a word, but not before a NUL. */
	if (starts_with(head, RT_SLICE("MZ")) && memchr(head.ptr, 0, head.len))
		return "a Windows program";
	return NULL;
}

static struct kind kind_of(enum rt_content want, struct rt_slice head, struct rt_slice made)
{
	struct kind other = {RT_CONTENT_OTHER, binary_name(head)}, kind;
	bool json = head.len > 0 && (head.ptr[0] == '{' || head.ptr[0] == '[');
	struct met met = {{0}};

	if (!other.have && !json)
		other.have = text_name(head);
	if (other.have)
		return other;
	if (json || made.len)
		meet_json(&met, json ? head : made);
	kind = document_of(&met);
	/* The version may also stand after the runs, where it is not seen. */
	if (want != RT_CONTENT_EXPORT && kind.have && strcmp(kind.have, NO_VERSION) == 0)
		kind = (struct kind){RT_CONTENT_EXPORT, SARIF};
	/* A log is read only where it is an object by itself. */
	if (kind.have && *head.ptr != '{' && strncmp(kind.have, SARIF, sizeof(SARIF) - 1) == 0)
		kind = (struct kind){RT_CONTENT_OTHER, *head.ptr == '[' ? "SARIF logs in an array"
									: SARIF " as YAML"};
	return kind;
}

static const char *want_name(enum rt_content want)
{
	if (want == RT_CONTENT_JOURNAL)
		return "a journal";
	if (want == RT_CONTENT_PARTIAL)
		return "a partial summary";
	return want == RT_CONTENT_REQUEST ? "a bulk-update request" : EXPORT;
}

/* Words that go after what a file is. */
static const char *place_words(enum rt_content want, enum rt_content have)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (places[i].want == want && places[i].have == have)
			return places[i].words;
	}
	return "";
}

/* Whether this was a journal's first line, of which bytes have been changed since. */
static bool is_damaged_journal(struct rt_slice head)
{
	size_t len = head.len < 64 ? head.len : 64;

	return memmem(head.ptr, len, "retriage_", 9) || memmem(head.ptr, len, "journal\":", 9);
}

enum rt_content rt_content_tell(enum rt_content want, struct rt_slice head, struct rt_slice made,
				struct rt_error *err)
{
	enum rt_magic magic = rt_magic_find((const uint8_t *)head.ptr, head.len);
	struct kind kind = kind_of(want, head, made);
	unsigned before = magic || kind.have ? 0 : lines_before_json(head);
	struct rt_error told;

	if (magic != RT_MAGIC_NONE)
		kind = (struct kind){RT_CONTENT_OTHER, rt_magic_name(magic)};
	if (before)
		kind.content = RT_CONTENT_OTHER;
	if (kind.content == RT_CONTENT_NOTHING || kind.content == want ||
	    (want == RT_CONTENT_JOURNAL && is_damaged_journal(head)))
		return RT_CONTENT_NOTHING;
	if (before)
		(void)rt_error_set(&told, RT_E_USAGE, "the JSON begins after %u line%s of text",
				   before, RT_S(before));
	else
		(void)rt_error_set(&told, RT_E_USAGE, "want %s, have %s%s", want_name(want),
				   kind.have, magic ? " data" : place_words(want, kind.content));
	rt_error_at(&told, err->path, err->member);
	*err = told;
	return kind.content;
}
