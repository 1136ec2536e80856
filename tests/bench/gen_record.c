/*
 * Issues and rulesets with the members of the service contract, in its order.
 *
 * Input: a plan and a record's number. Output: the record's members as text.
 * Each record has a random sequence of its own, so that record 7 is the same in every export of
 * one seed and size. Any plan gives records.
 */
#include "gen_record.h"

#include <stdio.h>
#include <string.h>

/* Seconds of two years; created_at runs through them in an order that looks random. */
#define SPREAD UINT64_C(63072000)
/* 2024-07-01T00:00:00Z in days since 1970-01-01. */
#define FIRST_DAY 19905u

static void start(struct gen_record *record)
{
	record->count = 0;
	record->ascii = false;
	record->text.len = 0;
}

/* The next member; what is appended to the text until finish() is its value. */
static struct gen_text *open_member(struct gen_record *record, const char *name, enum gen_type type)
{
	struct gen_member *member = &record->members[record->count++];

	member->name = name;
	member->type = type;
	member->text = record->text.data + record->text.len;
	member->count = 0;
	return &record->text;
}

static void add_null(struct gen_record *record, const char *name)
{
	open_member(record, name, GEN_NULL);
	gen_text_end(&record->text);
}

static void add_string(struct gen_record *record, const char *name, const char *value)
{
	gen_text_add(open_member(record, name, GEN_STRING), value);
	gen_text_end(&record->text);
}

static void add_number(struct gen_record *record, const char *name, uint64_t value)
{
	gen_text_format(open_member(record, name, GEN_PLAIN), "%llu", (unsigned long long)value);
	gen_text_end(&record->text);
}

static void add_flag(struct gen_record *record, const char *name, struct gen_random *random,
		     uint32_t null_in, uint32_t true_in)
{
	if (gen_chance(random, null_in)) {
		add_null(record, name);
		return;
	}
	gen_text_add(open_member(record, name, GEN_PLAIN),
		     gen_chance(random, true_in) ? "true" : "false");
	gen_text_end(&record->text);
}

static void add_uuid(struct gen_record *record, const char *name, struct gen_random *random)
{
	uint64_t high = gen_random_next(random);
	uint64_t low = gen_random_next(random);

	gen_text_format(open_member(record, name, GEN_STRING), "%08x-%04x-4%03x-%04x-%012llx",
			(unsigned)(high >> 32), (unsigned)(high >> 16) & 0xFFFF,
			(unsigned)high & 0xFFF, 0x8000 | ((unsigned)(low >> 48) & 0x3FFF),
			(unsigned long long)(low & UINT64_C(0xFFFFFFFFFFFF)));
	gen_text_end(&record->text);
}

/* Civil date from days since 1970-01-01; good for the two years that are used, and far beyond. */
static void format_day(struct gen_text *text, unsigned days)
{
	static const unsigned lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	unsigned year = 1970;
	unsigned month = 0;

	for (;; year++) {
		unsigned length = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365;

		if (days < length)
			break;
		days -= length;
	}
	for (;; month++) {
		unsigned length = lengths[month] + (month == 1 && year % 4 == 0);

		if (days < length)
			break;
		days -= length;
	}
	gen_text_format(text, "%04u-%02u-%02u", year, month + 1, days + 1);
}

/* A time `seconds` after the first day; part: thousandths, written only when not 0. */
static void add_time(struct gen_record *record, const char *name, uint64_t seconds, uint64_t part)
{
	struct gen_text *text = open_member(record, name, GEN_STRING);
	unsigned clock = (unsigned)(seconds % 86400);

	format_day(text, FIRST_DAY + (unsigned)(seconds / 86400));
	gen_text_format(text, "T%02u:%02u:%02u", clock / 3600, clock / 60 % 60, clock % 60);
	if (part > 0)
		gen_text_format(text, ".%03u", (unsigned)part);
	gen_text_add(text, "Z");
	gen_text_end(text);
}

/*
 * A place in the two years that no other index below SPREAD gets: four Feistel rounds over 26
 * bits, walked until the result falls into the range.
 */
static uint64_t scatter(uint64_t seed, uint64_t index)
{
	uint64_t value = index % SPREAD;

	do {
		for (uint64_t round = 0; round < 4; round++) {
			uint64_t low = value & 0x1FFF;
			struct gen_random mix = {seed ^ (round << 32) ^ low};

			value = low << 13 | ((value >> 13) ^ (gen_random_next(&mix) & 0x1FFF));
		}
	} while (value >= SPREAD);
	return value;
}

static void add_severity(struct gen_record *record, struct gen_random *random)
{
	uint32_t at = gen_below(random, 1000);

	if (at < 2)
		add_null(record, "severity");
	else if (at < 45)
		add_string(record, "severity", "critical");
	else if (at < 230)
		add_string(record, "severity", "high");
	else if (at < 640)
		add_string(record, "severity", "medium");
	else if (at < 900)
		add_string(record, "severity", "low");
	else
		add_string(record, "severity", "info");
}

