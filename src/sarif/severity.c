/*
 * Severity, confidence and score of a result, from levels and property bags of it and its rule.
 * Numbers are compared as decimal text, without rounding: 8.95 is high. Whatever a tool writes
 * there is read as far as it says something, and counted where it does not.
 */
#include "sarif/severity.h"

#include <strings.h>

#include "base/decimal.h"

enum severity { NO_SEVERITY, CRITICAL, HIGH, MEDIUM, LOW, INFO };

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
#define LEVEL_NONE 0u

/* The number of a level; LEVEL_COUNT: absent, or another text. */
static size_t level_find(struct rt_slice level)
{
	size_t i = 0;

	while (i < LEVEL_COUNT && !rt_sarif_equals(level, levels[i].name))
		i++;
	return i;
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

/* Whether a text is that word, in any case. */
static bool word_is(struct rt_slice text, const char *word)
{
	return text.len == strlen(word) && strncasecmp(text.ptr, word, text.len) == 0;
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

static struct rt_slice trim(struct rt_slice text)
{
	while (text.len && rt_is_blank(*text.ptr))
		text = rt_slice_make(text.ptr + 1, text.len - 1);
	while (text.len && rt_is_blank(text.ptr[text.len - 1]))
		text.len--;
	return text;
}

/* The text of a score as JSON spells numbers: people also write "+9.8", " 9.8", "9." and ".5".
 * room: as for plain_text(). */
static struct rt_slice score_text(struct rt_slice value, char *room)
{
	struct rt_slice text = trim(plain_text(value, room));

	if (text.len && *text.ptr == '+')
		text = rt_slice_make(text.ptr + 1, text.len - 1);
	while (text.len > 1 && *text.ptr == '0' && text.ptr[1] >= '0' && text.ptr[1] <= '9')
		text = rt_slice_make(text.ptr + 1, text.len - 1);
	if (text.len > 1 && text.ptr[text.len - 1] == '.')
		text.len--;
	if (text.len > 1 && *text.ptr == '.' && text.len < RT_SARIF_PLAIN_MAX) {
		memmove(room + 1, text.ptr, text.len);
		*room = '0';
		text = rt_slice_make(room, text.len + 1);
	}
	return text;
}

static bool is_security_number(struct rt_slice text)
{
	return number_within(text, RT_SLICE("0"), true, RT_SLICE("10"));
}

/* The severity that a word stands for (S22). value: JSON; what is no word has none. */
static enum severity word_severity(struct rt_slice value)
{
	static const struct {
		const char *word;
		enum severity severity;
	} words[] = {
	    {"critical", CRITICAL}, {"high", HIGH}, {"medium", MEDIUM},      {"moderate", MEDIUM},
	    {"low", LOW},           {"info", INFO}, {"informational", INFO},
	};
	char room[RT_SARIF_PLAIN_MAX];
	struct rt_slice text;

	/* All words are short, however they are spelled. */
	if (value.len > RT_SARIF_PLAIN_MAX + 2)
		return NO_SEVERITY;
	text = trim(plain_text(value, room));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (word_is(text, words[i].word))
			return words[i].severity;
	}
	return NO_SEVERITY;
}

/* The severity that a value of security-severity stands for, or NO_SEVERITY. */
static enum severity security_severity(struct rt_slice value)
{
	char room[RT_SARIF_PLAIN_MAX];
	struct rt_slice text = score_text(value, room);

	if (!is_security_number(text))
		return word_severity(value);
	if (number_within(text, RT_SLICE("9"), false, RT_SLICE("10")))
		return CRITICAL;
	if (number_within(text, RT_SLICE("7"), false, RT_SLICE("10")))
		return HIGH;
	return number_within(text, RT_SLICE("4"), false, RT_SLICE("10")) ? MEDIUM : LOW;
}

/* The tool's own word in a property bag. */
static enum severity own_severity(const struct rt_slice *bag)
{
	enum severity found = word_severity(bag[RT_SARIF_SEVERITY]);

	if (found == NO_SEVERITY)
		found = word_severity(bag[RT_SARIF_SEVERITY_TITLE]);
	return found == NO_SEVERITY ? word_severity(bag[RT_SARIF_PRIORITY]) : found;
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

/* A number as it is in the log, bare or in a string; room: as for plain_text(). */
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
	rule->word = (uint8_t)own_severity(properties);
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
			text = score_text(bags[i][RT_SARIF_SECURITY_SEVERITY], room);
		if (text.ptr && !is_security_number(text))
			text.ptr = NULL;
	}
	return text;
}

