/*
 * Prediction of gaps: a scanner that has seen other records must say of each record what a fresh
 * one says, whatever their layouts, and must not accept a gap where the grammar forbids it.
 */
#include "scan/scan.h"

#include <stdio.h>

#include "base/buf.h"
#include "scan_text.h"

/* Everything that a scan of a record gives. */
struct scanned {
	size_t after; /* offset; 0 where it failed */
	size_t fault;
	const char *want;
	uint64_t line, line_start;
	struct rt_record record;
};

static struct scanned scan(struct rt_scan *s, const struct rt_scan_ops *ops, const char *at)
{
	struct scanned said;
	const char *after;

	memset(&said, 0, sizeof(said));
	after = ops->record(s, at, &said.record);
	said.after = after ? scan_offset(s, after) : 0;
	said.fault = after ? 0 : scan_offset(s, s->fault.at);
	said.want = after ? "" : s->fault.want;
	said.line = s->line;
	said.line_start = s->line_start;
	return said;
}

static void compare(const struct scanned *have, const struct scanned *want, const char *text,
		    size_t len)
{
	const struct rt_record *a = &have->record, *b = &want->record;

#define SAME(what)                                                                                 \
	ck_assert_msg(have->what == want->what, #what ": %llu, fresh %llu: %.*s",                  \
		      (unsigned long long)have->what, (unsigned long long)want->what, (int)len,    \
		      text)
	SAME(after);
	SAME(fault);
	SAME(line);
	SAME(line_start);
	SAME(record.repeated);
	SAME(record.current);
#undef SAME
	ck_assert_str_eq(have->want, want->want);
	ck_assert_mem_eq(a->types, b->types, sizeof(a->types));
	for (size_t m = 0; m < RT_MEMBER_COUNT; m++) {
		if (!a->types[m])
			continue;
		ck_assert_ptr_eq(a->values[m].ptr, b->values[m].ptr);
		ck_assert_uint_eq(a->values[m].len, b->values[m].len);
		if (a->repeated >> m & 1)
			ck_assert_ptr_eq(a->again[m], b->again[m]);
	}
	if (have->after) {
		ck_assert_ptr_eq(a->text.ptr, b->text.ptr);
		ck_assert_uint_eq(a->text.len, b->text.len);
	}
}

/* --- Random records --------------------------------------------------------------------------- */

struct maker {
	unsigned short seed[3];
	struct rt_buf out;
	unsigned style; /* of the blanks in one record; they are what the gaps differ in */
};

static unsigned pick(struct maker *m, unsigned count)
{
	return (unsigned)nrand48(m->seed) % count;
}

static void put(struct maker *m, const char *text)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&m->out, text, strlen(text), &err), RT_OK);
}

static void put_blanks(struct maker *m)
{
	static const char *const blanks[] = {
	    "",
	    "",
	    " ",
	    "\t",
	    "\n",
	    "\r\n",
	    "\n  ",
	    "\n\n\t",
	    "                                                                      ",
	    "\n                                                          ",
	};
	const unsigned count = sizeof(blanks) / sizeof(blanks[0]);

	/* Some records have one kind of blanks throughout, others any. */
	put(m, blanks[m->style < count ? m->style : pick(m, count)]);
}

static void put_key(struct maker *m)
{
	static const char *const odd[] = {
	    "\"\\u0069d\"",
	    "\"seve\\u0072ity\"",
	    "\"\"",
	    "\"x\"",
	    "\"y\\n\"",
	    "\"ID\"",
	    "\"i\"",
	    "\"id \"",
	    "\"\xC3\xA9\"",
	    "\"a name that is longer than any gap that could be kept, by some bytes\"",
	};
	char name[64];

	if (pick(m, 4) == 0) {
		put(m, odd[pick(m, sizeof(odd) / sizeof(odd[0]))]);
		return;
	}
	if (pick(m, 8) == 0) {
		snprintf(name, sizeof(name), "\"other%u\"", pick(m, 200));
	} else {
		/* Few names, so that they come again. */
		snprintf(name, sizeof(name), "\"%s\"",
			 rt_member_name((enum rt_member)pick(m, RT_MEMBER_COUNT)).ptr);
	}
	put(m, name);
}

