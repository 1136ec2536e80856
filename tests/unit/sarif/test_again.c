/*
 * A log whose file says something else when it is read again: no result has the id of another one.
 */
#include <string.h>

#include "base/limits.h"
#include "sarif/sarif.h"
#include "tests/unit/unit.h"

#define RESULT(word)                                                                               \
	"{\"ruleId\":\"r\",\"message\":{\"text\":\"" word "\"},\"locations\":["                    \
	"{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"" word "\"}}}]}"
#define LOG(results)                                                                               \
	"{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"t\"}},\"results\":"    \
	"[" results "]}]}"

static const char first[] = LOG(RESULT("aa") "," RESULT("bb") "," RESULT("cc"));

/* What is read again, and how many records are made of it before it is refused. */
static const struct {
	const char *text;
	int records;
	const char *message;
} rows[] = {
    {first, 3, NULL},
    {LOG(RESULT("aa") "," RESULT("cc") "," RESULT("bb")), 1, "the file changed while it was read"},
    {LOG(RESULT("aa") "," RESULT("bb") "," RESULT("bb")), 2, "the file changed while it was read"},
    {LOG(RESULT("aa") "," RESULT("bb") ","
				       "{\"kind\":\"pass\"}"),
     2, "the file changed while it was read"},
    {LOG(RESULT("aa") "," RESULT("bb")), 2, "the file changed while it was read"},
    {LOG(RESULT("aa") "," RESULT("bb") "," RESULT("cc") "," RESULT("dd")), 3,
     "the file changed while it was read"},
};

static enum rt_status give(const char *text, uint64_t offset, void *buf, size_t cap,
			   size_t *ret_len)
{
	size_t len = strlen(text) - (size_t)offset;

	*ret_len = len < cap ? len : cap;
	memcpy(buf, text + offset, *ret_len);
	return *ret_len ? RT_OK : RT_END;
}

/* ctx: how much has been read. */
static enum rt_status read_first(void *ctx, void *buf, size_t cap, size_t *ret_len,
				 struct rt_error *err)
{
	size_t *at = ctx;
	enum rt_status status = give(first, *at, buf, cap, ret_len);

	(void)err;
	*at += *ret_len;
	return status;
}

/* ctx: the text. What is behind its end is filled up. */
static enum rt_status read_again(void *ctx, uint64_t offset, void *buf, size_t cap, size_t *ret_len,
				 struct rt_error *err)
{
	(void)err;
	if (offset < strlen(ctx))
		return give(ctx, offset, buf, cap, ret_len);
	*(char *)buf = ' ';
	*ret_len = 1;
	return RT_OK;
}

START_TEST(refuses_another_text)
{
	struct rt_limits limits;
	char again[sizeof(first) * 2];
	size_t at = 0;
	struct rt_sarif_hints hints = {.again = read_again, .again_ctx = again};
	struct rt_record record;
	struct rt_sarif *log;
	struct rt_error err;
	enum rt_status status;
	int records = 0;

	rt_limits_init(&limits);
	(void)strcpy(again, rows[_i].text);
	ck_assert_int_eq(
	    rt_sarif_open((struct rt_pull){read_first, &at}, &hints, &limits, &log, &err), RT_OK);
	while ((status = rt_sarif_next(log, &record, &err)) == RT_OK)
		records++;
	ck_assert_int_eq(status, rows[_i].message ? RT_FATAL : RT_END);
	if (rows[_i].message)
		ck_assert_str_eq(err.message, rows[_i].message);
	ck_assert_int_eq(records, rows[_i].records);
	rt_sarif_free(log);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_again");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, refuses_another_text, 0, sizeof(rows) / sizeof(rows[0]));
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
