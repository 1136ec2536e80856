/*
 * Picks issues by the expressions of --where, --not and --or. An expression is read once: values
 * become levels, decimals, instants and globs. A finding's texts are looked at where they stand;
 * only those with escapes are decoded.
 */
#include "engine/filter.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/instant.h"
#include "base/regex.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "engine/summary.h"

#define DAY INT64_C(86400)
/* Digits of an exponent in a value, so that its sum with any shift is exact. */
#define POWER_MAX INT64_C(999999999)

/* How the values of a field are compared. */
enum rule {
	RULE_TEXT,
	RULE_LEVEL,
	RULE_PATH,
	RULE_CWE,
	RULE_NUMBER,
	RULE_FLAG,
	RULE_DATE,
	RULE_AGE,
	RULE_STATUS,
};

/* The fields: the members of an issue by their numbers, and three more. */
#define FIELD_NOTES RT_ISSUE_MEMBERS
#define FIELD_AGE (RT_ISSUE_MEMBERS + 1)
#define FIELD_STATUS (RT_ISSUE_MEMBERS + 2)
#define FIELDS (RT_ISSUE_MEMBERS + 3)

/* Bytes of a value that a notice shows. */
#define TOLD_BYTES 40u

/* One end of an item, or both where it is one value. What is read of it follows from the rule. */
struct bound {
	struct rt_slice text; /* without backslashes */
	unsigned level;
	struct rt_decimal number;
	struct rt_instant from, to; /* the first and the last instant that it means */
	bool before;                /* `to` itself is not meant */
};

enum item_kind {
	ITEM_VALUE,
	ITEM_RANGE,
	ITEM_GLOB,
};

struct item {
	enum item_kind kind;
	bool has_low, has_high; /* of a range */
	struct bound low, high; /* of a value: low */
	bool flag;
	bool looks_glob; /* has what a glob would have, but is none */
	bool seen;       /* of a severity that is no level: an issue has it */
	struct rt_glob *glob;
};

enum operator{
	OP_PRESENT,
	OP_ITEMS,
	OP_REGEX,
};

struct term {
	bool negated;
	bool begins; /* a group */
	unsigned field;
	enum rule rule;
	enum operator op;
	struct item *items;
	size_t count;
	struct rt_regex *regex;
	char *text; /* of the items without backslashes; globs keep theirs */
};

struct rt_filter {
	int64_t at; /* the present */
	struct term *terms;
	size_t count;
	bool wants_notes;
	bool for_gate;
	bool has_words;             /* severities that are no level */
	bool met_severity, met_age; /* of the issue: unknown where a range asked for it */
	struct rt_filter_unknown unknown;
	struct rt_buf text;    /* see rt_filter_text() */
	struct rt_buf scratch; /* a text without its escapes */
};

/* --- Fields ------------------------------------------------------------------------------ */

const char *rt_filter_field(size_t index)
{
	static const char *const further[] = {"notes", "age", "status", NULL};

	if (index < RT_ISSUE_MEMBERS)
		return rt_member_name((enum rt_member)index).ptr;
	return index < FIELDS ? further[index - RT_ISSUE_MEMBERS] : NULL;
}

static bool find_field(struct rt_slice name, unsigned *ret_field)
{
	for (unsigned i = 0; i < FIELDS; i++) {
		const char *field = rt_filter_field(i);

		if (rt_slice_equal(name, rt_slice_make(field, strlen(field)))) {
			*ret_field = i;
			return true;
		}
	}
	return false;
}

static enum rule rule_of(unsigned field)
{
	uint8_t types;

	switch (field) {
	case RT_M_SEVERITY:
		return RULE_LEVEL;
	case RT_M_FILE_PATH:
		return RULE_PATH;
	case RT_M_CWE_IDS:
		return RULE_CWE;
	case RT_M_CREATED_AT:
	case RT_M_UPDATED_AT:
	case RT_M_SCAN_CREATED_AT:
		return RULE_DATE;
	case FIELD_NOTES:
		return RULE_TEXT;
	case FIELD_AGE:
		return RULE_AGE;
	case FIELD_STATUS:
		return RULE_STATUS;
	default:
		types = rt_member_rule(RT_KIND_ISSUE, (enum rt_member)field)->types;
	}
	if (types & RT_TYPE_BOOL)
		return RULE_FLAG;
	return types & (RT_TYPE_INTEGER | RT_TYPE_NUMBER) ? RULE_NUMBER : RULE_TEXT;
}

