/*
 * rt_store: records found again by id, as long as their file is as it was. A change that leaves
 * size and form as they were is seen whatever it is of.
 */
#include "ops/store.h"

#include <fcntl.h>
#include <unistd.h>

#include "retriage.h"
#include "scratch.h"

static struct rt_error err;
static char export_path[512];
static const char *paths[] = {export_path};
static struct rt_store *store;
static struct rt_store_reader *reader;
static int fd;

static const char export_text[] =
    "{\"issues\":[{\"id\":\"a\",\"severity\":\"high\",\"line_number\":10},\n"
    " {\"id\":\"b\",\"severity\":\"low\",\"own\":[1]}],\n"
    "\"rulesets\":[{\"id\":\"r\",\"name\":\"n\",\"rules_text\":\"t\",\"org_id\":\"o\",\"created_"
    "at\":"
    "\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}]}\n";

static void setup(void)
{
	struct rt_options options = {.paths = paths, .path_count = 1};
	struct rt_dataset *dataset = NULL;
	const struct rt_record *record;

	scratch_setup();
	put("e.json", export_text);
	(void)snprintf(export_path, sizeof(export_path), "%s", at("e.json"));
	rt_limits_init(&options.limits);
	fd = open(export_path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(rt_dataset_open(&options, RT_KIND_ANY, &dataset, &err), RT_OK);
	ck_assert_int_eq(rt_store_new(fd, &store, &err), RT_OK);
	while (rt_dataset_next_good(dataset, &record, &err) == RT_OK)
		ck_assert_int_eq(rt_store_add(store, dataset, record, &err), RT_OK);
	ck_assert_int_eq(rt_store_finish(store, &err), RT_OK);
	ck_assert_int_eq(rt_store_reader_new(&reader, &err), RT_OK);
	rt_dataset_free(dataset);
}

static void teardown(void)
{
	rt_store_reader_free(reader);
	rt_store_free(store);
	(void)close(fd);
	scratch_teardown();
}

static enum rt_status find(const char *id, uint32_t *ret_number)
{
	const struct rt_record *record;

	return rt_store_find(store, reader, rt_slice_make(id, strlen(id)), ret_number, &record,
			     &err);
}

START_TEST(found)
{
	const struct rt_record *record;
	uint32_t number;

	ck_assert_uint_eq(rt_store_issues(store), 2);
	ck_assert_uint_eq(rt_store_rulesets(store), 1);
	ck_assert_int_eq(find("b", &number), RT_OK);
	ck_assert_uint_eq(number, 1);
	ck_assert_int_eq(find("c", &number), RT_OK);
	ck_assert_uint_eq(number, RT_STORE_NONE);
	ck_assert_int_eq(rt_store_ruleset(store, reader, 0, &record, &err), RT_OK);
	ck_assert(rt_slice_equal(record->id, RT_SLICE("r")));
}
END_TEST

static const struct {
	const char *what, *old, *new; /* of one length */
} changes[] = {
    {"a severity", "high", "info"},
    {"a number", ":10}", ":11}"},
    {"a member that is not documented", "[1]", "[2]"},
    {"a blank", "\"line_number\":10}", "\"line_number\":1 }"},
    {"an id", "\"id\":\"a\"", "\"id\":\"x\""},
    {"a ruleset's text", "\"t\"", "\"u\""},
};

/* Each record but the one that was written over is found. */
START_TEST(written_over)
{
	size_t place = (size_t)(strstr(export_text, changes[_i].old) - export_text);
	size_t len = strlen(changes[_i].new);
	const struct rt_record *record;
	unsigned refused = 0;
	uint32_t number;

	ck_assert_int_eq(pwrite(fd, changes[_i].new, len, (off_t)place), (ssize_t)len);
	for (unsigned i = 0; i < 3; i++) {
		enum rt_status status = i < 2 ? find(i ? "b" : "a", &number)
					      : rt_store_ruleset(store, reader, 0, &record, &err);

		if (status == RT_OK)
			continue;
		ck_assert_int_eq(status, RT_FATAL);
		ck_assert_int_eq(err.code, RT_E_IO);
		ck_assert_str_eq(err.message,
				 "want an export that stays as it was read, have it changed");
		refused++;
	}
	ck_assert_msg(refused == 1, "%s: %u refused", changes[_i].what, refused);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("store");
	TCase *tests = tcase_create("all");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, found);
	tcase_add_loop_test(tests, written_over, 0, sizeof(changes) / sizeof(changes[0]));
	suite_add_tcase(suite, tests);
	return suite;
}

RT_UNIT_MAIN(suite_make)
