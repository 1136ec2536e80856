/*
 * Paths of files in a log: URIs, bases, roots and repositories (SARIF.md S26, S27, S37).
 */
#include "sarif/uri.h"

#include "sarif_run_make.h"

/* --- URIs by themselves ----------------------------------------------------------------------- */

static const struct {
	const char *uri, *path;
	enum rt_sarif_path_kind kind;
} uris[] = {
    {"", "", RT_SARIF_PATH_NONE},
    {"a.c", "a.c", RT_SARIF_PATH_RELATIVE},
    {"src/a.c", "src/a.c", RT_SARIF_PATH_RELATIVE},
    /* backslashes and dots */
    {"src\\b\\a.c", "src/b/a.c", RT_SARIF_PATH_RELATIVE},
    {"./a.c", "a.c", RT_SARIF_PATH_RELATIVE},
    {"././.\\a.c", "a.c", RT_SARIF_PATH_RELATIVE},
    {"./", "", RT_SARIF_PATH_RELATIVE},
    {".", ".", RT_SARIF_PATH_RELATIVE},
    {"../a.c", "../a.c", RT_SARIF_PATH_RELATIVE},
    {"./../a.c", "../a.c", RT_SARIF_PATH_RELATIVE},
    {"a/./b/../c", "a/./b/../c", RT_SARIF_PATH_RELATIVE},
    {".gitignore", ".gitignore", RT_SARIF_PATH_RELATIVE},
    /* percent escapes */
    {"src\\a%20b.c", "src/a b.c", RT_SARIF_PATH_RELATIVE},
    {"a%ZZ", "a%ZZ", RT_SARIF_PATH_RELATIVE},
    {"a%", "a%", RT_SARIF_PATH_RELATIVE},
    {"a%2", "a%2", RT_SARIF_PATH_RELATIVE},
    {"a%2fb%2Fc", "a/b/c", RT_SARIF_PATH_RELATIVE},
    {"%2G%2/%2:%2`%2@%g0", "%2G%2/%2:%2`%2@%g0", RT_SARIF_PATH_RELATIVE},
    {"a%00b", "a%00b", RT_SARIF_PATH_RELATIVE},
    {"a%1Fb%7fc", "a%1Fb%7fc", RT_SARIF_PATH_RELATIVE},
    {"%25%32%30", "%20", RT_SARIF_PATH_RELATIVE},
    {"%2520", "%20", RT_SARIF_PATH_RELATIVE},
    {"%C3%A4", "\xC3\xA4", RT_SARIF_PATH_RELATIVE},
    {"%E2%82%AC%F0%9F%98%80", "\xE2\x82\xAC\xF0\x9F\x98\x80", RT_SARIF_PATH_RELATIVE},
    {"%C3", "%C3", RT_SARIF_PATH_RELATIVE},
    {"%C3x%A4", "%C3x%A4", RT_SARIF_PATH_RELATIVE},
    {"%A4%C3%A4", "%A4\xC3\xA4", RT_SARIF_PATH_RELATIVE},
    {"%C0%80", "%C0%80", RT_SARIF_PATH_RELATIVE},
    {"%ED%A0%80", "%ED%A0%80", RT_SARIF_PATH_RELATIVE},
    {"%F4%90%80%80", "%F4%90%80%80", RT_SARIF_PATH_RELATIVE},
    {"%E2%82x", "%E2%82x", RT_SARIF_PATH_RELATIVE},
    {"a?b#c", "a?b#c", RT_SARIF_PATH_RELATIVE},
    {"a%3Fb%23c", "a?b#c", RT_SARIF_PATH_RELATIVE},
    {"a%5Cb", "a\\b", RT_SARIF_PATH_RELATIVE},
    /* from the root, and drives */
    {"/src/a.c", "/src/a.c", RT_SARIF_PATH_ABSOLUTE},
    {"\\\\host\\share\\a.c", "//host/share/a.c", RT_SARIF_PATH_ABSOLUTE},
    {"C:\\x\\y.c", "C:/x/y.c", RT_SARIF_PATH_ABSOLUTE},
    {"c:/x%20y", "c:/x y", RT_SARIF_PATH_ABSOLUTE},
    {"C:", "C:", RT_SARIF_PATH_ABSOLUTE},
    {"{:/x", "{:/x", RT_SARIF_PATH_RELATIVE},
    {"[:/x", "[:/x", RT_SARIF_PATH_RELATIVE},
    {"1:/x", "1:/x", RT_SARIF_PATH_RELATIVE},
    /* file: */
    {"file:///home/r/a.c", "/home/r/a.c", RT_SARIF_PATH_ABSOLUTE},
    {"FILE:///a%20b", "/a b", RT_SARIF_PATH_ABSOLUTE},
    {"file:/a.c", "/a.c", RT_SARIF_PATH_ABSOLUTE},
    {"file://host/share/a.c", "//host/share/a.c", RT_SARIF_PATH_ABSOLUTE},
    {"file:////host/share/a.c", "//host/share/a.c", RT_SARIF_PATH_ABSOLUTE},
    {"file://localhost/a.c", "/a.c", RT_SARIF_PATH_ABSOLUTE},
    {"file://LocalHost/C:/a.c", "C:/a.c", RT_SARIF_PATH_ABSOLUTE},
    {"file://localhost.example/a.c", "//localhost.example/a.c", RT_SARIF_PATH_ABSOLUTE},
    {"file:///C:/x/y.c", "C:/x/y.c", RT_SARIF_PATH_ABSOLUTE},
    {"file:///c%3A/x/y.c", "c:/x/y.c", RT_SARIF_PATH_ABSOLUTE},
    {"file://C:/x/y.c", "C:/x/y.c", RT_SARIF_PATH_ABSOLUTE},
    {"file:C:\\x\\y.c", "C:/x/y.c", RT_SARIF_PATH_ABSOLUTE},
    {"file:\\\\\\C:\\x", "C:/x", RT_SARIF_PATH_ABSOLUTE},
    {"file:src/a.c", "src/a.c", RT_SARIF_PATH_RELATIVE},
    {"file:./src/a.c", "src/a.c", RT_SARIF_PATH_RELATIVE},
    {"file:", "", RT_SARIF_PATH_NONE},
    {"file://", "/", RT_SARIF_PATH_ABSOLUTE},
    {"file://localhost", "/", RT_SARIF_PATH_ABSOLUTE},
    {"file://host", "//host", RT_SARIF_PATH_ABSOLUTE},
    {"file:////", "//", RT_SARIF_PATH_ABSOLUTE},
    {"file://localhosd/a", "//localhosd/a", RT_SARIF_PATH_ABSOLUTE},
    {"file://hh/a", "//hh/a", RT_SARIF_PATH_ABSOLUTE},
    {"file:/", "/", RT_SARIF_PATH_ABSOLUTE},
    {"file:a", "a", RT_SARIF_PATH_RELATIVE},
    {"file://c:a", "//c:a", RT_SARIF_PATH_ABSOLUTE},
    {"file://c:", "c:", RT_SARIF_PATH_ABSOLUTE},
    {"file:///", "/", RT_SARIF_PATH_ABSOLUTE},
    /* other schemes */
    {"pkg:npm/x@1", "pkg:npm/x@1", RT_SARIF_PATH_OTHER},
    {"https://host/p?q=%20", "https://host/p?q=%20", RT_SARIF_PATH_OTHER},
    {"git+ssh://h\\x", "git+ssh://h\\x", RT_SARIF_PATH_OTHER},
    {"x-y.z+1:p", "x-y.z+1:p", RT_SARIF_PATH_OTHER},
    {"a{b:c", "a{b:c", RT_SARIF_PATH_RELATIVE},
    {"filf:/x", "filf:/x", RT_SARIF_PATH_OTHER},
    {"a.c:12", "a.c:12", RT_SARIF_PATH_OTHER},
    {"files:/x", "files:/x", RT_SARIF_PATH_OTHER},
    {"a/b:c", "a/b:c", RT_SARIF_PATH_RELATIVE},
    {":a", ":a", RT_SARIF_PATH_RELATIVE},
    {"abc", "abc", RT_SARIF_PATH_RELATIVE},
    {"c%3A/x", "c:/x", RT_SARIF_PATH_RELATIVE},
    {"%2Fx", "/x", RT_SARIF_PATH_RELATIVE},
    {".//x", "/x", RT_SARIF_PATH_RELATIVE},
};

