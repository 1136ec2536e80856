/*
 * Parses the command line after the command's name by the tables of options, and says what is
 * wrong with it, with a hint where one is known.
 */
#include "cli/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_LIMIT_NAME 32u

/* Bytes of what a message says that an option wants. */
#define WANTED_MAX 768u

/* In the order of their enums. */
const char *const cli_format_words[] = {"json", "yaml", "table", NULL};
const char *const cli_format_md_words[] = {"json", "yaml", "table", "md", NULL};
const char *const cli_level_words[] = {"critical", "high", "medium", "low", "info", NULL};
static const char *const max_words[] = {"critical", "high",    "medium", "low",
					"info",     "unknown", "total",  NULL};
static const char *const document_words[] = {"json", "yaml", NULL};
static const char *const duplicates_words[] = {"refuse", "equal", "worst", NULL};
static const char *const failed_runs_words[] = {"refuse", "accept", NULL};
static const char *const severity_from_words[] = {"score", "level", NULL};
static const char *const ids_words[] = {"s2", "s1", NULL};
static const char *const color_words[] = {"auto", "always", "never", NULL};

_Static_assert(sizeof(enum rt_format) == sizeof(unsigned) &&
		   sizeof(enum rt_duplicates) == sizeof(unsigned) &&
		   sizeof(enum rt_failed_runs) == sizeof(unsigned) &&
		   sizeof(enum rt_severity_from) == sizeof(unsigned) &&
		   sizeof(enum rt_id_scheme) == sizeof(unsigned) &&
		   sizeof(enum cli_color) == sizeof(unsigned),
	       "a word is stored as an unsigned");

#define IN_FILTERS .takes = CLI_FILTER, .section = CLI_IN_FILTERS
#define IN_GATE .takes = CLI_CONDITIONS, .section = CLI_IN_GATE
#define IN_INPUT .section = CLI_IN_INPUT, .takes
#define IN_COMMON .section = CLI_IN_COMMON, .takes

