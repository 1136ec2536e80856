/*
 * Which rule and which taxon is meant (SARIF.md S11 to S13, S32): by id, index, guid and prefix, in
 * the driver and in extensions.
 */
#include "sarif/names.h"
#include "sarif_run_make.h"

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

/* --- Rules: the title says which one was found ------------------------------------------------ */

#define G1 "11111111-1111-1111-8888-ABCDEF111111"
#define G2 "22222222-2222-1111-8888-abcdef222222"

/* gosec: the index contradicts the id. */
#define GOSEC                                                                                      \
	"{\"tool\":{\"driver\":{\"rules\":[{\"id\":\"G101\",\"name\":\"0\"},"                      \
	"{\"id\":\"G302\",\"name\":\"1\"},{\"id\":\"G304\",\"name\":\"2\"}]}}}"
#define PREFIX                                                                                     \
	"{\"tool\":{\"driver\":{\"rules\":[{\"id\":\"CA5350\",\"name\":\"short\"},"                \
	"{\"id\":\"abc/def\",\"name\":\"def\"},{\"id\":\"a\",\"name\":\"a\"},"                     \
	"{\"id\":\"a/b\",\"name\":\"b\"},{\"id\":\"a/b/c/d\",\"name\":\"d\"},"                     \
	"{\"id\":\"x/\",\"name\":\"slash\"}]}}}"
#define TWICE                                                                                      \
	"{\"tool\":{\"driver\":{\"rules\":[{\"id\":\"Z\",\"name\":\"z\"},"                         \
	"{\"id\":\"A\",\"name\":\"first\"},{\"id\":\"A\",\"name\":\"second\"}]}}}"
#define PACKS                                                                                      \
	"{\"tool\":{\"driver\":{\"name\":\"D\",\"rules\":[{\"id\":\"d\",\"name\":\"driver\"},"     \
	"{\"id\":\"both\",\"name\":\"both of driver\"},"                                           \
	"{\"id\":\"p/q\",\"name\":\"pq of driver\"}]},"                                            \
	"\"extensions\":[{\"name\":\"E0\",\"guid\":\"" G1 "\",\"rules\":["                         \
	"{\"id\":\"e\",\"name\":\"0 e\"},{\"id\":\"same\",\"name\":\"0 same\"},"                   \
	"{\"id\":\"both\",\"name\":\"0 both\"},{\"id\":\"p\",\"name\":\"0 p\"}]},"                 \
	"{\"name\":\"E\\u0031\",\"guid\":\"" G2 "\",\"rules\":["                                   \
	"{\"id\":\"f\",\"name\":\"1 f\"},{\"id\":\"same\",\"name\":\"1 same\"},"                   \
	"{\"id\":\"p/q/r\",\"name\":\"1 pqr\"},"                                                   \
	"{\"id\":\"u\",\"name\":\"by guid\","                                                      \
	"\"guid\":\"33333333-3333-1111-8888-ABCDEF333333\"},"                                      \
	"{\"name\":\"no id\"}]}]}}"