START_TEST(uri)
{
	size_t len = strlen(uris[_i].uri);
	char *block = malloc(len ? len : 1);
	struct rt_buf out = {0};
	enum rt_sarif_path_kind kind;
	struct rt_error err;

	ck_assert_ptr_nonnull(block);
	memcpy(block, uris[_i].uri, len);
	ck_assert_int_eq(rt_buf_append(&out, "x", 1, &err), RT_OK);
	ck_assert_int_eq(rt_sarif_uri_path(rt_slice_make(block, len), &out, &kind, &err), RT_OK);
	expect_slice(rt_slice_make(out.data + 1, out.len - 1), uris[_i].path, uris[_i].uri);
	ck_assert_msg(kind == uris[_i].kind, "%s: kind %d", uris[_i].uri, (int)kind);
	rt_buf_release(&out);
	free(block);
}
END_TEST

static const struct {
	const char *uri, *name;
} repositories[] = {
    {"https://github.com/a/b", "a/b"},
    {"https://github.com/a/b.git", "a/b"},
    {"https://github.com/a/b.git/", "a/b"},
    {"https://u:p@github.com:443/a/b/", "a/b"},
    {"ssh://git@h:22/a/b.git", "a/b"},
    {"git@h:a/b.git", "a/b"},
    {"git@h:/a/b", "a/b"},
    {"https://github.com", ""},
    {"https://github.com/", ""},
    {"file:///srv/git/x.git", "srv/git/x"},
    {"/srv/git/x.git", "srv/git/x"},
    {"a/b@c:d", "a/b@c:d"},
    {"h:a/b@c", "h:a/b@c"},
    {"ssh:", "ssh:"},
    {"ssh:/a/b", "ssh:/a/b"},
    {"x:git@h:a/b", "x:git@h:a/b"},
    {"", ""},
    {".git", ""},
    {"x.gitter", "x.gitter"},
};