/* What several commands take, in the order of --help. */
static const struct cli_option common[] = {
    CLI_ROW("journal", CLI_PATH_OUTPUT, input.journal, "JOURNAL",
	    "answer from the state that JOURNAL leads to", .takes = CLI_STATE),
    CLI_ROW("baseline", CLI_PATHS, baseline, "EXPORT",
	    "an earlier scan; several times: the parts of one", .takes = CLI_BASELINE,
	    .wanted = "a path, at most 64 times"),
    CLI_ROW("baseline-journal", CLI_PATH, baseline_journal, "JOURNAL",
	    "decisions about the baseline", .takes = CLI_BASELINE),
    CLI_ROW("fingerprint", CLI_TEXT, input.fingerprint, "FIELD",
	    "match issues first by FIELD, the scanner's own\n"
	    "fingerprint in each record",
	    IN_INPUT = CLI_BASELINE | CLI_MATCH),
    CLI_ROW("where", CLI_TERM, terms, "EXPR",
	    "only issues for which EXPR holds: FIELD, FIELD=VALUE,\n"
	    "FIELD=FROM..TO, FIELD~REGEX; with several --where\n"
	    "and --not all have to hold",
	    IN_FILTERS, .min = RT_TERM_WHERE),
    CLI_ROW("not", CLI_TERM, terms, "EXPR", "only issues for which EXPR does not hold", IN_FILTERS,
	    .min = RT_TERM_NOT),
    CLI_ROW("or", CLI_TERM, terms, NULL, "or those for which the --where and --not after it\nhold",
	    IN_FILTERS, .min = RT_TERM_OR),
    CLI_ROW("owners", CLI_PATH, input.owners, "CODEOWNERS",
	    "who owns which paths, for the field owner", IN_FILTERS),
    CLI_ROW("sla", CLI_MAX, sla, "LEVEL=DAYS,...",
	    "days after which an open issue of LEVEL is overdue,\nfor the field overdue",
	    IN_FILTERS, .words = cli_level_words, .max = RT_SLA_NO_DAYS, .given = CLI_AT(has_sla),
	    .wanted = "LEVEL=DAYS, separated by commas, each LEVEL once, as in critical=7,high=30"),
    CLI_ROW("fail-on", CLI_WORD, conditions.fail_on, "LEVEL",
	    "no open issue of LEVEL or worse: critical, high,\n"
	    "medium, low or info",
	    IN_GATE, .words = cli_level_words),
    CLI_ROW("max", CLI_MAX, conditions.max, "NAME=N,...",
	    "at most N open issues of a level, unknown or total", IN_GATE, .words = max_words),
    CLI_ROW("fail-on-new", CLI_WORD, conditions.fail_on_new, "LEVEL",
	    "no new open issue of LEVEL or worse", IN_GATE, .words = cli_level_words),
    CLI_ROW("max-new", CLI_MAX, conditions.max_new, "NAME=N,...",
	    "at most N new open issues, as for --max", IN_GATE, .words = max_words),
    CLI_ROW("at-least", CLI_COUNT, conditions.at_least, "N",
	    "at least N issues; 0: a filter may select none", IN_GATE),
    CLI_ROW("expect-tool", CLI_NAME, conditions.expect_tools, "NAME,...",
	    "each of these tools has a scan among the inputs", IN_GATE,
	    .wanted = "names of tools with commas between them"),
    CLI_FLAG_ROW("count-false-positives", conditions.count_false_positives,
		 "dismissed issues count like open ones", IN_GATE),
    CLI_ROW("unknown-as", CLI_WORD, conditions.unknown_as, "LEVEL",
	    "what a severity that is no level counts as (default:\n"
	    "the worst)",
	    IN_GATE, .words = cli_level_words),
    CLI_ROW("format", CLI_WORD, style.format, "FORMAT", "json or yaml (default json)",
	    .takes = CLI_FORMAT, .words = document_words, .given = CLI_AT(has_format)),
    CLI_FLAG_ROW("pretty", style.pretty, "indent JSON (default on a terminal)",
		 IN_COMMON = CLI_STYLE, .given = CLI_AT(has_layout)),
    CLI_ROW("compact", CLI_FLAG_OFF, style.pretty, NULL,
	    "write JSON as one line (default elsewhere)", IN_COMMON = CLI_STYLE,
	    .given = CLI_AT(has_layout)),
    CLI_ROW("include", CLI_GLOBS, include, "GLOB",
	    "of a directory or archive, read what GLOB matches,\n"
	    "whatever its ending; may be given several times",
	    IN_INPUT = CLI_CHOICE),
    CLI_ROW("exclude", CLI_GLOBS, exclude, "GLOB",
	    "of a directory or archive, leave out what GLOB\n"
	    "matches; may be given several times",
	    IN_INPUT = CLI_CHOICE),
    CLI_ROW("duplicates", CLI_WORD, input.duplicates, "WHAT",
	    "of records with one id: refuse them (the default);\n"
	    "equal: count equal ones once; worst: one issue with\n"
	    "the highest severity, dismissed only if all are",
	    IN_INPUT = CLI_REPEATS, .words = duplicates_words),
    CLI_ROW("failed-runs", CLI_WORD, input.failed_runs, "WHAT",
	    "of SARIF runs that failed: refuse those without\n"
	    "results, and let gates fail by the others (the\n"
	    "default), or accept them as they are",
	    IN_INPUT = CLI_SCANNER, .words = failed_runs_words),
    CLI_ROW("severity-from", CLI_WORD, input.severity_from, "WHAT",
	    "of SARIF results with a score and a level: score (the\ndefault) or level decides the "
	    "severity",
	    IN_INPUT = CLI_REPEATS, .words = severity_from_words),
    CLI_ROW("severity-map", CLI_NAME, input.severity_map, "WORD=LEVEL,...",
	    "severities of other systems and the levels that they\nare read as, as in "
	    "HIGH=high,moderate=medium",
	    IN_INPUT = CLI_REPEATS, .wanted = "WORD=LEVEL,..."),
    CLI_ROW("ids", CLI_WORD, input.ids, "WHAT",
	    "how ids are made of SARIF results: s2, the default, or\ns1, for journals of version "
	    "0.1",
	    IN_INPUT = CLI_REPEATS, .words = ids_words),
    CLI_ROW("strip-prefix", CLI_NAMES, strip_prefixes, "PATH",
	    "taken off the front of file paths, for ids that do not\ndepend on the folder "
	    "of a scan; may be given several\ntimes",
	    IN_INPUT = CLI_REPEATS, .wanted = "at most 64 paths, none of them empty"),
    CLI_FLAG_ROW("strict-input", input.strict_input,
		 "what is not read of a directory or archive is an\nerror, not a note",
		 IN_INPUT = CLI_SCANNER),
    CLI_ROW("limit", CLI_LIMIT, input.limits, "NAME=SIZE",
	    "set a limit: record, depth, members, expanded,\n"
	    "decoder, alias, distinct, recent, request,\n"
	    "requests, md, metadata or temporary; SIZE is a\n"
	    "number, with KiB, MiB or GiB after it or not",
	    IN_INPUT = CLI_LIMITS),
    CLI_FLAG_ROW(
	"require-sandbox", input.require_jail,
	"refuse to run where the kernel has no seccomp or no\nLandlock to confine the decoder "
	"with",
	IN_INPUT = CLI_SCANNER | CLI_FILES),
    CLI_FLAG_ROW("no-progress", no_progress, "never show progress",
		 IN_COMMON = CLI_SCANNER | CLI_FILES),
    CLI_FLAG_ROW("quiet", quiet,
		 "no progress and no notes; an error that ends the\nrun is still said",
		 .section = CLI_IN_COMMON),
    CLI_ROW("color", CLI_WORD, color, "WHEN",
	    "colour messages and tables: auto, always or never\n(default auto)",
	    .section = CLI_IN_COMMON, .words = color_words),
    CLI_FLAG_ROW("help", help, "show this help", .letter = 'h', .section = CLI_IN_COMMON),
    CLI_FLAG_ROW("version", version, "show the version", .letter = 'V', .section = CLI_IN_COMMON),
};

