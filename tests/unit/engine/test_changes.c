/*
 * From updates to patches: exports in JSON and YAML, in one part and in several, patched as the
 * changes say; records that cannot be edited, and YAML that changes between the passes.
 */
#include "engine/changes.h"

#include "base/limits.h"
#include "plan_make.h"
#include "scratch.h"

static const char *path_list[1];
static struct rt_error err;

static struct rt_options options_of(const char *path)
{
	struct rt_options options = {.paths = path_list, .path_count = 1, .input_fd = -1};

	path_list[0] = path;
	rt_limits_init(&options.limits);
	memset(&err, 0, sizeof(err));
	return options;
}

/* Add the changes of every issue that the plan mentions; *ret_stamp: of the files. */
static enum rt_status add_all(struct rt_changes *changes, const struct rt_options *options,
			      const struct rt_plan *plan, uint64_t *ret_stamp)
{
	struct rt_dataset *dataset = NULL;
	const struct rt_record *record;
	enum rt_status status = rt_dataset_open(options, RT_KIND_ANY, &dataset, &err);

	while (status == RT_OK) {
		uint32_t target;

		status = rt_dataset_next_good(dataset, &record, &err);
		if (status != RT_OK || record->kind != RT_KIND_ISSUE)
			continue;
		target = rt_plan_find(plan, record->id);
		if (target != RT_PLAN_NONE)
			status = rt_changes_add(changes, dataset, record, plan, target, &err);
	}
	*ret_stamp = status == RT_END ? rt_dataset_stamp(dataset) : 0;
	rt_dataset_free(dataset);
	return status == RT_END ? RT_OK : status;
}

/* A part's source with its patches applied, and a NUL. */
static struct rt_buf patched(const struct rt_patches *patches, uint32_t part, const char *source)
{
	struct rt_buf out = {0};
	struct rt_error own;
	size_t at = 0;

	for (size_t i = rt_patches_find(patches, part); i < rt_patches_count(patches); i++) {
		struct rt_patch patch = rt_patches_get(patches, i);

		if (patch.part != part)
			break;
		ck_assert_uint_ge(patch.offset, at);
		ck_assert_int_eq(rt_buf_append(&out, source + at, patch.offset - at, &own), RT_OK);
		ck_assert_int_eq(rt_buf_append(&out, patch.text.ptr, patch.text.len, &own), RT_OK);
		at = (size_t)(patch.offset + patch.len);
		ck_assert_uint_le(at, strlen(source));
	}
	ck_assert_int_eq(rt_buf_append(&out, source + at, strlen(source + at) + 1, &own), RT_OK);
	return out;
}

static const char *const requests[] = {
    "{\"issue_ids\":[\"a\",\"c\",\"none\"],\"severity\":\"high\"}",
    "{\"issue_ids\":[\"c\",\"b\"],\"exploitable\":true,\"notes\":\"n\"}", NULL};

#define AT0 "\"updated_at\":\"2025-01-01T00:00:00Z\""
#define AT1 "\"updated_at\":\"2025-01-01T00:00:01Z\""
#define NOTES "\"notes\":[{\"added_at\":\"2025-01-01T00:00:01Z\",\"text\":\"n\"}]"
#define YAML_NOTES(pad)                                                                            \
	pad "notes:\n" pad "- added_at: \"2025-01-01T00:00:01Z\"\n" pad "  text: \"n\"\n"

