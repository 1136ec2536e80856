/*
 * Severity, confidence and score. Input: levels and property bags of a result and its rule.
 * Output: JSON values. Numbers are compared as decimal text, without rounding: 8.95 is high.
 * Refuses levels that SARIF does not know; scores that are none are passed over.
 */
#include "sarif/severity.h"

#include "base/decimal.h"

enum severity { CRITICAL, HIGH, MEDIUM, LOW, INFO, NO_SEVERITY };

static const struct rt_slice severity_words[] = {
    [CRITICAL] = {"\"critical\"", 10}, [HIGH] = {"\"high\"", 6},
    [MEDIUM] = {"\"medium\"", 8},      [LOW] = {"\"low\"", 5},
    [INFO] = {"\"info\"", 6},
};

/* level (3.27.10). */
static const struct {
	struct rt_slice name;
	enum severity severity;
} levels[] = {
    {RT_SLICE("none"), INFO},
    {RT_SLICE("note"), LOW},
    {RT_SLICE("warning"), MEDIUM},
    {RT_SLICE("error"), HIGH},
};
#define LEVEL_COUNT (sizeof(levels) / sizeof(levels[0]))
enum { LEVEL_NONE, LEVEL_NOTE, LEVEL_WARNING, LEVEL_ERROR };

/* The number of a level; LEVEL_COUNT: absent, or another text. */
static size_t level_find(struct rt_slice level)
{
	size_t i = 0;

	while (i < LEVEL_COUNT && !rt_sarif_equals(level, levels[i].name))
		i++;
	return i;
}

enum rt_status rt_sarif_level_check(struct rt_slice level, struct rt_sarif_fault *fault)
{
	if (!level.ptr || level_find(level) < LEVEL_COUNT)
		return RT_OK;
	return rt_sarif_refuse(fault, level.ptr, "level",
			       "\"none\", \"note\", \"warning\" or \"error\"", "%.*s",
			       rt_slice_shown(level, 64), level.ptr);
}

/* --- Words and numbers of property bags ------------------------------------------------------- */

/*
 * The text of a string or number; empty for anything else. room: of
 * RT_SARIF_PLAIN_MAX bytes, for a string with escapes.
 */
static struct rt_slice plain_text(struct rt_slice value, char *room)
{
	struct rt_slice text = value;

	if (!value.ptr)
		return rt_slice_make("", 0);
	if (rt_sarif_type(value) == RT_SARIF_STRING)
		text = rt_sarif_inside(value);
	else if (rt_sarif_type(value) != RT_SARIF_NUMBER)
		return rt_slice_make("", 0);
	if (rt_json_string_is_escaped(text)) {
		if (text.len > RT_SARIF_PLAIN_MAX)
			return rt_slice_make("", 0);
		text = rt_slice_make(room, rt_json_string_decode(text, room));
	}
	return text;
}

/* Whether a text is that word, in any case; word: in lower case. */
static bool word_is(struct rt_slice text, const char *word)
{
	if (text.len != strlen(word))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if ((c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c) != word[i])
			return false;
	}
	return true;
}

/* Whether a text is a number from one to another; above: the first is not in the range. */
static bool number_within(struct rt_slice text, struct rt_slice least, bool above,
			  struct rt_slice most)
{
	struct rt_decimal number, low, high;
	int order;

	if (!rt_decimal_read(text, &number) || !rt_decimal_read(least, &low) ||
	    !rt_decimal_read(most, &high))
		return false;
	order = rt_decimal_compare(&number, &low);
	return (above ? order > 0 : order >= 0) && rt_decimal_compare(&number, &high) <= 0;
}

static bool is_security_number(struct rt_slice text)
{
	return number_within(text, RT_SLICE("0"), true, RT_SLICE("10"));
}

/* The severity that a value of security-severity stands for, or NO_SEVERITY. */
static enum severity security_severity(struct rt_slice value)
{
	static const struct {
		const char *word;
		enum severity severity;
	} words[] = {
	    {"critical", CRITICAL}, {"high", HIGH}, {"medium", MEDIUM},      {"moderate", MEDIUM},
	    {"low", LOW},           {"info", INFO}, {"informational", INFO},
	};
	char room[RT_SARIF_PLAIN_MAX];
	struct rt_slice text = plain_text(value, room);

	if (is_security_number(text)) {
		if (number_within(text, RT_SLICE("9"), false, RT_SLICE("10")))
			return CRITICAL;
		if (number_within(text, RT_SLICE("7"), false, RT_SLICE("10")))
			return HIGH;
		if (number_within(text, RT_SLICE("4"), false, RT_SLICE("10")))
			return MEDIUM;
		return LOW;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (word_is(text, words[i].word))
			return words[i].severity;
	}
	return NO_SEVERITY;
}

struct rt_slice rt_sarif_confidence(const struct rt_slice *result, const struct rt_sarif_rule *rule)
{
	static const struct {
		const char *word;
		struct rt_slice number;
	} words[] = {
	    {"very-high", RT_SLICE("0.95")},
	    {"high", RT_SLICE("0.8")},
	    {"medium", RT_SLICE("0.5")},
	    {"low", RT_SLICE("0.2")},
	};
	struct rt_slice none = {NULL, 0}, number = result[RT_SARIF_CONFIDENCE];
	const struct rt_slice values[] = {rule ? rule->properties[RT_SARIF_PRECISION] : none,
					  result[RT_SARIF_ISSUE_CONFIDENCE], number};
	char room[RT_SARIF_PLAIN_MAX];