START_TEST(repository_uri)
{
	expect_slice(rt_sarif_uri_repository(slice(repositories[_i].uri)), repositories[_i].name,
		     repositories[_i].uri);
}
END_TEST

/* --- Locations of a run ----------------------------------------------------------------------- */

#define BASES                                                                                      \
	"\"originalUriBaseIds\":{\"P\":{\"uri\":\"file:///p/\"},"                                  \
	"\"S\":{\"uri\":\"src/\",\"uriBaseId\":\"P\"},"                                            \
	"\"D\":{\"uri\":\"./deep\",\"uriBaseId\":\"S\"},"                                          \
	"\"E\":{\"uriBaseId\":\"D\"},\"U\":{\"uri\":\"u/\",\"uriBaseId\":\"?\"},"                  \
	"\"W\":{\"uri\":\"https://h/\"},\"V\":{\"uri\":\"v\",\"uriBaseId\":\"W\"},"                \
	"\"\\u00e4\":{\"uri\":\"umlaut/\"}}"
#define DIRECTORY(uri)                                                                             \
	"\"invocations\":[{\"executionSuccessful\":true,\"workingDirectory\":{\"uri\":\"" uri      \
	"\"}},{\"executionSuccessful\":true,\"workingDirectory\":{\"uri\":\"file:///\"}}]"
#define PROVENANCE(uri)                                                                            \
	"\"versionControlProvenance\":[{\"repositoryUri\":\"https://h/a/a\"},"                     \
	"{\"repositoryUri\":\"https://h/b/b\",\"mappedTo\":{" uri "}},"                            \
	"{\"repositoryUri\":\"https://h/c/c\",\"mappedTo\":{\"uri\":\"file:///m/sub/c/\"}}]"
#define ARTIFACTS                                                                                  \
	"\"artifacts\":[{\"location\":{\"uri\":\"zero.c\"}},{},{\"location\":{\"index\":0}},"      \
	"{\"location\":{\"uri\":\"three.c\",\"uriBaseId\":\"S\"}}]"

