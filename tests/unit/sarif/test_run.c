/*
 * What is known of a run: its facts, what is refused in its tables, and their bounds (SARIF.md S5
 * to S8, S20, S23, S35, S37).
 */
#include "sarif_run_make.h"

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

/* --- Facts ------------------------------------------------------------------------------------ */

static const struct {
	const char *what, *run;
	const char *driver, *model, *category, *scan_id;
} facts[] = {
    {"nothing", "{}", NULL, NULL, "", "\"-0\""},
    {"a name", "{\"tool\":{\"driver\":{\"name\":\"T\"}}}", "T", "\"T\"", "", "\"T-0\""},
    {"no driver", "{\"tool\":{}}", NULL, NULL, "", "\"-0\""},
    {"a null tool", "{\"tool\":null}", NULL, NULL, "", "\"-0\""},
    {"an empty name", "{\"tool\":{\"driver\":{\"name\":\"\",\"version\":\"1\"}}}", "", NULL, "",
     "\"-0\""},
    {"a version",
     "{\"tool\":{\"driver\":{\"version\":\"2\",\"dottedQuadFileVersion\":\"3\",\"name\":\"T\"}}}",
     "T", "\"T 2\"", "", "\"T-0\""},
    {"a semantic version",
     "{\"tool\":{\"driver\":{\"version\":\"2\",\"semanticVersion\":\"1\",\"name\":\"T\"}}}", "T",
     "\"T 1\"", "", "\"T-0\""},
    {"four numbers",
     "{\"tool\":{\"driver\":{\"semanticVersion\":\"\",\"dottedQuadFileVersion\":\"1.2.3.4\","
     "\"version\":null,\"name\":\"T\"}}}",
     "T", "\"T 1.2.3.4\"", "", "\"T-0\""},
    {"a version without a name", "{\"tool\":{\"driver\":{\"version\":\"2\"}}}", NULL, NULL, "",
     "\"-0\""},
    {"one spelling",
     "{\"tool\":{\"driver\":{\"name\":\"\\u0054\\u00e4\\/\\u0007\",\"version\":\"\\u0085\"}}}",
     "T\xC3\xA4/\a", "\"T\xC3\xA4/\\u0007 \\u0085\"", "", "\"T\xC3\xA4/\\u0007-0\""},
    {"an id", "{\"automationDetails\":{\"id\":\"ci/py/1\",\"guid\":\"g\"}}", NULL, NULL, "ci/py",
     "\"ci/py/1\""},
    {"an id that ends in a slash", "{\"automationDetails\":{\"id\":\"ci\\/py/\"}}", NULL, NULL,
     "ci/py", "\"ci/py/\""},
    {"an id without a slash", "{\"automationDetails\":{\"id\":\"ci\"}}", NULL, NULL, "", "\"ci\""},
    {"an empty id", "{\"automationDetails\":{\"id\":\"\",\"guid\":\"g/x\"}}", NULL, NULL, "",
     "\"g/x\""},
    {"a start",
     "{\"invocations\":[{\"executionSuccessful\":true,\"startTimeUtc\":\"1\"},"
     "{\"executionSuccessful\":true,\"startTimeUtc\":\"\\u0032\"}],\"tool\":{\"driver\":{"
     "\"name\":\"T\"}}}",
     "T", "\"T\"", "", "\"T/2\""},
    {"no start in the last",
     "{\"invocations\":[{\"executionSuccessful\":true,\"startTimeUtc\":\"1\"},"
     "{\"executionSuccessful\":true}],\"tool\":{\"driver\":{\"name\":\"T\"}}}",
     "T", "\"T\"", "", "\"T-0\""},
};

START_TEST(fact)
{
	struct rt_sarif_run run = run_make(facts[_i].run);

	expect_slice(run.driver, facts[_i].driver, facts[_i].what);
	expect_slice(run.model, facts[_i].model, facts[_i].what);
	expect_slice(run.category, facts[_i].category, facts[_i].what);
	expect_slice(run.scan_id, facts[_i].scan_id, facts[_i].what);
	rt_sarif_run_release(&run);
}
END_TEST

