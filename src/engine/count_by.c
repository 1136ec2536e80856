/*
 * Counts issues by the values of one to three fields: a row for each combination, in order. Fields
 * with about as many values as there are issues are not counted by, nor issues whose two lists make
 * more pairs than anybody looks at.
 */
#include "engine/count_by.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "engine/summary.h"

/* What can be counted by, in the contract's order. */
static const unsigned countable[] = {
    RT_M_SCAN_ID,        RT_M_FILE_PATH,      RT_M_CATEGORY,  RT_M_SEVERITY,
    RT_M_CWE_IDS,        RT_M_OWASP_CATEGORY, RT_M_TAGS,      RT_M_MODEL_USED,
    RT_M_FALSE_POSITIVE, RT_M_EXPLOITABLE,    RT_M_REPO_NAME, RT_F_STATUS,
    RT_F_REASON,         RT_F_OVERDUE,        RT_F_FOLDER,    RT_F_OWNER,
};

#define COUNTABLE (sizeof(countable) / sizeof(countable[0]))

/* Of an issue. */
#define PAIRS_MAX 10000u

/* --- Members ----------------------------------------------------------------------------- */

/* word: the first one that is not good. */
static enum rt_status refuse(const char *text, struct rt_slice word, struct rt_error *err)
{
	struct rt_nearest nearest;
	char hint[RT_HINT_MAX];
	const char *name;

	rt_nearest_begin(&nearest, word.ptr, memchr(word.ptr, ':', word.len) ? 0 : word.len);
	for (size_t i = 0; (name = rt_count_by_member(i)); i++)
		rt_nearest_offer(&nearest, name);
	(void)rt_error_set(err, RT_E_USAGE,
			   "want one to three different ones of scan_id, file_path, category, "
			   "severity, cwe_ids, owasp_category, tags, model_used, false_positive, "
			   "exploitable, repo_name, status, reason, overdue, folder, folder:N and "
			   "owner, "
			   "have \"%s\"%s",
			   text, rt_nearest_hint(&nearest, "", "", hint));
	rt_error_text(err->field, sizeof(err->field), RT_SLICE("--count-by"));
	return RT_FATAL;
}

const char *rt_count_by_member(size_t index)
{
	static const char *const short_names[] = {"scan",  "path", "rule", "cwe",
						  "owasp", "tool", "repo", NULL};

	return index < COUNTABLE ? rt_field_name(countable[index]).ptr
				 : short_names[index - COUNTABLE];
}

/* Read one name; folder may have a number of parts after it. */
static bool read_field(struct rt_slice name, struct rt_count_by_field *field)
{
	const char *colon = memchr(name.ptr, ':', name.len), *end = rt_slice_end(name);
	bool known = false;

	*field = (struct rt_count_by_field){.name = name};
	if (!rt_field_find(rt_slice_make(name.ptr, (size_t)((colon ? colon : end) - name.ptr)),
			   RT_FIELDS, &field->field))
		return false;
	for (size_t i = 0; i < COUNTABLE; i++)
		known = known || countable[i] == field->field;
	for (const char *at = colon ? colon + 1 : end; at < end; at++) {
		if (*at < '0' || *at > '9' || field->depth > 99)
			return false;
		field->depth = field->depth * 10 + (unsigned)(*at - '0');
	}
	return known && (!colon || (field->field == RT_F_FOLDER && field->depth));
}

enum rt_status rt_count_by_members(const char *text,
				   struct rt_count_by_field ret_fields[RT_COUNT_BY_MEMBERS],
				   size_t *ret_count, struct rt_error *err)
{
	const char *at = text;
	size_t count = 0;

	for (;; at++) {
		size_t len = strcspn(at, ",");

		if (count == RT_COUNT_BY_MEMBERS ||
		    !read_field(rt_slice_make(at, len), &ret_fields[count]))
			return refuse(text, rt_slice_make(at, len), err);
		for (size_t i = 0; i < count; i++) {
			if (ret_fields[i].field == ret_fields[count].field)
				return refuse(text, RT_SLICE(""), err);
		}
		count++;
		at += len;
		if (!*at)
			break;
	}
	*ret_count = count;
	return RT_OK;
}

enum rt_status rt_count_by_init(struct rt_count_by *by, const char *members,
				const struct rt_limits *limits, const struct rt_siphash_key *key,
				struct rt_error *err)
{
	memset(by, 0, sizeof(*by));
	by->limit.max = limits->distinct_bytes;
	rt_counts_init(&by->counts, key, &by->limit);
	if (!members)
		return RT_OK;
	return rt_count_by_members(members, by->fields, &by->field_count, err);
}