static const struct {
	const char *what, *run, *id, *index, *rule;
	const char *found_id, *title;
	const char *field, *message; /* of the fault; NULL: none */
} rules[] = {
    {"nothing", GOSEC, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"no rules at all", "{}", "\"A\"", "0", NULL, "A", NULL, NULL, NULL},
    {"by id", GOSEC, "\"G302\"", NULL, NULL, "G302", "1", NULL, NULL},
    {"by an escaped id", GOSEC, "\"G\\u0033\\u00302\"", NULL, NULL, "G302", "1", NULL, NULL},
    {"by index", GOSEC, NULL, "2", NULL, "G304", "2", NULL, NULL},
    {"by index and id", GOSEC, "\"G304\"", "2", NULL, "G304", "2", NULL, NULL},
    {"an index that contradicts", GOSEC, "\"G304\"", "1", NULL, "G304", "2", NULL, NULL},
    {"an index of an unknown id", GOSEC, "\"X\"", "1", NULL, "X", "1", NULL, NULL},
    {"by the reference's id", GOSEC, NULL, NULL, "{\"id\":\"G101\"}", "G101", "0", NULL, NULL},
    {"by the reference's index", GOSEC, NULL, "0", "{\"index\":1}", "G302", "1", NULL, NULL},
    {"both ids", GOSEC, "\"G101\"", NULL, "{\"id\":\"G\\u003101\"}", "G101", "0", NULL, NULL},
    {"two ids", GOSEC, "\"A1\"", NULL, "{\"id\":\"B2\"}", NULL, NULL, "rule.id",
     "want the ruleId \"A1\", have \"B2\""},
    {"index -1", GOSEC, NULL, "-1", NULL, NULL, NULL, NULL, NULL},
    {"index -1 with an id", GOSEC, "\"G101\"", "-1", NULL, "G101", "0", NULL, NULL},
    {"index -1 of the reference", GOSEC, NULL, "1", "{\"index\":-1}", "G302", "1", NULL, NULL},
    {"index 99", GOSEC, NULL, "99", NULL, NULL, NULL, "ruleIndex",
     "is 99, but the driver has 3 rules"},
    {"index 3", GOSEC, NULL, "3", NULL, NULL, NULL, "ruleIndex",
     "is 3, but the driver has 3 rules"},
    {"index 99 with an id", GOSEC, "\"G101\"", "99", NULL, "G101", "0", NULL, NULL},
    {"index 99 of the reference", GOSEC, NULL, NULL, "{\"index\":99}", NULL, NULL, "rule.index",
     "is 99, but the driver has 3 rules"},
    {"index -2", GOSEC, NULL, "-2", NULL, NULL, NULL, NULL, NULL},
    {"index -2 with an id", GOSEC, "\"G101\"", "-2", NULL, "G101", "0", NULL, NULL},
    {"an index beyond 64 bits", GOSEC, NULL, "18446744073709551616", NULL, NULL, NULL, "ruleIndex",
     "is 18446744073709551616, but the driver has 3 rules"},
    {"an index beyond 64 bits below 0", GOSEC, "\"G101\"", "-18446744073709551617", NULL, "G101",
     "0", NULL, NULL},
    {"a fraction", GOSEC, "\"G101\"", "0.50", NULL, NULL, NULL, "ruleIndex",
     "want an integer, have 0.50"},
    {"an exponent", GOSEC, "\"G101\"", NULL, "{\"index\":1e0}", NULL, NULL,
     "reportingDescriptorReference.index", "want an integer, have 1e0"},
    {"an index that is a string", GOSEC, "\"G101\"", NULL, "{\"index\":\"1\"}", NULL, NULL,
     "reportingDescriptorReference.index", "want a number, have a string"},
    {"a component that is none", GOSEC, "\"G101\"", NULL, "{\"toolComponent\":[]}", NULL, NULL,
     "reportingDescriptorReference.toolComponent", "want an object, have an array"},
    {"a name that is none", GOSEC, "\"G101\"", NULL, "{\"toolComponent\":{\"name\":1}}", NULL, NULL,
     "toolComponentReference.name", "want a string, have a number"},
    {"an empty id", GOSEC, "\"\"", "0", NULL, "G101", "0", NULL, NULL},
    {"empty ids", GOSEC, "\"\"", NULL, "{\"id\":\"\"}", NULL, NULL, NULL, NULL},
    /* prefixes */
    {"a prefix", PREFIX, "\"CA5350/md5\"", NULL, NULL, "CA5350/md5", "short", NULL, NULL},
    {"a prefix by index", PREFIX, "\"CA5350/md5\"", "0", NULL, "CA5350/md5", "short", NULL, NULL},
    {"a prefix not at a slash", PREFIX, "\"abc/defg\"", NULL, NULL, "abc/defg", NULL, NULL, NULL},
    {"not at a slash by index", PREFIX, "\"abc/defg\"", "1", NULL, "abc/defg", "def", NULL, NULL},
    {"a longer id than said", PREFIX, "\"abc\"", NULL, NULL, "abc", NULL, NULL, NULL},
    {"a longer id than said, by index", PREFIX, "\"abc\"", "1", NULL, "abc", "def", NULL, NULL},
    {"the longest", PREFIX, "\"a/b/c\"", NULL, NULL, "a/b/c", "b", NULL, NULL},
    {"the whole", PREFIX, "\"a/b/c/d\"", NULL, NULL, "a/b/c/d", "d", NULL, NULL},
    {"an index of a shorter one", PREFIX, "\"a/b/c/d\"", "2", NULL, "a/b/c/d", "a", NULL, NULL},
    {"a slash at the end", PREFIX, "\"a/\"", NULL, NULL, "a/", "a", NULL, NULL},
    {"slashes only", PREFIX, "\"//\"", NULL, NULL, "//", NULL, NULL, NULL},
    {"an id with a slash at its end", PREFIX, "\"x/\"", NULL, NULL, "x/", "slash", NULL, NULL},
    {"longer than eight bytes", PREFIX, "\"a/b/c/d/efghijklmnopqrstuvwxyz/0123456789\"", NULL, NULL,
     "a/b/c/d/efghijklmnopqrstuvwxyz/0123456789", "d", NULL, NULL},
    /* two of one id */
    {"the first of two", TWICE, "\"A\"", NULL, NULL, "A", "first", NULL, NULL},
    {"the second of two", TWICE, "\"A\"", "2", NULL, "A", "second", NULL, NULL},
    {"the first of two by another index", TWICE, "\"A\"", "0", NULL, "A", "first", NULL, NULL},
    /* extensions */
    {"in an extension by index", PACKS, "\"f\"", NULL,
     "{\"index\":0,\"toolComponent\":{\"index\":1}}", "f", "1 f", NULL, NULL},
    {"in an extension by id", PACKS, "\"f\"", NULL, NULL, "f", "1 f", NULL, NULL},
    {"in an extension without an id", PACKS, NULL, NULL,
     "{\"index\":1,\"toolComponent\":{\"index\":0}}", "same", "0 same", NULL, NULL},
    {"an index without a component", PACKS, "\"e\"", "0", NULL, "e", "0 e", NULL, NULL},
    {"the same id, the first extension", PACKS, "\"same\"", NULL, NULL, "same", "0 same", NULL,
     NULL},
    {"the same id, by guid", PACKS, "\"same\"", NULL, "{\"toolComponent\":{\"guid\":\"" G2 "\"}}",
     "same", "1 same", NULL, NULL},
    {"the same id, by guid of another case", PACKS, "\"same\"", NULL,
     "{\"toolComponent\":{\"guid\":\"22222222-2222-1111-8888-ABCDEF22222\\u0032\"}}", "same",
     "1 same", NULL, NULL},
    {"the same id, by name", PACKS, "\"same\"", NULL, "{\"toolComponent\":{\"name\":\"E1\"}}",
     "same", "1 same", NULL, NULL},
    {"a guid before a name", PACKS, "\"same\"", NULL,
     "{\"toolComponent\":{\"name\":\"E0\",\"guid\":\"" G2 "\"}}", "same", "1 same", NULL, NULL},
    {"an index before a guid", PACKS, "\"same\"", NULL,
     "{\"toolComponent\":{\"index\":0,\"guid\":\"" G2 "\"}}", "same", "0 same", NULL, NULL},
    {"an index that leads nowhere before a name", PACKS, "\"same\"", NULL,
     "{\"toolComponent\":{\"index\":2,\"name\":\"E1\"}}", "same", "1 same", NULL, NULL},
    {"an unknown guid before a name", PACKS, "\"same\"", NULL,
     "{\"toolComponent\":{\"guid\":\"x\",\"name\":\"E1\"}}", "same", "1 same", NULL, NULL},
    {"a component that is not there", PACKS, "\"same\"", NULL,
     "{\"toolComponent\":{\"name\":\"X\"}}", "same", "0 same", NULL, NULL},
    {"the driver before extensions", PACKS, "\"both\"", NULL, NULL, "both", "both of driver", NULL,
     NULL},
    {"an extension that is named", PACKS, "\"both\"", NULL, "{\"toolComponent\":{\"index\":0}}",
     "both", "0 both", NULL, NULL},
    {"not in the extension that is named", PACKS, "\"d\"", NULL,
     "{\"toolComponent\":{\"index\":0}}", "d", NULL, NULL, NULL},
    {"not in the driver that is named", PACKS, "\"e\"", NULL,
     "{\"toolComponent\":{\"name\":\"D\"}}", "e", NULL, NULL, NULL},
    {"in the driver that is named", PACKS, "\"both\"", NULL, "{\"toolComponent\":{\"name\":\"D\"}}",
     "both", "both of driver", NULL, NULL},
    {"the longest of all components", PACKS, "\"p/q/r/s\"", NULL, NULL, "p/q/r/s", "1 pqr", NULL,
     NULL},
    {"a shorter one in the extension that is named", PACKS, "\"p/q/r/s\"", NULL,
     "{\"toolComponent\":{\"index\":0}}", "p/q/r/s", "0 p", NULL, NULL},
    {"by guid", PACKS, NULL, NULL,
     "{\"guid\":\"33333333-3333-1111-8888-abcdef333333\",\"toolComponent\":{\"index\":1}}", "u",
     "by guid", NULL, NULL},
    {"by guid before an index", PACKS, "\"f\"", NULL,
     "{\"guid\":\"33333333-3333-1111-8888-abcdef333333\",\"index\":0,"
     "\"toolComponent\":{\"index\":1}}",
     "f", "by guid", NULL, NULL},
    {"an unknown guid", PACKS, "\"f\"", NULL, "{\"guid\":\"x\",\"toolComponent\":{\"index\":1}}",
     "f", "1 f", NULL, NULL},
    {"a rule without an id", PACKS, NULL, NULL, "{\"index\":4,\"toolComponent\":{\"index\":1}}",
     NULL, "no id", NULL, NULL},
    {"a rule without an id for another", PACKS, "\"q\"", NULL,
     "{\"index\":4,\"toolComponent\":{\"index\":1}}", "q", "no id", NULL, NULL},
    {"beyond an extension", PACKS, NULL, NULL, "{\"index\":5,\"toolComponent\":{\"index\":1}}",
     NULL, NULL, "rule.index", "is 5, but the extension has 5 rules"},
};

