/*
 * STAND-IN until the tables of runs are there: takes everything, knows nothing. To be replaced.
 */
#include "sarif/run.h"

#include <string.h>

enum rt_status rt_sarif_run_init(struct rt_sarif_run *run, uint32_t index, struct rt_error *err)
{
	(void)err;
	memset(run, 0, sizeof(*run));
	run->index = index;
	return RT_OK;
}

enum rt_sarif_table rt_sarif_run_table(struct rt_slice key)
{
	static const struct rt_slice names[RT_SARIF_TABLE_COUNT] = {
	    [RT_SARIF_TOOL] = {"tool", 4},
	    [RT_SARIF_ARTIFACTS] = {"artifacts", 9},
	    [RT_SARIF_BASES] = {"originalUriBaseIds", 18},
	    [RT_SARIF_INVOCATIONS] = {"invocations", 11},
	    [RT_SARIF_AUTOMATION] = {"automationDetails", 17},
	    [RT_SARIF_PROVENANCE] = {"versionControlProvenance", 24},
	    [RT_SARIF_TAXONOMIES] = {"taxonomies", 10},
	    [RT_SARIF_EXTERNAL] = {"externalPropertyFileReferences", 30},
	};
	int table = 0;

	while (table < RT_SARIF_TABLE_COUNT && !rt_items_key_is(key, names[table]))
		table++;
	return (enum rt_sarif_table)table;
}

enum rt_status rt_sarif_run_take(struct rt_sarif_run *run, enum rt_sarif_table table,
				 struct rt_slice value, struct rt_sarif_notes *notes,
				 struct rt_sarif_fault *fault)
{
	(void)run, (void)table, (void)value, (void)notes, (void)fault;
	return RT_OK;
}

enum rt_status rt_sarif_run_end(struct rt_sarif_run *run, enum rt_sarif_table *ret_table,
				struct rt_sarif_fault *fault)
{
	(void)run, (void)ret_table, (void)fault;
	return RT_OK;
}

uint64_t rt_sarif_run_bytes(const struct rt_sarif_run *run)
{
	(void)run;
	return 0;
}

void rt_sarif_run_release(struct rt_sarif_run *run)
{
	(void)run;
}

enum rt_status rt_sarif_rule_find(const struct rt_sarif_run *run,
				  const struct rt_sarif_rule_says *says, struct rt_buf *room,
				  struct rt_sarif_rule_found *ret_found,
				  struct rt_sarif_fault *fault)
{
	(void)run;
	memset(ret_found, 0, sizeof(*ret_found));
	room->len = 0;
	if (!says->rule_id.ptr)
		return RT_OK;
	ret_found->id = rt_slice_make("", 0);
	if (rt_sarif_text(says->rule_id, room, fault) != RT_OK)
		return RT_FATAL;
	ret_found->id = rt_buf_slice(room);
	return RT_OK;
}

struct rt_slice rt_sarif_override(const struct rt_sarif_run *run, size_t invocation,
				  const struct rt_sarif_rule *rule)
{
	(void)run, (void)invocation, (void)rule;
	return rt_slice_make(NULL, 0);
}

enum rt_status rt_sarif_message_make(const struct rt_sarif_run *run,
				     const struct rt_sarif_rule_found *found,
				     struct rt_slice object, struct rt_sarif_message *message,
				     struct rt_sarif_notes *notes, struct rt_sarif_fault *fault)
{
	static const struct rt_sarif_member members[] = {{RT_SLICE("text"), RT_SARIF_STRING, NULL}};
	enum rt_status status = rt_sarif_cut(object, members, 1, &message->json, fault);

	(void)run, (void)found, (void)notes;
	message->none = !message->json.ptr;
	return status;
}

void rt_sarif_message_release(struct rt_sarif_message *message)
{
	(void)message;
}

enum rt_status rt_sarif_path(const struct rt_sarif_run *run, struct rt_slice location,
			     struct rt_buf *out, bool *ret_any, struct rt_sarif_fault *fault)
{
	static const struct rt_sarif_member members[] = {{RT_SLICE("uri"), RT_SARIF_STRING, NULL}};
	struct rt_slice uri;
	enum rt_status status = rt_sarif_cut(location, members, 1, &uri, fault);

	(void)run;
	*ret_any = status == RT_OK && uri.len > 2;
	return *ret_any ? rt_sarif_text(uri, out, fault) : status;
}

enum rt_status rt_sarif_repository(const struct rt_sarif_run *run, struct rt_slice location,
				   struct rt_slice *ret_repository, struct rt_sarif_fault *fault)
{
	(void)run, (void)location, (void)fault;
	*ret_repository = rt_slice_make(NULL, 0);
	return RT_OK;
}

enum rt_status rt_sarif_taxon(const struct rt_sarif_run *run, struct rt_slice reference,
			      struct rt_buf *room, bool *ret_cwe, struct rt_slice *ret_id,
			      struct rt_sarif_fault *fault)
{
	(void)run, (void)reference, (void)room, (void)fault;
	*ret_cwe = false;
	*ret_id = rt_slice_make(NULL, 0);
	return RT_OK;
}
