/*
 * One reading of a data set by a command: the filter, the baseline and the issues one after
 * another. A command is a consumer of them: it begins, takes those that the filter picks, and has
 * its answer when all has been read and checked. One whose counts can be put together is read in
 * lanes where that can be (engine/lanes.h), each of which has a copy of the command's struct.
 */
#ifndef RT_OPS_READING_H
#define RT_OPS_READING_H

#include "engine/lanes.h"
#include "ops/baseline.h"

struct rt_consumer;

/* What fields are made from, as options have it. Zeroed before it is opened. */
struct rt_fields {
	struct rt_field_source source;
	uint32_t sla[RT_LEVELS];
	struct rt_owners *owners;
};

/* Returns RT_OK or RT_FATAL: owners are read from a file. Stays where it is. Closed in both cases.
 */
enum rt_status rt_fields_open(struct rt_fields *fields, const struct rt_options *options,
			      int64_t at, struct rt_error *err);
void rt_fields_close(struct rt_fields *fields);

/* The first member of a command's struct. */
struct rt_reading {
	const struct rt_options *options;
	const struct rt_term *terms; /* of the filter */
	size_t term_count;
	int64_t at;       /* the present */
	bool needs_notes; /* of issues that are picked */
	/* Made by rt_reading_prepare() and rt_read(). */
	struct rt_fields fields; /* of a lane: those of the command, whose owners it borrows */
	struct rt_filter *filter;
	struct rt_state *state;
	struct rt_baseline *baseline; /* NULL: none */
	uint64_t total, picked;       /* issues */
	const struct rt_consumer *consumer;
	struct rt_lanes *lanes; /* that have read; NULL: one reader has */
};

/* What a command does. Each function returns RT_OK or RT_FATAL. */
struct rt_consumer {
	size_t bytes; /* of the command's struct; 0: it is not read in lanes */
	/* Called when the data set is open; in lanes for each copy of the prepared struct. key: of
	 * hashes; borrowed until the end. May be NULL without lanes. */
	enum rt_status (*begin)(struct rt_reading *r, const struct rt_siphash_key *key,
				struct rt_error *err);
	/* Every issue, before the filter is asked; NULL: they are not looked at. */
	enum rt_status (*see)(struct rt_reading *r, const struct rt_finding *finding,
			      struct rt_error *err);
	/* An issue that the filter picks. */
	enum rt_status (*take)(struct rt_reading *r, const struct rt_finding *finding,
			       struct rt_error *err);
	/* One that it leaves out; NULL: they are only counted. */
	enum rt_status (*leave)(struct rt_reading *r, const struct rt_finding *finding,
				struct rt_error *err);
	/* Add the counts of the next lane to the first's. Any other status than RT_OK: one reader
	 * reads all again, since a limit may be met. */
	enum rt_status (*merge)(struct rt_reading *first, struct rt_reading *next,
				struct rt_error *err);
	/* Free what begin() made, if it was called; NULL: the command does. */
	void (*release)(struct rt_reading *r);
};

/* Make fields and filter. Returns RT_OK or RT_FATAL. */
enum rt_status rt_reading_prepare(struct rt_reading *r, struct rt_error *err);

/*
 * Read all issues, after the filter has told of its slips. r: prepared. ret_first: what has taken
 * all: r, or the first lane's copy, whose state reads nothing. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_read(struct rt_reading *r, const struct rt_consumer *consumer,
		       struct rt_reading **ret_first, struct rt_error *err);

/* The same by one reader; the filter tells nothing. extras: NULL: none. */
enum rt_status rt_read_alone(struct rt_reading *r, const struct rt_consumer *consumer,
			     const struct rt_state_extras *extras, struct rt_error *err);

/*
 * The next issue that the baseline alone has, of those that the filter picks, with its notes. old:
 * the baseline, opened once more. number: 0 at first. Returns RT_OK, RT_END or RT_FATAL.
 */
enum rt_status rt_reading_next_gone(struct rt_reading *r, struct rt_state *old, uint64_t *number,
				    struct rt_finding *ret_finding, struct rt_error *err);

/* Free the filter, the state, the baseline, lanes, and what the consumer releases. */
void rt_reading_release(struct rt_reading *r);

#endif
