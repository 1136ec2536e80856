/*
 * Reads a data set in lanes. Input: one regular file of JSON or YAML, or several of any kind.
 * Output: what is made of the records, lane by lane, such as the counts of a summary.
 * Refuses nothing: what would have to be refused is left to one reader, and so is what fails.
 */
#include "engine/lanes.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/helper.h"
#include "base/io.h"
#include "base/limits.h"
#include "decode/decode.h"
#include "engine/dataset.h"
#include "engine/id_piles.h"
#include "record/reader.h"
#include "sarif/sarif.h"

/* Bytes from which on a thread is worth its start: some milliseconds of reading. */
#define LANE_BYTES (4 * RT_MIB)
/* Bytes that are read in the time that a file takes beside its bytes. */
#define FILE_BYTES (128 * RT_KIB)
/* Bytes of JSON that are read in the time of one of YAML. */
#define YAML_WEIGHT 16u
/* Lanes that are used without being asked for. */
#define LANES_USUAL 16u
/* Bytes that are looked at to tell a SARIF log, which is read in one piece. */
#define HEAD_BYTES (64 * RT_KIB)

/* What a file seems to be by its first bytes. */
enum head {
	HEAD_JSON,  /* and no SARIF log */
	HEAD_TEXT,  /* perhaps YAML */
	HEAD_OTHER, /* read in one piece */
};

struct lane {
	struct rt_lanes *all;
	struct rt_helper helper;   /* the thread of all but the first */
	struct rt_options options; /* with progress of its own */
	struct rt_reader *reader;
	const struct rt_record *first; /* of lane 0: the record that has been read already */
	struct rt_spot start;          /* of one file; of an excerpt its offset alone */
	uint64_t stamp;                /* that the reader must have come to in the end */
	struct rt_id_piles *ids;
	void *share;           /* what it gathers */
	size_t next;           /* of one file: the lane whose start comes next */
	bool done;             /* it has come to that start, or to the end */
	_Atomic uint64_t read; /* bytes, for progress */
};

struct rt_lanes {
	const struct rt_options *options;
	struct rt_lane_work work;
	struct rt_siphash_key key;
	struct lane *lanes; /* by their starts */
	size_t count;
	struct lane **chain;      /* those that have started right */
	struct rt_id_piles **ids; /* of those */
	size_t used;
	uint64_t size;  /* bytes of all files */
	enum head head; /* of the first file */
	bool has_files; /* each lane reads files of its own */
	bool is_cut;    /* each lane reads what is known before it starts: files, or an excerpt */
	struct rt_buf list; /* struct before of each of them, and of the end */
	uint64_t expanded;  /* bytes that decompression has given all of them */
	struct rt_unread unread;
	struct rt_faults warnings;
	atomic_bool stop;
};

/* --- Whether and how many --------------------------------------------------------------------- */

static enum head judge_head(const char *head, size_t len)
{
	size_t at = len >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	while (at < len && strchr(" \t\r\n", head[at]) && head[at])
		at++;
	if (at == len || rt_decode_is_needed((const uint8_t *)head, len))
		return HEAD_OTHER;
	if (head[at] != '[' && head[at] != '{')
		return HEAD_TEXT;
	if (head[at] == '{' &&
	    rt_sarif_look(rt_slice_make(head + at, len - at), len < HEAD_BYTES) != RT_SARIF_NO)
		return HEAD_OTHER;
	return HEAD_JSON;
}

static enum head look_at_head(int fd)
{
	char *bytes = malloc(HEAD_BYTES);
	ssize_t len = bytes ? rt_read_at(fd, bytes, HEAD_BYTES, 0) : -1;
	enum head head = len > 0 ? judge_head(bytes, (size_t)len) : HEAD_OTHER;

	free(bytes);
	return head;
}

static size_t processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* How many lanes are worth their start for so many bytes; 0: none. */
static size_t lanes_worth(const struct rt_options *options, uint64_t bytes, uint64_t lane_bytes)
{
	size_t most = processors();

	if (options->threads)
		return options->threads;
	if (most > LANES_USUAL)
		most = LANES_USUAL;
	return bytes / lane_bytes < most ? (size_t)(bytes / lane_bytes) : most;
}

