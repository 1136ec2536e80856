/*
 * rt_service: the answers of a held state are byte for byte those of the functions that read the
 * export and its journal anew, whatever the export's form; and an export that changes under it is
 * an error.
 */
#include "ops/service.h"

#include <signal.h>

#include "retriage.h"
#include "scratch.h"

#define AT "2026-03-01T12:00:00Z"
#define AT_SECONDS 1772366400

static struct rt_error err;
static struct rt_service *service;
static char export_path[512], journal_path[512], other_path[512];
static const char *paths[] = {export_path};
static struct rt_options options;

/* A small generator, so that a failure comes again. */
static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static enum rt_status append(void *ctx, const void *data, size_t len, struct rt_error *e)
{
	return rt_buf_append(ctx, data, len, e);
}

/* --- Exports ----------------------------------------------------------------------------- */

/* Issues i0, i1, ... with all kinds of severities and dates, and two rulesets. */
static void put_export(const char *name, unsigned issues)
{
	static const char *const severities[] = {
	    "\"critical\"", "\"high\"", "\"medium\"",    "\"low\"", "\"info\"",
	    "\"odd\"",      "\"odd\"",  "\"o\\u0064d\"", "null",    "\"\\u0068igh\"",
	};
	static const char *const flags[] = {"true", "false", "null"};
	FILE *file = fopen(at(name), "w");

	ck_assert_ptr_nonnull(file);
	(void)fputs("{\"tool\":{\"v\":[1]},\"issues\":[\n", file);
	for (unsigned i = 0; i < issues; i++)
		(void)fprintf(file,
			      "%s {\"id\":\"i%u\",\"extra\":[%u],\"severity\":%s,"
			      "\"false_positive\":%s,%s\"category\":\"c%u\","
			      "\"created_at\":\"2026-01-%02uT00:00:00Z\"}",
			      i ? ",\n" : "", i, i, severities[draw(10)], flags[draw(3)],
			      draw(2) ? "\"exploitable\":null," : "", draw(4), 1 + draw(28));
	for (unsigned i = 0; i < 2; i++)
		(void)fprintf(file,
			      "%s{\"id\":\"r%u\",\"name\":\"n\",\"rules_text\":\"t\",\"org_id\":"
			      "\"o\",\"repo_ids\":[\"p%u\"],\"created_at\":"
			      "\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}",
			      i ? "," : "],\n\"rulesets\":[", i, i);
	(void)fputs("]}\n", file);
	ck_assert_int_eq(fclose(file), 0);
}

static void set_export(const char *name)
{
	(void)snprintf(export_path, sizeof(export_path), "%s/%s", scratch, name);
}

static void setup(void)
{
	scratch_setup();
	seed = 7;
	put_export("export.json", 40);
	set_export("export.json");
	(void)snprintf(journal_path, sizeof(journal_path), "%s/journal", scratch);
	(void)snprintf(other_path, sizeof(other_path), "%s/other", scratch);
	options = (struct rt_options){.paths = paths, .path_count = 1, .journal = journal_path};
	rt_limits_init(&options.limits);
}

static void teardown(void)
{
	rt_service_free(service);
	service = NULL;
	scratch_teardown();
}

static void open_service(void)
{
	enum rt_status status = rt_service_open(&options, RT_SLICE(AT), &service, &err);

	ck_assert_msg(status == RT_OK, "%s", err.message);
}

/* --- Updates ----------------------------------------------------------------------------- */

/* One to four ids, some of which no issue has, some repeated, and any members. */
static struct rt_request draw_request(char ids[4][16])
{
	struct rt_request request = {
	    .id_count = 1 + draw(4),
	    .severity = (int)draw(6) - 1,
	    .false_positive = (int)draw(3) - 1,
	    .exploitable = (int)draw(3) - 1,
	    .notes = draw(3) ? rt_slice_make(NULL, 0) : RT_SLICE("a \"note\""),
	};

	for (unsigned i = 0; i < request.id_count; i++) {
		int len = snprintf(ids[i], 16, "i%u", draw(44));

		request.ids[i] = rt_slice_make(ids[i], (size_t)len);
	}
	return request;
}

/* The same update by rt_apply() on another journal; its results are appended to out. */
static void apply(const struct rt_request *request, struct rt_buf *out)
{
	const char *requests[] = {at("request.json")};
	const struct rt_sink sink = {append, out};
	struct rt_options own = options;
	struct rt_update update = {
	    .requests = requests, .request_count = 1, .at = AT_SECONDS, .actor = "alice"};
	struct rt_update_counts counts;
	struct rt_buf text = {0};
	enum rt_status status;

	ck_assert_int_eq(rt_request_write(request, &text, &err), RT_OK);
	put_bytes("request.json", text.data, text.len);
	rt_buf_release(&text);
	own.journal = other_path;
	status = rt_apply(&own, &update, (struct rt_style){.format = RT_FORMAT_JSON}, &sink,
			  &counts, &err);
	ck_assert_msg(status == RT_OK, "%s", err.message);
}

