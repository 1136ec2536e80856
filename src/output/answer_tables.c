/*
 * Shows rulesets and results of bulk updates as rows of tables.
 */
#include "output/answer_tables.h"

#include "base/buf.h"
#include "base/json_string.h"
#include "scan/items.h"

/* A cell with a value: a string's text, a dash where there is none, else as it is written. */
static enum rt_status put_value(struct rt_table *table, struct rt_slice value, enum rt_tone tone,
				struct rt_error *err)
{
	struct rt_buf scratch = {0};
	enum rt_status status = RT_OK;

	if (!value.ptr || *value.ptr == 'n')
		value = RT_SLICE("-");
	else if (*value.ptr == '"')
		status = rt_json_string_text(rt_slice_make(value.ptr + 1, value.len - 2), &scratch,
					     &value, err);
	if (status == RT_OK)
		rt_table_cell_line(table, value, tone);
	rt_buf_release(&scratch);
	return status;
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
static enum rt_status put_repositories(struct rt_table *table, struct rt_slice ids,
				       struct rt_error *err)
{
	struct rt_buf list = {0}, scratch = {0};
	enum rt_status status = RT_OK;
	struct rt_items items;
	struct rt_item item;
	size_t count = 0;

	rt_items_init(&items, ids.ptr && *ids.ptr == '[' ? ids : RT_SLICE("[]"));
	while (status == RT_OK && rt_items_next(&items, &item)) {
		struct rt_slice id = rt_slice_make(item.value.ptr + 1, item.value.len - 2);

		status = rt_json_string_text(id, &scratch, &id, err);
		if (status == RT_OK && count++)
			status = rt_buf_append(&list, ", ", 2, err);
		if (status == RT_OK)
			status = rt_buf_append(&list, id.ptr, id.len, err);
	}
	if (status == RT_OK)
		rt_table_cell_line(table, count ? rt_buf_slice(&list) : RT_SLICE("all"),
				   count ? RT_TONE_PLAIN : RT_TONE_FAINT);
	rt_buf_release(&list);
	rt_buf_release(&scratch);
	return status;
}

enum rt_status rt_ruleset_rows_put(struct rt_table *table, const struct rt_record *ruleset,
				   struct rt_error *err)
{
	struct rt_buf scratch = {0};
	struct rt_slice updated;
	enum rt_status status = put_value(table, ruleset->values[RT_M_ID], RT_TONE_PLAIN, err);

	if (status == RT_OK)
		status = put_value(table, ruleset->values[RT_M_NAME], RT_TONE_STRONG, err);
	if (status == RT_OK)
		status = put_repositories(table, ruleset->values[RT_M_REPO_IDS], err);
	if (status == RT_OK)
		status = rt_json_string_text(rt_record_string(ruleset, RT_M_UPDATED_AT), &scratch,
					     &updated, err);
	/* The day alone. */
	if (status == RT_OK)
		rt_table_cell(table,
			      rt_slice_make(updated.ptr, updated.len < 10 ? updated.len : 10),
			      RT_TONE_FAINT);
	rt_buf_release(&scratch);
	if (status == RT_OK)
		status =
		    put_value(table,
			      ruleset->types[RT_M_DESCRIPTION] ? ruleset->values[RT_M_DESCRIPTION]
							       : (struct rt_slice){NULL, 0},
			      RT_TONE_PLAIN, err);
	return status;
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
static enum rt_status put_issue(struct rt_table *table, struct rt_slice issue, bool failed,
				struct rt_error *err)
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
	enum rt_status status = RT_OK;

	for (size_t i = 0; i < 6 && status == RT_OK; i++) {
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
			status = put_value(table, value, RT_TONE_PLAIN, err);
	}
	return status;
}

enum rt_status rt_result_rows_put(struct rt_table *table, struct rt_slice result,
				  struct rt_error *err)
{
	enum rt_status status = RT_OK;
	struct rt_items members, issues;
	struct rt_item member, issue;

	rt_items_init(&members, result);
	while (rt_items_next(&members, &member)) {
		bool failed = rt_slice_equal(member.key, RT_SLICE("failed_issues"));

		if (!failed && !rt_slice_equal(member.key, RT_SLICE("updated_issues")))
			continue;
		rt_items_init(&issues, member.value);
		while (status == RT_OK && rt_items_next(&issues, &issue))
			status = put_issue(table, issue.value, failed, err);
	}
	return status;
}
