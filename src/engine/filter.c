/*
 * Picks issues by the expressions of --where, --not and --or. A finding's texts are looked at where
 * they stand; only those with escapes are decoded.
 */
#include "engine/filter.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "engine/filter_term.h"
#include "engine/summary.h"

/* Bytes of a value that a notice shows. */
#define TOLD_BYTES 40u

struct rt_filter {
	struct rt_field_source source;
	struct term *terms;
	size_t count;
	bool wants_notes;
	bool wants_class, met_class; /* met: some issue has one */
	bool for_gate;
	bool has_words; /* severities that are no level */
	/* Of the issue: unknown where a range asked for it; the class where anything did. */
	bool met_severity, met_age, met_none;
	struct rt_filter_unknown unknown;
	struct rt_buf text;    /* see rt_filter_text() */
	struct rt_buf decoded; /* a text without its escapes */
	struct rt_put room;    /* into it, of the issue that is asked about: a fault sticks */
};

/* --- Expressions ---------------------------------------------------------------------- */

static const char *const words[] = {
    [RT_TERM_WHERE] = "--where",
    [RT_TERM_NOT] = "--not",
    [RT_TERM_OR] = "--or",
};

enum rt_status rt_quote_word(struct rt_buf *out, struct rt_slice text, struct rt_error *err)
{
	static const char safe[] = "=.,:/@%+-_~0123456789"
				   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	enum rt_status status = RT_OK;
	bool quote = false;

	for (size_t i = 0; i < text.len; i++)
		quote |= !(text.ptr[i] && strchr(safe, text.ptr[i]));
	if (!quote)
		return rt_buf_append(out, text.ptr, text.len, err);
	status = rt_buf_append(out, "'", 1, err);
	for (size_t i = 0; status == RT_OK && i < text.len; i++)
		status = text.ptr[i] == '\'' ? rt_buf_append(out, "'\\''", 4, err)
					     : rt_buf_append(out, text.ptr + i, 1, err);
	return status == RT_OK ? rt_buf_append(out, "'", 1, err) : status;
}

static enum rt_status append_written(struct rt_filter *f, const struct rt_term *term,
				     struct rt_error *err)
{
	enum rt_status status =
	    RT_BUF_PUT(&f->text, err, f->text.len ? RT_SLICE(" ") : RT_SLICE(""),
		       rt_slice_of(words[term->kind]),
		       term->kind == RT_TERM_OR ? RT_SLICE("") : RT_SLICE(" "));

	if (status != RT_OK || term->kind == RT_TERM_OR)
		return status;
	return rt_quote_word(&f->text, rt_slice_of(term->text), err);
}

/* Say which expression it is. */
static void name_term(struct rt_error *err, const struct rt_term *term)
{
	char field[sizeof(err->field)];

	(void)snprintf(field, sizeof(field), "%s %s", words[term->kind], term->text);
	rt_error_text(err->field, sizeof(err->field), rt_slice_of(field));
}

/* The same in few words. */
static void name_field(struct rt_error *err, const struct term *term)
{
	(void)snprintf(err->field, sizeof(err->field), "%s %s",
		       words[term->negated ? RT_TERM_NOT : RT_TERM_WHERE],
		       rt_filter_field(term->field));
}

/* Whether an item is a severity that is no level. */
static bool is_odd(const struct term *term, const struct item *item)
{
	return term->rule == RULE_LEVEL && item->kind == ITEM_VALUE && !item->low.read;
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
			status = rt_filter_read_term(term, rt_slice_of(terms[i].text), f->source.at,
						     err);
		if (status == RT_OK)
			status = rt_field_check(&f->source, term->field, err);
		if (status != RT_OK && err->code == RT_E_USAGE)
			name_term(err, &terms[i]);
		f->wants_notes |= term->field == RT_F_NOTES;
		f->wants_class |= term->field == RT_F_BASELINE;
		for (size_t k = 0; k < term->count; k++)
			f->has_words |= is_odd(term, &term->items[k]);
	}
	/* A group without expressions would pick everything. */
	if (status == RT_OK && count && begins)
		status = rt_error_set(err, RT_E_USAGE,
				      "each --or needs a --where or --not before and after it");
	return status;
}