/* Whether the paths lead to regular files and nothing that could only be read once. */
static bool paths_are_files(const struct rt_options *options)
{
	struct stat st;

	for (size_t i = 0; i < options->path_count; i++) {
		const char *path = options->paths[i];

		if (strcmp(path, "-") == 0 || stat(path, &st) != 0 ||
		    !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
			return false;
	}
	return true;
}

/* What there is before a file. */
struct before {
	uint64_t weight; /* bytes, with those that each file stands for */
	uint64_t stamp;
};

/* Look at all files: what is before each of them, and before the end. There is one at least; no
 * more than `most` are looked at, and then it is false, as it is after an error. */
static bool list_files(struct rt_lanes *all, size_t most)
{
	struct rt_files *files = NULL;
	struct before before = {0, 0};
	const struct rt_file *file;
	struct rt_error err;
	enum rt_status status = rt_files_open(all->options, &files, &err);

	while (status == RT_OK && all->list.len / sizeof(before) <= most) {
		before.stamp = rt_files_stamp(files);
		status = rt_buf_append(&all->list, &before, sizeof(before), &err);
		if (status == RT_OK)
			status = rt_files_next(files, &file, &err);
		if (status != RT_OK)
			break;
		if (!before.weight)
			all->head = look_at_head(file->fd);
		before.weight += file->size + FILE_BYTES;
		all->size += file->size;
	}
	rt_files_free(files);
	return status == RT_END;
}

/* --- One lane --------------------------------------------------------------------------------- */

/* Progress of the first lane is told, with that of the others in it. total: of its own files. */
static void lane_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct lane *lane = ctx;
	struct rt_lanes *all = lane->all;
	uint64_t sum = 0;

	(void)total;
	atomic_store_explicit(&lane->read,
			      done > lane->start.offset ? done - lane->start.offset : 0,
			      memory_order_relaxed);
	if (lane != all->lanes)
		return;
	for (size_t i = 0; i < all->count; i++)
		sum += atomic_load_explicit(&all->lanes[i].read, memory_order_relaxed);
	all->options->progress(all->options->progress_ctx, sum < all->size ? sum : all->size,
			       all->size);
}

static bool lane_open(struct rt_lanes *all, struct lane *lane)
{
	struct rt_error err;

	lane->options = *all->options;
	lane->options.notice = NULL;
	if (lane->options.progress)
		lane->options.progress = lane_progress;
	lane->options.progress_ctx = lane;
	return all->work.begin(all->work.ctx, &all->key, lane == all->lanes, &lane->share, &err) ==
		   RT_OK &&
	       rt_id_piles_new(&all->key, &lane->ids, &err) == RT_OK &&
	       rt_reader_open(&lane->options, RT_KIND_ANY, 0, &lane->reader, &err) == RT_OK;
}

/* Open a lane of one file and read the first record, which decides where it stands. */
static bool lane_begin(struct rt_lanes *all, struct lane *lane)
{
	struct rt_error err;

	if (!lane_open(all, lane) || rt_reader_next(lane->reader, &lane->first, &err) != RT_OK)
		return false;
	lane->stamp = rt_reader_stamp(all->lanes->reader);
	return true;
}

static void lane_release(struct lane *lane)
{
	rt_reader_free(lane->reader);
	rt_id_piles_free(lane->ids);
	if (lane->share)
		lane->all->work.free(lane->share);
}

/* Take a record in. Returns false where there is something to tell. */
static bool lane_take(struct lane *lane, const struct rt_record *record)
{
	struct rt_error err;

	return rt_id_piles_add(lane->ids, record->kind, record->id, &err) == RT_OK &&
	       lane->all->work.take(lane->share, record, &err) == RT_OK;
}

/* Whether the lane has come to the start of another one, which is right, then. */
static bool lane_meets(struct lane *lane)
{
	const struct rt_lanes *all = lane->all;
	uint64_t offset = rt_reader_offset(lane->reader);
	struct rt_spot spot;

	for (; lane->next < all->count; lane->next++) {
		const struct rt_spot *start = &all->lanes[lane->next].start;

		if (offset < start->offset)
			return false;
		if (offset > start->offset)
			continue;
		rt_reader_spot(lane->reader, &spot);
		if (rt_spot_alike(&spot, start))
			return true;
	}
	return false;
}

/* Read to the start of another lane, or to the end. */
static bool lane_read(struct lane *lane)
{
	const struct rt_record *record = lane->first;
	enum rt_status status = RT_OK;
	struct rt_error err;

	if (!record)
		status = rt_reader_next(lane->reader, &record, &err);
	while (status == RT_OK) {
		if (!lane_take(lane, record))
			return false;
		if (lane_meets(lane))
			return true;
		if (atomic_load_explicit(&lane->all->stop, memory_order_relaxed))
			return false;
		status = rt_reader_next(lane->reader, &record, &err);
	}
	/* What starts after the end of the document does not start right. */
	lane->next = lane->all->count;
	return status == RT_END;
}