static const struct {
	const char *what, *run, *location;
	const char *path;  /* NULL: none */
	const char *fault; /* NULL: none */
} locations[] = {
    {"plain", "{}", "{\"uri\":\"./src/a.c\"}", "src/a.c", NULL},
    {"escaped", "{}", "{\"uri\":\"\\u002e\\/a\\\\b\\u0025\\u0032\\u0030\"}", "a/b ", NULL},
    {"nothing", "{}", "{}", NULL, NULL},
    {"empty", "{}", "{\"uri\":\"\"}", NULL, NULL},
    {"only this folder", "{}", "{\"uri\":\"./\"}", NULL, NULL},
    {"null", "{}", "{\"uri\":null}", NULL, NULL},
    {"no string", "{}", "{\"uri\":1}", NULL, "want a string, have a number"},
    {"a member twice", "{}", "{\"uri\":\"a\",\"\\u0075ri\":\"a\"}", NULL,
     "want each field once, have this one twice"},
    /* artifacts */
    {"an artifact", "{" ARTIFACTS "}", "{\"index\":0}", "zero.c", NULL},
    {"an empty URI and an artifact", "{" ARTIFACTS "}", "{\"uri\":\"\",\"index\":0}", "zero.c",
     NULL},
    {"an artifact and its base", "{" ARTIFACTS "," BASES "}", "{\"index\":3}", "src/three.c", NULL},
    {"an artifact without a location", "{" ARTIFACTS "}", "{\"index\":1}", NULL, NULL},
    {"an artifact without a URI", "{" ARTIFACTS "}", "{\"index\":2}", NULL, NULL},
    {"no artifact", "{" ARTIFACTS "}", "{\"index\":4}", NULL, "want less than 4, have 4"},
    {"no artifact at all", "{}", "{\"index\":99}", NULL, "want less than 0, have 99"},
    {"an index beyond 64 bits", "{}", "{\"index\":99999999999999999999}", NULL,
     "want less than 0, have 99999999999999999999"},
    {"a fraction", "{}", "{\"index\":1.5}", NULL, "want an integer, have 1.5"},
    {"a URI and no artifact", "{}", "{\"uri\":\"a\",\"index\":99}", "a", NULL},
    {"index -1", "{}", "{\"index\":-1}", NULL, NULL},
    {"index -2", "{}", "{\"index\":-2}", NULL, NULL},
    /* bases */
    {"a base on a base", "{" BASES "}", "{\"uri\":\"a.c\",\"uriBaseId\":\"S\"}", "src/a.c", NULL},
    {"three bases, no slash, dots", "{" BASES "}", "{\"uri\":\"./a.c\",\"uriBaseId\":\"D\"}",
     "src/deep/a.c", NULL},
    {"a base without a URI", "{" BASES "}", "{\"uri\":\"a.c\",\"uriBaseId\":\"E\"}", "src/deep/a.c",
     NULL},
    {"an absolute base", "{" BASES "}", "{\"uri\":\"a.c\",\"uriBaseId\":\"P\"}", "a.c", NULL},
    {"an unknown base", "{" BASES "}", "{\"uri\":\"a.c\",\"uriBaseId\":\"X\"}", "a.c", NULL},
    {"a base on an unknown one", "{" BASES "}", "{\"uri\":\"a.c\",\"uriBaseId\":\"U\"}", "u/a.c",
     NULL},
    {"a base on the web", "{" BASES "}", "{\"uri\":\"a.c\",\"uriBaseId\":\"V\"}", "v/a.c", NULL},
    {"an escaped name of a base", "{" BASES "}", "{\"uri\":\"a.c\",\"uriBaseId\":\"\xC3\xA4\"}",
     "umlaut/a.c", NULL},
    {"a parent below a base", "{" BASES "}", "{\"uri\":\"../a.c\",\"uriBaseId\":\"S\"}", "a.c",
     NULL},
    {"dots inside", "{}", "{\"uri\":\"tests/x/../../src/./a.c\"}", "src/a.c", NULL},
    {"escaped dots", "{}", "{\"uri\":\"tests/%2e%2E/src/a.c\"}", "src/a.c", NULL},
    {"above the root", "{" BASES "}", "{\"uri\":\"../../a.c\",\"uriBaseId\":\"S\"}", "../a.c",
     NULL},
    {"a base of a dot", "{\"originalUriBaseIds\":{\"S\":{\"uri\":\".\"}}}",
     "{\"uri\":\"src/a.c\",\"uriBaseId\":\"S\"}", "src/a.c", NULL},
    {"a base of file: and dots", "{\"originalUriBaseIds\":{\"S\":{\"uri\":\"file:./.\"}}}",
     "{\"uri\":\"./src/a.c\",\"uriBaseId\":\"S\"}", "src/a.c", NULL},
    {"a base that ends with a dot", "{\"originalUriBaseIds\":{\"S\":{\"uri\":\"src/.\"}}}",
     "{\"uri\":\"lib/a.c\",\"uriBaseId\":\"S\"}", "src/lib/a.c", NULL},
    {"out of a root and back", "{" DIRECTORY("file:///home/x/../r/") "}",
     "{\"uri\":\"file:///home/./y/../r/a.c\"}", "a.c", NULL},
    {"this folder", "{}", "{\"uri\":\"src/..\"}", NULL, NULL},
    {"another scheme with a base", "{" BASES "}", "{\"uri\":\"pkg:x\",\"uriBaseId\":\"S\"}",
     "pkg:x", NULL},
    {"a path from the root with a base", "{" BASES "}", "{\"uri\":\"/a.c\",\"uriBaseId\":\"S\"}",
     "/a.c", NULL},
    {"a drive with a base", "{" BASES "}", "{\"uri\":\"C:\\\\a.c\",\"uriBaseId\":\"S\"}", "C:/a.c",
     NULL},
    {"file: from no root with a base", "{" BASES "}", "{\"uri\":\"file:a.c\",\"uriBaseId\":\"S\"}",
     "src/a.c", NULL},
    {"a base that is null", "{\"originalUriBaseIds\":{\"S\":null}}",
     "{\"uri\":\"a.c\",\"uriBaseId\":\"S\"}", "a.c", NULL},
    {"only a base", "{" BASES "}", "{\"uriBaseId\":\"S\"}", NULL, NULL},
    /* roots */
    {"no root", "{}", "{\"uri\":\"file:///home/r/a.c\"}", "/home/r/a.c", NULL},
    {"below a base", "{" BASES "}", "{\"uri\":\"file:///p/src/a.c\"}", "src/a.c", NULL},
    {"beside a base", "{" BASES "}", "{\"uri\":\"file:///pp/a.c\"}", "/pp/a.c", NULL},
    {"a base itself", "{" BASES "}", "{\"uri\":\"file:///p\"}", "/p", NULL},
    {"below the working directory", "{" DIRECTORY("file:///home/runner/work/r/r") "}",
     "{\"uri\":\"file:///home/runner/work/r/r/src/a.c\"}", "src/a.c", NULL},
    {"a working directory with a slash", "{" DIRECTORY("file:///w/") "}",
     "{\"uri\":\"file:///w/a.c\"}", "a.c", NULL},
    {"the working directory itself", "{" DIRECTORY("file:///w/") "}", "{\"uri\":\"file:///w/\"}",
     "/w/", NULL},
    {"not of the second invocation", "{" DIRECTORY("file:///w/") "}", "{\"uri\":\"file:///a\"}",
     "/a", NULL},
    {"escapes on one side only", "{" DIRECTORY("file:///w%20x/") "}",
     "{\"uri\":\"file:///w x/%61.c\"}", "a.c", NULL},
    {"drives of either case", "{" DIRECTORY("file:///C:/W") "}", "{\"uri\":\"file:///c:/W/a.c\"}",
     "a.c", NULL},
    {"folders of one case", "{" DIRECTORY("file:///C:/W") "}", "{\"uri\":\"file:///C:/w/A.c\"}",
     "C:/w/A.c", NULL},
    {"a working directory without a scheme", "{" DIRECTORY("/w") "}", "{\"uri\":\"file:///w/a.c\"}",
     "a.c", NULL},
    {"on a host", "{" DIRECTORY("file://host/share") "}", "{\"uri\":\"file://host/share/a.c\"}",
     "a.c", NULL},
    {"a host", "{}", "{\"uri\":\"file://host/share/a.c\"}", "//host/share/a.c", NULL},
    {"the outermost base",
     "{\"originalUriBaseIds\":{\"I\":{\"uri\":\"file:///p/in/\"},\"O\":{\"uri\":\"file:///p\"},"
     "\"R\":{\"uri\":\"file:///\"},\"C\":{\"uri\":\"file:///C:/\"},"
     "\"H\":{\"uri\":\"file://host/\"}}}",
     "{\"uri\":\"file:///p/in/a.c\"}", "in/a.c", NULL},
    {"no bare root",
     "{\"originalUriBaseIds\":{\"R\":{\"uri\":\"file:///\"},\"C\":{\"uri\":\"file:///C:/\"},"
     "\"H\":{\"uri\":\"file://host/\"}}}",
     "{\"uri\":\"file:///a.c\"}", "/a.c", NULL},
    {"no bare drive", "{\"originalUriBaseIds\":{\"C\":{\"uri\":\"file:///C:/\"}}}",
     "{\"uri\":\"file:///C:/a.c\"}", "C:/a.c", NULL},
    {"no bare host", "{\"originalUriBaseIds\":{\"C\":{\"uri\":\"file://h/\"}}}",
     "{\"uri\":\"file://h/a.c\"}", "//h/a.c", NULL},
    {"a repository before a working directory",
     "{" PROVENANCE("\"uri\":\"file:///m/sub/\"") "," DIRECTORY("file:///m/") "}",
     "{\"uri\":\"file:///m/sub/a.c\"}", "a.c", NULL},
    {"the first repository of two", "{" PROVENANCE("\"uri\":\"file:///m/sub/\"") "}",
     "{\"uri\":\"file:///m/sub/c/a.c\"}", "c/a.c", NULL},
    {"a repository below a base",
     "{" PROVENANCE("\"uri\":\"lib/\",\"uriBaseId\":\"S\"") "," BASES "}",
     "{\"uri\":\"file:///p/src/lib/a.c\"}", "a.c", NULL},
    {"a repository that is a base", "{" PROVENANCE("\"uriBaseId\":\"S\"") "," BASES "}",
     "{\"uri\":\"file:///p/src/lib/a.c\"}", "lib/a.c", NULL},
    {"a path from the root", "{" DIRECTORY("file:///w/") "}", "{\"uri\":\"/w/a.c\"}", "a.c", NULL},
    {"a path from another root", "{" DIRECTORY("file:///w/") "}", "{\"uri\":\"/x/a.c\"}", "/x/a.c",
     NULL},
    {"a working directory that is a bare root",
     "{\"originalUriBaseIds\":{\"O\":{\"uri\":\"file:///p\"}}," DIRECTORY("file:///") "}",
     "{\"uri\":\"file:///p/a.c\"}", "a.c", NULL},
    {"a parent that leaves", "{" DIRECTORY("file:///w/") "}", "{\"uri\":\"file:///w/../a.c\"}",
     "/a.c", NULL},
};

