/*
 * Messages: where their text is, arguments, links, and how long it may become (SARIF.md S14, S15).
 */
#include "base/json_string.h"

#include "sarif_run_make.h"

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

#define RUN                                                                                        \
	"{\"tool\":{\"driver\":{\"rules\":[{\"id\":\"A\",\"messageStrings\":{\"default\":{"        \
	"\"text\":\"{0} hides {1}\"},\"md\":{\"markdown\":\"*{0}*\"},\"lin\\u006b\":{\"text\":"    \
	"\"[{0}](1)\"},\"empty\":{},\"both\":{\"text\":\"of the rule\"},\"half\":{\"markdown\":"   \
	"\"of the rule\"}}},{\"id\":\"B\"}],\"globalMessageStrings\":{\"global\":{\"text\":"       \
	"\"for all: {0}\"},\"both\":{\"text\":\"of the driver\"},\"half\":{\"text\":"              \
	"\"of the driver\"}}},\"extensions\":[{\"rules\":[{\"id\":\"C\"}],"                        \
	"\"globalMessageStrings\":{\"global\":{\"text\":\"of the extension\"}}}]}}"

static const struct {
	const char *what, *rule, *message;
	const char *text, *shown; /* text NULL: none; shown NULL: the same */
	bool json;                /* the log's own string is it */
	unsigned notes;
} messages[] = {
    {"none", "A", NULL, NULL, NULL, false, 0},
    {"nothing in it", "A", "{}", NULL, NULL, false, 0},
    {"null", "A", "{\"text\":null}", NULL, NULL, false, 0},
    {"arguments alone", "A", "{\"arguments\":[\"x\"]}", NULL, NULL, false, 0},
    {"a text", "A", "{\"text\":\"a\\n\\u0062\"}", "a\nb", NULL, true, 0},
    {"an empty text", "A", "{\"text\":\"\",\"markdown\":\"m\"}", "", NULL, true, 0},
    {"a text before an id", "A", "{\"id\":\"default\",\"text\":\"t\",\"markdown\":\"m\"}", "t",
     NULL, true, 0},
    {"markdown alone", "A", "{\"markdown\":\"*m*\"}", "*m*", NULL, true, 0},
    {"markdown with a link", "A", "{\"markdown\":\"[m](1)\"}", "[m](1)", NULL, true, 0},
    /* arguments */
    {"an id and two arguments", "A", "{\"id\":\"default\",\"arguments\":[\"x\",\"\\u0079\"]}",
     "x hides y", NULL, false, 0},
    {"too few", "A", "{\"id\":\"default\",\"arguments\":[\"x\"]}", "x hides {1}", NULL, false, 0},
    {"no arguments", "A", "{\"id\":\"default\"}", "{0} hides {1}", NULL, true, 0},
    {"an empty list", "A", "{\"id\":\"default\",\"arguments\":[]}", "{0} hides {1}", NULL, false,
     0},
    {"braces of code", "A", "{\"text\":\"if {{x}} {0}\"}", "if {{x}} {0}", NULL, true, 0},
    {"braces with arguments", "A", "{\"text\":\"if {{x}} {0}\",\"arguments\":[\"y\"]}", "if {x} y",
     NULL, false, 0},
    {"braces around a number", "A", "{\"text\":\"{{0}} {{{0}}}\",\"arguments\":[\"y\"]}", "{0} {y}",
     NULL, false, 0},
    {"lone braces", "A", "{\"text\":\"{ } {a} {0 {-1} {} 0} {\",\"arguments\":[\"y\"]}",
     "{ } {a} {0 {-1} {} 0} {", NULL, false, 0},
    {"a number without an argument before a brace", "A",
     "{\"text\":\"{1}} {{1}}} {1}}}\",\"arguments\":[\"y\"]}", "{1}} {1}} {1}}", NULL, false, 0},
    {"zeros", "A", "{\"text\":\"{00}{001}\",\"arguments\":[\"y\",\"z\"]}", "yz", NULL, false, 0},
    {"huge numbers", "A",
     "{\"text\":\"{99999999999}{18446744073709551616}{4294967296}\",\"arguments\":[\"y\"]}",
     "{99999999999}{18446744073709551616}{4294967296}", NULL, false, 0},
    {"a number with two digits", "A",
     "{\"text\":\"{10}{1}\",\"arguments\":[\"0\",\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\","
     "\"9\",\"ten\"]}",
     "ten1", NULL, false, 0},
    {"arguments with placeholders", "A", "{\"text\":\"{0}{1}\",\"arguments\":[\"{1}\",\"{0}}}\"]}",
     "{1}{0}}}", NULL, false, 0},
    {"an empty text with arguments", "A", "{\"text\":\"\",\"arguments\":[\"x\"]}", "", NULL, false,
     0},
    {"an empty argument", "A", "{\"text\":\"a{0}b\",\"arguments\":[\"\"]}", "ab", NULL, false, 0},
    {"markdown with arguments", "A", "{\"id\":\"md\",\"arguments\":[\"x\"]}", "*x*", NULL, false,
     0},
    /* ids */
    {"an escaped id", "A", "{\"id\":\"li\\u006ek\",\"arguments\":[\"x\"]}", "[x](1)", "x", false,
     0},
    {"an id for all", "A", "{\"id\":\"global\",\"arguments\":[\"x\"]}", "for all: x", NULL, false,
     0},
    {"an id for all of an extension", "C", "{\"id\":\"global\",\"arguments\":[\"x\"]}",
     "of the extension", NULL, false, 0},
    {"an id for all without a rule", "?", "{\"id\":\"global\",\"arguments\":[\"x\"]}", "for all: x",
     NULL, false, 0},
    {"a rule before all", "A", "{\"id\":\"both\"}", "of the rule", NULL, true, 0},
    {"all where a rule has none", "B", "{\"id\":\"both\"}", "of the driver", NULL, true, 0},
    {"text for all before markdown", "A", "{\"id\":\"half\"}", "of the driver", NULL, true, 0},
    {"its own markdown before that of an id", "A", "{\"id\":\"md\",\"markdown\":\"m\"}", "m", NULL,
     true, 0},
    {"text of an id before markdown", "A", "{\"id\":\"both\",\"markdown\":\"m\"}", "of the rule",
     NULL, true, 0},
    {"an id of another rule", "B", "{\"id\":\"default\",\"arguments\":[\"x\",\"y\"]}",
     "default x y", NULL, false, 1},
    {"an id that is not found", "A",
     "{\"id\":\"no\\u0074\",\"arguments\":[\"[x](1)\",\"\",\"{0}\"]}", "not [x](1)  {0}", NULL,
     false, 1},
    {"an id without arguments that is not found", "?", "{\"id\":\"x\"}", "x", NULL, false, 1},
    {"an id without texts", "A", "{\"id\":\"empty\"}", "empty", NULL, false, 1},
    {"an id that is not found, with markdown", "A", "{\"id\":\"x\",\"markdown\":\"m\"}", "m", NULL,
     true, 0},
    /* links */
    {"links", "A", "{\"text\":\"[here](1) and [docs](https://x)\"}",
     "[here](1) and [docs](https://x)", "here and [docs](https://x)", false, 0},
    {"quoted brackets", "A", "{\"text\":\"[a\\\\[0\\\\]](2)\"}", "[a\\[0\\]](2)", "a[0]", false, 0},
    {"quoted backslashes", "A", "{\"text\":\"[a\\\\\\\\b\\\\c](2)\"}", "[a\\\\b\\c](2)", "a\\b\\c",
     false, 0},
    {"an escaped bracket", "A", "{\"text\":\"\\u005Bx](3)\"}", "[x](3)", "x", false, 0},
    {"a bracket in a link", "A", "{\"text\":\"[a[b](3)\"}", "[a[b](3)", "[ab", false, 0},
    {"no number", "A", "{\"text\":\"[a]() [b](x) [c](1 [d](1x) [e](-1) [f] (1) [g]\"}",
     "[a]() [b](x) [c](1 [d](1x) [e](-1) [f] (1) [g]", NULL, false, 0},
    {"a bracket that is quoted", "A", "{\"text\":\"\\\\[a](1) \\\\\\\\[b](1)\"}",
     "\\[a](1) \\\\[b](1)", "\\[a](1) \\\\b", false, 0},
    {"a bracket that stays open", "A", "{\"text\":\"[[[a\\\\\"}", "[[[a\\", NULL, false, 0},
    {"an empty link", "A", "{\"text\":\"a[](12)b\"}", "a[](12)b", "ab", false, 0},
    {"links one after the other", "A", "{\"text\":\"[a](1)[b](2)](3)\"}", "[a](1)[b](2)](3)",
     "ab](3)", false, 0},
    {"a link out of an argument", "A", "{\"text\":\"[{0}](4)\",\"arguments\":[\"x\\\\]y\"]}",
     "[x\\]y](4)", "x]y", false, 0},
};

