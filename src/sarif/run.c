/*
 * A run of a log besides its results: tables of its members, and what follows from several of them.
 * Results that are kept in other files are refused, since they would be missing.
 */
#include "sarif/run.h"

#include "base/buf.h"
#include "base/limits.h"

static const struct rt_slice table_names[RT_SARIF_TABLE_COUNT] = {
    [RT_SARIF_TOOL] = RT_SLICE("tool"),
    [RT_SARIF_ARTIFACTS] = RT_SLICE("artifacts"),
    [RT_SARIF_BASES] = RT_SLICE("originalUriBaseIds"),
    [RT_SARIF_INVOCATIONS] = RT_SLICE("invocations"),
    [RT_SARIF_AUTOMATION] = RT_SLICE("automationDetails"),
    [RT_SARIF_PROVENANCE] = RT_SLICE("versionControlProvenance"),
    [RT_SARIF_TAXONOMIES] = RT_SLICE("taxonomies"),
    [RT_SARIF_EXTERNAL] = RT_SLICE("externalPropertyFileReferences"),
};

enum rt_sarif_table rt_sarif_run_table(struct rt_slice key)
{
	enum rt_sarif_table table = 0;

	while (table < RT_SARIF_TABLE_COUNT && !rt_items_key_is(key, table_names[table]))
		table++;
	return table;
}

enum rt_status rt_sarif_run_init(struct rt_sarif_run *run, uint32_t index, struct rt_error *err)
{
	struct rt_sarif_fault fault;
	enum rt_status status;

	*run = (struct rt_sarif_run){
	    .index = index, .record_bytes = RT_LIMIT_RECORD, .held_max = UINT64_MAX};
	status = rt_siphash_key_init(&run->key, err);
	if (status != RT_OK)
		return status;
	/* A driver of which nothing is known yet. */
	run->component_count = 1;
	rt_sarif_fault_clear(&fault);
	run->components = rt_sarif_memory_take(run, 1, sizeof(*run->components), &fault);
	if (fault.status != RT_OK)
		*err = fault.err;
	return fault.status;
}

void rt_sarif_run_release(struct rt_sarif_run *run)
{
	rt_sarif_memory_release(run);
	rt_map_release(&run->names);
	rt_buf_release(&run->messages);
	rt_buf_release(&run->rules);
	rt_buf_release(&run->overrides);
	rt_buf_release(&run->roots);
}

/* --- Lists ------------------------------------------------------------------------------------ */

/* Take memory for all elements of a value that is to be an array, of that size each. NULL: a fault.
 */
static void *list_take(struct rt_sarif_run *run, struct rt_slice value, const char *field,
		       size_t size, struct rt_items *ret_items, struct rt_sarif_fault *fault)
{
	rt_sarif_is(value, RT_SARIF_ARRAY, field, fault);
	rt_items_init(ret_items, value);
	return fault->status == RT_OK
		   ? rt_sarif_memory_take(run, rt_sarif_count(value), size, fault)
		   : NULL;
}

static void artifacts_take(struct rt_sarif_run *run, struct rt_slice value,
			   struct rt_sarif_fault *fault)
{
	static const struct rt_cut_member members[] = {
	    {RT_SLICE("location"), 0, RT_SARIF_OBJECT, NULL}};
	static const struct rt_cut cut = RT_SARIF_CUT(members, "artifact");
	struct rt_slice location, said[RT_SARIF_LOCATION_MEMBERS];
	struct rt_items items;
	struct rt_item item;

	run->artifacts = list_take(run, value, "artifacts", sizeof(*run->artifacts), &items, fault);
	while (rt_sarif_next_item(&items, &item, fault)) {
		rt_sarif_cut(item.value, "artifacts", &cut, &location, 1, fault);
		rt_sarif_location_cut(location, said, fault);
		/* Its own index says nothing. */
		run->artifacts[run->artifact_count++] = (struct rt_sarif_location){
		    said[RT_SARIF_LOCATION_URI], said[RT_SARIF_LOCATION_BASE]};
	}
}

/* --- Invocations ------------------------------------------------------------------------------ */