	for (size_t i = 0; i < 3; i++) {
		struct rt_slice text = rt_slice_make("", 0);

		/* All words are short, however they are spelled. */
		if (rt_sarif_type(values[i]) == RT_SARIF_STRING &&
		    values[i].len <= RT_SARIF_PLAIN_MAX + 2)
			text = plain_text(values[i], room);
		for (size_t j = 0; j < sizeof(words) / sizeof(words[0]); j++) {
			if (word_is(text, words[j].word))
				return words[j].number;
		}
	}
	if (rt_sarif_type(number) == RT_SARIF_NUMBER &&
	    number_within(number, RT_SLICE("0"), false, RT_SLICE("1")))
		return number;
	return none;
}

/* A number as it stands in the log, bare or in a string; room: as for plain_text(). */
static struct rt_slice number_text(struct rt_slice value, char *room)
{
	struct rt_slice text = plain_text(value, room);
	struct rt_decimal number;

	return rt_decimal_read(text, &number) ? text : rt_slice_make(NULL, 0);
}

static const enum rt_sarif_property scores[] = {RT_SARIF_CVSS4, RT_SARIF_CVSS3, RT_SARIF_CVSS2};

void rt_sarif_rule_scores(struct rt_sarif_rule *rule, struct rt_slice *properties)
{
	struct rt_slice *security = &properties[RT_SARIF_SECURITY_SEVERITY];
	char room[RT_SARIF_PLAIN_MAX];

	rule->severity = (uint8_t)security_severity(*security);
	if (security->ptr && rule->severity == NO_SEVERITY)
		*security = RT_SLICE("\"\"");
	for (size_t i = 0; i < sizeof(scores) / sizeof(scores[0]); i++) {
		if (!number_text(properties[scores[i]], room).ptr)
			properties[scores[i]] = rt_slice_make(NULL, 0);
	}
}

struct rt_slice rt_sarif_score(const struct rt_slice *result, const struct rt_sarif_rule *rule,
			       char room[RT_SARIF_PLAIN_MAX])
{
	const struct rt_slice *bags[] = {result, rule ? rule->properties : NULL};
	struct rt_slice text = {NULL, 0};

	for (size_t i = 0; i < 6 && !text.ptr; i++) {
		if (bags[i / 3])
			text = number_text(bags[i / 3][scores[i % 3]], room);
	}
	for (size_t i = 0; i < 2 && !text.ptr; i++) {
		if (bags[i])
			text = number_text(bags[i][RT_SARIF_SECURITY_SEVERITY], room);
		if (text.ptr && !is_security_number(text))
			text.ptr = NULL;
	}
	return text;
}

/* --- Severity --------------------------------------------------------------------------------- */

/* Whether a level counts: what is not decided yet may be bad, so there "none" is no level. */
static bool level_counts(enum rt_sarif_result_kind kind, size_t level)
{
	return level < LEVEL_COUNT && (level != LEVEL_NONE || kind == RT_SARIF_KIND_FAIL);
}

/* The level that an invocation gives the rule: the one that is named, or the only one. */
static struct rt_slice override_of(const struct rt_sarif_run *run,
				   const struct rt_sarif_severity_says *says)
{
	if (says->invocation >= 0 && (uint64_t)says->invocation < run->invocation_count)
		return rt_sarif_override(run, (size_t)says->invocation, says->rule);
	if (says->invocation < 0 && run->invocation_count == 1)
		return rt_sarif_override(run, 0, says->rule);
	return rt_slice_make(NULL, 0);
}

struct rt_slice rt_sarif_severity(const struct rt_sarif_run *run,
				  const struct rt_sarif_severity_says *says,
				  struct rt_sarif_notes *notes)
{
	struct rt_slice values[2] = {says->result[RT_SARIF_SECURITY_SEVERITY]};
	enum severity severities[2] = {security_severity(values[0]), NO_SEVERITY};
	size_t level = level_find(says->level);

	if (says->kind == RT_SARIF_KIND_INFORMATIONAL)
		return severity_words[INFO];
	if (says->rule)
		values[1] = says->rule->properties[RT_SARIF_SECURITY_SEVERITY];
	if (values[1].ptr)
		severities[1] = (enum severity)says->rule->severity;
	for (size_t i = 0; i < 2; i++) {
		if (severities[i] != NO_SEVERITY)
			return severity_words[severities[i]];
		notes->counts[RT_SARIF_NOTE_SEVERITY] += values[i].ptr != NULL;
	}
	if (!level_counts(says->kind, level))
		level = level_find(override_of(run, says));
	if (!level_counts(says->kind, level))
		level = says->rule ? level_find(says->rule->level) : LEVEL_COUNT;
	if (!level_counts(says->kind, level))
		level = LEVEL_WARNING;
	return severity_words[levels[level].severity];
}