void rt_count_by_release(struct rt_count_by *by)
{
	rt_counts_release(&by->counts);
	rt_buf_release(&by->key);
	rt_buf_release(&by->scratch);
	for (size_t i = 0; i < RT_COUNT_BY_MEMBERS; i++) {
		rt_buf_release(&by->texts[i]);
		rt_buf_release(&by->spans[i]);
	}
	free(by->rows);
	by->rows = NULL;
}

/* --- The values of an issue -------------------------------------------------------------- */

/* The values of one member, each once, as slices in a buffer. */
struct values {
	struct rt_slice *at;
	size_t count;
};

/* text: ptr NULL: null. The slice gets its place in texts when all are there. */
static void add_value(struct rt_count_by *by, size_t i, struct rt_slice text)
{
	struct rt_slice span = {text.ptr ? "" : NULL, text.len};
	struct rt_put spans = {&by->spans[i], by->room.err, by->room.status};
	struct rt_put texts = {&by->texts[i], by->room.err, RT_OK};

	rt_put(&spans, rt_slice_make((const char *)&span, sizeof(span)));
	texts.status = spans.status;
	rt_put(&texts, text);
	by->room.status = texts.status;
}

static int by_text(const void *a, const void *b)
{
	return rt_slice_compare(*(const struct rt_slice *)a, *(const struct rt_slice *)b);
}

/* Give each slice its place, and leave out what occurs twice. */
static struct values settle(const struct rt_buf *texts, const struct rt_buf *spans)
{
	struct values values = {(struct rt_slice *)(void *)spans->data,
				spans->len / sizeof(struct rt_slice)};
	size_t used = 0, kept = 1;

	for (size_t i = 0; i < values.count; i++) {
		if (values.at[i].len)
			values.at[i].ptr = texts->data + used;
		used += values.at[i].len;
	}
	if (values.count < 2)
		return values;
	qsort(values.at, values.count, sizeof(*values.at), by_text);
	for (size_t i = 1; i < values.count; i++) {
		if (!rt_slice_equal(values.at[i], values.at[kept - 1]))
			values.at[kept++] = values.at[i];
	}
	values.count = kept;
	return values;
}

static struct values values_of(struct rt_count_by *by, size_t i, const struct rt_finding *finding)
{
	const struct rt_count_by_field *field = &by->fields[i];
	struct rt_slice list = {0}, text = {0};

	by->texts[i].len = by->spans[i].len = 0;
	if (field->field < RT_ISSUE_MEMBERS &&
	    rt_member_rule(RT_KIND_ISSUE, (enum rt_member)field->field)->types & RT_TYPE_STRINGS) {
		list = rt_finding_strings(finding, (enum rt_member)field->field);
		while (rt_strings_step(&list, &by->room, &text))
			add_value(by, i, text);
		text = (struct rt_slice){0};
	} else {
		text = rt_field_text(&by->source, finding, field->field, field->depth, &by->room);
	}
	/* Of an empty list: null. */
	if (!by->spans[i].len)
		add_value(by, i, text);
	return by->room.status == RT_OK ? settle(&by->texts[i], &by->spans[i]) : (struct values){0};
}

/* --- Keys -------------------------------------------------------------------------------- */

/* A value in a key: its length, one more than that so that 0 is null, and its bytes. */
static void put_value(struct rt_put *key, struct rt_slice value)
{
	uint64_t len = value.ptr ? (uint64_t)value.len + 1 : 0;

	rt_put(key, rt_slice_make((const char *)&len, sizeof(len)));
	rt_put(key, value);
}

static struct rt_slice take_value(struct rt_slice *key)
{
	struct rt_slice value = {0};
	uint64_t len;

	memcpy(&len, key->ptr, sizeof(len));
	key->ptr += sizeof(len);
	key->len -= sizeof(len);
	if (!len)
		return value;
	value = rt_slice_make(key->ptr, (size_t)len - 1);
	key->ptr += value.len;
	key->len -= value.len;
	return value;
}

/* Without a limit two long lists in a small issue take the time of a large export. */
static enum rt_status check_pairs(const struct values *values, size_t count, struct rt_error *err)
{
	uint64_t product = 1;