static const struct {
	const char *invocations;
	size_t count;
	bool failed, throughout;
} successes[] = {
    {"[]", 0, false, false},
    {"[{}]", 1, false, false},
    {"[{\"executionSuccessful\":null}]", 1, false, false},
    {"[{\"executionSuccessful\":true}]", 1, false, false},
    {"[{\"executionSuccessful\":false}]", 1, true, true},
    {"[{\"executionSuccessful\":false},{\"executionSuccessful\":true}]", 2, true, false},
    {"[{\"executionSuccessful\":false},{}]", 2, true, false},
    {"[{\"executionSuccessful\":false},{\"executionSuccessful\":false}]", 2, true, true},
};

START_TEST(success)
{
	struct rt_sarif_run run;
	char text[300];

	(void)snprintf(text, sizeof(text), "{\"invocations\":%s}", successes[_i].invocations);
	run = run_make(text);
	ck_assert_uint_eq(run.invocation_count, successes[_i].count);
	ck_assert_int_eq(run.failed, successes[_i].failed);
	ck_assert_int_eq(run.failed_throughout, successes[_i].throughout);
	rt_sarif_run_release(&run);
}
END_TEST

START_TEST(invocation)
{
	struct rt_sarif_run run =
	    run_make("{\"invocations\":[{\"startTimeUtc\":\"a\\n\",\"endTimeUtc\":\"b\"},{}]}");

	expect_slice(run.invocations[0].start, "\"a\\n\"", "start");
	expect_slice(run.invocations[0].end, "\"b\"", "end");
	expect_slice(run.invocations[1].start, NULL, "no start");
	rt_sarif_run_release(&run);
}
END_TEST

/* What comes after the end of a run is known after the next one. */
START_TEST(end_again)
{
	struct rt_sarif_run run = run_make("{\"tool\":{\"driver\":{\"name\":\"T\"}}}");
	struct rt_sarif_notes notes = {.levels = ""};
	struct rt_sarif_fault fault;
	enum rt_sarif_table table;

	expect_slice(run.scan_id, "\"T-0\"", "before");
	ck_assert_int_eq(
	    rt_sarif_run_take(&run, RT_SARIF_AUTOMATION, slice("{\"id\":\"a/b\"}"), &notes, &fault),
	    RT_OK);
	ck_assert_int_eq(rt_sarif_run_end(&run, &table, &fault), RT_OK);
	expect_slice(run.scan_id, "\"a/b\"", "after");
	expect_slice(run.category, "a", "after");
	rt_sarif_run_release(&run);
}
END_TEST