START_TEST(rule)
{
	struct rt_sarif_run run = run_make(rules[_i].run);
	struct rt_sarif_rule_says says = {slice(rules[_i].id), slice(rules[_i].index),
					  slice(rules[_i].rule)};
	struct rt_sarif_rule_found found;
	struct rt_sarif_fault fault;
	struct rt_buf room = {0};
	enum rt_status status = rt_sarif_rule_find(&run, &says, &room, &found, &fault);

	if (rules[_i].message) {
		ck_assert_msg(status == RT_REJECT, "%s: not refused", rules[_i].what);
		ck_assert_str_eq(fault.err.message, rules[_i].message);
		ck_assert_str_eq(fault.err.field, rules[_i].field);
		ck_assert_ptr_nonnull(fault.at);
	} else {
		ck_assert_msg(status == RT_OK, "%s: %s", rules[_i].what, fault.err.message);
		expect_slice(found.id, rules[_i].found_id, rules[_i].what);
		ck_assert_msg(!found.rule == !rules[_i].title, "%s: want %s", rules[_i].what,
			      rules[_i].title ? rules[_i].title : "no rule");
		if (found.rule)
			expect_slice(
			    rt_slice_make(found.rule->title.ptr + 1, found.rule->title.len - 2),
			    rules[_i].title, rules[_i].what);
		ck_assert_ptr_nonnull(found.component);
	}
	rt_buf_release(&room);
	rt_sarif_run_release(&run);
}
END_TEST