/* Files of a directory, in the order of their names. */
static const struct {
	const char *what;
	const char *names[3], *before[3], *after[3];
	bool changes;
} rows[] = {
    {"nobody is mentioned",
     {"x.json", "y.yaml"},
     {"[{\"id\":\"x\",\"scan_id\":null}]", "- id: y\n  scan_id: s\n"},
     {"[{\"id\":\"x\",\"scan_id\":null}]", "- id: y\n  scan_id: s\n"},
     false},
    {"JSON",
     {"x.json"},
     {" [{\"id\":\"a\",\"severity\":\"low\"},{\"severity\":\"low\",\"id\":\"x\"},\n"
      "{\"id\":\"b\",\"scan_id\":null,\"x\":1.50}]"},
     {" [{\"id\":\"a\",\"severity\":\"high\"," AT0 "},{\"severity\":\"low\",\"id\":\"x\"},\n"
      "{\"id\":\"b\",\"scan_id\":null,\"x\":1.50,\"exploitable\":true," AT1 "," NOTES "}]"},
     true},
    {"JSON, a byte order mark",
     {"x.json"},
     {"\xEF\xBB\xBF[{\"id\":\"a\",\"severity\":\"low\"},{\"id\":\"x\",\"scan_id\":null}]"},
     {"\xEF\xBB\xBF[{\"id\":\"a\",\"severity\":\"high\"," AT0 "},{\"id\":\"x\",\"scan_id\":null}]"},
     true},
    {"no change, no patch",
     {"x.json", "y.yaml"},
     {"[{\"id\":\"a\",\"severity\":\"high\"}]", "- id: x\n  severity: high\n"},
     {"[{\"id\":\"a\",\"severity\":\"high\"}]", "- id: x\n  severity: high\n"},
     false},
    {"YAML",
     {"x.yaml"},
     {"# head\n- id: a\n  severity: low # why\n- id: x\n  severity: low\n- severity: high\n  id: "
      "b\n"},
     {"# head\n- id: a\n  severity: high\n  "
      "updated_at: \"2025-01-01T00:00:00Z\"\n"
      "- id: x\n  severity: low\n- severity: high\n  id: b\n  exploitable: true\n"
      "  updated_at: \"2025-01-01T00:00:01Z\"\n" YAML_NOTES("  ")},
     true},
    {"parts of both, some without an issue",
     {"x.json", "y.yaml", "z.json"},
     {"{\"id\":\"c\",\"severity\":\"high\"}\n",
      "- {id: b, severity: low}\n- id: x\n  severity: low\n",
      "[{\"id\":\"y\",\"scan_id\":null},{\"id\":\"a\",\"severity\":null}]"},
     {"{\"id\":\"c\",\"severity\":\"high\",\"exploitable\":true," AT1 "," NOTES "}\n",
      "- {id: b, severity: low, exploitable: true, updated_at: \"2025-01-01T00:00:01Z\", notes: "
      "[{added_at: \"2025-01-01T00:00:01Z\", text: \"n\"}]}\n- id: x\n  severity: low\n",
      "[{\"id\":\"y\",\"scan_id\":null},{\"id\":\"a\",\"severity\":\"high\"," AT0 "}]"},
     true},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

START_TEST(table)
{
	struct rt_plan *plan = plan_of(requests);
	struct rt_changes changes = {.record_bytes = RT_LIMIT_RECORD};
	struct rt_options options;
	enum rt_status status;
	uint64_t stamp;

	ck_assert_int_eq(mkdir(at("d"), 0700), 0);
	for (size_t i = 0; i < 3 && rows[_i].names[i]; i++) {
		char name[32];

		snprintf(name, sizeof(name), "d/%s", rows[_i].names[i]);
		put(name, rows[_i].before[i]);
	}
	options = options_of(at("d"));
	status = add_all(&changes, &options, plan, &stamp);
	ck_assert_msg(status == RT_OK, "%s: %s", rows[_i].what, err.message);
	ck_assert_int_eq(rt_changes_finish(&changes, plan, &options, stamp, &err), RT_OK);
	ck_assert(rows[_i].changes == (rt_patches_count(&changes.patches) > 0));
	for (uint32_t i = 0; i < 3 && rows[_i].names[i]; i++) {
		struct rt_buf have = patched(&changes.patches, i, rows[_i].before[i]);

		ck_assert_msg(strcmp(have.data, rows[_i].after[i]) == 0, "%s:\nwant %s\nhave %s",
			      rows[_i].what, rows[_i].after[i], have.data);
		rt_buf_release(&have);
	}
	rt_changes_release(&changes);
	rt_plan_free(plan);
}
END_TEST

static const struct {
	const char *what, *name, *source;
	const char *record, *message; /* record: maybe empty */
	uint64_t line, column;
} bads[] = {
    {"notes that are a number", "x.json",
     "[{\"id\":\"x\",\"scan_id\":\"\"},\n {\"id\":\"b\",\"notes\":7,\"severity\":null}]",
     "issue \"b\"", "want notes that are an array, a string or null, have number", 2, 2},
    {"notes twice", "x.jsonl",
     "{\"id\":\"x\",\"scan_id\":\"\"}\n{\"id\":\"b\",\"notes\":[],\"severity\":null,\"notes\":[]}",
     "issue \"b\"", "want the member once, have it again", 2, 1},
};

#define BADS (sizeof(bads) / sizeof(bads[0]))

START_TEST(refused)
{
	struct rt_plan *plan = plan_of(requests);
	struct rt_changes changes = {.record_bytes = RT_LIMIT_RECORD};
	struct rt_options options;
	uint64_t stamp;

	put(bads[_i].name, bads[_i].source);
	options = options_of(at(bads[_i].name));
	ck_assert_msg(add_all(&changes, &options, plan, &stamp) == RT_FATAL, "%s", bads[_i].what);
	ck_assert_int_eq(err.code, RT_E_INPUT);
	ck_assert_str_eq(err.message, bads[_i].message);
	ck_assert_str_eq(err.path, options.paths[0]);
	ck_assert_str_eq(err.record, bads[_i].record);
	ck_assert_str_eq(err.field, "notes");
	ck_assert_uint_eq(err.line, bads[_i].line);
	ck_assert_uint_eq(err.column, bads[_i].column);
	rt_changes_release(&changes);
	rt_plan_free(plan);
}
END_TEST

/* A note for notes that cannot take one is refused in YAML too, by the first pass or the second. */
START_TEST(refused_yaml)
{
	struct rt_plan *plan = plan_of(requests);
	struct rt_changes changes = {.record_bytes = RT_LIMIT_RECORD};
	struct rt_options options;
	enum rt_status status;
	uint64_t stamp;

	put("x.yaml", "- id: b\n  severity: low\n  notes: true\n");
	options = options_of(at("x.yaml"));
	status = add_all(&changes, &options, plan, &stamp);
	if (status == RT_OK)
		status = rt_changes_finish(&changes, plan, &options, stamp, &err);
	ck_assert_int_eq(status, RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_INPUT);
	ck_assert_str_eq(err.path, options.paths[0]);
	ck_assert_uint_gt(err.line, 0);
	ck_assert_ptr_nonnull(
	    strstr(err.message, "want notes that are an array, a string or null"));
	rt_changes_release(&changes);
	rt_plan_free(plan);
}
END_TEST

/* The second pass over YAML source must meet what the first one met. */
START_TEST(yaml_changed)
{
	struct rt_plan *plan = plan_of(requests);
	struct rt_changes changes = {.record_bytes = RT_LIMIT_RECORD};
	struct rt_options options;
	uint64_t stamp;

	put("x.yaml", "- id: a\n  severity: low\n");
	options = options_of(at("x.yaml"));
	ck_assert_int_eq(add_all(&changes, &options, plan, &stamp), RT_OK);
	ck_assert_int_eq(rt_changes_finish(&changes, plan, &options, stamp + 1, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_str_eq(err.path, options.paths[0]);
	rt_changes_release(&changes);
	rt_plan_free(plan);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("changes");
	TCase *tcase = tcase_create("changes");

	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_loop_test(tcase, table, 0, ROWS);
	tcase_add_loop_test(tcase, refused, 0, BADS);
	tcase_add_test(tcase, refused_yaml);
	tcase_add_test(tcase, yaml_changed);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
