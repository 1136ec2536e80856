/*
 * The request reader: every form of a document, every fault in its order with its place, requests
 * counted across files, directories and archives, and the limits of a run.
 */
#include "engine/request_reader.h"

#include <stdio.h>
#include <sys/stat.h>

#include "archive_make.h"
#include "request_all.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define NO_OBJECT "want a request, which is an object, have "
#define NO_MEMBER "want a member issue_ids, severity, false_positive, exploitable or notes, have "
#define NO_LEVEL "want one of critical, high, medium, low or info, have "

/* What is said of a text, with offsets before places of faults and of requests. */
static const struct {
	const char *what, *text, *said;
} rows[] = {
    {"one object", "{\"issue_ids\":[\"a\"]}", "ok 1 at 1:1 @0 {\"issue_ids\":[\"a\"]}\nend 1\n"},
    {"blanks around it", "\n \t{\"issue_ids\":[\"a\"]}\r\n ",
     "ok 1 at 2:3 @3 {\"issue_ids\":[\"a\"]}\nend 1\n"},
    {"a byte order mark is no column but is counted in offsets",
     "\xEF\xBB\xBF{\"issue_ids\":[\"a\"],\"notes\":1}",
     "@30 reject 1:28 request 1: /notes: want string or null, have number 1\nend 1\n"},
    {"JSON Lines", "{\"issue_ids\":[\"a\"]}\n{\"issue_ids\":[\"b\"]}\n",
     "ok 1 at 1:1 @0 {\"issue_ids\":[\"a\"]}\nok 2 at 2:1 @20 {\"issue_ids\":[\"b\"]}\nend 2\n"},
    {"records span lines, empty lines between them",
     "{\"issue_ids\":\n[\"a\"]}\n\n  {\n\"issue_ids\":[\"b\"]}",
     "ok 1 at 1:1 @0 {\"issue_ids\":[\"a\"]}\nok 2 at 4:3 @24 {\"issue_ids\":[\"b\"]}\nend 2\n"},
    {"two on a line", "{\"issue_ids\":[\"a\"]} {\"issue_ids\":[\"b\"]}\n{\"issue_ids\":[\"c\"]}",
     "ok 1 at 1:1 @0 {\"issue_ids\":[\"a\"]}\n"
     "@20 reject 1:21 want a line break after the request, have '{' (as JSON)\nend 1\n"},
    {"text after the object", "{\"issue_ids\":[\"a\"]},\n",
     "ok 1 at 1:1 @0 {\"issue_ids\":[\"a\"]}\n"
     "@19 reject 1:20 want a line break after the request, have ',' (as JSON)\nend 1\n"},
    {"an array of requests", "[{\"issue_ids\":[\"a\"]},5]",
     "@0 reject 1:1 request 1: " NO_OBJECT "array\nend 1\n"},
    {"a string", "\"a\"", "@0 reject 1:1 request 1: " NO_OBJECT "string \"a\"\nend 1\n"},
    {"a scalar", "12\n", "@0 reject 1:1 request 1: " NO_OBJECT "number 12\nend 1\n"},
    {"what is no object stands for a request, and the next line is read",
     "{\"issue_ids\":[\"a\"]}\n[1]\ntrue\n{\"issue_ids\":[\"b\"]}\n",
     "ok 1 at 1:1 @0 {\"issue_ids\":[\"a\"]}\n"
     "@20 reject 2:1 request 2: " NO_OBJECT "array\n"
     "@24 reject 3:1 request 3: " NO_OBJECT "boolean true\n"
     "ok 4 at 4:1 @29 {\"issue_ids\":[\"b\"]}\nend 4\n"},
    {"nothing", "", "@0 reject 1:1 want JSON or YAML, have nothing\nend 0\n"},
    {"blanks", " \n", "@2 reject 2:1 want JSON or YAML, have nothing but blanks\nend 0\n"},
    {"a fault of grammar ends the part", "{\"issue_ids\":[\"a\"],}\n{\"issue_ids\":[\"b\"]}\n",
     "@19 reject 1:20 request 1: want a member name, have '}' (as JSON)\nend 1\n"},
    {"a fault of grammar is told, and not those before it in the request",
     "{\"issue_ids\":[],\"notes\":1,\n \"x\":01}",
     "@33 reject 2:7 request 1: want ',' or '}', have '1' (as JSON)\nend 1\n"},
    {"faults in the order of the text, and what is missing last",
     "{ \"notes\" : [ ] ,\n  \"x\" : { \"issue_ids\" : [ ] } "
     ",\n\"severity\":\n\"urgent\",\"x\":2,\n"
     " \"notes\":null }\n{\"issue_ids\":[\"a\"]}",
     "@12 reject 1:13 request 1: /notes: want string or null, have array\n"
     "@20 reject 2:3 request 1: /x: " NO_MEMBER "\"x\"\n"
     "@62 reject 4:1 request 1: /severity: " NO_LEVEL "\"urgent\"\n"
     "@71 reject 4:10 request 1: /x: " NO_MEMBER "\"x\"\n"
     "@79 reject 5:2 request 1: /notes: want the member once, have it again\n"
     "@0 reject 1:1 request 1: /issue_ids: want array of string, have nothing\n"
     "ok 2 at 6:1 @94 {\"issue_ids\":[\"a\"]}\nend 2\n"},
    {"ids on lines of their own", "{\"issue_ids\":[\n\"a\",\n 7,\n\"\"\n,[\n]\n],\"notes\":1}",
     "@21 reject 3:2 request 1: /issue_ids/1: want string, have number 7\n"
     "@24 reject 4:1 request 1: /issue_ids/2: want an id that is not empty, have \"\"\n"
     "@28 reject 5:2 request 1: /issue_ids/3: want string, have array\n"
     "@42 reject 7:11 request 1: /notes: want string or null, have number 1\nend 1\n"},
    {"escapes are decoded, each string for itself",
     "{\"issue_ids\":[\"\\u0061\",\"b\",\"\\\"\\\\\"],\"note\\u0073\":\"\\n\"}",
     "ok 1 at 1:1 @0 {\"issue_ids\":[\"a\",\"b\",\"\\\"\\\\\"],\"notes\":\"\\n\"}\nend 1\n"},
    {"YAML", "# c\nissue_ids: [a, 'b']\nexploitable: true\n",
     "ok 1 at 2:1 @4 {\"issue_ids\":[\"a\",\"b\"],\"exploitable\":true}\nend 1\n"},
    {"YAML documents", "---\nissue_ids: [a]\n---\nissue_ids:\n- b\n...\n",
     "ok 1 at 2:1 @4 {\"issue_ids\":[\"a\"]}\nok 2 at 4:1 @23 {\"issue_ids\":[\"b\"]}\nend 2\n"},
    {"YAML that looks like JSON", "{issue_ids: [a]}",
     "ok 1 at 1:1 @0 {\"issue_ids\":[\"a\"]}\nend 1\n"},
    {"faults in YAML", "issue_ids:\n- a\n- ~\nseverity: High\nfalse_positive: no\n? \"x\"\n: y\n",
     "@17 reject 3:3 request 1: /issue_ids/1: want string, have null\n"
     "@29 reject 4:11 request 1: /severity: " NO_LEVEL "\"High\"\n"
     "@50 reject 5:17 request 1: /false_positive: want boolean or null, have string \"no\"\n"
     "@55 reject 6:3 request 1: /x: " NO_MEMBER "\"x\"\nend 1\n"},
    {"numbers in YAML where strings are wanted",
     "issue_ids: [08, 1e3, 0o7]\nnotes: 1.50\nfalse_positive: true\n",
     "ok 1 at 1:1 @0 {\"issue_ids\":[\"08\",\"1e3\",\"0o7\"],\"false_positive\":true,"
     "\"notes\":\"1.50\"}\nend 1\n"},
    {"numbers in YAML where none are wanted",
     "issue_ids: 08\nseverity: 1\nexploitable: 0\nnotes: [1]\n",
     "@11 reject 1:12 request 1: /issue_ids: want array of string, have number 8\n"
     "@24 reject 2:11 request 1: /severity: " NO_LEVEL "\"1\"\n"
     "@39 reject 3:14 request 1: /exploitable: want boolean or null, have number 0\n"
     "@48 reject 4:8 request 1: /notes: want string or null, have array\nend 1\n"},
    {"YAML documents that are no mapping", "--- [a]\n---\n--- x\n---\nissue_ids: [a]\n",
     "@4 reject 1:5 request 1: " NO_OBJECT "array\n"
     "@12 reject 3:1 request 2: " NO_OBJECT "null\n"
     "@16 reject 3:5 request 3: " NO_OBJECT "string \"x\"\n"
     "ok 4 at 5:1 @22 {\"issue_ids\":[\"a\"]}\nend 4\n"},
    {"a fault of YAML after a good document", "issue_ids: [a]\n---\nissue_ids: [b\n",
     "ok 1 at 1:1 @0 {\"issue_ids\":[\"a\"]}\n"
     "@33 reject 4:1 request 2: want valid YAML, have: did not find expected ',' or ']' while "
     "parsing a flow sequence\nend 2\n"},
};