static void expect_same(const struct rt_buf *have, const struct rt_buf *want, const char *what)
{
	ck_assert_msg(have->len == want->len && memcmp(have->data, want->data, want->len) == 0,
		      "%s: have %.*s, want %.*s", what, (int)have->len, have->data, (int)want->len,
		      want->data);
}

static void expect_answers(void)
{
	struct rt_buf have = {0}, want = {0};
	const struct rt_sink sink = {append, &want};
	const struct rt_style compact = {.format = RT_FORMAT_JSON};
	static const char *const repos[] = {NULL, "p1", "nowhere"};

	ck_assert_int_eq(rt_service_summary(service, &have, &err), RT_OK);
	ck_assert_int_eq(rt_summary(&options, RT_RECENT_DEFAULT, 0, compact, &sink, &err), RT_OK);
	expect_same(&have, &want, "summary");
	for (size_t i = 0; i < 3; i++) {
		struct rt_slice repo = {repos[i], repos[i] ? strlen(repos[i]) : 0};

		have.len = want.len = 0;
		ck_assert_int_eq(rt_service_rulesets(service, repo, &have, &err), RT_OK);
		ck_assert_int_eq(rt_rulesets(&options, repos[i], false, compact, &sink, &err),
				 RT_OK);
		expect_same(&have, &want, "rulesets");
	}
	rt_buf_release(&have);
	rt_buf_release(&want);
}

static void update(unsigned rounds)
{
	for (unsigned round = 0; round < rounds; round++) {
		struct rt_buf have = {0}, want = {0};
		char ids[4][16];
		struct rt_request request = draw_request(ids);

		ck_assert_int_eq(rt_service_update(service, &request, RT_SLICE("alice"),
						   RT_SLICE(AT), UINT64_MAX, &have, &err),
				 RT_OK);
		apply(&request, &want);
		expect_same(&have, &want, "result");
		expect_answers();
		rt_buf_release(&have);
		rt_buf_release(&want);
	}
}

/* --- Tests ------------------------------------------------------------------------------- */

enum form { PLAIN, GZIP, TAR, FOLDER, YAML, MARKED };

static const struct {
	const char *what;
	const char *make; /* a command in the scratch folder */
	const char *path;
} forms[] = {
    [PLAIN] = {"one plain file", ":", "export.json"},
    [GZIP] = {"compressed", "gzip -k export.json", "export.json.gz"},
    [TAR] = {"an archive", "tar -cf export.tar export.json", "export.tar"},
    [FOLDER] = {"a directory", "mkdir d && cp export.json d/", "d"},
    [YAML] = {"YAML", "(echo '# a comment'; cat export.json) >export.yaml", "export.yaml"},
    [MARKED] = {"a byte order mark", "(printf '\\357\\273\\277\\n '; cat export.json) >bom.json",
		"bom.json"},
};

static void run(const char *command)
{
	char line[768];

	(void)snprintf(line, sizeof(line), "cd '%s' && (%s) 2>/dev/null", scratch, command);
	ck_assert_int_eq(system(line), 0);
}

static void make_form(enum form form)
{
	run(forms[form].make);
	set_export(forms[form].path);
}

START_TEST(test_forms)
{
	struct rt_buf journal, other;

	make_form((enum form)_i);
	open_service();
	ck_assert_uint_eq(rt_service_issues(service), 40);
	update(30);
	ck_assert_uint_eq(rt_service_entries(service), 30);
	journal = bytes_of(at("journal"));
	other = bytes_of(at("other"));
	expect_same(&journal, &other, forms[_i].what);
	rt_buf_release(&journal);
	rt_buf_release(&other);
	/* Opened again it is the same state, and goes on from there. */
	rt_service_free(service);
	open_service();
	ck_assert_uint_eq(rt_service_entries(service), 30);
	expect_answers();
	update(5);
}
END_TEST

/* Verify the journal, and write the state that it leads to; path: NULL for nowhere. Returns whether
 * all is well. */