static void lane_run(void *ctx)
{
	struct lane *lane = ctx;

	lane->done = lane_read(lane);
	/* Of one file, nobody knows yet whether other lanes have started where records are. */
	if (!lane->done && (lane->all->is_cut || lane == lane->all->lanes))
		atomic_store_explicit(&lane->all->stop, true, memory_order_relaxed);
}

/* --- All lanes -------------------------------------------------------------------------------- */

/* Open up to `wanted` lanes of one file and guess where they start. Returns whether there is a
 * first one. */
static bool open_lanes(struct rt_lanes *all, size_t wanted)
{
	struct rt_error err;

	/* What has been opened is to be released, whatever comes of it. */
	all->count = 1;
	if (!lane_begin(all, all->lanes))
		return false;
	all->lanes->next = 1;
	for (size_t i = 1; i < wanted; i++) {
		struct lane *lane = &all->lanes[all->count];
		uint64_t before = lane[-1].start.offset;

		bool open = lane_begin(all, lane);

		lane->first = NULL;
		if (open &&
		    rt_reader_guess(lane->reader, all->size / wanted * i, &lane->start, &err) ==
			RT_OK &&
		    lane->start.offset > before) {
			/* The way to its start was not read. */
			atomic_store_explicit(&lane->read, 0, memory_order_relaxed);
			lane->next = ++all->count;
			continue;
		}
		lane_release(lane);
		*lane = (struct lane){.all = all};
	}
	return true;
}

/* Open up to `wanted` lanes, each with its share of the files. */
static bool open_shares(struct rt_lanes *all, size_t wanted)
{
	const struct before *before = (const void *)all->list.data;
	size_t count = all->list.len / sizeof(*before) - 1, from = 0;
	bool open = true;

	while (open && from < count && all->count < wanted) {
		struct lane *lane = &all->lanes[all->count++];
		uint64_t most = before[count].weight / wanted * all->count;
		size_t until = all->count == wanted ? count : from + 1;

		while (until < count && before[until].weight < most)
			until++;
		open = lane_open(all, lane);
		/* It meets no other one. */
		lane->next = wanted;
		lane->stamp = before[until].stamp;
		if (open)
			rt_reader_take_share(lane->reader, &(struct rt_files_share){
							       from, until, before[from].stamp});
		from = until;
	}
	return open;
}

/* Read a file of YAML as far as its first record, and cut it. Returns the number of excerpts. */
static size_t cut_file(const struct rt_lanes *all, size_t wanted, struct rt_excerpt *excerpts,
		       uint64_t *ret_stamp)
{
	struct rt_options options = *all->options;
	struct rt_reader *reader = NULL;
	const struct rt_record *record;
	struct rt_error err;
	size_t count = 0;

	options.notice = NULL;
	options.progress = NULL;
	if (rt_reader_open(&options, RT_KIND_ANY, 0, &reader, &err) == RT_OK &&
	    rt_reader_next(reader, &record, &err) == RT_OK &&
	    rt_reader_cut(reader, wanted, excerpts, &count, &err) != RT_OK)
		count = 0;
	if (count)
		*ret_stamp = rt_reader_stamp(reader);
	rt_reader_free(reader);
	return count;
}

/* Open up to `wanted` lanes, each with its excerpt from a file of YAML. */
static bool open_excerpts(struct rt_lanes *all, size_t wanted)
{
	struct rt_excerpt *excerpts = calloc(wanted, sizeof(*excerpts));
	uint64_t stamp = 0;
	size_t count = excerpts ? cut_file(all, wanted, excerpts, &stamp) : 0;
	bool open = count > 1;

	while (open && all->count < count) {
		const struct rt_excerpt *excerpt = &excerpts[all->count];
		struct lane *lane = &all->lanes[all->count++];

		open = lane_open(all, lane);
		/* It meets no other one. */
		lane->next = wanted;
		lane->stamp = stamp;
		lane->start.offset = excerpt->from;
		if (open)
			rt_reader_take_excerpt(lane->reader, excerpt);
	}
	free(excerpts);
	return open;
}

static bool open_all(struct rt_lanes *all, size_t wanted)
{
	if (all->has_files)
		return open_shares(all, wanted);
	return all->is_cut ? open_excerpts(all, wanted) : open_lanes(all, wanted);
}