static void add_category(struct gen_record *record, struct gen_random *random)
{
	if (gen_chance(random, 2)) {
		add_null(record, "category");
		return;
	}
	gen_category(open_member(record, "category", GEN_STRING), random);
	gen_text_end(&record->text);
}

/* Sentences, code, or null in null_in of 1000 records. */
static void add_prose(struct gen_record *record, const char *name, struct gen_random *random,
		      uint32_t null_in, uint32_t count, bool foreign)
{
	if (gen_chance(random, null_in)) {
		add_null(record, name);
		return;
	}
	gen_sentences(open_member(record, name, GEN_STRING), random, count);
	if (foreign) {
		gen_text_add(&record->text, "\n");
		gen_foreign(&record->text, random);
	}
	gen_text_end(&record->text);
}

static void add_code(struct gen_record *record, const char *name, struct gen_random *random,
		     uint32_t null_in, uint32_t count, bool foreign)
{
	if (gen_chance(random, null_in)) {
		add_null(record, name);
		return;
	}
	open_member(record, name, GEN_STRING);
	if (foreign && gen_chance(random, 300)) {
		gen_text_add(&record->text, "    // ");
		gen_foreign(&record->text, random);
		gen_text_add(&record->text, "\n");
	}
	gen_code(&record->text, random, count);
	gen_text_end(&record->text);
}

/* An empty list is common: many rules map to no CWE. */
static void add_cwes(struct gen_record *record, struct gen_random *random)
{
	static const unsigned numbers[] = {20,  22,  78,  79,  89,  120, 190,
					   327, 352, 390, 476, 502, 611};
	struct gen_text *text = open_member(record, "cwe_ids", GEN_LIST);
	struct gen_member *member = &record->members[record->count - 1];

	member->count = gen_below(random, 3);
	for (size_t i = 0; i < member->count; i++) {
		gen_text_format(text, "CWE-%u",
				numbers[gen_below(random, sizeof(numbers) / sizeof(numbers[0]))]);
		gen_text_end(text);
	}
}

static void add_tags(struct gen_record *record, struct gen_random *random)
{
	static const char *const tags[] = {"security",    "maintainability",
					   "reliability", "external/cwe/cwe-022",
					   "injection",   "OWASP-A01:2021-Broken Access Control",
					   "secrets",     "LOW CONFIDENCE"};
	struct gen_text *text = open_member(record, "tags", GEN_LIST);
	struct gen_member *member = &record->members[record->count - 1];

	member->count = gen_below(random, 5);
	for (size_t i = 0; i < member->count; i++) {
		gen_text_add(text, tags[gen_below(random, sizeof(tags) / sizeof(tags[0]))]);
		gen_text_end(text);
	}
}

static void add_cvss(struct gen_record *record, struct gen_random *random)
{
	uint32_t tenths = gen_below(random, 101);

	if (gen_chance(random, 400)) {
		add_null(record, "cvss_score");
		return;
	}
	gen_text_format(open_member(record, "cvss_score", GEN_PLAIN),
			gen_chance(random, 200) ? "%u.%u0" : "%u.%u", tenths / 10, tenths % 10);
	gen_text_end(&record->text);
}

static void add_confidence(struct gen_record *record, struct gen_random *random)
{
	if (gen_chance(random, 300)) {
		add_null(record, "confidence");
		return;
	}
	gen_text_format(open_member(record, "confidence", GEN_PLAIN), "0.%02u",
			10 + gen_below(random, 90));
	gen_text_end(&record->text);
}

static void add_owasp(struct gen_record *record, struct gen_random *random)
{
	static const char *const names[] = {"A01:2021-Broken Access Control",
					    "A02:2021-Cryptographic Failures", "A03:2021-Injection",
					    "A08:2021-Software and Data Integrity Failures"};

	if (gen_chance(random, 350))
		add_null(record, "owasp_category");
	else
		add_string(record, "owasp_category", names[gen_below(random, 4)]);
}

/* The members before the texts, in the order of the contract. */
static void add_head(struct gen_record *record, struct gen_random *random, uint64_t scan,
		     bool foreign)
{
	add_uuid(record, "id", random);
	gen_text_format(open_member(record, "scan_id", GEN_STRING), "scan-%06llu",
			(unsigned long long)scan);
	gen_text_end(&record->text);
	gen_path(open_member(record, "file_path", GEN_STRING), random);
	gen_text_end(&record->text);
	add_number(record, "line_number", 1 + gen_below(random, 2500));
	add_category(record, random);
	add_severity(record, random);
	add_confidence(record, random);
	if (foreign)
		gen_foreign(open_member(record, "title", GEN_STRING), random);
	else
		gen_title(open_member(record, "title", GEN_STRING), random);
	gen_text_end(&record->text);
}