enum { SUCCESSFUL, START, END, DIRECTORY, OVERRIDES, INVOCATION_MEMBERS };
static const struct rt_cut_member invocation_members[] = {
    {RT_SLICE("executionSuccessful"), SUCCESSFUL, RT_SARIF_BOOL, NULL},
    {RT_SLICE("startTimeUtc"), START, RT_SARIF_STRING, NULL},
    {RT_SLICE("endTimeUtc"), END, RT_SARIF_STRING, NULL},
    {RT_SLICE("workingDirectory"), DIRECTORY, RT_SARIF_OBJECT, NULL},
    {RT_SLICE("ruleConfigurationOverrides"), OVERRIDES, RT_SARIF_ARRAY, NULL},
};
static const struct rt_cut invocation_cut = RT_SARIF_CUT(invocation_members, "invocation");

enum { DESCRIPTOR, CONFIGURATION, OVERRIDE_MEMBERS };
static const struct rt_cut_member override_members[] = {
    {RT_SLICE("descriptor"), DESCRIPTOR, RT_SARIF_OBJECT, NULL},
    {RT_SLICE("configuration"), CONFIGURATION, RT_SARIF_OBJECT, NULL},
};
static const struct rt_cut override_cut = RT_SARIF_CUT(override_members, "configurationOverride");

/* Take one override, if it gives a level. */
static void override_take(struct rt_sarif_run *run, uint32_t invocation, struct rt_slice value,
			  struct rt_sarif_fault *fault)
{
	struct rt_slice values[OVERRIDE_MEMBERS];
	struct rt_sarif_override override = {.invocation = invocation};

	rt_sarif_cut(value, "invocation.ruleConfigurationOverrides", &override_cut, values,
		     OVERRIDE_MEMBERS, fault);
	rt_sarif_reference_check(values[DESCRIPTOR], fault);
	override.descriptor = values[DESCRIPTOR];
	override.level = rt_sarif_level_take(values[CONFIGURATION], fault);
	if (override.descriptor.ptr && override.level.ptr)
		rt_sarif_memory_add(run, &run->overrides, &override, sizeof(override), fault);
}

static void invocation_take(struct rt_sarif_run *run, struct rt_slice value,
			    struct rt_sarif_fault *fault)
{
	uint32_t number = (uint32_t)run->invocation_count;
	struct rt_slice values[INVOCATION_MEMBERS], directory[RT_SARIF_LOCATION_MEMBERS];
	struct rt_items items;
	struct rt_item item;

	rt_sarif_cut(value, "invocations", &invocation_cut, values, INVOCATION_MEMBERS, fault);
	rt_sarif_location_cut(values[DIRECTORY], directory, fault);
	if (fault->status != RT_OK)
		return;
	run->invocations[run->invocation_count++] = (struct rt_sarif_invocation){
	    .failed = values[SUCCESSFUL].ptr && *values[SUCCESSFUL].ptr == 'f',
	    .succeeded = values[SUCCESSFUL].ptr && *values[SUCCESSFUL].ptr == 't',
	    .start = values[START],
	    .end = values[END],
	};
	if (number == 0)
		run->directory = values[DIRECTORY];
	rt_items_init(&items, values[OVERRIDES]);
	while (rt_sarif_next_item(&items, &item, fault))
		override_take(run, number, item.value, fault);
}

static void invocations_take(struct rt_sarif_run *run, struct rt_slice value,
			     struct rt_sarif_fault *fault)
{
	struct rt_items items;
	struct rt_item item;

	run->invocations =
	    list_take(run, value, "invocations", sizeof(*run->invocations), &items, fault);
	while (rt_sarif_next_item(&items, &item, fault))
		invocation_take(run, item.value, fault);
}

/* --- Automation and provenance ---------------------------------------------------------------- */

static void automation_take(struct rt_sarif_run *run, struct rt_slice value,
			    struct rt_sarif_fault *fault)
{
	static const struct rt_cut_member members[] = {
	    {RT_SLICE("id"), 0, RT_SARIF_STRING, NULL},
	    {RT_SLICE("guid"), 1, RT_SARIF_STRING, NULL},
	};
	static const struct rt_cut cut = RT_SARIF_CUT(members, "automationDetails");
	struct rt_slice values[2];

	rt_sarif_cut(value, "automationDetails", &cut, values, 2, fault);
	run->automation_id = rt_sarif_keep(run, values[0], fault);
	run->automation_guid = rt_sarif_keep(run, values[1], fault);
}