/* --- Reading values ---------------------------------------------------------------------- */

static enum rt_status refuse(struct rt_error *err, const char *want, struct rt_slice have)
{
	char text[256];

	rt_error_text(text, sizeof(text), have);
	return rt_error_set(err, RT_E_USAGE, "want %s, have \"%s\"", want, text);
}

static bool find_level(struct rt_slice text, unsigned *ret_level)
{
	for (unsigned level = 0; level < RT_SEVERITY_LEVELS; level++) {
		if (rt_slice_equal(text, rt_severity_level(level))) {
			*ret_level = level;
			return true;
		}
	}
	return false;
}

static bool cwe_number(struct rt_slice text, struct rt_decimal *ret_number)
{
	struct rt_slice digits;

	return rt_cwe_digits(text, &digits) && rt_decimal_read(digits, ret_number);
}

static enum rt_status read_number(struct bound *b, struct rt_error *err)
{
	if (!rt_decimal_read(b->text, &b->number) || b->number.power > POWER_MAX ||
	    b->number.power < -POWER_MAX)
		return refuse(err, "a number", b->text);
	return RT_OK;
}

static enum rt_status read_date(struct bound *b, bool range, int64_t at, struct rt_error *err)
{
	static const char want[] = "a date, a date-time or -30d for 30 days ago";
	int64_t seconds;

	if (rt_instant_days_ago(b->text, at, &seconds)) {
		b->from = b->to = (struct rt_instant){seconds, {"", 0}};
		return range ? RT_OK
			     : refuse(err, "days ago as the end of a range, as in -30d..", b->text);
	}
	if (!rt_instant_parse(b->text, &b->from))
		return refuse(err, want, b->text);
	b->to = b->from;
	b->before = b->text.len == strlen("YYYY-MM-DD");
	b->to.seconds += b->before ? DAY : 0;
	return RT_OK;
}

/* Read what the rule makes of a bound. range: it is one end. */
static enum rt_status read_bound(struct bound *b, enum rule rule, bool range, int64_t at,
				 struct rt_error *err)
{
	switch (rule) {
	case RULE_LEVEL:
		b->level = RT_LEVEL_OTHER;
		if (find_level(b->text, &b->level) || !range)
			return RT_OK;
		return refuse(err, "one of the levels critical, high, medium, low and info",
			      b->text);
	case RULE_CWE:
		if (cwe_number(b->text, &b->number))
			return RT_OK;
		b->number.at = NULL;
		return range ? refuse(err, "the number of a weakness, as in 79 or CWE-79", b->text)
			     : RT_OK;
	case RULE_NUMBER:
	case RULE_AGE:
		return read_number(b, err);
	case RULE_DATE:
		/* A text that is there and empty. */
		return b->text.len || range ? read_date(b, range, at, err) : RT_OK;
	case RULE_FLAG:
		if (!range && (rt_slice_equal(b->text, RT_SLICE("true")) ||
			       rt_slice_equal(b->text, RT_SLICE("false"))))
			return RT_OK;
		return refuse(err, "true or false", b->text);
	case RULE_STATUS:
		for (size_t i = 0; i < RT_STATUSES && !range; i++) {
			if (rt_slice_equal(b->text, rt_status_names[i]))
				return RT_OK;
		}
		return refuse(err, "open, dismissed or expired", b->text);
	default:
		return RT_OK;
	}
}

/* Whether the ends of a range stand the right way round. */
static bool in_order(const struct item *item, enum rule rule)
{
	const struct bound *low = &item->low, *high = &item->high;
	int order;

	switch (rule) {
	case RULE_LEVEL:
		return low->level >= high->level; /* critical is 0 */
	case RULE_CWE:
	case RULE_NUMBER:
	case RULE_AGE:
		return rt_decimal_compare(&low->number, &high->number) <= 0;
	case RULE_DATE:
		order = rt_instant_compare(&low->from, &high->to);
		return order < 0 || (order == 0 && !high->before);
	default:
		return rt_slice_compare(low->text, high->text) <= 0;
	}
}

/* --- Reading items ----------------------------------------------------------------------- */

/* One item as it was written. */
struct raw {
	const char *at, *end;
	const char *dots; /* the ".." of a range; NULL: none */
	bool more_dots;   /* there is another one */
	bool globs;       /* has * ? or [ */
};