/* --- Severity --------------------------------------------------------------------------------- */

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

/* A level that SARIF does not know says something if it is another spelling or word. */
static enum severity unknown_level(struct rt_slice level)
{
	char room[RT_SARIF_PLAIN_MAX];
	struct rt_slice text;

	if (level.len > RT_SARIF_PLAIN_MAX + 2)
		return NO_SEVERITY;
	text = trim(plain_text(level, room));
	for (size_t i = 0; i < LEVEL_COUNT; i++) {
		if (word_is(text, levels[i].name.ptr))
			return levels[i].severity;
	}
	return word_is(text, "notice") ? INFO : word_severity(level);
}

/*
 * The severity of the first level that counts (S23). *ret_unknown: of the first one that SARIF does
 * not know, where that is a word. What is not decided yet may be bad: there "none" is no level.
 */
static enum severity level_severity(const struct rt_sarif_run *run,
				    const struct rt_sarif_severity_says *says,
				    enum severity *ret_unknown, struct rt_sarif_notes *notes)
{
	enum severity found = NO_SEVERITY;
	bool noted = false;

	for (unsigned i = 0; i < 3 && found == NO_SEVERITY; i++) {
		struct rt_slice value = {NULL, 0};
		size_t level;

		if (i == 0)
			value = says->level;
		else if (i == 1)
			value = override_of(run, says);
		else if (says->rule)
			value = says->rule->level;
		if (!value.ptr)
			continue;
		level = level_find(value);
		if (level == LEVEL_COUNT) {
			notes->counts[RT_SARIF_NOTE_LEVEL] += !noted;
			noted = true;
			rt_sarif_notes_level(notes, value);
			if (*ret_unknown == NO_SEVERITY)
				*ret_unknown = unknown_level(value);
		} else if (level != LEVEL_NONE || says->kind == RT_SARIF_KIND_FAIL) {
			found = levels[level].severity;
		}
	}
	return found;
}

struct rt_slice rt_sarif_level_of(char severity)
{
	if (severity == 'c' || severity == 'h')
		return RT_SLICE("\"error\"");
	return severity == 'm' ? RT_SLICE("\"warning\"") : RT_SLICE("\"note\"");
}

/* The severity of the result's score, or of its rule's. own: properties of the result. */
static enum severity score_severity(const struct rt_slice *own, const struct rt_sarif_rule *rule,
				    struct rt_sarif_notes *notes)
{
	enum severity found = security_severity(own[RT_SARIF_SECURITY_SEVERITY]);

	if (found != NO_SEVERITY)
		return found;
	notes->counts[RT_SARIF_NOTE_SEVERITY] += own[RT_SARIF_SECURITY_SEVERITY].ptr != NULL;
	if (rule && rule->properties[RT_SARIF_SECURITY_SEVERITY].ptr) {
		found = (enum severity)rule->severity;
		notes->counts[RT_SARIF_NOTE_SEVERITY] += found == NO_SEVERITY;
	}
	return found;
}

struct rt_slice rt_sarif_severity(const struct rt_sarif_run *run,
				  const struct rt_sarif_severity_says *says,
				  struct rt_sarif_notes *notes)
{
	const struct rt_sarif_rule *rule = says->rule;
	const struct rt_slice *own = says->result;
	enum severity found = NO_SEVERITY, unknown = NO_SEVERITY;

	if (says->kind == RT_SARIF_KIND_INFORMATIONAL)
		return severity_words[INFO];
	if (run->level_first)
		found = level_severity(run, says, &unknown, notes);
	if (found == NO_SEVERITY)
		found = score_severity(own, rule, notes);
	if (found == NO_SEVERITY && !run->level_first)
		found = level_severity(run, says, &unknown, notes);
	if (found == NO_SEVERITY)
		found = unknown;
	if (found == NO_SEVERITY) {
		found = own_severity(own);
		if (found == NO_SEVERITY && rule)
			found = (enum severity)rule->word;
		notes->counts[found == NO_SEVERITY ? RT_SARIF_NOTE_DEFAULT : RT_SARIF_NOTE_WORD]++;
	}
	return severity_words[found == NO_SEVERITY ? MEDIUM : found];
}