/* --- What a rule says ------------------------------------------------------------------------- */

static const struct {
	const char *what, *rule;
	const char *title, *explanation, *help, *level, *relationships, *tags;
} texts[] = {
    {"nothing", "{}", NULL, NULL, NULL, NULL, NULL, NULL},
    {"everything",
     "{\"properties\":{\"x\":1,\"tags\":[\"t\"]},\"relationships\":[{\"kinds\":[\"superset\"]}],"
     "\"defaultConfiguration\":{\"level\":\"n\\u006fte\",\"rank\":1},\"help\":{\"text\":\"h\","
     "\"markdown\":\"H\"},\"helpUri\":\"u\",\"fullDescription\":{\"text\":\"f\","
     "\"markdown\":\"F\"},\"shortDescription\":{\"text\":\"s\"},\"name\":\"n\"}",
     "\"s\"", "\"f\"", "\"h\"", "\"n\\u006fte\"", "[{\"kinds\":[\"superset\"]}]", "[\"t\"]"},
    {"what stands in for it",
     "{\"help\":{\"markdown\":\"H\"},\"helpUri\":\"u\",\"fullDescription\":{\"markdown\":\"F\"},"
     "\"shortDescription\":{\"markdown\":\"S\"},\"name\":\"n\"}",
     "\"n\"", "\"F\"", "\"H\"", NULL, NULL, NULL},
    {"empty texts",
     "{\"help\":{\"text\":\"\",\"markdown\":\"\"},\"helpUri\":\"u\",\"fullDescription\":{"
     "\"text\":\"\"},\"shortDescription\":{\"text\":\"\"},\"name\":\"\"}",
     NULL, NULL, "\"u\"", NULL, NULL, NULL},
};