enum rt_status rt_filter_new(const struct rt_term *terms, size_t count,
			     const struct rt_field_source *source, struct rt_filter **ret_filter,
			     struct rt_error *err)
{
	char formatted[RT_INSTANT_CHARS];
	struct rt_filter *f;
	enum rt_status status;

	if (!rt_instant_format(source->at, formatted))
		return rt_error_set(err, RT_E_USAGE, "the year is not between 0000 and 9999");
	f = calloc(1, sizeof(*f));
	if (!f)
		return rt_error_nomem(err);
	f->source = *source;
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
	for (size_t i = 0; f->terms && i < f->count; i++) {
		free(f->terms[i].items);
		rt_map_release(&f->terms[i].ids);
		free(f->terms[i].text);
		rt_regex_free(f->terms[i].regex);
	}
	free(f->terms);
	rt_buf_release(&f->text);
	rt_buf_release(&f->decoded);
	free(f);
}

int64_t rt_filter_at(const struct rt_filter *filter)
{
	return filter->source.at;
}

bool rt_filter_wants_notes(const struct rt_filter *filter)
{
	return filter->wants_notes;
}

bool rt_filter_wants_class(const struct rt_filter *filter)
{
	return filter->wants_class;
}

enum rt_status rt_filter_refuse_gone(const struct rt_filter *filter, struct rt_error *err)
{
	for (size_t i = 0; filter->wants_class && i < filter->count; i++) {
		const struct term *term = &filter->terms[i];

		for (size_t k = 0; term->rule == RULE_CLASS && k < term->count; k++) {
			struct rt_slice text = term->items[k].low.text;

			if (!rt_slice_equal(text, RT_SLICE("gone")) &&
			    !rt_slice_equal(text, RT_SLICE("not_scanned")))
				continue;
			(void)rt_error_set(err, RT_E_USAGE,
					   "what is gone is not in the new scan: retriage diff OLD "
					   "NEW shows it, with --where baseline=%.*s too",
					   (int)text.len, text.ptr);
			name_field(err, term);
			return RT_FATAL;
		}
	}
	return RT_OK;
}

/* What a value is not that values of its field are; NULL: nothing. */
static const char *lacks(const struct term *term, const struct item *item)
{
	if (item->kind != ITEM_VALUE)
		return NULL;
	if (item->low.text.len && *item->low.text.ptr == '=')
		return "that text itself, with its \"=\"; FIELD=VALUE has one";
	if (term->rule == RULE_CWE && !item->low.read)
		return "not the number of a weakness, such as 79 or CWE-79";
	if (term->rule <= RULE_TOOL && item->looks_glob)
		return "that text itself, not a glob; FIELD~REGEX looks for a part";
	return NULL;
}

