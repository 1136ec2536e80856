/*
 * Reads the expressions of --where and --not: values become levels, decimals, instants and globs.
 */
#include "engine/filter_term.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/io.h"
#include "base/utf8.h"
#include "engine/summary.h"

#define DAY INT64_C(86400)
/* Digits of an exponent in a value, so that its sum with any shift is exact. */
#define POWER_MAX INT64_C(999999999)

/* --- Fields ------------------------------------------------------------------------------ */

const char *rt_filter_field(size_t index)
{
	return index < RT_FILTER_FIELDS ? rt_field_name((unsigned)index).ptr
					: rt_field_short_name(index - RT_FILTER_FIELDS);
}

static enum rule rule_of(unsigned field)
{
	static const enum rule rules[RT_FILTER_FIELDS] = {
	    [RT_M_ID] = RULE_ID,           [RT_M_SEVERITY] = RULE_LEVEL,
	    [RT_M_FILE_PATH] = RULE_PATH,  [RT_M_MODEL_USED] = RULE_TOOL,
	    [RT_M_CWE_IDS] = RULE_CWE,     [RT_M_CREATED_AT] = RULE_DATE,
	    [RT_M_UPDATED_AT] = RULE_DATE, [RT_M_SCAN_CREATED_AT] = RULE_DATE,
	    [RT_F_AGE] = RULE_AGE,         [RT_F_STATUS] = RULE_STATUS,
	    [RT_F_BASELINE] = RULE_CLASS,  [RT_F_REASON] = RULE_REASON,
	    [RT_F_EXPIRES] = RULE_END,     [RT_F_OVERDUE] = RULE_FLAG,
	    [RT_F_FOLDER] = RULE_PATH,
	};
	uint8_t types = 0;

	if (field < RT_ISSUE_MEMBERS && rules[field] == RULE_TEXT)
		types = rt_member_rule(RT_KIND_ISSUE, (enum rt_member)field)->types;
	if (types & RT_TYPE_BOOL)
		return RULE_FLAG;
	return types & (RT_TYPE_INTEGER | RT_TYPE_NUMBER) ? RULE_NUMBER : rules[field];
}

/* --- Reading values ---------------------------------------------------------------------- */

/* The items of an expression, being read. */
struct reading {
	enum rule rule;
	int64_t at; /* the present */
	char *room; /* for the next text without backslashes, of a term's text */
	struct rt_error *err;
};

static enum rt_status refuse(struct rt_error *err, const char *want, struct rt_slice have)
{
	char text[256];

	rt_error_text(text, sizeof(text), have);
	return rt_error_set(err, RT_E_USAGE, "want %s, have \"%s\"", want, text);
}

void rt_filter_value(enum rule rule, struct value *v)
{
	struct rt_slice digits;

	switch (rule) {
	case RULE_LEVEL:
		v->level = rt_severity_rank(v->text);
		v->read = v->level < RT_SEVERITY_LEVELS;
		return;
	case RULE_CWE:
		v->read = rt_cwe_digits(v->text, &digits) && rt_decimal_read(digits, &v->number);
		return;
	case RULE_NUMBER:
	case RULE_AGE:
		v->read = rt_decimal_read(v->text, &v->number);
		return;
	case RULE_DATE:
	case RULE_END:
		v->read = rt_instant_parse(v->text, &v->from);
		v->to = v->from;
		return;
	default:
		return;
	}
}

bool rt_filter_up_to(enum rule rule, const struct value *a, const struct value *b)
{
	int order;

	switch (rule) {
	case RULE_LEVEL:
		return a->level >= b->level; /* critical is 0 */
	case RULE_CWE:
	case RULE_NUMBER:
	case RULE_AGE:
		return rt_decimal_compare(&a->number, &b->number) <= 0;
	case RULE_DATE:
	case RULE_END:
		order = rt_instant_compare(&a->from, &b->to);
		return b->before ? order < 0 : order <= 0;
	default:
		return rt_slice_compare(a->text, b->text) <= 0;
	}
}