/* Members in any order, with an end after each: what the last end leaves is that of one end. */
START_TEST(end_often)
{
	static const char *const members[] = {
	    "{\"tool\":{\"driver\":{\"name\":\"T\",\"rules\":[{\"id\":\"A\"}]}}}",
	    "{\"invocations\":[{\"startTimeUtc\":\"1\",\"endTimeUtc\":\"2\",\"workingDirectory\":{"
	    "\"index\":0},\"ruleConfigurationOverrides\":[{\"descriptor\":{\"id\":\"A\"},"
	    "\"configuration\":{\"level\":\"note\"}}]}]}",
	    "{\"originalUriBaseIds\":{\"B\":{\"uri\":\"fi\\u006ce:\\u002f//b/"
	    "\"},\"C\":{\"uri\":\"c/"
	    "\","
	    "\"uriBaseId\":\"B\"}}}",
	    "{\"artifacts\":[{\"location\":{\"uri\":\"w/\",\"uriBaseId\":\"C\"}}],"
	    "\"versionControlProvenance\":[{\"repositoryUri\":\"x\"},{\"repositoryUri\":\"r0\","
	    "\"mappedTo\":{\"uri\":\"m\",\"uriBaseId\":\"C\"}},"
	    "{\"repositoryUri\":\"r1\",\"mappedTo\":{\"uri\":\"file:///b/c/m/\"}}]}",
	};
	struct rt_sarif_rule_says says = {.rule_id = slice("\"A\"")};
	struct rt_sarif_rule_found found;
	struct rt_sarif_notes notes;
	struct rt_sarif_fault fault;
	struct rt_sarif_run run;
	struct rt_buf out = {0};
	struct rt_slice name;
	bool any;
	long at;

	ck_assert_int_eq(rt_sarif_run_init(&run, 0, &fault.err), RT_OK);
	/* Row by row another of the 24 orders. */
	for (unsigned left = 4, order = (unsigned)_i, taken = 0; left; order /= left--) {
		unsigned which = 0, skip = order % left;

		while (taken & 1u << which || skip--)
			which++;
		while (taken & 1u << which)
			which++;
		taken |= 1u << which;
		/* A working directory may wait for its artifact. */
		(void)run_try(&run, slice(members[which]), &notes, &fault, &at);
	}
	ck_assert_int_eq(run_try(&run, slice("{}"), &notes, &fault, &at), RT_OK);
	expect_slice(run.scan_id, "\"T/1\"", "scan_id");
	expect_slice(run.invocations[0].end, "\"2\"", "end");
	ck_assert_int_eq(rt_sarif_rule_find(&run, &says, &out, &found, &fault), RT_OK);
	expect_slice(rt_sarif_override(&run, 0, found.rule), "\"note\"", "override");
	out.len = 0;
	ck_assert_int_eq(
	    rt_sarif_path(&run, slice("{\"uri\":\"file:///b/c/w/x\"}"), &out, &any, &fault), RT_OK);
	expect_slice(rt_buf_slice(&out), "x", "below the working directory");
	out.len = 0;
	ck_assert_int_eq(
	    rt_sarif_path(&run, slice("{\"uri\":\"file:///b/x\"}"), &out, &any, &fault), RT_OK);
	expect_slice(rt_buf_slice(&out), "x", "below a base");
	ck_assert_int_eq(
	    rt_sarif_repository(&run, slice("{\"uri\":\"file:///b/c/m/x\"}"), &name, &fault),
	    RT_OK);
	expect_slice(name, "\"r0\"", "the first repository");
	rt_buf_release(&out);
	rt_sarif_run_release(&run);
}
END_TEST

/* --- Overrides -------------------------------------------------------------------------------- */

#define RULES "\"tool\":{\"driver\":{\"rules\":[{\"id\":\"A\"},{\"id\":\"B\"},{\"id\":\"C\"}]}}"
#define OVERRIDE(descriptor, level)                                                                \
	"{\"descriptor\":" descriptor ",\"configuration\":{\"level\":\"" level "\"}}"

static const struct {
	const char *what, *overrides; /* of the first of two invocations */
	const char *levels[3];
} overrides[] = {
    {"none", "[]", {NULL, NULL, NULL}},
    {"by id", "[" OVERRIDE("{\"id\":\"B\"}", "error") "]", {NULL, "\"error\"", NULL}},
    {"by index", "[" OVERRIDE("{\"index\":2}", "none") "]", {NULL, NULL, "\"none\""}},
    {"the first of two",
     "[" OVERRIDE("{\"index\":0}", "note") "," OVERRIDE("{\"id\":\"A\"}", "error") "]",
     {"\"note\"", NULL, NULL}},
    {"by prefix", "[" OVERRIDE("{\"id\":\"C/x\"}", "warning") "]", {NULL, NULL, "\"warning\""}},
    {"no such rule", "[" OVERRIDE("{\"id\":\"X\"}", "error") "]", {NULL, NULL, NULL}},
    {"an index that leads nowhere", "[" OVERRIDE("{\"index\":9}", "error") "]", {NULL, NULL, NULL}},
    {"without a level",
     "[{\"descriptor\":{\"id\":\"A\"},\"configuration\":{\"enabled\":true}}]",
     {NULL, NULL, NULL}},
    {"without a descriptor", "[{\"configuration\":{\"level\":\"error\"}}]", {NULL, NULL, NULL}},
};