/* Whether a backslash may stand before it: what means something somewhere in an expression. */
static bool is_quotable(char c)
{
	return c && strchr(",\\.*?[]!^-~=/", c);
}

/* Whether two dots are a folder's parent, as in ../lib and a/../b, and no range. */
static bool is_parent(const char *from, const char *dots, const char *end)
{
	return (dots == from || dots[-1] == '/') && end - dots > 2 && dots[2] == '/';
}

/*
 * Find the end of an item. Returns RT_OK, or RT_FATAL where a backslash stands before something
 * that needs none: the path of another system, most likely.
 */
static enum rt_status scan_item(const char *at, const char *end, enum rule rule, struct raw *raw,
				struct rt_error *err)
{
	*raw = (struct raw){.at = at, .end = at};
	for (; at < end && *at != ','; at++) {
		if (*at == '\\') {
			if (++at == end || !is_quotable(*at))
				return rt_error_set(
				    err, RT_E_USAGE,
				    "want \\\\ for a backslash; a single one stands "
				    "before one of , \\ .. * ? [ that is meant "
				    "literally");
		} else if (*at == '.' && end - at > 1 && at[1] == '.') {
			if (rule != RULE_PATH || !is_parent(raw->at, at, end)) {
				raw->more_dots = raw->dots != NULL;
				raw->dots = raw->dots ? raw->dots : at;
			}
			at++;
		} else if (*at == '*' || *at == '?' || *at == '[') {
			raw->globs = true;
		}
	}
	raw->end = at;
	return RT_OK;
}

/* Copy without backslashes. *room: after what was copied before. */
static struct rt_slice plain(const char *at, const char *end, char **room)
{
	char *first = *room;

	for (; at < end; at++) {
		at += *at == '\\';
		*(*room)++ = *at;
	}
	return rt_slice_make(first, (size_t)(*room - first));
}

static enum rt_status read_glob(struct item *item, const struct raw *raw, char **room,
				struct rt_error *err)
{
	struct rt_slice pattern = rt_slice_make(*room, (size_t)(raw->end - raw->at));

	/* With its backslashes, which a glob understands. */
	memcpy(*room, raw->at, pattern.len);
	*room += pattern.len;
	item->kind = ITEM_GLOB;
	item->glob = malloc(sizeof(*item->glob));
	if (!item->glob)
		return rt_error_nomem(err);
	return rt_glob_read(item->glob, pattern)
		   ? RT_OK
		   : refuse(err, "a glob of at most 1024 bytes with each [ closed", pattern);
}

static enum rt_status read_range(struct item *item, const struct raw *raw, enum rule rule,
				 int64_t at, char **room, struct rt_error *err)
{
	struct rt_slice written = rt_slice_make(raw->at, (size_t)(raw->end - raw->at));
	enum rt_status status = RT_OK;

	item->kind = ITEM_RANGE;
	item->low.text = plain(raw->at, raw->dots, room);
	item->high.text = plain(raw->dots + 2, raw->end, room);
	item->has_low = item->low.text.len > 0;
	item->has_high = item->high.text.len > 0;
	if (raw->more_dots || (!item->has_low && !item->has_high))
		return refuse(err, "FROM..TO, FROM.. or ..TO, or \\.. for two dots", written);
	if (item->has_low)
		status = read_bound(&item->low, rule, true, at, err);
	if (status == RT_OK && item->has_high)
		status = read_bound(&item->high, rule, true, at, err);
	if (status == RT_OK && item->has_low && item->has_high && !in_order(item, rule))
		status =
		    refuse(err, "the lower end of a range first, or \\.. for two dots", written);
	return status;
}

static enum rt_status read_item(struct item *item, const struct raw *raw, enum rule rule,
				int64_t at, char **room, struct rt_error *err)
{
	if (rule == RULE_PATH && raw->globs)
		return read_glob(item, raw, room, err);
	if (raw->dots)
		return read_range(item, raw, rule, at, room, err);
	item->kind = ITEM_VALUE;
	item->low.text = plain(raw->at, raw->end, room);
	item->flag = rt_slice_equal(item->low.text, RT_SLICE("true"));
	item->looks_glob = raw->globs;
	return read_bound(&item->low, rule, false, at, err);
}