START_TEST(rule_text)
{
	struct rt_sarif_rule_says says = {.rule_index = slice("0")};
	struct rt_sarif_rule_found found;
	struct rt_sarif_fault fault;
	struct rt_buf room = {0};
	struct rt_sarif_run run;
	char log[1000];

	(void)snprintf(log, sizeof(log), "{\"tool\":{\"driver\":{\"rules\":[%s]}}}",
		       texts[_i].rule);
	run = run_make(log);
	ck_assert_int_eq(rt_sarif_rule_find(&run, &says, &room, &found, &fault), RT_OK);
	expect_slice(found.rule->title, texts[_i].title, texts[_i].what);
	expect_slice(found.rule->explanation, texts[_i].explanation, texts[_i].what);
	expect_slice(found.rule->help, texts[_i].help, texts[_i].what);
	expect_slice(found.rule->level, texts[_i].level, texts[_i].what);
	expect_slice(found.rule->relationships, texts[_i].relationships, texts[_i].what);
	expect_slice(found.rule->properties[RT_SARIF_TAGS], texts[_i].tags, texts[_i].what);
	expect_slice(found.rule->properties[RT_SARIF_CWE], NULL, texts[_i].what);
	rt_buf_release(&room);
	rt_sarif_run_release(&run);
}
END_TEST

/* --- Taxa ------------------------------------------------------------------------------------- */

#define TAXONOMIES                                                                                 \
	"{\"taxonomies\":[{\"name\":\"OWASP\",\"taxa\":[{\"id\":\"A1\"}]},{\"name\":\"CWE\","      \
	"\"guid\":\"" G1 "\",\"taxa\":[{\"id\":\"79\"},{},{\"id\":\"\\u0038\\u0039\"}]}]}"