START_TEST(table)
{
	struct request_how how = request_how_default();
	struct rt_slice text = rt_slice_make(rows[_i].text, strlen(rows[_i].text));
	struct rt_buf said;

	how.offsets = true;
	said = request_text(text, &how);
	ck_assert_msg(strcmp(said.data, rows[_i].said) == 0, "%s: have\n%swant\n%s", rows[_i].what,
		      said.data, rows[_i].said);
	rt_buf_release(&said);
}
END_TEST

static void put(struct rt_buf *text, const char *more)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(text, more, strlen(more), &err), RT_OK);
}

static void expect(struct rt_buf *said, const char *what, const char *want)
{
	ck_assert_msg(strcmp(said->data, want) == 0, "%s: have\n%swant\n%s", what, said->data,
		      want);
	rt_buf_release(said);
}

/* A list that is too long is one fault, and only its first hundred ids are looked at. */
START_TEST(long_list)
{
	struct request_how how = request_how_default();
	struct rt_buf text = {0}, said;

	put(&text, "{\"issue_ids\":[");
	for (unsigned i = 0; i < 30000; i++)
		put(&text, i == 98 || i > 99 ? "5," : i == 99 ? "\"\"," : "\"a\",");
	put(&text, "\"z\"],\"notes\":2}");
	said = request_text(rt_buf_slice(&text), &how);
	expect(&said, "30001 ids",
	       "reject 1:14 request 1: /issue_ids: want 1 to 100 ids, have 30001\n"
	       "reject 1:407 request 1: /issue_ids/98: want string, have number 5\n"
	       "reject 1:409 request 1: /issue_ids/99: want an id that is not empty, have \"\"\n"
	       "reject 1:60225 request 1: /notes: want string or null, have number 2\nend 1\n");
	rt_buf_release(&text);
}
END_TEST