START_TEST(override)
{
	struct rt_sarif_rule_says says = {.rule_id = slice("\"A\"")};
	struct rt_sarif_rule_found found;
	struct rt_sarif_fault fault;
	struct rt_buf room = {0};
	struct rt_sarif_run run;
	char text[600];

	(void)snprintf(text, sizeof(text),
		       "{\"invocations\":[{\"ruleConfigurationOverrides\":%s},{}]," RULES "}",
		       overrides[_i].overrides);
	run = run_make(text);
	ck_assert_int_eq(rt_sarif_rule_find(&run, &says, &room, &found, &fault), RT_OK);
	for (size_t i = 0; i < 3; i++) {
		expect_slice(rt_sarif_override(&run, 0, found.rule + i), overrides[_i].levels[i],
			     overrides[_i].what);
		expect_slice(rt_sarif_override(&run, 1, found.rule + i), NULL, overrides[_i].what);
	}
	expect_slice(rt_sarif_override(&run, 0, NULL), NULL, overrides[_i].what);
	rt_buf_release(&room);
	rt_sarif_run_release(&run);
}
END_TEST

/* --- Refused ---------------------------------------------------------------------------------- */

#define DRIVER(members) "{\"tool\":{\"driver\":{" members "}}}"
#define RULE(members) DRIVER("\"rules\":[{" members "}]")

