/*
 * Peer: the issues summary by simdjson's on-demand reader, as one would write it for speed.
 *
 * Input: a file that holds one array of issues. Output: the summary of SPEC D9 as one line.
 * The whole file is loaded; each record is passed over once; only records that enter the recent
 * ten are kept, as borrowed raw text, and are read again at the end.
 * On-demand checks only what it touches.
 */
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <simdjson.h>

namespace od = simdjson::ondemand;

static const char *const members[] = {
	"id", "scan_id", "file_path", "line_number", "category", "severity", "confidence", "title",
	"description", "column_start", "column_end", "explanation", "code_snippet",
	"context_before", "context_after", "remediation", "remediation_code", "cwe_ids",
	"owasp_category", "cvss_score", "tags", "model_used", "false_positive", "exploitable",
	"created_at", "updated_at", "repo_name", "scan_status", "scan_created_at",
};

static const std::string_view levels[] = {"critical", "high", "medium", "low", "info"};

static constexpr size_t recent_max = 10;

struct recent {
	std::string_view created_at; /* in the parser's string buffer */
	std::string id;
	std::string_view raw; /* the record in the loaded file */

	bool before(const recent &other) const
	{
		if (created_at != other.created_at)
			return created_at > other.created_at;
		return id < other.id;
	}
};

struct summary {
	uint64_t total = 0;
	uint64_t false_positives = 0;
	std::unordered_map<std::string_view, uint64_t> severities;
	std::unordered_map<std::string_view, uint64_t> categories;
	std::vector<recent> newest;
};

struct wanted {
	std::string_view category = "unknown";
	std::string_view severity = "unknown";
	std::string_view created_at;
	bool false_positive = false;
};

static std::string_view string_or(od::value value, std::string_view otherwise)
{
	std::string_view text;

	return value.get_string().get(text) ? otherwise : text;
}

static bool true_or_false(od::value value)
{
	bool flag;

	return !value.get_bool().get(flag) && flag;
}

/*
 * Members by name, in the order in which exporters write them: each look-up goes on after the one
 * before, and only a member that is missing or out of order costs a second walk.
 */
static void read_wanted(od::object &issue, wanted &out)
{
	od::value value;

	if (!issue.find_field_unordered("category").get(value))
		out.category = string_or(value, out.category);
	if (!issue.find_field_unordered("severity").get(value))
		out.severity = string_or(value, out.severity);
	if (!issue.find_field_unordered("false_positive").get(value))
		out.false_positive = true_or_false(value);
	if (!issue.find_field_unordered("created_at").get(value))
		out.created_at = string_or(value, out.created_at);
}

static void keep(summary &sum, recent candidate)
{
	auto at = std::find_if(sum.newest.begin(), sum.newest.end(),
			       [&](const recent &other) { return candidate.before(other); });

	sum.newest.insert(at, std::move(candidate));
	if (sum.newest.size() > recent_max)
		sum.newest.pop_back();
}

static void read_issue(od::object issue, summary &sum)
{
	wanted found;
	bool full = sum.newest.size() == recent_max;

	read_wanted(issue, found);
	sum.total++;
	sum.false_positives += found.false_positive;
	sum.severities[found.severity]++;
	sum.categories[found.category]++;
	if (full && found.created_at < sum.newest.back().created_at)
		return;
	issue.reset();
	recent candidate;
	candidate.created_at = found.created_at;
	candidate.id = std::string(std::string_view(issue.find_field_unordered("id")));
	issue.reset();
	candidate.raw = issue.raw_json();
	keep(sum, std::move(candidate));
}

static void print_count(uint64_t count)
{
	printf("%llu", static_cast<unsigned long long>(count));
}

static void print_string(std::string_view text)
{
	putchar('"');
	for (char c : text) {
		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (static_cast<unsigned char>(c) < 0x20)
			printf("\\u%04x", static_cast<unsigned>(c));
		else
			putchar(c);
	}
	putchar('"');
}

static void print_severities(const summary &sum)
{
	std::map<std::string_view, uint64_t> rest(sum.severities.begin(), sum.severities.end());
	const char *comma = "";

	printf("{");
	for (auto level : levels) {
		auto found = rest.find(level);

		printf("%s", comma);
		print_string(level);
		printf(":");
		print_count(found == rest.end() ? 0 : found->second);
		rest.erase(level);
		comma = ",";
	}
	for (auto &one : rest) {
		printf(",");
		print_string(one.first);
		printf(":");
		print_count(one.second);
	}
	printf("}");
}

static void print_categories(const summary &sum)
{
	std::map<std::string_view, uint64_t> sorted(sum.categories.begin(), sum.categories.end());
	const char *comma = "";

	printf("{");
	for (auto &one : sorted) {
		printf("%s", comma);
		print_string(one.first);
		printf(":");
		print_count(one.second);
		comma = ",";
	}
	printf("}");
}

/* A record again, with its 29 members in the documented order. */
static void print_issue(const recent &one)
{
	simdjson::dom::parser parser;
	simdjson::dom::element record = parser.parse(one.raw.data(), one.raw.size());
	const char *comma = "{";

	for (const char *name : members) {
		simdjson::dom::element value;
		bool absent = record[name].get(value) != simdjson::SUCCESS || value.is_null();

		printf("%s\"%s\":", comma, name);
		if (!absent)
			fputs(simdjson::minify(value).c_str(), stdout);
		else
			fputs(std::string_view(name) == "false_positive" ? "false" : "null", stdout);
		comma = ",";
	}
	printf("}");
}

static void print_summary(const summary &sum)
{
	const char *comma = "";

	printf("{\"total_issues\":");
	print_count(sum.total);
	printf(",\"issues_by_severity\":");
	print_severities(sum);
	printf(",\"issues_by_category\":");
	print_categories(sum);
	printf(",\"false_positive_count\":");
	print_count(sum.false_positives);
	printf(",\"recent_issues\":[");
	for (auto &one : sum.newest) {
		printf("%s", comma);
		print_issue(one);
		comma = ",";
	}
	printf("]}\n");
}

static int run(const char *path)
{
	simdjson::padded_string text = simdjson::padded_string::load(path);
	od::parser parser;
	od::document document = parser.iterate(text);
	summary sum;

	for (auto element : document.get_array())
		read_issue(element.get_object(), sum);
	print_summary(sum);
	return fflush(stdout) == 0 ? 0 : 3;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: peer_simdjson FILE\n", stderr);
		return 2;
	}
	try {
		return run(argv[1]);
	} catch (const simdjson::simdjson_error &error) {
		fprintf(stderr, "peer_simdjson: %s: %s\n", argv[1], error.what());
		return 2;
	}
}