static enum rt_status read_items(struct term *term, struct rt_slice text, int64_t at,
				 struct rt_error *err)
{
	const char *from = text.ptr, *end = rt_slice_end(text);
	size_t commas = 0;
	char *room;

	for (size_t i = 0; i < text.len; i++)
		commas += text.ptr[i] == ',';
	term->items = calloc(commas + 1, sizeof(*term->items));
	term->text = room = malloc(text.len + 1);
	if (!term->items || !room)
		return rt_error_nomem(err);
	for (;;) {
		struct raw raw;
		enum rt_status status = scan_item(from, end, term->rule, &raw, err);

		if (status == RT_OK)
			status = read_item(&term->items[term->count++], &raw, term->rule, at, &room,
					   err);
		if (status != RT_OK || raw.end == end)
			return status;
		from = raw.end + 1;
	}
}

/* --- Reading expressions ----------------------------------------------------------------- */

static enum rt_status check_utf8(struct rt_slice text, struct rt_error *err)
{
	for (size_t at = 0, len; at < text.len; at += len) {
		len = rt_utf8_length(text.ptr + at, text.len - at);
		if (!len)
			return rt_error_set(err, RT_E_USAGE, "want UTF-8, have another encoding");
	}
	return RT_OK;
}

static enum rt_status refuse_field(struct rt_slice name, struct rt_error *err)
{
	char list[640];
	size_t used = 0;

	for (size_t i = 0; i < FIELDS && used < sizeof(list); i++)
		used +=
		    (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
				     i ? i + 1 < FIELDS ? ", " : " or " : "", rt_filter_field(i));
	return refuse(err, list, name);
}

static enum rt_status read_term(struct term *term, struct rt_slice text, int64_t at,
				struct rt_error *err)
{
	size_t name = 0;
	struct rt_slice value;
	enum rt_status status = check_utf8(text, err);

	while (name < text.len && text.ptr[name] != '=' && text.ptr[name] != '~')
		name++;
	if (status == RT_OK && !find_field(rt_slice_make(text.ptr, name), &term->field))
		status = refuse_field(rt_slice_make(text.ptr, name), err);
	if (status != RT_OK)
		return status;
	term->rule = rule_of(term->field);
	if (name == text.len)
		return RT_OK;
	value = rt_slice_make(text.ptr + name + 1, text.len - name - 1);
	if (text.ptr[name] == '=') {
		term->op = OP_ITEMS;
		return read_items(term, value, at, err);
	}
	term->op = OP_REGEX;
	if (term->rule == RULE_NUMBER || term->rule == RULE_AGE || term->rule == RULE_FLAG)
		return refuse(err, "~ only with a field of text", text);
	return rt_regex_new(value, &term->regex, err);
}

static const char *const words[] = {
    [RT_TERM_WHERE] = "--where",
    [RT_TERM_NOT] = "--not",
    [RT_TERM_OR] = "--or",
};

static enum rt_status append_written(struct rt_filter *f, const struct rt_term *term,
				     struct rt_error *err)
{
	const char *word = words[term->kind];
	enum rt_status status = RT_OK;

	if (f->text.len)
		status = rt_buf_append(&f->text, " ", 1, err);
	if (status == RT_OK)
		status = rt_buf_append(&f->text, word, strlen(word), err);
	if (status != RT_OK || term->kind == RT_TERM_OR)
		return status;
	status = rt_buf_append(&f->text, " ", 1, err);
	return status == RT_OK
		   ? rt_shell_quote(&f->text, rt_slice_make(term->text, strlen(term->text)), err)
		   : status;
}

/* Say which expression it is. */
static void name_term(struct rt_error *err, const struct rt_term *term)
{
	char field[sizeof(err->field)];

	(void)snprintf(field, sizeof(field), "%s %s", words[term->kind], term->text);
	rt_error_text(err->field, sizeof(err->field), rt_slice_make(field, strlen(field)));
}

/* Whether an item is a severity that is no level. */
static bool is_odd(const struct term *term, const struct item *item)
{
	return term->rule == RULE_LEVEL && item->kind == ITEM_VALUE &&
	       item->low.level == RT_LEVEL_OTHER;
}

static enum rt_status read_terms(struct rt_filter *f, const struct rt_term *terms, size_t count,
				 struct rt_error *err)
{
	enum rt_status status = RT_OK;
	bool begins = true;