static void put_value(struct maker *m)
{
	static const char *const values[] = {
	    "null",
	    "true",
	    "12",
	    "-0.5e3",
	    "\"\"",
	    "\"text\"",
	    "\"with \\\" and \\\\\"",
	    "[]",
	    "[\"a\",\"b\"]",
	    "[1, [ ]]",
	    "{}",
	    "{\"id\":{\"id\":[\n]}}",
	    "\",\\\"id\\\":\"",
	    "\"a text that is longer than one block of any code path, whatever it is made of\"",
	};

	put(m, values[pick(m, sizeof(values) / sizeof(values[0]))]);
}

/* A record of up to 12 members; one in eight is then damaged in one byte. */
static void make_record(struct maker *m)
{
	static const char damage[] = "\",:{}[] \n\0x1\\";
	unsigned members = pick(m, 13);
	size_t byte;

	m->out.len = 0;
	m->style = pick(m, 14);
	put(m, "{");
	for (unsigned i = 0; i < members; i++) {
		put_blanks(m);
		if (i) {
			put(m, ",");
			put_blanks(m);
		}
		put_key(m);
		put_blanks(m);
		put(m, ":");
		put_blanks(m);
		put_value(m);
	}
	put_blanks(m);
	put(m, "}");
	if (pick(m, 8))
		return;
	byte = 1 + pick(m, (unsigned)m->out.len - 1);
	if (pick(m, 2)) {
		m->out.data[byte] = damage[pick(m, sizeof(damage) - 1)];
	} else {
		memmove(m->out.data + byte, m->out.data + byte + 1, m->out.len - byte - 1);
		m->out.len--;
	}
}

/* Scan one record with a scanner that has seen others, and with a fresh one. */
static void check_record(struct rt_scan *used, struct rt_scan *fresh, const struct rt_scan_ops *ops,
			 const char *text, size_t len)
{
	char *block = padded(text, len);
	struct scanned have, want;

	rt_scan_init(fresh, 128);
	scan_show(fresh, block, len, 0, true);
	want = scan(fresh, ops, block);
	used->line = 1;
	used->line_start = 0;
	scan_show(used, block, len, 0, true);
	have = scan(used, ops, block);
	compare(&have, &want, text, len);
	if (have.after)
		ck_assert_uint_le(have.after, len);
	free(block);
}

START_TEST(random_records)
{
	struct maker maker = {.seed = {3, 5, (unsigned short)_i}};
	static struct rt_scan used[PATH_COUNT], fresh;

	for (size_t path = 0; path < PATH_COUNT; path++)
		rt_scan_init(&used[path], 128);
	for (unsigned i = 0; i < 3000; i++) {
		make_record(&maker);
		/* The same layout again, as exports have it: now it is predicted. */
		for (int again = 0; again < 2; again++) {
			for (size_t path = 0; path < PATH_COUNT; path++) {
				if (path_ops(path))
					check_record(&used[path], &fresh, path_ops(path),
						     maker.out.data, maker.out.len);
			}
		}
		/* New slots now and then; else all would be taken after the first records. */
		for (size_t path = 0; i % 30 == 0 && i % 900 && path < PATH_COUNT; path++)
			rt_scan_init(&used[path], 128);
	}
	rt_buf_release(&maker.out);
}
END_TEST

/* The paths agree with each other, not only each with itself. */
START_TEST(paths_agree)
{
	struct maker maker = {.seed = {7, 11, (unsigned short)_i}};
	static struct rt_scan s[PATH_COUNT];

	for (size_t path = 0; path < PATH_COUNT; path++)
		rt_scan_init(&s[path], 128);
	for (unsigned i = 0; i < 3000; i++) {
		struct scanned first, have;
		char *block;

		make_record(&maker);
		block = padded(maker.out.data, maker.out.len);
		for (size_t path = 0; path < PATH_COUNT; path++) {
			if (!path_ops(path))
				continue;
			s[path].line = 1;
			s[path].line_start = 0;
			scan_show(&s[path], block, maker.out.len, 0, true);
			have = scan(&s[path], path_ops(path), block);
			if (path == 0)
				first = have;
			compare(&have, &first, maker.out.data, maker.out.len);
		}
		free(block);
	}
	rt_buf_release(&maker.out);
}
END_TEST

