/*
 * Tells by its first bytes what a file is that was refused. Input: those bytes. Output: a message.
 * Refuses to guess: a row of the tables below has to fit.
 */
#include "record/likeness.h"

#include <string.h>
#include <strings.h>

#include "decode/magic.h"
#include "scan/items.h"

/* Names of members that tell documents apart; a bit each. */
enum {
	N_JOURNAL = 1 << 0,
	N_TOTAL = 1 << 1,
	N_LEVELS = 1 << 2,
	N_UPDATED = 1 << 3,
	N_FAILED = 1 << 4,
	N_VALID = 1 << 5,
	N_FAULTS = 1 << 6,
	N_HEAD = 1 << 7,
	N_ISSUE_IDS = 1 << 8,
	N_ISSUES = 1 << 9,
	N_RULESETS = 1 << 10,
	N_ID = 1 << 11,
	N_OF_ISSUE = 1 << 12,
	N_OF_RULESET = 1 << 13,
	N_RUNS = 1 << 14,
	N_SCHEMA = 1 << 15, /* "$schema" that names SARIF */
	N_VERSION = 1 << 16,
	N_PARTIAL = 1 << 17,
	N_TRIVY = 1 << 18,
	N_SEMGREP = 1 << 19,
	N_SNYK = 1 << 20,
	N_GRYPE = 1 << 21,
	N_GITLEAKS = 1 << 22,
	N_GENERATED = 1 << 23,
	N_METRICS = 1 << 24,
	N_NPM_AUDIT = 1 << 25,
	N_CYCLONEDX = 1 << 26,
	N_SPDX = 1 << 27,
	N_CODE_QUALITY = 1 << 28,
	N_GITLAB = 1 << 29,
	N_GITHUB = 1 << 30,
};

static const struct {
	const char *name;
	unsigned bit;
	const char *within; /* that its value has in it; NULL: whatever it is */
} names[] = {
    {"retriage_journal", N_JOURNAL, NULL},
    {"total_issues", N_TOTAL, NULL},
    {"issues_by_severity", N_LEVELS, NULL},
    {"updated_count", N_UPDATED, NULL},
    {"failed_count", N_FAILED, NULL},
    {"valid", N_VALID, NULL},
    {"fault_count", N_FAULTS, NULL},
    {"torn_bytes", N_HEAD, NULL},
    {"issue_ids", N_ISSUE_IDS, NULL},
    {"issues", N_ISSUES, NULL},
    {"rulesets", N_RULESETS, NULL},
    {"id", N_ID, NULL},
    {"scan_id", N_OF_ISSUE, NULL},
    {"file_path", N_OF_ISSUE, NULL},
    {"severity", N_OF_ISSUE, NULL},
    {"rules_text", N_OF_RULESET, NULL},
    {"runs", N_RUNS, NULL},
    {"$schema", N_SCHEMA, "sarif"},
    {"version", N_VERSION, "2."},
    {"retriage_partial", N_PARTIAL, NULL},
    {"ArtifactName", N_TRIVY, NULL},
    {"results", N_SEMGREP, "\"check_id\""},
    {"paths", N_SEMGREP, "\"scanned\""},
    {"vulnerabilities", N_SNYK, "\"SNYK-"},
    {"dependencyCount", N_SNYK, NULL},
    {"matches", N_GRYPE, "\"vulnerability\""},
    {"RuleID", N_GITLEAKS, NULL},
    {"generated_at", N_GENERATED, NULL},
    {"metrics", N_METRICS, "\"CONFIDENCE."},
    {"auditReportVersion", N_NPM_AUDIT, NULL},
    {"bomFormat", N_CYCLONEDX, NULL},
    {"spdxVersion", N_SPDX, NULL},
    {"check_name", N_CODE_QUALITY, NULL},
    {"scan", N_GITLAB, "\"scanner\""},
    {"url", N_GITHUB, "/code-scanning/alerts/"},
    {"schema", N_GITLAB, "security-report-schemas"},
};