static bool verify_into(const char *path)
{
	const struct rt_verification verification = {.output = path};
	struct rt_buf out = {0};
	const struct rt_sink sink = {append, &out};
	bool valid = false;

	ck_assert_int_eq(rt_verify(&options, &verification,
				   (struct rt_style){.format = RT_FORMAT_JSON}, &sink, &valid,
				   &err),
			 RT_OK);
	rt_buf_release(&out);
	return valid;
}

/* Writes the file $1 over, as long as before, from record $2 on, its times as they were. */
#define OVER                                                                                       \
	"over() { touch -r \"$1\" times; sed \"s/\\(\\[\\)$2]/\\19]/\" \"$1\" >new;"               \
	" dd if=new of=\"$1\" conv=notrunc 2>/dev/null; touch -r times \"$1\"; }; "

static const struct {
	const char *what;
	enum form form;
	const char *command; /* what happens to the export while it is served */
	bool is_change;
} changes[] = {
    {"nothing", PLAIN, ":", false},
    {"another file", PLAIN, "echo '[]' >other.json", false},
    {"cut short", PLAIN, ": >export.json", true},
    {"longer", PLAIN, "echo >>export.json", true},
    {"written over", PLAIN, "tr i j <export.json >e; dd if=e of=export.json conv=notrunc", true},
    {"one record written over, times set back", PLAIN, OVER "over export.json 1", true},
    {"another record written over", PLAIN, OVER "over export.json 2", true},
    {"touched", PLAIN, "touch export.json", true},
    {"replaced", PLAIN, "cp -p export.json e; mv e export.json", true},
    {"removed", PLAIN, "mv export.json moved.json", true},
    {"a folder in its place", PLAIN, "rm export.json; mkdir export.json", true},
    {"compressed, written over", GZIP,
     "printf '\\377' | dd of=export.json.gz bs=1 seek=4 conv=notrunc", true},
    {"compressed, replaced", GZIP, "cp export.json.gz e; mv e export.json.gz", true},
    {"an archive, written over", TAR, OVER "over export.tar 1", true},
    {"an archive, removed", TAR, "rm export.tar", true},
    {"in a folder, written over", FOLDER, OVER "over d/export.json 1", true},
    {"in a folder, one more", FOLDER, "echo '[]' >d/more.json", true},
    {"in a folder, one that is not read", FOLDER, "echo >d/more.txt", false},
    {"in a folder, removed", FOLDER, "rm d/export.json", true},
    {"a folder, removed", FOLDER, "rm -r d", true},
    {"YAML, written over", YAML, OVER "over export.yaml 1", true},
};

static void expect_changed(void)
{
	ck_assert(rt_service_has_changed(&err));
	ck_assert_str_eq(err.path, export_path);
	ck_assert_str_eq(err.message, "want an export that stays as it was read, have it changed");
	ck_assert_int_eq(rt_error_exit_status(&err), 3);
}

/* Nothing of a changed export is answered or journaled, and the journal still holds. */
START_TEST(test_change)
{
	struct rt_request request = {.ids = {RT_SLICE("i1")},
				     .id_count = 1,
				     .severity = 4,
				     .false_positive = 1,
				     .exploitable = RT_REQUEST_KEEP};
	enum rt_status want = changes[_i].is_change ? RT_FATAL : RT_OK;
	struct rt_buf out = {0};
	enum rt_status status;

	make_form(changes[_i].form);
	run("mkdir kept && cp -a export.json* export.tar export.yaml d kept; :");
	open_service();
	ck_assert_int_eq(rt_service_look(service, &err), RT_OK);
	update(2);
	run(changes[_i].command);
	/* A reader's look at a folder may come too early to see it. */
	if (changes[_i].form != FOLDER) {
		ck_assert_int_eq(rt_service_look(service, &err), want);
		if (want != RT_OK)
			expect_changed();
	}
	status = rt_service_update(service, &request, rt_slice_make(NULL, 0), RT_SLICE(AT),
				   UINT64_MAX, &out, &err);
	ck_assert_msg(status == want, "%s", changes[_i].what);
	if (want != RT_OK)
		expect_changed();
	rt_service_free(service);
	service = NULL;
	(void)snprintf(export_path, sizeof(export_path), "%s/kept/%s", scratch,
		       forms[changes[_i].form].path);
	ck_assert(verify_into(NULL));
	rt_buf_release(&out);
}
END_TEST

/* A ruleset that is written over is not shown. */
START_TEST(test_ruleset_change)
{
	struct rt_buf out = {0};

	open_service();
	run("sed 's/\"p1\"/\"p2\"/' export.json >e; dd if=e of=export.json conv=notrunc");
	ck_assert_int_eq(rt_service_rulesets(service, RT_SLICE("p2"), &out, &err), RT_FATAL);
	expect_changed();
	rt_buf_release(&out);
}
END_TEST