/* Have each lane do a piece of work, the first one in this thread. */
static bool run_lanes(struct rt_lanes *all, void (*work)(void *ctx))
{
	bool started = true;

	for (size_t i = 1; i < all->count; i++) {
		struct lane *lane = &all->lanes[i];

		if (rt_helper_start(&lane->helper, work, lane) == 0)
			rt_helper_go(&lane->helper);
		else
			started = false;
	}
	(void)work(all->lanes);
	for (size_t i = 1; i < all->count; i++)
		rt_helper_end(&all->lanes[i].helper);
	return started;
}

/* Take in what a lane's reader knows of the whole. Returns whether one would have come as far. */
static bool gather(struct rt_lanes *all, const struct rt_reader *reader)
{
	const struct rt_options *options = all->options;
	struct rt_error err;

	/* Of one file, and what is beside it, all of them know the same. */
	if (!all->has_files && all->used)
		return true;
	all->expanded += rt_reader_expanded(reader);
	return rt_unread_merge(&all->unread, rt_reader_unread(reader), &err) == RT_OK &&
	       rt_faults_merge(&all->warnings, rt_reader_warnings(reader), &err) == RT_OK &&
	       all->expanded <= options->limits.expanded_bytes &&
	       !(options->strict_input && all->unread.count);
}

/* Find the lanes that follow from the first one; the others have started wrong. */
static bool find_chain(struct rt_lanes *all)
{
	for (size_t at = 0; at < all->count;) {
		struct lane *lane = &all->lanes[at];

		if (!lane->done || rt_reader_stamp(lane->reader) != lane->stamp ||
		    !gather(all, lane->reader))
			return false;
		all->chain[all->used] = lane;
		all->ids[all->used++] = lane->ids;
		at = all->is_cut ? at + 1 : lane->next;
	}
	return true;
}

/* Hold the ids of all lanes against each other: each lane does its share. */
static void lane_compare(void *ctx)
{
	struct lane *lane = ctx;
	struct rt_lanes *all = lane->all;
	struct rt_error err;
	bool twice = true;

	if (rt_id_piles_twice(all->ids, all->used, (size_t)(lane - all->lanes), all->count, &twice,
			      &err) != RT_OK ||
	    twice)
		atomic_store_explicit(&all->stop, true, memory_order_relaxed);
}

static bool read_all(struct rt_lanes *all, size_t wanted)
{
	all->lanes = calloc(wanted, sizeof(*all->lanes));
	all->chain = calloc(wanted, sizeof(struct lane *));
	all->ids = calloc(wanted, sizeof(struct rt_id_piles *));
	if (!all->lanes || !all->chain || !all->ids)
		return false;
	for (size_t i = 0; i < wanted; i++)
		all->lanes[i].all = all;
	if (!open_all(all, wanted))
		return false;
	if (!run_lanes(all, lane_run) || !find_chain(all))
		return false;
	return run_lanes(all, lane_compare) && !atomic_load(&all->stop);
}

/* The number of lanes for the data set; 0: it is not for lanes. */
static size_t lanes_wanted(struct rt_lanes *all, uint64_t lane_bytes)
{
	const struct rt_options *options = all->options;
	size_t wanted = lanes_worth(options, UINT64_MAX, lane_bytes), count;
	uint64_t weight;

	if (options->journal || options->duplicates != RT_DUPLICATES_REFUSE ||
	    !paths_are_files(options) || !list_files(all, wanted > 1 ? SIZE_MAX : 1))
		return 0;
	count = all->list.len / sizeof(struct before) - 1;
	all->has_files = count > 1;
	all->is_cut = all->has_files || all->head == HEAD_TEXT;
	if (!all->is_cut)
		return all->head == HEAD_JSON ? lanes_worth(options, all->size, lane_bytes) : 0;
	weight = all->has_files ? all->size + count * FILE_BYTES : all->size * YAML_WEIGHT;
	wanted = lanes_worth(options, weight, lane_bytes);
	if (all->has_files && wanted > count)
		wanted = count;
	return wanted > 1 ? wanted : 0;
}

/* Tell what one reader would have told at its end. */
static void tell(const struct rt_lanes *all)
{
	struct rt_error err;

	rt_dataset_tell_warnings(&all->warnings, all->options);
	/* It refuses nothing that lanes have read. */
	(void)rt_unread_tell(&all->unread, all->options, "", &err);
}