	for (size_t i = 0; status == RT_OK && i < count; i++) {
		struct term *term = &f->terms[f->count];

		status = append_written(f, &terms[i], err);
		if (terms[i].kind == RT_TERM_OR) {
			if (begins)
				break;
			begins = true;
			continue;
		}
		f->count++;
		term->begins = begins;
		term->negated = terms[i].kind == RT_TERM_NOT;
		begins = false;
		if (status == RT_OK)
			status = read_term(
			    term, rt_slice_make(terms[i].text, strlen(terms[i].text)), f->at, err);
		if (status != RT_OK && err->code == RT_E_USAGE)
			name_term(err, &terms[i]);
		f->wants_notes |= term->field == FIELD_NOTES;
		for (size_t k = 0; k < term->count; k++)
			f->has_words |= is_odd(term, &term->items[k]);
	}
	/* A group without expressions would pick everything. */
	if (status == RT_OK && count && begins)
		status = rt_error_set(err, RT_E_USAGE,
				      "want --where or --not before and after each --or");
	return status;
}

enum rt_status rt_filter_new(const struct rt_term *terms, size_t count, int64_t at,
			     struct rt_filter **ret_filter, struct rt_error *err)
{
	char formatted[RT_INSTANT_CHARS];
	struct rt_filter *f;
	enum rt_status status;

	if (!rt_instant_format(at, formatted))
		return rt_error_set(err, RT_E_USAGE, "want a time of the years 0000 to 9999");
	f = calloc(1, sizeof(*f));
	if (!f)
		return rt_error_nomem(err);
	f->at = at;
	f->terms = calloc(count ? count : 1, sizeof(*f->terms));
	status = f->terms ? read_terms(f, terms, count, err) : rt_error_nomem(err);
	if (status != RT_OK) {
		rt_filter_free(f);
		return status;
	}
	*ret_filter = f;
	return RT_OK;
}

void rt_filter_free(struct rt_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->count; i++) {
		for (size_t k = 0; k < f->terms[i].count; k++)
			free(f->terms[i].items[k].glob);
		free(f->terms[i].items);
		free(f->terms[i].text);
		rt_regex_free(f->terms[i].regex);
	}
	free(f->terms);
	rt_buf_release(&f->text);
	rt_buf_release(&f->scratch);
	free(f);
}

int64_t rt_filter_at(const struct rt_filter *filter)
{
	return filter->at;
}

bool rt_filter_wants_notes(const struct rt_filter *filter)
{
	return filter->wants_notes;
}

/* What a value is not that values of its field are; NULL: nothing. */
static const char *lacks(const struct term *term, const struct item *item)
{
	if (item->kind != ITEM_VALUE)
		return NULL;
	if (item->low.text.len && *item->low.text.ptr == '=')
		return "that text itself, with its \"=\"; FIELD=VALUE has one";
	if (term->rule == RULE_CWE && !item->low.number.at)
		return "not the number of a weakness, such as 79 or CWE-79";
	if (term->rule == RULE_TEXT && item->looks_glob)
		return "that text itself, not a glob; FIELD~REGEX looks for a part";
	return NULL;
}

void rt_filter_tell(const struct rt_filter *filter, const struct rt_options *options)
{
	for (size_t i = 0; options->notice && i < filter->count; i++) {
		const struct term *term = &filter->terms[i];

		for (size_t k = 0; term->op == OP_ITEMS && k < term->count; k++) {
			const char *what = lacks(term, &term->items[k]);
			char value[TOLD_BYTES + 1], text[TOLD_BYTES + 128];

			if (!what)
				continue;
			rt_error_text(value, sizeof(value), term->items[k].low.text);
			(void)snprintf(text, sizeof(text), "%s=\"%s\" is %s",
				       rt_filter_field(term->field), value, what);
			options->notice(options->notice_ctx, text);
		}
	}
}

void rt_filter_for_gate(struct rt_filter *filter)
{
	filter->for_gate = true;
}

struct rt_filter_unknown rt_filter_unknown(const struct rt_filter *filter)
{
	return filter->unknown;
}

void rt_filter_merge(struct rt_filter *filter, const struct rt_filter *from)
{
	filter->unknown.severity += from->unknown.severity;
	filter->unknown.age += from->unknown.age;
	for (size_t i = 0; i < filter->count; i++) {
		for (size_t k = 0; k < filter->terms[i].count; k++)
			filter->terms[i].items[k].seen |= from->terms[i].items[k].seen;
	}
}