#define COMMON_COUNT (sizeof(common) / sizeof(common[0]))

size_t cli_option_rows(const struct cli_command *command,
		       const struct cli_option *rows[CLI_OPTIONS_MAX])
{
	const struct cli_option *own = command->options;
	size_t count = 0;

	for (; own && own->name; own++) {
		assert(count < CLI_OPTIONS_MAX);
		rows[count++] = own;
	}
	for (size_t i = 0; i < COMMON_COUNT; i++) {
		if (common[i].takes && !(common[i].takes & command->takes))
			continue;
		assert(count < CLI_OPTIONS_MAX);
		rows[count++] = &common[i];
	}
	return count;
}

const char *cli_option_word(const struct cli_option *option, size_t index)
{
	const struct rt_schema *schemas;
	size_t count = 0;

	/* The lists that end with NULL are asked for no index after that. */
	switch (option->type) {
	case CLI_WORD:
	case CLI_MAX:
		return option->words[index];
	case CLI_TO:
		return rt_report_kind_name(index);
	case CLI_TERM:
		return rt_filter_field(index);
	case CLI_MEMBERS:
		return rt_count_by_member(index);
	case CLI_LIMIT:
		return rt_limits_name(index);
	case CLI_SCHEMA:
		schemas = rt_schemas(&count);
		return index < count ? schemas[index].name : NULL;
	case CLI_COMMAND:
	case CLI_TOPIC:
		while (cli_commands[count])
			count++;
		if (index < count)
			return cli_commands[index]->name;
		return option->type == CLI_TOPIC ? cli_topics[index - count].name : NULL;
	default:
		return NULL;
	}
}

/* What is so of all options of a type. */
static const struct {
	bool repeats;       /* each of several values counts; else a second one is refused */
	const char *ends;   /* as cli_option_ends() has them; NULL: "" */
	const char *wanted; /* NULL: its words */
} types[] = {
    [CLI_PATH] = {.wanted = "a path"},
    [CLI_PATH_OUTPUT] = {.wanted = "a path"},
    [CLI_TIME] = {.wanted = "a date-time such as 2026-01-31T12:00:00Z"},
    [CLI_COUNT] = {.wanted = "an integer"},
    [CLI_LIMIT] = {true, "=",
		   "NAME=SIZE as in record=32MiB, a NAME that --help has, and a SIZE that LIMITS "
		   "in the manual allows"},
    [CLI_MAX] = {true, "=",
		 "NAME=N, separated by commas, each NAME once, where NAME is critical, high, "
		 "medium, low, info, unknown or total and N an integer"},
    [CLI_TO] = {true, "=", NULL},
    [CLI_MEMBERS] = {.ends = ",:"},
    [CLI_TERM] = {true, "=~!<>:",
		  "FIELD, FIELD=VALUE,VALUE, FIELD=FROM..TO or FIELD~REGEX, at most 64 times"},
    [CLI_NAMES] = {.repeats = true},
    [CLI_PATHS] = {.repeats = true},
    [CLI_GLOBS] = {true, NULL, "at most 64 globs, each with its [ closed and no \\ at the end"},
    [CLI_TOPIC] = {.ends = NULL},
};