/* The path of a location, an object. */
static enum rt_status path_of(const struct rt_sarif_run *run, struct rt_slice location,
			      struct rt_buf *out, bool *ret_any, uint32_t *ret_in,
			      struct rt_sarif_fault *fault)
{
	struct rt_slice members[RT_SARIF_LOCATION_MEMBERS];

	rt_sarif_location_cut(location, members, fault);
	return rt_sarif_path(run, members, out, ret_any, ret_in, fault);
}

START_TEST(location)
{
	struct rt_sarif_run run = run_make(locations[_i].run);
	struct rt_sarif_fault fault = {.status = RT_OK};
	struct rt_buf out = {0};
	enum rt_status status;
	uint32_t in;
	bool any;

	ck_assert_int_eq(rt_buf_append(&out, "xy", 2, &fault.err), RT_OK);
	status = path_of(&run, slice(locations[_i].location), &out, &any, &in, &fault);
	if (locations[_i].fault) {
		ck_assert_msg(status == RT_REJECT, "%s: not refused", locations[_i].what);
		ck_assert_str_eq(fault.err.message, locations[_i].fault);
	} else {
		ck_assert_msg(status == RT_OK, "%s: %s", locations[_i].what, fault.err.message);
		expect_slice(any ? rt_slice_make(out.data + 2, out.len - 2)
				 : rt_slice_make(NULL, 0),
			     locations[_i].path, locations[_i].what);
		ck_assert_msg(any || out.len == 2, "%s: bytes but no path", locations[_i].what);
	}
	rt_buf_release(&out);
	rt_sarif_run_release(&run);
}
END_TEST