static enum rt_status refuse_severity(const struct term *term, struct rt_slice word,
				      struct rt_error *err)
{
	char text[TOLD_BYTES + 1], hint[RT_HINT_MAX];
	struct rt_nearest nearest;

	rt_nearest_begin(&nearest, word.ptr, word.len);
	for (size_t level = 0; level < RT_SEVERITY_LEVELS; level++)
		rt_nearest_offer(&nearest, rt_severity_level(level).ptr);
	rt_error_text(text, sizeof(text), word);
	(void)rt_error_set(
	    err, RT_E_USAGE, "no issue has the severity \"%s\", and it is no level%s", text,
	    rt_nearest_hint(&nearest, "", ": critical, high, medium, low or info", hint));
	(void)snprintf(err->field, sizeof(err->field), "%s severity",
		       words[term->negated ? RT_TERM_NOT : RT_TERM_WHERE]);
	return RT_FATAL;
}

enum rt_status rt_filter_check(const struct rt_filter *filter, uint64_t issues,
			       struct rt_error *err)
{
	for (size_t i = 0; issues && filter->has_words && i < filter->count; i++) {
		const struct term *term = &filter->terms[i];

		for (size_t k = 0; k < term->count; k++) {
			if (is_odd(term, &term->items[k]) && !term->items[k].seen)
				return refuse_severity(term, term->items[k].low.text, err);
		}
	}
	return RT_OK;
}

struct rt_slice rt_filter_text(const struct rt_filter *filter)
{
	return rt_buf_slice(&filter->text);
}

/* --- Picking ----------------------------------------------------------------------------- */

static bool number_in(const struct item *item, const struct rt_decimal *number)
{
	if (item->kind == ITEM_VALUE)
		return rt_decimal_compare(number, &item->low.number) == 0;
	return (!item->has_low || rt_decimal_compare(&item->low.number, number) <= 0) &&
	       (!item->has_high || rt_decimal_compare(number, &item->high.number) <= 0);
}

static bool instant_in(const struct item *item, const struct rt_instant *instant)
{
	const struct bound *high = item->kind == ITEM_VALUE ? &item->low : &item->high;
	int order;

	if ((item->kind == ITEM_VALUE || item->has_low) &&
	    rt_instant_compare(instant, &item->low.from) < 0)
		return false;
	if (item->kind == ITEM_RANGE && !item->has_high)
		return true;
	order = rt_instant_compare(instant, &high->to);
	return high->before ? order < 0 : order <= 0;
}

static bool text_in(const struct item *item, struct rt_slice text)
{
	switch (item->kind) {
	case ITEM_VALUE:
		return rt_slice_equal(text, item->low.text);
	case ITEM_GLOB:
		return rt_glob_match(item->glob, text);
	default:
		return (!item->has_low || rt_slice_compare(item->low.text, text) <= 0) &&
		       (!item->has_high || rt_slice_compare(text, item->high.text) <= 0);
	}
}

static bool level_in(const struct item *item, unsigned level, struct rt_slice text)
{
	if (item->kind == ITEM_VALUE)
		return rt_slice_equal(text, item->low.text);
	return level != RT_LEVEL_OTHER && (!item->has_low || level <= item->low.level) &&
	       (!item->has_high || level >= item->high.level);
}

static bool date_in(const struct item *item, struct rt_slice text)
{
	struct rt_instant instant;

	if (item->kind == ITEM_VALUE && !item->low.text.len)
		return text.len == 0;
	return rt_instant_parse(text, &instant) && instant_in(item, &instant);
}

static bool cwe_in(const struct item *item, struct rt_slice text)
{
	struct rt_decimal number;

	if (item->kind == ITEM_VALUE && !item->low.number.at)
		return rt_slice_equal(text, item->low.text);
	return cwe_number(text, &number) && number_in(item, &number);
}

/* Whether one text fulfils a term. */
static enum rt_status test_text(const struct term *term, const struct rt_finding *finding,
				struct rt_slice text, bool *ret_holds, struct rt_error *err)
{
	bool holds = false;