/* Find a rule by its id. */
static struct rt_sarif_rule_found find(const struct rt_sarif_run *run, const char *id,
				       struct rt_buf *room)
{
	struct rt_sarif_rule_found found;
	struct rt_sarif_fault fault;
	struct rt_sarif_rule_says says;
	char string[32];

	says = (struct rt_sarif_rule_says){
	    .rule_id = {string, (size_t)snprintf(string, sizeof(string), "\"%s\"", id)}};
	ck_assert_int_eq(rt_sarif_rule_find(run, &says, room, &found, &fault), RT_OK);
	return found;
}

/* The text in a buffer, which may never have had a byte. */
static struct rt_slice text_in(const struct rt_buf *buf)
{
	return buf->len ? rt_buf_slice(buf) : rt_slice_make("", 0);
}

static void expect_message(const struct rt_sarif_message *message, int row)
{
	const char *what = messages[row].what, *text = messages[row].text;
	const char *shown = messages[row].shown ? messages[row].shown : text;

	ck_assert_msg(message->none == !text, "%s: none", what);
	ck_assert_msg((message->json.ptr != NULL) == messages[row].json, "%s: json", what);
	if (message->json.ptr) {
		struct rt_buf have = {0};
		struct rt_sarif_fault fault;

		ck_assert_int_eq(rt_sarif_text(message->json, &have, &fault), RT_OK);
		ck_assert_int_eq(rt_buf_reserve(&have, 1, &fault.err), RT_OK);
		expect_slice(rt_buf_slice(&have), text, what);
		rt_buf_release(&have);
	} else if (text) {
		expect_slice(text_in(&message->text), text, what);
		expect_slice(text_in(&message->shown), shown, what);
	}
}