static const struct {
	const char *what, *run;
	const char *field, *message;
	const char *at; /* where the text starts that it is about */
} faults[] = {
    {"no tool", "{\"tool\":[]}", "tool", "want an object, have an array", "[]"},
    {"no driver", "{\"tool\":{\"driver\":1}}", "tool.driver", "want an object, have a number",
     "1}}"},
    {"no extensions", "{\"tool\":{\"extensions\":{}}}", "tool.extensions",
     "want an array, have an object", "{}}}"},
    {"a null extension", "{\"tool\":{\"extensions\":[{},null]}}", "tool.extensions",
     "want an object, have null", "null]"},
    {"a driver twice", "{\"tool\":{\"driver\":null,\"driver\":{}}}", "tool.driver",
     "want a member that stands once in its object, have it a second time", "\"driver\":{}"},
    {"a name that is none", DRIVER("\"name\":{}"), "toolComponent.name",
     "want a string, have an object", "{}}}}"},
    {"rules that are none", DRIVER("\"rules\":\"r\""), "toolComponent.rules",
     "want an array, have a string", "\"r\""},
    {"a rule that is none", DRIVER("\"rules\":[{},7]"), "toolComponent.rules",
     "want an object, have a number", "7]"},
    {"an id that is a number", RULE("\"id\":79"), "reportingDescriptor.id",
     "want a string, have a number", "79}"},
    {"a title that is none", RULE("\"shortDescription\":{\"text\":true}"),
     "multiformatMessageString.text", "want a string, have a boolean", "true"},
    {"a description that is a string", RULE("\"fullDescription\":\"x\""),
     "reportingDescriptor.fullDescription", "want an object, have a string", "\"x\""},
    {"markdown that is none", RULE("\"help\":{\"markdown\":[]}"),
     "multiformatMessageString.markdown", "want a string, have an array", "[]}"},
    {"a level that is none", RULE("\"defaultConfiguration\":{\"level\":7}"),
     "reportingConfiguration.level", "want a string, have a number", "7}"},
    {"relationships that are none", RULE("\"relationships\":[{},1]"),
     "reportingDescriptor.relationships", "want an object, have a number", "1]"},
    {"a target that is none", RULE("\"relationships\":[{\"target\":{\"id\":4}}]"),
     "reportingDescriptorReference.id", "want a string, have a number", "4}"},
    {"a kind that is none", RULE("\"relationships\":[{\"kinds\":[\"a\",null]}]"),
     "relationship.kinds", "want a string, have null", "null]"},
    {"a property twice", RULE("\"properties\":{\"tags\":1,\"t\\u0061gs\":2}"), "tags",
     "want a member that stands once in its object, have it a second time", "\"t\\u0061gs\""},
    {"a message that is none", RULE("\"messageStrings\":{\"a\":\"x\"}"), "multiformatMessageString",
     "want an object, have a string", "\"x\""},
    {"a message twice", RULE("\"messageStrings\":{\"a\":{},\"\\u0061\":{}}"), "messageStrings",
     "want a message that stands once in its object, have it a second time", "\"\\u0061\""},
    {"a message twice, once null", RULE("\"messageStrings\":{\"b\":null,\"b\":{}}"),
     "messageStrings", "want a message that stands once in its object, have it a second time",
     "\"b\":{}"},
    {"a global message twice", DRIVER("\"globalMessageStrings\":{\"a\":{},\"a\":{\"text\":\"x\"}}"),
     "messageStrings", "want a message that stands once in its object, have it a second time",
     "\"a\":{\"text\""},
    {"a taxon that is none", "{\"taxonomies\":[{\"taxa\":[{},[]]}]}", "toolComponent.taxa",
     "want an object, have an array", "[]]"},
    {"taxonomies that are none", "{\"taxonomies\":{}}", "taxonomies",
     "want an array, have an object", "{}}"},
    {"artifacts that are none", "{\"artifacts\":7}", "artifacts", "want an array, have a number",
     "7}"},
    {"an artifact that is none", "{\"artifacts\":[{},null]}", "artifacts",
     "want an object, have null", "null]"},
    {"a location that is none", "{\"artifacts\":[{\"location\":\"x\"}]}", "artifact.location",
     "want an object, have a string", "\"x\""},
    {"an index that is none", "{\"artifacts\":[{\"location\":{\"index\":1.5}}]}",
     "artifactLocation.index", "want an integer, have 1.5", "1.5"},
    {"invocations that are none", "{\"invocations\":{}}", "invocations",
     "want an array, have an object", "{}}"},
    {"success that is a word", "{\"invocations\":[{\"executionSuccessful\":\"no\"}]}",
     "invocation.executionSuccessful", "want a boolean, have a string", "\"no\""},
    {"an override that is none", "{\"invocations\":[{\"ruleConfigurationOverrides\":[1]}]}",
     "invocation.ruleConfigurationOverrides", "want an object, have a number", "1]"},
    {"an override with a level that is none",
     "{\"invocations\":[{\"ruleConfigurationOverrides\":[{\"configuration\":{\"level\":7}}]}]}",
     "reportingConfiguration.level", "want a string, have a number", "7}"},
    {"a working directory that is none", "{\"invocations\":[{},{\"workingDirectory\":\"/\"}]}",
     "invocation.workingDirectory", "want an object, have a string", "\"/\""},
    {"an id of a number", "{\"automationDetails\":{\"id\":1}}", "automationDetails.id",
     "want a string, have a number", "1}"},
    {"provenance that is none", "{\"versionControlProvenance\":{}}", "versionControlProvenance",
     "want an array, have an object", "{}}"},
    {"an address that is none", "{\"versionControlProvenance\":[{\"repositoryUri\":1}]}",
     "versionControlDetails.repositoryUri", "want a string, have a number", "1}"},
    {"a place that is none", "{\"versionControlProvenance\":[{\"mappedTo\":{\"uri\":1}}]}",
     "artifactLocation.uri", "want a string, have a number", "1}"},
    {"a place that is no artifact", "{\"versionControlProvenance\":[{\"mappedTo\":{\"index\":5}}]}",
     "artifactLocation.index", "want less than 0, have 5", NULL},
    {"a directory that is no artifact", "{\"invocations\":[{\"workingDirectory\":{\"index\":5}}]}",
     "artifactLocation.index", "want less than 0, have 5", NULL},
    /* S8 */
    {"results elsewhere",
     "{\"externalPropertyFileReferences\":{\"results\":[{\"location\":{\"uri\":\"r.sarif-external-"
     "properties\"}}]}}",
     "externalPropertyFileReferences",
     "want results in the log itself, have them in \"r.sarif-external-properties\"",
     "{\"location\""},
    {"a driver elsewhere", "{\"externalPropertyFileReferences\":{\"driver\":{\"guid\":\"g\"}}}",
     "externalPropertyFileReferences", "want rules in the log itself, have them in another file",
     "{\"guid\""},
    {"an extension elsewhere", "{\"externalPropertyFileReferences\":{\"extensions\":[{}]}}",
     "externalPropertyFileReferences", "want rules in the log itself, have them in another file",
     "{}]"},
    {"artifacts elsewhere", "{\"externalPropertyFileReferences\":{\"artifacts\":[{}]}}",
     "externalPropertyFileReferences",
     "want artifacts in the log itself, have them in another file", "{}]"},
    {"invocations elsewhere", "{\"externalPropertyFileReferences\":{\"\\u0069nvocations\":[{}]}}",
     "externalPropertyFileReferences",
     "want invocations in the log itself, have them in another file", "{}]"},
    {"references that are none", "{\"externalPropertyFileReferences\":[]}",
     "externalPropertyFileReferences", "want an object, have an array", "[]"},
    {"results that are one", "{\"externalPropertyFileReferences\":{\"results\":{}}}",
     "externalPropertyFileReferences", "want an array, have an object", "{}}"},
};