/* What is known of a kind of file. */
struct kind {
	enum rt_likeness likeness;
	const char *have;
};

#define EXPORT "an export of issues or rulesets"
#define SARIF "a SARIF log"
/* What another tool writes, and the command by which it writes a log. */
#define TOOL(name, command) name " in a format of its own; " command " writes a log that is read"

/* The first row all of whose members are there. */
static const struct {
	unsigned bits;
	struct kind kind;
} documents[] = {
    {N_JOURNAL, {RT_LIKE_JOURNAL, "a journal of retriage"}},
    {N_PARTIAL, {RT_LIKE_PARTIAL, "a partial summary"}},
    {N_TOTAL | N_LEVELS, {RT_LIKE_OTHER, "an issues summary, which retriage has made"}},
    {N_UPDATED | N_FAILED, {RT_LIKE_OTHER, "the result of a bulk update"}},
    {N_VALID | N_FAULTS, {RT_LIKE_OTHER, "a report of retriage validate"}},
    {N_VALID | N_HEAD, {RT_LIKE_OTHER, "a report of retriage verify"}},
    {N_ISSUES, {RT_LIKE_EXPORT, EXPORT}},
    {N_RULESETS, {RT_LIKE_EXPORT, EXPORT}},
    {N_SCHEMA | N_RUNS, {RT_LIKE_EXPORT, SARIF}},
    {N_VERSION | N_RUNS, {RT_LIKE_EXPORT, SARIF}},
    {N_SCHEMA | N_VERSION, {RT_LIKE_OTHER, SARIF " without runs"}},
    {N_ID | N_OF_ISSUE, {RT_LIKE_EXPORT, EXPORT}},
    {N_ID | N_OF_RULESET, {RT_LIKE_EXPORT, EXPORT}},
    {N_ISSUE_IDS, {RT_LIKE_REQUEST, "a bulk-update request"}},
    {N_TRIVY, {RT_LIKE_OTHER, TOOL("Trivy's report", "trivy convert --format sarif")}},
    {N_SEMGREP, {RT_LIKE_OTHER, TOOL("Semgrep's results", "semgrep scan --sarif")}},
    {N_SNYK, {RT_LIKE_OTHER, TOOL("Snyk's results", "snyk test --sarif")}},
    {N_GRYPE, {RT_LIKE_OTHER, TOOL("Grype's matches", "grype -o sarif")}},
    {N_GITLEAKS, {RT_LIKE_OTHER, TOOL("Gitleaks' findings", "gitleaks --report-format sarif")}},
    {N_GENERATED | N_METRICS, {RT_LIKE_OTHER, TOOL("Bandit's results", "bandit -f sarif")}},
    {N_GITHUB,
     {RT_LIKE_OTHER,
      TOOL("GitHub's code scanning alerts", "gh api -H 'Accept: application/sarif+json' "
					    "repos/OWNER/REPO/code-scanning/analyses/ID")}},
    {N_NPM_AUDIT, {RT_LIKE_OTHER, "the report of npm audit"}},
    {N_CYCLONEDX, {RT_LIKE_OTHER, "a CycloneDX bill of materials"}},
    {N_SPDX, {RT_LIKE_OTHER, "an SPDX bill of materials"}},
    {N_CODE_QUALITY, {RT_LIKE_OTHER, "a Code Quality report"}},
    {N_GITLAB, {RT_LIKE_OTHER, "a GitLab security report"}},
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

/* What stands after "have", where the file has a place of its own. */
static const struct {
	enum rt_likeness want, have;
	const char *words;
} places[] = {
    {RT_LIKE_EXPORT, RT_LIKE_JOURNAL, ", which goes with --journal beside its base export"},
    {RT_LIKE_EXPORT, RT_LIKE_REQUEST,
     ", which apply takes after the EXPORT, and validate with --as request"},
    {RT_LIKE_REQUEST, RT_LIKE_EXPORT, ", which apply takes before the REQUESTs"},
    {RT_LIKE_REQUEST, RT_LIKE_JOURNAL, ", which goes with --journal"},
    {RT_LIKE_EXPORT, RT_LIKE_PARTIAL, ", which merge reads"},
    {RT_LIKE_PARTIAL, RT_LIKE_EXPORT, ", of which summary --partial makes one"},
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

/* The bit of a member; value: as far as it is known, in YAML from the colon on. */
static unsigned name_bit(struct rt_slice name, struct rt_slice value)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!rt_slice_equal(name, rt_slice_make(names[i].name, strlen(names[i].name))))
			continue;
		if ((names[i].bit == N_ISSUES || names[i].bit == N_RULESETS) &&
		    (value.len == 0 || (value.ptr[0] != '[' && value.ptr[0] != ':')))
			return 0;
		if (names[i].within &&
		    !memmem(value.ptr, value.len, names[i].within, strlen(names[i].within)))
			return 0;
		if (names[i].bit == N_RUNS && memmem(value.ptr, value.len, "\"driver\"", 8))
			return N_RUNS | N_VERSION;
		return names[i].bit;
	}
	return 0;
}