/* "30d", so many days after the present. */
static bool read_days_ahead(struct rt_slice text, int64_t at, int64_t *ret_seconds)
{
	char ago[24] = "-";
	int64_t seconds;

	if (!text.len || text.len + 1 >= sizeof(ago))
		return false;
	memcpy(ago + 1, text.ptr, text.len);
	if (!rt_instant_days_ago(rt_slice_make(ago, text.len + 1), at, &seconds))
		return false;
	*ret_seconds = 2 * at - seconds;
	return true;
}

static enum rt_status read_date(struct reading *r, struct value *v, bool range)
{
	bool ahead = r->rule == RULE_END;
	const char *want = ahead ? "a date, a date-time or 30d for 30 days from now"
				 : "a date, a date-time or -30d for 30 days ago";
	int64_t seconds;

	if (rt_instant_days_ago(v->text, r->at, &seconds) ||
	    (ahead && read_days_ahead(v->text, r->at, &seconds))) {
		if (!range)
			want = ahead ? "days as the end of a range, as in ..30d"
				     : "days ago as the end of a range, as in -30d..";
		v->from = v->to = (struct rt_instant){seconds, {"", 0}};
		v->read = range;
	} else if (v->read) {
		v->before = v->text.len == strlen("YYYY-MM-DD");
		v->to.seconds += v->before ? DAY : 0;
	}
	return v->read ? RT_OK : refuse(r->err, want, v->text);
}

/* Whether a text is one of a list of words with ", " and " or " between them. */
static bool is_listed(const char *list, struct rt_slice text)
{
	for (size_t len; *list; list += len, list += strspn(list, ", ")) {
		struct rt_slice word;

		len = strcspn(list, ", ");
		word = rt_slice_make(list, len);
		if (rt_slice_equal(word, text) && !rt_slice_equal(word, RT_SLICE("or")))
			return true;
	}
	return false;
}

/* What is wanted of values by their rule. */
static const char *const wants[] = {
    [RULE_LEVEL] = "one of the levels critical, high, medium, low and info",
    [RULE_CWE] = "the number of a weakness, as in 79 or CWE-79",
    [RULE_NUMBER] = "a number",
    [RULE_AGE] = "a number",
    [RULE_FLAG] = "true or false",
    [RULE_STATUS] = "open, dismissed or expired",
    [RULE_CLASS] = "new, unchanged, moved, changed, ambiguous, gone or not_scanned",
    [RULE_REASON] = ("false_positive, accepted_risk, wont_fix, used_in_tests, mitigated, "
		     "duplicate or other"),
};

/* Read what the rule makes of a value. range: it is one end. */
static enum rt_status read_value(struct reading *r, struct value *v, bool range)
{
	bool right;

	rt_filter_value(r->rule, v);
	/* It is in the term's own text. */
	if (r->rule == RULE_PATH && v->text.len)
		v->text.len = rt_path_resolve((char *)(uintptr_t)v->text.ptr, v->text.len);
	switch (r->rule) {
	case RULE_LEVEL:
	case RULE_CWE:
		right = v->read || !range;
		break;
	case RULE_NUMBER:
	case RULE_AGE:
		right = v->read && v->number.power <= POWER_MAX && v->number.power >= -POWER_MAX;
		break;
	case RULE_FLAG:
	case RULE_STATUS:
	case RULE_CLASS:
	case RULE_REASON:
		right = !range && is_listed(wants[r->rule], v->text);
		break;
	case RULE_DATE:
	case RULE_END:
		/* A text that is there and empty. */
		if (r->rule == RULE_DATE && !v->text.len && !range)
			return RT_OK;
		return read_date(r, v, range);
	default:
		return RT_OK;
	}
	return right ? RT_OK : refuse(r->err, wants[r->rule], v->text);
}

/* --- Reading items ----------------------------------------------------------------------- */

/* One item as it was written. */
struct raw {
	const char *at, *end;
	const char *dots; /* the ".." of a range; NULL: none */
	bool more_dots;   /* there is another one */
	bool globs;       /* has * ? or [ */
};

/* Whether a backslash may be before it: what means something somewhere in an expression. */
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
 * Find the end of an item. Returns RT_OK, or RT_FATAL where a backslash is before something
 * that needs none: the path of another system, most likely.
 */