START_TEST(refused)
{
	const char *run_text = faults[_i].run;
	struct rt_sarif_notes notes;
	struct rt_sarif_fault fault;
	struct rt_sarif_run run;
	long at = 0, want = -1;

	if (faults[_i].at)
		want = strstr(run_text, faults[_i].at) - run_text;
	ck_assert_int_eq(rt_sarif_run_init(&run, 0, &fault.err), RT_OK);
	ck_assert_msg(run_try(&run, slice(run_text), &notes, &fault, &at) == RT_REJECT,
		      "%s: not refused", faults[_i].what);
	ck_assert_str_eq(fault.err.message, faults[_i].message);
	ck_assert_str_eq(fault.err.field, faults[_i].field);
	ck_assert_int_eq(fault.err.code, RT_E_INPUT);
	ck_assert_msg(at == want, "%s: want it at %ld, have %ld", faults[_i].what, want, at);
	rt_sarif_run_release(&run);
}
END_TEST

/* --- Taken ------------------------------------------------------------------------------------ */

static const struct {
	const char *what, *run;
	uint64_t external; /* references that are ignored */
} taken[] = {
    {"members that are not read",
     "{\"tool\":{\"driver\":{\"rules\":[{\"deprecatedIds\":7,"
     "\"messageStrings\":null,\"properties\":{\"precision\":[]}}],"
     "\"taxa\":null,\"organization\":[]},\"x\":1,\"x\":2}}",
     0},
    {"a null message", RULE("\"messageStrings\":{\"a\":null,\"b\":{\"text\":\"x\"}}"), 0},
    {"a null base", "{\"originalUriBaseIds\":{\"A\":null}}", 0},
    {"two rules of one id", DRIVER("\"rules\":[{\"id\":\"a\"},{\"id\":\"a\"}]"), 0},
    {"empty references", "{\"externalPropertyFileReferences\":{\"results\":[],\"driver\":null}}",
     0},
    {"references to other things",
     "{\"externalPropertyFileReferences\":{\"taxonomies\":[{},{}],\"graphs\":[],"
     "\"conversion\":{\"guid\":\"g\"},\"policies\":null}}",
     3},
};

START_TEST(take)
{
	struct rt_sarif_notes notes;
	struct rt_sarif_fault fault;
	struct rt_sarif_run run;
	long at;

	ck_assert_int_eq(rt_sarif_run_init(&run, 0, &fault.err), RT_OK);
	ck_assert_msg(run_try(&run, slice(taken[_i].run), &notes, &fault, &at) == RT_OK, "%s: %s",
		      taken[_i].what, fault.err.message);
	ck_assert_uint_eq(notes.counts[RT_SARIF_NOTE_EXTERNAL], taken[_i].external);
	rt_sarif_run_release(&run);
}
END_TEST

START_TEST(table_names)
{
	ck_assert_int_eq(rt_sarif_run_table(slice("tool")), RT_SARIF_TOOL);
	ck_assert_int_eq(rt_sarif_run_table(slice("t\\u006fol")), RT_SARIF_TOOL);
	ck_assert_int_eq(rt_sarif_run_table(slice("results")), RT_SARIF_TABLE_COUNT);
	ck_assert_int_eq(rt_sarif_run_table(slice("")), RT_SARIF_TABLE_COUNT);
}
END_TEST