/* What an export cannot hold is not journaled, and nothing of the update happens. */
START_TEST(test_note)
{
	struct rt_request request = {.ids = {RT_SLICE("b"), RT_SLICE("a")},
				     .id_count = 2,
				     .severity = 4,
				     .false_positive = RT_REQUEST_KEEP,
				     .exploitable = RT_REQUEST_KEEP,
				     .notes = RT_SLICE("x")};
	struct rt_buf out = {0};

	put("notes.json", "[{\"id\":\"a\",\"scan_id\":\"s\",\"notes\":5},"
			  "{\"id\":\"b\",\"scan_id\":\"s\",\"severity\":\"odd\"}]");
	set_export("notes.json");
	open_service();
	ck_assert_int_eq(rt_service_update(service, &request, rt_slice_make(NULL, 0), RT_SLICE(AT),
					   UINT64_MAX, &out, &err),
			 RT_REJECT);
	ck_assert_str_eq(err.field, "notes");
	ck_assert_str_eq(err.record, "issue \"a\"");
	ck_assert_uint_eq(out.len, 0);
	ck_assert_uint_eq(rt_service_entries(service), 0);
	ck_assert_int_eq(rt_service_summary(service, &out, &err), RT_OK);
	out.data[out.len - 1] = '\0';
	ck_assert_ptr_nonnull(strstr(out.data, "\"odd\":1"));
	rt_buf_release(&out);
	/* What no issue has any more is not counted. */
	request.notes = rt_slice_make(NULL, 0);
	request.id_count = 1;
	ck_assert_int_eq(rt_service_update(service, &request, rt_slice_make(NULL, 0), RT_SLICE(AT),
					   UINT64_MAX, &out, &err),
			 RT_OK);
	out.len = 0;
	ck_assert_int_eq(rt_service_summary(service, &out, &err), RT_OK);
	out.data[out.len - 1] = '\0';
	ck_assert_ptr_nonnull(strstr(out.data, "\"low\":0,\"info\":1,\"unknown\":1}"));
	rt_buf_release(&out);
}
END_TEST

/* Notes add up to what a record may have, in one life of the service or in two; then there are no
 * more, and what was acknowledged can be written. */
START_TEST(test_limit)
{
	struct rt_request request = {.ids = {RT_SLICE("i3"), RT_SLICE("i4")},
				     .id_count = 2,
				     .severity = RT_REQUEST_KEEP,
				     .false_positive = RT_REQUEST_KEEP,
				     .exploitable = RT_REQUEST_KEEP,
				     .notes = RT_SLICE("\"a note\"\n")};
	const char *written = at("written.json");
	struct rt_buf out = {0};
	enum rt_status status = RT_OK;
	unsigned taken = 0;

	options.limits.record_bytes = 400;
	open_service();
	while (status == RT_OK && taken < 20) {
		status = rt_service_update(service, &request, RT_SLICE("alice"), RT_SLICE(AT),
					   UINT64_MAX, &out, &err);
		taken += status == RT_OK;
		if (taken != 2)
			continue;
		rt_service_free(service);
		open_service();
	}
	ck_assert_int_eq(status, RT_REJECT);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_ptr_nonnull(strstr(err.message, "(limit \"record\") after the update"));
	ck_assert_uint_eq(taken, 4);
	ck_assert_uint_eq(rt_service_entries(service), taken);
	ck_assert(verify_into(written));
	/* A larger record than is allowed would not have been written. */
	options.limits.record_bytes = 340;
	ck_assert(!verify_into(written));
	rt_buf_release(&out);
}
END_TEST

START_TEST(test_refused)
{
	put("export2.json", "[]\n");
	open_service();
	update(1);
	rt_service_free(service);
	service = NULL;
	set_export("export2.json");
	ck_assert_int_eq(rt_service_open(&options, RT_SLICE(AT), &service, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_INPUT);
	ck_assert_str_eq(err.path, at("journal"));
	ck_assert_ptr_null(service);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("service");
	TCase *tests = tcase_create("all");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, test_forms, 0, sizeof(forms) / sizeof(forms[0]));
	tcase_add_loop_test(tests, test_change, 0, sizeof(changes) / sizeof(changes[0]));
	tcase_add_test(tests, test_ruleset_change);
	tcase_add_test(tests, test_note);
	tcase_add_test(tests, test_limit);
	tcase_add_test(tests, test_refused);
	suite_add_tcase(suite, tests);
	return suite;
}

RT_UNIT_MAIN(suite_make)
