/*
 * Shows rulesets and results of bulk updates as rows of tables.
 */
#include "output/answer_tables.h"

#include "base/buf.h"
#include "base/error.h"
#include "scan/items.h"

static void put_value(struct rt_table *table, struct rt_slice value, enum rt_tone tone)
{
	rt_table_cell_line(table, rt_table_text(table, value), tone);
}

/* --- Rulesets -------------------------------------------------------------------------------- */

void rt_ruleset_rows_begin(struct rt_table *table)
{
	static const struct rt_table_column columns[] = {
	    {.title = "ID", .weight = 4, .min = 16},
	    {.title = "NAME", .weight = 3, .min = 12},
	    {.title = "REPOSITORIES", .weight = 3, .min = 12},
	    {.title = "UPDATED", .min = 10, .leave = 2},
	    {.title = "DESCRIPTION", .weight = 4, .min = 12, .leave = 1},
	};

	rt_table_begin(table, columns, sizeof(columns) / sizeof(*columns));
}

/* "acme/web, acme/jobs"; "all" where it is bound to none. */
static void put_repositories(struct rt_table *table, struct rt_slice ids)
{
	struct rt_buf list = {0};
	struct rt_error err;
	struct rt_fault fault = {RT_OK, &err};
	struct rt_items items;
	struct rt_item item;
	size_t count = 0;

	rt_items_init(&items, ids.ptr && *ids.ptr == '[' ? ids : RT_SLICE("[]"));
	for (; rt_items_next(&items, &item); count++) {
		struct rt_slice text = rt_table_text(table, item.value);

		RT_STEP(&fault, rt_buf_append(&list, ", ", count ? 2 : 0, &err));
		RT_STEP(&fault, rt_buf_append(&list, text.ptr, text.len, &err));
	}
	rt_table_cell_line(table, count ? rt_buf_slice(&list) : RT_SLICE("all"),
			   count ? RT_TONE_PLAIN : RT_TONE_FAINT);
	rt_table_fail(table, fault.status, &err);
	rt_buf_release(&list);
}

void rt_ruleset_rows_put(struct rt_table *table, const struct rt_record *ruleset)
{
	const struct rt_slice *values = ruleset->values;
	struct rt_slice updated;

	put_value(table, values[RT_M_ID], RT_TONE_PLAIN);
	put_value(table, values[RT_M_NAME], RT_TONE_STRONG);
	put_repositories(table, values[RT_M_REPO_IDS]);
	/* The day alone. */
	updated = rt_table_text(table, values[RT_M_UPDATED_AT]);
	rt_table_cell(table, rt_slice_make(updated.ptr, updated.len < 10 ? updated.len : 10),
		      RT_TONE_FAINT);
	put_value(table,
		  ruleset->types[RT_M_DESCRIPTION] ? values[RT_M_DESCRIPTION]
						   : (struct rt_slice){NULL, 0},
		  RT_TONE_PLAIN);
}

/* --- Results --------------------------------------------------------------------------------- */

void rt_result_rows_begin(struct rt_table *table)
{
	static const struct rt_table_column columns[] = {
	    {.title = "ISSUE", .weight = 4, .min = 16},
	    {.title = "RESULT"},
	    {.title = "SEVERITY"},
	    {.title = "FALSE POSITIVE", .leave = 2},
	    {.title = "EXPLOITABLE", .leave = 1},
	    {.title = "TITLE", .weight = 4, .min = 12},
	};

	rt_table_begin(table, columns, sizeof(columns) / sizeof(*columns));
}

/* The cells of an issue: those of these members, whatever their order in the object. */
static void put_issue(struct rt_table *table, struct rt_slice issue, bool failed)
{
	static const struct rt_slice updated_names[] = {
	    RT_SLICE("id"),          RT_SLICE("\n"),
	    RT_SLICE("severity"),    RT_SLICE("false_positive"),
	    RT_SLICE("exploitable"), RT_SLICE("title"),
	};
	static const struct rt_slice failed_names[] = {
	    RT_SLICE("issue_id"), RT_SLICE("\n"), RT_SLICE("\n"),
	    RT_SLICE("\n"),       RT_SLICE("\n"), RT_SLICE("message"),
	};
	const struct rt_slice *names = failed ? failed_names : updated_names;

	for (size_t i = 0; i < 6; i++) {
		struct rt_slice value = {NULL, 0};
		struct rt_items items;
		struct rt_item item;

		rt_items_init(&items, issue);
		while (!value.ptr && rt_items_next(&items, &item))
			value = rt_slice_equal(item.key, names[i]) ? item.value : value;
		if (i == 1)
			rt_table_cell(table, failed ? RT_SLICE("failed") : RT_SLICE("updated"),
				      failed ? RT_TONE_STRONG : RT_TONE_FAINT);
		else
			put_value(table, value, RT_TONE_PLAIN);
	}
}

void rt_result_rows_put(struct rt_table *table, struct rt_slice result)
{
	struct rt_items members, issues;
	struct rt_item member, issue;

	rt_items_init(&members, result);
	while (rt_items_next(&members, &member)) {
		bool failed = rt_slice_equal(member.key, RT_SLICE("failed_issues"));

		if (!failed && !rt_slice_equal(member.key, RT_SLICE("updated_issues")))
			continue;
		rt_items_init(&issues, member.value);
		while (rt_items_next(&issues, &issue))
			put_issue(table, issue.value, failed);
	}
}