static const struct {
	const char *what, *run, *location, *name;
} owners[] = {
    {"no provenance", "{}", "{\"uri\":\"a\"}", NULL},
    {"one", "{\"versionControlProvenance\":[{\"repositoryUri\":\"git@h:a/\\u0062.git\"}]}",
     "{\"uri\":\"a\"}", "\"a/b\""},
    {"one that is elsewhere",
     "{\"versionControlProvenance\":[{\"repositoryUri\":\"https://h/a\",\"mappedTo\":{\"uri\":"
     "\"file:///q/\"}}]}",
     "{\"uri\":\"file:///p/a\"}", "\"a\""},
    {"without an address", "{\"versionControlProvenance\":[{\"revisionId\":\"1\"}]}",
     "{\"uri\":\"a\"}", NULL},
    {"without a path", "{\"versionControlProvenance\":[{\"repositoryUri\":\"https://h/\"}]}",
     "{\"uri\":\"a\"}", NULL},
    {"a control character",
     "{\"versionControlProvenance\":[{\"repositoryUri\":\"https://h/a\\u0085\\u001b\"}]}",
     "{\"uri\":\"a\"}", "\"a\\u0085\\u001b\""},
    {"the one that contains it", "{" PROVENANCE("\"uri\":\"file:///m/b/\"") "}",
     "{\"uri\":\"file:///m/b/x\"}", "\"b/b\""},
    {"the first that contains it", "{" PROVENANCE("\"uri\":\"file:///m/\"") "}",
     "{\"uri\":\"file:///m/sub/c/x\"}", "\"b/b\""},
    {"the last one", "{" PROVENANCE("\"uri\":\"file:///m/b/\"") "}",
     "{\"uri\":\"file:///m/sub/c/x\"}", "\"c/c\""},
    {"none that contains it", "{" PROVENANCE("\"uri\":\"file:///m/b/\"") "}",
     "{\"uri\":\"file:///x\"}", "\"a/a\""},
    {"no file", "{" PROVENANCE("\"uri\":\"file:///m/b/\"") "}", NULL, "\"a/a\""},
    {"by its base", "{" PROVENANCE("\"uriBaseId\":\"S\"") "," BASES "}",
     "{\"uri\":\"x\",\"uriBaseId\":\"D\"}", "\"b/b\""},
    {"beside its base", "{" PROVENANCE("\"uriBaseId\":\"D\"") "," BASES "}",
     "{\"uri\":\"x\",\"uriBaseId\":\"S\"}", "\"a/a\""},
    {"by an artifact", "{" PROVENANCE("\"uriBaseId\":\"P\"") "," BASES "," ARTIFACTS "}",
     "{\"index\":3}", "\"b/b\""},
};