/* A document of just so many bytes passes; one byte more is beyond the limit, with its place. */
START_TEST(request_bytes)
{
	static const char doc[] = "{\"issue_ids\":[\"a\"]}";
	static const char *const before[] = {"", " \n\n", "{\"issue_ids\":[\"0\"]}\n"};
	static const char *const places[] = {"1:1", "3:1", "2:1"};

	for (size_t i = 0; i < COUNT(before); i++) {
		for (size_t window = 0; window < 40; window++) {
			struct request_how how = request_how_default();
			unsigned n = i == 2 ? 2 : 1;
			struct rt_buf text = {0}, said;
			char want[256];

			put(&text, before[i]);
			put(&text, doc);
			put(&text, "\n");
			how.window = window;
			how.limits.request_bytes = strlen(doc);
			said = request_text(rt_buf_slice(&text), &how);
			ck_assert_ptr_null(strstr(said.data, "limit"));
			ck_assert_ptr_nonnull(strstr(said.data, "end"));
			rt_buf_release(&said);

			text.len = strlen(before[i]);
			put(&text, "{ \"issue_ids\":[\"a\"]}\n");
			said = request_text(rt_buf_slice(&text), &how);
			snprintf(want, sizeof(want),
				 "limit %s request %u: want a request of at most 19 bytes "
				 "(limit \"request\"), have more\nend %u\n",
				 places[i], n, n);
			ck_assert_msg(strstr(said.data, want) != NULL, "%s", said.data);
			rt_buf_release(&said);
			rt_buf_release(&text);
		}
	}
}
END_TEST