const char *cli_option_ends(const struct cli_option *option)
{
	return types[option->type].ends ? types[option->type].ends : "";
}

/* The place among an option's words of the one that text begins with, up to one of ends. Returns
 * whether it is one. */
static bool find_word(const struct cli_option *option, const char *text, const char *ends,
		      unsigned *ret_place)
{
	size_t len = strcspn(text, ends);
	const char *word;

	for (unsigned i = 0; (word = cli_option_word(option, i)); i++) {
		if (strncmp(word, text, len) == 0 && !word[len]) {
			*ret_place = i;
			return true;
		}
	}
	return false;
}

/* Digits from text on to the byte that ends them. Returns whether they are a number that fits. */
static bool parse_count(const char *text, char end, uint64_t *ret_value)
{
	uint64_t value = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
			return false;
	}
	if (at == text || *at != end || value == UINT64_MAX)
		return false;
	*ret_value = value;
	return true;
}

static bool parse_number(const struct cli_option *option, const char *text, unsigned *ret_value)
{
	uint64_t value;

	if (!parse_count(text, '\0', &value) || value < option->min || value > option->max)
		return false;
	*ret_value = (unsigned)value;
	return true;
}

/* Read WORD=N,... into the place of each word, which nothing was read into. */
static bool parse_counts(const struct cli_option *option, const char *text, uint64_t *counts)
{
	uint64_t none = option->max ? option->max : RT_MAX_NONE, count;
	unsigned place;

	for (;; text++) {
		size_t len;

		if (!find_word(option, text, "=", &place))
			return false;
		text = strchrnul(text, '=');
		len = strcspn(text, ",");
		if (!*text || counts[place] != none || !parse_count(text + 1, text[len], &count) ||
		    count >= none)
			return false;
		counts[place] = count;
		text += len;
		if (!*text)
			return true;
	}
}

static bool parse_limit(const char *text, struct rt_limits *limits)
{
	const char *equals = strchr(text, '=');
	char name[LONGEST_LIMIT_NAME] = "";

	if (!equals || (size_t)(equals - text) >= sizeof(name))
		return false;
	memcpy(name, text, (size_t)(equals - text));
	return rt_limits_set(limits, name, equals + 1);
}

static bool add_text(const char *text, struct cli_texts *texts)
{
	if (*text == '\0' || texts->count == CLI_TEXTS_MAX)
		return false;
	texts->texts[texts->count++] = text;
	return true;
}

/* Whether a file's name goes on with another KIND=FILE, as options that take a list have them. */
static bool names_another(const struct cli_option *option, const char *text)
{
	unsigned kind;

	while ((text = strchr(text, ','))) {
		if (find_word(option, ++text, "=", &kind) && strchr(text, '='))
			return true;
	}
	return false;
}

/* KIND=FILE */
static bool add_output(const struct cli_option *option, const char *text,
		       struct cli_outputs *outputs)
{
	const char *file = strchrnul(text, '=');
	unsigned kind;

	if (!*file || !*++file || outputs->count == CLI_TEXTS_MAX ||
	    !find_word(option, text, "=", &kind) || names_another(option, file))
		return false;
	outputs->list[outputs->count++] =
	    (struct rt_report_output){cli_option_word(option, kind), file};
	return true;
}

/* text: none of --or. What is after the field's name is for the library to read. */
static bool add_term(const struct cli_option *option, const char *text, struct cli_terms *terms)
{
	enum rt_term_kind kind = (enum rt_term_kind)option->min;
	unsigned field;

	if (terms->count == CLI_TEXTS_MAX ||
	    (option->value && !find_word(option, text, "=~", &field)))
		return false;
	terms->terms[terms->count++] = (struct rt_term){kind, option->value ? text : NULL};
	return true;
}