static void add_texts(struct gen_record *record, struct gen_random *random, bool foreign)
{
	uint32_t column = 1 + gen_below(random, 60);

	add_prose(record, "description", random, 10, 3 + gen_below(random, 5), foreign);
	if (gen_chance(random, 80)) {
		add_null(record, "column_start");
		add_null(record, "column_end");
	} else {
		add_number(record, "column_start", column);
		add_number(record, "column_end", column + 1 + gen_below(random, 40));
	}
	add_prose(record, "explanation", random, 120, 3 + gen_below(random, 4), foreign);
	add_code(record, "code_snippet", random, 80, 1 + gen_below(random, 4), foreign);
	add_code(record, "context_before", random, 200, 3, false);
	add_code(record, "context_after", random, 200, 3, false);
	add_prose(record, "remediation", random, 200, 2 + gen_below(random, 4), foreign);
	add_code(record, "remediation_code", random, 450, 1 + gen_below(random, 3), false);
}

static void add_scan(struct gen_record *record, const struct gen_plan *plan, uint64_t scan)
{
	static const char *const statuses[] = {"completed", "completed", "completed", "running",
					       "failed"};
	static const char *const repos[] = {"org/web-shop", "org/billing", "example/agent",
					    "org/infra-tools"};
	struct gen_random random = gen_random_make(plan->seed, ~scan);

	add_string(record, "repo_name", repos[gen_below(&random, 4)]);
	add_string(record, "scan_status", statuses[gen_below(&random, 5)]);
	add_time(record, "scan_created_at", gen_below(&random, (uint32_t)SPREAD), 0);
}

/* Leave out all but a few members of an issue. */
static void make_lean(struct gen_record *record)
{
	static const char *const names[] = {"id",       "line_number",    "category",
					    "severity", "false_positive", "created_at"};
	size_t kept = 0;

	for (size_t i = 0; i < record->count; i++)
		for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
			if (strcmp(record->members[i].name, names[n]) == 0)
				record->members[kept++] = record->members[i];
	record->count = kept;
}

/* Members in random order, and some left out. */
static void disturb(struct gen_record *record, const struct gen_plan *plan,
		    struct gen_random *random)
{
	size_t kept = 0;

	for (size_t i = 0; plan->drop && i < record->count; i++)
		if (i < 2 || !gen_chance(random, 125))
			record->members[kept++] = record->members[i];
	if (plan->drop)
		record->count = kept;
	for (size_t i = record->count; plan->shuffle && i > 1; i--) {
		size_t other = gen_below(random, (uint32_t)i);
		struct gen_member member = record->members[i - 1];

		record->members[i - 1] = record->members[other];
		record->members[other] = member;
	}
}

void gen_issue(struct gen_record *record, const struct gen_plan *plan, uint64_t index)
{
	struct gen_random random = gen_random_make(plan->seed, index);
	uint64_t created = scatter(plan->seed, index);
	uint64_t scan = gen_below(&random, (uint32_t)(1 + plan->issues / 400 % 1000000));
	bool foreign = gen_chance(&random, 40);

	start(record);
	record->ascii = foreign && gen_chance(&random, 250);
	add_head(record, &random, scan, foreign);
	add_texts(record, &random, foreign);
	add_cwes(record, &random);
	add_owasp(record, &random);
	add_cvss(record, &random);
	add_tags(record, &random);
	if (gen_chance(&random, 300))
		add_null(record, "model_used");
	else
		add_string(record, "model_used", "analyzer-large-2");
	add_flag(record, "false_positive", &random, 20, 120);
	add_flag(record, "exploitable", &random, 500, 300);
	add_time(record, "created_at", created, index / SPREAD % 1000);
	add_time(record, "updated_at", created + gen_below(&random, 8000000), 0);
	add_scan(record, plan, scan);
	if (plan->lean)
		make_lean(record);
	disturb(record, plan, &random);
}

void gen_ruleset(struct gen_record *record, const struct gen_plan *plan, uint64_t index)
{
	struct gen_random random = gen_random_make(plan->seed ^ UINT64_C(0x52), index);
	uint64_t created = gen_below(&random, (uint32_t)SPREAD);

	start(record);
	add_uuid(record, "id", &random);
	gen_text_format(open_member(record, "name", GEN_STRING),
			"Ruleset %llu: ", (unsigned long long)index);
	gen_title(&record->text, &random);
	gen_text_end(&record->text);
	add_prose(record, "description", &random, 300, 1, gen_chance(&random, 40));
	add_prose(record, "rules_text", &random, 0, 4 + gen_below(&random, 12), false);
	gen_text_format(open_member(record, "org_id", GEN_STRING), "org-%02u",
			gen_below(&random, 20));
	gen_text_end(&record->text);
	if (gen_chance(&random, 200)) {
		add_null(record, "repo_ids");
	} else {
		struct gen_text *text = open_member(record, "repo_ids", GEN_LIST);
		size_t count = gen_below(&random, 6);

		record->members[record->count - 1].count = count;
		for (size_t i = 0; i < count; i++) {
			gen_text_format(text, "repo-%03u", gen_below(&random, 200));
			gen_text_end(text);
		}
	}
	add_time(record, "created_at", created, 0);
	add_time(record, "updated_at", created + gen_below(&random, 8000000), 0);
	if (gen_chance(&random, 300))
		add_null(record, "created_by");
	else
		add_string(record, "created_by", "security-team");
	disturb(record, plan, &random);
}