/* Take one versionControlDetails. */
static void repository_take(struct rt_sarif_run *run, struct rt_slice value,
			    struct rt_sarif_repository *repository, struct rt_sarif_fault *fault)
{
	static const struct rt_cut_member members[] = {
	    {RT_SLICE("repositoryUri"), 0, RT_SARIF_STRING, NULL},
	    {RT_SLICE("mappedTo"), 1, RT_SARIF_OBJECT, NULL},
	};
	static const struct rt_cut cut = RT_SARIF_CUT(members, "versionControlDetails");
	struct rt_slice values[2], mapped[RT_SARIF_LOCATION_MEMBERS], uri;

	rt_sarif_cut(value, "versionControlProvenance", &cut, values, 2, fault);
	rt_sarif_location_cut(values[1], mapped, fault);
	if (fault->status == RT_OK)
		repository->mapped = values[1];
	uri = rt_sarif_keep(run, values[0], fault);
	uri = uri.ptr ? rt_sarif_uri_repository(uri) : uri;
	if (uri.len)
		repository->name = rt_sarif_keep_json(run, uri, fault);
}

static void provenance_take(struct rt_sarif_run *run, struct rt_slice value,
			    struct rt_sarif_fault *fault)
{
	struct rt_items items;
	struct rt_item item;

	run->repositories = list_take(run, value, "versionControlProvenance",
				      sizeof(*run->repositories), &items, fault);
	while (rt_sarif_next_item(&items, &item, fault))
		repository_take(run, item.value, &run->repositories[run->repository_count++],
				fault);
}

/* --- References to other files (S8) ----------------------------------------------------------- */

/* Without these, findings or their severity would be missing. */
static const struct {
	struct rt_slice name;
	uint8_t types;
	const char *want;
} needed[] = {
    {RT_SLICE("results"), RT_SARIF_ARRAY, "results in the log itself"},
    {RT_SLICE("driver"), RT_SARIF_OBJECT, "rules in the log itself"},
    {RT_SLICE("extensions"), RT_SARIF_ARRAY, "rules in the log itself"},
    {RT_SLICE("artifacts"), RT_SARIF_ARRAY, "artifacts in the log itself"},
    {RT_SLICE("invocations"), RT_SARIF_ARRAY, "invocations in the log itself"},
};

static const char external[] = "externalPropertyFileReferences";

/* Refuse a reference to what is needed. value: the reference, or an array of them. */
static void reference_refuse(struct rt_slice value, const char *want, struct rt_sarif_fault *fault)
{
	enum { LOCATION, URI, MEMBERS };
	static const struct rt_cut_member location_members[] = {
	    {RT_SLICE("uri"), URI, RT_SARIF_STRING, NULL}};
	static const struct rt_cut location = RT_SARIF_CUT(location_members, external);
	static const struct rt_cut_member members[] = {
	    {RT_SLICE("location"), LOCATION, RT_SARIF_OBJECT, &location}};
	static const struct rt_cut cut = RT_SARIF_CUT(members, external);
	struct rt_slice values[MEMBERS], uri;
	struct rt_items items;
	struct rt_item item = {.value = value};

	rt_items_init(&items, value);
	if (*value.ptr == '[')
		(void)rt_items_next(&items, &item);
	rt_sarif_cut(item.value, external, &cut, values, MEMBERS, fault);
	uri = rt_sarif_inside(values[URI]);
	if (!uri.ptr)
		rt_sarif_refuse(fault, item.value.ptr, external, want, "them in another file");
	else
		rt_sarif_refuse(fault, item.value.ptr, external, want, "them in \"%.*s\"",
				rt_slice_shown(uri, 200), uri.ptr);
}

static void external_take(struct rt_slice value, struct rt_sarif_notes *notes,
			  struct rt_sarif_fault *fault)
{
	const size_t count = sizeof(needed) / sizeof(needed[0]);
	struct rt_items items;
	struct rt_item item;

	rt_sarif_is(value, RT_SARIF_OBJECT, external, fault);
	rt_items_init(&items, value);
	while (rt_sarif_next_item(&items, &item, fault)) {
		bool one = *item.value.ptr == '{';
		size_t i = 0;

		if (*item.value.ptr == 'n' || (!one && rt_sarif_count(item.value) == 0))
			continue;
		while (i < count && !rt_items_key_is(item.key, needed[i].name))
			i++;
		if (i == count) {
			notes->counts[RT_SARIF_NOTE_EXTERNAL] +=
			    one ? 1 : rt_sarif_count(item.value);
			continue;
		}
		rt_sarif_is(item.value, needed[i].types, external, fault);
		if (fault->status == RT_OK)
			reference_refuse(item.value, needed[i].want, fault);
	}
}

