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
	uint8_t types;

	switch (field) {
	case RT_M_ID:
		return RULE_ID;
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
	case RT_F_NOTES:
		return RULE_TEXT;
	case RT_F_AGE:
		return RULE_AGE;
	case RT_F_STATUS:
		return RULE_STATUS;
	case RT_F_BASELINE:
		return RULE_CLASS;
	case RT_F_REASON:
		return RULE_REASON;
	case RT_F_EXPIRES:
		return RULE_END;
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
	*ret_level = rt_severity_rank(text);
	return *ret_level < RT_SEVERITY_LEVELS;
}

bool rt_filter_cwe(struct rt_slice text, struct rt_decimal *ret_number)
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

static enum rt_status read_date(struct bound *b, bool range, bool ahead, int64_t at,
				struct rt_error *err)
{
	const char *want = ahead ? "a date, a date-time or 30d for 30 days from now"
				 : "a date, a date-time or -30d for 30 days ago";
	int64_t seconds;

	if (rt_instant_days_ago(b->text, at, &seconds) ||
	    (ahead && read_days_ahead(b->text, at, &seconds))) {
		b->from = b->to = (struct rt_instant){seconds, {"", 0}};
		return range ? RT_OK
			     : refuse(err,
				      ahead ? "days as the end of a range, as in ..30d"
					    : "days ago as the end of a range, as in -30d..",
				      b->text);
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
		if (rt_filter_cwe(b->text, &b->number))
			return RT_OK;
		b->number.at = NULL;
		return range ? refuse(err, "the number of a weakness, as in 79 or CWE-79", b->text)
			     : RT_OK;
	case RULE_NUMBER:
	case RULE_AGE:
		return read_number(b, err);
	case RULE_DATE:
		/* A text that is there and empty. */
		return b->text.len || range ? read_date(b, range, false, at, err) : RT_OK;
	case RULE_END:
		return read_date(b, range, true, at, err);
	case RULE_REASON:
		for (enum rt_reason reason = 1; reason < RT_REASONS && !range; reason++) {
			if (rt_slice_equal(b->text, rt_reason_word(reason)))
				return RT_OK;
		}
		return refuse(err,
			      "false_positive, accepted_risk, wont_fix, used_in_tests, mitigated, "
			      "duplicate or other",
			      b->text);
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
	case RULE_CLASS:
		for (enum rt_class class = RT_CLASS_NEW; class < RT_CLASSES && !range; class ++) {
			const char *name = rt_class_name(class);

			if (rt_slice_equal(b->text, rt_slice_make(name, strlen(name))))
				return RT_OK;
		}
		return refuse(err, "new, unchanged, moved, changed, ambiguous, gone or not_scanned",
			      b->text);
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
	case RULE_END:
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
	item->glob = pattern;
	return rt_glob_is(pattern)
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
	item->looks_glob = raw->globs;
	return read_bound(&item->low, rule, false, at, err);
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

	for (size_t i = 0; i < RT_FILTER_FIELDS && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 i ? i + 1 < RT_FILTER_FIELDS ? ", " : " or " : "",
					 rt_filter_field(i));
	return refuse(err, list, name);
}

enum rt_status rt_filter_read_term(struct term *term, struct rt_slice text, int64_t at,
				   struct rt_error *err)
{
	size_t name = 0;
	struct rt_slice value;
	enum rt_status status = check_utf8(text, err);

	while (name < text.len && text.ptr[name] != '=' && text.ptr[name] != '~')
		name++;
	if (status == RT_OK &&
	    !rt_field_find(rt_slice_make(text.ptr, name), RT_FILTER_FIELDS, &term->field))
		status = refuse_field(rt_slice_make(text.ptr, name), err);
	if (status != RT_OK)
		return status;
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
	if (term->rule == RULE_NUMBER || term->rule == RULE_AGE || term->rule == RULE_FLAG ||
	    term->rule == RULE_CLASS || term->rule == RULE_REASON || term->rule == RULE_END)
		return refuse(err, "~ only with a field of text", text);
	return rt_regex_new(value, &term->regex, err);
}