/* More layouts than there are slots: the rest is read anew each time, and right. */
START_TEST(many_gaps)
{
	static struct rt_scan used, fresh;

	for (size_t path = 0; path < PATH_COUNT; path++) {
		const struct rt_scan_ops *ops = path_ops(path);

		rt_scan_init(&used, 128);
		for (unsigned i = 0; ops && i < 5 * RT_GAP_SLOTS; i++) {
			char text[128];

			snprintf(text, sizeof(text), "{\"k%u\":1 ,\"id\":\"%u\",\n\"l%u\": [] }", i,
				 i, i);
			for (int again = 0; again < 3; again++)
				check_record(&used, &fresh, ops, text, strlen(text));
		}
		if (ops)
			ck_assert_uint_eq(used.gap_count, RT_GAP_SLOTS);
	}
}
END_TEST

/* A gap of every length around what can be remembered, with a newline at every place. */
START_TEST(gap_lengths)
{
	static struct rt_scan used, fresh;
	const struct rt_scan_ops *ops = path_ops((size_t)_i);

	for (size_t blanks = 0; ops && blanks < 80; blanks++) {
		for (size_t newline = 0; newline <= blanks; newline++) {
			char text[640], gap[128];

			memset(gap, ' ', blanks);
			gap[blanks] = '\0';
			if (newline < blanks)
				gap[newline] = '\n';
			rt_scan_init(&used, 128);
			snprintf(text, sizeof(text),
				 "{%s\"id\":\"a\",%s\"tags\":%s[],\"title\":1%s}", gap, gap, gap,
				 gap);
			for (int again = 0; again < 3; again++)
				check_record(&used, &fresh, ops, text, strlen(text));
			/* More blanks and fewer than before. */
			snprintf(text, sizeof(text),
				 "{%s \"id\":\"a\",%s\"tags\": %s[],\"title\":1}", gap, gap, gap);
			check_record(&used, &fresh, ops, text, strlen(text));
		}
	}
}
END_TEST

/* --- Gaps where the grammar forbids them
 * ---------------------------------------------------------- */