/* --- Bounds ----------------------------------------------------------------------------------- */

/* before, piece again and again, after. To be released. */
static struct rt_buf repeat(const char *before, const char *piece, size_t count, const char *after)
{
	struct rt_buf text = {0};
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&text, before, strlen(before), &err), RT_OK);
	for (size_t i = 0; i < count; i++) {
		ck_assert_int_eq(rt_buf_append(&text, ",", i > 0, &err), RT_OK);
		ck_assert_int_eq(rt_buf_append(&text, piece, strlen(piece), &err), RT_OK);
	}
	ck_assert_int_eq(rt_buf_append(&text, after, strlen(after), &err), RT_OK);
	return text;
}

static const struct {
	const char *what, *before, *piece, *after;
} large[] = {
    {"rules", "{\"tool\":{\"driver\":{\"rules\":[", "{}", "]}}}"},
    {"properties", "{\"tool\":{\"driver\":{\"rules\":[", "{\"properties\":{\"tags\":[]}}", "]}}}"},
    {"extensions", "{\"tool\":{\"extensions\":[", "{}", "]}}"},
    {"taxonomies", "{\"taxonomies\":[", "{}", "]}"},
    {"taxa", "{\"taxonomies\":[{\"taxa\":[", "{}", "]}]}"},
    {"escaped ids", "{\"taxonomies\":[{\"taxa\":[", "{\"id\":\"\\u0061\"}", "]}]}"},
    {"artifacts", "{\"artifacts\":[", "{}", "]}"},
    {"invocations", "{\"invocations\":[", "{}", "]}"},
    {"overrides", "{\"invocations\":[{\"ruleConfigurationOverrides\":[", "{}", "]}]}"},
    {"provenance", "{\"versionControlProvenance\":[", "{}", "]}"},
};

/* Much out of little: refused before it is there, whatever the limit. */
START_TEST(limit)
{
	struct rt_buf text = repeat(large[_i].before, large[_i].piece, 20000, large[_i].after);
	uint64_t whole;

	{
		struct rt_sarif_run run = run_make(
		    rt_buf_append(&text, "", 1, &(struct rt_error){0}) == RT_OK ? text.data : "");

		whole = rt_sarif_run_bytes(&run);
		ck_assert_uint_gt(whole, text.len);
		rt_sarif_run_release(&run);
	}
	for (uint64_t most = 0; most < whole; most += whole / 50) {
		struct rt_sarif_notes notes;
		struct rt_sarif_fault fault;
		struct rt_sarif_run run;
		long at = 0;

		ck_assert_int_eq(rt_sarif_run_init(&run, 0, &fault.err), RT_OK);
		run.table_bytes = most;
		ck_assert_msg(run_try(&run, rt_slice_make(text.data, text.len - 1), &notes, &fault,
				      &at) == RT_REJECT,
			      "%s: %llu of %llu bytes", large[_i].what, (unsigned long long)most,
			      (unsigned long long)whole);
		ck_assert_int_eq(fault.err.code, RT_E_LIMIT);
		ck_assert_str_eq(fault.err.message, "want less text of rules and artifacts, have "
						    "more bytes than the limit \"metadata\"");
		ck_assert_int_eq(at, -1);
		ck_assert_uint_le(rt_sarif_run_bytes(&run), most + 8192);
		rt_sarif_run_release(&run);
	}
	rt_buf_release(&text);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_run");
	TCase *tests = tcase_create("runs");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, fact, 0, ROWS(facts));
	tcase_add_loop_test(tests, success, 0, ROWS(successes));
	tcase_add_test(tests, invocation);
	tcase_add_test(tests, end_again);
	tcase_add_loop_test(tests, end_often, 0, 24);
	tcase_add_loop_test(tests, override, 0, ROWS(overrides));
	tcase_add_loop_test(tests, refused, 0, ROWS(faults));
	tcase_add_loop_test(tests, take, 0, ROWS(taken));
	tcase_add_test(tests, table_names);
	tcase_add_loop_test(tests, limit, 0, ROWS(large));
	suite_add_tcase(suite, tests);
	return suite;
}

RT_UNIT_MAIN(suite_make)