/* Store the value of an option (empty where it takes none). Returns whether it is a good one. */
static bool store(const struct cli_option *option, const char *text, struct cli_options *options)
{
	void *at = (char *)options + option->at;
	unsigned place;

	switch (option->type) {
	case CLI_FLAG:
	case CLI_FLAG_OFF:
		*(bool *)at = option->type == CLI_FLAG;
		return true;
	case CLI_NUMBER:
		return parse_number(option, text, at);
	case CLI_TEXT:
	case CLI_NAME:
	case CLI_PATH:
	case CLI_PATH_OUTPUT:
		*(const char **)at = text;
		return option->type == CLI_TEXT ||
		       (*text && (option->type != CLI_PATH_OUTPUT || strcmp(text, "-") != 0));
	case CLI_WORD:
		return find_word(option, text, "", at);
	case CLI_TIME:
		return rt_time_parse(text, at);
	case CLI_COUNT:
		return parse_count(text, '\0', at);
	case CLI_LIMIT:
		return parse_limit(text, at);
	case CLI_MAX:
		return parse_counts(option, text, at);
	case CLI_TO:
		return add_output(option, text, at);
	case CLI_TERM:
		return add_term(option, text, at);
	case CLI_MEMBERS:
		*(const char **)at = text;
		return find_word(option, text, ",:", &place);
	case CLI_NAMES:
	case CLI_PATHS:
		return add_text(text, at);
	case CLI_GLOBS:
		return rt_glob_is_valid(text) && add_text(text, at);
	case CLI_SCHEMA:
	case CLI_COMMAND:
	case CLI_TOPIC:
		break;
	}
	return false;
}

/* What an option's value has to be, for a message: text may be it, of WANTED_MAX bytes. */
static const char *wanted(const struct cli_option *option, char *text)
{
	const char *word = cli_option_word(option, 0), *next;
	size_t used = 0;

	if (option->wanted || types[option->type].wanted)
		return option->wanted ? option->wanted : types[option->type].wanted;
	(void)snprintf(text, WANTED_MAX, "a value");
	if (option->type == CLI_NUMBER)
		(void)snprintf(text, WANTED_MAX, "an integer from %u to %u", option->min,
			       option->max);
	/* "json, yaml or table" */
	for (size_t i = 0; word && used < WANTED_MAX; i++, word = next) {
		const char *before = "";
		int len;

		next = cli_option_word(option, i + 1);
		if (i)
			before = next ? ", " : " or ";
		len = snprintf(text + used, WANTED_MAX - used, "%s%s", before, word);
		used += len > 0 ? (size_t)len : WANTED_MAX;
	}
	return text;
}

/* "--name" as the user knows the option, or what an operand is called. */
static void option_title(const struct cli_option *option, char *title, size_t cap)
{
	if (option->name)
		(void)snprintf(title, cap, "--%s", option->name);
	else
		(void)snprintf(title, cap, "%s", option->value);
}

/* Options as other programs name them: what says the same here, of a command that has an option, or
 * of any. `meant` is a part of a command line, or else a sentence. */
static const struct {
	const char *name, *option, *meant;
} elsewhere[] = {
    {"format", "to", "--to KIND=FILE"},
    {"f", "to", "--to KIND=FILE"},
    {"f", "as", "--as FORM"},
    {"f", "format", "--format FORMAT"},
    {"output", "to", "--to KIND=FILE"},
    {"o", "to", "--to KIND=FILE"},
    {"o", NULL, "the answer goes to standard output: > FILE"},
    {"output", NULL, "the answer goes to standard output: > FILE"},
    {"html", "to", "--to html=FILE"},
    {"html", NULL, "retriage report --to html=FILE"},
    {"json", "as", "--as json"},
    {"json", "format", "--format json"},
    {"yaml", "format", "--format yaml"},
    {"csv", "as", "--as csv"},
    {"csv", "to", "--to csv=FILE"},
    {"severity", "fail-on", "--fail-on LEVEL"},
    {"severity", "where", "--where severity=LEVEL"},
    {"severity", NULL, "retriage list --where severity=LEVEL"},
    {"reason", "dismiss", "--dismiss REASON"},
    {"until", "dismiss", "--expires DATE"},
    {"undo", "reopen", "--reopen"},
    {"issue", "where", "--where id=ID"},
    {"id", "issue", "--issue ID"},
    {"filter", "where", "--where EXPR"},
    {"set", "count-by", "retriage decide"},
    {"skip-unchanged", "count-by", "retriage decide"},
    {"baseline", "old-journal", "the first of the two scans is the old one"},
    {"exclude-path", "where", "--not path=GLOB"},
    {"ignore", "where", "--not EXPR"},
    {"dry-run", "in-place", "nothing is changed without -o, --in-place or --journal"},
    {"dry-run", "new-journal", "nothing is changed without --apply"},
    {"require-jail", "require-sandbox", "--require-sandbox"},
    {"q", "quiet", "--quiet"},
    {"v", "version", "-V"},
    {"verbose", "version", "all messages are printed unless --quiet is given"},
};