/* The default is that of SPEC D22, and the next part is read after a document that is too long. */
START_TEST(request_default)
{
	struct request_how how = request_how_default();
	struct rt_buf text = {0}, said;
	char path[2][64];
	const char *list[] = {path[0], path[1]};
	int fds[2];

	put(&text, "{\"issue_ids\":[\"");
	for (size_t i = 0; i < 1048576 - 18; i++)
		put(&text, "a");
	put(&text, "\"]}");
	ck_assert_uint_eq(text.len, 1048576);
	said = request_text(rt_buf_slice(&text), &how);
	ck_assert_ptr_nonnull(strstr(said.data, "\nend 1\n"));
	ck_assert_int_eq(strncmp(said.data, "ok 1 at 1:1 ", 12), 0);
	rt_buf_release(&said);

	text.data[text.len - 1] = ' ';
	put(&text, "}");
	fds[0] = memory_file(rt_buf_slice(&text), path[0]);
	fds[1] = memory_file(RT_SLICE("{\"issue_ids\":[\"b\"]}"), path[1]);
	said = request_paths(list, 2, &how);
	expect(&said, "1 MiB and a byte",
	       "limit 1:1 request 1: want a request of at most 1048576 bytes (limit \"request\"), "
	       "have more\nok 2 at 1:1 {\"issue_ids\":[\"b\"]}\nend 2\n");
	close(fds[0]);
	close(fds[1]);
	rt_buf_release(&text);
}
END_TEST

START_TEST(requests)
{
	const struct rt_slice text =
	    RT_SLICE("{\"issue_ids\":[\"a\"]}\n{}\n{\"issue_ids\":[\"c\"]}\n");
	struct request_how how = request_how_default();
	struct rt_buf said;

	how.limits.requests = 3;
	said = request_text(text, &how);
	ck_assert_ptr_nonnull(strstr(said.data, "ok 3 at 3:1 {\"issue_ids\":[\"c\"]}\nend 3\n"));
	rt_buf_release(&said);
	how.limits.requests = 2;
	said = request_text(text, &how);
	expect(&said, "one too many",
	       "ok 1 at 1:1 {\"issue_ids\":[\"a\"]}\n"
	       "reject 2:1 request 2: /issue_ids: want array of string, have nothing\n"
	       "fatal limit 3:1 want at most 2 requests (limit \"requests\"), have more\n");
}
END_TEST

/* Nesting, also where it is in a member that is refused anyway. */
START_TEST(depth)
{
	struct request_how how = request_how_default();
	struct rt_buf said;

	how.limits.depth = 3;
	said = request_text(RT_SLICE("{\"x\":[[1]]}"), &how);
	expect(&said, "as deep as may be",
	       "reject 1:2 request 1: /x: " NO_MEMBER "\"x\"\n"
	       "reject 1:1 request 1: /issue_ids: want array of string, have nothing\nend 1\n");
	how.limits.depth = 2;
	said = request_text(RT_SLICE("{\"x\":[[1]]}"), &how);
	expect(&said, "deeper",
	       "limit 1:7 request 1: want arrays and objects nested less deep, have more levels "
	       "than the limit \"depth\" allows\nend 1\n");
}
END_TEST