START_TEST(owner)
{
	struct rt_sarif_run run = run_make(owners[_i].run);
	struct rt_sarif_fault fault = {.status = RT_OK};
	struct rt_slice name = {NULL, 0};
	struct rt_buf out = {0};
	uint32_t in;
	bool any;

	ck_assert_int_eq(path_of(&run, slice(owners[_i].location), &out, &any, &in, &fault), RT_OK);
	if (run.repository_count)
		name = run.repositories[in].name;
	expect_slice(name, owners[_i].name, owners[_i].what);
	rt_buf_release(&out);
	rt_sarif_run_release(&run);
}
END_TEST

/* --- Chains ----------------------------------------------------------------------------------- */

static const struct {
	const char *what, *bases, *fault;
	long at; /* of the fault */
} chains[] = {
    {"on itself", "{\"A\":{\"uriBaseId\":\"A\"}}", "want bases that end, have a loop at \"A\"", 1},
    {"on each other", "{\"A\":{\"uriBaseId\":\"B\"},\"B\":{\"uri\":\"b/\",\"uriBaseId\":\"A\"}}",
     "want bases that end, have a loop at \"A\"", 1},
    {"leads to a loop",
     "{\"X\":{\"uriBaseId\":\"A\"},\"A\":{\"uriBaseId\":\"\\u0042\"},\"B\":{\"uriBaseId\":\"A\"}}",
     NULL, -2},
    {"a base twice", "{\"A\":{\"uri\":\"a\"},\"\\u0041\":{\"uri\":\"b\"}}",
     "want each base once, have this one twice", 17},
    {"a base twice, once null", "{\"A\":null,\"A\":{\"uri\":\"b\"}}",
     "want each base once, have this one twice", 10},
    {"no object", "{\"A\":\"a\"}", "want an object, have a string", 5},
    {"no objects at all", "[]", "want an object, have an array", 0},
    {"a URI that is none", "{\"A\":{\"uri\":[]}}", "want a string, have an array", 12},
};

START_TEST(chain)
{
	struct rt_sarif_notes notes;
	struct rt_sarif_fault fault = {.status = RT_OK};
	struct rt_sarif_run run;
	char text[400];
	long at;

	(void)snprintf(text, sizeof(text), "{\"originalUriBaseIds\":%s}", chains[_i].bases);
	ck_assert_int_eq(rt_sarif_run_init(&run, 0, &fault.err), RT_OK);
	ck_assert_msg(run_try(&run, slice(text), &notes, &fault, &at) == RT_REJECT,
		      "%s: not refused", chains[_i].what);
	if (chains[_i].fault)
		ck_assert_str_eq(fault.err.message, chains[_i].fault);
	else
		ck_assert_ptr_nonnull(strstr(fault.err.message, "have a loop at \""));
	if (chains[_i].at != -2)
		ck_assert_msg(at - 22 == chains[_i].at, "%s: at %ld", chains[_i].what, at - 22);
	rt_sarif_run_release(&run);
}
END_TEST