/* A command line that is parsed. */
struct parsing {
	const struct cli_command *command;
	const struct cli_option *rows[CLI_OPTIONS_MAX + 1]; /* its options; NULL after the last */
	size_t count;
	struct cli_options *options;
	struct cli_messages *messages;
};

/* The place of the option of a name or a letter, '\0' for none; p->count: there is none. */
static size_t find(const struct parsing *p, const char *name, size_t len, char letter)
{
	size_t i = 0;

	while (i < p->count &&
	       !(letter ? p->rows[i]->letter == letter
			: strncmp(p->rows[i]->name, name, len) == 0 && !p->rows[i]->name[len]))
		i++;
	return i;
}

/* What a name of another program, or of a field, means here; NULL: nothing that is known. text:
 * may be it, of RT_HINT_MAX bytes. */
static const char *meant_by(const struct parsing *p, const char *name, size_t len, char *text)
{
	bool has_where = find(p, "where", strlen("where"), '\0') < p->count;
	const char *field;

	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
		const char *option = elsewhere[i].option;

		if (strncmp(elsewhere[i].name, name, len) == 0 && !elsewhere[i].name[len] &&
		    (!option || find(p, option, strlen(option), '\0') < p->count))
			return elsewhere[i].meant;
	}
	for (size_t i = 0; has_where && (field = rt_filter_field(i)); i++) {
		if (strncmp(field, name, len) != 0 || field[len])
			continue;
		(void)snprintf(text, RT_HINT_MAX, "--where %s=VALUE", field);
		return text;
	}
	return NULL;
}

/* Refuse an option that the command does not have. word: as it was typed. */
static void refuse_name(const struct parsing *p, const char *word)
{
	const char *name = word + strspn(word, "-");
	size_t len = strcspn(name, "=");
	char field[RT_HINT_MAX];
	const char *meant = meant_by(p, name, len, field), *begun = NULL;
	bool is_typed = meant && (*meant == '-' || strncmp(meant, "retriage ", 9) == 0);
	struct rt_nearest nearest;
	char see[RT_HINT_MAX + 32], hint[RT_HINT_MAX];
	size_t begins = 0;

	rt_nearest_begin(&nearest, name, meant ? 0 : len);
	for (size_t i = 0; i < p->count && !meant && len > 1; i++) {
		rt_nearest_offer(&nearest, p->rows[i]->name);
		if (strncmp(p->rows[i]->name, name, len) == 0 && begins++ == 0)
			begun = p->rows[i]->name;
	}
	if (begins == 1)
		(void)snprintf(see, sizeof(see), "; did you mean \"--%s\"?", begun);
	else if (is_typed)
		(void)snprintf(see, sizeof(see), "; did you mean \"%s\"?", meant);
	else if (meant)
		(void)snprintf(see, sizeof(see), "; %s", meant);
	else
		(void)snprintf(see, sizeof(see), "; see retriage %s --help", p->command->name);
	cli_message_usage(p->messages, "", "unknown option \"%s\"%s", word,
			  rt_nearest_hint(&nearest, "--", see, hint));
}

void cli_option_refuse(const struct cli_option *option, const char *value,
		       struct cli_messages *messages)
{
	char title[64], text[WANTED_MAX], hint[RT_HINT_MAX];
	const char *name, *otherwise = "";
	struct rt_nearest nearest;