static const struct {
	const char *what, *reference;
	bool cwe;
	const char *id;
} taxa[] = {
    {"nothing", "{}", false, NULL},
    {"an id alone", "{\"id\":\"CWE-79\"}", false, "CWE-79"},
    {"an escaped id", "{\"id\":\"\\u0037\\u0039\"}", false, "79"},
    {"a name of no taxonomy here", "{\"id\":\"5\",\"toolComponent\":{\"name\":\"cwe\"}}", true,
     "5"},
    {"an escaped name", "{\"id\":\"5\",\"toolComponent\":{\"name\":\"\\u0043WE\"}}", true, "5"},
    {"another name", "{\"id\":\"5\",\"toolComponent\":{\"name\":\"CWES\"}}", false, "5"},
    {"a name that begins like it", "{\"id\":\"5\",\"toolComponent\":{\"name\":\"CWX\"}}", false,
     "5"},
    {"another of that length", "{\"id\":\"5\",\"toolComponent\":{\"name\":\"CVE\"}}", false, "5"},
    {"one that ends like it", "{\"id\":\"5\",\"toolComponent\":{\"name\":\"SWE\"}}", false, "5"},
    {"a taxonomy by index", "{\"id\":\"5\",\"toolComponent\":{\"index\":1}}", true, "5"},
    {"another by index", "{\"id\":\"5\",\"toolComponent\":{\"index\":0}}", false, "5"},
    {"none by index", "{\"id\":\"5\",\"toolComponent\":{\"index\":2}}", false, "5"},
    {"a taxonomy by guid",
     "{\"id\":\"5\",\"toolComponent\":{\"guid\":\"11111111-1111-1111-8888-abcdef111111\"}}", true,
     "5"},
    {"a taxon by index", "{\"index\":0,\"toolComponent\":{\"index\":1}}", true, "79"},
    {"a taxon by index and name", "{\"index\":2,\"toolComponent\":{\"name\":\"CWE\"}}", true, "89"},
    {"a taxon without an id", "{\"index\":1,\"toolComponent\":{\"index\":1}}", true, NULL},
    {"no such taxon", "{\"index\":3,\"toolComponent\":{\"index\":1}}", true, NULL},
    {"a taxon by index -1", "{\"index\":-1,\"toolComponent\":{\"index\":1}}", true, NULL},
    {"its own id before an index", "{\"id\":\"5\",\"index\":0,\"toolComponent\":{\"index\":1}}",
     true, "5"},
    {"a name before an index", "{\"index\":0,\"toolComponent\":{\"index\":1,\"name\":\"X\"}}",
     false, "79"},
};

START_TEST(taxon)
{
	struct rt_sarif_run run = run_make(TAXONOMIES);
	struct rt_sarif_fault fault;
	struct rt_buf room = {0};
	struct rt_slice id;
	bool cwe;

	ck_assert_int_eq(rt_sarif_taxon(&run, slice(taxa[_i].reference), &room, &cwe, &id, &fault),
			 RT_OK);
	ck_assert_msg(cwe == taxa[_i].cwe, "%s", taxa[_i].what);
	expect_slice(id, taxa[_i].id, taxa[_i].what);
	rt_buf_release(&room);
	rt_sarif_run_release(&run);
}
END_TEST

/* --- Many ------------------------------------------------------------------------------------- */

#define MANY 1000000u

static void append(struct rt_buf *text, const char *piece)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(text, piece, strlen(piece), &err), RT_OK);
}

/* A million rules, half of them in an extension; each is found. */
START_TEST(many)
{
	struct rt_buf text = {0}, room = {0};
	struct rt_sarif_rule_found found;
	struct rt_sarif_fault fault;
	struct rt_sarif_run run;
	char piece[80];

	append(&text, "{\"tool\":{\"driver\":{\"rules\":[");
	for (unsigned i = 0; i < MANY; i++) {
		(void)snprintf(piece, sizeof(piece), "%s{\"id\":\"r/%u\"}",
			       i == MANY / 2 ? "]},\"extensions\":[{\"rules\":["
			       : i           ? ","
					     : "",
			       i);
		append(&text, piece);
	}
	append(&text, "]}]}}");
	ck_assert_int_eq(rt_buf_append(&text, "", 1, &fault.err), RT_OK);
	run = run_make(text.data);
	ck_assert_uint_le(rt_sarif_run_bytes(&run), 256u << 20);
	for (unsigned i = 0; i < MANY; i++) {
		struct rt_sarif_rule_says says = {.rule_id = {piece, 0}};

		says.rule_id.len = (size_t)snprintf(piece, sizeof(piece), "\"r/%u/x\"", i);
		ck_assert_int_eq(rt_sarif_rule_find(&run, &says, &room, &found, &fault), RT_OK);
		ck_assert_ptr_nonnull(found.rule);
		ck_assert_uint_eq(found.rule->id.len + 4, says.rule_id.len);
		ck_assert_int_eq(memcmp(found.rule->id.ptr, piece + 1, found.rule->id.len), 0);
	}
	rt_buf_release(&text);
	rt_buf_release(&room);
	rt_sarif_run_release(&run);
}
END_TEST