/* --- Members of the run ----------------------------------------------------------------------- */

typedef void take_table(struct rt_sarif_run *run, struct rt_slice value,
			struct rt_sarif_fault *fault);

enum rt_status rt_sarif_run_take(struct rt_sarif_run *run, enum rt_sarif_table table,
				 struct rt_slice value, struct rt_sarif_notes *notes,
				 struct rt_sarif_fault *fault)
{
	static take_table *const takers[RT_SARIF_TABLE_COUNT] = {
	    [RT_SARIF_TOOL] = rt_sarif_tool_take,
	    [RT_SARIF_ARTIFACTS] = artifacts_take,
	    [RT_SARIF_BASES] = rt_sarif_bases_take,
	    [RT_SARIF_INVOCATIONS] = invocations_take,
	    [RT_SARIF_AUTOMATION] = automation_take,
	    [RT_SARIF_PROVENANCE] = provenance_take,
	    [RT_SARIF_TAXONOMIES] = rt_sarif_taxonomies_take,
	};
	struct rt_slice copy;

	rt_sarif_fault_clear(fault);
	if (!value.len || *value.ptr == 'n')
		return RT_OK;
	if (table == RT_SARIF_EXTERNAL) {
		external_take(value, notes, fault);
		return fault->status;
	}

	copy = rt_sarif_memory_copy(run, value, fault);
	if (fault->status == RT_OK)
		takers[table](run, copy, fault);
	if (fault->status != RT_OK && fault->at)
		fault->at = value.ptr + (fault->at - copy.ptr);
	return fault->status;
}

/* --- What follows from several members -------------------------------------------------------- */

static void invocations_end(struct rt_sarif_run *run)
{
	size_t failed = 0, succeeded = 0;

	for (size_t i = 0; i < run->invocation_count; i++) {
		failed += run->invocations[i].failed;
		succeeded += run->invocations[i].succeeded;
	}
	run->failed = failed > 0;
	run->failed_throughout = failed > 0 && failed == run->invocation_count;
	run->succeeded = succeeded > 0 && succeeded == run->invocation_count;
}

/* The category: up to the last '/' (S20). */
static struct rt_slice category_of(struct rt_slice id)
{
	const char *slash = id.len ? memrchr(id.ptr, '/', id.len) : NULL;

	return slash ? rt_slice_make(id.ptr, (size_t)(slash - id.ptr)) : rt_slice_make("", 0);
}

/* The scan's id where automationDetails give none (S37). */
static void scan_id_make(const struct rt_sarif_run *run, struct rt_buf *out,
			 struct rt_sarif_fault *fault)
{
	struct rt_put put = {out, &fault->err, fault->status};
	struct rt_slice start = {NULL, 0};

	if (run->invocation_count)
		start = run->invocations[run->invocation_count - 1].start;
	rt_put(&put, run->driver);
	rt_put(&put, start.ptr ? RT_SLICE("/") : RT_SLICE("-"));
	if (!start.ptr)
		rt_put_number(&put, run->index);
	fault->status = put.status;
	rt_sarif_text(start, out, fault);
}

static void scan_id_end(struct rt_sarif_run *run, struct rt_sarif_fault *fault)
{
	struct rt_slice id = run->automation_id.len ? run->automation_id : run->automation_guid;
	struct rt_buf made = {0};

	if (!id.len) {
		scan_id_make(run, &made, fault);
		id = rt_buf_slice(&made);
	}
	run->scan_id = rt_sarif_keep_json(run, id, fault);
	rt_buf_release(&made);
}

enum rt_status rt_sarif_run_end(struct rt_sarif_run *run, enum rt_sarif_table *ret_table,
				struct rt_sarif_fault *fault)
{
	rt_sarif_fault_clear(fault);

	run->category = category_of(run->automation_id);
	invocations_end(run);
	*ret_table = RT_SARIF_AUTOMATION;
	scan_id_end(run, fault);
	if (fault->status == RT_OK)
		*ret_table = RT_SARIF_INVOCATIONS;
	rt_sarif_overrides_end(run, fault);
	if (fault->status == RT_OK)
		*ret_table = RT_SARIF_TOOL;
	rt_sarif_weaknesses_end(run, fault);
	if (fault->status == RT_OK)
		rt_sarif_roots_end(run, ret_table, fault);
	fault->at = NULL;
	return fault->status;
}