static enum rt_status scan_item(const char *at, const char *end, enum rule rule, struct raw *raw,
				struct rt_error *err)
{
	*raw = (struct raw){.at = at, .end = at};
	for (; at < end && *at != ','; at++) {
		if (*at == '\\') {
			if (++at == end || !is_quotable(*at))
				return rt_error_set(err, RT_E_USAGE,
						    "want \\\\ for a backslash; a single one comes "
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

/* Copy without backslashes. */
static struct rt_slice plain(struct reading *r, const char *at, const char *end)
{
	char *first = r->room;

	for (; at < end; at++) {
		at += *at == '\\';
		*r->room++ = *at;
	}
	return rt_slice_make(first, (size_t)(r->room - first));
}

static enum rt_status read_glob(struct reading *r, struct item *item, struct rt_slice written)
{
	/* With its backslashes, which a glob understands. */
	memcpy(r->room, written.ptr, written.len);
	item->kind = ITEM_GLOB;
	item->glob = rt_slice_make(r->room, written.len);
	r->room += written.len;
	return rt_glob_is(written)
		   ? RT_OK
		   : refuse(r->err, "a glob of at most 1024 bytes with each [ closed", written);
}

static enum rt_status read_range(struct reading *r, struct item *item, const struct raw *raw)
{
	struct rt_slice written = rt_slice_make(raw->at, (size_t)(raw->end - raw->at));
	struct rt_fault fault = {RT_OK, r->err};

	item->kind = ITEM_RANGE;
	item->low.text = plain(r, raw->at, raw->dots);
	item->high.text = plain(r, raw->dots + 2, raw->end);
	item->has_low = item->low.text.len > 0;
	item->has_high = item->high.text.len > 0;
	if (raw->more_dots || (!item->has_low && !item->has_high))
		return refuse(r->err, "FROM..TO, FROM.. or ..TO, or \\.. for two dots", written);
	if (item->has_low)
		RT_STEP(&fault, read_value(r, &item->low, true));
	if (item->has_high)
		RT_STEP(&fault, read_value(r, &item->high, true));
	if (fault.status != RT_OK || !item->has_low || !item->has_high ||
	    rt_filter_up_to(r->rule, &item->low, &item->high))
		return fault.status;
	return refuse(r->err, "the lower end of a range first, or \\.. for two dots", written);
}

static enum rt_status read_item(struct reading *r, struct item *item, const struct raw *raw)
{
	if (r->rule == RULE_PATH && raw->globs)
		return read_glob(r, item, rt_slice_make(raw->at, (size_t)(raw->end - raw->at)));
	if (raw->dots)
		return read_range(r, item, raw);
	item->kind = ITEM_VALUE;
	item->low.text = plain(r, raw->at, raw->end);
	item->looks_glob = raw->globs;
	return read_value(r, &item->low, false);
}

/* --- Ids --------------------------------------------------------------------------------- */

/* Bytes of a file of ids. */
#define IDS_BYTES ((size_t)64 << 20)

static enum rt_status read_file(const char *path, struct rt_buf *text, struct rt_error *err)
{
	char fault[sizeof(err->message)], limit[sizeof(err->message)];
	const char *const words[] = {fault, fault, limit};

	(void)snprintf(fault, sizeof(fault), "cannot read the ids in %s", path);
	(void)snprintf(limit, sizeof(limit), "%s has more than 64 MiB", path);
	return rt_read_file(path, IDS_BYTES, words, text, err);
}

/* Have ids found by their text; the first of equal ones. */
static enum rt_status index_ids(struct term *term, struct rt_error *err)
{
	enum rt_status status = rt_siphash_key_init(&term->key, err);

	for (size_t i = 0; status == RT_OK && i < term->count; i++) {
		struct rt_slice text = term->items[i].low.text;
		uint32_t *number;

		term->has_ranges |= term->items[i].kind != ITEM_VALUE;
		if (term->items[i].kind != ITEM_VALUE)
			continue;
		number = rt_map_put(&term->ids, rt_siphash(&term->key, text), err);
		if (!number)
			return RT_FATAL;
		if (!*number)
			*number = (uint32_t)i + 1;
		term->lengths |= UINT64_C(1) << (text.len < 63 ? text.len : 63);
	}
	return status;
}

/* The ids in a file, one a line, as they are or as JSON strings without escapes. */
static enum rt_status read_id_file(struct term *term, const char *path, struct rt_error *err)
{
	struct rt_buf text = {0};
	size_t lines = 1;
	enum rt_status status = read_file(path, &text, err);
	const char *at = text.data, *end = at + text.len, *stop;

	term->text = text.data; /* which owns it now */
	for (size_t i = 0; status == RT_OK && i < text.len; i++)
		lines += at[i] == '\n';
	if (status == RT_OK && !(term->items = calloc(lines, sizeof(*term->items))))
		status = rt_error_nomem(err);
	for (; status == RT_OK && at < end; at = stop + 1) {
		struct rt_slice id;

		stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		id = rt_slice_make(at, (size_t)(stop - at));
		while (id.len && strchr(" \t\r", id.ptr[id.len - 1]))
			id.len--;
		if (id.len > 1 && *id.ptr == '"' && id.ptr[id.len - 1] == '"')
			id = rt_slice_make(id.ptr + 1, id.len - 2);
		if (id.len)
			term->items[term->count++].low.text = id;
	}
	if (status == RT_OK && !term->count)
		status = rt_error_set(err, RT_E_USAGE, "%s has no ids", path);
	return status;
}

static enum rt_status read_items(struct term *term, struct rt_slice text, int64_t at,
				 struct rt_error *err)
{
	struct reading r = {term->rule, at, malloc(text.len + 1), err};
	struct raw raw = {.end = text.ptr - 1};
	struct rt_fault fault = {RT_OK, err};
	size_t commas = 0;

	for (size_t i = 0; i < text.len; i++)
		commas += text.ptr[i] == ',';
	term->items = calloc(commas + 1, sizeof(*term->items));
	term->text = r.room;
	if (!term->items || !r.room)
		return rt_error_nomem(err);
	while (fault.status == RT_OK && raw.end != rt_slice_end(text)) {
		RT_STEP(&fault, scan_item(raw.end + 1, rt_slice_end(text), r.rule, &raw, err));
		RT_STEP(&fault, read_item(&r, &term->items[term->count++], &raw));
	}
	return fault.status;
}

/* --- Reading expressions ----------------------------------------------------------------- */

static enum rt_status refuse_field(struct rt_slice name, struct rt_error *err)
{
	char list[640];
	size_t used = 0;

	for (size_t i = 0; i < RT_FILTER_FIELDS && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 i ? i + 1 < RT_FILTER_FIELDS ? ", " : " or " : "",
					 rt_filter_field(i));
	return refuse(err, list, name);
}

enum rt_status rt_filter_read_term(struct term *term, struct rt_slice text, int64_t at,
				   struct rt_error *err)
{
	const unsigned no_texts = 1u << RULE_NUMBER | 1u << RULE_AGE | 1u << RULE_FLAG |
				  1u << RULE_CLASS | 1u << RULE_REASON | 1u << RULE_END;
	size_t name = 0;
	struct rt_slice value;
	enum rt_status status = RT_OK;

	if (rt_utf8_prefix(text) < text.len)
		return rt_error_set(err, RT_E_USAGE, "want UTF-8, have another encoding");
	while (name < text.len && text.ptr[name] != '=' && text.ptr[name] != '~')
		name++;
	if (!rt_field_find(rt_slice_make(text.ptr, name), RT_FILTER_FIELDS, &term->field))
		return refuse_field(rt_slice_make(text.ptr, name), err);
	term->rule = rule_of(term->field);
	if (name == text.len)
		return RT_OK;
	value = rt_slice_make(text.ptr + name + 1, text.len - name - 1);
	if (text.ptr[name] == '=') {
		term->op = OP_ITEMS;
		if (term->rule == RULE_ID && value.len > 1 && *value.ptr == '@')
			status = read_id_file(term, value.ptr + 1, err);
		else
			status = read_items(term, value, at, err);
		return status == RT_OK && term->rule == RULE_ID ? index_ids(term, err) : status;
	}
	term->op = OP_REGEX;
	if (no_texts >> term->rule & 1)
		return refuse(err, "~ only with a field of text", text);
	return rt_regex_new(value, &term->regex, err);
}