	option_title(option, title, sizeof(title));
	value = option->value ? value : title; /* --or once too often */
	rt_nearest_begin(&nearest, value, strcspn(value, cli_option_ends(option)));
	for (size_t i = 0; (name = cli_option_word(option, i)); i++)
		rt_nearest_offer(&nearest, name);
	if (option->type == CLI_TERM && value != title && !nearest.name)
		otherwise = "; FIELD is a field of an issue, notes, age, status, reason, expires "
			    "or baseline";
	if (option->type == CLI_TO && names_another(option, value))
		otherwise = "; give --to once for each file";
	cli_message_usage(messages, title, "want %s, have \"%s\"%s", wanted(option, text), value,
			  rt_nearest_hint(&nearest, "", otherwise, hint));
}

/* Store the value of the option at a place; empty where it takes none. Returns whether it may be
 * there so; if not, a message was written. */
static bool take(struct parsing *p, size_t place, const char *value)
{
	const struct cli_option *option = p->rows[place];
	char title[64];

	if (p->options->met[place] && option->value && !types[option->type].repeats) {
		option_title(option, title, sizeof(title));
		cli_message_usage(p->messages, title, "want one %s, have a second, \"%s\"",
				  option->value, value);
		return false;
	}
	p->options->met[place] = true;
	if (!store(option, value, p->options)) {
		cli_option_refuse(option, value, p->messages);
		return false;
	}
	if (option->given)
		*(bool *)((char *)p->options + option->given) = true;
	return true;
}

/*
 * Read the option of a word, --NAME, --NAME=VALUE, -L or -LVALUE, and its value, which may be the
 * next word: then *at goes there. Names cannot be abbreviated: what that means would change with
 * every option that is added. Returns whether it is good; if not, a message was written.
 */
static bool read_option(struct parsing *p, char **argv, int *at)
{
	const char *word = argv[*at], *value = NULL;
	char letter[] = {'-', word[1], '\0'}, title[64], text[WANTED_MAX];
	bool is_long = word[1] == '-';
	size_t len = strcspn(word, "=");
	size_t place = find(p, word + 2, len - 2, is_long ? '\0' : word[1]);
	const struct cli_option *option = p->rows[place];

	if (place == p->count) {
		refuse_name(p, is_long ? word : letter);
		return false;
	}
	if (is_long ? word[len] : word[2])
		value = word + (is_long ? len + 1 : 2);
	else if (option->value && argv[*at + 1])
		value = argv[++*at];
	if ((option->value != NULL) == (value != NULL))
		return take(p, place, value ? value : "");
	option_title(option, title, sizeof(title));
	if (value)
		cli_message_usage(p->messages, title, "want no value, have \"%s\"", value);
	else
		cli_message_usage(p->messages, title, "want %s, have nothing",
				  wanted(option, text));
	return false;
}

bool cli_options_parse(const struct cli_command *command, int argc, char **argv,
		       struct cli_options *options, struct cli_messages *messages)
{
	struct parsing p = {.command = command, .options = options, .messages = messages};
	bool ended = false;

	p.count = cli_option_rows(command, p.rows);
	*options = (struct cli_options){.recent = RT_RECENT_DEFAULT, .rows = RT_ROWS_DEFAULT};
	options->style.pretty = isatty(STDOUT_FILENO);
	rt_limits_init(&options->input.limits);
	rt_gate_options_init(&options->conditions);
	rt_report_init(&options->report);
	for (size_t i = 0; i < sizeof(options->sla) / sizeof(options->sla[0]); i++)
		options->sla[i] = RT_SLA_NO_DAYS;
	options->decide.severity = options->decide.exploitable = -1;
	options->operands = (const char *const *)&argv[1];
	for (int at = 1; at < argc; at++) {
		/* Operands move to the front, over what has been read. */
		if (ended || argv[at][0] != '-' || !argv[at][1])
			argv[1 + options->operand_count++] = argv[at];
		else if (strcmp(argv[at], "--") == 0)
			ended = true;
		else if (!read_option(&p, argv, &at))
			return false;
		if (options->help || options->version)
			return true;
	}
	cli_messages_color(messages, options->color);
	for (size_t i = 0; command->operand.type == CLI_PATH && i < options->operand_count; i++) {
		/* As "$UNSET" in a script is. */
		if (options->operands[i][0])
			continue;
		cli_message_usage(messages, "", "want a path, have \"\" (name %zu of %zu)", i + 1,
				  options->operand_count);
		return false;
	}
	return true;
}
