/*
 * gen_sarif: a SARIF log of any size for benchmarks, in the manner of a scanner that follows data:
 * rules, artifacts by index, contexts, fingerprints, code flows.
 *
 * Input: options only. Output: one log on standard output, the same bytes for the same options on
 * every machine; a result takes about 2,200 bytes. Every result has a level, and no rule a score.
 * Refuses unknown options and numbers it cannot read (exit 2); reports a failed write (exit 3).
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_emit.h"
#include "gen_text.h"

#define RULES 400u
#define ARTIFACTS 3000u

struct options {
	uint64_t results;
	uint64_t seed;
	bool rules_last; /* the results first, then what explains them */
	bool as_export;  /* no log: records of an export, each with a result as a member */
};

typedef void text_fn(struct gen_text *text, struct gen_random *random, uint32_t count);

static const char usage[] =
    "usage: gen_sarif --results N [--seed N] [--rules-last | --as-export]\n";

static bool read_number(const char *text, uint64_t *ret_value)
{
	char *end;

	errno = 0;
	*ret_value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static bool read_options(struct options *options, int argc, char **argv)
{
	static const struct option names[] = {
	    {"results", required_argument, NULL, 'n'},
	    {"seed", required_argument, NULL, 's'},
	    {"rules-last", no_argument, NULL, 'l'},
	    {"as-export", no_argument, NULL, 'e'},
	    {NULL, 0, NULL, 0},
	};
	int which;

	while ((which = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (which == 'n' && read_number(optarg, &options->results))
			continue;
		if (which == 's' && read_number(optarg, &options->seed))
			continue;
		if (which != 'l' && which != 'e')
			return false;
		*(which == 'l' ? &options->rules_last : &options->as_export) = true;
	}
	return optind == argc && options->results > 0;
}

/* "NAME":"TEXT", the text made by a function of gen_text.h. */
static void put_text(const char *name, text_fn *make, struct gen_random *random, uint32_t count)
{
	static struct gen_text text;

	text.len = 0;
	make(&text, random, count);
	gen_text_end(&text);
	printf("\"%s\":", name);
	gen_emit_string(stdout, text.data);
}

static void make_title(struct gen_text *text, struct gen_random *random, uint32_t count)
{
	(void)count;
	gen_title(text, random);
}

static void make_path(struct gen_text *text, struct gen_random *random, uint32_t count)
{
	gen_text_format(text, "part%u/", count / 100);
	gen_path(text, random);
}

static void put_message(const char *name, struct gen_random *random, uint32_t sentences)
{
	printf("\"%s\":{", name);
	put_text("text", gen_sentences, random, sentences);
	putchar('}');
}

static const char *level(struct gen_random *random)
{
	static const char *const levels[] = {"error",   "warning", "warning", "note",
					     "warning", "error",   "note",    "none"};

	return levels[gen_below(random, 8)];
}

static void write_rule(uint32_t number, uint64_t seed)
{
	struct gen_random random = gen_random_make(seed ^ 0x72756c65, number);

	printf("%s{\"id\":\"x/rule-%03u\",\"name\":\"x/rule-%03u\",\"shortDescription\":{",
	       number ? "," : "", number, number);
	put_text("text", make_title, &random, 0);
	printf("},");
	put_message("fullDescription", &random, 3);
	printf(",\"defaultConfiguration\":{\"level\":\"%s\"},", level(&random));
	put_message("help", &random, 12);
	printf(",\"properties\":{\"tags\":[\"security\",\"external/cwe/cwe-%03u\"],"
	       "\"precision\":\"%s\"}}",
	       20 + gen_below(&random, 900), gen_chance(&random, 500) ? "high" : "medium");
}

static void write_tool(uint64_t seed)
{
	printf("\"tool\":{\"driver\":{\"name\":\"Generator\",\"semanticVersion\":\"2.1.0\","
	       "\"rules\":[");
	for (uint32_t i = 0; i < RULES; i++)
		write_rule(i, seed);
	printf("]}}");
}

static void write_artifacts(uint64_t seed)
{
	printf("\"artifacts\":[");
	for (uint32_t i = 0; i < ARTIFACTS; i++) {
		struct gen_random random = gen_random_make(seed ^ 0x66696c65, i);

		printf("%s{\"location\":{", i ? "," : "");
		put_text("uri", make_path, &random, i);
		printf(",\"uriBaseId\":\"%%SRCROOT%%\",\"index\":%u}}", i);
	}
	putchar(']');
}

static void write_place(struct gen_random *random, bool with_context)
{
	uint32_t line = 3 + gen_below(random, 900);
	uint32_t column = 1 + gen_below(random, 40);

	printf("\"physicalLocation\":{\"artifactLocation\":{\"uriBaseId\":\"%%SRCROOT%%\","
	       "\"index\":%u},\"region\":{\"startLine\":%u,\"startColumn\":%u,\"endColumn\":%u}",
	       gen_below(random, ARTIFACTS), line, column, column + 1 + gen_below(random, 30));
	if (with_context) {
		printf(",\"contextRegion\":{\"startLine\":%u,\"endLine\":%u,\"snippet\":{",
		       line - 2, line + 2);
		put_text("text", gen_code, random, 5);
		printf("}}");
	}
	putchar('}');
}

static void write_flow(struct gen_random *random)
{
	uint32_t steps = 2 + gen_below(random, 7);

	printf("{\"threadFlows\":[{\"locations\":[");
	for (uint32_t i = 0; i < steps; i++) {
		printf("%s{\"location\":{", i ? "," : "");
		write_place(random, false);
		putchar(',');
		put_message("message", random, 1);
		printf("}}");
	}
	printf("]}]}");
}

/* One result, without what stands before it. */
static void write_result(uint64_t number, uint64_t seed)
{
	struct gen_random random = gen_random_make(seed, number);
	uint32_t rule = gen_below(&random, RULES);
	uint32_t flows = gen_chance(&random, 600) ? 1 + gen_below(&random, 2) : 0;

	printf("{\"ruleId\":\"x/rule-%03u\",\"ruleIndex\":%u,\"level\":\"%s\",", rule, rule,
	       level(&random));
	put_message("message", &random, 2);
	printf(",\"locations\":[{");
	write_place(&random, true);
	printf("}],\"partialFingerprints\":{\"primaryLocationLineHash\":\"%016llx:1\","
	       "\"primaryLocationStartColumnFingerprint\":\"%u\"}",
	       (unsigned long long)gen_random_next(&random), gen_below(&random, 30));
	for (uint32_t i = 0; i < flows; i++) {
		printf(i ? "," : ",\"codeFlows\":[");
		write_flow(&random);
	}
	printf(flows ? "]," : ",");
	printf("\"relatedLocations\":[{\"id\":1,");
	write_place(&random, false);
	putchar(',');
	put_message("message", &random, 1);
	printf("}]");
	if (gen_chance(&random, 50))
		printf(",\"suppressions\":[{\"kind\":\"inSource\"}]");
	putchar('}');
}

static void write_results(const struct options *options)
{
	printf("\"results\":[");
	for (uint64_t i = 0; i < options->results; i++) {
		fputs(i ? ",\n" : "\n", stdout);
		write_result(i, options->seed);
	}
	printf("\n]");
}

/* What reading the same bytes costs when nothing is made of them. */
static void write_export(const struct options *options)
{
	for (uint64_t i = 0; i < options->results; i++) {
		printf("{\"id\":\"%llu\",\"scan_id\":null,\"result\":", (unsigned long long)i);
		write_result(i, options->seed);
		fputs("}\n", stdout);
	}
}

static void write_log(const struct options *options)
{
	printf("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
	       "\"version\":\"2.1.0\",\"runs\":[{");
	if (options->rules_last) {
		write_results(options);
		putchar(',');
	}
	write_tool(options->seed);
	putchar(',');
	write_artifacts(options->seed);
	if (!options->rules_last) {
		putchar(',');
		write_results(options);
	}
	printf(",\"columnKind\":\"utf16CodeUnits\"}]}\n");
}

int main(int argc, char **argv)
{
	struct options options = {.seed = 1};

	if (!read_options(&options, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	if (options.as_export)
		write_export(&options);
	else
		write_log(&options);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "gen_sarif: standard output: %s\n", strerror(errno));
		return 3;
	}
	return 0;
}