START_TEST(message)
{
	struct rt_sarif_run run = run_make(RUN);
	struct rt_sarif_message made = {.none = false};
	struct rt_sarif_notes notes = {.counts = {0}};
	struct rt_sarif_fault fault;
	struct rt_buf room = {0};
	struct rt_sarif_rule_found found = find(&run, messages[_i].rule, &room);

	/* Twice: nothing of the first stays. */
	for (unsigned i = 1; i < 3; i++) {
		enum rt_status status = rt_sarif_message_make(
		    &run, &found, slice(messages[_i].message), &made, &notes, &fault);

		ck_assert_msg(status == RT_OK, "%s: %s", messages[_i].what, fault.err.message);
		expect_message(&made, _i);
		ck_assert_uint_eq(notes.counts[RT_SARIF_NOTE_MESSAGE], i * messages[_i].notes);
	}
	rt_sarif_message_release(&made);
	rt_buf_release(&room);
	rt_sarif_run_release(&run);
}
END_TEST

static const struct {
	const char *what, *message, *field, *fault;
	size_t at;
} faults[] = {
    {"a text that is none", "{\"text\":1}", "message.text", "want a string, have a number", 8},
    {"arguments that are none", "{\"id\":\"x\",\"arguments\":\"y\"}", "message.arguments",
     "want an array, have a string", 22},
    {"an argument that is none", "{\"text\":\"x\",\"arguments\":[\"y\",1]}", "message.arguments",
     "want a string, have a number", 29},
    {"a null argument", "{\"text\":\"x\",\"arguments\":[null]}", "message.arguments",
     "want a string, have null", 25},
    {"an id twice", "{\"id\":\"x\",\"id\":\"x\"}", "message.id",
     "want a member that stands once in its object, have it a second time", 10},
};

START_TEST(refused)
{
	struct rt_sarif_run run = run_make(RUN);
	struct rt_sarif_message made = {.none = false};
	struct rt_sarif_notes notes = {.counts = {0}};
	struct rt_sarif_fault fault;
	struct rt_buf room = {0};
	struct rt_sarif_rule_found found = find(&run, "A", &room);

	ck_assert_int_eq(
	    rt_sarif_message_make(&run, &found, slice(faults[_i].message), &made, &notes, &fault),
	    RT_REJECT);
	ck_assert_str_eq(fault.err.message, faults[_i].fault);
	ck_assert_str_eq(fault.err.field, faults[_i].field);
	ck_assert_msg(fault.at == faults[_i].message + faults[_i].at, "%s: at %td", faults[_i].what,
		      fault.at - faults[_i].message);
	rt_sarif_message_release(&made);
	rt_buf_release(&room);
	rt_sarif_run_release(&run);
}
END_TEST

/* Text that is small in the log and would be large: before, piece again and again, after. */
static const struct {
	const char *what, *before, *piece, *after;
	size_t count, filling; /* pieces; bytes that stand for '#' */
} large[] = {
    {"an argument used often", "{\"text\":\"", "{0}", "\",\"arguments\":[\"#\"]}", 100000, 1 << 20},
    {"an id and many arguments", "{\"id\":\"#\",\"arguments\":[\"\"", ",\"a\"", "]}", 100000,
     1 << 20},
};

static struct rt_buf large_make(int row)
{
	struct rt_buf text = {0};
	struct rt_error err;
	const char *parts[] = {large[row].before, large[row].after};