	if (term->op == OP_REGEX)
		return rt_regex_match(term->regex, text, ret_holds, err);
	for (size_t i = 0; i < term->count && !holds; i++) {
		const struct item *item = &term->items[i];

		switch (term->rule) {
		case RULE_LEVEL:
			holds = level_in(item, finding->level, text);
			break;
		case RULE_DATE:
			holds = date_in(item, text);
			break;
		case RULE_CWE:
			holds = cwe_in(item, text);
			break;
		default:
			holds = text_in(item, text);
		}
	}
	*ret_holds = holds;
	return RT_OK;
}

/* Whether any element of an array member fulfils a term. */
static enum rt_status test_strings(struct rt_filter *f, const struct term *term,
				   const struct rt_finding *finding, bool *ret_holds,
				   struct rt_error *err)
{
	struct rt_slice at = rt_finding_strings(finding, (enum rt_member)term->field), text;
	enum rt_status status = RT_OK;

	*ret_holds = false;
	while (status == RT_OK && !*ret_holds) {
		status = rt_strings_next(&at, &f->scratch, &text, err);
		if (status == RT_OK)
			status = test_text(term, finding, text, ret_holds, err);
	}
	return status == RT_END ? RT_OK : status;
}

/* Whether any note fulfils a term; each one is present. */
static enum rt_status test_notes(struct rt_filter *f, const struct term *term,
				 const struct rt_finding *finding, bool *ret_holds,
				 struct rt_error *err)
{
	struct rt_slice at = finding->notes, added_at, text;
	enum rt_status status = RT_OK;

	*ret_holds = false;
	while (status == RT_OK && !*ret_holds) {
		status = rt_notes_next(&at, &f->scratch, &added_at, &text, err);
		if (status == RT_OK && term->op == OP_PRESENT)
			*ret_holds = true;
		else if (status == RT_OK)
			status = test_text(term, finding, text, ret_holds, err);
	}
	return status == RT_END ? RT_OK : status;
}

static bool test_number(const struct term *term, struct rt_slice json)
{
	struct rt_decimal number;

	if (!json.ptr || !rt_decimal_read(json, &number))
		return false;
	for (size_t i = 0; i < term->count; i++) {
		if (number_in(&term->items[i], &number))
			return true;
	}
	return false;
}

static enum rt_status test_age(struct rt_filter *f, const struct term *term,
			       const struct rt_finding *finding, bool *ret_holds,
			       struct rt_error *err)
{
	enum rt_status status;
	char digits[24];
	uint32_t days;
	int len;

	status = rt_finding_age(finding, f->at, &f->scratch, &days, err);
	*ret_holds = days != RT_AGE_UNKNOWN;
	if (status != RT_OK || !*ret_holds || term->op == OP_PRESENT)
		return status;
	len = snprintf(digits, sizeof(digits), "%u", days);
	*ret_holds = test_number(term, rt_slice_make(digits, (size_t)len));
	return RT_OK;
}

static bool test_flag(const struct term *term, const struct rt_finding *finding)
{
	int flag = term->field == RT_M_FALSE_POSITIVE
		       ? !finding->open
		       : rt_finding_flag(finding, (enum rt_member)term->field);

	if (term->op == OP_PRESENT)
		return flag == 1;
	for (size_t i = 0; i < term->count; i++) {
		if (flag == (int)term->items[i].flag)
			return true;
	}
	return false;
}

/* A term about a member that is a text or an array of them. */
static enum rt_status test_member(struct rt_filter *f, const struct term *term,
				  const struct rt_finding *finding, bool *ret_holds,
				  struct rt_error *err)
{
	enum rt_member m = (enum rt_member)term->field;
	struct rt_slice text;
	enum rt_status status;

	*ret_holds = rt_record_has(finding->record, m);
	if (!*ret_holds || term->op == OP_PRESENT)
		return RT_OK;
	if (finding->record->types[m] & RT_TYPE_STRINGS)
		return test_strings(f, term, finding, ret_holds, err);
	status = rt_finding_text(finding, m, &f->scratch, &text, err);
	if (status != RT_OK)
		return status;
	if (text.ptr)
		return test_text(term, finding, text, ret_holds, err);
	*ret_holds = false;
	return RT_OK;
}

/* Whether a term asks where in a range something is that is not known of the issue. */
static enum rt_status find_unknown(struct rt_filter *f, const struct term *term,
				   const struct rt_finding *finding, bool *ret_unknown,
				   struct rt_error *err)
{
	enum rt_status status = RT_OK;
	uint32_t days = 0;
	bool ranges = false;