static const struct {
	const char *what, *teach[3], *text, *want;
	size_t offset;
} forbidden[] = {
    {"comma after the brace",
     {"{\"a\":1,\"id\":1}", "{\"id\":1,\"id\":1}", "{\"id\":1}"},
     "{,\"id\":1}",
     "a member name or '}'",
     1},
    {"comma after the brace, blanks before",
     {"{\"a\":1 ,\"id\":1}", "{ \"id\":1 ,\"id\":1}", NULL},
     "{ ,\"id\":1}",
     "a member name or '}'",
     2},
    {"comma before the end",
     {"{\"a\":1}", "{}", "{\"a\":1,\"b\":2}"},
     "{\"a\":1,}",
     "a member name",
     7},
    {"comma before the end, after an end that was empty",
     {"{}", "{}", "{\"a\":1}"},
     "{\"a\":1,}",
     "a member name",
     7},
    {"no comma",
     {"{\"b\":1}", "{\"a\":1,\"b\":2}", "{\"b\":1}"},
     "{\"a\":1\"b\":2}",
     "',' or '}'",
     6},
    {"no comma, the first gap twice",
     {"{\"a\":1}", "{\"a\":1,\"a\":1}", "{\"a\":1}"},
     "{\"a\":1\"a\":1}",
     "',' or '}'",
     6},
    {"two commas",
     {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", NULL},
     "{\"a\":1,,\"b\":2}",
     "a member name",
     7},
    {"no value", {"{\"a\":1,\"b\":2}", "{}", NULL}, "{\"a\":,\"b\":2}", "a value", 5},
    {"no value before the end", {"{\"a\":1}", "{}", NULL}, "{\"a\":}", "a value", 5},
    {"colon twice", {"{\"a\":1,\"b\":2}", NULL, NULL}, "{\"a\"::1}", "a value", 5},
    {"no colon", {"{\"a\":1,\"b\":2}", NULL, NULL}, "{\"a\":1,\"b\"2}", "':'", 10},
    {"end by a bracket", {"{\"a\":1}", "{}", NULL}, "{\"a\":1]", "',' or '}'", 6},
    {"literal that goes on",
     {"{\"a\":null,\"b\":2}", NULL, NULL},
     "{\"a\":nulls,\"b\":2}",
     "',' or '}'",
     9},
    {"number that goes on",
     {"{\"a\":0,\"b\":2}", NULL, NULL},
     "{\"a\":01,\"b\":2}",
     "',' or '}'",
     6},
    {"name that does not end",
     {"{\"a\":1,\"b\":2}", NULL, NULL},
     "{\"a\":1,\"b:2}",
     "a closing quote",
     12},
    {"gap cut by the text's end", {"{\"a\":1,\"b\":2}", NULL, NULL}, "{\"a\":1,\"b\"", "':'", 10},
    {"record cut after a gap", {"{\"a\":1,\"b\":2}", NULL, NULL}, "{\"a\":1,\"b\":", "a value", 11},
    {"control byte for a blank",
     {"{\"a\": 1,\"b\":2}", NULL, NULL},
     "{\"a\":\0011,\"b\":2}",
     "a value",
     5},
};

START_TEST(forbid)
{
	for (size_t path = 0; path < PATH_COUNT; path++) {
		const struct rt_scan_ops *ops = path_ops(path);
		static struct rt_scan used, fresh;
		struct scanned said;
		char *block;

		if (!ops)
			continue;
		rt_scan_init(&used, 128);
		for (unsigned i = 0; i < 6; i++) {
			const char *teach = forbidden[_i].teach[i % 3];

			if (teach)
				check_record(&used, &fresh, ops, teach, strlen(teach));
		}
		block = padded(forbidden[_i].text, strlen(forbidden[_i].text));
		scan_show(&used, block, strlen(forbidden[_i].text), 0, true);
		said = scan(&used, ops, block);
		ck_assert_msg(said.after == 0, "%s: accepted", forbidden[_i].what);
		ck_assert_msg(said.fault == forbidden[_i].offset, "%s: offset %zu",
			      forbidden[_i].what, said.fault);
		ck_assert_str_eq(said.want, forbidden[_i].want);
		free(block);
	}
}
END_TEST

/* --- What a record holds
 * -------------------------------------------------------------------------- */

START_TEST(members)
{
	static const char text[] = "{ \"id\" :\"a\\\"1\",\n\"x\":{\"id\":2},\"severity\":null,"
				   "\"\\u0069d\":3, \"line_number\":7,\"severity\":\"low\"\n}";

	for (size_t path = 0; path < PATH_COUNT; path++) {
		char *block = padded(text, strlen(text));
		struct scanned said;
		struct rt_scan s;

		if (path_ops(path)) {
			rt_scan_init(&s, 128);
			scan_show(&s, block, strlen(text), 100, true);
			said = scan(&s, path_ops(path), block);
			ck_assert_uint_eq(said.after, 100 + strlen(text));
			ck_assert_uint_eq(said.line, 3);
			ck_assert_uint_eq(said.line_start, 100 + strlen(text) - 1);
			ck_assert_uint_eq(said.record.types[RT_M_ID], RT_TYPE_STRING);
			ck_assert(
			    rt_slice_equal(said.record.values[RT_M_ID], RT_SLICE("\"a\\\"1\"")));
			ck_assert_uint_eq(said.record.types[RT_M_SEVERITY], RT_TYPE_NULL);
			ck_assert(!rt_record_has(&said.record, RT_M_SEVERITY));
			ck_assert(rt_record_has(&said.record, RT_M_LINE_NUMBER));
			ck_assert_uint_eq(said.record.repeated,
					  UINT64_C(1) << RT_M_ID | UINT64_C(1) << RT_M_SEVERITY);
			ck_assert_mem_eq(said.record.again[RT_M_ID], "3, ", 3);
			ck_assert_mem_eq(said.record.again[RT_M_SEVERITY], "\"low\"", 5);
			for (size_t m = 0; m < RT_MEMBER_ROOM; m++)
				ck_assert_int_eq(said.record.types[m] != 0,
						 m == RT_M_ID || m == RT_M_SEVERITY ||
						     m == RT_M_LINE_NUMBER);
		}
		free(block);
	}
}
END_TEST

/* A number ends where it does, however many digits it has, and whatever stands after that; an
 * integer has 64 bits. */
START_TEST(digits)
{
	static const char *const ends[] = {"}",  " }", ",\"x\":1}", "\n,\"x\":[]}",
					   "}}", "}]", "},"};
	static const char *const fractions[] = {"", ".5", "e2", ".25E-1"};
	size_t count = (size_t)_i + 1;

	for (size_t path = 0; path < PATH_COUNT; path++) {
		for (size_t i = 0; path_ops(path) && i < sizeof(ends) / sizeof(ends[0]) * 4; i++) {
			const char *end = ends[i / 4], *fraction = fractions[i % 4];
			char text[128], number[64], *block;
			struct scanned said;
			struct rt_scan s;

			(void)snprintf(number, sizeof(number), "%.*s%s", (int)count,
				       "123456789012345678901234", fraction);
			(void)snprintf(text, sizeof(text), "{\"line_number\":%s%s", number, end);
			block = padded(text, strlen(text));
			rt_scan_init(&s, 128);
			scan_show(&s, block, strlen(text), 0, true);
			said = scan(&s, path_ops(path), block);
			ck_assert_msg(
			    said.after == (size_t)(strrchr(text, '}') - text) + 1 ||
				(strcmp(end, "}}") == 0 && said.after == strlen(text) - 1),
			    "%s: ends at %zu", text, said.after);
			ck_assert_msg(rt_slice_equal(said.record.values[RT_M_LINE_NUMBER],
						     rt_slice_make(number, strlen(number))),
				      "%s: %.*s", text,
				      (int)said.record.values[RT_M_LINE_NUMBER].len,
				      said.record.values[RT_M_LINE_NUMBER].ptr);
			ck_assert_int_eq(said.record.types[RT_M_LINE_NUMBER],
					 *fraction || count > 19 ? RT_TYPE_NUMBER
								 : RT_TYPE_INTEGER);
			free(block);
		}
	}
}
END_TEST

/* The member that a fault is in is known, and that between members it is in none. */
START_TEST(current)
{
	static const struct {
		const char *text;
		unsigned member;
	} rows[] = {
	    {"{\"id\":\"a\",\"tags\":[1,}", RT_M_TAGS}, {"{\"id\":\"a\",\"tags\":tru", RT_M_TAGS},
	    {"{\"id\":\"a\",\"tags\" 1", RT_M_UNKNOWN}, {"{\"id\":\"a\" \"tags\":1}", RT_M_UNKNOWN},
	    {"{\"id\":\"a\",\"x\":-}", RT_M_UNKNOWN},
	};

	for (size_t path = 0; path < PATH_COUNT; path++) {
		size_t len = strlen(rows[_i].text);
		char *block = padded(rows[_i].text, len);
		struct scanned said;
		struct rt_scan s;

		if (path_ops(path)) {
			rt_scan_init(&s, 128);
			scan_show(&s, block, len, 0, true);
			said = scan(&s, path_ops(path), block);
			ck_assert_uint_eq(said.after, 0);
			ck_assert_uint_eq(said.record.current, rows[_i].member);
			ck_assert_uint_eq(said.record.types[RT_M_ID], RT_TYPE_STRING);
		}
		free(block);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("scan_gaps");
	TCase *cases = tcase_create("all");

	tcase_set_timeout(cases, 120);
	tcase_add_loop_test(cases, random_records, 0, 6);
	tcase_add_loop_test(cases, paths_agree, 0, 4);
	tcase_add_test(cases, many_gaps);
	tcase_add_loop_test(cases, gap_lengths, 0, PATH_COUNT);
	tcase_add_loop_test(cases, forbid, 0, (int)(sizeof(forbidden) / sizeof(forbidden[0])));
	tcase_add_test(cases, members);
	tcase_add_loop_test(cases, digits, 0, 24);
	tcase_add_loop_test(cases, current, 0, 5);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
