/*
 * rt_ending: which names go with which content.
 */
#include "rewrite/ending.h"

#include "scratch.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define PLAIN(magic)                                                                               \
	{                                                                                          \
		.outer = (magic), .has_record = true                                               \
	}

static const struct rt_form json = PLAIN(RT_MAGIC_NONE), json_gz = PLAIN(RT_MAGIC_GZIP),
			    tar = PLAIN(RT_MAGIC_TAR), zip = PLAIN(RT_MAGIC_ZIP),
			    yaml = {.has_record = true, .is_yaml = true},
			    yaml_xz = {.outer = RT_MAGIC_XZ, .has_record = true, .is_yaml = true},
			    tar_gz = {.outer = RT_MAGIC_GZIP,
				      .has_record = true,
				      .is_member = true},
			    empty = {.outer = RT_MAGIC_NONE}, empty_zst = {.outer = RT_MAGIC_ZSTD},
			    folder = {.is_directory = true, .has_record = true, .is_member = true};

static const struct {
	const char *name;
	const struct rt_form *form;
	bool fits;
} rows[] = {
    {"out.json", &json, true},
    {"out.JSONL", &json, true},
    {"out.ndjson", &json, true},
    {"out.sarif", &json, true},
    {"out", &json, true},
    {"out.txt", &json, true},
    {"", &json, true},
    {".json", &json, true},
    {"json", &json_gz, true},
    {"out.yaml", &json, false},
    {"out.yml", &yaml, true},
    {"out.json", &yaml, false},
    {"out.json.gz", &json, false},
    {"out.tar", &json, false},
    {"out.json", &json_gz, false},
    {"out.json.gz", &json_gz, true},
    {"out.GZ", &json_gz, true},
    {"out.txt.gz", &json_gz, true},
    {"out.json.zst", &json_gz, false},
    {"out.yaml.gz", &json_gz, false},
    {"out.tar.gz", &json_gz, false},
    {"out.tgz", &json_gz, false},
    {"out.gz.txt", &json, true},
    {"out.yaml.xz", &yaml_xz, true},
    {"out.json.xz", &yaml_xz, false},
    {"out.txz", &yaml_xz, false},
    {"out.tar", &tar, true},
    {"out.json", &tar, false},
    {"out.zip", &tar, false},
    {"out.tar.gz", &tar, false},
    {"out.zip", &zip, true},
    {"out.tar", &zip, false},
    {"out.tgz", &tar_gz, true},
    {"out.tar.gz", &tar_gz, true},
    {"out.cpio.gz", &tar_gz, true},
    {"out.json.gz", &tar_gz, false},
    {"out.gz", &tar_gz, true},
    {"out.tbz2", &tar_gz, false},
    {"out.gz.gz", &json_gz, true},
    {"out.yaml", &empty, true},
    {"out.yaml.gz", &empty, false},
    {"out.tar.zst", &empty_zst, true},
    {"out.tar", &empty_zst, false},
    {"out.json", &folder, false},
    {"out.d", &folder, true},
};

/* The first record counts. */
START_TEST(test_see)
{
	const struct rt_origin first = {.member = "m", .form = RT_TEXT_YAML},
			       next = {.form = RT_TEXT_JSON};
	struct rt_form form = {0};

	rt_form_see(&form, &first);
	rt_form_see(&form, &next);
	ck_assert(form.has_record && form.is_member && form.is_yaml);
}
END_TEST

static char told[512];

static void keep_notice(void *ctx, const char *text)
{
	(void)ctx;
	(void)snprintf(told, sizeof(told), "%s", text);
}

/* The export that begins as a form's file does: a file, or a directory with one in it. */
static void put_export(const struct rt_form *form)
{
	static const struct {
		const char *bytes;
		size_t at;
	} magics[] = {
	    [RT_MAGIC_NONE] = {"[]", 0},
	    [RT_MAGIC_GZIP] = {"\x1f\x8b", 0},
	    [RT_MAGIC_ZSTD] = {"\x28\xb5\x2f\xfd", 0},
	    [RT_MAGIC_XZ] = {"\xfd"
			     "7zXZ",
			     0},
	    [RT_MAGIC_TAR] = {"ustar", 257},
	    [RT_MAGIC_ZIP] = {"PK\x03\x04", 0},
	};
	size_t at_byte = magics[form->outer].at;
	char bytes[1024] = "";

	if (form->is_directory) {
		ck_assert_int_eq(mkdir(at("export"), 0700), 0);
		put("export/a.json", "[]");
		return;
	}
	memcpy(bytes + at_byte, magics[form->outer].bytes, strlen(magics[form->outer].bytes));
	put_bytes("export", bytes, sizeof(bytes));
}

