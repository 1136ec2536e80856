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