/* Bases one on the other, "a/" each; the last has no base. */
static struct rt_buf many_bases(unsigned count)
{
	struct rt_buf text = {0};
	struct rt_error err;
	char piece[80];

	for (unsigned i = 0; i < count; i++) {
		(void)snprintf(piece, sizeof(piece),
			       "%s\"%u\":{\"uri\":\"a/\",\"uriBaseId\":\"%u\"}",
			       i ? "," : "{\"originalUriBaseIds\":{", i, i + 1);
		ck_assert_int_eq(rt_buf_append(&text, piece, strlen(piece), &err), RT_OK);
	}
	ck_assert_int_eq(rt_buf_append(&text, "}}", 3, &err), RT_OK);
	return text;
}

START_TEST(deep)
{
	struct rt_buf text = many_bases(100), out = {0};
	struct rt_sarif_run run = run_make(text.data);
	struct rt_sarif_fault fault = {.status = RT_OK};
	uint32_t in;
	bool any;

	ck_assert_int_eq(
	    path_of(&run, slice("{\"uri\":\"b\",\"uriBaseId\":\"0\"}"), &out, &any, &in, &fault),
	    RT_OK);
	ck_assert_uint_eq(out.len, 201);
	run.record_bytes = 150;
	out.len = 0;
	ck_assert_int_eq(
	    path_of(&run, slice("{\"uri\":\"b\",\"uriBaseId\":\"0\"}"), &out, &any, &in, &fault),
	    RT_REJECT);
	ck_assert_int_eq(fault.err.code, RT_E_LIMIT);
	rt_buf_release(&text);
	rt_buf_release(&out);
	rt_sarif_run_release(&run);
}
END_TEST

START_TEST(too_deep)
{
	static const unsigned counts[] = {101, 100000};
	struct rt_buf text = many_bases(counts[_i]);
	struct rt_sarif_notes notes;
	struct rt_sarif_fault fault = {.status = RT_OK};
	struct rt_sarif_run run;
	long at;

	ck_assert_int_eq(rt_sarif_run_init(&run, 0, &fault.err), RT_OK);
	ck_assert_int_eq(run_try(&run, rt_slice_make(text.data, text.len - 1), &notes, &fault, &at),
			 RT_REJECT);
	ck_assert_ptr_nonnull(strstr(fault.err.message, "want bases that end after 100 steps"));
	rt_sarif_run_release(&run);
	rt_buf_release(&text);
}
END_TEST

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

/* What an artifact has besides is gone over once, not once for each of its results. */
START_TEST(long_artifact)
{
	struct rt_buf text = {0}, out = {0};
	struct rt_sarif_fault fault = {.status = RT_OK};
	struct rt_sarif_run run;
	uint32_t in;
	bool any;

	ck_assert_int_eq(rt_buf_append(&text, "{\"artifacts\":[{\"location\":{", 27, &fault.err),
			 RT_OK);
	for (unsigned i = 0; i < 200000; i++)
		ck_assert_int_eq(rt_buf_append(&text, "\"x\":0,", 6, &fault.err), RT_OK);
	ck_assert_int_eq(rt_buf_append(&text, "\"uri\":\"a.c\"}}]}", 16, &fault.err), RT_OK);
	run = run_make(text.data);
	for (unsigned i = 0; i < 10000; i++) {
		out.len = 0;
		ck_assert_int_eq(path_of(&run, slice("{\"index\":0}"), &out, &any, &in, &fault),
				 RT_OK);
		expect_slice(rt_buf_slice(&out), "a.c", "a long artifact");
	}
	rt_buf_release(&text);
	rt_buf_release(&out);
	rt_sarif_run_release(&run);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("sarif_path");
	TCase *tests = tcase_create("paths");

	tcase_add_loop_test(tests, uri, 0, ROWS(uris));
	tcase_add_loop_test(tests, repository_uri, 0, ROWS(repositories));
	tcase_add_loop_test(tests, location, 0, ROWS(locations));
	tcase_add_loop_test(tests, owner, 0, ROWS(owners));
	tcase_add_loop_test(tests, chain, 0, ROWS(chains));
	tcase_add_test(tests, deep);
	tcase_add_loop_test(tests, too_deep, 0, 2);
	tcase_add_test(tests, long_artifact);
	suite_add_tcase(suite, tests);
	return suite;
}

RT_UNIT_MAIN(suite_make)