struct rt_lanes *rt_lanes_read(const struct rt_options *options, const struct rt_lane_work *work,
			       uint64_t lane_bytes)
{
	struct rt_lanes *all = calloc(1, sizeof(*all));
	struct rt_error err;
	size_t wanted;

	if (!all)
		return NULL;
	all->options = options;
	all->work = *work;
	wanted = lanes_wanted(all, lane_bytes ? lane_bytes : LANE_BYTES);
	if (wanted && rt_siphash_key_init(&all->key, &err) == RT_OK && read_all(all, wanted) &&
	    work->join(work->ctx, all)) {
		tell(all);
		return all;
	}
	rt_lanes_free(all);
	return NULL;
}

size_t rt_lanes_used(const struct rt_lanes *lanes)
{
	return lanes->used;
}

const struct rt_faults *rt_lanes_warnings(const struct rt_lanes *all)
{
	return &all->warnings;
}

void *rt_lanes_share(const struct rt_lanes *lanes, size_t index)
{
	return lanes->chain[index]->share;
}

enum rt_status rt_lanes_check(const struct rt_options *options, struct rt_error *err)
{
	if (options->threads <= RT_THREADS_MAX)
		return RT_OK;
	return rt_error_set(err, RT_E_USAGE, "want at most %u threads, have %u", RT_THREADS_MAX,
			    options->threads);
}

void rt_lanes_free(struct rt_lanes *all)
{
	if (!all)
		return;
	for (size_t i = 0; all->lanes && i < all->count; i++)
		lane_release(&all->lanes[i]);
	rt_buf_release(&all->list);
	rt_unread_release(&all->unread);
	rt_faults_release(&all->warnings);
	free(all->ids);
	free(all->chain);
	free(all->lanes);
	free(all);
}

/* --- Summaries in lanes ----------------------------------------------------------------------- */

/* What all lanes count for. */
struct counting {
	const struct rt_limits *limits;
	size_t recent;
};

/* What one lane has counted. */
struct counted {
	struct rt_summary summary;
	size_t longest; /* bytes of a record's text */
};

static void counted_free(void *share)
{
	struct counted *counted = share;

	rt_summary_release(&counted->summary);
	free(counted);
}

static enum rt_status counted_begin(void *ctx, const struct rt_siphash_key *key, bool first,
				    void **ret_share, struct rt_error *err)
{
	const struct counting *counting = ctx;
	struct counted *counted = calloc(1, sizeof(*counted));
	enum rt_status status;

	(void)first;
	if (!counted)
		return rt_error_nomem(err);
	status = rt_summary_init(&counted->summary, counting->recent, counting->limits, key, err);
	if (status != RT_OK) {
		counted_free(counted);
		return status;
	}
	*ret_share = counted;
	return RT_OK;
}

static enum rt_status counted_take(void *share, const struct rt_record *record,
				   struct rt_error *err)
{
	struct counted *counted = share;

	if (counted->longest < record->text.len)
		counted->longest = record->text.len;
	return record->kind == RT_KIND_ISSUE ? rt_summary_add(&counted->summary, record, err)
					     : RT_OK;
}

/* Put the summaries together in the first one. */
static bool counted_join(void *ctx, const struct rt_lanes *lanes)
{
	const struct counting *counting = ctx;
	struct rt_summary *summary = rt_lanes_summary(lanes);
	const struct rt_limits *limits = counting->limits;
	struct rt_error err;

	for (size_t i = 0; i < lanes->used; i++) {
		struct counted *counted = rt_lanes_share(lanes, i);

		/* A kept issue takes no more than its id, its date and its text. */
		if (2 * (uint64_t)counted->longest * counting->recent > limits->recent_bytes)
			return false;
		if (i && rt_summary_merge(summary, &counted->summary, &err) != RT_OK)
			return false;
	}
	return rt_counts_fits(&summary->severities) && rt_counts_fits(&summary->categories);
}

struct rt_lanes *rt_lanes_summarize(const struct rt_options *options, size_t recent,
				    uint64_t lane_bytes)
{
	struct counting counting = {&options->limits, recent};
	const struct rt_lane_work work = {counted_begin, counted_take, counted_join, counted_free,
					  &counting};

	return rt_lanes_read(options, &work, lane_bytes);
}

struct rt_summary *rt_lanes_summary(const struct rt_lanes *lanes)
{
	struct counted *counted = rt_lanes_share(lanes, 0);

	return &counted->summary;
}
