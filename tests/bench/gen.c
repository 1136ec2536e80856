/*
 * gen: realistic exports of any size for benchmarks and tests.
 *
 * Input: options only. Output: one export on standard output, the same bytes for the same options
 * on every machine; an issue takes about 2,200 bytes in the default form.
 * Refuses unknown options and numbers it cannot read (exit 2); reports a failed write (exit 3).
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_emit.h"

enum form { FORM_ARRAY, FORM_WRAPPED, FORM_LINES, FORM_YAML };

struct options {
	struct gen_plan plan;
	enum form form;
	int indent; /* blanks a level; -1: compact */
};

typedef void make_fn(struct gen_record *record, const struct gen_plan *plan, uint64_t index);

static const char usage[] =
    "usage: gen --issues N [--rulesets N] [--seed N] [--form array|wrapped|lines|yaml]\n"
    "           [--indent N | --compact] [--shuffle] [--drop] [--lean]\n";

static bool read_number(const char *text, uint64_t *ret_value)
{
	char *end;

	errno = 0;
	*ret_value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static bool read_form(const char *text, enum form *ret_form)
{
	static const char *const names[] = {"array", "wrapped", "lines", "yaml"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			*ret_form = (enum form)i;
			return true;
		}
	}
	return false;
}

static bool read_option(struct options *options, int which, const char *value)
{
	uint64_t number;

	switch (which) {
	case 'n':
		return read_number(value, &options->plan.issues);
	case 'r':
		return read_number(value, &options->plan.rulesets);
	case 's':
		return read_number(value, &options->plan.seed);
	case 'f':
		return read_form(value, &options->form);
	case 'i':
		if (!read_number(value, &number) || number > 16)
			return false;
		options->indent = (int)number;
		return true;
	case 'c':
		options->indent = -1;
		return true;
	case 'u':
		options->plan.shuffle = true;
		return true;
	case 'd':
		options->plan.drop = true;
		return true;
	case 'l':
		options->plan.lean = true;
		return true;
	default:
		return false;
	}
}

static bool read_options(struct options *options, int argc, char **argv)
{
	static const struct option names[] = {
	    {"issues", required_argument, NULL, 'n'}, {"rulesets", required_argument, NULL, 'r'},
	    {"seed", required_argument, NULL, 's'},   {"form", required_argument, NULL, 'f'},
	    {"indent", required_argument, NULL, 'i'}, {"compact", no_argument, NULL, 'c'},
	    {"shuffle", no_argument, NULL, 'u'},      {"drop", no_argument, NULL, 'd'},
	    {"lean", no_argument, NULL, 'l'},         {NULL, 0, NULL, 0},
	};
	int which;

	while ((which = getopt_long(argc, argv, "", names, NULL)) != -1)
		if (!read_option(options, which, optarg))
			return false;
	return optind == argc && options->plan.issues + options->plan.rulesets > 0;
}

/* The records of one kind, with commas between them and nothing around them. */
static void write_records(const struct options *options, struct gen_record *record, make_fn *make,
			  uint64_t count, int level, bool *first)
{
	for (uint64_t i = 0; i < count; i++) {
		make(record, &options->plan, i);
		if (options->form == FORM_YAML) {
			gen_emit_yaml(stdout, record, level * 2);
		} else if (options->form == FORM_LINES) {
			gen_emit_json(stdout, record, -1, 0);
			putchar('\n');
		} else {
			fputs(*first ? "" : ",", stdout);
			if (options->indent >= 0)
				printf("\n%*s", options->indent * level, "");
			gen_emit_json(stdout, record, options->indent, level);
		}
		*first = false;
	}
}

/* An object with members of its own around the two arrays. */
static void write_wrapped(const struct options *options, struct gen_record *record)
{
	const char *gap = options->indent >= 0 ? "\n" : "";
	int indent = options->indent > 0 ? options->indent : 0;
	bool first = true;

	printf("{%s%*s\"exported_by\": \"generator\",%s%*s\"issues\": [", gap, indent, "", gap,
	       indent, "");
	write_records(options, record, gen_issue, options->plan.issues, 2, &first);
	printf("%s%*s],%s%*s\"rulesets\": [", gap, indent, "", gap, indent, "");
	first = true;
	write_records(options, record, gen_ruleset, options->plan.rulesets, 2, &first);
	printf("%s%*s],%s%*s\"format_version\": 3%s}\n", gap, indent, "", gap, indent, "", gap);
}

static void write_export(const struct options *options, struct gen_record *record)
{
	bool array = options->form == FORM_ARRAY;
	int level = options->form == FORM_YAML ? 0 : 1;
	bool first = true;

	if (options->form == FORM_WRAPPED) {
		write_wrapped(options, record);
		return;
	}
	if (array)
		putchar('[');
	write_records(options, record, gen_issue, options->plan.issues, level, &first);
	write_records(options, record, gen_ruleset, options->plan.rulesets, level, &first);
	if (array)
		fputs(options->indent >= 0 ? "\n]\n" : "]\n", stdout);
}

int main(int argc, char **argv)
{
	struct options options = {.plan = {.seed = 1}, .form = FORM_ARRAY, .indent = 1};
	struct gen_record *record = NULL;

	if (!read_options(&options, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	record = malloc(sizeof(*record));
	if (!record) {
		fputs("gen: out of memory\n", stderr);
		return 3;
	}
	write_export(&options, record);
	free(record);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "gen: standard output: %s\n", strerror(errno));
		return 3;
	}
	return 0;
}
