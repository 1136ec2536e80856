/*
 * Peer: the issues summary by jansson: load the file as a tree, then walk it once.
 *
 * Input: a file that holds one array of issues. Output: the summary of SPEC D9 as one line.
 * Refuses a file that is no JSON, or no array of objects with an id.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define RECENT_MAX 10

static const char *const members[] = {
    "id",          "scan_id",          "file_path",      "line_number",    "category",
    "severity",    "confidence",       "title",          "description",    "column_start",
    "column_end",  "explanation",      "code_snippet",   "context_before", "context_after",
    "remediation", "remediation_code", "cwe_ids",        "owasp_category", "cvss_score",
    "tags",        "model_used",       "false_positive", "exploitable",    "created_at",
    "updated_at",  "repo_name",        "scan_status",    "scan_created_at"};

static const char *const levels[] = {"critical", "high", "medium", "low", "info"};

/* The recent issues, newest first; borrowed from the tree. */
struct recent {
	size_t count;
	const json_t *issues[RECENT_MAX + 1];
};

static const char *text_of(const json_t *issue, const char *name, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(issue, name));

	return text ? text : otherwise;
}

static int count_one(json_t *counts, const char *key)
{
	json_t *count = json_object_get(counts, key);

	if (count)
		return json_integer_set(count, json_integer_value(count) + 1);
	return json_object_set_new(counts, key, json_integer(1));
}

/* Negative when a comes before b in the list of recent issues (SPEC D10). */
static int compare_recent(const json_t *a, const json_t *b)
{
	int order = strcmp(text_of(b, "created_at", ""), text_of(a, "created_at", ""));

	return order ? order : strcmp(text_of(a, "id", ""), text_of(b, "id", ""));
}

static void keep_recent(struct recent *recent, const json_t *issue)
{
	size_t at = recent->count;

	while (at > 0 && compare_recent(issue, recent->issues[at - 1]) < 0) {
		recent->issues[at] = recent->issues[at - 1];
		at--;
	}
	recent->issues[at] = issue;
	if (recent->count < RECENT_MAX)
		recent->count++;
}

static json_t *issue_response(const json_t *issue)
{
	json_t *response = json_object();

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		json_t *value = json_object_get(issue, members[i]);

		if (value && !json_is_null(value))
			json_object_set(response, members[i], value);
		else if (strcmp(members[i], "false_positive") == 0)
			json_object_set_new(response, members[i], json_false());
		else
			json_object_set_new(response, members[i], json_null());
	}
	return response;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The keys of counts in byte order; the caller frees the list. */
static const char **sorted_keys(json_t *counts)
{
	size_t count = 0;
	const char **keys = calloc(json_object_size(counts) + 1, sizeof(*keys));
	const char *key;
	json_t *value;

	if (!keys)
		return NULL;
	json_object_foreach(counts, key, value) keys[count++] = key;
	qsort(keys, count, sizeof(*keys), compare_keys);
	return keys;
}

/* A copy of counts in byte order after the keys that `first` holds already. */
static json_t *sorted_counts(json_t *first, json_t *counts)
{
	const char **keys = sorted_keys(counts);

	for (size_t i = 0; keys && keys[i]; i++)
		json_object_set(first, keys[i], json_object_get(counts, keys[i]));
	free(keys);
	return first;
}

static json_t *level_counts(void)
{
	json_t *counts = json_object();

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		json_object_set_new(counts, levels[i], json_integer(0));
	return counts;
}

static int print_summary(const struct recent *recent, json_t *severities, json_t *categories,
			 size_t total, size_t false_positives)
{
	json_t *list = json_array();
	json_t *summary = json_object();
	int status;

	for (size_t i = 0; i < recent->count; i++)
		json_array_append_new(list, issue_response(recent->issues[i]));
	json_object_set_new(summary, "total_issues", json_integer((json_int_t)total));
	json_object_set_new(summary, "issues_by_severity",
			    sorted_counts(level_counts(), severities));
	json_object_set_new(summary, "issues_by_category",
			    sorted_counts(json_object(), categories));
	json_object_set_new(summary, "false_positive_count",
			    json_integer((json_int_t)false_positives));
	json_object_set_new(summary, "recent_issues", list);
	status = json_dumpf(summary, stdout, JSON_COMPACT);
	json_decref(summary);
	return status == 0 && puts("") >= 0 && fflush(stdout) == 0 ? 0 : 3;
}

static int summarise(const json_t *export)
{
	struct recent recent = {0};
	json_t *severities = json_object();
	json_t *categories = json_object();
	size_t false_positives = 0;
	int status = 0;
	size_t index;
	json_t *issue;

	json_array_foreach(export, index, issue)
	{
		if (count_one(severities, text_of(issue, "severity", "unknown")) != 0 ||
		    count_one(categories, text_of(issue, "category", "unknown")) != 0)
			status = 2;
		false_positives += json_is_true(json_object_get(issue, "false_positive"));
		keep_recent(&recent, issue);
	}
	if (status == 0)
		status = print_summary(&recent, severities, categories, json_array_size(export),
				       false_positives);
	json_decref(severities);
	json_decref(categories);
	return status;
}

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *export;
	int status;

	if (argc != 2) {
		fputs("usage: peer_jansson FILE\n", stderr);
		return 2;
	}
	export = json_load_file(argv[1], 0, &error);
	if (!json_is_array(export)) {
		fprintf(stderr, "peer_jansson: %s:%d:%d: %s\n", argv[1], error.line, error.column,
			export ? "want an array" : error.text);
		json_decref(export);
		return 2;
	}
	status = summarise(export);
	json_decref(export);
	return status;
}