/* The members of the first object of JSON text, as far as it goes. */
static unsigned json_bits(struct rt_slice text)
{
	const char *end = rt_slice_end(text), *at = text.ptr;
	struct rt_items items;
	struct rt_item item;
	unsigned bits = 0;

	if (*at == '[')
		at = rt_items_blanks(at + 1, end);
	if (at == end || *at != '{')
		return 0;
	rt_items_init(&items, rt_slice_make(at, (size_t)(end - at)));
	while (rt_items_next(&items, &item))
		bits |= name_bit(item.key, item.value);
	return bits;
}

/* The member that a line of YAML begins with, indented by two columns at most. */
static unsigned line_bit(struct rt_slice line, bool *ret_inner)
{
	struct rt_slice name;
	const char *colon;

	*ret_inner = starts_with(line, RT_SLICE("- ")) || starts_with(line, RT_SLICE("  "));
	if (*ret_inner)
		line = rt_slice_make(line.ptr + 2, line.len - 2);
	if (line.len > 0 && (line.ptr[0] == '"' || line.ptr[0] == '\''))
		line = rt_slice_make(line.ptr + 1, line.len - 1);
	colon = memchr(line.ptr, ':', line.len);
	if (!colon)
		return 0;
	name = rt_slice_make(line.ptr, (size_t)(colon - line.ptr));
	if (name.len > 0 && (name.ptr[name.len - 1] == '"' || name.ptr[name.len - 1] == '\''))
		name.len--;
	return name_bit(name, rt_slice_make(colon, line.len - (size_t)(colon - line.ptr)));
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
static struct kind document_of(unsigned bits)
{
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		if ((bits & documents[i].bits) == documents[i].bits)
			return documents[i].kind;
	}
	return (struct kind){RT_LIKE_NOTHING, NULL};
}

/* Whether a line begins at its first column with what is neither of a mapping nor of a list. */
static bool is_prose(struct rt_slice line)
{
	return line.len > 0 && !strchr(" \t\r#-%.?{}[]\"'", line.ptr[0]) &&
	       !memchr(line.ptr, ':', line.len);
}

/* What the members of a mapping at the top say counts before those of a list in it. */
static struct kind yaml_kind(struct rt_slice text)
{
	unsigned outer = 0, inner = 0;
	struct kind kind;

	while (text.len > 0) {
		struct rt_slice line = take_line(&text);
		bool is_inner;
		unsigned bit = line_bit(line, &is_inner);

		if (is_prose(line))
			return document_of(0);
		if (is_inner)
			inner |= bit;
		else
			outer |= bit;
	}
	kind = document_of(outer);
	return kind.have ? kind : document_of(outer | inner);
}