	for (size_t i = 0; i < count; i++) {
		uint64_t before = product;

		product *= values[i].count;
		if (before > 1 && values[i].count > 1 && product > PAIRS_MAX)
			return rt_error_set(
			    err, RT_E_LIMIT,
			    "an issue has more than %u pairs of values to count by: %zu times %zu",
			    PAIRS_MAX, values[i - 1].count, values[i].count);
	}
	return RT_OK;
}

enum rt_status rt_count_by_add(struct rt_count_by *by, const struct rt_finding *finding,
			       struct rt_error *err)
{
	struct values values[RT_COUNT_BY_MEMBERS] = {{0}};
	size_t count = by->field_count, at[RT_COUNT_BY_MEMBERS] = {0}, k = count;
	enum rt_status status;

	by->room = (struct rt_put){&by->scratch, err, RT_OK};
	for (size_t i = 0; i < count; i++)
		values[i] = values_of(by, i, finding);
	status = by->room.status == RT_OK ? check_pairs(values, count, err) : by->room.status;
	while (status == RT_OK && k) {
		struct rt_put key = {&by->key, err, RT_OK};

		by->key.len = 0;
		for (size_t i = 0; i < count; i++) {
			assert(values[i].at); /* null, where there is none */
			put_value(&key, values[i].at[at[i]]);
		}
		status = key.status;
		if (status == RT_OK)
			status = rt_counts_put(&by->counts, rt_buf_slice(&by->key), 1,
					       finding->open, err);
		for (k = count; k && ++at[k - 1] == values[k - 1].count; k--)
			at[k - 1] = 0;
	}
	return status;
}

/* --- Order ------------------------------------------------------------------------------- */

static int by_number(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b); /* falling */
}

/* What is missing comes last. */
static int compare_values(struct rt_slice a, struct rt_slice b)
{
	return a.ptr && b.ptr ? rt_slice_compare(a, b) : !a.ptr - !b.ptr;
}

/* The order by the first values alone, as many as that. */
static int compare_first(const struct rt_count_by_row *x, const struct rt_count_by_row *y,
			 size_t count)
{
	int order = 0;

	for (size_t i = 0; i < count && !order; i++)
		order = compare_values(x->values[i], y->values[i]);
	return order;
}

static int compare_all(const void *a, const void *b)
{
	return compare_first(a, b, RT_COUNT_BY_MEMBERS);
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct rt_count_by_row *x = a, *y = b;
	const struct rt_count_by *by = ctx;
	int order = 0;

	for (size_t i = 0; i < by->field_count && !order; i++) {
		struct rt_slice left = x->values[i], right = y->values[i];

		if (left.ptr && right.ptr && by->fields[i].field == RT_M_SEVERITY) {
			order = (int)rt_severity_rank(left) - (int)rt_severity_rank(right);
		} else if (left.ptr && right.ptr) {
			order = by_number(x->group_open[i], y->group_open[i]);
			order = order ? order : by_number(x->group_all[i], y->group_all[i]);
		}
		order = order ? order : compare_values(left, right);
	}
	return order;
}

/* Sum up what has the same values up to each of them; rows are in the order of all values. */
static void sum_groups(struct rt_count_by_row *rows, size_t count, size_t fields)
{
	for (size_t field = 0; field < fields; field++) {
		for (size_t from = 0, to; from < count; from = to) {
			uint64_t open = 0, all = 0;

			for (to = from;
			     to < count && compare_first(&rows[from], &rows[to], field + 1) == 0;
			     to++) {
				open += rows[to].open;
				all += rows[to].all;
			}
			for (size_t i = from; i < to; i++) {
				rows[i].group_open[field] = open;
				rows[i].group_all[field] = all;
			}
		}
	}
}

enum rt_status rt_count_by_sort(struct rt_count_by *by, struct rt_error *err)
{
	size_t count = by->counts.used;

	rt_counts_sort(&by->counts);
	by->rows = calloc(count ? count : 1, sizeof(*by->rows));
	if (!by->rows)
		return rt_error_nomem(err);
	by->row_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct rt_count *slot = &by->counts.slots[i];
		struct rt_count_by_row *row = &by->rows[i];
		struct rt_slice key = slot->text;

		for (size_t k = 0; k < by->field_count; k++)
			row->values[k] = take_value(&key);
		row->open = slot->open;
		row->all = slot->count;
	}
	qsort(by->rows, count, sizeof(*by->rows), compare_all);
	sum_groups(by->rows, count, by->field_count);
	qsort_r(by->rows, count, sizeof(*by->rows), compare_rows, by);
	return RT_OK;
}