START_TEST(test_fits)
{
	const char *path = at("export");
	struct rt_options options = {.paths = &path, .path_count = 1, .notice = keep_notice};
	struct rt_form form = *rows[_i].form;

	/* What is found out by the file itself. */
	form.outer = RT_MAGIC_NONE;
	form.is_directory = false;
	rt_limits_init(&options.limits);
	told[0] = '\0';
	put_export(rows[_i].form);
	rt_ending_note(&options, rows[_i].name, &form);
	ck_assert_int_eq(form.outer, rows[_i].form->outer);
	ck_assert_int_eq(form.is_directory, rows[_i].form->is_directory);
	ck_assert_msg(!told[0] == rows[_i].fits, "%s: \"%s\"", rows[_i].name, told);
}
END_TEST

static const struct {
	const char *name;
	struct rt_form form; /* what the records have shown */
	const char *bytes;   /* the export begins with */
	const char *notice;  /* "": none */
} notes[] = {
    {"x.d/out.json", {.has_record = true}, "[]", ""},
    {"out.gz",
     {.has_record = true},
     "[]",
     "out.gz is JSON, as the export is; its name says otherwise"},
    {"out.json", {.has_record = true, .is_yaml = true}, "a: b", "out.json is YAML, as"},
    {"out.json", {0}, "\x1f\x8b", "out.json is gzip, as"},
    {"out.json", {.has_record = true}, "\x1f\x8b", "out.json is JSON in gzip, as"},
    {"out.json",
     {.has_record = true, .is_member = true},
     "\x1f\x8b",
     "out.json is an archive in gzip, as"},
    {"out.json", {.has_record = true, .is_member = true}, "PK\x03\x04", "out.json is zip, as"},
};

START_TEST(test_note)
{
	const char *path = at("export");
	struct rt_options options = {.paths = &path, .path_count = 1, .notice = keep_notice};
	struct rt_form form = notes[_i].form;

	told[0] = '\0';
	put("export", notes[_i].bytes);
	rt_ending_note(&options, notes[_i].name, &form);
	ck_assert_msg(strncmp(told, notes[_i].notice, strlen(notes[_i].notice)) == 0 &&
			  !told[0] == !notes[_i].notice[0],
		      "%s: %s", notes[_i].name, told);
	options.notice = NULL;
	rt_ending_note(&options, notes[_i].name, &form);
}
END_TEST

/* An export whose own name says otherwise. */
START_TEST(test_same_name)
{
	static const struct {
		const char *base, *output;
		bool is_told;
	} names[] = {
	    {"base.yml", "out.yml", false},       {"base.yml", "OUT.YAML", false},
	    {"base.yml", "out.yml.gz", true},     {"base.yml.gz", "out.json.gz", true},
	    {"base.yml.gz", "out.yml.gz", false}, {"base", "out.yml", true},
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		const char *path = at(names[i].base);
		struct rt_options options = {
		    .paths = &path, .path_count = 1, .notice = keep_notice};
		struct rt_form form = {.has_record = true};

		told[0] = '\0';
		put(names[i].base, "[]");
		rt_ending_note(&options, names[i].output, &form);
		ck_assert_msg(!told[0] != names[i].is_told, "%s, %s: \"%s\"", names[i].base,
			      names[i].output, told);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("ending");
	TCase *tcase = tcase_create("ending");

	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_loop_test(tcase, test_fits, 0, COUNT(rows));
	tcase_add_test(tcase, test_see);
	tcase_add_loop_test(tcase, test_note, 0, COUNT(notes));
	tcase_add_test(tcase, test_same_name);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
