/*
 * Notes of a finding, however they are spelled, and the end that they may give a decision.
 */
#include "engine/finding.h"

#include <stdio.h>

#include "record_make.h"

static struct rt_error err;

static const struct {
	const char *notes;
	const char *texts; /* with '|' after each */
	const char *times; /* likewise, as JSON */
} rows[] = {
    {"[]", "", ""},
    {"[ ]", "", ""},
    {"[\"a\"]", "a|", "null|"},
    {"[{\"added_at\":\"t\",\"text\":\"a\"},{\"text\":\"b\",\"added_at\":null}]", "a|b|",
     "\"t\"|null|"},
    {"[ { \"text\" : \"a\" } , \"b\\n\" ]", "a|b\n|", "null|null|"},
    {"[{\"te\\u0078t\":\"a\",\"\\u0061dded_at\":\"t\"}]", "a|", "\"t\"|"},
    {"[{\"text\":null},{\"text\":[\"x\"]},{},[\"x\"],1,null,true,{\"text\":\"a\"}]", "a|", "null|"},
    {"[{\"text\":\"\"}]", "|", "null|"},
    {"[{\"text\":\"a,]}\",\"by\":{\"text\":\"no\"}}]", "a,]}|", "null|"},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void append(char *text, size_t cap, struct rt_slice more)
{
	snprintf(text + strlen(text), cap - strlen(text), "%.*s|", (int)more.len, more.ptr);
}

START_TEST(notes)
{
	struct rt_slice at = {rows[_i].notes, strlen(rows[_i].notes)}, time, text;
	char texts[64] = "", times[64] = "";
	struct rt_buf scratch = {0};

	while (rt_notes_next(&at, &scratch, &time, &text, &err) == RT_OK) {
		append(texts, sizeof(texts), text);
		append(times, sizeof(times), time);
	}
	ck_assert_str_eq(texts, rows[_i].texts);
	ck_assert_str_eq(times, rows[_i].times);
	rt_buf_release(&scratch);
}
END_TEST

/* 2026-06-15T12:00:00Z; the command line's tests have what is no date, and the last second. */
#define NOW INT64_C(1781524800)

START_TEST(ended)
{
	static const struct {
		const char *notes;
		bool expired;
	} ends[] = {
	    {NULL, false},
	    {"[]", false},
	    {"[{\"text\":\"exp:2026-06-15\"}]", false},
	    {"[{\"text\":\"exp:2026-06-14\"}]", true},
	    {"[{\"text\":\"exp:2026-06-14\"},{\"text\":\"exp:2026-06-15\"}]", false},
	    {"[{\"text\":\"exp:2026-06-15\"},\"exp:2026-06-14\",{\"text\":\"seen\"}]", true},
	    {"[{\"te\\u0078t\":\"e\\u0078p:2026-06-14\"}]", true},
	    {"[{\"text\":\"EXP:2026-06-14\"}]", true},
	    {"[{\"text\":\"(Exp:2026-06-15)\"}]", false},
	    {"[{\"text\":\"regEXP:2026-06-14\"}]", false},
	    {"\"eXp:2026-06-14\"", true},
	    {"[{\"text\":\"(exp:2026-06-14)\"}]", true},
	    {"[{\"text\":\"exp:2026-06-14 0exp:2027-01-01 9exp:2027-01-01 aexp:2027-01-01 "
	     "zexp:2027-01-01 Aexp:2027-01-01 Zexp:2027-01-01 _exp:2027-01-01\"}]",
	     true},
	    {"[{\"text\":\"exp\"}]", false},
	    {"[{\"text\":\"exp:2026-6-1\"}]", true},
	    {"[{\"text\":\"exp:2026-06-20T00:00:00Z\"}]", true},
	    /* A reason is another dismissal; a word that is none, or a comment, is not. */
	    {"[{\"text\":\"exp:2026-06-14\"},{\"text\":\"reason:wont_fix\"}]", false},
	    {"[{\"text\":\"exp:2026-06-14\"},{\"text\":\"Reason: still open\"}]", true},
	    {"[{\"text\":\"exp:2026-06-14\"},{\"text\":\"exp:2026-06-15\",\"comment\":true}]",
	     true},
	    {"[{\"text\":\"exp:2026-06-14\",\"comment\":true}]", false},
	    {"[{\"text\":\"exp:2026-06-14\",\"comment\":false}]", true},
	    /* Suppressions of a log, which are followed by a dismissal; and what is like one. */
	    {"[{\"text\":\"external, accepted: x exp:2026-06-14\"},"
	     "{\"text\":\"in source, accepted\"}]",
	     false},
	    {"[{\"text\":\"suppressed, accepted by Kim: x\"},"
	     "{\"text\":\"external, accepted: exp:2026-06-14\"}]",
	     false},
	    {"[{\"text\":\"in source, accepted\"},{\"text\":\"reason:wont_fix exp:2026-06-14\"}]",
	     true},
	    {"[{\"text\":\"reason:wont_fix exp:2026-06-14\"},{\"text\":\"in source, rejected\"},"
	     "{\"text\":\"external, under review: x exp:2027-01-01\"}]",
	     true},
	    {"[{\"text\":\"exp:2026-06-14\"},{\"text\":\"external, acceptedly\"}]", true},
	    {"[{\"text\":\"exp:2026-06-14\"},{\"text\":\"externally, accepted\"}]", true},
	    {"[{\"text\":\"exp:2026-06-14\"},{\"text\":\"external\"}]", true},
	    {"[{\"text\":\"exp:2026-06-14\"},{\"text\":\"external, \"}]", true},
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct rt_slice text = {ends[i].notes, ends[i].notes ? strlen(ends[i].notes) : 0};
		struct rt_finding finding = {.notes = text};
		struct rt_buf scratch = {0};

		rt_finding_set_status(&finding, RT_STATUS_DISMISSED);
		ck_assert_int_eq(rt_finding_decide(&finding, NOW, &scratch, &err), RT_OK);
		ck_assert_msg(finding.open == ends[i].expired, "%s", ends[i].notes);
		ck_assert_int_eq(finding.status,
				 ends[i].expired ? RT_STATUS_EXPIRED : RT_STATUS_DISMISSED);
		rt_buf_release(&scratch);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("finding");
	TCase *tcase = tcase_create("finding");

	tcase_add_loop_test(tcase, notes, 0, ROWS);
	tcase_add_test(tcase, ended);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