/* A run of blanks beyond the limit, between requests. */
START_TEST(blanks)
{
	struct request_how how = request_how_default();
	struct rt_buf text = {0}, said;

	how.limits.record_bytes = 1000;
	put(&text, "{\"issue_ids\":[\"a\"]}");
	for (size_t i = 0; i < 1000; i++)
		put(&text, "\n");
	put(&text, "{\"issue_ids\":[\"b\"]}");
	said = request_text(rt_buf_slice(&text), &how);
	expect(
	    &said, "as many as may be",
	    "ok 1 at 1:1 {\"issue_ids\":[\"a\"]}\nok 2 at 1001:1 {\"issue_ids\":[\"b\"]}\nend 2\n");
	text.len -= 19;
	put(&text, " {\"issue_ids\":[\"b\"]}");
	for (how.window = 1; how.window < 70; how.window++) {
		said = request_text(rt_buf_slice(&text), &how);
		expect(&said, "one more",
		       "ok 1 at 1:1 {\"issue_ids\":[\"a\"]}\n"
		       "limit 1:20 want fewer blanks in a row, have more bytes of them than the "
		       "limit \"record\"\nend 1\n");
	}
	rt_buf_release(&text);
}
END_TEST

/* A million requests take the time they need and no memory: here a few thousand, in order. */
START_TEST(many)
{
	char line[64], path[64];
	const char *list[] = {path};
	struct rt_options options = {.paths = list, .path_count = 1};
	struct rt_request_reader *reader = NULL;
	const struct rt_request *request;
	struct rt_buf text = {0};
	struct rt_error err;
	unsigned count = 0;
	int fd;

	for (unsigned i = 0; i < 20000; i++) {
		snprintf(line, sizeof(line), "{\"issue_ids\":[\"id-%u\"]}\n", i);
		put(&text, line);
	}
	fd = memory_file(rt_buf_slice(&text), path);
	rt_limits_init(&options.limits);
	ck_assert_int_eq(rt_request_reader_open(&options, &reader, &err), RT_OK);
	while (rt_request_reader_next(reader, &request, &err) == RT_OK) {
		struct rt_origin origin;
		int len = snprintf(line, sizeof(line), "id-%u", count++);

		ck_assert(rt_slice_equal(request->ids[0], rt_slice_make(line, (size_t)len)));
		rt_request_reader_origin(reader, &origin);
		ck_assert_uint_eq(origin.line, count);
		ck_assert_uint_eq(rt_request_reader_count(reader), count);
	}
	ck_assert_uint_eq(count, 20000);
	rt_request_reader_free(reader);
	rt_buf_release(&text);
	close(fd);
}
END_TEST

/* A folder with these files; to be removed by the caller's end (it is a scratch folder). */
static void make_folder(char folder[static 64], const char *const (*files)[2], size_t count)
{
	snprintf(folder, 64, "/tmp/retriage-requests-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (size_t i = 0; i < count; i++) {
		char path[128];
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", folder, files[i][0]);
		file = fopen(path, "w");
		ck_assert_ptr_nonnull(file);
		ck_assert_int_ge(fputs(files[i][1], file), 0);
		ck_assert_int_eq(fclose(file), 0);
	}
}

static void drop_folder(const char *folder, const char *const (*files)[2], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", folder, files[i][0]);
		ck_assert_int_eq(unlink(path), 0);
	}
	ck_assert_int_eq(rmdir(folder), 0);
}

/* A folder, in byte order of names, then a file: one sequence of numbers. */
START_TEST(folder)
{
	static const char *const files[][2] = {
	    {"b.yaml", "issue_ids: [c]\n---\n- d\n"},
	    {"B.json", "{\"issue_ids\":[\"a\"]}"},
	    {"a.jsonl", "{\"issue_ids\":[\"b\"],\"x\":1}\n{\"issue_ids\":[}\n{}"},
	    {"note.txt", "not read"},
	};
	struct request_how how = request_how_default();
	char dir[64], path[64], want[1024];
	const char *list[] = {dir, path};
	struct rt_buf said;
	int fd = memory_file(RT_SLICE("{\"issue_ids\":[\"e\"]}"), path);

	make_folder(dir, files, COUNT(files));
	how.paths = true;
	said = request_paths(list, 2, &how);
	snprintf(want, sizeof(want),
		 "ok 1 at %s/B.json[]0 1:1 {\"issue_ids\":[\"a\"]}\n"
		 "%s/a.jsonl[] reject 1:20 request 2: /x: " NO_MEMBER "\"x\"\n"
		 "%s/a.jsonl[] reject 2:15 request 3: want a value, have '}' (as JSON)\n"
		 "ok 4 at %s/b.yaml[]2 1:1 {\"issue_ids\":[\"c\"]}\n"
		 "%s/b.yaml[] reject 3:1 request 5: " NO_OBJECT "array\n"
		 "ok 6 at %s[]3 1:1 {\"issue_ids\":[\"e\"]}\nend 6\n",
		 dir, dir, dir, dir, dir, path);
	drop_folder(dir, files, COUNT(files));
	close(fd);
	expect(&said, "folder", want);
}
END_TEST