/* Rules that are all prefixes of one long id, and the id: no prefix is compared with it. */
START_TEST(slashes)
{
	static const unsigned deep = 4000;
	struct rt_buf text = {0}, room = {0}, id = {0};
	struct rt_sarif_rule_found found;
	struct rt_sarif_fault fault;
	struct rt_sarif_run run;

	append(&text, "{\"tool\":{\"driver\":{\"rules\":[");
	append(&id, "\"x");
	for (unsigned i = 0; i < deep; i++) {
		append(&text, i ? ",{\"id\":" : "{\"id\":");
		ck_assert_int_eq(rt_buf_append(&text, id.data, id.len, &fault.err), RT_OK);
		append(&text, "\"}");
		append(&id, "/y");
	}
	append(&text, "]}}}");
	append(&id, "\"");
	ck_assert_int_eq(rt_buf_append(&text, "", 1, &fault.err), RT_OK);
	run = run_make(text.data);
	for (unsigned i = 0; i < 1000; i++) {
		struct rt_sarif_rule_says says = {.rule_id = rt_buf_slice(&id)};

		ck_assert_int_eq(rt_sarif_rule_find(&run, &says, &room, &found, &fault), RT_OK);
		ck_assert_uint_eq(found.rule->id.len, 1 + 2 * (deep - 1));
	}
	rt_buf_release(&text);
	rt_buf_release(&room);
	rt_buf_release(&id);
	rt_sarif_run_release(&run);
}
END_TEST

/* A name that many components have takes as many slots, all over the table and not in a row. */
START_TEST(one_name)
{
	enum { OWNERS = 20000 };
	struct rt_sarif_memory memory = {.most = UINT64_MAX};
	struct rt_sarif_names names = {.slots = NULL};
	struct rt_sarif_fault fault;
	size_t row = 0, longest = 0;
	uint32_t number;
	bool added;

	ck_assert_int_eq(rt_siphash_key_init(&names.key, &fault.err), RT_OK);
	for (uint32_t owner = 0; owner < OWNERS; owner++) {
		ck_assert_int_eq(rt_sarif_names_add(&names, RT_SARIF_N_RULE, owner, RT_SLICE("R"),
						    owner, &added, &memory, &fault),
				 RT_OK);
		ck_assert(added);
	}
	for (size_t i = 0; i < names.cap; i++) {
		row = names.slots[i].low ? row + 1 : 0;
		longest = row > longest ? row : longest;
	}
	ck_assert_uint_lt(longest, OWNERS / 10);
	for (uint32_t owner = 0; owner < OWNERS; owner++) {
		ck_assert(
		    rt_sarif_names_find(&names, RT_SARIF_N_RULE, owner, RT_SLICE("R"), &number));
		ck_assert_uint_eq(number, owner);
	}
	ck_assert(!rt_sarif_names_find(&names, RT_SARIF_N_MESSAGE, 1, RT_SLICE("R"), &number));
	rt_sarif_names_release(&names);
	rt_sarif_memory_release(&memory);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_rule");
	TCase *tests = tcase_create("rules");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, rule, 0, ROWS(rules));
	tcase_add_loop_test(tests, rule_text, 0, ROWS(texts));
	tcase_add_loop_test(tests, taxon, 0, ROWS(taxa));
	tcase_add_test(tests, many);
	tcase_add_test(tests, slashes);
	tcase_add_test(tests, one_name);
	suite_add_tcase(suite, tests);
	return suite;
}

RT_UNIT_MAIN(suite_make)