void rt_filter_tell(const struct rt_filter *filter, const struct rt_options *options)
{
	for (size_t i = 0; options->notice && i < filter->count; i++) {
		const struct term *term = &filter->terms[i];

		for (size_t k = 0; term->op == OP_ITEMS && k < term->count; k++) {
			const char *what = lacks(term, &term->items[k]);
			char value[TOLD_BYTES + 1];

			if (!what)
				continue;
			rt_error_text(value, sizeof(value), term->items[k].low.text);
			rt_notice(options, "%s=\"%s\" is %s", rt_filter_field(term->field), value,
				  what);
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
	filter->unknown.class += from->unknown.class;
	filter->met_class |= from->met_class;
	for (size_t i = 0; i < filter->count; i++) {
		for (size_t k = 0; k < filter->terms[i].count; k++) {
			filter->terms[i].items[k].begun += from->terms[i].items[k].begun;
			filter->terms[i].items[k].seen |= from->terms[i].items[k].seen;
		}
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
	name_field(err, term);
	return RT_FATAL;
}

/* What is the beginning of several ids, or of one and an id itself, says of none which is meant. */
static enum rt_status check_ids(const struct term *term, struct rt_error *err)
{
	char text[TOLD_BYTES + 1];

	for (size_t k = 0; k < term->count; k++) {
		const struct item *item = &term->items[k];

		if (item->begun < 2 && !(item->begun && item->seen))
			continue;
		rt_error_text(text, sizeof(text), item->low.text);
		(void)rt_error_set(err, RT_E_USAGE,
				   item->seen
				       ? "\"%s\" is an id and the beginning of %u more; "
					 "id~^ID$ is that one alone"
				       : "\"%s\" is the beginning of %u ids; give more of it",
				   text, item->begun);
		name_field(err, term);
		return RT_FATAL;
	}
	return RT_OK;
}

enum rt_status rt_filter_check(const struct rt_filter *filter, uint64_t issues,
			       struct rt_error *err)
{
	for (size_t i = 0; i < filter->count; i++) {
		if (filter->terms[i].rule == RULE_ID && check_ids(&filter->terms[i], err) != RT_OK)
			return RT_FATAL;
	}
	if (issues && filter->wants_class && !filter->met_class) {
		(void)rt_error_set(
		    err, RT_E_USAGE,
		    "there is no --baseline, and no result of the log has a baselineState");
		(void)snprintf(err->field, sizeof(err->field), "baseline");
		return RT_FATAL;
	}
	for (size_t i = 0; issues && filter->has_words && i < filter->count; i++) {
		const struct term *term = &filter->terms[i];

		for (size_t k = 0; k < term->count; k++) {
			if (is_odd(term, &term->items[k]) && !term->items[k].seen)
				return refuse_severity(term, term->items[k].low.text, err);
		}
	}
	return RT_OK;
}

void rt_filter_tell_short(const struct rt_filter *filter, const struct rt_options *options)
{
	for (size_t i = 0; options->notice && i < filter->count; i++) {
		const struct term *term = &filter->terms[i];

		for (size_t k = 0; term->rule == RULE_ID && k < term->count; k++) {
			const struct item *item = &term->items[k];
			char value[TOLD_BYTES + 1];

			if (item->kind != ITEM_VALUE || item->seen ||
			    item->low.text.len >= ID_PREFIX)
				continue;
			rt_error_text(value, sizeof(value), item->low.text);
			rt_notice(options,
				  "no issue has the id \"%s\"; of a longer one give at least %u "
				  "characters",
				  value, ID_PREFIX);
		}
	}
}

struct rt_slice rt_filter_text(const struct rt_filter *filter)
{
	return rt_buf_slice(&filter->text);
}

/* --- Picking ----------------------------------------------------------------------------- */

/* Whether a tool is some version of the one that is named, "NAME 1.2" or "NAME v1.2". */
static bool is_version_of(struct rt_slice tool, struct rt_slice name)
{
	size_t at = name.len + 1;

	if (tool.len <= at || memcmp(tool.ptr, name.ptr, name.len) != 0 ||
	    tool.ptr[name.len] != ' ')
		return false;
	at += tool.ptr[at] == 'v';
	return at < tool.len && tool.ptr[at] >= '0' && tool.ptr[at] <= '9';
}

static bool is_in(const struct item *item, enum rule rule, const struct value *v)
{
	const struct value *high = item->kind == ITEM_VALUE ? &item->low : &item->high;

	if (item->kind == ITEM_GLOB)
		return rt_glob_match(item->glob, v->text);
	if (item->kind == ITEM_VALUE && !item->low.read)
		return rt_slice_equal(v->text, item->low.text) ||
		       (rule == RULE_TOOL && is_version_of(v->text, item->low.text));
	if ((item->has_low ? &item->low : high)->read && !v->read)
		return false;
	return ((item->kind == ITEM_RANGE && !item->has_low) ||
		rt_filter_up_to(rule, &item->low, v)) &&
	       ((item->kind == ITEM_RANGE && !item->has_high) || rt_filter_up_to(rule, v, high));
}

/* The item of a term that is an id's first bytes, or the whole; NULL: none. */
static struct item *find_id(const struct term *term, struct rt_siphash_prefixes *prefixes,
			    size_t len)
{
	uint32_t number = rt_map_get(&term->ids, rt_siphash_prefix(prefixes, len));

	return number ? &term->items[number - 1] : NULL;
}

/* Whether an id is one of a term's, or begins with one. */
static bool id_in(const struct term *term, struct rt_slice id)
{
	const struct value value = {.text = id};
	struct rt_siphash_prefixes prefixes;
	struct item *item;
	bool holds = false;

	rt_siphash_prefixes_init(&prefixes, &term->key, id);
	for (size_t len = ID_PREFIX; len + ID_REST <= id.len; len++) {
		if (!(term->lengths >> (len < 63 ? len : 63) & 1))
			continue;
		item = find_id(term, &prefixes, len);
		if (item)
			item->begun++;
		holds |= item != NULL;
	}
	item = find_id(term, &prefixes, id.len);
	if (item)
		item->seen = true;
	holds |= item != NULL;
	for (size_t i = 0; term->has_ranges && i < term->count; i++)
		holds |=
		    term->items[i].kind != ITEM_VALUE && is_in(&term->items[i], RULE_ID, &value);
	return holds;
}

/* Whether one text fulfils a term. */
static bool test_text(struct rt_filter *f, const struct term *term,
		      const struct rt_finding *finding, struct rt_slice text)
{
	/* Of an ambiguous group some are new. */
	const struct value fresh = {.text = RT_SLICE("new")};
	bool is_new = term->rule == RULE_CLASS && finding->is_new, holds = false;
	struct value value = {.text = text};

	if (term->op == OP_REGEX) {
		f->room.status = rt_regex_match(term->regex, text, &holds, f->room.err);
		return holds;
	}
	if (term->rule == RULE_ID)
		return id_in(term, text);
	if (term->rule == RULE_PATH)
		value.text = rt_finding_resolved(text, &f->room);
	rt_filter_value(term->rule, &value);
	for (size_t i = 0; i < term->count && !holds; i++)
		holds = is_in(&term->items[i], term->rule, &value) ||
			(is_new && is_in(&term->items[i], term->rule, &fresh));
	return holds;
}

/* Whether any element of a list, or any note, fulfils a term. A list is there without elements. */
static bool test_list(struct rt_filter *f, const struct term *term,
		      const struct rt_finding *finding)
{
	bool notes = term->field == RT_F_NOTES, any = term->op == OP_PRESENT;
	struct rt_slice at =
	    notes ? finding->notes : rt_finding_strings(finding, (enum rt_member)term->field);
	struct rt_slice added_at, text;
	bool holds = any && !notes;

	while (!holds && (notes ? rt_notes_step(&at, &f->room, &added_at, &text)
				: rt_strings_step(&at, &f->room, &text)))
		holds = any || test_text(f, term, finding, text);
	return holds;
}

/* The last moment of a dismissal; what ends by no date has ended before all of them. */
static bool test_end(const struct term *term, const struct rt_finding *finding)
{
	struct rt_instant last = {.seconds = finding->end - (finding->end > INT64_MIN)};
	const struct value value = {.read = true, .from = last, .to = last};

	if (finding->reason == RT_REASON_NONE || finding->end == INT64_MAX)
		return false;
	for (size_t i = 0; term->op != OP_PRESENT && i < term->count; i++) {
		if (is_in(&term->items[i], RULE_END, &value))
			return true;
	}
	return term->op == OP_PRESENT;
}

/* Whether any of those who own a path fulfils a term. */
static bool test_owners(struct rt_filter *f, const struct term *term,
			const struct rt_finding *finding)
{
	struct rt_slice all = rt_field_text(&f->source, finding, RT_F_OWNER, 0, &f->room);
	const char *at = all.ptr, *end = rt_slice_end(all), *owner;
	bool holds = false;

	while (!holds && at < end) {
		for (owner = at; at < end && *at != ' ' && *at != '\t'; at++)
			;
		if (at > owner)
			holds =
			    term->op == OP_PRESENT ||
			    test_text(f, term, finding, rt_slice_make(owner, (size_t)(at - owner)));
		at++;
	}
	return holds;
}

static bool is_list(const struct rt_finding *finding, unsigned field)
{
	return field == RT_F_NOTES ||
	       (field < RT_ISSUE_MEMBERS && finding->record->types[field] & RT_TYPE_STRINGS);
}

/* Whether a term asks where in a range something is that is not known of the issue. */
static bool is_unknown(struct rt_filter *f, const struct term *term,
		       const struct rt_finding *finding)
{
	bool unknown = false;

	if (term->rule == RULE_AGE || term->field == RT_F_OVERDUE) {
		unknown = (term->op == OP_ITEMS || term->rule == RULE_FLAG) &&
			  rt_finding_age(finding, f->source.at, &f->room) == RT_AGE_UNKNOWN;
		f->met_age |= unknown;
		return unknown;
	}
	switch (term->rule) {
	case RULE_LEVEL:
		for (size_t k = 0; finding->level == RT_LEVEL_OTHER && k < term->count; k++)
			unknown |= term->items[k].kind == ITEM_RANGE;
		f->met_severity |= unknown;
		return unknown;
	case RULE_CLASS:
		unknown = finding->class == RT_CLASS_NONE;
		f->met_none |= unknown;
		return unknown;
	default:
		return false;
	}
}

static bool test_term(struct rt_filter *f, const struct term *term,
		      const struct rt_finding *finding)
{
	struct rt_slice text;

	if (is_list(finding, term->field))
		return test_list(f, term, finding);
	if (term->rule == RULE_END)
		return test_end(term, finding);
	if (term->field == RT_F_OWNER)
		return test_owners(f, term, finding);
	text = rt_field_text(&f->source, finding, term->field, 0, &f->room);
	if (!text.ptr || f->room.status != RT_OK)
		return false;
	if (term->op != OP_PRESENT)
		return test_text(f, term, finding, text);
	if (term->rule == RULE_CLASS)
		return finding->class != RT_CLASS_NONE;
	return term->rule != RULE_FLAG || rt_slice_equal(text, RT_SLICE("true"));
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
static void see_severity(struct rt_filter *f, const struct rt_finding *finding)
{
	struct rt_slice text = rt_finding_string(finding, RT_M_SEVERITY, &f->room);

	for (size_t i = 0; text.ptr && i < f->count; i++) {
		for (size_t k = 0; k < f->terms[i].count; k++) {
			struct item *item = &f->terms[i].items[k];

			if (is_odd(&f->terms[i], item) && rt_slice_equal(text, item->low.text))
				item->seen = true;
		}
	}
}

/* Whether an issue fulfils a term, or in a gate may do so. */
static bool passes(struct rt_filter *f, const struct term *term, const struct rt_finding *finding)
{
	bool holds = test_term(f, term, finding);
	bool unknown = is_unknown(f, term, finding);

	if (f->room.status != RT_OK)
		name_finding(f->room.err, term, finding);
	return holds != term->negated || (unknown && f->for_gate);
}

enum rt_status rt_filter_pick(struct rt_filter *f, const struct rt_finding *finding,
			      bool *ret_picked, struct rt_error *err)
{
	bool picked = f->count == 0;

	f->room = (struct rt_put){&f->decoded, err, RT_OK};
	f->met_severity = f->met_age = f->met_none = false;
	f->met_class |= finding->class != RT_CLASS_NONE;
	if (f->has_words && finding->level == RT_LEVEL_OTHER)
		see_severity(f, finding);
	for (size_t i = 0; f->room.status == RT_OK && i < f->count; i++) {
		const struct term *term = &f->terms[i];

		if (term->begins && picked)
			break;
		if (term->begins || picked)
			picked = passes(f, term, finding);
	}
	f->unknown.severity += f->met_severity && picked == f->for_gate;
	f->unknown.age += f->met_age && picked == f->for_gate;
	f->unknown.class += f->met_none && picked == f->for_gate;
	*ret_picked = picked;
	return f->room.status;
}