/* Separators in a line. loose: also those before a blank or at the end, as a sentence has. */
static size_t count_separators(struct rt_slice line, char c, bool loose)
{
	size_t count = 0;

	for (size_t i = 0; i < line.len; i++)
		count +=
		    line.ptr[i] == c && (loose || (i + 1 < line.len && line.ptr[i + 1] != ' '));
	return count;
}

/* A first line of names, and a second one with as many fields. */
static bool is_table(struct rt_slice text)
{
	static const char separators[] = ",;\t";
	struct rt_slice first = take_line(&text), second = take_line(&text);

	if (first.len == 0 || strchr("{[<%#-&*!|>", first.ptr[0]))
		return false;
	for (size_t i = 0; i < first.len; i++) {
		if (!first.ptr[i] || strchr("{}[]:", first.ptr[i]))
			return false;
	}
	for (const char *c = separators; *c; c++) {
		size_t fields = count_separators(first, *c, false);

		if (fields > 0 && count_separators(second, *c, true) >= fields)
			return true;
	}
	return false;
}

static const char *text_name(struct rt_slice head)
{
	bool markup = head.len > 1 && head.ptr[0] == '<' &&
		      ((head.ptr[1] | 0x20) >= 'a' ? (head.ptr[1] | 0x20) <= 'z'
						   : head.ptr[1] == '?' || head.ptr[1] == '!');

	if (starts_like(head, "<!doctype html") || starts_like(head, "<html") ||
	    (markup && memmem(head.ptr, head.len, "<html", 5)))
		return "an HTML page";
	if (markup)
		return "an XML document";
	return is_table(head) ? "a table of separated values (CSV)" : NULL;
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

/* A log is read only where it is a JSON object by itself. */
static struct kind log_kind(struct kind kind, char first)
{
	if (!kind.have || first == '{' || strncmp(kind.have, SARIF, sizeof(SARIF) - 1) != 0)
		return kind;
	return (struct kind){RT_LIKE_OTHER,
			     first == '[' ? "SARIF logs in an array" : SARIF " as YAML"};
}

static struct kind kind_of(struct rt_slice head)
{
	struct kind other = {RT_LIKE_OTHER, binary_name(head)};
	bool json = head.len > 0 && (head.ptr[0] == '{' || head.ptr[0] == '[');

	if (!other.have && !json)
		other.have = text_name(head);
	if (other.have)
		return other;
	return log_kind(json ? document_of(json_bits(head)) : yaml_kind(head),
			head.len > 0 ? head.ptr[0] : ' ');
}

static const char *want_name(enum rt_likeness want)
{
	if (want == RT_LIKE_JOURNAL)
		return "a journal";
	if (want == RT_LIKE_PARTIAL)
		return "a partial summary";
	return want == RT_LIKE_REQUEST ? "a bulk-update request" : EXPORT;
}

/* Words that go after what a file is. */
static const char *place_words(enum rt_likeness want, enum rt_likeness have)
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

enum rt_likeness rt_likeness_tell(enum rt_likeness want, struct rt_slice head, struct rt_error *err)
{
	enum rt_magic magic = rt_magic_find((const uint8_t *)head.ptr, head.len);
	struct kind kind = kind_of(head);
	struct rt_error told;

	if (magic != RT_MAGIC_NONE)
		kind = (struct kind){RT_LIKE_OTHER, rt_magic_name(magic)};
	if (kind.likeness == RT_LIKE_NOTHING || kind.likeness == want ||
	    (want == RT_LIKE_JOURNAL && is_damaged_journal(head)))
		return RT_LIKE_NOTHING;
	(void)rt_error_set(&told, RT_E_USAGE, "want %s, have %s%s", want_name(want), kind.have,
			   magic ? " data" : place_words(want, kind.likeness));
	rt_error_at(&told, err->path, err->member);
	*err = told;
	return kind.likeness;
}