	for (size_t part = 0; part < 2; part++) {
		for (const char *at = parts[part]; *at; at++) {
			size_t count = *at == '#' ? large[row].filling : 1;

			ck_assert_int_eq(rt_buf_reserve(&text, count, &err), RT_OK);
			memset(text.data + text.len, *at, count);
			text.len += count;
		}
		for (size_t i = 0; part == 0 && i < large[row].count; i++)
			ck_assert_int_eq(
			    rt_buf_append(&text, large[row].piece, strlen(large[row].piece), &err),
			    RT_OK);
	}
	return text;
}

START_TEST(limit)
{
	struct rt_buf text = large_make(_i), room = {0};
	struct rt_sarif_run run = run_make(RUN);
	struct rt_sarif_message made = {.none = false};
	struct rt_sarif_notes notes = {.counts = {0}};
	struct rt_sarif_fault fault;
	struct rt_sarif_rule_found found = find(&run, "A", &room);

	run.record_bytes = 1100000;
	ck_assert_int_eq(
	    rt_sarif_message_make(&run, &found, rt_buf_slice(&text), &made, &notes, &fault),
	    RT_REJECT);
	ck_assert_int_eq(fault.err.code, RT_E_LIMIT);
	ck_assert_str_eq(fault.err.message,
			 "want a shorter message, have more bytes than the limit \"record\"");
	ck_assert_uint_le(made.text.cap, 4000000);
	rt_sarif_message_release(&made);
	rt_buf_release(&text);
	rt_buf_release(&room);
	rt_sarif_run_release(&run);
}
END_TEST

/* Nothing here takes the square of the length. */
START_TEST(long_text)
{
	static const char *const pieces[] = {"[", "]", "[a](", "[a](1", "\\\\", "{", "{0", "}"};
	const char *piece = pieces[_i];
	struct rt_buf text = {0}, room = {0};
	struct rt_sarif_run run = run_make(RUN);
	struct rt_sarif_message made = {.none = false};
	struct rt_sarif_notes notes = {.counts = {0}};
	struct rt_sarif_fault fault;
	struct rt_sarif_rule_found found = find(&run, "A", &room);

	ck_assert_int_eq(rt_buf_append(&text, "{\"text\":\"", 9, &fault.err), RT_OK);
	for (size_t i = 0; i < 200000; i++)
		ck_assert_int_eq(rt_buf_append(&text, piece, strlen(piece), &fault.err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&text, "\",\"arguments\":[]}", 17, &fault.err), RT_OK);
	ck_assert_int_eq(
	    rt_sarif_message_make(&run, &found, rt_buf_slice(&text), &made, &notes, &fault), RT_OK);
	ck_assert_uint_ge(made.text.len, 100000);
	rt_sarif_message_release(&made);
	rt_buf_release(&text);
	rt_buf_release(&room);
	rt_sarif_run_release(&run);
}
END_TEST

/* What a rule's message has besides is gone over once, not once for each result. */
START_TEST(long_message)
{
	struct rt_buf text = {0}, room = {0};
	struct rt_sarif_message made = {.none = false};
	struct rt_sarif_notes notes = {.counts = {0}};
	struct rt_sarif_fault fault;
	struct rt_sarif_rule_found found;
	struct rt_sarif_run run;

	ck_assert_int_eq(rt_buf_append(&text,
				       "{\"tool\":{\"driver\":{\"rules\":[{\"id\":\"A\","
				       "\"messageStrings\":{\"m\":{",
				       61, &fault.err),
			 RT_OK);
	for (unsigned i = 0; i < 200000; i++)
		ck_assert_int_eq(rt_buf_append(&text, "\"x\":0,", 6, &fault.err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&text, "\"text\":\"t\"}}}]}}}", 18, &fault.err), RT_OK);
	run = run_make(text.data);
	found = find(&run, "A", &room);
	for (unsigned i = 0; i < 100000; i++) {
		ck_assert_int_eq(rt_sarif_message_make(&run, &found, slice("{\"id\":\"m\"}"), &made,
						       &notes, &fault),
				 RT_OK);
		expect_slice(made.json, "\"t\"", "a long message");
	}
	rt_sarif_message_release(&made);
	rt_buf_release(&text);
	rt_buf_release(&room);
	rt_sarif_run_release(&run);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_message");
	TCase *tests = tcase_create("messages");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, message, 0, ROWS(messages));
	tcase_add_loop_test(tests, refused, 0, ROWS(faults));
	tcase_add_loop_test(tests, limit, 0, ROWS(large));
	tcase_add_loop_test(tests, long_text, 0, 8);
	tcase_add_test(tests, long_message);
	suite_add_tcase(suite, tests);
	return suite;
}

RT_UNIT_MAIN(suite_make)