	for (size_t k = 0; k < term->count; k++)
		ranges |= term->items[k].kind == ITEM_RANGE;
	*ret_unknown = false;
	if (term->rule == RULE_LEVEL)
		*ret_unknown = ranges && finding->level == RT_LEVEL_OTHER;
	else if (term->rule == RULE_AGE && term->op == OP_ITEMS)
		status = rt_finding_age(finding, f->at, &f->scratch, &days, err);
	if (days == RT_AGE_UNKNOWN)
		*ret_unknown = true;
	f->met_severity |= *ret_unknown && term->rule == RULE_LEVEL;
	f->met_age |= *ret_unknown && term->rule == RULE_AGE;
	return status;
}

static enum rt_status test_term(struct rt_filter *f, const struct term *term,
				const struct rt_finding *finding, bool *ret_holds,
				struct rt_error *err)
{
	struct rt_slice number;

	switch (term->rule) {
	case RULE_FLAG:
		*ret_holds = test_flag(term, finding);
		return RT_OK;
	case RULE_NUMBER:
		number = rt_finding_number(finding, (enum rt_member)term->field);
		*ret_holds =
		    term->op == OP_PRESENT ? number.ptr != NULL : test_number(term, number);
		return RT_OK;
	case RULE_AGE:
		return test_age(f, term, finding, ret_holds, err);
	case RULE_STATUS:
		if (term->op != OP_PRESENT)
			return test_text(term, finding, rt_status_names[finding->status], ret_holds,
					 err);
		*ret_holds = true;
		return RT_OK;
	default:
		return term->field == FIELD_NOTES ? test_notes(f, term, finding, ret_holds, err)
						  : test_member(f, term, finding, ret_holds, err);
	}
}

/* Say in which issue and field. */
static void name_finding(struct rt_error *err, const struct term *term,
			 const struct rt_finding *finding)
{
	char id[sizeof(err->record) - 9];

	rt_error_text(id, sizeof(id), finding->record->id);
	(void)snprintf(err->record, sizeof(err->record), "issue \"%s\"", id);
	(void)snprintf(err->field, sizeof(err->field), "%s", rt_filter_field(term->field));
}

/* Note which severities that are no level occur. */
static enum rt_status see_severity(struct rt_filter *f, const struct rt_finding *finding,
				   struct rt_error *err)
{
	struct rt_slice text;
	enum rt_status status = rt_finding_text(finding, RT_M_SEVERITY, &f->scratch, &text, err);

	for (size_t i = 0; status == RT_OK && text.ptr && i < f->count; i++) {
		for (size_t k = 0; k < f->terms[i].count; k++) {
			struct item *item = &f->terms[i].items[k];

			if (is_odd(&f->terms[i], item) && rt_slice_equal(text, item->low.text))
				item->seen = true;
		}
	}
	return status;
}

/* Whether an issue fulfils a term, or in a gate may do so. */
static enum rt_status passes(struct rt_filter *f, const struct term *term,
			     const struct rt_finding *finding, bool *ret_passes,
			     struct rt_error *err)
{
	bool unknown, holds;
	enum rt_status status = test_term(f, term, finding, &holds, err);

	if (status == RT_OK)
		status = find_unknown(f, term, finding, &unknown, err);
	if (status != RT_OK)
		name_finding(err, term, finding);
	else
		*ret_passes = holds != term->negated || (unknown && f->for_gate);
	return status;
}

enum rt_status rt_filter_pick(struct rt_filter *f, const struct rt_finding *finding,
			      bool *ret_picked, struct rt_error *err)
{
	bool picked = f->count == 0;
	enum rt_status status = RT_OK;

	f->met_severity = f->met_age = false;
	if (f->has_words && finding->level == RT_LEVEL_OTHER)
		status = see_severity(f, finding, err);
	for (size_t i = 0; status == RT_OK && i < f->count; i++) {
		const struct term *term = &f->terms[i];

		if (term->begins && picked)
			break;
		if (!term->begins && !picked)
			continue;
		status = passes(f, term, finding, &picked, err);
	}
	f->unknown.severity += f->met_severity && picked == f->for_gate;
	f->unknown.age += f->met_age && picked == f->for_gate;
	*ret_picked = picked;
	return status;
}