/* Packed and in archives; a damaged file is a fault of its own and the next is read. */
START_TEST(archive)
{
	static const char a[] = "{\"issue_ids\":[\"a\"]}\n{\"issue_ids\":0}\n",
			  b[] = "issue_ids: [b]\n";
	const struct make_member members[] = {
	    {.name = "r/a.jsonl", .data = a, .len = sizeof(a) - 1},
	    {.name = "README", .data = "x", .len = 1},
	    {.name = "r/b.yaml", .data = b, .len = sizeof(b) - 1},
	};
	struct rt_buf tar = {0}, zst = {0}, cut = {0}, said;
	struct request_how how = request_how_default();
	const char *list[3];
	char *paths[3], want[2048];

	make_archive(&tar, "ustar", members, COUNT(members));
	make_packed(&zst, "zstd", "", tar.data, tar.len);
	make_packed(&cut, "gzip", "", a, sizeof(a) - 1);
	paths[0] = make_file(".json.gz", cut.data, cut.len - 1);
	paths[1] = make_file(".tar.zst", zst.data, zst.len);
	paths[2] = make_file(".json", b, sizeof(b) - 1);
	memcpy(list, paths, sizeof(list));
	how.paths = true;
	said = request_paths(list, 3, &how);
	snprintf(
	    want, sizeof(want),
	    "%s[] reject 0:0 want gzip data to their end, have a cut after %zu bytes\n"
	    "ok 1 at %s[r/a.jsonl]0 1:1 {\"issue_ids\":[\"a\"]}\n"
	    "%s[r/a.jsonl] reject 2:14 request 2: /issue_ids: want array of string, have number "
	    "0\nok 3 at %s[r/b.yaml]1 1:1 {\"issue_ids\":[\"b\"]}\n"
	    "ok 4 at %s[]2 1:1 {\"issue_ids\":[\"b\"]}\nend 4\n",
	    paths[0], cut.len - 1, paths[1], paths[1], paths[1], paths[2]);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(unlink(paths[i]), 0);
		free(paths[i]);
	}
	rt_buf_release(&tar);
	rt_buf_release(&zst);
	rt_buf_release(&cut);
	expect(&said, "archive", want);
}
END_TEST

/* A path that is not there is the end of the run, and usage. */
START_TEST(absent)
{
	const char *list[] = {"/nonexistent/request.json"};
	struct rt_options options = {.paths = list, .path_count = 1};
	struct rt_request_reader *reader = NULL;
	const struct rt_request *request;
	struct rt_error err;

	rt_limits_init(&options.limits);
	ck_assert_int_eq(rt_request_reader_open(&options, &reader, &err), RT_OK);
	ck_assert_int_eq(rt_request_reader_next(reader, &request, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_USAGE);
	ck_assert_str_eq(err.path, list[0]);
	rt_request_reader_free(reader);
	rt_request_reader_free(NULL);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("request_reader");
	TCase *tcase = tcase_create("request_reader");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, table, 0, (int)COUNT(rows));
	tcase_add_test(tcase, long_list);
	tcase_add_test(tcase, request_bytes);
	tcase_add_test(tcase, request_default);
	tcase_add_test(tcase, requests);
	tcase_add_test(tcase, depth);
	tcase_add_test(tcase, blanks);
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, folder);
	tcase_add_test(tcase, archive);
	tcase_add_test(tcase, absent);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
