/*
 * Values of a run, JSON text, as they are to be in another log: a result's addresses of others, and
 * tools and results within what GitHub takes.
 */
#ifndef RT_OUTPUT_SARIF_CHANGE_H
#define RT_OUTPUT_SARIF_CHANGE_H

#include "base/map.h"
#include "base/patch.h"

struct rt_fit_counts;

enum rt_change_address { RT_ADDRESS_SAME, RT_ADDRESS_MOVED, RT_ADDRESS_GONE };

struct rt_change {
	/* Where sarif:/runs/RUN/results/RESULT leads: both numbers become those of the new log.
	 * result: NULL: it leads elsewhere; has_rest: and not to the run itself. */
	enum rt_change_address (*find)(void *ctx, uint64_t *run, uint64_t *result, bool has_rest);
	void *ctx;
	struct rt_siphash_key key;
	struct rt_fit_counts *counts;
	/* Scratch. */
	struct rt_patches patches;
	struct rt_buf stages[2], text, made, room;
	struct rt_map rules;
};

/*
 * All append to out what a value becomes, and return RT_OK or RT_FATAL with err set.
 *
 * A result. for_github: without locations and steps beyond what GitHub takes; unindexed: it does
 * not point into tables whose entries it names as well.
 */
enum rt_status rt_change_result(struct rt_change *change, struct rt_slice result, bool for_github,
				bool unindexed, struct rt_buf *out, struct rt_error *err);

/* A tool: its rules with at most as many tags as GitHub takes, and no two equal. */
enum rt_status rt_change_tool(struct rt_change *change, struct rt_slice tool, struct rt_buf *out,
			      struct rt_error *err);

/* An object with members set. */
enum rt_status rt_change_edit(struct rt_change *change, struct rt_slice object,
			      const struct rt_edit *edits, size_t count, struct rt_buf *out,
			      struct rt_error *err);

void rt_change_release(struct rt_change *change);

#endif
